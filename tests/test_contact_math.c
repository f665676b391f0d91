/* Elementary functions, rotations and poses. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include "greatest.h"
#include "support.h"

#include <stdlib.h>

GREATEST_MAIN_DEFS();

static double d(dc_real x) { return (double)x; }
static double eps(void) { return (double)DC_EPS; }
static dc_real f_inf(void) { return DC_R(INFINITY); }
static dc_real f_nan(void) { return DC_R(NAN); }

static dc_real sin_part(dc_real x) { dc_real s, c; dc_sincos(x, &s, &c); return s; }
static dc_real cos_part(dc_real x) { dc_real s, c; dc_sincos(x, &s, &c); return c; }

/* ---- elementary functions: accuracy ---- */

/* The errors documented in the header, in ulp. */
typedef struct { const char *name; dc_real (*f)(dc_real); dc_real (*g)(dc_real, dc_real); double bar; } function;
static const function functions[] = {
    { "exp", dc_exp, NULL, 0.80 },         { "log", dc_log, NULL, 0.75 },
    { "log1p", dc_log1p, NULL, 0.75 },     { "tanh", dc_tanh, NULL, 1.30 },
    { "sigmoid", dc_sigmoid, NULL, 1.20 }, { "softplus", dc_softplus, NULL, 1.20 },
    { "sin", sin_part, NULL, 0.85 },       { "cos", cos_part, NULL, 0.85 },
    { "atan2", NULL, dc_atan2, 0.75 },     { "pow", NULL, dc_pow, 0.85 }
};
enum { FUNCTIONS = sizeof functions/sizeof functions[0] };

#if !DC_IS_FLOAT

/* exponent of the last bit of v, subnormal numbers included */
static int ulp_exponent(double v)
{
    int e;
    if (v == 0) return -1074;
    frexp(v, &e);
    return e - 53 < -1074 ? -1074 : e - 53;
}

/* Each row of the table: function, argument(s), nearest double to the exact value, and what is missing in ulp. */
TEST double_agrees_with_mpfr(void)
{
    worst w[FUNCTIONS];
    table t;
    char name[64];
    int k, good = 1;
    for (k = 0; k < FUNCTIONS; k++) w[k] = worst_make(functions[k].name);
    ASSERT(table_open(&t, "elementary.txt"));
    while (table_word(&t, name)) {
        double x, y = 0, want, rest, got, err;
        for (k = 0; k < FUNCTIONS && strcmp(name, functions[k].name) != 0; k++) {}
        ASSERTm(name, k < FUNCTIONS);
        ASSERT(table_real(&t, &x));
        if (functions[k].g) ASSERT(table_real(&t, &y));
        ASSERT(table_real(&t, &want));
        ASSERT(table_real(&t, &rest));
        got = functions[k].g ? functions[k].g(x, y) : functions[k].f(x);
        if (got == want) err = fabs(rest);
        else err = fabs(ldexp(got - want, -ulp_exponent(want)) - rest);
        worst_add(&w[k], err, "%a %a", x, y);
    }
    table_close(&t);
    for (k = 0; k < FUNCTIONS; k++) {
        good &= worst_print(&w[k], functions[k].bar);
        ASSERT(w[k].count > 100);
    }
    ASSERT(good);
    PASS();
}

#else

static double per_ulp(double y)
{
    int e;
    if (y == 0) return ldexp(1, 149);
    frexp(y, &e);
    return ldexp(1, e < -125 ? 149 : 24 - e);
}

static double ref_sigmoid(double x) { return x < 0 ? exp(x)/(1 + exp(x)) : 1/(1 + exp(-x)); }
static double ref_softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
typedef double (*double_function)(double);

static double float_error(float got, double want)
{
    if (want != want) return got != got ? 0 : HUGE_VAL;
    if (fabs(want) >= 3.4028235677973366e38) return (double)got == (want > 0 ? HUGE_VAL : -HUGE_VAL) ? 0 : HUGE_VAL;
    if (d(got) == want) return 0;
    return fabs((d(got) - want)*per_ulp(want));
}

/* A stride through all bit patterns, against the C library in double. tests/tools/float_ulp.c takes every one. */
TEST float_agrees_with_double(void)
{
    static const double_function ref[] = { exp, log, log1p, tanh, ref_sigmoid, ref_softplus, sin, cos };
    int k, good = 1;
    for (k = 0; k < 8; k++) {
        worst w = worst_make(functions[k].name);
        uint64_t u, step = (uint64_t)(4294967296.0/(double)sweep_count(400000)) | 1;
        for (u = 0; u < (uint64_t)1 << 32; u += step) {
            uint32_t b = (uint32_t)u;
            float x;
            memcpy(&x, &b, sizeof x);
            worst_add(&w, float_error(functions[k].f(x), ref[k](d(x))), "%a", d(x));
        }
        good &= worst_print(&w, functions[k].bar);
    }
    ASSERT(good);
    PASS();
}

TEST float_pairs_agree_with_double(void)
{
    worst wp = worst_make("pow"), wa = worst_make("atan2");
    rng r;
    long i, n = sweep_count(300000);
    rng_seed(&r, 7);
    for (i = 0; i < n; i++) {
        uint32_t b = (uint32_t)rng_bits(&r);
        float x, y;
        memcpy(&x, &b, sizeof x);
        if (i & 1) x = (float)rng_uniform(&r, -2, 2);
        if (!(fabs(d(x)) > 0 && fabs(d(x)) < 3e38)) continue;
        y = (float)(rng_uniform(&r, -104, 89)/log(fabs(d(x))));
        if (fabs(d(y)) < 3e38)
            worst_add(&wp, float_error(dc_pow(fabsf(x), y), pow(fabs(d(x)), d(y))), "%a %a", fabs(d(x)), d(y));
        b = (uint32_t)rng_bits(&r);
        memcpy(&y, &b, sizeof y);
        if (i & 2) y = (float)(d(x)*rng_log(&r, 1e-9, 1e9));
        if (y == y) worst_add(&wa, float_error(dc_atan2(y, x), atan2(d(y), d(x))), "%a %a", d(y), d(x));
    }
    ASSERT(worst_print(&wp, 0.85) & worst_print(&wa, 0.75));
    PASS();
}

