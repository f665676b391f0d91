/* Derivatives of a step against central differences: every class of parameter, 2D and 3D, states taken from runs in contact. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

#define R(x) ((dc_real)(x))
#define BODIES 4
#define CONTACTS 8
#define PARAMS (BODIES*DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS + CONTACTS*DC_NCP_CONTACT_PARAMS)
#define DATA 512

static unsigned char shape_memory[1 << 16], memory[1 << 18];

typedef struct {
    const char *name;
    int dim, bodies, contacts, shapes;
    dc_ncp_body body[BODIES];
    dc_ncp_contact contact[CONTACTS];
    dc_shape shape[8];
    dc_ncp_scene scene;
    dc_ncp_options opt;
    int failed;
} world;

static void world_body(world *w, double x, double y, double z, dc_v3 turn, double mass, double inertia)
{
    dc_ncp_body *b = w->body + w->bodies++;
    memset(b, 0, sizeof *b);
    b->pose.q = dc_quat_exp(turn);
    b->pose.t = dc_vec(R(x), R(y), R(z));
    b->mass = R(mass);
    b->inertia.m[0] = b->inertia.m[4] = b->inertia.m[8] = R(inertia);
    if (w->dim == 3) {
        b->inertia.m[4] *= R(1.5);
        b->inertia.m[1] = b->inertia.m[3] = R(0.2*inertia);
    }
}

static void world_contact(world *w, int a, int b, int sa, int sb, double mu)
{
    dc_ncp_contact *c = w->contact + w->contacts++;
    memset(c, 0, sizeof *c);
    c->body[0] = a;
    c->body[1] = b;
    c->shape[0] = w->shape + sa;
    c->shape[1] = w->shape + sb;
    c->mu = R(mu);
}

static void world_close(world *w, double h)
{
    memset(&w->scene, 0, sizeof w->scene);
    w->scene.dim = w->dim;
    w->scene.h = R(h);
    w->scene.gravity = w->dim == 2 ? dc_vec(0, R(-9.81), 0) : dc_vec(0, 0, R(-9.81));
    w->scene.bodies = w->bodies;
    w->scene.contacts = w->contacts;
    w->scene.body = w->body;
    w->scene.contact = w->contact;
}

/* which: 0 drop, 1 stack, 2 peg, 3 bodies in 3D, 4 the same with linear friction */
static void make(world *w, int which, rng *r)
{
    static const dc_real A[10] = {1, DC_R(0.2), 0, 1, -1, DC_R(-0.3), 0, -1, DC_R(0.8), DC_R(-0.8)};
    static const dc_real b[5] = {DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4)};
    static const char *const name[5] = {"drop", "stack", "peg", "3D", "3D, linear friction"};
    dc_arena m = dc_arena_make(shape_memory, sizeof shape_memory);
    double t[6];
    int k;
    memset(w, 0, sizeof *w);
    w->name = name[which];
    w->dim = which < 3 ? 2 : 3;
    for (k = 0; k < 6; ++k) t[k] = rng_uniform(r, -1, 1);
    if (which == 0) {
        dc_shape_polytope(2, 5, A, b, &m, &w->shape[0]);
        dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &m, &w->shape[1]);
        world_body(w, 0, 0.8 + 0.3*t[0], 0, dc_vec(0, 0, R(3*t[1])), 1, 0.2);
        w->body[0].v = dc_vec(R(t[2]), R(-1 + t[3]), 0);
        w->body[0].w.z = R(t[4]);
        world_contact(w, 0, -1, 0, 1, 0.2);
        world_close(w, 0.05);
    } else if (which == 1) {
        dc_shape_box(2, dc_vec(R(0.25), R(0.25), 0), &m, &w->shape[0]);
        dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &m, &w->shape[1]);
        world_body(w, 0.1*t[0], 0.3, 0, dc_vec(0, 0, R(0.1*t[1])), 1, 0.2);
        world_body(w, 0.1*t[2], 0.85, 0, dc_vec(0, 0, R(0.2*t[3])), 1.5, 0.2);
        w->body[1].v.x = R(t[4]);
        world_contact(w, 0, 1, 0, 0, 0.5);
        world_contact(w, 0, -1, 0, 1, 0.5);
        world_contact(w, 1, -1, 0, 1, 0.5);
        world_close(w, 0.03);
    } else if (which == 2) {
        dc_shape_box(2, dc_vec(R(0.249), R(0.5), 0), &m, &w->shape[0]);
        dc_shape_box(2, dc_vec(R(0.25), R(0.5), 0), &m, &w->shape[1]);
        dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &m, &w->shape[2]);
        world_body(w, 0.0005*t[0], 1.1 + 0.3*t[1], 0, dc_vec(0, 0, R(0.003*t[2])), 1, 0.2);
        world_body(w, -0.5, 0.5, 0, dc_vec(0, 0, 0), 0, 0);
        world_body(w, 0.5, 0.5, 0, dc_vec(0, 0, 0), 0, 0);
        w->body[0].v = dc_vec(R(0.1*t[3]), R(-0.5 + t[4]), 0);
        world_contact(w, 0, 1, 0, 1, 0.1);
        world_contact(w, 0, 2, 0, 1, 0.1);
        world_contact(w, 0, -1, 0, 2, 0.1);
        world_close(w, 0.02);
    } else {
        dc_shape_box(3, dc_vec(R(0.3), R(0.2), R(0.25)), &m, &w->shape[0]);
        dc_shape_sphere(3, R(0.2), &m, &w->shape[1]);
        dc_shape_capsule(3, R(0.15), R(0.5), &m, &w->shape[2]);
        dc_shape_halfspace(3, dc_vec(R(0.1), 0, 1), 0, &m, &w->shape[3]);
        world_body(w, 0, 0, 0.4, dc_vec(R(t[0]), R(t[1]), R(t[2])), 1, 0.05);
        world_body(w, 0.1*t[3], 0.1*t[4], 0.9, dc_vec(0, 0, 0), 0.7, 0.02);
        world_body(w, 0.4 + 0.1*t[5], 0, 0.5, dc_vec(R(t[4]), R(t[3]), R(t[5])), 0.8, 0.03);
        for (k = 0; k < 3; ++k) w->body[k].w = dc_vec(R(3*t[k]), R(-2*t[k + 1]), R(2*t[k + 2]));
        world_contact(w, 0, -1, 0, 3, 0.4);
        world_contact(w, 1, 0, 1, 0, 0.3);
        world_contact(w, 2, -1, 2, 3, 0.5);
        world_contact(w, 0, 2, 0, 2, 0.2);
        world_contact(w, 1, -1, 1, 3, 0.2);
        w->contact[0].mu_spin = R(0.05);
        w->contact[2].mu_spin = R(0.02);
        w->contact[4].restitution = R(0.5);
        w->contact[1].restitution = R(0.3);
        w->opt.pyramid = which == 4;
        world_close(w, 0.02);
    }
}

