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
#define dc_sqrt dc_sqrt_f
#define dc_exp dc_exp_f
#define dc_log dc_log_f
#define dc_log1p dc_log1p_f
#define dc_tanh dc_tanh_f
#define dc_sigmoid dc_sigmoid_f
#define dc_softplus dc_softplus_f
#define dc_pow dc_pow_f
#define dc_sincos dc_sincos_f
#define dc_atan2 dc_atan2_f
#define dc_quat_exp dc_quat_exp_f
#define dc_quat_log dc_quat_log_f
#define dc_quat_mul dc_quat_mul_f
#define dc_quat_conj dc_quat_conj_f
#define dc_quat_rotate dc_quat_rotate_f
#define dc_quat_normalize dc_quat_normalize_f
#define dc_quat_from_m3 dc_quat_from_m3_f
#define dc_m3_exp dc_m3_exp_f
#define dc_m3_log dc_m3_log_f
#define dc_so3_jl dc_so3_jl_f
#define dc_so3_jl_inv dc_so3_jl_inv_f
#define dc_so3_jl_grad dc_so3_jl_grad_f
#define dc_pose_mul dc_pose_mul_f
#define dc_pose_inv dc_pose_inv_f
#define dc_pose_apply dc_pose_apply_f
#define dc_pose_to_affine dc_pose_to_affine_f
#define dc_pose_retract dc_pose_retract_f
#define dc_pose_local dc_pose_local_f
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
/* The library's own: on every machine with IEEE arithmetic they give the same bits, provided that the compiler does
 * not contract a*b + c (-ffp-contract=off). They want rounding to nearest and subnormal numbers (no flush to zero).
 * All take every number: a NaN gives a NaN, subnormal arguments and results are right, results beyond the range are
 * infinite or zero. Only dc_sqrt may set errno, where the platform's does.
 *
 * The error stated is the largest found, in units in the last place of the exact result, without contraction.
 * (With it, on a fused multiply-add, none of a smaller sample was larger.) Double: against MPFR, 5 or 6 million
 * arguments per function in classes that stress each reduction (tests/tools/elementary_table.c). Float: all 2^32
 * arguments, for two arguments 100 million pairs (tests/tools/float_ulp.c).
 *
 * dc_exp, dc_log, dc_log1p, dc_tanh, dc_sigmoid and dc_softplus have neither branch nor table: their kernels
 * vectorise in a loop (tests/tools/lanes.c has the times). */

/* The square root, correctly rounded: 0.5 ulp. NaN for x < 0; dc_sqrt(-0) = -0. */
DC_DEF dc_real dc_sqrt(dc_real x);

/* e^x. Error 0.76 ulp (float 0.77), both where the result is subnormal. */
DC_DEF dc_real dc_exp(dc_real x);

/* The natural logarithm. Error 0.70 ulp (float 0.72). -inf at +0 and -0, NaN for x < 0. */
DC_DEF dc_real dc_log(dc_real x);

/* log(1 + x) without the rounding of 1 + x: dc_log1p(x) = x for tiny x, with its sign. Error 0.71 ulp (float 0.72).
 * -inf at -1, NaN for x < -1. */
DC_DEF dc_real dc_log1p(dc_real x);

/* The hyperbolic tangent; dc_tanh(-x) = -dc_tanh(x) to the bit. Error 1.18 ulp (float 1.21). */
DC_DEF dc_real dc_tanh(dc_real x);

/* The logistic function 1/(1 + e^-x), relative accuracy down to its last subnormal value. Error 1.06 ulp (float 1.10).
 * Its derivative is dc_sigmoid(x) dc_sigmoid(-x). */
DC_DEF dc_real dc_sigmoid(dc_real x);

/* log(1 + e^x), without overflow, relative accuracy down to its last subnormal value. Error 1.03 ulp (float 1.06).
 * Its derivative is dc_sigmoid(x). */
DC_DEF dc_real dc_softplus(dc_real x);

/* x^y. Error 0.83 ulp (float 0.77). Special cases as in C99 annex F.9.4.4: 1 for y = 0 and for x = 1, even with a
 * NaN; NaN for x < 0 and y finite, not an integer; the sign of x for odd y; infinite at x = 0, y < 0. */
DC_DEF dc_real dc_pow(dc_real x, dc_real y);

/* *s = sin x, *c = cos x, x in radians, every finite x up to the largest. Error 0.81 ulp (float 0.83) of each.
 * Both NaN for an infinite x. s and c must be two places. */
DC_DEF void dc_sincos(dc_real x, dc_real *s, dc_real *c);

/* The angle of the point (x, y) in [-pi, pi], with the sign of y. Error 0.65 ulp (float 0.65). Zeros and infinities
 * as in C99 annex F.9.1.4: dc_atan2(0, 0) = 0, dc_atan2(0, -0) = pi, dc_atan2(inf, inf) = pi/4, ... */
DC_DEF dc_real dc_atan2(dc_real y, dc_real x);

/* ---- rotations ---- */
/* w is a rotation vector: axis times angle th = |w|, [w] its cross product matrix, [w] a = w x a.
 * Quaternions are unit unless it says otherwise; q and -q are one rotation. Numbers that are not finite give
 * results that are not; only dc_quat_normalize answers with a status. Errors are the largest that
 * tests/test_contact_math.c found, in DC_EPS, for |w| < 6; longer vectors add their own rounding, th DC_EPS/2. */

/* exp(w) = (cos(th/2), sin(th/2) w/th), th of any size. Error 4 DC_EPS. */
DC_DEF dc_quat dc_quat_exp(dc_v3 w);

/* The w with exp(w) = q and |w| <= pi; for q.w = 0 the one of +-w that points along q's vector part. Relative error
 * 4 DC_EPS however small or close to pi the angle is. q need not be unit: its length cancels; q = 0 gives 0. */
DC_DEF dc_v3 dc_quat_log(dc_quat q);

/* a b: first b, then a. Not normalised. */
DC_DEF dc_quat dc_quat_mul(dc_quat a, dc_quat b);

/* The inverse of a unit quaternion. */
DC_DEF dc_quat dc_quat_conj(dc_quat q);

/* R(q) a for unit q. */
DC_DEF dc_v3 dc_quat_rotate(dc_quat q, dc_v3 a);

/* *out = q/|q|, for q of any length the format can hold. DC_E_ARG, *out untouched: q zero or not finite, out NULL. */
DC_DEF dc_status dc_quat_normalize(dc_quat q, dc_quat *out);

/* The unit quaternion of a rotation matrix, q.w >= 0 (Shepperd's choice of pivot). A matrix that is off a rotation by e
 * gives a quaternion off by the order of e. Error 3 DC_EPS. */
DC_DEF dc_quat dc_quat_from_m3(const dc_m3 *R);

/* exp([w]) = 1 + sin(th)/th [w] + (1 - cos th)/th^2 [w]^2, by way of dc_quat_exp. Error 7 DC_EPS per entry,
 * R^T R - 1 below 6 DC_EPS. */
DC_DEF dc_m3 dc_m3_exp(dc_v3 w);

/* The w with exp([w]) = R and |w| <= pi. Absolute error 8 DC_EPS at every angle; at pi, within the rounding of R,
 * w and -w are the same rotation and either is returned. */
DC_DEF dc_v3 dc_m3_log(const dc_m3 *R);

/* The left Jacobian, exp([w + dw]) = exp([J_l dw]) exp([w]) to first order:
 *     J_l = 1 + b [w] + c [w]^2,  b = (1 - cos th)/th^2,  c = (th - sin th)/th^3
 * by their series below th = 2. |w|^2 must not overflow. Error 3 DC_EPS per entry. The right Jacobian is
 * J_l(-w) = J_l(w)^T. */
