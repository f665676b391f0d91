/* gather.c - a rod brings ten cubes together, or sorts them: drawn plans, improved by the gradient of a simulation
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * LRI, "Gather" and, with --sort 1, "Sort". Every 8 frames the motion of the next 32 is planned: the best of drawn
 * plans is improved by Adam along the gradient of the loss. Success is the paper's: every cube's middle is in its
 * region.
 *
 * A drawn plan moves the rod through the air to one random place and along the ground to another; it knows nothing
 * of cubes or regions. With the local potential it is what makes the task work: where the rod touches nothing the
 * gradient is zero. With the long-range potential the gradient is not zero, and is asked first. Alone it is not
 * enough (--draws 0): in front of a cube it says "away", and a part of the cubes stays outside. What it needs drawn
 * is drawn with the local one, at a tenth of the cost.
 *
 * With --meshes 1 ten bodies that are not convex, of 2784 triangles with the rod, are brought together, LRI's
 * "Gather-Bunny" with bodies of our own. Plans are drawn and improved with their lobes' hulls and the local potential;
 * what is done is done with the triangles, felt at any distance. --iterations 2 asks their gradient, too. */
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
#include "task_gather.h"

enum { FRAMES_BETWEEN = 8 };            /* plans */

static sim_world   w, near_world;
static plan        p, near_plan;        /* near: felt near contact only; judges what is drawn for the long range */
static gather_task task, near_task;
static plan_curves curves;
static double      history[PLAN_HISTORY];

static struct { double cubes, sort, meshes, draws, iterations, frames, horizon, rate, k, potentials, check; } o =
    {10, 0, 0, 20, -1, 0, 32, 0.1, 0, 3, 0};

/* The gradient beside differences, of the rod at rest and of the best of some drawn plans: it pushes. */
static void check(const char *line, unsigned long long *random)
{
    printf("%s_gradient_error_at_the_start %.2g 1\n", line, plan_check(&p, 3, 1e-2, 1e-12, random));
    plan_draw(&p, 30, gather_draw, random, 0);
    printf("%s_gradient_error_in_contact %.2g 1\n", line, plan_check(&p, 3, 1e-3, 1e-12, random));
    memset(p.u, 0, (size_t)p.c.n*sizeof(dc_real));
}

/* One run, until all is in or after the frames; 1: it is. */
static void run(view *v, int global, unsigned long long seed)
{
    static const dc_pose ground = {{1, 0, 0, 0}, {0, 0, 0}};
    const char *const line = global ? "long_range" : "local";
    const double      k = o.k > 0 ? o.k : o.meshes > 0 && global ? 1e-8 : 3e-5;
    unsigned long long random = seed, same = seed;
    const int         frames = (int)o.frames;
    const int         iterations = o.iterations < 0 ? (!global ? 8 : o.meshes > 0 ? 0 : 4) : (int)o.iterations;
    int               in = 0, at, body[GATHER_MOST + 1], goal, cubes, loss, gradient;
    clock_t           begin;
    cli_bar           bar = cli_bar_begin(line, frames, "frames");

    gather_scene(&near_task, &near_world, (int)o.cubes, o.sort > 0, o.meshes > 0, 0, 3e-5, &same);
    gather_plan(&near_plan, &near_world, &near_task, (int)o.horizon, o.rate);
    gather_scene(&task, &w, (int)o.cubes, o.sort > 0, o.meshes > 0, global, k, &random);
    gather_plan(&p, &w, &task, (int)o.horizon, o.rate);
    plan_roll(&p);
    plan_back(&p);
    if (o.check > 0) check(line, &random);

    view_run(v, !global ? "local: the best of drawn plans, improved" : o.meshes > 0 ? "long-range: meshes, plans of hulls"
             : "long-range: the gradient is asked first");
    view_fixed(v, view_plane(v, 1), NULL, ground);
    gather_show(&task, &w, v, body);
    view_track(v, "way of the rod", "#3b7dd8", body[task.cubes], dc_vec(0, 0, 0));
    goal = view_overlay(v, VIEW_SEGMENTS, "region", "#3aa675", 0);
    cubes = view_series(v, o.meshes > 0 ? "bodies in their region" : "cubes in their regions", "", 0);
    loss = view_series(v, "loss of the plan", "m\xc2\xb2", 0);
    gradient = view_series(v, "size of its gradient (0 is not drawn)", "", 1);
    begin = clock();
    for (at = 0; view_ok(v) && !cli_stopped(); at++) {
        in = gather_in(&task, w.now);
        if (at < PLAN_HISTORY) history[at] = gather_loss(&p, 0, w.now, NULL);
        gather_draw_bodies(&task, &w, v, body);
        gather_draw_regions(&task, v, goal);
        view_value(v, cubes, in);
        if (at > 0) view_value(v, loss, p.value);
        if (at > 0) view_value(v, gradient, p.size);
        view_frame(v, w.time);
        cli_bar_step(&bar, at);
        if (in == task.cubes || at >= frames) break;
        if (at%FRAMES_BETWEEN == 0) gather_think(&p, global ? &near_plan : NULL, (int)o.draws, iterations, global && !(o.meshes > 0), &random);
        plan_step(&p);
    }
    cli_bar_end(&bar);
    plan_curve(&curves, global ? "long-range" : "local", at + 1, history);
    if (o.meshes > 0 && global) printf("%s_triangles %d triangles\n", line, w.sim.corners/3);
    printf("%s_cubes_in %d cubes\n%s_of %d cubes\n%s_frames %d frames\n", line, in, line, task.cubes, line, at);
    plan_report(&p, line);
    if (global) plan_judge_report(&near_plan, line);
    printf("%s_time %.1f s\n", line, (double)(clock() - begin)/CLOCKS_PER_SEC);
    plan_end(&p);
    plan_end(&near_plan);
}

