/* sim_lean.c - a plank falls on another, and both on a wall: they stay or slide, by friction
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS, Fig. 24: a wall, two planks on the floor, the second one pushed towards the first. Angles from upright over time, for
 * three coefficients of friction. The impacts are without bounce: contact is felt over less than what moves in a step. The same
 * curves beside MuJoCo's are in tests/bench/bench_sim_mujoco.c.
 *
 * The model is described, built and stepped here with the calls of dc_sim.h alone; the paper gives no sizes. The same planks for
 * tests and benches: common/sim_lean.h. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

enum { PLANKS = 2, RUNS = 3, SKIP = 10, NQ = 7*PLANKS };        /* SKIP: steps of a frame */

#define THICK 0.05                      /* m */
#define TALL 0.5
#define WALL 0.12                       /* from the wall to the first plank, */
#define APART 0.15                      /* from that to the second */
#define GAP 1e-4                        /* from the floor */

static dc_sim        sim;
static dc_hull       plank;             /* both have the same */
static dc_v3         plank_corner[8];
static dc_real       q[3][NQ];          /* the last three states: (w, x, y, z), position of each plank */
static unsigned char model_memory[1 << 16], scratch[1 << 20];

/* Planks of 1 kg upright on the floor z >= 0 beside the wall x >= 0, `friction` between any two; the second one turns about its
 * lower edge towards the wall by `spin` rad/s. */
