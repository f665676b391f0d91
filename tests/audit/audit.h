/* audit.h - what the audits of the six headers share: the table, its classes of poses, and the comparison of a derivative
 * with differences of the copy in quadruple precision (quad.sh)
 *
 * An audit includes it after the headers dc_*.h and their copies dq_*.h, draws samples of every class for every function,
 * and calls
 *
 *     audit_call      once a sample: the status, whether it tells the truth, whether what was written is finite
 *     audit_scalar    gradient and Hessian of one number          against the copy's values
 *     audit_jacobian  the derivative of several numbers           against the copy's values
 *     audit_zero      whether a derivative that must not vanish does
 *
 * The function given to them evaluates the copy at parameters t, all 0 at the sample: so twists are exponential coordinates. */
#ifndef DC_AUDIT_H_INCLUDED
#define DC_AUDIT_H_INCLUDED

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <quadmath.h>
#include "support.h"

#define AUDIT_BAR (DC_IS_FLOAT ? 1e-2 : 1e-6)       /* of the largest entry */
#define AUDIT_RESOLVED (DC_IS_FLOAT ? 1e-4 : 1e-8)  /* the reference's own error must be below it */
enum { AUDIT_MOST = 128,                            /* parameters, and numbers of one function */
       AUDIT_PLACES = 2,                            /* places about the sample that stand for the rounding of its inputs, */
       AUDIT_MORE = 16 };                           /* and before an error is called wrong, since few may all be lucky */

/* ---- the table ---- */

typedef struct {
    const char *function, *classes;
    const char *open;           /* NULL, or why this row may still miss its bars */
    long samples, derivatives, resolved;
    long nonfinite, wrong, unsymmetric, zero, untruthful;
    double worst;               /* error of a derivative where the reference is resolved */
    unsigned long long seed;    /* of the worst sample, or of the first that misses a bar */
} audit_row;

static audit_row audit_table[512];
static int audit_rows;
static double audit_share = 1;
static unsigned long long audit_seed;               /* of the sample at hand */
static long audit_only = -1;                        /* one sample alone, for a look at it */

static audit_row *audit_of(const char *function, const char *classes)
{
    int k;
    for (k = 0; k < audit_rows; ++k)
        if (!strcmp(audit_table[k].function, function) && !strcmp(audit_table[k].classes, classes)) return audit_table + k;
    if (audit_rows == (int)(sizeof audit_table/sizeof *audit_table)) { fprintf(stderr, "audit: the table is full\n"); exit(1); }
    memset(audit_table + audit_rows, 0, sizeof *audit_table);
    audit_table[audit_rows].function = function;
    audit_table[audit_rows].classes = classes;
    return audit_table + audit_rows++;
}

/* n samples of the whole audit, and of a short one its share; at least so many, fewer where a sample takes long */
static long audit_least = 8;
static long audit_count(long n)
{
    long k = (long)((double)n*audit_share);
    return k > audit_least ? k : n < audit_least ? n : audit_least;
}

/* Parameters after those of a derivative that are inputs too: rounded likewise, where the rounding of inputs is found out. Their
 * scales follow the others'. Back to 0 at the next sample, as is */
static int audit_also;

/* How far inputs are from exact: a rounding of each parameter, in units of DC_EPS times its scale. A pose whose translation
 * is larger than its scale rounds by more: set it to their ratio. Back to 1 at the next sample. */
static double audit_rounding = 1;

/* A Jacobian whose largest entry is below this is measured by it: what a shape that carries nothing does, beside one that does. Back to 0 at
 * the next sample. */
static double audit_floor;

/* The random numbers of sample k of a row: the same whatever is drawn before it. */
static rng audit_draw(const audit_row *row, long k)
{
    rng r;
    unsigned long long h = 1469598103934665603ull;
    const char *c;
    for (c = row->function; *c; ++c) h = (h ^ (unsigned char)*c)*1099511628211ull;
    for (c = row->classes; *c; ++c) h = (h ^ (unsigned char)*c)*1099511628211ull;
    audit_seed = (unsigned long long)k;
    audit_rounding = 1;
    audit_floor = 0;
    audit_also = 0;
    rng_seed(&r, h + (unsigned long long)k*0x9e3779b97f4a7c15ull);
    return r;
}