DC_DEF dc_m3 dc_so3_jl(dc_v3 w);

/* J_l^-1 = 1 - [w]/2 + d [w]^2, d = (1 - (th/2) cot(th/2))/th^2. J_l is singular at th = 2 pi, 4 pi, ...: there
 * this grows as 1/|th - 2 pi| and loses digits in the same measure, but stays finite, no number being a multiple of
 * pi. J_l J_l^-1 - 1 is below 10 DC_EPS for th < 5.5. |w|^2 must not overflow. */
DC_DEF dc_m3 dc_so3_jl_inv(dc_v3 w);

/* The derivative of J_l(w) v by w, v held: row i, column j = d(J_l v)_i/dw_j. For second derivatives:
 *     exp([w + dw]) = exp([J_l dw + G dw/2]) exp([w]) to second order, G = dc_so3_jl_grad(w, dw).
 * Series and closed form differ by 7 DC_EPS, relative, where they meet. */
DC_DEF dc_m3 dc_so3_jl_grad(dc_v3 w, dc_v3 v);

/* a b: x = a(b(x^)), the product normalised again so that chains do not drift. */
DC_DEF dc_pose dc_pose_mul(dc_pose a, dc_pose b);

/* The pose that undoes p. */
DC_DEF dc_pose dc_pose_inv(dc_pose p);

/* R(q) a + t */
DC_DEF dc_v3 dc_pose_apply(dc_pose p, dc_v3 a);

/* The 3x4 matrix of the pose. */
DC_DEF dc_affine dc_pose_to_affine(dc_pose p);

/* p moved by the world-frame twist xi = (v, w) about the body origin, x <- exp([w])(x - t) + t + v:
 *     q' = exp(w) q,  t' = t + v
 * normalised again. xi: 6 numbers, v before w. */
DC_DEF dc_pose dc_pose_retract(dc_pose p, const dc_real xi[6]);

/* The twist that takes p0 to p1, |w| <= pi: dc_pose_retract(p0, xi) is p1. Writes 6 numbers. */
DC_DEF void dc_pose_local(dc_pose p0, dc_pose p1, dc_real xi[6]);

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
/* One text for both formats. The lane kernels, dci_exp_lane to dci_softplus_lane, have no branch, table
 * or integer conversion, so that a loop over one of them vectorises; dc_exp and its kin call them.
 *
 * Rounding errors are carried as a second number: hi + lo stands for a sum that is never rounded. No step
 * depends on whether a*b + c is contracted: where the error of a product matters, the factors are short
 * enough (bits cleared by hand) that the product is exact. Polynomials: tests/tools/polynomials.py. */

#if defined(__FLT_EVAL_METHOD__)
#if __FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2
#error "dc needs arithmetic that rounds to its own type: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif
#endif

/* IEEE asks for the correctly rounded root, so that the platform's is the same bits everywhere */
DC_DEF dc_real dc_sqrt(dc_real x)
{
#if DC_IS_FLOAT
    return sqrtf(x);
#else
    return sqrt(x);
#endif
}

/* gcc vectorises floating-point selects only without trapping maths; a loop over lanes needs it as well */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif

#if (defined(__GNUC__) || defined(__clang__)) && !defined(__OPTIMIZE_SIZE__)
#define DCI_LANE static inline DCI_UNUSED __attribute__((always_inline))
#else
#define DCI_LANE static inline DCI_UNUSED
#endif

#if DC_IS_FLOAT
typedef uint32_t dci_bits;
#define DCI_B(x)       ((dci_bits)(x##u))
#define DCI_MANT       23                              /* stored bits of the mantissa */
#define DCI_BIAS       DCI_B(127)
#define DCI_SIGN       DCI_B(0x80000000)
#define DCI_FRACTION   DCI_B(0x007fffff)
#define DCI_INF        DCI_B(0x7f800000)
#define DCI_NAN        DCI_B(0x7fc00000)
#define DCI_ONE        DCI_B(0x3f800000)
#define DCI_SQRTH      DCI_B(0x3f3504f3)               /* sqrt(1/2) */
#define DCI_TOP        DCI_B(0xfffff000)               /* keeps 12 of 24 bits */
#define DCI_UNIT       DC_R(8388608.0)                 /* 2^23 */
#define DCI_SHIFT      DC_R(12582912.0)                /* 1.5 2^23: adding it rounds to an integer in the low bits */
#define DCI_LN2_HI     DC_R(0.693145751953125)         /* 15 bits: exact times any exponent */
#define DCI_LN2_LO     DC_R(1.428606765330187e-06)
#define DCI_LOG2E      DC_R(1.4426950408889634)
#define DCI_EXP_MAX    DC_R(89.0)                      /* exp is infinite here, zero at DCI_EXP_MIN */
#define DCI_EXP_MIN    DC_R(-104.0)
#define DCI_TANH_MAX   DC_R(10.0)                      /* tanh is 1 */
#else
typedef uint64_t dci_bits;
#define DCI_B(x)       ((dci_bits)(x##u))
#define DCI_MANT       52
#define DCI_BIAS       DCI_B(1023)
#define DCI_SIGN       DCI_B(0x8000000000000000)
#define DCI_FRACTION   DCI_B(0x000fffffffffffff)
#define DCI_INF        DCI_B(0x7ff0000000000000)
#define DCI_NAN        DCI_B(0x7ff8000000000000)
#define DCI_ONE        DCI_B(0x3ff0000000000000)
#define DCI_SQRTH      DCI_B(0x3fe6a09e667f3bcd)
#define DCI_TOP        DCI_B(0xfffffffff8000000)       /* keeps 26 of 53 bits */
#define DCI_UNIT       DC_R(4503599627370496.0)        /* 2^52 */
#define DCI_SHIFT      DC_R(6755399441055744.0)        /* 1.5 2^52 */
#define DCI_LN2_HI     DC_R(0.6931471805601177)        /* 41 bits */
#define DCI_LN2_LO     DC_R(-1.7239444525614835e-13)
#define DCI_LOG2E      DC_R(1.4426950408889634)
#define DCI_EXP_MAX    DC_R(710.0)
#define DCI_EXP_MIN    DC_R(-746.0)
#define DCI_TANH_MAX   DC_R(22.0)
#endif

DCI_LANE dci_bits dci_to_bits(dc_real x) { dci_bits b; memcpy(&b, &x, sizeof b); return b; }
DCI_LANE dc_real dci_from_bits(dci_bits b) { dc_real x; memcpy(&x, &b, sizeof x); return x; }
DCI_LANE dc_real dci_fabs(dc_real x) { return dci_from_bits(dci_to_bits(x) & ~DCI_SIGN); }
/* |x| with the sign of s */
DCI_LANE dc_real dci_copysign(dc_real x, dc_real s)
{
    return dci_from_bits((dci_to_bits(x) & ~DCI_SIGN) | (dci_to_bits(s) & DCI_SIGN));
}
/* the leading half of the bits of x: products of two such halves are exact */
DCI_LANE dc_real dci_top(dc_real x) { return dci_from_bits(dci_to_bits(x) & DCI_TOP); }

typedef struct { dc_real hi, lo; } dci_sum;            /* hi + lo, unevaluated */

/* ---- polynomials ---- */

