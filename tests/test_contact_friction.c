/* Friction potential against the high-precision table, differences, and its conservation laws. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

#define MOST 40

static unsigned char memory[1 << 17];

typedef struct {
    char name[64];
    double s, mu, h, eps_f, eps_v, x0[3*MOST], x1[3*MOST], plane[5], force[MOST], value, u[3], w;
    int na, nb, n, rank, has_hess, has_mixed;
    double grad[3*MOST], hess[9*MOST*MOST], hv[2][2][3*MOST], diag[3*MOST], o[6], tgrad[12], thess[144], mixed[9*24*24];
} slip_case;

static int read_case(table *t, slip_case *c)
{
    char word[64];
    double param[5];
    int n;
    size_t N;
    if (!table_word(t, word) || strcmp(word, "CASE") != 0) return 0;
    if (!table_word(t, c->name) || !table_expect(t, "TYPE") || !table_expect(t, "SDRSFRIC") || !table_expect(t, "PARAM")
        || !table_reals(t, param, 5) || !table_expect(t, "COUNT") || !table_int(t, &c->na) || !table_int(t, &c->nb)) return 0;
    c->s = param[0];
    c->mu = param[1];
    c->h = param[2];
    c->eps_f = param[3];
    c->eps_v = param[4];
    c->n = c->na + c->nb;
    N = 3*(size_t)c->n;
    if (c->n > MOST || !table_expect(t, "X0") || !table_reals(t, c->x0, N) || !table_expect(t, "X1")
        || !table_reals(t, c->x1, N) || !table_expect(t, "PLANE") || !table_reals(t, c->plane, 5) || !table_expect(t, "FORCE")
        || !table_reals(t, c->force, (size_t)c->n) || !table_expect(t, "RANK") || !table_int(t, &c->rank)
        || !table_expect(t, "VALUE") || !table_real(t, &c->value) || !table_expect(t, "U3") || !table_reals(t, c->u, 3)
        || !table_expect(t, "W") || !table_real(t, &c->w) || !table_expect(t, "GRAD") || !table_reals(t, c->grad, N)
        || !table_expect(t, "HESS") || !table_word(t, word) || !table_int(t, &n)) return 0;
    c->has_hess = strcmp(word, "FULL") == 0;
    if (c->has_hess) read_symmetric(t, c->hess, N);
    else read_probes(t, N, c->hv[0][0], c->hv[0][1], c->hv[1][0], c->hv[1][1], c->diag);
    if (!table_expect(t, "TWIST") || !table_reals(t, c->o, 6) || !table_reals(t, c->tgrad, 12)) return 0;
    read_symmetric(t, c->thess, 12);
    table_expect(t, "MIXED");
    table_int(t, &n);
    c->has_mixed = n > 0;
    if (n > 0) table_reals(t, c->mixed, (size_t)n*(size_t)n);
    return table_expect(t, "END");
}

TEST friction_table(void)
{
    static slip_case c;
    static dc_real grad[3*MOST], hess[9*MOST*MOST], mixed[9*MOST*MOST], out[3*MOST];
    static dc_v3 x0[MOST], x1[MOST], l0[MOST], l1[MOST];
    worst wv = worst_make("value"), wg = worst_make("gradient"), wh = worst_make("Hessian"), wm = worst_make("mixed");
    worst wtg = worst_make("twist gradient"), wth = worst_make("twist Hessian");
    int cases = 0, most = 0, k, j, i;
    table t;
    ASSERT(table_open(&t, "sdrs_friction.txt"));
    while (read_case(&t, &c)) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_friction_options o = DC_ZERO;
        dc_pair_options pair = DC_ZERO;
        dc_friction_info info;
        dc_hull a0 = DC_ZERO, a1 = DC_ZERO, b0 = DC_ZERO, b1 = DC_ZERO;
        dc_pose pa = DC_ZERO, pb = DC_ZERO;
        dci_posed old[2], now[2];
        static dci_friction f;
        dc_plane plane;
        dc_real v, tg[12], th[144], M[2][12];
        double e, L = 0;
        size_t N = 3*(size_t)c.n;
        dc_status s;
        ++cases;
        to_points(c.x0, c.n, x0);
        to_points(c.x1, c.n, x1);
        for (k = 0; k < 3*c.n; ++k) L = fmax(L, fabs(c.x0[k]));
        a0.v = x0;  a1.v = x1;  b0.v = x0 + c.na;  b1.v = x1 + c.na;
        a0.n = a1.n = c.na;
        b0.n = b1.n = c.nb;
        o.eps_f = (dc_real)c.eps_f;
        o.eps_v = (dc_real)c.eps_v;
        o.no_patch = 1;
        pair.barrier = DC_LOCAL;
        pair.s = (dc_real)c.s;
        s = dc_friction(&o, &pair, (dc_real)c.mu, (dc_real)c.h, &a0, &a1, &b0, &b1, &mem, NULL, &v, grad, hess, mixed, &info);
        if (s != DC_OK) printf("  %s: %s\n", c.name, dc_status_text(s));
        ASSERT_EQ(s, DC_OK);
        most = info.iterations > most ? info.iterations : most;
        /* condition for vertex errors of eps L: forces change by 3 L/gap, slip directions by L/(h sqrt eps_v) */
        e = EPS*(1 + 3*L/(double)info.pair.gap + L/(c.h*sqrt(c.eps_v)));
        worst_add(&wv, fabs((double)v - c.value)/c.value/e, "%s", c.name);
        worst_add(&wg, relative_error(grad, c.grad, N)/e, "%s", c.name);
        if (c.has_hess) worst_add(&wh, relative_error(hess, c.hess, N*N)/e, "%s", c.name);
        else {
            for (k = 0; k < 2; ++k) {
                for (i = 0; i < (int)N; ++i)
                    for (j = 0, out[i] = 0; j < (int)N; ++j) out[i] += hess[(size_t)i*N + (size_t)j]*(dc_real)c.hv[k][0][j];
                worst_add(&wh, relative_error(out, c.hv[k][1], N)/e, "%s HV", c.name);
            }
            for (i = 0; i < (int)N; ++i) out[i] = hess[(size_t)i*(N + 1)];
            worst_add(&wh, relative_error(out, c.diag, N)/e, "%s DIAG", c.name);
        }
        if (c.has_mixed) worst_add(&wm, relative_error(mixed, c.mixed, N*N)/e, "%s", c.name);

        /* by twists: the table turns x^{t+1} as it is about its origins, whatever motion led there; so each
         * configuration is given as its own hull, and the poses agree */
        pa.q.w = pb.q.w = 1;
        pa.t = dc_vec((dc_real)c.o[0], (dc_real)c.o[1], (dc_real)c.o[2]);
        pb.t = dc_vec((dc_real)c.o[3], (dc_real)c.o[4], (dc_real)c.o[5]);
        for (k = 0; k < c.n; ++k) {
            const double *q = k < c.na ? c.o : c.o + 3;
            l0[k] = dc_vec((dc_real)(c.x0[3*k] - q[0]), (dc_real)(c.x0[3*k + 1] - q[1]), (dc_real)(c.x0[3*k + 2] - q[2]));
            l1[k] = dc_vec((dc_real)(c.x1[3*k] - q[0]), (dc_real)(c.x1[3*k + 1] - q[1]), (dc_real)(c.x1[3*k + 2] - q[2]));
        }
        dci_pose_map(&pa, M[0], &old[0].map);
        dci_pose_map(&pb, M[1], &old[1].map);
        now[0].map = old[0].map;
        now[1].map = old[1].map;
        old[0].hull = &a0;  now[0].hull = &a1;
        old[1].hull = &b0;  now[1].hull = &b1;
        a0.v = l0;  a1.v = l1;  b0.v = l0 + c.na;  b1.v = l1 + c.na;
        memset(&plane, 0, sizeof plane);
        s = dci_friction_run(&f, &o, &pair, (dc_real)c.mu, (dc_real)c.h, old, now, &mem, &plane, &v, &plane, &info);
        ASSERT_EQ(s, DC_OK);
        dci_friction_twists(&f, old, now, tg, th, NULL);
        mem.used = 0;
        worst_add(&wtg, relative_error(tg, c.tgrad, 12)/e, "%s", c.name);
        worst_add(&wth, relative_error(th, c.thess, 144)/e, "%s", c.name);
    }
    table_close(&t);
    printf("  %d cases, at most %d iterations; errors in eps (1 + condition)\n", cases, most);
    ASSERT(most <= 40);
    ASSERT(cases > 0 && worst_print(&wv, 100) + worst_print(&wg, 100) + worst_print(&wh, 100) + worst_print(&wm, 100)
                            + worst_print(&wtg, 100) + worst_print(&wth, 100) == 6);
    PASS();
}

