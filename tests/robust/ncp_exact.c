/* Derivatives of steps at default options against differences of the same step solved to rounding: random states of six
 * scenes, every class of parameter.
 *
 *     ncp_exact [states=N] [tol=X] [..]
 *
 *   states   of each scene, in place of 10; 170 make a thousand
 *   tol      tolerance of the steps whose derivatives are taken, in place of the default */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

#define R(x) ((dc_real)(x))
#define G 9.81
enum {
    BODIES = 10, TOUCHES = 40, SHAPES = 10, OUT = 12*BODIES, DATA = 256,
    PARAMS = BODIES*DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS + TOUCHES*DC_NCP_CONTACT_PARAMS
};
enum { DROP, STACK, PEG, GRASP, TUMBLE, PILE, SCENES };
static const char *const scene_name[SCENES] = {"drop", "stack", "peg", "grasp", "tumble", "pile"};

enum { POSE, VELOCITY, LOAD, MASS, INERTIA, GRAVITY, TIME, FRICTION, SPIN, BOUNCE, SHAPE, CLASSES };
static const char *const class_name[CLASSES] = {"pose", "velocity", "load", "mass", "inertia", "gravity", "h", "mu",
                                                "mu_spin", "restitution", "shape"};

static unsigned char shape_memory[1 << 16], memory[1 << 22], other_memory[1 << 22];

typedef struct {
    dc_arena shapes;
    dc_ncp_scene scene;
    dc_ncp_body body[BODIES];
    dc_ncp_contact contact[TOUCHES];
    dc_shape shape[SHAPES];
} world;

static world w;

/* ---- scenes ---------------------------------------------------------------------------------------- */

static dc_ncp_body *add_body(double x, double y, double z, dc_v3 turn, double mass, double inertia)
{
    dc_ncp_body *b = w.body + w.scene.bodies++;
    b->pose.q = dc_quat_exp(turn);
    b->pose.t = dc_vec(R(x), R(y), R(z));
    b->mass = R(mass);
    b->inertia.m[0] = b->inertia.m[4] = b->inertia.m[8] = R(inertia);
    if (w.scene.dim == 3) b->inertia.m[4] *= R(1.3);
    return b;
}

static dc_ncp_contact *add_contact(int a, int b, int sa, int sb, double mu)
{
    dc_ncp_contact *c = w.contact + w.scene.contacts++;
    c->body[0] = a;
    c->body[1] = b;
    c->shape[0] = w.shape + sa;
    c->shape[1] = w.shape + sb;
    c->mu = R(mu);
    return c;
}

static dc_v3 any(rng *r, double most)
{
    double x = rng_uniform(r, -most, most), y = rng_uniform(r, -most, most), z = rng_uniform(r, -most, most);
    return w.scene.dim == 3 ? dc_vec(R(x), R(y), R(z)) : dc_vec(0, 0, R(x));
}

