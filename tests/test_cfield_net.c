/* Learned configuration-space fields: networks against a plain evaluation in double, their derivatives, their bytes, their
 * training. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

#define PI 3.14159265358979323846

enum { BYTES = 1 << 21, SAVED = 1 << 17 };
static unsigned char memory[BYTES];
static unsigned char saved[SAVED], again[SAVED];

/* ---- networks made by hand ------------------------------------------------------------------------ */

/* What the saved bytes say, read and written here on their own. */
typedef struct {
    unsigned wall, raw, harmonics, layers, width, smooth;
    double ra, rb;
    int inputs, count;
    double w[30000];
} net;

static net N;

static void put(unsigned char *p, int n, uint64_t x)
{
    int k;
    for (k = 0; k < n; ++k) p[k] = (unsigned char)(x >> 8*k & 255);
}

static uint64_t fnv(const unsigned char *p, size_t n)
{
    uint64_t h = UINT64_C(14695981039346656037);
    size_t k;
    for (k = 0; k < n; ++k) h = (h ^ p[k])*UINT64_C(1099511628211);
    return h;
}

static void put_sum(unsigned char *p, size_t size) { put(p + size - 8, 8, fnv(p, size - 8)); }

static size_t write_net(const net *n, unsigned char *p)
{
    uint64_t b;
    uint32_t u;
    float f;
    int k;
    size_t size = 52 + 4*(size_t)n->count + 8;
    memcpy(p, "dccfield", 8);
    put(p + 8, 4, 1);
    put(p + 12, 4, n->wall);
    put(p + 16, 4, n->raw);
    put(p + 20, 4, n->harmonics);
    put(p + 24, 4, n->layers);
    put(p + 28, 4, n->width);
    put(p + 32, 4, n->smooth);
    memcpy(&b, &n->ra, 8);
    put(p + 36, 8, b);
    memcpy(&b, &n->rb, 8);
    put(p + 44, 8, b);
    for (k = 0; k < n->count; ++k) {
        f = (float)n->w[k];
        memcpy(&u, &f, 4);
        put(p + 52 + 4*k, 4, u);
    }
    put_sum(p, size);
    return size;
}

/* weights such that the numbers of every layer are about 1 */
static void make_net(net *n, rng *r, unsigned wall, unsigned raw, unsigned harmonics, unsigned layers, unsigned width, unsigned smooth)
{
    unsigned l, k, in, out;
    int at = 0;
    n->wall = wall;
    n->raw = raw;
    n->harmonics = harmonics;
    n->layers = layers;
    n->width = width;
    n->smooth = smooth;
    n->ra = wall == DC_CSHAPE_HALFPLANE ? 0 : wall == DC_CSHAPE_POLY ? 1.25 : 3.5;
    n->rb = 0.75;
    n->inputs = raw ? 3 : 1 + (wall == DC_CSHAPE_POLY ? 4 : 2)*(int)harmonics;
    for (l = 0; l <= layers; ++l) {
        in = l == 0 ? (unsigned)n->inputs : width;
        out = l < layers ? width : 2;
        for (k = 0; k < out*(in + 1); ++k) {
            double b = k < out ? 0.3 : sqrt((l == 0 && !raw ? 9.0 : 5.0)/in);
            n->w[at++] = (double)(float)rng_uniform(r, -b, b);
        }
    }
    n->count = at;
}

/* rho(r) of baked fields and its derivative: r up to a, constant from a + w on */
static double drawn_in(double r, double a, double w, double *slope)
{
    double u = fmin(fmax((r - a)/w, 0), 1);
    *slope = 1 - (10*pow(u, 3) - 15*pow(u, 4) + 6*pow(u, 5));
    return r <= a ? r : a + w*(u - (2.5*pow(u, 4) - 3*pow(u, 5) + pow(u, 6)));
}

