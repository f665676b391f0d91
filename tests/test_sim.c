/* Models, their moments and kinematics, the energy of a step and its derivatives. */
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

static unsigned char scratch[1 << 20];
static machine m;

/* ---- the energy of a step ------------------------------------------------------------------------ */

typedef struct { dci_sim_work *W; dc_real q[64]; int hessian; } energy_case;

static void energy_of(const double *x, double *f, void *user)
{
    energy_case *c = (energy_case *)user;
    dc_real d[64], q[64];
    int k;
    for (k = 0; k < c->W->problem.sim->nv; ++k) d[k] = (dc_real)x[k];
    dc_sim_retract(c->W->problem.sim, c->q, d, q);
    dci_sim_eval(c->W, q, c->hessian, DCI_SIM_IN_FULL);
    if (c->hessian) to_double(c->W->at.grad, f, c->W->problem.sim->nv);
    else f[0] = (double)c->W->at.value;
}

/* gradient and Hessian of O at q against differences of O; the Hessian's by differences along pairs of directions */
static int energy_checks(dci_sim_work *W, const dc_real *q, worst *eg, worst *eh, const char *what)
{
    static energy_case c;
    static double grad[64], H[64*64], zero[64];
    int nv = W->problem.sim->nv, k, i, j;
    fd_result r;
    c.W = W;
    memcpy(c.q, q, (size_t)W->problem.sim->nq*sizeof *q);
    dci_sim_eval(W, q, DCI_SIM_DERIVATIVES, DCI_SIM_IN_FULL);
    if (W->at.status != DC_OK) return 0;
    to_double(W->at.grad, grad, nv);
    for (k = 0; k < nv*nv; ++k) H[k] = (double)W->at.hessian.own[k];
    c.hessian = 0;
    r = fd_check(energy_of, &c, nv, zero, 1, grad, 0.0078125);
    worst_add(eg, r.err, "%s", what);
    /* the Hessian in exponential coordinates: second differences of O */
    for (i = 0; i < nv; ++i)
        for (j = i; j < nv; ++j) {
            double d[64], f[4], step[2], got[2], best, big = 0;
            int s, l;
            for (l = 0; l < nv*nv; ++l) big = fmax(big, fabs(H[l]));
            for (s = 0; s < 2; ++s) {
                step[s] = s ? 0.0009765625 : 0.001953125;
                for (l = 0; l < 4; ++l) {
                    memset(d, 0, sizeof d);
                    d[i] += l & 1 ? step[s] : -step[s];
                    d[j] += l & 2 ? step[s] : -step[s];
                    energy_of(d, f + l, &c);
                }
                got[s] = (f[3] - f[1] - f[2] + f[0])/(4*step[s]*step[s]);
            }
            best = got[1] + (got[1] - got[0])/3;
            worst_add(eh, fabs(best - H[i*nv + j])/big, "%s %d %d", what, i, j);
            worst_add(eh, fabs(H[i*nv + j] - H[j*nv + i])/big, "%s %d %d not symmetric", what, i, j);
        }
    return 1;
}

TEST energy_has_the_derivatives_it_says(void)
{
    worst eg = worst_make("gradient"), eh = worst_make("Hessian");
    rng r;
    int k;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    rng_seed(&r, 71);
    for (k = 0; k < sweep_count(6); ++k) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_real q[4][64], v[64], f[64];
        dc_sim_control u = DC_ZERO;
        dci_sim_work *W;
        int j;
        machine_tree(&m);
        m.desc.h = DC_R(0.25);
        ASSERT_EQ(DC_OK, machine_build(&m));
        dc_sim_neutral(&m.sim, q[0]);
        machine_random(&m.sim, &r, 0.5, q[0], q[1]);
        machine_random(&m.sim, &r, 0.2, q[1], q[0]);
        machine_random(&m.sim, &r, 0.2, q[1], q[2]);
        machine_random(&m.sim, &r, 0.5, q[1], q[3]);
        for (j = 0; j < m.sim.nv; ++j) {
            v[j] = (dc_real)rng_uniform(&r, -1, 1);
            f[j] = (dc_real)rng_uniform(&r, -3, 3);
        }
        u.target = q[3];
        u.velocity = v;
        u.force = f;
        ASSERT_EQ(DC_OK, dci_sim_open(&m.sim, q[0], q[1], &u, 0, 0, &mem, &W));
        ASSERT(energy_checks(W, q[2], &eg, &eh, "tree"));
    }
    ASSERT(worst_print(&eg, 1e-10) & worst_print(&eh, 2e-9));
    PASS();
}

