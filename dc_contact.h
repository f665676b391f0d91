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
#define dc_chol_factor dc_chol_factor_f
#define dc_chol_solve dc_chol_solve_f
#define dc_ldlt_factor dc_ldlt_factor_f
#define dc_ldlt_solve dc_ldlt_solve_f
#define dc_ldlt_inertia dc_ldlt_inertia_f
#define dc_lu_factor dc_lu_factor_f
#define dc_lu_solve dc_lu_solve_f
#define dc_lu_solve_t dc_lu_solve_t_f
#define dc_eigsym_bytes dc_eigsym_bytes_f
#define dc_eigsym dc_eigsym_f
#define dc_psd_clamp_bytes dc_psd_clamp_bytes_f
#define dc_psd_clamp dc_psd_clamp_f
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

/* Matrices are row-major with a row stride: entry (i,j) of A is A[i*ld + j], n >= 1, ld >= n.
 * A right-hand side B is n x nrhs in the same way, ldb >= nrhs >= 1; one plain vector is nrhs = 1, ldb = 1.
 * Everything is done in place in the caller's memory: a factor replaces its matrix, a solution its right-hand side.
 * Arrays of one call do not overlap unless the comment says so. Columns between n and ld are never touched.
 *
 * All of it:
 *     DC_E_ARG       a null pointer, a size or stride out of range, a pivot list that is not one,
 *                    a number that is not finite in what is read; nothing is written
 *     DC_E_RANGE     an intermediate number overflowed; what the call overwrites in place is lost
 *     DC_E_SINGULAR  said at each function
 * `where` (may be NULL) receives the index of the first bad pivot, only with DC_E_SINGULAR.
 *
 * Singular means exactly: a pivot that is zero, or not positive for Cholesky. A matrix that is singular
 * only up to rounding gets through and shows in the size of the solution.
 * A pivot list is refused when it leads out of range; one that repeats rows may pass for another permutation
 * and gives a wrong, finite answer.
 *
 * Errors are the worst measured, rounded up, with eps = DC_EPS and |.| the largest row sum (of a vector the largest
 * entry): in double and float, on random, graded (1e-12..1e12), Hilbert, saddle-point, second-difference and diagonally
 * dominant matrices, n = 1..40, 60, 120, 250. Every solve: |b - A x| <= 0.6 n eps (|A| |x| + |b|).
 * Time in us for n = 120 in double, gcc 12 -O3 on Zen 4, in parentheses with -march=native: LU 86 (55), Cholesky 46 (28),
 * L D L^T 76 (58), one solve 6 to 8 (4 to 6), eigenvalues 590 (450), with vectors 1440 (830).
 * Small matrices: n = 12 takes 0.7 us for LU and one solve, a quarter more than the textbook's loops, which check nothing.
 * Stack below 600 bytes. */

/* Cholesky factor of a symmetric positive definite matrix,
 *
 *     A = L L^T.
 *
 * Reads the upper triangle. On exit the lower triangle with the diagonal holds L and the upper one L^T.
 * DC_E_SINGULAR: pivot *where was not positive, so the leading block of *where + 1 rows is not
 * positive definite; A is lost. About n^3/3 flops. |A - L L^T|_ij <= 0.7 n eps sqrt(A_ii A_jj). */
DC_DEF dc_status dc_chol_factor(int n, dc_real *A, int ld, int *where);

/* X = A^-1 B from dc_chol_factor's A. DC_E_SINGULAR, B untouched: a zero on the diagonal. */
DC_DEF dc_status dc_chol_solve(int n, const dc_real *A, int ld, int nrhs, dc_real *B, int ldb);

/* Factor of a symmetric, possibly indefinite matrix with the pivoting of Bunch and Kaufman (1977),
 *
 *     P A P^T = L D L^T,   L unit lower triangular, D of 1x1 and 2x2 blocks.
 *
 * Reads the upper triangle. piv[n]: row k of P A is row piv[k] of A; where rows k and k+1 share a 2x2 block, piv[k]
 * is ~row (negative). On exit the strictly lower triangle holds L, the diagonal that of D, A[k*ld + k+1] the
 * off-diagonal entry of a 2x2 block; the rest of the upper triangle is scratch.
 * DC_E_SINGULAR: D has a zero, first at *where; the factorisation is complete and its inertia right, but it
 * cannot solve. About n^3/3 flops. |P A P^T - L D L^T| <= 0.2 n eps |A|; entries of L are not bounded by a constant. */
DC_DEF dc_status dc_ldlt_factor(int n, dc_real *A, int ld, int *piv, int *where);

/* X = A^-1 B from dc_ldlt_factor's A and piv. DC_E_SINGULAR, B untouched: D has a zero. */
DC_DEF dc_status dc_ldlt_solve(int n, const dc_real *A, int ld, const int *piv, int nrhs, dc_real *B, int ldb);

/* inertia[3]: numbers of positive, negative and zero eigenvalues of D, and so of A (Sylvester), but for rounding: an
 * eigenvalue below the backward error of the factor may be counted on either side. */
DC_DEF dc_status dc_ldlt_inertia(int n, const dc_real *A, int ld, const int *piv, int *inertia);

/* Factor of a square matrix with partial pivoting,
 *
 *     P A = L U,   L unit lower triangular with |L_ij| <= 1, U upper triangular.
 *
 * piv[n]: row k of P A is row piv[k] of A. On exit L is below the diagonal, U on and above it.
 * DC_E_SINGULAR: column *where has no pivot left; A and piv are lost.
 * About 2 n^3/3 flops. |P A - L U| <= 0.2 n eps |A| (in theory it may grow as 2^n). */
DC_DEF dc_status dc_lu_factor(int n, dc_real *A, int ld, int *piv, int *where);

/* X = A^-1 B and X = A^-T B from dc_lu_factor's A and piv. DC_E_SINGULAR, B untouched: a zero on the diagonal. */
DC_DEF dc_status dc_lu_solve(int n, const dc_real *A, int ld, const int *piv, int nrhs, dc_real *B, int ldb);
DC_DEF dc_status dc_lu_solve_t(int n, const dc_real *A, int ld, const int *piv, int nrhs, dc_real *B, int ldb);

/* Bytes of arena dc_eigsym and dc_psd_clamp need for n rows; 0 when n < 1 or the number does not fit a size_t. */
DC_DEF size_t dc_eigsym_bytes(int n);
DC_DEF size_t dc_psd_clamp_bytes(int n);