/* the field as the header's comment has it: value and gradient of both outputs, by the pose */
static void plain(const net *n, const double q[3], double out[2], double grad[2][3])
{
    double x[136][4], z[128][4], unit, centre, low, high, sign = 1, c = cos(q[0]), s = sin(q[0]), r, alpha, beta, cut, bend;
    double dr[3] = {0, 0, 0}, da[3] = {0, 0, 0}, db[3] = {0, 0, 0}, W[2] = {0, 0};
    int l, i, o, k, at = 0, in = n->inputs, K = (int)n->harmonics;
    unit = n->wall == DC_CSHAPE_POLY ? fmin(n->ra, n->rb) : n->rb;
    low = 0;
    high = n->wall == DC_CSHAPE_HALFPLANE ? n->rb : n->ra + n->rb;
    if (n->wall == DC_CSHAPE_DISC || n->wall == DC_CSHAPE_HOLE) low = n->ra - n->rb;
    if (n->wall == DC_CSHAPE_HOLE) {
        low = n->ra - 1.3*n->rb;
        high = n->ra;
        sign = -1;
    }
    centre = high - 0.7*unit;
    high += 0.2*unit;
    r = hypot(q[1], q[2]);
    alpha = atan2(q[2], q[1]);
    if (n->wall == DC_CSHAPE_HALFPLANE) {
        r = q[2];
        dr[2] = 1;
        beta = PI/2 - q[0];
    } else {
        dr[1] = q[1]/r;
        dr[2] = q[2]/r;
        da[1] = db[1] = -q[2]/(r*r);
        da[2] = db[2] = q[1]/(r*r);
        beta = alpha + PI - q[0];
    }
    db[0] = -1;
    cut = fmin(fmax(r, low), high);
    bend = cut < r || cut > r ? 0 : 1;
    if (n->smooth && !n->raw && r >= low) cut = drawn_in(r, high - 0.2*unit, 0.4*unit, &bend);
    else if (n->smooth && !n->raw) cut = -drawn_in(-r, -low, 0.4*unit, &bend);
    memset(x, 0, sizeof x);
    if (n->raw) {
        x[0][0] = atan2(s, c);
        x[0][1] = 1;
        if (n->wall != DC_CSHAPE_HALFPLANE) {
            x[1][0] = q[1]/unit;
            x[1][2] = 1/unit;
        }
        x[2][0] = q[2]/unit;
        x[2][3] = 1/unit;
    } else {
        double phase[2], *dp[2];
        int j, two = n->wall == DC_CSHAPE_POLY;
        phase[0] = two ? alpha : beta;
        phase[1] = beta;
        dp[0] = two ? da : db;
        dp[1] = db;
        x[0][0] = (cut - centre)/unit;
        for (k = 0; k < 3; ++k) x[0][k + 1] = bend*dr[k]/unit;
        for (j = 0; j < 1 + two; ++j)
            for (i = 1; i <= K; ++i) {
                double *u = x[2*K*j + i], *v = x[2*K*j + K + i];
                u[0] = cos(i*phase[j]);
                v[0] = sin(i*phase[j]);
                for (k = 0; k < 3; ++k) {
                    u[k + 1] = -i*v[0]*dp[j][k];
                    v[k + 1] = i*u[0]*dp[j][k];
                }
            }
    }
    for (l = 0; l <= (int)n->layers; ++l) {
        int rows = l < (int)n->layers ? (int)n->width : 2;
        for (o = 0; o < rows; ++o) {
            z[o][0] = n->w[at + o];
            z[o][1] = z[o][2] = z[o][3] = 0;
            for (i = 0; i < in; ++i)
                for (k = 0; k < 4; ++k) z[o][k] += x[i][k]*n->w[at + rows + (rows == 2 ? o*in + i : i*rows + o)];
        }
        at += rows*(in + 1);
        for (o = 0; o < rows && rows > 2; ++o) {
            double v = z[o][0], u = v > 0 ? v : 0, du = v > 0;
            if (n->smooth) {
                u = v >= 1 ? v : v <= -1 ? 0 : 3.0/16 + v/2 + 3*v*v/8 - v*v*v*v/16;
                du = v >= 1 ? 1 : v <= -1 ? 0 : 0.5 + 3*v/4 - v*v*v/4;
            }
            x[o][0] = u;
            for (k = 1; k < 4; ++k) x[o][k] = du*z[o][k];
        }
        in = rows;
    }
    W[0] = unit*0.1;
    W[1] = unit;
    for (o = 0; o < 2; ++o) {
        out[o] = W[o]*z[o][0] + (o == 0 ? sign*(r - cut) : 0);
        for (k = 0; k < 3; ++k) grad[o][k] = W[o]*z[o][k + 1] + (o == 0 ? (1 - bend)*sign*dr[k] : 0);
    }
    if (n->smooth && !n->raw && low <= 0 && (n->wall == DC_CSHAPE_POLY || n->wall == DC_CSHAPE_DISC) && r < 0.05*unit) {
        /* towards -2 bands and no lever */
        double v = fmax((r/unit - 0.01)/0.04, 0), S = 10*pow(v, 3) - 15*pow(v, 4) + 6*pow(v, 5);
        double dS = 30*(v*v - 2*pow(v, 3) + pow(v, 4))/(0.04*unit);
        for (o = 0; o < 2; ++o) {
            double off = out[o] + (o == 0 ? 0.2*unit : 0);
            for (k = 0; k < 3; ++k) grad[o][k] = S*grad[o][k] + dS*off*dr[k];
            out[o] = out[o] - off + S*off;
        }
    }
}

static dc_status load(const net *n, dc_arena *mem, dc_cfield *f)
{
    return dc_cfield_load(saved, write_net(n, saved), mem, f);
}

/* a pose whose numbers are floats */
static void random_pose(const net *n, rng *r, dc_real q[3])
{
    double reach = n->wall == DC_CSHAPE_HOLE ? n->ra : n->ra + n->rb, rho = reach*sqrt(rng_uniform(r, 0.05, 1.3)), a = rng_uniform(r, -PI, PI);
    q[0] = (dc_real)(float)rng_uniform(r, -PI, PI);
    q[1] = (dc_real)(float)(rho*cos(a));
    q[2] = (dc_real)(float)(rho*sin(a));
}

static void random_kind(net *n, rng *r, unsigned smooth, unsigned harmonics)
{
    unsigned wall = (unsigned)rng_int(r, 0, 3);
    unsigned raw = (unsigned)(rng_int(r, 0, 3) == 0);
    unsigned layers = (unsigned)rng_int(r, 1, 5);
    unsigned width = 8*(unsigned)rng_int(r, 1, 6);
    make_net(n, r, wall, raw, harmonics, layers, width, smooth);
}

/* ---- evaluation ----------------------------------------------------------------------------------- */

TEST values_and_gradients(void)
{
    worst d = worst_make("value"), g = worst_make("gradient"), l = worst_make("lever"), flat = worst_make("gradient of max(0, z)");
    long trials = sweep_count(160), t;
    int k, i, odd = 0, all = 0;
    rng r;
    rng_seed(&r, 1);
    for (t = 0; t < trials; ++t) {
        dc_arena mem = dc_arena_make(memory, BYTES);
        unsigned smooth = (unsigned)(t & 1);
        dc_cfield f;
        unsigned K = (unsigned)rng_int(&r, 1, 13);
        random_kind(&N, &r, smooth, K);
        ASSERT_EQ(DC_OK, load(&N, &mem, &f));
        ASSERT_EQ((int)smooth, f.smooth);
        for (k = 0; k < 6; ++k) {
            dc_real q[3], v = 0, lever = 0, grad[3];
            double Q[3], out[2], by[2][3], ge;
            random_pose(&N, &r, q);
            for (i = 0; i < 3; ++i) Q[i] = (double)q[i];
            plain(&N, Q, out, by);
            ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, &v, grad, &lever, NULL, NULL));
            worst_add(&d, fabs((double)v - out[0])/(smooth ? EPS : 1.2e-7), "net %ld pose %d", t, k);
            worst_add(&l, fabs((double)lever - out[1])/(smooth ? EPS : 1.2e-7), "net %ld pose %d", t, k);
            ge = relative_error(grad, by[0], 3);
            /* where a unit of max(0, z) is about to switch, float and double may choose differently */
            if (!smooth) {
                ++all;
                if (ge > 1e-4) ++odd;
                else worst_add(&flat, ge, "net %ld pose %d", t, k);
            } else worst_add(&g, ge/EPS, "net %ld pose %d", t, k);
        }
    }
    ASSERT(worst_print(&d, 200));
    ASSERT(worst_print(&l, 2000));
    ASSERT(worst_print(&g, 20000));
    ASSERT(worst_print(&flat, 1e-4));
    printf("  %d of %d gradients across a switch\n", odd, all);
    ASSERT(odd <= all/100 + 1);
    PASS();
}

