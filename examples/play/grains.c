/* grains.c - stars and squares poured between two walls: the grains of dc_sim.h, in the plane of x and z
 * SPDX-License-Identifier: MIT OR Unlicense */
#include "play.h"

#include <string.h>

enum { GRAINS = 110, WALLS = 3, BODIES = GRAINS + WALLS, KINDS = 3, SHAPES = 2, FLAT = 2, STATE = 32000, SUBSTEPS = 64 };

static const double radius = 0.13, apart = 1.2;     /* m: of a grain, and of the walls from the middle */

static dc_v2            corner[SHAPES][DC_POLY_NAMED_MOST];
static dc_cshape        shape[KINDS];
static dc_cfield        field[5];           /* two shapes with each other, the half-plane with both */
static dc_grain_type    type[KINDS];
static dc_grain_pair    pair[5];
static int              kind[BODIES], substeps, baked;
static dc_grains        grains;
static dc_grains_desc   desc;

/* The frames: the state, a block without pointers, and the load of every body over the steps to the next one: torque and
 * force, as in q. How many frames it is from the start, which says who is poured; what touched. */
static unsigned char state[PLAY_FRAMES*STATE];
static double        load[PLAY_FRAMES][3*BODIES];
static int           age[PLAY_FRAMES];
static struct { play_touch touch[PLAY_TOUCHES]; int touches; } touched[PLAY_FRAMES];

static unsigned char *state_of(int frame) { return state + (size_t)frame*grains.state_bytes; }

static unsigned char field_memory[1 << 25], memory[1 << 22], scratch[1 << 22];

/* ---- the scene */

/* Splines of the exact fields: these have two continuous derivatives, which the gradient needs. Once for all, and so coarse
 * that it takes no longer than a second: distances are off by 1 mm, and the gradient is that of the splines. */
static dc_status bake(void)
{
    static const int of[5][2] = {{0, 0}, {0, 1}, {1, 1}, {FLAT, 0}, {FLAT, 1}}, fold[SHAPES] = {5, 4};
    dc_arena mem = dc_arena_make(field_memory, sizeof field_memory);
    dc_status status = DC_OK;
    int k;

    if (baked) return DC_OK;
    for (k = 0; k < SHAPES && status == DC_OK; ++k) {
        status = dc_poly_named(k ? "block" : "star", DC_POLY_NAMED_MOST, corner[k], &shape[k].poly.n);
        if (status == DC_OK) status = dc_poly_centre(shape[k].poly.n, corner[k], 1);
        shape[k].poly.v = corner[k];
    }
    shape[FLAT].kind = DC_CSHAPE_HALFPLANE;

    for (k = 0; k < 5 && status == DC_OK; ++k) {
        dc_arena work = dc_arena_make(memory, sizeof memory);
        dc_cfield_bake_options o = DC_ZERO;
        dc_cfield exact;
        if (of[k][0] != FLAT) {
            o.angles = 30/fold[of[k][1]];
            o.side = 31;
        }
        status = dc_cfield_exact(NULL, &shape[of[k][0]], &shape[of[k][1]].poly, &work, &exact);
        if (status == DC_OK) status = dc_cfield_bake(&o, &exact, &mem, &field[k], NULL);
        pair[k].a = of[k][0];
        pair[k].b = of[k][1];
        pair[k].field = &field[k];
        pair[k].length = radius;
    }
    baked = status == DC_OK;
    return status;
}

static void place(int body, double theta, double x, double y)
{
    grains.q[3*body] = theta;
    grains.q[3*body + 1] = x;
    grains.q[3*body + 2] = y;
}

/* The description with the page's numbers. A step is an eighth of the time in which two grains on their springs swing
 * once, at most. */
