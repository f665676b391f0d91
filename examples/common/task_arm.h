/* task_arm.h - an arm of seven hinges pushes a box over the floor to a mark, after LRI, "Franka-Push"
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Links and body are boxes, or meshes of ARM_TRIANGLES triangles, the body one that is not convex: felt at any
 * distance with hierarchies, felt near contact only as the hulls of their lobes. The joints' velocities are sought, which move the targets of their gains; the loss is
 * the squared distance of the box from its mark, less that of the mark's edge, summed over the steps of a plan. A
 * drawn plan holds random velocities for a third of its steps each; it knows nothing of the body. Include it after
 * plan_judge.h and round_mesh.h. */
#ifndef TASK_ARM_H_INCLUDED
#define TASK_ARM_H_INCLUDED

enum { ARM_BOX, ARM_FIRST, ARM_JOINTS = 7, ARM_PIECES = 3, ARM_JUDGED = 8, ARM_TRIANGLES = 7*1792 + 1800 };
#define ARM_HALF 0.06                   /* m, of the box */
#define ARM_THERE 0.03                  /* m, radius of the mark */
#define ARM_FASTEST 0.8                 /* rad/s */

typedef struct {
    int           meshes;               /* 1: instead of boxes */
    double        mark[2];
    round_mesh    shape[ARM_FIRST + ARM_JOINTS];
    dc_bsh        tree[ARM_FIRST + ARM_JOINTS];
    unsigned char memory[1 << 24];
} arm_task;

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
static inline void arm_scene(arm_task *t, sim_world *w, int meshes, int global, double k)
{
    static const double start[ARM_JOINTS] = {0.5, 0.7, 0, 1.5, 0, 0.6, 0};
    static const round_form clover = {3, 0.3, 0.7, 0.98}, ellipsoid = {1, 0, 1, 0.98};
    static const double length[ARM_JOINTS] = {0.33, 0.16, 0.16, 0.19, 0.19, 0.09, 0.2};
    dc_arena     mem = dc_arena_make(t->memory, sizeof t->memory);
    dc_sim_control hold = DC_ZERO;
    dc_real      stay[SIM_STATE];
    dc_sim_link *l;
    int          i, n;

    t->meshes = meshes;
    sim_begin(w, 0.04);
    sim_plane(w, dc_vec(0, 0, 1), 0, 1);
    w->desc.stiffness = DC_R(k);
    w->desc.global = global;
    w->desc.trees = meshes && global;
    w->desc.contacts = 16384;
    w->desc.reach = DC_R(0.1*ARM_HALF);
    w->desc.length = global ? 1 : DC_R(0.05);
    w->desc.friction.eps_v = DC_R(1e-3);
    w->desc.tolerance = DC_R(1e-4);
    sim_link(w, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 0.5)->friction = DC_R(0.4);
    if (meshes) {
        const dc_real wide = DC_R(1.1*ARM_HALF);
        round_make(t->shape, 30, 31, clover, dc_vec(0, 0, 0), dc_vec(wide, wide, DC_R(ARM_HALF/0.7)));
    }
    if (!meshes) sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(ARM_HALF), DC_R(ARM_HALF), DC_R(ARM_HALF)));
    for (i = 0; i < ARM_JOINTS; i++) {
        const double r = 0.05 - 0.003*i;
        const dc_v3  middle = dc_vec(0, 0, DC_R(0.5*length[i])), half = dc_vec(DC_R(r), DC_R(r), DC_R(0.42*length[i]));
        l = sim_link(w, i ? i : -1, DC_SIM_HINGE, dc_vec(0, 0, i ? DC_R(length[i - 1]) : 0), 2.5 - 0.25*i);
        l->axis = i%2 ? dc_vec(0, 1, 0) : dc_vec(0, 0, 1);
        l->kp = 400;
        l->kd = 40;
        l->friction = DC_R(0.5);
        l->lo = DC_R(-2.8);
        l->hi = DC_R(2.8);
        l->margin = DC_R(0.1);
        l->limit = DC_R(0.01);
        if (meshes) round_make(t->shape + ARM_FIRST + i, 32, 29, ellipsoid, middle, half);
        else sim_box(w, middle, half);
    }
    for (i = 0; i < (meshes ? w->desc.links : 0); i++) {
        const round_mesh *m = t->shape + i;
        if (global) sim_need(dc_bsh_build(m->v, m->nv, m->tri, m->nt, &mem, t->tree + i, NULL), "a link's tree");
        if (global) w->link[i].tree = t->tree + i;
        else w->link[i].hull = m->piece;
        if (!global) w->link[i].hulls = m->form.lobes;
    }
    sim_build(w);
    for (n = 0; n < 2; n++) {
        dc_real *q = n ? w->now : w->prev;
        q[4] = DC_R(0.5);
        q[6] = DC_R(ARM_HALF + (global ? sqrt(4*k/5) : 0.004));
        for (i = 0; i < ARM_JOINTS; i++) q[w->sim.q_at[ARM_FIRST + i]] = DC_R(start[i]);
    }
    if (!w->desc.trees) return;

    /* the body comes to rest, the arm stays */
    memcpy(stay, w->now, sizeof stay);
    hold.target = stay;
    for (i = 0; i < 15; i++) sim_step(w, &hold);
    memcpy(w->prev, w->now, (size_t)w->sim.nq*sizeof(dc_real));
    w->time = 0;
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

/* What to do next: the best of drawn plans and the one at hand, improved; near: NULL, or what draws them. With `first`
 * the gradient is asked first, and plans are drawn only where it gains less than 2 % against standing still. */
static inline void arm_think(plan *p, plan *near, int draws, int iterations, int first, unsigned long long *random)
{
    const double still = p->c.horizon*arm_loss(p, 0, p->world->now, NULL);

    if (first && plan_improve(p, iterations) < 0.98*still) return;
    if (first && draws == 0) return;
    if (near && draws > 0) plan_judge(p, near, draws, arm_draw, random, ARM_JUDGED);
    else if (draws > 0) plan_draw(p, draws, arm_draw, random, 1);
    if (iterations > 0) plan_improve(p, iterations);
}

#ifdef VIEW_H_INCLUDED

/* Body and links: the view's names of them to body. */
static inline void arm_show(const arm_task *t, const sim_world *w, view *v, int *body)
{
    int i;

    for (i = 0; i < w->sim.links; i++) {
        const round_mesh *m = t->shape + i;
        const int         shape = t->meshes ? view_mesh(v, m->v, m->nv, m->tri, m->nt) : view_hull(v, w->hull + i);
        body[i] = view_body(v, shape, i == ARM_BOX ? "#d64f6b" : i%2 ? "#3b7dd8" : "#8592a3");
    }
}

static inline void arm_draw_bodies(const sim_world *w, view *v, const int *body)
{
    dc_pose pose[SIM_LINKS];
    int     i;

    dc_sim_poses(&w->sim, w->now, pose);
    for (i = 0; i < w->sim.links; i++) view_pose(v, body[i], pose[i]);
}

#endif /* VIEW_H_INCLUDED */
#endif /* TASK_ARM_H_INCLUDED */