/* Eigenvalues w[n], ascending, and eigenvectors of a symmetric matrix,
 *
 *     A V_k = w_k V_k,   A = sum_k w_k V_k V_k^T,
 *
 * V_k is ROW k of V (n x n, stride ldv >= n). V may be NULL (then ldv is not looked at, and the cost is a fraction);
 * V = A with ldv = ld is allowed. Reads the upper triangle of A. Householder tridiagonalisation and implicit QL, about 9 n^3 flops.
 * Errors, all absolute: an eigenvalue is off by 5 eps max|w| (second differences, n <= 250), so that eigenvalues smaller
 * than that carry no information, not even their sign; entries of A V_k - w_k V_k by 0.9 n eps |A|, of V V^T - I by
 * 1.8 n eps.
 * The matrix is scaled first: no overflow or underflow within, whatever its size.
 * DC_E_MEMORY: arena too small. DC_E_RANGE: an eigenvalue exceeds the number range. Both write nothing.
 * DC_E_DIVERGED: more than 50 sweeps for one eigenvalue (never seen); w and V are the last iterate. */
DC_DEF dc_status dc_eigsym(int n, const dc_real *A, int ld, dc_real *w, dc_real *V, int ldv, dc_arena *scratch);

/* The nearest matrix (in Frobenius norm) whose eigenvalues are all >= least, which is any finite number:
 *
 *     A <- A + sum over w_k < least of (least - w_k) V_k V_k^T.
 *
 * Reads the upper triangle, writes a full matrix that is symmetric to the bit; the upper triangle of a matrix that
 * qualifies keeps its bits. The smallest eigenvalue afterwards is >= least - 1.6 n eps max|w|.
 * Any status but DC_OK leaves A untouched: DC_E_MEMORY, DC_E_DIVERGED, DC_E_RANGE. */
DC_DEF dc_status dc_psd_clamp(int n, dc_real *A, int ld, dc_real least, dc_arena *scratch);

/* ---- 3x3 */

/* A B, A^T, det A, [v] (so that [v] a = v x a), a b^T */
DC_INLINE dc_m3 dc_m3_mul(const dc_m3 *A, const dc_m3 *B)
{
    dc_m3 r;
    int i;
    for (i = 0; i < 9; i += 3) {
        r.m[i]     = A->m[i]*B->m[0] + A->m[i + 1]*B->m[3] + A->m[i + 2]*B->m[6];
        r.m[i + 1] = A->m[i]*B->m[1] + A->m[i + 1]*B->m[4] + A->m[i + 2]*B->m[7];
        r.m[i + 2] = A->m[i]*B->m[2] + A->m[i + 1]*B->m[5] + A->m[i + 2]*B->m[8];
    }
    return r;
}
DC_INLINE dc_m3 dc_m3_t(const dc_m3 *A)
{
    dc_m3 r;
    r.m[0] = A->m[0];  r.m[1] = A->m[3];  r.m[2] = A->m[6];
    r.m[3] = A->m[1];  r.m[4] = A->m[4];  r.m[5] = A->m[7];
    r.m[6] = A->m[2];  r.m[7] = A->m[5];  r.m[8] = A->m[8];
    return r;
}
DC_INLINE dc_real dc_m3_det(const dc_m3 *A)
{
    const dc_real *m = A->m;
    return m[0]*(m[4]*m[8] - m[5]*m[7]) + m[1]*(m[5]*m[6] - m[3]*m[8]) + m[2]*(m[3]*m[7] - m[4]*m[6]);
}
DC_INLINE dc_m3 dc_m3_skew(dc_v3 v)
{
    dc_m3 r;
    r.m[0] = 0;     r.m[1] = -v.z;  r.m[2] = v.y;
    r.m[3] = v.z;   r.m[4] = 0;     r.m[5] = -v.x;
    r.m[6] = -v.y;  r.m[7] = v.x;   r.m[8] = 0;
    return r;
}
DC_INLINE dc_m3 dc_outer(dc_v3 a, dc_v3 b)
{
    dc_m3 r;
    r.m[0] = a.x*b.x;  r.m[1] = a.x*b.y;  r.m[2] = a.x*b.z;
    r.m[3] = a.y*b.x;  r.m[4] = a.y*b.y;  r.m[5] = a.y*b.z;
    r.m[6] = a.z*b.x;  r.m[7] = a.z*b.y;  r.m[8] = a.z*b.z;
    return r;
}

/* A^-1 by cofactors, about 50 flops: |A A^-1 - I| <= 3 eps |A| |A^-1|, |.| the largest entry. DC_E_SINGULAR: the determinant
 * is below its own rounding error, 4 eps times the same sum with all terms positive (scaling rows or columns does not change
 * the verdict). DC_E_RANGE: the inverse does not fit. *inverse (may be A) is written only with DC_OK. */
DC_INLINE dc_status dc_m3_inv(const dc_m3 *A, dc_m3 *inverse)
{
    dc_real a[9], c[9], big = 0, det, all = 0;
    int     i;

    /* over the largest entry, so that no product overflows */
    if (!A || !inverse) return DC_E_ARG;
    for (i = 0; i < 9; i++) {
        if (!dc_finite(A->m[i])) return DC_E_ARG;
        big = dc_max(big, dc_abs(A->m[i]));
    }
    if (big == 0) return DC_E_SINGULAR;
    for (i = 0; i < 9; i++) a[i] = A->m[i]/big;

    /* c = adj a, transposed cofactors */
    c[0] = a[4]*a[8] - a[5]*a[7];  c[1] = a[2]*a[7] - a[1]*a[8];  c[2] = a[1]*a[5] - a[2]*a[4];
    c[3] = a[5]*a[6] - a[3]*a[8];  c[4] = a[0]*a[8] - a[2]*a[6];  c[5] = a[2]*a[3] - a[0]*a[5];
    c[6] = a[3]*a[7] - a[4]*a[6];  c[7] = a[1]*a[6] - a[0]*a[7];  c[8] = a[0]*a[4] - a[1]*a[3];
    det = a[0]*c[0] + a[1]*c[3] + a[2]*c[6];
    all = dc_abs(a[0])*(dc_abs(a[4]*a[8]) + dc_abs(a[5]*a[7])) + dc_abs(a[1])*(dc_abs(a[5]*a[6]) + dc_abs(a[3]*a[8]))
        + dc_abs(a[2])*(dc_abs(a[3]*a[7]) + dc_abs(a[4]*a[6]));
    if (!(dc_abs(det) > 4*DC_EPS*all)) return DC_E_SINGULAR;
    for (i = 0; i < 9; i++) {
        c[i] = c[i]/det/big;
        if (!dc_finite(c[i])) return DC_E_RANGE;
    }
    for (i = 0; i < 9; i++) inverse->m[i] = c[i];
    return DC_OK;
}

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

