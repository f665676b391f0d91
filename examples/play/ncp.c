/* ncp.c - solids of every shape in hard contact: dc_ncp.h
 * SPDX-License-Identifier: MIT OR Unlicense */
#include "play.h"

#include <string.h>

enum { BODIES = 32, PARTS = BODIES + 1, CONTACTS = 192, STRIDE = 160, SOLVED = 24 };

static dc_shape       shape[PARTS];
static dc_ncp_part    part[PARTS];
static int            parts, bodies;
static dc_ncp_options options;
static double         h;

/* A frame: the bodies with the loads of the step after it, and what touched in the step before it. */
static dc_ncp_body body[PLAY_FRAMES][BODIES];
static struct { play_touch touch[CONTACTS]; int touches; } touched[PLAY_FRAMES];

/* The solutions of the last steps: derivatives ask them, so that no step is solved twice. A step that is asked for and
 * not among them any more is solved again. `from`: the frame it starts from. */
typedef struct {
    int            from;
    dc_ncp_scene   scene;
    dc_ncp_contact contact[CONTACTS];
    dc_ncp        *solution;
    dc_status      status;
    unsigned char  memory[3 << 20];
} solved_step;
static solved_step solved[SOLVED];

/* what contacts keep for a warm start, by pairs of parts */
static int           key[CONTACTS];
static double        keep[CONTACTS*STRIDE];
static dc_ncp_memory warm = {CONTACTS, STRIDE, key, keep};

static unsigned char shape_memory[1 << 18], scratch[1 << 20];
static dc_arena      shapes;

/* ---- scenes */

/* A body of the shape made last, uniform, 400 kg/m^3, with the mean squares of its points along its axes. */
static void solid(double radius, double volume, dc_v3 square, dc_v3 at, dc_quat turn)
{
    dc_ncp_body *b = &body[0][bodies];
    dc_ncp_part *p = &part[parts];

    memset(b, 0, sizeof *b);
    memset(p, 0, sizeof *p);
    b->pose.q = turn;
    b->pose.t = at;
    b->mass = 400*volume;
    b->inertia.m[0] = b->mass*(square.y + square.z);
    b->inertia.m[4] = b->mass*(square.z + square.x);
    b->inertia.m[8] = b->mass*(square.x + square.y);
    p->body = bodies;
    p->shape = &shape[parts];
    p->radius = radius;
    play.centre[bodies] = dc_vec(0, 0, 0);
    parts++;
    bodies++;
}

static void ellipsoid(dc_v3 semi, int colour, dc_v3 at, dc_quat turn)
{
    const dc_pose middle = {{1, 0, 0, 0}, {0, 0, 0}};
    const double longest = dc_max(semi.x, dc_max(semi.y, semi.z));

    if (dc_shape_ellipsoid(3, semi, &shapes, &shape[parts]) != DC_OK) return;
    play_add(bodies, PLAY_BALL, colour, semi, middle);
    solid(longest, 4.18879*semi.x*semi.y*semi.z, dc_vec(semi.x*semi.x/5, semi.y*semi.y/5, semi.z*semi.z/5), at, turn);
}

static void ball(double r, int colour, dc_v3 at)
{
    const dc_pose middle = {{1, 0, 0, 0}, {0, 0, 0}};

    if (dc_shape_sphere(3, r, &shapes, &shape[parts]) != DC_OK) return;
    play_add(bodies, PLAY_BALL, colour, dc_vec(r, r, r), middle);
    solid(r, 4.18879*r*r*r, dc_vec(r*r/5, r*r/5, r*r/5), at, middle.q);
}

static void box(dc_v3 half, int colour, dc_v3 at, dc_quat turn)
{
    const dc_pose middle = {{1, 0, 0, 0}, {0, 0, 0}};

    if (dc_shape_box(3, half, &shapes, &shape[parts]) != DC_OK) return;
    play_add(bodies, PLAY_BOX, colour, half, middle);
    solid(dc_sqrt(dc_dot(half, half)), 8*half.x*half.y*half.z,
          dc_vec(half.x*half.x/3, half.y*half.y/3, half.z*half.z/3), at, turn);
}

static void cylinder(double r, double length, int colour, dc_v3 at, dc_quat turn)
{
    const dc_pose middle = {{1, 0, 0, 0}, {0, 0, 0}};

    if (dc_shape_cylinder(3, r, length, &shapes, &shape[parts]) != DC_OK) return;
    play_add(bodies, PLAY_CYLINDER, colour, dc_vec(r, length/2, 0), middle);
    solid(dc_sqrt(r*r + length*length/4), 3.14159*r*r*length, dc_vec(length*length/12, r*r/4, r*r/4), at, turn);
}

