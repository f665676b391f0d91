/* Witness points and manifolds: batches beside plain scalar code with libm, without smoothing, and by interior points; the
 * manifold beside MuJoCo's convex collision, where it is installed. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"

#include <math.h>

#include "support.h"
#include "figure.h"
#include "witness_baselines.h"
#ifdef DC_BENCH_MUJOCO
#include "mujoco_lobes.h"
#endif

#define N 500        /* not a power of two: rows a page apart would share their places in the cache */

typedef struct { dc_v3 p[N][4]; dc_real x[12*N], y[10*N], jac[36*N]; } queries;
static queries edges, faces;

/* Ends uniform in the unit cube. */
static void make(queries *q, uint64_t seed)
{
    rng r;
    int i, k, j;
    rng_seed(&r, seed);
    for (i = 0; i < N; ++i)
        for (k = 0; k < 4; ++k) {
            double c[3];
            for (j = 0; j < 3; ++j) {
                c[j] = rng_uniform(&r, 0, 1);
                q->x[(3*k + j)*N + i] = (dc_real)c[j];
            }
            q->p[i][k] = dc_vec(q->x[3*k*N + i], q->x[(3*k + 1)*N + i], q->x[(3*k + 2)*N + i]);
        }
}

/* ---- the paper's listing in C, with the C library's functions ---- */

static double soft_clip(double x, double eps)
{
    return (fmax(x, 0) - fmax(x - 1, 0)) + eps*(log1p(exp(-fabs(x)/eps)) - log1p(exp(-fabs(x - 1)/eps)));
}
static double soft_within(double x, double eps) { return 1/((1 + exp(-x/eps))*(1 + exp((x - 1)/eps))); }

static double plain_smooth(const dc_v3 *p)
{
    double eps = 0.1, x[4][2], J[4], m, sum = 0, c1 = 0, c2 = 0, u1, u2, det, g;
    base_qp q = base_edges(p, 0.01);
    int k;
    det = q.Q1*q.Q3 - q.Q2*q.Q2;
    u1 = (q.Q2*q.c2 - q.Q3*q.c1)/det;
    u2 = (q.Q2*q.c1 - q.Q1*q.c2)/det;
    x[0][0] = 1;                              x[0][1] = soft_clip(-(q.Q2 + q.c2)/q.Q3, eps);
    x[1][0] = 0;                              x[1][1] = soft_clip(-q.c2/q.Q3, eps);
    x[2][0] = soft_clip(-(q.Q2 + q.c1)/q.Q1, eps);  x[2][1] = 1;
    x[3][0] = soft_clip(-q.c1/q.Q1, eps);     x[3][1] = 0;
    for (k = 0; k < 4; ++k) J[k] = base_cost(&q, x[k][0], x[k][1]);
    m = fmin(fmin(J[0], J[1]), fmin(J[2], J[3]));
    for (k = 0; k < 4; ++k) {
        double w = exp((m - J[k])/eps);
        sum += w;
        c1 += w*x[k][0];
        c2 += w*x[k][1];
    }
    g = soft_within(u1, eps)*soft_within(u2, eps);
    return g*(u1 + u2) + (1 - g)*(c1 + c2)/sum;
}

static double clamp01(double x) { return x < 0 ? 0 : (x > 1 ? 1 : x); }

/* the same without smoothing */
static double plain_hard(const dc_v3 *p)
{
    base_qp q = base_edges(p, 1e-9);
    double det = q.Q1*q.Q3 - q.Q2*q.Q2, u1 = (q.Q2*q.c2 - q.Q3*q.c1)/det, u2 = (q.Q2*q.c1 - q.Q1*q.c2)/det, x, y, J, best, bx = 1, by;
    if (u1 >= 0 && u1 <= 1 && u2 >= 0 && u2 <= 1) return u1 + u2;
    by = clamp01(-(q.Q2 + q.c2)/q.Q3);
    best = base_cost(&q, bx, by);
    y = clamp01(-q.c2/q.Q3);
    J = base_cost(&q, 0, y);
    if (J < best) { best = J; bx = 0; by = y; }
    x = clamp01(-(q.Q2 + q.c1)/q.Q1);
    J = base_cost(&q, x, 1);
    if (J < best) { best = J; bx = x; by = 1; }
    x = clamp01(-q.c1/q.Q1);
    J = base_cost(&q, x, 0);
    if (J < best) { bx = x; by = 0; }
    return bx + by;
}

static double barrier(const dc_v3 *p, double mu)
{
    const base_qp q = base_edges(p, 1e-9);
    double x[2];
    base_newton(&q, mu, x);
    return x[0] + x[1];
}

