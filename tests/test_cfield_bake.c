/* Baked fields: splines against what they were baked from, their derivatives, their smoothness, symmetry, sizes, bytes. The nodes
 * are private (dci_cspline_ready): this program has a copy of the header of its own. */
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

enum { BYTES = 1 << 24, SAVED = 1 << 22 };
static unsigned char memory[BYTES], kept[BYTES], saved[SAVED];

static dc_v2 corner[2][DC_POLY_NAMED_MOST];
static dc_cshape shape;
static dc_poly outline;

/* the exact field of two shapes by name, the first scaled; wall: what is there instead of it */
static dc_status exact_of(const char *a, const char *b, double size, dc_cshape_kind wall, dc_arena *mem, dc_cfield *f)
{
    int k;
    memset(&shape, 0, sizeof shape);
    shape.kind = wall;
    shape.radius = 3;
    if (dc_poly_named(a, DC_POLY_NAMED_MOST, corner[0], &shape.poly.n) != DC_OK) return DC_E_ARG;
    if (dc_poly_named(b, DC_POLY_NAMED_MOST, corner[1], &outline.n) != DC_OK) return DC_E_ARG;
    for (k = 0; k < shape.poly.n; ++k) {
        corner[0][k].x *= (dc_real)size;
        corner[0][k].y *= (dc_real)size;
    }
    shape.poly.v = corner[0];
    outline.v = corner[1];
    return dc_cfield_exact(NULL, &shape, &outline, mem, f);
}

/* a coarse spline of `a` and `b` */
static dc_status baked_of(const char *a, const char *b, double size, dc_cshape_kind wall, int bits, dc_cfield *f)
{
    dc_arena mem = dc_arena_make(memory, BYTES), keep = dc_arena_make(kept, BYTES);
    dc_cfield_bake_options o = DC_ZERO;
    dc_cfield of;
    dc_status status = exact_of(a, b, size, wall, &mem, &of);
    o.bits = bits;
    o.angles = wall == DC_CSHAPE_HALFPLANE ? 64 : 12;
    o.side = wall == DC_CSHAPE_HALFPLANE ? 0 : 17;
    return status == DC_OK ? dc_cfield_bake(&o, &of, &keep, f, NULL) : status;
}

static void values(const dc_cfield *f, const double q[3], double *d, double *lever, double *grad, double *hess, double *dlever)
{
    dc_arena mem = dc_arena_make(memory, BYTES);
    dc_real p[3], v = 0, l = 0, g[3] = {0}, h[9] = {0}, dl[3] = {0};
    int k;
    for (k = 0; k < 3; ++k) p[k] = (dc_real)q[k];
    if (dc_cfield_eval(f, p, &mem, &v, g, &l, h, dl) != DC_OK) v = (dc_real)NAN;
    *d = (double)v;
    *lever = (double)l;
    to_double(g, grad, 3);
    to_double(h, hess, 9);
    to_double(dl, dlever, 3);
}

typedef struct { const dc_cfield *f; int what; } probe;

static void field_at(const double *x, double *out, void *user)
{
    const probe *p = (const probe *)user;
    double d, l, g[3], h[9], dl[3];
    values(p->f, x, &d, &l, g, h, dl);
    out[0] = p->what == 1 ? l : d;
    if (p->what == 2) memcpy(out, g, sizeof g);
}

/* the error of derivatives; of numbers that do not change, as that by y of a half-plane, differences are right to the bit */
static double error_of(probe *p, int what, const double q[3], int m, const double *jac, double h)
{
    fd_result e;
    p->what = what;
    e = fd_check(field_at, p, 3, q, m, jac, h);
    return e.bit_equal && p->f->wall == DC_CSHAPE_HALFPLANE ? 0 : e.err;
}