/* ---- differences ------------------------------------------------------------------------------------ */

typedef struct {
    dc_friction_options o;
    dc_pair_options pair;
    dc_real mu, h;
    int na, nb;
    dc_v3 v[16];
    dc_hull a, b;
    dc_pose a0, a1, b0, b1;
    double x0[48], x1[48];
} slide;

static void random_slide(slide *s, rng *r, int na, int nb, double gap, dc_barrier barrier)
{
    dc_distance d = DC_ZERO;
    int k, i;
    memset(s, 0, sizeof *s);
    s->na = na;
    s->nb = nb;
    s->a.v = s->v;
    s->a.n = na;
    s->b.v = s->v + na;
    s->b.n = nb;
    for (k = 0; k < na + nb; ++k)
        s->v[k] = dc_vec((dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1));
    s->a0.q = dc_quat_exp(dc_vec((dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1)));
    s->b0.q = dc_quat_exp(dc_vec((dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1)));
    s->a0.t = dc_vec(DC_R(2.5), DC_R(0.2), DC_R(0.1));
    for (i = 0; i < 3; ++i) {
        memset(&d, 0, sizeof d);
        dc_hull_distance(&s->a, &s->a0, &s->b, &s->b0, NULL, &d);
        s->a0.t = dc_madd(s->a0.t, (dc_real)gap - d.gap, d.n);
    }
    s->pair.barrier = barrier;
    s->pair.s = DC_R(0.5);
    s->mu = DC_R(0.6);
    s->h = DC_R(0.02);
    s->o.eps_f = DC_R(1e-2);
    s->o.eps_v = DC_R(0.04);
    s->o.patch = DC_R(0.05);
    {
        dc_real ta[6], tb[6];
        for (k = 0; k < 6; ++k) {
            ta[k] = s->h*(dc_real)rng_uniform(r, -1, 1);
            tb[k] = s->h*(dc_real)rng_uniform(r, -1, 1);
        }
        s->a1 = dc_pose_retract(s->a0, ta);
        s->b1 = dc_pose_retract(s->b0, tb);
    }
    for (k = 0; k < na + nb; ++k) {
        dc_v3 p = dc_pose_apply(k < na ? s->a0 : s->b0, s->v[k]), q = dc_pose_apply(k < na ? s->a1 : s->b1, s->v[k]);
        s->x0[3*k] = (double)p.x;  s->x0[3*k + 1] = (double)p.y;  s->x0[3*k + 2] = (double)p.z;
        s->x1[3*k] = (double)q.x;  s->x1[3*k + 1] = (double)q.y;  s->x1[3*k + 2] = (double)q.z;
    }
}

/* the same gap between hulls with radii */
static void make_round(slide *s, double ra, double rb)
{
    dc_distance d = DC_ZERO;
    dc_v3 apart;
    dc_hull_distance(&s->a, &s->a0, &s->b, &s->b0, NULL, &d);
    s->a.radius = (dc_real)ra;
    s->b.radius = (dc_real)rb;
    apart = dc_scale(s->a.radius + s->b.radius, d.n);
    s->a0.t = dc_add(s->a0.t, apart);
    s->a1.t = dc_add(s->a1.t, apart);
}

static dc_status by_vertex(slide *s, const double *x0, const double *x1, dc_real *v, dc_real *g, dc_real *H, dc_real *M,
                           dc_friction_info *info)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_v3 p[16], q[16];
    dc_hull a0 = DC_ZERO, a1 = DC_ZERO, b0 = DC_ZERO, b1 = DC_ZERO;
    to_points(x0, s->na + s->nb, p);
    to_points(x1, s->na + s->nb, q);
    a0.v = p;  b0.v = p + s->na;  a1.v = q;  b1.v = q + s->na;
    a0.n = a1.n = s->na;
    b0.n = b1.n = s->nb;
    return dc_friction(&s->o, &s->pair, s->mu, s->h, &a0, &a1, &b0, &b1, &mem, NULL, v, g, H, M, info);
}
static void value_of_new(const double *x, double *f, void *user)
{
    slide *s = (slide *)user;
    dc_real v;
    f[0] = by_vertex(s, s->x0, x, &v, NULL, NULL, NULL, NULL) == DC_OK ? (double)v : (double)NAN;
}
static void gradient_of_new(const double *x, double *f, void *user)
{
    slide *s = (slide *)user;
    dc_real v, g[48];
    int k, ok = by_vertex(s, s->x0, x, &v, g, NULL, NULL, NULL) == DC_OK;
    for (k = 0; k < 3*(s->na + s->nb); ++k) f[k] = ok ? (double)g[k] : (double)NAN;
}
static void gradient_of_old(const double *x, double *f, void *user)
{
    slide *s = (slide *)user;
    dc_real v, g[48];
    int k, ok = by_vertex(s, x, s->x1, &v, g, NULL, NULL, NULL) == DC_OK;
    for (k = 0; k < 3*(s->na + s->nb); ++k) f[k] = ok ? (double)g[k] : (double)NAN;
}

