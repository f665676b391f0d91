/* task_gather.h - LRI, "Gather" and "Sort": a rod brings ten cubes to one place, or five each to two
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * The rod is held by an arm that moves and lifts it, and turns it about the vertical. The loss is what the paper's
 * is: of each cube outside its region the squared distance from the middle less that of the edge, here of an inner
 * region that leaves something to spare, summed over the steps of a plan. A plan that is drawn knows nothing of
 * cubes and regions: the rod is lifted, flies to one place of the table, comes down and goes along the ground to
 * another.
 *
 * Instead of cubes there may be bodies that are not convex, of GATHER_TRIANGLES triangles with the rod: felt at any
 * distance they are these meshes, with hierarchies, felt near contact only their lobes' hulls. Include it after
 * plan_judge.h and round_mesh.h. */
#ifndef TASK_GATHER_H_INCLUDED
#define TASK_GATHER_H_INCLUDED

enum { GATHER_MOST = 16, GATHER_CONTROLS = 4, GATHER_JUDGED = 8, GATHER_SHAPES = 10, GATHER_TRIANGLES = 3*280 + 7*276 + 12 };
#define GATHER_AIR 2.5                  /* m/s in a drawn plan; the most */
#define GATHER_GROUND 1.0
#define GATHER_LIFT 0.15                /* m */
#define GATHER_REACH 1.0                /* of the rod, from the middle to each side */
#define GATHER_HALF 0.05                /* a cube's */

typedef struct {
    int    cubes, sort, rod;            /* rod: the first of its four links */
    int    meshes;                      /* 1: bodies that are not convex instead of cubes */
    double radius, inner;               /* of a region, and what the loss asks for */
    double goal[2][2];                  /* middles; of cube j: j%2 when they are sorted */
    round_mesh    shape[GATHER_SHAPES]; /* with meshes: of body j, and their trees */
    dc_bsh        tree[GATHER_SHAPES + 1];
    unsigned char memory[1 << 22];
} gather_task;

static inline const double *gather_goal(const gather_task *t, int cube) { return t->goal[t->sort ? cube%2 : 0]; }

static inline double gather_off(const gather_task *t, const dc_real *q, int cube)
{
    const double *goal = gather_goal(t, cube);
    return hypot((double)q[7*cube + 4] - goal[0], (double)q[7*cube + 5] - goal[1]);
}

/* Cubes within their regions. */
static inline int gather_in(const gather_task *t, const dc_real *q)
{
    int i, in = 0;
    for (i = 0; i < t->cubes; i++) in += gather_off(t, q, i) < t->radius;
    return in;
}

/* The arm: three slides and a hinge that carries the rod, or what the caller adds to its last link. */
static inline dc_sim_link *gather_arm(sim_world *w)
{
    dc_sim_link *l = NULL;
    int          i;

    for (i = 0; i < 3; i++) {
        l = sim_link(w, i ? w->desc.links - 1 : -1, DC_SIM_SLIDE, dc_vec(0, 0, i ? 0 : DC_R(0.1)), 0);
        l->axis = dc_vec(i == 0, i == 1, i == 2);
        l->lo = i == 2 ? DC_R(-0.015) : DC_R(-GATHER_REACH);
        l->hi = i == 2 ? DC_R(0.22) : DC_R(GATHER_REACH);
        l->margin = i == 2 ? DC_R(0.005) : DC_R(0.05);
        l->limit = i == 2 ? DC_R(1e-4) : DC_R(0.01);
        l->kd = 100;
    }
    l = sim_link(w, w->desc.links - 1, DC_SIM_HINGE, dc_vec(0, 0, 0), 1);
    l->friction = DC_R(0.2);
    l->kd = 10;
    return l;
}

