/* dc_contact.h - v0.1.0 - contact potentials of convex hulls with exact derivatives, and the maths below them
 * SPDX-License-Identifier: MIT OR Unlicense
 */
#ifndef DC_CONTACT_H_INCLUDED
#define DC_CONTACT_H_INCLUDED

#include <stddef.h>

/* ---- configuration ------------------------------------------------------------------------- */

#ifndef DC_REAL
#define DC_REAL double
#endif

/* DC_IS_FLOAT is 1 when DC_REAL is float, 0 when it is double; anything else does not compile. */
#define DCI_PASTE_(a, b) a##b
#define DCI_PASTE(a, b) DCI_PASTE_(a, b)
#define DCI_IS_FLOAT_double 0
#define DCI_IS_FLOAT_float 1
#define DC_IS_FLOAT DCI_PASTE(DCI_IS_FLOAT_, DC_REAL)

#if defined(__FAST_MATH__)
#error "dc needs IEEE arithmetic: do not compile it with -ffast-math"
#endif

#if defined(__GNUC__) || defined(__clang__)
#define DCI_UNUSED __attribute__((unused))
#else
#define DCI_UNUSED
#endif

#ifndef DC_DEF
#ifdef DC_STATIC
#define DC_DEF static DCI_UNUSED
#else
#define DC_DEF extern
#endif
#endif

#define DC_INLINE static inline DCI_UNUSED

#ifdef __cplusplus
#define DC_ZERO {}
#else
#define DC_ZERO {0}
#endif

#define DC_R(x) ((dc_real)(x))

#if DC_IS_FLOAT
#define DC_EPS DC_R(1.1920928955078125e-7)          /* 2^-23: the distance from 1 to the next number */
#define DC_REAL_MAX DC_R(3.4028234663852886e38)
#define DC_REAL_MIN DC_R(1.1754943508222875e-38)    /* smallest normal number */
#else
#define DC_EPS DC_R(2.2204460492503131e-16)         /* 2^-52 */
#define DC_REAL_MAX DC_R(1.7976931348623157e308)
#define DC_REAL_MIN DC_R(2.2250738585072014e-308)
#endif

/* Two builds that disagree on DC_REAL must not link: every function of the float build has a name of its own. */
#if DC_IS_FLOAT
#define dc_status_text dc_status_text_f
#define dc_bytes dc_bytes_f
#define dc_arena_make dc_arena_make_f
#define dc_arena_take dc_arena_take_f
/* elementary functions */
/* dense algebra */
/* hull distance */
#define dc_hull_distance dc_hull_distance_f
#define dc_hull_distance_bytes dc_hull_distance_bytes_f
/* potentials */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types --------------------------------------------------------------------------------- */

typedef DC_REAL dc_real;

typedef struct { dc_real x, y, z; } dc_v3;
typedef struct { dc_real m[9]; } dc_m3;             /* row-major */
typedef struct { dc_real w, x, y, z; } dc_quat;     /* unit */
typedef struct { dc_quat q; dc_v3 t; } dc_pose;     /* x = R(q) x^ + t: body to world */
typedef struct { dc_real m[12]; } dc_affine;        /* 3x4 row-major, x = T (x^, 1) */

typedef enum {
    DC_OK = 0,
    DC_E_ARG,        /* a number that is not finite or out of range, a null pointer, a count below its least */
    DC_E_MEMORY,     /* the arena is too small */
    DC_E_OVERLAP,    /* the hulls touch or overlap where the function needs them apart */
    DC_E_RANGE,      /* the true result does not fit the number range */
    DC_E_SINGULAR,   /* a matrix is singular, or not positive definite where it has to be */
    DC_E_DIVERGED    /* iteration limit; outputs hold the best iterate */
} dc_status;

/* The status in words; never NULL. */
DC_DEF const char *dc_status_text(dc_status status);

/* ---- memory -------------------------------------------------------------------------------- */

/* A bump allocator over the caller's bytes. Calls that take scratch leave it as they found it. */
typedef struct { unsigned char *base; size_t size, used; } dc_arena;

#define DC_ALIGN 64

/* Bytes that `count` items of `size` bytes add to `sum` in an arena; SIZE_MAX once anything overflows. */
DC_DEF size_t dc_bytes(size_t sum, size_t count, size_t size);

DC_DEF dc_arena dc_arena_make(void *memory, size_t bytes);

/* `count` items of `size` bytes, aligned to DC_ALIGN; NULL when they do not fit. */
DC_DEF void *dc_arena_take(dc_arena *a, size_t count, size_t size);

/* ---- vectors, matrices, poses --------------------------------------------------------------- */

DC_INLINE dc_real dc_min(dc_real a, dc_real b) { return a < b ? a : b; }
DC_INLINE dc_real dc_max(dc_real a, dc_real b) { return a > b ? a : b; }
DC_INLINE dc_real dc_abs(dc_real a) { return a < 0 ? -a : a; }
/* x - x is zero for finite x and NaN otherwise */
DC_INLINE int dc_finite(dc_real x) { return x - x == 0; }

DC_INLINE dc_v3 dc_vec(dc_real x, dc_real y, dc_real z) { dc_v3 r; r.x = x; r.y = y; r.z = z; return r; }
DC_INLINE dc_v3 dc_add(dc_v3 a, dc_v3 b) { return dc_vec(a.x + b.x, a.y + b.y, a.z + b.z); }
DC_INLINE dc_v3 dc_sub(dc_v3 a, dc_v3 b) { return dc_vec(a.x - b.x, a.y - b.y, a.z - b.z); }
DC_INLINE dc_v3 dc_scale(dc_real s, dc_v3 a) { return dc_vec(s*a.x, s*a.y, s*a.z); }
DC_INLINE dc_v3 dc_neg(dc_v3 a) { return dc_vec(-a.x, -a.y, -a.z); }
/* a + s b */
DC_INLINE dc_v3 dc_madd(dc_v3 a, dc_real s, dc_v3 b) { return dc_vec(a.x + s*b.x, a.y + s*b.y, a.z + s*b.z); }
DC_INLINE dc_real dc_dot(dc_v3 a, dc_v3 b) { return a.x*b.x + a.y*b.y + a.z*b.z; }
DC_INLINE dc_v3 dc_cross(dc_v3 a, dc_v3 b)
{
    return dc_vec(a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x);
}
DC_INLINE int dc_finite3(dc_v3 a) { return dc_finite(a.x) && dc_finite(a.y) && dc_finite(a.z); }
/* M a and M^T a */
DC_INLINE dc_v3 dc_mul(const dc_m3 *M, dc_v3 a)
{
    const dc_real *m = M->m;
    return dc_vec(m[0]*a.x + m[1]*a.y + m[2]*a.z, m[3]*a.x + m[4]*a.y + m[5]*a.z, m[6]*a.x + m[7]*a.y + m[8]*a.z);
}
DC_INLINE dc_v3 dc_mul_t(const dc_m3 *M, dc_v3 a)
{
    const dc_real *m = M->m;
    return dc_vec(m[0]*a.x + m[3]*a.y + m[6]*a.z, m[1]*a.x + m[4]*a.y + m[7]*a.z, m[2]*a.x + m[5]*a.y + m[8]*a.z);
}
/* rotation matrix of a unit quaternion */
DC_INLINE dc_m3 dc_rotation(dc_quat q)
{
    dc_m3 r;
    r.m[0] = 1 - 2*(q.y*q.y + q.z*q.z);  r.m[1] = 2*(q.x*q.y - q.w*q.z);      r.m[2] = 2*(q.x*q.z + q.w*q.y);
    r.m[3] = 2*(q.x*q.y + q.w*q.z);      r.m[4] = 1 - 2*(q.x*q.x + q.z*q.z);  r.m[5] = 2*(q.y*q.z - q.w*q.x);
    r.m[6] = 2*(q.x*q.z - q.w*q.y);      r.m[7] = 2*(q.y*q.z + q.w*q.x);      r.m[8] = 1 - 2*(q.x*q.x + q.y*q.y);
    return r;
}

