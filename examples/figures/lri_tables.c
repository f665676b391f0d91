/* lri_tables.c - what the long-range gradient buys: tables 4 and 5 of LRI, its convergence plots, success over many layouts
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Push, LRI Tables 4 and 5: the simulated time until the box is within 5 cm of its mark, by the time step at k = 1e-7 J and
 * by k at 0.04 s, with the paper's beside it; the horizon is 1.92 s throughout.
 *
 * Convergence as in LRI Fig. 5, 7 and 8: Push by the long-range and the local potential; Billiards from a red ball at rest
 * and from the best of drawn shots, by both and by gradient bundles, the mean gradient of 50 shots about the one at hand,
 * with the local potential; Gather by both.
 *
 * Without smoothness as in LRI Fig. 13: Push on a table seen from above, flat.h, by a potential that is C2, by one of the same
 * strength that is not, by one felt near contact, and by bundles of 50 plans with that; from --layouts starts of the rod.
 *
 * Success over layouts that seeds draw, 1 to --layouts, by the paper's criteria: with the local potential, Ant-Push with the
 * long-range one; with --far 1 also the others with the long-range one, which takes an hour.
 *
 *     lri_tables [--out FILE.svg] [--layouts N] [--far 1] [--quick]      writes FILE.svg
 *
 * and its numbers to stdout as  name value unit; seconds are the processor's. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#include "cli.h"
#include "plot.h"
#include "sim_scene.h"
#include "plan.h"
#include "plan_judge.h"
#include "sim_ant.h"
#include "octa_ball.h"
#include "task_push.h"
#include "round_mesh.h"
#include "task_gather.h"
#include "task_billiards.h"
#include "task_ant.h"
#include "flat.h"

enum { POINTS = 2048, ROWS = 4 };

static double patience = 120;           /* seconds of the processor for a run of Push */

static sim_world      w, near_world;
static plan           p, near_plan;     /* near: draws plans for the long range */
static gather_task    cubes, near_cubes;
static billiards_task balls, near_balls;
static ant_task       ant;

/* One curve of a plot. */
typedef struct { int n; double x[POINTS], y[POINTS]; } curve;

static void curve_add(curve *c, double x, double y)
{
    if (c->n == POINTS) return;
    c->x[c->n] = x;
    c->y[c->n++] = y;
}

static double seconds_since(clock_t begin) { return (double)(clock() - begin)/CLOCKS_PER_SEC; }

/* ---- push --------------------------------------------------------------------------------------- */

/* The simulated time until the box is within `near` of its mark; 0: not within `longest` seconds, or out of patience. */
static double push_time(int global, double k, double h, int iterations, double near, double longest, curve *way)
{
    const clock_t begin = clock();
    double        off;

    push_scene(&w, global, k, h);
    push_plan(&p, &w, (int)(1.92/h + 0.5), 0.05);
    for (off = push_off(w.now); off > near && w.time < longest && !cli_stopped(); off = push_off(w.now)) {
        if (seconds_since(begin) > patience) break;
        if (way) curve_add(way, w.time, off);
        plan_improve(&p, iterations);
        plan_step(&p);
    }
    if (way) curve_add(way, w.time, off);
    plan_end(&p);
    return off > near ? 0 : w.time;
}

/* ---- push, seen from above ------------------------------------------------------------------------ */

enum { FLAT_HORIZON = 48, FLAT_N = 3*FLAT_HORIZON, FLAT_BUNDLE = FLAT_KINDS, FLAT_WAYS };
static const char *const flat_name[FLAT_WAYS] = {"smooth", "not_smooth", "local", "bundles"};
static const char *const flat_words[FLAT_WAYS] = {"long-range", "not smooth", "local", "bundles of 50, local"};
static const char *const flat_colour[FLAT_WAYS] = {PLOT_BLUE, PLOT_PURPLE, PLOT_RED, PLOT_GREEN};

static flat_world flat;

static double flat_off(const double *x) { return hypot(x[3] - (double)push_mark[0], x[4] - (double)push_mark[1]); }

