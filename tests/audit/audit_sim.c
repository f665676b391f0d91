/* Audit of dc_sim.h, articulated bodies: derivatives of a step and of a trajectory. See audit.h.
 *
 * dc_sim_retract and dc_sim_local have no derivatives of their own: the tangents below go through the copies of both. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define DQ_CONTACT_IMPLEMENTATION
#define DQ_BSH_IMPLEMENTATION
#define DQ_SDF_IMPLEMENTATION
#define DQ_SIM_IMPLEMENTATION
#include "dq_sim.h"

#include "audit.h"
#include "machine.h"
#include "mesh.h"
#include "poses.h"

enum { NQ = 40, CORNERS = 256 };

static unsigned char scratch[1 << 24], quad_scratch[1 << 25], quad_memory[1 << 22], tree_memory[1 << 19];
static machine m;

/* ---- scenes ---- */

static const char *const scenes[] = {"joints", "box, local", "box, global", "stack", "arm", "chain, local", "chain, global", "limits",
                                     "round, floor", "round, stack", "trees, near", "trees, all"};
enum { JOINTS, BOX_LOCAL, BOX_GLOBAL, STACK, ARM, CHAIN_LOCAL, CHAIN_GLOBAL, LIMITS, ROUND_FLOOR, ROUND_STACK, TREES_NEAR, TREES, SCENES };

/* the states of a step, and its control */
typedef struct { dc_real q[3][NQ], target[NQ], velocity[NQ], force[NQ]; } state;

static const dc_bsh *box_tree(dc_arena *mem, dc_v3 c, dc_v3 half)
{
    static mesh s;
    dc_bsh *t = (dc_bsh *)dc_arena_take(mem, 1, sizeof *t);
    int k;
    mesh_box(&s, 1);
    for (k = 0; k < s.nv; ++k) s.v[k] = dc_vec(c.x + 2*half.x*s.v[k].x, c.y + 2*half.y*s.v[k].y, c.z + 2*half.z*s.v[k].z);
    return t && dc_bsh_build(s.v, s.nv, s.tri, s.nt, mem, t, NULL) == DC_OK ? t : NULL;
}

static void box_link(double mass, dc_v3 half)
{
    dc_sim_link *l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
    l->mass = (dc_real)mass;
    machine_box(&m, dc_vec(0, 0, 0), half);
}