/* ---- moments ---------------------------------------------------------------------------------------- */

/* The moments of link 0 against differences by its vertices. */
static void moments_of(const double *x, double *f, void *user)
{
    const dc_v3 *v = (const dc_v3 *)user;
    int k, a, b, n = 0;
    for (k = 0; k < m.sim.vertices; ++k)
        m.sim.vertex[k] = dc_vec(v[k].x + (dc_real)x[3*k], v[k].y + (dc_real)x[3*k + 1], v[k].z + (dc_real)x[3*k + 2]);
    dc_sim_refresh(&m.sim, NULL);
    for (a = 0; a < 4; ++a)
        for (b = a; b < 4; ++b) f[n++] = (double)m.sim.moment[4*a + b];
}

TEST moments_are_those_of_the_solid(void)
{
    worst e = worst_make("box"), eg = worst_make("derivative");
    int model, by_mass, k;
    for (model = DC_SIM_UNIFORM; model <= DC_SIM_LUMPED; ++model)
        for (by_mass = 0; by_mass < 2; ++by_mass) {
            dc_sim_link *l;
            dc_v3 c = dc_vec(DC_R(0.5), DC_R(-0.25), DC_R(1.0)), r = dc_vec(DC_R(0.5), DC_R(0.75), DC_R(0.25));
            double M[16], mass, half[3], want[10], x[3*MACHINE_VERTICES], jac[10*3*MACHINE_VERTICES];
            static dc_v3 v[MACHINE_VERTICES];
            dc_real got[10];
            fd_result fd;
            int a, b, n = 0;
            machine_open(&m);
            l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
            l->model = (dc_sim_mass)model;
            if (by_mass) l->mass = 3;
            else l->density = 2;
            machine_box(&m, c, r);
            ASSERT_EQ(DC_OK, machine_build(&m));
            /* of a box of mass m about its centre: m r^2/3; of its corners: m r^2 */
            mass = by_mass ? 3 : model == DC_SIM_UNIFORM ? 2*8*0.5*0.75*0.25 : 2*8;
            half[0] = (double)r.x;
            half[1] = (double)r.y;
            half[2] = (double)r.z;
            M[0] = (double)c.x;
            M[1] = (double)c.y;
            M[2] = (double)c.z;
            M[3] = 1;
            for (a = 0; a < 4; ++a)
                for (b = a; b < 4; ++b) {
                    want[n] = mass*(M[a]*M[b] + (a == b && a < 3 ? half[a]*half[a]/(model == DC_SIM_UNIFORM ? 3 : 1) : 0));
                    got[n++] = m.sim.moment[4*a + b];
                }
            worst_add(&e, relative_error(got, want, 10)/EPS, "model %d by mass %d", model, by_mass);
            if (DC_IS_FLOAT) continue;
            /* off the box: no face stays flat, none needs to */
            for (k = 0; k < m.sim.vertices; ++k)
                v[k] = dc_add(m.sim.vertex[k], dc_vec(DC_R(0.03)*(dc_real)(k%3), DC_R(0.02)*(dc_real)(k%4), DC_R(-0.01)*(dc_real)(k%5)));
            memset(x, 0, sizeof x);
            moments_of(x, want, v);
            for (k = 0; k < 3*m.sim.vertices; ++k)
                for (a = 0; a < 10; ++a) jac[3*m.sim.vertices*a + k] = (double)m.sim.moment_grad[10*k + a];
            fd = fd_check(moments_of, v, 3*m.sim.vertices, x, 10, jac, 0.0625);
            worst_add(&eg, fd.err, "model %d by mass %d", model, by_mass);
        }
    ASSERT(worst_print(&e, 16));
    if (!DC_IS_FLOAT) ASSERT(worst_print(&eg, 1e-9));
    PASS();
}

