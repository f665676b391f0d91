/* jaw.h - SDRS' jaw of one plate, whose blocks are a design, and the cross it is to lift
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     jaw k = DC_ZERO;
 *     k.into = jaw_into;
 *     jaw_scene(&k, &w, 4, 4, 0.01, 0.2);                      blocks across and up, time step, friction
 *     plan_begin(&p, &w, CONTROL_TARGETS, 160, 0, NULL, loss);
 *     jaw_preset(&k, &p);                                      it comes, then rises
 *     desc = jaw_design(&k, &w);                               all vertices but those of the outer frame
 *
 * Include it after sim_scene.h, plan.h and blocks.h. */
#ifndef JAW_H_INCLUDED
#define JAW_H_INCLUDED

enum { JAW_AHEAD, JAW_UP, JAW_PLATE, JAW_OBJECT };      /* links */

static const double jaw_half[3] = {0.06, 0.01, 0.04}, jaw_low = 0.005, jaw_away = 0.11, jaw_rise = 0.08;     /* m */
static const double jaw_middle = 0.046, jaw_into = 0.057;

typedef struct {
    double        into;                     /* m: how far it goes beyond the end of the handle */
    blocks        plate;
    unsigned char vertex[SIM_VERTICES];
} jaw;

static inline void jaw_scene(jaw *k, sim_world *w, int nx, int nz, double h, double friction)
{
    const blocks plate = {{-jaw_half[0], -jaw_half[1], jaw_low}, {jaw_half[0], jaw_half[1], jaw_half[2]}, 0, 2, nx, nz};
    dc_sim_link *l;
    int          i;

    k->plate = plate;
    sim_begin(w, h);
    sim_plane(w, dc_vec(0, 0, 1), 0, 0.5);
    w->desc.stiffness = DC_R(1e-3);
    w->desc.length = DC_R(0.02);
    w->desc.friction.eps_v = DC_R(1e-3);
    for (i = JAW_AHEAD; i <= JAW_UP; i++) {
        l = sim_link(w, i - 1, DC_SIM_SLIDE, dc_vec(0, DC_R(i == JAW_AHEAD ? -jaw_away : 0), 0), 0.2);
        l->axis = dc_vec(0, i == JAW_AHEAD, i == JAW_UP);
        l->kp = 2000;
        l->kd = 100;
        l->model = DC_SIM_INERTIA;
        l->inertia.m[0] = l->inertia.m[4] = l->inertia.m[8] = DC_R(1e-3);
    }
    l = sim_link(w, JAW_UP, DC_SIM_HINGE, dc_vec(0, 0, 0), 0.4);
    l->axis = dc_vec(1, 0, 0);
    l->kp = 50;
    l->kd = 2;
    l->friction = DC_R(friction);
    blocks_add(w, &k->plate);
    sim_link(w, -1, DC_SIM_FREE, dc_vec(0, 0, DC_R(jaw_middle)), 0.1);
    sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(0.006), DC_R(0.08), DC_R(0.006)));
    sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(0.015), DC_R(0.015), DC_R(0.045)));
    sim_build(w);
}

/* Where the slides are to be at a part of the time: at the object in half of it, up from 0.6 to 0.9. */
static inline void jaw_way(const jaw *k, double part, double *ahead, double *up)
{
    *ahead = (jaw_away - 0.09 + k->into)*controls_smooth(part/0.5);
    *up = jaw_rise*controls_smooth((part - 0.6)/0.3) + 9.81*0.6/2000;
}

static inline void jaw_preset(const jaw *k, plan *p)
{
    const dc_sim *sim = &p->world->sim;
    double        ahead, up;
    int           i;

    for (i = 0; i < p->c.horizon; i++) {
        jaw_way(k, (i + 1.0)/p->c.horizon, &ahead, &up);
        p->c.target[i*sim->nq + sim->q_at[JAW_AHEAD]] = DC_R(ahead);
        p->c.target[i*sim->nq + sim->q_at[JAW_UP]] = DC_R(up);
    }
}

static inline dc_design_desc jaw_design(jaw *k, const sim_world *w)
{
    dc_design_desc desc = DC_ZERO;

    memset(k->vertex, DC_DESIGN_HELD, sizeof k->vertex);
    blocks_mark(&w->sim, JAW_PLATE, &k->plate, 1, k->vertex);
    desc.vertex = k->vertex;
    desc.range = DC_R(0.03);
    return desc;
}

#endif /* JAW_H_INCLUDED */