#if defined(__GNUC__) || defined(__clang__)
#define DCI_RESTRICT __restrict
#else
#define DCI_RESTRICT
#endif

#define DCI_BLOCK 16                /* rows of a block; must be a multiple of 4 */

/* One kernel carries every factorisation and every solve with many right-hand sides: rows of C minus multiples of rows
 * of B, four at a time. Long rows vectorise in any compiler; dot products along a row would not, because the order of a
 * floating-point sum is the program's. */

/* c -= t[0] b0 + t[1] b1 + t[2] b2 + t[3] b3 */
static void dci_row_update(int n, dc_real *DCI_RESTRICT c, const dc_real *t, const dc_real *DCI_RESTRICT b0,
                           const dc_real *DCI_RESTRICT b1, const dc_real *DCI_RESTRICT b2, const dc_real *DCI_RESTRICT b3)
{
    dc_real t0 = t[0], t1 = t[1], t2 = t[2], t3 = t[3];
    int j;
    for (j = 0; j < n; j++) c[j] -= (t0*b0[j] + t1*b1[j]) + (t2*b2[j] + t3*b3[j]);
}

/* the same for two rows, c with t[0..3] and d with t[4..7]: the rows of B are loaded once for both */
static void dci_row_update2(int n, dc_real *DCI_RESTRICT c, dc_real *DCI_RESTRICT d, const dc_real *t,
                            const dc_real *DCI_RESTRICT b0, const dc_real *DCI_RESTRICT b1,
                            const dc_real *DCI_RESTRICT b2, const dc_real *DCI_RESTRICT b3)
{
    dc_real t0 = t[0], t1 = t[1], t2 = t[2], t3 = t[3];
    dc_real s0 = t[4], s1 = t[5], s2 = t[6], s3 = t[7];
    int j;
    for (j = 0; j < n; j++) {
        c[j] -= (t0*b0[j] + t1*b1[j]) + (t2*b2[j] + t3*b3[j]);
        d[j] -= (s0*b0[j] + s1*b1[j]) + (s2*b2[j] + s3*b3[j]);
    }
}

/*     C -= T B,   C rows x cols, T rows x depth, B depth x cols.
 * T_ik = T[i*rs + k*cs]: T may be stored either way. C shares no entry with B. */
static void dci_update(int rows, int cols, int depth, dc_real *C, ptrdiff_t ldc,
                       const dc_real *T, ptrdiff_t rs, ptrdiff_t cs, const dc_real *B, ptrdiff_t ldb)
{
    const dc_real *b[4];
    dc_real        t[8];
    int            i, k, l;

    for (i = 0; i < rows; i += 2) {
        int two = i + 1 < rows;
        for (k = 0; k < depth; k += 4) {
            /* beyond the depth: zero times a row that is there */
            for (l = 0; l < 4; l++) {
                int in = k + l < depth;
                b[l]     = B + (in ? k + l : k)*ldb;
                t[l]     = in ? T[i*rs + (k + l)*cs] : 0;
                t[l + 4] = in && two ? T[(i + 1)*rs + (k + l)*cs] : 0;
            }
            if (two) dci_row_update2(cols, C + i*ldc, C + (i + 1)*ldc, t, b[0], b[1], b[2], b[3]);
            else     dci_row_update(cols, C + i*ldc, t, b[0], b[1], b[2], b[3]);
        }
    }
}

/* x . y in eight partial sums: an order that vectorises */
static dc_real dci_dot(int n, const dc_real *x, const dc_real *y)
{
    dc_real s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0, s = 0;
    int     i = 0;
    for (; i + 8 <= n; i += 8) {
        s0 += x[i]*y[i];          s1 += x[i + 1]*y[i + 1];  s2 += x[i + 2]*y[i + 2];  s3 += x[i + 3]*y[i + 3];
        s4 += x[i + 4]*y[i + 4];  s5 += x[i + 5]*y[i + 5];  s6 += x[i + 6]*y[i + 6];  s7 += x[i + 7]*y[i + 7];
    }
    for (; i < n; i++) s += x[i]*y[i];
    return s + (((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)));
}

/* 1 when x[0..n) are finite: each term is zero or NaN */
static int dci_finite_row(ptrdiff_t n, const dc_real *x)
{
    dc_real   s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    ptrdiff_t i = 0;
    int       k;
    for (; i + 8 <= n; i += 8)
        for (k = 0; k < 8; k++) s[k] += x[i + k] - x[i + k];
    for (; i < n; i++) s[0] += x[i] - x[i];
    return (s[0] + s[1]) + (s[2] + s[3]) + ((s[4] + s[5]) + (s[6] + s[7])) == 0;
}

static int dci_finite_block(int rows, int cols, const dc_real *A, ptrdiff_t ld)
{
    int i, ok = 1;
    if (ld == cols) return dci_finite_row(rows*ld, A);
    for (i = 0; i < rows && ok; i++) ok = dci_finite_row(cols, A + i*ld);
    return ok;
}

static int dci_finite_upper(int n, const dc_real *A, ptrdiff_t ld)
{
    int i, ok = 1;
    for (i = 0; i < n && ok; i++) ok = dci_finite_row(n - i, A + i*ld + i);
    return ok;
}

static int dci_finite_lower(int n, const dc_real *A, ptrdiff_t ld)
{
    int i, ok = 1;
    for (i = 0; i < n && ok; i++) ok = dci_finite_row(i + 1, A + i*ld);
    return ok;
}

static void dci_swap_rows(int n, dc_real *DCI_RESTRICT x, dc_real *DCI_RESTRICT y)
{
    int j;
    for (j = 0; j < n; j++) { dc_real t = x[j]; x[j] = y[j]; y[j] = t; }
}

/* ---- triangular solves */

/* T y = b for one vector. If the rows of T are contiguous, y_i = (b_i - T_i . y)/T_ii; if its columns are, each y_k is
 * subtracted from all b below it as soon as it is known. Blocks of four share the traffic of b. */
