/* Smooth operators: the 70-digit table, derivatives, limits and tails. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "record.h"

GREATEST_MAIN_DEFS();

enum { SIGN, RELU, CLIP, GREATER, WITHIN, OPERATORS };
static const char *const op_name[OPERATORS] = { "tanh", "relu_s", "clip_s", "sigmoid", "within_s" };

static dc_real op(int which, dc_real x, dc_real a, dc_real b, dc_real eps, dc_real *d1, dc_real *d2)
{
    switch (which) {
    case SIGN:    return dc_soft_sign(x, eps, d1, d2);
    case RELU:    return dc_soft_relu(x, eps, d1, d2);
    case CLIP:    return dc_soft_clip(x, a, b, eps, d1, d2);
    case GREATER: return dc_soft_greater(x, a, eps, d1, d2);
    default:      return dc_soft_within(x, a, b, eps, d1, d2);
    }
}

/* Error of one number relative to itself; what is below the format's range must come out below it, and what the
 * 70 digits of the table rounded to zero below 1e-60. */
static double error_of(dc_real got, double want)
{
    double least = fmax(1e6*(double)DC_REAL_MIN, want < 0 || want > 0 ? 0 : 1e-60);
    if (fabs(want) < least) return fabs((double)got) < 2*least ? 0 : HUGE_VAL;
    return fabs((double)got - want)/fabs(want);
}

/* Value, first and second derivative, each relative to itself: tails keep their digits. The bar is in eps times
 * 1 + |x - a|/eps, the condition of an exponential. */
TEST operators_table(void)
{
    static record r;
    worst w[OPERATORS][3];
    static const char *const which[3] = { "value", "first derivative", "second derivative" };
    table t;
    int k, j, n, good = 1, records = 0;
    char label[OPERATORS][3][64];
    for (k = 0; k < OPERATORS; ++k)
        for (j = 0; j < 3; ++j) {
            sprintf(label[k][j], "%s %s", op_name[k], which[j]);
            w[k][j] = worst_make(label[k][j]);
        }
    ASSERT(table_open(&t, "smooth_ops.txt"));
    while (record_next(&t, &r)) {
        if (!record_get(&r, "eps", NULL)) continue;
        ++records;
        for (k = 0; k < OPERATORS; ++k) {
            const double *want = record_get(&r, op_name[k], &n);
            double x = record_one(&r, "x"), a = record_one(&r, "lo"), b = record_one(&r, "hi"), eps = record_one(&r, "eps");
            /* the inputs are decimal: in float they are rounded, which the condition below takes in */
            double far_off = fmax(fabs(x), fmax(fabs(x - a), fabs(x - b)))/eps;
            double room = (1 + far_off + (DC_IS_FLOAT ? (fabs(x) + fabs(a) + fabs(b))/eps : 0))*EPS;
            dc_real got[3];
            ASSERT_EQ(3, n);
            got[0] = op(k, (dc_real)x, (dc_real)(k == GREATER ? 0 : a), (dc_real)b, (dc_real)eps, &got[1], &got[2]);
            for (j = 0; j < 3; ++j) worst_add(&w[k][j], error_of(got[j], want[j])/room, "%s x %g [%g, %g] eps %g", r.name, x, a, b, eps);
        }
    }
    table_close(&t);
    ASSERT(records >= 15);
    for (k = 0; k < OPERATORS; ++k)
        for (j = 0; j < 3; ++j) good &= worst_print(&w[k][j], 2);
    ASSERT(good);
    PASS();
}

