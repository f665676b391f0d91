/* push.c - a rod finds out how to push a box to a place, by the gradient of a simulation
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * LRI, "Push": the loss is the squared distance of the box from its target, summed over the next steps, and nothing
 * else. The rod lies on the wrong side: between box and target, touching neither. Adam changes its velocities over
 * the horizon along the loss' gradient: plan.h has dc_sim_roll make the steps, task_push.h says what the place of
 * the box is worth at each, dc_sim_adjoint carries that back to the velocities. The first step is done, and so on.
 *
 * With the long-range potential the box feels the rod from anywhere, ever so slightly, so that the gradient shows a
 * way around the box, and to the target. With a local potential what does not touch has no gradient: the rod stays
 * where it is. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "sim_scene.h"
#include "plan.h"
#include "task_push.h"

static sim_world w;
static plan      p;

/* One run, until the box is there or after `frames`. */
static void run(view *v, int global, double k, int frames, int horizon, int iterations, double rate)
{
    const char *const name = global ? "long-range potential" : "local potential";
    const char *const line = global ? "long_range" : "local";
    static const dc_pose ground = {{1, 0, 0, 0}, {0, 0, 0}};
    static const char *const colour[] = {"#d64f6b", NULL, NULL, "#3b7dd8"};
    int           goal, distance, gradient, i;
    double        off = 0;
    clock_t       begin = clock();
    cli_bar       bar = cli_bar_begin(name, frames, "frames");

    push_scene(&w, global, k, 0.04);
    push_plan(&p, &w, horizon, rate);
    view_run(v, global ? "long-range: the rod is felt from anywhere" : "local: the rod is felt near contact only");
    view_fixed(v, view_plane(v, DC_R(0.5)), NULL, ground);
    sim_show(&w, v, colour);
    view_track(v, "way of the rod", "#3b7dd8", w.shown[1], dc_vec(0, 0, 0));
    view_track(v, "way of the box", "#d64f6b", w.shown[0], dc_vec(0, 0, 0));
    goal = view_overlay(v, VIEW_TARGETS, "target of the box", "#3aa675", 0);
    distance = view_series(v, "box to target", "m", 0);
    gradient = view_series(v, "size of the loss' gradient (0 is not drawn)", "", 1);
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        if (i > 0) {
            plan_improve(&p, iterations);
            plan_step(&p);
            view_value(v, gradient, p.size);
        }
        off = push_off(w.now);
        sim_draw(&w, v);
        view_point(v, goal, dc_vec(push_mark[0], push_mark[1], 0));
        view_value(v, distance, off);
        view_frame(v, w.time);
        cli_bar_step(&bar, i);
        if (off < PUSH_THERE) break;
    }
    cli_bar_end(&bar);
    printf("%s_box_to_target %.4f m\n", line, off);
    plan_report(&p, line);
    printf("%s_simulated_time %.2f s\n%s_time %.1f s\n", line, w.time, line, (double)(clock() - begin)/CLOCKS_PER_SEC);
    plan_end(&p);
}

int main(int argc, char **argv)
{
    double       frames = 250, horizon = 48, iterations = 10, rate = 0.05, k = 1e-4;
    cli_number   number[] = {{"frames", &frames, 1, 10000, "most of a run, 25 a second"},
                             {"horizon", &horizon, 1, 1000, "steps that are planned"},
                             {"iterations", &iterations, 1, 1000, "of Adam in each frame"},
                             {"rate", &rate, 1e-4, 1, "of Adam, m/s"},
                             {"k", &k, 1e-8, 1e-2, "contact coefficient, J"}};
    cli          o = cli_parse(argc, argv, "A rod pushes a box to a target that it must first find a way to.",
                               "push.html", number, 5);
    view_options page = DC_ZERO;
    view        *v;

    if (o.quick) iterations = 5;
    page.title = "A rod finds out how to push a box";
    page.note = "The red box has to come to the green mark. The blue rod stands in between and touches neither. "
                "Nothing tells it what to do: its motion is planned anew in every frame, by gradient descent on "
                "the distance of box and mark, through the simulation. Left, with a contact potential that is "
                "felt at any distance, that gradient is tiny at first but never zero; it leads the rod round the "
                "box, and for the last centimetres to another side of it. Right, with a potential that ends near "
                "contact, it is exactly zero, and the rod stays where it is.";
    page.rate = 25;
    v = view_open(o.out, &page);
    run(v, 1, k, (int)frames, (int)horizon, (int)iterations, rate);
    run(v, 0, k, (int)frames, (int)horizon, (int)iterations, rate);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
