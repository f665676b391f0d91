/* elementary_table.c - errors of the double elementary functions against MPFR, and the table of test_contact_math.
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     cc -O2 -ffp-contract=off -I. tests/tools/elementary_table.c -o elementary_table -lmpfr -lgmp -lm
 *     ./elementary_table 1000000 > tests/data/elementary.txt          (samples per class; the summary goes to stderr)
 *
 * Each function has classes of arguments. Of each class the table keeps some random samples and the worst found.
 * A row: function, argument or arguments, the exact value as the nearest double and the rest in ulp of that double. */
#define DC_REAL double
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEEP_WORST = 12, KEEP_RANDOM = 30, PREC = 140 };

static uint64_t state = 88172645463325252ull;
static uint64_t bits(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30))*0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27))*0x94d049bb133111ebull;
    return z ^ (z >> 31);
}
static double uni(double lo, double hi) { return lo + (hi - lo)*((double)(bits() >> 11)*0x1p-53); }
/* random mantissa, binary exponent between lo and hi, positive */
static double binade(int lo, int hi) { return ldexp(1 + (double)(bits() >> 12)*0x1p-52, lo + (int)(bits() % (uint64_t)(hi - lo + 1))); }
static double sign(double x) { return bits() & 1 ? x : -x; }
/* a few last bits of x at random */
static double jitter(double x) { return x*(1 + (double)((int64_t)(bits() % 65) - 32)*0x1p-52); }
static double any(void)
{
    uint64_t b;
    double x;
    do { b = bits(); memcpy(&x, &b, sizeof x); } while (!(fabs(x) <= 1.7976931348623157e308));
    return x;
}

/* ---- the functions ---- */

static double f_sin(double x, double y) { double s, c; (void)y; dc_sincos(x, &s, &c); return s; }
static double f_cos(double x, double y) { double s, c; (void)y; dc_sincos(x, &s, &c); return c; }
#define UNARY(n) static double f_##n(double x, double y) { (void)y; return dc_##n(x); }
UNARY(exp) UNARY(log) UNARY(log1p) UNARY(tanh) UNARY(sigmoid) UNARY(softplus)

