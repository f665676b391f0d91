/* Learned fields: value, gradient and lever of a pose, alone and in a batch, by size of the network; second derivatives; splines;
 * beside them the exact field of two blocks, and of two # that are apart, overlap a little, overlap deeply; the sampled field of two #.
 * Weights are random: they do not change the time.
 * SPDX-License-Identifier: MIT OR Unlicense */
#include "bench.h"
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"
#include "support.h"
#include <math.h>

enum { POSES = 512, FEW = 32, SAMPLES = 2 };

/* ns of a batched value and gradient by 5 x 64 units of the best prototypes on one Zen 4 core: what `batch_over_prototype` is of */
#if defined(__AVX__) && defined(__clang__)
#define PROTOTYPE 625
#elif defined(__AVX__)
#define PROTOTYPE 738
#else
#define PROTOTYPE 2890
#endif

static unsigned char memory[1 << 23], scratch[1 << 20], state[1 << 22], baked[1 << 22];
static dc_real q[3*POSES], d[POSES], grad[3*POSES], lever[POSES], hess[6*POSES], dlever[3*POSES];

static const dc_v2 block[4] = {{DC_R(-0.8), DC_R(-0.6)}, {DC_R(0.8), DC_R(-0.6)}, {DC_R(0.8), DC_R(0.6)}, {DC_R(-0.8), DC_R(0.6)}};

static void batch(void *user)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_cfield_out out = DC_ZERO;
    out.d = d;
    out.grad = grad;
    out.lever = lever;
    if (dc_cfield_eval_batch((const dc_cfield *)user, POSES, q, POSES, &mem, &out) != DC_OK) exit(1);
    bench_keep((double)d[0]);
}

static void values(void *user)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_cfield_out out = DC_ZERO;
    out.d = d;
    if (dc_cfield_eval_batch((const dc_cfield *)user, POSES, q, POSES, &mem, &out) != DC_OK) exit(1);
    bench_keep((double)d[0]);
}

static void second(void *user)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_cfield_out out = DC_ZERO;
    out.d = d;
    out.grad = grad;
    out.lever = lever;
    out.hess = hess;
    out.dlever = dlever;
    if (dc_cfield_eval_batch((const dc_cfield *)user, POSES, q, POSES, &mem, &out) != DC_OK) exit(1);
    bench_keep((double)d[0]);
}

static void alone(void *user)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_real sum = 0, v = 0, g[3] = {0, 0, 0}, l = 0;
    int i;
    for (i = 0; i < POSES; i++) {
        dc_real p[3];
        p[0] = q[i];
        p[1] = q[POSES + i];
        p[2] = q[2*POSES + i];
        if (dc_cfield_eval((const dc_cfield *)user, p, &mem, &v, g, &l, NULL, NULL) != DC_OK) exit(1);
        sum += v + g[0] + l;
    }
    bench_keep((double)sum);
}

/* a network of this size, after one short epoch */
static dc_cfield network(const dc_cfield *exact, dc_arena *mem, int raw, int layers, int width, int smooth)
{
    dc_cfield_train_options o = DC_ZERO;
    dc_cfield f;
    o.raw = raw;
    o.layers = layers;
    o.width = width;
    o.smooth = smooth;
    o.samples = 1000;
    o.epochs = 1;
    if (dc_cfield_train_bytes(&o) > sizeof state || dc_cfield_train_start(&o, exact, state) != DC_OK
        || dc_cfield_train(exact, state, mem, NULL, NULL, NULL) != DC_OK || dc_cfield_learned(state, mem, &f) != DC_OK) exit(1);
    return f;
}

/* FEW poses of two # whose distances are from lo to hi, and the field there, pose after pose */
typedef struct { const dc_cfield *f; int n; dc_real q[FEW][3]; } made;

static void make_poses(made *m, const dc_cfield *f, double lo, double hi)
{
    rng r;
    rng_seed(&r, 2);
    m->f = f;
    for (m->n = 0; m->n < FEW;) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_real *p = m->q[m->n], v = 0;
        double angle = rng_uniform(&r, -3.14159, 3.14159), rho = rng_uniform(&r, 0.3, 2);
        p[0] = (dc_real)rng_uniform(&r, -3.14159, 3.14159);
        p[1] = (dc_real)(rho*cos(angle));
        p[2] = (dc_real)(rho*sin(angle));
        if (dc_cfield_eval(f, p, &mem, &v, NULL, NULL, NULL, NULL) != DC_OK) exit(1);
        m->n += (double)v > lo && (double)v < hi;
    }
}

static void poses_of(const made *m, int n)
{
    dc_real sum = 0, v = 0, g[3] = {0, 0, 0}, l = 0;
    int i;
    for (i = 0; i < n; i++) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        if (dc_cfield_eval(m->f, m->q[i], &mem, &v, g, &l, NULL, NULL) != DC_OK) exit(1);
        sum += v + g[0] + l;
    }
    bench_keep((double)sum);
}

