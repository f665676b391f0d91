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
    good = worst_print(&wp, DC_IS_FLOAT ? 1e-7 : 2e-15) & worst_print(&wa, DC_IS_FLOAT ? 1e-7 : 2e-15) & worst_print(&wg, DC_IS_FLOAT ? 1e-7 : 5e-15)
         & worst_print(&wj, DC_IS_FLOAT ? 5e-7 : 5e-12) & worst_print(&wd, 8*EPS) & worst_print(&wh, DC_IS_FLOAT ? 1e-6 : 1e-12);
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
            double err = 0, most = 1;
            if (!vp) continue;
            o.listing = m == 0;
            ASSERT_EQ(DC_OK, dc_vf_witness(&o, v[0], v + 1, &e, jac));
            memcpy(J, jac, 36*sizeof *J);
            memcpy(J + 36, jac + 72, 48*sizeof *J);
            for (k = 0; k < 3; ++k) {
                err = fmax(err, fabs((double)e.bary[k] - bary[k]));
                most = fmax(most, fabs(bary[k]));       /* 53 beside a needle */
            }
                worst_add(&wp[m], point_error(e.p, vp, size), "%s", r.name);
            worst_add(&wb[m], err/most, "%s", r.name);
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
        good &= worst_print(&wp[m], DC_IS_FLOAT ? 1e-6 : 1e-15) & worst_print(&wb[m], DC_IS_FLOAT ? 1e-6 : 1e-13)
              & worst_print(&wg[m], DC_IS_FLOAT ? 1e-6 : 2e-15) & worst_print(&wj[m], DC_IS_FLOAT ? 1e-4 : 1e-12);
    good &= worst_print(&wh, 8*EPS) & worst_print(&wd, 8*EPS);
    ASSERT(good);
    PASS();
}

/* ---- derivatives ---- */

typedef struct { dc_witness_options o; int face, bad; } fd_case;

static void witness_values(const double *x, double *f, void *user)
{
    fd_case *c = (fd_case *)user;
    dc_v3 v[4];
    dc_ee e;
    dc_vf g;
    to_points(x, 4, v);
    if (c->face) {
        c->bad |= dc_vf_witness(&c->o, v[0], v + 1, &g, NULL) != DC_OK;
        to_double(&g.p.x, f, 10);
    } else {
        c->bad |= dc_ee_witness(&c->o, v, v + 2, &e, NULL) != DC_OK;
        to_double(&e.a.x, f, 9);
    }
}

/* Both Jacobians against differences, degenerate pairs included. */
TEST jacobians_against_differences(void)
{
    worst w[2], o[2];
    rng r;
    long i, n = sweep_count(300);
    int k;
    rng_seed(&r, 11);
    for (k = 0; k < 2; ++k) {
        w[k] = worst_make(k ? "vertex and face" : "edges");
        o[k] = worst_make("order below 2 by");
    }
    for (i = 0; i < n; ++i) {
        fd_case c;
        fd_result d;
        double P[12];
        dc_v3 v[4];
        dc_ee e;
        dc_vf g;
        dc_real jac[120];
        double J[120];
        memset(&c, 0, sizeof c);
        c.face = (int)(i & 1);
        c.o.w_reg = DC_R(0.05);
        c.o.eps_comp = DC_R(0.2);
        for (k = 0; k < 12; ++k) P[k] = (double)(float)rng_uniform(&r, -1, 1);
        for (k = 0; k < 3; ++k) {
            if (i%10 == 2) P[9 + k] = P[6 + k] + P[3 + k] - P[k];       /* parallel edges */
            if (i%10 == 3) P[9 + k] = 2*P[6 + k] - P[3 + k];            /* a flat triangle */
            if (i%10 == 4) P[9 + k] = P[6 + k];                         /* an edge of no length */
            if (i%10 == 5) P[6 + k] = P[9 + k] = P[3 + k];              /* a triangle of no size */
            if (i%10 == 6) { P[6 + k] = P[k]; P[9 + k] = P[3 + k]; }    /* the same edge twice */
            if (i%10 == 7) P[k] = 0.5*(P[3 + k] + P[6 + k]);            /* a vertex on an edge */
        }
        to_points(P, 4, v);
        if (c.face) ASSERT_EQ(DC_OK, dc_vf_witness(&c.o, v[0], v + 1, &g, jac));
        else ASSERT_EQ(DC_OK, dc_ee_witness(&c.o, v, v + 2, &e, jac));
        to_double(jac, J, c.face ? 120 : 108);
        d = fd_check(witness_values, &c, 12, P, c.face ? 10 : 9, J, DC_IS_FLOAT ? 1.0/16 : 1.0/128);
        ASSERT(!d.bit_equal && !c.bad);
        worst_add(&w[c.face], d.err, "case %ld", i);
        worst_add(&o[c.face], 2 - d.order, "case %ld", i);
    }
    k = worst_print(&w[0], DC_IS_FLOAT ? 5e-3 : 1e-9) & worst_print(&w[1], DC_IS_FLOAT ? 5e-3 : 1e-9);
    ASSERT(k);
    ASSERT(DC_IS_FLOAT || (worst_print(&o[0], 0.5) & worst_print(&o[1], 0.5)));
    PASS();
}

