/* Pair potentials: triangle batches beside a plain four-variable Newton, derivatives, warm starts, friction. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include "support.h"

#define N 1024

static unsigned char memory[1 << 17];

typedef struct {
    dc_v3 v[N][6];
    dc_real x[18*N], plane[4*N], start[4*N], value[N], grad[18*N], relative[27*N];
    double check;
} triangles;

static triangles cold_set, warm_set;

/* Random triangles moved along their shortest way to the gap. */
static void make(triangles *t, double gap)
{
    rng r;
    int i, k;
    rng_seed(&r, 7);
    for (i = 0; i < N; ++i)
        for (;;) {
            dc_v3 *v = t->v[i];
            dc_hull a = DC_ZERO, b = DC_ZERO;
            dc_distance d = DC_ZERO, e = DC_ZERO;
            for (k = 0; k < 6; ++k)
                v[k] = dc_vec((dc_real)(rng_uniform(&r, -1, 1) + (k < 3 ? 2.5 : 0)), (dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1));
            a.v = v;
            b.v = v + 3;
            a.n = b.n = 3;
            if (dc_hull_distance(&a, NULL, &b, NULL, NULL, &d) != DC_OK) continue;
            for (k = 0; k < 3; ++k) v[k] = dc_madd(v[k], (dc_real)gap - d.gap, d.n);
            if (dc_hull_distance(&a, NULL, &b, NULL, NULL, &e) != DC_OK || dc_abs(e.gap/(dc_real)gap - 1) > DC_R(0.01)) continue;
            for (k = 0; k < 6; ++k) {
                t->x[3*k*N + i] = v[k].x;
                t->x[(3*k + 1)*N + i] = v[k].y;
                t->x[(3*k + 2)*N + i] = v[k].z;
            }
            break;
        }
    memset(t->plane, 0, sizeof t->plane);
    memset(t->start, 0, sizeof t->start);
}

/* ---- the baseline: minimise 12/(1-|n|) + sum 1/a over (n, d), Cholesky, Armijo, as the paper writes it ---- */

static dc_real objective(const dc_v3 *v, dc_v3 n, dc_real d)
{
    dc_real r = dc_sqrt(dc_dot(n, n)), f = 0;
    int k;
    if (!(r < 1)) return -1;
    for (k = 0; k < 6; ++k) {
        dc_real a = dc_dot(v[k], n) + d;
        if (k >= 3) a = -a;
        if (!(a > 0)) return -1;
        f += 1/a;
    }
    return f + 12/(1 - r);
}

static void try_axis(const dc_v3 *v, dc_v3 m, dc_real *best, dc_v3 *n, dc_real *d)
{
    dc_real len2 = dc_dot(m, m), len, lo, hi;
    int s;
    if (!(len2 > DC_EPS*DC_EPS)) return;
    len = dc_sqrt(len2);
    m = dc_scale(1/len, m);
    for (s = 0; s < 2; ++s, m = dc_neg(m)) {
        lo = dc_min(dc_dot(v[0], m), dc_min(dc_dot(v[1], m), dc_dot(v[2], m)));
        hi = dc_max(dc_dot(v[3], m), dc_max(dc_dot(v[4], m), dc_dot(v[5], m)));
        if (lo - hi > *best) {
            *best = lo - hi;
            *n = dc_scale(DC_R(0.5), m);
            *d = DC_R(-0.25)*(lo + hi);
        }
    }
}