/* ---- elementary functions ------------------------------------------------------------------- */

DC_DEF dc_real dc_sqrt(dc_real x);

/* ---- dense algebra --------------------------------------------------------------------------- */

/* ---- hulls ----------------------------------------------------------------------------------- */

/* The convex hull of n >= 1 points in body coordinates: any order, duplicates and interior points allowed.
 * The points are borrowed for the length of each call. */
typedef struct { const dc_v3 *v; int n; } dc_hull;

#if DC_IS_FLOAT
#define DC_HULL_LIMIT DC_R(1e9)                     /* largest coordinate of a vertex or translation */
#else
#define DC_HULL_LIMIT DC_R(1e76)
#endif

typedef struct {
    dc_real gap;        /* signed: distance apart, 0 touching, minus the penetration depth when overlapping */
    dc_v3 n;            /* unit, from b to a; moving a by -gap n makes the hulls touch */
    dc_v3 pa, pb;       /* witness points in the world, pa - pb = gap n */
    int na, nb;         /* closest features: 1 vertex, 2 edge, 3 triangle; 0 when not known yet */
    int ia[3], ib[3];   /* their vertices; unused entries are 0 */
    dc_real wa[3], wb[3]; /* barycentric weights of the witness points in them */
    int iterations;     /* support evaluations of each hull */
} dc_distance;

/* Signed distance of two convex hulls, its direction, witness points and closest features.
 *
 *     gap = max over unit n of  (min over a of n.x - max over b of n.y)           apart and overlapping alike
 *
 * Apart this is min |x - y|. Overlapping it is minus the penetration depth: the length of the shortest translation that
 * makes the hulls touch, along n. Nested and identical hulls, and hulls of one or two points or of coplanar points, are
 * ordinary input; flat hulls that cross in their common plane have depth 0 along its normal. Where several directions
 * are equally good one of them is taken, always the same for the same input.
 *
 * Poses: NULL is the identity. A quaternion is used as it is, not normalised; |q.q - 1| <= 1e-3 is accepted.
 * mem: scratch for the depth, at least dc_hull_distance_bytes(a->n, b->n), left as it was found. NULL when only hulls
 * that are apart are of interest.
 * d: in and out. The features of an earlier answer (na, nb, ia, ib, wa, wb) are a warm start for the same hulls in a
 * slightly different pose; they may be anything, and are ignored when they do not fit. Zeroed: a cold start.
 * The answer of a warm start agrees with that of a cold one to rounding, not bit by bit.
 *
 * DC_OK           d is the answer. Without mem, gap > 0.
 * DC_E_OVERLAP    only without mem: the hulls touch or overlap. gap = 0, the rest of d is untouched.
 * DC_E_ARG        d, a hull or its vertices NULL, n < 1, a number that is not finite, a coordinate of a vertex or
 *                 translation beyond DC_HULL_LIMIT, a quaternion far from unit. d untouched, as for
 * DC_E_MEMORY     the hulls overlap and mem is too small.
 * DC_E_DIVERGED   the depth did not settle within 130 support points (hulls like a ball of hundreds of vertices): gap is
 *                 the room along n, so that the true depth is not larger, and everything else belongs to it. Without
 *                 mem, never met in the tests: the search ended early; n separates with room gap.
 *
 * Accuracy, worst of the tests, in units of eps S, S = sum over both bodies of the largest |vertex| and |t|: gap within
 * 3.4 of brute force apart, 1.5 overlapping. A gap above 32 is never called overlap, nor a depth above 32 apart; in
 * between, touching hulls have a gap of either sign. n separates: the room along n, summed in long double, is at least
 * gap - 2.1 eps S, for gaps down to 1e-12 of the size and below: n comes from the closest features and is checked by the
 * support of both hulls, it is not just the difference of the witness points. | |n| - 1 | <= 1.4 eps,
 * |pa - pb - gap n| <= 1.1 eps S, witness points within 3.3 eps S of the features' weighted points.
 * Subtraction of the first vertex precedes everything else, so that vertices 1e6 from the origin of a common frame cost
 * no digits.
 *
 * The derivative: where the closest features are unique, by the twists (v, w) of the two bodies,
 *     d gap = n.(v_a - v_b) + ((pa - t_a) x n).w_a - ((pb - t_b) x n).w_b
 * and one of several such values where they are not.
 *
 * Cost: linear in the vertices per support, usually 4 to 9 supports per hull (1 or 2 when warm), 8 to 28 for a depth.
 * Stack of all calls below 3.5 KB. */
DC_DEF dc_status dc_hull_distance(const dc_hull *a, const dc_pose *pose_a, const dc_hull *b, const dc_pose *pose_b,
                                  dc_arena *mem, dc_distance *d);

/* Bytes of mem that dc_hull_distance needs at most for hulls of na and nb vertices: 23 KB in double, 17 KB in float,
 * whatever the counts. */
DC_DEF size_t dc_hull_distance_bytes(int na, int nb);

/* ---- pair potentials -------------------------------------------------------------------------- */

#ifdef __cplusplus
}
#endif
#endif /* DC_CONTACT_H_INCLUDED */

/* ============================================================================================== */
#ifdef DC_CONTACT_IMPLEMENTATION
#ifndef DC_CONTACT_IMPLEMENTED
#define DC_CONTACT_IMPLEMENTED

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- status and memory ----------------------------------------------------------------------- */

DC_DEF const char *dc_status_text(dc_status status)
{
    switch (status) {
    case DC_OK:         return "ok";
    case DC_E_ARG:      return "an argument is not finite, out of range or missing";
    case DC_E_MEMORY:   return "the arena is too small";
    case DC_E_OVERLAP:  return "the hulls touch or overlap";
    case DC_E_RANGE:    return "the result does not fit the number range";
    case DC_E_SINGULAR: return "the matrix is singular or not positive definite";
    case DC_E_DIVERGED: return "the iteration limit was reached";
    }
    return "unknown status";
}

DC_DEF size_t dc_bytes(size_t sum, size_t count, size_t size)
{
    if (sum == SIZE_MAX) return SIZE_MAX;
    if (sum == 0) sum = DC_ALIGN - 1;                       /* the caller's memory may start anywhere */
    if (size != 0 && count > (SIZE_MAX - DC_ALIGN - sum)/size) return SIZE_MAX;
    return sum + (count*size + DC_ALIGN - 1)/DC_ALIGN*DC_ALIGN;
}

DC_DEF dc_arena dc_arena_make(void *memory, size_t bytes)
{
    dc_arena a;
    a.base = (unsigned char *)memory;
    a.size = memory ? bytes : 0;
    a.used = 0;
    return a;
}

DC_DEF void *dc_arena_take(dc_arena *a, size_t count, size_t size)
{
    size_t pad, bytes;
    if (!a || !a->base || (size != 0 && count > (SIZE_MAX - 2*DC_ALIGN)/size)) return NULL;
    /* whole blocks, so that the parts of a sum made with dc_bytes always fit */
    bytes = (count*size + DC_ALIGN - 1)/DC_ALIGN*DC_ALIGN;
    pad = (size_t)(-(uintptr_t)(a->base + a->used) & (DC_ALIGN - 1));
    if (a->used > a->size || pad > a->size - a->used || bytes > a->size - a->used - pad) return NULL;
    a->used += pad + bytes;
    return a->base + a->used - bytes;
}