/* Hulls of points on a sphere, inside it, in a grid with all its collinear and coplanar points: volumes by faces against
 * those known. */
TEST faces_close(void)
{
    worst e = worst_make("volume of a grid of points");
    rng r;
    int k, n;
    rng_seed(&r, 74);
    for (n = 0; n < sweep_count(20); ++n) {
        dc_sim_link *l;
        dc_hull *h;
        double turn[3], x[3], volume = 0;
        dc_m3 R;
        int edges = 0, f;
        machine_open(&m);
        l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
        l->density = 1;
        h = m.hull;
        l->hull = h;
        l->hulls = 1;
        h->v = m.vertex;
        h->radius = 0;
        rng_unit3(&r, turn);
        R = dc_m3_exp(dc_vec((dc_real)turn[0], (dc_real)turn[1], (dc_real)turn[2]));
        if (n % 2) {        /* a 3x3x3 grid, turned: 8 corners, 19 points that are none */
            for (k = 0; k < 27; ++k) m.vertex[k] = dc_mul(&R, dc_vec((dc_real)(k%3), (dc_real)(k/3%3), (dc_real)(k/9)));
            h->n = 27;
            volume = 8;
        } else {            /* on a sphere: every point a corner, faces triangles */
            h->n = 4 + 3*n;
            for (k = 0; k < h->n; ++k) {
                rng_unit3(&r, x);
                m.vertex[k] = dc_vec((dc_real)x[0], (dc_real)x[1], (dc_real)x[2]);
            }
        }
        ASSERT_EQ(DC_OK, machine_build(&m));
        for (f = 0; f < m.sim.hull[0].faces; ++f) edges += m.sim.face[f + 1] - m.sim.face[f];
        if (volume > 0) {
            ASSERT_EQ(6, m.sim.hull[0].faces);
            ASSERT_EQ(24, edges);
            worst_add(&e, fabs((double)m.sim.moment[15] - volume)/volume/EPS, "grid %d", n);
        } else ASSERT_EQ(2*h->n - 4, m.sim.hull[0].faces);
    }
    ASSERT(n < 2 || worst_print(&e, 64));
    PASS();
}

/* ---- motion without contact ------------------------------------------------------------------------- */

static dc_status advance(dc_real q[3][64], const dc_sim_control *u, int k)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    return dc_sim_step(&m.sim, q[k%3], q[(k + 1)%3], u, &mem, q[(k + 2)%3], NULL);
}

/* z_n = -g h^2 n(n+1)/2 from rest: the scheme's own sum, exactly; second differences are g h^2, to the rounding of places */
TEST free_fall(void)
{
    worst e = worst_make("height, in eps of the fall over the tolerance"), ea = worst_make("acceleration h^2/g, in eps of the height");
    dc_real q[3][64];
    int k;
    machine_open(&m);
    machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 2;
    machine_box(&m, dc_vec(DC_R(0.1), 0, 0), dc_vec(1, DC_R(0.5), DC_R(0.25)));
    ASSERT_EQ(DC_OK, machine_build(&m));
    dc_sim_neutral(&m.sim, q[0]);
    dc_sim_neutral(&m.sim, q[1]);
    for (k = 0; k < 100; ++k) {
        double want = -9.81*1e-4*(k + 1)*(k + 2)/2;
        ASSERT_EQ(DC_OK, advance(q, NULL, k));
        worst_add(&e, fabs((double)q[(k + 2)%3][6] - want)/fabs(want)/EPS, "step %d", k);
        ASSERT(fabs((double)q[(k + 2)%3][1]) < 1e-3);
        want = (double)(q[(k + 2)%3][6] - 2*q[(k + 1)%3][6] + q[k%3][6]) + 9.81*1e-4;
        worst_add(&ea, fabs(want)/fmax(9.81*1e-4, fabs((double)q[(k + 2)%3][6]))/EPS, "step %d", k);
    }
    ASSERT(worst_print(&e, 4096) & worst_print(&ea, 4096));
    PASS();
}

