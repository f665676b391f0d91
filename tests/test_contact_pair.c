/* Pair potentials against the high-precision tables, and what the papers prove of them. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

#define MOST 40                    /* vertices of the largest table case */

/* ---- tables ------------------------------------------------------------------------------------- */

typedef struct {
    char name[64], type[64];
    double param, gap, cond[4], plane[5], value;
    int na, nb, n, has_hess;
    double x[3*MOST], grad[3*MOST], hess[9*MOST*MOST], hv[2][2][3*MOST], diag[3*MOST];
    double o[6], tgrad[12], thess[144];
} pair_case;

static int read_case(table *t, pair_case *c)
{
    char word[64];
    int ok, n;
    size_t N;
    if (!table_word(t, word)) return 0;
    ok = strcmp(word, "CASE") == 0 && table_word(t, c->name) && table_expect(t, "TYPE") && table_word(t, c->type)
        && table_expect(t, "PARAM") && table_real(t, &c->param) && table_expect(t, "COUNT") && table_int(t, &c->na)
        && table_int(t, &c->nb);
    if (!ok || c->na + c->nb > MOST) return 0;
    c->n = c->na + c->nb;
    N = 3*(size_t)c->n;
    ok = table_expect(t, "X") && table_reals(t, c->x, N) && table_expect(t, "GAP") && table_real(t, &c->gap)
        && table_expect(t, "COND") && table_reals(t, c->cond, 4) && table_expect(t, "PLANE") && table_reals(t, c->plane, 5)
        && table_expect(t, "VALUE") && table_real(t, &c->value) && table_expect(t, "GRAD") && table_reals(t, c->grad, N)
        && table_expect(t, "HESS") && table_word(t, word);
    if (!ok) return 0;
    c->has_hess = strcmp(word, "FULL") == 0;
    table_int(t, &n);
    if (c->has_hess) read_symmetric(t, c->hess, N);
    else read_probes(t, N, c->hv[0][0], c->hv[0][1], c->hv[1][0], c->hv[1][1], c->diag);
    if (!table_expect(t, "TWIST") || !table_reals(t, c->o, 6) || !table_reals(t, c->tgrad, 12)) return 0;
    read_symmetric(t, c->thess, 12);
    return table_expect(t, "END");
}

static void multiply(const dc_real *H, const double *v, dc_real *Hv, size_t n)
{
    size_t i, j;
    for (i = 0; i < n; ++i) {
        double s = 0;
        for (j = 0; j < n; ++j) s += (double)H[i*n + j]*v[j];
        Hv[i] = (dc_real)s;
    }
}

static unsigned char memory[1 << 17];

static double largest_of(const double *x, int n)
{
    double m = 0;
    int k;
    for (k = 0; k < n; ++k) m = fmax(m, fabs(x[k]));
    return m;
}

/* the next number; 0 at the end of the table */
static int table_real_or_end(table *t, double *x)
{
    char word[64];
    if (!table_word(t, word)) return 0;
    *x = strtod(word, NULL);
    return 1;
}

/* Every case of a table: error over eps (1 + condition), the bar is K = 100. */
static enum greatest_test_res pair_table(const char *file)
{
    static pair_case c;
    static dc_real grad[3*MOST], hess[9*MOST*MOST], out[3*MOST];
    static dc_v3 x[MOST], local[MOST];
    worst wv = worst_make("value"), wg = worst_make("gradient"), wh = worst_make("Hessian");
    worst wtg = worst_make("twist gradient"), wth = worst_make("twist Hessian");
    int cases = 0, skipped = 0, most = 0, k;
    table t;

    ASSERT(table_open(&t, file));
    while (read_case(&t, &c)) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_pair_options o = DC_ZERO;
        dc_pair_info info;
        dc_plane plane = DC_ZERO;
        dc_hull a = DC_ZERO, b = DC_ZERO;
        dc_pose pa = DC_ZERO, pb = DC_ZERO;
        dc_real v, tg[12], th[144];
        double e = EPS, far = 0;
        size_t N = 3*(size_t)c.n;
        dc_status s;

        for (k = 0; k < c.n; ++k) {
            x[k] = dc_vec((dc_real)c.x[3*k], (dc_real)c.x[3*k + 1], (dc_real)c.x[3*k + 2]);
            far = fmax(far, fmax(fabs(c.x[3*k]), fmax(fabs(c.x[3*k + 1]), fabs(c.x[3*k + 2]))));
        }
        ++cases;
        /* float: the vertices as rounded have another gap */
        if (DC_IS_FLOAT && c.gap < 100*EPS*far) {
            ++skipped;
            printf("  %s: gap below 100 eps of the coordinates\n", c.name);
            continue;
        }
        /* an offset is lost to the rounding of the float input, not to the computation */
        if (DC_IS_FLOAT) e *= fmax(1, far/c.cond[3]);
        a.v = x;  a.n = c.na;
        b.v = x + c.na;  b.n = c.nb;
        if (strcmp(c.type, "LRI") == 0) o.c = (dc_real)c.param;
        else {
            o.barrier = DC_LOCAL;
            o.s = (dc_real)c.param;
        }
        s = dc_pair(&o, &a, &b, &mem, &plane, &v, grad, hess, &info);
        if (s != DC_OK) printf("  %s: %s\n", c.name, dc_status_text(s));
        ASSERT_EQ(s, DC_OK);
        ASSERT_EQ(mem.used, (size_t)0);
        most = info.iterations > most ? info.iterations : most;
        if (c.value == 0) {
            ASSERT(v == 0);
            for (k = 0; k < (int)N; ++k) ASSERT(grad[k] == 0 && hess[k] == 0);
        }
        worst_add(&wv, fabs((double)v - c.value)/(c.value == 0 ? 1 : c.value)/(e*(1 + c.cond[0])), "%s", c.name);
        worst_add(&wg, relative_error(grad, c.grad, N)/(e*(1 + c.cond[1])), "%s", c.name);
        if (c.has_hess) worst_add(&wh, relative_error(hess, c.hess, N*N)/(e*(1 + c.cond[2])), "%s", c.name);
        else {
            for (k = 0; k < 2; ++k) {
                multiply(hess, c.hv[k][0], out, N);
                worst_add(&wh, relative_error(out, c.hv[k][1], N)/(e*(1 + c.cond[2])), "%s HV", c.name);
            }
            for (k = 0; k < (int)N; ++k) out[k] = hess[(size_t)k*(N + 1)];
            worst_add(&wh, relative_error(out, c.diag, N)/(e*(1 + c.cond[2])), "%s DIAG", c.name);
        }

