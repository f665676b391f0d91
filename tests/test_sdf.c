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
#include "field.h"
#include "record.h"

#define MOST 64                     /* planes, points, primitives of a case */

static record rec;
static dc_v3 normals[MOST], points[MOST];
static dc_real sigmas[MOST];

static dc_v3 vec_of(const double *x) { return dc_vec((dc_real)x[0], (dc_real)x[1], (dc_real)x[2]); }

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
    ASSERT(worst_print(&e.value, rounded(1e-12, 1e-4)) & worst_print(&e.grad, rounded(1e-12, 1e-4))
           & worst_print(&e.hess, rounded(1e-12, 1e-4)));
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
    ASSERT(worst_print(&e.value, rounded(1e-12, 1e-4)) & worst_print(&e.grad, rounded(1e-9, 1e-3))
           & worst_print(&e.hess, rounded(1e-9, 1e-3)));
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
    ASSERT(worst_print(&e.value, rounded(1e-12, 1e-4)) & worst_print(&e.grad, rounded(1e-12, 1e-4))
           & worst_print(&e.hess, rounded(1e-12, 1e-4)));
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
    ASSERT(worst_print(&u.value, rounded(1e-12, 1e-4)) & worst_print(&u.grad, rounded(1e-12, 1e-4))
           & worst_print(&u.hess, rounded(1e-12, 1e-4)));
    ASSERT(worst_print(&d.value, rounded(1e-12, 1e-4)) & worst_print(&d.grad, rounded(1e-12, 1e-4))
           & worst_print(&d.hess, rounded(1e-12, 1e-4)));
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

/* On the axes and coordinate planes of a primitive, where coordinates are 0 exactly. */
TEST derivatives_on_coordinate_planes(void)
{
    static const dc_sdf_kind kind[4] = {DC_SDF_SPHERE, DC_SDF_CAPSULE, DC_SDF_BOX, DC_SDF_SUPERQUADRIC};
    worst g = worst_make("gradient"), h = worst_make("Hessian");
    int k, bits;
    if (DC_IS_FLOAT) SKIPm("differences want double");
    for (k = 0; k < 4; ++k)
        for (bits = 1; bits < 7; ++bits) {
            dc_sdf_prim p = prim_zero(kind[k]);
            dc_sdf s = sdf_of(&p, 1, 0);
            dc_v3 x = dc_vec(bits & 1 ? DC_R(1.7) : 0, bits & 2 ? DC_R(-2.1) : 0, bits & 4 ? DC_R(2.6) : 0);
            double X[3], jac[9], order, e;
            dc_real grad[3], hess[9];
            p.size = dc_vec(1, DC_R(0.8), DC_R(1.2));
            p.eps1 = p.eps2 = DC_R(0.5);
            ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, NULL, grad, hess));
            set3(X, x);
            to_double(grad, jac, 3);
            e = checked(fd_value, &s, X, 1, jac, &order);
            worst_add(&g, e, "kind %d, point %d, order %g", k, bits, order);
            to_double(hess, jac, 9);
            e = checked(fd_grad, &s, X, 3, jac, &order);
            worst_add(&h, e, "kind %d, point %d, order %g", k, bits, order);
        }
    ASSERT(worst_print(&g, 1e-7) & worst_print(&h, 1e-7));
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

/* ---- third derivatives along directions ----------------------------------------------------------- */

typedef struct { const dc_sdf *s; dc_v3 x, u; } line;

static void fd_ddir(const double *t, double *f, void *user)
{
    const line *l = (const line *)user;
    dc_real d[3], D[6];
    dir_of(l->s, dc_madd(l->x, (dc_real)t[0], l->u), d, D);
    to_double(D, f, 6);
}

static int along_of(const dc_sdf *s, dc_v3 x, dc_v3 u, dc_real T[6])
{
    dc_arena mem = dc_arena_make(memory, dc_sdf_along_bytes());
    dc_real at[3], to[3];
    at[0] = x.x; at[1] = x.y; at[2] = x.z;
    to[0] = u.x; to[1] = u.y; to[2] = u.z;
    return dc_sdf_ddir_along(s, 1, at, to, 1, &mem, T) == DC_OK && mem.used == 0;
}