/* Moving everything moves the points along and changes nothing else: column sums of the Jacobians; far from the origin alike. */
TEST moving_everything(void)
{
    worst w = worst_make("column sums"), f = worst_make("far from the origin, over eps offset/size");
    rng r;
    long i, n = sweep_count(500);
    rng_seed(&r, 13);
    for (i = 0; i < n; ++i) {
        double P[12], e = 0, off[3];
        dc_v3 v[4], far_off[4];
        dc_ee a, a2;
        dc_vf b;
        dc_real jac[120];
        int k, row, rows;
        for (k = 0; k < 12; ++k) P[k] = rng_uniform(&r, -1, 1);
        to_points(P, 4, v);
        if (i & 1) ASSERT_EQ(DC_OK, dc_vf_witness(NULL, v[0], v + 1, &b, jac));
        else ASSERT_EQ(DC_OK, dc_ee_witness(NULL, v, v + 2, &a, jac));
        rows = i & 1 ? 10 : 9;
        for (row = 0; row < rows; ++row)
            for (k = 0; k < 3; ++k) {
                double sum = (double)(jac[12*row + k] + jac[12*row + 3 + k] + jac[12*row + 6 + k] + jac[12*row + 9 + k]);
                int moved = row < (i & 1 ? 3 : 6) && row%3 == k;
                e = fmax(e, fabs(sum - (moved ? 1 : 0))/largest(jac, 12*rows));
            }
        worst_add(&w, e, "case %ld", i);
        if (i & 1) continue;
        for (k = 0; k < 3; ++k) off[k] = rng_uniform(&r, -1e6, 1e6);
        for (k = 0; k < 4; ++k) far_off[k] = dc_add(v[k], dc_vec((dc_real)off[0], (dc_real)off[1], (dc_real)off[2]));
        ASSERT_EQ(DC_OK, dc_ee_witness(NULL, far_off, far_off + 2, &a2, NULL));
        worst_add(&f, fmax(fabs((double)(a.alpha[0] - a2.alpha[0])), fabs((double)(a.alpha[1] - a2.alpha[1])))/(1e6*EPS), "case %ld", i);
    }
    n = worst_print(&w, 50*EPS) & worst_print(&f, 100);
    ASSERT(n);
    PASS();
}

/* Bodies swapped, an edge turned round, corners of the triangle permuted: the same answer. */
TEST symmetries(void)
{
    worst w = worst_make("edges"), f = worst_make("faces");
    rng r;
    long i, n = sweep_count(500);
    rng_seed(&r, 17);
    for (i = 0; i < n; ++i) {
        double P[12];
        dc_v3 v[4], s[4];
        dc_ee a, b;
        dc_vf c, d;
        int k;
        for (k = 0; k < 12; ++k) P[k] = (double)(float)rng_uniform(&r, -1, 1);
        to_points(P, 4, v);
        s[0] = v[3];
        s[1] = v[2];
        s[2] = v[0];
        s[3] = v[1];
        ASSERT_EQ(DC_OK, dc_ee_witness(NULL, v, v + 2, &a, NULL));
        ASSERT_EQ(DC_OK, dc_ee_witness(NULL, s, s + 2, &b, NULL));
        worst_add(&w, fabs((double)(a.alpha[0] - b.alpha[1])) + fabs((double)(a.alpha[1] + b.alpha[0] - 1)) + fabs((double)(a.gamma - b.gamma)), "case %ld", i);
        s[1] = v[2];
        s[2] = v[3];
        s[3] = v[1];
        ASSERT_EQ(DC_OK, dc_vf_witness(NULL, v[0], v + 1, &c, NULL));
        ASSERT_EQ(DC_OK, dc_vf_witness(NULL, v[0], s + 1, &d, NULL));
        worst_add(&f, fabs((double)(c.alpha[0] - d.alpha[2])) + fabs((double)(c.alpha[1] - d.alpha[0])) + fabs((double)(c.gamma - d.gamma)), "case %ld", i);
    }
    n = worst_print(&w, 200*EPS) & worst_print(&f, 200*EPS);
    ASSERT(n);
    PASS();
}

