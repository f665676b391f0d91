/* Witness points and manifolds: batches beside plain scalar code with libm, without smoothing, and by interior points; the
 * manifold beside MuJoCo's convex collision, where it is installed. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"

#include <math.h>
#ifdef DC_BENCH_MUJOCO
#include <mujoco/mujoco.h>
#endif

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

/* The same problem by the primal-dual interior point method that [1] compares with (qpax: Tracy, Manchester 2024), its 2 x 2 system
 * solved by hand. -x <= 0, x <= 1 with slacks s and multipliers z; Newton steps on
 *
 *     Q x + c + G^T z = 0,   G x + s = h,   s_i z_i = kappa
 *
 * first by predictor and corrector, kappa falling to 0, until every residual is below 1e-5, then with kappa = mu until it is again. */
typedef struct { double x[2], s[4], z[4]; } iterate;

/* side k is of x[k/2], -x <= 0 for even k */
static void kkt_solve(const problem *q, const iterate *v, const double r1[2], const double r2[4], const double r3[4], iterate *d)
{
    double H1 = q->Q1, H3 = q->Q3, g[2], det, w[4];
    int k;
    for (k = 0; k < 4; ++k) w[k] = v->z[k]/v->s[k];
    H1 += w[0] + w[1];
    H3 += w[2] + w[3];
    det = H1*H3 - q->Q2*q->Q2;
    for (k = 0; k < 2; ++k) {
        double low = w[2*k]*r3[2*k] - r2[2*k]/v->s[2*k], high = w[2*k + 1]*r3[2*k + 1] - r2[2*k + 1]/v->s[2*k + 1];
        g[k] = -r1[k] + low - high;
    }
    d->x[0] = (H3*g[0] - q->Q2*g[1])/det;
    d->x[1] = (H1*g[1] - q->Q2*g[0])/det;
    for (k = 0; k < 4; ++k) {
        d->s[k] = -r3[k] + (k & 1 ? -d->x[k/2] : d->x[k/2]);
        d->z[k] = (-r2[k] - v->z[k]*d->s[k])/v->s[k];
    }
}
static double largest_step(const iterate *v, const iterate *d)
{
    double t = 1;
    int k;
    for (k = 0; k < 4; ++k) {
        if (d->s[k] < 0) t = fmin(t, -v->s[k]/d->s[k]);
        if (d->z[k] < 0) t = fmin(t, -v->z[k]/d->z[k]);
    }
    return t;
}
/* residuals of the conditions at kappa; the largest one */
static double residuals(const problem *q, const iterate *v, double kappa, double r1[2], double r2[4], double r3[4])
{
    double most;
    int k;
    r1[0] = q->Q1*v->x[0] + q->Q2*v->x[1] + q->c1 - v->z[0] + v->z[1];
    r1[1] = q->Q2*v->x[0] + q->Q3*v->x[1] + q->c2 - v->z[2] + v->z[3];
    most = fmax(fabs(r1[0]), fabs(r1[1]));
    for (k = 0; k < 4; ++k) {
        r2[k] = v->s[k]*v->z[k] - kappa;
        r3[k] = v->s[k] + (k & 1 ? v->x[k/2] - 1 : -v->x[k/2]);
        most = fmax(most, fmax(fabs(r2[k]), fabs(r3[k])));
    }
    return most;
}
static void advance(iterate *v, const iterate *d, double t)
{
    int k;
    for (k = 0; k < 2; ++k) v->x[k] += t*d->x[k];
    for (k = 0; k < 4; ++k) {
        v->s[k] += t*d->s[k];
        v->z[k] += t*d->z[k];
    }
}