static dc_status build(const play_numbers *n)
{
    static unsigned char grain_memory[1 << 22];
    dc_arena mem = dc_arena_make(grain_memory, sizeof grain_memory);
    const double kn = 2e4*n->stiffness, swing = dc_sqrt(type[0].mass/kn);
    dc_status status;
    int i;

    for (substeps = 8; substeps < SUBSTEPS && n->h/substeps > 0.2*swing; ) substeps *= 2;
    memset(&desc, 0, sizeof desc);
    desc.type = type;
    desc.types = KINDS;
    desc.pair = pair;
    desc.pairs = 5;
    desc.body = kind;
    desc.bodies = BODIES;
    desc.h = n->h/substeps;
    desc.gravity[1] = -9.81;
    desc.material.kn = desc.material.kt = kn;
    desc.material.gn = desc.material.gt = 0.6/swing;
    desc.material.mu = n->friction;
    desc.reduced_mass = 1;
    desc.lo[0] = -2;
    desc.hi[0] = 2;
    desc.lo[1] = -1;
    desc.hi[1] = 7;
    desc.room = 8*BODIES;
    status = dc_grains_build(&desc, &mem, &grains);
    if (status != DC_OK) return status;
    if (grains.state_bytes > STATE) return DC_E_MEMORY;
    for (i = GRAINS; i < BODIES; ++i)
        place(i, i == GRAINS ? 0 : i == GRAINS + 1 ? -1.5707963 : 1.5707963, i == GRAINS ? 0 : i == GRAINS + 1 ? -apart : apart, 0);
    return DC_OK;
}

static void begin(int scene, const play_numbers *n)
{
    const dc_pose middle = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_pose side = middle;
    int i, k;

    (void)scene;
    if (bake() != DC_OK) return;
    type[FLAT].kind = DC_CSHAPE_HALFPLANE;
    type[FLAT].radius = 1;
    for (k = 0; k < SHAPES; ++k) {
        if (dc_grain_type_poly(&shape[k].poly, radius, 60, &type[k]) != DC_OK) return;
        play.corners[k] = shape[k].poly.n;
        for (i = 0; i < shape[k].poly.n; ++i) {
            play.outline[k][2*i] = corner[k][i].x;
            play.outline[k][2*i + 1] = corner[k][i].y;
        }
    }
    play.outlines = SHAPES;

    for (i = 0; i < BODIES; ++i) {
        kind[i] = i < GRAINS ? i%SHAPES : FLAT;
        if (i < GRAINS) play_add(i, PLAY_PRISM, i%5, dc_vec(radius, 0.06, kind[i]), middle);
        play.centre[i] = dc_vec(0, 0, 0);
    }
    for (k = -1; k <= 1; k += 2) {
        side.t = dc_vec(k*(apart + 0.03), 0, 0.7);
        play_add(-1, PLAY_BOX, 7, dc_vec(0.03, 0.08, 0.7), side);
    }
    play.bodies = GRAINS;
    play.goal.body = 0;
    play.goal.at = dc_vec(0, 0, 0);
    play.goal.to = dc_vec(0.6, 0, 0.9);

    if (build(n) != DC_OK) return;
    for (i = 0; i < GRAINS; ++i) {
        grains.motion[i] = DC_GRAIN_ABSENT;
        place(i, 0, 0, 5);
    }
    memcpy(state_of(0), grains.state, grains.state_bytes);
    age[0] = 0;
    touched[0].touches = 0;
}

static dc_status change(int frame, const play_numbers *n)
{
    static double moved[6*BODIES];
    static int motion[BODIES];
    dc_status status;

    /* springs between grains do not outlive their stiffness */
    memcpy(grains.state, state_of(frame), grains.state_bytes);
    memcpy(moved, grains.q, sizeof moved/2);
    memcpy(moved + 3*BODIES, grains.v, sizeof moved/2);
    memcpy(motion, grains.motion, sizeof motion);
    status = build(n);
    if (status != DC_OK) return status;
    memcpy(grains.q, moved, sizeof moved/2);
    memcpy(grains.v, moved + 3*BODIES, sizeof moved/2);
    memcpy(grains.motion, motion, sizeof motion);
    memcpy(state_of(0), grains.state, grains.state_bytes);
    age[0] = age[frame];
    touched[0].touches = 0;
    return DC_OK;
}

/* ---- frames */

/* The frame's loads act as kicks: v <- v + h (torque/I, force/m). */
static void kick(const double *loads)
{
    int i;

    for (i = 0; i < GRAINS; ++i) {
        const dc_grain_type *t = &type[kind[i]];
        if (grains.motion[i] != DC_GRAIN_FREE) continue;
        grains.v[3*i] += desc.h*loads[3*i]/t->inertia;
        grains.v[3*i + 1] += desc.h*loads[3*i + 1]/t->mass;
        grains.v[3*i + 2] += desc.h*loads[3*i + 2]/t->mass;
    }
}