/* Every kind alone, then all in unions and subtractions. */
TEST third_derivatives_along_directions(void)
{
    int kind;
    if (DC_IS_FLOAT) SKIPm("differences want double");
    for (kind = 0; kind <= KINDS; ++kind) {
        worst w = worst_make(kind < KINDS ? kind_name[kind] : "composed");
        long k, n = sweep_count(200);
        rng r;
        rng_seed(&r, 170 + (uint64_t)kind);
        for (k = 0; k < n; ++k) {
            dc_sdf_prim p[PARTS];
            dc_sdf s = random_field(&r, p, DC_R(0.3));
            dc_real T[6];
            double jac[6], zero = 0, most = 0;
            fd_result f;
            line l;
            int j;
            p[6].taubin = 0;
            l.x = random_vec(&r, 2);
            l.u = random_unit(&r);
            if (kind < KINDS) {
                p[0] = random_prim(&r, (dc_sdf_kind)kind);
                l.x = dc_add(p[0].pose.t, random_vec(&r, 3));
                s.n = 1;
            }
            l.s = &s;
            ASSERT(along_of(&s, l.x, l.u, T));
            to_double(T, jac, 6);
            for (j = 0; j < 6; ++j) most = fmax(most, fabs(jac[j]));
            f = fd_check(fd_ddir, &l, 1, &zero, 6, jac, 0.004);
            worst_add(&w, f.bit_equal ? 0 : f.err*fmin(1, most/1e-3), "%ld order %g of %g", k, f.order, most);
        }
        ASSERT(worst_print(&w, 1e-7));
    }
    PASS();
}

/* All primitives of a field folded at a point in their order, none left out. */
static dci_jet fold_of_all(const dc_sdf *s, dc_v3 x)
{
    dci_sdf_fold f;
    dc_real inv_tau, hess_tau, weight;
    int i, subtract = 0;
    dci_sdf_taus(s->tau, &inv_tau, &hess_tau);
    f.jet = dci_jet_zero();
    f.sum = 1;
    for (i = 0; i < s->n; ++i) {
        dci_sdf_part part;
        dci_jet j;
        dci_sdf_part_of(&s->prim[i], &part);
        j = dci_sdf_part_at(&part, x, 2);
        if (!s->prim[i].subtract != !subtract) {
            f = dci_sdf_fold_close(f, s->tau, -1);
            subtract = !subtract;
        }
        if (i > 0) f = dci_sdf_fold_in(f, j, inv_tau, hess_tau, 2, &weight);
        else f.jet = j;
    }
    return dci_sdf_fold_close(f, s->tau, subtract ? DC_R(-1) : DC_R(1)).jet;
}

/* Many primitives, of which a point needs few: against the fold of all of them the value loses tau n DC_EPS at most, the gradient that of
 * the largest entry and the Hessian that over tau; alone and in a batch the bits are the same. */
