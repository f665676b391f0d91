/* dc_witness.h - v0.1.0 - smooth witness points of edges and faces, and contact manifolds with derivatives
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * DOES     witness points of two edges, of a vertex and a triangle, by a smoothed analytical active set [1]: no
 *          iteration, no branch, infinitely differentiable, with Jacobians, one by one or in batches; soft top-K
 *          selection [2]; the contact manifold of two posed bodies, each a mesh and a field of dc_sdf.h: a fixed number
 *          of contacts (point, signed distance, normal, activity), with derivatives by both poses along a direction,
 *          transposed, or in full, and second ones of what is made of them, times a direction.
 * DOES NOT answer exactly: smoothing moves witness points (see Smooth below; dc_ee_closest and dc_vf_closest do not
 *          smooth); make meshes or fields (dc_sdf.h); find pairs of bodies that are close; compute forces.
 *
 * USE
 *   In one C or C++ file: #define DC_CONTACT_IMPLEMENTATION, DC_SDF_IMPLEMENTATION and DC_WITNESS_IMPLEMENTATION, then
 *   #include "dc_witness.h". Elsewhere include it. Quick start, a complete program; cc -std=c99 -O3 program.c -lm
 *
 *|#define DC_CONTACT_IMPLEMENTATION
 *|#define DC_SDF_IMPLEMENTATION
 *|#define DC_WITNESS_IMPLEMENTATION
 *|#include "dc_witness.h"
 *|#include <stdio.h>
 *|int main(void)
 *|{
 *|    const dc_v3 a[2] = {{-1, 0, 1}, {1, 0, 1}}, b[2] = {{0, -1, 0}, {0, 1, 0}};     // crossing, one above the other
 *|    dc_real jac[108];                                                        // by a[0], a[1], b[0], b[1]
 *|    dc_ee e;
 *|    if (dc_ee_witness(NULL, a, b, &e, jac) != DC_OK) return 1;
 *|    printf("distance %g, facing %g\n", (double)(e.a.z - e.b.z), (double)e.gamma);
 *|    printf("d alpha_a/d b[0].x %g\n", (double)jac[6*12 + 6]);
 *|    return 0;
 *|}
 *
 *   A manifold: a dc_mesh and a dc_sdf for each body make a dc_surface; ask dc_manifold_bytes for memory and
 *   dc_manifold_count for the number of contacts, then call dc_manifold. A penalty force at a contact of a (part
 *   0 or 2) is act k max(-d, 0) n on a and its opposite on b, both at p; at a contact of b (parts 1, 3) n pushes b, and
 *   a gets the opposite. Every pair of edges has a contact on each body: halve k there or leave one out.
 *   examples/box_manifold.c and manifold_drop.c show it.
 *
 * OPTIONS (macros)
 *   DC_WITNESS_IMPLEMENTATION  in one file: the code. DC_REAL, DC_STATIC, DC_DEF: see dc_contact.h.
 *
 * NOTATION
 *   a, b        the two bodies; in tables of [1] they are 1 and 2
 *   alpha       coordinates of a witness point along its edge, or weights of the triangle's corners
 *   Q, c        J = alpha^T Q alpha/2 + c^T alpha: half the squared distance and the pull to the middle, w_reg
 *   gamma       indicator of the unconstrained minimum being inside; pen, nn, cl those of the manifold
 *   phi, n      field and normal of a body at a point; d_bar, n_bar distance and direction of two witness points
 *   Gamma       weights of a soft selection
 *   xi = (v,w)  twist in the world frame about the body origin, as in dc_contact.h
 *
 * CONTRACTS
 *   Memory    Witness points: none. Manifolds: scratch from the caller's dc_arena, given back at return;
 *             dc_manifold_bytes. Stack at most 4096 bytes at -Os and -O3 (`make facts`).
 *   Errors    dc_status: DC_E_ARG for what is not finite, out of range or missing, DC_E_MEMORY for an arena that is too
 *             small (DC_E_ARG comes first, as in dc_contact.h), DC_E_RANGE for results that do not fit. Outputs are
 *             untouched then.
 *   Threads   Every function is re-entrant; nothing is shared.
 *   Bits      The same for the same input in any order and thread, one by one or in batches; without contraction under
 *             any compiler.
 *   Smooth    Witness points: infinitely differentiable for every input, parallel and vanishing edges included
 *             (`listing` excepted). Against the closest points, edges in the unit cube: the distance is too large by
 *             0.014 on the mean, below 0.05 for 95 % of the pairs at eps 0.1 and w_reg 0.01; 0.0023 and 0.011 at eps
 *             0.02.
 *             Manifolds: as smooth as the fields; with a top-K selection continuous, derivatives jump a little at ties
 *             (dc_softsort_topk); with `cull` C2 where contacts fade.
 *   Accuracy  Against 70-digit tables: points 5e-16 of the coordinates, Jacobians 1e-12 of their largest entry down to
 *             w_reg = 1e-6 and nearly parallel edges; needles of height 1e-7 without regularisation 1e-14. Manifolds:
 *             rows 2e-13, gradients 3e-13. Float: points 3e-7, Jacobians 1.1e-4; manifold rows 1e-4, gradients 6e-5.
 *   Cost      ns on one Zen 4 core, gcc 12 -O3 (-O3 -march=native), `make bench`: two edges in a batch 57 (23), with
 *             gradients 119 (43), alone 196 (192), with the 9x12 Jacobian 364 (338); vertex and face in a batch 60
 *             (25), 120 (46); closest points 31 (25). Float batches: 27 (10), 46 (21); 28 (11), 53 (22). Manifold of
 *             two figures of 305 vertices and 18 superquadrics, 18 edges kept: 0.96 ms (0.32 ms), with `cull` 1e-14
 *             0.81 (0.29) deep in each other, 0.48 (0.18) where they touch, 0.016 (0.015) apart; jvp and vjp 1.4 to 1.5
 *             times the value; full Jacobian 1.9 (3.8); second derivatives of the mean distance times a direction 3.2
 *             (3.5); without edges 0.46 ms (0.20 ms); MuJoCo's 3 contacts of the lobes, taken as convex, 0.015 ms,
 *             without derivatives.
 *   Limits    A contact that is not active has a distance without meaning. Activity is soft: it does not prove that two
 *             bodies overlap; the depth of aligned faces is carried by the vertices. Two edges that cross the same edge
 *             share its activity (nn 1/2 each). On flat superquadrics the radial distance is too large (dc_sdf.h:
 *             taubin). Edge contacts need fields that are rounded at edges (superquadrics, polyhedra with smooth > 0):
 *             the edges of a DC_SDF_BOX lie on its kinks, where the normal jumps and with it the sign of d and n.
 *             Which field suits which shape: see dc_surface.
 *
 * CHAPTERS of the implementation; each begins with its mark in brackets
 *   [lanes]     smoothed steps
 *   [edges]     edge against edge
 *   [faces]     vertex against face
 *   [blocks]    one pair, and blocks of pairs
 *   [witness]   options and calls
 *   [closest]   without smoothing
 *   [select]    soft selection
 *   [bodies]    manifold: two bodies, what is kept of them, memory
 *   [fields]    manifold: fields at many points
 *   [values]    manifold: values
 *   [push]      manifold: derivative along a direction
 *   [pull]      manifold: the transpose
 *   [bend]      manifold: the transpose along a direction, second derivatives
 *   [manifold]  manifold: calls
 *   [scene]     pairs of bodies that can have active contacts
 *
 * REFERENCES
 *   [1] CONTAX    Beker, Geist, Paulus, Guertler, Ji Shi, Calinon, Martius: Smoothly differentiable and efficiently
 *                 vectorizable contact manifold generation.
 *   [2] SoftSort  Prillo, Eisenschlos: SoftSort: a continuous relaxation for the argsort operator. ICML 2020.
 *   Where [1] slips the corrected form is followed: costs of the sides, projection onto edges of any length, squared
 *   distances for vertex and face, the sign of the distance on b, normals from the gauge of a superquadric.
 *
 * CHANGES  see CHANGELOG.md. LICENCE at the end of this file. */
#ifndef DC_WITNESS_H_INCLUDED
#define DC_WITNESS_H_INCLUDED

#include "dc_sdf.h"

/* every function of the float build has a name of its own, as in dc_contact.h */
#if DC_IS_FLOAT
#define dc_ee_witness dc_ee_witness_f
#define dc_ee_closest dc_ee_closest_f
#define dc_vf_witness dc_vf_witness_f
#define dc_vf_closest dc_vf_closest_f
#define dc_ee_witness_batch dc_ee_witness_batch_f
#define dc_vf_witness_batch dc_vf_witness_batch_f
#define dc_softsort_topk dc_softsort_topk_f
#define dc_softsort_topk_jvp dc_softsort_topk_jvp_f
#define dc_softsort_topk_vjp dc_softsort_topk_vjp_f
#define dc_manifold_count dc_manifold_count_f
#define dc_manifold_bytes dc_manifold_bytes_f
#define dc_manifold dc_manifold_f
#define dc_manifold_pairs_bytes dc_manifold_pairs_bytes_f
#define dc_manifold_pairs dc_manifold_pairs_f
#define dc_manifold_jvp dc_manifold_jvp_f
#define dc_manifold_vjp dc_manifold_vjp_f
#define dc_manifold_jac dc_manifold_jac_f
#define dc_manifold_hvp dc_manifold_hvp_f
#define dc_manifold_mean dc_manifold_mean_f
#define dc_manifold_active dc_manifold_active_f
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- witness points ------------------------------------------------------------------------------ */

/* How much is smoothed. All relative to the reference length, so that a scene in millimetres is smoothed like the same
 * one in metres when the length says so: w_reg and eps_min are of L^2, what is clipped and compared are numbers without
 * unit. */
typedef struct {
    dc_real w_reg;      /* pulls towards the middle of edges and triangles: makes parallel pairs unique. 0: 0.01 */
    dc_real eps_clip;   /* width of the ends of an edge; 0: 0.1 */
    dc_real eps_min;    /* width of the choice between edges; 0: 0.1 */
    dc_real eps_comp;   /* width of the indicator; 0: 0.1 */
    dc_real length;     /* L; 0: 1 */
    int     listing;    /* 1: vertex against face as in the paper's listing, repaired: distances, not their squares,
                         * decide between edges, w_reg is not used. Has a kink where the vertex lies on an edge. */
} dc_witness_options;   /* each 0 or 1e-9 to 1e9; w_reg below 1e-6 costs digits: Jacobians grow as 1/w_reg */

typedef struct {
    dc_v3   a, b;       /* witness points a0 + alpha_a (a1 - a0), b0 + alpha_b (b1 - b0) */
    dc_real alpha[2];   /* may leave [0, 1] by 0.28 eps_comp */
    dc_real gamma;      /* 1 where both points are inside their edges, 0 where an end is met: do the edges cross? */
} dc_ee;

typedef struct {
    dc_v3   p;          /* witness point alpha_0 t_0 + alpha_1 t_1 + alpha_2 t_2 */
    dc_real alpha[3];   /* its weights, of sum 1; may leave [0, 1] as those of edges */
    dc_real bary[3];    /* those of the vertex's projection into the plane (regularised) */
    dc_real gamma;      /* 1 where the projection is inside */
} dc_vf;

/* Witness points of the edges a[0]a[1] and b[0]b[1]: the smooth analytical active set of CONTAX section IV-D2,
 *
 *     min over alpha of 1/2 |a(alpha_a) - b(alpha_b)|^2
 *                       + w_reg L^2/2 ((alpha_a - 1/2)^2 + (alpha_b - 1/2)^2)                       CONTAX Eq. 10
 *
 * without the box, gamma; on its four sides, the least of them by a soft argmin; mixed by gamma. Infinitely often
 * differentiable everywhere: edges may be parallel, crossing, identical or of length zero.
 * jac    9x12 by (a0, a1, b0, b1), rows a, b, alpha, gamma; NULL: not computed.
 * DC_E_ARG: a coordinate that is not finite or beyond DC_LIMIT, an option out of range, a NULL. DC_E_RANGE: a
 * derivative (coordinates over lengths) exceeds DC_LIMIT^2. Outputs untouched.
 * Error: points 5e-16 of the coordinates, Jacobians 1e-12 of the largest entry, for w_reg down to 1e-6. */
DC_DEF dc_status dc_ee_witness(const dc_witness_options *opt, const dc_v3 a[2], const dc_v3 b[2], dc_ee *out,
                               dc_real *jac);

/* Witness point of the vertex v on the triangle t, CONTAX Eq. 7-9 for one and three corners, in the same way (section
 * III-C of its supplement, corrected): the plane's point where gamma says so, else a soft argmin over the three edges.
 * w_reg L^2/2 sum (bary_i - 1/3)^2 makes flat triangles unique.
 * jac    10x12 by (v, t0, t1, t2), rows p, alpha, bary, gamma; NULL: not computed. Statuses as above. */
DC_DEF dc_status dc_vf_witness(const dc_witness_options *opt, dc_v3 v, const dc_v3 t[3], dc_vf *out, dc_real *jac);

/* The same for `count` pairs in rows, row r of pair i at [r*stride + i], stride >= count >= 0, solved DC_LANES side by
 * side. The same bits as the functions above, built without contraction.
 * x      12 rows: a0, a1, b0, b1; or v, t0, t1, t2
 * y      9 rows a, b, alpha, gamma; or 10 rows p, alpha, bary, gamma
 * jac    36 rows, or NULL: the gradients of alpha_a, alpha_b, gamma; or of alpha_1, alpha_2, gamma, each by the 12 of
 *        x. Those of the points follow: da = (1 - alpha_a) da0 + alpha_a da1 + (a1 - a0) dalpha_a.
 * Arrays do not overlap. DC_E_ARG, DC_E_RANGE: the first failure; the pairs that failed are untouched, the others
 * complete. */
DC_DEF dc_status dc_ee_witness_batch(const dc_witness_options *opt, int count, const dc_real *x, size_t stride,
                                     dc_real *y, dc_real *jac);
DC_DEF dc_status dc_vf_witness_batch(const dc_witness_options *opt, int count, const dc_real *x, size_t stride,
                                     dc_real *y, dc_real *jac);

/* The closest points of two edges, without smoothing; of many the ones nearest to alpha = (1/2, 1/2). gamma is 1 where
 * the lines' closest points are inside both edges, else 0. Jumps where edges become parallel. */
DC_DEF dc_status dc_ee_closest(const dc_v3 a[2], const dc_v3 b[2], dc_ee *out);

/* The closest point of the triangle, without smoothing: always unique. gamma is 1 where it is in the interior. For
 * triangles of no area bary = alpha. */
DC_DEF dc_status dc_vf_closest(dc_v3 v, const dc_v3 t[3], dc_vf *out);

/* ---- soft selection ------------------------------------------------------------------------------ */

/* The k largest of s[n], 1 <= k <= n, as weights (SoftSort [2]):
 *
 *     Gamma_ki = softmax_i( -|s_[k] - s_i|^power/tau ),   s_[1] >= s_[2] >= ... the sorted s
 *
 * top[k] receives the indices of s_[1..k] (of equal ones the first comes first), Gamma[k*n] rows of sum 1. power 1 or
 * 2, tau from 1/DC_LIMIT to DC_LIMIT. Where two entries change places the rows are continuous; their derivatives jump
 * by what the other entries weigh, e^(-gap^power/tau) for one that is a gap off (power 1: in the upper of their two
 * rows those above, in the lower those below). Elsewhere smooth.
 * DC_E_ARG: a number that is not finite or beyond DC_LIMIT, a count or option out of range, a NULL; outputs
 * untouched. */
DC_DEF dc_status dc_softsort_topk(int n, const dc_real *s, int k, int power, dc_real tau, int *top, dc_real *Gamma);

/* Its derivative, top held: dGamma[k*n] for a change ds[n]; and the transposed, s_bar[n] += (dGamma/ds)^T
 * Gamma_bar[k*n]. At a tie both are those of the side on which the order of top stays. Arguments as they came from the
 * call above; not checked. */
DC_DEF void dc_softsort_topk_jvp(int n, const dc_real *s, int k, int power, dc_real tau, const int *top,
                                 const dc_real *Gamma, const dc_real *ds, dc_real *dGamma);
DC_DEF void dc_softsort_topk_vjp(int n, const dc_real *s, int k, int power, dc_real tau, const int *top,
                                 const dc_real *Gamma, const dc_real *Gamma_bar, dc_real *s_bar);

/* ---- contact manifolds ----------------------------------------------------------------------------- */

/* One surface twice: a mesh for its vertices and edges (in any order; tri is not read and may be NULL), a field for
 * depth and normals. Vertices should lie on the field's zero set and edges inside it, as those of dc_sdf_mesh.
 * Borrowed.
 *
 * Round bodies: superquadrics and their unions, clouds. Boxes and other convex polyhedra: a DC_SDF_POLYHEDRON and a
 * margin r, 0.05 of half the width, say: its planes r outside the body's faces, smooth = r/5, and the mesh as far
 * inside. Contacts are then at the corners of the overlap of the meshes, push along the normal of the face and are as
 * deep as the bodies, which are round by r at their edges; d of edges is that of the meshes: take 2 r off. Up to
 * a depth of r, with w_reg 1e-4, eps_clip and eps_comp r/(5 L), eps_min 1e-3. A DC_SDF_BOX does for vertices alone
 * (no_ee), but for kinks where one passes over a rim.
 * Without the margin, vertices of equal boxes stand on each other's sides, whose fields are 0 there and push sideways.
 * A superquadric through the corners of a cube swells over its faces, by 0.06 of half the width at eps 0.1. */
typedef struct { const dc_mesh *mesh; const dc_sdf *sdf; } dc_surface;

/* One contact, in the world. Also its derivative along a direction, and what is given to dc_manifold_vjp. */
typedef struct {
    dc_v3   p;          /* on the body that the contact belongs to */
    dc_real d;          /* signed distance, negative where the other body is entered; without meaning where act is
                         * near 0 */
    dc_v3   n;          /* the push on that body: away from the other; a little shorter than 1, much shorter where d is
                         * near 0 */
    dc_real act;        /* 0 to 1: whether there is a contact */
} dc_manifold_contact;

/* Lengths are in units of witness.length, L: set it to the size of the bodies, the defaults suit bodies of size 1.
 * tau_* and eps_n are 0 or 1e-12 to 1e12; keep_* at most what the mesh has. */
typedef struct {
    dc_witness_options witness;
    int     keep_v_a, keep_v_b, keep_e_a, keep_e_b;  /* vertices and edges kept by a soft top-K; 0: all, as they are */
    int     power;          /* of the selection, 1 or 2; 0: 2 */
    dc_real tau_top;        /* of the selection, L^power; 0: 1e-4 */
    dc_real tau_pen;        /* width of "inside the other body"; 0: 0.01 */
    dc_real tau_sign;       /* width of the sign of an edge contact, a cosine; 0: 0.05 */
    dc_real tau_nn;         /* width of "nearest edge"; two that cross the same edge share its activity. 0: 0.02 */
    dc_real tau_cl;         /* width of "normals oppose", a cosine; 0: 0.1 */
    dc_real eps_n;          /* L^2, rounds the distance of two edges off at 0; 0: 1e-8 */
    dc_real tau_n;          /* of |g|^2 in n = g/sqrt(tau_n + |g|^2), g = grad phi or, of one radial superquadric alone,
                             * L grad F; 0: 1e-8 */
    int     no_ee;          /* 1: no edge contacts */
    int     no_vs_a, no_vs_b;  /* 1: no contacts of the vertices of a, of b */
    int     trace;          /* steps by which witness points of edges are moved onto their surface along its normal, at
                             * most 16 (CONTAX, supplement II-C); converges where the field's slope along its normal is
                             * below 2: not on flat radial superquadrics */
    int     inside;         /* 1: activity of edges also asks that a witness point is inside its own body (supplement
                             * II-B) */
    dc_real cull;           /* activities up to this number fade to 0, and what they need is left out: see dc_manifold.
                             * 1e-14, say; at most 0.1; 0: nothing is left out */
} dc_manifold_options;

/* The number of contacts, the same for every pose: of vertices of a (part[0]), of b, then for every pair of edges (k of
 * a, l of b, row k n_b + l) its contact on a, then those on b (part[3] = part[2]). part may be NULL. 0 for counts and
 * options that dc_manifold refuses, and when nothing is left to do. */
DC_DEF int dc_manifold_count(const dc_surface *a, const dc_surface *b, const dc_manifold_options *opt, int part[4]);

/* Bytes of arena that a call below takes; 0 on overflow or bad arguments. derivative: 0 for dc_manifold, 2 for
 * dc_manifold_hvp, 1 for the others. */
DC_DEF size_t dc_manifold_bytes(const dc_surface *a, const dc_surface *b, const dc_manifold_options *opt,
                                int derivative);

/* The contact manifold of two posed bodies (CONTAX sections IV-C and IV-D, with the corrections below). Poses map body
 * to world, |q.q - 1| <= 1e-3; NULL is the identity.
 *
 *   vertex x of a:   p = x,  d = phi_b(x),  n = n_b(x),  act = s(-d/tau_pen)                              act is ours
 *   edges k, l:      e_a, e_b, gamma the smooth witness points,
 *                    n_bar = (e_a - e_b)/sqrt(|e_a - e_b|^2 + eps_n),  d_bar = n_bar.(e_a - e_b)
 *     on a:          p = e_a,  g = tanh( n_b(e_b).n_bar/tau_sign),  d = g d_bar,  n =  g n_bar     CONTAX Eq. 11
 *     on b:          p = e_b,  g = tanh(-n_a(e_a).n_bar/tau_sign),  d = g d_bar,  n = -g n_bar
 *     act = gamma pen nn cl                                                                       CONTAX Eq. 16
 *           pen = s(-phi_other(p)/tau_pen)                                                        CONTAX Eq. 12
 *           nn = soft argmin of d_bar over the edges of the other body                            CONTAX Eq. 13, 14
 *           cl = s(-n_a(e_a).n_b(e_b)/tau_cl)                                                     CONTAX Eq. 15
 *
 * With `cull`, contacts that cannot be active are left out, smoothly: with reach = -tau_pen log cull, from which on
 * pen <= cull, and w(z) from 1 at reach to 0 at 9/8 reach, two continuous derivatives,
 *
 *   vertices:        d = phi up to reach, then bent to stay at 17/16 reach (dd/dphi = w), n = w(phi) n_b,
 *                    act = w(phi) s(-phi/tau_pen)
 *   edges:           d, n and act times w(phi_other(p)) w(-tau_pen log(gamma (nn_a + nn_b))),  nn_c those on body c
 *   selections:      depths of vertices, and means of those of edges' ends, are bent in the same way
 *
 * So no activity of given edges changes by more than cull. A selection takes edges for equal whose ends are all beyond
 * reach, though points between may be nearer by half their length e: with soft selections (keep) activities below
 * cull exp(e/(2 tau_pen)) may be those of other edges (150 pairs of figures, cull 1e-12: they change by 6e-9 at most).
 * Contacts that are left out have act 0 and n 0; bodies farther apart than 9/8 reach have no other (dc_manifold_pairs).
 * Fields are not evaluated at vertices and witness points that are farther off by dc_sdf_bound, nor for pairs of edges
 * whose weight is 0.
 * Where the balls about both meshes are, no field is asked at all, and of edges kept softly one pair stands for all.
 *
 * In all of these s is the logistic function and n_c the unit normal of the field (dc_sdf_out.dir) at tau_n. The
 * distance on b has the roles swapped throughout: CONTAX Eq. 11 as printed gives it the wrong sign.
 *
 * contacts   dc_manifold_count of them
 * DC_E_ARG: a field that dc_sdf_eval_batch refuses, a vertex or edge out of range, an option out of range, a NULL.
 * DC_E_RANGE: a number does not fit, or a point is beyond DC_LIMIT in the axes of a body. Outputs are untouched, as
 * with DC_E_MEMORY. */
DC_DEF dc_status dc_manifold(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b, const dc_pose *pose_b,
                             const dc_manifold_options *opt, dc_arena *mem, dc_manifold_contact *contacts);

/* Its derivative along the twists xi = (v_a, w_a, v_b, w_b) of the bodies about their origins: contacts (may be NULL)
 * and dcontacts. On a kink this function and the two below are of the same side, that of the values: at a tie of the
 * selection the one on which its order stays; where a field's normal jumps (its direction turns round within 32 DC_EPS
 * of the point's and the body's coordinates, as on the edges of a DC_SDF_BOX) the one on which it is at rest in the
 * body. */
DC_DEF dc_status dc_manifold_jvp(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b, const dc_pose *pose_b,
                                 const dc_manifold_options *opt, const dc_real xi[12], dc_arena *mem,
                                 dc_manifold_contact *contacts, dc_manifold_contact *dcontacts);

/* The transposed: grad (12, in the order of xi) by the twists of any function of the contacts whose derivative by them
 * is bar, numbers within DC_LIMIT. contacts may be NULL, or bar. To rounding, times how far the normal turns over the
 * size of the bodies. */
DC_DEF dc_status dc_manifold_vjp(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b, const dc_pose *pose_b,
                                 const dc_manifold_options *opt, const dc_manifold_contact *bar, dc_arena *mem,
                                 dc_manifold_contact *contacts, dc_real grad[12]);

/* All of it: 12 columns, column j of contact i at jac[j*count + i]. */
DC_DEF dc_status dc_manifold_jac(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b, const dc_pose *pose_b,
                                 const dc_manifold_options *opt, dc_arena *mem, dc_manifold_contact *contacts,
                                 dc_manifold_contact *jac);

/* Second derivatives: hvp = H xi, H those of any function f of the contacts by the twists, in exponential coordinates
 * at zero, symmetric. f's derivative by the contacts is bar, as above; dbar, numbers within DC_LIMIT, what its second
 * ones make of dcontacts of dc_manifold_jvp along xi, NULL for 0:
 *     mean of d (dc_manifold_mean):         its bar, dbar NULL
 *     sum act d (dc_manifold_active):       its bar, dbar.d = dact and dbar.act = dd
 * Derivative of the number returned, with and without `cull`; ties and kinks as above. grad, of f, may be NULL.
 * Normals ask for third derivatives of fields (dc_sdf_ddir_along): those of both bodies with edge contacts, that of the
 * other with vertices whose bar.n is not 0. There DC_E_ARG for superquadrics with `taubin`, and on their coordinate
 * planes those with exponents above 2/3 have none. DC_E_RANGE also where the result does not fit. */
DC_DEF dc_status dc_manifold_hvp(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b, const dc_pose *pose_b,
                                 const dc_manifold_options *opt, const dc_manifold_contact *bar,
                                 const dc_manifold_contact *dbar, const dc_real xi[12], dc_arena *mem, dc_real *grad,
                                 dc_real hvp[12]);

/* The pairs of n posed bodies that can have an active contact, for scenes: of the others, with these options, every
 * contact of dc_manifold has act 0 and n 0, at this pose and nearby, and no derivative of them by the poses is other
 * than 0. So sums over pairs of what activities weigh are as smooth as manifolds, though pairs come and go. A pair is
 * left out where the ball about the mesh of each is farther than 9/8 reach from the field of the other (dc_sdf_bound);
 * with cull 0, or trace, none is. O(n^2) balls and primitives.
 * pose     n, or NULL: all at the identity
 * pair     two indices a pair, the smaller first, in order; room for `most`
 * count    how many there are
 * DC_E_ARG: as dc_manifold, n above 2^15, most below 0. DC_E_RANGE: more pairs than `most`, pair holds the first of
 * them, count is right; or a body is beyond DC_LIMIT in the axes of another, nothing is written, as with
 * DC_E_MEMORY. */
DC_DEF size_t dc_manifold_pairs_bytes(int n);
DC_DEF dc_status dc_manifold_pairs(int n, const dc_surface *body, const dc_pose *pose, const dc_manifold_options *opt,
                                   dc_arena *mem, int most, int *pair, int *count);

/* Two numbers of a manifold and, where bar is not NULL, their derivative by the contacts, for dc_manifold_vjp and
 * dc_manifold_hvp: the mean of d over all contacts, as in the paper, which counts distances of contacts that are none;
 * and sum act d over those that are. */
DC_DEF dc_real dc_manifold_mean(int count, const dc_manifold_contact *contacts, dc_manifold_contact *bar);
DC_DEF dc_real dc_manifold_active(int count, const dc_manifold_contact *contacts, dc_manifold_contact *bar);

#ifdef __cplusplus
}
#endif
#endif /* DC_WITNESS_H_INCLUDED */

/* ============================================================================================== */
#ifdef DC_WITNESS_IMPLEMENTATION
#ifndef DC_WITNESS_IMPLEMENTED
#define DC_WITNESS_IMPLEMENTED

#define DC_CONTACT_KERNELS
#include "dc_contact.h"
#include "dc_sdf.h"

#if !defined(DC_CONTACT_IMPLEMENTED) || !defined(DC_SDF_IMPLEMENTED)
#error "dc_witness.h: first define DC_CONTACT_, DC_SDF_ and DC_WITNESS_IMPLEMENTATION (DC_..._IMPLEMENTED: elsewhere)"
#endif

#if DCI_FUSES
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* ---- [lanes] smoothed steps ----------------------------------------------------------------------------- */
/* stage            | reads           | writes                       | equation
 * dci_clip01       | x               | smooth clamp and slope       | clip_s
 * dci_within01     | x               | smooth indicator and slope   | within_s
 * dci_softsort_row | a sorted number | its row of weights           | softmax of -|at - s_i|^power/tau
 * dci_exp_row, ..  | numbers         | their exponentials, ..       | */

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
/* else gcc keeps ?: on floating point scalar; and puts independent chains one behind the other, half as fast */
#pragma GCC optimize("no-trapping-math", "schedule-insns", "sched-pressure")
#endif

typedef dc_real dci_wit_row[DC_LANES];

/* Options as the kernels need them, which work in units of L. */
typedef struct {
    dc_real reg;                    /* w_reg */
    dc_real clip, inv_clip;         /* eps_clip and its inverse */
    dc_real inv_min, inv_comp;      /* 1/eps_min, 1/eps_comp */
    dc_real exp_clip, exp_comp;     /* e^(-1/eps_clip), e^(-1/eps_comp) */
    dc_real top_clip;               /* 1 - exp_clip */
    dc_real inv_length;             /* 1/L */
} dci_wit;