        /* by twists about the table's origins: bodies at them, not turned */
        pa.q.w = pb.q.w = 1;
        pa.t = dc_vec((dc_real)c.o[0], (dc_real)c.o[1], (dc_real)c.o[2]);
        pb.t = dc_vec((dc_real)c.o[3], (dc_real)c.o[4], (dc_real)c.o[5]);
        for (k = 0; k < c.n; ++k) {
            const double *q = k < c.na ? c.o : c.o + 3;
            local[k] = dc_vec((dc_real)(c.x[3*k] - q[0]), (dc_real)(c.x[3*k + 1] - q[1]), (dc_real)(c.x[3*k + 2] - q[2]));
        }
        a.v = local;
        b.v = local + c.na;
        plane.n = dc_vec(0, 0, 0);
        s = dc_pair_rigid(&o, &a, &pa, &b, &pb, &mem, &plane, &v, tg, th, &info);
        if (s != DC_OK) printf("  %s: by twists: %s\n", c.name, dc_status_text(s));
        ASSERT_EQ(s, DC_OK);
        worst_add(&wtg, relative_error(tg, c.tgrad, 12)/(e*(1 + c.cond[1])), "%s", c.name);
        worst_add(&wth, relative_error(th, c.thess, 144)/(e*(1 + c.cond[2])), "%s", c.name);
    }
    table_close(&t);
    printf("  %s: %d cases, %d out of range, at most %d iterations; errors in eps (1 + condition)\n", file, cases, skipped, most);
    ASSERT(cases > 0 && worst_print(&wv, 100) + worst_print(&wg, 100) + worst_print(&wh, 100) + worst_print(&wtg, 100)
                            + worst_print(&wth, 100) == 5);
    PASS();
}

TEST lri_pair(void) { return pair_table("lri_pair.txt"); }
TEST lri_counts(void) { return pair_table("lri_counts.txt"); }
TEST sdrs_pair(void) { return pair_table("sdrs_pair.txt"); }

/* ---- differences ---------------------------------------------------------------------------------- */

typedef struct {
    dc_pair_options o;
    dc_hull a, b;
    dc_pose pa, pb;
    dc_affine Ta, Tb;
    dc_v3 v[32];
} scene;

static void random_scene(scene *s, rng *r, int na, int nb, double gap)
{
    dc_distance d = DC_ZERO, e = DC_ZERO;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    int k;
    memset(s, 0, sizeof *s);
    s->a.v = s->v;
    s->b.v = s->v + na;
    s->a.n = na;
    s->b.n = nb;
    for (k = 0; k < na + nb; ++k)
        s->v[k] = dc_vec((dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1));
    s->pa.q = dc_quat_exp(dc_vec((dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1)));
    s->pb.q = dc_quat_exp(dc_vec((dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1), (dc_real)rng_uniform(r, -1, 1)));
    s->pa.t = dc_vec(3, DC_R(0.3), DC_R(-0.2));
    s->pb.t = dc_vec(DC_R(-0.4), DC_R(0.2), DC_R(0.1));
    for (k = 0; k < 3; ++k) {
        memset(&d, 0, sizeof d);
        dc_hull_distance(&s->a, &s->pa, &s->b, &s->pb, &mem, &d);
        s->pa.t = dc_madd(s->pa.t, (dc_real)gap - d.gap, d.n);
    }
    dc_hull_distance(&s->a, &s->pa, &s->b, &s->pb, &mem, &e);
    s->Ta = dc_pose_to_affine(s->pa);
    s->Tb = dc_pose_to_affine(s->pb);
    for (k = 0; k < 12; ++k) {                   /* not rigid */
        s->Ta.m[k] += (dc_real)(gap*rng_uniform(r, -0.05, 0.05));
        s->Tb.m[k] += (dc_real)(gap*rng_uniform(r, -0.05, 0.05));
    }
}

/* the same gap between hulls with radii */
static void make_round(scene *s, double ra, double rb)
{
    dc_distance d = DC_ZERO;
    dc_hull_distance(&s->a, &s->pa, &s->b, &s->pb, NULL, &d);
    s->a.radius = (dc_real)ra;
    s->b.radius = (dc_real)rb;
    s->pa.t = dc_madd(s->pa.t, s->a.radius + s->b.radius, d.n);
    s->Ta.m[3] += (s->a.radius + s->b.radius)*d.n.x;
    s->Ta.m[7] += (s->a.radius + s->b.radius)*d.n.y;
    s->Ta.m[11] += (s->a.radius + s->b.radius)*d.n.z;
}

static dc_pose moved(dc_pose p, const double *x)
{
    dc_real t[6];
    int k;
    for (k = 0; k < 6; ++k) t[k] = (dc_real)x[k];
    return dc_pose_retract(p, t);
}