/* The gradient of the squared distances of the box from its mark after the steps of a plan is added. */
static void flat_gradient(const double (*v)[3], dc_real *grad)
{
    static double pull[FLAT_HORIZON][FLAT_X];
    int           t, k;

    for (t = 0; t < FLAT_HORIZON; t++) {
        flat_step(&flat, t, v[t]);
        for (k = 0; k < 2; k++) pull[t][3 + k] = 2*(flat.x[t + 2][3 + k] - (double)push_mark[k]);
    }
    flat_back(&flat, FLAT_HORIZON, v, (const double (*)[FLAT_X])pull);
    for (t = 0; t < FLAT_HORIZON; t++) for (k = 0; k < 3; k++) grad[3*t + k] += DC_R(flat.by_velocity[t][k]);
}

/* Push as in task_push.h, the rod at (0.3, y): the time until the box is within 1 cm of its mark; 0: not within so many frames. */
static double flat_push(int way, double y, int frames, int iterations, int samples, curve *loss)
{
    static double      v[FLAT_HORIZON][3];
    dc_real            u[FLAT_N] = {0}, grad[FLAT_N], m[FLAT_N], second[FLAT_N];
    dc_adam_state      adam = DC_ZERO;
    unsigned long long random = 1;
    int                at, i, j, it;

    memset(&flat, 0, sizeof flat);
    flat.kind = way == FLAT_BUNDLE ? FLAT_NEAR : (flat_kind)way;
    flat.bodies = 2;
    flat.half[0][0] = 0.03;
    flat.half[0][1] = 0.2;
    flat.half[1][0] = flat.half[1][1] = 0.1;
    flat.lo[0] = -0.9;
    flat.hi[0] = 0.45;
    flat.lo[1] = -0.7;
    flat.hi[1] = 0.7;
    flat.h = 0.04;
    flat.k = 1e-4;
    flat.friction = 0.5;
    flat.slow = 1e-3;
    flat.drive = 100;
    flat.x[0][0] = flat.x[1][0] = 0.3;
    flat.x[0][1] = flat.x[1][1] = y;
    adam.m = m;
    adam.v = second;
    adam.n = FLAT_N;
    adam.rate = DC_R(0.05);
    adam.beta1 = DC_R(0.3);
    adam.beta2 = DC_R(0.5);
    adam.eps = DC_R(1e-30);
    for (at = 0; at <= frames && !cli_stopped(); at++) {
        const double off = flat_off(flat.x[1]);
        if (loss) curve_add(loss, at*flat.h, off);
        if (off < PUSH_THERE) return at*flat.h;
        memset(m, 0, sizeof m);
        memset(second, 0, sizeof second);
        adam.step = 0;

        /* the mean of the plans about the one at hand, normally spread; or that one's gradient alone */
        for (it = 0; it < iterations; it++) {
            memset(grad, 0, sizeof grad);
            for (j = 0; j < (way == FLAT_BUNDLE ? samples : 1); j++) {
                for (i = 0; i < FLAT_N; i++) {
                    double r = sqrt(-2*log(1 - cli_between(&random, 0, 1))), turn = cli_between(&random, 0, 8*atan(1.0));
                    v[i/3][i%3] = (double)u[i] + (way == FLAT_BUNDLE ? 0.1*r*cos(turn) : 0);
                }
                flat_gradient((const double (*)[3])v, grad);
            }
            sim_need(dc_adam(&adam, grad, u), "Adam");          /* which does not ask for the gradient's size */
            for (i = 0; i < FLAT_N; i++) u[i] = DC_R(fmax(-PUSH_FASTEST, fmin(PUSH_FASTEST, (double)u[i])));
        }

        /* one frame of it */
        for (i = 0; i < 3; i++) v[0][i] = (double)u[i];
        flat_step(&flat, 0, v[0]);
        memmove(flat.x[0], flat.x[1], 2*sizeof flat.x[0]);
        memmove(u, u + 3, (FLAT_N - 3)*sizeof *u);
    }
    return 0;
}

