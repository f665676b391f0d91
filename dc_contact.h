/* dc_contact.h - v0.1.0 - contact potentials of convex hulls with exact derivatives, and the maths below them
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * DOES     distance, penetration depth and closest features of two convex hulls, round ones too; faces and neighbours
 *          of a hull; contact manifolds of two with ids, clipped or smooth; rays, casts with a time of impact that is
 *          never late; their derivatives; pairs and trees of boxes; the contact potentials of LRI [1] (felt at any
 *          distance) and SDRS [2] (local) with gradient and Hessian by vertices, rigid twists or affine maps; many
 *          triangle pairs at once; the friction potential of SDRS with its mixed second derivatives; small dense linear
 *          algebra; elementary functions that give the same bits everywhere, and smooth stand-ins for sign, max, clamp,
 *          comparisons and argmax [3]; rotations and poses with their Jacobians.
 * DOES NOT split non-convex shapes, read files, step time.
 *
 * USE
 *   In one C or C++ file: #define DC_CONTACT_IMPLEMENTATION, then #include "dc_contact.h". Everywhere else include it.
 *   Quick start, a complete program; cc -std=c99 -O3 program.c -lm
 *
 *|#define DC_CONTACT_IMPLEMENTATION
 *|#include "dc_contact.h"
 *|#include <stdio.h>
 *|static unsigned char memory[1 << 14];
 *|int main(void)
 *|{
 *|    const dc_v3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
 *|    dc_hull t = {v, 4, 0};                                 // a tetrahedron, in body coordinates
 *|    dc_pose a = {{1, 0, 0, 0}, {0, 0, 0}}, b = {{1, 0, 0, 0}, {0, 0, -2}};
 *|    dc_arena mem = dc_arena_make(memory, sizeof memory);
 *|    dc_plane plane = DC_ZERO;                              // kept for the next call: a warm start
 *|    dc_real P, g[12], H[144];
 *|    dc_status s = dc_pair_rigid(NULL, &t, &a, &t, &b, &mem, &plane, &P, g, H, NULL);
 *|    printf("%s: potential %g, push on a %g\n", dc_status_text(s), (double)P, -(double)g[2]);
 *|    return s != DC_OK;
 *|}
 *
 * OPTIONS (macros)
 *   DC_CONTACT_IMPLEMENTATION  in one file: the code. In more than one with DC_STATIC: private copies.
 *               The implementation of another header asks for it in the same file, before that header; a program
 *               that has it in a file of its own says DC_CONTACT_IMPLEMENTED there. Likewise of all headers.
 *   DC_REAL     double (default) or float, the same in every file: files that disagree do not link, but for DC_STATIC.
 *   DC_STATIC   in the implementing file: every function static.
 *   DC_DEF      decoration of public functions, extern by default.
 *
 * NOTATION
 *   a, b        the two bodies
 *   x = R x_hat + t   body to world; q = (w,x,y,z) the unit quaternion of R
 *   n, d        separating plane <x,n> + d = 0, n from b to a, |n| < 1; nrm, dq (about the point q) while solving.
 *               SDRS writes n from the first body to the second and calls the offset o: our n = -n, d = -o.
 *   a_k         slack of vertex k, s_k(<x_k,n> + d), s_k = +1 on a, -1 on b
 *   h, R        barrier of a slack, 1/x or P_s; radial term of |n|, c/(1-|n|) or P_s(1-|n|)
 *   G, G*       sum of 1/a_k, its least value over unit planes
 *   f_k, D_k    s_k h'(a_k), h''(a_k)
 *   A           Hessian of the potential by the plane, L diag(1/W) L^T
 *   xi = (v,w)  twist in the world frame about the body origin t: x <- exp([w])(x - t) + t + v. A gradient by xi is
 *               (force, torque) with the opposite sign. Pair gradients are [a; b]; Hessians are second derivatives in
 *               these coordinates at 0, symmetric to the bit, row-major.
 *
 * CONTRACTS
 *   Memory    None of its own. Scratch comes from the caller's dc_arena and is given back at return; dc_..._bytes(...)
 *             is enough for one call from a fresh arena, 0 when the number does not fit. In double: dc_pair of two
 *             triangles 3.9 KB, of two 8-vertex hulls 5.6 KB, dc_friction of them 11.5 KB, dc_tri_batch 18 KB,
 *             penetration depth 23 KB, dc_broad of 10 000 boxes 1.7 MB and 8 bytes a pair, a tree of them 1.2 MB.
 *             Worst stack of any function below 3.5 KB (`make facts`).
 *   Errors    dc_status; what each means here:
 *             DC_E_ARG       not finite, out of range (coordinates beyond DC_LIMIT), NULL, a count below 1
 *             DC_E_MEMORY    the arena is too small: give dc_..._bytes of it. DC_E_ARG comes first: what is refused
 *                            with a large arena is refused with an empty one, unless a function says that it takes
 *                            memory to know
 *             DC_E_OVERLAP   the hulls touch, or no plane separates them as rounded; values are +INFINITY
 *             DC_E_RANGE     the true number does not fit: too close to contact, or in float
 *             DC_E_SINGULAR  a factorisation met a zero (or not positive) pivot
 *             DC_E_DIVERGED  a cap was reached; outputs are the best iterate. dc_pair: never in 200 000 random pairs
 *             On failure outputs are untouched except where a function says so. No call aborts, prints or returns NaN
 *             with DC_OK.
 *   Threads   Every function is re-entrant; nothing is shared.
 *   Bits      The same for the same input in any order and thread; built with -ffp-contract=off, under any compiler and
 *             on any IEEE machine (round to nearest, subnormals on), with -mfma too: `make bits` has the list. Not
 *             by tcc 0.9.27 in float: it spoils a dc_pose of 28 bytes that is passed by value. A warm start agrees
 *             with a cold one to rounding.
 *   Smooth    The potentials are C2 wherever the hulls are apart, through every change of closest features and across
 *             the end of the local support, where they vanish like w^4. dc_hull_smooth is C1. dc_hull_distance, rays
 *             and casts have kinks where features change.
 *   Accuracy  Potentials: value, gradient and Hessian within 7 eps (1 + condition) of 60-digit tables, condition about
 *             3L/g for hulls of size L at a gap g, from g/L = 1e-9 (float: 100 eps of the coordinates) to 1e4.
 *             dc_tri_batch: value and gradient alike, relative derivatives within 50 eps (1 + 3L/g + L/size), L the
 *             distance from the origin given.
 *   Cost      ns on one Zen 4 core, gcc 12 -O3 (-O3 -march=native), `make bench`:
 *               triangle pair, gap 1e-2    1490 (1380) alone, 620 (310) in a batch, 185 (92) in a batch warm
 *               twist gradient and Hessian 600 (430) more alone; relative ones 240 (250) more in a batch
 *               8-vertex hulls, DC_LOCAL   2600 (2450) with gradient and Hessian, warm 1450 (1330)
 *               hull distance              470 (470) for 8 vertices, 1930 (1590) for 96, warm 180 (160) and 620 (490)
 *               penetration depth          2270 (2620) for 8 vertices, 7060 (7140) for 96
 *               contact manifold           of two boxes 550 to 690, cold or warm; smooth 19 000 to
 *                                          26 000
 *               ray                        870 (890) for 8 vertices, 2300 (2300) for 96
 *               cast                       1260 (1320), 5300 (5400); of hulls that turn 5200 (5400), 18 400 (18 700)
 *               pairs of 10 000 boxes      0.8 (0.8) ms with the order kept, 1.2 (1.2) without; a tree of them 2.7
 *                                          (2.7), refitted 0.07 (0.07)
 *   Limits    The cost of a pair is linear in its vertices: prune them to the hull's. Boxes are special only to
 *             dc_hull_manifold, spheres and capsules only to dc_hull_distance.
 *
 * CHAPTERS of the implementation; each begins with its mark in brackets. Behind the dash: the headers that need it
 *   [lanes]         the exponential family for loops over lanes, bits, hashes - all, by DC_CONTACT_KERNELS
 *   [duals]         forces of friction as unknowns - dc_sim.h, by DC_CONTACT_KERNELS
 *   [rates]         numbers and vectors that carry their rate - dc_witness.h, by DC_CONTACT_KERNELS
 *   [memory]        status and memory - all
 *   [elementary]    root, exp, log, tanh, pow, sine, arctangent - all
 *   [rotations]     quaternions, rotation vectors, poses - all
 *   [smooth]        smooth operators
 *   [dense]         dense algebra: triangular solves, permutations - dc_sdf.h, dc_sim.h, as the two below
 *   [factors]       dense algebra: Cholesky, L D L^T, L U
 *   [eigen]         dense algebra: symmetric eigenvalues
 *   [hull]          hull distance: closest features - dc_sim.h, as the next two
 *   [depth]         hull distance: penetration depth
 *   [hull calls]    hull distance: frames, starts, answers, and the call
 *   [faces]         hull queries: faces, edges, neighbours
 *   [manifold]      hull queries: contact manifolds
 *   [manifold derivatives]  hull queries: derivatives of a manifold
 *   [smooth manifold]       hull queries: manifolds whose features fade
 *   [plane]         pair potentials: the minimising plane - dc_bsh.h, dc_sim.h, as the next five
 *   [solve]         pair potentials: loading, starting, value
 *   [origins]       twists about other origins
 *   [derivatives]   pair potentials: derivatives, and the calls
 *   [centred]       centred potential and blending
 *   [triangles]     many triangle pairs
 *   [friction]      friction potential - dc_sim.h
 *   [broad]         broad phase: pairs of moving boxes
 *   [tree]          broad phase: a tree of boxes, for rays and large scenes
 *   [rays]          rays against hulls
 *   [cast]          casts: two moving hulls, their time of impact
 *   [impact]        derivatives of rays and casts
 *
 * REFERENCES
 *   [1] LRI   Ye, Wu, Komura, Pan: Efficient differentiable contact model with long-range influence.
 *   [2] SDRS  Ye, Gao, Wu, Pan, Komura: SDRS, shape-differentiable robot simulator.
 *   [3] CONTAX  Beker, Geist, Paulus, Guertler, Ji Shi, Calinon, Martius: Smoothly differentiable and efficiently
 *       vectorizable contact manifold generation.
 *   In all headers of the suite a line that computes an equation of a paper names it in the same way, short name and
 *   number; `make concordance` lists them. Where a text slips the corrected form is followed and said so at the
 *   line. DC_GLOBAL is solved in the reduced form of the section "the minimising plane"; friction has a patch radius
 *   that SDRS has not.
 *
 * CHANGES  see CHANGELOG.md. LICENCE at the end of this file. */
#ifndef DC_CONTACT_H_INCLUDED
#define DC_CONTACT_H_INCLUDED

#include <limits.h>
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

#if defined(INT_MAX) && INT_MAX < 2147483647
#error "dc needs an int of 32 bits or more: counts and sizes of its arrays, and bits that are shifted, do not fit 16"
#endif

#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "dc needs IEEE arithmetic: do not compile it with -ffast-math"
#endif

#if defined(__GNUC__) || defined(__clang__)
#define DCI_UNUSED __attribute__((unused))
#define DCI_NOINLINE __attribute__((noinline))      /* stages whose stack frames must not add up */
#else
#define DCI_UNUSED
#define DCI_NOINLINE
#endif

/* 1 where gcc's vectoriser of straight lines makes fused operations (vfmaddsub) of a*b - c*d beside a*b + c*d, whatever
 * -ffp-contract says: the implementations turn it off there */
#if defined(__GNUC__) && !defined(__clang__) && (defined(__FMA__) || defined(__FMA4__))
#define DCI_FUSES 1
#else
#define DCI_FUSES 0
#endif

#ifndef DC_DEF
#ifdef DC_STATIC
#define DC_DEF static DCI_UNUSED
#else
#define DC_DEF extern
#endif
#endif

#define DC_INLINE static inline DCI_UNUSED

/* what a loop over lanes calls: gcc else leaves calls between functions of other options */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__OPTIMIZE_SIZE__)
#define DCI_LANE static inline DCI_UNUSED __attribute__((always_inline))
#else
#define DCI_LANE static inline DCI_UNUSED
#endif

#ifdef __cplusplus
#define DC_ZERO {}
#else
#define DC_ZERO {0}
#endif

#define DC_R(x) ((dc_real)(x))

#if DC_IS_FLOAT
#define DC_LIMIT DC_R(1e9)                          /* largest coordinate accepted: fourth powers stay finite */
#define DC_EPS DC_R(1.1920928955078125e-7)          /* 2^-23: the distance from 1 to the next number */
#define DC_REAL_MAX DC_R(3.4028234663852886e38)
#define DC_REAL_MIN DC_R(1.1754943508222875e-38)    /* smallest normal number */
#else
#define DC_LIMIT DC_R(1e76)
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
/* smooth operators */
#define dc_soft_sign dc_soft_sign_f
#define dc_soft_relu dc_soft_relu_f
#define dc_soft_clip dc_soft_clip_f
#define dc_soft_greater dc_soft_greater_f
#define dc_soft_within dc_soft_within_f
#define dc_lse dc_lse_f
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
#define dc_hull_distance dc_hull_distance_f
#define dc_hull_distance_bytes dc_hull_distance_bytes_f
/* hull queries */
#define dc_hull_faces dc_hull_faces_f
#define dc_hull_faces_bytes dc_hull_faces_bytes_f
#define dc_hull_support dc_hull_support_f
#define dc_hull_distance_large dc_hull_distance_large_f
#define dc_hull_manifold dc_hull_manifold_f
#define dc_hull_manifold_bytes dc_hull_manifold_bytes_f
#define dc_hull_manifold_jvp dc_hull_manifold_jvp_f
#define dc_hull_manifold_vjp dc_hull_manifold_vjp_f
#define dc_hull_smooth dc_hull_smooth_f
#define dc_hull_smooth_bytes dc_hull_smooth_bytes_f
#define dc_hull_smooth_jvp dc_hull_smooth_jvp_f
#define dc_hull_smooth_vjp dc_hull_smooth_vjp_f
/* potentials */
#define dc_pair_bytes dc_pair_bytes_f
#define dc_pair dc_pair_f
#define dc_pair_rigid dc_pair_rigid_f
#define dc_pair_affine dc_pair_affine_f
#define dc_relative_shift dc_relative_shift_f
#define dc_relative_expand dc_relative_expand_f
#define dc_centred dc_centred_f
#define dc_blend dc_blend_f
#define dc_tri_batch_bytes dc_tri_batch_bytes_f
#define dc_tri_batch dc_tri_batch_f
#define dc_friction_bytes dc_friction_bytes_f
#define dc_friction dc_friction_f
#define dc_friction_rigid dc_friction_rigid_f
#define dc_friction_shape dc_friction_shape_f
#define dc_friction_vjp dc_friction_vjp_f
#define dc_friction_load_bytes dc_friction_load_bytes_f
#define dc_friction_open dc_friction_open_f
#define dc_friction_move dc_friction_move_f
#define dc_friction_try dc_friction_try_f
#define dc_friction_keep dc_friction_keep_f
/* broad phase */
#define dc_hull_box dc_hull_box_f
#define dc_broad dc_broad_f
#define dc_broad_spheres dc_broad_spheres_f
#define dc_broad_bytes dc_broad_bytes_f
#define dc_tree_bytes dc_tree_bytes_f
#define dc_tree_build dc_tree_build_f
#define dc_tree_refit dc_tree_refit_f
#define dc_tree_by_box dc_tree_by_box_f
#define dc_tree_by_ray dc_tree_by_ray_f
#define dc_tree_next dc_tree_next_f
/* rays and casts */
#define dc_hull_ray dc_hull_ray_f
#define dc_hull_ray_jac dc_hull_ray_jac_f
#define dc_hull_cast dc_hull_cast_f
#define dc_hull_cast_jac dc_hull_cast_jac_f
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types --------------------------------------------------------------------------------- */

typedef DC_REAL dc_real;
/* DC_REAL is the word float or double itself, not another name for it */
typedef char dci_real_check[sizeof(dc_real) == (DC_IS_FLOAT ? sizeof(float) : sizeof(double)) ? 1 : -1];

typedef struct { dc_real x, y, z; } dc_v3;
typedef struct { dc_real m[9]; } dc_m3;             /* row-major */
typedef struct { dc_real w, x, y, z; } dc_quat;     /* unit */
typedef struct { dc_quat q; dc_v3 t; } dc_pose;     /* x = R(q) x_hat + t: body to world */
typedef struct { dc_real m[12]; } dc_affine;        /* 3x4 row-major, x = T (x_hat, 1) */

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

/* An empty arena over the caller's memory, which must outlive its use; any alignment; NULL counts as no bytes. */
DC_DEF dc_arena dc_arena_make(void *memory, size_t bytes);

/* `count` items of `size` bytes, aligned to DC_ALIGN; NULL when they do not fit. */
DC_DEF void *dc_arena_take(dc_arena *a, size_t count, size_t size);

/* ---- vectors, matrices, poses --------------------------------------------------------------- */

/* The smaller, the larger, the magnitude; a NaN in b is returned by the first two, one in a is lost. */
DCI_LANE dc_real dc_min(dc_real a, dc_real b) { return a < b ? a : b; }
DCI_LANE dc_real dc_max(dc_real a, dc_real b) { return a > b ? a : b; }
#if (defined(__GNUC__) || defined(__clang__)) && DC_IS_FLOAT
/* one instruction, which gcc does not see in a < 0 ? -a : a */
DCI_LANE dc_real dc_abs(dc_real a) { return __builtin_fabsf(a); }
#elif defined(__GNUC__) || defined(__clang__)
DCI_LANE dc_real dc_abs(dc_real a) { return __builtin_fabs(a); }
#else
DCI_LANE dc_real dc_abs(dc_real a) { return a <= 0 ? 0 - a : a; }      /* +0 of -0 as well */
#endif
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
/* finite, and small enough that fourth powers stay finite */
DC_INLINE int dc_in_range(dc_v3 a)
{
    return dc_abs(a.x) <= DC_LIMIT && dc_abs(a.y) <= DC_LIMIT && dc_abs(a.z) <= DC_LIMIT;
}
/* what functions of this suite ask of a pose: in range, |q.q - 1| <= 1e-3; NULL, the identity, is fine */
DC_INLINE int dc_pose_ok(const dc_pose *p)
{
    dc_real e;
    if (!p) return 1;
    e = p->q.w*p->q.w + p->q.x*p->q.x + p->q.y*p->q.y + p->q.z*p->q.z - 1;
    return dc_abs(e) <= DC_R(1e-3) && dc_in_range(p->t);
}
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

/* a b: x = a(b(x_hat)), the product normalised again so that chains do not drift. */
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

/* ---- smooth operators -------------------------------------------------------------------------- */
/* Stand-ins for sign, max, clamp, comparisons and selection with derivatives of every order (CONTAX section III).
 * eps > 0 is the width of the transition, in the unit of x; none is checked. d1 and d2 receive the first and second
 * derivative by x and may be NULL. A NaN gives NaN, an infinite x the limits (but for dc_lse). Tails keep their
 * digits: value and derivatives are within 2 (1 + |x - a|/eps) DC_EPS of themselves, but for a value or derivative
 * next to a zero of its own, and clips much narrower than eps, which are off by DC_EPS eps. */

/* sign(x): tanh(x/eps) */
DC_DEF dc_real dc_soft_sign(dc_real x, dc_real eps, dc_real *d1, dc_real *d2);

/* max(x, 0): eps log(1 + e^(x/eps)), above it by at most eps log 2 */
DC_DEF dc_real dc_soft_relu(dc_real x, dc_real eps, dc_real *d1, dc_real *d2);

/* x clamped to [a, b], a <= b: a + relu(x-a) - relu(x-b), which stays in [a, b] */
DC_DEF dc_real dc_soft_clip(dc_real x, dc_real a, dc_real b, dc_real eps, dc_real *d1, dc_real *d2);

/* [x > a]: 1/(1 + e^((a-x)/eps)). [x < a] is dc_soft_greater(a, x, ...), d1 with the other sign. */
DC_DEF dc_real dc_soft_greater(dc_real x, dc_real a, dc_real eps, dc_real *d1, dc_real *d2);

/* [a < x < b]: the product of [x > a] and [x < b] */
DC_DEF dc_real dc_soft_within(dc_real x, dc_real a, dc_real b, dc_real eps, dc_real *d1, dc_real *d2);

/* Log-sum-exp of x[n], n >= 1: the smooth maximum for tau > 0, the smooth minimum for tau < 0,
 *
 *     LSE = tau log sum_i e^(x_i/tau),   max x <= LSE <= max x + tau log n     (tau < 0: the same below min x)
 *
 * w[n] its gradient, the soft argmax (argmin): w_i = e^(x_i/tau)/sum_j e^(x_j/tau), positive weights of sum 1.
 * H[n*n], row-major, its second derivative, which is the Jacobian of w: (diag w - w w^T)/tau.
 * w and H may be NULL, w may be x. With w and H NULL nothing is written. H needs w. */
DC_DEF dc_real dc_lse(int n, const dc_real *x, dc_real tau, dc_real *w, dc_real *H);

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
 * Time in us for n = 120 in double, gcc 12 -O3 on Zen 4, in parentheses with -march=native: LU 86 (55), Cholesky 46
 * (28), L D L^T 76 (58), one solve 6 to 8 (4 to 6), eigenvalues 590 (450), with vectors 1440 (830).
 * Small matrices: n = 12 takes 0.7 us for LU and one solve, a quarter more than the textbook's loops, which check
 * nothing.
 * Stack below 900 bytes. */

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
 * V = A with ldv = ld is allowed. Reads the upper triangle of A. Householder tridiagonalisation and implicit QL,
 * about 9 n^3 flops.
 * Errors, all absolute: an eigenvalue is off by 5 eps max|w| (second differences, n <= 250), so that eigenvalues
 * smaller than that carry no information, not even their sign; entries of A V_k - w_k V_k by 0.9 n eps |A|, of
 * V V^T - I by 1.8 n eps.
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

/* A^-1 by cofactors, about 50 flops: |A A^-1 - I| <= 3 eps |A| |A^-1|, |.| the largest entry. DC_E_SINGULAR: the
 * determinant is below its own rounding error, 4 eps times the same sum with all terms positive (scaling rows or
 * columns does not change the verdict). DC_E_RANGE: the inverse does not fit. *inverse (may be A) is written only
 * with DC_OK. */
DC_INLINE dc_status dc_m3_inv(const dc_m3 *A, dc_m3 *inverse)
{
    dc_real a[9], c[9], big = 0, det, all = 0;
    int     i;

    /* over the largest entry, so that no product overflows */
    if (!A || !inverse) return DC_E_ARG;
    for (i = 0; i < 9; ++i) {
        if (!dc_finite(A->m[i])) return DC_E_ARG;
        big = dc_max(big, dc_abs(A->m[i]));
    }
    if (big == 0) return DC_E_SINGULAR;
    for (i = 0; i < 9; ++i) a[i] = A->m[i]/big;

    /* c = adj a, transposed cofactors */
    c[0] = a[4]*a[8] - a[5]*a[7];  c[1] = a[2]*a[7] - a[1]*a[8];  c[2] = a[1]*a[5] - a[2]*a[4];
    c[3] = a[5]*a[6] - a[3]*a[8];  c[4] = a[0]*a[8] - a[2]*a[6];  c[5] = a[2]*a[3] - a[0]*a[5];
    c[6] = a[3]*a[7] - a[4]*a[6];  c[7] = a[1]*a[6] - a[0]*a[7];  c[8] = a[0]*a[4] - a[1]*a[3];
    det = a[0]*c[0] + a[1]*c[3] + a[2]*c[6];
    all = dc_abs(a[0])*(dc_abs(a[4]*a[8]) + dc_abs(a[5]*a[7])) + dc_abs(a[1])*(dc_abs(a[5]*a[6]) + dc_abs(a[3]*a[8]))
        + dc_abs(a[2])*(dc_abs(a[3]*a[7]) + dc_abs(a[4]*a[6]));
    if (!(dc_abs(det) > 4*DC_EPS*all)) return DC_E_SINGULAR;
    for (i = 0; i < 9; ++i) {
        c[i] = c[i]/det/big;
        if (!dc_finite(c[i])) return DC_E_RANGE;
    }
    for (i = 0; i < 9; ++i) inverse->m[i] = c[i];
    return DC_OK;
}

/* ---- hulls ----------------------------------------------------------------------------------- */

/* Every point within `radius` of the convex hull, the core, of n points: a sphere is one point with a radius, a capsule
 * two, a rounded box eight. dc_friction, which is not told how a hull turns, and dc_hull_smooth take hulls of radius 0
 * only. The points are borrowed for the length of each call. */
typedef struct {
    const dc_v3 *v;     /* in body coordinates: any order, duplicates and interior points allowed */
    int          n;     /* of them; at least 1 */
    dc_real      radius; /* 0: none; up to DC_LIMIT */
} dc_hull;

typedef struct {
    dc_real gap;        /* signed: distance apart, 0 touching, minus the penetration depth when overlapping */
    dc_v3 n;            /* unit, from b to a; moving a by -gap n makes the hulls touch */
    dc_v3 pa, pb;       /* witness points in the world, pa - pb = gap n */
    int na, nb;         /* closest features of the cores: 1 vertex, 2 edge, 3 triangle; 0 when not known yet */
    int ia[3], ib[3];   /* their vertices; unused entries are 0 */
    dc_real wa[3], wb[3]; /* barycentric weights in them of the witness points, less the radius along n */
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
 * Radii: the gap is that of the cores less both radii, in either case, and the witness points lie on the round
 * surfaces. Round bodies that overlap while their cores are apart need no depth search and no mem. Cores of one and two
 * points with a radius (spheres, capsules) are solved in closed form.
 *
 * Poses: NULL is the identity. A quaternion is used as it is, not normalised; |q.q - 1| <= 1e-3 is accepted.
 * mem: scratch for the depth, at least dc_hull_distance_bytes(a->n, b->n), left as it was found. NULL when only hulls
 * whose cores are apart are of interest.
 * d: in and out. The features of an earlier answer (na, nb, ia, ib, wa, wb) are a warm start for the same hulls in a
 * slightly different pose; any values are safe, those that do not fit are ignored. Start with DC_ZERO: a cold start.
 * The answer of a warm start agrees with that of a cold one to rounding, not bit by bit.
 *
 * DC_OK           d is the answer. Without mem, gap > 0 where there is no radius.
 * DC_E_OVERLAP    only without mem: the cores touch or overlap. gap = 0, the rest of d is untouched.
 * DC_E_ARG        d, a hull or its vertices NULL, n < 1, a number that is not finite, a coordinate of a vertex or
 *                 translation or a radius beyond DC_LIMIT, a radius below 0, a quaternion far from unit. d untouched,
 *                 as for
 * DC_E_MEMORY     the cores overlap and mem is too small.
 * DC_E_DIVERGED   the depth did not settle within 130 support points (hulls like a ball of hundreds of vertices):
 *                 gap is the room along n, so that the true depth is not larger, and everything else belongs to it.
 *                 Without mem, never met in the tests: the search ended early; n separates with room gap.
 *
 * Accuracy, worst of the tests, in units of eps S, S = sum over both bodies of the largest |vertex|, |t| and the
 * radius: gap within 3.4 of brute force apart, 1.5 overlapping. A gap above 32 is never called overlap, nor a depth
 * above 32 apart; in between, touching hulls have a gap of either sign. n separates: the room along n, summed in long
 * double, is at least gap - 2.1 eps S, for gaps down to 1e-12 of the size and below: n comes from the closest features
 * and is checked by the support of both hulls, it is not just the difference of the witness points.
 * | |n| - 1 | <= 1.4 eps, |pa - pb - gap n| <= 1.1 eps S, witness points within 9.6 eps S of the features' weighted
 * points.
 * Far from a body's origin the first vertex is subtracted before anything else, so that vertices 1e6 from the origin
 * of a common frame cost no digits.
 *
 * The derivative: where the closest features are unique, by the twists (v, w) of the two bodies,
 *     d gap = n.(v_a - v_b) + ((pa - t_a) x n).w_a - ((pb - t_b) x n).w_b
 * and one of several such values where they are not.
 *
 * Cost: linear in the vertices per support, usually 4 to 9 supports per hull (1 or 2 when warm), 8 to 28 for a depth.
 * Stack below 2 KB. */
DC_DEF dc_status dc_hull_distance(const dc_hull *a, const dc_pose *pose_a, const dc_hull *b, const dc_pose *pose_b,
                                  dc_arena *mem, dc_distance *d);

/* Bytes of mem that dc_hull_distance needs at most for hulls of na and nb vertices: 23 KB in double, 17 KB in float,
 * whatever the counts. */
DC_DEF size_t dc_hull_distance_bytes(int na, int nb);

/* ---- hull queries: faces ----------------------------------------------------------------------- */

/* Faces, edges and neighbours of a hull's points; made once by dc_hull_faces, in body coordinates. A half-edge h of
 * face f, begin[f] <= h < begin[f + 1], goes from point corner[h] to the corner of the half-edge behind it, around the
 * face counterclockwise as seen from outside; twin[h] goes the other way, on the face next door. Plain data: the arrays
 * are in the arena that dc_hull_faces was given, the points remain the caller's. */
typedef struct {
    dc_hull hull;           /* what it was made of; its points are borrowed, and not looked at again for bad numbers */
    int     dimension;      /* 3 a solid, 2 flat: two faces, back to back, 1 a segment, 0 a point */
    int     faces, edges;   /* none for a point, an edge and no face for a segment */
    int     vertices;       /* points that are corners: vertices - edges + faces = 2 where there are faces */
    dc_real tolerance;      /* a length: no point lies farther than two outside a face, no corner off its plane */
    dc_v3   centre;         /* mean of the points */
    dc_real reach;          /* the largest |coordinate| */
    const dc_v3   *normal;  /* [faces] outward, unit */
    const dc_real *offset;  /* [faces] normal . x <= offset inside */
    const int *begin;       /* [faces + 1] */
    const int *corner;      /* [2 edges] */
    const int *twin;        /* [2 edges] */
    const int *owner;       /* [2 edges] the face */
    const int *first;       /* [n + 1] neighbours of point i: next[k], first[i] <= k < first[i + 1]; none: no vertex */
    const int *next;        /* [2 edges] */
    int     box;            /* 1: a cuboid, within rounding; then only the rest has a meaning */
    dc_v3   box_centre, box_axis[3];    /* unit */
    dc_real box_half[3];    /* of its sides */
    int     box_corner[8];  /* box_centre + sum over k of s_k box_half[k] box_axis[k]; s_k = 1 where bit k is set, -1 */
    int     box_face[6];    /* [2 k] outward along box_axis[k], [2 k + 1] against it */
} dc_hull_topology;

/* Faces of the convex hull of any points: in any order, duplicates, points inside and on faces and edges, flat and
 * needle-shaped sets. Triangles in one plane are one convex face, corners in the middle of a straight edge are none.
 *
 * tolerance  what counts as one plane, over the largest |coordinate|: 1e-5 for points of six digits; 0: 64 DC_EPS;
 *            at most 0.01. A hull thinner than that is flat, and a segment where it is thin the other way too.
 * mem        keeps the arrays, dc_hull_faces_bytes at most; half of that is given back at return.
 *
 * Whatever rounding does, faces, edges and vertices fit together (Euler's formula holds). Of a solid less than 1000
 * tolerances thick the planes across may let points out by many tolerances. Time grows as n log n for
 * points on a ball, 1.5 ms for 1000 of them; as n^2 where most of n corners are on one face.
 * DC_E_ARG: hull, mem, to or vertices NULL, n < 1 or above 2^24, a number that is not finite or beyond DC_LIMIT, radius
 * or tolerance out of range. DC_E_MEMORY. Both leave *to untouched. */
DC_DEF dc_status dc_hull_faces(const dc_hull *hull, dc_real tolerance, dc_arena *mem, dc_hull_topology *to);

/* Bytes of mem that dc_hull_faces takes for n points; 0: n out of range, or the number does not fit. */
DC_DEF size_t dc_hull_faces_bytes(int n);

/* The point of a topology farthest along `along` (body coordinates, any length), by climbing from neighbour to
 * neighbour, which takes the root of n steps or so; `from`: any point to start at, best an earlier answer. Among points
 * within rounding of the farthest, any. */
DC_DEF int dc_hull_support(const dc_hull_topology *t, dc_v3 along, int from);

/* dc_hull_distance of two hulls with topologies: the same answer to rounding and within their tolerances, for large
 * hulls in a fraction of the time, since no call looks at all points. mem and d as there. */
DC_DEF dc_status dc_hull_distance_large(const dc_hull_topology *a, const dc_pose *pose_a, const dc_hull_topology *b,
                                        const dc_pose *pose_b, dc_arena *mem, dc_distance *d);

/* ---- hull queries: contact manifolds ------------------------------------------------------------ */

#define DC_HULL_CONTACTS 8

typedef enum {
    DC_VERTEX_FACE = 0,     /* a vertex of a against a face of b; of a flat or thinner hull, what it has in its place */
    DC_FACE_VERTEX,         /* a face of a, a vertex of b */
    DC_EDGE_EDGE,
    DC_WITNESS              /* the closest points: where n is theirs, and where no corner has their gap */
} dc_hull_contact_kind;

/* One place where two hulls touch, are near or overlap. */
typedef struct {
    dc_v3    pa, pb;        /* on the surfaces of a and b, in the world, pa - pb = gap n */
    dc_real  gap;           /* along n */
    dc_hull_contact_kind kind;
    int      feature_a, feature_b; /* VERTEX: the point; EDGE: the half-edge; FACE: the face, planar the half-edge */
    unsigned id;            /* 32 bits of kind, vertices and edges (WITNESS: of the kind alone): the same as long as
                             * they are. 30 bits are a hash where indices of edges are beyond 2^15 */
    int      kept;          /* 1: the manifold before had this id */
    dc_real  warm[3];       /* the caller's, impulses for example: kept with the id, 0 at one that was not there */
} dc_hull_contact;

/* In and out of dc_hull_manifold: a zeroed one (DC_ZERO) knows nothing of earlier. Plain data. */
typedef struct {
    dc_v3   n;              /* unit, from b to a, common to all points */
    dc_real gap;            /* along n: of the bodies as a whole; the least of the points has it */
    int     count;          /* points in use; 0: farther apart than the margin, and gap, beyond it, at most as far */
    int     reference;      /* what n is normal to: 1 face_a, 2 face_b, 3 neither, but edges or vertices; 0: unknown,
                             * without points */
    int     face_a, face_b; /* whose outlines cross; planar: half-edges; of a segment or point 0 */
    int     planar;         /* 1: made in the plane */
    dc_distance distance;   /* kept as a warm start */
    dc_hull_contact point[DC_HULL_CONTACTS];
} dc_hull_patch;

typedef struct {
    dc_real margin;         /* length: points up to this far apart (speculative contacts); 0: those that touch */
    dc_real share;          /* of the depth: the reference before is kept where n of another is no better than this much
                             * of it; 0: 0.05 */
    int     capacity;       /* 1 to DC_HULL_CONTACTS points: the deepest, the farthest from it, those that span the most
                             * area; 0: 4 */
    int     planar;         /* 1: polygons, segments and points in the plane z = 0; n lies in it */
} dc_hull_manifold_options;

/* Contact points of two hulls: the direction n of dc_hull_distance, on either body the face most nearly across n, and
 * the corners of the intersection of their outlines, seen along n: vertices of one within the other's face and edges
 * that cross. Each is a pair of points on a line along n. No point's gap is less than the distance, and one has it:
 * where no corner does, and where n is that of edges or vertices, the closest points are among them (DC_WITNESS), so
 * that the least gap is as continuous as the distance, within 1e-4 (float 1e-3) of the size. Two cuboids are taken by
 * their 15 axes, without a search: the same answers within rounding.
 *
 * Of two faces that are parallel within 1e-6 (float 1e-5) n is the normal of a's, or of b's where the patch before
 * had that, and the gap the room along it: the same face at all poses nearby. Points that are equally deep, far
 * apart or wide are chosen by what was there before, and then by their ids, so that rounding does not choose.
 * Overlapping, n may be chosen anew at every call; the face that the patch was made on before is kept while its room
 * is no worse than `share` of the depth. Outlines that coincide within 1e-6 (float 1e-5) of the size give vertices
 * of a; corners within 3e-5 (float 3e-4) of each other are one. Radii: points lie on the round surfaces. Segments
 * (capsules) that are parallel within 5.7 degrees have two points.
 *
 * opt    NULL: all defaults.          m   in and out. mem    scratch, dc_hull_manifold_bytes of it. DC_E_ARG: m, mem or
 * a topology NULL, a pose or option out of range, planar with a solid; DC_E_MEMORY; both leave m alone. DC_E_DIVERGED:
 * as dc_hull_distance; m is its best. Cost: the distance, a scan of the faces, and ka kb for outlines of ka and kb
 * corners. */
DC_DEF dc_status dc_hull_manifold(const dc_hull_manifold_options *opt, const dc_hull_topology *a, const dc_pose *pose_a,
                                  const dc_hull_topology *b, const dc_pose *pose_b, dc_arena *mem, dc_hull_patch *m);

/* Bytes of mem that it takes for hulls of na and nb points; 0 on overflow. */
DC_DEF size_t dc_hull_manifold_bytes(int na, int nb);

/* Derivatives of a patch with its features frozen: which faces, vertices and edges its points come from, and what n is
 * normal to. Twists are those of the world frame, 12 numbers (v_a, w_a, v_b, w_b) about the body origins. a, b and the
 * poses are those m was made of. Where features change, points come and go and these are one-sided; inside, n, points
 * and gaps are smooth. n is normal to a face (reference 1, 2) or to the features of m->distance (3). Of two parallel
 * faces it is that of `reference` at all poses nearby.
 *
 * DC_E_ARG: NULL (outputs may be NULL), what dc_hull_manifold refuses, a patch that is not of these hulls, a number
 * that is not finite. DC_E_SINGULAR: n has no derivative: no points, the cores touch at a vertex; or two edges are
 * parallel. Outputs are untouched in both cases. In the plane only twists within it have a meaning. */

/* The rates of n, and of pa, pb and gap of each point, count of each, under the rate `twist` of both poses. */
DC_DEF dc_status dc_hull_manifold_jvp(const dc_hull_topology *a, const dc_pose *pose_a, const dc_hull_topology *b,
                                      const dc_pose *pose_b, const dc_hull_patch *m, const dc_real *twist, dc_v3 *dn,
                                      dc_v3 *dpa, dc_v3 *dpb, dc_real *dgap);

/* The gradient of by_n.n + sum of by_pa.pa + by_pb.pb + by_gap gap over the points (NULL: none of these) by the twists,
 * grad[12], and by the points of the hulls in body coordinates, grad_a[3 n_a], grad_b[3 n_b]; all but grad may be NULL.
 * A face moves with three of its corners. Cost: one jvp per twist and per coordinate of a vertex in use. */
DC_DEF dc_status dc_hull_manifold_vjp(const dc_hull_topology *a, const dc_pose *pose_a, const dc_hull_topology *b,
                                      const dc_pose *pose_b, const dc_hull_patch *m, const dc_v3 *by_n,
                                      const dc_v3 *by_pa, const dc_v3 *by_pb, const dc_real *by_gap, dc_real *grad,
                                      dc_real *grad_a, dc_real *grad_b);

/* ---- hull queries: smooth manifolds -------------------------------------------------------------- */

/* A place where two hulls may touch, and how much it counts. */
typedef struct {
    dc_v3    pa, pb;        /* in the world, pa - pb = gap n; on the surfaces, or up to `length` beyond their ends */
    dc_real  gap;           /* along n */
    dc_real  weight;        /* above 0, up to 1 */
    dc_hull_contact_kind kind;      /* never DC_WITNESS */
    int      feature_a, feature_b;  /* VERTEX: the point; EDGE: the half-edge; FACE: the face */
    unsigned id;            /* of kind and features, as in dc_hull_contact, but here of vertex and face both */
} dc_hull_soft;

/* rates of one, or what is to be differentiated by its numbers */
typedef struct { dc_v3 pa, pb; dc_real gap, weight; } dc_hull_soft_rate;

typedef struct {
    dc_real length;         /* over which features fade. Best well below edges; 0: r_a r_b/(10 (r_a + r_b)), r the root
                             * mean square distance of a hull's points from their mean */
    dc_real margin;         /* length: points up to this far apart count in full, those beyond it by `length` not */
} dc_hull_smooth_options;

/* Contact points of two hulls with weights that fade, so that nothing jumps when features change: n, and the sum of
 * weight phi(pa, pb, gap) over all points for any smooth phi, are C1 in both poses and all vertices. A point comes and
 * goes with weight 0 and slope 0; every number of a point is smooth while its weight is above 0. Second derivatives
 * jump. One face flat on another gives what dc_hull_manifold gives: n the face's normal, corners with weight 1.
 *
 * n is one for all points: among the normals of faces and the products of two edges those that separate the hulls, or
 * let them overlap least, are blended when their rooms lie within `length`. Every vertex of one hull is paired with
 * every face of the other, every edge with every edge, as they meet on lines along n; the weight falls to 0 where a
 * point leaves its face or the end of its edge (one half at the border), turns away from the other body (cosines 0.1
 * to 0), where edges look parallel (sines 0.04 to 0.01) or are along n (27 to 13 degrees), and beyond the margin. Where
 * a vertex passes over an edge its point fades while those of the crossing edges come: in one place may be several
 * points, whose weights need not sum to 1. Faces smaller than `length` weigh less.
 *
 * Not for overlap so deep that opposite directions are as good: DC_E_SINGULAR. Hulls with faces and without radius:
 * the gap of round bodies is smooth as it is, by dc_hull_distance, while their cores are apart.
 *
 * opt     NULL: all defaults.       mem   scratch, dc_hull_smooth_bytes of it is enough; where few directions are
 *                                         nearly as good as the best, much less
 * most    room for points           n, point, count   out; point may be NULL if most is 0
 * DC_E_ARG: NULL, most below 0, a pose or option out of range, a topology without faces or with a radius. DC_E_MEMORY:
 * scratch, or more than `most` points: then *count is how many there are. DC_E_RANGE: numbers that do not fit.
 * Elsewhere outputs are untouched. Cost: all pairs of vertices and faces, and of edges: 20 to 25 us for two boxes, 50
 * to 100 with a gradient. */
DC_DEF dc_status dc_hull_smooth(const dc_hull_smooth_options *opt, const dc_hull_topology *a, const dc_pose *pose_a,
                                const dc_hull_topology *b, const dc_pose *pose_b, dc_arena *mem, int most, dc_v3 *n,
                                dc_hull_soft *point, int *count);

/* Bytes of mem that these three take for hulls of na and nb points and `most` points; 0 on overflow. */
DC_DEF size_t dc_hull_smooth_bytes(int na, int nb, int most);

/* The rates of n and of all points, in the order of dc_hull_smooth, under the rate `twist` of both poses: 12 numbers
 * (v_a, w_a, v_b, w_b) in the world frame about the body origins. Status as there; DC_E_ARG: a rate not finite. */
DC_DEF dc_status dc_hull_smooth_jvp(const dc_hull_smooth_options *opt, const dc_hull_topology *a, const dc_pose *pose_a,
                                    const dc_hull_topology *b, const dc_pose *pose_b, const dc_real *twist,
                                    dc_arena *mem, int most, dc_v3 *dn, dc_hull_soft_rate *rate, int *count);

/* The gradient of by_n.n + sum of by.pa.pa + by.pb.pb + by.gap gap + by.weight weight over the `count` points of
 * dc_hull_smooth (by_n NULL: 0; DC_E_ARG: it finds another number of them) by the twists, grad[12], and by the points
 * of the hulls in body coordinates, grad_a[3 n_a], grad_b[3 n_b], both may be NULL; the length that 0 stands for
 * follows them. Cost: a pass over the points that there are per twist and per coordinate of a vertex. */
DC_DEF dc_status dc_hull_smooth_vjp(const dc_hull_smooth_options *opt, const dc_hull_topology *a, const dc_pose *pose_a,
                                    const dc_hull_topology *b, const dc_pose *pose_b, dc_arena *mem, int count,
                                    const dc_v3 *by_n, const dc_hull_soft_rate *by, dc_real *grad, dc_real *grad_a,
                                    dc_real *grad_b);

/* ---- forces of contact --------------------------------------------------------------------------- */

/* What two bodies do to each other in one place in a step: dc_sim_contacts and dc_ncp_forces write it. */
typedef struct {
    int     body_a, body_b;     /* -1: a plane of the scenery, the world */
    int     part_a, part_b;     /* hulls; of a plane its number; of dc_ncp.h that of the contact */
    int     vertex;             /* of part_a, where it is one that touches a plane; else -1 */
    dc_v3   point, n;           /* in the world; n unit, from b to a */
    dc_real gap;                /* along n */
    dc_v3   normal, friction;   /* forces on a at the point, N; on b they are the opposite */
    dc_v3   torque_a, torque_b; /* on a and on b beside those, N m: friction against spin; across a gap not opposite */
} dc_contact_force;

/* ---- pair potentials -------------------------------------------------------------------------- */

/* Separating plane { x : <x,n> + d = 0 } between hulls a and b, n pointing from b to a, |n| < 1:
 *     slack of a vertex of a   <x,n> + d > 0,      of b   -<x,n> - d > 0             (SDRS Eq. 6, |n| < 1 for |n| = 1)
 * less r |n| for a hull of radius r: the slack of the ball about the vertex.
 * Its unit normal is n/|n|, its distance from the origin -d/|n|. It minimises the potential: across a face contact
 * it is the face's plane only in the limit of small gaps. */
typedef struct { dc_v3 n; dc_real d; } dc_plane;

typedef enum {
    DC_GLOBAL = 0,   /* h(x) = 1/x: felt at any distance (LRI Eq. 3); the default of a pair, which needs no length then.
                      * Scenes (dc_sim.h) default to DC_LOCAL, so that bodies far apart cost nothing */
    DC_LOCAL         /* h(x) = P_s(x) = (x-s)^4/x^5 below s, else 0: zero beyond a gap of 2s/(1-s) lengths (SDRS Eq. 7):
                      * s = r/(2 + r) reaches r lengths */
} dc_barrier;

typedef struct {
    dc_barrier barrier;
    dc_real c;       /* DC_GLOBAL: weight of 1/(1-|n|), up to DC_LIMIT; 0: (sqrt n_a + sqrt n_b)^2, 12 for two
                      * triangles */
    dc_real s;       /* DC_LOCAL: support, of 1-|n| and of the slacks in lengths, 0.001 (float 0.01) to 0.95; 0: 0.1.
                      * The nearer to 1, the more digits 1-|n| loses: gradients of two points are off by 29 eps at
                      * 0.9 */
    dc_real length;  /* the unit of length l: the potential is that of x/l; 1/DC_LIMIT to DC_LIMIT; 0: 1 */
} dc_pair_options;

typedef struct {
    int     iterations;   /* Newton steps taken, those of a warm start that failed included */
    int     warm;         /* 1: the solve started from the caller's plane */
    dc_real gap;          /* support gap along the final normal: a lower bound of the hull distance */
    dc_real decrement;    /* sqrt(g^T H^-1 g / f) of the last step, of the function that is minimised: about the error
                           * left before it */
} dc_pair_info;

/* Bytes of arena that a call below takes for hulls of na and nb vertices; 0 on overflow. */
DC_DEF size_t dc_pair_bytes(int na, int nb);

/* Contact potential of two convex hulls, vertices in the world:
 *
 *     P = min_{n,d}  R(|n|) + sum_a h(<x,n> + d) + sum_b h(-<x,n> - d)             (LRI Eq. 3, SDRS Eq. 7)
 *
 * with R = c/(1-|n|), h = 1/x for DC_GLOBAL and R(r) = P_s(1-r), h = P_s for DC_LOCAL. With radii the slacks are those
 * of balls, all else is the same; P depends on their sum alone, since the plane moves. Of two spheres in DC_GLOBAL it
 * is the centred potential of their gap, 4 (1 + 1/sqrt g)^2.
 *
 * plane    in-out, may be NULL. In: start of the solve; n = 0 (or |n| >= 1) for a cold start; checked first, so that
 *          any plane is safe. Out: the minimiser (DC_LOCAL beyond its support: a plane that shows the value to be 0).
 * value    P; +INFINITY with DC_E_OVERLAP.
 * grad     3(n_a+n_b), dP/dx, a first; NULL: not computed. So for hess.
 * hess     N x N, N = 3(n_a+n_b), d2P/dx2.
 * info     may be NULL.
 *
 * P has unit weight: multiply value, grad and hess by a stiffness k, and those of dc_friction by the same k. The
 * force on a vertex of a is -grad = -h' n, on one of b +h' n: along n, never pulling. P is C2 wherever the hulls are
 * apart (DC_LOCAL also across gap 2s/(1-s)), differentiated at the minimising plane, which moves with x (implicit
 * function theorem).
 * Relative error within 7 eps (1 + 3L/g) for all three in the tables, L the size of the pair and g its gap. DC_LOCAL
 * is solved down to gaps of 1e-9 (float 2e-5) of the length that are also 1e-9 (float 1e-4) of the size. Closer, where
 * coordinates no longer tell a slack, it may answer DC_E_DIVERGED, or DC_E_RANGE.
 * DC_E_OVERLAP when no plane separates the vertices as they are rounded; DC_E_RANGE when a requested number does not
 * fit, or comes close; with every failure but DC_E_OVERLAP (value only) and DC_E_DIVERGED the outputs are untouched. */
DC_DEF dc_status dc_pair(const dc_pair_options *opt, const dc_hull *a, const dc_hull *b, dc_arena *mem,
                         dc_plane *plane, dc_real *value, dc_real *grad, dc_real *hess, dc_pair_info *info);

/* The same of two rigid bodies: vertices in body coordinates, NULL pose is the identity. grad has 12, hess 12x12
 * entries: by the world twists (v_a, w_a, v_b, w_b) about the body origins, x <- exp([w])(x - t) + t + v. Cost O(n).
 * Quaternions are used as they are; |q.q - 1| <= 1e-3 is accepted. */
DC_DEF dc_status dc_pair_rigid(const dc_pair_options *opt, const dc_hull *a, const dc_pose *pose_a, const dc_hull *b,
                               const dc_pose *pose_b, dc_arena *mem, dc_plane *plane, dc_real *value, dc_real *grad,
                               dc_real *hess, dc_pair_info *info);

/* The same under affine maps x = T (x_hat,1); NULL is the identity. grad has 24, hess 24x24 entries: by the rows of
 * T_a, then of T_b. A radius is not mapped: balls of it about the mapped vertices. Cost O(n). */
DC_DEF dc_status dc_pair_affine(const dc_pair_options *opt, const dc_hull *a, const dc_affine *T_a, const dc_hull *b,
                                const dc_affine *T_b, dc_arena *mem, dc_plane *plane, dc_real *value, dc_real *grad,
                                dc_real *hess, dc_pair_info *info);

/* A potential of the relative pose of two bodies to second order: gradient and Hessian by the twist of body a about o,
 * body b at rest. Sums of such potentials are sums of these, about one o. */
typedef struct { dc_v3 o; dc_real g[6]; dc_real H[36]; } dc_relative;

/* The same about another origin o = r->o + c, not NULL:  v_r = v + c x w - w x (w x c)/2 to second order. */
DC_DEF void dc_relative_shift(dc_relative *r, dc_v3 o);

/* Gradient (12) and Hessian (12x12, may be NULL) by the twists of both bodies about o_a and o_b. Exact: the potential
 * does not change under a common motion: F(a, b) = F(b^-1 a, 1), which leaves only the brackets of the two twists to
 * second order. */
DC_DEF void dc_relative_expand(const dc_relative *r, dc_v3 o_a, dc_v3 o_b, dc_real *grad, dc_real *hess);

/* Centred potential: every vertex moved to the centre of its hull (LRI Eq. 5, 7), r = |x_a - x_b|/l:
 *
 *     P_c = ( sqrt c + (sqrt n_a + sqrt n_b)/sqrt r )^2,   12 (1 + 1/sqrt r)^2 for two triangles.
 *
 * grad (6) and hess (6x6) by (x_a, x_b); every output may be NULL. DC_E_OVERLAP, value +INFINITY, when the centres
 * coincide; DC_E_ARG for a count below 1 or a centre or option out of range; DC_E_RANGE where the scaled distance or a
 * result does not fit. Only c and length of the options are read. Error 8 eps. */
DC_DEF dc_status dc_centred(const dc_pair_options *opt, int na, int nb, dc_v3 xa, dc_v3 xb, dc_real *value,
                            dc_real *grad, dc_real *hess);

/* Phi(d) = 6d^5 - 15d^4 + 10d^3 clamped to [0,1] (LRI Eq. 4): the weight of the farther of two blended
 * potentials; dphi, d2phi its derivatives, may be NULL; 0 for a NaN. C2: 30 d^2 (1-d)^2 and 60 d (1-d)(1-2d) vanish
 * at 0 and 1, the third derivative jumps there. */
DC_DEF dc_real dc_blend(dc_real d, dc_real *dphi, dc_real *d2phi);

/* ---- many triangle pairs --------------------------------------------------------------------------- */

/* Pairs that are solved side by side. */
#if DC_IS_FLOAT
#define DC_LANES 16
#else
#define DC_LANES 8
#endif

/* Outputs of dc_tri_batch: arrays of rows, row r of pair i at [r*stride + i]; NULL: not computed. */
typedef struct {
    dc_real *plane;        /* 4 rows n, d: in-out. In: start of the solve, n = 0 for a cold one, as in dc_pair */
    dc_real *value;        /* 1 row */
    dc_real *grad;         /* 18 rows, dP/dx in the order of x */
    dc_real *relative;     /* 27 rows: gradient (6) and upper triangle by rows of the Hessian (21) by the world twist of
                            * triangle a about `origin`, triangle b at rest: the entries of a dc_relative, (i,j), i <=
                            * j, in row 6 + i(11-i)/2 + j */
    dc_v3    origin;
    unsigned char *status; /* dc_status of every pair */
} dc_tri_out;

/* Bytes of arena that dc_tri_batch takes. */
DC_DEF size_t dc_tri_batch_bytes(void);

/* dc_pair of `count` triangle pairs, DC_GLOBAL: 18 rows x, y, z of the vertices a0 a1 a2 b0 b1 b2, row r of pair i at
 * x[r*stride + i], stride >= count >= 0. Solved in blocks of DC_LANES; pairs closer than about 3e-6 (float 0.05) of
 * the largest coordinate from their centre and those that do not converge there are solved by dc_pair, which also
 * decides about overlap. Same bits for a pair wherever it stands in the batch.
 * Returns DC_OK or the first failure; pairs that failed are as in dc_pair (value +INFINITY on overlap, else
 * untouched), the others are complete. A number that is not finite spoils its pair alone. mem: dc_tri_batch_bytes;
 * without it nothing is touched, DC_E_ARG where dc_pair refuses any of the pairs. No output overlaps another or x.
 * DC_LOCAL goes through dc_pair pair by pair. */
DC_DEF dc_status dc_tri_batch(const dc_pair_options *opt, int count, const dc_real *x, size_t stride, dc_arena *mem,
                              dc_tri_out *out);

/* ---- friction potential ------------------------------------------------------------------------- */

typedef struct {
    dc_real eps_f;      /* smoothing of the normal force, (force)^2; keep sqrt(eps_f) well below it. 0: 1e-6 */
    dc_real eps_v;      /* smoothing of stick-slip, (velocity)^2: sqrt(eps_v) is the creep of each body against the
                         * plane, two bodies creep 2 sqrt(eps_v) past each other. 0: 1e-6 */
    dc_real patch;      /* radius of the patch that every vertex is: resists spin. 0: 0.01 of the pair options'
                         * length */
    int     no_patch;   /* 1: vertices are points, as in the paper; then U_f jumps in x^t where a second vertex loads
                         * up: where the loaded ones, weighted by their friction, spread over a thousandth of the
                         * pair's extent. Nearer ones are one place, which resists no spin. */
} dc_friction_options;

typedef struct {
    dc_pair_info pair;
    int     iterations; /* Newton steps for (u, w) */
    dc_v3   point, u;   /* the plane's velocity is u + w n_hat x (x - point), n_hat the unit normal */
    dc_real w;
} dc_friction_info;

/* Bytes of arena that a call below takes; 0 on overflow. */
DC_DEF size_t dc_friction_bytes(int na, int nb);

/* Friction potential of a hull pair that moves from x^t (a0, b0) to x^{t+1} (a1, b1) in a time h:
 *
 *     U_f = min_{u,w} sum_k mu h A(f_k) sqrt( |v_k - q_k|^2 + (patch w)^2 + eps_v )                  (SDRS Eq. 12, 13)
 *     v_k = B^T (x_k^{t+1} - x_k^t)/h,  q_k = w B^T (n_hat x x_k^t) + u                               (SDRS Eq. 9, 10)
 *     A(f) = sqrt(f^2 + eps_f) - sqrt(eps_f)                                                          (SDRS Eq. 12)
 *
 * with f_k = |dP/dx_k| and the unit normal n_hat of the pair potential at time t (SDRS Eq. 8), B an orthonormal tangent
 * basis. The patch term is ours: without it U_f jumps in x^t where a second vertex starts to carry load.
 *
 * plane    in-out, may be NULL: the plane of the pair at time t, as in dc_pair.
 * grad     3N, dU_f/dx^{t+1}; its negative is the friction force.
 * hess     3N x 3N, by x^{t+1} twice: positive semidefinite.
 * mixed    3N x 3N, d2U_f/dx^{t+1} dx^t, row x^{t+1}, column x^t: through f_k, n_hat and x^t itself.
 * NULL outputs cost nothing.
 *
 * Radii: what slides is the point of a vertex's ball that is next to the plane at time t, x_k - s_k r n_hat, with its
 * body: a ball that rolls does not slide. The vertices alone do not tell how they turn: DC_E_ARG here, but
 * dc_friction_rigid and loads take radii.
 *
 * Linear momentum balances to rounding; the moment about n_hat balances to O(patch^2), the moments in the plane do not
 * (SDRS section VIII-C).
 * f is that of the unweighted P: a factor put on P (SDRS Eq. 14) goes on U_f as well, and eps_f is in the unit of f.
 * The one eps of the paper is eps_f and eps_v here. dU_f/dx^t by itself is not given: the step needs only the mixed
 * derivative.
 * Beyond the support of DC_LOCAL everything is 0. Along the slip the second derivative is eps_v/slip^2 of the one
 * across: it has digits while the slip is below 1e5 (float 1e2) sqrt(eps_v). Value and gradient hold; above 1e13
 * (float 5e3) sqrt(eps_v) one call in some hundreds ends in DC_E_DIVERGED or DC_E_RANGE. At such speeds raise eps_v.
 *
 * a0 and a1 (b0 and b1) have as many vertices and may be the same hull. mu in [0, DC_LIMIT], h, eps_f, eps_v and
 * patch in (0, DC_LIMIT]. opt, pair, value and info may be NULL. mem: dc_friction_bytes. Statuses as in dc_pair, of
 * the pair at time t; outputs are untouched but with DC_E_OVERLAP (value) and DC_E_DIVERGED. Cost O(n) for value and
 * gradient, O(n^2) for hess and mixed, each column made twice: to see whether it fits, then to write it. */
DC_DEF dc_status dc_friction(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                             const dc_hull *a0, const dc_hull *a1, const dc_hull *b0, const dc_hull *b1, dc_arena *mem,
                             dc_plane *plane, dc_real *value, dc_real *grad, dc_real *hess, dc_real *mixed,
                             dc_friction_info *info);

/* The same of two rigid bodies: grad (12), hess (12x12) by the twists (v_a, w_a, v_b, w_b) of the new poses about their
 * origins, mixed (12x12) with columns by the twists of the old poses; Cost O(n). The rotations add terms of the
 * gradient to hess, so that it may be indefinite. */
DC_DEF dc_status dc_friction_rigid(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                                   const dc_hull *a, const dc_pose *a0, const dc_pose *a1, const dc_hull *b,
                                   const dc_pose *b0, const dc_pose *b1, dc_arena *mem, dc_plane *plane, dc_real *value,
                                   dc_real *grad, dc_real *hess, dc_real *mixed, dc_friction_info *info);

/* The derivative of the gradient of dc_friction_rigid by the vertices in body coordinates: what a design asks for.
 * by: 12 x 3(n_a + n_b), a's vertices first. Statuses and plane as there; by is untouched unless with DC_OK and
 * DC_E_DIVERGED. */
DC_DEF dc_status dc_friction_shape(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                                   const dc_hull *a, const dc_pose *a0, const dc_pose *a1, const dc_hull *b,
                                   const dc_pose *b0, const dc_pose *b1, dc_arena *mem, dc_plane *plane, dc_real *by);

/* Both with a vector z (12) of motions by the new twists: grad (12), by_old (12) = mixed^T z and by (3(n_a + n_b)), the
 * transpose of by times z, in O(n) and without the matrices. Each may be NULL; untouched unless with DC_OK and
 * DC_E_DIVERGED. z is finite. Statuses and plane as there. */
DC_DEF dc_status dc_friction_vjp(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                                 const dc_hull *a, const dc_pose *a0, const dc_pose *a1, const dc_hull *b,
                                 const dc_pose *b0, const dc_pose *b1, dc_arena *mem, dc_plane *plane,
                                 const dc_real z[12], dc_real *grad, dc_real *by_old, dc_real *by);

/* What dc_friction_rigid computes of the old poses alone, for any number of new ones: the time step of a simulator
 * tries many. Plain data; vertex is in the arena that dc_friction_open was given. */
/* the velocity e of a vertex's slip, and its force over mu A: lambda, e/sqrt(|e|^2 + eps_v) at the end; how much
 * shorter than 1 it is kept; at a place tried since the iterate the slip had turned round */
typedef struct { dc_real slip[3], force[3], doubt; int turned; } dc_friction_dual;
/* mu h A(f), place along b1, b2; the k-th of a, then b; what dc_friction_try knows of it */
typedef struct { dc_real A, x, y; int k; dc_friction_dual kept, tried; } dc_friction_vertex;
typedef struct {
    dc_pose a0, b0;
    dc_v3   n, b1, b2;      /* of the plane */
    dc_real h, eps_v, patch, extent;
    int     na, nb, count;  /* vertices of a and b; of both, loaded */
    int     kept;           /* 1: dc_friction_keep has been here */
    dc_real motion[3], motion_kept[3];  /* of the plane, as seen from the slips' mean: where hess was asked for last,
                                         * at the iterate */
    dc_friction_vertex *vertex;
} dc_friction_load;

/* Bytes that dc_friction_open keeps, at most; during the call it takes dc_friction_bytes more. 0 on overflow. */
DC_DEF size_t dc_friction_load_bytes(int na, int nb);

/* The load of a pair at time t; of mem, count vertices stay taken. Statuses as in dc_friction; *load is written with
 * DC_OK and DC_E_DIVERGED. plane may be NULL. */
DC_DEF dc_status dc_friction_open(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                                  const dc_hull *a, const dc_pose *a0, const dc_hull *b, const dc_pose *b0,
                                  dc_arena *mem, dc_plane *plane, dc_friction_load *load);

/* dc_friction_rigid of a load and its hulls, radii included, at new poses, the same bits; no mixed derivative. mem:
 * dc_friction_bytes. */
DC_DEF dc_status dc_friction_move(const dc_friction_load *load, const dc_hull *a, const dc_pose *a1, const dc_hull *b,
                                  const dc_pose *b1, dc_arena *mem, dc_real *value, dc_real *grad, dc_real *hess);

/* The same for the iterates of a Newton method over the new poses. U_f is a sum of norms, smoothed by eps_v: its second
 * derivatives change within sqrt(eps_v) of slip, and the method overshoots wherever a vertex lets go or turns round. As
 * in the primal-dual method of Andersen, Christiansen, Conn and Overton for such sums, the force lambda of a vertex,
 * |lambda| <= 1, is an unknown of its own, and hess has
 *     (I - (lambda w^T + w lambda^T)/2)/rho   for   (I - w w^T)/rho,   w = e/rho,   rho = sqrt(|e|^2 + eps_v):
 * semidefinite too, and the same where lambda = w, as in the end.
 * The plane's velocity is sought from that of the iterate: the same as far as rounding goes, in fewer steps.
 * share, in (0, 1]: the part of Newton's direction that leads from the iterate here. dc_friction_keep: the place where
 * hess was asked for last is the iterate now; before the first, lambda = w. */
DC_DEF dc_status dc_friction_try(dc_friction_load *load, dc_real share, const dc_hull *a, const dc_pose *a1,
                                 const dc_hull *b, const dc_pose *b1, dc_arena *mem, dc_real *value, dc_real *grad,
                                 dc_real *hess);
DC_DEF void dc_friction_keep(dc_friction_load *load);

/* ---- broad phase -------------------------------------------------------------------------------- */

/* A box with its sides along the axes. With lo beyond hi along any of them it is empty: nothing meets it. */
typedef struct { dc_v3 lo, hi; } dc_aabb;

/* *box = the least box around a posed hull, but for rounding: grown by 16 eps of the numbers that went in, so that no
 * point of the hull is outside. DC_E_ARG, *box untouched: box NULL, a hull or pose that dc_hull_distance refuses. */
DC_DEF dc_status dc_hull_box(const dc_hull *hull, const dc_pose *pose, dc_aabb *box);

/* How the last call sorted its boxes. It makes the next call fast and changes nothing of its answer; whatever it holds
 * is safe. */
typedef struct {
    int *order;             /* n, the caller's: the boxes by their lower ends. Zero at first */
    int  axis;              /* along which: 0, 1, 2 */
} dc_broad_order;

typedef struct {
    const int *group;       /* n, or NULL: boxes of the same group, but for group 0, are no pair: links of one robot,
                             * everything that never moves */
    dc_real margin;         /* boxes (or spheres) no farther apart than this are a pair */
    dc_broad_order *last;   /* in and out; NULL: every call sorts anew */
} dc_broad_options;

/* The pairs of n boxes that overlap or touch, or are within the margin along all three axes: lo of each less the
 * margin, as rounded, is not beyond hi of the other. Pair k is pair[2k] < pair[2k + 1]; pairs ascend by the first, then
 * by the second number, so that the list depends on nothing but the boxes. *count receives how many there are (at most
 * INT_MAX); the list holds `most`, pair may be NULL where that is 0. opt may be NULL.
 *
 * DC_E_ARG     n or most below 0, n above 2^28, a pointer missing, a number that is not finite or beyond DC_LIMIT, a
 *              margin below 0; nothing is written, as for
 * DC_E_MEMORY  less scratch than dc_broad_bytes(n, most).
 * DC_E_RANGE   more pairs than `most`: the list holds as many of them, which ones `last` may decide; *count is right.
 *
 * A sweep along the axis on which the boxes spread most, in columns along the other two, each about three times as wide
 * as the median box: time n + pairs while only a few boxes are much larger than that, whatever the scene is like.
 * With `last` an insertion sort, without it, or after changes, a merge sort. */
DC_DEF dc_status dc_broad(const dc_broad_options *opt, int n, const dc_aabb *box, dc_arena *mem, int most, int *pair,
                          int *count);

/* The same for n spheres, within the margin of each other: |c_i - c_j| <= r_i + r_j + margin, from squares as rounded.
 * One with a negative radius has no pair. */
DC_DEF dc_status dc_broad_spheres(const dc_broad_options *opt, int n, const dc_v3 *centre, const dc_real *radius,
                                  dc_arena *mem, int most, int *pair, int *count);

/* Bytes of scratch of both; 0 on overflow, n out of range or most < 0. */
DC_DEF size_t dc_broad_bytes(int n, int most);

/* ---- a tree of boxes ------------------------------------------------------------------------------ */

/* x = origin + t dir, 0 <= t <= length: dir of any length but 0, t in measure of it. */
typedef struct { dc_v3 origin, dir; dc_real length; } dc_ray;

/* A node and what is below it. */
typedef struct {
    dc_aabb box;            /* around all of it */
    int item;               /* the number of the one box below it; -1: there are more, */
    int right;              /* those below the next node and those below this one */
} dc_tree_node;

/* For scenes that rest, or whose boxes move little: any number of rays, boxes and casts against it. Of two nodes on one
 * level neither has more than one box more than the other, so that it is 1 + log2 n nodes deep. */
typedef struct {
    dc_tree_node *node;     /* borrowed from the arena it was built in */
    int nodes;              /* 2n - 1, each before what is below it; 0 for no boxes */
} dc_tree;

/* What is looked for, and where the search is: plain data, of any number of searches in one tree. */
typedef struct {
    dc_aabb box;            /* of a search by box */
    dc_ray ray;             /* of a search by ray; `length` may be shortened between two steps, when something is hit */
    dc_v3 half;             /* half the sides of the box that goes along the ray; 0 for the ray itself */
    int by_ray;
    int depth;              /* of the stack */
    int stack[32];          /* nodes still to be seen: no more than there are levels */
} dc_tree_walk;

/* Bytes of mem that building needs, the tree with it; 0 on overflow, n below 0 or above 2^28. */
DC_DEF size_t dc_tree_bytes(int n);

/* *tree = the tree of n boxes, in memory that stays taken from mem, about 112 bytes a box in double. Empty boxes are
 * never found. Split at the median of the centres along the axis on which they spread most.
 * DC_E_ARG, DC_E_MEMORY: nothing is written. n may be 0. */
DC_DEF dc_status dc_tree_build(int n, const dc_aabb *box, dc_arena *mem, dc_tree *tree);

/* The same tree around boxes that have moved: n as it was built. It finds what a new one finds, more slowly when
 * neighbours are no longer. DC_E_ARG: nothing is written. */
DC_DEF dc_status dc_tree_refit(dc_tree *tree, int n, const dc_aabb *box);

/* Searches: *walk is made ready, and each dc_tree_next gives the number of a box that meets what is looked for, or -1
 * after the last. By box: boxes that overlap it or touch it, in an order that is the same for the same tree. By ray:
 * boxes that are met by it (by a box of sides 2 half around its point, where half is not NULL), nearer parts of the
 * tree first; once walk->ray.length is shortened to the time of a hit, nothing is found that begins behind it.
 * Decided as rounded, with room for that on the side of finding too many: none that is touched is missed.
 * DC_E_ARG, *walk untouched: NULL, not finite, beyond DC_LIMIT; lo beyond hi; dir 0, length or half below 0. */
DC_DEF dc_status dc_tree_by_box(const dc_aabb *box, dc_tree_walk *walk);
DC_DEF dc_status dc_tree_by_ray(const dc_ray *ray, const dc_v3 *half, dc_tree_walk *walk);
DC_DEF int dc_tree_next(const dc_tree *tree, dc_tree_walk *walk);

/* ---- rays and casts -------------------------------------------------------------------------------- */

typedef enum {
    DC_CAST_MISS = 0,       /* nothing is met */
    DC_CAST_HIT,
    DC_CAST_START           /* they touch or overlap at time 0 already */
} dc_cast_outcome;

typedef struct {
    dc_cast_outcome outcome;
    dc_real time;           /* of the hit; a miss: the length, a start within: 0 */
    dc_v3 point;            /* where the ray is then */
    dc_v3 n;                /* of a hit: outward unit normal of the hull there; else 0 */
    dc_real speed;          /* of a hit: n.dir, below 0 */
    int count;              /* closest feature of the core: 1 vertex, 2 edge, 3 triangle; 0 but for a hit */
    int index[3];           /* its vertices */
    dc_real weight[3];      /* barycentric, of the point less the radius along n; in a face of more vertices than these
                             * one may be below 0 */
    int iterations;         /* distances */
} dc_ray_hit;

/* The first time at which a ray is on a posed hull, radius included: solid, so that a ray that begins within has hit at
 * time 0 (DC_CAST_START), and a flat hull, a segment or a point without a radius is hit where the ray meets it within
 * rounding, 16 eps of the numbers. pose NULL: the identity.
 *
 * The distance f of a convex body along a line is convex, and the tangent n.dir of its graph never passes its root:
 *     t <- t + f/(-n.dir)
 * until the root, or n.dir >= 0: a miss. Where the closest feature stays the same its own plane, cylinder or sphere is
 * met in closed form, checked by the distance there. Usually 3 to 6 distances; time and point are those of the
 * feature's closed form within rounding, 30 eps of |origin - t|, the hull's size and the radius, over |n.dir|/|dir|.
 *
 * DC_E_ARG: a hull or pose that dc_hull_distance refuses, hit NULL, a ray whose direction is 0 or that is not finite or
 * beyond DC_LIMIT, a length below 0; *hit untouched, as for DC_E_RANGE: seen from the hull the ray begins beyond
 * DC_LIMIT. DC_E_DIVERGED: 64 steps were not enough (not met in the tests); nothing is hit before hit->time, outcome
 * DC_CAST_MISS. */
DC_DEF dc_status dc_hull_ray(const dc_hull *hull, const dc_pose *pose, const dc_ray *ray, dc_ray_hit *hit);

/* The derivative of a hit, on its frozen feature: rows time, point (3), n (3).
 * J[7*12] columns ray->origin (3), ray->dir (3), the hull's twist (6, about its origin); Jv[7*9] columns the vertices
 * hit->index[0..2] in body coordinates, 0 where there is none. Either may be NULL.
 * DC_E_ARG: what dc_hull_ray refuses, or a hit that is none. DC_E_SINGULAR: the ray grazes, |n.dir| within 64 eps of
 * |dir|, or it has met an edge or a vertex without radius, where the normal has no derivative. DC_E_RANGE: an entry
 * does not fit. Nothing is written.
 * Where the feature changes, derivatives are one-sided: those of the feature that the hit names. */
DC_DEF dc_status dc_hull_ray_jac(const dc_hull *hull, const dc_pose *pose, const dc_ray *ray, const dc_ray_hit *hit,
                                 dc_real *J, dc_real *Jv);

typedef struct {
    dc_real gap;            /* at which the hulls touch: how early a cast may be. 0: sqrt(eps) of the sum of their
                             * sizes; never less than 64 eps of all lengths that went in */
} dc_cast_options;

typedef struct {
    dc_cast_outcome outcome;
    dc_real time;           /* the gap is larger than 0 until then, proved; a miss: the duration */
    dc_real gap;            /* that counted as touching: the gap at `time`, of a hit */
    dc_real speed;          /* of the gap, below 0 where they approach; a miss: 0 */
    dc_distance at;         /* of the hulls at the time of a hit or a start, else at the last place looked at. A start
                             * with overlapping cores: zero. Of a hit a vertex or an edge of a feature may have weight
                             * 0: where the point lies on the rim or the diagonal of a face, that is the feature */
    int iterations;         /* distances */
    int steps;              /* planes between the hulls whose safe time was found */
} dc_cast_hit;

/* The first time in [0, duration] at which two moving hulls touch: their gap, radii included, has come down to `gap`.
 * Each moves with the constant velocity v and angular velocity w of its twist (6 numbers, world frame, w about the body
 * origin; NULL: at rest), so that its pose at time t is dc_pose_retract(pose, t twist).
 *
 * Never late: from place to place a plane between the hulls, at rest or turning with one of them, is proved to be kept
 * by every vertex over the time of the step, by its velocity and a bound of its acceleration. Early by no more than
 * `gap`. Steps shrink like those of Newton's iteration where the hulls approach: 2 to 6 distances, 4 in the mean of the
 * tests. Hulls that turn in passing nearly touching need more: up to 201 in 50 000 casts. See examples/hull_cast.c.
 *
 * To go on after a hit: from where they touch a cast begins with DC_CAST_START, and hulls that graze have a hit at a
 * speed that is not below 0. Where they part then, cast again with half of at.gap for `gap`, which is less than there
 * is, and move them apart a little sooner or later.
 *
 * Both quaternions are normalised first. DC_E_ARG, *hit untouched: what dc_hull_distance refuses, hit NULL, a twist,
 * duration or gap that is not finite, beyond DC_LIMIT or (the latter two) below 0, more than 1e6 turns. DC_E_DIVERGED:
 * 512 distances were not enough; nothing touches before hit->time, outcome DC_CAST_MISS. */
DC_DEF dc_status dc_hull_cast(const dc_cast_options *opt, const dc_hull *a, const dc_pose *pose_a,
                              const dc_real *twist_a, const dc_hull *b, const dc_pose *pose_b, const dc_real *twist_b,
                              dc_real duration, dc_cast_hit *hit);

/* The derivative of a hit at its gap, on its frozen features, by the implicit function theorem: rows time, hit->at.pa
 * (3), hit->at.n (3); the gap is held. J[7*24] columns the twists of pose_a and pose_b (6 each, about their origins at
 * time 0), then twist_a and twist_b. Jv[7*18] columns the vertices hit->at.ia[0..2] and ib[0..2] in body coordinates,
 * 0 where there is none. Either may be NULL. That of at.pb is the one of at.pa less gap times the one of n.
 * The time has a derivative wherever the closest points are unique; where faces or edges meet in parallel, time, point
 * and n have that of one choice: the point belongs to the other body, n to the face.
 * DC_E_ARG: what dc_hull_cast refuses, or a hit that is none. DC_E_SINGULAR: the speed of the gap is not below 0 by
 * more than 64 eps of the speeds that make it up: there is none. DC_E_RANGE: an entry does not fit. Nothing is
 * written. */
DC_DEF dc_status dc_hull_cast_jac(const dc_hull *a, const dc_pose *pose_a, const dc_real *twist_a, const dc_hull *b,
                                  const dc_pose *pose_b, const dc_real *twist_b, const dc_cast_hit *hit, dc_real *J,
                                  dc_real *Jv);

#ifdef __cplusplus
}
#endif
#endif /* DC_CONTACT_H_INCLUDED */

/* ============================================================================================== */
/* What the suite's other headers share with this one: their implementations define DC_CONTACT_KERNELS and include
 * this file again. */
#if defined(DC_CONTACT_IMPLEMENTATION) || defined(DC_CONTACT_KERNELS)
#ifndef DC_CONTACT_KERNELS_DEFINED
#define DC_CONTACT_KERNELS_DEFINED

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- [lanes] the exponential family for loops over lanes ------------------------------------- */
/* One text for both formats: dci_exp_lane, dci_log_lane, dci_log1p_lane, dci_tanh_lane, dci_sigmoid_lane and
 * dci_softplus_lane have no branch, table or integer conversion, so that a loop over one of them vectorises; dc_exp
 * and its kin are the same functions out of line.
 *
 * Rounding errors are carried as a second number: hi + lo stands for a sum that is never rounded. No step
 * depends on whether a*b + c is contracted: where the error of a product matters, the factors are short
 * enough (bits cleared by hand) that the product is exact. Polynomials: tests/tools/polynomials.py. */

#if defined(__FLT_EVAL_METHOD__)
#if __FLT_EVAL_METHOD__ == 2 || (DC_IS_FLOAT && __FLT_EVAL_METHOD__ == 1)
#error "dc needs arithmetic that rounds to its own type; x86-32: -msse2 -mfpmath=sse, s390x: -fexcess-precision=fast"
#endif
#endif

/* gcc vectorises floating-point selects only without trapping maths; a loop over lanes needs it as well */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif

#if defined(__GNUC__) || defined(__clang__)
#define DCI_RESTRICT __restrict
#else
#define DCI_RESTRICT
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
#define DCI_RSQRT      DCI_B(0x5f3759df)               /* minus half the bits of x: 1/sqrt(x) to 3.5 % */
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
#define DCI_RSQRT      DCI_B(0x5fe6eb50c7b537a9)
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

#if defined(__GNUC__) || defined(__clang__)
#define DCI_COPY __builtin_memcpy       /* with -ffreestanding a plain memcpy is a call, of a few bytes too */
#else
#define DCI_COPY memcpy
#endif
DCI_LANE dci_bits dci_to_bits(dc_real x) { dci_bits b; DCI_COPY(&b, &x, sizeof b); return b; }
DCI_LANE dc_real dci_from_bits(dci_bits b) { dc_real x; DCI_COPY(&x, &b, sizeof x); return x; }
#if defined(__i386__) && defined(__GNUC__) && !DC_IS_FLOAT
/* gcc 12 has been seen to load half of x here when it inlines the line below: 64 bits are two registers */
DCI_LANE dc_real dci_fabs(dc_real x) { return __builtin_fabs(x); }
#else
DCI_LANE dc_real dci_fabs(dc_real x) { return dci_from_bits(dci_to_bits(x) & ~DCI_SIGN); }
#endif
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

/* (cosh r - 1)/z and (sinh r - r)/(r z), z = r^2, |r| <= ln2/2; error relative to e^r: 2^-57, float 2^-29 */
DCI_LANE dc_real dci_poly_cosh(dc_real z)
{
#if DC_IS_FLOAT
    return DC_R(0.5) + z*(DC_R(0.0416662656) + z*DC_R(0.00139463332));
#else
    dc_real a = DC_R(0.50000000000000133) + z*DC_R(0.041666666666513183);
    dc_real b = DC_R(0.0013888888947578895) + z*DC_R(2.4801489369217792e-05);
    return a + z*z*(b + z*z*DC_R(2.7631483806788275e-07));
#endif
}
DCI_LANE dc_real dci_poly_sinh(dc_real z)
{
#if DC_IS_FLOAT
    return DC_R(0.166666672) + z*(DC_R(0.00833328068) + z*DC_R(0.000199093702));
#else
    dc_real a = DC_R(0.16666666666666685) + z*DC_R(0.0083333333333166174);
    dc_real b = DC_R(0.0001984126989736393) + z*DC_R(2.7557233927550713e-06);
    return a + z*z*(b + z*z*DC_R(2.51123491015139e-08));
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

/* sqrt(x) for x = 0 and normal x >= 0, without the call that may set errno; error 0.79 ulp (float 0.76). Newton's
 * steps for 1/sqrt(x) from the halved exponent, 3.5 % off at worst, then one for the root itself. */
DCI_LANE dc_real dci_sqrt_lane(dc_real x)
{
    dc_real h = DC_R(0.5)*x, y = dci_from_bits(DCI_RSQRT - (dci_to_bits(x) >> 1)), s;
    y = y*(DC_R(1.5) - h*y*y);
    y = y*(DC_R(1.5) - h*y*y);
    y = y*(DC_R(1.5) - h*y*y);
#if !DC_IS_FLOAT
    y = y*(DC_R(1.5) - h*y*y);
#endif
    s = x*y;
    return s + DC_R(0.5)*y*(x - s*s);
}

DCI_LANE dc_real dci_exp_lane(dc_real x)
{
    /* a NaN fails both comparisons and stays */
    x = x < DCI_EXP_MIN ? DCI_EXP_MIN : x;
    x = x > DCI_EXP_MAX ? DCI_EXP_MAX : x;
    return dci_exp_join(dci_exp_reduce(x, 0)).hi;
}

/* Shorter forms, whose results stay within the normal numbers: x = n ln2 + r, e^+-r = 1 + (cosh r - 1 +- sinh r).
 * Error 0.9 ulp. */
#define DCI_EXP_NORMAL (DC_IS_FLOAT ? DC_R(87.0) : DC_R(708.0))

/* e^x for x <= 0, not below e^-DCI_EXP_NORMAL */
DCI_LANE dc_real dci_exp_neg_lane(dc_real x)
{
    dc_real nk, n, r, z, sinh;
    x = x < -DCI_EXP_NORMAL ? -DCI_EXP_NORMAL : x;
    nk = x*DCI_LOG2E + DCI_SHIFT;
    n = nk - DCI_SHIFT;
    r = (x - n*DCI_LN2_HI) - n*DCI_LN2_LO;
    z = r*r;
    sinh = r + r*z*dci_poly_sinh(z);
    return dci_exp2_bits(dci_to_bits(nk))*(1 + (sinh + z*dci_poly_cosh(z)));
}

/* e^x and e^-x, for less than two of them; |x| cut off at DCI_EXP_NORMAL */
DCI_LANE dc_real dci_exp_both_lane(dc_real x, dc_real *inverse)
{
    dc_real nk, n, r, z, sinh, cosh;
    x = x < -DCI_EXP_NORMAL ? -DCI_EXP_NORMAL : x;
    x = x > DCI_EXP_NORMAL ? DCI_EXP_NORMAL : x;
    nk = x*DCI_LOG2E + DCI_SHIFT;
    n = nk - DCI_SHIFT;
    r = (x - n*DCI_LN2_HI) - n*DCI_LN2_LO;
    z = r*r;
    sinh = r + r*z*dci_poly_sinh(z);
    cosh = z*dci_poly_cosh(z);                             /* less 1 */
    *inverse = dci_exp2_bits(0 - dci_to_bits(nk))*(1 + (cosh - sinh));
    return dci_exp2_bits(dci_to_bits(nk))*(1 + (cosh + sinh));
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

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- roots, arguments, axes, hashes --------------------------------------------------------------- */

/* IEEE asks for the correctly rounded root, so that the platform's is the same bits everywhere */
DCI_LANE dc_real dci_root(dc_real x)
{
#if DC_IS_FLOAT && defined(__GNUC__) && defined(__arm__) && defined(__ARM_FP) && (__ARM_FP & 4)
    __asm__("vsqrt.f32 %0, %0" : "+t"(x));              /* without the errno of sqrtf, which takes more than the root */
    return x;
#elif DC_IS_FLOAT
    return sqrtf(x);
#else
    return sqrt(x);
#endif
}

/* q over its largest entry, which is not 0, so that the squares neither overflow nor vanish; their sum, in [1, 4] */
DCI_LANE dc_quat dci_quat_shrunk(dc_quat q, dc_real *length2)
{
    const dc_real w = dci_fabs(q.w), x = dci_fabs(q.x), y = dci_fabs(q.y), z = dci_fabs(q.z);
    const dc_real wx = w > x ? w : x, yz = y > z ? y : z, m = wx > yz ? wx : yz;

    q.w /= m; q.x /= m; q.y /= m; q.z /= m;
    *length2 = q.w*q.w + q.x*q.x + q.y*q.y + q.z*q.z;
    return q;
}

DCI_LANE int dci_length_ok(dc_real x) { return x >= 1/DC_LIMIT && x <= DC_LIMIT; }
DCI_LANE int dci_positive(dc_real x) { return x > 0 && x <= DC_LIMIT; }
DCI_LANE dc_v3 dci_axis(int i) { return dc_vec(i == 0, i == 1, i == 2); }

/* FNV-1a of n bytes */
DCI_LANE uint64_t dci_hash(const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t h = UINT64_C(14695981039346656037);
    size_t k;
    for (k = 0; k < n; ++k) h = (h ^ p[k])*UINT64_C(1099511628211);
    return h;
}

/* ---- memory that is counted by what takes it ------------------------------------------------------ */

typedef struct {
    dc_arena *arena;                    /* NULL: only counted */
    size_t    bytes;                    /* counted so far, with dc_bytes */
    int       full;                     /* something did not fit */
} dci_room;

static DCI_UNUSED void *dci_take(dci_room *room, size_t count, size_t size)
{
    void *p = NULL;

    if (!room->arena) room->bytes = dc_bytes(room->bytes, count, size);
    else if (!room->full) {
        p = dc_arena_take(room->arena, count, size);
        room->full = !p;
    }
    return p;
}
#define DCI_TAKE(room, count, type) ((type *)dci_take(room, (size_t)(count), sizeof(type)))

/* what a size function returns: 0 where the sum overflows */
DCI_LANE size_t dci_counted(const dci_room *room) { return room->bytes == SIZE_MAX ? 0 : room->bytes; }

/* ---- [duals] forces of friction as unknowns ---------------------------------------------------- */
/* in: the slip and the force of an iterate, the slip at a place; out: the force there, for both kinds of friction. */

/* what a force is shorter than 1 at least: it stays inside the cone, where its form is definite */
#define DCI_DUAL_LEAST DC_R(1e-3)

/* lambda at the slip tried->slip, to which `share` of Newton's direction leads from the iterate: of all of the
 * direction, by the linearised  rho lambda = e,
 *     lambda <- w + (I - (lambda w^T + w lambda^T)/2) de/rho,   w = e/rho at the iterate,   |lambda| < 1.
 * With lambda = w the norm is taken for a line along w, on which a slip that is small turns round, again and again.
 * Where it has done so at a place that was not taken, lambda = 0 at the next: I/rho is the form of the parabola above
 * the norm that touches it there, whose least slip is none. From then on |lambda| <= 1 - doubt: 1/2, then its
 * squares. */
static DCI_UNUSED void dci_dual_force(const dc_friction_dual *kept, dc_real share, dc_real eps, dc_friction_dual *tried)
{
    const dc_real *e = kept->slip, *lambda = kept->force;
    const dc_real rho = dc_sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2] + eps);
    dc_real w[3], d[3], wd = 0, ld = 0, most = 1, length2 = 0, room;
    int i;

    /* it has turned round on the way from the iterate */
    if (tried->turned) {
        tried->force[0] = tried->force[1] = tried->force[2] = 0;
        tried->doubt = 1;
        return;
    }
    tried->doubt = kept->doubt < 1 ? kept->doubt*kept->doubt : DC_R(0.5);
    tried->turned = tried->slip[0]*e[0] + tried->slip[1]*e[1] + tried->slip[2]*e[2] < 0;

    /* at the iterate itself */
    if (tried->slip[0] == e[0] && tried->slip[1] == e[1] && tried->slip[2] == e[2]) {
        memcpy(tried->force, lambda, sizeof tried->force);
        tried->doubt = kept->doubt;
        return;
    }

    for (i = 0; i < 3; ++i) {
        w[i] = e[i]/rho;
        d[i] = (tried->slip[i] - e[i])/(share*rho);
        wd += w[i]*d[i];
        ld += lambda[i]*d[i];
    }
    for (i = 0; i < 3; ++i) {
        tried->force[i] = w[i] + d[i] - DC_R(0.5)*(lambda[i]*wd + w[i]*ld);
        most = dc_max(most, dc_abs(tried->force[i]));
    }

    /* one that does not fit: none */
    if (!dc_finite(most)) most = DC_REAL_MAX;
    for (i = 0; i < 3; ++i) {
        tried->force[i] = dc_finite(tried->force[i]) ? tried->force[i]/most : 0;
        length2 += tried->force[i]*tried->force[i];
    }
    room = 1 - dc_max(tried->doubt, DCI_DUAL_LEAST);
    if (most > 1 || length2 > room*room)
        for (i = 0; i < 3; ++i) tried->force[i] *= room/dc_sqrt(length2 > 0 ? length2 : 1);
}

/* ---- [rates] numbers and vectors that carry their rate ----------------------------------------- */
/* in: values and rates; out: those of sums and products, by the product rule. */

/* a number and its rate */
typedef struct { dc_real at, rate; } dci_dual;
/* a point, or a vector, and its rate */
typedef struct { dc_v3 at, rate; } dci_moving;

static DCI_UNUSED dci_dual dci_dual_of(dc_real at, dc_real rate)
{
    dci_dual x;
    x.at = at;
    x.rate = rate;
    return x;
}

static DCI_UNUSED dci_dual dci_dual_add(dci_dual a, dci_dual b) { return dci_dual_of(a.at + b.at, a.rate + b.rate); }
static DCI_UNUSED dci_dual dci_dual_scale(dc_real s, dci_dual a) { return dci_dual_of(s*a.at, s*a.rate); }

static DCI_UNUSED dci_dual dci_dual_sub(dci_dual a, dci_dual b)
{
    a.at -= b.at;
    a.rate -= b.rate;
    return a;
}

static DCI_UNUSED dci_dual dci_dual_mul(dci_dual a, dci_dual b)
{
    a.rate = a.rate*b.at + a.at*b.rate;
    a.at = a.at*b.at;
    return a;
}

/* a/b, b not 0 */
static DCI_UNUSED dci_dual dci_dual_over(dci_dual a, dci_dual b)
{
    a.at = a.at/b.at;
    a.rate = (a.rate - a.at*b.rate)/b.at;
    return a;
}

/* s x + c */
static DCI_UNUSED dci_dual dci_dual_line(dc_real s, dci_dual x, dc_real c)
{
    x.at = s*x.at + c;
    x.rate = s*x.rate;
    return x;
}

static DCI_UNUSED dci_moving dci_moving_of(dc_v3 at, dc_v3 rate)
{
    dci_moving p;
    p.at = at;
    p.rate = rate;
    return p;
}

static DCI_UNUSED dci_moving dci_moving_add(dci_moving p, dci_moving q)
{
    return dci_moving_of(dc_add(p.at, q.at), dc_add(p.rate, q.rate));
}

static DCI_UNUSED dci_moving dci_moving_sub(dci_moving p, dci_moving q)
{
    p.at = dc_sub(p.at, q.at);
    p.rate = dc_sub(p.rate, q.rate);
    return p;
}

static DCI_UNUSED dci_moving dci_moving_scale(dci_dual s, dci_moving p)
{
    return dci_moving_of(dc_scale(s.at, p.at), dc_madd(dc_scale(s.at, p.rate), s.rate, p.at));
}

/* p + s q */
static DCI_UNUSED dci_moving dci_moving_madd(dci_moving p, dci_dual s, dci_moving q)
{
    p.at = dc_madd(p.at, s.at, q.at);
    p.rate = dc_madd(dc_madd(p.rate, s.rate, q.at), s.at, q.rate);
    return p;
}

static DCI_UNUSED dci_moving dci_moving_cross(dci_moving p, dci_moving q)
{
    dci_moving m;
    m.at = dc_cross(p.at, q.at);
    m.rate = dc_add(dc_cross(p.rate, q.at), dc_cross(p.at, q.rate));
    return m;
}

static DCI_UNUSED dci_dual dci_dual_dot(dci_moving p, dci_moving q)
{
    dci_dual d;
    d.at = dc_dot(p.at, q.at);
    d.rate = dc_dot(p.rate, q.at) + dc_dot(p.at, q.rate);
    return d;
}

#endif /* DC_CONTACT_KERNELS_DEFINED */
#endif

/* ============================================================================================== */
#ifdef DC_CONTACT_IMPLEMENTATION
#ifndef DC_CONTACT_IMPLEMENTED
#define DC_CONTACT_IMPLEMENTED

#include <math.h>
#include <stdint.h>
#include <string.h>

#if DCI_FUSES
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* ---- [memory] status and memory -------------------------------------------------------------- */

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
    if (sum > SIZE_MAX - 2*DC_ALIGN) return SIZE_MAX;
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
    size_t pad, bytes, left;
    if (!a || !a->base || a->used > a->size || (size != 0 && count > (SIZE_MAX - 2*DC_ALIGN)/size)) return NULL;

    left = a->size - a->used;
    /* whole blocks, so that the parts of a sum made with dc_bytes always fit */
    bytes = (count*size + DC_ALIGN - 1)/DC_ALIGN*DC_ALIGN;
    pad = (size_t)((0 - (uintptr_t)(a->base + a->used)) & (DC_ALIGN - 1));
    if (pad > left || bytes > left - pad) return NULL;
    a->used += pad + bytes;
    return a->base + a->used - bytes;
}

/* ---- [elementary] elementary functions ------------------------------------------------------- */

DC_DEF dc_real dc_sqrt(dc_real x) { return dci_root(x); }

/* the same code as in lane loops */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif
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

    for (i = 0; i < N; ++i) {
        t = (uint64_t)two_over_pi[word + i] << 32 | two_over_pi[word + i + 1];
        w[i] = (uint32_t)(t << bit >> 32);
        p[i] = 0;
    }

    /* p = M w modulo 2^(32 N) */
    for (j = 0; j < (DC_IS_FLOAT ? 1 : 2); ++j) {
        uint32_t m = (uint32_t)((uint64_t)M >> 32*j);
        uint64_t carry = 0;
        for (i = N - 1; i >= j; --i) {
            carry += p[i - j] + (uint64_t)w[i]*m;
            p[i - j] = (uint32_t)carry;
            carry >>= 32;
        }
    }

    /* two bits of quadrant, then the fraction, rounded to the nearest quadrant */
    n = (int)(p[0] >> 30);
    negative = (int)(p[0] >> 29 & 1);
    if (negative) {
        ++n;
        for (i = 0; i < N; ++i) p[i] = ~p[i];           /* 1 - fraction, up to the last of its bits */
    }
    p[0] &= 0x3fffffffu;

    /* leading zeros out: the fraction is scale*p, top bit of p[0] next to the point; at most 2 N words of shift */
    scale = 4;
    for (j = 0; j < 32*N && !(p[0] >> 31); ++j) {
        for (i = 0; i < N - 1; ++i) p[i] = p[i] << 1 | p[i + 1] >> 31;
        p[N - 1] <<= 1;
        scale *= DC_R(0.5);
    }

    /* 24 bits at a time fit both formats */
    c[0] = DC_R(p[0] >> 8);
    c[1] = DC_R((p[0] & 0xffu) << 16 | p[1] >> 16);
    c[2] = DC_R((p[1] & 0xffffu) << 8 | p[2] >> 24);
    c[3] = DC_R(p[2] & 0xffffffu);
    for (i = 0; i < 4; ++i) {
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

/* ---- [rotations] rotations and poses --------------------------------------------------------- */

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
    q.x = k*w.x;  q.y = k*w.y;  q.z = k*w.z;
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
    dc_real s;
    if (!out || !dc_finite(q.w) || !dc_finite(q.x) || !dc_finite(q.y) || !dc_finite(q.z)
        || (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0))
        return DC_E_ARG;
    q = dci_quat_shrunk(q, &s);
    s = 1/dc_sqrt(s);
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

DC_DEF dc_m3 dc_m3_exp(dc_v3 w) { return dc_rotation(dc_quat_exp(w)); }

DC_DEF dc_v3 dc_m3_log(const dc_m3 *R) { return dc_quat_log(dc_quat_from_m3(R)); }

/* With z = th^2:
 *     b = (1 - cos th)/th^2    = sum (-z)^k/(2k+2)!      db = 2 db/dz = (sin(th)/th - 2b)/th^2
 *     c = (th - sin th)/th^3   = sum (-z)^k/(2k+3)!      dc = 2 dc/dz = (b - 3c)/th^2
 *     d = (1 - (th/2) cot(th/2))/th^2 = -db/(2b)
 * The closed forms of db and dc lose 12/th^2 and 60/th^2 by cancellation, so that th = 2 is where the series takes
 * over: there the closed forms have lost 4 bits, and 12 terms (float: 8) leave a remainder below rounding. */
typedef struct {
    dc_real by_skew, by_square;         /* b, c */
    dc_real skew_slope, square_slope;   /* db, dc */
    dc_real inverse;                    /* d */
} dci_so3;

static dci_so3 dci_so3_coef(dc_v3 w)
{
    static const dc_real inv_factorial[] = {            /* 1/2!, 1/3!, ... */
        DC_R(0.5), DC_R(0.16666666666666666), DC_R(0.041666666666666664),
        DC_R(0.0083333333333333332), DC_R(0.0013888888888888889), DC_R(0.00019841269841269841),
        DC_R(2.4801587301587302e-05), DC_R(2.7557319223985893e-06), DC_R(2.7557319223985888e-07),
        DC_R(2.505210838544172e-08), DC_R(2.08767569878681e-09), DC_R(1.6059043836821613e-10),
        DC_R(1.1470745597729725e-11), DC_R(7.6471637318198164e-13), DC_R(4.7794773323873853e-14),
        DC_R(2.8114572543455206e-15), DC_R(1.5619206968586225e-16), DC_R(8.2206352466243295e-18),
        DC_R(4.1103176233121648e-19), DC_R(1.9572941063391263e-20), DC_R(8.8967913924505741e-22),
        DC_R(3.8681701706306841e-23), DC_R(1.6117375710961184e-24), DC_R(6.4469502843844736e-26)
    };
    const int terms = DC_IS_FLOAT ? 8 : 12;
    dc_real z = dc_dot(w, w);
    dci_so3 f;

    if (z < 4) {
        dc_real y = -z, db = 0, dc = 0;
        int k;
        f.by_skew = f.by_square = 0;
        for (k = terms - 1; k >= 0; --k) {              /* Horner, with the derivatives by y */
            db = db*y + f.by_skew;
            dc = dc*y + f.by_square;
            f.by_skew = f.by_skew*y + inv_factorial[2*k];
            f.by_square = f.by_square*y + inv_factorial[2*k + 1];
        }
        f.skew_slope = -2*db;
        f.square_slope = -2*dc;
        f.inverse = -f.skew_slope/(2*f.by_skew);                            /* b >= 0.35 */
    } else {
        dc_real th = dc_sqrt(z), h = DC_R(0.5)*th, s, c, a;
        dc_sincos(h, &s, &c);
        a = 2*s*c/th;                                   /* sin(th)/th */
        f.by_skew = 2*s*s/z;
        f.by_square = (1 - a)/z;
        f.skew_slope = (a - 2*f.by_skew)/z;
        f.square_slope = (f.by_skew - 3*f.by_square)/z;
        f.inverse = (1 - h*c/s)/z;                            /* no number but 0 is a multiple of pi: s is not 0 */
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
    return dci_so3_matrix(w, f.by_skew, f.by_square);
}

DC_DEF dc_m3 dc_so3_jl_inv(dc_v3 w)
{
    dci_so3 f = dci_so3_coef(w);
    return dci_so3_matrix(w, DC_R(-0.5), f.inverse);
}

DC_DEF dc_m3 dc_so3_jl_grad(dc_v3 w, dc_v3 v)
{
    /* J_l v = v + b w x v + c w x (w x v) and w x (w x v) = w (w.v) - v (w.w), so that
     *     d(J_l v)/dw = -b [v] + (db w x v + dc w x (w x v)) w^T + c ((w.v) I + w v^T - 2 v w^T)      */
    dci_so3 f = dci_so3_coef(w);
    dc_v3 wv = dc_cross(w, v);
    dc_v3 p = dc_madd(dc_scale(f.skew_slope, wv), f.square_slope, dc_cross(w, wv));
    dc_real e = f.by_square*dc_dot(w, v);
    dc_v3 r = dc_madd(p, -2*f.by_square, v);                    /* r w^T + c w v^T */
    dc_m3 M;

    M.m[0] = r.x*w.x + f.by_square*w.x*v.x + e;
    M.m[1] = r.x*w.y + f.by_square*w.x*v.y + f.by_skew*v.z;
    M.m[2] = r.x*w.z + f.by_square*w.x*v.z - f.by_skew*v.y;
    M.m[3] = r.y*w.x + f.by_square*w.y*v.x - f.by_skew*v.z;
    M.m[4] = r.y*w.y + f.by_square*w.y*v.y + e;
    M.m[5] = r.y*w.z + f.by_square*w.y*v.z + f.by_skew*v.x;
    M.m[6] = r.z*w.x + f.by_square*w.z*v.x + f.by_skew*v.y;
    M.m[7] = r.z*w.y + f.by_square*w.z*v.y - f.by_skew*v.x;
    M.m[8] = r.z*w.z + f.by_square*w.z*v.z + e;
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

DC_DEF dc_v3 dc_pose_apply(dc_pose p, dc_v3 a) { return dc_add(dc_quat_rotate(p.q, a), p.t); }

DC_DEF dc_affine dc_pose_to_affine(dc_pose p)
{
    dc_m3 R = dc_rotation(p.q);
    dc_affine T;
    int i;
    for (i = 0; i < 3; ++i) {
        T.m[4*i] = R.m[3*i];
        T.m[4*i + 1] = R.m[3*i + 1];
        T.m[4*i + 2] = R.m[3*i + 2];
    }
    T.m[3] = p.t.x;  T.m[7] = p.t.y;  T.m[11] = p.t.z;
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

/* ---- [smooth] smooth operators --------------------------------------------------------------- */
/* s(z) = 1/(1 + e^-z); differences such as 1 - s are taken as s(-z), so that tails keep their digits */

DC_DEF dc_real dc_soft_sign(dc_real x, dc_real eps, dc_real *d1, dc_real *d2)
{
    dc_real z = x/eps, y = dc_tanh(z), d = 4*dc_sigmoid(2*z)*dc_sigmoid(-2*z)/eps;      /* 1 - tanh^2 */
    if (d1) *d1 = d;
    if (d2) *d2 = -2*y*d/eps;
    return y;
}

DC_DEF dc_real dc_soft_relu(dc_real x, dc_real eps, dc_real *d1, dc_real *d2)
{
    dc_real z = x/eps;
    if (d1) *d1 = dc_sigmoid(z);
    if (d2) *d2 = dc_sigmoid(z)*dc_sigmoid(-z)/eps;
    return eps*dc_softplus(z);
}

DC_DEF dc_real dc_soft_greater(dc_real x, dc_real a, dc_real eps, dc_real *d1, dc_real *d2)
{
    dc_real z = (x - a)/eps, y = dc_sigmoid(z), d = y*dc_sigmoid(-z)/eps;
    if (d1) *d1 = d;
    if (d2) *d2 = -d*dc_tanh(DC_R(0.5)*z)/eps;              /* s(-z) - s(z) = -tanh(z/2) */
    return y;
}

/* W = s(u) s(-v), u = (x-a)/eps, v = (x-b)/eps:  W'/W = (s(-u) - s(v))/eps */
DC_DEF dc_real dc_soft_within(dc_real x, dc_real a, dc_real b, dc_real eps, dc_real *d1, dc_real *d2)
{
    dc_real u = (x - a)/eps, v = (x - b)/eps;
    dc_real su = dc_sigmoid(u), cu = dc_sigmoid(-u), sv = dc_sigmoid(v), cv = dc_sigmoid(-v);
    dc_real y = su*cv, g = cu - sv;
    if (d1) *d1 = y*g/eps;
    if (d2) *d2 = y*(g*g - su*cu - sv*cv)/eps/eps;
    return y;
}

/* clamp(x) + eps (log(1 + e^-|u|) - log(1 + e^-|v|)), the large parts of the two relu taken off;
 * derivative s(u) - s(v) = W (1 - e^(v-u)), W = dc_soft_within, 1 - e^-k = tanh(k/2)(1 + e^-k) */
DC_DEF dc_real dc_soft_clip(dc_real x, dc_real a, dc_real b, dc_real eps, dc_real *d1, dc_real *d2)
{
    dc_real u = dc_abs(x - a)/eps, v = dc_abs(x - b)/eps, k = (b - a)/eps;
    dc_real clamp = x > b ? b : (x < a ? a : x);
    if (d1 || d2) {
        dc_real w1, w2, w = dc_soft_within(x, a, b, eps, &w1, &w2), part = dc_tanh(DC_R(0.5)*k)*(1 + dc_exp(-k));
        if (d1) *d1 = w*part;
        if (d2) *d2 = w1*part;
    }
    /* wide eps: the difference is rounded by more than b - a */
    return dc_min(b, dc_max(a, clamp + eps*(dc_softplus(-u) - dc_softplus(-v))));
}

DC_DEF dc_real dc_lse(int n, const dc_real *x, dc_real tau, dc_real *w, dc_real *H)
{
    dc_real top = x[0], sum = 0;
    int i, j;

    /* over the largest, so that nothing overflows */
    for (i = 1; i < n; ++i) top = tau > 0 ? dc_max(top, x[i]) : dc_min(top, x[i]);
    for (i = 0; i < n; ++i) {
        dc_real e = dc_exp((x[i] - top)/tau);
        if (w) w[i] = e;
        sum += e;                                           /* >= 1: the exponent of top is 0 */
    }

    for (i = 0; w && i < n; ++i) w[i] /= sum;
    for (i = 0; w && H && i < n; ++i) {
        dc_real rest = 0;                                   /* 1 - w_i, without cancellation */
        for (j = 0; j < n; ++j) {
            rest += i == j ? DC_R(0) : w[j];
            H[i*n + j] = -w[i]*w[j]/tau;
        }
        H[i*n + i] = w[i]*rest/tau;
    }
    return top + tau*dc_log(sum);
}

/* ---- [dense] dense algebra: triangular solves, permutations ---------------------------------- */

#define DCI_BLOCK 16                /* rows of a block; must be a multiple of 4 */

/* One kernel carries every factorisation and every solve with many right-hand sides: rows of C minus multiples of rows
 * of B, four at a time. Long rows vectorise in any compiler; dot products along a row would not, because the order of a
 * floating-point sum is the program's. */

/* c -= t[0] b0 + t[1] b1 + t[2] b2 + t[3] b3 */
static void dci_row_update(int n, dc_real *DCI_RESTRICT c, const dc_real *t, const dc_real *DCI_RESTRICT b0,
                           const dc_real *DCI_RESTRICT b1, const dc_real *DCI_RESTRICT b2,
                           const dc_real *DCI_RESTRICT b3)
{
    dc_real t0 = t[0], t1 = t[1], t2 = t[2], t3 = t[3];
    int j;
    for (j = 0; j < n; ++j) c[j] -= (t0*b0[j] + t1*b1[j]) + (t2*b2[j] + t3*b3[j]);
}

/* the same for two rows, c with t[0..3] and d with t[4..7]: the rows of B are loaded once for both */
static void dci_row_update2(int n, dc_real *DCI_RESTRICT c, dc_real *DCI_RESTRICT d, const dc_real *t,
                            const dc_real *DCI_RESTRICT b0, const dc_real *DCI_RESTRICT b1,
                            const dc_real *DCI_RESTRICT b2, const dc_real *DCI_RESTRICT b3)
{
    dc_real t0 = t[0], t1 = t[1], t2 = t[2], t3 = t[3];
    dc_real s0 = t[4], s1 = t[5], s2 = t[6], s3 = t[7];
    int j;
    for (j = 0; j < n; ++j) {
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
            for (l = 0; l < 4; ++l) {
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
    for (; i < n; ++i) s += x[i]*y[i];
    return s + (((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)));
}

/* 1 when x[0..n) are finite: each term is zero or NaN */
static int dci_finite_row(ptrdiff_t n, const dc_real *x)
{
    dc_real   s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    ptrdiff_t i, whole = n - n%8;               /* said beforehand: gcc warns of i + 8 <= n where n is a constant */
    int       k;
    for (i = 0; i < whole; i += 8)
        for (k = 0; k < 8; ++k) s[k] += x[i + k] - x[i + k];
    for (; i < n; ++i) s[0] += x[i] - x[i];
    return (s[0] + s[1]) + (s[2] + s[3]) + ((s[4] + s[5]) + (s[6] + s[7])) == 0;
}

static int dci_finite_block(int rows, int cols, const dc_real *A, ptrdiff_t ld)
{
    int i, ok = 1;
    if (ld == cols) return dci_finite_row(rows*ld, A);
    for (i = 0; i < rows && ok; ++i) ok = dci_finite_row(cols, A + i*ld);
    return ok;
}

static int dci_finite_upper(int n, const dc_real *A, ptrdiff_t ld)
{
    int i, ok = 1;
    for (i = 0; i < n && ok; ++i) ok = dci_finite_row(n - i, A + i*ld + i);
    return ok;
}

static int dci_finite_lower(int n, const dc_real *A, ptrdiff_t ld)
{
    int i, ok = 1;
    for (i = 0; i < n && ok; ++i) ok = dci_finite_row(i + 1, A + i*ld);
    return ok;
}

static void dci_swap_rows(int n, dc_real *DCI_RESTRICT x, dc_real *DCI_RESTRICT y)
{
    int j;
    for (j = 0; j < n; ++j) { dc_real t = x[j]; x[j] = y[j]; y[j] = t; }
}

/* ---- triangular solves ---- */

/* T y = b for one vector. If the rows of T are contiguous, y_i = (b_i - T_i . y)/T_ii; if its columns are, each y_k is
 * subtracted from all b below it as soon as it is known. Blocks of four share the traffic of b. */
static void dci_trisolve_vector(int n, const dc_real *T, ptrdiff_t rs, ptrdiff_t cs, int unit, dc_real *b,
                                ptrdiff_t step)
{
    int by_rows = cs == step, i0, i1, i, k;

    for (i0 = 0; i0 < n; i0 = i1) {
        i1 = i0 + 4 < n ? i0 + 4 : n;
        for (i = i0; i < i1; ++i) {
            dc_real y = b[i*step];
            /* backwards: start at the lowest address */
            if (by_rows && i0 > 0)
                y -= step > 0 ? dci_dot(i0, T + i*rs, b) : dci_dot(i0, T + i*rs - (i0 - 1), b - (i0 - 1));
            for (k = i0; k < i; ++k) y -= T[i*rs + k*cs]*b[k*step];
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
static void dci_trisolve(int n, const dc_real *T, ptrdiff_t rs, ptrdiff_t cs, int unit, int m, dc_real *B,
                         ptrdiff_t ldb)
{
    int i0, i1, i, j;

    if (m == 1 && (ldb == 1 || ldb == -1)) {
        dci_trisolve_vector(n, T, rs, cs, unit, B, ldb);
        return;
    }
    for (i0 = 0; i0 < n; i0 = i1) {
        i1 = i0 + 4 < n ? i0 + 4 : n;
        dci_update(i1 - i0, m, i0, B + i0*ldb, ldb, T + i0*rs, rs, cs, B, ldb);
        for (i = i0; i < i1; ++i) {
            dc_real *b = B + i*ldb, d = T[i*(rs + cs)];
            dci_update(1, m, i - i0, b, ldb, T + i*rs + i0*cs, rs, cs, B + i0*ldb, ldb);
            if (!unit) for (j = 0; j < m; ++j) b[j] /= d;
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

/* ---- permutations: position k holds row piv[k], or ~piv[k] where that is negative ---- */

/* The place, at the time of swap i, of the row that belongs at position i: earlier swaps moved it along its cycle.
 * -1 when piv is no permutation. */
static int dci_swap_partner(int n, const int *piv, int i)
{
    int j = i, hops;
    for (hops = 0; hops <= i; ++hops) {
        j = piv[j] < 0 ? ~piv[j] : piv[j];
        if (j >= n) return -1;
        if (j >= i) return j;
    }
    return -1;
}

static int dci_piv_ok(int n, const int *piv)
{
    int i, ok = 1;
    for (i = 0; i < n && ok; ++i) ok = dci_swap_partner(n, piv, i) >= 0;
    return ok;
}

/* B <- P B, or P^T B when back */
static void dci_permute(int n, const int *piv, int back, int m, dc_real *B, ptrdiff_t ldb)
{
    int s;
    for (s = 0; s < n; ++s) {
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
    for (i = 0; i < n; ++i) if (A[i*(ld + 1)] == 0) return 1;
    return 0;
}

/* ---- [factors] dense algebra: Cholesky, L D L^T, L U ----------------------------------------- */

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
        for (k = k0; k < k1; ++k) {
            dc_real *row = A + k*ld, d;
            /* row k of what the block's earlier rows leave */
            dci_update(1, n - k, k - k0, row + k, ld, row + k0, ld, 1, A + k0*ld + k, ld);
            /* an overflow ends here too: it leaves -inf or NaN on a later diagonal */
            if (!(row[k] > 0)) {
                if (where) *where = k;
                return DC_E_SINGULAR;
            }
            row[k] = d = dc_sqrt(row[k]);
            for (i = k + 1; i < n; ++i) row[i] /= d;
            for (i = k + 1; i < n; ++i) A[i*ld + k] = row[i];
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

/* ---- L D L^T ---- */

/* Rows and columns p < q of the reduced matrix, whose first row is k <= p; L and the block's first row k0 <= k
 * follow. */
static void dci_ldlt_swap(int n, dc_real *A, ptrdiff_t ld, int *piv, int k0, int k, int p, int q)
{
    dc_real t;
    int     i, ti;
    if (p == q) return;
    for (i = k0; i < p; ++i) { t = A[i*ld + p]; A[i*ld + p] = A[i*ld + q]; A[i*ld + q] = t; }
    t = A[p*(ld + 1)]; A[p*(ld + 1)] = A[q*(ld + 1)]; A[q*(ld + 1)] = t;
    for (i = p + 1; i < q; ++i) { t = A[p*ld + i]; A[p*ld + i] = A[i*ld + q]; A[i*ld + q] = t; }
    dci_swap_rows(n - q - 1, A + p*ld + q + 1, A + q*ld + q + 1);
    dci_swap_rows(k, A + p*ld, A + q*ld);
    ti = piv[p]; piv[p] = piv[q]; piv[q] = ti;
}

/* index in first..n of the entry of largest magnitude; first < n */
static int dci_largest(int n, const dc_real *x, int first)
{
    int i, at = first;
    for (i = first + 1; i < n; ++i) if (dc_abs(x[i]) > dc_abs(x[at])) at = i;
    return at;
}

/* Left of column k, row k holds W = L D in the columns of the block under way and L in those of finished ones.
 * Above it, rows of the block under way hold L^T. So row k of the reduced matrix is A_k - sum_p W_kp (L^T)_p. */
DC_DEF dc_status dc_ldlt_factor(int n, dc_real *A, int ld_, int *piv, int *where)
{
    const dc_real alpha = DC_R(0.6403882032022076);         /* (1 + sqrt 17)/8: least bound on the growth of entries */
    ptrdiff_t     ld = ld_;
    int           k0, k, i, j, zero = -1;

    if (!A || !piv || n < 1 || ld < n || !dci_finite_upper(n, A, ld)) return DC_E_ARG;
    for (i = 0; i < n; ++i) piv[i] = i;

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
                for (j = k + 1; j < n; ++j) A[j*ld + k] = row[j];
                /* a zero pivot has a zero row: nothing to divide */
                if (d != 0) for (j = k + 1; j < n; ++j) row[j] /= d;
                k += 1;
            } else {
                /* (L^T)_k,k+1 = D^-1 W^T with D = e (a 1; 1 c): |a c| < alpha^2 < 1/2, e the largest of its row */
                dc_real e = row[k + 1], a = row[k]/e, c = next[k + 1]/e, den = (a*c - 1)*e;
                for (j = k + 2; j < n; ++j) {
                    dc_real *w = A + j*ld + k;
                    w[0] = row[j];
                    w[1] = next[j];
                }
                for (j = k + 2; j < n; ++j) {
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
        for (i = k0 + 1; i < n; ++i)
            for (j = k0; j < i && j < k; ++j) A[i*ld + j] = A[j*ld + i];
        for (j = k0; j < k; ++j) if (piv[j] < 0) A[(j + 1)*ld + j] = 0;
    }
    if (!dci_finite_block(n, n, A, ld)) return DC_E_RANGE;
    if (zero >= 0 && where) *where = zero;
    return zero < 0 ? DC_OK : DC_E_SINGULAR;
}

/* the factor is whole: finite, its pivot list a permutation, no 2x2 block begins in the last row or within another */
static int dci_ldlt_ok(int n, const dc_real *A, ptrdiff_t ld, const int *piv)
{
    int k;
    for (k = 0; k < n; ++k)
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
    for (k = 0; k < n; ++k) {
        dc_real *b = B + k*ldb, d = A[k*(ld + 1)];
        if (piv[k] >= 0) {
            for (j = 0; j < nrhs; ++j) b[j] /= d;
        } else {
            dc_real *b1 = b + ldb, e = A[k*ld + k + 1], a = d/e, c = A[(k + 1)*(ld + 1)]/e, den = (a*c - 1)*e;
            for (j = 0; j < nrhs; ++j) {
                dc_real x = (c*b[j] - b1[j])/den;
                b1[j] = (a*b1[j] - b[j])/den;
                b[j]  = x;
            }
            ++k;
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
    for (k = 0; k < n; ++k) {
        dc_real d = A[k*(ld + 1)];
        if (piv[k] < 0) { ++count[0]; ++count[1]; ++k; }   /* the pivoting makes 2x2 blocks of negative determinant */
        else ++count[d > 0 ? 0 : d < 0 ? 1 : 2];
    }
    memcpy(inertia, count, sizeof count);
    return DC_OK;
}

/* ---- P A = L U ---- */

/* columns c0..c1 of all rows from c0 down, one after the other */
static int dci_lu_columns(int n, dc_real *A, ptrdiff_t ld, int c0, int c1, int *piv)
{
    int k, i, j, ti;

    for (k = c0; k < c1; ++k) {
        dc_real *top = A + k*ld, d;
        int      p = k;
        for (i = k + 1; i < n; ++i) if (dc_abs(A[i*ld + k]) > dc_abs(A[p*ld + k])) p = i;
        if (A[p*ld + k] == 0) return k;

        /* the largest of the column on the diagonal */
        if (p != k) {
            dci_swap_rows(n, top, A + p*ld);
            ti = piv[k]; piv[k] = piv[p]; piv[p] = ti;
        }

        /* its multiples off the rows below */
        d = top[k];
        for (i = k + 1; i < n; ++i) {
            dc_real *row = A + i*ld, l = row[k]/d;
            row[k] = l;
            for (j = k + 1; j < c1; ++j) row[j] -= l*top[j];
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
    for (i = 0; i < n; ++i) piv[i] = i;
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
    for (k = 0; k < n; ++k) if (piv[k] < 0) return DC_E_ARG;
    if (!dci_piv_ok(n, piv)) return DC_E_ARG;
    return dci_zero_diagonal(n, A, ld) ? DC_E_SINGULAR : DC_OK;
}

DC_DEF dc_status dc_lu_solve(int n, const dc_real *A, int ld, const int *piv, int nrhs, dc_real *B, int ldb)
{
    dc_status status = dci_lu_args(n, A, ld, piv, nrhs, B, ldb);
    if (status != DC_OK) return status;
    /* A = P^T L U */
    dci_permute(n, piv, 0, nrhs, B, ldb);
    dci_solve_l(n, A, ld, 1, nrhs, B, ldb);
    dci_solve_u(n, A, ld, nrhs, B, ldb);
    return dci_finite_block(n, nrhs, B, ldb) ? DC_OK : DC_E_RANGE;
}

DC_DEF dc_status dc_lu_solve_t(int n, const dc_real *A, int ld, const int *piv, int nrhs, dc_real *B, int ldb)
{
    dc_status status = dci_lu_args(n, A, ld, piv, nrhs, B, ldb);
    if (status != DC_OK) return status;
    /* A^T = U^T L^T P */
    dci_solve_ut(n, A, ld, nrhs, B, ldb);
    dci_solve_lt(n, A, ld, 1, nrhs, B, ldb);
    dci_permute(n, piv, 1, nrhs, B, ldb);
    return dci_finite_block(n, nrhs, B, ldb) ? DC_OK : DC_E_RANGE;
}

/* ---- [eigen] dense algebra: symmetric eigenvalues -------------------------------------------- */

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

    for (i = n - 1; i > 0; --i) {
        dc_real *u = Z + i*ld, big = 0, h = 0, g, half;
        d[i] = u[i];
        u[i] = 0;                                           /* holds h from here on: 0 for no reflection */
        for (k = 0; k < i - 1; ++k) big = dc_max(big, dc_abs(u[k]));
        e[i] = u[i - 1];
        if (big == 0) continue;

        /* (1), u over its largest entry so that squares neither vanish nor overflow */
        big = dc_max(big, dc_abs(u[i - 1]));
        for (k = 0; k < i; ++k) u[k] /= big;
        h = dci_dot(i, u, u);
        g = u[i - 1] > 0 ? -dc_sqrt(h) : dc_sqrt(h);        /* away from u[i - 1]: no cancellation */
        e[i] = big*g;
        h -= u[i - 1]*g;                                    /* >= 1, as h was */
        u[i - 1] -= g;
        u[i] = h;

        /* (2) */
        for (k = 0; k < i; ++k) q[k] = 0;
        dci_update(1, i, i, q, ld, u, 0, 1, Z, ld);
        for (k = 0; k < i; ++k) q[k] = -q[k]/h;
        half = dci_dot(i, u, q)/(2*h);
        for (k = 0; k < i; ++k) q[k] -= half*u[k];
        for (j = 0; j < i; ++j) {
            dc_real *DCI_RESTRICT z = Z + j*ld;
            dc_real uj = u[j], qj = q[j];
            for (k = 0; k < i; ++k) z[k] -= qj*u[k] + uj*q[k];
        }
    }
    d[0] = Z[0];
    e[0] = 0;

    /* the product from the left, in the leading rows and columns that the reflections so far have used up */
    if (!vectors) return;
    Z[0] = 1;

    for (i = 1; i < n; ++i) {
        dc_real *u = Z + i*ld, h = u[i];
        if (h != 0) {
            for (j = 0; j < i; ++j) {
                dc_real *DCI_RESTRICT z = Z + j*ld;
                dc_real s = dci_dot(i, u, z)/h;
                for (k = 0; k < i; ++k) z[k] -= s*u[k];
            }
        }
        for (k = 0; k < i; ++k) u[k] = Z[k*ld + i] = 0;
        u[i] = 1;
    }
}

/* rows x, y <- c x - s y, s x + c y */
static void dci_rotate_rows(int n, dc_real *DCI_RESTRICT x, dc_real *DCI_RESTRICT y, dc_real c, dc_real s)
{
    int j;
    for (j = 0; j < n; ++j) {
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

    for (i = 1; i < n; ++i) e[i - 1] = e[i];
    e[n - 1] = 0;
    for (l = 0; l < n; ++l) {
        for (sweep = 0; ; ++sweep) {
            dc_real g, r, s = 1, c = 1, p = 0;

            /* the block l..m that hangs together */
            for (m = l; m + 1 < n; ++m)
                if (dc_abs(e[m]) <= DC_EPS*(dc_abs(d[m]) + dc_abs(d[m + 1]) + DC_EPS)) break;
            if (m == l) break;
            if (sweep == 50) { status = DC_E_DIVERGED; break; }

            /* d_m - shift, the shift being the eigenvalue of the leading 2x2 nearer to d_l; e_l is not zero here */
            g = (d[l + 1] - d[l])/(2*e[l]);                 /* below 1/DC_EPS: e_l is above the threshold */
            r = dci_hypot(g, 1);
            g = d[m] - d[l] + e[l]/(g + (g < 0 ? -r : r));

            /* chase the bulge from the bottom up */
            for (i = m - 1; i >= l; --i) {
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

/* eigenvectors, eigenvalues and two rows of scratch; 0: too many to count */
static int dci_eigsym_take(size_t n, dci_room *room, dc_real *row[4])
{
    int i;
    if (n > SIZE_MAX/n) return 0;
    for (i = 0; i < 4; ++i) row[i] = DCI_TAKE(room, i == 0 ? n*n : n, dc_real);
    return !room->full;
}

DC_DEF size_t dc_eigsym_bytes(int n)
{
    dci_room room = DC_ZERO;
    dc_real *row[4];
    return n >= 1 && dci_eigsym_take((size_t)n, &room, row) ? dci_counted(&room) : 0;
}

/* eigenvalues in *w, eigenvectors in the rows of *Z, both in the arena, which stays taken; A may be unscaled */
static dc_status dci_eigsym(int n, const dc_real *A, ptrdiff_t ld, int vectors, dc_real **w, dc_real **Z,
                            dc_arena *arena)
{
    dci_room  room = DC_ZERO;
    dc_real  *row[4], *z, *d, *e, *q, big = 0;
    dc_status status;
    ptrdiff_t s = n;
    int       i, j, low;

    room.arena = arena;
    if (!dci_eigsym_take((size_t)n, &room, row)) return DC_E_MEMORY;
    *Z = z = row[0];
    *w = d = row[1];
    e = row[2];
    q = row[3];

    /* both triangles, over the largest entry */
    for (i = 0; i < n; ++i)
        for (j = i; j < n; ++j) big = dc_max(big, dc_abs(A[i*ld + j]));
    for (i = 0; i < n; ++i)
        for (j = i; j < n; ++j) z[i*s + j] = z[j*s + i] = big > 0 ? A[i*ld + j]/big : 0;

    dci_tridiagonal(n, z, d, e, q, vectors);
    status = dci_ql(n, d, e, vectors ? z : NULL);

    /* ascending */
    for (i = 0; i < n; ++i) {
        for (low = i, j = i + 1; j < n; ++j) if (d[j] < d[low]) low = j;
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
    if (V) for (i = 0; i < n; ++i) memcpy(V + (ptrdiff_t)i*ldv, z + (ptrdiff_t)i*n, (size_t)n*sizeof *V);
    return status;
}

DC_DEF size_t dc_psd_clamp_bytes(int n) { return dc_eigsym_bytes(n); }

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

    for (k = 0; k < n && w[k] < least; ++k) {
        dc_real lift = least - w[k], *v = V + (ptrdiff_t)k*n;
        for (i = 0; i < n; ++i) {
            dc_real *DCI_RESTRICT row = A + i*ld, s = lift*v[i];
            for (j = i; j < n; ++j) row[j] += s*v[j];
        }
    }
    for (i = 0; i < n; ++i)
        for (j = 0; j < i; ++j) A[i*ld + j] = A[j*ld + i];
    return DC_OK;
}

/* ---- [hull] hull distance: closest features -------------------------------------------------- */

/* gcc packs pairs of coordinates into vectors and unpacks them again: slower by a tenth, warm, than plain scalars */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* Gilbert, Johnson and Keerthi's iteration on the Minkowski difference A - B: the simplex of its points whose hull is
 * closest to the origin. What rounding leaves undecided goes to an exhaustive search.
 *
 * In: two hulls in one frame, a first simplex. Out: n, gap and the simplex that carries them; apart or not.
 *
 * stage                     | reads                        | writes                        | equation
 * dci_mink_support          | hulls, a direction           | a point of A - B              | (1)
 * dci_near_simplex          | up to four points            | closest point, its carriers   | (2)
 * dci_simplex (hull calls)  | the two above                | simplex, n, gap               |
 * dci_search                | simplex, support             | working set, n, gap           | (3)
 * dci_search_feature, _align| working set, n, gap          | simplex, weights; n, gap      | */

/* A vertex pair: the point w = x - y of the Minkowski difference A - B. */
typedef struct { dc_v3 point; int vertex_a, vertex_b; } dci_mink;

/* Both hulls in one frame: the axes of the world, the origin at a's first vertex, scaled by a power of two.
 *     x = Ra (v - oa),   y = Rb (v - ob) + T                                    (1)
 * The subtraction comes first, so that vertices far from their body's origin cost no digits. */
typedef struct {
    dc_m3 rotation_a, rotation_b;   /* Ra, Rb, times the scale */
    dc_v3 first_a, first_b;         /* oa, ob: the first vertices */
    dc_v3 offset;                   /* T */
    const dc_v3 *vertex_a, *vertex_b;
    int count_a, count_b;
    int shift_a, shift_b;           /* subtract oa, ob in the support as well: the hull is far from its origin */
    dc_real largest2;               /* largest |x|^2 + |y|^2 met: the numbers whose rounding matters */
} dci_hulls;

/* Closest point of a simplex to the origin: direction (of any length), square of the distance, weights. */
typedef struct { dc_v3 dir; dc_real distance2, weight[4]; } dci_near;

#define DCI_HULL_TOL (16*DC_EPS)    /* overlap and contact are told from rounding above this times mag */
#define DCI_HULL_STOP (4*DC_EPS)    /* bounds of the distance that agree to this times mag are equal */
#define DCI_HULL_STEPS 128      /* cap of the simplex iteration */
#define DCI_HULL_WORK 8         /* points of the working set of the exhaustive search */

#if defined(__OPTIMIZE_SIZE__)
/* Index of the largest (v_i - o) . d, of equal ones that which the four running maxima below find; o is zero where
 * there is no shift. */
static int dci_support(const dc_v3 *v, int n, int shift, const dc_v3 *o, dc_real dx, dc_real dy, dc_real dz)
{
    const dc_real ox = shift ? o->x : 0, oy = shift ? o->y : 0, oz = shift ? o->z : 0;
    dc_real best = -DC_REAL_MAX;
    int lane, i, k = 0;
    for (lane = 0; lane < 4; ++lane)
        for (i = lane; i < n; i += lane == 0 && i >= (n & ~3) ? 1 : 4) {
            dc_real s = (v[i].x - ox)*dx + (v[i].y - oy)*dy + (v[i].z - oz)*dz;
            if (s > best) { best = s; k = i; }
        }
    return k;
}
#else
/* Index of the largest (v_i - o) . d. Four running maxima, so that no comparison waits for the one before, and
 * selections instead of branches: on a hull they are a coin toss. */
DC_INLINE int dci_support_from(const dc_v3 *v, int n, int shift, dc_v3 o, dc_real dx, dc_real dy, dc_real dz)
{
    dc_real b0 = -DC_REAL_MAX, b1 = b0, b2 = b0, b3 = b0, s0, s1, s2, s3;
    int i, k0 = 0, k1 = 0, k2 = 0, k3 = 0;

    for (i = 0; i + 4 <= n; i += 4, v += 4) {
        s0 = shift ? (v[0].x - o.x)*dx + (v[0].y - o.y)*dy + (v[0].z - o.z)*dz : v[0].x*dx + v[0].y*dy + v[0].z*dz;
        s1 = shift ? (v[1].x - o.x)*dx + (v[1].y - o.y)*dy + (v[1].z - o.z)*dz : v[1].x*dx + v[1].y*dy + v[1].z*dz;
        s2 = shift ? (v[2].x - o.x)*dx + (v[2].y - o.y)*dy + (v[2].z - o.z)*dz : v[2].x*dx + v[2].y*dy + v[2].z*dz;
        s3 = shift ? (v[3].x - o.x)*dx + (v[3].y - o.y)*dy + (v[3].z - o.z)*dz : v[3].x*dx + v[3].y*dy + v[3].z*dz;
        k0 = s0 > b0 ? i : k0;  b0 = s0 > b0 ? s0 : b0;
        k1 = s1 > b1 ? i : k1;  b1 = s1 > b1 ? s1 : b1;
        k2 = s2 > b2 ? i : k2;  b2 = s2 > b2 ? s2 : b2;
        k3 = s3 > b3 ? i : k3;  b3 = s3 > b3 ? s3 : b3;
    }
    for (; i < n; ++i, ++v) {
        s0 = shift ? (v[0].x - o.x)*dx + (v[0].y - o.y)*dy + (v[0].z - o.z)*dz : v[0].x*dx + v[0].y*dy + v[0].z*dz;
        k0 = s0 > b0 ? i : k0;  b0 = s0 > b0 ? s0 : b0;
    }

    /* the largest of the four, of equal ones the first */
    k1 += 1; k2 += 2; k3 += 3;
    k0 = b1 > b0 ? k1 : k0;  b0 = b1 > b0 ? b1 : b0;
    k2 = b3 > b2 ? k3 : k2;  b2 = b3 > b2 ? b3 : b2;
    return b2 > b0 ? k2 : k0;
}

/* Near its body's origin, as hulls mostly are, the shift changes nothing but the time. */
static int dci_support(const dc_v3 *v, int n, int shift, const dc_v3 *o, dc_real dx, dc_real dy, dc_real dz)
{
    return shift ? dci_support_from(v, n, 1, *o, dx, dy, dz) : dci_support_from(v, n, 0, *o, dx, dy, dz);
}
#endif

DC_INLINE dc_v3 dci_point_a(const dci_hulls *h, int i)
{
    return dc_mul(&h->rotation_a, dc_sub(h->vertex_a[i], h->first_a));
}
DC_INLINE dc_v3 dci_point_b(const dci_hulls *h, int i)
{
    return dc_add(dc_mul(&h->rotation_b, dc_sub(h->vertex_b[i], h->first_b)), h->offset);
}

DC_INLINE void dci_mink_of(dci_hulls *h, int ia, int ib, dci_mink *to)
{
    dc_v3 x = dci_point_a(h, ia), y = dci_point_b(h, ib);
    to->point = dc_sub(x, y);
    to->vertex_a = ia;
    to->vertex_b = ib;
    h->largest2 = dc_max(h->largest2, dc_dot(x, x) + dc_dot(y, y));
}

/* the point of A - B with the least n . w */
DC_INLINE void dci_mink_support(dci_hulls *h, dc_v3 n, dci_mink *to)
{
    dc_v3 u = dc_mul_t(&h->rotation_a, n), v = dc_mul_t(&h->rotation_b, n);
    int ia = dci_support(h->vertex_a, h->count_a, h->shift_a, &h->first_a, -u.x, -u.y, -u.z);
    int ib = dci_support(h->vertex_b, h->count_b, h->shift_b, &h->first_b, v.x, v.y, v.z);
    dci_mink_of(h, ia, ib, to);
}

/* d / |d|; d is scaled first, so that no square underflows; zero stays zero */
static dc_v3 dci_unit(dc_v3 d)
{
    dc_real m = dc_max(dc_max(dc_abs(d.x), dc_abs(d.y)), dc_abs(d.z));
    if (!(m > 0)) return dc_vec(0, 0, 0);
    d = dc_vec(d.x/m, d.y/m, d.z/m);
    return dc_scale(1/dc_sqrt(dc_dot(d, d)), d);
}

/* Origin against the segment a b: t = -a.e / e.e, v = a + t e. The weights of a and b go to weight[0], weight[1]; that
 * of a third vertex is 0. */
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

    r->distance2 = dc_dot(r->dir, r->dir);
    r->weight[0] = 1 - t;
    r->weight[1] = t;
    r->weight[2] = 0;
}

/* A triangle by its longest edge, which goes out from `from`, and the height of the third point over it, at right
 * angles to the edge. The normal edge x height and weights found along the height and then along the edge lose no
 * digits when the triangle is thin. */
typedef struct {
    dc_v3 from, third, edge, height;    /* third: from `from` to the third point */
    dc_real edge2;                      /* edge.edge */
    int i_from, i_to, i_third;          /* which of the vertices they are */
} dci_thin;

static void dci_thin_of(const dc_v3 *pa, const dc_v3 *pb, const dc_v3 *pc, dci_thin *thin)
{
    const dc_v3 *v[3];
    dc_v3 e[3];
    dc_real length2[3];
    int k;

    /* the longest edge, from vertex k */
    v[0] = pa;  v[1] = pb;  v[2] = pc;
    for (k = 0; k < 3; ++k) {
        e[k] = dc_sub(*v[(k + 1)%3], *v[k]);
        length2[k] = dc_dot(e[k], e[k]);
    }
    k = length2[0] >= length2[1] && length2[0] >= length2[2] ? 0 : length2[1] >= length2[2] ? 1 : 2;
    thin->i_from = k;  thin->i_to = (k + 1)%3;  thin->i_third = (k + 2)%3;
    thin->from = *v[k];
    thin->edge = e[k];
    thin->edge2 = length2[k];
    thin->third = dc_neg(e[thin->i_third]);

    /* the height; twice, so that what the first projection leaves goes too */
    thin->height = thin->third;
    if (thin->edge2 > 0) {
        thin->height = dc_madd(thin->height, -dc_dot(thin->height, thin->edge)/thin->edge2, thin->edge);
        thin->height = dc_madd(thin->height, -dc_dot(thin->height, thin->edge)/thin->edge2, thin->edge);
    }
}

#define DCI_THIN DC_R(1e-4)     /* square of the sine at a below which a triangle is treated as thin */

/* unit normal of the triangle; zero when it has no area */
static dc_v3 dci_normal(const dc_v3 *a, const dc_v3 *b, const dc_v3 *c)
{
    dc_v3 ab = dc_sub(*b, *a), ac = dc_sub(*c, *a), n = dc_cross(ab, ac);
    if (dc_dot(n, n) < DCI_THIN*dc_dot(ab, ab)*dc_dot(ac, ac)) {
        dci_thin t;
        dci_thin_of(a, b, c, &t);
        n = dc_cross(t.edge, t.height);
    }
    return dci_unit(n);
}

/* r <- q, the closest point of a part whose vertices are i, j, k of the whole; `off` is not one of them */
DC_INLINE void dci_near_take(const dci_near *q, int i, int j, int k, int off, dci_near *r)
{
    r->dir = q->dir;
    r->distance2 = q->distance2;
    r->weight[i] = q->weight[0];
    r->weight[j] = q->weight[1];
    r->weight[k] = q->weight[2];
    r->weight[off] = 0;
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

    /* thin: the same weights from the orthogonal pair edge, height */
    if (nn < DCI_THIN*dc_dot(ab, ab)*dc_dot(ac, ac)) {
        dci_thin t;
        dc_real l[3] = {0, 0, 0}, ff;
        dci_thin_of(pa, pb, pc, &t);
        ff = dc_dot(t.height, t.height);
        n = dc_cross(t.edge, t.height);
        nn = dc_dot(n, n);
        if (nn > 0) {
            dc_v3 g = dc_madd(t.from, -dc_dot(t.from, t.edge)/t.edge2, t.edge);
            g = dc_madd(g, -dc_dot(g, t.edge)/t.edge2, t.edge);
            l[t.i_third] = -dc_dot(g, t.height)/ff;
            l[t.i_to] = -dc_dot(dc_madd(t.from, l[t.i_third], t.third), t.edge)/t.edge2;
            l[t.i_from] = 1 - l[t.i_third] - l[t.i_to];
        }
        alpha = l[0]*nn;
        beta = l[1]*nn;
        gamma = l[2]*nn;
    }

    /* inside */
    if (alpha > 0 && beta > 0 && gamma > 0) {
        dc_real h = dc_dot(n, a), inv = 1/nn;
        r->dir = h < 0 ? dc_neg(n) : n;
        r->distance2 = h*h*inv;
        r->weight[0] = alpha*inv;
        r->weight[1] = beta*inv;
        r->weight[2] = gamma*inv;
        return;
    }

    /* on an edge */
    r->distance2 = DC_REAL_MAX;
    if (!(gamma > 0)) dci_near_edge(pa, pb, r);
    if (!(beta > 0)) {
        dci_near_edge(pa, pc, &s);
        if (s.distance2 < r->distance2) dci_near_take(&s, 0, 2, 1, 3, r);
    }
    if (!(alpha > 0)) {
        dci_near_edge(pb, pc, &s);
        if (s.distance2 < r->distance2) dci_near_take(&s, 1, 2, 0, 3, r);
    }
}

/* Origin against the tetrahedron a b c d, a the newest: the origin is known to be on a's side of b c d. The weights of
 * b, c, d, a go to weight[0..3]. Returns 0 when no face has it outside. All three faces share the volume
 * s = ab . (ac x ad); a face has the origin outside when s and n . a have the same sign. */
static int dci_near_tetra(const dc_v3 *pa, const dc_v3 *pb, const dc_v3 *pc, const dc_v3 *pd, dci_near *r)
{
    const dc_v3 a = *pa, b = *pb, c = *pc, d = *pd;
    dc_v3 ab = dc_sub(b, a), ac = dc_sub(c, a), ad = dc_sub(d, a);
    dc_v3 nd = dc_cross(ab, ac), nb = dc_cross(ac, ad), nc = dc_cross(ad, ab);
    dc_real s = dc_dot(ab, nb);
    dci_near q;
    int any = 0;

    /* the nearest of the faces a b c, a c d, a d b that have the origin outside */
    r->distance2 = DC_REAL_MAX;
    if (!(s*dc_dot(nd, a) < 0)) {
        any = 1;
        dci_near_triangle(pa, pb, pc, &q);
        dci_near_take(&q, 3, 0, 1, 2, r);
    }

    if (!(s*dc_dot(nb, a) < 0)) {
        any = 1;
        dci_near_triangle(pa, pc, pd, &q);
        if (q.distance2 < r->distance2) dci_near_take(&q, 3, 1, 2, 0, r);
    }

    if (!(s*dc_dot(nc, a) < 0)) {
        any = 1;
        dci_near_triangle(pa, pd, pb, &q);
        if (q.distance2 < r->distance2) dci_near_take(&q, 3, 2, 0, 1, r);
    }
    return any;
}

/* closest point of a set of m points, the newest last; keeps those that carry it and returns their number, 0 inside */
static int dci_near_simplex(dci_mink *set, int m, dci_near *r)
{
    int i, k = 0;

    if (m == 1) {
        r->dir = set[0].point;
        r->weight[0] = 1;
        return 1;
    }
    if (m == 2) {
        dci_near_edge(&set[0].point, &set[1].point, r);
    } else if (m == 3) {
        dci_near_triangle(&set[0].point, &set[1].point, &set[2].point, r);
    } else if (!dci_near_tetra(&set[3].point, &set[0].point, &set[1].point, &set[2].point, r)) {
        return 0;
    }

    /* its carriers */
    for (i = 0; i < m; ++i) {
        if (!(r->weight[i] > 0)) continue;
        if (k < i) {
            set[k] = set[i];
            r->weight[k] = r->weight[i];
        }
        ++k;
    }

    return k;
}

/* Does the tetrahedron of these points hold the origin by more than tol from each of its faces? */
static int dci_inside(const dci_mink *set, dc_real tol)
{
    int i;
    for (i = 0; i < 4; ++i) {
        dc_v3 a = set[i].point, b = set[(i + 1) & 3].point, c = set[(i + 2) & 3].point, d = set[(i + 3) & 3].point;
        dc_v3 n = dci_normal(&a, &b, &c);
        dc_real h = -dc_dot(n, a), s = dc_dot(n, dc_sub(d, a));

        if (s < 0) { h = -h; s = -s; }
        if (!(h > tol && s > tol)) return 0;
    }
    return 1;
}

/* the axis that is farthest from e's line */
static dc_v3 dci_axis_off(dc_v3 e)
{
    dc_real x = dc_abs(e.x), y = dc_abs(e.y), z = dc_abs(e.z);
    return dci_axis(x <= y && x <= z ? 0 : y <= z ? 1 : 2);
}

/* keep n when the least n . w_k is larger than every one before */
static void dci_search_try(const dci_mink *set, int m, dc_v3 n, dc_real *best, dc_v3 *best_n)
{
    dc_real least = DC_REAL_MAX;
    int k;
    if (!(dc_dot(n, n) > DC_R(0.5))) return;        /* no direction */
    for (k = 0; k < m; ++k) least = dc_min(least, dc_dot(n, set[k].point));
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
static DCI_NOINLINE int dci_search(dci_hulls *h, dci_mink *set, int *count, dc_v3 *n, dc_real *gap, int *steps)
{
    int m = *count, i, j, k, step, found = -1;
    dc_real tol;

    *gap = -DC_REAL_MAX;
    *n = dc_vec(1, 0, 0);

    /* each point once */
    for (i = 1; i < m; ++i)
        for (k = 0; k < i; ++k)
            if (set[k].vertex_a == set[i].vertex_a && set[k].vertex_b == set[i].vertex_b) {
                set[i--] = set[--m];
                break;
            }

    for (step = 0; step < DCI_HULL_STEPS && found < 0; ++step) {
        dc_real best = -DC_REAL_MAX, value;
        dc_v3 dir = dc_vec(1, 0, 0), u, v, e;
        dci_mink w;

        tol = DCI_HULL_TOL*dc_sqrt(h->largest2);

        /* the best direction of the working set */
        for (i = 0; i < m; ++i) {
            u = dci_unit(set[i].point);
            dci_search_try(set, m, u, &best, &dir);
            if (dc_dot(set[i].point, set[i].point) <= tol*tol) dci_search_try(set, m, dc_vec(1, 0, 0), &best, &dir);
            for (j = i + 1; j < m; ++j) {
                dc_real ee;
                e = dc_sub(set[j].point, set[i].point);
                ee = dc_dot(e, e);
                if (!(ee > 0)) continue;
                v = dc_madd(set[i].point, -dc_dot(set[i].point, e)/ee, e);
                v = dc_madd(v, -dc_dot(v, e)/ee, e);
                dci_search_try(set, m, dci_unit(v), &best, &dir);
                if (dc_dot(v, v) <= tol*tol)
                    dci_search_try(set, m, dci_unit(dc_cross(e, dci_axis_off(e))), &best, &dir);
                for (k = j + 1; k < m; ++k) {
                    u = dci_normal(&set[i].point, &set[j].point, &set[k].point);
                    dci_search_try(set, m, u, &best, &dir);
                    dci_search_try(set, m, dc_neg(u), &best, &dir);
                }
            }
        }

        /* the best direction there is has overlap */
        if (best < -tol && m > 3) {
            *gap = best;
            *n = dir;
            found = 0;
            break;
        }

        /* does all of A - B keep that margin? */
        dci_mink_support(h, dir, &w);
        value = dc_dot(dir, w.point);
        if (value > *gap) {
            *gap = value;
            *n = dir;
        }
        if (value >= best - DCI_HULL_STOP*dc_sqrt(h->largest2)) found = 1;
        for (k = 0; k < m; ++k)
            if (set[k].vertex_a == w.vertex_a && set[k].vertex_b == w.vertex_b) found = 1;
        if (found > 0) break;

        /* the support point joins; a full set loses its least active point */
        if (m == DCI_HULL_WORK) {
            int out = 0;
            for (k = 1; k < m; ++k)
                if (dc_dot(dir, set[k].point) > dc_dot(dir, set[out].point)) out = k;
            set[out] = w;
        } else {
            set[m++] = w;
        }
    }
    *count = m;
    *steps += step;
    return found;
}

/* Weights of the point of the hull of m points that is closest to gap n, over all triangles of them; its points become
 * set[0], set[1], set[2]. Seen from the origin instead, features that differ by the root of eps are equally close. */
static DCI_NOINLINE int dci_search_feature(dci_mink *set, int m, dc_v3 n, dc_real gap, dci_near *r)
{
    int i, j, k, c[3] = {0, 1, 0};
    dci_near q;
    dc_v3 u, v, w;

    /* a point, an edge */
    r->weight[0] = 1;
    if (m < 2) return 1;
    r->distance2 = DC_REAL_MAX;
    if (m == 2) {
        u = dc_madd(set[0].point, -gap, n);
        v = dc_madd(set[1].point, -gap, n);
        dci_near_edge(&u, &v, r);
    }

    /* the nearest triangle */
    for (i = 0; i < m; ++i)
        for (j = i + 1; j < m; ++j)
            for (k = j + 1; k < m; ++k) {
                u = dc_madd(set[i].point, -gap, n);
                v = dc_madd(set[j].point, -gap, n);
                w = dc_madd(set[k].point, -gap, n);
                dci_near_triangle(&u, &v, &w, &q);
                if (q.distance2 < r->distance2) { *r = q; c[0] = i; c[1] = j; c[2] = k; }
            }

    /* c ascends: what is moved down is never still needed */
    for (i = 0, k = 0; i < 3; ++i)
        if (r->weight[i] > 0) {
            set[k] = set[c[i]];
            r->weight[k++] = r->weight[i];
        }
    return k;
}

/* Directions that leave the same room to rounding can differ by the root of eps. The one along the difference of the
 * witness points belongs to them: it is taken when it leaves the same room. 1: a support point, set[m], forbids it,
 * joins the features and the search for the closest goes on, until they meet gap n. */
static DCI_NOINLINE int dci_search_align(dci_hulls *h, dci_mink *set, int m, const dci_near *r, dc_v3 *n, dc_real *gap)
{
    dc_v3 v = dc_vec(0, 0, 0), u;
    dc_real value, slack = DCI_HULL_STOP*dc_sqrt(h->largest2);
    int i;

    for (i = 0; i < m; ++i) v = dc_madd(v, r->weight[i], set[i].point);
    u = dci_unit(v);
    if (!(dc_dot(u, u) > 0)) return 0;
    dci_mink_support(h, u, &set[m]);
    value = dc_dot(u, set[m].point);
    if (value >= *gap - dc_min(slack, DC_R(0.1)**gap)) {
        *n = u;
        *gap = value;
        return 0;
    }
    v = dc_madd(v, -*gap, *n);
    return dc_dot(v, v) > slack*slack;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- [depth] hull distance: penetration depth ------------------------------------------------ */

/* The expanding polytope. In: at least four points of A - B, not in a plane, support. Out: n, gap and the triangle that
 * carries them.
 *
 * stage                          | reads                  | writes               | what
 * dci_depth_seed                 | points                 | order of the points  | a large tetrahedron of them
 * dci_depth_add, _drop, _face    | polytope, a point      | faces, edges         | the polytope with the point
 * dci_depth                      | polytope, support      | points, n, gap       | pushes the closest face out
 * dci_depth_foot                 | polytope, gap n        | triangle, weights    | the face with the foot */

/* normal . w <= offset inside, the normal outward. A face without area, or one that another point of the polytope sees,
 * is inert: normal 0, offset DC_REAL_MAX. It is never the closest one, and goes together with a neighbour. */
typedef struct { dc_v3 normal; dc_real offset; int vertex[3], pad; } dci_face;

#define DCI_DEPTH_VERTICES 130
#define DCI_DEPTH_FACES 256         /* 2 V - 4: what V points can span */
#define DCI_DEPTH_SEES (8*DC_EPS)   /* a face is seen from beyond this times mag over its plane */

typedef struct {
    dci_mink point[DCI_DEPTH_VERTICES];
    dci_face face[DCI_DEPTH_FACES];
    int edge[3*DCI_DEPTH_FACES][2];     /* of the rim, where faces were taken away */
    int points, faces, edges;
} dci_polytope;

static void dci_depth_inert(dci_face *f)
{
    f->normal = dc_vec(0, 0, 0);
    f->offset = DC_REAL_MAX;
}

/* the face i j k; thinner than `thin`, it is inert */
static void dci_depth_face(dci_polytope *t, int i, int j, int k, dc_real thin)
{
    dci_face *f = &t->face[t->faces++];
    dc_v3 a = t->point[i].point, ab = dc_sub(t->point[j].point, a), ac = dc_sub(t->point[k].point, a);
    dc_v3 bc = dc_sub(ac, ab), m = dc_cross(ab, ac);
    dc_real e2 = dc_max(dc_max(dc_dot(ab, ab), dc_dot(ac, ac)), dc_dot(bc, bc));
    f->vertex[0] = i; f->vertex[1] = j; f->vertex[2] = k;
    f->pad = 0;
    f->normal = dci_normal(&t->point[i].point, &t->point[j].point, &t->point[k].point);
    f->offset = dc_dot(f->normal, a);

    if (!(dc_dot(m, m) > thin*thin*e2)) dci_depth_inert(f);
}

/* Takes face i away. Its edges join the rim, or leave it where the neighbour went before. */
static void dci_depth_drop(dci_polytope *t, int i)
{
    int c, j;
    const int *v = t->face[i].vertex;

    for (c = 0; c < 3; ++c) {
        int a = v[c], b = v[c == 2 ? 0 : c + 1];
        for (j = 0; j < t->edges; ++j)
            if (t->edge[j][0] == b && t->edge[j][1] == a) break;

        if (j < t->edges) {
            --t->edges;
            t->edge[j][0] = t->edge[t->edges][0];
            t->edge[j][1] = t->edge[t->edges][1];
        } else {
            t->edge[t->edges][0] = a;
            t->edge[t->edges][1] = b;
            ++t->edges;
        }
    }
    t->face[i] = t->face[--t->faces];
}

/* Does an edge of face i lie on the rim? */
static int dci_depth_on_rim(const dci_polytope *t, int i)
{
    int c, j;
    const int *v = t->face[i].vertex;
    for (c = 0; c < 3; ++c)
        for (j = 0; j < t->edges; ++j)
            if (t->edge[j][0] == v[c == 2 ? 0 : c + 1] && t->edge[j][1] == v[c]) return 1;
    return 0;
}

/* Makes the polytope hold point k: the faces that see it go, inert ones beside them too, and the rim is joined to it.
 * Returns the number of new faces: 0 when none sees it, -1 when they do not fit. */
static DCI_NOINLINE int dci_depth_add(dci_polytope *t, int k, dc_real mag)
{
    dc_v3 w = t->point[k].point;
    int i, j, inert = 0;

    /* the faces that see it */
    t->edges = 0;
    for (i = 0; i < t->faces;) {
        const dci_face *f = &t->face[i];
        inert |= f->offset >= DC_REAL_MAX;
        if (dc_dot(f->normal, w) - f->offset > DCI_DEPTH_SEES*mag) dci_depth_drop(t, i);
        else ++i;
    }

    /* inert ones on the rim, until none is left there */
    while (inert && t->edges) {
        inert = 0;
        for (i = 0; i < t->faces;) {
            if (t->face[i].offset >= DC_REAL_MAX && dci_depth_on_rim(t, i)) {
                dci_depth_drop(t, i);
                inert = 1;
            } else {
                ++i;
            }
        }
    }

    if (t->faces + t->edges > DCI_DEPTH_FACES) return -1;
    for (j = 0; j < t->edges; ++j) dci_depth_face(t, t->edge[j][0], t->edge[j][1], k, DCI_DEPTH_SEES*mag);
    return t->edges;
}

/* The tetrahedron of the largest volume, greedily: its points become the first four, 0 1 2 seen from outside. 0 when
 * they are flat. */
static DCI_NOINLINE int dci_depth_seed(dci_polytope *t)
{
    int i, k, m = t->points;
    dc_v3 e, n;

    /* farthest from the first point, from the line, from the plane of those before */
    for (k = 1; k < 4; ++k) {
        dc_real best = 0;
        int at = -1;
        dci_mink s;
        e = k > 1 ? dci_unit(dc_sub(t->point[1].point, t->point[0].point)) : dc_vec(0, 0, 0);
        n = k > 2 ? dci_unit(dc_cross(e, dc_sub(t->point[2].point, t->point[0].point))) : dc_vec(0, 0, 0);
        for (i = k; i < m; ++i) {
            dc_v3 r = dc_sub(t->point[i].point, t->point[0].point), x = k == 2 ? dc_cross(e, r) : r;
            dc_real size = k == 3 ? dc_abs(dc_dot(n, r)) : dc_dot(x, x);
            if (size > best) { best = size; at = i; }
        }
        if (at < 0) return 0;
        s = t->point[k]; t->point[k] = t->point[at]; t->point[at] = s;
    }

    t->faces = 0;
    n = dc_cross(dc_sub(t->point[1].point, t->point[0].point), dc_sub(t->point[2].point, t->point[0].point));
    if (dc_dot(n, dc_sub(t->point[3].point, t->point[0].point)) > 0) {
        dci_mink s = t->point[1];
        t->point[1] = t->point[2];
        t->point[2] = s;
    }
    return 1;
}

/* of the triangles that share the closest plane, the one with the foot of the origin */
static DCI_NOINLINE void dci_depth_foot(const dci_polytope *t, dc_v3 foot, dci_mink *set, dci_near *r)
{
    dc_real best = DC_REAL_MAX;
    dci_near q;
    int i, k;

    for (i = 0; i < t->faces; ++i) {
        const int *v = t->face[i].vertex;
        dc_v3 a = dc_sub(t->point[v[0]].point, foot), b = dc_sub(t->point[v[1]].point, foot);
        dc_v3 c = dc_sub(t->point[v[2]].point, foot);
        dci_near_triangle(&a, &b, &c, &q);
        if (q.distance2 < best) {
            best = q.distance2;
            *r = q;
            for (k = 0; k < 3; ++k) set[k] = t->point[v[k]];
        }
    }
}

/* Depth of the origin in A - B, min over unit n of the support max_w n . w. The polytope spanned by the points met
 * lies inside, so the smallest plane distance of its faces is a lower bound, and the support along any face normal an
 * upper one; the closest face is pushed out until both agree. The polytope need not hold the origin at the start.
 * set holds count >= 4 points, at least one of them off the plane of the others. */
static DCI_NOINLINE dc_status dci_depth(dci_hulls *h, dci_polytope *t, dci_mink *set, int *count, dci_near *r, dc_v3 *n,
                                        dc_real *gap, int *steps)
{
    dc_real upper = DC_REAL_MAX;
    dc_status status = DC_E_DIVERGED;
    int i, k;

    /* what the simplex knows */
    t->points = *count;
    for (i = 0; i < t->points; ++i) t->point[i] = set[i];
    if (!dci_depth_seed(t)) return DC_E_SINGULAR;
    dci_depth_face(t, 0, 1, 2, 0);
    dci_depth_face(t, 0, 3, 1, 0);
    dci_depth_face(t, 1, 3, 2, 0);
    dci_depth_face(t, 2, 3, 0, 0);
    for (i = 4; i < t->points; ++i)
        if (dci_depth_add(t, i, dc_sqrt(h->largest2)) < 0) return DC_E_SINGULAR;

    /* every turn adds a point or makes a face inert: V + F of them at most */
    for (;;) {
        dci_face *f = &t->face[0];
        dc_real value, mag;
        dc_v3 out;
        dci_mink *w = &t->point[t->points];
        int added = 0;

        /* the closest face, and the support beyond it */
        for (i = 1; i < t->faces; ++i)
            if (t->face[i].offset < f->offset) f = &t->face[i];
        if (t->faces == 0 || f->offset >= upper - DCI_HULL_STOP*dc_sqrt(h->largest2)) { status = DC_OK; break; }
        if (t->points == DCI_DEPTH_VERTICES) break;
        out = f->normal;
        dci_mink_support(h, dc_neg(out), w);
        ++*steps;
        value = dc_dot(out, w->point);
        if (value < upper) {
            upper = value;
            *n = dc_neg(out);
        }
        mag = dc_sqrt(h->largest2);
        if (value - f->offset <= DCI_HULL_STOP*mag) { status = DC_OK; break; }

        /* a new point joins; a face that nothing new is seen from is done with */
        for (k = 0; k < t->points; ++k)
            if (t->point[k].vertex_a == w->vertex_a && t->point[k].vertex_b == w->vertex_b) break;
        if (k == t->points && value - f->offset > DCI_DEPTH_SEES*mag) {
            added = dci_depth_add(t, t->points, mag);
            if (added < 0) break;
            ++t->points;
        }
        if (added == 0) dci_depth_inert(f);
    }
    *gap = -upper;

    dci_depth_foot(t, dc_scale(*gap, *n), set, r);
    *count = 3;
    return status;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* ---- [hull calls] hull distance: frames, starts, answers, and the call ----------------------- */

/* In: two posed hulls, an earlier answer. Out: dc_distance.
 *
 * stage                          | reads                        | writes                     | equation
 * dci_hulls_load, _frame         | hulls, poses                 | dci_hulls, scale           | (1)
 * dci_segments                   | hulls                        | simplex, n, gap            | round, at most 2 points
 * dci_warm or dci_hulls_start    | an earlier answer, the means | simplex                    |
 * dci_simplex                    | hulls, simplex               | simplex, n, gap            | of [hull]
 * dci_search.. or dci_depth      | the same                     | the same, where that fails | of [hull], [depth]
 * dci_hull_answer                | simplex, weights, n, gap     | dc_distance                | and (2)
 *
 * A body of radius r about its core is the core's Minkowski sum with a ball, whose support is r in every direction: the
 * largest room over all directions, apart or overlapping, is that of the cores less both radii, in the same direction,
 *     gap = gap of the cores - ra - rb,   pa <- pa - ra n,   pb <- pb + rb n.                    (2) */

/* Sums over one hull, with e = v - v_0: *mean = mean of e, *ext2 = sum of e.e, a bound of every e.e that is finite only
 * when every vertex is. 0 when a number is missing, not finite or too large. */
static int dci_hull_check(const dc_hull *a, dc_v3 *mean, dc_real *ext2)
{
    dc_v3 o, e, f, s, t;
    dc_real set = 0, q = 0;
    int i, n;

    if (!a || !a->v || a->n < 1) return 0;

    /* two at a time, so that no sum waits for the one before */
    n = a->n;
    o = a->v[0];
    s = t = dc_vec(0, 0, 0);
    for (i = 0; i + 2 <= n; i += 2) {
        e = dc_sub(a->v[i], o);
        f = dc_sub(a->v[i + 1], o);
        s = dc_add(s, e);
        t = dc_add(t, f);
        set += dc_dot(e, e);
        q += dc_dot(f, f);
    }
    if (i < n) {
        e = dc_sub(a->v[i], o);
        s = dc_add(s, e);
        set += dc_dot(e, e);
    }

    *mean = dc_scale(1/(dc_real)n, dc_add(s, t));
    *ext2 = set + q;
    /* far below the limit one comparison is enough */
    if (*ext2 + dc_dot(o, o) <= DC_R(0.25)*DC_LIMIT*DC_LIMIT) return 1;
    for (i = 0; i < n; ++i)
        if (!dc_in_range(a->v[i])) return 0;
    return 1;
}

/* s = 2^-k and 1/s, both exact, for k with 4^k close to x2: the exponent halved; the bias counts twice in x2 */
static void dci_pow2_scale(dc_real x2, dc_real *s, dc_real *inv_s)
{
    dci_bits e = ((dci_to_bits(x2) >> DCI_MANT) + DCI_BIAS) >> 1;
    *s = dci_from_bits((2*DCI_BIAS - e) << DCI_MANT);
    *inv_s = dci_from_bits(e << DCI_MANT);
}

/* The two hulls, the means of their vertices from the first one, and the sum of squares that scales them; 0: not two
 * good hulls. */
static DCI_NOINLINE int dci_hulls_load(dci_hulls *h, const dc_hull *a, const dc_hull *b, dc_v3 mean[2], dc_real *ext2)
{
    dc_real ext2_b;
    if (!dci_hull_check(a, &mean[0], ext2) || !dci_hull_check(b, &mean[1], &ext2_b)) return 0;
    h->vertex_a = a->v; h->count_a = a->n; h->first_a = a->v[0];
    h->vertex_b = b->v; h->count_b = b->n; h->first_b = b->v[0];
    h->shift_a = !(dc_dot(h->first_a, h->first_a)*(dc_real)h->count_a <= 4**ext2);
    h->shift_b = !(dc_dot(h->first_b, h->first_b)*(dc_real)h->count_b <= 4*ext2_b);
    *ext2 += ext2_b;
    return 1;
}

/* The frame of (1) for the rotations in Ra, Rb and b's origin at T from a's: rotations times the scale, T between
 * the first vertices. */
static void dci_hulls_frame(dci_hulls *h, dc_real ext2, dc_real *inv_s)
{
    dc_real s;
    int i;
    h->offset = dc_add(h->offset, dc_sub(dc_mul(&h->rotation_b, h->first_b), dc_mul(&h->rotation_a, h->first_a)));
    dci_pow2_scale(ext2 + dc_dot(h->offset, h->offset), &s, inv_s);

    for (i = 0; i < 9; ++i) {
        h->rotation_a.m[i] *= s;
        h->rotation_b.m[i] *= s;
    }
    h->offset = dc_scale(s, h->offset);
    h->largest2 = 0;
}

/* cold start: the support along the line of the centres */
static DCI_NOINLINE int dci_hulls_start(dci_hulls *h, const dc_v3 mean[2], dci_mink *set)
{
    dc_v3 c = dc_sub(dc_sub(dc_mul(&h->rotation_a, mean[0]), dc_mul(&h->rotation_b, mean[1])), h->offset);
    dci_mink_support(h, c, set);
    return 1;
}

/* The simplex of an earlier answer, newest first; 0 when there is none or it does not fit these hulls. */
static DCI_NOINLINE int dci_warm(dci_hulls *h, const dc_distance *d, dci_mink *set)
{
    int i, m = d->na > d->nb ? d->na : d->nb;

    if (d->na < 1 || d->na > 3 || d->nb < 1 || d->nb > 3) return 0;
    for (i = 0; i < d->na; ++i)
        if (d->ia[i] < 0 || d->ia[i] >= h->count_a) return 0;
    for (i = 0; i < d->nb; ++i)
        if (d->ib[i] < 0 || d->ib[i] >= h->count_b) return 0;

    /* two edges: the half of their parallelogram that held the witness points */
    if (d->na == 2 && d->nb == 2) {
        int other = !(d->wa[1] + d->wb[1] <= 1);
        dci_mink_of(h, d->ia[other], d->ib[other], &set[0]);
        dci_mink_of(h, d->ia[0], d->ib[1], &set[1]);
        dci_mink_of(h, d->ia[1], d->ib[0], &set[2]);
        return 3;
    }
    for (i = 0; i < m; ++i) dci_mink_of(h, d->ia[i < d->na ? i : 0], d->ib[i < d->nb ? i : 0], &set[i]);
    return m;
}

/* adds weight l of vertex k to a feature */
static void dci_feature_add(int *count, int *index, dc_real *weight, int k, dc_real l)
{
    int i;
    for (i = 0; i < *count; ++i)
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
static DCI_NOINLINE void dci_hull_answer(const dci_hulls *h, const dci_mink *set, const dci_near *r, int m, dc_v3 n,
                                         dc_real gap, dc_real inv_s, dc_v3 origin, int steps, dc_distance *d)
{
    dc_v3 x, y, mid;
    int i;

    /* features and their weights */
    d->na = d->nb = 0;
    for (i = 0; i < 3; ++i) {
        d->ia[i] = d->ib[i] = 0;
        d->wa[i] = d->wb[i] = 0;
    }
    for (i = 0; i < m; ++i) {
        if (!(r->weight[i] > 0)) continue;
        dci_feature_add(&d->na, d->ia, d->wa, set[i].vertex_a, r->weight[i]);
        dci_feature_add(&d->nb, d->ib, d->wb, set[i].vertex_b, r->weight[i]);
    }

    /* to the world */
    x = dc_mul(&h->rotation_a, dci_feature_point(h->vertex_a, h->first_a, d->ia, d->wa));
    y = dc_add(dc_mul(&h->rotation_b, dci_feature_point(h->vertex_b, h->first_b, d->ib, d->wb)), h->offset);
    mid = dc_scale(DC_R(0.5), dc_add(x, y));
    d->gap = gap*inv_s;
    d->n = n;
    d->pa = dc_add(origin, dc_scale(inv_s, dc_madd(mid, DC_R(0.5)*gap, n)));
    d->pb = dc_add(origin, dc_scale(inv_s, dc_madd(mid, DC_R(-0.5)*gap, n)));
    d->iterations = steps;
}

static int dci_radius_ok(const dc_hull *a) { return a->radius >= 0 && a->radius <= DC_LIMIT; }

/* Cores of at most two points each: their difference is a parallelogram, or less, and its point closest to the origin
 * lies in one of the two triangles of its corners. Answers as dci_simplex does: 1, or -1 where the point and the room
 * along its direction do not prove each other: the cores touch, or are long and so nearly parallel that rounding turns
 * the parallelogram's plane. */
static DCI_NOINLINE int dci_segments(dci_hulls *h, dci_mink *set, int *count, dci_near *r, dc_v3 *n, dc_real *gap)
{
    dci_near q;
    dci_mink swap;
    dc_v3 v = dc_vec(0, 0, 0);
    dc_real mag;
    int i;

    for (i = 0; i < 4; ++i) dci_mink_of(h, i & 1 ? h->count_a - 1 : 0, i & 2 ? h->count_b - 1 : 0, &set[i]);
    dci_near_triangle(&set[0].point, &set[1].point, &set[2].point, r);
    dci_near_triangle(&set[3].point, &set[1].point, &set[2].point, &q);
    if (q.distance2 < r->distance2) {
        *r = q;
        swap = set[0];
        set[0] = set[3];
        set[3] = swap;
    }

    /* the distance is between the room of all four and the length of the point */
    *n = dci_unit(r->dir);
    *gap = -DC_REAL_MAX;
    dci_search_try(set, 4, *n, gap, n);
    for (i = 0; i < 3; ++i) v = dc_madd(v, r->weight[i], set[i].point);
    mag = dc_sqrt(h->largest2);
    *count = *gap > DCI_HULL_TOL*mag && dc_sqrt(dc_dot(v, v)) - *gap <= DCI_HULL_STOP*mag ? 3 : 4;
    return *count == 3 ? 1 : -1;
}

DC_DEF size_t dc_hull_distance_bytes(int na, int nb)
{
    (void)na;
    (void)nb;
    return dc_bytes(0, 1, sizeof(dci_polytope));
}

/* Simplex iteration. 1: separated, n, gap and r hold the answer; 0: no face of the tetrahedron has the origin
 * outside; -1: rounding stands in the way, set holds the m points to go on with. */
static DCI_NOINLINE int dci_simplex(dci_hulls *h, dci_mink *set, int *count, dci_near *r, dc_v3 *n, dc_real *gap,
                                    int *steps)
{
    dc_real last = DC_REAL_MAX;
    int m = *count, step;

    for (step = 0; step < DCI_HULL_STEPS; ++step) {
        dc_v3 u;
        dc_real upper, lower, room, d2;
        int keep = dci_near_simplex(set, m, r);

        if (keep == 0) {
            *count = m;
            return 0;
        }
        m = *count = keep;

        /* The bounds stay multiplied by |u|, and are compared by their squares: no root delays the support. */
        u = r->dir;
        d2 = dc_dot(u, u);
        if (!(d2 > DC_REAL_MIN/(DC_EPS*DC_EPS))) {
            u = dci_unit(u);
            d2 = 1;
        }
        upper = dc_dot(u, set[0].point);
        room = upper*upper/d2;
        if (!(upper > 0 && room < last && room > DCI_HULL_TOL*DCI_HULL_TOL*h->largest2)) return -1;
        last = room;

        /* the support point joins, until it brings nothing */
        dci_mink_support(h, u, &set[m]);
        ++*steps;
        lower = dc_dot(u, set[m].point);
        if (upper - lower <= 0 || (upper - lower)*(upper - lower) <= DCI_HULL_STOP*DCI_HULL_STOP*h->largest2*d2) {
            dc_real len = 1/dc_sqrt(d2);
            *n = dc_scale(len, u);
            *gap = dc_dot(*n, set[m].point);
            return 1;
        }
        ++m;
    }
    return -1;
}

/* What the potential of a pair starts from: a direction with nearly the most room, without poses, features and depth.
 * DC_OK, DC_E_OVERLAP or DC_E_DIVERGED. */
static dc_status dci_hulls_apart(const dc_hull *a, const dc_hull *b, dc_v3 *n, dc_real *gap)
{
    dci_hulls h;
    dci_mink set[DCI_HULL_WORK];
    dci_near r;
    dc_v3 mean[2];
    dc_real ext2, inv_s;
    int i, m, steps = 0, apart;

    /* in a common frame */
    if (!dci_hulls_load(&h, a, b, mean, &ext2)) return DC_E_ARG;
    for (i = 0; i < 9; ++i) h.rotation_a.m[i] = h.rotation_b.m[i] = i%4 == 0;
    h.offset = dc_vec(0, 0, 0);
    dci_hulls_frame(&h, ext2, &inv_s);

    /* apart or not */
    m = dci_hulls_start(&h, mean, set);
    apart = dci_simplex(&h, set, &m, &r, n, gap, &steps);
    if (apart <= 0) apart = dci_search(&h, set, &m, n, gap, &steps);
    if (apart == 0 || !(*gap > 0)) return DC_E_OVERLAP;
    *gap *= inv_s;
    return apart < 0 ? DC_E_DIVERGED : DC_OK;
}

DC_DEF dc_status dc_hull_distance(const dc_hull *a, const dc_pose *pose_a, const dc_hull *b, const dc_pose *pose_b,
                                  dc_arena *mem, dc_distance *d)
{
    static const dc_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    const dc_pose *pa = pose_a ? pose_a : &identity, *pb = pose_b ? pose_b : &identity;
    dci_hulls h;
    dci_mink set[DCI_HULL_WORK];
    dci_near r;
    dc_v3 mean[2], n = dc_vec(1, 0, 0), origin;
    dc_real ext2, inv_s, gap = 0, radius;
    dc_status status = DC_OK;
    int m, steps = 0, apart, turn, closed;

    if (!d || !dci_hulls_load(&h, a, b, mean, &ext2) || !dc_pose_ok(pa) || !dc_pose_ok(pb)) return DC_E_ARG;
    if (!dci_radius_ok(a) || !dci_radius_ok(b)) return DC_E_ARG;
    radius = a->radius + b->radius;
    h.rotation_a = dc_rotation(pa->q);
    h.rotation_b = dc_rotation(pb->q);
    h.offset = dc_sub(pb->t, pa->t);
    origin = dc_add(pa->t, dc_mul(&h.rotation_a, h.first_a));
    dci_hulls_frame(&h, ext2, &inv_s);

    /* spheres and capsules; else from an earlier answer, where there is one */
    closed = h.count_a <= 2 && h.count_b <= 2 && radius > 0;
    if (closed) apart = dci_segments(&h, set, &m, &r, &n, &gap);
    else {
        m = dci_warm(&h, d, set);
        if (m == 0) m = dci_hulls_start(&h, mean, set);
        apart = dci_simplex(&h, set, &m, &r, &n, &gap, &steps);
    }

    /* rounding stands in the way */
    if (apart < 0 || (apart == 0 && !dci_inside(set, DCI_HULL_TOL*dc_sqrt(h.largest2)))) {
        apart = dci_search(&h, set, &m, &n, &gap, &steps);
        if (apart < 0 && mem) apart = 0;                 /* the polytope needs no decision beforehand */
        if (apart < 0) status = DC_E_DIVERGED;
        if (apart != 0) {
            m = dci_search_feature(set, m, n, gap, &r);
            for (turn = 0; turn < DCI_HULL_WORK && gap > 0; ++turn) {
                ++steps;
                if (!dci_search_align(&h, set, m, &r, &n, &gap)) break;
                m = dci_search_feature(set, m + 1, n, gap, &r);
            }
        }
    }

    /* overlapping */
    if (apart == 0 && mem) {
        dc_arena undo = *mem;
        dci_polytope *t = (dci_polytope *)dc_arena_take(mem, 1, sizeof(dci_polytope));
        if (!t) return DC_E_MEMORY;
        status = dci_depth(&h, t, set, &m, &r, &n, &gap, &steps);
        *mem = undo;
        if (status == DC_E_SINGULAR) {
            /* flat after all: the best direction of the search stands */
            status = DC_E_DIVERGED;
            m = dci_search_feature(set, m, n, gap, &r);
        }
    }

    if (!mem && (apart == 0 || !(gap > 0 || closed))) {
        d->gap = 0;
        return DC_E_OVERLAP;
    }
    dci_hull_answer(&h, set, &r, m, n, gap, inv_s, origin, steps, d);

    /* (2) */
    if (radius > 0) {
        d->gap -= radius;
        d->pa = dc_madd(d->pa, -a->radius, n);
        d->pb = dc_madd(d->pb, b->radius, n);
    }
    return status;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- [faces] hull queries: faces, edges, neighbours --------------------------------------------- */

/* In: points. Out: dc_hull_topology. A closed surface of triangles, the shell, grows from a tetrahedron by the point
 * farthest outside one of them (quickhull): the triangles that the point sees are taken away and their rim is joined to
 * it. Which triangles those are is left to rounding; that they are a disc is not: a triangle joins the others by an
 * edge and a vertex that is new to them, or by two edges. So the shell stays a sphere, V - E + F = 2, whatever the
 * numbers. Faces are discs of triangles in one plane, again within a tolerance; to leave out the edges within a disc,
 * and a vertex at which only two faces meet, keeps V - E + F. A flat set gets an apex, whose neighbours are its
 * outline.
 *
 * stage                      | reads                       | writes                            | what
 * dci_shell_points           | points                      | points about their mean           |
 * dci_shell_seed             | points                      | four of them, dimension           |
 * dci_shell_start            | the four                    | a tetrahedron, outside lists      |
 * dci_shell_disc             | facets, a plane or a point  | list of facets, marks             | also for faces
 * dci_shell_add              | a point, its disc           | facets, outside lists             |
 * dci_shell_label            | facets by area              | facet.label                       | one label, one face
 * dci_shell_outline          | labels                      | corners with their labels         |
 * dci_faces_thin, _twins     | outlines                    | dc_hull_topology                  | */

typedef struct {
    dc_v3   normal;                     /* unit, outward; 0 without area */
    dc_real offset, area2;              /* normal . x <= offset inside; (2 area)^2 */
    int     vertex[3];                  /* seen from outside counterclockwise */
    int     across[3];                  /* half-edge 3 f + k from vertex[k] to vertex[k + 1]: the one the other way */
    int     outside;                    /* list of points over it, -1: none; -2: the facet is free */
    int     disc, label;                /* stamp of the disc it is in; its face */
} dci_facet;

typedef struct {
    dc_v3 *point;                       /* [count] about the mean */
    int *link;                          /* [count] outside lists */
    int *mark;                          /* [count] stamp of the disc that a vertex is in */
    dci_facet *facet;                   /* [2 count] */
    int *list;                          /* [2 count] facets of a disc */
    int *rim;                           /* [2 count] half-edges around it, outside */
    int *order;                         /* [2 count] facets by area */
    int count, facets, stamp;
    dc_real tolerance, rounding, reach; /* lengths; the largest |coordinate| */
} dci_shell;

static int dci_shell_next(int h) { return h%3 == 2 ? h - 2 : h + 1; }
static int dci_shell_from(const dci_shell *s, int h) { return s->facet[h/3].vertex[h%3]; }

/* the facet i j k at slot f */
static void dci_shell_facet(dci_shell *s, int f, int i, int j, int k)
{
    dci_facet *t = &s->facet[f];
    const dc_v3 a = s->point[i], n = dc_cross(dc_sub(s->point[j], a), dc_sub(s->point[k], a));

    t->vertex[0] = i;
    t->vertex[1] = j;
    t->vertex[2] = k;
    t->normal = dci_normal(&s->point[i], &s->point[j], &s->point[k]);
    t->offset = dc_dot(t->normal, a);
    t->area2 = dc_dot(n, n);
    t->outside = -1;
    t->disc = t->label = -1;
}

static dc_real dci_shell_over(const dci_facet *t, dc_v3 x) { return dc_dot(t->normal, x) - t->offset; }

/* is it no wider than rounding? then its plane is rounding too */
static int dci_shell_thin(const dci_shell *s, const dci_facet *t)
{
    dc_real most = 0;
    int k;
    for (k = 0; k < 3; ++k) {
        dc_v3 e = dc_sub(s->point[t->vertex[k]], s->point[t->vertex[k == 2 ? 0 : k + 1]]);
        most = dc_max(most, dc_dot(e, e));
    }
    return !(t->area2 > s->rounding*s->rounding*most);
}

/* May facet g join a disc? Of a point p, if it is seen from p or thin; of a plane, if all of it lies in the plane. */
static int dci_shell_fits(const dci_shell *s, const dci_facet *g, const dc_v3 *p, const dci_facet *plane)
{
    int k;
    if (p) return dci_shell_over(g, *p) > s->rounding || dci_shell_thin(s, g);
    if (g->label >= 0) return 0;
    for (k = 0; k < 3; ++k)
        if (!(dc_abs(dci_shell_over(plane, s->point[g->vertex[k]])) <= s->tolerance)) return 0;
    return dc_dot(g->normal, plane->normal) > 0 || dci_shell_thin(s, g);
}

/* The disc of facets around `seed` that fit; returns their number, in list. */
static int dci_shell_disc(dci_shell *s, int seed, const dc_v3 *p)
{
    const dci_facet *plane = &s->facet[seed];
    int m = 1, i, j, k, added = 1;

    ++s->stamp;
    s->list[0] = seed;
    s->facet[seed].disc = s->stamp;
    for (k = 0; k < 3; ++k) s->mark[plane->vertex[k]] = s->stamp;

    /* what had to wait may fit in the next turn, of which each adds a facet */
    while (added) {
        added = 0;
        for (i = 0; i < m; ++i)
            for (k = 0; k < 3; ++k) {
                int h = s->facet[s->list[i]].across[k], shared = 0;
                dci_facet *g = &s->facet[h/3];
                if (g->disc == s->stamp || !dci_shell_fits(s, g, p, plane)) continue;
                for (j = 0; j < 3; ++j) shared += s->facet[g->across[j]/3].disc == s->stamp;
                j = g->vertex[(h%3 + 2)%3];
                if (shared == 3 || (shared == 1 && s->mark[j] == s->stamp)) continue;
                g->disc = s->stamp;
                s->mark[j] = s->stamp;
                s->list[m++] = h/3;
                added = 1;
            }
    }
    return m;
}

/* Half-edges around the disc of m facets, in their order, into rim: those of the disc. */
static int dci_shell_rim(dci_shell *s, int m)
{
    int i, k, h, start = -1, n = 0;

    for (i = 0; i < m && start < 0; ++i)
        for (k = 0; k < 3 && start < 0; ++k)
            if (s->facet[s->facet[s->list[i]].across[k]/3].disc != s->stamp) start = 3*s->list[i] + k;
    h = start;
    do {
        s->rim[n++] = h;
        h = dci_shell_next(h);
        while (s->facet[s->facet[h/3].across[h%3]/3].disc == s->stamp) {
            h = s->facet[h/3].across[h%3];
            h = dci_shell_next(h);
        }
    } while (h != start && n < 2*s->count);
    return n;
}

/* Point i to the list of the facet among list[0..m) that it is farthest over; to none when it is inside. */
static void dci_shell_place(dci_shell *s, int i, int m)
{
    dc_real best = s->tolerance;
    int k, at = -1;
    for (k = 0; k < m; ++k) {
        dc_real over = dci_shell_over(&s->facet[s->list[k]], s->point[i]);
        if (over > best) { best = over; at = s->list[k]; }
    }
    if (at < 0) return;
    s->link[i] = s->facet[at].outside;
    s->facet[at].outside = i;
}

/* The shell with point p, which lies over facet `seen`. */
static void dci_shell_add(dci_shell *s, int p, int seen)
{
    int m = dci_shell_disc(s, seen, &s->point[p]), n = dci_shell_rim(s, m), i, k, free_at = 0, orphans = -1, f0, f;

    /* outside points of the disc, but p; its slots become free */
    for (i = 0; i < m; ++i) {
        int q = s->facet[s->list[i]].outside, after;
        for (; q >= 0; q = after) {
            after = s->link[q];
            if (q == p) continue;
            s->link[q] = orphans;
            orphans = q;
        }
    }

    /* the rim from outside: vertices from the other side's half-edges */
    for (i = 0; i < n; ++i) s->rim[i] = s->facet[s->rim[i]/3].across[s->rim[i]%3];
    for (i = 0; i < m; ++i) s->facet[s->list[i]].outside = -2;
    for (i = 0; i < n; ++i) {
        const int out = s->rim[i];
        if (i >= m) {
            while (free_at < s->facets && s->facet[free_at].outside != -2) ++free_at;
            s->list[i] = free_at;
            if (free_at == s->facets) ++s->facets;
        }
        dci_shell_facet(s, s->list[i], dci_shell_from(s, dci_shell_next(out)), dci_shell_from(s, out), p);
    }

    /* neighbours: edge 0 outside, edges 1 and 2 to the next and the last of the fan */
    for (i = 0; i < n; ++i) {
        f0 = s->list[i];
        f = s->list[i + 1 < n ? i + 1 : 0];
        s->facet[f0].across[0] = s->rim[i];
        s->facet[s->rim[i]/3].across[s->rim[i]%3] = 3*f0;
        s->facet[f0].across[1] = 3*f + 2;
        s->facet[f].across[2] = 3*f0 + 1;
    }
    for (; orphans >= 0; orphans = k) {
        k = s->link[orphans];
        dci_shell_place(s, orphans, n);
    }
}

/* Four points far from each other into seed; returns the dimension of what they span within the tolerance. */
static int dci_shell_seed(const dci_shell *s, int n, int seed[4])
{
    const dc_v3 *p = s->point;
    dc_v3 e = dc_vec(0, 0, 0), u = e;
    int i, k;

    for (k = 0; k < 4; ++k) {
        dc_real best = 0;
        seed[k] = 0;
        for (i = 0; i < n; ++i) {
            dc_v3 r = k ? dc_sub(p[i], p[seed[0]]) : p[i];
            dc_v3 x = k == 2 ? dc_cross(e, r) : r;
            dc_real far2 = k == 3 ? dc_dot(u, r)*dc_dot(u, r) : dc_dot(x, x);
            if (far2 > best) { best = far2; seed[k] = i; }
        }
        if (k && !(best > s->tolerance*s->tolerance)) return k - 1;
        if (k == 1) e = dci_unit(dc_sub(p[seed[1]], p[seed[0]]));
        if (k == 2) u = dci_normal(&p[seed[0]], &p[seed[1]], &p[seed[2]]);
    }
    return 3;
}

/* The tetrahedron of these four, and every other point over one of its facets. */
static void dci_shell_start(dci_shell *s, const int seed[4])
{
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int across[4][3] = {{5, 8, 11}, {10, 6, 0}, {4, 9, 1}, {7, 3, 2}};
    const dc_v3 *p = s->point;
    const dc_v3 u = dci_normal(&p[seed[0]], &p[seed[1]], &p[seed[2]]);
    int turned = dc_dot(u, dc_sub(p[seed[3]], p[seed[0]])) > 0, at[4], i, k;

    for (k = 0; k < 4; ++k) at[k] = seed[turned && k < 3 ? 2 - k : k];
    for (i = 0; i < 4; ++i) {
        dci_shell_facet(s, i, at[corner[i][0]], at[corner[i][1]], at[corner[i][2]]);
        for (k = 0; k < 3; ++k) s->facet[i].across[k] = across[i][k];
        s->list[i] = i;
    }
    s->facets = 4;
    for (i = 0; i < s->count; ++i) {
        s->mark[i] = -1;
        if (i != at[0] && i != at[1] && i != at[2] && i != at[3]) dci_shell_place(s, i, 4);
    }
}

/* Point after point; each is added at most once. */
static void dci_shell_grow(dci_shell *s)
{
    int f = 0, i, far_point, turn;

    for (turn = 0; turn < s->count && f < s->facets; ++turn) {
        dc_real best = -1;
        for (f = 0; f < s->facets && s->facet[f].outside < 0; ++f) continue;
        if (f == s->facets) break;
        far_point = s->facet[f].outside;
        for (i = far_point; i >= 0; i = s->link[i]) {
            dc_real over = dci_shell_over(&s->facet[f], s->point[i]);
            if (over > best) { best = over; far_point = i; }
        }
        dci_shell_add(s, far_point, f);
    }
}

/* Facets by area, largest first (Shell's sort); of equal ones the first. */
static void dci_shell_sort(dci_shell *s)
{
    int gap, i, j, n = 0;

    for (i = 0; i < s->facets; ++i)
        if (s->facet[i].outside != -2) s->order[n++] = i;
    for (gap = 1; gap < n/3; gap = 3*gap + 1) continue;
    for (; gap > 0; gap /= 3)
        for (i = gap; i < n; ++i) {
            int f = s->order[i];
            for (j = i; j >= gap; j -= gap) {
                int g = s->order[j - gap];
                dc_real more = s->facet[f].area2 - s->facet[g].area2;
                if (!(more > 0 || (more == 0 && f < g))) break;
                s->order[j] = g;
            }
            s->order[j] = f;
        }
    for (i = n; i < s->facets; ++i) s->order[i] = -1;
}

/* what dc_hull_faces gives, to be written */
typedef struct {
    dc_v3 *normal;
    dc_real *offset;
    int *begin, *corner, *twin, *owner, *first, *next;
} dci_faces;

/* A label for each facet: a disc in the plane of the largest facet not yet in one. Facets without the apex (-1: no
 * apex) of a flat set have one label, 0. Returns the number of labels, whose normals are those of their largest facets.
 * */
static int dci_shell_label(dci_shell *s, int apex, dci_faces *to)
{
    int i, k, m, labels = 0;

    dci_shell_sort(s);
    if (apex >= 0) {
        for (i = 0; i < s->facets; ++i) {
            dci_facet *t = &s->facet[i];
            if (t->vertex[0] != apex && t->vertex[1] != apex && t->vertex[2] != apex) t->label = 0;
        }
        labels = 1;
    }
    for (i = 0; i < s->facets && s->order[i] >= 0; ++i) {
        if (s->facet[s->order[i]].label >= 0) continue;
        m = dci_shell_disc(s, s->order[i], NULL);
        to->normal[labels] = s->facet[s->order[i]].normal;
        for (k = 0; k < m; ++k) s->facet[s->list[k]].label = labels;
        ++labels;
    }
    return labels;
}

/* The arrays for n points, and the shell's, behind them; 0: they do not fit. */
static int dci_faces_take(dci_room *room, int n, dci_faces *to, dci_shell *s, size_t *kept)
{
    const size_t most = (size_t)n + 1;

    to->normal = DCI_TAKE(room, 2*most, dc_v3);
    to->offset = DCI_TAKE(room, 2*most, dc_real);
    to->begin = DCI_TAKE(room, 2*most + 1, int);
    to->corner = DCI_TAKE(room, 6*most, int);
    to->twin = DCI_TAKE(room, 6*most, int);
    to->owner = DCI_TAKE(room, 6*most, int);
    to->first = DCI_TAKE(room, most, int);
    to->next = DCI_TAKE(room, 6*most, int);
    *kept = room->arena ? room->arena->used : 0;

    s->point = DCI_TAKE(room, most, dc_v3);
    s->link = DCI_TAKE(room, most, int);
    s->mark = DCI_TAKE(room, most, int);
    s->facet = DCI_TAKE(room, 2*most, dci_facet);
    s->list = DCI_TAKE(room, 2*most, int);
    s->rim = DCI_TAKE(room, 2*most, int);
    s->order = DCI_TAKE(room, 2*most, int);
    return !room->full;
}

/* Outlines of the labels: corners into corner, the label across each into twin; mark: 1 for a vertex at which only two
 * labels meet. Of facet `order[k]` label k starts. */
static void dci_shell_outline(dci_shell *s, int labels, dci_faces *to)
{
    int f, i, k, h, start, n = 0, label;

    /* a half-edge of each to start from */
    for (i = 0; i < s->count; ++i) s->mark[i] = 0;
    for (f = 0; f < labels; ++f) s->order[f] = -1;
    for (f = 0; f < s->facets; ++f)
        for (k = 0; k < 3; ++k) {
            const dci_facet *t = &s->facet[f];
            if (t->outside != -2 && s->order[t->label] < 0 && s->facet[t->across[k]/3].label != t->label)
                s->order[t->label] = 3*f + k;
        }

    /* around each */
    for (label = 0; label < labels; ++label) {
        int last = -1;
        to->begin[label] = n;
        h = start = s->order[label];
        do {
            const int there = s->facet[s->facet[h/3].across[h%3]/3].label;
            to->corner[n] = dci_shell_from(s, h);
            to->twin[n] = there;
            to->owner[n] = label;
            if (there == last) s->mark[to->corner[n]] = 1;
            last = there;
            ++n;
            h = dci_shell_next(h);
            while (s->facet[s->facet[h/3].across[h%3]/3].label == label)
                h = dci_shell_next(s->facet[h/3].across[h%3]);
        } while (h != start && n < 6*s->count);
        if (to->twin[to->begin[label]] == last) s->mark[to->corner[to->begin[label]]] = 1;
    }
    to->begin[labels] = n;
}

/* Leaves out marked corners, unless a face would be left without three. */
static void dci_faces_thin(const dci_shell *s, int faces, dci_faces *to)
{
    int f, h, n = 0, keep = 0;

    for (f = 0; f < faces; ++f) {
        int left = 0;
        for (h = to->begin[f]; h < to->begin[f + 1]; ++h) left += !s->mark[to->corner[h]];
        keep |= left < 3;
    }
    for (f = 0; f < faces; ++f) {
        const int from = to->begin[f], end = to->begin[f + 1];
        to->begin[f] = n;
        for (h = from; h < end; ++h) {
            if (!keep && s->mark[to->corner[h]]) continue;
            to->corner[n] = to->corner[h];
            to->twin[n] = to->twin[h];
            to->owner[n] = f;
            ++n;
        }
    }
    to->begin[faces] = n;
}

/* the half-edge behind h on its face */
static int dci_face_next(const int *begin, const int *owner, int h)
{
    return h + 1 < begin[owner[h] + 1] ? h + 1 : begin[owner[h]];
}

/* Twins from the labels across, which stand in their place. */
static void dci_faces_twins(int faces, dci_faces *to)
{
    int h, g, n = to->begin[faces];

    for (h = 0; h < n; ++h) to->next[h] = to->twin[h];
    for (h = 0; h < n; ++h) {
        const int a = to->corner[h], b = to->corner[dci_face_next(to->begin, to->owner, h)], face = to->next[h];
        for (g = to->begin[face]; g < to->begin[face + 1]; ++g)
            if (to->corner[g] == b && to->corner[dci_face_next(to->begin, to->owner, g)] == a) break;
        to->twin[h] = g;
    }
}

/* Planes: the normal is that of the label's largest facet, from which no corner is farther than the tolerance. Of a
 * face without area, any across. */
static void dci_faces_planes(const dci_shell *s, const dc_hull *hull, int faces, dci_faces *to)
{
    int f, h;

    for (f = 0; f < faces; ++f) {
        const int from = to->begin[f], end = to->begin[f + 1];
        dc_v3 n = to->normal[f], e = dc_sub(s->point[to->corner[from]], s->point[to->corner[from + 1]]);
        dc_real most = -DC_REAL_MAX;
        if (!(dc_dot(n, n) > 0)) n = dci_unit(dc_cross(e, dci_axis_off(e)));
        if (!(dc_dot(n, n) > 0)) n = dc_vec(1, 0, 0);
        for (h = from; h < end; ++h) most = dc_max(most, dc_dot(n, hull->v[to->corner[h]]));
        to->normal[f] = n;
        to->offset[f] = most;
    }
}

/* Neighbours of every point, by the half-edges that leave it; returns the number of points that have some. */
static int dci_faces_next(int n, int half_edges, dci_faces *to)
{
    int h, i, sum = 0, vertices = 0;

    for (i = 0; i <= n; ++i) to->first[i] = 0;
    for (h = 0; h < half_edges; ++h) ++to->first[to->corner[h]];
    for (i = 0; i <= n; ++i) {
        const int own = i < n ? to->first[i] : 0;
        vertices += own > 0;
        sum += own;
        to->first[i] = sum;
    }
    for (h = half_edges - 1; h >= 0; --h) to->next[--to->first[to->corner[h]]] = to->corner[to->twin[h]];
    return vertices;
}

/* A flat set: face 0 is the outline, face 1 the same from behind. */
static void dci_faces_flat(dci_faces *to)
{
    const int n = to->begin[1];
    int h;

    to->begin[0] = 0;
    to->begin[2] = 2*n;
    for (h = 0; h < n; ++h) {
        to->corner[n + h] = to->corner[(2*n - h)%n];
        to->owner[h] = 0;
        to->owner[n + h] = 1;
    }
    for (h = 0; h < n; ++h) {
        to->twin[h] = n + (n - 1 - h);
        to->twin[n + (n - 1 - h)] = h;
    }
}

/* A segment, or a point: no faces. */
static void dci_faces_few(int dimension, const int seed[4], dci_faces *to)
{
    to->begin[0] = 0;
    to->corner[0] = seed[0];
    to->corner[1] = seed[dimension];
    to->twin[0] = 1;
    to->twin[1] = 0;
    to->owner[0] = to->owner[1] = -1;
}

DC_DEF size_t dc_hull_faces_bytes(int n)
{
    dci_room room = {NULL, 0, 0};
    dci_faces to;
    dci_shell s;
    size_t kept;

    if (n < 1 || n > 1 << 24) return 0;
    dci_faces_take(&room, n, &to, &s, &kept);
    return dci_counted(&room);
}

/* The points about their mean, and the tolerance as a length. */
static void dci_shell_points(dci_shell *s, const dc_hull *hull, dc_real tolerance, dc_v3 centre)
{
    dc_real most = 0;
    int i;

    for (i = 0; i < hull->n; ++i) {
        const dc_v3 v = hull->v[i];
        most = dc_max(most, dc_max(dc_abs(v.x), dc_max(dc_abs(v.y), dc_abs(v.z))));
        s->point[i] = dc_sub(v, centre);
    }
    s->count = hull->n;
    s->stamp = 0;
    s->facets = 0;
    s->reach = most;
    s->rounding = 8*DC_EPS*most;
    s->tolerance = most*(tolerance > 0 ? tolerance : 64*DC_EPS);
}

/* The points of a flat set into their plane, and the apex. */
static void dci_shell_apex(dci_shell *s, int seed[4])
{
    dc_v3 *p = s->point;
    const dc_v3 o = p[seed[0]], u = dci_normal(&p[seed[0]], &p[seed[1]], &p[seed[2]]), e = dc_sub(p[seed[1]], o);
    int i;
    for (i = 0; i < s->count; ++i) p[i] = dc_madd(p[i], -dc_dot(u, dc_sub(p[i], o)), u);
    p[s->count] = dc_madd(dc_scale(DC_R(0.5), dc_add(o, p[seed[1]])), dc_sqrt(dc_dot(e, e)), u);
    seed[3] = s->count++;
}

/* Is this a cuboid, its corners where three edges at right angles put them? Within a few roundings, so that what is
 * found by the axes is what is found by the points. */
static void dci_faces_box(dc_hull_topology *t)
{
    const dc_v3 *v = t->hull.v;
    const dc_real slack = 8*DC_EPS*t->reach;
    dc_v3 o, e[3];
    int i, k, f, corner;

    t->box = 0;
    t->box_centre = dc_vec(0, 0, 0);
    for (k = 0; k < 3; ++k) {
        t->box_axis[k] = t->box_centre;
        t->box_half[k] = 0;
        t->box_face[k] = t->box_face[k + 3] = 0;
    }
    for (k = 0; k < 8; ++k) t->box_corner[k] = 0;
    if (t->dimension != 3 || t->faces != 6 || t->vertices != 8) return;

    /* the edges of a corner */
    corner = t->corner[0];
    if (t->first[corner + 1] - t->first[corner] != 3) return;
    t->box_centre = o = v[corner];
    for (k = 0; k < 3; ++k) {
        e[k] = dc_sub(v[t->next[t->first[corner] + k]], o);
        t->box_half[k] = DC_R(0.5)*dc_sqrt(dc_dot(e[k], e[k]));
        t->box_axis[k] = dci_unit(e[k]);
        t->box_centre = dc_madd(t->box_centre, DC_R(0.5), e[k]);
    }
    for (k = 0; k < 3; ++k)
        if (!(dc_abs(dc_dot(t->box_axis[k], e[(k + 1)%3])) <= 2*slack)
            || !(dc_abs(dc_dot(t->box_axis[k], e[(k + 2)%3])) <= 2*slack)) return;

    /* the other corners, and the faces */
    for (k = 0; k < 8; ++k) {
        dc_v3 at = o;
        for (i = 0; i < 3; ++i)
            if (k >> i & 1) at = dc_add(at, e[i]);
        t->box_corner[k] = -1;
        for (i = 0; i < t->hull.n; ++i) {
            const dc_v3 off = dc_sub(v[i], at);
            const dc_real most = dc_max(dc_max(dc_abs(off.x), dc_abs(off.y)), dc_abs(off.z));
            if (t->first[i] < t->first[i + 1] && most <= slack) t->box_corner[k] = i;
        }
        if (t->box_corner[k] < 0) return;
    }
    for (f = 0; f < 6; ++f)
        for (k = 0; k < 6; ++k)
            if ((k & 1 ? -1 : 1)*dc_dot(t->box_axis[k/2], t->normal[f]) > DC_R(0.5)) t->box_face[k] = f;
    t->box = 1;
}

DC_DEF dc_status dc_hull_faces(const dc_hull *hull, dc_real tolerance, dc_arena *mem, dc_hull_topology *to)
{
    dci_room room = {NULL, 0, 0};
    dci_faces out;
    dci_shell shell;
    dc_v3 mean;
    dc_real ext2;
    size_t used, kept;
    int seed[4], dimension, faces = 0, half_edges;

    if (!mem || !to || !dci_hull_check(hull, &mean, &ext2) || hull->n > 1 << 24) return DC_E_ARG;
    if (!dci_radius_ok(hull) || !(tolerance >= 0 && tolerance <= DC_R(0.01))) return DC_E_ARG;
    used = mem->used;
    room.arena = mem;
    if (!dci_faces_take(&room, hull->n, &out, &shell, &kept)) {
        mem->used = used;
        return DC_E_MEMORY;
    }

    /* the shell */
    mean = dc_add(mean, hull->v[0]);
    dci_shell_points(&shell, hull, tolerance, mean);
    dimension = dci_shell_seed(&shell, hull->n, seed);
    if (dimension == 2) dci_shell_apex(&shell, seed);
    if (dimension >= 2) {
        dci_shell_start(&shell, seed);
        dci_shell_grow(&shell);
        faces = dci_shell_label(&shell, dimension == 2 ? shell.count - 1 : -1, &out);
        dci_shell_outline(&shell, faces, &out);
    }

    /* its faces */
    if (dimension == 3) {
        dci_faces_thin(&shell, faces, &out);
        dci_faces_twins(faces, &out);
    } else if (dimension == 2) {
        faces = 2;
        dci_faces_thin(&shell, 1, &out);
        dci_faces_flat(&out);
        out.normal[1] = dci_normal(&shell.point[seed[0]], &shell.point[seed[1]], &shell.point[seed[2]]);
        out.normal[0] = dc_neg(out.normal[1]);
    } else {
        dci_faces_few(dimension, seed, &out);
    }
    half_edges = dimension > 1 ? out.begin[faces] : 2*dimension;
    dci_faces_planes(&shell, hull, faces, &out);

    to->hull = *hull;
    to->dimension = dimension;
    to->faces = faces;
    to->edges = half_edges/2;
    to->vertices = dci_faces_next(hull->n, half_edges, &out);
    if (dimension == 0) to->vertices = 1;
    to->tolerance = shell.tolerance;
    to->reach = shell.reach;
    to->centre = mean;
    to->normal = out.normal;
    to->offset = out.offset;
    to->begin = out.begin;
    to->corner = out.corner;
    to->twin = out.twin;
    to->owner = out.owner;
    to->first = out.first;
    to->next = out.next;
    dci_faces_box(to);
    mem->used = kept;
    return DC_OK;
}

DC_DEF int dc_hull_support(const dc_hull_topology *t, dc_v3 along, int from)
{
    const dc_v3 *v = t->hull.v;
    int at = from, turn, k;

    if (at < 0 || at >= t->hull.n || t->first[at] == t->first[at + 1]) at = t->corner[0];
    for (turn = 0; turn < t->hull.n; ++turn) {
        dc_real best = 0;
        int to = at;
        for (k = t->first[at]; k < t->first[at + 1]; ++k) {
            dc_real rise = dc_dot(along, dc_sub(v[t->next[k]], v[at]));
            if (rise > best) { best = rise; to = t->next[k]; }
        }
        if (to == at) break;
        at = to;
    }
    return at;
}

#define DCI_LARGE 6             /* points of a working set: a feature, and some more */
#define DCI_LARGE_FROM 128      /* hulls of no more points are taken as they are */

/* Some points of a hull, and which they are. */
typedef struct {
    const dc_hull_topology *whole;
    dc_hull part;
    dc_v3 point[DCI_LARGE];
    int which[DCI_LARGE];
    int last;                   /* support met last */
} dci_large;

static void dci_large_add(dci_large *w, int i)
{
    if (w->part.v != w->point || w->part.n == DCI_LARGE) return;
    w->which[w->part.n] = i;
    w->point[w->part.n++] = w->whole->hull.v[i];
}

/* From the features of an earlier answer, or from the point farthest towards the other hull. */
static DCI_NOINLINE void dci_large_start(dci_large *w, const dc_hull_topology *t, dc_v3 towards, int n,
                                         const int *index)
{
    int k, fits = n >= 1 && n <= 3;

    w->whole = t;
    w->part = t->hull;
    w->part.radius = 0;
    w->last = -1;
    if (t->hull.n <= DCI_LARGE_FROM) return;
    w->part.v = w->point;
    w->part.n = 0;
    for (k = 0; k < n && fits; ++k) fits = index[k] >= 0 && index[k] < t->hull.n;
    for (k = 0; k < n && fits; ++k) dci_large_add(w, index[k]);
    if (!fits) dci_large_add(w, dc_hull_support(t, towards, -1));
}

/* Does a point of the whole lie farther along `along` than feature[0] of the part, by more than slack? It joins the
 * part, of which a full one keeps its feature alone. 0: no, or it is there already. */
static DCI_NOINLINE int dci_large_grow(dci_large *w, dc_v3 along, dc_real slack, int n, int *feature)
{
    const dc_v3 *v = w->whole->hull.v;
    int i, k;

    if (w->part.v != w->point) return 0;
    i = w->last = dc_hull_support(w->whole, along, w->last < 0 ? w->which[feature[0]] : w->last);
    if (!(dc_dot(along, dc_sub(v[i], w->point[feature[0]])) > slack)) return 0;
    for (k = 0; k < w->part.n; ++k)
        if (w->which[k] == i) return 0;
    if (w->part.n == DCI_LARGE) {
        int keep[3];
        for (k = 0; k < n; ++k) keep[k] = w->which[feature[k]];
        w->part.n = 0;
        for (k = 0; k < n; ++k) {
            dci_large_add(w, keep[k]);
            feature[k] = k;
        }
    }
    dci_large_add(w, i);
    return 1;
}

static int dci_topology_ok(const dc_hull_topology *t) { return t && t->hull.v && t->hull.n >= 1 && t->first; }

/* The distance of some points of both hulls is at least theirs; the room that all points leave along its direction is
 * at most theirs. Points that leave less join, until both agree. Parts that overlap show that the hulls do: the depth
 * is that of all points. */
DC_DEF dc_status dc_hull_distance_large(const dc_hull_topology *a, const dc_pose *pose_a, const dc_hull_topology *b,
                                        const dc_pose *pose_b, dc_arena *mem, dc_distance *d)
{
    static const dc_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    const dc_pose *pa = pose_a ? pose_a : &identity, *pb = pose_b ? pose_b : &identity;
    dci_large A, B;
    dc_distance e;
    dc_status status = DC_OK;
    dc_v3 c;
    dc_m3 Ra, Rb;
    dc_real slack, radius;
    int turn, k, whole, grown = 1, steps = 0;

    if (!d || !dci_topology_ok(a) || !dci_topology_ok(b) || !dc_pose_ok(pa) || !dc_pose_ok(pb)) return DC_E_ARG;
    Ra = dc_rotation(pa->q);
    Rb = dc_rotation(pb->q);
    c = dc_sub(dc_add(dc_mul(&Rb, b->centre), dc_sub(pb->t, pa->t)), dc_mul(&Ra, a->centre));
    dci_large_start(&A, a, dc_mul_t(&Ra, c), d->na, d->ia);
    dci_large_start(&B, b, dc_mul_t(&Rb, dc_neg(c)), d->nb, d->ib);
    slack = DCI_HULL_STOP*(a->reach + b->reach);

    /* the earlier answer in the parts' numbers */
    e = *d;
    for (k = 0; k < 3; ++k) {
        if (A.part.v == A.point) e.ia[k] = k;
        if (B.part.v == B.point) e.ib[k] = k;
    }
    if ((A.part.v == A.point && A.part.n != e.na) || (B.part.v == B.point && B.part.n != e.nb)) e.na = 0;

    for (turn = 0; turn < DCI_HULL_STEPS && grown; ++turn) {
        status = dc_hull_distance(&A.part, pa, &B.part, pb, mem, &e);
        if (status == DC_E_OVERLAP) d->gap = 0;
        if (status != DC_OK && status != DC_E_DIVERGED) return status;
        steps += e.iterations;
        if (e.gap < 0) break;
        grown = dci_large_grow(&A, dc_mul_t(&Ra, dc_neg(e.n)), slack, e.na, e.ia);
        grown |= dci_large_grow(&B, dc_mul_t(&Rb, e.n), slack, e.nb, e.ib);
    }
    if (grown && !(e.gap < 0)) status = DC_E_DIVERGED;

    /* the points' own numbers; parts that overlap hold too little of the depth */
    whole = A.part.v != A.point && B.part.v != B.point;
    for (k = 0; k < e.na && A.part.v == A.point; ++k) e.ia[k] = A.which[e.ia[k]];
    for (k = 0; k < e.nb && B.part.v == B.point; ++k) e.ib[k] = B.which[e.ib[k]];
    if (e.gap < 0 && !whole) {
        A.part = a->hull;
        B.part = b->hull;
        A.part.radius = B.part.radius = 0;
        status = dc_hull_distance(&A.part, pa, &B.part, pb, mem, &e);
        if (status != DC_OK && status != DC_E_DIVERGED) return status;
        steps += e.iterations;
    }
    e.iterations = steps;
    radius = a->hull.radius + b->hull.radius;
    if (radius > 0) {
        e.gap -= radius;
        e.pa = dc_madd(e.pa, -a->hull.radius, e.n);
        e.pb = dc_madd(e.pb, b->hull.radius, e.n);
    }
    *d = e;
    return status;
}

/* ---- [manifold] hull queries: contact manifolds -------------------------------------------------- */

/* In: two topologies, poses, the patch before. Out: the patch.
 *
 * stage                      | reads                     | writes                  | equation
 * dci_boxes_open, _best      | two cuboids, n before     | n, gap, closest points  | Gottschalk's 15 axes
 * dci_patch_direction        | distance, the face before | n, gap                  | (1)
 * dci_side_choose, _outline  | faces, n                  | face, corners           | (2)
 * dci_cut_polygon, _segments | corners                   | cuts: pairs of edges    | Sutherland and Hodgman
 * dci_patch_candidate        | cuts, planes of the faces | candidates              | (3)
 * dci_patch_reduce           | candidates, ids before    | those that stay         |
 * dci_patch_write            | them, the patch before    | the patch               |
 *
 * Room along a face's normal N of a, n = -N, is that between the face's plane and the support of b,
 *     room = -max over a of N.x - max over b of n.y,                                              (1)
 * a lower bound of the depth's own. The face is the one with the largest N_a.(-n), or N_b.n.           (2)
 * On the line base + s n the plane N.(x - c) = 0 lies at
 *     s = N.(c - base)/N.n;  gap = s_a - s_b.                                                         (3) */

#define DCI_PATCH_SLACK (DC_IS_FLOAT ? DC_R(1e-5) : DC_R(1e-6))     /* outlines this near coincide, over the size */
#define DCI_PATCH_ALIGNED (DC_IS_FLOAT ? DC_R(1e-5) : DC_R(1e-9))   /* 1 - cos: n is the face's normal */
#define DCI_PATCH_BETTER DC_R(0.001)    /* in cosine, to take another face than before */
#define DCI_PATCH_ONE 32                /* corners nearer than this many slacks are one */
#define DCI_PATCH_FLAT DC_R(0.01)       /* planes steeper against n than this cosine carry no point */
#define DCI_PATCH_PARALLEL DC_R(0.1)    /* sine up to which segments are parallel */
#define DCI_PATCH_KEEP DC_R(1.1)        /* what is in the patch already counts this much more in the reduction */
#define DCI_PATCH_EQUAL DC_R(1e-6)      /* worths that differ by this share of the patch's square are equal */

/* a corner of a face, about the origin of the patch */
typedef struct {
    dc_real across_1, across_2, height; /* along the two directions across n, and along n */
    int     vertex, edge;               /* point; half-edge that leaves it */
} dci_outline;

typedef struct {
    const dc_hull_topology *hull;
    dc_m3   rotation;
    dc_v3   shift;                      /* of the body, from the origin of the patch */
    dc_v3   normal;                     /* of the face, outward, in the world */
    dc_real slope;                      /* normal . n */
    dc_real level, tilt_1, tilt_2;      /* height of its plane: level + tilt_1 across_1 + tilt_2 across_2 */
    dci_outline *corner;                 /* [count] */
    int     count, face;
    int     planar;
} dci_side;

/* a corner of the intersection: edges that meet there, those of b counted on from a's; the corner behind it */
typedef struct { dc_real across_1, across_2, inside; int before, behind, next; } dci_cut;

typedef struct {
    dc_real across_1, across_2, height_a, height_b;
    dc_real gap, keep;                  /* keep: worth that much more; 0: stays */
    dc_hull_contact_kind kind;
    int     feature_a, feature_b;
    unsigned id;
    int     old;                        /* which point of the patch before it is; -1: none */
} dci_candidate;

typedef struct {
    dci_side side[2];
    dci_cut *cut;                       /* [most] */
    dci_candidate *candidate;           /* [most + 1] */
    dc_v3   n, axis_1, axis_2, origin;
    dc_real gap, slack, rounding;       /* of the cores; lengths */
    int     first_cut, candidates, most, reference;     /* first_cut: -1, there is none */
    int     points, pick[DC_HULL_CONTACTS];     /* candidates that stay */
} dci_patch;

static dc_v3 dci_side_point(const dci_side *s, int i)
{
    return dc_add(dc_mul(&s->rotation, s->hull->hull.v[i]), s->shift);
}

/* planar: edges of the outline, two of a segment */
static int dci_side_edges(const dc_hull_topology *t)
{
    return t->dimension == 2 ? t->begin[1] : 2*(t->dimension == 1);
}

/* end point of half-edge h */
static int dci_half_end(const dc_hull_topology *t, int h) { return t->corner[t->twin[h]]; }

/* planar: the outward normal of edge h, in the plane */
static dc_v3 dci_edge_normal(const dci_side *s, int h)
{
    const dc_hull_topology *t = s->hull;
    const dc_v3 e = dc_sub(dci_side_point(s, dci_half_end(t, h)), dci_side_point(s, t->corner[h]));
    const dc_v3 up = t->dimension == 2 ? dc_mul(&s->rotation, t->normal[0]) : dc_vec(0, 0, 1);
    return dci_unit(dc_cross(e, up));
}

/* the outward normal of face (planar: edge) f in the world */
static dc_v3 dci_side_normal(const dci_side *s, int f)
{
    return s->planar ? dci_edge_normal(s, f) : dc_mul(&s->rotation, s->hull->normal[f]);
}

static int dci_side_faces(const dci_side *s) { return s->planar ? dci_side_edges(s->hull) : s->hull->faces; }

/* (1) for the normal of face f of side k */
static dc_real dci_patch_room(const dci_patch *w, int k, int f, dc_v3 *n)
{
    const dci_side *s = &w->side[k], *o = &w->side[1 - k];
    const dc_v3 N = dci_side_normal(s, f);
    const int i = s->planar ? s->hull->corner[f] : s->hull->corner[s->hull->begin[f]];
    const int j = dc_hull_support(o->hull, dc_mul_t(&o->rotation, dc_neg(N)), -1);

    *n = k ? N : dc_neg(N);
    return dc_dot(N, dc_sub(dci_side_point(o, j), dci_side_point(s, i)));
}

/* Overlapping: n of the face before where that is nearly as good. In the plane the depth is that over all edges. */
static DCI_NOINLINE void dci_patch_direction(dci_patch *w, const dc_hull_patch *before, dc_real share)
{
    const int planar = w->side[0].planar, kept = before->reference == 1 ? before->face_a : before->face_b;
    const int k = before->reference == 2;
    dc_real room;
    dc_v3 n;
    int i, f;

    if (planar && !(w->gap > 0 && dc_abs(w->n.z) < DC_R(0.5))) {
        w->gap = -DC_REAL_MAX;
        w->n = dc_vec(1, 0, 0);
        for (i = 0; i < 2; ++i)
            for (f = 0; f < dci_side_faces(&w->side[i]); ++f) {
                room = dci_patch_room(w, i, f, &n);
                if (room > w->gap) { w->gap = room; w->n = n; }
            }
        if (!(w->gap > -DC_REAL_MAX)) w->gap = 0;
    }
    if (!(w->gap < 0) || before->count < 1 || before->reference < 1 || before->reference > 2) return;
    if (kept < 0 || kept >= dci_side_faces(&w->side[k])) return;
    room = dci_patch_room(w, k, kept, &n);
    if (!(room >= w->gap + share*w->gap)) return;
    w->gap = room;
    w->n = n;
}

/* The face most nearly across `out`, (2); of equal ones, and against one that is hardly better, that of before. */
static DCI_NOINLINE void dci_side_choose(dci_side *s, dc_v3 out, int before)
{
    const dc_v3 *normal = s->hull->normal;
    const dc_v3 along = dc_mul_t(&s->rotation, out);
    const int faces = dci_side_faces(s);
    dc_real best = -2, value;
    int f;

    s->face = 0;
    for (f = 0; f < faces && s->planar; ++f) {
        value = dc_dot(dci_edge_normal(s, f), out);
        if (value > best) { best = value; s->face = f; }
    }
    for (f = 0; f < faces && !s->planar; ++f) {
        value = dc_dot(normal[f], along);
        if (value > best) { best = value; s->face = f; }
    }
    if (before >= 0 && before < faces && dc_dot(dci_side_normal(s, before), out) >= best - DCI_PATCH_BETTER)
        s->face = before;
    if (faces) s->normal = dci_side_normal(s, s->face);
}

/* corners of the side's face; of a segment its ends, and its normal is n less what is along it */
static DCI_NOINLINE void dci_side_outline(dci_side *s, const dci_patch *w, dc_v3 out)
{
    const dc_hull_topology *t = s->hull;
    const dc_v3 *v = t->hull.v;
    const dc_v3 to_1 = dc_mul_t(&s->rotation, w->axis_1), to_2 = dc_mul_t(&s->rotation, w->axis_2);
    const dc_v3 to_n = dc_mul_t(&s->rotation, w->n);
    const dc_v3 at = dc_vec(dc_dot(w->axis_1, s->shift), dc_dot(w->axis_2, s->shift), dc_dot(w->n, s->shift));
    const int line = s->planar && t->dimension == 2;
    int i, from = 0, count = t->dimension + 1;

    if (line) count = 2;
    else if (t->dimension >= 2) {
        from = t->begin[s->face];
        count = t->begin[s->face + 1] - from;
    }
    s->count = count;
    for (i = 0; i < count; ++i) {
        dci_outline *c = &s->corner[i];
        c->edge = line ? s->face : from + i;
        c->vertex = line && i ? dci_half_end(t, s->face) : t->corner[c->edge];
        c->across_1 = at.x + dc_dot(to_1, v[c->vertex]);
        c->across_2 = at.y + dc_dot(to_2, v[c->vertex]);
        c->height = at.z + dc_dot(to_n, v[c->vertex]);
    }

    /* its plane */
    if (t->dimension < 2) {
        dc_v3 e = dc_vec(0, 0, 0);
        if (count > 1) e = dci_unit(dc_sub(dci_side_point(s, t->corner[1]), dci_side_point(s, t->corner[0])));
        s->normal = dci_unit(dc_madd(out, -dc_dot(out, e), e));
    }
    s->slope = dc_dot(s->normal, w->n);
    if (!(dc_abs(s->slope) > DCI_PATCH_FLAT)) return;
    s->tilt_1 = -dc_dot(s->normal, w->axis_1)/s->slope;
    s->tilt_2 = -dc_dot(s->normal, w->axis_2)/s->slope;
    s->level = s->corner[0].height - s->tilt_1*s->corner[0].across_1 - s->tilt_2*s->corner[0].across_2;
}

/* The outline of side k, a polygon or a segment, cut by the edges of the other, a polygon (Sutherland and Hodgman).
 * Within slack outside is inside: the corners are decided by that, their places by their edges. */
static DCI_NOINLINE void dci_cut_polygon(dci_patch *w, int k)
{
    const dci_side *s = &w->side[k], *o = &w->side[1 - k];
    const int first_s = k ? w->side[0].count : 0, first_o = k ? 0 : w->side[0].count;
    const dc_real turn = o->slope > 0 ? DC_R(1) : -DC_R(1);
    /* less where a plane is steep: what lies outside by that is no farther off the surface than slack */
    const dc_real slack = w->slack*dc_abs(s->slope*o->slope);
    dci_cut *cut = w->cut;
    int i, j, n = s->count, first = 0;

    for (i = 0; i < n; ++i) {
        cut[i].across_1 = s->corner[i].across_1;
        cut[i].across_2 = s->corner[i].across_2;
        cut[i].before = first_s + (i ? i - 1 : n - 1);
        cut[i].behind = first_s + i;
        cut[i].next = i + 1 < n ? i + 1 : 0;
    }

    for (j = 0; j < o->count && first >= 0; ++j) {
        /* inside by along_1 x + along_2 y + off; the outline is counterclockwise around `turn` */
        const dci_outline *c = &o->corner[j], *d = &o->corner[j + 1 < o->count ? j + 1 : 0];
        const dc_real ex = d->across_1 - c->across_1, ey = d->across_2 - c->across_2, e2 = ex*ex + ey*ey;
        const dc_real scale = e2 > 0 ? turn/dc_sqrt(e2) : 0, along_1 = -scale*ey, along_2 = scale*ex;
        const dc_real off = slack - along_1*c->across_1 - along_2*c->across_2;
        int at = first, last = -1, head = -1, out = 0;

        do {
            cut[at].inside = along_1*cut[at].across_1 + along_2*cut[at].across_2 + off;
            out |= cut[at].inside < 0;
            at = cut[at].next;
        } while (at != first);
        if (!out) continue;
        do {
            dci_cut *p = &cut[at], *to = &cut[n];
            const dci_cut *q = &cut[p->next];
            if (p->inside >= 0) {
                *(last < 0 ? &head : &cut[last].next) = at;
                last = at;
            }
            at = p->next;
            if ((p->inside >= 0) == (q->inside >= 0) || n == w->most) continue;

            /* the edge from p to q crosses: out of it along the cutting edge, or in again */
            to->across_1 = p->across_1 + p->inside/(p->inside - q->inside)*(q->across_1 - p->across_1);
            to->across_2 = p->across_2 + p->inside/(p->inside - q->inside)*(q->across_2 - p->across_2);
            to->before = p->inside >= 0 ? p->behind : first_o + j;
            to->behind = p->inside >= 0 ? first_o + j : p->behind;
            *(last < 0 ? &head : &cut[last].next) = n;
            last = n++;
        } while (at != first);
        if (last >= 0) cut[last].next = head;
        first = head;
    }
    w->first_cut = first;
}

/* Whose outline is cut: that of a, unless b is a segment, or b's face so steep that its outline encloses nothing and
 * does not say where its inside is. */
static int dci_cut_which(const dci_patch *w)
{
    const dci_side *a = &w->side[0], *b = &w->side[1];
    if (a->count < 3 || b->count < 3) return b->count < 3;
    return dc_abs(b->slope) <= DCI_PATCH_FLAT && dc_abs(a->slope) > DCI_PATCH_FLAT;
}

/* id of two features */
static unsigned dci_patch_id(dc_hull_contact_kind kind, int i, int j)
{
    unsigned x = (unsigned)i << 15 | (unsigned)j;
    if ((i | j) >> 15) x = (unsigned)i*2654435761u ^ ((unsigned)j*2246822519u >> 3);
    return (unsigned)kind << 30 | (x & 0x3fffffffu);
}

/* of an edge the lesser of its half-edges */
static int dci_half_least(const dc_hull_topology *t, int h) { return t->twin[h] < h ? t->twin[h] : h; }

/* The candidate on the line along n through a corner of side `on`, (3); 2: of neither, of which only the places across
 * count. */
static void dci_patch_candidate(dci_patch *w, dc_hull_contact_kind kind, const dci_outline *base, int on,
                                int feature_a, int feature_b)
{
    dci_candidate *c = &w->candidate[w->candidates];
    const dc_real one = DCI_PATCH_ONE*w->slack, across_1 = base->across_1, across_2 = base->across_2;
    dc_real height[2];
    int i, k;

    for (k = 0; k < 2; ++k) {
        const dci_side *s = &w->side[k];
        height[k] = base->height;
        if (k == on) continue;
        if (!(dc_abs(s->slope) > DCI_PATCH_FLAT)) return;
        height[k] = s->level + s->tilt_1*across_1 + s->tilt_2*across_2;
    }
    if (kind == DC_VERTEX_FACE) c->id = dci_patch_id(kind, 0, feature_a);
    else if (kind == DC_FACE_VERTEX) c->id = dci_patch_id(kind, 0, feature_b);
    else c->id = dci_patch_id(kind, dci_half_least(w->side[0].hull, feature_a),
                              dci_half_least(w->side[1].hull, feature_b));
    c->across_1 = across_1;
    c->across_2 = across_2;
    c->height_a = height[0];
    c->height_b = height[1];
    c->gap = height[0] - height[1];
    c->kind = kind;
    c->feature_a = feature_a;
    c->feature_b = feature_b;

    /* of several in one place the closest points, a vertex of a, or of b */
    for (i = 0; i < w->candidates; ++i) {
        dci_candidate *o = &w->candidate[i];
        const dc_real x = o->across_1 - across_1, y = o->across_2 - across_2;
        if (o->id != c->id && !(x*x + y*y <= one*one)) continue;
        if (c->kind < o->kind && o->kind != DC_WITNESS) *o = *c;
        return;
    }
    ++w->candidates;
}

/* Where edges i of a and j of b cross, seen along n. Those that only do within the slack: on b's, next to where the
 * outlines met. */
static dci_outline dci_patch_cross(const dci_patch *w, const dci_cut *cut, int i, int j)
{
    const dci_side *a = &w->side[0], *b = &w->side[1];
    const dci_outline *p = &a->corner[i], *q = &a->corner[i + 1 < a->count ? i + 1 : 0];
    const dci_outline *r = &b->corner[j], *t = &b->corner[j + 1 < b->count ? j + 1 : 0];
    const dc_real ax = q->across_1 - p->across_1, ay = q->across_2 - p->across_2;
    const dc_real bx = t->across_1 - r->across_1, by = t->across_2 - r->across_2;
    const dc_real x = r->across_1 - p->across_1, y = r->across_2 - p->across_2, det = ax*by - ay*bx;
    dc_real u = x*by - y*bx, v = x*ay - y*ax;
    dci_outline at = *r;

    /* p + u/det (q - p) = r + v/det (t - r) */
    if (det != 0 && u*det >= 0 && v*det >= 0 && dc_abs(u) <= dc_abs(det) && dc_abs(v) <= dc_abs(det)) {
        at.across_1 = p->across_1 + u/det*ax;
        at.across_2 = p->across_2 + u/det*ay;
        return at;
    }
    v = (cut->across_1 - r->across_1)*bx + (cut->across_2 - r->across_2)*by;
    u = bx*bx + by*by;
    v = !(v > 0) ? 0 : v < u ? v/u : DC_R(1);
    at.across_1 = r->across_1 + v*bx;
    at.across_2 = r->across_2 + v*by;
    return at;
}

/* the corner between edges p and q of n: a cutting outline may be met the other way round */
static int dci_cut_corner(int p, int q, int n) { return (p + 1)%n == q ? q : p; }

/* candidates of the cuts */
static DCI_NOINLINE void dci_patch_cuts(dci_patch *w)
{
    const dci_side *a = &w->side[0], *b = &w->side[1];
    const int face_a = a->face, face_b = b->face;
    int i = w->first_cut;

    if (i >= 0) do {
        const int p = w->cut[i].before, q = w->cut[i].behind, n = a->count;
        if (p < n && q < n) {
            const dci_outline *c = &a->corner[dci_cut_corner(p, q, n)];
            dci_patch_candidate(w, DC_VERTEX_FACE, c, 0, c->vertex, face_b);
        } else if (p >= n && q >= n) {
            const dci_outline *c = &b->corner[dci_cut_corner(p - n, q - n, b->count)];
            dci_patch_candidate(w, DC_FACE_VERTEX, c, 1, face_a, c->vertex);
        } else {
            const int e = p < n ? p : q, f = p < n ? q - n : p - n;
            const dci_outline x = dci_patch_cross(w, &w->cut[i], e, f);
            dci_patch_candidate(w, DC_EDGE_EDGE, &x, 2, a->corner[e].edge, b->corner[f].edge);
        }
        i = w->cut[i].next;
    } while (i != w->first_cut);
}

/* Two segments, parallel as seen along n: the ends of what they share. */
static void dci_cut_segments(dci_patch *w)
{
    const dci_outline *c[2][2];
    dc_real ex[2], ey[2], along[2][2], length, sine, top;
    int k, i, low[2];

    for (k = 0; k < 2; ++k) {
        c[k][0] = &w->side[k].corner[0];
        c[k][1] = &w->side[k].corner[1];
        ex[k] = c[k][1]->across_1 - c[k][0]->across_1;
        ey[k] = c[k][1]->across_2 - c[k][0]->across_2;
    }
    length = dc_sqrt(ex[0]*ex[0] + ey[0]*ey[0]);
    sine = ex[0]*ey[1] - ey[0]*ex[1];
    if (!(length > w->slack) || !(dc_abs(sine) <= DCI_PATCH_PARALLEL*length*dc_sqrt(ex[1]*ex[1] + ey[1]*ey[1]))) return;
    for (k = 0; k < 2; ++k) {
        for (i = 0; i < 2; ++i) along[k][i] = (ex[0]*c[k][i]->across_1 + ey[0]*c[k][i]->across_2)/length;
        low[k] = along[k][1] < along[k][0];
    }
    top = dc_min(along[0][!low[0]], along[1][!low[1]]);
    if (!(top >= dc_max(along[0][low[0]], along[1][low[1]]) - w->slack)) return;

    /* the inner of both low ends, of both high ends; of a where they are one */
    for (i = 0; i < 2; ++i) {
        const int ia = i ? !low[0] : low[0], ib = i ? !low[1] : low[1];
        const dc_real in = i ? along[1][ib] - along[0][ia] : along[0][ia] - along[1][ib];
        if (in >= -w->slack) dci_patch_candidate(w, DC_VERTEX_FACE, c[0][ia], 0, c[0][ia]->vertex, w->side[1].face);
        else dci_patch_candidate(w, DC_FACE_VERTEX, c[1][ib], 1, w->side[0].face, c[1][ib]->vertex);
    }
}

/* twice the area of three candidates, with sign */
static dc_real dci_patch_area(const dci_candidate *p, const dci_candidate *q, const dci_candidate *r)
{
    return (q->across_1 - p->across_1)*(r->across_2 - p->across_2)
         - (q->across_2 - p->across_2)*(r->across_1 - p->across_1);
}

/* how much candidate c adds to the n that are picked: distance, area, area outside a triangle, distance from the
 * nearest; turn: the sign of the triangle's area */
static dc_real dci_patch_worth(const dci_patch *w, int n, dc_real turn, const dci_candidate *c)
{
    const dci_candidate *p = &w->candidate[w->pick[0]], *q = &w->candidate[w->pick[n > 1]];
    dc_real least = DC_REAL_MAX;
    int i;

    if (n == 2) return dc_abs(dci_patch_area(p, q, c));
    if (n == 3) {
        const dci_candidate *r = &w->candidate[w->pick[2]];
        least = dc_min(turn*dci_patch_area(p, q, c), turn*dci_patch_area(q, r, c));
        return dc_max(0, -dc_min(turn*dci_patch_area(r, p, c), least));
    }
    for (i = 0; i < n; ++i) {
        const dci_candidate *o = &w->candidate[w->pick[i]];
        const dc_real x = c->across_1 - o->across_1, y = c->across_2 - o->across_2;
        least = dc_min(least, x*x + y*y);
    }
    return least;
}

/* The candidates that stay: the deepest, then one after the other what adds most. Of equal ones that which was there
 * before, then that of the least id, so that rounding does not choose. */
static DCI_NOINLINE void dci_patch_reduce(dci_patch *w, int capacity)
{
    dci_candidate *c = w->candidate;
    dc_real most = 0, equal = w->slack, turn = 1;
    int n, i, at;

    w->points = w->candidates < capacity ? w->candidates : capacity;
    for (n = 0; n < w->points; ++n) {
        w->pick[n] = n;
        if (w->candidates <= capacity) continue;
        if (n == 3 && dci_patch_area(&c[w->pick[0]], &c[w->pick[1]], &c[w->pick[2]]) < 0) turn = -1;
        at = -1;
        for (i = 0; i < w->candidates; ++i) {
            dc_real worth;
            if (!(c[i].keep > 0)) continue;
            worth = n == 0 ? -c[i].gap : c[i].keep*dci_patch_worth(w, n, turn, &c[i]);
            if (at >= 0 && worth < most - equal) continue;
            if (at < 0 || worth > most + equal || c[i].keep > c[at].keep
                || (c[i].keep == c[at].keep && c[i].id < c[at].id)) at = i;
            most = i == at ? worth : dc_max(worth, most);
            /* squared distances and areas are not measured by a length */
            if (n == 1) equal = DCI_PATCH_EQUAL*most;
        }
        w->pick[n] = at;
        c[at].keep = 0;
    }
}

static int dci_patch_find(const dc_hull_patch *m, unsigned id)
{
    int i;
    for (i = 0; i < m->count && i < DC_HULL_CONTACTS; ++i)
        if (m->point[i].id == id) return i;
    return -1;
}

/* the candidates, in the world and with the radii, into the patch; what the patch before knew of them stays */
static DCI_NOINLINE void dci_patch_write(const dci_patch *w, const dc_distance *d, dc_hull_patch *m)
{
    const dc_real ra = w->side[0].hull->hull.radius, rb = w->side[1].hull->hull.radius;
    dc_real warm[DC_HULL_CONTACTS][3];
    int i, k, old;

    /* first what the points of before knew, whose places are taken */
    for (i = 0; i < w->points; ++i) {
        old = w->candidate[w->pick[i]].old;
        for (k = 0; k < 3; ++k) warm[i][k] = old < 0 ? 0 : m->point[old].warm[k];
    }
    m->n = w->n;
    m->gap = w->gap - (ra + rb);
    m->distance = *d;
    m->count = w->points;
    m->reference = w->reference;
    m->face_a = w->side[0].face;
    m->face_b = w->side[1].face;
    m->planar = w->side[0].planar;
    for (i = 0; i < w->points; ++i) {
        const dci_candidate *c = &w->candidate[w->pick[i]];
        dc_hull_contact *p = &m->point[i];
        const dc_v3 base = dc_madd(dc_scale(c->across_1, w->axis_1), c->across_2, w->axis_2);
        p->pa = dc_add(w->origin, dc_madd(base, c->height_a - ra, w->n));
        p->pb = dc_add(w->origin, dc_madd(base, c->height_b + rb, w->n));
        p->gap = c->gap - (ra + rb);
        p->kind = c->kind;
        p->feature_a = c->feature_a;
        p->feature_b = c->feature_b;
        p->id = c->id;
        p->kept = c->old >= 0;
        for (k = 0; k < 3; ++k) p->warm[k] = warm[i][k];
    }
}

/* The arrays of a patch for outlines of these hulls; 0: they do not fit. */
static DCI_NOINLINE int dci_patch_take(dci_room *room, int na, int nb, dci_patch *w)
{
    const size_t most = 2*((size_t)na + (size_t)nb) + 4;
    w->most = (int)most;
    w->side[0].corner = DCI_TAKE(room, (size_t)na + 1, dci_outline);
    w->side[1].corner = DCI_TAKE(room, (size_t)nb + 1, dci_outline);
    w->cut = DCI_TAKE(room, most, dci_cut);
    w->candidate = DCI_TAKE(room, most + 1, dci_candidate);
    return !room->full;
}

/* What n is normal to. Of two faces that are parallel n becomes the normal of a's, or of b's where it was before, and
 * the gap the room along that: the same at all poses nearby. */
static DCI_NOINLINE void dci_patch_reference(dci_patch *w, int before)
{
    const dci_side *a = &w->side[0], *b = &w->side[1];
    const int on_a = dci_side_faces(a) && dc_dot(a->normal, w->n) <= DCI_PATCH_ALIGNED - 1;
    const int on_b = dci_side_faces(b) && dc_dot(b->normal, w->n) >= 1 - DCI_PATCH_ALIGNED;
    const dc_v3 off = dc_add(a->normal, b->normal);
    dc_v3 n;

    if (on_a && on_b && dc_dot(off, off) <= DCI_PATCH_SLACK*DCI_PATCH_SLACK) {
        const int k = before == 2;
        w->reference = 1 + k;
        w->gap = dci_patch_room(w, k, w->side[k].face, &n);
        w->n = n;
    } else if (w->reference == 0) w->reference = on_a ? 1 : on_b ? 2 : 3;
}

/* ---- cuboids */

/* Two cuboids about b's centre: their axes in the world, what is between the centres, from b to a, along the axes, and
 * the products of axes. */
typedef struct {
    const dc_hull_topology *hull[2];
    dc_v3   origin, centre[2], axis[2][3];
    dc_real along_a[3], along_b[3], turn[3][3], size[3][3];     /* size: |turn| */
    dc_real room;
} dci_boxes;

static DCI_NOINLINE void dci_boxes_open(dci_boxes *x, const dci_patch *w, const dc_pose *pa, const dc_pose *pb)
{
    const dc_hull_topology *a = w->side[0].hull, *b = w->side[1].hull;
    const dc_m3 *Ra = &w->side[0].rotation, *Rb = &w->side[1].rotation;
    const dc_v3 centre_a = dc_mul(Ra, a->box_centre), centre_b = dc_mul(Rb, b->box_centre);
    int i, j;

    x->hull[0] = a;
    x->hull[1] = b;
    x->origin = dc_add(centre_b, pb->t);
    x->centre[0] = dc_add(dc_sub(centre_a, centre_b), dc_sub(pa->t, pb->t));
    x->centre[1] = dc_vec(0, 0, 0);
    for (i = 0; i < 3; ++i) {
        x->axis[0][i] = dc_mul(Ra, a->box_axis[i]);
        x->axis[1][i] = dc_mul(Rb, b->box_axis[i]);
    }
    for (i = 0; i < 3; ++i) {
        x->along_a[i] = dc_dot(x->axis[0][i], x->centre[0]);
        x->along_b[i] = dc_dot(x->axis[1][i], x->centre[0]);
        for (j = 0; j < 3; ++j) {
            x->turn[i][j] = dc_dot(x->axis[0][i], x->axis[1][j]);
            x->size[i][j] = dc_abs(x->turn[i][j]);
        }
    }
}

/* The axis with the most room: 0 to 2 of a, 3 to 5 of b, 6 + 3 i + j their product; faces where edges bring no more
 * than rounding. Faces with more than `limit` end the search. kept: the face that n was normal to before, 2 k + 1 where
 * n was along axis k, 2 k where it was against it, of b 6 more; -1: none. */
static DCI_NOINLINE int dci_boxes_best(dci_boxes *x, int kept, dc_real share, dc_real limit, dc_real rounding)
{
    const dc_real *ha = x->hull[0]->box_half, *hb = x->hull[1]->box_half;
    dc_real room[6], edge[3][3], best, l2;
    int i, j, axis = 0;

    /* faces */
    for (i = 0; i < 3; ++i) {
        room[i] = dc_abs(x->along_a[i]) - ha[i] - (hb[0]*x->size[i][0] + hb[1]*x->size[i][1] + hb[2]*x->size[i][2]);
        room[3 + i] = dc_abs(x->along_b[i]) - hb[i]
                    - (ha[0]*x->size[0][i] + ha[1]*x->size[1][i] + ha[2]*x->size[2][i]);
    }
    for (i = 1; i < 6; ++i)
        if (room[i] > room[axis]) axis = i;
    best = room[axis];

    /* Edges. Their product has length^2 = turn_ij1^2 + turn_ij2^2 at most 1: overlap grows by the division. */
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) {
            const int i1 = (i + 1)%3, i2 = (i + 2)%3, j1 = (j + 1)%3, j2 = (j + 2)%3;
            edge[i][j] = dc_abs(x->along_a[i2]*x->turn[i1][j] - x->along_a[i1]*x->turn[i2][j]) - rounding
                       - (ha[i1]*x->size[i2][j] + ha[i2]*x->size[i1][j])
                       - (hb[j1]*x->size[i][j2] + hb[j2]*x->size[i][j1]);
        }
    for (i = 0; i < 9 && !(best > limit); ++i) {
        dc_real value = edge[i/3][i%3];
        if (value < 0 && value <= best) continue;
        l2 = x->turn[i/3][(i + 1)%3]*x->turn[i/3][(i + 1)%3] + x->turn[i/3][(i + 2)%3]*x->turn[i/3][(i + 2)%3];
        if (!(l2 > 64*DC_EPS)) continue;
        value /= dc_sqrt(l2);
        if (!(value > best)) continue;
        best = value;
        axis = 6 + i;
    }

    /* the face before */
    i = kept/2;
    if (kept >= 0 && best < 0 && room[i] >= best + share*best) {
        const dc_real along = i < 3 ? x->along_a[i] : x->along_b[i - 3];
        if ((along > 0) == (kept & 1)) {
            axis = i;
            best = room[i];
        }
    }
    x->room = best;
    return axis;
}

/* Corner of body k farthest along `along`, and which it is. */
static dc_v3 dci_boxes_corner(const dci_boxes *x, int k, dc_v3 along, int *bits)
{
    const dc_hull_topology *t = x->hull[k];
    dc_v3 at = x->centre[k];
    int i;

    *bits = 0;
    for (i = 0; i < 3; ++i) {
        const int up = dc_dot(x->axis[k][i], along) > 0;
        *bits |= up << i;
        at = dc_madd(at, up ? t->box_half[i] : -t->box_half[i], x->axis[k][i]);
    }
    return at;
}

/* A face of body k: a corner of the other body, its foot, and three corners of the face that carry the foot. */
static void dci_boxes_face(const dci_boxes *x, int k, int axis, dc_distance *d)
{
    const dc_hull_topology *t = x->hull[k];
    const dc_v3 out = k ? d->n : dc_neg(d->n);
    int bits, i, from = dc_dot(x->axis[k][axis], out) > 0 ? 1 << axis : 0;
    int *corner = k ? d->ib : d->ia;
    dc_real *weight = k ? d->wb : d->wa;
    const dc_v3 at = dci_boxes_corner(x, 1 - k, dc_neg(out), &bits), to = dc_sub(at, x->centre[k]);

    weight[0] = 1;
    corner[0] = t->box_corner[from];
    for (i = 1; i < 3; ++i) {
        const int l = (axis + i)%3;
        corner[i] = t->box_corner[from | 1 << l];
        weight[i] = DC_R(0.5)*(dc_dot(to, x->axis[k][l])/t->box_half[l] + 1);
        weight[0] -= weight[i];
    }
    (k ? d->ia : d->ib)[0] = x->hull[1 - k]->box_corner[bits];
    (k ? d->wa : d->wb)[0] = 1;
    d->na = k ? 1 : 3;
    d->nb = k ? 3 : 1;
    d->pa = k ? at : dc_madd(at, d->gap, d->n);
    d->pb = k ? dc_madd(at, -d->gap, d->n) : at;
}

/* Two edges, and where they are closest; 0: beyond the end of one. cross: the product of their axes i and j. */
static int dci_boxes_edges(const dci_boxes *x, int i, int j, dc_v3 cross, dc_distance *d)
{
    const dc_v3 e = x->axis[0][i], f = x->axis[1][j];
    const dc_real l2 = dc_dot(cross, cross);
    dc_v3 at[2], off;
    dc_real u[2];
    int k, bits[2], inside = 1;

    at[0] = dci_boxes_corner(x, 0, dc_neg(d->n), &bits[0]);
    at[1] = dci_boxes_corner(x, 1, d->n, &bits[1]);
    off = dc_sub(at[1], at[0]);
    d->gap = -dc_dot(d->n, off);

    /* at_a + u_a e = at_b + u_b f + gap n, from the corners */
    u[0] = dc_dot(dc_cross(off, f), cross)/l2;
    u[1] = dc_dot(dc_cross(off, e), cross)/l2;
    for (k = 0; k < 2; ++k) {
        const dc_hull_topology *t = x->hull[k];
        const int axis = k ? j : i;
        const dc_real whole = bits[k] >> axis & 1 ? -2*t->box_half[axis] : 2*t->box_half[axis];
        const dc_real share = dc_max(0, dc_min(1, u[k]/whole));
        int *corner = k ? d->ib : d->ia;
        dc_real *weight = k ? d->wb : d->wa;
        inside &= share*whole == u[k] || dc_abs(share*whole - u[k]) <= 16*DC_EPS*dc_abs(whole);
        at[k] = dc_madd(at[k], share*whole, x->axis[k][axis]);
        corner[0] = t->box_corner[bits[k]];
        corner[1] = t->box_corner[bits[k] ^ 1 << axis];
        weight[0] = 1 - share;
        weight[1] = share;
    }
    d->na = d->nb = 2;
    off = dc_scale(DC_R(0.5), dc_add(at[0], at[1]));
    d->pa = dc_madd(off, DC_R(0.5)*d->gap, d->n);
    d->pb = dc_madd(off, -DC_R(0.5)*d->gap, d->n);
    return inside;
}

/* dc_distance along an axis; 0: it is less than the distance. */
static DCI_NOINLINE int dci_boxes_answer(const dci_boxes *x, int axis, dc_distance *d)
{
    const int i = axis < 6 ? axis%3 : (axis - 6)/3, j = (axis - 6)%3;
    const dc_real ra = x->hull[0]->hull.radius, rb = x->hull[1]->hull.radius;
    dc_v3 n = axis < 6 ? x->axis[axis >= 3][i] : dc_cross(x->axis[0][i], x->axis[1][j]), cross = n;
    int k, known = 1;

    if (axis >= 6) n = dci_unit(n);
    for (k = 0; k < 3; ++k) {
        d->ia[k] = d->ib[k] = 0;
        d->wa[k] = d->wb[k] = 0;
    }
    d->n = dc_dot(n, x->centre[0]) < 0 ? dc_neg(n) : n;
    d->gap = x->room;
    d->iterations = 0;
    if (axis < 6) dci_boxes_face(x, axis >= 3, i, d);
    else known = dci_boxes_edges(x, i, j, cross, d);
    d->gap -= ra + rb;
    d->pa = dc_add(dc_madd(d->pa, -ra, d->n), x->origin);
    d->pb = dc_add(dc_madd(d->pb, rb, d->n), x->origin);
    return known;
}

/* The face of the patch before as dci_boxes_best wants it */
static int dci_boxes_kept(const dc_hull_topology *a, const dc_hull_topology *b, const dc_hull_patch *before)
{
    const int of_b = before->reference == 2, face = of_b ? before->face_b : before->face_a;
    const int *faces = of_b ? b->box_face : a->box_face;
    int i;
    if (before->count < 1 || before->reference < 1 || before->reference > 2) return -1;
    for (i = 0; i < 6; ++i)                     /* a's face looks against n */
        if (faces[i] == face) return of_b ? 6 + (i ^ 1) : i;
    return -1;
}

DC_DEF size_t dc_hull_manifold_bytes(int na, int nb)
{
    dci_room room = {NULL, 0, 0};
    dci_patch w;
    if (na < 1 || nb < 1 || na > 1 << 24 || nb > 1 << 24) return 0;
    dci_patch_take(&room, na, nb, &w);
    room.bytes = dc_bytes(room.bytes, 1, sizeof(dci_polytope));
    return dci_counted(&room);
}

static int dci_least_of(int n, const int *index)
{
    int i, least = index[0];
    for (i = 1; i < n; ++i) least = index[i] < least ? index[i] : least;
    return least;
}

/* the closest points of the cores, about the origin */
static void dci_patch_witness(dci_patch *w, const dc_distance *d)
{
    dci_candidate *c = &w->candidate[w->candidates++];
    const dc_real ra = w->side[0].hull->hull.radius, rb = w->side[1].hull->hull.radius;
    const dc_v3 mid = dc_sub(dc_scale(DC_R(0.5), dc_add(d->pa, d->pb)), w->origin);

    c->height_a = dc_dot(w->n, mid) + DC_R(0.5)*(ra - rb + w->gap);
    c->height_b = dc_dot(w->n, mid) + DC_R(0.5)*(ra - rb - w->gap);
    c->gap = w->gap;
    c->across_1 = dc_dot(w->axis_1, mid);
    c->across_2 = dc_dot(w->axis_2, mid);
    c->kind = DC_WITNESS;
    c->feature_a = dci_least_of(d->na, d->ia);
    c->feature_b = dci_least_of(d->nb, d->ib);
    c->id = dci_patch_id(DC_WITNESS, 0, 0);         /* there is one: the same wherever it goes */
}

/* Candidates of the two faces, less what is beyond the margin. Where n is that of edges or vertices the closest points
 * take the place of what is there, unless others as close show that they might be anywhere between; and they come where
 * nothing else has their gap. 0: nothing has it, and `known` is 0, the gap may not be the distance. */
static DCI_NOINLINE int dci_patch_fill(dci_patch *w, const dc_distance *d, const dc_hull_patch *before,
                                       dc_real margin, int capacity, int known)
{
    const dc_real radius = w->side[0].hull->hull.radius + w->side[1].hull->hull.radius;
    const dc_real one = DCI_PATCH_ONE*w->slack;
    int i, beside, n = 0, here = 0, elsewhere = 0, alone;

    if (w->side[0].count == 2 && w->side[1].count == 2) dci_cut_segments(w);
    else if (w->side[0].count > 1 && w->side[1].count > 1) {
        dci_cut_polygon(w, dci_cut_which(w));
        dci_patch_cuts(w);
    }

    /* as close as the closest points: in their place, or elsewhere */
    for (i = 0; i < w->candidates; ++i) {
        const dci_candidate *c = &w->candidate[i];
        beside = dc_max(dc_abs(c->across_1), dc_abs(c->across_2)) <= one;
        here |= beside && c->gap <= w->gap + one;
        elsewhere |= !beside && c->gap <= w->gap + w->slack;
        known |= c->gap <= w->gap + w->rounding;
    }
    if (!known) return 0;
    alone = w->reference == 3 && !elsewhere;
    for (i = 0; i < w->candidates; ++i) {
        const dci_candidate *c = &w->candidate[i];
        beside = dc_max(dc_abs(c->across_1), dc_abs(c->across_2)) <= one;
        if ((beside && alone) || !(c->gap - radius <= margin + w->slack*DC_R(0.01))) continue;
        if (n < i) w->candidate[n] = *c;
        ++n;
    }
    w->candidates = n;
    if (alone || n == 0 || !(here || elsewhere)) dci_patch_witness(w, d);

    /* those that were there before, and the reduction */
    for (i = 0; i < w->candidates; ++i) {
        dci_candidate *c = &w->candidate[i];
        c->old = before->count > 0 ? dci_patch_find(before, c->id) : -1;
        c->keep = c->old < 0 ? DC_R(1) : DCI_PATCH_KEEP;
    }
    dci_patch_reduce(w, capacity);
    return 1;
}

/* the sides at their poses, about the middle of the closest points */
static DCI_NOINLINE void dci_patch_open(dci_patch *w, const dc_pose *pa, const dc_pose *pb, const dc_distance *d)
{
    w->origin = dc_scale(DC_R(0.5), dc_add(d->pa, d->pb));
    w->n = d->n;
    w->gap = d->gap + w->side[0].hull->hull.radius + w->side[1].hull->hull.radius;
    w->side[0].shift = dc_sub(pa->t, w->origin);
    w->side[1].shift = dc_sub(pb->t, w->origin);
}

/* Is there more room than `limit` along the n of a patch before that had no points? */
static DCI_NOINLINE int dci_patch_far(dci_patch *w, const dc_pose *pa, const dc_pose *pb, const dc_hull_patch *before,
                                      dc_real limit)
{
    const dci_side *a = &w->side[0], *b = &w->side[1];
    const dc_v3 n = before->n;
    dc_v3 x, y;

    if (before->count != 0 || !(dc_abs(dc_dot(n, n) - 1) <= 16*DC_EPS)) return 0;
    x = a->hull->hull.v[dc_hull_support(a->hull, dc_mul_t(&a->rotation, dc_neg(n)), -1)];
    y = b->hull->hull.v[dc_hull_support(b->hull, dc_mul_t(&b->rotation, n), -1)];
    x = dc_sub(dc_mul(&a->rotation, x), dc_mul(&b->rotation, y));
    w->n = n;
    w->gap = dc_dot(n, dc_add(x, dc_sub(pa->t, pb->t)));
    return w->gap > limit;
}

/* Direction, reference and gap by the axes of two cuboids; whether that is their distance. */
static DCI_NOINLINE int dci_patch_axes(dci_patch *w, const dc_pose *pa, const dc_pose *pb, const dc_hull_patch *before,
                                       dc_real share, dc_real limit, dc_distance *d)
{
    dci_boxes x;
    int axis, known;

    dci_boxes_open(&x, w, pa, pb);
    axis = dci_boxes_best(&x, dci_boxes_kept(w->side[0].hull, w->side[1].hull, before), share, limit,
                          w->rounding*DC_R(0.25));
    known = dci_boxes_answer(&x, axis, d) && axis >= 6;
    w->reference = axis < 3 ? 1 : axis < 6 ? 2 : 3;
    dci_patch_open(w, pa, pb, d);
    return known || w->gap < 0;
}

/* the faces across n, and their outlines where they are near */
static DCI_NOINLINE void dci_patch_faces(dci_patch *w, const dc_hull_patch *before, dc_real limit)
{
    dci_side_choose(&w->side[0], dc_neg(w->n), before->count > 0 ? before->face_a : -1);
    dci_side_choose(&w->side[1], w->n, before->count > 0 ? before->face_b : -1);
    if (w->gap > limit) return;
    dci_patch_reference(w, before->reference);
    w->axis_1 = dci_unit(dc_cross(w->n, dci_axis_off(w->n)));
    w->axis_2 = dc_cross(w->n, w->axis_1);
    dci_side_outline(&w->side[0], w, dc_neg(w->n));
    dci_side_outline(&w->side[1], w, w->n);
}

/* The patch in w, by the axes of cuboids or by the distance. DC_E_OVERLAP: the axes do not say, the distance has to. */
static DCI_NOINLINE dc_status dci_patch_make(dci_patch *w, const dc_hull_manifold_options *o, const dc_pose *pa,
                                             const dc_pose *pb, int axes, dc_arena *mem, dc_distance *d,
                                             const dc_hull_patch *before)
{
    const dc_hull_topology *a = w->side[0].hull, *b = w->side[1].hull;
    const dc_real limit = o->margin + a->hull.radius + b->hull.radius + w->slack*DC_R(0.01);
    dc_status status = DC_OK;
    int known = 1;

    /* direction */
    w->reference = w->candidates = w->points = 0;
    if (axes) {
        known = dci_patch_axes(w, pa, pb, before, o->share, limit, d);
    } else {
        w->side[0].face = w->side[1].face = 0;
        if (dci_patch_far(w, pa, pb, before, limit)) return DC_OK;
        status = dc_hull_distance_large(a, pa, b, pb, mem, d);
        if (status != DC_OK && status != DC_E_DIVERGED) return status;
        dci_patch_open(w, pa, pb, d);
        dci_patch_direction(w, before, o->share);
    }

    /* across n: two faces */
    dci_patch_faces(w, before, limit);
    if (w->gap > limit) return status;
    return dci_patch_fill(w, d, before, o->margin, o->capacity, known) ? status : DC_E_OVERLAP;
}

DC_DEF dc_status dc_hull_manifold(const dc_hull_manifold_options *opt, const dc_hull_topology *a, const dc_pose *pose_a,
                                  const dc_hull_topology *b, const dc_pose *pose_b, dc_arena *mem, dc_hull_patch *m)
{
    static const dc_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    const dc_pose *pa = pose_a ? pose_a : &identity, *pb = pose_b ? pose_b : &identity;
    dc_hull_manifold_options o = DC_ZERO;
    dci_room room = {NULL, 0, 0};
    dci_patch w;
    dc_distance d;
    dc_status status;
    size_t used;

    if (opt) o = *opt;
    if (!mem || !m || !dci_topology_ok(a) || !dci_topology_ok(b) || !dc_pose_ok(pa) || !dc_pose_ok(pb)) return DC_E_ARG;
    if (!(o.margin >= 0 && o.margin <= DC_LIMIT) || !(o.share >= 0 && o.share < 1)) return DC_E_ARG;
    if (o.capacity < 0 || o.capacity > DC_HULL_CONTACTS || (o.planar && (a->dimension > 2 || b->dimension > 2)))
        return DC_E_ARG;
    if (o.share == 0) o.share = DC_R(0.05);
    if (o.capacity == 0) o.capacity = 4;

    d = m->distance;
    used = mem->used;
    room.arena = mem;
    status = dci_patch_take(&room, a->hull.n, b->hull.n, &w) ? DC_E_OVERLAP : DC_E_MEMORY;
    w.side[0].hull = a;
    w.side[1].hull = b;
    w.side[0].rotation = dc_rotation(pa->q);
    w.side[1].rotation = dc_rotation(pb->q);
    w.side[0].planar = w.side[1].planar = o.planar;
    w.side[0].normal = w.side[1].normal = dc_vec(0, 0, 0);
    w.slack = DCI_PATCH_SLACK*(a->reach + b->reach);
    w.rounding = 16*DC_EPS*(a->reach + b->reach);

    /* cuboids by their axes; apart that may be less than the distance */
    if (status == DC_E_OVERLAP && a->box && b->box) status = dci_patch_make(&w, &o, pa, pb, 1, mem, &d, m);
    if (status == DC_E_OVERLAP) status = dci_patch_make(&w, &o, pa, pb, 0, mem, &d, m);
    if (status == DC_OK || status == DC_E_DIVERGED) dci_patch_write(&w, &d, m);
    mem->used = used;
    return status;
}

/* ---- [manifold derivatives] hull queries: derivatives of a manifold ------------------------------- */

/* In: a patch, the velocity of every vertex. Out: the rates of n, points and gaps, features frozen. All of them follow
 * from velocities of vertices: a twist gives one to each, x' = v + w x (x - t), the derivative by a vertex to one
 * alone.
 *
 * stage                | reads                               | writes          | equation
 * dci_rate_plane       | three corners of the face, or two   | N, N'           | N = M/|M|, M a product of two edges
 * dci_rate_direction   | N, or the closest features          | n'              | the same of a x b, r, r less some u
 * dci_rate_point       | n', planes, vertices                | pa', pb', gap'  | (1) or (2)
 *
 * A vertex x against a plane, pb = x - g n:   g = (x - c).N/(n.N), differentiated                       (1)
 * Edges p + u e and r + v f, pa - pb = g n:   u' e - v' f - g' n = -(p' + u e' - r' - v f' - g n')       (2)
 * which with D = n.(e x f) is solved by products with f x n, e x n and e x f. */

typedef struct {
    dci_side side[2];
    dc_v3   velocity[2], spin[2];       /* of the bodies */
    int     vertex_side, vertex;        /* this vertex has a velocity of its own; -1: none */
    dc_v3   vertex_rate;
    dc_v3   origin;
    const dc_hull_patch *patch;
    dci_moving n, normal[2], plane[2];  /* n; the faces' normals; a point of each */
} dci_rates;

static dci_moving dci_rate_vertex(const dci_rates *r, int k, int i)
{
    dci_moving m;
    m.at = dci_side_point(&r->side[k], i);
    m.rate = dc_add(r->velocity[k], dc_cross(r->spin[k], dc_sub(m.at, r->side[k].shift)));
    if (k == r->vertex_side && i == r->vertex) m.rate = dc_add(m.rate, r->vertex_rate);
    return m;
}

/* unit, along `along`; 0: it has no direction beyond `least` */
static int dci_moving_unit(dci_moving *m, dc_v3 along, dc_real least)
{
    const dc_real length = dc_sqrt(dc_dot(m->at, m->at)), sign = dc_dot(m->at, along) < 0 ? -DC_R(1) : DC_R(1);
    if (!(length > least)) return 0;
    m->at = dc_scale(sign/length, m->at);
    m->rate = dc_scale(sign/length, m->rate);
    m->rate = dc_madd(m->rate, -dc_dot(m->at, m->rate), m->at);
    return 1;
}

/* p less what is along u, which need not be unit but not 0 */
static dci_moving dci_moving_across(dci_moving p, dci_moving u)
{
    const dc_real uu = dc_dot(u.at, u.at), t = dc_dot(p.at, u.at)/uu;
    const dc_real dt = (dc_dot(p.rate, u.at) + dc_dot(p.at, u.rate) - 2*t*dc_dot(u.at, u.rate))/uu;
    p.at = dc_madd(p.at, -t, u.at);
    p.rate = dc_madd(dc_madd(p.rate, -t, u.rate), -dt, u.at);
    return p;
}

/* three corners of face f, far apart */
static void dci_face_corners(const dc_hull_topology *t, int f, int corner[3])
{
    const int count = t->begin[f + 1] - t->begin[f];
    int i;
    for (i = 0; i < 3; ++i) corner[i] = t->corner[t->begin[f] + i*count/3];
}

/* the corners that carry the plane of side k's face: three, two, or one */
static int dci_rate_corners(const dci_rates *r, int k, int corner[3])
{
    const dci_side *s = &r->side[k];
    const dc_hull_topology *t = s->hull;
    int i;

    if (s->planar && t->dimension == 2) {
        corner[0] = t->corner[s->face];
        corner[1] = dci_half_end(t, s->face);
        return 2;
    }
    if (t->dimension < 2) {
        for (i = 0; i <= t->dimension; ++i) corner[i] = t->corner[i];
        return t->dimension + 1;
    }
    dci_face_corners(t, s->face, corner);
    return 3;
}

/* The plane of side k's face. That of a segment or point follows n, whose rate is known then. */
static int dci_rate_plane(dci_rates *r, int k)
{
    const dci_side *s = &r->side[k];
    dci_moving c[3], e;
    int corner[3], i, count = dci_rate_corners(r, k, corner);

    r->plane[k] = c[0] = dci_rate_vertex(r, k, corner[0]);
    for (i = 1; i < count; ++i) c[i] = dci_rate_vertex(r, k, corner[i]);
    if (count == 3) r->normal[k] = dci_moving_cross(dci_moving_sub(c[1], c[0]), dci_moving_sub(c[2], c[0]));
    else if (count == 2 && s->planar && s->hull->dimension == 2) {
        e = dci_moving_sub(c[1], c[0]);
        r->normal[k].at = dc_cross(e.at, dc_vec(0, 0, 1));
        r->normal[k].rate = dc_cross(e.rate, dc_vec(0, 0, 1));
    } else {
        r->normal[k] = r->n;
        if (count == 2) r->normal[k] = dci_moving_across(r->n, dci_moving_sub(c[1], c[0]));
    }
    return dci_moving_unit(&r->normal[k], r->patch->n, 0);
}

/* n' from the closest features of the cores */
static int dci_rate_features(dci_rates *r)
{
    const dc_distance *d = &r->patch->distance;
    const dc_real least = 16*DC_EPS*(r->side[0].hull->reach + r->side[1].hull->reach);
    dci_moving x[3], y[3], e = DC_ZERO, f = DC_ZERO;
    int i;

    for (i = 0; i < d->na; ++i) x[i] = dci_rate_vertex(r, 0, d->ia[i]);
    for (i = 0; i < d->nb; ++i) y[i] = dci_rate_vertex(r, 1, d->ib[i]);
    if (d->na > 1) e = dci_moving_sub(x[1], x[0]);
    if (d->nb > 1) f = dci_moving_sub(y[1], y[0]);
    if (d->na == 3) r->n = dci_moving_cross(e, dci_moving_sub(x[2], x[0]));
    else if (d->nb == 3) r->n = dci_moving_cross(f, dci_moving_sub(y[2], y[0]));
    else if (d->na == 2 && d->nb == 2) {
        /* of edges as good as parallel rounding alone has a product */
        r->n = dci_moving_cross(e, f);
        return dci_moving_unit(&r->n, r->patch->n,
                               DCI_PATCH_SLACK*dc_sqrt(dc_dot(e.at, e.at)*dc_dot(f.at, f.at)));
    } else {
        r->n = dci_moving_sub(x[0], y[0]);
        if (d->na == 2) r->n = dci_moving_across(r->n, e);
        if (d->nb == 2) r->n = dci_moving_across(r->n, f);
        return dci_moving_unit(&r->n, r->patch->n, least);
    }
    return dci_moving_unit(&r->n, r->patch->n, least*least);
}

/* n', and the faces' planes */
static int dci_rate_direction(dci_rates *r)
{
    const int from = r->patch->reference;

    if (!r->patch->count) return 0;
    r->n.at = r->patch->n;
    r->n.rate = dc_vec(0, 0, 0);
    if (from == 3) {
        if (!dci_rate_features(r)) return 0;
    } else {
        if (!dci_rate_plane(r, from - 1)) return 0;
        r->n = r->normal[from - 1];
    }
    return dci_rate_plane(r, 0) && dci_rate_plane(r, 1);
}

/* (2) of the edges p q of a and s t of b, at pa and pb; 0: parallel as seen along n */
static int dci_rate_edges(const dci_rates *r, const dci_moving p[2], const dci_moving q[2], dc_v3 pa, dc_v3 pb,
                          dc_v3 *dpa, dc_real *dgap)
{
    const dci_moving e = dci_moving_sub(p[1], p[0]), f = dci_moving_sub(q[1], q[0]);
    const dc_v3 n = r->n.at, cross = dc_cross(e.at, f.at);
    const dc_real D = dc_dot(n, cross), ee = dc_dot(e.at, e.at), ff = dc_dot(f.at, f.at);
    dc_real u, v, g = dc_dot(dc_sub(pa, pb), n);
    dc_v3 rhs;

    if (!(dc_abs(D) > DC_R(1e-6)*dc_sqrt(ee*ff))) return 0;
    u = dc_dot(dc_sub(pa, p[0].at), e.at)/ee;
    v = dc_dot(dc_sub(pb, q[0].at), f.at)/ff;
    rhs = dc_sub(dc_madd(p[0].rate, u, e.rate), dc_madd(q[0].rate, v, f.rate));
    rhs = dc_neg(dc_madd(rhs, -g, r->n.rate));
    *dpa = dc_madd(dc_madd(p[0].rate, u, e.rate), dc_dot(rhs, dc_cross(f.at, n))/D, e.at);
    *dgap = -dc_dot(rhs, cross)/D;
    return 1;
}

/* (1) for vertex i of side k and the other's face */
static int dci_rate_vertex_face(const dci_rates *r, int k, int i, dc_real gap, dc_v3 *dpa, dc_real *dgap)
{
    const dci_moving v = dci_rate_vertex(r, k, i), to = dci_moving_sub(v, r->plane[1 - k]), N = r->normal[1 - k];
    const dc_real s = dc_dot(r->n.at, N.at), turn = dc_dot(r->n.rate, N.at) + dc_dot(r->n.at, N.rate);
    const dc_real over = dc_dot(to.rate, N.at) + dc_dot(to.at, N.rate);

    if (!(dc_abs(s) > 0)) return 0;
    *dgap = k ? -(over + gap*turn)/s : (over - gap*turn)/s;
    *dpa = k ? dc_madd(dc_madd(v.rate, *dgap, r->n.at), gap, r->n.rate) : v.rate;
    return 1;
}

/* Rates of a pair on two edges, i0 i1 of a and j0 j1 of b. Edges that cross within the slack alone do so at an end of
 * b's: then (1) of that vertex. */
static int dci_rate_cross(const dci_rates *r, const int i[2], const int j[2], dc_v3 pa, dc_v3 pb, dc_v3 *dpa,
                          dc_real *dgap)
{
    const dc_real least = 64*DC_EPS*(r->side[0].hull->reach + r->side[1].hull->reach);
    dci_moving p[2], q[2];
    dc_v3 off;
    int k;

    for (k = 0; k < 2; ++k) {
        p[k] = dci_rate_vertex(r, 0, i[k]);
        q[k] = dci_rate_vertex(r, 1, j[k]);
    }
    off = dc_cross(dc_sub(pa, p[0].at), dci_unit(dc_sub(p[1].at, p[0].at)));
    for (k = 0; k < 2 && dc_dot(off, off) > least*least; ++k) {
        const dc_v3 e = dc_sub(pb, q[k].at);
        if (dc_dot(e, e) <= least*least)
            return dci_rate_vertex_face(r, 1, j[k], dc_dot(dc_sub(pa, pb), r->n.at), dpa, dgap);
    }
    return dci_rate_edges(r, p, q, pa, pb, dpa, dgap);
}

/* Rates of point i: of a, and of the gap; that of b follows. */
static int dci_rate_point(const dci_rates *r, int i, dc_v3 *dpa, dc_v3 *dpb, dc_real *dgap)
{
    const dc_hull_contact *c = &r->patch->point[i];
    const dc_distance *d = &r->patch->distance;
    const dc_hull_topology *a = r->side[0].hull, *b = r->side[1].hull;
    const dc_real ra = a->hull.radius, rb = b->hull.radius, gap = c->gap + (ra + rb);
    const dc_v3 n = r->n.at;
    const dc_v3 pa = dc_madd(dc_sub(c->pa, r->origin), ra, n), pb = dc_madd(dc_sub(c->pb, r->origin), -rb, n);
    dc_v3 x = dc_vec(0, 0, 0), y = x;
    int k, good = 1, ends[2], others[2];

    if (c->kind == DC_EDGE_EDGE) {
        ends[0] = a->corner[c->feature_a];
        ends[1] = dci_half_end(a, c->feature_a);
        others[0] = b->corner[c->feature_b];
        others[1] = dci_half_end(b, c->feature_b);
        good = dci_rate_cross(r, ends, others, pa, pb, dpa, dgap);
    } else if (c->kind == DC_WITNESS && d->na == 2 && d->nb == 2) {
        good = dci_rate_cross(r, d->ia, d->ib, pa, pb, dpa, dgap);
    } else if (c->kind == DC_WITNESS) {
        /* the gap by the weights, which do not count to first order; the vertex that there is stays one */
        for (k = 0; k < d->na; ++k) x = dc_madd(x, d->wa[k], dci_rate_vertex(r, 0, d->ia[k]).rate);
        for (k = 0; k < d->nb; ++k) y = dc_madd(y, d->wb[k], dci_rate_vertex(r, 1, d->ib[k]).rate);
        *dgap = dc_dot(n, dc_sub(x, y));
        *dpa = d->na > 1 && d->nb == 1 ? dc_madd(dc_madd(y, *dgap, n), gap, r->n.rate) : x;
    } else {
        k = c->kind == DC_FACE_VERTEX;
        good = dci_rate_vertex_face(r, k, k ? c->feature_b : c->feature_a, gap, dpa, dgap);
    }
    if (!good) return 0;

    *dpb = dc_madd(dc_madd(*dpa, -*dgap, n), -gap, r->n.rate);
    *dpa = dc_madd(*dpa, -ra, r->n.rate);
    *dpb = dc_madd(*dpb, rb, r->n.rate);
    return dc_finite3(*dpa) && dc_finite3(*dpb) && dc_finite(*dgap);
}

/* rates of all of the patch; 0: there are none */
typedef struct {
    dc_v3   n, pa[DC_HULL_CONTACTS], pb[DC_HULL_CONTACTS];
    dc_real gap[DC_HULL_CONTACTS];
} dci_patch_rates;

static DCI_NOINLINE int dci_rate_all(dci_rates *r, dci_patch_rates *out)
{
    int i;
    if (!dci_rate_direction(r)) return 0;
    out->n = r->n.rate;
    for (i = 0; i < r->patch->count; ++i)
        if (!dci_rate_point(r, i, &out->pa[i], &out->pb[i], &out->gap[i])) return 0;
    return 1;
}

/* do the indices of the patch fit these hulls? */
static int dci_patch_fits(const dc_hull_patch *m, const dc_hull_topology *a, const dc_hull_topology *b)
{
    const dc_distance *d = &m->distance;
    int i;

    if (m->count < 0 || m->count > DC_HULL_CONTACTS || m->reference < (m->count > 0) || m->reference > 3) return 0;
    if (d->na < 1 || d->na > 3 || d->nb < 1 || d->nb > 3 || !dc_finite3(m->n)) return 0;
    for (i = 0; i < d->na; ++i)
        if (d->ia[i] < 0 || d->ia[i] >= a->hull.n) return 0;
    for (i = 0; i < d->nb; ++i)
        if (d->ib[i] < 0 || d->ib[i] >= b->hull.n) return 0;
    if (m->face_a < 0 || m->face_b < 0) return 0;
    if (m->face_a >= (a->faces > 0 ? 2*a->edges : 2) || m->face_b >= (b->faces > 0 ? 2*b->edges : 2)) return 0;
    for (i = 0; i < m->count; ++i) {
        const dc_hull_contact *c = &m->point[i];
        const int edge = c->kind == DC_EDGE_EDGE;
        if (c->feature_a < 0 || c->feature_b < 0 || !dc_in_range(c->pa) || !dc_in_range(c->pb) || !dc_finite(c->gap))
            return 0;
        if (c->kind != DC_FACE_VERTEX && c->feature_a >= (edge ? 2*a->edges : a->hull.n)) return 0;
        if (c->kind != DC_VERTEX_FACE && c->feature_b >= (edge ? 2*b->edges : b->hull.n)) return 0;
    }
    return 1;
}

/* The patch to be differentiated, nothing moving; 0: DC_E_ARG. Whether it is one of the plane shows in its faces. */
static int dci_rate_open(dci_rates *r, const dc_hull_topology *a, const dc_pose *pose_a, const dc_hull_topology *b,
                         const dc_pose *pose_b, const dc_hull_patch *m)
{
    static const dc_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    const dc_pose *pose[2];
    int k;

    pose[0] = pose_a ? pose_a : &identity;
    pose[1] = pose_b ? pose_b : &identity;
    if (!m || !dci_topology_ok(a) || !dci_topology_ok(b) || !dc_pose_ok(pose[0]) || !dc_pose_ok(pose[1])) return 0;
    if (!dci_patch_fits(m, a, b)) return 0;
    r->patch = m;
    r->origin = m->count > 0 ? m->point[0].pa : pose[0]->t;
    r->side[0].hull = a;
    r->side[1].hull = b;
    r->side[0].face = m->face_a;
    r->side[1].face = m->face_b;
    for (k = 0; k < 2; ++k) {
        r->side[k].rotation = dc_rotation(pose[k]->q);
        r->side[k].shift = dc_sub(pose[k]->t, r->origin);
        r->side[k].planar = m->planar;
        r->velocity[k] = r->spin[k] = dc_vec(0, 0, 0);
        if (r->side[k].hull->dimension < 2 || (m->planar && r->side[k].hull->dimension == 2)) continue;
        if (m->planar || r->side[k].face >= r->side[k].hull->faces) return 0;
    }
    r->vertex_side = r->vertex = -1;
    r->vertex_rate = dc_vec(0, 0, 0);
    return 1;
}

DC_DEF dc_status dc_hull_manifold_jvp(const dc_hull_topology *a, const dc_pose *pose_a, const dc_hull_topology *b,
                                      const dc_pose *pose_b, const dc_hull_patch *m, const dc_real *twist, dc_v3 *dn,
                                      dc_v3 *dpa, dc_v3 *dpb, dc_real *dgap)
{
    dci_rates r;
    dci_patch_rates out;
    int i;

    if (!twist || !dci_rate_open(&r, a, pose_a, b, pose_b, m)) return DC_E_ARG;
    for (i = 0; i < 12; ++i)
        if (!dc_finite(twist[i])) return DC_E_ARG;
    for (i = 0; i < 2; ++i) {
        r.velocity[i] = dc_vec(twist[6*i], twist[6*i + 1], twist[6*i + 2]);
        r.spin[i] = dc_vec(twist[6*i + 3], twist[6*i + 4], twist[6*i + 5]);
    }
    if (!dci_rate_all(&r, &out)) return DC_E_SINGULAR;
    if (dn) *dn = out.n;
    for (i = 0; i < m->count; ++i) {
        if (dpa) dpa[i] = out.pa[i];
        if (dpb) dpb[i] = out.pb[i];
        if (dgap) dgap[i] = out.gap[i];
    }
    return DC_OK;
}

static void dci_rate_note(int *list, int *count, int i)
{
    int k;
    for (k = 0; k < *count; ++k)
        if (list[k] == i) return;
    list[(*count)++] = i;
}

/* the vertices of side k that the patch depends on, at most 6 + 2 of each point */
static int dci_rate_vertices(const dci_rates *r, int k, int *list)
{
    const dc_hull_patch *m = r->patch;
    const dc_hull_topology *t = r->side[k].hull;
    int corner[3], i, n = 0, count = dci_rate_corners(r, k, corner);

    for (i = 0; i < count; ++i) dci_rate_note(list, &n, corner[i]);
    for (i = 0; i < (k ? m->distance.nb : m->distance.na); ++i)
        dci_rate_note(list, &n, k ? m->distance.ib[i] : m->distance.ia[i]);
    for (i = 0; i < m->count; ++i) {
        const int f = k ? m->point[i].feature_b : m->point[i].feature_a;
        if (m->point[i].kind == DC_EDGE_EDGE) {
            dci_rate_note(list, &n, t->corner[f]);
            dci_rate_note(list, &n, dci_half_end(t, f));
        } else if (m->point[i].kind == (k ? DC_FACE_VERTEX : DC_VERTEX_FACE)) {
            dci_rate_note(list, &n, f);
        }
    }
    return n;
}

/* what is to be differentiated by all of the patch's numbers */
typedef struct { const dc_v3 *n, *pa, *pb; const dc_real *gap; } dci_patch_weights;

/* the derivative of their sum */
static dc_real dci_rate_sum(dci_rates *r, const dci_patch_weights *by)
{
    dci_patch_rates out;
    dc_real sum = 0;
    int i;

    if (!dci_rate_all(r, &out)) return dci_from_bits(DCI_NAN);
    if (by->n) sum += dc_dot(*by->n, out.n);
    for (i = 0; i < r->patch->count; ++i) {
        if (by->pa) sum += dc_dot(by->pa[i], out.pa[i]);
        if (by->pb) sum += dc_dot(by->pb[i], out.pb[i]);
        if (by->gap) sum += by->gap[i]*out.gap[i];
    }
    return sum;
}

/* by the vertices of side k */
static void dci_rate_by_vertices(dci_rates *r, int k, const dci_patch_weights *by, dc_real *grad)
{
    int list[6 + 2*DC_HULL_CONTACTS], n = dci_rate_vertices(r, k, list), i, j;

    for (i = 0; i < 3*r->side[k].hull->hull.n; ++i) grad[i] = 0;
    r->vertex_side = k;
    for (i = 0; i < n; ++i)
        for (j = 0; j < 3; ++j) {
            r->vertex = list[i];
            r->vertex_rate = dc_mul(&r->side[k].rotation, dc_vec(j == 0, j == 1, j == 2));
            grad[3*list[i] + j] = dci_rate_sum(r, by);
        }
    r->vertex_side = r->vertex = -1;
}

DC_DEF dc_status dc_hull_manifold_vjp(const dc_hull_topology *a, const dc_pose *pose_a, const dc_hull_topology *b,
                                      const dc_pose *pose_b, const dc_hull_patch *m, const dc_v3 *by_n,
                                      const dc_v3 *by_pa, const dc_v3 *by_pb, const dc_real *by_gap, dc_real *grad,
                                      dc_real *grad_a, dc_real *grad_b)
{
    dci_patch_weights by;
    dci_rates r;
    dc_real twist[12];
    int i, j;

    if (!grad || !dci_rate_open(&r, a, pose_a, b, pose_b, m) || (by_n && !dc_finite3(*by_n))) return DC_E_ARG;
    for (i = 0; i < m->count; ++i) {
        if ((by_pa && !dc_finite3(by_pa[i])) || (by_pb && !dc_finite3(by_pb[i]))) return DC_E_ARG;
        if (by_gap && !dc_finite(by_gap[i])) return DC_E_ARG;
    }
    by.n = by_n;
    by.pa = by_pa;
    by.pb = by_pb;
    by.gap = by_gap;

    /* by the twists, and only then into the caller's */
    for (j = 0; j < 12; ++j) {
        const dc_v3 along = dc_vec(j%3 == 0, j%3 == 1, j%3 == 2);
        for (i = 0; i < 2; ++i) {
            r.velocity[i] = j/6 == i && j%6 < 3 ? along : dc_vec(0, 0, 0);
            r.spin[i] = j/6 == i && j%6 >= 3 ? along : dc_vec(0, 0, 0);
        }
        twist[j] = dci_rate_sum(&r, &by);
        if (!dc_finite(twist[j])) return DC_E_SINGULAR;
    }
    r.spin[1] = dc_vec(0, 0, 0);
    for (j = 0; j < 12; ++j) grad[j] = twist[j];

    /* by the vertices */
    if (grad_a) dci_rate_by_vertices(&r, 0, &by, grad_a);
    if (grad_b) dci_rate_by_vertices(&r, 1, &by, grad_b);
    return DC_OK;
}

/* ---- [smooth manifold] hull queries: manifolds whose features fade --------------------------------- */

/* In: two topologies, poses, the velocity of every vertex. Out: n, weighted points, and their rates. All numbers carry
 * their rate; the first pass, in which nothing moves, finds what counts, later ones look at that alone.
 *
 * stage                 | reads                  | writes
 * dci_soft_geometry     | vertices, velocities   | normals, edges
 * dci_soft_direction    | them                   | n_k, z_k of a face of the Minkowski difference                 (1)
 * dci_soft_blend        | all z_k                | n                                                             (2)
 * dci_soft_fronts       | n, normals             | how far faces, edges, vertices face the other body
 * dci_soft_point        | n, fronts              | a point, its weight                                           (3)
 *
 *     z = (gap along n_k)/length - sum of B(violation/length),    B(x) = x^2/(1 - x^2/4)                          (1)
 * where a violation is how far a vertex lies beyond the features along n_k: two lengths, and they do not count;
 *     n = sum p n_k/|sum p n_k|,    p = max(z - theta, 0)^2,  theta such that sum p = 1                           (2)
 * the sparse argmax 1.5-entmax, C1 with its support within 1 of the best; and of a point on a line along n
 *     weight = S(gap) S(front) .. S(distance inside of every border)                                             (3)
 * with S the cubic step. */

#define DCI_SOFT_PARALLEL DC_R(0.02)    /* sine of two edges, at half of which their product is no direction */
#define DCI_SOFT_FRONT DC_R(0.1)        /* cosine against n, from which on a feature faces the other body in full */
#define DCI_SOFT_STEEP DC_R(0.02)       /* and from which on a face carries points */
#define DCI_SOFT_CROSS DC_R(0.01)       /* sine of edges seen along n, from which on they cross; 4 times: in full */
#define DCI_SOFT_LIES DC_R(0.05)        /* squared sine of n and an edge, from which on it crosses; 4 times: in full */
#define DCI_SOFT_TIE DC_R(0.25)         /* least |sum p n_k| */

typedef struct {
    dci_moving *vertex;                 /* [n] */
    dci_moving *normal;                 /* [faces] */
    dci_moving *along, *inward;         /* [half-edges] unit; across the edge, within its face */
    dci_dual   *extent;                 /* [half-edges] length */
    dci_dual   *face_front, *edge_front, *vertex_front;     /* 0: turned away from the other body, 1: towards it */
    dc_real     size;                   /* r, of the default length */
} dci_soft_body;

/* two features, and z of (1); edges in two orders: half-edges of a in either sense, of b in one */
typedef struct { dci_dual height; dc_hull_contact_kind kind; int i, j; } dci_soft_pair;

typedef struct {
    dci_rates     rates;
    dci_soft_body body[2];
    dci_soft_pair *direction, *point;   /* [directions], [points] */
    dci_moving    n;
    dci_dual      length, per_length;   /* and its inverse */
    dc_real       margin;
    int           chosen;               /* is the length that of the sizes? */
    int           directions, points, most, capacity, full;
} dci_soft;

/* S: 0 below from, 1 above to, C1 */
static dci_dual dci_dual_rise(dci_dual x, dc_real from, dc_real to)
{
    const dc_real t = (x.at - from)/(to - from);
    dci_dual s = {0, 0};
    if (!(t > 0)) return s;
    s.at = t < 1 ? t*t*(3 - 2*t) : 1;
    s.rate = t < 1 ? 6*t*(1 - t)/(to - from)*x.rate : 0;
    return s;
}

/* B of (1), C1; x below 2 */
static dci_dual dci_soft_barrier(dci_dual x)
{
    const dc_real q = 1 - DC_R(0.25)*x.at*x.at;
    dci_dual b = {0, 0};
    if (!(x.at > 0)) return b;
    b.at = x.at*x.at/q;
    b.rate = 2*x.at*x.rate/(q*q);
    return b;
}

/* Vertices, normals by three corners, edges. 0: a face or edge has no direction. */
static DCI_NOINLINE int dci_soft_geometry(dci_soft *w, int k)
{
    const dci_side *s = &w->rates.side[k];
    const dc_hull_topology *t = s->hull;
    dci_soft_body *b = &w->body[k];
    int i, f, h, corner[3];

    for (i = 0; i < t->hull.n; ++i) b->vertex[i] = dci_rate_vertex(&w->rates, k, i);
    for (f = 0; f < t->faces; ++f) {
        dci_face_corners(t, f, corner);
        b->normal[f] = dci_moving_cross(dci_moving_sub(b->vertex[corner[1]], b->vertex[corner[0]]),
                                        dci_moving_sub(b->vertex[corner[2]], b->vertex[corner[0]]));
        if (!dci_moving_unit(&b->normal[f], dc_mul(&s->rotation, t->normal[f]), 0)) return 0;
    }
    for (h = 0; h < 2*t->edges; ++h) {
        const dci_moving e = dci_moving_sub(b->vertex[dci_half_end(t, h)], b->vertex[t->corner[h]]);
        b->along[h] = e;
        if (!dci_moving_unit(&b->along[h], e.at, 0)) return 0;
        b->extent[h] = dci_dual_dot(e, b->along[h]);
        b->inward[h] = dci_moving_cross(b->normal[t->owner[h]], b->along[h]);
    }
    return 1;
}

/* height of vertex i of side k over face f of the other */
static dci_dual dci_soft_height(const dci_soft *w, int k, int i, int f)
{
    const dc_hull_topology *t = w->rates.side[1 - k].hull;
    const dci_soft_body *o = &w->body[1 - k];
    return dci_dual_dot(o->normal[f], dci_moving_sub(w->body[k].vertex[i], o->vertex[t->corner[t->begin[f]]]));
}

/* does no vertex of side k lie two lengths beyond x, the way sign out? */
static int dci_soft_bounds(const dci_soft *w, int k, dc_v3 x, dc_v3 out, dc_real sign)
{
    const dci_moving *vertex = w->body[k].vertex;
    const dc_real most = 2*w->length.at + sign*dc_dot(out, x);
    int i, n = w->rates.side[k].hull->hull.n;

    for (i = 0; i < n; ++i)
        if (!(sign*dc_dot(out, vertex[i].at) < most)) return 0;
    return 1;
}

/* takes from *z what vertices beyond x say against it; 0: too far beyond */
static int dci_soft_beyond(const dci_soft *w, int k, dci_moving x, dci_moving out, dc_real sign, dci_dual *z)
{
    const dci_moving *vertex = w->body[k].vertex;
    dci_dual past;
    int i, n = w->rates.side[k].hull->hull.n;

    for (i = 0; i < n; ++i) {
        past = dci_dual_mul(dci_dual_line(sign, dci_dual_dot(out, dci_moving_sub(vertex[i], x)), 0), w->per_length);
        if (!(past.at < 2)) return 0;
        *z = dci_dual_sub(*z, dci_soft_barrier(past));
    }
    return 1;
}

/* (1); 0: not a direction */
static DCI_NOINLINE int dci_soft_direction(const dci_soft *w, const dci_soft_pair *c, dci_moving *n, dci_dual *z)
{
    const dc_hull_topology *ta = w->rates.side[0].hull, *tb = w->rates.side[1].hull;
    const dci_soft_body *a = &w->body[0], *b = &w->body[1];

    if (c->kind == DC_EDGE_EDGE) {
        const dci_moving x = a->vertex[ta->corner[c->i]], y = b->vertex[tb->corner[c->j]];
        dci_moving cross;
        dci_dual sine;

        /* most are none: their numbers before their rates */
        n->at = dc_cross(a->along[c->i].at, b->along[c->j].at);
        sine.at = dc_sqrt(dc_dot(n->at, n->at));
        if (!(sine.at > DC_R(0.5)*DCI_SOFT_PARALLEL)) return 0;
        n->at = dc_scale(1/sine.at, n->at);
        if (!dci_soft_bounds(w, 0, x.at, n->at, -1) || !dci_soft_bounds(w, 1, y.at, n->at, 1)) return 0;
        *n = cross = dci_moving_cross(a->along[c->i], b->along[c->j]);
        if (!dci_moving_unit(n, cross.at, 0)) return 0;
        sine.rate = -DCI_SOFT_PARALLEL*dc_dot(n->at, cross.rate)/(sine.at*sine.at);
        sine.at = DCI_SOFT_PARALLEL/sine.at;
        if (!(sine.at < 2)) return 0;
        *z = dci_dual_mul(dci_dual_dot(*n, dci_moving_sub(x, y)), w->per_length);
        *z = dci_dual_sub(*z, dci_soft_barrier(sine));
        return dci_soft_beyond(w, 0, x, *n, -1, z) && dci_soft_beyond(w, 1, y, *n, 1, z);
    } else {
        const int k = c->kind == DC_FACE_VERTEX, vertex = k ? c->j : c->i, face = k ? c->i : c->j;
        const dc_hull_topology *t = k ? tb : ta;
        const dci_moving N = w->body[1 - k].normal[face];
        const dci_dual minus = {-2, 0};

        if (t->first[vertex] == t->first[vertex + 1]) return 0;
        if (!dci_soft_bounds(w, k, w->body[k].vertex[vertex].at, N.at, -1)) return 0;
        *n = k ? dci_moving_madd(N, minus, N) : N;
        *z = dci_dual_mul(dci_soft_height(w, k, vertex, face), w->per_length);
        return dci_soft_beyond(w, k, w->body[k].vertex[vertex], N, -1, z);
    }
}

/* those within 1 of the best stay */
static void dci_soft_purge(dci_soft *w, dc_real best)
{
    int i, n = 0;
    for (i = 0; i < w->directions; ++i)
        if (w->direction[i].height.at > best - 1) w->direction[n++] = w->direction[i];
    w->directions = n;
}

static void dci_soft_consider(dci_soft *w, dc_hull_contact_kind kind, int i, int j, dc_real *best)
{
    dci_soft_pair c = DC_ZERO;
    dci_moving n;

    c.kind = kind;
    c.i = i;
    c.j = j;
    if (!dci_soft_direction(w, &c, &n, &c.height) || !(c.height.at > *best - 1)) return;
    *best = dc_max(*best, c.height.at);
    if (w->directions == w->capacity) dci_soft_purge(w, *best);
    if (w->directions < w->capacity) w->direction[w->directions++] = c;
    else w->full = 1;
}

/* all directions that count */
static void dci_soft_search(dci_soft *w)
{
    const dc_hull_topology *a = w->rates.side[0].hull, *b = w->rates.side[1].hull;
    dc_real best = -DC_REAL_MAX;
    int i, j;

    w->directions = 0;
    for (i = 0; i < a->hull.n; ++i)
        for (j = 0; j < b->faces; ++j) dci_soft_consider(w, DC_VERTEX_FACE, i, j, &best);
    for (i = 0; i < a->faces; ++i)
        for (j = 0; j < b->hull.n; ++j) dci_soft_consider(w, DC_FACE_VERTEX, i, j, &best);
    for (i = 0; i < 2*a->edges; ++i)
        for (j = 0; j < 2*b->edges; ++j)
            if (j < b->twin[j]) dci_soft_consider(w, DC_EDGE_EDGE, i, j, &best);
    dci_soft_purge(w, best);
}

/* (2); 0: opposite directions */
static DCI_NOINLINE int dci_soft_blend(dci_soft *w)
{
    dc_real best = -DC_REAL_MAX, theta, drift, sum, squares, step;
    dci_moving n_k, *n = &w->n;
    int i, k;

    for (i = 0; i < w->directions; ++i) {
        dci_soft_pair *c = &w->direction[i];
        if (!dci_soft_direction(w, c, &n_k, &c->height)) return 0;
        best = dc_max(best, c->height.at);
    }

    /* theta: Newton's method from below, where the sum is convex and above 1: no step is too long */
    theta = best - 1;
    for (k = 0; k < 64; ++k) {
        sum = squares = 0;
        for (i = 0; i < w->directions; ++i) {
            const dc_real s = dc_max(w->direction[i].height.at - theta, 0);
            sum += s;
            squares += s*s;
        }
        step = (squares - 1)/(2*sum);
        if (!(step > 4*DC_EPS*(1 + dc_abs(best)))) break;
        theta += step;
    }

    /* its rate, sum of s (z' - theta') = 0; n */
    sum = drift = 0;
    for (i = 0; i < w->directions; ++i) {
        const dc_real s = dc_max(w->direction[i].height.at - theta, 0);
        sum += s;
        drift += s*w->direction[i].height.rate;
    }
    drift /= sum;
    n->at = n->rate = dc_vec(0, 0, 0);
    for (i = 0; i < w->directions; ++i) {
        const dc_real s = w->direction[i].height.at - theta;
        dci_dual p;
        if (!(s > 0) || !dci_soft_direction(w, &w->direction[i], &n_k, &w->direction[i].height)) continue;
        p.at = s*s;
        p.rate = 2*s*(w->direction[i].height.rate - drift);
        *n = dci_moving_madd(*n, p, n_k);
    }
    return dci_moving_unit(n, n->at, DCI_SOFT_TIE);
}

/* 1 - (1 - x)(1 - y) */
static dci_dual dci_dual_either(dci_dual x, dci_dual y)
{
    return dci_dual_line(-1, dci_dual_mul(dci_dual_line(-1, x, 1), dci_dual_line(-1, y, 1)), 1);
}

/* An edge or vertex faces the other body when one of its faces does. */
static DCI_NOINLINE void dci_soft_fronts(dci_soft *w, int k)
{
    const dc_hull_topology *t = w->rates.side[k].hull;
    dci_soft_body *b = &w->body[k];
    const dci_dual none = {0, 0};
    int i, h;

    for (i = 0; i < t->hull.n; ++i) b->vertex_front[i] = none;
    for (h = 0; h < 2*t->edges; ++h) {
        const dci_dual c = dci_dual_line(k ? DC_R(1) : -DC_R(1), dci_dual_dot(b->normal[t->owner[h]], w->n), 0);
        const dci_dual r = dci_dual_rise(c, 0, DCI_SOFT_FRONT);
        dci_dual *at = &b->vertex_front[t->corner[h]];
        b->face_front[t->owner[h]] = dci_dual_rise(c, DCI_SOFT_STEEP, DCI_SOFT_FRONT);
        b->edge_front[h] = r;
        *at = dci_dual_either(*at, r);
    }
    for (h = 0; h < 2*t->edges; ++h)
        if (h < t->twin[h]) {
            b->edge_front[h] = dci_dual_either(b->edge_front[h], b->edge_front[t->twin[h]]);
            b->edge_front[t->twin[h]] = b->edge_front[h];
        }
}

/* A point of the manifold: its two places, gap and weight, all with their rates. */
typedef struct { dci_moving pa, pb; dci_dual gap, weight; } dci_soft_place;

/* multiplies the weight by the step over x from -length to length; 0: nothing is left */
static int dci_soft_within(const dci_soft *w, dci_dual x, dci_dual *weight)
{
    *weight = dci_dual_mul(*weight, dci_dual_rise(dci_dual_mul(x, w->per_length), -1, 1));
    return weight->at > 0;
}

static int dci_soft_near(const dci_soft *w, dci_soft_place *p)
{
    const dci_dual left = dci_dual_line(1, dci_dual_sub(w->length, p->gap), w->margin);
    p->weight = dci_dual_mul(p->weight, dci_dual_rise(dci_dual_mul(left, w->per_length), 0, 1));
    return p->weight.at > 0;
}

/* how far an edge lies across n: those along it would cross others at any height */
static dci_dual dci_soft_lies(dci_moving edge, dci_moving n)
{
    const dci_dual c = dci_dual_dot(edge, n);
    return dci_dual_rise(dci_dual_line(-1, dci_dual_mul(c, c), 1), DCI_SOFT_LIES, 4*DCI_SOFT_LIES);
}

/* (3) of edges i of a and j of b: p + s e and q + t f on one line along n */
static int dci_soft_edges(const dci_soft *w, int i, int j, dci_soft_place *p)
{
    const dci_soft_body *a = &w->body[0], *b = &w->body[1];
    const dci_moving e = a->along[i], f = b->along[j], cross = dci_moving_cross(e, f);
    const dci_moving from_a = a->vertex[w->rates.side[0].hull->corner[i]];
    const dci_moving from_b = b->vertex[w->rates.side[1].hull->corner[j]], to = dci_moving_sub(from_b, from_a);
    const dci_dual D = dci_dual_dot(w->n, cross);
    dci_dual s, t;

    p->weight = dci_dual_mul(a->edge_front[i], b->edge_front[j]);
    if (!(p->weight.at > 0)) return 0;
    p->weight = dci_dual_mul(p->weight, dci_soft_lies(e, w->n));
    p->weight = dci_dual_mul(p->weight, dci_soft_lies(f, w->n));
    p->weight = dci_dual_mul(p->weight, dci_dual_rise(D.at < 0 ? dci_dual_line(-1, D, 0) : D, DCI_SOFT_CROSS,
                                                      4*DCI_SOFT_CROSS));
    if (!(p->weight.at > 0)) return 0;
    s = dci_dual_over(dci_dual_dot(w->n, dci_moving_cross(to, f)), D);
    t = dci_dual_over(dci_dual_dot(w->n, dci_moving_cross(to, e)), D);
    if (!dci_soft_within(w, s, &p->weight) || !dci_soft_within(w, dci_dual_sub(a->extent[i], s), &p->weight)) return 0;
    if (!dci_soft_within(w, t, &p->weight) || !dci_soft_within(w, dci_dual_sub(b->extent[j], t), &p->weight)) return 0;
    p->pa = dci_moving_madd(from_a, s, e);
    p->pb = dci_moving_madd(from_b, t, f);
    p->gap = dci_dual_dot(w->n, dci_moving_sub(p->pa, p->pb));
    return dci_soft_near(w, p);
}

/* (3) of vertex i of side k and face f of the other */
static int dci_soft_over(const dci_soft *w, int k, int i, int f, dci_soft_place *p)
{
    const dc_hull_topology *t = w->rates.side[1 - k].hull;
    const dci_soft_body *o = &w->body[1 - k];
    const dci_moving x = w->body[k].vertex[i];
    const dci_dual c = dci_dual_line(k ? -DC_R(1) : DC_R(1), dci_dual_dot(o->normal[f], w->n), 0);
    dci_moving y;
    int h;

    p->weight = dci_dual_mul(w->body[k].vertex_front[i], o->face_front[f]);
    if (!(p->weight.at > 0)) return 0;
    p->gap = dci_dual_over(dci_soft_height(w, k, i, f), c);
    if (!dci_soft_near(w, p)) return 0;
    y = dci_moving_madd(x, dci_dual_line(k ? DC_R(1) : -DC_R(1), p->gap, 0), w->n);
    for (h = t->begin[f]; h < t->begin[f + 1]; ++h)
        if (!dci_soft_within(w, dci_dual_dot(o->inward[h], dci_moving_sub(y, o->vertex[t->corner[h]])), &p->weight))
            return 0;
    p->pa = k ? y : x;
    p->pb = k ? x : y;
    return 1;
}

/* The point of two features; 0: it has no weight. */
static DCI_NOINLINE int dci_soft_point(const dci_soft *w, const dci_soft_pair *c, dci_soft_place *p)
{
    if (c->kind == DC_EDGE_EDGE) return dci_soft_edges(w, c->i, c->j, p);
    return c->kind == DC_VERTEX_FACE ? dci_soft_over(w, 0, c->i, c->j, p) : dci_soft_over(w, 1, c->j, c->i, p);
}

static int dci_soft_finite(const dci_soft_place *p)
{
    return dc_finite3(p->pa.at) && dc_finite3(p->pb.at) && dc_finite(p->gap.at) && dc_finite3(p->pa.rate)
        && dc_finite3(p->pb.rate) && dc_finite(p->gap.rate) && dc_finite(p->weight.rate);
}

static void dci_soft_note(dci_soft *w, dc_hull_contact_kind kind, int i, int j)
{
    dci_soft_pair c;
    dci_soft_place p;

    c.kind = kind;
    c.i = i;
    c.j = j;
    c.height.at = c.height.rate = 0;
    if (!dci_soft_point(w, &c, &p)) return;
    if (w->points < w->most) w->point[w->points] = c;
    ++w->points;
}

/* All points; those that face away are passed over at once. */
static void dci_soft_gather(dci_soft *w)
{
    const dc_hull_topology *a = w->rates.side[0].hull, *b = w->rates.side[1].hull;
    int i, j;

    w->points = 0;
    for (i = 0; i < a->hull.n; ++i)
        for (j = 0; j < b->faces && w->body[0].vertex_front[i].at > 0; ++j) dci_soft_note(w, DC_VERTEX_FACE, i, j);
    for (i = 0; i < a->faces; ++i)
        for (j = 0; j < b->hull.n && w->body[0].face_front[i].at > 0; ++j) dci_soft_note(w, DC_FACE_VERTEX, i, j);
    for (i = 0; i < 2*a->edges; ++i) {
        if (i > a->twin[i] || !(w->body[0].edge_front[i].at > 0)) continue;
        for (j = 0; j < 2*b->edges; ++j)
            if (j < b->twin[j]) dci_soft_note(w, DC_EDGE_EDGE, i, j);
    }
}

/* Arrays of all but the directions for hulls of na and nb points; 0: they do not fit. */
static DCI_NOINLINE int dci_soft_take(dci_room *room, int na, int nb, int most, dci_soft *w)
{
    int k;
    for (k = 0; k < 2; ++k) {
        /* at most 2n - 4 faces and 6n - 12 half-edges, of a triangle two and six */
        const size_t n = (size_t)(k ? nb : na);
        dci_soft_body *b = &w->body[k];
        b->vertex = DCI_TAKE(room, n, dci_moving);
        b->normal = DCI_TAKE(room, 2*n, dci_moving);
        b->along = DCI_TAKE(room, 6*n, dci_moving);
        b->inward = DCI_TAKE(room, 6*n, dci_moving);
        b->extent = DCI_TAKE(room, 6*n, dci_dual);
        b->face_front = DCI_TAKE(room, 2*n, dci_dual);
        b->edge_front = DCI_TAKE(room, 6*n, dci_dual);
        b->vertex_front = DCI_TAKE(room, n, dci_dual);
    }
    w->point = DCI_TAKE(room, most, dci_soft_pair);
    return !room->full;
}

DC_DEF size_t dc_hull_smooth_bytes(int na, int nb, int most)
{
    dci_room room = {NULL, 0, 0};
    dci_soft w;
    if (na < 1 || nb < 1 || na > 1 << 24 || nb > 1 << 24 || most < 0) return 0;
    dci_soft_take(&room, na, nb, most, &w);

    /* directions: na 2nb + 2na nb of vertices and faces, 6na 3nb of edges */
    room.bytes = dc_bytes(room.bytes, dc_bytes(0, 22*(size_t)na, (size_t)nb), sizeof(dci_soft_pair));
    return dci_counted(&room);
}

/* r = sqrt(mean of |v - mean of v|^2): smooth in every point, where the farthest of a box are eight */
static dc_real dci_soft_size(const dc_hull_topology *t)
{
    dc_real sum = 0;
    int i;
    for (i = 0; i < t->hull.n; ++i) {
        const dc_v3 e = dc_sub(t->hull.v[i], t->centre);
        sum += dc_dot(e, e);
    }
    return dc_sqrt(sum/DC_R(t->hull.n));
}

/* r_a r_b/(10 (r_a + r_b)) or the caller's, and its rate where a vertex moves: r' = (v - mean).v'/(n r) */
static void dci_soft_length(dci_soft *w)
{
    const dci_rates *r = &w->rates;
    const int k = r->vertex_side;

    w->length.rate = 0;
    if (w->chosen && k >= 0 && r->vertex >= 0) {
        const dc_hull *hull = &r->side[k].hull->hull;
        const dc_v3 e = dc_sub(hull->v[r->vertex], r->side[k].hull->centre);
        const dc_real own = w->body[k].size;                    /* above 0: the length is */
        const dc_real share = w->body[1 - k].size/(own + w->body[1 - k].size);
        w->length.rate = DC_R(0.1)*share*share*dc_dot(dc_mul_t(&r->side[k].rotation, r->vertex_rate), e)
            /(DC_R(hull->n)*own);
    }
    w->per_length.at = 1/w->length.at;
    w->per_length.rate = -w->length.rate*w->per_length.at*w->per_length.at;
}

static int dci_soft_ok(const dc_hull_topology *t)
{
    return dci_topology_ok(t) && t->dimension >= 2 && t->hull.radius == 0;
}

/* Everything in its place and the first pass made. The arena is left as it is: the caller gives back. */
static DCI_NOINLINE dc_status dci_soft_open(dci_soft *w, const dc_hull_smooth_options *opt, const dc_hull_topology *a,
                                            const dc_pose *pose_a, const dc_hull_topology *b, const dc_pose *pose_b,
                                            dc_arena *mem, int most)
{
    static const dc_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    const dc_pose *pose[2];
    dc_hull_smooth_options o = DC_ZERO;
    dci_room room = {NULL, 0, 0};
    size_t left;
    int k;

    if (opt) o = *opt;
    pose[0] = pose_a ? pose_a : &identity;
    pose[1] = pose_b ? pose_b : &identity;
    if (!mem || most < 0 || !dci_soft_ok(a) || !dci_soft_ok(b) || !dc_pose_ok(pose[0]) || !dc_pose_ok(pose[1]))
        return DC_E_ARG;
    if (!(o.length >= 0 && o.length <= DC_LIMIT) || !(o.margin >= 0 && o.margin <= DC_LIMIT)) return DC_E_ARG;

    /* the bodies, nothing moving */
    w->rates.side[0].hull = a;
    w->rates.side[1].hull = b;
    w->rates.origin = dc_scale(DC_R(0.5), dc_add(pose[0]->t, pose[1]->t));
    w->rates.vertex_side = w->rates.vertex = -1;
    w->rates.vertex_rate = dc_vec(0, 0, 0);
    w->rates.patch = NULL;
    for (k = 0; k < 2; ++k) {
        w->rates.side[k].rotation = dc_rotation(pose[k]->q);
        w->rates.side[k].shift = dc_sub(pose[k]->t, w->rates.origin);
        w->rates.velocity[k] = w->rates.spin[k] = dc_vec(0, 0, 0);
        w->body[k].size = dci_soft_size(w->rates.side[k].hull);
    }
    w->margin = o.margin;
    w->chosen = !(o.length > 0);
    w->length.at = o.length;
    if (w->chosen) w->length.at = DC_R(0.1)*w->body[0].size/(1 + w->body[0].size/w->body[1].size);
    if (!(w->length.at > DC_EPS*(w->body[0].size + w->body[1].size))) return DC_E_ARG;
    dci_soft_length(w);

    /* memory: the directions have what is left */
    room.arena = mem;
    w->most = most;
    if (!dci_soft_take(&room, a->hull.n, b->hull.n, most, w)) return DC_E_MEMORY;
    left = mem->size - mem->used;
    left = left > 64 ? (left - 64)/sizeof *w->direction : 0;
    w->capacity = left < (size_t)INT_MAX ? (int)left : INT_MAX;
    w->direction = DCI_TAKE(&room, w->capacity, dci_soft_pair);
    if (!w->direction || !w->capacity) return DC_E_MEMORY;

    /* n; points */
    w->full = w->points = 0;
    if (!dci_soft_geometry(w, 0) || !dci_soft_geometry(w, 1)) return DC_E_SINGULAR;
    dci_soft_search(w);
    if (w->full) return DC_E_MEMORY;
    if (!w->directions) return DC_E_RANGE;
    if (!dci_soft_blend(w)) return DC_E_SINGULAR;
    for (k = 0; k < 2; ++k) dci_soft_fronts(w, k);
    dci_soft_gather(w);
    return DC_OK;
}

/* another pass, with the velocities that the vertices have now */
static int dci_soft_again(dci_soft *w)
{
    int k;
    dci_soft_length(w);
    for (k = 0; k < 2; ++k)
        if (!dci_soft_geometry(w, k)) return 0;
    if (!dci_soft_blend(w)) return 0;
    for (k = 0; k < 2; ++k) dci_soft_fronts(w, k);
    return 1;
}

DC_DEF dc_status dc_hull_smooth(const dc_hull_smooth_options *opt, const dc_hull_topology *a, const dc_pose *pose_a,
                                const dc_hull_topology *b, const dc_pose *pose_b, dc_arena *mem, int most, dc_v3 *n,
                                dc_hull_soft *point, int *count)
{
    const size_t used = mem ? mem->used : 0;
    dci_soft w;
    dci_soft_place at;
    dc_status status;
    int i;

    if (!n || !count || (!point && most > 0)) return DC_E_ARG;
    status = dci_soft_open(&w, opt, a, pose_a, b, pose_b, mem, most);
    if (status == DC_OK) {
        *count = w.points;
        if (w.points > most) status = DC_E_MEMORY;
    }

    /* do all fit? then they are written */
    for (i = 0; i < w.points && status == DC_OK; ++i) {
        (void)dci_soft_point(&w, &w.point[i], &at);
        if (!dci_soft_finite(&at)) status = DC_E_RANGE;
    }
    if (status == DC_OK) {
        *n = w.n.at;
        for (i = 0; i < w.points; ++i) {
            const dci_soft_pair *c = &w.point[i];
            dc_hull_soft *p = &point[i];
            const int edges = c->kind == DC_EDGE_EDGE;
            (void)dci_soft_point(&w, c, &at);
            p->pa = dc_add(w.rates.origin, at.pa.at);
            p->pb = dc_add(w.rates.origin, at.pb.at);
            p->gap = at.gap.at;
            p->weight = at.weight.at;
            p->kind = c->kind;
            p->feature_a = c->i;
            p->feature_b = c->j;
            p->id = dci_patch_id(c->kind, edges ? dci_half_least(a, c->i) : c->i,
                                 edges ? dci_half_least(b, c->j) : c->j);
        }
    }
    if (mem) mem->used = used;
    return status;
}

DC_DEF dc_status dc_hull_smooth_jvp(const dc_hull_smooth_options *opt, const dc_hull_topology *a, const dc_pose *pose_a,
                                    const dc_hull_topology *b, const dc_pose *pose_b, const dc_real *twist,
                                    dc_arena *mem, int most, dc_v3 *dn, dc_hull_soft_rate *rate, int *count)
{
    const size_t used = mem ? mem->used : 0;
    dci_soft w;
    dci_soft_place at;
    dc_status status;
    int i;

    if (!twist || !dn || !count || (!rate && most > 0)) return DC_E_ARG;
    for (i = 0; i < 12; ++i)
        if (!dc_finite(twist[i])) return DC_E_ARG;
    status = dci_soft_open(&w, opt, a, pose_a, b, pose_b, mem, most);
    if (status == DC_OK) {
        *count = w.points;
        if (w.points > most) status = DC_E_MEMORY;
    }

    /* the same points once more, with their rates */
    if (status == DC_OK) {
        for (i = 0; i < 2; ++i) {
            w.rates.velocity[i] = dc_vec(twist[6*i], twist[6*i + 1], twist[6*i + 2]);
            w.rates.spin[i] = dc_vec(twist[6*i + 3], twist[6*i + 4], twist[6*i + 5]);
        }
        if (!dci_soft_again(&w)) status = DC_E_SINGULAR;
        else if (!dc_finite3(w.n.rate)) status = DC_E_RANGE;
    }
    for (i = 0; i < w.points && status == DC_OK; ++i) {
        (void)dci_soft_point(&w, &w.point[i], &at);
        if (!dci_soft_finite(&at)) status = DC_E_RANGE;
    }
    if (status == DC_OK) {
        *dn = w.n.rate;
        for (i = 0; i < w.points; ++i) {
            (void)dci_soft_point(&w, &w.point[i], &at);
            rate[i].pa = at.pa.rate;
            rate[i].pb = at.pb.rate;
            rate[i].gap = at.gap.rate;
            rate[i].weight = at.weight.rate;
        }
    }
    if (mem) mem->used = used;
    return status;
}

/* the derivative of the sum that vjp is of, by the velocities that there are now */
static dc_real dci_soft_sum(dci_soft *w, const dc_v3 *by_n, const dc_hull_soft_rate *by)
{
    dci_soft_place at;
    dc_real sum;
    int i;

    if (!dci_soft_again(w)) return dci_from_bits(DCI_NAN);
    sum = by_n ? dc_dot(*by_n, w->n.rate) : 0;
    for (i = 0; i < w->points; ++i) {
        (void)dci_soft_point(w, &w->point[i], &at);
        sum += dc_dot(by[i].pa, at.pa.rate) + dc_dot(by[i].pb, at.pb.rate);
        sum += by[i].gap*at.gap.rate + by[i].weight*at.weight.rate;
    }
    return sum;
}

DC_DEF dc_status dc_hull_smooth_vjp(const dc_hull_smooth_options *opt, const dc_hull_topology *a, const dc_pose *pose_a,
                                    const dc_hull_topology *b, const dc_pose *pose_b, dc_arena *mem, int count,
                                    const dc_v3 *by_n, const dc_hull_soft_rate *by, dc_real *grad, dc_real *grad_a,
                                    dc_real *grad_b)
{
    const size_t used = mem ? mem->used : 0;
    dc_real twist[12], *to[2];
    dci_soft w;
    dc_status status;
    int i, j, k;

    if (!grad || count < 0 || (!by && count > 0) || (by_n && !dc_finite3(*by_n))) return DC_E_ARG;
    for (i = 0; i < count; ++i)
        if (!dc_finite3(by[i].pa) || !dc_finite3(by[i].pb) || !dc_finite(by[i].gap) || !dc_finite(by[i].weight))
            return DC_E_ARG;
    status = dci_soft_open(&w, opt, a, pose_a, b, pose_b, mem, count);
    if (status == DC_OK && w.points != count) status = DC_E_ARG;

    /* by the twists, and only then into the caller's */
    for (j = 0; j < 12 && status == DC_OK; ++j) {
        const dc_v3 along = dc_vec(j%3 == 0, j%3 == 1, j%3 == 2);
        for (i = 0; i < 2; ++i) {
            w.rates.velocity[i] = j/6 == i && j%6 < 3 ? along : dc_vec(0, 0, 0);
            w.rates.spin[i] = j/6 == i && j%6 >= 3 ? along : dc_vec(0, 0, 0);
        }
        twist[j] = dci_soft_sum(&w, by_n, by);
        if (!dc_finite(twist[j])) status = DC_E_RANGE;
    }
    to[0] = grad_a;
    to[1] = grad_b;
    for (j = 0; j < 12 && status == DC_OK; ++j) grad[j] = twist[j];

    /* by the vertices */
    w.rates.spin[1] = dc_vec(0, 0, 0);
    for (k = 0; k < 2 && status == DC_OK; ++k) {
        w.rates.vertex_side = k;
        for (i = 0; to[k] && i < w.rates.side[k].hull->hull.n; ++i)
            for (j = 0; j < 3; ++j) {
                w.rates.vertex = i;
                w.rates.vertex_rate = dc_mul(&w.rates.side[k].rotation, dc_vec(j == 0, j == 1, j == 2));
                to[k][3*i + j] = dci_soft_sum(&w, by_n, by);
            }
    }
    if (mem) mem->used = used;
    return status;
}

/* ---- [plane] pair potentials: the minimising plane ----------------------------------------------- */
/* Minimise over the plane (n, d)
 *
 *     f(n, d) = R(|n|) + sum_k h(a_k),     a_k = s_k(<x_k,n> + d) - r |n|                  (LRI Eq. 3, SDRS Eq. 7, 16),
 *
 * r the radius of its hull. da_k/dn = s_k (x_k - s_k r u): all is as with vertices that are next to the plane on their
 * balls, but that the balls bend f by sum r |h'|/|n| across n.
 *
 * DC_GLOBAL is solved in reduced form. G(n,d) = sum 1/a_k is homogeneous of degree -1, so that along a ray
 * c/(1-|n|) + G and |n| + G are minimised in closed form, and over the rays by the same one:
 *
 *     G* = min_{|u|=1,o} G(u,o),    min |n| + G = 2 sqrt G*  at  |n| = G = sqrt G*,
 *     P  = ( sqrt c + sqrt G* )^2   at  |n| = sqrt G* / (sqrt c + sqrt G*).
 *
 * So R(r) = r while solving: n cannot leave the unit ball and 1-|n| never cancels.
 *
 * The Hessian A = [ sum D y y^T ] + R'' u u^T + R'/|n| (I - u u^T), y = (1, x-q), D = h'' (SDRS Eq. 30, 32), has
 * entries that differ by (g/L)^2. A symmetric factorisation is accurate under any diagonal scaling; so A is formed
 * about q = sum D x/sum D, in axes (u, b1, b2) whose b1, b2 diagonalise the lateral spread sum D r r^T where that is
 * nearly singular. There the scaled matrix is well conditioned. A QR step would do the same with one more array of
 * rows.
 *
 * In: barrier, hulls, a feasible plane. Out: the minimising plane; DC_OK, DC_E_DIVERGED or DC_E_RANGE.
 *
 * stage                | reads                       | writes                            | equation
 * dci_pair_energy      | barrier, hulls, a plane     | slack (or trial), least           | f
 * dci_pair_terms       | barrier, hulls, slack       | term, slope, curvature; moves q   | f_k, D_k
 * dci_pair_frame       | term, plane                 | frame, gradient, lower, inverse   | A = L diag(1/W) L^T
 * dci_pair_moved       | plane, frame, step          | the normal after it               |
 * dci_pair_rescale     | plane                       | plane                             | |n| = sqrt G*
 * dci_pair_newton      | all of these                | plane                             | grad f = 0 */

/* Newton steps; the most in 200 000 random pairs: 38 in double, 41 in float. Next to contact a vertex that leaves gains
 * half of its slack in each: 92 from rounding to the size. */
#define DCI_PAIR_STEPS 120
#define DCI_WARM_STEPS 30       /* a warm start that takes more was none */
#define DCI_LINE_STEPS 40
/* DCI_PAIR_FLOOR: the largest noise that may pass for convergence of DC_LOCAL: its Hessian feels slacks by their 7th
 * power. DCI_PAIR_SETTLED: the largest decrement, over f, of a warm start that is believed. */
#if DC_IS_FLOAT
#define DCI_LEAST_SUPPORT DC_R(0.01)
#define DCI_PAIR_FLOOR DC_R(1e-3)
#define DCI_PAIR_SETTLED DC_R(1e-6)
#else
#define DCI_LEAST_SUPPORT DC_R(0.001)
#define DCI_PAIR_FLOOR DC_R(1e-4)
#define DCI_PAIR_SETTLED DC_R(1e-10)
#endif
/* a scaled DC_LOCAL value below it counts as zero: its derivatives underflow */
#define DCI_PAIR_LEAST (DC_REAL_MIN/DC_EPS)

/* When the iteration stops, by dec2, the square of Newton's decrement, about twice what f has still to fall.
 * Where it is not rounding: dec2 is at most this share of eps f. After a fall by DCI_STOP_FAST convergence is quadratic
 * and the next dec2 is about dec2^2/f, far below; it is not while a vertex enters the support of DC_LOCAL. */
#define DCI_STOP_FAST DC_R(1e-3)
#define DCI_STOP_AFTER_FAST DC_R(0.1)
#define DCI_STOP_AFTER_SLOW DC_R(1e-4)
/* Where it is: slacks carry DCI_STOP_NOISE of the coordinates over them; with a dec2 below DCI_STOP_FLOOR noise^2 f the
 * iterate is at the floor, where dec2 stops to fall: it is more than DCI_STOP_FALL of the one before. Below noise^2 f
 * once is enough, above it has to be so DCI_STOP_STALLS times, since a step may be a bad one by chance. */
#define DCI_STOP_NOISE (16*DC_EPS)
#define DCI_STOP_FLOOR 100
#define DCI_STOP_FALL DC_R(0.7)
#define DCI_STOP_STALLS 4

/* h and the radial term. DC_LOCAL: everything is computed times scale^5, so that scale ~ slack cannot overflow */
typedef struct {
    dc_barrier kind;
    dc_real weight, support;        /* c; s in local units */
    dc_real kappa, ratio;           /* h = kappa/x: 1 while solving, then ratio, length over unit */
    dc_real scale;                  /* x0 */
} dci_barrier;

/* the hulls, constant once loaded; local units are about `origin`, `unit` long */
typedef struct {
    int count_a, count;             /* vertices of a; of both */
    dc_v3 *vertex;                  /* [count] in local units: (x - origin)/unit */
    dc_v3 origin;
    dc_real unit, size;             /* length of a local unit; largest local coordinate, radius included */
    dc_real radius[2];              /* r of a and b, in local units */
} dci_pair_hulls;

/* the iterate, in local units: slack = s_k(<v - centre, normal> + offset) - r |normal| */
typedef struct {
    dc_real *slack, *trial;         /* [count] */
    dc_v3 normal, centre;           /* nrm, q */
    dc_real offset;                 /* dq */
    dc_real length;                 /* r = |nrm|, where terms were made last */
    dc_real defect;                 /* 1-|nrm|, kept for DC_LOCAL beside nrm, from which it would cancel */
    dc_real least;                  /* distance to the plane of the vertex next to it */
} dci_pair_plane;

/* u along the plane's normal, b1 and b2 across */
typedef struct { dc_v3 axis, side_1, side_2; } dci_axes;

/* One loaded vertex at the plane */
typedef struct {
    dc_real force;                  /* f_k = s_k h'(a_k), s_k = +1 on a, -1 on b */
    dc_real stiffness;              /* D_k = h''(a_k) */
    dc_real local[3];               /* z, x, y: x_k - s_k r u - q along u, b1, b2 */
    int vertex;                     /* k */
} dci_term;

/* gradient and Hessian of f at the plane, by (dq, n_u, n_b1, n_b2) */
typedef struct {
    dci_term *term;                 /* [count], the first `terms` in use: a's, then b's */
    int terms;
    dc_real slope, curvature;       /* of the radial term: R'(r), R''(r) */
    dc_real bend;                   /* sum r |h'_k|: what the radii add to R' across n */
    dci_axes frame;
    dc_real gradient[4];
    dc_real lower[6], inverse[4];   /* L, W: A = L diag(1/W) L^T */
} dci_pair_system;

/* room for the derivatives; here, in the arena, and not on the stack */
typedef struct {
    dc_real *rows;                  /* [12 count] rows of L^-1 C^T by vertex; points of the vertices */
    dc_real map[2][12];             /* the poses as maps */
    dc_real gradient[12];           /* by twists */
    dc_real own[12][6];             /* Hessian of each body but for the last term */
    dc_real cross[24][4];           /* L^-1 C^T of twists or maps */
    dc_real force[2][4], coupling[2][4][4], spread[2][4][4];    /* sums of f X, D X y^T, D X X^T */
} dci_pair_scratch;

typedef struct {
    dci_barrier barrier;
    dci_pair_hulls hulls;
    dci_pair_plane plane;
    dci_pair_system newton;
    dci_pair_scratch work;
} dci_pair;

/* P_s(x) = w^4/x^5, w = s - x > 0, times x0^5; 0 for x >= s                  (SDRS section IV-B) */
static dc_real dci_ps(const dci_barrier *barrier, dc_real x)
{
    dc_real w = barrier->support - x, t, w2, t2;
    if (!(w > 0)) return 0;
    t = barrier->scale/x;
    w2 = w*w;
    t2 = t*t;
    return w2*w2*t2*t2*t;
}

/* P_s'  = -w^3 (4x + 5w)/x^6
 * P_s'' =  w^2 (12x^2 + 40xw + 30w^2)/x^7,   no term cancels
 *
 * Returns P_s'; P_s'' goes to *second, which may be NULL. */
static dc_real dci_ps_grad(const dci_barrier *barrier, dc_real x, dc_real *second)
{
    dc_real w = barrier->support - x, ix, t, t2, k;
    if (second) *second = 0;
    if (!(w > 0)) return 0;
    ix = 1/x;
    t = barrier->scale*ix;
    t2 = t*t;
    k = w*w*t2*t2*t*ix;
    if (second) *second = k*ix*(12*x*x + 40*x*w + 30*w*w);
    return -k*w*(4*x + 5*w);
}

/* largest power of two <= x, for normal x > 0 */
static dc_real dci_floor_pow2(dc_real x) { return dci_from_bits(dci_to_bits(x) & DCI_INF); }

/* x0 for slacks of this size */
static void dci_pair_set_x0(dci_barrier *barrier, dc_real slack)
{
    barrier->scale = dci_floor_pow2(dc_min(slack, barrier->support));
}

/* |n| > 0: no plane with n = 0 has positive slacks on both sides */
static dc_real dci_pair_length(const dci_pair *p) { return dc_sqrt(dc_dot(p->plane.normal, p->plane.normal)); }

/* has one of the hulls a radius? */
static int dci_pair_round(const dci_pair *p) { return p->hulls.radius[0] + p->hulls.radius[1] > 0; }

/* slacks of the plane (nrm, dq) about q */
static void dci_pair_slacks(const dci_pair *p, dc_v3 nrm, dc_real dq, dc_real *slack)
{
    const dc_v3 *v = p->hulls.vertex, q = p->plane.centre;
    const int na = p->hulls.count_a, n = p->hulls.count;
    int k;
    for (k = 0; k < na; ++k) slack[k] = dc_dot(dc_sub(v[k], q), nrm) + dq;
    for (; k < n; ++k) slack[k] = -(dc_dot(dc_sub(v[k], q), nrm) + dq);
    if (dci_pair_round(p)) {
        const dc_real r = dc_sqrt(dc_dot(nrm, nrm));
        for (k = 0; k < n; ++k) slack[k] -= r*p->hulls.radius[k >= na];
    }
}

/* the least slacks of a and of b */
typedef struct { dc_real a, b; } dci_least;

static dci_least dci_pair_least(const dci_pair *p, const dc_real *slack)
{
    dci_least least;
    int k;
    least.a = least.b = DC_REAL_MAX;
    for (k = 0; k < p->hulls.count_a; ++k) least.a = dc_min(least.a, slack[k]);
    for (; k < p->hulls.count; ++k) least.b = dc_min(least.b, slack[k]);
    return least;
}

/* f at the plane (nrm, dq) about q, and its slacks; -1 when one of them or the defect 1-|n|, which DC_GLOBAL does not
 * read, is not positive. Writes `least`, the least slack over |n|. */
static dc_real dci_pair_energy(dci_pair *p, dc_v3 nrm, dc_real defect, dc_real dq, dc_real *slack)
{
    dc_real least, f = 0, r = dc_sqrt(dc_dot(nrm, nrm));
    dci_least of;
    int k;

    dci_pair_slacks(p, nrm, dq, slack);
    of = dci_pair_least(p, slack);
    least = dc_min(of.a, of.b);
    if (!(least > 0)) return -1;
    p->plane.least = least/r;

    if (p->barrier.kind == DC_GLOBAL) {
        for (k = 0; k < p->hulls.count; ++k) f += 1/slack[k];
        return f + r;
    }
    if (!(defect > 0)) return -1;
    for (k = 0; k < p->hulls.count; ++k) f += dci_ps(&p->barrier, slack[k]);
    return f + dci_ps(&p->barrier, defect);
}

/* the same at the plane in p */
static dc_real dci_pair_here(dci_pair *p)
{
    return dci_pair_energy(p, p->plane.normal, p->plane.defect, p->plane.offset, p->plane.slack);
}

/* A (lower triangle by rows) = L D L^T, L[0..5] below the unit diagonal by rows, W = 1/D. A pivot lost to rounding is
 * replaced by its diagonal: that direction alone. */
static void dci_pair_factor(dci_pair_system *newton, const dc_real A[10])
{
    dc_real *L = newton->lower, *W = newton->inverse, m21, m31, m32, d;

    W[0] = 1/A[0];
    L[0] = A[1]*W[0];  L[1] = A[3]*W[0];  L[3] = A[6]*W[0];

    /* the second pivot */
    d = A[2] - L[0]*A[1];
    W[1] = 1/(d > DC_EPS*A[2] ? d : A[2]);
    m21 = A[4] - L[1]*A[1];
    m31 = A[7] - L[3]*A[1];
    L[2] = m21*W[1];
    L[4] = m31*W[1];

    /* the third */
    d = A[5] - L[1]*A[3] - L[2]*m21;
    W[2] = 1/(d > DC_EPS*A[5] ? d : A[5]);
    m32 = A[8] - L[3]*A[3] - L[4]*m21;
    L[5] = m32*W[2];

    /* the last */
    d = A[9] - L[3]*A[6] - L[4]*m31 - L[5]*m32;
    W[3] = 1/(d > DC_EPS*A[9] ? d : A[9]);
}

/* x <- L^-1 x; then x^T A^-1 x is sum W x^2 */
static void dci_pair_forward(const dci_pair_system *newton, dc_real x[4])
{
    const dc_real *L = newton->lower;
    x[1] -= L[0]*x[0];
    x[2] -= L[1]*x[0] + L[2]*x[1];
    x[3] -= L[3]*x[0] + L[4]*x[1] + L[5]*x[2];
}

/* x <- L^-T W x */
static void dci_pair_backward(const dci_pair_system *newton, dc_real x[4])
{
    const dc_real *L = newton->lower, *W = newton->inverse;
    x[3] = W[3]*x[3];
    x[2] = W[2]*x[2] - L[5]*x[3];
    x[1] = W[1]*x[1] - L[2]*x[2] - L[4]*x[3];
    x[0] = W[0]*x[0] - L[0]*x[1] - L[1]*x[2] - L[3]*x[3];
}

/* b1 <- a - <a,u> u; returns its square */
static dc_real dci_pair_across(dci_pair *p, dc_v3 a)
{
    p->newton.frame.side_1 = dc_madd(a, -dc_dot(a, p->newton.frame.axis), p->newton.frame.axis);
    return dc_dot(p->newton.frame.side_1, p->newton.frame.side_1);
}

/* s_k r: from vertex k back along u to where its ball is next to the plane */
static dc_real dci_pair_shift(const dci_pair *p, int k)
{
    return k < p->hulls.count_a ? p->hulls.radius[0] : -p->hulls.radius[1];
}

/* Terms at the plane whose slacks are in p: the loaded vertices. The slope and curvature of R are given for
 * DC_GLOBAL. Moves q to the mean of the vertices weighted by D, where the offset decouples from the normal. */
static void dci_pair_terms(dci_pair *p)
{
    const dci_barrier *barrier = &p->barrier;
    const dc_v3 *v = p->hulls.vertex;
    dc_real W = 0, kappa = barrier->kappa;
    dc_v3 Q = dc_vec(0, 0, 0), q = p->plane.centre;
    int k, terms = 0;

    /* f_k, D_k */
    p->plane.length = dci_pair_length(p);
    if (barrier->kind == DC_LOCAL) p->newton.slope = -dci_ps_grad(barrier, p->plane.defect, &p->newton.curvature);
    for (k = 0; k < p->hulls.count; ++k) {
        dci_term *t = &p->newton.term[terms];
        dc_real a = p->plane.slack[k], h1, D;
        if (barrier->kind == DC_LOCAL) {
            if (a >= barrier->support) continue;
            h1 = dci_ps_grad(barrier, a, &D);
        } else {
            dc_real w = 1/a;
            h1 = -kappa*w*w;
            D = -2*h1*w;
        }
        t->force = k < p->hulls.count_a ? h1 : -h1;
        t->stiffness = D;
        t->vertex = k;
        W += D;
        Q = dc_madd(Q, D, dc_sub(v[k], q));
        ++terms;
    }
    p->newton.terms = terms;
    p->newton.bend = 0;
    for (k = 0; k < terms && dci_pair_round(p); ++k) {
        const dci_term *t = &p->newton.term[k];
        const dc_real shift = dci_pair_shift(p, t->vertex);
        p->newton.bend -= shift*t->force;
        Q = dc_madd(Q, -t->stiffness*shift/p->plane.length, p->plane.normal);
    }

    /* q */
    if (!(W > 0)) return;
    Q = dc_scale(1/W, Q);
    p->plane.centre = dc_add(q, Q);
    p->plane.offset += dc_dot(Q, p->plane.normal);
}

/* Terms, frame, gradient and factor of the Hessian of f at the plane whose slacks are in p. With `turning` the Hessian
 * is that of the steps of dci_pair_moved. */
static void dci_pair_frame(dci_pair *p, int turning)
{
    dci_pair_system *newton = &p->newton;
    const dc_v3 *v = p->hulls.vertex;
    dc_real A[10], *g = newton->gradient, radial, pull, len;    /* A: lower triangle by rows */
    dc_v3 q;
    const int balls = dci_pair_round(p);
    int k, pass;

    dci_pair_terms(p);
    q = p->plane.centre;
    radial = (newton->slope + newton->bend)/p->plane.length;

    /* u along the normal, b1 carried over from the step before */
    newton->frame.axis = dc_scale(1/p->plane.length, p->plane.normal);
    len = dci_pair_across(p, newton->frame.side_1);
    if (!(len > DC_R(0.01))) len = dci_pair_across(p, dci_axis_off(newton->frame.axis));
    newton->frame.side_1 = dc_scale(1/dc_sqrt(len), newton->frame.side_1);

    for (pass = 0; pass < 2; ++pass) {
        const dc_v3 u = newton->frame.axis, b1 = newton->frame.side_1, b2 = dc_cross(u, b1);
        dc_real g0 = 0, gz = 0, gx = 0, gy = 0, D0 = 0, Dz = 0, Dx = 0, Dy = 0;
        dc_real zz = 0, xz = 0, xx = 0, yz = 0, xy = 0, yy = 0, m, h, c, s;
        newton->frame.side_2 = b2;

        /* coordinates and gradient */
        for (k = 0; k < newton->terms; ++k) {
            dci_term *t = &newton->term[k];
            const dc_v3 r = dc_sub(v[t->vertex], q);
            const dc_real f = t->force, x = dc_dot(r, b1), y = dc_dot(r, b2);
            const dc_real z = dc_dot(r, u) - (balls ? dci_pair_shift(p, t->vertex) : 0);
            t->local[0] = z;  t->local[1] = x;  t->local[2] = y;
            g0 += f;  gz += f*z;  gx += f*x;  gy += f*y;
        }
        g[0] = g0;  g[1] = gz;  g[2] = gx;  g[3] = gy;

        /* D y y^T, SDRS Eq. 32 */
        for (k = 0; k < newton->terms; ++k) {
            const dci_term *t = &newton->term[k];
            const dc_real D = t->stiffness, z = t->local[0], x = t->local[1], y = t->local[2];
            D0 += D;
            Dz += D*z;  zz += D*z*z;
            Dx += D*x;  xz += D*x*z;  xx += D*x*x;
            Dy += D*y;  yz += D*y*z;  xy += D*y*x;  yy += D*y*y;
        }
        A[0] = D0;
        A[1] = Dz;  A[2] = zz;
        A[3] = Dx;  A[4] = xz;  A[5] = xx;
        A[6] = Dy;  A[7] = yz;  A[8] = xy;  A[9] = yy;

        /* turn b1, b2 where their 2x2 block cancels by more than 1e4: eigenvector of the larger eigenvalue,
         * (|m| + sqrt(1 + m^2), sign A8) with m half the difference of the diagonal over |A8| */
        if (pass == 1 || !(A[8]/(A[5] + radial)*(A[8]/(A[9] + radial)) > DC_R(0.9999))) break;
        s = dc_abs(A[8]);
        m = DC_R(0.5)*(A[9] - A[5])/s;
        c = dc_abs(m) + dc_sqrt(1 + m*m);
        s = A[8]/s;
        h = 1/dc_sqrt(c*c + 1);
        c *= h;
        s *= h;
        if (m > 0) { dc_real swap = c; c = s; s = swap; }
        newton->frame.side_1 = dc_add(dc_scale(c, b1), dc_scale(s, b2));
    }

    /* grad R = R' u; R'' u u^T + R'/r (I - u u^T), SDRS Eq. 30; of the radii sum r |h'|/r (I - u u^T) */
    g[1] += newton->slope;
    A[2] += newton->curvature;
    A[5] += radial;
    A[9] += radial;

    /* along the turn it is the pull -sum f z of the slacks that bends f, in place of R'; the same at the minimum */
    pull = newton->slope - g[1];
    if (turning && pull > 0) {
        A[5] += (pull - newton->slope)/p->plane.length;
        A[9] += (pull - newton->slope)/p->plane.length;
    }
    dci_pair_factor(newton, A);
}

static void dci_pair_scale_plane(dci_pair *p, dc_real t)
{
    int k;
    p->plane.normal = dc_scale(t, p->plane.normal);
    p->plane.defect = p->plane.defect*t + (1 - t);
    p->plane.offset *= t;
    for (k = 0; k < p->hulls.count; ++k) p->plane.slack[k] *= t;
}

/* To the minimum along the ray, DC_GLOBAL: |n| + G is least at t^2 = G/|n|. Returns f there. */
static dc_real dci_pair_rescale(dci_pair *p, dc_real f)
{
    dc_real r = dci_pair_length(p), G = f - r;
    dci_pair_scale_plane(p, dc_sqrt(G/r));
    return 2*dc_sqrt(G*r);
}

/* The normal after a share of a Newton step (n_u, n_b1, n_b2), and its defect.
 *
 * Near contact the support of DC_LOCAL holds |n| within g^(5/6) of 1, and a straight step to the side leaves the unit
 * ball as soon as its square does. So there n turns, and its length changes apart. DC_GLOBAL, which has no ball, goes
 * straight. */
static dc_v3 dci_pair_moved(const dci_pair *p, const dc_real step[4], dc_real share, dc_real *defect)
{
    dc_v3 side = dc_add(dc_scale(step[2], p->newton.frame.side_1), dc_scale(step[3], p->newton.frame.side_2)), n;
    if (p->barrier.kind == DC_GLOBAL) side = dc_add(dc_scale(step[1], p->newton.frame.axis), side);
    n = dc_madd(p->plane.normal, share, side);
    *defect = p->plane.defect - share*step[1];
    if (p->barrier.kind == DC_GLOBAL) return n;
    return dc_scale((1 - *defect)/dc_sqrt(dc_dot(n, n)), n);
}

/* What rounding makes of f's derivatives: slacks carry eps of the coordinates, relative to the least of them, and to
 * what the nearest vertex reaches into the support of DC_LOCAL. */
static dc_real dci_pair_noise(const dci_pair *p)
{
    dc_real noise = 1 + p->hulls.size/p->plane.least, s = p->barrier.support;
    noise *= DCI_STOP_NOISE;
    if (p->barrier.kind == DC_GLOBAL) return noise;
    return dc_min(noise, DCI_PAIR_FLOOR)
         + DCI_STOP_NOISE*(p->hulls.size/dc_max(s - p->plane.length*p->plane.least, DC_EPS*s));
}

/* The share of a Newton step that lowers f, no slack falling below a tenth of what it was while steps are large. The
 * plane after it: normal, defect, slacks in trial, *value its f. 0: none is found. */
static dc_real dci_pair_line(dci_pair *p, const dc_real step[4], dc_real f, dc_real dec2, dc_real noise, dc_v3 *normal,
                             dc_real *defect, dc_real *value)
{
    const dc_real *slack = p->plane.slack, *trial = p->plane.trial;
    dc_real alpha = 1;
    int line, k;

    for (line = 0; line < DCI_LINE_STEPS; ++line) {
        dc_real limit = 1, ft;
        *normal = dci_pair_moved(p, step, alpha, defect);
        *value = ft = dci_pair_energy(p, *normal, *defect, p->plane.offset + alpha*step[0], p->plane.trial);
        for (k = ft >= 0 && dec2 <= DC_R(1e-3)*f ? p->hulls.count : 0; k < p->hulls.count; ++k)
            if (trial[k] < DC_R(0.1)*slack[k]) limit = dc_min(limit, DC_R(0.9)*slack[k]/(slack[k] - trial[k]));

        /* rounding decides the comparison once the decrease is below the noise of f */
        if (ft >= 0 && limit >= 1 && (ft <= f - DC_R(1e-4)*alpha*dec2
                                      || dec2 <= dc_max(DC_R(1e-9), dc_min(noise, DC_R(0.01)))*f)) return alpha;

        /* the limit is exact where slacks are linear in the step; where n turns it may have to be found again */
        alpha *= limit < 1 ? dc_max(dc_min(limit, line > 1 ? DC_R(0.7) : 1), DC_R(0.01)) : DC_R(0.5);
    }
    return 0;
}

/* Newton from a feasible plane with slacks in p. DC_OK, DC_E_DIVERGED or DC_E_RANGE. */
static DCI_NOINLINE dc_status dci_pair_newton(dci_pair *p, dc_pair_info *info)
{
    const dc_real root_eps = dc_sqrt(DC_EPS);
    const int local = p->barrier.kind == DC_LOCAL, most = info->warm ? DCI_WARM_STEPS : DCI_PAIR_STEPS;
    dc_real f, before = DC_REAL_MAX;
    int it, k, stalled = 0;

    p->newton.slope = 1;
    p->newton.curvature = 0;
    f = dci_pair_here(p);
    if (!(f >= 0)) return DC_E_DIVERGED;
    if (!local) f = dci_pair_rescale(p, f);

    for (it = 0; it < most && f > DCI_PAIR_LEAST; ++it) {
        dc_real step[4], dec2 = 0, noise, alpha, ft, defect, *swap = p->plane.slack;
        dc_v3 normal;
        int last, at_floor;

        /* -A^-1 grad f, and its decrement */
        dci_pair_frame(p, local);
        for (k = 0; k < 4; ++k) step[k] = -p->newton.gradient[k];
        dci_pair_forward(&p->newton, step);
        for (k = 0; k < 4; ++k) dec2 += p->newton.inverse[k]*step[k]*step[k];
        dci_pair_backward(&p->newton, step);
        if (!dc_finite(dec2) || !dc_finite(f)) return DC_E_RANGE;

        /* is this step the last? */
        noise = dci_pair_noise(p);
        at_floor = dec2 <= DCI_STOP_FLOOR*noise*noise*f;
        ++info->iterations;
        last = dec2 <= (dec2 < DCI_STOP_FAST*before ? DCI_STOP_AFTER_FAST : DCI_STOP_AFTER_SLOW)*DC_EPS*f
            || (at_floor && dec2 > DCI_STOP_FALL*before && (dec2 <= noise*noise*f || ++stalled == DCI_STOP_STALLS));

        /* f hardly feels the length of n close to contact, derivatives do by R': it settles by itself */
        if (local && dc_abs(step[1]) > dc_max(root_eps, noise)*p->plane.defect) last = 0;
        before = dec2;
        info->decrement = dec2/f;

        /* no decrease to be found: at the floor that is convergence */
        alpha = dci_pair_line(p, step, f, dec2, noise, &normal, &defect, &ft);
        if (!(alpha > 0)) return at_floor ? DC_OK : DC_E_DIVERGED;
        p->plane.slack = p->plane.trial;
        p->plane.trial = swap;
        p->plane.normal = normal;
        p->plane.defect = defect;
        p->plane.offset += alpha*step[0];
        f = local ? ft : dci_pair_rescale(p, ft);
        if (last) return DC_OK;
    }
    return it < most ? DC_OK : DC_E_DIVERGED;
}

/* ---- [solve] pair potentials: loading, starting, value ------------------------------------------ */
/* In: options, two posed hulls, the caller's plane. Out: the minimising plane, value, and for derivatives the terms,
 * frame and factor of the paper's f there.
 *
 * stage                  | reads                      | writes                           | equation
 * dci_pair_load          | options, hulls, maps       | barrier, hulls; takes the memory |
 * dci_pair_warm          | the caller's plane         | plane, slack                     |
 * dci_pair_cold, _start  | hulls, the shortest way    | plane, slack                     | SDRS Eq. 18, 43
 * dci_pair_newton        | of [plane]                 | plane                            |
 * dci_pair_value_global  | plane                      | plane, kappa, slope, curvature   | LRI Eq. 3
 * dci_pair_value_local   | plane                      | scale                            | SDRS Eq. 7
 * dci_pair_frame         | of [plane]                 | term, frame, lower, inverse      | */

/* x = map (x_hat, 1); NULL is the identity. */
typedef struct { const dc_hull *hull; const dc_real *map; } dci_posed;

static dc_v3 dci_linear(const dc_real *M, dc_v3 x)
{
    if (!M) return x;
    return dc_vec(M[0]*x.x + M[1]*x.y + M[2]*x.z, M[4]*x.x + M[5]*x.y + M[6]*x.z, M[8]*x.x + M[9]*x.y + M[10]*x.z);
}

/* the same by the transpose: of a rotation, back into the coordinates of the body */
static dc_v3 dci_linear_back(const dc_real *M, dc_v3 x)
{
    if (!M) return x;
    return dc_vec(M[0]*x.x + M[4]*x.y + M[8]*x.z, M[1]*x.x + M[5]*x.y + M[9]*x.z, M[2]*x.x + M[6]*x.y + M[10]*x.z);
}

static dc_v3 dci_translation(const dc_real *M) { return M ? dc_vec(M[3], M[7], M[11]) : dc_vec(0, 0, 0); }

static int dci_posed_ok(dci_posed b)
{
    int k;
    if (!b.hull || !b.hull->v || b.hull->n < 1 || !dci_radius_ok(b.hull)) return 0;

    for (k = 0; k < b.hull->n; ++k)
        if (!dc_in_range(b.hull->v[k]) || !dc_in_range(dci_linear(b.map, b.hull->v[k]))) return 0;
    return dc_in_range(dci_translation(b.map));
}

/* mean of the vertices */
static dc_v3 dci_posed_mean(const dci_posed *body)
{
    const dc_hull *h = body->hull;
    dc_v3 mean = dc_vec(0, 0, 0);
    dc_real inv = 1/(dc_real)h->n;
    int k;
    for (k = 0; k < h->n; ++k) mean = dc_madd(mean, inv, h->v[k]);
    return dc_add(dci_linear(body->map, mean), dci_translation(body->map));
}

DC_DEF size_t dc_pair_bytes(int na, int nb)
{
    size_t n, sum = 0;
    if (na < 1 || nb < 1) return 0;
    n = (size_t)na + (size_t)nb;

    sum = dc_bytes(sum, 1, sizeof(dci_pair));
    sum = dc_bytes(sum, n, sizeof(dc_v3));
    sum = dc_bytes(sum, n, 14*sizeof(dc_real));
    sum = dc_bytes(sum, n, sizeof(dci_term));
    return sum == SIZE_MAX ? 0 : sum;
}

/* (sqrt na + sqrt nb)^2, exactly 12 for two triangles */
static dc_real dci_default_c(int na, int nb) { return (dc_real)na + (dc_real)nb + 2*dc_sqrt((dc_real)na*(dc_real)nb); }

/* The options with what zero stands for; 0: out of range. */
static int dci_pair_choose(const dc_pair_options *opt, int na, int nb, dc_pair_options *o)
{
    o->barrier = DC_GLOBAL;
    o->c = o->s = o->length = 0;
    if (opt) *o = *opt;
    if (o->c == 0) o->c = dci_default_c(na, nb);
    if (o->s == 0) o->s = DC_R(0.1);
    if (o->length == 0) o->length = 1;

    if (!dci_length_ok(o->length)) return 0;
    if (o->barrier == DC_LOCAL) return o->s >= DCI_LEAST_SUPPORT && o->s <= DC_R(0.95);
    return o->barrier == DC_GLOBAL && o->c > 0 && o->c <= DC_LIMIT;
}

/* Without room in mem, or for p, which is NULL then, the arguments are checked all the same. */
static DCI_NOINLINE dc_status dci_pair_load(dci_pair *p, const dc_pair_options *opt, const dci_posed body[2],
                                            dc_arena *mem)
{
    dc_pair_options o;
    dc_real L = 0, inv;
    dc_v3 origin, *v = NULL;
    size_t n;
    int i, k;

    for (i = 0; i < 2; ++i)
        if (!body[i].hull || !body[i].hull->v || body[i].hull->n < 1 || !dci_radius_ok(body[i].hull)) return DC_E_ARG;
    if (!mem || body[1].hull->n > INT32_MAX - body[0].hull->n) return DC_E_ARG;
    if (!dci_pair_choose(opt, body[0].hull->n, body[1].hull->n, &o)) return DC_E_ARG;

    /* memory; v NULL: there is too little */
    n = (size_t)body[0].hull->n + (size_t)body[1].hull->n;
    if (p) {
        p->hulls.vertex = v = (dc_v3 *)dc_arena_take(mem, n, sizeof(dc_v3));
        p->plane.slack = (dc_real *)dc_arena_take(mem, n, 14*sizeof(dc_real));
        p->newton.term = (dci_term *)dc_arena_take(mem, n, sizeof(dci_term));
        if (!p->plane.slack || !p->newton.term) v = NULL;
    }

    /* origin midway between the two means; then offsets cost no more than the rounding of the input */
    origin = dc_scale(DC_R(0.5), dc_add(dci_posed_mean(&body[0]), dci_posed_mean(&body[1])));
    for (i = 0; i < 2; ++i) {
        const dc_hull *h = body[i].hull;
        dc_v3 shift = dc_sub(dci_translation(body[i].map), origin);
        for (k = 0; k < h->n; ++k) {
            dc_v3 x = dc_add(dci_linear(body[i].map, h->v[k]), shift);
            if (!dc_in_range(x)) return DC_E_ARG;
            if (!v) continue;
            *v++ = x;
            L = dc_max(L, dc_max(dc_abs(x.x), dc_max(dc_abs(x.y), dc_abs(x.z))) + h->radius);
        }
    }
    if (!dc_in_range(origin)) return DC_E_ARG;
    if (!v) return DC_E_MEMORY;

    p->hulls.origin = origin;
    p->plane.centre = p->newton.frame.side_1 = dc_vec(0, 0, 0);
    p->barrier.scale = 1;
    p->newton.terms = 0;
    p->barrier.kind = o.barrier;
    p->barrier.weight = o.c;
    p->barrier.support = o.s;
    p->hulls.count_a = body[0].hull->n;
    p->hulls.count = (int)n;
    p->plane.trial = p->plane.slack + n;
    p->work.rows = p->plane.trial + n;

    /* DC_GLOBAL knows no length but the pair's own; the support of DC_LOCAL is one */
    if (p->barrier.kind == DC_LOCAL) p->hulls.unit = o.length;
    else p->hulls.unit = L >= DC_REAL_MIN ? dci_floor_pow2(L) : 1;
    for (k = 0, inv = 1/p->hulls.unit; k < p->hulls.count; ++k) p->hulls.vertex[k] = dc_scale(inv, p->hulls.vertex[k]);
    p->hulls.size = L/p->hulls.unit;
    for (i = 0; i < 2; ++i) p->hulls.radius[i] = body[i].hull->radius/p->hulls.unit;
    p->barrier.kappa = 1;
    p->barrier.ratio = o.length/p->hulls.unit;
    return DC_OK;
}

/* Support of both hulls along m: the least of a, and minus the greatest of b. Overwrites p->plane.trial. */
static dci_least dci_pair_support(const dci_pair *p, dc_v3 m)
{
    dci_pair_slacks(p, m, 0, p->plane.trial);
    return dci_pair_least(p, p->plane.trial);
}

/* A plane across the unit direction m, midway between the supports; 0 when m does not separate.
 *
 * DC_LOCAL: the best length tau of the normal. With the slacks a_k of the unit plane,
 *     f'(tau) = -P_s'(1-tau) + sum a_k P_s'(tau a_k) = 0                           (SDRS Eq. 43)
 * is bracketed by tau = 1-s, where the first term vanishes, and tau = min(1, s/min a), where the second does: there
 * both the radial term and a vertex are loaded, and A is regular. */
static int dci_pair_start(dci_pair *p, dc_v3 m)
{
    const dc_real *slack = p->plane.slack, s = p->barrier.support;
    dci_least reach = dci_pair_support(p, m);
    dc_real gap = reach.a + reach.b, t0, t1;
    int k, it;

    if (!(gap > 0)) return 0;
    p->plane.normal = m;
    p->plane.defect = 0;
    p->plane.offset = DC_R(-0.5)*(reach.a - reach.b);
    if (p->barrier.kind == DC_GLOBAL) return dci_pair_here(p) >= 0;

    /* halve the bracket of tau */
    dci_pair_slacks(p, m, p->plane.offset, p->plane.slack);
    t0 = 1 - s;
    t1 = DC_R(0.5)*gap*t0 >= s ? t0 : dc_min(1, 2*s/gap);
    dci_pair_set_x0(&p->barrier, DC_R(0.25)*gap);
    for (it = 0; it < 12; ++it) {
        dc_real tau = DC_R(0.5)*(t0 + t1), sum = -dci_ps_grad(&p->barrier, 1 - tau, NULL);
        for (k = 0; k < p->hulls.count; ++k) {
            if (tau*slack[k] >= s) continue;
            sum += slack[k]*dci_ps_grad(&p->barrier, tau*slack[k], NULL);
        }
        if (sum > 0) t1 = tau;
        else t0 = tau;
    }
    dci_pair_scale_plane(p, DC_R(0.5)*(t0 + t1));
    return 1;
}

/* DC_LOCAL: end of the support to rounding. The value beyond is below (64 eps)^4/s, 4e-56/s in double and 3e-21/s in
 * float, and counts as zero. */
static dc_real dci_pair_end_slack(const dci_barrier *barrier) { return barrier->support*(1 - 64*DC_EPS); }

/* What is loaded at the plane: the radial term 1, any vertex 2, both 3 (always so for DC_GLOBAL), without which A is
 * singular. 0: every slack and 1-|n| reach s, the plane shows that the value is zero. */
static int dci_pair_loaded(const dci_pair *p)
{
    dc_real reach = dci_pair_end_slack(&p->barrier);
    int k, what;
    if (p->barrier.kind == DC_GLOBAL) return 3;
    what = p->plane.defect < reach;
    for (k = 0; k < p->hulls.count; ++k)
        if (p->plane.slack[k] < reach) return what + 2;
    return what;
}

/* The caller's plane, where it separates; otherwise its direction, where that does. 0: start cold. */
static DCI_NOINLINE int dci_pair_warm(dci_pair *p, const dc_plane *plane)
{
    dc_real r, room, dist;
    dci_least reach;

    if (!plane || !dc_finite(plane->d)) return 0;
    r = dc_dot(plane->n, plane->n);
    if (!(r > DC_REAL_MIN) || !(r < 1)) return 0;

    /* the length of n matters to DC_LOCAL alone */
    r = dc_sqrt(r);
    p->plane.defect = 1 - r;
    p->plane.normal = plane->n;
    dist = plane->d;
    if (p->barrier.kind == DC_GLOBAL) {
        p->plane.normal = dc_scale(1/r, plane->n);
        dist /= r;
    }
    reach = dci_pair_support(p, p->plane.normal);
    room = reach.a + reach.b;
    if (!(room > 0)) return 0;

    /* <x,n> + d in local units; a plane near an end of the gap is worth less than the middle one */
    p->plane.offset = dist = (dc_dot(p->hulls.origin, p->plane.normal) + dist)/p->hulls.unit;
    dci_pair_set_x0(&p->barrier, DC_R(0.5)*room);
    if (dc_min(reach.a + dist, reach.b - dist) > DC_R(0.05)*room && dci_pair_here(p) >= 0
        && dci_pair_loaded(p)%3 == 0) return 1;
    return dci_pair_start(p, dc_scale(1/r, plane->n));
}

/* Room between the hulls along the plane's normal: the least distances of both to the plane. */
static dc_real dci_pair_room(const dci_pair *p)
{
    dci_least least = dci_pair_least(p, p->plane.slack);
    return (least.a + least.b)/dci_pair_length(p);
}

/* DC_LOCAL: the room from which on the value is 0 */
static dc_real dci_pair_range(const dci_barrier *barrier) { return 2*barrier->support/(1 - barrier->support); }

/* Cold start: across the shortest way between the hulls. *zero: DC_LOCAL is 0, at the plane that is left in p. */
static DCI_NOINLINE dc_status dci_pair_cold(dci_pair *p, dc_pair_info *info, int *zero)
{
    const dc_real s = p->barrier.support;
    dc_hull a, b;
    dc_v3 n = dc_vec(1, 0, 0);
    dc_real gap = 0;
    dc_status status;

    info->warm = 0;
    a.v = p->hulls.vertex;
    a.n = p->hulls.count_a;
    b.v = p->hulls.vertex + p->hulls.count_a;
    b.n = p->hulls.count - p->hulls.count_a;
    a.radius = b.radius = 0;
    p->plane.centre = dc_vec(0, 0, 0);
    status = dci_hulls_apart(&a, &b, &n, &gap);
    if (status != DC_OK && status != DC_E_DIVERGED) return status;
    gap -= p->hulls.radius[0] + p->hulls.radius[1];

    /* zero: the middle plane, SDRS Eq. 18 corrected, n = (1-s)(x'-x)/|x'-x| */
    *zero = p->barrier.kind == DC_LOCAL && gap >= dci_pair_range(&p->barrier);
    if (*zero) {
        dci_least reach = dci_pair_support(p, n);
        p->plane.normal = dc_scale(1 - s, n);
        p->plane.defect = s;
        p->plane.offset = DC_R(-0.5)*(1 - s)*(reach.a - reach.b);
        return DC_OK;
    }
    if (!dci_pair_start(p, n)) return DC_E_OVERLAP;
    *zero = dci_pair_loaded(p) != 3;
    return *zero ? DC_OK : dci_pair_newton(p, info);
}

/* DC_GLOBAL: value, and back to the paper's plane, |n| < 1. */
static dc_real dci_pair_value_global(dci_pair *p)
{
    dc_real G = 0, r = dci_pair_length(p), c = p->barrier.weight, rootc = dc_sqrt(c), root, e;
    int k;
    for (k = 0; k < p->hulls.count; ++k) G += 1/p->plane.slack[k];
    p->barrier.kappa = p->barrier.ratio;
    root = dc_sqrt(p->barrier.kappa*r*G);              /* sqrt G* */
    e = rootc/(rootc + root);                          /* 1 - |n| */
    dci_pair_scale_plane(p, root/(rootc + root)/r);
    p->newton.slope = c/(e*e);                         /* R = c/(1-|n|) */
    p->newton.curvature = 2*c/(e*e*e);
    return (rootc + root)*(rootc + root);
}

/* DC_LOCAL: value times x0^5, x0 renewed. A room of 2s/(1-s) along n shows the value to be 0 exactly. */
static dc_real dci_pair_value_local(dci_pair *p)
{
    dc_real r = dci_pair_length(p), f;
    int k;
    if (dci_pair_room(p) >= dci_pair_range(&p->barrier)) {
        dci_pair_scale_plane(p, (1 - p->barrier.support)/r);
        return 0;
    }
    dci_pair_set_x0(&p->barrier, p->plane.least*r);
    f = dci_ps(&p->barrier, p->plane.defect);
    for (k = 0; k < p->hulls.count; ++k) f += dci_ps(&p->barrier, p->plane.slack[k]);
    return f > DCI_PAIR_LEAST ? f : 0;
}

/* Plane of the pair: minimiser in p, *value. With `derivatives` the terms, frame and factor of the paper's f at the
 * minimum are left in p (times x0^5 for DC_LOCAL; nt = 0 where the value is 0). */
static dc_status dci_pair_solve(dci_pair *p, const dc_plane *plane, int derivatives, dc_real *value, dc_pair_info *info)
{
    const int local = p->barrier.kind == DC_LOCAL;
    dc_status status = DC_E_DIVERGED;
    dci_least reach;
    int zero = 0;

    info->iterations = info->warm = 0;
    info->gap = info->decrement = *value = 0;

    /* the noise of a bad start can look like convergence; near the end of the support only the hull distance knows
     * whether the value is zero */
    if (dci_pair_warm(p, plane)) {
        info->warm = 1;
        zero = dci_pair_loaded(p) != 3;
        status = zero ? DC_OK : dci_pair_newton(p, info);
        if (status != DC_OK || info->decrement > DCI_PAIR_SETTLED
            || (!zero && local && dci_pair_room(p) > DC_R(1.98)*p->barrier.support/(1 - p->barrier.support)))
            status = DC_E_DIVERGED;
    }
    if (status == DC_E_DIVERGED) status = dci_pair_cold(p, info, &zero);
    if (status != DC_OK && status != DC_E_DIVERGED) return status;

    if (!zero) {
        info->gap = dci_pair_room(p)*p->hulls.unit;
        info->decrement = dc_sqrt(info->decrement);
        *value = local ? dci_pair_value_local(p) : dci_pair_value_global(p);
    }
    if (*value > 0) {
        if (derivatives) dci_pair_frame(p, 0);
        return status;
    }

    /* nothing is loaded */
    reach = dci_pair_support(p, p->plane.normal);
    info->gap = (reach.a + reach.b)/dci_pair_length(p)*p->hulls.unit;
    info->decrement = 0;
    p->newton.terms = 0;
    p->barrier.scale = 1;
    return DC_OK;
}

/* ---- [origins] twists about other origins ------------------------------------------------------ */

/* A twist about o = q + c is one about q:   v_q = v + [c]x w - w x (w x c)/2,   J = [c]x.
 * Rows of H (leading dimension ld) turn by J^T, columns by J; the last term is the bracket
 * -(g_v c^T + c g_v^T)/2 + (g_v.c) I on the rotations. */
static void dci_shift_rows(dc_real *H, int ld, int columns, const dc_m3 *J)
{
    int i, j;
    for (j = 0; j < columns; ++j)
        for (i = 0; i < 3; ++i)
            H[(3 + i)*ld + j] += J->m[i]*H[j] + J->m[3 + i]*H[ld + j] + J->m[6 + i]*H[2*ld + j];
}
static void dci_shift_columns(dc_real *H, int ld, int rows, const dc_m3 *J)
{
    int i, k;
    for (k = 0; k < rows; ++k, H += ld)
        for (i = 0; i < 3; ++i) H[3 + i] += J->m[i]*H[0] + J->m[3 + i]*H[1] + J->m[6 + i]*H[2];
}
static void dci_shift_bracket(dc_real *H, int ld, dc_v3 g, dc_v3 c)
{
    const dc_real gv[3] = {g.x, g.y, g.z}, cv[3] = {c.x, c.y, c.z}, gc = dc_dot(g, c);
    int i, j;
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j)
            H[(3 + i)*ld + 3 + j] += (i == j ? gc : 0) - DC_R(0.5)*(gv[i]*cv[j] + cv[i]*gv[j]);
}

/* Gradient (12) and upper blocks of the Hessian (12x12, may be NULL) of two bodies, each moved by c; fills the lower
 * block. */
static void dci_twist_origins(dc_v3 ca, dc_v3 cb, dc_real *grad, dc_real *hess)
{
    dc_v3 ga = dc_vec(grad[0], grad[1], grad[2]), gb = dc_vec(grad[6], grad[7], grad[8]);
    dc_v3 ta = dc_cross(ga, ca), tb = dc_cross(gb, cb);
    dc_m3 Ja, Jb;
    int i, j;

    grad[3] += ta.x;  grad[4] += ta.y;   grad[5] += ta.z;
    grad[9] += tb.x;  grad[10] += tb.y;  grad[11] += tb.z;
    if (!hess) return;

    Ja = dc_m3_skew(ca);
    Jb = dc_m3_skew(cb);
    dci_shift_rows(hess, 12, 12, &Ja);
    dci_shift_columns(hess, 12, 6, &Ja);
    dci_shift_columns(hess + 6, 12, 12, &Jb);
    dci_shift_rows(hess + 6*12 + 6, 12, 6, &Jb);
    dci_shift_bracket(hess, 12, ga, ca);
    dci_shift_bracket(hess + 6*12 + 6, 12, gb, cb);
    for (i = 0; i < 12; ++i)
        for (j = 0; j < i; ++j) hess[12*i + j] = hess[12*j + i];
}

DC_DEF void dc_relative_shift(dc_relative *r, dc_v3 o)
{
    dc_v3 c = dc_sub(o, r->o), gv = dc_vec(r->g[0], r->g[1], r->g[2]), t = dc_cross(gv, c);
    dc_m3 J = dc_m3_skew(c);
    int i, j;
    dci_shift_rows(r->H, 6, 6, &J);
    dci_shift_columns(r->H, 6, 6, &J);
    dci_shift_bracket(r->H, 6, gv, c);
    r->g[3] += t.x;  r->g[4] += t.y;  r->g[5] += t.z;
    r->o = o;
    for (i = 0; i < 6; ++i)
        for (j = 0; j < i; ++j) r->H[6*i + j] = r->H[6*j + i];
}

/* F(a, b) = F(b^-1 a, 1), about one origin:
 *
 *     v = v_a - v_b - w_b x (v_a - v_b),   w = w_a - w_b - w_b x w_a/2      (to second order)
 *
 * so that H_aa = H, H_ab = -H - ( 0 [g_v]x ; 0 [g_w]x/2 ), H_bb = H + ( 0 [g_v]x ; -[g_v]x 0 ); then each body to its
 * own origin. */
DC_DEF void dc_relative_expand(const dc_relative *r, dc_v3 o_a, dc_v3 o_b, dc_real *grad, dc_real *hess)
{
    int i, j;

    for (i = 0; i < 6; ++i) {
        grad[i] = r->g[i];
        grad[6 + i] = -r->g[i];
    }

    if (hess) {
        dc_m3 Gv = dc_m3_skew(dc_vec(r->g[0], r->g[1], r->g[2])), Gw = dc_m3_skew(dc_vec(r->g[3], r->g[4], r->g[5]));
        for (i = 0; i < 6; ++i)
            for (j = 0; j < 6; ++j) {
                dc_real h = r->H[6*i + j];
                hess[12*i + j] = hess[12*(6 + i) + 6 + j] = h;
                hess[12*i + 6 + j] = -h;
            }
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) {
                hess[12*i + 9 + j] -= Gv.m[3*i + j];
                hess[12*(3 + i) + 9 + j] -= DC_R(0.5)*Gw.m[3*i + j];
                hess[12*(6 + i) + 9 + j] += Gv.m[3*i + j];
                hess[12*(9 + i) + 6 + j] -= Gv.m[3*i + j];
            }
    }

    /* each body to its own origin */
    dci_twist_origins(dc_sub(o_a, r->o), dc_sub(o_b, r->o), grad, hess);
}

/* ---- [derivatives] pair potentials: derivatives, and the calls ---------------------------------- */
/* With the generators e_k of the parameters (da_k = s_k e_k), y_k = (1, x_k - q) and f_k = s_k h'_k,
 *
 *     gradient = sum f_k e_k
 *     Hessian  = sum D_k e_k e_k^T + sum f_k d2<x_k,n> - C A^-1 C^T,   C = sum D_k e_k y_k^T + f_k de_k/d(d,n)
 *
 * (implicit function theorem, SDRS Eq. 28, 33-35; C: SDRS Eq. 49). A = L diag(1/W) L^T is the factor of the solve.
 *
 * In: the solved pair. Out: gradient and Hessian by one of three kinds of parameters.
 *
 * stage                          | reads                        | writes                   | equation
 * dci_pair_vertices              | terms, frame, factor         | the caller's             | e_k = n
 * dci_pair_body, dci_pair_twists | the same, body coordinates   | the caller's             | e_k = (n, rho x n)
 * dci_pair_maps                  | the same, body coordinates   | the caller's             | e_ij = n_i X_j
 * dci_pair_run, dci_pair_finish  | arguments                    | value, plane, info       | */

/* factor from the scaled potential to the caller's: x0^-5 */
static dc_real dci_pair_unscale(const dci_barrier *barrier)
{
    dc_real w = 1/barrier->scale;
    return barrier->kind == DC_LOCAL ? w*w*w*w*w : 1;
}

/* Body b, with the terms from begin to end, by its twist, in world axes and units, about its own origin. With
 * rho = c + r the arm of a vertex, c the mean of the loaded ones by D, and coordinates r = (z, x, y):
 *
 *     e     = (n, c x n) + (0, r x n),     r x n = nu (y b1 - x b2),   nu = |n|
 *     sum D e e^T = D0 e0 e0^T + nu^2 sum D (y b1 - x b2)(y b1 - x b2)^T,   since sum D r = 0
 *
 * Arms come from the body coordinates, not from the world: a far away pair keeps its small torques.
 * Its rows of the work: g = gradient, H = Hessian but for its last term (upper triangle), Y = L^-1 C^T. */
static DCI_NOINLINE void dci_pair_body(dci_pair *p, int b, int begin, int end, const dci_posed *at)
{
    dc_real *g = p->work.gradient + 6*b, (*H)[6] = p->work.own + 6*b, (*Y)[4] = p->work.cross + 6*b;
    dc_real F = 0, Mz = 0, Mx = 0, My = 0, D0 = 0, Dz = 0, Dx = 0, Dy = 0;
    dc_real Xz = 0, Xx = 0, Xy = 0, Yz = 0, Yx = 0, Yy = 0, XX = 0, XY = 0, YY = 0;
    dc_real nu = p->plane.length, nu2 = nu*nu, w = 1/p->hulls.unit;
    dc_real C[6][4], u[3], b1[3], b2[3], c[3], e[6], M[3], Mn;
    const dci_axes *frame = &p->newton.frame;
    const int first = b ? p->hulls.count_a : 0;
    dc_v3 *x = (dc_v3 *)p->work.rows, mean = dc_vec(0, 0, 0);   /* points of the terms */
    int i, j, k;

    /* moments about the mean */
    for (k = begin; k < end; ++k) {
        const dci_term *t = &p->newton.term[k];
        x[k] = dci_linear(at->map, at->hull->v[t->vertex - first]);
        D0 += t->stiffness;
        mean = dc_madd(mean, t->stiffness, x[k]);
    }

    if (D0 > 0) mean = dc_scale(1/D0, mean);
    for (k = begin; k < end; ++k) {
        const dci_term *t = &p->newton.term[k];
        const dc_v3 r = dc_scale(w, dc_sub(x[k], mean));
        dc_real f = t->force, D = t->stiffness, z = t->local[0], tx = t->local[1], y = t->local[2];
        dc_real rz, rx, ry, Drx, Dry;
        rz = dc_dot(r, frame->axis);  rx = dc_dot(r, frame->side_1);  ry = dc_dot(r, frame->side_2);
        Drx = D*rx;  Dry = D*ry;
        F += f;        Mz += f*rz;    Mx += f*rx;    My += f*ry;
        Dz += D*z;     Dx += D*tx;    Dy += D*y;
        Xz += Drx*z;   Xx += Drx*tx;  Xy += Drx*y;
        Yz += Dry*z;   Yx += Dry*tx;  Yy += Dry*y;
        XX += Drx*rx;  XY += Drx*ry;  YY += Dry*ry;
    }

    /* e0, of the mean */
    u[0] = frame->axis.x;     u[1] = frame->axis.y;     u[2] = frame->axis.z;
    b1[0] = frame->side_1.x;  b1[1] = frame->side_1.y;  b1[2] = frame->side_1.z;
    b2[0] = frame->side_2.x;  b2[1] = frame->side_2.y;  b2[2] = frame->side_2.z;
    c[0] = mean.x/p->hulls.unit;  c[1] = mean.y/p->hulls.unit;  c[2] = mean.z/p->hulls.unit;
    e[0] = nu*u[0];  e[1] = nu*u[1];  e[2] = nu*u[2];
    e[3] = c[1]*e[2] - c[2]*e[1];  e[4] = c[2]*e[0] - c[0]*e[2];  e[5] = c[0]*e[1] - c[1]*e[0];

    /* sum f e;  sum D e e^T + sum f ((rho n^T + n rho^T)/2 - (rho.n) I) */
    Mn = 0;
    for (i = 0; i < 3; ++i) {
        M[i] = F*c[i] + Mz*u[i] + Mx*b1[i] + My*b2[i];
        Mn += M[i]*e[i];
        g[i] = F*e[i];
        g[3 + i] = F*e[3 + i] + nu*(My*b1[i] - Mx*b2[i]);
    }
    for (i = 0; i < 6; ++i)
        for (j = i; j < 6; ++j) H[i][j] = D0*e[i]*e[j];
    for (i = 0; i < 3; ++i)
        for (j = i; j < 3; ++j)
            H[3 + i][3 + j] += nu2*(YY*b1[i]*b1[j] - XY*(b1[i]*b2[j] + b2[i]*b1[j]) + XX*b2[i]*b2[j])
                             + DC_R(0.5)*(M[i]*e[j] + e[i]*M[j]) - (i == j ? Mn : 0);

    /* C = sum D e y^T + f [ I; [rho]x ] on the columns of n (SDRS Eq. 49): rows along u, b1, b2, moments about c */
    C[0][0] = nu*D0;  C[0][1] = nu*Dz + F;    C[0][2] = nu*Dx;        C[0][3] = nu*Dy;
    C[1][0] = 0;      C[1][1] = 0;            C[1][2] = F;            C[1][3] = 0;
    C[2][0] = 0;      C[2][1] = 0;            C[2][2] = 0;            C[2][3] = F;
    C[3][0] = 0;      C[3][1] = 0;            C[3][2] = -My;          C[3][3] = Mx;
    C[4][0] = 0;      C[4][1] = nu*Yz + My;   C[4][2] = nu*Yx;        C[4][3] = nu*Yy - Mz;
    C[5][0] = 0;      C[5][1] = -nu*Xz - Mx;  C[5][2] = Mz - nu*Xx;   C[5][3] = -nu*Xy;
    for (i = 0; i < 6; ++i) dci_pair_forward(&p->newton, C[i]);

    /* to world axes, about the origin: + c x; translations in the caller's units */
    for (j = 0; j < 4; ++j) {
        for (i = 0; i < 3; ++i) {
            Y[i][j] = u[i]*C[0][j] + b1[i]*C[1][j] + b2[i]*C[2][j];
            Y[3 + i][j] = u[i]*C[3][j] + b1[i]*C[4][j] + b2[i]*C[5][j];
        }
        Y[3][j] += c[1]*Y[2][j] - c[2]*Y[1][j];
        Y[4][j] += c[2]*Y[0][j] - c[0]*Y[2][j];
        Y[5][j] += c[0]*Y[1][j] - c[1]*Y[0][j];
        for (i = 0; i < 3; ++i) Y[i][j] *= w;
    }
    for (i = 0; i < 3; ++i) {
        g[i] *= w;
        for (j = i; j < 3; ++j) H[i][j] *= w*w;
        for (j = 3; j < 6; ++j) H[i][j] *= w;
    }
}

/* By the twists of both bodies about their origins; grad and hess may be NULL. 0: an entry does not fit, nothing is
 * written. */
static DCI_NOINLINE int dci_pair_twists(dci_pair *p, const dci_posed body[2], dc_real *grad, dc_real *hess)
{
    dc_real (*Y)[4] = p->work.cross, (*H)[6] = p->work.own, *g = p->work.gradient;
    dc_real scale = dci_pair_unscale(&p->barrier), most = 0, longest = 0;
    dc_real Z[4][12];                  /* on the stack: hess cannot alias it, so that the rows below vectorise */
    int i, j, k;

    for (k = 0; k < p->newton.terms && p->newton.term[k].vertex < p->hulls.count_a; ++k) {}
    dci_pair_body(p, 0, 0, k, &body[0]);
    dci_pair_body(p, 1, k, p->newton.terms, &body[1]);

    /* sums of magnitudes bound every entry, and keep a NaN */
    for (i = 0; i < 12; ++i) {
        g[i] *= scale;
        most += dc_abs(g[i]);
    }

    /* rows of Z = W^1/2 Y^T, so that Z^T Z is symmetric to the bit and its rows are built side by side */
    for (k = 0; hess && k < 4; ++k) {
        dc_real w = dc_sqrt(p->newton.inverse[k]*scale), row = 0;
        for (i = 0; i < 12; ++i) {
            Z[k][i] = w*Y[i][k];
            row += dc_abs(Z[k][i]);
        }
        longest += row;
    }
    for (k = 0; hess && k < 12; k += 6)
        for (i = 0; i < 6; ++i) {
            dc_real row = 0;
            for (j = i; j < 6; ++j) {
                H[k + j][i] = H[k + i][j] = scale*H[k + i][j];
                row += dc_abs(H[k + i][j]);
            }
            most += row;
        }
    if (!dc_finite(most + longest*longest)) return 0;

    for (i = 0; grad && i < 12; ++i) grad[i] = g[i];
    if (!hess) return 1;

    for (i = 0; i < 12; ++i) {
        dc_real z0 = Z[0][i], z1 = Z[1][i], z2 = Z[2][i], z3 = Z[3][i], *h = hess + 12*i;
        for (j = 0; j < 12; ++j) h[j] = -(z0*Z[0][j] + z1*Z[1][j] + z2*Z[2][j] + z3*Z[3][j]);
        h += i < 6 ? 0 : 6;
        for (j = 0; j < 6; ++j) h[j] += H[i][j];
    }
    return 1;
}

/* By vertex: e_k = n, de_k/dn = I. 0: an entry does not fit, nothing is written. */
static DCI_NOINLINE int dci_pair_vertices(dci_pair *p, dc_real *grad, dc_real *hess)
{
    const dc_v3 u = p->newton.frame.axis, b1 = p->newton.frame.side_1, b2 = p->newton.frame.side_2;
    const dc_real n[3] = {p->plane.normal.x, p->plane.normal.y, p->plane.normal.z};
    const dci_term *term = p->newton.term;
    dc_real s1 = dci_pair_unscale(&p->barrier)/p->hulls.unit, s2 = s1/p->hulls.unit, sum = 0, longest = 0;
    size_t N = 3*(size_t)p->hulls.count;
    int i, j, k, l;

    /* Y_k = L^-1 C_k^T (4x3), C_k = D n (1, r)^T + f (0, I) (SDRS Eq. 49); to world axes, weighted so that the Hessian
     * loses Y^T Y. Sums of magnitudes bound every entry, and keep a NaN. */
    for (k = 0; k < p->newton.terms; ++k) {
        const dci_term *t = term + k;
        dc_real C[3][4], *Y = p->work.rows + 12*k, f = t->force, Dn = t->stiffness*p->plane.length;
        sum += s1*dc_abs(f) + (hess ? s2*t->stiffness : 0);
        if (!hess) continue;
        C[0][0] = Dn;  C[0][1] = Dn*t->local[0] + f;  C[0][2] = Dn*t->local[1];  C[0][3] = Dn*t->local[2];
        C[1][0] = 0;   C[1][1] = 0;                   C[1][2] = f;               C[1][3] = 0;
        C[2][0] = 0;   C[2][1] = 0;                   C[2][2] = 0;               C[2][3] = f;
        for (i = 0; i < 3; ++i) dci_pair_forward(&p->newton, C[i]);
        for (j = 0; j < 4; ++j) {
            dc_real w = dc_sqrt(p->newton.inverse[j]*s2);
            Y[j] = w*(u.x*C[0][j] + b1.x*C[1][j] + b2.x*C[2][j]);
            Y[4 + j] = w*(u.y*C[0][j] + b1.y*C[1][j] + b2.y*C[2][j]);
            Y[8 + j] = w*(u.z*C[0][j] + b1.z*C[1][j] + b2.z*C[2][j]);
        }
        for (j = 0; j < 12; ++j) longest += dc_abs(Y[j]);
    }
    if (!dc_finite(sum + longest*longest)) return 0;

    if (grad) {
        memset(grad, 0, N*sizeof *grad);
        for (k = 0; k < p->newton.terms; ++k)
            for (i = 0; i < 3; ++i) grad[3*term[k].vertex + i] = s1*term[k].force*n[i];
    }
    if (!hess) return 1;

    memset(hess, 0, N*N*sizeof *hess);
    for (k = 0; k < p->newton.terms; ++k)
        for (l = 0; l <= k; ++l)
            for (i = 0; i < 3; ++i)
                for (j = 0; j < 3; ++j) {
                    const dc_real *y = p->work.rows + 12*k + 4*i, *z = p->work.rows + 12*l + 4*j;
                    dc_real h = (l == k ? s2*term[k].stiffness*n[i]*n[j] : 0)
                              - (y[0]*z[0] + y[1]*z[1] + y[2]*z[2] + y[3]*z[3]);
                    size_t row = 3*(size_t)term[k].vertex + (size_t)i, col = 3*(size_t)term[l].vertex + (size_t)j;
                    hess[row*N + col] = hess[col*N + row] = h;
                }
    return 1;
}

/* By the entries T_ij of the two maps, x = T (x_hat,1): e_ij = n_i X_j with X = (x_hat,1), de_ij/dn = X_j I_i. 0: an
 * entry does not fit. */
static DCI_NOINLINE int dci_pair_maps(dci_pair *p, const dc_hull *hull[2], dc_real *grad, dc_real *hess)
{
    const dc_v3 u = p->newton.frame.axis, b1 = p->newton.frame.side_1, b2 = p->newton.frame.side_2;
    dc_real (*Y)[4] = p->work.cross, (*f)[4] = p->work.force;
    dc_real (*DX)[4][4] = p->work.coupling, (*XX)[4][4] = p->work.spread;
    dc_real s1 = dci_pair_unscale(&p->barrier)/p->hulls.unit, s2 = s1/p->hulls.unit;
    dc_real n[3], F[3][3], sum = 0, longest = 0;
    int b, i, j, k, l;

    if (p->newton.terms == 0) {
        if (grad) memset(grad, 0, 24*sizeof *grad);
        if (hess) memset(hess, 0, 576*sizeof *hess);
        return 1;
    }

    /* sums of f X, D X y^T, D X X^T */
    memset(p->work.force, 0, sizeof p->work.force);
    memset(p->work.coupling, 0, sizeof p->work.coupling);
    memset(p->work.spread, 0, sizeof p->work.spread);
    for (k = 0; k < p->newton.terms; ++k) {
        const dci_term *t = &p->newton.term[k];
        dc_v3 x;
        dc_real X[4];
        b = t->vertex >= p->hulls.count_a;
        x = hull[b]->v[b ? t->vertex - p->hulls.count_a : t->vertex];
        X[0] = x.x;  X[1] = x.y;  X[2] = x.z;  X[3] = 1;
        for (i = 0; i < 4; ++i) {
            dc_real DXi = t->stiffness*X[i];
            f[b][i] += t->force*X[i];
            DX[b][i][0] += DXi;
            for (j = 0; j < 3; ++j) DX[b][i][1 + j] += DXi*t->local[j];
            for (j = 0; j <= i; ++j) XX[b][i][j] += DXi*X[j];
        }
    }

    /* n; u, b1, b2 as columns */
    n[0] = p->plane.normal.x;  n[1] = p->plane.normal.y;  n[2] = p->plane.normal.z;
    F[0][0] = u.x;   F[1][0] = u.y;   F[2][0] = u.z;
    F[0][1] = b1.x;  F[1][1] = b1.y;  F[2][1] = b1.z;
    F[0][2] = b2.x;  F[1][2] = b2.y;  F[2][2] = b2.z;

    /* Y = L^-1 C^T, weighted so that the Hessian loses Y Y^T. Sums of magnitudes bound every entry, and keep a NaN. */
    for (b = 0; b < 2; ++b)
        for (j = 0; j < 4; ++j) {
            sum += s1*dc_abs(f[b][j]) + (hess ? s2*dc_abs(XX[b][j][j]) : 0);
            for (i = 0; hess && i < 3; ++i) {
                dc_real *y = Y[12*b + 4*i + j];
                for (l = 0; l < 4; ++l) y[l] = n[i]*DX[b][j][l] + (l > 0 ? f[b][j]*F[i][l - 1] : 0);
                dci_pair_forward(&p->newton, y);
                for (l = 0; l < 4; ++l) {
                    y[l] *= dc_sqrt(p->newton.inverse[l]*s2);
                    longest += dc_abs(y[l]);
                }
            }
        }
    if (!dc_finite(sum + longest*longest)) return 0;

    for (k = 0; grad && k < 24; ++k) grad[k] = s1*n[k%12/4]*f[k/12][k%4];
    if (!hess) return 1;
    for (k = 0; k < 24; ++k)
        for (l = 0; l <= k; ++l) {
            const dc_real *y = Y[k], *z = Y[l];
            dc_real h = -(y[0]*z[0] + y[1]*z[1] + y[2]*z[2] + y[3]*z[3]);
            b = k/12;
            i = k%4;
            j = l%4;
            if (b == l/12) h += s2*n[k%12/4]*n[l%12/4]*(i >= j ? XX[b][i][j] : XX[b][j][i]);
            hess[24*k + l] = hess[24*l + k] = h;
        }
    return 1;
}

/* What the three entry points share: load, solve, report. derivatives: whether any are wanted. */
static dc_status dci_pair_run(dci_pair *p, const dc_pair_options *opt, const dci_posed body[2], dc_arena *mem,
                              const dc_plane *plane, int derivatives, dc_real *value, dc_plane *out, dc_pair_info *info)
{
    dc_status status = dci_pair_load(p, opt, body, mem);
    if (status == DC_OK) status = dci_pair_solve(p, plane, derivatives, value, info);
    if (status != DC_OK && status != DC_E_DIVERGED) return status;

    *value *= dci_pair_unscale(&p->barrier);
    if (!dc_finite(*value)) return DC_E_RANGE;
    out->n = p->plane.normal;
    out->d = (p->plane.offset - dc_dot(p->plane.centre, p->plane.normal))*p->hulls.unit
           - dc_dot(p->hulls.origin, p->plane.normal);
    return status;
}

/* Writes value, plane and info of a finished call, or the infinite value of an overlap. */
static dc_status dci_pair_finish(dc_status status, dc_real found, const dc_plane *solved, const dc_pair_info *how,
                                 dc_plane *plane, dc_real *value, dc_pair_info *info)
{
    if (status == DC_E_OVERLAP && value) *value = dci_from_bits(DCI_INF);
    if (status != DC_OK && status != DC_E_DIVERGED) return status;
    if (value) *value = found;
    if (plane) *plane = *solved;
    if (info) *info = *how;
    return status;
}

DC_DEF dc_status dc_pair(const dc_pair_options *opt, const dc_hull *a, const dc_hull *b, dc_arena *mem,
                         dc_plane *plane, dc_real *value, dc_real *grad, dc_real *hess, dc_pair_info *info)
{
    size_t used = mem ? mem->used : 0;
    dci_pair *p = (dci_pair *)dc_arena_take(mem, 1, sizeof *p);
    dci_posed body[2];
    dc_pair_info i;
    dc_plane pl;
    dc_real v = 0;
    dc_status status;

    body[0].hull = a;
    body[1].hull = b;
    body[0].map = body[1].map = NULL;
    status = dci_pair_run(p, opt, body, mem, plane, grad || hess, &v, &pl, &i);
    if ((status == DC_OK || status == DC_E_DIVERGED) && !dci_pair_vertices(p, grad, hess)) status = DC_E_RANGE;
    if (mem) mem->used = used;
    return dci_pair_finish(status, v, &pl, &i, plane, value, info);
}

/* [R t] of a pose, 3x4; NULL stays NULL. 0: the quaternion is not a unit one or the pose not finite. */
static int dci_pose_map(const dc_pose *pose, dc_real M[12], const dc_real **map)
{
    dc_m3 R;
    int i, j;
    *map = NULL;
    if (!pose) return 1;
    if (!dc_pose_ok(pose)) return 0;
    R = dc_rotation(pose->q);
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) M[4*i + j] = R.m[3*i + j];
    M[3] = pose->t.x;  M[7] = pose->t.y;  M[11] = pose->t.z;
    *map = M;
    return 1;
}

/* Both hulls, by these maps; 0: a pose is none */
static int dci_posed_pair(dc_real map[2][12], const dc_hull *a, const dc_pose *pose_a, const dc_hull *b,
                          const dc_pose *pose_b, dci_posed body[2])
{
    body[0].hull = a;
    body[1].hull = b;
    return dci_pose_map(pose_a, map[0], &body[0].map) && dci_pose_map(pose_b, map[1], &body[1].map);
}

/* dc_pair_rigid without room for its maps: the arguments are checked with maps on the stack. */
static DCI_NOINLINE dc_status dci_pair_refuse(const dc_pair_options *opt, const dc_hull *a, const dc_pose *pose_a,
                                              const dc_hull *b, const dc_pose *pose_b)
{
    dc_arena nowhere = dc_arena_make(NULL, 0);
    dc_real map[2][12];
    dci_posed body[2];
    if (!dci_posed_pair(map, a, pose_a, b, pose_b, body)) return DC_E_ARG;
    return dci_pair_load(NULL, opt, body, &nowhere);
}

DC_DEF dc_status dc_pair_rigid(const dc_pair_options *opt, const dc_hull *a, const dc_pose *pose_a, const dc_hull *b,
                               const dc_pose *pose_b, dc_arena *mem, dc_plane *plane, dc_real *value, dc_real *grad,
                               dc_real *hess, dc_pair_info *info)
{
    size_t used = mem ? mem->used : 0;
    dci_pair *p = (dci_pair *)dc_arena_take(mem, 1, sizeof *p);
    dci_posed body[2];
    dc_pair_info i;
    dc_plane pl;
    dc_real v = 0;
    dc_status status;
    int k;

    if (!p) return mem ? dci_pair_refuse(opt, a, pose_a, b, pose_b) : DC_E_ARG;
    if (!dci_posed_pair(p->work.map, a, pose_a, b, pose_b, body)) status = DC_E_ARG;
    else status = dci_pair_run(p, opt, body, mem, plane, grad || hess, &v, &pl, &i);

    if ((status == DC_OK || status == DC_E_DIVERGED) && (grad || hess)) {
        if (p->newton.terms == 0) {
            for (k = 0; grad && k < 12; ++k) grad[k] = 0;
            for (k = 0; hess && k < 144; ++k) hess[k] = 0;
        } else if (!dci_pair_twists(p, body, grad, hess)) status = DC_E_RANGE;
    }

    if (mem) mem->used = used;
    return dci_pair_finish(status, v, &pl, &i, plane, value, info);
}

DC_DEF dc_status dc_pair_affine(const dc_pair_options *opt, const dc_hull *a, const dc_affine *T_a, const dc_hull *b,
                                const dc_affine *T_b, dc_arena *mem, dc_plane *plane, dc_real *value, dc_real *grad,
                                dc_real *hess, dc_pair_info *info)
{
    size_t used = mem ? mem->used : 0;
    dci_pair *p = (dci_pair *)dc_arena_take(mem, 1, sizeof *p);
    const dc_hull *hull[2];
    dci_posed body[2];
    dc_pair_info i;
    dc_plane pl;
    dc_real v = 0;
    dc_status status;

    body[0].hull = hull[0] = a;
    body[1].hull = hull[1] = b;
    body[0].map = T_a ? T_a->m : NULL;
    body[1].map = T_b ? T_b->m : NULL;
    status = dci_pair_run(p, opt, body, mem, plane, grad || hess, &v, &pl, &i);
    if ((status == DC_OK || status == DC_E_DIVERGED) && !dci_pair_maps(p, hull, grad, hess)) status = DC_E_RANGE;
    if (mem) mem->used = used;
    return dci_pair_finish(status, v, &pl, &i, plane, value, info);
}

/* ---- [centred] centred potential and blending ------------------------------------------------ */

DC_DEF dc_status dc_centred(const dc_pair_options *opt, int na, int nb, dc_v3 xa, dc_v3 xb, dc_real *value,
                            dc_real *grad, dc_real *hess)
{
    dc_real length = opt && opt->length != 0 ? opt->length : 1, c = opt ? opt->c : 0, m, rootc, w, r, P, P1, P2, u[3];
    dc_v3 e;
    int i, j;

    /* options */
    if (na < 1 || nb < 1 || !dc_in_range(xa) || !dc_in_range(xb) || !dci_length_ok(length)) return DC_E_ARG;
    m = dc_sqrt((dc_real)na) + dc_sqrt((dc_real)nb);
    if (c == 0) c = dci_default_c(na, nb);
    if (!(c > 0) || !(c <= DC_LIMIT)) return DC_E_ARG;

    /* r and the direction, in two steps: squares of tiny distances vanish */
    e = dc_scale(1/length, dc_sub(xa, xb));
    r = dc_max(dc_abs(e.x), dc_max(dc_abs(e.y), dc_abs(e.z)));
    if (!(r > 0)) {
        if (xa.x != xb.x || xa.y != xb.y || xa.z != xb.z) return DC_E_RANGE;
        if (value) *value = dci_from_bits(DCI_INF);
        return DC_E_OVERLAP;
    }
    e = dc_scale(1/r, e);
    w = dc_sqrt(dc_dot(e, e));
    e = dc_scale(1/w, e);
    r *= w;

    /* LRI Eq. 5, 7:  P = (sqrt c + m w)^2, w = r^-1/2;   P' = -m (sqrt c + m w) w^3;   P'' = m w^5 (3 sqrt c + 4 m
     * w)/2 */
    rootc = dc_sqrt(c);
    w = 1/dc_sqrt(r);
    P = (rootc + m*w)*(rootc + m*w);
    P1 = -m*(rootc + m*w)*w*(w*w/length);
    P2 = DC_R(0.5)*m*w*(3*rootc + 4*m*w)*(w*w/length)*(w*w/length);
    if (!dc_finite(P) || (grad && !dc_finite(P1)) || (hess && !dc_finite(P2))) return DC_E_RANGE;

    u[0] = e.x;  u[1] = e.y;  u[2] = e.z;
    if (value) *value = P;
    for (i = 0; i < 3; ++i) {
        if (grad) {
            grad[i] = P1*u[i];
            grad[3 + i] = -P1*u[i];
        }
        for (j = 0; hess && j < 3; ++j) {
            /* P'' u u^T + P'/r (I - u u^T) */
            dc_real uu = u[i]*u[j], h = P2*uu + P1/(r*length)*((i == j ? 1 : 0) - uu);
            hess[6*i + j] = hess[6*(3 + i) + 3 + j] = h;
            hess[6*i + 3 + j] = hess[6*(3 + i) + j] = -h;
        }
    }
    return DC_OK;
}

DC_DEF dc_real dc_blend(dc_real d, dc_real *dphi, dc_real *d2phi)
{
    dc_real e = 1 - d, t = d < DC_R(0.5) ? d : e, low;
    int inside = d > 0 && d < 1;
    if (dphi) *dphi = inside ? 30*d*d*(e*e) : 0;
    if (d2phi) *d2phi = inside ? 60*d*e*(1 - 2*d) : 0;
    if (!inside) return d >= 1 ? DC_R(1.0) : DC_R(0.0);
    low = t*t*t*(10 + t*(6*t - 15));                     /* Phi(d) = 1 - Phi(1-d): nothing cancels below 1/2 */
    return d < DC_R(0.5) ? low : 1 - low;
}

/* ---- [triangles] many triangle pairs ----------------------------------------------------------- */
/* DC_LANES pairs at a time, one loop over the lanes for each stage. The plane is n = m + t1 b1 + t2 b2 with m the start
 * direction: n* is a positive multiple of a difference of points of the hulls, which m separates, so that n*.m > 0
 * and the chart holds the minimum. There f = log G + log|n|, G = sum 1/a_k, has
 *
 *     grad f = G'/G + B t/N,   N = |n|^2,  B = diag(|b1|^2, |b2|^2, 0)
 *     M      = G''/G - 2 G'G'^T/G^2 + B/N - (B t)(B t)^T/N^2,
 *
 * M positive definite everywhere (1/G is concave) and the Hessian at the minimum, where G'/G = -B t/N. Newton steps
 * with M, shortened to 1/(1/2 + rho), rho >= 1/2 the largest relative fall of a slack: no line search, no branch.
 *
 * Every stage is given the whole of dci_tri: rows are told apart as offsets from one pointer, which a loop over lanes
 * needs; for the same reason rows of a variable number are written by way of it and not of an alias. In: the rows of
 * the triangles, options. Out: dc_tri_out.
 *
 * stage                       | reads                       | writes                         | equation
 * dci_tri_load                | the caller's rows           | pairs                          |
 * dci_tri_warm                | pairs, the caller's plane   | plane; least marks the lanes   |
 * dci_tri_cold, _start, _axis | pairs                       | plane of the other lanes       |
 * dci_tri_chart               | pairs, plane                | frame (m, b1, b2), offset      |
 * dci_tri_step                | frame, turn, offset         | turn, offset, running          | M above
 * dci_tri_end                 | frame, turn, offset         | sum, least, force, stiffness   | G, N
 * dci_tri_value               | all of these                | value, plane, axis, force ..   | LRI Eq. 3
 * dci_tri_frame               | axis, pairs, stiffness      | frame (u, b1, b2), centre      |
 * dci_tri_factor              | frame, stiffness            | factor                         | A = L D L^T
 * dci_tri_moments             | frame, force, stiffness     | gradient, hessian, cross       | as dci_pair_body
 * dci_tri_schur               | hessian, cross, factor      | world                          | H - C A^-1 C^T
 * dci_tri_world, _origin      | frame, gradient, world      | relative                       | as dci_twist_origins
 * dci_tri_single              | a pair that did not do      | its outputs                    | dc_pair */

/* Square roots of a row. Not a lane loop, sqrt may set errno; not below the pragma either, where gcc would not
 * inline it. */
static void dci_tri_sqrt(dc_real *x)
{
    int l;
    for (l = 0; l < DC_LANES; ++l) x[l] = dc_sqrt(x[l]);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")   /* else gcc keeps ?: on floating point scalar */
#endif

#define DCI_TRI_STEPS 24
/* 64 sqrt(eps): least slack over size where normal equations without QR keep their digits */
#if DC_IS_FLOAT
#define DCI_TRI_NEAR DC_R(0.02)
#else
#define DCI_TRI_NEAR DC_R(1e-6)
#endif

typedef dc_real dci_row[DC_LANES];

/* vertices a0 a1 a2 b0 b1 b2, from the pair's centre, over its size; centre and size in the world */
typedef struct { dci_row vertex[18], centre[3], size; } dci_tri_pairs;

typedef struct {
    dci_row plane[4];               /* n, d: the caller's; of the start; at the end the paper's, in the world */
    dci_row axis[3];                /* a candidate for the start; at the end the unit normal */
    dci_row turn[2];                /* t1, t2; at the end cosine and sine that turn the frame's b1, b2 */
    dci_row running;                /* 1 until the lane has arrived, then 0 */
} dci_tri_iterate;

typedef struct {
    dci_row axis[9];                /* m, b1, b2; for the derivatives u, b1, b2 */
    dci_row square[3];              /* |m|^2, |b1|^2, |b2|^2 */
    dci_row vertex[18];             /* (z, x, y) of each vertex along the axes; for the derivatives about q */
} dci_tri_axes;

typedef struct {
    dci_row sum;                    /* G; while starting the score of the best axis */
    dci_row length;                 /* |n| of the chart's normal; before dci_tri_value its square */
    dci_row least;                  /* least slack; while starting > 0 where the caller's plane separates */
    dci_row value;
    dci_row radius, slope, curvature;   /* |n| of the paper's plane, R'(|n|), R''(|n|) */
    dci_row force[6], stiffness[6]; /* s_k h', h'' */
    dci_row root;                   /* argument and result of a square root */
} dci_tri_minimum;

/* by the twist of triangle a */
typedef struct {
    dci_row centre[3];              /* q; at the end the way from q to the origin */
    dci_row factor[10];             /* L10 L20 L21 L30 L31 L32, 1/D */
    dci_row gradient[3];            /* in the frame: along u; moments about b1, b2 */
    dci_row hessian[8], cross[24];  /* H but for its last term, C L^-T */
    dci_row world[36];              /* the Hessian, on its way to world axes */
    dci_row relative[27];           /* as in dc_tri_out */
} dci_tri_twist;

/* a pair that is solved alone */
typedef struct {
    dc_v3 vertex[6];
    dc_real gradient[18], by_twist[12], hessian[144];
    dc_relative relative;
} dci_tri_alone;

typedef struct {
    dci_tri_pairs pairs;
    dci_tri_iterate iterate;
    dci_tri_axes frame;
    dci_tri_minimum minimum;
    dci_tri_twist twist;
    dci_tri_alone alone;
} dci_tri;

#define DCI_MIN(a, b) ((a) < (b) ? (a) : (b))
#define DCI_MAX(a, b) ((a) > (b) ? (a) : (b))
#define DCI_ABS(a) ((a) < 0 ? -(a) : (a))

/* centre and size of every pair; vertices in these units */
static void dci_tri_load(dci_tri *T)
{
    dci_row *v = T->pairs.vertex, *o = T->pairs.centre;
    int l, k;

    for (l = 0; l < DC_LANES; ++l) {
        o[0][l] = (v[0][l] + v[3][l] + v[6][l] + v[9][l] + v[12][l] + v[15][l])*DC_R(1.0/6.0);
        o[1][l] = (v[1][l] + v[4][l] + v[7][l] + v[10][l] + v[13][l] + v[16][l])*DC_R(1.0/6.0);
        o[2][l] = (v[2][l] + v[5][l] + v[8][l] + v[11][l] + v[14][l] + v[17][l])*DC_R(1.0/6.0);
        T->pairs.size[l] = DC_REAL_MIN;
    }

    /* the largest coordinate from there */
    for (k = 0; k < 18; k += 3)
        for (l = 0; l < DC_LANES; ++l) {
            dc_real x = T->pairs.vertex[k][l] - o[0][l], y = T->pairs.vertex[k + 1][l] - o[1][l];
            dc_real z = T->pairs.vertex[k + 2][l] - o[2][l];
            dc_real ax = DCI_ABS(x), ay = DCI_ABS(y), az = DCI_ABS(z), s = T->pairs.size[l];
            s = DCI_MAX(s, ax);  s = DCI_MAX(s, ay);  s = DCI_MAX(s, az);
            T->pairs.vertex[k][l] = x;  T->pairs.vertex[k + 1][l] = y;  T->pairs.vertex[k + 2][l] = z;
            T->pairs.size[l] = s;
        }
    for (k = 0; k < 18; ++k)
        for (l = 0; l < DC_LANES; ++l) T->pairs.vertex[k][l] /= T->pairs.size[l];
}

/* Extents of the triangles along the axis (ax, ay, az): lo and lob least and greatest of a, hib and hi of b. v: the
 * vertices */
#define DCI_TRI_DOT(k) (ax*v[k][l] + ay*v[k + 1][l] + az*v[k + 2][l])
#define DCI_TRI_SUPPORT \
    dc_real p0 = DCI_TRI_DOT(0), p1 = DCI_TRI_DOT(3), p2 = DCI_TRI_DOT(6); \
    dc_real q0 = DCI_TRI_DOT(9), q1 = DCI_TRI_DOT(12), q2 = DCI_TRI_DOT(15); \
    dc_real p01 = DCI_MIN(p0, p1), q01 = DCI_MAX(q0, q1), p01b = DCI_MAX(p0, p1), q01b = DCI_MIN(q0, q1); \
    dc_real lo = DCI_MIN(p01, p2), hi = DCI_MAX(q01, q2), lob = DCI_MAX(p01b, p2), hib = DCI_MIN(q01b, q2)

/* Keeps the candidate axis when it separates better than the one so far, in either sense; gaps compare as sign(g)
 * g^2/|axis|^2, vanishing axes as less. gcc turns selects into branches when an operand is a load, or a constant that
 * decides a later test: none of these here. */
static void dci_tri_axis(dci_tri *T)
{
    dci_row *v = T->pairs.vertex, *plane = T->iterate.plane, *axis = T->iterate.axis;
    int l;

    for (l = 0; l < DC_LANES; ++l) {
        dc_real ax = axis[0][l], ay = axis[1][l], az = axis[2][l], nx = -ax, ny = -ay, nz = -az;
        DCI_TRI_SUPPORT;
        dc_real up = lo - hi, down = hib - lob, g = up >= down ? up : down;
        dc_real d0 = DC_R(-0.5)*(lo + hi), d1 = DC_R(0.5)*(lob + hib);
        dc_real len = ax*ax + ay*ay + az*az, size = DCI_MAX(len, 16*DC_EPS*DC_EPS), score = g*DCI_ABS(g)/size;
        dc_real mx = plane[0][l], my = plane[1][l], mz = plane[2][l], d = plane[3][l], best = T->minimum.sum[l];

        /* the sense in which it separates better */
        ax = up >= down ? ax : nx;  ay = up >= down ? ay : ny;  az = up >= down ? az : nz;
        d0 = up >= down ? d0 : d1;

        plane[0][l] = score > best ? ax : mx;
        plane[1][l] = score > best ? ay : my;
        plane[2][l] = score > best ? az : mz;
        plane[3][l] = score > best ? d0 : d;
        T->minimum.sum[l] = score > best ? score : best;
    }
}

/* axis <- normal of the triangle whose vertices start at row 3p */
static void dci_tri_normal(dci_tri *T, int p)
{
    dci_row *v = T->pairs.vertex + 3*p, *axis = T->iterate.axis;
    int l;
    for (l = 0; l < DC_LANES; ++l) {
        dc_real ax = v[3][l] - v[0][l], ay = v[4][l] - v[1][l], az = v[5][l] - v[2][l];
        dc_real bx = v[6][l] - v[0][l], by = v[7][l] - v[1][l], bz = v[8][l] - v[2][l];
        axis[0][l] = ay*bz - az*by;  axis[1][l] = az*bx - ax*bz;  axis[2][l] = ax*by - ay*bx;
    }
}

/* axis <- shortest difference of points of the edges p + s (p1-p), q + t (q1-q), given by first rows.
 * s minimises where the lines are skew, then t, then s again: right also for parallel and for vanishing edges. */
static void dci_tri_segments(dci_tri *T, int p, int p1, int q, int q1)
{
    dci_row *v = T->pairs.vertex, *P = v + p, *P1 = v + p1, *Q = v + q, *Q1 = v + q1, *axis = T->iterate.axis;
    int l;

    for (l = 0; l < DC_LANES; ++l) {
        dc_real rx = P[0][l] - Q[0][l], ry = P[1][l] - Q[1][l], rz = P[2][l] - Q[2][l];
        dc_real ax = P1[0][l] - P[0][l], ay = P1[1][l] - P[1][l], az = P1[2][l] - P[2][l];
        dc_real bx = Q1[0][l] - Q[0][l], by = Q1[1][l] - Q[1][l], bz = Q1[2][l] - Q[2][l];
        dc_real aa = ax*ax + ay*ay + az*az, bb = bx*bx + by*by + bz*bz, ab = ax*bx + ay*by + az*bz;
        dc_real ar = ax*rx + ay*ry + az*rz, br = bx*rx + by*ry + bz*rz, det = aa*bb - ab*ab, s, t;
        aa = DCI_MAX(aa, DC_REAL_MIN);
        bb = DCI_MAX(bb, DC_REAL_MIN);
        det = DCI_MAX(det, DC_REAL_MIN);

        /* quotients clamped to [0, 1] by their numerators */
        s = ab*br - bb*ar;
        s = DCI_MAX(s, 0);
        s = DCI_MIN(s, det)/det;
        t = ab*s + br;
        t = DCI_MAX(t, 0);
        t = DCI_MIN(t, bb)/bb;
        s = ab*t - ar;
        s = DCI_MAX(s, 0);
        s = DCI_MIN(s, aa)/aa;

        axis[0][l] = rx + s*ax - t*bx;  axis[1][l] = ry + s*ay - t*by;  axis[2][l] = rz + s*az - t*bz;
    }
}

/* Start plane: across the difference of the centres where that separates well; else across the shortest way between
 * the triangles, which is a face normal or goes from edge to edge: the best of eleven axes. An axis that separates
 * but is none of these (SAT) costs twice the Newton steps, which grow a slack by at most half each. */
static void dci_tri_start(dci_tri *T)
{
    dci_row *v = T->pairs.vertex, *plane = T->iterate.plane, *axis = T->iterate.axis;
    dc_real *score = T->minimum.sum;
    int l, i, j, poor = 0;

    /* the centre of a, that of the pair being 0 */
    for (l = 0; l < DC_LANES; ++l) {
        axis[0][l] = v[0][l] + v[3][l] + v[6][l];
        axis[1][l] = v[1][l] + v[4][l] + v[7][l];
        axis[2][l] = v[2][l] + v[5][l] + v[8][l];
        plane[0][l] = plane[1][l] = plane[2][l] = plane[3][l] = 0;
        score[l] = -DC_REAL_MAX;
    }
    dci_tri_axis(T);

    /* a lane starts the same whatever stands beside it: nothing beats the greatest score */
    for (l = 0; l < DC_LANES; ++l) {
        poor |= !(score[l] > DC_R(0.04));
        score[l] = score[l] > DC_R(0.04) ? DC_REAL_MAX : score[l];
    }
    if (!poor) return;

    /* edges against edges, then the two normals */
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) {
            dci_tri_segments(T, 3*i, i == 2 ? 0 : 3*i + 3, 9 + 3*j, j == 2 ? 9 : 12 + 3*j);
            dci_tri_axis(T);
        }
    for (i = 0; i < 6; i += 3) {
        dci_tri_normal(T, i);
        dci_tri_axis(T);
    }
}

/* The caller's planes, in the world: into the start in the lanes where they separate, `least` > 0 marks them. Returns 1
 * when all do. */
static int dci_tri_warm(dci_tri *T)
{
    dci_row *v = T->pairs.vertex, *o = T->pairs.centre, *plane = T->iterate.plane;
    int l, all = 1;

    for (l = 0; l < DC_LANES; ++l) {
        dc_real ax = plane[0][l], ay = plane[1][l], az = plane[2][l], size = T->pairs.size[l];
        dc_real w, dist, half, la, lb, least, big, bx, by, bz;

        /* over the largest component, from the pair's centre */
        bx = DCI_ABS(ax);  by = DCI_ABS(ay);  bz = DCI_ABS(az);
        big = DCI_MAX(bx, by);
        big = DCI_MAX(big, bz);
        w = 1/DCI_MAX(big, DC_REAL_MIN);
        dist = (ax*o[0][l] + ay*o[1][l] + az*o[2][l] + plane[3][l])/size*w;
        ax *= w;  ay *= w;  az *= w;

        /* least slacks of both sides, over a twentieth of the room */
        DCI_TRI_SUPPORT;
        (void)lob;
        (void)hib;
        half = DC_R(0.05)*(lo - hi);
        la = lo + dist;
        lb = -hi - dist;
        least = DCI_MIN(la, lb);
        least = least > half ? half : DC_R(0.0);

        plane[0][l] = ax;  plane[1][l] = ay;  plane[2][l] = az;
        plane[3][l] = dist;
        T->minimum.least[l] = least;
    }
    for (l = 0; l < DC_LANES; ++l) all &= T->minimum.least[l] > 0;
    return all;
}

/* Cold start of the lanes that have no plane of the caller's; `some`: there may be lanes that have one. */
static void dci_tri_cold(dci_tri *T, int some)
{
    dci_row *keep = T->frame.vertex, *plane = T->iterate.plane;
    int l, k;
    if (some) memcpy(keep, plane, 4*sizeof *plane);
    dci_tri_start(T);
    for (l = 0; some && l < DC_LANES; ++l)
        for (k = 0; k < 4 && T->minimum.least[l] > 0; ++k) plane[k][l] = keep[k][l];
}

/* Chart about m: b1 = m x e with e the axis m is least along, b2 = m x b1; coordinates of the vertices. */
static void dci_tri_chart(dci_tri *T)
{
    dci_row *v = T->pairs.vertex, *u = T->frame.axis, *plane = T->iterate.plane;
    int l, k;

    for (l = 0; l < DC_LANES; ++l) {
        dc_real mx = plane[0][l], my = plane[1][l], mz = plane[2][l], ex, ey, ez, b1x, b1y, b1z, b2x, b2y, b2z, w;
        dc_real ax = DCI_ABS(mx), ay = DCI_ABS(my), az = DCI_ABS(mz), big = DCI_MAX(ax, ay), low = DCI_MIN(ax, ay);
        big = DCI_MAX(big, az);
        w = 1/DCI_MAX(big, DC_REAL_MIN);
        low = DCI_MIN(low, az);

        /* m over its largest component */
        mx *= w;  my *= w;  mz *= w;
        plane[3][l] *= w;

        /* b1, b2 */
        ex = ax <= low ? DC_R(1.0) : DC_R(0.0);
        ey = ay <= low ? DC_R(1.0) - ex : DC_R(0.0);
        ez = 1 - ex - ey;
        b1x = my*ez - mz*ey;    b1y = mz*ex - mx*ez;    b1z = mx*ey - my*ex;
        b2x = my*b1z - mz*b1y;  b2y = mz*b1x - mx*b1z;  b2z = mx*b1y - my*b1x;
        u[0][l] = mx;   u[1][l] = my;   u[2][l] = mz;
        u[3][l] = b1x;  u[4][l] = b1y;  u[5][l] = b1z;
        u[6][l] = b2x;  u[7][l] = b2y;  u[8][l] = b2z;
        T->frame.square[0][l] = mx*mx + my*my + mz*mz;
        T->frame.square[1][l] = b1x*b1x + b1y*b1y + b1z*b1z;
        T->frame.square[2][l] = b2x*b2x + b2y*b2y + b2z*b2z;

        /* the iterate begins at m */
        T->iterate.turn[0][l] = T->iterate.turn[1][l] = 0;
        T->iterate.running[l] = 1;
        for (k = 0; k < 18; k += 3) {
            dc_real x = v[k][l], y = v[k + 1][l], z = v[k + 2][l];
            T->frame.vertex[k][l] = mx*x + my*y + mz*z;
            T->frame.vertex[k + 1][l] = b1x*x + b1y*y + b1z*z;
            T->frame.vertex[k + 2][l] = b2x*x + b2y*y + b2z*z;
        }
    }
}

/* Vertex k on side s (+ or -): w = 1/(z + t1 x + t2 y + d) = s/a, into the sums of G, G' and G''/2 */
#define DCI_TRI_ADD(k, s, w) \
    dc_real w = 1/(c[3*k][l] + t1*c[3*k + 1][l] + t2*c[3*k + 2][l] + d); \
    { \
        dc_real aa = s (w*w), aaa = aa*w, x = c[3*k + 1][l], y = c[3*k + 2][l], ax = aaa*x, ay = aaa*y; \
        G += s w;    gd -= aa;   gx -= aa*x;  gy -= aa*y; \
        hdd += aaa;  hdx += ax;  hdy += ay;  hxx += ax*x;  hxy += ax*y;  hyy += ay*y; \
    }
/* relative fall of the slack of vertex k under the step */
#define DCI_TRI_FALL(k, w) \
    { \
        dc_real fall = -w*(sd + sx*c[3*k + 1][l] + sy*c[3*k + 2][l]); \
        rho = DCI_MAX(rho, fall); \
    }

/* One Newton step of every lane that has not arrived; dec2 = g^T M^-1 g before it. */
static void dci_tri_step(dci_tri *T)
{
    dci_row *c = T->frame.vertex, *turn = T->iterate.turn, *square = T->frame.square;
    dc_real *offset = T->iterate.plane[3];
    int l;

    for (l = 0; l < DC_LANES; ++l) {
        dc_real t1 = turn[0][l], t2 = turn[1][l], d = offset[l], run = T->iterate.running[l];
        dc_real G = 0, gd = 0, gx = 0, gy = 0, hdd = 0, hdx = 0, hdy = 0, hxx = 0, hxy = 0, hyy = 0;
        DCI_TRI_ADD(0, +, w0)
        DCI_TRI_ADD(1, +, w1)
        DCI_TRI_ADD(2, +, w2)
        DCI_TRI_ADD(3, -, w3)
        DCI_TRI_ADD(4, -, w4)
        DCI_TRI_ADD(5, -, w5)
        dc_real BX = square[1][l], BY = square[2][l], iN = 1/(square[0][l] + BX*t1*t1 + BY*t2*t2);
        dc_real iG = 1/G, iG2 = 2*iG, r1 = BX*t1*iN, r2 = BY*t2*iN;
        dc_real D0, D1, D2, l1, l2, l3, m21, low, dec2, sd, sx, sy, rho = DC_R(0.5), alpha;
        gd *= iG;  gx *= iG;  gy *= iG;

        /* M = L D L^T in the order d, t1, t2 */
        D0 = hdd*iG2 - 2*gd*gd;
        hdx = hdx*iG2 - 2*gd*gx;
        hdy = hdy*iG2 - 2*gd*gy;
        hxx = hxx*iG2 - 2*gx*gx + BX*iN - r1*r1;
        hxy = hxy*iG2 - 2*gx*gy - r1*r2;
        hyy = hyy*iG2 - 2*gy*gy + BY*iN - r2*r2;
        D0 = 1/D0;
        l1 = hdx*D0;
        l2 = hdy*D0;
        D1 = hxx - l1*hdx;
        low = DC_EPS*hxx;
        D1 = 1/DCI_MAX(D1, low);
        m21 = hxy - l1*hdy;
        l3 = m21*D1;
        D2 = hyy - l2*hdy - l3*m21;
        low = DC_EPS*hyy;
        D2 = 1/DCI_MAX(D2, low);

        /* -M^-1 grad f */
        gx += r1;
        gy += r2;
        gx -= l1*gd;
        gy -= l2*gd + l3*gx;
        dec2 = gd*gd*D0 + gx*gx*D1 + gy*gy*D2;
        sy = -gy*D2;
        sx = -gx*D1 - l3*sy;
        sd = -gd*D0 - l1*sx - l2*sy;

        /* shortened */
        DCI_TRI_FALL(0, w0)
        DCI_TRI_FALL(1, w1)
        DCI_TRI_FALL(2, w2)
        DCI_TRI_FALL(3, w3)
        DCI_TRI_FALL(4, w4)
        DCI_TRI_FALL(5, w5)
        alpha = run/(DC_R(0.5) + rho);      /* 0 once arrived: the same bits whatever the other lanes need */
        turn[0][l] = t1 + alpha*sx;
        turn[1][l] = t2 + alpha*sy;
        offset[l] = d + alpha*sd;
        T->iterate.running[l] = dec2 > DC_R(0.25)*DC_EPS ? run : DC_R(0.0);
    }
}

#define DCI_TRI_END(k, s) \
    { \
        dc_real z = c[3*k][l] + t1*c[3*k + 1][l] + t2*c[3*k + 2][l] + d, w = 1/z, a = s z; \
        G += s w; \
        least = DCI_MIN(least, a); \
        T->minimum.force[k][l] = s (w*w); \
        T->minimum.stiffness[k][l] = s (w*w)*w; \
    }

/* G and N at the plane found; force s/a^2, stiffness 1/a^3 there. */
static void dci_tri_end(dci_tri *T)
{
    dci_row *c = T->frame.vertex, *square = T->frame.square;
    int l;

    for (l = 0; l < DC_LANES; ++l) {
        dc_real t1 = T->iterate.turn[0][l], t2 = T->iterate.turn[1][l], d = T->iterate.plane[3][l];
        dc_real G = 0, least = DC_REAL_MAX, N;
        DCI_TRI_END(0, +)
        DCI_TRI_END(1, +)
        DCI_TRI_END(2, +)
        DCI_TRI_END(3, -)
        DCI_TRI_END(4, -)
        DCI_TRI_END(5, -)

        N = square[0][l] + square[1][l]*t1*t1 + square[2][l]*t2*t2;
        T->minimum.sum[l] = G;
        T->minimum.length[l] = N;
        T->minimum.least[l] = least;
    }
}

/* Value (LRI Eq. 3), the paper's plane, scaled terms: h = kappa/a, a in sizes.  P = (sqrt c + sqrt G)^2,
 * |n| = sqrt G/(sqrt c + sqrt G), here G = min G(u) = kappa |n| G(n). */
static void dci_tri_value(dci_tri *T, dc_real c, dc_real length)
{
    dci_tri_minimum *at = &T->minimum;
    dci_row *u = T->frame.axis, *o = T->pairs.centre, *plane = T->iterate.plane, *axis = T->iterate.axis;
    dc_real rootc = dc_sqrt(c);
    int l, k;

    dci_tri_sqrt(at->length);
    for (l = 0; l < DC_LANES; ++l) at->root[l] = length/T->pairs.size[l]*at->length[l]*at->sum[l];
    dci_tri_sqrt(at->root);
    for (l = 0; l < DC_LANES; ++l) {
        dc_real root = at->root[l], sum = rootc + root, r = root/sum, e = rootc/sum;
        dc_real irN = 1/at->length[l], scale = r*irN, w = 1/scale;
        dc_real t1 = T->iterate.turn[0][l], t2 = T->iterate.turn[1][l], size = T->pairs.size[l];
        dc_real kappa = length/size*w*w, nx, ny, nz;
        nx = u[0][l] + t1*u[3][l] + t2*u[6][l];
        ny = u[1][l] + t1*u[4][l] + t2*u[7][l];
        nz = u[2][l] + t1*u[5][l] + t2*u[8][l];

        /* P, R = c/(1-|n|) */
        at->value[l] = sum*sum;
        at->radius[l] = r;
        at->slope[l] = c/(e*e);
        at->curvature[l] = 2*c/(e*e*e);

        /* the unit normal; the paper's plane */
        axis[0][l] = nx*irN;  axis[1][l] = ny*irN;  axis[2][l] = nz*irN;
        plane[0][l] = nx*scale;  plane[1][l] = ny*scale;  plane[2][l] = nz*scale;
        plane[3][l] = plane[3][l]*scale*size - scale*(nx*o[0][l] + ny*o[1][l] + nz*o[2][l]);
        for (k = 0; k < 6; ++k) {
            at->force[k][l] = -kappa*at->force[k][l];
            at->stiffness[k][l] = 2*kappa*w*at->stiffness[k][l];
        }
    }
}

/* Frame of the derivatives as in dci_pair_frame: u the unit normal, origin q = sum D x/sum D, b1 and b2 the principal
 * axes of the lateral spread; coordinates of the vertices in it. */
static void dci_tri_frame(dci_tri *T)
{
    dci_row *v = T->pairs.vertex, *c = T->frame.vertex, *u = T->frame.axis, *turn = T->iterate.turn;
    dci_row *n = T->iterate.axis, *q = T->twist.centre, *stiffness = T->minimum.stiffness;
    dc_real *root = T->minimum.root;
    int l, k;

    for (l = 0; l < DC_LANES; ++l) {
        /* b1, b2 from u without a root */
        dc_real ux = n[0][l], uy = n[1][l], uz = n[2][l], s = uz < 0 ? DC_R(-1.0) : DC_R(1.0);
        dc_real a = -1/(s + uz), b = ux*uy*a;
        dc_real b1x = 1 + s*ux*ux*a, b1y = s*b, b1z = -s*ux, b2x = b, b2y = s + uy*uy*a, b2z = -uy;
        dc_real W = 0, qx = 0, qy = 0, qz = 0, xx = 0, xy = 0, yy = 0, m;

        /* q */
        for (k = 0; k < 6; ++k) {
            dc_real D = stiffness[k][l];
            W += D;
            qx += D*v[3*k][l];  qy += D*v[3*k + 1][l];  qz += D*v[3*k + 2][l];
        }
        W = 1/W;
        qx *= W;  qy *= W;  qz *= W;

        /* the lateral spread */
        for (k = 0; k < 6; ++k) {
            dc_real rx = v[3*k][l] - qx, ry = v[3*k + 1][l] - qy, rz = v[3*k + 2][l] - qz, D = stiffness[k][l]*W;
            dc_real x = rx*b1x + ry*b1y + rz*b1z, y = rx*b2x + ry*b2y + rz*b2z;
            xx += D*x*x;  xy += D*x*y;  yy += D*y*y;
        }
        m = DC_R(0.5)*(yy - xx);
        q[0][l] = qx;   q[1][l] = qy;   q[2][l] = qz;
        u[0][l] = ux;   u[1][l] = uy;   u[2][l] = uz;
        u[3][l] = b1x;  u[4][l] = b1y;  u[5][l] = b1z;
        u[6][l] = b2x;  u[7][l] = b2y;  u[8][l] = b2z;
        turn[0][l] = m;
        turn[1][l] = xy;
        root[l] = m*m + xy*xy;
    }

    /* its eigenvector, with the larger component first computed */
    dci_tri_sqrt(root);
    for (l = 0; l < DC_LANES; ++l) {
        dc_real m = turn[0][l], s = turn[1][l], c1 = DCI_ABS(m) + root[l];
        turn[0][l] = m > 0 ? s : c1;
        turn[1][l] = m > 0 ? c1 : s;
        root[l] = c1*c1 + s*s;
    }
    dci_tri_sqrt(root);

    /* turn b1, b2 */
    for (l = 0; l < DC_LANES; ++l) {
        dc_real len = root[l], w = 1/DCI_MAX(len, DC_REAL_MIN);
        dc_real c1 = len > 0 ? turn[0][l]*w : DC_R(1.0), s = turn[1][l]*w;
        dc_real b1x = c1*u[3][l] + s*u[6][l], b1y = c1*u[4][l] + s*u[7][l], b1z = c1*u[5][l] + s*u[8][l];
        dc_real ux = u[0][l], uy = u[1][l], uz = u[2][l];
        dc_real b2x = uy*b1z - uz*b1y, b2y = uz*b1x - ux*b1z, b2z = ux*b1y - uy*b1x;
        u[3][l] = b1x;  u[4][l] = b1y;  u[5][l] = b1z;
        u[6][l] = b2x;  u[7][l] = b2y;  u[8][l] = b2z;
        for (k = 0; k < 18; k += 3) {
            dc_real rx = v[k][l] - q[0][l], ry = v[k + 1][l] - q[1][l], rz = v[k + 2][l] - q[2][l];
            c[k][l] = rx*ux + ry*uy + rz*uz;
            c[k + 1][l] = rx*b1x + ry*b1y + rz*b1z;
            c[k + 2][l] = rx*b2x + ry*b2y + rz*b2z;
        }
    }
}

/* A = sum D y y^T + radial term, y = (1, z, x, y), as L D L^T: L10 L20 L21 L30 L31 L32, then 1/D. */
static void dci_tri_factor(dci_tri *T)
{
    dci_row *c = T->frame.vertex, *L = T->twist.factor;
    int l, k;

    for (l = 0; l < DC_LANES; ++l) {
        dc_real radial = T->minimum.slope[l]/T->minimum.radius[l];
        dc_real a00 = 0, a10 = 0, a20 = 0, a30 = 0, a11 = T->minimum.curvature[l], a21 = 0, a31 = 0;
        dc_real a22 = radial, a32 = 0, a33 = radial;
        dc_real l10, l20, l30, l21, l31, l32, m21, m31, m32, i0, i1, i2;

        /* A */
        for (k = 0; k < 6; ++k) {
            dc_real D = T->minimum.stiffness[k][l], z = c[3*k][l], x = c[3*k + 1][l], y = c[3*k + 2][l];
            dc_real Dz = D*z, Dx = D*x, Dy = D*y;
            a00 += D;
            a10 += Dz;    a20 += Dx;    a30 += Dy;
            a11 += Dz*z;  a21 += Dz*x;  a31 += Dz*y;
            a22 += Dx*x;  a32 += Dx*y;  a33 += Dy*y;
        }

        /* L D L^T */
        i0 = 1/a00;
        l10 = a10*i0;  l20 = a20*i0;  l30 = a30*i0;
        i1 = 1/(a11 - l10*a10);
        m21 = a21 - l10*a20;
        m31 = a31 - l10*a30;
        l21 = m21*i1;
        l31 = m31*i1;
        i2 = 1/(a22 - l20*a20 - l21*m21);
        m32 = a32 - l20*a30 - l21*m31;
        l32 = m32*i2;
        L[0][l] = l10;
        L[1][l] = l20;  L[2][l] = l21;
        L[3][l] = l30;  L[4][l] = l31;  L[5][l] = l32;
        L[6][l] = i0;   L[7][l] = i1;   L[8][l] = i2;
        L[9][l] = 1/(a33 - l30*a30 - l31*m31 - l32*m32);
    }
}

/* Moments of triangle a about q: gradient, H without its last term, C (6 x 4), all in the frame; see dci_pair_body. */
static void dci_tri_moments(dci_tri *T)
{
    dci_row *c = T->frame.vertex, *L = T->twist.factor;
    dci_row *g = T->twist.gradient, *H = T->twist.hessian, *C = T->twist.cross;
    int l, k;

    for (l = 0; l < DC_LANES; ++l) {
        dc_real F = 0, Mz = 0, Mx = 0, My = 0, D0 = 0, Dz = 0, Dx = 0, Dy = 0, zx = 0, zy = 0, xx = 0, xy = 0, yy = 0;
        dc_real nu = T->minimum.radius[l];
        for (k = 0; k < 3; ++k) {
            dc_real f = T->minimum.force[k][l], D = T->minimum.stiffness[k][l];
            dc_real z = c[3*k][l], x = c[3*k + 1][l], y = c[3*k + 2][l];
            F += f;       Mz += f*z;    Mx += f*x;    My += f*y;
            D0 += D;      Dz += D*z;    Dx += D*x;    Dy += D*y;
            zx += D*z*x;  zy += D*z*y;  xx += D*x*x;  xy += D*x*y;  yy += D*y*y;
        }
        g[0][l] = nu*F;
        g[1][l] = nu*My;
        g[2][l] = -nu*Mx;

        /* rows of the lower triangle: (0,0) (4,0) (5,0) (4,3) (5,3) (4,4) (5,4) (5,5) */
        H[0][l] = nu*nu*D0;
        H[1][l] = nu*nu*Dy;
        H[2][l] = -nu*nu*Dx;
        H[3][l] = DC_R(0.5)*nu*Mx;
        H[4][l] = DC_R(0.5)*nu*My;
        H[5][l] = nu*(nu*yy - Mz);
        H[6][l] = -nu*nu*xy;
        H[7][l] = nu*(nu*xx - Mz);

        C[0][l] = nu*D0;    C[1][l] = nu*Dz + F;   C[2][l] = nu*Dx;        C[3][l] = nu*Dy;
        C[4][l] = 0;        C[5][l] = 0;           C[6][l] = F;            C[7][l] = 0;
        C[8][l] = 0;        C[9][l] = 0;           C[10][l] = 0;           C[11][l] = F;
        C[12][l] = 0;       C[13][l] = 0;          C[14][l] = -My;         C[15][l] = Mx;
        C[16][l] = nu*Dy;   C[17][l] = nu*zy + My; C[18][l] = nu*xy;       C[19][l] = nu*yy - Mz;
        C[20][l] = -nu*Dx;  C[21][l] = -nu*zx - Mx; C[22][l] = Mz - nu*xx; C[23][l] = -nu*xy;
    }

    /* C <- C L^-T */
    for (k = 0; k < 24; k += 4)
        for (l = 0; l < DC_LANES; ++l) {
            dc_real c0 = T->twist.cross[k][l], c1, c2, c3;
            c1 = T->twist.cross[k + 1][l] - L[0][l]*c0;
            c2 = T->twist.cross[k + 2][l] - L[1][l]*c0 - L[2][l]*c1;
            c3 = T->twist.cross[k + 3][l] - L[3][l]*c0 - L[4][l]*c1 - L[5][l]*c2;
            T->twist.cross[k + 1][l] = c1;  T->twist.cross[k + 2][l] = c2;  T->twist.cross[k + 3][l] = c3;
        }
}

/* H - C A^-1 C^T in the frame */
static void dci_tri_schur(dci_tri *T)
{
    /* entry (i,j) of the stored part of H, -1 for zero */
    static const signed char at[6][6] = {{0, -1, -1, -1, 1, 2},  {-1, -1, -1, -1, -1, -1}, {-1, -1, -1, -1, -1, -1},
                                         {-1, -1, -1, -1, 3, 4}, {1, -1, -1, 3, 5, 6},     {2, -1, -1, 4, 6, 7}};
    dci_row *w = T->twist.factor + 6;
    int l, i, j;
    for (i = 0; i < 6; ++i)
        for (j = 0; j < 6; ++j) {
            dci_row *c = T->twist.cross + 4*i, *d = T->twist.cross + 4*j;
            const dc_real *h = at[i][j] < 0 ? NULL : T->twist.hessian[(int)at[i][j]];
            dc_real *e = T->twist.world[6*i + j];
            for (l = 0; l < DC_LANES; ++l)
                e[l] = -(c[0][l]*d[0][l]*w[0][l] + c[1][l]*d[1][l]*w[1][l]
                       + c[2][l]*d[2][l]*w[2][l] + c[3][l]*d[3][l]*w[3][l]);
            for (l = 0; h && l < DC_LANES; ++l) e[l] += h[l];
        }
}

/* columns, then rows, to world axes; translations by 1/size */
static void dci_tri_world(dci_tri *T)
{
    dci_row *E = T->twist.world, *u = T->frame.axis;
    int l, i, j;

    for (i = 0; i < 6; ++i)
        for (j = 0; j < 6; j += 3) {
            dc_real *e0 = E[6*i + j], *e1 = E[6*i + j + 1], *e2 = E[6*i + j + 2];
            for (l = 0; l < DC_LANES; ++l) {
                dc_real w = j == 0 ? 1/T->pairs.size[l] : DC_R(1.0), a = w*e0[l], b = w*e1[l], c = w*e2[l];
                e0[l] = a*u[0][l] + b*u[3][l] + c*u[6][l];
                e1[l] = a*u[1][l] + b*u[4][l] + c*u[7][l];
                e2[l] = a*u[2][l] + b*u[5][l] + c*u[8][l];
            }
        }

    for (j = 0; j < 6; ++j)
        for (i = 0; i < 6; i += 3) {
            dc_real *e0 = E[6*i + j], *e1 = E[6*i + 6 + j], *e2 = E[6*i + 12 + j];
            for (l = 0; l < DC_LANES; ++l) {
                dc_real w = i == 0 ? 1/T->pairs.size[l] : DC_R(1.0), a = w*e0[l], b = w*e1[l], c = w*e2[l];
                e0[l] = a*u[0][l] + b*u[3][l] + c*u[6][l];
                e1[l] = a*u[1][l] + b*u[4][l] + c*u[7][l];
                e2[l] = a*u[2][l] + b*u[5][l] + c*u[8][l];
            }
        }
}

/* Gradient in world axes, then both about the origin as in dci_twist_origins: rotations gain [c]x of the translations,
 * then the bracket. */
static void dci_tri_origin(dci_tri *T, dc_v3 origin)
{
    dci_row *E = T->twist.world, *u = T->frame.axis, *g = T->twist.gradient, *o = T->pairs.centre, *q = T->twist.centre;
    dci_row *relative = T->twist.relative;
    int l, i, j, k, row;

    /* gradient, and the step c from q to the origin */
    for (l = 0; l < DC_LANES; ++l) {
        dc_real f = g[0][l]/T->pairs.size[l], tx = g[1][l], ty = g[2][l], s = T->pairs.size[l];
        dc_real gx = f*u[0][l], gy = f*u[1][l], gz = f*u[2][l];
        dc_real cx = origin.x - o[0][l] - s*q[0][l], cy = origin.y - o[1][l] - s*q[1][l];
        dc_real cz = origin.z - o[2][l] - s*q[2][l];
        relative[0][l] = gx;  relative[1][l] = gy;  relative[2][l] = gz;
        relative[3][l] = tx*u[3][l] + ty*u[6][l] + gy*cz - gz*cy;
        relative[4][l] = tx*u[4][l] + ty*u[7][l] + gz*cx - gx*cz;
        relative[5][l] = tx*u[5][l] + ty*u[8][l] + gx*cy - gy*cx;
        q[0][l] = cx;  q[1][l] = cy;  q[2][l] = cz;
    }

    /* rows, then columns of the Hessian */
    for (k = 0; k < 2; ++k)
        for (i = 0; i < 6; ++i) {
            int step = k == 0 ? 6 : 1, base = k == 0 ? i : 6*i;
            dc_real *e0 = E[base], *e1 = E[base + step], *e2 = E[base + 2*step];
            dc_real *f0 = E[base + 3*step], *f1 = E[base + 4*step], *f2 = E[base + 5*step];
            for (l = 0; l < DC_LANES; ++l) {
                dc_real cx = q[0][l], cy = q[1][l], cz = q[2][l];
                f0[l] += cz*e1[l] - cy*e2[l];  f1[l] += cx*e2[l] - cz*e0[l];  f2[l] += cy*e0[l] - cx*e1[l];
            }
        }

    /* the bracket */
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) {
            dc_real *e = E[6*(3 + i) + 3 + j];
            const dc_real *gi = relative[i], *gj = relative[j], *ci = q[i], *cj = q[j];
            for (l = 0; l < DC_LANES; ++l) e[l] -= DC_R(0.5)*(gi[l]*cj[l] + ci[l]*gj[l]);
            for (l = 0; i == j && l < DC_LANES; ++l)
                e[l] += relative[0][l]*q[0][l] + relative[1][l]*q[1][l] + relative[2][l]*q[2][l];
        }
    for (i = 0, row = 6; i < 6; ++i)
        for (j = i; j < 6; ++j, ++row) memcpy(relative[row], E[6*i + j], sizeof(dci_row));
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

DC_DEF size_t dc_tri_batch_bytes(void) { return dc_bytes(dc_pair_bytes(3, 3), 1, sizeof(dci_tri)); }

/* vertices of pair i of a batch */
static void dci_tri_vertices(const dc_real *x, size_t stride, size_t i, dc_v3 v[6])
{
    size_t k;
    for (k = 0; k < 6; ++k) v[k] = dc_vec(x[3*k*stride + i], x[(3*k + 1)*stride + i], x[(3*k + 2)*stride + i]);
}

static void dci_tri_hulls(const dc_v3 v[6], dc_hull hull[2])
{
    hull[0].v = v;
    hull[1].v = v + 3;
    hull[0].n = hull[1].n = 3;
    hull[0].radius = hull[1].radius = 0;
}

/* The relative derivatives of a pair by the scalar solver, from its plane. Both bodies are put at a vertex of the pair:
 * the block of a is the relative one; from there to the origin. */
static dc_status dci_tri_single_relative(dci_tri_alone *alone, const dc_pair_options *opt, dc_plane plane,
                                         dc_arena *mem, dc_v3 origin)
{
    dc_relative *q = &alone->relative;
    dc_hull hull[2];
    dc_pose at;
    dc_status status;
    size_t k, j;

    at.q.w = 1;
    at.q.x = at.q.y = at.q.z = 0;
    at.t = alone->vertex[0];
    for (k = 0; k < 6; ++k) alone->vertex[k] = dc_sub(alone->vertex[k], at.t);
    dci_tri_hulls(alone->vertex, hull);
    plane.d = plane.d + dc_dot(plane.n, at.t);
    status = dc_pair_rigid(opt, hull, &at, hull + 1, &at, mem, &plane, NULL, alone->by_twist, alone->hessian, NULL);
    if (status != DC_OK && status != DC_E_DIVERGED) return status;

    q->o = at.t;
    for (k = 0; k < 6; ++k) {
        q->g[k] = alone->by_twist[k];
        for (j = 0; j < 6; ++j) q->H[6*k + j] = alone->hessian[12*k + j];
    }
    dc_relative_shift(q, origin);
    for (k = 0; k < 36; ++k)
        if (!dc_finite(q->H[k])) status = DC_E_RANGE;
    return status;
}

/* Pair i by the scalar solver, from the caller's plane. */
static dc_status dci_tri_single(dci_tri_alone *alone, const dc_pair_options *opt, const dc_real *x, size_t stride,
                                size_t i, dc_arena *mem, dc_tri_out *out)
{
    const dc_relative *q = &alone->relative;
    dc_hull hull[2];
    dc_plane plane = DC_ZERO;
    dc_real value = 0;
    dc_status status;
    size_t k, j, row;

    dci_tri_vertices(x, stride, i, alone->vertex);
    dci_tri_hulls(alone->vertex, hull);
    if (out->plane) {
        plane.n = dc_vec(out->plane[i], out->plane[stride + i], out->plane[2*stride + i]);
        plane.d = out->plane[3*stride + i];
    }

    status = dc_pair(opt, hull, hull + 1, mem, &plane, &value, out->grad ? alone->gradient : NULL, NULL, NULL);
    if ((status == DC_OK || status == DC_E_DIVERGED) && out->relative) {
        dc_status second = dci_tri_single_relative(alone, opt, plane, mem, out->origin);
        if (second != DC_OK) status = second;
    }

    /* what dc_pair leaves untouched stays so */
    if (out->status) out->status[i] = (unsigned char)status;
    if (status == DC_E_OVERLAP && out->value) out->value[i] = dci_from_bits(DCI_INF);
    if (status != DC_OK && status != DC_E_DIVERGED) return status;
    if (out->value) out->value[i] = value;
    if (out->plane) {
        out->plane[i] = plane.n.x;
        out->plane[stride + i] = plane.n.y;
        out->plane[2*stride + i] = plane.n.z;
        out->plane[3*stride + i] = plane.d;
    }
    for (k = 0; out->grad && k < 18; ++k) out->grad[k*stride + i] = alone->gradient[k];
    if (!out->relative) return status;
    for (k = 0; k < 6; ++k) out->relative[k*stride + i] = q->g[k];
    for (k = 0, row = 6; k < 6; ++k)
        for (j = k; j < 6; ++j, ++row) out->relative[row*stride + i] = q->H[6*k + j];
    return status;
}

/* Loads lanes i.. of the batch, the last pair repeated behind its end. */
static void dci_tri_gather(dci_row *rows, int n_rows, const dc_real *x, size_t stride, int i, int count)
{
    int r, l;
    for (r = 0; r < n_rows; ++r)
        for (l = 0; l < DC_LANES; ++l) rows[r][l] = x[(size_t)r*stride + (size_t)(i + l < count ? i + l : count - 1)];
}

/* Solves pairs i.. of the batch in the lanes of T. */
static DCI_NOINLINE void dci_tri_block(dci_tri *T, dc_real c, dc_real length, const dc_real *x, size_t stride, int i,
                                       int count, const dc_tri_out *out)
{
    int it, l, warm = 0, running = 1;

    /* start */
    dci_tri_gather(T->pairs.vertex, 18, x, stride, i, count);
    dci_tri_load(T);
    if (out->plane) {
        dci_tri_gather(T->iterate.plane, 4, out->plane, stride, i, count);
        warm = dci_tri_warm(T);
    }
    if (!warm) dci_tri_cold(T, out->plane != NULL);
    dci_tri_chart(T);

    /* iterate */
    for (it = 0; it < DCI_TRI_STEPS && running; ++it) {
        dci_tri_step(T);
        for (l = 0, running = 0; l < DC_LANES; ++l) running |= T->iterate.running[l] > 0;
    }
    dci_tri_end(T);
    dci_tri_value(T, c, length);
    if (!out->relative) return;

    /* differentiate */
    dci_tri_frame(T);
    dci_tri_factor(T);
    dci_tri_moments(T);
    dci_tri_schur(T);
    dci_tri_world(T);
    dci_tri_origin(T, out->origin);
}

/* Is the answer of lane l one? NaN fails every comparison; overlap leaves a slack that is not positive. */
static int dci_tri_good(const dci_tri *T, int l, const dc_tri_out *out)
{
    const dci_tri_minimum *at = &T->minimum;
    int k, good = at->least[l] > DCI_TRI_NEAR*at->length[l] && !(T->iterate.running[l] > 0)
        && T->pairs.size[l] <= DC_LIMIT && at->value[l] <= DC_REAL_MAX
        && dc_in_range(dc_vec(T->pairs.centre[0][l], T->pairs.centre[1][l], T->pairs.centre[2][l]));
    for (k = 0; good && k < 6 && out->grad; ++k) good = dc_finite(at->force[k][l]/T->pairs.size[l]);
    for (k = 0; good && k < 27 && out->relative; ++k) good = dc_finite(T->twist.relative[k][l]);
    return good;
}

/* outputs of lane l for pair i */
static void dci_tri_write(const dci_tri *T, int l, size_t i, size_t stride, const dc_tri_out *out)
{
    size_t k, j;
    if (out->status) out->status[i] = DC_OK;
    if (out->value) out->value[i] = T->minimum.value[l];
    for (k = 0; out->plane && k < 4; ++k) out->plane[k*stride + i] = T->iterate.plane[k][l];
    for (k = 0; out->grad && k < 6; ++k) {
        dc_real f = T->minimum.force[k][l]/T->pairs.size[l];
        for (j = 0; j < 3; ++j) out->grad[(3*k + j)*stride + i] = f*T->iterate.plane[j][l];
    }
    for (k = 0; out->relative && k < 27; ++k) out->relative[k*stride + i] = T->twist.relative[k][l];
}

/* A batch without room: DC_E_ARG where dc_pair refuses one of its pairs. */
static DCI_NOINLINE dc_status dci_tri_refuse(int count, const dc_real *x, size_t stride)
{
    dc_arena nowhere = dc_arena_make(NULL, 0);
    dc_status status = DC_E_MEMORY;
    dc_v3 v[6];
    dc_hull hull[2];
    dci_posed body[2];
    int i;

    dci_tri_hulls(v, hull);
    body[0].hull = hull;
    body[1].hull = hull + 1;
    body[0].map = body[1].map = NULL;

    for (i = 0; i < count && status == DC_E_MEMORY; ++i) {
        dci_tri_vertices(x, stride, (size_t)i, v);
        status = dci_pair_load(NULL, NULL, body, &nowhere);
    }
    return status;
}

DC_DEF dc_status dc_tri_batch(const dc_pair_options *opt, int count, const dc_real *x, size_t stride, dc_arena *mem,
                              dc_tri_out *out)
{
    dc_pair_options o;
    int i, l, local;
    size_t used = mem ? mem->used : 0;
    dc_status status = DC_OK;
    dci_tri *T;

    if (!mem || !out || count < 0 || count > INT32_MAX - DC_LANES || stride < (size_t)count || (count > 0 && !x)
        || !dci_pair_choose(opt, 3, 3, &o) || (out->relative && !dc_in_range(out->origin))) return DC_E_ARG;
    local = o.barrier == DC_LOCAL;
    T = (dci_tri *)dc_arena_take(mem, 1, sizeof *T);
    if (!T || mem->size - mem->used < dc_pair_bytes(3, 3) - (DC_ALIGN - 1)) {
        mem->used = used;
        return dci_tri_refuse(count, x, stride);
    }

    /* side by side; alone what that does not do */
    for (i = 0; i < count; i += DC_LANES) {
        int lanes = count - i < DC_LANES ? count - i : DC_LANES;
        if (!local) dci_tri_block(T, o.c, o.length, x, stride, i, count, out);
        for (l = 0; l < lanes; ++l) {
            size_t at = (size_t)(i + l);
            dc_status alone;
            if (!local && dci_tri_good(T, l, out)) {
                dci_tri_write(T, l, at, stride, out);
                continue;
            }
            alone = dci_tri_single(&T->alone, opt, x, stride, at, mem, out);
            if (status == DC_OK) status = alone;
        }
    }
    mem->used = used;
    return status;
}

/* ---- [friction] friction potential ------------------------------------------------------------- */
/* In: the pair at time t, the hulls at both times, friction options. Out: U_f, its gradient and Hessian by the new
 * configuration, its mixed derivative by the old one.
 *
 * stage                       | reads                         | writes                       | equation
 * dci_friction_open, _forces  | options, pair at time t       | load; weight of the slips    | SDRS Eq. 8, 12
 * dci_friction_close          | load, hulls at both times     | velocity of the slips        | SDRS Eq. 9
 * dci_friction_plane, _newton | velocity, weight              | motion, slip                 | SDRS Eq. 10, 12, 13
 * dci_friction_plane_near     | the same                      | the same, with forces        |
 * dci_friction_gradient       | weight, slip                  | change.force                 | SDRS Eq. 66, 70
 * dci_friction_jvp            | load, motion, change          | change.force                 | SDRS Eq. 67, 68, 72
 * dci_friction_vertices       | the two above                 | the caller's                 |
 * dci_friction_twists, _write | the two above                 | work, the caller's           |
 * dci_friction_shapes         | the two above                 | the caller's                 |
 * dci_friction_back           | load, motion, change.force    | change.old, change.now       | SDRS Eq. 67, 68, 70, 72
 * dci_friction_duals          | iterate, slip                 | forces as unknowns           | */

#define DCI_SLIP_STEPS 100
#define DCI_SLIP_NEAR 25    /* steps from an iterate's velocity */
/* Energies are known to DCI_SLIP_NOISE of themselves. A dec2 below that share of E has settled when more than a quarter
 * of the one before is left; at DCI_SLIP_DONE eps^2 the decrement is 4096 eps and needs no more. */
#define DCI_SLIP_NOISE (64*DC_EPS)
#define DCI_SLIP_DONE DC_R(16777216.0)
/* Points, without a patch, that spread over less than this of the pair's extent are one place, which resists no
 * spin: in float their distances have too few digits to decide it, in double their friction. */
#define DCI_SLIP_PLACE DC_R(1e-3)

/* One loaded vertex. Coordinates in the frame (u, b1, b2) of the pair, in the caller's units. */
typedef struct {
    int vertex;                     /* k, of the pair */
    dc_real weight, by_force;       /* A = mu h A(f) and its derivative by f */
    dc_real shift;                  /* s_k r: x of a round hull is where it is next to the plane, x_k - s_k r n_hat */
    dc_real local[3];               /* z, x, y: x^t - q */
    dc_real velocity[3];            /* (x^{t+1} - x^t)/h */
    dc_real slip[3], speed;         /* w = e/rho, rho = sqrt(|e|^2 + eps_v) */
    dc_real force[3];               /* lambda, where it is an unknown */
} dci_slip;

/* what the pair at time t has loaded */
typedef struct {
    const dci_pair *pair;           /* for derivatives by x^t alone */
    dci_slip *slip;                 /* [count], the first `loaded` in use */
    dci_axes frame;                /* of the pair */
    int count, count_a, loaded;     /* vertices of both, of a, that carry a force */
    dc_v3 shift[2];                 /* - s_k r n_hat in the coordinates of each body, which turns with it */
    dc_real time_step, eps_v, patch;
    dc_real extent;                 /* largest coordinate of the pair: what its rounding is a part of */
} dci_friction_loaded;

/* the plane's velocity z = (U1, U2, scale w) */
typedef struct {
    int unknowns;                   /* 2 when nothing resists spin */
    dc_real scale;                  /* unit of the spin */
    dc_real mean[3];                /* of the slips' velocities: where the search starts */
    dc_real velocity[3], lower[9];  /* minimiser, and Cholesky factor L of the Hessian there */
    dc_real gradient[3];
    int derived;                    /* the gradient and the factor are those of the slips that are set */
    dc_real lower_by_duals[9];      /* the same with forces as unknowns */
} dci_friction_motion;

/* a direction: [count] each */
typedef struct {
    dc_v3 *old, *now;               /* dx^t, dx^{t+1} */
    dc_v3 *force;                   /* g or dg */
} dci_friction_change;

typedef struct { dc_real map[4][12], gradient[12], hessian[144], mixed[144]; } dci_friction_work;

typedef struct {
    dci_friction_loaded load;
    dci_friction_motion motion;
    dci_friction_change change;
    dci_friction_work work;
    dc_friction_vertex *dual;       /* [loaded] forces as unknowns; NULL: they are what the slips say */
} dci_friction;

/* SDRS Eq. 9, 10. Slip of vertex k, e = (v - q, patch w):   q = u + w n_hat x x = (U1 - w y, U2 + w x). */
static void dci_slip_set(const dci_friction *f, dci_slip *s, const dc_real z[3], dc_real eps)
{
    dc_real w = z[2]/f->motion.scale, *e = s->slip;
    e[0] = s->velocity[1] - z[0] + w*s->local[2];
    e[1] = s->velocity[2] - z[1] - w*s->local[1];
    e[2] = f->load.patch*w;
    s->speed = dc_sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2] + eps);   /* eps > 0 */
    w = 1/s->speed;
    e[0] *= w;
    e[1] *= w;
    e[2] *= w;
}

/* -de/dz of vertex k: rows e, columns z */
static void dci_slip_jacobian(const dci_friction *f, const dci_slip *s, dc_real K[3][3])
{
    dc_real w = 1/f->motion.scale;
    K[0][0] = 1;  K[0][1] = 0;  K[0][2] = -s->local[2]*w;
    K[1][0] = 0;  K[1][1] = 1;  K[1][2] = s->local[1]*w;
    K[2][0] = 0;  K[2][1] = 0;  K[2][2] = -f->load.patch*w;
}

static dc_real dci_friction_energy(dci_friction *f, const dc_real z[3], dc_real eps)
{
    dci_slip *slip = f->load.slip;
    dc_real sum = 0;
    int k;
    f->motion.derived = 0;
    for (k = 0; k < f->load.loaded; ++k) {
        dci_slip_set(f, slip + k, z, eps);
        sum += slip[k].weight*slip[k].speed;
    }
    return sum;
}

/* x <- H^-1 x with the factor L of the first m unknowns; further entries become 0 */
static void dci_friction_solve(const dci_friction *f, const dc_real L[9], dc_real x[3])
{
    int m = f->motion.unknowns, i, k;
    for (i = 0; i < m; ++i) {
        for (k = 0; k < i; ++k) x[i] -= L[3*i + k]*x[k];
        x[i] /= L[4*i];
    }
    for (i = m - 1; i >= 0; --i) {
        for (k = i + 1; k < m; ++k) x[i] -= L[3*k + i]*x[k];
        x[i] /= L[4*i];
    }
    for (i = m; i < 3; ++i) x[i] = 0;
}

/* H = L L^T of the first m unknowns; a pivot lost to rounding is replaced by its diagonal */
static void dci_friction_factor(int m, dc_real H[3][3], dc_real L[9])
{
    int i, j, l;
    for (i = 0; i < m; ++i)
        for (j = 0; j <= i; ++j) {
            dc_real sum = H[i][j];
            for (l = 0; l < j; ++l) sum -= L[3*i + l]*L[3*j + l];
            if (j < i) L[3*i + j] = sum/L[4*j];
            else L[4*i] = dc_sqrt(sum > DC_EPS*H[i][i] ? sum : H[i][i]);
        }
}

/* SDRS Eq. 12, 13. Gradient by z at the slips that are set, and the factor of the Hessian
 *     grad = -sum A K^T w,   H = sum A/rho K^T (I - w w^T) K,
 * where I - w w^T = (eps/rho^2) I + [w]x^T [w]x: no 1 - |w|^2, which cancels at velocities far above sqrt eps. */
static void dci_friction_newton(dci_friction *f, dc_real eps, dc_real grad[3])
{
    const dc_real unit = 1/f->motion.scale;
    dc_real H[3][3];
    int k;

    if (f->motion.derived) {
        memcpy(grad, f->motion.gradient, sizeof f->motion.gradient);
        return;
    }
    memset(H, 0, sizeof H);
    grad[0] = grad[1] = grad[2] = 0;
    for (k = 0; k < f->load.loaded; ++k) {
        const dci_slip *s = &f->load.slip[k];
        const dc_real *w = s->slip, inverse = 1/s->speed, r = s->weight*inverse, q = eps*inverse*inverse;
        const dc_real c0 = -s->local[2]*unit, c1 = s->local[1]*unit, c2 = -f->load.patch*unit;  /* K's last column c */
        const dc_real d0 = w[1]*c2 - w[2]*c1, d1 = w[2]*c0 - w[0]*c2, d2 = w[0]*c1 - w[1]*c0;   /* w x c */
        grad[0] -= s->weight*w[0];
        grad[1] -= s->weight*w[1];
        grad[2] -= s->weight*(w[0]*c0 + w[1]*c1 + w[2]*c2);
        H[0][0] += r*(q + w[1]*w[1] + w[2]*w[2]);
        H[1][0] -= r*w[0]*w[1];
        H[1][1] += r*(q + w[0]*w[0] + w[2]*w[2]);
        H[2][0] += r*(q*c0 + w[2]*d1 - w[1]*d2);
        H[2][1] += r*(q*c1 + w[0]*d2 - w[2]*d0);
        H[2][2] += r*(q*(c0*c0 + c1*c1 + c2*c2) + d0*d0 + d1*d1 + d2*d2);
    }

    dci_friction_factor(f->motion.unknowns, H, f->motion.lower);
    memcpy(f->motion.gradient, grad, sizeof f->motion.gradient);
    f->motion.derived = 1;
}

/* The same with the slips' forces as unknowns: T = I - (lambda w^T + w lambda^T)/2 for I - w w^T, in lower_by_duals. */
static DCI_NOINLINE void dci_friction_dual_newton(dci_friction *f, dc_real grad[3])
{
    const dc_real unit = 1/f->motion.scale, c2 = -f->load.patch*unit;
    dc_real H[3][3] = {{0}};
    int k;

    grad[0] = grad[1] = grad[2] = 0;
    for (k = 0; k < f->load.loaded; ++k) {
        const dci_slip *s = f->load.slip + k;
        const dc_real *w = s->slip, *l = s->force, r = s->weight/s->speed;
        const dc_real c0 = -s->local[2]*unit, c1 = s->local[1]*unit;                    /* K's last column c */
        const dc_real wc = w[0]*c0 + w[1]*c1 + w[2]*c2, lc = l[0]*c0 + l[1]*c1 + l[2]*c2;
        grad[0] -= s->weight*w[0];
        grad[1] -= s->weight*w[1];
        grad[2] -= s->weight*wc;
        H[0][0] += r*(1 - l[0]*w[0]);
        H[1][0] -= r*DC_R(0.5)*(l[0]*w[1] + l[1]*w[0]);
        H[1][1] += r*(1 - l[1]*w[1]);
        H[2][0] += r*(c0 - DC_R(0.5)*(l[0]*wc + w[0]*lc));
        H[2][1] += r*(c1 - DC_R(0.5)*(l[1]*wc + w[1]*lc));
        H[2][2] += r*(c0*c0 + c1*c1 + c2*c2 - lc*wc);
    }
    dci_friction_factor(f->motion.unknowns, H, f->motion.lower_by_duals);
}

/* The slips' forces after a step of z, before the slips are set anew: by the linearised rho lambda = e,
 *     lambda <- w + T de/rho,   de = -K dz,   |lambda| <= 1. */
static void dci_friction_dual_step(dci_friction *f, const dc_real step[3])
{
    const dc_real turn = step[2]/f->motion.scale;
    int k, i;

    for (k = 0; k < f->load.loaded; ++k) {
        dci_slip *s = f->load.slip + k;
        const dc_real inverse = 1/s->speed, *w = s->slip;
        dc_real *l = s->force, d[3], wd, ld, length2 = 0, most;
        d[0] = -inverse*(step[0] - s->local[2]*turn);
        d[1] = -inverse*(step[1] + s->local[1]*turn);
        d[2] = inverse*f->load.patch*turn;
        wd = DC_R(0.5)*(w[0]*d[0] + w[1]*d[1] + w[2]*d[2]);
        ld = DC_R(0.5)*(l[0]*d[0] + l[1]*d[1] + l[2]*d[2]);
        for (i = 0; i < 3; ++i) {
            l[i] = w[i] + d[i] - (l[i]*wd + w[i]*ld);
            length2 += l[i]*l[i];
        }
        if (length2 <= 1) continue;

        /* one that does not fit: none */
        most = dc_finite(length2) ? 1/dc_sqrt(length2) : 0;
        for (i = 0; i < 3; ++i) l[i] = most > 0 ? most*l[i] : 0;
    }
}

/* Where the iteration starts: the mean velocity, the unit of spin, whether anything resists it. Returns the square
 * of the largest velocity against the mean, not below eps_v. */
static dc_real dci_friction_start(dci_friction *f, dc_real eps_v)
{
    dc_real sum = 0, spread = 0, eps = eps_v, patch = f->load.patch, *z = f->motion.velocity;
    int k;

    z[0] = z[1] = z[2] = 0;
    for (k = 0; k < f->load.loaded; ++k) {
        const dci_slip *s = &f->load.slip[k];
        sum += s->weight;
        z[0] += s->weight*s->velocity[1];
        z[1] += s->weight*s->velocity[2];
        spread += s->weight*(s->local[1]*s->local[1] + s->local[2]*s->local[2]);
    }

    z[0] /= sum;
    z[1] /= sum;
    for (k = 0; k < f->load.loaded; ++k) {
        dc_real e1 = f->load.slip[k].velocity[1] - z[0], e2 = f->load.slip[k].velocity[2] - z[1];
        eps = dc_max(eps, e1*e1 + e2*e2);
    }

    f->motion.scale = dc_sqrt(spread/sum + patch*patch);
    f->motion.unknowns = f->motion.scale > (patch > 0 ? 16*DC_EPS : DCI_SLIP_PLACE)*f->load.extent ? 3 : 2;
    if (f->motion.unknowns == 2) f->motion.scale = 1;
    memcpy(f->motion.mean, z, sizeof f->motion.mean);
    return eps;
}

/* The next iterate along the step, into trial; returns the energy there. */
static dc_real dci_friction_line(dci_friction *f, const dc_real step[3], dc_real E, dc_real dec2, dc_real eps,
                                 dc_real trial[3])
{
    dc_real alpha = 1, Et = 0;
    int line, k;

    for (line = 0; line < DCI_LINE_STEPS; ++line, alpha *= DC_R(0.5)) {
        for (k = 0; k < 3; ++k) trial[k] = f->motion.velocity[k] + alpha*step[k];
        Et = dci_friction_energy(f, trial, eps);
        if (dec2 > DCI_SLIP_NOISE*E) {
            if (Et <= E - DC_R(1e-4)*alpha*dec2) break;
        } else {
            /* below the noise of E the slope along the step decides: no further than where it has turned by its own
             * size */
            dc_real turned[3], slope = 0;
            dci_friction_newton(f, eps, turned);
            for (k = 0; k < f->motion.unknowns; ++k) slope += turned[k]*step[k];
            if (dc_abs(slope) <= dec2 && Et <= E + DCI_SLIP_NOISE*E) break;
        }
    }
    return Et;
}

/* One of Newton's steps from the energy *E, which becomes that where it ends, with the forces as unknowns if `duals`;
 * its decrement. */
static dc_real dci_friction_step(dci_friction *f, dc_real eps, int duals, dc_real *E)
{
    dc_real *z = f->motion.velocity, grad[3], step[3], trial[3], dec2 = 0;
    int k;
    if (duals) dci_friction_dual_newton(f, grad);
    else dci_friction_newton(f, eps, grad);
    for (k = 0; k < 3; ++k) step[k] = -grad[k];
    dci_friction_solve(f, duals ? f->motion.lower_by_duals : f->motion.lower, step);
    for (k = 0; k < f->motion.unknowns; ++k) dec2 -= grad[k]*step[k];
    if (!dc_finite(dec2) || !dc_finite(*E)) return dci_from_bits(DCI_INF);
    if (duals) dci_friction_dual_step(f, step);
    *E = dci_friction_line(f, step, *E, dec2, eps, trial);
    memcpy(z, trial, sizeof trial);
    return dec2;
}

/* From where it is to the minimum, in no more than `most` steps. */
static dc_status dci_friction_settle(dci_friction *f, int most, int duals, int *iterations, dc_real *value)
{
    const dc_real eps = f->load.eps_v;
    dc_real E = dci_friction_energy(f, f->motion.velocity, eps), before = DC_REAL_MAX, grad[3];
    dc_status status = DC_E_DIVERGED;
    int k;

    for (k = 0; k < f->load.loaded && duals; ++k)
        memcpy(f->load.slip[k].force, f->load.slip[k].slip, sizeof f->load.slip[k].force);
    for (; most > 0 && status != DC_OK; --most) {
        const dc_real from = E, dec2 = dci_friction_step(f, eps, duals, &E);
        const dc_real fall = before < DC_REAL_MAX ? dec2/before : 1;
        if (!dc_finite(dec2)) return DC_E_RANGE;
        ++*iterations;

        /* steps square the decrement: as it fell, it will fall by the square of that */
        if (dec2 <= DCI_SLIP_DONE*DC_EPS*DC_EPS*from || dec2*fall*fall <= DC_EPS*DC_EPS*from
            || (dec2 <= DCI_SLIP_NOISE*from && dec2 > DC_R(0.25)*before)) status = DC_OK;
        before = dec2;
    }
    *value = E;
    dci_friction_newton(f, eps, grad);
    return status;
}

/* The plane's velocity. A sum of smoothed norms: Newton overshoots far from the kinks, so eps falls by stages from the
 * size of the velocities, each stage starting where the last one ended. */
static DCI_NOINLINE dc_status dci_friction_plane(dci_friction *f, int *iterations, dc_real *value)
{
    const dc_real eps_v = f->load.eps_v;
    dc_real eps = dci_friction_start(f, eps_v), E = dci_friction_energy(f, f->motion.velocity, eps);
    int it;

    for (it = 0; it < DCI_SLIP_STEPS && eps > eps_v; ++it) {
        const dc_real from = E, dec2 = dci_friction_step(f, eps, 0, &E);
        if (!dc_finite(dec2)) return DC_E_RANGE;
        ++*iterations;
        if (dec2 > DC_R(1e-3)*from) continue;
        eps = dc_max(eps_v, DC_R(0.01)*eps);
        E = dci_friction_energy(f, f->motion.velocity, eps);
    }
    return dci_friction_settle(f, DCI_SLIP_STEPS - it, 0, iterations, value);
}

/* The same from near by, as far from the mean of the velocities as it was at the iterate of a load: without stages,
 * since with the slips' forces as unknowns (dc_friction_try) steps do not overshoot. DC_E_DIVERGED: not found in a few
 * steps. */
static DCI_NOINLINE dc_status dci_friction_plane_near(dci_friction *f, const dc_friction_load *load, int *iterations,
                                                      dc_real *value)
{
    int k;
    dci_friction_start(f, f->load.eps_v);
    for (k = 0; k < 3; ++k) f->motion.velocity[k] += load->motion_kept[k];
    return dci_friction_settle(f, DCI_SLIP_NEAR, 1, iterations, value);
}

static void dci_to_frame(const dci_axes *frame, dc_v3 v, dc_real r[3])
{
    r[0] = dc_dot(v, frame->axis);
    r[1] = dc_dot(v, frame->side_1);
    r[2] = dc_dot(v, frame->side_2);
}
static dc_v3 dci_from_frame(const dci_axes *frame, const dc_real r[3])
{
    return dc_add(dc_scale(r[0], frame->axis), dc_add(dc_scale(r[1], frame->side_1), dc_scale(r[2], frame->side_2)));
}

/* dp = -A^-1 C^T dx of the minimising plane, (d, n_u, n_b1, n_b2) about q, dx in the caller's units  (SDRS Eq. 33) */
static void dci_friction_plane_jvp(const dci_friction *f, const dc_v3 *dx, dc_real dp[4])
{
    const dci_pair *p = f->load.pair;
    int k, j;

    for (j = 0; j < 4; ++j) dp[j] = 0;
    for (k = 0; k < p->newton.terms; ++k) {
        const dci_term *t = &p->newton.term[k];
        dc_real r[3], Dn;
        dci_to_frame(&f->load.frame, dx[k], r);
        Dn = t->stiffness*p->plane.length*r[0];
        dp[0] -= Dn;
        dp[1] -= Dn*t->local[0] + t->force*r[0];
        dp[2] -= Dn*t->local[1] + t->force*r[1];
        dp[3] -= Dn*t->local[2] + t->force*r[2];
    }

    for (j = 0; j < 4; ++j) dp[j] /= p->hulls.unit;
    dci_pair_forward(&p->newton, dp);
    dci_pair_backward(&p->newton, dp);
}

/* dw = (I - w w^T) de/rho of w = e/rho, without cancellation: ((eps/rho^2) de + (w x de) x w)/rho */
static dc_v3 dci_slip_turn(const dci_slip *s, dc_real eps, const dc_real de[3])
{
    dc_v3 w = dc_vec(s->slip[0], s->slip[1], s->slip[2]), d = dc_vec(de[0], de[1], de[2]);
    return dc_scale(1/s->speed, dc_madd(dc_cross(dc_cross(w, d), w), eps/s->speed/s->speed, d));
}

/* d(mu h A(f_k)) along dx^t at time t, e0 in the frame: f_k = |n| |h'| moves with the slack and with |n| */
static dc_real dci_slip_by_force(const dci_friction *f, int k, const dc_real e0[3], const dc_real dp[4])
{
    const dci_pair *p = f->load.pair;
    const dci_term *t = &p->newton.term[k];
    const dc_real *r = t->local;
    dc_real unscale = dci_pair_unscale(&p->barrier)/p->hulls.unit, nu = p->plane.length, df;
    df = t->stiffness*(nu*e0[0]/p->hulls.unit + dp[0] + r[0]*dp[1] + r[1]*dp[2] + r[2]*dp[3]);
    return f->load.slip[k].by_force*unscale*((t->force > 0 ? df : -df)*nu + dc_abs(t->force)*dp[1]);
}

/* SDRS Eq. 67, 72. Change of the gradients g_k = dU_f/dx_k^{t+1} = A/h B w along the motions old, now of the loaded
 * vertices and that of the plane, dp (NULL to leave time t alone). The basis is carried along without spin: dB = -n_hat
 * (B^T dn_hat)^T. */
static DCI_NOINLINE void dci_friction_jvp(const dci_friction *f, const dc_real *dp)
{
    const dci_axes *frame = &f->load.frame;
    dc_v3 *dg = f->change.force;
    dc_real dn1 = 0, dn2 = 0, rhs[3] = {0, 0, 0};
    dc_real h = f->load.time_step, spin = f->motion.velocity[2]/f->motion.scale;
    int k, i;

    if (f->load.loaded == 0) return;
    if (dp) {
        dn1 = dp[2]/f->load.pair->plane.length;   /* dn_hat in b1, b2 */
        dn2 = dp[3]/f->load.pair->plane.length;
    }

    /* dg[k] holds de of the slip with z at rest, and dA; then z follows from dgrad/dz = 0 */
    for (k = 0; k < f->load.loaded; ++k) {
        dci_slip *s = &f->load.slip[k];
        const dc_real A = s->weight, *w = s->slip;
        dc_real K[3][3], e0[3] = {0, 0, 0}, e1[3], de[3], dA = 0, dxx = 0, dyy = 0;
        dc_v3 dw;
        dci_to_frame(frame, f->change.now[k], e1);
        if (dp) {
            dci_to_frame(frame, f->change.old[k], e0);
            dA = dci_slip_by_force(f, k, e0, dp);
            e0[1] -= s->shift*dn1;                 /* d(x_k - s_k r n_hat) */
            e0[2] -= s->shift*dn2;
            dxx = e0[1] - s->local[0]*dn1;         /* d(B^T (x^t - q)) */
            dyy = e0[2] - s->local[0]*dn2;
        }

        de[0] = (e1[1] - e0[1])/h - s->velocity[0]*dn1 + spin*dyy;
        de[1] = (e1[2] - e0[2])/h - s->velocity[0]*dn2 - spin*dxx;
        de[2] = 0;
        dg[k] = dc_vec(de[0], de[1], dA);
        dci_slip_jacobian(f, s, K);
        dw = dci_slip_turn(s, f->load.eps_v, de);
        for (i = 0; i < 3; ++i)
            rhs[i] += K[0][i]*(dA*w[0] + A*dw.x) + K[1][i]*(dA*w[1] + A*dw.y) + K[2][i]*(dA*w[2] + A*dw.z);
        rhs[2] += A*(w[1]*dxx - w[0]*dyy)/f->motion.scale;
    }
    dci_friction_solve(f, f->motion.lower, rhs);                    /* dz, SDRS Eq. 68 */

    for (k = 0; k < f->load.loaded; ++k) {
        dci_slip *s = &f->load.slip[k];
        const dc_real A = s->weight, *w = s->slip;
        dc_real K[3][3], de[3], g[3], dA = dg[k].z;
        dc_v3 dw;
        dci_slip_jacobian(f, s, K);
        de[0] = dg[k].x;
        de[1] = dg[k].y;
        de[2] = 0;
        for (i = 0; i < 3; ++i) de[i] -= K[i][0]*rhs[0] + K[i][1]*rhs[1] + K[i][2]*rhs[2];
        dw = dci_slip_turn(s, f->load.eps_v, de);
        g[1] = (dA*w[0] + A*dw.x)/h;
        g[2] = (dA*w[1] + A*dw.y)/h;
        g[0] = -A/h*(dn1*w[0] + dn2*w[1]);
        dg[k] = dci_from_frame(frame, g);
    }
}

DC_DEF size_t dc_friction_bytes(int na, int nb)
{
    size_t sum = dc_pair_bytes(na, nb), n;
    if (sum == 0) return 0;

    n = (size_t)na + (size_t)nb;
    sum = dc_bytes(sum, 1, sizeof(dci_friction));
    sum = dc_bytes(sum, n, sizeof(dci_slip));
    sum = dc_bytes(sum, n, 3*sizeof(dc_v3));
    return sum == SIZE_MAX ? 0 : sum;
}

/* memory for n vertices, nothing known of them yet; 0: too little */
static int dci_friction_take(dci_friction *f, int n, dc_arena *mem)
{
    f->dual = NULL;
    f->load.count = n;
    f->load.slip = (dci_slip *)dc_arena_take(mem, (size_t)n, sizeof(dci_slip));
    f->change.old = (dc_v3 *)dc_arena_take(mem, (size_t)n, 3*sizeof(dc_v3));
    if (!f->load.slip || !f->change.old) return 0;

    f->change.now = f->change.old + n;
    f->change.force = f->change.now + n;
    f->motion.unknowns = 0;
    f->motion.scale = 1;
    f->motion.velocity[0] = f->motion.velocity[1] = f->motion.velocity[2] = 0;
    return 1;
}

/* What friction needs of a solved pair: the loaded vertices and their forces. 0: out of range. */
static DCI_NOINLINE int dci_friction_forces(dci_friction *f, const dci_pair *p, dc_real mu, dc_real eps_f)
{
    dc_real loaded = 0, unscale = dci_pair_unscale(&p->barrier)/p->hulls.unit, h = f->load.time_step;
    int k, i;

    f->load.pair = p;
    f->load.frame = p->newton.frame;
    f->load.count_a = p->hulls.count_a;
    f->load.loaded = p->newton.terms;
    f->load.extent = p->hulls.unit*p->hulls.size;
    for (k = 0; k < p->newton.terms; ++k) {
        const dci_term *t = &p->newton.term[k];
        dci_slip *s = &f->load.slip[k];
        dc_real F = unscale*p->plane.length*dc_abs(t->force), root;    /* |dP/dx_k|, SDRS Eq. 8 */
        root = F > 1 ? F*dc_sqrt(1 + eps_f/F/F) : dc_sqrt(F*F + eps_f);
        s->weight = mu*h*F*(F/(root + dc_sqrt(eps_f)));     /* SDRS Eq. 12: A(f) = f^2/(sqrt(f^2 + eps) + sqrt eps) */
        s->by_force = mu*h*F/root;
        for (i = 0; i < 3; ++i) s->local[i] = p->hulls.unit*t->local[i];
        s->shift = p->hulls.unit*dci_pair_shift(p, t->vertex);
        s->vertex = t->vertex;
        loaded += s->weight;
    }

    if (!(loaded > 0)) f->load.loaded = 0;
    return dc_finite(loaded);
}

/* Where a round hull is next to the plane at time t, from its vertices, in the coordinates of its body */
static void dci_friction_shift(dci_friction_loaded *load, const dci_posed old[2])
{
    int b;
    for (b = 0; b < 2; ++b) {
        const dc_real r = old[b].hull->radius;
        load->shift[b] = dci_linear_back(old[b].map, dc_scale(b ? r : -r, load->frame.axis));
    }
}

/* vertex k of the pair, of a round hull the point of it that is next to the plane at time t, from the origin of its
 * body, in world axes */
static dc_v3 dci_arm(const dci_friction *f, const dci_posed at[2], int k)
{
    const int b = k >= f->load.count_a;
    const dc_hull *hull = at[b].hull;
    const dc_v3 x = hull->v[k - (b ? f->load.count_a : 0)];
    return dci_linear(at[b].map, hull->radius > 0 ? dc_add(x, f->load.shift[b]) : x);
}

/* The options with what zero stands for; 0: they, the pair at time t or the other numbers are out of range. */
static int dci_friction_choose(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                               const dci_posed old[2], dc_friction_options *o)
{
    o->eps_f = opt && opt->eps_f != 0 ? opt->eps_f : DC_R(1e-6);
    o->eps_v = opt && opt->eps_v != 0 ? opt->eps_v : DC_R(1e-6);
    o->patch = opt && opt->patch != 0 ? opt->patch : DC_R(0.01)*(pair && pair->length != 0 ? pair->length : 1);
    o->no_patch = opt && opt->no_patch;
    if (o->no_patch) o->patch = 0;
    return mu >= 0 && mu <= DC_LIMIT && dci_positive(h) && dci_positive(o->eps_f) && dci_positive(o->eps_v)
        && dci_posed_ok(old[0]) && dci_posed_ok(old[1]) && o->patch >= 0 && o->patch <= DC_LIMIT;
}

/* Solves the pair at time t. Without room for f, which is NULL then, the arguments are checked all the same. info:
 * all but the plane's velocity. */
static dc_status dci_friction_open(dci_friction *f, const dc_friction_options *opt, const dc_pair_options *pair,
                                   dc_real mu, dc_real h, const dci_posed old[2], dc_arena *mem,
                                   const dc_plane *plane, dc_plane *out, dc_friction_info *info)
{
    dci_pair *p = f ? (dci_pair *)dc_arena_take(mem, 1, sizeof *p) : NULL;
    dc_friction_options o;
    dc_real P = 0;
    dc_status status;

    memset(info, 0, sizeof *info);
    if (!dci_friction_choose(opt, pair, mu, h, old, &o)) return DC_E_ARG;

    status = dci_pair_run(p, pair, old, mem, plane, 1, &P, out, &info->pair);
    if (status != DC_OK && status != DC_E_DIVERGED) return status;
    if (!dci_friction_take(f, p->hulls.count, mem)) return DC_E_MEMORY;
    f->load.time_step = h;
    f->load.eps_v = o.eps_v;
    f->load.patch = o.patch;
    if (!dci_friction_forces(f, p, mu, o.eps_f)) return DC_E_RANGE;
    dci_friction_shift(&f->load, old);
    info->point = dc_madd(p->hulls.origin, p->hulls.unit, p->plane.centre);
    return status;
}

/* The plane's velocity when x^{t+1} = now[].map (x_hat, 1); from that of the iterate of `last`, if not NULL. */
static dc_status dci_friction_close(dci_friction *f, const dci_posed old[2], const dci_posed now[2],
                                    const dc_friction_load *last, dc_real *value, dc_friction_info *info)
{
    const dc_real *z = f->motion.velocity;
    dc_status status;
    int k;

    *value = 0;
    if (f->load.loaded == 0) return DC_OK;

    /* SDRS Eq. 9 of R1 x_hat - R0 x_hat + (t1 - t0) */
    for (k = 0; k < f->load.loaded; ++k) {
        dci_slip *s = &f->load.slip[k];
        int b = s->vertex >= f->load.count_a;
        dc_v3 d = dc_add(dc_sub(dci_arm(f, now, s->vertex), dci_arm(f, old, s->vertex)),
                         dc_sub(dci_translation(now[b].map), dci_translation(old[b].map)));
        dci_to_frame(&f->load.frame, dc_scale(1/f->load.time_step, d), s->velocity);
    }
    status = last && last->kept ? dci_friction_plane_near(f, last, &info->iterations, value) : DC_E_DIVERGED;
    if (status != DC_OK) status = dci_friction_plane(f, &info->iterations, value);
    info->w = z[2]/f->motion.scale;
    info->u = dc_add(dc_scale(z[0], f->load.frame.side_1), dc_scale(z[1], f->load.frame.side_2));
    return dc_finite(*value) ? status : DC_E_RANGE;
}

static int dci_friction_fits(const dci_posed old[2], const dci_posed now[2])
{
    return dci_posed_ok(now[0]) && dci_posed_ok(now[1]) && old[0].hull && old[1].hull
        && now[0].hull->n == old[0].hull->n && now[1].hull->n == old[1].hull->n
        && now[0].hull->radius == old[0].hull->radius && now[1].hull->radius == old[1].hull->radius;
}

/* both, with the worse of two statuses */
static dc_status dci_friction_run(dci_friction *f, const dc_friction_options *opt, const dc_pair_options *pair,
                                  dc_real mu, dc_real h, const dci_posed old[2], const dci_posed now[2], dc_arena *mem,
                                  const dc_plane *plane, dc_real *value, dc_plane *out, dc_friction_info *info)
{
    dc_status status = dci_friction_fits(old, now) ? DC_OK : DC_E_ARG, slip;
    if (status == DC_OK) status = dci_friction_open(f, opt, pair, mu, h, old, mem, plane, out, info);
    if (status != DC_OK && status != DC_E_DIVERGED) return status;
    slip = dci_friction_close(f, old, now, NULL, value, info);
    return slip == DC_OK ? status : slip;
}

/* SDRS Eq. 66, 70: g_k of every loaded vertex into f->change.force; -g_k is the force of SDRS Eq. 11, its weight |f|
 * smoothed to A(f) */
static void dci_friction_gradient(const dci_friction *f)
{
    int k;
    for (k = 0; k < f->load.loaded; ++k) {
        const dci_slip *s = &f->load.slip[k];
        dc_real g[3];
        g[0] = 0;
        g[1] = s->weight/f->load.time_step*s->slip[0];
        g[2] = s->weight/f->load.time_step*s->slip[1];
        f->change.force[k] = dci_from_frame(&f->load.frame, g);
    }
}

static dc_real dci_component(dc_v3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

static dc_status dci_friction_finish(dc_status status, dc_real found, const dc_plane *solved,
                                     const dc_friction_info *how, dc_plane *plane, dc_real *value,
                                     dc_friction_info *info)
{
    status = dci_pair_finish(status, found, solved, &how->pair, plane, value, NULL);
    if (info && (status == DC_OK || status == DC_E_DIVERGED)) *info = *how;
    return status;
}

/* no motion of any vertex */
static void dci_friction_still(dci_friction *f)
{
    memset(f->change.old, 0, 2*(size_t)f->load.count*sizeof *f->change.old);    /* and now, which follows it */
}

/* Derivatives by vertices; out[0]: gradient, 1: by the new configuration, 2: by the old one. First only to see
 * whether all fits, then to write. 0: out of range. */
static DCI_NOINLINE int dci_friction_vertices(dci_friction *f, dc_real *const out[3])
{
    const dci_slip *slip = f->load.slip;
    size_t N = 3*(size_t)f->load.count;
    int k, c, r, pass, write;

    for (write = 0; write < 2; ++write)
        for (pass = 0; pass < 3; ++pass) {
            dc_real *H = out[pass];
            dc_v3 *dx = pass == 1 ? f->change.now : f->change.old;
            int columns = !H ? 0 : pass == 0 ? 1 : 3*f->load.loaded;
            if (H && write) memset(H, 0, (pass == 0 ? N : N*N)*sizeof *H);
            dci_friction_still(f);
            for (c = 0; c < columns; ++c) {
                /* a column: the gradient, or what it changes by along one coordinate of one vertex */
                if (pass == 0) dci_friction_gradient(f);
                else {
                    dc_real dp[4];
                    dx[c/3] = dci_axis(c%3);
                    if (pass == 2) dci_friction_plane_jvp(f, dx, dp);
                    dci_friction_jvp(f, pass == 2 ? dp : NULL);
                    dx[c/3] = dc_vec(0, 0, 0);
                }
                for (k = 0; k < f->load.loaded; ++k)
                    for (r = 0; r < 3; ++r) {
                        size_t row = 3*(size_t)slip[k].vertex + (size_t)r;
                        size_t col = 3*(size_t)slip[c/3].vertex + (size_t)(c%3);
                        dc_real g = dci_component(f->change.force[k], r);
                        if (!write && !dc_finite(g)) return 0;
                        if (write && pass == 0) H[row] = g;
                        if (write && pass == 2) H[row*N + col] = g;
                        if (write && pass == 1 && row <= col) H[row*N + col] = H[col*N + row] = g;
                    }
            }
        }
    return 1;
}

DC_DEF dc_status dc_friction(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                             const dc_hull *a0, const dc_hull *a1, const dc_hull *b0, const dc_hull *b1, dc_arena *mem,
                             dc_plane *plane, dc_real *value, dc_real *grad, dc_real *hess, dc_real *mixed,
                             dc_friction_info *info)
{
    size_t used = mem ? mem->used : 0;
    dci_friction *f = (dci_friction *)dc_arena_take(mem, 1, sizeof *f);
    dci_posed old[2], now[2];
    dc_friction_info i;
    dc_plane pl = DC_ZERO;
    dc_real v = 0;
    dc_status status;

    old[0].hull = a0;  now[0].hull = a1;
    old[1].hull = b0;  now[1].hull = b1;
    old[0].map = old[1].map = now[0].map = now[1].map = NULL;
    if ((a0 && a0->radius != 0) || (b0 && b0->radius != 0)) status = DC_E_ARG;
    else status = dci_friction_run(f, opt, pair, mu, h, old, now, mem, plane, &v, &pl, &i);
    if (status == DC_OK || status == DC_E_DIVERGED) {
        dc_real *out[3];
        out[0] = grad;
        out[1] = hess;
        out[2] = mixed;
        if (!dci_friction_vertices(f, out)) status = DC_E_RANGE;
    }

    if (mem) mem->used = used;
    return dci_friction_finish(status, v, &pl, &i, plane, value, info);
}

/* The slips as they are into the vertices' duals, with their forces, which become the slips': those of the iterate, or
 * by its forces and the share of Newton's direction that leads here. */
static void dci_friction_duals(dci_friction *f, int kept, dc_real share)
{
    int k, i;
    for (k = 0; k < f->load.loaded; ++k) {
        dci_slip *s = f->load.slip + k;
        dc_friction_vertex *v = f->dual + k;
        for (i = 0; i < 3; ++i) {
            v->tried.slip[i] = s->slip[i]*s->speed;
            v->tried.force[i] = s->slip[i];
        }
        if (kept) dci_dual_force(&v->kept, share, f->load.eps_v, &v->tried);
        memcpy(s->force, v->tried.force, sizeof s->force);
    }
}

/* I - (lambda w^T + w lambda^T)/2, times s */
static void dci_dual_form(const dc_real w[3], const dc_real lambda[3], dc_real s, dc_real T[3][3])
{
    int i, j;
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) T[i][j] = s*((i == j ? 1 : 0) - DC_R(0.5)*(lambda[i]*w[j] + w[i]*lambda[j]));
}

/* Of the loaded vertices of one body, in the frame (u, b1, b2): with x = (z, p, q) the arm of a vertex, its velocity
 * along b1 and b2 by the body's, (b1, b2; u, b1, b2), is by
 *     E = ( 1 0 -q 0 z ; 0 1 p -z 0 ).
 * Sums of E^T T E/h, T symmetric, over h, of c^T T E, c the last column of K, and of x g^T, g the gradients. */
typedef struct {
    dc_real force[3], mixed[2][3], torque[6];       /* (11, 12, 22), rows b1 and b2, (uu, u1, u2, 11, 12, 22) */
    dc_real spin[5], moment[3][2];
} dci_friction_sums;

static void dci_friction_add(const dci_friction *f, int begin, int end, const dci_posed *at, dci_friction_sums *sum)
{
    const dci_axes *frame = &f->load.frame;
    const dc_v3 u = dci_linear_back(at->map, frame->axis), b1 = dci_linear_back(at->map, frame->side_1);
    const dc_v3 b2 = dci_linear_back(at->map, frame->side_2);
    const dc_real inverse = 1/f->load.time_step;
    int k;

    memset(sum, 0, sizeof *sum);
    for (k = begin; k < end; ++k) {
        const dci_slip *s = f->load.slip + k;
        const int b = s->vertex >= f->load.count_a;
        const dc_v3 v = at->hull->v[s->vertex - (b ? f->load.count_a : 0)];
        const dc_v3 x = at->hull->radius > 0 ? dc_add(v, f->load.shift[b]) : v;
        const dc_real z = dc_dot(u, x), p = dc_dot(b1, x), q = dc_dot(b2, x), *w = s->slip;
        const dc_real a = s->weight/s->speed*inverse, A = s->weight*inverse;
        dc_real T[3][3], K[3][3], s11, s12, s22, m1, m2, v1, v2;

        /* T = a (1 - w w^T), where 1 - |w|^2 = eps/rho^2, or that of the duals */
        if (f->dual) dci_dual_form(w, s->force, a, T);
        else {
            const dc_real e = f->load.eps_v/s->speed/s->speed;
            T[0][0] = a*(e + w[1]*w[1] + w[2]*w[2]);
            T[1][1] = a*(e + w[0]*w[0] + w[2]*w[2]);
            T[1][0] = -a*w[0]*w[1];
            T[2][0] = -a*w[0]*w[2];
            T[2][1] = -a*w[1]*w[2];
        }
        s11 = T[0][0]*inverse;
        s12 = T[1][0]*inverse;
        s22 = T[1][1]*inverse;
        m1 = p*s12 - q*s11;
        m2 = p*s22 - q*s12;
        sum->force[0] += s11;       sum->force[1] += s12;       sum->force[2] += s22;
        sum->mixed[0][0] += m1;     sum->mixed[0][1] -= z*s12;  sum->mixed[0][2] += z*s11;
        sum->mixed[1][0] += m2;     sum->mixed[1][1] -= z*s22;  sum->mixed[1][2] += z*s12;
        sum->torque[0] += p*m2 - q*m1;
        sum->torque[1] -= z*m2;     sum->torque[2] += z*m1;
        sum->torque[3] += z*z*s22;  sum->torque[4] -= z*z*s12;  sum->torque[5] += z*z*s11;

        dci_slip_jacobian(f, s, K);
        v1 = K[0][2]*T[0][0] + K[1][2]*T[1][0] + K[2][2]*T[2][0];
        v2 = K[0][2]*T[1][0] + K[1][2]*T[1][1] + K[2][2]*T[2][1];
        sum->spin[0] += v1;         sum->spin[1] += v2;
        sum->spin[2] += p*v2 - q*v1;
        sum->spin[3] -= z*v2;       sum->spin[4] += z*v1;

        sum->moment[0][0] += z*A*w[0];  sum->moment[0][1] += z*A*w[1];
        sum->moment[1][0] += p*A*w[0];  sum->moment[1][1] += p*A*w[1];
        sum->moment[2][0] += q*A*w[0];  sum->moment[2][1] += q*A*w[1];
    }
}

/* Hessian by the twists of the new poses. With E_k = B^T [I, -[x_k]x] the velocity of vertex k, T = (1 - w w^T)/rho or
 * that of the duals, K = -de/dz
 *     sum A E^T T E/h^2 + sum (x g^T + g x^T)/2 - (x.g) I - C^T Hz^-1 C,   C = sum A K^T T E/h,
 * the second term on the rotations, Hz the Hessian by z, whose factor is at hand. K's first columns are those of 1. */
static DCI_NOINLINE void dci_friction_hessian(const dci_friction *f, const dci_posed now[2], dc_real *hess)
{
    const dci_axes *frame = &f->load.frame;
    const dc_real *L = f->dual ? f->motion.lower_by_duals : f->motion.lower, h = f->load.time_step;
    dc_real C[3][12];
    int i, j, k, b, split, m = f->motion.unknowns;

    /* without a load there is no frame either */
    for (i = 0; i < 144; ++i) hess[i] = 0;
    if (f->load.loaded == 0) return;
    for (split = 0; split < f->load.loaded && f->load.slip[split].vertex < f->load.count_a; ++split) {}
    for (b = 0; b < 2; ++b) {
        dci_friction_sums sum;
        dc_real *t = sum.torque, axis[3][3], row[5][6], trace, *H = hess + 78*b;
        dci_friction_add(f, b ? split : 0, b ? f->load.loaded : split, now + b, &sum);

        trace = sum.moment[1][0] + sum.moment[2][1];
        t[0] -= trace;
        t[1] += DC_R(0.5)*sum.moment[0][0];
        t[2] += DC_R(0.5)*sum.moment[0][1];
        t[3] += sum.moment[1][0] - trace;
        t[4] += DC_R(0.5)*(sum.moment[2][0] + sum.moment[1][1]);
        t[5] += sum.moment[2][1] - trace;

        /* to world axes: columns, then rows */
        for (i = 0; i < 3; ++i) {
            const dc_real u = axis[0][i] = dci_component(frame->axis, i);
            const dc_real b1 = axis[1][i] = dci_component(frame->side_1, i);
            const dc_real b2 = axis[2][i] = dci_component(frame->side_2, i);
            const dc_real *m1 = sum.mixed[0], *m2 = sum.mixed[1], *v = sum.spin;
            row[0][i] = b1*sum.force[0] + b2*sum.force[1];
            row[1][i] = b1*sum.force[1] + b2*sum.force[2];
            row[0][3 + i] = u*m1[0] + b1*m1[1] + b2*m1[2];
            row[1][3 + i] = u*m2[0] + b1*m2[1] + b2*m2[2];
            row[2][i] = u*t[0] + b1*t[1] + b2*t[2];
            row[3][i] = u*t[1] + b1*t[3] + b2*t[4];
            row[4][i] = u*t[2] + b1*t[4] + b2*t[5];
            C[2][6*b + i] = b1*v[0] + b2*v[1];
            C[2][6*b + 3 + i] = u*v[2] + b1*v[3] + b2*v[4];
        }
        for (j = 0; j < 6; ++j) {
            C[0][6*b + j] = h*row[0][j];
            C[1][6*b + j] = h*row[1][j];
        }
        for (i = 0; i < 3; ++i) {
            for (j = i; j < 3; ++j) {
                H[12*i + j] = H[12*j + i] = axis[1][i]*row[0][j] + axis[2][i]*row[1][j];
                H[12*i + j + 39] = H[12*j + i + 39] = axis[0][i]*row[2][j] + axis[1][i]*row[3][j]
                                                    + axis[2][i]*row[4][j];
            }
            for (j = 3; j < 6; ++j) H[12*i + j] = H[12*j + i] = axis[1][i]*row[0][j] + axis[2][i]*row[1][j];
        }
    }

    /* C <- L^-1 C, - C^T C */
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 12; ++j) {
            for (k = 0; k < i && i < m; ++k) C[i][j] -= L[3*i + k]*C[k][j];
            C[i][j] = i < m ? C[i][j]/L[4*i] : 0;
        }
    for (i = 0; i < 12; ++i) {
        const dc_real c0 = C[0][i], c1 = C[1][i], c2 = C[2][i];
        for (j = 0; j < 12; ++j) hess[12*i + j] -= c0*C[0][j] + c1*C[1][j] + c2*C[2][j];
    }
}

/* Forces and torques on both bodies by forces at the loaded vertices, added to out. */
static void dci_friction_wrench(const dci_friction *f, const dci_posed now[2], dc_real out[12])
{
    int k, r;
    for (k = 0; k < f->load.loaded; ++k) {
        const int vertex = f->load.slip[k].vertex, b = vertex >= f->load.count_a;
        const dc_v3 force = f->change.force[k], t = dc_cross(dci_arm(f, now, vertex), force);
        for (r = 0; r < 3; ++r) {
            out[6*b + r] += dci_component(force, r);
            out[6*b + 3 + r] += dci_component(t, r);
        }
    }
}

/* A column of the mixed derivative: the change of the gradient by the new twists along the motions of the vertices in
 * f->change, where the old bodies turn by `turn`. Where a round hull is next to the plane moves on it by what n_hat
 * turns more than it does, - s_k r R1 R0^T (dn_hat - w x n_hat) at time t + h. */
static DCI_NOINLINE void dci_friction_column(dci_friction *f, const dci_posed old[2], const dci_posed now[2],
                                             const dc_v3 turn[2], dc_real out[12])
{
    const dci_axes *frame = &f->load.frame;
    dc_real dp[4], dn[3] = {0, 0, 0};
    int k;

    dci_friction_plane_jvp(f, f->change.old, dp);
    dn[1] = dp[2]/f->load.pair->plane.length;
    dn[2] = dp[3]/f->load.pair->plane.length;
    for (k = 0; k < f->load.loaded; ++k) {
        const dci_slip *s = &f->load.slip[k];
        const int b = s->vertex >= f->load.count_a;
        const dc_real A = s->weight/f->load.time_step, g[3] = {0, A*s->slip[0], A*s->slip[1]};
        dc_v3 more = dc_sub(dci_from_frame(frame, dn), dc_cross(turn[b], frame->axis)), t;
        if (s->shift != 0) {
            more = dci_linear(now[b].map, dci_linear_back(old[b].map, dc_scale(-s->shift, more)));
            f->change.now[k] = dc_add(f->change.now[k], more);
        }
        t = dc_cross(f->change.now[k], dci_from_frame(frame, g));
        out[6*b + 3] += t.x;
        out[6*b + 4] += t.y;
        out[6*b + 5] += t.z;
    }
    dci_friction_jvp(f, dp);
    dci_friction_wrench(f, now, out);
}

/* vertex k from the origin of its body, in world axes */
static dc_v3 dci_core_arm(const dci_friction *f, const dci_posed at[2], int k)
{
    const int b = k >= f->load.count_a;
    return dci_linear(at[b].map, at[b].hull->v[k - (b ? f->load.count_a : 0)]);
}

/* Derivatives by the twists of the new poses; mixed: rows new, columns old. */
static DCI_NOINLINE void dci_friction_twists(dci_friction *f, const dci_posed old[2], const dci_posed now[2],
                                             dc_real *grad, dc_real *hess, dc_real *mixed)
{
    const dci_slip *slip = f->load.slip;
    int j, k, r;

    for (r = 0; r < 12; ++r) grad[r] = 0;
    dci_friction_gradient(f);
    dci_friction_wrench(f, now, grad);

    /* columns */
    for (j = 0; mixed && j < 12; ++j) {
        dc_real out[12] = {0};
        dc_v3 turn[2];
        turn[0] = turn[1] = dc_vec(0, 0, 0);
        if (j%6 >= 3) turn[j/6] = dci_axis(j%3);
        dci_friction_still(f);
        for (k = 0; k < f->load.loaded; ++k) {
            if ((slip[k].vertex >= f->load.count_a) != j/6) continue;
            f->change.old[k] = j%6 < 3 ? dci_axis(j%3) : dc_cross(turn[j/6], dci_core_arm(f, old, slip[k].vertex));
        }
        dci_friction_column(f, old, now, turn, out);
        for (r = 0; r < 12; ++r) mixed[12*r + j] = out[r];
    }
    if (hess) dci_friction_hessian(f, now, hess);
}

/* By the vertices in body coordinates, [12 x 3 count], what moves them at both times. First only to see whether all
 * fits, then to write. 0: out of range. */
static DCI_NOINLINE int dci_friction_shapes(dci_friction *f, const dci_posed old[2], const dci_posed now[2],
                                            dc_real *by)
{
    const size_t columns = 3*(size_t)f->load.count;
    dc_v3 still[2];
    int write, k, c, r;

    still[0] = still[1] = dc_vec(0, 0, 0);
    for (write = 0; write < 2; ++write) {
        if (write) memset(by, 0, 12*columns*sizeof *by);
        for (k = 0; k < f->load.loaded; ++k)
            for (c = 0; c < 3; ++c) {
                const int vertex = f->load.slip[k].vertex, b = vertex >= f->load.count_a;
                dc_real out[12] = {0};
                dci_friction_still(f);
                f->change.old[k] = dci_linear(old[b].map, dci_axis(c));
                f->change.now[k] = dci_linear(now[b].map, dci_axis(c));
                dci_friction_column(f, old, now, still, out);
                if (!dci_finite_row(12, out)) return 0;
                for (r = 0; write && r < 12; ++r) by[(size_t)r*columns + 3*(size_t)vertex + (size_t)c] = out[r];
            }
    }
    return 1;
}

/* ---- transposed ---- */

/* the motion that twists z of both bodies give vertex k, in the frame */
static void dci_friction_along(const dci_friction *f, const dci_posed now[2], const dc_real z[12], int k, dc_real c[3])
{
    const dc_real *twist = z + (f->load.slip[k].vertex >= f->load.count_a ? 6 : 0);
    const dc_v3 v = dc_vec(twist[0], twist[1], twist[2]), w = dc_vec(twist[3], twist[4], twist[5]);
    dci_to_frame(&f->load.frame, dc_add(v, dc_cross(w, dci_arm(f, now, f->load.slip[k].vertex))), c);
}

/* of z^T dg_k: A/h S c, what it has of the slip's de with the plane's velocity at rest; S is that of dci_slip_turn,
 * symmetric */
static dc_v3 dci_friction_slip_back(const dci_friction *f, const dci_slip *s, const dc_real c[3])
{
    dc_real across[3] = {0};
    across[0] = c[1];
    across[1] = c[2];
    return dc_scale(s->weight/f->load.time_step, dci_slip_turn(s, f->load.eps_v, across));
}

/* dci_friction_jvp and what leads to it backwards: of z^T dg, summed over the loaded vertices k, the parts by their
 * motions at both times into f->change.old and now, which hold no motion of the plane; its part by dp into plane. */
static DCI_NOINLINE void dci_friction_jvp_back(dci_friction *f, const dci_posed now[2], const dc_real z[12],
                                               dc_real plane[4])
{
    const dci_pair *p = f->load.pair;
    const dc_real h = f->load.time_step, spin = f->motion.velocity[2]/f->motion.scale, nu = p->plane.length;
    const dc_real unit = p->hulls.unit, unscale = dci_pair_unscale(&p->barrier)/unit;
    dc_real dz[3] = {0, 0, 0}, n1 = 0, n2 = 0, c[3], K[3][3];
    int k, i;

    /* by the plane's velocity, SDRS Eq. 68 */
    for (k = 0; k < f->load.loaded; ++k) {
        const dci_slip *s = &f->load.slip[k];
        dc_v3 by_slip;
        dci_friction_along(f, now, z, k, c);
        by_slip = dci_friction_slip_back(f, s, c);
        dci_slip_jacobian(f, s, K);
        for (i = 0; i < 3; ++i) dz[i] -= K[0][i]*by_slip.x + K[1][i]*by_slip.y + K[2][i]*by_slip.z;
    }
    dci_friction_solve(f, f->motion.lower, dz);

    for (i = 0; i < 4; ++i) plane[i] = 0;
    for (k = 0; k < f->load.loaded; ++k) {
        const dci_slip *s = &f->load.slip[k];
        const dci_term *t = &p->newton.term[k];
        const dc_real *w = s->slip, A = s->weight;
        dc_real along[3], e0[3], e1[3] = {0, 0, 0}, by_force, by_slack;
        dc_v3 de;
        dci_friction_along(f, now, z, k, c);
        dci_slip_jacobian(f, s, K);
        for (i = 0; i < 3; ++i) along[i] = K[i][0]*dz[0] + K[i][1]*dz[1] + K[i][2]*dz[2];
        de = dc_madd(dci_friction_slip_back(f, s, c), A, dci_slip_turn(s, f->load.eps_v, along));

        /* de of the slip, and the place it is at */
        e1[1] = de.x/h;
        e1[2] = de.y/h;
        e0[1] = dz[2]*A*w[1]/f->motion.scale - spin*de.y;       /* by dxx, dyy */
        e0[2] = spin*de.x - dz[2]*A*w[0]/f->motion.scale;
        n1 -= s->velocity[0]*de.x + s->local[0]*e0[1] + A/h*c[0]*w[0];
        n2 -= s->velocity[0]*de.y + s->local[0]*e0[2] + A/h*c[0]*w[1];
        e0[1] -= e1[1];
        e0[2] -= e1[2];
        n1 -= s->shift*e0[1];
        n2 -= s->shift*e0[2];

        /* dA, as in dci_slip_by_force */
        by_force = (c[1]*w[0] + c[2]*w[1])/h + along[0]*w[0] + along[1]*w[1] + along[2]*w[2];
        by_force *= s->by_force*unscale;
        by_slack = by_force*(t->force > 0 ? nu : -nu)*t->stiffness;
        e0[0] = by_slack*nu/unit;
        plane[0] += by_slack;
        for (i = 0; i < 3; ++i) plane[1 + i] += by_slack*t->local[i];
        plane[1] += by_force*dc_abs(t->force);
        f->change.old[k] = dci_from_frame(&f->load.frame, e0);
        f->change.now[k] = dci_from_frame(&f->load.frame, e1);
    }
    plane[2] += n1/nu;
    plane[3] += n2/nu;
}

/* dci_friction_column backwards: into f->change the parts of z^T dg by the motions of all loaded vertices, into turn
 * those by turns of the old bodies */
static DCI_NOINLINE void dci_friction_back(dci_friction *f, const dci_posed old[2], const dci_posed now[2],
                                           const dc_real z[12], dc_v3 turn[2])
{
    const dci_pair *p = f->load.pair;
    const dci_axes *frame = &f->load.frame;
    dc_real plane[4], more[3], r[3];
    int k, j;

    turn[0] = turn[1] = dc_vec(0, 0, 0);
    if (f->load.loaded == 0) return;
    dci_friction_jvp_back(f, now, z, plane);

    /* the arms of the gradients, and of round hulls the places next to the plane */
    for (k = 0; k < f->load.loaded; ++k) {
        const dci_slip *s = &f->load.slip[k];
        const int b = s->vertex >= f->load.count_a;
        const dc_v3 w = dc_vec(z[6*b + 3], z[6*b + 4], z[6*b + 5]);
        f->change.now[k] = dc_add(f->change.now[k], dc_cross(f->change.force[k], w));
        if (s->shift != 0) {
            const dc_v3 back = dci_linear(old[b].map, dci_linear_back(now[b].map, f->change.now[k]));
            const dc_v3 by_normal = dc_scale(-s->shift, back);
            dci_to_frame(frame, by_normal, more);
            plane[2] += more[1]/p->plane.length;
            plane[3] += more[2]/p->plane.length;
            turn[b] = dc_sub(turn[b], dc_cross(frame->axis, by_normal));
        }
    }

    /* dci_friction_plane_jvp */
    dci_pair_forward(&p->newton, plane);
    dci_pair_backward(&p->newton, plane);
    for (j = 0; j < 4; ++j) plane[j] /= p->hulls.unit;
    for (k = 0; k < p->newton.terms; ++k) {
        const dci_term *t = &p->newton.term[k];
        const dc_real *x = t->local, slack = plane[0] + plane[1]*x[0] + plane[2]*x[1] + plane[3]*x[2];
        r[0] = -t->stiffness*p->plane.length*slack - t->force*plane[1];
        r[1] = -t->force*plane[2];
        r[2] = -t->force*plane[3];
        f->change.old[k] = dc_add(f->change.old[k], dci_from_frame(frame, r));
    }
}

/* All products, kept in f->work and f->change until all are known to be finite. 0: out of range. */
static DCI_NOINLINE int dci_friction_products(dci_friction *f, const dci_posed old[2], const dci_posed now[2],
                                              const dc_real z[12], dc_real *grad, dc_real *by_old, dc_real *by)
{
    dc_real *g = f->work.gradient, *pulled = f->work.mixed;
    dc_v3 turn[2], t;
    int k, b, r;

    /* the gradient, then the products with its changes: by the old twists, by the vertices */
    for (k = 0; k < 12; ++k) g[k] = pulled[k] = 0;
    dci_friction_gradient(f);
    dci_friction_wrench(f, now, g);
    dci_friction_back(f, old, now, z, turn);
    for (b = 0; b < 2; ++b)
        for (r = 0; r < 3; ++r) pulled[6*b + 3 + r] = dci_component(turn[b], r);
    for (k = 0; k < f->load.loaded; ++k) {
        const int vertex = f->load.slip[k].vertex;
        const dc_v3 x = f->change.old[k];
        b = vertex >= f->load.count_a;
        t = dc_cross(dci_core_arm(f, old, vertex), x);
        for (r = 0; r < 3; ++r) {
            pulled[6*b + r] += dci_component(x, r);
            pulled[6*b + 3 + r] += dci_component(t, r);
        }
        t = dc_add(dci_linear_back(old[b].map, x), dci_linear_back(now[b].map, f->change.now[k]));
        if (!dc_finite(t.x) || !dc_finite(t.y) || !dc_finite(t.z)) return 0;
        f->change.force[k] = t;
    }
    if (!dci_finite_row(12, g) || !dci_finite_row(12, pulled)) return 0;

    if (grad) memcpy(grad, g, 12*sizeof *g);
    if (by_old) memcpy(by_old, pulled, 12*sizeof *pulled);
    if (by) memset(by, 0, 3*(size_t)f->load.count*sizeof *by);
    for (k = 0; by && k < f->load.loaded; ++k)
        for (r = 0; r < 3; ++r) by[3*f->load.slip[k].vertex + r] = dci_component(f->change.force[k], r);
    return 1;
}

/* outputs of a solved friction, when all of them are finite */
static dc_status dci_friction_write(dci_friction *f, const dci_posed old[2], const dci_posed now[2], dc_status status,
                                    dc_real *grad, dc_real *hess, dc_real *mixed)
{
    dci_friction_work *work = &f->work;
    if (!grad && !hess && !mixed) return status;
    dci_friction_twists(f, old, now, work->gradient, hess ? work->hessian : NULL, mixed ? work->mixed : NULL);
    if (!dci_finite_row(12, work->gradient) || (hess && !dci_finite_row(144, work->hessian))
        || (mixed && !dci_finite_row(144, work->mixed))) return DC_E_RANGE;
    if (grad) memcpy(grad, work->gradient, sizeof work->gradient);
    if (hess) memcpy(hess, work->hessian, sizeof work->hessian);
    if (mixed) memcpy(mixed, work->mixed, sizeof work->mixed);
    return status;
}

/* Both hulls at both times, by these maps; 0: a pose is none. */
static int dci_friction_maps(dc_real map[4][12], const dc_hull *a, const dc_pose *a0, const dc_pose *a1,
                             const dc_hull *b, const dc_pose *b0, const dc_pose *b1, dci_posed old[2], dci_posed now[2])
{
    return dci_posed_pair(map, a, a0, b, b0, old) && dci_posed_pair(map + 2, a, a1, b, b1, now);
}

/* The functions below without room for maps: the arguments are checked with maps on the stack. */
static DCI_NOINLINE dc_status dci_friction_refuse(const dc_friction_options *opt, const dc_pair_options *pair,
                                                  dc_real mu, dc_real h, const dc_hull *a, const dc_pose *a0,
                                                  const dc_pose *a1, const dc_hull *b, const dc_pose *b0,
                                                  const dc_pose *b1)
{
    dc_arena nowhere = dc_arena_make(NULL, 0);
    dc_friction_options o;
    dc_real map[4][12];
    dci_posed old[2], now[2];
    if (!dci_friction_maps(map, a, a0, a1, b, b0, b1, old, now) || !dci_friction_fits(old, now)
        || !dci_friction_choose(opt, pair, mu, h, old, &o)) return DC_E_ARG;
    return dci_pair_load(NULL, pair, old, &nowhere);
}

DC_DEF dc_status dc_friction_rigid(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                                   const dc_hull *a, const dc_pose *a0, const dc_pose *a1, const dc_hull *b,
                                   const dc_pose *b0, const dc_pose *b1, dc_arena *mem, dc_plane *plane, dc_real *value,
                                   dc_real *grad, dc_real *hess, dc_real *mixed, dc_friction_info *info)
{
    size_t used = mem ? mem->used : 0;
    dci_friction *f = (dci_friction *)dc_arena_take(mem, 1, sizeof *f);
    dci_posed old[2], now[2];
    dc_friction_info i = DC_ZERO;
    dc_plane pl = DC_ZERO;
    dc_real v = 0;
    dc_status status;

    if (!f) return mem ? dci_friction_refuse(opt, pair, mu, h, a, a0, a1, b, b0, b1) : DC_E_ARG;
    if (!dci_friction_maps(f->work.map, a, a0, a1, b, b0, b1, old, now)) status = DC_E_ARG;
    else status = dci_friction_run(f, opt, pair, mu, h, old, now, mem, plane, &v, &pl, &i);
    if (status == DC_OK || status == DC_E_DIVERGED) status = dci_friction_write(f, old, now, status, grad, hess, mixed);

    if (mem) mem->used = used;
    return dci_friction_finish(status, v, &pl, &i, plane, value, info);
}

DC_DEF dc_status dc_friction_shape(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                                   const dc_hull *a, const dc_pose *a0, const dc_pose *a1, const dc_hull *b,
                                   const dc_pose *b0, const dc_pose *b1, dc_arena *mem, dc_plane *plane, dc_real *by)
{
    size_t used = mem ? mem->used : 0;
    dci_friction *f = (dci_friction *)dc_arena_take(mem, 1, sizeof *f);
    dci_posed old[2], now[2];
    dc_friction_info i = DC_ZERO;
    dc_plane pl = DC_ZERO;
    dc_real v = 0;
    dc_status status = DC_E_ARG;

    if (!f) return mem && by ? dci_friction_refuse(opt, pair, mu, h, a, a0, a1, b, b0, b1) : DC_E_ARG;
    if (by && dci_friction_maps(f->work.map, a, a0, a1, b, b0, b1, old, now))
        status = dci_friction_run(f, opt, pair, mu, h, old, now, mem, plane, &v, &pl, &i);
    if ((status == DC_OK || status == DC_E_DIVERGED) && !dci_friction_shapes(f, old, now, by)) status = DC_E_RANGE;

    if (mem) mem->used = used;
    return dci_friction_finish(status, v, &pl, &i, plane, NULL, NULL);
}

DC_DEF dc_status dc_friction_vjp(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                                 const dc_hull *a, const dc_pose *a0, const dc_pose *a1, const dc_hull *b,
                                 const dc_pose *b0, const dc_pose *b1, dc_arena *mem, dc_plane *plane,
                                 const dc_real z[12], dc_real *grad, dc_real *by_old, dc_real *by)
{
    size_t used = mem ? mem->used : 0;
    dci_friction *f = (dci_friction *)dc_arena_take(mem, 1, sizeof *f);
    const int given = z && dci_finite_row(12, z);
    dci_posed old[2], now[2];
    dc_friction_info i = DC_ZERO;
    dc_plane pl = DC_ZERO;
    dc_real v = 0;
    dc_status status = DC_E_ARG;

    if (!f) return mem && given ? dci_friction_refuse(opt, pair, mu, h, a, a0, a1, b, b0, b1) : DC_E_ARG;
    if (given && dci_friction_maps(f->work.map, a, a0, a1, b, b0, b1, old, now))
        status = dci_friction_run(f, opt, pair, mu, h, old, now, mem, plane, &v, &pl, &i);
    if ((status == DC_OK || status == DC_E_DIVERGED) && !dci_friction_products(f, old, now, z, grad, by_old, by))
        status = DC_E_RANGE;

    if (mem) mem->used = used;
    return dci_friction_finish(status, v, &pl, &i, plane, NULL, NULL);
}

DC_DEF size_t dc_friction_load_bytes(int na, int nb)
{
    size_t sum;
    if (na < 1 || nb < 1) return 0;
    sum = dc_bytes(0, (size_t)na + (size_t)nb, sizeof(dc_friction_vertex));
    return sum == SIZE_MAX ? 0 : sum;
}

DC_DEF dc_status dc_friction_open(const dc_friction_options *opt, const dc_pair_options *pair, dc_real mu, dc_real h,
                                  const dc_hull *a, const dc_pose *a0, const dc_hull *b, const dc_pose *b0,
                                  dc_arena *mem, dc_plane *plane, dc_friction_load *load)
{
    size_t used = mem ? mem->used : 0;
    const dci_friction_loaded *from;
    dc_friction_vertex *v;
    dci_friction *f;
    dci_posed old[2], now[2];
    dc_friction_info i = DC_ZERO;
    dc_plane pl = DC_ZERO;
    dc_status status;
    int k;

    if (!mem || !load || !a || !b || a->n < 1 || b->n < 1 || !a0 || !b0) return DC_E_ARG;
    v = (dc_friction_vertex *)dc_arena_take(mem, (size_t)a->n + (size_t)b->n, sizeof *v);
    f = (dci_friction *)dc_arena_take(mem, 1, sizeof *f);
    if (!v || !f) status = dci_friction_refuse(opt, pair, mu, h, a, a0, a0, b, b0, b0);
    else if (!dci_friction_maps(f->work.map, a, a0, a0, b, b0, b0, old, now)) status = DC_E_ARG;
    else status = dci_friction_open(f, opt, pair, mu, h, old, mem, plane, &pl, &i);

    if (status != DC_OK && status != DC_E_DIVERGED) {
        mem->used = used;
        return status;
    }

    from = &f->load;
    load->a0 = *a0;
    load->b0 = *b0;
    load->n = from->frame.axis;
    load->b1 = from->frame.side_1;
    load->b2 = from->frame.side_2;
    load->h = from->time_step;
    load->eps_v = from->eps_v;
    load->patch = from->patch;
    load->extent = from->extent;
    load->na = a->n;
    load->nb = b->n;
    load->count = from->loaded;
    load->kept = 0;
    memset(load->motion, 0, sizeof load->motion);
    memset(load->motion_kept, 0, sizeof load->motion_kept);
    load->vertex = v;
    for (k = 0; k < load->count; ++k) {
        v[k].A = from->slip[k].weight;
        v[k].x = from->slip[k].local[1];
        v[k].y = from->slip[k].local[2];
        v[k].k = from->slip[k].vertex;
        v[k].tried.doubt = 0;
        v[k].tried.turned = 0;
    }
    if (plane) *plane = pl;

    /* the room of vertices that carry nothing is given back */
    mem->used = used;
    dc_arena_take(mem, (size_t)load->count, sizeof *v);
    return status;
}

/* what the pair at time t had loaded, but for what only derivatives by time t ask */
static void dci_friction_reload(dci_friction_loaded *to, const dc_friction_load *load)
{
    int k;

    to->pair = NULL;
    to->frame.axis = load->n;
    to->frame.side_1 = load->b1;
    to->frame.side_2 = load->b2;
    to->count_a = load->na;
    to->loaded = load->count;
    to->time_step = load->h;
    to->eps_v = load->eps_v;
    to->patch = load->patch;
    to->extent = load->extent;

    for (k = 0; k < load->count; ++k) {
        dci_slip *s = to->slip + k;
        s->weight = load->vertex[k].A;
        s->local[1] = load->vertex[k].x;
        s->local[2] = load->vertex[k].y;
        s->vertex = load->vertex[k].k;
        s->by_force = s->local[0] = s->shift = 0;
    }
}

/* a load at new poses; iterate: NULL, or the load itself, the forces of whose vertices are unknowns */
static DCI_NOINLINE dc_status dci_friction_move(const dc_friction_load *load, dc_friction_load *iterate,
                                                dc_real share, const dc_hull *a, const dc_pose *a1, const dc_hull *b,
                                                const dc_pose *b1, dc_arena *mem, dc_real *value, dc_real *grad,
                                                dc_real *hess)
{
    size_t used = mem ? mem->used : 0;
    dci_friction *f = (dci_friction *)dc_arena_take(mem, 1, sizeof *f);
    dci_posed old[2], now[2];
    dc_friction_info i;
    dc_plane unmoved = DC_ZERO;
    dc_real v = 0, unread[3];
    dc_status status = DC_E_ARG;
    int k;

    /* who, and room */
    memset(&i, 0, sizeof i);
    old[0].hull = a;
    old[1].hull = b;
    if (mem && load && a && b && a->n == load->na && b->n == load->nb) {
        if (!f) status = dci_friction_refuse(NULL, NULL, 1, 1, a, &load->a0, a1, b, &load->b0, b1);
        else if (dci_friction_maps(f->work.map, a, &load->a0, a1, b, &load->b0, b1, old, now)
                 && dci_friction_fits(old, now))
            status = dci_friction_take(f, load->count, mem) ? DC_OK : DC_E_MEMORY;
    }

    /* the slips there */
    if (status == DC_OK) {
        dci_friction_reload(&f->load, load);
        dci_friction_shift(&f->load, old);
        status = dci_friction_close(f, old, now, iterate, &v, &i);
        f->dual = hess && iterate ? iterate->vertex : NULL;
        if (f->dual) {
            for (k = 0; k < 3; ++k) iterate->motion[k] = f->motion.velocity[k] - f->motion.mean[k];
            dci_friction_duals(f, load->kept, share);
            dci_friction_dual_newton(f, unread);
        }
    }
    if (status == DC_OK || status == DC_E_DIVERGED) status = dci_friction_write(f, old, now, status, grad, hess, NULL);

    if (mem) mem->used = used;
    return dci_friction_finish(status, v, &unmoved, &i, NULL, value, NULL);
}

DC_DEF dc_status dc_friction_move(const dc_friction_load *load, const dc_hull *a, const dc_pose *a1, const dc_hull *b,
                                  const dc_pose *b1, dc_arena *mem, dc_real *value, dc_real *grad, dc_real *hess)
{
    return dci_friction_move(load, NULL, 0, a, a1, b, b1, mem, value, grad, hess);
}

DC_DEF dc_status dc_friction_try(dc_friction_load *load, dc_real share, const dc_hull *a, const dc_pose *a1,
                                 const dc_hull *b, const dc_pose *b1, dc_arena *mem, dc_real *value, dc_real *grad,
                                 dc_real *hess)
{
    if (!load || !(share > 0 && share <= 1)) return DC_E_ARG;
    return dci_friction_move(load, load, share, a, a1, b, b1, mem, value, grad, hess);
}

DC_DEF void dc_friction_keep(dc_friction_load *load)
{
    int k;
    if (!load) return;
    for (k = 0; k < load->count; ++k) {
        load->vertex[k].kept = load->vertex[k].tried;
        load->vertex[k].tried.turned = 0;
    }
    memcpy(load->motion_kept, load->motion, sizeof load->motion);
    load->kept = 1;
}

/* ---- [broad] broad phase: pairs of moving boxes ------------------------------------------------- */
/* In: boxes or spheres, the last order. Out: the pairs, by their numbers; the order.
 *
 * The sweep: boxes by their lower ends along one axis; each meets those that begin before it ends. Seen from there a
 * box of a scene of n is among sqrt n or n^(2/3) others, so that they are sorted into columns along the other two axes
 * and swept there. A box is in every column that it touches; a pair is found in the column of the larger of its lower
 * ends along each axis, where both are since columns ascend with the coordinate.
 *
 * stage              | reads                 | writes
 * dci_broad_survey   | some boxes            | axes, columns
 * dci_broad_sort     | boxes, the last order | order
 * dci_broad_columns  | boxes, order          | entries of each column, in that order
 * dci_broad_sweep    | a column              | pairs
 * dci_broad_finish   | pairs                 | the caller's list, sorted */

#define DCI_BROAD_SAMPLE 128        /* boxes that tell how the others are spread, at most */
#define DCI_BROAD_COLUMNS 128       /* along an axis, at most: a column's number has 8 bits */
#define DCI_BROAD_COPIES 4          /* entries in columns, at most, for each box */
#define DCI_BROAD_MOVES 16          /* of an insertion sort, for each box, before a merge sort takes over */
#define DCI_BROAD_RUN 16            /* boxes that the merge sort begins with sorted */

/* what is asked */
typedef struct {
    const dc_aabb *box;             /* what is swept; around the spheres, where they are asked for */
    const dc_v3 *centre;            /* NULL: boxes are asked for */
    const dc_real *radius;
    const int *group;
    dc_real margin;
    int boxes;
} dci_broad_scene;

/* axes, and columns along two of them */
typedef struct {
    int axis[3];                    /* of the sweep, of the columns */
    int columns[2];
    dc_real first[2], per[2];       /* where the columns begin, how many there are to a unit of length */
} dci_broad_grid;

/* two boxes of a column */
typedef struct { int first, second; } dci_broad_hit;

typedef struct {
    dci_broad_scene scene;
    dci_broad_grid grid;
    int full;                       /* boxes that are not empty */
    int *order, *order_kept;        /* boxes by lower ends: of this call; room of a merge sort */
    dc_real *lower, *lower_kept;    /* these ends, less the margin; the same */
    uint32_t *cells;                /* of the boxes by order: first and last column along both axes, a byte each */
    int *start, *entry;             /* of the columns: where their entries begin; boxes by order */
    dc_real *column_lo[3];          /* the boxes of one column along the axes, lower ends less the margin */
    dc_real *column_hi[3];
    int *column_box;                /* which they are */
    uint32_t *column_cells;         /* where */
    dci_broad_hit *hit;             /* those that meet: twice as many as there are boxes, at most */
    int *pair, *pair_kept;          /* the caller's; room of their sort */
    int most, count;                /* of them: room, all */
} dci_broad;

DC_INLINE dc_real dci_along(dc_v3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

DC_INLINE int dci_box_empty(const dc_aabb *b)
{
    return b->lo.x > b->hi.x || b->lo.y > b->hi.y || b->lo.z > b->hi.z;
}

/* ascending */
static void dci_broad_ascend(dc_real *x, int n)
{
    int i, j;
    for (i = 1; i < n; ++i) {
        dc_real keep = x[i];
        for (j = i; j > 0 && x[j - 1] > keep; --j) x[j] = x[j - 1];
        x[j] = keep;
    }
}

/* Axes and columns by the medians of a sample: a few boxes that are far away or huge change nothing. Spread of an axis:
 * where the middle 8/10 of the centres are; the sweep goes along the one that has most of it, in boxes. */
static DCI_NOINLINE void dci_broad_survey(const dci_broad_scene *B, int axis_kept, dci_broad_grid *G)
{
    dc_real middle[DCI_BROAD_SAMPLE], size[DCI_BROAD_SAMPLE], from[3], spread[3], typical[3], share[3];
    const int step = (B->boxes + DCI_BROAD_SAMPLE - 1)/DCI_BROAD_SAMPLE;
    int i, k, n, best = 0;

    for (k = 0; k < 3; ++k) {
        for (i = 0, n = 0; i < B->boxes; i += step) {
            dc_real lo = dci_along(B->box[i].lo, k), hi = dci_along(B->box[i].hi, k);
            if (dci_box_empty(B->box + i)) continue;
            middle[n] = DC_R(0.5)*(lo + hi);
            size[n++] = hi - lo + B->margin;
        }
        dci_broad_ascend(middle, n);
        dci_broad_ascend(size, n);
        from[k] = n > 0 ? middle[n/10] : 0;
        spread[k] = n > 0 ? middle[n - 1 - n/10] - from[k] : 0;
        typical[k] = n > 0 ? size[n/2] : 0;
        share[k] = spread[k]/dc_max(typical[k], DC_R(1e-6)*spread[k] + DC_REAL_MIN);
    }

    /* the axis of the last order stands unless another is better by a quarter: a sort anew costs more */
    for (k = 1; k < 3; ++k)
        if (share[k] > share[best]) best = k;
    if (axis_kept >= 0 && axis_kept < 3 && DC_R(1.25)*share[axis_kept] >= share[best]) best = axis_kept;
    G->axis[0] = best;
    G->axis[1] = best == 0;
    G->axis[2] = best == 2 ? 1 : 2;

    /* columns three times as wide as a box, over all of a spread that is even */
    for (k = 0; k < 2; ++k) {
        const int a = G->axis[k + 1];
        dc_real width = dc_max(3*typical[a], spread[a]/DC_R(100.0)), many;
        G->columns[k] = 1;
        G->first[k] = G->per[k] = 0;
        if (!(width > DC_REAL_MIN/DC_EPS)) continue;
        many = DC_R(1.25)*spread[a]/width;
        G->columns[k] = many < DCI_BROAD_COLUMNS ? (int)many + 1 : DCI_BROAD_COLUMNS;
        G->first[k] = from[a] - DC_R(0.125)*spread[a];
        G->per[k] = 1/width;
    }
    while (G->columns[0]*G->columns[1] > (B->boxes > 1 ? B->boxes : 1)) {
        k = G->columns[1] > G->columns[0];
        G->columns[k] = (G->columns[k] + 1)/2;
        G->per[k] *= DC_R(0.5);
    }
}

/* is the last order one of these boxes? */
static int dci_broad_ordered(const int *order, int n, int *seen)
{
    int i;
    for (i = 0; i < n; ++i) seen[i] = 0;
    for (i = 0; i < n; ++i) {
        if (order[i] < 0 || order[i] >= n || seen[order[i]]) return 0;
        seen[order[i]] = 1;
    }
    return 1;
}

/* does entry i of the first come before entry j of the second? Equal ends by number */
DC_INLINE int dci_broad_before(dc_real lower_i, int i, dc_real lower_j, int j)
{
    return lower_i < lower_j || (lower_i == lower_j && i < j);
}

/* Insertion sort of part of the boxes, until it has made too many moves. */
static int dci_broad_insert(dci_broad *B, int from, int to, size_t moves)
{
    dc_real *lower = B->lower;
    int *order = B->order, i, j;

    for (i = from + 1; i < to; ++i) {
        const dc_real x = lower[i];
        const int k = order[i];
        for (j = i; j > from && dci_broad_before(x, k, lower[j - 1], order[j - 1]); --j) {
            lower[j] = lower[j - 1];
            order[j] = order[j - 1];
        }
        lower[j] = x;
        order[j] = k;
        if ((size_t)(i - j) > moves) return 0;
        moves -= (size_t)(i - j);
    }
    return 1;
}

/* The boxes by their lower ends along the axis of the sweep, empty ones last. */
static DCI_NOINLINE void dci_broad_sort(dci_broad *B, const int *last)
{
    const int n = B->scene.boxes;
    int i, j, k, at, run;

    for (i = 0; i < n; ++i) {
        const dc_aabb *box;
        B->order[i] = last ? last[i] : i;
        box = B->scene.box + B->order[i];
        B->lower[i] = dci_box_empty(box) ? DC_REAL_MAX : dci_along(box->lo, B->grid.axis[0]) - B->scene.margin;
    }
    if (last && dci_broad_insert(B, 0, n, DCI_BROAD_MOVES*(size_t)n)) return;

    /* runs, merged two by two */
    for (i = 0; i < n; i += DCI_BROAD_RUN)
        (void)dci_broad_insert(B, i, i < n - DCI_BROAD_RUN ? i + DCI_BROAD_RUN : n, DCI_BROAD_RUN*DCI_BROAD_RUN);
    for (run = DCI_BROAD_RUN; run < n; run *= 2) {
        int *order = B->order_kept;
        dc_real *lower = B->lower_kept;
        for (i = 0, at = 0; i < n; i = k) {
            const int middle = n - i > run ? i + run : n, end = n - i > 2*run ? i + 2*run : n;
            for (j = i, k = middle; at < end; ++at) {
                const int left = k == end || (j < middle && dci_broad_before(B->lower[j], B->order[j], B->lower[k],
                                                                              B->order[k]));
                const int from = left ? j++ : k++;
                lower[at] = B->lower[from];
                order[at] = B->order[from];
            }
        }
        B->order_kept = B->order;  B->order = order;
        B->lower_kept = B->lower;  B->lower = lower;
    }
}

/* column of the coordinate x along axis k of the columns */
DC_INLINE uint32_t dci_broad_column(const dci_broad *B, int k, dc_real x)
{
    const dc_real t = (x - B->grid.first[k])*B->grid.per[k], last = (dc_real)(B->grid.columns[k] - 1);
    return t > 0 ? (uint32_t)(t < last ? t : last) : 0;
}

/* Entries of each column, in order. Columns are joined two by two until there is room. */
static DCI_NOINLINE void dci_broad_columns(dci_broad *B)
{
    const int a = B->grid.axis[1], b = B->grid.axis[2];
    size_t entries, room = DCI_BROAD_COPIES*(size_t)B->scene.boxes;
    uint32_t i, j, wide;
    int k, cells;

    /* of each box */
    for (k = 0, B->full = 0; k < B->scene.boxes && B->lower[k] < DC_REAL_MAX; ++k, ++B->full) {
        const dc_aabb *box = B->scene.box + B->order[k];
        const dc_real lo_a = dci_along(box->lo, a) - B->scene.margin, lo_b = dci_along(box->lo, b) - B->scene.margin;
        B->cells[k] = dci_broad_column(B, 0, lo_a) | dci_broad_column(B, 0, dci_along(box->hi, a)) << 8
                    | dci_broad_column(B, 1, lo_b) << 16 | dci_broad_column(B, 1, dci_along(box->hi, b)) << 24;
    }

    /* until they fit; a single column has each box once */
    for (;;) {
        for (k = 0, entries = 0; k < B->full; ++k) {
            const uint32_t c = B->cells[k];
            entries += (size_t)((c >> 8 & 255) - (c & 255) + 1)*(size_t)((c >> 24) - (c >> 16 & 255) + 1);
        }
        if (entries <= room) break;
        for (k = 0; k < B->full; ++k) B->cells[k] = B->cells[k] >> 1 & 0x7f7f7f7fu;
        B->grid.columns[0] = (B->grid.columns[0] + 1)/2;
        B->grid.columns[1] = (B->grid.columns[1] + 1)/2;
    }

    /* how many each column has, where they begin, and the entries: start[c] moves to the end of column c */
    wide = (uint32_t)B->grid.columns[1];
    cells = B->grid.columns[0]*B->grid.columns[1];
    for (k = 0; k <= cells; ++k) B->start[k] = 0;
    for (k = 0; k < B->full; ++k) {
        const uint32_t c = B->cells[k];
        for (i = c & 255; i <= (c >> 8 & 255); ++i)
            for (j = c >> 16 & 255; j <= c >> 24; ++j) ++B->start[i*wide + j + 1];
    }
    for (k = 0; k < cells; ++k) B->start[k + 1] += B->start[k];
    for (k = 0; k < B->full; ++k) {
        const uint32_t c = B->cells[k];
        for (i = c & 255; i <= (c >> 8 & 255); ++i)
            for (j = c >> 16 & 255; j <= c >> 24; ++j) B->entry[B->start[i*wide + j]++] = k;
    }
}

/* The hits of a column are pairs, unless group or spheres forbid it, or another column finds them. */
static DCI_NOINLINE void dci_broad_add(dci_broad *B, int hits, uint32_t column_a, uint32_t column_b)
{
    const dci_broad_scene *scene = &B->scene;
    const dci_broad_hit *hit = B->hit;
    int k, keep = 0;

    /* those of this column, without a branch, as above */
    for (k = 0; k < hits; ++k) {
        const uint32_t c = B->column_cells[hit[k].first], d = B->column_cells[hit[k].second];
        const int here_a = ((c & 255) == column_a) | ((d & 255) == column_a);
        const int here_b = ((c >> 16 & 255) == column_b) | ((d >> 16 & 255) == column_b);
        B->hit[keep] = hit[k];
        keep += here_a & here_b;
    }

    for (k = 0; k < keep; ++k) {
        const int i = B->column_box[hit[k].first], j = B->column_box[hit[k].second];
        if (scene->group && scene->group[i] != 0 && scene->group[i] == scene->group[j]) continue;
        if (scene->centre) {
            dc_v3 d = dc_sub(scene->centre[i], scene->centre[j]);
            dc_real reach = scene->radius[i] + scene->radius[j] + scene->margin;
            if (dc_dot(d, d) > reach*reach) continue;
        }
        if (B->count < B->most) {
            B->pair[2*(size_t)B->count] = i < j ? i : j;
            B->pair[2*(size_t)B->count + 1] = i < j ? j : i;
        }
        if (B->count < INT_MAX) ++B->count;
    }
}

/* The pairs of one column, of which `count` entries begin at `entry`. */
static DCI_NOINLINE void dci_broad_sweep(dci_broad *B, const int *entry, int count, uint32_t column_a,
                                         uint32_t column_b)
{
    dc_real *const lo = B->column_lo[0], *const lo_a = B->column_lo[1], *const lo_b = B->column_lo[2];
    dc_real *const hi = B->column_hi[0], *const hi_a = B->column_hi[1], *const hi_b = B->column_hi[2];
    const int x = B->grid.axis[0], y = B->grid.axis[1], z = B->grid.axis[2];
    const dc_real margin = B->scene.margin;
    dci_broad_hit *hit = B->hit;
    int i, j, hits = 0;

    /* its boxes side by side */
    for (i = 0; i < count; ++i) {
        const dc_aabb *box = B->scene.box + (B->column_box[i] = B->order[entry[i]]);
        B->column_cells[i] = B->cells[entry[i]];
        lo[i] = dci_along(box->lo, x) - margin;
        hi[i] = dci_along(box->hi, x);
        lo_a[i] = dci_along(box->lo, y) - margin;
        hi_a[i] = dci_along(box->hi, y);
        lo_b[i] = dci_along(box->lo, z) - margin;
        hi_b[i] = dci_along(box->hi, z);
    }
    lo[count] = DC_REAL_MAX;                /* ends every sweep */

    /* each with those that begin before it ends; no branch but the loop's, as whether two meet is a coin toss */
    for (i = 0; i < count; ++i) {
        const dc_real end = hi[i], from_a = lo_a[i], to_a = hi_a[i], from_b = lo_b[i], to_b = hi_b[i];
        for (j = i + 1; lo[j] <= end; ++j) {
            hit[hits].first = i;
            hit[hits].second = j;
            hits += (lo_a[j] <= to_a) & (hi_a[j] >= from_a) & (lo_b[j] <= to_b) & (hi_b[j] >= from_b);
        }
        if (hits > B->scene.boxes) {
            dci_broad_add(B, hits, column_a, column_b);
            hits = 0;
        }
    }
    dci_broad_add(B, hits, column_a, column_b);
}

/* One pass of the sort: the pairs of `from` by one of their numbers, in the order they had where that is the same. */
static void dci_broad_pass(const int *from, int count, int which, int *start, int n, int *to)
{
    int i, sum = 0;
    for (i = 0; i < n; ++i) start[i] = 0;
    for (i = 0; i < count; ++i) ++start[from[2*(size_t)i + (size_t)which]];
    for (i = 0; i < n; ++i) {
        const int many = start[i];
        start[i] = sum;
        sum += many;
    }
    for (i = 0; i < count; ++i) {
        const size_t at = 2*(size_t)start[from[2*(size_t)i + (size_t)which]]++;
        to[at] = from[2*(size_t)i];
        to[at + 1] = from[2*(size_t)i + 1];
    }
}

/* Memory of a call. */
static void dci_broad_take(dci_room *room, int n, int most, dci_broad *B)
{
    const size_t entries = DCI_BROAD_COPIES*(size_t)n;
    int k;

    B->order = DCI_TAKE(room, n, int);
    B->order_kept = DCI_TAKE(room, n, int);
    B->lower = DCI_TAKE(room, n, dc_real);
    B->lower_kept = DCI_TAKE(room, n, dc_real);
    B->cells = DCI_TAKE(room, n, uint32_t);
    B->start = DCI_TAKE(room, (size_t)n + 1, int);
    B->entry = DCI_TAKE(room, entries, int);
    for (k = 0; k < 3; ++k) {
        B->column_lo[k] = DCI_TAKE(room, (size_t)n + 1, dc_real);
        B->column_hi[k] = DCI_TAKE(room, n, dc_real);
    }
    B->column_box = DCI_TAKE(room, n, int);
    B->column_cells = DCI_TAKE(room, n, uint32_t);
    B->hit = DCI_TAKE(room, 2*(size_t)n + 1, dci_broad_hit);
    B->pair_kept = DCI_TAKE(room, 2*(size_t)most, int);
}

DC_DEF size_t dc_broad_bytes(int n, int most)
{
    dci_room room = DC_ZERO;
    dci_broad B;
    if (n < 0 || n > 1 << 28 || most < 0) return 0;
    dci_broad_take(&room, n, most, &B);
    (void)DCI_TAKE(&room, n, dc_aabb);              /* around spheres */
    return dci_counted(&room);
}

/* The call, after its scene is known to be good. */
static dc_status dci_broad_run(dci_broad *B, dc_broad_order *last, int *count)
{
    int i, j, c, has;

    /* sorted */
    has = last && last->order && dci_broad_ordered(last->order, B->scene.boxes, B->start);
    dci_broad_survey(&B->scene, has ? last->axis : -1, &B->grid);
    dci_broad_sort(B, has ? last->order : NULL);
    if (last && last->order) {
        for (i = 0; i < B->scene.boxes; ++i) last->order[i] = B->order[i];
        last->axis = B->grid.axis[0];
    }

    /* swept, column by column */
    dci_broad_columns(B);
    for (i = 0, c = 0, has = 0; i < B->grid.columns[0]; ++i)
        for (j = 0; j < B->grid.columns[1]; ++j, ++c) {
            dci_broad_sweep(B, B->entry + has, B->start[c] - has, (uint32_t)i, (uint32_t)j);
            has = B->start[c];
        }

    /* by their numbers */
    c = B->count < B->most ? B->count : B->most;
    dci_broad_pass(B->pair, c, 1, B->start, B->scene.boxes, B->pair_kept);
    dci_broad_pass(B->pair_kept, c, 0, B->start, B->scene.boxes, B->pair);
    *count = B->count;
    return B->count > B->most ? DC_E_RANGE : DC_OK;
}

/* What both calls ask for. DC_OK: B is all but its boxes. */
static dc_status dci_broad_open(const dc_broad_options *opt, int n, int most, const int *pair, const int *count,
                                dci_broad *B)
{
    const dc_real margin = opt ? opt->margin : 0;
    if (n < 0 || n > 1 << 28 || most < 0 || (most > 0 && !pair) || !count) return DC_E_ARG;
    if (!(margin >= 0 && margin <= DC_LIMIT)) return DC_E_ARG;
    memset(B, 0, sizeof *B);
    B->scene.boxes = n;
    B->scene.group = opt ? opt->group : NULL;
    B->scene.margin = margin;
    B->most = most;
    return DC_OK;
}

DC_DEF dc_status dc_broad(const dc_broad_options *opt, int n, const dc_aabb *box, dc_arena *mem, int most, int *pair,
                          int *count)
{
    dci_broad B;
    dci_room room = DC_ZERO;
    size_t used;
    dc_status status = dci_broad_open(opt, n, most, pair, count, &B);
    int i;

    if (status != DC_OK || !mem || (n > 0 && !box)) return DC_E_ARG;
    for (i = 0; i < n; ++i)
        if (!dc_in_range(box[i].lo) || !dc_in_range(box[i].hi)) return DC_E_ARG;

    used = mem->used;
    room.arena = mem;
    dci_broad_take(&room, n, most, &B);
    B.scene.box = box;
    B.pair = pair;
    if (!room.full) status = dci_broad_run(&B, opt ? opt->last : NULL, count);
    mem->used = used;
    return room.full ? DC_E_MEMORY : status;
}

DC_DEF dc_status dc_broad_spheres(const dc_broad_options *opt, int n, const dc_v3 *centre, const dc_real *radius,
                                  dc_arena *mem, int most, int *pair, int *count)
{
    dci_broad B;
    dci_room room = DC_ZERO;
    dc_aabb *box;
    size_t used;
    dc_status status = dci_broad_open(opt, n, most, pair, count, &B);
    int i;

    if (status != DC_OK || !mem || (n > 0 && (!centre || !radius))) return DC_E_ARG;
    for (i = 0; i < n; ++i)
        if (!dc_in_range(centre[i]) || !(dc_abs(radius[i]) <= DC_LIMIT)) return DC_E_ARG;

    /* boxes around them, larger by what rounding may take from the squares */
    used = mem->used;
    room.arena = mem;
    dci_broad_take(&room, n, most, &B);
    box = DCI_TAKE(&room, n, dc_aabb);
    for (i = 0; i < n && !room.full; ++i) {
        const dc_v3 c = centre[i];
        const dc_real r = radius[i], far_out = dc_max(dc_max(dc_abs(c.x), dc_abs(c.y)), dc_abs(c.z));
        const dc_real side = r + 8*DC_EPS*(far_out + r + B.scene.margin);
        const dc_v3 arm = dc_vec(side, side, side);
        box[i].lo = r < 0 ? dc_vec(1, 1, 1) : dc_sub(c, arm);
        box[i].hi = r < 0 ? dc_vec(0, 0, 0) : dc_add(c, arm);
    }

    B.scene.box = box;
    B.scene.centre = centre;
    B.scene.radius = radius;
    B.pair = pair;
    if (!room.full) status = dci_broad_run(&B, opt ? opt->last : NULL, count);
    mem->used = used;
    return room.full ? DC_E_MEMORY : status;
}

DC_DEF dc_status dc_hull_box(const dc_hull *hull, const dc_pose *pose, dc_aabb *box)
{
    static const dc_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    const dc_pose *p = pose ? pose : &identity;
    dc_v3 lo = dc_vec(0, 0, 0), hi = lo, mean, o;
    dc_real ext2, more;
    dc_m3 R;
    int i;

    if (!box || !dci_hull_check(hull, &mean, &ext2) || !dci_radius_ok(hull) || !dc_pose_ok(p)) return DC_E_ARG;
    R = dc_rotation(p->q);

    /* from the first vertex, then moved: rounding counts by the size of the numbers there */
    for (i = 1; i < hull->n; ++i) {
        const dc_v3 r = dc_mul(&R, dc_sub(hull->v[i], hull->v[0]));
        lo = dc_vec(dc_min(lo.x, r.x), dc_min(lo.y, r.y), dc_min(lo.z, r.z));
        hi = dc_vec(dc_max(hi.x, r.x), dc_max(hi.y, r.y), dc_max(hi.z, r.z));
    }
    o = dc_add(p->t, dc_mul(&R, hull->v[0]));
    more = dc_sqrt(ext2) + dc_sqrt(dc_dot(hull->v[0], hull->v[0])) + dc_sqrt(dc_dot(p->t, p->t)) + hull->radius;
    more = hull->radius + 16*DC_EPS*more;
    box->lo = dc_add(o, dc_sub(lo, dc_vec(more, more, more)));
    box->hi = dc_add(o, dc_add(hi, dc_vec(more, more, more)));
    return DC_OK;
}

/* ---- [tree] broad phase: a tree of boxes ---------------------------------------------------------- */
/* In: boxes. Out: a tree in which boxes and rays find them.
 *
 * Nodes stand in preorder: the first child of node i is i + 1, and since the first of two halves has l leaves, 2l - 1
 * nodes, the second is i + 2l. Whoever goes through them from the last to the first meets children before parents.
 *
 * stage                       | reads               | writes
 * dci_tree_split              | centres of a part   | its first half, before the others
 * dc_tree_build               | boxes               | which box each leaf has
 * dci_tree_fit (dc_tree_refit)| boxes, leaves       | boxes of the nodes
 * dc_tree_next                | the tree, a search  | the search, one step on */

/* does box i come before box j along an axis? By the sums of both ends; equal ones by number */
DC_INLINE int dci_tree_before(const dc_aabb *box, int axis, int i, int j)
{
    const dc_real x = dci_along(box[i].lo, axis) + dci_along(box[i].hi, axis);
    const dc_real y = dci_along(box[j].lo, axis) + dci_along(box[j].hi, axis);
    return x < y || (x == y && i < j);
}

/* Moves the first `half` of the items along an axis to the front: Hoare's selection, the pivot the middle of three. */
static void dci_tree_split(const dc_aabb *box, int axis, int *item, int count, int half)
{
    int from = 0, to = count - 1, i, j, keep;

    while (from < to) {
        int a = item[from], b = item[from + (to - from)/2], c = item[to], pivot;
        if (dci_tree_before(box, axis, b, a)) { keep = a; a = b; b = keep; }
        pivot = dci_tree_before(box, axis, c, a) ? a : dci_tree_before(box, axis, c, b) ? c : b;

        /* not after the pivot, not before it */
        i = from;
        j = to;
        while (i <= j) {
            while (dci_tree_before(box, axis, item[i], pivot)) ++i;
            while (dci_tree_before(box, axis, pivot, item[j])) --j;
            if (i > j) break;
            keep = item[i];
            item[i++] = item[j];
            item[j--] = keep;
        }

        /* the part that has the end of the first half */
        if (half - 1 <= j) to = j;
        else if (half - 1 >= i) from = i;
        else break;
    }
}

/* the axis along which the centres of these boxes spread most */
static int dci_tree_axis(const dc_aabb *box, const int *item, int count)
{
    dc_real most = -1;
    int k, i, best = 0;

    for (k = 0; k < 3; ++k) {
        dc_real lo = DC_REAL_MAX, hi = -DC_REAL_MAX;
        for (i = 0; i < count; ++i) {
            const dc_real x = dci_along(box[item[i]].lo, k) + dci_along(box[item[i]].hi, k);
            lo = dc_min(lo, x);
            hi = dc_max(hi, x);
        }
        if (hi - lo > most) {
            most = hi - lo;
            best = k;
        }
    }
    return best;
}

/* boxes of the nodes by those of their leaves; an empty one takes nothing from any other */
static void dci_tree_fit(dc_tree_node *node, int nodes, const dc_aabb *box)
{
    int i;
    for (i = nodes - 1; i >= 0; --i) {
        dc_aabb *b = &node[i].box;
        if (node[i].item >= 0) {
            *b = box[node[i].item];
            if (dci_box_empty(b)) {
                b->lo = dc_vec(DC_REAL_MAX, DC_REAL_MAX, DC_REAL_MAX);
                b->hi = dc_neg(b->lo);
            }
        } else {
            const dc_aabb *l = &node[i + 1].box, *r = &node[node[i].right].box;
            b->lo = dc_vec(dc_min(l->lo.x, r->lo.x), dc_min(l->lo.y, r->lo.y), dc_min(l->lo.z, r->lo.z));
            b->hi = dc_vec(dc_max(l->hi.x, r->hi.x), dc_max(l->hi.y, r->hi.y), dc_max(l->hi.z, r->hi.z));
        }
    }
}

static int dci_boxes_ok(int n, const dc_aabb *box)
{
    int i;
    if (n < 0 || n > 1 << 28 || (n > 0 && !box)) return 0;
    for (i = 0; i < n; ++i)
        if (!dc_in_range(box[i].lo) || !dc_in_range(box[i].hi)) return 0;
    return 1;
}

DC_DEF size_t dc_tree_bytes(int n)
{
    dci_room room = DC_ZERO;
    if (n < 0 || n > 1 << 28) return 0;
    (void)DCI_TAKE(&room, n > 0 ? 2*(size_t)n - 1 : 0, dc_tree_node);
    (void)DCI_TAKE(&room, n, int);
    return dci_counted(&room);
}

DC_DEF dc_status dc_tree_build(int n, const dc_aabb *box, dc_arena *mem, dc_tree *tree)
{
    int part[32][3], parts = 0, *item, i;       /* first item, how many, node: of parts still to be split */
    dci_room room = DC_ZERO;
    dc_tree_node *node;
    size_t used, kept;

    if (!mem || !tree || !dci_boxes_ok(n, box)) return DC_E_ARG;
    room.arena = mem;
    used = mem->used;
    node = DCI_TAKE(&room, n > 0 ? 2*(size_t)n - 1 : 0, dc_tree_node);
    kept = mem->used;
    item = DCI_TAKE(&room, n, int);
    if (room.full) {
        mem->used = used;
        return DC_E_MEMORY;
    }

    /* which leaf has which box: the second half waits, the first is split at once */
    for (i = 0; i < n; ++i) item[i] = i;
    if (n > 0) {
        part[0][0] = part[0][2] = 0;
        part[0][1] = n;
        parts = 1;
    }
    while (parts > 0) {
        int first = part[--parts][0], count = part[parts][1], at = part[parts][2];
        for (; count > 1; ++at) {
            const int half = (count + 1)/2;
            dci_tree_split(box, dci_tree_axis(box, item + first, count), item + first, count, half);
            node[at].item = -1;
            node[at].right = at + 2*half;
            part[parts][0] = first + half;
            part[parts][1] = count - half;
            part[parts++][2] = at + 2*half;
            count = half;
        }
        node[at].item = item[first];
        node[at].right = 0;
    }

    tree->node = node;
    tree->nodes = n > 0 ? 2*n - 1 : 0;
    dci_tree_fit(node, tree->nodes, box);
    mem->used = kept;
    return DC_OK;
}

DC_DEF dc_status dc_tree_refit(dc_tree *tree, int n, const dc_aabb *box)
{
    if (!tree || !dci_boxes_ok(n, box) || tree->nodes != (n > 0 ? 2*n - 1 : 0)) return DC_E_ARG;
    if (n > 0 && !tree->node) return DC_E_ARG;
    dci_tree_fit(tree->node, tree->nodes, box);
    return DC_OK;
}

DC_DEF dc_status dc_tree_by_box(const dc_aabb *box, dc_tree_walk *walk)
{
    if (!box || !walk || !dc_in_range(box->lo) || !dc_in_range(box->hi) || dci_box_empty(box)) return DC_E_ARG;
    memset(walk, 0, sizeof *walk);
    walk->box = *box;
    walk->depth = 1;
    return DC_OK;
}

/* a ray that is one */
static int dci_ray_ok(const dc_ray *ray)
{
    return ray && dc_in_range(ray->origin) && dc_in_range(ray->dir) && ray->length >= 0 && ray->length <= DC_LIMIT
        && (ray->dir.x != 0 || ray->dir.y != 0 || ray->dir.z != 0);
}

DC_DEF dc_status dc_tree_by_ray(const dc_ray *ray, const dc_v3 *half, dc_tree_walk *walk)
{
    if (!walk || !dci_ray_ok(ray)) return DC_E_ARG;
    if (half && (!dc_in_range(*half) || !(half->x >= 0 && half->y >= 0 && half->z >= 0))) return DC_E_ARG;
    memset(walk, 0, sizeof *walk);
    walk->ray = *ray;
    if (half) walk->half = *half;
    walk->by_ray = 1;
    walk->depth = 1;
    return DC_OK;
}

/* Cuts [*from, *to] to the times at which o + t d is between lo and hi, with room for the rounding of both times.
 * A d that moves nothing over any length is none. */
DC_INLINE int dci_slab(dc_real o, dc_real d, dc_real lo, dc_real hi, dc_real half, dc_real *from, dc_real *to)
{
    dc_real enter, leave;
    lo -= half + 2*DC_EPS*(half + dc_abs(lo));
    hi += half + 2*DC_EPS*(half + dc_abs(hi));
    if (!(dc_abs(d) > 4*DC_REAL_MIN)) return lo <= o && o <= hi;
    enter = ((d > 0 ? lo : hi) - o)/d;
    leave = ((d > 0 ? hi : lo) - o)/d;
    *from = dc_max(*from, enter - 4*DC_EPS*dc_abs(enter));
    *to = dc_min(*to, leave + 4*DC_EPS*dc_abs(leave));
    return *from <= *to;
}

static dc_v3 dci_box_middle(const dc_aabb *b)
{
    return dc_add(dc_scale(DC_R(0.5), b->lo), dc_scale(DC_R(0.5), b->hi));
}

/* does the search meet this box? */
static int dci_tree_meets(const dc_tree_walk *w, const dc_aabb *b)
{
    const dc_ray *r = &w->ray;
    dc_real from = 0, to = r->length;
    if (!w->by_ray)
        return (b->lo.x <= w->box.hi.x) & (w->box.lo.x <= b->hi.x) & (b->lo.y <= w->box.hi.y)
             & (w->box.lo.y <= b->hi.y) & (b->lo.z <= w->box.hi.z) & (w->box.lo.z <= b->hi.z);
    return dci_slab(r->origin.x, r->dir.x, b->lo.x, b->hi.x, w->half.x, &from, &to)
        && dci_slab(r->origin.y, r->dir.y, b->lo.y, b->hi.y, w->half.y, &from, &to)
        && dci_slab(r->origin.z, r->dir.z, b->lo.z, b->hi.z, w->half.z, &from, &to);
}

DC_DEF int dc_tree_next(const dc_tree *tree, dc_tree_walk *walk)
{
    if (!tree || !walk || tree->nodes < 1) return -1;
    while (walk->depth > 0) {
        const int at = walk->stack[--walk->depth];
        const dc_tree_node *node = tree->node + at;
        int left_first = 1;

        if (!dci_tree_meets(walk, &node->box)) continue;
        if (node->item >= 0) return node->item;

        /* the child whose middle the ray passes first */
        if (walk->by_ray) {
            const dc_v3 l = dci_box_middle(&node[1].box), r = dci_box_middle(&tree->node[node->right].box);
            left_first = dc_dot(walk->ray.dir, dc_sub(l, r)) <= 0;
        }
        walk->stack[walk->depth++] = left_first ? node->right : at + 1;
        walk->stack[walk->depth++] = left_first ? at + 1 : node->right;
    }
    return -1;
}

/* ---- [rays] rays ------------------------------------------------------------------------------------ */
/* In: a posed hull, a ray. Out: the first time on it, and its derivative. Seen from the hull's origin.
 *
 * stage               | reads              | writes              | equation
 * dci_ray_near        | hull, ray          | a nearer origin     |
 * dci_ray_place       | hull, a time       | distance, gap       |
 * dci_ray_feature     | distance           | time                | (2)
 * dc_hull_ray         | the two above      | time, feature       | (1)
 *
 *     f(t) = |o + t d - core| - r convex,  f' = n.d,  t <- t - f/f'                                       (1)
 *     |q + s d|^2 = r^2, q from the vertex, or both at right angles to the edge,
 *     s = c/(sqrt(b^2 - a c) - b),  a = d.d,  b = q.d,  c = (|q| - r)(|q| + r)                              (2) */

/* R^T v */
static DCI_NOINLINE dc_v3 dci_back(const dc_m3 *R, dc_v3 v)
{
    const dc_m3 back = dc_m3_t(R);
    return dc_mul(&back, v);
}

#define DCI_RAY_STEPS 64
#define DCI_RAY_TOL (16*DC_EPS)     /* a gap below this of the numbers that made it is none */

/* hull and ray from the hull's origin */
typedef struct {
    dc_hull core;
    dc_pose pose;
    dc_v3 origin, dir;
    dc_real radius, size;           /* of the hull: largest distance of a vertex from the origin */
} dci_ray;

/* a place on the ray */
typedef struct {
    dc_real time, gap, tol;         /* gap with the radius; below tol there is none */
    dc_distance core;               /* of the core */
} dci_ray_at;

/* The distance at a time; `at` in: an earlier one. DC_OK; DC_E_OVERLAP: the core is met; DC_E_ARG: out of range. */
static dc_status dci_ray_place(const dci_ray *ray, dc_real time, dci_ray_at *at)
{
    const dc_v3 x = dc_madd(ray->origin, time, ray->dir);
    dc_hull point;
    dc_status status;

    point.v = &x;
    point.n = 1;
    point.radius = 0;
    at->time = time;
    at->tol = DCI_RAY_TOL*(dc_sqrt(dc_dot(x, x)) + ray->size + ray->radius);
    status = dc_hull_distance(&point, NULL, &ray->core, &ray->pose, NULL, &at->core);
    at->gap = (status == DC_E_OVERLAP ? 0 : at->core.gap) - ray->radius;
    return status == DC_E_DIVERGED ? DC_OK : status;
}

/* The time at which the ray enters what is within the radius of the closest vertex, or of the line of the closest edge;
 * -1: never, or not ahead. */
static dc_real dci_ray_feature(const dci_ray *ray, const dci_ray_at *at)
{
    const dc_distance *D = &at->core;
    dc_v3 q = dc_scale(D->gap, D->n), d = ray->dir;
    dc_real aa, bb, cc, root;

    if (D->nb > 2) return -1;
    if (D->nb == 2) {
        const dc_m3 R = dc_rotation(ray->pose.q);
        const dc_v3 e = dci_unit(dc_mul(&R, dc_sub(ray->core.v[D->ib[1]], ray->core.v[D->ib[0]])));
        d = dc_madd(d, -dc_dot(d, e), e);
    }
    aa = dc_dot(d, d);
    bb = dc_dot(q, d);
    cc = at->gap*(D->gap + ray->radius);
    root = bb*bb - aa*cc;
    if (!(bb < 0 && root >= 0)) return -1;
    return at->time + cc/(dc_sqrt(root) - bb);
}

/* the hull and the ray of a call; 0 where they are none */
static int dci_ray_load(const dc_hull *hull, const dc_pose *pose, const dc_ray *ray, dci_ray *to)
{
    static const dc_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    const dc_pose *p = pose ? pose : &identity;
    dc_v3 mean;
    dc_real ext2;

    if (!dci_ray_ok(ray) || !dci_hull_check(hull, &mean, &ext2) || !dci_radius_ok(hull) || !dc_pose_ok(p)) return 0;
    to->core = *hull;
    to->core.radius = 0;
    to->radius = hull->radius;
    to->size = dc_sqrt(ext2) + dc_sqrt(dc_dot(hull->v[0], hull->v[0]));
    to->pose.q = p->q;
    to->pose.t = dc_vec(0, 0, 0);
    to->origin = dc_sub(ray->origin, p->t);
    to->dir = ray->dir;
    return 1;
}

/* From far away the ray begins anew, at the time that this returns, before it comes to the sphere around the hull: the
 * numbers there are as small as the hull, and a step can be told from none. */
static dc_real dci_ray_near(dci_ray *ray, dc_real length)
{
    const dc_real reach = 2*(ray->size + ray->radius), dd = dc_dot(ray->dir, ray->dir);
    const dc_real t = -dc_dot(ray->origin, ray->dir)/dd - reach/dc_sqrt(dd);
    if (!(t > 0 && dd > 0 && dc_dot(ray->origin, ray->origin) > 4*reach*reach)) return 0;
    ray->origin = dc_madd(ray->origin, dc_min(t, length), ray->dir);
    return dc_min(t, length);
}

/* Is b's feature the one that was seen last? seen: its count and vertices, in and out */
static int dci_seen(const dc_distance *d, int seen[4])
{
    int i, same = seen[0] == d->nb;
    for (i = 0; i < 3; ++i) {
        same &= seen[i + 1] == d->ib[i];            /* those not used are 0 */
        seen[i + 1] = d->ib[i];
    }
    seen[0] = d->nb;
    return same;
}

/* A feature of a hull that is a vertex or an edge only because the closest point lies on the diagonal of a face, or on
 * its rim: grows to a triangle of vertices that are as far out along n_hat, in body coordinates, and wide apart. */
static void dci_face_of(const dc_hull *hull, dc_v3 n_hat, dc_real size, int *count, int *index, dc_real *weight)
{
    const dc_v3 *v = hull->v, base = v[index[0]];
    const dc_real tol = 64*DC_EPS*size, wide = DC_R(0.01)*size;

    while (*count < 3) {
        const dc_v3 e = dci_unit(*count > 1 ? dc_sub(v[index[1]], base) : dc_vec(0, 0, 0));
        dc_real far2 = wide*wide;
        int j, best = -1;
        for (j = 0; j < hull->n; ++j) {
            dc_v3 d = dc_sub(v[j], base);
            if (!(dc_dot(n_hat, d) >= -tol)) continue;
            d = dc_madd(d, -dc_dot(d, e), e);
            if (dc_dot(d, d) > far2) {
                far2 = dc_dot(d, d);
                best = j;
            }
        }
        if (best < 0) break;
        index[*count] = best;
        weight[(*count)++] = 0;
    }
}

/* Weights in the feature of another place on the ray than that it was found from: of the foot in its plane or line, so
 * that one is below 0 where the foot lies beside it, in the same face. */
static void dci_ray_weights(const dci_ray *ray, dc_real time, dc_distance *D)
{
    const dc_m3 R = dc_rotation(ray->pose.q);
    const dc_v3 *v = ray->core.v, o = dc_mul(&R, v[D->ib[0]]);
    const dc_v3 q = dc_sub(dc_madd(ray->origin, time, ray->dir), o);
    const dc_v3 e = dc_sub(dc_mul(&R, v[D->ib[1]]), o), f = dc_sub(dc_mul(&R, v[D->ib[2]]), o);
    const dc_v3 m = dc_cross(e, f);
    const dc_real ee = dc_dot(e, e), mm = dc_dot(m, m);

    if (D->nb == 2 && ee > 0) D->wb[1] = dc_dot(q, e)/ee;
    if (D->nb == 3 && mm > 0) {
        D->wb[1] = dc_dot(dc_cross(q, f), m)/mm;
        D->wb[2] = dc_dot(dc_cross(e, q), m)/mm;
    }
    D->wb[0] = 1 - D->wb[1] - D->wb[2];
}

DC_DEF dc_status dc_hull_ray(const dc_hull *hull, const dc_pose *pose, const dc_ray *ray, dc_ray_hit *hit)
{
    dci_ray r;
    dci_ray_at at, last;
    dc_cast_outcome outcome = DC_CAST_MISS;
    dc_status status = DC_E_DIVERGED, found;
    dc_real t = 0, start, length, f, speed;
    int step, i, settled, distances = 0, seen[4] = {0, 0, 0, 0};
    dc_m3 R;

    if (!hit || !dci_ray_load(hull, pose, ray, &r)) return DC_E_ARG;
    start = dci_ray_near(&r, ray->length);
    length = ray->length - start;
    memset(&at, 0, sizeof at);
    last = at;
    for (step = 0; step < DCI_RAY_STEPS; ++step) {
        found = dci_ray_place(&r, t, &at);
        if (found == DC_E_ARG) return DC_E_RANGE;
        ++distances;

        /* on it; without a radius the place before, a step away, knows the feature better */
        if (found == DC_E_OVERLAP || at.gap <= at.tol) {
            outcome = step ? DC_CAST_HIT : DC_CAST_START;
            if (r.radius > 0 && found == DC_OK) last = at;
            status = DC_OK;
            break;
        }
        last = at;

        /* (1); it is missed when the distance grows, or when not even the tangent is there in time */
        speed = dc_dot(at.core.n, r.dir);
        if (!(speed < 0) || !(at.gap <= (length - t)*-speed)) {
            status = DC_OK;
            break;
        }
        t += at.gap/-speed;

        /* (2), when the feature has settled */
        settled = dci_seen(&at.core, seen) || hull->n < 3;
        if (!(r.radius > 0) || !settled) continue;
        f = dci_ray_feature(&r, &at);
        if (!(f > t && f <= length)) continue;
        found = dci_ray_place(&r, f, &at);
        ++distances;

        /* it is the hit where it lies on the body, and on the way to it where the distance still falls */
        if (found == DC_OK && dc_abs(at.gap) <= at.tol) {
            t = f;
            last = at;
            outcome = DC_CAST_HIT;
            status = DC_OK;
            break;
        }
        if (found == DC_OK && at.gap > 0 && dc_dot(at.core.n, r.dir) < 0) t = f;
    }

    /* what there is to say */
    memset(hit, 0, sizeof *hit);
    hit->outcome = outcome;
    hit->iterations = distances;
    hit->time = outcome != DC_CAST_MISS || status != DC_OK ? start + t : ray->length;
    hit->point = dc_madd(ray->origin, hit->time, ray->dir);
    if (outcome != DC_CAST_HIT) return status;
    R = dc_rotation(r.pose.q);
    dci_face_of(&r.core, dci_back(&R, last.core.n), r.size, &last.core.nb, last.core.ib, last.core.wb);
    if (last.time != t) dci_ray_weights(&r, t, &last.core);
    hit->n = last.core.n;
    hit->speed = dc_dot(hit->n, ray->dir);
    hit->count = last.core.nb;
    for (i = 0; i < 3; ++i) {
        hit->index[i] = last.core.ib[i];
        hit->weight[i] = last.core.wb[i];
    }
    return status;
}

/* ---- [cast] casts ------------------------------------------------------------------------------------ */
/* In: two moving hulls. Out: a time until which they are proved not to touch, the answer there. Seen from a's origin,
 * which is taken to rest: b moves with the difference of the velocities.
 *
 * For any n, even one that turns, the room between the hulls along n is a lower bound of their gap,
 *     room(s) = n.(a - b) - max_j -n.x_j - max_k n.y_k - radii
 * a, b the origins, x_j and y_k the vertices from there. With n(s) = exp(s [u]) n and x_j(s) = exp(s [w]) R v_j
 *     d/ds n.x = ((u - w) x n).x                                                                          (2)
 * and the second derivatives are bounded by A: for n at rest each body has |w| |n x w| rho, rho the arm of its vertices
 * over the axis; else (|u - w|^2 + |u x (u - w)|) |v| each and |u x n| (|u| |a - b| + 2 |velocity|) together. So
 *     max_j (n_hat + s m_hat).v_j,  n_hat = -R^T n,  m_hat = -R^T ((u - w) x n)                            (1)
 * and A s^2/2 make a concave function of s below the room, whose root is found from above by cutting planes, a support
 * each. u = 0 and both w are tried: a face that turns keeps its plane with its own w. Bodies that turn fast have the
 * cylinder about their axis besides.
 *
 * stage               | reads                | writes                | equation
 * dci_cast_load       | hulls, twists        | both bodies           |
 * dci_cast_place      | bodies, a time       | their poses           |
 * dci_cast_bend       | bodies, n, u         | A                     | (2)
 * dci_cast_keep       | bodies, n, u         | a safe time, the room | (1)
 * dci_cast_advance    | the last two         | time                  |
 * dc_hull_cast        | all                  | the answer            | */

#define DCI_CAST_TURNS 512          /* distances */
#define DCI_CAST_PLANES 16          /* safe times of one n */
#define DCI_CAST_CUTS 32            /* of the root */
#define DCI_CAST_POLISH 4           /* steps at the end */
#define DCI_CAST_LEAST (64*DC_EPS)  /* of the numbers that go in: gaps that can be told from contact, */
#define DCI_CAST_NOISE (4*DC_EPS)   /* and from each other */

typedef struct {
    dc_hull hull;
    dc_pose start;                  /* the origin of a at 0 */
    dc_v3 velocity, spin;
    dc_real rate;                   /* |spin| */
    dc_v3 axis;                     /* of the rotation, unit; 0 where there is none */
    dc_real arm, lowest, highest;   /* of the vertices: largest distance from the axis, extent along it */
    dc_real size;                   /* largest distance of a vertex from the origin */
    dc_pose pose;                   /* now */
    dc_m3 rotation;
} dci_cast_body;

typedef struct {
    dci_cast_body body[2];
    dc_v3 velocity;                 /* of b as seen from a */
    dc_real duration, gap, noise;   /* gap asked for; what rounding makes of one */
    dc_v3 origin, origin_velocity;  /* of a in the world */
} dci_cast;

/* One body; 0 where it is none. */
static int dci_cast_body_load(const dc_hull *hull, const dc_pose *pose, const dc_real *twist, dci_cast_body *to)
{
    static const dc_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    const dc_pose *p = pose ? pose : &identity;
    dc_v3 mean;
    dc_real ext2;
    dc_m3 R;
    int j;

    if (!dci_hull_check(hull, &mean, &ext2) || !dci_radius_ok(hull) || !dc_pose_ok(p)) return 0;
    memset(to, 0, sizeof *to);
    to->hull = *hull;
    to->start = *p;
    if (dc_quat_normalize(p->q, &to->start.q) != DC_OK) return 0;
    if (twist) {
        to->velocity = dc_vec(twist[0], twist[1], twist[2]);
        to->spin = dc_vec(twist[3], twist[4], twist[5]);
    }
    if (!dc_in_range(to->velocity) || !dc_in_range(to->spin)) return 0;
    to->axis = dci_unit(to->spin);
    to->rate = dc_dot(to->axis, to->spin);

    /* the cylinder about the axis */
    R = dc_rotation(to->start.q);
    for (j = 0; j < hull->n; ++j) {
        const dc_v3 x = dc_mul(&R, hull->v[j]);
        const dc_real z = dc_dot(x, to->axis);
        const dc_v3 off = dc_madd(x, -z, to->axis);
        to->size = dc_max(to->size, dc_dot(x, x));
        to->arm = dc_max(to->arm, dc_dot(off, off));
        to->lowest = j ? dc_min(to->lowest, z) : z;
        to->highest = j ? dc_max(to->highest, z) : z;
    }
    to->size = dc_sqrt(to->size);
    to->arm = (1 + 4*DC_EPS)*dc_sqrt(to->arm);
    return 1;
}

static int dci_cast_load(const dc_cast_options *opt, const dc_hull *a, const dc_pose *pose_a, const dc_real *twist_a,
                         const dc_hull *b, const dc_pose *pose_b, const dc_real *twist_b, dc_real duration, dci_cast *c)
{
    dci_cast_body *A = c->body, *B = c->body + 1;
    dc_real sizes, all;

    if (!dci_cast_body_load(a, pose_a, twist_a, A) || !dci_cast_body_load(b, pose_b, twist_b, B)) return 0;
    if (!(duration >= 0 && duration <= DC_LIMIT)) return 0;
    if (!(dc_max(A->rate, B->rate)*duration <= DC_R(6.28e6))) return 0;
    c->duration = duration;

    /* from a's origin */
    c->origin = A->start.t;
    c->origin_velocity = A->velocity;
    c->velocity = dc_sub(B->velocity, A->velocity);
    B->start.t = dc_sub(B->start.t, A->start.t);
    A->start.t = dc_vec(0, 0, 0);

    /* what counts as touching */
    sizes = A->size + B->size + A->hull.radius + B->hull.radius;
    all = sizes + dc_sqrt(dc_dot(B->start.t, B->start.t)) + duration*dc_sqrt(dc_dot(c->velocity, c->velocity));
    all += duration*(A->rate*A->arm + B->rate*B->arm);
    c->gap = opt ? opt->gap : 0;
    if (!(c->gap >= 0 && c->gap <= DC_LIMIT) || !(all <= DC_LIMIT)) return 0;
    if (c->gap == 0) c->gap = dc_sqrt(DC_EPS)*sizes;
    c->gap = dc_max(c->gap, DCI_CAST_LEAST*all);
    c->noise = DCI_CAST_NOISE*all;
    return 1;
}

static void dci_cast_place(dci_cast *c, dc_real t)
{
    int k;
    for (k = 0; k < 2; ++k) {
        dci_cast_body *B = c->body + k;
        B->pose = B->start;
        if (B->rate > 0) B->pose.q = dc_quat_mul(dc_quat_exp(dc_scale(t, B->spin)), B->start.q);
        if (k) B->pose.t = dc_madd(B->start.t, t, c->velocity);
        (void)dc_quat_normalize(B->pose.q, &B->pose.q);
        B->rotation = dc_rotation(B->pose.q);
    }
}

/* Both supports along n, of the vertices that lead after a time s: now, and how fast they grow. */
typedef struct { dc_real at, speed; } dci_cast_line;

static dci_cast_line dci_cast_leader(const dci_cast *c, const dc_v3 n_hat[2], const dc_v3 m_hat[2], dc_real s)
{
    const dc_v3 none = dc_vec(0, 0, 0);
    dci_cast_line line = {0, 0};
    int k;
    for (k = 0; k < 2; ++k) {
        const dc_hull *hull = &c->body[k].hull;
        const dc_v3 d = dc_madd(n_hat[k], s, m_hat[k]);
        const dc_v3 v = hull->v[dci_support(hull->v, hull->n, 0, &none, d.x, d.y, d.z)];
        line.at += dc_dot(n_hat[k], v);
        line.speed += dc_dot(m_hat[k], v);
    }
    return line;
}

/* Bound of the second derivative of the room along n while n turns with the angular velocity `turn`, over `rest`. With
 * the body's own nothing is left of what it turns, by (2); with none only what turns across n counts. */
static dc_real dci_cast_bend(const dci_cast *c, dc_v3 n, dc_v3 turn, dc_real rest)
{
    const dc_v3 across = dc_cross(turn, n), D = c->body[1].pose.t, E = dc_madd(D, rest, c->velocity);
    const dc_real swept = dc_sqrt(dc_max(dc_dot(D, D), dc_dot(E, E)));
    dc_real bend = dc_sqrt(dc_dot(turn, turn))*swept + 2*dc_sqrt(dc_dot(c->velocity, c->velocity));
    int k;

    bend *= dc_sqrt(dc_dot(across, across));
    for (k = 0; k < 2; ++k) {
        const dci_cast_body *B = c->body + k;
        const dc_v3 d = dc_sub(B->spin, turn), e = dc_cross(turn, d), f = dc_cross(n, B->spin);
        if (dc_dot(turn, turn) > 0) bend += (dc_dot(d, d) + dc_sqrt(dc_dot(e, e)))*B->size;
        else bend += B->rate*dc_sqrt(dc_dot(f, f))*B->arm;
    }
    return bend;
}

/* The time, up to `rest`, over which the hulls keep the gap along n, which points from b to a and turns; *room: what
 * they have beyond it now. (1) */
static DCI_NOINLINE dc_real dci_cast_keep(const dci_cast *c, dc_v3 n, dc_v3 turn, dc_real rest, dc_real *room)
{
    const dc_real bend = dci_cast_bend(c, n, turn, rest);
    const dc_real even = -dc_dot(n, c->velocity) - dc_dot(dc_cross(turn, n), c->body[1].pose.t);
    const dc_real apart = -dc_dot(n, c->body[1].pose.t) - c->body[0].hull.radius - c->body[1].hull.radius - c->gap;
    dc_real s = rest;
    dc_v3 n_hat[2], m_hat[2];
    dci_cast_line line;
    int k, cut;

    /* each along the direction in which it comes closer: a along -n, b along n */
    for (k = 0; k < 2; ++k) {
        const dci_cast_body *B = c->body + k;
        const dc_v3 out = k ? n : dc_neg(n);
        n_hat[k] = dci_back(&B->rotation, out);
        m_hat[k] = dci_back(&B->rotation, dc_cross(dc_sub(turn, B->spin), out));
    }
    line = dci_cast_leader(c, n_hat, m_hat, 0);
    *room = apart - line.at;

    /* the concave bound, from above: the vertices that lead after s have a parabola that is nowhere below it */
    for (cut = 0; cut < DCI_CAST_CUTS; ++cut) {
        dc_real height, speed, root, value;
        line = dci_cast_leader(c, n_hat, m_hat, s);
        height = apart - line.at;
        speed = even - line.speed;
        value = height + s*(speed - DC_R(0.5)*bend*s);
        if (value >= 0) break;

        /* no room; or no end: the chord is below */
        if (!(*room > 0 && height > 0)) {
            s = 0;
            break;
        }
        if (cut == DCI_CAST_CUTS - 1) {
            s *= *room/(*room - value);
            break;
        }

        /* its root, before s; there is one: bend > 0 or speed < 0 */
        root = dc_sqrt(speed*speed + 2*bend*height);
        root = speed > 0 ? (speed + root)/bend : 2*height/(root - speed);
        if (!(root < s*(1 - 4*DC_EPS))) break;
        s = root;
    }
    return s;
}

/* The same for the cylinders that the bodies turn in, with n at rest: their room falls evenly. */
static dc_real dci_cast_keep_cylinders(const dci_cast *c, dc_v3 n, dc_real rest)
{
    const dc_real even = -dc_dot(n, c->velocity);
    dc_real room = -dc_dot(n, c->body[1].pose.t) - c->gap;
    int k;
    for (k = 0; k < 2; ++k) {
        const dci_cast_body *B = c->body + k;
        const dc_v3 out = k ? n : dc_neg(n), turned = dc_cross(out, B->axis);
        const dc_real along = dc_dot(out, B->axis);
        room -= dc_max(along*B->lowest, along*B->highest) + B->hull.radius;
        room -= (B->rate > 0 ? dc_sqrt(dc_dot(turned, turned)) : 1)*B->arm;
    }
    if (!(room > 0)) return 0;
    return even < 0 ? dc_min(rest, room/-even) : rest;
}

/* From the time t on along n, as far as that pays: n at rest, or turning with a body, as the normal of a face does. */
static dc_real dci_cast_advance(dci_cast *c, dc_v3 n, dc_real t, int *steps)
{
    const dc_real speed = dc_sqrt(dc_dot(c->velocity, c->velocity));
    const int turning = c->body[0].rate > 0 || c->body[1].rate > 0;
    dc_real room, first = 0;
    int k, i;

    for (k = 0; k < DCI_CAST_PLANES; ++k) {
        const dc_v3 D = c->body[1].pose.t;
        const dc_real rest = c->duration - t, reach = dc_sqrt(dc_dot(D, D)) + c->body[0].size + c->body[1].size;
        dc_v3 turn = dc_vec(0, 0, 0);
        dc_real s = dci_cast_keep(c, n, turn, rest, &room);
        ++*steps;
        if (k == 0) first = room;
        else if (!(room > DC_R(0.5)*first)) break;

        /* the longest; what turns is bounded for a way no longer than the bodies are */
        if (s < rest && turning) s = dc_max(s, dci_cast_keep_cylinders(c, n, rest));
        for (i = 0; i < 2 && s < rest; ++i) {
            dc_real more, far_off = speed*rest > reach ? reach/speed : rest;
            if (!(c->body[i].rate > 0) || !(far_off > s)) continue;
            more = dci_cast_keep(c, n, c->body[i].spin, far_off, &room);
            ++*steps;
            if (!(more > s)) continue;
            s = more;
            turn = c->body[i].spin;
        }
        if (s >= rest) return c->duration;
        if (!(t + s > t)) break;

        t += s;
        dci_cast_place(c, t);
        if (!turning) break;
        if (dc_dot(turn, turn) > 0) n = dci_unit(dc_quat_rotate(dc_quat_exp(dc_scale(s, turn)), n));
    }
    return t;
}

/* how fast the gap grows */
static dc_real dci_cast_speed(const dci_cast *c, const dc_distance *D)
{
    const dci_cast_body *A = c->body, *B = c->body + 1;
    const dc_v3 v = dc_sub(dc_cross(A->spin, dc_sub(D->pa, A->pose.t)), dc_cross(B->spin, dc_sub(D->pb, B->pose.t)));
    return dc_dot(D->n, dc_sub(v, c->velocity));
}

static dc_status dci_cast_distance(const dci_cast *c, dc_distance *D)
{
    return dc_hull_distance(&c->body[0].hull, &c->body[0].pose, &c->body[1].hull, &c->body[1].pose, NULL, D);
}

/* From a place at time t whose gap is a little more than the one asked for, to that gap, by Newton's steps; one that
 * goes a little too far, where the bodies turn, is taken back by the next. Where a step comes no nearer, as other
 * features take over, they stay where they are. */
static dc_real dci_cast_polish(dci_cast *c, dc_real t, dc_distance *D, int *distances)
{
    int k;
    for (k = 0; k < DCI_CAST_POLISH; ++k) {
        const dc_real speed = dci_cast_speed(c, D), more = D->gap - c->gap;
        if (!(dc_abs(more) > c->noise && speed < 0 && more <= (c->duration - t)*-speed && -more <= t*-speed)) break;
        dci_cast_place(c, t + more/-speed);
        ++*distances;
        if (dci_cast_distance(c, D) != DC_E_OVERLAP && dc_abs(D->gap - c->gap) < dc_abs(more)) {
            t += more/-speed;
            continue;
        }

        /* back */
        dci_cast_place(c, t);
        ++*distances;
        (void)dci_cast_distance(c, D);
        break;
    }
    return t;
}

/* Is the gap there? After the last of the way, where that is straight and short. */
static int dci_cast_arrived(dci_cast *c, dc_distance *D, dc_real *t, int *distances)
{
    const dc_real more = D->gap - c->gap, speed = dci_cast_speed(c, D);
    const dc_real bent = dci_cast_bend(c, D->n, dc_vec(0, 0, 0), 0)*more*more;
    if (more <= c->gap/16 && more <= (c->duration - *t)*-speed && bent <= c->gap*DC_R(1e-3)*speed*speed)
        *t = dci_cast_polish(c, *t, D, distances);
    return D->gap - c->gap <= dc_max(c->gap/1024, c->noise);
}

DC_DEF dc_status dc_hull_cast(const dc_cast_options *opt, const dc_hull *a, const dc_pose *pose_a,
                              const dc_real *twist_a, const dc_hull *b, const dc_pose *pose_b, const dc_real *twist_b,
                              dc_real duration, dc_cast_hit *hit)
{
    dci_cast c = DC_ZERO;
    dc_distance *D;
    dc_status status = DC_E_DIVERGED;
    dc_real t = 0, seen = 0, next;          /* seen: when D was */
    dc_v3 shift;
    int turn, met, distances = 0, steps = 0;

    if (!hit || !dci_cast_load(opt, a, pose_a, twist_a, b, pose_b, twist_b, duration, &c)) return DC_E_ARG;
    memset(hit, 0, sizeof *hit);
    D = &hit->at;
    dci_cast_place(&c, 0);
    for (turn = 0; turn < DCI_CAST_TURNS; ++turn) {
        ++distances;
        met = dci_cast_distance(&c, D) == DC_E_OVERLAP || D->gap <= 0;
        if (met || (turn ? dci_cast_arrived(&c, D, &t, &distances) : D->gap <= c.gap)) {
            hit->outcome = turn ? DC_CAST_HIT : DC_CAST_START;
            status = DC_OK;
            seen = t;
            break;
        }
        seen = t;

        /* as far as the plane between them is kept; no farther than time can be told apart: they are there */
        next = dci_cast_advance(&c, D->n, t, &steps);
        if (next >= duration || !(next > t)) {
            hit->outcome = next >= duration ? DC_CAST_MISS : DC_CAST_HIT;
            t = next;
            status = DC_OK;
            break;
        }
        t = next;
    }

    /* the feature, and the answer in the world */
    hit->time = t;
    hit->gap = c.gap;
    hit->iterations = distances;
    hit->steps = steps;
    if (hit->outcome == DC_CAST_HIT) {
        dci_face_of(a, dci_back(&c.body[0].rotation, dc_neg(D->n)), c.body[0].size, &D->na, D->ia, D->wa);
        dci_face_of(b, dci_back(&c.body[1].rotation, D->n), c.body[1].size, &D->nb, D->ib, D->wb);
    }
    if (hit->outcome != DC_CAST_MISS && D->na > 0) hit->speed = dci_cast_speed(&c, D);
    shift = dc_madd(c.origin, seen, c.origin_velocity);
    if (D->na > 0) {
        D->pa = dc_add(D->pa, shift);
        D->pb = dc_add(D->pb, shift);
    }
    return status;
}

/* ---- [impact] derivatives of rays and casts ------------------------------------------------------------ */
/* In: a hit. Out: the derivative of its time, point and normal by what moves a point x of a and a point y of b, the
 * witnesses on the cores, and the edges at them.
 *
 * On frozen features x and y are the closest points of two flats, a point, a line or a plane each, of which the edges
 * T span the directions: z = x - y = g n, T^T n = 0. Displacements dX, dY of the material points, dT of the edges give,
 * with T made orthogonal (a fixed mixture of edges stays in its flat),
 *     e = n.dT,   d n = P (dX - dY)/g - sum T e/|T|^2,   P = 1 - n n^T - sum T T^T/|T|^2                  (1)
 *     d x = dX + sum over a's T of (-T.(dX - dY) - g e)/|T|^2 T                                            (2)
 * and the gap n.(x - y) changes by n.(dX - dY) alone. At the hit it is held, so that the time moves by
 *     d time = -n.(dX - dY)/speed                                                                          (3)
 * and takes dX, dY and e along with the velocities.
 *
 * stage            | reads                  | writes                           | equation
 * dci_impact_open   | a hit, two bodies      | flats, velocities                |
 * dci_impact_flow   | dX, dY, e              | a column                         | (1) (2) (3)
 * dci_impact_twist  | a twist of a body      | a column                         |
 * dci_impact_vertex | a vertex               | a column                         | */

static const dc_v3 dci_impact_axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

#define DCI_IMPACT_FLAT (64*DC_EPS)      /* sine of the angle below which edges are parallel */

/* a body at the hit */
typedef struct {
    const dc_hull *hull;
    dc_m3 rotation;
    dc_v3 centre, velocity, spin;
    int count;                          /* its feature */
    const int *index;
    const dc_real *weight;
    dc_v3 witness;                      /* on the core */
    dc_v3 moving;                       /* velocity of the witness */
} dci_impact_body;

/* an edge that spans the flats: from the feature's first vertex to another one */
typedef struct {
    int body, to;
    dc_v3 edge;
    dc_real turning;                    /* n.dT by time */
} dci_impact_edge;

typedef struct {
    dci_impact_body body[2];
    dc_v3 n;
    dc_real apart, radius, speed;       /* of the cores; of a; of the gap */
    int edges;
    dci_impact_edge edge[2];
    dc_real mix;                        /* the second less this much of the first is orthogonal to it */
    dc_v3 span[2];                      /* T, orthogonal */
    dc_real span2[2];
    int dry, overflow;                  /* nothing is written; a number does not fit */
} dci_impact;

static dc_v3 dci_impact_of(const dci_impact_body *B, int k) { return dc_mul(&B->rotation, B->hull->v[B->index[k]]); }

static void dci_impact_span(dci_impact *t, int body, int to)
{
    const dci_impact_body *B = t->body + body;
    dci_impact_edge *e = t->edge + t->edges++;
    e->body = body;
    e->to = to;
    e->edge = dc_sub(dci_impact_of(B, to), dci_impact_of(B, 0));
    e->turning = dc_dot(t->n, dc_cross(B->spin, e->edge));
}

/* The second edge less its part along the first; 0: parallel */
static int dci_impact_orthogonal(dci_impact *t)
{
    const dc_v3 a = t->edge[0].edge, b = t->edges > 1 ? t->edge[1].edge : a;
    const dc_real aa = dc_dot(a, a);
    t->span[0] = a;
    t->span2[0] = aa;
    if (t->edges < 2) return aa > 0;
    t->mix = aa > 0 ? dc_dot(a, b)/aa : 0;
    t->span[1] = dc_madd(b, -t->mix, a);
    t->span2[1] = dc_dot(t->span[1], t->span[1]);
    return aa > 0 && t->span2[1] > DCI_IMPACT_FLAT*DCI_IMPACT_FLAT*dc_dot(b, b);
}

/* One body's feature, place and witness; 0: not one of this hull */
static int dci_impact_body_open(const dc_hull *hull, int count, const int *index, const dc_real *weight,
                               dci_impact_body *B)
{
    dc_v3 x = dc_vec(0, 0, 0);
    int k;

    if (count < 1 || count > 3) return 0;
    for (k = 0; k < count; ++k) {
        if (index[k] < 0 || index[k] >= hull->n || !dc_finite(weight[k])) return 0;
        x = dc_madd(x, weight[k], hull->v[index[k]]);
    }
    B->hull = hull;
    B->count = count;
    B->index = index;
    B->weight = weight;
    x = dc_mul(&B->rotation, x);
    B->witness = dc_add(x, B->centre);
    B->moving = dc_add(B->velocity, dc_cross(B->spin, x));
    return 1;
}

/* Flats and velocities; the bodies are open. DC_E_SINGULAR: the gap does not shrink, or n has no derivative. */
static dc_status dci_impact_open(dci_impact *t)
{
    const dci_impact_body *A = t->body, *B = t->body + 1;
    dc_real speeds = dc_sqrt(dc_dot(A->velocity, A->velocity)) + dc_sqrt(dc_dot(B->velocity, B->velocity));
    dc_v3 by_turning[2];
    int k;

    /* the speed of the gap, in measure of what it is made of */
    for (k = 0; k < 2; ++k) {
        by_turning[k] = dc_sub(t->body[k].moving, t->body[k].velocity);
        speeds += dc_sqrt(dc_dot(by_turning[k], by_turning[k]));
    }
    t->speed = dc_dot(t->n, dc_sub(A->moving, B->moving));
    if (!(t->speed < -64*DC_EPS*speeds)) return DC_E_SINGULAR;

    /* a face carries the normal; else edges, unless they are parallel: then a's witness is one of its points */
    t->edges = 0;
    if (B->count == 3 || A->count == 3) {
        dci_impact_span(t, B->count == 3, 1);
        dci_impact_span(t, B->count == 3, 2);
    } else {
        if (A->count == 2) dci_impact_span(t, 0, 1);
        if (B->count == 2) dci_impact_span(t, 1, 1);
    }
    if (t->edges > 0 && !dci_impact_orthogonal(t)) {
        t->edges = 0;
        if (B->count > 1) dci_impact_span(t, 1, 1);
        else dci_impact_span(t, 0, 1);
        if (!dci_impact_orthogonal(t)) t->edges = 0;
    }
    return t->edges < 2 && !(t->apart > 0) ? DC_E_SINGULAR : DC_OK;
}

/* One column: where the witnesses' material points go, and n.dT of the edges. */
static void dci_impact_flow(dci_impact *t, dc_v3 dx, dc_v3 dy, const dc_real turning[2], dc_real *J, int ld)
{
    const dc_v3 n = t->n;
    const dc_real time = -dc_dot(n, dc_sub(dx, dy))/t->speed;                                   /* (3) */
    dc_real e[2] = {0, 0}, part[2] = {0, 0};
    dc_v3 d, dn;
    int k;

    /* with the time; the mixture of the edges */
    dx = dc_madd(dx, time, t->body[0].moving);
    dy = dc_madd(dy, time, t->body[1].moving);
    for (k = 0; k < t->edges; ++k) e[k] = turning[k] + time*t->edge[k].turning;
    e[1] -= t->mix*e[0];

    /* (1) */
    d = dc_sub(dx, dy);
    dn = t->edges < 2 ? dc_scale(1/t->apart, dc_madd(d, -dc_dot(d, n), n)) : dc_vec(0, 0, 0);
    for (k = 0; k < t->edges; ++k) {
        part[k] = (-dc_dot(t->span[k], d) - t->apart*e[k])/t->span2[k];
        dn = dc_madd(dn, -dc_dot(t->span[k], dn)/t->span2[k], t->span[k]);
        dn = dc_madd(dn, -e[k]/t->span2[k], t->span[k]);
    }

    /* (2), and from the core to the surface */
    part[0] -= t->mix*part[1];
    for (k = 0; k < t->edges; ++k)
        if (t->edge[k].body == 0) dx = dc_madd(dx, part[k], t->edge[k].edge);
    dx = dc_madd(dx, -t->radius, dn);
    if (!dc_finite(time) || !dc_finite3(dx) || !dc_finite3(dn)) t->overflow = 1;
    if (t->dry) return;
    J[0] = time;
    J[ld] = dx.x;  J[2*ld] = dx.y;  J[3*ld] = dx.z;
    J[4*ld] = dn.x;  J[5*ld] = dn.y;  J[6*ld] = dn.z;
}

/* by a twist (v, w) of a body at the hit */
static void dci_impact_twist(dci_impact *t, int body, dc_v3 v, dc_v3 w, dc_real *J, int ld)
{
    const dci_impact_body *B = t->body + body;
    const dc_v3 zero = dc_vec(0, 0, 0), d = dc_add(v, dc_cross(w, dc_sub(B->witness, B->centre)));
    dc_real turning[2] = {0, 0};
    int k;
    for (k = 0; k < t->edges; ++k)
        if (t->edge[k].body == body) turning[k] = dc_dot(t->n, dc_cross(w, t->edge[k].edge));
    dci_impact_flow(t, body ? zero : d, body ? d : zero, turning, J, ld);
}

/* by vertex `which` of a body's feature along axis i of the body */
static void dci_impact_vertex(dci_impact *t, int body, int which, int i, dc_real *J, int ld)
{
    const dci_impact_body *B = t->body + body;
    const dc_v3 zero = dc_vec(0, 0, 0), u = dc_mul(&B->rotation, dci_impact_axis[i]), d = dc_scale(B->weight[which], u);
    dc_real turning[2] = {0, 0};
    int k;
    for (k = 0; k < t->edges; ++k) {
        const dci_impact_edge *e = t->edge + k;
        if (e->body == body && which == 0) turning[k] = -dc_dot(t->n, u);
        if (e->body == body && which == e->to) turning[k] = dc_dot(t->n, u);
    }
    dci_impact_flow(t, body ? zero : d, body ? d : zero, turning, J, ld);
}

DC_DEF dc_status dc_hull_ray_jac(const dc_hull *hull, const dc_pose *pose, const dc_ray *ray, const dc_ray_hit *hit,
                                 dc_real *J, dc_real *Jv)
{
    const dc_v3 here = dc_vec(0, 0, 0), zero = here;
    const dc_hull point = {&here, 1, 0};
    const int first[1] = {0};
    const dc_real whole[1] = {1};
    dci_ray r;
    dci_impact t;
    dc_status status;
    int i, k;

    if (!dci_ray_load(hull, pose, ray, &r) || !hit || hit->outcome != DC_CAST_HIT) return DC_E_ARG;
    if (!(hit->time >= 0 && hit->time <= ray->length) || !dc_finite3(hit->n)) return DC_E_ARG;

    /* the point of the ray is a */
    memset(&t, 0, sizeof t);
    t.n = hit->n;
    t.apart = r.radius;
    t.body[0].rotation = dc_m3_exp(zero);
    t.body[0].centre = dc_madd(r.origin, hit->time, r.dir);
    t.body[0].velocity = r.dir;
    t.body[1].rotation = dc_rotation(r.pose.q);
    if (!dci_impact_body_open(&point, 1, first, whole, t.body)) return DC_E_ARG;
    if (!dci_impact_body_open(hull, hit->count, hit->index, hit->weight, t.body + 1)) return DC_E_ARG;
    status = dci_impact_open(&t);
    if (status != DC_OK) return status;

    /* once to see whether all fits */
    for (t.dry = 1; t.dry >= 0 && !t.overflow; --t.dry) {
        for (i = 0; J && i < 3; ++i) {
            dci_impact_twist(&t, 0, dci_impact_axis[i], zero, J + i, 12);
            dci_impact_twist(&t, 0, dc_scale(hit->time, dci_impact_axis[i]), zero, J + 3 + i, 12);
            dci_impact_twist(&t, 1, dci_impact_axis[i], zero, J + 6 + i, 12);
            dci_impact_twist(&t, 1, zero, dci_impact_axis[i], J + 9 + i, 12);
        }
        for (i = 0; Jv && !t.dry && i < 7*9; ++i) Jv[i] = 0;
        for (k = 0; Jv && k < hit->count; ++k)
            for (i = 0; i < 3; ++i) dci_impact_vertex(&t, 1, k, i, Jv + 3*k + i, 9);
    }
    return t.overflow ? DC_E_RANGE : DC_OK;
}

/* Columns of a body's pose at time 0 and of its velocity. A twist of the start turns with the body, one of the velocity
 * by the left Jacobian of the turn: exp(T [w + dw]) = exp([T J_l dw]) exp(T [w]) */
static void dci_impact_start(dci_impact *t, int body, dc_real time, dc_real *J)
{
    const dc_v3 zero = dc_vec(0, 0, 0), turn = dc_scale(time, t->body[body].spin);
    const dc_m3 R = dc_m3_exp(turn), L = dc_so3_jl(turn);
    int i;
    for (i = 0; i < 3; ++i) {
        dci_impact_twist(t, body, dci_impact_axis[i], zero, J + 6*body + i, 24);
        dci_impact_twist(t, body, zero, dc_mul(&R, dci_impact_axis[i]), J + 6*body + 3 + i, 24);
        dci_impact_twist(t, body, dc_scale(time, dci_impact_axis[i]), zero, J + 12 + 6*body + i, 24);
        dci_impact_twist(t, body, zero, dc_scale(time, dc_mul(&L, dci_impact_axis[i])), J + 15 + 6*body + i, 24);
    }
}

DC_DEF dc_status dc_hull_cast_jac(const dc_hull *a, const dc_pose *pose_a, const dc_real *twist_a, const dc_hull *b,
                                  const dc_pose *pose_b, const dc_real *twist_b, const dc_cast_hit *hit, dc_real *J,
                                  dc_real *Jv)
{
    const dc_distance *D;
    dci_cast c = DC_ZERO;
    dci_impact t;
    dc_status status;
    int i, k, body;

    if (!hit || hit->outcome != DC_CAST_HIT) return DC_E_ARG;
    if (!dci_cast_load(NULL, a, pose_a, twist_a, b, pose_b, twist_b, hit->time, &c)) return DC_E_ARG;
    D = &hit->at;
    if (!dc_finite3(D->n) || !dc_finite(D->gap)) return DC_E_ARG;

    /* both at the hit, at their own velocities in the world */
    dci_cast_place(&c, hit->time);
    memset(&t, 0, sizeof t);
    t.n = D->n;
    t.apart = D->gap + a->radius + b->radius;
    t.radius = a->radius;
    for (k = 0; k < 2; ++k) {
        t.body[k].rotation = c.body[k].rotation;
        t.body[k].centre = c.body[k].pose.t;
        t.body[k].velocity = c.body[k].velocity;
        t.body[k].spin = c.body[k].spin;
    }
    if (!dci_impact_body_open(a, D->na, D->ia, D->wa, t.body)) return DC_E_ARG;
    if (!dci_impact_body_open(b, D->nb, D->ib, D->wb, t.body + 1)) return DC_E_ARG;
    status = dci_impact_open(&t);
    if (status != DC_OK) return status;

    /* once to see whether all fits */
    for (t.dry = 1; t.dry >= 0 && !t.overflow; --t.dry) {
        for (body = 0; J && body < 2; ++body) dci_impact_start(&t, body, hit->time, J);
        for (i = 0; Jv && !t.dry && i < 7*18; ++i) Jv[i] = 0;
        for (body = 0; Jv && body < 2; ++body)
            for (k = 0; k < t.body[body].count; ++k)
                for (i = 0; i < 3; ++i) dci_impact_vertex(&t, body, k, i, Jv + 9*body + 3*k + i, 18);
    }
    return t.overflow ? DC_E_RANGE : DC_OK;
}

#if DCI_FUSES
#pragma GCC pop_options
#endif

#endif /* DC_CONTACT_IMPLEMENTED */
#endif /* DC_CONTACT_IMPLEMENTATION */

/*
This software is available under two licenses: choose whichever you prefer.

ALTERNATIVE A: MIT License

Copyright (c) 2026 the dc authors

Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies
of the Software, and to permit persons to whom the Software is furnished to do
so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

ALTERNATIVE B: Public Domain (www.unlicense.org)

This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this
software, either in source code form or as a compiled binary, for any purpose,
commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this
software dedicate any and all copyright interest in the software to the public
domain. We make this dedication for the benefit of the public at large and to
the detriment of our heirs and successors. We intend this dedication to be an
overt act of relinquishment in perpetuity of all present and future rights to
this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
