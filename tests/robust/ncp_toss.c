/* A cube tossed on a floor in many ways, as a box and as eight corner spheres: every step is solved, nothing sinks in,
 * derivatives through impacts are those of the numbers returned, and a fit by them finds friction, restitution and size
 * again. Unit of length: half a side. */
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
#define G 183.0                         /* of a cube of 10 cm */
#define H (1.0/148)
enum { CORNERS = 8, DATA = 64, LONG = 45, WINDOW = 25, NUMBERS = 3 };   /* numbers: mu, restitution, half side */
static const char *const number_name[NUMBERS] = {"mu", "restitution", "half side"};

static unsigned char shape_memory[1 << 14], memory[1 << 20];

typedef struct { dc_pose pose; dc_v3 v, w; } state;

typedef struct {
    dc_ncp_scene scene;
    dc_ncp_body body;
    dc_ncp_contact contact[CORNERS];
    dc_shape shape[CORNERS], ground;
    double radius, half;                /* radius 0: a box */
    dc_arena shapes;
} cube;

static double corner(int i, int axis) { return i >> axis & 1 ? 1 : -1; }

static void make(cube *c, unsigned char *room, size_t size, double radius, const double *x)
{
    dc_shape ball;
    int i, n = radius > 0 ? CORNERS : 1;
    memset(c, 0, sizeof *c);
    c->shapes = dc_arena_make(room, size);
    c->radius = radius;
    c->half = x[2];
    dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &c->shapes, &c->ground);
    if (radius > 0) dc_shape_sphere(3, R(radius), &c->shapes, &ball);
    for (i = 0; i < n; ++i) {
        dc_pose at = {{1, 0, 0, 0}, {0, 0, 0}};
        double to = x[2] - radius;
        at.t = dc_vec(R(to*corner(i, 0)), R(to*corner(i, 1)), R(to*corner(i, 2)));
        if (radius > 0) dc_shape_place(&ball, at, &c->shapes, &c->shape[i]);
        else dc_shape_box(3, dc_vec(R(x[2]), R(x[2]), R(x[2])), &c->shapes, &c->shape[0]);
        c->contact[i].body[1] = -1;
        c->contact[i].shape[0] = &c->shape[i];
        c->contact[i].shape[1] = &c->ground;
        c->contact[i].mu = R(x[0]);
        c->contact[i].restitution = R(x[1]);
    }
    c->body.mass = 1;
    c->body.inertia.m[0] = c->body.inertia.m[4] = c->body.inertia.m[8] = R(x[2]*x[2]*2/3);
    c->scene.dim = 3;
    c->scene.h = R(H);
    c->scene.gravity.z = R(-G);
    c->scene.bodies = 1;
    c->scene.contacts = n;
    c->scene.body = &c->body;
    c->scene.contact = c->contact;
}

static dc_status step(cube *c, state *s, dc_real tol, dc_ncp **solution)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_ncp_options o = DC_ZERO;
    dc_ncp_body next;
    dc_status status;
    o.tol = tol;
    c->body.pose = s->pose;
    c->body.v = s->v;
    c->body.w = s->w;
    status = dc_ncp_step(&o, &c->scene, &mem, &next, solution, NULL);
    s->pose = next.pose;
    s->v = next.v;
    s->w = next.w;
    return status;
}

static state toss(rng *r)
{
    state s;
    double axis[3], angle = rng_uniform(r, 0, 3.1);
    rng_unit3(r, axis);
    s.pose.q = dc_quat_exp(dc_vec(R(angle*axis[0]), R(angle*axis[1]), R(angle*axis[2])));
    s.pose.t = dc_vec(0, 0, R(1.8 + rng_uniform(r, 0, 1)));
    s.v = dc_vec(R(rng_uniform(r, -25, 25)), R(rng_uniform(r, -25, 25)), R(rng_uniform(r, -30, 5)));
    s.w = dc_vec(R(rng_uniform(r, -10, 10)), R(rng_uniform(r, -10, 10)), R(rng_uniform(r, -10, 10)));
    return s;
}