static double interior(const dc_v3 *p, double mu)
{
    const base_qp q = base_edges(p, 1e-9);
    double x[2];
    base_interior(&q, base_square, 4, mu, x);
    return x[0] + x[1];
}

static double interior_face(const dc_v3 *p, double mu)
{
    const base_qp q = base_face(p, 1e-9);
    double x[2];
    base_interior(&q, base_triangle, 3, mu, x);
    return x[0] + x[1];
}

static double lbfgs(const dc_v3 *p, int face, double mu)
{
    const base_qp q = face ? base_face(p, 1e-9) : base_edges(p, 1e-9);
    double x[2];
    base_lbfgs(&q, face, mu, x);
    return x[0] + x[1];
}

#define PLAIN(name, call) \
    static void name(void *user) \
    { \
        const queries *q = (const queries *)user; \
        double sum = 0; \
        int i; \
        for (i = 0; i < N; ++i) sum += call; \
        bench_keep(sum); \
    }
PLAIN(run_plain, plain_smooth(q->p[i]))
PLAIN(run_hard, plain_hard(q->p[i]))
PLAIN(run_interior, interior(q->p[i], 1e-4))
PLAIN(run_barrier_4, barrier(q->p[i], 1e-4))
PLAIN(run_lbfgs, lbfgs(q->p[i], 0, 1e-4))
PLAIN(run_interior_face, interior_face(q->p[i], 1e-4))
PLAIN(run_lbfgs_face, lbfgs(q->p[i], 1, 1e-4))

static void run_batch(void *user) { queries *q = (queries *)user; dc_ee_witness_batch(NULL, N, q->x, N, q->y, NULL); bench_keep((double)q->y[6*N]); }
static void run_batch_jac(void *user) { queries *q = (queries *)user; dc_ee_witness_batch(NULL, N, q->x, N, q->y, q->jac); bench_keep((double)q->jac[0]); }
static void run_face(void *user) { queries *q = (queries *)user; dc_vf_witness_batch(NULL, N, q->x, N, q->y, NULL); bench_keep((double)q->y[6*N]); }
static void run_face_jac(void *user) { queries *q = (queries *)user; dc_vf_witness_batch(NULL, N, q->x, N, q->y, q->jac); bench_keep((double)q->jac[0]); }
static void run_one(void *user)
{
    queries *q = (queries *)user;
    dc_ee e;
    dc_real sum = 0;
    int i;
    for (i = 0; i < N; ++i) {
        dc_ee_witness(NULL, q->p[i], q->p[i] + 2, &e, NULL);
        sum += e.alpha[0];
    }
    bench_keep((double)sum);
}
static void run_one_jac(void *user)
{
    queries *q = (queries *)user;
    dc_ee e;
    dc_real sum = 0, jac[108];
    int i;
    for (i = 0; i < N; ++i) {
        dc_ee_witness(NULL, q->p[i], q->p[i] + 2, &e, jac);
        sum += jac[50];
    }
    bench_keep((double)sum);
}
static void run_closest(void *user)
{
    queries *q = (queries *)user;
    dc_ee e;
    dc_real sum = 0;
    int i;
    for (i = 0; i < N; ++i) {
        dc_ee_closest(q->p[i], q->p[i] + 2, &e);
        sum += e.alpha[0];
    }
    bench_keep((double)sum);
}

/* ---- manifold of two lobed figures: 305 vertices each, 18 edges kept ---- */

enum { POSES = 16, CONTACTS = 2*FIGURE_VERTICES + 2*18*18 };
typedef struct {
    dc_surface surface;
    dc_manifold_options o;
    dc_pose pose[POSES];
    int poses;
} figures;
static dc_sdf_prim prims[FIGURE_LOBES];
static figure_memory mesh_memory;
static dc_mesh mesh;
static dc_sdf field;
static unsigned char memory[1 << 24];
static dc_manifold_contact contacts[CONTACTS], bar[CONTACTS], dcontacts[CONTACTS], jac[12*CONTACTS];

