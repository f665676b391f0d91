/* Hulls with a radius in dc_sim.h: balls, capsules and rounded hulls; their moments, rest, rolling, throws, derivatives. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "machine.h"
#include "jacobian.h"

static const double pi = 3.14159265358979323846;

/* a free link of n points with a radius */
static dc_sim_link *round_body(const double *x, int n, double radius)
{
    dc_sim_link *l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
    dc_hull *h = m.hull + m.hulls++;
    int k;
    l->hull = h;
    l->hulls = 1;
    l->mass = 1;
    h->v = m.vertex + m.vertices;
    h->n = n;
    h->radius = (dc_real)radius;
    for (k = 0; k < n; ++k) m.vertex[m.vertices++] = dc_vec((dc_real)x[3*k], (dc_real)x[3*k + 1], (dc_real)x[3*k + 2]);
    return l;
}

static dc_sim_link *round_box(double a, double b, double c, double radius)
{
    double x[24];
    int k;
    for (k = 0; k < 8; ++k) {
        x[3*k] = k & 1 ? a : -a;
        x[3*k + 1] = k & 2 ? b : -b;
        x[3*k + 2] = k & 4 ? c : -c;
    }
    return round_body(x, 8, radius);
}

static dc_sim_link *ball(double radius)
{
    static const double x[3] = {0, 0, 0};
    return round_body(x, 1, radius);
}

static dc_sim_link *capsule(double half, double radius)
{
    double x[6] = {0};
    x[0] = -half;
    x[3] = half;
    return round_body(x, 2, radius);
}

/* ---- moments -------------------------------------------------------------------------------------- */

/* a slice of a rounded box at the height where its corners have the radius r: area, integrals of x^2, y^2 */
static void slice(double a, double b, double r, double f[3])
{
    int k;
    f[0] = 4*a*b + 4*r*(a + b) + pi*r*r;
    for (k = 1; k < 3; ++k) {
        const double u = k == 1 ? a : b, v = k == 1 ? b : a;
        f[k] = 4*u*u*u*v/3 + 4*v*(pow(u + r, 3) - u*u*u)/3 + 4*r*u*u*u/3 + 4*(u*u*pi*r*r/4 + 2*u*r*r*r/3 + pi*r*r*r*r/16);
    }
}

/* volume, integrals of x^2, y^2, z^2, by Simpson's rule over the rounded part of the height */
static void box_moments(double a, double b, double c, double r, double V[4])
{
    enum { STEPS = 2000 };
    double f[3];
    int k, i;
    slice(a, b, r, f);
    V[0] = 2*c*f[0];
    V[1] = 2*c*f[1];
    V[2] = 2*c*f[2];
    V[3] = 2*c*c*c/3*f[0];
    for (k = 0; k <= STEPS; ++k) {
        const double p = pi/2*k/STEPS, z = c + r*sin(p), w = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2)*pi/2/STEPS/3;
        slice(a, b, r*cos(p), f);
        for (i = 0; i < 3; ++i) V[i] += 2*w*r*cos(p)*f[i];
        V[3] += 2*w*r*cos(p)*z*z*f[0];
    }
}

static void upper(const dc_real *M, double *f)
{
    int a, b;
    for (a = 0; a < 4; ++a)
        for (b = a; b < 4; ++b) *f++ = (double)M[4*a + b];
}

static void moments_of(const double *x, double *f, void *user)
{
    const dc_v3 *v = (const dc_v3 *)user;
    int k;
    for (k = 0; k < m.sim.vertices; ++k)
        m.sim.vertex[k] = dc_vec(v[k].x + (dc_real)x[3*k], v[k].y + (dc_real)x[3*k + 1], v[k].z + (dc_real)x[3*k + 2]);
    dc_sim_refresh(&m.sim, NULL);
    upper(m.sim.moment, f);
}

/* Balls, capsules and rounded boxes, turned and shifted, against closed forms and quadrature; derivatives by the vertices of
 * these and of hulls of random points against differences, faces of more than three corners bent. */
