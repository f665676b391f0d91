/* Witness points of edges and faces: the 70-digit tables, differences, batches, smoothness, degenerate pairs. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "record.h"

GREATEST_MAIN_DEFS();

static dc_witness_options read_options(const record *r)
{
    dc_witness_options o = DC_ZERO;
    o.w_reg = (dc_real)record_one(r, "w_reg");
    o.eps_clip = (dc_real)record_one(r, "eps_clip");
    o.eps_min = (dc_real)record_one(r, "eps_min");
    o.eps_comp = (dc_real)record_one(r, "eps_comp");
    return o;
}

/* largest coordinate difference to `want`, over the largest coordinate of the inputs */
static double point_error(dc_v3 p, const double *want, double size)
{
    return fmax(fabs((double)p.x - want[0]), fmax(fabs((double)p.y - want[1]), fabs((double)p.z - want[2])))/size;
}

static double size_of(const double *P, int n)
{
    double m = 0;
    int k;
    for (k = 0; k < n; ++k) m = fmax(m, fabs(P[k]));
    return m;
}

/* The numbers that the tables were made for cannot all be represented in float: their inputs are rounded, and the condition of
 * the worst records, 1/w_reg, multiplies that. */
static double ee_condition(const double *P, double w)
{
    double a = 0, b = 0, r = 0;
    int k;
    for (k = 0; k < 3; ++k) {
        a += (P[3 + k] - P[k])*(P[3 + k] - P[k]);
        b += (P[9 + k] - P[6 + k])*(P[9 + k] - P[6 + k]);
        r += (P[6 + k] - P[k])*(P[6 + k] - P[k]);
    }
    return 1 + (a + b + r)/w;
}

/* sine of the angle between the edges below 16 eps, but not 0 */
static int ee_parallel(const double *P)
{
    double a[3], b[3], c[3], s;
    int k;
    for (k = 0; k < 3; ++k) {
        a[k] = P[3 + k] - P[k];
        b[k] = P[9 + k] - P[6 + k];
    }
    for (k = 0; k < 3; ++k) c[k] = a[(k + 1)%3]*b[(k + 2)%3] - a[(k + 2)%3]*b[(k + 1)%3];
    s = (c[0]*c[0] + c[1]*c[1] + c[2]*c[2])/((a[0]*a[0] + a[1]*a[1] + a[2]*a[2])*(b[0]*b[0] + b[1]*b[1] + b[2]*b[2]));
    return s > 0 && s < 256*EPS*EPS;
}

TEST ee_table(void)
{
    static record r;
    worst wp = worst_make("points"), wa = worst_make("alpha"), wg = worst_make("gamma"), wj = worst_make("Jacobian"), wh = worst_make("closest, alpha");
    worst wd = worst_make("closest, distance");
    table t;
    int cases = 0, good;
    ASSERT(table_open(&t, "ee_witness.txt"));
    while (record_next(&t, &r)) {
        const double *P = record_get(&r, "P", NULL), *w = record_get(&r, "witness", NULL), *alpha = record_get(&r, "alpha", NULL);
        const double *exact = record_get(&r, "exact_alpha", NULL);
        dc_witness_options o = read_options(&r);
        double size = size_of(P, 12), room = DC_IS_FLOAT ? ee_condition(P, (double)o.w_reg) : 1;
        dc_v3 v[4];
        dc_ee e;
        dc_real jac[108], x[2];
        ++cases;
        to_points(P, 4, v);
        ASSERT_EQ(DC_OK, dc_ee_witness(&o, v, v + 2, &e, jac));
        worst_add(&wp, fmax(point_error(e.a, w, size), point_error(e.b, w + 3, size))/room, "%s", r.name);
        x[0] = e.alpha[0];
        x[1] = e.alpha[1];
        worst_add(&wa, fmax(fabs((double)x[0] - alpha[0]), fabs((double)x[1] - alpha[1]))/room, "%s", r.name);
        worst_add(&wg, fabs((double)e.gamma - record_one(&r, "gamma_con"))/room, "%s", r.name);
        worst_add(&wj, relative_error(jac, record_get(&r, "jac", NULL), 108)/room, "%s", r.name);
        ASSERT_EQ(DC_OK, dc_ee_closest(v, v + 2, &e));
        worst_add(&wd, fabs(sqrt((double)dc_dot(dc_sub(e.a, e.b), dc_sub(e.a, e.b))) - record_one(&r, "exact_dist"))/size, "%s", r.name);
        /* edges that are parallel to rounding, but not quite, have one optimum somewhere: any is as near */
        if (!ee_parallel(P)) worst_add(&wh, fmax(fabs((double)e.alpha[0] - exact[0]), fabs((double)e.alpha[1] - exact[1])), "%s", r.name);
    }
    table_close(&t);
    ASSERT(cases >= 73);
    good = worst_print(&wp, DC_IS_FLOAT ? 1e-6 : 1e-14) & worst_print(&wa, DC_IS_FLOAT ? 1e-6 : 1e-12) & worst_print(&wg, DC_IS_FLOAT ? 1e-6 : 1e-12)
         & worst_print(&wj, DC_IS_FLOAT ? 1e-6 : 1e-10) & worst_print(&wd, 8*EPS) & worst_print(&wh, DC_IS_FLOAT ? 1e-3 : 1e-7);
    ASSERT(good);
    PASS();
}

