/* sim_lean.h - two planks beside a wall, one of which is pushed over
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS, Fig. 24, which gives no sizes: a fixed wall, two things on the floor, the second one with an angular velocity at the start.
 * Include it after sim_scene.h. */
#ifndef SIM_LEAN_H_INCLUDED
#define SIM_LEAN_H_INCLUDED

#define LEAN_THICK 0.05                 /* m */
#define LEAN_TALL 0.5
#define LEAN_WALL 0.12                  /* from the wall to the first plank, */
#define LEAN_APART 0.15                 /* from that to the second */
#define LEAN_GAP 1e-4                   /* from the floor */
#define LEAN_SPIN 1.5                   /* rad/s of the second one at the start */

/* Planks of 1 kg upright on the floor z >= 0 beside the wall x >= 0, `friction` between any two; the second one turns about its
 * lower edge towards the wall by `spin` rad/s. */
static inline void sim_lean(sim_world *w, double h, double friction, double spin)
{
    const dc_v3 half = {DC_R(0.5*LEAN_THICK), DC_R(0.15), DC_R(0.5*LEAN_TALL)};
    dc_v3       edge;
    dc_pose     pose;
    dc_real    *q;
    int         k;

    sim_begin(w, h);
    /* contact is felt from 0.1 or 0.22 lengths, less than what 1 m/s moves in a step, so that nothing bounces; friction is full
     * from some 0.1 mm/s, in float 1 mm/s */
    w->desc.length = DC_R(2*h);
    w->desc.stiffness = DC_R(1e-6);
    w->desc.friction.eps_v = DC_R(DC_IS_FLOAT ? 1e-6 : 1e-8);
    w->desc.tolerance = DC_R(DC_IS_FLOAT ? 1e-3 : 1e-6);
    sim_plane(w, dc_vec(0, 0, 1), 0, sqrt(friction));
    sim_plane(w, dc_vec(1, 0, 0), 0, sqrt(friction));
    for (k = 0; k < 2; k++) {
        double x = LEAN_WALL + 0.5*LEAN_THICK + k*(LEAN_THICK + LEAN_APART);
        sim_link(w, -1, DC_SIM_FREE, dc_vec(DC_R(x), 0, DC_R(0.5*LEAN_TALL + LEAN_GAP)), 1)->friction = DC_R(sqrt(friction));
        sim_box(w, dc_vec(0, 0, 0), half);
    }
    sim_build(w);
    /* a step ago the second plank was turned the other way about its edge */
    edge = dc_vec(-half.x, 0, -half.z);
    pose.q = dc_quat_exp(dc_vec(0, DC_R(spin*h), 0));
    pose.t = dc_sub(edge, dc_quat_rotate(pose.q, edge));
    q = w->prev + 7;
    q[0] = pose.q.w;
    q[1] = pose.q.x;
    q[2] = pose.q.y;
    q[3] = pose.q.z;
    q[4] = pose.t.x;
    q[5] = pose.t.y;
    q[6] = pose.t.z;
}

/* Angle of plank k from upright towards the wall, rad. */
static inline double sim_lean_angle(const sim_world *w, int k)
{
    const dc_real *q = w->now + 7*k;
    return -2*atan2((double)q[2], (double)q[0]);
}

#endif /* SIM_LEAN_H_INCLUDED */