static int make_figures(figures *f, int poses)
{
    rng r;
    int i;
    rng_seed(&r, 3);
    memset(f, 0, sizeof *f);
    if (!figure_mesh(&mesh_memory, &mesh)) return 0;
    field = figure_make(prims);
    f->surface.mesh = &mesh;
    f->surface.sdf = &field;
    f->o.keep_e_a = f->o.keep_e_b = 18;
    f->poses = poses;
    for (i = 0; i < POSES; ++i) {
        double u[3], w[3], d;
        rng_unit3(&r, u);
        rng_unit3(&r, w);
        d = rng_uniform(&r, 0.2, 1.2);
        f->pose[i].t = dc_vec((dc_real)(d*u[0]), (dc_real)(d*u[1]), (dc_real)(d*u[2]));
        f->pose[i].q = dc_quat_exp(dc_vec((dc_real)(3*w[0]), (dc_real)(3*w[1]), (dc_real)(3*w[2])));
    }
    for (i = 0; i < CONTACTS; ++i) bar[i].d = bar[i].act = 1;
    return 1;
}

static void run_manifold(void *user)
{
    const figures *f = (const figures *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    int i;
    for (i = 0; i < f->poses; ++i) dc_manifold(&f->surface, NULL, &f->surface, &f->pose[i%POSES], &f->o, &mem, contacts);
    bench_keep((double)contacts[0].d);
}
static void run_jvp(void *user)
{
    const figures *f = (const figures *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    static const dc_real xi[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0 };
    int i;
    for (i = 0; i < f->poses; ++i) dc_manifold_jvp(&f->surface, NULL, &f->surface, &f->pose[i%POSES], &f->o, xi, &mem, NULL, dcontacts);
    bench_keep((double)dcontacts[0].d);
}
static void run_vjp(void *user)
{
    const figures *f = (const figures *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_real grad[12] = { 0 };
    int i;
    for (i = 0; i < f->poses; ++i) dc_manifold_vjp(&f->surface, NULL, &f->surface, &f->pose[i%POSES], &f->o, bar, &mem, NULL, grad);
    bench_keep((double)grad[0]);
}
static void run_hvp(void *user)
{
    const figures *f = (const figures *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    static const dc_real xi[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0 };
    static dc_manifold_contact mean[CONTACTS];
    dc_real hvp[12] = { 0 };
    int i;
    for (i = 0; i < CONTACTS; ++i) mean[i].d = 1/(dc_real)CONTACTS;
    for (i = 0; i < f->poses; ++i) dc_manifold_hvp(&f->surface, NULL, &f->surface, &f->pose[i%POSES], &f->o, mean, NULL, xi, &mem, NULL, hvp);
    bench_keep((double)hvp[0]);
}
static void run_jac(void *user)
{
    const figures *f = (const figures *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    int i;
    for (i = 0; i < f->poses; ++i) dc_manifold_jac(&f->surface, NULL, &f->surface, &f->pose[i%POSES], &f->o, &mem, NULL, jac);
    bench_keep((double)jac[0].d);
}

/* ---- the same pair in MuJoCo: a convex mesh for each lobe ---- */

#ifdef DC_BENCH_MUJOCO
typedef struct { figures *f; lobes l; } peer;

static int peer_pose(peer *p, int i) { return lobes_contacts(&p->l, &p->f->pose[i%POSES]); }
static void run_peer(void *user)
{
    peer *p = (peer *)user;
    int i, n = 0;
    for (i = 0; i < p->f->poses; ++i) n += peer_pose(p, i);
    bench_keep(n);
}

/* what they yield, on the mean over the poses */
static void peer_count(peer *one, peer *several)
{
    const figures *f = one->f;
    double n1 = 0, n4 = 0, active = 0;
    int i, k, n = dc_manifold_count(&f->surface, &f->surface, &f->o, NULL);
    for (i = 0; i < POSES; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        n1 += peer_pose(one, i);
        n4 += peer_pose(several, i);
        dc_manifold(&f->surface, NULL, &f->surface, &f->pose[i], &f->o, &mem, contacts);
        for (k = 0; k < n; ++k) active += contacts[k].act > DC_R(0.5);
    }
    bench_line("manifold_mujoco", "contacts_manifold", n, "contacts");
    bench_line("manifold_mujoco", "contacts_manifold_active", active/POSES, "contacts");
    bench_line("manifold_mujoco", "contacts_mujoco", n1/POSES, "contacts");
    bench_line("manifold_mujoco", "contacts_mujoco_multiccd", n4/POSES, "contacts");
}
#endif

int main(int argc, char **argv)
{
    static figures f, many, few, one_side, culled, at_distance[3];
    static const char *const where[3] = {"manifold_deep", "manifold_touching", "manifold_apart"};
    int k, i;
    bench_group g;
    bench_begin(argc, argv);
    make(&edges, 1);
    make(&faces, 2);

    bench_open(&g, "edge_edge");
    bench_add(&g, "batch", run_batch, &edges, N);
    bench_add(&g, "batch_jacobian", run_batch_jac, &edges, N);
    bench_add(&g, "libm", run_plain, &edges, N);
    bench_add(&g, "libm_hard", run_hard, &edges, N);
    bench_add(&g, "newton_1e-4", run_barrier_4, &edges, N);
    bench_add(&g, "interior_1e-4", run_interior, &edges, N);
    bench_add(&g, "lbfgs_1e-4", run_lbfgs, &edges, N);
    bench_add(&g, "closest", run_closest, &edges, N);
    bench_run(&g);

    bench_open(&g, "edge_edge_one");
    bench_add(&g, "value", run_one, &edges, N);
    bench_add(&g, "jacobian_9x12", run_one_jac, &edges, N);
    bench_run(&g);

    bench_open(&g, "vertex_face");
    bench_add(&g, "batch", run_face, &faces, N);
    bench_add(&g, "batch_jacobian", run_face_jac, &faces, N);
    bench_add(&g, "interior_1e-4", run_interior_face, &faces, N);
    bench_add(&g, "lbfgs_1e-4", run_lbfgs_face, &faces, N);
    bench_run(&g);

    if (!make_figures(&f, 1)) return 1;
    make_figures(&many, 1024);
    make_figures(&few, 1);
    few.o.no_ee = 1;
    one_side = few;
    one_side.o.no_vs_b = 1;
    bench_open(&g, "manifold_18x18");
    bench_add(&g, "value", run_manifold, &f, 1);
    bench_add(&g, "jvp", run_jvp, &f, 1);
    bench_add(&g, "vjp", run_vjp, &f, 1);
    bench_add(&g, "hvp_mean", run_hvp, &f, 1);
    bench_add(&g, "jacobian", run_jac, &f, 1);
    bench_add(&g, "no_edges", run_manifold, &few, 1);
    bench_add(&g, "no_edges_one_side", run_manifold, &one_side, 1);
    bench_run(&g);

    /* all poses at one distance; with what cannot be active left out */
    for (k = 0; k < 3; ++k) {
        at_distance[k] = f;
        at_distance[k].poses = POSES;
        for (i = 0; i < POSES; ++i) {
            dc_pose *p = &at_distance[k].pose[i];
            p->t = dc_scale((k == 0 ? DC_R(0.5) : k == 1 ? DC_R(1.4) : 4)/dc_sqrt(dc_dot(p->t, p->t)), p->t);
        }
        culled = at_distance[k];
        culled.o.cull = DC_IS_FLOAT ? DC_R(1e-6) : DC_R(1e-14);
        bench_open(&g, where[k]);
        bench_add(&g, "value", run_manifold, &at_distance[k], POSES);
        bench_add(&g, "value_culled", run_manifold, &culled, POSES);
        bench_add(&g, "jvp", run_jvp, &at_distance[k], POSES);
        bench_add(&g, "jvp_culled", run_jvp, &culled, POSES);
        bench_add(&g, "vjp", run_vjp, &at_distance[k], POSES);
        bench_add(&g, "vjp_culled", run_vjp, &culled, POSES);
        bench_add(&g, "hvp_mean", run_hvp, &at_distance[k], POSES);
        bench_add(&g, "hvp_mean_culled", run_hvp, &culled, POSES);
        bench_run(&g);
    }

    bench_open(&g, "manifold_poses");
    f.poses = POSES;
    bench_add(&g, "16", run_manifold, &f, POSES);
    bench_add(&g, "1024", run_manifold, &many, 1024);
    bench_run(&g);

#ifdef DC_BENCH_MUJOCO
    {
        peer one, several;
        one.f = several.f = &f;
        lobes_open(&one.l, &field, 0);
        lobes_open(&several.l, &field, 1);
        bench_open(&g, "manifold_mujoco");
        bench_add(&g, "manifold", run_manifold, &f, POSES);
        bench_add(&g, "manifold_jvp", run_jvp, &f, POSES);
        few.poses = POSES;
        bench_add(&g, "manifold_no_edges", run_manifold, &few, POSES);
        bench_add(&g, "mujoco", run_peer, &one, POSES);
        bench_add(&g, "mujoco_multiccd", run_peer, &several, POSES);
        bench_run(&g);
        if (!bench_instructions) peer_count(&one, &several);
        lobes_close(&one.l);
        lobes_close(&several.l);
    }
#else
    bench_skip("manifold_mujoco", "no mujoco/mujoco.h (Debian: libmujoco-dev)");
#endif
    return 0;
}
