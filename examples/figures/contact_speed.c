/* contact_speed.c - what witness points and manifolds cost, from one to many, beside interior points and MuJoCo
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CONTAX, Fig. 6 to 8. Witness points of a vertex and a face, of two edges, drawn in the unit cube: smooth in batches, without smoothing,
 * and by a logarithmic barrier, primal-dual interior points (IP) or L-BFGS (IP-L). Manifolds of two lobed figures in random poses: by the
 * number of their lobes and by the number of poses, with the gradient of the mean distance by both poses, without edges (NE), and with the
 * vertices of one of them alone (NE-S). Curves are of one thread, dots of all, in programs built with -fopenmp:
 *
 *     make build/demo/contact_speed CFLAGS="-O3 -march=native -fopenmp"; build/demo/contact_speed --full
 *
 * MuJoCo's convex collision of the same lobes, where its headers are found (Makefile), is of one thread. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"
#include "plot.h"
#include "cli.h"
#include "objects.h"
#include "turns.h"
#include "tests/bench/witness_baselines.h"
#ifdef DC_BENCH_MUJOCO
#include "tests/bench/mujoco_lobes.h"
#endif

#ifdef _OPENMP
#include <omp.h>
#define SHARED_OUT _Pragma("omp parallel for schedule(static) num_threads(threads) reduction(+:sum) if (threads > 1)")
#else
#define SHARED_OUT
#endif

enum { BLOCK = 500, BLOCKS = 200, DECADES = 8, LOBES = 18, MANY = 1024, THREADS = 64, OCTAVES = 11,
       CONTACTS = 2*OBJECT_VERTICES + 2*OBJECT_PARTS*OBJECT_PARTS };
enum { SMOOTH, SHARP, INTERIOR, LBFGS, METHODS };           /* of witness points */
enum { MANIFOLD, GRADIENT, NO_EDGES, ONE_SIDED, MUJOCO, KINDS };

static const char *const method_name[METHODS] = {"smooth", "not smoothed", "IP", "IP-L"};
static const char *const kind_name[KINDS] = {"manifold", "its gradient", "without edges (NE)", "one side (NE-S)", "MuJoCo"};
static const char *const colour[KINDS] = {PLOT_BLUE, PLOT_GREEN, PLOT_RED, PLOT_ORANGE, PLOT_PURPLE};
static volatile double kept;            /* so that no work is dropped */

/* ---- what is timed: a function of a count and of threads */

typedef struct { int what, face, lobes, threads; } job;
typedef double work(const job *j, long n);

/* processor time: others at work do not count; of several threads time as it passes */
static double now(const job *j) { return j->threads > 1 ? cli_seconds() : (double)clock()/CLOCKS_PER_SEC; }

/* Seconds of a call: the least of some repeats, each of calls that together take `turn`. */
static double seconds_of(work *f, const job *j, long n, double turn)
{
    double least = HUGE_VAL;
    long   loops = 1, k;
    int    repeat;

    for (repeat = 0; repeat < 4 && !cli_stopped(); repeat++) {
        double begin = now(j), t;
        for (k = 0; k < loops; k++) kept = f(j, n);
        t = now(j) - begin;
        if (t < turn && loops < 1000000000) {
            loops *= 2;
            repeat = -1;
            continue;
        }
        least = fmin(least, t/(double)loops);
        if (t > 20*turn) break;
    }
    return least;
}

/* ---- witness points: the queries of a block, row by row and point by point; more of them than there are come again */

typedef struct { dc_real x[12*BLOCK]; dc_v3 p[BLOCK][4]; } queries;
static queries asked[BLOCKS];

static void draw_queries(unsigned long long *state)
{
    int b, i, k, c;
    for (b = 0; b < BLOCKS; b++)
        for (i = 0; i < BLOCK; i++)
            for (k = 0; k < 4; k++) {
                for (c = 0; c < 3; c++) asked[b].x[(3*k + c)*BLOCK + i] = (dc_real)cli_between(state, 0, 1);
                asked[b].p[i][k] = dc_vec(asked[b].x[3*k*BLOCK + i], asked[b].x[(3*k + 1)*BLOCK + i], asked[b].x[(3*k + 2)*BLOCK + i]);
            }
}