static int audit_missed(const audit_row *row)
{
    return row->nonfinite || row->wrong || row->unsymmetric || row->zero || row->untruthful;
}

static void audit_miss(audit_row *row, long *count)
{
    if (!audit_missed(row)) row->seed = audit_seed;
    ++*count;
    if (audit_only >= 0) printf("  sample %llu of %s, %s: misses\n", audit_seed, row->function, row->classes);
}

/* ---- what is checked ---- */

/* A sample: `truthful` as the caller finds; what a call wrote (NULL: nothing) must be finite when it says DC_OK. */
static void audit_call(audit_row *row, dc_status status, int truthful, const dc_real *out, size_t n)
{
    size_t k;
    ++row->samples;
    if (!truthful) audit_miss(row, &row->untruthful);
    if (status == DC_OK && out)
        for (k = 0; k < n; ++k)
            if (!dc_finite(out[k])) { audit_miss(row, &row->nonfinite); break; }
}

static void audit_symmetric(audit_row *row, const dc_real *H, int n)
{
    int i, j;
    for (i = 0; i < n; ++i)
        for (j = 0; j < i; ++j)
            if (!(H[i*n + j] == H[j*n + i])) { audit_miss(row, &row->unsymmetric); return; }
}

static void audit_zero(audit_row *row, const dc_real *g, int n)
{
    int k;
    for (k = 0; k < n; ++k) if (g[k] != 0) return;
    audit_miss(row, &row->zero);
}

/* Whether what the rounding of inputs changes does not account for an error. */
static int audit_beyond(double err, double noise) { return !(err <= AUDIT_BAR + 32*noise); }

/* An error of a derivative over its largest entry; the reference's own; and what the derivative changes by when the inputs
 * change by their rounding. Close to contact that is the larger part: there an error is wrong beyond 32 times it, and the
 * sample does not count as resolved. */
static void audit_error(audit_row *row, double err, double own, double noise)
{
    ++row->derivatives;
    if (!(own <= AUDIT_RESOLVED)) return;
    if (audit_only >= 0)
        printf("  sample %llu of %s, %s: error %.2e, of the reference %.1e, of the inputs %.1e\n", audit_seed, row->function, row->classes,
               err, own, noise);
    if (audit_beyond(err, noise)) audit_miss(row, &row->wrong);
    if (!(32*noise <= AUDIT_BAR)) return;
    ++row->resolved;
    if (!(err <= row->worst)) {
        if (!audit_missed(row)) row->seed = audit_seed;
        row->worst = err;
    }
}

/* The copy at parameters t [n], 0 from there to AUDIT_MOST: f [m]; 0 when it has no value there. */
typedef int (*audit_fun)(const dq_real *t, dq_real *f, void *user);

/* A direction whose parameters count alike: times scale_k, of -1..1; a place as far off as inputs are rounded. Either may be NULL. */
static void audit_direction(rng *r, int n, const double *scale, double *d, double *off)
{
    int k;
    for (k = 0; k < n + (off ? audit_also : 0); ++k) {
        if (d) d[k] = rng_uniform(r, -1, 1)*(scale ? scale[k] : 1);
        if (off) off[k] = rng_uniform(r, -1, 1)*(scale ? scale[k] : 1)*audit_rounding*(double)DC_EPS;
    }
}

/* f at start, at start +-h d and, where count is 5, at start +-h/2 d */
static int audit_line(audit_fun fun, void *user, int n, int m, const double *start, const double *d, dq_real h, int count,
                      dq_real f[5][AUDIT_MOST])
{
    static const int at[5] = {0, 2, -2, 1, -1};
    dq_real t[AUDIT_MOST] = {0};
    int i, k;
    for (i = 0; i < count; ++i) {
        for (k = 0; k < n + audit_also; ++k) t[k] = start[k] + (k < n ? h/2*at[i]*d[k] : 0);
        if (!fun(t, f[i], user)) return 0;
        for (k = 0; k < m; ++k) if (!finiteq(f[i][k])) return 0;
    }
    return 1;
}

