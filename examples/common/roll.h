/* roll.h - bodies that roll on each other: a convex problem in every step, and its derivative
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Contacts are those of dc_manifold. The velocities u of all bodies after a step of h minimise
 *
 *     u^T M u/2 - b^T u + sum over contacts of act l(w),      w = J u, the velocity of `on` against `by` at the contact,
 *
 * b the momenta with gravity's share, M by the poses before. What a contact costs is convex and once differentiable:
 *
 *     l = |P(y)|^2/2,   y = ((w_0 - n.w)/sqrt(R), -T w/sqrt(S)),   T = 1 - n n^T,   w_0 = -d/(h + delay),   R = 1/(h stiffness (h + delay)),
 *
 * P the nearest point of the cone |y_t| <= m y_n, m = mu sqrt(S/R). So the impulse -dl/dw lies in Coulomb's cone: within it the contact
 * is a spring and a damper, and slides by S times its friction. Newton's method with a line search finds the one minimum; the derivative
 * of the step is that of its stationarity, through the contacts by dc_manifold_vjp. Poses advance by h u, momenta by the impulses, so
 * both momenta are kept to what Newton leaves. Include it after dc_witness.h and objects.h. */
#ifndef ROLL_H_INCLUDED
#define ROLL_H_INCLUDED

#include <math.h>

enum { ROLL_BODIES = 4, ROLL_DIM = 6*ROLL_BODIES, ROLL_PAIRS = ROLL_BODIES*(ROLL_BODIES + 1)/2, ROLL_KEEP = 10,
       ROLL_CONTACTS = 2*OBJECT_VERTICES + 2*ROLL_KEEP*ROLL_KEEP, ROLL_NEWTON = 60 };

typedef struct { dc_pose pose[ROLL_BODIES]; dc_real momentum[ROLL_DIM]; } roll_state;     /* linear, angular: in world axes */

typedef struct {
    int         bodies, no_ee;
    const object *object[ROLL_BODIES];
    dc_real     density, gravity, friction, stiffness, delay, slip;     /* slip: S/R */
    dc_real     h;
    dc_surface  ground;
    dc_arena   *mem;
    dc_real     u[ROLL_DIM];            /* the last step's velocities */
    int         newton;                 /* its iterations, */
    double      left;                   /* what they left of the gradient, over the momenta */
    dc_real     active, depth;          /* sum of activities, deepest vertex */
    /* called for each contact that pushes, with its impulse on `on`; may be NULL */
    void      (*show)(void *user, int edge, const dc_manifold_contact *c, dc_v3 impulse);
    void       *user;
} roll;

/* contacts of a pair of bodies, b -1: the ground; the first `vertices` are of a's vertices, and so on as in dc_manifold_count */
typedef struct { int a, b, count, part[4]; dc_manifold_contact contact[ROLL_CONTACTS]; } roll_pair;
typedef struct { int count; roll_pair pair[ROLL_PAIRS]; } roll_pairs;

/* ---- a contact's cost */

typedef struct {
    dc_real cost, root_r, root_s, y_n, p_n, nn, nt, across;     /* P' = nn, nt along t, across beside it */
    dc_v3   t, y_t, p_t, impulse;                               /* -dl/dw */
} roll_cone;