/* Smooth fields are the plain ones also where r is cut off and where centres come together, and there second derivatives do not
 * jump: they change little over a part in 10^9 of a unit. */
TEST smooth_fields_are_smooth_everywhere(void)
{
    static const double edge[5] = {0.01, 0.03, 0.05, -0.2, 0.2};     /* in units, from 0 or from high */
    worst value = worst_make("value at cut-offs"), by = worst_make("gradient at cut-offs"), jump = worst_make("change of second derivatives");
    long trials = sweep_count(200), t;
    rng r;
    rng_seed(&r, 6);
    for (t = 0; t < trials; ++t) {
        static const unsigned walls[4] = {DC_CSHAPE_POLY, DC_CSHAPE_HALFPLANE, DC_CSHAPE_DISC, DC_CSHAPE_HOLE};
        dc_arena mem = dc_arena_make(memory, BYTES);
        unsigned wall = walls[t/5%4];
        dc_cfield f;
        double unit, at, angle = rng_uniform(&r, -PI, PI), H[2][12], low, Q[3], out[2], grad[2][3], big = 0;
        int side, k;
        make_net(&N, &r, wall, 0, (unsigned)rng_int(&r, 1, 4), 2, 16, 1);
        ASSERT_EQ(DC_OK, load(&N, &mem, &f));
        unit = wall == DC_CSHAPE_POLY ? fmin(N.ra, N.rb) : N.rb;
        low = wall == DC_CSHAPE_DISC ? fmax(N.ra - N.rb, 0) : wall == DC_CSHAPE_HOLE ? fmax(N.ra - 1.3*N.rb, 0) : 0;
        at = edge[t%5]*unit + (t%5 > 2 ? (wall == DC_CSHAPE_HALFPLANE ? N.rb : wall == DC_CSHAPE_HOLE ? N.ra : N.ra + N.rb) + 0.2*unit : 0);
        /* discs and holes, half-planes: the other end */
        if (t%5 < 3 && (low > 0 || wall == DC_CSHAPE_HALFPLANE)) at = low - (t%5 == 0 ? 0 : t%5 == 1 ? 0.2 : 0.4)*unit;
        if (at <= 1e-3*unit && wall != DC_CSHAPE_HALFPLANE) continue;
        for (side = 0; side < 2; ++side) {
            double rho = at + (side ? 1e-9 : -1e-9)*unit;
            dc_real q[3], d = 0, lever = 0, g[3] = {0}, h[9] = {0}, dl[3] = {0};
            q[0] = (dc_real)0.7;
            q[1] = (dc_real)(wall == DC_CSHAPE_HALFPLANE ? 0.3 : rho*cos(angle));
            q[2] = (dc_real)(wall == DC_CSHAPE_HALFPLANE ? rho : rho*sin(angle));
            ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, &d, g, &lever, h, dl));
            to_double(q, Q, 3);
            plain(&N, Q, out, grad);
            worst_add(&value, fabs((double)d - out[0])/EPS, "net %ld wall %u at %g", t, wall, at);
            worst_add(&value, fabs((double)lever - out[1])/EPS, "net %ld wall %u at %g, lever", t, wall, at);
            for (k = 0; k < 3; ++k)
                worst_add(&by, fabs((double)g[k] - grad[0][k])/(EPS*fmax(fabs(grad[0][k]), 1)), "net %ld wall %u at %g, %d", t, wall, at, k);
            to_double(h, H[side], 9);
            to_double(dl, H[side] + 9, 3);
        }
        for (k = 0; k < 12; ++k) big = fmax(big, fabs(H[0][k]));
        for (k = 0; k < 12; ++k) worst_add(&jump, fabs(H[1][k] - H[0][k])/fmax(big, 1), "net %ld wall %u at %g, %d", t, wall, at, k);
    }
    ASSERT(worst_print(&value, 400));
    ASSERT(worst_print(&by, 1000));
    if (!DC_IS_FLOAT) ASSERT(worst_print(&jump, 5e-3));
    PASS();
}

typedef struct { const dc_cfield *f; dc_arena *mem; int what; } probe;

static void field_at(const double *x, double *out, void *user)
{
    probe *p = (probe *)user;
    dc_real q[3], d = 0, lever = 0, grad[3] = {0, 0, 0};
    int k;
    for (k = 0; k < 3; ++k) q[k] = (dc_real)x[k];
    dc_cfield_eval(p->f, q, p->mem, &d, grad, &lever, NULL, NULL);
    if (p->what == 0) out[0] = (double)d;
    else if (p->what == 1) out[0] = (double)lever;
    else to_double(grad, out, 3);
}