static void make(int which, rng *r)
{
    static const dc_real A[10] = {1, DC_R(0.2), 0, 1, -1, DC_R(-0.3), 0, -1, DC_R(0.8), DC_R(-0.8)};
    static const dc_real b[5] = {DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4)};
    dc_arena *m = &w.shapes;
    dc_shape *s = w.shape;
    int i, j;
    memset(&w, 0, sizeof w);
    w.shapes = dc_arena_make(shape_memory, sizeof shape_memory);
    w.scene.dim = which < TUMBLE ? 2 : 3;
    w.scene.gravity = which < TUMBLE ? dc_vec(0, R(-G), 0) : dc_vec(0, 0, R(-G));
    w.scene.body = w.body;
    w.scene.contact = w.contact;
    dc_shape_halfspace(w.scene.dim, which < TUMBLE ? dc_vec(0, 1, 0) : dc_vec(0, 0, 1), 0, m, s + 9);
    if (which == DROP) {
        dc_ncp_body *a;
        dc_shape_polytope(2, 5, A, b, m, s);
        a = add_body(0, rng_uniform(r, 0.5, 1), 0, any(r, 3), 1, 0.2);
        a->v = dc_vec(R(rng_uniform(r, -1, 1)), R(rng_uniform(r, -2, 0)), 0);
        a->w = any(r, 2);
        add_contact(0, -1, 0, 9, 0.2);
        w.scene.h = R(0.05);
    } else if (which == STACK) {
        dc_shape_box(2, dc_vec(R(0.25), R(0.25), 0), m, s);
        add_body(rng_uniform(r, -0.1, 0.1), 0.3, 0, any(r, 0.1), 1, 0.2);
        add_body(rng_uniform(r, -0.1, 0.1), 0.85, 0, any(r, 0.2), 1.5, 0.2)->v.x = R(rng_uniform(r, -1, 1));
        add_contact(0, 1, 0, 0, 0.5);
        add_contact(0, -1, 0, 9, 0.5);
        add_contact(1, -1, 0, 9, 0.5);
        w.scene.h = R(0.03);
    } else if (which == PEG) {
        dc_shape_box(2, dc_vec(R(0.249), R(0.5), 0), m, s);
        dc_shape_box(2, dc_vec(R(0.25), R(0.5), 0), m, s + 1);
        add_body(rng_uniform(r, -5e-4, 5e-4), rng_uniform(r, 0.8, 1.3), 0, any(r, 3e-3), 1,
                 0.2)->v = dc_vec(R(rng_uniform(r, -0.1, 0.1)), R(rng_uniform(r, -1, 0)), 0);
        add_body(-0.5, 0.5, 0, dc_vec(0, 0, 0), 0, 0);
        add_body(0.5, 0.5, 0, dc_vec(0, 0, 0), 0, 0);
        add_contact(0, 1, 0, 1, 0.1);
        add_contact(0, 2, 0, 1, 0.1);
        add_contact(0, -1, 0, 9, 0.1);
        w.scene.h = R(0.02);
    } else if (which == GRASP) {        /* an hourglass of two triangles between two fingers that press */
        const dc_real q = DC_R(0.8660254037844386);
        const dc_real T[2][6] = {{0, -1, q, DC_R(0.5), -q, DC_R(0.5)}, {0, 1, q, DC_R(-0.5), -q, DC_R(-0.5)}};
        const dc_real t[3] = {DC_R(0.4), DC_R(0.1), DC_R(0.1)};
        dc_shape_polytope(2, 3, T[0], t, m, s);
        dc_shape_polytope(2, 3, T[1], t, m, s + 1);
        dc_shape_sphere(2, R(0.1), m, s + 2);
        add_body(0, 0.4, 0, any(r, 0.1), 0.5, 0.05);
        for (i = 1; i < 3; ++i) {
            double side = i == 1 ? -1 : 1;
            dc_ncp_body *f = add_body(side*rng_uniform(r, 0.25, 0.35), 0.4 + rng_uniform(r, -0.1, 0.1), 0, any(r, 1),
                                      0.25, 0.01);
            f->force = dc_vec(R(-side*rng_uniform(r, 5, 12)), R(0.25*G + rng_uniform(r, 0, 2)), 0);
            for (j = 0; j < 2; ++j) add_contact(0, i, j, 2, 0.5);
            add_contact(i, -1, 2, 9, 0.2);
        }
        for (j = 0; j < 2; ++j) add_contact(0, -1, j, 9, 0.2);
        w.scene.h = R(0.02);
    } else {
        dc_shape_box(3, dc_vec(R(0.22), R(0.18), R(0.15)), m, s);
        dc_shape_sphere(3, R(0.2), m, s + 1);
        dc_shape_capsule(3, R(0.14), R(0.4), m, s + 2);
        dc_shape_cylinder(3, R(0.16), R(0.36), m, s + 3);
        dc_shape_ellipsoid(3, dc_vec(R(0.26), R(0.2), R(0.15)), m, s + 4);
        dc_shape_cone(3, R(0.4), R(0.5), m, s + 5);
        dc_shape_box(3, dc_vec(R(0.2), R(1), R(0.5)), m, s + 6);
        dc_shape_box(3, dc_vec(R(0.6), R(0.2), R(0.5)), m, s + 7);
        if (which == TUMBLE) {
            for (i = 0; i < 3; ++i) {
                dc_ncp_body *a = add_body(0.3*i + rng_uniform(r, -0.05, 0.05), rng_uniform(r, -0.05, 0.05),
                                          rng_uniform(r, 0.3, 0.6), any(r, 1.5), 1 + 0.3*i, 0.02);
                int k = rng_int(r, 0, 5);
                a->w = any(r, 3);
                a->v.z = R(-1);
                add_contact(i, -1, k, 9, 0.4)->mu_spin = R(i == 0 ? 0.02 : 0);
                for (j = 0; j < i; ++j) add_contact(i, j, k, (int)(w.contact[j*(j + 1)/2].shape[0] - w.shape), 0.3);
                if (i == 2) w.contact[w.scene.contacts - 3].restitution = R(0.3);
            }
            w.scene.h = R(0.02);
        } else {                        /* five of six shapes fall between two blocks */
            int kind[5];
            add_body(-0.62, 0, 0.5, dc_vec(0, 0, 0), 0, 0);
            add_body(0.62, 0, 0.5, dc_vec(0, 0, 0), 0, 0);
            for (i = 0; i < 5; ++i) {
                kind[i] = (i + rng_int(r, 0, 5))%6;
                add_body(0.17*(i%2 ? 1 : -1) + rng_uniform(r, -0.03, 0.03), 0.17*(i/2%2 ? 1 : -1)
                         + rng_uniform(r, -0.03, 0.03), 0.3 + 0.25*i, any(r, 1.5),
                         rng_uniform(r, 0.5, 2), 0.02)->v.z = R(-2);
                for (j = 0; j < i; ++j) add_contact(2 + i, 2 + j, kind[i], kind[j], 0.4);
                for (j = 0; j < 2; ++j) add_contact(2 + i, j, kind[i], 6, 0.4);
                add_contact(2 + i, -1, kind[i], 9, 0.4);
            }
            w.scene.h = R(0.01);
        }
    }
}