TEST what_is_left_out_is_rounding(void)
{
    enum { MANY = 40, POINTS = 21 };
    worst wv = worst_make("values over tau n EPS"), wg = worst_make("gradients over n EPS"), wh = worst_make("Hessians over n EPS");
    long i, n = sweep_count(300), left_out = 0, all = 0;
    rng r;
    rng_seed(&r, 37);
    random_points(&r);
    for (i = 0; i < n; ++i) {
        dc_sdf_prim p[MANY];
        dc_real x[3*POINTS], value[POINTS], grad[3*POINTS], hess[6*POINTS];
        dc_sdf_out out = DC_ZERO;
        dc_sdf s;
        int k, l;
        s.prim = p;
        s.n = 4 + (int)rng_uniform(&r, 0, MANY - 4);
        s.tau = i%8 == 0 ? 0 : (dc_real)rng_log(&r, 0.003, 0.3);
        for (k = 0; k < s.n; ++k) {
            p[k] = random_prim(&r, (dc_sdf_kind)(i%3 == 0 ? k%KINDS : DC_SDF_SUPERQUADRIC));
            p[k].pose.t = random_vec(&r, 4);
            p[k].subtract = i%4 == 1 && (k/6)%2;
        }
        for (k = 0; k < 3*POINTS; ++k) x[k] = (dc_real)rng_uniform(&r, -4, 4);
        out.value = value;
        out.grad = grad;
        out.hess = hess;
        {
            dc_arena mem = dc_arena_make(memory, dc_sdf_batch_bytes());
            ASSERT_EQ(DC_OK, dc_sdf_eval_batch(&s, POINTS, x, POINTS, &mem, &out));
        }
        for (k = 0; k < POINTS; ++k) {
            static const int row[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
            const dc_v3 at = dc_vec(x[k], x[POINTS + k], x[2*POINTS + k]);
            const dci_jet j = fold_of_all(&s, at);
            const double g[3] = {(double)j.by_x, (double)j.by_y, (double)j.by_z};
            const double h[6] = {(double)j.by_xx, (double)j.by_xy, (double)j.by_xz, (double)j.by_yy, (double)j.by_yz, (double)j.by_zz};
            double least = s.tau > 0 ? (double)s.tau : 1, big = 1, bend = 1/least, bar = s.n*EPS;
            dc_real v, G[3], H[9], weight[MANY*DC_SDF_PARAMS];
            ASSERT_EQ(DC_OK, dc_sdf_eval(&s, at, &v, G, H));
            ASSERT_EQ(DC_OK, dc_sdf_eval_params(&s, at, NULL, weight));
            for (l = 0; l < s.n; ++l) left_out += !(dc_abs(weight[l*DC_SDF_PARAMS]) > 0);
            all += s.n;
            ASSERT(memcmp(&v, &value[k], sizeof v) == 0);
            for (l = 0; l < 3; ++l) ASSERT(memcmp(&G[l], &grad[l*POINTS + k], sizeof v) == 0);
            for (l = 0; l < 9; ++l) ASSERT(memcmp(&H[l], &hess[row[l]*POINTS + k], sizeof v) == 0);
            for (l = 0; l < 3; ++l) big = fmax(big, fabs(g[l]));
            for (l = 0; l < 6; ++l) bend = fmax(bend, fabs(h[l]));
            worst_add(&wv, fabs((double)(v - j.value))/(bar*fmax(least, fabs((double)v))), "%ld, point %d", i, k);
            for (l = 0; l < 3; ++l) worst_add(&wg, fabs((double)G[l] - g[l])/(bar*big), "%ld, point %d", i, k);
            for (l = 0; l < 9; ++l) worst_add(&wh, fabs((double)H[l] - h[row[l]])/(bar*bend*big*big), "%ld, point %d", i, k);
        }
    }
    printf("  %.3g left out\n", (double)left_out/(double)all);
    ASSERT(worst_print(&wv, 1) & worst_print(&wg, 1) & worst_print(&wh, 1));
    ASSERT(left_out > all/3);
    PASS();
}

/* Lower bounds over balls, of every kind, of unions and subtractions: below what the field is anywhere in a ball, and of use, a
 * superquadric's within its size of the least value far away. */
TEST bounds_are_below(void)
{
    worst w = worst_make("bound above a value, over distance"), far_off = worst_make("a lobe's bound below its value, over its size");
    long k, n = sweep_count(2000), known = 0;
    rng r;
    rng_seed(&r, 77);
    for (k = 0; k < n; ++k) {
        dc_sdf_prim p[PARTS];
        dc_sdf s;
        dc_v3 c[2], x;
        dc_real radius[2], least[2], v;
        int i;
        if (k & 1) s = random_field(&r, p, k & 2 ? DC_R(0.3) : 0);
        else {
            random_points(&r);
            p[0] = random_prim(&r, (dc_sdf_kind)(k/2 % KINDS));
            p[0].taubin = k & 16 ? 1 : 0;
            s = sdf_of(p, 1, 0);
        }
        for (i = 0; i < 2; ++i) {
            c[i] = random_vec(&r, i ? 40 : 4);
            radius[i] = (dc_real)rng_uniform(&r, 0, 3);
        }
        ASSERT_EQ(DC_OK, dc_sdf_bound(&s, 2, c, radius, least));
        for (i = 0; i < 40; ++i) {
            double u[3];
            rng_unit3(&r, u);
            x = dc_madd(c[i & 1], radius[i & 1]*(dc_real)(i < 20 ? 1 : rng_uniform(&r, 0, 1)), vec_of(u));
            ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, &v, NULL, NULL));
            worst_add(&w, (double)((least[i & 1] - v)/(1 + dc_abs(v))), "%ld point %d", k, i);
        }
        known += least[1] > -DC_REAL_MAX;
        if (!(k & 1) && s.prim->kind == DC_SDF_SUPERQUADRIC && !s.prim->taubin) {
            const dc_real size = (s.prim->scale == 0 ? 1 : s.prim->scale)*dc_sqrt(dc_dot(s.prim->size, s.prim->size));
            ASSERT_EQ(DC_OK, dc_sdf_eval(&s, c[1], &v, NULL, NULL));
            worst_add(&far_off, (double)((v - radius[1] - least[1])/size), "%ld", k);
        }
    }
    ASSERT(worst_print(&w, 8*EPS) & worst_print(&far_off, 1));
    ASSERT(known > n/3);
    {
        static const dc_v3 c = {1, 2, 3}, bad = {1, 2, (dc_real)HUGE_VAL};
        const dc_real r0 = 1, less = -1;
        dc_sdf_prim p = prim_zero(DC_SDF_SPHERE);
        dc_sdf s;
        dc_real least = -7;
        p.size.x = 1;
        s = sdf_of(&p, 1, 0);
        ASSERT_EQ(DC_E_ARG, dc_sdf_bound(NULL, 1, &c, &r0, &least));
        ASSERT_EQ(DC_E_ARG, dc_sdf_bound(&s, -1, &c, &r0, &least));
        ASSERT_EQ(DC_E_ARG, dc_sdf_bound(&s, 1, &bad, &r0, &least));
        ASSERT_EQ(DC_E_ARG, dc_sdf_bound(&s, 1, &c, &less, &least));
        ASSERT_EQ(DC_E_ARG, dc_sdf_bound(&s, 1, NULL, &r0, &least));
        ASSERT(!(least > -7) && !(least < -7));
        ASSERT_EQ(DC_OK, dc_sdf_bound(&s, 0, NULL, NULL, NULL));
        ASSERT_EQ(DC_OK, dc_sdf_bound(&s, 1, &c, &r0, &least));
        ASSERT(dc_abs(least - (dc_sqrt(14) - 2)) < DC_R(2e-3));
    }
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
        worst_add(&below, (double)(least - v)/((double)s.tau*log((double)PARTS)), "%ld", k);
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
        int count = (int)((5*k + 33) % (MANY + 1)), i, j;
        size_t S = STRIDE;
        if (k % 4 == 1) s.n = 1;
        for (i = 0; i < MANY; ++i) {
            dc_v3 at = random_vec(&r, 3);
            x[i] = at.x; x[S + (size_t)i] = at.y; x[2*S + (size_t)i] = at.z;
            value[i] = -7;
        }
        value[MANY] = -7;
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