TEST moments(void)
{
    worst e = worst_make("moments"), eg = worst_make("derivative");
    rng r;
    int trial, i, j, k, n;
    rng_seed(&r, 5);
    for (trial = 0; trial < 60; ++trial) {
        const double a = rng_log(&r, 0.1, 2), b = rng_log(&r, 0.1, 2), c = rng_log(&r, 0.1, 2), radius = rng_log(&r, 0.02, 3);
        double turn[3], V[4] = {0}, A[4][4] = {{0}}, got[10], want[10], T[4][4] = {{0}}, x[36] = {0}, jac[360];
        dc_v3 shift = dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1)), v[12];
        dc_m3 R;
        dc_sim_link *l;
        machine_open(&m);
        switch (trial%4) {
        case 0:
            l = ball(radius);
            V[0] = 4*pi*radius*radius*radius/3;
            V[1] = V[2] = V[3] = V[0]*radius*radius/5;
            break;
        case 1: {
            const double H = 2*pi*pow(radius, 3)/3;
            l = capsule(a, radius);
            V[0] = 2*a*pi*radius*radius + 2*H;
            V[1] = 2*pi*radius*radius*a*a*a/3 + 2*(a*a*H + 2*a*H*3*radius/8 + 2*pi*pow(radius, 5)/15);
            V[2] = V[3] = pi*pow(radius, 4)*a/2 + 4*pi*pow(radius, 5)/15;
            break;
        }
        case 2:
            l = round_box(a, b, c, radius);
            box_moments(a, b, c, radius, V);
            break;
        default: {
            double p[36];
            n = rng_int(&r, 4, 12);
            for (k = 0; k < 3*n; ++k) p[k] = rng_uniform(&r, -1, 1);
            l = round_body(p, n, radius);
        }
        }
        l->mass = 0;
        l->density = 1;
        rng_unit3(&r, turn);
        R = dc_m3_exp(dc_scale((dc_real)rng_uniform(&r, 0, 3), dc_vec((dc_real)turn[0], (dc_real)turn[1], (dc_real)turn[2])));
        for (k = 0; k < m.vertices; ++k) m.vertex[k] = dc_add(dc_mul(&R, m.vertex[k]), shift);
        ASSERT_EQ(DC_OK, machine_build(&m));

        /* T diag T^T */
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) T[i][j] = (double)R.m[3*i + j];
        T[0][3] = (double)shift.x;
        T[1][3] = (double)shift.y;
        T[2][3] = (double)shift.z;
        T[3][3] = 1;
        for (i = 0; i < 4; ++i)
            for (j = 0; j < 4; ++j)
                for (k = 0; k < 4; ++k) A[i][j] += T[i][k]*V[k < 3 ? k + 1 : 0]*T[j][k];
        for (i = 0, n = 0; i < 4; ++i)
            for (j = i; j < 4; ++j) want[n++] = A[i][j];
        if (trial%4 < 3) {
            double most = 0, off = 0;
            upper(m.sim.moment, got);
            for (k = 0; k < 10; ++k) {
                most = fmax(most, fabs(want[k]));
                off = fmax(off, fabs(got[k] - want[k]));
            }
            worst_add(&e, off/most, "trial %d", trial);
        }
        if (DC_IS_FLOAT) continue;
        for (k = 0; k < m.sim.vertices; ++k) {
            v[k] = m.sim.vertex[k];
            if (trial%4 == 2) v[k] = dc_add(v[k], dc_vec(DC_R(0.01)*(dc_real)(k%3), DC_R(0.005)*(dc_real)(k%4), DC_R(-0.01)*(dc_real)(k%5)));
        }
        moments_of(x, got, v);
        for (k = 0; k < 3*m.sim.vertices; ++k)
            for (i = 0; i < 10; ++i) jac[3*m.sim.vertices*i + k] = (double)m.sim.moment_grad[10*k + i];
        worst_add(&eg, fd_check(moments_of, v, 3*m.sim.vertices, x, 10, jac, 0.015625).err, "trial %d", trial);
    }
    ASSERT(worst_print(&e, DC_IS_FLOAT ? 1e-5 : 1e-12) && (DC_IS_FLOAT || worst_print(&eg, 1e-8)));
    PASS();
}

/* ---- rest and rolling ------------------------------------------------------------------------------- */

static dc_real q[3][64];

static dc_status run(int steps)
{
    dc_status s = DC_OK;
    for (; steps > 0 && s == DC_OK; --steps) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        s = dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], NULL);
        if (s != DC_OK) return s;
        memmove(q[0], q[1], sizeof q[0]);
        memmove(q[1], q[2], sizeof q[1]);
    }
    return s;
}