/* The copy has no value at some step: derivatives that are not resolved. */
static int audit_lost(audit_row *first, audit_row *second)
{
    if (first) ++first->derivatives;
    if (second) ++second->derivatives;
    return 0;
}

/* Slope and second difference of f as audit_line leaves it: at f[0], f[at] and f[at + 1], steps s apart */
static void audit_bends(dq_real f[5][AUDIT_MOST], int at, dq_real s, dq_real *slope, dq_real *bend)
{
    *slope = (f[at][0] - f[at + 1][0])/(2*s);
    *bend = (f[at][0] - 2*f[0][0] + f[at + 1][0])/(s*s);
}

/* How much the slopes of both sides of the sample differ, of number k at steps h and h/2 as audit_line leaves them. A kink there
 * is not seen by the two central differences, which agree on the mean of its sides: a sample on one is not resolved. What a bend
 * adds to that difference halves with the step, what a kink does not. */
static dq_real audit_kink(dq_real f[5][AUDIT_MOST], int k, dq_real h)
{
    return fabsq(4*(f[3][k] - 2*f[0][k] + f[4][k]) - (f[1][k] - 2*f[0][k] + f[2][k]))/h;
}

/* Gradient g [n] and Hessian H [n x n] (NULL: not looked at) of one number against differences of the copy along `directions`
 * random lines of steps h: d.g and d.H d, each over the largest entry in these parameters, scale_k g_k, scale_i H_ij scale_j.
 * The rows may differ or be the same. Returns 0 when the copy has no value at some step. */
static int audit_scalar(audit_row *grad_row, audit_row *hess_row, audit_fun fun, void *user, int n, const double *scale,
                        const dc_real *g, const dc_real *H, double h, int directions, rng *r)
{
    static const double here[AUDIT_MOST];
    dq_real f[5][AUDIT_MOST], moved[5][AUDIT_MOST], step = (dq_real)h;
    double d[AUDIT_MOST], off[AUDIT_MOST];
    double most_g = 0, most_H = 0;
    int i, j, way;

    for (i = 0; i < n; ++i) {
        double si = scale ? scale[i] : 1;
        if (g) most_g = fmax(most_g, fabs((double)g[i])*si);
        if (H) for (j = 0; j < n; ++j) most_H = fmax(most_H, fabs((double)H[i*n + j])*si*(scale ? scale[j] : 1));
    }
    for (way = 0; way < directions; ++way) {
        dq_real slope[2], bend[2], best_g, best_H, got_g = 0, got_H = 0, size = 0;
        double large_g, large_H, err_g, err_H, noise_g = 0, noise_H = 0;
        int place;

        /* Richardson's extrapolation of two steps, and what it changes as a bound of its error */
        audit_direction(r, n, scale, d, NULL);
        if (!audit_line(fun, user, n, 1, here, d, step, 5, f)) return audit_lost(g ? grad_row : NULL, H ? hess_row : NULL);
        for (i = 0; i < 2; ++i) {
            dq_real s = i == 1 ? step/2 : step;
            audit_bends(f, i == 1 ? 3 : 1, s, slope + i, bend + i);
            size = fmaxq(size, 8*FLT128_EPSILON*fabsq(f[i == 1 ? 3 : 1][0]));       /* the rounding of the copy's values */
        }
        best_g = slope[1] + (slope[1] - slope[0])/3;
        best_H = bend[1] + (bend[1] - bend[0])/3;

        /* d.g and d.H d */
        for (i = 0; i < n && g; ++i) got_g += (dq_real)g[i]*d[i];
        for (i = 0; i < n && H; ++i)
            for (j = 0; j < n; ++j) got_H += (dq_real)H[i*n + j]*d[i]*d[j];
        large_g = fmax(most_g, (double)fabsq(best_g)/(double)n);
        /* a Hessian that is but the rounding of the gradient is as good as 0 */
        large_H = fmax(fmax(most_H, (double)fabsq(best_H)/(double)(n*n)), (double)DC_EPS*most_g);
        err_g = g && large_g > 0 ? (double)fabsq(got_g - best_g)/large_g : 0;
        err_H = H && large_H > 0 ? (double)fabsq(got_H - best_H)/large_H : 0;

        /* what they change by where the inputs are rounded otherwise */
        for (place = 0; place < AUDIT_PLACES || (place < AUDIT_MORE && (audit_beyond(err_g, noise_g) || audit_beyond(err_H, noise_H))); ++place) {
            dq_real there, bent;
            audit_direction(r, n, scale, NULL, off);
            if (!audit_line(fun, user, n, 1, off, d, step, 3, moved)) return audit_lost(g ? grad_row : NULL, H ? hess_row : NULL);
            audit_bends(moved, 1, step, &there, &bent);
            if (large_g > 0) noise_g = fmax(noise_g, (double)fabsq(there - slope[0])/large_g);
            if (large_H > 0) noise_H = fmax(noise_H, (double)fabsq(bent - bend[0])/large_H);
        }
        if (g && large_g > 0)
            audit_error(grad_row, err_g, (double)(fabsq(slope[1] - slope[0]) + audit_kink(f, 0, step) + size/step)/large_g, noise_g);
        if (H && large_H > 0)
            audit_error(hess_row, err_H, (double)(fabsq(bend[1] - bend[0]) + 4*size/step/step)/large_H, noise_H);
    }
    return 1;
}