/* ---- elementary functions ------------------------------------------------------------------- */

/* IEEE asks for the correctly rounded root, so that the platform's is the same bits everywhere */
DC_DEF dc_real dc_sqrt(dc_real x)
{
#if DC_IS_FLOAT
    return sqrtf(x);
#else
    return sqrt(x);
#endif
}

/* ---- dense algebra --------------------------------------------------------------------------- */

/* ---- hull distance ---------------------------------------------------------------------------- */

/* gcc packs pairs of coordinates into vectors and unpacks them again: slower by a tenth, warm, than plain scalars */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* A vertex pair: the point w = x - y of the Minkowski difference A - B. */
typedef struct { dc_v3 w; int ia, ib; } dci_mink;

/* Both hulls in one frame: the axes of the world, the origin at a's first vertex, scaled by a power of two.
 *     x = Ra (v - oa),   y = Rb (v - ob) + T                                    (1)
 * The subtraction comes first, so that vertices far from their body's origin cost no digits. */
typedef struct {
    dc_m3 Ra, Rb;
    dc_v3 oa, ob, T;
    const dc_v3 *va, *vb;
    int na, nb;
    dc_real mag2;       /* largest |x|^2 + |y|^2 met: the numbers whose rounding matters */
} dci_hulls;

/* Closest point of a simplex to the origin: direction (of any length), square of the distance, weights. */
typedef struct { dc_v3 dir; dc_real d2, l[4]; } dci_near;

#define DCI_HULL_TOL (16*DC_EPS)    /* overlap and contact are told from rounding above this times mag */
#define DCI_HULL_STOP (4*DC_EPS)    /* bounds of the distance that agree to this times mag are equal */
#define DCI_HULL_STEPS 128      /* cap of the simplex iteration */
#define DCI_HULL_WORK 8         /* points of the working set of the exhaustive search */

/* Index of the largest (v_i - o) . d. Four running maxima, so that no comparison waits for the one before, and selections
 * instead of branches: on a hull they are a coin toss. */
static int dci_support(const dc_v3 *v, int n, const dc_v3 *origin, dc_real dx, dc_real dy, dc_real dz)
{
    const dc_v3 o = *origin;
    dc_real b0 = -DC_REAL_MAX, b1 = b0, b2 = b0, b3 = b0, s0, s1, s2, s3;
    int i, k0 = 0, k1 = 0, k2 = 0, k3 = 0;
    for (i = 0; i + 4 <= n; i += 4, v += 4) {
        s0 = (v[0].x - o.x)*dx + (v[0].y - o.y)*dy + (v[0].z - o.z)*dz;
        s1 = (v[1].x - o.x)*dx + (v[1].y - o.y)*dy + (v[1].z - o.z)*dz;
        s2 = (v[2].x - o.x)*dx + (v[2].y - o.y)*dy + (v[2].z - o.z)*dz;
        s3 = (v[3].x - o.x)*dx + (v[3].y - o.y)*dy + (v[3].z - o.z)*dz;
        k0 = s0 > b0 ? i : k0;  b0 = s0 > b0 ? s0 : b0;
        k1 = s1 > b1 ? i : k1;  b1 = s1 > b1 ? s1 : b1;
        k2 = s2 > b2 ? i : k2;  b2 = s2 > b2 ? s2 : b2;
        k3 = s3 > b3 ? i : k3;  b3 = s3 > b3 ? s3 : b3;
    }
    for (; i < n; i++, v++) {
        s0 = (v[0].x - o.x)*dx + (v[0].y - o.y)*dy + (v[0].z - o.z)*dz;
        k0 = s0 > b0 ? i : k0;  b0 = s0 > b0 ? s0 : b0;
    }
    k1 += 1; k2 += 2; k3 += 3;
    k0 = b1 > b0 ? k1 : k0;  b0 = b1 > b0 ? b1 : b0;
    k2 = b3 > b2 ? k3 : k2;  b2 = b3 > b2 ? b3 : b2;
    return b2 > b0 ? k2 : k0;
}

DC_INLINE dc_v3 dci_point_a(const dci_hulls *h, int i) { return dc_mul(&h->Ra, dc_sub(h->va[i], h->oa)); }
DC_INLINE dc_v3 dci_point_b(const dci_hulls *h, int i) { return dc_add(dc_mul(&h->Rb, dc_sub(h->vb[i], h->ob)), h->T); }

DC_INLINE void dci_mink_of(dci_hulls *h, int ia, int ib, dci_mink *p)
{
    dc_v3 x = dci_point_a(h, ia), y = dci_point_b(h, ib);
    p->w = dc_sub(x, y);
    p->ia = ia;
    p->ib = ib;
    h->mag2 = dc_max(h->mag2, dc_dot(x, x) + dc_dot(y, y));
}

/* the point of A - B with the least n . w */
DC_INLINE void dci_mink_support(dci_hulls *h, dc_v3 n, dci_mink *p)
{
    dc_v3 u = dc_mul_t(&h->Ra, n), v = dc_mul_t(&h->Rb, n);
    int ia = dci_support(h->va, h->na, &h->oa, -u.x, -u.y, -u.z);
    int ib = dci_support(h->vb, h->nb, &h->ob, v.x, v.y, v.z);
    dci_mink_of(h, ia, ib, p);
}

/* d / |d|; d is scaled first, so that no square underflows; zero stays zero */
static dc_v3 dci_unit(dc_v3 d)
{
    dc_real m = dc_max(dc_max(dc_abs(d.x), dc_abs(d.y)), dc_abs(d.z));
    if (!(m > 0)) return dc_vec(0, 0, 0);
    d = dc_vec(d.x/m, d.y/m, d.z/m);
    return dc_scale(1/dc_sqrt(dc_dot(d, d)), d);
}

/* Origin against the segment a b: t = -a.e / e.e, v = a + t e. The weights of a and b go to l[0], l[1]. */
static void dci_near_edge(const dc_v3 *pa, const dc_v3 *pb, dci_near *r)
{
    const dc_v3 a = *pa, b = *pb, e = dc_sub(b, a);
    dc_real ee = dc_dot(e, e), ae = -dc_dot(a, e);
    dc_real t;
    if (!(ae > 0)) {                     /* vertex a; also e = 0 */
        t = 0;
        r->dir = a;
    } else if (ae >= ee) {               /* vertex b */
        t = 1;
        r->dir = b;
    } else {                             /* inside; a second projection when the first one cancelled */
        t = ae/ee;
        r->dir = dc_madd(a, t, e);
        if (dc_dot(r->dir, r->dir) < DC_R(0.01)*ee) r->dir = dc_madd(r->dir, -dc_dot(r->dir, e)/ee, e);
    }
    r->d2 = dc_dot(r->dir, r->dir);
    r->l[0] = 1 - t;
    r->l[1] = t;
}

/* A triangle by its longest edge e = q - p and the height f of the third point s over it, f at right angles to e. The
 * normal e x f and weights found along f and then along e lose no digits when the triangle is thin. */
typedef struct { dc_v3 p, sp, e, f; dc_real ee; int ip, iq, is; } dci_thin;