/* the ends are half balls, whose mean square along the axis is about a point l from the middle */
static void capsule(double r, double length, int colour, dc_v3 at, dc_quat turn)
{
    const dc_pose middle = {{1, 0, 0, 0}, {0, 0, 0}};
    const double l = length/2, tube = 2*l, ends = 4*r/3, x2 = l*l + 0.75*l*r + r*r/5;

    if (dc_shape_capsule(3, r, length, &shapes, &shape[parts]) != DC_OK) return;
    play_add(bodies, PLAY_CAPSULE, colour, dc_vec(r, l, 0), middle);
    solid(l + r, 3.14159*r*r*(tube + ends),
          dc_vec((tube*l*l/3 + ends*x2)/(tube + ends), (tube/4 + ends/5)*r*r/(tube + ends),
                 (tube/4 + ends/5)*r*r/(tube + ends)), at, turn);
}

static void cone(double r, double height, int colour, dc_v3 at, dc_quat turn)
{
    const dc_pose middle = {{1, 0, 0, 0}, {0, 0, 0}};

    if (dc_shape_cone(3, height, r/height, &shapes, &shape[parts]) != DC_OK) return;
    play_add(bodies, PLAY_CONE, colour, dc_vec(r, height, 0), middle);
    solid(dc_max(0.75*height, dc_sqrt(r*r + height*height/16)), 1.0472*r*r*height,
          dc_vec(0.0375*height*height, 0.15*r*r, 0.15*r*r), at, turn);
}

static void solids(void)
{
    const dc_quat flat = {1, 0, 0, 0}, upright = dc_quat_exp(dc_vec(0, 1.5707963, 0));    /* x points down */
    const dc_quat askew = dc_quat_exp(dc_vec(0.3, 0.5, 0.2));

    box(dc_vec(0.3, 0.2, 0.1), 0, dc_vec(0, 0, 0.1), flat);
    cylinder(0.12, 0.3, 1, dc_vec(0.1, 0, 0.352), upright);
    ball(0.12, 2, dc_vec(0.1, 0, 0.625));
    capsule(0.08, 0.24, 3, dc_vec(-0.6, 0.15, 0.08), dc_quat_exp(dc_vec(0, 0, 0.7)));
    cone(0.16, 0.36, 4, dc_vec(0.65, -0.2, 0.091), upright);
    ellipsoid(dc_vec(0.2, 0.13, 0.1), 5, dc_vec(-0.15, -0.55, 0.4), askew);
    box(dc_vec(0.1, 0.1, 0.1), 6, dc_vec(-0.2, 0, 0.9), askew);
    box(dc_vec(0.12, 0.12, 0.06), 7, dc_vec(0.55, 0.45, 0.06), flat);
    play.goal.body = 7;
    play.goal.to = dc_vec(0.9, 0.9, 0.06);
}

/* ---- the world */

static void numbers(const play_numbers *n)
{
    int i;

    h = n->h;
    options.rho = n->rho;
    for (i = 0; i < parts; ++i) part[i].mu = n->friction;   /* of two the geometric mean: this */
    for (i = 0; i < SOLVED; ++i) solved[i].from = -1;
    memset(key, 0, sizeof key);
}

static void begin(int scene, const play_numbers *n)
{
    int i;

    (void)scene;
    shapes = dc_arena_make(shape_memory, sizeof shape_memory);
    parts = bodies = 0;
    play.goal.at = dc_vec(0, 0, 0);
    solids();

    memset(&part[parts], 0, sizeof part[parts]);
    if (dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &shapes, &shape[parts]) != DC_OK) return;
    part[parts].body = -1;
    part[parts].shape = &shape[parts];
    parts++;

    play.bodies = bodies;
    for (i = 0; i < bodies; ++i) play.present[i] = 1;
    touched[0].touches = 0;
    numbers(n);
}

static dc_status change(int frame, const play_numbers *n)
{
    memmove(body[0], body[frame], sizeof body[0]);
    memmove(&touched[0], &touched[frame], sizeof touched[0]);
    numbers(n);
    return DC_OK;
}

/* Solves the step that starts from a frame: the contacts of all pairs that can meet in it, then all at once. */
static solved_step *solve(int from, dc_ncp_memory *kept, dc_ncp_body *next, dc_ncp_info *info)
{
    solved_step *s = &solved[from%SOLVED];
    dc_arena mem = dc_arena_make(s->memory, sizeof s->memory), work = dc_arena_make(scratch, sizeof scratch);
    double fastest = 0;
    int count, i;

    for (i = 0; i < bodies; ++i) {
        const dc_ncp_body *b = &body[from][i];
        fastest = dc_max(fastest, dc_sqrt(dc_dot(b->v, b->v)) + part[i].radius*dc_sqrt(dc_dot(b->w, b->w)));
    }

    memset(&s->scene, 0, sizeof s->scene);
    s->from = from;
    s->solution = NULL;
    s->scene.dim = 3;
    s->scene.h = h;
    s->scene.gravity.z = -9.81;
    s->scene.bodies = bodies;
    s->scene.body = body[from];
    s->scene.contact = s->contact;
    s->status = dc_ncp_contacts(&options, &s->scene, parts, part, 0.05 + 2*fastest*h, 0, NULL, kept, CONTACTS, s->contact,
                                &count, &work);
    if (s->status != DC_OK) return s;
    s->scene.contacts = count;
    s->status = dc_ncp_step(&options, &s->scene, &mem, next, &s->solution, info);
    return s;
}

