/* Witness points and manifolds: batches beside plain scalar code with libm, without smoothing, and a log-barrier Newton. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"

#include <math.h>

#include "support.h"
#include "figure.h"

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

typedef struct { double Q1, Q2, Q3, c1, c2; } problem;

static problem plain_setup(const dc_v3 *p, double w)
{
    problem q;
    double a[3], b[3], r[3];
    int k;
    a[0] = (double)(p[1].x - p[0].x);  b[0] = (double)(p[2].x - p[3].x);  r[0] = (double)(p[0].x - p[2].x);
    a[1] = (double)(p[1].y - p[0].y);  b[1] = (double)(p[2].y - p[3].y);  r[1] = (double)(p[0].y - p[2].y);
    a[2] = (double)(p[1].z - p[0].z);  b[2] = (double)(p[2].z - p[3].z);  r[2] = (double)(p[0].z - p[2].z);
    q.Q1 = q.Q3 = w;
    q.Q2 = 0;
    q.c1 = q.c2 = -w/2;
    for (k = 0; k < 3; ++k) {
        q.Q1 += a[k]*a[k];
        q.Q2 += a[k]*b[k];
        q.Q3 += b[k]*b[k];
        q.c1 += a[k]*r[k];
        q.c2 += b[k]*r[k];
    }
    return q;
}

static double plain_cost(const problem *q, double x, double y)
{
    return 0.5*(q->Q1*x*x + 2*q->Q2*x*y + q->Q3*y*y) + q->c1*x + q->c2*y;
}

static double plain_smooth(const dc_v3 *p)
{
    double eps = 0.1, x[4][2], J[4], m, sum = 0, c1 = 0, c2 = 0, u1, u2, det, g;
    problem q = plain_setup(p, 0.01);
    int k;
    det = q.Q1*q.Q3 - q.Q2*q.Q2;
    u1 = (q.Q2*q.c2 - q.Q3*q.c1)/det;
    u2 = (q.Q2*q.c1 - q.Q1*q.c2)/det;
    x[0][0] = 1;                              x[0][1] = soft_clip(-(q.Q2 + q.c2)/q.Q3, eps);
    x[1][0] = 0;                              x[1][1] = soft_clip(-q.c2/q.Q3, eps);
    x[2][0] = soft_clip(-(q.Q2 + q.c1)/q.Q1, eps);  x[2][1] = 1;
    x[3][0] = soft_clip(-q.c1/q.Q1, eps);     x[3][1] = 0;
    for (k = 0; k < 4; ++k) J[k] = plain_cost(&q, x[k][0], x[k][1]);
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
    problem q = plain_setup(p, 1e-9);
    double det = q.Q1*q.Q3 - q.Q2*q.Q2, u1 = (q.Q2*q.c2 - q.Q3*q.c1)/det, u2 = (q.Q2*q.c1 - q.Q1*q.c2)/det, x, y, J, best, bx = 1, by;
    if (u1 >= 0 && u1 <= 1 && u2 >= 0 && u2 <= 1) return u1 + u2;
    by = clamp01(-(q.Q2 + q.c2)/q.Q3);
    best = plain_cost(&q, bx, by);
    y = clamp01(-q.c2/q.Q3);
    J = plain_cost(&q, 0, y);
    if (J < best) { best = J; bx = 0; by = y; }
    x = clamp01(-(q.Q2 + q.c1)/q.Q1);
    J = plain_cost(&q, x, 1);
    if (J < best) { best = J; bx = x; by = 1; }
    x = clamp01(-q.c1/q.Q1);
    J = plain_cost(&q, x, 0);
    if (J < best) { bx = x; by = 0; }
    return bx + by;
}

/* J - mu sum (log x + log(1 - x)) by Newton from the middle, steps shortened to stay inside */
static double barrier(const dc_v3 *p, double mu)
{
    problem q = plain_setup(p, 1e-9);
    double x = 0.5, y = 0.5;
    int it;
    for (it = 0; it < 60; ++it) {
        double g1 = q.Q1*x + q.Q2*y + q.c1 - mu/x + mu/(1 - x), g2 = q.Q2*x + q.Q3*y + q.c2 - mu/y + mu/(1 - y);
        double h1 = q.Q1 + mu/(x*x) + mu/((1 - x)*(1 - x)), h3 = q.Q3 + mu/(y*y) + mu/((1 - y)*(1 - y)), det = h1*h3 - q.Q2*q.Q2;
        double dx = (q.Q2*g2 - h3*g1)/det, dy = (q.Q2*g1 - h1*g2)/det, t = 1;
        if (dx < 0) t = fmin(t, -0.95*x/dx);
        if (dx > 0) t = fmin(t, 0.95*(1 - x)/dx);
        if (dy < 0) t = fmin(t, -0.95*y/dy);
        if (dy > 0) t = fmin(t, 0.95*(1 - y)/dy);
        x += t*dx;
        y += t*dy;
        if (fabs(g1*dx + g2*dy) < 1e-12*mu) break;
    }
    return x + y;
}

