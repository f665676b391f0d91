/* play.h - what the simulators behind the page share
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * The page calls the functions of play.c. They call a world: sim.c (dc_sim.h), ncp.c (dc_ncp.h) or grains.c (grains of
 * dc_sim.h), each a page or two of direct calls of dc. A world keeps the frames of the last seconds, so that the page
 * can go back, differentiate there, and go on from there. What it has to show it writes into `play`. */
#ifndef PLAY_H_INCLUDED
#define PLAY_H_INCLUDED
#include "dc_sim.h"
#include "dc_ncp.h"

enum { PLAY_BODIES = 192, PLAY_PARTS = 224, PLAY_TOUCHES = 512, PLAY_FRAMES = 600, PLAY_DROPPED = 60, PLAY_OUTLINES = 8,
       PLAY_CORNERS = 96, PLAY_JOINTS = 3 };

/* how a part is drawn; size: */
enum {
    PLAY_BOX,           /* half sizes */
    PLAY_BALL,          /* semi-axes */
    PLAY_CAPSULE,       /* along x: radius, half length of the segment */
    PLAY_CYLINDER,      /* along x: radius, half length */
    PLAY_CONE,          /* along x, apex at -3/4, base at 1/4 of the height: radius, height */
    PLAY_PRISM          /* along y: radius of the outline in x and z, half depth, number of the outline */
};
typedef struct { double body, kind, colour, size[3]; dc_pose pose; } play_part;     /* body -1: never moves */

/* a point of contact, and the force there on one of the two, N */
typedef struct { dc_v3 p, n, force; } play_touch;

typedef struct {
    double friction, stiffness, rho, h;     /* stiffness: times that of the defaults */
    double joint[PLAY_JOINTS];              /* where motors are to go */
} play_numbers;

/* a point of a body, in its frame, and where it is to be: what the hand pulls, and what the loss is of. Body -1: none */
typedef struct { int body; dc_v3 at, to; } play_aim;

typedef struct {
    /* of the scene */
    play_part part[PLAY_PARTS];
    dc_v3 centre[PLAY_BODIES];              /* of mass, in body coordinates */
    double outline[PLAY_OUTLINES][2*PLAY_CORNERS];
    int corners[PLAY_OUTLINES];
    int parts, bodies, outlines;
    play_aim goal;                          /* the loss is half the squared distance of its two places */
    /* of the frame shown */
    dc_pose pose[PLAY_BODIES];
    int present[PLAY_BODIES];
    play_touch touch[PLAY_TOUCHES];
    int touches;
    /* of the last step */
    int iterations;
    /* of the last gradient: minus the derivative of the loss by a force on each body's centre of mass that is held over
     * the window, m^2/N; and the loss */
    dc_v3 push[PLAY_BODIES];
    double loss;
    /* from the page: forces on the centres of mass, N, for play_world.step */
    dc_v3 shove[PLAY_BODIES];
} play_picture;

extern play_picture play;

/* A world. Frames are counted from 0. */
typedef struct {
    void (*begin)(int scene, const play_numbers *n);        /* frame 0 */
    dc_status (*change)(int frame, const play_numbers *n);  /* other numbers: that frame becomes frame 0 */
    /* frame + 1; those after it go. hand NULL: the loads and targets that the step had before. shove: forces on top */
    dc_status (*step)(int frame, const play_numbers *n, const play_aim *hand, const dc_v3 *shove);
    void (*drop)(int frames);                               /* the first ones go */
    void (*show)(int frame);
    dc_status (*gradient)(int frame, int window);           /* of the loss of a frame, by forces on the steps before */
} play_world;

extern const play_world play_sim, play_ncp, play_grains;

/* Adds a part; the number of the body it belongs to is the caller's. */
void play_add(int body, int kind, int colour, dc_v3 size, dc_pose pose);

/* The force of a hand that holds a point of a body of mass m: a damped spring, whose ends are where they would be at the
 * end of the step, so that no stiffness makes it swing up. */
dc_v3 play_pull(dc_v3 p, dc_v3 velocity, dc_v3 to, double m, double h);

#endif