/* A scene and a state of it, at random; `steps` is how far it may run before the step that is audited. */
static int scene_make(int which, rng *r, state *c, int *steps)
{
    static const dc_real none[NQ];
    const dc_v3 half = dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08));
    dc_arena trees = dc_arena_make(tree_memory, sizeof tree_memory);
    dc_sim_link *l;
    double t[6];
    int k, b;
    for (k = 0; k < 6; ++k) t[k] = rng_uniform(r, -1, 1);
    memset(c, 0, sizeof *c);
    *steps = 0;
    machine_open(&m);
    if (which == JOINTS) {
        machine_tree(&m);
        m.desc.h = DC_R(0.05);
    } else if (which == BOX_LOCAL || which == BOX_GLOBAL) {
        box_link(1, half);
        machine_floor(&m, 0.8);
        m.desc.global = which == BOX_GLOBAL;
        if (m.desc.global) m.desc.stiffness = DC_R(1e-3);
        *steps = rng_int(r, 0, 40);
    } else if (which == ROUND_FLOOR) {              /* a ball, a capsule or a rounded box */
        box_link(1, half);
        m.hull[0].n = rng_int(r, 1, 3);
        if (m.hull[0].n == 3) m.hull[0].n = 8;
        m.hull[0].radius = DC_R(0.03);
        machine_floor(&m, 0.8);
        *steps = rng_int(r, 0, 40);
    } else if (which == STACK || which == ROUND_STACK) {
        machine_link(&m, -1, DC_SIM_FIXED, dc_vec(0, 0, 0));
        machine_box(&m, dc_vec(0, 0, DC_R(-0.1)), dc_vec(DC_R(0.5), DC_R(0.5), DC_R(0.1)));
        for (b = 0; b < 2; ++b) {
            box_link(b ? 0.5 : 1, half);
            if (b && which == STACK) m.link[m.desc.links - 1].model = DC_SIM_LUMPED;
        }
        if (which == ROUND_STACK) {                 /* a ball on a rounded box on a rounded box */
            m.hull[0].radius = DC_R(0.02);
            m.hull[1].radius = m.hull[2].radius = DC_R(0.03);
            m.hull[2].n = 1;
        }
        *steps = rng_int(r, 0, 30);
    } else if (which == ARM) {
        for (k = 0; k < 3; ++k) {
            l = machine_link(&m, k - 1, DC_SIM_HINGE, k ? dc_vec(DC_R(0.3), 0, 0) : dc_vec(0, 0, DC_R(0.98)));
            l->axis = k == 1 ? dc_vec(0, 1, DC_R(0.3)) : dc_vec(0, 1, 0);
            l->mass = DC_R(0.4);
            l->kp = 40;
            l->kd = 1;
            machine_box(&m, dc_vec(DC_R(0.15), 0, 0), dc_vec(DC_R(0.13), DC_R(0.03), DC_R(0.03)));
        }
        box_link(0.3, dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.1)));
        machine_floor(&m, 0.5);
        *steps = rng_int(r, 5, 60);
    } else if (which == CHAIN_LOCAL || which == CHAIN_GLOBAL) {
        for (k = 0; k < 5; ++k) {
            l = machine_link(&m, k - 1, k ? DC_SIM_HINGE : DC_SIM_BALL, k ? dc_vec(DC_R(0.2), 0, 0) : dc_vec(0, 0, 0));
            l->attach.q = dc_quat_exp(dc_vec(DC_R(0.05), 0, DC_R(0.1)));
            l->axis = dc_vec(0, DC_R(0.1), 1);
            l->mass = DC_R(0.2);
            l->model = k & 1 ? DC_SIM_LUMPED : DC_SIM_UNIFORM;
            l->kp = 20;
            l->kd = DC_R(0.5);
            machine_box(&m, dc_vec(DC_R(0.1), 0, 0), dc_vec(DC_R(0.08), DC_R(0.02), DC_R(0.02)));
        }
        m.desc.length = DC_R(0.2);
        m.desc.global = which == CHAIN_GLOBAL;
        m.desc.stiffness = m.desc.global ? DC_R(1e-4) : DC_R(0.01);
        *steps = rng_int(r, 30, 70);
    } else if (which == LIMITS) {       /* a hinge and a slide that lean against their limits */
        for (k = 0; k < 2; ++k) {
            l = machine_link(&m, k - 1, k ? DC_SIM_SLIDE : DC_SIM_HINGE, dc_vec(DC_R(0.3), 0, 0));
            l->axis = dc_vec(0, 1, k ? DC_R(-0.5) : DC_R(0.2));
            l->mass = DC_R(0.5);
            l->lo = DC_R(-0.3);
            l->hi = DC_R(0.25);
            l->damping = DC_R(0.05);
            machine_box(&m, dc_vec(DC_R(0.15), 0, 0), dc_vec(DC_R(0.1), DC_R(0.03), DC_R(0.03)));
        }
        *steps = rng_int(r, 5, 40);
    } else {
        l = machine_link(&m, -1, DC_SIM_FIXED, dc_vec(0, 0, 0));
        l->tree = box_tree(&trees, dc_vec(0, 0, DC_R(-0.1)), dc_vec(DC_R(0.5), DC_R(0.4), DC_R(0.1)));
        l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
        l->mass = 1;
        l->tree = box_tree(&trees, dc_vec(0, 0, 0), half);
        m.desc.trees = 1;
        m.desc.contacts = 512;
        m.desc.stiffness = DC_R(1e-5);
        m.desc.reach = which == TREES_NEAR ? DC_R(0.05) : 0;
        m.desc.hierarchy.weighted = which == TREES_NEAR;
        *steps = rng_int(r, 0, 30);
    }
    if (rng_int(r, 0, 1)) m.desc.friction.eps_v = DC_R(1e-4);
    if (machine_build(&m) != DC_OK || m.sim.nq > NQ) return 0;

    /* where it starts */
    dc_sim_neutral(&m.sim, c->target);
    dc_sim_neutral(&m.sim, c->q[0]);
    memcpy(c->q[1], c->q[0], sizeof c->q[0]);
    if (which == JOINTS) {
        machine_random(&m.sim, r, 0.3, c->target, c->q[1]);
        machine_random(&m.sim, r, 0.1, c->q[1], c->q[0]);
        machine_random(&m.sim, r, 0.3, c->q[1], c->target);
        for (k = 0; k < m.sim.nv; ++k) c->velocity[k] = (dc_real)rng_uniform(r, -1, 1);
    } else if (which == STACK) {
        c->q[0][6] = DC_R(0.1);
        c->q[0][13] = (dc_real)(0.29 + 0.015*t[0]);
        c->q[0][8] = (dc_real)(0.02*t[1]);
    } else if (which == ROUND_STACK) {              /* the ball is about a corner of the box that it was */
        c->q[0][6] = DC_R(0.15);
        c->q[0][11] = DC_R(0.1);
        c->q[0][12] = DC_R(0.15);
        c->q[0][13] = (dc_real)(0.40 + 0.015*t[0]);
    } else if (which == ARM) {
        c->q[0][0] = (dc_real)(1.6 + 0.1*t[0]);
        c->q[0][7] = DC_R(0.2);
        c->q[0][9] = DC_R(0.1095);
        c->target[0] = (dc_real)(1.3 + 0.2*t[1]);
        c->target[1] = DC_R(-0.1);
    } else if (which != CHAIN_LOCAL && which != CHAIN_GLOBAL && which != LIMITS) {
        c->q[0][6] = (dc_real)((which == ROUND_FLOOR ? 0.14 : 0.11) + 0.02*t[0]);
        c->q[0][1] = (dc_real)(0.02*t[1]);
        c->q[0][2] = (dc_real)(0.02*t[2]);
    }
    if (which != JOINTS) {
        /* states have unit quaternions, or the copy, which moves them, would begin elsewhere */
        dc_sim_retract(&m.sim, c->q[0], none, c->q[0]);
        memcpy(c->q[1], c->q[0], sizeof c->q[0]);
    }
    for (k = 0; k < m.sim.nv; ++k) c->force[k] = (dc_real)((which == LIMITS ? 3 : 0.2)*rng_uniform(r, -1, 1));
    if (which == BOX_LOCAL || which == BOX_GLOBAL || which == ROUND_FLOOR || which >= TREES_NEAR) c->force[0] = (dc_real)(5 + 5*t[3]);
    if (which == STACK || which == ROUND_STACK) c->force[6] = (dc_real)(2 + 2*t[3]);
    return 1;
}