/* errors at h, h/2, h/4 of first order */
static int halves(const double e[3])
{
    return e[0]/e[1] > 1.7 && e[0]/e[1] < 2.3 && e[1]/e[2] > 1.85 && e[1]/e[2] < 2.15;
}

/* A top free of torque, half axes 3, 2, 1, thrown about its middle axis with a little of the others: the references turn by
 * Euler's equations, I w' = I w x w, R' = R [w], by Runge and Kutta's fourth-order method. */
static void euler(const double I[3], const double y[7], double d[7])
{
    const double *w = y, *q = y + 3;
    d[0] = (I[1] - I[2])/I[0]*w[1]*w[2];
    d[1] = (I[2] - I[0])/I[1]*w[2]*w[0];
    d[2] = (I[0] - I[1])/I[2]*w[0]*w[1];
    d[3] = 0.5*(-q[1]*w[0] - q[2]*w[1] - q[3]*w[2]);
    d[4] = 0.5*(q[0]*w[0] + q[2]*w[2] - q[3]*w[1]);
    d[5] = 0.5*(q[0]*w[1] + q[3]*w[0] - q[1]*w[2]);
    d[6] = 0.5*(q[0]*w[2] + q[1]*w[1] - q[2]*w[0]);
}

static double top_reference(const double I[3], const double w0[3], double T, int steps, double q[4], double w[3])
{
    double y[7] = {0, 0, 0, 1, 0, 0, 0}, k[4][7], x[7], h = T/steps;
    int n, i, s;
    memcpy(y, w0, 3*sizeof *y);
    for (n = 0; n < steps; ++n) {
        for (s = 0; s < 4; ++s) {
            for (i = 0; i < 7; ++i) x[i] = y[i] + (s == 0 ? 0 : (s == 3 ? h : 0.5*h)*k[s - 1][i]);
            euler(I, x, k[s]);
        }
        for (i = 0; i < 7; ++i) y[i] += h/6*(k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]);
    }
    memcpy(q, y + 3, 4*sizeof *q);
    memcpy(w, y, 3*sizeof *w);
    return y[1];
}

static dc_v3 turn_of(const dc_real *to, const dc_real *from)
{
    return dc_quat_log(dc_quat_mul(dci_sim_q4(to), dc_quat_conj(dci_sim_q4(from))));
}

/* Error of the orientation at T in steps of h, started by the reference's own state a step before; of the angular acceleration
 * by the last three; loss of energy, of it. */
static double top_error(double T, int steps, double *spin, double *acceleration, double *loss)
{
    static const double I[3] = {2.0*(4 + 1)/3, 2.0*(9 + 1)/3, 2.0*(9 + 4)/3}, w0[3] = {0.4, 2.0, 0.2};
    double back[3], q[4], dot = 0, start[4], w[3];
    dc_real x[3][64];
    int k, i;
    machine_open(&m);
    m.desc.gravity = dc_vec(0, 0, 0);
    m.desc.h = (dc_real)(T/steps);
    machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 2;
    machine_box(&m, dc_vec(0, 0, 0), dc_vec(3, 2, 1));
    if (machine_build(&m) != DC_OK) return HUGE_VAL;
    dc_sim_neutral(&m.sim, x[0]);
    dc_sim_neutral(&m.sim, x[1]);
    /* time reversed: w -> -w */
    for (i = 0; i < 3; ++i) back[i] = -w0[i];
    top_reference(I, back, T/steps, 16, start, w);
    for (i = 0; i < 4; ++i) x[0][i] = (dc_real)start[i];
    for (k = 0; k < steps; ++k)
        if (advance(x, NULL, k) != DC_OK) return HUGE_VAL;
    *spin = top_reference(I, w0, T, 20000, q, w);
    {
        const dc_real *a = x[(steps + 1)%3], *b = x[steps%3], *c = x[(steps - 1)%3];
        double h = T/steps, y[7] = {0}, d[7], E = 0, E0 = 0;
        dc_v3 w1 = turn_of(a, b), w2 = turn_of(b, c), body, want;
        dc_quat R;
        memcpy(y, w, sizeof w);
        y[3] = 1;
        euler(I, y, d);
        R.w = (dc_real)q[0];
        R.x = (dc_real)q[1];
        R.y = (dc_real)q[2];
        R.z = (dc_real)q[3];
        want = dc_quat_rotate(R, dc_vec((dc_real)d[0], (dc_real)d[1], (dc_real)d[2]));      /* (R w)' = R w' */
        want = dc_sub(want, dc_scale((dc_real)(1/(h*h)), dc_sub(w1, w2)));
        *acceleration = (double)dc_sqrt(dc_dot(want, want));
        body = dc_quat_rotate(dc_quat_conj(dci_sim_q4(a)), w1);
        y[0] = (double)body.x/h;
        y[1] = (double)body.y/h;
        y[2] = (double)body.z/h;
        for (i = 0; i < 3; ++i) {
            E += I[i]*y[i]*y[i];
            E0 += I[i]*w0[i]*w0[i];
        }
        *loss = 1 - E/E0;
    }
    for (i = 0; i < 4; ++i) dot += q[i]*(double)x[(steps + 1)%3][i];
    return 2*acos(fmin(1, fabs(dot)));
}