/* From `starts` places of the rod: how many are there, and when, in the mean. */
static void flat_starts(int starts, int frames, int iterations, int samples, curve *loss)
{
    int way, i;

    for (way = 0; way < FLAT_WAYS; way++) {
        double sum = 0;
        int    there = 0, tried = way < FLAT_NEAR ? starts : starts > 0;           /* the others do not move anything */
        long   steps = 0, stuck = 0;
        for (i = 0; i < tried && !cli_stopped(); i++) {
            double t = flat_push(way, 0.05 + (i%2 ? -0.02 : 0.02)*((i + 1)/2), frames, iterations, samples, i ? NULL : loss + way);
            sum += t;
            there += t > 0;
            steps += flat.steps;
            stuck += flat.stuck;
        }
        printf("flat_push_%s_starts %d 1\nflat_push_%s_within_1_cm %d 1\n", flat_name[way], tried, flat_name[way], there);
        if (there) printf("flat_push_%s_time_to_1_cm_mean %.2f s\n", flat_name[way], sum/there);
        printf("flat_push_%s_steps %ld steps\nflat_push_%s_steps_stuck %ld steps\n", flat_name[way], steps, flat_name[way], stuck);
    }
}

/* ---- billiards ----------------------------------------------------------------------------------- */

/* The mean gradient of `samples` shots about the one at hand, normally spread: a bundle of first order. */
static void bundle(int samples, double spread, dc_real *mean, unsigned long long *random)
{
    dc_real at[BILLIARDS_CONTROLS];
    int     i, k, used = 0;

    memcpy(at, p.u, sizeof at);
    for (k = 0; k < BILLIARDS_CONTROLS; k++) mean[k] = 0;
    for (i = 0; i < samples; i++) {
        for (k = 0; k < BILLIARDS_CONTROLS; k++) {
            double r = sqrt(-2*log(1 - cli_between(random, 0, 1))), turn = cli_between(random, 0, 8*atan(1.0));
            p.u[k] = at[k] + DC_R(spread*r*cos(turn));
        }
        controls_clamp(&p.c, p.u);
        if (plan_roll(&p) >= HUGE_VAL) continue;
        plan_back(&p);
        for (k = 0; k < BILLIARDS_CONTROLS; k++) mean[k] += p.grad[k];
        used++;
    }
    for (k = 0; k < BILLIARDS_CONTROLS; k++) mean[k] /= DC_R(fmax(used, 1));
    memcpy(p.u, at, sizeof at);
}

/* Descent by bundles from the shot at hand. */
static void descend_by_bundles(int iterations, int samples, unsigned long long *random, curve *loss)
{
    dc_real mean[BILLIARDS_CONTROLS];
    double  best = HUGE_VAL;
    int     i;

    memset(p.adam.m, 0, sizeof mean);
    memset(p.adam.v, 0, sizeof mean);
    p.adam.step = 0;
    p.adam.rate = DC_R(p.rate);
    for (i = 0; i <= iterations && best > 0 && !cli_stopped(); i++) {
        best = fmin(best, plan_roll(&p));
        curve_add(loss, i, best);
        bundle(samples, 0.1, mean, random);
        sim_need(dc_adam(&p.adam, mean, p.u), "Adam");
        controls_clamp(&p.c, p.u);
    }
}

enum { FAR, NEAR, BUNDLE, WAYS };
static const char *const way_name[WAYS] = {"long_range", "local", "bundles"};
static const char *const way_words[WAYS] = {"long-range", "local", "bundles of 50, local"};
static const char *const way_colour[WAYS] = {PLOT_BLUE, PLOT_RED, PLOT_GREEN};

/* From rest, or from the best of `draws`. Returns the least loss. */
static double billiards_way(int way, int n, int draws, int iterations, int samples, unsigned long long seed, curve *loss)
{
    const int          global = way == FAR;
    unsigned long long random = seed;
    int                i;

    billiards_scene(&balls, &w, n, global, global ? 1e-7 : 1e-4, 2, &random);
    billiards_plan(&p, &w, &balls, n < BILLIARDS_MOST ? 40 : 100, 0.03);
    billiards_marks(&balls, &p, &random);
    if (draws > 0) plan_draw(&p, draws, billiards_draw, &random, 0);
    if (way == BUNDLE) descend_by_bundles(iterations, samples, &random, loss);
    else {
        plan_improve(&p, iterations);
        for (i = 0; i < p.iterations; i++) curve_add(loss, i, p.history[i]);
    }
    plan_end(&p);
    if (loss->n == 0) curve_add(loss, 0, 0);                    /* stopped before the first */
    return loss->y[loss->n - 1];
}