/* Differences of the field itself in double; of the plain gradient in double in both builds */
TEST derivatives_of_smooth_fields(void)
{
    worst fd[3], order = worst_make("order of differences of the Hessian is 2, off by"), h = worst_make("Hessian, plain");
    const char *names[3] = {"gradient", "gradient of the lever", "Hessian"};
    long trials = sweep_count(60), t;
    int k, i, j;
    rng r;
    rng_seed(&r, 2);
    for (k = 0; k < 3; ++k) fd[k] = worst_make(names[k]);
    for (t = 0; t < trials; ++t) {
        dc_arena mem = dc_arena_make(memory, BYTES);
        dc_cfield f;
        dc_real q[3], v = 0, lever = 0, grad[3], hess[9], dlever[3], v2 = 0, g2[3], l2 = 0;
        double Q[3], G[3], L[3], H[9], want[9], m = 0;
        unsigned K = (unsigned)rng_int(&r, 1, 4);
        probe p;
        random_kind(&N, &r, 1, K);
        ASSERT_EQ(DC_OK, load(&N, &mem, &f));
        random_pose(&N, &r, q);
        ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, &v, grad, &lever, hess, dlever));
        /* what is not asked for does not change what is */
        ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, &v2, g2, &l2, NULL, NULL));
        worst_add(&h, fabs((double)(v - v2)) + fabs((double)(lever - l2)), "net %ld alone", t);
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) ASSERT(hess[3*i + j] == hess[3*j + i]);
        to_double(q, Q, 3);
        to_double(grad, G, 3);
        to_double(dlever, L, 3);
        to_double(hess, H, 9);
        /* columns by differences of the plain gradient, where no cut of r is near */
        for (j = 0; j < 3; ++j) {
            double a[3], b[3], out[2], up[2][3], down[2][3], e = 1e-5;
            memcpy(a, Q, sizeof a);
            memcpy(b, Q, sizeof b);
            a[j] += e;
            b[j] -= e;
            plain(&N, a, out, up);
            plain(&N, b, out, down);
            for (i = 0; i < 3; ++i) want[3*i + j] = (up[0][i] - down[0][i])/(2*e);
        }
        for (i = 0; i < 9; ++i) m = fmax(m, fabs(want[i]));
        if (m > 1e-3) worst_add(&h, relative_error(hess, want, 9), "net %ld wall %u raw %u", t, N.wall, N.raw);
        if (!DC_IS_FLOAT) {
            fd_result e;
            p.f = &f;
            p.mem = &mem;
            p.what = 0;
            e = fd_check(field_at, &p, 3, Q, 1, G, 1e-3);
            worst_add(&fd[0], e.err, "net %ld", t);
            p.what = 1;
            e = fd_check(field_at, &p, 3, Q, 1, L, 1e-3);
            worst_add(&fd[1], e.err, "net %ld", t);
            p.what = 2;
            e = fd_check(field_at, &p, 3, Q, 3, H, 1e-3);
            worst_add(&fd[2], e.err, "net %ld wall %u raw %u layers %u", t, N.wall, N.raw, N.layers);
            /* the third derivative jumps where a unit enters the rounding */
            worst_add(&order, fmax(0, 2 - e.order), "net %ld", t);
        }
    }
    ASSERT(worst_print(&h, DC_IS_FLOAT ? 1e-3 : 1e-6));
    if (!DC_IS_FLOAT) {
        for (k = 0; k < 3; ++k) ASSERT(worst_print(&fd[k], 1e-6));
        ASSERT(worst_print(&order, 1.1));
    }
    PASS();
}

TEST batches_have_the_bits_of_single_poses(void)
{
    enum { MOST = 75 };
    static dc_real q[3*MOST], d[MOST], grad[3*MOST], lever[MOST], hess[6*MOST], dlever[3*MOST], d2[MOST];
    long trials = sweep_count(24), t;
    rng r;
    rng_seed(&r, 3);
    for (t = 0; t < trials; ++t) {
        dc_arena mem = dc_arena_make(memory, BYTES), exact;
        dc_cfield f;
        dc_cfield_out out = DC_ZERO;
        unsigned smooth = (unsigned)(t & 1);
        int count = rng_int(&r, 0, MOST - 5), i, k;
        random_kind(&N, &r, smooth, 12);
        ASSERT_EQ(DC_OK, load(&N, &mem, &f));
        for (i = 0; i < count; ++i) {
            dc_real p[3];
            random_pose(&N, &r, p);
            for (k = 0; k < 3; ++k) q[k*MOST + i] = p[k];
        }
        out.d = d;
        out.grad = grad;
        out.lever = lever;
        if (smooth) {
            out.hess = hess;
            out.dlever = dlever;
        }
        /* exactly the scratch that it asks for, at the worst alignment */
        exact = dc_arena_make(memory + BYTES/2 + 1, dc_cfield_eval_bytes(&f));
        ASSERT(mem.used < BYTES/2);
        ASSERT_EQ(DC_OK, dc_cfield_eval_batch(&f, count, q, MOST, &exact, &out));
        ASSERT_EQ(0, (int)exact.used);
        exact.size -= DC_ALIGN;
        ASSERT_EQ(DC_E_MEMORY, dc_cfield_eval_batch(&f, count, q, MOST, &exact, &out));
        memset(&out, 0, sizeof out);
        out.d = d2;
        ASSERT_EQ(DC_OK, dc_cfield_eval_batch(&f, count, q, MOST, &mem, &out));
#ifdef DC_TEST_NO_CONTRACT
        ASSERT(memcmp(d, d2, (size_t)count*sizeof *d) == 0);
#endif
        for (i = 0; i < count; ++i) {
            dc_real p[3], v = 0, g[3], l = 0, H[9], dl[3];
            for (k = 0; k < 3; ++k) p[k] = q[k*MOST + i];
            ASSERT_EQ(DC_OK, dc_cfield_eval(&f, p, &mem, &v, g, &l, smooth ? H : NULL, smooth ? dl : NULL));
#ifdef DC_TEST_NO_CONTRACT
            static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
            ASSERT(v == d[i] && l == lever[i]);
            for (k = 0; k < 3; ++k) ASSERT(g[k] == grad[k*MOST + i]);
            for (k = 0; k < 9 && smooth; ++k) ASSERT(H[k] == hess[at[k]*MOST + i]);
            for (k = 0; k < 3 && smooth; ++k) ASSERT(dl[k] == dlever[k*MOST + i]);
#endif
            ASSERT(fabs((double)(v - d[i])) <= 1e-3 && fabs((double)(l - lever[i])) <= 1e-3);
        }
    }
    PASS();
}

