/* Fields: a union of 18 superquadrics in batches, beside the textbook's form of it in libm's powers; each kind by itself; the
 * figure's mesh, and the fit to it.
 * SPDX-License-Identifier: MIT OR Unlicense */
#include "bench.h"
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"
#include "support.h"
#include "figure.h"
#include <math.h>

enum { PRIMS = 18, POINTS = 512 };

static dc_sdf_prim prims[PRIMS];
static dc_m3 rotation[PRIMS];
static dc_sdf field;
static dc_real x[3*POINTS], value[POINTS], grad[3*POINTS], hess[6*POINTS];
static unsigned char memory[1 << 16];

static void batch(int with_grad, int with_hess)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_sdf_out out = DC_ZERO;
    out.value = value;
    out.grad = with_grad ? grad : NULL;
    out.hess = with_hess ? hess : NULL;
    if (dc_sdf_eval_batch(&field, POINTS, x, POINTS, &mem, &out) != DC_OK) exit(1);
    bench_keep((double)value[0]);
}

static void values(void *user) { (void)user; batch(0, 0); }
static void gradients(void *user) { (void)user; batch(1, 0); }
static void hessians(void *user) { (void)user; batch(1, 1); }

static void one_by_one(void *user)
{
    dc_real sum = 0, v = 0, g[3] = {0, 0, 0};
    int i;
    (void)user;
    for (i = 0; i < POINTS; i++) {
        dc_sdf_eval(&field, dc_vec(x[i], x[POINTS + i], x[2*POINTS + i]), &v, g, NULL);
        sum += v;
    }
    bench_keep((double)sum);
}

#if DC_IS_FLOAT
#define LIBM(f) f##f
#else
#define LIBM(f) f
#endif

/* Equations 2, 3 and the union as they stand, five powers a primitive */
static void powers(void *user)
{
    dc_real sum = 0;
    int i, k;
    (void)user;
    for (i = 0; i < POINTS; i++) {
        dc_real phi[PRIMS], least = (dc_real)HUGE_VAL, S = 0;
        for (k = 0; k < PRIMS; k++) {
            const dc_sdf_prim *p = prims + k;
            dc_v3 y = dc_mul_t(&rotation[k], dc_sub(dc_vec(x[i], x[POINTS + i], x[2*POINTS + i]), p->pose.t));
            dc_real a = y.x/p->size.x, b = y.y/p->size.y, c = y.z/p->size.z, f;
            f = LIBM(pow)(LIBM(pow)(a*a, 1/p->eps2) + LIBM(pow)(b*b, 1/p->eps2), p->eps2/p->eps1) + LIBM(pow)(c*c, 1/p->eps1);
            phi[k] = LIBM(sqrt)(dc_dot(y, y))*(1 - LIBM(pow)(f, DC_R(-0.5)*p->eps1));
            least = dc_min(least, phi[k]);
        }
        for (k = 0; k < PRIMS; k++) S += LIBM(exp)((least - phi[k])/field.tau);
        sum += value[i] = least - field.tau*LIBM(log)(S);
    }
    bench_keep((double)sum);
}

/* one primitive, value and gradient of a batch */
enum { PLANES = 16, KINDS = 6 };
static dc_sdf_prim kinds[KINDS];
static dc_v3 normals[PLANES], points[PLANES];
static dc_real sigmas[PLANES];

static void kind(void *user)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_sdf_out out = DC_ZERO;
    dc_sdf one = field;
    one.prim = (const dc_sdf_prim *)user;
    one.n = 1;
    out.value = value;
    out.grad = grad;
    if (dc_sdf_eval_batch(&one, POINTS, x, POINTS, &mem, &out) != DC_OK) exit(1);
    bench_keep((double)value[0]);
}

static void params(void *user)
{
    dc_real d[PRIMS*DC_SDF_PARAMS], v = 0, sum = 0;
    int i;
    (void)user;
    for (i = 0; i < POINTS; i++) {
        dc_sdf_eval_params(&field, dc_vec(x[i], x[POINTS + i], x[2*POINTS + i]), &v, d);
        sum += d[0];
    }
    bench_keep((double)sum);
}

static unsigned char work[1 << 24];
static dc_real samples[130000];
static figure_memory room;
static dc_mesh figure_surface;

static void mesh(void *user)
{
    dc_sdf_prim p[FIGURE_LOBES];
    dc_sdf s = figure_make(p);
    dc_grid grid = figure_grid(49);
    dc_sdf_mesh_options o = DC_ZERO;
    dc_arena mem = dc_arena_make(work, sizeof work);
    dc_mesh m;
    (void)user;
    o.vertices = FIGURE_VERTICES;
    if (dc_sdf_mesh(&o, &s, &grid, &mem, &m, NULL) != DC_OK) exit(1);
    bench_keep((double)m.nv);
}