/* ---- what the kinds promise ----------------------------------------------------------------------- */

/* |x| (1 - 1/F) in long double, from ratios to the largest coordinate */
static long double radial_of(const dc_sdf_prim *p, dc_v3 x)
{
    long double u = fabsl((long double)x.x/(long double)p->size.x), v = fabsl((long double)x.y/(long double)p->size.y);
    long double w = fabsl((long double)x.z/(long double)p->size.z), m = fmaxl(u, fmaxl(v, w));
    long double a1 = 2/(long double)p->eps1, a2 = 2/(long double)p->eps2, r, F;
    u /= m;
    v /= m;
    w /= m;
    F = m*powl(powl(powl(u, a2) + powl(v, a2), a1/a2) + powl(w, a1), 1/a1);
    r = sqrtl((long double)x.x*(long double)x.x + (long double)x.y*(long double)x.y + (long double)x.z*(long double)x.z);
    return r - r/F;
}

/* Every exponent, on and beside the coordinate planes and axes, from 1e-9 to 1e6 sizes from the centre, sizes 1e-6 to 1e6. */
TEST superquadrics_at_extremes(void)
{
    static const double exponent[7] = {0.02, 0.03, 0.1, 0.5, 1, 1.5, 2}, part[5] = {0, 1e-12, 0.3, 1, 1e-3};
    static const double away[8] = {1e-9, 1e-3, 0.5, 0.99, 1.01, 3, 1e3, 1e6}, scale[3] = {1e-6, 1, 1e6};
    worst w = worst_make("value, over |x| or the size"), inward = worst_make("gradient along the ray, below 1");
    int a, b, i, j, k, l, s, taubin;
    for (a = 0; a < 7; ++a)
        for (b = 0; b < 7; ++b)
            for (s = 0; s < 3; ++s)
                for (l = 0; l < 8; ++l)
                    for (i = 0; i < 5; ++i)
                        for (j = 0; j < 5; ++j)
                            for (k = 0; k < 5; ++k)
                                for (taubin = 0; taubin < 2; ++taubin) {
                                    dc_sdf_prim p = prim_zero(DC_SDF_SUPERQUADRIC);
                                    dc_sdf f = sdf_of(&p, 1, 0);
                                    dc_real v = 0, g[3] = {0, 0, 0}, H[9] = {0};
                                    double size = scale[s], R = size*away[l], r;
                                    dc_status e;
                                    dc_v3 x = dc_vec((dc_real)(R*part[i]), (dc_real)(-R*part[j]), (dc_real)(R*part[k]));
                                    if (DC_TEST_SWEEP < 1 && (a + b + l + i + j + k) % 7 != 0) continue;
                                    p.size = dc_vec((dc_real)size, (dc_real)(0.5*size), (dc_real)(0.7*size));
                                    p.eps1 = (dc_real)exponent[a];
                                    p.eps2 = (dc_real)exponent[b];
                                    p.taubin = taubin;
                                    if (DC_IS_FLOAT && R > 1e9) continue;
                                    ASSERT_EQ(DC_OK, dc_sdf_eval(&f, x, &v, g, NULL));
                                    /* above 1 the Hessian has no bound on the coordinate planes */
                                    e = dc_sdf_eval(&f, x, NULL, NULL, H);
                                    ASSERT(e == DC_OK || (e == DC_E_RANGE && dc_max(p.eps1, p.eps2) > 1));
                                    if (i + j + k == 0) {
                                        ASSERT(fabs((double)v + 0.5*size) <= 4*EPS*size);
                                        ASSERT(g[0] == 0 && g[1] == 0 && g[2] == 0 && H[0] == 0);
                                        continue;
                                    }
                                    if (taubin) continue;
                                    r = sqrt((double)x.x*(double)x.x + (double)x.y*(double)x.y + (double)x.z*(double)x.z);
                                    if (DC_IS_FLOAT && r < 1e-9*size) continue;         /* counts as the centre */
                                    worst_add(&w, (double)fabsl((long double)v - radial_of(&p, x))/fmax(r, size), "eps %g %g x %g %g %g size %g",
                                              exponent[a], exponent[b], (double)x.x, (double)x.y, (double)x.z, size);
                                    /* grad phi . x = |x|: the radial form has slope 1 along rays */
                                    worst_add(&inward, fabs((double)(g[0]*x.x + g[1]*x.y + g[2]*x.z)/r - 1)/fmax(1, size/r),
                                              "eps %g %g x %g %g %g size %g", exponent[a], exponent[b], (double)x.x, (double)x.y, (double)x.z, size);
                                }
    ASSERT(worst_print(&w, 32*EPS) & worst_print(&inward, 256*EPS));
    PASS();
}