static void dci_trisolve_vector(int n, const dc_real *T, ptrdiff_t rs, ptrdiff_t cs, int unit, dc_real *b, ptrdiff_t step)
{
    int by_rows = cs == step, i0, i1, i, k;
    for (i0 = 0; i0 < n; i0 = i1) {
        i1 = i0 + 4 < n ? i0 + 4 : n;
        for (i = i0; i < i1; i++) {
            dc_real y = b[i*step];
            /* backwards: start at the lowest address */
            if (by_rows && i0 > 0)
                y -= step > 0 ? dci_dot(i0, T + i*rs, b) : dci_dot(i0, T + i*rs - (i0 - 1), b - (i0 - 1));
            for (k = i0; k < i; k++) y -= T[i*rs + k*cs]*b[k*step];
            b[i*step] = unit ? y : y/T[i*(rs + cs)];
        }
        if (!by_rows && i1 < n) {
            int low = step > 0 ? i1 : n - 1;
            dci_update(1, n - i1, i1 - i0, b + low*step, 0, b + i0*step, 0, step, T + low*rs + i0*cs, cs);
        }
    }
}

/*     T X = B,   T n x n lower triangular, T_ik = T[i*rs + k*cs], diagonal taken as 1 if unit.
 * Strides may be negative: counted from its last row and column an upper triangle is a lower one. */
static void dci_trisolve(int n, const dc_real *T, ptrdiff_t rs, ptrdiff_t cs, int unit, int m, dc_real *B, ptrdiff_t ldb)
{
    int i0, i1, i, j;
    if (m == 1 && (ldb == 1 || ldb == -1)) {
        dci_trisolve_vector(n, T, rs, cs, unit, B, ldb);
        return;
    }
    for (i0 = 0; i0 < n; i0 = i1) {
        i1 = i0 + 4 < n ? i0 + 4 : n;
        dci_update(i1 - i0, m, i0, B + i0*ldb, ldb, T + i0*rs, rs, cs, B, ldb);
        for (i = i0; i < i1; i++) {
            dc_real *b = B + i*ldb, d = T[i*(rs + cs)];
            dci_update(1, m, i - i0, b, ldb, T + i*rs + i0*cs, rs, cs, B + i0*ldb, ldb);
            if (!unit) for (j = 0; j < m; j++) b[j] /= d;
        }
    }
}

/* L, L^T, U, U^T of the factor in A */
static void dci_solve_l(int n, const dc_real *A, ptrdiff_t ld, int unit, int m, dc_real *B, ptrdiff_t ldb)
{
    dci_trisolve(n, A, ld, 1, unit, m, B, ldb);
}
static void dci_solve_lt(int n, const dc_real *A, ptrdiff_t ld, int unit, int m, dc_real *B, ptrdiff_t ldb)
{
    dci_trisolve(n, A + (n - 1)*(ld + 1), -1, -ld, unit, m, B + (n - 1)*ldb, -ldb);
}
static void dci_solve_u(int n, const dc_real *A, ptrdiff_t ld, int m, dc_real *B, ptrdiff_t ldb)
{
    dci_trisolve(n, A + (n - 1)*(ld + 1), -ld, -1, 0, m, B + (n - 1)*ldb, -ldb);
}
static void dci_solve_ut(int n, const dc_real *A, ptrdiff_t ld, int m, dc_real *B, ptrdiff_t ldb)
{
    dci_trisolve(n, A, 1, ld, 0, m, B, ldb);
}

/* ---- permutations: position k holds row piv[k], or ~piv[k] where that is negative */

/* The place, at the time of swap i, of the row that belongs at position i: earlier swaps moved it along its cycle.
 * -1 when piv is no permutation. */
static int dci_swap_partner(int n, const int *piv, int i)
{
    int j = i, hops;
    for (hops = 0; hops <= i; hops++) {
        j = piv[j] < 0 ? ~piv[j] : piv[j];
        if (j >= n) return -1;
        if (j >= i) return j;
    }
    return -1;
}

static int dci_piv_ok(int n, const int *piv)
{
    int i, ok = 1;
    for (i = 0; i < n && ok; i++) ok = dci_swap_partner(n, piv, i) >= 0;
    return ok;
}

/* B <- P B, or P^T B when back */
static void dci_permute(int n, const int *piv, int back, int m, dc_real *B, ptrdiff_t ldb)
{
    int s;
    for (s = 0; s < n; s++) {
        int i = back ? n - 1 - s : s, j = dci_swap_partner(n, piv, i);
        if (j != i) dci_swap_rows(m, B + i*ldb, B + j*ldb);
    }
}

/* what every solve asks of its arguments */
static int dci_solve_args(int n, const dc_real *A, int ld, int nrhs, const dc_real *B, int ldb)
{
    return A && B && n >= 1 && ld >= n && nrhs >= 1 && ldb >= nrhs && dci_finite_block(n, nrhs, B, ldb);
}

static int dci_zero_diagonal(int n, const dc_real *A, ptrdiff_t ld)
{
    int i;
    for (i = 0; i < n; i++) if (A[i*(ld + 1)] == 0) return 1;
    return 0;
}

/* ---- Cholesky */

/* The upper triangle of rows k1..n minus the block of rows k0..k1: A -= T B with T below, B above the diagonal.
 * In steps of DCI_BLOCK rows, each from its first diagonal entry; what this writes below the diagonal is not used. */
static void dci_update_upper(int n, dc_real *A, ptrdiff_t ld, int k0, int depth, int k1)
{
    int i0, i1;
    for (i0 = k1; i0 < n; i0 = i1) {
        i1 = i0 + DCI_BLOCK < n ? i0 + DCI_BLOCK : n;
        dci_update(i1 - i0, n - i0, depth, A + i0*(ld + 1), ld, A + i0*ld + k0, ld, 1, A + k0*ld + i0, ld);
    }
}

DC_DEF dc_status dc_chol_factor(int n, dc_real *A, int ld_, int *where)
{
    ptrdiff_t ld = ld_;
    int       k0, k1, k, i;

    if (!A || n < 1 || ld < n || !dci_finite_upper(n, A, ld)) return DC_E_ARG;
    for (k0 = 0; k0 < n; k0 = k1) {
        k1 = k0 + DCI_BLOCK < n ? k0 + DCI_BLOCK : n;
        for (k = k0; k < k1; k++) {
            dc_real *row = A + k*ld, d;
            /* row k of what the block's earlier rows leave */
            dci_update(1, n - k, k - k0, row + k, ld, row + k0, ld, 1, A + k0*ld + k, ld);
            /* an overflow ends here too: it leaves -inf or NaN on a later diagonal */
            if (!(row[k] > 0)) {
                if (where) *where = k;
                return DC_E_SINGULAR;
            }
            row[k] = d = dc_sqrt(row[k]);
            for (i = k + 1; i < n; i++) row[i] /= d;
            for (i = k + 1; i < n; i++) A[i*ld + k] = row[i];
        }
        dci_update_upper(n, A, ld, k0, k1 - k0, k1);
    }
    return DC_OK;
}