/* Places for the cubes that the seed draws: apart from each other, none in a region. */
static inline void gather_scatter(const gather_task *t, sim_world *w, double apart, unsigned long long *random)
{
    double at[GATHER_MOST][2];
    int    i, j, n, tries, regions = t->sort ? 2 : 1;

    for (i = tries = 0; i < t->cubes && tries < 1000000; tries++) {
        int clear = 1;
        at[i][0] = cli_between(random, -0.7, 0.7);
        at[i][1] = cli_between(random, -0.7, 0.7);
        for (j = 0; j < i; j++) clear = clear && hypot(at[i][0] - at[j][0], at[i][1] - at[j][1]) > apart;
        for (j = 0; j < regions; j++) {
            const double *goal = t->goal[j], least = t->radius + (t->sort ? 0 : 0.02);
            clear = clear && hypot(at[i][0] - goal[0], at[i][1] - goal[1]) > least;
        }
        i += clear;
    }
    if (i < t->cubes) exit(cli_error("no room for %d cubes", t->cubes));
    for (n = 0; n < 2; n++) {
        for (i = 0; i < t->cubes; i++) {
            dc_real *q = (n ? w->now : w->prev) + 7*i;
            q[4] = DC_R(at[i][0]);
            q[5] = DC_R(at[i][1]);
        }
    }
}

/* The regions: radius 0.3 m about the middle, or 0.25 m about two places 0.8 m apart. */
static inline void gather_regions(gather_task *t, int cubes, int sort, int meshes)
{
    memset(t, 0, offsetof(gather_task, memory));
    t->cubes = cubes;
    t->sort = sort;
    t->meshes = meshes;
    t->rod = cubes;
    t->radius = sort ? 0.25 : 0.3;
    t->inner = 0.7*t->radius;
    t->goal[0][0] = sort ? -0.4 : 0;
    t->goal[1][0] = 0.4;
}

/* Bodies of two to five lobes, and a box's twelve triangles for the rod. */
static inline void gather_shapes(gather_task *t, const dc_v3 *rod)
{
    static const int box[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6,
                                1, 3, 5, 3, 7, 5};
    dc_arena         mem = dc_arena_make(t->memory, sizeof t->memory);
    int              i;

    for (i = 0; i < GATHER_SHAPES; i++) {
        round_mesh  *m = t->shape + i;
        const round_form form = {i < 3 ? 2 + i%2 : 3 + i%3, 0.3, 0.7, 0.95};
        const double wide = (1 + 0.04*(i%3))*GATHER_HALF;
        round_make(m, i < 3 ? 14 : 23, i < 3 ? 11 : 7, form, dc_vec(0, 0, 0),
                   dc_vec(DC_R(wide), DC_R(GATHER_HALF), DC_R(GATHER_HALF)));
        sim_need(dc_bsh_build(m->v, m->nv, m->tri, m->nt, &mem, t->tree + i, NULL), "a body's tree");
    }
    sim_need(dc_bsh_build(rod, 8, box, 12, &mem, t->tree + GATHER_SHAPES, NULL), "the rod's tree");
}