/* height of the lowest point */
static double lowest(const cube *c, const state *s)
{
    dc_m3 rot = dc_rotation(s->pose.q);
    double z = HUGE_VAL;
    int i;
    for (i = 0; i < CORNERS; ++i) {
        double to = c->half - c->radius;
        z = fmin(z, (double)s->pose.t.z + to*(corner(i, 0)*(double)rot.m[6] + corner(i, 1)*(double)rot.m[7]
                                              + corner(i, 2)*(double)rot.m[8]) - c->radius);
    }
    return z;
}

static double radius;

/* ---- all steps are solved ------------------------------------------------------------------------------ */

TEST tosses(void)
{
    worst wo = worst_make("overlap, half sides");
    rng r;
    int k, i, n = (int)sweep_count(200), bad = 0, steps = 0, overlaps = 0;
    rng_seed(&r, 570);
    for (k = 0; k < n; ++k) {
        static cube c;
        double x[NUMBERS] = {0.18, 0, 1};
        state s = toss(&r);
        x[1] = 0.125*(k%5);
        make(&c, shape_memory, sizeof shape_memory, radius, x);
        for (i = 0; i < LONG; ++i) {
            dc_status status = step(&c, &s, 0, NULL);
            steps++;
            if (status != DC_OK) {
                bad++;
                continue;
            }
            worst_add(&wo, -lowest(&c, &s), "toss %d step %d restitution %g", k, i, x[1]);
            overlaps += lowest(&c, &s) < -rounded(2e-6, 2e-3);
        }
        ASSERT(dc_finite(s.pose.t.z));
    }
    if (radius > 0) printf("  corner spheres of %g: ", radius);
    else printf("  box: ");
    printf("%d of %d steps not solved; %d overlaps\n", bad, steps, overlaps);
    k = worst_print(&wo, rounded(2e-6, 2e-3));
    ASSERT_EQ(0, bad);
    ASSERT(k);
    PASS();
}

/* A bounce keeps the bodies apart as a landing does: no restitution is the limit of a small one. */
TEST small_restitution(void)
{
    worst wd = worst_make("path at restitution 1e-9 against none, half sides");
    rng r;
    int k, i, n = (int)sweep_count(40), bad = 0;
    rng_seed(&r, 571);
    for (k = 0; k < n; ++k) {
        static cube c;
        double x[NUMBERS] = {0.18, 0, 1};
        state s[2];
        int way;
        s[0] = s[1] = toss(&r);
        /* up to and with the first landing: later ones multiply what differs */
        for (way = 0; way < 2; ++way) {
            double vz = 0;
            x[1] = way ? 1e-9 : 0;
            make(&c, shape_memory, sizeof shape_memory, radius, x);
            for (i = 0; i < 40; ++i) {
                vz = (double)s[way].v.z;
                bad += step(&c, &s[way], R(rounded(1e-12, 0)), NULL) != DC_OK;
                if ((double)s[way].v.z > vz) break;
            }
        }
        {
            dc_v3 d = dc_sub(s[0].pose.t, s[1].pose.t), v = dc_sub(s[0].v, s[1].v);
            worst_add(&wd, sqrt((double)dc_dot(d, d)) + H*sqrt((double)dc_dot(v, v)), "toss %d", k);
        }
    }
    ASSERT(worst_print(&wd, rounded(1e-6, 1e-3)));
    ASSERT_EQ(0, bad);
    PASS();
}

