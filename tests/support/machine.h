/* machine.h - articulated models for tests; include it after dc_sim.h, support.h and real.h */
#ifndef DC_TEST_MACHINE_H_INCLUDED
#define DC_TEST_MACHINE_H_INCLUDED

#include <string.h>

enum { MACHINE_LINKS = 24, MACHINE_VERTICES = 256 };

/* A description with its memory: machine_open, then machine_link and machine_box for each link, machine_build. */
typedef struct {
    dc_sim_desc desc;
    dc_sim_link link[MACHINE_LINKS];
    dc_hull hull[2*MACHINE_LINKS];
    dc_v3 vertex[MACHINE_VERTICES];
    dc_sim_plane plane[4];
    int exclude[2*MACHINE_LINKS];
    int hulls, vertices;
    dc_sim sim;
} machine;

static unsigned char machine_memory[1 << 20];

DC_INLINE void machine_open(machine *m)
{
    memset(m, 0, sizeof *m);
    m->desc.link = m->link;
    m->desc.plane = m->plane;
    m->desc.exclude = m->exclude;
    m->desc.h = DC_R(0.01);
    m->desc.gravity = dc_vec(0, 0, DC_R(-9.81));
    m->desc.length = DC_R(0.1);
    m->desc.stiffness = 1;
    m->desc.friction.eps_f = m->desc.friction.eps_v = DC_R(1e-6);
}

DC_INLINE dc_sim_link *machine_link(machine *m, int parent, dc_sim_joint joint, dc_v3 at)
{
    dc_sim_link *l = m->link + m->desc.links++;
    l->parent = parent;
    l->joint = joint;
    l->attach.q.w = 1;
    l->attach.t = at;
    l->friction = DC_R(0.7);
    return l;
}

/* A box of half sides r about c: the last link's next hull. */
DC_INLINE void machine_box(machine *m, dc_v3 c, dc_v3 r)
{
    dc_sim_link *l = m->link + m->desc.links - 1;
    dc_hull *h = m->hull + m->hulls++;
    int k;
    if (l->hulls++ == 0) l->hull = h;
    h->v = m->vertex + m->vertices;
    h->radius = 0;
    h->n = 8;
    for (k = 0; k < 8; ++k)
        m->vertex[m->vertices++] = dc_vec(c.x + (k & 1 ? r.x : -r.x), c.y + (k & 2 ? r.y : -r.y), c.z + (k & 4 ? r.z : -r.z));
}

DC_INLINE void machine_floor(machine *m, double friction)
{
    dc_sim_plane *p = m->plane + m->desc.planes++;
    p->n = dc_vec(0, 0, 1);
    p->d = 0;
    p->friction = (dc_real)friction;
}

DC_INLINE dc_status machine_build(machine *m)
{
    dc_arena mem = dc_arena_make(machine_memory, sizeof machine_memory);
    return dc_sim_build(&m->desc, &mem, &m->sim, NULL);
}