DC_DEF dc_status dc_chol_solve(int n, const dc_real *A, int ld, int nrhs, dc_real *B, int ldb)
{
    if (!dci_solve_args(n, A, ld, nrhs, B, ldb) || !dci_finite_lower(n, A, ld)) return DC_E_ARG;
    if (dci_zero_diagonal(n, A, ld)) return DC_E_SINGULAR;
    dci_solve_l(n, A, ld, 0, nrhs, B, ldb);
    dci_solve_lt(n, A, ld, 0, nrhs, B, ldb);
    return dci_finite_block(n, nrhs, B, ldb) ? DC_OK : DC_E_RANGE;
}

/* ---- L D L^T */

/* Rows and columns p < q of the reduced matrix, whose first row is k <= p; L and the block's first row k0 <= k follow. */
static void dci_ldlt_swap(int n, dc_real *A, ptrdiff_t ld, int *piv, int k0, int k, int p, int q)
{
    dc_real t;
    int     i, ti;
    if (p == q) return;
    for (i = k0; i < p; i++) { t = A[i*ld + p]; A[i*ld + p] = A[i*ld + q]; A[i*ld + q] = t; }
    t = A[p*(ld + 1)]; A[p*(ld + 1)] = A[q*(ld + 1)]; A[q*(ld + 1)] = t;
    for (i = p + 1; i < q; i++) { t = A[p*ld + i]; A[p*ld + i] = A[i*ld + q]; A[i*ld + q] = t; }
    dci_swap_rows(n - q - 1, A + p*ld + q + 1, A + q*ld + q + 1);
    dci_swap_rows(k, A + p*ld, A + q*ld);
    ti = piv[p]; piv[p] = piv[q]; piv[q] = ti;
}

/* index in first..n of the entry of largest magnitude; first < n */
static int dci_largest(int n, const dc_real *x, int first)
{
    int i, at = first;
    for (i = first + 1; i < n; i++) if (dc_abs(x[i]) > dc_abs(x[at])) at = i;
    return at;
}

/* Left of column k, row k holds W = L D in the columns of the block under way and L in those of finished ones.
 * Above it, rows of the block under way hold L^T. So row k of the reduced matrix is A_k - sum_p W_kp (L^T)_p. */
DC_DEF dc_status dc_ldlt_factor(int n, dc_real *A, int ld_, int *piv, int *where)
{
    const dc_real alpha = DC_R(0.6403882032022076);         /* (1 + sqrt 17)/8: least bound on the growth of the entries */
    ptrdiff_t     ld = ld_;
    int           k0, k, i, j, zero = -1;

    if (!A || !piv || n < 1 || ld < n || !dci_finite_upper(n, A, ld)) return DC_E_ARG;
    for (i = 0; i < n; i++) piv[i] = i;

    for (k0 = 0; k0 < n; k0 = k) {
        int from = k0;                                      /* row k has yet to lose the block's rows from..k */
        for (k = k0; k < n && k - k0 < DCI_BLOCK; ) {
            dc_real *row = A + k*ld, *next = k + 1 < n ? row + ld : row;
            int      two = 0;

            dci_update(1, n - k, k - from, row + k, ld, row + from, ld, 1, A + from*ld + k, ld);
            from = k0;

            /* the pivot: k if it is large against the rest of its row, whose largest entry is lambda, in column r */
            if (k + 1 < n) {
                int     r = dci_largest(n, row, k + 1);
                dc_real lambda = dc_abs(row[r]), sigma = lambda;
                if (dc_abs(row[k]) < alpha*lambda) {
                    /* bring r next to k and form its row, largest entry sigma off the diagonal */
                    dci_ldlt_swap(n, A, ld, piv, k0, k, k + 1, r);
                    dci_update(1, n - k - 1, k - k0, next + k + 1, ld, next + k0, ld, 1, A + k0*ld + k + 1, ld);
                    from = k;
                    if (k + 2 < n) sigma = dc_max(sigma, dc_abs(next[dci_largest(n, next, k + 2)]));
                    /* still k, or r, or the two together */
                    if (dc_abs(row[k]) > alpha*lambda*(lambda/sigma)) two = 0;
                    else if (dc_abs(next[k + 1]) >= alpha*sigma) dci_ldlt_swap(n, A, ld, piv, k0, k, k, k + 1);
                    else two = 1;
                }
            }

            if (!two) {
                dc_real d = row[k];
                if (d == 0 && zero < 0) zero = k;
                for (j = k + 1; j < n; j++) A[j*ld + k] = row[j];
                /* a zero pivot has a zero row: nothing to divide */
                if (d != 0) for (j = k + 1; j < n; j++) row[j] /= d;
                k += 1;
            } else {
                /* (L^T)_k,k+1 = D^-1 W^T with D = e (a 1; 1 c): |a c| < alpha^2 < 1/2, e the largest of its row */
                dc_real e = row[k + 1], a = row[k]/e, c = next[k + 1]/e, den = (a*c - 1)*e;
                for (j = k + 2; j < n; j++) {
                    dc_real *w = A + j*ld + k;
                    w[0] = row[j];
                    w[1] = next[j];
                }
                for (j = k + 2; j < n; j++) {
                    dc_real w0 = row[j], w1 = next[j];
                    row[j]  = (c*w0 - w1)/den;
                    next[j] = (a*w1 - w0)/den;
                }
                piv[k] = ~piv[k];
                from = k0;
                k += 2;
            }
        }

        /* the block is done: take it off the rest, row k first because it may have lost a part already; W becomes L */
        if (k < n) {
            dci_update(1, n - k, k - from, A + k*(ld + 1), ld, A + k*ld + from, ld, 1, A + from*ld + k, ld);
            dci_update_upper(n, A, ld, k0, k - k0, k + 1);
        }
        for (i = k0 + 1; i < n; i++)
            for (j = k0; j < i && j < k; j++) A[i*ld + j] = A[j*ld + i];
        for (j = k0; j < k; j++) if (piv[j] < 0) A[(j + 1)*ld + j] = 0;
    }
    if (!dci_finite_block(n, n, A, ld)) return DC_E_RANGE;
    if (zero >= 0 && where) *where = zero;
    return zero < 0 ? DC_OK : DC_E_SINGULAR;
}