/* So near an axis that one over the distance from it does not fit: the derivatives are those on the axis. */
TEST superquadrics_a_hair_from_an_axis(void)
{
    static const double exponent[4] = {0.02, 0.1, 0.36, 0.66};
    int a, b, k, axis, taubin;
    for (a = 0; a < 4; ++a)
        for (b = 0; b < 4; ++b)
            for (axis = 0; axis < 3; ++axis)
                for (k = 0; k < 40; ++k)
                    for (taubin = 0; taubin < 2; ++taubin) {
                        dc_sdf_prim p = prim_zero(DC_SDF_SUPERQUADRIC);
                        dc_sdf f = sdf_of(&p, 1, 0);
                        dc_real x[3], g[3], H[9], g_on[3], H_on[9], hair = DC_REAL_MIN/8;
                        int i;
                        for (i = 0; i < k; ++i) hair *= DC_R(1e4);
                        if (hair > DC_R(1e-20)) continue;
                        p.size = dc_vec(1, DC_R(0.5), DC_R(0.7));
                        p.eps1 = (dc_real)exponent[a];
                        p.eps2 = (dc_real)exponent[b];
                        p.taubin = taubin;
                        for (i = 0; i < 3; ++i) x[i] = i == axis ? DC_R(1.1) : 0;
                        ASSERT_EQ(DC_OK, dc_sdf_eval(&f, dc_vec(x[0], x[1], x[2]), NULL, g_on, H_on));
                        x[(axis + 1)%3] = hair;
                        x[(axis + 2)%3] = DC_R(0.6)*hair;
                        ASSERT_EQ(DC_OK, dc_sdf_eval(&f, dc_vec(x[0], x[1], x[2]), NULL, g, H));
                        for (i = 0; i < 3; ++i) ASSERT(fabs((double)(g[i] - g_on[i])) <= 1e-6);
                        for (i = 0; i < 9; ++i) ASSERT(fabs((double)(H[i] - H_on[i])) <= 1e-6);
                    }
    PASS();
}