/* With the reference length a scene of any size is smoothed alike: lengths scale, alpha and gamma stay. */
TEST scale_does_not_matter(void)
{
    worst w = worst_make("alpha and gamma"), j = worst_make("Jacobian");
    rng r;
    long i, n = sweep_count(300);
    rng_seed(&r, 19);
    for (i = 0; i < n; ++i) {
        double P[12], scale = rng_log(&r, 1e-6, 1e6), Q[120];
        dc_witness_options o = DC_ZERO;
        dc_v3 v[4], s[4];
        dc_ee a, b;
        dc_vf f, g;
        dc_real J[120], K[120];
        int k;
        o.length = (dc_real)scale;
        for (k = 0; k < 12; ++k) P[k] = (double)(float)rng_uniform(&r, -1, 1);
        to_points(P, 4, v);
        for (k = 0; k < 4; ++k) s[k] = dc_scale(o.length, v[k]);
        ASSERT_EQ(DC_OK, dc_ee_witness(NULL, v, v + 2, &a, J));
        ASSERT_EQ(DC_OK, dc_ee_witness(&o, s, s + 2, &b, K));
        worst_add(&w, fabs((double)(a.alpha[0] - b.alpha[0])) + fabs((double)(a.alpha[1] - b.alpha[1])) + fabs((double)(a.gamma - b.gamma)), "scale %g", scale);
        to_double(J, Q, 108);
        for (k = 72; k < 108; ++k) K[k] *= o.length;
        worst_add(&j, relative_error(K, Q, 108), "scale %g", scale);
        ASSERT_EQ(DC_OK, dc_vf_witness(NULL, v[0], v + 1, &f, J));
        ASSERT_EQ(DC_OK, dc_vf_witness(&o, s[0], s + 1, &g, K));
        for (k = 0; k < 3; ++k) worst_add(&w, fabs((double)(f.alpha[k] - g.alpha[k])) + fabs((double)(f.gamma - g.gamma)), "face, scale %g", scale);
        to_double(J, Q, 120);
        for (k = 36; k < 120; ++k) K[k] *= o.length;
        worst_add(&j, relative_error(K, Q, 120), "face, scale %g", scale);
    }
    n = worst_print(&w, 500*EPS) & worst_print(&j, 500*EPS);
    ASSERT(n);
    PASS();
}

/* ---- smoothness ---- */

/* The paths of the acceptance list, s in [0, 1] to 12 coordinates. */
enum { PARALLEL, CROSSING, END_TO_END, FACE_TO_EDGE, THROUGH_FACE, PATHS };
static const char *const path_name[PATHS] = { "through parallel", "edges crossing", "past the end", "vertex, face, edge", "through a face" };
static void path_at(int path, double s, double *P)
{
    static const double parallel[12] = { 0, 0, 0, 0, 0, 0, -1, -0.4, 0, 1, -0.4, 0 }, cross[12] = { -1, 0, 0, 1, 0, 0, 0.2, -1, 0, 0.3, 1, 0 };
    static const double face[12] = { 0, 0, 0, 0, 0, 0, 1, 0, 0, 0.2, 1, 0 };
    memcpy(P, path == PARALLEL ? parallel : (path <= END_TO_END ? cross : face), 12*sizeof *P);
    if (path == PARALLEL) {
        double th = 3.14159265358979*(0.5 + s);
        P[0] = sin(th);   P[1] = cos(th);
        P[3] = -sin(th);  P[4] = -cos(th);
    }
    if (path == CROSSING) P[2] = P[5] = s - 0.5;
    if (path == END_TO_END) { P[6] = 3*s - 1.5; P[9] = 3*s - 1.4; P[2] = P[5] = 0.05; }
    if (path == FACE_TO_EDGE) { P[0] = 2*s - 0.5; P[1] = 0.35; P[2] = 0.1; }
    if (path == THROUGH_FACE) { P[0] = 0.4; P[1] = 0.3; P[2] = s - 0.5; }
}

/* all the results and their derivatives, or without smoothing the results alone */
static int path_values(int path, double s, int hard, dc_real *f)
{
    double P[12];
    dc_v3 v[4];
    dc_ee e;
    dc_vf g;
    path_at(path, s, P);
    to_points(P, 4, v);
    memset(f, 0, 130*sizeof *f);
    if (path < FACE_TO_EDGE) {
        if ((hard ? dc_ee_closest(v, v + 2, &e) : dc_ee_witness(NULL, v, v + 2, &e, f + 10)) != DC_OK) return 0;
        memcpy(f, &e, sizeof e);
    } else {
        if ((hard ? dc_vf_closest(v[0], v + 1, &g) : dc_vf_witness(NULL, v[0], v + 1, &g, f + 10)) != DC_OK) return 0;
        memcpy(f, &g, sizeof g);
    }
    return 1;
}

/* largest change over a step h along the path */
static double path_change(int path, int hard, int steps)
{
    static dc_real f[130], before[130];
    double most = 0;
    int i, k;
    for (i = 0; i <= steps; ++i) {
        if (!path_values(path, (double)i/steps, hard, f)) return HUGE_VAL;
        for (k = 0; i > 0 && k < 130; ++k) most = fmax(most, fabs((double)(f[k] - before[k])));
        memcpy(before, f, sizeof f);
    }
    return most;
}

/* A jump does not shrink with the step; values and first derivatives of the smooth functions do, in proportion. */
TEST no_jumps(void)
{
    int path;
    double hard = path_change(PARALLEL, 1, 64)/path_change(PARALLEL, 1, 1024);
    printf("  %-24s change over a step shrinks by %.3g without smoothing\n", path_name[PARALLEL], hard);
    ASSERT(hard < 1.5);
    for (path = 0; path < PATHS; ++path) {
        double ratio = path_change(path, 0, 4096)/path_change(path, 0, 16384);
        printf("  %-24s change over a step shrinks by %.4g, the step by 4\n", path_name[path], ratio);
        ASSERT(ratio > 3.8);
    }
    PASS();
}

/* ---- degenerate input ---- */

static int all_finite(const dc_real *x, int n)
{
    int k;
    for (k = 0; k < n; ++k)
        if (!dc_finite(x[k])) return 0;
    return 1;
}

