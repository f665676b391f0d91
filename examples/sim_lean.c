/* sim_lean.c - a plank falls on another, and both on a wall: they stay or slide, by friction
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS, Fig. 24: a wall, two planks on the floor, the second one pushed towards the first. Angles from upright over time, for
 * three coefficients of friction. The impacts are without bounce: contact is felt over less than what moves in a step. The same
 * curves beside MuJoCo's are in tests/bench/bench_sim_mujoco.c. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "sim_scene.h"
#include "sim_lean.h"

#define RUNS 3
#define SKIP 10                         /* steps of a frame */

static sim_world w;

int main(int argc, char **argv)
{
    static const char *const name[RUNS] = {"friction 0.05", "friction 0.15", "friction 0.5"};
    static const double      mu[RUNS] = {0.05, 0.15, 0.5};
    static const char *const colour[2] = {"#3b7dd8", "#e8833a"};
    const dc_pose floor_pose = {{1, 0, 0, 0}, {DC_R(0.4), 0, 0}};
    const dc_pose wall_pose = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_v3         corner[8];
    dc_hull       hull = {corner, 8, 0};
    double        rate = 1000, seconds = 1.5, spin = LEAN_SPIN;
    cli_number    number[] = {{"rate", &rate, 200, 10000, "steps a second"},
                              {"seconds", &seconds, 0.1, 100, "length of the run"},
                              {"spin", &spin, 0, 10, "rad/s of the second plank at the start"}};
    cli           o = cli_parse(argc, argv, "Planks that fall against a wall.", "sim_lean.html", number, 3);
    view_options  page = DC_ZERO;
    view         *v;
    cli_bar       bar;
    int           run, i, k, angle[2], newton, ground, wall, frames = (int)((o.quick ? 0.2 : 1)*seconds*rate/SKIP);

    page.title = "Two planks beside a wall";
    page.note = "The second plank is pushed over. With little friction both slide down, with more the first stays, with enough both.";
    page.rate = rate/SKIP/4;
    v = view_open(o.out, &page);
    bar = cli_bar_begin("lean", RUNS*frames, "frames");
    ground = view_plane(v, 1);
    for (k = 0; k < 8; k++) corner[k] = dc_vec(DC_R(k & 1 ? 0 : -0.02), DC_R(k & 2 ? 0.3 : -0.3), DC_R(k & 4 ? 0.64 : 0));
    wall = view_hull(v, &hull);
    for (run = 0; run < RUNS && !cli_stopped(); run++) {
        double still = 0;
        sim_lean(&w, 1/rate, mu[run], spin);
        view_run(v, name[run]);
        view_fixed(v, ground, NULL, floor_pose);
        view_fixed(v, wall, "#9aa6b6", wall_pose);
        sim_show(&w, v, colour);
        angle[0] = view_series(v, "angle of the first plank", "rad", 0);
        angle[1] = view_series(v, "angle of the second plank", "rad", 0);
        newton = view_series(v, "Newton steps", "", 0);
        for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
            for (k = 0; k < SKIP && i > 0; k++) sim_step(&w, NULL);
            for (k = 0; k < 2; k++) view_value(v, angle[k], sim_lean_angle(&w, k));
            if (i > 0) view_value(v, newton, w.info.iterations);
            sim_draw(&w, v);
            view_frame(v, w.time);
            cli_bar_step(&bar, run*frames + i);
        }
        for (k = 0; k < 6; k++) still = fmax(still, rate*fabs((double)(w.now[7*(k/3) + 4 + k%3] - w.prev[7*(k/3) + 4 + k%3])));
        printf("friction_%g_first_plank %.4f rad\nfriction_%g_second_plank %.4f rad\n", mu[run], sim_lean_angle(&w, 0), mu[run],
               sim_lean_angle(&w, 1));
        printf("friction_%g_fastest_at_the_end %.2g m/s\nfriction_%g_newton_steps_mean %.2f 1\n", mu[run], still, mu[run],
               (double)w.iterations/fmax(w.steps, 1));
        printf("friction_%g_steps_at_the_cap %d steps\nfriction_%g_time_of_a_step %.3g ms\n", mu[run], w.failed, mu[run],
               1e3*w.seconds/fmax(w.steps, 1));
    }
    cli_bar_end(&bar);
    if (view_close(v) != 0) return CLI_FAILED;
    return cli_exit(CLI_DONE);
}