#endif

/* ---- elementary functions: special values ---- */

static int same(dc_real a, dc_real b)
{
    dci_bits p = dci_to_bits(a), q = dci_to_bits(b);
    return (a != a && b != b) || p == q;
}

/* the root for lane loops, against the correctly rounded one */
TEST square_root_of_a_lane(void)
{
    worst w = worst_make("dci_sqrt_lane, over dc_sqrt, in eps");
    long k, n = sweep_count(200000);
    rng r;
    rng_seed(&r, 12);
    for (k = 0; k < n; ++k) {
        dc_real x = (dc_real)(k % 2 ? rng_log(&r, DC_IS_FLOAT ? 2e-38 : 1e-307, DC_IS_FLOAT ? 1e38 : 1e307) : rng_uniform(&r, 0.5, 4));
        worst_add(&w, fabs((double)(dci_sqrt_lane(x)/dc_sqrt(x)) - 1)/(double)DC_EPS, "%.17g", (double)x);
    }
    ASSERT(dci_sqrt_lane(0) == 0 && dci_sqrt_lane(1) == 1 && dci_sqrt_lane(4) == 2);
    ASSERT(worst_print(&w, 1.5));
    PASS();
}

TEST special_values_of_one_argument(void)
{
    const dc_real inf = f_inf(), nan = f_nan(), mx = DC_REAL_MAX, mn = DC_REAL_MIN;
    const dc_real sub = dci_from_bits(1), one_below = 1 - DC_EPS/2;
    struct { dc_real (*f)(dc_real); dc_real x, want; } rows[] = {
        { dc_exp, 0, 1 }, { dc_exp, -DC_R(0), 1 }, { dc_exp, inf, inf }, { dc_exp, -inf, 0 }, { dc_exp, nan, nan },
        { dc_exp, mx, inf }, { dc_exp, -mx, 0 }, { dc_exp, sub, 1 }, { dc_exp, -sub, 1 },
        { dc_log, 1, 0 }, { dc_log, 0, -inf }, { dc_log, -DC_R(0), -inf }, { dc_log, inf, inf }, { dc_log, -inf, nan },
        { dc_log, -1, nan }, { dc_log, -sub, nan }, { dc_log, nan, nan }, { dc_log, one_below, -DC_EPS/2 },
        { dc_log1p, 0, 0 }, { dc_log1p, -DC_R(0), -DC_R(0) }, { dc_log1p, -1, -inf }, { dc_log1p, -2, nan },
        { dc_log1p, inf, inf }, { dc_log1p, -inf, nan }, { dc_log1p, nan, nan }, { dc_log1p, sub, sub },
        { dc_log1p, -sub, -sub }, { dc_log1p, mn, mn }, { dc_log1p, -mx, nan },
        { dc_tanh, 0, 0 }, { dc_tanh, -DC_R(0), -DC_R(0) }, { dc_tanh, inf, 1 }, { dc_tanh, -inf, -1 },
        { dc_tanh, nan, nan }, { dc_tanh, sub, sub }, { dc_tanh, -sub, -sub }, { dc_tanh, mn, mn }, { dc_tanh, mx, 1 },
        { dc_sigmoid, 0, DC_R(0.5) }, { dc_sigmoid, -DC_R(0), DC_R(0.5) }, { dc_sigmoid, inf, 1 }, { dc_sigmoid, -inf, 0 },
        { dc_sigmoid, nan, nan }, { dc_sigmoid, mx, 1 }, { dc_sigmoid, -mx, 0 },
        { dc_softplus, inf, inf }, { dc_softplus, -inf, 0 }, { dc_softplus, nan, nan }, { dc_softplus, mx, mx },
        { dc_softplus, -mx, 0 }, { dc_softplus, 0, DC_R(0.69314718055994531) },
        { sin_part, 0, 0 }, { sin_part, -DC_R(0), -DC_R(0) }, { sin_part, inf, nan }, { sin_part, -inf, nan },
        { sin_part, nan, nan }, { sin_part, sub, sub }, { sin_part, -sub, -sub },
        { cos_part, 0, 1 }, { cos_part, -DC_R(0), 1 }, { cos_part, inf, nan }, { cos_part, nan, nan }, { cos_part, sub, 1 },
        { dc_sqrt, 4, 2 }, { dc_sqrt, -DC_R(0), -DC_R(0) }, { dc_sqrt, inf, inf }, { dc_sqrt, nan, nan }, { dc_sqrt, -1, nan }
    };
    size_t k;
    for (k = 0; k < sizeof rows/sizeof rows[0]; k++) {
        dc_real got = rows[k].f(rows[k].x);
        if (!same(got, rows[k].want)) {
            printf("  row %d: f(%a) = %a, not %a\n", (int)k, d(rows[k].x), d(got), d(rows[k].want));
            FAILm("special value");
        }
    }
    PASS();
}