/* A flat drop stays flat, along the way too, with and without a speed along the floor. */
TEST flat_drop(void)
{
    worst wt = worst_make("tilt after a drop at 1e-3 rad, degrees");
    int k, i, bad = 0;
    for (k = 0; k < 24; ++k) {
        static cube c;
        double x[NUMBERS] = {0.18, 0, 1}, way = 0.4 + 0.7*k;
        state s;
        memset(&s, 0, sizeof s);
        make(&c, shape_memory, sizeof shape_memory, radius, x);
        s.pose.q = dc_quat_exp(dc_vec(R(1e-3*cos(way)), R(1e-3*sin(way)), 0));
        s.pose.t.z = R(1.01 + 0.2*(k%8));
        s.v.x = R(k < 12 ? 0 : 10);
        for (i = 0; i < 100; ++i) {
            dc_m3 rot;
            bad += step(&c, &s, 0, NULL) != DC_OK;
            rot = dc_rotation(s.pose.q);
            worst_add(&wt, hypot((double)rot.m[2], (double)rot.m[5])*180/3.14159265358979,
                      "height %g, speed %g, direction %g, step %d",
                      0.01 + 0.2*(k%8), k < 12 ? 0.0 : 10.0, way, i);
        }
    }
    ASSERT(worst_print(&wt, 0.06));
    ASSERT_EQ(0, bad);
    PASS();
}

/* ---- paths and their derivatives -------------------------------------------------------------------------- */

typedef struct { state at[WINDOW]; double S[WINDOW][12][NUMBERS]; int kind[WINDOW]; int failed; } path;

/* What the contacts do: which push, slide, leave. */
static int kind_of(const cube *c, const state *s, const dc_ncp *solution)
{
    int k, kind = 0;
    for (k = 0; k < c->scene.contacts; ++k) {
        dc_ncp_touch t;
        dc_v3 f, v;
        double n;
        if (dc_ncp_force(solution, k, &t) != DC_OK) continue;
        n = (double)dc_dot(t.impulse, t.n);
        f = dc_sub(t.impulse, dc_scale(R(n), t.n));
        v = dc_add(s->v, dc_cross(s->w, dc_sub(t.p, s->pose.t)));
        kind *= 8;
        if (n < 1e-3*G*H) continue;
        kind += 1 + 2*(dc_dot(f, f) > R(0.998*n*n)*c->contact[k].mu*c->contact[k].mu)
            + 4*(dc_dot(v, t.n) > R(0.01*G*H));
        kind = kind%100000007;
    }
    return kind;
}

/* `steps` steps, WINDOW at most, from `from`; with the sensitivities of their states by the numbers */
static void roll(path *p, const state *from, const double *x, dc_real tol, int derivatives, int steps)
{
    static cube c, wide;
    static unsigned char wide_memory[sizeof shape_memory];
    static dc_real J[12*(DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS + CORNERS*DC_NCP_CONTACT_PARAMS)], JS[12*DATA];
    double S[12][NUMBERS], to[12][NUMBERS], more[NUMBERS];
    state s = *from;
    int i, k, j, l, m;
    memset(S, 0, sizeof S);
    make(&c, shape_memory, sizeof shape_memory, radius, x);
    memcpy(more, x, sizeof more);
    more[2] += 1;                       /* the arrays of shapes are linear in the half side */
    make(&wide, wide_memory, sizeof wide_memory, radius, more);
    p->failed = 0;
    for (i = 0; i < steps; ++i) {
        const int ld = DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS + DC_NCP_CONTACT_PARAMS*c.scene.contacts,
            at = DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS;
        dc_ncp *solution;
        if (step(&c, &s, tol, &solution) != DC_OK) {
            p->failed = 1;
            return;
        }
        p->at[i] = s;
        p->kind[i] = kind_of(&c, &s, solution);
        if (!derivatives) continue;
        if (dc_ncp_grad(solution, J, ld) != DC_OK) {
            p->failed = 1;
            return;
        }
        memset(to, 0, sizeof to);
        for (k = 0; k < 12; ++k) {
            for (j = 0; j < NUMBERS; ++j)
                for (l = 0; l < 12; ++l) to[k][j] += (double)J[k*ld + l]*S[l][j];
            for (l = 0; l < c.scene.contacts; ++l) {
                to[k][0] += (double)J[k*ld + at + 3*l];
                to[k][1] += (double)J[k*ld + at + 3*l + 2];
            }
            for (l = 0; l < 3; ++l) to[k][2] += (double)J[k*ld + 19 + 4*l]*x[2]*4/3;
        }
        for (l = 0; l < c.scene.contacts; ++l) {
            const dc_shape *a = &c.shape[l], *b = &wide.shape[l];
            int n = a->rows*a->dim;
            if (dc_ncp_grad_shape(solution, l, 0, JS, DATA) != DC_OK) p->failed = 1;
            for (k = 0; k < 12; ++k) {
                for (m = 0; m < n; ++m) to[k][2] += (double)(JS[k*DATA + m]*(b->A[m] - a->A[m]));
                for (m = 0; m < a->rows; ++m) {
                    to[k][2] += (double)(JS[k*DATA + n + m]*(b->b[m] - a->b[m]));
                    to[k][2] += (double)(JS[k*DATA + n + a->rows + m]*(b->d[m] - a->d[m]));
                }
                to[k][2] += (double)(JS[k*DATA + n + 2*a->rows + a->rows*a->aux]*(b->size - a->size));
            }
        }
        memcpy(S, to, sizeof S);
        memcpy(p->S[i], S, sizeof S);
    }
}

