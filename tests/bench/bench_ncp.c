/* Steps of single-level contact: the published grids beside ours, times of a step and of its gradient, dense algebra without
 * condensing, rows and towers of boxes. bench_ncp REPEATS; the grids run once, in double only. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <math.h>

#include "support.h"

#define R(x) ((dc_real)(x))
#define MOST 80

static unsigned char shape_memory[1 << 15], memory[1 << 23];
static dc_shape polygon, ground, box, ground3, box3;
static const int rate[6] = {10, 20, 30, 50, 70, 100};
static const double level[6] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10};

typedef struct {
    dc_ncp_scene scene;
    dc_ncp_body body[MOST], next[MOST];
    dc_ncp_contact contact[2*MOST];
    dc_real keep[2*MOST][200];
    dc_ncp_options opt;
    long steps, iterations, failed;
} world;

static void world_begin(world *w, int dim, double h)
{
    memset(w, 0, sizeof *w);
    w->scene.dim = dim;
    w->scene.h = R(h);
    w->scene.gravity = dim == 2 ? dc_vec(0, R(-9.81), 0) : dc_vec(0, 0, R(-9.81));
    w->scene.body = w->body;
    w->scene.contact = w->contact;
}

static dc_ncp_body *world_body(world *w, double x, double y, double z)
{
    dc_ncp_body *b = w->body + w->scene.bodies++;
    b->pose.q.w = b->mass = 1;
    b->pose.t = dc_vec(R(x), R(y), R(z));
    b->inertia.m[0] = b->inertia.m[4] = b->inertia.m[8] = R(0.2);
    return b;
}

static void world_contact(world *w, int a, int b, const dc_shape *sa, const dc_shape *sb, double mu, int warm)
{
    dc_ncp_contact *c = w->contact + w->scene.contacts;
    c->body[0] = a;
    c->body[1] = b;
    c->shape[0] = sa;
    c->shape[1] = sb;
    c->mu = R(mu);
    c->keep = warm ? w->keep[w->scene.contacts] : NULL;
    w->scene.contacts++;
}

static void world_step(world *w, dc_ncp_body *next)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_ncp_info info = DC_ZERO;
    w->failed += dc_ncp_step(&w->opt, &w->scene, &mem, next, NULL, &info) != DC_OK;
    w->iterations += info.iterations;
    w->steps++;
}

/* ---- the drop grid */

static double start[100][6];

static int load(void)
{
    static const dc_real A[10] = {1, DC_R(0.2), 0, 1, -1, DC_R(-0.3), 0, -1, DC_R(0.8), DC_R(-0.8)};
    static const dc_real b[5] = {DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4)};
    dc_arena shapes = dc_arena_make(shape_memory, sizeof shape_memory);
    table t;
    int i, run;
    if (dc_shape_polytope(2, 5, A, b, &shapes, &polygon) != DC_OK || dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &shapes, &ground) != DC_OK
        || dc_shape_box(2, dc_vec(R(0.25), R(0.25), 0), &shapes, &box) != DC_OK
        || dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &shapes, &ground3) != DC_OK
        || dc_shape_box(3, dc_vec(R(0.25), R(0.25), R(0.25)), &shapes, &box3) != DC_OK) return 0;
    if (!table_open(&t, "ncp_drop_states.txt")) return 0;
    for (i = 0; i < 100; ++i)
        if (!table_int(&t, &run) || !table_reals(&t, start[i], 6)) return 0;
    table_close(&t);
    return 1;
}

static void drop_begin(world *w, int run, double h, int warm)
{
    const double *s = start[run];
    dc_ncp_body *b;
    world_begin(w, 2, h);
    b = world_body(w, s[0], s[1], 0);
    b->pose.q = dc_quat_exp(dc_vec(0, 0, R(s[2])));
    b->v = dc_vec(R(s[3]), R(s[4]), 0);
    b->w.z = R(s[5]);
    world_contact(w, 0, -1, &polygon, &ground, 0.2, warm);
}

static void drop_grid(const char *name, int authors, int warm, double published[6][6])
{
    static world w;
    long failed = 0, all = 0, steps = 0;
    double off = 0;
    int i, j, run, k;
    printf("# %s: mean iterations over runs, failed runs%s\n", name, published ? ", published iterations" : "");
    for (i = 0; i < 6; ++i) {
        printf("# %3d Hz", rate[i]);
        for (j = 0; j < 6; ++j) {
            double mean = 0;
            int bad = 0;
            for (run = 0; run < 100; ++run) {
                int n = 3*rate[i]/2;
                drop_begin(&w, run, 1.0/rate[i], warm);
                w.opt.rho = R(level[j]);
                w.opt.authors = authors;
                for (k = 0; k < n; ++k) world_step(&w, w.body);
                mean += (double)w.iterations/n/100;
                bad += w.failed > 0;
                all += w.iterations;
                steps += n;
            }
            failed += bad;
            printf("  %7.4f %d", mean, bad);
            if (published) {
                printf(" %7.4f", published[i][j]);
                off = fmax(off, fabs(mean/published[i][j] - 1));
            }
        }
        printf("\n");
    }
    bench_line(name, "failed_runs_of_3600", (double)failed, "runs");
    bench_line(name, "iterations_of_a_step", (double)all/(double)steps, "iterations");
    if (published) bench_line(name, "largest_difference_from_the_table", 100*off, "%");
}