/* Coordinates from a few values and scales: coincident points, zero lengths, flat triangles, needles, all sizes. */
TEST never_nan(void)
{
    static const double value[6] = { 0, 1, -1, 0.5, 1e-9, 1 + 1e-9 };
    rng r;
    long i, n = sweep_count(20000);
    rng_seed(&r, 23);
    for (i = 0; i < n; ++i) {
        double scale = rng_log(&r, 1e-6, 1e6), off = rng_int(&r, 0, 3) == 0 ? 1e6 : 0;
        dc_witness_options o = DC_ZERO;
        dc_v3 v[4];
        dc_ee e;
        dc_vf f;
        dc_real jac[120];
        int k;
        if (rng_int(&r, 0, 1)) o.length = (dc_real)scale;
        if (rng_int(&r, 0, 3) == 0) o.eps_clip = o.eps_min = o.eps_comp = DC_R(1e-3);
        for (k = 0; k < 4; ++k) {
            v[k].x = (dc_real)(off + scale*value[rng_int(&r, 0, 5)]);
            v[k].y = (dc_real)(off + scale*value[rng_int(&r, 0, 5)]);
            v[k].z = (dc_real)(off + scale*value[rng_int(&r, 0, 5)]);
        }
        ASSERT_EQ(DC_OK, dc_ee_witness(&o, v, v + 2, &e, jac));
        ASSERT(all_finite(&e.a.x, 9) && all_finite(jac, 108) && e.gamma >= 0 && e.gamma <= 1);
        ASSERT_EQ(DC_OK, dc_ee_closest(v, v + 2, &e));
        ASSERT(all_finite(&e.a.x, 9) && e.alpha[0] >= 0 && e.alpha[0] <= 1 && e.alpha[1] >= 0 && e.alpha[1] <= 1);
        for (o.listing = 0; o.listing < 2; ++o.listing) {
            dc_status s = dc_vf_witness(&o, v[0], v + 1, &f, jac);
            /* without regularisation the derivatives of a tiny triangle may not fit */
            if (o.listing && s == DC_E_RANGE) continue;
            ASSERT_EQ(DC_OK, s);
            ASSERT(all_finite(&f.p.x, 10) && all_finite(jac, 120) && f.gamma >= 0 && f.gamma <= 1);
        }
        ASSERT_EQ(DC_OK, dc_vf_closest(v[0], v + 1, &f));
        ASSERT(all_finite(&f.p.x, 10) && f.alpha[0] >= 0 && f.alpha[1] >= 0 && f.alpha[2] >= 0);
    }
    PASS();
}

/* The hard answers are no worse than any point of a fine grid. */
TEST closest_is_closest(void)
{
    rng r;
    long i, n = sweep_count(300);
    rng_seed(&r, 29);
    for (i = 0; i < n; ++i) {
        double P[12], best_ee = HUGE_VAL, best_vf = HUGE_VAL, d;
        dc_v3 v[4];
        dc_ee e;
        dc_vf f;
        int k, l;
        for (k = 0; k < 12; ++k) P[k] = rng_uniform(&r, -1, 1);
        if (i%3 == 0)
            for (k = 0; k < 3; ++k) P[9 + k] = P[6 + k] + (P[3 + k] - P[k])*(i%2 ? 1 : -0.5);
        to_points(P, 4, v);
        ASSERT_EQ(DC_OK, dc_ee_closest(v, v + 2, &e));
        ASSERT_EQ(DC_OK, dc_vf_closest(v[0], v + 1, &f));
        for (k = 0; k <= 40; ++k)
            for (l = 0; l <= 40; ++l) {
                double x = k/40.0, y = l/40.0;
                dc_v3 p = dc_sub(dc_madd(v[0], (dc_real)x, dc_sub(v[1], v[0])), dc_madd(v[2], (dc_real)y, dc_sub(v[3], v[2])));
                best_ee = fmin(best_ee, sqrt((double)dc_dot(p, p)));
                if (k + l > 40) continue;
                p = dc_sub(v[0], dc_madd(dc_madd(v[1], (dc_real)x, dc_sub(v[2], v[1])), (dc_real)y, dc_sub(v[3], v[1])));
                best_vf = fmin(best_vf, sqrt((double)dc_dot(p, p)));
            }
        d = sqrt((double)dc_dot(dc_sub(e.a, e.b), dc_sub(e.a, e.b)));
        ASSERT(d <= best_ee + 8*EPS && d >= best_ee - 0.1);
        d = sqrt((double)dc_dot(dc_sub(f.p, v[0]), dc_sub(f.p, v[0])));
        ASSERT(d <= best_vf + 8*EPS && d >= best_vf - 0.1);
    }
    PASS();
}

/* ---- batches ---- */

enum { BATCH = 37, STRIDE = 41 };
static dc_real rows[12*STRIDE], results[10*STRIDE], jacobian[36*STRIDE];