/* The parameters by number, as in the columns of dc_ncp_grad; then the numbers of shape 0. Returns 0 for a number that has no
 * meaning in the scene. */
static int perturb(world *w, int k, double by)
{
    dc_real d = R(by);
    if (k < w->bodies*DC_NCP_BODY_PARAMS) {
        dc_ncp_body *b = w->body + k/DC_NCP_BODY_PARAMS;
        int flat = w->dim == 2;
        k %= DC_NCP_BODY_PARAMS;
        if (k < 6) {
            dc_real xi[6] = DC_ZERO;
            xi[k] = d;
            b->pose = dc_pose_retract(b->pose, xi);
            return !flat || k < 2 || k == 5;
        }
        if (!(b->mass > 0)) return 0;
        if (k < 12) (&(k < 9 ? &b->v : &b->w)->x)[k%3] += d;
        else if (k < 18) (&(k < 15 ? &b->force : &b->torque)->x)[k%3] += d;
        else if (k == 18) b->mass += d;
        else b->inertia.m[k - 19] += d;
        return !flat || (k < 18 ? k%6 < 2 || k%6 == 5 : k == 18 || k == 27);
    }
    k -= w->bodies*DC_NCP_BODY_PARAMS;
    if (k < 3) {
        (&w->scene.gravity.x)[k] += d;
        return k < w->dim;
    }
    if (k == 3) {
        w->scene.h += d;
        return 1;
    }
    k -= DC_NCP_SCENE_PARAMS;
    {
        dc_ncp_contact *c = w->contact + k/3;
        dc_real *x = k%3 == 0 ? &c->mu : k%3 == 1 ? &c->mu_spin : &c->restitution;
        if (!(*x > 0)) return 0;
        *x += d;
        return 1;
    }
}

