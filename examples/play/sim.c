/* sim.c - boxes, a chain, an arm and a gripper: dc_sim.h
 * SPDX-License-Identifier: MIT OR Unlicense */
#include "play.h"

#include <string.h>

enum { LINKS = 64, HULLS = LINKS, COORDINATES = 7*LINKS };

static const dc_pose origin = {{1, 0, 0, 0}, {0, 0, 0}};

/* a scene as it is described */
static dc_sim_desc  desc;
static dc_sim_link  links[LINKS];
static dc_hull      hull[HULLS];
static dc_v3        corner[8*HULLS];
static dc_sim_plane ground;
static double       start[COORDINATES];     /* the state it begins with */
static int          motor[PLAY_JOINTS], twin;       /* links whose joints the page's numbers drive, twin's as the last; -1: none */

/* the model, and the frames: state f + 1 is frame f's, state 0 that of a step before */
static dc_sim model;
static double state[(PLAY_FRAMES + 1)*COORDINATES], force[PLAY_FRAMES*COORDINATES], target[PLAY_FRAMES*COORDINATES];
static int    frames;

static unsigned char model_memory[1 << 22], memory[1 << 25];

static double *state_of(int frame) { return state + (frame + 1)*model.nq; }

/* ---- scenes */

/* A link that is a box, its centre at a place of the link's frame. */
static dc_sim_link *box(int parent, dc_sim_joint joint, dc_v3 attach, dc_v3 half, dc_v3 centre, int colour)
{
    const int i = desc.links++;
    dc_pose place = origin;
    int k;

    for (k = 0; k < 8; ++k)
        corner[8*i + k] = dc_add(centre, dc_vec(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z));
    hull[i].v = corner + 8*i;
    hull[i].n = 8;
    links[i].parent = parent;
    links[i].joint = joint;
    links[i].attach.t = attach;
    links[i].hull = &hull[i];
    links[i].hulls = 1;
    links[i].density = 400;

    place.t = centre;
    play_add(i, PLAY_BOX, colour, half, place);
    play.centre[i] = centre;
    return &links[i];
}

/* A box that moves freely, in rows of them with a little air between: friction and weight will close it. */
static void brick(double x, double y, double z, dc_v3 half, int colour)
{
    double *q = start + 7*desc.links;       /* every link before it is free too */

    box(-1, DC_SIM_FREE, dc_vec(0, 0, 0), half, dc_vec(0, 0, 0), colour);
    q[0] = 1;
    q[4] = x;
    q[5] = y;
    q[6] = z;
}

static void wall(int widest, int bricks)
{
    const dc_v3 half = dc_vec(0.1, 0.1, 0.1);
    int row = 0, in_row = 0, i;

    for (i = 0; i < bricks; ++i) {
        brick(0.215*(in_row - 0.5*(widest - row - 1)), 0, 0.1015 + 0.203*row, half, row);
        if (++in_row == widest - row) {
            row++;
            in_row = 0;
        }
    }
    play.goal.body = bricks - 1;
    play.goal.to = dc_vec(0.9, -0.5, 0.4);
}

static void chain(void)
{
    const dc_v3 half = dc_vec(0.035, 0.035, 0.085);
    int i;

    for (i = 0; i < 5; ++i) brick(0.75, 0.1, 0.1015 + 0.203*i, dc_vec(0.1, 0.1, 0.1), 1);
    for (i = 0; i < 10; ++i) {
        dc_sim_link *link = box(i == 0 ? -1 : desc.links - 1, DC_SIM_BALL, dc_vec(0, 0, i == 0 ? 2.3 : -0.2), half,
                                dc_vec(0, 0, -0.1), 0);
        start[5*7 + 4*i] = 1;
        link->damping = 0.05;
    }
    play.goal.body = 4;
    play.goal.to = dc_vec(1.2, 0.1, 0.5);
}

static void arm(void)
{
    static const dc_v3 axis[4] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
    static const double length[4] = {0.25, 0.6, 0.5, 0.2};
    double *q;
    int i;

    for (i = 0; i < 4; ++i) brick(0.75, -0.3 + 0.25*(i%3), 0.1015 + 0.203*(i/3), dc_vec(0.1, 0.1, 0.1), 1);
    for (i = 0; i < 4; ++i) {
        const double thick = 0.09 - 0.015*i;
        dc_sim_link *link = box(i == 0 ? -1 : desc.links - 1, DC_SIM_HINGE, dc_vec(0, 0, i == 0 ? 0.02 : length[i - 1]),
                                dc_vec(thick, thick, 0.5*length[i] - 0.02), dc_vec(0, 0, 0.5*length[i]), 0);
        link->axis = axis[i];
        link->kp = 400;
        link->kd = 40;
        if (i < 3) motor[i] = desc.links - 1;
    }
    q = start + 4*7;
    q[1] = -0.3;
    q[2] = 1.2;
    q[3] = 0.6;
    play.goal.body = 0;
    play.goal.to = dc_vec(0.9, 0.5, 0.12);
}