TEST special_values_of_two_arguments(void)
{
    const dc_real inf = f_inf(), nan = f_nan(), mx = DC_REAL_MAX, z = -DC_R(0), sub = dci_from_bits(1);
    const dc_real pi = DC_R(3.1415926535897931), h = DC_R(1.5707963267948966), q = DC_R(0.78539816339744828);
    const dc_real big = 2*DCI_UNIT;                     /* even, as every number above it */
    struct { dc_real x, y, want; } powers[] = {
        { 0, 3, 0 }, { z, 3, z }, { z, 2, 0 }, { 0, 2, 0 }, { z, DC_R(2.5), 0 }, { 0, inf, 0 }, { z, inf, 0 },
        { 0, -3, inf }, { z, -3, -inf }, { z, -2, inf }, { z, DC_R(-2.5), inf }, { 0, -inf, inf },
        { -1, inf, 1 }, { -1, -inf, 1 }, { 1, nan, 1 }, { 1, inf, 1 }, { nan, 0, 1 }, { nan, z, 1 }, { inf, 0, 1 }, { 0, 0, 1 },
        { -2, DC_R(0.5), nan }, { -2, 3, -8 }, { -2, 2, 4 }, { -2, -1, DC_R(-0.5) }, { 2, nan, nan }, { nan, 2, nan },
        { DC_R(0.5), inf, 0 }, { DC_R(0.5), -inf, inf }, { 2, inf, inf }, { 2, -inf, 0 }, { -2, inf, inf }, { DC_R(-0.5), inf, 0 },
        { inf, 2, inf }, { inf, -2, 0 }, { -inf, 3, -inf }, { -inf, 2, inf }, { -inf, -3, z }, { -inf, -2, 0 },
        { -inf, DC_R(0.5), inf }, { inf, inf, inf }, { inf, -inf, 0 },
        { -1, big, 1 }, { -1, big - 1, -1 }, { -1, mx, 1 }, { 2, mx, inf }, { DC_R(0.5), mx, 0 }, { 1 + DC_EPS, mx, inf },
        { 1 + DC_EPS, -mx, 0 }, { mx, 1, mx }, { sub, 1, sub }, { sub, -1, inf }, { mx, 2, inf }, { -mx, 3, -inf }, { 2, sub, 1 },
        { 3, 1, 3 }, { 3, 4, 81 }, { 10, 5, 100000 }, { 4, DC_R(0.5), 2 }, { 1 - DC_EPS/2, 1, 1 - DC_EPS/2 }
    };
    struct { dc_real y, x, want; } angles[] = {
        { 0, 1, 0 }, { z, 1, z }, { 0, 0, 0 }, { z, 0, z }, { 0, z, pi }, { z, z, -pi }, { 0, -1, pi }, { z, -1, -pi },
        { 1, 0, h }, { 1, z, h }, { -1, 0, -h }, { 1, 1, q }, { -1, 1, -q }, { 1, -1, DC_R(2.3561944901923449) },
        { inf, 1, h }, { -inf, 1, -h }, { inf, -mx, h }, { 1, inf, 0 }, { -1, inf, z }, { 1, -inf, pi }, { -1, -inf, -pi },
        { inf, inf, q }, { -inf, inf, -q }, { inf, -inf, DC_R(2.3561944901923449) }, { -inf, -inf, DC_R(-2.3561944901923449) },
        { nan, 1, nan }, { 1, nan, nan }, { nan, inf, nan }, { sub, 1, sub }, { -sub, 1, -sub }, { sub, sub, q }, { mx, mx, q },
        { sub, -1, pi }, { sub, mx, 0 }, { -sub, mx, z }, { mx, sub, h }, { mx, -sub, h }, { sub, -mx, pi }
    };
    size_t k;
    for (k = 0; k < sizeof powers/sizeof powers[0]; k++) {
        dc_real got = dc_pow(powers[k].x, powers[k].y);
        if (!same(got, powers[k].want)) {
            printf("  pow(%a, %a) = %a, not %a\n", d(powers[k].x), d(powers[k].y), d(got), d(powers[k].want));
            FAILm("pow");
        }
    }
    for (k = 0; k < sizeof angles/sizeof angles[0]; k++) {
        dc_real got = dc_atan2(angles[k].y, angles[k].x);
        if (!same(got, angles[k].want)) {
            printf("  atan2(%a, %a) = %a, not %a\n", d(angles[k].y), d(angles[k].x), d(got), d(angles[k].want));
            FAILm("atan2");
        }
    }
    PASS();
}

/* ---- elementary functions: the same bits everywhere ---- */

static uint64_t hash_mix(uint64_t h, dc_real v)
{
    dci_bits b = dci_to_bits(v != v ? DC_R(0) : v);
    size_t i;
    for (i = 0; i < sizeof b; i++) h = (h ^ (uint64_t)(b >> 8*i & 255))*UINT64_C(1099511628211);
    return h;
}