static int params(const world *w) { return w->bodies*DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS + w->contacts*DC_NCP_CONTACT_PARAMS; }

/* ---- the function that is differenced: next poses (as twists from the unperturbed next ones) and velocities, against v.
 * Every parameter that has a meaning, each in its own direction; then scaled entries of the first contact's shapes. */

typedef struct { world w; dc_ncp_body next[BODIES]; double weight[12*BODIES]; int map[PARAMS], n, shapes, count; double way[PARAMS + 2*DATA]; dc_real data[2][DATA]; dc_real size[2]; } problem;

static void run(world *w, dc_ncp_body *next)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    w->scene.body = w->body;
    w->scene.contact = w->contact;
    if (dc_ncp_step(&w->opt, &w->scene, &mem, next, NULL, NULL) != DC_OK) w->failed = 1;
}

static void value(const double *x, double *f, void *user)
{
    static world w;
    static dc_ncp_body next[BODIES];
    problem *p = (problem *)user;
    int k, i, j = 0;
    w = p->w;
    for (k = 0; k < p->n; ++k) perturb(&w, p->map[k], x[k]);
    x += p->n;
    if (p->shapes) {
        static dc_shape s[2];
        for (k = 0; k < 2; ++k) {
            dc_real *to = p->data[k];
            const dc_shape *from = p->w.contact[0].shape[k];
            int n = from->rows*from->dim;
            s[k] = *from;
            for (i = 0; i < n; ++i) to[i] = from->A[i] + R(*x++);
            s[k].A = to;
            to += n;
            for (i = 0; i < from->rows; ++i) to[i] = from->b[i] + R(*x++);
            s[k].b = to;
            to += from->rows;
            for (i = 0; i < from->rows; ++i) to[i] = from->d[i] + R(*x++);
            s[k].d = to;
            if (from->size > 0) s[k].size += R(*x++);
            w.contact[0].shape[k] = &s[k];
        }
    }
    w.failed = 0;
    run(&w, next);
    p->w.failed |= w.failed;
    f[0] = 0;
    for (i = 0; i < p->w.bodies; ++i) {
        dc_real xi[6];
        dc_pose_local(p->next[i].pose, next[i].pose, xi);
        for (k = 0; k < 6; ++k) f[0] += p->weight[j++]*(double)xi[k];
        for (k = 0; k < 3; ++k) f[0] += p->weight[j++]*(double)(&next[i].v.x)[k];
        for (k = 0; k < 3; ++k) f[0] += p->weight[j++]*(double)(&next[i].w.x)[k];
    }
}

/* all parameters at once, along a way */
static void along(const double *t, double *f, void *user)
{
    static double x[PARAMS + 2*DATA];
    problem *p = (problem *)user;
    int k;
    for (k = 0; k < p->count; ++k) x[k] = t[0]*p->way[k];
    value(x, f, user);
}

static int which_world;