static dc_status substep(const double *loads, dc_grains_info *info)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);

    kick(loads);
    return dc_grains_step(&grains, &mem, info);
}

/* The grain that is poured at a frame, one in eight, or -1. */
static int next_grain(int frame)
{
    return age[frame]%8 == 0 && age[frame]/8 < GRAINS ? age[frame]/8 : -1;
}

/* The state from which a frame's steps start. */
static void enter(int frame)
{
    const int i = next_grain(frame);

    memcpy(grains.state, state_of(frame), grains.state_bytes);
    if (i < 0) return;
    grains.motion[i] = DC_GRAIN_FREE;
    place(i, 1.7*i, 0.5*(i%7 - 3)/3, 2.6);
    grains.v[3*i] = grains.v[3*i + 1] = 0;
    grains.v[3*i + 2] = -2;
}

/* A vector of the plane, turned. */
static dc_v2 turned(double theta, double x, double y)
{
    dc_real sine, cosine;
    dc_v2 r;

    dc_sincos(theta, &sine, &cosine);
    r.x = cosine*x - sine*y;
    r.y = sine*x + cosine*y;
    return r;
}

/* Points of contact: the force's line of action, from its torque, cut with the middle of two grains, or with the wall. */
static void look(int frame)
{
    int k;

    touched[frame].touches = 0;
    for (k = 0; k < grains.contacts && touched[frame].touches < PLAY_TOUCHES; ++k) {
        const dc_grain_contact *c = &grains.contact[k];
        const double *a = grains.q + 3*c->a, *b = grains.q + 3*c->b, *f = c->fb;
        const double f2 = f[1]*f[1] + f[2]*f[2];
        const int wall = c->a >= GRAINS;
        play_touch *to = &touched[frame].touch[touched[frame].touches];
        dc_v2 n, middle;
        double x, y, share;
        if (c->d >= 0 || !(f2 > 0)) continue;

        /* the plane between the two: the wall's, or half-way between the centres */
        n = turned(a[0], 0, 1);
        middle.x = wall ? a[1] : 0.5*(a[1] + b[1]);
        middle.y = wall ? a[2] : 0.5*(a[2] + b[2]);
        if (!wall) {
            n.x = b[1] - a[1];
            n.y = b[2] - a[2];
        }

        /* from the point of the line of action nearest to b's centre along the force to that plane */
        x = b[1] - f[2]*f[0]/f2;
        y = b[2] + f[1]*f[0]/f2;
        share = f[1]*n.x + f[2]*n.y;
        if (dc_abs(share) < 1e-6*dc_sqrt(f2*(n.x*n.x + n.y*n.y))) continue;
        share = (n.x*(middle.x - x) + n.y*(middle.y - y))/share;
        to->p = dc_vec(x + share*f[1], 0, y + share*f[2]);
        to->n = dc_vec(0, 0, 0);
        to->force = dc_vec(f[1], 0, f[2]);
        touched[frame].touches++;
    }
}

static dc_status step(int frame, const play_numbers *n, const play_aim *hand, const dc_v3 *shove)
{
    double *loads = load[frame];
    dc_status status = DC_OK;
    dc_grains_info info = DC_ZERO;
    int i;

    enter(frame);
    if (hand) memset(loads, 0, sizeof load[0]);
    if (hand && hand->body >= 0) {
        const int b = hand->body;
        const double *q = grains.q + 3*b, *v = grains.v + 3*b;
        const dc_v2 arm = turned(q[0], hand->at.x, hand->at.z);
        const dc_v3 f = play_pull(dc_vec(q[1] + arm.x, 0, q[2] + arm.y), dc_vec(v[1] - v[0]*arm.y, 0, v[2] + v[0]*arm.x),
                                  hand->to, type[kind[b]].mass, n->h);
        loads[3*b] = arm.x*f.z - arm.y*f.x;
        loads[3*b + 1] = f.x;
        loads[3*b + 2] = f.z;
    }
    for (i = 0; i < GRAINS; ++i) {
        loads[3*i + 1] += shove[i].x;
        loads[3*i + 2] += shove[i].z;
    }

    for (i = 0; i < substeps && status == DC_OK; ++i) status = substep(loads, &info);
    if (status != DC_OK) return status;
    play.iterations = info.contacts;
    memcpy(state_of(frame + 1), grains.state, grains.state_bytes);
    age[frame + 1] = age[frame] + 1;
    look(frame + 1);
    return DC_OK;
}