/* The bits of a mixture of 20000 arguments. Only a build without contraction of a*b + c keeps them. */
TEST bits_are_the_same_on_every_machine(void)
{
#ifdef DC_TEST_NO_CONTRACT
    uint64_t h = UINT64_C(14695981039346656037);
    rng r;
    int i;
    rng_seed(&r, 11);
    for (i = 0; i < 20000; i++) {
        dc_real x = dci_from_bits((dci_bits)(rng_bits(&r) >> 3)), y = DC_R(rng_uniform(&r, -40, 40)), s, c;
        dc_real a = (i & 1) ? x : DC_R(rng_uniform(&r, -40, 40));
        h = hash_mix(h, dc_exp(a));
        h = hash_mix(h, dc_log(dci_fabs(a)));
        h = hash_mix(h, dc_log1p(a));
        h = hash_mix(h, dc_tanh(a));
        h = hash_mix(h, dc_sigmoid(a));
        h = hash_mix(h, dc_softplus(a));
        h = hash_mix(h, dc_pow(dci_fabs(a), y));
        h = hash_mix(h, dc_atan2(a, y));
        dc_sincos(a, &s, &c);
        h = hash_mix(hash_mix(h, s), c);
        {
            dc_real y1 = DC_R(rng_uniform(&r, -2, 2)), y2 = DC_R(rng_uniform(&r, -2, 2));
            dc_v3 w = dc_vec(y, y1, y2);
            dc_m3 G = dc_so3_jl_grad(w, dc_vec(1, 2, 3)), R = dc_m3_exp(w);
            dc_v3 v = dc_m3_log(&R);
            int k;
            for (k = 0; k < 9; k++) h = hash_mix(hash_mix(h, G.m[k]), R.m[k]);
            h = hash_mix(hash_mix(hash_mix(h, v.x), v.y), v.z);
        }
    }
    printf("  hash %016llx\n", (unsigned long long)h);
    ASSERT(h == (DC_IS_FLOAT ? UINT64_C(0x29083529775dda04) : UINT64_C(0x51c92323d006dbd2)));
    PASS();
#else
    (void)hash_mix;
    SKIPm("needs -ffp-contract=off and DC_TEST_NO_CONTRACT");
#endif
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif

/* A loop over a kernel is what the other headers vectorise: same bits as the calls, whatever the width. */
TEST loops_over_kernels_give_the_bits_of_the_calls(void)
{
#ifdef DC_TEST_NO_CONTRACT
    static dc_real x[1003], y[6][1003];
    rng r;
    int i;
    rng_seed(&r, 12);
    for (i = 0; i < 1003; i++) {
        x[i] = (i & 1) ? dci_from_bits((dci_bits)rng_bits(&r)) : DC_R(rng_uniform(&r, -30, 30));
        if (i < 8) x[i] = (i & 4) ? DC_R(i - 5) : ((i & 2) ? f_inf() : f_nan())*((i & 1) ? DC_R(1) : DC_R(-1));
    }
    for (i = 0; i < 1003; i++) y[0][i] = dci_exp_lane(x[i]);
    for (i = 0; i < 1003; i++) y[1][i] = dci_log_lane(x[i]);
    for (i = 0; i < 1003; i++) y[2][i] = dci_log1p_lane(x[i]);
    for (i = 0; i < 1003; i++) y[3][i] = dci_tanh_lane(x[i]);
    for (i = 0; i < 1003; i++) y[4][i] = dci_sigmoid_lane(x[i]);
    for (i = 0; i < 1003; i++) y[5][i] = dci_softplus_lane(x[i]);
    for (i = 0; i < 1003; i++) {
        int k;
        for (k = 0; k < 6; k++) {
            dc_real v = functions[k].f(x[i]);
            if (v != v ? y[k][i] == y[k][i] : dci_to_bits(v) != dci_to_bits(y[k][i])) {
                printf("  %s(%a)\n", functions[k].name, d(x[i]));
                FAILm("a lane differs");
            }
        }
    }
    PASS();
#else
    SKIPm("needs -ffp-contract=off and DC_TEST_NO_CONTRACT");
#endif
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- rotations ---- */

static dc_v3 vec_of(const double *x) { return dc_vec(DC_R(x[0]), DC_R(x[1]), DC_R(x[2])); }

static dc_v3 random_rotation(rng *r, double lo, double hi)
{
    double u[3], s = rng_log(r, lo, hi);
    rng_unit3(r, u);
    return dc_vec(DC_R(s*u[0]), DC_R(s*u[1]), DC_R(s*u[2]));
}

static void multiply(const double A[9], const double B[9], double C[9])
{
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) C[3*i + j] = A[3*i]*B[j] + A[3*i + 1]*B[3 + j] + A[3*i + 2]*B[6 + j];
}

/* exp and left Jacobian by their definitions, R = sum K^k/k!, J = sum K^k/(k+1)! with K = [w/8], then doubled three
 * times: R(2w) = R(w)^2, J(2w) = (1 + R(w)) J(w)/2. Good to some eps, without a closed form in it. */
static void reference(dc_v3 w, double R[9], double J[9])
{
    const double x = d(w.x)/8, y = d(w.y)/8, z = d(w.z)/8;
    const double K[9] = { 0, -z, y, z, 0, -x, -y, x, 0 };
    double T[20][9], N[9];
    int i, k;
    for (i = 0; i < 9; i++) T[0][i] = i % 4 == 0;
    for (k = 1; k < 20; k++) {
        multiply(T[k - 1], K, T[k]);
        for (i = 0; i < 9; i++) T[k][i] /= k;
    }
    for (i = 0; i < 9; i++) {
        R[i] = J[i] = 0;
        for (k = 19; k >= 0; k--) { R[i] += T[k][i]; J[i] += T[k][i]/(k + 1); }
    }
    for (k = 0; k < 3; k++) {
        for (i = 0; i < 9; i++) N[i] = ((i % 4 == 0) + R[i])/2;
        multiply(N, J, T[0]);
        memcpy(J, T[0], sizeof T[0]);
        multiply(R, R, T[0]);
        memcpy(R, T[0], sizeof T[0]);
    }
}

static double distance9(const dc_m3 *A, const double B[9])
{
    double e = 0;
    int i;
    for (i = 0; i < 9; i++) {
        double v = fabs(d(A->m[i]) - B[i]);
        if (!(v <= e)) e = v;
    }
    return e;
}

TEST exponential_and_jacobian_match_their_definitions(void)
{
    worst wq = worst_make("quaternion exp(w), absolute / eps");
    worst we = worst_make("exp(w), absolute / eps"), wj = worst_make("J_l(w), absolute / eps");
    worst wi = worst_make("J_l(w) J_l(w)^-1 - 1, / eps");
    rng r;
    long i, n = sweep_count(4000);
    rng_seed(&r, 1);
    for (i = 0; i < n; i++) {
        dc_v3 w = random_rotation(&r, i & 1 ? 1e-8 : 0.3, 5.5);
        dc_m3 R = dc_m3_exp(w), J = dc_so3_jl(w), V = dc_so3_jl_inv(w);
        dc_quat q = dc_quat_exp(w);
        double M[9], P[9], x = d(w.x), y = d(w.y), z = d(w.z), th = sqrt(x*x + y*y + z*z), s = sin(th/2)/th;
        int a, b;
        worst_add(&wq, (fabs(d(q.w) - cos(th/2)) + fabs(d(q.x) - s*x) + fabs(d(q.y) - s*y) + fabs(d(q.z) - s*z))/eps(),
                  "%a %a %a", x, y, z);
        reference(w, P, M);
        worst_add(&we, distance9(&R, P)/eps(), "%a %a %a", d(w.x), d(w.y), d(w.z));
        worst_add(&wj, distance9(&J, M)/eps(), "%a %a %a", d(w.x), d(w.y), d(w.z));
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++) {
                int c;
                P[3*a + b] = a == b;
                for (c = 0; c < 3; c++) P[3*a + b] -= M[3*a + c]*d(V.m[3*c + b]);
            }
        for (a = 0; a < 9; a++) worst_add(&wi, fabs(P[a])/eps(), "%a %a %a", d(w.x), d(w.y), d(w.z));
    }
    ASSERT(worst_print(&wq, 6) & worst_print(&we, 12) & worst_print(&wj, 6) & worst_print(&wi, 24));
    PASS();
}