/* (e^r - 1 - r - r^2/2)/r^3 on |r| <= ln2/2; relative error in e^r - 1: 2^-60, float 2^-30 */
DCI_LANE dc_real dci_poly_exp(dc_real r)
{
#if DC_IS_FLOAT
    return DC_R(0.166666672) + r*(DC_R(0.0416664816) + r*(DC_R(0.00833328161)
         + r*(DC_R(0.0013933396) + r*DC_R(0.000199098344))));
#else
    dc_real r2 = r*r, r4 = r2*r2;                      /* Estrin: a shorter chain than Horner's */
    dc_real a = DC_R(0.16666666666666677) + r*DC_R(0.041666666666666692);
    dc_real b = DC_R(0.0083333333333216117) + r*DC_R(0.0013888888888870081);
    dc_real c = DC_R(0.00019841269886227005) + r*DC_R(2.4801587356263729e-05);
    dc_real d = DC_R(2.7557244066876899e-06) + r*DC_R(2.7557245434815884e-07);
    dc_real e = DC_R(2.5109098389930964e-08) + r*DC_R(2.0923807454554317e-09);
    return (a + r2*b) + r4*((c + r2*d) + r4*e);
#endif
}

/* (log((1+s)/(1-s)) - 2s)/(s z), z = s^2 <= 0.0295; relative error in the log: 2^-61, float 2^-31 */
DCI_LANE dc_real dci_poly_log(dc_real z)
{
#if DC_IS_FLOAT
    return DC_R(0.666666627) + z*(DC_R(0.400003374) + z*(DC_R(0.285372376) + z*DC_R(0.235835686)));
#else
    dc_real z2 = z*z, z4 = z2*z2;
    dc_real a = DC_R(0.66666666666666663) + z*DC_R(0.40000000000006286);
    dc_real b = DC_R(0.28571428569072954) + z*DC_R(0.22222222648754475);
    dc_real c = DC_R(0.181817755080872) + z*DC_R(0.15387097673021718);
    dc_real d = DC_R(0.13249961488065093) + z*DC_R(0.13252759908830128);
    return (a + z2*b) + z4*(c + z2*d);
#endif
}

/* (atanh(s)/s - 1 - z/3)/z^2, z = s^2 <= 0.0295; error relative to atanh(s)/s: 2^-68, float 2^-38 */
DCI_LANE dc_real dci_poly_pow(dc_real z)
{
#if DC_IS_FLOAT
    return DC_R(0.199999988) + z*(DC_R(0.14285937) + z*(DC_R(0.110924691) + z*DC_R(0.0973458588)));
#else
    return DC_R(0.20000000000000001) + z*(DC_R(0.14285714285714188) + z*(DC_R(0.1111111111114553) 
         + z*(DC_R(0.090909090845883792) + z*(DC_R(0.076923083800718467) + z*(DC_R(0.066666200290248417) 
         + z*(DC_R(0.058843429908384606) + z*(DC_R(0.052113448794614117) + z*DC_R(0.05507448263297935))))))));
#endif
}

/* (sin(r)/r - 1)/z, z = r^2, |r| <= pi/4; relative error in the sine: 2^-57, float 2^-27 */
DCI_LANE dc_real dci_poly_sin(dc_real z)
{
#if DC_IS_FLOAT
    return DC_R(-0.166666552) + z*(DC_R(0.00833217613) + z*DC_R(-0.000195169778));
#else
    return DC_R(-0.16666666666666632) + z*(DC_R(0.0083333333333223698) + z*(DC_R(-0.00019841269829771069)
         + z*(DC_R(2.7557313678613242e-06) + z*(DC_R(-2.505075595163054e-08) + z*DC_R(1.5896665892874331e-10)))));
#endif
}

/* (cos(r) - 1 + z/2)/z^2, z = r^2, |r| <= pi/4; absolute error in the cosine: 2^-59, float 2^-30 */
DCI_LANE dc_real dci_poly_cos(dc_real z)
{
#if DC_IS_FLOAT
    return DC_R(0.0416666456) + z*(DC_R(-0.00138873642) + z*DC_R(2.44380917e-05));
#else
    return DC_R(0.041666666666666602) + z*(DC_R(-0.0013888888888874064) + z*(DC_R(2.4801587289443448e-05)
         + z*(DC_R(-2.7557314340646484e-07) + z*(DC_R(2.0875721621605277e-09) + z*DC_R(-1.1359559207684031e-11)))));
#endif
}

/* (atan(t)/t - 1)/z, z = t^2, t <= tan(pi/8); relative error in the arctangent: 2^-58, float 2^-28 */
DCI_LANE dc_real dci_poly_atan(dc_real z)
{
#if DC_IS_FLOAT
    return DC_R(-0.333333164) + z*(DC_R(0.199984834) + z*(DC_R(-0.142437384) + z*(DC_R(0.105951376)
         + z*DC_R(-0.0608115084))));
#else
    return DC_R(-0.33333333333333326) + z*(DC_R(0.1999999999999767) + z*(DC_R(-0.14285714285388132)
         + z*(DC_R(0.11111111088184707) + z*(DC_R(-0.090909081447583223) + z*(DC_R(0.076922827634888058)
         + z*(DC_R(-0.06666226823841552) + z*(DC_R(0.058770224051278831) + z*(DC_R(-0.05218408026913781)
         + z*(DC_R(0.045035631502851461) + z*(DC_R(-0.033474751898973518) + z*DC_R(0.015195428243678128)))))))))));
#endif
}

/* ---- exponential family ---- */

/* e^(x + dx) = 2^n e^(r + c), |r| <= ln2/2 and c below the rounding error of r */
typedef struct {
    dc_real r, c;
    dc_real q;                /* e^r - 1 - r */
    dc_real n;
    dci_bits k;               /* n in the low bits, two's complement */
} dci_exp_parts;

DCI_LANE dci_exp_parts dci_exp_reduce(dc_real x, dc_real dx)
{
    dci_exp_parts p;
    dc_real nk = x*DCI_LOG2E + DCI_SHIFT;
    dc_real a, b;
    p.k = dci_to_bits(nk);
    p.n = nk - DCI_SHIFT;
    a = x - p.n*DCI_LN2_HI;                                /* exact */
    b = p.n*DCI_LN2_LO - dx;
    p.r = a - b;
    p.c = (a - p.r) - b;
    p.q = p.r*p.r*(DC_R(0.5) + p.r*dci_poly_exp(p.r));
    return p;
}

/* 2^n for the n of bits k: -BIAS < n <= BIAS */
DCI_LANE dc_real dci_exp2_bits(dci_bits k) { return dci_from_bits((k + DCI_BIAS) << DCI_MANT); }

/* 2^n e^(r + c) as a sum, subnormal and overflowing results included: 2^n is applied in two halves, of
 * which the first is exact, so that there is one rounding more where the result is subnormal and none elsewhere */
DCI_LANE dci_sum dci_exp_join(dci_exp_parts p)
{
    dci_bits half = dci_to_bits(p.n*DC_R(0.5) + DCI_SHIFT);
    dc_real s1 = dci_exp2_bits(half), s2 = dci_exp2_bits(p.k - half);
    dc_real s = 1 + p.r;
    dc_real t = ((1 - s) + p.r) + (p.q + p.c*s);           /* e^(r+c) = s + t */
    dci_sum e;
    e.hi = s + t;
    e.lo = t - (e.hi - s);
    e.hi = e.hi*s1*s2;
    e.lo = e.lo*s1*s2;
    return e;
}

DCI_LANE dc_real dci_exp_lane(dc_real x)
{
    /* a NaN fails both comparisons and stays */
    x = x < DCI_EXP_MIN ? DCI_EXP_MIN : x;
    x = x > DCI_EXP_MAX ? DCI_EXP_MAX : x;
    return dci_exp_join(dci_exp_reduce(x, 0)).hi;
}

/* e^-|x| */
DCI_LANE dci_sum dci_exp_minus_abs(dc_real x)
{
    dc_real a = -dci_fabs(x);
    a = a < DCI_EXP_MIN ? DCI_EXP_MIN : a;
    return dci_exp_join(dci_exp_reduce(a, 0));
}