static double answer(const job *j, const queries *q, int n)
{
    static const double mu = 1e-4;
    double sum = 0, x[2];
    int    i;

    if (j->what == SMOOTH) {
        dc_real y[10*BLOCK];
        if (j->face) dc_vf_witness_batch(NULL, n, q->x, BLOCK, y, NULL);
        else dc_ee_witness_batch(NULL, n, q->x, BLOCK, y, NULL);
        return (double)y[0];
    }
    for (i = 0; i < n; i++) {
        if (j->what == SHARP && j->face) {
            dc_vf w = DC_ZERO;
            dc_vf_closest(q->p[i][0], q->p[i] + 1, &w);
            sum += (double)w.p.x;
        } else if (j->what == SHARP) {
            dc_ee w = DC_ZERO;
            dc_ee_closest(q->p[i], q->p[i] + 2, &w);
            sum += (double)w.a.x;
        } else {
            const base_qp qp = j->face ? base_face(q->p[i], 1e-9) : base_edges(q->p[i], 1e-9);
            if (j->what == LBFGS) base_lbfgs(&qp, j->face, mu, x);
            else if (j->face) base_interior(&qp, base_triangle, 3, mu, x);
            else base_interior(&qp, base_square, 4, mu, x);
            sum += x[0] + x[1];
        }
    }
    return sum;
}

static double witness_points(const job *j, long n)
{
    const long blocks = (n + BLOCK - 1)/BLOCK;
#ifdef _OPENMP
    const int threads = j->threads < blocks ? j->threads : (int)blocks;
#endif
    double sum = 0;
    long   b;

    SHARED_OUT
    for (b = 0; b < blocks; b++) sum += answer(j, &asked[b%BLOCKS], n - b*BLOCK < BLOCK ? (int)(n - b*BLOCK) : BLOCK);
    return sum;
}

/* ---- manifolds: the first lobes of the figure, with a vertex in 17 for each; one edge a lobe is kept */

typedef struct { dc_manifold_contact contact[CONTACTS]; unsigned char bytes[1 << 23]; } scratch;

static object   *figure[LOBES + 1];
static dc_pose   pose[MANY];
static scratch  *memory;                /* one for each thread */
static dc_manifold_contact mean_of[LOBES + 1][CONTACTS];
#ifdef DC_BENCH_MUJOCO
static lobes     peer[LOBES + 1];
#endif

static dc_status make_figure(int n)
{
    static unsigned char bytes[1 << 25];
    dc_arena   mem = dc_arena_make(bytes, sizeof bytes);
    dc_status  s;
    int        i, count;

    figure[n] = (object *)malloc(sizeof *figure[n]);
    if (!figure[n]) return DC_E_MEMORY;
    s = object_make_of(figure[n], OBJECT_FIGURE, n, (object_table[OBJECT_FIGURE].vertices*n + LOBES - 1)/LOBES, &mem);
    count = 2*figure[n]->mesh.nv + 2*n*n;
    for (i = 0; i < count; i++) mean_of[n][i].d = 1/(dc_real)count;
#ifdef DC_BENCH_MUJOCO
    if (s == DC_OK) lobes_open(&peer[n], &figure[n]->field, 0);
#endif
    return s;
}

static double meet(const job *j, const dc_pose *at, scratch *m)
{
    const object *f = figure[j->lobes];
    const dc_surface s = {&f->mesh, &f->field};
    dc_arena mem = dc_arena_make(m->bytes, sizeof m->bytes);
    dc_manifold_options o = DC_ZERO;
    dc_real  grad[12];
    dc_status status;

#ifdef DC_BENCH_MUJOCO
    if (j->what == MUJOCO) return lobes_contacts(&peer[j->lobes], at);
#endif
    o.no_ee = j->what == NO_EDGES || j->what == ONE_SIDED;
    o.no_vs_b = j->what == ONE_SIDED;
    if (!o.no_ee) o.keep_e_a = o.keep_e_b = j->lobes;
    if (j->what == GRADIENT) status = dc_manifold_vjp(&s, NULL, &s, at, &o, mean_of[j->lobes], &mem, m->contact, grad);
    else status = dc_manifold(&s, NULL, &s, at, &o, &mem, m->contact);
    if (status != DC_OK) exit(cli_error("%s", dc_status_text(status)));
    return (double)m->contact[0].d;
}