static void value_of_twist(const double *x, double *f, void *user)
{
    scene *s = (scene *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_pose pa = moved(s->pa, x), pb = moved(s->pb, x + 6);
    dc_real v;
    f[0] = dc_pair_rigid(&s->o, &s->a, &pa, &s->b, &pb, &mem, NULL, &v, NULL, NULL, NULL) == DC_OK ? (double)v : (double)NAN;
}

/* gradient in the exponential coordinates: rotations by exp(w + dw) = exp(J_l dw) exp(w) */
static void gradient_of_twist(const double *x, double *f, void *user)
{
    scene *s = (scene *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_pose pa = moved(s->pa, x), pb = moved(s->pb, x + 6);
    dc_real v, g[12];
    int i, k;
    if (dc_pair_rigid(&s->o, &s->a, &pa, &s->b, &pb, &mem, NULL, &v, g, NULL, NULL) != DC_OK) g[0] = (dc_real)NAN;
    for (i = 0; i < 12; i += 6) {
        dc_m3 J = dc_so3_jl(dc_vec((dc_real)x[i + 3], (dc_real)x[i + 4], (dc_real)x[i + 5]));
        dc_v3 w = dc_mul_t(&J, dc_vec(g[i + 3], g[i + 4], g[i + 5]));
        for (k = 0; k < 3; ++k) f[i + k] = (double)g[i + k];
        f[i + 3] = (double)w.x;
        f[i + 4] = (double)w.y;
        f[i + 5] = (double)w.z;
    }
}

static dc_status by_map(scene *s, const double *x, dc_real *v, dc_real *g, dc_real *H)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_affine A, B;
    int k;
    for (k = 0; k < 12; ++k) {
        A.m[k] = (dc_real)x[k];
        B.m[k] = (dc_real)x[12 + k];
    }
    return dc_pair_affine(&s->o, &s->a, &A, &s->b, &B, &mem, NULL, v, g, H, NULL);
}
static void value_of_map(const double *x, double *f, void *user)
{
    dc_real v;
    f[0] = by_map((scene *)user, x, &v, NULL, NULL) == DC_OK ? (double)v : (double)NAN;
}
static void gradient_of_map(const double *x, double *f, void *user)
{
    dc_real v, g[24];
    int k, ok = by_map((scene *)user, x, &v, g, NULL) == DC_OK;
    for (k = 0; k < 24; ++k) f[k] = ok ? (double)g[k] : (double)NAN;
}

static dc_status by_vertex(scene *s, const double *x, dc_real *v, dc_real *g, dc_real *H)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_v3 p[32];
    dc_hull a = DC_ZERO, b = DC_ZERO;
    int k;
    for (k = 0; k < s->a.n + s->b.n; ++k) p[k] = dc_vec((dc_real)x[3*k], (dc_real)x[3*k + 1], (dc_real)x[3*k + 2]);
    a.v = p;
    a.n = s->a.n;
    b.v = p + a.n;
    b.n = s->b.n;
    a.radius = s->a.radius;
    b.radius = s->b.radius;
    return dc_pair(&s->o, &a, &b, &mem, NULL, v, g, H, NULL);
}
static void value_of_vertex(const double *x, double *f, void *user)
{
    dc_real v;
    f[0] = by_vertex((scene *)user, x, &v, NULL, NULL) == DC_OK ? (double)v : (double)NAN;
}
static void gradient_of_vertex(const double *x, double *f, void *user)
{
    scene *s = (scene *)user;
    dc_real v, g[3*32];
    int k, n = 3*(s->a.n + s->b.n), ok = by_vertex(s, x, &v, g, NULL) == DC_OK;
    for (k = 0; k < n; ++k) f[k] = ok ? (double)g[k] : (double)NAN;
}

/* Every derivative against central differences, orders near 2: both barriers, counts 1..8, deep in the support and near
 * its end, in other units of length, with radii. */