static dc_status by_pose(slide *s, const double *old, const double *now, dc_real *v, dc_real *g, dc_real *H, dc_real *M)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_pose p[4];
    dc_real t[24];
    int k;
    for (k = 0; k < 12; ++k) {
        t[k] = old ? (dc_real)old[k] : 0;
        t[12 + k] = now ? (dc_real)now[k] : 0;
    }
    p[0] = dc_pose_retract(s->a0, t);
    p[1] = dc_pose_retract(s->b0, t + 6);
    p[2] = dc_pose_retract(s->a1, t + 12);
    p[3] = dc_pose_retract(s->b1, t + 18);
    return dc_friction_rigid(&s->o, &s->pair, s->mu, s->h, &s->a, &p[0], &p[2], &s->b, &p[1], &p[3], &mem, NULL, v, g, H, M, NULL);
}
static void value_of_pose(const double *x, double *f, void *user)
{
    dc_real v;
    f[0] = by_pose((slide *)user, NULL, x, &v, NULL, NULL, NULL) == DC_OK ? (double)v : (double)NAN;
}
/* in the exponential coordinates of the new poses */
static void gradient_of_pose(const double *x, double *f, void *user)
{
    dc_real v, g[12];
    int i, k, ok = by_pose((slide *)user, NULL, x, &v, g, NULL, NULL) == DC_OK;
    for (i = 0; i < 12; i += 6) {
        dc_m3 J = dc_so3_jl(dc_vec((dc_real)x[i + 3], (dc_real)x[i + 4], (dc_real)x[i + 5]));
        dc_v3 w = dc_mul_t(&J, dc_vec(g[i + 3], g[i + 4], g[i + 5]));
        for (k = 0; k < 3; ++k) f[i + k] = ok ? (double)g[i + k] : (double)NAN;
        f[i + 3] = (double)w.x;
        f[i + 4] = (double)w.y;
        f[i + 5] = (double)w.z;
    }
}
static void gradient_of_old_pose(const double *x, double *f, void *user)
{
    dc_real v, g[12];
    int k, ok = by_pose((slide *)user, x, NULL, &v, g, NULL, NULL) == DC_OK;
    for (k = 0; k < 12; ++k) f[k] = ok ? (double)g[k] : (double)NAN;
}

/* the gradient by the new poses, of hulls whose vertices are x, in body coordinates */
static void gradient_of_shape(const double *x, double *f, void *user)
{
    slide s = *(slide *)user;
    dc_real v, g[12];
    int k, ok;
    to_points(x, s.na + s.nb, s.v);
    s.a.v = s.v;
    s.b.v = s.v + s.na;
    ok = by_pose(&s, NULL, NULL, &v, g, NULL, NULL) == DC_OK;
    for (k = 0; k < 12; ++k) f[k] = ok ? (double)g[k] : (double)NAN;
}

/* the derivatives by twists and by shape against differences */
static dc_status by_twists(slide *s, int trial, worst *err, worst *order)
{
    static unsigned char scratch[1 << 16];
    static dc_real shape[12*48];
    static double H[12*48];
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    double zero[12] = {0}, g[12], x[48];
    dc_real v, dg[12], dH[144], dM[144];
    int k, n;
    dc_status status = by_pose(s, NULL, NULL, &v, dg, dH, dM);
    fd_result f;
    to_double(dg, g, 12);
    f = fd_check(value_of_pose, s, 12, zero, 1, g, 1e-3);
    worst_add(err, f.err, "trial %d twist gradient", trial);
    to_double(dH, H, 144);
    f = fd_check(gradient_of_pose, s, 12, zero, 12, H, 1e-3);
    worst_add(err, f.err, "trial %d twist Hessian", trial);
    worst_add(order, 2 - f.order, "trial %d twist Hessian", trial);
    to_double(dM, H, 144);
    f = fd_check(gradient_of_old_pose, s, 12, zero, 12, H, 1e-3);
    worst_add(err, f.err, "trial %d twist mixed", trial);
    worst_add(order, 2 - f.order, "trial %d twist mixed", trial);
    if (status == DC_OK) status = dc_friction_shape(&s->o, &s->pair, s->mu, s->h, &s->a, &s->a0, &s->a1, &s->b, &s->b0, &s->b1, &mem, NULL, shape);
    n = 3*(s->na + s->nb);
    for (k = 0; k < s->na + s->nb; ++k) {
        x[3*k] = (double)s->v[k].x;
        x[3*k + 1] = (double)s->v[k].y;
        x[3*k + 2] = (double)s->v[k].z;
    }
    to_double(shape, H, 12*n);
    f = fd_check(gradient_of_shape, s, n, x, 12, H, 1e-3);
    worst_add(err, f.err, "trial %d shape", trial);
    worst_add(order, 2 - f.order, "trial %d shape", trial);
    return status;
}

/* Gradient, Hessian and mixed derivative, by vertices and by twists, both barriers, with and without the patch. */
TEST derivatives_are_those_of_the_value(void)
{
    static const int count[][2] = {{3, 3}, {4, 6}, {8, 8}, {1, 4}};
    static slide s;
    worst err = worst_make("difference quotient - derivative"), order = worst_make("order below 2"), psd = worst_make("negative eigenvalue");
    rng r;
    int trial;
    if (DC_IS_FLOAT) SKIPm("differences of float values have too few digits: the table checks float");
    rng_seed(&r, 6);
    for (trial = 0; trial < 16; ++trial) {
        static double g[48], H[48*48];
        static dc_real dg[48], dH[48*48], dM[48*48], w[48];
        static unsigned char scratch[1 << 17];
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_real v;
        fd_result f;
        int n;
        random_slide(&s, &r, count[trial%4][0], count[trial%4][1], trial%3 ? 0.3 : 0.1, trial%2 ? DC_LOCAL : DC_GLOBAL);
        if (trial >= 12) s.o.no_patch = s.na > 1;
        n = 3*(s.na + s.nb);
        ASSERT_EQ(by_vertex(&s, s.x0, s.x1, &v, dg, dH, dM, NULL), DC_OK);
        ASSERT(v > 0);
        to_double(dg, g, n);
        f = fd_check(value_of_new, &s, n, s.x1, 1, g, 1e-3);
        worst_add(&err, f.err, "trial %d gradient", trial);
        worst_add(&order, 2 - f.order, "trial %d gradient", trial);
        to_double(dH, H, n*n);
        f = fd_check(gradient_of_new, &s, n, s.x1, n, H, 1e-3);
        worst_add(&err, f.err, "trial %d Hessian", trial);
        worst_add(&order, 2 - f.order, "trial %d Hessian", trial);
        to_double(dM, H, n*n);
        f = fd_check(gradient_of_old, &s, n, s.x0, n, H, 1e-3);
        worst_add(&err, f.err, "trial %d mixed", trial);
        worst_add(&order, 2 - f.order, "trial %d mixed", trial);
        ASSERT_EQ(dc_eigsym(n, dH, n, w, NULL, n, &mem), DC_OK);
        worst_add(&psd, (double)(-w[0]/w[n - 1])/EPS, "trial %d", trial);

        ASSERT_EQ(DC_OK, by_twists(&s, trial, &err, &order));
    }
    ASSERT(worst_print(&err, 1e-7) + worst_print(&order, 0.4) + worst_print(&psd, 50) == 3);
    PASS();
}

