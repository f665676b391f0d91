/* walkers.h - SDRS' two walking robots, whose feet are a design: a spider on a slope and a biped
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     walker k;
 *     walker_spider(&k, &w, 0.2618, 0.4, 16, DC_SIM_UNIFORM);   slope, friction, vertices of a ring, mass model of feet
 *     walker_biped(&k, &w, 0.8, 16, DC_SIM_UNIFORM);            or
 *     walker_sines(&w, &p, 550, &random, loss);                 a plan: four sines for each joint
 *     walker_trot(&w, &p);                                      the first of them a trot
 *     desc = walker_design(&k, &w, 0.08);                       vertices of the feet, 0.08 m each way, mirrored
 *
 * Sizes are ours, the paper gives none; freedoms, gains and horizons are its. A foot is a ball, or an ellipsoid, in
 * three hulls that share the rings where they meet, 6 rings of vertices in all. Include it after sim_scene.h and
 * plan.h. */
#ifndef WALKERS_H_INCLUDED
#define WALKERS_H_INCLUDED

enum { WALKER_FEET = 4, WALKER_HULLS = 3 };

typedef struct {
    int             feet, foot[WALKER_FEET];            /* links; foot 1 mirrors 0, foot 3 mirrors 2 */
    unsigned char   vertex[SIM_VERTICES];
    dc_design_copy  copy[2];
} walker;

/* A ball about c with half axes r, cut across axis; y is turned round in a mirrored one. */
static inline void walker_foot(sim_world *w, dc_v3 c, dc_v3 r, int axis, int ring, int mirrored)
{
    static const double cut[WALKER_HULLS + 1] = {-0.9, -0.3, 0.3, 0.9};
    int                 p, side, i;

    for (p = 0; p < WALKER_HULLS; p++) {
        dc_v3 *x = sim_hull(w, 2*ring);
        for (side = 0; side < 2; side++)
            for (i = 0; i < ring; i++) {
                const double at = cut[p + side], wide = sqrt(1 - at*at), turn = 8*atan(1.0)*(i + 0.5)/ring;
                double       e[3];
                e[axis] = at;
                e[(axis + 1)%3] = wide*cos(turn);
                e[(axis + 2)%3] = wide*sin(turn);
                *x++ = dc_vec(c.x + r.x*DC_R(e[0]), c.y + r.y*DC_R(mirrored ? -e[1] : e[1]), c.z + r.z*DC_R(e[2]));
            }
    }
}

static inline void walker_begin(walker *k, sim_world *w, double slope, double friction)
{
    memset(k, 0, sizeof *k);
    sim_begin(w, 0.01);
    sim_plane(w, dc_vec(0, 0, 1), 0, friction);
    w->desc.gravity = dc_vec(DC_R(-9.81*sin(slope)), 0, DC_R(-9.81*cos(slope)));
    w->desc.stiffness = DC_R(1e-3);
    w->desc.length = DC_R(0.05);
    w->desc.friction.eps_v = DC_R(1e-3);
}

/* After all links: gains of the joints, and feet that mirror those to their left. */
static inline void walker_end(walker *k, sim_world *w, double kp, double kd)
{
    int i;

    for (i = 1; i < w->desc.links; i++) {
        w->link[i].kp = DC_R(kp);
        w->link[i].kd = DC_R(kd);
    }
    sim_build(w);
    for (i = 0; i < k->feet; i += 2) {
        dc_design_copy *c = k->copy + i/2;
        c->from = k->foot[i];
        c->to = k->foot[i + 1];
        c->map.m[0] = c->map.m[8] = 1;
        c->map.m[4] = -1;
    }
}

/* SDRS V-C: nine links and 16 freedoms, as sim_ant.h has them, with feet. x is up the slope. */
static inline void walker_spider(walker *k, sim_world *w, double slope, double friction, int ring, dc_sim_mass model)
{
    const double upper = 0.16, lower = 0.24, knee = 1.25, thick = 0.02, r = 0.025;
    int          leg;

    walker_begin(k, w, slope, friction);
    sim_link(w, -1, DC_SIM_FREE, dc_vec(0, 0, DC_R(lower*sin(knee) + r + 0.012)), 4);
    sim_box(w, dc_vec(0, 0, 0), dc_vec(DC_R(0.2), DC_R(0.1), DC_R(0.05)));
    for (leg = 0; leg < 4; leg++) {
        const double x = leg < 2 ? 1 : -1, y = leg%2 ? -1 : 1;
        dc_sim_link *l = sim_link(w, 0, DC_SIM_HINGE, dc_vec(DC_R(0.2*x), DC_R(0.1*y), 0), leg < 2 ? 0 : 0.4);

        /* the hip turns about the normal of the slope, its x is outwards; in front a second hinge lifts the leg */
        l->attach.q = dc_quat_exp(dc_vec(0, 0, DC_R(y*(x > 0 ? 0.9 : 4*atan(1.0) - 0.9))));
        if (leg < 2) {
            l = sim_link(w, w->desc.links - 1, DC_SIM_HINGE, dc_vec(0, 0, 0), 0.4);
            l->axis = dc_vec(0, 1, 0);
        }
        sim_box(w, dc_vec(DC_R(0.5*upper), 0, 0), dc_vec(DC_R(0.5*upper), DC_R(thick), DC_R(thick)));
        l = sim_link(w, w->desc.links - 1, DC_SIM_HINGE, dc_vec(DC_R(upper), 0, 0), 0.3);
        l->attach.q = dc_quat_exp(dc_vec(0, DC_R(knee), 0));
        l->axis = dc_vec(0, 1, 0);
        l->model = model;
        k->foot[k->feet++] = w->desc.links - 1;
        sim_box(w, dc_vec(DC_R(0.5*lower - 0.01), 0, 0), dc_vec(DC_R(0.5*lower - 0.01), DC_R(0.012), DC_R(0.012)));
        walker_foot(w, dc_vec(DC_R(lower), 0, 0), dc_vec(DC_R(r), DC_R(r), DC_R(r)), 2, ring, leg%2);
    }
    walker_end(k, w, 100, 10);
}