static dc_sim_control control_of(const state *c)
{
    dc_sim_control u;
    u.target = c->target;
    u.velocity = c->velocity;
    u.force = c->force;
    return u;
}

static dc_status step(const state *c, dc_real *out)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_sim_control u = control_of(c);
    return dc_sim_step(&m.sim, c->q[0], c->q[1], &u, &mem, out, NULL);
}

/* Up to the step that is audited, with joints that bend in chains. 0: a step failed. */
static int run_up(int which, int steps, state *c)
{
    int t, k;
    for (t = 0; t < steps; ++t) {
        if (which == CHAIN_LOCAL || which == CHAIN_GLOBAL)
            for (k = 0; k < m.sim.links - 1; ++k) c->target[4 + k] = DC_R(0.025)*(dc_real)t;
        if (step(c, c->q[2]) != DC_OK) return 0;
        memcpy(c->q[0], c->q[1], sizeof c->q[0]);
        memcpy(c->q[1], c->q[2], sizeof c->q[1]);
    }
    return 1;
}

/* ---- the copy ---- */

static struct {
    dq_sim sim;
    dq_sim_link link[MACHINE_LINKS];        /* its design as built */
    dq_v3 vertex[MACHINE_VERTICES + CORNERS];
    dq_sim_plane plane[4];
} quad;