static roll_cone roll_cone_at(const roll *r, const dc_manifold_contact *c, dc_v3 w)
{
    const dc_real reach = r->h + r->delay, R = 1/(r->h*r->stiffness*reach);
    const dc_real m = r->friction*dc_sqrt(r->slip), wn = dc_dot(c->n, w);
    roll_cone k = DC_ZERO;
    dc_real   size;

    k.root_r = dc_sqrt(R);
    k.root_s = dc_sqrt(r->slip*R);
    k.y_n = (-c->d/reach - wn)/k.root_r;
    k.y_t = dc_scale(-1/k.root_s, dc_madd(w, -wn, c->n));
    size = dc_sqrt(dc_dot(k.y_t, k.y_t));
    if (size <= m*k.y_n) {                                      /* sticks */
        k.p_n = k.y_n;
        k.p_t = k.y_t;
        k.nn = k.across = 1;
        k.t = dc_scale(size > 0 ? 1/size : DC_R(0), k.y_t);
    } else if (m*size > -k.y_n) {                               /* slides */
        k.t = dc_scale(1/size, k.y_t);
        k.nn = 1/(1 + m*m);
        k.nt = m*k.nn;
        k.p_n = k.nn*(k.y_n + m*size);
        k.p_t = dc_scale(m*k.p_n, k.t);
        k.across = m*k.p_n/size;
    }
    k.cost = DC_R(0.5)*(k.p_n*k.p_n + dc_dot(k.p_t, k.p_t));
    /* T p_t + n p_n, each by its root */
    k.impulse = dc_madd(dc_scale(1/k.root_s, dc_madd(k.p_t, -dc_dot(c->n, k.p_t), c->n)), k.p_n/k.root_r, c->n);
    return k;
}

/* P' times a direction of y; in the sticking cone P' = 1 */
static void roll_cone_turn(const roll_cone *k, dc_real dy_n, dc_v3 dy_t, dc_real *dp_n, dc_v3 *dp_t)
{
    const dc_real along = dc_dot(k->t, dy_t), tt = k->nt > 0 ? 1 - k->nn : k->across;
    *dp_n = k->nn*dy_n + k->nt*along;
    *dp_t = dc_add(dc_scale(k->across, dc_madd(dy_t, -along, k->t)), dc_scale(tt*along + k->nt*dy_n, k->t));
}

/* the derivative of -impulse along dw */
static dc_v3 roll_cone_bend(const roll_cone *k, dc_v3 n, dc_v3 dw)
{
    const dc_real dn = dc_dot(n, dw);
    dc_real p_n;
    dc_v3   p_t;
    roll_cone_turn(k, -dn/k->root_r, dc_scale(-1/k->root_s, dc_madd(dw, -dn, n)), &p_n, &p_t);
    return dc_neg(dc_madd(dc_scale(1/k->root_s, dc_madd(p_t, -dc_dot(n, p_t), n)), p_n/k->root_r, n));
}

/* ---- velocities at a contact */

static dc_v3 roll_linear(const dc_real *u, int body) { return dc_vec(u[6*body], u[6*body + 1], u[6*body + 2]); }
static dc_v3 roll_angular(const dc_real *u, int body) { return dc_vec(u[6*body + 3], u[6*body + 4], u[6*body + 5]); }
static dc_v3 roll_velocity(const roll_state *x, const dc_real *u, int body, dc_v3 p)
{
    if (body < 0) return dc_vec(0, 0, 0);
    return dc_add(roll_linear(u, body), dc_cross(roll_angular(u, body), dc_sub(p, x->pose[body].t)));
}

/* adds s J^T f of a body */
static void roll_push(const roll_state *x, dc_real *to, int body, dc_v3 p, dc_real s, dc_v3 f)
{
    dc_v3 torque;
    if (body < 0) return;
    torque = dc_cross(dc_sub(p, x->pose[body].t), f);
    to += 6*body;
    to[0] += s*f.x;      to[1] += s*f.y;      to[2] += s*f.z;
    to[3] += s*torque.x; to[4] += s*torque.y; to[5] += s*torque.z;
}

/* which bodies contact k of a pair pushes: vertices of a and the first half of the edges' contacts are on a */
static void roll_sides(const roll_pair *p, int k, int *on, int *by, int *edge)
{
    const int vertices = p->part[0] + p->part[1], on_a = k < p->part[0] || (k >= vertices && k < vertices + p->part[2]);
    *on = on_a ? p->a : p->b;
    *by = on_a ? p->b : p->a;
    *edge = k >= vertices;
}

/* two edges have two contacts, one on each body */
static dc_real roll_share(const dc_manifold_contact *c, int edge) { return edge ? DC_R(0.5)*c->act : c->act; }

/* ---- bodies */

static dc_real roll_mass(const roll *r, int i) { return r->density*r->object[i]->volume; }