/* the factor is whole: finite, its pivot list a permutation, no 2x2 block begins in the last row or within another */
static int dci_ldlt_ok(int n, const dc_real *A, ptrdiff_t ld, const int *piv)
{
    int k;
    for (k = 0; k < n; k++)
        if (piv[k] < 0 && (k + 1 == n || piv[k + 1] < 0 || !dc_finite(A[k*ld + k + 1]))) return 0;
    return dci_finite_lower(n, A, ld) && dci_piv_ok(n, piv);
}

DC_DEF dc_status dc_ldlt_solve(int n, const dc_real *A, int ld_, const int *piv, int nrhs, dc_real *B, int ldb_)
{
    ptrdiff_t ld = ld_, ldb = ldb_;
    int       k, j;

    if (!piv || !dci_solve_args(n, A, ld_, nrhs, B, ldb_) || !dci_ldlt_ok(n, A, ld, piv)) return DC_E_ARG;
    for (k = 0; k < n; k += piv[k] < 0 ? 2 : 1)
        if ((piv[k] < 0 ? A[k*ld + k + 1] : A[k*ld + k]) == 0) return DC_E_SINGULAR;

    dci_permute(n, piv, 0, nrhs, B, ldb);
    dci_solve_l(n, A, ld, 1, nrhs, B, ldb);
    for (k = 0; k < n; k++) {
        dc_real *b = B + k*ldb, d = A[k*(ld + 1)];
        if (piv[k] >= 0) {
            for (j = 0; j < nrhs; j++) b[j] /= d;
        } else {
            dc_real *b1 = b + ldb, e = A[k*ld + k + 1], a = d/e, c = A[(k + 1)*(ld + 1)]/e, den = (a*c - 1)*e;
            for (j = 0; j < nrhs; j++) {
                dc_real x = (c*b[j] - b1[j])/den;
                b1[j] = (a*b1[j] - b[j])/den;
                b[j]  = x;
            }
            k++;
        }
    }
    dci_solve_lt(n, A, ld, 1, nrhs, B, ldb);
    dci_permute(n, piv, 1, nrhs, B, ldb);
    return dci_finite_block(n, nrhs, B, ldb) ? DC_OK : DC_E_RANGE;
}

DC_DEF dc_status dc_ldlt_inertia(int n, const dc_real *A, int ld_, const int *piv, int *inertia)
{
    ptrdiff_t ld = ld_;
    int       k, count[3] = {0, 0, 0};

    if (!A || !piv || !inertia || n < 1 || ld < n || !dci_ldlt_ok(n, A, ld, piv)) return DC_E_ARG;
    for (k = 0; k < n; k++) {
        dc_real d = A[k*(ld + 1)];
        if (piv[k] < 0) { count[0]++; count[1]++; k++; }   /* the pivoting makes 2x2 blocks of negative determinant */
        else count[d > 0 ? 0 : d < 0 ? 1 : 2]++;
    }
    memcpy(inertia, count, sizeof count);
    return DC_OK;
}

/* ---- P A = L U */

/* columns c0..c1 of all rows from c0 down, one after the other */
static int dci_lu_columns(int n, dc_real *A, ptrdiff_t ld, int c0, int c1, int *piv)
{
    int k, i, j, ti;
    for (k = c0; k < c1; k++) {
        dc_real *top = A + k*ld, d;
        int      p = k;
        for (i = k + 1; i < n; i++) if (dc_abs(A[i*ld + k]) > dc_abs(A[p*ld + k])) p = i;
        if (A[p*ld + k] == 0) return k;
        if (p != k) {
            dci_swap_rows(n, top, A + p*ld);
            ti = piv[k]; piv[k] = piv[p]; piv[p] = ti;
        }
        d = top[k];
        for (i = k + 1; i < n; i++) {
            dc_real *row = A + i*ld, l = row[k]/d;
            row[k] = l;
            for (j = k + 1; j < c1; j++) row[j] -= l*top[j];
        }
    }
    return -1;
}

/* columns c0..c1 are factored: carry them over to columns c1..end */
static void dci_lu_carry(int n, dc_real *A, ptrdiff_t ld, int c0, int c1, int end)
{
    dc_real *right = A + c0*ld + c1;
    if (c1 == end) return;
    dci_trisolve(c1 - c0, A + c0*(ld + 1), ld, 1, 1, end - c1, right, ld);
    dci_update(n - c1, end - c1, c1 - c0, A + c1*(ld + 1), ld, A + c1*ld + c0, ld, 1, right, ld);
}

/* four columns at a time within blocks of columns: the short rows are short only for the fewest operations */
DC_DEF dc_status dc_lu_factor(int n, dc_real *A, int ld_, int *piv, int *where)
{
    ptrdiff_t ld = ld_;
    int       i, k0, k1, c0, c1, bad;

    if (!A || !piv || n < 1 || ld < n || !dci_finite_block(n, n, A, ld)) return DC_E_ARG;
    for (i = 0; i < n; i++) piv[i] = i;
    for (k0 = 0; k0 < n; k0 = k1) {
        k1 = k0 + DCI_BLOCK < n ? k0 + DCI_BLOCK : n;
        for (c0 = k0; c0 < k1; c0 = c1) {
            c1 = c0 + 4 < k1 ? c0 + 4 : k1;
            bad = dci_lu_columns(n, A, ld, c0, c1, piv);
            if (bad >= 0) {
                if (where) *where = bad;
                return DC_E_SINGULAR;
            }
            dci_lu_carry(n, A, ld, c0, c1, k1);
        }
        dci_lu_carry(n, A, ld, k0, k1, n);
    }
    return dci_finite_block(n, n, A, ld) ? DC_OK : DC_E_RANGE;
}

static dc_status dci_lu_args(int n, const dc_real *A, int ld, const int *piv, int nrhs, const dc_real *B, int ldb)
{
    int k;
    if (!piv || !dci_solve_args(n, A, ld, nrhs, B, ldb) || !dci_finite_block(n, n, A, ld)) return DC_E_ARG;
    for (k = 0; k < n; k++) if (piv[k] < 0) return DC_E_ARG;
    if (!dci_piv_ok(n, piv)) return DC_E_ARG;
    return dci_zero_diagonal(n, A, ld) ? DC_E_SINGULAR : DC_OK;
}