/* The model m in quadruple precision, of a tolerance at which its solution is exact. */
static int quad_build(void)
{
    static dq_sim_link link[MACHINE_LINKS];
    static dq_hull hull[2*MACHINE_LINKS];
    static dq_v3 vertex[MACHINE_VERTICES], corner[2][CORNERS];
    static dq_bsh_node node[2][CORNERS];
    static dq_bsh tree[2];
    static dq_sim_plane plane[4];
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_sim_desc d = DQ_ZERO;
    int i, k, trees = 0;
    for (k = 0; k < m.vertices; ++k) vertex[k] = audit_up3(m.vertex[k]);
    for (k = 0; k < m.hulls; ++k) {
        hull[k].v = vertex + (m.hull[k].v - m.vertex);
        hull[k].n = m.hull[k].n;
        hull[k].radius = m.hull[k].radius;
    }
    for (i = 0; i < m.desc.links; ++i) {
        const dc_sim_link *from = m.link + i;
        dq_sim_link *to = link + i;
        memset(to, 0, sizeof *to);
        to->parent = from->parent;
        to->joint = (dq_sim_joint)from->joint;
        to->attach = audit_pose(&from->attach, NULL);
        to->axis = audit_up3(from->axis);
        to->hull = from->hulls ? hull + (from->hull - m.hull) : NULL;
        to->hulls = from->hulls;
        to->model = (dq_sim_mass)from->model;
        to->density = from->density;
        to->mass = from->mass;
        to->centre = audit_up3(from->centre);
        audit_up(from->inertia.m, to->inertia.m, 9);
        to->friction = from->friction;
        to->damping = from->damping;
        to->kp = from->kp;
        to->kd = from->kd;
        to->lo = from->lo;
        to->hi = from->hi;
        to->limit = from->limit;
        to->margin = from->margin;
        if (!from->tree) continue;

        /* the tree as it is, not built again: another order of equal centroids would be another potential */
        for (k = 0; k < 2*from->tree->n - 1; ++k) {
            const dc_bsh_node *n = from->tree->node + k;
            dq_bsh_node *q = node[trees] + k;
            q->c = audit_up3(n->c);
            q->R = n->R;
            q->left = n->left;
            q->right = n->right;
            q->triangle = n->triangle;
            q->count = n->count;
        }
        for (k = 0; k < 3*from->tree->n; ++k) corner[trees][k] = audit_up3(from->tree->corner[k]);
        tree[trees].node = node[trees];
        tree[trees].corner = corner[trees];
        tree[trees].o = audit_up3(from->tree->o);
        tree[trees].n = from->tree->n;
        tree[trees].depth = from->tree->depth;
        to->tree = tree + trees++;
    }
    for (k = 0; k < m.desc.planes; ++k) {
        plane[k].n = audit_up3(m.plane[k].n);
        plane[k].d = m.plane[k].d;
        plane[k].friction = m.plane[k].friction;
    }
    d.link = link;
    d.links = m.desc.links;
    d.plane = plane;
    d.planes = m.desc.planes;
    d.h = m.desc.h;
    d.gravity = audit_up3(m.desc.gravity);
    d.length = m.sim.desc.length;               /* what is chosen, as it was rounded; so those below */
    d.global = m.desc.global;
    d.friction.eps_v = m.sim.desc.friction.eps_v;
    d.friction.eps_f = m.sim.desc.friction.eps_f;
    d.trees = m.desc.trees;
    d.contacts = m.desc.contacts;
    d.reach = m.desc.reach;
    d.hierarchy.weighted = m.desc.hierarchy.weighted;
    d.stiffness = m.sim.desc.stiffness;
    d.support = m.sim.desc.support;
    d.tolerance = 1e-27Q;
    if (dq_sim_build(&d, &mem, &quad.sim, NULL) != DQ_OK) return 0;
    memcpy(quad.link, quad.sim.link, (size_t)quad.sim.links*sizeof *quad.link);
    memcpy(quad.vertex, quad.sim.vertex, (size_t)(quad.sim.vertices + quad.sim.corners)*sizeof *quad.vertex);
    memcpy(quad.plane, quad.sim.plane, (size_t)quad.sim.planes*sizeof *quad.plane);
    return 1;
}