static dc_status step(world *at, dc_real tol, dc_ncp_body *next, dc_ncp **solution)
{
    dc_ncp_options o = DC_ZERO;
    dc_arena mem = solution ? dc_arena_make(memory, sizeof memory) : dc_arena_make(other_memory, sizeof other_memory);
    o.tol = tol;
    at->scene.body = at->body;
    at->scene.contact = at->contact;
    return dc_ncp_step(&o, &at->scene, &mem, next, solution, NULL);
}

/* ---- a way through the parameters of a class --------------------------------------------------------- */

/* Column k of dc_ncp_grad: its class, or -1 where the scene has no such number. *by: what it is measured in. */
static int class_of(int k, double *by)
{
    int flat = w.scene.dim == 2, n = w.scene.bodies*DC_NCP_BODY_PARAMS;
    *by = 1;
    if (k < n) {
        const dc_ncp_body *b = w.body + k/DC_NCP_BODY_PARAMS;
        int i = k%DC_NCP_BODY_PARAMS;
        if (flat && i < 18 && i%6 != 0 && i%6 != 1 && i%6 != 5) return -1;
        if (i < 6) {
            *by = 0.1;
            return POSE;
        }
        if (!(b->mass > 0)) return -1;
        if (i < 12) return VELOCITY;
        if (i < 18) return LOAD;
        if (i == 18) {
            *by = (double)b->mass;
            return MASS;
        }
        *by = (double)b->inertia.m[8];
        return flat && i < 27 ? -1 : INERTIA;
    }
    k -= n;
    if (k < 3) return flat && k == 2 ? -1 : GRAVITY;
    if (k == 3) {
        *by = (double)w.scene.h;
        return TIME;
    }
    k -= 4;
    *by = 0.1;
    if (k%3 == 0) return w.contact[k/3].mu > 0 ? FRICTION : -1;
    if (k%3 == 1) return w.contact[k/3].mu_spin > 0 ? SPIN : -1;
    return w.contact[k/3].restitution > 0 ? BOUNCE : -1;
}

static double way[PARAMS], shape_way[DATA];
static int moved_contact, moved_side, moved_numbers;      /* whose shape is moved */