TEST derivatives_are_those_of_the_value(void)
{
    static const int count[][2] = {{1, 1}, {1, 3}, {3, 3}, {4, 8}, {8, 8}};
    static scene s;
    worst err = worst_make("difference quotient - derivative"), order = worst_make("order below 2");
    rng r;
    int trial, i, k, n;
    if (DC_IS_FLOAT) SKIPm("differences of float values have too few digits: the tables check float");
    rng_seed(&r, 3);
    for (trial = 0; trial < 40; ++trial) {
        static double x[96], g[96], H[96*96];
        static dc_real dg[96], dH[96*96];
        double gap = trial%3 == 0 ? 0.02 : trial%3 == 1 ? 0.3 : 1.5, h0 = 0.05*gap;
        fd_result f;
        dc_real v;
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        i = trial%5;
        random_scene(&s, &r, count[i][0], count[i][1], gap);
        if (trial >= 30) make_round(&s, trial%4 == 1 ? 0 : rng_log(&r, 0.01, 3), rng_log(&r, 0.01, 3));
        if (trial >= 15 && trial < 35) {
            s.o.barrier = DC_LOCAL;
            s.o.s = DC_R(0.3);
            s.o.length = (dc_real)(gap/(trial%2 ? 0.84 : 0.4));      /* support 0.857 length */
            if (trial%2) h0 = 0.005*gap;                              /* all differences inside it */
        } else if (trial >= 10) s.o.length = DC_R(0.37);
        ASSERT_EQ(dc_pair_rigid(&s.o, &s.a, &s.pa, &s.b, &s.pb, &mem, NULL, &v, dg, dH, NULL), DC_OK);
        ASSERT(v > 0);
        for (k = 0; k < 12; ++k) x[k] = 0;
        to_double(dg, g, 12);
        to_double(dH, H, 144);
        f = fd_check(value_of_twist, &s, 12, x, 1, g, h0);
        worst_add(&err, f.err, "trial %d twist gradient", trial);
        worst_add(&order, 2 - f.order, "trial %d twist gradient", trial);
        f = fd_check(gradient_of_twist, &s, 12, x, 12, H, h0);
        worst_add(&err, f.err, "trial %d twist Hessian", trial);
        worst_add(&order, 2 - f.order, "trial %d twist Hessian", trial);

        to_double(s.Ta.m, x, 12);
        to_double(s.Tb.m, x + 12, 12);
        ASSERT_EQ(by_map(&s, x, &v, dg, dH), DC_OK);
        to_double(dg, g, 24);
        to_double(dH, H, 576);
        f = fd_check(value_of_map, &s, 24, x, 1, g, h0);
        worst_add(&err, f.err, "trial %d map gradient", trial);
        worst_add(&order, 2 - f.order, "trial %d map gradient", trial);
        f = fd_check(gradient_of_map, &s, 24, x, 24, H, h0);
        worst_add(&err, f.err, "trial %d map Hessian", trial);
        worst_add(&order, 2 - f.order, "trial %d map Hessian", trial);

        n = 3*(s.a.n + s.b.n);
        for (k = 0; k < s.a.n + s.b.n; ++k) {
            dc_v3 p = k < s.a.n ? dc_pose_apply(s.pa, s.v[k]) : dc_pose_apply(s.pb, s.v[k]);
            x[3*k] = (double)p.x;
            x[3*k + 1] = (double)p.y;
            x[3*k + 2] = (double)p.z;
        }
        ASSERT_EQ(by_vertex(&s, x, &v, dg, dH), DC_OK);
        to_double(dg, g, n);
        to_double(dH, H, n*n);
        f = fd_check(value_of_vertex, &s, n, x, 1, g, h0);
        worst_add(&err, f.err, "trial %d vertex gradient", trial);
        worst_add(&order, 2 - f.order, "trial %d vertex gradient", trial);
        f = fd_check(gradient_of_vertex, &s, n, x, n, H, h0);
        worst_add(&err, f.err, "trial %d vertex Hessian", trial);
        worst_add(&order, 2 - f.order, "trial %d vertex Hessian", trial);
    }
    ASSERT(worst_print(&err, 1e-8) + worst_print(&order, 0.3) == 2);
    PASS();
}

/* The three parametrisations are one function: twists and maps by the chain rule from the vertices; the relative form expanded. */
TEST parametrisations_agree(void)
{
    static scene s;
    static dc_real gv[96], Hv[96*96], g12[12], H12[144], g24[24], H24[576];
    worst wg = worst_make("map gradient"), wH = worst_make("map Hessian"), tg = worst_make("twist gradient");
    rng r;
    int trial, i, j, k, l, n;
    rng_seed(&r, 5);
    for (trial = 0; trial < 20; ++trial) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        double x[96], most = 0, got, e;
        dc_real v, u;
        random_scene(&s, &r, 3 + trial%6, 8 - trial%5, 0.2);
        if (trial%2) {
            s.o.barrier = DC_LOCAL;
            s.o.s = DC_R(0.5);
        }
        s.Ta = dc_pose_to_affine(s.pa);
        s.Tb = dc_pose_to_affine(s.pb);
        n = s.a.n + s.b.n;
        for (k = 0; k < n; ++k) {
            dc_v3 p = dc_pose_apply(k < s.a.n ? s.pa : s.pb, s.v[k]);
            x[3*k] = (double)p.x;
            x[3*k + 1] = (double)p.y;
            x[3*k + 2] = (double)p.z;
        }
        ASSERT_EQ(by_vertex(&s, x, &v, gv, Hv), DC_OK);
        ASSERT_EQ(dc_pair_affine(&s.o, &s.a, &s.Ta, &s.b, &s.Tb, &mem, NULL, &u, g24, H24, NULL), DC_OK);
        ASSERT_EQ(dc_pair_rigid(&s.o, &s.a, &s.pa, &s.b, &s.pb, &mem, NULL, &u, g12, H12, NULL), DC_OK);
        e = EPS*(1 + 3*2/0.2);
        for (i = 0; i < 24; ++i) most = fmax(most, fabs((double)g24[i]));
        for (i = 0; i < 24; ++i) {
            got = 0;
            for (k = i < 12 ? 0 : s.a.n; k < (i < 12 ? s.a.n : n); ++k) {
                const dc_real X[4] = {s.v[k].x, s.v[k].y, s.v[k].z, 1};
                got += (double)(gv[3*k + i%12/4]*X[i%4]);
            }
            worst_add(&wg, fabs(got - (double)g24[i])/most/e, "trial %d", trial);
        }
        for (i = 0, most = 0; i < 576; ++i) most = fmax(most, fabs((double)H24[i]));
        for (i = 0; i < 24; ++i)
            for (j = 0; j < 24; ++j) {
                got = 0;
                for (k = i < 12 ? 0 : s.a.n; k < (i < 12 ? s.a.n : n); ++k)
                    for (l = j < 12 ? 0 : s.a.n; l < (j < 12 ? s.a.n : n); ++l) {
                        const dc_real X[4] = {s.v[k].x, s.v[k].y, s.v[k].z, 1}, Y[4] = {s.v[l].x, s.v[l].y, s.v[l].z, 1};
                        got += (double)(Hv[(3*k + i%12/4)*3*n + 3*l + j%12/4]*X[i%4]*Y[j%4]);
                    }
                worst_add(&wH, fabs(got - (double)H24[24*i + j])/most/e, "trial %d", trial);
                ASSERT(H24[24*i + j] == H24[24*j + i]);
            }
        for (i = 0; i < 12; ++i)
            for (j = 0; j < 12; ++j) ASSERT(H12[12*i + j] == H12[12*j + i]);
        for (i = 0, most = 0; i < 12; ++i) most = fmax(most, fabs((double)g12[i]));
        for (i = 0; i < 2; ++i) {
            dc_v3 f = dc_vec(0, 0, 0), t = f;
            for (k = i ? s.a.n : 0; k < (i ? n : s.a.n); ++k) {
                dc_v3 g = dc_vec(gv[3*k], gv[3*k + 1], gv[3*k + 2]);
                dc_m3 R = dc_rotation(i ? s.pb.q : s.pa.q);
                f = dc_add(f, g);
                t = dc_add(t, dc_cross(dc_mul(&R, s.v[k]), g));
            }
            f = dc_sub(f, dc_vec(g12[6*i], g12[6*i + 1], g12[6*i + 2]));
            t = dc_sub(t, dc_vec(g12[6*i + 3], g12[6*i + 4], g12[6*i + 5]));
            worst_add(&tg, sqrt((double)(dc_dot(f, f) + dc_dot(t, t)))/most/e, "trial %d", trial);
        }
    }
    printf("  errors in eps (1 + condition)\n");
    ASSERT(worst_print(&wg, 20) + worst_print(&wH, 100) + worst_print(&tg, 20) == 3);
    PASS();
}