/* The loads of a step as the page wants them: a hand that pulls at a point of a body. */
static void load(int frame, const play_aim *hand)
{
    int i;

    for (i = 0; i < bodies; ++i) body[frame][i].force = body[frame][i].torque = dc_vec(0, 0, 0);
    if (hand->body >= 0) {
        dc_ncp_body *b = &body[frame][hand->body];
        dc_v3 arm = dc_quat_rotate(b->pose.q, hand->at), v = dc_add(b->v, dc_cross(b->w, arm));
        b->force = play_pull(dc_add(b->pose.t, arm), v, hand->to, b->mass, h);
        b->torque = dc_cross(arm, b->force);
    }
}

static dc_status step(int frame, const play_numbers *n, const play_aim *hand, const dc_v3 *shove)
{
    static dc_ncp_body later[BODIES];
    dc_ncp_info info = DC_ZERO;
    solved_step *s;
    int i, k;

    (void)n;
    memcpy(later, body[frame + 1], sizeof later);
    if (hand) load(frame, hand);
    for (i = 0; i < bodies; ++i) body[frame][i].force = dc_add(body[frame][i].force, shove[i]);

    s = solve(frame, &warm, body[frame + 1], &info);
    play.iterations = info.iterations;
    if (s->status != DC_OK && s->status != DC_E_DIVERGED) return s->status;

    /* a step that is made again keeps the loads of the one after it */
    for (i = 0; !hand && i < bodies; ++i) {
        body[frame + 1][i].force = later[i].force;
        body[frame + 1][i].torque = later[i].torque;
    }

    /* what touched, for the page */
    touched[frame + 1].touches = 0;
    for (k = 0; s->status == DC_OK && k < s->scene.contacts; ++k) {
        play_touch *to = &touched[frame + 1].touch[touched[frame + 1].touches];
        dc_ncp_touch t;
        if (dc_ncp_force(s->solution, k, &t) != DC_OK || t.gap > 0.01) continue;
        to->p = t.p;
        to->n = t.n;
        to->force = dc_scale(1/h, t.impulse);
        touched[frame + 1].touches++;
    }
    return s->status;
}

static void drop(int n)
{
    int i;

    memmove(body, body + n, (size_t)(PLAY_FRAMES - n)*sizeof body[0]);
    memmove(touched, touched + n, (size_t)(PLAY_FRAMES - n)*sizeof touched[0]);
    for (i = 0; i < SOLVED; ++i) solved[i].from = -1;       /* they borrow bodies that are elsewhere now */
}

static void show(int frame)
{
    int i;

    for (i = 0; i < bodies; ++i) play.pose[i] = body[frame][i].pose;
    play.touches = touched[frame].touches;
    memcpy(play.touch, touched[frame].touch, (size_t)play.touches*sizeof play.touch[0]);
}

/* The loss is of the place of a point of a body at the end of the window. From the last step to the first the cotangent
 * of (pose, v, w) after a step is pulled back to those before it; what comes out for the force is what is shown. */
static dc_status gradient(int frame, int window)
{
    static double bar[12*BODIES], by[DC_NCP_BODY_PARAMS*BODIES];
    dc_ncp_body spare[BODIES];
    const dc_ncp_body *b = &body[frame][play.goal.body];
    const dc_v3 arm = dc_quat_rotate(b->pose.q, play.goal.at), miss = dc_sub(dc_add(b->pose.t, arm), play.goal.to);
    const dc_v3 turn = dc_cross(arm, miss);
    double *goal = bar + 12*play.goal.body;
    int k, i, j;

    play.loss = 0.5*dc_dot(miss, miss);
    memset(bar, 0, sizeof bar);
    goal[0] = miss.x;
    goal[1] = miss.y;
    goal[2] = miss.z;
    goal[3] = turn.x;
    goal[4] = turn.y;
    goal[5] = turn.z;

    for (i = 0; i < bodies; ++i) play.push[i] = dc_vec(0, 0, 0);
    for (k = frame - 1; k >= frame - window; --k) {
        dc_ncp_adjoint out = DC_ZERO;
        solved_step *s = &solved[k%SOLVED];
        dc_status status;

        if (s->from != k) s = solve(k, NULL, spare, NULL);
        if (s->status != DC_OK) return s->status;
        memset(by, 0, sizeof by);
        out.body = by;
        status = dc_ncp_vjp(s->solution, bar, &out);
        if (status != DC_OK) return status;
        for (i = 0; i < bodies; ++i) {
            const double *g = by + DC_NCP_BODY_PARAMS*i, *f = g + DC_NCP_AT_FORCE;
            for (j = 0; j < 12; ++j) bar[12*i + j] = g[DC_NCP_AT_POSE + j];
            play.push[i] = dc_sub(play.push[i], dc_vec(f[0], f[1], f[2]));
        }
    }
    return DC_OK;
}

const play_world play_ncp = {begin, change, step, drop, show, gradient};