/* The same problem by a primal-dual interior point method: Newton steps on the KKT system with slacks s and multipliers z of the
 * four sides, s_i z_i led down to mu by a factor of 10 a step: what [1] compares with. */
static double interior(const dc_v3 *p, double mu)
{
    problem q = plain_setup(p, 1e-9);
    double x[2] = { 0.5, 0.5 }, s[4] = { 0.5, 0.5, 0.5, 0.5 }, z[4] = { 1, 1, 1, 1 };
    int it, k;
    for (it = 0; it < 50; ++it) {
        double gap = 0, off = 0, target, step = 1, rc[4], d[2], ds[4], dz[4], g1, g2;
        double r1 = q.Q1*x[0] + q.Q2*x[1] + q.c1 - z[0] + z[1], r2 = q.Q2*x[0] + q.Q3*x[1] + q.c2 - z[2] + z[3];
        double H1 = q.Q1 + z[0]/s[0] + z[1]/s[1], H3 = q.Q3 + z[2]/s[2] + z[3]/s[3], det = H1*H3 - q.Q2*q.Q2;
        for (k = 0; k < 4; ++k) {
            gap += s[k]*z[k]/4;
            off = fmax(off, fabs(s[k]*z[k] - mu));
        }
        if (fmax(fabs(r1), fabs(r2)) < 1e-8 && off < 1e-4*mu) break;
        target = fmax(0.1*gap, mu);
        for (k = 0; k < 4; ++k) rc[k] = (s[k]*z[k] - target)/s[k];
        g1 = r1 + rc[0] - rc[1];
        g2 = r2 + rc[2] - rc[3];
        d[0] = (q.Q2*g2 - H3*g1)/det;
        d[1] = (q.Q2*g1 - H1*g2)/det;
        for (k = 0; k < 4; ++k) {
            ds[k] = k & 1 ? -d[k/2] : d[k/2];
            dz[k] = -rc[k] - z[k]*ds[k]/s[k];
            if (ds[k] < 0) step = fmin(step, -0.99*s[k]/ds[k]);
            if (dz[k] < 0) step = fmin(step, -0.99*z[k]/dz[k]);
        }
        for (k = 0; k < 2; ++k) x[k] += step*d[k];
        for (k = 0; k < 4; ++k) {
            s[k] += step*ds[k];
            z[k] += step*dz[k];
        }
    }
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
static void run_jac(void *user)
{
    const figures *f = (const figures *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    int i;
    for (i = 0; i < f->poses; ++i) dc_manifold_jac(&f->surface, NULL, &f->surface, &f->pose[i%POSES], &f->o, &mem, NULL, jac);
    bench_keep((double)jac[0].d);
}

int main(int argc, char **argv)
{
    static figures f, many, few, one_side;
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
    bench_add(&g, "closest", run_closest, &edges, N);
    bench_run(&g);

    bench_open(&g, "edge_edge_one");
    bench_add(&g, "value", run_one, &edges, N);
    bench_add(&g, "jacobian_9x12", run_one_jac, &edges, N);
    bench_run(&g);

    bench_open(&g, "vertex_face");
    bench_add(&g, "batch", run_face, &faces, N);
    bench_add(&g, "batch_jacobian", run_face_jac, &faces, N);
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
    bench_add(&g, "jacobian", run_jac, &f, 1);
    bench_add(&g, "no_edges", run_manifold, &few, 1);
    bench_add(&g, "no_edges_one_side", run_manifold, &one_side, 1);
    bench_run(&g);

    bench_open(&g, "manifold_poses");
    f.poses = POSES;
    bench_add(&g, "16", run_manifold, &f, POSES);
    bench_add(&g, "1024", run_manifold, &many, 1024);
    bench_run(&g);
    return 0;
}
