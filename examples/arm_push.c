/* arm_push.c - an arm of seven hinges pushes a box to a mark, away from itself or towards itself
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * After LRI, "Franka-Push", with boxes for links. Every 4 frames the motion of the next 24 is planned. With the
 * long-range potential the gradient is asked first: it leads to marks beyond the box in a few frames. On the arm's
 * own side it says "away", and there drawn plans have to help, as everywhere with the local potential, whose
 * gradient is zero until something touches. Success: the box is within 3 cm of the mark, which the seed draws.
 *
 * With --meshes 1 arm and body are of 14 344 triangles, the body not convex. Plans are drawn and improved with hulls
 * and the local potential; what is done is done with the triangles, felt at any distance. --iterations 2 asks their
 * gradient, too. */
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
#include "plan_judge.h"
#include "plan_check.h"
#include "plan_plot.h"
#include "round_mesh.h"
#include "task_arm.h"

enum { FRAMES_BETWEEN = 4 };            /* plans */

static sim_world   w, near_world;
static plan        p, near_plan;        /* near: felt near contact only; draws plans for the long range */
static arm_task    task, near_task;
static plan_curves curves;
static double      history[PLAN_HISTORY];

static struct { double meshes, side, draws, iterations, frames, horizon, rate, k, potentials, check; } o =
    {0, 0, -1, -1, 200, 24, 0.1, 0, 3, 0};

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
    const double      k = o.k > 0 ? o.k : o.meshes > 0 && global ? 1e-9 : 1e-4;
    const int         draws = o.draws < 0 ? 200 : (int)o.draws;
    const int         iterations = o.iterations < 0 ? (o.meshes > 0 && global ? 0 : 8) : (int)o.iterations;
    unsigned long long random = seed;
    const double      turn = cli_between(&random, 0, 8*atan(1.0)), way = cli_between(&random, 0.12, 0.2);
    const int         frames = (int)o.frames;
    int               at, body[ARM_FIRST + ARM_JOINTS], mark, off, gradient;
    clock_t           begin;
    cli_bar           bar = cli_bar_begin(line, frames, "frames");

    task.mark[0] = near_task.mark[0] = 0.5 + way*(o.side > 0 ? fabs(cos(turn)) : o.side < 0 ? -fabs(cos(turn)) : cos(turn));
    task.mark[1] = near_task.mark[1] = way*sin(turn);
    arm_scene(&near_task, &near_world, o.meshes > 0, 0, 1e-4);
    arm_plan(&near_plan, &near_world, &near_task, (int)o.horizon, o.rate);
    arm_scene(&task, &w, o.meshes > 0, global, k);
    arm_plan(&p, &w, &task, (int)o.horizon, o.rate);
    plan_roll(&p);
    plan_back(&p);
    if (o.check > 0) check(line, seed);

    view_run(v, !global ? "local: the best of drawn plans, improved" : o.meshes > 0 ? "long-range: meshes, plans of hulls"
             : "long-range: the gradient is asked first");
    view_fixed(v, view_plane(v, DC_R(0.6)), NULL, ground);
    arm_show(&task, &w, v, body);
    view_track(v, "way of the box", "#d64f6b", body[ARM_BOX], dc_vec(0, 0, 0));
    mark = view_overlay(v, VIEW_TARGETS, "mark", "#3aa675", 0);
    off = view_series(v, "box to mark", "m", 0);
    gradient = view_series(v, "size of the loss' gradient (0 is not drawn)", "", 1);
    begin = clock();
    for (at = 0; view_ok(v) && !cli_stopped(); at++) {
        if (at < PLAN_HISTORY) history[at] = arm_loss(&p, 0, w.now, NULL);
        arm_draw_bodies(&w, v, body);
        view_point(v, mark, dc_vec(DC_R(task.mark[0]), DC_R(task.mark[1]), 0));
        view_value(v, off, arm_off(&task, w.now));
        if (at > 0) view_value(v, gradient, p.size);
        view_frame(v, w.time);
        cli_bar_step(&bar, at);
        if (arm_off(&task, w.now) < ARM_THERE || at >= frames) break;
        if (at%FRAMES_BETWEEN == 0) arm_think(&p, global ? &near_plan : NULL, draws, iterations, global && !(o.meshes > 0), &random);
        plan_step(&p);
    }
    cli_bar_end(&bar);
    plan_curve(&curves, global ? "long-range" : "local", at + 1, history);
    if (o.meshes > 0 && global) printf("%s_triangles %d triangles\n", line, w.sim.corners/3);
    printf("%s_box_to_mark %.4f m\n%s_frames %d frames\n", line, arm_off(&task, w.now), line, at);
    printf("%s_within_3_cm %d 1\n", line, arm_off(&task, w.now) < ARM_THERE);
    plan_report(&p, line);
    if (global) plan_judge_report(&near_plan, line);
    printf("%s_time %.1f s\n", line, (double)(clock() - begin)/CLOCKS_PER_SEC);
    plan_end(&p);
    plan_end(&near_plan);
}

int main(int argc, char **argv)
{
    cli_number   number[] = {{"meshes", &o.meshes, 0, 1, "1: links and body are meshes, the body not convex"},
                             {"side", &o.side, -1, 1, "of the mark: 1 beyond the body, -1 towards the arm, 0 drawn"},
                             {"draws", &o.draws, -1, 1000, "plans drawn at a time; -1: 200"},
                             {"iterations", &o.iterations, -1, 1000, "of Adam, every 4 frames; -1: 8, of meshes 0"},
                             {"frames", &o.frames, 1, 10000, "most of a run, 25 a second"},
                             {"horizon", &o.horizon, 6, 200, "steps that are planned"},
                             {"rate", &o.rate, 1e-4, 1, "of Adam, rad/s"},
                             {"k", &o.k, 0, 1e-2, "contact coefficient, J; 0: 1e-4, of meshes at long range 1e-9"},
                             {"potentials", &o.potentials, 1, 3, "1: the local one, 2: the long-range one, 3: both"},
                             {"check", &o.check, 0, 1, "1: the gradient beside differences"}};
    cli          c = cli_parse(argc, argv, "An arm pushes a box to a mark.", "arm_push.html", number, 10);
    view_options page = DC_ZERO;
    view        *v;

    if (c.quick) o.frames = fmin(o.frames, 40);
    page.title = o.meshes > 0 ? "An arm of meshes pushes a body that is not convex to a mark" : "An arm pushes a box to a mark";
    page.note = "The red box has to come to the green mark. Every 4 frames the next 24 are planned, the "
                "velocities of seven joints. With a local potential (right) plans are drawn and the best one is "
                "improved along the gradient of the loss. With a potential that is felt at any distance (left) "
                "the gradient is asked first.";
    if (o.meshes > 0) page.note = "The red body, which is not convex, has to come to the green mark. Left arm and body "
                "are meshes of 14 344 triangles, felt at any distance; right hulls, felt near contact. Every 4 frames the "
                "next 24 are planned, on both sides with the hulls, which are cheap: the velocities of seven joints are "
                "drawn, and the best plan is improved along the gradient of the loss.";
    page.rate = 25;
    v = view_open(c.out, &page);
    if ((int)o.potentials & 2) run(v, 1, c.seed);
    if ((int)o.potentials & 1) run(v, 0, c.seed);
    if (view_close(v) != 0) return CLI_FAILED;
    if (plan_plot(&curves, c.out, "Arm: loss of where the box is", "frame") != 0) return CLI_FAILED;
    printf("wrote %s\n", c.out);
    return cli_exit(CLI_DONE);
}