/* The world at t along the way of a class; shapes in `data`. */
static void along(world *to, int class_, double t, dc_shape *moved, dc_real *data)
{
    int n = w.scene.bodies*DC_NCP_BODY_PARAMS, k, i;
    *to = w;
    if (class_ == SHAPE) {
        const dc_shape *s = w.contact[moved_contact].shape[moved_side];
        const dc_real *from[3];
        int count[3];
        from[0] = s->A;
        from[1] = s->b;
        from[2] = s->d;
        count[0] = s->rows*s->dim;
        count[1] = count[2] = s->rows;
        *moved = *s;
        for (i = 0, n = 0; i < 3; ++i)
            for (k = 0; k < count[i]; ++k, ++n) data[n] = from[i][k] + R(t*shape_way[n]);
        moved->A = data;
        moved->b = data + count[0];
        moved->d = moved->b + count[1];
        moved->size += R(t*shape_way[moved_numbers - 1]);
        to->contact[moved_contact].shape[moved_side] = moved;
        return;
    }
    for (k = 0; k < n + 4 + 3*w.scene.contacts; ++k) {
        double by;
        dc_real d = R(t*way[k]);
        dc_ncp_body *b = to->body + k/DC_NCP_BODY_PARAMS;
        dc_ncp_contact *c = to->contact + (k - n - 4)/3;
        if (class_of(k, &by) != class_) continue;
        i = k < n ? k%DC_NCP_BODY_PARAMS : (k - n - 4)%3;
        switch (class_) {
        case POSE: break;
        case VELOCITY: (&(i < 9 ? &b->v : &b->w)->x)[i%3] += d; break;
        case LOAD: (&(i < 15 ? &b->force : &b->torque)->x)[i%3] += d; break;
        case MASS: b->mass += d; break;
        case INERTIA: b->inertia.m[i - 19] += d; break;
        case GRAVITY: (&to->scene.gravity.x)[k - n] += d; break;
        case TIME: to->scene.h += d; break;
        default: (i == 0 ? &c->mu : i == 1 ? &c->mu_spin : &c->restitution)[0] += d;
        }
    }
    for (k = 0; class_ == POSE && k < w.scene.bodies; ++k) {
        dc_real xi[6];
        for (i = 0; i < 6; ++i) {
            double by;
            xi[i] = class_of(k*DC_NCP_BODY_PARAMS + i, &by) == POSE ? R(t*way[k*DC_NCP_BODY_PARAMS + i]) : 0;
        }
        to->body[k].pose = dc_pose_retract(w.body[k].pose, xi);
    }
}

static dc_ncp_body reference[BODIES];

/* what a step at t ends in, against `reference`; 0: not solved */
static int value(int class_, double t, double *out)
{
    static world to;
    static dc_real data[DATA];
    dc_ncp_body next[BODIES];
    dc_shape moved;
    int i, k;
    along(&to, class_, t, &moved, data);
    if (step(&to, R(1e-13), next, NULL) != DC_OK) return 0;
    for (i = 0; i < w.scene.bodies; ++i) {
        dc_real xi[6];
        dc_pose_local(reference[i].pose, next[i].pose, xi);
        for (k = 0; k < 6; ++k) out[12*i + k] = (double)xi[k];
        for (k = 0; k < 3; ++k) {
            out[12*i + 6 + k] = (double)(&next[i].v.x)[k];
            out[12*i + 9 + k] = (double)(&next[i].w.x)[k];
        }
    }
    return 1;
}

/* Central differences with steps 2^-10 .. 2^-24, extrapolated once; the one that differs least from its neighbour,
 * without a look at the derivative. *doubt: by how much it differs. 0: a step was not solved. */