static dc_status build(double h, double friction, double spin, dc_sim_flaw *flaw)
{
    const dc_v3  half = {DC_R(0.5*THICK), DC_R(0.15), DC_R(0.5*TALL)}, edge = {-half.x, 0, -half.z};
    const double mu = sqrt(friction);           /* the coefficient of two things is the product of theirs */
    dc_sim_plane side[2] = {{{0, 0, 1}, 0, 0}, {{1, 0, 0}, 0, 0}};
    dc_sim_link  part[PLANKS];
    dc_sim_desc  desc = DC_ZERO;
    dc_arena     mem = dc_arena_make(model_memory, sizeof model_memory);
    dc_pose      pose;
    dc_status    status;
    int          k;

    for (k = 0; k < 8; k++) plank_corner[k] = dc_vec(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
    plank.v = plank_corner;
    plank.n = 8;
    memset(part, 0, sizeof part);
    for (k = 0; k < PLANKS; k++) {
        part[k].parent = -1;
        part[k].joint = DC_SIM_FREE;
        part[k].attach.q.w = 1;                 /* where a plank is when its joint is at 0 */
        part[k].attach.t = dc_vec(DC_R(WALL + 0.5*THICK + k*(THICK + APART)), 0, DC_R(0.5*TALL + GAP));
        part[k].hull = &plank;
        part[k].hulls = 1;
        part[k].mass = 1;
        part[k].friction = side[k].friction = DC_R(mu);
    }
    desc.link = part;
    desc.links = PLANKS;
    desc.plane = side;
    desc.planes = 2;
    desc.h = DC_R(h);
    desc.gravity.z = DC_R(-9.81);

    /* contact is felt from 0.1 or 0.22 lengths, less than what 1 m/s moves in a step, so that nothing bounces; friction is full
     * from some 0.1 mm/s, in float 1 mm/s */
    desc.length = DC_R(2*h);
    desc.stiffness = DC_R(1e-6);
    desc.friction.eps_v = DC_R(DC_IS_FLOAT ? 1e-6 : 1e-8);
    desc.tolerance = DC_R(DC_IS_FLOAT ? 1e-3 : 1e-6);
    status = dc_sim_build(&desc, &mem, &sim, flaw);
    if (status != DC_OK) return status;

    /* a velocity is the difference of two states: a step ago the second plank was turned the other way about its edge */
    for (k = 0; k < 2; k++) dc_sim_neutral(&sim, q[k]);
    pose.q = dc_quat_exp(dc_vec(0, DC_R(spin*h), 0));
    pose.t = dc_sub(edge, dc_quat_rotate(pose.q, edge));
    q[0][7] = pose.q.w;
    q[0][8] = pose.q.x;
    q[0][9] = pose.q.y;
    q[0][10] = pose.q.z;
    q[0][11] = pose.t.x;
    q[0][12] = pose.t.y;
    q[0][13] = pose.t.z;
    return DC_OK;
}

/* Angle of plank k from upright towards the wall, rad. */
static double angle_of(const dc_real *state, int k) { return -2*atan2((double)state[7*k + 2], (double)state[7*k]); }

int main(int argc, char **argv)
{
    static const char *const name[RUNS] = {"friction 0.05", "friction 0.15", "friction 0.5"};
    static const double      mu[RUNS] = {0.05, 0.15, 0.5};
    static const char *const colour[PLANKS] = {"#3b7dd8", "#e8833a"};
    const dc_pose floor_pose = {{1, 0, 0, 0}, {DC_R(0.4), 0, 0}};
    const dc_pose wall_pose = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_v3         corner[8];
    dc_hull       hull = {corner, 8, 0};
    double        rate = 1000, seconds = 1.5, spin = 1.5;
    cli_number    number[] = {{"rate", &rate, 200, 10000, "steps a second"},
                              {"seconds", &seconds, 0.1, 100, "length of the run"},
                              {"spin", &spin, 0, 10, "rad/s of the second plank at the start"}};
    cli           o = cli_parse(argc, argv, "Planks that fall against a wall.", "sim_lean.html", number, 3);
    view_options  page = DC_ZERO;
    dc_arena      mem = dc_arena_make(scratch, sizeof scratch);
    dc_pose       pose[PLANKS];
    dc_sim_flaw   flaw = DC_ZERO;
    dc_sim_info   info = DC_ZERO;
    view         *v;
    cli_bar       bar;
    int           run, i, k, angle[PLANKS], shown[PLANKS], newton, ground, wall, frames = (int)((o.quick ? 0.2 : 1)*seconds*rate/SKIP);

    page.title = "Two planks beside a wall";
    page.note = "The second plank is pushed over. With little friction both slide down, with more the first stays, with enough both.";
    page.rate = rate/SKIP/4;
    v = view_open(o.out, &page);
    bar = cli_bar_begin("lean", RUNS*frames, "frames");
    ground = view_plane(v, 1);
    for (k = 0; k < 8; k++) corner[k] = dc_vec(DC_R(k & 1 ? 0 : -0.02), DC_R(k & 2 ? 0.3 : -0.3), DC_R(k & 4 ? 0.64 : 0));
    wall = view_hull(v, &hull);
    for (run = 0; run < RUNS && !cli_stopped(); run++) {
        double   still = 0, busy = 0;
        dc_real *was = q[0], *now = q[1];
        int      made = 0, capped = 0;
        long     newton_steps = 0;

        if (build(1/rate, mu[run], spin, &flaw) != DC_OK) return cli_error("link %d: %s", flaw.link, flaw.cause);
        if (dc_sim_step_bytes(&sim) > sizeof scratch) return cli_error("%s", "scratch is too small");
        view_run(v, name[run]);
        view_fixed(v, ground, NULL, floor_pose);
        view_fixed(v, wall, "#9aa6b6", wall_pose);
        for (k = 0; k < PLANKS; k++) shown[k] = view_body(v, view_hull(v, &plank), colour[k]);
        angle[0] = view_series(v, "angle of the first plank", "rad", 0);
        angle[1] = view_series(v, "angle of the second plank", "rad", 0);
        newton = view_series(v, "Newton steps", "", 0);
        for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
            for (k = 0; k < SKIP && i > 0; k++) {
                dc_real      *next = q[(made + 2)%3];
                const clock_t begin = clock();
                dc_status     status = dc_sim_step(&sim, was, now, NULL, &mem, next, &info);

                busy += (double)(clock() - begin)/CLOCKS_PER_SEC;
                /* at the cap of iterations the state is free of overlap, and to go on is safe; nothing else is */
                if (status == DC_E_DIVERGED) capped++;
                else if (status != DC_OK) return cli_error("step %d: %s", made + 1, dc_status_text(status));
                was = now;
                now = next;
                newton_steps += info.iterations;
                made++;
            }
            for (k = 0; k < PLANKS; k++) view_value(v, angle[k], angle_of(now, k));
            if (i > 0) view_value(v, newton, info.iterations);
            dc_sim_poses(&sim, now, pose);
            for (k = 0; k < PLANKS; k++) view_pose(v, shown[k], pose[k]);
            view_frame(v, made/rate);
            cli_bar_step(&bar, run*frames + i);
        }
        for (k = 0; k < 6; k++) still = fmax(still, rate*fabs((double)(now[7*(k/3) + 4 + k%3] - was[7*(k/3) + 4 + k%3])));
        printf("friction_%g_first_plank %.4f rad\nfriction_%g_second_plank %.4f rad\n", mu[run], angle_of(now, 0), mu[run],
               angle_of(now, 1));
        printf("friction_%g_fastest_at_the_end %.2g m/s\nfriction_%g_newton_steps_mean %.2f 1\n", mu[run], still, mu[run],
               (double)newton_steps/fmax(made, 1));
        printf("friction_%g_steps_at_the_cap %d steps\nfriction_%g_time_of_a_step %.3g ms\n", mu[run], capped, mu[run],
               1e3*busy/fmax(made, 1));
    }
    cli_bar_end(&bar);
    if (view_close(v) != 0) return CLI_FAILED;
    return cli_exit(CLI_DONE);
}