static void few(void *user) { poses_of((const made *)user, FEW); }
static void samples(void *user) { poses_of((const made *)user, SAMPLES); }

int main(int argc, char **argv)
{
    static made apart, shallow, deep, sampled;
    static dc_v2 corner[DC_POLY_NAMED_MOST];
    dc_cfield hashes, grid;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_cshape a = DC_ZERO;
    dc_cfield exact, small, large, raw3, raw5, smooth, smooth5, spline, spline_16;
    dc_cfield_bake_options few_cells = DC_ZERO;
    dc_arena keep = dc_arena_make(baked, sizeof baked);
    bench_group g;
    rng r;
    int i;

    bench_begin(argc, argv);
    a.poly.v = block;
    a.poly.n = 4;
    if (dc_cfield_exact(NULL, &a, &a.poly, &mem, &exact) != DC_OK) return 1;
    rng_seed(&r, 1);
    for (i = 0; i < POSES; i++) {
        double angle = rng_uniform(&r, -3.14159, 3.14159), rho = rng_uniform(&r, 1.2, 2);
        q[i] = (dc_real)rng_uniform(&r, -3.14159, 3.14159);
        q[POSES + i] = (dc_real)(rho*cos(angle));
        q[2*POSES + i] = (dc_real)(rho*sin(angle));
    }
    small = network(&exact, &mem, 0, 3, 32, 0);
    large = network(&exact, &mem, 0, 5, 64, 0);
    raw3 = network(&exact, &mem, 1, 3, 32, 0);
    raw5 = network(&exact, &mem, 1, 5, 64, 0);
    smooth = network(&exact, &mem, 0, 3, 32, 1);
    smooth5 = network(&exact, &mem, 0, 5, 64, 1);

    bench_open(&g, "cfield_3x32");
    bench_add(&g, "single", alone, &small, POSES);
    bench_add(&g, "batch", batch, &small, POSES);
    bench_add(&g, "batch_values", values, &small, POSES);
    bench_add(&g, "raw_single", alone, &raw3, POSES);
    bench_add(&g, "raw_batch", batch, &raw3, POSES);
    bench_run(&g);

    bench_open(&g, "cfield_5x64");
    bench_add(&g, "single", alone, &large, POSES);
    bench_add(&g, "batch", batch, &large, POSES);
    bench_add(&g, "raw_single", alone, &raw5, POSES);
    bench_add(&g, "raw_batch", batch, &raw5, POSES);
    bench_run(&g);
    if (!bench_instructions) bench_line("cfield_5x64", "batch_over_prototype", g.entry[1].least/PROTOTYPE, "x");

    bench_open(&g, "cfield_3x32_smooth");
    bench_add(&g, "single", alone, &smooth, POSES);
    bench_add(&g, "batch", batch, &smooth, POSES);
    bench_add(&g, "batch_hessian", second, &smooth, POSES);
    bench_add(&g, "5x64_batch", batch, &smooth5, POSES);
    bench_add(&g, "5x64_batch_hessian", second, &smooth5, POSES);
    bench_run(&g);

    /* splines, of the default size and with few cells */
    few_cells.angles = 16;
    few_cells.bits = 16;
    if (dc_cfield_bake(NULL, &smooth, &keep, &spline, NULL) != DC_OK
        || dc_cfield_bake(&few_cells, &smooth, &keep, &spline_16, NULL) != DC_OK) return 1;
    bench_open(&g, "cfield_baked");
    bench_add(&g, "single", alone, &spline, POSES);
    bench_add(&g, "batch", batch, &spline, POSES);
    bench_add(&g, "batch_hessian", second, &spline, POSES);
    bench_add(&g, "small_batch", batch, &spline_16, POSES);
    bench_run(&g);

    bench_open(&g, "cfield_exact_blocks");
    bench_add(&g, "single", alone, &exact, POSES);
    bench_run(&g);

    a.poly.v = corner;
    if (dc_poly_named("#", DC_POLY_NAMED_MOST, corner, &a.poly.n) != DC_OK) return 1;
    if (dc_cfield_exact(NULL, &a, &a.poly, &mem, &hashes) != DC_OK || dc_cfield_sampled(NULL, &a, &a.poly, &mem, &grid) != DC_OK) return 1;
    make_poses(&apart, &hashes, 0.01, 0.2);
    make_poses(&shallow, &hashes, -0.03, -0.005);
    make_poses(&deep, &hashes, -0.3, -0.2);
    sampled = shallow;
    sampled.f = &grid;
    bench_open(&g, "cfield_made_hash");
    bench_add(&g, "exact_apart", few, &apart, FEW);
    bench_add(&g, "exact_shallow", few, &shallow, FEW);
    bench_add(&g, "exact_deep", few, &deep, FEW);
    bench_add(&g, "sampled_201", samples, &sampled, SAMPLES);
    bench_run(&g);
    return 0;
}