/* exp then log gives back every rotation vector shorter than pi, to relative rounding, however short or long */
TEST log_inverts_exp_at_every_angle(void)
{
    worst wq = worst_make("log(exp(w)) - w, relative / eps"), wm = worst_make("same by matrices, absolute / eps");
    const double pi = 3.14159265358979312;
    rng r;
    long i, n = sweep_count(20000);
    rng_seed(&r, 2);
    for (i = 0; i < n; i++) {
        double u[3], th, e, len;
        dc_v3 w, v;
        dc_m3 R;
        rng_unit3(&r, u);
        th = i % 3 == 0 ? rng_log(&r, DC_IS_FLOAT ? 1e-36 : 1e-300, 1) : i % 3 == 1 ? pi - rng_log(&r, 4*eps(), 1) : rng_uniform(&r, 0, pi*(1 - 2*eps()));
        w = dc_vec(DC_R(th*u[0]), DC_R(th*u[1]), DC_R(th*u[2]));
        len = sqrt(d(w.x)*d(w.x) + d(w.y)*d(w.y) + d(w.z)*d(w.z));
        if (len >= pi) continue;
        v = dc_sub(dc_quat_log(dc_quat_exp(w)), w);
        e = fabs(d(v.x)) + fabs(d(v.y)) + fabs(d(v.z));
        worst_add(&wq, e/th/eps(), "%a %a %a", d(w.x), d(w.y), d(w.z));
        R = dc_m3_exp(w);
        v = dc_sub(dc_m3_log(&R), w);
        e = fabs(d(v.x)) + fabs(d(v.y)) + fabs(d(v.z));
        /* within rounding of pi, w and -w are one rotation */
        if (th > pi - 16*eps()) {
            dc_v3 s = dc_add(dc_m3_log(&R), w);
            double f = fabs(d(s.x)) + fabs(d(s.y)) + fabs(d(s.z));
            if (f < e) e = f;
        }
        worst_add(&wm, e/eps(), "%a %a %a", d(w.x), d(w.y), d(w.z));
    }
    ASSERT(worst_print(&wq, 6) & worst_print(&wm, 12));
    PASS();
}

TEST log_of_a_half_turn_and_of_opposite_quaternions(void)
{
    const dc_real pi = DC_R(3.1415926535897931);
    dc_quat q;
    dc_v3 w;
    dc_m3 R;
    int i;
    /* half turns about the axes and a diagonal */
    for (i = 0; i < 4; i++) {
        dc_real s = DC_R(0.57735026918962576);
        dc_v3 u = i < 3 ? dc_vec(i == 0, i == 1, i == 2) : dc_vec(s, s, -s);
        dc_real k = 2;
        int j;
        for (j = 0; j < 9; j++) {
            const dc_real a[3] = { u.x, u.y, u.z };
            R.m[j] = k*a[j/3]*a[j%3] - (j % 4 == 0 ? DC_R(1) : DC_R(0));
        }
        w = dc_m3_log(&R);
        ASSERT(fabs(d(pi) - sqrt(d(dc_dot(w, w)))) <= 4*eps());
        ASSERT(fabs(fabs(d(dc_dot(w, u))) - d(pi)) < 8*eps());
    }
    /* q and -q are the same rotation; no angle exceeds pi */
    q.w = DC_R(-0.6); q.x = 0; q.y = DC_R(0.8); q.z = 0;
    w = dc_quat_log(q);
    ASSERT(fabs(d(w.y) + 2*atan2(0.8, 0.6)) < 4*eps());
    q.w = -q.w; q.y = -q.y;
    ASSERT(d(dc_quat_log(q).y) == d(w.y));
    /* identity and its negative */
    q.w = -1; q.x = q.y = q.z = 0;
    w = dc_quat_log(q);
    ASSERT(d(w.x) == 0 && d(w.y) == 0 && d(w.z) == 0);
    /* a quaternion that is not unit: the angle is that of its direction */
    q.w = 3; q.x = 0; q.y = 0; q.z = 3;
    ASSERT(fabs(d(dc_quat_log(q).z) - d(pi)/2) < 2*eps());
    PASS();
}

