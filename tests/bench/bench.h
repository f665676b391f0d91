/* bench.h - interleaved timing of alternatives in one run
 *
 * Include it first: it asks <time.h> for clock_gettime.
 *
 *     static void cold(void *user) { ... }                         // does `items` items of work
 *     static void warm(void *user) { ... }
 *
 *     int main(int argc, char **argv)
 *     {
 *         bench_group g;
 *         bench_begin(argc, argv);                                 // bench_x [REPEATS], or bench_x -i
 *         bench_open(&g, "tri_batch_gap_1e-2");
 *         bench_add(&g, "cold", cold, data, 1000);
 *         bench_add(&g, "warm", warm, data, 1000);
 *         bench_run(&g);
 *         return 0;
 *     }
 *
 * prints lines of  name value unit:
 *
 *     tri_batch_gap_1e-2/cold 131.2 ns                             median time per item
 *     tri_batch_gap_1e-2/cold/min 128.9 ns
 *     tri_batch_gap_1e-2/warm 45.01 ns
 *     tri_batch_gap_1e-2/warm/min 44.80 ns
 *     tri_batch_gap_1e-2/cold_over_warm 2.914 x                    median ratio of the first entry to this one
 *     tri_batch_gap_1e-2/cold_over_warm/low 2.870 x                its quartiles
 *     tri_batch_gap_1e-2/cold_over_warm/high 2.950 x
 *
 * In each repeat the entries take turns, and a ratio is formed within a repeat, so that a slow phase of the machine meets
 * all of them. Time is processor time; each turn lasts about BENCH_TURN seconds. Put results through bench_keep, so that
 * the compiler cannot drop the work.
 *
 * With -i every entry runs once, after one run for warming up, inside bench_measured(), for `make bench-instructions`.
 */
#ifndef DC_BENCH_H_INCLUDED
#define DC_BENCH_H_INCLUDED

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 199309L
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BENCH_ENTRIES 8
#define BENCH_REPEATS 99
#ifndef BENCH_TURN
#define BENCH_TURN 2e-3
#endif

#if defined(__GNUC__) || defined(__clang__)
#define BENCH_UNUSED __attribute__((unused))
#define BENCH_NOINLINE __attribute__((noinline))
#else
#define BENCH_UNUSED
#define BENCH_NOINLINE
#endif

typedef void (*bench_fun)(void *user);

typedef struct {
    const char *name;
    bench_fun f;
    void *user;
    double items;
    long loops;                             /* calls in one turn */
    double turn[BENCH_REPEATS];             /* ns per item */
    double median, least;                   /* ns per item, set by bench_run */
    double ratio, ratio_low, ratio_high;    /* first entry / this one: median and quartiles */
} bench_entry;

typedef struct { const char *name; int n; bench_entry entry[BENCH_ENTRIES]; } bench_group;

static int bench_repeats = 15, bench_instructions = 0;
static volatile double bench_sink;

BENCH_UNUSED static void bench_keep(double x) { bench_sink = x; }

BENCH_UNUSED static double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

/* What callgrind counts: the pointer is volatile so that each call stays one call. */
BENCH_UNUSED BENCH_NOINLINE static void bench_measured(bench_fun f, void *user)
{
    bench_fun volatile call = f;
    call(user);
}

BENCH_UNUSED static void bench_begin(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "-i") == 0) bench_instructions = 1;
    else if (argc > 1) bench_repeats = atoi(argv[1]);
    if (bench_repeats < 1) bench_repeats = 1;
    if (bench_repeats > BENCH_REPEATS) bench_repeats = BENCH_REPEATS;
}

BENCH_UNUSED static void bench_line(const char *group, const char *what, double value, const char *unit)
{
    printf("%s/%s %.4g %s\n", group, what, value, unit);
    fflush(stdout);
}

BENCH_UNUSED static void bench_skip(const char *name, const char *reason) { printf("%s skipped: %s\n", name, reason); }

BENCH_UNUSED static void bench_open(bench_group *g, const char *name)
{
    g->name = name;
    g->n = 0;
}

BENCH_UNUSED static void bench_add(bench_group *g, const char *name, bench_fun f, void *user, double items)
{
    bench_entry *e = g->entry + g->n;
    if (g->n == BENCH_ENTRIES) {
        fprintf(stderr, "bench: more than %d entries in %s\n", BENCH_ENTRIES, g->name);
        exit(1);
    }
    memset(e, 0, sizeof *e);
    e->name = name;
    e->f = f;
    e->user = user;
    e->items = items;
    g->n++;
}

BENCH_UNUSED static double bench_turn(const bench_entry *e)
{
    double t = bench_seconds();
    long k;
    for (k = 0; k < e->loops; k++) bench_measured(e->f, e->user);
    return bench_seconds() - t;
}

static int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* value below which the part q of the n numbers lies; sorts them */
BENCH_UNUSED static double bench_quantile(double *x, int n, double q)
{
    qsort(x, (size_t)n, sizeof *x, bench_compare);
    return x[(int)(q*(double)(n - 1) + 0.5)];
}

BENCH_UNUSED static void bench_run(bench_group *g)
{
    double sorted[BENCH_REPEATS];
    char what[200];
    int i, r;

    if (bench_instructions) {
        for (i = 0; i < g->n; i++) {
            g->entry[i].f(g->entry[i].user);
            bench_measured(g->entry[i].f, g->entry[i].user);
            printf("%s/%s %.17g\n", g->name, g->entry[i].name, g->entry[i].items);
        }
        return;
    }

    /* warm up, and find how often to call */
    for (i = 0; i < g->n; i++) {
        bench_entry *e = g->entry + i;
        for (e->loops = 1; bench_turn(e) < BENCH_TURN/2 && e->loops < 1000000000; e->loops *= 2) {}
    }
    for (r = 0; r < bench_repeats; r++)
        for (i = 0; i < g->n; i++) {
            bench_entry *e = g->entry + i;
            e->turn[r] = bench_turn(e)*1e9/((double)e->loops*e->items);
        }

    for (i = 0; i < g->n; i++) {
        bench_entry *e = g->entry + i;
        memcpy(sorted, e->turn, sizeof sorted);
        e->median = bench_quantile(sorted, bench_repeats, 0.5);
        e->least = sorted[0];
        bench_line(g->name, e->name, e->median, "ns");
        snprintf(what, sizeof what, "%s/min", e->name);
        bench_line(g->name, what, e->least, "ns");
    }
    for (i = 1; i < g->n; i++) {
        bench_entry *e = g->entry + i;
        for (r = 0; r < bench_repeats; r++) sorted[r] = g->entry[0].turn[r]/e->turn[r];
        e->ratio = bench_quantile(sorted, bench_repeats, 0.5);
        e->ratio_low = bench_quantile(sorted, bench_repeats, 0.25);
        e->ratio_high = bench_quantile(sorted, bench_repeats, 0.75);
        snprintf(what, sizeof what, "%s_over_%s", g->entry[0].name, e->name);
        bench_line(g->name, what, e->ratio, "x");
        snprintf(what, sizeof what, "%s_over_%s/low", g->entry[0].name, e->name);
        bench_line(g->name, what, e->ratio_low, "x");
        snprintf(what, sizeof what, "%s_over_%s/high", g->entry[0].name, e->name);
        bench_line(g->name, what, e->ratio_high, "x");
    }
}

#endif