static void stack_grid(double linear[6][6], double angular[6][6])
{
    static world w;
    double worst_l = 0, worst_a = 0;
    int i, j, r, k;
    printf("# stack grid, authors' formulation: linear and angular momentum, published in parentheses\n");
    for (i = 0; i < 6; ++i) {
        printf("# %3d Hz", rate[i]);
        for (j = 0; j < 6; ++j) {
            double l = 0, a = 0;
            for (r = 1; r <= 10; ++r) {
                world_begin(&w, 2, 1.0/rate[i]);
                w.opt.rho = R(level[j]);
                w.opt.authors = 1;
                world_body(&w, 0.02*r, 0.25, 0);
                world_body(&w, 0, 0.75, 0);
                world_contact(&w, 0, 1, &box, &box, 0.5, 0);
                world_contact(&w, 0, -1, &box, &ground, 0.5, 0);
                world_contact(&w, 1, -1, &box, &ground, 0.5, 0);
                for (k = 0; k < rate[i]; ++k) {
                    l += (fabs((double)(w.body[0].v.x + w.body[1].v.x)) + fabs((double)(w.body[0].v.y + w.body[1].v.y)))/(2*rate[i])/10;
                    a += 0.2*fabs((double)(w.body[0].w.z + w.body[1].w.z))/rate[i]/10;
                    world_step(&w, w.body);
                }
            }
            printf("  %.4g (%.4g) %.4g (%.4g)", l, linear[i][j], a, angular[i][j]);
            worst_l = fmax(worst_l, fabs(l/linear[i][j] - 1));
            worst_a = fmax(worst_a, fabs(a/angular[i][j] - 1));
        }
        printf("\n");
    }
    bench_line("stack_grid", "linear_momentum_off_by", worst_l, "relative");
    bench_line("stack_grid", "angular_momentum_off_by", worst_a, "relative");
}

/* ---- times */

static world timed[8];

static void one_step(void *user) { world_step((world *)user, ((world *)user)->next); }

/* one run of the drop, 150 steps at 100 Hz, rho 1e-4 */
static void drop_time(void *user)
{
    static world w;
    const world *from = (const world *)user;
    int k;
    drop_begin(&w, 7, 0.01, from->contact[0].keep != NULL);
    w.opt = from->opt;
    for (k = 0; k < 150; ++k) world_step(&w, w.body);
}

static dc_ncp *solved;

static void gradient(void *user)
{
    static dc_real J[12*64];
    dc_arena *mem = (dc_arena *)user;
    (void)mem;
    solved->factored = 0;                   /* its own factor, as after a step */
    dc_ncp_grad(solved, J, 64);
    bench_keep((double)J[0]);
}

/* factor and two solves of a dense system: what one iteration costs without condensing, assembly left out */
typedef struct { int n, loops; dc_real A[280*280], B[280*280], b[280]; int piv[280]; } dense;
static dense dense_drop, dense_stack;

static void dense_step(void *user)
{
    dense *d = (dense *)user;
    int k, i;
    for (k = 0; k < d->loops; ++k) {
        memcpy(d->B, d->A, (size_t)(d->n*d->n)*sizeof(dc_real));
        for (i = 0; i < d->n; ++i) d->b[i] = 1;
        dc_lu_factor(d->n, d->B, d->n, d->piv, NULL);
        dc_lu_solve(d->n, d->B, d->n, d->piv, 1, d->b, 1);
        dc_lu_solve(d->n, d->B, d->n, d->piv, 1, d->b, 1);
    }
    bench_keep((double)d->b[0]);
}

static void dense_make(dense *d, int n, int loops)
{
    rng r;
    int i;
    rng_seed(&r, 1);
    d->n = n;
    d->loops = loops;
    for (i = 0; i < n*n; ++i) d->A[i] = R(rng_uniform(&r, -1, 1) + (i%(n + 1) == 0 ? 4 : 0));
}