/* every joint, every mass model, branches: nothing of it touches */
DC_INLINE void machine_tree(machine *m)
{
    dc_sim_link *l;
    machine_open(m);
    l = machine_link(m, -1, DC_SIM_FREE, dc_vec(DC_R(0.2), DC_R(-0.1), DC_R(0.3)));
    l->attach.q = dc_quat_exp(dc_vec(DC_R(0.3), DC_R(-0.5), DC_R(0.4)));
    l->mass = 2;
    l->damping = DC_R(0.3);
    machine_box(m, dc_vec(DC_R(0.1), 0, DC_R(0.05)), dc_vec(DC_R(0.2), DC_R(0.1), DC_R(0.15)));
    l = machine_link(m, 0, DC_SIM_BALL, dc_vec(DC_R(0.4), 0, 0));
    l->attach.q = dc_quat_exp(dc_vec(DC_R(-0.2), DC_R(0.1), DC_R(0.7)));
    l->density = DC_R(300.0);
    l->damping = DC_R(0.2);
    l->kp = 3;
    l->kd = DC_R(0.4);
    machine_box(m, dc_vec(DC_R(0.2), DC_R(0.02), 0), dc_vec(DC_R(0.15), DC_R(0.05), DC_R(0.06)));
    machine_box(m, dc_vec(DC_R(0.35), DC_R(0.02), 0), dc_vec(DC_R(0.05), DC_R(0.15), DC_R(0.04)));
    l = machine_link(m, 1, DC_SIM_HINGE, dc_vec(DC_R(0.5), 0, DC_R(0.1)));
    l->axis = dc_vec(1, 2, DC_R(-0.5));
    l->model = DC_SIM_LUMPED;
    l->mass = 1;
    l->kp = 5;
    l->kd = DC_R(0.6);
    l->lo = DC_R(-1.3);
    l->hi = DC_R(1.2);
    l->limit = DC_R(0.3);
    l->margin = DC_R(0.8);
    machine_box(m, dc_vec(0, DC_R(0.3), 0), dc_vec(DC_R(0.04), DC_R(0.1), DC_R(0.05)));
    l = machine_link(m, 1, DC_SIM_SLIDE, dc_vec(DC_R(0.3), 0, DC_R(-0.3)));
    l->axis = dc_vec(0, 1, -3);
    l->model = DC_SIM_INERTIA;
    l->mass = DC_R(0.7);
    l->centre = dc_vec(DC_R(0.05), DC_R(0.1), DC_R(-0.1));
    l->inertia.m[0] = DC_R(0.02);
    l->inertia.m[4] = DC_R(0.03);
    l->inertia.m[8] = DC_R(0.025);
    l->inertia.m[1] = l->inertia.m[3] = DC_R(0.004);
    l->damping = DC_R(0.1);
    l = machine_link(m, 3, DC_SIM_FIXED, dc_vec(0, 0, DC_R(-0.3)));
    l->attach.q = dc_quat_exp(dc_vec(DC_R(0.5), DC_R(0.2), 0));
    l->mass = DC_R(0.5);
    machine_box(m, dc_vec(DC_R(0.1), DC_R(0.1), 0), dc_vec(DC_R(0.1), DC_R(0.05), DC_R(0.03)));
}

/* a state at random about the neutral one */
DC_INLINE void machine_random(const dc_sim *sim, rng *r, double size, const dc_real *from, dc_real *q)
{
    dc_real d[8*MACHINE_LINKS];
    int k;
    for (k = 0; k < sim->nv; ++k) d[k] = (dc_real)rng_uniform(r, -size, size);
    dc_sim_retract(sim, from, d, q);
}

/* Adds k times the local potential of every pair of hulls to *U; 0: one overlaps. */
DC_INLINE int machine_pairs(const machine *m, const dc_pose *pose, double k, double *U)
{
    static unsigned char room[1 << 16];
    dc_pair_options o = DC_ZERO;
    int p;
    o.barrier = DC_LOCAL;
    o.length = m->desc.length;
    for (p = 0; p < m->sim.hulls*m->sim.hulls; ++p) {
        const dc_sim_hull *x = m->sim.hull + p/m->sim.hulls, *y = m->sim.hull + p%m->sim.hulls;
        dc_arena mem = dc_arena_make(room, sizeof room);
        dc_hull A = DC_ZERO, B = DC_ZERO;
        dc_real P = 0;
        if (x >= y || !dc_sim_may_touch(&m->sim, p/m->sim.hulls, p%m->sim.hulls)) continue;
        A.v = m->sim.vertex + x->begin;
        A.n = x->n;
        B.v = m->sim.vertex + y->begin;
        B.n = y->n;
        if (dc_pair_rigid(&o, &A, pose + x->link, &B, pose + y->link, &mem, NULL, &P, NULL, NULL, NULL) != DC_OK) return 0;
        *U += k*(double)P;
    }
    return 1;
}

#endif