static void gripper(void)
{
    dc_pose place = origin;
    dc_sim_link *link;
    int side, hand;

    brick(0, 0, 0.1015, dc_vec(0.1, 0.1, 0.1), 1);
    brick(0.55, 0, 0.1015, dc_vec(0.1, 0.1, 0.1), 2);
    brick(0.55, 0, 0.3045, dc_vec(0.1, 0.1, 0.1), 3);

    /* a carriage that goes sideways, a hand that goes up and down, two fingers that close on each other */
    link = box(-1, DC_SIM_SLIDE, dc_vec(0, 0, 1.6), dc_vec(0.12, 0.12, 0.05), dc_vec(0, 0, 0), 0);
    link->axis = dc_vec(1, 0, 0);
    link->kp = 2000;
    link->kd = 400;
    motor[0] = desc.links - 1;
    place.t = dc_vec(0, 0, 1.6);
    play_add(-1, PLAY_BOX, 7, dc_vec(1.3, 0.03, 0.03), place);      /* the rail and the pole are drawn, not felt */
    link = box(motor[0], DC_SIM_SLIDE, dc_vec(0, 0, -0.85), dc_vec(0.26, 0.06, 0.05), dc_vec(0, 0, 0), 0);
    link->kp = 4000;
    link->kd = 500;
    motor[1] = hand = desc.links - 1;
    place.t = dc_vec(0, 0, 0.65);
    play_add(hand, PLAY_BOX, 7, dc_vec(0.03, 0.03, 0.6), place);
    for (side = -1; side <= 1; side += 2) {
        link = box(hand, DC_SIM_SLIDE, dc_vec(0.2*side, 0, -0.2), dc_vec(0.03, 0.06, 0.13), dc_vec(0, 0, 0), 0);
        link->axis = dc_vec(-side, 0, 0);
        link->kp = 1500;
        link->kd = 150;
        link->friction = 1;
    }
    motor[2] = desc.links - 2;
    twin = desc.links - 1;
    play.goal.body = 0;
    play.goal.to = dc_vec(-0.5, 0.2, 0.1);
}

/* ---- the world */

/* The model with the page's numbers: once with all defaults, to know what the default stiffness is. */
static dc_status build(const play_numbers *n)
{
    dc_arena mem = dc_arena_make(model_memory, sizeof model_memory);
    dc_status status;

    desc.stiffness = 0;
    desc.h = n->h;
    ground.friction = n->friction;
    status = dc_sim_build(&desc, &mem, &model, NULL);
    if (status != DC_OK) return status;
    desc.stiffness = n->stiffness*model.desc.stiffness;
    mem.used = 0;
    return dc_sim_build(&desc, &mem, &model, NULL);
}

static void begin(int scene, const play_numbers *n)
{
    int i;

    memset(&desc, 0, sizeof desc);
    memset(links, 0, sizeof links);
    memset(start, 0, sizeof start);
    for (i = 0; i < PLAY_JOINTS; ++i) motor[i] = -1;
    twin = -1;
    ground.n = dc_vec(0, 0, 1);
    desc.link = links;
    desc.plane = &ground;
    desc.planes = 1;
    desc.gravity.z = -9.81;
    desc.tolerance = 1e-6;                  /* of the largest force: more than one sees */
    desc.iterations = 60;                   /* a step that asks for more goes on from where it is, free of overlap */
    desc.friction.eps_v = 1e-4;             /* friction is smooth below 1 cm/s */
    play.goal.at = dc_vec(0, 0, 0);

    if (scene == 0) wall(4, 10);
    if (scene == 1) chain();
    if (scene == 2) arm();
    if (scene == 3) gripper();
    if (scene == 4) wall(10, 50);

    for (i = 0; i < desc.links; ++i) if (links[i].friction <= 0) links[i].friction = 1;
    play.bodies = desc.links;
    for (i = 0; i < play.bodies; ++i) play.present[i] = 1;
    frames = 0;
    if (build(n) != DC_OK) return;
    memcpy(state_of(-1), start, (size_t)model.nq*sizeof *start);
    memcpy(state_of(0), start, (size_t)model.nq*sizeof *start);
    frames = 1;
}

static dc_status change(int frame, const play_numbers *n)
{
    const double old_h = model.desc.h;
    double v[COORDINATES], *first = state_of(-1);
    int i;
    dc_status status;

    /* the velocity stays: the state one step before is a step of the new length away */
    memmove(first, state_of(frame - 1), 2*(size_t)model.nq*sizeof *state);
    dc_sim_local(&model, state_of(0), first, v);
    for (i = 0; i < model.nv; ++i) v[i] *= n->h/old_h;
    dc_sim_retract(&model, state_of(0), v, first);
    frames = 1;
    status = build(n);
    return status;
}

/* The loads and targets of a step as the page wants them: motors go where its numbers say, the hand pulls at a point of
 * a link, J^T f. */