TEST against_differences(void)
{
    static problem p;
    static double x[PARAMS + 2*DATA], J[PARAMS + 2*DATA];
    static dc_real body[BODIES*DC_NCP_BODY_PARAMS], scene[DC_NCP_SCENE_PARAMS], contact[CONTACTS*DC_NCP_CONTACT_PARAMS], data[2][DATA];
    worst w = worst_make("vjp"), wo = worst_make("2 - order"), wj = worst_make("Jacobian against vjp");
    rng r;
    /* each parameter by itself in the first states, in the others all along a random way */
    int state, states = (int)sweep_count(200), touching = 0, k, i, n;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    rng_seed(&r, 100 + (uint64_t)which_world);
    for (state = 0; state < states; ++state) {
        static dc_real bar[12*BODIES], jac[12*BODIES*PARAMS];
        dc_ncp_adjoint out;
        dc_shape_grad g[2*CONTACTS];
        dc_ncp *solution;
        dc_arena mem;
        fd_result fd;
        int steps;
        make(&p.w, which_world, &r);
        p.w.opt.rho = R(1e-4);
        steps = rng_int(&r, 3, 25);
        for (k = 0; k < steps; ++k) run(&p.w, p.w.body);
        p.w.opt.rho = R(state & 1 ? 1e-3 : 1e-2);           /* in natural units: products of 1e-5 and 1e-4 N s m, and less */
        p.w.opt.tol = R(1e-11);
        for (i = 0; i < p.w.bodies; ++i)
            if (p.w.body[i].mass > 0) {
                p.w.body[i].force = dc_vec(R(rng_uniform(&r, -1, 1)), R(rng_uniform(&r, -1, 1)), 0);
                p.w.body[i].torque.z = R(rng_uniform(&r, -0.2, 0.2));
            }
        for (k = 0; k < 12*p.w.bodies; ++k) {
            bar[k] = R(rng_uniform(&r, -1, 1));
            p.weight[k] = (double)bar[k];
        }
        mem = dc_arena_make(memory, sizeof memory);
        p.w.scene.body = p.w.body;
        p.w.scene.contact = p.w.contact;
        ASSERT_EQ(DC_OK, dc_ncp_step(&p.w.opt, &p.w.scene, &mem, p.next, &solution, NULL));
        for (k = 0; k < p.w.contacts; ++k) {
            dc_ncp_touch t;
            ASSERT_EQ(DC_OK, dc_ncp_force(solution, k, &t));
            if (dc_dot(t.impulse, t.n) > R(0.01)) {
                touching++;
                break;
            }
        }
        memset(body, 0, sizeof body);
        memset(scene, 0, sizeof scene);
        memset(contact, 0, sizeof contact);
        memset(data, 0, sizeof data);
        memset(g, 0, sizeof g);
        for (k = 0; k < 2; ++k) {
            const dc_shape *s = p.w.contact[0].shape[k];
            g[k].A = data[k];
            g[k].b = data[k] + s->rows*s->dim;
            g[k].d = g[k].b + s->rows;
        }
        out.body = body;
        out.scene = scene;
        out.contact = contact;
        out.shape = g;
        ASSERT_EQ(DC_OK, dc_ncp_vjp(solution, bar, &out));
        ASSERT_EQ(DC_OK, dc_ncp_grad(solution, jac, PARAMS));
        /* all parameters in one row */
        n = params(&p.w);
        for (k = 0, p.n = 0; k < n; ++k) {
            static world copy;
            double v = (double)(k < p.w.bodies*DC_NCP_BODY_PARAMS ? body[k]
                                : k < p.w.bodies*DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS ? scene[k - p.w.bodies*DC_NCP_BODY_PARAMS]
                                                                                        : contact[k - p.w.bodies*DC_NCP_BODY_PARAMS - DC_NCP_SCENE_PARAMS]);
            double product = 0, size = 0;
            copy = p.w;
            for (i = 0; i < 12*p.w.bodies; ++i) {
                product += (double)(bar[i]*jac[i*PARAMS + k]);
                size += fabs((double)(bar[i]*jac[i*PARAMS + k]));
            }
            if (!perturb(&copy, k, 0)) continue;
            worst_add(&wj, fabs(product - v)/(size + 1e-3), "%s state %d parameter %d", p.w.name, state, k);
            x[p.n] = 0;
            J[p.n] = v;
            p.map[p.n++] = k;
        }
        p.shapes = 1;
        for (k = 0, n = p.n; k < 2; ++k) {
            const dc_shape *s = p.w.contact[0].shape[k];
            int count = s->rows*(s->dim + 2);
            /* the columns of a shape against its adjoint; size is the last */
            ASSERT_EQ(DC_OK, dc_ncp_grad_shape(solution, 0, k, jac, PARAMS));
            for (i = 0; i <= count; ++i) {
                double v = (double)(i < count ? data[k][i] : g[k].size), product = 0, size = 0;
                int j;
                for (j = 0; j < 12*p.w.bodies; ++j) {
                    product += (double)(bar[j]*jac[j*PARAMS + i]);
                    size += fabs((double)(bar[j]*jac[j*PARAMS + i]));
                }
                worst_add(&wj, fabs(product - v)/(size + 1e-3), "%s state %d shape %d number %d", p.w.name, state, k, i);
            }
            for (i = 0; i < count; ++i) {
                x[n] = 0;
                J[n++] = (double)data[k][i];
            }
            if (s->size > 0) {
                x[n] = 0;
                J[n++] = (double)g[k].size;
            }
        }
        p.w.failed = 0;
        if (state < 3) fd = fd_check(value, &p, n, x, 1, J, which_world == 2 ? 1.0/16384 : 1.0/256);     /* the peg has 1 mm of play */
        else {
            int tries = 0;
            do {
                double slope = 0, none = 0;
                for (k = 0, p.count = n; k < n; ++k) {
                    p.way[k] = rng_uniform(&r, -1, 1);
                    slope += J[k]*p.way[k];
                }
                fd = fd_check(along, &p, 1, &none, 1, &slope, which_world == 2 ? 1.0/131072 : 1.0/4096);
            } while (fd.bit_equal && ++tries < 2);       /* one number agrees to the bit by chance now and then, two do not */
        }
        ASSERT(!p.w.failed);
        worst_add(&w, fd.err, "%s state %d step %g", p.w.name, state, fd.step);
        worst_add(&wo, 2 - fd.order, "%s state %d", p.w.name, state);
    }
    printf("  %s: %d of %d states touch\n", p.w.name, touching, states);
    ASSERT(worst_print(&w, 1e-5));
    ASSERT(worst_print(&wj, 1e-10));
    ASSERT(which_world == 2 || worst_print(&wo, 1));        /* the steps of the peg are so short that rounding hides the order */
    ASSERT(2*touching >= states);
    PASS();
}

