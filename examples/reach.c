/* reach.c - an arm plans a motion round a pillar to a mark: torques by Adam on the adjoint of dc_sim.h
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Three hinges, a second of 50 steps, 150 torques from zero. The loss is the squared distance of the finger's tip from the mark at the
 * end, a little of the speed there and of the torques; dc_sim_roll makes the motion, dc_sim_pull takes the loss of the tip to the joints,
 * dc_sim_adjoint takes it back through all steps. The pillar needs no term in the loss: contact keeps the arm from it, and the gradient
 * sees it. At the start the gradient is compared with differences of whole motions. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

enum { LINKS = 3, N = LINKS, STEPS = 50 };
#define H 0.02

static const double length[LINKS] = {0.5, 0.4, 0.25}, thick[LINKS] = {0.04, 0.03, 0.02}, mass[LINKS] = {2, 1.2, 0.5}, effort[LINKS] = {40, 20, 8};
static unsigned char memory[1 << 22];
static dc_arena mem;
static dc_v3   corner[LINKS + 1][8], mark, tip;         /* tip: in the last link */
static dc_hull hull[LINKS + 1];
static dc_sim  sim;
static dc_real q[(STEPS + 2)*N], loss_grad[STEPS*N], by_control[STEPS*3*N], torque[STEPS*N];
static dc_sim_control control[STEPS];
static dc_sim_run run;

/* The arm hangs on a post at 1 m; z up. The last link is the pillar, fixed to the world. */
static dc_status build(void)
{
    dc_sim_link link[LINKS + 1];
    dc_sim_desc desc = DC_ZERO;
    int         i, k;

    memset(link, 0, sizeof link);
    for (k = 0; k <= LINKS; k++) {
        const double rx = k < LINKS ? thick[k] : 0.06, rz = k < LINKS ? length[k]/2 - 0.02 : 0.3, z = k < LINKS ? length[k]/2 : 0.3;
        for (i = 0; i < 8; i++) corner[k][i] = dc_vec(DC_R(i & 4 ? rx : -rx), DC_R(i & 2 ? rx : -rx), DC_R(i & 1 ? z + rz : z - rz));
        hull[k].v = corner[k];
        hull[k].n = 8;
        link[k].hull = &hull[k];
        link[k].hulls = 1;
        link[k].parent = k < LINKS ? k - 1 : -1;
        link[k].joint = k < LINKS ? DC_SIM_HINGE : DC_SIM_FIXED;
        link[k].axis = dc_vec(0, 1, 0);
        link[k].attach.t = k == 0 ? dc_vec(0, 0, 1) : k < LINKS ? dc_vec(0, 0, DC_R(length[k - 1])) : dc_vec(DC_R(0.45), 0, DC_R(0.25));
        link[k].mass = k < LINKS ? DC_R(mass[k]) : 1;
        link[k].friction = DC_R(0.3);
        link[k].damping = DC_R(0.1);
    }
    desc.link = link;
    desc.links = LINKS + 1;
    desc.h = DC_R(H);
    desc.gravity.z = DC_R(-9.81);
    desc.length = DC_R(0.1);
    return dc_sim_build(&desc, &mem, &sim, NULL);
}

/* The motion that the torques make and its loss; with g also its gradient by them. */
static dc_status motion(double *value, dc_real *g, int *unsolved)
{
    dc_pose          pose[LINKS + 1];
    dc_v3            off;
    dc_real         *end = q + (STEPS + 1)*N;
    dc_sim_roll_info info = DC_ZERO;
    dc_status        s = dc_sim_roll(&sim, &run, q, &mem, &info);
    int              j;

    *unsolved = info.diverged;
    if (s != DC_OK && s != DC_E_DIVERGED) return s;
    dc_sim_poses(&sim, end, pose);
    off = dc_sub(dc_pose_apply(pose[LINKS - 1], tip), mark);
    *value = (double)dc_dot(off, off);
    memset(loss_grad, 0, sizeof loss_grad);
    dc_sim_pull(&sim, end, LINKS - 1, tip, dc_scale(2, off), loss_grad + (STEPS - 1)*N);
    for (j = 0; j < N; j++) {
        const double w = (double)(end[j] - end[j - N])/H;
        *value += 0.002*w*w;
        loss_grad[(STEPS - 1)*N + j] += DC_R(0.004*w/H);
        loss_grad[(STEPS - 2)*N + j] -= DC_R(0.004*w/H);
    }
    for (j = 0; j < STEPS*N; j++) *value += 1e-6*(double)(torque[j]*torque[j]);
    if (!g) return DC_OK;
    s = dc_sim_adjoint(&sim, &run, &mem);
    for (j = 0; j < STEPS*N; j++) g[j] = by_control[j/N*3*N + 2*N + j%N] + DC_R(2e-6)*torque[j];
    return s;
}