static dc_v3 roll_inertia(const roll *r, const roll_state *x, int i, dc_v3 w)
{
    const dc_m3 R = dc_rotation(x->pose[i].q);
    const dc_m3 *I = &r->object[i]->inertia;
    w = dc_mul_t(&R, w);
    w = dc_mul(I, w);
    return dc_scale(r->density, dc_mul(&R, w));
}

static void roll_put(dc_real *to, dc_v3 linear, dc_v3 angular)
{
    to[0] = linear.x;  to[1] = linear.y;  to[2] = linear.z;
    to[3] = angular.x; to[4] = angular.y; to[5] = angular.z;
}

/* M u */
static void roll_times_mass(const roll *r, const roll_state *x, const dc_real *u, dc_real *Mu)
{
    int i;
    for (i = 0; i < r->bodies; i++)
        roll_put(Mu + 6*i, dc_scale(roll_mass(r, i), roll_linear(u, i)), roll_inertia(r, x, i, roll_angular(u, i)));
}

/* ---- the contacts of a state, and their transposed derivative */

static void roll_manifold_of(const roll *r, int a, int b, dc_surface s[2], dc_manifold_options *o)
{
    static const dc_manifold_options none = DC_ZERO;
    *o = none;
    s[0].mesh = &r->object[a]->mesh;
    s[0].sdf = &r->object[a]->field;
    s[1] = r->ground;
    o->witness.w_reg = DC_R(1e-3);
    o->witness.eps_min = DC_R(1e-2);
    if (b < 0) {
        o->no_ee = o->no_vs_b = 1;
    } else {
        s[1].mesh = &r->object[b]->mesh;
        s[1].sdf = &r->object[b]->field;
        o->no_ee = r->no_ee;
        o->keep_e_a = o->keep_e_b = r->no_ee ? 0 : ROLL_KEEP;
    }
}

/* pairs whose spheres come nearer than the width of contacts, and their manifolds */
static dc_status roll_contacts(const roll *r, const roll_state *x, roll_pairs *p)
{
    const dc_real apart = DC_R(0.3);
    dc_status status = DC_OK;
    int a, b;

    p->count = 0;
    for (a = 0; a < r->bodies; a++)
        for (b = -1; b < a && status == DC_OK; b++) {
            roll_pair *pair = &p->pair[p->count];
            dc_real    reach = r->object[a]->radius + (b < 0 ? 0 : r->object[b]->radius) + apart;
            dc_v3      from = b < 0 ? dc_vec(0, 0, x->pose[a].t.z) : dc_sub(x->pose[a].t, x->pose[b].t);
            dc_surface s[2];
            dc_manifold_options o;
            if (dc_dot(from, from) > reach*reach) continue;
            roll_manifold_of(r, a, b, s, &o);
            pair->a = a;
            pair->b = b;
            pair->count = dc_manifold_count(&s[0], &s[1], &o, pair->part);
            status = dc_manifold(&s[0], &x->pose[a], &s[1], b < 0 ? NULL : &x->pose[b], &o, r->mem, pair->contact);
            p->count++;
        }
    return status;
}

/* ---- a step */