/* SDRS V-D: seven links and 12 freedoms: torso, and hip, knee and ankle in each leg, all about y, the knees a little bent;
 * the feet are short and round. x is ahead. */
static inline void walker_biped(walker *k, sim_world *w, double friction, int ring, dc_sim_mass model)
{
    const double thigh = 0.3, shin = 0.3, bent = 0.25, high = 0.03;
    int          leg;

    walker_begin(k, w, 0, friction);
    sim_link(w, -1, DC_SIM_FREE, dc_vec(0, 0, DC_R((thigh + shin)*cos(bent) + 2*high + 0.012)), 5);
    sim_box(w, dc_vec(0, 0, DC_R(0.15)), dc_vec(DC_R(0.06), DC_R(0.1), DC_R(0.12)));
    for (leg = 0; leg < 2; leg++) {
        dc_sim_link *l = sim_link(w, 0, DC_SIM_HINGE, dc_vec(0, DC_R(leg ? -0.06 : 0.06), 0), 1);
        l->attach.q = dc_quat_exp(dc_vec(0, DC_R(-bent), 0));
        l->axis = dc_vec(0, 1, 0);
        sim_box(w, dc_vec(0, 0, DC_R(-0.5*thigh)), dc_vec(DC_R(0.03), DC_R(0.03), DC_R(0.5*thigh - 0.01)));
        l = sim_link(w, w->desc.links - 1, DC_SIM_HINGE, dc_vec(0, 0, DC_R(-thigh)), 0.7);
        l->attach.q = dc_quat_exp(dc_vec(0, DC_R(2*bent), 0));
        l->axis = dc_vec(0, 1, 0);
        sim_box(w, dc_vec(0, 0, DC_R(-0.5*shin)), dc_vec(DC_R(0.025), DC_R(0.025), DC_R(0.5*shin - 0.01)));
        l = sim_link(w, w->desc.links - 1, DC_SIM_HINGE, dc_vec(0, 0, DC_R(-shin)), 0.3);
        l->attach.q = dc_quat_exp(dc_vec(0, DC_R(-bent), 0));
        l->axis = dc_vec(0, 1, 0);
        l->model = model;
        k->foot[k->feet++] = w->desc.links - 1;
        walker_foot(w, dc_vec(DC_R(0.01), 0, DC_R(-high)), dc_vec(DC_R(0.035), DC_R(0.025), DC_R(high)), 0, ring, leg);
    }
    walker_end(k, w, 1000, 100);
}

/* The design: all vertices of the feet, as far as `range` each way, the right ones mirrored. */
static inline dc_design_desc walker_design(walker *k, const sim_world *w, double range)
{
    dc_design_desc desc = DC_ZERO;
    int            f, h, i;

    for (f = 0; f < k->feet; f += 2)
        for (h = 0; h < w->sim.hulls; h++) {
            const dc_sim_hull *hull = w->sim.hull + h;
            /* the first hull of a spider's foot is the shin */
            if (hull->link != k->foot[f] || (k->feet == 4 && w->sim.hull[h - 1].link != k->foot[f])) continue;
            for (i = 0; i < hull->n; i++) k->vertex[hull->begin + i] = DC_DESIGN_SHARED;
        }
    desc.vertex = k->vertex;
    desc.copy = k->copy;
    desc.copies = k->feet/2;
    desc.range = DC_R(range);
    return desc;
}

/* A plan of four sines for each joint, of small random waves of 1 to 4 Hz. */
static inline void walker_sines(sim_world *w, plan *p, int horizon, unsigned long long *random, plan_loss *loss)
{
    int freedom[CONTROL_FREEDOMS], joints = 0, i;

    for (i = 1; i < w->sim.links; i++) freedom[joints++] = w->sim.v_at[i];
    plan_begin(p, w, CONTROL_SINES, horizon, joints, freedom, loss);
    for (i = 0; i < CONTROL_WAVES*joints; i++) {
        p->u[3*i] = DC_R(cli_between(random, -0.02, 0.02));
        p->u[3*i + 1] = DC_R(i%CONTROL_WAVES + 1);
        p->u[3*i + 2] = DC_R(cli_between(random, 0, 6.28));
    }
    p->adam.beta1 = DC_R(0.9);
    p->adam.beta2 = DC_R(0.999);
}

/* The spider's trot in place of the first wave of each joint: legs across from each other swing together, and are lifted
 * while they swing forwards. */
static inline void walker_trot(const sim_world *w, plan *p)
{
    int leg = -1, i;

    for (i = 1; i < w->sim.links; i++) {
        dc_real       *u = p->u + 3*CONTROL_WAVES*(i - 1);
        const dc_sim_link *up = w->sim.link + w->sim.link[i].parent;
        const int      hip = w->sim.link[i].parent == 0;
        double         phase;

        leg += hip;
        phase = leg == 0 || leg == 3 ? 0 : 4*atan(1.0);
        if (hip) {
            u[0] = DC_R(leg%2 ? 0.3 : -0.3);
            u[2] = DC_R(phase);
        } else if (leg >= 2 || up->hulls == 0) {
            u[0] = DC_R(-0.25);
            u[2] = DC_R(phase + 2*atan(1.0));
        }
    }
}

#endif /* WALKERS_H_INCLUDED */