static void dci_thin_of(const dc_v3 *pa, const dc_v3 *pb, const dc_v3 *pc, dci_thin *thin)
{
    const dc_v3 a = *pa, b = *pb, c = *pc;
    dc_v3 ab = dc_sub(b, a), bc = dc_sub(c, b), ca = dc_sub(a, c);
    dc_real lab = dc_dot(ab, ab), lbc = dc_dot(bc, bc), lca = dc_dot(ca, ca);
    dci_thin t;
    if (lab >= lbc && lab >= lca) { t.ip = 0; t.iq = 1; t.is = 2; t.p = a; t.e = ab; t.ee = lab; t.sp = dc_neg(ca); }
    else if (lbc >= lca)          { t.ip = 1; t.iq = 2; t.is = 0; t.p = b; t.e = bc; t.ee = lbc; t.sp = dc_neg(ab); }
    else                          { t.ip = 2; t.iq = 0; t.is = 1; t.p = c; t.e = ca; t.ee = lca; t.sp = dc_neg(bc); }
    t.f = t.sp;
    if (t.ee > 0) {
        t.f = dc_madd(t.f, -dc_dot(t.f, t.e)/t.ee, t.e);
        t.f = dc_madd(t.f, -dc_dot(t.f, t.e)/t.ee, t.e);
    }
    *thin = t;
}

#define DCI_THIN DC_R(1e-4)     /* square of the sine at a below which a triangle is treated as thin */

/* unit normal of the triangle; zero when it has no area */
static dc_v3 dci_normal(const dc_v3 *a, const dc_v3 *b, const dc_v3 *c)
{
    dc_v3 ab = dc_sub(*b, *a), ac = dc_sub(*c, *a), n = dc_cross(ab, ac);
    if (dc_dot(n, n) < DCI_THIN*dc_dot(ab, ab)*dc_dot(ac, ac)) {
        dci_thin t;
        dci_thin_of(a, b, c, &t);
        n = dc_cross(t.e, t.f);
    }
    return dci_unit(n);
}

/* Origin against the triangle a b c. With n = ab x ac the foot of the normal is a + beta ab + gamma ac,
 *     beta = -n.(a x ac) / n.n,   gamma = n.(a x ab) / n.n,   alpha = 1 - beta - gamma.       (2)
 * Outside, the closest point lies on an edge whose opposite weight is not positive. Inside, the direction
 * is the normal: it keeps all its digits when the distance has none. */
static void dci_near_triangle(const dc_v3 *pa, const dc_v3 *pb, const dc_v3 *pc, dci_near *r)
{
    const dc_v3 a = *pa, b = *pb, c = *pc;
    dc_v3 ab = dc_sub(b, a), ac = dc_sub(c, a), n = dc_cross(ab, ac);
    dc_real nn = dc_dot(n, n);
    dc_real beta = -dc_dot(n, dc_cross(a, ac)), gamma = dc_dot(n, dc_cross(a, ab)), alpha = nn - beta - gamma;
    dci_near s;
    if (nn < DCI_THIN*dc_dot(ab, ab)*dc_dot(ac, ac)) {
        /* thin: the same weights from the orthogonal pair e, f */
        dci_thin t;
        dc_real l[3] = {0, 0, 0}, ff;
        dci_thin_of(pa, pb, pc, &t);
        ff = dc_dot(t.f, t.f);
        n = dc_cross(t.e, t.f);
        nn = dc_dot(n, n);
        if (nn > 0) {
            dc_v3 g = dc_madd(t.p, -dc_dot(t.p, t.e)/t.ee, t.e);
            g = dc_madd(g, -dc_dot(g, t.e)/t.ee, t.e);
            l[t.is] = -dc_dot(g, t.f)/ff;
            l[t.iq] = -dc_dot(dc_madd(t.p, l[t.is], t.sp), t.e)/t.ee;
            l[t.ip] = 1 - l[t.is] - l[t.iq];
        }
        alpha = l[0]*nn;
        beta = l[1]*nn;
        gamma = l[2]*nn;
    }
    if (alpha > 0 && beta > 0 && gamma > 0) {
        dc_real h = dc_dot(n, a), inv = 1/nn;
        r->dir = h < 0 ? dc_neg(n) : n;
        r->d2 = h*h*inv;
        r->l[0] = alpha*inv;
        r->l[1] = beta*inv;
        r->l[2] = gamma*inv;
        return;
    }
    r->d2 = DC_REAL_MAX;
    if (!(gamma > 0)) {
        dci_near_edge(pa, pb, r);
        r->l[2] = 0;
    }
    if (!(beta > 0)) {
        dci_near_edge(pa, pc, &s);
        if (s.d2 < r->d2) { r->dir = s.dir; r->d2 = s.d2; r->l[0] = s.l[0]; r->l[1] = 0; r->l[2] = s.l[1]; }
    }
    if (!(alpha > 0)) {
        dci_near_edge(pb, pc, &s);
        if (s.d2 < r->d2) { r->dir = s.dir; r->d2 = s.d2; r->l[0] = 0; r->l[1] = s.l[0]; r->l[2] = s.l[1]; }
    }
}

/* Origin against the tetrahedron a b c d, a the newest: the origin is known to be on a's side of b c d. The weights of
 * b, c, d, a go to l[0..3]. Returns 0
 * when no face has it outside. All three faces share the volume s = ab . (ac x ad); a face has the origin outside
 * when s and n . a have the same sign. */
static int dci_near_tetra(const dc_v3 *pa, const dc_v3 *pb, const dc_v3 *pc, const dc_v3 *pd, dci_near *r)
{
    const dc_v3 a = *pa, b = *pb, c = *pc, d = *pd;
    dc_v3 ab = dc_sub(b, a), ac = dc_sub(c, a), ad = dc_sub(d, a);
    dc_v3 nd = dc_cross(ab, ac), nb = dc_cross(ac, ad), nc = dc_cross(ad, ab);
    dc_real s = dc_dot(ab, nb);
    dci_near q;
    int any = 0;
    r->d2 = DC_REAL_MAX;
    if (!(s*dc_dot(nd, a) < 0)) {
        any = 1;
        dci_near_triangle(pa, pb, pc, &q);
        r->dir = q.dir; r->d2 = q.d2;
        r->l[3] = q.l[0]; r->l[0] = q.l[1]; r->l[1] = q.l[2]; r->l[2] = 0;
    }
    if (!(s*dc_dot(nb, a) < 0)) {
        any = 1;
        dci_near_triangle(pa, pc, pd, &q);
        if (q.d2 < r->d2) {
            r->dir = q.dir; r->d2 = q.d2;
            r->l[3] = q.l[0]; r->l[0] = 0; r->l[1] = q.l[1]; r->l[2] = q.l[2];
        }
    }
    if (!(s*dc_dot(nc, a) < 0)) {
        any = 1;
        dci_near_triangle(pa, pd, pb, &q);
        if (q.d2 < r->d2) {
            r->dir = q.dir; r->d2 = q.d2;
            r->l[3] = q.l[0]; r->l[0] = q.l[2]; r->l[1] = 0; r->l[2] = q.l[1];
        }
    }
    return any;
}

/* closest point of the m points p, the newest last; keeps those that carry it and returns their number, 0 inside */
static int dci_near_simplex(dci_mink *p, int m, dci_near *r)
{
    int i, k = 0;
    if (m == 1) {
        r->dir = p[0].w;
        r->l[0] = 1;
        return 1;
    }
    if (m == 2) {
        dci_near_edge(&p[0].w, &p[1].w, r);
    } else if (m == 3) {
        dci_near_triangle(&p[0].w, &p[1].w, &p[2].w, r);
    } else if (!dci_near_tetra(&p[3].w, &p[0].w, &p[1].w, &p[2].w, r)) {
        return 0;
    }
    for (i = 0; i < m; i++) {
        if (!(r->l[i] > 0)) continue;
        if (k < i) {
            p[k] = p[i];
            r->l[k] = r->l[i];
        }
        k++;
    }
    return k;
}