/* Both ends of [0, 1] look alike, so that what is said of x holds for 1 - x: i = 1/2 - |x - 1/2| is how far inside the
 * nearer end x lies, nearer = e^-|i|/eps and farther = e^-(1-i)/eps = e e^i/eps are what the two ends weigh,
 * e = e^-1/eps. */
typedef struct { dc_real depth, nearer, farther; } dci_ends;

DCI_LANE dci_ends dci_ends_of(dc_real x, dc_real reps, dc_real e)
{
    dci_ends s;
    dc_real up, down;
    s.depth = DC_R(0.5) - dci_fabs(x - DC_R(0.5));
    up = dci_exp_both_lane(s.depth*reps, &down);
    s.nearer = up < down ? up : down;
    s.farther = e*up;
    return s;
}

/* (log((1+s)/(1-s)) - 2s)/(s z), z = s^2 <= 1/9; relative error in the log: 2^-58, float 2^-27 */
DCI_LANE dc_real dci_poly_ends(dc_real z)
{
#if DC_IS_FLOAT
    return DC_R(0.666664124) + z*(DC_R(0.400216997) + z*(DC_R(0.279991418) + z*DC_R(0.280244589)));
#else
    dc_real z2 = z*z, z4 = z2*z2;                       /* Estrin: a shorter chain than Horner's */
    dc_real a = DC_R(0.66666666666666308) + z*DC_R(0.40000000000157232);
    dc_real b = DC_R(0.28571428547854838) + z*DC_R(0.22222223969671784);
    dc_real c = DC_R(0.18181743927017341) + z*DC_R(0.15386559879081874);
    dc_real d = DC_R(0.13300974148938843) + z*DC_R(0.12106081960994983);
    dc_real e = DC_R(0.083401194422156572) + z*DC_R(0.17018543746723824);
    return (a + z2*b) + z4*((c + z2*d) + z4*e);
#endif
}

/* smooth clamp to [0, 1], clip_s(x, 0, 1, eps), and its derivative s(x/eps) - s((x-1)/eps):
 *     max(i, 0) + eps log((1 + near)/(1 + far)) from the nearer end,   log(..) = 2 atanh s, 0 <= s <= 1/3 */
DCI_LANE dc_real dci_clip01(const dci_wit *o, dc_real x, dc_real *d)
{
    dci_ends n = dci_ends_of(x, o->inv_clip, o->exp_clip);
    dc_real s = (n.nearer - n.farther)/(2 + (n.nearer + n.farther)), z = s*s, in = n.depth > 0 ? n.depth : DC_R(0.0);
    in += o->clip*s*(2 + z*dci_poly_ends(z));
    *d = (n.depth > 0 ? o->top_clip : o->top_clip*n.nearer)/((1 + n.nearer)*(1 + n.farther));
    return x < DC_R(0.5) ? in : 1 - in;
}

/* within_s(x, 0, 1, eps) = s(u) s(-v), u = x/eps, v = (x-1)/eps, as value/den; its derivative over itself,
 * (s(-u) - s(v))/eps, as slope/den; 1 <= den <= 4 */
typedef struct { dc_real value, slope, den; } dci_within;

DCI_LANE dci_within dci_within01(const dci_wit *o, dc_real x)
{
    dci_ends n = dci_ends_of(x, o->inv_comp, o->exp_comp);
    dci_within r;
    dc_real N = 1 + n.nearer, F = 1 + n.farther;
    r.value = n.depth > 0 ? DC_R(1.0) : n.nearer;
    r.slope = o->inv_comp*((n.depth > 0 ? n.nearer : DC_R(1.0))*F - n.farther*N);
    r.slope = x < DC_R(0.5) ? r.slope : -r.slope;
    r.den = N*F;
    return r;
}

DCI_LANE dc_real dci_lane_min(dc_real a, dc_real b) { return a < b ? a : b; }
DCI_LANE dc_real dci_lane_dot(dc_v3 a, dc_v3 b) { return a.x*b.x + a.y*b.y + a.z*b.z; }
DCI_LANE dc_v3 dci_lane_cross(dc_v3 a, dc_v3 b)
{
    dc_v3 r;
    r.x = a.y*b.z - a.z*b.y;
    r.y = a.z*b.x - a.x*b.z;
    r.z = a.x*b.y - a.y*b.x;
    return r;
}
DCI_LANE dc_v3 dci_lane_scale(dc_real s, dc_v3 p)
{
    p.x *= s;
    p.y *= s;
    p.z *= s;
    return p;
}
/* s (p - q) */
DCI_LANE dc_v3 dci_lane_sub(dc_real s, dc_v3 p, dc_v3 q)
{
    dc_v3 r;
    r.x = s*(p.x - q.x);
    r.y = s*(p.y - q.y);
    r.z = s*(p.z - q.z);
    return r;
}

/* e^(-|at - s_i|^power/tau) over their sum, which is at least 1: s_i = at is among them */
static DCI_NOINLINE void dci_softsort_row(int n, const dc_real *s, dc_real at, int power, dc_real rtau, dc_real *w)
{
    dc_real sum = 0;
    int i;
    if (power == 2)
        for (i = 0; i < n; ++i) w[i] = dci_exp_neg_lane(-(at - s[i])*(at - s[i])*rtau);
    else
        for (i = 0; i < n; ++i) w[i] = dci_exp_neg_lane(-dci_fabs(at - s[i])*rtau);
    for (i = 0; i < n; ++i) sum += w[i];
    sum = 1/sum;
    for (i = 0; i < n; ++i) w[i] *= sum;
}

/* of n numbers, in place */
static DCI_NOINLINE void dci_exp_row(int n, dc_real *x)
{
    int i;
    for (i = 0; i < n; ++i) x[i] = dci_exp_lane(x[i]);
}

static DCI_NOINLINE void dci_sigmoid_row(int n, dc_real *x)
{
    int i;
    for (i = 0; i < n; ++i) x[i] = dci_sigmoid_lane(x[i]);
}

static DCI_NOINLINE void dci_tanh_row(int n, dc_real *x)
{
    int i;
    for (i = 0; i < n; ++i) x[i] = dci_tanh_lane(x[i]);
}

/* ---- [edges] edge against edge ---------------------------------------------------------------------------- */
/* stage        | reads                   | writes                                     | equation
 * dci_ee_lane  | A, r                    | alpha, gamma, derivatives by Q and c       | CONTAX Eq. 10
 * dci_ee_chain | these, one coordinate   | gradient by that coordinate of four points | chain rule */

/* Derivatives by Q = A^T A + w I = (Q1 Q2; Q2 Q3), q11, q12 and q22, and by c = A^T r - w/2 (1,1),
 * A = (a1 - a0, b0 - b1), r = a0 - b0, everything in units of L. Named members: gcc does not vectorise over arrays. */
typedef struct { dc_real q11, q12, q22, lin1, lin2; } dci_ee_d;
/* coordinates along both edges, indicator, and their derivatives */
typedef struct { dc_real alpha1, alpha2, gamma; dci_ee_d dalpha1, dalpha2, dgamma; } dci_ee;

/* dv for a coordinate v = sum p_i x_i of the mean of the four sides' points: b_i = -p_i (x_i - v)/eps_min times dJ_i,
 * plus what the moving coordinates of the points give, T1, T0, S1, S0 times -1/Q3, -1/Q1 the derivative of zt, zs */
DCI_LANE dci_ee_d dci_ee_sides(dc_real t1, dc_real t0, dc_real s1, dc_real s0, dc_real zt1, dc_real zt0, dc_real zs1,
                               dc_real zs0, dc_real b1, dc_real b0, dc_real b3, dc_real b4, dc_real T1, dc_real T0,
                               dc_real S1, dc_real S0)
{
    dci_ee_d d;
    dc_real h = DC_R(0.5);
    d.q11 = h*(b1 + b3*s1*s1 + b4*s0*s0) + S1*zs1 + S0*zs0;
    d.q12 = b1*t1 + b3*s1 + T1 + S1;
    d.q22 = h*(b1*t1*t1 + b0*t0*t0 + b3) + T1*zt1 + T0*zt0;
    d.lin1 = b1 + b3*s1 + b4*s0 + S1 + S0;
    d.lin2 = b1*t1 + b0*t0 + b3 + T1 + T0;
    return d;
}

/* x du + y dv, member by member */
DCI_LANE dci_ee_d dci_ee_mix(dc_real x, dci_ee_d u, dc_real y, dci_ee_d v)
{
    dci_ee_d d;
    d.q11 = x*u.q11 + y*v.q11;
    d.q12 = x*u.q12 + y*v.q12;
    d.q22 = x*u.q22 + y*v.q22;
    d.lin1 = x*u.lin1 + y*v.lin1;
    d.lin2 = x*u.lin2 + y*v.lin2;
    return d;
}

/* The active set of CONTAX Eq. 10: alpha minimises J = 1/2 x^T Q x + c^T x over the unit square. `derive` is a constant
 * where it counts. */
DCI_LANE void dci_ee_lane(const dci_wit *o, dc_v3 A1, dc_v3 A2, dc_v3 r, int derive, dci_ee *out)
{
    dc_real w = o->reg, h = DC_R(0.5);
    dc_real q1 = dci_lane_dot(A1, A1), q2 = dci_lane_dot(A1, A2), q3 = dci_lane_dot(A2, A2);
    dc_real k1 = dci_lane_dot(A1, r), k2 = dci_lane_dot(A2, r);
    dc_real Q1 = q1 + w, Q2 = q2, Q3 = q3 + w, c1 = k1 - h*w, c2 = k2 - h*w;
    dc_v3   N = dci_lane_cross(A1, A2), M1 = dci_lane_cross(A1, r), M2 = dci_lane_cross(A2, r);

    /* without the box: x = -Q^-1 c. |A1 x A2|^2 = q1 q3 - q2^2, (A2 x r).(A1 x A2) = q2 k2 - q3 k1 and so on keep the
     * digits of nearly parallel edges; the determinant is at least w^2 > 0 */
    dc_real det = dci_lane_dot(N, N) + w*(q1 + q3 + w), rd = 1/det;
    dc_real u1 = (dci_lane_dot(M2, N) + w*(h*(q3 - q2 + w) - k1))*rd;
    dc_real u2 = (w*(h*(q1 - q2 + w) - k2) - dci_lane_dot(M1, N))*rd;

    /* the least point of each side: (1, t1), (0, t0), (s1, 1), (s0, 0); Q1, Q3 >= w > 0 */
    dc_real r1 = 1/Q1, r3 = 1/Q3;
    dc_real zt1 = -(Q2 + c2)*r3, zt0 = -c2*r3, zs1 = -(Q2 + c1)*r1, zs0 = -c1*r1;
    dc_real dt1, dt0, ds1, ds0;
    dc_real t1 = dci_clip01(o, zt1, &dt1), t0 = dci_clip01(o, zt0, &dt0);
    dc_real s1 = dci_clip01(o, zs1, &ds1), s0 = dci_clip01(o, zs0, &ds0);
    dc_real J1 = h*Q1 + c1 + t1*(Q2 + c2 + h*Q3*t1), J0 = t0*(c2 + h*Q3*t0);
    dc_real J3 = h*Q3 + c2 + s1*(Q2 + c1 + h*Q1*s1), J4 = s0*(c1 + h*Q1*s0);

    /* soft argmin of the four, x_c = sum p_i (point i): of each two the dearer one weighs e^-difference */
    dc_real Ja = dci_lane_min(J1, J0), Jb = dci_lane_min(J3, J4);
    dc_real wa = dci_exp_neg_lane(-dci_fabs(J1 - J0)*o->inv_min), wb = dci_exp_neg_lane(-dci_fabs(J3 - J4)*o->inv_min);
    dc_real wc = dci_exp_neg_lane(-dci_fabs(Ja - Jb)*o->inv_min);
    dc_real pa = Ja < Jb ? DC_R(1.0) : wc, pb = Ja < Jb ? wc : DC_R(1.0), rp = 1/(pa*(1 + wa) + pb*(1 + wb));
    dc_real p1, p0, p3, p4, v1, v2, gamma, e1, e2, rg;
    dci_within g1, g2;

    /* the weights, and the mean */
    pa *= rp;
    pb *= rp;
    wa *= pa;
    wb *= pb;
    p1 = J1 < J0 ? pa : wa;
    p0 = J1 < J0 ? wa : pa;
    p3 = J3 < J4 ? pb : wb;
    p4 = J3 < J4 ? wb : pb;
    v1 = p1 + p3*s1 + p4*s0;
    v2 = p3 + p1*t1 + p0*t0;

    /* mixed by the indicator */
    g1 = dci_within01(o, u1);
    g2 = dci_within01(o, u2);
    rg = 1/(g1.den*g2.den);
    gamma = g1.value*g2.value*rg;
    e1 = u1 - v1;
    e2 = u2 - v2;
    out->alpha1 = v1 + gamma*e1;
    out->alpha2 = v2 + gamma*e2;
    out->gamma = gamma;

    if (derive) {
        /* du = -Q^-1 (dQ u + dc), I = Q^-1; dgamma = gamma (g1 du1 + g2 du2) */
        dc_real i11 = -Q3*rd, i12 = Q2*rd, i22 = -Q1*rd;
        dci_ee_d du1, du2, dv1, dv2;

        /* dv = sum p_i dpoint_i - 1/eps sum p_i (point_i - v) dJ_i, and dJ_i/dt_i = Q3 (t_i - zt_i) */
        dc_real f1 = -p1*o->inv_min, f0 = -p0*o->inv_min, f3 = -p3*o->inv_min, f4 = -p4*o->inv_min;
        dc_real T1 = -dt1*r3, T0 = -dt0*r3, S1 = -ds1*r1, S0 = -ds0*r1;
        dc_real J1t = Q3*(t1 - zt1)*T1, J0t = Q3*(t0 - zt0)*T0, J3s = Q1*(s1 - zs1)*S1, J4s = Q1*(s0 - zs0)*S0;
        dc_real b1, b0, b3, b4;
        du1.q11 = i11*u1;              du2.q11 = i12*u1;
        du1.q12 = i11*u2 + i12*u1;     du2.q12 = i12*u2 + i22*u1;
        du1.q22 = i12*u2;              du2.q22 = i22*u2;
        du1.lin1 = i11;                du2.lin1 = i12;
        du1.lin2 = i12;                du2.lin2 = i22;

        /* point_i - v as sum p_j (point_i - point_j): 0 where one has all the weight, whatever it is multiplied with */
        b1 = f1*(p0 + p3*(1 - s1) + p4*(1 - s0));
        b0 = -f0*v1;
        b3 = f3*(p1*(s1 - 1) + p0*s1 + p4*(s1 - s0));
        b4 = f4*(p1*(s0 - 1) + p0*s0 + p3*(s0 - s1));
        dv1 = dci_ee_sides(t1, t0, s1, s0, zt1, zt0, zs1, zs0, b1, b0, b3, b4, b1*J1t, b0*J0t, b3*J3s + p3*S1,
                           b4*J4s + p4*S0);

        /* the same of the second coordinate */
        b1 = f1*(p3*(t1 - 1) + p0*(t1 - t0) + p4*t1);
        b0 = f0*(p3*(t0 - 1) + p1*(t0 - t1) + p4*t0);
        b3 = f3*(p4 + p1*(1 - t1) + p0*(1 - t0));
        b4 = -f4*v2;
        dv2 = dci_ee_sides(t1, t0, s1, s0, zt1, zt0, zs1, zs0, b1, b0, b3, b4, b1*J1t + p1*T1, b0*J0t + p0*T0,
                           b3*J3s, b4*J4s);

        /* mixed */
        out->dgamma = dci_ee_mix(gamma*g1.slope*g2.den*rg, du1, gamma*g2.slope*g1.den*rg, du2);
        out->dalpha1 = dci_ee_mix(1, dci_ee_mix(gamma, du1, 1 - gamma, dv1), e1, out->dgamma);
        out->dalpha2 = dci_ee_mix(1, dci_ee_mix(gamma, du2, 1 - gamma, dv2), e2, out->dgamma);
    }
}

/* Gradient of a result by (a0, a1, b0, b1) from d, its derivatives by Q and c, one coordinate of the points at a time:
 *     dQ1 = 2 A1.dA1, dQ2 = A1.dA2 + A2.dA1, dQ3 = 2 A2.dA2, dc1 = A1.dr + r.dA1, dc2 = A2.dr + r.dA2 */
typedef struct { dc_real at0, at1, at2, at3; } dci_wit_four;

DCI_LANE dci_wit_four dci_ee_chain(dc_real rl, dci_wit_four p, const dci_ee_d *d)
{
    dc_real A1 = rl*(p.at1 - p.at0), A2 = rl*(p.at2 - p.at3), r = rl*(p.at0 - p.at2);
    dc_real G1 = rl*(2*d->q11*A1 + d->q12*A2 + d->lin1*r), G2 = rl*(d->q12*A1 + 2*d->q22*A2 + d->lin2*r);
    dc_real Gr = rl*(d->lin1*A1 + d->lin2*A2);
    dci_wit_four g;
    g.at0 = Gr - G1;
    g.at1 = G1;
    g.at2 = G2 - Gr;
    g.at3 = -G2;
    return g;
}

/* ---- [faces] vertex against face -------------------------------------------------------------------------- */
/* stage        | reads                   | writes                                     | equation
 * dci_vf_lane  | a, b, s                 | alpha, bary, gamma, derivatives by a.a ..  | CONTAX Eq. 7-9
 * dci_vf_chain | these, one coordinate   | gradient by that coordinate of four points | chain rule */

/* Derivatives by the products a.a, a.b, .. of a = t1 - t0, b = t2 - t0, s = v - t0 */
typedef struct { dc_real a_a, a_b, b_b, s_a, s_b, s_s; } dci_vf_d;
/* weights of t1 and t2, barycentric coordinates of the projection, indicator */
typedef struct {
    dc_real  alpha1, alpha2, bary1, bary2, gamma;
    dci_vf_d dalpha1, dalpha2, dbary1, dbary2, dgamma;
} dci_vf;

DCI_LANE dci_vf_d dci_vf_mix(dc_real x, dci_vf_d u, dc_real y, dci_vf_d v)
{
    dci_vf_d d;
    d.a_a = x*u.a_a + y*v.a_a;
    d.a_b = x*u.a_b + y*v.a_b;
    d.b_b = x*u.b_b + y*v.b_b;
    d.s_a = x*u.s_a + y*v.s_a;
    d.s_b = x*u.s_b + y*v.s_b;
    d.s_s = x*u.s_s + y*v.s_s;
    return d;
}

/* derivative of a mean of the points of the edges: k_e times the cost's explicit derivative at t_e, plus m_e times that
 * of z_e */
DCI_LANE dci_vf_d dci_vf_edges(dc_real t0, dc_real t1, dc_real t2, dc_real z0, dc_real z1, dc_real z2, dc_real k0,
                               dc_real k1, dc_real k2, dc_real m0, dc_real m1, dc_real m2)
{
    dci_vf_d d;
    dc_real h = DC_R(0.5), u1 = 1 - t1;
    d.a_a = h*(k0*t0*t0 + k1*u1*u1) - m0*z0 + m1*(1 - z1);
    d.a_b = k1*t1*u1 + m1*(2*z1 - 1);
    d.b_b = h*(k1*t1*t1 + k2*t2*t2) - m1*z1 - m2*z2;
    d.s_a = -k0*t0 - k1*u1 + m0 - m1;
    d.s_b = -k1*t1 - k2*t2 + m1 + m2;
    d.s_s = h*(k0 + k1 + k2);
    return d;
}

/* 1/2 (|p|^2 + w sum (bary - 1/3)^2) at a point p away from an edge's point t, or |p| */
DCI_LANE dc_real dci_vf_cost(const dci_wit *o, int listing, dc_v3 p, dc_real t)
{
    dc_real p2 = dci_lane_dot(p, p), x = t - DC_R(1.0/3.0), y = DC_R(2.0/3.0) - t;
    return listing ? dci_sqrt_lane(p2) : DC_R(0.5)*(p2 + o->reg*(x*x + y*y + DC_R(1.0/9.0)));
}

/* The active set of CONTAX Eq. 7-9 for a vertex and a triangle, of weights
 * (1 - alpha1 - alpha2, alpha1, alpha2). */
DCI_LANE void dci_vf_lane(const dci_wit *o, int listing, dc_v3 a, dc_v3 b, dc_v3 s, int derive, dci_vf *out)
{
    dc_real w = listing ? DC_R(0.0) : o->reg;
    dc_real aa = dci_lane_dot(a, a), ab = dci_lane_dot(a, b), bb = dci_lane_dot(b, b);
    dc_real sa = dci_lane_dot(s, a), sb = dci_lane_dot(s, b);
    dc_v3   N = dci_lane_cross(a, b), Sb = dci_lane_cross(s, b), aS = dci_lane_cross(a, s);

    /* without the sides: (G + w (2 1; 1 2)) y = (sa, sb) + w (1, 1). |a x b|^2 = aa bb - ab^2, (a x b).(s x b) =
     * bb sa - ab sb and so on keep the digits of needles. Without w, triangles of no area get y = 0. */
    dc_real nn = dci_lane_dot(N, N), det = nn + w*(2*(aa - ab + bb) + 3*w);
    dc_real flat = 256*DC_EPS*DC_EPS*aa*bb + DC_REAL_MIN;
    dc_real rd = det > flat ? 1/det : DC_R(0.0);
    dc_real y1 = (dci_lane_dot(N, Sb) + w*(bb - ab + 2*sa - sb + w))*rd;
    dc_real y2 = (dci_lane_dot(N, aS) + w*(aa - ab + 2*sb - sa + w))*rd;

    /* the nearest points of the edges t0 t1, t1 t2, t0 t2; without w those of no length have t = 0 */
    dc_v3   c = dci_lane_sub(1, b, a), f = dci_lane_sub(1, s, a), q0, q1, q2;
    dc_real l0 = aa + 2*w, l1 = dci_lane_dot(c, c) + 2*w, l2 = bb + 2*w;
    dc_real r0 = l0 > DC_REAL_MIN ? 1/l0 : DC_R(0.0), r1 = l1 > DC_REAL_MIN ? 1/l1 : DC_R(0.0);
    dc_real r2 = l2 > DC_REAL_MIN ? 1/l2 : DC_R(0.0);
    dc_real z0 = (sa + w)*r0, z1 = (dci_lane_dot(c, f) + w)*r1, z2 = (sb + w)*r2, dt0, dt1, dt2;
    dc_real t0 = dci_clip01(o, z0, &dt0), t1 = dci_clip01(o, z1, &dt1), t2 = dci_clip01(o, z2, &dt2);
    dc_real C0, C1, C2, C, wa, wb, pa, p0, p1, p2, rp, v1, v2, gamma, rg, y0 = 1 - y1 - y2;
    dci_within g0, g1, g2;
    q0 = dci_lane_sub(1, s, dci_lane_scale(t0, a));
    q1 = dci_lane_sub(1, f, dci_lane_scale(t1, c));
    q2 = dci_lane_sub(1, s, dci_lane_scale(t2, b));

    /* soft argmin of the three */
    C0 = dci_vf_cost(o, listing, q0, t0);
    C1 = dci_vf_cost(o, listing, q1, t1);
    C2 = dci_vf_cost(o, listing, q2, t2);
    C = dci_lane_min(C0, C1);
    wa = dci_exp_neg_lane(-dci_fabs(C0 - C1)*o->inv_min);
    wb = dci_exp_neg_lane(-dci_fabs(C - C2)*o->inv_min);
    pa = C < C2 ? DC_R(1.0) : wb;
    p2 = C < C2 ? wb : DC_R(1.0);
    rp = 1/(pa*(1 + wa) + p2);

    /* the weights, and the mean */
    pa *= rp;
    p2 *= rp;
    wa *= pa;
    p0 = C0 < C1 ? pa : wa;
    p1 = C0 < C1 ? wa : pa;
    v1 = p0*t0 + p1*(1 - t1);
    v2 = p1*t1 + p2*t2;

    /* mixed by the indicator */
    g0 = dci_within01(o, y0);
    g1 = dci_within01(o, y1);
    g2 = dci_within01(o, y2);
    rg = 1/(g0.den*g1.den*g2.den);
    gamma = g0.value*g1.value*g2.value*rg;
    out->alpha1 = v1 + gamma*(y1 - v1);
    out->alpha2 = v2 + gamma*(y2 - v2);
    out->bary1 = y1;
    out->bary2 = y2;
    out->gamma = gamma;

    if (derive) {
        /* dy = (G + w..)^-1 (d(sa, sb) - dG y) */
        dc_real i11 = (bb + 2*w)*rd, i12 = -(ab + w)*rd, i22 = (aa + 2*w)*rd;
        dci_vf_d d1, d2, e1, e2, dg;

        /* dC_e/dt_e = l_e (t_e - z_e); without squares C = sqrt(2 (C^2/2)) */
        dc_real k0 = -p0*o->inv_min, k1 = -p1*o->inv_min, k2 = -p2*o->inv_min;
        dc_real m0 = dt0*r0, m1 = dt1*r1, m2 = dt2*r2, b0, b1, b2, d0;
        if (listing) {
            /* on an edge |v - q| has a kink: 0 is one of its derivatives */
            k0 = C0 > DC_REAL_MIN ? k0/C0 : DC_R(0.0);
            k1 = C1 > DC_REAL_MIN ? k1/C1 : DC_R(0.0);
            k2 = C2 > DC_REAL_MIN ? k2/C2 : DC_R(0.0);
        }

        e1.a_a = -i11*y1;             e2.a_a = -i12*y1;
        e1.a_b = -i11*y2 - i12*y1;    e2.a_b = -i12*y2 - i22*y1;
        e1.b_b = -i12*y2;             e2.b_b = -i22*y2;
        e1.s_a = i11;                 e2.s_a = i12;
        e1.s_b = i12;                 e2.s_b = i22;
        e1.s_s = e2.s_s = 0;

        /* point_e - v as sum p_f (point_e - point_f): 0 where one has all the weight, whatever it is multiplied with */
        b0 = k0*(p1*(t0 - (1 - t1)) + p2*t0);
        b1 = k1*(p0*((1 - t1) - t0) + p2*(1 - t1));
        b2 = -k2*v1;
        d1 = dci_vf_edges(t0, t1, t2, z0, z1, z2, b0, b1, b2, m0*(p0 + b0*l0*(t0 - z0)), m1*(b1*l1*(t1 - z1) - p1),
                          m2*b2*l2*(t2 - z2));

        /* the same of the second weight */
        b0 = -k0*v2;
        b1 = k1*(p0*t1 + p2*(t1 - t2));
        b2 = k2*(p0*t2 + p1*(t2 - t1));
        d2 = dci_vf_edges(t0, t1, t2, z0, z1, z2, b0, b1, b2, m0*b0*l0*(t0 - z0), m1*(p1 + b1*l1*(t1 - z1)),
                          m2*(p2 + b2*l2*(t2 - z2)));

        /* mixed */
        d0 = g0.slope*g1.den*g2.den;
        dg = dci_vf_mix(gamma*rg*(g1.slope*g0.den*g2.den - d0), e1, gamma*rg*(g2.slope*g0.den*g1.den - d0), e2);
        out->dbary1 = e1;
        out->dbary2 = e2;
        out->dgamma = dg;
        out->dalpha1 = dci_vf_mix(1, dci_vf_mix(gamma, e1, 1 - gamma, d1), y1 - v1, dg);
        out->dalpha2 = dci_vf_mix(1, dci_vf_mix(gamma, e2, 1 - gamma, d2), y2 - v2, dg);
    }
}

/* Gradient of a result by (v, t0, t1, t2) from d, its derivatives by the products, one coordinate at a time */
DCI_LANE dci_wit_four dci_vf_chain(dc_real rl, dci_wit_four p, const dci_vf_d *d)
{
    dc_real a = rl*(p.at2 - p.at1), b = rl*(p.at3 - p.at1), s = rl*(p.at0 - p.at1);
    dci_wit_four g;
    g.at0 = rl*(d->s_a*a + d->s_b*b + 2*d->s_s*s);
    g.at2 = rl*(2*d->a_a*a + d->a_b*b + d->s_a*s);
    g.at3 = rl*(d->a_b*a + 2*d->b_b*b + d->s_b*s);
    g.at1 = -(g.at2 + g.at3 + g.at0);
    return g;
}

/* ---- [blocks] one pair, and blocks of pairs --------------------------------------------------------------- */
/* stage                         | reads                 | writes                                   | equation
 * dci_wit_begin                 | rows of the input     | where a block's rows are                 |
 * dci_ee_value, dci_vf_value    | a block's input       | result, good                             | [edges], [faces]
 * dci_ee_derive, dci_vf_derive  | a block's input       | result, slope, good                      | [edges], [faces]
 * dci_wit_check                 | good                  | good, once more with care; the status    |
 * dci_ee_points, dci_vf_points  | result                | rows of the output                       | a = a0 + alpha A1
 * dci_ee_rows, dci_vf_rows      | slope                 | rows of the Jacobian                     | chain rule */

/* One of the lanes, out of line; derivatives are not touched when derive is 0. */
static DCI_NOINLINE void dci_ee_one(const dci_wit *o, dc_v3 A1, dc_v3 A2, dc_v3 r, int derive, dci_ee *out)
{
    dci_ee_lane(o, A1, A2, r, derive, out);
}
static DCI_NOINLINE void dci_vf_one(const dci_wit *o, int listing, dc_v3 a, dc_v3 b, dc_v3 s, int derive, dci_vf *out)
{
    dci_vf_lane(o, listing, a, b, s, derive, out);
}

/* A block of pairs. Stays on the stack: 2.3 KB */
typedef struct {
    dci_wit_row result[5], slope[18];       /* alpha and gamma, or alpha, bary and gamma; their derivatives */
    dci_wit_row good;                       /* 1 for pairs that are in range, else 0 */
    dci_wit_row pad[12];                    /* the input of a block that is not full, its last pair repeated */
    const dc_real *input;                   /* rows from here on */
    size_t input_stride, output_stride;
    int pairs;
} dci_wit_block;

