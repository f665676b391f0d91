/* jacobian.h - Jacobians of a step of the model m against differences of whole steps; include it after machine.h */
#ifndef DC_TEST_JACOBIAN_H_INCLUDED
#define DC_TEST_JACOBIAN_H_INCLUDED

static unsigned char scratch[1 << 22];
static machine m;

enum { PREV, NOW, CONTROL, ATTACH, MASS, FRICTION, VERTEX, CLASSES };
static const char *const class_name[CLASSES] = {"prev", "now", "control", "attach", "mass", "friction", "vertex"};

/* a step and what it depends on */
typedef struct {
    dc_real q[3][64], target[64], velocity[64], force[64], next[64];
    int which, columns, failed;
    int every, sparse;  /* of so many coordinates of vertices (sparse: of everything) one is moved alone; 0: all */
    int near_only;      /* differences of 1e-6 alone, also without contact */
    double first;       /* not 0: the first step of a check of the order along a line through all parameters of a class */
    dc_sim_link link[MACHINE_LINKS];
    dc_v3 vertex[MACHINE_VERTICES];
    dc_sim_plane plane[4];
} step_case;

DC_INLINE dc_status step(const step_case *c, dc_real *out, dc_sim_info *info)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_sim_control u;
    u.target = c->target;
    u.velocity = c->velocity;
    u.force = c->force;
    return dc_sim_step(&m.sim, c->q[0], c->q[1], &u, &mem, out, info);
}

/* a case in the neutral state, which is also the target */
DC_INLINE void begin_case(step_case *c)
{
    memset(c, 0, sizeof *c);
    dc_sim_neutral(&m.sim, c->target);
    dc_sim_neutral(&m.sim, c->q[0]);
}

/* at rest in q[0] */
DC_INLINE void hold(step_case *c) { memcpy(c->q[1], c->q[0], sizeof c->q[1]); }

/* after a step into q[2]: the next one starts there */
DC_INLINE void go_on(step_case *c)
{
    memcpy(c->q[0], c->q[1], sizeof c->q[0]);
    memcpy(c->q[1], c->q[2], sizeof c->q[1]);
}

/* parameter k of a class, moved by t */
DC_INLINE void move(step_case *c, int k, dc_real t)
{
    dc_sim *sim = &m.sim;
    int nv = sim->nv;
    dc_real d[192], xi[6] = {0, 0, 0, 0, 0, 0};
    memset(d, 0, sizeof d);
    d[k%(nv > 0 ? nv : 1)] = t;
    switch (c->which) {
    case PREV: dc_sim_retract(sim, c->q[0], d, c->q[0]); break;
    case NOW: dc_sim_retract(sim, c->q[1], d, c->q[1]); break;
    case CONTROL:
        if (k < nv) dc_sim_retract(sim, c->target, d, c->target);
        else if (k < 2*nv) c->velocity[k - nv] += t;
        else c->force[k - 2*nv] += t;
        break;
    case ATTACH:
        xi[k%6] = t;
        sim->link[k/6].attach = dc_pose_retract(sim->link[k/6].attach, xi);
        break;
    case MASS: {
        dc_real mass = sim->moment[16*k + 15];
        dc_sim_link *l = sim->link + k;
        int i;
        if (!(mass > 0)) break;
        for (i = 0; i < 9; ++i) l->inertia.m[i] *= (mass + t)/mass;
        if (l->mass > 0) l->mass += t;
        else l->density *= (mass + t)/mass;
        break;
    }
    case FRICTION:
        if (k < sim->links) sim->link[k].friction += t;
        else sim->plane[k - sim->links].friction += t;
        break;
    default: *(k%3 == 0 ? &sim->vertex[k/3].x : k%3 == 1 ? &sim->vertex[k/3].y : &sim->vertex[k/3].z) += t;
    }
}

/* q_next as a tangent at the unperturbed one */
DC_INLINE void step_of(const double *x, double *f, void *user)
{
    const step_case *c = (const step_case *)user;
    step_case moved = *c;
    dc_real next[64], out[64];
    int k;
    for (k = 0; k < c->columns; ++k)
        if (x[k] < 0 || x[k] > 0) move(&moved, k, (dc_real)x[k]);
    if (dc_sim_refresh(&m.sim, NULL) != DC_OK || step(&moved, next, NULL) != DC_OK) ((step_case *)user)->failed++;
    dc_sim_local(&m.sim, c->next, next, out);
    to_double(out, f, m.sim.nv);
    memcpy(m.sim.link, c->link, (size_t)m.sim.links*sizeof *c->link);
    memcpy(m.sim.vertex, c->vertex, (size_t)m.sim.vertices*sizeof *c->vertex);
    memcpy(m.sim.plane, c->plane, (size_t)m.sim.planes*sizeof *c->plane);
    dc_sim_refresh(&m.sim, NULL);
}

/* Differences along the parameters x of a class, extrapolated once, and what jac says: the largest error of an entry. fd_check,
 * which finds its own step and sees the order, takes five times as many calls. */
DC_INLINE double difference(step_case *c, const double *jac, const double *x)
{
    static double p[512], f[4][64];
    double e = 0;
    int i, k, s;
    for (s = 0; s < 4; ++s) {
        for (k = 0; k < c->columns; ++k) p[k] = x[k]*(s & 1 ? 1 : -1)*(s & 2 ? 0.0000019073486328125 : 0.00000095367431640625);
        step_of(p, f[s], c);
    }
    for (i = 0; i < m.sim.nv; ++i) {
        double near = (f[1][i] - f[0][i])*524288, far = (f[3][i] - f[2][i])*262144, d = near + (near - far)/3;
        for (k = 0; k < c->columns; ++k) d -= jac[i*c->columns + k]*x[k];
        if (!(fabs(d) <= e)) e = fabs(d);
    }
    return e;
}