TEST top_flips_and_converges(void)
{
    double e[3], a[3], loss[3], spin = 0;
    int k;
    if (DC_IS_FLOAT) SKIPm("convergence needs double");
    for (k = 0; k < 3; ++k) e[k] = top_error(5, 2500 << k, &spin, a + k, loss + k);
    printf("  top: orientation off by %.3g, %.3g, %.3g at h = 0.002, h/2, h/4; angular acceleration by %.3g, %.3g, %.3g\n", e[0], e[1], e[2], a[0], a[1], a[2]);
    printf("  energy falls by %.3g, %.3g, %.3g of itself in 5 s\n", loss[0], loss[1], loss[2]);
    /* implicit Euler in position form: first order */
    ASSERT(halves(e) && halves(a) && halves(loss) && e[2] < 0.06 && loss[2] > 0);
    ASSERTm("the top did not turn over", spin < 0);
    PASS();
}

/* A chain of n rods in a plane, angles phi from the vertical, by Lagrange's equations:
 *     sum_j a_ij (cos(phi_i - phi_j) phi_j'' + sin(phi_i - phi_j) phi_j'^2) = - b_i g sin phi_i
 * with a_ij = m l^2 (n - 1 - max + 1/2), a_ii = m l^2 (n - 1 - i + 1/4) + I, b_i = m l (n - 1 - i + 1/2) */
static void chain_motion(int n, double l, double inertia, const double *y, double *d)
{
    double A[8][9];
    int i, j, k;
    for (i = 0; i < n; ++i) {
        A[i][n] = -9.81*l*(n - 1 - i + 0.5)*sin(y[i]);
        for (j = 0; j < n; ++j) {
            double a = i == j ? l*l*(n - 1 - i + 0.25) + inertia : l*l*(n - 1 - (i > j ? i : j) + 0.5);
            A[i][j] = a*cos(y[i] - y[j]);
            A[i][n] -= a*sin(y[i] - y[j])*y[n + j]*y[n + j];
        }
    }
    for (k = 0; k < n; ++k)
        for (i = k + 1; i < n; ++i) {
            double f = A[i][k]/A[k][k];
            for (j = k; j <= n; ++j) A[i][j] -= f*A[k][j];
        }
    for (i = n - 1; i >= 0; --i) {
        for (j = i + 1; j < n; ++j) A[i][n] -= A[i][j]*d[n + j];
        d[n + i] = A[i][n]/A[i][i];
        d[i] = y[n + i];
    }
}

static void chain_reference(int n, double l, double inertia, double T, int steps, double *y)
{
    double k[4][16], x[16], h = T/steps;
    int t, i, s;
    for (t = 0; t < steps; ++t) {
        for (s = 0; s < 4; ++s) {
            for (i = 0; i < 2*n; ++i) x[i] = y[i] + (s == 0 ? 0 : (s == 3 ? h : 0.5*h)*k[s - 1][i]);
            chain_motion(n, l, inertia, x, k[s]);
        }
        for (i = 0; i < 2*n; ++i) y[i] += h/6*(k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]);
    }
}