int main(int argc, char **argv)
{
    cli_number   number[] = {{"cubes", &o.cubes, 1, GATHER_MOST, "how many"},
                             {"sort", &o.sort, 0, 1, "1: to two regions"},
                             {"meshes", &o.meshes, 0, 1, "1: bodies that are not convex, of triangles"},
                             {"draws", &o.draws, 0, 1000, "plans drawn at a time"},
                             {"iterations", &o.iterations, -1, 1000, "of Adam, every 8 frames; -1: 8, at long range 4, of meshes 0"},
                             {"frames", &o.frames, 0, 10000, "most of a run, 25 a second; 0: 300, sorting 700, meshes 550"},
                             {"horizon", &o.horizon, 8, 200, "steps that are planned"},
                             {"rate", &o.rate, 1e-4, 1, "of Adam, m/s"},
                             {"k", &o.k, 0, 1e-2, "contact coefficient, J; 0: 3e-5, of meshes at long range 1e-8"},
                             {"potentials", &o.potentials, 1, 3, "1: the local one, 2: the long-range one, 3: both"},
                             {"check", &o.check, 0, 1, "1: the gradient beside differences"}};
    cli          c = cli_parse(argc, argv, "A rod brings cubes together, or sorts them.", "gather.html", number, 11);
    view_options page = DC_ZERO;
    view        *v;

    if (c.quick) o.cubes = fmin(o.cubes, 3);
    if (c.quick) o.draws = fmin(o.draws, 6);
    if (c.full) o.iterations = fmax(o.iterations, o.sort > 0 ? 100 : 60);
    if (!(o.frames > 0)) o.frames = o.sort > 0 ? 700 : o.meshes > 0 ? 550 : 300;
    page.title = o.meshes > 0 ? "A rod brings bodies together that are not convex"
        : o.sort > 0 ? "A rod sorts cubes" : "A rod brings cubes together";
    page.note = "The blue rod is moved by an arm that is not drawn; cubes belong into the green circle, or each "
                "colour into its own. Every 8 frames the next 32 are planned. With a local potential (right) "
                "plans are drawn and the best one is improved along the gradient of the loss. With a potential "
                "that is felt at any distance (left) the gradient is asked first, and plans are drawn where it "
                "gains next to nothing. Both succeed; the right one at a fraction of the cost.";
    if (o.meshes > 0) page.note = "The blue rod is moved by an arm that is not drawn; the red bodies belong into the "
                "green circle. Left they are meshes of 276 or 280 triangles each, felt at any distance; right the "
                "hulls of their lobes, felt near contact. Every 8 frames the next 32 are planned, on both sides with "
                "the hulls, which are cheap: plans are drawn, and the best is improved along the gradient of the loss.";
    page.rate = 25;
    v = view_open(c.out, &page);
    if ((int)o.potentials & 2) run(v, 1, c.seed);
    if ((int)o.potentials & 1) run(v, 0, c.seed);
    if (view_close(v) != 0) return CLI_FAILED;
    if (plan_plot(&curves, c.out, "Loss of the cubes outside", "frame") != 0) return CLI_FAILED;
    printf("wrote %s\n", c.out);
    return cli_exit(CLI_DONE);
}