/* The Jacobian J [m x n, row stride ld] of m numbers, likewise: J d, each number i in units of unit_i (NULL: 1). */
static int audit_jacobian(audit_row *row, audit_fun fun, void *user, int n, const double *scale, int m, const double *unit,
                          const dc_real *J, int ld, double h, int directions, rng *r)
{
    static const double here[AUDIT_MOST];
    dq_real f[5][AUDIT_MOST], moved[5][AUDIT_MOST], step = (dq_real)h;
    double d[AUDIT_MOST], off[AUDIT_MOST];
    double most = audit_floor;
    int i, k, way;
    for (i = 0; i < m; ++i)
        for (k = 0; k < n; ++k) most = fmax(most, fabs((double)J[i*ld + k])*(scale ? scale[k] : 1)/(unit ? unit[i] : 1));
    for (way = 0; way < directions; ++way) {
        double err = 0, own = 0, noise = 0, large = most;
        int place;
        audit_direction(r, n, scale, d, NULL);
        if (!audit_line(fun, user, n, m, here, d, step, 5, f)) return audit_lost(row, NULL);
        for (i = 0; i < m; ++i) {
            dq_real a = (f[1][i] - f[2][i])/(2*step), b = (f[3][i] - f[4][i])/step, best = b + (b - a)/3, got = 0;
            double u = unit ? unit[i] : 1;
            for (k = 0; k < n; ++k) got += (dq_real)J[i*ld + k]*d[k];
            err = fmax(err, (double)fabsq(got - best)/u);
            own = fmax(own, (double)(fabsq(b - a) + audit_kink(f, i, step) + 8*FLT128_EPSILON*fabsq(f[1][i])/step)/u);
            large = fmax(large, (double)fabsq(best)/u/(double)n);
        }

        /* what it changes by where the inputs are rounded otherwise */
        for (place = 0; place < AUDIT_PLACES || (place < AUDIT_MORE && audit_beyond(err/large, noise/large)); ++place) {
            audit_direction(r, n, scale, NULL, off);
            if (!audit_line(fun, user, n, m, off, d, step, 3, moved)) return audit_lost(row, NULL);
            for (i = 0; i < m; ++i) {
                dq_real change = (moved[1][i] - moved[2][i] - (f[1][i] - f[2][i]))/(2*step);
                noise = fmax(noise, (double)fabsq(change)/(unit ? unit[i] : 1));
            }
        }
        if (large > 0) audit_error(row, err/large, own/large, noise/large);
    }
    return 1;
}