static void fill(rng *r)
{
    int i, k;
    for (k = 0; k < 12; ++k)
        for (i = 0; i < STRIDE; ++i) rows[k*STRIDE + i] = (dc_real)rng_uniform(r, -1, 1);
    for (i = 0; i < STRIDE; i += 5)
        for (k = 0; k < 3; ++k) rows[(9 + k)*STRIDE + i] = rows[(6 + k)*STRIDE + i];
}

/* Every count and both kinds: the bits of the single calls, nothing written beside the batch. */
TEST batches_are_the_single_calls(void)
{
    worst w = worst_make("batch against single calls");
    rng r;
    int count, i, k, kind, derive;
    rng_seed(&r, 31);
    for (kind = 0; kind < 3; ++kind)
        for (derive = 0; derive < 2; ++derive)
            for (count = 0; count <= BATCH; ++count) {
                dc_witness_options o = DC_ZERO;
                o.listing = kind == 2;
                fill(&r);
                for (k = 0; k < 10*STRIDE; ++k) results[k] = 77;
                for (k = 0; k < 36*STRIDE; ++k) jacobian[k] = 77;
                if (kind == 0) ASSERT_EQ(DC_OK, dc_ee_witness_batch(&o, count, rows, STRIDE, results, derive ? jacobian : NULL));
                else ASSERT_EQ(DC_OK, dc_vf_witness_batch(&o, count, rows, STRIDE, results, derive ? jacobian : NULL));
                for (i = 0; i < STRIDE; ++i) {
                    dc_v3 v[4];
                    dc_ee e;
                    dc_vf f;
                    dc_real J[120];
                    const dc_real *want = kind == 0 ? &e.a.x : &f.p.x, *grad = kind == 0 ? J + 72 : J + 48;
                    int n = kind == 0 ? 9 : 10;
                    for (k = 0; k < 4; ++k) v[k] = dc_vec(rows[3*k*STRIDE + i], rows[(3*k + 1)*STRIDE + i], rows[(3*k + 2)*STRIDE + i]);
                    if (kind == 0) ASSERT_EQ(DC_OK, dc_ee_witness(&o, v, v + 2, &e, J));
                    else ASSERT_EQ(DC_OK, dc_vf_witness(&o, v[0], v + 1, &f, J));
                    for (k = 0; k < 10; ++k) {
                        dc_real got = results[k*STRIDE + i];
                        if (i >= count || k >= n) ASSERT(got == 77);
                        else worst_add(&w, fabs((double)(got - want[k])), "kind %d count %d pair %d row %d", kind, count, i, k);
                    }
                    for (k = 0; k < 36; ++k) {
                        dc_real got = jacobian[k*STRIDE + i], one = k < 24 ? grad[k] : (kind == 0 ? J[96 + k - 24] : J[108 + k - 24]);
                        if (i >= count || !derive) ASSERT(got == 77);
                        else worst_add(&w, fabs((double)(got - one))/(1 + fabs((double)one)), "kind %d count %d pair %d gradient %d", kind, count, i, k);
                    }
                }
            }
#ifdef DC_TEST_NO_CONTRACT
    ASSERT(worst_print(&w, 0));
#else
    ASSERT(worst_print(&w, 3000*EPS));
#endif
    PASS();
}

/* A bad number spoils its pair alone. */
TEST batches_report_bad_pairs(void)
{
    static const double bad[4] = { HUGE_VAL, -HUGE_VAL, 0, 0 };
    rng r;
    int i, k, kind, at;
    rng_seed(&r, 37);
    for (kind = 0; kind < 2; ++kind)
        for (k = 0; k < 4; ++k)
            for (at = 0; at < 12; ++at) {
                int pair = rng_int(&r, 0, BATCH - 1), row;
                static dc_real y0[10*STRIDE], j0[36*STRIDE];
                fill(&r);
                if (kind == 0) ASSERT_EQ(DC_OK, dc_ee_witness_batch(NULL, BATCH, rows, STRIDE, y0, j0));
                else ASSERT_EQ(DC_OK, dc_vf_witness_batch(NULL, BATCH, rows, STRIDE, y0, j0));
                rows[at*STRIDE + pair] = k < 2 ? (dc_real)bad[k] : (k == 2 ? (dc_real)(double)NAN : 2*DC_LIMIT);
                for (i = 0; i < 10*STRIDE; ++i) results[i] = 77;
                for (i = 0; i < 36*STRIDE; ++i) jacobian[i] = 77;
                if (kind == 0) ASSERT_EQ(DC_E_ARG, dc_ee_witness_batch(NULL, BATCH, rows, STRIDE, results, jacobian));
                else ASSERT_EQ(DC_E_ARG, dc_vf_witness_batch(NULL, BATCH, rows, STRIDE, results, jacobian));
                for (i = 0; i < BATCH; ++i) {
                    for (row = 0; row < (kind == 0 ? 9 : 10); ++row) ASSERT(results[row*STRIDE + i] == (i == pair ? 77 : y0[row*STRIDE + i]));
                    for (row = 0; row < 36; ++row) ASSERT(jacobian[row*STRIDE + i] == (i == pair ? 77 : j0[row*STRIDE + i]));
                }
            }
    PASS();
}

