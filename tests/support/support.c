#include "support.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifndef DC_TEST_DATA
#define DC_TEST_DATA "tests/data"
#endif

/* ---- random numbers ------------------------------------------------------------------------------ */

void rng_seed(rng *r, uint64_t seed) { r->s = seed; }

uint64_t rng_bits(rng *r)
{
    uint64_t z = r->s += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30))*UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27))*UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double rng_uniform(rng *r, double lo, double hi)
{
    double u = (double)(rng_bits(r) >> 11)*(1.0/9007199254740992.0);
    double x = lo + (hi - lo)*u;
    return x < hi ? x : lo;                             /* rounding may reach hi */
}

/* Marsaglia's polar method; the second number is thrown away, so that the state is one word */
double rng_normal(rng *r)
{
    double u, v, q;
    do {
        u = rng_uniform(r, -1, 1);
        v = rng_uniform(r, -1, 1);
        q = u*u + v*v;
    } while (q >= 1 || q < 1e-300);
    return u*sqrt(-2*log(q)/q);
}

int rng_int(rng *r, int lo, int hi)
{
    uint64_t span = (uint64_t)((int64_t)hi - (int64_t)lo) + 1;
    return (int)((int64_t)lo + (int64_t)(rng_bits(r) % span));
}

void rng_unit3(rng *r, double v[3])
{
    double q;
    do {
        v[0] = rng_uniform(r, -1, 1);
        v[1] = rng_uniform(r, -1, 1);
        v[2] = rng_uniform(r, -1, 1);
        q = v[0]*v[0] + v[1]*v[1] + v[2]*v[2];
    } while (q > 1 || q < 1e-6);
    q = 1/sqrt(q);
    v[0] *= q;
    v[1] *= q;
    v[2] *= q;
}

double rng_log(rng *r, double lo, double hi)
{
    double x = exp(rng_uniform(r, log(lo), log(hi)));
    return x < lo ? lo : x > hi ? hi : x;
}

/* ---- the worst case ------------------------------------------------------------------------------ */

worst worst_make(const char *name)
{
    worst w;
    memset(&w, 0, sizeof w);
    w.name = name;
    return w;
}

void worst_add(worst *w, double err, const char *fmt, ...)
{
    int first = w->count == 0;
    w->count++;
    /* once the worst is NaN it stays; !(a <= b) also holds for a NaN a */
    if (w->err != w->err) return;
    if (first || !(err <= w->err)) {
        va_list ap;
        w->err = err;
        va_start(ap, fmt);
        vsnprintf(w->where, sizeof w->where, fmt, ap);
        va_end(ap);
    }
}

int worst_print(const worst *w, double bar)
{
    int good = w->count > 0 && w->err <= bar;
    printf("  %-44s worst %9.3g  bar %9.3g  of %ld%s%s%s\n", w->name, w->err, bar, w->count,
           good ? "" : "  FAIL", w->where[0] ? "  at " : "", w->where);
    return good;
}

/* ---- reference tables ---------------------------------------------------------------------------- */

int table_open(table *t, const char *file)
{
    memset(t, 0, sizeof *t);
    t->line = 1;
    t->line_start = 1;
    snprintf(t->file, sizeof t->file, "%s/%s", DC_TEST_DATA, file);
    t->f = fopen(t->file, "r");
    if (!t->f) fprintf(stderr, "%s: cannot be opened\n", t->file);
    return t->f != NULL;
}