/* ---- layouts -------------------------------------------------------------------------------------- */

/* Gather or sort until all is in; the frames, or -1. */
static int gather_way(int n, int sort, int global, int frames, unsigned long long seed, curve *loss)
{
    unsigned long long random = seed, same = seed;
    int                at, in = 0;

    gather_scene(&near_cubes, &near_world, n, sort, 0, 0, 3e-5, &same);
    gather_plan(&near_plan, &near_world, &near_cubes, 32, 0.1);
    gather_scene(&cubes, &w, n, sort, 0, global, 3e-5, &random);
    gather_plan(&p, &w, &cubes, 32, 0.1);
    for (at = 0; at <= frames; at++) {
        in = gather_in(&cubes, w.now);
        if (loss) curve_add(loss, at, gather_loss(&p, 0, w.now, NULL));
        if (in == n || at == frames || cli_stopped()) break;
        if (at%8 == 0) gather_think(&p, global ? &near_plan : NULL, n < 10 ? 6 : 20, global ? 4 : 8, global, &random);
        plan_step(&p);
    }
    plan_end(&p);
    plan_end(&near_plan);
    return in == n ? at : -1;
}

static int billiards_solved(int n, int global, int draws, int iterations, unsigned long long seed)
{
    unsigned long long random = seed;
    double             loss;

    billiards_scene(&balls, &w, n, global, global ? 1e-7 : 1e-4, 2, &random);
    billiards_plan(&p, &w, &balls, n < BILLIARDS_MOST ? 40 : 100, 0.03);
    billiards_marks(&balls, &p, &random);
    if (global) {
        billiards_near(&near_balls, &near_world, &balls, &w, 2);
        billiards_plan(&near_plan, &near_world, &near_balls, p.c.horizon, 0.03);
        loss = billiards_far(&p, &near_plan, draws, iterations, &random);
        plan_end(&near_plan);
    } else {
        plan_draw(&p, draws, billiards_draw, &random, 0);
        loss = billiards_descend(&p, draws, iterations);
    }
    plan_end(&p);
    return loss <= 0;
}

static int ant_solved(double k, int iterations, unsigned long long seed)
{
    unsigned long long random = seed;
    int                there;

    ant_scene(&ant, &w, 1, k, 0.02, &random);
    ant_plan(&p, &w, &ant, 240, 0.03, &random);
    plan_improve(&p, iterations);
    plan_roll(&p);
    there = ant_done(&p);
    plan_end(&p);
    return there;
}

enum { GATHER, SORT, BILLIARDS, ANT, TASKS };
static const char *const task_name[TASKS] = {"gather", "sort", "billiards", "ant_push"};

/* Solved layouts of seeds 1 to n, and the processor's time of each in the median; a point of the plot. */
static void layouts(int task, int global, int n, curve *points)
{
    double time[PLAN_DRAWS];
    int    solved = 0, i, k, from;

    for (i = 0; i < n && !cli_stopped(); i++) {
        const unsigned long long seed = (unsigned long long)i + 1;
        const clock_t            begin = clock();
        double                   t;
        if (task == GATHER) solved += gather_way(10, 0, global, 300, seed, NULL) >= 0;
        else if (task == SORT) solved += gather_way(10, 1, global, 700, seed, NULL) >= 0;
        else if (task == BILLIARDS) solved += billiards_solved(BILLIARDS_MOST, global, 60, global ? 30 : 400, seed);
        else solved += ant_solved(1e-5, 100, seed);
        t = seconds_since(begin);
        for (from = i; from > 0 && time[from - 1] > t; from--) time[from] = time[from - 1];
        time[from] = t;
    }
    k = i/2;
    if (i > 0) curve_add(points, task + 1, solved*10.0/i);
    printf("%s_%s_layouts %d 1\n", task_name[task], way_name[global ? FAR : NEAR], i);
    printf("%s_%s_solved %d 1\n", task_name[task], way_name[global ? FAR : NEAR], solved);
    if (i > 0) printf("%s_%s_time_median %.1f s\n", task_name[task], way_name[global ? FAR : NEAR], time[k]);
}

/* ---- the picture ---------------------------------------------------------------------------------- */

