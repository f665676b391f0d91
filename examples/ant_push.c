/* ant_push.c - a robot of 16 freedoms finds out how to push a box to a mark
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * LRI, "Ant-Push". Each joint follows four sines; amplitudes, frequencies and phases are sought, 120 numbers, by
 * Adam along the gradient of the loss through 240 steps. Amplitudes begin at zero: the robot stands and touches the
 * box nowhere, so that with the local potential the gradient is exactly zero. With the long-range potential the box
 * feels every leg, and the way to a gait that walks up to the box and pushes it begins there. Success: the box ends
 * within 5 cm of the mark. */
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
#include "sim_ant.h"
#include "task_ant.h"

static sim_world   w;
static plan        p;
static ant_task    task;
static plan_curves curves;

static struct { double iterations, steps, rate, k, patience, check; } o = {100, 240, 0.03, 1e-5, 0, 0};

/* The motion of the plan that was rolled last, as a run of the page. */
static void show(view *v, const char *name)
{
    static const dc_pose ground = {{1, 0, 0, 0}, {0, 0, 0}};
    const char *colour[SIM_LINKS];
    dc_pose     pose[SIM_LINKS];
    int         mark, off, i, k;

    for (i = 0; i < w.sim.links; i++) colour[i] = i == 0 ? "#3b7dd8" : i == task.box ? "#d64f6b" : "#e8833a";
    view_run(v, name);
    view_fixed(v, view_plane(v, 1), NULL, ground);
    sim_show(&w, v, colour);
    view_track(v, "way of the box", "#d64f6b", w.shown[w.hulls - 1], dc_vec(0, 0, 0));
    mark = view_overlay(v, VIEW_TARGETS, "mark", "#3aa675", 0);
    off = view_series(v, "box to mark", "m", 0);
    for (i = 1; i < p.c.horizon + 2 && view_ok(v); i++) {
        dc_sim_poses(&w.sim, p.q + i*w.sim.nq, pose);
        for (k = 0; k < w.hulls; k++) view_pose(v, w.shown[k], pose[w.sim.hull[k].link]);
        view_point(v, mark, dc_vec(DC_R(ANT_MARK), 0, 0));
        view_value(v, off, ant_off(&p, p.q + i*w.sim.nq));
        view_frame(v, (i - 1)*(double)w.desc.h);
    }
}

static void run(view *v, int global, unsigned long long seed)
{
    const char *const  line = global ? "long_range" : "local";
    unsigned long long random = seed;
    clock_t            begin;

    ant_scene(&task, &w, global, o.k, 0.02, &random);
    ant_plan(&p, &w, &task, (int)o.steps, o.rate, &random);
    p.patience = (int)o.patience;
    plan_roll(&p);
    plan_back(&p);
    if (o.check > 0) printf("%s_gradient_error_at_the_start %.2g 1\n", line, plan_check(&p, 2, 1e-3, 1e-12, &random));
    begin = clock();
    if (p.first > 0) plan_improve(&p, (int)o.iterations);
    else {
        p.history[p.iterations++] = p.value;                    /* nothing says where to */
        p.history[p.iterations++] = p.value;
    }
    plan_roll(&p);
    show(v, global ? "long-range: every leg is felt by the box" : "local: what does not touch is not felt");
    plan_curve(&curves, global ? "long-range" : "local", p.iterations, p.history);
    printf("%s_box_to_mark %.4f m\n", line, ant_off(&p, p.q + (p.c.horizon + 1)*w.sim.nq));
    printf("%s_torso_moved %.4f m\n", line, (double)(p.q[(p.c.horizon + 1)*w.sim.nq + 4] - w.now[4]));
    printf("%s_within_5_cm %d 1\n%s_iterations %d iterations\n", line, ant_done(&p), line, p.iterations - 1);
    plan_report(&p, line);
    printf("%s_time %.1f s\n", line, (double)(clock() - begin)/CLOCKS_PER_SEC);
    if (o.check > 0) printf("%s_gradient_error_in_contact %.2g 1\n", line, plan_check(&p, 2, 1e-4, 1e-9, &random));
    plan_end(&p);
}

int main(int argc, char **argv)
{
    cli_number   number[] = {{"iterations", &o.iterations, 0, PLAN_HISTORY, "of Adam, until the box is there"},
                             {"steps", &o.steps, 10, 1000, "of the motion, 50 a second"},
                             {"rate", &o.rate, 1e-4, 1, "of Adam"},
                             {"k", &o.k, 1e-9, 1e-2, "contact coefficient, J"},
                             {"patience", &o.patience, 0, 1000, "iterations without gain, then back; 0: never"},
                             {"check", &o.check, 0, 1, "1: the gradient beside differences"}};
    cli          c = cli_parse(argc, argv, "A four-legged robot finds out how to push a box.", "ant_push.html",
                               number, 6);
    view_options page = DC_ZERO;
    view        *v;

    if (c.quick) o.iterations = fmin(o.iterations, 5);
    if (c.quick) o.steps = fmin(o.steps, 120);
    if (c.full) o.k = 1e-8;                                     /* LRI, Table 3 */
    page.title = "A robot finds out how to push a box";
    page.note = "The red box has to come to the green mark. The joints follow sines whose amplitudes begin at "
                "zero: the robot stands and touches the box nowhere. Left, with a potential that is felt at any "
                "distance, the gradient of the box's distance leads to a gait and a push; right, with a potential "
                "that ends near contact, it is zero.";
    page.rate = 50;
    v = view_open(c.out, &page);
    run(v, 1, c.seed);
    run(v, 0, c.seed);
    if (view_close(v) != 0) return CLI_FAILED;
    if (plan_plot(&curves, c.out, "Ant-Push: loss of the best gait", "iteration of Adam") != 0) return CLI_FAILED;
    printf("wrote %s\n", c.out);
    return cli_exit(CLI_DONE);
}