TEST poses_are_angles_and_places(void)
{
    rng r;
    int t, k;
    worst turn = worst_make("a turn later"), far = worst_make("slope far away");
    rng_seed(&r, 4);
    for (t = 0; t < 40; ++t) {
        dc_arena mem = dc_arena_make(memory, BYTES);
        dc_cfield f;
        dc_real q[3], d = 0, d2 = 0, l = 0, g[3], big = DC_LIMIT;
        double s, want;
        random_kind(&N, &r, (unsigned)(t & 1), 4);
        ASSERT_EQ(DC_OK, load(&N, &mem, &f));
        random_pose(&N, &r, q);
        ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, &d, NULL, NULL, NULL, NULL));
        q[0] += (dc_real)(2*PI);
        ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, &d2, NULL, NULL, NULL, NULL));
        worst_add(&turn, fabs((double)(d - d2)), "net %d", t);
        /* -pi and pi are the same bits */
        q[0] = (dc_real)PI;
        dc_cfield_eval(&f, q, &mem, &d, NULL, NULL, NULL, NULL);
        q[0] = -(dc_real)PI;
        dc_cfield_eval(&f, q, &mem, &d2, NULL, NULL, NULL, NULL);
        if (N.raw) ASSERT(d == d2);
        /* far away, and where the origins coincide, everything is finite */
        for (k = 0; k < 8; ++k) {
            q[0] = k & 4 ? big : DC_R(1);
            q[1] = k & 1 ? -big : DC_R(0);
            q[2] = k & 2 ? big : DC_R(0);
            ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, &d, g, &l, NULL, NULL));
            ASSERT(dc_finite(d) && dc_finite(l) && dc_finite(g[0]) && dc_finite(g[1]) && dc_finite(g[2]));
        }
        /* and d grows with slope 1; of a hole it falls */
        for (k = 0; k < 2; ++k) {
            q[0] = DC_R(0.5);
            q[1] = N.wall == DC_CSHAPE_HALFPLANE ? DC_R(0) : (dc_real)(0.6*(k + 1)*1000);
            q[2] = (dc_real)((N.wall == DC_CSHAPE_HALFPLANE ? 1 : 0.8)*(k + 1)*1000);
            ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, k ? &d2 : &d, g, NULL, NULL, NULL));
        }
        want = N.wall == DC_CSHAPE_HOLE ? -1 : 1;
        s = fabs((double)(d2 - d)/1000 - want) + fabs((double)(g[1]*q[1] + g[2]*q[2])/2000 - want);
        worst_add(&far, s, "net %d wall %u raw %u", t, N.wall, N.raw);
    }
    ASSERT(worst_print(&turn, DC_IS_FLOAT ? 1e-4 : 1e-5));
    ASSERT(worst_print(&far, DC_IS_FLOAT ? 1e-3 : 1e-5));
    PASS();
}

/* ---- bytes ---------------------------------------------------------------------------------------- */

static int refused(size_t size)
{
    dc_arena mem = dc_arena_make(memory, BYTES);
    dc_cfield f, before;
    memset(&f, 5, sizeof f);
    before = f;
    return dc_cfield_load(saved, size, &mem, &f) == DC_E_ARG && dc_cfield_load_bytes(saved, size) == 0 && mem.used == 0
        && memcmp(&f, &before, sizeof f) == 0;
}

static int refused_turned(size_t size, size_t bit)
{
    int ok;
    saved[bit/8] ^= (unsigned char)(1 << bit%8);
    ok = refused(size);
    saved[bit/8] ^= (unsigned char)(1 << bit%8);
    return ok;
}

TEST saved_fields_come_back(void)
{
    rng r;
    int t;
    rng_seed(&r, 5);
    for (t = 0; t < 20; ++t) {
        dc_arena mem = dc_arena_make(memory, BYTES), exact;
        dc_cfield f, g;
        dc_real q[3], d = 0, d2 = 1;
        size_t size, need;
        random_kind(&N, &r, (unsigned)(t & 1), 12);
        size = write_net(&N, saved);
        need = dc_cfield_load_bytes(saved, size);
        exact = dc_arena_make(memory + 1, need);
        ASSERT_EQ(DC_OK, dc_cfield_load(saved, size, &exact, &f));
        ASSERT_EQ(size, dc_cfield_save_bytes(&f));
        ASSERT_EQ(DC_OK, dc_cfield_save(&f, again, size));
        ASSERT(memcmp(saved, again, size) == 0);
        ASSERT_EQ(DC_E_ARG, dc_cfield_save(&f, again, size - 1));
        ASSERT_EQ(DC_E_ARG, dc_cfield_save(&f, NULL, size));
        mem = dc_arena_make(memory + BYTES/2, BYTES/2);
        ASSERT_EQ(DC_OK, dc_cfield_load(again, size, &mem, &g));
        random_pose(&N, &r, q);
        ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, &d, NULL, NULL, NULL, NULL));
        ASSERT_EQ(DC_OK, dc_cfield_eval(&g, q, &mem, &d2, NULL, NULL, NULL, NULL));
        ASSERT(d == d2);
        exact = dc_arena_make(memory + 1, need - DC_ALIGN);
        ASSERT_EQ(DC_E_MEMORY, dc_cfield_load(saved, size, &exact, &f));
        ASSERT_EQ(0, (int)exact.used);
    }
    make_net(&N, &r, DC_CSHAPE_POLY, 0, 12, 3, 32, 0);
    printf("  3 x 32 units, 12 harmonics: %d bytes\n", (int)write_net(&N, saved));
    ASSERT(write_net(&N, saved) < 20000);
    PASS();
}