/* ---- smoothness ------------------------------------------------------------------------------------- */

/* The local potential is exactly 0 beyond 2s/(1-s); at the end of the support value, gradient and Hessian go to 0 like w^4, w^3, w^2. */
TEST local_ends_smoothly(void)
{
    static scene s;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_real v, g[12], H[144];
    dc_v3 t;
    rng r;
    int trial, k, j;
    rng_seed(&r, 9);
    for (trial = 0; trial < 20; ++trial) {
        double end = 2*0.4/(1 - 0.4), last[3] = {0, 0, 0};
        dc_distance d = DC_ZERO;
        random_scene(&s, &r, 4, 6, 1.0);
        s.o.barrier = DC_LOCAL;
        s.o.s = DC_R(0.4);
        dc_hull_distance(&s.a, &s.pa, &s.b, &s.pb, NULL, &d);
        t = dc_madd(s.pa.t, (dc_real)end - d.gap, d.n);
        for (k = 0; k < 3; ++k) {
            double w = (DC_IS_FLOAT ? 4e-2 : 1e-2)*pow(0.5, k), now[3];
            s.pa.t = dc_madd(t, (dc_real)-w, d.n);
            ASSERT_EQ(dc_pair_rigid(&s.o, &s.a, &s.pa, &s.b, &s.pb, &mem, NULL, &v, g, H, NULL), DC_OK);
            now[0] = (double)v;
            for (j = 0, now[1] = 0; j < 12; ++j) now[1] = fmax(now[1], fabs((double)g[j]));
            for (j = 0, now[2] = 0; j < 144; ++j) now[2] = fmax(now[2], fabs((double)H[j]));
            ASSERT(now[0] > 0 && now[1] > 0 && now[2] > 0);
            for (j = 0; k > 0 && j < 3; ++j) {
                double order = log(last[j]/now[j])/log(2.0);
                ASSERT(order > 4 - j - 0.35 && order < 4 - j + 0.35);
            }
            memcpy(last, now, sizeof last);
        }
        s.pa.t = dc_madd(t, (dc_real)(end*64*EPS), d.n);
        ASSERT_EQ(dc_pair_rigid(&s.o, &s.a, &s.pa, &s.b, &s.pb, &mem, NULL, &v, g, H, NULL), DC_OK);
        ASSERT(v == 0);
        for (j = 0; j < 12; ++j) ASSERT(g[j] == 0);
        for (j = 0; j < 144; ++j) ASSERT(H[j] == 0);
    }
    PASS();
}

/* Along a path with many switches (vertices entering the support, closest features, frames, units of the solver, warm or cold start)
 * the Hessian moves by O(step): second differences of it shrink like step^2, no jump. */
TEST no_jump_along_a_path(void)
{
    static scene s;
    worst jump = worst_make("Hessian: second difference over first, fine/coarse"), warm = worst_make("warm - cold");
    rng r;
    int trial, level, i, k;
    rng_seed(&r, 13);
    for (trial = 0; trial < 12; ++trial) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        double rough[2] = {0, 0}, most = 0;
        random_scene(&s, &r, 5, 5, 0.3);
        if (trial%2) {
            s.o.barrier = DC_LOCAL;
            s.o.s = DC_R(0.4);
        }
        /* b slides and turns; largest second difference of the Hessian for steps 1/200 and 1/800 */
        for (level = 0; level < 2; ++level) {
            int steps = level ? 800 : 200;
            double h = 1.0/steps;
            dc_real H[3][144];
            dc_plane plane = DC_ZERO;
            for (i = 0; i <= steps; ++i) {
                double x[6] = {0, 1.2*i*h, -0.8*i*h, 0.4*i*h, 0, 0.2*i*h};
                dc_pose p = moved(s.pb, x);
                dc_real v, vw, gw[12], Hw[144];
                dc_status st;
                if (dc_pair_rigid(&s.o, &s.a, &s.pa, &s.b, &p, &mem, NULL, &v, gw, H[i%3], NULL) != DC_OK) break;
                st = dc_pair_rigid(&s.o, &s.a, &s.pa, &s.b, &p, &mem, &plane, &vw, gw, Hw, NULL);
                if (st != DC_OK) printf("  trial %d step %d of %d: %s\n", trial, i, steps, dc_status_text(st));
                ASSERT_EQ(st, DC_OK);
                for (k = 0; k < 144; ++k) most = fmax(most, fabs((double)H[i%3][k]));
                for (k = 0; k < 144; ++k) worst_add(&warm, fabs((double)(Hw[k] - H[i%3][k]))/(most > 0 ? most : 1)/EPS, "trial %d step %d", trial, i);
                for (k = 0; k < 144 && i >= 2; ++k)
                    rough[level] = fmax(rough[level], fabs((double)H[i%3][k] - 2*(double)H[(i + 2)%3][k] + (double)H[(i + 1)%3][k]));
            }
        }
        /* a jump would keep its size: ratio 1. A continuous Hessian with kinks: 1/4; a smooth one: 1/16 */
        if (!DC_IS_FLOAT) worst_add(&jump, rough[1]/rough[0], "trial %d", trial);
    }
    if (!DC_IS_FLOAT) ASSERT(worst_print(&jump, 0.3));
    ASSERT(worst_print(&warm, 200));             /* in eps of the largest Hessian along the path */
    PASS();
}

