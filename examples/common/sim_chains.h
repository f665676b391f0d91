/* sim_chains.h - four chains that turn about a vertical line, and meet there
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS, Fig. 6, which gives the freedoms but no sizes: each joint has two, two hinges across each other, so that n links a chain
 * make 8n. Include it after sim_scene.h. */
#ifndef SIM_CHAINS_H_INCLUDED
#define SIM_CHAINS_H_INCLUDED

#define CHAINS 4
#define CHAINS_PITCH 0.14               /* m, from joint to joint */

/* Four chains of n links from the corners of a square, stretched outwards and 0.5 rad downwards, turning by `spin` rad/s. */
static inline void sim_chains(sim_world *w, int n, double h, double spin)
{
    int c, i;

    sim_begin(w, h);
    w->desc.length = DC_R(0.05);
    w->desc.stiffness = DC_R(1e-3);
    for (c = 0; c < CHAINS; c++) {
        for (i = 0; i < n; i++) {
            /* turns about the vertical, then about the level line across the link */
            dc_sim_link *l = sim_link(w, i > 0 ? w->desc.links - 1 : -1, DC_SIM_HINGE, dc_vec(DC_R(CHAINS_PITCH), 0, 0), 0);
            if (i == 0) {
                l->attach.q = dc_quat_exp(dc_vec(0, 0, DC_R(2*atan(1.0)*c)));
                l->attach.t = dc_quat_rotate(l->attach.q, dc_vec(DC_R(0.15), 0, 0));
            }
            l->damping = DC_R(1e-3);
            l = sim_link(w, w->desc.links - 1, DC_SIM_HINGE, dc_vec(0, 0, 0), 0.1);
            l->axis = dc_vec(0, 1, 0);
            l->damping = DC_R(1e-3);
            l->friction = DC_R(0.5);
            sim_box(w, dc_vec(DC_R(0.5*CHAINS_PITCH), 0, 0), dc_vec(DC_R(0.43*CHAINS_PITCH), DC_R(0.018), DC_R(0.018)));
        }
    }
    sim_build(w);
    for (c = 0; c < CHAINS; c++) {
        w->prev[2*n*c] = DC_R(-spin*h);
        w->prev[2*n*c + 1] = w->now[2*n*c + 1] = DC_R(0.5);
    }
}

#endif /* SIM_CHAINS_H_INCLUDED */