static dc_real baseline(const dc_v3 *v)
{
    dc_real best = 0, d = 0, f;
    dc_v3 n = dc_vec(0, 0, 0), e[6], na, nb;
    int i, j, k, it;
    try_axis(v, dc_sub(dc_add(v[0], dc_add(v[1], v[2])), dc_add(v[3], dc_add(v[4], v[5]))), &best, &n, &d);
    if (!(best > 0)) {
        for (i = 0; i < 3; ++i) {
            e[i] = dc_sub(v[(i + 1)%3], v[i]);
            e[3 + i] = dc_sub(v[3 + (i + 1)%3], v[3 + i]);
        }
        na = dc_cross(e[0], e[1]);
        nb = dc_cross(e[3], e[4]);
        try_axis(v, na, &best, &n, &d);
        try_axis(v, nb, &best, &n, &d);
        for (i = 0; i < 3; ++i) {
            for (j = 3; j < 6; ++j) try_axis(v, dc_cross(e[i], e[j]), &best, &n, &d);
            try_axis(v, dc_cross(na, e[i]), &best, &n, &d);
            try_axis(v, dc_cross(nb, e[3 + i]), &best, &n, &d);
        }
    }
    f = objective(v, n, d);
    for (it = 0; it < 60; ++it) {
        dc_real H[16], g[4] = {0, 0, 0, 0}, s[4], r = dc_sqrt(dc_dot(n, n)), q = 1/(1 - r), R1 = 12*q*q, R2 = 24*q*q*q, dec2 = 0, t = 1, ft;
        const dc_real u[3] = {n.x/r, n.y/r, n.z/r};
        for (i = 0; i < 16; ++i) H[i] = 0;
        for (i = 0; i < 3; ++i) {
            g[i] = R1*u[i];
            for (j = 0; j < 3; ++j) H[4*i + j] = R2*u[i]*u[j] + R1/r*((i == j ? 1 : 0) - u[i]*u[j]);
        }
        for (k = 0; k < 6; ++k) {
            const dc_real y[4] = {v[k].x, v[k].y, v[k].z, 1};
            dc_real z = dc_dot(v[k], n) + d, a = k < 3 ? z : -z, w = 1/a, h1 = k < 3 ? -w*w : w*w, h2 = 2*w*w*w;
            for (i = 0; i < 4; ++i) {
                g[i] += h1*y[i];
                for (j = 0; j <= i; ++j) H[4*i + j] += h2*y[i]*y[j];
            }
        }
        for (i = 0; i < 4; ++i)
            for (j = 0; j <= i; ++j) {
                dc_real x = H[4*i + j];
                for (k = 0; k < j; ++k) x -= H[4*i + k]*H[4*j + k];
                H[4*i + j] = i == j ? dc_sqrt(x) : x/H[5*j];
            }
        for (i = 0; i < 4; ++i) {
            s[i] = -g[i];
            for (k = 0; k < i; ++k) s[i] -= H[4*i + k]*s[k];
            s[i] /= H[5*i];
            dec2 += s[i]*s[i];
        }
        for (i = 3; i >= 0; --i) {
            for (k = i + 1; k < 4; ++k) s[i] -= H[4*k + i]*s[k];
            s[i] /= H[5*i];
        }
        for (k = 0; k < 40; ++k, t *= DC_R(0.5)) {
            ft = objective(v, dc_madd(n, t, dc_vec(s[0], s[1], s[2])), d + t*s[3]);
            if (ft >= 0 && (ft <= f - DC_R(1e-4)*t*dec2 || dec2 < DC_R(1e-9)*f)) break;
        }
        n = dc_madd(n, t, dc_vec(s[0], s[1], s[2]));
        d += t*s[3];
        f = ft;
        if (!(dec2 > DC_R(0.25)*DC_EPS*f)) break;
    }
    return f;
}

static void run_baseline(void *user)
{
    triangles *t = (triangles *)user;
    double sum = 0;
    int i;
    for (i = 0; i < N; ++i) {
        t->value[i] = baseline(t->v[i]);
        sum += (double)t->value[i];
    }
    bench_keep(sum);
}

static void batch(triangles *t, int derivatives)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_tri_out o = DC_ZERO;
    memcpy(t->plane, t->start, sizeof t->plane);
    o.plane = t->plane;
    o.value = t->value;
    if (derivatives) o.relative = t->relative;
    bench_keep((double)dc_tri_batch(NULL, N, t->x, N, &mem, &o));
}
static void run_batch(void *user) { batch((triangles *)user, 0); }
static void run_batch_derivatives(void *user) { batch((triangles *)user, 1); }

static void pairs(triangles *t, int derivatives)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_real g[12], H[144];
    double sum = 0;
    int i;
    for (i = 0; i < N; ++i) {
        dc_hull a = DC_ZERO, b = DC_ZERO;
        a.v = t->v[i];
        b.v = t->v[i] + 3;
        a.n = b.n = 3;
        dc_pair_rigid(NULL, &a, NULL, &b, NULL, &mem, NULL, &t->value[i], derivatives ? g : NULL, derivatives ? H : NULL, NULL);
        sum += (double)t->value[i] + (derivatives ? (double)H[5] : 0);
    }
    bench_keep(sum);
}
static void run_pairs(void *user) { pairs((triangles *)user, 0); }
static void run_pairs_derivatives(void *user) { pairs((triangles *)user, 1); }

/* ---- hulls, local potential ---- */

#define HULLS 64
#define MOST 96

typedef struct { int n, warm; dc_v3 v[HULLS][2*MOST]; dc_plane plane[HULLS]; double gap; } hulls;

static void make_hulls(hulls *h, int n, double gap)
{
    rng r;
    int i, k;
    rng_seed(&r, 11);
    h->n = n;
    h->gap = gap;
    for (i = 0; i < HULLS; ++i) {
        dc_hull a = DC_ZERO, b = DC_ZERO;
        dc_distance d = DC_ZERO;
        for (k = 0; k < 2*n; ++k) {
            double u[3];
            rng_unit3(&r, u);
            h->v[i][k] = dc_vec((dc_real)(0.5*u[0] + (k < n ? 1.5 : 0)), (dc_real)(0.5*u[1]), (dc_real)(0.5*u[2]));
        }
        a.v = h->v[i];
        b.v = h->v[i] + n;
        a.n = b.n = n;
        dc_hull_distance(&a, NULL, &b, NULL, NULL, &d);
        for (k = 0; k < n; ++k) h->v[i][k] = dc_madd(h->v[i][k], (dc_real)gap - d.gap, d.n);
        memset(&h->plane[i], 0, sizeof h->plane[i]);
    }
}