/* Kinetic energy, and that of weight, of a state of a chain, by the coefficients of its equations. */
static double chain_energy(int n, double l, double inertia, const double *y)
{
    double E = 0;
    int i, j;
    for (i = 0; i < n; ++i) {
        E -= 9.81*l*(n - 1 - i + 0.5)*cos(y[i]);
        for (j = 0; j < n; ++j)
            E += 0.5*(i == j ? l*l*(n - 1 - i + 0.25) + inertia : l*l*(n - 1 - (i > j ? i : j) + 0.5)*cos(y[i] - y[j]))*y[n + i]*y[n + j];
    }
    return E;
}

/* Largest error of an angle after T, from a quarter turn at rest; of an angle's second difference; loss of energy over what could
 * fall. */
static double chain_error(int n, double T, int steps, double *acceleration, double *loss)
{
    double l = 0.5, r = 0.02, y[16] = {0}, z[16], d[16], e = 0, sum = 0, back, fore, h = T/steps;
    dc_real x[3][64];
    int k, i;
    machine_open(&m);
    m.desc.h = (dc_real)(T/steps);
    for (k = 0; k < n; ++k) {
        dc_sim_link *link = machine_link(&m, k - 1, DC_SIM_HINGE, k ? dc_vec(0, 0, (dc_real)-l) : dc_vec(0, 0, 0));
        link->axis = dc_vec(0, 1, 0);
        link->mass = 1;
        machine_box(&m, dc_vec(0, 0, (dc_real)(-l/2)), dc_vec((dc_real)r, (dc_real)r, (dc_real)(l/2)));
    }
    m.desc.length = DC_R(0.001);     /* nothing touches */
    if (machine_build(&m) != DC_OK) return HUGE_VAL;
    dc_sim_neutral(&m.sim, x[0]);
    x[0][0] = DC_R(1.5707963267948966);
    memcpy(x[1], x[0], sizeof x[1]);
    /* at rest at t = 0; the state a step before by the motion backwards, which is the same */
    for (i = 0; i < n; ++i) y[i] = 1.5707963267948966;
    chain_reference(n, l, (4*r*r + l*l)/12, T/steps, 16, y);
    for (sum = 0, i = 0; i < n; ++i) {
        x[0][i] = (dc_real)(y[i] - sum);
        sum = y[i];
    }
    for (k = 0; k < steps; ++k)
        if (advance(x, NULL, k) != DC_OK) return HUGE_VAL;
    memset(y, 0, sizeof y);
    for (i = 0; i < n; ++i) y[i] = 1.5707963267948966;
    chain_reference(n, l, (4*r*r + l*l)/12, T, 4000, y);
    chain_motion(n, l, (4*r*r + l*l)/12, y, d);
    for (*acceleration = sum = back = fore = 0, i = 0; i < n; ++i) {
        sum += (double)x[(steps + 1)%3][i];
        back += (double)x[steps%3][i];
        fore += (double)x[(steps - 1)%3][i];
        e = fmax(e, fabs(sum - y[i]));
        *acceleration = fmax(*acceleration, fabs((sum - 2*back + fore)/(h*h) - d[n + i]));
        z[i] = sum;
        z[n + i] = (sum - back)/h;
    }
    *loss = -chain_energy(n, l, (4*r*r + l*l)/12, z)/(9.81*l*n*n/2);      /* zero at the start */
    return e;
}

TEST chains_converge(void)
{
    static const int links[2] = {2, 8};
    int i, k;
    if (DC_IS_FLOAT) SKIPm("convergence needs double");
    for (i = 0; i < 2; ++i) {
        double e[3], a[3], loss[3];
        for (k = 0; k < 3; ++k) e[k] = chain_error(links[i], 0.5, 250 << k, a + k, loss + k);
        printf("  chain of %d: angles off by %.3g, %.3g, %.3g at h = 0.002, h/2, h/4; accelerations by %.3g, %.3g, %.3g\n", links[i], e[0], e[1], e[2], a[0], a[1], a[2]);
        printf("  energy falls by %.3g, %.3g, %.3g of what it can\n", loss[0], loss[1], loss[2]);
        ASSERT(halves(e) && halves(a) && halves(loss) && e[2] < 0.02 && loss[2] > 0);
    }
    PASS();
}