static void load(int frame, const play_numbers *n, const play_aim *hand)
{
    const double *now = state_of(frame), step = model.desc.h;
    double *f = force + frame*model.nv, *to = target + frame*model.nq;
    dc_pose pose[LINKS], was[LINKS];
    const int b = hand->body;
    dc_v3 p, v;
    int i;

    dc_sim_neutral(&model, to);
    for (i = 0; i < PLAY_JOINTS; ++i) if (motor[i] >= 0) to[model.q_at[motor[i]]] = n->joint[i];
    if (twin >= 0) to[model.q_at[twin]] = n->joint[2];

    memset(f, 0, (size_t)model.nv*sizeof *f);
    if (b < 0) return;
    dc_sim_poses(&model, now, pose);
    dc_sim_poses(&model, state_of(frame - 1), was);
    p = dc_pose_apply(pose[b], hand->at);
    v = dc_scale(1/step, dc_sub(p, dc_pose_apply(was[b], hand->at)));
    dc_sim_pull(&model, now, b, hand->at, play_pull(p, v, hand->to, model.moment[16*b + 15], step), f);
}

static dc_status step(int frame, const play_numbers *n, const play_aim *hand, const dc_v3 *shove)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_sim_control control = DC_ZERO;
    dc_sim_info info = DC_ZERO;
    dc_status status;
    int i;

    if (hand) load(frame, n, hand);
    for (i = 0; i < model.links; ++i)
        dc_sim_pull(&model, state_of(frame), i, play.centre[i], shove[i], force + frame*model.nv);

    control.target = target + frame*model.nq;
    control.force = force + frame*model.nv;
    status = dc_sim_step(&model, state_of(frame - 1), state_of(frame), &control, &mem, state_of(frame + 1), &info);
    play.iterations = info.iterations;
    frames = frame + 2;
    return status;
}

static void drop(int n)
{
    frames -= n;
    memmove(state, state + n*model.nq, (size_t)((frames + 1)*model.nq)*sizeof *state);
    memmove(force, force + n*model.nv, (size_t)(frames*model.nv)*sizeof *force);
    memmove(target, target + n*model.nq, (size_t)(frames*model.nq)*sizeof *target);
}

/* The forces of contact are those of the step that led to a frame. */
static void show(int frame)
{
    static dc_contact_force contact[PLAY_TOUCHES];
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    int k, count = 0;

    dc_sim_poses(&model, state_of(frame), play.pose);

    /* more than there is room for are none */
    play.touches = 0;
    if (frame == 0 || dc_sim_contacts(&model, state_of(frame - 1), state_of(frame), &mem, PLAY_TOUCHES, contact, &count) != DC_OK)
        return;
    for (k = 0; k < count; ++k) {
        play.touch[k].p = contact[k].point;
        play.touch[k].n = contact[k].n;
        play.touch[k].force = dc_add(contact[k].normal, contact[k].friction);
    }
    play.touches = count;
}

/* The loss is of the place of a link's point at the end of the window. The adjoint gives its derivative by the force on
 * every freedom in every step; that of a force f on a link's centre of mass is J^T f, so J turns one into the other. */
static dc_status gradient(int frame, int window)
{
    static dc_sim_control control[PLAY_FRAMES];
    static double loss[PLAY_FRAMES*COORDINATES], by_control[3*PLAY_FRAMES*COORDINATES];
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    const dc_sim_run none = DC_ZERO;
    dc_sim_run run = none;
    const play_aim *goal = &play.goal;
    dc_pose pose[LINKS];
    dc_v3 miss;
    dc_status status;
    int first = frame - window, i, k;

    dc_sim_poses(&model, state_of(frame), pose);
    miss = dc_sub(dc_pose_apply(pose[goal->body], goal->at), goal->to);
    play.loss = 0.5*dc_dot(miss, miss);
    if (window < 1) return DC_OK;
    memset(loss, 0, (size_t)(window*model.nv)*sizeof *loss);
    dc_sim_pull(&model, state_of(frame), goal->body, goal->at, miss, loss + (window - 1)*model.nv);

    memset(control, 0, sizeof control);
    for (k = 0; k < window; ++k) {
        control[k].target = target + (first + k)*model.nq;
        control[k].force = force + (first + k)*model.nv;
    }
    run.steps = window;
    run.q = state_of(first - 1);
    run.control = control;
    run.loss = loss;
    run.control_grad = by_control;
    status = dc_sim_adjoint(&model, &run, &mem);
    if (status != DC_OK) return status;

    for (i = 0; i < model.links; ++i) {
        play.push[i] = dc_vec(0, 0, 0);
        for (k = 0; k < window; ++k)
            play.push[i] = dc_sub(play.push[i], dc_sim_carry(&model, state_of(first + k), i, play.centre[i],
                                                             by_control + (3*k + 2)*model.nv));
    }
    return DC_OK;
}

const play_world play_sim = {begin, change, step, drop, show, gradient};