int main(int argc, char **argv)
{
    static dc_real g[STEPS*N], m1[STEPS*N], m2[STEPS*N];
    const dc_real  start[N] = {DC_R(0.3), DC_R(0.5), DC_R(0.3)};
    cli            o = cli_parse(argc, argv, "Plans how an arm reaches a mark behind a pillar, and writes a page.", "reach.html", NULL, 0);
    dc_adam_state  adam = DC_ZERO;
    view_options   page = DC_ZERO;
    view          *w;
    dc_pose        pose[LINKS + 1];
    double         value = 0, first = 0, worst = 0, largest = 0, off;
    int            id[LINKS], goal, i, j, k, unsolved = 0, rounds = o.quick ? 400 : 1000;

    mem = dc_arena_make(memory, sizeof memory);
    mark = dc_vec(DC_R(0.72), 0, DC_R(0.62));
    tip = dc_vec(0, 0, DC_R(length[LINKS - 1]));
    if (build() != DC_OK) return cli_error("no model");
    for (k = 0; k < 2; k++) memcpy(q + k*N, start, sizeof start);          /* at rest */
    for (i = 0; i < STEPS; i++) control[i].force = torque + i*N;
    run.steps = STEPS;
    run.q = q;
    run.control = control;
    run.loss = loss_grad;
    run.control_grad = by_control;

    /* the gradient against differences of whole motions */
    if (motion(&first, g, &unsolved) != DC_OK) return cli_error("no motion");
    for (j = 0; j < STEPS*N; j++) largest = fmax(largest, fabs((double)g[j]));
    for (j = 0; j < STEPS*N; j += 7) {
        const dc_real d = DC_R(1e-4);
        double        f[2];
        for (k = 0; k < 2; k++, torque[j] = 0) {
            torque[j] = k ? -d : d;
            if (motion(&f[k], NULL, &unsolved) != DC_OK) return cli_error("no motion");
        }
        worst = fmax(worst, fabs((f[0] - f[1])/(2*(double)d) - (double)g[j])/largest);
    }

    adam.n = STEPS*N;
    adam.m = m1;
    adam.v = m2;
    adam.rate = DC_R(0.15);
    for (k = 0; k < rounds && !cli_stopped(); k++) {
        if (motion(&value, g, &unsolved) != DC_OK) return cli_error("no motion");
        if (k%100 == 0) printf("round %4d: loss %.6f\n", k, value);
        (void)dc_adam(&adam, g, torque);
        for (j = 0; j < STEPS*N; j++) torque[j] = dc_min(dc_max(torque[j], DC_R(-effort[j%N])), DC_R(effort[j%N]));
    }
    if (motion(&value, NULL, &unsolved) != DC_OK) return cli_error("no motion");
    dc_sim_poses(&sim, q + (STEPS + 1)*N, pose);
    mark = dc_sub(mark, dc_pose_apply(pose[LINKS - 1], tip));
    off = sqrt((double)dc_dot(mark, mark));

    page.title = "Reaching round a pillar";
    page.note = "Torques of three hinges were found by the gradient of the tip's distance from the mark, through the whole motion.";
    w = view_open(o.out, &page);
    (void)view_fixed(w, view_hull(w, &hull[LINKS]), "#8592a3", pose[LINKS]);
    for (k = 0; k < LINKS; k++) id[k] = view_body(w, view_hull(w, &hull[k]), k%2 ? "#3b7dd8" : "#e8833a");
    goal = view_overlay(w, VIEW_POINTS, "the mark", "#d64f6b", 0);
    mark = dc_add(mark, dc_pose_apply(pose[LINKS - 1], tip));
    for (i = 0; i < STEPS + 2; i++) {
        dc_sim_poses(&sim, q + i*N, pose);
        for (k = 0; k < LINKS; k++) view_pose(w, id[k], pose[k]);
        view_point(w, goal, mark);
        view_frame(w, H*i);
    }
    if (view_close(w) != 0) return CLI_FAILED;
    printf("gradient_off_differences %.2g 1\nloss_at_first %.4g\nloss_at_last %.4g\ntip_off_the_mark %.4f m\nsteps_at_the_cap %d\nwrote %s\n", worst, first, value, off, unsolved, o.out);
    if (!(worst < 1e-4)) return cli_error("the gradient is not that of the loss");
    if (!(off < 0.02)) return cli_error("the mark is not reached");
    return cli_exit(CLI_DONE);
}