static int is_space(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

int table_word(table *t, char word[64])
{
    int c, n = 0;
    word[0] = 0;
    if (!t->f) return 0;
    /* white space and comments */
    for (;;) {
        c = getc(t->f);
        if (c == '#' && t->line_start) while (c != '\n' && c != EOF) c = getc(t->f);
        if (c == '\n') {
            t->line++;
            t->line_start = 1;
        } else if (c == EOF || !is_space(c)) {
            break;
        }
    }
    t->line_start = 0;
    while (c != EOF && !is_space(c)) {
        if (n == 63) return 0;                          /* no word of ours is so long */
        word[n++] = (char)c;
        c = getc(t->f);
    }
    word[n] = 0;
    /* the newline behind a word is left for the next call, which counts it */
    if (c != EOF) ungetc(c, t->f);
    return n > 0;
}

static int complain(const table *t, const char *wanted, const char *found)
{
    fprintf(stderr, "%s:%ld: expected %s, found '%s'\n", t->file, t->line, wanted, found[0] ? found : "end of file");
    return 0;
}

int table_real(table *t, double *x)
{
    char word[64], *end;
    table_word(t, word);
    *x = strtod(word, &end);
    return word[0] && !*end ? 1 : complain(t, "a number", word);
}

int table_reals(table *t, double *x, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        if (!table_real(t, x + i)) return 0;
    return 1;
}

int table_int(table *t, int *i)
{
    char word[64], *end;
    long v;
    table_word(t, word);
    v = strtol(word, &end, 10);
    *i = (int)v;
    return word[0] && !*end && v == (long)*i ? 1 : complain(t, "an integer", word);
}

int table_expect(table *t, const char *word)
{
    char found[64];
    table_word(t, found);
    return strcmp(found, word) == 0 ? 1 : complain(t, word, found);
}

void table_close(table *t)
{
    if (t->f) fclose(t->f);
    t->f = NULL;
}

/* ---- derivatives --------------------------------------------------------------------------------- */

#define FD_STEPS 10

static int is_finite(double x) { return x - x == 0; }

/* Richardson's scheme on central differences d[k] at h/2^k, whose error is a series in h^2:
 *     T[k][0] = d[k],   T[k][i] = T[k][i-1] + (T[k][i-1] - T[k-1][i-1])/(4^i - 1)
 * The error of T[k][i] is taken as its distance to the two entries it was made of; the least one wins. */
static double richardson(const double d[FD_STEPS])
{
    double last[FD_STEPS], row[FD_STEPS], best = d[0], least = HUGE_VAL;
    int i, k;
    last[0] = d[0];
    for (k = 1; k < FD_STEPS; k++) {
        double power = 4;
        row[0] = d[k];
        for (i = 1; i <= k; i++, power *= 4) {
            double a, b;
            row[i] = row[i-1] + (row[i-1] - last[i-1])/(power - 1);
            a = fabs(row[i] - row[i-1]);
            b = fabs(row[i] - last[i-1]);
            if (b > a) a = b;
            if (a < least) {
                least = a;
                best = row[i];
            }
        }
        memcpy(last, row, sizeof last);
    }
    return best;
}

/* Exponent of the error e[k] of the differences at h/2^k, from the smallest steps that rounding leaves alone. Rounding
 * grows as 2^k: if the errors of the last four steps are all rounding, it is noise 2^k at step k. */
static double observed_order(const double e[FD_STEPS])
{
    double order = 2, noise = 0;
    int k;
    for (k = FD_STEPS - 4; k < FD_STEPS; k++)
        if (ldexp(e[k], -k) > noise) noise = ldexp(e[k], -k);
    for (k = 0; k + 1 < FD_STEPS; k++)
        if (e[k+1] > 20*ldexp(noise, k + 1)) order = log2(e[k]/e[k+1]);
    return order;
}

fd_result fd_check(fd_fun f, void *user, int n, const double *x, int m, const double *jac, double h0)
{
    size_t sn = (size_t)n, sm = (size_t)m;
    double *z = (double *)malloc(sn*sizeof(double));
    double *up = (double *)malloc(2*sm*sizeof(double)), *down = up + sm;
    double *d = (double *)malloc(FD_STEPS*sm*sizeof(double));   /* differences of one column, m by step */
    double e[FD_STEPS], scale = 0, worst_err = 0;
    int same[FD_STEPS + 1], nonzero = 0, finite = 1, i, j, k;
    fd_result r;

    memset(&r, 0, sizeof r);
    memset(e, 0, sizeof e);
    for (k = 0; k <= FD_STEPS; k++) same[k] = 1;
    h0 = ldexp(1.0, (int)floor(log2(h0) + 0.5));
    r.step = h0;
    memcpy(z, x, sn*sizeof(double));

    for (j = 0; j < n; j++) {
        /* central differences over the distance that was really stepped */
        for (k = 0; k < FD_STEPS; k++) {
            double h = ldexp(h0, -k), hi = x[j] + h, lo = x[j] - h;
            z[j] = hi;
            f(z, up, user);
            z[j] = lo;
            f(z, down, user);
            for (i = 0; i < m; i++) d[i*FD_STEPS + k] = (up[i] - down[i])/(hi - lo);
        }
        z[j] = x[j];
        for (i = 0; i < m; i++) {
            const double *di = d + i*FD_STEPS;
            double J = jac[(size_t)i*sn + (size_t)j], best = richardson(di), err = fabs(best - J);
            if (!is_finite(J) || !is_finite(best)) finite = 0;
            if (J != 0) nonzero = 1;
            if (fabs(J) > scale) scale = fabs(J);
            if (fabs(best) > scale) scale = fabs(best);
            if (best != J) same[FD_STEPS] = 0;
            if (err > worst_err) {
                worst_err = err;
                /* the step of the plain difference nearest to the extrapolated value */
                for (k = 1, r.step = h0; k < FD_STEPS; k++)
                    if (fabs(di[k] - best) < fabs(di[k-1] - best)) r.step = ldexp(h0, -k);
            }
            for (k = 0; k < FD_STEPS; k++) {
                if (!is_finite(di[k])) finite = 0;
                if (di[k] != J) same[k] = 0;
                if (fabs(di[k] - J) > e[k]) e[k] = fabs(di[k] - J);
            }
        }
    }

    r.order = observed_order(e);
    r.err = scale > 0 ? worst_err/scale : 0;
    for (k = 0; k <= FD_STEPS; k++) r.bit_equal |= same[k] && nonzero;
    if (!finite || r.bit_equal || n < 1 || m < 1) r.err = HUGE_VAL;
    free(z);
    free(up);
    free(d);
    return r;
}