/* The mixed second derivative M [n x m, row-major] of one number by its first n parameters and the m after them: d.M e along
 * random directions d and e. */
static int audit_mixed(audit_row *row, audit_fun fun, void *user, int n, const double *scale_n, int m, const double *scale_m,
                       const dc_real *M, double h, int directions, rng *r)
{
    static const int sign[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    double d[AUDIT_MOST], off[AUDIT_MOST], most = 0;
    int i, j, k, way, pass;
    for (i = 0; i < n; ++i)
        for (j = 0; j < m; ++j)
            most = fmax(most, fabs((double)M[i*m + j])*(scale_n ? scale_n[i] : 1)*(scale_m ? scale_m[j] : 1));
    for (way = 0; way < directions; ++way) {
        dq_real bend[2 + AUDIT_MORE], best = 0, got = 0, size = 0, noise = 0, step = (dq_real)h;
        double large = most, err = 0;
        audit_direction(r, n, scale_n, d, NULL);
        audit_direction(r, m, scale_m, d + n, NULL);

        /* at step, at half of it, and where the inputs are rounded otherwise */
        for (pass = 0; pass < 2 + AUDIT_PLACES || (pass < 2 + AUDIT_MORE && audit_beyond(err, (double)noise/large)); ++pass) {
            dq_real s = pass == 1 ? step/2 : step, t[AUDIT_MOST] = {0}, f[AUDIT_MOST];
            bend[pass] = 0;
            audit_direction(r, n, scale_n, NULL, off);
            audit_direction(r, m, scale_m, NULL, off + n);
            for (k = 0; k < 4; ++k) {
                for (i = 0; i < n + m; ++i) t[i] = (pass >= 2 ? off[i] : 0) + s*sign[k][i >= n]*d[i];
                if (!fun(t, f, user) || !finiteq(f[0])) return audit_lost(row, NULL);
                bend[pass] += sign[k][0]*sign[k][1]*f[0]/(4*s*s);
                size = fmaxq(size, fabsq(f[0])*8*FLT128_EPSILON/(s*s));
            }
            if (pass >= 2) noise = fmaxq(noise, fabsq(bend[pass] - bend[0]));
            if (pass != 1) continue;

            best = bend[1] + (bend[1] - bend[0])/3;
            for (i = 0; i < n; ++i)
                for (j = 0; j < m; ++j) got += (dq_real)M[i*m + j]*d[i]*d[n + j];
            large = fmax(most, (double)fabsq(best)/(double)(n*m));
            if (!(large > 0)) break;
            err = (double)fabsq(got - best)/large;
        }
        if (large > 0) audit_error(row, err, (double)(fabsq(bend[1] - bend[0]) + size)/large, (double)noise/large);
    }
    return 1;
}

/* A number whose error has a bar of its own, as a rule the one that its header states. */
static void audit_close(audit_row *row, double err, double bar)
{
    ++row->derivatives;
    ++row->resolved;
    if (audit_only >= 0) printf("  sample %llu of %s, %s: error %.2e, bar %.1e\n", audit_seed, row->function, row->classes, err, bar);
    if (!(err <= bar)) audit_miss(row, &row->wrong);
    if (!(err <= row->worst)) {
        if (!audit_missed(row)) row->seed = audit_seed;
        row->worst = err;
    }
}

/* Whether a value is the copy's: within the bar and 32 times what `inputs` says that their rounding makes of it. */
static int audit_near(dc_real got, dq_real want, double inputs)
{
    return (double)fabsq(got - want) <= AUDIT_BAR*(double)fabsq(want) + 32*inputs;
}

/* what a rounding of the parameters makes of a number with gradient g [n] */
static double audit_inputs(int n, const double *scale, const dc_real *g)
{
    double sum = 0;
    int k;
    for (k = 0; k < n; ++k) sum += fabs((double)g[k])*(scale ? scale[k] : 1);
    return sum*audit_rounding*(double)DC_EPS;
}

/* ---- numbers up into the copy ---- */

static void audit_up(const dc_real *x, dq_real *y, size_t n)
{
    size_t k;
    for (k = 0; k < n; ++k) y[k] = (dq_real)x[k];
}
static dq_v3 audit_up3(dc_v3 a) { return dq_vec(a.x, a.y, a.z); }

static dq_quat audit_up4(dc_quat q) { dq_quat r; r.w = q.w; r.x = q.x; r.y = q.y; r.z = q.z; return r; }

/* Any rotation. */
static dc_quat audit_turn(rng *r)
{
    double q[4], s = 0;
    int k;
    dc_quat p;
    for (k = 0; k < 4; ++k) {
        q[k] = rng_normal(r);
        s += q[k]*q[k];
    }
    s = sqrt(s);
    p.w = (dc_real)(q[0]/s); p.x = (dc_real)(q[1]/s); p.y = (dc_real)(q[2]/s); p.z = (dc_real)(q[3]/s);
    dc_quat_normalize(p, &p);
    return p;
}

/* The pose in quadruple precision, its quaternion normalised as every function does, moved by the twist t (NULL: not). */
static dq_pose audit_pose(const dc_pose *p, const dq_real *t)
{
    dq_pose q;
    dq_real zero[6] = {0, 0, 0, 0, 0, 0};
    q.q = audit_up4(p->q);
    q.t = audit_up3(p->t);
    return dq_pose_retract(q, t ? t : zero);
}

/* ---- the program ---- */

/* Arguments: share of the samples (1: the whole); then, for a look at one sample, part of a function's name and the number. */
static const char *audit_name;
static int audit_begin(int argc, char **argv)
{
    if (argc > 1) audit_share = atof(argv[1]);
    audit_name = argc > 2 ? argv[2] : NULL;
    if (argc > 3) audit_only = atol(argv[3]);
    if (argc > 4 || !(audit_share > 0)) {
        fprintf(stderr, "usage: %s [share of the samples [function [sample]]]\n", argv[0]);
        return 0;
    }
    return 1;
}

/* The samples of a row: for (k = audit_first(row, n); audit_next(row, k, n); ++k) */
static long audit_first(long n) { return audit_only >= 0 && audit_only < n ? audit_only : 0; }
static int audit_next(const audit_row *row, long k, long n)
{
    if (audit_name && !strstr(row->function, audit_name)) return 0;
    return audit_only >= 0 ? k == audit_only : k < audit_count(n);
}

/* Prints the table; 0 when a row that is not open misses a bar. */
static int audit_end(void)
{
    long samples = 0, missed = 0, open = 0;
    double worst = 0;
    int k, rows = 0;
    printf("%-28s %-14s %8s %9s %8s %5s %5s %5s %5s %5s\n", "function", "class", "samples", "worst", "resolved", "wrong", "nan",
           "unsym", "zero", "false");
    for (k = 0; k < audit_rows; ++k) {
        const audit_row *r = audit_table + k;
        if (r->samples == 0) continue;
        ++rows;
        samples += r->samples;
        if (!r->open) worst = fmax(worst, r->worst);
        if (audit_missed(r)) { if (r->open) ++open; else ++missed; }
        printf("%-28s %-14s %8ld ", r->function, r->classes, r->samples);
        if (r->derivatives) printf("%9.1e %7.1f%% ", r->worst, 100.0*(double)r->resolved/(double)r->derivatives);
        else printf("%9s %8s ", "-", "-");
        printf("%5ld %5ld %5ld %5ld %5ld%s", r->wrong, r->nonfinite, r->unsymmetric, r->zero, r->untruthful,
               audit_missed(r) ? r->open ? "  open" : "  FAIL" : "");
        if (audit_missed(r)) printf(" (sample %llu)%s%s", r->seed, r->open ? ": " : "", r->open ? r->open : "");
        printf("\n");
    }
    printf("%s: %d rows, %ld samples; %d passed, %ld failed, %ld open; worst %.1e\n\n", DC_IS_FLOAT ? "float" : "double", rows, samples,
           rows - (int)missed - (int)open, missed, open, worst);
    return missed == 0;
}

#endif /* DC_AUDIT_H_INCLUDED */