TEST malformed_bytes_are_refused(void)
{
    static const unsigned bad[][3] = {      /* offset of a number in the head, bytes, a value that is out of range */
        {8, 4, 0}, {8, 4, 2}, {12, 4, 4}, {12, 4, 0xffffffffu}, {16, 4, 2}, {20, 4, 0}, {20, 4, 33}, {24, 4, 0}, {24, 4, 9}, {28, 4, 0},
        {28, 4, 4}, {28, 4, 12}, {28, 4, 136}, {32, 4, 2}, {20, 4, 5}, {24, 4, 3}, {28, 4, 24}, {16, 4, 1}, {12, 4, 1}, {20, 4, 0x80000000u}};
    static const double radius[] = {0, -1, 1e300, 1e-300, 2000, HUGE_VAL, -HUGE_VAL};
    static net small;
    size_t size, k;
    rng r;
    dc_arena mem = dc_arena_make(memory, BYTES);
    dc_cfield f;
    rng_seed(&r, 6);
    make_net(&N, &r, DC_CSHAPE_POLY, 0, 4, 2, 16, 0);
    size = write_net(&N, saved);
    ASSERT_EQ(DC_OK, dc_cfield_load(saved, size, &mem, &f));
    /* cut short, or too long */
    for (k = 0; k < size; ++k) ASSERT(refused(k));
    ASSERT(refused(size + 1));
    ASSERT(refused(size + 4));
    /* a bit turned: some of this file's, every one of a smaller file's */
    for (k = 0; k < 8*size; k += 37) ASSERT(refused_turned(size, k));
    make_net(&small, &r, DC_CSHAPE_POLY, 0, 1, 1, 8, 0);
    size = write_net(&small, saved);
    ASSERT_EQ(DC_OK, dc_cfield_load(saved, size, &mem, &f));
    for (k = 0; k < 8*size; ++k) ASSERT(refused_turned(size, k));
    size = write_net(&N, saved);
    /* numbers out of range, with a sum that is right */
    for (k = 0; k < sizeof bad/sizeof *bad; ++k) {
        write_net(&N, saved);
        put(saved + bad[k][0], (int)bad[k][1], bad[k][2]);
        put_sum(saved, size);
        ASSERT(refused(size));
    }
    for (k = 0; k < sizeof radius/sizeof *radius + 1; ++k) {
        uint64_t b = UINT64_C(0x7ff8000000000000);
        if (k > 0) memcpy(&b, &radius[k - 1], 8);
        write_net(&N, saved);
        put(saved + 44, 8, b);
        put_sum(saved, size);
        ASSERT(refused(size));
    }
    for (k = 0; k < 3; ++k) {
        write_net(&N, saved);
        put(saved + 52 + 4*7, 4, k == 0 ? 0x7f800000u : k == 1 ? 0xff800000u : 0x7fc00000u);
        put_sum(saved, size);
        ASSERT(refused(size));
    }
    /* all that belongs to a width that is none */
    make_net(&N, &r, DC_CSHAPE_POLY, 0, 4, 2, 12, 0);
    ASSERT(refused(write_net(&N, saved)));
    make_net(&N, &r, DC_CSHAPE_POLY, 0, 4, 2, 16, 0);
    write_net(&N, saved);
    ASSERT_EQ(DC_E_ARG, dc_cfield_load(NULL, size, &mem, &f));
    ASSERT_EQ(DC_E_ARG, dc_cfield_load(saved, size, NULL, &f));
    ASSERT_EQ(DC_E_ARG, dc_cfield_load(saved, size, &mem, NULL));
    PASS();
}

/* finite weights whose products do not fit */
TEST results_that_do_not_fit(void)
{
    rng r;
    int k;
    unsigned smooth;
    rng_seed(&r, 7);
    for (smooth = 0; smooth < 2; ++smooth) {
        dc_arena mem = dc_arena_make(memory, BYTES);
        dc_cfield f;
        dc_real q[3] = {0, 1, 1}, d = 0, g[3];
        make_net(&N, &r, DC_CSHAPE_POLY, 0, 4, 8, 16, smooth);
        for (k = 0; k < N.count; ++k) N.w[k] = 3e38;
        ASSERT_EQ(DC_OK, load(&N, &mem, &f));
        /* nine factors of 3e38 */
        ASSERT_EQ(DC_E_RANGE, dc_cfield_eval(&f, q, &mem, &d, g, NULL, NULL, NULL));
    }
    PASS();
}

/* ---- training ------------------------------------------------------------------------------------- */

static const dc_v2 block[4] = {{DC_R(-0.8), DC_R(-0.6)}, {DC_R(0.8), DC_R(-0.6)}, {DC_R(0.8), DC_R(0.6)}, {DC_R(-0.8), DC_R(0.6)}};

static dc_status exact_field(dc_cshape_kind kind, dc_arena *mem, dc_cfield *f)
{
    dc_cshape a = DC_ZERO;
    dc_poly b;
    b.v = block;
    b.n = 4;
    a.kind = kind;
    a.poly = b;
    a.radius = 3;
    return dc_cfield_exact(NULL, &a, &b, mem, f);
}

static dc_cfield_train_options small(void)
{
    dc_cfield_train_options o = DC_ZERO;
    o.harmonics = 4;
    o.layers = 2;
    o.width = 16;
    o.samples = 1000;
    o.epochs = 4;
    o.batch = 64;
    o.seed = 9;
    return o;
}

typedef struct { int calls, after; } stopper;

static int stop_after(const dc_cfield_train_info *info, void *user)
{
    stopper *s = (stopper *)user;
    (void)info;
    return ++s->calls == s->after;
}

static size_t trained_bytes(const void *state, unsigned char *out)
{
    dc_arena mem = dc_arena_make(memory + BYTES/2, BYTES/2);
    dc_cfield f;
    size_t size;
    if (dc_cfield_learned(state, &mem, &f) != DC_OK) return 0;
    size = dc_cfield_save_bytes(&f);
    return dc_cfield_save(&f, out, size) == DC_OK ? size : 0;
}

/* the state is a block of bytes: stopped, copied elsewhere and continued it gives the bits of a training in one go */
TEST training_goes_on_where_it_stopped(void)
{
    dc_arena mem = dc_arena_make(memory, BYTES/2);
    dc_cfield_train_options o = small();
    dc_cfield_train_info info, info2;
    size_t bytes = dc_cfield_train_bytes(&o), size;
    unsigned char *one = (unsigned char *)malloc(bytes), *two = (unsigned char *)malloc(bytes);
    stopper s;
    dc_cfield f;
    int rounds = 0;
    ASSERT(one && two);
    ASSERT_EQ(DC_OK, exact_field(DC_CSHAPE_POLY, &mem, &f));
    ASSERT_EQ(DC_OK, dc_cfield_train_start(&o, &f, one));
    ASSERT_EQ(DC_E_ARG, dc_cfield_learned(one, &mem, &f));
    memcpy(two, one, bytes);
    s.calls = 0;
    s.after = -1;
    ASSERT_EQ(DC_OK, dc_cfield_train(&f, one, &mem, stop_after, &s, &info));
    ASSERT(info.done && info.epochs == 4 && info.samples == 1100);
    ASSERT_EQ(1 + 4, s.calls);
    info2.done = 0;
    while (!info2.done && rounds < 100) {
        unsigned char *copy = (unsigned char *)malloc(bytes);
        ASSERT(copy);
        memcpy(copy, two, bytes);
        free(two);
        two = copy;
        s.calls = 0;
        s.after = 1;
        ASSERT_EQ(DC_OK, dc_cfield_train(&f, two, &mem, stop_after, &s, &info2));
        ++rounds;
    }
    ASSERT_EQ(1 + 4, rounds);
    ASSERT(memcmp(&info.rmse, &info2.rmse, sizeof info.rmse) == 0);
    size = trained_bytes(one, saved);
    ASSERT(size > 0);
    ASSERT_EQ(size, trained_bytes(two, again));
    ASSERT(memcmp(saved, again, size) == 0);
    /* done is done */
    ASSERT_EQ(DC_OK, dc_cfield_train(&f, two, &mem, NULL, NULL, NULL));
    trained_bytes(two, again);
    ASSERT(memcmp(saved, again, size) == 0);
    /* another seed, another field */
    o.seed = 10;
    ASSERT_EQ(DC_OK, dc_cfield_train_start(&o, &f, two));
    ASSERT_EQ(DC_OK, dc_cfield_train(&f, two, &mem, NULL, NULL, NULL));
    trained_bytes(two, again);
    ASSERT(memcmp(saved, again, size) != 0);
    free(one);
    free(two);
    PASS();
}