/* cost, gradient and Hessian at u; the latter may be NULL */
static double roll_cost(const roll *r, const roll_state *x, const roll_pairs *p, const dc_real *b, const dc_real *u, dc_real *grad, dc_real *hess)
{
    const int n = 6*r->bodies;
    double cost = 0;
    int i, k, j;

    roll_times_mass(r, x, u, grad);
    for (i = 0; i < n; i++) {
        cost += (double)(u[i]*(DC_R(0.5)*grad[i] - b[i]));
        grad[i] -= b[i];
    }
    for (i = 0; hess && i < n*n; i++) hess[i] = 0;
    for (i = 0; hess && i < n; i++) {
        dc_real e[ROLL_DIM] = {0}, Me[ROLL_DIM];
        e[i] = 1;
        roll_times_mass(r, x, e, Me);
        for (k = 0; k < n; k++) hess[n*k + i] += Me[k];
    }

    for (i = 0; i < p->count; i++)
        for (k = 0; k < p->pair[i].count; k++) {
            const dc_manifold_contact *c = &p->pair[i].contact[k];
            int       on, by, edge;
            dc_real   act;
            roll_cone cone;
            roll_sides(&p->pair[i], k, &on, &by, &edge);
            act = roll_share(c, edge);
            cone = roll_cone_at(r, c, dc_sub(roll_velocity(x, u, on, c->p), roll_velocity(x, u, by, c->p)));
            if (!(cone.cost > 0)) continue;
            cost += (double)(act*cone.cost);
            roll_push(x, grad, on, c->p, -act, cone.impulse);
            roll_push(x, grad, by, c->p, act, cone.impulse);

            /* act J^T l'' J, a column for each number of either body */
            for (j = 0; hess && j < 12; j++) {
                const int body = j < 6 ? on : by;
                dc_real   e[ROLL_DIM] = {0}, column[ROLL_DIM] = {0};
                dc_v3     f;
                int       at = 6*body + j%6, m;
                if (body < 0) continue;
                e[at] = j < 6 ? DC_R(1) : DC_R(-1);
                f = roll_cone_bend(&cone, c->n, roll_velocity(x, e, body, c->p));
                roll_push(x, column, on, c->p, act, f);
                roll_push(x, column, by, c->p, -act, f);
                for (m = 0; m < 6; m++) {
                    hess[n*(6*on + m) + at] += column[6*on + m];
                    if (by >= 0) hess[n*(6*by + m) + at] += column[6*by + m];
                }
            }
        }
    return cost;
}

/* The velocities that minimise the cost, from u; the Hessian there, factored, in `factor`. */
static dc_status roll_solve(roll *r, const roll_state *x, const roll_pairs *p, const dc_real *b, dc_real *u, dc_real *factor)
{
    const int n = 6*r->bodies;
    dc_real grad[ROLL_DIM], step[ROLL_DIM], next[ROLL_DIM];
    double  cost, size = 0, before = 1e300;
    int     i, k, where;

    for (i = 0; i < n; i++) size += (double)(b[i]*b[i]);
    for (r->newton = 0; r->newton < ROLL_NEWTON; r->newton++) {
        double slope = 0, left = 0, share = 1, after;
        cost = roll_cost(r, x, p, b, u, grad, factor);
        if (dc_chol_factor(n, factor, n, &where) != DC_OK) return DC_E_DIVERGED;
        for (i = 0; i < n; i++) left += (double)(grad[i]*grad[i]);
        r->left = sqrt(left/(size + 1e-30));
        /* to rounding: what is left no longer falls */
        if (r->left < (DC_IS_FLOAT ? 1e-5 : 1e-13) || (r->left < (DC_IS_FLOAT ? 1e-3 : 1e-10) && r->left >= 0.5*before)) return DC_OK;
        before = r->left;

        for (i = 0; i < n; i++) step[i] = -grad[i];
        dc_chol_solve(n, factor, n, 1, step, 1);
        for (i = 0; i < n; i++) slope += (double)(grad[i]*step[i]);
        for (k = 0; k < 40; k++, share *= 0.5) {
            dc_real unused[ROLL_DIM];
            for (i = 0; i < n; i++) next[i] = u[i] + (dc_real)share*step[i];
            after = roll_cost(r, x, p, b, next, unused, NULL);
            if (after <= cost + 1e-4*share*slope + 1e-14*fabs(cost)) break;
        }
        for (i = 0; i < n; i++) u[i] = next[i];
    }
    return r->left < (DC_IS_FLOAT ? 1e-3 : 1e-8) ? DC_OK : DC_E_DIVERGED;
}