static inline void gather_scene(gather_task *t, sim_world *w, int cubes, int sort, int meshes, int global, double k,
                                unsigned long long *random)
{
    const double half = meshes ? 0.7*GATHER_HALF : GATHER_HALF;
    dc_sim_link *l;
    int          i, n;

    gather_regions(t, cubes, sort, meshes);
    sim_begin(w, 0.04);
    sim_plane(w, dc_vec(0, 0, 1), 0, 1);
    w->desc.stiffness = DC_R(k);
    w->desc.global = global;
    w->desc.trees = meshes && global;
    w->desc.length = global ? 1 : DC_R(0.1);
    w->desc.tolerance = DC_R(1e-4);
    w->desc.friction.eps_v = DC_R(1e-3);    /* sliding from 3 cm/s: half the Newton steps of 1 mm/s */
    for (i = 0; i < cubes; i++) {
        sim_link(w, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 1)->friction = DC_R(0.5);
        if (!meshes) sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(GATHER_HALF), DC_R(GATHER_HALF), DC_R(GATHER_HALF)));
    }
    l = gather_arm(w);
    sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(0.03), DC_R(0.15), DC_R(0.08)));
    if (meshes) gather_shapes(t, l->hull->v);
    if (meshes && global) {
        w->desc.contacts = 8192;
        w->desc.reach = DC_R(0.1*GATHER_HALF);
        for (i = 0; i < cubes; i++) w->link[i].tree = t->tree + i%GATHER_SHAPES;
        l->tree = t->tree + GATHER_SHAPES;
    } else if (meshes) {
        for (i = 0; i < cubes; i++) {
            w->link[i].hull = t->shape[i%GATHER_SHAPES].piece;
            w->link[i].hulls = t->shape[i%GATHER_SHAPES].form.lobes;
        }
    }
    sim_build(w);
    gather_scatter(t, w, 0.17, random);
    for (n = 0; n < 2; n++) {
        dc_real *q = n ? w->now : w->prev;
        for (i = 0; i < cubes; i++) q[7*i + 6] = DC_R(half + (global ? sqrt(4*k/9.81) : 0.005));    /* at rest */
        q[7*cubes] = DC_R(0.9);
    }
    for (i = 0; i < (w->desc.trees ? 25 : 0); i++) sim_step(w, NULL);
    if (w->desc.trees) memcpy(w->prev, w->now, (size_t)w->sim.nq*sizeof(dc_real));
    w->time = 0;
}

static double gather_loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    const gather_task *t = (const gather_task *)p->task;
    double             sum = 0;
    int                i;

    (void)step;
    for (i = 0; i < t->cubes; i++) {
        const double *goal = gather_goal(t, i), off = gather_off(t, q, i), e = off*off - t->inner*t->inner;
        if (e <= 0) continue;
        sum += e;
        if (!dq) continue;
        dc_sim_pull(&p->world->sim, q, i, dc_vec(0, 0, 0),
                    dc_vec(2*(q[7*i + 4] - DC_R(goal[0])), 2*(q[7*i + 5] - DC_R(goal[1])), 0), dq);
    }
    return sum;
}

static inline void gather_plan(plan *p, sim_world *w, const gather_task *t, int horizon, double rate)
{
    int freedom[GATHER_CONTROLS], k;

    for (k = 0; k < GATHER_CONTROLS; k++) freedom[k] = w->sim.v_at[t->rod] + k;
    plan_begin(p, w, CONTROL_VELOCITIES, horizon, GATHER_CONTROLS, freedom, gather_loss);
    for (k = 0; k < GATHER_CONTROLS; k++) {
        double most = k == 3 ? 6 : k == 2 ? 1 : GATHER_AIR;
        plan_bound(p, k, -most, most);
    }
    p->task = t;
    p->rate = rate;
    p->rest = 1;
    p->c.force[freedom[2]] = DC_R(9.81);                        /* the arm carries the rod */
}

/* Towards (x, y) at some speed, by a step of h; what is left to go. */
static inline double gather_towards(double x, double y, double speed, double h, dc_real *v)
{
    double left = hypot(x, y), s = fmin(speed, left/h);

    v[0] = left > 0 ? DC_R(s*x/left) : 0;
    v[1] = left > 0 ? DC_R(s*y/left) : 0;
    return left;
}