/* dc_friction_vjp gives the products with the matrices of dc_friction_rigid and dc_friction_shape, of hulls with and without radii; and
 * each output alone what it gives beside the others. */
TEST products_are_those_of_the_matrices(void)
{
    static const int count[][2] = {{3, 3}, {4, 6}, {8, 8}, {1, 4}, {1, 1}, {2, 2}};
    static slide s;
    static dc_real shape[12*48];
    worst err = worst_make("product - matrix times vector");
    rng r;
    int trial, k, c;
    rng_seed(&r, 21);
    for (trial = 0; trial < 48; ++trial) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_real z[12], dg[12], dM[144], grad[12], old[12], by[48], alone[48];
        double largest = 0, off = 0;
        int n;
        random_slide(&s, &r, count[trial%6][0], count[trial%6][1], trial%3 ? 0.3 : 0.1, trial%2 ? DC_LOCAL : DC_GLOBAL);
        if (trial >= 36 && s.na > 1) s.o.no_patch = 1;
        if (trial%6 > 3 || trial >= 24) make_round(&s, trial%5 ? rng_log(&r, 0.05, 2) : 0, rng_log(&r, 0.05, 2));
        n = 3*(s.na + s.nb);
        for (k = 0; k < 12; ++k) z[k] = (dc_real)rng_uniform(&r, -1, 1);
        ASSERT_EQ(DC_OK, dc_friction_rigid(&s.o, &s.pair, s.mu, s.h, &s.a, &s.a0, &s.a1, &s.b, &s.b0, &s.b1, &mem, NULL, NULL, dg, NULL, dM, NULL));
        ASSERT_EQ(DC_OK, dc_friction_shape(&s.o, &s.pair, s.mu, s.h, &s.a, &s.a0, &s.a1, &s.b, &s.b0, &s.b1, &mem, NULL, shape));
        ASSERT_EQ(DC_OK, dc_friction_vjp(&s.o, &s.pair, s.mu, s.h, &s.a, &s.a0, &s.a1, &s.b, &s.b0, &s.b1, &mem, NULL, z, grad, old, by));
        ASSERT_EQ(0, memcmp(grad, dg, sizeof grad));
        for (c = 0; c < 12 + n; ++c) {
            double sum = 0;
            for (k = 0; k < 12; ++k) {
                const double m = c < 12 ? (double)dM[12*k + c] : (double)shape[k*n + c - 12];
                sum += (double)z[k]*m;
                if (fabs(m) > largest) largest = fabs(m);
            }
            sum = fabs(sum - (double)(c < 12 ? old[c] : by[c - 12]));
            if (sum > off) off = sum;
        }
        ASSERT(largest > 0);
        worst_add(&err, off/largest/EPS, "trial %d", trial);
        ASSERT_EQ(DC_OK, dc_friction_vjp(&s.o, &s.pair, s.mu, s.h, &s.a, &s.a0, &s.a1, &s.b, &s.b0, &s.b1, &mem, NULL, z, NULL, NULL, alone));
        ASSERT_EQ(0, memcmp(alone, by, (size_t)n*sizeof *by));
        ASSERT_EQ(DC_OK, dc_friction_vjp(&s.o, &s.pair, s.mu, s.h, &s.a, &s.a0, &s.a1, &s.b, &s.b0, &s.b1, &mem, NULL, z, NULL, alone, NULL));
        ASSERT_EQ(0, memcmp(alone, old, sizeof old));
        ASSERT_EQ(0, (int)mem.used);
    }
    ASSERT(worst_print(&err, 200));
    PASS();
}

/* Friction of a round hull acts where it is next to the plane: derivatives by twists, and a ball above the middle of a board, which
 * rolls for nothing, slides with a torque of radius times force about its centre, and is held back where it spins. */