/* A step of h from x to *y. p and factor, n x n, stay for roll_back. */
static dc_status roll_step(roll *r, const roll_state *x, roll_state *y, roll_pairs *p, dc_real *factor)
{
    dc_real   b[ROLL_DIM], move[6];
    dc_status status = roll_contacts(r, x, p);
    int       i, k;

    if (status != DC_OK) return status;
    memcpy(b, x->momentum, sizeof b);
    for (i = 0; i < r->bodies; i++) b[6*i + 2] -= r->h*roll_mass(r, i)*r->gravity;
    status = roll_solve(r, x, p, b, r->u, factor);
    if (status != DC_OK) return status;

    *y = *x;
    roll_times_mass(r, x, r->u, y->momentum);
    for (i = 0; i < r->bodies; i++) {
        for (k = 0; k < 6; k++) move[k] = r->h*r->u[6*i + k];
        y->pose[i] = dc_pose_retract(x->pose[i], move);
    }

    r->active = r->depth = 0;
    for (i = 0; i < p->count; i++)
        for (k = 0; k < p->pair[i].count; k++) {
            const dc_manifold_contact *c = &p->pair[i].contact[k];
            int   on, by, edge;
            dc_v3 w;
            roll_sides(&p->pair[i], k, &on, &by, &edge);
            r->active += c->act;
            if (!edge) r->depth = dc_max(r->depth, -c->d);
            if (!r->show || c->act < DC_R(0.05)) continue;
            w = dc_sub(roll_velocity(x, r->u, on, c->p), roll_velocity(x, r->u, by, c->p));
            r->show(r->user, edge, c, dc_scale(roll_share(c, edge), roll_cone_at(r, c, w).impulse));
        }
    return DC_OK;
}

/* ---- its transposed derivative */

/* With lam = H^-1 times what is asked of u, a contact has the share act lam_w . impulse, lam_w = J lam: its derivatives by p, d, n, act in
 * *bar, by where the bodies' centres are in to, 6 for each, velocities frozen. */
static void roll_contact_back(const roll *r, const roll_state *x, const dc_manifold_contact *c, int on, int by, int edge, const dc_real *lam,
                              dc_manifold_contact *bar, dc_real *to)
{
    const dc_v3 w = dc_sub(roll_velocity(x, r->u, on, c->p), roll_velocity(x, r->u, by, c->p));
    const dc_v3 v = dc_sub(roll_velocity(x, lam, on, c->p), roll_velocity(x, lam, by, c->p));
    const dc_real act = roll_share(c, edge), reach = r->h + r->delay, vn = dc_dot(c->n, v), wn = dc_dot(c->n, w);
    const roll_cone k = roll_cone_at(r, c, w);
    const dc_v3 zero = dc_vec(0, 0, 0), Kv = dc_scale(-act, roll_cone_bend(&k, c->n, v)), f = dc_scale(act, k.impulse);
    dc_real dp_n;
    dc_v3   dp_t, n_bar;
    int     side;

    bar->act = (edge ? DC_R(0.5) : DC_R(1))*dc_dot(v, k.impulse);

    /* d: by w_0 = -d/(h + delay) */
    roll_cone_turn(&k, 1/k.root_r, zero, &dp_n, &dp_t);
    bar->d = -act/reach*(vn*dp_n/k.root_r + dc_dot(v, dc_madd(dp_t, -dc_dot(c->n, dp_t), c->n))/k.root_s);

    /* n: of -l' v, where l_n = -(p_n/root_r) w + (n.w p_t + w n.p_t)/root_s */
    roll_cone_turn(&k, -vn/k.root_r, dc_scale(-1/k.root_s, dc_madd(v, -vn, c->n)), &dp_n, &dp_t);
    n_bar = dc_add(dc_scale(dp_n/k.root_r, w), dc_scale(k.p_n/k.root_r, v));
    n_bar = dc_madd(n_bar, -wn/k.root_s, dp_t);
    n_bar = dc_madd(n_bar, -vn/k.root_s, k.p_t);
    n_bar = dc_madd(n_bar, -dc_dot(c->n, k.p_t)/k.root_s, v);
    n_bar = dc_madd(n_bar, -dc_dot(c->n, dp_t)/k.root_s, w);
    bar->n = dc_scale(act, n_bar);

    /* p, and the centres: w and lam_w turn with the arm */
    bar->p = zero;
    for (side = 0; side < 2; side++) {
        const int   body = side ? by : on;
        const dc_v3 s = side ? dc_neg(Kv) : Kv, g = side ? dc_neg(f) : f;
        dc_v3 arm;
        if (body < 0) continue;
        arm = dc_add(dc_cross(s, roll_angular(r->u, body)), dc_cross(g, roll_angular(lam, body)));
        bar->p = dc_add(bar->p, arm);
        to[6*body] -= arm.x;
        to[6*body + 1] -= arm.y;
        to[6*body + 2] -= arm.z;
    }
}