/* Lifted, through the air to one place, down, turned across the way, and along the ground to another. */
static void gather_draw(plan *p, unsigned long long *random)
{
    const gather_task *t = (const gather_task *)p->task;
    const dc_real     *q = p->world->now + p->world->sim.q_at[t->rod];
    const double       h = (double)p->world->desc.h, edge = GATHER_REACH - 0.05;
    double             x = (double)q[0], y = (double)q[1], z = (double)q[2], turn = (double)q[3], way[4], yaw;
    int                i, stage = 0;

    for (i = 0; i < 4; i++) way[i] = fmax(-edge, fmin(edge, cli_between(random, -GATHER_REACH, GATHER_REACH)));
    yaw = turn + remainder(atan2(way[3] - way[1], way[2] - way[0]) - turn, 4*atan(1.0));     /* half a turn is none */
    for (i = 0; i < p->c.horizon; i++) {
        dc_real *v = p->u + i*GATHER_CONTROLS;
        memset(v, 0, GATHER_CONTROLS*sizeof *v);
        if (stage < 2) v[3] = DC_R(fmax(-6, fmin(6, (yaw - turn)/h)));
        if (stage == 0) {
            v[2] = DC_R(fmax(-1, fmin(1, (GATHER_LIFT - z)/h)));
            if (z > 0.7*GATHER_LIFT && gather_towards(way[0] - x, way[1] - y, GATHER_AIR, h, v) < 1e-3) stage = 1;
        } else if (stage == 1) {
            v[2] = DC_R(fmax(-1, -z/h));
            if (z < 1e-3) stage = 2;
        } else gather_towards(way[2] - x, way[3] - y, GATHER_GROUND, h, v);
        x += h*(double)v[0];
        y += h*(double)v[1];
        z += h*(double)v[2];
        turn += h*(double)v[3];
    }
}

/* What to do next: the best of drawn plans and the one at hand, improved; near: NULL, or what draws them. With `first`
 * the gradient is asked first, and plans are drawn only where it gains less than 2 % against standing still. */
static inline void gather_think(plan *p, plan *near, int draws, int iterations, int first, unsigned long long *random)
{
    const double still = p->c.horizon*gather_loss(p, 0, p->world->now, NULL);

    if (first && plan_improve(p, iterations) < 0.98*still) return;
    if (first && draws == 0) return;
    if (near && draws > 0) plan_judge(p, near, draws, gather_draw, random, GATHER_JUDGED);
    else if (draws > 0) plan_draw(p, draws, gather_draw, random, 1);
    if (iterations > 0) plan_improve(p, iterations);
}

#ifdef VIEW_H_INCLUDED

/* Bodies and rod: the view's names of them to body[cubes + 1]. */
static inline void gather_show(const gather_task *t, const sim_world *w, view *v, int *body)
{
    int i;

    for (i = 0; i < t->cubes; i++) {
        const round_mesh *m = t->shape + i%GATHER_SHAPES;
        const int         shape = t->meshes ? view_mesh(v, m->v, m->nv, m->tri, m->nt) : view_hull(v, w->hull + i);
        body[i] = view_body(v, shape, t->sort && i%2 ? "#e8833a" : "#d64f6b");
    }
    body[i] = view_body(v, view_hull(v, w->hull + w->hulls - 1), "#3b7dd8");
}

static inline void gather_draw_bodies(const gather_task *t, const sim_world *w, view *v, const int *body)
{
    dc_pose pose[SIM_LINKS];
    int     i;

    dc_sim_poses(&w->sim, w->now, pose);
    for (i = 0; i < t->cubes; i++) view_pose(v, body[i], pose[i]);
    view_pose(v, body[i], pose[w->sim.links - 1]);
}

/* The regions' edges on the table, as an overlay of segments. */
static inline void gather_draw_regions(const gather_task *t, view *v, int overlay)
{
    int i, n;

    for (n = 0; n < (t->sort ? 2 : 1); n++) {
        for (i = 0; i < 32; i++) {
            double a = i*atan(1.0)/4, b = (i + 1)*atan(1.0)/4, r = t->radius;
            view_arrow(v, overlay, dc_vec(DC_R(t->goal[n][0] + r*cos(a)), DC_R(t->goal[n][1] + r*sin(a)), DC_R(0.002)),
                       dc_vec(DC_R(r*(cos(b) - cos(a))), DC_R(r*(sin(b) - sin(a))), 0));
        }
    }
}

#endif /* VIEW_H_INCLUDED */
#endif /* TASK_GATHER_H_INCLUDED */
