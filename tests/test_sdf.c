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

static const double h3 = 1.0;       /* scale of difference steps */
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

/* ---- tables ------------------------------------------------------------------------------------- */

TEST superquadrics_of_the_table(void)
{
    table t;
    errors e = errors_of();
    worst taubin = worst_make("Taubin's value"), dir = worst_make("grad F"), ddir = worst_make("F - 1");
    long n = 0;
    ASSERT(table_open(&t, "sdf_superquadric.txt"));
    for (; record_next(&t, &rec); ++n) {
        double row[11];
        dc_sdf_prim p;
        dc_sdf s;
        dc_v3 x = vec_of(record_get(&rec, "x", NULL));
        dc_real v;
        memcpy(row, record_get(&rec, "pos", NULL), 3*sizeof *row);
        memcpy(row + 3, record_get(&rec, "rotvec", NULL), 3*sizeof *row);
        memcpy(row + 6, record_get(&rec, "scale", NULL), 3*sizeof *row);
        row[9] = record_one(&rec, "eps1");
        row[10] = record_one(&rec, "eps2");
        p = superquadric_of(row);
        s = sdf_of(&p, 1, 0);
        compare(&e, &s, x, 1, record_get(&rec, "phi", NULL), record_get(&rec, "phi_grad", NULL), record_get(&rec, "phi_hess", NULL));
        p.taubin = 1;
        v = (dc_real)HUGE_VAL;
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, &v, NULL, NULL));
        worst_add(&taubin, fabs((double)v - record_one(&rec, "phi_taubin")), "%s", rec.name);
    }
    table_close(&t);
    (void)dir; (void)ddir;
    ASSERT_EQ(40, n);
    ASSERT(worst_print(&e.value, rounded(1e-12, 1e-4)) & worst_print(&e.grad, rounded(1e-12, 1e-4)) & worst_print(&e.hess, rounded(1e-12, 1e-4)));
    ASSERT(worst_print(&taubin, rounded(1e-12, 1e-4)));
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

GREATEST_MAIN_DEFS();
int main(int argc, char **argv)
{
    (void)h3;
    GREATEST_MAIN_BEGIN();
    RUN_TEST(superquadrics_of_the_table);
    RUN_TEST(polyhedra_of_the_table);
    RUN_TEST(clouds_of_the_table);
    RUN_TEST(unions_and_differences_of_the_table);
    GREATEST_MAIN_END();
}