static int difference(int class_, double *best, double *doubt)
{
    static double d[2][OUT], x[2][OUT], a[OUT], b[OUT];
    int n = 12*w.scene.bodies, k, i;
    *doubt = HUGE_VAL;
    for (k = 0; k < 15; ++k) {
        double t = ldexp(1, -10 - k), change = 0;
        if (!value(class_, t, a) || !value(class_, -t, b)) return 0;
        for (i = 0; i < n; ++i) d[k & 1][i] = (a[i] - b[i])/(2*t);
        if (k == 0) continue;
        for (i = 0; i < n; ++i) {
            x[k & 1][i] = d[k & 1][i] + (d[k & 1][i] - d[~k & 1][i])/3;
            if (k > 1) change = fmax(change, fabs(x[k & 1][i] - x[~k & 1][i]));
        }
        if (k > 1 && change < *doubt) {
            *doubt = change;
            memcpy(best, x[k & 1], sizeof a);
        }
    }
    return 1;
}

/* ---- the test ------------------------------------------------------------------------------------------ */

static int states = 10, which_scene;
static double tol;

TEST at_default_options(void)
{
    static dc_real J[OUT*PARAMS], JS[OUT*DATA], bar[OUT], body[BODIES*DC_NCP_BODY_PARAMS];
    static double slope[OUT], fd[OUT];
    worst w_all[CLASSES], wn = worst_make("step against the one solved to rounding"),
        wv = worst_make("vjp against Jacobian");
    int state, count = DC_IS_FLOAT ? 0 : (int)sweep_count(states), c, i, k, unsolved = 0, touching = 0, off = 0,
        compared = 0, unclear = 0, good = 1;
    rng r;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (c = 0; c < CLASSES; ++c) w_all[c] = worst_make(class_name[c]);
    rng_seed(&r, 4000 + (uint64_t)which_scene);
    for (state = 0; state < count; ++state) {
        dc_ncp_body next[BODIES];
        dc_ncp_adjoint out = DC_ZERO;
        dc_ncp *solution;
        int n, steps, wrong = 0, pushed = 0;
        double most;
        make(which_scene, &r);
        n = w.scene.bodies*DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS + w.scene.contacts*DC_NCP_CONTACT_PARAMS;
        steps = rng_int(&r, 3, 30);
        for (i = 0; i < steps; ++i) {
            if (step(&w, 0, w.body, NULL) != DC_OK) unsolved++;
        }
        for (k = 0; k < w.scene.bodies; ++k)
            if (w.body[k].mass > 0 && which_scene != GRASP) {
                w.body[k].force.x = R(rng_uniform(&r, -1, 1));
                w.body[k].force.y = R(rng_uniform(&r, -1, 1));
            }
        if (step(&w, R(tol), next, &solution) != DC_OK) {
            unsolved++;
            continue;
        }
        if (step(&w, R(1e-13), reference, NULL) != DC_OK) {
            unclear += CLASSES;
            continue;
        }
        for (k = 0; k < w.scene.contacts; ++k) {
            dc_ncp_touch t;
            ASSERT_EQ(DC_OK, dc_ncp_force(solution, k, &t));
            if (dc_dot(t.impulse, t.n) > R(0.01)) pushed = 1;
        }
        touching += pushed;
        for (k = 0; k < w.scene.bodies; ++k) {
            dc_v3 d = dc_sub(next[k].v, reference[k].v);
            worst_add(&wn, sqrt((double)dc_dot(d, d)), "state %d body %d", state, k);
        }
        ASSERT_EQ(DC_OK, dc_ncp_grad(solution, J, PARAMS));

        /* entries in units of `by`; a class counts by its own largest, or by 1/100 of the largest of all where it
         * hardly matters */
        for (k = 0, most = 0; k < n; ++k) {
            double by;
            for (i = 0; i < 12*w.scene.bodies && class_of(k, &by) >= 0; ++i)
                most = fmax(most, fabs((double)J[i*PARAMS + k])*by);
        }

        /* a row of cotangents through the adjoint */
        for (i = 0; i < 12*w.scene.bodies; ++i) bar[i] = R(rng_uniform(&r, -1, 1));
        memset(body, 0, sizeof body);
        out.body = body;
        ASSERT_EQ(DC_OK, dc_ncp_vjp(solution, bar, &out));
        for (k = 0; k < w.scene.bodies*DC_NCP_BODY_PARAMS; ++k) {
            double sum = 0, size = most;
            for (i = 0; i < 12*w.scene.bodies; ++i) {
                sum += (double)(bar[i]*J[i*PARAMS + k]);
                size += fabs((double)(bar[i]*J[i*PARAMS + k]));
            }
            worst_add(&wv, fabs(sum - (double)body[k])/size, "state %d parameter %d", state, k);
        }
        moved_contact = rng_int(&r, 0, w.scene.contacts - 1);
        moved_side = w.contact[moved_contact].shape[1] == w.shape + 9 ? 0 : rng_int(&r, 0, 1);
        {
            const dc_shape *s = w.contact[moved_contact].shape[moved_side];
            moved_numbers = s->rows*(s->dim + 2) + 1;
            memset(JS, 0, sizeof JS);
            ASSERT(moved_numbers + s->rows*s->aux <= DATA);
            ASSERT_EQ(DC_OK, dc_ncp_grad_shape(solution, moved_contact, moved_side, JS, DATA));
            /* the numbers of N stay where they are */
            for (i = 0; i < 12*w.scene.bodies; ++i)
                JS[i*DATA + moved_numbers - 1] = JS[i*DATA + moved_numbers - 1 + s->rows*s->aux];
        }
        for (c = 0; c < CLASSES; ++c) {
            double largest = most/100, error = 0, doubt, by;
            int any_of = 0;
            for (i = 0; i < 12*w.scene.bodies; ++i) slope[i] = 0;
            if (c == SHAPE) {
                for (k = 0; k < moved_numbers; ++k) {
                    any_of = 1;
                    shape_way[k] = 0.1*rng_uniform(&r, -1, 1);
                    for (i = 0; i < 12*w.scene.bodies; ++i) {
                        slope[i] += (double)JS[i*DATA + k]*shape_way[k];
                        largest = fmax(largest, fabs((double)JS[i*DATA + k])*0.1);
                    }
                }
            } else {
                for (k = 0; k < n; ++k) {
                    way[k] = 0;
                    if (class_of(k, &by) != c) continue;
                    any_of = 1;
                    way[k] = by*rng_uniform(&r, -1, 1);
                    if (c == INERTIA && w.scene.dim == 3) way[k] *= 0.2;
                    for (i = 0; i < 12*w.scene.bodies; ++i) {
                        slope[i] += (double)J[i*PARAMS + k]*way[k];
                        largest = fmax(largest, fabs((double)J[i*PARAMS + k])*by);
                    }
                }
            }
            if (!any_of) continue;
            /* tolerances of 1e-13 are not always reached */
            if (!difference(c, fd, &doubt) || doubt > 2e-7*largest) {
                unclear++;
                continue;
            }
            for (i = 0; i < 12*w.scene.bodies; ++i) error = fmax(error, fabs(fd[i] - slope[i]));
            compared++;
            wrong |= error > 1e-6*largest;
            worst_add(&w_all[c], error/largest, "state %d", state);
        }
        off += wrong;
    }
    printf("  %s: %d states, %d touch; %d comparisons, %d left out since the differences do not settle;\n"
           "  %d states off by more than 1e-6; %d steps not solved\n",
           scene_name[which_scene], count, touching, compared, unclear, off, unsolved);
    for (c = 0; c < CLASSES; ++c) if (w_all[c].count) good &= worst_print(&w_all[c], 1e-6);
    /* at rho 1e-6 stiffness is 1e8 in natural units, and what it multiplies is rounded */
    good &= worst_print(&wv, 1e-6);
    worst_print(&wn, 1e-6);
    ASSERT_EQ(0, unsolved);
    if (count >= 10) ASSERT(2*touching >= count);
    ASSERT(20*unclear <= compared);
    ASSERT(good);
    PASS();
}

SUITE(exact)
{
    for (which_scene = 0; which_scene < SCENES; ++which_scene) RUN_TEST(at_default_options);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    for (; argc > 1 && strchr(argv[1], '='); argc--) {
        if (!strncmp(argv[1], "states=", 7)) states = atoi(argv[1] + 7);
        if (!strncmp(argv[1], "tol=", 4)) tol = atof(argv[1] + 4);
        argv[1] = argv[0];
        argv++;
    }
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(exact);
    GREATEST_MAIN_END();
}
