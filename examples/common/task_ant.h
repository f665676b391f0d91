/* task_ant.h - LRI, "Ant-Push": a robot of 16 freedoms pushes a box to a mark, by four sines for each joint
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * The robot is that of sim_ant.h. Amplitudes begin at zero: it stands still and the box is out of reach. The loss
 * is the squared distance of the box from the mark, less that of the mark's edge, in the mean over the steps.
 * Include it after plan.h and sim_ant.h. */
#ifndef TASK_ANT_H_INCLUDED
#define TASK_ANT_H_INCLUDED

#define ANT_BOX 0.6                     /* m, from the torso's middle to the box's */
#define ANT_MARK 1.0
#define ANT_THERE 0.05                  /* m, radius of the mark */

typedef struct { int box; double across; } ant_task;          /* its link; where it is across the way, m */

static inline double ant_off(const plan *p, const dc_real *q)
{
    const ant_task *t = (const ant_task *)p->task;
    const dc_real  *x = q + p->world->sim.q_at[t->box] + 4;
    return hypot((double)x[0] - ANT_MARK, (double)x[1]);
}

static double ant_loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    const ant_task *t = (const ant_task *)p->task;
    const dc_real  *x = q + p->world->sim.q_at[t->box] + 4;
    const double    off = ant_off(p, q), e = off*off - ANT_THERE*ANT_THERE, weight = 1.0/p->c.horizon;

    (void)step;
    if (e <= 0) return 0;
    if (dq) {
        dc_v3 pull = dc_vec(DC_R(2*weight)*(x[0] - DC_R(ANT_MARK)), DC_R(2*weight)*x[1], 0);
        dc_sim_pull(&p->world->sim, q, t->box, dc_vec(0, 0, 0), pull, dq);
    }
    return weight*e;
}

/* The box is on its mark at the end. */
static int ant_done(const plan *p) { return ant_off(p, p->q + (p->c.horizon + 1)*p->world->sim.nq) < ANT_THERE; }

static inline void ant_scene(ant_task *t, sim_world *w, int global, double k, double h, unsigned long long *random)
{
    int i;

    sim_ant(w, h, 0.8);
    w->desc.global = global;
    w->desc.stiffness = DC_R(k);
    w->desc.length = global ? 1 : DC_R(0.05);
    w->desc.tolerance = DC_R(1e-4);
    w->desc.friction.eps_v = DC_R(1e-3);
    t->box = w->desc.links;
    t->across = cli_between(random, -0.02, 0.02);
    sim_link(w, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 0.5)->friction = DC_R(0.5);
    sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.1)));
    sim_build(w);
    for (i = 0; i < 2; i++) {
        dc_real *q = (i ? w->now : w->prev) + w->sim.q_at[t->box];
        q[4] = DC_R(ANT_BOX);
        q[5] = DC_R(t->across);
        q[6] = DC_R(0.102);
    }
    for (i = 0; i < 50; i++) sim_step(w, NULL);
    memcpy(w->prev, w->now, (size_t)w->sim.nq*sizeof(dc_real));
}

/* Amplitudes 0, frequencies 0.5 to 2 Hz, phases that the seed draws. */
static inline void ant_plan(plan *p, sim_world *w, const ant_task *t, int horizon, double rate,
                            unsigned long long *random)
{
    int freedom[CONTROL_FREEDOMS], n = 0, i;

    for (i = 1; i < t->box; i++) freedom[n++] = w->sim.v_at[i];
    plan_begin(p, w, CONTROL_SINES, horizon, n, freedom, ant_loss);
    plan_bound(p, 0, -0.3, 0.3);
    plan_bound(p, 1, 0.2, 2.5);
    for (i = 0; i < CONTROL_WAVES*n; i++) {
        p->u[3*i + 1] = DC_R(0.5*(i%CONTROL_WAVES + 1));
        p->u[3*i + 2] = DC_R(cli_between(random, 0, 8*atan(1.0)));
    }
    p->task = t;
    p->rate = rate;
    p->done = ant_done;
}

#endif /* TASK_ANT_H_INCLUDED */