static void start(dc_real height)
{
    int i;
    dc_sim_neutral(&m.sim, q[0]);
    for (i = 0; i < m.sim.links; ++i)
        if (m.sim.link[i].joint == DC_SIM_FREE) q[0][m.sim.q_at[i] + 6] = height;
    memcpy(q[1], q[0], sizeof q[0]);
}

/* A ball, a capsule and a rounded box come to rest where their vertices' force is their weight, the rounded box at the gap
 * of a box on the floor; the contacts say so, on a fixed box too. */
TEST rests(void)
{
    static const double balls[4] = {1, 2, 4, 4};
    worst gap = worst_make("force of the gap over weight, less 1"), load = worst_make("normal forces over weight, less 1");
    worst same = worst_make("gap of a rounded box over that of a box, less 1");
    double box_gap = 0;
    int kind, on_box;
    for (on_box = 0; on_box < 2; ++on_box)
        for (kind = 0; kind < 4; ++kind) {
            static dc_contact_force c[32];
            dc_arena mem = dc_arena_make(scratch, sizeof scratch);
            const dc_real radius = kind < 3 ? DC_R(0.2) : 0;
            dc_real d1, d2, sum = 0;
            int count, k;
            machine_open(&m);
            m.desc.stiffness = m.desc.length = 0;
            if (kind == 0) ball(0.2);
            else if (kind == 1) capsule(0.3, 0.2);
            else round_box(0.3, 0.2, 0.1, (double)radius);
            m.link[0].damping = 1;
            if (on_box) {
                machine_link(&m, -1, DC_SIM_FIXED, dc_vec(0, 0, DC_R(-1.0)));
                machine_box(&m, dc_vec(0, 0, 0), dc_vec(2, 2, 1));
            } else machine_floor(&m, 0.5);
            ASSERT_EQ(DC_OK, machine_build(&m));
            start(radius + (kind < 2 ? 0 : DC_R(0.1)) + m.sim.desc.length);
            ASSERT_EQ(DC_OK, run(1200));
            ASSERT_EQ(DC_OK, dc_sim_contacts(&m.sim, q[0], q[1], &mem, 32, c, &count));
            ASSERT_EQ(on_box ? 1 : (int)balls[kind], count);
            for (k = 0; k < count; ++k) sum += c[k].normal.z;
            worst_add(&load, fabs((double)sum/9.81 - 1), "kind %d on %d", kind, on_box);
            if (!on_box) {
                dci_sim_barrier(0, m.sim.desc.support, c[0].gap/m.sim.desc.length, &d1, &d2);
                worst_add(&gap, fabs(-balls[kind]*(double)(m.sim.desc.stiffness*d1/m.sim.desc.length)/9.81 - 1), "kind %d", kind);
                ASSERT(dc_abs(c[0].point.z - c[0].gap) <= 8*DC_EPS);
            }
            if (kind == 2) box_gap = (double)c[0].gap/(double)m.sim.desc.length;
            if (kind == 3 && !on_box) worst_add(&same, fabs((double)c[0].gap/(double)m.sim.desc.length/box_gap - 1), "on %d", on_box);
        }
    /* the lengths are chosen by sizes, which differ: gaps in lengths are those of 4 vertices with k = weight times length */
    ASSERT(worst_print(&load, rounded(1e-5, 1e-2)) + worst_print(&gap, rounded(1e-5, 1e-2)) + worst_print(&same, rounded(1e-6, 1e-2)) == 3);
    PASS();
}