/* Momenta of the motion from q0 to q1: sum of m v, of x^{t+1} x v about the origin. */
static void momenta(const dc_real *q0, const dc_real *q1, double p[3], double L[3])
{
    dc_pose a[MACHINE_LINKS], b[MACHINE_LINKS];
    int i, j, k, c;
    dc_sim_poses(&m.sim, q0, a);
    dc_sim_poses(&m.sim, q1, b);
    for (k = 0; k < 3; ++k) p[k] = L[k] = 0;
    for (i = 0; i < m.sim.links; ++i) {
        const dc_real *M = m.sim.moment + 16*i;
        dc_affine A = dc_pose_to_affine(a[i]), B = dc_pose_to_affine(b[i]);
        double X[3][3];                 /* B M (B - A)^T/h: sum of m x v^T */
        for (k = 0; k < 3; ++k) {
            for (c = 0; c < 3; ++c)
                for (X[k][c] = 0, j = 0; j < 16; ++j)
                    X[k][c] += (double)(B.m[4*k + j/4]*M[j]*(B.m[4*c + j%4] - A.m[4*c + j%4])/m.desc.h);
            for (j = 0; j < 4; ++j) p[k] += (double)(M[12 + j]*(B.m[4*k + j] - A.m[4*k + j])/m.desc.h);
        }
        L[0] += X[1][2] - X[2][1];
        L[1] += X[2][0] - X[0][2];
        L[2] += X[0][1] - X[1][0];
    }
}

/* The tree of all joints adrift, with springs and damping in its joints: linear momentum stays, angular momentum drifts by
 * h v^{t+1} x v^t a step, of first order in h altogether. */
TEST momentum_of_a_tree_adrift(void)
{
    worst e = worst_make("linear momentum");
    double drift[3], p0[3], L0[3], p[3], L[3];
    int run, k, t;
    if (DC_IS_FLOAT) SKIPm("small differences need double");
    for (run = 0; run < 3; ++run) {
        dc_real q[3][64], d[64];
        double size = 0;
        int steps = 100 << run;
        machine_tree(&m);
        m.desc.gravity = dc_vec(0, 0, 0);
        m.desc.h = DC_R(1.0)/(dc_real)steps;
        m.link[0].damping = 0;          /* which is against the world */
        ASSERT_EQ(DC_OK, machine_build(&m));
        dc_sim_neutral(&m.sim, q[0]);
        for (k = 0; k < m.sim.nv; ++k) d[k] = m.desc.h*DC_R(0.3)*(dc_real)(k%5 - 1);
        dc_sim_retract(&m.sim, q[0], d, q[1]);
        momenta(q[0], q[1], p0, L0);
        for (t = 0; t < steps; ++t) ASSERT_EQ(DC_OK, advance(q, NULL, t));
        momenta(q[steps%3], q[(steps + 1)%3], p, L);
        for (drift[run] = 0, k = 0; k < 3; ++k) {
            size += p0[k]*p0[k];
            drift[run] = fmax(drift[run], fabs(L[k] - L0[k])/sqrt(L0[0]*L0[0] + L0[1]*L0[1] + L0[2]*L0[2]));
        }
        for (k = 0; k < 3; ++k) worst_add(&e, fabs(p[k] - p0[k])/sqrt(size), "%d steps", steps);
    }
    printf("  angular momentum drifts by %.3g, %.3g, %.3g of itself in a second at h = 0.01, 0.005, 0.0025\n", drift[0], drift[1], drift[2]);
    ASSERT(drift[1]/drift[2] > 1.8 && drift[1]/drift[2] < 2.2 && drift[0] < 0.05);
    ASSERT(worst_print(&e, 1e-6));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(energy_has_the_derivatives_it_says);
    RUN_TEST(moments_are_those_of_the_solid);
    RUN_TEST(faces_close);
    RUN_TEST(free_fall);
    RUN_TEST(top_flips_and_converges);
    RUN_TEST(chains_converge);
    RUN_TEST(momentum_of_a_tree_adrift);
    GREATEST_MAIN_END();
}