/* a pose anywhere, at the edge of cells, or where poses begin or end to be drawn in */
static void draw_pose(rng *r, const dc_cspline *s, long t, double q[3])
{
    double R = (double)(s->begin + s->width), rho = R*sqrt(rng_uniform(r, 0, 1)), a = rng_uniform(r, -PI, PI);
    if (t%4 == 1) rho = (double)s->begin*(1 + 1e-3*rng_uniform(r, -1, 1));
    if (t%4 == 2) rho = R*(1 + 1e-3*rng_uniform(r, -1, 1));
    q[0] = rng_uniform(r, -9, 9);
    q[1] = rho*cos(a);
    q[2] = rho*sin(a);
    if (t%4 == 3) {
        q[0] = rng_int(r, -9, 9)/(double)s->turn;
        if (s->rate > 0)
            for (a = 1; a <= 2; ++a) q[(int)a] = rng_int(r, 2, s->side - 5)/(double)s->rate - (double)s->reach;
    }
}

/* Gradient, Hessian and the lever's gradient against differences; third derivatives jump at the edges of cells, so that there the
 * order is one less. */
TEST derivatives(void)
{
    static const char *const name[4] = {"U", "block", "#", "star"};
    worst w[3];
    long draws = sweep_count(400), t;
    int k;
    rng r;
    rng_seed(&r, 1);
    w[0] = worst_make("gradient");
    w[1] = worst_make("gradient of the lever");
    w[2] = worst_make("Hessian");
    if (DC_IS_FLOAT) SKIPm("differences are those of double");
    for (t = 0; t < draws; ++t) {
        static dc_cfield f;
        double q[3], d, l, g[3], h[9], dl[3];
        probe p;
        if (t%100 == 0)
            ASSERT_EQ(DC_OK, baked_of(name[t/100%4], "U", 1.3, t/100%4 == 3 ? DC_CSHAPE_HALFPLANE : DC_CSHAPE_POLY, t/100%2 ? 16 : 32,
                                      &f));
        draw_pose(&r, f.spline, t, q);
        values(&f, q, &d, &l, g, h, dl);
        p.f = &f;
        for (k = 0; k < 9; ++k) ASSERT(h[k] == h[k%3*3 + k/3]);
        worst_add(&w[0], error_of(&p, 0, q, 1, g, 1e-4), "draw %ld, (%g, %g, %g)", t, q[0], q[1], q[2]);
        worst_add(&w[1], error_of(&p, 1, q, 1, dl, 1e-4), "draw %ld, (%g, %g, %g)", t, q[0], q[1], q[2]);
        worst_add(&w[2], error_of(&p, 2, q, 3, h, t%4 == 0 ? 1e-4 : 1e-7), "draw %ld, (%g, %g, %g)", t, q[0], q[1], q[2]);
    }
    ASSERT(worst_print(&w[0], 1e-6));
    ASSERT(worst_print(&w[1], 1e-6));
    ASSERT(worst_print(&w[2], 1e-5));
    PASS();
}

/* Across the edges of cells and of the cut-off the second derivatives change no more than their slopes allow: by e^1, where a jump
 * would stay */
