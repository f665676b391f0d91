/* Steps of single-level contact: the published grids beside ours; the same step by the whole system in one dense LU and by the
 * bilevel method, which must agree (or the exit code is 1); times of these, of a step and of its gradient, of growth distances,
 * of rows and towers of boxes. bench_ncp REPEATS; grids and comparisons run once, the grids in double only. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <math.h>

#include "support.h"
#include "ncp_baselines.h"

#define R(x) ((dc_real)(x))
#define MOST 80

static unsigned char shape_memory[1 << 15], memory[1 << 23], base_memory[1 << 20];
static base other;                              /* the step in another way */
static dc_shape polygon, ground, box, big_box, ground3, box3;
static const int rate[6] = {10, 20, 30, 50, 70, 100};
static const double level[6] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10};

typedef struct {
    dc_ncp_scene scene;
    dc_ncp_body body[MOST], next[MOST];
    dc_ncp_contact contact[2*MOST];
    dc_real keep[2*MOST][200];
    dc_ncp_options opt;
    int authors;                                /* 1: in the formulation of the paper's code */
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
    if (w->authors) {                           /* a step that is not solved is taken all the same */
        w->failed += !(base_begin(&other, BASE_NO_SLACKS, 1, &w->opt, &w->scene, &mem) && base_solve(&other));
        base_write(&other, next);
        info.iterations = other.steps + 1;      /* as their tables count */
    } else w->failed += dc_ncp_step(&w->opt, &w->scene, &mem, next, NULL, &info) != DC_OK;
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
        || dc_shape_box(2, dc_vec(R(0.5), R(0.5), 0), &shapes, &big_box) != DC_OK
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
                w.authors = authors;
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
                w.authors = 1;
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

/* ---- the same step in other ways */

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

/* the box of Fig. 11: velocities and attitudes at random from the paper's range */
static void falling_box(world *w, rng *r)
{
    dc_ncp_body *b;
    double turn;
    world_begin(w, 2, 0.01);
    w->opt.rho = R(1e-4);
    b = world_body(w, 0, rng_uniform(r, 1, 3), 0);
    turn = rng_uniform(r, -3, 3);
    b->pose.q = dc_quat_exp(dc_vec(0, 0, R(turn)));
    b->v.x = R(rng_uniform(r, -2, 2));
    b->v.y = R(rng_uniform(r, -2, 2));
    b->w.z = R(rng_uniform(r, -2, 2));
    world_contact(w, 0, -1, &big_box, &ground, 0.1, 0);
}

static int base_step(world *w, int method)
{
    dc_arena mem = dc_arena_make(base_memory, sizeof base_memory);
    return base_begin(&other, method, 0, &w->opt, &w->scene, &mem) && base_solve(&other);
}

typedef struct {
    long steps, failed, iterations;             /* steps the other way did not solve; steps with other numbers of iterations */
    long solves;                                /* growth problems */
    double worst;                               /* largest difference of a velocity where it did */
} difference;

/* n steps of w, each taken the other way as well; 0 when dc_ncp_step itself fails. */
static int differ(world *w, int method, int n, difference *d)
{
    int i, k;
    for (k = 0; k < n; ++k) {
        long before = w->iterations;
        int ok, same;
        world_step(w, w->next);
        ok = base_step(w, method);
        d->steps++;
        d->solves += other.solves;
        d->failed += !ok;
        same = other.steps == w->iterations - before;
        d->iterations += ok && !same;
        for (i = 0; ok && (same || method == BASE_BILEVEL) && i < w->scene.bodies; ++i) {
            const dc_real *v = other.x + 3*i;
            const dc_ncp_body *b = w->next + i;
            d->worst = fmax(d->worst, fabs((double)(v[0] - b->v.x)));
            d->worst = fmax(d->worst, fabs((double)(v[1] - b->v.y)));
            d->worst = fmax(d->worst, fabs((double)(v[2] - b->w.z)));
        }
        memcpy(w->body, w->next, (size_t)w->scene.bodies*sizeof(dc_ncp_body));
    }
    return w->failed == 0;
}

static void difference_print(const char *what, const difference *d)
{
    bench_line(what, "largest_difference", d->worst, "m/s or 1/s");
    bench_line(what, "not_solved", (double)d->failed, "steps");
    bench_line(what, "of", (double)d->steps, "steps");
}

/* The dense systems: the same iterations, the same velocities, but for a few steps whose first start stalls: dc_ncp_step has
 * others, these have not, and on the way there rounding decides. */
static int dense_agrees(void)
{
    static const char *const name[2] = {"whole", "slacks_out"};
    static world w;
    int method, run, ok = 1;
    for (method = BASE_WHOLE; method <= BASE_NO_SLACKS; ++method) {
        difference d = DC_ZERO;
        for (run = 0; run < 100; run += 10) {
            drop_begin(&w, run, 0.01, 0);
            w.opt.rho = R(1e-4);
            ok &= differ(&w, method, 150, &d);
        }
        four_blocks(&w);
        ok &= differ(&w, method, 10, &d);
        difference_print(name[method], &d);
        bench_line(name[method], "other_number_of_iterations", (double)d.iterations, "steps");
        ok &= 40*d.failed <= d.steps && 200*d.iterations <= d.steps && d.worst <= 1e-8;
    }
    return ok;
}

/* The bilevel method: the same velocities to what the tolerance leaves open, tol in the gap and so tol/h in these, but for the
 * few steps that it does not solve. */
static int bilevel_agrees(void)
{
    const double h = 0.01, tol = 1e-10;
    static world w;
    rng r;
    int run, ok = 1;
    difference drop = DC_ZERO, fall = DC_ZERO, blocks = DC_ZERO;
    rng_seed(&r, 11);
    for (run = 0; run < 100; ++run) {
        drop_begin(&w, run, h, 0);
        w.opt.rho = R(1e-4);
        w.opt.tol = R(tol);
        ok &= differ(&w, BASE_BILEVEL, 150, &drop);
        falling_box(&w, &r);
        w.opt.tol = R(tol);
        ok &= differ(&w, BASE_BILEVEL, 200, &fall);
    }
    difference_print("bilevel_drop", &drop);
    difference_print("bilevel_falling_box", &fall);
    ok &= drop.worst <= 10*tol/h && fall.worst <= 10*tol/h && 100*drop.failed <= drop.steps && 100*fall.failed <= fall.steps;
    four_blocks(&w);
    w.opt.tol = R(tol);
    ok &= differ(&w, BASE_BILEVEL, 20, &blocks);
    difference_print("bilevel_four_blocks", &blocks);
    return ok && blocks.worst <= 10*tol/0.02 && blocks.failed == 0;
}

/* How often a method fails over a run of the drop, from the states of our runs. In the paper a run has failed when a step takes
 * 29 Newton steps, and the states are its own; here one has that 40, or 100 of the bilevel method, do not solve. */
static void failures(const char *name, int method)
{
    static const int at[2] = {0, 5}, of[2] = {1, 3};
    static const double published[2][2] = {{87, 89}, {55, 49}};
    static world w;
    int i, j, run;
    for (i = 0; i < 2; ++i)
        for (j = 0; j < 2; ++j) {
            char what[80];
            int bad = 0;
            difference all = DC_ZERO;
            for (run = 0; run < 100; ++run) {
                long before = all.failed;
                drop_begin(&w, run, 1.0/rate[at[i]], 0);
                w.opt.rho = R(level[of[j]]);
                differ(&w, method, 3*rate[at[i]]/2, &all);
                bad += all.failed > before;
            }
            snprintf(what, sizeof what, "failed_runs_of_100_at_%d_hz_rho_%g", rate[at[i]], level[of[j]]);
            bench_line(name, what, bad, "runs");
            if (method != BASE_BILEVEL) continue;
            strcat(what, "/published");
            bench_line(name, what, published[i][j], "runs");
            snprintf(what, sizeof what, "growth_problems_of_a_step_at_%d_hz_rho_%g", rate[at[i]], level[of[j]]);
            bench_line(name, what, (double)all.solves/(double)all.steps, "solves");
        }
}

/* ---- times */

/* Steps from states that were recorded, by dc_ncp_step (method < 0) or another way; every `run` states begin anew. */
typedef struct {
    world w;
    const dc_ncp_body *state;
    int steps, run, method;
} path;

static void record(world *w, int steps, dc_ncp_body *state)
{
    int k;
    for (k = 0; k < steps; ++k) {
        memcpy(state + k*w->scene.bodies, w->body, (size_t)w->scene.bodies*sizeof *state);
        world_step(w, w->body);
    }
}

static void path_time(void *user)
{
    path *p = (path *)user;
    size_t n = (size_t)p->w.scene.bodies;
    int k;
    for (k = 0; k < p->steps; ++k) {
        memcpy(p->w.body, p->state + n*(size_t)k, n*sizeof(dc_ncp_body));
        if (k%p->run == 0) p->w.keep[0][0] = 0;         /* the first step is cold */
        if (p->method < 0) world_step(&p->w, p->w.next);
        else base_step(&p->w, p->method);
    }
}

/* the ratio of the medians of entries i and j */
static void over(const bench_group *g, const char *what, int i, int j)
{
    if (!bench_instructions) bench_line(g->name, what, g->entry[i].median/g->entry[j].median, "x");
}

static void one_step(void *user) { world_step((world *)user, ((world *)user)->next); }

static void gradient(void *user)
{
    static dc_real J[12*64];
    dc_ncp *solved = (dc_ncp *)user;
    solved->factored = 0;                   /* its own factor, as after a step */
    dc_ncp_grad(solved, J, 64);
    bench_keep((double)J[0]);
}

/* a step of w, and its gradient */
static int gradient_times(bench_group *g, const char *name, world *w)
{
    dc_arena mem = dc_arena_make(memory + (1 << 22), 1 << 20);
    dc_ncp *solved;
    if (dc_ncp_step(&w->opt, &w->scene, &mem, w->next, &solved, NULL) != DC_OK) return 0;
    bench_open(g, name);
    bench_add(g, "step", one_step, w, 1);
    bench_add(g, "gradient", gradient, solved, 1);
    bench_run(g);
    return 1;
}

#define DROPS 10
#define DROP_STEPS 150
#define FALLS 5
#define FALL_STEPS 200
#define BLOCK_STEPS 5
#define TUMBLE_STEPS 100
static dc_ncp_body drop_state[DROPS*DROP_STEPS], fall_state[FALLS*FALL_STEPS], block_state[4*BLOCK_STEPS], tumble_state[TUMBLE_STEPS];

/* a box that falls askew and turning, 3D */
static void tumble(world *w, int pyramid, int warm)
{
    dc_ncp_body *b;
    world_begin(w, 3, 0.01);
    w->opt.rho = R(1e-4);
    w->opt.pyramid = pyramid;
    b = world_body(w, 0, 0, 1);
    b->pose.q = dc_quat_exp(dc_vec(R(0.3), R(-0.5), R(0.2)));
    b->v = dc_vec(2, 1, 0);
    b->w = dc_vec(1, -2, R(0.5));
    world_contact(w, 0, -1, &box3, &ground3, 0.5, warm);
}

static void drop_times(bench_group *g)
{
    static const char *const name[5] = {"whole_26_equations", "slacks_out_16_equations", "bilevel", "cold", "warm"};
    static path p[5];
    int i;
    for (i = 0; i < DROPS; ++i) {
        drop_begin(&p[0].w, i, 0.01, 0);
        p[0].w.opt.rho = R(1e-4);
        record(&p[0].w, DROP_STEPS, drop_state + i*DROP_STEPS);
    }
    bench_open(g, "ncp_drop_step");
    for (i = 0; i < 5; ++i) {
        drop_begin(&p[i].w, 0, 0.01, i == 4);
        p[i].w.opt.rho = R(1e-4);
        p[i].state = drop_state;
        p[i].steps = DROPS*DROP_STEPS;
        p[i].run = DROP_STEPS;
        p[i].method = i < 3 ? i : -1;
        bench_add(g, name[i], path_time, &p[i], p[i].steps);
    }
    bench_run(g);
}

/* Fig. 11's scene and tolerances; the paper's ratio is between tolerances that differ tenfold, and derivatives it forms by
 * automatic differentiation */
static void fall_times(bench_group *g)
{
    static path p[2];
    rng r;
    int i;
    rng_seed(&r, 11);
    for (i = 0; i < FALLS; ++i) {
        falling_box(&p[0].w, &r);
        record(&p[0].w, FALL_STEPS, fall_state + i*FALL_STEPS);
    }
    bench_open(g, "ncp_falling_box_step");
    for (i = 0; i < 2; ++i) {
        falling_box(&p[i].w, &r);
        p[i].state = fall_state;
        p[i].steps = FALLS*FALL_STEPS;
        p[i].run = FALL_STEPS;
        p[i].method = i == 0 ? BASE_BILEVEL : -1;
        bench_add(g, i == 0 ? "bilevel" : "cold", path_time, &p[i], p[i].steps);
    }
    bench_run(g);
    if (!bench_instructions) bench_line(g->name, "bilevel_over_cold/published", 30, "x");
}

static void block_times(bench_group *g)
{
    static const char *const name[3] = {"whole_258_equations", "slacks_out_150_equations", "cold"};
    static path p[3];
    int i;
    for (i = 0; i < 3; ++i) {
        four_blocks(&p[i].w);
        if (i == 0) record(&p[0].w, BLOCK_STEPS, block_state);
        p[i].state = block_state;
        p[i].steps = p[i].run = BLOCK_STEPS;
        p[i].method = i < 2 ? i : -1;
    }
    bench_open(g, "ncp_four_blocks_step");
    for (i = 0; i < 3; ++i) bench_add(g, name[i], path_time, &p[i], BLOCK_STEPS);
    bench_run(g);
    over(g, "slacks_out_over_cold", 1, 2);
}

static void tumble_times(bench_group *g)
{
    static const char *const name[3] = {"cold", "warm", "pyramid"};
    static path p[3];
    int i;
    tumble(&p[0].w, 0, 0);
    record(&p[0].w, TUMBLE_STEPS, tumble_state);
    bench_open(g, "ncp_box_3d_step");
    for (i = 0; i < 3; ++i) {
        tumble(&p[i].w, i == 2, i == 1);
        p[i].state = tumble_state;
        p[i].steps = p[i].run = TUMBLE_STEPS;
        p[i].method = -1;
        bench_add(g, name[i], path_time, &p[i], TUMBLE_STEPS);
    }
    bench_run(g);
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

/* ---- growth distance: random hulls of 8 to 30 faces, near each other; with a Jacobian but for "alpha" */

#define PAIRS 1000
typedef struct { int jacobian, warm, turn; const dc_shape (*shape)[2]; const dc_pose (*pose)[PAIRS][2]; int failed; } pairs;
static unsigned char hull_memory[1 << 22];
static dc_shape hull[PAIRS][2], box_pair[PAIRS][2];
static dc_pose hull_pose[2][PAIRS][2], box_pose[2][PAIRS][2];

/* the second poses: a step of 1 % of the size and 0.01 rad on */
static int pairs_make(void)
{
    dc_arena shapes = dc_arena_make(hull_memory, sizeof hull_memory);
    rng r;
    int i, k, j;
    rng_seed(&r, 17);
    for (i = 0; i < PAIRS; ++i)
        for (k = 0; k < 2; ++k) {
            dc_real xi[6], turn[3];
            dc_shape *s = &hull[i][k];
            double x[3];
            do {
                dc_v3 v[17];
                size_t used = shapes.used;
                int n = rng_int(&r, 6, 17);
                double axis[3];
                for (j = 0; j < 3; ++j) axis[j] = rng_uniform(&r, 0.4, 1.4);
                for (j = 0; j < n; ++j) {
                    rng_unit3(&r, x);
                    v[j] = dc_vec(R(axis[0]*x[0]), R(axis[1]*x[1]), R(axis[2]*x[2]));
                }
                if (dc_shape_hull(3, n, v, &shapes, s) != DC_OK) return 0;
                if (s->rows < 8 || s->rows > 30) shapes.used = used;
            } while (s->rows < 8 || s->rows > 30);
            for (j = 0; j < 3; ++j) x[j] = rng_uniform(&r, 0.3, 1);
            if (dc_shape_box(3, dc_vec(R(x[0]), R(x[1]), R(x[2])), &shapes, &box_pair[i][k]) != DC_OK) return 0;
            for (j = 0; j < 3; ++j) {
                turn[j] = R(rng_uniform(&r, -2, 2));
                x[j] = rng_uniform(&r, -2, 2);
            }
            box_pose[0][i][k].q = dc_quat_exp(dc_vec(0, 0, 0));
            hull_pose[0][i][k].q = dc_quat_exp(dc_vec(turn[0], turn[1], turn[2]));
            hull_pose[0][i][k].t = box_pose[0][i][k].t = dc_vec(R(x[0]), R(x[1]), R(x[2]));
            for (j = 0; j < 6; ++j) xi[j] = R(rng_uniform(&r, -0.01, 0.01));
            hull_pose[1][i][k] = dc_pose_retract(hull_pose[0][i][k], xi);
            for (j = 3; j < 6; ++j) xi[j] = 0;
            box_pose[1][i][k] = dc_pose_retract(box_pose[0][i][k], xi);
        }
    return 1;
}

static void pairs_time(void *user)
{
    static dc_growth_warm warm[2][PAIRS];
    pairs *p = (pairs *)user;
    dc_growth_options o = DC_ZERO;
    dc_real jac[84];
    double sum = 0;
    int i;
    p->turn ^= 1;
    for (i = 0; i < PAIRS; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_growth_result g = DC_ZERO;
        const dc_pose *pose = p->pose[p->turn][i];
        o.warm = p->warm ? &warm[p->warm - 1][i] : NULL;
        p->failed += dc_growth(&o, &p->shape[i][0], &pose[0], &p->shape[i][1], &pose[1], &mem, &g, p->jacobian ? jac : NULL, NULL, NULL, NULL) != DC_OK;
        sum += (double)g.alpha;
    }
    bench_keep(sum);
}

static int pairs_times(bench_group *g)
{
    static const char *const name[3] = {"cold", "warm", "alpha"};
    static pairs p[2][3];
    int k, i, failed = 0;
    if (!pairs_make()) return 0;
    for (k = 0; k < 2; ++k) {
        bench_open(g, k ? "ncp_growth_parallel_boxes" : "ncp_growth_hulls");
        for (i = 0; i < 3; ++i) {
            p[k][i].jacobian = i < 2;
            p[k][i].warm = i == 1 ? 1 + k : 0;
            p[k][i].shape = (const dc_shape (*)[2])(k ? box_pair : hull);
            p[k][i].pose = (const dc_pose (*)[PAIRS][2])(k ? box_pose : hull_pose);
            bench_add(g, name[i], pairs_time, &p[k][i], PAIRS);
        }
        bench_run(g);
        for (i = 0; i < 3; ++i) failed += p[k][i].failed;
    }
    return failed == 0;
}

static world timed;

int main(int argc, char **argv)
{
    static double published[5][6][6];
    bench_group g;
    char word[64];
    table t;
    int i, k, r;
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
        if (!dense_agrees() || !bilevel_agrees()) {
            printf("another way to solve the step disagrees\n");
            return 1;
        }
        failures("slacks_out_drop", BASE_NO_SLACKS);
        failures("bilevel_drop", BASE_BILEVEL);
    }

    drop_times(&g);
    over(&g, "slacks_out_over_cold", 1, 3);
    over(&g, "bilevel_over_cold", 2, 3);
    over(&g, "warm_over_cold", 4, 3);
    fall_times(&g);
    block_times(&g);
    tumble_times(&g);
    drop_begin(&timed, 7, 0.01, 0);
    timed.opt.rho = R(1e-4);
    for (k = 0; k < 100; ++k) world_step(&timed, timed.body);
    if (!gradient_times(&g, "ncp_drop_landed", &timed)) return 1;
    tumble(&timed, 0, 0);
    for (k = 0; k < 100; ++k) world_step(&timed, timed.body);
    if (!gradient_times(&g, "ncp_box_3d_landed", &timed)) return 1;
    if (!pairs_times(&g)) return 1;

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
        if (!bench_instructions) bench_line(g.name, "growth_exponent_10_to_40", (x[3] - x[1])/log(4.0), "power");
    }
    return 0;
}
