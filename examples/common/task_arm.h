/* task_arm.h - an arm of seven hinges pushes a box over the floor to a mark, after LRI, "Franka-Push"
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Links and box are boxes. The joints' velocities are sought, which move the targets of their gains; the loss is
 * the squared distance of the box from its mark, less that of the mark's edge, summed over the steps of a plan. A
 * drawn plan holds random velocities for a third of its steps each; it knows nothing of the box. Include it after
 * plan.h. */
#ifndef TASK_ARM_H_INCLUDED
#define TASK_ARM_H_INCLUDED

enum { ARM_BOX, ARM_FIRST, ARM_JOINTS = 7, ARM_PIECES = 3 };
#define ARM_HALF 0.06                   /* m, of the box */
#define ARM_THERE 0.03                  /* m, radius of the mark */
#define ARM_FASTEST 0.8                 /* rad/s */

typedef struct { double mark[2]; } arm_task;

static inline double arm_off(const arm_task *t, const dc_real *q)
{
    return hypot((double)q[4] - t->mark[0], (double)q[5] - t->mark[1]);
}

static double arm_loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    const arm_task *t = (const arm_task *)p->task;
    const double    off = arm_off(t, q), e = off*off - 0.25*ARM_THERE*ARM_THERE;

    (void)step;
    if (e <= 0) return 0;
    if (dq) {
        dc_v3 pull = dc_vec(2*(q[4] - DC_R(t->mark[0])), 2*(q[5] - DC_R(t->mark[1])), 0);
        dc_sim_pull(&p->world->sim, q, ARM_BOX, dc_vec(0, 0, 0), pull, dq);
    }
    return e;
}

/* The arm bends over and stands beside the box, which lies at (0.5, 0). */
static inline void arm_scene(sim_world *w, int global, double k)
{
    static const double start[ARM_JOINTS] = {0.5, 0.7, 0, 1.5, 0, 0.6, 0};
    static const double length[ARM_JOINTS] = {0.33, 0.16, 0.16, 0.19, 0.19, 0.09, 0.2};
    dc_sim_link *l;
    int          i, n;

    sim_begin(w, 0.04);
    sim_plane(w, dc_vec(0, 0, 1), 0, 1);
    w->desc.stiffness = DC_R(k);
    w->desc.global = global;
    w->desc.length = global ? 1 : DC_R(0.05);
    w->desc.friction.eps_v = DC_R(1e-3);
    w->desc.tolerance = DC_R(1e-4);
    sim_link(w, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 0.5)->friction = DC_R(0.4);
    sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(ARM_HALF), DC_R(ARM_HALF), DC_R(ARM_HALF)));
    for (i = 0; i < ARM_JOINTS; i++) {
        const double r = 0.05 - 0.003*i;
        l = sim_link(w, i ? i : -1, DC_SIM_HINGE, dc_vec(0, 0, i ? DC_R(length[i - 1]) : 0), 2.5 - 0.25*i);
        l->axis = i%2 ? dc_vec(0, 1, 0) : dc_vec(0, 0, 1);
        l->kp = 400;
        l->kd = 40;
        l->friction = DC_R(0.5);
        l->lo = DC_R(-2.8);
        l->hi = DC_R(2.8);
        l->margin = DC_R(0.1);
        l->limit = DC_R(0.01);
        sim_box(w, dc_vec(0, 0, DC_R(0.5*length[i])), dc_vec(DC_R(r), DC_R(r), DC_R(0.42*length[i])));
    }
    sim_build(w);
    for (n = 0; n < 2; n++) {
        dc_real *q = n ? w->now : w->prev;
        q[4] = DC_R(0.5);
        q[6] = DC_R(ARM_HALF + (global ? sqrt(4*k/5) : 0.004));
        for (i = 0; i < ARM_JOINTS; i++) q[w->sim.q_at[ARM_FIRST + i]] = DC_R(start[i]);
    }
}

static inline void arm_plan(plan *p, sim_world *w, const arm_task *t, int horizon, double rate)
{
    int freedom[ARM_JOINTS], k;

    for (k = 0; k < ARM_JOINTS; k++) freedom[k] = w->sim.v_at[ARM_FIRST + k];
    plan_begin(p, w, CONTROL_TARGETS, horizon, ARM_JOINTS, freedom, arm_loss);
    for (k = 0; k < ARM_JOINTS; k++) plan_bound(p, k, -ARM_FASTEST, ARM_FASTEST);
    p->task = t;
    p->rate = rate;
    p->rest = 1;
}

static void arm_draw(plan *p, unsigned long long *random)
{
    int i, k, piece;

    for (piece = 0; piece < ARM_PIECES; piece++) {
        for (k = 0; k < ARM_JOINTS; k++) {
            const dc_real v = DC_R(cli_between(random, -ARM_FASTEST, ARM_FASTEST));
            for (i = piece*p->c.horizon/ARM_PIECES; i < (piece + 1)*p->c.horizon/ARM_PIECES; i++) p->u[i*ARM_JOINTS + k] = v;
        }
    }
}

/* What to do next: the best of drawn plans and the one at hand, improved; with `first` the gradient is asked first, and
 * plans are drawn only where it gains less than 2 % against standing still. */
static inline void arm_think(plan *p, int draws, int iterations, int first, unsigned long long *random)
{
    const double still = p->c.horizon*arm_loss(p, 0, p->world->now, NULL);
    double       before = HUGE_VAL;

    if (first) before = plan_improve(p, iterations);
    if (before < 0.98*still) return;
    if (draws > 0 && !(plan_draw(p, draws, arm_draw, random, 1) < before)) return;
    plan_improve(p, iterations);
}

#endif /* TASK_ARM_H_INCLUDED */