static plot_panel panel(plot *to, int column, int row, const char *title, const char *x, const char *y)
{
    plot_panel a = plot_panel_at(to, 76 + 404*column, 84 + 340*row, 300, 220);

    a.title = title;
    a.x.name = x;
    a.y.name = y;
    return a;
}

static void curves(plot_panel *a, int n, const curve *c, const char *const *name, const char *const *colour)
{
    int i, k;

    for (i = 0; i < n; i++) if (c[i].n > 0) plot_fit(a, c[i].n, c[i].x, c[i].y);
    a->y.lo = 0;
    a->y.hi = fmax(a->y.hi, 1e-6);                              /* where a loss is zero throughout */
    for (i = 0; i < n; i++) for (k = 0; k < c[i].n; k++) a->y.hi = fmax(a->y.hi, 1.6*c[i].y[k]);    /* room for the legend */
    plot_axes(a);
    for (i = 0; i < n; i++) if (c[i].n > 0) plot_curve(a, c[i].n, c[i].x, c[i].y, colour[i], name[i]);
    plot_legend(a, PLOT_UPPER_RIGHT);
}

static void table(plot *to, int column, const char *title, const char *x, const curve *ours, const curve *paper)
{
    plot_panel a = panel(to, column, 0, title, x, "simulated time [s]");

    a.x.log = 1;
    plot_fit(&a, paper->n, paper->x, paper->y);
    if (ours->n > 0) plot_fit(&a, ours->n, ours->x, ours->y);
    a.y.lo = 0;
    a.y.hi *= 1.3;                                              /* room for the legend */
    plot_axes(&a);
    plot_points(&a, paper->n, paper->x, paper->y, PLOT_PALE, "the paper");
    if (ours->n > 0) plot_points(&a, ours->n, ours->x, ours->y, PLOT_BLUE, "dc_sim.h");
    plot_legend(&a, PLOT_UPPER_LEFT);
}

static int draw(const char *file, const curve *steps, const curve *stiffness, const curve *push, const curve *rest,
                const curve *drawn, const curve *gather, const curve *above, const curve *solved)
{
    plot       to;
    plot_panel a;

    plot_begin(&to, 1240, 1070, "What the long-range gradient buys");
    table(&to, 0, "Push by time step (LRI, Table 4)", "time step [s]", steps, steps + 1);
    table(&to, 1, "Push by stiffness (LRI, Table 5)", "*k* [J]", stiffness, stiffness + 1);
    a = panel(&to, 2, 0, "Push", "simulated time [s]", "box to mark [m]");
    curves(&a, 2, push, way_words, way_colour);
    a = panel(&to, 0, 1, "Billiards from rest", "iteration", "best loss [m^{2}]");
    curves(&a, WAYS, rest, way_words, way_colour);
    a = panel(&to, 1, 1, "Billiards from drawn shots", "iteration", "best loss [m^{2}]");
    curves(&a, WAYS, drawn, way_words, way_colour);
    a = panel(&to, 2, 1, "Gather, drawn plans and gradients", "frame", "loss of the cubes [m^{2}]");
    curves(&a, 2, gather, way_words, way_colour);
    a = panel(&to, 0, 2, "Push from above (LRI, Fig. 13)", "simulated time [s]", "box to mark [m]");
    curves(&a, FLAT_WAYS, above, flat_words, flat_colour);
    if (solved[FAR].n + solved[NEAR].n == 0) return plot_end(&to, file);
    a = panel(&to, 1, 2, "Layouts solved, of ten", "1 gather  2 sort  3 billiards  4 ant", "layouts");
    a.x.lo = 0.5;
    a.x.hi = 4.5;
    a.y.hi = 15;
    plot_axes(&a);
    if (solved[FAR].n > 0) plot_points(&a, solved[FAR].n, solved[FAR].x, solved[FAR].y, way_colour[FAR], way_words[FAR]);
    if (solved[NEAR].n > 0) plot_points(&a, solved[NEAR].n, solved[NEAR].x, solved[NEAR].y, way_colour[NEAR], way_words[NEAR]);
    plot_legend(&a, PLOT_UPPER_RIGHT);
    return plot_end(&to, file);
}

