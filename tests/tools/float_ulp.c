/* float_ulp.c - the largest error of the float build's elementary functions, over all 2^32 inputs.
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     cc -O3 -march=native -ffp-contract=off -I. tests/tools/float_ulp.c -o float_ulp -lm
 *     ./float_ulp [function] [stride]
 *
 * The reference is the C library in double, whose own error is 2^-28 float ulp. The two-argument functions
 * get random pairs: pow over the pairs with finite results, atan2 over all angles and scales. */
#define DC_REAL float
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include <stdio.h>
#include <stdlib.h>

/* 1/ulp in float at |y|, subnormal numbers included */
static double per_ulp(double y)
{
    uint64_t b;
    int e;
    memcpy(&b, &y, sizeof b);
    e = (int)(b >> 52 & 2047) - 1023;
    b = (uint64_t)(1023 + 23 - (e < -126 ? -126 : e)) << 52;
    memcpy(&y, &b, sizeof y);
    return y;
}

/* the error of got, in ulp of the exact value; infinite for a wrong special value */
static double error(float got, double want)
{
    double d = fabs((double)got - want)*per_ulp(want);
    if (d <= 1000 && got != 0) return d;
    if (isnan(want)) return isnan(got) ? 0 : HUGE_VAL;
    if (isnan(got)) return HUGE_VAL;
    /* infinity is right where the value rounds to it, one ulp wrong next to that */
    if (isinf(got) || fabs(want) >= 3.4028235677973366e38)
        return (got > 0) != (want > 0) ? HUGE_VAL : isinf(got) && fabs(want) >= 3.4028235677973366e38 ? 0
             : fabs(want) > 3.4028234e38 && fabs((double)got) > 3.4028234e38 ? 1 : HUGE_VAL;
    if (want == 0) return got == 0 && !signbit(got) == !signbit(want) ? 0 : HUGE_VAL;
    return d;
}

static double ref_sigmoid(double x) { return x < 0 ? exp(x)/(1 + exp(x)) : 1/(1 + exp(-x)); }
static double ref_softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
static float sin_part(float x) { float s, c; dc_sincos(x, &s, &c); return s; }
static float cos_part(float x) { float s, c; dc_sincos(x, &s, &c); return c; }

/* odd and even functions need half of the inputs */
typedef struct { const char *name; float (*f)(float); double (*ref)(double); int half; } row;

int main(int argc, char **argv)
{
    const row rows[] = {
        { "exp", dc_exp, exp, 0 }, { "log", dc_log, log, 0 }, { "log1p", dc_log1p, log1p, 0 }, { "tanh", dc_tanh, tanh, 1 },
        { "sigmoid", dc_sigmoid, ref_sigmoid, 0 }, { "softplus", dc_softplus, ref_softplus, 0 },
        { "sin", sin_part, sin, 1 }, { "cos", cos_part, cos, 1 }
    };
    const char *only = argc > 1 ? argv[1] : "";
    uint32_t stride = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
    size_t k;
    for (k = 0; k < sizeof rows/sizeof rows[0]; k++) {
        double worst = -1;
        float at = 0;
        uint64_t u;
        if (*only && strcmp(only, rows[k].name) != 0) continue;
        for (u = 0; u < (uint64_t)1 << (rows[k].half ? 31 : 32); u += stride) {
            uint32_t v = (uint32_t)u;
            float x, y;
            double e;
            memcpy(&x, &v, sizeof x);
            y = rows[k].f(x);
            e = error(y, rows[k].ref((double)x));
            if (e > worst) { worst = e; at = x; }
        }
        printf("%-8s %.4f ulp at %.9g (%a)\n", rows[k].name, worst, (double)at, (double)at);
        fflush(stdout);
    }
    if (!*only || !strcmp(only, "pow") || !strcmp(only, "atan2")) {
        uint64_t s = 88172645463325252ull;
        double wp = -1, wa = -1;
        float px = 0, py = 0, ax = 0, ay = 0;
        long i;
        for (i = 0; i < 200000000l/(long)stride; i++) {
            float x, y;
            double e;
            uint32_t a, b;
            s ^= s << 13; s ^= s >> 7; s ^= s << 17;
            a = (uint32_t)(s >> 32) & 0x7fffffffu;
            b = (uint32_t)s;
            memcpy(&x, &a, sizeof x);
            if (x < 3e38f && x > 0) {
                if (i & 1) { a = 0x3f000000u + (a & 0x00ffffffu); memcpy(&x, &a, sizeof x); }
                y = (float)((150.0*(double)(int32_t)b/2147483648.0)*0.70/(log((double)x)));
                e = error(dc_pow(x, y), pow((double)x, (double)y));
                if (e > wp) { wp = e; px = x; py = y; }
            }
            if ((i & 7) == 0) memcpy(&y, &b, sizeof y);
            else y = x*(float)exp(20.0*(double)(int32_t)b/2147483648.0);
            if (y == y && x == x) {
                if (i & 16) x = -x;
                e = error(dc_atan2(y, x), atan2((double)y, (double)x));
                if (e > wa) { wa = e; ax = x; ay = y; }
            }
        }
        printf("%-8s %.4f ulp at %a, %a\n%-8s %.4f ulp at y %a, x %a\n", "pow", wp, (double)px, (double)py, "atan2", wa, (double)ay, (double)ax);
    }
    return 0;
}