TEST round_hulls(void)
{
    static const int count[][2] = {{1, 1}, {1, 8}, {2, 8}, {2, 2}, {8, 8}, {3, 1}};
    static slide s;
    worst err = worst_make("difference quotient - derivative"), order = worst_make("order below 2");
    worst arm = worst_make("torque - radius x force"), roll = worst_make("force when rolling over mu N");
    rng r;
    int trial, k;
    rng_seed(&r, 8);
    for (trial = 0; trial < 18 && !DC_IS_FLOAT; ++trial) {
        random_slide(&s, &r, count[trial%6][0], count[trial%6][1], trial%3 ? 0.3 : 0.1, trial%2 ? DC_LOCAL : DC_GLOBAL);
        make_round(&s, trial%5 ? rng_log(&r, 0.05, 2) : 0, rng_log(&r, 0.05, 2));
        ASSERT_EQ(DC_OK, by_twists(&s, trial, &err, &order));
    }
    for (trial = 0; trial < 60; ++trial) {
        const double radius = rng_log(&r, 0.05, 1), gap = 0.05, turn = rng_uniform(&r, -3, 3);
        const double way = trial%3 == 0 ? radius*sin(0.01*turn)/0.01 : trial%3 == 1 ? rng_uniform(&r, -1, 1) : 0;
        const dc_v3 place = dc_vec(0, 0, (dc_real)(radius + gap));
        dc_real v, g[12], to[6] = {0};
        dc_v3 force, torque, want;
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        memset(&s, 0, sizeof s);
        s.na = 1;
        s.nb = 4;
        s.a.v = s.v;
        s.b.v = s.v + 1;
        s.a.n = 1;
        s.b.n = 4;
        s.a.radius = (dc_real)radius;
        for (k = 0; k < 4; ++k) s.v[1 + k] = dc_vec((k & 1) ? DC_R(2.0) : DC_R(-2.0), (k & 2) ? DC_R(2.0) : DC_R(-2.0), 0);
        s.pair.barrier = DC_LOCAL;
        s.pair.s = DC_R(0.3);
        s.pair.length = DC_R(0.2);
        s.mu = DC_R(0.5);
        s.h = DC_R(0.01);
        s.o.patch = DC_R(1e-4);
        s.a0.q.w = s.b0.q.w = 1;
        s.a0.t = place;
        s.b1 = s.b0;
        to[0] = s.h*(dc_real)way;
        if (trial%3 != 1) to[4] = s.h*(dc_real)turn;
        s.a1 = dc_pose_retract(s.a0, to);
        ASSERT_EQ(DC_OK, by_pose(&s, NULL, NULL, &v, g, NULL, NULL));
        force = dc_vec(-g[0], -g[1], -g[2]);
        torque = dc_vec(-g[3], -g[4], -g[5]);
        want = dc_cross(dc_quat_rotate(s.a1.q, dc_vec(0, 0, -s.a.radius)), force);
        ASSERT_EQ(DC_OK, dc_pair_rigid(&s.pair, &s.a, &s.a0, &s.b, &s.b0, &mem, NULL, &v, g, NULL, NULL));
        if (trial%3 == 0) worst_add(&roll, sqrt((double)dc_dot(force, force))/(double)(s.mu*-g[2]), "trial %d", trial);
        else {
            const dc_v3 d = dc_sub(torque, want);
            ASSERT(trial%3 == 1 ? way*(double)force.x < 0 : turn*(double)force.x > 0);
            worst_add(&arm, sqrt((double)(dc_dot(d, d)/dc_dot(want, want))), "trial %d", trial);
        }
    }
    /* without poses nobody knows how it turns */
    ASSERT_EQ(DC_E_ARG, dc_friction(&s.o, &s.pair, s.mu, s.h, &s.a, &s.a, &s.b, &s.b, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    ASSERT((DC_IS_FLOAT || worst_print(&err, 1e-7) + worst_print(&order, 0.4) == 2) && worst_print(&arm, DC_IS_FLOAT ? 1e-5 : 1e-12)
           && worst_print(&roll, DC_IS_FLOAT ? 1e-2 : 1e-9));
    PASS();
}

/* Forces are opposite, lie in the plane, oppose the slip of each body against the other, and stay in the cone mu f. */
TEST forces_are_frictional(void)
{
    static slide s;
    worst sum = worst_make("net force"), off = worst_make("normal part"), over = worst_make("force beyond mu f");
    rng r;
    int trial, k;
    rng_seed(&r, 16);
    for (trial = 0; trial < 200; ++trial) {
        dc_real v, g[48], gp[48], pv;
        dc_friction_info info;
        dc_plane plane = DC_ZERO;
        dc_v3 p[16], n, net = dc_vec(0, 0, 0);
        dc_hull a = DC_ZERO, b = DC_ZERO;
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        double total = 0, power = 0, e;
        random_slide(&s, &r, 3 + trial%6, 3 + trial%5, 0.2, trial%2 ? DC_LOCAL : DC_GLOBAL);
        ASSERT_EQ(by_vertex(&s, s.x0, s.x1, &v, g, NULL, NULL, &info), DC_OK);
        to_points(s.x0, s.na + s.nb, p);
        a.v = p;
        a.n = s.na;
        b.v = p + s.na;
        b.n = s.nb;
        ASSERT_EQ(dc_pair(&s.pair, &a, &b, &mem, &plane, &pv, gp, NULL, NULL), DC_OK);
        n = dc_scale(1/dc_sqrt(dc_dot(plane.n, plane.n)), plane.n);
        e = EPS*(1 + 3*2/0.2 + 3/((double)s.h*sqrt((double)s.o.eps_v)));
        for (k = 0; k < s.na + s.nb; ++k) {
            dc_v3 f = dc_vec(-g[3*k], -g[3*k + 1], -g[3*k + 2]), N = dc_vec(gp[3*k], gp[3*k + 1], gp[3*k + 2]);
            dc_v3 d = dc_vec((dc_real)(s.x1[3*k] - s.x0[3*k]), (dc_real)(s.x1[3*k + 1] - s.x0[3*k + 1]), (dc_real)(s.x1[3*k + 2] - s.x0[3*k + 2]));
            double size = sqrt((double)dc_dot(f, f)), normal = sqrt((double)dc_dot(N, N));
            net = dc_add(net, f);
            total += size;
            power += (double)dc_dot(f, d);
            if (size > 0) worst_add(&off, fabs((double)dc_dot(f, n))/size/EPS, "trial %d vertex %d", trial, k);
            worst_add(&over, size - (double)s.mu*normal*(1 + 100*e), "trial %d vertex %d", trial, k);
        }
        ASSERT(total > 0 && power < 0);
        worst_add(&sum, sqrt((double)dc_dot(net, net))/total/e, "trial %d", trial);
    }
    ASSERT(worst_print(&sum, 20) + worst_print(&off, 50) + worst_print(&over, 0) == 3);
    PASS();
}

/* Slips far above sqrt(eps_v), where the energy has no digits left along the slip: forces still balance and lie in the cone. */
TEST fast_slips_balance(void)
{
    worst w = worst_make("imbalance over mu N");
    rng r;
    int trial, diverged = 0;
    rng_seed(&r, 31);
    for (trial = 0; trial < 2000; ++trial) {
        static const double half[2] = {0.5, 5};
        dc_v3 v[16];
        dc_hull a = DC_ZERO, b = DC_ZERO;
        dc_pose a0 = DC_ZERO, a1, rest = DC_ZERO;
        dc_pair_options o = DC_ZERO;
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_real U, g[12], P, gp[12], twist[6] = {0, 0, 0, 0, 0, 0};
        double speed = 1e-3*rng_log(&r, 1, DC_IS_FLOAT ? 5e3 : 1e12), way = rng_uniform(&r, -3.14, 3.14), x, y, N;
        dc_status s;
        int k;
        for (k = 0; k < 16; ++k) {
            dc_real e = (dc_real)half[k/8];
            v[k] = dc_vec(k & 1 ? e : -e, k & 2 ? e : -e, k & 4 ? DC_R(0.5) : DC_R(-0.5));
        }
        a.v = v;
        b.v = v + 8;
        a.n = b.n = 8;
        rest.q.w = 1;
        a0.t = dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), (dc_real)(1 + rng_log(&r, 1e-3, 0.1)));
        a0.q = dc_quat_exp(dc_vec(0, 0, (dc_real)rng_uniform(&r, -1, 1)));
        twist[0] = (dc_real)(0.01*speed*cos(way));
        twist[1] = (dc_real)(0.01*speed*sin(way));
        a1 = dc_pose_retract(a0, twist);
        o.barrier = trial%2 ? DC_LOCAL : DC_GLOBAL;
        s = dc_friction_rigid(NULL, &o, DC_R(0.5), DC_R(0.01), &a, &a0, &a1, &b, &rest, &rest, &mem, NULL, &U, g, NULL, NULL, NULL);
        if (s == DC_E_DIVERGED) { ++diverged; continue; }
        ASSERT_EQ(s, DC_OK);
        ASSERT_EQ(dc_pair_rigid(&o, &a, &a0, &b, &rest, &mem, NULL, &P, gp, NULL, NULL), DC_OK);
        N = 0.5*fabs((double)gp[2]);
        x = (double)g[0] + (double)g[6];
        y = (double)g[1] + (double)g[7];
        worst_add(&w, sqrt(x*x + y*y)/N, "trial %d, %g m/s", trial, speed);
        x = (double)g[0];
        y = (double)g[1];
        ASSERT(sqrt(x*x + y*y) <= N*(1 + 1e-4));
    }
    printf("  %d of 2000 gave up\n", diverged);
    ASSERT(worst_print(&w, 1e-3));
    ASSERT(diverged <= 4);
    PASS();
}