/* Does the tetrahedron p hold the origin by more than tol from each of its faces? */
static int dci_inside(const dci_mink *p, dc_real tol)
{
    int i;
    for (i = 0; i < 4; i++) {
        dc_v3 a = p[i].w, b = p[(i + 1) & 3].w, c = p[(i + 2) & 3].w, d = p[(i + 3) & 3].w;
        dc_v3 n = dci_normal(&a, &b, &c);
        dc_real h = -dc_dot(n, a), s = dc_dot(n, dc_sub(d, a));
        if (s < 0) { h = -h; s = -s; }
        if (!(h > tol && s > tol)) return 0;
    }
    return 1;
}

/* some direction at right angles to e */
static dc_v3 dci_across(dc_v3 e)
{
    dc_real x = dc_abs(e.x), y = dc_abs(e.y), z = dc_abs(e.z);
    if (x <= y && x <= z) return dc_cross(e, dc_vec(1, 0, 0));
    return dc_cross(e, y <= z ? dc_vec(0, 1, 0) : dc_vec(0, 0, 1));
}

/* keep n when the least n . w_k is larger than every one before */
static void dci_search_try(const dci_mink *p, int m, dc_v3 n, dc_real *best, dc_v3 *best_n)
{
    dc_real least = DC_REAL_MAX;
    int k;
    if (!(dc_dot(n, n) > DC_R(0.5))) return;        /* no direction */
    for (k = 0; k < m; k++) least = dc_min(least, dc_dot(n, p[k].w));
    if (least > *best) {
        *best = least;
        *best_n = n;
    }
}

/* Exhaustive search for what rounding has left undecided: touching hulls, gaps of a few eps, flat and needle-shaped
 * differences. The direction of the largest margin
 *     max_n phi(n),   phi(n) = min_k n . w_k                                     (3)
 * over a working set is normal to a vertex, an edge or a triangle of it, so every one of them is tried. The support
 * point of A - B along the winner then joins the set, until it improves nothing.
 * Returns 1: n and gap = phi(n) over all of A - B, at least -tol; 0: the hulls overlap by more than tol;
 * -1: cap, n and gap are the best so far. */
static int dci_search(dci_hulls *h, dci_mink *p, int *count, dc_v3 *n, dc_real *gap, int *steps)
{
    int m = *count, i, j, k, step, found = -1;
    dc_real tol;
    *gap = -DC_REAL_MAX;
    *n = dc_vec(1, 0, 0);
    /* each point once */
    for (i = 1; i < m; i++)
        for (k = 0; k < i; k++)
            if (p[k].ia == p[i].ia && p[k].ib == p[i].ib) {
                p[i--] = p[--m];
                break;
            }
    for (step = 0; step < DCI_HULL_STEPS && found < 0; step++) {
        dc_real best = -DC_REAL_MAX, value;
        dc_v3 dir = dc_vec(1, 0, 0), u, v, e;
        dci_mink w;
        tol = DCI_HULL_TOL*dc_sqrt(h->mag2);

        /* the best direction of the working set */
        for (i = 0; i < m; i++) {
            u = dci_unit(p[i].w);
            dci_search_try(p, m, u, &best, &dir);
            if (dc_dot(p[i].w, p[i].w) <= tol*tol) dci_search_try(p, m, dc_vec(1, 0, 0), &best, &dir);
            for (j = i + 1; j < m; j++) {
                dc_real ee;
                e = dc_sub(p[j].w, p[i].w);
                ee = dc_dot(e, e);
                if (!(ee > 0)) continue;
                v = dc_madd(p[i].w, -dc_dot(p[i].w, e)/ee, e);
                v = dc_madd(v, -dc_dot(v, e)/ee, e);
                dci_search_try(p, m, dci_unit(v), &best, &dir);
                if (dc_dot(v, v) <= tol*tol) dci_search_try(p, m, dci_unit(dci_across(e)), &best, &dir);
                for (k = j + 1; k < m; k++) {
                    u = dci_normal(&p[i].w, &p[j].w, &p[k].w);
                    dci_search_try(p, m, u, &best, &dir);
                    dci_search_try(p, m, dc_neg(u), &best, &dir);
                }
            }
        }
        if (best < -tol && m > 3) {
            *gap = best;
            *n = dir;
            found = 0;
            break;
        }

        /* does all of A - B keep that margin? */
        dci_mink_support(h, dir, &w);
        value = dc_dot(dir, w.w);
        if (value > *gap) {
            *gap = value;
            *n = dir;
        }
        if (value >= best - DCI_HULL_STOP*dc_sqrt(h->mag2)) found = 1;
        for (k = 0; k < m; k++)
            if (p[k].ia == w.ia && p[k].ib == w.ib) found = 1;
        if (found > 0) break;

        /* the support point joins; a full set loses its least active point */
        if (m == DCI_HULL_WORK) {
            int out = 0;
            for (k = 1; k < m; k++)
                if (dc_dot(dir, p[k].w) > dc_dot(dir, p[out].w)) out = k;
            p[out] = w;
        } else {
            p[m++] = w;
        }
    }
    *count = m;
    *steps += step;
    return found;
}

/* Weights of the point of the hull of m points that is closest to gap n, over all triangles of them; its points become
 * p[0], p[1], p[2]. Seen from the origin instead, features that differ by the root of eps are equally close. */
static int dci_search_feature(dci_mink *p, int m, dc_v3 n, dc_real gap, dci_near *r)
{
    int i, j, k, c[3] = {0, 0, 0};
    dci_near q;
    dci_mink t[3];
    dc_v3 v[DCI_HULL_WORK];
    for (i = 0; i < m; i++) v[i] = dc_madd(p[i].w, -gap, n);
    r->l[0] = 1;
    if (m < 2) return 1;
    r->d2 = DC_REAL_MAX;
    if (m == 2) {
        dci_near_edge(&v[0], &v[1], r);
        r->l[2] = 0;
        c[1] = 1;
    }
    for (i = 0; i < m; i++)
        for (j = i + 1; j < m; j++)
            for (k = j + 1; k < m; k++) {
                dci_near_triangle(&v[i], &v[j], &v[k], &q);
                if (q.d2 < r->d2) { *r = q; c[0] = i; c[1] = j; c[2] = k; }
            }
    for (i = 0; i < 3; i++) t[i] = p[c[i]];
    for (i = 0, k = 0; i < 3; i++)
        if (r->l[i] > 0) {
            p[k] = t[i];
            r->l[k++] = r->l[i];
        }
    return k;
}

/* Directions that leave the same room to rounding can differ by the root of eps. The one along the difference of the
 * witness points belongs to them: it is taken when it leaves the same room. A support point that forbids it joins the
 * features, until they meet gap n. Returns the number of points left in p. */