/* Sum of squares of what a path is off by, in position and in rotation; its gradient and Gauss-Newton matrix, added,
 * where asked. */
static double loss(const path *p, const state *want, double *g, double *N, int steps)
{
    double sum = 0;
    int i, k, j, l;
    for (i = 0; i < steps; ++i) {
        dc_real xi[6];
        dc_m3 J;
        double r[6], d[6][NUMBERS];
        dc_pose_local(want[i].pose, p->at[i].pose, xi);
        for (k = 0; k < 6; ++k) {
            r[k] = (double)xi[k];
            sum += r[k]*r[k];
        }
        if (!g) continue;
        J = dc_so3_jl_inv(dc_vec(xi[3], xi[4], xi[5]));
        for (j = 0; j < NUMBERS; ++j)
            for (k = 0; k < 3; ++k) {
                d[k][j] = p->S[i][k][j];
                d[3 + k][j] = 0;
                for (l = 0; l < 3; ++l) d[3 + k][j] += (double)J.m[3*k + l]*p->S[i][3 + l][j];
            }
        for (k = 0; k < 6; ++k)
            for (j = 0; j < NUMBERS; ++j) {
                g[j] += 2*r[k]*d[k][j];
                for (l = 0; N && l < NUMBERS; ++l) N[NUMBERS*j + l] += 2*d[k][j]*d[k][l];
            }
    }
    return sum;
}