TEST a_rotation_is_orthonormal_and_agrees_in_every_form(void)
{
    worst wo = worst_make("R^T R - 1, / eps"), wr = worst_make("quaternion against matrix, / eps");
    worst wf = worst_make("quaternion of its matrix, / eps");
    rng r;
    long i, n = sweep_count(5000);
    rng_seed(&r, 3);
    for (i = 0; i < n; i++) {
        dc_v3 w = random_rotation(&r, 1e-10, 1e3), x = random_rotation(&r, 1, 1), a, b;
        dc_quat q = dc_quat_exp(w), p;
        dc_m3 R = dc_m3_exp(w);
        dc_real s;
        int j, k, l;
        for (j = 0; j < 3; j++)
            for (k = 0; k < 3; k++) {
                double e = j == k ? -1 : 0;
                for (l = 0; l < 3; l++) e += d(R.m[3*l + j])*d(R.m[3*l + k]);
                worst_add(&wo, fabs(e)/eps(), "%a %a %a", d(w.x), d(w.y), d(w.z));
            }
        a = dc_quat_rotate(q, x);
        b = dc_mul(&R, x);
        b = dc_sub(a, b);
        worst_add(&wr, sqrt(d(dc_dot(b, b)))/eps(), "%a %a %a", d(w.x), d(w.y), d(w.z));
        p = dc_quat_from_m3(&R);
        s = q.w*p.w + q.x*p.x + q.y*p.y + q.z*p.z < 0 ? DC_R(-1) : DC_R(1);
        worst_add(&wf, (fabs(d(q.w - s*p.w)) + fabs(d(q.x - s*p.x)) + fabs(d(q.y - s*p.y)) + fabs(d(q.z - s*p.z)))/eps(),
                  "%a %a %a", d(w.x), d(w.y), d(w.z));
        ASSERT(p.w >= 0);
    }
    ASSERT(worst_print(&wo, 6) & worst_print(&wr, 6) & worst_print(&wf, 6));
    PASS();
}

/* ---- Jacobians ---- */

/* log(exp(x) exp(w)^-1): its derivative by x at w is J_l(w) */
static void relative(const double *x, double *f, void *user)
{
    const dc_v3 *w = (const dc_v3 *)user;
    dc_v3 v = dc_quat_log(dc_quat_mul(dc_quat_exp(vec_of(x)), dc_quat_conj(dc_quat_exp(*w))));
    f[0] = d(v.x); f[1] = d(v.y); f[2] = d(v.z);
}

/* J_l(x) v */
static void jl_times(const double *x, double *f, void *user)
{
    const dc_v3 *v = (const dc_v3 *)user;
    dc_m3 J = dc_so3_jl(vec_of(x));
    dc_v3 p = dc_mul(&J, *v);
    f[0] = d(p.x); f[1] = d(p.y); f[2] = d(p.z);
}

static void to_doubles(const dc_m3 *M, double *A) { int i; for (i = 0; i < 9; i++) A[i] = d(M->m[i]); }

/* on both sides of the change from series to closed form, at |w| = 2 */
TEST jacobians_match_differences(void)
{
    static const double lengths[] = { 1e-4, 0.01, 0.3, 1, 1.9, 1.999, 2.001, 2.1, 3, 3.14, 3.15, 4.5, 6 };
    worst wj = worst_make("J_l"), wg = worst_make("derivative of J_l v");
    double bar = DC_IS_FLOAT ? 2e-3 : 1e-9;
    rng r;
    size_t k;
    rng_seed(&r, 4);
    for (k = 0; k < sizeof lengths/sizeof lengths[0]; k++) {
        int i;
        for (i = 0; i < 4; i++) {
            dc_v3 w = random_rotation(&r, lengths[k], lengths[k]), v = random_rotation(&r, 1, 1);
            double x[3], A[9];
            double h = DC_IS_FLOAT ? 0.25 : 0.0625;
            /* near w = 0 the first function is linear, in float every step is rounding */
            int ordered = !DC_IS_FLOAT && lengths[k] > 0.1;
            dc_m3 M;
            fd_result f;
            x[0] = d(w.x); x[1] = d(w.y); x[2] = d(w.z);
            M = dc_so3_jl(w);
            to_doubles(&M, A);
            f = fd_check(relative, &w, 3, x, 3, A, h);
            worst_add(&wj, f.err, "|w| = %g, order %.2f", lengths[k], f.order);
            if (ordered) ASSERT(fabs(f.order - 2) <= 0.35);
            ASSERT(!f.bit_equal);
            M = dc_so3_jl_grad(w, v);
            to_doubles(&M, A);
            f = fd_check(jl_times, &v, 3, x, 3, A, h);
            worst_add(&wg, f.err, "|w| = %g, order %.2f", lengths[k], f.order);
            if (ordered) ASSERT(fabs(f.order - 2) <= 0.35);
            ASSERT(!f.bit_equal);
        }
    }
    ASSERT(worst_print(&wj, bar) & worst_print(&wg, bar));
    PASS();
}