/* ---- closed forms -------------------------------------------------------------------------------------- */

/* error in eps */
static double off_by(dc_real got, double want, double scale) { return scale == 0 ? (got == 0 ? 0 : HUGE_VAL) : fabs((double)got - want)/scale/EPS; }

/* Float counts the rounding of the centres to float. */
TEST lri_centred(void)
{
    worst wv = worst_make("value"), wg = worst_make("gradient"), wh = worst_make("Hessian");
    char word[64], name[64];
    table t;
    int cases = 0, skipped = 0, i;
    ASSERT(table_open(&t, "lri_centered.txt"));
    while (table_word(&t, word)) {
        double x[6], v, g[6], H[36], far = 0, r2 = 0, e;
        dc_real gv, gg[6], gH[36];
        ASSERT(table_word(&t, name) && table_expect(&t, "X") && table_reals(&t, x, 6) && table_expect(&t, "VALUE") && table_real(&t, &v)
               && table_expect(&t, "GRAD") && table_reals(&t, g, 6) && table_expect(&t, "HESS") && table_expect(&t, "FULL")
               && table_int(&t, &i));
        read_symmetric(&t, H, 6);
        ASSERT(table_expect(&t, "END"));
        for (i = 0; i < 3; ++i) {
            far = fmax(far, fmax(fabs(x[i]), fabs(x[3 + i])));
            r2 += (x[i] - x[3 + i])*(x[i] - x[3 + i]);
        }
        if (DC_IS_FLOAT && (largest_of(H, 36) > 1e38 || far > 1e9)) {
            printf("  %s: out of the range of float\n", name);
            ++skipped;
            continue;
        }
        ++cases;
        e = DC_IS_FLOAT ? 1 + 3*far/sqrt(r2) : 1;
        ASSERT_EQ(dc_centred(NULL, 3, 3, dc_vec((dc_real)x[0], (dc_real)x[1], (dc_real)x[2]), dc_vec((dc_real)x[3], (dc_real)x[4], (dc_real)x[5]),
                             &gv, gg, gH), DC_OK);
        worst_add(&wv, off_by(gv, v, fabs(v))/e, "%s", name);
        worst_add(&wg, relative_error(gg, g, 6)/EPS/e, "%s", name);
        worst_add(&wh, relative_error(gH, H, 36)/EPS/e, "%s", name);
    }
    table_close(&t);
    printf("  %d cases, %d out of range, errors in eps\n", cases, skipped);
    ASSERT(cases > 0 && worst_print(&wv, 10) + worst_print(&wg, 20) + worst_print(&wh, 20) == 3);
    PASS();
}

TEST phi(void)
{
    worst w = worst_make("Phi, Phi', Phi''");
    table t;
    double d;
    int rows = 0;
    ASSERT(table_open(&t, "phi.txt"));
    while (table_real_or_end(&t, &d)) {
        double p[3], e = 1;
        dc_real q[3], x = (dc_real)d;
        ASSERT(table_reals(&t, p, 3));
        if (DC_IS_FLOAT && fabs(d) < 1e-30 && d != 0) continue;             /* below float's range */
        ++rows;
        q[0] = dc_blend(x, &q[1], &q[2]);
        if (!(x > 0 && x < 1)) {
            ASSERT(fabs((double)q[0] - p[0]) <= 8*EPS && fabs((double)q[1] - p[1]) <= 8*EPS && fabs((double)q[2] - p[2]) <= 60*EPS);
            continue;
        }
        /* float: the argument as rounded, d eps, moves Phi'' by up to 60 d eps */
        if (DC_IS_FLOAT) e = 8;
        worst_add(&w, off_by(q[0], p[0], p[0])/e, "Phi(%g)", d);
        worst_add(&w, off_by(q[1], p[1], p[1] + (DC_IS_FLOAT ? 60*d : 0))/e, "Phi'(%g)", d);
        worst_add(&w, off_by(q[2], p[2], fabs(p[2]) + (DC_IS_FLOAT ? 60*d : 0))/e, "Phi''(%g)", d);
    }
    table_close(&t);
    printf("  %d rows, errors in eps\n", rows);
    ASSERT(rows > 0 && worst_print(&w, 8));
    PASS();
}

/* A hull a tenth across, a point half a unit away, lengths far larger: the support holds |n| within g^(5/6) of 1, and a Newton step that
 * goes straight to the side leaves the ball. With such steps none of 60 sufficed from a length of 1e5 on. */