static double manifolds(const job *j, long n)
{
#ifdef _OPENMP
    const int threads = j->threads < n ? j->threads : (int)n;
#endif
    double sum = 0;
    long   i;

    SHARED_OUT
    for (i = 0; i < n; i++) {
#ifdef _OPENMP
        scratch *m = &memory[omp_get_thread_num()];
#else
        scratch *m = memory;
#endif
        sum += meet(j, &pose[i], m);
    }
    return sum;
}

/* ---- curves */

typedef struct { int n; double x[LOBES], y[LOBES]; } curve;

/* one thread and all of them, each printed; a curve stops when its last call took longer than `most` */
static void trace(const char *name, work *f, job j, int threads, int n, const double *count, double per, double turn, double most, curve c[2])
{
    int k, all;

    for (all = 0; all < (threads > 1 ? 2 : 1); all++) {
        double last = 0;
        j.threads = all ? threads : 1;
        c[all].n = 0;
        for (k = 0; k < n && last < most && !cli_stopped(); k++) {
            last = seconds_of(f, &j, (long)count[k], turn);
            if (!(last < HUGE_VAL)) break;
            c[all].x[c[all].n] = count[k];
            c[all].y[c[all].n++] = last/per;
            printf("%s/%.0f%s %.4g s\n", name, count[k], all ? "/threads" : "", last/per);
            fflush(stdout);
        }
    }
}

static void draw(plot_panel *a, int curves, curve c[][2], const char *const *name, const char *const *ink)
{
    double top, part;
    int    k, all, labels = 0;

    a->x.log = a->y.log = 1;
    for (k = 0; k < curves; k++) {
        for (all = 0; all < 2; all++)
            if (c[k][all].n > 0) plot_fit(a, c[k][all].n, c[k][all].x, c[k][all].y);
        labels += c[k][0].n > 0;
    }
    /* room for the legend, which is narrow, above curves that rise */
    part = (26 + 18*labels)/a->height;
    top = a->y.hi*pow(a->y.hi/a->y.lo, 0.8*part/(1 - part));
    plot_fit(a, 1, &c[0][0].x[0], &top);
    plot_axes(a);
    for (k = 0; k < curves; k++)
        for (all = 0; all < 2; all++) {
            const curve *of = &c[k][all];
            if (of->n > 0 && all) plot_points(a, of->n, of->x, of->y, ink[k], NULL);
            if (of->n > 0 && !all) plot_curve(a, of->n, of->x, of->y, ink[k], name[k]);
        }
    plot_legend(a, PLOT_UPPER_LEFT);
}

