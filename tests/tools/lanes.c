/* lanes.c - time of the lane kernels in a loop, beside the C library, and a hash of their bits.
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     cc -O3 -I. tests/tools/lanes.c -o lanes -lm && ./lanes
 *
 * gcc: -fopt-info-vec says which of the loops between LOOPS and END are vectorised: all of them.
 * The hash is the same for every compiler, level and machine with -ffp-contract=off. */
#define _POSIX_C_SOURCE 199309L
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include <stdio.h>
#include <time.h>

enum { N = 2048, REPEAT = 15, INNER = 40 };
extern dc_real x[N], y[N];              /* visible outside, so that no loop is dead */
dc_real x[N], y[N];

#if DC_IS_FLOAT
#define LIBM(g) g##f
#else
#define LIBM(g) g
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif
/* LOOPS */
static void lanes_exp(void) { int i; for (i = 0; i < N; i++) y[i] = dci_exp_lane(x[i]); }
static void lanes_log(void) { int i; for (i = 0; i < N; i++) y[i] = dci_log_lane(x[i]); }
static void lanes_log1p(void) { int i; for (i = 0; i < N; i++) y[i] = dci_log1p_lane(x[i]); }
static void lanes_tanh(void) { int i; for (i = 0; i < N; i++) y[i] = dci_tanh_lane(x[i]); }
static void lanes_sigmoid(void) { int i; for (i = 0; i < N; i++) y[i] = dci_sigmoid_lane(x[i]); }
static void lanes_softplus(void) { int i; for (i = 0; i < N; i++) y[i] = dci_softplus_lane(x[i]); }
/* END */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

static void libm_exp(void) { int i; for (i = 0; i < N; i++) y[i] = LIBM(exp)(x[i]); }
static void libm_log(void) { int i; for (i = 0; i < N; i++) y[i] = LIBM(log)(x[i]); }
static void libm_log1p(void) { int i; for (i = 0; i < N; i++) y[i] = LIBM(log1p)(x[i]); }
static void libm_tanh(void) { int i; for (i = 0; i < N; i++) y[i] = LIBM(tanh)(x[i]); }
static void libm_sigmoid(void) { int i; for (i = 0; i < N; i++) y[i] = 1/(1 + LIBM(exp)(-x[i])); }
static void libm_softplus(void) { int i; for (i = 0; i < N; i++) y[i] = (x[i] > 0 ? x[i] : 0) + LIBM(log1p)(LIBM(exp)(-LIBM(fabs)(x[i]))); }
static void calls_exp(void) { int i; for (i = 0; i < N; i++) y[i] = dc_exp(x[i]); }
static void calls_log(void) { int i; for (i = 0; i < N; i++) y[i] = dc_log(x[i]); }
static void calls_pow(void) { int i; for (i = 0; i < N; i++) y[i] = dc_pow(dci_fabs(x[i]), DC_R(3.7)); }
static void libm_pow(void) { int i; for (i = 0; i < N; i++) y[i] = LIBM(pow)(dci_fabs(x[i]), DC_R(3.7)); }
static void calls_sincos(void) { int i; dc_real s, c; for (i = 0; i < N; i++) { dc_sincos(x[i], &s, &c); y[i] = s + c; } }
static void libm_sincos(void) { int i; for (i = 0; i < N; i++) y[i] = LIBM(sin)(x[i]) + LIBM(cos)(x[i]); }
static void calls_atan2(void) { int i; for (i = 0; i < N; i++) y[i] = dc_atan2(x[i], x[N - 1 - i]); }
static void libm_atan2(void) { int i; for (i = 0; i < N; i++) y[i] = LIBM(atan2)(x[i], x[N - 1 - i]); }

typedef void (*loop)(void);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9*(double)t.tv_sec + (double)t.tv_nsec;
}

static uint64_t hash;
static void mix(dc_real v)
{
    unsigned char b[sizeof(dc_real)];
    size_t i;
    /* the sign and payload of a NaN are the machine's own */
    if (v != v) v = 0;
    memcpy(b, &v, sizeof b);
    for (i = 0; i < sizeof b; i++) hash = (hash ^ b[i])*1099511628211ull;
}

int main(void)
{
    static const struct { const char *name; loop ours, theirs; } rows[] = {
        { "exp", lanes_exp, libm_exp }, { "log", lanes_log, libm_log }, { "log1p", lanes_log1p, libm_log1p },
        { "tanh", lanes_tanh, libm_tanh }, { "sigmoid", lanes_sigmoid, libm_sigmoid },
        { "softplus", lanes_softplus, libm_softplus }, { "exp, by calls", calls_exp, libm_exp },
        { "log, by calls", calls_log, libm_log }, { "pow", calls_pow, libm_pow },
        { "sincos", calls_sincos, libm_sincos }, { "atan2", calls_atan2, libm_atan2 }
    };
    uint64_t s = 1;
    size_t k;
    int i, r, m;
    for (k = 0; k < sizeof rows/sizeof rows[0]; k++) {
        double best[2] = { 1e30, 1e30 };
        int positive = rows[k].ours == lanes_log || rows[k].ours == calls_log || rows[k].ours == lanes_log1p;
        for (i = 0; i < N; i++) {
            s = s*6364136223846793005ull + 1442695040888963407ull;
            x[i] = DC_R((double)(s >> 33)/2147483648.0)*(positive ? DC_R(50) : DC_R(20)) - (positive ? DC_R(-0.01) : DC_R(10));
        }
        for (r = 0; r < REPEAT; r++)
            for (m = 0; m < 2; m++) {
                double t = now();
                for (i = 0; i < INNER; i++) (m ? rows[k].theirs : rows[k].ours)();
                t = (now() - t)/(N*INNER);
                if (t < best[m]) best[m] = t;
            }
        printf("%-14s %7.2f ns/element, C library %7.2f\n", rows[k].name, best[0], best[1]);
    }
    hash = 14695981039346656037ull;
    for (i = 0; i < 200000; i++) {
        dc_real a, b, sn, cs;
        dci_bits u, v;
        s = s*6364136223846793005ull + 1442695040888963407ull; u = (dci_bits)(DC_IS_FLOAT ? s >> 32 : s ^ s >> 29);
        s = s*6364136223846793005ull + 1442695040888963407ull; v = (dci_bits)(DC_IS_FLOAT ? s >> 32 : s ^ s >> 29);
        a = dci_from_bits(u);
        if (i & 1) a = DC_R((double)(s >> 40)/16777216.0*100.0 - 50.0);
        b = dci_from_bits(v);
        if (i & 2) b = DC_R((double)(s & 0xffffff)/16777216.0*20.0 - 10.0);
        mix(dc_exp(a)); mix(dc_log(dci_fabs(a))); mix(dc_log1p(a)); mix(dc_tanh(a)); mix(dc_sigmoid(a)); mix(dc_softplus(a));
        mix(dc_pow(dci_fabs(a), b)); mix(dc_atan2(a, b));
        dc_sincos(a, &sn, &cs); mix(sn); mix(cs);
    }
    printf("hash %016llx\n", (unsigned long long)hash);
    return 0;
}