TEST loss_gradients(void)
{
    static const double truth[NUMBERS] = {0.18, 0.125, 1};
    static path p, q;
    worst wg[NUMBERS];
    rng r;
    int k, j, i, n = (int)sweep_count(radius > 0 ? 4 : 30), failed = 0, switches = 0, unclear = 0, compared = 0,
        off = 0, good = 1, pushes = 0;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (j = 0; j < NUMBERS; ++j) wg[j] = worst_make(number_name[j]);
    rng_seed(&r, 572);
    for (k = 0; k < n; ++k) {
        state from = toss(&r), want[WINDOW];
        double x[NUMBERS], g[NUMBERS] = {0, 0, 0}, largest = 0;
        roll(&q, &from, truth, R(1e-13), 0, WINDOW);
        memcpy(want, q.at, sizeof want);
        failed += q.failed;
        x[0] = rng_uniform(&r, 0.1, 0.4);
        x[1] = rng_uniform(&r, 0.05, 0.5);
        x[2] = rng_uniform(&r, 0.95, 1.05);
        roll(&p, &from, x, 0, 1, WINDOW);
        if (q.failed || p.failed) {
            failed++;
            continue;
        }
        loss(&p, want, g, NULL, WINDOW);
        for (j = 0; j < NUMBERS; ++j) largest = fmax(largest, fabs(g[j]));
        for (i = 0; i < WINDOW; ++i) pushes += p.kind[i] != 0;
        for (j = 0; j < NUMBERS; ++j) {
            double before[2] = {0, 0}, best = 0, doubt = HUGE_VAL, scale = fmax(fabs(g[j]), 1e-2*largest);
            int run = 0, same = 0;
            /* central differences, extrapolated, where no contact does anything else on either side */
            for (i = 12; i < 26; ++i) {
                double t = ldexp(1, -i), y[NUMBERS], f[2], d;
                int side, switched = 0;
                for (side = 0; side < 2; ++side) {
                    memcpy(y, x, sizeof y);
                    y[j] += side ? -t : t;
                    roll(&q, &from, y, R(1e-13), 0, WINDOW);
                    switched |= q.failed || memcmp(q.kind, p.kind, sizeof p.kind) != 0;
                    f[side] = loss(&q, want, NULL, NULL, WINDOW);
                }
                if (switched) {
                    run = 0;
                    continue;
                }
                same = 1;
                d = (f[0] - f[1])/(2*t);
                if (run > 0) {
                    double e = d + (d - before[0])/3;
                    if (run > 1 && fabs(e - before[1]) < doubt) {
                        doubt = fabs(e - before[1]);
                        best = e;
                    }
                    before[1] = e;
                }
                before[0] = d;
                run++;
            }
            if (!same) switches++;
            else if (!(doubt <= 2e-5*scale)) unclear++;
            else {
                compared++;
                off += fabs(best - g[j]) > 1e-4*scale;
                worst_add(&wg[j], fabs(best - g[j])/scale, "toss %d", k);
            }
        }
    }
    printf("  %s: %d gradients compared, %d off by more than 1e-4; %d next to a switch,\n"
           "  %d left out since the differences do not settle; %d of %d steps push; %d paths not solved\n",
           radius > 0 ? "spheres" : "box", compared, off, switches, unclear, pushes, n*WINDOW, failed);
    for (j = 0; j < NUMBERS; ++j) good &= worst_print(&wg[j], 1e-4);
    ASSERT_EQ(0, failed);
    ASSERT(n < 4 || (compared > NUMBERS*n/2 && pushes > 3*n));
    ASSERT(good);
    PASS();
}

enum { TOSSES = 40, STEPS = 2*WINDOW };

