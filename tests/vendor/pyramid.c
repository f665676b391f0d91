/* A sequential-impulse solver that knows of contacts what dc_hull_manifold says: a pyramid of 20 boxes stands for 60 s.
 * Impulses live in the patches' warm data: they follow the ids from step to step. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include <stdio.h>

enum { BOXES = 20, BODIES = BOXES + 1, PAIRS = BODIES*(BODIES - 1)/2, STEPS = 60*60, SWEEPS = 12 };

typedef struct {
    dc_pose pose;
    dc_v3   v, w;
    dc_real inv_mass, inv_inertia;      /* of a cube: the same about every axis */
    const dc_hull_topology *shape;
} body;

static const dc_real h = DC_R(1)/60, friction = DC_R(0.6), slop = DC_R(0.002), bias = DC_R(0.2);
static unsigned char memory[1 << 15], scratch[1 << 16];
static dc_v3 corner[2][8];
static dc_hull_topology shape[2];
static body bodies[BODIES];
static dc_hull_patch patch[PAIRS];

static int make_shape(int k, dc_arena *mem, dc_real x, dc_real y, dc_real z)
{
    dc_hull hull = {corner[k], 8, 0};
    int i;
    for (i = 0; i < 8; ++i) corner[k][i] = dc_vec(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    return dc_hull_faces(&hull, 0, mem, &shape[k]) == DC_OK;
}

static void place(body *b, int k, dc_real x, dc_real z, dc_real inv_mass)
{
    b->pose.q.w = 1;
    b->pose.t = dc_vec(x, 0, z);
    b->shape = &shape[k];
    b->inv_mass = inv_mass;
    b->inv_inertia = 6*inv_mass;        /* side 1 */
}

static dc_v3 velocity(const body *b, dc_v3 arm) { return dc_add(b->v, dc_cross(b->w, arm)); }

static void push(body *b, dc_v3 arm, dc_real impulse, dc_v3 along)
{
    b->v = dc_madd(b->v, b->inv_mass*impulse, along);
    b->w = dc_madd(b->w, b->inv_inertia*impulse, dc_cross(arm, along));
}

/* inverse of the mass that the pair has at a point along a direction */
static dc_real give(const body *a, dc_v3 ra, const body *b, dc_v3 rb, dc_v3 along)
{
    dc_v3 ta = dc_cross(ra, along), tb = dc_cross(rb, along);
    return a->inv_mass + b->inv_mass + a->inv_inertia*dc_dot(ta, ta) + b->inv_inertia*dc_dot(tb, tb);
}

/* one point: along n no pull, across it no more than friction; warm[0..2] are the impulses so far */
static void solve(body *a, body *b, const dc_hull_patch *m, dc_hull_contact *c, const dc_v3 side[2])
{
    const dc_v3 ra = dc_sub(c->pa, a->pose.t), rb = dc_sub(c->pb, b->pose.t);
    const dc_real target = c->gap > 0 ? -c->gap/h : c->gap < -slop ? -bias*(c->gap + slop)/h : 0;
    dc_real old, total, limit;
    int k;

    for (k = 0; k < 2; ++k) {
        dc_v3 slip = dc_sub(velocity(a, ra), velocity(b, rb));
        limit = friction*c->warm[0];
        old = c->warm[1 + k];
        total = old - dc_dot(side[k], slip)/give(a, ra, b, rb, side[k]);
        total = dc_max(-limit, dc_min(limit, total));
        c->warm[1 + k] = total;
        push(a, ra, total - old, side[k]);
        push(b, rb, old - total, side[k]);
    }
    old = c->warm[0];
    total = old + (target - dc_dot(m->n, dc_sub(velocity(a, ra), velocity(b, rb))))/give(a, ra, b, rb, m->n);
    total = dc_max(0, total);
    c->warm[0] = total;
    push(a, ra, total - old, m->n);
    push(b, rb, old - total, m->n);
}

static void sides(dc_v3 n, dc_v3 side[2])
{
    side[0] = dc_abs(n.x) < DC_R(0.6) ? dc_vec(1, 0, 0) : dc_vec(0, 1, 0);
    side[0] = dc_cross(n, side[0]);
    side[0] = dc_scale(1/dc_sqrt(dc_dot(side[0], side[0])), side[0]);
    side[1] = dc_cross(n, side[0]);
}

static int step(void)
{
    dc_hull_manifold_options o = DC_ZERO;
    int i, j, k, p, sweep;
    o.margin = DC_R(0.02);

    /* contacts, and the impulses of before */
    for (i = 0; i < BODIES; ++i)
        if (bodies[i].inv_mass > 0) bodies[i].v.z -= DC_R(9.81)*h;
    for (i = p = 0; i < BODIES; ++i)
        for (j = i + 1; j < BODIES; ++j, ++p) {
            body *a = &bodies[j], *b = &bodies[i];
            dc_v3 d = dc_sub(a->pose.t, b->pose.t), side[2];
            dc_arena mem = dc_arena_make(scratch, sizeof scratch);
            if (i > 0 && dc_dot(d, d) > 4) {
                patch[p].count = 0;
                continue;
            }
            if (dc_hull_manifold(&o, a->shape, &a->pose, b->shape, &b->pose, &mem, &patch[p]) != DC_OK) return 0;
            sides(patch[p].n, side);
            for (k = 0; k < patch[p].count; ++k) {
                dc_hull_contact *c = &patch[p].point[k];
                dc_v3 impulse = dc_madd(dc_madd(dc_scale(c->warm[0], patch[p].n), c->warm[1], side[0]), c->warm[2], side[1]);
                push(a, dc_sub(c->pa, a->pose.t), 1, impulse);
                push(b, dc_sub(c->pb, b->pose.t), -1, impulse);
            }
        }

    /* velocities, then places */
    for (sweep = 0; sweep < SWEEPS; ++sweep)
        for (i = p = 0; i < BODIES; ++i)
            for (j = i + 1; j < BODIES; ++j, ++p) {
                dc_v3 side[2];
                sides(patch[p].n, side);
                for (k = 0; k < patch[p].count; ++k) solve(&bodies[j], &bodies[i], &patch[p], &patch[p].point[k], side);
            }
    for (i = 1; i < BODIES; ++i) {
        dc_real xi[6];
        xi[0] = h*bodies[i].v.x; xi[1] = h*bodies[i].v.y; xi[2] = h*bodies[i].v.z;
        xi[3] = h*bodies[i].w.x; xi[4] = h*bodies[i].w.y; xi[5] = h*bodies[i].w.z;
        bodies[i].pose = dc_pose_retract(bodies[i].pose, xi);
    }
    return 1;
}

int main(void)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_v3 start[BODIES];
    dc_real moved = 0, speed = 0;
    int row, i, n = 1, kept = 0, points = 0;

    if (!make_shape(0, &mem, 20, 20, DC_R(0.5)) || !make_shape(1, &mem, DC_R(0.5), DC_R(0.5), DC_R(0.5))) return 1;
    place(&bodies[0], 0, 0, DC_R(-0.5), 0);
    for (row = 0; row < 5; ++row)
        for (i = 0; i < 6 - row; ++i)
            place(&bodies[n++], 1, DC_R(1.1)*((dc_real)i + DC_R(0.5)*(dc_real)row), DC_R(0.5) + (dc_real)row, 1);
    for (i = 0; i < BODIES; ++i) start[i] = bodies[i].pose.t;

    for (i = 0; i < STEPS; ++i)
        if (!step()) return 2;
    for (i = 0; i < BODIES; ++i) {
        dc_v3 d = dc_sub(bodies[i].pose.t, start[i]);
        moved = dc_max(moved, dc_sqrt(dc_dot(d, d)));
        speed = dc_max(speed, dc_sqrt(dc_dot(bodies[i].v, bodies[i].v)));
    }
    for (i = 0; i < PAIRS; ++i)
        for (n = 0; n < patch[i].count; ++n, ++points) kept += patch[i].point[n].kept;
    printf("note after 60 s: moved %.2g, speed %.2g, %d points, %d of them kept\n", (double)moved, (double)speed, points, kept);
    return !(moved < DC_R(0.05) && speed < DC_R(0.001) && points > 4*BOXES && kept == points);
}