/* Through planes, axes and the tie of two norms: first derivatives change in proportion to the step. */
TEST superquadrics_are_smooth(void)
{
    worst w = worst_make("change of the gradient at a tenth of the step");
    long k, n = sweep_count(300);
    rng r;
    if (DC_IS_FLOAT) SKIPm("steps of 1e-6 want double");
    rng_seed(&r, 74);
    for (k = 0; k < n; ++k) {
        dc_sdf_prim p = prim_zero(DC_SDF_SUPERQUADRIC);
        dc_sdf s = sdf_of(&p, 1, 0);
        dc_v3 x = random_vec(&r, 2), dir = random_unit(&r);
        double jump[2] = {0, 0};
        int h, i, j;
        p.size = dc_add(dc_vec(1, 1, 1), random_vec(&r, 0.5));
        p.eps1 = (dc_real)rng_uniform(&r, 0.02, 0.9);
        p.eps2 = (dc_real)rng_uniform(&r, 0.02, 0.9);
        /* on a plane, an axis, where |x|/a = |y|/b, where the inner norm meets |z|/c */
        if (k % 4 == 0) x.x = 0;
        if (k % 4 == 1) x.x = x.y = 0;
        if (k % 4 == 2) x.y = x.x/p.size.x*p.size.y;
        if (k % 4 == 3) { x.z = p.size.z; x.x = p.size.x; x.y = 0; }
        for (h = 0; h < 2; ++h) {
            double step = h == 0 ? 1e-5 : 1e-6;
            dc_real g0[3] = {0, 0, 0}, g[3];
            for (i = -3; i <= 3; ++i) {
                ASSERT_EQ(DC_OK, dc_sdf_eval(&s, dc_madd(x, (dc_real)(step*i), dir), NULL, g, NULL));
                for (j = 0; j < 3; ++j) {
                    if (i > -3) jump[h] = fmax(jump[h], fabs((double)(g[j] - g0[j])));
                    g0[j] = g[j];
                }
            }
        }
        worst_add(&w, jump[0] > 1e-9 ? jump[1]/jump[0] : 0, "case %ld kind %ld", k, k % 4);
    }
    ASSERT(worst_print(&w, 0.3));
    PASS();
}