static void run_hulls(void *user)
{
    hulls *h = (hulls *)user;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_pair_options o = DC_ZERO;
    dc_real value, g[12], H[144];
    double sum = 0;
    int i;
    o.barrier = DC_LOCAL;
    for (i = 0; i < HULLS; ++i) {
        dc_plane p = h->plane[i];
        dc_hull a = DC_ZERO, b = DC_ZERO;
        a.v = h->v[i];
        b.v = h->v[i] + h->n;
        a.n = b.n = h->n;
        dc_pair_rigid(&o, &a, NULL, &b, NULL, &mem, &p, &value, g, H, NULL);
        sum += (double)H[7];
    }
    bench_keep(sum);
}

/* planes of the hulls, which then move by 2 % of the gap in a random direction */
static void warm_hulls(hulls *h)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_pair_options o = DC_ZERO;
    int i, k;
    rng r;
    rng_seed(&r, 5);
    o.barrier = DC_LOCAL;
    for (i = 0; i < HULLS; ++i) {
        dc_real value;
        dc_hull a = DC_ZERO, b = DC_ZERO;
        double u[3];
        rng_unit3(&r, u);
        a.v = h->v[i];
        b.v = h->v[i] + h->n;
        a.n = b.n = h->n;
        dc_pair(&o, &a, &b, &mem, &h->plane[i], &value, NULL, NULL, NULL);
        for (k = 0; k < h->n; ++k) h->v[i][k] = dc_madd(h->v[i][k], DC_R(0.02)*(dc_real)h->gap, dc_vec((dc_real)u[0], (dc_real)u[1], (dc_real)u[2]));
    }
}

int main(int argc, char **argv)
{
    static const double gaps[] = {1e-4, 1e-3, 1e-2, 1e-1, 1};
    static const char *name[] = {"tri_gap_1e-4", "tri_gap_1e-3", "tri_gap_1e-2", "tri_gap_1e-1", "tri_gap_1"};
    static const char *wname[] = {"tri_warm_gap_1e-4", "tri_warm_gap_1e-3", "tri_warm_gap_1e-2", "tri_warm_gap_1e-1", "tri_warm_gap_1"};
    static const char *dname[] = {"tri_rigid_gap_1e-4", "tri_rigid_gap_1e-3", "tri_rigid_gap_1e-2", "tri_rigid_gap_1e-1", "tri_rigid_gap_1"};
    static const int sizes[] = {8, 32, 96};
    static const char *hname[] = {"hull_local_8_gap_0.01", "hull_local_32_gap_0.01", "hull_local_96_gap_0.01"};
    static hulls cold_hulls, moved_hulls;
    bench_group g;
    int i;
    size_t k, j;
    rng r;
    bench_begin(argc, argv);
    for (i = 0; i < 5; ++i) {
        make(&cold_set, gaps[i]);
        bench_open(&g, name[i]);
        bench_add(&g, "four_variable_newton", run_baseline, &cold_set, N);
        bench_add(&g, "scalar_cold", run_pairs, &cold_set, N);
        bench_add(&g, "batch_cold", run_batch, &cold_set, N);
        bench_add(&g, "batch_cold_relative", run_batch_derivatives, &cold_set, N);
        bench_run(&g);

        /* warm: planes of the pairs, then a moves by 2 % of the gap in a random direction */
        make(&warm_set, gaps[i]);
        run_batch(&warm_set);
        memcpy(warm_set.start, warm_set.plane, sizeof warm_set.start);
        rng_seed(&r, 5);
        for (k = 0; k < N; ++k) {
            double u[3];
            rng_unit3(&r, u);
            for (j = 0; j < 9; ++j) warm_set.x[j*N + k] += DC_R(0.02)*(dc_real)(gaps[i]*u[j%3]);
        }
        bench_open(&g, wname[i]);
        bench_add(&g, "batch_cold", run_batch, &cold_set, N);
        bench_add(&g, "batch_warm", run_batch, &warm_set, N);
        bench_run(&g);

        bench_open(&g, dname[i]);
        bench_add(&g, "value_gradient_hessian", run_pairs_derivatives, &cold_set, N);
        bench_add(&g, "value", run_pairs, &cold_set, N);
        bench_run(&g);
    }
    for (i = 0; i < 3; ++i) {
        make_hulls(&cold_hulls, sizes[i], 0.01);
        make_hulls(&moved_hulls, sizes[i], 0.01);
        warm_hulls(&moved_hulls);
        bench_open(&g, hname[i]);
        bench_add(&g, "cold", run_hulls, &cold_hulls, HULLS);
        bench_add(&g, "warm", run_hulls, &moved_hulls, HULLS);
        bench_run(&g);
    }
    return 0;
}
