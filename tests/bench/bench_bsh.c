/* The hierarchical potential: against Algorithm 1 as it is printed and against all pairs; growth of the work with the number
 * of triangles; warm starts; scenes of spheres. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#include "dc_bsh.h"

#include <math.h>

#include "mesh.h"
#include "naive_bsh.h"

static unsigned char tree_memory[1 << 23], memory[1 << 20];

typedef struct {
    dc_bsh a, b;
    dc_pose pa, pb;
    dc_bsh_options o;
    dc_bsh_info info;
    dc_bsh_cache cache;
    dc_real step;               /* of the motion between two calls */
    int moves, want, cached;
} job;

static dc_real value, grad[12], hess[144];

static void check(dc_status s)
{
    if (s == DC_OK) return;
    fprintf(stderr, "bench_bsh: %s\n", dc_status_text(s));
    exit(1);
}

static void build(const mesh *m, dc_arena *mem, dc_bsh *t) { check(dc_bsh_build(m->v, m->nv, m->tri, m->nt, mem, t, NULL)); }

static dc_pose at(double x, double y, double z, double turn)
{
    dc_pose p;
    p.q = dc_quat_exp(dc_vec((dc_real)(0.3*turn), (dc_real)(-0.2*turn), (dc_real)turn));
    p.t = dc_vec((dc_real)x, (dc_real)y, (dc_real)z);
    return p;
}

/* Two of a kind at a gap in radii (spheres) or widths (plates, shifted sideways by a part of a cell). */
static void two(job *j, const char *kind, int n, double gap, double eps)
{
    static mesh m;
    dc_arena mem = dc_arena_make(tree_memory, sizeof tree_memory);
    memset(j, 0, sizeof *j);
    j->o.eps = (dc_real)eps;
    if (kind[0] == 's') {
        mesh_icosphere(&m, n);
        j->pa = at(0, 0, 2 + gap, 0.4);
        j->pb = at(0, 0, 0, 0);
    } else {
        mesh_plate(&m, n);
        j->pa = at(0.013, 0.007, gap, 0);
        j->pb = at(0, 0, 0, 0);
    }
    build(&m, &mem, &j->a);
    j->b = j->a;
}

static void eval(job *j, const dc_pose *pa)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    check(dc_bsh_eval(&j->o, &j->a, pa, &j->b, &j->pb, &mem, j->cached ? &j->cache : NULL, &value, j->want > 0 ? grad : NULL,
                      j->want > 1 ? hess : NULL, &j->info));
    bench_keep((double)value);
}

static void fast(void *user) { eval((job *)user, &((job *)user)->pa); }

