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

/* coordinates, poses and lengths up to this size are accepted: fourth powers stay finite */
#if DC_IS_FLOAT
#define DCI_FAR DC_R(1e9)
#else
#define DCI_FAR DC_R(1e76)
#endif
#define DCI_INFINITY (DC_REAL_MAX*2)

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

/* ---- pair potentials -------------------------------------------------------------------------- */

#endif /* DC_CONTACT_IMPLEMENTED */
#endif /* DC_CONTACT_IMPLEMENTATION */
