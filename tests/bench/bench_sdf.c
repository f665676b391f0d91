/* Fields: a union of 18 superquadrics in batches, beside the textbook's form of it in libm's powers.
 * SPDX-License-Identifier: MIT OR Unlicense */
#include "bench.h"
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"
#include "support.h"
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
    return 0;
}