int main(int argc, char **argv)
{
    static const char *const two_names[6] = {"manifold, 18 lobes", "its gradient", "MuJoCo", "manifold, 5 lobes", "its gradient", "MuJoCo"};
    static const char *const two_inks[6] = {PLOT_BLUE, PLOT_GREEN, PLOT_PURPLE, PLOT_SKY, "#7fc9b3", "#d9a9c2"};
    static const int shown[3] = {MANIFOLD, GRADIENT, MUJOCO};
    cli     o = cli_parse(argc, argv, "Plots what witness points and manifolds cost.", "contact_speed.svg", NULL, 0);
    const double turn = o.quick ? 2e-4 : 5e-3, most = o.full ? 1e9 : o.quick ? 2e-2 : 0.5;
    const int   kinds =
#ifdef DC_BENCH_MUJOCO
        KINDS;
#else
        KINDS - 1;
#endif
    static curve points[METHODS][2], by_lobes[KINDS][2], by_poses[6][2], simpler[3][2];
    double     queries_n[DECADES], lobes_n[LOBES], poses_n[OCTAVES];
    unsigned long long state = o.seed;
    plot       p;
    plot_panel a;
    char       name[80];
    int        i, k, face, n = 0, threads = 1;

#ifdef _OPENMP
    threads = omp_get_max_threads() < THREADS ? omp_get_max_threads() : THREADS;
#endif
    memory = (scratch *)malloc((size_t)threads*sizeof *memory);
    if (!memory) return cli_error("no memory");
    draw_queries(&state);
    for (i = 0; i < DECADES; i++) queries_n[i] = pow(10, i);
    for (i = 0; i < OCTAVES; i++) poses_n[i] = pow(2, i);
    for (i = 0; i < MANY; i++) {
        pose[i].t = dc_scale((dc_real)cli_between(&state, 0.2, 1.2), turns_direction(&state));
        pose[i].q = turns_any(&state);
    }
    for (i = 1; i <= LOBES; i++) {
        dc_status s;
        if (o.quick && i != 1 && i != 5 && i != LOBES) continue;
        lobes_n[n++] = i;
        s = make_figure(i);
        if (s != DC_OK) return cli_error("%d lobes: %s", i, dc_status_text(s));
    }

    plot_begin(&p, 1060, 1110, "What witness points and contact manifolds cost");
    snprintf(name, sizeof name, threads > 1 ? "curves: one thread; dots: %d threads" : "one thread", threads);
    plot_text(&p, 1036, 33, "end", 14, PLOT_PALE, name);
    for (face = 1; face >= 0; face--) {
        for (k = 0; k < METHODS; k++) {
            job j = DC_ZERO;
            j.what = k;
            j.face = face;
            snprintf(name, sizeof name, "%s/%s", face ? "vertex_face" : "edge_edge", method_name[k]);
            trace(name, witness_points, j, threads, DECADES, queries_n, 1, turn, most, points[k]);
        }
        a = plot_panel_at(&p, face ? 80 : 590, 90, 430, 250);
        a.title = face ? "vertex and face" : "two edges";
        a.x.name = "queries *n*";
        a.y.name = "time [s]";
        draw(&a, METHODS, points, method_name, colour);
    }

    /* poses one after the other: their mean */
    for (k = 0; k < kinds; k++) {
        for (i = 0; i < n && !cli_stopped(); i++) {
            const double poses = o.quick ? 8 : 100;
            curve c[2];
            job   j = DC_ZERO;
            j.what = k;
            j.lobes = (int)lobes_n[i];
            snprintf(name, sizeof name, "lobes_%d/%s", j.lobes, kind_name[k]);
            trace(name, manifolds, j, 1, 1, &poses, poses, turn, HUGE_VAL, c);
            if (c[0].n == 0) break;
            by_lobes[k][0].x[i] = lobes_n[i];
            by_lobes[k][0].y[i] = c[0].y[0];
            by_lobes[k][0].n = i + 1;
        }
    }
    a = plot_panel_at(&p, 80, 440, 430, 250);
    a.title = "two figures in a pose";
    a.x.name = "lobes of each";
    a.y.name = "time [s]";
    draw(&a, kinds, by_lobes, kind_name, colour);

    for (i = 0; i < 6; i++) {
        job j = DC_ZERO;
        if (shown[i%3] >= kinds) continue;
        j.what = shown[i%3];
        j.lobes = i < 3 ? LOBES : 5;
        snprintf(name, sizeof name, "poses_%d/%s", j.lobes, kind_name[j.what]);
        trace(name, manifolds, j, j.what == MUJOCO ? 1 : threads, OCTAVES, poses_n, 1, turn, most, by_poses[i]);
    }
    a = plot_panel_at(&p, 590, 440, 430, 250);
    a.title = "two figures in many poses";
    a.x.name = "poses *n*";
    a.y.name = "time [s]";
    draw(&a, 6, by_poses, two_names, two_inks);

    for (k = 0; k < 3; k++) {
        job j = DC_ZERO;
        j.what = k == 0 ? MANIFOLD : k == 1 ? NO_EDGES : ONE_SIDED;
        j.lobes = LOBES;
        if (k == 0) { simpler[0][0] = by_poses[0][0]; simpler[0][1] = by_poses[0][1]; continue; }
        snprintf(name, sizeof name, "poses_%d/%s", j.lobes, kind_name[j.what]);
        trace(name, manifolds, j, threads, OCTAVES, poses_n, 1, turn, most, simpler[k]);
    }
    {
        static const char *const simpler_name[3] = {"manifold, 18 lobes", "without edges (NE)", "one side (NE-S)"};
        static const char *const simpler_ink[3] = {PLOT_BLUE, PLOT_RED, PLOT_ORANGE};
        a = plot_panel_at(&p, 80, 790, 940, 250);
        a.title = "what can be left out";
        a.x.name = "poses *n*";
        a.y.name = "time [s]";
        draw(&a, 3, simpler, simpler_name, simpler_ink);
    }
    for (i = 0; i < n; i++) {
        k = (int)lobes_n[i];
        free(figure[k]);
#ifdef DC_BENCH_MUJOCO
        lobes_close(&peer[k]);
#endif
    }
    free(memory);
    if (plot_end(&p, o.out) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