TEST second_derivatives_are_continuous(void)
{
    worst jump = worst_make("change of second derivatives over a millionth");
    long draws = sweep_count(300), t;
    dc_cfield f;
    rng r;
    rng_seed(&r, 2);
    if (DC_IS_FLOAT) SKIPm("a millionth is rounding in float");
    ASSERT_EQ(DC_OK, baked_of("#", "U", 1, DC_CSHAPE_POLY, 32, &f));
    for (t = 0; t < draws; ++t) {
        const dc_cspline *s = f.spline;
        double q[2][3], d, l, g[3], h[2][9], dl[2][3], a = rng_uniform(&r, -PI, PI), e = 1e-6, big = 0;
        int k, side, way = (int)(t%4);
        /* on an edge by theta, x, or r, at either end of the cut-off */
        q[0][0] = way == 0 ? rng_int(&r, -9, 9)/(double)s->turn : rng_uniform(&r, -3, 3);
        q[0][1] = way == 1 ? rng_int(&r, 2, s->side - 5)/(double)s->rate - (double)s->reach : rng_uniform(&r, -1, 1);
        q[0][2] = rng_uniform(&r, -1, 1);
        memcpy(q[1], q[0], sizeof q[0]);
        for (side = 0; side < 2; ++side) {
            double x = (side ? 1 : -1)*e, R = (double)(s->begin + (way == 3 ? s->width : 0)) + x;
            if (way < 2) q[side][way] += x;
            else {
                q[side][1] = R*cos(a);
                q[side][2] = R*sin(a);
            }
            values(&f, q[side], &d, &l, g, h[side], dl[side]);
        }
        for (k = 0; k < 9; ++k) big = fmax(big, fabs(h[0][k]));
        for (k = 0; k < 9; ++k) worst_add(&jump, fabs(h[1][k] - h[0][k])/fmax(big, 1), "draw %ld, entry %d", t, k);
        for (k = 0; k < 3; ++k) worst_add(&jump, fabs(dl[1][k] - dl[0][k]), "draw %ld, lever %d", t, k);
    }
    ASSERT(worst_print(&jump, 1e-4));
    PASS();
}

/* what was baked comes out at the nodes */
TEST nodes_are_interpolated(void)
{
    static const int bits[2] = {32, 16};
    worst w[2];
    int b, k, i;
    rng r;
    rng_seed(&r, 3);
    w[0] = worst_make("d and lever at nodes, 32 bits");
    w[1] = worst_make("d and lever at nodes, 16 bits");
    for (b = 0; b < 2; ++b) {
        dc_cfield f, of;
        ASSERT_EQ(DC_OK, baked_of("octagon", "star", 0.7, DC_CSHAPE_POLY, bits[b], &f));
        for (k = 0; k < 60; ++k) {
            dc_arena mem = dc_arena_make(memory, BYTES);
            const dc_cspline *s = f.spline;
            dc_real q[3], want[2] = {0, 0}, got[2] = {0, 0};
            ASSERT_EQ(DC_OK, exact_of("octagon", "star", 0.7, DC_CSHAPE_POLY, &mem, &of));
            q[0] = (dc_real)rng_int(&r, 0, 11)/s->turn;
            for (i = 1; i < 3; ++i) q[i] = (dc_real)rng_int(&r, 2, 12)/s->rate - s->reach;
            if (!(q[1]*q[1] + q[2]*q[2] < s->begin*s->begin)) continue;
            ASSERT_EQ(DC_OK, dc_cfield_eval(&of, q, &mem, want, NULL, want + 1, NULL, NULL));
            ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, got, NULL, got + 1, NULL, NULL));
            for (i = 0; i < 2; ++i) worst_add(&w[b], fabs((double)(got[i] - want[i])), "%d, %d", k, i);
        }
    }
    ASSERT(worst_print(&w[0], DC_IS_FLOAT ? 1e-5 : 1e-6));
    ASSERT(worst_print(&w[1], 3e-4));
    PASS();
}