/* What derivatives are by. */
enum { PREV, NOW, CONTROL, ATTACH, MASS, FRICTION, VERTEX, PARTS };
static const char *const parts[PARTS] = {"prev", "now", "control", "attach", "mass", "friction", "vertex"};

static int part_count(int part)
{
    switch (part) {
    case PREV: case NOW: return m.sim.nv;
    case CONTROL: return 3*m.sim.nv;
    case ATTACH: return 6*m.sim.links;
    case MASS: return m.sim.links;
    case FRICTION: return m.sim.links + m.sim.planes;
    default: return 3*m.sim.vertices;
    }
}

/* What each parameter counts as; 0: it cannot move. */
static void part_scales(int part, double *scale)
{
    int k, n = part_count(part);
    for (k = 0; k < n; ++k)
        scale[k] = part == MASS ? (double)m.sim.moment[16*k + 15] : part == VERTEX ? 0.1
            : part == FRICTION ? (double)(k < m.sim.links ? m.sim.link[k].friction : m.sim.plane[k - m.sim.links].friction) : 1;
}

/* The copy's design, moved by t in a part of it. */
static int quad_design(int part, const dq_real *t)
{
    int k;
    memcpy(quad.sim.link, quad.link, (size_t)quad.sim.links*sizeof *quad.link);
    memcpy(quad.sim.vertex, quad.vertex, (size_t)(quad.sim.vertices + quad.sim.corners)*sizeof *quad.vertex);
    memcpy(quad.sim.plane, quad.plane, (size_t)quad.sim.planes*sizeof *quad.plane);
    if (part == ATTACH)
        for (k = 0; k < quad.sim.links; ++k) quad.sim.link[k].attach = dq_pose_retract(quad.link[k].attach, t + 6*k);
    if (part == MASS)
        for (k = 0; k < quad.sim.links; ++k) {
            dq_sim_link *l = quad.sim.link + k;
            dq_real mass = m.sim.moment[16*k + 15], more;
            int i;
            if (!(mass > 0)) continue;
            if (l->mass > 0) mass = l->mass;        /* of a density: as good as exact, for a derivative */
            more = (mass + t[k])/mass;
            for (i = 0; i < 9; ++i) l->inertia.m[i] *= more;
            if (l->mass > 0) l->mass *= more;
            else l->density *= more;
        }
    if (part == FRICTION)
        for (k = 0; k < quad.sim.links + quad.sim.planes; ++k)
            *(k < quad.sim.links ? &quad.sim.link[k].friction : &quad.sim.plane[k - quad.sim.links].friction) += t[k];
    if (part == VERTEX)
        for (k = 0; k < quad.sim.vertices; ++k) quad.sim.vertex[k] = dq_add(quad.vertex[k], dq_vec(t[3*k], t[3*k + 1], t[3*k + 2]));
    return dq_sim_refresh(&quad.sim, NULL) == DQ_OK;
}

/* ---- one step ---- */

typedef struct { const state *c; int part; dq_real here[NQ]; } step_case;