/* Turns bar, the derivative of a number by the state after a step (6 twists and 6 momenta a body), into that by the state before, x. p,
 * factor and r->u are the step's. */
typedef struct { dc_real twist[ROLL_DIM], momentum[ROLL_DIM]; } roll_bar;

static dc_status roll_back(const roll *r, const roll_state *x, const roll_pairs *p, const dc_real *factor, roll_bar *bar)
{
    static dc_manifold_contact contact_bar[ROLL_CONTACTS];
    const int n = 6*r->bodies;
    roll_bar  to = DC_ZERO;
    dc_real   lam[ROLL_DIM];
    int       i, k;

    /* by u: poses h u, momenta M u; by x: poses */
    roll_times_mass(r, x, bar->momentum, lam);
    for (i = 0; i < r->bodies; i++) {
        const dc_v3 w = roll_angular(r->u, i), turn = roll_angular(bar->twist, i), L = roll_angular(bar->momentum, i);
        const dc_v3 hw = dc_scale(r->h, w);
        const dc_m3 Jl = dc_so3_jl(hw), R = dc_rotation(dc_quat_exp(hw));
        const dc_v3 u = dc_mul_t(&Jl, turn), back = dc_mul_t(&R, turn);
        /* L.(I w) turns with the body */
        const dc_v3 gyro = dc_add(dc_cross(roll_inertia(r, x, i, w), L), dc_cross(roll_inertia(r, x, i, L), w));
        for (k = 0; k < 3; k++) lam[6*i + k] += r->h*bar->twist[6*i + k];
        lam[6*i + 3] += r->h*u.x;
        lam[6*i + 4] += r->h*u.y;
        lam[6*i + 5] += r->h*u.z;
        roll_put(to.twist + 6*i, roll_linear(bar->twist, i), dc_add(back, gyro));
    }

    /* M u - b - impulses = 0 */
    if (dc_chol_solve(n, factor, n, 1, lam, 1) != DC_OK) return DC_E_SINGULAR;
    memcpy(to.momentum, lam, sizeof lam);
    for (i = 0; i < r->bodies; i++) {
        const dc_v3 w = roll_angular(r->u, i), l = roll_angular(lam, i);
        const dc_v3 gyro = dc_add(dc_cross(roll_inertia(r, x, i, w), l), dc_cross(roll_inertia(r, x, i, l), w));
        to.twist[6*i + 3] -= gyro.x;
        to.twist[6*i + 4] -= gyro.y;
        to.twist[6*i + 5] -= gyro.z;
    }
    for (i = 0; i < p->count; i++) {
        const roll_pair *pair = &p->pair[i];
        dc_surface s[2];
        dc_manifold_options o;
        dc_real    grad[12];
        dc_status  status;
        for (k = 0; k < pair->count; k++) {
            int on, by, edge;
            roll_sides(pair, k, &on, &by, &edge);
            roll_contact_back(r, x, &pair->contact[k], on, by, edge, lam, &contact_bar[k], to.twist);
        }
        roll_manifold_of(r, pair->a, pair->b, s, &o);
        status = dc_manifold_vjp(&s[0], &x->pose[pair->a], &s[1], pair->b < 0 ? NULL : &x->pose[pair->b], &o, contact_bar, r->mem, NULL, grad);
        if (status != DC_OK) return status;
        for (k = 0; k < 6; k++) {
            to.twist[6*pair->a + k] += grad[k];
            if (pair->b >= 0) to.twist[6*pair->b + k] += grad[6 + k];
        }
    }
    *bar = to;
    return DC_OK;
}

#endif /* ROLL_H_INCLUDED */