static void r_exp(mpfr_t r, mpfr_t x, mpfr_t y) { (void)y; mpfr_exp(r, x, MPFR_RNDN); }
static void r_log(mpfr_t r, mpfr_t x, mpfr_t y) { (void)y; mpfr_log(r, x, MPFR_RNDN); }
static void r_log1p(mpfr_t r, mpfr_t x, mpfr_t y) { (void)y; mpfr_log1p(r, x, MPFR_RNDN); }
static void r_tanh(mpfr_t r, mpfr_t x, mpfr_t y) { (void)y; mpfr_tanh(r, x, MPFR_RNDN); }
static void r_sin(mpfr_t r, mpfr_t x, mpfr_t y) { (void)y; mpfr_sin(r, x, MPFR_RNDN); }
static void r_cos(mpfr_t r, mpfr_t x, mpfr_t y) { (void)y; mpfr_cos(r, x, MPFR_RNDN); }
static void r_atan2(mpfr_t r, mpfr_t x, mpfr_t y) { mpfr_atan2(r, x, y, MPFR_RNDN); }
static void r_pow(mpfr_t r, mpfr_t x, mpfr_t y) { mpfr_pow(r, x, y, MPFR_RNDN); }
static void r_sigmoid(mpfr_t r, mpfr_t x, mpfr_t y)
{
    (void)y;
    mpfr_neg(r, x, MPFR_RNDN);
    mpfr_exp(r, r, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_ui_div(r, 1, r, MPFR_RNDN);
}
static void r_softplus(mpfr_t r, mpfr_t x, mpfr_t y)
{
    (void)y;
    if (mpfr_cmp_ui(x, 1000) > 0) { mpfr_set(r, x, MPFR_RNDN); return; }
    mpfr_exp(r, x, MPFR_RNDN);
    mpfr_log1p(r, r, MPFR_RNDN);
}

/* ---- the classes: each sets *x and, for two arguments, *y ---- */

static void exp_all(double *x, double *y)   { (void)y; *x = uni(-746, 710); }
static void exp_small(double *x, double *y) { (void)y; *x = sign(binade(-70, 2)); }
static void exp_mid(double *x, double *y)   { (void)y; *x = uni(-0.36, 0.36); }
static void exp_edge(double *x, double *y)  { (void)y; *x = jitter((floor(uni(-1000, 1000)) + 0.5)*0.69314718055994531); }
static void exp_sub(double *x, double *y)   { (void)y; *x = uni(-745.2, -708.3); }
static void exp_top(double *x, double *y)   { (void)y; *x = uni(709.7, 709.79); }
static void log_all(double *x, double *y)   { (void)y; *x = fabs(any()); }
static void log_one(double *x, double *y)   { (void)y; *x = 1 + sign(binade(-52, -3)); }
static void log_mid(double *x, double *y)   { (void)y; *x = uni(0.7, 1.42); }
static void log_edge(double *x, double *y)  { (void)y; *x = ldexp(jitter(0.70710678118654752), (int)(bits() % 5) - 2); }
static void log_sub(double *x, double *y)   { (void)y; *x = binade(-1074, -1023); }
static void log1p_tiny(double *x, double *y){ (void)y; *x = sign(binade(-1074, -20)); }
static void log1p_mid(double *x, double *y) { (void)y; *x = uni(-0.5, 1); }
static void log1p_one(double *x, double *y) { (void)y; *x = -1 + binade(-53, -2); }
static void log1p_big(double *x, double *y) { (void)y; *x = binade(0, 1023); }
static void log1p_small(double *x, double *y){ (void)y; *x = sign(binade(-20, -2)); }
static void bell(double *x, double *y)      { (void)y; *x = uni(-40, 40); }
static void bell_mid(double *x, double *y)  { (void)y; *x = uni(-2, 2); }
static void bell_tiny(double *x, double *y) { (void)y; *x = sign(binade(-1074, -2)); }
static void bell_low(double *x, double *y)  { (void)y; *x = uni(-746, -30); }
static void bell_big(double *x, double *y)  { (void)y; *x = sign(binade(3, 1023)); }
static void trig_mid(double *x, double *y)  { (void)y; *x = uni(-10, 10); }
static void trig_tiny(double *x, double *y) { (void)y; *x = sign(binade(-1074, -2)); }
static void trig_cw(double *x, double *y)   { (void)y; *x = sign(binade(0, 20)); }
static void trig_all(double *x, double *y)  { (void)y; *x = sign(binade(18, 1023)); }
static void trig_near(double *x, double *y) { (void)y; *x = sign(floor(binade(0, 22)))*1.5707963267948966; }
static void atan_ratio(double *x, double *y){ *y = sign(binade(-30, 30)); *x = sign(fabs(*y)*binade(-65, 65)); }
static void atan_near(double *x, double *y) { *y = sign(binade(-600, 600)); *x = sign(fabs(*y)*binade(-3, 3)); }
static void atan_all(double *x, double *y)  { *x = any(); *y = any(); }
static void atan_edge(double *x, double *y)
{
    static const double t[] = { 0.41421356237309503, 1, 2.4142135623730949 };
    *y = sign(binade(-3, 3));
    *x = sign(jitter(fabs(*y)*t[bits() % 3]));
}
static void atan_sub(double *x, double *y)  { *y = sign(binade(-1074, -1000)); *x = sign(binade(-1074, -1000)); }
static void pow_all(double *x, double *y)   { *x = fabs(any()); *y = uni(-745, 710)/log(*x); }
static void pow_one(double *x, double *y)   { *x = 1 + sign(binade(-52, -2)); *y = uni(-745, 710)/log(*x); }
static void pow_mid(double *x, double *y)   { *x = uni(0.1, 10); *y = uni(-10, 10); }
static void pow_half(double *x, double *y)  { *x = uni(0.5, 2); *y = sign(uni(600, 709))/log(*x); }
static void pow_int(double *x, double *y)   { *x = sign(uni(0, 100)); *y = floor(uni(-100, 100)); }
static void pow_sub(double *x, double *y)   { *x = binade(-1074, -1000); *y = uni(-1.02, 1.05); }

typedef struct {
    const char *name;
    int args;
    double (*f)(double x, double y);
    void (*ref)(mpfr_t r, mpfr_t x, mpfr_t y);
    void (*classes[6])(double *x, double *y);
} row;

static const row rows[] = {
    { "exp", 1, f_exp, r_exp, { exp_all, exp_small, exp_mid, exp_edge, exp_sub, exp_top } },
    { "log", 1, f_log, r_log, { log_all, log_one, log_mid, log_edge, log_sub, NULL } },
    { "log1p", 1, f_log1p, r_log1p, { log1p_tiny, log1p_mid, log1p_one, log1p_big, log1p_small, NULL } },
    { "tanh", 1, f_tanh, r_tanh, { bell, bell_mid, bell_tiny, exp_edge, bell_big, NULL } },
    { "sigmoid", 1, f_sigmoid, r_sigmoid, { bell, bell_mid, bell_tiny, bell_low, exp_sub, bell_big } },
    { "softplus", 1, f_softplus, r_softplus, { bell, bell_mid, bell_tiny, bell_low, exp_sub, bell_big } },
    { "sin", 1, f_sin, r_sin, { trig_mid, trig_tiny, trig_cw, trig_all, trig_near, NULL } },
    { "cos", 1, f_cos, r_cos, { trig_mid, trig_tiny, trig_cw, trig_all, trig_near, NULL } },
    { "atan2", 2, dc_atan2, r_atan2, { atan_ratio, atan_near, atan_all, atan_edge, atan_sub, NULL } },
    { "pow", 2, dc_pow, r_pow, { pow_all, pow_one, pow_mid, pow_half, pow_int, pow_sub } }
};

static mpfr_t mx, my, mr, md;

static int ulp_exponent(double v)
{
    int e;
    if (v == 0) return -1074;
    frexp(v, &e);
    return e - 53 < -1074 ? -1074 : e - 53;
}

/* exact value as nearest double and rest in ulp */
static void reference(const row *r, double x, double y, double *hi, double *rest)
{
    mpfr_set_d(mx, x, MPFR_RNDN);
    mpfr_set_d(my, y, MPFR_RNDN);
    r->ref(mr, mx, my);
    *hi = mpfr_get_d(mr, MPFR_RNDN);
    if (isinf(*hi)) { *rest = 0; return; }
    mpfr_sub_d(md, mr, *hi, MPFR_RNDN);
    mpfr_mul_2si(md, md, -ulp_exponent(*hi), MPFR_RNDN);
    *rest = mpfr_get_d(md, MPFR_RNDN);
}

static double error(double got, double hi, double rest)
{
    if (isnan(hi)) return isnan(got) ? 0 : HUGE_VAL;
    if (isnan(got)) return HUGE_VAL;
    if (isinf(hi) || isinf(got)) return hi == got ? 0 : fabs(hi) >= 1.7976931348623157e308 && fabs(got) >= 1.7976931348623157e308 ? 1 : HUGE_VAL;
    return fabs(ldexp(got - hi, -ulp_exponent(hi)) - rest);
}

static void print(const row *r, double x, double y)
{
    double hi, rest;
    reference(r, x, y, &hi, &rest);
    if (r->args == 2) printf("%s %a %a %a %.4f\n", r->name, x, y, hi, rest);
    else printf("%s %a %a %.4f\n", r->name, x, hi, rest);
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 100000, i;
    const char *only = argc > 2 ? argv[2] : "";
    size_t k, c;
    int j;
    mpfr_inits2(PREC, mx, my, mr, md, (mpfr_ptr)0);
    printf("# Elementary functions, made by tests/tools/elementary_table.c with MPFR.\n"
           "# function, argument(s), nearest double to the exact value, exact - nearest in ulp of the nearest.\n");
    for (k = 0; k < sizeof rows/sizeof rows[0]; k++) {
        const row *r = &rows[k];
        double all = 0;
        if (*only && strcmp(only, r->name) != 0) continue;
        state = 88172645463325252ull;                   /* one function's rows do not depend on the others */
        fprintf(stderr, "%-9s", r->name);
        for (c = 0; c < 6 && r->classes[c]; c++) {
            double err[KEEP_WORST] = {0}, wx[KEEP_WORST] = {0}, wy[KEEP_WORST] = {0};
            for (i = 0; i < n; i++) {
                double x, y = 0, hi, rest, e;
                r->classes[c](&x, &y);
                if (!isfinite(x) || !isfinite(y)) continue;
                if (i < KEEP_RANDOM) print(r, x, y);
                reference(r, x, y, &hi, &rest);
                e = error(r->f(x, y), hi, rest);
                if (!(e > err[KEEP_WORST - 1])) continue;
                for (j = KEEP_WORST - 1; j > 0 && e > err[j - 1]; j--) { err[j] = err[j - 1]; wx[j] = wx[j - 1]; wy[j] = wy[j - 1]; }
                err[j] = e; wx[j] = x; wy[j] = y;
            }
            for (j = 0; j < KEEP_WORST && err[j] > 0; j++) print(r, wx[j], wy[j]);
            fprintf(stderr, " %.4f", err[0]);
            if (err[0] > all) { all = err[0]; }
            if (err[0] > 1.2) fprintf(stderr, "(at %a %a)", wx[0], wy[0]);
        }
        /* the double nearest to a multiple of pi/2, and the largest */
        if (r->ref == r_sin || r->ref == r_cos) { print(r, 0x1.6ac5b262ca1ffp+849, 0); print(r, 1.7976931348623157e308, 0); }
        fprintf(stderr, "  worst %.4f\n", all);
    }
    mpfr_clears(mx, my, mr, md, (mpfr_ptr)0);
    return 0;
}