/* a direction through all parameters of a class */
DC_INLINE double along(int k) { return ((k*7 + 3)%11 - 5)/5.0; }

/* Largest error, over the largest entry, by one parameter after the other and by all at once. Slow builds: by some of each class. */
DC_INLINE double differences(step_case *c, const double *jac)
{
    static double x[512];
    double worst_one = 0, big = 0, e;
    int k, stride = c->every > 1 && (c->which == VERTEX || c->sparse) ? c->every : 1;
    if (sweep_count(100) < 100) stride = stride > 1 ? stride*4 + 1 : 7;
    for (k = 0; k < m.sim.nv*c->columns; ++k) big = fmax(big, fabs(jac[k]));
    for (k = 0; k < c->columns; ++k) x[k] = 0;
    for (k = 0; k < c->columns; k += stride) {
        x[k] = 1;
        e = difference(c, jac, x);
        if (!(e <= worst_one)) worst_one = e;
        x[k] = 0;
    }
    for (k = 0; k < c->columns; ++k) x[k] = along(k);
    e = difference(c, jac, x);
    if (!(e <= worst_one)) worst_one = e;
    return worst_one/fmax(big, 1e-4);       /* what moves nothing moves it by rounding */
}

DC_INLINE void step_along(const double *x, double *f, void *user)
{
    double p[512];
    int k;
    for (k = 0; k < ((step_case *)user)->columns; ++k) p[k] = x[0]*along(k);
    step_of(p, f, user);
}

/* all Jacobians, `room` numbers each, and their columns */
DC_INLINE void all_jacobians(dc_real *J, size_t room, dc_sim_jacobian *o, int n[CLASSES])
{
    o->prev = J + PREV*room;
    o->now = J + NOW*room;
    o->control = J + CONTROL*room;
    o->attach = J + ATTACH*room;
    o->mass = J + MASS*room;
    o->friction = J + FRICTION*room;
    o->vertex = m.sim.desc.trees ? NULL : J + VERTEX*room;        /* trees have none */
    n[PREV] = n[NOW] = m.sim.nv;
    n[CONTROL] = 3*m.sim.nv;
    n[ATTACH] = 6*m.sim.links;
    n[MASS] = m.sim.links;
    n[FRICTION] = m.sim.links + m.sim.planes;
    n[VERTEX] = 3*m.sim.vertices;
}

/* may any two hulls touch? */
DC_INLINE int pairs_meet(const dc_sim *sim)
{
    int a, b;
    for (a = 0; a < sim->hulls; ++a)
        for (b = 0; b < a; ++b) if (dc_sim_may_touch(sim, a, b)) return 1;
    return 0;
}

/* All Jacobians of the step from c->q[0], c->q[1] of the model m, but those that are zero. 0: a step failed. */
DC_INLINE int jacobian_checks(step_case *c, worst *e, const char *what)
{
    static dc_real J[CLASSES][64*512];
    static double jac[64*512], zero[512];
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_sim_jacobian o;
    dc_sim_control u;
    int nv = m.sim.nv, n[CLASSES];
    u.target = c->target;
    u.velocity = c->velocity;
    u.force = c->force;
    all_jacobians(J[0], 64*512, &o, n);
    memcpy(c->link, m.sim.link, (size_t)m.sim.links*sizeof *c->link);
    memcpy(c->vertex, m.sim.vertex, (size_t)m.sim.vertices*sizeof *c->vertex);
    memcpy(c->plane, m.sim.plane, (size_t)m.sim.planes*sizeof *c->plane);
    c->failed = 0;
    if (step(c, c->next, NULL) != DC_OK) return 0;
    if (dc_sim_grad(&m.sim, c->q[0], c->q[1], &u, c->next, &mem, &o) != DC_OK) return 0;
    for (c->which = 0; c->which < CLASSES; ++c->which) {
        c->columns = n[c->which];
        if (c->which == VERTEX && m.sim.desc.trees) continue;
        if (c->columns > 512) return 0;
        to_double(J[c->which], jac, nv*c->columns);
        if (!pairs_meet(&m.sim) && m.sim.planes == 0 && !c->near_only && largest(J[c->which], nv*c->columns) > 0) {
            fd_result r = fd_check(step_of, c, c->columns, zero, nv, jac, 0.0009765625);
            worst_add(e + c->which, r.order > 1.8 ? r.err : HUGE_VAL, "%s, order %.2f", what, r.order);
        } else worst_add(e + c->which, differences(c, jac), "%s", what);
        if (c->first > 0 && largest(J[c->which], nv*c->columns) > 0) {
            double slope[64];
            fd_result r;
            int i, k;
            for (i = 0; i < nv; ++i)
                for (slope[i] = 0, k = 0; k < c->columns; ++k) slope[i] += jac[i*c->columns + k]*along(k);
            r = fd_check(step_along, c, 1, zero, nv, slope, c->first);
            worst_add(e + c->which, r.order > 1.8 ? r.err : HUGE_VAL, "%s, along a line: order %.2f, %g", what, r.order, r.err);
        }
    }
    return c->failed == 0;
}

DC_INLINE void worst_open(worst e[CLASSES])
{
    int k;
    for (k = 0; k < CLASSES; ++k) e[k] = worst_make(class_name[k]);
}

DC_INLINE int worst_close(const worst e[CLASSES], double bar)
{
    int k, ok = 1;
    for (k = 0; k < CLASSES; ++k)
        if (e[k].count) ok &= worst_print(e + k, bar);
    return ok;
}

#endif
