/* Fields against the 70-digit tables, their derivatives against differences, and what the kinds promise. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "record.h"

#define MOST 64                     /* planes, points, primitives of a case */

static record rec;
static dc_v3 normals[MOST], points[MOST];
static dc_real sigmas[MOST];

static dc_v3 vec_of(const double *x) { return dc_vec((dc_real)x[0], (dc_real)x[1], (dc_real)x[2]); }

static dc_sdf_prim prim_zero(dc_sdf_kind kind)
{
    dc_sdf_prim p = DC_ZERO;
    p.kind = kind;
    p.pose.q.w = 1;
    p.size = dc_vec(1, 1, 1);
    p.eps1 = p.eps2 = 1;
    return p;
}

static dc_sdf sdf_of(const dc_sdf_prim *p, int n, dc_real tau)
{
    dc_sdf s;
    s.prim = p;
    s.n = n;
    s.tau = tau;
    return s;
}

/* pos, rotvec, scale, eps1, eps2 as in a row of `sq` */
static dc_sdf_prim superquadric_of(const double *row)
{
    dc_sdf_prim p = prim_zero(DC_SDF_SUPERQUADRIC);
    p.pose.t = vec_of(row);
    p.pose.q = dc_quat_exp(vec_of(row + 3));
    p.size = vec_of(row + 6);
    p.eps1 = (dc_real)row[9];
    p.eps2 = (dc_real)row[10];
    return p;
}

/* value relative to a length, derivatives to their largest entry */
typedef struct { worst value, grad, hess; } errors;

static errors errors_of(void)
{
    errors e;
    e.value = worst_make("value");
    e.grad = worst_make("gradient");
    e.hess = worst_make("Hessian");
    return e;
}

static void compare(errors *e, const dc_sdf *s, dc_v3 x, double length, const double *value, const double *grad, const double *hess)
{
    dc_real v = 0, g[3] = {0, 0, 0}, H[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (dc_sdf_eval(s, x, &v, g, H) != DC_OK) v = (dc_real)HUGE_VAL;
    worst_add(&e->value, fabs((double)v - value[0])/length, "%s", rec.name);
    if (grad) worst_add(&e->grad, relative_error(g, grad, 3), "%s", rec.name);
    if (hess) {
        /* the differences of the table have a noise of 1e-31, so that no smaller matrix has nine digits */
        double most = 0;
        int k;
        for (k = 0; k < 9; ++k) most = fmax(most, fabs(hess[k]));
        if (most > 1e-20) worst_add(&e->hess, relative_error(H, hess, 9), "%s", rec.name);
        else worst_add(&e->hess, largest(H, 9), "%s", rec.name);
    }
}

/* what a record's numbers become by rounding them to dc_real moves the result by */
static double rounded(double in_double, double in_float) { return DC_IS_FLOAT ? in_float : in_double; }

/* dir and ddir at a point, by a batch of one */
static unsigned char memory[1 << 16];
static void dir_of(const dc_sdf *s, dc_v3 x, dc_real d[3], dc_real D[6])
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_sdf_out out = DC_ZERO;
    dc_real row[3];
    int k;
    row[0] = x.x; row[1] = x.y; row[2] = x.z;
    out.dir = d;
    out.ddir = D;
    if (dc_sdf_eval_batch(s, 1, row, 1, &mem, &out) != DC_OK)
        for (k = 0; k < 3; ++k) d[k] = (dc_real)HUGE_VAL;
}

/* ---- tables ------------------------------------------------------------------------------------- */