static void drop(int n)
{
    memmove(state, state_of(n), (size_t)(PLAY_FRAMES - n)*grains.state_bytes);
    memmove(load, load + n, (size_t)(PLAY_FRAMES - n)*sizeof load[0]);
    memmove(age, age + n, (size_t)(PLAY_FRAMES - n)*sizeof age[0]);
    memmove(touched, touched + n, (size_t)(PLAY_FRAMES - n)*sizeof touched[0]);
}

/* The plane's y is the page's z, so that its angles turn about -y. */
static void show(int frame)
{
    int i;

    memcpy(grains.state, state_of(frame), grains.state_bytes);
    for (i = 0; i < GRAINS; ++i) {
        const double *q = grains.q + 3*i;
        play.pose[i].q = dc_quat_exp(dc_vec(0, -q[0], 0));
        play.pose[i].t = dc_vec(q[1], 0, q[2]);
        play.present[i] = grains.motion[i] != DC_GRAIN_ABSENT;
    }
    play.touches = touched[frame].touches;
    memcpy(play.touch, touched[frame].touch, (size_t)play.touches*sizeof play.touch[0]);
}

/* From the last frame of the window to the first: its steps are made again and their states kept, then the gradient by the
 * state after each becomes that by the state before it. What a kick's velocity has for a gradient, times h/m, is a
 * force's. */
static dc_status gradient(int frame, int window)
{
    static unsigned char before[SUBSTEPS][STATE];
    static double tangent[2][6*BODIES + 8*BODIES];
    dc_grains_tangent after, now;
    const int goal = play.goal.body;
    const double *q;
    dc_status status = DC_OK;
    dc_v2 arm;
    double x, y;
    int f, i, k;

    memcpy(grains.state, state_of(frame), grains.state_bytes);
    q = grains.q + 3*goal;
    arm = turned(q[0], play.goal.at.x, play.goal.at.z);
    x = q[1] + arm.x - play.goal.to.x;
    y = q[2] + arm.y - play.goal.to.z;
    play.loss = 0.5*(x*x + y*y);
    for (i = 0; i < GRAINS; ++i) play.push[i] = dc_vec(0, 0, 0);
    if (grains.motion[goal] != DC_GRAIN_FREE) return DC_OK;

    memset(tangent, 0, sizeof tangent);
    after.q = tangent[0];
    now.q = tangent[1];
    after.q[3*goal] = arm.x*y - arm.y*x;
    after.q[3*goal + 1] = x;
    after.q[3*goal + 2] = y;

    for (f = frame - 1; f >= frame - window; --f) {
        enter(f);
        for (k = 0; k < substeps && status == DC_OK; ++k) {
            memcpy(before[k], grains.state, grains.state_bytes);
            status = substep(load[f], NULL);
        }
        for (k = substeps - 1; k >= 0 && status == DC_OK; --k) {
            dc_arena mem = dc_arena_make(scratch, sizeof scratch);
            memcpy(grains.state, before[k], grains.state_bytes);
            kick(load[f]);
            after.v = after.q + 3*BODIES;
            after.spring = after.v + 3*BODIES;
            now.v = now.q + 3*BODIES;
            now.spring = now.v + 3*BODIES;
            status = dc_grains_vjp(&grains, &after, &now, &mem, NULL);
            for (i = 0; i < GRAINS; ++i) {
                const double share = desc.h/type[kind[i]].mass;
                if (grains.motion[i] != DC_GRAIN_FREE) continue;
                play.push[i] = dc_sub(play.push[i], dc_vec(share*now.v[3*i + 1], 0, share*now.v[3*i + 2]));
            }
            { double *swap = after.q; after.q = now.q; now.q = swap; }
        }
        if (status != DC_OK) return status;

        /* a grain that was not there before does not depend on what was */
        i = next_grain(f);
        for (k = 0; i >= 0 && k < 3; ++k) after.q[3*i + k] = after.q[3*BODIES + 3*i + k] = 0;
    }
    return DC_OK;
}

const play_world play_grains = {begin, change, step, drop, show, gradient};