static int dci_search_align(dci_hulls *h, dci_mink *p, int m, dci_near *r, dc_v3 *n, dc_real *gap, int *steps)
{
    int i, turn;
    for (turn = 0; turn < DCI_HULL_WORK && *gap > 0; turn++) {
        dc_v3 v = dc_vec(0, 0, 0), u;
        dc_real value, slack = DCI_HULL_STOP*dc_sqrt(h->mag2);
        for (i = 0; i < m; i++) v = dc_madd(v, r->l[i], p[i].w);
        u = dci_unit(v);
        if (!(dc_dot(u, u) > 0)) break;
        dci_mink_support(h, u, &p[m]);
        ++*steps;
        value = dc_dot(u, p[m].w);
        if (value >= *gap - dc_min(slack, DC_R(0.1)**gap)) {
            *n = u;
            *gap = value;
            break;
        }
        v = dc_madd(v, -*gap, *n);
        if (dc_dot(v, v) <= slack*slack) break;
        m = dci_search_feature(p, m + 1, *n, *gap, r);
    }
    return m;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- penetration depth: the expanding polytope ---- */

/* n . w <= d inside, n outward. A face without area, or one that another point of the polytope sees, is inert: n = 0,
 * d = DC_REAL_MAX. It is never the closest one, and goes together with a neighbour. */
typedef struct { dc_v3 n; dc_real d; int v[3], pad; } dci_face;

#define DCI_DEPTH_VERTICES 130
#define DCI_DEPTH_FACES 256         /* 2 V - 4: what V points can span */
#define DCI_DEPTH_SEES (8*DC_EPS)   /* a face is seen from beyond this times mag over its plane */

typedef struct {
    dci_mink p[DCI_DEPTH_VERTICES];
    dci_face f[DCI_DEPTH_FACES];
    int edge[3*DCI_DEPTH_FACES][2];
    int np, nf, ne;
} dci_polytope;

static void dci_depth_inert(dci_face *f)
{
    f->n = dc_vec(0, 0, 0);
    f->d = DC_REAL_MAX;
}

/* the face i j k; thinner than `thin`, it is inert */
static void dci_depth_face(dci_polytope *t, int i, int j, int k, dc_real thin)
{
    dci_face *f = &t->f[t->nf++];
    dc_v3 a = t->p[i].w, ab = dc_sub(t->p[j].w, a), ac = dc_sub(t->p[k].w, a), bc = dc_sub(ac, ab), m = dc_cross(ab, ac);
    dc_real e2 = dc_max(dc_max(dc_dot(ab, ab), dc_dot(ac, ac)), dc_dot(bc, bc));
    f->v[0] = i; f->v[1] = j; f->v[2] = k;
    f->pad = 0;
    f->n = dci_normal(&t->p[i].w, &t->p[j].w, &t->p[k].w);
    f->d = dc_dot(f->n, a);
    if (!(dc_dot(m, m) > thin*thin*e2)) dci_depth_inert(f);
}

/* Takes face i away. Its edges join the rim, or leave it where the neighbour went before. */
static void dci_depth_drop(dci_polytope *t, int i)
{
    int c, j;
    const int *v = t->f[i].v;
    for (c = 0; c < 3; c++) {
        int a = v[c], b = v[c == 2 ? 0 : c + 1];
        for (j = 0; j < t->ne; j++)
            if (t->edge[j][0] == b && t->edge[j][1] == a) break;
        if (j < t->ne) {
            t->ne--;
            t->edge[j][0] = t->edge[t->ne][0];
            t->edge[j][1] = t->edge[t->ne][1];
        } else {
            t->edge[t->ne][0] = a;
            t->edge[t->ne][1] = b;
            t->ne++;
        }
    }
    t->f[i] = t->f[--t->nf];
}

/* Does an edge of face i lie on the rim? */
static int dci_depth_on_rim(const dci_polytope *t, int i)
{
    int c, j;
    const int *v = t->f[i].v;
    for (c = 0; c < 3; c++)
        for (j = 0; j < t->ne; j++)
            if (t->edge[j][0] == v[c == 2 ? 0 : c + 1] && t->edge[j][1] == v[c]) return 1;
    return 0;
}

/* Makes the polytope hold point k: the faces that see it go, inert ones beside them too, and the rim is joined to it.
 * Returns the number of new faces: 0 when none sees it, -1 when they do not fit. */
static int dci_depth_add(dci_polytope *t, int k, dc_real mag)
{
    dc_v3 w = t->p[k].w;
    int i, j, inert = 0;
    t->ne = 0;
    for (i = 0; i < t->nf;) {
        const dci_face *f = &t->f[i];
        inert |= f->d >= DC_REAL_MAX;
        if (dc_dot(f->n, w) - f->d > DCI_DEPTH_SEES*mag) dci_depth_drop(t, i);
        else i++;
    }
    while (inert && t->ne) {
        inert = 0;
        for (i = 0; i < t->nf;) {
            if (t->f[i].d >= DC_REAL_MAX && dci_depth_on_rim(t, i)) {
                dci_depth_drop(t, i);
                inert = 1;
            } else {
                i++;
            }
        }
    }
    if (t->nf + t->ne > DCI_DEPTH_FACES) return -1;
    for (j = 0; j < t->ne; j++) dci_depth_face(t, t->edge[j][0], t->edge[j][1], k, DCI_DEPTH_SEES*mag);
    return t->ne;
}

/* The tetrahedron of the largest volume, greedily: its points become the first four. 0 when they are flat. */
static int dci_depth_seed(dci_polytope *t)
{
    int i, k, m = t->np;
    dc_v3 e, n;
    for (k = 1; k < 4; k++) {
        dc_real best = 0;
        int at = -1;
        dci_mink s;
        e = k > 1 ? dci_unit(dc_sub(t->p[1].w, t->p[0].w)) : dc_vec(0, 0, 0);
        n = k > 2 ? dci_unit(dc_cross(e, dc_sub(t->p[2].w, t->p[0].w))) : dc_vec(0, 0, 0);
        for (i = k; i < m; i++) {
            dc_v3 r = dc_sub(t->p[i].w, t->p[0].w), x = k == 2 ? dc_cross(e, r) : r;
            dc_real size = k == 3 ? dc_abs(dc_dot(n, r)) : dc_dot(x, x);
            if (size > best) { best = size; at = i; }
        }
        if (at < 0) return 0;
        s = t->p[k]; t->p[k] = t->p[at]; t->p[at] = s;
    }
    t->nf = 0;
    n = dc_cross(dc_sub(t->p[1].w, t->p[0].w), dc_sub(t->p[2].w, t->p[0].w));
    if (dc_dot(n, dc_sub(t->p[3].w, t->p[0].w)) > 0) {
        dci_mink s = t->p[1];
        t->p[1] = t->p[2];
        t->p[2] = s;
    }
    dci_depth_face(t, 0, 1, 2, 0);
    dci_depth_face(t, 0, 3, 1, 0);
    dci_depth_face(t, 1, 3, 2, 0);
    dci_depth_face(t, 2, 3, 0, 0);
    return 1;
}

/* Depth of the origin in A - B, min over unit n of the support max_w n . w. The polytope spanned by the points met
 * lies inside, so the smallest plane distance of its faces is a lower bound, and the support along any face normal an
 * upper one; the closest face is pushed out until both agree. The polytope need not hold the origin at the start.
 * p holds count >= 4 points, at least one of them off the plane of the others. */
static dc_status dci_depth(dci_hulls *h, dci_polytope *t, dci_mink *p, int *count, dci_near *r, dc_v3 *n,
                           dc_real *gap, int *steps)
{
    dc_real upper = DC_REAL_MAX, best = DC_REAL_MAX;
    dc_status status = DC_E_DIVERGED;
    dci_near q;
    dc_v3 foot;
    int i, k;
    t->np = *count;
    for (i = 0; i < t->np; i++) t->p[i] = p[i];
    if (!dci_depth_seed(t)) return DC_E_SINGULAR;
    for (i = 4; i < t->np; i++)
        if (dci_depth_add(t, i, dc_sqrt(h->mag2)) < 0) return DC_E_SINGULAR;

    /* every turn adds a point or makes a face inert: V + F of them at most */
    for (;;) {
        dci_face *f = &t->f[0];
        dc_real value, mag;
        dc_v3 out;
        dci_mink *w = &t->p[t->np];
        int added = 0;
        for (i = 1; i < t->nf; i++)
            if (t->f[i].d < f->d) f = &t->f[i];
        if (t->nf == 0 || f->d >= upper - DCI_HULL_STOP*dc_sqrt(h->mag2)) { status = DC_OK; break; }
        if (t->np == DCI_DEPTH_VERTICES) break;
        out = f->n;
        dci_mink_support(h, dc_neg(out), w);
        ++*steps;
        value = dc_dot(out, w->w);
        if (value < upper) {
            upper = value;
            *n = dc_neg(out);
        }
        mag = dc_sqrt(h->mag2);
        if (value - f->d <= DCI_HULL_STOP*mag) { status = DC_OK; break; }
        for (k = 0; k < t->np; k++)
            if (t->p[k].ia == w->ia && t->p[k].ib == w->ib) break;
        if (k == t->np && value - f->d > DCI_DEPTH_SEES*mag) {
            added = dci_depth_add(t, t->np, mag);
            if (added < 0) break;
            t->np++;
        }
        if (added == 0) dci_depth_inert(f);
    }
    *gap = -upper;

    /* of the triangles that share the closest plane, the one with the foot of the origin */
    foot = dc_scale(*gap, *n);
    for (i = 0; i < t->nf; i++) {
        const int *v = t->f[i].v;
        dc_v3 a = dc_sub(t->p[v[0]].w, foot), b = dc_sub(t->p[v[1]].w, foot), c = dc_sub(t->p[v[2]].w, foot);
        dci_near_triangle(&a, &b, &c, &q);
        if (q.d2 < best) {
            best = q.d2;
            *r = q;
            for (k = 0; k < 3; k++) p[k] = t->p[v[k]];
        }
    }
    *count = 3;
    return status;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* ---- input and output ---- */

DC_INLINE int dci_in_limit(dc_v3 v)
{
    return v.x <= DC_HULL_LIMIT && v.x >= -DC_HULL_LIMIT && v.y <= DC_HULL_LIMIT && v.y >= -DC_HULL_LIMIT
        && v.z <= DC_HULL_LIMIT && v.z >= -DC_HULL_LIMIT;
}

/* Sums over one hull, with e = v - v_0: *mean = mean of e, *ext2 = sum of e.e, a bound of every e.e that is finite only
 * when every vertex is. 0 when a number is missing, not finite or too large. */
static int dci_hull_check(const dc_hull *a, dc_v3 *mean, dc_real *ext2)
{
    dc_v3 o, e, f, s, t;
    dc_real p = 0, q = 0;
    int i, n;
    if (!a || !a->v || a->n < 1) return 0;
    n = a->n;
    o = a->v[0];
    s = t = dc_vec(0, 0, 0);
    for (i = 0; i + 2 <= n; i += 2) {
        e = dc_sub(a->v[i], o);
        f = dc_sub(a->v[i + 1], o);
        s = dc_add(s, e);
        t = dc_add(t, f);
        p += dc_dot(e, e);
        q += dc_dot(f, f);
    }
    if (i < n) {
        e = dc_sub(a->v[i], o);
        s = dc_add(s, e);
        p += dc_dot(e, e);
    }
    *mean = dc_scale(1/(dc_real)n, dc_add(s, t));
    *ext2 = p + q;
    /* far below the limit one comparison is enough */
    if (*ext2 + dc_dot(o, o) <= DC_R(0.25)*DC_HULL_LIMIT*DC_HULL_LIMIT) return 1;
    for (i = 0; i < n; i++)
        if (!dci_in_limit(a->v[i])) return 0;
    return 1;
}

static int dci_pose_check(const dc_pose *p)
{
    dc_real e;
    if (!p) return 1;
    e = p->q.w*p->q.w + p->q.x*p->q.x + p->q.y*p->q.y + p->q.z*p->q.z - 1;
    return e <= DC_R(1e-3) && e >= DC_R(-1e-3) && dci_in_limit(p->t);
}

/* s = 2^-k and 1/s, both exact, for k with 4^k close to x2: the exponent halved */
static void dci_pow2_scale(dc_real x2, dc_real *s, dc_real *inv_s)
{
#if DC_IS_FLOAT
    uint32_t bits, e, r;
    memcpy(&bits, &x2, sizeof bits);
    e = ((bits >> 23 & 0xffu) + 127u) >> 1;             /* the bias counts twice in x2 */
    r = (254u - e) << 23;
    e <<= 23;
#else
    uint64_t bits, e, r;
    memcpy(&bits, &x2, sizeof bits);
    e = ((bits >> 52 & 0x7ffu) + 1023u) >> 1;
    r = (2046u - e) << 52;
    e <<= 52;
#endif
    memcpy(s, &r, sizeof *s);
    memcpy(inv_s, &e, sizeof *inv_s);
}

/* The frame of (1): rotations times the scale, T between the first vertices. */
static void dci_hulls_frame(dci_hulls *h, const dc_pose *pa, const dc_pose *pb, dc_real ext2, dc_real *inv_s, dc_v3 *origin)
{
    static const dc_quat one = {1, 0, 0, 0};
    dc_v3 za = dc_vec(0, 0, 0), ra, rb;
    dc_real s;
    int i;
    h->Ra = dc_rotation(pa ? pa->q : one);
    h->Rb = dc_rotation(pb ? pb->q : one);
    ra = dc_mul(&h->Ra, h->oa);
    rb = dc_mul(&h->Rb, h->ob);
    h->T = dc_add(dc_sub(pb ? pb->t : za, pa ? pa->t : za), dc_sub(rb, ra));
    *origin = dc_add(pa ? pa->t : za, ra);
    dci_pow2_scale(ext2 + dc_dot(h->T, h->T), &s, inv_s);
    for (i = 0; i < 9; i++) {
        h->Ra.m[i] *= s;
        h->Rb.m[i] *= s;
    }
    h->T = dc_scale(s, h->T);
    h->mag2 = 0;
}

/* The simplex of an earlier answer, newest first; 0 when there is none or it does not fit these hulls. */
static int dci_warm(dci_hulls *h, const dc_distance *d, dci_mink *p)
{
    int i, m = d->na > d->nb ? d->na : d->nb;
    if (d->na < 1 || d->na > 3 || d->nb < 1 || d->nb > 3) return 0;
    for (i = 0; i < d->na; i++)
        if (d->ia[i] < 0 || d->ia[i] >= h->na) return 0;
    for (i = 0; i < d->nb; i++)
        if (d->ib[i] < 0 || d->ib[i] >= h->nb) return 0;
    if (d->na == 2 && d->nb == 2) {
        /* two edges: the half of their parallelogram that held the witness points */
        int far = !(d->wa[1] + d->wb[1] <= 1);
        dci_mink_of(h, d->ia[far], d->ib[far], &p[0]);
        dci_mink_of(h, d->ia[0], d->ib[1], &p[1]);
        dci_mink_of(h, d->ia[1], d->ib[0], &p[2]);
        return 3;
    }
    for (i = 0; i < m; i++) dci_mink_of(h, d->ia[i < d->na ? i : 0], d->ib[i < d->nb ? i : 0], &p[i]);
    return m;
}

/* adds weight l of vertex k to a feature */
static void dci_feature_add(int *count, int *index, dc_real *weight, int k, dc_real l)
{
    int i;
    for (i = 0; i < *count; i++)
        if (index[i] == k) {
            weight[i] += l;
            return;
        }
    index[i] = k;
    weight[i] = l;
    ++*count;
}

/* sum of w_i (v_i - o); entries that are not used have index and weight 0 */
DC_INLINE dc_v3 dci_feature_point(const dc_v3 *v, dc_v3 o, const int *index, const dc_real *w)
{
    dc_v3 s = dc_scale(w[0], dc_sub(v[index[0]], o));
    s = dc_madd(s, w[1], dc_sub(v[index[1]], o));
    return dc_madd(s, w[2], dc_sub(v[index[2]], o));
}

/* Witness points from the simplex, moved apart or together by rounding so that pa - pb = gap n. */
static void dci_hull_answer(const dci_hulls *h, const dci_mink *p, const dci_near *r, int m, dc_v3 n, dc_real gap,
                            dc_real inv_s, dc_v3 origin, int steps, dc_distance *d)
{
    dc_v3 x, y, mid;
    int i;
    d->na = d->nb = 0;
    for (i = 0; i < 3; i++) {
        d->ia[i] = d->ib[i] = 0;
        d->wa[i] = d->wb[i] = 0;
    }
    for (i = 0; i < m; i++) {
        if (!(r->l[i] > 0)) continue;
        dci_feature_add(&d->na, d->ia, d->wa, p[i].ia, r->l[i]);
        dci_feature_add(&d->nb, d->ib, d->wb, p[i].ib, r->l[i]);
    }
    x = dc_mul(&h->Ra, dci_feature_point(h->va, h->oa, d->ia, d->wa));
    y = dc_add(dc_mul(&h->Rb, dci_feature_point(h->vb, h->ob, d->ib, d->wb)), h->T);
    mid = dc_scale(DC_R(0.5), dc_add(x, y));
    d->gap = gap*inv_s;
    d->n = n;
    d->pa = dc_add(origin, dc_scale(inv_s, dc_madd(mid, DC_R(0.5)*gap, n)));
    d->pb = dc_add(origin, dc_scale(inv_s, dc_madd(mid, DC_R(-0.5)*gap, n)));
    d->iterations = steps;
}

DC_DEF size_t dc_hull_distance_bytes(int na, int nb)
{
    (void)na;
    (void)nb;
    return dc_bytes(0, 1, sizeof(dci_polytope));
}

/* Simplex iteration. 1: separated, n, gap and r hold the answer; 0: the tetrahedron p holds the origin for certain;
 * -1: rounding stands in the way, p holds the m points to go on with. */
static int dci_simplex(dci_hulls *h, dci_mink *p, int *count, dci_near *r, dc_v3 *n, dc_real *gap, int *steps)
{
    dc_real last = DC_REAL_MAX;
    int m = *count, step;
    for (step = 0; step < DCI_HULL_STEPS; step++) {
        dc_v3 u;
        dc_real upper, lower, room, d2;
        int keep = dci_near_simplex(p, m, r);
        if (keep == 0) {
            *count = m;
            return dci_inside(p, DCI_HULL_TOL*dc_sqrt(h->mag2)) ? 0 : -1;
        }
        m = *count = keep;
        /* The bounds stay multiplied by |u|, and are compared by their squares: no root delays the support. */
        u = r->dir;
        d2 = dc_dot(u, u);
        if (!(d2 > DC_REAL_MIN/(DC_EPS*DC_EPS))) {
            u = dci_unit(u);
            d2 = 1;
        }
        upper = dc_dot(u, p[0].w);
        room = upper*upper/d2;
        if (!(upper > 0 && room < last && room > DCI_HULL_TOL*DCI_HULL_TOL*h->mag2)) return -1;
        last = room;
        dci_mink_support(h, u, &p[m]);
        ++*steps;
        lower = dc_dot(u, p[m].w);
        if (upper - lower <= 0 || (upper - lower)*(upper - lower) <= DCI_HULL_STOP*DCI_HULL_STOP*h->mag2*d2) {
            dc_real len = 1/dc_sqrt(d2);
            *n = dc_scale(len, u);
            *gap = dc_dot(*n, p[m].w);
            return 1;
        }
        m++;
    }
    return -1;
}

DC_DEF dc_status dc_hull_distance(const dc_hull *a, const dc_pose *pose_a, const dc_hull *b, const dc_pose *pose_b,
                                  dc_arena *mem, dc_distance *d)
{
    dci_hulls h;
    dci_mink p[DCI_HULL_WORK];
    dci_near r;
    dc_v3 mean_a, mean_b, n = dc_vec(1, 0, 0), origin;
    dc_real ext2_a, ext2_b, inv_s, gap = 0;
    dc_status status = DC_OK;
    int m, steps = 0, apart;

    if (!d || !dci_hull_check(a, &mean_a, &ext2_a) || !dci_hull_check(b, &mean_b, &ext2_b)) return DC_E_ARG;
    if (!dci_pose_check(pose_a) || !dci_pose_check(pose_b)) return DC_E_ARG;
    h.va = a->v; h.na = a->n; h.oa = a->v[0];
    h.vb = b->v; h.nb = b->n; h.ob = b->v[0];
    dci_hulls_frame(&h, pose_a, pose_b, ext2_a + ext2_b, &inv_s, &origin);

    /* start: an earlier answer, or the support along the line of the centres */
    m = dci_warm(&h, d, p);
    if (m == 0) {
        dc_v3 c = dc_sub(dc_sub(dc_mul(&h.Ra, mean_a), dc_mul(&h.Rb, mean_b)), h.T);
        dci_mink_support(&h, c, &p[0]);
        m = 1;
    }

    apart = dci_simplex(&h, p, &m, &r, &n, &gap, &steps);
    if (apart < 0) {
        apart = dci_search(&h, p, &m, &n, &gap, &steps);
        if (apart < 0 && mem) apart = 0;                 /* the polytope needs no decision beforehand */
        if (apart < 0) status = DC_E_DIVERGED;
        if (apart != 0) {
            m = dci_search_feature(p, m, n, gap, &r);
            m = dci_search_align(&h, p, m, &r, &n, &gap, &steps);
        }
    }
    if (apart == 0) {
        dc_arena undo;
        dci_polytope *t;
        if (!mem) {
            d->gap = 0;
            return DC_E_OVERLAP;
        }
        undo = *mem;
        t = (dci_polytope *)dc_arena_take(mem, 1, sizeof(dci_polytope));
        if (!t) return DC_E_MEMORY;
        status = dci_depth(&h, t, p, &m, &r, &n, &gap, &steps);
        *mem = undo;
        if (status == DC_E_SINGULAR) {
            /* flat after all: the best direction of the search stands */
            status = DC_E_DIVERGED;
            m = dci_search_feature(p, m, n, gap, &r);
        }
    }
    if (!mem && !(gap > 0)) {
        d->gap = 0;
        return DC_E_OVERLAP;
    }
    dci_hull_answer(&h, p, &r, m, n, gap, inv_s, origin, steps, d);
    return status;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- pair potentials -------------------------------------------------------------------------- */

#endif /* DC_CONTACT_IMPLEMENTED */
#endif /* DC_CONTACT_IMPLEMENTATION */
