/* support.h - what the test programs share: random numbers, worst-case records, table reader, derivative checker
 *
 * Everything here is in double, whatever dc_real is, and depends on the C library alone.
 *
 * DC_TEST_DATA   directory of the reference tables; the Makefile gives it.
 * DC_TEST_SWEEP  factor on the length of the long random sweeps, 1 by default. The sanitizer builds of
 *                `make test-all` pass a small one. A test asks sweep_count(n) for the length to run.
 * DC_TEST_SEED   seed of the throws of the simulator's tests instead of theirs: 30 000 steps of which nothing is known,
 *                make build/test/test_sim_path CFLAGS='-O2 -DDC_TEST_SWEEP=25 -DDC_TEST_SEED=201'
 */
#ifndef DC_TEST_SUPPORT_H_INCLUDED
#define DC_TEST_SUPPORT_H_INCLUDED

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifndef DC_TEST_SWEEP
#define DC_TEST_SWEEP 1
#endif
#ifndef DC_TEST_SEED
#define DC_TEST_SEED 0
#endif

#if defined(__GNUC__) || defined(__clang__)
#define SUPPORT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define SUPPORT_PRINTF(f, a)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* n * DC_TEST_SWEEP, at least 1. */
static inline long sweep_count(long n)
{
    long k = (long)((double)n*(double)(DC_TEST_SWEEP));
    return k > 1 ? k : 1;
}

/* The seed of a long random sweep: n, or DC_TEST_SEED, for cases that nobody has seen. */
static inline uint64_t sweep_seed(uint64_t n) { return DC_TEST_SEED > 0 ? (uint64_t)DC_TEST_SEED : n; }

/* Below a fifth of the whole length: a test may then miss a kind of case that it counts. */
static inline int sweep_short(void) { return sweep_count(1000) < 200; }

/* ---- random numbers: splitmix64, the same on every machine --------------------------------------- */

typedef struct { uint64_t s; } rng;

void rng_seed(rng *r, uint64_t seed);
uint64_t rng_bits(rng *r);
double rng_uniform(rng *r, double lo, double hi);       /* [lo, hi) */
double rng_normal(rng *r);                              /* mean 0, variance 1 */
int rng_int(rng *r, int lo, int hi);                    /* lo..hi, both included */
void rng_unit3(rng *r, double v[3]);                    /* uniform on the sphere */
double rng_log(rng *r, double lo, double hi);           /* log-uniform, 0 < lo <= hi */

/* ---- the worst case of a sweep ------------------------------------------------------------------- */

/* Start with worst_make(name), add every error with the inputs that made it, print once at the end. */
typedef struct { const char *name; double err; long count; char where[256]; } worst;

worst worst_make(const char *name);
/* NaN counts as worse than every number. The text is formatted only when err is the new worst. */
void worst_add(worst *w, double err, const char *fmt, ...) SUPPORT_PRINTF(3, 4);
/* Prints name, worst error, bar, count and inputs; returns 1 when 0 < count and err <= bar, else 0. */
int worst_print(const worst *w, double bar);

/* ---- reference tables ---------------------------------------------------------------------------- */

/* Words separated by white space; from '#' at the start of a line to its end is a comment. The readers return 1, or 0
 * at the end of the file or on a word of the wrong kind; all but table_word then print file, line and the word. */
typedef struct { FILE *f; long line; int line_start; char file[256]; } table;

int table_open(table *t, const char *file);             /* a file name in DC_TEST_DATA */
int table_word(table *t, char word[64]);
int table_real(table *t, double *x);                    /* decimal or hexadecimal, also inf and nan */
int table_reals(table *t, double *x, size_t n);
int table_int(table *t, int *i);
int table_expect(table *t, const char *word);
void table_close(table *t);

/* ---- derivatives --------------------------------------------------------------------------------- */

typedef void (*fd_fun)(const double *x, double *f, void *user);

/* err     largest |difference - jac| over the largest entry of both; infinite for a refused comparison or a
 *         number that is not finite. Both all zero: 0.
 * order   observed exponent of the error of plain central differences: 2 for a right Jacobian of a smooth function
 *         (4 or more when the leading term vanishes), near 0 for a wrong one, near 1 across a kink of the derivative.
 *         2 is also returned when rounding hides the truncation error at every step, as for quadratic functions.
 * step    the step of the column that holds the largest error.
 * bit_equal  1 when differences and Jacobian are the same bits in every entry and not all zero: then the "analytic"
 *         numbers are suspected to be differences, and the comparison is refused. A linear function with exact
 *         coefficients is refused as well: test it elsewhere. */
typedef struct { double err; double order; double step; int bit_equal; } fd_result;

/* Compares the m x n row-major Jacobian `jac` of f at x with central differences at h0, h0/2, .. h0/2^9 (h0 is rounded
 * to a power of two), extrapolated by Richardson's scheme; the entry of the scheme that agrees best with its
 * neighbours is taken, without looking at `jac`. Calls f 20 n times. For a function that rounds x to float, give x
 * that are floats and h0 of 2^-6 |x| or so, so that the steps are seen exactly. */
fd_result fd_check(fd_fun f, void *user, int n, const double *x, int m, const double *jac, double h0);

#ifdef __cplusplus
}
#endif
#endif /* DC_TEST_SUPPORT_H_INCLUDED */