/* Gauss-Newton from x, damped where a step does not help, on windows of `length` steps of tosses; returns the loss. */
static double gauss_newton(double *x, state way[][1 + STEPS], int length, int *evaluations, int *failed)
{
    static const double least[NUMBERS] = {0.01, 0, 0.5}, most[NUMBERS] = {2, 1, 1.5};
    static path p;
    double damping = 1e-3, now = HUGE_VAL, g[NUMBERS], N[NUMBERS*NUMBERS];
    int k, j, i, l, tries;
    for (tries = 0; tries < 60; ++tries, ++*evaluations) {
        double y[NUMBERS], gy[NUMBERS] = {0, 0, 0}, Ny[NUMBERS*NUMBERS], sum = 0, A[NUMBERS*NUMBERS], d[NUMBERS],
            change = 0;
        memset(Ny, 0, sizeof Ny);
        memcpy(y, x, sizeof y);
        if (now < HUGE_VAL) {
            /* (N + damping diag N) d = -g, by elimination; a number at its bound that wants to leave stays */
            memcpy(A, N, sizeof A);
            for (j = 0; j < NUMBERS; ++j) {
                int stuck = (x[j] <= least[j] && g[j] > 0) || (x[j] >= most[j] && g[j] < 0);
                for (l = 0; stuck && l < NUMBERS; ++l) A[NUMBERS*j + l] = A[NUMBERS*l + j] = 0;
                A[NUMBERS*j + j] = stuck ? 1 : N[NUMBERS*j + j]*(1 + damping) + 1e-12;
                d[j] = stuck ? 0 : -g[j];
            }
            for (j = 0; j < NUMBERS; ++j)
                for (l = j + 1; l < NUMBERS; ++l) {
                    double t = A[NUMBERS*l + j]/A[NUMBERS*j + j];
                    for (i = j; i < NUMBERS; ++i) A[NUMBERS*l + i] -= t*A[NUMBERS*j + i];
                    d[l] -= t*d[j];
                }
            for (j = NUMBERS - 1; j >= 0; --j) {
                for (l = j + 1; l < NUMBERS; ++l) d[j] -= A[NUMBERS*j + l]*d[l];
                d[j] /= A[NUMBERS*j + j];
            }
            for (j = 0; j < NUMBERS; ++j) {
                y[j] = fmin(fmax(x[j] + d[j], least[j]), most[j]);
                change = fmax(change, fabs(y[j] - x[j]));
            }
            if (change < 1e-7) break;
        }
        for (k = 0; k < TOSSES; ++k)
            for (i = 0; i < STEPS; i += length) {
                roll(&p, &way[k][i], y, 0, 1, length);
                if (p.failed) ++*failed;
                else sum += loss(&p, way[k] + i + 1, gy, Ny, length);
            }
        if (sum < now) {
            now = sum;
            damping *= 0.2;
            memcpy(x, y, sizeof y);
            memcpy(g, gy, sizeof g);
            memcpy(N, Ny, sizeof N);
        } else damping = fmax(5*damping, 1e-4);
    }
    return now;
}

/* Windows of 5 steps first, whose loss has one least place; that of windows of 25 steps, across several impacts, has others. */
TEST fit(void)
{
    static const double truth[NUMBERS] = {0.18, 0.125, 1};
    static state way[TOSSES][1 + STEPS];
    static path p;
    double x[NUMBERS] = {0.4, 0, 0.8}, last;
    int k, j, i, evaluations = 0, failed = 0;
    rng r;
    if (DC_IS_FLOAT) SKIPm("sensitivities through impacts need double");
    if (sweep_count(100) < 100) SKIPm("a short sweep");
    rng_seed(&r, 573);
    for (k = 0; k < TOSSES; ++k) {
        way[k][0] = toss(&r);
        for (i = 0; i < STEPS; i += WINDOW) {
            roll(&p, &way[k][i], truth, 0, 0, WINDOW);
            failed += p.failed;
            memcpy(way[k] + i + 1, p.at, sizeof p.at);
        }
    }
    gauss_newton(x, way, 5, &evaluations, &failed);
    last = gauss_newton(x, way, WINDOW, &evaluations, &failed);
    printf("  fit: mu %.5f, restitution %.5f, half side %.6f after %d evaluations, loss %.3g; %d paths not solved\n",
           x[0], x[1], x[2], evaluations, last, failed);
    for (j = 0; j < NUMBERS; ++j) ASSERT(fabs(x[j]/truth[j] - 1) <= 0.01);
    ASSERT_EQ(0, failed);
    PASS();
}

SUITE(cube_tosses)
{
    static const double radii[4] = {0, 0.05, 0.01, 0.001};
    int k;
    for (k = 0; k < 4; ++k) {
        radius = radii[k];
        RUN_TEST(tosses);
    }
    for (k = 0; k < 2; ++k) {
        radius = radii[k];
        RUN_TEST(small_restitution);
        RUN_TEST(flat_drop);
        RUN_TEST(loss_gradients);
    }
    radius = 0;
    RUN_TEST(fit);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(cube_tosses);
    GREATEST_MAIN_END();
}