TEST superquadrics_of_the_table(void)
{
    table t;
    errors e = errors_of();
    worst taubin = worst_make("Taubin's value"), dir = worst_make("direction");
    long n = 0;
    ASSERT(table_open(&t, "sdf_superquadric.txt"));
    for (; record_next(&t, &rec); ++n) {
        double row[11];
        dc_sdf_prim p;
        dc_sdf s;
        dc_v3 x = vec_of(record_get(&rec, "x", NULL));
        dc_real v, d[3], D[6];
        memcpy(row, record_get(&rec, "pos", NULL), 3*sizeof *row);
        memcpy(row + 3, record_get(&rec, "rotvec", NULL), 3*sizeof *row);
        memcpy(row + 6, record_get(&rec, "scale", NULL), 3*sizeof *row);
        row[9] = record_one(&rec, "eps1");
        row[10] = record_one(&rec, "eps2");
        p = superquadric_of(row);
        s = sdf_of(&p, 1, 0);
        compare(&e, &s, x, 1, record_get(&rec, "phi", NULL), record_get(&rec, "phi_grad", NULL), record_get(&rec, "phi_hess", NULL));
        dir_of(&s, x, d, D);
        worst_add(&dir, relative_error(d, record_get(&rec, "F_grad", NULL), 3), "%s", rec.name);
        p.taubin = 1;
        v = (dc_real)HUGE_VAL;
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, &v, NULL, NULL));
        worst_add(&taubin, fabs((double)v - record_one(&rec, "phi_taubin")), "%s", rec.name);
    }
    table_close(&t);
    ASSERT_EQ(40, n);
    ASSERT(worst_print(&e.value, rounded(1e-12, 1e-4)) & worst_print(&e.grad, rounded(1e-12, 1e-4)) & worst_print(&e.hess, rounded(1e-12, 1e-4)));
    ASSERT(worst_print(&taubin, rounded(1e-12, 1e-4)) & worst_print(&dir, rounded(1e-12, 1e-4)));
    PASS();
}

TEST polyhedra_of_the_table(void)
{
    table t;
    errors e = errors_of(), m = errors_of();
    long n = 0;
    ASSERT(table_open(&t, "sdf_polyhedron.txt"));
    for (; record_next(&t, &rec); ++n) {
        dc_sdf_prim p = prim_zero(DC_SDF_POLYHEDRON);
        dc_sdf s = sdf_of(&p, 1, 0);
        dc_v3 x = vec_of(record_get(&rec, "x", NULL));
        const double *v = record_get(&rec, "n", &p.count);
        p.count /= 3;
        ASSERT(p.count <= MOST);
        to_points(v, p.count, normals);
        to_points(record_get(&rec, "p", NULL), p.count, points);
        p.n = normals;
        p.p = points;
        p.pose.t = vec_of(record_get(&rec, "pos", NULL));
        p.pose.q = dc_quat_exp(vec_of(record_get(&rec, "rotvec", NULL)));
        p.smooth = (dc_real)record_one(&rec, "tau");
        compare(&e, &s, x, 1, record_get(&rec, "phi", NULL), record_get(&rec, "phi_grad", NULL), record_get(&rec, "phi_hess", NULL));
        p.smooth = 0;
        compare(&m, &s, x, 1, record_get(&rec, "phi_max", NULL), NULL, NULL);
    }
    table_close(&t);
    ASSERT_EQ(24, n);
    ASSERT(worst_print(&e.value, rounded(1e-12, 1e-4)) & worst_print(&e.grad, rounded(1e-9, 1e-3)) & worst_print(&e.hess, rounded(1e-9, 1e-3)));
    ASSERT(worst_print(&m.value, rounded(1e-12, 1e-4)));
    PASS();
}

TEST clouds_of_the_table(void)
{
    table t;
    errors e = errors_of();
    long n = 0;
    ASSERT(table_open(&t, "sdf_pointcloud.txt"));
    for (; record_next(&t, &rec); ++n) {
        dc_sdf_prim p = prim_zero(DC_SDF_CLOUD);
        dc_sdf s = sdf_of(&p, 1, 0);
        dc_v3 x = vec_of(record_get(&rec, "x", NULL));
        const double *v = record_get(&rec, "sigma", &p.count);
        int k;
        ASSERT(p.count <= MOST);
        for (k = 0; k < p.count; ++k) sigmas[k] = (dc_real)v[k];
        to_points(record_get(&rec, "n", NULL), p.count, normals);
        to_points(record_get(&rec, "p", NULL), p.count, points);
        p.n = normals;
        p.p = points;
        p.sigma = sigmas;
        compare(&e, &s, x, 1, record_get(&rec, "phi", NULL), record_get(&rec, "phi_grad", NULL), record_get(&rec, "phi_hess", NULL));
    }
    table_close(&t);
    ASSERT_EQ(14, n);
    ASSERT(worst_print(&e.value, rounded(1e-12, 1e-4)) & worst_print(&e.grad, rounded(1e-12, 1e-4)) & worst_print(&e.hess, rounded(1e-12, 1e-4)));
    PASS();
}