static void dci_wit_begin(dci_wit_block *B, const dc_real *x, size_t stride, int i, int count)
{
    int r, l, n = count - i < DC_LANES ? count - i : DC_LANES;
    B->pairs = n;
    B->input = x + i;
    B->input_stride = B->output_stride = stride;
    if (n == DC_LANES) return;

    /* the last pair once more in the lanes that are left */
    for (r = 0; r < 12; ++r)
        for (l = 0; l < DC_LANES; ++l) B->pad[r][l] = B->input[(size_t)r*stride + (size_t)(l < n ? l : n - 1)];
    B->input = B->pad[0];
    B->input_stride = DC_LANES;
}

/* s (point p - point q) of the pair whose first coordinate is at x, rows of n */
DCI_LANE dc_v3 dci_wit_sub(dc_real s, const dc_real *x, size_t n, size_t p, size_t q)
{
    dc_v3 d;
    d.x = s*(x[3*p*n] - x[3*q*n]);
    d.y = s*(x[(3*p + 1)*n] - x[(3*q + 1)*n]);
    d.z = s*(x[(3*p + 2)*n] - x[(3*q + 2)*n]);
    return d;
}

/* 1 where squared coordinates add up to DC_LIMIT^2 at most, so that each is in range, and results to the same, which
 * bounds what is made of them */
DCI_LANE dc_real dci_wit_in(const dc_real *x, size_t n, dc_real results)
{
    dc_real sum = 0, in = results <= DC_LIMIT*DC_LIMIT ? DC_R(1.0) : DC_R(0.0);
    size_t r;
    for (r = 0; r < 12; ++r) sum += x[r*n]*x[r*n];
    return sum <= DC_LIMIT*DC_LIMIT ? in : DC_R(0.0);
}

/* Pairs that seem out of range are looked at again, coordinate by coordinate; the first failure. */
static DCI_NOINLINE dc_status dci_wit_again(dci_wit_block *B, int n_y, int n_d)
{
    dc_status status = DC_OK;
    int r, l;
    for (l = 0; l < B->pairs; ++l) {
        dc_real sum = 0, ok = 1;
        for (r = 0; r < 12; ++r)
            if (!(dci_fabs(B->input[(size_t)r*B->input_stride + (size_t)l]) <= DC_LIMIT)) ok = 0;

        /* results that are not finite are beyond it too */
        for (r = 0; r < n_y; ++r) sum += dci_fabs(B->result[r][l]);
        for (r = 0; r < n_d; ++r) sum += dci_fabs(B->slope[r][l]);
        B->good[l] = sum <= DC_LIMIT*DC_LIMIT ? ok : DC_R(0.0);
        if (!(B->good[l] > 0) && status == DC_OK) status = ok > 0 ? DC_E_RANGE : DC_E_ARG;
    }
    return status;
}

static dc_status dci_wit_check(dci_wit_block *B, int n_y, int n_d)
{
    dc_real all = 1;
    int l;
    for (l = 0; l < DC_LANES; ++l) all *= B->good[l];
    return all > 0 ? DC_OK : dci_wit_again(B, n_y, n_d);
}

/* Stores a row; with a status only the pairs that are good. */
DCI_LANE void dci_wit_put(const dci_wit_block *B, dc_status status, const dc_real *row, dc_real *to, int r)
{
    int l;
    to += (size_t)r*B->output_stride;
    if (B->pairs == DC_LANES && status == DC_OK) memcpy(to, row, sizeof(dci_wit_row));
    else
        for (l = 0; l < B->pairs; ++l)
            if (B->good[l] > 0) to[l] = row[l];
}

/* sums of absolute values */
DCI_LANE dc_real dci_ee_size(const dci_ee_d *d)
{
    return dci_fabs(d->q11) + dci_fabs(d->q12) + dci_fabs(d->q22) + dci_fabs(d->lin1) + dci_fabs(d->lin2);
}
DCI_LANE dc_real dci_vf_size(const dci_vf_d *d)
{
    return dci_fabs(d->a_a) + dci_fabs(d->a_b) + dci_fabs(d->b_b) + dci_fabs(d->s_a) + dci_fabs(d->s_b)
         + dci_fabs(d->s_s);
}

DCI_LANE void dci_ee_put(const dci_ee_d *e, dci_wit_row *d, int l)
{
    d[0][l] = e->q11;
    d[1][l] = e->q12;
    d[2][l] = e->q22;
    d[3][l] = e->lin1;
    d[4][l] = e->lin2;
}
DCI_LANE dci_ee_d dci_ee_get(const dci_wit_row *d, int l)
{
    dci_ee_d e;
    e.q11 = d[0][l];
    e.q12 = d[1][l];
    e.q22 = d[2][l];
    e.lin1 = d[3][l];
    e.lin2 = d[4][l];
    return e;
}
DCI_LANE void dci_vf_put(const dci_vf_d *e, dci_wit_row *d, int l)
{
    d[0][l] = e->a_a;
    d[1][l] = e->a_b;
    d[2][l] = e->b_b;
    d[3][l] = e->s_a;
    d[4][l] = e->s_b;
    d[5][l] = e->s_s;
}
DCI_LANE dci_vf_d dci_vf_get(const dci_wit_row *d, int l)
{
    dci_vf_d e;
    e.a_a = d[0][l];
    e.a_b = d[1][l];
    e.b_b = d[2][l];
    e.s_a = d[3][l];
    e.s_b = d[4][l];
    e.s_s = d[5][l];
    return e;
}

/* part of the kernels below at -Os as well: as a function of its own it would take a batch beyond 4 KB of stack */
#if defined(__GNUC__) || defined(__clang__)
#define DCI_WIT_BLOCK static inline DCI_UNUSED __attribute__((always_inline))
#else
#define DCI_WIT_BLOCK static inline DCI_UNUSED
#endif

/* Values, and derivatives in a kernel of its own. Rows are restricted, or gcc sees them overlap. */
DCI_WIT_BLOCK void dci_ee_block(const dci_wit *o, const dc_real *x, size_t n, const int derive,
                                dci_wit_row *DCI_RESTRICT y, dci_wit_row *DCI_RESTRICT d, dc_real *DCI_RESTRICT in)
{
    const dc_real rl = o->inv_length;
    int l;
    for (l = 0; l < DC_LANES; ++l) {
        dci_ee e;
        dc_real size;
        dci_ee_lane(o, dci_wit_sub(rl, x + l, n, 1, 0), dci_wit_sub(rl, x + l, n, 2, 3),
                    dci_wit_sub(rl, x + l, n, 0, 2), derive, &e);

        y[0][l] = e.alpha1;
        y[1][l] = e.alpha2;
        y[2][l] = e.gamma;
        size = dci_fabs(e.alpha1) + dci_fabs(e.alpha2) + e.gamma;

        if (derive) {
            dci_ee_put(&e.dalpha1, d, l);
            dci_ee_put(&e.dalpha2, d + 5, l);
            dci_ee_put(&e.dgamma, d + 10, l);
            size = size + dci_ee_size(&e.dalpha1) + dci_ee_size(&e.dalpha2) + dci_ee_size(&e.dgamma);
        }
        in[l] = dci_wit_in(x + l, n, size);
    }
}
static DCI_NOINLINE void dci_ee_value(const dci_wit *o, dci_wit_block *B)
{
    dci_ee_block(o, B->input, B->input_stride, 0, B->result, B->slope, B->good);
}
static DCI_NOINLINE void dci_ee_derive(const dci_wit *o, dci_wit_block *B)
{
    dci_ee_block(o, B->input, B->input_stride, 1, B->result, B->slope, B->good);
}

DCI_LANE void dci_vf_store(const dci_vf *e, const int derive, int l, dci_wit_row *y, dci_wit_row *d)
{
    y[0][l] = e->alpha1;
    y[1][l] = e->alpha2;
    y[2][l] = e->bary1;
    y[3][l] = e->bary2;
    y[4][l] = e->gamma;
    if (!derive) return;
    dci_vf_put(&e->dalpha1, d, l);
    dci_vf_put(&e->dalpha2, d + 6, l);
    dci_vf_put(&e->dgamma, d + 12, l);
}
DCI_WIT_BLOCK void dci_vf_block(const dci_wit *o, const dc_real *x, size_t n, const int derive,
                                dci_wit_row *DCI_RESTRICT y, dci_wit_row *DCI_RESTRICT d, dc_real *DCI_RESTRICT in)
{
    const dc_real rl = o->inv_length;
    int l;
    for (l = 0; l < DC_LANES; ++l) {
        dci_vf e;
        dc_real size;
        dci_vf_lane(o, 0, dci_wit_sub(rl, x + l, n, 2, 1), dci_wit_sub(rl, x + l, n, 3, 1),
                    dci_wit_sub(rl, x + l, n, 0, 1), derive, &e);

        dci_vf_store(&e, derive, l, y, d);
        size = dci_fabs(e.alpha1) + dci_fabs(e.alpha2) + dci_fabs(e.bary1) + dci_fabs(e.bary2) + e.gamma;
        if (derive) size = size + dci_vf_size(&e.dalpha1) + dci_vf_size(&e.dalpha2) + dci_vf_size(&e.dgamma);
        in[l] = dci_wit_in(x + l, n, size);
    }
}
static DCI_NOINLINE void dci_vf_value(const dci_wit *o, dci_wit_block *B)
{
    dci_vf_block(o, B->input, B->input_stride, 0, B->result, B->slope, B->good);
}
static DCI_NOINLINE void dci_vf_derive(const dci_wit *o, dci_wit_block *B)
{
    dci_vf_block(o, B->input, B->input_stride, 1, B->result, B->slope, B->good);
}

/* as the listing has it, one after the other */
static void dci_vf_listing(const dci_wit *o, int derive, dci_wit_block *B)
{
    const dc_real rl = o->inv_length;
    const size_t n = B->input_stride;
    int l;
    for (l = 0; l < DC_LANES; ++l) {
        const dc_real *x = B->input + l;
        dci_vf e;
        dci_vf_one(o, 1, dci_wit_sub(rl, x, n, 2, 1), dci_wit_sub(rl, x, n, 3, 1), dci_wit_sub(rl, x, n, 0, 1), derive,
                   &e);
        dci_vf_store(&e, derive, l, B->result, B->slope);
        B->good[l] = 0;           /* to be looked at */
    }
}

/* coordinate c of the points of lane l */
DCI_LANE dci_wit_four dci_wit_coordinate(const dci_wit_block *B, int c, int l)
{
    const dc_real *x = B->input + (size_t)c*B->input_stride + (size_t)l;
    dci_wit_four p;
    p.at0 = x[0];
    p.at1 = x[3*B->input_stride];
    p.at2 = x[6*B->input_stride];
    p.at3 = x[9*B->input_stride];
    return p;
}

/* 12 rows of the Jacobian, of result k */
DCI_LANE void dci_wit_rows(dc_real rl, const dci_wit_block *B, dc_status status, int k, dc_real *jac, const int face)
{
    int l, c, r;
    for (c = 0; c < 3; ++c) {
        dci_wit_row row[4];
        for (l = 0; l < DC_LANES; ++l) {
            dci_wit_four g;
            if (face) {
                dci_vf_d d = dci_vf_get(B->slope + 6*k, l);
                g = dci_vf_chain(rl, dci_wit_coordinate(B, c, l), &d);
            } else {
                dci_ee_d d = dci_ee_get(B->slope + 5*k, l);
                g = dci_ee_chain(rl, dci_wit_coordinate(B, c, l), &d);
            }

            row[0][l] = g.at0;
            row[1][l] = g.at1;
            row[2][l] = g.at2;
            row[3][l] = g.at3;
        }
        for (r = 0; r < 4; ++r) dci_wit_put(B, status, row[r], jac, 12*k + 3*r + c);
    }
}
static DCI_NOINLINE void dci_ee_rows(dc_real rl, const dci_wit_block *B, dc_status status, int k, dc_real *jac)
{
    dci_wit_rows(rl, B, status, k, jac, 0);
}
static DCI_NOINLINE void dci_vf_rows(dc_real rl, const dci_wit_block *B, dc_status status, int k, dc_real *jac)
{
    dci_wit_rows(rl, B, status, k, jac, 1);
}

