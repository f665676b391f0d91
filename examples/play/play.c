/* play.c - what the page calls
 * SPDX-License-Identifier: MIT OR Unlicense */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "play.h"

/* a function that the page finds by its name */
#define PAGE(type, name, args) type page_##name args; __attribute__((export_name(#name))) type page_##name args

play_picture play;

static play_numbers      numbers;
static play_aim          hand;
static const play_world *world;
static int               frames;
static const dc_v3       none[PLAY_BODIES];     /* no force */

void play_add(int body, int kind, int colour, dc_v3 size, dc_pose pose)
{
    play_part *part = &play.part[play.parts++];

    part->body = body;
    part->kind = kind;
    part->colour = colour;
    part->size[0] = size.x;
    part->size[1] = size.y;
    part->size[2] = size.z;
    part->pose = pose;
}

dc_v3 play_pull(dc_v3 p, dc_v3 velocity, dc_v3 to, double m, double h)
{
    const double omega = 20, k = m*omega*omega, c = 2*m*omega;
    dc_v3 f = dc_madd(dc_scale(k, dc_sub(to, p)), -(c + k*h), velocity);

    f.z += 9.81*m;

    /* a point off the centre yields more easily: as a third of the mass would */
    return dc_scale(1/(1 + 3*(c*h + k*h*h)/m), f);
}

/* ---- a scene; its numbers are set before */

PAGE(void, number, (int i, double value)) { ((double *)&numbers)[i] = value; }

PAGE(void, begin, (int simulator, int scene))
{
    world = simulator == 0 ? &play_sim : simulator == 1 ? &play_ncp : &play_grains;
    play.parts = play.bodies = play.outlines = play.touches = 0;
    hand.body = -1;
    frames = 1;
    world->begin(scene, &numbers);
}

/* numbers were set: the frame becomes the first */
PAGE(int, change, (int frame))
{
    dc_status status = world->change(frame, &numbers);

    if (status == DC_OK) frames = 1;
    return (int)status;
}

PAGE(void, hold, (int body, double ax, double ay, double az, double x, double y, double z))
{
    hand.body = body;
    hand.at = dc_vec(ax, ay, az);
    hand.to = dc_vec(x, y, z);
}

PAGE(void, aim, (int body, double ax, double ay, double az, double x, double y, double z))
{
    play.goal.body = body;
    play.goal.at = dc_vec(ax, ay, az);
    play.goal.to = dc_vec(x, y, z);
}

/* ---- frames */

/* One step from a frame: the number of the next, or -1 - status, and no frame more. */
PAGE(int, step, (int frame))
{
    dc_status status;

    if (frame + 1 == PLAY_FRAMES) {
        world->drop(PLAY_DROPPED);
        frame -= PLAY_DROPPED;
    }
    status = world->step(frame, &numbers, &hand, none);
    if (status != DC_OK && status != DC_E_DIVERGED) {
        frames = frame + 1;
        return -1 - (int)status;
    }
    frames = frame + 2;
    return frame + 1;
}

PAGE(int, frames, (void)) { return frames; }
PAGE(void, show, (int frame)) { world->show(frame); }

/* The loss of a frame, and its gradient over a window of steps before it, as many as there are: how many, or
 * -1 - status. */
PAGE(int, gradient, (int frame, int window))
{
    dc_status status;

    if (window > frame) window = frame;
    status = world->gradient(frame, window);
    return status == DC_OK ? window : -1 - (int)status;
}

/* The steps of the window before a frame once more, with the loads they had and `shove` on top, which is recorded with
 * them: 0, or -1 - status. The frames after it are gone. */
PAGE(int, again, (int frame, int window))
{
    dc_status status = DC_OK;
    int k;

    if (window > frame) window = frame;
    for (k = frame - window; k < frame && (status == DC_OK || status == DC_E_DIVERGED); ++k)
        status = world->step(k, &numbers, NULL, play.shove);
    frames = k + 1;
    return status == DC_OK || status == DC_E_DIVERGED ? 0 : -1 - (int)status;
}

PAGE(const char *, text, (int status)) { return dc_status_text((dc_status)status); }

/* ---- where things are in the page's view of the memory */

PAGE(int, parts, (void)) { return play.parts; }
PAGE(int, bodies, (void)) { return play.bodies; }
PAGE(int, touches, (void)) { return play.touches; }
PAGE(int, iterations, (void)) { return play.iterations; }
PAGE(double, loss, (void)) { return play.loss; }
PAGE(int, corners, (int outline)) { return play.corners[outline]; }
PAGE(int, goal_body, (void)) { return play.goal.body; }
PAGE(const void *, part_at, (void)) { return play.part; }
PAGE(const void *, pose_at, (void)) { return play.pose; }
PAGE(const void *, present_at, (void)) { return play.present; }
PAGE(const void *, centre_at, (void)) { return play.centre; }
PAGE(const void *, touch_at, (void)) { return play.touch; }
PAGE(const void *, push_at, (void)) { return play.push; }
PAGE(const void *, shove_at, (void)) { return play.shove; }
PAGE(const void *, goal_at, (void)) { return &play.goal.at; }
PAGE(const void *, outline_at, (int outline)) { return play.outline[outline]; }