TEST a_half_plane_is_a_line(void)
{
    worst w = worst_make("against the exact half-plane, away from its kinks");
    dc_arena mem = dc_arena_make(memory, BYTES), keep = dc_arena_make(kept, BYTES);
    dc_cfield_bake_info info;
    dc_cfield f, of;
    rng r;
    int k;
    rng_seed(&r, 4);
    ASSERT_EQ(DC_OK, exact_of("U", "block", 1, DC_CSHAPE_HALFPLANE, &mem, &of));
    ASSERT_EQ(DC_OK, dc_cfield_bake(NULL, &of, &keep, &f, &info));
    ASSERT_EQ(4, info.fold);
    ASSERT_EQ(512, info.angles);
    for (k = 0; k < 2000; ++k) {
        dc_real q[3], want[5], got[5];
        int i;
        q[0] = (dc_real)rng_uniform(&r, -7, 7);
        q[1] = (dc_real)rng_uniform(&r, -5, 5);
        q[2] = (dc_real)rng_uniform(&r, -5, 50);
        if (fabs(remainder((double)q[0], PI/2)) < 0.05) continue;      /* flat: the spline is round there */
        ASSERT_EQ(DC_OK, dc_cfield_eval(&of, q, &mem, want, want + 1, want + 4, NULL, NULL));
        ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, got, got + 1, got + 4, NULL, NULL));
        for (i = 0; i < 5; ++i) worst_add(&w, fabs((double)(got[i] - want[i]))/(i == 0 ? 1 + fabs((double)want[0]) : 1), "draw %d, %d", k, i);
    }
    /* cells are float: rounding over a spacing of 0.003 */
    ASSERT(worst_print(&w, DC_IS_FLOAT ? 3e-3 : 2e-4));
    PASS();
}

/* fewer nodes for shapes that look the same after a turn, with the same answers; the least size that is good enough */
TEST symmetry_and_sizes(void)
{
    dc_arena mem = dc_arena_make(memory, BYTES), keep = dc_arena_make(kept, BYTES);
    dc_cfield_bake_options o = DC_ZERO;
    dc_cfield_bake_info whole, part, info;
    dc_cfield of, f[2];
    worst w = worst_make("with and without the symmetry");
    rng r;
    int k;
    rng_seed(&r, 5);
    ASSERT_EQ(DC_OK, exact_of("U", "block", 1, DC_CSHAPE_POLY, &mem, &of));
    o.fold = 1;
    o.angles = 24;
    o.side = 17;
    ASSERT_EQ(DC_OK, dc_cfield_bake(&o, &of, &keep, &f[0], &whole));
    o.fold = 0;
    o.angles = 6;
    ASSERT_EQ(DC_OK, dc_cfield_bake(&o, &of, &keep, &f[1], &part));
    ASSERT_EQ(4, part.fold);
    ASSERT(part.bytes < whole.bytes/3);
    for (k = 0; k < 1000; ++k) {
        dc_real q[3], d[2];
        int i;
        for (i = 0; i < 3; ++i) q[i] = (dc_real)rng_uniform(&r, -4, 4);
        for (i = 0; i < 2; ++i) ASSERT_EQ(DC_OK, dc_cfield_eval(&f[i], q, &mem, d + i, NULL, NULL, NULL, NULL));
        worst_add(&w, fabs((double)(d[0] - d[1])), "%d", k);
    }
    ASSERT(worst_print(&w, 1e-5));

    /* U with itself has no symmetry, a star five turns, a disc of 32 corners 32 */
    ASSERT_EQ(DC_OK, exact_of("block", "U", 1, DC_CSHAPE_HALFPLANE, &mem, &of));
    ASSERT_EQ(DC_OK, dc_cfield_bake(NULL, &of, &keep, &f[0], &info));
    ASSERT_EQ(1, info.fold);
    ASSERT_EQ(DC_OK, exact_of("block", "O", 1, DC_CSHAPE_HALFPLANE, &mem, &of));
    ASSERT_EQ(DC_OK, dc_cfield_bake(NULL, &of, &keep, &f[0], &info));
    ASSERT_EQ(32, info.fold);

    /* errors: the coarsest that will do, and a status where none does */
    ASSERT_EQ(DC_OK, exact_of("octagon", "block", 1, DC_CSHAPE_POLY, &mem, &of));
    memset(&o, 0, sizeof o);
    o.error = DC_R(0.008);
    ASSERT_EQ(DC_OK, dc_cfield_bake(&o, &of, &keep, &f[0], &info));
    printf("  error %g asked for: %d x %d x %d nodes, %g, wrong sign %.2f %%, lever %g\n", (double)o.error, info.angles, info.side, info.side,
           (double)info.rmse, 100*(double)info.wrong, (double)info.lever);
    ASSERT(info.rmse <= o.error && info.side <= 51);
    ASSERT_EQ(DC_OK, exact_of("block", "#", 1, DC_CSHAPE_HALFPLANE, &mem, &of));
    o.error = DC_R(1e-9);
    ASSERT_EQ(DC_E_DIVERGED, dc_cfield_bake(&o, &of, &keep, &f[0], &info));
    ASSERT(info.angles >= 192*16/4 && info.rmse > o.error);
    PASS();
}