/* Vertex against vertex carries no moment: without the patch U_f jumps in x^t where a second vertex of a loads up, since there
 * the spin is suddenly free to follow it. With the patch it moves by the O(force^2) it should. */
TEST patch_keeps_it_continuous(void)
{
    enum { PLACES = 120 };
    static slide s;
    double U[2][PLACES], jump[2] = {0, 0};
    int patch, k;
    for (patch = 0; patch < 2; ++patch)
        for (k = 0; k < PLACES; ++k) {
            /* a: the lower vertex over the only one of b, and one aside whose slack goes from just outside the support inwards */
            dc_real v;
            int i;
            memset(&s, 0, sizeof s);
            s.na = 2;
            s.nb = 1;
            s.pair.barrier = DC_LOCAL;
            s.pair.s = DC_R(0.5);
            s.mu = 1;
            s.h = DC_R(0.01);
            s.o.eps_f = s.o.eps_v = DC_R(1e-4);
            s.o.no_patch = !patch;
            {
                /* find the height at which the second vertex begins to load, by its gradient */
                double lo = 0.0, hi = 1.5, mid = 0;
                int it;
                for (it = 0; it < (DC_IS_FLOAT ? 20 : 50); ++it) {
                    dc_v3 p[3];
                    dc_hull a = DC_ZERO, b = DC_ZERO;
                    dc_real g[9];
                    dc_arena mem = dc_arena_make(memory, sizeof memory);
                    mid = 0.5*(lo + hi);
                    p[0] = dc_vec(0, 0, DC_R(0.3));
                    p[1] = dc_vec(DC_R(0.5), 0, (dc_real)(0.3 + mid));
                    p[2] = dc_vec(0, 0, 0);
                    a.v = p;
                    a.n = 2;
                    b.v = p + 2;
                    b.n = 1;
                    ASSERT_EQ(dc_pair(&s.pair, &a, &b, &mem, NULL, &v, g, NULL, NULL), DC_OK);
                    if (g[3] == 0 && g[4] == 0 && g[5] == 0) hi = mid;
                    else lo = mid;
                }
                for (i = 0; i < 9; ++i) s.x0[i] = 0;
                s.x0[2] = 0.3;
                s.x0[3] = 0.5;
                s.x0[5] = 0.3 + mid + 0.01 - 0.004*k;
            }
            memcpy(s.x1, s.x0, sizeof s.x1);
            s.x1[1] += 0.01;             /* the loaded vertex at 1 m/s, the other at 3 m/s the other way */
            s.x1[4] -= 0.03;
            ASSERT_EQ(by_vertex(&s, s.x0, s.x1, &v, NULL, NULL, NULL, NULL), DC_OK);
            U[patch][k] = (double)v;
            if (k > 0) jump[patch] = fmax(jump[patch], fabs(U[patch][k] - U[patch][k - 1]));
        }
    printf("  U_f before the load: points %.6g, patches %.6g; its largest step: %.6g, %.6g\n", U[0][0], U[1][0], jump[0], jump[1]);
    ASSERT(jump[0] > 0.1*U[0][0]);
    ASSERT(jump[1] < 0.05*U[1][0]);
    PASS();
}