TEST exact_kinds_are_distances(void)
{
    worst ball = worst_make("superquadric ball"), box = worst_make("box"), cap = worst_make("capsule"), slope = worst_make("slope");
    long k, n = sweep_count(3000);
    rng r;
    rng_seed(&r, 75);
    for (k = 0; k < n; ++k) {
        dc_sdf_prim p = prim_zero(DC_SDF_SPHERE), q = prim_zero(DC_SDF_SUPERQUADRIC);
        dc_sdf s = sdf_of(&p, 1, 0), t = sdf_of(&q, 1, 0);
        dc_v3 x = random_vec(&r, 3), e, o;
        dc_real v = 0, u = 0, g[3] = {0, 0, 0};
        double want, inner;
        p.size = dc_add(dc_vec(1, 1, 1), random_vec(&r, 0.7));
        q.size = dc_vec(p.size.x, p.size.x, p.size.x);
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, &v, g, NULL));
        ASSERT_EQ(DC_OK, dc_sdf_eval(&t, x, &u, NULL, NULL));
        worst_add(&ball, fabs((double)(u - v)), "%ld", k);
        worst_add(&slope, fabs(sqrt((double)(g[0]*g[0] + g[1]*g[1] + g[2]*g[2])) - 1), "sphere %ld", k);
        /* outside: to the nearest point; inside: to the nearest face */
        p.kind = DC_SDF_BOX;
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, &v, g, NULL));
        e = dc_vec(dc_max(-p.size.x, dc_min(x.x, p.size.x)), dc_max(-p.size.y, dc_min(x.y, p.size.y)), dc_max(-p.size.z, dc_min(x.z, p.size.z)));
        o = dc_sub(x, e);
        inner = fmin((double)p.size.x - fabs((double)x.x), fmin((double)p.size.y - fabs((double)x.y), (double)p.size.z - fabs((double)x.z)));
        want = inner > 0 ? -inner : sqrt((double)dc_dot(o, o));
        worst_add(&box, fabs((double)v - want), "%ld", k);
        worst_add(&slope, fabs(sqrt((double)(g[0]*g[0] + g[1]*g[1] + g[2]*g[2])) - 1), "box %ld", k);
        p.kind = DC_SDF_CAPSULE;
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, &v, NULL, NULL));
        o = dc_vec(x.x, x.y, x.z - dc_max(-p.size.z, dc_min(x.z, p.size.z)));
        worst_add(&cap, fabs((double)v - sqrt((double)dc_dot(o, o)) + (double)p.size.x), "%ld", k);
    }
    ASSERT(worst_print(&ball, 16*EPS) & worst_print(&box, 8*EPS) & worst_print(&cap, 8*EPS) & worst_print(&slope, 8*EPS));
    PASS();
}