TEST a_batch_is_single_poses(void)
{
    enum { MOST = 70, STRIDE = 75 };
    static dc_real q[3*STRIDE], d[STRIDE], d2[STRIDE], g[3*STRIDE], g2[3*STRIDE], l[STRIDE], h[6*STRIDE], dl[3*STRIDE];
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    dc_arena none = dc_arena_make(NULL, 0);
    dc_cfield_out o = DC_ZERO;
    dc_cfield f;
    rng r;
    int i, k, bits;
    rng_seed(&r, 6);
    for (bits = 16; bits <= 32; bits += 16) {
        ASSERT_EQ(DC_OK, baked_of("star", "U", 1, DC_CSHAPE_POLY, bits, &f));
        for (i = 0; i < MOST; ++i)
            for (k = 0; k < 3; ++k) q[k*STRIDE + i] = (dc_real)rng_uniform(&r, -3, 3);
        o.d = d; o.grad = g; o.lever = l; o.hess = h; o.dlever = dl;
        ASSERT_EQ(DC_OK, dc_cfield_eval_batch(&f, MOST, q, STRIDE, &none, &o));
        memset(&o, 0, sizeof o);
        o.d = d2;
        o.grad = g2;
        ASSERT_EQ(DC_OK, dc_cfield_eval_batch(&f, MOST, q, STRIDE, &none, &o));
        for (i = 0; i < MOST; ++i) {
            dc_real p[3], v = 0, G[3], L = 0, H[9], D[3];
            for (k = 0; k < 3; ++k) p[k] = q[k*STRIDE + i];
            ASSERT_EQ(DC_OK, dc_cfield_eval(&f, p, &none, &v, G, &L, H, D));
            ASSERT(fabs((double)(v - d2[i])) <= 1e-4);
#ifdef DC_TEST_NO_CONTRACT
            ASSERT(v == d[i] && v == d2[i] && L == l[i]);
            for (k = 0; k < 3; ++k) ASSERT(G[k] == g[k*STRIDE + i] && G[k] == g2[k*STRIDE + i] && D[k] == dl[k*STRIDE + i]);
            for (k = 0; k < 9; ++k) ASSERT(H[k] == h[at[k]*STRIDE + i]);
#endif
            (void)at;
        }
    }
    PASS();
}