/* A ball that slides at first rolls in the end, with 5/7 of its speed; a capsule on its side with 2/3 of it as it grows long. */
TEST rolls(void)
{
    worst e = worst_make("speed of rolling"), slip = worst_make("slip");
    int kind, on_box;
    for (on_box = 0; on_box < 2; ++on_box)
        for (kind = 0; kind < 2; ++kind) {
            const double radius = 0.2, M = kind ? 1/(2*pi*0.04*5 + 4*pi*0.008/3) : 0;
            /* 1/(1 + I/(m r^2)) */
            const double I = kind ? M*(2*pi*pow(radius, 4)*5/2 + 8*pi*pow(radius, 5)/15)/(radius*radius) : 0.4, want = 1/(1 + I);
            dc_real tangent[6], v, w;
            machine_open(&m);
            if (kind == 0) ball(radius);
            else capsule(5, radius);
            m.desc.h = DC_R(0.002);
            m.desc.length = DC_R(0.02);
            m.desc.stiffness = 1;
            if (on_box) {
                machine_link(&m, -1, DC_SIM_FIXED, dc_vec(0, 0, DC_R(-1.0)));
                machine_box(&m, dc_vec(0, 0, 0), dc_vec(8, 8, 1));
            } else machine_floor(&m, 0.7);
            ASSERT_EQ(DC_OK, machine_build(&m));
            start(DC_R(radius) + DC_R(0.0025));
            ASSERT_EQ(DC_OK, run(200));
            q[0][5] -= m.sim.desc.h;                                        /* 1 m/s along y, off the capsule's axis */
            ASSERT_EQ(DC_OK, run(400));
            dc_sim_local(&m.sim, q[0], q[1], tangent);
            v = tangent[1]/m.sim.desc.h;
            w = tangent[3]/m.sim.desc.h;
            worst_add(&e, fabs((double)v/want - 1), "kind %d on %d: %g", kind, on_box, (double)v);
            worst_add(&slip, fabs((double)v + (double)w*radius), "kind %d on %d", kind, on_box);
        }
    ASSERT(worst_print(&e, 0.02) + worst_print(&slip, 0.01) == 2);
    PASS();
}

/* ---- throws and derivatives ----------------------------------------------------------------------- */

static void crowd(int fixed)
{
    static const double wedge[18] = {-0.2, -0.15, -0.1, 0.2, -0.15, -0.1, -0.2, 0.15, -0.1, 0.2, 0.15, -0.1, -0.2, 0, 0.15, 0.2, 0, 0.15};
    machine_open(&m);
    ball(0.15);
    capsule(0.2, 0.1);
    round_body(wedge, 6, 0.05);
    round_box(0.15, 0.1, 0.1, 0.03);
    machine_floor(&m, 0.6);
    if (fixed) {
        machine_link(&m, -1, DC_SIM_FIXED, dc_vec(0, 0, 0));
        machine_box(&m, dc_vec(0, 0, DC_R(0.3)), dc_vec(DC_R(0.4), DC_R(0.3), DC_R(0.1)));
        m.hull[m.hulls - 1].radius = DC_R(0.05);
    }
}

/* Round bodies thrown at each other and at the floor: every step ends well, and nothing overlaps after it. */
TEST throws(void)
{
    long n, steps = 0, bad = 0;
    rng r;
    rng_seed(&r, 12);
    for (n = 0; n < sweep_count(20); ++n) {
        const double speed = rng_log(&r, 0.5, 30);
        int i, j, k, c;
        crowd(n % 2 == 0);
        ASSERT_EQ(DC_OK, machine_build(&m));
        start(0);
        for (i = 0; i < 4; ++i) {
            dc_real d[64] = {0};
            dc_real *at = q[0] + m.sim.q_at[i];
            at[4] = (dc_real)((i & 1 ? 0.6 : -0.6) + rng_uniform(&r, -0.1, 0.1));
            at[5] = (dc_real)((i & 2 ? 0.6 : -0.6) + rng_uniform(&r, -0.1, 0.1));
            at[6] = (dc_real)rng_uniform(&r, 0.8, 1.3);
            for (c = 0; c < 3; ++c) d[m.sim.v_at[i] + 3 + c] = (dc_real)rng_uniform(&r, -2, 2);
            dc_sim_retract(&m.sim, q[0], d, q[0]);
        }
        memcpy(q[1], q[0], sizeof q[0]);
        for (i = 0; i < 4; ++i) {
            dc_real d[64] = {0};
            const dc_real *at = q[1] + m.sim.q_at[i];
            for (c = 0; c < 3; ++c) {
                d[m.sim.v_at[i] + c] = (dc_real)(speed*0.01*(-(double)at[4 + c] + rng_uniform(&r, -0.2, 0.2)));
                d[m.sim.v_at[i] + 3 + c] = (dc_real)(0.01*speed*rng_uniform(&r, -1, 1));
            }
            dc_sim_retract(&m.sim, q[0], d, q[0]);          /* one after the other: where it was before */
            for (c = 0; c < 6; ++c) d[m.sim.v_at[i] + c] *= -2;
            dc_sim_retract(&m.sim, q[0], d, q[0]);
        }
        for (k = 0; k < 100; ++k) {
            dc_pose pose[8];
            const dc_status s = run(1);
            ++steps;
            if (s != DC_OK) {
                printf("  throw %ld at %g m/s, step %d: %s\n", n, speed, k, dc_status_text(s));
                ++bad;
                break;
            }
            dc_sim_poses(&m.sim, q[1], pose);
            for (i = 0; i < m.sim.hulls; ++i) {
                dc_hull a = m.hull[i];
                a.v = m.sim.vertex + m.sim.hull[i].begin;
                for (j = 0; j < i; ++j) {
                    dc_distance d = DC_ZERO;
                    dc_hull b = m.hull[j];
                    b.v = m.sim.vertex + m.sim.hull[j].begin;
                    ASSERT(dc_hull_distance(&a, pose + i, &b, pose + j, NULL, &d) == DC_OK && d.gap > 0);
                }
                for (j = 0; j < a.n; ++j) ASSERT(m.sim.link[i].joint == DC_SIM_FIXED || dc_pose_apply(pose[i], a.v[j]).z > a.radius);
            }
        }
    }
    printf("  %ld of %ld steps not OK\n", bad, steps);
    ASSERT_EQ(0, (int)bad);
    PASS();
}