TEST lse_table(void)
{
    static record r;
    worst wv = worst_make("log-sum-exp"), ww = worst_make("soft argmax"), wh = worst_make("its Jacobian"), wm = worst_make("tau < 0");
    table t;
    int k, n, records = 0, good;
    ASSERT(table_open(&t, "smooth_ops.txt"));
    while (record_next(&t, &r)) {
        const double *x = record_get(&r, "x", &n), *lse = record_get(&r, "lse", NULL);
        double tau = record_one(&r, "tau"), size, room;
        dc_real y[8], w[8], H[64], v, m;
        if (!lse) continue;
        ++records;
        ASSERT(n <= 8);
        for (k = 0; k < n; ++k) y[k] = (dc_real)x[k];
        size = largest(y, n);
        room = EPS*(1 + size/tau);
        v = dc_lse(n, y, (dc_real)tau, w, H);
        worst_add(&wv, fabs((double)v - *lse)/(EPS*(size + tau)), "%s", r.name);
        worst_add(&ww, relative_error(w, record_get(&r, "softmax", NULL), (size_t)n)/room, "%s", r.name);
        worst_add(&wh, relative_error(H, record_get(&r, "jac_softmax", NULL), (size_t)(n*n))/room, "%s", r.name);
        ASSERT(v == dc_lse(n, y, (dc_real)tau, NULL, NULL));
        /* the smooth minimum is minus the smooth maximum of the negatives; weights in place */
        for (k = 0; k < n; ++k) y[k] = -y[k];
        m = dc_lse(n, y, -(dc_real)tau, y, NULL);
        worst_add(&wm, fabs((double)m + *lse)/(EPS*(size + tau)), "%s", r.name);
        for (k = 0; k < n; ++k) ASSERT(y[k] == w[k]);
    }
    table_close(&t);
    ASSERT(records >= 6);
    good = worst_print(&wv, 2) & worst_print(&ww, 2) & worst_print(&wh, 2) & worst_print(&wm, 2);
    ASSERT(good);
    PASS();
}

typedef struct { int which; double a, b, eps; } fd_case;

static void value_and_slope(const double *x, double *f, void *user)
{
    const fd_case *c = (const fd_case *)user;
    dc_real d1;
    f[0] = (double)op(c->which, (dc_real)x[0], (dc_real)c->a, (dc_real)c->b, (dc_real)c->eps, &d1, NULL);
    f[1] = (double)d1;
}

/* Both derivatives against differences, with the order of their error. */
TEST operators_differences(void)
{
    worst w = worst_make("derivative against differences"), o = worst_make("order below 2 by");
    rng r;
    long i, n = sweep_count(400);
    rng_seed(&r, 1);
    for (i = 0; i < n; ++i) {
        fd_case c;
        double x, jac[2];
        dc_real d1, d2;
        fd_result fd;
        c.which = (int)(i%OPERATORS);
        c.a = (double)(float)rng_uniform(&r, -1, 0);
        c.b = (double)(float)(c.a + rng_uniform(&r, 0.1, 2));
        c.eps = (double)(float)rng_log(&r, 0.1, 1);
        /* within three widths of the transition: further out the rounding of a value near 1 is all the differences see */
        x = c.which == SIGN || c.which == RELU ? 0 : (c.which != GREATER && rng_int(&r, 0, 1) ? c.b : c.a);
        x = (double)(float)(x + c.eps*rng_uniform(&r, -3, 3));
        op(c.which, (dc_real)x, (dc_real)c.a, (dc_real)c.b, (dc_real)c.eps, &d1, &d2);
        jac[0] = (double)d1;
        jac[1] = (double)d2;
        fd = fd_check(value_and_slope, &c, 1, &x, 2, jac, c.eps/8);
        ASSERT(!fd.bit_equal);
        worst_add(&w, fd.err, "%s x %.17g [%g, %g] eps %g", op_name[c.which], x, c.a, c.b, c.eps);
        worst_add(&o, 2 - fd.order, "%s x %.17g [%g, %g] eps %g", op_name[c.which], x, c.a, c.b, c.eps);
    }
    ASSERT(worst_print(&w, DC_IS_FLOAT ? 2e-3 : 1e-9));
    ASSERT(DC_IS_FLOAT || worst_print(&o, 0.5));                    /* float: rounding hides the order */
    PASS();
}

/* Arguments at the ends of the number range give the limits, never NaN. */
TEST operators_far_away(void)
{
    static const double far_off[] = { 0, 1e-30, -1e-30, 1, 2, 1e3, -1e3, 1e6, -1e6, 3e37, -3e37, HUGE_VAL, -HUGE_VAL };
    static const double width[] = { 1e-6, 0.1, 1e6 };
    size_t i, j;
    int k;
    for (k = 0; k < OPERATORS; ++k)
        for (i = 0; i < sizeof far_off/sizeof *far_off; ++i)
            for (j = 0; j < 3; ++j) {
                dc_real d1, d2, x = (dc_real)far_off[i], y = op(k, x, 1, 2, (dc_real)width[j], &d1, &d2);
                ASSERT(y == y && d1 == d1 && d2 == d2);
                ASSERT(dc_finite(d1) && dc_finite(d2));
                if (k != RELU) ASSERT(dc_finite(y));
                if (k == CLIP) ASSERT((double)y >= 1 - 1e-6 && (double)y <= 2 + 1e-6);
                if (k == SIGN) ASSERT(dc_abs(y) <= 1);
            }
    ASSERT(op(CLIP, -DC_R(HUGE_VAL), 1, 2, DC_R(0.5), NULL, NULL) == 1);
    ASSERT(op(CLIP, DC_R(HUGE_VAL), 1, 2, DC_R(0.5), NULL, NULL) == 2);
    ASSERT(op(CLIP, 5, 1, 1, DC_R(0.5), NULL, NULL) == 1);          /* an empty interval */
    ASSERT(op(RELU, DC_R(HUGE_VAL), 0, 0, 1, NULL, NULL) == DC_R(HUGE_VAL));
    for (k = 0; k < OPERATORS; ++k) {
        dc_real d1, d2, y = op(k, (dc_real)(double)NAN, 1, 2, DC_R(0.5), &d1, &d2);
        ASSERT(y != y && d1 != d1 && d2 != d2);
    }
    PASS();
}