TEST bad_arguments(void)
{
    static const double bad_option[] = { -1, 1e-10, 1e10, HUGE_VAL };
    dc_v3 v[4];
    dc_ee e, e0;
    dc_vf f, f0;
    dc_real jac[120], nan = (dc_real)(double)NAN;
    int i, k, c;
    memset(&e, 1, sizeof e);
    memset(&f, 1, sizeof f);
    memset(jac, 0, sizeof jac);
    e0 = e;
    f0 = f;
    for (k = 0; k < 4; ++k) v[k] = dc_vec((dc_real)k, (dc_real)(k*k), 1);
    ASSERT_EQ(DC_E_ARG, dc_ee_witness(NULL, NULL, v, &e, NULL));
    ASSERT_EQ(DC_E_ARG, dc_ee_witness(NULL, v, NULL, &e, NULL));
    ASSERT_EQ(DC_E_ARG, dc_ee_witness(NULL, v, v, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_ee_closest(NULL, v, &e));
    ASSERT_EQ(DC_E_ARG, dc_ee_closest(v, v, NULL));
    ASSERT_EQ(DC_E_ARG, dc_vf_witness(NULL, v[0], NULL, &f, NULL));
    ASSERT_EQ(DC_E_ARG, dc_vf_witness(NULL, v[0], v, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_vf_closest(v[0], NULL, &f));
    ASSERT_EQ(DC_E_ARG, dc_ee_witness_batch(NULL, -1, rows, 4, results, NULL));
    ASSERT_EQ(DC_E_ARG, dc_ee_witness_batch(NULL, 5, rows, 4, results, NULL));
    ASSERT_EQ(DC_E_ARG, dc_ee_witness_batch(NULL, 4, NULL, 4, results, NULL));
    ASSERT_EQ(DC_E_ARG, dc_vf_witness_batch(NULL, 4, rows, 4, NULL, NULL));
    ASSERT_EQ(DC_OK, dc_vf_witness_batch(NULL, 0, NULL, 0, NULL, NULL));
    for (i = 0; i < 5; ++i)
        for (k = 0; k < 5; ++k) {
            dc_witness_options o = DC_ZERO;
            (&o.w_reg)[i] = k < 4 ? (dc_real)bad_option[k] : nan;
            ASSERT_EQ(DC_E_ARG, dc_ee_witness(&o, v, v + 2, &e, jac));
            ASSERT_EQ(DC_E_ARG, dc_vf_witness(&o, v[0], v + 1, &f, jac));
            ASSERT_EQ(DC_E_ARG, dc_ee_witness_batch(&o, 1, rows, 1, results, NULL));
            ASSERT_EQ(DC_E_ARG, dc_vf_witness_batch(&o, 1, rows, 1, results, NULL));
        }
    for (i = 0; i < 4; ++i)
        for (c = 0; c < 3; ++c)
            for (k = 0; k < 3; ++k) {
                dc_v3 u[4];
                memcpy(u, v, sizeof u);
                (&u[i].x)[c] = k == 0 ? nan : (k == 1 ? (dc_real)-HUGE_VAL : 2*DC_LIMIT);
                ASSERT_EQ(DC_E_ARG, dc_ee_witness(NULL, u, u + 2, &e, jac));
                ASSERT_EQ(DC_E_ARG, dc_ee_closest(u, u + 2, &e));
                ASSERT_EQ(DC_E_ARG, dc_vf_witness(NULL, u[0], u + 1, &f, jac));
                ASSERT_EQ(DC_E_ARG, dc_vf_closest(u[0], u + 1, &f));
            }
    ASSERT(memcmp(&e, &e0, sizeof e) == 0 && memcmp(&f, &f0, sizeof f) == 0);
    for (k = 0; k < 120; ++k) ASSERT(jac[k] == 0);
    /* coordinates up to the limit are answered, or refused as out of range, never with a NaN */
    for (i = 0; i < 4; ++i) {
        dc_real big = i < 2 ? DC_LIMIT : DC_R(1e-30);
        for (k = 0; k < 4; ++k) v[k] = dc_scale(big, dc_vec((k & 1) ? DC_R(1) : DC_R(-1), (k & 2) ? DC_R(1) : DC_R(-1), (dc_real)(i & 1)));
        c = (int)dc_ee_witness(NULL, v, v + 2, &e, jac);
        ASSERT(c == DC_E_RANGE || (c == DC_OK && all_finite(&e.a.x, 9) && all_finite(jac, 108)));
        c = (int)dc_vf_witness(NULL, v[0], v + 1, &f, jac);
        ASSERT(c == DC_E_RANGE || (c == DC_OK && all_finite(&f.p.x, 10) && all_finite(jac, 120)));
    }
    PASS();
}

/* ---- soft selection ---- */

TEST softsort_table(void)
{
    static record r;
    static dc_real s[8], G[64], unit[8], dG[64], J[512], back[8], bar[64], kept[8];
    worst wg = worst_make("weights"), wk = worst_make("selected values"), wj = worst_make("Jacobian"), wt = worst_make("transpose");
    table t;
    int cases = 0, good;
    ASSERT(table_open(&t, "smooth_ops.txt"));
    while (record_next(&t, &r)) {
        int n, k, i, j, m, top[8], K, power;
        const double *x = record_get(&r, "x", &n), *Gamma = record_get(&r, "Gamma", NULL);
        dc_real tau = (dc_real)record_one(&r, "tau");
        if (!Gamma) continue;
        ++cases;
        ASSERT(n <= 8);
        K = (int)record_one(&r, "K");
        power = (int)record_one(&r, "p");
        for (i = 0; i < n; ++i) s[i] = (dc_real)x[i];
        ASSERT_EQ(DC_OK, dc_softsort_topk(n, s, K, power, tau, top, G));
        worst_add(&wg, relative_error(G, Gamma, (size_t)(K*n)), "%s", r.name);
        for (k = 0; k < K; ++k)
            for (kept[k] = 0, i = 0; i < n; ++i) kept[k] += G[k*n + i]*s[i];
        worst_add(&wk, relative_error(kept, record_get(&r, "topk_values", NULL), (size_t)K), "%s", r.name);
        for (j = 0; j < n; ++j) {
            memset(unit, 0, sizeof unit);
            unit[j] = 1;
            dc_softsort_topk_jvp(n, s, K, power, tau, top, G, unit, dG);
            for (m = 0; m < K*n; ++m) J[m*n + j] = dG[m];
        }
        worst_add(&wj, relative_error(J, record_get(&r, "jac", NULL), (size_t)(K*n*n)), "%s", r.name);
        /* the transpose, row by row */
        for (m = 0; m < K*n; ++m) {
            double row[8];
            memset(bar, 0, sizeof bar);
            memset(back, 0, sizeof back);
            bar[m] = 1;
            dc_softsort_topk_vjp(n, s, K, power, tau, top, G, bar, back);
            to_double(J + m*n, row, n);
            for (j = 0; j < n; ++j) worst_add(&wt, fabs((double)back[j] - row[j])/largest(J, K*n*n), "%s", r.name);
        }
    }
    table_close(&t);
    ASSERT(cases >= 6);
    good = worst_print(&wg, DC_IS_FLOAT ? 1e-4 : 1e-12) & worst_print(&wk, DC_IS_FLOAT ? 1e-5 : 1e-12) & worst_print(&wj, DC_IS_FLOAT ? 1e-3 : 1e-10)
         & worst_print(&wt, 4*EPS);
    ASSERT(good);
    PASS();
}

/* Two entries cross at the boundary of the top 2, one far above, one below. The rows are continuous; their derivatives jump by
 * what the other entries weigh, with power 1 only those above. */
TEST softsort_ties(void)
{
    static const double below[4] = { 0.1, 0.4, 0.6, 0.9 };
    int power, k;
    for (power = 1; power <= 2; ++power)
        for (k = 0; k < 4; ++k) {
            dc_real s[4] = { 5, 1, 1, 0 }, ds[4] = { 0, 1, 0, 0 }, G[2][8], d[2][8], tau = power == 2 ? DC_R(0.01) : DC_R(0.1), h = (dc_real)(64*EPS);
            double value = 0, slope = 0;
            int side, i, top[2];
            s[3] = (dc_real)(1 - below[k]);
            for (side = 0; side < 2; ++side) {
                s[1] = side ? 1 + h : 1 - h;
                ASSERT_EQ(DC_OK, dc_softsort_topk(4, s, 2, power, tau, top, G[side]));
                dc_softsort_topk_jvp(4, s, 2, power, tau, top, G[side], ds, d[side]);
            }
            for (i = 0; i < 8; ++i) {
                value = fmax(value, fabs((double)(G[1][i] - G[0][i])));
                slope = fmax(slope, fabs((double)(d[1][i] - d[0][i])));
            }
            printf("  power %d, next entry %g below: values jump by %.2g, derivatives by %.2g, weight of the next %.2g\n", power, below[k], value, slope, (double)G[0][7]);
            ASSERT(value < 1e4*EPS);
            ASSERT(slope <= 4/(double)tau*(power == 2 ? (double)G[0][7] : 0) + 2e4*EPS);
            if (power == 2 && k == 0) ASSERT(slope > 1);
        }
    PASS();
}

/* At a tie the derivative is that of the side on which the order stays: as differences say, forwards and transposed. */
TEST softsort_derivatives_at_a_tie(void)
{
    dc_real s[3] = { 1, 1, DC_R(0.8) }, ds[3] = { 1, 0, 0 }, G[6], G1[6], dG[6], bar[6], back[3], tau = DC_R(0.2), h = DC_IS_FLOAT ? DC_R(1e-3) : DC_R(1e-7);
    int power, top[2], i, k;
    for (power = 1; power <= 2; ++power) {
        s[0] = 1;
        ASSERT_EQ(DC_OK, dc_softsort_topk(3, s, 2, power, tau, top, G));
        ASSERT(top[0] == 0 && top[1] == 1);
        dc_softsort_topk_jvp(3, s, 2, power, tau, top, G, ds, dG);
        for (k = 0; k < 6; ++k) {
            for (i = 0; i < 6; ++i) bar[i] = DC_R(i == k);
            back[0] = back[1] = back[2] = 0;
            dc_softsort_topk_vjp(3, s, 2, power, tau, top, G, bar, back);
            ASSERT(dc_abs(back[0] - dG[k]) <= 8*DC_EPS);
        }
        s[0] = 1 + h;
        ASSERT_EQ(DC_OK, dc_softsort_topk(3, s, 2, power, tau, top, G1));
        ASSERT(top[0] == 0 && top[1] == 1);
        for (i = 0; i < 6; ++i) ASSERT(fabs((double)((G1[i] - G[i])/h - dG[i])) < (DC_IS_FLOAT ? 2e-2 : 1e-5));
        if (power == 1) ASSERT(dc_abs(dG[0]) > DC_R(0.1));
    }
    PASS();
}

TEST softsort_arguments(void)
{
    dc_real s[6] = { 1, 3, 3, -2, 3, 0 }, G[36], sum;
    int top[6], i, k;
    /* ties: the first one first; rows of equal entries are equal, their weights too */
    ASSERT_EQ(DC_OK, dc_softsort_topk(6, s, 6, 2, DC_R(1e-3), top, G));
    ASSERT(top[0] == 1 && top[1] == 2 && top[2] == 4 && top[3] == 0 && top[4] == 5 && top[5] == 3);
    for (i = 0; i < 6; ++i) ASSERT(G[i] == G[6 + i] && G[i] == G[12 + i]);
    ASSERT(fabs((double)G[1] - 1.0/3) < 4*EPS && G[1] == G[2] && G[1] == G[4]);
    for (k = 0; k < 6; ++k) {
        for (sum = 0, i = 0; i < 6; ++i) sum += G[6*k + i];
        ASSERT(fabs((double)sum - 1) < 8*EPS);
    }
    ASSERT_EQ(DC_E_ARG, dc_softsort_topk(6, s, 0, 2, 1, top, G));
    ASSERT_EQ(DC_E_ARG, dc_softsort_topk(6, s, 7, 2, 1, top, G));
    ASSERT_EQ(DC_E_ARG, dc_softsort_topk(6, s, 2, 3, 1, top, G));
    ASSERT_EQ(DC_E_ARG, dc_softsort_topk(6, s, 2, 2, 0, top, G));
    ASSERT_EQ(DC_E_ARG, dc_softsort_topk(6, NULL, 2, 2, 1, top, G));
    ASSERT_EQ(DC_E_ARG, dc_softsort_topk(6, s, 2, 2, 1, NULL, G));
    ASSERT_EQ(DC_E_ARG, dc_softsort_topk(6, s, 2, 2, 1, top, NULL));
    s[3] = (dc_real)(double)NAN;
    ASSERT_EQ(DC_E_ARG, dc_softsort_topk(6, s, 2, 2, 1, top, G));
    PASS();
}

/* ---- bits ---- */

TEST bits_are_the_same_on_every_machine(void)
{
#ifdef DC_TEST_NO_CONTRACT
    uint64_t h = UINT64_C(14695981039346656037);
    rng r;
    int i, k;
    rng_seed(&r, 41);
    for (i = 0; i < 300; ++i) {
        dc_v3 v[4];
        dc_ee e;
        dc_vf f;
        dc_real jac[120];
        for (k = 0; k < 4; ++k) {
            v[k].x = (dc_real)rng_uniform(&r, -1, 1);
            v[k].y = (dc_real)rng_uniform(&r, -1, 1);
            v[k].z = (dc_real)rng_uniform(&r, -1, 1);
        }
        if (dc_ee_witness(NULL, v, v + 2, &e, jac) == DC_OK) h = mix(mix(h, &e.a.x, 9), jac, 108);
        if (dc_vf_witness(NULL, v[0], v + 1, &f, jac) == DC_OK) h = mix(mix(h, &f.p.x, 10), jac, 120);
        if (dc_ee_closest(v, v + 2, &e) == DC_OK) h = mix(h, &e.a.x, 9);
        if (dc_vf_closest(v[0], v + 1, &f) == DC_OK) h = mix(h, &f.p.x, 10);
    }
    printf("  hash %016llx\n", (unsigned long long)h);
    ASSERT(h == (DC_IS_FLOAT ? UINT64_C(0xca15b1b9f14ff4ce) : UINT64_C(0x151be17dccf6e2ca)));
    PASS();
#else
    (void)mix;
    SKIPm("needs -ffp-contract=off and DC_TEST_NO_CONTRACT");
#endif
}

SUITE(witness)
{
    RUN_TEST(ee_table);
    RUN_TEST(vf_table);
    RUN_TEST(jacobians_against_differences);
    RUN_TEST(moving_everything);
    RUN_TEST(symmetries);
    RUN_TEST(scale_does_not_matter);
    RUN_TEST(no_jumps);
    RUN_TEST(never_nan);
    RUN_TEST(closest_is_closest);
    RUN_TEST(batches_are_the_single_calls);
    RUN_TEST(batches_report_bad_pairs);
    RUN_TEST(bad_arguments);
    RUN_TEST(softsort_table);
    RUN_TEST(softsort_ties);
    RUN_TEST(softsort_derivatives_at_a_tie);
    RUN_TEST(softsort_arguments);
    RUN_TEST(bits_are_the_same_on_every_machine);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(witness);
    GREATEST_MAIN_END();
}