static void brute(void *user)
{
    job *j = (job *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    check(dc_bsh_brute(&j->o, &j->a, &j->pa, &j->b, &j->pb, &mem, &value, j->want > 0 ? grad : NULL, j->want > 1 ? hess : NULL, NULL));
    bench_keep((double)value);
}

static void naive(void *user)
{
    job *j = (job *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    naive_sum out;
    naive_bsh N;
    N.a = &j->a;
    N.b = &j->b;
    N.pa = j->pa;
    N.pb = j->pb;
    N.want = j->want;
    N.mem = &mem;
    check(naive_eval(&N, &j->o, &out));
    bench_keep((double)out.P);
}

static double visits(const dc_bsh_info *i)
{
    return (double)(i->leaf_near + i->leaf_blended + i->leaf_far + i->inner_near + i->inner_blended + i->inner_far);
}

static void against_naive(const char *name, double gap)
{
    static const char *const what[3] = {"value", "gradient", "hessian"};
    static char text[3][80];
    bench_group g;
    job j;
    int want;
    two(&j, "sphere", 3, gap, 0.5);
    for (want = 0; want < 3; ++want) {
        snprintf(text[want], sizeof text[want], "%s_%s", name, what[want]);
        j.want = want;
        bench_open(&g, text[want]);
        bench_add(&g, "naive", naive, &j, 1);
        bench_add(&g, "bsh", fast, &j, 1);
        bench_run(&g);
    }
    if (bench_instructions) return;
    printf("%s/visits %.0f pairs\n%s/solves %.0f pairs\n", name, visits(&j.info), name, (double)(j.info.leaf_near + j.info.leaf_blended));
}

/* Eq. 8 against the sum over all pairs, value. */
static void against_brute(void)
{
    bench_group g;
    job j;
    two(&j, "sphere", 3, 0.01, 0.5);
    bench_open(&g, "ico1280_gap.01_all_pairs");
    bench_add(&g, "brute", brute, &j, 1);
    bench_add(&g, "bsh", fast, &j, 1);
    bench_run(&g);
}

/* Plates that slide and turn a little between two calls, there and back. */
static void step_and_eval(void *user)
{
    job *j = (job *)user;
    dc_pose p = j->pa;
    dc_real s = j->step*(dc_real)(j->moves++%8 - 4);
    p.t.x += s;
    p.t.y -= DC_R(0.7)*s;
    p.q = dc_quat_exp(dc_vec(0, 0, s));
    eval(j, &p);
}

static void against_cold(const char *name, int want)
{
    static unsigned char memory_of_planes[1 << 24];
    dc_arena keep = dc_arena_make(memory_of_planes, sizeof memory_of_planes);
    static job cold, warm;
    bench_group g;
    two(&cold, "plate", 25, 0.01, 0.5);
    cold.want = want;
    cold.step = DC_R(1e-4);
    warm = cold;
    warm.cached = 1;
    check(dc_bsh_cache_make(1 << 16, &keep, &warm.cache));
    bench_open(&g, name);
    bench_add(&g, "cold", step_and_eval, &cold, 1);
    bench_add(&g, "warm", step_and_eval, &warm, 1);
    bench_run(&g);
    if (bench_instructions) return;
    printf("%s/visits %.0f pairs\n%s/solves %.0f pairs\n%s/found %.3f of them\n", name, visits(&warm.info), name,
           (double)(warm.info.leaf_near + warm.info.leaf_blended), name,
           (double)warm.info.warm/(double)(warm.info.leaf_near + warm.info.leaf_blended));
}

/* Pairs visited when the mesh is refined, and the exponent by triangles between the last two. */
static void growth(const char *name, const char *kind, const int *sizes, int n, double gap, double eps)
{
    static job j;
    double last = 0, triangles = 0;
    int k;
    for (k = 0; k < n; ++k) {
        double v;
        two(&j, kind, sizes[k], gap, eps);
        fast(&j);
        v = visits(&j.info);
        printf("%s/T%d %.0f pairs\n", name, j.a.n, v);
        if (k == n - 1) printf("%s/exponent %.3f\n", name, log(v/last)/log((double)j.a.n/triangles));
        last = v;
        triangles = (double)j.a.n;
    }
}

/* ---- LRI Fig. 6: sixteen balls on the ground, one of them apart, at several resolutions */

#define BALLS 16
typedef struct { dc_bsh tree; const dc_bsh *body[BALLS]; dc_pose pose[BALLS]; dc_bsh_info info; } table_of_balls;

static dc_real scene_grad[6*BALLS], scene_hess[36*BALLS*BALLS];

static void scene_fast(void *user)
{
    table_of_balls *t = (table_of_balls *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    check(dc_bsh_scene(NULL, BALLS, t->body, t->pose, 0, NULL, &mem, NULL, &value, scene_grad, scene_hess, &t->info));
    bench_keep((double)value);
}

static void scene_brute(void *user)
{
    table_of_balls *t = (table_of_balls *)user;
    double sum = 0;
    int i, k;
    for (i = 0; i < BALLS; ++i)
        for (k = i + 1; k < BALLS; ++k) {
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            check(dc_bsh_brute(NULL, &t->tree, t->pose + i, &t->tree, t->pose + k, &mem, &value, grad, hess, NULL));
            sum += (double)value;
        }
    bench_keep(sum);
}

/* The least of a few runs; a long one is run once. */
static double seconds_of(bench_fun f, void *user)
{
    double least = 1e30;
    int k;
    for (k = 0; k <= bench_repeats && k < 5; ++k) {
        double t = bench_seconds();
        f(user);
        t = bench_seconds() - t;
        if (t < least) least = t;
        if (t > 0.3) break;
    }
    return least;
}

static void balls(void)
{
    static const int slices[5] = {4, 6, 8, 11, 14}, stacks[5] = {5, 6, 9, 12, 15};
    static table_of_balls t;
    static mesh m;
    double last[2] = {0, 0}, last_T = 0;
    int r, k, row, col;
    printf("balls: triangles, seconds of dc_bsh_scene, of all pairs, ratio, exponents by triangles; value, gradient and Hessian\n");
    for (r = 0; r < 5; ++r) {
        dc_arena mem = dc_arena_make(tree_memory, sizeof tree_memory);
        double a, b, T;
        mesh_sphere(&m, slices[r], stacks[r]);
        build(&m, &mem, &t.tree);
        for (k = 0, row = 0; row < 5; ++row)            /* a triangle of fifteen, touching but for 2 % of the radius */
            for (col = 0; col <= row; ++col, ++k) t.pose[k] = at(2.02*(col - 0.5*row), 2.02*0.8660254*row, 0, 0.1*k);
        t.pose[15] = at(0, -6, 0, 0);
        for (k = 0; k < BALLS; ++k) t.body[k] = &t.tree;
        T = BALLS*(double)m.nt;
        a = seconds_of(scene_fast, &t);
        b = seconds_of(scene_brute, &t);
        printf("balls/T%.0f %.3g s %.3g s %.1f x", T, a, b, b/a);
        if (r > 0) printf(" %.2f %.2f", log(a/last[0])/log(T/last_T), log(b/last[1])/log(T/last_T));
        printf(" visits %.0f solves %.0f\n", visits(&t.info), (double)(t.info.leaf_near + t.info.leaf_blended));
        fflush(stdout);
        last[0] = a;
        last[1] = b;
        last_T = T;
    }
}

int main(int argc, char **argv)
{
    static const int ico[5] = {0, 1, 2, 3, 4}, plate[5] = {4, 8, 16, 32, 64};
    static const double margins[3] = {0.1, 0.5, 1};
    char name[80];
    int k;
    bench_begin(argc, argv);
    against_naive("ico1280_gap.01", 0.01);
    against_naive("ico1280_gap.1", 0.1);
    against_cold("plate1250_gap.01_value", 0);
    against_cold("plate1250_gap.01_hessian", 2);
    if (bench_instructions) return 0;
    against_brute();
    for (k = 0; k < 3; ++k) {
        snprintf(name, sizeof name, "growth_plate_gap.01_eps%g", margins[k]);
        growth(name, "plate", plate, 5, 0.01, margins[k]);
    }
    for (k = 0; k < 3; ++k) {
        snprintf(name, sizeof name, "growth_ico_gap.01_eps%g", margins[k]);
        growth(name, "sphere", ico, 5, 0.01, margins[k]);
    }
    balls();
    return 0;
}
