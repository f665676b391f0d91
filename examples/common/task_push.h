/* task_push.h - LRI, "Push": a rod that slides and turns on a table, a box, and a mark behind the rod
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * The loss is the squared distance of the box from its mark, summed over the steps of a plan, and nothing else.
 * Include it after plan.h. */
#ifndef TASK_PUSH_H_INCLUDED
#define TASK_PUSH_H_INCLUDED

enum { PUSH_BOX, PUSH_SLIDE_X, PUSH_SLIDE_Y, PUSH_ROD, PUSH_ROD_Q = 7, PUSH_ROD_V = 6, PUSH_CONTROLS = 3 };
#define PUSH_FASTEST 0.5                /* m/s and rad/s */
#define PUSH_THERE 0.01                 /* m: so near the mark is there */

static const dc_real push_mark[2] = {DC_R(0.4), 0};

/* The rod stands between box and mark and touches neither. */
static inline void push_scene(sim_world *w, int global, double k, double h)
{
    dc_sim_link *l;
    int          i;

    sim_begin(w, h);
    sim_plane(w, dc_vec(0, 0, 1), 0, 1);
    w->desc.stiffness = DC_R(k);
    w->desc.friction.eps_f = w->desc.friction.eps_v = DC_R(1e-6);
    w->desc.global = global;
    w->desc.length = global ? DC_R(1.0) : DC_R(0.1);
    l = sim_link(w, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 1);
    l->friction = DC_R(0.5);
    sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.1)));

    /* the arm that holds the rod, and its reach */
    for (i = PUSH_SLIDE_X; i <= PUSH_SLIDE_Y; i++) {
        int first = i == PUSH_SLIDE_X;
        l = sim_link(w, first ? -1 : PUSH_SLIDE_X, DC_SIM_SLIDE, dc_vec(0, 0, first ? DC_R(0.1) : 0), 0);
        l->axis = first ? dc_vec(1, 0, 0) : dc_vec(0, 1, 0);
        l->lo = first ? DC_R(-0.9) : DC_R(-0.7);
        l->hi = first ? DC_R(0.45) : DC_R(0.7);
        l->margin = DC_R(0.05);
        l->limit = DC_R(0.01);
        l->kd = 100;
    }
    l = sim_link(w, PUSH_SLIDE_Y, DC_SIM_HINGE, dc_vec(0, 0, 0), 1);
    l->friction = DC_R(0.2);
    l->kd = 10;
    sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(0.03), DC_R(0.2), DC_R(0.08)));
    sim_build(w);
    for (i = 0; i < 2; i++) {
        dc_real *q = i ? w->now : w->prev;
        q[6] = DC_R(0.1) + (global ? dc_sqrt(4*w->desc.stiffness/DC_R(9.81)) : DC_R(0.005));    /* where it rests */
        q[PUSH_ROD_Q] = DC_R(0.3);
        q[PUSH_ROD_Q + 1] = DC_R(0.05);
    }
}

static inline double push_off(const dc_real *q)
{
    return hypot((double)(q[4] - push_mark[0]), (double)(q[5] - push_mark[1]));
}

static double push_loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    const double off = push_off(q);

    (void)step;
    if (dq) {
        dc_v3 pull = dc_vec(2*(q[4] - push_mark[0]), 2*(q[5] - push_mark[1]), 0);
        dc_sim_pull(&p->world->sim, q, PUSH_BOX, dc_vec(0, 0, 0), pull, dq);
    }
    return off*off;
}

static inline void push_plan(plan *p, sim_world *w, int horizon, double rate)
{
    const int freedom[PUSH_CONTROLS] = {PUSH_ROD_V, PUSH_ROD_V + 1, PUSH_ROD_V + 2};
    int       k;

    plan_begin(p, w, CONTROL_VELOCITIES, horizon, PUSH_CONTROLS, freedom, push_loss);
    for (k = 0; k < PUSH_CONTROLS; k++) plan_bound(p, k, -PUSH_FASTEST, PUSH_FASTEST);
    p->rate = rate;
    p->wander = 1;                      /* the way round the box costs something before it gains */
}

#endif /* TASK_PUSH_H_INCLUDED */