/* Jacobians by all a step depends on, against differences: landing, sliding, rolling over the floor and a fixed rounded box. */
TEST jacobians(void)
{
    static step_case c;
    worst e[CLASSES];
    int k, scene;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    worst_open(e);
    for (scene = 0; scene < 4; ++scene) {
        machine_open(&m);
        if (scene == 0) ball(0.15);
        else if (scene == 1) capsule(0.2, 0.1);
        else round_box(0.1, 0.15, 0.08, 0.05);
        if (scene == 3) {
            ball(0.12);
            machine_link(&m, -1, DC_SIM_FIXED, dc_vec(0, 0, 0));
            machine_box(&m, dc_vec(0, 0, DC_R(-0.15)), dc_vec(DC_R(0.5), DC_R(0.5), DC_R(0.1)));
            m.hull[m.hulls - 1].radius = DC_R(0.05);
        } else machine_floor(&m, 0.8);
        m.desc.tolerance = DC_R(1e-13);
        m.desc.friction.eps_v = DC_R(1e-4);
        ASSERT_EQ(DC_OK, machine_build(&m));
        begin_case(&c);
        c.q[0][6] = scene == 0 ? DC_R(0.17) : scene == 1 ? DC_R(0.12) : DC_R(0.15);
        if (scene != 1) c.q[0][1] = DC_R(0.02);
        if (scene == 3) c.q[0][13] = DC_R(0.42);
        hold(&c);
        for (k = 0; k < 40; ++k) {
            c.force[0] = k < 20 ? 5 : 1;
            c.force[1] = k < 20 ? 4 : -1;
            c.force[5] = k < 20 ? DC_R(0.1) : 0;
            ASSERT_EQ(DC_OK, step(&c, c.q[2], NULL));
            go_on(&c);
            if (k == 3 || k == 15 || k == 39) {
                char name[64];
                sprintf(name, "scene %d step %d", scene, k);
                ASSERT(jacobian_checks(&c, e, name));
            }
        }
    }
    ASSERT(worst_close(e, 1e-5));
    PASS();
}

/* a radius that is none; a flat solid stays refused */
TEST refused(void)
{
    const dc_real bad[4] = {-1, 2*DC_LIMIT, (dc_real)HUGE_VAL, (dc_real)NAN};
    static const double plate[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    int k;
    for (k = 0; k < 4; ++k) {
        dc_arena mem = dc_arena_make(machine_memory, sizeof machine_memory);
        dc_sim_flaw flaw = DC_ZERO;
        machine_open(&m);
        ball(1);
        m.hull[0].radius = bad[k];
        ASSERT_EQ(DC_E_ARG, dc_sim_build(&m.desc, &mem, &m.sim, &flaw));
        ASSERT_STR_EQ("the radius of a hull", flaw.cause);
        ASSERT_EQ(0, (int)dc_sim_bytes(&m.desc));
    }
    machine_open(&m);
    round_body(plate, 4, 0.1);
    ASSERT_EQ(DC_E_ARG, machine_build(&m));
    m.link[0].model = DC_SIM_LUMPED;
    ASSERT_EQ(DC_OK, machine_build(&m));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(moments);
    RUN_TEST(rests);
    RUN_TEST(rolls);
    RUN_TEST(throws);
    RUN_TEST(jacobians);
    RUN_TEST(refused);
    GREATEST_MAIN_END();
}