static int step_next(const step_case *s, const dq_real *t, dq_real *next)
{
    dq_arena mem = dq_arena_make(quad_scratch, sizeof quad_scratch);
    dq_real q[2][NQ], target[NQ], velocity[NQ], force[NQ];
    dq_sim_control u;
    int k, nv = quad.sim.nv;
    audit_up(s->c->q[0], q[0], NQ);
    audit_up(s->c->q[1], q[1], NQ);
    audit_up(s->c->target, target, NQ);
    audit_up(s->c->velocity, velocity, NQ);
    audit_up(s->c->force, force, NQ);
    if (s->part == PREV || s->part == NOW) dq_sim_retract(&quad.sim, q[s->part == NOW], t, q[s->part == NOW]);
    if (s->part == CONTROL) {
        dq_sim_retract(&quad.sim, target, t, target);
        for (k = 0; k < nv; ++k) {
            velocity[k] += t[nv + k];
            force[k] += t[2*nv + k];
        }
    }
    u.target = target;
    u.velocity = velocity;
    u.force = force;
    return quad_design(s->part, t) && dq_sim_step(&quad.sim, q[0], q[1], &u, &mem, next, NULL) == DQ_OK;
}

static int step_value(const dq_real *t, dq_real *f, void *user)
{
    step_case *s = (step_case *)user;
    dq_real next[NQ];
    if (!step_next(s, t, next)) return 0;
    dq_sim_local(&quad.sim, s->here, next, f);
    return 1;
}

static void all_jacobians(dc_real (*J)[NQ*AUDIT_MOST], dc_sim_jacobian *o)
{
    o->prev = J[PREV];
    o->now = J[NOW];
    o->control = J[CONTROL];
    o->attach = J[ATTACH];
    o->mass = J[MASS];
    o->friction = J[FRICTION];
    o->vertex = m.sim.desc.trees ? NULL : J[VERTEX];
}

/* Every sample looks at one part: the steps of the copy are what takes time. */
static void step_rows(int which, long n)
{
    audit_row *row = audit_of("dc_sim_grad", scenes[which]);
    static dc_real J[PARTS][NQ*AUDIT_MOST];
    long k;
    for (k = audit_first(n); audit_next(row, k, n); ++k) {
        static const dq_real zero[AUDIT_MOST];
        static step_case s;
        static state c;
        rng r = audit_draw(row, k);
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_sim_jacobian o;
        dc_sim_control u = control_of(&c);
        dc_status status;
        double scale[AUDIT_MOST];
        int steps;
        if (!scene_make(which, &r, &c, &steps) || !run_up(which, steps, &c)) continue;
        s.part = (int)(k%PARTS);
        if (s.part == VERTEX && m.sim.desc.trees) continue;
        status = step(&c, c.q[2]);
        if (status == DC_OK) {
            all_jacobians(J, &o);
            status = dc_sim_grad(&m.sim, c.q[0], c.q[1], &u, c.q[2], &mem, &o);
        }
        audit_call(row, status, status == DC_OK, J[s.part], (size_t)(m.sim.nv*part_count(s.part)));
        if (status != DC_OK || !quad_build()) continue;
        if (audit_only >= 0) printf("  by %s, after %d steps\n", parts[s.part], steps);
        part_scales(s.part, scale);
        s.c = &c;
        if (step_next(&s, zero, s.here))
            audit_jacobian(row, step_value, &s, part_count(s.part), scale, m.sim.nv, NULL, J[s.part], part_count(s.part), 1e-10, 1, &r);
    }
}

/* ---- a trajectory ---- */

enum { H = 3 };

typedef struct {
    const state *c;
    int part;                       /* PREV: by both states at the start */
    dc_real force[H][NQ];           /* control of each step: that of c but for these forces */
    dc_real weight[H*NQ];           /* the loss: sum of weights times tangents from the unmoved states */
    dq_real here[H][NQ];
} path_case;