/* A load made once serves every new pose: the same bits as the whole, the loads side by side in one arena. */
TEST loads_are_the_whole(void)
{
    static slide s[3];
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_friction_load load[3];
    dc_friction_vertex *kept;
    dc_real v[2], g[2][12], H[2][144];
    size_t used;
    rng r;
    int k, turn, loaded = 0;
    rng_seed(&r, 31);
    for (k = 0; k < 3; ++k) {
        size_t least = mem.used;
        random_slide(&s[k], &r, 3 + 2*k, 8, 0.2, k == 1 ? DC_GLOBAL : DC_LOCAL);
        ASSERT_EQ(DC_OK, dc_friction_open(&s[k].o, &s[k].pair, s[k].mu, s[k].h, &s[k].a, &s[k].a0, &s[k].b, &s[k].b0, &mem, NULL, &load[k]));
        ASSERT(mem.used <= least + dc_friction_load_bytes(s[k].na, s[k].nb));
        loaded += load[k].count;
    }
    ASSERT(loaded > 12);
    used = mem.used;
    for (turn = 0; turn < 30; ++turn)
        for (k = 0; k < 3; ++k) {
            dc_arena other = dc_arena_make(memory + sizeof memory/2, sizeof memory/2);
            dc_real t[6];
            int c;
            for (c = 0; c < 6; ++c) t[c] = (dc_real)rng_uniform(&r, -0.02, 0.02);
            s[k].a1 = dc_pose_retract(s[k].a0, t);
            ASSERT_EQ(DC_OK, dc_friction_rigid(&s[k].o, &s[k].pair, s[k].mu, s[k].h, &s[k].a, &s[k].a0, &s[k].a1, &s[k].b, &s[k].b0,
                                               &s[k].b1, &other, NULL, &v[0], g[0], H[0], NULL, NULL));
            ASSERT_EQ(DC_OK, dc_friction_move(&load[k], &s[k].a, &s[k].a1, &s[k].b, &s[k].b1, &mem, &v[1], g[1], H[1]));
            ASSERT(v[0] > 0 && memcmp(&v[0], &v[1], sizeof v[0]) == 0 && memcmp(g[0], g[1], sizeof g[0]) == 0
                   && memcmp(H[0], H[1], sizeof H[0]) == 0);
            ASSERT(mem.used == used);
        }
    /* refused, with everything left as it was */
    kept = load[0].vertex;
    s[0].h = -1;
    ASSERT_EQ(DC_E_ARG, dc_friction_open(&s[0].o, &s[0].pair, s[0].mu, s[0].h, &s[0].a, &s[0].a0, &s[0].b, &s[0].b0, &mem, NULL, &load[0]));
    ASSERT_EQ(DC_E_ARG, dc_friction_open(NULL, NULL, 1, 1, NULL, &s[0].a0, &s[0].b, &s[0].b0, &mem, NULL, &load[0]));
    ASSERT_EQ(DC_E_OVERLAP, dc_friction_open(NULL, NULL, 1, 1, &s[0].a, &s[0].a0, &s[0].a, &s[0].a0, &mem, NULL, &load[0]));
    ASSERT_EQ(DC_E_ARG, dc_friction_move(&load[0], &s[1].a, &s[1].a1, &s[0].b, &s[0].b1, &mem, v, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_friction_move(NULL, &s[0].a, &s[0].a1, &s[0].b, &s[0].b1, &mem, v, NULL, NULL));
    ASSERT(mem.used == used && load[0].vertex == kept);
    ASSERT_EQ(0, (int)dc_friction_load_bytes(0, 3));
    mem.size = used + 64;
    ASSERT_EQ(DC_E_MEMORY, dc_friction_move(&load[0], &s[0].a, &s[0].a1, &s[0].b, &s[0].b1, &mem, v, NULL, NULL));
    ASSERT_EQ(DC_E_MEMORY, dc_friction_open(NULL, NULL, 1, 1, &s[0].a, &s[0].a0, &s[0].b, &s[0].b0, &mem, NULL, &load[0]));
    ASSERT(mem.used == used && load[0].vertex == kept);
    PASS();
}

/* one body is pulled to `goal` by a spring of stiffness k, against the friction of a load: the value there and, not NULL, its
 * gradient and Hessian by the velocity of a, with forces as unknowns (share > 0) or not */
static double pulled(slide *s, dc_friction_load *load, const dc_real t[6], const double goal[3], double k, dc_real share, dc_arena *mem, double *grad, dc_real *hess)
{
    dc_real U = 0, g[12], H[144];
    double value;
    dc_status status;
    int i, j;
    s->a1 = dc_pose_retract(s->a0, t);
    if (share > 0) status = dc_friction_try(load, share, &s->a, &s->a1, &s->b, &s->b0, mem, &U, g, hess ? H : NULL);
    else status = dc_friction_move(load, &s->a, &s->a1, &s->b, &s->b0, mem, &U, g, hess ? H : NULL);
    if (status != DC_OK && status != DC_E_DIVERGED) return HUGE_VAL;
    value = (double)U;
    for (i = 0; i < 3; ++i) {
        value += 0.5*k*((double)t[i] - goal[i])*((double)t[i] - goal[i]);
        if (grad) grad[i] = (double)g[i] + k*((double)t[i] - goal[i]);
        for (j = 0; hess && j < 3; ++j) hess[3*i + j] = H[12*i + j] + (i == j ? (dc_real)k : 0);
    }
    return value;
}

/* Newton steps, halved until the value falls, until the gradient is a 1e-6th of what it was or the value has no digits for what is to gain; 1000: never */
static int steps_to_rest(slide *s, dc_friction_load *load, const double goal[3], double stiffness, int unknowns, dc_arena *mem)
{
    dc_real t[6] = {0}, H[9], trial[6] = {0};
    double g[3], slope, first = 0;
    int it, k;
    for (it = 0; it < 300; ++it) {
        const double value = pulled(s, load, t, goal, stiffness, (dc_real)unknowns, mem, g, H);
        dc_real p[3], share = 1;
        const double size = sqrt(g[0]*g[0] + g[1]*g[1] + g[2]*g[2]);
        if (unknowns) dc_friction_keep(load);
        if (it == 0) first = size;
        if (size < 1e-6*first) return it;
        for (k = 0; k < 3; ++k) p[k] = (dc_real)-g[k];
        if (dc_chol_factor(3, H, 3, NULL) != DC_OK || dc_chol_solve(3, H, 3, 1, p, 1) != DC_OK) return 1000;
        for (slope = 0, k = 0; k < 3; ++k) slope += g[k]*(double)p[k];
        if (-slope < 1e4*(double)DC_EPS*value) return it;
        for (;; share *= DC_R(0.5)) {
            for (k = 0; k < 3; ++k) trial[k] = t[k] + share*p[k];
            if (pulled(s, load, trial, goal, stiffness, 0, mem, NULL, NULL) <= value + 1e-4*(double)share*slope) break;
            if ((double)share < 1e-12) return 1000;
        }
        if (unknowns) pulled(s, load, trial, goal, stiffness, share, mem, g, H);
        memcpy(t, trial, sizeof t);
    }
    return 1000;
}

/* what a body's friction is over the parabola at `at`, over the parabola's own rise, when it is carried from there by d */
static double over_parabola(slide *s, const dc_friction_load *load, const dc_real at[6], dc_real v, const dc_real g[12], const dc_real H[144],
                            const dc_real d[3], dc_arena *mem)
{
    dc_real t[6], U = 0;
    double rise = 0, bent = 0;
    int i, j;
    memcpy(t, at, sizeof t);
    for (i = 0; i < 3; ++i) {
        t[i] += d[i];
        rise += (double)(g[i]*d[i]);
        for (j = 0; j < 3; ++j) bent += 0.5*(double)(d[i]*H[12*i + j]*d[j]);
    }
    s->a1 = dc_pose_retract(s->a0, t);
    if (dc_friction_move(load, &s->a, &s->a1, &s->b, &s->b0, mem, &U, NULL, NULL) != DC_OK) return HUGE_VAL;
    return ((double)(U - v) - rise - bent)/fabs(bent);
}

/* Where all slips turned round at a place that was not taken, the next Hessian is that of a parabola above the friction; the true one,
 * which knows no turning, is not. */
TEST turned_slips_have_a_parabola_above(void)
{
    static slide s;
    double worst_of[2] = {-HUGE_VAL, -HUGE_VAL};
    int turn, k, c, seen = 0;
    rng r;
    rng_seed(&r, 38);
    for (turn = 0; turn < sweep_count(200); ++turn) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_friction_load load;
        dc_real v[2], g[2][12], H[2][144], t[3][6] = {{0}}, d[3];
        dc_status status;
        int turned = 0;
        random_slide(&s, &r, 4, 8, 0.2, DC_LOCAL);
        s.b1 = s.b0;
        s.o.eps_v = DC_IS_FLOAT ? DC_R(1e-8) : DC_R(1e-14);
        status = dc_friction_open(&s.o, &s.pair, s.mu, s.h, &s.a, &s.a0, &s.b, &s.b0, &mem, NULL, &load);
        if (status != DC_OK || load.count == 0) continue;

        /* an iterate, a place beyond where the slips end, and the next iterate before it */
        for (c = 0; c < 3; ++c) {
            t[0][c] = (dc_real)rng_uniform(&r, -1e-3, 1e-3);
            t[1][c] = -2*t[0][c];
            t[2][c] = DC_R(0.9)*t[0][c];
        }
        for (k = 0; k < 3; ++k) {
            s.a1 = dc_pose_retract(s.a0, t[k]);
            status = dc_friction_try(&load, 1, &s.a, &s.a1, &s.b, &s.b0, &mem, &v[0], g[0], H[0]);
            if (status != DC_OK) break;
            if (k == 0) dc_friction_keep(&load);
        }
        if (status != DC_OK) continue;
        for (k = 0; k < load.count; ++k) turned += load.vertex[k].tried.turned;
        if (turned < load.count) continue;
        ASSERT_EQ(DC_OK, dc_friction_move(&load, &s.a, &s.a1, &s.b, &s.b0, &mem, &v[1], g[1], H[1]));
        for (k = 0; k < 8; ++k) {
            for (c = 0; c < 3; ++c) d[c] = (dc_real)rng_uniform(&r, -2e-3, 2e-3);
            for (c = 0; c < 2; ++c)
                worst_of[c] = fmax(worst_of[c], over_parabola(&s, &load, t[2], v[c], g[c], H[c], d, &mem));
        }
        ++seen;

        /* taken, they may grow again */
        dc_friction_keep(&load);
        ASSERT(load.vertex[0].kept.doubt == 1 && load.vertex[0].tried.turned == 0);
    }
    printf("  friction over its parabola, of its bend: %.1e; over that of the true Hessian %.1e; %d loads\n", worst_of[0], worst_of[1], seen);
    ASSERT(sweep_short() || seen > 10);
    if (seen > 0) ASSERT(worst_of[0] < (DC_IS_FLOAT ? 1e-2 : 1e-6));
    if (seen > 10) ASSERT(worst_of[1] > 1);
    PASS();
}