/* derivatives of all bodies' data at a solution, for the cotangents bar */
static void adjoint(dc_ncp *solution, const dc_real *bar, dc_real *body)
{
    dc_ncp_adjoint out = DC_ZERO;
    memset(body, 0, BODIES*DC_NCP_BODY_PARAMS*sizeof *body);
    out.body = body;
    dc_ncp_vjp(solution, bar, &out);
}

/* A step relaxed to another rho is the step solved there: the same derivatives, up and down. */
TEST relaxed_steps(void)
{
    static const double rho[4] = {1e-2, 3e-3, 1e-3, 1e-6};
    worst w = worst_make("relaxed against solved there");
    int which, state, states = (int)sweep_count(20), k, i, n;
    rng r;
    if (DC_IS_FLOAT) SKIPm("rho 1e-6 needs double");
    for (which = 0; which < 5; ++which) {
        rng_seed(&r, 200 + (uint64_t)which);
        for (state = 0; state < states; ++state) {
            static world p;
            static unsigned char room[1 << 18];
            static dc_real bar[12*BODIES], there[BODIES*DC_NCP_BODY_PARAMS], relaxed[BODIES*DC_NCP_BODY_PARAMS];
            dc_ncp_body next[BODIES];
            make(&p, which, &r);
            p.opt.rho = R(1e-4);
            n = rng_int(&r, 3, 25);
            for (k = 0; k < n; ++k) run(&p, p.body);
            p.scene.body = p.body;
            p.scene.contact = p.contact;
            p.opt.tol = R(1e-12);
            for (k = 0; k < 12*BODIES; ++k) bar[k] = R(rng_uniform(&r, -1, 1));
            for (i = 0; i < 4; ++i) {
                dc_arena mem = dc_arena_make(memory, sizeof memory), other = dc_arena_make(room, sizeof room);
                dc_ncp *a, *b;
                double e = 0, most = 0;
                p.opt.rho = R(1e-4);
                ASSERT_EQ(DC_OK, dc_ncp_step(&p.opt, &p.scene, &mem, next, &a, NULL));
                ASSERT_EQ(DC_OK, dc_ncp_relax(a, R(rho[i]), NULL));
                adjoint(a, bar, relaxed);
                p.opt.rho = R(rho[i]);
                ASSERT_EQ(DC_OK, dc_ncp_step(&p.opt, &p.scene, &other, next, &b, NULL));
                adjoint(b, bar, there);
                for (k = 0; k < p.bodies*DC_NCP_BODY_PARAMS; ++k) {
                    e = fmax(e, fabs((double)(relaxed[k] - there[k])));
                    most = fmax(most, fabs((double)there[k]));
                }
                ASSERT(most > 0);
                worst_add(&w, e/most, "%s state %d rho %g", p.name, state, rho[i]);
            }
        }
    }
    ASSERT(worst_print(&w, 1e-5));
    PASS();
}