/* The states after each step of the copy. */
static int path_run(const path_case *p, const dq_real *t, dq_real (*out)[NQ])
{
    dq_real q[2][NQ], target[NQ], velocity[NQ], force[NQ];
    dq_sim_control u;
    int k, i, nv = quad.sim.nv;
    if (!quad_design(p->part, t)) return 0;
    for (k = 0; k < 2; ++k) {
        audit_up(p->c->q[k], q[k], NQ);
        if (p->part == PREV) dq_sim_retract(&quad.sim, q[k], t + k*nv, q[k]);
    }
    for (k = 0; k < H; ++k) {
        dq_arena mem = dq_arena_make(quad_scratch, sizeof quad_scratch);
        audit_up(p->c->target, target, NQ);
        audit_up(p->c->velocity, velocity, NQ);
        audit_up(p->force[k], force, NQ);
        if (p->part == CONTROL) {       /* what the gradient holds of each step: target, velocity, force */
            dq_sim_retract(&quad.sim, target, t + 3*nv*k, target);
            for (i = 0; i < nv; ++i) {
                velocity[i] += t[3*nv*k + nv + i];
                force[i] += t[3*nv*k + 2*nv + i];
            }
        }
        u.target = target;
        u.velocity = velocity;
        u.force = force;
        if (dq_sim_step(&quad.sim, k > 1 ? out[k - 2] : q[k], k > 0 ? out[k - 1] : q[1], &u, &mem, out[k], NULL) != DQ_OK) return 0;
    }
    return 1;
}

static int path_loss(const dq_real *t, dq_real *f, void *user)
{
    path_case *p = (path_case *)user;
    dq_real q[H][NQ], d[NQ];
    int k, i;
    if (!path_run(p, t, q)) return 0;
    for (f[0] = 0, k = 0; k < H; ++k) {
        dq_sim_local(&quad.sim, p->here[k], q[k], d);
        for (i = 0; i < quad.sim.nv; ++i) f[0] += (dq_real)p->weight[k*quad.sim.nv + i]*d[i];
    }
    return 1;
}