/* Rows of the output; the points from their weights */
static DCI_NOINLINE void dci_ee_points(const dci_wit_block *B, dc_status s, dc_real *y)
{
    int c, l;
    for (c = 0; c < 3; ++c) {
        dci_wit_row a, b;
        for (l = 0; l < DC_LANES; ++l) {
            dci_wit_four p = dci_wit_coordinate(B, c, l);
            a[l] = p.at0 + B->result[0][l]*(p.at1 - p.at0);
            b[l] = p.at2 + B->result[1][l]*(p.at3 - p.at2);
        }

        dci_wit_put(B, s, a, y, c);
        dci_wit_put(B, s, b, y, 3 + c);
        dci_wit_put(B, s, B->result[c], y, 6 + c);
    }
}
static DCI_NOINLINE void dci_vf_points(const dci_wit_block *B, dc_status s, dc_real *y)
{
    int k, l;
    for (k = 0; k < 3; ++k) {
        dci_wit_row row;
        for (l = 0; l < DC_LANES; ++l) {
            dci_wit_four p = dci_wit_coordinate(B, k, l);
            row[l] = p.at1 + B->result[0][l]*(p.at2 - p.at1) + B->result[1][l]*(p.at3 - p.at1);
        }
        dci_wit_put(B, s, row, y, k);
    }

    /* alpha, then bary: the first of each is what is left of 1 */
    for (k = 0; k < 2; ++k) {
        dci_wit_row first;
        for (l = 0; l < DC_LANES; ++l) first[l] = 1 - B->result[2*k][l] - B->result[2*k + 1][l];
        dci_wit_put(B, s, first, y, 3 + 3*k);
        dci_wit_put(B, s, B->result[2*k], y, 4 + 3*k);
        dci_wit_put(B, s, B->result[2*k + 1], y, 5 + 3*k);
    }
    dci_wit_put(B, s, B->result[4], y, 9);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- [witness] options and calls -------------------------------------------------------------------------- */
/* stage                    | reads                 | writes                                        | equation
 * dci_wit_options          | dc_witness_options    | dci_wit, with the defaults                    |
 * dci_ee_one, dci_vf_one   | one pair              | coordinates and their derivatives             | [edges], [faces]
 * dci_jac_..               | these                 | rows of the Jacobian of the points            | a = a0 + alpha A1
 * the batches              | rows                  | rows, block by block                          | [blocks] */

static dc_real dci_or(dc_real x, dc_real standard) { return x != 0 ? x : standard; }
static int dci_wit_ok(dc_real x) { return x >= DC_R(1e-9) && x <= DC_R(1e9); }

static dc_status dci_wit_options(const dc_witness_options *opt, dci_wit *o)
{
    const dc_witness_options z = DC_ZERO;
    dc_real eps_min, eps_comp, length, t;
    if (!opt) opt = &z;

    /* defaults */
    o->reg = dci_or(opt->w_reg, DC_R(0.01));
    o->clip = dci_or(opt->eps_clip, DC_R(0.1));
    eps_min = dci_or(opt->eps_min, DC_R(0.1));
    eps_comp = dci_or(opt->eps_comp, DC_R(0.1));
    length = dci_or(opt->length, 1);
    if (!dci_wit_ok(o->reg) || !dci_wit_ok(o->clip) || !dci_wit_ok(eps_min) || !dci_wit_ok(eps_comp)
        || !dci_wit_ok(length)) return DC_E_ARG;

    /* inverses, and what the far ends weigh */
    o->inv_clip = 1/o->clip;
    o->inv_min = 1/eps_min;
    o->inv_comp = 1/eps_comp;
    o->inv_length = 1/length;
    o->exp_clip = dc_exp(-o->inv_clip);
    o->exp_comp = dc_exp(-o->inv_comp);

    /* 1 - e^-x = 2 t/(1 + t), t = tanh x/2 */
    t = dc_tanh(o->inv_clip/2);
    o->top_clip = 2*t/(1 + t);
    return DC_OK;
}

/* adds s at the diagonal of a 3x3 block of a Jacobian with rows of 12 */
static void dci_jac_diagonal(dc_real *jac, dc_real s)
{
    jac[0] += s;
    jac[13] += s;
    jac[26] += s;
}
/* rows += e grad^T */
static void dci_jac_outer(dc_real *jac, dc_v3 e, const dc_real *grad)
{
    int k;
    for (k = 0; k < 12; ++k) {
        jac[k] += e.x*grad[k];
        jac[12 + k] += e.y*grad[k];
        jac[24 + k] += e.z*grad[k];
    }
}
static void dci_jac_coordinate(dc_real *row, dci_wit_four g)
{
    row[0] = g.at0;
    row[3] = g.at1;
    row[6] = g.at2;
    row[9] = g.at3;
}
static dci_wit_four dci_wit_four_of(dc_real p0, dc_real p1, dc_real p2, dc_real p3)
{
    dci_wit_four p;
    p.at0 = p0;
    p.at1 = p1;
    p.at2 = p2;
    p.at3 = p3;
    return p;
}
/* a row of a Jacobian, of a result whose derivatives by the products are d */
static void dci_ee_jac_row(dc_real *row, dc_real rl, const dc_v3 a[2], const dc_v3 b[2], const dci_ee_d *d)
{
    dci_jac_coordinate(row, dci_ee_chain(rl, dci_wit_four_of(a[0].x, a[1].x, b[0].x, b[1].x), d));
    dci_jac_coordinate(row + 1, dci_ee_chain(rl, dci_wit_four_of(a[0].y, a[1].y, b[0].y, b[1].y), d));
    dci_jac_coordinate(row + 2, dci_ee_chain(rl, dci_wit_four_of(a[0].z, a[1].z, b[0].z, b[1].z), d));
}
static void dci_vf_jac_row(dc_real *row, dc_real rl, dc_v3 v, const dc_v3 t[3], const dci_vf_d *d)
{
    dci_jac_coordinate(row, dci_vf_chain(rl, dci_wit_four_of(v.x, t[0].x, t[1].x, t[2].x), d));
    dci_jac_coordinate(row + 1, dci_vf_chain(rl, dci_wit_four_of(v.y, t[0].y, t[1].y, t[2].y), d));
    dci_jac_coordinate(row + 2, dci_vf_chain(rl, dci_wit_four_of(v.z, t[0].z, t[1].z, t[2].z), d));
}
/* the first n numbers of a dci_ee or dci_vf at most DC_LIMIT^2 in size: products with coordinates stay finite */
static int dci_moderate(const void *result, int n)
{
    const dc_real *x = (const dc_real *)result;
    dc_real sum = 0;
    int k;
    for (k = 0; k < n; ++k) sum += dc_abs(x[k]);
    return sum <= DC_LIMIT*DC_LIMIT;
}

DC_DEF dc_status dc_ee_witness(const dc_witness_options *opt, const dc_v3 a[2], const dc_v3 b[2], dc_ee *out,
                               dc_real *jac)
{
    dci_wit o;
    dci_ee  e;
    dc_v3   A1, A2, r, edge1, edge2;
    dc_real J[108];
    int     k;
    if (!a || !b || !out || dci_wit_options(opt, &o) != DC_OK) return DC_E_ARG;
    if (!dc_in_range(a[0]) || !dc_in_range(a[1]) || !dc_in_range(b[0]) || !dc_in_range(b[1])) return DC_E_ARG;

    /* in units of L */
    edge1 = dc_sub(a[1], a[0]);
    edge2 = dc_sub(b[1], b[0]);
    A1 = dci_lane_sub(o.inv_length, a[1], a[0]);
    A2 = dci_lane_sub(o.inv_length, b[0], b[1]);
    r = dci_lane_sub(o.inv_length, a[0], b[0]);
    dci_ee_one(&o, A1, A2, r, jac != NULL, &e);
    if (!dci_moderate(&e, jac ? 18 : 3)) return DC_E_RANGE;

    if (jac) {
        memset(J, 0, sizeof J);
        dci_ee_jac_row(J + 72, o.inv_length, a, b, &e.dalpha1);
        dci_ee_jac_row(J + 84, o.inv_length, a, b, &e.dalpha2);
        dci_ee_jac_row(J + 96, o.inv_length, a, b, &e.dgamma);
        /* a = a0 + alpha (a1 - a0) */
        dci_jac_diagonal(J, 1 - e.alpha1);
        dci_jac_diagonal(J + 3, e.alpha1);
        dci_jac_outer(J, edge1, J + 72);

        dci_jac_diagonal(J + 36 + 6, 1 - e.alpha2);
        dci_jac_diagonal(J + 36 + 9, e.alpha2);
        dci_jac_outer(J + 36, edge2, J + 84);
        for (k = 0; k < 108; ++k)
            if (!dc_finite(J[k])) return DC_E_RANGE;
        memcpy(jac, J, sizeof J);
    }

    /* the points */
    out->a = dc_madd(a[0], e.alpha1, edge1);
    out->b = dc_madd(b[0], e.alpha2, edge2);
    out->alpha[0] = e.alpha1;
    out->alpha[1] = e.alpha2;
    out->gamma = e.gamma;
    return DC_OK;
}

DC_DEF dc_status dc_vf_witness(const dc_witness_options *opt, dc_v3 v, const dc_v3 t[3], dc_vf *out, dc_real *jac)
{
    dci_wit o;
    dci_vf  e;
    dc_v3   a, b, s, edge1, edge2;
    dc_real J[120];
    int     k, listing = opt ? opt->listing : 0;
    if (!t || !out || dci_wit_options(opt, &o) != DC_OK) return DC_E_ARG;
    if (!dc_in_range(v) || !dc_in_range(t[0]) || !dc_in_range(t[1]) || !dc_in_range(t[2])) return DC_E_ARG;

    /* in units of L */
    edge1 = dc_sub(t[1], t[0]);
    edge2 = dc_sub(t[2], t[0]);
    a = dci_lane_sub(o.inv_length, t[1], t[0]);
    b = dci_lane_sub(o.inv_length, t[2], t[0]);
    s = dci_lane_sub(o.inv_length, v, t[0]);
    dci_vf_one(&o, listing, a, b, s, jac != NULL, &e);
    if (!dci_moderate(&e, jac ? 35 : 5)) return DC_E_RANGE;

    if (jac) {
        memset(J, 0, sizeof J);
        dci_vf_jac_row(J + 48, o.inv_length, v, t, &e.dalpha1);
        dci_vf_jac_row(J + 60, o.inv_length, v, t, &e.dalpha2);
        dci_vf_jac_row(J + 84, o.inv_length, v, t, &e.dbary1);
        dci_vf_jac_row(J + 96, o.inv_length, v, t, &e.dbary2);
        dci_vf_jac_row(J + 108, o.inv_length, v, t, &e.dgamma);

        /* the first weights are what is left of 1 */
        for (k = 0; k < 12; ++k) {
            J[36 + k] = -J[48 + k] - J[60 + k];
            J[72 + k] = -J[84 + k] - J[96 + k];
        }
        /* p = t0 + alpha_1 (t1 - t0) + alpha_2 (t2 - t0) */
        dci_jac_diagonal(J + 3, 1 - e.alpha1 - e.alpha2);
        dci_jac_diagonal(J + 6, e.alpha1);
        dci_jac_diagonal(J + 9, e.alpha2);
        dci_jac_outer(J, edge1, J + 48);
        dci_jac_outer(J, edge2, J + 60);
        for (k = 0; k < 120; ++k)
            if (!dc_finite(J[k])) return DC_E_RANGE;
        memcpy(jac, J, sizeof J);
    }

    /* the point */
    out->p = dc_madd(dc_madd(t[0], e.alpha1, edge1), e.alpha2, edge2);
    out->alpha[0] = 1 - e.alpha1 - e.alpha2;
    out->alpha[1] = e.alpha1;
    out->alpha[2] = e.alpha2;
    out->bary[0] = 1 - e.bary1 - e.bary2;
    out->bary[1] = e.bary1;
    out->bary[2] = e.bary2;
    out->gamma = e.gamma;
    return DC_OK;
}

/* arguments of a batch */
static int dci_batch_ok(int count, const dc_real *x, size_t stride, const dc_real *y)
{
    return count >= 0 && count <= INT32_MAX - DC_LANES && stride >= (size_t)count && (count == 0 || (x && y));
}

DC_DEF dc_status dc_ee_witness_batch(const dc_witness_options *opt, int count, const dc_real *x, size_t stride,
                                     dc_real *y, dc_real *jac)
{
    dci_wit_block B;
    dci_wit       o;
    dc_status     status = DC_OK;
    int           i, k;
    if (!dci_batch_ok(count, x, stride, y) || dci_wit_options(opt, &o) != DC_OK) return DC_E_ARG;

    /* block by block */
    for (i = 0; i < count; i += DC_LANES) {
        dc_status s;
        dci_wit_begin(&B, x, stride, i, count);
        if (jac) dci_ee_derive(&o, &B);
        else dci_ee_value(&o, &B);
        s = jac ? dci_wit_check(&B, 3, 15) : dci_wit_check(&B, 3, 0);

        /* the first failure is the status; points, Jacobian */
        if (status == DC_OK) status = s;
        dci_ee_points(&B, s, y + i);
        for (k = 0; jac && k < 3; ++k) dci_ee_rows(o.inv_length, &B, s, k, jac + i);
    }
    return status;
}

DC_DEF dc_status dc_vf_witness_batch(const dc_witness_options *opt, int count, const dc_real *x, size_t stride,
                                     dc_real *y, dc_real *jac)
{
    dci_wit_block B;
    dci_wit       o;
    dc_status     status = DC_OK;
    int           i, k, listing = opt ? opt->listing : 0;
    if (!dci_batch_ok(count, x, stride, y) || dci_wit_options(opt, &o) != DC_OK) return DC_E_ARG;

    /* block by block */
    for (i = 0; i < count; i += DC_LANES) {
        dc_status s;
        dci_wit_begin(&B, x, stride, i, count);
        if (listing) dci_vf_listing(&o, jac != NULL, &B);
        else if (jac) dci_vf_derive(&o, &B);
        else dci_vf_value(&o, &B);
        s = jac ? dci_wit_check(&B, 5, 18) : dci_wit_check(&B, 5, 0);

        /* the first failure is the status; points, Jacobian */
        if (status == DC_OK) status = s;
        dci_vf_points(&B, s, y + i);
        for (k = 0; jac && k < 3; ++k) dci_vf_rows(o.inv_length, &B, s, k, jac + i);
    }
    return status;
}

/* ---- [closest] without smoothing -------------------------------------------------------------------------- */
/* stage          | reads                | writes                      | equation
 * dc_ee_closest  | two edges            | their closest points        | inside both, or on the least of four sides
 * dc_vf_closest  | a vertex, a triangle | its closest point           | inside, or on the nearest edge */

/* t in [0, 1] nearest to num/den, 1/2 for den = 0 */
static dc_real dci_hard_clip(dc_real num, dc_real den)
{
    if (!(den > 0)) return DC_R(0.5);
    return num <= 0 ? DC_R(0) : (num >= den ? DC_R(1) : num/den);
}

DC_DEF dc_status dc_ee_closest(const dc_v3 a[2], const dc_v3 b[2], dc_ee *out)
{
    dc_real best = -1, size, tie, far_off = -1, q1, q2, q3, k1, k2, det, u1, u2, x[4][2], d2[4], w, alpha[2];
    dc_real inside = 0;
    dc_v3   A1, A2, r, N;
    int     i, first = 0, other = 0;
    if (!a || !b || !out || !dc_in_range(a[0]) || !dc_in_range(a[1]) || !dc_in_range(b[0]) || !dc_in_range(b[1]))
        return DC_E_ARG;

    /* Q, c and the determinant as in dci_ee_lane */
    A1 = dc_sub(a[1], a[0]);
    A2 = dc_sub(b[0], b[1]);
    r = dc_sub(a[0], b[0]);
    N = dc_cross(A1, A2);
    q1 = dc_dot(A1, A1);
    q2 = dc_dot(A1, A2);
    q3 = dc_dot(A2, A2);
    k1 = dc_dot(A1, r);
    k2 = dc_dot(A2, r);
    det = dc_dot(N, N);

    /* skew lines: u = num/det, compared before it is divided */
    u1 = dc_dot(dc_cross(A2, r), N);
    u2 = -dc_dot(dc_cross(A1, r), N);
    if (det > 16*DC_EPS*DC_EPS*q1*q3 && u1 >= 0 && u1 <= det && u2 >= 0 && u2 <= det) {
        alpha[0] = u1/det;
        alpha[1] = u2/det;
        inside = 1;
    } else {
        /* the least point of each side of the square; det = 0 makes the optimum a segment, with two of them for ends */
        x[0][0] = 1;
        x[0][1] = dci_hard_clip(-(q2 + k2), q3);
        x[1][0] = 0;
        x[1][1] = dci_hard_clip(-k2, q3);
        x[2][0] = dci_hard_clip(-(q2 + k1), q1);
        x[2][1] = 1;
        x[3][0] = dci_hard_clip(-k1, q1);
        x[3][1] = 0;
        for (i = 0; i < 4; ++i) {
            dc_v3 e = dc_madd(dc_madd(r, x[i][0], A1), x[i][1], A2);
            d2[i] = dc_dot(e, e);
            if (i == 0 || d2[i] < best) {
                best = d2[i];
                first = i;
            }
        }

        /* those as near up to rounding, the one farthest off: (1/2, 1/2) projected onto the segment between */
        size = dc_max(dc_max(q1, q3), dc_dot(r, r));
        tie = best + 64*DC_EPS*(best + DC_EPS*size);
        for (i = 0; i < 4; ++i) {
            dc_real f1 = x[i][0] - x[first][0], f2 = x[i][1] - x[first][1], f = f1*f1 + f2*f2;
            if (d2[i] <= tie && f > far_off) {
                far_off = f;
                other = i;
            }
        }

        alpha[0] = x[other][0] - x[first][0];
        alpha[1] = x[other][1] - x[first][1];
        w = alpha[0]*(DC_R(0.5) - x[first][0]) + alpha[1]*(DC_R(0.5) - x[first][1]);
        w = far_off > 0 ? dci_hard_clip(w, far_off) : DC_R(0);
        alpha[0] = x[first][0] + w*alpha[0];
        alpha[1] = x[first][1] + w*alpha[1];
    }

    out->a = dc_madd(a[0], alpha[0], A1);
    out->b = dc_madd(b[0], -alpha[1], A2);
    out->alpha[0] = alpha[0];
    out->alpha[1] = alpha[1];
    out->gamma = inside;
    return DC_OK;
}

DC_DEF dc_status dc_vf_closest(dc_v3 v, const dc_v3 t[3], dc_vf *out)
{
    dc_real best = -1, det, y1, y2, w[3], bary[3], inside = 0;
    dc_v3   a, b, s, N;
    int     i, k;
    if (!t || !out || !dc_in_range(v) || !dc_in_range(t[0]) || !dc_in_range(t[1]) || !dc_in_range(t[2]))
        return DC_E_ARG;

    /* bary by the plane; a triangle of no area has none */
    a = dc_sub(t[1], t[0]);
    b = dc_sub(t[2], t[0]);
    s = dc_sub(v, t[0]);
    N = dc_cross(a, b);
    det = dc_dot(N, N);
    y1 = dc_dot(N, dc_cross(s, b));
    y2 = dc_dot(N, dc_cross(a, s));
    w[0] = w[1] = w[2] = 0;
    bary[0] = bary[1] = bary[2] = 0;
    if (det > 256*DC_EPS*DC_EPS*dc_dot(a, a)*dc_dot(b, b)) {
        bary[1] = y1/det;
        bary[2] = y2/det;
        bary[0] = 1 - bary[1] - bary[2];
        inside = bary[0] >= 0 && bary[1] >= 0 && bary[2] >= 0 ? DC_R(1) : DC_R(0);
    } else {
        det = 0;
    }

    /* inside, or on the nearest of the edges */
    if (inside > 0) {
        for (i = 0; i < 3; ++i) w[i] = bary[i];
    } else {
        for (i = 0; i < 3; ++i) {
            dc_v3   d = dc_sub(t[(i + 1)%3], t[i]), p = dc_sub(v, t[i]), e;
            dc_real x = dci_hard_clip(dc_dot(d, p), dc_dot(d, d)), d2;
            e = dc_madd(p, -x, d);
            d2 = dc_dot(e, e);
            if (i == 0 || d2 < best) {
                best = d2;
                for (k = 0; k < 3; ++k) w[k] = k == i ? 1 - x : (k == (i + 1)%3 ? x : DC_R(0));
            }
        }
        for (k = 0; k < 3 && !(det > 0); ++k) bary[k] = w[k];
    }

    out->p = dc_madd(dc_madd(t[0], w[1], a), w[2], b);
    for (k = 0; k < 3; ++k) {
        out->alpha[k] = w[k];
        out->bary[k] = bary[k];
    }
    out->gamma = inside;
    return DC_OK;
}

/* ---- [select] soft selection ------------------------------------------------------------------------------ */
/* stage                | reads                  | writes                      | equation
 * dci_softsort_top     | numbers                | the largest                 |
 * dc_softsort_topk     | numbers                | the largest, their weights  | softmax of -|s_[k] - s_i|^power/tau
 * dc_softsort_topk_jvp | these, their tangents  | tangents of the weights     | dGamma = Gamma (dl - sum Gamma dl)
 * dc_softsort_topk_vjp | these, cotangents      | cotangents of the numbers   | the transpose */

/* the k largest, by insertion into the sorted list of the largest so far */
static void dci_softsort_top(int n, const dc_real *s, int k, int *top)
{
    int i, j, m;
    for (m = 0, i = 0; i < n; ++i) {
        if (m == k && s[top[k - 1]] >= s[i]) continue;
        if (m < k) ++m;
        for (j = m - 1; j > 0 && s[top[j - 1]] < s[i]; --j) top[j] = top[j - 1];
        top[j] = i;
    }
}

DC_DEF dc_status dc_softsort_topk(int n, const dc_real *s, int k, int power, dc_real tau, int *top, dc_real *Gamma)
{
    int i, m;
    if (k < 1 || k > n || !s || !top || !Gamma || power < 1 || power > 2 || !(tau >= 1/DC_LIMIT) || !(tau <= DC_LIMIT))
        return DC_E_ARG;
    for (i = 0; i < n; ++i)
        if (!(dc_abs(s[i]) <= DC_LIMIT)) return DC_E_ARG;

    dci_softsort_top(n, s, k, top);
    for (m = 0; m < k; ++m) dci_softsort_row(n, s, s[top[m]], power, 1/tau, Gamma + (size_t)m*(size_t)n);
    return DC_OK;
}

/* l_i = -|x|^p/tau, x = s_[k] - s_i:  dl_i = -c_i (ds_[k] - ds_i),  c_i = p |x|^(p-1) sign(x)/tau; of equal ones
 * the one that stands `after` the other is the smaller */
static dc_real dci_softsort_slope(int power, dc_real tau, dc_real x, int after)
{
    dc_real side = x != 0 ? x : (dc_real)after;
    return power == 2 ? 2*x/tau : (side > 0 ? 1/tau : (side < 0 ? -1/tau : DC_R(0)));
}

DC_DEF void dc_softsort_topk_jvp(int n, const dc_real *s, int k, int power, dc_real tau, const int *top,
                                 const dc_real *Gamma, const dc_real *ds, dc_real *dGamma)
{
    int i, m;
    for (m = 0; m < k; ++m, Gamma += n, dGamma += n) {
        dc_real mean = 0, at = s[top[m]], d = ds[top[m]];
        for (i = 0; i < n; ++i) {
            dGamma[i] = -dci_softsort_slope(power, tau, at - s[i], i - top[m])*(d - ds[i]);
            mean += Gamma[i]*dGamma[i];
        }
        for (i = 0; i < n; ++i) dGamma[i] = Gamma[i]*(dGamma[i] - mean);
    }
}

DC_DEF void dc_softsort_topk_vjp(int n, const dc_real *s, int k, int power, dc_real tau, const int *top,
                                 const dc_real *Gamma, const dc_real *Gamma_bar, dc_real *s_bar)
{
    int i, m;
    for (m = 0; m < k; ++m, Gamma += n, Gamma_bar += n) {
        dc_real mean = 0, sum = 0, at = s[top[m]];
        for (i = 0; i < n; ++i) mean += Gamma[i]*Gamma_bar[i];

        /* s_[k] moves with top[k] */
        for (i = 0; i < n; ++i) {
            dc_real c = dci_softsort_slope(power, tau, at - s[i], i - top[m])*Gamma[i]*(Gamma_bar[i] - mean);
            s_bar[i] += c;
            sum += c;
        }
        s_bar[top[m]] -= sum;
    }
}

/* ---- [bodies] manifold: two bodies, what is kept of them, memory -------------------------------------- */
/* Every stage of the manifold comes three times: its value, push (derivative along a direction) and pull (its
 * transpose).
 *
 * stage           | reads             | writes                                       | equation
 * dci_man_sizes   | surfaces, options | options with defaults; what is kept          |
 * dci_man_memory  | sizes, an arena   | arrays; with no arena their size             |
 * dci_sample      | a field's points  | phi, gradients, normals                      |
 * dci_man_select  | meshes, poses     | vertices, contacts of them, edges kept       | CONTAX section IV-C
 * dci_man_witness | edges kept        | witness points of all pairs, fields there    | CONTAX Eq. 10
 * dci_man_pairs   | witness points    | distances, signs, indicators                 | CONTAX Eq. 11 to 15
 * dci_man_contacts| all of these      | contacts                                     | CONTAX Eq. 16
 * dci_man_push    | values, twists    | derivatives of the contacts                  |
 * dci_man_pull    | values, cotangents| gradient by the twists                       | */

/* v, w of a body; in the pull what multiplies them */
typedef struct { dc_v3 linear, angular; } dci_man_twist;

/* x = axes x_hat + origin */
typedef struct { dc_m3 axes; dc_v3 origin; const dc_sdf *sdf; } dci_man_body;

/* The field of a body at points of the world; what is not asked for is NULL. */
typedef struct {
    int      count;
    const dc_real *skip;            /* [count], or NULL: where a point is known to be beyond reach, a lower bound of phi
                                     * that takes its place; else 0 */
    const dci_man_body *body;
    const dc_v3 *point;
    dc_real *phi;
    dc_v3   *grad;                  /* of phi */
    dc_v3   *normal;                /* n = dir/sqrt(tau + |dir|^2) */
    dc_real *scale;                 /* 1/sqrt(tau + |dir|^2) */
    dc_real *turn;                  /* [6 count] derivative of dir in body axes: xx xy xz yy yz zz */
    dc_real *hess, *bend;           /* [6 count] that of the gradient; that of `turn` along the way of a point */
} dci_man_field;

/* The vertices or edges of a body that are kept: all as they are, or softly, by weights of those that weigh. */
typedef struct {
    int      count, kept, soft;     /* of the mesh, of these */
    int      some, rows;            /* soft: those that weigh; kept ones that differ, those that follow are as the
                                     * last */
    int     *entry;                 /* [some] soft: which weigh */
    int     *top;                   /* [kept] soft: the deepest, places in `entry` */
    dc_real *rank, *drank;          /* [some] soft: depth over L; its derivative */
    dc_real *weight, *dweight;      /* [rows x some] soft: Gamma; its derivative */
} dci_man_pick;

/* With `trace`: what the witness points of every pair pass through, `pairs` a step */
typedef struct {
    dci_man_field start;            /* own normals where they were found */
    dc_v3   *point, *grad;          /* points and the own field there */
    dc_real *phi, *hess;
    dc_v3   *rate;                  /* [pairs] for [bend]: tangents of the points where tracing starts */
} dci_man_trace;

/* Derivatives of a body's numbers: tangents, or cotangents */
typedef struct {
    dci_man_twist twist;
    dc_v3   *vertex, *contact, *end[2], *witness;
    dc_real *phi;                   /* of the other field at the vertices */
} dci_man_tangent;

/* The same of cotangents with rates, for [bend]; rank and weight of a row of a selection */
typedef struct {
    dci_moving linear, angular;
    dci_moving *vertex, *contact, *end[2];
    dci_dual *phi, *rank, *weight;
} dci_man_bent;

/* With `cull`: least values of the other body's field at vertices, or witness points; in its axes, balls about blocks
 * of them and those of which the blocks are near; which points of at_vertex and cross are left out */
typedef struct {
    dc_v3   *centre, *point;
    dc_real *radius, *block_least, *least, *skip_vertex, *skip_cross;
} dci_man_bounds;
enum { DCI_MAN_BLOCK = 8 };

/* One body. Where all vertices are kept as they are, `contact` is `vertex` and at_contact is at_vertex: the same
 * arrays. */
typedef struct {
    const dc_mesh *mesh;
    dci_man_body  body;
    dci_man_bounds bounds;
    dci_man_pick  vertices, edges;
    dc_v3        *vertex;           /* [vertices] in the world */
    dci_man_field at_vertex;        /* the other body's field there */
    dc_v3        *contact;          /* [vertices kept] */
    dci_man_field at_contact;       /* the other body's field there */
    dc_v3        *end[2];           /* [edges kept] both ends */
    dc_v3        *witness;          /* [pairs] */
    dci_man_field own, cross;       /* the body's own field and the other's there */
    dci_man_trace trace;
    dci_man_tangent d;
    dci_man_bent bent;
} dci_man_side;

/* One pair of edges; index c: the contact on body c. */
typedef struct {
    dc_v3   n_bar;
    dc_real d_bar, inverse;                     /* 1/sqrt(|e|^2 + eps_n) */
    dc_real gamma, facing;                      /* cl */
    dc_real sign[2], pen[2], inside[2];         /* g, pen; pen in its own body */
    dc_real nearest[2];                         /* nn */
    dc_real share, dshare;                      /* w of gamma (nn_a + nn_b), its slope by the logarithm; 0 where both
                                                 * contacts are left out, and what else is below here not made */
    dc_real weight[2], slope[2];                /* w of the other body's depth, and w' */
} dci_man_pair;

/* Its derivatives; those of the field's normals and depths at both witness points */
typedef struct {
    dc_v3   n_bar, normal[2];
    dc_real d_bar, gamma, phi[2], phi_own[2], share;
} dci_man_pair_d;

/* Cotangents of these with rates, those of the logarithms of `nearest`, of the witness points from the contacts' own */
typedef struct {
    dci_moving n_bar, normal[2], witness[2];
    dci_dual d_bar, gamma, phi[2], phi_own[2], share, log_nearest[2];
} dci_man_pair_bent;

/* Points in body axes and what dc_sdf_eval_batch answers, rows of DCI_CHUNK */
enum { DCI_CHUNK = 256 };
typedef struct {
    int     at[DCI_CHUNK];                  /* which points these are */
    dc_real point[3*DCI_CHUNK], value[DCI_CHUNK], grad[3*DCI_CHUNK], dir[3*DCI_CHUNK], ddir[6*DCI_CHUNK];
} dci_chunk;

/* for [bend] */
typedef struct {
    dci_man_pair_bent *pair;        /* [pairs] */
    dc_real *hess, *need;           /* rows of DCI_CHUNK; which points of a field are asked for */
    dc_arena along;                 /* of dc_sdf_ddir_along */
} dci_man_second;

typedef struct {
    dc_manifold_options options;    /* with the defaults filled in, lengths multiplied out */
    dc_real  inv_length;            /* 1/L: of the depths that rank vertices and edges */
    dc_real  reach;                 /* with `cull`: where contacts begin to fade; else DC_REAL_MAX */
    dc_real *skip_own;              /* with `cull`: of both sides' own */
    int      derive;                /* 1: for [push] and [pull], 2: for [bend] */
    int      apart;                 /* with `cull`: 1: all contacts are left out, 2: and all pairs are as the first */
    dci_man_side side[2];
    size_t   pairs;                 /* of edges kept, index k n_b + l */
    dc_real *input, *output, *jac;  /* of the witness points, rows of `pairs` */
    dci_man_pair   *pair;
    dci_man_pair_d *dpair;
    dc_real *sum[2];                /* [edges kept] of nearest-edge weights times what they weigh */
    dci_chunk *chunk;
    dc_arena batch;                 /* of dc_sdf_eval_batch */
    dci_man_second second;
    dc_real  grad[12], hvp[12];
    dci_room room;                  /* where all of it is taken from, or counted */
} dci_man;

/* Samples of the field of body c at n points: phi, normals, and with derivatives theirs. */
static void dci_man_take_field(dci_man *m, dci_man_field *F, int c, size_t n, const dc_v3 *point, int phi, int normal)
{
    F->count = (int)n;
    F->body = &m->side[c].body;
    F->point = point;
    F->phi = phi ? DCI_TAKE(&m->room, n, dc_real) : NULL;
    F->grad = phi && m->derive ? DCI_TAKE(&m->room, n, dc_v3) : NULL;
    F->normal = normal ? DCI_TAKE(&m->room, n, dc_v3) : NULL;
    F->scale = normal && m->derive ? DCI_TAKE(&m->room, n, dc_real) : NULL;
    F->turn = normal && m->derive ? DCI_TAKE(&m->room, 6*n, dc_real) : NULL;
    F->hess = phi && m->derive > 1 ? DCI_TAKE(&m->room, 6*n, dc_real) : NULL;
    F->bend = normal && m->derive > 1 ? DCI_TAKE(&m->room, 6*n, dc_real) : NULL;
}

/* vertices or edges, whichever are more */
static int dci_man_most(const dci_man_side *s)
{
    return s->vertices.count > s->edges.count ? s->vertices.count : s->edges.count;
}

static void dci_man_take_pick(dci_man *m, dci_man_pick *pick)
{
    const size_t weights = (size_t)pick->count*(size_t)pick->kept;
    if (!pick->soft) return;

    pick->entry = DCI_TAKE(&m->room, pick->count, int);
    pick->rank = DCI_TAKE(&m->room, pick->count, dc_real);
    pick->top = DCI_TAKE(&m->room, pick->kept, int);
    pick->weight = DCI_TAKE(&m->room, weights, dc_real);
    if (!m->derive) return;
    pick->drank = DCI_TAKE(&m->room, pick->count, dc_real);
    pick->dweight = DCI_TAKE(&m->room, weights, dc_real);
}

/* What [bend] needs of body c. */
static void dci_man_bent_memory(dci_man *m, int c)
{
    dci_man_side *s = &m->side[c];
    const int most = dci_man_most(s);
    int j;
    s->bent.vertex = DCI_TAKE(&m->room, s->vertices.count, dci_moving);
    s->bent.contact = s->vertices.soft ? DCI_TAKE(&m->room, s->vertices.kept, dci_moving) : s->bent.vertex;
    s->bent.phi = DCI_TAKE(&m->room, s->vertices.count, dci_dual);
    s->bent.rank = DCI_TAKE(&m->room, most, dci_dual);
    s->bent.weight = DCI_TAKE(&m->room, most, dci_dual);
    for (j = 0; j < 2 && s->edges.kept > 0; ++j) s->bent.end[j] = DCI_TAKE(&m->room, s->edges.kept, dci_moving);
    if (s->edges.kept == 0 || m->options.trace == 0) return;
    s->trace.rate = DCI_TAKE(&m->room, m->pairs, dc_v3);
    s->trace.hess = DCI_TAKE(&m->room, 6*m->pairs*(size_t)m->options.trace, dc_real);
}

/* Everything of body c that depends on sizes alone. */
static void dci_man_side_memory(dci_man *m, int c)
{
    dci_man_side *s = &m->side[c];
    dci_man_trace *trace = &s->trace;
    const size_t nv = (size_t)s->vertices.count, nc = (size_t)s->vertices.kept, ke = (size_t)s->edges.kept;
    const size_t steps = m->pairs*(size_t)m->options.trace;
    const int derive = m->derive, other = 1 - c;
    int j;

    /* what is left out: bounds serve the vertices first, then the witness points */
    if (m->options.cull > 0) {
        const size_t points = nv > m->pairs ? nv : m->pairs, blocks = (points + DCI_MAN_BLOCK - 1)/DCI_MAN_BLOCK;
        s->bounds.centre = DCI_TAKE(&m->room, blocks, dc_v3);
        s->bounds.radius = DCI_TAKE(&m->room, blocks, dc_real);
        s->bounds.block_least = DCI_TAKE(&m->room, blocks, dc_real);
        s->bounds.point = DCI_TAKE(&m->room, points, dc_v3);
        s->bounds.least = DCI_TAKE(&m->room, points, dc_real);
        s->bounds.skip_vertex = DCI_TAKE(&m->room, nv, dc_real);
        s->bounds.skip_cross = DCI_TAKE(&m->room, m->pairs, dc_real);
    }

    /* vertices */
    s->vertex = DCI_TAKE(&m->room, nv, dc_v3);
    if (derive) s->d.vertex = DCI_TAKE(&m->room, nv, dc_v3);
    if (nc > 0 || s->edges.soft)
        dci_man_take_field(m, &s->at_vertex, other, nv, s->vertex, 1, nc > 0 && !s->vertices.soft);
    s->at_vertex.skip = s->bounds.skip_vertex;
    if (derive) s->d.phi = DCI_TAKE(&m->room, nv, dc_real);

    /* contacts of vertices: the vertices themselves, unless they are weighed */
    dci_man_take_pick(m, &s->vertices);
    s->contact = s->vertex;
    s->at_contact = s->at_vertex;
    s->d.contact = s->d.vertex;
    if (s->vertices.soft) {
        s->contact = DCI_TAKE(&m->room, nc, dc_v3);
        dci_man_take_field(m, &s->at_contact, other, nc, s->contact, 1, 1);
        if (derive) s->d.contact = DCI_TAKE(&m->room, nc, dc_v3);
    }

    /* edges, and the witness points of every pair */
    if (ke == 0) return;
    for (j = 0; j < 2; ++j) {
        s->end[j] = DCI_TAKE(&m->room, ke, dc_v3);
        if (derive) s->d.end[j] = DCI_TAKE(&m->room, ke, dc_v3);
    }
    dci_man_take_pick(m, &s->edges);
    s->witness = DCI_TAKE(&m->room, m->pairs, dc_v3);
    if (derive) s->d.witness = DCI_TAKE(&m->room, m->pairs, dc_v3);
    dci_man_take_field(m, &s->own, c, m->pairs, s->witness, m->options.inside, 1);
    dci_man_take_field(m, &s->cross, other, m->pairs, s->witness, 1, 0);
    s->own.skip = m->skip_own;
    s->cross.skip = s->bounds.skip_cross;
    if (steps == 0) return;
    trace->point = DCI_TAKE(&m->room, steps, dc_v3);
    trace->phi = DCI_TAKE(&m->room, steps, dc_real);
    if (derive) trace->grad = DCI_TAKE(&m->room, steps, dc_v3);
    dci_man_take_field(m, &trace->start, c, m->pairs, trace->point, 0, 1);
}

static int dci_man_width(dc_real x) { return x >= DC_R(1e-12) && x <= DC_R(1e12); }

static int dci_surface_ok(const dc_surface *s)
{
    const dc_mesh *mesh = s ? s->mesh : NULL;
    return mesh && s->sdf && mesh->nv >= 1 && mesh->ne >= 0 && mesh->v && (mesh->ne == 0 || mesh->edge);
}

/* Of `count` those kept: `keep`, softly, or with 0 all. */
static void dci_man_keep(int count, int keep, int none, dci_man_pick *pick)
{
    pick->count = count;
    pick->kept = none ? 0 : keep ? keep : count;
    pick->soft = pick->kept > 0 && keep > 0;
}

/* Options and sizes. */
static dc_status dci_man_sizes(dci_man *m, const dc_surface *a, const dc_surface *b, const dc_manifold_options *opt)
{
    dc_manifold_options *o = &m->options;
    dci_man_side *sa = &m->side[0], *sb = &m->side[1];
    dc_real L;
    dci_wit wit;
    int c, no_ee;
    memset(m, 0, sizeof *m);
    if (!dci_surface_ok(a) || !dci_surface_ok(b)) return DC_E_ARG;
    if (opt) *o = *opt;
    if (dci_wit_options(&o->witness, &wit) != DC_OK) return DC_E_ARG;
    m->inv_length = wit.inv_length;

    /* options with their defaults, which are of L = 1 */
    if (o->power == 0) o->power = 2;
    o->tau_top = dci_or(o->tau_top, DC_R(1e-4));
    o->tau_pen = dci_or(o->tau_pen, DC_R(0.01));
    o->tau_sign = dci_or(o->tau_sign, DC_R(0.05));
    o->tau_nn = dci_or(o->tau_nn, DC_R(0.02));
    o->tau_cl = dci_or(o->tau_cl, DC_R(0.1));
    o->eps_n = dci_or(o->eps_n, DC_R(1e-8));
    o->tau_n = dci_or(o->tau_n, DC_R(1e-8));
    if (!dci_man_width(o->tau_top) || !dci_man_width(o->tau_pen) || !dci_man_width(o->tau_sign)
        || !dci_man_width(o->tau_nn) || !dci_man_width(o->tau_cl) || !dci_man_width(o->eps_n)
        || !dci_man_width(o->tau_n) || !(o->cull == 0 || (o->cull >= DC_REAL_MIN && o->cull <= DC_R(0.1)))
        || o->power < 1 || o->power > 2 || o->trace < 0 || o->trace > 16
        || o->keep_v_a < 0 || o->keep_v_b < 0 || o->keep_e_a < 0 || o->keep_e_b < 0 || o->keep_v_a > a->mesh->nv
        || o->keep_v_b > b->mesh->nv || o->keep_e_a > a->mesh->ne || o->keep_e_b > b->mesh->ne) return DC_E_ARG;
    L = 1/wit.inv_length;
    o->tau_pen *= L;
    o->tau_nn *= L;
    o->eps_n *= L*L;
    m->reach = o->cull > 0 ? -o->tau_pen*dc_log(o->cull) : DC_REAL_MAX;

    /* what is kept; edges of both bodies or of none */
    sa->mesh = a->mesh;
    sb->mesh = b->mesh;
    no_ee = o->no_ee || a->mesh->ne == 0 || b->mesh->ne == 0;
    dci_man_keep(a->mesh->nv, o->keep_v_a, o->no_vs_a, &sa->vertices);
    dci_man_keep(b->mesh->nv, o->keep_v_b, o->no_vs_b, &sb->vertices);
    dci_man_keep(a->mesh->ne, o->keep_e_a, no_ee, &sa->edges);
    dci_man_keep(b->mesh->ne, o->keep_e_b, no_ee, &sb->edges);
    m->pairs = (size_t)sa->edges.kept*(size_t)sb->edges.kept;
    if (m->pairs > INT32_MAX/64) return DC_E_ARG;
    for (c = 0; c < 2; ++c)
        if (m->side[c].vertices.count > INT32_MAX/64 || m->side[c].edges.count > INT32_MAX/64) return DC_E_ARG;
    return DC_OK;
}

/* Memory for these sizes: taken from mem, or with NULL added up. 0: too little. */
static int dci_man_memory(dci_man *m, int derive, dc_arena *mem)
{
    int c;
    m->derive = derive;
    m->room.arena = mem;
    m->room.bytes = dc_bytes(0, 1, sizeof *m);
    m->room.full = 0;
    if (m->options.cull > 0) m->skip_own = DCI_TAKE(&m->room, m->pairs, dc_real);
    dci_man_side_memory(m, 0);
    dci_man_side_memory(m, 1);
    if (derive > 1) {
        size_t most = m->pairs;
        for (c = 0; c < 2; ++c) {
            dci_man_bent_memory(m, c);
            if ((size_t)m->side[c].vertices.kept > most) most = (size_t)m->side[c].vertices.kept;
        }
        m->second.hess = DCI_TAKE(&m->room, 6*DCI_CHUNK, dc_real);
        m->second.need = DCI_TAKE(&m->room, most, dc_real);
        if (m->pairs > 0) m->second.pair = DCI_TAKE(&m->room, m->pairs, dci_man_pair_bent);
        m->second.along = dc_arena_make(dci_take(&m->room, 1, dc_sdf_along_bytes()), dc_sdf_along_bytes());
    }

    /* pairs of edges */
    if (m->pairs > 0) {
        m->input = DCI_TAKE(&m->room, 12*m->pairs, dc_real);
        m->output = DCI_TAKE(&m->room, 9*m->pairs, dc_real);
        if (derive) m->jac = DCI_TAKE(&m->room, 36*m->pairs, dc_real);
        m->pair = DCI_TAKE(&m->room, m->pairs, dci_man_pair);
        if (derive) m->dpair = DCI_TAKE(&m->room, m->pairs, dci_man_pair_d);
        for (c = 0; c < 2; ++c) m->sum[c] = DCI_TAKE(&m->room, m->side[c].edges.kept, dc_real);
    }

    /* scratch */
    m->chunk = DCI_TAKE(&m->room, 1, dci_chunk);
    m->batch = dc_arena_make(dci_take(&m->room, 1, dc_sdf_batch_bytes()), dc_sdf_batch_bytes());
    return !m->room.full;
}

static int dci_man_counts(const dci_man *m, int part[4])
{
    part[0] = m->side[0].vertices.kept;
    part[1] = m->side[1].vertices.kept;
    part[2] = part[3] = (int)m->pairs;
    return part[0] + part[1] + part[2] + part[3];
}

DC_DEF int dc_manifold_count(const dc_surface *a, const dc_surface *b, const dc_manifold_options *opt, int part[4])
{
    dci_man m;
    int n[4], total, k;
    if (dci_man_sizes(&m, a, b, opt) != DC_OK) return 0;
    total = dci_man_counts(&m, n);
    for (k = 0; part && k < 4; ++k) part[k] = n[k];
    return total;
}

DC_DEF size_t dc_manifold_bytes(const dc_surface *a, const dc_surface *b, const dc_manifold_options *opt,
                                int derivative)
{
    dci_man m;
    if (dci_man_sizes(&m, a, b, opt) != DC_OK) return 0;
    dci_man_memory(&m, derivative == 2 ? 2 : derivative != 0, NULL);
    return dci_counted(&m.room);
}

/* ---- [fields] manifold: fields at many points --------------------------------------------------------- */
/* stage           | reads                          | writes                          | equation
 * dci_sample      | points, a posed field          | phi, its gradient, n, s, D      | n = dir/sqrt(tau + |dir|^2)
 * dci_sample_push | dx of a point, a twist         | dphi, dn                        | g.u, w x n + s (1 - n n^T) D u
 * dci_sample_pull | cotangents of phi and n        | those of the point and the twist| */

/* tau_n in the unit of |dir|^2, which is 1/length^2 for the gauge of a lone superquadric */
static dc_real dci_sample_tau(const dc_sdf *s, const dc_manifold_options *o)
{
    dc_real L = dci_or(o->witness.length, 1);
    return s->n == 1 && s->prim->kind == DC_SDF_SUPERQUADRIC && !s->prim->taubin ? o->tau_n/(L*L) : o->tau_n;
}

/* What a point of the world is known to in body axes, a length: the edges of a box's mesh are within 4 DC_EPS of these
 * lengths of those of its field. */
static dc_real dci_sample_rounding(dc_v3 x, dc_v3 t)
{
    return 32*DC_EPS*(dc_abs(x.x) + dc_abs(x.y) + dc_abs(x.z) + dc_abs(t.x) + dc_abs(t.y) + dc_abs(t.z));
}

/* How a contact fades with what it is away from being active, z (see `cull`): w(z), its derivative, and the integral of
 * w, which is z up to reach. With t from 0 to 1 there, w = 1 - t^3 (10 - 15 t + 6 t^2). */
typedef struct { dc_real weight, slope, bent; } dci_fade;

static dci_fade dci_man_fade(const dci_man *m, dc_real z)
{
    dci_fade f;
    dc_real width = m->reach/8, t = (z - m->reach)/width, rest;
    f.weight = 1;
    f.slope = 0;
    f.bent = z;
    if (!(t > 0)) return f;

    t = dc_min(t, 1);
    rest = 1 - t;
    f.weight = rest*rest*rest*(1 + t*(3 + 6*t));
    f.slope = -30*t*t*rest*rest/width;
    f.bent = m->reach + width*(t - t*t*t*t*(DC_R(2.5) - t*(3 - t)));
    return f;
}

/* where nothing is left */
static dc_real dci_man_end(const dci_man *m) { return DC_R(1.125)*m->reach; }

/* is point i known to be beyond reach? */
static int dci_field_skips(const dci_man_field *F, int i) { return F->skip && F->skip[i] > 0; }

static dc_v3 dci_chunk_vector(const dc_real *row, int j)
{
    return dc_vec(row[j], row[DCI_CHUNK + j], row[2*DCI_CHUNK + j]);
}

/* A point that is left out is beyond reach: nothing else is asked of it. */
static void dci_sample_skip(const dci_man_field *F, int i)
{
    const dc_v3 zero = dc_vec(0, 0, 0);
    if (F->phi) F->phi[i] = F->skip[i];
    if (F->grad) F->grad[i] = zero;
    if (F->normal) F->normal[i] = zero;
    if (F->scale) F->scale[i] = 0;
    if (F->turn) memset(F->turn + 6*i, 0, 6*sizeof *F->turn);
    if (F->hess) memset(F->hess + 6*i, 0, 6*sizeof *F->hess);
}

/* Derivatives of a normal of length `scale`, at i of six rows; one that turns round within the rounding of the point
 * stands on a kink and is held. */
static void dci_sample_held(const dci_man_field *F, int at, dc_real scale, const dc_real *row, dc_real *to)
{
    dc_real most = 0;
    int     k, held;
    for (k = 0; k < 6; ++k) most = dc_max(most, dc_abs(row[k*DCI_CHUNK]));
    held = scale*most*dci_sample_rounding(F->point[at], F->body->origin) >= 1;
    for (k = 0; k < 6; ++k) to[k] = held ? DC_R(0) : row[k*DCI_CHUNK];
}

/* Fields were checked: a point out of range is not the caller's, and DC_E_RANGE. */
static dc_status dci_sample(dci_man *m, const dci_man_field *F)
{
    const dc_m3 *R = &F->body->axes;
    const dc_v3 t = F->body->origin;
    const dc_real tau = dci_sample_tau(F->body->sdf, &m->options);
    dci_chunk *c = m->chunk;
    int i = 0, j, n;
    while (i < F->count) {
        dc_sdf_out out;

        /* the next points in body axes */
        for (n = 0; i < F->count && n < DCI_CHUNK; ++i) {
            dc_v3 x;
            if (dci_field_skips(F, i)) {
                dci_sample_skip(F, i);
                continue;
            }
            x = dc_mul_t(R, dc_sub(F->point[i], t));
            c->point[n] = x.x;
            c->point[DCI_CHUNK + n] = x.y;
            c->point[2*DCI_CHUNK + n] = x.z;
            c->at[n++] = i;
        }
        if (n == 0) continue;
        memset(&out, 0, sizeof out);
        out.value = F->phi ? c->value : NULL;
        out.grad = F->grad ? c->grad : NULL;
        out.dir = F->normal ? c->dir : NULL;
        out.ddir = F->turn ? c->ddir : NULL;
        out.hess = F->hess ? m->second.hess : NULL;
        if (dc_sdf_eval_batch(F->body->sdf, n, c->point, DCI_CHUNK, &m->batch, &out) != DC_OK) return DC_E_RANGE;

        /* in the world */
        for (j = 0; j < n; ++j) {
            const int at = c->at[j];
            if (F->phi) F->phi[at] = c->value[j];
            if (F->grad) F->grad[at] = dc_mul(R, dci_chunk_vector(c->grad, j));
            if (F->normal) {
                dc_v3   g = dci_chunk_vector(c->dir, j);
                dc_real s = 1/dc_sqrt(tau + dc_dot(g, g));          /* tau > 0 */
                F->normal[at] = dc_scale(s, dc_mul(R, g));
                if (F->scale) F->scale[at] = s;
            }

            if (F->turn) dci_sample_held(F, at, F->scale[at], c->ddir + j, F->turn + 6*at);
            if (F->hess) dci_sample_held(F, at, 1, m->second.hess + j, F->hess + 6*at);
        }
    }
    return DC_OK;
}

/* s (1 - n n^T) D u and its transpose s D (1 - n n^T) u, D in body axes */
static dc_v3 dci_sample_turn(const dci_man_field *F, size_t i, dc_v3 u)
{
    const dc_m3 *R = &F->body->axes;
    const dc_real *D = F->turn + 6*i;
    u = dc_mul_t(R, u);
    u = dc_vec(D[0]*u.x + D[1]*u.y + D[2]*u.z, D[1]*u.x + D[3]*u.y + D[4]*u.z, D[2]*u.x + D[4]*u.y + D[5]*u.z);
    return dc_scale(F->scale[i], dc_mul(R, u));
}

/* u = dx - v - w x (x - t): what the point moves through the body. dphi = g.u,  dn = w x n + s (1 - n n^T) D u */
static void dci_sample_push(const dci_man_field *F, const dci_man_twist *xi, size_t i, dc_v3 dx, dc_real *dphi,
                            dc_v3 *dn)
{
    dc_v3 u = dc_sub(dc_sub(dx, xi->linear), dc_cross(xi->angular, dc_sub(F->point[i], F->body->origin)));
    if (dphi) *dphi = dc_dot(F->grad[i], u);
    if (dn) {
        dc_v3 y = dci_sample_turn(F, i, u), n = F->normal[i];
        *dn = dc_add(dc_cross(xi->angular, n), dc_madd(y, -dc_dot(n, y), n));
    }
}

/* adds to *x_bar and to the twist; n_bar NULL: none */
static void dci_sample_pull(const dci_man_field *F, dci_man_twist *xi, size_t i, dc_real phi_bar, const dc_v3 *n_bar,
                            dc_v3 *x_bar)
{
    dc_v3 u = F->grad ? dc_scale(phi_bar, F->grad[i]) : dc_vec(0, 0, 0);
    if (n_bar) {
        dc_v3 n = F->normal[i];
        u = dc_add(u, dci_sample_turn(F, i, dc_madd(*n_bar, -dc_dot(n, *n_bar), n)));
        xi->angular = dc_add(xi->angular, dc_cross(n, *n_bar));
    }
    *x_bar = dc_add(*x_bar, u);
    xi->linear = dc_sub(xi->linear, u);
    xi->angular = dc_sub(xi->angular, dc_cross(dc_sub(F->point[i], F->body->origin), u));
}

/* The own field of body c at step k of `trace`, at the first one with its normal */
static dci_man_field dci_trace_field(const dci_man *m, int c, int k)
{
    const dci_man_trace *trace = &m->side[c].trace;
    dci_man_field F = trace->start;
    size_t at = m->pairs*(size_t)k;
    F.point = trace->point + at;
    F.phi = trace->phi + at;
    F.grad = trace->grad ? trace->grad + at : NULL;
    F.hess = trace->hess ? trace->hess + 6*at : NULL;
    if (k > 0) {
        F.normal = NULL;
        F.turn = NULL;
    }
    return F;
}

/* e <- e - phi(e) n at every step, n the normal where it starts: the derivative of where witness point i ends */
static dc_v3 dci_trace_push(const dci_man *m, int c, size_t i, dc_v3 dW)
{
    const dci_man_field *start = &m->side[c].trace.start;
    const dci_man_twist *xi = &m->side[c].d.twist;
    dc_real dphi;
    dc_v3 dn;
    int k;
    if (m->options.trace == 0) return dW;

    /* dn of the first normal serves all steps */
    dci_sample_push(start, xi, i, dW, NULL, &dn);
    for (k = 0; k < m->options.trace; ++k) {
        dci_man_field F = dci_trace_field(m, c, k);
        dci_sample_push(&F, xi, i, dW, &dphi, NULL);
        dW = dc_madd(dc_madd(dW, -dphi, start->normal[i]), -F.phi[i], dn);
    }
    return dW;
}

static dc_v3 dci_trace_pull(dci_man *m, int c, size_t i, dc_v3 W_bar)
{
    const dci_man_field *start = &m->side[c].trace.start;
    dci_man_twist *xi = &m->side[c].d.twist;
    dc_v3 n_bar = dc_vec(0, 0, 0);
    int k;
    if (m->options.trace == 0) return W_bar;

    for (k = m->options.trace; k-- > 0;) {
        dci_man_field F = dci_trace_field(m, c, k);
        n_bar = dc_madd(n_bar, -F.phi[i], W_bar);
        dci_sample_pull(&F, xi, i, -dc_dot(start->normal[i], W_bar), NULL, &W_bar);
    }
    dci_sample_pull(start, xi, i, 0, &n_bar, &W_bar);
    return W_bar;
}

/* ---- [values] manifold: values -------------------------------------------------------------------------- */
/* In: surfaces, poses, options; out: everything that contacts are made of. Its stages are in the head of [bodies]. */

/* sum over vertices of weights times points */
static dc_v3 dci_weigh(const dci_man_pick *p, const dc_real *w, const dc_v3 *x)
{
    dc_v3 sum = dc_vec(0, 0, 0);
    int j;
    for (j = 0; j < p->some; ++j) sum = dc_madd(sum, w[j], x[p->entry[j]]);
    return sum;
}

/* a ball about n points: its radius */
static dc_real dci_man_ball(int n, const dc_v3 *x, dc_v3 *centre)
{
    dc_v3   c = dc_vec(0, 0, 0);
    dc_real r2 = 0;
    int i;
    for (i = 0; i < n; ++i) c = dc_madd(c, 1/(dc_real)n, x[i]);
    for (i = 0; i < n; ++i) r2 = dc_max(r2, dc_dot(dc_sub(x[i], c), dc_sub(x[i], c)));
    *centre = c;
    return dc_sqrt(r2);
}

/* With `cull`: least values of the other field at n points of body c: by blocks, and where these are near by points */
static dc_status dci_man_bound(dci_man *m, int c, int n, const dc_v3 *x)
{
    const dci_man_bounds *b = &m->side[c].bounds;
    const dci_man_body *other = &m->side[1 - c].body;
    const dc_real end = dci_man_end(m);
    int i, k, near_count = 0;
    for (k = 0; k*DCI_MAN_BLOCK < n; ++k) {
        const int first = k*DCI_MAN_BLOCK;
        b->radius[k] = dci_man_ball(n - first < DCI_MAN_BLOCK ? n - first : DCI_MAN_BLOCK, x + first, &b->centre[k]);
        b->centre[k] = dc_mul_t(&other->axes, dc_sub(b->centre[k], other->origin));
    }
    if (dc_sdf_bound(other->sdf, k, b->centre, b->radius, b->block_least) != DC_OK) return DC_E_RANGE;

    for (i = 0; i < n; ++i)
        if (b->block_least[i/DCI_MAN_BLOCK] < end)
            b->point[near_count++] = dc_mul_t(&other->axes, dc_sub(x[i], other->origin));
    if (near_count > 0 && dc_sdf_bound(other->sdf, near_count, b->point, NULL, b->least) != DC_OK) return DC_E_RANGE;
    for (i = n; i-- > 0;) {
        const dc_real least = b->block_least[i/DCI_MAN_BLOCK];
        b->least[i] = least < end ? b->least[--near_count] : least;
    }
    return DC_OK;
}

/* Witness points may leave an edge by 0.28 eps_comp of its length: what a ball about it grows by to hold them */
static dc_real dci_man_beyond(const dc_manifold_options *o)
{
    return DC_R(1.001)*(1 + DC_R(0.56)*dci_or(o->witness.eps_comp, DC_R(0.1)));
}

/* Is the ball about each mesh beyond reach of the other field? Witness points that are traced may leave it. */
static int dci_man_apart(const dci_man *m)
{
    int c;
    if (!(m->options.cull > 0) || m->options.trace > 0) return 0;
    for (c = 0; c < 2; ++c) {
        const dci_man_side *s = &m->side[c];
        const dci_man_body *other = &m->side[1 - c].body;
        dc_v3   centre;
        dc_real least, radius = dci_man_beyond(&m->options)*dci_man_ball(s->mesh->nv, s->mesh->v, &centre);
        centre = dc_add(dc_mul(&s->body.axes, centre), s->body.origin);
        centre = dc_mul_t(&other->axes, dc_sub(centre, other->origin));
        if (dc_sdf_bound(other->sdf, 1, &centre, &radius, &least) != DC_OK || !(least >= dci_man_end(m))) return 0;
    }
    return 1;
}

/* Vertices that are beyond reach, and with them the middle of their edges, by which those are kept */
static dc_status dci_man_skip_vertices(dci_man *m, int c)
{
    dci_man_side *s = &m->side[c];
    const int nv = s->vertices.count;
    const dc_real *least = s->bounds.least;
    dc_status status = DC_OK;
    int i;
    for (i = 0; i < nv && m->apart; ++i) s->bounds.skip_vertex[i] = 2*m->reach;
    if (!m->apart) status = dci_man_bound(m, c, nv, s->vertex);
    if (m->apart || status != DC_OK) return status;

    /* a vertex that an edge needs is not left out */
    for (i = 0; i < nv; ++i) s->bounds.skip_vertex[i] = least[i] >= dci_man_end(m) ? least[i] : DC_R(0);
    for (i = 0; i < s->edges.count && s->edges.soft; ++i) {
        const int p = s->mesh->edge[2*i], q = s->mesh->edge[2*i + 1];
        if (least[p] + least[q] >= 2*dci_man_end(m)) continue;
        s->bounds.skip_vertex[p] = s->bounds.skip_vertex[q] = 0;
    }
    return DC_OK;
}

/* e^-DCI_MAN_FAINT and less, times what derivatives of weights are larger by, is no more than rounding */
#define DCI_MAN_FAINT (DC_IS_FLOAT ? DC_R(28) : DC_R(50))

/* Weights from the ranks of all. Of what is below the last one kept by x every weight is less than e^(-x^power/tau):
 * what is far below is left out, ranks move up. With `cull` those beyond reach are of one rank that does not change,
 * the least there is: their rows are the same. */
static dc_status dci_pick_soft(const dci_man *m, dci_man_pick *p)
{
    const dc_manifold_options *o = &m->options;
    const dc_real far_below = DCI_MAN_FAINT*o->tau_top, width = o->power == 2 ? dc_sqrt(far_below) : far_below;
    const dc_real bottom = o->cull > 0 ? -m->inv_length*dci_man_fade(m, 2*m->reach).bent : -DC_REAL_MAX;
    dc_real least;
    int i, k;

    /* of bodies that are apart all weigh the same */
    if (m->apart) {
        p->some = p->count;
        p->rows = 1;
        for (k = 0; k < p->kept; ++k) p->top[k] = k;
        for (i = 0; i < p->count; ++i) {
            p->entry[i] = i;
            p->rank[i] = bottom;
            p->weight[i] = 1/(dc_real)p->count;
        }
        return DC_OK;
    }
    for (i = 0; i < p->count; ++i)
        if (!(dc_abs(p->rank[i]) <= DC_LIMIT)) return DC_E_RANGE;

    /* those that weigh */
    dci_softsort_top(p->count, p->rank, p->kept, p->top);
    least = p->rank[p->top[p->kept - 1]] - width;
    for (p->some = 0, i = 0; i < p->count; ++i) {
        if (p->rank[i] < least) continue;
        p->entry[p->some] = i;
        p->rank[p->some++] = p->rank[i];
    }
    dci_softsort_top(p->some, p->rank, p->kept, p->top);

    /* rows that differ */
    for (p->rows = p->kept; p->rows > 1 && p->rank[p->top[p->rows - 2]] <= bottom;) --p->rows;
    for (k = 0; k < p->rows; ++k)
        dci_softsort_row(p->some, p->rank, p->rank[p->top[k]], o->power, 1/o->tau_top,
                         p->weight + (size_t)k*(size_t)p->some);
    return DC_OK;
}

/* Vertices in the world, their depth, what is kept of vertices and edges. */
static dc_status dci_man_select(dci_man *m, int c)
{
    dci_man_side *s = &m->side[c];
    dci_man_pick *vertices = &s->vertices, *edges = &s->edges;
    const int *edge = s->mesh->edge, nv = vertices->count;
    const dc_real *phi = s->at_vertex.phi;
    dc_status status = DC_OK;
    int i, j, k;

    /* vertices */
    for (i = 0; i < nv; ++i) s->vertex[i] = dc_add(dc_mul(&s->body.axes, s->mesh->v[i]), s->body.origin);
    if (vertices->kept > 0 || edges->soft) {
        if (s->bounds.skip_vertex) status = dci_man_skip_vertices(m, c);
        if (status == DC_OK) status = dci_sample(m, &s->at_vertex);
        if (status != DC_OK) return status;
    }

    /* vertices kept softly, deepest first: s = -phi/L */
    if (vertices->soft) {
        for (i = 0; i < nv && !m->apart; ++i) vertices->rank[i] = -m->inv_length*dci_man_fade(m, phi[i]).bent;
        status = dci_pick_soft(m, vertices);
        if (status != DC_OK) return status;
        for (k = 0; k < vertices->rows; ++k)
            s->contact[k] = dci_weigh(vertices, vertices->weight + (size_t)k*(size_t)vertices->some, s->vertex);
        for (; k < vertices->kept; ++k) s->contact[k] = s->contact[k - 1];
        status = dci_sample(m, &s->at_contact);
        if (status != DC_OK) return status;
    }

    /* edges by the mean of their ends */
    if (edges->soft) {
        for (i = 0; i < edges->count && !m->apart; ++i)
            edges->rank[i] = -m->inv_length*dci_man_fade(m, DC_R(0.5)*(phi[edge[2*i]] + phi[edge[2*i + 1]])).bent;
        status = dci_pick_soft(m, edges);
        if (status != DC_OK) return status;
    }

    for (k = 0; k < edges->kept; ++k) {
        dc_v3 e0 = dc_vec(0, 0, 0), e1 = e0;
        if (!edges->soft || k >= edges->rows) {
            s->end[0][k] = edges->soft ? s->end[0][k - 1] : s->vertex[edge[2*k]];
            s->end[1][k] = edges->soft ? s->end[1][k - 1] : s->vertex[edge[2*k + 1]];
            continue;
        }
        for (j = 0; j < edges->some; ++j) {
            const dc_real w = edges->weight[(size_t)k*(size_t)edges->some + (size_t)j];
            i = edges->entry[j];
            e0 = dc_madd(e0, w, s->vertex[edge[2*i]]);
            e1 = dc_madd(e1, w, s->vertex[edge[2*i + 1]]);
        }
        s->end[0][k] = e0;
        s->end[1][k] = e1;
    }
    return DC_OK;
}

/* the edge of body c in pair i */
static int dci_man_edge(const dci_man *m, int c, size_t i)
{
    const size_t n = (size_t)m->side[1].edges.kept;
    return (int)(c == 0 ? i/n : i%n);
}

/* the ends of both edges of pair i, `d` their tangents */
static void dci_man_ends(const dci_man *m, size_t i, int d, dc_v3 end[4])
{
    int c, k;
    for (c = 0; c < 2; ++c) {
        const dci_man_side *s = &m->side[c];
        dc_v3 *const *from = d ? s->d.end : s->end;
        k = dci_man_edge(m, c, i);
        end[2*c] = from[0][k];
        end[2*c + 1] = from[1][k];
    }
}

/* Witness points of all pairs of edges kept, and fields there */
static dc_status dci_man_witness(dci_man *m)
{
    const size_t np = m->pairs, count = m->apart > 1 ? 1 : np;
    dc_status status;
    size_t i;
    int c, k;

    /* rows of the ends */
    for (i = 0; i < count; ++i) {
        dc_v3 end[4];
        dci_man_ends(m, i, 0, end);
        for (k = 0; k < 4; ++k) {
            dc_real *x = m->input + (size_t)(3*k)*np + i;
            x[0] = end[k].x;
            x[np] = end[k].y;
            x[2*np] = end[k].z;
        }
    }
    status = dc_ee_witness_batch(&m->options.witness, (int)count, m->input, np, m->output, m->jac);
    if (status != DC_OK) return DC_E_RANGE;

    for (c = 0; c < 2; ++c) {
        dci_man_side *s = &m->side[c];
        const dc_real *y = m->output + (size_t)(3*c)*np;
        for (i = 0; i < count; ++i) s->witness[i] = dc_vec(y[i], y[np + i], y[2*np + i]);
        for (; i < np; ++i) s->witness[i] = s->witness[0];

        /* onto the surface: e <- e - phi(e) n, n the normal where it starts */
        for (k = 0; k < m->options.trace; ++k) {
            dci_man_field F = dci_trace_field(m, c, k);
            memcpy(s->trace.point + np*(size_t)k, s->witness, np*sizeof *s->witness);
            status = dci_sample(m, &F);
            if (status != DC_OK) return status;
            for (i = 0; i < np; ++i) s->witness[i] = dc_madd(s->witness[i], -F.phi[i], s->trace.start.normal[i]);
        }
    }
    return DC_OK;
}

/* the pairs of edge k of body c: the first, and the step to the next */
static size_t dci_line(const dci_man *m, int c, int k, size_t *step)
{
    *step = c == 0 ? 1 : (size_t)m->side[1].edges.kept;
    return c == 0 ? (size_t)k*(size_t)m->side[1].edges.kept : (size_t)k;
}

/* Distances of all pairs and nearest-edge weights */
static DCI_NOINLINE void dci_man_distances(dci_man *m)
{
    const dci_man_side *a = &m->side[0], *b = &m->side[1];
    const dc_manifold_options *o = &m->options;
    size_t i, step;
    int c, k, l;
    for (i = 0; i < m->pairs; ++i) {
        dci_man_pair *p = &m->pair[i];
        dc_v3   e = dc_sub(a->witness[i], b->witness[i]);
        dc_real e2 = dc_dot(e, e);

        /* n_bar, d_bar */
        p->inverse = 1/dc_sqrt(e2 + o->eps_n);
        p->n_bar = dc_scale(p->inverse, e);
        p->d_bar = p->inverse*e2;
        p->gamma = m->output[8*m->pairs + i];
    }

    /* soft argmin of d_bar along rows for a, along columns for b: CONTAX Eq. 13, 14 */
    for (c = 0; c < 2; ++c)
        for (k = 0; k < m->side[c].edges.kept; ++k) {
            dci_man_pair *first = m->pair + dci_line(m, c, k, &step);
            dc_real least = first->d_bar, sum = 0;
            int     n = m->side[1 - c].edges.kept;
            for (l = 1; l < n; ++l) least = dc_min(least, first[(size_t)l*step].d_bar);
            for (l = 0; l < n; l += DCI_CHUNK) {
                const int rest = n - l < DCI_CHUNK ? n - l : DCI_CHUNK;
                dci_man_pair *p = first + (size_t)l*step;
                dc_real *x = m->chunk->value;
                int j;
                for (j = 0; j < rest; ++j) x[j] = (least - p[(size_t)j*step].d_bar)/o->tau_nn;
                dci_exp_row(rest, x);
                for (j = 0; j < rest; ++j) sum += p[(size_t)j*step].nearest[c] = x[j];
            }
            for (l = 0; l < n; ++l) first[(size_t)l*step].nearest[c] /= sum;        /* sum >= 1 */
        }
}

/* Shares of the pairs of edges; witness points where those are 0, or which are beyond reach, are left out. */
static DCI_NOINLINE dc_status dci_man_skip_pairs(dci_man *m)
{
    const dc_manifold_options *o = &m->options;
    const dc_real end = dci_man_end(m);
    size_t i;
    int c;
    for (i = 0; i < m->pairs; ++i) {
        dci_man_pair *p = &m->pair[i];
        const dc_real near_both = p->gamma*(p->nearest[0] + p->nearest[1]);
        dci_fade f;
        p->share = m->apart ? DC_R(0) : DC_R(1);
        p->dshare = 0;
        if (m->apart || near_both > o->cull) continue;      /* up to reach */
        f = dci_man_fade(m, -o->tau_pen*dc_log(dc_max(near_both, DC_REAL_MIN)));
        p->share = f.weight;
        p->dshare = -o->tau_pen*f.slope;
    }
    for (c = 0; c < 2; ++c) {
        dci_man_side *s = &m->side[c];
        for (i = 0; i < m->pairs && m->apart; ++i) s->bounds.skip_cross[i] = 2*m->reach;
        if (m->apart) continue;
        if (dci_man_bound(m, c, (int)m->pairs, s->witness) != DC_OK) return DC_E_RANGE;
        for (i = 0; i < m->pairs; ++i)
            s->bounds.skip_cross[i] = m->pair[i].share > 0 && s->bounds.least[i] < end ? DC_R(0) : end;
    }
    return DC_OK;
}

/* Signs and indicators of the next pairs, from *at on, that are not left out, as many as a chunk holds */
static DCI_NOINLINE void dci_man_indicators(dci_man *m, size_t *at)
{
    const dci_man_side *a = &m->side[0], *b = &m->side[1];
    const dc_manifold_options *o = &m->options;
    dci_chunk *rows = m->chunk;
    dc_real *cosine = rows->grad, *facing = rows->value, *depth = rows->point, *own = rows->dir;
    size_t i;
    int c, j, n;
    for (n = 0, i = *at; i < m->pairs && n < DCI_CHUNK; ++i) {
        dci_man_pair *p = &m->pair[i];
        dc_v3   na = a->own.normal[i], nb = b->own.normal[i];
        if (!m->skip_own) {
            p->share = 1;
            p->dshare = 0;
        }
        if (!(p->share > 0)) continue;
        cosine[n] = dc_dot(nb, p->n_bar)/o->tau_sign;
        cosine[DCI_CHUNK + n] = -dc_dot(na, p->n_bar)/o->tau_sign;
        facing[n] = -dc_dot(na, nb)/o->tau_cl;
        for (c = 0; c < 2; ++c) {
            depth[c*DCI_CHUNK + n] = -m->side[c].cross.phi[i]/o->tau_pen;
            own[c*DCI_CHUNK + n] = o->inside ? -m->side[c].own.phi[i]/o->tau_pen : DC_R(0);
        }
        rows->at[n++] = (int)i;
    }
    *at = i;

    /* g, and the indicators */
    for (c = 0; c < 2; ++c) {
        dci_tanh_row(n, cosine + c*DCI_CHUNK);
        dci_sigmoid_row(n, depth + c*DCI_CHUNK);                            /* CONTAX Eq. 12 */
        if (o->inside) dci_sigmoid_row(n, own + c*DCI_CHUNK);
    }
    dci_sigmoid_row(n, facing);                                             /* CONTAX Eq. 15 */

    /* and what fades both contacts, of the other body's depth */
    for (j = 0; j < n; ++j) {
        dci_man_pair *p = &m->pair[rows->at[j]];
        p->facing = facing[j];
        for (c = 0; c < 2; ++c) {
            const dci_fade f = dci_man_fade(m, m->side[c].cross.phi[rows->at[j]]);
            p->sign[c] = cosine[c*DCI_CHUNK + j];
            p->pen[c] = depth[c*DCI_CHUNK + j];
            p->inside[c] = o->inside ? own[c*DCI_CHUNK + j] : DC_R(1);
            p->weight[c] = f.weight;
            p->slope[c] = f.slope;
        }
    }
}

/* Fields at the witness points, signs and indicators of all pairs */
static DCI_NOINLINE dc_status dci_man_pairs(dci_man *m)
{
    const dci_man_side *a = &m->side[0], *b = &m->side[1];
    dc_status status = DC_OK;
    size_t i;
    int c;

    /* the own fields serve contacts on both bodies: left out where there is none */
    if (m->skip_own) status = dci_man_skip_pairs(m);
    for (c = 0; c < 2 && status == DC_OK; ++c) status = dci_sample(m, &m->side[c].cross);
    for (i = 0; i < m->pairs && m->skip_own && status == DC_OK; ++i) {
        const dc_real least = dc_min(a->cross.phi[i], b->cross.phi[i]);
        m->skip_own[i] = least >= dci_man_end(m) ? least : DC_R(0);
        if (m->skip_own[i] > 0) m->pair[i].share = m->pair[i].dshare = 0;
    }
    for (c = 0; c < 2 && status == DC_OK; ++c) status = dci_sample(m, &m->side[c].own);
    if (status != DC_OK) return status;

    for (i = 0; i < m->pairs;) dci_man_indicators(m, &i);
    return DC_OK;
}

/* what gamma is multiplied with in the activity on body c, CONTAX Eq. 16 */
static dc_real dci_pair_act(const dci_man_pair *p, int c) { return p->pen[c]*p->inside[c]*p->nearest[c]*p->facing; }

/* one that is left out, or its derivative */
static void dci_contact_left_out(dc_manifold_contact *contact, dc_v3 p)
{
    contact->p = p;
    contact->n = dc_vec(0, 0, 0);
    contact->d = contact->act = 0;
}

static DCI_NOINLINE void dci_man_contacts(const dci_man *m, dc_manifold_contact *contacts)
{
    const dc_real beyond = m->options.cull > 0 ? dci_man_fade(m, 2*m->reach).bent : DC_R(0);
    size_t i;
    int c, k;

    /* of vertices */
    for (c = 0; c < 2; ++c) {
        const dci_man_side *s = &m->side[c];
        for (k = 0; k < s->vertices.kept; ++k, ++contacts) {
            dci_fade f;
            if (dci_field_skips(&s->at_contact, k)) {
                dci_contact_left_out(contacts, s->contact[k]);
                contacts->d = beyond;
                continue;
            }
            f = dci_man_fade(m, s->at_contact.phi[k]);
            contacts->p = s->contact[k];
            contacts->d = f.bent;
            contacts->n = dc_scale(f.weight, s->at_contact.normal[k]);
            contacts->act = f.weight*dc_sigmoid(-s->at_contact.phi[k]/m->options.tau_pen);
        }
    }

    /* of pairs of edges */
    for (c = 0; c < 2; ++c)
        for (i = 0; i < m->pairs; ++i, ++contacts) {
            const dci_man_pair *p = &m->pair[i];
            dc_real w;
            if (m->apart || !(p->share > 0)) {
                dci_contact_left_out(contacts, m->side[c].witness[i]);
                continue;
            }
            w = p->share*p->weight[c];
            contacts->p = m->side[c].witness[i];
            contacts->d = w*(p->sign[c]*p->d_bar);                                         /* CONTAX Eq. 11 */
            contacts->n = dc_scale(w*(c == 0 ? p->sign[c] : -p->sign[c]), p->n_bar);
            contacts->act = w*(p->gamma*p->pen[c]*p->inside[c]*p->nearest[c]*p->facing);   /* CONTAX Eq. 16 */
        }
}

static int dci_man_pose(const dc_pose *pose, dci_man_body *body)
{
    dc_pose at = DC_ZERO;
    at.q.w = 1;
    if (!dc_pose_ok(pose)) return 0;
    if (pose) {
        at.t = pose->t;
        if (dc_quat_normalize(pose->q, &at.q) != DC_OK) return 0;
    }
    body->axes = dc_rotation(at.q);
    body->origin = at.t;
    return 1;
}

static int dci_contact_ok(const dc_manifold_contact *c)
{
    return dc_in_range(c->p) && dc_abs(c->d) <= DC_LIMIT && dc_in_range(c->n) && dc_abs(c->act) <= DC_LIMIT;
}

/* has it a field that can be evaluated? That of no points tells. */
static int dci_man_field_ok(const dc_surface *s)
{
    dc_arena none = dc_arena_make(NULL, 0);
    dc_sdf_out out = DC_ZERO;
    return dci_surface_ok(s) && dc_sdf_eval_batch(s->sdf, 0, NULL, 0, &none, &out) != DC_E_ARG;
}

/* Options, sizes and posed fields into *m; meshes and bar (may be NULL) are in range. */
static dc_status dci_man_check(dci_man *m, const dc_surface *a, const dc_pose *pose_a, const dc_surface *b,
                               const dc_pose *pose_b, const dc_manifold_options *opt, const dc_manifold_contact *bar)
{
    int c, i, total, part[4];
    if (dci_man_sizes(m, a, b, opt) != DC_OK) return DC_E_ARG;
    if (!dci_man_pose(pose_a, &m->side[0].body) || !dci_man_pose(pose_b, &m->side[1].body)) return DC_E_ARG;
    m->side[0].body.sdf = a->sdf;
    m->side[1].body.sdf = b->sdf;

    /* meshes and cotangents */
    for (c = 0; c < 2; ++c) {
        const dci_man_side *s = &m->side[c];
        for (i = 0; i < s->mesh->nv; ++i)
            if (!dc_in_range(s->mesh->v[i])) return DC_E_ARG;
        for (i = 0; s->edges.kept > 0 && i < 2*s->mesh->ne; ++i)
            if (s->mesh->edge[i] < 0 || s->mesh->edge[i] >= s->mesh->nv) return DC_E_ARG;
    }
    total = dci_man_counts(m, part);
    for (i = 0; bar && i < total; ++i)
        if (!dci_contact_ok(&bar[i])) return DC_E_ARG;
    return DC_OK;
}

/* Without room for a dci_man: its checks, on the stack. */
static DCI_NOINLINE dc_status dci_man_refuse(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b,
                                             const dc_pose *pose_b, const dc_manifold_options *opt,
                                             const dc_manifold_contact *bar)
{
    dci_man m;
    return dci_man_check(&m, a, pose_a, b, pose_b, opt, bar) == DC_OK ? DC_E_MEMORY : DC_E_ARG;
}

/* Values and, with derive, what push and pull need, in *out. mem is left as it became: the caller resets it. */
static DCI_NOINLINE dc_status dci_man_run(dci_man **out, const dc_surface *a, const dc_pose *pose_a,
                                          const dc_surface *b, const dc_pose *pose_b, const dc_manifold_options *opt,
                                          const dc_manifold_contact *bar, int derive, dc_arena *mem)
{
    dci_man  *m;
    dc_status status;
    int c;

    /* arguments and memory */
    if (!mem || !dci_man_field_ok(a) || !dci_man_field_ok(b)) return DC_E_ARG;
    m = *out = (dci_man *)dc_arena_take(mem, 1, sizeof *m);
    if (!m) return dci_man_refuse(a, pose_a, b, pose_b, opt, bar);
    if (dci_man_check(m, a, pose_a, b, pose_b, opt, bar) != DC_OK) return DC_E_ARG;
    if (!dci_man_memory(m, derive, mem)) return DC_E_MEMORY;

    /* values; second derivatives are of every pair */
    m->apart = dci_man_apart(m);
    if (m->apart && derive < 2 && m->side[0].edges.soft && m->side[1].edges.soft) m->apart = 2;
    for (c = 0; c < 2; ++c) {
        status = dci_man_select(m, c);
        if (status != DC_OK) return status;
    }
    if (m->pairs > 0) {
        status = dci_man_witness(m);
        if (status != DC_OK || m->apart > 1) return status;
        dci_man_distances(m);
        return dci_man_pairs(m);
    }
    return DC_OK;
}

/* ---- [push] manifold: derivative along a direction ------------------------------------------------------ */
/* In: values, twists of the bodies; out: derivatives of the contacts.
 *
 * stage             | reads              | writes                                     | transposed by
 * dci_push_select   | a twist            | tangents of vertices, contacts, ends       | dci_pull_select
 * dci_push_pairs    | tangents of ends   | of witness points, fields there, distances | dci_pull_pairs
 * dci_push_contacts | all of these       | of the contacts                            | dci_pull_contacts */

static void dci_pick_push(const dci_man *m, dci_man_pick *p)
{
    const dc_manifold_options *o = &m->options;
    if (m->apart) {                                         /* all weigh the same whatever moves */
        memset(p->drank, 0, (size_t)p->some*sizeof *p->drank);
        memset(p->dweight, 0, (size_t)p->some*sizeof *p->dweight);
    } else
        dc_softsort_topk_jvp(p->some, p->rank, p->rows, o->power, o->tau_top, p->top, p->weight, p->drank, p->dweight);
}

/* derivative of an edge's rank by the depth of either end */
static dc_real dci_edge_slope(const dci_man *m, const dci_man_side *s, int i)
{
    const int *edge = s->mesh->edge + 2*i;
    const dc_real *phi = s->at_vertex.phi;
    return DC_R(-0.5)*m->inv_length*dci_man_fade(m, DC_R(0.5)*(phi[edge[0]] + phi[edge[1]])).weight;
}

/* Body c, from its twist to the ends of its edges */
static void dci_push_select(dci_man *m, int c)
{
    dci_man_side *s = &m->side[c];
    dci_man_tangent *d = &s->d;
    dci_man_pick *vertices = &s->vertices, *edges = &s->edges;
    const dci_man_twist *other = &m->side[1 - c].d.twist;
    const int *edge = s->mesh->edge, nv = vertices->count;
    int i, j, k;

    /* vertices move with the body */
    for (i = 0; i < nv; ++i) {
        d->vertex[i] = dc_add(d->twist.linear, dc_cross(d->twist.angular, dc_sub(s->vertex[i], s->body.origin)));
        d->phi[i] = 0;
        if ((vertices->soft || edges->soft) && !dci_field_skips(&s->at_vertex, i))
            dci_sample_push(&s->at_vertex, other, (size_t)i, d->vertex[i], &d->phi[i], NULL);
    }

    /* contacts of vertices: where they are the vertices, so are their tangents */
    if (vertices->soft) {
        for (j = 0; j < vertices->some && !m->apart; ++j) {
            i = vertices->entry[j];
            vertices->drank[j] = -m->inv_length*dci_man_fade(m, s->at_vertex.phi[i]).weight*d->phi[i];
        }
        dci_pick_push(m, vertices);
        for (k = 0; k < vertices->rows; ++k) {
            const size_t row = (size_t)k*(size_t)vertices->some;
            d->contact[k] = dc_add(dci_weigh(vertices, vertices->weight + row, d->vertex),
                                   dci_weigh(vertices, vertices->dweight + row, s->vertex));
        }
        for (; k < vertices->kept; ++k) d->contact[k] = d->contact[k - 1];
    }

    /* edges */
    if (edges->soft) {
        for (j = 0; j < edges->some && !m->apart; ++j) {
            i = edges->entry[j];
            edges->drank[j] = dci_edge_slope(m, s, i)*(d->phi[edge[2*i]] + d->phi[edge[2*i + 1]]);
        }
        dci_pick_push(m, edges);
    }

    for (k = 0; k < edges->kept; ++k) {
        dc_v3 e0 = dc_vec(0, 0, 0), e1 = e0;
        if (!edges->soft || k >= edges->rows) {
            d->end[0][k] = edges->soft ? d->end[0][k - 1] : d->vertex[edge[2*k]];
            d->end[1][k] = edges->soft ? d->end[1][k - 1] : d->vertex[edge[2*k + 1]];
            continue;
        }
        for (j = 0; j < edges->some; ++j) {
            const size_t  at = (size_t)k*(size_t)edges->some + (size_t)j;
            const dc_real w = edges->weight[at], dw = edges->dweight[at];
            const int     p = edge[2*edges->entry[j]], q = edge[2*edges->entry[j] + 1];
            e0 = dc_madd(dc_madd(e0, w, d->vertex[p]), dw, s->vertex[p]);
            e1 = dc_madd(dc_madd(e1, w, d->vertex[q]), dw, s->vertex[q]);
        }
        d->end[0][k] = e0;
        d->end[1][k] = e1;
    }
}

static dc_real dci_rows_dot(const dc_real *row, size_t np, dc_v3 d)
{
    return row[0]*d.x + row[np]*d.y + row[2*np]*d.z;
}

/* Witness points, fields there, distances */
static void dci_push_pairs(dci_man *m)
{
    const size_t np = m->pairs, count = m->apart > 1 ? 1 : np;
    size_t i, step;
    int c, k, l;
    for (i = 0; i < count; ++i) {
        const dci_man_pair *p = &m->pair[i];
        dci_man_pair_d *d = &m->dpair[i];
        dc_v3   end[4], dend[4], de;
        dc_real dx[3], along;

        /* alpha_a, alpha_b, gamma from the ends */
        dci_man_ends(m, i, 0, end);
        dci_man_ends(m, i, 1, dend);
        for (k = 0; k < 3; ++k)
            for (dx[k] = 0, l = 0; l < 4; ++l) dx[k] += dci_rows_dot(m->jac + (size_t)(12*k + 3*l)*np + i, np, dend[l]);
        d->gamma = dx[2];

        /* witness points, traced, and both fields there */
        for (c = 0; c < 2; ++c) {
            dci_man_side *s = &m->side[c];
            const dci_man_twist *other = &m->side[1 - c].d.twist;
            dc_real alpha = m->output[(size_t)(6 + c)*np + i];
            dc_v3   dW = dc_madd(dend[2*c], alpha, dc_sub(dend[2*c + 1], dend[2*c]));
            dW = dc_madd(dW, dx[c], dc_sub(end[2*c + 1], end[2*c]));
            if (s->trace.rate) s->trace.rate[i] = dW;
            dW = dci_trace_push(m, c, i, dW);
            s->d.witness[i] = dW;
            if (m->apart > 1 || !(p->share > 0)) continue;
            dci_sample_push(&s->own, &s->d.twist, i, dW, s->own.grad ? &d->phi_own[c] : NULL, &d->normal[c]);
            dci_sample_push(&s->cross, other, i, dW, &d->phi[c], NULL);
        }
        if (m->apart > 1) continue;

        /* n_bar = s e, d_bar = s |e|^2, ds = -s^3 e.de */
        de = dc_sub(m->side[0].d.witness[i], m->side[1].d.witness[i]);
        along = dc_dot(p->n_bar, de);
        d->n_bar = dc_scale(p->inverse, dc_madd(de, -along, p->n_bar));
        d->d_bar = along*(2 - p->inverse*p->d_bar);
    }

    /* pairs of bodies that are apart move as the first */
    for (c = 0; c < 2 && m->apart > 1; ++c)
        for (i = 1; i < np; ++i) m->side[c].d.witness[i] = m->side[c].d.witness[0];
    if (m->apart > 1) return;

    /* the mean of dd_bar by the nearest-edge weights */
    for (c = 0; c < 2; ++c)
        for (k = 0; k < m->side[c].edges.kept; ++k) {
            size_t first = dci_line(m, c, k, &step);
            m->sum[c][k] = 0;
            for (l = 0; l < m->side[1 - c].edges.kept; ++l) {
                i = first + (size_t)l*step;
                m->sum[c][k] += m->pair[i].nearest[c]*m->dpair[i].d_bar;
            }
        }

    /* the share, by log gamma + log sum nn, dnn = -nn (dd_bar - mean)/tau */
    for (i = 0; i < np; ++i) {
        const dci_man_pair *p = &m->pair[i];
        dci_man_pair_d *d = &m->dpair[i];
        dc_real dlog = 0;
        d->share = 0;
        if (!(p->dshare < 0 || p->dshare > 0)) continue;
        for (c = 0; c < 2; ++c) dlog -= p->nearest[c]*(d->d_bar - m->sum[c][dci_man_edge(m, c, i)]);
        dlog = d->gamma/p->gamma + dlog/(m->options.tau_nn*(p->nearest[0] + p->nearest[1]));
        d->share = p->dshare*dlog;
    }
}

static void dci_push_contacts(const dci_man *m, dc_manifold_contact *out)
{
    const dc_manifold_options *o = &m->options;
    size_t i;
    int c, k;

    /* of vertices */
    for (c = 0; c < 2; ++c) {
        const dci_man_side *s = &m->side[c];
        for (k = 0; k < s->vertices.kept; ++k, ++out) {
            dci_fade f;
            dc_real z = s->at_contact.phi[k]/o->tau_pen, dphi;
            dc_v3   dn;
            if (dci_field_skips(&s->at_contact, k)) {
                dci_contact_left_out(out, s->d.contact[k]);
                continue;
            }
            f = dci_man_fade(m, s->at_contact.phi[k]);
            out->p = s->d.contact[k];
            dci_sample_push(&s->at_contact, &m->side[1 - c].d.twist, (size_t)k, s->d.contact[k], &dphi, &dn);
            out->d = f.weight*dphi;
            out->n = dc_madd(dc_scale(f.weight, dn), f.slope*dphi, s->at_contact.normal[k]);
            out->act = (f.slope*dc_sigmoid(-z) - f.weight*(dc_sigmoid(z)*dc_sigmoid(-z)/o->tau_pen))*dphi;
        }
    }

    /* of pairs of edges */
    for (c = 0; c < 2; ++c)
        for (i = 0; i < m->pairs; ++i, ++out) {
            const dci_man_pair   *p = &m->pair[i];
            const dci_man_pair_d *d = &m->dpair[i];
            dc_v3   na, nb, no;
            dc_real sign = c == 0 ? DC_R(1) : DC_R(-1), g, act, dact, dg, mean, w, dw;
            if (m->apart > 1 || !(p->share > 0)) {
                dci_contact_left_out(out, m->side[c].d.witness[i]);
                continue;
            }
            na = m->side[0].own.normal[i];
            nb = m->side[1].own.normal[i];
            no = c == 0 ? nb : na;
            g = p->sign[c];
            act = dci_pair_act(p, c);
            mean = m->sum[c][dci_man_edge(m, c, i)];

            /* the fade, of the other body's depth and of the pair's share */
            w = p->share*p->weight[c];
            dw = p->weight[c]*d->share + p->share*p->slope[c]*d->phi[c];

            /* g = tanh(z/tau): dg = (1 - g^2) dz/tau */
            dg = (1 - g*g)/o->tau_sign*sign*(dc_dot(d->normal[1 - c], p->n_bar) + dc_dot(no, d->n_bar));
            out->p = m->side[c].d.witness[i];
            out->d = w*(dg*p->d_bar + g*d->d_bar) + dw*g*p->d_bar;
            out->n = dc_scale(sign, dc_madd(dc_scale(w*dg + dw*g, p->n_bar), w*g, d->n_bar));

            /* act = gamma x the others: logarithmic derivatives of those */
            dact = -(1 - p->pen[c])/o->tau_pen*d->phi[c] - (d->d_bar - mean)/o->tau_nn
                 - (1 - p->facing)/o->tau_cl*(dc_dot(d->normal[0], nb) + dc_dot(na, d->normal[1]));
            if (o->inside) dact -= (1 - p->inside[c])/o->tau_pen*d->phi_own[c];
            out->act = act*(w*(d->gamma + p->gamma*dact) + dw*p->gamma);
        }
}

/* everything but the contacts */
static DCI_NOINLINE void dci_man_move(dci_man *m, const dc_real xi[12])
{
    int c;
    for (c = 0; c < 2; ++c) {
        dci_man_twist *twist = &m->side[c].d.twist;
        twist->linear = dc_vec(xi[6*c], xi[6*c + 1], xi[6*c + 2]);
        twist->angular = dc_vec(xi[6*c + 3], xi[6*c + 4], xi[6*c + 5]);
    }
    dci_push_select(m, 0);
    dci_push_select(m, 1);
    if (m->pairs > 0) dci_push_pairs(m);
}

static DCI_NOINLINE void dci_man_push(dci_man *m, const dc_real xi[12], dc_manifold_contact *out)
{
    dci_man_move(m, xi);
    dci_push_contacts(m, out);
}

static DCI_NOINLINE void dci_man_column(dci_man *m, int k, dc_manifold_contact *out)
{
    dc_real xi[12];
    memset(xi, 0, sizeof xi);
    xi[k] = 1;
    dci_man_push(m, xi, out);
}

/* ---- [pull] manifold: the transpose --------------------------------------------------------------------- */
/* In: values, cotangents of the contacts; out: those of the twists. Each stage is the transpose of one of [push], the
 * last one first; d and dpair are cotangents here.
 *
 * stage             | reads                        | writes                                      | transposes
 * dci_pull_contacts | cotangents of the contacts   | of pairs, witness points, contacts' points  | dci_push_contacts
 * dci_pull_pairs    | of pairs and witness points  | of the ends of edges                        | dci_push_pairs
 * dci_pull_select   | of ends and contacts' points | of vertices and the twists                  | dci_push_select */

static int dci_man_zero(dc_v3 v) { return !(v.x < 0 || v.x > 0 || v.y < 0 || v.y > 0 || v.z < 0 || v.z > 0); }

/* What log nn of body c at pair i gets through the share */
static dc_real dci_share_pull(const dci_man *m, size_t i, int c)
{
    const dci_man_pair *p = &m->pair[i];
    if (!(p->dshare < 0 || p->dshare > 0)) return 0;
    return m->dpair[i].share*p->dshare*p->nearest[c]/(p->nearest[0] + p->nearest[1]);
}

/* From what fades contacts of edges, `edges`, to the other body's depth, the share and gamma */
static void dci_pull_share(dci_man *m, const dc_manifold_contact *edges)
{
    size_t i;
    int c;
    for (c = 0; c < 2; ++c)
        for (i = 0; i < m->pairs; ++i, ++edges) {
            const dci_man_pair *p = &m->pair[i];
            dci_man_pair_d *d = &m->dpair[i];
            dc_real g, w_bar;
            if (!(p->share > 0)) continue;
            g = p->sign[c];
            w_bar = g*p->d_bar*edges->d + edges->act*dci_pair_act(p, c)*p->gamma;
            w_bar += (c == 0 ? g : -g)*dc_dot(edges->n, p->n_bar);
            d->phi[c] += p->share*p->slope[c]*w_bar;
            d->share += p->weight[c]*w_bar;
            if (c == 1 && (p->dshare < 0 || p->dshare > 0)) d->gamma += p->dshare*d->share/p->gamma;
        }
}

/* From contacts to pairs, witness points and what vertices' contacts are made of. Those of the vertices are zero as
 * yet, and with them `contact` where it is the same array. */
static void dci_pull_contacts(dci_man *m, const dc_manifold_contact *bar)
{
    const dc_manifold_options *o = &m->options;
    const dc_manifold_contact *first = bar;
    size_t i;
    int c, k, l;

    /* of vertices */
    for (c = 0; c < 2; ++c) {
        dci_man_side *s = &m->side[c];
        dci_man_twist *other = &m->side[1 - c].d.twist;
        for (k = 0; k < s->vertices.kept; ++k, ++first) {
            dci_fade f;
            dc_real z = s->at_contact.phi[k]/o->tau_pen, act, phi_bar;
            dc_v3   n_bar;
            if (dci_field_skips(&s->at_contact, k)) {
                s->d.contact[k] = first->p;
                continue;
            }
            f = dci_man_fade(m, s->at_contact.phi[k]);
            n_bar = dc_scale(f.weight, first->n);
            act = f.slope*dc_sigmoid(-z);
            act -= f.weight*(dc_sigmoid(z)*dc_sigmoid(-z)/o->tau_pen);
            phi_bar = f.weight*first->d + act*first->act + f.slope*dc_dot(s->at_contact.normal[k], first->n);
            s->d.contact[k] = dc_add(dc_vec(0, 0, 0), first->p);
            dci_sample_pull(&s->at_contact, other, (size_t)k, phi_bar, &n_bar, &s->d.contact[k]);
        }
    }

    /* pairs of edges: those of bodies that are apart are the first one; what fades them, then the rest */
    for (c = 0; c < 2 && m->apart > 1; ++c) {
        dc_v3 sum = dc_vec(0, 0, 0);
        for (i = 0; i < m->pairs; ++i) sum = dc_add(sum, first[(size_t)c*m->pairs + i].p);
        m->side[c].d.witness[0] = sum;
    }
    if (m->apart > 1) return;
    for (i = 0; i < m->pairs; ++i) memset(&m->dpair[i], 0, sizeof m->dpair[i]);
    if (m->skip_own) dci_pull_share(m, first);
    for (c = 0; c < 2; ++c) {
        const dci_man_side *s = &m->side[c];
        const dc_manifold_contact *edges = first + (size_t)c*m->pairs;
        const dc_real sign = c == 0 ? DC_R(1) : DC_R(-1);
        for (i = 0; i < m->pairs; ++i) {
            const dc_manifold_contact *q = edges + i;
            const dci_man_pair *p = &m->pair[i];
            dci_man_pair_d *d = &m->dpair[i];
            dc_v3   na, nb, no;
            dc_real g, act, w, A, z, cl;
            s->d.witness[i] = q->p;
            if (!(p->share > 0)) continue;
            na = m->side[0].own.normal[i];
            nb = m->side[1].own.normal[i];
            no = c == 0 ? nb : na;
            g = p->sign[c];
            act = dci_pair_act(p, c);
            w = p->share*p->weight[c];
            A = w*(q->act*act*p->gamma);

            /* the activity */
            d->gamma += w*(q->act*act);
            d->phi[c] += -(1 - p->pen[c])/o->tau_pen*A;
            d->phi_own[c] = o->inside ? -(1 - p->inside[c])/o->tau_pen*A : DC_R(0);
            cl = -(1 - p->facing)/o->tau_cl*A;
            d->normal[0] = dc_madd(d->normal[0], cl, nb);
            d->normal[1] = dc_madd(d->normal[1], cl, na);

            /* the sign, distance and normal */
            z = (1 - g*g)/o->tau_sign*sign*(w*(q->d*p->d_bar + sign*dc_dot(q->n, p->n_bar)));
            d->normal[1 - c] = dc_madd(d->normal[1 - c], z, p->n_bar);
            d->n_bar = dc_madd(dc_madd(d->n_bar, z, no), w*(sign*g), q->n);
            d->d_bar += w*(g*q->d) - (A + dci_share_pull(m, i, c))/o->tau_nn;
        }

        /* the other half of the nearest-edge weights' derivative: + nn/tau sum A */
        for (k = 0; k < s->edges.kept; ++k) {
            const int n = m->side[1 - c].edges.kept;
            size_t  step, at = dci_line(m, c, k, &step);
            dc_real sum = 0;
            for (l = 0; l < n; ++l) {
                const dci_man_pair *p = &m->pair[i = at + (size_t)l*step];
                dc_real w;
                if (!(p->share > 0)) continue;
                w = p->share*p->weight[c];
                sum += w*(edges[i].act*p->gamma*p->pen[c]*p->inside[c]*p->nearest[c]*p->facing);
                sum += dci_share_pull(m, i, c);
            }
            for (l = 0; l < n; ++l) {
                i = at + (size_t)l*step;
                m->dpair[i].d_bar += m->pair[i].nearest[c]/o->tau_nn*sum;
            }
        }
    }
}

/* From pairs to the ends of the edges */
static void dci_pull_pairs(dci_man *m)
{
    const size_t np = m->pairs, count = m->apart > 1 ? 1 : np;
    size_t i;
    int c, k, l;

    for (c = 0; c < 2; ++c)
        for (k = 0; k < m->side[c].edges.kept; ++k) m->side[c].d.end[0][k] = m->side[c].d.end[1][k] = dc_vec(0, 0, 0);
    for (i = 0; i < count; ++i) {
        const dci_man_pair *p = &m->pair[i];
        const dci_man_pair_d *d = &m->dpair[i];
        const int left_out = m->apart > 1 || !(p->share > 0);
        dc_v3   end[4], ends[4], e;
        dc_real dx[3];

        /* n_bar = s e, d_bar = s |e|^2 */
        if (m->apart < 2) {
            e = dc_scale(p->inverse, dc_madd(d->n_bar, -dc_dot(p->n_bar, d->n_bar), p->n_bar));
            e = dc_madd(e, d->d_bar*(2 - p->inverse*p->d_bar), p->n_bar);
            m->side[0].d.witness[i] = dc_add(m->side[0].d.witness[i], e);
            m->side[1].d.witness[i] = dc_sub(m->side[1].d.witness[i], e);
        }
        if (left_out && dci_man_zero(m->side[0].d.witness[i]) && dci_man_zero(m->side[1].d.witness[i])) continue;

        /* both fields, the way there, and the points' alpha */
        dci_man_ends(m, i, 0, end);
        dx[2] = left_out ? DC_R(0) : d->gamma;
        for (c = 0; c < 2; ++c) {
            dci_man_side *s = &m->side[c];
            dc_v3   W = s->d.witness[i];
            dc_real alpha = m->output[(size_t)(6 + c)*np + i];
            if (!left_out) {
                dci_sample_pull(&s->own, &s->d.twist, i, d->phi_own[c], &d->normal[c], &W);
                dci_sample_pull(&s->cross, &m->side[1 - c].d.twist, i, d->phi[c], NULL, &W);
            }
            W = dci_trace_pull(m, c, i, W);
            dx[c] = dc_dot(W, dc_sub(end[2*c + 1], end[2*c]));
            ends[2*c] = dc_scale(1 - alpha, W);
            ends[2*c + 1] = dc_scale(alpha, W);
        }

        /* alpha_a, alpha_b, gamma */
        for (k = 0; k < 3; ++k)
            for (l = 0; l < 4; ++l) {
                const dc_real *row = m->jac + (size_t)(12*k + 3*l)*np + i;
                ends[l] = dc_madd(ends[l], dx[k], dc_vec(row[0], row[np], row[2*np]));
            }
        for (l = 0; l < 4; ++l) {
            dc_v3 *to = m->side[l/2].d.end[l%2] + dci_man_edge(m, l/2, i);
            *to = dc_add(*to, ends[l]);
        }
    }
}

static void dci_pick_pull(const dc_manifold_options *o, dci_man_pick *p)
{
    int j;
    for (j = 0; j < p->some; ++j) p->drank[j] = 0;
    dc_softsort_topk_vjp(p->some, p->rank, p->rows, o->power, o->tau_top, p->top, p->weight, p->dweight, p->drank);
}

/* From kept edges and vertices of body c to its vertices, and to the twists */
static void dci_pull_select(dci_man *m, int c)
{
    dci_man_side *s = &m->side[c];
    dci_man_tangent *d = &s->d;
    dci_man_pick *vertices = &s->vertices, *edges = &s->edges;
    dci_man_twist *xi = &d->twist, *other = &m->side[1 - c].d.twist;
    const int *edge = s->mesh->edge, nv = vertices->count;
    int i, j, k;

    for (i = 0; i < nv; ++i) d->phi[i] = 0;

    /* contacts of vertices: where they are the vertices, so are their cotangents */
    if (vertices->soft) {
        for (k = vertices->kept; k-- > vertices->rows;) d->contact[k - 1] = dc_add(d->contact[k - 1], d->contact[k]);
        for (k = 0; k < vertices->rows; ++k)
            for (j = 0; j < vertices->some; ++j) {
                const size_t at = (size_t)k*(size_t)vertices->some + (size_t)j;
                i = vertices->entry[j];
                vertices->dweight[at] = dc_dot(d->contact[k], s->vertex[i]);
                d->vertex[i] = dc_madd(d->vertex[i], vertices->weight[at], d->contact[k]);
            }
        if (!m->apart) dci_pick_pull(&m->options, vertices);
        for (j = 0; j < vertices->some && !m->apart; ++j) {
            i = vertices->entry[j];
            d->phi[i] -= m->inv_length*dci_man_fade(m, s->at_vertex.phi[i]).weight*vertices->drank[j];
        }
    }

    /* edges */
    for (k = edges->kept; edges->soft && k-- > edges->rows;)
        for (j = 0; j < 2; ++j) d->end[j][k - 1] = dc_add(d->end[j][k - 1], d->end[j][k]);
    for (k = 0; k < (edges->soft ? edges->rows : edges->kept); ++k) {
        dc_v3 e0 = d->end[0][k], e1 = d->end[1][k];
        if (!edges->soft) {
            d->vertex[edge[2*k]] = dc_add(d->vertex[edge[2*k]], e0);
            d->vertex[edge[2*k + 1]] = dc_add(d->vertex[edge[2*k + 1]], e1);
            continue;
        }
        if (m->apart && dci_man_zero(e0) && dci_man_zero(e1)) continue;
        for (j = 0; j < edges->some; ++j) {
            const size_t at = (size_t)k*(size_t)edges->some + (size_t)j;
            const int    p = edge[2*edges->entry[j]], q = edge[2*edges->entry[j] + 1];
            edges->dweight[at] = dc_dot(e0, s->vertex[p]) + dc_dot(e1, s->vertex[q]);
            d->vertex[p] = dc_madd(d->vertex[p], edges->weight[at], e0);
            d->vertex[q] = dc_madd(d->vertex[q], edges->weight[at], e1);
        }
    }

    if (edges->soft && !m->apart) {
        dci_pick_pull(&m->options, edges);
        for (j = 0; j < edges->some; ++j) {
            const dc_real phi_bar = dci_edge_slope(m, s, edges->entry[j])*edges->drank[j];
            d->phi[edge[2*edges->entry[j]]] += phi_bar;
            d->phi[edge[2*edges->entry[j] + 1]] += phi_bar;
        }
    }

    /* vertices move with the body */
    for (i = 0; i < nv; ++i) {
        if (d->phi[i] < 0 || d->phi[i] > 0)
            dci_sample_pull(&s->at_vertex, other, (size_t)i, d->phi[i], NULL, &d->vertex[i]);
        xi->linear = dc_add(xi->linear, d->vertex[i]);
        xi->angular = dc_add(xi->angular, dc_cross(dc_sub(s->vertex[i], s->body.origin), d->vertex[i]));
    }
}

static DCI_NOINLINE void dci_man_pull(dci_man *m, const dc_manifold_contact *bar, dc_real grad[12])
{
    int c, i;

    /* all start from zero */
    for (c = 0; c < 2; ++c) {
        dci_man_side *s = &m->side[c];
        s->d.twist.linear = s->d.twist.angular = dc_vec(0, 0, 0);
        for (i = 0; i < s->vertices.count; ++i) s->d.vertex[i] = dc_vec(0, 0, 0);
    }

    /* stage by stage */
    dci_pull_contacts(m, bar);
    if (m->pairs > 0) dci_pull_pairs(m);
    dci_pull_select(m, 0);
    dci_pull_select(m, 1);

    /* the twists */
    for (c = 0; c < 2; ++c) {
        const dci_man_twist *xi = &m->side[c].d.twist;
        dc_real *g = grad + 6*c;
        g[0] = xi->linear.x;   g[1] = xi->linear.y;   g[2] = xi->linear.z;
        g[3] = xi->angular.x;  g[4] = xi->angular.y;  g[5] = xi->angular.z;
    }
}

/* ---- [bend] manifold: the transpose along a direction --------------------------------------------------- */
/* In: values and their tangents, as [push] leaves them, cotangents of the contacts with rates; out: those of the
 * twists, whose rates are a Hessian times the direction. Each stage is one of [pull] on numbers that carry their rate
 * along the direction; what is cotangent there is `bent` here. Fields need one derivative more.
 *
 * stage             | reads                        | writes                                      | as
 * dci_sample_bend   | points that move, a field    | the rates of the normals' derivatives       | dc_sdf_ddir_along
 * dci_bend_contacts | cotangents of the contacts   | of pairs, contacts' points                  | dci_pull_contacts
 * dci_bend_pairs    | of pairs                     | of the ends of edges                        | dci_pull_pairs
 * dci_bend_select   | of ends and contacts' points | of vertices and the twists                  | dci_pull_select */

/* w and w' of dci_man_fade at z */
static void dci_bend_fade(const dci_man *m, dci_dual z, dci_dual *weight, dci_dual *slope)
{
    const dci_fade f = dci_man_fade(m, z.at);
    const dc_real width = m->reach/8, t = (z.at - m->reach)/width, curve = -60*t*(1 - t)*(1 - 2*t)/(width*width);
    *weight = dci_dual_of(f.weight, f.slope*z.rate);
    *slope = dci_dual_of(f.slope, t > 0 && t < 1 ? curve*z.rate : 0);
}

/* s(-z/tau) from its value */
static dci_dual dci_bend_sigmoid(dc_real value, dc_real tau, dc_real dz)
{
    return dci_dual_of(value, -value*(1 - value)/tau*dz);
}

/* what a point moves through a body: dx - v - w x (x - t) */
static dc_v3 dci_sample_slip(const dci_man_field *F, const dci_man_twist *xi, size_t i, dc_v3 dx)
{
    return dc_sub(dc_sub(dx, xi->linear), dc_cross(xi->angular, dc_sub(F->point[i], F->body->origin)));
}

/* D' of the field's normals, where `need` is not 0 and the points move by dx. Directions are scaled to fit. */
static dc_status dci_sample_bend(dci_man *m, const dci_man_field *F, const dci_man_twist *xi, const dc_v3 *dx)
{
    const dc_m3 *R = &F->body->axes;
    dci_chunk *c = m->chunk;
    int i = 0, j, k, n;
    memset(F->bend, 0, 6*(size_t)F->count*sizeof *F->bend);
    while (i < F->count) {
        for (n = 0; i < F->count && n < DCI_CHUNK; ++i) {
            dc_v3 x, u;
            dc_real most;
            if (!(m->second.need[i] > 0)) continue;
            u = dc_mul_t(R, dci_sample_slip(F, xi, (size_t)i, dx[i]));
            most = dc_max(dc_abs(u.x), dc_max(dc_abs(u.y), dc_abs(u.z)));

            /* a normal at rest in the body, held on a kink or not, bends by nothing */
            for (k = 0; k < 6 && !(dc_abs(F->turn[6*i + k]) > 0); ++k) continue;
            if (!(most > 0) || k == 6) continue;
            x = dc_mul_t(R, dc_sub(F->point[i], F->body->origin));
            c->point[n] = x.x;
            c->point[DCI_CHUNK + n] = x.y;
            c->point[2*DCI_CHUNK + n] = x.z;
            c->dir[n] = u.x/most;
            c->dir[DCI_CHUNK + n] = u.y/most;
            c->dir[2*DCI_CHUNK + n] = u.z/most;
            c->value[n] = most;
            c->at[n++] = i;
        }
        if (n > 0
            && dc_sdf_ddir_along(F->body->sdf, n, c->point, c->dir, DCI_CHUNK, &m->second.along, c->ddir) != DC_OK)
            return DC_E_RANGE;
        for (j = 0; j < n; ++j)
            for (k = 0; k < 6; ++k) F->bend[6*c->at[j] + k] = c->value[j]*c->ddir[k*DCI_CHUNK + j];
    }
    return DC_OK;
}

static dc_v3 dci_symmetric(const dc_real *D, dc_v3 u)
{
    return dc_vec(D[0]*u.x + D[1]*u.y + D[2]*u.z, D[1]*u.x + D[3]*u.y + D[4]*u.z, D[2]*u.x + D[4]*u.y + D[5]*u.z);
}

/* dci_sample_pull of a point that moves by dx; with R' = [w] R, and for n and s = 1/sqrt(tau + |dir|^2)
 *     y = s D u,   n' = w x n + y - (n.y) n,   s' = -s n.y                                                 */
static void dci_bend_sample(const dci_man_field *F, const dci_man_twist *xi, dci_man_bent *to, size_t i, dc_v3 dx,
                            dci_dual phi_bar, const dci_moving *n_bar, dci_moving *x_bar)
{
    const dc_m3 *R = &F->body->axes;
    const dc_v3  w = xi->angular, u = dc_mul_t(R, dci_sample_slip(F, xi, i, dx));
    const dci_moving arm = dci_moving_of(dc_sub(F->point[i], F->body->origin), dc_sub(dx, xi->linear));
    dci_moving force = DC_ZERO;

    /* grad phi */
    if (F->grad) {
        const dc_v3 turn = dc_mul(R, dci_symmetric(F->hess + 6*i, u));
        force = dci_moving_scale(phi_bar, dci_moving_of(F->grad[i], dc_add(dc_cross(w, F->grad[i]), turn)));
    }

    /* s D (1 - n n^T) n_bar, D in body axes */
    if (n_bar) {
        const dc_real *D = F->turn + 6*i;
        const dc_v3 at = F->normal[i], y = dc_scale(F->scale[i], dc_mul(R, dci_symmetric(D, u)));
        const dci_moving n = dci_moving_of(at, dc_add(dc_cross(w, at), dc_madd(y, -dc_dot(at, y), at)));
        const dci_dual s = dci_dual_of(F->scale[i], -F->scale[i]*dc_dot(at, y));
        const dci_moving v = dci_moving_madd(*n_bar, dci_dual_scale(-1, dci_dual_dot(n, *n_bar)), n);
        const dc_v3 local = dc_mul_t(R, v.at), rate = dc_mul_t(R, dc_sub(v.rate, dc_cross(w, v.at)));
        dci_moving z;
        z.at = dc_mul(R, dci_symmetric(D, local));
        z.rate = dc_mul(R, dc_add(dci_symmetric(D, rate), dci_symmetric(F->bend + 6*i, local)));
        z.rate = dc_add(z.rate, dc_cross(w, z.at));
        force = dci_moving_madd(force, s, z);
        to->angular = dci_moving_add(to->angular, dci_moving_cross(n, *n_bar));
    }
    *x_bar = dci_moving_add(*x_bar, force);
    to->linear = dci_moving_sub(to->linear, force);
    to->angular = dci_moving_sub(to->angular, dci_moving_cross(arm, force));
}

static DCI_NOINLINE dci_moving dci_bend_trace(dci_man *m, int c, size_t i, dci_moving W_bar)
{
    const dci_man_trace *trace = &m->side[c].trace;
    const dci_man_field *start = &trace->start;
    const dci_man_twist *xi = &m->side[c].d.twist;
    dc_v3   dW[17];                                         /* at every step */
    dc_real dphi[16];
    dci_moving n, n_bar = DC_ZERO;
    int k;
    if (m->options.trace == 0) return W_bar;

    dW[0] = trace->rate[i];
    n.at = start->normal[i];
    dci_sample_push(start, xi, i, dW[0], NULL, &n.rate);
    for (k = 0; k < m->options.trace; ++k) {
        dci_man_field F = dci_trace_field(m, c, k);
        dci_sample_push(&F, xi, i, dW[k], &dphi[k], NULL);
        dW[k + 1] = dc_madd(dc_madd(dW[k], -dphi[k], n.at), -F.phi[i], n.rate);
    }
    for (k = m->options.trace; k-- > 0;) {
        dci_man_field F = dci_trace_field(m, c, k);
        const dci_dual phi_bar = dci_dual_scale(-1, dci_dual_dot(n, W_bar));
        n_bar = dci_moving_madd(n_bar, dci_dual_of(-F.phi[i], -dphi[k]), W_bar);
        dci_bend_sample(&F, xi, &m->side[c].bent, i, dW[k], phi_bar, NULL, &W_bar);
    }
    dci_bend_sample(start, xi, &m->side[c].bent, i, dW[0], dci_dual_of(0, 0), &n_bar, &W_bar);
    return W_bar;
}

/* clip_s and its slope */
static dci_dual dci_bend_clip(const dci_wit *o, dci_dual x, dci_dual *slope)
{
    const dc_real a = x.at*o->inv_clip, b = (x.at - 1)*o->inv_clip;
    dc_real d, value = dci_clip01(o, x.at, &d);
    const dc_real curve = (dc_sigmoid(a)*dc_sigmoid(-a) - dc_sigmoid(b)*dc_sigmoid(-b))*o->inv_clip;
    *slope = dci_dual_of(d, curve*x.rate);
    return dci_dual_of(value, d*x.rate);
}

/* within_s and its slope over itself */
static dci_dual dci_bend_within(const dci_wit *o, dci_dual x, dci_dual *slope)
{
    const dc_real a = x.at*o->inv_comp, b = (x.at - 1)*o->inv_comp;
    const dci_within g = dci_within01(o, x.at);
    const dc_real value = g.value/g.den, by = g.slope/g.den;
    const dc_real curve = dc_sigmoid(a)*dc_sigmoid(-a) + dc_sigmoid(b)*dc_sigmoid(-b);
    *slope = dci_dual_of(by, -curve*o->inv_comp*o->inv_comp*x.rate);
    return dci_dual_of(value, value*by*x.rate);
}

/* A side of the square [0, 1]^2: its point as z, before it is clipped, t, the slope of that; cost, weight */
typedef struct { dci_dual z, t, slope, cost, weight, at[2]; } dci_bend_side;

/* dci_ee_lane on numbers that carry their rate: Q = (Q_0 Q_1; Q_1 Q_2), -Q^-1 alike, u without the box, v the mean of
 * the sides' points, gamma, the slopes of its two indicators over themselves; lengths are in units of L */
typedef struct {
    dci_moving    A1, A2, r;
    dci_dual      Q[3], inverse[3], c[2], u[2], v[2], slope[2], gamma;
    dci_bend_side side[4];
} dci_bend_edges;

/* the sides (1, t), (0, t), (t, 1), (t, 0) */
static int dci_bend_along(int k) { return k < 2 ? 1 : 0; }
static dc_real dci_bend_fixed(int k) { return k%2 == 0 ? DC_R(1) : DC_R(0); }

/* Q, c, u and -Q^-1 */
static DCI_NOINLINE void dci_bend_open(const dci_wit *o, const dci_moving end[4], dci_bend_edges *E)
{
    const dci_dual rl = dci_dual_of(o->inv_length, 0);
    const dc_real w = o->reg, h = DC_R(0.5);
    dci_dual *Q = E->Q, *c = E->c, *u = E->u, *inverse = E->inverse;
    dc_real q1, q2, q3, k1, k2, rd, x[2], y[2];
    dc_v3 N;
    E->A1 = dci_moving_scale(rl, dci_moving_sub(end[1], end[0]));
    E->A2 = dci_moving_scale(rl, dci_moving_sub(end[2], end[3]));
    E->r = dci_moving_scale(rl, dci_moving_sub(end[0], end[2]));
    N = dc_cross(E->A1.at, E->A2.at);
    Q[0] = dci_dual_dot(E->A1, E->A1);
    Q[1] = dci_dual_dot(E->A1, E->A2);
    Q[2] = dci_dual_dot(E->A2, E->A2);
    c[0] = dci_dual_dot(E->A1, E->r);
    c[1] = dci_dual_dot(E->A2, E->r);
    q1 = Q[0].at; q2 = Q[1].at; q3 = Q[2].at; k1 = c[0].at; k2 = c[1].at;
    Q[0].at += w;
    Q[2].at += w;
    c[0].at -= h*w;
    c[1].at -= h*w;

    /* u as in dci_ee_lane; with inverse = -Q^-1, u' = inverse (Q' u + c'), inverse' = inverse Q' inverse */
    rd = 1/(dc_dot(N, N) + w*(q1 + q3 + w));
    u[0].at = (dc_dot(dc_cross(E->A2.at, E->r.at), N) + w*(h*(q3 - q2 + w) - k1))*rd;
    u[1].at = (w*(h*(q1 - q2 + w) - k2) - dc_dot(dc_cross(E->A1.at, E->r.at), N))*rd;
    inverse[0].at = -Q[2].at*rd;
    inverse[1].at = q2*rd;
    inverse[2].at = -Q[0].at*rd;
    y[0] = Q[0].rate*u[0].at + Q[1].rate*u[1].at + c[0].rate;
    y[1] = Q[1].rate*u[0].at + Q[2].rate*u[1].at + c[1].rate;
    u[0].rate = inverse[0].at*y[0] + inverse[1].at*y[1];
    u[1].rate = inverse[1].at*y[0] + inverse[2].at*y[1];
    x[0] = Q[0].rate*inverse[0].at + Q[1].rate*inverse[1].at;
    x[1] = Q[1].rate*inverse[0].at + Q[2].rate*inverse[1].at;
    y[0] = Q[0].rate*inverse[1].at + Q[1].rate*inverse[2].at;
    y[1] = Q[1].rate*inverse[1].at + Q[2].rate*inverse[2].at;
    inverse[0].rate = inverse[0].at*x[0] + inverse[1].at*x[1];
    inverse[1].rate = inverse[0].at*y[0] + inverse[1].at*y[1];
    inverse[2].rate = inverse[1].at*y[0] + inverse[2].at*y[1];
}

/* the sides, their mean, the indicator */
static DCI_NOINLINE void dci_bend_sides(const dci_wit *o, dci_bend_edges *E)
{
    dci_bend_side *side = E->side;
    dc_real sum = 0, least = DC_REAL_MAX;
    dci_dual within[2];
    int i, j, k;

    /* z, t, cost = f (Q_f f/2 + c_f) + t (Q_1 f + c_t + Q_t t/2), f the fixed coordinate */
    for (k = 0; k < 4; ++k) {
        dci_bend_side *s = &side[k];
        const int t = dci_bend_along(k);
        const dc_real f = dci_bend_fixed(k), h = DC_R(0.5);
        const dci_dual Qt = E->Q[2*t], lin = dci_dual_add(E->c[t], dci_dual_scale(f, E->Q[1]));
        const dci_dual base = dci_dual_add(dci_dual_scale(h*f, E->Q[2 - 2*t]), E->c[1 - t]);
        s->z = dci_dual_scale(-1, dci_dual_over(lin, Qt));
        s->t = dci_bend_clip(o, s->z, &s->slope);
        s->cost = dci_dual_mul(s->t, dci_dual_add(lin, dci_dual_scale(h, dci_dual_mul(Qt, s->t))));
        s->cost = dci_dual_add(s->cost, dci_dual_scale(f, base));
        s->at[t] = s->t;
        s->at[1 - t] = dci_dual_of(f, 0);
        least = dc_min(least, s->cost.at);
    }

    /* their weights, dp_i = -p_i/eps sum p_j (dJ_i - dJ_j), and the mean */
    for (k = 0; k < 4; ++k) {
        side[k].weight.at = dc_exp(-(side[k].cost.at - least)*o->inv_min);
        sum += side[k].weight.at;
    }
    for (k = 0; k < 4; ++k) side[k].weight.at /= sum;
    E->v[0] = E->v[1] = dci_dual_of(0, 0);
    for (k = 0; k < 4; ++k) {
        dci_dual *p = &side[k].weight;
        for (p->rate = 0, j = 0; j < 4; ++j) p->rate += side[j].weight.at*(side[k].cost.rate - side[j].cost.rate);
        p->rate *= -p->at*o->inv_min;
        for (i = 0; i < 2; ++i) E->v[i] = dci_dual_add(E->v[i], dci_dual_mul(*p, side[k].at[i]));
    }
    for (i = 0; i < 2; ++i) within[i] = dci_bend_within(o, E->u[i], &E->slope[i]);
    E->gamma = dci_dual_mul(within[0], within[1]);
}

/* From cotangents of alpha_a, alpha_b and gamma to those of Q and c: of alpha = v + gamma (u - v) the part with u */
static DCI_NOINLINE void dci_bend_free(const dci_bend_edges *E, const dci_dual bar[3], dci_dual Q_bar[3],
                                       dci_dual c_bar[2])
{
    const dci_dual *inverse = E->inverse;
    dci_dual gamma_bar = bar[2], u_bar[2];
    int i;
    for (i = 0; i < 2; ++i) gamma_bar = dci_dual_add(gamma_bar, dci_dual_mul(bar[i], dci_dual_sub(E->u[i], E->v[i])));
    for (i = 0; i < 2; ++i)
        u_bar[i] = dci_dual_mul(E->gamma, dci_dual_add(bar[i], dci_dual_mul(gamma_bar, E->slope[i])));
    c_bar[0] = dci_dual_add(dci_dual_mul(inverse[0], u_bar[0]), dci_dual_mul(inverse[1], u_bar[1]));
    c_bar[1] = dci_dual_add(dci_dual_mul(inverse[1], u_bar[0]), dci_dual_mul(inverse[2], u_bar[1]));
    Q_bar[0] = dci_dual_mul(c_bar[0], E->u[0]);
    Q_bar[1] = dci_dual_add(dci_dual_mul(c_bar[0], E->u[1]), dci_dual_mul(c_bar[1], E->u[0]));
    Q_bar[2] = dci_dual_mul(c_bar[1], E->u[1]);
}

/* the part with v: side k adds its own, with v_bar = (1 - gamma) bar */
static DCI_NOINLINE void dci_bend_fixed_side(const dci_wit *o, const dci_bend_edges *E, int k, const dci_dual bar[3],
                                             dci_dual Q_bar[3], dci_dual c_bar[2])
{
    const dci_bend_side *s = &E->side[k];
    const int t = dci_bend_along(k);
    const dc_real f = dci_bend_fixed(k), h = DC_R(0.5);
    const dci_dual rest = dci_dual_line(-1, E->gamma, 1);
    dci_dual cost_bar = dci_dual_of(0, 0), ct, z_bar;
    int i, j;

    /* J_bar = -p/eps sum p_j v_bar.(point - point_j) */
    for (j = 0; j < 4; ++j)
        for (i = 0; i < 2; ++i) {
            const dci_dual d = dci_dual_mul(bar[i], dci_dual_sub(s->at[i], E->side[j].at[i]));
            cost_bar = dci_dual_add(cost_bar, dci_dual_mul(E->side[j].weight, d));
        }
    cost_bar = dci_dual_scale(-o->inv_min, dci_dual_mul(s->weight, dci_dual_mul(rest, cost_bar)));

    /* explicitly */
    ct = dci_dual_mul(cost_bar, s->t);
    Q_bar[2*t] = dci_dual_add(Q_bar[2*t], dci_dual_scale(h, dci_dual_mul(ct, s->t)));
    Q_bar[1] = dci_dual_add(Q_bar[1], dci_dual_scale(f, ct));
    Q_bar[2 - 2*t] = dci_dual_add(Q_bar[2 - 2*t], dci_dual_scale(h*f*f, cost_bar));
    c_bar[t] = dci_dual_add(c_bar[t], ct);
    c_bar[1 - t] = dci_dual_add(c_bar[1 - t], dci_dual_scale(f, cost_bar));

    /* through t and z: dJ/dt = Q_t (t - z),  dz = -(dc_t + f dQ_1 + z dQ_t)/Q_t */
    z_bar = dci_dual_mul(cost_bar, dci_dual_mul(E->Q[2*t], dci_dual_sub(s->t, s->z)));
    z_bar = dci_dual_add(z_bar, dci_dual_mul(dci_dual_mul(rest, bar[t]), s->weight));
    z_bar = dci_dual_scale(-1, dci_dual_over(dci_dual_mul(z_bar, s->slope), E->Q[2*t]));
    c_bar[t] = dci_dual_add(c_bar[t], z_bar);
    Q_bar[1] = dci_dual_add(Q_bar[1], dci_dual_scale(f, z_bar));
    Q_bar[2*t] = dci_dual_add(Q_bar[2*t], dci_dual_mul(z_bar, s->z));
}

/* dci_ee_chain, to what the ends have already */
static DCI_NOINLINE void dci_bend_chain(const dci_wit *o, const dci_bend_edges *E, const dci_dual Q_bar[3],
                                        const dci_dual c_bar[2], dci_moving to[4])
{
    const dci_dual rl = dci_dual_of(o->inv_length, 0);
    dci_moving G1, G2, Gr;
    G1 = dci_moving_add(dci_moving_scale(dci_dual_scale(2, Q_bar[0]), E->A1), dci_moving_scale(Q_bar[1], E->A2));
    G1 = dci_moving_scale(rl, dci_moving_madd(G1, c_bar[0], E->r));
    G2 = dci_moving_add(dci_moving_scale(dci_dual_scale(2, Q_bar[2]), E->A2), dci_moving_scale(Q_bar[1], E->A1));
    G2 = dci_moving_scale(rl, dci_moving_madd(G2, c_bar[1], E->r));
    Gr = dci_moving_add(dci_moving_scale(c_bar[0], E->A1), dci_moving_scale(c_bar[1], E->A2));
    Gr = dci_moving_scale(rl, Gr);
    to[0] = dci_moving_add(to[0], dci_moving_sub(Gr, G1));
    to[1] = dci_moving_add(to[1], G1);
    to[2] = dci_moving_add(to[2], dci_moving_sub(G2, Gr));
    to[3] = dci_moving_sub(to[3], G2);
}

/* From cotangents of alpha_a, alpha_b and gamma of two edges to those of their ends, which are added to `to` */
static DCI_NOINLINE void dci_ee_bend(const dci_wit *o, const dci_moving end[4], const dci_dual bar[3], dci_moving to[4])
{
    dci_bend_edges E = DC_ZERO;
    dci_dual Q_bar[3], c_bar[2];
    int k;
    dci_bend_open(o, end, &E);
    dci_bend_sides(o, &E);
    dci_bend_free(&E, bar, Q_bar, c_bar);
    for (k = 0; k < 4; ++k) dci_bend_fixed_side(o, &E, k, bar, Q_bar, c_bar);
    dci_bend_chain(o, &E, Q_bar, c_bar, to);
}

/* Cotangents of a contact, with their rates; no rates: NULL */
typedef struct { dci_moving p, n; dci_dual d, act; } dci_bent_contact;

static dci_bent_contact dci_bend_bar(const dc_manifold_contact *bar, const dc_manifold_contact *dbar, size_t i)
{
    dci_bent_contact q = DC_ZERO;
    q.p.at = bar[i].p;
    q.n.at = bar[i].n;
    q.d.at = bar[i].d;
    q.act.at = bar[i].act;
    if (!dbar) return q;
    q.p.rate = dbar[i].p;
    q.n.rate = dbar[i].n;
    q.d.rate = dbar[i].d;
    q.act.rate = dbar[i].act;
    return q;
}

/* contacts of vertices, the first of them `first` */
static DCI_NOINLINE dc_status dci_bend_vertices(dci_man *m, int c, const dc_manifold_contact *bar,
                                                const dc_manifold_contact *dbar, size_t first)
{
    const dc_manifold_options *o = &m->options;
    dci_man_side *s = &m->side[c], *other = &m->side[1 - c];
    const dci_man_field *F = &s->at_contact;
    dc_status status;
    int k;

    /* normals that count */
    if (s->vertices.kept == 0) return DC_OK;
    for (k = 0; k < s->vertices.kept; ++k)
        m->second.need[k] = dci_man_zero(bar[first + (size_t)k].n) || (F->skip && F->skip[k] > 0) ? DC_R(0) : DC_R(1);
    status = dci_sample_bend(m, F, &other->d.twist, s->d.contact);
    if (status != DC_OK) return status;

    for (k = 0; k < s->vertices.kept; ++k) {
        const dci_bent_contact q = dci_bend_bar(bar, dbar, first + (size_t)k);
        dci_dual phi = dci_dual_of(F->phi[k], 0), weight, slope, low, both, phi_bar;
        dci_moving n, n_bar;
        n.at = F->normal[k];
        dci_sample_push(F, &other->d.twist, (size_t)k, s->d.contact[k], &phi.rate, &n.rate);

        /* act = w s(-phi/tau), by phi: w' s(-z) - w s(z) s(-z)/tau */
        dci_bend_fade(m, phi, &weight, &slope);
        low = dci_bend_sigmoid(dc_sigmoid(-phi.at/o->tau_pen), o->tau_pen, phi.rate);
        both = dci_dual_mul(low, dci_dual_of(dc_sigmoid(phi.at/o->tau_pen), -low.rate));
        phi_bar = dci_dual_sub(dci_dual_mul(slope, low), dci_dual_scale(1/o->tau_pen, dci_dual_mul(weight, both)));
        phi_bar = dci_dual_add(dci_dual_mul(phi_bar, q.act), dci_dual_mul(weight, q.d));
        phi_bar = dci_dual_add(phi_bar, dci_dual_mul(slope, dci_dual_dot(n, q.n)));
        n_bar = dci_moving_scale(weight, q.n);
        s->bent.contact[k] = q.p;
        dci_bend_sample(F, &other->d.twist, &other->bent, (size_t)k, s->d.contact[k], phi_bar, &n_bar,
                        &s->bent.contact[k]);
    }
    return DC_OK;
}

/* nearest-edge weight of pair i on body c */
static dci_dual dci_bend_nearest(const dci_man *m, size_t i, int c)
{
    const dc_real nn = m->pair[i].nearest[c], mean = m->sum[c][dci_man_edge(m, c, i)];
    return dci_dual_of(nn, -nn*(m->dpair[i].d_bar - mean)/m->options.tau_nn);
}

/* One pair of edges: from its contacts to what they are made of */
static DCI_NOINLINE void dci_bend_pair(dci_man *m, size_t i, const dci_bent_contact contact[2])
{
    const dc_manifold_options *o = &m->options;
    const dci_man_pair   *p = &m->pair[i];
    const dci_man_pair_d *d = &m->dpair[i];
    dci_man_pair_bent *to = &m->second.pair[i];
    const dci_dual gamma = dci_dual_of(p->gamma, d->gamma), d_bar = dci_dual_of(p->d_bar, d->d_bar);
    const dci_dual share = dci_dual_of(p->share, d->share);
    const dci_moving n_bar = dci_moving_of(p->n_bar, d->n_bar);
    dci_moving normal[2];
    dci_dual facing, nearest[2];
    int c;
    memset(to, 0, sizeof *to);
    for (c = 0; c < 2; ++c) to->witness[c] = contact[c].p;
    if (!(p->share > 0)) return;                            /* and what else of it is nothing, too */
    for (c = 0; c < 2; ++c) {
        normal[c] = dci_moving_of(m->side[c].own.normal[i], d->normal[c]);
        nearest[c] = dci_bend_nearest(m, i, c);
    }
    facing = dci_bend_sigmoid(p->facing, o->tau_cl, dci_dual_dot(normal[0], normal[1]).rate);

    for (c = 0; c < 2; ++c) {
        const dci_bent_contact *q = &contact[c];
        const dc_real sign = c == 0 ? DC_R(1) : DC_R(-1);
        const dci_dual cosine = dci_dual_scale(sign, dci_dual_dot(normal[1 - c], n_bar));
        const dci_dual g = dci_dual_of(p->sign[c], (1 - p->sign[c]*p->sign[c])/o->tau_sign*cosine.rate);
        const dci_dual pen = dci_bend_sigmoid(p->pen[c], o->tau_pen, d->phi[c]);
        const dci_dual inside = dci_bend_sigmoid(p->inside[c], o->tau_pen, o->inside ? d->phi_own[c] : 0);
        const dci_dual act = dci_dual_mul(dci_dual_mul(pen, inside), dci_dual_mul(nearest[c], facing));
        dci_dual weight, slope, w, whole, A, z, way;
        dci_bend_fade(m, dci_dual_of(m->side[c].cross.phi[i], d->phi[c]), &weight, &slope);
        w = dci_dual_mul(share, weight);

        /* what fades: d, n and act before they do */
        way = dci_dual_add(dci_dual_mul(q->d, d_bar), dci_dual_scale(sign, dci_dual_dot(q->n, n_bar)));
        whole = dci_dual_add(dci_dual_mul(g, way), dci_dual_mul(q->act, dci_dual_mul(gamma, act)));
        to->share = dci_dual_add(to->share, dci_dual_mul(weight, whole));
        to->phi[c] = dci_dual_mul(dci_dual_mul(share, slope), whole);

        /* the activity */
        A = dci_dual_mul(w, dci_dual_mul(q->act, act));
        to->gamma = dci_dual_add(to->gamma, A);
        A = dci_dual_mul(A, gamma);
        to->log_nearest[c] = A;
        to->phi[c] = dci_dual_sub(to->phi[c], dci_dual_scale(1/o->tau_pen, dci_dual_mul(dci_dual_line(-1, pen, 1), A)));
        if (o->inside) to->phi_own[c] = dci_dual_scale(-1/o->tau_pen, dci_dual_mul(dci_dual_line(-1, inside, 1), A));
        z = dci_dual_scale(-1/o->tau_cl, dci_dual_mul(dci_dual_line(-1, facing, 1), A));
        to->normal[0] = dci_moving_madd(to->normal[0], z, normal[1]);
        to->normal[1] = dci_moving_madd(to->normal[1], z, normal[0]);

        /* the sign, distance and normal: d g = (1 - g^2)/tau dcosine */
        z = dci_dual_mul(dci_dual_line(-1, dci_dual_mul(g, g), 1), dci_dual_mul(w, way));
        z = dci_dual_scale(sign/o->tau_sign, z);
        to->normal[1 - c] = dci_moving_madd(to->normal[1 - c], z, n_bar);
        to->n_bar = dci_moving_madd(to->n_bar, z, normal[1 - c]);
        w = dci_dual_mul(w, g);
        to->n_bar = dci_moving_madd(to->n_bar, dci_dual_scale(sign, w), q->n);
        to->d_bar = dci_dual_add(to->d_bar, dci_dual_mul(w, q->d));
    }

    /* the share: w of -tau log x, x = gamma (nn_a + nn_b), by log x: -tau w' */
    if (p->dshare < 0 || p->dshare > 0) {
        const dci_dual both = dci_dual_add(nearest[0], nearest[1]);
        const dc_real x = dc_max(gamma.at*both.at, DC_REAL_MIN);
        dci_dual weight, slope, z = dci_dual_of(-o->tau_pen*dc_log(x), -o->tau_pen*d->share/p->dshare);
        dci_bend_fade(m, z, &weight, &slope);
        z = dci_dual_mul(to->share, dci_dual_scale(-o->tau_pen, slope));
        to->gamma = dci_dual_add(to->gamma, dci_dual_over(z, gamma));
        for (c = 0; c < 2; ++c)
            to->log_nearest[c] = dci_dual_add(to->log_nearest[c], dci_dual_mul(z, dci_dual_over(nearest[c], both)));
    }
    for (c = 0; c < 2; ++c) to->d_bar = dci_dual_sub(to->d_bar, dci_dual_scale(1/o->tau_nn, to->log_nearest[c]));
}

/* From contacts to pairs and what vertices' contacts are made of */
static DCI_NOINLINE dc_status dci_bend_contacts(dci_man *m, const dc_manifold_contact *bar,
                                                const dc_manifold_contact *dbar)
{
    const size_t first = (size_t)m->side[0].vertices.kept + (size_t)m->side[1].vertices.kept;
    dc_status status = dci_bend_vertices(m, 0, bar, dbar, 0);
    size_t i, step;
    int c, k, l;
    if (status == DC_OK) status = dci_bend_vertices(m, 1, bar, dbar, (size_t)m->side[0].vertices.kept);
    for (i = 0; i < m->pairs && status == DC_OK; ++i) {
        dci_bent_contact contact[2];
        for (c = 0; c < 2; ++c) contact[c] = dci_bend_bar(bar, dbar, first + (size_t)c*m->pairs + i);
        dci_bend_pair(m, i, contact);
    }

    /* the other half of the nearest-edge weights' derivative */
    for (c = 0; c < 2 && status == DC_OK; ++c)
        for (k = 0; k < m->side[c].edges.kept; ++k) {
            const size_t at = dci_line(m, c, k, &step);
            const int n = m->side[1 - c].edges.kept;
            dci_dual sum = dci_dual_of(0, 0);
            for (l = 0; l < n; ++l) sum = dci_dual_add(sum, m->second.pair[at + (size_t)l*step].log_nearest[c]);
            sum = dci_dual_scale(1/m->options.tau_nn, sum);
            for (l = 0; l < n; ++l) {
                i = at + (size_t)l*step;
                m->second.pair[i].d_bar = dci_dual_add(m->second.pair[i].d_bar,
                                                       dci_dual_mul(dci_bend_nearest(m, i, c), sum));
            }
        }
    return status;
}

/* the bends of the normals that pairs use */
static DCI_NOINLINE dc_status dci_bend_normals(dci_man *m)
{
    dc_status status = DC_OK;
    size_t i;
    int c;
    for (c = 0; c < 2 && status == DC_OK; ++c) {
        dci_man_side *s = &m->side[c];
        for (i = 0; i < m->pairs; ++i)
            m->second.need[i] = dci_man_zero(m->second.pair[i].normal[c].at) ? DC_R(0) : DC_R(1);
        status = dci_sample_bend(m, &s->own, &s->d.twist, s->d.witness);
        if (status != DC_OK || m->options.trace == 0) continue;
        for (i = 0; i < m->pairs; ++i) m->second.need[i] = 1;
        status = dci_sample_bend(m, &s->trace.start, &s->d.twist, s->trace.rate);
    }
    return status;
}

static int dci_moving_zero(dci_moving p) { return dci_man_zero(p.at) && dci_man_zero(p.rate); }

/* does nothing come from a pair that is left out? */
static int dci_bend_idle(const dci_man_pair *p, const dci_man_pair_bent *from)
{
    if (p->share > 0 || !dci_man_zero(dc_vec(from->d_bar.at, from->d_bar.rate, 0))) return 0;
    return dci_moving_zero(from->witness[0]) && dci_moving_zero(from->witness[1]);
}

/* One pair, up to its edges: the points' alpha and the indicator, `bar`, and what the ends get past them */
static DCI_NOINLINE void dci_bend_points(dci_man *m, size_t i, const dci_moving end[4], dci_dual bar[3],
                                         dci_moving ends[4])
{
    const dci_man_pair *p = &m->pair[i];
    const dci_man_pair_d *d = &m->dpair[i];
    const dci_man_pair_bent *from = &m->second.pair[i];
    const dci_moving n_bar = dci_moving_of(p->n_bar, d->n_bar);
    const dc_v3 de = dc_sub(m->side[0].d.witness[i], m->side[1].d.witness[i]);
    const dci_dual inverse = dci_dual_of(p->inverse, -p->inverse*p->inverse*dc_dot(p->n_bar, de));
    dci_moving e;
    dci_dual x;
    int c, l;

    /* n_bar = s e, d_bar = s |e|^2 */
    e = dci_moving_madd(from->n_bar, dci_dual_scale(-1, dci_dual_dot(n_bar, from->n_bar)), n_bar);
    x = dci_dual_line(-1, dci_dual_mul(inverse, dci_dual_of(p->d_bar, d->d_bar)), 2);
    e = dci_moving_madd(dci_moving_scale(inverse, e), dci_dual_mul(from->d_bar, x), n_bar);

    /* both fields, the way there, and the points' alpha */
    bar[2] = from->gamma;
    for (c = 0; c < 2; ++c) {
        dci_man_side *s = &m->side[c], *other = &m->side[1 - c];
        dci_moving W = c == 0 ? dci_moving_add(from->witness[0], e) : dci_moving_sub(from->witness[1], e);
        const dc_v3 dx = s->d.witness[i];
        dci_dual alpha = dci_dual_of(m->output[(size_t)(6 + c)*m->pairs + i], 0);
        for (l = 0; l < 4; ++l) {
            const dc_real *row = m->jac + (size_t)(12*c + 3*l)*m->pairs + i;
            alpha.rate += dci_rows_dot(row, m->pairs, end[l].rate);
        }
        dci_bend_sample(&s->own, &s->d.twist, &s->bent, i, dx, from->phi_own[c], &from->normal[c], &W);
        dci_bend_sample(&s->cross, &other->d.twist, &other->bent, i, dx, from->phi[c], NULL, &W);
        W = dci_bend_trace(m, c, i, W);
        bar[c] = dci_dual_dot(W, dci_moving_sub(end[2*c + 1], end[2*c]));
        ends[2*c] = dci_moving_scale(dci_dual_line(-1, alpha, 1), W);
        ends[2*c + 1] = dci_moving_scale(alpha, W);
    }
}

/* From pairs to the ends of the edges */
static DCI_NOINLINE void dci_bend_pairs(dci_man *m, const dci_wit *wit)
{
    size_t i;
    int k;
    for (i = 0; i < m->pairs; ++i) {
        dci_moving end[4], ends[4];
        dci_dual bar[3];
        if (dci_bend_idle(&m->pair[i], &m->second.pair[i])) continue;

        for (k = 0; k < 4; ++k) {
            const dci_man_side *s = &m->side[k/2];
            const int edge = dci_man_edge(m, k/2, i);
            end[k] = dci_moving_of(s->end[k%2][edge], s->d.end[k%2][edge]);
        }
        dci_bend_points(m, i, end, bar, ends);
        dci_ee_bend(wit, end, bar, ends);
        for (k = 0; k < 4; ++k) {
            dci_moving *to = m->side[k/2].bent.end[k%2] + dci_man_edge(m, k/2, i);
            *to = dci_moving_add(*to, ends[k]);
        }
    }
}

/* From the weights of row k of a selection to the ranks, as dc_softsort_topk_vjp; weights of 0 have no part in it */
static void dci_bend_row(const dc_manifold_options *o, const dci_man_pick *p, int k, const dci_dual *weight_bar,
                         dci_dual *rank_bar)
{
    const size_t row = (size_t)k*(size_t)p->some;
    const int top = p->top[k];
    dci_dual mean = dci_dual_of(0, 0), sum = mean;
    int i;
    for (i = 0; i < p->some; ++i) {
        const dci_dual w = dci_dual_of(p->weight[row + (size_t)i], p->dweight[row + (size_t)i]);
        if (w.at > 0) mean = dci_dual_add(mean, dci_dual_mul(w, weight_bar[i]));
    }
    for (i = 0; i < p->some; ++i) {
        const dci_dual w = dci_dual_of(p->weight[row + (size_t)i], p->dweight[row + (size_t)i]);
        const dc_real slope = dci_softsort_slope(o->power, o->tau_top, p->rank[top] - p->rank[i], i - top);
        dci_dual x = dci_dual_of(slope, o->power == 2 ? 2*(p->drank[top] - p->drank[i])/o->tau_top : DC_R(0));
        if (!(w.at > 0)) continue;
        x = dci_dual_mul(x, dci_dual_mul(w, dci_dual_sub(weight_bar[i], mean)));
        rank_bar[i] = dci_dual_add(rank_bar[i], x);
        sum = dci_dual_add(sum, x);
    }
    rank_bar[top] = dci_dual_sub(rank_bar[top], sum);
}

static dci_dual dci_bend_weight(const dci_man_pick *p, int k, int i)
{
    const size_t at = (size_t)k*(size_t)p->some + (size_t)i;
    return dci_dual_of(p->weight[at], p->dweight[at]);
}

/* From kept edges and vertices of body c to its vertices, and to the twists */
static DCI_NOINLINE void dci_bend_select(dci_man *m, int c)
{
    dci_man_side *s = &m->side[c], *other = &m->side[1 - c];
    dci_man_bent *b = &s->bent;
    const dci_man_pick *vertices = &s->vertices, *edges = &s->edges;
    const dc_v3 w = s->d.twist.angular;
    const int *edge = s->mesh->edge, nv = vertices->count;
    dci_dual weight, slope;
    int i, j, k;
    for (i = 0; i < nv; ++i) b->phi[i] = dci_dual_of(0, 0);

    /* contacts of vertices: where they are the vertices, so are their cotangents */
    if (vertices->soft) {
        for (j = 0; j < vertices->some; ++j) b->rank[j] = dci_dual_of(0, 0);
        for (k = vertices->kept; k-- > vertices->rows;)
            b->contact[k - 1] = dci_moving_add(b->contact[k - 1], b->contact[k]);
        for (k = 0; k < vertices->rows; ++k) {
            for (j = 0; j < vertices->some; ++j) {
                const dci_dual x = dci_bend_weight(vertices, k, j);
                i = vertices->entry[j];
                b->weight[j] = dci_dual_of(0, 0);
                if (!(x.at > 0)) continue;
                b->weight[j] = dci_dual_dot(b->contact[k], dci_moving_of(s->vertex[i], s->d.vertex[i]));
                b->vertex[i] = dci_moving_madd(b->vertex[i], x, b->contact[k]);
            }
            dci_bend_row(&m->options, vertices, k, b->weight, b->rank);
        }
        for (j = 0; j < vertices->some; ++j) {
            i = vertices->entry[j];
            dci_bend_fade(m, dci_dual_of(s->at_vertex.phi[i], s->d.phi[i]), &weight, &slope);
            b->phi[i] = dci_dual_scale(-m->inv_length, dci_dual_mul(weight, b->rank[j]));
        }
    }

    /* edges */
    for (j = 0; j < edges->some && edges->soft; ++j) b->rank[j] = dci_dual_of(0, 0);
    for (k = edges->kept; edges->soft && k-- > edges->rows;)
        for (j = 0; j < 2; ++j) b->end[j][k - 1] = dci_moving_add(b->end[j][k - 1], b->end[j][k]);
    for (k = 0; k < (edges->soft ? edges->rows : edges->kept); ++k) {
        const dci_moving e0 = b->end[0][k], e1 = b->end[1][k];
        if (!edges->soft) {
            b->vertex[edge[2*k]] = dci_moving_add(b->vertex[edge[2*k]], e0);
            b->vertex[edge[2*k + 1]] = dci_moving_add(b->vertex[edge[2*k + 1]], e1);
            continue;
        }
        for (j = 0; j < edges->some; ++j) {
            const dci_dual x = dci_bend_weight(edges, k, j);
            const int p = edge[2*edges->entry[j]], q = edge[2*edges->entry[j] + 1];
            b->weight[j] = dci_dual_of(0, 0);
            if (!(x.at > 0)) continue;
            b->weight[j] = dci_dual_add(dci_dual_dot(e0, dci_moving_of(s->vertex[p], s->d.vertex[p])),
                                        dci_dual_dot(e1, dci_moving_of(s->vertex[q], s->d.vertex[q])));
            b->vertex[p] = dci_moving_madd(b->vertex[p], x, e0);
            b->vertex[q] = dci_moving_madd(b->vertex[q], x, e1);
        }
        dci_bend_row(&m->options, edges, k, b->weight, b->rank);
    }

    for (j = 0; j < edges->some && edges->soft; ++j) {
        const int p = edge[2*edges->entry[j]], q = edge[2*edges->entry[j] + 1];
        const dc_real *phi = s->at_vertex.phi;
        const dci_dual middle = dci_dual_of(DC_R(0.5)*(phi[p] + phi[q]), DC_R(0.5)*(s->d.phi[p] + s->d.phi[q]));
        dci_bend_fade(m, middle, &weight, &slope);
        weight = dci_dual_scale(DC_R(-0.5)*m->inv_length, dci_dual_mul(weight, b->rank[j]));
        b->phi[p] = dci_dual_add(b->phi[p], weight);
        b->phi[q] = dci_dual_add(b->phi[q], weight);
    }

    /* vertices move with the body */
    for (i = 0; i < nv; ++i) {
        dci_moving arm;
        if (vertices->soft || edges->soft)
            dci_bend_sample(&s->at_vertex, &other->d.twist, &other->bent, (size_t)i, s->d.vertex[i], b->phi[i], NULL,
                            &b->vertex[i]);
        arm.at = dc_sub(s->vertex[i], s->body.origin);
        arm.rate = dc_cross(w, arm.at);
        b->linear = dci_moving_add(b->linear, b->vertex[i]);
        b->angular = dci_moving_add(b->angular, dci_moving_cross(arm, b->vertex[i]));
    }
}

/* A rate of the gradient, taken while the bodies move, is not symmetric: turns do not commute. In exponential
 * coordinates H xi = grad' - 1/2 w x grad in each body's turns. */
static void dci_bend_out(const dci_man_bent *b, dc_v3 w, dc_real *grad, dc_real *hvp)
{
    const dc_v3 g = b->linear.at, t = b->angular.at, h = b->linear.rate;
    const dc_v3 k = dc_madd(b->angular.rate, DC_R(-0.5), dc_cross(w, t));
    grad[0] = g.x; grad[1] = g.y; grad[2] = g.z;
    grad[3] = t.x; grad[4] = t.y; grad[5] = t.z;
    hvp[0] = h.x; hvp[1] = h.y; hvp[2] = h.z;
    hvp[3] = k.x; hvp[4] = k.y; hvp[5] = k.z;
}

/* Are direction and rates in range, and have both fields the third derivatives that contacts ask for? Edges ask both,
 * vertices the other one. */
static DCI_NOINLINE int dci_bend_ok(const dc_surface *a, const dc_surface *b, const dc_manifold_options *opt,
                                    const dc_manifold_contact *bar, const dc_manifold_contact *dbar,
                                    const dc_real xi[12])
{
    int c, i, k, part[4], asked[2];
    const int total = dc_manifold_count(a, b, opt, part);

    if (!xi || !bar || !dci_man_field_ok(a) || !dci_man_field_ok(b)) return 0;
    for (k = 0; k < 12; ++k)
        if (!(dc_abs(xi[k]) <= DC_LIMIT)) return 0;
    for (k = 0; dbar && k < total; ++k)
        if (!dci_contact_ok(&dbar[k])) return 0;
    if (total <= 0) return 1;

    asked[0] = asked[1] = part[2] > 0;
    for (k = 0; k < part[0]; ++k, ++bar) asked[1] |= !dci_man_zero(bar->n);
    for (k = 0; k < part[1]; ++k, ++bar) asked[0] |= !dci_man_zero(bar->n);
    for (c = 0; c < 2; ++c) {
        const dc_sdf *s = c == 0 ? a->sdf : b->sdf;
        for (i = 0; i < s->n && asked[c]; ++i)
            if (s->prim[i].kind == DC_SDF_SUPERQUADRIC && s->prim[i].taubin) return 0;
    }
    return 1;
}

static DCI_NOINLINE dc_status dci_man_bend(dci_man *m, const dc_manifold_contact *bar, const dc_manifold_contact *dbar)
{
    dc_status status;
    dci_wit wit;
    int c, i;
    dci_wit_options(&m->options.witness, &wit);

    /* all start from zero */
    for (c = 0; c < 2; ++c) {
        dci_man_side *s = &m->side[c];
        memset(&s->bent.linear, 0, sizeof s->bent.linear);
        memset(&s->bent.angular, 0, sizeof s->bent.angular);
        memset(s->bent.vertex, 0, (size_t)s->vertices.count*sizeof *s->bent.vertex);
        for (i = 0; i < 2 && s->edges.kept > 0; ++i)
            memset(s->bent.end[i], 0, (size_t)s->edges.kept*sizeof *s->bent.end[i]);
    }

    /* stage by stage */
    status = dci_bend_contacts(m, bar, dbar);
    if (status == DC_OK && m->pairs > 0) status = dci_bend_normals(m);
    if (status != DC_OK) return status;
    if (m->pairs > 0) dci_bend_pairs(m, &wit);
    dci_bend_select(m, 0);
    dci_bend_select(m, 1);
    for (c = 0; c < 2; ++c)
        dci_bend_out(&m->side[c].bent, m->side[c].d.twist.angular, m->grad + 6*c, m->hvp + 6*c);
    for (i = 0; i < 12; ++i)
        if (!dc_finite(m->grad[i]) || !dc_finite(m->hvp[i])) return DC_E_RANGE;
    return DC_OK;
}

/* ---- [manifold] manifold: calls --------------------------------------------------------------------------- */
/* stage                      | reads                     | writes                                | equation
 * dci_man_run                | surfaces, poses, options  | a dci_man in the arena                | CONTAX Eq. 11 to 16
 * dci_man_contacts           | a dci_man                 | contacts                              |
 * dci_man_push, dci_man_pull | a dci_man                 | their derivatives                     | */

DC_DEF dc_status dc_manifold(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b, const dc_pose *pose_b,
                             const dc_manifold_options *opt, dc_arena *mem, dc_manifold_contact *contacts)
{
    dci_man  *m = NULL;
    size_t    used = mem ? mem->used : 0;
    dc_status status = contacts ? dci_man_run(&m, a, pose_a, b, pose_b, opt, NULL, 0, mem) : DC_E_ARG;
    if (status == DC_OK) dci_man_contacts(m, contacts);
    if (mem) mem->used = used;
    return status;
}

DC_DEF dc_status dc_manifold_jvp(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b, const dc_pose *pose_b,
                                 const dc_manifold_options *opt, const dc_real xi[12], dc_arena *mem,
                                 dc_manifold_contact *contacts, dc_manifold_contact *dcontacts)
{
    dci_man  *m = NULL;
    size_t    used = mem ? mem->used : 0;
    dc_status status = DC_OK;
    int       k;

    /* a direction in range */
    for (k = 0; xi && k < 12; ++k)
        if (!(dc_abs(xi[k]) <= DC_LIMIT)) status = DC_E_ARG;
    if (!xi || !dcontacts || status != DC_OK) return DC_E_ARG;

    status = dci_man_run(&m, a, pose_a, b, pose_b, opt, NULL, 1, mem);
    if (status == DC_OK) {
        if (contacts) dci_man_contacts(m, contacts);
        dci_man_push(m, xi, dcontacts);
    }
    if (mem) mem->used = used;
    return status;
}

DC_DEF dc_status dc_manifold_vjp(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b, const dc_pose *pose_b,
                                 const dc_manifold_options *opt, const dc_manifold_contact *bar, dc_arena *mem,
                                 dc_manifold_contact *contacts, dc_real grad[12])
{
    dci_man  *m = NULL;
    size_t    used = mem ? mem->used : 0;
    dc_status status = bar && grad ? dci_man_run(&m, a, pose_a, b, pose_b, opt, bar, 1, mem) : DC_E_ARG;
    if (status == DC_OK) {
        dci_man_pull(m, bar, grad);
        if (contacts) dci_man_contacts(m, contacts);
    }
    if (mem) mem->used = used;
    return status;
}

DC_DEF dc_status dc_manifold_hvp(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b, const dc_pose *pose_b,
                                 const dc_manifold_options *opt, const dc_manifold_contact *bar,
                                 const dc_manifold_contact *dbar, const dc_real xi[12], dc_arena *mem, dc_real *grad,
                                 dc_real hvp[12])
{
    dci_man  *m = NULL;
    size_t    used = mem ? mem->used : 0;
    dc_status status;

    if (!dci_bend_ok(a, b, opt, bar, dbar, xi) || !hvp) return DC_E_ARG;
    status = dci_man_run(&m, a, pose_a, b, pose_b, opt, bar, 2, mem);
    if (status == DC_OK) {
        dci_man_move(m, xi);
        status = dci_man_bend(m, bar, dbar);
    }
    if (status == DC_OK) {
        if (grad) memcpy(grad, m->grad, sizeof m->grad);
        memcpy(hvp, m->hvp, sizeof m->hvp);
    }
    if (mem) mem->used = used;
    return status;
}

DC_DEF dc_status dc_manifold_jac(const dc_surface *a, const dc_pose *pose_a, const dc_surface *b, const dc_pose *pose_b,
                                 const dc_manifold_options *opt, dc_arena *mem, dc_manifold_contact *contacts,
                                 dc_manifold_contact *jac)
{
    dci_man  *m = NULL;
    size_t    used = mem ? mem->used : 0;
    dc_status status = jac ? dci_man_run(&m, a, pose_a, b, pose_b, opt, NULL, 1, mem) : DC_E_ARG;
    int       k, part[4], total;

    if (status == DC_OK) {
        total = dci_man_counts(m, part);
        if (contacts) dci_man_contacts(m, contacts);
        for (k = 0; k < 12; ++k) dci_man_column(m, k, jac + (size_t)k*(size_t)total);
    }
    if (mem) mem->used = used;
    return status;
}

DC_DEF dc_real dc_manifold_mean(int count, const dc_manifold_contact *contacts, dc_manifold_contact *bar)
{
    dc_real sum = 0;
    int k;
    for (k = 0; k < count; ++k) {
        sum += contacts[k].d;
        if (!bar) continue;
        memset(&bar[k], 0, sizeof bar[k]);
        bar[k].d = 1/(dc_real)count;
    }
    return count > 0 ? sum/(dc_real)count : DC_R(0);
}

DC_DEF dc_real dc_manifold_active(int count, const dc_manifold_contact *contacts, dc_manifold_contact *bar)
{
    dc_real sum = 0;
    int k;
    for (k = 0; k < count; ++k) {
        dc_real d = contacts[k].d, act = contacts[k].act;
        sum += act*d;
        if (!bar) continue;
        memset(&bar[k], 0, sizeof bar[k]);
        bar[k].d = act;
        bar[k].act = d;
    }
    return sum;
}

/* ---- [scene] pairs of bodies that can have active contacts ------------------------------------------------ */
/* stage             | reads             | writes                                  | equation
 * dci_pairs_body    | a body, its pose  | its frame, the ball about its mesh      |
 * dci_pairs_near    | balls, a field    | whether they come within reach of it    | dc_sdf_bound
 * dc_manifold_pairs | bodies, poses     | the list                                | */

typedef struct {
    dci_man_body *body;
    dc_v3   *centre;                /* of the balls, in the world */
    dc_real *radius, *least;
    dc_v3   *local;                 /* in the axes of a body */
    unsigned char *reach;           /* [n x n] may ball i reach field j? */
    dci_room room;
} dci_pairs;

static int dci_pairs_memory(dci_pairs *s, size_t n, dc_arena *mem)
{
    memset(s, 0, sizeof *s);
    s->room.arena = mem;
    s->body = DCI_TAKE(&s->room, n, dci_man_body);
    s->centre = DCI_TAKE(&s->room, n, dc_v3);
    s->radius = DCI_TAKE(&s->room, n, dc_real);
    s->least = DCI_TAKE(&s->room, n, dc_real);
    s->local = DCI_TAKE(&s->room, n, dc_v3);
    s->reach = DCI_TAKE(&s->room, n*n, unsigned char);
    return !s->room.full;
}

/* Where contacts end, of options that count without what is kept of meshes; 0: dc_manifold refuses them */
static DCI_NOINLINE dc_real dci_pairs_end(const dc_surface *body, const dc_manifold_options *opt)
{
    dc_manifold_options o = *opt;
    dci_man m;
    o.keep_v_a = o.keep_v_b = o.keep_e_a = o.keep_e_b = 0;
    if (dci_man_sizes(&m, body, body, &o) != DC_OK) return 0;
    return o.cull > 0 && o.trace == 0 ? dci_man_end(&m) : DC_REAL_MAX;
}

/* 0: bodies that dc_manifold refuses */
static int dci_pairs_ok(int n, const dc_surface *body, const dc_pose *pose)
{
    int i, k;
    for (i = 0; i < n; ++i) {
        if (!dci_man_field_ok(&body[i]) || !dc_pose_ok(pose ? &pose[i] : NULL)) return 0;
        for (k = 0; k < body[i].mesh->nv; ++k)
            if (!dc_in_range(body[i].mesh->v[k])) return 0;
    }
    return 1;
}

/* whether the balls come within `end` of field j; 0: one is out of range there */
static int dci_pairs_near(dci_pairs *s, int n, int j, dc_real end)
{
    const dci_man_body *b = &s->body[j];
    int i;
    for (i = 0; i < n; ++i) s->local[i] = dc_mul_t(&b->axes, dc_sub(s->centre[i], b->origin));
    if (dc_sdf_bound(b->sdf, n, s->local, s->radius, s->least) != DC_OK) return 0;
    for (i = 0; i < n; ++i) s->reach[(size_t)i*(size_t)n + (size_t)j] = s->least[i] < end;
    return 1;
}

DC_DEF size_t dc_manifold_pairs_bytes(int n)
{
    dci_pairs s;
    if (n < 0 || n > 1 << 15) return 0;
    dci_pairs_memory(&s, (size_t)n, NULL);
    return dci_counted(&s.room);
}

DC_DEF dc_status dc_manifold_pairs(int n, const dc_surface *body, const dc_pose *pose, const dc_manifold_options *opt,
                                   dc_arena *mem, int most, int *pair, int *count)
{
    dc_manifold_options o = DC_ZERO;
    dci_pairs s;
    dc_status status = DC_OK;
    size_t    used = mem ? mem->used : 0, N = n > 0 ? (size_t)n : 0;
    dc_real   end, beyond;
    int       i, j, found = 0;

    /* arguments and memory */
    if (opt) o = *opt;
    if (n < 0 || n > 1 << 15 || most < 0 || (n > 0 && !body) || !mem || (most > 0 && !pair) || !count
        || !dci_pairs_ok(n, body, pose)) return DC_E_ARG;
    end = n > 0 ? dci_pairs_end(body, &o) : DC_REAL_MAX;
    if (!(end > 0)) return DC_E_ARG;
    if (!dci_pairs_memory(&s, N, mem)) status = DC_E_MEMORY;
    beyond = dci_man_beyond(&o);

    for (i = 0; i < n && status == DC_OK; ++i) {
        dci_man_pose(pose ? &pose[i] : NULL, &s.body[i]);
        s.body[i].sdf = body[i].sdf;
        s.radius[i] = beyond*dci_man_ball(body[i].mesh->nv, body[i].mesh->v, &s.centre[i]);
        s.centre[i] = dc_add(dc_mul(&s.body[i].axes, s.centre[i]), s.body[i].origin);
    }
    for (j = 0; j < n && status == DC_OK; ++j)
        if (!dci_pairs_near(&s, n, j, end)) status = DC_E_RANGE;

    /* the list */
    for (i = 0; i < n && status == DC_OK; ++i)
        for (j = i + 1; j < n; ++j) {
            if (!s.reach[(size_t)i*N + (size_t)j] && !s.reach[(size_t)j*N + (size_t)i]) continue;
            if (found < most) {
                pair[2*found] = i;
                pair[2*found + 1] = j;
            }
            ++found;
        }
    if (status == DC_OK) *count = found;
    mem->used = used;
    return status == DC_OK && found > most ? DC_E_RANGE : status;
}

#if DCI_FUSES
#pragma GCC pop_options
#endif

#endif /* DC_WITNESS_IMPLEMENTED */
#endif /* DC_WITNESS_IMPLEMENTATION */

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
