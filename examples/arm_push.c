/* arm_push.c - an arm of seven hinges pushes a box to a mark, away from itself or towards itself
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * After LRI, "Franka-Push", with boxes for links. Every 4 frames the motion of the next 24 is planned. With the
 * long-range potential the gradient is asked first: it leads to marks beyond the box in a few frames. On the arm's
 * own side it says "away", and there drawn plans have to help, as everywhere with the local potential, whose
 * gradient is zero until something touches. Success: the box is within 3 cm of the mark, which the seed draws. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "plot.h"
#include "sim_scene.h"
#include "plan.h"
#include "plan_check.h"
#include "plan_plot.h"
#include "task_arm.h"

enum { FRAMES_BETWEEN = 4 };            /* plans */

static sim_world   w;
static plan        p;
static arm_task    task;
static plan_curves curves;
static double      history[PLAN_HISTORY];

static struct { double draws, iterations, frames, horizon, rate, k, potentials, check; } o = {20, 8, 200, 24, 0.1, 1e-4, 3, 0};

/* The gradient beside differences, of the arm at rest and of the best of some drawn plans. */
static void check(const char *line, unsigned long long random)
{
    printf("%s_gradient_error_at_the_start %.2g 1\n", line, plan_check(&p, 3, 1e-2, 1e-12, &random));
    plan_draw(&p, 40, arm_draw, &random, 0);
    printf("%s_gradient_error_in_contact %.2g 1\n", line, plan_check(&p, 3, 1e-3, 1e-12, &random));
    memset(p.u, 0, (size_t)p.c.n*sizeof(dc_real));
}

/* One run, until the box is there or after the frames. */
static void run(view *v, int global, unsigned long long seed)
{
    static const dc_pose ground = {{1, 0, 0, 0}, {0, 0, 0}};
    const char *const line = global ? "long_range" : "local";
    const char       *colour[SIM_LINKS];
    unsigned long long random = seed;
    const double      turn = cli_between(&random, 0, 8*atan(1.0)), way = cli_between(&random, 0.12, 0.2);
    const int         frames = (int)o.frames;
    int               i, at, mark, off, gradient;
    clock_t           begin;
    cli_bar           bar = cli_bar_begin(line, frames, "frames");

    task.mark[0] = 0.5 + way*cos(turn);
    task.mark[1] = way*sin(turn);
    arm_scene(&w, global, o.k);
    arm_plan(&p, &w, &task, (int)o.horizon, o.rate);
    plan_roll(&p);
    plan_back(&p);
    if (o.check > 0) check(line, seed);

    for (i = 0; i < w.sim.links; i++) colour[i] = i == ARM_BOX ? "#d64f6b" : i%2 ? "#3b7dd8" : "#8592a3";
    view_run(v, global ? "long-range: the gradient is asked first" : "local: the best of drawn plans, improved");
    view_fixed(v, view_plane(v, DC_R(0.6)), NULL, ground);
    sim_show(&w, v, colour);
    view_track(v, "way of the box", "#d64f6b", w.shown[0], dc_vec(0, 0, 0));
    mark = view_overlay(v, VIEW_TARGETS, "mark", "#3aa675", 0);
    off = view_series(v, "box to mark", "m", 0);
    gradient = view_series(v, "size of the loss' gradient (0 is not drawn)", "", 1);
    begin = clock();
    for (at = 0; view_ok(v) && !cli_stopped(); at++) {
        if (at < PLAN_HISTORY) history[at] = arm_loss(&p, 0, w.now, NULL);
        sim_draw(&w, v);
        view_point(v, mark, dc_vec(DC_R(task.mark[0]), DC_R(task.mark[1]), 0));
        view_value(v, off, arm_off(&task, w.now));
        if (at > 0) view_value(v, gradient, p.size);
        view_frame(v, w.time);
        cli_bar_step(&bar, at);
        if (arm_off(&task, w.now) < ARM_THERE || at >= frames) break;
        if (at%FRAMES_BETWEEN == 0) arm_think(&p, (int)o.draws, (int)o.iterations, global, &random);
        plan_step(&p);
    }
    cli_bar_end(&bar);
    plan_curve(&curves, global ? "long-range" : "local", at + 1, history);
    printf("%s_box_to_mark %.4f m\n%s_frames %d frames\n", line, arm_off(&task, w.now), line, at);
    printf("%s_within_3_cm %d 1\n", line, arm_off(&task, w.now) < ARM_THERE);
    plan_report(&p, line);
    printf("%s_time %.1f s\n", line, (double)(clock() - begin)/CLOCKS_PER_SEC);
    plan_end(&p);
}

int main(int argc, char **argv)
{
    cli_number   number[] = {{"draws", &o.draws, 0, 1000, "plans drawn at a time"},
                             {"iterations", &o.iterations, 0, 1000, "of Adam, every 4 frames"},
                             {"frames", &o.frames, 1, 10000, "most of a run, 25 a second"},
                             {"horizon", &o.horizon, 6, 200, "steps that are planned"},
                             {"rate", &o.rate, 1e-4, 1, "of Adam, rad/s"},
                             {"k", &o.k, 1e-8, 1e-2, "contact coefficient, J"},
                             {"potentials", &o.potentials, 1, 3, "1: the local one, 2: the long-range one, 3: both"},
                             {"check", &o.check, 0, 1, "1: the gradient beside differences"}};
    cli          c = cli_parse(argc, argv, "An arm pushes a box to a mark.", "arm_push.html", number, 8);
    view_options page = DC_ZERO;
    view        *v;

    if (c.quick) o.frames = fmin(o.frames, 40);
    page.title = "An arm pushes a box to a mark";
    page.note = "The red box has to come to the green mark. Every 4 frames the next 24 are planned, the "
                "velocities of seven joints. With a local potential (right) plans are drawn and the best one is "
                "improved along the gradient of the loss. With a potential that is felt at any distance (left) "
                "the gradient is asked first.";
    page.rate = 25;
    v = view_open(c.out, &page);
    if ((int)o.potentials & 2) run(v, 1, c.seed);
    if ((int)o.potentials & 1) run(v, 0, c.seed);
    if (view_close(v) != 0) return CLI_FAILED;
    if (plan_plot(&curves, c.out, "Arm: loss of where the box is", "frame") != 0) return CLI_FAILED;
    printf("wrote %s\n", c.out);
    return cli_exit(CLI_DONE);
}