TEST unions_and_differences_of_the_table(void)
{
    table t;
    errors u = errors_of(), d = errors_of();
    static dc_sdf_prim prim[MOST];
    long n = 0;
    ASSERT(table_open(&t, "sdf_compose.txt"));
    for (; record_next(&t, &rec); ++n) {
        dc_v3 x = vec_of(record_get(&rec, "x", NULL));
        int count, k;
        const double *v = record_get(&rec, "sq", &count);
        dc_sdf s;
        count /= 11;
        ASSERT(count < MOST);
        for (k = 0; k < count; ++k) prim[k] = superquadric_of(v + 11*k);
        prim[count] = superquadric_of(record_get(&rec, "minus", NULL));
        prim[count].subtract = 1;
        s = sdf_of(prim, count, (dc_real)record_one(&rec, "tau"));
        compare(&u, &s, x, 1, record_get(&rec, "uni", NULL), record_get(&rec, "uni_grad", NULL), record_get(&rec, "uni_hess", NULL));
        s.n = count + 1;
        compare(&d, &s, x, 1, record_get(&rec, "sub", NULL), record_get(&rec, "sub_grad", NULL), record_get(&rec, "sub_hess", NULL));
    }
    table_close(&t);
    ASSERT_EQ(14, n);
    ASSERT(worst_print(&u.value, rounded(1e-12, 1e-4)) & worst_print(&u.grad, rounded(1e-12, 1e-4)) & worst_print(&u.hess, rounded(1e-12, 1e-4)));
    ASSERT(worst_print(&d.value, rounded(1e-12, 1e-4)) & worst_print(&d.grad, rounded(1e-12, 1e-4)) & worst_print(&d.hess, rounded(1e-12, 1e-4)));
    PASS();
}

/* ---- derivatives -------------------------------------------------------------------------------- */

enum { KINDS = 6 };
static const char *const kind_name[KINDS] = {"superquadric", "polyhedron", "cloud", "sphere", "box", "capsule"};

static dc_v3 random_vec(rng *r, double size)
{
    double x = rng_uniform(r, -size, size), y = rng_uniform(r, -size, size), z = rng_uniform(r, -size, size);
    return dc_vec((dc_real)x, (dc_real)y, (dc_real)z);
}

static dc_v3 random_unit(rng *r)
{
    double u[3];
    rng_unit3(r, u);
    return vec_of(u);
}

/* planes about a ball, points on it; shared by all primitives of a test */
static void random_points(rng *r)
{
    int k;
    for (k = 0; k < MOST; ++k) {
        normals[k] = random_unit(r);
        points[k] = dc_scale((dc_real)rng_uniform(r, 0.7, 1), normals[k]);
        sigmas[k] = (dc_real)rng_uniform(r, 0.2, 0.5);
    }
}

static dc_sdf_prim random_prim(rng *r, dc_sdf_kind kind)
{
    dc_sdf_prim p = prim_zero(kind);
    p.pose.t = random_vec(r, 1);
    p.pose.q = dc_quat_exp(random_vec(r, 2));
    p.scale = (dc_real)rng_uniform(r, 0.5, 2);
    p.size = dc_add(dc_vec(1, 1, 1), random_vec(r, 0.7));
    p.eps1 = (dc_real)rng_uniform(r, 0.1, 1);
    p.eps2 = (dc_real)rng_uniform(r, 0.1, 1);
    p.smooth = (dc_real)0.1;
    p.count = rng_int(r, 4, 20);
    p.n = normals;
    p.p = points;
    p.sigma = sigmas;
    return p;
}

static void set3(double *x, dc_v3 v)
{
    x[0] = (double)v.x;
    x[1] = (double)v.y;
    x[2] = (double)v.z;
}

static void fd_value(const double *x, double *f, void *user)
{
    dc_real v = (dc_real)HUGE_VAL;
    dc_sdf_eval((const dc_sdf *)user, vec_of(x), &v, NULL, NULL);
    f[0] = (double)v;
}

static void fd_grad(const double *x, double *f, void *user)
{
    dc_real g[3] = {0, 0, 0};
    dc_sdf_eval((const dc_sdf *)user, vec_of(x), NULL, g, NULL);
    to_double(g, f, 3);
}

static void fd_dir(const double *x, double *f, void *user)
{
    dc_real d[3], D[6];
    dir_of((const dc_sdf *)user, vec_of(x), d, D);
    to_double(d, f, 3);
}

static void full(const dc_real *u, double *H)
{
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    int k;
    for (k = 0; k < 9; ++k) H[k] = (double)u[at[k]];
}

