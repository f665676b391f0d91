/* hulls.h - two hulls of every class of poses, for the audits of dc_contact.h and dc_bsh.h */
#ifndef DC_AUDIT_HULLS_H_INCLUDED
#define DC_AUDIT_HULLS_H_INCLUDED

#include "audit.h"

static unsigned char memory[1 << 21], quad_memory[1 << 22];

enum { V = 12 };
static const char *const classes[] = {
    "generic", "touching", "parallel", "aligned", "identical", "flat", "needles", "ties", "far apart", "sizes 1e+-6", "far offset"
};
enum { GENERIC, TOUCHING, PARALLEL, ALIGNED, IDENTICAL, FLAT, NEEDLES, TIES, APART, SIZES, OFFSET, CLASSES };

typedef struct {
    dc_v3 va[V], vb[V];
    dq_v3 qa[V], qb[V];
    dc_hull a, b;
    dq_hull Qa, Qb;
    dc_pose pa, pb;
    double size, gap;           /* of the larger hull; apart, over size */
    double scale[12];           /* of the twists */
    double rounding;            /* of coordinates, in DC_EPS size */
} hulls;

static void points(rng *r, int class, double size, double thin, int n, dc_v3 *v)
{
    int k;
    for (k = 0; k < n; ++k) {
        double x = rng_uniform(r, -1, 1), y = rng_uniform(r, -1, 1), z = rng_uniform(r, -1, 1);
        if (class == FLAT) z = 0;
        if (class == NEEDLES) {
            y *= thin;
            z *= thin;
        }
        if (class == PARALLEL || class == ALIGNED || class == TIES) {     /* a box's corners */
            x = k & 1 ? 1 : -1;
            y = k & 2 ? 1 : -1;
            z = k & 4 ? 1 : -1;
        }
        v[k] = dc_vec((dc_real)(size*x), (dc_real)(size*y), (dc_real)(size*z));
    }
}

/* The gap of a class, over the size. Nearer than about 1e-8 (float 1e-3) the rounding of coordinates alone moves a derivative past the
 * bar: of the touching class a third or less is resolved, the rest held against that rounding; far apart likewise in part. */
#define FAR (DC_IS_FLOAT ? 1e3 : 1e6)
static double gap_of(rng *r, int class)
{
    if (class == TOUCHING) return rng_log(r, DC_IS_FLOAT ? 1e-4 : 1e-12, DC_IS_FLOAT ? 1e-3 : 1e-6);
    return class == APART ? FAR : rng_log(r, 1e-2, 3);
}

/* What follows from shapes and poses. */
static void hulls_finish(hulls *h)
{
    int k;
    h->a.v = h->va;
    h->a.radius = 0;
    h->b.v = h->vb;
    h->b.radius = 0;
    for (k = 0; k < h->a.n; ++k) h->qa[k] = audit_up3(h->va[k]);
    for (k = 0; k < h->b.n; ++k) h->qb[k] = audit_up3(h->vb[k]);
    h->Qa.v = h->qa;
    h->Qa.radius = 0;
    h->Qa.n = h->a.n;
    h->Qb.v = h->qb;
    h->Qb.radius = 0;
    h->Qb.n = h->b.n;
    for (k = 0; k < 12; ++k) h->scale[k] = k%6 < 3 ? h->size : 1;
    h->rounding = 1 + sqrt((double)dc_dot(h->pb.t, h->pb.t))/h->size;
}

/* Places b away from a by about `gap` sizes along their nearest direction; negative: that deep in each other. Shapes are there
 * already. 0: not found. */
static int hulls_place(rng *r, int class, double gap, hulls *h)
{
    static const dc_quat one = {1, 0, 0, 0};
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_distance d = DC_ZERO;
    double n[3];
    int k;
    h->a.v = h->va;
    h->a.radius = 0;
    h->b.v = h->vb;
    h->b.radius = 0;
    h->pa.q = audit_turn(r);
    h->pb.q = class == PARALLEL || class == IDENTICAL ? h->pa.q : audit_turn(r);
    if (class == ALIGNED) h->pa.q = h->pb.q = one;
    h->pa.t = dc_vec(0, 0, 0);
    if (class == OFFSET) h->pa.t = dc_vec((dc_real)(DC_IS_FLOAT ? 30 : 1e3), (dc_real)(DC_IS_FLOAT ? -20 : -2e3), 0);
    h->pb.t = h->pa.t;

    /* apart first, then nearer until the gap is as wanted */
    rng_unit3(r, n);
    if (class == ALIGNED) { n[0] = 0; n[1] = 0; n[2] = 1; }
    for (k = 0; k < 4; ++k) {
        double s;
        if (dc_hull_distance(&h->a, &h->pa, &h->b, &h->pb, &mem, &d) != DC_OK) return 0;
        s = (k < 2 ? fmax(gap, 1) : gap)*h->size - (double)d.gap;
        if (k == 0) s = fmax(s, 0) + 4*h->size;
        if (k > 0) { n[0] = -(double)d.n.x; n[1] = -(double)d.n.y; n[2] = -(double)d.n.z; }
        h->pb.t = dc_add(h->pb.t, dc_vec((dc_real)(s*n[0]), (dc_real)(s*n[1]), (dc_real)(s*n[2])));
    }
    if (dc_hull_distance(&h->a, &h->pa, &h->b, &h->pb, &mem, &d) != DC_OK) return 0;
    h->gap = (double)d.gap/h->size;
    if ((gap > 0) != (h->gap > 0) || (class == TOUCHING && fabs(h->gap) > 4*fabs(gap))) return 0;
    hulls_finish(h);
    return 1;
}

/* Two hulls of a class with at most `most` vertices, placed. */
static int hulls_draw(rng *r, int class, int most, double gap, double thin, hulls *h)
{
    double size = class == SIZES ? rng_log(r, 1e-6, 1e6) : 1;
    double other = size*(class == SIZES ? rng_log(r, 1e-3, 1e3) : rng_uniform(r, 0.5, 2));
    int box = class == PARALLEL || class == ALIGNED || class == TIES;
    h->a.n = box ? 8 : rng_int(r, 3, most);
    h->b.n = box ? 8 : rng_int(r, 3, most);
    points(r, class, size, thin, h->a.n, h->va);
    points(r, class, other, thin, h->b.n, h->vb);
    if (class == IDENTICAL) {
        h->b.n = h->a.n;
        other = size;
        memcpy(h->vb, h->va, sizeof h->vb);
    }
    h->size = fmax(size, other);
    return hulls_place(r, class, gap, h);
}

/* Radii, the gap kept. */
static void hulls_round(rng *r, hulls *h)
{
    dc_distance d = DC_ZERO;
    if (dc_hull_distance(&h->a, &h->pa, &h->b, &h->pb, NULL, &d) != DC_OK) return;
    h->Qa.radius = h->a.radius = (dc_real)(h->size*rng_log(r, 1e-3, 1));
    h->Qb.radius = h->b.radius = (dc_real)(h->size*rng_log(r, 1e-3, 1));
    h->pb.t = dc_madd(h->pb.t, -(h->a.radius + h->b.radius), d.n);
    h->rounding += (double)(h->a.radius + h->b.radius)/h->size;
}

#endif /* DC_AUDIT_HULLS_H_INCLUDED */