/* Fig. 8's four blocks, all pairs and the floor */
static void four_blocks(world *w)
{
    static const double at[4][3] = {{0.05, 2.4, 0.1}, {-0.05, 1.8, -0.1}, {0, 1, -0.2}, {0, 0.3, -0.2}};
    int i, j;
    world_begin(w, 2, 0.02);
    w->opt.rho = R(DC_IS_FLOAT ? 1e-4 : 1e-6);
    for (i = 0; i < 4; ++i) world_body(w, at[i][0], at[i][1], 0)->pose.q = dc_quat_exp(dc_vec(0, 0, R(at[i][2])));
    for (i = 0; i < 4; ++i) {
        for (j = 0; j < i; ++j) world_contact(w, i, j, &box, &box, 0.5, 0);
        world_contact(w, i, -1, &box, &ground, 0.5, 0);
    }
    for (i = 0; i < 30; ++i) world_step(w, w->body);
    w->steps = w->iterations = 0;
}

static void boxes(world *w, int n, int tower)
{
    int i;
    world_begin(w, 3, 0.02);
    w->opt.rho = R(DC_IS_FLOAT ? 1e-4 : 1e-6);
    for (i = 0; i < n; ++i) {
        world_body(w, tower ? 0 : i, 0, tower ? 0.25 + 0.5*i : 0.25);
        if (tower && i > 0) world_contact(w, i, i - 1, &box3, &box3, 0.5, 0);
        else world_contact(w, i, -1, &box3, &ground3, 0.5, 0);
    }
}

int main(int argc, char **argv)
{
    static double published[5][6][6];
    bench_group g;
    char word[64];
    table t;
    int i, k, r;
    dc_arena mem;
    bench_begin(argc, argv);
    if (!load() || !table_open(&t, "ncp_published.txt")) return 1;
    for (k = 0; k < 5; ++k) {
        if (!table_word(&t, word)) return 1;
        for (i = 0; i < 6; ++i)
            if (!table_int(&t, &r) || !table_reals(&t, published[k][i], 6)) return 1;
    }
    table_close(&t);
    if (!bench_instructions && !DC_IS_FLOAT) {
        drop_grid("drop_grid_authors", 1, 0, published[0]);
        drop_grid("drop_grid_cold", 0, 0, NULL);
        drop_grid("drop_grid_warm", 0, 1, NULL);
        stack_grid(published[3], published[4]);
    }

    for (i = 0; i < 3; ++i) {
        timed[i].opt.rho = R(1e-4);
        timed[i].opt.authors = i == 2;
        timed[i].contact[0].keep = i == 1 ? timed[i].keep[0] : NULL;
    }
    /* the gradient at the landed state */
    drop_begin(&timed[3], 7, 0.01, 0);
    timed[3].opt.rho = R(1e-4);
    for (k = 0; k < 100; ++k) world_step(&timed[3], timed[3].body);
    mem = dc_arena_make(memory + (1 << 22), 1 << 20);
    if (dc_ncp_step(&timed[3].opt, &timed[3].scene, &mem, timed[3].next, &solved, NULL) != DC_OK) return 1;
    bench_open(&g, "ncp_drop_step");
    dense_make(&dense_drop, 28, 9);
    bench_add(&g, "dense_28x28_9_iterations", dense_step, &dense_drop, 1);
    bench_add(&g, "authors", drop_time, &timed[2], 150);
    bench_add(&g, "cold", drop_time, &timed[0], 150);
    bench_add(&g, "warm", drop_time, &timed[1], 150);
    bench_add(&g, "gradient", gradient, &mem, 1);
    bench_run(&g);

    four_blocks(&timed[4]);
    world_step(&timed[4], timed[4].next);
    dense_make(&dense_stack, 278, (int)timed[4].iterations);
    bench_open(&g, "ncp_four_blocks_step");
    bench_add(&g, "dense_278x278_as_many_iterations", dense_step, &dense_stack, 1);
    bench_add(&g, "cold", one_step, &timed[4], 1);
    bench_run(&g);

    for (k = 0; k < 2; ++k) {
        static const int count[4] = {5, 10, 20, 40};
        static char name[4][24];
        static world many[4];
        double x[4];
        bench_open(&g, k ? "ncp_tower_of_boxes_3d" : "ncp_row_of_boxes_3d");
        for (i = 0; i < 4; ++i) {
            boxes(&many[i], count[i], k);
            snprintf(name[i], sizeof name[i], "%d", count[i]);
            bench_add(&g, name[i], one_step, &many[i], 1);
        }
        bench_run(&g);
        for (i = 0; i < 4; ++i) x[i] = log(fmax(g.entry[i].median, 1));
        bench_line(g.name, "growth_exponent_10_to_40", (x[3] - x[1])/log(4.0), "power");
    }
    return 0;
}