static double interior(const dc_v3 *p, double mu)
{
    problem q = plain_setup(p, 1e-9);
    iterate v, d, a;
    double r1[2], r2[4], r3[4], det, least = 1e300, most = -1e300;
    int it, k;

    /* start: (Q + G^T G) x = G^T h - c, z = G x - h, both s = -z and z shifted to at least 1 where one is negative */
    det = (q.Q1 + 2)*(q.Q3 + 2) - q.Q2*q.Q2;
    v.x[0] = ((q.Q3 + 2)*(1 - q.c1) - q.Q2*(1 - q.c2))/det;
    v.x[1] = ((q.Q1 + 2)*(1 - q.c2) - q.Q2*(1 - q.c1))/det;
    for (k = 0; k < 4; ++k) {
        v.z[k] = k & 1 ? v.x[k/2] - 1 : -v.x[k/2];
        least = fmin(least, v.z[k]);
        most = fmax(most, v.z[k]);
    }
    for (k = 0; k < 4; ++k) {
        v.s[k] = most < 0 ? -v.z[k] : -v.z[k] + 1 + most;
        if (least <= 0) v.z[k] += 1 - least;
    }

    for (it = 0; it < 30 && residuals(&q, &v, 0, r1, r2, r3) >= 1e-5; ++it) {
        double t, gap = 0, after = 0, sigma;
        kkt_solve(&q, &v, r1, r2, r3, &a);
        t = largest_step(&v, &a);
        for (k = 0; k < 4; ++k) {
            gap += v.s[k]*v.z[k];
            after += (v.s[k] + t*a.s[k])*(v.z[k] + t*a.z[k]);
        }
        sigma = after/gap*(after/gap)*(after/gap);
        for (k = 0; k < 4; ++k) r2[k] += a.s[k]*a.z[k] - sigma*gap/4;
        kkt_solve(&q, &v, r1, r2, r3, &d);
        advance(&v, &d, 0.99*largest_step(&v, &d));
    }
    for (it = 0; it < 30 && residuals(&q, &v, mu, r1, r2, r3) >= 1e-5; ++it) {
        kkt_solve(&q, &v, r1, r2, r3, &d);
        advance(&v, &d, fmin(1, 0.99*largest_step(&v, &d)));
    }
    return v.x[0] + v.x[1];
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

/* ---- the same pair in MuJoCo: a convex mesh for each lobe ---- */

#ifdef DC_BENCH_MUJOCO
typedef struct { figures *f; mjModel *m; mjData *d; } peer;

/* 26 points of a lobe's surface, along the directions to the corners, edges and faces of its box: [1] has less than 32 */
static int peer_lobe(char *to, size_t room, int lobe)
{
    dc_sdf one = field;
    int i, n = 0;
    one.prim = &prims[lobe];
    one.n = 1;
    for (i = 0; i < 27; ++i) {
        const dc_sdf_prim *p = one.prim;
        dc_v3   u = dc_vec(p->size.x*(dc_real)(i%3 - 1), p->size.y*(dc_real)(i/3%3 - 1), p->size.z*(dc_real)(i/9 - 1)), x;
        dc_real r = dc_sqrt(dc_dot(u, u)), phi = 0;
        if (i == 13) continue;
        x = dc_pose_apply(p->pose, u);
        dc_sdf_eval(&one, x, &phi, NULL, NULL);                 /* r (1 - 1/F), the gauge F */
        x = dc_pose_apply(p->pose, dc_scale((r - phi)/r, u));
        n += snprintf(to + n, room - (size_t)n, "%.9g %.9g %.9g ", (double)x.x, (double)x.y, (double)x.z);
    }
    return n;
}

static int peer_open(peer *p, figures *f, int several)
{
    static char xml[1 << 17];
    static mjVFS vfs;
    char error[500] = "";
    size_t n = 0;
    int i, k;
    p->f = f;
    n += (size_t)snprintf(xml, sizeof xml, "<mujoco><size nconmax=\"2000\" njmax=\"500\"/><option><flag multiccd=\"%s\"/></option><asset>",
                          several ? "enable" : "disable");
    for (i = 0; i < field.n; ++i) {
        n += (size_t)snprintf(xml + n, sizeof xml - n, "<mesh name=\"l%d\" vertex=\"", i);
        n += (size_t)peer_lobe(xml + n, sizeof xml - n, i);
        n += (size_t)snprintf(xml + n, sizeof xml - n, "\"/>");
    }
    n += (size_t)snprintf(xml + n, sizeof xml - n, "</asset><worldbody>");
    for (k = 0; k < 2; ++k) {
        n += (size_t)snprintf(xml + n, sizeof xml - n, "<body><freejoint/>");
        for (i = 0; i < field.n; ++i) n += (size_t)snprintf(xml + n, sizeof xml - n, "<geom type=\"mesh\" mesh=\"l%d\"/>", i);
        n += (size_t)snprintf(xml + n, sizeof xml - n, "</body>");
    }
    n += (size_t)snprintf(xml + n, sizeof xml - n, "</worldbody></mujoco>");
    mj_defaultVFS(&vfs);
    if (mj_makeEmptyFileVFS(&vfs, "figures.xml", (int)n) != 0) return 0;
    memcpy(vfs.filedata[mj_findFileVFS(&vfs, "figures.xml")], xml, n);
    p->m = mj_loadXML("figures.xml", &vfs, error, sizeof error);
    mj_deleteVFS(&vfs);
    p->d = p->m ? mj_makeData(p->m) : NULL;
    if (!p->d) fprintf(stderr, "bench: %s\n", error);
    return p->d != NULL;
}

static int peer_pose(peer *p, int i)
{
    const dc_pose *pose = &p->f->pose[i%POSES];
    mjtNum *q = p->d->qpos + 7;
    q[0] = (mjtNum)pose->t.x;  q[1] = (mjtNum)pose->t.y;  q[2] = (mjtNum)pose->t.z;
    q[3] = (mjtNum)pose->q.w;  q[4] = (mjtNum)pose->q.x;  q[5] = (mjtNum)pose->q.y;  q[6] = (mjtNum)pose->q.z;
    mj_kinematics(p->m, p->d);
    mj_collision(p->m, p->d);
    return p->d->ncon;
}
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
        if (!peer_open(&one, &f, 0) || !peer_open(&several, &f, 1)) return 1;
        bench_open(&g, "manifold_mujoco");
        bench_add(&g, "manifold", run_manifold, &f, POSES);
        bench_add(&g, "manifold_jvp", run_jvp, &f, POSES);
        few.poses = POSES;
        bench_add(&g, "manifold_no_edges", run_manifold, &few, POSES);
        bench_add(&g, "mujoco", run_peer, &one, POSES);
        bench_add(&g, "mujoco_multiccd", run_peer, &several, POSES);
        bench_run(&g);
        if (!bench_instructions) peer_count(&one, &several);
        mj_deleteData(one.d);
        mj_deleteModel(one.m);
        mj_deleteData(several.d);
        mj_deleteModel(several.m);
    }
#else
    bench_skip("manifold_mujoco", "no mujoco/mujoco.h (Debian: libmujoco-dev)");
#endif
    return 0;
}