/* ---- the program ----------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    static const double step[ROWS] = {0.01, 0.02, 0.04, 0.08}, step_paper[ROWS] = {5.76, 3.28, 2.96, 2.80};
    static const double k[ROWS] = {1e-6, 1e-7, 1e-8, 1e-10}, k_paper[ROWS] = {3.20, 3.28, 3.24, 4.80};
    static curve  steps[2], stiffness[2], push[2], rest[WAYS], drawn[WAYS], gather[2], above[FLAT_WAYS], solved[2];
    double        n = 10, far = 0, iterations = 10, samples = 50;
    cli_number    number[] = {{"layouts", &n, 0, PLAN_DRAWS, "of each task"},
                              {"far", &far, 0, 1, "1: layouts with the long-range potential too"},
                              {"iterations", &iterations, 1, 1000, "of Adam in a frame of Push"},
                              {"samples", &samples, 1, 1000, "of a bundle"},
                              {"patience", &patience, 1, 1e6, "seconds for a run of Push"}};
    cli           o = cli_parse(argc, argv, "Tables and convergence plots of LRI.", "lri_tables.svg", number, 5);
    const int     count = o.quick ? 4 : BILLIARDS_MOST;
    const double  longest = o.quick ? 1.6 : 20;
    clock_t       begin = clock();
    int           i, way;

    /* tables 4 and 5 */
    for (i = 0; i < ROWS; i++) {
        double t;
        curve_add(&steps[1], step[i], step_paper[i]);
        curve_add(&stiffness[1], k[i], k_paper[i]);
        t = o.quick && i < 3 ? 0 : push_time(1, 1e-7, step[i], (int)iterations, 0.05, longest, NULL);
        if (t > 0) curve_add(&steps[0], step[i], t);
        if (t > 0) printf("push_time_step_%g %.2f s\n", step[i], t);
        t = o.quick ? 0 : push_time(1, k[i], 0.04, (int)iterations, 0.05, longest, NULL);
        if (t > 0) curve_add(&stiffness[0], k[i], t);
        if (t > 0) printf("push_stiffness_%g %.2f s\n", k[i], t);
    }
    for (way = FAR; way <= NEAR; way++) {
        double t = push_time(way == FAR, 1e-4, 0.04, (int)iterations/(o.quick ? 5 : 1), 0.01, o.quick ? 1.6 : 10, &push[way]);
        printf("push_%s_time_to_1_cm %.2f s\n", way_name[way], t);
    }

    /* convergence */
    for (way = FAR; way < WAYS; way++) {
        const int its = o.quick ? 3 : way == FAR ? 40 : way == NEAR ? 100 : 30, some = o.quick ? 3 : (int)samples;
        double    least = billiards_way(way, count, 0, its, some, o.seed, &rest[way]);
        printf("billiards_rest_%s_loss_left %.3f 1\n", way_name[way], least/fmax(rest[way].y[0], 1e-30));
        least = billiards_way(way, count, o.quick ? 5 : 20, its, some, o.seed, &drawn[way]);
        printf("billiards_drawn_%s_loss_left %.3f 1\n", way_name[way], least/fmax(drawn[way].y[0], 1e-30));
    }
    for (way = FAR; way <= NEAR; way++) {
        int frames = gather_way(o.quick ? 2 : 10, 0, way == FAR, o.quick ? 48 : 300, o.seed, &gather[way]);
        printf("gather_%s_frames %d frames\n", way_name[way], frames);
    }
    flat_starts(o.quick ? 1 : (int)n, o.quick ? 20 : 250, (int)iterations, o.quick ? 3 : (int)samples, above);

    /* layouts; the picture before and after them, which take long */
    if (draw(o.out, steps, stiffness, push, rest, drawn, gather, above, solved) != 0) return CLI_FAILED;
    for (i = 0; i < TASKS && !o.quick; i++) {
        if (i != ANT) layouts(i, 0, (int)n, &solved[NEAR]);
        if (i == ANT || far > 0) layouts(i, 1, (int)n, &solved[FAR]);
    }
    if (draw(o.out, steps, stiffness, push, rest, drawn, gather, above, solved) != 0) return CLI_FAILED;
    printf("time %.1f s\nwrote %s\n", seconds_since(begin), o.out);
    return cli_exit(CLI_DONE);
}