TEST enough_is_enough(void)
{
    dc_arena mem = dc_arena_make(memory, BYTES/2);
    dc_cfield_train_options o = small();
    dc_cfield_train_info info;
    dc_cfield f;
    void *state = malloc(dc_cfield_train_bytes(&o));
    ASSERT(state);
    o.enough = DC_R(0.5);
    ASSERT_EQ(DC_OK, exact_field(DC_CSHAPE_HALFPLANE, &mem, &f));
    ASSERT_EQ(DC_OK, dc_cfield_train_start(&o, &f, state));
    ASSERT_EQ(DC_OK, dc_cfield_train(&f, state, &mem, NULL, NULL, &info));
    ASSERT(info.done && info.epochs == 1);
    ASSERT((double)info.rmse <= 0.5);
    free(state);
    PASS();
}

/* bits of a trained field, of every compiler */
TEST golden_bits(void)
{
#ifdef DC_TEST_NO_CONTRACT
    static const uint64_t want[2] = {DC_IS_FLOAT ? UINT64_C(0x7ee621068482a21e) : UINT64_C(0xf9aba050f8dfeee0),
                                     DC_IS_FLOAT ? UINT64_C(0xba72a5df888a4b11) : UINT64_C(0x34c38fffe77f97fa)};
    uint64_t got[2];
    int smooth;
    for (smooth = 0; smooth < 2; ++smooth) {
        dc_arena mem = dc_arena_make(memory, BYTES/2);
        dc_cfield_train_options o = small();
        dc_cfield f;
        void *state = malloc(dc_cfield_train_bytes(&o));
        size_t size;
        ASSERT(state);
        o.smooth = smooth;
        ASSERT_EQ(DC_OK, exact_field(DC_CSHAPE_HALFPLANE, &mem, &f));
        ASSERT_EQ(DC_OK, dc_cfield_train_start(&o, &f, state));
        ASSERT_EQ(DC_OK, dc_cfield_train(&f, state, &mem, NULL, NULL, NULL));
        size = trained_bytes(state, saved);
        free(state);
        got[smooth] = fnv(saved, size);
    }
    if (got[0] != want[0] || got[1] != want[1])
        printf("  0x%016llx, 0x%016llx\n", (unsigned long long)got[0], (unsigned long long)got[1]);
    ASSERT(got[0] == want[0] && got[1] == want[1]);
    PASS();
#else
    SKIPm("built with contraction");
#endif
}

/* Error of a learned field against the exact one on poses of its own: near the surface root mean square and wrong signs */
TEST walls_are_learned(void)
{
    static const dc_cshape_kind kinds[3] = {DC_CSHAPE_HALFPLANE, DC_CSHAPE_DISC, DC_CSHAPE_HOLE};
    static const char *names[3] = {"half-plane", "disc", "hole"};
    int k, i, smooth, most = (int)sweep_count(3);
    rng r;
    rng_seed(&r, 8);
    for (k = 0; k < 3 && k < most; ++k) {
        dc_arena mem = dc_arena_make(memory, BYTES/2), own = dc_arena_make(memory + BYTES/2, BYTES/2);
        dc_cfield_train_options o = small();
        dc_cfield_train_info info;
        dc_cfield f, g;
        void *state;
        double sum = 0, levers = 0, slope = 0;
        int near = 0, wrong = 0;
        smooth = k == 1;
        o.smooth = smooth;
        o.harmonics = 8;
        o.samples = 2000;
        o.epochs = 60;
        state = malloc(dc_cfield_train_bytes(&o));
        ASSERT(state);
        ASSERT_EQ(DC_OK, exact_field(kinds[k], &mem, &f));
        ASSERT_EQ(DC_OK, dc_cfield_train_start(&o, &f, state));
        ASSERT_EQ(DC_OK, dc_cfield_train(&f, state, &mem, NULL, NULL, &info));
        /* exactly the memory it asks for is enough */
        own.size = dc_cfield_learned_bytes(&o);
        ASSERT_EQ(DC_OK, dc_cfield_learned(state, &own, &g));
        free(state);
        for (i = 0; i < 4000; ++i) {
            dc_real q[3], d = 0, l = 0, d2 = 0, l2 = 0, grad[3];
            double a = rng_uniform(&r, -PI, PI), reach = kinds[k] == DC_CSHAPE_HALFPLANE ? 0 : 3, lo = kinds[k] == DC_CSHAPE_HOLE ? -1 : 0.5;
            double rho = rng_uniform(&r, reach + lo, reach + lo + 1);
            q[0] = (dc_real)rng_uniform(&r, -PI, PI);
            q[1] = (dc_real)(kinds[k] == DC_CSHAPE_HALFPLANE ? a : rho*cos(a));
            q[2] = (dc_real)(kinds[k] == DC_CSHAPE_HALFPLANE ? rho : rho*sin(a));
            ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, &d, NULL, &l, NULL, NULL));
            if (fabs((double)d) >= 0.1) continue;
            ASSERT_EQ(DC_OK, dc_cfield_eval(&g, q, &mem, &d2, grad, &l2, NULL, NULL));
            ++near;
            sum += (double)((d - d2)*(d - d2));
            levers += (double)((l - l2)*(l - l2));
            wrong += (d < 0) != (d2 < 0);
            slope += sqrt((double)(grad[1]*grad[1] + grad[2]*grad[2]));
        }
        printf("  %s%s: rmse %.4f of %d poses, %.1f %% wrong sign, lever %.4f, mean slope %.3f; held out %.4f, %.1f %%, %.4f\n", names[k],
               smooth ? ", smooth" : "", sqrt(sum/near), near, 100.0*wrong/near, sqrt(levers/near), slope/near, (double)info.rmse,
               100*(double)info.wrong, (double)info.lever);
        ASSERT(near > 300);
        ASSERT(sqrt(sum/near) <= 0.012);
        ASSERT(fabs(sqrt(sum/near)/(double)info.rmse - 1) <= 0.3);
        ASSERT(fabs((double)wrong/(double)near - (double)info.wrong) <= 0.05);
        ASSERT(wrong*20 <= near);
        ASSERT(sqrt(levers/near) <= 0.06 && (double)info.lever <= 0.06);       /* of arms up to 3 */
        ASSERT(fabs(slope/near - 1) <= 0.1);
    }
    PASS();
}