/* Error relative to the largest entry, or to 1e-3 (per unit length) where all are smaller: flat regions */
static double checked(fd_fun fun, dc_sdf *s, const double *x, int m, const double *jac, double *order)
{
    fd_result f = fd_check(fun, s, 3, x, m, jac, 0.004);
    double most = 0;
    int k;
    for (k = 0; k < 3*m; ++k) most = fmax(most, fabs(jac[k]));
    *order = f.order;
    return (f.bit_equal ? 0 : f.err)*fmin(1, most/1e-3);
}

static int derivatives_of(dc_sdf_kind kind, int taubin, double bar)
{
    worst g = worst_make(kind_name[kind]), h = worst_make("  Hessian"), d = worst_make("  direction");
    long k, n = sweep_count(200);
    rng r;
    rng_seed(&r, 7 + (uint64_t)kind);
    for (k = 0; k < n; ++k) {
        dc_sdf_prim p;
        dc_sdf s;
        dc_v3 x;
        double X[3], jac[9];
        dc_real v, grad[3], hess[9], dir[3], D[6];
        double e, order;
        random_points(&r);
        p = random_prim(&r, kind);
        p.taubin = taubin;
        s = sdf_of(&p, 1, 0);
        x = dc_add(p.pose.t, random_vec(&r, 3));
        if (dc_sdf_eval(&s, x, &v, grad, hess) != DC_OK) return 0;
        set3(X, x);
        to_double(grad, jac, 3);
        e = checked(fd_value, &s, X, 1, jac, &order);
        worst_add(&g, e, "%ld order %g", k, order);
        to_double(hess, jac, 9);
        e = checked(fd_grad, &s, X, 3, jac, &order);
        worst_add(&h, e, "%ld order %g", k, order);
        dir_of(&s, x, dir, D);
        full(D, jac);
        e = checked(fd_dir, &s, X, 3, jac, &order);
        worst_add(&d, e, "%ld order %g", k, order);
    }
    return worst_print(&g, bar) & worst_print(&h, bar) & worst_print(&d, bar);
}

TEST derivatives_of_every_kind(void)
{
    int ok = 1, k;
    if (DC_IS_FLOAT) SKIPm("differences want double");
    for (k = 0; k < KINDS; ++k) ok &= derivatives_of((dc_sdf_kind)k, 0, 1e-7);
    ok &= derivatives_of(DC_SDF_SUPERQUADRIC, 1, 1e-7);
    ASSERT(ok);
    PASS();
}

/* ---- composed fields ----------------------------------------------------------------------------- */

enum { PARTS = 9 };

/* one of every kind and two more superquadrics, unions and subtractions in turn */
static dc_sdf random_field(rng *r, dc_sdf_prim *p, dc_real tau)
{
    int k;
    random_points(r);
    for (k = 0; k < PARTS; ++k) {
        p[k] = random_prim(r, (dc_sdf_kind)(k % KINDS));
        p[k].taubin = k == 6;
        p[k].subtract = k == 3 || k == 4 || k == 7;
        p[k].scale = k == 2 ? 0 : p[k].scale;
    }
    return sdf_of(p, PARTS, tau);
}

TEST derivatives_of_composed_fields(void)
{
    worst g = worst_make("gradient"), h = worst_make("Hessian");
    long k, n = sweep_count(200);
    rng r;
    if (DC_IS_FLOAT) SKIPm("differences want double");
    rng_seed(&r, 70);
    for (k = 0; k < n; ++k) {
        dc_sdf_prim p[PARTS];
        dc_sdf s = random_field(&r, p, DC_R(0.3));
        dc_v3 x = random_vec(&r, 2);
        double X[3], jac[9], order, e;
        dc_real grad[3], hess[9];
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, NULL, grad, hess));
        set3(X, x);
        to_double(grad, jac, 3);
        e = checked(fd_value, &s, X, 1, jac, &order);
        worst_add(&g, e, "%ld order %g", k, order);
        to_double(hess, jac, 9);
        e = checked(fd_grad, &s, X, 3, jac, &order);
        worst_add(&h, e, "%ld order %g", k, order);
    }
    ASSERT(worst_print(&g, 1e-7) & worst_print(&h, 1e-7));
    PASS();
}

/* a field with one primitive's parameters moved */
typedef struct { dc_sdf s; dc_sdf_prim *part; dc_sdf_prim was; dc_v3 x; } moved;