/* By restitution at none: what a little more of it changes, (4 f(e) - f(2 e) - 3 f(0))/(2 e). */
TEST restitution_from_none(void)
{
    worst w = worst_make("from none against differences");
    const double e = 1e-6;
    int which, state, states = (int)sweep_count(40), bounces = 0, k, i;
    rng r;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (which = 0; which < 4; ++which) {
        rng_seed(&r, 400 + (uint64_t)which);
        for (state = 0; state < states; ++state) {
            static problem p;
            static dc_real bar[12*BODIES], contact[CONTACTS*DC_NCP_CONTACT_PARAMS];
            dc_ncp_adjoint out = DC_ZERO;
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_ncp *solution;
            make(&p.w, which, &r);
            p.w.opt.tol = R(1e-11);
            for (k = 0; k < p.w.contacts; ++k) p.w.contact[k].restitution = 0;
            for (k = rng_int(&r, 0, 20); k > 0; --k) run(&p.w, p.w.body);
            for (k = 0; k < 12*p.w.bodies; ++k) {
                bar[k] = R(rng_uniform(&r, -1, 1));
                p.weight[k] = (double)bar[k];
            }
            p.w.scene.body = p.w.body;
            p.w.scene.contact = p.w.contact;
            ASSERT_EQ(DC_OK, dc_ncp_step(&p.w.opt, &p.w.scene, &mem, p.next, &solution, NULL));
            memset(contact, 0, sizeof contact);
            out.contact = contact;
            ASSERT_EQ(DC_OK, dc_ncp_vjp(solution, bar, &out));
            for (k = 0, p.n = p.shapes = 0; k < p.w.contacts; ++k) {
                double f[3], slope = (double)contact[k*DC_NCP_CONTACT_PARAMS + 2], by;
                p.w.failed = 0;
                for (i = 0; i < 3; ++i) {
                    p.w.contact[k].restitution = R(i*e);
                    value(NULL, &f[i], &p);
                }
                p.w.contact[k].restitution = 0;
                ASSERT(!p.w.failed);
                by = (4*f[1] - f[2] - 3*f[0])/(2*e);
                bounces += fabs(by) > 1e-3;
                worst_add(&w, fabs(by - slope)/fmax(fabs(by), 1), "%s state %d contact %d", p.w.name, state, k);
            }
        }
    }
    printf("  %d contacts would bounce\n", bounces);
    ASSERT(worst_print(&w, 1e-4));
    ASSERT(states < 20 || bounces > states/2);             /* a state or two of each world may have none */
    PASS();
}

/* A hash of steps and of their derivatives. */
TEST bits_are_the_same_on_every_machine(void)
{
#ifdef DC_TEST_NO_CONTRACT
    uint64_t h = UINT64_C(14695981039346656037);
    int which, k;
    rng r;
    for (which = 0; which < 5; ++which) {
        static world p;
        static dc_real bar[12*BODIES], body[BODIES*DC_NCP_BODY_PARAMS];
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_ncp *solution;
        rng_seed(&r, 300 + (uint64_t)which);
        make(&p, which, &r);
        p.opt.rho = R(1e-3);
        for (k = 0; k < 15; ++k) run(&p, p.body);
        for (k = 0; k < 12*BODIES; ++k) bar[k] = R(rng_uniform(&r, -1, 1));
        p.scene.body = p.body;
        p.scene.contact = p.contact;
        ASSERT_EQ(DC_OK, dc_ncp_step(&p.opt, &p.scene, &mem, p.body, &solution, NULL));
        adjoint(solution, bar, body);
        for (k = 0; k < p.bodies; ++k) h = mix(mix(h, &p.body[k].pose.q.w, 4), &p.body[k].pose.t.x, 3);
        h = mix(h, body, p.bodies*DC_NCP_BODY_PARAMS);
        ASSERT(!p.failed);
    }
    printf("  hash %016llx\n", (unsigned long long)h);
    ASSERT(h == (DC_IS_FLOAT ? UINT64_C(0x857dff62e9f5e1b9) : UINT64_C(0xaba25f3cc3520b5e)));
    PASS();
#else
    (void)mix;
    SKIPm("needs a build without contraction");
#endif
}

SUITE(gradients)
{
    for (which_world = 0; which_world < 5; ++which_world) RUN_TEST(against_differences);
    RUN_TEST(relaxed_steps);
    RUN_TEST(restitution_from_none);
    RUN_TEST(bits_are_the_same_on_every_machine);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(gradients);
    GREATEST_MAIN_END();
}