TEST polyhedra_round_by_what_they_say(void)
{
    /* a cube: at a face 0, on an edge smooth log 2, at a corner smooth log 3; beyond a corner 1/sqrt 3 of the distance */
    static const dc_v3 n[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    dc_sdf_prim p = prim_zero(DC_SDF_POLYHEDRON);
    dc_sdf s = sdf_of(&p, 1, 0);
    dc_real v = 0;
    p.n = p.p = n;
    p.count = 6;
    p.smooth = DC_R(0.05);
    ASSERT_EQ(DC_OK, dc_sdf_eval(&s, dc_vec(1, 0, 0), &v, NULL, NULL));
    ASSERT(fabs((double)v) < 1e-7);
    ASSERT_EQ(DC_OK, dc_sdf_eval(&s, dc_vec(1, 1, 0), &v, NULL, NULL));
    ASSERT(fabs((double)v - 0.05*log(2.0)) < 1e-7);
    ASSERT_EQ(DC_OK, dc_sdf_eval(&s, dc_vec(1, 1, 1), &v, NULL, NULL));
    ASSERT(fabs((double)v - 0.05*log(3.0)) < 1e-7);
    p.smooth = 0;
    ASSERT_EQ(DC_OK, dc_sdf_eval(&s, dc_vec(2, 2, 2), &v, NULL, NULL));
    ASSERT(fabs((double)v - 1) < 1e-7);         /* sqrt 3 away */
    PASS();
}

/* far from a cloud the nearest point decides, and nothing underflows to 0/0 */
TEST clouds_far_away(void)
{
    worst w = worst_make("over the distance");
    long k, n = sweep_count(300);
    rng r;
    rng_seed(&r, 76);
    for (k = 0; k < n; ++k) {
        dc_sdf_prim p = prim_zero(DC_SDF_CLOUD);
        dc_sdf s = sdf_of(&p, 1, 0);
        double far = rng_log(&r, 10, 1e4), most = -1e300;
        dc_v3 u = random_unit(&r), x = dc_scale((dc_real)far, u);
        dc_real v = 0, g[3] = {0, 0, 0}, H[9];
        int i, best = 0;
        random_points(&r);
        for (i = 0; i < 20; ++i) {
            dc_v3 e = dc_sub(x, points[i]);
            double a = -(double)dc_dot(e, e);
            sigmas[i] = DC_R(0.25);
            if (a > most) { most = a; best = i; }
        }
        p.n = normals;
        p.p = points;
        p.sigma = sigmas;
        p.count = 20;
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, &v, g, H));
        if (far > 1000) worst_add(&w, fabs((double)(v - dc_dot(normals[best], dc_sub(x, points[best]))))/far, "%ld far %g", k, far);
    }
    ASSERT(worst_print(&w, DC_IS_FLOAT ? 0.2 : 1e-3));
    PASS();
}

/* ---- bits ------------------------------------------------------------------------------------------- */

/* The same bits under every compiler: a hash of all that the fields compute. */
TEST golden_bits(void)
{
#ifdef DC_TEST_NO_CONTRACT
    uint64_t h = UINT64_C(14695981039346656037);
    rng r;
    int k;
    rng_seed(&r, 77);
    for (k = 0; k < 60; ++k) {
        dc_sdf_prim p[PARTS];
        dc_sdf s = random_field(&r, p, DC_R(0.2));
        dc_v3 x = random_vec(&r, 2);
        dc_real out[13 + PARTS*DC_SDF_PARAMS];
        memset(out, 0, sizeof out);
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, out, out + 1, out + 4));
        ASSERT_EQ(DC_OK, dc_sdf_eval_params(&s, x, NULL, out + 13));
        h = mix(h, out, 13 + PARTS*DC_SDF_PARAMS);
    }
    printf("  hash %016llx\n", (unsigned long long)h);
    ASSERT_EQ(DC_IS_FLOAT ? UINT64_C(0xa55acf22b8e94dbd) : UINT64_C(0x43ca193e860f2f51), h);
    PASS();
#else
    SKIPm("needs -ffp-contract=off and DC_TEST_NO_CONTRACT");
#endif
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
    RUN_TEST(derivatives_on_coordinate_planes);
    RUN_TEST(derivatives_of_composed_fields);
    RUN_TEST(third_derivatives_along_directions);
    RUN_TEST(what_is_left_out_is_rounding);
    RUN_TEST(bounds_are_below);
    RUN_TEST(derivatives_by_parameters);
    RUN_TEST(unions_bracket_the_minimum);
    RUN_TEST(batch_is_the_points);
    RUN_TEST(superquadrics_at_extremes);
    RUN_TEST(superquadrics_a_hair_from_an_axis);
    RUN_TEST(superquadrics_are_smooth);
    RUN_TEST(exact_kinds_are_distances);
    RUN_TEST(polyhedra_round_by_what_they_say);
    RUN_TEST(clouds_far_away);
    RUN_TEST(golden_bits);
    GREATEST_MAIN_END();
}