/* Ties, one entry, entries that underflow, a tau far below the spread and far above it. */
TEST lse_limits(void)
{
    dc_real x[3], w[3], H[9], one = 7, v;
    int i;
    ASSERT(dc_lse(1, &one, DC_R(0.1), w, H) == 7 && w[0] == 1 && H[0] == 0);
    x[0] = x[1] = x[2] = DC_R(-4);
    v = dc_lse(3, x, DC_R(0.5), w, NULL);
    ASSERT(fabs((double)v - (-4 + 0.5*log(3.0))) < 8*EPS);
    for (i = 0; i < 3; ++i) ASSERT(fabs((double)w[i] - 1.0/3) < EPS);
    x[0] = DC_R(1e30);
    x[1] = DC_R(-1e30);
    x[2] = 0;
    ASSERT(dc_lse(3, x, DC_R(1e-3), w, NULL) == DC_R(1e30) && w[0] == 1 && w[1] == 0 && w[2] == 0);
    ASSERT(dc_lse(3, x, DC_R(-1e-3), w, NULL) == DC_R(-1e30) && w[0] == 0 && w[1] == 1 && w[2] == 0);
    x[0] = 1;
    x[1] = 2;
    x[2] = 3;
    v = dc_lse(3, x, DC_R(1e6), w, NULL);
    ASSERT(fabs((double)v - 2 - 1e6*log(3.0) - 1.0/3e6) < 4e6*EPS);     /* mean, entropy, variance/(2 tau) */
    PASS();
}

/* clip stays inside its interval, relu above max, the weights of lse sum to one */
TEST operators_bounds(void)
{
    rng r;
    long i, n = sweep_count(20000);
    rng_seed(&r, 3);
    for (i = 0; i < n; ++i) {
        double a = rng_uniform(&r, -3, 3), b = a + rng_log(&r, 1e-3, 3), eps = rng_log(&r, 1e-3, 10), x = rng_uniform(&r, -9, 9), y, s;
        dc_real v[4], w[4];
        int k;
        y = (double)dc_soft_clip((dc_real)x, (dc_real)a, (dc_real)b, (dc_real)eps, NULL, NULL);
        ASSERT(y >= (double)(dc_real)a && y <= (double)(dc_real)b);
        /* an interval narrower than the rounding of eps, which once left it */
        b = a + 2*EPS*fabs(a);
        y = (double)dc_soft_clip((dc_real)x, (dc_real)a, (dc_real)b, (dc_real)(100*eps), NULL, NULL);
        ASSERT(y >= (double)(dc_real)a && y <= (double)(dc_real)b);
        y = (double)dc_soft_relu((dc_real)x, (dc_real)eps, NULL, NULL);
        ASSERT(y >= fmax(x, 0) - 2*EPS*fabs(x) && y <= fmax(x, 0) + eps*log(2.0) + 4*EPS*(fabs(x) + eps));
        for (k = 0; k < 4; ++k) v[k] = (dc_real)rng_uniform(&r, -1, 1);
        dc_lse(4, v, (dc_real)eps, w, NULL);
        for (s = 0, k = 0; k < 4; ++k) s += (double)w[k];
        ASSERT(fabs(s - 1) < 4*EPS);
    }
    PASS();
}

SUITE(smooth)
{
    RUN_TEST(operators_table);
    RUN_TEST(lse_table);
    RUN_TEST(operators_differences);
    RUN_TEST(operators_far_away);
    RUN_TEST(lse_limits);
    RUN_TEST(operators_bounds);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(smooth);
    GREATEST_MAIN_END();
}