TEST hulls_far_smaller_than_a_length(void)
{
    const double lengths[] = {1, 1e2, 1e4, 1e5, 455817, 1e7, 1e8};
    const dc_v3 v[6] = {{DC_R(0.038), DC_R(-0.047), DC_R(0.020)}, {DC_R(0.005), DC_R(0.045), DC_R(-0.045)}, {DC_R(0.060), DC_R(0.021), DC_R(0.0002)},
                        {DC_R(-0.062), DC_R(0.004), DC_R(-0.015)}, {DC_R(-0.003), DC_R(0.051), DC_R(-0.046)}, {DC_R(0.007), DC_R(0.019), DC_R(-0.029)}};
    const dc_v3 point[1] = {{DC_R(-0.30), DC_R(0.40), DC_R(0.05)}};
    static unsigned char local[1 << 14];
    dc_hull a = DC_ZERO, b = DC_ZERO;
    int k;
    a.v = v;
    a.n = 6;
    b.v = point;
    b.n = 1;
    for (k = 0; k < (DC_IS_FLOAT ? 3 : 7); ++k) {
        dc_arena mem = dc_arena_make(local, sizeof local);
        dc_pair_options o = DC_ZERO;
        dc_pair_info info;
        dc_real P, g[12];
        o.barrier = DC_LOCAL;
        o.s = DC_R(0.5);
        o.length = (dc_real)lengths[k];
        ASSERT_EQ(DC_OK, dc_pair_rigid(&o, &a, NULL, &b, NULL, &mem, NULL, &P, g, NULL, &info));
        ASSERT(P > 0 && info.iterations <= 30);
    }
    PASS();
}

/* P_s and its derivatives, plain and times x0^5 as the solver uses them. */
TEST sdrs_barrier(void)
{
    worst w = worst_make("P_s, P_s', P_s''");
    dci_barrier barrier;
    table t;
    double s;
    int rows = 0, i;
    ASSERT(table_open(&t, "sdrs_barrier.txt"));
    while (table_real_or_end(&t, &s)) {
        double x, p[3];
        ASSERT(table_real(&t, &x) && table_reals(&t, p, 3));
        for (i = 0; i < 2; ++i) {
            dc_real v, d1, d2;
            double k, c = 1 + 4*s/fabs(s - x);
            barrier.support = (dc_real)s;
            barrier.scale = i ? dci_floor_pow2((dc_real)x) : 1;
            k = pow((double)barrier.scale, 5);
            v = dci_ps(&barrier, (dc_real)x);
            d1 = dci_ps_grad(&barrier, (dc_real)x, &d2);
            if (p[0] == 0) {
                ASSERT(v == 0 && d1 == 0 && d2 == 0);
                continue;
            }
            if (DC_IS_FLOAT && (p[2]*k > 1e38 || p[0]*k < 1e-37 || s - x < 1e-5*s)) continue;
            ++rows;
            worst_add(&w, off_by(v, p[0]*k, p[0]*k)/c, "P(%g), s %g", x, s);
            worst_add(&w, off_by(d1, p[1]*k, fabs(p[1]*k))/c, "P'(%g), s %g", x, s);
            worst_add(&w, off_by(d2, p[2]*k, p[2]*k)/c, "P''(%g), s %g", x, s);
        }
    }
    table_close(&t);
    printf("  %d rows, errors in eps (1 + condition of s - x)\n", rows);
    ASSERT(rows > 0 && worst_print(&w, 8));
    PASS();
}

/* The centred form is the pair of collapsed hulls, and a lower bound of the pair otherwise (Lemma 5.1 iii). */
TEST centred_is_collapsed_and_below(void)
{
    worst same = worst_make("collapsed hulls against the centred form");
    rng r;
    int trial, k;
    rng_seed(&r, 21);
    for (trial = 0; trial < 200; ++trial) {
        static scene s;
        dc_v3 pa, pb, p[32];
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_hull a = DC_ZERO, b = DC_ZERO;
        dc_real v, c, w;
        double gap = rng_log(&r, 0.01, 10);
        random_scene(&s, &r, 1 + trial%7, 1 + trial%4, gap);
        pa = pb = dc_vec(0, 0, 0);
        for (k = 0; k < s.a.n; ++k) pa = dc_madd(pa, 1/(dc_real)s.a.n, dc_pose_apply(s.pa, s.v[k]));
        for (k = 0; k < s.b.n; ++k) pb = dc_madd(pb, 1/(dc_real)s.b.n, dc_pose_apply(s.pb, s.v[s.a.n + k]));
        s.o.length = (dc_real)rng_log(&r, 0.1, 10);
        ASSERT_EQ(dc_centred(&s.o, s.a.n, s.b.n, pa, pb, &c, NULL, NULL), DC_OK);
        ASSERT_EQ(dc_pair_rigid(&s.o, &s.a, &s.pa, &s.b, &s.pb, &mem, NULL, &v, NULL, NULL, NULL), DC_OK);
        ASSERT((double)c <= (double)v*(1 + 8*EPS*(1 + 10/gap)));         /* equal for two points, to rounding of the poses */
        for (k = 0; k < s.a.n + s.b.n; ++k) p[k] = k < s.a.n ? pa : pb;
        a.v = p;
        a.n = s.a.n;
        b.v = p + a.n;
        b.n = s.b.n;
        ASSERT_EQ(dc_pair(&s.o, &a, &b, &mem, NULL, &w, NULL, NULL, NULL), DC_OK);
        worst_add(&same, (double)(dc_abs(w - c)/c)/EPS, "trial %d", trial);
    }
    ASSERT(worst_print(&same, 20));
    PASS();
}

/* Spheres by closed forms: DC_GLOBAL is the centred form over the gap, of DC_LOCAL with slacks g|n|/2 on both sides the
 * least over |n|. Of all hulls only the sum of both radii matters: the plane moves. */