TEST vf_table(void)
{
    static record r;
    worst wp[2], wb[2], wg[2], wj[2], wh = worst_make("closest point"), wd = worst_make("closest, distance");
    static const char *const key[2][4] = { { "vp0", "bary0", "gamma0", "jac0" }, { "vp1", "bary1", "gamma1", "jac1" } };
    table t;
    int cases = 0, m, k, good = 1;
    for (m = 0; m < 2; ++m) {
        wp[m] = worst_make(m ? "point" : "listing, point");
        wb[m] = worst_make(m ? "barycentric" : "listing, barycentric");
        wg[m] = worst_make(m ? "gamma" : "listing, gamma");
        wj[m] = worst_make(m ? "Jacobian" : "listing, Jacobian");
    }
    ASSERT(table_open(&t, "vf_witness.txt"));
    while (record_next(&t, &r)) {
        const double *P = record_get(&r, "P", NULL);
        dc_witness_options o = read_options(&r);
        double size = size_of(P, 12);
        dc_v3 v[4];
        dc_vf e;
        dc_real jac[120], J[84];
        ++cases;
        to_points(P, 4, v);
        for (m = 0; m < 2; ++m) {
            const double *vp = record_get(&r, key[m][0], NULL), *bary = record_get(&r, key[m][1], NULL);
            double err = 0;
            if (!vp) continue;
            o.listing = m == 0;
            ASSERT_EQ(DC_OK, dc_vf_witness(&o, v[0], v + 1, &e, jac));
            memcpy(J, jac, 36*sizeof *J);
            memcpy(J + 36, jac + 72, 48*sizeof *J);
            for (k = 0; k < 3; ++k) err = fmax(err, fabs((double)e.bary[k] - bary[k]));
                worst_add(&wp[m], point_error(e.p, vp, size), "%s", r.name);
            worst_add(&wb[m], err, "%s", r.name);
            worst_add(&wg[m], fabs((double)e.gamma - record_one(&r, key[m][2])), "%s", r.name);
            worst_add(&wj[m], relative_error(J, record_get(&r, key[m][3], NULL), 84), "%s", r.name);
        }
        ASSERT_EQ(DC_OK, dc_vf_closest(v[0], v + 1, &e));
        worst_add(&wh, point_error(e.p, record_get(&r, "exact_vp", NULL), size), "%s", r.name);
        worst_add(&wd, fabs(sqrt((double)dc_dot(dc_sub(e.p, v[0]), dc_sub(e.p, v[0]))) - record_one(&r, "exact_dist"))/size, "%s", r.name);
    }
    table_close(&t);
    ASSERT(cases >= 48);
    for (m = 0; m < 2; ++m)
        good &= worst_print(&wp[m], 1e-12) & worst_print(&wb[m], 1e-12) & worst_print(&wg[m], 1e-12) & worst_print(&wj[m], 1e-9);
    good &= worst_print(&wh, 1e-12) & worst_print(&wd, 8*EPS);
    ASSERT(good);
    PASS();
}

SUITE(witness)
{
    RUN_TEST(ee_table);
    RUN_TEST(vf_table);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(witness);
    GREATEST_MAIN_END();
}