/* exp(w + dw) = exp(J_l dw + G dw/2) exp(w) up to third order: what is left falls by 8 when dw is halved */
TEST jacobian_and_its_derivative_are_the_first_two_orders(void)
{
    rng r;
    int i, k;
    rng_seed(&r, 8);
    for (i = 0; i < 20; i++) {
        dc_v3 w = random_rotation(&r, 0.5, 3), u = random_rotation(&r, 1, 1);
        double left[2];
        for (k = 0; k < 2; k++) {
            dc_v3 dw = dc_scale(DC_R(k ? 0.05 : 0.1), u), v;
            dc_m3 J = dc_so3_jl(w), G = dc_so3_jl_grad(w, dw);
            v = dc_quat_log(dc_quat_mul(dc_quat_exp(dc_add(w, dw)), dc_quat_conj(dc_quat_exp(w))));
            v = dc_sub(v, dc_madd(dc_mul(&J, dw), DC_R(0.5), dc_mul(&G, dw)));
            left[k] = sqrt(d(dc_dot(v, v)));
        }
        ASSERT(left[0] < 1e-3);
        ASSERT(left[1] < left[0]/6 + 4*eps());
    }
    PASS();
}

/* series and closed form meet at w.w = 4: the coefficients from both sides of it, relative, in eps */
TEST series_and_closed_form_meet(void)
{
    dc_real s = DC_EPS;
    dci_so3 a, b;
    dc_v3 below = dc_vec(2 - 2*s, 0, 0), above = dc_vec(2, 0, 0);
    ASSERT(dc_dot(below, below) < 4 && dc_dot(above, above) >= 4);
    a = dci_so3_coef(below);
    b = dci_so3_coef(above);
    printf("  jumps / eps: b %.1f, c %.1f, db %.1f, dc %.1f, d %.1f\n",
           fabs(d(a.by_skew - b.by_skew))/d(b.by_skew)/eps(),
           fabs(d(a.by_square - b.by_square))/d(b.by_square)/eps(), fabs(d((a.skew_slope - b.skew_slope)/b.skew_slope))/eps(),
           fabs(d((a.square_slope - b.square_slope)/b.square_slope))/eps(),
           fabs(d(a.inverse - b.inverse))/d(b.inverse)/eps());
    ASSERT(fabs(d(a.by_skew - b.by_skew)) < 8*eps()*fabs(d(b.by_skew)));
    ASSERT(fabs(d(a.by_square - b.by_square)) < 8*eps()*fabs(d(b.by_square)));
    ASSERT(fabs(d(a.skew_slope - b.skew_slope)) < 16*eps()*fabs(d(b.skew_slope)));
    ASSERT(fabs(d(a.square_slope - b.square_slope)) < 48*eps()*fabs(d(b.square_slope)));
    ASSERT(fabs(d(a.inverse - b.inverse)) < 16*eps()*fabs(d(b.inverse)));
    PASS();
}

TEST jacobians_at_zero(void)
{
    dc_v3 o = dc_vec(0, 0, 0), v = dc_vec(1, 2, 3);
    dc_m3 J = dc_so3_jl(o), V = dc_so3_jl_inv(o), G = dc_so3_jl_grad(o, v);
    const dc_real half[9] = { 0, DC_R(1.5), -1, DC_R(-1.5), 0, DC_R(0.5), 1, DC_R(-0.5), 0 };   /* -[v]/2 */
    int i;
    for (i = 0; i < 9; i++) {
        ASSERT(d(J.m[i]) == (i % 4 == 0 ? 1 : 0));
        ASSERT(d(V.m[i]) == (i % 4 == 0 ? 1 : 0));
        ASSERT(d(G.m[i]) == d(half[i]));
    }
    PASS();
}

/* ---- poses ---- */

static dc_pose random_pose(rng *r)
{
    dc_pose p;
    p.q = dc_quat_exp(random_rotation(r, 0.01, 3));
    p.t = random_rotation(r, 0.1, 10);
    return p;
}

static double distance3(dc_v3 a, dc_v3 b)
{
    dc_v3 e = dc_sub(a, b);
    return fabs(d(e.x)) + fabs(d(e.y)) + fabs(d(e.z));
}

TEST poses_compose_invert_and_apply(void)
{
    worst wm = worst_make("(a b) x - a (b x), / eps"), wi = worst_make("a^-1 a x - x, / eps");
    worst wa = worst_make("affine map, / eps"), wn = worst_make("|q| - 1 after 1000 products, / eps");
    rng r;
    long i, n = sweep_count(5000);
    dc_pose c;
    rng_seed(&r, 5);
    c = random_pose(&r);
    for (i = 0; i < n; i++) {
        dc_pose a = random_pose(&r), b = random_pose(&r);
        dc_v3 x = random_rotation(&r, 0.1, 10), y = dc_pose_apply(a, dc_pose_apply(b, x)), z;
        dc_affine T = dc_pose_to_affine(a);
        worst_add(&wm, distance3(dc_pose_apply(dc_pose_mul(a, b), x), y)/eps(), "%ld", i);
        worst_add(&wi, distance3(dc_pose_apply(dc_pose_inv(a), dc_pose_apply(a, x)), x)/eps(), "%ld", i);
        z.x = T.m[0]*x.x + T.m[1]*x.y + T.m[2]*x.z + T.m[3];
        z.y = T.m[4]*x.x + T.m[5]*x.y + T.m[6]*x.z + T.m[7];
        z.z = T.m[8]*x.x + T.m[9]*x.y + T.m[10]*x.z + T.m[11];
        worst_add(&wa, distance3(dc_pose_apply(a, x), z)/eps(), "%ld", i);
        c = dc_pose_mul(a, c);
        c.t = dc_vec(0, 0, 0);
        worst_add(&wn, fabs(d(c.q.w)*d(c.q.w) + d(c.q.x)*d(c.q.x) + d(c.q.y)*d(c.q.y) + d(c.q.z)*d(c.q.z) - 1)/eps(), "%ld", i);
    }
    ASSERT(worst_print(&wm, 200) & worst_print(&wi, 200) & worst_print(&wa, 100) & worst_print(&wn, 4));
    PASS();
}