TEST round_hulls(void)
{
    worst global = worst_make("spheres, DC_GLOBAL"), local = worst_make("spheres, DC_LOCAL"), sum = worst_make("one radius for two");
    rng r;
    int trial, i, k, way;
    rng_seed(&r, 22);
    for (trial = 0; trial < 300; ++trial) {
        static scene s, t;
        const double gap = rng_log(&r, DC_IS_FLOAT ? 0.03 : 1e-4, 3), ra = rng_log(&r, 0.1, 3), rb = trial%3 ? rng_log(&r, 0.1, 3) : 0;
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_distance d = DC_ZERO;
        dc_real v, w, g[2][12], H[2][144], at[6];
        double e = EPS*(1 + 30/gap), most[2] = {0, 0};
        random_scene(&s, &r, 1, 1, gap);
        make_round(&s, ra, rb);
        ASSERT_EQ(DC_OK, dc_hull_distance(&s.a, &s.pa, &s.b, &s.pb, NULL, &d));
        ASSERT_EQ(DC_OK, dc_pair_rigid(NULL, &s.a, &s.pa, &s.b, &s.pb, &mem, NULL, &v, g[0], NULL, NULL));
        ASSERT_EQ(DC_OK, dc_centred(NULL, 1, 1, dc_vec(d.gap, 0, 0), dc_vec(0, 0, 0), &w, at, NULL));
        worst_add(&global, (double)dc_abs(v - w)/(double)w/e, "gap %g", gap);
        d.n = dc_sub(dc_vec(g[0][0], g[0][1], g[0][2]), dc_scale(at[0], d.n));
        worst_add(&global, sqrt((double)dc_dot(d.n, d.n))/(double)-at[0]/e, "gap %g, force", gap);

        s.o.barrier = DC_LOCAL;
        s.o.s = DC_R(0.3);
        s.o.length = (dc_real)(gap*rng_uniform(&r, 1.3, 5));
        if (!DC_IS_FLOAT) {
            const double x = (double)d.gap/(double)s.o.length, sup = (double)s.o.s;
            double lo = 0, hi = 1, f[2];
            for (k = 0; k < 100; ++k)                                   /* golden section of a convex function */
                for (i = 0; i < 2; ++i) {
                    const double n = i ? lo + (hi - lo)*0.6180339887498949 : lo + (hi - lo)*0.3819660112501051;
                    const double p = 1 - n, q = n*x/2;
                    f[i] = (p < sup ? pow(sup - p, 4)/pow(p, 5) : 0) + 2*(q < sup ? pow(sup - q, 4)/pow(q, 5) : 0);
                    if (!(q > 0)) f[i] = HUGE_VAL;
                    if (i == 0) continue;
                    if (f[0] <= f[1]) hi = lo + (hi - lo)*0.6180339887498949;
                    else lo = lo + (hi - lo)*0.3819660112501051;
                }
            ASSERT_EQ(DC_OK, dc_pair_rigid(&s.o, &s.a, &s.pa, &s.b, &s.pb, &mem, NULL, &v, NULL, NULL, NULL));
            worst_add(&local, fabs((double)v - fmin(f[0], f[1]))/fmin(f[0], f[1])/e, "gap %g", gap);
        }

        random_scene(&s, &r, 1 + trial%6, 1 + trial%4, gap);
        if (trial%2) {
            s.o.barrier = DC_LOCAL;
            s.o.s = DC_R(0.3);
            s.o.length = (dc_real)(gap*rng_uniform(&r, 1.3, 5));
        }
        make_round(&s, ra, rb);
        t = s;
        t.a.v = t.v;
        t.b.v = t.v + t.a.n;
        t.a.radius = s.a.radius + s.b.radius;
        t.b.radius = 0;
        for (way = 0; way < 2; ++way) {
            scene *at_way = way ? &t : &s;
            ASSERT_EQ(DC_OK, dc_pair_rigid(&at_way->o, &at_way->a, &at_way->pa, &at_way->b, &at_way->pb, &mem, NULL, &v, g[way], H[way], NULL));
            for (k = 0; k < 12; ++k) most[0] = fmax(most[0], fabs((double)g[way][k]));
            for (k = 0; k < 144; ++k) most[1] = fmax(most[1], fabs((double)H[way][k]));
        }
        for (k = 0; k < 12; ++k) worst_add(&sum, fabs((double)(g[0][k] - g[1][k]))/most[0]/e, "trial %d gradient", trial);
        for (k = 0; k < 144; ++k) worst_add(&sum, fabs((double)(H[0][k] - H[1][k]))/most[1]/e, "trial %d Hessian", trial);
    }
    ASSERT(worst_print(&global, 10) + worst_print(&sum, 20) == 2 && (DC_IS_FLOAT || worst_print(&local, 20)));
    PASS();
}

SUITE(tables)
{
    RUN_TEST(lri_pair);
    RUN_TEST(lri_counts);
    RUN_TEST(sdrs_pair);
    RUN_TEST(lri_centred);
    RUN_TEST(phi);
    RUN_TEST(hulls_far_smaller_than_a_length);
    RUN_TEST(sdrs_barrier);
}

SUITE(derivatives)
{
    RUN_TEST(derivatives_are_those_of_the_value);
    RUN_TEST(parametrisations_agree);
    RUN_TEST(local_ends_smoothly);
    RUN_TEST(no_jump_along_a_path);
    RUN_TEST(centred_is_collapsed_and_below);
    RUN_TEST(round_hulls);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(tables);
    RUN_SUITE(derivatives);
    GREATEST_MAIN_END();
}