/* n ln2 + log(1 + f + df), -0.3 <= f <= 0.42, |df| <= eps/2; relative error 2^-58, float 2^-29
 *     s = f/(2 + f),  log(1 + f) = log((1 + s)/(1 - s)) = f - f^2/2 + s (f^2/2 + s^2 L(s^2))      */
DCI_LANE dci_sum dci_log_join(dc_real n, dc_real f, dc_real df)
{
    dc_real s = f/(2 + f);                                 /* 2 + f > 1.6 */
    dc_real z = s*s;
    dc_real h = DC_R(0.5)*f*f;
    dc_real a = f - h;
    dc_real b = (f - a) - h;                               /* f - h = a + b */
    dc_real w = n*DCI_LN2_HI;                              /* exact */
    dci_sum y;
    b += s*(h + z*dci_poly_log(z)) + df*((1 - s)*(1 - s + z));   /* 1/(1 + f) = (1 - s)/(1 + s) */
    y.hi = w + a;
    y.lo = ((w - y.hi) + a) + (b + n*DCI_LN2_LO);
    return y;
}

/* x = 2^n m, sqrt(1/2) <= m < sqrt(2), for normal x > 0 */
DCI_LANE dc_real dci_log_reduce(dc_real x, dc_real *n)
{
    dci_bits b = dci_to_bits(x) + (DCI_ONE - DCI_SQRTH);
    /* the exponent becomes a number by way of the low bits of 2^52 + exponent */
    *n = dci_from_bits((b >> DCI_MANT) | dci_to_bits(DCI_UNIT)) - (DCI_UNIT + DC_R(DCI_BIAS));
    return dci_from_bits((b & DCI_FRACTION) + DCI_SQRTH);
}

DCI_LANE dc_real dci_log_lane(dc_real x)
{
    dc_real up = x < DC_REAL_MIN ? 4*DCI_UNIT : DC_R(1);   /* lifts subnormal numbers into the normal range */
    dc_real un = x < DC_REAL_MIN ? DC_R(DCI_MANT + 2) : DC_R(0);
    dc_real n, m = dci_log_reduce(x*up, &n);
    dci_sum s = dci_log_join(n - un, m - 1, 0);
    dc_real y = s.hi + s.lo;
    y = x > DC_REAL_MAX ? x : y;
    y = x > 0 ? y : dci_from_bits(DCI_NAN);
    return x == 0 ? -dci_from_bits(DCI_INF) : y;
}

DCI_LANE dc_real dci_log1p_lane(dc_real x)
{
    /* 1 + x = u + c exactly */
    dc_real u = 1 + x;
    dc_real v = u - 1;
    dc_real c = (1 - (u - v)) + (x - v);
    /* u + c = 2^n (m + d); the scale stops at 2^-64 (float 2^-32), far below which c is zero or 1 */
    dc_real n, m = dci_log_reduce(u, &n);
    dc_real top = DC_IS_FLOAT ? DC_R(32) : DC_R(64);
    dc_real d = c*dci_exp2_bits(dci_to_bits(DCI_SHIFT - (n < top ? n : top)));
    dc_real f = (m - 1) + d;
    dci_sum s = dci_log_join(n, f, d - (f - (m - 1)));
    dc_real y = s.hi + s.lo;
    y = x > DC_REAL_MAX ? x : y;
    y = x > -1 ? y : dci_from_bits(DCI_NAN);
    y = x == -1 ? -dci_from_bits(DCI_INF) : y;
    return x == 0 ? x : y;                                 /* keeps the sign of zero */
}

/* tanh |x| = -E/(2 + E), E = e^(-2|x|) - 1 */
DCI_LANE dc_real dci_tanh_lane(dc_real x)
{
    dc_real a = dci_fabs(x);
    dci_exp_parts p;
    dc_real s, g, h, e, de, d, dd, y;
    a = a > DCI_TANH_MAX ? DCI_TANH_MAX : a;
    p = dci_exp_reduce(-2*a, 0);
    /* E = 2^n (1 + r + (q + c)) - 1 = e + de */
    s = dci_exp2_bits(p.k);
    g = s - 1;
    h = g + s*p.r;
    de = ((g - h) + s*p.r) + ((s - (g + 1)) + s*(p.q + p.c*(1 + p.r)));
    e = h + de;
    de -= e - h;
    /* 2 + E = d + dd >= 1 */
    d = 2 + e;
    dd = ((2 - d) + e) + de;
    /* quotient, then its first-order correction: 1/d = (1 - e/d)/2 */
    y = e/d;
    y += (de - y*dd)*(DC_R(0.5)*(1 - y));
    return dci_copysign(y, x);
}

/* 1/(1 + e^-x) from E = e^-|x|: 1/(1 + E) for x >= 0, E/(1 + E) below */
DCI_LANE dc_real dci_sigmoid_of(dc_real x, dci_sum E)
{
    dc_real d = 1 + E.hi;
    dc_real dd = ((1 - d) + E.hi) + E.lo;
    dc_real a = x < 0 ? E.hi : DC_R(1);
    dc_real da = x < 0 ? E.lo : DC_R(0);
    dc_real y = a/d;                                       /* 1 <= d <= 2 */
    dc_real inv = x < 0 ? 1 - y : y;                       /* 1/d to first order */
    return y + (da - y*dd)*inv;
}

/* log(1 + e^x) = max(x, 0) + log(1 + E), E = e^-|x| */
DCI_LANE dc_real dci_softplus_of(dc_real x, dci_sum E)
{
    dc_real u = 1 + E.hi;
    dc_real c = ((1 - u) + E.hi) + E.lo;
    /* 1 + E = u + c = 2^n (1 + f + df), n = 0 or 1 */
    dc_real n = u > DC_R(1.4142135623730951) ? DC_R(1) : DC_R(0);
    dc_real s = 1 - DC_R(0.5)*n;
    dc_real g = s*u - 1;
    dc_real d = s*c;
    dc_real f = g + d;
    dci_sum y = dci_log_join(n, f, d - (f - g));
    return (x > 0 ? x : DC_R(0)) + (y.hi + y.lo);
}

DCI_LANE dc_real dci_sigmoid_lane(dc_real x) { return dci_sigmoid_of(x, dci_exp_minus_abs(x)); }
DCI_LANE dc_real dci_softplus_lane(dc_real x) { return dci_softplus_of(x, dci_exp_minus_abs(x)); }

DC_DEF dc_real dc_exp(dc_real x) { return dci_exp_lane(x); }
DC_DEF dc_real dc_log(dc_real x) { return dci_log_lane(x); }
DC_DEF dc_real dc_log1p(dc_real x) { return dci_log1p_lane(x); }
DC_DEF dc_real dc_tanh(dc_real x) { return dci_tanh_lane(x); }
DC_DEF dc_real dc_sigmoid(dc_real x) { return dci_sigmoid_lane(x); }
DC_DEF dc_real dc_softplus(dc_real x) { return dci_softplus_lane(x); }

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- power ---- */

/* a b = hi + lo to 2^-104 (float 2^-46). The last bit of hi is cleared, so that no compiler can merge
 * the product that made it into the subtraction. */
DC_INLINE dci_sum dci_prod(dc_real a, dc_real b)
{
    dc_real ah = dci_top(a), al = a - ah;
    dc_real bh = dci_top(b), bl = b - bh;
    dci_sum p;
    p.hi = dci_from_bits(dci_to_bits(a*b) & ~DCI_B(1));
    p.lo = (((ah*bh - p.hi) + ah*bl) + al*bh) + al*bl;
    return p;
}