TEST saved_fields_come_back(void)
{
    static const dc_cshape_kind wall[2] = {DC_CSHAPE_POLY, DC_CSHAPE_HALFPLANE};
    static unsigned char again[SAVED], back[1 << 20];
    int k, bits, i;
    rng r;
    rng_seed(&r, 7);
    for (k = 0; k < 2; ++k)
        for (bits = 16; bits <= 32; bits += 16) {
            dc_arena mem = dc_arena_make(back, sizeof back), other;
            dc_cfield f, g, before;
            size_t size, need;
            ASSERT_EQ(DC_OK, baked_of("N", "star", 1.1, wall[k], bits, &f));
            size = dc_cfield_save_bytes(&f);
            ASSERT(size > 0 && size <= SAVED);
            ASSERT_EQ(DC_OK, dc_cfield_save(&f, saved, size));
            ASSERT_EQ(DC_E_ARG, dc_cfield_save(&f, again, size - 1));
            need = dc_cfield_load_bytes(saved, size);
            ASSERT(need > 0 && need <= sizeof back);
            memset(&g, 3, sizeof g);
            before = g;
            other = dc_arena_make(back, need - DC_ALIGN);
            ASSERT_EQ(DC_E_MEMORY, dc_cfield_load(saved, size, &other, &g));
            ASSERT(memcmp(&g, &before, sizeof g) == 0 && other.used == 0);
            ASSERT_EQ(DC_OK, dc_cfield_load(saved, size, &mem, &g));
            ASSERT_EQ(DC_OK, dc_cfield_save(&g, again, size));
            ASSERT(memcmp(saved, again, size) == 0);
            for (i = 0; i < 100; ++i) {
                dc_real q[3], a[2] = {0, 0}, b[2] = {0, 0};
                int j;
                for (j = 0; j < 3; ++j) q[j] = (dc_real)rng_uniform(&r, -3, 3);
                ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &mem, a, NULL, a + 1, NULL, NULL));
                ASSERT_EQ(DC_OK, dc_cfield_eval(&g, q, &mem, b, NULL, b + 1, NULL, NULL));
                ASSERT(a[0] == b[0] && a[1] == b[1]);
            }
            /* a bit changed anywhere, bytes missing or too many */
            for (i = 0; i < 200; ++i) {
                size_t at = (size_t)rng_int(&r, 0, (int)size - 1);
                dc_arena room = dc_arena_make(back, sizeof back);
                saved[at] ^= (unsigned char)(1 << rng_int(&r, 0, 7));
                ASSERT(dc_cfield_load_bytes(saved, size) == 0 && dc_cfield_load(saved, size, &room, &g) == DC_E_ARG);
                memcpy(saved, again, size);
                ASSERT_EQ(0, (int)dc_cfield_load_bytes(saved, (size_t)rng_int(&r, 0, (int)size - 1)));
            }
        }
    PASS();
}

TEST what_is_refused(void)
{
    static unsigned char room[1 << 20];
    dc_arena mem = dc_arena_make(memory, BYTES), keep = dc_arena_make(kept, BYTES), small;
    dc_cfield_bake_options o = DC_ZERO;
    dc_cfield of, disc, baked, f, before;
    size_t need;
    int k;
    ASSERT_EQ(DC_OK, exact_of("block", "block", 1, DC_CSHAPE_POLY, &mem, &of));
    ASSERT_EQ(DC_OK, exact_of("block", "block", 1, DC_CSHAPE_DISC, &mem, &disc));
    memset(&f, 7, sizeof f);
    before = f;
    for (k = 0; k < 16; ++k) {
        memset(&o, 0, sizeof o);
        o.angles = 8;
        o.side = 9;
        switch (k) {
        case 0: o.angles = 3; break;
        case 1: o.angles = 4097; break;
        case 2: o.side = 7; break;
        case 3: o.side = 513; break;
        case 4: o.fold = -1; break;
        case 5: o.fold = 65; break;
        case 6: o.bits = 8; break;
        case 7: o.bits = -16; break;
        case 8: o.error = -1; break;
        case 9: o.error = (dc_real)NAN; break;
        case 10: o.error = (dc_real)INFINITY; break;
        case 11: o.angles = -4; break;
        default: continue;
        }
        ASSERT_EQ(DC_E_ARG, dc_cfield_bake(&o, &of, &keep, &f, NULL));
        ASSERT_EQ(0, (int)dc_cfield_bake_bytes(&o, &of));
    }
    memset(&o, 0, sizeof o);
    o.angles = 8;
    o.side = 9;
    ASSERT_EQ(DC_E_ARG, dc_cfield_bake(&o, NULL, &keep, &f, NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_bake(&o, &of, NULL, &f, NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_bake(&o, &of, &keep, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_bake(&o, &disc, &keep, &f, NULL));
    ASSERT(memcmp(&f, &before, sizeof f) == 0 && keep.used == 0);

    /* the memory it says is enough at the worst alignment, and half of it is not */
    for (k = 16; k <= 32; k += 16) {
        o.bits = k;
        need = dc_cfield_bake_bytes(&o, &of);
        ASSERT(need > 0 && need < sizeof room - 1);
        small = dc_arena_make(room + 1, need/2);
        ASSERT_EQ(DC_E_MEMORY, dc_cfield_bake(&o, &of, &small, &f, NULL));
        ASSERT(memcmp(&f, &before, sizeof f) == 0 && small.used == 0);
        small = dc_arena_make(room + 1, need);
        ASSERT_EQ(DC_OK, dc_cfield_bake(&o, &of, &small, &baked, NULL));
        ASSERT(small.used < need);
    }

    /* a baked field is not baked again, and nothing is trained like it */
    ASSERT_EQ(DC_E_ARG, dc_cfield_bake(&o, &baked, &keep, &f, NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_train_start(NULL, &baked, memory));
    {
        dc_real q[3] = {0, 1, 0}, d = 5;
        q[1] = (dc_real)NAN;
        ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&baked, q, &mem, &d, NULL, NULL, NULL, NULL));
        q[1] = 2*DC_LIMIT;
        ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&baked, q, &mem, &d, NULL, NULL, NULL, NULL));
        ASSERT(d == 5);
        /* as far as coordinates go */
        for (k = 0; k < 8; ++k) {
            dc_real g[3], l, h[9], dl[3];
            int i;
            q[0] = k & 1 ? -DC_LIMIT : DC_LIMIT;
            q[1] = k & 2 ? DC_LIMIT : 0;
            q[2] = k & 4 ? -DC_LIMIT : 0;
            ASSERT_EQ(DC_OK, dc_cfield_eval(&baked, q, &mem, &d, g, &l, h, dl));
            ASSERT(dc_finite(d) && dc_finite(l));
            for (i = 0; i < 9; ++i) ASSERT(dc_finite(h[i]) && dc_finite(g[i%3]) && dc_finite(dl[i%3]));
        }
    }
    PASS();
}