/* With forces as unknowns the Hessian is the true one at first and wherever they are what the slips say, it is kept where nothing moves, and
 * Newton's method comes to rest in few steps however small eps_v is. */
TEST forces_as_unknowns(void)
{
    static slide s;
    worst first = worst_make("Hessian of forces as the slips say against the true one");
    long plain = 0, dual = 0;
    int turn, most = 0;
    rng r;
    rng_seed(&r, 37);
    for (turn = 0; turn < sweep_count(40); ++turn) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_friction_load load;
        dc_real v[2], g[2][12], H[3][144], t[6];
        double goal[3], size, error, force;
        dc_status status;
        int k, c;
        random_slide(&s, &r, 4, 8, 0.2, DC_LOCAL);
        s.b1 = s.b0;
        s.o.eps_v = DC_IS_FLOAT ? DC_R(1e-8) : DC_R(1e-14);
        status = dc_friction_open(&s.o, &s.pair, s.mu, s.h, &s.a, &s.a0, &s.b, &s.b0, &mem, NULL, &load);
        ASSERT(status == DC_OK || status == DC_E_OVERLAP);
        if (status != DC_OK || load.count == 0) continue;
        for (c = 0; c < 6; ++c) t[c] = (dc_real)rng_uniform(&r, -1e-3, 1e-3)*dc_sqrt(s.o.eps_v)*s.h;
        s.a1 = dc_pose_retract(s.a0, t);
        ASSERT_EQ(DC_OK, dc_friction_move(&load, &s.a, &s.a1, &s.b, &s.b1, &mem, &v[0], g[0], H[0]));
        ASSERT_EQ(DC_OK, dc_friction_try(&load, 1, &s.a, &s.a1, &s.b, &s.b1, &mem, &v[1], g[1], H[1]));
        ASSERT(v[0] == v[1] && memcmp(g[0], g[1], sizeof g[0]) == 0);
        for (size = error = 0, c = 0; c < 144; ++c) {
            size = fmax(size, fabs((double)H[0][c]));
            error = fmax(error, fabs((double)(H[1][c] - H[0][c])));
        }
        worst_add(&first, error/size, "turn %d", turn);
        dc_friction_keep(&load);
        ASSERT_EQ(DC_OK, dc_friction_try(&load, DC_R(0.25), &s.a, &s.a1, &s.b, &s.b1, &mem, &v[1], g[1], H[2]));
        ASSERT(memcmp(H[1], H[2], sizeof H[1]) == 0);

        /* pulled so hard that it slides, or not */
        for (force = 0, k = 0; k < load.count; ++k) force += (double)load.vertex[k].A/(double)s.h;
        for (k = 0; k < 3; ++k) goal[k] = 1e-3*rng_uniform(&r, -1, 1)*exp(rng_uniform(&r, -2, 2));
        load.kept = 0;
        k = steps_to_rest(&s, &load, goal, 1e3*force, 1, &mem);
        most = k > most ? k : most;
        dual += k;
        plain += steps_to_rest(&s, &load, goal, 1e3*force, 0, &mem);
    }
    printf("  %ld steps to rest in all, at most %d; %ld by the true Hessian\n", dual, most, plain);
    ASSERT(worst_print(&first, DC_IS_FLOAT ? 1e-3 : 1e-9));
    ASSERT(sweep_short() || first.count > sweep_count(20));
    ASSERT(most <= 20);
    ASSERT_EQ(DC_E_ARG, dc_friction_try(NULL, 1, &s.a, &s.a1, &s.b, &s.b1, NULL, NULL, NULL, NULL));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(friction_table);
    RUN_TEST(derivatives_are_those_of_the_value);
    RUN_TEST(products_are_those_of_the_matrices);
    RUN_TEST(round_hulls);
    RUN_TEST(forces_are_frictional);
    RUN_TEST(fast_slips_balance);
    RUN_TEST(patch_keeps_it_continuous);
    RUN_TEST(loads_are_the_whole);
    RUN_TEST(forces_as_unknowns);
    RUN_TEST(turned_slips_have_a_parabola_above);
    GREATEST_MAIN_END();
}
