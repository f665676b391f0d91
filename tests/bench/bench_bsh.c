/* The hierarchical potential: against Algorithm 1 as it is printed and against all pairs; growth of the work with the number
 * of triangles; warm starts; scenes of spheres. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#include "dc_bsh.h"

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
    printf("%s/visits %.0f\n%s/solves %.0f\n", name, visits(&j.info), name, (double)(j.info.leaf_near + j.info.leaf_blended));
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    against_naive("ico1280_gap.01", 0.01);
    against_naive("ico1280_gap.1", 0.1);
    (void)brute;
    return 0;
}