/* A sum of fields is the sum of their numbers, near and far; over other grids there is none. */
TEST fields_are_mixed(void)
{
    static const char *const name[3] = {"U", "octagon", "star"};
    static const double want_of[3] = {0.75, 0.5, 0.25};
    static unsigned char own[1 << 20];
    dc_arena mem = dc_arena_make(own, sizeof own);
    worst w = worst_make("sum of fields against the field of the sum, of its largest number, in EPS of float");
    dc_cfield f[4], flat[2], mixed, line;
    const dc_cfield *of[4], *lines[2], *other[2];
    dc_real weight[3];
    size_t need, used;
    rng r;
    int i, k, t;
    rng_seed(&r, 4);
    for (k = 0; k < 4; ++k) {
        static unsigned char room[4][1 << 19];
        dc_arena keep = dc_arena_make(room[k], sizeof room[k]), exact = dc_arena_make(memory, BYTES);
        dc_cfield_bake_options o = DC_ZERO;
        dc_cfield one;
        o.angles = 12;
        o.side = 17;
        o.fold = 1;
        o.radius = k < 3 ? DC_R(1.5) : DC_R(1.25);
        o.bits = k == 1 ? 16 : 32;
        ASSERT_EQ(DC_OK, exact_of(name[k%3], name[k%3], 1, DC_CSHAPE_POLY, &exact, &one));
        ASSERT_EQ(DC_OK, dc_cfield_bake(&o, &one, &keep, &f[k], NULL));
        of[k] = &f[k];
        if (k < 3) weight[k] = (dc_real)want_of[k];
        if (k > 1) continue;
        o.angles = 64;
        o.side = 0;
        ASSERT_EQ(DC_OK, exact_of(name[k], name[k], 1, DC_CSHAPE_HALFPLANE, &exact, &one));
        ASSERT_EQ(DC_OK, dc_cfield_bake(&o, &one, &keep, &flat[k], NULL));
        lines[k] = &flat[k];
    }
    need = dc_cfield_mix_bytes(of[0]);
    ASSERT(need > 0 && need <= sizeof own);
    mem = dc_arena_make(own, need);
    ASSERT_EQ(DC_OK, dc_cfield_mix(3, of, weight, &mem, &mixed));
    ASSERT_EQ(DC_OK, (mem = dc_arena_make(own + need, sizeof own - need), dc_cfield_mix(2, lines, weight, &mem, &line)));
    for (t = 0; t < 400; ++t) {
        for (i = 0; i < 2; ++i) {
            double q[3], sum[17] = {0}, got[17], one[17], big = 0, R = t%2 ? 3 : 5;
            int n = i ? 2 : 3;
            q[0] = rng_uniform(&r, -4, 4);
            q[1] = rng_uniform(&r, -R, R);
            q[2] = rng_uniform(&r, -R, R);
            for (k = 0; k < n; ++k) {
                int c;
                values(i ? lines[k] : of[k], q, one, one + 1, one + 2, one + 5, one + 14);
                for (c = 0; c < 17; ++c) {
                    sum[c] += want_of[k]*one[c];
                    big = fmax(big, fabs(one[c]));
                }
            }
            values(i ? &line : &mixed, q, got, got + 1, got + 2, got + 5, got + 14);
            for (k = 0; k < 17; ++k) worst_add(&w, fabs(got[k] - sum[k])/(6e-8*big*(k < 5 ? 1 : 100)), "%d, pose %d, number %d", i, t, k);
        }
    }
    ASSERT(worst_print(&w, 30));

    /* weights that sum to 1 give a field that is saved, others not */
    ASSERT_EQ(0, (int)dc_cfield_save_bytes(&mixed));
    ASSERT_EQ(0, (int)dc_cfield_save_bytes(&line));
    mem.used = 0;
    weight[2] = DC_R(-0.25);
    ASSERT_EQ(DC_OK, dc_cfield_mix(3, of, weight, &mem, &mixed));
    ASSERT(dc_cfield_save_bytes(&mixed) > 0);

    /* other grids, too little memory, what is no field; nothing is touched */
    used = mem.used;
    other[0] = of[0];
    other[1] = of[3];
    ASSERT_EQ(DC_E_ARG, dc_cfield_mix(2, other, weight, &mem, &mixed));
    other[1] = lines[0];
    ASSERT_EQ(DC_E_ARG, dc_cfield_mix(2, other, weight, &mem, &mixed));
    other[1] = NULL;
    ASSERT_EQ(DC_E_ARG, dc_cfield_mix(2, other, weight, &mem, &mixed));
    ASSERT_EQ(DC_E_ARG, dc_cfield_mix(0, of, weight, &mem, &mixed));
    ASSERT_EQ(0, (int)dc_cfield_mix_bytes(NULL));
    weight[1] = (dc_real)NAN;
    ASSERT_EQ(DC_E_ARG, dc_cfield_mix(3, of, weight, &mem, &mixed));
    weight[1] = DC_LIMIT;
    ASSERT_EQ(DC_E_RANGE, dc_cfield_mix(3, of, weight, &mem, &mixed));
    ASSERT_EQ(used, mem.used);
    mem = dc_arena_make(own, need/2);
    ASSERT_EQ(DC_E_MEMORY, dc_cfield_mix(3, of, weight, &mem, &mixed));
    ASSERT_EQ(0, (int)mem.used);
    PASS();
}

SUITE(bake)
{
    RUN_TEST(derivatives);
    RUN_TEST(second_derivatives_are_continuous);
    RUN_TEST(nodes_are_interpolated);
    RUN_TEST(a_half_plane_is_a_line);
    RUN_TEST(symmetry_and_sizes);
    RUN_TEST(a_batch_is_single_poses);
    RUN_TEST(saved_fields_come_back);
    RUN_TEST(fields_are_mixed);
    RUN_TEST(what_is_refused);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(bake);
    GREATEST_MAIN_END();
}