static void path_rows(int which, long n)
{
    audit_row *row = audit_of("dc_sim_adjoint", scenes[which]), *product = audit_of("adjoint is the product", scenes[which]);
    static dc_real J[PARTS][NQ*AUDIT_MOST], out[PARTS][H*3*NQ + AUDIT_MOST];
    long k;
    for (k = audit_first(n); audit_next(row, k, n) || audit_next(product, k, n); ++k) {
        static const dq_real zero[H*3*NQ];
        static path_case p;
        static state c;
        rng r = audit_draw(row, k);
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_sim_control u[H];
        dc_sim_run run = DC_ZERO;
        dc_real q[(H + 2)*NQ], marks[2*H*NQ];
        double scale[AUDIT_MOST], back[3][NQ], most = 0, err = 0;
        dc_status status = DC_OK;
        int steps, t, i, l, nq, nv, count;
        if (!scene_make(which, &r, &c, &steps) || !run_up(which, steps, &c)) continue;
        p.part = (int)(k%(PARTS - 1));
        if (p.part >= NOW) ++p.part;
        if (p.part == VERTEX && m.sim.desc.trees) continue;
        nq = m.sim.nq;
        nv = m.sim.nv;

        /* the trajectory, of which the adjoint keeps all, or every second or third state */
        memcpy(q, c.q[0], (size_t)nq*sizeof *q);
        memcpy(q + nq, c.q[1], (size_t)nq*sizeof *q);
        for (t = 0; t < H && status == DC_OK; ++t) {
            mem = dc_arena_make(scratch, sizeof scratch);
            for (i = 0; i < nv; ++i) p.force[t][i] = c.force[i]*(dc_real)rng_uniform(&r, 0.5, 1.5);
            u[t] = control_of(&c);
            u[t].force = p.force[t];
            status = dc_sim_step(&m.sim, q + t*nq, q + (t + 1)*nq, u + t, &mem, q + (t + 2)*nq, NULL);
        }
        for (i = 0; i < H*nv; ++i) p.weight[i] = (dc_real)rng_uniform(&r, -1, 1);
        memset(out, 0, sizeof out);
        run.steps = H;
        run.every = rng_int(&r, 0, 3);
        run.q = q;
        if (run.every > 1) {
            for (t = 0; t < H; t += run.every) memcpy(marks + 2*(t/run.every)*nq, q + t*nq, 2*(size_t)nq*sizeof *q);
            run.q = marks;
        }
        run.control = u;
        run.loss = p.weight;
        run.start = out[PREV];
        run.control_grad = out[CONTROL];
        run.attach = out[ATTACH];
        run.mass = out[MASS];
        run.friction = out[FRICTION];
        run.vertex = m.sim.desc.trees ? NULL : out[VERTEX];
        mem = dc_arena_make(scratch, sizeof scratch);
        if (status == DC_OK) status = dc_sim_adjoint(&m.sim, &run, &mem);
        count = p.part == PREV ? 2*nv : p.part == CONTROL ? 3*nv*H : part_count(p.part);
        /* in float the plane of a pair is sometimes not found to rounding from the start that the derivative has: said, and no derivative */
        audit_call(row, status, status == DC_OK || (DC_IS_FLOAT && status == DC_E_DIVERGED), out[p.part], (size_t)count);
        if (status != DC_OK) continue;

        /* the product of the steps' Jacobians: a_t += J^T a_(t+1) */
        memset(back, 0, sizeof back);
        for (t = H - 1; t >= 0; --t) {
            dc_sim_jacobian o = DC_ZERO;
            o.prev = J[PREV];
            o.now = J[NOW];
            mem = dc_arena_make(scratch, sizeof scratch);
            if (dc_sim_grad(&m.sim, q + t*nq, q + (t + 1)*nq, u + t, q + (t + 2)*nq, &mem, &o) != DC_OK) break;
            for (i = 0; i < nv; ++i) back[0][i] += (double)p.weight[t*nv + i];
            for (i = 0; i < nv; ++i)
                for (l = 0; l < nv; ++l) {
                    back[1][l] += back[0][i]*(double)J[NOW][i*nv + l];
                    back[2][l] += back[0][i]*(double)J[PREV][i*nv + l];
                }
            memcpy(back[0], back[1], sizeof back[0]);
            memcpy(back[1], back[2], sizeof back[0]);
            memset(back[2], 0, sizeof back[0]);
        }
        audit_call(product, DC_OK, t < 0, NULL, 0);
        for (i = 0; t < 0 && i < 2*nv; ++i) {
            double want = i < nv ? back[1][i] : back[0][i - nv];
            most = fmax(most, fabs(want));
            err = fmax(err, fabs(want - (double)out[PREV][i]));
        }
        if (most > 0) audit_agree(product, err/most, DC_IS_FLOAT ? 1e-2 : 1e-10);

        if (!quad_build() || count > AUDIT_MOST) continue;
        if (audit_only >= 0) printf("  by %s, after %d steps, every %d\n", parts[p.part], steps, run.every);
        if (p.part == PREV || p.part == CONTROL) for (i = 0; i < count; ++i) scale[i] = 1;
        else part_scales(p.part, scale);
        p.c = &c;
        if (path_run(&p, zero, p.here)) audit_scalar(row, row, path_loss, &p, count, scale, out[p.part], NULL, 1e-10, 1, &r);
    }
}

int main(int argc, char **argv)
{
    int which;
    if (!audit_begin(argc, argv)) return 1;
    audit_least = 1;
    for (which = 0; which < SCENES; ++which) {
        step_rows(which, 20);
        if (which >= TREES_NEAR && audit_share < 0.05) printf("adjoint, %s: not in the short form, a sample takes 10 s\n", scenes[which]);
        else path_rows(which, 10);
    }
    return !audit_end();
}