/* (a + da)/(b + db) as a sum, |da| and |db| rounding errors of a and b */
DC_INLINE dci_sum dci_quot(dc_real a, dc_real da, dc_real b, dc_real db)
{
    dci_sum q, p;
    q.hi = a/b;
    p = dci_prod(q.hi, b);
    q.lo = (((a - p.hi) - p.lo) + (da - q.hi*db))/b;
    return q;
}

/* log x for finite x > 0, relative error 2^-65 (float 2^-36):
 *     x = 2^n m,  s = (m - 1)/(m + 1),  log m = 2s (1 + s^2/3 + s^4 B(s^2))      */
static dci_sum dci_log_sum(dc_real x)
{
    dc_real n, m, lift = 0, b, db, t, dt, hi, lo, w;
    dci_sum s, z, p, y;
    if (x < DC_REAL_MIN) { x *= 4*DCI_UNIT; lift = DC_R(DCI_MANT + 2); }
    m = dci_log_reduce(x, &n);
    n -= lift;
    /* m + 1 = b + db */
    b = 2 + (m - 1);
    db = (2 - b) + (m - 1);
    s = dci_quot(m - 1, 0, b, db);
    z = dci_prod(s.hi, s.hi);
    z.lo += 2*s.hi*s.lo;
    /* s^2/3 + s^4 B = t + dt; 1/3 as a sum */
#if DC_IS_FLOAT
    p = dci_prod(z.hi, DC_R(0.3333333432674408));
    p.lo += z.hi*DC_R(-9.9341077586245774e-09) + z.lo*DC_R(0.3333333432674408);
#else
    p = dci_prod(z.hi, DC_R(0.33333333333333331));
    p.lo += z.hi*DC_R(1.8503717077085941e-17) + z.lo*DC_R(0.33333333333333331);
#endif
    w = z.hi*z.hi*dci_poly_pow(z.hi);
    t = p.hi + w;
    dt = ((p.hi - t) + w) + (p.lo + DC_R(0.4)*z.hi*z.lo);
    /* log m = 2s + 2s t = hi + lo */
    p = dci_prod(2*s.hi, t);
    p.lo += 2*(s.hi*dt + s.lo*t);
    hi = 2*s.hi + p.hi;
    lo = ((2*s.hi - hi) + p.hi) + (p.lo + 2*s.lo);
    /* + n ln2: n LN2_HI is exact, and larger than hi or zero */
    w = n*DCI_LN2_HI;
    t = w + hi;
    lo = ((w - t) + hi) + (lo + n*DCI_LN2_LO);
    y.hi = t + lo;
    y.lo = lo - (y.hi - t);
    return y;
}

/* 0: y is not an integer, 1: odd, 2: even */
static int dci_parity(dc_real y)
{
    dc_real a = dci_fabs(y), b = a + DCI_UNIT;
    if (a >= 2*DCI_UNIT) return 2;
    if (a >= DCI_UNIT) return (dci_to_bits(a) & 1) ? 1 : 2;
    if (b - DCI_UNIT != a) return 0;
    return (dci_to_bits(b) & 1) ? 1 : 2;
}

DC_DEF dc_real dc_pow(dc_real x, dc_real y)
{
    const dc_real inf = dci_from_bits(DCI_INF), nan = dci_from_bits(DCI_NAN);
    dc_real a = dci_fabs(x), sign = 1;
    dci_sum l, z;
    int parity;

    /* these two hold for a NaN too */
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return nan;

    /* y infinite */
    if (dci_fabs(y) > DC_REAL_MAX) return a == 1 ? DC_R(1) : ((a > 1) == (y > 0) ? inf : DC_R(0));

    /* x zero or infinite: 0 or inf, signed for odd y */
    parity = dci_parity(y);
    if ((dci_to_bits(x) & DCI_SIGN) && parity == 1) sign = -1;
    if (a == 0 || a > DC_REAL_MAX) return sign*((a == 0) == (y > 0) ? DC_R(0) : inf);

    /* x negative: a real power only for integer y */
    if (x < 0 && parity == 0) return nan;

    /* |x| = 1; otherwise |log x| > eps/2, so that a large y gives 0 or infinity, and is below 2^10, so that
     * a small one gives 1 */
    if (a == 1) return sign;
    if (dci_fabs(y) > DC_R(65536.0)*DCI_UNIT) return sign*((a > 1) == (y > 0) ? inf : DC_R(0));
    if (dci_fabs(y) < DC_R(0.0001)/DCI_UNIT) return sign;

    /* x^y = e^(y log x) */
    l = dci_log_sum(a);
    z = dci_prod(y, l.hi);
    z.lo += y*l.lo;
    if (z.hi > DCI_EXP_MAX) return sign*inf;
    if (z.hi < DCI_EXP_MIN) return sign*DC_R(0);
    return sign*dci_exp_join(dci_exp_reduce(z.hi, z.lo)).hi;
}

/* ---- sine, cosine, arctangent ---- */

#if DC_IS_FLOAT
/* pi/2 in pieces of 12 bits: exact times |n| < 2^12 */
#define DCI_PIO2_1 DC_R(1.57080078125)
#define DCI_PIO2_2 DC_R(-4.4535845518112183e-06)
#define DCI_PIO2_3 DC_R(-8.7061380327213556e-10)
#define DCI_PIO2_4 DC_R(6.2233719696699885e-14)
#define DCI_PIO2_MAX DC_R(4096.0)
#define DCI_PIO2_HI DC_R(1.5707963705062866)
#define DCI_PIO2_LO DC_R(-4.3711388286737929e-08)
#define DCI_PI_WORDS 3                                  /* words of 2/pi in one product */
#define DCI_PI_ZEROS 1                                  /* zero words before the first bit of 2/pi */
#else
/* pi/2 in pieces of 33 bits: exact times |n| < 2^20 */
#define DCI_PIO2_1 DC_R(1.5707963267341256)
#define DCI_PIO2_2 DC_R(6.077100506303966e-11)
#define DCI_PIO2_3 DC_R(2.0222662487111665e-21)
#define DCI_PIO2_4 DC_R(8.4784276603688996e-32)
#define DCI_PIO2_MAX DC_R(1048576.0)
#define DCI_PIO2_HI DC_R(1.5707963267948966)
#define DCI_PIO2_LO DC_R(6.123233995736766e-17)
#define DCI_PI_WORDS 6
#define DCI_PI_ZEROS 2
#endif

/* x = n pi/2 + r.hi + r.lo for DCI_PIO2_MAX <= x < infinity; n modulo 4 (Payne and Hanek 1983).
 *
 * x = M 2^e. Bits of 2/pi whose product with 2^e is a multiple of 4 change nothing; from the first other bit on,
 * DCI_PI_WORDS words P give M P modulo 4 with 137 bits (float 70) behind the point, of which the worst cancellation
 * in the format takes 62 (30). */
