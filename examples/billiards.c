/* billiards.c - from where, and how fast, a ball has to be shot so that two others come to rest on their marks
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * LRI, "Billiards". Shots are drawn; the best is improved by Adam along the gradient of the loss through 100 steps
 * and all collisions, then the next best, until both green balls are on their marks: success is the paper's, within
 * 5 cm.
 *
 * With the local potential a red ball at rest beside the others has no gradient: the shots that are drawn are what
 * begins. With the long-range potential it has one (--draws 0 begins with it); the balls are meshes then, with
 * hierarchies, and shots are drawn and improved with hulls before the meshes' gradient is asked. */
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
#include "octa_ball.h"
#include "task_billiards.h"

static sim_world      w, near_world;
static plan           p, near_plan;     /* near: felt near contact only; draws shots for the long range */
static billiards_task task, near_task;
static plan_curves    curves;
static int            quick;

static struct { double balls, division, draws, iterations, horizon, rate, potentials, check; } o =
    {16, 2, -1, -1, 100, 0.03, 3, 0};

/* The motion of the plan that was rolled last, as a run of the page. */
static void show(view *v, const char *name)
{
    static const dc_pose ground = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_pose pose[SIM_LINKS];
    int     body[BILLIARDS_MOST], marks, off, ball, i, k;

    view_run(v, name);
    view_fixed(v, view_plane(v, 1), NULL, ground);
    ball = view_hull(v, &task.hull);
    for (i = 0; i < task.balls; i++) {
        const int green = i == task.green[0] || i == task.green[1];
        body[i] = view_body(v, ball, i == task.red ? "#d64f6b" : green ? "#3aa675" : "#8592a3");
    }
    view_track(v, "way of the red ball", "#d64f6b", body[task.red], dc_vec(0, 0, 0));
    marks = view_overlay(v, VIEW_TARGETS, "marks", "#3aa675", 0);
    off = view_series(v, "green balls to their marks, together", "m", 0);
    for (i = 1; i < p.c.horizon + 2 && view_ok(v); i++) {
        const dc_real *q = p.q + i*w.sim.nq;
        dc_sim_poses(&w.sim, q, pose);
        for (k = 0; k < task.balls; k++) view_pose(v, body[k], pose[k]);
        for (k = 0; k < 2; k++) view_point(v, marks, dc_vec(DC_R(task.mark[k][0]), DC_R(task.mark[k][1]), 0));
        view_value(v, off, billiards_off(&task, q, 0) + billiards_off(&task, q, 1));
        view_frame(v, (i - 1)*(double)w.desc.h);
    }
}

/* The gradient beside differences, of the ball at rest and of a shot that moves the others. */
static void check(const char *line, unsigned long long random)
{
    printf("%s_gradient_error_at_the_start %.2g 1\n", line, plan_check(&p, 2, 1e-3, 1e-12, &random));
    plan_draw(&p, 4, billiards_draw, &random, 0);
    printf("%s_gradient_error_in_contact %.2g 1\n", line, plan_check(&p, 2, 1e-4, 1e-9, &random));
    memset(p.u, 0, (size_t)p.c.n*sizeof(dc_real));
}

static void run(view *v, int global, unsigned long long seed)
{
    const char *const  line = global ? "long_range" : "local";
    const double       k = global ? 1e-7 : 1e-4;                /* LRI, Table 3; gaps of millimetres */
    const int          draws = o.draws < 0 ? 60 : (int)o.draws;
    const int          iterations = o.iterations < 0 ? (!global ? 400 : quick ? 8 : 30) : (int)o.iterations;
    const int          hulls = global && draws > 0;             /* draw the shots */
    unsigned long long random = seed;
    double             off[2];
    clock_t            begin;
    int                i;

    billiards_scene(&task, &w, (int)o.balls, global, k, (int)o.division, &random);
    billiards_plan(&p, &w, &task, (int)o.horizon, o.rate);
    billiards_marks(&task, &p, &random);
    p.rolls = p.diverged = p.newton = 0;
    plan_roll(&p);
    plan_back(&p);
    if (o.check > 0) check(line, seed);

    begin = clock();
    if (hulls) {
        billiards_near(&near_task, &near_world, &task, &w, (int)o.division);
        billiards_plan(&near_plan, &near_world, &near_task, (int)o.horizon, o.rate);
        billiards_far(&p, &near_plan, draws, iterations, &random);
        plan_judge_report(&near_plan, line);
        plan_end(&near_plan);
    } else {
        if (draws > 0) plan_draw(&p, draws, billiards_draw, &random, 0);
        plan_roll(&p);
        show(v, global ? "long-range, before descent" : "local, before descent");
        billiards_descend(&p, draws, iterations);
    }
    plan_roll(&p);
    show(v, global ? "long-range, after" : "local, after");
    plan_curve(&curves, global ? "long-range" : "local", p.iterations, p.history);
    for (i = 0; i < 2; i++) off[i] = billiards_off(&task, p.q + (p.c.horizon + 1)*w.sim.nq, i);
    printf("%s_green_to_mark %.4f m\n", line, fmin(off[0], off[1]));
    printf("%s_other_to_mark %.4f m\n", line, fmax(off[0], off[1]));
    printf("%s_within_5_cm %d 1\n", line, fmax(off[0], off[1]) <= BILLIARDS_MARK);
    printf("%s_iterations %d iterations\n", line, p.iterations);
    plan_report(&p, line);
    printf("%s_time %.1f s\n", line, (double)(clock() - begin)/CLOCKS_PER_SEC);
    plan_end(&p);
}

int main(int argc, char **argv)
{
    cli_number   number[] = {{"balls", &o.balls, 3, BILLIARDS_MOST, "the red one included"},
                             {"division", &o.division, 1, OCTA_FINEST, "of a ball: 8 times its square triangles"},
                             {"draws", &o.draws, -1, PLAN_DRAWS, "shots drawn; 0: from rest; -1: 60"},
                             {"iterations", &o.iterations, -1, PLAN_HISTORY, "of Adam; -1: 400, of meshes 30"},
                             {"horizon", &o.horizon, 10, 1000, "steps"},
                             {"rate", &o.rate, 1e-5, 1, "of Adam, m and m/s"},
                             {"potentials", &o.potentials, 1, 3, "1: the local one, 2: the long-range one, 3: both"},
                             {"check", &o.check, 0, 1, "1: the gradient beside differences"}};
    cli          c = cli_parse(argc, argv, "Finds a shot that takes two balls to their marks.", "billiards.html",
                               number, 8);
    view_options page = DC_ZERO;
    view        *v;

    if (c.quick) {
        o.balls = fmin(o.balls, 4);
        o.horizon = fmin(o.horizon, 50);
        quick = 1;
    }
    if (c.full) o.iterations = 400;
    page.title = "A shot that takes two balls to their marks";
    page.note = "Sought are place and velocity of the red ball, so that both green ones end on their marks, 100 "
                "steps and all collisions later. Shots are drawn, the best is improved along the gradient of the "
                "loss, then the next best. With the local potential balls are convex hulls; with the one that is "
                "felt at any distance they are meshes, and shots come from the hulls.";
    page.rate = 25;
    v = view_open(c.out, &page);
    if ((int)o.potentials & 2) run(v, 1, c.seed);
    if ((int)o.potentials & 1) run(v, 0, c.seed);
    if (view_close(v) != 0) return CLI_FAILED;
    if (plan_plot(&curves, c.out, "Billiards: loss of the best shot", "iteration of Adam") != 0) return CLI_FAILED;
    printf("wrote %s\n", c.out);
    return cli_exit(CLI_DONE);
}