TEST hostile_options(void)
{
    dc_arena mem = dc_arena_make(memory, BYTES/2), none = dc_arena_make(NULL, 0);
    dc_cfield_train_options o;
    dc_cfield f, g;
    unsigned char *state;
    size_t bytes;
    int k;
    ASSERT_EQ(DC_OK, exact_field(DC_CSHAPE_HALFPLANE, &mem, &f));
    o = small();
    bytes = dc_cfield_train_bytes(&o);
    state = (unsigned char *)malloc(bytes);
    ASSERT(state);
    for (k = 0; k < 20; ++k) {
        o = small();
        switch (k) {
        case 0: o.harmonics = 33; break;
        case 1: o.harmonics = -1; break;
        case 2: o.layers = 9; break;
        case 3: o.layers = -1; break;
        case 4: o.width = 4; break;
        case 5: o.width = 12; break;
        case 6: o.width = 136; break;
        case 7: o.samples = 999; break;
        case 8: o.samples = -5; break;
        case 9: o.samples = 10000001; break;
        case 10: o.epochs = -1; break;
        case 11: o.epochs = 1000001; break;
        case 12: o.batch = 16; break;
        case 13: o.batch = 100; break;
        case 14: o.batch = 1024; break;             /* more than samples */
        case 15: o.rate = -1; break;
        case 16: o.rate = (dc_real)HUGE_VAL; break;
        case 17: o.rate = (dc_real)(HUGE_VAL - HUGE_VAL); break;
        case 18: o.enough = -1; break;
        default: o.enough = (dc_real)(HUGE_VAL - HUGE_VAL); break;
        }
        ASSERT_EQ(0, (int)dc_cfield_train_bytes(&o));
        ASSERT_EQ(0, (int)dc_cfield_learned_bytes(&o));
        ASSERT_EQ(DC_E_ARG, dc_cfield_train_start(&o, &f, state));
    }
    o = small();
    memset(state, 0, bytes);
    ASSERT_EQ(DC_E_ARG, dc_cfield_train(&f, state, &mem, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_learned(state, &mem, &g));
    ASSERT_EQ(DC_E_ARG, dc_cfield_train_start(&o, NULL, state));
    ASSERT_EQ(DC_E_ARG, dc_cfield_train_start(&o, &f, NULL));
    ASSERT_EQ(DC_OK, dc_cfield_train_start(&o, &f, state));
    ASSERT_EQ(DC_E_ARG, dc_cfield_train(NULL, state, &mem, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_train(&f, NULL, &mem, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_train(&f, state, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_MEMORY, dc_cfield_train(&f, state, &none, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_learned(NULL, &mem, &g));
    /* a rate that blows up: an answer, or a status; never a field that is not finite */
    o.rate = 1;
    o.epochs = 30;
    ASSERT_EQ(DC_OK, dc_cfield_train_start(&o, &f, state));
    k = (int)dc_cfield_train(&f, state, &mem, NULL, NULL, NULL);
    ASSERT(k == DC_OK || k == DC_E_DIVERGED);
    /* a learned field is not learned from */
    o = small();
    o.epochs = 1;
    ASSERT_EQ(DC_OK, dc_cfield_train_start(&o, &f, state));
    ASSERT_EQ(DC_OK, dc_cfield_train(&f, state, &mem, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_MEMORY, dc_cfield_learned(state, &none, &g));
    ASSERT_EQ(DC_OK, dc_cfield_learned(state, &mem, &g));
    ASSERT_EQ(DC_E_ARG, dc_cfield_train_start(&o, &g, state));
    ASSERT_EQ(DC_E_ARG, dc_cfield_train(&g, state, &mem, NULL, NULL, NULL));
    ASSERT_EQ(0, (int)dc_cfield_save_bytes(&f));
    ASSERT_EQ(0, (int)dc_cfield_save_bytes(NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_save(&f, saved, 0));
    {
        /* and a field of max(0, z) has no second derivatives */
        dc_real q[3] = {0, 0, DC_R(0.7)}, h[9], d = 7;
        ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&g, q, &mem, &d, NULL, NULL, h, NULL));
        ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&g, q, &mem, &d, NULL, NULL, NULL, h));
        q[1] = (dc_real)(HUGE_VAL - HUGE_VAL);
        ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&g, q, &mem, &d, NULL, NULL, NULL, NULL));
        ASSERT(d == 7);
        q[1] = 0;
        ASSERT_EQ(DC_E_MEMORY, dc_cfield_eval(&g, q, &none, &d, NULL, NULL, NULL, NULL));
    }
    free(state);
    PASS();
}

GREATEST_MAIN_DEFS();
int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(values_and_gradients);
    RUN_TEST(smooth_fields_are_smooth_everywhere);
    RUN_TEST(derivatives_of_smooth_fields);
    RUN_TEST(batches_have_the_bits_of_single_poses);
    RUN_TEST(poses_are_angles_and_places);
    RUN_TEST(saved_fields_come_back);
    RUN_TEST(malformed_bytes_are_refused);
    RUN_TEST(results_that_do_not_fit);
    RUN_TEST(training_goes_on_where_it_stopped);
    RUN_TEST(enough_is_enough);
    RUN_TEST(golden_bits);
    RUN_TEST(walls_are_learned);
    RUN_TEST(hostile_options);
    GREATEST_MAIN_END();
}