static void fd_params(const double *d, double *f, void *user)
{
    moved *m = (moved *)user;
    dc_sdf_prim *p = m->part;
    dc_real xi[6], v = (dc_real)HUGE_VAL;
    int k;
    *p = m->was;
    for (k = 0; k < 6; ++k) xi[k] = (dc_real)d[k];
    p->pose = dc_pose_retract(p->pose, xi);
    p->size = dc_add(p->size, dc_vec((dc_real)d[6], (dc_real)d[7], (dc_real)d[8]));
    p->eps1 += (dc_real)d[9];
    p->eps2 += (dc_real)d[10];
    p->scale = (p->scale == 0 ? 1 : p->scale) + (dc_real)d[11];
    dc_sdf_eval(&m->s, m->x, &v, NULL, NULL);
    *p = m->was;
    f[0] = (double)v;
}

TEST derivatives_by_parameters(void)
{
    worst w = worst_make("by parameters"), same = worst_make("value");
    long k, n = sweep_count(60);
    rng r;
    if (DC_IS_FLOAT) SKIPm("differences want double");
    rng_seed(&r, 71);
    for (k = 0; k < n; ++k) {
        dc_sdf_prim p[PARTS];
        moved m;
        dc_real d[PARTS*DC_SDF_PARAMS], v = 0, v1 = 0;
        const double zero[DC_SDF_PARAMS] = {0};
        int i, j;
        m.s = random_field(&r, p, DC_R(0.5));
        m.x = random_vec(&r, 2);
        ASSERT_EQ(DC_OK, dc_sdf_eval_params(&m.s, m.x, &v, d));
        ASSERT_EQ(DC_OK, dc_sdf_eval(&m.s, m.x, &v1, NULL, NULL));
        worst_add(&same, fabs((double)(v - v1)), "%ld", k);
        for (i = 0; i < PARTS; ++i) {
            double jac[DC_SDF_PARAMS], most = 0;
            fd_result f;
            m.part = p + i;
            m.was = p[i];
            to_double(d + DC_SDF_PARAMS*i, jac, DC_SDF_PARAMS);
            for (j = 0; j < DC_SDF_PARAMS; ++j) most = fmax(most, fabs(jac[j]));
            f = fd_check(fd_params, &m, DC_SDF_PARAMS, zero, 1, jac, 0.002);
            worst_add(&w, f.err*fmin(1, most/1e-3), "field %ld part %d (%s) order %g", k, i, kind_name[i % KINDS], f.order);
        }
    }
    ASSERT(worst_print(&w, 1e-7) & worst_print(&same, 0));
    PASS();
}

TEST unions_bracket_the_minimum(void)
{
    worst above = worst_make("above the minimum, over tau"), below = worst_make("below it, over tau log n");
    worst order = worst_make("order of the primitives"), twice = worst_make("a primitive twice, less tau log 2");
    long k, n = sweep_count(2000);
    rng r;
    rng_seed(&r, 72);
    for (k = 0; k < n; ++k) {
        dc_sdf_prim p[PARTS], q[PARTS];
        dc_sdf s = random_field(&r, p, DC_R(0.1)), t = sdf_of(q, PARTS, s.tau);
        dc_v3 x = random_vec(&r, 3);
        dc_real v = 0, least = DC_REAL_MAX, u = 0;
        int i;
        for (i = 0; i < PARTS; ++i) {
            dc_sdf one = sdf_of(p + i, 1, 0);
            p[i].subtract = 0;
            q[PARTS - 1 - i] = p[i];
            ASSERT_EQ(DC_OK, dc_sdf_eval(&one, x, &u, NULL, NULL));
            least = dc_min(least, u);
        }
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, &v, NULL, NULL));
        worst_add(&above, (double)((v - least)/s.tau), "%ld", k);
        worst_add(&below, (double)(least - v)/((double)s.tau*log(PARTS)), "%ld", k);
        ASSERT_EQ(DC_OK, dc_sdf_eval(&t, x, &u, NULL, NULL));
        worst_add(&order, fabs((double)(u - v)), "%ld", k);
        s.tau = 0;
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, &u, NULL, NULL));
        ASSERT(u == least);
        t = sdf_of(p, 1, DC_R(0.1));
        ASSERT_EQ(DC_OK, dc_sdf_eval(&t, x, &u, NULL, NULL));
        p[1] = p[0];
        t.n = 2;
        ASSERT_EQ(DC_OK, dc_sdf_eval(&t, x, &v, NULL, NULL));
        worst_add(&twice, fabs((double)(u - v) - 0.1*log(2.0)), "%ld", k);
    }
    ASSERT(worst_print(&above, 0) & worst_print(&below, 1) & worst_print(&order, 64*EPS) & worst_print(&twice, 32*EPS));
    PASS();
}