static int dci_reduce_large(dc_real x, dci_sum *r)
{
    static const uint32_t two_over_pi[] = {             /* 32 bits each, first bit worth 1/2 */
#if DC_IS_FLOAT
        0,
        0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu
#else
        0, 0,
        0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
        0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u,
        0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
        0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu,
        0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u
#endif
    };
    enum { N = DCI_PI_WORDS };
    const dci_bits b = dci_to_bits(x);
    const dci_bits M = (b & DCI_FRACTION) | (DCI_B(1) << DCI_MANT);
    const int e = (int)(b >> DCI_MANT) - (int)DCI_BIAS - DCI_MANT;
    const int first = e - 2 + 32*DCI_PI_ZEROS;          /* >= 0 */
    const int word = first >> 5, bit = first & 31;
    uint32_t w[N], p[N];                                /* most significant word first */
    uint64_t t;
    dc_real c[4], scale = 1;
    dci_sum f, q;
    int i, j, n, negative;

    for (i = 0; i < N; i++) {
        t = (uint64_t)two_over_pi[word + i] << 32 | two_over_pi[word + i + 1];
        w[i] = (uint32_t)(t << bit >> 32);
        p[i] = 0;
    }
    /* p = M w modulo 2^(32 N) */
    for (j = 0; j < (DC_IS_FLOAT ? 1 : 2); j++) {
        uint32_t m = (uint32_t)((uint64_t)M >> 32*j);
        uint64_t carry = 0;
        for (i = N - 1; i >= j; i--) {
            carry += p[i - j] + (uint64_t)w[i]*m;
            p[i - j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    /* two bits of quadrant, then the fraction, rounded to the nearest quadrant */
    n = (int)(p[0] >> 30);
    negative = (int)(p[0] >> 29 & 1);
    if (negative) {
        n++;
        for (i = 0; i < N; i++) p[i] = ~p[i];           /* 1 - fraction, up to the last of its bits */
    }
    p[0] &= 0x3fffffffu;
    /* leading zeros out: the fraction is scale*p, top bit of p[0] next to the point; at most 2 N words of shift */
    scale = 4;
    for (j = 0; j < 32*N && !(p[0] >> 31); j++) {
        for (i = 0; i < N - 1; i++) p[i] = p[i] << 1 | p[i + 1] >> 31;
        p[N - 1] <<= 1;
        scale *= DC_R(0.5);
    }
    /* 24 bits at a time fit both formats */
    c[0] = DC_R(p[0] >> 8);
    c[1] = DC_R((p[0] & 0xffu) << 16 | p[1] >> 16);
    c[2] = DC_R((p[1] & 0xffffu) << 8 | p[2] >> 24);
    c[3] = DC_R(p[2] & 0xffffffu);
    for (i = 0; i < 4; i++) {
        scale *= DC_R(5.9604644775390625e-08);          /* 2^-24 */
        c[i] *= scale;
    }
#if DC_IS_FLOAT
    f.hi = c[0];
    f.lo = c[1] + c[2];
#else
    f.hi = (c[0] + c[1]) + c[2];
    f.lo = (((c[0] + c[1]) - f.hi) + c[2]) + c[3];
#endif
    if (negative) { f.hi = -f.hi; f.lo = -f.lo; }
    /* times pi/2 */
    q = dci_prod(f.hi, DCI_PIO2_HI);
    q.lo += f.hi*DCI_PIO2_LO + f.lo*DCI_PIO2_HI;
    r->hi = q.hi + q.lo;
    r->lo = q.lo - (r->hi - q.hi);
    return n;
}

/* x = n pi/2 + r.hi + r.lo, |x| < DCI_PIO2_MAX; n modulo 4. Products are exact, sums keep their errors. */
static int dci_reduce_small(dc_real x, dci_sum *r)
{
    dc_real k = x*DC_R(0.63661977236758138) + DCI_SHIFT;
    dc_real n = k - DCI_SHIFT;
    dc_real a = x - n*DCI_PIO2_1;                       /* exact */
    dc_real p, b, v, eb, c, ec, d;
    p = n*DCI_PIO2_2;
    b = a - p;
    v = b - a;
    eb = (a - (b - v)) - (p + v);
    p = n*DCI_PIO2_3;
    c = b - p;
    v = c - b;
    ec = (b - (c - v)) - (p + v);
    d = (eb + ec) - n*DCI_PIO2_4;
    r->hi = c + d;
    r->lo = d - (r->hi - c);
    return (int)(dci_to_bits(k) & 3);
}

DC_DEF void dc_sincos(dc_real x, dc_real *s, dc_real *c)
{
    dc_real a = dci_fabs(x), z, h, w, sn, cs;
    dci_sum r;
    int n;

    if (!(a <= DC_REAL_MAX)) { *s = *c = dci_from_bits(DCI_NAN); return; }

    /* x^2/2 is below half a rounding error */
    if (a*a < DC_R(0.25)/DCI_UNIT) { *s = x; *c = 1; return; }

    if (a <= DC_R(0.7853981633974483)) { r.hi = a; r.lo = 0; n = 0; }
    else if (a < DCI_PIO2_MAX)         n = dci_reduce_small(a, &r);
    else                               n = dci_reduce_large(a, &r);

    z = r.hi*r.hi;
    /* sin(r + dr) = r + r^3 S + dr cos r */
    sn = r.hi + (r.hi*z*dci_poly_sin(z) + r.lo*(1 - DC_R(0.5)*z));
    /* cos(r + dr) = 1 - r^2/2 + r^4 C - dr sin r */
    h = DC_R(0.5)*z;
    w = 1 - h;
    cs = w + (((1 - w) - h) + (z*z*dci_poly_cos(z) - r.hi*r.lo));

    switch (n & 3) {
    case 0:  *s =  sn; *c =  cs; break;
    case 1:  *s =  cs; *c = -sn; break;
    case 2:  *s = -sn; *c = -cs; break;
    default: *s = -cs; *c =  sn; break;
    }
    if (x < 0) *s = -*s;
}

DC_DEF dc_real dc_atan2(dc_real y, dc_real x)
{
    /* multiples of pi/4 as sums */
#if DC_IS_FLOAT
    static const dc_real hi[5] = { DC_R(0), DC_R(0.78539818525314331), DC_R(1.5707963705062866),
                                   DC_R(2.3561944961547852), DC_R(3.1415927410125732) };
    static const dc_real lo[5] = { DC_R(0), DC_R(-2.1855694143368964e-08), DC_R(-4.3711388286737929e-08),
                                   DC_R(-5.9624403192515274e-09), DC_R(-8.7422776573475858e-08) };
    const dc_real apart = DC_R(1073741824.0);           /* 2^30, 2^60, 2^100 */
    const dc_real big = DC_R(1.1529215046068470e18), scale = DC_R(1.2676506002282294e30);
#else
    static const dc_real hi[5] = { DC_R(0), DC_R(0.78539816339744828), DC_R(1.5707963267948966),
                                   DC_R(2.3561944901923448), DC_R(3.1415926535897931) };
    static const dc_real lo[5] = { DC_R(0), DC_R(3.061616997868383e-17), DC_R(6.123233995736766e-17),
                                   DC_R(9.1848509936051484e-17), DC_R(1.2246467991473532e-16) };
    const dc_real apart = DC_R(1.1529215046068470e18);  /* 2^60, 2^500, 2^600 */
    const dc_real big = DC_R(3.2733906078961419e150), scale = DC_R(4.1495155688809930e180);
#endif
    dc_real a = dci_fabs(x), b = dci_fabs(y), u, v, num, dnum = 0, den, dden = 0, z, t, dt, r;
    dci_sum q;
    int k = 0, up = 1;

    if (x != x || y != y) return dci_from_bits(DCI_NAN);

    /* an infinite argument outweighs a finite one, two are equal; at (0, 0) the sign of x decides */
    if (a > DC_REAL_MAX || b > DC_REAL_MAX) {
        a = a > DC_REAL_MAX ? DC_R(1) : DC_R(0);
        b = b > DC_REAL_MAX ? DC_R(1) : DC_R(0);
    }
    if (a == 0 && b == 0) a = 1;

    /* the ratio lies in [0, 1]: v/u. A tiny one is the angle itself, or less than a rounding error of it */
    u = a > b ? a : b;
    v = a > b ? b : a;
    if (v < u/apart) {
        if (a < b) r = hi[2];
        else       r = (dci_to_bits(x) & DCI_SIGN) ? hi[4] : v/u;
        return dci_copysign(r, y);
    }

    /* away from overflow and subnormal products */
    if (u > big)   { u /= scale; v /= scale; }
    if (u < 1/big) { u *= scale; v *= scale; }

    /* tan(pi/8) u < v: pi/4 + atan((v - u)/(v + u)), with sum and difference exact */
    if (v > DC_R(0.41421356237309503)*u) {
        num = v - u;  dnum = v - (num + u);
        den = u + v;  dden = v - (den - u);
        k = 1;
    } else {
        num = v;
        den = u;
    }

    /* atan(t + dt) = t + t^3 A(t^2) + dt/(1 + t^2) */
    q = dci_quot(num, dnum, den, dden);
    z = q.hi*q.hi;
    t = q.hi;
    dt = t*z*dci_poly_atan(z) + q.lo*(1 - z);

    /* reflections: pi/2 - angle, pi - angle */
    if (b > a)                       { k = 2 - k; up = -up; }
    if (dci_to_bits(x) & DCI_SIGN)   { k = 4 - k; up = -up; }
    if (up < 0) { t = -t; dt = -dt; }
    r = hi[k] + t;
    dt += ((hi[k] - r) + t) + lo[k];
    return dci_copysign(r + dt, y);
}

/* ---- rotations ---- */

/* |a| without overflow or underflow of the squares */
static dc_real dci_norm3(dc_v3 a)
{
    dc_real m = dc_max(dci_fabs(a.x), dc_max(dci_fabs(a.y), dci_fabs(a.z)));
    dc_real least = DC_IS_FLOAT ? DC_R(1e-15) : DC_R(1e-145);
    if ((m > least && m < 1/least) || m == 0 || !(m <= DC_REAL_MAX)) return dc_sqrt(dc_dot(a, a));
    a = dc_vec(a.x/m, a.y/m, a.z/m);
    return m*dc_sqrt(dc_dot(a, a));
}

/* one Newton step of 1/sqrt at 1: |q|^2 = 1 + e becomes 1 - 3/4 e^2, which is rounding for e of a few products */
static dc_quat dci_quat_unit(dc_quat q)
{
    dc_real s = DC_R(1.5) - DC_R(0.5)*(q.w*q.w + q.x*q.x + q.y*q.y + q.z*q.z);
    q.w *= s; q.x *= s; q.y *= s; q.z *= s;
    return q;
}

DC_DEF dc_quat dc_quat_exp(dc_v3 w)
{
    dc_quat q;
    dc_real th = dci_norm3(w), s, c, k;
    dc_sincos(DC_R(0.5)*th, &s, &c);
    /* sin(th/2)/th loses nothing for small th; its limit where th/2 would be subnormal */
    k = th > 4*DC_REAL_MIN ? s/th : DC_R(0.5);
    q.w = c;
    q.x = k*w.x;
    q.y = k*w.y;
    q.z = k*w.z;
    return dci_quat_unit(q);
}

DC_DEF dc_v3 dc_quat_log(dc_quat q)
{
    dc_v3 u = dc_vec(q.x, q.y, q.z);
    dc_real s = dci_norm3(u);                           /* sin(angle/2) */
    dc_real half = dc_atan2(s, dci_fabs(q.w));          /* in [0, pi/2] */
    dc_real k = s > 0 ? 2*(half/s) : DC_R(2);           /* u is zero in the second case */
    return dc_scale(q.w < 0 ? -k : k, u);
}

DC_DEF dc_quat dc_quat_mul(dc_quat a, dc_quat b)
{
    dc_quat r;
    r.w = a.w*b.w - a.x*b.x - a.y*b.y - a.z*b.z;
    r.x = a.w*b.x + a.x*b.w + a.y*b.z - a.z*b.y;
    r.y = a.w*b.y - a.x*b.z + a.y*b.w + a.z*b.x;
    r.z = a.w*b.z + a.x*b.y - a.y*b.x + a.z*b.w;
    return r;
}

DC_DEF dc_quat dc_quat_conj(dc_quat q)
{
    q.x = -q.x; q.y = -q.y; q.z = -q.z;
    return q;
}

DC_DEF dc_v3 dc_quat_rotate(dc_quat q, dc_v3 a)
{
    dc_v3 u = dc_vec(q.x, q.y, q.z);
    dc_v3 t = dc_scale(2, dc_cross(u, a));
    return dc_add(dc_madd(a, q.w, t), dc_cross(u, t));
}

DC_DEF dc_status dc_quat_normalize(dc_quat q, dc_quat *out)
{
    dc_real m = dc_max(dc_max(dci_fabs(q.w), dci_fabs(q.x)), dc_max(dci_fabs(q.y), dci_fabs(q.z)));
    dc_real s;
    if (!out || !dc_finite(q.w) || !dc_finite(q.x) || !dc_finite(q.y) || !dc_finite(q.z) || m == 0) return DC_E_ARG;
    /* the largest entry to 1 first, so that the squares neither overflow nor vanish */
    q.w /= m; q.x /= m; q.y /= m; q.z /= m;
    s = 1/dc_sqrt(q.w*q.w + q.x*q.x + q.y*q.y + q.z*q.z);   /* of a sum in [1, 4] */
    out->w = q.w*s; out->x = q.x*s; out->y = q.y*s; out->z = q.z*s;
    return DC_OK;
}

DC_DEF dc_quat dc_quat_from_m3(const dc_m3 *R)
{
    /* 4 q_i q_j are sums of entries; the row of the largest q_i^2 >= 1/4 avoids every cancellation (Shepperd 1978) */
    const dc_real *m = R->m;
    dc_real ww = 1 + m[0] + m[4] + m[8], xx = 1 + m[0] - m[4] - m[8];
    dc_real yy = 1 - m[0] + m[4] - m[8], zz = 1 - m[0] - m[4] + m[8];
    dc_quat q;
    dc_real s;
    if (ww >= xx && ww >= yy && ww >= zz) {
        q.w = ww;           q.x = m[7] - m[5];  q.y = m[2] - m[6];  q.z = m[3] - m[1];
    } else if (xx >= yy && xx >= zz) {
        q.w = m[7] - m[5];  q.x = xx;           q.y = m[1] + m[3];  q.z = m[2] + m[6];
    } else if (yy >= zz) {
        q.w = m[2] - m[6];  q.x = m[1] + m[3];  q.y = yy;           q.z = m[5] + m[7];
    } else {
        q.w = m[3] - m[1];  q.x = m[2] + m[6];  q.y = m[5] + m[7];  q.z = zz;
    }
    s = 1/dc_sqrt(q.w*q.w + q.x*q.x + q.y*q.y + q.z*q.z);   /* of about 4 q_i^2 >= 1 */
    if (q.w < 0) s = -s;
    q.w *= s; q.x *= s; q.y *= s; q.z *= s;
    return q;
}

DC_DEF dc_m3 dc_m3_exp(dc_v3 w)
{
    return dc_rotation(dc_quat_exp(w));
}

DC_DEF dc_v3 dc_m3_log(const dc_m3 *R)
{
    return dc_quat_log(dc_quat_from_m3(R));
}

/* With z = th^2:
 *     b = (1 - cos th)/th^2    = sum (-z)^k/(2k+2)!      db = 2 db/dz = (sin(th)/th - 2b)/th^2
 *     c = (th - sin th)/th^3   = sum (-z)^k/(2k+3)!      dc = 2 dc/dz = (b - 3c)/th^2
 *     d = (1 - (th/2) cot(th/2))/th^2 = -db/(2b)
 * The closed forms of db and dc lose 12/th^2 and 60/th^2 by cancellation, so that th = 2 is where the series takes over:
 * there the closed forms have lost 4 bits, and 12 terms (float: 8) leave a remainder below rounding. */
typedef struct { dc_real b, c, db, dc, d; } dci_so3;

static dci_so3 dci_so3_coef(dc_v3 w)
{
    static const dc_real inv_factorial[] = {            /* 1/2!, 1/3!, ... */
        DC_R(0.5), DC_R(0.16666666666666666), DC_R(0.041666666666666664), DC_R(0.0083333333333333332),
        DC_R(0.0013888888888888889), DC_R(0.00019841269841269841), DC_R(2.4801587301587302e-05), DC_R(2.7557319223985893e-06),
        DC_R(2.7557319223985888e-07), DC_R(2.505210838544172e-08), DC_R(2.08767569878681e-09), DC_R(1.6059043836821613e-10),
        DC_R(1.1470745597729725e-11), DC_R(7.6471637318198164e-13), DC_R(4.7794773323873853e-14), DC_R(2.8114572543455206e-15),
        DC_R(1.5619206968586225e-16), DC_R(8.2206352466243295e-18), DC_R(4.1103176233121648e-19), DC_R(1.9572941063391263e-20),
        DC_R(8.8967913924505741e-22), DC_R(3.8681701706306841e-23), DC_R(1.6117375710961184e-24), DC_R(6.4469502843844736e-26)
    };
    const int terms = DC_IS_FLOAT ? 8 : 12;
    dc_real z = dc_dot(w, w);
    dci_so3 f;
    if (z < 4) {
        dc_real y = -z, db = 0, dc = 0;
        int k;
        f.b = f.c = 0;
        for (k = terms - 1; k >= 0; k--) {              /* Horner, with the derivatives by y */
            db = db*y + f.b;
            dc = dc*y + f.c;
            f.b = f.b*y + inv_factorial[2*k];
            f.c = f.c*y + inv_factorial[2*k + 1];
        }
        f.db = -2*db;
        f.dc = -2*dc;
        f.d = -f.db/(2*f.b);                            /* b >= 0.35 */
    } else {
        dc_real th = dc_sqrt(z), h = DC_R(0.5)*th, s, c, a;
        dc_sincos(h, &s, &c);
        a = 2*s*c/th;                                   /* sin(th)/th */
        f.b = 2*s*s/z;
        f.c = (1 - a)/z;
        f.db = (a - 2*f.b)/z;
        f.dc = (f.b - 3*f.c)/z;
        f.d = (1 - h*c/s)/z;                            /* no number but 0 is a multiple of pi: s is not 0 */
    }
    return f;
}

/* I + s [w] + k [w]^2 = (1 - k w.w) I + s [w] + k w w^T; the diagonal without the cancellation in it */
static dc_m3 dci_so3_matrix(dc_v3 w, dc_real s, dc_real k)
{
    dc_m3 M;
    dc_real xy = k*w.x*w.y, xz = k*w.x*w.z, yz = k*w.y*w.z;
    M.m[0] = 1 - k*(w.y*w.y + w.z*w.z);  M.m[1] = xy - s*w.z;  M.m[2] = xz + s*w.y;
    M.m[3] = xy + s*w.z;  M.m[4] = 1 - k*(w.x*w.x + w.z*w.z);  M.m[5] = yz - s*w.x;
    M.m[6] = xz - s*w.y;  M.m[7] = yz + s*w.x;  M.m[8] = 1 - k*(w.x*w.x + w.y*w.y);
    return M;
}

DC_DEF dc_m3 dc_so3_jl(dc_v3 w)
{
    dci_so3 f = dci_so3_coef(w);
    return dci_so3_matrix(w, f.b, f.c);
}

DC_DEF dc_m3 dc_so3_jl_inv(dc_v3 w)
{
    dci_so3 f = dci_so3_coef(w);
    return dci_so3_matrix(w, DC_R(-0.5), f.d);
}

DC_DEF dc_m3 dc_so3_jl_grad(dc_v3 w, dc_v3 v)
{
    /* J_l v = v + b w x v + c w x (w x v) and w x (w x v) = w (w.v) - v (w.w), so that
     *     d(J_l v)/dw = -b [v] + (db w x v + dc w x (w x v)) w^T + c ((w.v) I + w v^T - 2 v w^T)      */
    dci_so3 f = dci_so3_coef(w);
    dc_v3 wv = dc_cross(w, v);
    dc_v3 p = dc_madd(dc_scale(f.db, wv), f.dc, dc_cross(w, wv));
    dc_real e = f.c*dc_dot(w, v);
    dc_v3 r = dc_madd(p, -2*f.c, v);                    /* r w^T + c w v^T */
    dc_m3 M;
    M.m[0] = r.x*w.x + f.c*w.x*v.x + e;
    M.m[1] = r.x*w.y + f.c*w.x*v.y + f.b*v.z;
    M.m[2] = r.x*w.z + f.c*w.x*v.z - f.b*v.y;
    M.m[3] = r.y*w.x + f.c*w.y*v.x - f.b*v.z;
    M.m[4] = r.y*w.y + f.c*w.y*v.y + e;
    M.m[5] = r.y*w.z + f.c*w.y*v.z + f.b*v.x;
    M.m[6] = r.z*w.x + f.c*w.z*v.x + f.b*v.y;
    M.m[7] = r.z*w.y + f.c*w.z*v.y - f.b*v.x;
    M.m[8] = r.z*w.z + f.c*w.z*v.z + e;
    return M;
}

DC_DEF dc_pose dc_pose_mul(dc_pose a, dc_pose b)
{
    dc_pose r;
    r.q = dci_quat_unit(dc_quat_mul(a.q, b.q));
    r.t = dc_add(dc_quat_rotate(a.q, b.t), a.t);
    return r;
}

DC_DEF dc_pose dc_pose_inv(dc_pose p)
{
    dc_pose r;
    r.q = dc_quat_conj(p.q);
    r.t = dc_neg(dc_quat_rotate(r.q, p.t));
    return r;
}

DC_DEF dc_v3 dc_pose_apply(dc_pose p, dc_v3 a)
{
    return dc_add(dc_quat_rotate(p.q, a), p.t);
}

DC_DEF dc_affine dc_pose_to_affine(dc_pose p)
{
    dc_m3 R = dc_rotation(p.q);
    dc_affine T;
    int i;
    for (i = 0; i < 3; i++) {
        T.m[4*i] = R.m[3*i];
        T.m[4*i + 1] = R.m[3*i + 1];
        T.m[4*i + 2] = R.m[3*i + 2];
    }
    T.m[3] = p.t.x;
    T.m[7] = p.t.y;
    T.m[11] = p.t.z;
    return T;
}

DC_DEF dc_pose dc_pose_retract(dc_pose p, const dc_real xi[6])
{
    dc_pose r;
    r.q = dci_quat_unit(dc_quat_mul(dc_quat_exp(dc_vec(xi[3], xi[4], xi[5])), p.q));
    r.t = dc_add(p.t, dc_vec(xi[0], xi[1], xi[2]));
    return r;
}

DC_DEF void dc_pose_local(dc_pose p0, dc_pose p1, dc_real xi[6])
{
    dc_v3 v = dc_sub(p1.t, p0.t);
    dc_v3 w = dc_quat_log(dc_quat_mul(p1.q, dc_quat_conj(p0.q)));
    xi[0] = v.x; xi[1] = v.y; xi[2] = v.z;
    xi[3] = w.x; xi[4] = w.y; xi[5] = w.z;
}

/* ---- dense algebra --------------------------------------------------------------------------- */

/* ---- hull distance ---------------------------------------------------------------------------- */

/* ---- pair potentials -------------------------------------------------------------------------- */

#endif /* DC_CONTACT_IMPLEMENTED */
#endif /* DC_CONTACT_IMPLEMENTATION */