static void sample(void *user)
{
    dc_grid grid = figure_grid(56);
    (void)user;
    if (dc_sdf_sample(&figure_surface, &grid, samples) != DC_OK) exit(1);
    bench_keep((double)samples[0]);
}

static void fit(void *user)
{
    dc_grid grid = figure_grid(56);
    dc_arena mem = dc_arena_make(work, sizeof work);
    dc_sdf_prim p[32];
    int n = 0;
    (void)user;
    if (dc_sdf_fit(NULL, &grid, samples, &mem, p, &n, NULL) != DC_OK) exit(1);
    bench_keep((double)n);
}

int main(int argc, char **argv)
{
    bench_group g;
    rng r;
    int i;
    bench_begin(argc, argv);
    rng_seed(&r, 18);
    for (i = 0; i < PRIMS; i++) {
        dc_sdf_prim *p = prims + i;
        dc_v3 w;
        p->kind = DC_SDF_SUPERQUADRIC;
        p->pose.t.x = (dc_real)rng_uniform(&r, -1, 1);
        p->pose.t.y = (dc_real)rng_uniform(&r, -1, 1);
        p->pose.t.z = (dc_real)rng_uniform(&r, -1, 1);
        w.x = (dc_real)rng_uniform(&r, -2, 2);
        w.y = (dc_real)rng_uniform(&r, -2, 2);
        w.z = (dc_real)rng_uniform(&r, -2, 2);
        p->pose.q = dc_quat_exp(w);
        rotation[i] = dc_rotation(p->pose.q);
        p->size.x = (dc_real)rng_uniform(&r, 0.2, 0.7);
        p->size.y = (dc_real)rng_uniform(&r, 0.2, 0.7);
        p->size.z = (dc_real)rng_uniform(&r, 0.2, 0.7);
        p->eps1 = (dc_real)rng_uniform(&r, 0.2, 1);
        p->eps2 = (dc_real)rng_uniform(&r, 0.2, 1);
    }
    field.prim = prims;
    field.n = PRIMS;
    field.tau = DC_R(0.02);
    for (i = 0; i < 3*POINTS; i++) x[i] = (dc_real)rng_uniform(&r, -2, 2);

    bench_open(&g, "union_of_18");
    bench_add(&g, "libm", powers, NULL, POINTS);
    bench_add(&g, "value", values, NULL, POINTS);
    bench_add(&g, "gradient", gradients, NULL, POINTS);
    bench_add(&g, "hessian", hessians, NULL, POINTS);
    bench_add(&g, "gradient_one_by_one", one_by_one, NULL, POINTS);
    bench_run(&g);

    bench_open(&g, "parameters_of_18");
    bench_add(&g, "216_derivatives", params, NULL, POINTS);
    bench_run(&g);

    for (i = 0; i < PLANES; i++) {
        double u[3];
        rng_unit3(&r, u);
        normals[i] = dc_vec((dc_real)u[0], (dc_real)u[1], (dc_real)u[2]);
        points[i] = normals[i];
        sigmas[i] = DC_R(0.4);
    }
    for (i = 0; i < KINDS; i++) {
        kinds[i] = prims[0];
        kinds[i].kind = i == 0 ? DC_SDF_SUPERQUADRIC : (dc_sdf_kind)(i - 1);
        kinds[i].taubin = i == 0;
        kinds[i].smooth = DC_R(0.05);
        kinds[i].count = PLANES;
        kinds[i].n = normals;
        kinds[i].p = points;
        kinds[i].sigma = sigmas;
    }
    bench_open(&g, "one");
    bench_add(&g, "superquadric", kind, kinds + 1, POINTS);
    bench_add(&g, "taubin", kind, kinds, POINTS);
    bench_add(&g, "16_planes", kind, kinds + 2, POINTS);
    bench_add(&g, "16_points", kind, kinds + 3, POINTS);
    bench_add(&g, "box", kind, kinds + 5, POINTS);
    bench_run(&g);

    if (!figure_mesh(&room, &figure_surface)) return 1;
    bench_repeats = bench_repeats < 3 ? bench_repeats : 3;
    bench_open(&g, "figure");
    bench_add(&g, "mesh", mesh, NULL, 1);
    bench_add(&g, "sample", sample, NULL, 1);
    bench_add(&g, "fit", fit, NULL, 1);
    bench_run(&g);
    return 0;
}
