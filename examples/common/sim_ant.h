/* sim_ant.h - a four-legged robot of nine links and 16 freedoms, and its gait
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * The numbers of SDRS's spider (section V-C), which gives no sizes: a free torso, hip and knee in each leg, and in the front legs a
 * second freedom in the hip, so that 6 + 2*3 + 2*2 = 16. Gains are the paper's. Include it after sim_scene.h. */
#ifndef SIM_ANT_H_INCLUDED
#define SIM_ANT_H_INCLUDED

#define ANT_UPPER 0.16                  /* m, hip to knee */
#define ANT_LOWER 0.24                  /* knee to foot */
#define ANT_KNEE 1.25                   /* rad, how far the lower leg points down */
#define ANT_THICK 0.02                  /* half a leg's */
#define ANT_HEIGHT (ANT_LOWER*sin(ANT_KNEE) + ANT_THICK*cos(ANT_KNEE) + 0.002)  /* of the hips, standing */

enum { ANT_LEGS = 4, ANT_FREEDOMS = 16 };       /* legs: front left, front right, rear left, rear right */

/* On the floor z >= 0, hips at ANT_HEIGHT. */
static inline void sim_ant(sim_world *w, double h, double friction)
{
    int k;

    sim_begin(w, h);
    w->desc.length = DC_R(0.05);
    w->desc.stiffness = DC_R(1e-4);
    w->desc.friction.eps_v = DC_R(1e-4);    /* sliding from 1 cm/s: half the Newton steps of 1 mm/s */
    sim_plane(w, dc_vec(0, 0, 1), 0, friction);
    sim_link(w, -1, DC_SIM_FREE, dc_vec(0, 0, DC_R(ANT_HEIGHT)), 4);
    sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(0.2), DC_R(0.1), DC_R(0.05)));
    for (k = 0; k < ANT_LEGS; k++) {
        double x = k < 2 ? 1 : -1, y = k%2 ? -1 : 1;
        dc_sim_link *l = sim_link(w, 0, DC_SIM_HINGE, dc_vec(DC_R(0.2*x), DC_R(0.1*y), 0), k < 2 ? 0 : 0.4);
        l->attach.q = dc_quat_exp(dc_vec(0, 0, DC_R(y*(x > 0 ? 0.9 : 2*asin(1.0) - 0.9))));     /* x is outwards */
        if (k < 2) {
            l = sim_link(w, w->desc.links - 1, DC_SIM_HINGE, dc_vec(0, 0, 0), 0.4);
            l->axis = dc_vec(0, 1, 0);
        }
        sim_box(w, dc_vec(DC_R(0.5*ANT_UPPER), 0, 0), dc_vec(DC_R(0.5*ANT_UPPER), DC_R(ANT_THICK), DC_R(ANT_THICK)));
        l = sim_link(w, w->desc.links - 1, DC_SIM_HINGE, dc_vec(DC_R(ANT_UPPER), 0, 0), 0.3);
        l->attach.q = dc_quat_exp(dc_vec(0, DC_R(ANT_KNEE), 0));
        l->axis = dc_vec(0, 1, 0);
        sim_box(w, dc_vec(DC_R(0.5*ANT_LOWER), 0, 0), dc_vec(DC_R(0.5*ANT_LOWER), DC_R(ANT_THICK), DC_R(ANT_THICK)));
    }
    for (k = 1; k < w->desc.links; k++) {
        w->link[k].kp = 100;
        w->link[k].kd = 10;
    }
    sim_build(w);
}

/* Targets at time t: legs across from each other swing together. A leg is lifted while it swings forwards, by the second freedom of
 * the hip or the knee. target, velocity: as in dc_sim_control. */
static inline void sim_ant_gait(const sim_world *w, double t, double pace, double swing, double lift, dc_real *target, dc_real *velocity)
{
    double turn = 8*atan(1.0)*pace;
    int    i, k, leg = -1;

    dc_sim_neutral(&w->sim, target);
    for (i = 0; i < w->sim.nv; i++) velocity[i] = 0;
    for (i = 1; i < w->sim.links; i++) {
        double phase, c, s, side;
        if (w->sim.link[i].parent == 0) leg++;
        side = leg%2 ? 1 : -1;
        phase = turn*t + (leg == 0 || leg == 3 ? 0 : 4*atan(1.0));
        s = sin(phase);
        c = cos(phase);
        k = w->sim.v_at[i];
        if (w->sim.link[i].parent == 0) {
            target[w->sim.q_at[i]] = DC_R(side*swing*s);
            velocity[k] = DC_R(side*swing*turn*c);
        } else if (c > 0 && (leg < 2 ? w->sim.link[i].hulls > 0 && w->sim.link[w->sim.link[i].parent].hulls == 0 : 1)) {
            target[w->sim.q_at[i]] = DC_R(-lift*c*c);
            velocity[k] = DC_R(2*lift*turn*c*s);
        }
    }
}

#endif /* SIM_ANT_H_INCLUDED */