/* x <- exp([w]) (x - t) + t + v for a point fixed to the body, and the twist read back from the two poses */
TEST retraction_is_a_world_twist_about_the_body_origin(void)
{
    worst wr = worst_make("moved point, / eps"), wl = worst_make("twist read back, / eps");
    rng r;
    long i, n = sweep_count(5000);
    rng_seed(&r, 6);
    for (i = 0; i < n; i++) {
        dc_pose p = random_pose(&r), q;
        dc_v3 w = random_rotation(&r, 1e-3, 3), v = random_rotation(&r, 1e-3, 3), x = random_rotation(&r, 0.1, 10), y, z;
        dc_m3 R = dc_m3_exp(w);
        dc_real xi[6], back[6];
        double e = 0;
        int k;
        xi[0] = v.x; xi[1] = v.y; xi[2] = v.z; xi[3] = w.x; xi[4] = w.y; xi[5] = w.z;
        q = dc_pose_retract(p, xi);
        y = dc_pose_apply(p, x);
        z = dc_add(dc_add(dc_mul(&R, dc_sub(y, p.t)), p.t), v);
        worst_add(&wr, distance3(dc_pose_apply(q, x), z)/eps(), "%ld", i);
        dc_pose_local(p, q, back);
        for (k = 0; k < 6; k++) e += fabs(d(back[k]) - d(xi[k]));
        worst_add(&wl, e/eps(), "%ld", i);
    }
    ASSERT(worst_print(&wr, 200) & worst_print(&wl, 40));
    PASS();
}

TEST normalize_takes_every_length_and_refuses_the_rest(void)
{
    const dc_real scales[] = { dci_from_bits(1), DC_REAL_MIN, DC_R(1e-20), 1, DC_R(1e20), DC_REAL_MAX/8 };
    dc_quat q, o;
    size_t k;
    for (k = 0; k < sizeof scales/sizeof scales[0]; k++) {
        q.w = scales[k]; q.x = -scales[k]; q.y = 7*scales[k]; q.z = 7*scales[k];
        ASSERT(dc_quat_normalize(q, &o) == DC_OK);
        ASSERT(fabs(d(o.w) - 0.1) < 2*eps() && fabs(d(o.x) + 0.1) < 2*eps());
        ASSERT(fabs(d(o.y) - 0.7) < 2*eps() && fabs(d(o.z) - 0.7) < 2*eps());
    }
    q.w = q.x = q.y = q.z = 0;
    o.w = 5;
    ASSERT(dc_quat_normalize(q, &o) == DC_E_ARG);
    q.x = f_nan();
    ASSERT(dc_quat_normalize(q, &o) == DC_E_ARG);
    q.x = f_inf();
    ASSERT(dc_quat_normalize(q, &o) == DC_E_ARG);
    q.x = 1;
    ASSERT(dc_quat_normalize(q, NULL) == DC_E_ARG);
    ASSERT(d(o.w) == 5);
    PASS();
}

/* vectors whose squares vanish or overflow */
TEST rotation_vectors_of_extreme_length(void)
{
    const dc_real tiny = DC_IS_FLOAT ? DC_R(1e-30) : DC_R(1e-200), huge = DC_IS_FLOAT ? DC_R(1e30) : DC_R(1e200);
    dc_quat q = dc_quat_exp(dc_vec(tiny, 0, -2*tiny));
    dc_v3 w = dc_quat_log(q);
    ASSERT(d(q.w) == 1 && d(q.x) == d(tiny/2) && d(q.z) == d(-tiny));
    ASSERT(d(w.x) == d(tiny) && d(w.z) == d(-2*tiny));
    q = dc_quat_exp(dc_vec(huge, huge, 0));
    ASSERT(fabs(d(q.w)*d(q.w) + d(q.x)*d(q.x) + d(q.y)*d(q.y) + d(q.z)*d(q.z) - 1) < 8*eps());
    q = dc_quat_exp(dc_vec(0, 0, 0));
    ASSERT(d(q.w) == 1 && d(q.x) == 0 && d(q.y) == 0 && d(q.z) == 0);
    q = dc_quat_exp(dc_vec(f_nan(), 0, 0));
    ASSERT(q.w != q.w);
    PASS();
}

SUITE(elementary)
{
#if !DC_IS_FLOAT
    RUN_TEST(double_agrees_with_mpfr);
#else
    RUN_TEST(float_agrees_with_double);
    RUN_TEST(float_pairs_agree_with_double);
#endif
    RUN_TEST(square_root_of_a_lane);
    RUN_TEST(special_values_of_one_argument);
    RUN_TEST(special_values_of_two_arguments);
    RUN_TEST(bits_are_the_same_on_every_machine);
    RUN_TEST(loops_over_kernels_give_the_bits_of_the_calls);
}

SUITE(rotations)
{
    RUN_TEST(exponential_and_jacobian_match_their_definitions);
    RUN_TEST(log_inverts_exp_at_every_angle);
    RUN_TEST(log_of_a_half_turn_and_of_opposite_quaternions);
    RUN_TEST(a_rotation_is_orthonormal_and_agrees_in_every_form);
    RUN_TEST(jacobians_match_differences);
    RUN_TEST(jacobian_and_its_derivative_are_the_first_two_orders);
    RUN_TEST(series_and_closed_form_meet);
    RUN_TEST(jacobians_at_zero);
    RUN_TEST(poses_compose_invert_and_apply);
    RUN_TEST(retraction_is_a_world_twist_about_the_body_origin);
    RUN_TEST(normalize_takes_every_length_and_refuses_the_rest);
    RUN_TEST(rotation_vectors_of_extreme_length);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(elementary);
    RUN_SUITE(rotations);
    GREATEST_MAIN_END();
}