/* ---- many points --------------------------------------------------------------------------------- */

TEST batch_is_the_points(void)
{
    enum { MANY = 203, STRIDE = 211 };
    static dc_real x[3*STRIDE], value[STRIDE], grad[3*STRIDE], hess[6*STRIDE], dir[3*STRIDE], ddir[6*STRIDE], alone[STRIDE];
    worst w = worst_make("batch");
    const double bar = 64*EPS;
    long k, n = sweep_count(40);
    rng r;
    rng_seed(&r, 73);
    for (k = 0; k < n; ++k) {
        dc_sdf_prim p[PARTS];
        dc_sdf s = random_field(&r, p, k % 3 == 0 ? 0 : DC_R(0.2));
        dc_arena mem = dc_arena_make(memory, dc_sdf_batch_bytes());
        dc_sdf_out out = DC_ZERO;
        int count = k < 40 ? (int)(k*5) : MANY, i, j;
        size_t S = STRIDE;
        if (k % 4 == 1) s.n = 1;
        for (i = 0; i < MANY; ++i) {
            dc_v3 at = random_vec(&r, 3);
            x[i] = at.x; x[S + (size_t)i] = at.y; x[2*S + (size_t)i] = at.z;
            value[i] = -7;
        }
        out.value = value; out.grad = grad; out.hess = hess; out.dir = dir; out.ddir = ddir;
        ASSERT_EQ(DC_OK, dc_sdf_eval_batch(&s, count, x, S, &mem, &out));
        ASSERT_EQ(0, mem.used);
        ASSERT(value[count] == -7);
        for (i = 0; i < count; ++i) {
            size_t I = (size_t)i;
            dc_real v = 0, g[3] = {0, 0, 0}, H[9] = {0}, row[10], want[10];
            ASSERT_EQ(DC_OK, dc_sdf_eval(&s, dc_vec(x[I], x[S + I], x[2*S + I]), &v, g, H));
            want[0] = v;
            for (j = 0; j < 3; ++j) want[1 + j] = g[j];
            want[4] = H[0]; want[5] = H[1]; want[6] = H[2]; want[7] = H[4]; want[8] = H[5]; want[9] = H[8];
            row[0] = value[I];
            for (j = 0; j < 3; ++j) row[1 + j] = grad[(size_t)j*S + I];
            for (j = 0; j < 6; ++j) row[4 + j] = hess[(size_t)j*S + I];
#ifdef DC_TEST_NO_CONTRACT
            ASSERT(memcmp(row, want, sizeof row) == 0);
#endif
            for (j = 0; j < 10; ++j)
                worst_add(&w, fabs((double)(row[j] - want[j]))/(1 + largest(H, 9)), "%ld point %d number %d", k, i, j);
            /* the direction of a field that is not one radial superquadric is the gradient */
            if (s.n > 1) {
                for (j = 0; j < 3; ++j) ASSERT(dir[(size_t)j*S + I] == row[1 + j]);
                for (j = 0; j < 6; ++j) ASSERT(ddir[(size_t)j*S + I] == row[4 + j]);
            }
        }
        /* what is not asked for does not change what is */
        memset(&out, 0, sizeof out);
        out.value = alone;
        ASSERT_EQ(DC_OK, dc_sdf_eval_batch(&s, count, x, S, &mem, &out));
#ifdef DC_TEST_NO_CONTRACT
        ASSERT(memcmp(alone, value, (size_t)count*sizeof *value) == 0);
#endif
    }
    ASSERT(worst_print(&w, bar*100));
    PASS();
}

GREATEST_MAIN_DEFS();
int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(superquadrics_of_the_table);
    RUN_TEST(polyhedra_of_the_table);
    RUN_TEST(clouds_of_the_table);
    RUN_TEST(unions_and_differences_of_the_table);
    RUN_TEST(derivatives_of_every_kind);
    RUN_TEST(derivatives_of_composed_fields);
    RUN_TEST(derivatives_by_parameters);
    RUN_TEST(unions_bracket_the_minimum);
    RUN_TEST(batch_is_the_points);
    GREATEST_MAIN_END();
}