DC_DEF dc_status dc_lu_solve(int n, const dc_real *A, int ld, const int *piv, int nrhs, dc_real *B, int ldb)
{
    dc_status s = dci_lu_args(n, A, ld, piv, nrhs, B, ldb);
    if (s != DC_OK) return s;
    /* A = P^T L U */
    dci_permute(n, piv, 0, nrhs, B, ldb);
    dci_solve_l(n, A, ld, 1, nrhs, B, ldb);
    dci_solve_u(n, A, ld, nrhs, B, ldb);
    return dci_finite_block(n, nrhs, B, ldb) ? DC_OK : DC_E_RANGE;
}

DC_DEF dc_status dc_lu_solve_t(int n, const dc_real *A, int ld, const int *piv, int nrhs, dc_real *B, int ldb)
{
    dc_status s = dci_lu_args(n, A, ld, piv, nrhs, B, ldb);
    if (s != DC_OK) return s;
    /* A^T = U^T L^T P */
    dci_solve_ut(n, A, ld, nrhs, B, ldb);
    dci_solve_lt(n, A, ld, 1, nrhs, B, ldb);
    dci_permute(n, piv, 1, nrhs, B, ldb);
    return dci_finite_block(n, nrhs, B, ldb) ? DC_OK : DC_E_RANGE;
}

/* ---- symmetric eigenvalues */

/* sqrt(a^2 + b^2) without underflow of the squares; |a|, |b| < sqrt(DC_REAL_MAX)/2 */
static dc_real dci_hypot(dc_real a, dc_real b)
{
    dc_real r2 = a*a + b*b, x, y;
    if (r2 > DC_REAL_MIN/(DC_EPS*DC_EPS)) return dc_sqrt(r2);
    x = dc_max(dc_abs(a), dc_abs(b));
    y = dc_min(dc_abs(a), dc_abs(b));
    if (x == 0) return 0;
    y /= x;
    return x*dc_sqrt(1 + y*y);
}

/* Z, n x n symmetric, |Z_ij| <= 1, becomes tridiagonal: d the diagonal, e[i] next to it between i - 1 and i (e[0] = 0).
 * Row i from the last up: a reflection of the coordinates below i,
 *
 *     H_i = I - u u^T/h,   h = u.u/2,   H_i Z_i = (0, .., 0, e_i),          (1)
 *
 * so that T = (H_1 .. H_n-1) Z (H_n-1 .. H_1). With p = Z u/h and q = p - (u.p/2h) u the rest changes by
 *
 *     H_i Z H_i = Z - q u^T - u q^T.                                        (2)
 *
 * On exit Z = H_1 H_2 .. H_n-1 if vectors, else scratch. q: n numbers of scratch. */
static void dci_tridiagonal(int n, dc_real *Z, dc_real *d, dc_real *e, dc_real *q, int vectors)
{
    ptrdiff_t ld = n;
    int       i, j, k;

    for (i = n - 1; i > 0; i--) {
        dc_real *u = Z + i*ld, big = 0, h = 0, g, half;
        d[i] = u[i];
        u[i] = 0;                                           /* holds h from here on: 0 for no reflection */
        for (k = 0; k < i - 1; k++) big = dc_max(big, dc_abs(u[k]));
        e[i] = u[i - 1];
        if (big == 0) continue;

        /* (1), u over its largest entry so that squares neither vanish nor overflow */
        big = dc_max(big, dc_abs(u[i - 1]));
        for (k = 0; k < i; k++) u[k] /= big;
        h = dci_dot(i, u, u);
        g = u[i - 1] > 0 ? -dc_sqrt(h) : dc_sqrt(h);        /* away from u[i - 1]: no cancellation */
        e[i] = big*g;
        h -= u[i - 1]*g;                                    /* >= 1, as h was */
        u[i - 1] -= g;
        u[i] = h;

        /* (2) */
        for (k = 0; k < i; k++) q[k] = 0;
        dci_update(1, i, i, q, ld, u, 0, 1, Z, ld);
        for (k = 0; k < i; k++) q[k] = -q[k]/h;
        half = dci_dot(i, u, q)/(2*h);
        for (k = 0; k < i; k++) q[k] -= half*u[k];
        for (j = 0; j < i; j++) {
            dc_real *DCI_RESTRICT z = Z + j*ld;
            dc_real uj = u[j], qj = q[j];
            for (k = 0; k < i; k++) z[k] -= qj*u[k] + uj*q[k];
        }
    }
    d[0] = Z[0];
    e[0] = 0;

    /* the product from the left, in the leading rows and columns that the reflections so far have used up */
    if (!vectors) return;
    Z[0] = 1;
    for (i = 1; i < n; i++) {
        dc_real *u = Z + i*ld, h = u[i];
        if (h != 0) {
            for (j = 0; j < i; j++) {
                dc_real *DCI_RESTRICT z = Z + j*ld;
                dc_real s = dci_dot(i, u, z)/h;
                for (k = 0; k < i; k++) z[k] -= s*u[k];
            }
        }
        for (k = 0; k < i; k++) u[k] = Z[k*ld + i] = 0;
        u[i] = 1;
    }
}

/* rows x, y <- c x - s y, s x + c y */
static void dci_rotate_rows(int n, dc_real *DCI_RESTRICT x, dc_real *DCI_RESTRICT y, dc_real c, dc_real s)
{
    int j;
    for (j = 0; j < n; j++) {
        dc_real t = y[j];
        y[j] = s*x[j] + c*t;
        x[j] = c*x[j] - s*t;
    }
}

/* Implicit QL with Wilkinson's shift on the tridiagonal (d, e), |d|, |e| of order one or below; rotates the rows of Z
 * (NULL: none). An e below DC_EPS^2 counts as zero, which is far below the rounding error of the largest eigenvalue. */
static dc_status dci_ql(int n, dc_real *d, dc_real *e, dc_real *Z)
{
    dc_status status = DC_OK;
    ptrdiff_t ld = n;
    int       l, m, i, sweep;

    for (i = 1; i < n; i++) e[i - 1] = e[i];
    e[n - 1] = 0;
    for (l = 0; l < n; l++) {
        for (sweep = 0; ; sweep++) {
            dc_real g, r, s = 1, c = 1, p = 0;

            /* the block l..m that hangs together */
            for (m = l; m + 1 < n; m++)
                if (dc_abs(e[m]) <= DC_EPS*(dc_abs(d[m]) + dc_abs(d[m + 1]) + DC_EPS)) break;
            if (m == l) break;
            if (sweep == 50) { status = DC_E_DIVERGED; break; }

            /* d_m - shift, the shift being the eigenvalue of the leading 2x2 nearer to d_l; e_l is not zero here */
            g = (d[l + 1] - d[l])/(2*e[l]);                 /* below 1/DC_EPS: e_l is above the threshold */
            r = dci_hypot(g, 1);
            g = d[m] - d[l] + e[l]/(g + (g < 0 ? -r : r));

            /* chase the bulge from the bottom up */
            for (i = m - 1; i >= l; i--) {
                dc_real f = s*e[i], b = c*e[i];
                r = dci_hypot(f, g);
                e[i + 1] = r;
                if (r == 0) { d[i + 1] -= p; e[m] = 0; break; }    /* it split on the way */
                s = f/r;
                c = g/r;
                g = d[i + 1] - p;
                r = (d[i] - g)*s + 2*c*b;
                p = s*r;
                d[i + 1] = g + p;
                g = c*r - b;
                if (Z) dci_rotate_rows(n, Z + i*ld, Z + (i + 1)*ld, c, s);
            }
            if (i >= l) continue;
            d[l] -= p;
            e[l] = g;
            e[m] = 0;
        }
    }
    return status;
}

DC_DEF size_t dc_eigsym_bytes(int n)
{
    size_t sum = 0;
    int    i;
    if (n < 1 || (size_t)n > SIZE_MAX/(size_t)n) return 0;
    sum = dc_bytes(0, (size_t)n*(size_t)n, sizeof(dc_real));
    for (i = 0; i < 3; i++) sum = dc_bytes(sum, (size_t)n, sizeof(dc_real));
    return sum == SIZE_MAX ? 0 : sum;
}

/* eigenvalues in *w, eigenvectors in the rows of *Z, both in the arena, which stays taken; A may be unscaled */
static dc_status dci_eigsym(int n, const dc_real *A, ptrdiff_t ld, int vectors, dc_real **w, dc_real **Z, dc_arena *arena)
{
    size_t    size = sizeof(dc_real), count = (size_t)n;
    dc_real  *z, *d, *e, *q, big = 0;
    dc_status status;
    ptrdiff_t s = n;
    int       i, j, low;

    if ((size_t)n > SIZE_MAX/count) return DC_E_MEMORY;
    *Z = z = (dc_real *)dc_arena_take(arena, count*count, size);
    *w = d = (dc_real *)dc_arena_take(arena, count, size);
    e = (dc_real *)dc_arena_take(arena, count, size);
    q = (dc_real *)dc_arena_take(arena, count, size);
    if (!z || !d || !e || !q) return DC_E_MEMORY;

    /* both triangles, over the largest entry */
    for (i = 0; i < n; i++)
        for (j = i; j < n; j++) big = dc_max(big, dc_abs(A[i*ld + j]));
    for (i = 0; i < n; i++)
        for (j = i; j < n; j++) z[i*s + j] = z[j*s + i] = big > 0 ? A[i*ld + j]/big : 0;

    dci_tridiagonal(n, z, d, e, q, vectors);
    status = dci_ql(n, d, e, vectors ? z : NULL);

    /* ascending */
    for (i = 0; i < n; i++) {
        for (low = i, j = i + 1; j < n; j++) if (d[j] < d[low]) low = j;
        if (low != i) {
            dc_real t = d[i]; d[i] = d[low]; d[low] = t;
            if (vectors) dci_swap_rows(n, z + i*s, z + low*s);
        }
        d[i] *= big;
    }
    return dci_finite_row(n, d) ? status : DC_E_RANGE;
}

DC_DEF dc_status dc_eigsym(int n, const dc_real *A, int ld, dc_real *w, dc_real *V, int ldv, dc_arena *scratch)
{
    dc_real  *d, *z;
    dc_status status;
    size_t    used;
    int       i;

    if (!A || !w || !scratch || n < 1 || ld < n || (V && ldv < n) || !dci_finite_upper(n, A, ld)) return DC_E_ARG;
    used = scratch->used;
    status = dci_eigsym(n, A, ld, V != NULL, &d, &z, scratch);
    scratch->used = used;
    if (status != DC_OK && status != DC_E_DIVERGED) return status;
    memcpy(w, d, (size_t)n*sizeof *w);
    if (V) for (i = 0; i < n; i++) memcpy(V + (ptrdiff_t)i*ldv, z + (ptrdiff_t)i*n, (size_t)n*sizeof *V);
    return status;
}

DC_DEF size_t dc_psd_clamp_bytes(int n)
{
    return dc_eigsym_bytes(n);
}

DC_DEF dc_status dc_psd_clamp(int n, dc_real *A, int ld_, dc_real least, dc_arena *scratch)
{
    dc_real  *w, *V;
    dc_status status;
    ptrdiff_t ld = ld_;
    size_t    used;
    int       i, j, k;

    if (!A || !scratch || n < 1 || ld < n || !dc_finite(least) || !dci_finite_upper(n, A, ld)) return DC_E_ARG;
    used = scratch->used;
    status = dci_eigsym(n, A, ld, 1, &w, &V, scratch);
    scratch->used = used;
    if (status != DC_OK) return status;
    /* no entry on the way exceeds these in sum */
    if (!dc_finite(4*(dc_abs(least) + dc_max(dc_abs(w[0]), dc_abs(w[n - 1]))))) return DC_E_RANGE;

    for (k = 0; k < n && w[k] < least; k++) {
        dc_real lift = least - w[k], *v = V + (ptrdiff_t)k*n;
        for (i = 0; i < n; i++) {
            dc_real *DCI_RESTRICT row = A + i*ld, s = lift*v[i];
            for (j = i; j < n; j++) row[j] += s*v[j];
        }
    }
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++) A[i*ld + j] = A[j*ld + i];
    return DC_OK;
}

/* ---- hull distance ---------------------------------------------------------------------------- */

/* ---- pair potentials -------------------------------------------------------------------------- */

#endif /* DC_CONTACT_IMPLEMENTED */
#endif /* DC_CONTACT_IMPLEMENTATION */
