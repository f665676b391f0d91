/* dc_ncp.h - v0.1.0 - rigid contact dynamics and collision detection in one solve, with exact gradients
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * DOES     convex shapes (half-space, sphere, box, polytope, capsule, cylinder, cone, ellipsoid, their moves and Minkowski
 *          sums) in 2D and 3D; their growth distance with derivatives by poses and by shape; a time step that finds next
 *          velocities, contact points, normals and forces together (SILICO [1]), with linear or cone friction, torsional
 *          friction and restitution; its derivatives by state, loads, mass, inertia, friction, time step and shape.
 * DOES NOT know joints, draw, or take shapes that are not convex: give a body several contacts for a union.
 *
 * USE
 *   In one C or C++ file: #define DC_NCP_IMPLEMENTATION, then #include "dc_ncp.h"; dc_contact.h likewise. Elsewhere include it.
 *   A ball falls on the floor; cc -std=c99 -O2 program.c -lm
 *
 *|#define DC_CONTACT_IMPLEMENTATION
 *|#define DC_NCP_IMPLEMENTATION
 *|#include "dc_ncp.h"
 *|#include <stdio.h>
 *|static unsigned char memory[1 << 15];
 *|int main(void)
 *|{
 *|    dc_arena mem = dc_arena_make(memory, sizeof memory);
 *|    dc_shape ball = DC_ZERO, ground = DC_ZERO;
 *|    dc_ncp_body body = DC_ZERO;
 *|    dc_ncp_contact touch = DC_ZERO;
 *|    dc_ncp_scene scene = DC_ZERO;
 *|    int i;
 *|    dc_shape_sphere(3, DC_R(0.5), &mem, &ball);
 *|    dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &mem, &ground);
 *|    body.pose.q.w = body.mass = body.inertia.m[0] = body.inertia.m[4] = body.inertia.m[8] = 1;
 *|    body.pose.t.z = 2;
 *|    touch.body[1] = -1;                                // the world
 *|    touch.shape[0] = &ball; touch.shape[1] = &ground; touch.mu = DC_R(0.5);
 *|    scene.dim = 3; scene.h = DC_R(0.01); scene.gravity.z = DC_R(-9.81);
 *|    scene.bodies = scene.contacts = 1; scene.body = &body; scene.contact = &touch;
 *|    for (i = 0; i < 100; i++)
 *|        if (dc_ncp_step(NULL, &scene, &mem, &body, NULL, NULL) != DC_OK) return 1;
 *|    printf("height %.3f\n", (double)body.pose.t.z);
 *|    return 0;
 *|}
 *
 * OPTIONS (macros)
 *   DC_NCP_IMPLEMENTATION  in one file: the code. DC_REAL, DC_STATIC, DC_DEF as in dc_contact.h.
 *
 * NOTATION
 *   a, b        the two bodies of a contact (the paper's parent and child); n from b to a
 *   alpha       growth of both shapes about their origins; 1: as they are
 *   y, s, z     free unknowns of a contact; its cones' slacks and duals, s o z = rho e
 *   lam         duals of the shapes' rows, the part of z that SILICO Eq. 15 makes normals of
 *   gamma       normal impulse, N s; beta (zeta, f) friction impulse, psi its multiplier
 *   rho         relaxation: how far from hard contact, in the natural units below
 *   L           metres of one unit of alpha
 *
 * NATURAL UNITS
 *   Everything a step compares, relaxes or starts from is measured in units of each contact, of constants of the scene alone:
 *   length    l = a b/(a + b) of the sizes of its two shapes, that of the one that grows where the other is a half-space
 *   impulse   U = m |g| h, 1/m = 1/m_a + 1/m_b: what gravity gives the reduced mass in a step
 *   speed     V = sqrt(|g| l)
 *   with |g| the option `acceleration`, by default gravity's length, and l/(100 h^2) without gravity. Products at the end are
 *   rho U l/(4 sqrt(1 + mu^2)) of gamma and gap, rho U V of friction and slip, rho l of lam and slack. So a body that rests by its
 *   own weight hovers by at most rho l/4 and creeps at about rho V/(mu - mu'), mu' the share of mu it uses: a cube of 1 m at
 *   rho 1e-6 by 0.1 um and a few um/s, of 1 g or 10 t, at any step; a tenth of the load, ten times as far. dc_ncp_info has the
 *   largest of both. No status depends on kg, m or s.
 *
 * CONTRACTS
 *   Memory    The caller's arena; dc_..._bytes is enough for one call from a fresh arena. Shapes stay where they were made.
 *             Worst stack of any function below 3 KB (`make facts`).
 *   Errors    dc_status; what each means here:
 *             DC_E_ARG       not finite, out of range, NULL, a bad index or count, a body in contact with itself, two shapes
 *                            neither of which grows; outputs and arena untouched
 *             DC_E_MEMORY    the arena is too small: give dc_..._bytes of it; outputs and arena untouched
 *             DC_E_DIVERGED  the limit of iterations, or every start stalled; the best iterate is in `next` (in *out), and the
 *                            functions that ask a solution return this status for it
 *             DC_E_SINGULAR  a pivot vanished; as DC_E_DIVERGED
 *             DC_E_RANGE     numbers overflowed; as DC_E_DIVERGED where finite. dc_ncp_broad, dc_shape_hull: the list is full
 *   Threads   Every function is re-entrant. Same input, same bits.
 *   Accuracy  All 3600 runs of the published drop grid are solved, cold and warm, and no contact is deeper than 2 rho l;
 *             dc_ncp_info bounds the depth of every step. Creep and hover of a cube of 1 g to 10 t at steps of 1e-3 to 0.1 s stay below
 *             1e-5 m/s and 1e-6 sides (test_ncp_units). The formulation of the paper, whose tables `make bench` prints beside its
 *             own, is in tests/bench/ncp_baselines.h.
 *             Gradients are those of the step solved to rounding: before the first of them the solution is polished by Newton's
 *             steps. They agree with central differences to 1e-8 of the largest entry in every parameter (test_ncp_exact).
 *             Growth: alpha within rho for each row from 1e-6 to 1e6 sizes apart, in units from 1e-6 to 1e6; Jacobians at the
 *             default rho agree with differences to 1e-7, near and 1000 sizes apart (test_ncp_growth).
 *   Cost      One core of a server, gcc 12 -O2, `make bench`: a step of the drop scene 11 us cold, 4 us warm; four 2D blocks with
 *             ten contacts 0.29 ms. Growth of random hulls of 8 to 30 faces with its Jacobian 2.8 us cold, 1.8 us
 *             warm, of boxes with parallel faces 1.8 us; of shapes with cones 10 to 30 us.
 *             A step factors its body system at most max_iterations times, and 15 times more, in smaller blocks, for the guess of
 *             the load where there are two contacts or more; the polish before gradients takes 7 at most. Growth problems: at most 50
 *             iterations each, one for each contact and start, of which there are 64 at most, and one more where contacts bounce.
 *   Limits    The equations have no merit function whose descent is assured: in hard scenes a step now and then needs several starts,
 *             and a few in a thousand end with DC_E_DIVERGED: look at the status. `make robust` counts them by family; heavy on
 *             light at ratios of 1e4 and more, and bodies jammed in notches steeper than friction's angle, where forces are not
 *             unique, are the worst. A warm start is for scenes that change little: among tumbling bodies a cold one takes
 *             fewer steps.
 *             Gradients hold fixed which contacts bounce and which tangents the pyramid has. Friction acts at one point of a
 *             contact; angular momentum of two bodies that collide is off by h v x F, since the point is that of the end of
 *             the step.
 *
 * REFERENCES
 *   [1] SILICO  Le Cleac'h, Schwager, Manchester, Sindhwani, Florence, Singh: Single-level differentiable contact simulation.
 *   [2] DCOL    Tracy, Howell, Manchester: Differentiable collision detection for a set of convex primitives.
 *
 * CHANGES  see CHANGELOG.md. LICENCE at the end of this file. */
#ifndef DC_NCP_H_INCLUDED
#define DC_NCP_H_INCLUDED

#include "dc_contact.h"

#if DC_IS_FLOAT
#define dc_shape_bytes dc_shape_bytes_f
#define dc_shape_halfspace dc_shape_halfspace_f
#define dc_shape_sphere dc_shape_sphere_f
#define dc_shape_box dc_shape_box_f
#define dc_shape_polytope dc_shape_polytope_f
#define dc_shape_hull_bytes dc_shape_hull_bytes_f
#define dc_shape_hull dc_shape_hull_f
#define dc_shape_capsule dc_shape_capsule_f
#define dc_shape_cylinder dc_shape_cylinder_f
#define dc_shape_cone dc_shape_cone_f
#define dc_shape_ellipsoid dc_shape_ellipsoid_f
#define dc_shape_sum dc_shape_sum_f
#define dc_shape_place dc_shape_place_f
#define dc_growth_bytes dc_growth_bytes_f
#define dc_growth dc_growth_f
#define dc_growth_batch dc_growth_batch_f
#define dc_ncp_bytes dc_ncp_bytes_f
#define dc_ncp_step dc_ncp_step_f
#define dc_ncp_keep_count dc_ncp_keep_count_f
#define dc_ncp_relax dc_ncp_relax_f
#define dc_ncp_force dc_ncp_force_f
#define dc_ncp_vjp dc_ncp_vjp_f
#define dc_ncp_grad dc_ncp_grad_f
#define dc_ncp_grad_shape dc_ncp_grad_shape_f
#define dc_ncp_broad_bytes dc_ncp_broad_bytes_f
#define dc_ncp_broad dc_ncp_broad_f
#define dc_ncp_flaw dc_ncp_flaw_f
#define dc_ncp_contacts_bytes dc_ncp_contacts_bytes_f
#define dc_ncp_contacts dc_ncp_contacts_f
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- shapes ---------------------------------------------------------------------------------- */

/* A convex shape, grown by alpha about its origin: the points x with
 *
 *     s = alpha b + d - A x + N e   in   K      for some e,
 *
 * K: `linear` rows s_i >= 0, then `cones` second-order cones s_0 >= |(s_1, ..)|. Every shape below has this form, and it is
 * closed under moves and Minkowski sums, so that nothing else in this header knows what shape it has before it.
 * The arrays are borrowed, row-major, and of any origin: the constructors take them from an arena, and a shape may be
 * written by hand. Rows of A and N may have any length; `size` is the length unit of the growth (default formulation):
 * L = size_a + size_b. The constructors write the largest offset of a face, in 0 < size for all but half-spaces. */
typedef struct {
    int dim;                    /* 2 or 3: columns of A */
    int rows, linear, cones;    /* rows = linear + sum of cone[] */
    int aux;                    /* numbers in e */
    const int *cone;            /* [cones] sizes, each at least 2 */
    const dc_real *A;           /* rows x dim */
    const dc_real *b, *d;       /* rows */
    const dc_real *N;           /* rows x aux; NULL when aux is 0 */
    dc_real size;
} dc_shape;

/* Bytes of arena that a shape of these counts takes; 0 for counts out of range. */
DC_DEF size_t dc_shape_bytes(int dim, int rows, int cones, int aux);

/* The constructors take the arrays of *out from `mem`, where they stay. DC_E_ARG: dim not 2 or 3, a length not finite and
 * positive, a null pointer; DC_E_MEMORY. Then *out and the arena are as before. In 2D the z of vectors is ignored.
 *
 * `rows` of each for its size_bytes, and where its measures stand, for derivatives by them:
 *     halfspace  1             n.x <= offset; not grown
 *     sphere     1 + dim       b[0] = r
 *     box        2 dim         b[2i] = b[2i + 1] = half.x, half.y, half.z: rows +e_i, -e_i
 *     polytope   rows          A x <= b, as given; every b > 0
 *     capsule    3 + dim       axis x; b[0] = b[1] = length/2 (of the segment), b[2] = r
 *     cylinder   2 + dim       axis x; b[0] = b[1] = length/2, b[2] = r
 *     cone       1 + dim       axis x, base at +height/4, apex at -3 height/4; b[0] = height/4, A[dim] = -slope,
 *                              b[1] = slope 3 height/4; slope = radius over height
 *     ellipsoid  1 + dim       A[(1 + i) dim + i] = -1/semi-axis, b[0] = 1 */
DC_DEF dc_status dc_shape_halfspace(int dim, dc_v3 n, dc_real offset, dc_arena *mem, dc_shape *out);
DC_DEF dc_status dc_shape_sphere(int dim, dc_real r, dc_arena *mem, dc_shape *out);
DC_DEF dc_status dc_shape_box(int dim, dc_v3 half, dc_arena *mem, dc_shape *out);
DC_DEF dc_status dc_shape_polytope(int dim, int rows, const dc_real *A, const dc_real *b, dc_arena *mem, dc_shape *out);
DC_DEF dc_status dc_shape_capsule(int dim, dc_real r, dc_real length, dc_arena *mem, dc_shape *out);
DC_DEF dc_status dc_shape_cylinder(int dim, dc_real r, dc_real length, dc_arena *mem, dc_shape *out);
DC_DEF dc_status dc_shape_cone(int dim, dc_real height, dc_real slope, dc_arena *mem, dc_shape *out);
DC_DEF dc_status dc_shape_ellipsoid(int dim, dc_v3 semi, dc_arena *mem, dc_shape *out);

/* The polytope with these vertices, n points in any order, of which some may lie inside: unit rows, outwards, one for each
 * face. It grows about the origin where that is inside, else about the mean of the points (d = A mean, else 0). A point within
 * 1e3 DC_EPS of the largest coordinate of a face's plane counts as on it, and the origin is inside when it is farther than
 * that from every face; n up to 128 in 3D, 256 in 2D; the time grows with the cube (2D: square) of n.
 * DC_E_ARG also for points without volume; DC_E_RANGE: more faces than 2 n (n in 2D), which
 * rounding can make of points that almost share planes. dc_shape_hull_bytes is what it needs; the shape keeps dc_shape_bytes. */
DC_DEF size_t dc_shape_hull_bytes(int dim, int n);
DC_DEF dc_status dc_shape_hull(int dim, int n, const dc_v3 *x, dc_arena *mem, dc_shape *out);

/* The Minkowski sum of two shapes (SILICO Eq. 23-25): rows and cones add up, aux is aux_a + aux_b + dim. A padded polytope is the
 * sum of a polytope and a sphere (SILICO Eq. 46). Copies: a and b may go. */
DC_DEF dc_status dc_shape_sum(const dc_shape *a, const dc_shape *b, dc_arena *mem, dc_shape *out);

/* The shape moved: x -> R x + t. It grows about its own origin, moved as well. In 2D the rotation is about z. Copies. */
DC_DEF dc_status dc_shape_place(const dc_shape *a, dc_pose pose, dc_arena *mem, dc_shape *out);

/* ---- growth distance --------------------------------------------------------------------------- */

/* Where a pair touched, for the next call on it: zeroed, it is not known. Plain data of the caller's; whatever it holds, it
 * changes the time of a call and the last bits of its answer, nothing else. */
typedef struct { int row[4]; } dc_growth_warm;

typedef struct {
    dc_real rho;            /* relaxation: alpha is above the exact one by at most rho times the number of rows of both shapes,
                             * at any distance and in any unit; 0: 1e-8, float 1e-4 */
    int     max_iterations; /* steps of Newton; 0: 60. A solve that gets nowhere for 50 ends before */
    dc_growth_warm *warm;   /* may be NULL. In and out; dc_growth_batch: [count] */
} dc_growth_options;

/* n points from b to a. gradient: d alpha/d x_a = n/length. */
typedef struct {
    dc_real alpha;          /* the least growth at which the shapes touch: above 1 apart, below 1 overlapping */
    dc_v3   p;              /* where they touch then */
    dc_v3   n_a, n_b;       /* unit normals by the duals of either shape (SILICO Eq. 15, 41); equal at rho = 0 */
    dc_real length;         /* 1/|d alpha/d x_a|, m: (alpha - 1) length is the gap to first order */
    int     iterations;     /* steps of Newton */
    dc_real residual;       /* largest residual, complementarity included, in units of L; of polytopes the part of lam that
                             * Newton's last step leaves wrong */
} dc_growth_result;

/* Derivatives by the data of a shape, each array as long as the shape's, NULL where not wanted. Added to. */
typedef struct { dc_real *A, *b, *d, *N; dc_real size; } dc_shape_grad;

/* Bytes of arena that dc_growth and dc_growth_batch take; 0: a shape that is none, or shapes of different dim. */
DC_DEF size_t dc_growth_bytes(const dc_shape *a, const dc_shape *b);

/* The growth distance (SILICO Eq. 14) of two posed shapes (NULL: identity), smoothed by rho: s o lambda = rho e. The number
 * returned is the one at rho, solved to rounding, and all derivatives are of it: smooth everywhere, with bends as sharp as rho
 * where the exact one has kinks. Of parallel faces p is the middle of what they share.
 *
 * Shapes that grow from one and the same point: alpha is about 0 and has no direction. Where |d alpha/d x_a| L is below
 * 64 DC_EPS both normals are the last axis, (0, 0, 1), in 2D (0, 1), and do not turn; length is L/(64 DC_EPS). A half-space's normal
 * is the pair's, also deep inside.
 *
 * Polytopes and half-spaces, without auxiliary numbers, go the fast way and can start warm; the others use the interior point. At
 * distance r their alpha is solved for rho or 16 DC_EPS r/L, whichever is larger: rounding.
 *
 *   jac    may be NULL: 7 x 12, rows alpha, p, n_a by the twists [a; b] (in 2D the entries that leave the plane are 0),
 *          by the implicit function theorem
 *   bar    may be NULL: 7 numbers, cotangents of alpha, p, n_a; with it ga, gb (each may be NULL) receive, added, the
 *          derivatives of bar . (alpha, p, n_a) by the numbers of the two shapes
 *
 * DC_E_ARG: shapes of different dim, not finite, both half-spaces, both not growing. DC_E_MEMORY. DC_E_DIVERGED: *out is
 * the last iterate; derivatives are written with DC_OK only. Twists about the body origins, world frame, as everywhere in dc. */
DC_DEF dc_status dc_growth(const dc_growth_options *opt, const dc_shape *a, const dc_pose *pa, const dc_shape *b,
                           const dc_pose *pb, dc_arena *mem, dc_growth_result *out, dc_real *jac, const dc_real *bar,
                           dc_shape_grad *ga, dc_shape_grad *gb);

/* The same at `count` pairs of poses: out [count]; jac [count x 84], status [count] may be NULL. Every pair is worked on;
 * returned is the first status that is not DC_OK. What a pair that fails writes is as with dc_growth: with DC_E_ARG, its
 * pose, nothing. */
DC_DEF dc_status dc_growth_batch(const dc_growth_options *opt, const dc_shape *a, const dc_shape *b, int count, const dc_pose *pa,
                                 const dc_pose *pb, dc_arena *mem, dc_growth_result *out, dc_real *jac, dc_status *status);

/* ---- dynamics ---------------------------------------------------------------------------------- */

/* A rigid body. mass 0: it does not move (its v and w are not read). In 2D z, the rotation out of the plane, and all of
 * the inertia but m[8] are ignored. v, w: velocity over the step before, world frame. */
typedef struct {
    dc_pose pose;
    dc_v3   v, w;
    dc_real mass;
    dc_m3   inertia;        /* about the body origin, which is the centre of mass, in body axes */
    dc_v3   force, torque;  /* control and other loads over the step, world frame */
} dc_ncp_body;

/* A pair of shapes that may touch. The push acts along n, from b to a. */
typedef struct {
    int             body[2];    /* indices of a and b; -1: the world, then shape coordinates are world coordinates */
    const dc_shape *shape[2];
    dc_real         mu;         /* friction; 0: none */
    dc_real         mu_spin;    /* torsional friction, torque over normal force, m; 3D; 0: none */
    dc_real         restitution;/* e, 0..1: contacts that would close within the step part with e of their speed, for e < 1/8 with
                                   less, down to none; they end at least as far apart as h e |c| + min(gap, 8 h e |c|).
                                   Derivatives by e at none are those from above */
    dc_real        *keep;       /* NULL, or dc_ncp_keep_count numbers, zero at first: the solution, for a warm start */
} dc_ncp_contact;

typedef struct {
    int                   dim;
    dc_real               h;        /* time step, s */
    dc_v3                 gravity;
    int                   bodies, contacts;
    const dc_ncp_body    *body;
    const dc_ncp_contact *contact;
} dc_ncp_scene;

typedef struct {
    dc_real rho;            /* complementarity a o b = rho e (SILICO Eq. 22), in natural units; 0: 1e-6, float 1e-4 */
    dc_real tol;            /* largest residual and excess of complementarity, in natural units; 0: rho/10 */
    dc_real acceleration;   /* m/s^2, by which impulses and speeds are measured; 0: |gravity|, or without any length/(100 h^2) */
    int     max_iterations; /* Newton steps, of all starts together; 0: 1500 */
    int     pyramid;        /* 1: linear friction in 3D, four facets; 2D friction is linear and exact */
} dc_ncp_options;

typedef struct {
    int     iterations;     /* Newton steps, of all starts together */
    int     warm;           /* 1: the warm start was taken to the end */
    dc_real residual;       /* largest residual of the equations, in natural units, less what rounding leaves of them */
    dc_real complementarity;/* largest |a o b - rho e|, in natural units */
    dc_real hover, creep;   /* m, m/s: largest gap of a contact that pushes, largest slip of one that sticks */
    dc_real overlap, depth; /* with DC_OK no contact overlaps by more, to `tol`: 1 - alpha, and metres. Bounds by the
                               duality gap of SILICO Eq. 14; 0 where all are apart for certain */
} dc_ncp_info;

typedef struct dc_ncp dc_ncp;

/* Numbers in a contact's `keep`; 0 for a contact that is not valid. */
DC_DEF int dc_ncp_keep_count(const dc_ncp_options *opt, int dim, const dc_ncp_contact *c);

/* What is wrong with a scene: body and contact are -1 where the flaw is not theirs; `field` is named as in the structs above. */
typedef struct { int body, contact; const char *field, *cause; } dc_ncp_flaw_info;

/* DC_OK when dc_ncp_step would take the scene, else DC_E_ARG and the first flaw in *out (may be NULL). */
DC_DEF dc_status dc_ncp_flaw(const dc_ncp_options *opt, const dc_ncp_scene *scene, dc_ncp_flaw_info *out);

/* Bytes of arena for a step; 0 for a scene that is not valid. */
DC_DEF size_t dc_ncp_bytes(const dc_ncp_options *opt, const dc_ncp_scene *scene);

/* An upper bound of dc_ncp_bytes known to the compiler, for an array: so many bodies that move, contacts, and rows and auxiliary
 * numbers of the two shapes of a contact together, at most. */
#define DC_NCP_RAM(bodies, contacts, rows, aux) (sizeof(dc_real)*((size_t)400 + 16*(size_t)(rows) + 8*(size_t)(aux) \
    + (size_t)(bodies)*(160 + 38*(size_t)(bodies)) + (size_t)(contacts)*(550 + (size_t)(rows)*(40 + 2*(size_t)(aux)) + 10*(size_t)(aux))))

/* One step of SILICO Eq. 20: the velocities at its end, contact points, normals and forces together.
 *
 *   next      [scene->bodies] the bodies after the step; may be scene->body's own array
 *   solution  NULL, or receives the solved step, which stays in the arena until the caller resets it, and borrows the scene
 *             with its bodies, contacts and shapes; the functions below ask it
 *   info      may be NULL
 *
 * DC_E_ARG: something is not finite or out of range, dc_ncp_flaw says what; nothing is written. DC_E_MEMORY. DC_E_DIVERGED: the
 * limit of iterations or no start left, `next` holds the best iterate; DC_E_SINGULAR: the same, because a pivot vanished. */
DC_DEF dc_status dc_ncp_step(const dc_ncp_options *opt, const dc_ncp_scene *scene, dc_arena *mem, dc_ncp_body *next,
                             dc_ncp **solution, dc_ncp_info *info);

/* Solves the same step again at another rho, from the solution, by way of those in between: for gradients that are smoother.
 * tol = rho/10. Statuses as above. */
DC_DEF dc_status dc_ncp_relax(dc_ncp *solution, dc_real rho, dc_ncp_info *info);

/* What happened at contact k of a solved step; DC_E_ARG: k out of range, a NULL. */
typedef struct {
    dc_v3   p, n;           /* contact point, unit normal from b to a, at the end of the step */
    dc_v3   impulse;        /* on a, N s: force times h */
    dc_real alpha, gap;     /* growth, and (alpha - 1)/|d alpha/d x_a|, m */
} dc_ncp_touch;
DC_DEF dc_status dc_ncp_force(const dc_ncp *solution, int k, dc_ncp_touch *out);

/* Numbers in the parameters of a body, and where each begins: twist of its pose (6), v and w, force and torque (3 each), mass,
 * inertia (9, row-major) */
#define DC_NCP_BODY_PARAMS 28
#define DC_NCP_AT_POSE 0
#define DC_NCP_AT_V 6
#define DC_NCP_AT_W 9
#define DC_NCP_AT_FORCE 12
#define DC_NCP_AT_TORQUE 15
#define DC_NCP_AT_MASS 18
#define DC_NCP_AT_INERTIA 19
/* of the scene */
#define DC_NCP_SCENE_PARAMS 4
#define DC_NCP_AT_GRAVITY 0
#define DC_NCP_AT_H 3
/* of a contact */
#define DC_NCP_CONTACT_PARAMS 3
#define DC_NCP_AT_MU 0
#define DC_NCP_AT_MU_SPIN 1
#define DC_NCP_AT_RESTITUTION 2

/* Derivatives of a number by the data of the scene; NULL where not wanted. Added to. */
typedef struct {
    dc_real       *body;        /* bodies x DC_NCP_BODY_PARAMS */
    dc_real       *scene;       /* DC_NCP_SCENE_PARAMS */
    dc_real       *contact;     /* contacts x DC_NCP_CONTACT_PARAMS */
    dc_shape_grad *shape;       /* 2 x contacts: shape a, shape b */
} dc_ncp_adjoint;

/* The product with the transposed Jacobian, by the implicit function theorem at the solution's rho: `bar` (bodies x 12)
 * holds cotangents of each body's next pose (twist) and next v and w, within DC_LIMIT. DC_E_ARG, DC_E_SINGULAR: nothing is added. */
DC_DEF dc_status dc_ncp_vjp(dc_ncp *solution, const dc_real *bar, dc_ncp_adjoint *out);

/* The Jacobian: rows are bodies x (twist of the next pose, next v and w), 12 each; columns bodies x DC_NCP_BODY_PARAMS,
 * DC_NCP_SCENE_PARAMS, contacts x DC_NCP_CONTACT_PARAMS; row stride ld. DC_E_ARG, DC_E_SINGULAR: nothing is written; DC_E_RANGE: an
 * entry does not fit. */
DC_DEF dc_status dc_ncp_grad(dc_ncp *solution, dc_real *J, int ld);

/* The Jacobian by the numbers of the shape of one side (0: a, 1: b) of one contact: rows as above; columns A, b, d, N, each
 * as the shape has them, then size. Where contacts share a shape, its derivative is the sum over them. */
DC_DEF dc_status dc_ncp_grad_shape(dc_ncp *solution, int contact, int side, dc_real *J, int ld);

/* Pairs of bounding spheres (centre, radius) nearer than `margin`, by a sweep along x: pair[2k] < pair[2k + 1] in a fixed
 * order. A negative radius is never near. *count receives how many there are; DC_E_RANGE when more than `most`, which is
 * what the list holds then. */
DC_DEF size_t dc_ncp_broad_bytes(int n);
DC_DEF dc_status dc_ncp_broad(int n, const dc_v3 *centre, const dc_real *radius, dc_real margin, int most, int *pair, int *count,
                              dc_arena *scratch);

/* A shape on a body, with its material: a union has several on one. `radius`: of a ball about the body's origin (of the world: about
 * that of the shape) that holds it; a half-space has none. Of two materials mu is the geometric mean, mu_spin the mean, the
 * restitution the larger. */
typedef struct {
    int             body;       /* -1: the world */
    const dc_shape *shape;
    dc_real         radius;
    dc_real         mu, mu_spin, restitution;
} dc_ncp_part;

/* What contacts keep from step to step, found again by the pair of parts: `most` places of `stride` numbers (the largest
 * dc_ncp_keep_count). Arrays of the caller, key [most] zero at first. The search takes contacts x most. */
typedef struct { int most, stride; int *key; dc_real *keep; } dc_ncp_memory;

/* The contacts of all pairs of parts nearer than `margin`, in the order of their parts: not of one body with itself, of two that
 * do not move, nor of the `excluded` pairs of bodies (2 each, may be NULL). scene: dim, bodies and h count, contacts do not.
 *
 *   memory   NULL, or where the contacts' `keep` is; pairs that are gone lose their place, pairs for which there is none or whose
 *            solution is longer than `stride` start cold
 *   contact  [most]; *count receives how many there are
 *
 * DC_E_ARG, DC_E_MEMORY (scratch: dc_ncp_contacts_bytes). DC_E_RANGE: more than `most`, which is what the list holds. */
DC_DEF size_t dc_ncp_contacts_bytes(int parts);
DC_DEF dc_status dc_ncp_contacts(const dc_ncp_options *opt, const dc_ncp_scene *scene, int parts, const dc_ncp_part *part, dc_real margin,
                                 int excluded, const int *pair, dc_ncp_memory *memory, int most, dc_ncp_contact *contact,
                                 int *count, dc_arena *scratch);

#ifdef __cplusplus
}
#endif
#endif /* DC_NCP_H_INCLUDED */

/* ============================================================================================== */
#ifdef DC_NCP_IMPLEMENTATION
#ifndef DC_NCP_IMPLEMENTED
#define DC_NCP_IMPLEMENTED

#define DC_CONTACT_KERNELS
#include "dc_contact.h"

#include <stdint.h>
#include <string.h>

#if DCI_FUSES
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* gcc 12 at -O3 for SSE2 on 32-bit x86 makes wrong numbers of the derivatives' short loops when it vectorises them: `make bits` */
#if defined(__i386__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

#define DCI_NCP_MOST 256        /* rows, auxiliary numbers, cones of one shape */

/* Functions that take the dimension D are inline and get it as a constant, so that their loops unroll. */

/* ---- shapes ---------------------------------------------------------------------------------- */

typedef struct { dc_real *A, *b, *d, *N; int *cone; } dci_shape_data;

DC_DEF size_t dc_shape_bytes(int dim, int rows, int cones, int aux)
{
    size_t n;
    if (dim < 2 || dim > 3 || rows < 1 || rows > DCI_NCP_MOST || cones < 0 || cones > DCI_NCP_MOST || aux < 0 || aux > DCI_NCP_MOST)
        return 0;
    n = dc_bytes(0, (size_t)(rows*(dim + 2 + aux)), sizeof(dc_real));
    return cones > 0 ? dc_bytes(n, (size_t)cones, sizeof(int)) : n;
}

/* An empty shape of these counts, all numbers zero. */
static dc_status dci_shape_new(int dim, int linear, int cones, int rows, int aux, dc_arena *mem, dc_shape *s, dci_shape_data *w)
{
    size_t n, used;
    dc_real *x;
    if (!mem || dc_shape_bytes(dim, rows, cones, aux) == 0) return DC_E_ARG;
    used = mem->used;
    n = (size_t)(rows*(dim + 2 + aux));
    x = (dc_real *)dc_arena_take(mem, n, sizeof(dc_real));
    w->cone = cones > 0 ? (int *)dc_arena_take(mem, (size_t)cones, sizeof(int)) : NULL;
    if (!x || (cones > 0 && !w->cone)) {
        mem->used = used;
        return DC_E_MEMORY;
    }
    memset(x, 0, n*sizeof(dc_real));
    w->A = x;
    w->b = x + rows*dim;
    w->d = w->b + rows;
    w->N = aux > 0 ? w->d + rows : NULL;
    s->dim = dim;
    s->rows = rows;
    s->linear = linear;
    s->cones = cones;
    s->aux = aux;
    s->cone = w->cone;
    s->A = w->A;
    s->b = w->b;
    s->d = w->d;
    s->N = w->N;
    s->size = 0;
    return DC_OK;
}

static int dci_all_in_limit(const dc_real *x, int n)
{
    dc_real out[4] = DC_ZERO;
    int i, k;
    for (i = 0; i + 4 <= n; i += 4)         /* without branches: NaN and what is too large count */
        for (k = 0; k < 4; ++k) out[k] = x[i + k] <= DC_LIMIT && x[i + k] >= -DC_LIMIT ? out[k] : 1;
    for (; i < n; ++i) out[0] = dc_abs(x[i]) <= DC_LIMIT ? out[0] : 1;
    return out[0] + out[1] + out[2] + out[3] == 0;
}

DC_DEF dc_status dc_shape_halfspace(int dim, dc_v3 n, dc_real offset, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_real a[3], len2;
    dc_status st;
    int i;
    a[0] = n.x;
    a[1] = n.y;
    a[2] = n.z;
    if (!out || dim < 2 || dim > 3 || !dci_all_in_limit(a, dim) || !dci_all_in_limit(&offset, 1)) return DC_E_ARG;
    len2 = a[0]*a[0] + a[1]*a[1] + (dim == 3 ? a[2]*a[2] : 0);
    if (!(len2 > 0)) return DC_E_ARG;
    st = dci_shape_new(dim, 1, 0, 1, 0, mem, out, &w);
    if (st != DC_OK) return st;
    for (i = 0; i < dim; ++i) w.A[i] = a[i];    /* SILICO Eq. 42 */
    w.d[0] = offset;
    return DC_OK;
}

DC_DEF dc_status dc_shape_sphere(int dim, dc_real r, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status st;
    int i;
    if (!out || dim < 2 || dim > 3 || !dci_positive(r)) return DC_E_ARG;
    st = dci_shape_new(dim, 0, 1, 1 + dim, 0, mem, out, &w);
    if (st != DC_OK) return st;
    w.cone[0] = 1 + dim;
    w.b[0] = r;                                 /* |x| <= alpha r */
    for (i = 0; i < dim; ++i) w.A[(1 + i)*dim + i] = -1;
    out->size = r;
    return DC_OK;
}

DC_DEF dc_status dc_shape_polytope(int dim, int rows, const dc_real *A, const dc_real *b, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status st;
    int i, k;
    if (!A || !b || !out || dim < 2 || dim > 3 || rows < dim + 1 || rows > DCI_NCP_MOST || !dci_all_in_limit(A, dim*rows)) return DC_E_ARG;
    for (i = 0; i < rows; ++i) {
        dc_real len2 = 0;
        for (k = 0; k < dim; ++k) len2 += A[i*dim + k]*A[i*dim + k];
        if (!dci_positive(b[i]) || !(len2 > 0)) return DC_E_ARG;
    }
    st = dci_shape_new(dim, rows, 0, rows, 0, mem, out, &w);
    if (st != DC_OK) return st;
    memcpy(w.A, A, (size_t)(rows*dim)*sizeof(dc_real));         /* SILICO Eq. 44 */
    memcpy(w.b, b, (size_t)rows*sizeof(dc_real));
    for (i = 0; i < rows; ++i) {
        dc_real len2 = 0;
        for (k = 0; k < dim; ++k) len2 += A[i*dim + k]*A[i*dim + k];
        out->size = dc_max(out->size, b[i]/dc_sqrt(len2));
    }
    return DC_OK;
}

DC_DEF dc_status dc_shape_box(int dim, dc_v3 half, dc_arena *mem, dc_shape *out)
{
    dc_real A[18] = DC_ZERO, b[6];
    int i;
    if (dim < 2 || dim > 3) return DC_E_ARG;
    b[0] = b[1] = half.x;
    b[2] = b[3] = half.y;
    b[4] = b[5] = half.z;
    for (i = 0; i < 2*dim; ++i) A[i*dim + i/2] = DC_R(i & 1 ? -1 : 1);
    return dc_shape_polytope(dim, 2*dim, A, b, mem, out);
}

DC_DEF size_t dc_shape_hull_bytes(int dim, int n)
{
    return dim < 2 || dim > 3 || n < 1 || n > DCI_NCP_MOST ? 0 : dc_shape_bytes(dim, (dim - 1)*n, 0, 0);
}

/* The unit row (n, b) of the plane through points i, j, k (in 2D i, j), if all others are on one side of it: outwards, b the
 * height of the outermost. 0 for points in line. */
static int dci_hull_row(int dim, int n, const dc_v3 *v, int i, int j, int k, dc_real tol, dc_real *row)
{
    dc_v3 e1 = dc_sub(v[j], v[i]), e2 = dim == 2 ? dc_vec(0, 0, 1) : dc_sub(v[k], v[i]), nrm;
    dc_real len2, lo = 0, hi = 0, at, side;
    int l;
    if (dim == 2) e1.z = 0;
    nrm = dc_cross(e1, e2);
    len2 = dc_dot(nrm, nrm);
    if (!(len2 > DC_EPS*dc_dot(e1, e1)*dc_dot(e2, e2))) return 0;
    nrm = dc_scale(1/dc_sqrt(len2), nrm);               /* its z is 0 in 2D */
    at = dc_dot(nrm, v[i]);
    for (l = 0; l < n && (hi <= tol || lo >= -tol); ++l) {
        dc_real t = dc_dot(nrm, v[l]) - at;
        lo = dc_min(lo, t);
        hi = dc_max(hi, t);
    }
    if (hi > tol && lo < -tol) return 0;
    side = hi > tol ? DC_R(-1) : DC_R(1);
    row[0] = side*nrm.x;
    row[1] = side*nrm.y;
    row[2] = side*nrm.z;
    row[3] = side*at + (side < 0 ? -lo : hi);
    return 1;
}

DC_DEF dc_status dc_shape_hull(int dim, int n, const dc_v3 *v, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_shape s;
    dc_status st;
    dc_real size = 0, tol, row[4];
    dc_v3 mean = dc_vec(0, 0, 0);
    size_t used = mem ? mem->used : 0;
    int i, j, k, l, f, rows = 0, inside = 1, most;
    if (!v || !out || !mem || n <= dim || dc_shape_hull_bytes(dim, n) == 0) return DC_E_ARG;
    most = (dim - 1)*n;
    for (i = 0; i < n; ++i) {
        const dc_real x[3] = {v[i].x, v[i].y, v[i].z};
        if (!dc_in_range(v[i])) return DC_E_ARG;
        for (k = 0; k < dim; ++k) size = dc_max(size, dc_abs(x[k]));
    }
    tol = 1000*DC_EPS*size;
    st = dci_shape_new(dim, most, 0, most, 0, mem, &s, &w);
    if (st != DC_OK) return st;
    for (i = 0; i < n; ++i)
        for (j = i + 1; j < n; ++j)
            for (k = dim == 2 ? j : j + 1; k < (dim == 2 ? j + 1 : n) && st == DC_OK; ++k) {
                const int on[3] = {i, j, k};
                for (f = 0; f < rows; ++f) {            /* all on a face that is known: pass over */
                    const dc_real *q = w.A + f*dim;
                    for (l = 0; l < 3; ++l)
                        if (w.b[f] - (q[0]*v[on[l]].x + q[1]*v[on[l]].y + (dim == 3 ? q[2]*v[on[l]].z : 0)) > tol) break;
                    if (l == 3) break;
                }
                if (f < rows || !dci_hull_row(dim, n, v, i, j, k, tol, row)) continue;
                if (rows == most) st = DC_E_RANGE;
                else {
                    for (l = 0; l < dim; ++l) w.A[rows*dim + l] = row[l];
                    w.b[rows++] = row[3];
                    inside &= row[3] > tol;
                }
            }
    if (st == DC_OK && rows <= dim) st = DC_E_ARG;

    /* offsets from the origin, or from the mean of the points, which is inside whatever has a volume */
    for (l = 0; l < n && !inside; ++l) mean = dc_madd(mean, 1/(dc_real)n, v[l]);
    for (f = 0; f < rows && st == DC_OK; ++f) {
        const dc_real *q = w.A + f*dim;
        if (!inside) {
            const dc_v3 a = dc_vec(q[0], q[1], dim == 3 ? q[2] : 0);
            w.d[f] = dc_dot(a, mean);
            w.b[f] = 0;
            for (l = 0; l < n; ++l) w.b[f] = dc_max(w.b[f], dc_dot(a, dc_sub(v[l], mean)));
        }
        if (!(w.b[f] > 0)) st = DC_E_ARG;
        s.size = dc_max(s.size, w.b[f]);
    }

    /* close the ranks: b and d behind the rows there are */
    if (st != DC_OK) {
        mem->used = used;
        return st;
    }
    mem->used -= dc_shape_hull_bytes(dim, n) - dc_shape_bytes(dim, rows, 0, 0);
    memmove(w.A + rows*dim, w.b, (size_t)rows*sizeof(dc_real));
    memmove(w.A + rows*(dim + 1), w.d, (size_t)rows*sizeof(dc_real));
    s.b = w.A + rows*dim;
    s.d = s.b + rows;
    s.rows = s.linear = rows;
    *out = s;
    return DC_OK;
}

DC_DEF dc_status dc_shape_capsule(int dim, dc_real r, dc_real length, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status st;
    int i;
    if (!out || dim < 2 || dim > 3 || !dci_positive(r) || !dci_positive(length)) return DC_E_ARG;
    st = dci_shape_new(dim, 2, 1, 3 + dim, 1, mem, out, &w);
    if (st != DC_OK) return st;
    w.cone[0] = 1 + dim;
    w.b[0] = w.b[1] = length/2;                 /* |e| <= alpha length/2, SILICO Eq. 50 */
    w.N[0] = -1;
    w.N[1] = 1;
    w.b[2] = r;                                 /* |x - e v| <= alpha r */
    for (i = 0; i < dim; ++i) w.A[(3 + i)*dim + i] = -1;
    w.N[3] = -1;
    out->size = r + length/2;
    return DC_OK;
}

DC_DEF dc_status dc_shape_cylinder(int dim, dc_real r, dc_real length, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status st;
    int i;
    if (!out || dim < 2 || dim > 3 || !dci_positive(r) || !dci_positive(length)) return DC_E_ARG;
    st = dci_shape_new(dim, 2, 1, 2 + dim, 0, mem, out, &w);
    if (st != DC_OK) return st;
    w.cone[0] = dim;
    w.A[0] = 1;                                 /* |x.v| <= alpha length/2, SILICO Eq. 52 with e = x.v, which is best */
    w.A[dim] = -1;
    w.b[0] = w.b[1] = length/2;
    w.b[2] = r;                                 /* the part of x across v: <= alpha r */
    for (i = 1; i < dim; ++i) w.A[(2 + i)*dim + i] = -1;
    out->size = dc_max(r, length/2);
    return DC_OK;
}

DC_DEF dc_status dc_shape_cone(int dim, dc_real height, dc_real slope, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status st;
    int i;
    if (!out || dim < 2 || dim > 3 || !dci_positive(height) || !dci_positive(slope)) return DC_E_ARG;
    st = dci_shape_new(dim, 1, 1, 1 + dim, 0, mem, out, &w);
    if (st != DC_OK) return st;
    w.cone[0] = dim;
    w.A[0] = 1;                                 /* x.v <= alpha height/4, SILICO Eq. 55 */
    w.b[0] = height/4;
    w.A[dim] = -slope;                          /* |x across v| <= slope (x.v + alpha 3 height/4), SILICO Eq. 54 */
    w.b[1] = slope*DC_R(0.75)*height;
    for (i = 1; i < dim; ++i) w.A[(1 + i)*dim + i] = -1;
    out->size = dc_max(height/4, slope*DC_R(0.75)*height/dc_sqrt(1 + slope*slope));
    return DC_OK;
}

DC_DEF dc_status dc_shape_ellipsoid(int dim, dc_v3 semi, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status st;
    dc_real a[3];
    int i;
    a[0] = semi.x;
    a[1] = semi.y;
    a[2] = semi.z;
    if (!out || dim < 2 || dim > 3) return DC_E_ARG;
    for (i = 0; i < dim; ++i)
        if (!dci_positive(a[i])) return DC_E_ARG;
    st = dci_shape_new(dim, 0, 1, 1 + dim, 0, mem, out, &w);
    if (st != DC_OK) return st;
    w.cone[0] = 1 + dim;
    w.b[0] = 1;                                 /* |(x_i/a_i)| <= alpha: SILICO Eq. 48 has the squares */
    for (i = 0; i < dim; ++i) {
        w.A[(1 + i)*dim + i] = -1/a[i];
        out->size = dc_max(out->size, a[i]);
    }
    return DC_OK;
}

static int dci_shape_valid(const dc_shape *s)
{
    int k, n;
    if (!s || !s->A || !s->b || !s->d || dc_shape_bytes(s->dim, s->rows, s->cones, s->aux) == 0 || s->linear < 0
        || (s->aux > 0 && !s->N) || (s->cones > 0 && !s->cone) || !(s->size >= 0 && s->size <= DC_LIMIT)) return 0;
    for (n = s->linear, k = 0; k < s->cones; ++k) {
        if (s->cone[k] < 2 || s->cone[k] > DCI_NCP_MOST) return 0;
        n += s->cone[k];
    }
    return n == s->rows && s->linear <= s->rows && dci_all_in_limit(s->A, s->rows*s->dim) && dci_all_in_limit(s->b, s->rows)
        && dci_all_in_limit(s->d, s->rows) && (s->aux == 0 || dci_all_in_limit(s->N, s->rows*s->aux));
}

DC_DEF dc_status dc_shape_sum(const dc_shape *a, const dc_shape *b, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_shape s;
    dc_status st;
    int D, aux, k, i, j, row, cone;
    if (!out || !dci_shape_valid(a) || !dci_shape_valid(b) || a->dim != b->dim) return DC_E_ARG;
    D = a->dim;
    aux = a->aux + b->aux + D;                      /* e = (e_a, e_b, p), p the point of a */
    st = dci_shape_new(D, a->linear + b->linear, a->cones + b->cones, a->rows + b->rows, aux, mem, &s, &w);
    if (st != DC_OK) return st;
    /* linear rows of both, then cones of both. a: alpha b + d - A p + N e_a; b: alpha b + d - A (x - p) + N e_b, SILICO Eq. 25 */
    for (k = 0; k < 2; ++k) {
        const dc_shape *c = k ? b : a;
        for (i = 0; i < c->rows; ++i) {
            row = i < c->linear ? i + (k ? a->linear : 0) : i + (k ? a->rows : b->linear);
            w.b[row] = c->b[i];
            w.d[row] = c->d[i];
            for (j = 0; j < D; ++j) {
                if (k) w.A[row*D + j] = c->A[i*D + j];
                w.N[row*aux + a->aux + b->aux + j] = k ? c->A[i*D + j] : -c->A[i*D + j];
            }
            for (j = 0; j < c->aux; ++j) w.N[row*aux + (k ? a->aux : 0) + j] = c->N[i*c->aux + j];
        }
    }
    for (cone = 0; cone < s.cones; ++cone) w.cone[cone] = cone < a->cones ? a->cone[cone] : b->cone[cone - a->cones];
    s.size = a->size + b->size;
    *out = s;
    return DC_OK;
}

/* Rotation in the D x D corner. */
static int dci_pose_rows(int D, const dc_pose *pose, dc_real *x, dc_real *R)
{
    dc_quat q;
    dc_m3 M;
    int i, j;
    x[0] = x[1] = x[2] = 0;
    for (i = 0; i < 9; ++i) R[i] = DC_R(i%4 == 0);
    if (D == 2) R[3] = 1;                       /* 2 x 2: 1 0 0 1 */
    if (!pose) return 1;
    if (!dc_pose_ok(pose) || dc_quat_normalize(pose->q, &q) != DC_OK) return 0;
    x[0] = pose->t.x;
    x[1] = pose->t.y;
    x[2] = D == 3 ? pose->t.z : 0;
    if (D == 2) {                               /* what turns about z */
        dc_real r2 = q.w*q.w + q.z*q.z;
        if (!(r2 > DC_EPS)) return 0;
        R[0] = R[3] = (q.w*q.w - q.z*q.z)/r2;
        R[2] = 2*q.w*q.z/r2;
        R[1] = -R[2];
        return 1;
    }
    M = dc_rotation(q);
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 3; ++j) R[3*i + j] = M.m[3*i + j];
    return 1;
}

DC_DEF dc_status dc_shape_place(const dc_shape *a, dc_pose pose, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_shape s;
    dc_real x[3], R[9];
    dc_status st;
    int D, i, j, k;
    if (!out || !dci_shape_valid(a) || !dci_pose_rows(a->dim, &pose, x, R)) return DC_E_ARG;
    D = a->dim;
    st = dci_shape_new(D, a->linear, a->cones, a->rows, a->aux, mem, &s, &w);
    if (st != DC_OK) return st;
    for (i = 0; i < a->rows; ++i) {                 /* A R^T (x - t) */
        w.d[i] = a->d[i];
        for (j = 0; j < D; ++j) {
            dc_real t = 0;
            for (k = 0; k < D; ++k) t += a->A[i*D + k]*R[j*D + k];
            w.A[i*D + j] = t;
            w.d[i] += t*x[j];
        }
    }
    memcpy(w.b, a->b, (size_t)a->rows*sizeof(dc_real));
    if (a->aux > 0) memcpy(w.N, a->N, (size_t)(a->rows*a->aux)*sizeof(dc_real));
    for (i = 0; i < s.cones; ++i) w.cone[i] = a->cone[i];
    s.size = a->size;
    *out = s;
    return DC_OK;
}

/* ---- cones ------------------------------------------------------------------------------------ */
/* A vector of the product cone is a run of linear entries, then second-order cones, for each of a few runs. The scaling of
 * Nesterov and Todd, W z = W^-1 s = lam: on a linear entry W^-1 = sqrt(z/s), on a second-order cone
 *     W = eta [ w0, w1^T; w1, I + w1 w1^T/(1 + w0) ],   w0^2 - |w1|^2 = 1. */

/* x0^2 - |x1|^2, positive inside */
static dc_real dci_soc_det(int n, const dc_real *x)
{
    dc_real r2 = 0, r;
    int i;
    for (i = 1; i < n; ++i) r2 += x[i]*x[i];
    r = dc_sqrt(r2);
    return (x[0] - r)*(x[0] + r);
}

/* w[n], returns eta; 0 when s or z is not inside */
static dc_real dci_soc_scaling(int n, const dc_real *s, const dc_real *z, dc_real *w)
{
    dc_real ds = dci_soc_det(n, s), dz = dci_soc_det(n, z), rs, rz, dot = 0, g, w2 = 0;
    int i;
    if (!(s[0] > 0 && z[0] > 0 && ds > 0 && dz > 0)) return 0;
    rs = dc_sqrt(ds);
    rz = dc_sqrt(dz);
    for (i = 0; i < n; ++i) dot += (s[i]/rs)*(z[i]/rz);
    g = dc_sqrt((1 + dot)/2);                       /* dot >= 1 on normalised points */
    for (i = 1; i < n; ++i) {
        w[i] = (s[i]/rs - z[i]/rz)/(2*g);
        w2 += w[i]*w[i];
    }
    w[0] = dc_sqrt(1 + w2);
    return dc_sqrt(rs/rz);
}

/* y = W x and y = W^-1 x, with strides; y may be x */
static void dci_soc_w(int n, const dc_real *w, dc_real eta, const dc_real *x, int inc, dc_real *y)
{
    dc_real dot = 0, x0 = x[0], t;
    int i;
    for (i = 1; i < n; ++i) dot += w[i]*x[i*inc];
    t = x0 + dot/(1 + w[0]);
    y[0] = eta*(w[0]*x0 + dot);
    for (i = 1; i < n; ++i) y[i*inc] = eta*(x[i*inc] + t*w[i]);
}
static void dci_soc_winv(int n, const dc_real *w, dc_real eta, const dc_real *x, int inc, dc_real *y)
{
    dc_real dot = 0, x0 = x[0], t;
    int i;
    for (i = 1; i < n; ++i) dot += w[i]*x[i*inc];
    t = dot/(1 + w[0]) - x0;
    y[0] = (w[0]*x0 - dot)/eta;
    for (i = 1; i < n; ++i) y[i*inc] = (x[i*inc] + t*w[i])/eta;
}

/* y = x o x' (Jordan product), and the y with lam o y = x */
static void dci_soc_product(int n, const dc_real *x, const dc_real *x2, dc_real *y)
{
    dc_real dot = 0;
    int i;
    for (i = 0; i < n; ++i) dot += x[i]*x2[i];
    for (i = n - 1; i > 0; --i) y[i] = x[0]*x2[i] + x2[0]*x[i];
    y[0] = dot;
}
static void dci_soc_divide(int n, const dc_real *lam, const dc_real *x, dc_real *y)
{
    dc_real det = dci_soc_det(n, lam), dot = 0, y0;
    int i;
    for (i = 1; i < n; ++i) dot += lam[i]*x[i];
    y0 = (lam[0]*x[0] - dot)/det;
    for (i = 1; i < n; ++i) y[i] = (x[i] - y0*lam[i])/lam[0];
    y[0] = y0;
}

/* the largest step a <= most that keeps x + a dx in the cone */
static dc_real dci_soc_step(int n, const dc_real *x, const dc_real *dx, dc_real most)
{
    dc_real a = dx[0]*dx[0], b = x[0]*dx[0], c = dci_soc_det(n, x), disc, t;
    int i;
    for (i = 1; i < n; ++i) {
        a -= dx[i]*dx[i];
        b -= x[i]*dx[i];
    }
    /* x_0 stays positive: at the apex the roots below are one, and rounding may lose it */
    if (x[0] + most*dx[0] < 0) most = -x[0]/dx[0];
    /* a t^2 + 2 b t + c = 0, c > 0: the smallest positive root */
    disc = b*b - a*c;
    if (b >= 0 && a >= 0) return most;                          /* no positive root */
    if (disc < 0) return most;
    disc = dc_sqrt(disc);
    t = b < 0 ? c/(disc - b) : (a < 0 ? -(b + disc)/a : most);
    return t > 0 && t < most ? t : most;
}

/* A run of n linear entries, or (soc) one second-order cone of n, from entry `at` on. On the way its products z o s are
 * (t path + rho end) e: `end` is the natural unit of the product, `path` where the start puts it. */
typedef struct {
    int at, n, soc;
    dc_real eta;                    /* of a cone's scaling */
    dc_real path, end;
} dci_run;

/* The algebra of a product of cones, K runs. w and lam are rows like s and z. */

/* w, eta and lam = W z = W^-1 s; 0 when s or z is not inside */
static int dci_cone_scaling(int K, dci_run *R, const dc_real *s, const dc_real *z, dc_real *w, dc_real *lam)
{
    int i;
    for (; K-- > 0; ++R) {
        if (R->soc) {
            R->eta = dci_soc_scaling(R->n, s + R->at, z + R->at, w + R->at);
            if (!(R->eta > 0)) return 0;
            dci_soc_w(R->n, w + R->at, R->eta, z + R->at, 1, lam + R->at);
        } else for (i = R->at; i < R->at + R->n; ++i) {
            if (!(s[i] > 0 && z[i] > 0)) return 0;
            w[i] = dc_sqrt(z[i]/s[i]);
            lam[i] = s[i]*w[i];
        }
    }
    return 1;
}

/* y = W^-1 x, entries inc apart; y may be x */
static void dci_cone_winv(int K, const dci_run *R, const dc_real *w, const dc_real *x, int inc, dc_real *y)
{
    int i;
    for (; K-- > 0; ++R)
        if (R->soc) dci_soc_winv(R->n, w + R->at, R->eta, x + R->at*inc, inc, y + R->at*inc);
        else for (i = R->at; i < R->at + R->n; ++i) y[i*inc] = w[i]*x[i*inc];
}

/* y = W x */
static void dci_cone_w(int K, const dci_run *R, const dc_real *w, const dc_real *x, dc_real *y)
{
    int i;
    for (; K-- > 0; ++R)
        if (R->soc) dci_soc_w(R->n, w + R->at, R->eta, x + R->at, 1, y + R->at);
        else for (i = R->at; i < R->at + R->n; ++i) y[i] = x[i]/w[i];
}

/* y with lam o y = x */
static void dci_cone_divide(int K, const dci_run *R, const dc_real *lam, const dc_real *x, dc_real *y)
{
    int i;
    for (; K-- > 0; ++R)
        if (R->soc) dci_soc_divide(R->n, lam + R->at, x + R->at, y + R->at);
        else for (i = R->at; i < R->at + R->n; ++i) y[i] = x[i]/lam[i];
}

/* the largest step in [0, most] that keeps x + step dx inside */
static dc_real dci_cone_step(int K, const dci_run *R, const dc_real *x, const dc_real *dx, dc_real most)
{
    int i;
    for (; K-- > 0; ++R)
        if (R->soc) most = dci_soc_step(R->n, x + R->at, dx + R->at, most);
        else for (i = R->at; i < R->at + R->n; ++i)
            if (x[i] + most*dx[i] < 0) most = -x[i]/dx[i];
    return most;
}

/* rc = lam o lam - (t path + rho end) e + q (W^-1 dsa) o (W dza), the last term if dsa is given; on linear entries the products
 * are s z and dsa dza (SILICO Eq. 12, 33-35, relaxed: SILICO Eq. 22). work: scratch, twice the largest cone. */
static void dci_cone_rc(int K, const dci_run *R, const dc_real *w, const dc_real *lam, const dc_real *s, const dc_real *z,
                        dc_real t, dc_real rho, dc_real q, const dc_real *dsa, const dc_real *dza, dc_real *rc, dc_real *work)
{
    int i;
    for (; K-- > 0; ++R) {
        int at = R->at, n = R->n;
        const dc_real target = t*R->path + rho*R->end;
        if (!R->soc) for (i = at; i < at + n; ++i) rc[i] = s[i]*z[i] - target + (dsa ? q*dsa[i]*dza[i] : 0);
        else {
            dci_soc_product(n, lam + at, lam + at, rc + at);
            rc[at] -= target;
            if (!dsa) continue;
            dci_soc_winv(n, w + at, R->eta, dsa + at, 1, work);
            dci_soc_w(n, w + at, R->eta, dza + at, 1, work + n);
            dci_soc_product(n, work, work + n, work);
            for (i = 0; i < n; ++i) rc[at + i] += q*work[i];
        }
    }
}

/* the excess of complementarity in natural units, largest |z o s/end - rho e| */
static dc_real dci_cone_excess(int K, const dci_run *R, const dc_real *z, const dc_real *s, dc_real rho, dc_real *work)
{
    dc_real worst = 0;
    int i;
    for (; K-- > 0; ++R) {
        const dc_real target = rho*R->end, scale = 1/R->end;
        if (!R->soc) for (i = R->at; i < R->at + R->n; ++i) worst = dc_max(worst, dc_abs(z[i]*s[i] - target)*scale);
        else {
            dci_soc_product(R->n, z + R->at, s + R->at, work);
            work[0] -= target;
            for (i = 0; i < R->n; ++i) worst = dc_max(worst, dc_abs(work[i])*scale);
        }
    }
    return worst;
}

/* how far on the path: the sum of (z.s - rho end)/path over all entries at (z + a dz, s + a ds) */
static dc_real dci_cone_along(int K, const dci_run *R, const dc_real *z, const dc_real *s, dc_real rho, dc_real a, const dc_real *dz,
                              const dc_real *ds)
{
    dc_real sum = 0;
    int i;
    for (; K-- > 0; ++R) {
        dc_real dot = -rho*R->end*DC_R(R->soc ? 1 : R->n);
        for (i = R->at; i < R->at + R->n; ++i) dot += a > 0 ? (z[i] + a*dz[i])*(s[i] + a*ds[i]) : z[i]*s[i];
        sum += dot/R->path;
    }
    return sum;
}

/* z += dz e, s += ds e; 0 when one is not inside */
static int dci_cone_push(int K, const dci_run *R, dc_real dz, dc_real ds, dc_real *z, dc_real *s)
{
    int i;
    for (; K-- > 0; ++R)
        for (i = R->at; i < R->at + (R->soc ? 1 : R->n); ++i) {
            if (!(z[i] > 0 && s[i] > 0)) return 0;
            z[i] += dz;
            s[i] += ds;
        }
    return 1;
}

/* x = e */
static void dci_cone_unit(int K, const dci_run *R, dc_real *x)
{
    int i;
    for (; K-- > 0; ++R)
        for (i = 0; i < R->n; ++i) x[R->at + i] = DC_R(!R->soc || i == 0);
}

/* ---- one pair of shapes ------------------------------------------------------------------------ */
/* The lower level (SILICO Eq. 14): minimise L alpha over y = (p, alpha, e_a, e_b), with the conditions
 *
 *     L e_alpha - G^T lam = 0,   s = g(y),   s o lam = rho e,   s and lam in K              (SILICO Eq. 26-29, 31, 32, 34-36)
 *
 * G = [-A R^T, b, N], the rows of a over those of b (SILICO Eq. 16; the sign of g is turned, and alpha >= 0 goes without saying).
 * Its Newton step and its derivatives are solves with
 *
 *     G^T dlam = r1,   G dy + W^2 dlam = r2                                                    (*)
 *
 * by Householder's QR of W^-1 G: rows differ in size by 1/rho, and no product G^T W^-2 G may be formed, or the small
 * pivots, which say where on a face two shapes touch, drown in the rounding of the large ones. */

typedef struct {
    const dc_shape *shape[2];
    int D, m, m0, ny, aux0, runs;
    dc_real L;                      /* metres of one unit of alpha */
    dci_run *run;                   /* [runs]: of a its linear rows and cones, then of b */
    int *perm;                      /* [m] row swaps of the QR */
    dc_real *A, *d, *G, *scale;     /* m x D body frame, m, m x ny world frame, m */
    dc_real *w, *lam;               /* scaling, m each */
    dc_real *B, *tau, *c, *dg;      /* QR of [W^-1 G | -W^-1 G_p on a], m x (ny + D); ny; m; m */
    dc_real *y1, *y2;               /* scratch, ny + D */
    dc_real Phi[49];                /* (p - x_b, alpha, A_a^T dlam_a) by (displacement of a from b, r1), (2D+1) x 2D */
    /* of the last evaluation */
    dc_real r[2][3], u[2][3];       /* p - x, R A^T lam */
} dci_pair_nc;

static int dci_pnc_ny(const dc_shape *a, const dc_shape *b) { return a->dim + 1 + a->aux + b->aux; }

/* Memory in pieces: run once with base NULL, which adds up the bytes, then with that much memory. */
typedef struct { unsigned char *base; size_t bytes; } dci_layout;

static void *dci_lay(dci_layout *l, size_t count, size_t size)
{
    size_t at = l->bytes;
    l->bytes = at > SIZE_MAX - 16 || (count > 0 && count > (SIZE_MAX - 16 - at)/size) ? SIZE_MAX : at + (count*size + 15)/16*16;
    return l->base ? l->base + at : NULL;
}
#define DCI_LAY(l, count, type) ((type *)dci_lay(l, (size_t)(count), sizeof(type)))

static void dci_pnc_lay(dci_pair_nc *P, const dc_shape *a, const dc_shape *b, dci_layout *l)
{
    int D = a->dim, m = a->rows + b->rows, ny = dci_pnc_ny(a, b);
    P->shape[0] = a;
    P->shape[1] = b;
    P->D = D;
    P->m = m;
    P->m0 = a->rows;
    P->ny = ny;
    P->aux0 = a->aux;
    P->run = DCI_LAY(l, a->cones + b->cones + 2, dci_run);
    P->perm = DCI_LAY(l, m, int);
    P->A = DCI_LAY(l, m*D, dc_real);
    P->d = DCI_LAY(l, m, dc_real);
    P->G = DCI_LAY(l, m*ny, dc_real);
    P->scale = DCI_LAY(l, m, dc_real);
    P->w = DCI_LAY(l, m, dc_real);
    P->lam = DCI_LAY(l, m, dc_real);
    P->B = DCI_LAY(l, m*(ny + D), dc_real);
    P->c = DCI_LAY(l, m, dc_real);
    P->dg = DCI_LAY(l, m, dc_real);
    P->tau = DCI_LAY(l, ny, dc_real);
    P->y1 = DCI_LAY(l, ny + D, dc_real);
    P->y2 = DCI_LAY(l, ny + D, dc_real);
}

static void dci_run_add(dci_run *list, int *count, int at, int n, int soc)
{
    dci_run *R = list + (*count)++;
    R->at = at;
    R->n = n;
    R->soc = soc;
    R->eta = 1;
    R->path = 1;
    R->end = 0;
}

/* Copies the shapes' rows: unit rows (and cones of unit slope) unless `as_given`; alpha is measured in `unit`, s in
 * `metres`. */
static void dci_pnc_fill(dci_pair_nc *P, int as_given, dc_real unit, dc_real metres)
{
    int D = P->D, ny = P->ny, i, j, k, row = 0;
    P->runs = 0;
    for (k = 0; k < 2; ++k) {
        const dc_shape *s = P->shape[k];
        int first = row, end, cone = 0, col = D + 1 + (k ? P->aux0 : 0);
        if (s->linear > 0) dci_run_add(P->run, &P->runs, row, s->linear, 0);
        while (first < row + s->rows) {             /* a linear row, or a cone */
            dc_real most = 0, f;
            if (first >= row + s->linear) {
                end = first + s->cone[cone++];
                dci_run_add(P->run, &P->runs, first, end - first, 1);
            } else end = first + 1;
            for (i = first - row; i < end - row; ++i) {
                dc_real len2 = 0;
                for (j = 0; j < D; ++j) len2 += s->A[i*D + j]*s->A[i*D + j];
                for (j = 0; j < s->aux; ++j) len2 += s->N[i*s->aux + j]*s->N[i*s->aux + j];
                most = dc_max(most, len2);
            }
            f = as_given || !(most > 0) ? 1 : 1/(metres*dc_sqrt(most));
            for (i = first - row; i < end - row; ++i) {
                dc_real *G = P->G + (row + i)*ny;
                P->scale[row + i] = f;
                for (j = 0; j < D; ++j) P->A[(row + i)*D + j] = f*s->A[i*D + j];
                P->d[row + i] = f*s->d[i];
                memset(G, 0, (size_t)ny*sizeof(dc_real));
                G[D] = f*unit*s->b[i];
                for (j = 0; j < s->aux; ++j) G[col + j] = f*s->N[i*s->aux + j];
            }
            first = end;
        }
        row += s->rows;
    }
}

/* G at rotations R[k], origins x[k]; g(y), u, and the stationarity rows Fy = L e_alpha - G^T lam */
DCI_LANE void dci_pnc_eval(dci_pair_nc *P, const int D, const dc_real *const x[2], const dc_real *const R[2],
                           const dc_real *y, const dc_real *lam, dc_real *g, dc_real *Fy)
{
    int ny = P->ny, m = P->m, i, j, l, k;
    for (j = 0; j < ny; ++j) Fy[j] = 0;
    Fy[D] = P->L;
    for (k = 0, i = 0; k < 2; ++k) {
        int end = k ? m : P->m0;
        dc_real r[3], u[3];
        for (j = 0; j < D; ++j) {
            r[j] = P->r[k][j] = y[j] - x[k][j];
            u[j] = 0;
        }
        for (; i < end; ++i) {
            const dc_real *A = P->A + i*D;
            dc_real *G = P->G + i*ny, t = P->d[i], z = lam[i];
            for (j = 0; j < D; ++j) {
                dc_real a = 0;
                for (l = 0; l < D; ++l) a += R[k][j*D + l]*A[l];
                G[j] = -a;
                t -= a*r[j];
                u[j] += a*z;            /* SILICO Eq. 15; of each kind of shape SILICO Eq. 43, 45, 47, 49, 51, 53, 56 */
            }
            t += G[D]*y[D];
            Fy[D] -= G[D]*z;            /* SILICO Eq. 26 */
            for (j = D + 1; j < ny; ++j) {
                t += G[j]*y[j];
                Fy[j] -= G[j]*z;        /* SILICO Eq. 28, 29 */
            }
            g[i] = t;
        }
        for (j = 0; j < D; ++j) {
            P->u[k][j] = u[j];
            Fy[j] += u[j];              /* SILICO Eq. 27 */
        }
    }
}

/* v <- Q^T v */
static void dci_pnc_qt(const dci_pair_nc *P, dc_real *v)
{
    int m = P->m, ny = P->ny, ld = ny + P->D, i, j;
    const dc_real *B = P->B;
    for (j = 0; j < ny; ++j) {
        dc_real t = v[P->perm[j]];
        v[P->perm[j]] = v[j];
        v[j] = t;
    }
    for (j = 0; j < ny; ++j) {
        dc_real t = v[j];
        for (i = j + 1; i < m; ++i) t += B[i*ld + j]*v[i];
        t *= P->tau[j];
        v[j] -= t;
        for (i = j + 1; i < m; ++i) v[i] -= t*B[i*ld + j];
    }
}
/* v <- Q v */
static void dci_pnc_q(const dci_pair_nc *P, dc_real *v)
{
    int m = P->m, ny = P->ny, ld = ny + P->D, i, j;
    const dc_real *B = P->B;
    for (j = ny - 1; j >= 0; --j) {
        dc_real t = v[j];
        for (i = j + 1; i < m; ++i) t += B[i*ld + j]*v[i];
        t *= P->tau[j];
        v[j] -= t;
        for (i = j + 1; i < m; ++i) v[i] -= t*B[i*ld + j];
    }
    for (j = ny - 1; j >= 0; --j) {
        dc_real t = v[P->perm[j]];
        v[P->perm[j]] = v[j];
        v[j] = t;
    }
}
/* x <- R^-1 x, x <- R^-T x */
static void dci_pnc_r(const dci_pair_nc *P, dc_real *x)
{
    int ny = P->ny, ld = ny + P->D, i, j;
    for (i = ny - 1; i >= 0; --i) {
        dc_real t = x[i];
        for (j = i + 1; j < ny; ++j) t -= P->B[i*ld + j]*x[j];
        x[i] = t/P->B[i*ld + i];
    }
}
static void dci_pnc_rt(const dci_pair_nc *P, dc_real *x)
{
    int ny = P->ny, ld = ny + P->D, i, j;
    for (j = 0; j < ny; ++j) {
        dc_real t = x[j] = x[j]/P->B[j*ld + j];
        for (i = j + 1; i < ny; ++i) x[i] -= P->B[j*ld + i]*t;
    }
}

/* The QR of W^-1 G and, behind it, the columns of Xi below. Rows are swapped to bring the largest entry of a column onto the
 * diagonal. 0 when a diagonal entry vanishes. */
DCI_LANE int dci_pnc_qr(dci_pair_nc *P, const int D)
{
    int m = P->m, m0 = P->m0, ny = P->ny, ld = ny + D, i, j, l, k;
    dc_real *B = P->B;
    if (m < ny) return 0;       /* two shapes of so few rows that they leave a direction free */
    for (i = 0; i < m; ++i) {
        const dc_real *G = P->G + i*ny;
        dc_real *b = B + i*ld;
        for (j = 0; j < ny; ++j) b[j] = G[j];
        for (j = 0; j < D; ++j) b[ny + j] = i < m0 ? -G[j] : 0;
    }
    for (k = 0; k < P->runs; ++k) {
        const dci_run *run = P->run + k;
        if (run->soc) for (j = 0; j < ld; ++j) dci_soc_winv(run->n, P->w + run->at, run->eta, B + run->at*ld + j, ld, B + run->at*ld + j);
        else for (i = run->at; i < run->at + run->n; ++i)
            for (j = 0; j < ld; ++j) B[i*ld + j] *= P->w[i];
    }
    for (j = 0; j < ny; ++j) {
        int piv = j;
        dc_real most = dc_abs(B[j*ld + j]), norm2 = 0, alpha, v0;
        for (i = j + 1; i < m; ++i)
            if (dc_abs(B[i*ld + j]) > most) {
                most = dc_abs(B[i*ld + j]);
                piv = i;
            }
        P->perm[j] = piv;
        if (!(most > 0)) return 0;
        if (piv != j)
            for (l = 0; l < ld; ++l) {
                dc_real t = B[j*ld + l];
                B[j*ld + l] = B[piv*ld + l];
                B[piv*ld + l] = t;
            }
        for (i = j; i < m; ++i) {
            dc_real t = B[i*ld + j]/most;
            norm2 += t*t;
        }
        alpha = most*dc_sqrt(norm2);
        if (B[j*ld + j] > 0) alpha = -alpha;            /* R's diagonal entry */
        v0 = B[j*ld + j] - alpha;
        P->tau[j] = -v0/alpha;
        for (i = j + 1; i < m; ++i) B[i*ld + j] /= v0;
        B[j*ld + j] = alpha;
        {
            dc_real *t = P->y1;
            int cols = ld - j - 1;
            for (l = 0; l < cols; ++l) t[l] = B[j*ld + j + 1 + l];
            for (i = j + 1; i < m; ++i) {
                dc_real v = B[i*ld + j];
                const dc_real *b = B + i*ld + j + 1;
                for (l = 0; l < cols; ++l) t[l] += v*b[l];
            }
            for (l = 0; l < cols; ++l) {
                t[l] *= P->tau[j];
                B[j*ld + j + 1 + l] -= t[l];
            }
            for (i = j + 1; i < m; ++i) {
                dc_real v = B[i*ld + j], *b = B + i*ld + j + 1;
                for (l = 0; l < cols; ++l) b[l] -= v*t[l];
            }
        }
    }
    return 1;
}

/* Phi, after the QR. With xi the displacement of a against b, rows of a see r2 - Xi xi, Xi = -W^-1 G_p on a:
 *
 *     dy = R^-1 (c1 - X1 xi - R^-T r1),   A_a^T dlam_a = X2^T (c2 - X2 xi) + X1^T R^-T r1,   (X1; X2) = Q^T Xi */
DCI_LANE void dci_pnc_phi(dci_pair_nc *P, const int D)
{
    int m = P->m, ny = P->ny, ld = ny + D, i, j, l;
    dc_real *B = P->B;
    /* columns 0..D-1 by xi, D..2D-1 by r1 = e_j */
    for (j = 0; j < 2*D; ++j) {
        dc_real *y = P->y1;
        int n = 2*D;
        if (j < D) {
            for (i = 0; i < ny; ++i) y[i] = -B[i*ld + ny + j];
        } else {
            for (i = 0; i < ny; ++i) y[i] = DC_R(i == j - D);
            dci_pnc_rt(P, y);
            for (i = 0; i < ny; ++i) y[i] = -y[i];
        }
        for (l = 0; l < D; ++l) {                       /* A_a^T dlam_a */
            dc_real t = 0;
            if (j < D) for (i = ny; i < m; ++i) t -= B[i*ld + ny + l]*B[i*ld + ny + j];
            else for (i = 0; i < ny; ++i) t -= B[i*ld + ny + l]*y[i];
            P->Phi[(D + 1 + l)*n + j] = t;
        }
        dci_pnc_r(P, y);
        for (l = 0; l <= D; ++l) P->Phi[l*n + j] = y[l];
    }
}

DCI_LANE int dci_pnc_factor(dci_pair_nc *P, const int D)
{
    if (!dci_pnc_qr(P, D)) return 0;
    dci_pnc_phi(P, D);
    return 1;
}

/* The constant part of the same answers, (2D + 1) numbers, for r1 [ny] and c = W^-1 r2 [m]; c is overwritten by Q^T c */
DCI_LANE void dci_pnc_const(dci_pair_nc *P, const int D, const dc_real *r1, dc_real *c, dc_real *out)
{
    int m = P->m, ny = P->ny, ld = ny + D, i, l;
    dc_real *y = P->y1, *t = P->y2;
    dci_pnc_qt(P, c);
    for (i = 0; i < ny; ++i) t[i] = r1[i];
    dci_pnc_rt(P, t);
    for (l = 0; l < D; ++l) {
        dc_real v = 0;
        for (i = 0; i < ny; ++i) v += P->B[i*ld + ny + l]*t[i];
        for (i = ny; i < m; ++i) v += P->B[i*ld + ny + l]*c[i];
        out[D + 1 + l] = v;
    }
    for (i = 0; i < ny; ++i) y[i] = c[i] - t[i];
    dci_pnc_r(P, y);
    for (l = 0; l <= D; ++l) out[l] = y[l];
}

/* All of dy [ny] (p against x_b) for r1 and c = Q^T W^-1 r2 (dci_pnc_const has left it) and a displacement xi */
DCI_LANE void dci_pnc_dy(dci_pair_nc *P, const int D, const dc_real *r1, const dc_real *c, const dc_real *xi, dc_real *dy)
{
    int ny = P->ny, ld = ny + D, i, l;
    dc_real *t = P->y2;
    for (i = 0; i < ny; ++i) t[i] = r1[i];
    dci_pnc_rt(P, t);
    for (i = 0; i < ny; ++i) {
        dc_real v = c[i] - t[i];
        for (l = 0; l < D; ++l) v -= P->B[i*ld + ny + l]*xi[l];
        dy[i] = v;
    }
    dci_pnc_r(P, dy);
}

/* ds = G dy + (A_w xi on a) - Fs */
DCI_LANE void dci_pnc_ds(const dci_pair_nc *P, const int D, const dc_real *dy, const dc_real *xi, const dc_real *Fs, dc_real *ds)
{
    int m = P->m, ny = P->ny, i, j;
    for (i = 0; i < m; ++i) {
        const dc_real *G = P->G + i*ny;
        dc_real t = -Fs[i];
        if (i < P->m0) for (j = 0; j < D; ++j) t += G[j]*(dy[j] - xi[j]);
        else for (j = 0; j < D; ++j) t += G[j]*dy[j];
        for (j = D; j < ny; ++j) t += G[j]*dy[j];
        ds[i] = t;
    }
}

/* c = W^-1 Fs - lam \ rc */
static void dci_pnc_c(const dci_pair_nc *P, const dc_real *Fs, const dc_real *rc, dc_real *c)
{
    int i;
    dci_cone_winv(P->runs, P->run, P->w, Fs, 1, c);
    dci_cone_divide(P->runs, P->run, P->lam, rc, P->dg);
    for (i = 0; i < P->m; ++i) c[i] -= P->dg[i];
}

/* dz = -W^-1 (W^-1 ds + lam \ rc) */
static void dci_pnc_dz(const dci_pair_nc *P, const dc_real *ds, const dc_real *rc, dc_real *dz)
{
    int i;
    dci_cone_winv(P->runs, P->run, P->w, ds, 1, dz);
    dci_cone_divide(P->runs, P->run, P->lam, rc, P->dg);
    for (i = 0; i < P->m; ++i) dz[i] = -dz[i] - P->dg[i];
    dci_cone_winv(P->runs, P->run, P->w, dz, 1, dz);
}

/* The symmetric system (*) in full: y [ny] and lam [m] for r1 [ny] and r2 [m]; r2 is overwritten. The derivatives of the
 * pair's solution are o = y . r1 + lam . r2 for cotangents in the place of r1 and r2. */
static void dci_pnc_solve(dci_pair_nc *P, const dc_real *r1, dc_real *r2, dc_real *y, dc_real *lam)
{
    int ny = P->ny, m = P->m, i;
    dc_real *t = P->y2;
    dci_cone_winv(P->runs, P->run, P->w, r2, 1, r2);
    dci_pnc_qt(P, r2);
    for (i = 0; i < ny; ++i) t[i] = r1[i];
    dci_pnc_rt(P, t);
    for (i = 0; i < ny; ++i) {
        y[i] = r2[i] - t[i];
        lam[i] = t[i];
    }
    for (i = ny; i < m; ++i) lam[i] = r2[i];
    dci_pnc_r(P, y);
    dci_pnc_q(P, lam);
    dci_cone_winv(P->runs, P->run, P->w, lam, 1, lam);
}

/* Adds to the derivatives by the numbers of shape k: Y, Lam the answer of dci_pnc_solve, ubar the cotangent of u_k (or NULL),
 * unit as in dci_pnc_fill. With G_i = f [-A R^T, unit b, N], g_i = G_i . (r, alpha, e) + f d:
 *     o = -Y . dG^T lam - Lam . dg + ubar . du */
static void dci_pnc_shape_vjp(const dci_pair_nc *P, int k, dc_real unit, const dc_real *R, const dc_real *y, const dc_real *lam,
                              const dc_real *Y, const dc_real *Lam, const dc_real *ubar, dc_shape_grad *out)
{
    int D = P->D, first = k ? P->m0 : 0, end = k ? P->m : P->m0, col = D + 1 + (k ? P->aux0 : 0), aux = P->shape[k]->aux;
    dc_real Yb[3] = DC_ZERO, rb[3] = DC_ZERO;
    int i, j, l;
    for (j = 0; j < D; ++j)
        for (l = 0; l < D; ++l) {
            Yb[j] += R[l*D + j]*(Y[l] + (ubar ? ubar[l] : 0));
            rb[j] += R[l*D + j]*P->r[k][l];
        }
    for (i = first; i < end; ++i) {
        dc_real f = P->scale[i];
        int row = i - first;
        if (out->A) for (j = 0; j < D; ++j) out->A[row*D + j] += f*(lam[i]*Yb[j] + Lam[i]*rb[j]);
        if (out->b) out->b[row] -= f*unit*(lam[i]*Y[D] + Lam[i]*y[D]);
        if (out->d) out->d[row] -= f*Lam[i];
        if (out->N) for (j = 0; j < aux; ++j) out->N[row*aux + j] -= f*(lam[i]*Y[col + j] + Lam[i]*y[col + j]);
    }
}

/* dlam = W^-1 Q (R^-T r1; c2 - X2 xi), c as in dci_pnc_dy */
DCI_LANE void dci_pnc_dlam(dci_pair_nc *P, const int D, const dc_real *r1, const dc_real *c, const dc_real *xi, dc_real *dlam)
{
    int m = P->m, ny = P->ny, ld = ny + D, i, l;
    for (i = 0; i < ny; ++i) dlam[i] = r1[i];
    dci_pnc_rt(P, dlam);
    for (i = ny; i < m; ++i) {
        dc_real v = c[i];
        for (l = 0; l < D; ++l) v -= P->B[i*ld + ny + l]*xi[l];
        dlam[i] = v;
    }
    dci_pnc_q(P, dlam);
    dci_cone_winv(P->runs, P->run, P->w, dlam, 1, dlam);
}

/* ---- growth distance --------------------------------------------------------------------------- */

/* o = w x r; in 2D w is one number. torque: r x f */
DCI_LANE void dci_ncp_wr(const int D, const dc_real *w, const dc_real *r, dc_real *o)
{
    if (D == 2) {
        dc_real o0 = -w[0]*r[1];
        o[1] = w[0]*r[0];
        o[0] = o0;
    } else {
        dc_real o0 = w[1]*r[2] - w[2]*r[1], o1 = w[2]*r[0] - w[0]*r[2];
        o[2] = w[0]*r[1] - w[1]*r[0];
        o[0] = o0;
        o[1] = o1;
    }
}
DCI_LANE void dci_ncp_rf(const int D, const dc_real *r, const dc_real *f, dc_real *o)
{
    if (D == 2) o[0] = r[0]*f[1] - r[1]*f[0];
    else dci_ncp_wr(3, r, f, o);
}
DCI_LANE dc_real dci_ncp_dot(const int D, const dc_real *a, const dc_real *b)
{
    dc_real t = a[0]*b[0] + a[1]*b[1];
    if (D == 3) t += a[2]*b[2];
    return t;
}
/* o = v - n (n . v) */
DCI_LANE void dci_ncp_across(const int D, const dc_real *n, const dc_real *v, dc_real *o)
{
    dc_real t = dci_ncp_dot(D, n, v);
    int i;
    for (i = 0; i < D; ++i) o[i] = v[i] - t*n[i];
}

static int dci_degree(const dci_pair_nc *P)
{
    int k, sum = 0;
    for (k = 0; k < P->runs; ++k) sum += P->run[k].soc ? 1 : P->run[k].n;
    return sum;
}

/* Two shapes of linear rows without auxiliary numbers: the way of the section on polytopes. */
static int dci_corner_may(const dc_shape *a, const dc_shape *b) { return a->cones + b->cones + a->aux + b->aux == 0; }
static size_t dci_corner_reals(const dc_shape *a, const dc_shape *b) { return (size_t)((a->rows + b->rows)*(a->dim + 5)); }

typedef struct {
    dci_pair_nc *P;
    dc_real *y, *s, *z, *g, *Fs, *Fy, *rc, *c, *dy, *ds, *dz, *dsa, *dza, *t1, *dya, *Y;
    dc_real x[2][3], R[2][9], centre[2][3], p0[3], unit, metres;
    dc_real slack, dual;            /* typical s and lam */
    dc_real rho;
    int most;                       /* iterations */
    dc_real *corner;                /* memory of a dci_corner; NULL where there is none */
    dc_growth_warm *warm;
    const dc_real *xs[2], *Rs[2];
} dci_growth;

static void dci_growth_lay(dci_growth *G, int m, int ny, dci_layout *l)
{
    G->s = DCI_LAY(l, m, dc_real);
    G->z = DCI_LAY(l, m, dc_real);
    G->g = DCI_LAY(l, m, dc_real);
    G->Fs = DCI_LAY(l, m, dc_real);
    G->rc = DCI_LAY(l, m, dc_real);
    G->c = DCI_LAY(l, m, dc_real);
    G->ds = DCI_LAY(l, m, dc_real);
    G->dz = DCI_LAY(l, m, dc_real);
    G->dsa = DCI_LAY(l, m, dc_real);
    G->dza = DCI_LAY(l, m, dc_real);
    G->t1 = DCI_LAY(l, 3*m, dc_real);
    G->y = DCI_LAY(l, ny, dc_real);
    G->Fy = DCI_LAY(l, ny, dc_real);
    G->dy = DCI_LAY(l, ny, dc_real);
    G->dya = DCI_LAY(l, ny, dc_real);
    G->Y = DCI_LAY(l, ny, dc_real);
}

/* all that a growth problem alone needs */
static void dci_growth_all(dci_growth *G, const dc_shape *a, const dc_shape *b, dci_layout *l)
{
    dci_pair_nc none;
    G->P = DCI_LAY(l, 1, dci_pair_nc);
    dci_pnc_lay(G->P ? G->P : &none, a, b, l);
    dci_growth_lay(G, a->rows + b->rows, dci_pnc_ny(a, b), l);
    G->corner = dci_corner_may(a, b) ? DCI_LAY(l, dci_corner_reals(a, b), dc_real) : NULL;
}

DC_DEF size_t dc_growth_bytes(const dc_shape *a, const dc_shape *b)
{
    dci_layout l = {NULL, 0};
    dci_growth G;
    size_t n;
    if (!dci_shape_valid(a) || !dci_shape_valid(b) || a->dim != b->dim) return 0;
    dci_growth_all(&G, a, b, &l);
    n = dc_bytes(0, l.bytes, 1);
    return n == SIZE_MAX ? 0 : n;
}

static void dci_growth_eval(dci_growth *G, dc_real *residual)
{
    dci_pair_nc *P = G->P;
    dc_real worst = 0;
    int i;
    if (P->D == 2) dci_pnc_eval(P, 2, G->xs, G->Rs, G->y, G->z, G->g, G->Fy);
    else dci_pnc_eval(P, 3, G->xs, G->Rs, G->y, G->z, G->g, G->Fy);
    for (i = 0; i < P->m; ++i) {
        G->Fs[i] = G->s[i] - G->g[i];
        worst = dc_max(worst, dc_abs(G->Fs[i]));
    }
    /* the rows of p and e are per metre */
    for (i = 0; i < P->ny; ++i) worst = dc_max(worst, dc_abs(G->Fy[i])*(i != P->D ? G->metres : 1));
    *residual = worst;
}

static void dci_growth_direction(dci_growth *G, dc_real *dy, dc_real *ds, dc_real *dz)
{
    dci_pair_nc *P = G->P;
    const dc_real zero[3] = DC_ZERO;
    dc_real out[7];
    dci_pnc_c(P, G->Fs, G->rc, G->c);
    if (P->D == 2) {
        dci_pnc_const(P, 2, G->Fy, G->c, out);
        dci_pnc_dy(P, 2, G->Fy, G->c, zero, dy);
        dci_pnc_ds(P, 2, dy, zero, G->Fs, ds);
    } else {
        dci_pnc_const(P, 3, G->Fy, G->c, out);
        dci_pnc_dy(P, 3, G->Fy, G->c, zero, dy);
        dci_pnc_ds(P, 3, dy, zero, G->Fs, ds);
    }
    dci_pnc_dz(P, ds, G->rc, dz);
}

/* A = U^T D U of a positive matrix, from its upper triangle and in place: U of unit diagonal above it, 1/D on it. 0: it is not. */
DCI_LANE int dci_growth_ldl(const int n, dc_real *A)
{
    int i, j, k;
    for (i = 0; i < n; ++i) {
        dc_real inv;
        if (!(A[i*n + i] > 0)) return 0;
        inv = 1/A[i*n + i];
        for (k = i + 1; k < n; ++k) {
            dc_real t = A[i*n + k]*inv;
            for (j = k; j < n; ++j) A[k*n + j] -= t*A[i*n + j];
        }
        for (j = i + 1; j < n; ++j) A[i*n + j] *= inv;
        A[i*n + i] = inv;
    }
    return 1;
}
DCI_LANE void dci_growth_ldl_solve(const int n, const dc_real *U, dc_real *x)
{
    int i, k;
    for (i = 1; i < n; ++i)
        for (k = 0; k < i; ++k) x[i] -= U[k*n + i]*x[k];
    for (i = n - 1; i >= 0; --i) {
        x[i] *= U[i*n + i];
        for (k = i + 1; k < n; ++k) x[i] -= U[i*n + k]*x[k];
    }
}

/* The point that a shape grows about, in the world: least squares of A c = d over unit rows, which is exact without N. */
static void dci_growth_centre(const dc_shape *s, const dc_real *R, const dc_real *x, dc_real *centre)
{
    int D = s->dim, i, j, l, moved = 0;
    dc_real A[9] = DC_ZERO, c[3] = DC_ZERO;
    for (i = 0; i < s->rows; ++i) moved |= s->d[i] != 0;
    for (i = 0; i < D; ++i) centre[i] = x[i];
    if (!moved) return;
    for (i = 0; i < s->rows; ++i) {
        const dc_real *a = s->A + i*D;
        dc_real len2 = 0;
        for (j = 0; j < D; ++j) len2 += a[j]*a[j];
        if (!(len2 > 0)) continue;
        for (j = 0; j < D; ++j) {
            for (l = 0; l < D; ++l) A[j*D + l] += a[j]*a[l]/len2;
            c[j] += a[j]*s->d[i]/len2;
        }
    }
    if (!(D == 2 ? dci_growth_ldl(2, A) : dci_growth_ldl(3, A))) return;
    if (D == 2) dci_growth_ldl_solve(2, A, c);
    else dci_growth_ldl_solve(3, A, c);
    for (i = 0; i < D; ++i)
        for (j = 0; j < D; ++j) centre[i] += R[i*D + j]*c[j];
}

/* G->centre, and G->p0 between them, or the foot of one on a half-space; returns their squared distance */
static dc_real dci_growth_middle(dci_growth *G, const dc_shape *a, const dc_shape *b)
{
    int D = a->dim, i, j, k;
    dc_real dist2 = 0;
    if (a->size > 0) dci_growth_centre(a, G->Rs[0], G->xs[0], G->centre[0]);
    if (b->size > 0) dci_growth_centre(b, G->Rs[1], G->xs[1], G->centre[1]);
    if (a->size > 0 && b->size > 0)
        for (i = 0; i < D; ++i) {
            dc_real t = G->centre[0][i] - G->centre[1][i];
            dist2 += t*t;
            G->p0[i] = DC_R(0.5)*(G->centre[0][i] + G->centre[1][i]);
        }
    else {
        const dc_shape *h = a->size > 0 ? b : a;
        const dc_real *centre;
        dc_real t = h->d[0], w[3], l2 = 0;
        k = a->size > 0;
        centre = G->centre[1 - k];
        for (i = 0; i < D; ++i) {
            w[i] = 0;
            for (j = 0; j < D; ++j) w[i] += G->Rs[k][i*D + j]*h->A[j];
            t -= w[i]*(centre[i] - G->xs[k][i]);
            l2 += w[i]*w[i];
        }
        if (!(l2 > 0)) l2 = 1;
        dist2 = t*t/l2;
        for (i = 0; i < D; ++i) {
            G->p0[i] = centre[i] + t*w[i]/l2;
            G->centre[k][i] = G->p0[i];
        }
    }
    return dist2;
}

/* |tail| of the cone whose head is row i, 0 for a linear row */
static dc_real dci_growth_tail(const dci_run *R, int i, const dc_real *g)
{
    dc_real r2 = 0;
    int j;
    for (j = 1; R->soc && j < R->n; ++j) r2 += g[i + j]*g[i + j];
    return dc_sqrt(r2);
}

/* Start: p0 and a growth at which the shapes hold it, s at g where that is inside by a margin, else moved there, z about 1/s; of rows that
 * grow little s is smaller and z larger, so that a thin shape is no harder than a round one. */
static void dci_growth_start(dci_growth *G)
{
    dci_pair_nc *P = G->P;
    dc_real residual, need = 0;
    int i, k, j, D = P->D;
    for (i = 0; i < P->ny; ++i) G->y[i] = 0;
    for (i = 0; i < D; ++i) G->y[i] = G->p0[i];
    G->y[D] = 1;
    for (i = 0; i < P->m; ++i) G->z[i] = G->s[i] = 0;
    dci_growth_eval(G, &residual);

    /* grow by what the farthest row needs */
    for (k = 0; k < P->runs; ++k) {
        const dci_run *R = P->run + k;
        for (i = R->at; i < R->at + (R->soc ? 1 : R->n); ++i) {
            const dc_real beta = P->G[i*P->ny + D];
            if (beta > 0) need = dc_max(need, (dci_growth_tail(R, i, G->g) - G->g[i])/beta);
        }
    }
    if (need > 0) {
        G->y[D] += need;
        dci_growth_eval(G, &residual);
    }

    /* slacks and duals */
    for (k = 0; k < P->runs; ++k) {
        const dci_run *R = P->run + k;
        for (i = R->at; i < R->at + (R->soc ? 1 : R->n); ++i) {
            const dc_real beta = dc_abs(P->G[i*P->ny + D]), thin = beta > 0 ? dc_min(1, beta/G->slack) : 1, slack = thin*G->slack;
            for (j = 1; R->soc && j < R->n; ++j) G->s[i + j] = G->g[i + j];
            G->s[i] = dc_max(G->g[i], dci_growth_tail(R, i, G->g) + slack/2);
            G->z[i] = G->dual/thin*slack/(slack + G->s[i]);
        }
    }
}

/* largest |z o s - rho e| */
static dc_real dci_growth_excess(const dci_pair_nc *P, const dc_real *s, const dc_real *z, dc_real rho, dc_real *work)
{
    dc_real worst = 0;
    int i, k;
    for (k = 0; k < P->runs; ++k) {
        const dci_run *R = P->run + k;
        if (!R->soc) for (i = R->at; i < R->at + R->n; ++i) worst = dc_max(worst, dc_abs(z[i]*s[i] - rho));
        else {
            dci_soc_product(R->n, z + R->at, s + R->at, work);
            work[0] -= rho;
            for (i = 0; i < R->n; ++i) worst = dc_max(worst, dc_abs(work[i]));
        }
    }
    return worst;
}

#define DCI_GROWTH_STALL 50         /* iterations without a tenth off the residual, after which there is nothing to hope for */

/* rough: to a tenth of rho; else until rounding stops it */
static DCI_NOINLINE dc_status dci_growth_go_on(dci_growth *G, dc_real rho, int rough, int most, dc_growth_result *out)
{
    dci_pair_nc *P = G->P;
    dc_real tol, away = 0, last = DC_REAL_MAX, best = DC_REAL_MAX;
    dc_real residual, worst, a, nu, nua, target, sigma;
    int it, i, degree = dci_degree(P), ok, since = 0;

    /* good enough, and as good as rounding lets it be: derivatives are those of the exact solution */
    for (i = 0; i < 2*P->D; ++i) away = dc_max(away, dc_abs(G->xs[i/P->D][i%P->D]));
    tol = dc_max(rho*DC_R(rough ? 0.1 : 1e-3), dc_max(1024, 4*away/G->metres)*DC_EPS);

    for (it = 0;; ++it) {
        dci_growth_eval(G, &residual);
        out->iterations = it;
        out->residual = residual;
        if (!dci_cone_scaling(P->runs, P->run, G->s, G->z, P->w, P->lam)) return DC_E_SINGULAR;
        nu = 0;
        for (i = 0; i < P->m; ++i) nu += G->s[i]*G->z[i];
        nu /= DC_R(degree);
        worst = dci_growth_excess(P, G->s, G->z, rho, G->t1);
        out->residual = dc_max(residual, worst);
        ok = P->D == 2 ? dci_pnc_qr(P, 2) : dci_pnc_qr(P, 3);
        if (!ok) return DC_E_SINGULAR;
        worst = dc_max(residual, worst);
        if (worst <= tol && (rough || worst <= 16*DC_EPS || worst > DC_R(0.5)*last)) return DC_OK;
        last = worst;
        if (worst < DC_R(0.9)*best) {
            best = worst;
            since = it;
        }
        if (it == most || it - since >= DCI_GROWTH_STALL) return DC_E_DIVERGED;
        dci_cone_rc(P->runs, P->run, P->w, P->lam, G->s, G->z, rho, 0, 0, NULL, NULL, G->rc, G->t1);
        dci_growth_direction(G, G->dya, G->dsa, G->dza);
        a = dci_cone_step(P->runs, P->run, G->z, G->dza, dci_cone_step(P->runs, P->run, G->s, G->dsa, 1));
        nua = 0;
        for (i = 0; i < P->m; ++i) nua += (G->s[i] + a*G->dsa[i])*(G->z[i] + a*G->dza[i]);
        sigma = dc_max(dc_min(nua/(nu*DC_R(degree)), 1), 0);
        target = dc_max(sigma*sigma*sigma*nu, rho);
        dci_cone_rc(P->runs, P->run, P->w, P->lam, G->s, G->z, target, 0, a, G->dsa, G->dza, G->rc, G->t1);
        dci_growth_direction(G, G->dy, G->ds, G->dz);
        a = dci_cone_step(P->runs, P->run, G->z, G->dz, dci_cone_step(P->runs, P->run, G->s, G->ds, 1/DC_R(0.9)));
        a = dc_min(DC_R(0.9)*a, 1);
        for (i = 0; i < P->ny; ++i) G->y[i] += a*G->dy[i];
        for (i = 0; i < P->m; ++i) {
            G->s[i] += a*G->ds[i];
            G->z[i] += a*G->dz[i];
        }
    }
}

/* the same from a start */
static dc_status dci_growth_solve(dci_growth *G, dc_real rho, int rough, int most, dc_growth_result *out)
{
    dci_growth_start(G);
    return dci_growth_go_on(G, rho, rough, most, out);
}

/* ---- growth distance of polytopes --------------------------------------------------------------- */
/* Two shapes of linear rows alone, polytopes and half-spaces. In y = (p/L, alpha), p from b's origin, SILICO Eq. 14 is at rho = 0
 * the linear program
 *
 *     least alpha with   s = G y + h >= 0.
 *
 * Its answer is a corner: n = D + 1 rows B with s_B = 0 and multipliers mult = G_B^-T e_alpha > 0. Seen from there, with v = s_B
 * as unknowns in the place of y and C = G G_B^-1, the other rows are s = s0 + C v, and what is left of the relaxed conditions
 * s lam = rho, e_alpha = G^T lam are n equations for lam_B:
 *
 *     v = rho/lam_B,   F = lam_B + C^T lam - mult = 0,   lam = rho/s off the corner                   (A)
 *     (E^-1 + K) (E dlam_B) = -F,   E = diag(v/lam_B),   K = C^T diag(lam/s) C                        (B)
 *
 * One or two steps of Newton reach rounding, for K E is of the size of rho. Nothing cancels at any distance: the small slacks v
 * are unknowns, no differences. Two kinds of corners need a better start than lam_B = mult: where more than n rows meet, as at a
 * vertex of five faces, these share their pull first; where faces are parallel, mult is 0 on a level edge, and v starts
 * at its middle. Where that does not do (more than DCI_CORNER_NEAR rows, concentric shapes, rho near 1) the interior point above does.
 *
 * stage                reads               writes
 * dci_corner_rows      shapes, poses       C (as G), h
 * dci_corner_start     G, h                basis of two rows, slacks
 * dci_corner_walk      G, basis, slacks    basis (the corner's)
 * dci_corner_open      G, h, basis         inverse, y0, mult, C, s0; or "no corner"
 * dci_corner_newton    C, s0, mult         lam_B, v, K, F
 * dci_corner_phi, _vjp all                 derivatives */

#define DCI_WALK 48                 /* corners passed before the interior point is asked instead */
#define DCI_CORNER_NEWTON 12        /* the same for steps of Newton */
#define DCI_CORNER_NEAR 24          /* and for rows that meet at the corner besides its own */

typedef struct {
    int rows, rows_a;
    int basis[4];                   /* rows; -1: one of the directions that fill up a start */
    dc_real *C, *h, *s, *ds, *stop; /* rows x n, rows each; ds, stop: slacks' change on the way, and how far each row lets one */
    dc_real L;
    dc_real inverse[16];            /* of G_B: column j is the motion that opens row j alone */
    dc_real y[4], lam[4], mult[4], v[4];
    dc_real B[16];                  /* G_B */
    dc_real K[2][16], F[2][4];      /* sums over the rows of a and b off the corner: K and C^T lam */
    dc_real U[16];                  /* of E^-1 + K, factored */
} dci_corner;

/* inv = B^-1 by Gauss and Jordan, rows swapped; 0 for a B without */
DCI_LANE int dci_corner_invert(const int n, dc_real *B, dc_real *inv)
{
    int i, j, k;
    for (i = 0; i < n*n; ++i) inv[i] = DC_R(i%(n + 1) == 0);
    for (j = 0; j < n; ++j) {
        dc_real most = dc_abs(B[j*n + j]), f;
        int piv = j;
        for (i = j + 1; i < n; ++i)
            if (dc_abs(B[i*n + j]) > most) {
                most = dc_abs(B[i*n + j]);
                piv = i;
            }
        if (!(most > 1024*DC_EPS)) return 0;
        if (piv != j)
            for (k = 0; k < n; ++k) {
                dc_real t = B[j*n + k];
                B[j*n + k] = B[piv*n + k];
                B[piv*n + k] = t;
                t = inv[j*n + k];
                inv[j*n + k] = inv[piv*n + k];
                inv[piv*n + k] = t;
            }
        f = 1/B[j*n + j];
        for (k = 0; k < n; ++k) {
            B[j*n + k] *= f;
            inv[j*n + k] *= f;
        }
        for (i = 0; i < n; ++i) {
            if (i == j) continue;
            f = B[i*n + j];
            for (k = 0; k < n; ++k) {
                B[i*n + k] -= f*B[j*n + k];
                inv[i*n + k] -= f*inv[j*n + k];
            }
        }
    }
    return 1;
}

/* The rows of both shapes, of unit length; lengths in units of L. Each shape is a polytope or a half-space, or 0. */
DCI_LANE int dci_corner_rows(dci_corner *Q, dci_growth *G, const int D)
{
    dci_pair_nc *P = G->P;
    const int n = D + 1;
    dc_real inv_L = 1/Q->L;
    int k, i, j, l, row = 0;
    for (k = 0; k < 2; ++k) {
        const dc_shape *s = P->shape[k];
        const dc_real *R = G->R[k], *x = G->x[k];
        for (i = 0; i < s->rows; ++i, ++row) {
            const dc_real *A = s->A + i*D;
            dc_real *g = Q->C + row*n, len2 = 0, f, h;
            for (j = 0; j < D; ++j) len2 += A[j]*A[j];
            if (!(len2 > 0) || !(s->b[i] > 0 || (s->b[i] == 0 && s->rows == 1))) return 0;
            f = 1/dc_sqrt(len2);
            h = s->d[i];
            for (j = 0; j < D; ++j) {
                dc_real a = 0;
                for (l = 0; l < D; ++l) a += R[j*D + l]*A[l];
                g[j] = -f*a;
                h += a*x[j];
            }
            f *= inv_L;
            g[D] = f*s->b[i];
            Q->h[row] = f*h;
            P->scale[row] = f;
        }
    }
    return 1;
}

/* A corner of fewer rows than n to walk from, and the slacks there: on the line between the two reference points, at the growth
 * at which the shapes meet on it; or at the foot of one on a half-space. Directions across the line fill the basis up. */
DCI_LANE int dci_corner_start(dci_corner *Q, const dci_growth *G, const int D)
{
    const int n = D + 1;
    const dci_pair_nc *P = G->P;
    dc_real c[2][3], d[3] = DC_ZERO, e[2][3] = DC_ZERO, most[2], y[4], B[16], len2 = 0, len;
    int k, i, j, end;
    for (k = 0; k < 2; ++k)
        for (j = 0; j < D; ++j) c[k][j] = G->centre[k][j]/Q->L;

    /* the line */
    for (k = 0; k < 2; ++k)
        if (!(P->shape[k]->size > 0)) {                 /* ends at its foot on the half-space */
            const dc_real *g = Q->C + (k ? Q->rows_a*n : 0);
            dc_real t = Q->h[k ? Q->rows_a : 0];
            for (j = 0; j < D; ++j) t += g[j]*c[1 - k][j];
            for (j = 0; j < D; ++j) c[k][j] = c[1 - k][j] - t*g[j];
        }
    for (j = 0; j < D; ++j) {
        d[j] = c[1][j] - c[0][j];
        len2 += d[j]*d[j];
    }
    if (!(len2 > DC_EPS*DC_EPS)) return 0;

    /* the row of either shape in which it leaves */
    for (k = 0, i = 0; k < 2; ++k) {
        dc_real num = 0, den = 1;
        Q->basis[k] = -1;
        for (end = k ? Q->rows : Q->rows_a; i < end; ++i) {
            const dc_real *g = Q->C + i*n;
            dc_real t = 0;
            for (j = 0; j < D; ++j) t += g[j]*d[j];
            if (k == 0) t = -t;
            if (g[D] > 0 ? t*den > num*g[D] : t > 0) {
                num = t;
                den = g[D];
                Q->basis[k] = i;
            }
        }
        if (Q->basis[k] < 0) return 0;
        most[k] = den > 0 ? num/den : 0;                /* growth on the line, per length of it; 0: a half-space, at its end */
    }
    {
        dc_real t = most[0] > 0 ? most[1] > 0 ? most[1]/(most[0] + most[1]) : 1 : 0;
        for (j = 0; j < D; ++j) y[j] = c[0][j] + t*d[j];
        y[D] = most[0] > 0 ? t*most[0] : most[1];
    }
    for (i = 0; i < Q->rows; ++i) {
        const dc_real *g = Q->C + i*n;
        dc_real t = Q->h[i];
        for (j = 0; j < n; ++j) t += g[j]*y[j];
        Q->s[i] = i == Q->basis[0] || i == Q->basis[1] ? 0 : dc_max(t, 0);
    }

    /* across the line: the axis farthest from it, turned; in 3D a second one */
    len = 1/dc_sqrt(len2);
    for (j = 0; j < D; ++j) d[j] *= len;
    if (D == 2) {
        e[0][0] = -d[1];
        e[0][1] = d[0];
    } else {
        int low = 0;
        dc_real u[3] = DC_ZERO;
        for (j = 1; j < 3; ++j)
            if (dc_abs(d[j]) < dc_abs(d[low])) low = j;
        u[low] = 1;
        dci_ncp_wr(3, d, u, e[0]);
        len = 1/dc_sqrt(dci_ncp_dot(3, e[0], e[0]));
        for (j = 0; j < 3; ++j) e[0][j] *= len;
        dci_ncp_wr(3, d, e[0], e[1]);
    }
    for (i = 0; i < n; ++i)
        for (j = 0; j < n; ++j) B[i*n + j] = i < 2 ? Q->C[Q->basis[i]*n + j] : j < D ? e[i - 2][j] : 0;
    for (i = 2; i < n; ++i) Q->basis[i] = -1;
    return dci_corner_invert(n, B, Q->inverse);
}

/* From corner to corner, down in alpha, by the simplex method: of the n edges (columns of the inverse) the steepest is taken
 * until a row stops it, which takes the place of the row that was left. Edges along a direction that is no row may be taken
 * either way. 1 at a corner of n rows from which no edge leads down. */
DCI_LANE int dci_corner_walk(dci_corner *Q, const int D)
{
    const int n = D + 1;
    dc_real *inv = Q->inverse;
    int walk, i, j, k;
    if (D == 3) {                   /* the first two directions turned: one the steepest, the other level */
        dc_real c2 = inv[3*n + 2], c3 = inv[3*n + 3], len = dc_sqrt(c2*c2 + c3*c3);
        if (len > 0)
            for (i = 0; i < n; ++i) {
                dc_real t = (c2*inv[i*n + 2] + c3*inv[i*n + 3])/len;
                inv[i*n + 3] = (c2*inv[i*n + 3] - c3*inv[i*n + 2])/len;
                inv[i*n + 2] = t;
            }
    }
    for (walk = 0; walk < DCI_WALK; ++walk) {
        dc_real num = 0, den = 1, dy[4], norm2 = 0, f;
        int out = -1, in = -1;

        /* the steepest edge: alpha per way of p */
        for (j = 0; j < n; ++j) {
            dc_real c = inv[D*n + j], x2 = 0;
            for (i = 0; i < D; ++i) x2 += inv[i*n + j]*inv[i*n + j];
            if (Q->basis[j] >= 0 && c >= 0) continue;
            c *= c;
            if (c > DC_R(1e4)*DC_EPS*DC_EPS*x2 && c*den > num*x2) {
                num = c;
                den = x2;
                out = j;
            }
        }
        for (j = 0; j < n && out < 0; ++j)              /* level directions end at a row as well */
            if (Q->basis[j] < 0) out = j;
        if (out < 0) return 1;
        f = inv[D*n + out] > 0 ? DC_R(-1) : DC_R(1);
        for (i = 0; i < n; ++i) {
            dy[i] = f*inv[i*n + out];
            norm2 += dy[i]*dy[i];
        }

        /* the first row that stops it */
        f = -64*DC_EPS*dc_sqrt(norm2);
        for (i = 0; i < Q->rows; ++i) {
            const dc_real *g = Q->C + i*n;
            dc_real t = 0;
            for (j = 0; j < n; ++j) t += g[j]*dy[j];
            Q->ds[i] = t;
        }
        for (i = 0; i < Q->rows; ++i) Q->stop[i] = Q->ds[i] < f ? -Q->s[i]/Q->ds[i] : DC_REAL_MAX;
        f = DC_REAL_MAX;
        for (i = 0; i < Q->rows; ++i)
            if (Q->stop[i] < f) {
                f = Q->stop[i];
                in = i;
            }
        if (in < 0) return 0;                           /* open that way */
        for (i = 0; i < Q->rows; ++i) Q->s[i] = dc_max(Q->s[i] + f*Q->ds[i], 0);
        den = -Q->ds[in];
        Q->s[in] = 0;

        /* the inverse with that row in the place of the one left */
        for (k = 0; k < n; ++k) {
            dc_real t = 0;
            if (k == out) continue;
            for (j = 0; j < n; ++j) t += Q->C[in*n + j]*inv[j*n + k];
            t /= den;                                   /* g.dy = -den */
            for (j = 0; j < n; ++j) inv[j*n + k] += t*dy[j];
        }
        for (j = 0; j < n; ++j) inv[j*n + out] = -dy[j]/den;
        Q->basis[out] = in;
    }
    return 0;
}

/* The corner itself, from its rows alone; turns G into C. 0: it is none, a slack or a multiplier is not positive. */
DCI_LANE int dci_corner_open(dci_corner *Q, const int D)
{
    const int n = D + 1;
    dc_real B[16];
    int i, j, k;
    for (j = 0; j < n; ++j) {
        const dc_real *g = Q->C + Q->basis[j]*n;
        for (k = 0; k < n; ++k) B[j*n + k] = Q->B[j*n + k] = g[k];
    }
    if (!dci_corner_invert(n, B, Q->inverse)) return 0;
    for (i = 0; i < n; ++i) {
        Q->y[i] = 0;
        for (j = 0; j < n; ++j) Q->y[i] -= Q->inverse[i*n + j]*Q->h[Q->basis[j]];
        Q->mult[i] = dc_max(Q->inverse[D*n + i], 0);
    }
    for (j = 0; j < n; ++j) {
        dc_real x2 = 0, c = Q->inverse[D*n + j];
        for (i = 0; i < D; ++i) x2 += Q->inverse[i*n + j]*Q->inverse[i*n + j];
        if (c < 0 && c*c > DC_R(1e4)*DC_EPS*DC_EPS*x2) return 0;
    }
    for (i = 0; i < Q->rows; ++i) {
        const dc_real *g = Q->C + i*n;
        dc_real t = Q->h[i];
        for (j = 0; j < n; ++j) t += g[j]*Q->y[j];
        Q->s[i] = t;
    }
    for (j = 0; j < n; ++j) Q->s[Q->basis[j]] = 1;
    for (i = 0; i < Q->rows; ++i) {
        if (!(Q->s[i] > -32*DC_EPS*(1 + Q->y[D]))) return 0;
        Q->s[i] = dc_max(Q->s[i], 0);
    }
    for (i = 0; i < Q->rows; ++i) {
        dc_real *g = Q->C + i*n, c[4];
        for (j = 0; j < n; ++j) {
            c[j] = 0;
            for (k = 0; k < n; ++k) c[j] += g[k]*Q->inverse[k*n + j];
        }
        for (j = 0; j < n; ++j) g[j] = c[j];
    }
    for (j = 0; j < n; ++j)                             /* rows of the corner: out of every sum off it */
        for (k = 0; k < n; ++k) Q->C[Q->basis[j]*n + k] = 0;
    return 1;
}

/* K and F of (A), (B) over `count` rows C v + s0 off the corner; 0 where a slack is not positive */
DCI_LANE int dci_corner_sums(const int D, const dc_real *C, const dc_real *s0, int count, const dc_real *v, dc_real rho, dc_real *K, dc_real *F)
{
    const int n = D + 1;
    dc_real k0[16] = DC_ZERO, f0[4] = DC_ZERO, low = 1;
    int i, j, l;
    for (i = 0; i < count; ++i) {
        const dc_real *c = C + i*n;
        dc_real s = s0[i], inv_s, lam;
        for (j = 0; j < n; ++j) s += c[j]*v[j];
        low = dc_min(low, s);
        inv_s = 1/s;
        lam = rho*inv_s;
        for (j = 0; j < n; ++j) {
            dc_real t = lam*inv_s*c[j];
            f0[j] += lam*c[j];
            for (l = j; l < n; ++l) k0[j*n + l] += t*c[l];
        }
    }
    for (j = 0; j < n; ++j)
        for (l = j; l < n; ++l) K[j*n + l] = K[l*n + j] = k0[j*n + l];
    for (j = 0; j < n; ++j) F[j] = f0[j];
    return low > 0;
}

/* E^-1 + K, factored; the largest of K E on the diagonal in *ke. 0: not positive */
DCI_LANE int dci_corner_factor(dci_corner *Q, const int D, dc_real *ke)
{
    const int n = D + 1;
    int i, j;
    *ke = 0;
    for (i = 0; i < n; ++i) {
        for (j = 0; j < n; ++j) Q->U[i*n + j] = Q->K[0][i*n + j] + Q->K[1][i*n + j];
        *ke = dc_max(*ke, Q->U[i*n + i]*Q->v[i]/Q->lam[i]);
        Q->U[i*n + i] += Q->lam[i]/Q->v[i];
    }
    return dci_growth_ldl(n, Q->U);
}

/* One step of Newton for (A) from the sums at v. It is also the step that minimises the barrier function
 *
 *     mult . v/rho - sum of log s over all rows,
 *
 * whose decrement says how far to go: damped, v moves; near the end lam_B does, in which (A) is almost linear. A step that changes
 * lam_B by a part q of itself and slacks off the corner by a part delta leaves the part |K E| q^2 + delta^2 of error, *left, and a part
 * 2 delta in K. 1: both are rounding; 0: not yet; -1: no step. */
DCI_LANE int dci_corner_step(dci_corner *Q, const int D, dc_real rho, dc_real *left)
{
    const int n = D + 1;
    dc_real x[4], F[4], ke, dec2 = 0, q = 0, delta2 = 0;
    int i, done = 0;
    if (!dci_corner_factor(Q, D, &ke)) return -1;
    for (i = 0; i < n; ++i) x[i] = F[i] = Q->lam[i] - Q->mult[i] + Q->F[0][i] + Q->F[1][i];     /* (A) */
    dci_growth_ldl_solve(n, Q->U, x);                                                       /* (B): the change of v */
    for (i = 0; i < n; ++i) {
        dec2 += x[i]*F[i]/rho;
        q = dc_max(q, dc_abs(x[i])/Q->v[i]);
        delta2 += x[i]*(F[i] - x[i]*Q->lam[i]/Q->v[i])/rho;                                     /* x^T K x = sum of lam/s (C x)^2 */
    }
    if (dec2 > DC_R(0.04)) {
        dc_real t = dec2 > DC_R(0.9) ? DC_R(0.95)/dc_sqrt(dec2) : 1;         /* a decrement below 1 stays inside */
        for (i = 0; i < n; ++i) Q->v[i] += t*x[i];
        *left = 1;
    } else {
        for (i = 0; i < n; ++i) Q->v[i] /= 1 - x[i]/Q->v[i];
        *left = ke*q*q + dc_abs(delta2);
        done = *left <= DC_EPS && dc_abs(delta2) <= DC_R(1e-6)*DC_EPS;
    }
    for (i = 0; i < n; ++i) {
        if (!(Q->v[i] > 0)) return -1;
        Q->lam[i] = rho/Q->v[i];
    }
    return done;
}

/* The equations (A) of the corner's rows and `beside` others alone, by Newton on the duals: least - sum of log lam, s = rho/lam,
 * from the shares 1/(beside + 1) of what the corner's rows can spare. To about 1e-11; 0: not solved. */
DCI_LANE int dci_corner_share(dci_corner *Q, const int D, dc_real rho, const dc_real *C, const dc_real *s0, int beside)
{
    const int n = D + 1;
    dc_real lam[DCI_CORNER_NEAR], change[DCI_CORNER_NEAR];
    int it, i, j, l;
    for (i = 0; i < beside; ++i) {
        lam[i] = DC_REAL_MAX;
        for (j = 0; j < n; ++j)
            if (C[i*n + j]*lam[i] > Q->lam[j]) lam[i] = Q->lam[j]/C[i*n + j];
        if (!(lam[i] < DC_REAL_MAX)) return 0;
        lam[i] /= DC_R(beside + 1);
    }
    for (i = 0; i < beside; ++i)
        for (j = 0; j < n; ++j) Q->lam[j] -= C[i*n + j]*lam[i];
    for (it = 0; it < DCI_CORNER_NEWTON; ++it) {
        dc_real x[4], ke, dec2 = 0, most = 0, t;
        for (j = 0; j < n; ++j) {
            Q->v[j] = rho/Q->lam[j];
            x[j] = 0;
        }
        for (i = 0; i < n*n; ++i) Q->K[0][i] = Q->K[1][i] = 0;
        for (i = 0; i < beside; ++i) {
            const dc_real *c = C + i*n;
            dc_real d = lam[i]*lam[i]/rho, off = s0[i] - rho/lam[i];
            for (j = 0; j < n; ++j) off += c[j]*Q->v[j];
            change[i] = -d*off;
            for (j = 0; j < n; ++j) {
                x[j] += c[j]*change[i];
                for (l = j; l < n; ++l) Q->K[0][j*n + l] += d*c[j]*c[l];
            }
        }
        if (!dci_corner_factor(Q, D, &ke)) return 0;
        dci_growth_ldl_solve(n, Q->U, x);
        for (i = 0; i < beside; ++i) {
            dc_real r;
            for (j = 0; j < n; ++j) change[i] -= lam[i]*lam[i]/rho*C[i*n + j]*x[j];
            r = change[i]/lam[i];
            dec2 += r*r;
            most = dc_max(most, -r);
        }
        for (j = 0; j < n; ++j) {
            dc_real r = -x[j]/Q->v[j];
            dec2 += r*r;
            most = dc_max(most, -r);
        }
        t = most > DC_R(0.9) ? DC_R(0.9)/most : 1;
        for (i = 0; i < beside; ++i) lam[i] += t*change[i];
        for (j = 0; j < n; ++j) Q->lam[j] *= 1 - t*x[j]/Q->v[j];
        if (dec2 < DC_R(1e-5)*dc_sqrt(DC_EPS)) break;
    }
    for (j = 0; j < n; ++j) Q->v[j] = rho/Q->lam[j];
    return it < DCI_CORNER_NEWTON;
}

/* The equations (A) to rounding; their error in *left. Where more rows than n meet, as at a vertex of five faces, those alone come
 * first: they are few. 0: not solved. */
DCI_LANE int dci_corner_newton(dci_corner *Q, const int D, dc_real rho, int most, int *steps, dc_real *left)
{
    const int n = D + 1;
    dc_real C[4*DCI_CORNER_NEAR], s0[DCI_CORNER_NEAR], pull[4] = DC_ZERO;
    int level[4], levels = 0, beside = 0, done, it, i, j;

    /* edges that are all but level, where faces are parallel: to the middle */
    for (j = 0; j < n; ++j) levels += level[j] = Q->mult[j] < DC_R(1e3)*rho;
    for (j = 0; j < n; ++j) {
        dc_real way = DC_REAL_MAX;
        for (i = 0; level[j] && i < Q->rows; ++i) {
            dc_real c = -Q->C[i*n + j];
            if (c > 1024*DC_EPS && Q->s[i] < way*c) way = Q->s[i]/c;
        }
        way /= DC_R(levels + 1);
        Q->v[j] = Q->mult[j]*way > rho ? rho/Q->mult[j] : way;
        if (!(Q->v[j] > 0 && Q->v[j] < DC_REAL_MAX/1024)) return 0;
    }

    /* the rows that meet there besides the corner's own; the pull of the others, which hardly changes any more */
    for (i = 0; i < Q->rows; ++i) {
        const dc_real *c = Q->C + i*n;
        dc_real s = Q->s[i], t = 0;
        for (j = 0; j < n; ++j)
            if (level[j]) s += c[j]*Q->v[j];
            else t += dc_abs(c[j])*Q->v[j];
        if (s > 64*t) {
            t = rho/s;
            for (j = 0; j < n; ++j) pull[j] += t*c[j];
            continue;
        }
        if (beside == DCI_CORNER_NEAR) return 0;
        for (j = 0; j < n; ++j) C[beside*n + j] = level[j] ? 0 : c[j];
        s0[beside++] = s;
    }
    for (j = 0; j < n; ++j) {
        dc_real t = Q->mult[j] - pull[j];
        if (!level[j] && t > 0) Q->v[j] = rho/t;
        Q->lam[j] = rho/Q->v[j];
    }
    if (beside > 0 && !dci_corner_share(Q, D, rho, C, s0, beside)) return 0;
    *steps = 0;

    /* all rows */
    for (it = 1; it <= most && it <= DCI_CORNER_NEWTON; ++it) {
        if (!dci_corner_sums(D, Q->C, Q->s, Q->rows_a, Q->v, rho, Q->K[0], Q->F[0])
            || !dci_corner_sums(D, Q->C + Q->rows_a*n, Q->s + Q->rows_a, Q->rows - Q->rows_a, Q->v, rho, Q->K[1], Q->F[1])
            || (done = dci_corner_step(Q, D, rho, left)) < 0) return 0;
        *steps = it;
        if (done) return 1;
    }
    return 0;
}

/* the columns of p of G_B on rows of a, X, and of b, Y */
DCI_LANE void dci_corner_parts(const dci_corner *Q, const int D, dc_real *X, dc_real *Y)
{
    int i, j;
    for (i = 0; i <= D; ++i)
        for (j = 0; j < D; ++j) {
            X[i*D + j] = Q->basis[i] < Q->rows_a ? Q->B[i*(D + 1) + j] : 0;
            Y[i*D + j] = Q->basis[i] < Q->rows_a ? 0 : Q->B[i*(D + 1) + j];
        }
}

/* y and the duals' pull on a where Newton ended; into G and P, in metres */
DCI_LANE void dci_corner_close(const dci_corner *Q, const int D, dci_growth *G)
{
    const int n = D + 1;
    dc_real u[3], X[12], Y[12];
    int i, j, k;
    dci_corner_parts(Q, D, X, Y);
    for (i = 0; i < n; ++i) {
        dc_real t = Q->y[i];
        for (j = 0; j < n; ++j) t += Q->inverse[i*n + j]*Q->v[j];
        G->y[i] = i < D ? Q->L*t : t;
    }
    for (j = 0; j < D; ++j) {                           /* -(rows of a)^T lam; of those off the corner G = C G_B */
        u[j] = 0;
        for (i = 0; i < n; ++i) u[j] -= X[i*D + j]*(Q->lam[i] + Q->F[0][i]) + Y[i*D + j]*Q->F[0][i];
    }
    for (k = 0; k < 2; ++k)
        for (j = 0; j < D; ++j) {
            G->P->u[k][j] = (k ? -u[j] : u[j])/Q->L;
            G->P->r[k][j] = G->y[j] - G->x[k][j];
        }
}

/* Phi of dci_pnc_phi from the sums. With X and Y the columns of p of G_B on rows of a and of b, rows of a see Xi = X xi, and
 *
 *     Gamma = K_a Y - K_b X,   J = G_B^-1 (X + (E^-1 + K)^-1 Gamma),
 *     dy = J xi - G_B^-1 (E^-1 + K)^-1 G_B^-T r1
 *     A_a^T dlam_a = (Gamma^T (E^-1 + K)^-1 Gamma - Y^T K_a Y - X^T K_b X) xi - J^T r1
 *
 * P's Phi is in metres, these are in units of L. */
DCI_LANE void dci_corner_phi(const dci_corner *Q, const int D, dc_real *Phi, dc_real *gamma)
{
    const int n = D + 1, w = 2*D;
    dc_real part[2][12], W[12], theta[9], J[12], L = Q->L;
    int i, j, k, l;
    dci_corner_parts(Q, D, part[0], part[1]);
    for (i = 0; i < D*D; ++i) theta[i] = 0;
    for (i = 0; i < n*D; ++i) gamma[i] = 0;
    for (k = 0; k < 2; ++k)                             /* K_a with Y, K_b with X */
        for (i = 0; i < n; ++i)
            for (j = 0; j < D; ++j) {
                dc_real t = 0;
                for (l = 0; l < n; ++l) t += Q->K[k][i*n + l]*part[1 - k][l*D + j];
                gamma[i*D + j] += k ? -t : t;
                for (l = 0; l < D; ++l) theta[l*D + j] += part[1 - k][i*D + l]*t;
            }
    for (j = 0; j < D; ++j) {
        dc_real x[4], z[4];
        for (i = 0; i < n; ++i) {
            x[i] = gamma[i*D + j];
            z[i] = Q->inverse[j*n + i];                 /* G_B^-T e_j */
        }
        dci_growth_ldl_solve(n, Q->U, x);
        dci_growth_ldl_solve(n, Q->U, z);
        for (i = 0; i < n; ++i) {
            W[i*D + j] = x[i];
            x[i] += part[0][i*D + j];
        }
        for (i = 0; i < n; ++i) {
            dc_real t = 0, u = 0;
            for (l = 0; l < n; ++l) {
                t += Q->inverse[i*n + l]*x[l];
                u -= Q->inverse[i*n + l]*z[l];
            }
            J[i*D + j] = t;
            Phi[i*w + j] = i < D ? t : t/L;
            Phi[i*w + D + j] = i < D ? u*L*L : u*L;
        }
    }
    for (i = 0; i < D; ++i)
        for (j = 0; j < D; ++j) {
            dc_real t = -theta[i*D + j];
            for (l = 0; l < n; ++l) t += gamma[l*D + i]*W[l*D + j];
            Phi[(n + i)*w + j] = t/(L*L);
            Phi[(n + i)*w + D + j] = -J[j*D + i];
        }
}

/* dci_pnc_solve for r1 = (bar_p, bar_alpha) and r2 = -Xi ubar: Y, and the duals' part row by row; the duals themselves in z. */
DCI_LANE void dci_corner_vjp(dci_corner *Q, const int D, dc_real rho, const dc_real *gamma, const dc_real *bar, const dc_real *ubar, dc_real *Y,
                             dc_real *z, dc_real *dz)
{
    const int n = D + 1;
    dc_real X[12], part[12], w[4], to_a[4], to_b[4], open[4];
    int i, j, l;
    dci_corner_parts(Q, D, X, part);
    for (i = 0; i < n; ++i) {
        w[i] = -Q->inverse[D*n + i]*bar[0];
        for (j = 0; j < D; ++j) w[i] -= Q->inverse[j*n + i]*Q->L*bar[1 + j] + gamma[i*D + j]*ubar[j]/Q->L;
    }
    dci_growth_ldl_solve(n, Q->U, w);
    for (i = 0; i < n; ++i) {
        dc_real x = 0, y = 0;
        for (j = 0; j < D; ++j) {
            x += X[i*D + j]*ubar[j]/Q->L;
            y += part[i*D + j]*ubar[j]/Q->L;
        }
        to_a[i] = -y - w[i];                            /* r2 - G dy off the corner, over C */
        to_b[i] = x - w[i];
        open[i] = w[i] - x;
    }
    for (i = 0; i < n; ++i) {
        Y[i] = 0;
        for (l = 0; l < n; ++l) Y[i] += Q->inverse[i*n + l]*open[l];
        if (i < D) Y[i] *= Q->L;
    }
    for (i = 0; i < Q->rows; ++i) {
        const dc_real *c = Q->C + i*n, *to = i < Q->rows_a ? to_a : to_b;
        dc_real s = Q->s[i], t = 0;
        for (j = 0; j < n; ++j) {
            s += c[j]*Q->v[j];
            t += c[j]*to[j];
        }
        z[i] = rho/s;
        dz[i] = z[i]/s*t;
    }
    for (j = 0; j < n; ++j) {
        z[Q->basis[j]] = Q->lam[j];
        dz[Q->basis[j]] = -w[j]*Q->lam[j]/Q->v[j];
    }
}

/* rows, then the corner: the one of last time if it still is one, else by the walk; then Newton */
DCI_LANE int dci_corner_solve(dci_corner *Q, dci_growth *G, const int D, dc_growth_warm *warm, dc_growth_result *out)
{
    const int n = D + 1;
    int j, ok = warm != NULL;
    if (!dci_corner_rows(Q, G, D)) return 0;
    for (j = 0; ok && j < n; ++j) {
        ok = warm->row[j] >= 1 && warm->row[j] <= Q->rows;
        Q->basis[j] = ok ? warm->row[j] - 1 : -1;
    }
    if (!(ok && dci_corner_open(Q, D)) && !(dci_corner_start(Q, G, D) && dci_corner_walk(Q, D) && dci_corner_open(Q, D))) return 0;
    if (!dci_corner_newton(Q, D, G->rho, G->most, &out->iterations, &out->residual)) return 0;
    dci_corner_close(Q, D, G);
    for (j = 0; warm && j < n; ++j) warm->row[j] = Q->basis[j] + 1;
    return 1;
}
static DCI_NOINLINE int dci_corner_solve_2(dci_corner *Q, dci_growth *G, dc_growth_warm *warm, dc_growth_result *out)
{
    return dci_corner_solve(Q, G, 2, warm, out);
}
static DCI_NOINLINE int dci_corner_solve_3(dci_corner *Q, dci_growth *G, dc_growth_warm *warm, dc_growth_result *out)
{
    return dci_corner_solve(Q, G, 3, warm, out);
}

/* the derivatives that were asked, of dci_growth_vjp's arguments */
DCI_LANE void dci_corner_diff(dci_corner *Q, dci_growth *G, const int D, const dc_real *bar, const dc_real *ubar)
{
    dc_real gamma[12], ke;
    dci_corner_factor(Q, D, &ke);
    dci_corner_phi(Q, D, G->P->Phi, gamma);
    if (bar) dci_corner_vjp(Q, D, G->rho, gamma, bar, ubar, G->Y, G->z, G->dz);
}

/* ---- growth distance: derivatives and calls --------------------------------------------------------- */

/* Which of the shapes is a half-space, whose normal is that of the pair; -1: neither */
static int dci_growth_flat(const dci_pair_nc *P)
{
    int k;
    for (k = 0; k < 2; ++k)
        if (P->shape[k]->rows == 1 && P->shape[k]->aux == 0) return k;
    return -1;
}

/* The rows of one column: o by Phi, p moved by `move`, the pull on a turned by `turn` */
DCI_LANE void dci_growth_column(const dci_growth *G, const int D, dc_real length, const dc_real *n, const dc_real *o, const dc_real *move,
                                const dc_real *turn, dc_real *jac)
{
    dc_real du[3], dn[3];
    int l;
    jac[0] = G->unit*o[D];
    for (l = 0; l < D; ++l) {
        jac[(1 + l)*12] = o[l] + move[l];
        du[l] = -(turn[l] + o[D + 1 + l])*length;
    }
    dci_ncp_across(D, n, du, dn);
    for (l = 0; l < D; ++l) jac[(4 + l)*12] = dn[l];
}

DCI_LANE void dci_growth_columns(const dci_growth *G, const int D, dc_real length, const dc_real *n, dc_real *jac)
{
    const dci_pair_nc *P = G->P;
    const dc_real zero[3] = DC_ZERO;
    const int w = 2*D, rows = 2*D + 1, turns = D == 2 ? 1 : 3, flat = dci_growth_flat(P);
    int j, k, l, i;
    for (i = 0; i < 84; ++i) jac[i] = 0;

    /* displacements: a by e_j is b by -e_j, and then everything by e_j */
    for (j = 0; j < D; ++j) {
        dc_real o[7], unit[3] = DC_ZERO;
        unit[j] = 1;
        for (i = 0; i < rows; ++i) o[i] = flat >= 0 && i > D ? 0 : P->Phi[i*w + j];
        dci_growth_column(G, D, length, n, o, zero, zero, jac + j);
        for (i = 0; i < rows; ++i) o[i] = -o[i];
        dci_growth_column(G, D, length, n, o, unit, zero, jac + 6 + j);
    }

    /* turns: the rows at p move by w x r, their pull turns */
    for (k = 0; k < 2; ++k)
        for (j = 0; j < turns; ++j) {
            dc_real move[3] = DC_ZERO, turn[3] = DC_ZERO, axis[3] = DC_ZERO, o[7];
            axis[j] = 1;
            dci_ncp_wr(D, axis, P->r[k], move);
            dci_ncp_wr(D, axis, P->u[k], turn);
            for (i = 0; i < rows; ++i) {
                dc_real t = 0, v = 0;
                for (l = 0; l < D; ++l) {
                    t += P->Phi[i*w + l]*move[l];
                    v += P->Phi[i*w + D + l]*turn[l];
                }
                o[i] = k ? v - t : v + t;
            }
            if (flat >= 0) {                            /* its own normal, whatever touches it */
                for (i = D + 1; i < rows; ++i) o[i] = 0;
                dci_ncp_wr(D, axis, P->u[0], turn);
                for (i = 0; i < D && k != flat; ++i) turn[i] = 0;
            } else
                for (i = 0; i < D && k; ++i) turn[i] = 0;
            dci_growth_column(G, D, length, n, o, k ? move : zero, turn, jac + 6*k + (D == 2 ? 5 : 3 + j));
        }
}

/* The QR once more, for derivatives, with the scaling that s o z = rho e gives by the larger of the two alone: slack on a face, and
 * s_0 - |s_1| on a cone, are lost in the rounding of what they are differences of, long before their duals are. On a cone,
 * with lam1 = s_0 + |s_1| and mu = z_0 + |z_1|,    eta^2 = lam1/mu,   w_0 + |w_1| = sqrt(lam1 mu/rho). */
static int dci_growth_central(dci_growth *G, dc_real rho)
{
    dci_pair_nc *P = G->P;
    const dc_real root = dc_sqrt(rho), *s = G->s, *z = G->z;
    int i, k;
    for (k = 0; k < P->runs; ++k) {
        dci_run *R = P->run + k;
        const int at = R->at, end = R->at + R->n;
        dc_real s2 = 0, z2 = 0, u2 = 0, lam1, mu, q, f;
        if (!R->soc) {
            for (i = at; i < end; ++i) P->w[i] = z[i] > s[i] ? z[i]/root : root/s[i];
            continue;
        }
        for (i = at + 1; i < end; ++i) {
            s2 += s[i]*s[i];
            z2 += z[i]*z[i];
        }
        lam1 = s[at] + dc_sqrt(s2);
        mu = z[at] + dc_sqrt(z2);
        q = dc_max(dc_sqrt(lam1)*dc_sqrt(mu)/root, 1);
        R->eta = dc_sqrt(lam1/mu);
        for (i = at + 1; i < end; ++i) {                /* s_1 and -z_1 are parallel */
            P->w[i] = s[i]/lam1 - z[i]/mu;
            u2 += P->w[i]*P->w[i];
        }
        f = u2 > 0 ? (q - 1/q)/(2*dc_sqrt(u2)) : 0;
        for (i = at + 1; i < end; ++i) P->w[i] *= f;
        P->w[at] = (q + 1/q)/2;
    }
    return P->D == 2 ? dci_pnc_qr(P, 2) : dci_pnc_qr(P, 3);
}

static void dci_growth_jac(dci_growth *G, dc_real length, const dc_real *n, dc_real *jac)
{
    if (G->P->D == 2) dci_growth_columns(G, 2, length, n, jac);
    else dci_growth_columns(G, 3, length, n, jac);
}

/* Y and the duals' part of the pair's answer to the cotangents, to G->Y and G->dz */
static void dci_growth_adjoint(dci_growth *G, const dc_real *bar, const dc_real *ubar)
{
    dci_pair_nc *P = G->P;
    int D = P->D, i, l;
    dc_real *r1 = G->dya, *r2 = G->c;
    for (i = 0; i < P->ny; ++i) r1[i] = i < D ? bar[1 + i] : 0;
    r1[D] = G->unit*bar[0];
    for (i = 0; i < P->m; ++i) {
        r2[i] = 0;
        if (i < P->m0) for (l = 0; l < D; ++l) r2[i] -= P->G[i*P->ny + l]*ubar[l];
    }
    dci_pnc_solve(P, r1, r2, G->Y, G->dz);
}

/* options, shapes and memory of dc_growth: rho, the limit of iterations, the arrays of G in `mem` */
static dc_status dci_growth_make(const dc_growth_options *opt, const dc_shape *a, const dc_shape *b, dc_arena *mem, dci_growth *G)
{
    dci_layout l = {NULL, 0};
    G->rho = opt && opt->rho != 0 ? opt->rho : DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-8);
    G->most = opt && opt->max_iterations != 0 ? opt->max_iterations : 60;
    if (!mem || !dci_shape_valid(a) || !dci_shape_valid(b) || a->dim != b->dim || !(G->rho > 0 && G->rho <= 1) || G->most < 1
        || !(a->size + b->size > 0)) return DC_E_ARG;
    dci_growth_all(G, a, b, &l);
    l.base = (unsigned char *)dc_arena_take(mem, l.bytes, 1);
    if (!l.base) return DC_E_MEMORY;
    l.bytes = 0;
    dci_growth_all(G, a, b, &l);
    G->warm = opt ? opt->warm : NULL;
    return DC_OK;
}

/* Derivatives at the solution, by the corner Q where there is one. `length` is 1/|d alpha/d x_a|, 0 for concentric shapes, whose normal
 * is one by convention and does not turn. A function of its own for the stack. */
static DCI_NOINLINE dc_status dci_growth_derive(dci_growth *G, dci_corner *Q, dc_real rho, dc_real length, const dc_real *normal,
                                                dc_real *jac, const dc_real *bar, dc_shape_grad *ga, dc_shape_grad *gb)
{
    dci_pair_nc *P = G->P;
    dc_real ubar[3] = DC_ZERO;
    int D = P->D, i;

    if (bar) {
        dci_ncp_across(D, normal, bar + 4, ubar);
        for (i = 0; i < D; ++i) ubar[i] *= -length;
    }
    if (Q && D == 2) dci_corner_diff(Q, G, 2, bar, ubar);
    else if (Q) dci_corner_diff(Q, G, 3, bar, ubar);
    else {
        if (!dci_growth_central(G, rho)) return DC_E_SINGULAR;
        if (jac && D == 2) dci_pnc_phi(P, 2);
        else if (jac) dci_pnc_phi(P, 3);
        if (bar) dci_growth_adjoint(G, bar, ubar);
    }

    if (jac) dci_growth_jac(G, length, normal, jac);
    if (bar && ga) dci_pnc_shape_vjp(P, 0, G->unit, G->R[0], G->y, G->z, G->Y, G->dz, ubar, ga);
    if (bar && gb) dci_pnc_shape_vjp(P, 1, G->unit, G->R[1], G->y, G->z, G->Y, G->dz, NULL, gb);
    return DC_OK;
}

/* One pair of poses. b's origin is the world's meanwhile: only the difference of the two matters, and is exact. */
static DCI_NOINLINE dc_status dci_growth_run(dci_growth *G, const dc_pose *pa, const dc_pose *pb, dc_growth_warm *warm, dc_growth_result *out,
                                             dc_real *jac, const dc_real *bar, dc_shape_grad *ga, dc_shape_grad *gb)
{
    dci_pair_nc *P = G->P;
    const dc_shape *a = P->shape[0], *b = P->shape[1];
    dci_corner Q;
    dc_growth_result r;
    dc_status st = DC_OK;
    dc_real L = a->size + b->size, dist2, len[2], n[2][3] = DC_ZERO, home[3], least = 64*DC_EPS/L, rho = 0;
    int D = P->D, i, k, corner = 0;

    /* poses */
    if (!dci_pose_rows(D, pa, G->x[0], G->R[0]) || !dci_pose_rows(D, pb, G->x[1], G->R[1])) return DC_E_ARG;
    for (i = 0; i < 3; ++i) {
        home[i] = G->x[1][i];
        G->x[0][i] -= home[i];
        G->x[1][i] = 0;
    }
    for (k = 0; k < 2; ++k) {
        G->xs[k] = G->x[k];
        G->Rs[k] = G->R[k];
    }
    dist2 = dci_growth_middle(G, a, b)/(L*L);

    /* by the corner where there is one, else by the interior point */
    G->unit = 1;
    if (G->corner) {
        Q.rows = P->m;
        Q.rows_a = P->m0;
        Q.L = L;
        Q.C = G->corner;
        Q.h = Q.C + P->m*(D + 1);
        Q.s = Q.h + P->m;
        Q.ds = Q.s + P->m;
        Q.stop = Q.ds + P->m;
        corner = D == 2 ? dci_corner_solve_2(&Q, G, warm, &r) : dci_corner_solve_3(&Q, G, warm, &r);
    }
    if (!corner) {
        /* alpha counted in a power of 4 near the answer, so that far shapes are as accurate as near ones; its rho is then
         * smaller by as much, but not below rounding */
        while (G->unit*G->unit*16 < dist2) G->unit *= 4;
        G->metres = G->unit*L;
        dci_pnc_fill(P, 0, G->unit, G->metres);
        P->L = 1;
        G->slack = G->dual = 1;
        rho = dc_max(G->rho/G->unit, dc_min(G->rho, 16*DC_EPS));
        st = dci_growth_solve(G, rho, 0, G->most, &r);
    }

    /* alpha, point, normals; deep in a half-space the pull of many rows is a small difference, of its one row it is not */
    if (dci_growth_flat(P) == 1)
        for (i = 0; i < D; ++i) P->u[0][i] = -P->u[1][i];
    r.alpha = G->unit*G->y[D];
    r.p = dc_vec(G->y[0] + home[0], G->y[1] + home[1], D == 3 ? G->y[2] + home[2] : 0);
    for (k = 0; k < 2; ++k) {
        dc_real sign = k ? DC_R(1) : DC_R(-1);
        len[k] = G->unit*dc_sqrt(dci_ncp_dot(D, P->u[k], P->u[k]));
        for (i = 0; i < D; ++i) n[k][i] = len[k] > least ? sign*G->unit*P->u[k][i]/len[k] : DC_R(i == D - 1);
    }
    r.n_a = dc_vec(n[0][0], n[0][1], n[0][2]);
    r.n_b = dc_vec(n[1][0], n[1][1], n[1][2]);
    r.length = 1/dc_max(len[0], least);
    if (!dc_finite(r.alpha) || !dc_finite3(r.p) || !dc_finite3(r.n_a) || !dc_finite3(r.n_b) || !dc_finite(r.length)) return DC_E_RANGE;
    *out = r;
    if (st != DC_OK || !(jac || bar)) return st;

    return dci_growth_derive(G, corner ? &Q : NULL, rho, len[0] > least ? G->unit/len[0] : 0, n[0], jac, bar, ga, gb);
}

DC_DEF dc_status dc_growth(const dc_growth_options *opt, const dc_shape *a, const dc_pose *pa, const dc_shape *b,
                           const dc_pose *pb, dc_arena *mem, dc_growth_result *out, dc_real *jac, const dc_real *bar,
                           dc_shape_grad *ga, dc_shape_grad *gb)
{
    dci_growth G;
    dc_status st;
    size_t used = mem ? mem->used : 0;
    if (!out || (bar && !dci_all_in_limit(bar, 7))) return DC_E_ARG;
    st = dci_growth_make(opt, a, b, mem, &G);
    if (st != DC_OK) return st;
    st = dci_growth_run(&G, pa, pb, G.warm, out, jac, bar, ga, gb);
    mem->used = used;
    return st;
}

DC_DEF dc_status dc_growth_batch(const dc_growth_options *opt, const dc_shape *a, const dc_shape *b, int count, const dc_pose *pa,
                                 const dc_pose *pb, dc_arena *mem, dc_growth_result *out, dc_real *jac, dc_status *status)
{
    dci_growth G;
    dc_status st;
    size_t used = mem ? mem->used : 0;
    int i;
    if (count < 0 || (count > 0 && (!out || !pa || !pb))) return DC_E_ARG;
    st = dci_growth_make(opt, a, b, mem, &G);
    if (st != DC_OK) return st;
    for (i = 0; i < count; ++i) {
        dc_status one = dci_growth_run(&G, pa + i, pb + i, G.warm ? G.warm + i : NULL, out + i, jac ? jac + (size_t)i*84 : NULL, NULL, NULL, NULL);
        if (st == DC_OK) st = one;
        if (status) status[i] = one;
    }
    mem->used = used;
    return st;
}

/* ---- dynamics: contacts ------------------------------------------------------------------------ */
/* Unknowns of SILICO Eq. 7, 20: velocities v of the bodies; of each contact y = (p, alpha, e_a, e_b) and pairs (z, s) of the cones
 *
 *     0              gamma            s = L (alpha - 1) - bounce                               (SILICO Eq. 9)
 *     friction       psi, beta+-      s_psi = mu gamma - sum beta, s_beta = +-w + psi          (linear; SILICO Eq. 10, 11)
 *                    (zeta, beta)     zeta = mu gamma, s = (psi, w)                            (cone)
 *     spin           psi, beta+-      as linear friction, with the relative spin about n
 *     pair           lam              s = g(y)                                                 (SILICO Eq. 31, 32)
 *
 * w is the slip. The push on a is n_a gamma + T_a f, on b -(n_b gamma + T_b f), each with the normal by its own duals
 * (SILICO Eq. 41). With cone friction f and w are world vectors and T = 1 - n n^T: no tangent basis, no special direction. */

enum { DCI_NO_FRICTION, DCI_LINE, DCI_CONE, DCI_PYRAMID };

/* a body, or the world, at the end of the step */
typedef struct {
    dc_real x[3], R[9], v[3], w[3], T[9];       /* T = h J_l(h w): turns by w's change */
    dc_real x0[3], R0[9], v0[3], w0[3];         /* at the start */
    dc_real M, In[9], p0[6], rhs[6];    /* mass; inertia in world axes (2D: In[0]), at the start; momentum, impulse of loads */
    dc_real D[9];                               /* derivative of the angular momentum by w */
    dc_real unit[2], load[2];                   /* natural units of momentum, linear and angular; sums of what acts */
    dc_real xbar[3], tbar[3];                       /* cotangents of position and turn at the end, */
    dc_real x0bar[3], t0bar[3], v0bar[3], w0bar[3]; /* and at the start, of velocities there */
    dc_real massbar;
    int     dof, held;                          /* first row in the body system, -1; 1: a contact holds it */
} dci_ncp_place;

typedef struct {
    dci_pair_nc P;
    int     body[2], friction, nt, spin, oy, oz, nz, lam;
    dci_run head[3];                /* cones before the pair's: gamma; friction; spin */
    int     heads;
    dc_real mu, mus, e, L;
    dc_real length, impulse, speed, impulse_rate; /* natural units; impulse over the reduced mass */
    dc_real fastest;                /* the bodies' largest speed without contact */
    dc_real bounce;                 /* L (alpha - 1) at the end is to be at least this, m */
    dc_real bounce_by[2][12], bounce_by_e, bounce_by_h;     /* derivatives by twists and velocities at the start, restitution, h */
    /* of the last evaluation */
    dc_real n[2][3], inv[2], kk[2], t[2][2][3], vp[2][3], F[2][3], f[3], m, gamma;
    dc_real sg;                     /* which of the two tangent fields, chosen at the start; 0: not yet */
    /* of the factor */
    dc_real wg, Kv[9], kap[3], fw[10], flam[10], den, dlt[3], kvs, kaps, dens, dlts;
    /* constants of a right-hand side */
    dc_real cg, kc[3], kcs, cpsi, cpsis, out0[7];
    /* of a direction */
    dc_real dw[3], dws, dgamma, df[3], dm, dalpha, dap, xi[3], sig[3], dp[3];
} dci_contact_nc;

/* A contact of the convex problem that guesses the impulses: cone Z = (mu gamma, beta), S = (u_n/mu, u_T); without friction
 * gamma and u_n. `gap` in metres. */
typedef struct {
    dci_run run;
    dc_real n[3], t[2][3], arm[2][3], gap;
    dc_real Z[3], S[3], dZ[3], dS[3], rc[3], H[9], w[3], lam[3], unit;
} dci_load;

struct dc_ncp {
    dc_ncp_scene scene;
    dc_ncp_options opt;
    dc_real rho, tol, acceleration;
    int D, nb, nv, nx, nz, degree, most, factored, guessed;
    dc_status status;
    dci_ncp_place *place;           /* bodies, then the world */
    dci_contact_nc *C;
    dci_load *guess;
    dc_real *guess_v;
    dc_real *x, *best, *z, *s, *Fx, *Fs, *rc, *dx, *dz, *ds, *dza, *dsa, *xt, *zt, *st, *work, *cotangent;
    /* body system */
    int n, blocks, *order, *slot, *first, *list, *piv, *rank;
    dc_real *K;
};

/* T f for the normal's tangents (linear), or (1 - n n^T) f */
DCI_LANE void dci_ncp_tf(const int D, const dci_contact_nc *c, int k, const dc_real *f, dc_real *o)
{
    int i;
    if (c->friction == DCI_CONE) dci_ncp_across(D, c->n[k], f, o);
    else if (c->friction == DCI_NO_FRICTION) for (i = 0; i < D; ++i) o[i] = 0;
    else for (i = 0; i < D; ++i) o[i] = f[0]*c->t[k][0][i] + (D == 3 ? f[1]*c->t[k][1][i] : 0);
}
/* T^T v */
DCI_LANE void dci_ncp_tv(const int D, const dci_contact_nc *c, int k, const dc_real *v, dc_real *o)
{
    if (c->friction == DCI_CONE) dci_ncp_across(D, c->n[k], v, o);
    else if (c->friction != DCI_NO_FRICTION) {
        o[0] = dci_ncp_dot(D, c->t[k][0], v);
        if (D == 3) o[1] = dci_ncp_dot(D, c->t[k][1], v);
    }
}
/* The tangents of n. In 2D (n_y, -n_x); in 3D, unit n, those of Duff et al. (2017) with the sign kept through a step: smooth
 * but at n_z = -sg. */
DCI_LANE void dci_ncp_tangents(const int D, const dc_real *n, dc_real sg, dc_real t[2][3])
{
    if (D == 2) {
        t[0][0] = n[1];
        t[0][1] = -n[0];
    } else {
        dc_real a = -1/(sg + n[2]), b = n[0]*n[1]*a;
        t[0][0] = 1 + sg*n[0]*n[0]*a;   t[0][1] = sg*b;             t[0][2] = -sg*n[0];
        t[1][0] = b;                    t[1][1] = sg + n[1]*n[1]*a; t[1][2] = -n[1];
    }
}
/* their change with n's */
DCI_LANE void dci_ncp_dtangents(const int D, const dc_real *n, dc_real sg, const dc_real *dn, dc_real t[2][3])
{
    if (D == 2) {
        t[0][0] = dn[1];
        t[0][1] = -dn[0];
    } else {
        dc_real a = -1/(sg + n[2]), da = a*a*dn[2];
        dc_real db = dn[0]*n[1]*a + n[0]*dn[1]*a + n[0]*n[1]*da;
        t[0][0] = sg*(2*n[0]*dn[0]*a + n[0]*n[0]*da);   t[0][1] = sg*db;                            t[0][2] = -sg*dn[0];
        t[1][0] = db;                                   t[1][1] = 2*n[1]*dn[1]*a + n[1]*n[1]*da;    t[1][2] = -dn[1];
    }
}
/* d(T f) - T df and d(T^T v) - T^T dv */
DCI_LANE void dci_ncp_dtf(const int D, const dci_contact_nc *c, int k, const dc_real *dn, const dc_real *f, dc_real *o)
{
    const dc_real *n = c->n[k];
    int i;
    for (i = 0; i < D; ++i) o[i] = 0;
    if (c->friction == DCI_CONE) {
        dc_real a = dci_ncp_dot(D, n, f), b = dci_ncp_dot(D, dn, f);
        for (i = 0; i < D; ++i) o[i] = -dn[i]*a - n[i]*b;
    } else if (c->friction != DCI_NO_FRICTION) {
        dc_real t[2][3];
        dci_ncp_dtangents(D, n, c->sg, dn, t);
        for (i = 0; i < D; ++i) o[i] = f[0]*t[0][i] + (D == 3 ? f[1]*t[1][i] : 0);
    }
}
DCI_LANE void dci_ncp_dtv(const int D, const dci_contact_nc *c, int k, const dc_real *dn, const dc_real *v, dc_real *o)
{
    if (c->friction == DCI_CONE) dci_ncp_dtf(D, c, k, dn, v, o);
    else if (c->friction != DCI_NO_FRICTION) {
        dc_real t[2][3];
        dci_ncp_dtangents(D, c->n[k], c->sg, dn, t);
        o[0] = dci_ncp_dot(D, t[0], v);
        if (D == 3) o[1] = dci_ncp_dot(D, t[1], v);
    }
}

/* what is left of a residual beyond `floor`, to which rounding may bring it, in units */
static dc_real dci_ncp_excess(dc_real residual, dc_real floor, dc_real unit)
{
    const dc_real e = dc_abs(residual) - floor;
    return e <= 0 ? 0 : e/unit;
}
/* the larger of two, or what is not a number */
static dc_real dci_ncp_larger(dc_real a, dc_real b) { return a < b || (a >= 0 && !(b >= 0)) ? b : a; }

/* The residual of contact c; takes its wrenches out of the bodies' rows of Fx. Returns the largest, in natural units. */
DCI_LANE dc_real dci_ncp_contact_eval(dc_ncp *S, dci_contact_nc *c, const int D, const dc_real *x, const dc_real *z, const dc_real *s)
{
    dci_pair_nc *P = &c->P;
    dci_ncp_place *b[2];
    const dc_real *xs[2], *Rs[2], *y = x + c->oy;
    dc_real *Fs = S->Fs + c->oz, *Fx = S->Fx + c->oy, w[3] = DC_ZERO, ws = 0, worst = 0, reach, speed = 0, dual = 0;
    int k, i, nw = D == 2 ? 1 : 3;
    z += c->oz;
    s += c->oz;
    for (k = 0; k < 2; ++k) {
        b[k] = S->place + c->body[k];
        xs[k] = b[k]->x;
        Rs[k] = b[k]->R;
    }

    /* the pair: SILICO Eq. 26-29, 31, 32 */
    dci_pnc_eval(P, D, xs, Rs, y, z + c->lam, Fs + c->lam, Fx);
    for (i = c->lam; i < c->nz; ++i) {
        Fs[i] = s[i] - Fs[i];
        dual += dc_abs(z[i]);
    }

    /* impulses */
    c->gamma = z[0];
    if (c->friction == DCI_CONE) for (i = 0; i < D; ++i) c->f[i] = z[2 + i];
    else for (i = 0; i < c->nt; ++i) c->f[i] = z[2 + 2*i] - z[3 + 2*i];
    c->m = c->spin ? z[c->spin + 1] - z[c->spin + 2] : 0;
    reach = c->L*(1 + dc_abs(y[D]));
    for (k = 0; k < 2; ++k) {
        dc_real sign = k ? DC_R(1) : DC_R(-1), len2 = dci_ncp_dot(D, P->u[k], P->u[k]), t[3], M[3], push = 0, arm = 0;
        const dc_real r0 = DC_R(1.0/32);

        /* the normal, SILICO Eq. 41: unit; shorter below 1/32, smoothly, where cones are still opening */
        if (len2 >= r0*r0) {
            c->inv[k] = 1/dc_sqrt(len2);
            c->kk[k] = c->inv[k];
        } else {
            c->inv[k] = 2*r0/(r0*r0 + len2);
            c->kk[k] = 1/r0;
        }
        for (i = 0; i < D; ++i) c->n[k][i] = sign*c->inv[k]*P->u[k][i];
        if (c->friction == DCI_PYRAMID && !(dc_abs(c->sg) > 0)) c->sg = c->n[k][2] < DC_R(-0.5) ? DC_R(-1) : DC_R(1);
        if (c->friction == DCI_LINE || c->friction == DCI_PYRAMID) dci_ncp_tangents(D, c->n[k], c->sg, c->t[k]);

        /* velocity of the material point, slip, spin */
        dci_ncp_wr(D, b[k]->w, P->r[k], c->vp[k]);
        for (i = 0; i < D; ++i) {
            c->vp[k][i] += b[k]->v[i];
            speed += dc_abs(c->vp[k][i]);
            arm += dc_abs(P->r[k][i]);
        }
        dci_ncp_tv(D, c, k, c->vp[k], t);
        for (i = 0; i < c->nt; ++i) w[i] += k ? -t[i] : t[i];
        if (c->spin) ws -= sign*dci_ncp_dot(3, c->n[k], b[k]->w);
        reach += arm;

        /* wrench, the contact's part of SILICO Eq. 8 */
        dci_ncp_tf(D, c, k, c->f, t);
        for (i = 0; i < D; ++i) {
            c->F[k][i] = -sign*(c->n[k][i]*c->gamma + t[i]);
            push += dc_abs(c->F[k][i]);
        }
        if (b[k]->dof >= 0) {
            dc_real *F = S->Fx + b[k]->dof;
            for (i = 0; i < D; ++i) F[i] -= c->F[k][i];
            dci_ncp_rf(D, P->r[k], c->F[k], M);
            for (i = 0; i < nw; ++i) F[D + i] -= M[i] - (c->spin ? sign*c->n[k][i]*c->m : 0);
            b[k]->load[0] += push;
            b[k]->load[1] += push*arm;
        }
    }

    /* the rows of the contact */
    Fs[0] = s[0] - (c->L*(y[D] - 1) - c->bounce);                                   /* SILICO Eq. 9 */
    if (c->friction == DCI_CONE) {
        Fs[1] = z[1] - c->mu*z[0];
        for (i = 0; i < D; ++i) Fs[2 + i] = s[2 + i] - w[i];
    } else if (c->friction != DCI_NO_FRICTION) {
        dc_real sum = 0;
        for (i = 0; i < c->nt; ++i) {
            Fs[2 + 2*i] = s[2 + 2*i] - w[i] - z[1];                                 /* SILICO Eq. 11 */
            Fs[3 + 2*i] = s[3 + 2*i] + w[i] - z[1];
            sum += z[2 + 2*i] + z[3 + 2*i];
        }
        Fs[1] = s[1] - (c->mu*z[0] - sum);                                          /* SILICO Eq. 10 */
    }
    if (c->spin) {
        int at = c->spin;
        Fs[at] = s[at] - (c->mus*z[0] - z[at + 1] - z[at + 2]);
        Fs[at + 1] = s[at + 1] - ws - z[at];
        Fs[at + 2] = s[at + 2] + ws - z[at];
    }

    /* the largest, in natural units */
    for (i = 0; i < D; ++i) reach += dc_abs(y[i]);
    reach *= 4*DC_EPS;
    dual *= 4*DC_EPS;
    speed *= 8*DC_EPS;
    worst = dci_ncp_excess(Fs[0], reach, c->length);
    for (i = c->lam; i < c->nz; ++i) worst = dci_ncp_larger(worst, dci_ncp_excess(Fs[i], reach, c->length));
    for (i = 0; i < P->ny; ++i) worst = dci_ncp_larger(worst, dci_ncp_excess(Fx[i], i == D ? dual*c->L : dual, i == D ? c->length : 1));
    if (c->friction != DCI_NO_FRICTION) {
        worst = dci_ncp_larger(worst, dci_ncp_excess(Fs[1], 4*DC_EPS*c->mu*z[0], c->impulse));
        /* what a slip off by this dissipates is small beside the natural unit */
        for (i = 2; i < (c->spin ? c->spin : c->lam); ++i)
            worst = dci_ncp_larger(worst, dci_ncp_excess(Fs[i], speed, c->speed*c->impulse/(c->impulse + DC_R(0.1)*c->mu*z[0])));
    }
    if (c->spin) {
        worst = dci_ncp_larger(worst, dci_ncp_excess(Fs[c->spin], 4*DC_EPS*c->mus*z[0], c->impulse*c->mus));
        for (i = 1; i < 3; ++i) worst = dci_ncp_larger(worst, dci_ncp_excess(Fs[c->spin + i], 8*DC_EPS*dc_abs(ws), c->speed/c->mus));
    }
    return worst;
}

/* Where body i is after the step with velocity v, and its rows of Fx without contacts (SILICO Eq. 8):
 *     M v+ - M v - h (m g + f)
 *     2D: I (w+ - w) - h tau;   3D: J_l^-1(-h w+) I w+ - J_l^-1(h w) I w - h tau,   I in the world at the start
 * the variational integrator of the Lagrangian w.I w/2, exp(h w) taking one attitude to the next: with no load it keeps
 * the angular momentum to rounding. */
static DCI_NOINLINE void dci_ncp_body_eval(dc_ncp *S, dci_ncp_place *b, const dc_real *v)
{
    int D = S->D, i, j, l;
    dc_real h = S->scene.h, *F = S->Fx + b->dof;
    b->load[0] = b->load[1] = 0;
    for (i = 0; i < S->nb; ++i) b->load[i >= D] += dc_abs(b->rhs[i]);
    for (i = 0; i < D; ++i) {
        b->v[i] = v[i];
        b->x[i] = b->x0[i] + h*v[i];
        F[i] = b->M*v[i] - b->rhs[i];
    }
    if (D == 2) {
        dc_real sn, cs, w = v[2];
        b->w[0] = w;
        dc_sincos(h*w, &sn, &cs);
        b->R[0] = cs*b->R0[0] - sn*b->R0[2];
        b->R[1] = cs*b->R0[1] - sn*b->R0[3];
        b->R[2] = sn*b->R0[0] + cs*b->R0[2];
        b->R[3] = sn*b->R0[1] + cs*b->R0[3];
        b->T[0] = h;
        b->D[0] = b->In[0];
        F[2] = b->In[0]*w - b->rhs[2];
    } else {
        dc_v3 hw = dc_vec(h*v[3], h*v[4], h*v[5]), w = dc_vec(v[3], v[4], v[5]), p;
        dc_m3 E = dc_m3_exp(hw), J = dc_so3_jl(hw), Ji = dc_so3_jl_inv(dc_neg(hw)), In, A, G;
        for (i = 0; i < 3; ++i) b->w[i] = v[3 + i];
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) {
                dc_real t = 0;
                for (l = 0; l < 3; ++l) t += E.m[3*i + l]*b->R0[3*l + j];
                b->R[3*i + j] = t;
                b->T[3*i + j] = h*J.m[3*i + j];
                In.m[3*i + j] = b->In[3*i + j];
            }
        p = dc_mul(&Ji, dc_mul(&In, w));
        F[3] = p.x - b->rhs[3];
        F[4] = p.y - b->rhs[4];
        F[5] = p.z - b->rhs[5];
        /* d(J^-1(-h w) u) = J^-1 du + h J^-1 (dJ . (J^-1 u)) */
        A = dc_m3_mul(&Ji, &In);
        G = dc_so3_jl_grad(dc_neg(hw), p);
        G = dc_m3_mul(&Ji, &G);
        for (i = 0; i < 9; ++i) b->D[i] = A.m[i] + h*G.m[i];
    }
}

/* SILICO Eq. 20 at (x, z, s): residuals into Fx and Fs; largest of them, and the excess of complementarity, in natural units */
static DCI_NOINLINE void dci_ncp_eval(dc_ncp *S, const dc_real *x, const dc_real *z, const dc_real *s, dc_real *eq, dc_real *cp)
{
    dc_real worst = 0, comp = 0;
    int i, k;
    for (i = 0; i < S->scene.bodies; ++i)
        if (S->place[i].dof >= 0) dci_ncp_body_eval(S, S->place + i, x + S->place[i].dof);
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->C + k;
        dc_real one = S->D == 2 ? dci_ncp_contact_eval(S, c, 2, x, z, s) : dci_ncp_contact_eval(S, c, 3, x, z, s);
        worst = dci_ncp_larger(worst, one);
        /* SILICO Eq. 12, relaxed: SILICO Eq. 22 */
        comp = dci_ncp_larger(comp, dci_cone_excess(c->heads, c->head, z + c->oz, s + c->oz, S->rho, S->work));
        comp = dci_ncp_larger(comp, dci_cone_excess(c->P.runs, c->P.run, z + c->oz + c->lam, s + c->oz + c->lam, S->rho, S->work));
    }
    for (i = 0; i < S->scene.bodies; ++i) {
        const dci_ncp_place *b = S->place + i;
        for (k = 0; b->dof >= 0 && k < S->nb; ++k)
            worst = dci_ncp_larger(worst, dci_ncp_excess(S->Fx[b->dof + k], 8*DC_EPS*b->load[k >= S->D],
                                                         b->unit[k >= S->D] + DC_R(0.01)*b->load[k >= S->D]));
    }
    *eq = worst;
    *cp = comp;
}

/* ---- dynamics: Newton's step ------------------------------------------------------------------- */

/* Linear friction, psi (s_psi, psi) and pairs of beta: with om = beta/s of the 2 nt, D_k = om_k+ - om_k-,
 *     dpsi = (-mu dgamma - D.dw + c)/den,   den = s_psi/psi + sum om
 *     df_k = -(om_k+ + om_k-) dw_k - D_k dpsi + c_k */
static void dci_ncp_law(int nt, const dc_real *z, const dc_real *s, dc_real mu, dc_real *Kv, dc_real *kap, dc_real *D, dc_real *den)
{
    int i, j;
    dc_real sum = s[0]/z[0];
    for (i = 0; i < nt; ++i) {
        dc_real p = z[1 + 2*i]/s[1 + 2*i], q = z[2 + 2*i]/s[2 + 2*i];
        D[i] = p - q;
        kap[i] = p + q;
        sum += p + q;
    }
    *den = sum;
    for (i = 0; i < nt; ++i)
        for (j = 0; j < nt; ++j) Kv[i*nt + j] = -D[i]*D[j]/sum + (i == j ? kap[i] : 0);
    for (i = 0; i < nt; ++i) kap[i] = D[i]*mu/sum;
}
static void dci_ncp_law_const(int nt, const dc_real *z, const dc_real *s, const dc_real *Fs, const dc_real *rc, const dc_real *D,
                              dc_real den, dc_real *kc, dc_real *cpsi)
{
    int i;
    dc_real C = Fs[0] - rc[0]/z[0];
    for (i = 0; i < nt; ++i) {
        int a = 1 + 2*i, b = a + 1;
        dc_real p = (z[a]*Fs[a] - rc[a])/s[a], q = (z[b]*Fs[b] - rc[b])/s[b];
        kc[i] = p - q;
        C += p + q;
    }
    *cpsi = C/den;
    for (i = 0; i < nt; ++i) kc[i] -= D[i]**cpsi;
}
static void dci_ncp_law_back(int nt, const dc_real *z, const dc_real *s, const dc_real *Fs, const dc_real *rc, const dc_real *D,
                             dc_real den, dc_real mu, dc_real dgamma, dc_real cpsi, const dc_real *dw, dc_real *dz, dc_real *ds)
{
    int i;
    dc_real t = -mu*dgamma, sum = 0;
    for (i = 0; i < nt; ++i) t -= D[i]*dw[i];
    dz[0] = t/den + cpsi;
    for (i = 0; i < nt; ++i) {
        int a = 1 + 2*i, b = a + 1;
        ds[a] = dw[i] + dz[0] - Fs[a];
        ds[b] = -dw[i] + dz[0] - Fs[b];
        dz[a] = -(rc[a] + z[a]*ds[a])/s[a];
        dz[b] = -(rc[b] + z[b]*ds[b])/s[b];
        sum += dz[a] + dz[b];
    }
    ds[0] = mu*dgamma - sum - Fs[0];
}

/* H = W^-2 of the friction cone, row-major n x n */
static void dci_ncp_cone_h(int n, const dc_real *w, dc_real eta, dc_real *H)
{
    int i, j;
    for (i = 0; i < n; ++i)
        for (j = 0; j < n; ++j) {
            dc_real t = 2*w[i]*w[j]*((i == 0) == (j == 0) ? 1 : -1);
            if (i == j) t += i == 0 ? -1 : 1;
            H[i*n + j] = t/(eta*eta);
        }
}

/* Factor of contact c at (z, s). */
DCI_LANE int dci_ncp_contact_factor(dc_ncp *S, dci_contact_nc *c, const int D)
{
    const dc_real *z = S->z + c->oz, *s = S->s + c->oz;
    int i, j;
    if (!dci_cone_scaling(c->P.runs, c->P.run, s + c->lam, z + c->lam, c->P.w, c->P.lam) || !dci_pnc_factor(&c->P, D)
        || !dci_cone_scaling(c->heads, c->head, s, z, c->fw, c->flam)) return 0;
    c->wg = z[0]/s[0];
    if (c->friction == DCI_CONE) {
        dc_real H[16];
        const int n = 1 + D;
        dci_ncp_cone_h(n, c->fw + 1, c->head[1].eta, H);
        c->den = H[0];
        for (i = 0; i < D; ++i) {
            c->dlt[i] = H[1 + i];
            c->kap[i] = H[1 + i]*c->mu/H[0];
            for (j = 0; j < D; ++j) c->Kv[i*D + j] = H[(1 + i)*n + 1 + j] - H[1 + i]*H[1 + j]/H[0];
        }
    } else if (c->friction != DCI_NO_FRICTION) dci_ncp_law(c->nt, z + 1, s + 1, c->mu, c->Kv, c->kap, c->dlt, &c->den);
    if (c->spin) dci_ncp_law(1, z + c->spin, s + c->spin, c->mus, &c->kvs, &c->kaps, &c->dlts, &c->dens);
    return 1;
}

/* Constants for S->rc and the residuals. */
DCI_LANE void dci_ncp_contact_const(dc_ncp *S, dci_contact_nc *c, const int D)
{
    const dc_real *z = S->z + c->oz, *s = S->s + c->oz, *Fs = S->Fs + c->oz, *rc = S->rc + c->oz;
    dci_pair_nc *P = &c->P;
    int i, j;
    dci_pnc_c(P, Fs + c->lam, rc + c->lam, P->c);
    dci_pnc_const(P, D, S->Fx + c->oy, P->c, c->out0);
    c->cg = c->wg*Fs[0] - rc[0]/s[0];
    if (c->friction == DCI_CONE) {
        /* dZ = -H dS + kz, kz = -W^-1 (lam \ rc); dzeta = mu dgamma - Fs[1] */
        dc_real k[4];
        dci_soc_divide(1 + D, c->flam + 1, rc + 1, k);
        dci_soc_winv(1 + D, c->fw + 1, c->head[1].eta, k, 1, k);
        c->cpsi = Fs[1] - k[0];
        for (i = 0; i < D; ++i) c->cpsi += c->dlt[i]*Fs[2 + i];
        c->cpsi /= c->den;
        for (i = 0; i < D; ++i) {
            c->kc[i] = -k[1 + i] - c->dlt[i]*(Fs[1] - k[0])/c->den;
            for (j = 0; j < D; ++j) c->kc[i] += c->Kv[i*D + j]*Fs[2 + j];
        }
    } else if (c->friction != DCI_NO_FRICTION)
        dci_ncp_law_const(c->nt, z + 1, s + 1, Fs + 1, rc + 1, c->dlt, c->den, c->kc, &c->cpsi);
    if (c->spin) dci_ncp_law_const(1, z + c->spin, s + c->spin, Fs + c->spin, rc + c->spin, &c->dlts, c->dens, &c->kcs, &c->cpsis);
}

/* What a change of the bodies' velocities (dv[k]: v, w; NULL: none) does to contact c, with everything of the contact
 * eliminated; with `constant` the constants of the right-hand side as well. Out: the wrenches' changes; c->d... */
DCI_LANE void dci_ncp_chain(const dc_ncp *S, dci_contact_nc *c, const int D, const dc_real *const dv[2], int constant, dc_real dF[2][6])
{
    const dci_pair_nc *P = &c->P;
    const dc_real h = S->scene.h;
    dc_real move[2][3], turn[2][3], dx[2][3], th[3], in[6], o[7], dn[2][3], du[2][3], dr[2][3], dw[3] = DC_ZERO, dws = 0, t[3], q[3];
    const int nw = D == 2 ? 1 : 3;
    int i, j, k;
    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        if (!dv[k]) {
            for (i = 0; i < D; ++i) move[k][i] = turn[k][i] = dx[k][i] = 0;
            continue;
        }
        for (i = 0; i < nw; ++i) {
            th[i] = 0;
            for (j = 0; j < nw; ++j) th[i] += b->T[i*nw + j]*dv[k][D + j];
        }
        dci_ncp_wr(D, th, P->r[k], move[k]);
        dci_ncp_wr(D, th, P->u[k], turn[k]);
        for (i = 0; i < D; ++i) {
            dx[k][i] = h*dv[k][i];
            move[k][i] += dx[k][i];
        }
    }
    for (i = 0; i < D; ++i) {
        in[i] = c->xi[i] = move[0][i] - move[1][i];
        in[D + i] = c->sig[i] = turn[0][i] + turn[1][i];
    }
    for (i = 0; i < 2*D + 1; ++i) {
        o[i] = constant ? c->out0[i] : 0;
        for (j = 0; j < 2*D; ++j) o[i] += P->Phi[i*2*D + j]*in[j];
    }
    for (i = 0; i < D; ++i) {
        c->dp[i] = o[i] + move[1][i];
        du[0][i] = turn[0][i] + o[D + 1 + i];
        du[1][i] = -du[0][i] - (constant ? S->Fx[c->oy + i] : 0);
    }
    c->dalpha = o[D];
    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        const dc_real sign = k ? DC_R(1) : DC_R(-1), *n = c->n[k];
        dc_real nd = 0, dvp[3];
        for (i = 0; i < D; ++i) {
            du[k][i] *= sign;                       /* change of the raw normal */
            nd += n[i]*du[k][i];
        }
        for (i = 0; i < D; ++i) {
            dn[k][i] = c->inv[k]*du[k][i] - n[i]*nd*c->kk[k];
            dr[k][i] = c->dp[i] - dx[k][i];
        }
        dci_ncp_wr(D, b->w, dr[k], dvp);
        if (dv[k]) {
            dci_ncp_wr(D, dv[k] + D, P->r[k], t);
            for (i = 0; i < D; ++i) dvp[i] += dv[k][i] + t[i];
        }
        dci_ncp_tv(D, c, k, dvp, t);
        dci_ncp_dtv(D, c, k, dn[k], c->vp[k], q);
        for (i = 0; i < c->nt; ++i) dw[i] -= sign*(t[i] + q[i]);
        if (c->spin) {
            dws -= sign*dci_ncp_dot(3, dn[k], b->w);
            if (dv[k]) dws -= sign*dci_ncp_dot(3, n, dv[k] + 3);
        }
    }
    c->dap = c->L*c->dalpha;
    c->dgamma = -c->wg*c->dap + (constant ? c->cg : 0);
    for (i = 0; i < c->nt; ++i) {
        dc_real f = c->kap[i]*c->dgamma + (constant ? c->kc[i] : 0);
        for (j = 0; j < c->nt; ++j) f -= c->Kv[i*c->nt + j]*dw[j];
        c->df[i] = f;
        c->dw[i] = dw[i];
    }
    if (c->spin) {
        c->dws = dws;
        c->dm = -c->kvs*dws + c->kaps*c->dgamma + (constant ? c->kcs : 0);
    }
    for (k = 0; k < 2; ++k) {
        const dc_real sign = k ? DC_R(-1) : DC_R(1), *n = c->n[k];
        dc_real dFk[3], M[3];
        for (i = 0; i < D + nw; ++i) dF[k][i] = 0;
        if (S->place[c->body[k]].dof < 0) continue;
        dci_ncp_tf(D, c, k, c->df, t);
        dci_ncp_dtf(D, c, k, dn[k], c->f, q);
        for (i = 0; i < D; ++i) dF[k][i] = dFk[i] = sign*(dn[k][i]*c->gamma + n[i]*c->dgamma + t[i] + q[i]);
        dci_ncp_rf(D, dr[k], c->F[k], M);
        dci_ncp_rf(D, P->r[k], dFk, t);
        for (i = 0; i < nw; ++i) {
            dF[k][D + i] = M[i] + t[i];
            if (c->spin) dF[k][D + i] += sign*(dn[k][i]*c->m + n[i]*c->dm);
        }
    }
}

/* ---- the body system: block LU without pivoting between bodies ---- */

/* The pattern with its fill, bodies in the order of least degree; slot[i n + j] is the number of block (i, j) or -1,
 * list[first[k]..first[k + 1]) the bodies that follow order[k] and share a block with it. Returns the number of blocks.
 * rank, piv [n] are scratch. */
static int dci_ncp_pattern(int n, int pairs, const dci_contact_nc *C, const dci_ncp_place *place, int nb, int *order, int *slot, int *first,
                           int *list, int *rank, int *piv)
{
    int i, j, k, l, step, blocks = 0, at = 0;
    for (i = 0; i < n*n; ++i) slot[i] = -1;
    for (i = 0; i < n; ++i) {
        slot[i*n + i] = 0;
        rank[i] = n;
    }
    for (k = 0; k < pairs; ++k) {
        i = place[C[k].body[0]].dof;
        j = place[C[k].body[1]].dof;
        if (i >= 0 && j >= 0) slot[i/nb*n + j/nb] = slot[j/nb*n + i/nb] = 0;
    }
    for (i = 0; i < n; ++i)                     /* piv: degrees */
        for (piv[i] = k = 0; k < n; ++k) piv[i] += slot[i*n + k] >= 0;
    for (step = 0; step < n; ++step) {
        int best = -1;
        for (i = 0; i < n; ++i) if (rank[i] == n && (best < 0 || piv[i] < piv[best])) best = i;
        order[step] = best;
        rank[best] = step;
        first[step] = at;
        for (k = 0; k < n; ++k)
            if (slot[best*n + k] >= 0 && rank[k] == n) list[at++] = k;
        for (k = first[step]; k < at; ++k) {
            int *row = slot + list[k]*n;
            --piv[list[k]];
            for (l = first[step]; l < at; ++l) {
                piv[list[k]] += row[list[l]] < 0;
                row[list[l]] = 0;
            }
        }
    }
    first[n] = at;
    for (i = 0; i < n*n; ++i) if (slot[i] >= 0) slot[i] = blocks++;
    return blocks;
}

/* P A = L U of a block, in place. (Its inverse would not do: the blocks hold stiffnesses of 1/rho beside masses.) */
DCI_LANE int dci_ncp_block_lu(const int n, dc_real *A, int *piv)
{
    int i, j, k;
    for (k = 0; k < n; ++k) {
        int p = k;
        for (i = k + 1; i < n; ++i) if (dc_abs(A[i*n + k]) > dc_abs(A[p*n + k])) p = i;
        if (!(dc_abs(A[p*n + k]) > 0)) return 0;
        piv[k] = p;
        if (p != k)
            for (j = 0; j < n; ++j) {
                dc_real t = A[p*n + j];
                A[p*n + j] = A[k*n + j];
                A[k*n + j] = t;
            }
        for (i = k + 1; i < n; ++i) {
            dc_real f = A[i*n + k] /= A[k*n + k];
            for (j = k + 1; j < n; ++j) A[i*n + j] -= f*A[k*n + j];
        }
    }
    return 1;
}
/* x <- A^-1 x, entries `inc` apart */
DCI_LANE void dci_ncp_block_solve(const int n, const dc_real *A, const int *piv, dc_real *x, const int inc)
{
    int i, j;
    for (i = 0; i < n; ++i) {
        dc_real t = x[piv[i]*inc];
        x[piv[i]*inc] = x[i*inc];
        x[i*inc] = t;
    }
    for (i = 1; i < n; ++i)
        for (j = 0; j < i; ++j) x[i*inc] -= A[i*n + j]*x[j*inc];
    for (i = n - 1; i >= 0; --i) {
        for (j = i + 1; j < n; ++j) x[i*inc] -= A[i*n + j]*x[j*inc];
        x[i*inc] /= A[i*n + i];
    }
}
/* x <- A^-T x */
DCI_LANE void dci_ncp_block_solve_t(const int n, const dc_real *A, const int *piv, dc_real *x)
{
    int i, j;
    for (i = 0; i < n; ++i) {
        for (j = 0; j < i; ++j) x[i] -= A[j*n + i]*x[j];
        x[i] /= A[i*n + i];
    }
    for (i = n - 2; i >= 0; --i)
        for (j = i + 1; j < n; ++j) x[i] -= A[j*n + i]*x[j];
    for (i = n - 1; i >= 0; --i) {
        dc_real t = x[piv[i]];
        x[piv[i]] = x[i];
        x[i] = t;
    }
}

/* y -= A x or A^T x */
DCI_LANE void dci_ncp_apply(const int n, const dc_real *A, int transposed, const dc_real *x, dc_real *y)
{
    int i, j;
    for (i = 0; i < n; ++i) {
        dc_real t = 0;
        for (j = 0; j < n; ++j) t += (transposed ? A[j*n + i] : A[i*n + j])*x[j];
        y[i] -= t;
    }
}

/* C -= L U, a row of C in registers */
DCI_LANE void dci_ncp_block_update(const int n, const dc_real *L, const dc_real *U, dc_real *C)
{
    int i, j, t;
    if (n == 6)
        for (i = 0; i < 6; ++i, C += 6, L += 6) {
            dc_real c0 = C[0], c1 = C[1], c2 = C[2], c3 = C[3], c4 = C[4], c5 = C[5];
            for (t = 0; t < 6; ++t) {
                const dc_real f = L[t], *u = U + 6*t;
                c0 -= f*u[0];
                c1 -= f*u[1];
                c2 -= f*u[2];
                c3 -= f*u[3];
                c4 -= f*u[4];
                c5 -= f*u[5];
            }
            C[0] = c0;
            C[1] = c1;
            C[2] = c2;
            C[3] = c3;
            C[4] = c4;
            C[5] = c5;
        }
    else
        for (i = 0; i < n; ++i)
            for (t = 0; t < n; ++t)
                for (j = 0; j < n; ++j) C[i*n + j] -= L[i*n + t]*U[t*n + j];
}

/* K = L U over the blocks: U_pp = 1, U_pj = K_pp^-1 K_pj, L_ip what is left of K_ip, factored where i = p. */
DCI_LANE int dci_ncp_lu(dc_ncp *S, const int nb)
{
    int n = S->n, j, k;
    for (k = 0; k < n; ++k) {
        int p = S->order[k];
        dc_real *D = S->K + S->slot[p*n + p]*nb*nb;
        const int *l = S->list + S->first[k], *end = S->list + S->first[k + 1], *q, *r;
        if (!dci_ncp_block_lu(nb, D, S->piv + p*nb)) return 0;
        for (q = l; q < end; ++q) {
            dc_real *U = S->K + S->slot[p*n + *q]*nb*nb;
            for (j = 0; j < nb; ++j) dci_ncp_block_solve(nb, D, S->piv + p*nb, U + j, nb);
            for (r = l; r < end; ++r) {
                const dc_real *L = S->K + S->slot[*r*n + p]*nb*nb;
                dc_real *C = S->K + S->slot[*r*n + *q]*nb*nb;
                dci_ncp_block_update(nb, L, U, C);
            }
        }
    }
    return 1;
}

/* x <- K^-1 x */
DCI_LANE void dci_ncp_lu_solve(const dc_ncp *S, const int nb, dc_real *x)
{
    int n = S->n, k;
    const int *q;
    for (k = 0; k < n; ++k) {
        int p = S->order[k];
        dci_ncp_block_solve(nb, S->K + S->slot[p*n + p]*nb*nb, S->piv + p*nb, x + p*nb, 1);
        for (q = S->list + S->first[k]; q < S->list + S->first[k + 1]; ++q)
            dci_ncp_apply(nb, S->K + S->slot[*q*n + p]*nb*nb, 0, x + p*nb, x + *q*nb);
    }
    for (k = n - 1; k >= 0; --k) {
        int p = S->order[k];
        for (q = S->list + S->first[k]; q < S->list + S->first[k + 1]; ++q)
            dci_ncp_apply(nb, S->K + S->slot[p*n + *q]*nb*nb, 0, x + *q*nb, x + p*nb);
    }
}

/* x <- K^-T x */
DCI_LANE void dci_ncp_lu_solve_t(const dc_ncp *S, const int nb, dc_real *x)
{
    int n = S->n, k;
    const int *q;
    for (k = 0; k < n; ++k) {
        int p = S->order[k];
        for (q = S->list + S->first[k]; q < S->list + S->first[k + 1]; ++q)
            dci_ncp_apply(nb, S->K + S->slot[p*n + *q]*nb*nb, 1, x + p*nb, x + *q*nb);
    }
    for (k = n - 1; k >= 0; --k) {
        int p = S->order[k];
        for (q = S->list + S->first[k]; q < S->list + S->first[k + 1]; ++q)
            dci_ncp_apply(nb, S->K + S->slot[*q*n + p]*nb*nb, 1, x + *q*nb, x + p*nb);
        dci_ncp_block_solve_t(nb, S->K + S->slot[p*n + p]*nb*nb, S->piv + p*nb, x + p*nb);
    }
}

/* ---- dynamics: the iteration ------------------------------------------------------------------- */

DCI_LANE int dci_ncp_factor(dc_ncp *S, const int D)
{
    const int nw = D == 2 ? 1 : 3, nb = D + nw;
    int n = S->n, i, j, k, l, side;
    memset(S->K, 0, (size_t)(S->blocks*nb*nb)*sizeof(dc_real));
    for (k = 0; k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        dc_real *K;
        if (b->dof < 0) continue;
        K = S->K + S->slot[b->dof/nb*(n + 1)]*nb*nb;
        for (i = 0; i < D; ++i) K[i*nb + i] = b->M;
        for (i = 0; i < nw; ++i)
            for (j = 0; j < nw; ++j) K[(D + i)*nb + D + j] = b->D[i*nw + j];
    }
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->C + k;
        if (!dci_ncp_contact_factor(S, c, D)) return 0;
        for (side = 0; side < 2; ++side) {
            int col = S->place[c->body[side]].dof;
            if (col < 0) continue;
            for (j = 0; j < nb; ++j) {
                dc_real unit[6], dF[2][6];
                const dc_real *dv[2];
                for (i = 0; i < nb; ++i) unit[i] = DC_R(i == j);
                dv[side] = unit;
                dv[1 - side] = NULL;
                dci_ncp_chain(S, c, D, dv, 0, dF);
                for (l = 0; l < 2; ++l) {
                    int row = S->place[c->body[l]].dof;
                    dc_real *K;
                    if (row < 0) continue;
                    K = S->K + S->slot[row/nb*n + col/nb]*nb*nb + j;
                    for (i = 0; i < nb; ++i) K[i*nb] -= dF[l][i];
                }
            }
        }
    }
    return dci_ncp_lu(S, nb);
}

/* All of the direction for S->rc: dx, dz, ds */
DCI_LANE void dci_ncp_direction(dc_ncp *S, const int D, dc_real *dx, dc_real *dz, dc_real *ds)
{
    const int nw = D == 2 ? 1 : 3, nb = D + nw;
    const dc_real *none[2] = {NULL, NULL};
    int i, k, l;
    dc_real dF[2][6];
    for (i = 0; i < S->nv; ++i) dx[i] = -S->Fx[i];
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->C + k;
        dci_ncp_contact_const(S, c, D);
        dci_ncp_chain(S, c, D, none, 1, dF);
        for (l = 0; l < 2; ++l) {
            int row = S->place[c->body[l]].dof;
            if (row >= 0) for (i = 0; i < nb; ++i) dx[row + i] += dF[l][i];
        }
    }
    dci_ncp_lu_solve(S, nb, dx);
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->C + k;
        dci_pair_nc *P = &c->P;
        const dc_real *dv[2], *z = S->z + c->oz, *s = S->s + c->oz, *Fs = S->Fs + c->oz, *rc = S->rc + c->oz;
        dc_real *dy = dx + c->oy, *dzc = dz + c->oz, *dsc = ds + c->oz, *r1 = S->work;
        for (l = 0; l < 2; ++l) {
            int row = S->place[c->body[l]].dof;
            dv[l] = row >= 0 ? dx + row : NULL;
        }
        dci_ncp_chain(S, c, D, dv, 1, dF);
        for (i = 0; i < P->ny; ++i) r1[i] = S->Fx[c->oy + i] + (i < D ? c->sig[i] : 0);
        dci_pnc_dy(P, D, r1, P->c, c->xi, dy);
        dci_pnc_ds(P, D, dy, c->xi, Fs + c->lam, dsc + c->lam);
        dci_pnc_dlam(P, D, r1, P->c, c->xi, dzc + c->lam);
        for (i = 0; i < D; ++i) dy[i] = c->dp[i];
        dzc[0] = c->dgamma;
        dsc[0] = c->dap - Fs[0];
        if (c->friction == DCI_CONE) {
            dc_real t = c->cpsi - c->mu*c->dgamma/c->den;
            for (i = 0; i < D; ++i) {
                t -= c->dlt[i]*c->dw[i]/c->den;
                dsc[2 + i] = c->dw[i] - Fs[2 + i];
                dzc[2 + i] = c->df[i];
            }
            dsc[1] = t;
            dzc[1] = c->mu*c->dgamma - Fs[1];
        } else if (c->friction != DCI_NO_FRICTION)
            dci_ncp_law_back(c->nt, z + 1, s + 1, Fs + 1, rc + 1, c->dlt, c->den, c->mu, c->dgamma, c->cpsi, c->dw, dzc + 1, dsc + 1);
        if (c->spin)
            dci_ncp_law_back(1, z + c->spin, s + c->spin, Fs + c->spin, rc + c->spin, &c->dlts, c->dens, c->mus, c->dgamma, c->cpsis,
                             &c->dws, dzc + c->spin, dsc + c->spin);
    }
}

/* the two by dimension, out of line for the sake of the stack */
static DCI_NOINLINE int dci_ncp_factor_2(dc_ncp *S) { return dci_ncp_factor(S, 2); }
static DCI_NOINLINE int dci_ncp_factor_3(dc_ncp *S) { return dci_ncp_factor(S, 3); }
static DCI_NOINLINE void dci_ncp_direction_2(dc_ncp *S, dc_real *dx, dc_real *dz, dc_real *ds) { dci_ncp_direction(S, 2, dx, dz, ds); }
static DCI_NOINLINE void dci_ncp_direction_3(dc_ncp *S, dc_real *dx, dc_real *dz, dc_real *ds) { dci_ncp_direction(S, 3, dx, dz, ds); }

/* S->rc for the place t on the path, with q times the second-order term of (dsa, dza) if given. */
static void dci_ncp_rc(dc_ncp *S, dc_real t, dc_real q, const dc_real *dsa, const dc_real *dza)
{
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->C + k;
        int at = c->oz, end = c->oz + c->lam;
        dci_cone_rc(c->heads, c->head, c->fw, c->flam, S->s + at, S->z + at, t, S->rho, q, dsa ? dsa + at : NULL, dsa ? dza + at : NULL,
                    S->rc + at, S->work);
        dci_cone_rc(c->P.runs, c->P.run, c->P.w, c->P.lam, S->s + end, S->z + end, t, S->rho, q, dsa ? dsa + end : NULL,
                    dsa ? dza + end : NULL, S->rc + end, S->work);
    }
}

/* The place on the path at (z + a dza, s + a dsa): the mean over all cones of the products above their end, over `path` */
static dc_real dci_ncp_along(const dc_ncp *S, dc_real a)
{
    dc_real sum = 0;
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->C + k;
        int at = c->oz, end = c->oz + c->lam;
        sum += dci_cone_along(c->heads, c->head, S->z + at, S->s + at, S->rho, a, S->dza + at, S->dsa + at);
        sum += dci_cone_along(c->P.runs, c->P.run, S->z + end, S->s + end, S->rho, a, S->dza + end, S->dsa + end);
    }
    return dc_max(sum/DC_R(S->degree), 0);
}

/* 1: at t some product is still above the end by a factor of 2 */
static int dci_ncp_on_the_way(const dc_ncp *S, dc_real t)
{
    int k, i;
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->C + k;
        for (i = 0; i < c->heads; ++i) if (t*c->head[i].path > 2*S->rho*c->head[i].end) return 1;
        if (t*c->P.run[0].path > 2*S->rho*c->P.run[0].end) return 1;
    }
    return 0;
}

/* The largest step up to `most` that keeps x, slacks or duals, in the cones (SILICO Eq. 13, 36). */
static dc_real dci_ncp_step_length(const dc_ncp *S, const dc_real *x, const dc_real *dx, dc_real most)
{
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->C + k;
        most = dci_cone_step(c->heads, c->head, x + c->oz, dx + c->oz, most);
        most = dci_cone_step(c->P.runs, c->P.run, x + c->oz + c->lam, dx + c->oz + c->lam, most);
    }
    return most;
}

/* (xt, zt, st) = (x, z, s) + a (dx, dz, ds) */
static void dci_ncp_trial(dc_ncp *S, dc_real a)
{
    int i;
    for (i = 0; i < S->nx; ++i) S->xt[i] = S->x[i] + a*S->dx[i];
    for (i = 0; i < S->nz; ++i) {
        S->zt[i] = S->z[i] + a*S->dz[i];
        S->st[i] = S->s[i] + a*S->ds[i];
    }
}

/* the trial is the iterate */
static void dci_ncp_take(dc_ncp *S)
{
    dc_real *swap = S->x;
    S->x = S->xt;
    S->xt = swap;
    swap = S->z;
    S->z = S->zt;
    S->zt = swap;
    swap = S->s;
    S->s = S->st;
    S->st = swap;
}

/* Newton's iteration from S->x, z, s, of at most so many steps; `test`: a step is halved until one of the two errors does not
 * grow. Fills info; leaves the residuals and places at the last iterate. */
static DCI_NOINLINE dc_status dci_ncp_iterate(dc_ncp *S, int most, int test, dc_ncp_info *info)
{
    enum { STALLS = 4 };                    /* so many steps in a row shorter than 1e-2 end it */
    const dc_real back = DC_R(0.98);        /* fraction of the way to the boundary */
    dc_real eq, cp, eq2, cp2, nu, a, t, least;
    dc_real best = DC_REAL_MAX;
    int it, trial, stalled = 0, idle = 0;       /* idle: products are there, and the equations no better than they were */
    dci_ncp_eval(S, S->x, S->z, S->s, &eq, &cp);
    for (it = 0;; ++it) {
        info->iterations = it;
        info->residual = eq;
        info->complementarity = cp;
        if (eq <= S->tol && cp <= S->tol) return DC_OK;
        if (cp <= S->tol && eq > best/2) ++idle;
        else idle = 0;
        best = dc_min(best, eq);
        if (it == most || stalled == STALLS || idle == 8) return DC_E_DIVERGED;
        if (!(eq < DC_REAL_MAX && cp < DC_REAL_MAX)) return DC_E_RANGE;
        if (!(S->D == 2 ? dci_ncp_factor_2(S) : dci_ncp_factor_3(S))) return DC_E_SINGULAR;

        /* predictor: the end of the path */
        dci_ncp_rc(S, 0, 0, NULL, NULL);
        if (S->D == 2) dci_ncp_direction_2(S, S->dx, S->dza, S->dsa);
        else dci_ncp_direction_3(S, S->dx, S->dza, S->dsa);
        a = dci_ncp_step_length(S, S->z, S->dza, dci_ncp_step_length(S, S->s, S->dsa, 1/back));
        a = dc_min(back*a, 1);

        /* how far to go: not the cube of the ratio, as usual, or complementarity runs ahead of the equations */
        nu = dci_ncp_along(S, 0);
        t = dc_min(dci_ncp_along(S, a), nu);
        if (!dci_ncp_on_the_way(S, t)) t = 0;

        /* corrector; where its second order shortens the step, without */
        for (least = a/2, a = -1, trial = 0; trial < 2 && a < least; ++trial) {
            if (trial == 0) dci_ncp_rc(S, t, 2*least, S->dsa, S->dza);
            else dci_ncp_rc(S, t, 0, NULL, NULL);
            if (S->D == 2) dci_ncp_direction_2(S, S->dx, S->dz, S->ds);
            else dci_ncp_direction_3(S, S->dx, S->dz, S->ds);
            a = dci_ncp_step_length(S, S->z, S->dz, dci_ncp_step_length(S, S->s, S->ds, 1/back));
            a = dc_min(back*a, 1);
        }
        for (trial = 0; trial < 25; ++trial, a *= DC_R(0.5)) {
            dci_ncp_trial(S, a);
            dci_ncp_eval(S, S->xt, S->zt, S->st, &eq2, &cp2);
            if (!test || eq2 <= eq || cp2 <= cp) break;
        }
        stalled = a < DC_R(1e-2) ? stalled + 1 : 0;
        dci_ncp_take(S);
        eq = eq2;
        cp = cp2;
    }
}

/* ---- dynamics: a step --------------------------------------------------------------------------- */

/* what is wrong with a body's field; NULL: nothing */
static const char *dci_body_flaw(int dim, const dc_ncp_body *b, const char **cause)
{
    dc_real x[3], R[9];
    dc_real v[6], f[6];
    *cause = "is not finite or beyond DC_LIMIT, or the quaternion has no rotation about z";
    if (!dci_pose_rows(dim, &b->pose, x, R)) return "pose";
    *cause = "is negative, not finite or beyond DC_LIMIT";
    if (!(b->mass >= 0 && b->mass <= DC_LIMIT)) return "mass";
    if (!(b->mass > 0)) return NULL;
    v[0] = b->v.x;      v[1] = b->v.y;      v[2] = b->v.z;
    v[3] = b->w.x;      v[4] = b->w.y;      v[5] = b->w.z;
    f[0] = b->force.x;  f[1] = b->force.y;  f[2] = b->force.z;
    f[3] = b->torque.x; f[4] = b->torque.y; f[5] = b->torque.z;
    *cause = "is not finite or beyond DC_LIMIT";
    if (!dci_all_in_limit(v, 3)) return "v";
    if (!dci_all_in_limit(v + 3, 3)) return "w";
    if (!dci_all_in_limit(f, 3)) return "force";
    if (!dci_all_in_limit(f + 3, 3)) return "torque";
    if (!dci_all_in_limit(b->inertia.m, 9)) return "inertia";
    *cause = "is not positive";
    if (dim == 2 ? !(b->inertia.m[8] > 0) : !(dc_m3_det(&b->inertia) > 0)) return "inertia";
    return NULL;
}

/* of a contact */
static const char *dci_contact_flaw(const dc_ncp_scene *sc, const dc_ncp_contact *c, const char **cause)
{
    int k;
    *cause = "is negative, not finite or beyond DC_LIMIT";
    if (!(c->mu >= 0 && c->mu <= DC_LIMIT)) return "mu";
    if (!(c->mu_spin >= 0 && c->mu_spin <= DC_LIMIT)) return "mu_spin";
    *cause = "is not in 0..1";
    if (!(c->restitution >= 0 && c->restitution <= 1)) return "restitution";
    for (k = 0; k < 2; ++k) {
        *cause = "is no index of a body and not -1";
        if (c->body[k] < -1 || c->body[k] >= sc->bodies) return k ? "body[1]" : "body[0]";
        *cause = "is NULL, not a shape, or has numbers that are not finite or beyond DC_LIMIT";
        if (!dci_shape_valid(c->shape[k])) return k ? "shape[1]" : "shape[0]";
        *cause = "has another dim than the scene";
        if (c->shape[k]->dim != sc->dim) return k ? "shape[1]" : "shape[0]";
    }
    *cause = "is body[0]: a body in contact with itself";
    if (c->body[0] == c->body[1] && c->body[0] != -1) return "body[1]";
    *cause = "does not grow, nor does shape[0]: both of size 0";
    return c->shape[0]->size + c->shape[1]->size > 0 ? NULL : "shape[1]";
}

/* counts of z before the pair's rows */
static int dci_contact_lam(const dc_ncp_options *o, int dim, const dc_ncp_contact *c)
{
    int n = 1;
    if (c->mu > 0) n += dim == 2 ? 3 : o && o->pyramid ? 5 : 4;
    if (c->mu_spin > 0 && dim == 3) n += 3;
    return n;
}

/* a kept solution begins with: 1 when there is one */
#define DCI_KEEP_HEAD 1
#define DCI_LOAD_MOST 15
#define DCI_STARTS 64

DC_DEF int dc_ncp_keep_count(const dc_ncp_options *opt, int dim, const dc_ncp_contact *c)
{
    if (!c || dim < 2 || dim > 3 || !dci_shape_valid(c->shape[0]) || !dci_shape_valid(c->shape[1])) return 0;
    return DCI_KEEP_HEAD + dci_pnc_ny(c->shape[0], c->shape[1]) + 2*(dci_contact_lam(opt, dim, c) + c->shape[0]->rows + c->shape[1]->rows);
}

/* of the options and the scene without its bodies and contacts */
static const char *dci_frame_flaw(const dc_ncp_options *o, const dc_ncp_scene *sc, const char **cause)
{
    *cause = "is not 2 or 3";
    if (sc->dim < 2 || sc->dim > 3) return "dim";
    *cause = "is not finite and positive";
    if (!dci_positive(sc->h)) return "h";
    *cause = "is not finite or beyond DC_LIMIT";
    if (!dc_in_range(sc->gravity)) return "gravity";
    *cause = "is negative or above 10000";
    if (sc->bodies < 0 || sc->bodies > 10000) return "bodies";
    *cause = "is negative or above 100000";
    if (sc->contacts < 0 || sc->contacts > 100000) return "contacts";
    *cause = "is NULL";
    if (sc->bodies > 0 && !sc->body) return "body";
    if (sc->contacts > 0 && !sc->contact) return "contact";
    if (!o) return NULL;
    *cause = "is not in 0..1";
    if (!(o->rho >= 0 && o->rho <= 1)) return "rho";
    if (!(o->tol >= 0 && o->tol <= 1)) return "tol";
    *cause = "is negative, not finite or beyond DC_LIMIT";
    if (!(o->acceleration >= 0 && o->acceleration <= DC_LIMIT)) return "acceleration";
    return o->max_iterations < 0 ? "max_iterations" : NULL;
}

DC_DEF dc_status dc_ncp_flaw(const dc_ncp_options *opt, const dc_ncp_scene *sc, dc_ncp_flaw_info *out)
{
    dc_ncp_flaw_info f;
    int i;
    f.body = f.contact = -1;
    f.field = "scene";
    f.cause = "is NULL";
    if (sc) {
        f.field = dci_frame_flaw(opt, sc, &f.cause);
        for (i = 0; !f.field && i < sc->contacts; ++i) {
            f.field = dci_contact_flaw(sc, sc->contact + i, &f.cause);
            if (f.field) f.contact = i;
        }
        for (i = 0; !f.field && i < sc->bodies; ++i) {
            f.field = dci_body_flaw(sc->dim, sc->body + i, &f.cause);
            if (f.field) f.body = i;
        }
    }
    if (!f.field) return DC_OK;
    if (out) *out = f;
    return DC_E_ARG;
}

/* all but its bodies: what the sizes follow from */
static int dci_scene_valid(const dc_ncp_options *o, const dc_ncp_scene *sc)
{
    const char *cause;
    int i;
    if (!sc || dci_frame_flaw(o, sc, &cause)) return 0;
    for (i = 0; i < sc->contacts; ++i) if (dci_contact_flaw(sc, sc->contact + i, &cause)) return 0;
    return 1;
}

/* Everything of a step but the body system: counts, then arrays. The body system's matrix has `blocks` of them. */
static void dci_ncp_lay(dc_ncp *S, const dc_ncp_options *o, const dc_ncp_scene *sc, dci_layout *l)
{
    dci_layout work = {NULL, 0};
    dci_growth G;
    dci_pair_nc none;
    int i, size, n = 0, nx, nz = 0, largest = 0;
    for (i = 0; i < sc->bodies; ++i) n += sc->body[i].mass > 0;
    nx = n*(sc->dim == 2 ? 3 : 6);
    S->place = DCI_LAY(l, sc->bodies + 1, dci_ncp_place);
    S->C = DCI_LAY(l, sc->contacts, dci_contact_nc);
    S->guess = DCI_LAY(l, sc->contacts, dci_load);
    S->guess_v = DCI_LAY(l, nx, dc_real);
    for (i = 0; i < sc->contacts; ++i) {
        const dc_ncp_contact *c = sc->contact + i;
        dci_layout one = {NULL, 0};
        if (S->C) memset(S->C + i, 0, sizeof *S->C);
        dci_pnc_lay(S->C ? &S->C[i].P : &none, c->shape[0], c->shape[1], l);
        nx += dci_pnc_ny(c->shape[0], c->shape[1]);
        nz += dci_contact_lam(o, sc->dim, c) + c->shape[0]->rows + c->shape[1]->rows;
        dci_growth_lay(&G, c->shape[0]->rows + c->shape[1]->rows, dci_pnc_ny(c->shape[0], c->shape[1]), &one);
        if (one.bytes > work.bytes) work = one;
        size = 2*dci_pnc_ny(c->shape[0], c->shape[1]) + 3*(c->shape[0]->rows + c->shape[1]->rows);
        if (size > largest) largest = size;
    }
    S->n = n;
    S->nx = nx;
    S->nz = nz;
    S->x = DCI_LAY(l, nx, dc_real);
    S->xt = DCI_LAY(l, nx, dc_real);
    S->best = DCI_LAY(l, nx, dc_real);
    S->dx = DCI_LAY(l, nx, dc_real);
    S->Fx = DCI_LAY(l, nx, dc_real);
    S->z = DCI_LAY(l, nz, dc_real);
    S->s = DCI_LAY(l, nz, dc_real);
    S->zt = DCI_LAY(l, nz, dc_real);
    S->st = DCI_LAY(l, nz, dc_real);
    S->dz = DCI_LAY(l, nz, dc_real);
    S->ds = DCI_LAY(l, nz, dc_real);
    S->dza = DCI_LAY(l, nz, dc_real);
    S->dsa = DCI_LAY(l, nz, dc_real);
    S->Fs = DCI_LAY(l, nz, dc_real);
    S->rc = DCI_LAY(l, nz, dc_real);
    S->work = (dc_real *)dci_lay(l, work.bytes, 1);
    S->cotangent = DCI_LAY(l, largest, dc_real);
    S->slot = DCI_LAY(l, n*n, int);
    S->list = DCI_LAY(l, n*n, int);
    S->order = DCI_LAY(l, n, int);
    S->first = DCI_LAY(l, n + 1, int);
    S->piv = DCI_LAY(l, n*6, int);
    S->rank = DCI_LAY(l, n, int);
}

DC_DEF size_t dc_ncp_bytes(const dc_ncp_options *opt, const dc_ncp_scene *sc)
{
    dci_layout l = {NULL, 0};
    dc_ncp S;
    size_t sum, nb;
    if (!dci_scene_valid(opt, sc)) return 0;
    nb = sc->dim == 2 ? 9 : 36;
    dci_ncp_lay(&S, opt, sc, &l);
    sum = dc_bytes(dc_bytes(dc_bytes(0, 1, sizeof S), l.bytes, 1), (size_t)S.n*(size_t)S.n*nb, sizeof(dc_real));
    return sum == SIZE_MAX ? 0 : sum;
}

static DCI_NOINLINE void dci_ncp_place_set(const dc_ncp_scene *sc, const dc_ncp_body *b, int D, dci_ncp_place *p)
{
    dc_real v[12], g[3];
    int i, j, l;
    memset(p, 0, sizeof *p);
    p->dof = -1;
    dci_pose_rows(D, b ? &b->pose : NULL, p->x0, p->R0);
    memcpy(p->x, p->x0, sizeof p->x);
    memcpy(p->R, p->R0, sizeof p->R);
    if (!b || !(b->mass > 0)) return;
    v[0] = b->v.x;          v[1] = b->v.y;          v[2] = b->v.z;
    v[3] = b->w.x;          v[4] = b->w.y;          v[5] = b->w.z;
    v[6] = b->force.x;      v[7] = b->force.y;      v[8] = b->force.z;
    v[9] = b->torque.x;     v[10] = b->torque.y;    v[11] = b->torque.z;
    g[0] = sc->gravity.x;
    g[1] = sc->gravity.y;
    g[2] = sc->gravity.z;
    p->M = b->mass;
    for (i = 0; i < D; ++i) {
        p->v0[i] = v[i];
        p->rhs[i] = p->M*v[i] + sc->h*(p->M*g[i] + v[6 + i]);
    }
    if (D == 2) {
        p->w0[0] = v[5];
        p->In[0] = b->inertia.m[8];
        p->rhs[2] = p->In[0]*v[5] + sc->h*v[11];
    } else {
        dc_m3 In, Ji;
        dc_v3 hw = dc_vec(sc->h*v[3], sc->h*v[4], sc->h*v[5]), L;
        dc_real RI[9];
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) {
                RI[3*i + j] = 0;
                for (l = 0; l < 3; ++l) RI[3*i + j] += p->R0[3*i + l]*b->inertia.m[3*l + j];
            }
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) {
                dc_real t = 0;
                for (l = 0; l < 3; ++l) t += RI[3*i + l]*p->R0[3*j + l];
                p->In[3*i + j] = In.m[3*i + j] = t;
            }
        Ji = dc_so3_jl_inv(hw);
        L = dc_mul(&Ji, dc_mul(&In, dc_vec(v[3], v[4], v[5])));
        for (i = 0; i < 3; ++i) p->w0[i] = v[3 + i];
        p->rhs[3] = L.x + sc->h*v[9];
        p->rhs[4] = L.y + sc->h*v[10];
        p->rhs[5] = L.z + sc->h*v[11];
    }
}

/* The natural units of a contact: its length, that of the smaller shape if one is much smaller; the impulse that the acceleration
 * gives the two bodies' reduced mass in a step; the speed it gives over that length. At the end products of gamma and gap are
 * rho impulse length, of friction and slip rho impulse speed, of the pair rho length. Of constants of the scene alone. */
static void dci_ncp_units(dc_ncp *S, dci_contact_nc *c)
{
    const dc_real a = c->P.shape[0]->size, b = c->P.shape[1]->size, h = S->scene.h;
    dc_real inv = 0, acceleration;
    int i;
    c->length = a > 0 && b > 0 ? a*b/(a + b) : a + b;
    acceleration = S->acceleration > 0 ? S->acceleration : c->length/(100*h*h);
    for (i = 0; i < 2; ++i)
        if (S->place[c->body[i]].dof >= 0) inv += 1/S->place[c->body[i]].M;
    c->impulse = acceleration*h/(inv > 0 ? inv : 1);
    c->impulse_rate = acceleration*h;
    c->speed = dc_sqrt(acceleration*c->length);
    c->head[0].end = c->impulse*c->length/(4*dc_sqrt(1 + c->mu*c->mu));
    for (i = 1; i < c->heads; ++i) c->head[i].end = c->impulse*c->speed;
    for (i = 0; i < c->P.runs; ++i) c->P.run[i].end = c->length;

    /* the bodies' momenta: what the acceleration gives in a step, the smallest of their contacts */
    for (i = 0; i < 2; ++i) {
        dci_ncp_place *p = S->place + c->body[i];
        const dc_real trace = S->D == 2 ? p->In[0] : (p->In[0] + p->In[4] + p->In[8])/2;
        const dc_real unit = p->M*acceleration*h;
        if (p->dof < 0 || (p->unit[0] > 0 && p->unit[0] <= unit)) continue;
        p->unit[0] = unit;
        p->unit[1] = dc_sqrt(trace*p->M)*acceleration*h;
    }
}

/* Takes all memory and reads the scene. */
static DCI_NOINLINE dc_status dci_ncp_make(const dc_ncp_options *opt, const dc_ncp_scene *sc, dc_arena *mem, dc_ncp **out)
{
    dci_layout l = {NULL, 0};
    dc_ncp *S = (dc_ncp *)dc_arena_take(mem, 1, sizeof(dc_ncp));
    int i, k, nb = sc->dim == 2 ? 3 : 6, oy, oz, dof = 0;
    if (!S) return DC_E_MEMORY;
    memset(S, 0, sizeof *S);
    dci_ncp_lay(S, opt, sc, &l);
    l.base = (unsigned char *)dc_arena_take(mem, l.bytes, 1);
    if (!l.base) return DC_E_MEMORY;
    memset(l.base, 0, l.bytes);
    l.bytes = 0;
    dci_ncp_lay(S, opt, sc, &l);
    S->scene = *sc;
    if (opt) S->opt = *opt;
    S->D = sc->dim;
    S->nb = nb;
    S->nv = S->n*nb;
    S->rho = S->opt.rho > 0 ? S->opt.rho : DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-6);
    S->tol = S->opt.tol > 0 ? S->opt.tol : S->rho/10;
    S->most = S->opt.max_iterations > 0 ? S->opt.max_iterations : 1500;
    S->acceleration = S->opt.acceleration > 0 ? S->opt.acceleration : dc_sqrt(dc_dot(sc->gravity, sc->gravity));
    for (i = 0; i < sc->bodies; ++i) {
        dci_ncp_place_set(sc, sc->body + i, S->D, S->place + i);
        if (sc->body[i].mass > 0) {
            S->place[i].dof = dof;
            dof += nb;
        }
    }
    dci_ncp_place_set(sc, NULL, S->D, S->place + sc->bodies);
    oy = S->nv;
    oz = 0;
    for (k = 0; k < sc->contacts; ++k) {
        const dc_ncp_contact *c = sc->contact + k;
        dci_contact_nc *w = S->C + k;
        dc_real L = c->shape[0]->size + c->shape[1]->size;
        dci_pnc_fill(&w->P, 0, 1, 1);
        w->L = L;
        w->P.L = DC_R(0.5)*DC_R(dci_degree(&w->P))*L;
        for (i = 0; i < 2; ++i) {
            w->body[i] = c->body[i] < 0 ? sc->bodies : c->body[i];
            S->place[w->body[i]].held = 1;
        }
        w->mu = c->mu;
        w->mus = S->D == 3 ? c->mu_spin : 0;
        w->e = c->restitution;
        w->friction = !(c->mu > 0) ? DCI_NO_FRICTION : S->D == 2 ? DCI_LINE : S->opt.pyramid ? DCI_PYRAMID : DCI_CONE;
        w->nt = w->friction == DCI_NO_FRICTION ? 0 : w->friction == DCI_LINE ? 1 : w->friction == DCI_CONE ? S->D : 2;
        i = 1 + (w->friction == DCI_NO_FRICTION ? 0 : w->friction == DCI_CONE ? 1 + S->D : 1 + 2*w->nt);
        if (w->mus > 0) {
            w->spin = i;
            i += 3;
        }
        w->lam = i;
        w->nz = i + w->P.m;
        dci_run_add(w->head, &w->heads, 0, 1, 0);
        if (w->friction != DCI_NO_FRICTION) dci_run_add(w->head, &w->heads, 1, (w->spin ? w->spin : i) - 1, w->friction == DCI_CONE);
        if (w->spin) dci_run_add(w->head, &w->heads, w->spin, 3, 0);
        dci_ncp_units(S, w);
        w->oy = oy;
        w->oz = oz;
        oy += w->P.ny;
        oz += w->nz;
        S->degree += w->lam + dci_degree(&w->P) - (w->friction == DCI_CONE ? S->D : 0);
    }
    for (i = 0; i < sc->bodies; ++i)
        for (k = 0; k < 2; ++k)
            if (!(S->place[i].unit[k] > 0)) S->place[i].unit[k] = 1;
    S->blocks = dci_ncp_pattern(S->n, sc->contacts, S->C, S->place, nb, S->order, S->slot, S->first, S->list, S->rank, S->piv);
    S->K = (dc_real *)dc_arena_take(mem, (size_t)(S->blocks*nb*nb), sizeof(dc_real));
    if (!S->K) return DC_E_MEMORY;
    *out = S;
    return DC_OK;
}

/* The growth problem of contact c at the bodies' old poses, or at those of the last evaluation */
static void dci_ncp_growth(dc_ncp *S, dci_contact_nc *c, int end, dci_growth *G)
{
    dci_layout l = {NULL, 0};
    int i;
    G->P = &c->P;
    for (i = 0; i < 2; ++i) {
        const dci_ncp_place *b = S->place + c->body[i];
        G->xs[i] = end ? b->x : b->x0;
        G->Rs[i] = end ? b->R : b->R0;
    }
    for (i = 0; i < c->P.runs; ++i) c->P.run[i].path = 1;
    G->unit = 1;
    G->metres = G->slack = c->L;
    G->dual = c->P.L/c->L;
    l.base = (unsigned char *)S->work;
    dci_growth_lay(G, c->P.m, c->P.ny, &l);
    dci_growth_middle(G, c->P.shape[0], c->P.shape[1]);
}

/* where the path begins: products of gamma and gap, of friction and slip, of the pair */
static void dci_ncp_path(dci_contact_nc *c, dc_real gap, dc_real slip, dc_real pair)
{
    int i;
    for (i = 0; i < c->heads; ++i) c->head[i].path = i == 0 ? gap : slip;
    for (i = 0; i < c->P.runs; ++i) c->P.run[i].path = pair;
}

/* ---- dynamics: a guess of the load -------------------------------------------------------------- */
/* The convex contact problem (Anitescu) with points, normals and gaps of the old poses:
 *
 *     M v = M v- + h (m g + f) + J^T Z,   S = J v + gap/(h mu),   Z o S = 0,   Z and S in their cones
 *
 * by Nesterov and Todd's predictor and corrector, in the body system of the step. It says how large impulses are, no more.
 *
 *     dci_load_begin   | problem                | Z, S, v      | start
 *     dci_load_factor  | Z, S                   | K, H, w, lam | K = M + J^T W^-2 J = L U
 *     dci_load_solve   | K, rc                  | dv, dZ, dS   | Newton's direction
 *     dci_load_estimate                                        | the iteration */

/* o = J v, and with `affine` gap/(h mu) */
DCI_LANE void dci_load_rows(const dc_ncp *S, const dci_contact_nc *c, const dci_load *g, const int D, const dc_real *v, int affine, dc_real *o)
{
    dc_real u[3] = DC_ZERO, t[3];
    int i, k;
    for (k = 0; k < 2; ++k) {
        int d = S->place[c->body[k]].dof;
        if (d < 0) continue;
        dci_ncp_wr(D, v + d + D, g->arm[k], t);
        for (i = 0; i < D; ++i) u[i] += (k ? -1 : 1)*(v[d + i] + t[i]);
    }
    o[0] = dci_ncp_dot(D, g->n, u) + (affine ? g->gap/S->scene.h : 0);
    if (!g->run.soc) return;
    o[0] /= c->mu;
    for (i = 1; i < D; ++i) o[i] = dci_ncp_dot(D, g->t[i - 1], u);
}

/* F += J^T Z */
DCI_LANE void dci_load_add(const dc_ncp *S, const dci_contact_nc *c, const dci_load *g, const int D, const dc_real *Z, dc_real *F)
{
    const int nw = D == 2 ? 1 : 3;
    dc_real f[3], t[3];
    int i, j, k;
    for (i = 0; i < D; ++i) {
        f[i] = g->n[i]*Z[0]/(g->run.soc ? c->mu : 1);
        for (j = 1; j < g->run.n; ++j) f[i] += g->t[j - 1][i]*Z[j];
    }
    for (k = 0; k < 2; ++k) {
        const dc_real sign = k ? DC_R(-1) : DC_R(1);
        int d = S->place[c->body[k]].dof;
        if (d < 0) continue;
        dci_ncp_rf(D, g->arm[k], f, t);
        for (i = 0; i < D; ++i) F[d + i] += sign*f[i];
        for (i = 0; i < nw; ++i) F[d + D + i] += sign*t[i];
    }
}

/* bodies move freely; impulses of the size that would stop them */
DCI_LANE void dci_load_begin(dc_ncp *S, const int D, dc_real *v)
{
    const int nw = D == 2 ? 1 : 3;
    int i, k;
    for (k = 0; k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        for (i = 0; b->dof >= 0 && i < D + nw; ++i) v[b->dof + i] = i < D ? b->rhs[i]/b->M : b->w0[i - D];
    }
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->C + k;
        dci_load *g = S->guess + k;
        const int cone = c->friction != DCI_NO_FRICTION;
        dc_real o[3] = DC_ZERO, slip = 0, speed = c->fastest;
        i = 0;
        dci_run_add(&g->run, &i, 0, cone ? D : 1, cone);
        dci_ncp_tangents(D, g->n, g->n[D - 1] < 0 ? DC_R(-1) : DC_R(1), g->t);
        dci_load_rows(S, c, g, D, v, 1, o);
        for (i = 1; i < g->run.n; ++i) slip += o[i]*o[i];
        g->Z[0] = (cone ? c->mu : 1)*g->unit;
        g->S[0] = dc_max(dc_max(o[0], speed), DC_R(1.5)*dc_sqrt(slip));
        for (i = 1; i < g->run.n; ++i) g->Z[i] = g->S[i] = 0;
        g->run.path = g->unit;
    }
}

DCI_LANE int dci_load_factor(dc_ncp *S, const int D)
{
    const int nw = D == 2 ? 1 : 3, nb = D + nw, n = S->n;
    int i, j, k, l, q, side;
    memset(S->K, 0, (size_t)(S->blocks*nb*nb)*sizeof(dc_real));
    for (k = 0; k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        dc_real *K;
        if (b->dof < 0) continue;
        K = S->K + S->slot[b->dof/nb*(n + 1)]*nb*nb;
        for (i = 0; i < D; ++i) K[i*nb + i] = b->M;
        for (i = 0; i < nw; ++i)
            for (j = 0; j < nw; ++j) K[(D + i)*nb + D + j] = b->In[i*nw + j];
    }
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->C + k;
        dci_load *g = S->guess + k;
        const int m = g->run.n;
        dc_real A[2][3][6];
        if (!dci_cone_scaling(1, &g->run, g->S, g->Z, g->w, g->lam)) return 0;
        if (g->run.soc) dci_ncp_cone_h(m, g->w, g->run.eta, g->H);
        else g->H[0] = g->Z[0]/g->S[0];
        for (side = 0; side < 2; ++side)                    /* rows of J */
            for (i = 0; i < m; ++i) {
                dc_real d[3], t[3];
                for (j = 0; j < D; ++j) d[j] = (side ? -1 : 1)*(i > 0 ? g->t[i - 1][j] : g->run.soc ? g->n[j]/c->mu : g->n[j]);
                dci_ncp_rf(D, g->arm[side], d, t);
                for (j = 0; j < nb; ++j) A[side][i][j] = j < D ? d[j] : t[j - D];
            }
        for (side = 0; side < 2; ++side) {
            int col = S->place[c->body[side]].dof;
            dc_real HA[3][6];
            if (col < 0) continue;
            for (i = 0; i < m; ++i)
                for (j = 0; j < nb; ++j) {
                    HA[i][j] = 0;
                    for (l = 0; l < m; ++l) HA[i][j] += g->H[i*m + l]*A[side][l][j];
                }
            for (l = 0; l < 2; ++l) {
                int row = S->place[c->body[l]].dof;
                dc_real *K;
                if (row < 0) continue;
                K = S->K + S->slot[row/nb*n + col/nb]*nb*nb;
                for (i = 0; i < nb; ++i)
                    for (j = 0; j < nb; ++j)
                        for (q = 0; q < m; ++q) K[i*nb + j] += A[l][q][i]*HA[q][j];
            }
        }
    }
    return dci_ncp_lu(S, nb);
}

/* k = W^-1 (lam \ rc) */
static void dci_load_back(const dci_load *g, dc_real *k)
{
    dci_cone_divide(1, &g->run, g->lam, g->rc, k);
    dci_cone_winv(1, &g->run, g->w, k, 1, k);
}

/* dS = J dv + (J v + gap/h - S), dZ = -H dS - k */
DCI_LANE void dci_load_solve(dc_ncp *S, const int D, const dc_real *v, dc_real *dv)
{
    const int nw = D == 2 ? 1 : 3;
    int i, j, k;
    for (k = 0; k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        if (b->dof < 0) continue;
        for (i = 0; i < D; ++i) dv[b->dof + i] = b->rhs[i] - b->M*v[b->dof + i];
        for (i = 0; i < nw; ++i) {
            dv[b->dof + D + i] = b->rhs[D + i];
            for (j = 0; j < nw; ++j) dv[b->dof + D + i] -= b->In[nw*i + j]*v[b->dof + D + j];
        }
    }
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_load *g = S->guess + k;
        dc_real o[3], y[3], back[3];
        dci_load_rows(S, S->C + k, g, D, v, 1, o);
        dci_load_back(g, back);
        for (i = 0; i < g->run.n; ++i) {
            y[i] = g->Z[i] - back[i];
            for (j = 0; j < g->run.n; ++j) y[i] -= g->H[i*g->run.n + j]*(o[j] - g->S[j]);
        }
        dci_load_add(S, S->C + k, g, D, y, dv);
    }
    dci_ncp_lu_solve(S, D + nw, dv);
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_load *g = S->guess + k;
        dc_real o[3], a[3], back[3];
        dci_load_rows(S, S->C + k, g, D, v, 1, o);
        dci_load_rows(S, S->C + k, g, D, dv, 0, a);
        dci_load_back(g, back);
        for (i = 0; i < g->run.n; ++i) g->dS[i] = a[i] + o[i] - g->S[i];
        for (i = 0; i < g->run.n; ++i) {
            g->dZ[i] = -back[i];
            for (j = 0; j < g->run.n; ++j) g->dZ[i] -= g->H[i*g->run.n + j]*g->dS[j];
        }
    }
}

/* the longest step of both cones' vectors */
static dc_real dci_load_length(const dc_ncp *S, dc_real most)
{
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_load *g = S->guess + k;
        most = dci_cone_step(1, &g->run, g->Z, g->dZ, dci_cone_step(1, &g->run, g->S, g->dS, most));
    }
    return most;
}

/* the mean product over `path` */
static dc_real dci_load_along(const dc_ncp *S, dc_real a)
{
    dc_real sum = 0;
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_load *g = S->guess + k;
        sum += dci_cone_along(1, &g->run, g->Z, g->S, 0, a, g->dZ, g->dS);
    }
    return sum/DC_R(S->scene.contacts);
}

/* Impulses in S->guess; velocities in v, dv is scratch. 0: none. */
DCI_LANE int dci_load_estimate(dc_ncp *S, const int D, dc_real *v, dc_real *dv)
{
    dc_real nu, first = 0, a, sigma, rest = 1, work[6];      /* rest: what is left of the first residual */
    int it, i, k;
    dci_load_begin(S, D, v);
    for (it = 0; it < DCI_LOAD_MOST; ++it) {
        nu = dci_load_along(S, 0);
        if (it == 0) first = nu;
        if (!(nu > DC_R(1e-6)*first && nu < DC_REAL_MAX) && rest < DC_R(1e-3)) return nu >= 0 && nu < DC_REAL_MAX;
        if (!dci_load_factor(S, D)) return 0;
        for (k = 0; k < S->scene.contacts; ++k) {
            dci_load *g = S->guess + k;
            dci_cone_rc(1, &g->run, g->w, g->lam, g->S, g->Z, 0, 0, 0, NULL, NULL, g->rc, work);
        }
        dci_load_solve(S, D, v, dv);
        a = dci_load_length(S, 1);
        sigma = dc_min(dc_max(dci_load_along(S, a)/nu, 0), 1);
        for (k = 0; k < S->scene.contacts; ++k) {
            dci_load *g = S->guess + k;
            dci_cone_rc(1, &g->run, g->w, g->lam, g->S, g->Z, sigma*sigma*sigma*nu, 0, a, g->dS, g->dZ, g->rc, work);
        }
        dci_load_solve(S, D, v, dv);
        a = dc_min(DC_R(0.95)*dci_load_length(S, 1/DC_R(0.95)), 1);
        rest *= 1 - a;
        for (i = 0; i < S->nv; ++i) v[i] += a*dv[i];
        for (k = 0; k < S->scene.contacts; ++k) {
            dci_load *g = S->guess + k;
            for (i = 0; i < g->run.n; ++i) {
                g->Z[i] += a*g->dZ[i];
                g->S[i] += a*g->dS[i];
            }
        }
    }
    return 1;
}
static DCI_NOINLINE int dci_load_estimate_2(dc_ncp *S, dc_real *v, dc_real *dv) { return dci_load_estimate(S, 2, v, dv); }
static DCI_NOINLINE int dci_load_estimate_3(dc_ncp *S, dc_real *v, dc_real *dv) { return dci_load_estimate(S, 3, v, dv); }

/* ---- dynamics: starts -------------------------------------------------------------------------- */

/* A cold start: products of the pairs over P.L; the slack of a gap and the slip, over what the bodies' speed leaves of a gap and that
 * speed, with `wide` no less than the pair's size and natural speed; the guessed impulse times `load`. Bodies begin at rest, with the
 * guessed velocities, or with those before the step. `test` as in dci_ncp_iterate. */
enum { DCI_FROM_REST, DCI_FROM_GUESS, DCI_FROM_BEFORE };
typedef struct { dc_real pair, gap, slip, load; int wide, from, test; } dci_ncp_start;

/* Start number k. The first are those that solve most of what was left by the ones before, found by trial on piles, wedges, throws and
 * heavy bodies on light ones; after them come evenly spread ones, each of which solves a few of a hundred of the rest. */
static dci_ncp_start dci_ncp_start_number(int k)
{
    static const dci_ncp_start first[] = {
        {DC_R(0.0123), DC_R(0.0647), DC_R(0.46), DC_R(0.573), 1, DCI_FROM_REST, 1},
        {DC_R(0.000587), DC_R(0.0393), DC_R(0.52), DC_R(2.23), 1, DCI_FROM_GUESS, 0},
        {DC_R(0.384), DC_R(1.61), DC_R(3.38), DC_R(8.26), 0, DCI_FROM_REST, 0},
        {DC_R(8.57e-05), DC_R(0.00182), DC_R(0.0508), DC_R(4.79), 1, DCI_FROM_BEFORE, 0},
        {DC_R(0.256), DC_R(0.163), DC_R(0.0361), DC_R(0.491), 1, DCI_FROM_REST, 0},
        {DC_R(0.00107), DC_R(0.734), DC_R(3.16), DC_R(2.12), 1, DCI_FROM_REST, 1},
        {DC_R(0.00152), DC_R(0.159), DC_R(0.0228), DC_R(5.02), 0, DCI_FROM_BEFORE, 0},
        {DC_R(0.0268), DC_R(0.0272), DC_R(0.496), DC_R(0.0951), 0, DCI_FROM_REST, 0},
        {DC_R(0.000416), DC_R(0.0631), DC_R(0.129), DC_R(1.99), 1, DCI_FROM_GUESS, 0},
        {DC_R(0.0104), DC_R(0.0139), DC_R(0.117), DC_R(0.386), 0, DCI_FROM_GUESS, 0},
        {DC_R(0.00547), DC_R(0.193), DC_R(0.293), DC_R(1.12), 0, DCI_FROM_REST, 0}};
    static const dc_real least[4] = {DC_R(3e-5), DC_R(1e-3), DC_R(1e-3), DC_R(0.02)}, decades[4] = {DC_R(4.5), DC_R(3.3), DC_R(3.9), 3};
    static const dc_real stride[4] = {DC_R(0.8566749), DC_R(0.7338919), DC_R(0.6287067), DC_R(0.5385973)};   /* powers of the root of x^5 = x + 1 */
    const int n = (int)(sizeof first/sizeof *first);
    dci_ncp_start start;
    dc_real size[4];
    int i;
    if (k < n) return first[k];

    k -= n;
    for (i = 0; i < 4; ++i) {
        dc_real u = DC_R(k)*stride[i];
        u -= DC_R((int)u);
        size[i] = least[i]*dc_exp(DC_R(2.302585093)*decades[i]*u);
    }
    start.pair = size[0];
    start.gap = size[1];
    start.slip = size[2];
    start.load = size[3];
    start.wide = k%2;
    start.from = k%3;
    start.test = k%5 == 0;
    return start;
}

/* The largest speed at the contact that the bodies would have without it, and no less than what the acceleration gives in a step */
static void dci_ncp_speed(const dc_ncp *S, dci_contact_nc *c, const dci_growth *G)
{
    int i, k;
    c->fastest = c->impulse_rate;
    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        dc_real v = 0, w = 0, arm = 0;
        if (b->dof < 0) continue;
        for (i = 0; i < S->D; ++i) {
            v = dc_max(v, dc_abs(b->rhs[i])/b->M);
            arm = dc_max(arm, dc_abs(G->centre[k][i] - b->x0[i]));
        }
        for (i = 0; i < S->nb - S->D; ++i) w = dc_max(w, dc_abs(b->w0[i]));
        c->fastest = dc_max(c->fastest, v + w*arm);
    }
}

/* Products of a pair at a start: of shapes that move by more than their size in a step, in the same measure larger */
static dc_real dci_ncp_products(const dc_ncp *S, const dci_contact_nc *c, const dci_ncp_start *start)
{
    return dc_max(start->pair*c->P.L*dc_max(1, 3*S->scene.h*c->fastest/c->L), S->rho*c->length);
}

/* Dual and slack number i of friction and spin for an impulse and a speed: the multipliers psi are speeds themselves. */
static void dci_ncp_sizes(const dci_contact_nc *c, int i, dc_real impulse, dc_real speed, dc_real *z, dc_real *s)
{
    const int spin = c->spin && i >= c->spin, psi = spin ? i == c->spin : c->friction != DCI_CONE && i == 1;
    const dc_real arm = spin ? c->mus : 1;
    *z = psi ? speed/arm : impulse*arm;
    *s = psi ? impulse*arm : speed/arm;
}

/* Pairs at the central point of their growth problem at the old poses: the first normals are then right. Impulses as guessed. */
static DCI_NOINLINE void dci_ncp_cold(dc_ncp *S, const dci_ncp_start *start, int first)
{
    const dc_real h = S->scene.h;
    int i, k, D = S->D;
    for (i = 0; i < S->nx; ++i) S->x[i] = 0;
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->C + k;
        dci_pair_nc *P = &c->P;
        dci_load *g = S->guess + k;
        dc_real *z = S->z + c->oz + c->lam, *s = S->s + c->oz + c->lam, *y = S->x + c->oy, len;
        dc_real products;
        dci_growth G;
        dc_growth_result r;
        c->sg = 0;
        dci_ncp_growth(S, c, 0, &G);
        if (!S->guessed) dci_ncp_speed(S, c, &G);
        products = dci_ncp_products(S, c, start);
        g->unit = c->impulse*c->fastest/c->impulse_rate;
        if (dci_growth_solve(&G, products, 1, 30, &r) != DC_OK) dci_growth_start(&G);
        for (i = 0; i < P->ny; ++i) y[i] = G.y[i];
        for (i = 0; i < P->m; ++i) {
            z[i] = G.z[i];
            s[i] = G.s[i];
        }
        if (S->guessed || S->scene.contacts == 1) continue;

        /* the geometry of shapes that are nearly hard */
        dci_growth_go_on(&G, DC_R(1e-4)*P->L, 1, 20, &r);
        len = dc_sqrt(dci_ncp_dot(D, P->u[0], P->u[0]));
        for (i = 0; i < D; ++i) {
            g->n[i] = len > 0 ? -P->u[0][i]/len : 0;
            g->arm[0][i] = P->r[0][i];
            g->arm[1][i] = P->r[1][i];
        }
        /* what relaxing adds to the growth is taken off by Newton's step to none */
        dci_cone_rc(P->runs, P->run, P->w, P->lam, G.s, G.z, 0, 0, 0, NULL, NULL, G.rc, G.t1);
        dci_growth_direction(&G, G.dya, G.dsa, G.dza);
        g->gap = len > 0 ? (G.y[D] + dc_min(G.dya[D], 0) - 1 - c->bounce/c->L)*P->L/len : 1;
    }
    if (!S->guessed && S->scene.contacts > 1) S->guessed = (D == 2 ? dci_load_estimate_2(S, S->guess_v, S->dx) : dci_load_estimate_3(S, S->guess_v, S->dx)) ? 1 : -1;
    for (i = 0; start->from == DCI_FROM_GUESS && S->guessed > 0 && i < S->nv; ++i) S->x[i] = S->guess_v[i];
    for (k = 0; start->from == DCI_FROM_BEFORE && k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        for (i = 0; b->dof >= 0 && i < S->nb; ++i) S->x[b->dof + i] = i < D ? b->v0[i] : b->w0[i - D];
    }
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->C + k;
        const dci_load *g = S->guess + k;
        const dc_real speed = c->fastest, least = S->guessed > 0 && first ? c->impulse : g->unit;
        const dc_real U = start->load*(S->guessed > 0 ? dc_max(g->Z[0]/(g->run.soc ? c->mu : 1), least) : least);
        dc_real *z = S->z + c->oz, *s = S->s + c->oz;
        const dc_real slack = start->gap*(start->wide ? dc_max(c->L, h*speed) : h*speed), slip = start->slip*(start->wide ? dc_max(c->speed, speed) : speed);
        dci_ncp_path(c, U*slack, U*slip, dci_ncp_products(S, c, start));
        s[0] = dc_max(c->L*(S->x[c->oy + D] - 1) - c->bounce, slack);
        z[0] = c->head[0].path/s[0];
        for (i = 1; i < c->lam; ++i) dci_ncp_sizes(c, i, U, slip, z + i, s + i);
        if (c->friction == DCI_CONE) {
            z[1] = c->mu*U;
            s[1] = c->head[1].path/z[1];
            for (i = 2; i < 2 + D; ++i) z[i] = s[i] = 0;
        }
    }
}

/* Bodies that no contact holds: Newton on their own rows, to rounding. */
static DCI_NOINLINE void dci_ncp_free(dc_ncp *S)
{
    int i, j, it, D = S->D, nb = S->nb;
    for (i = 0; i < S->scene.bodies; ++i) {
        dci_ncp_place *b = S->place + i;
        dc_real *v, *F;
        if (b->dof < 0 || b->held) continue;
        v = S->x + b->dof;
        F = S->Fx + b->dof;
        for (j = 0; j < D; ++j) v[j] = b->rhs[j]/b->M;
        for (j = D; j < nb; ++j) v[j] = b->w0[j - D];
        for (it = 0; it < 20; ++it) {
            dc_real A[9], most = 0, size = 0;
            int piv[3];
            dci_ncp_body_eval(S, b, v);
            for (j = D; j < nb; ++j) {
                most = dc_max(most, dc_abs(F[j]));
                size = dc_max(size, dc_abs(b->rhs[j]));
            }
            if (most <= 2*DC_EPS*size) break;
            memcpy(A, b->D, sizeof A);
            if (!(D == 2 ? dci_ncp_block_lu(1, A, piv) : dci_ncp_block_lu(3, A, piv))) break;
            if (D == 2) dci_ncp_block_solve(1, A, piv, F + D, 1);
            else dci_ncp_block_solve(3, A, piv, F + D, 1);
            for (j = D; j < nb; ++j) v[j] -= F[j];
        }
    }
}

/* The transpose of the pair's lower level at the poses of its last evaluation: cotangents r[k] of p - x, u[k] of R A^T lam and
 * `alpha` go to those of the bodies' places, xbar and tbar (side by side, added), to the shapes' numbers (NULL where not wanted),
 * to the weight L of alpha, and to the natural unit of the products at the end. */
DCI_LANE void dci_ncp_pair_vjp(const dc_ncp *S, dci_contact_nc *c, const int D, const dc_real *y, const dc_real *lam, const dc_real *const R[2],
                               dc_real r[2][3], dc_real u[2][3], dc_real alpha, dc_real xbar[2][3], dc_real tbar[2][3],
                               dc_shape_grad *const g[2], dc_real *weight, dc_real *end)
{
    dci_pair_nc *P = &c->P;
    const int nw = D == 2 ? 1 : 3;
    dc_real *r1 = S->cotangent, *r2 = r1 + P->ny, *Y = r2 + P->m, *Lam = Y + P->ny, *e = Lam + P->m, t[3], q[3];
    int i, j, k;

    /* the symmetric system (*) is its own transpose */
    for (i = 0; i < P->ny; ++i) r1[i] = i < D ? r[0][i] + r[1][i] : 0;
    r1[D] = alpha;
    for (i = 0; i < P->m; ++i) {
        k = i >= P->m0;
        r2[i] = 0;
        for (j = 0; j < D; ++j) r2[i] -= P->G[i*P->ny + j]*u[k][j];
    }
    dci_pnc_solve(P, r1, r2, Y, Lam);

    /* places and shapes */
    for (k = 0; k < 2; ++k) {
        dc_real v[3] = DC_ZERO;
        for (i = k ? P->m0 : 0; i < (k ? P->m : P->m0); ++i)
            for (j = 0; j < D; ++j) v[j] += P->G[i*P->ny + j]*Lam[i];
        dci_ncp_rf(D, P->u[k], u[k], t);
        for (i = 0; i < nw; ++i) tbar[k][i] += t[i];
        dci_ncp_rf(D, P->r[k], v, t);
        dci_ncp_rf(D, P->u[k], Y, q);
        for (i = 0; i < D; ++i) xbar[k][i] += v[i] - r[k][i];
        for (i = 0; i < nw; ++i) tbar[k][i] += t[i] + q[i];
        if (g[k]) dci_pnc_shape_vjp(P, k, 1, R[k], y, lam, Y, Lam, u[k], g[k]);
    }
    *weight = Y[D];

    /* s o lam = rho end e */
    *end = 0;
    for (i = 0; i < P->m; ++i) e[i] = 0;
    dci_cone_unit(P->runs, P->run, e);
    dci_cone_divide(P->runs, P->run, P->lam, e, r2);
    dci_cone_w(P->runs, P->run, P->w, r2, r2);
    for (i = 0; i < P->m; ++i) *end += Lam[i]*r2[i];
}

/* Contacts with restitution e that close within the step bounce: with c the rate of L alpha before it and g = L (alpha - 1), they
 * are to end at least at
 *
 *     e h |c| + min(g, 8 e h |c|)
 *
 * so that they part with e |c| (for e < 1/8 with less, down to none at e = 0), and nothing overlaps. */
typedef struct {
    dc_real rate, gap, rise;                        /* c, g, e h |c| */
    dc_real by_rate, by_gap, by_e;                  /* derivatives of the bounce by c, g, e; at e = 0 from above */
} dci_bounce;

/* The growth problem at the old poses; 0: the contact does not bounce. */
static int dci_ncp_bounce_solve(dc_ncp *S, dci_contact_nc *c, dci_growth *G, dci_bounce *B)
{
    const dc_real h = S->scene.h;
    const int D = S->D;
    dc_growth_result r;
    dc_real by_rise;
    int i, k;
    dci_ncp_growth(S, c, 0, G);
    if (dci_growth_solve(G, (DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-8))*c->L, 0, 60, &r) != DC_OK) return 0;
    B->rate = 0;
    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        dc_real v[3];
        dci_ncp_wr(D, b->w0, c->P.r[k], v);
        for (i = 0; i < D; ++i) B->rate -= c->P.u[k][i]*(v[i] + b->v0[i])*c->L/c->P.L;
    }
    B->gap = c->L*(G->y[D] - 1);
    B->rise = -c->e*h*B->rate;
    if (!(B->rate < 0 && B->gap + h*B->rate < 0 && B->gap + B->rise > 0)) return 0;
    by_rise = B->gap < 8*B->rise ? 1 : 9;
    B->by_gap = DC_R(B->gap < 8*B->rise);
    B->by_rate = -c->e*h*by_rise;
    B->by_e = -h*B->rate*by_rise;
    return 1;
}

/* bar times the derivatives of the bounce: by (side by side, may be NULL) twists and velocities at the start, the shapes' numbers */
static void dci_ncp_bounce_vjp(const dc_ncp *S, dci_contact_nc *c, const int D, const dci_growth *G, const dci_bounce *B, dc_real bar,
                               dc_real by[2][12], dc_shape_grad *const shape[2])
{
    const dc_real *const R[2] = {S->place[c->body[0]].R0, S->place[c->body[1]].R0};
    const dc_real rate = -bar*B->by_rate*c->L/c->P.L;
    dc_real r[2][3], u[2][3], x[2][3] = {{0, 0, 0}, {0, 0, 0}}, t[2][3] = {{0, 0, 0}, {0, 0, 0}}, turn[3] = DC_ZERO, weight, end;
    int i, k;
    for (k = 0; k < 2; ++k) {                       /* c = -(L/P.L) sum u . (v + w x r) */
        const dci_ncp_place *b = S->place + c->body[k];
        dci_ncp_wr(D, b->w0, c->P.r[k], u[k]);
        dci_ncp_wr(D, b->w0, c->P.u[k], r[k]);
        for (i = 0; i < D; ++i) {
            u[k][i] = rate*(u[k][i] + b->v0[i]);
            r[k][i] = -rate*r[k][i];
        }
    }
    dci_ncp_pair_vjp(S, c, D, G->y, G->z, R, r, u, c->L*bar*B->by_gap, x, t, shape, &weight, &end);
    for (k = 0; k < 2; ++k) {
        if (shape[k]) shape[k]->size += bar*B->by_gap*(G->y[D] - 1) + weight*c->P.L/c->L;
        if (!by) continue;
        dci_ncp_rf(D, c->P.r[k], c->P.u[k], turn);
        for (i = 0; i < 3; ++i) {
            by[k][i] = x[k][i];
            by[k][3 + i] = t[k][i];
            by[k][6 + i] = i < D ? rate*c->P.u[k][i] : 0;
            by[k][9 + i] = i < (D == 2 ? 1 : 3) ? rate*turn[i] : 0;
        }
    }
}

static DCI_NOINLINE void dci_ncp_bounces(dc_ncp *S)
{
    static dc_shape_grad *const none[2] = {NULL, NULL};
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->C + k;
        dci_growth G;
        dci_bounce B;
        c->bounce = c->bounce_by_e = 0;
        if (!(c->e > 0) || !dci_ncp_bounce_solve(S, c, &G, &B)) continue;
        c->bounce = B.rise + dc_min(B.gap, 8*B.rise);
        c->bounce_by_e = B.by_e;
        c->bounce_by_h = B.by_rate*B.rate/S->scene.h;
        dci_ncp_bounce_vjp(S, c, S->D, &G, &B, 1, c->bounce_by, none);
    }
}

/* What contacts without restitution would bounce by it: the derivative from above, which a fit that starts at none needs. */
static DCI_NOINLINE void dci_ncp_bounce_slopes(dc_ncp *S)
{
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_growth G;
        dci_bounce B;
        if (S->C[k].e > 0 || !dci_ncp_bounce_solve(S, S->C + k, &G, &B)) continue;
        S->C[k].bounce_by_e = B.by_e;
    }
}

/* The warm start: the kept solution of every contact, moved with the velocities of the bodies, and pushed off the boundary by
 * as much as the equations are off: nothing in the same state again, much at an impact. 0 when a contact has none. */
static DCI_NOINLINE int dci_ncp_warm(dc_ncp *S)
{
    int i, j, k;
    dc_real eq, cp, push;
    for (k = 0; k < S->scene.contacts; ++k) {
        const dc_real *keep = S->scene.contact[k].keep;
        dci_contact_nc *c = S->C + k;
        if (!keep || !(keep[0] > 0) || !dci_all_in_limit(keep, DCI_KEEP_HEAD + c->P.ny + 2*c->nz)) return 0;
        keep += DCI_KEEP_HEAD;
        memcpy(S->x + c->oy, keep, (size_t)c->P.ny*sizeof(dc_real));
        memcpy(S->z + c->oz, keep + c->P.ny, (size_t)c->nz*sizeof(dc_real));
        memcpy(S->s + c->oz, keep + c->P.ny + c->nz, (size_t)c->nz*sizeof(dc_real));
        dci_ncp_path(c, c->head[0].end, c->impulse*c->speed, c->length);
    }
    for (i = 0; i < S->scene.bodies; ++i) {
        const dci_ncp_place *b = S->place + i;
        if (b->dof < 0) continue;
        for (j = 0; j < S->D; ++j) S->x[b->dof + j] = b->v0[j];
        for (j = 0; j < S->nb - S->D; ++j) S->x[b->dof + S->D + j] = b->w0[j];
    }
    dci_ncp_free(S);
    dci_ncp_eval(S, S->x, S->z, S->s, &eq, &cp);
    push = dc_max(dc_min(DC_R(0.007)*eq, DC_R(0.1)), S->rho);
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->C + k;
        dc_real *z = S->z + c->oz, *s = S->s + c->oz;
        if (!dci_cone_push(1, c->head, push*c->impulse, push*c->length, z, s)) return 0;
        for (i = 1; i < c->lam; ++i) {
            dc_real dz, ds;
            if (c->friction == DCI_CONE && i > 1 && i < 2 + S->D) continue;
            dci_ncp_sizes(c, i, push*c->impulse, push*c->speed, &dz, &ds);
            if (!(z[i] > 0 && s[i] > 0)) return 0;
            z[i] += dz;
            s[i] += ds;
        }
        if (!dci_cone_push(c->P.runs, c->P.run, push, push*c->length, z + c->lam, s + c->lam)) return 0;
    }
    return 1;
}

static void dci_ncp_remember(const dc_ncp *S, int valid)
{
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        dc_real *keep = S->scene.contact[k].keep;
        const dci_contact_nc *c = S->C + k;
        if (!keep) continue;
        keep[0] = DC_R(valid);
        memcpy(keep + DCI_KEEP_HEAD, S->x + c->oy, (size_t)c->P.ny*sizeof(dc_real));
        memcpy(keep + DCI_KEEP_HEAD + c->P.ny, S->z + c->oz, (size_t)c->nz*sizeof(dc_real));
        memcpy(keep + DCI_KEEP_HEAD + c->P.ny + c->nz, S->s + c->oz, (size_t)c->nz*sizeof(dc_real));
    }
}

/* From one after the other, until one is solved. */
static DCI_NOINLINE dc_status dci_ncp_cold_solve(dc_ncp *S, dc_ncp_info *info)
{
    dc_status st = DC_E_DIVERGED;
    dc_real least = DC_REAL_MAX;
    int i, k, spent = 0;
    for (k = 0; k < DCI_STARTS && (k == 0 || spent < S->most); ++k) {
        const dci_ncp_start start = dci_ncp_start_number(k);
        dc_ncp_info in = DC_ZERO;
        int most = k == 0 ? 50 : 60;
        if (most > S->most - spent) most = S->most - spent;
        dci_ncp_cold(S, &start, k == 0);
        dci_ncp_free(S);
        st = dci_ncp_iterate(S, most, start.test, &in);
        spent += in.iterations;
        if (st == DC_OK || in.residual <= least) {
            least = in.residual;
            *info = in;
            for (i = 0; i < S->nv; ++i) S->best[i] = S->x[i];
        }
        info->iterations = spent;
        if (st == DC_OK) return st;
    }
    for (i = 0; i < S->nv; ++i) S->x[i] = S->best[i];
    return st;
}

/* By weak duality the growth at rho = 0 is at least alpha - lam.s/L, and moving a by d along n raises it by d |u|/L or more. */
static void dci_ncp_overlap(const dc_ncp *S, dc_ncp_info *info)
{
    int k, i, D = S->D;
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->C + k;
        const dci_pair_nc *P = &c->P;
        const dc_real *z = S->z + c->oz + c->lam, *s = S->s + c->oz + c->lam;
        dc_real over = 1 - S->x[c->oy + D], len = dc_sqrt(dci_ncp_dot(D, P->u[0], P->u[0]));
        for (i = 0; i < P->m; ++i) over += z[i]*s[i]/P->L;
        info->overlap = dc_max(info->overlap, over);
        if (len > 0) info->depth = dc_max(info->depth, over*P->L/len);

        /* hover of one that pushes, creep of one that sticks: by a tenth of the natural unit, with a tenth of its friction left */
        if (len > 0 && c->gamma > DC_R(0.1)*c->impulse) {
            dc_real slip = 0, f = 0;
            info->hover = dc_max(info->hover, (S->x[c->oy + D] - 1 - c->bounce/c->L)*P->L/len);
            for (i = 0; i < c->nt; ++i) {
                const dc_real *sc = S->s + c->oz;
                const dc_real w = c->friction == DCI_CONE ? sc[2 + i] : (sc[2 + 2*i] - sc[3 + 2*i])/2;
                slip += w*w;
                f += c->f[i]*c->f[i];
            }
            if (f < DC_R(0.81)*c->mu*c->mu*c->gamma*c->gamma) info->creep = dc_max(info->creep, dc_sqrt(slip));
        }
    }
}

/* Writes the bodies at S->x. */
static DCI_NOINLINE void dci_ncp_write(const dc_ncp *S, dc_ncp_body *next)
{
    int i;
    for (i = 0; i < S->scene.bodies; ++i) {
        const dc_real *v;
        dc_real xi[6] = DC_ZERO, h = S->scene.h;
        next[i] = S->scene.body[i];
        if (S->place[i].dof < 0) continue;
        v = S->x + S->place[i].dof;
        next[i].v.x = v[0];
        next[i].v.y = v[1];
        if (S->D == 2) next[i].w.z = v[2];
        else {
            next[i].v.z = v[2];
            next[i].w = dc_vec(v[3], v[4], v[5]);
            xi[2] = h*v[2];
            xi[3] = h*v[3];
            xi[4] = h*v[4];
        }
        xi[0] = h*v[0];
        xi[1] = h*v[1];
        xi[5] = S->D == 2 ? h*v[2] : h*v[5];
        next[i].pose = dc_pose_retract(S->scene.body[i].pose, xi);
    }
}

DC_DEF dc_status dc_ncp_step(const dc_ncp_options *opt, const dc_ncp_scene *scene, dc_arena *mem, dc_ncp_body *next,
                             dc_ncp **solution, dc_ncp_info *info)
{
    dc_ncp *S = NULL;
    dc_ncp_info in = DC_ZERO;
    dc_status st;
    size_t used;
    if (!mem || dc_ncp_flaw(opt, scene, NULL) != DC_OK || (scene->bodies > 0 && !next)) return DC_E_ARG;
    used = mem->used;
    st = dci_ncp_make(opt, scene, mem, &S);
    if (st != DC_OK) {
        mem->used = used;
        return st;
    }
    dci_ncp_bounces(S);
    st = DC_E_DIVERGED;
    if (S->scene.contacts > 0 && dci_ncp_warm(S)) {
        st = dci_ncp_iterate(S, S->most < 15 ? S->most : 15, 1, &in);
        in.warm = st == DC_OK;
    }
    if (st != DC_OK) {
        dc_ncp_info cold = DC_ZERO;
        S->most -= in.iterations;
        st = dci_ncp_cold_solve(S, &cold);
        cold.iterations += in.iterations;
        in = cold;
    }
    S->status = st;
    dci_ncp_remember(S, st == DC_OK);
    dci_ncp_overlap(S, &in);
    dci_ncp_write(S, next);
    if (info) *info = in;
    if (solution) *solution = S;
    else mem->used = used;
    return st;
}

/* ---- derivatives of a step ----------------------------------------------------------------------- */
/* With v the only unknown left, F(v; theta) = 0 has the Jacobian K of the last factor, and for a cotangent g of v (SILICO Eq. 4)
 *
 *     thetabar = -a . dF/dtheta,   K^T a = g
 *
 * F: momentum rows minus the contacts' wrenches, these with everything of the contact eliminated at fixed v. Below, each
 * statement is the transpose of one of dci_ncp_chain; xbar names the cotangent of x. */
/* The natural units by what they are made of: cotangents of the products gap, slip, pair at the end */
static void dci_ncp_units_vjp(const dc_ncp *S, const dci_contact_nc *c, const dc_real bar[3], dc_real *cbar, dc_real *scene, dci_ncp_place *place,
                              dc_shape_grad *const g[2])
{
    const dc_real h = S->scene.h, a = c->impulse_rate/h, U = c->impulse, V = c->speed, length = c->length;
    const dc_real gap = c->head[0].end/U, Ub = bar[0]*gap + bar[1]*V, Vb = bar[1]*U, ab = Ub*U/a + Vb*V/(2*a);
    const dc_real gravity[3] = {S->scene.gravity.x, S->scene.gravity.y, S->scene.gravity.z};
    dc_real lb = bar[0]*U*gap/length + bar[2] + Vb*V/(2*length), hb = Ub*U/h, inv = 0;
    int i;
    if (!(S->acceleration > 0)) {                           /* length/(100 h^2) */
        lb += ab*a/length;
        hb -= 2*ab*a/h;
    } else if (!(S->opt.acceleration > 0) && scene)
        for (i = 0; i < S->D; ++i) scene[i] += ab*gravity[i]/a;
    if (cbar) cbar[0] -= bar[0]*U*gap*c->mu/(1 + c->mu*c->mu);
    if (scene) scene[3] += hb;
    for (i = 0; i < 2; ++i) if (place[c->body[i]].dof >= 0) inv += 1/place[c->body[i]].M;
    for (i = 0; i < 2; ++i) {
        dci_ncp_place *b = place + c->body[i];
        const dc_real size = c->P.shape[i]->size, other = c->P.shape[1 - i]->size;
        if (b->dof >= 0) b->massbar += Ub*U/(inv*b->M*b->M);
        if (g[i] && size > 0) g[i]->size += other > 0 ? lb*length*length/(size*size) : lb;
    }
}

/* Friction and spin by the natural unit of their products: f and m are cotangents of their impulses */
DCI_LANE dc_real dci_ncp_slip_vjp(const dc_ncp *S, const dci_contact_nc *c, const int D, const dc_real *f, dc_real m)
{
    const dc_real *z = S->z + c->oz, *s = S->s + c->oz;
    dc_real none[5] = DC_ZERO, rc[5] = DC_ZERO, k[4], kc[3], psi, sum = 0;
    int i;
    if (c->friction == DCI_CONE) {
        rc[0] = -S->rho;
        dci_soc_divide(1 + D, c->flam + 1, rc, k);
        dci_soc_winv(1 + D, c->fw + 1, c->head[1].eta, k, 1, k);
        for (i = 0; i < D; ++i) sum += f[i]*(c->dlt[i]*k[0]/c->den - k[1 + i]);
    } else if (c->friction != DCI_NO_FRICTION) {
        for (i = 0; i < 5; ++i) rc[i] = -S->rho;
        dci_ncp_law_const(c->nt, z + 1, s + 1, none, rc, c->dlt, c->den, kc, &psi);
        for (i = 0; i < c->nt; ++i) sum += f[i]*kc[i];
    }
    if (c->spin) {
        for (i = 0; i < 5; ++i) rc[i] = -S->rho;
        dci_ncp_law_const(1, z + c->spin, s + c->spin, none, rc, &c->dlts, c->dens, kc, &psi);
        sum += m*kc[0];
    }
    return sum;
}

/* The bounce by the shapes' numbers, times bar: the growth problem at the old poses again, and the contact's factor after it. */
DCI_LANE void dci_ncp_bounce_shape_vjp(dc_ncp *S, dci_contact_nc *c, const int D, dc_real bar, dc_shape_grad *const shape[2])
{
    dci_bounce B;
    dci_growth G;
    if (!dci_ncp_bounce_solve(S, c, &G, &B)) return;
    dci_ncp_bounce_vjp(S, c, D, &G, &B, bar, NULL, shape);
    dci_ncp_contact_eval(S, c, D, S->x, S->z, S->s);
    dci_ncp_contact_factor(S, c, D);
}

DCI_LANE void dci_ncp_contact_vjp(dc_ncp *S, dci_contact_nc *c, const int D, const dc_real *a, dc_real *cbar, dc_real *scene,
                                  dc_shape_grad *ga, dc_shape_grad *gb)
{
    dci_pair_nc *P = &c->P;
    const int nw = D == 2 ? 1 : 3;
    const dc_real *y = S->x + c->oy, *z = S->z + c->oz;
    dc_real n[2][3] = {{0, 0, 0}, {0, 0, 0}}, r[2][3] = {{0, 0, 0}, {0, 0, 0}}, u[2][3], f[3] = DC_ZERO, w[3] = DC_ZERO, t[3], q[3], m = 0;
    const dc_real *const R[2] = {S->place[c->body[0]].R, S->place[c->body[1]].R};
    dc_shape_grad *const shape[2] = {ga, gb};
    dc_real xbar[2][3] = {{0, 0, 0}, {0, 0, 0}}, tbar[2][3] = {{0, 0, 0}, {0, 0, 0}}, endbar[3];
    dc_real ws, g = 0, L, weight;
    int i, j, k;
    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        const dc_real sign = k ? DC_R(-1) : DC_R(1), *M;
        if (b->dof < 0) continue;
        M = a + b->dof + D;
        dci_ncp_wr(D, M, P->r[k], t);                       /* F and r of the wrench (F, r x F + n m) */
        for (i = 0; i < D; ++i) t[i] += a[b->dof + i];
        dci_ncp_wr(D, M, c->F[k], r[k]);
        for (i = 0; i < D; ++i) r[k][i] = -r[k][i];
        if (c->spin) {
            for (i = 0; i < 3; ++i) n[k][i] += sign*M[i]*c->m;
            m += sign*dci_ncp_dot(3, M, c->n[k]);
        }
        for (i = 0; i < D; ++i) {                           /* F = n gamma + T f */
            dc_real e[3] = DC_ZERO;
            e[i] = 1;
            dci_ncp_dtf(D, c, k, e, c->f, q);
            n[k][i] += sign*(c->gamma*t[i] + dci_ncp_dot(D, q, t));
        }
        g += sign*dci_ncp_dot(D, c->n[k], t);
        dci_ncp_tv(D, c, k, t, q);
        for (i = 0; i < c->nt; ++i) f[i] += sign*q[i];
    }
    /* friction laws */
    for (i = 0; i < c->nt; ++i) {
        g += c->kap[i]*f[i];
        if (cbar) cbar[0] += c->kap[i]*f[i]*c->gamma/c->mu;
        for (j = 0; j < c->nt; ++j) w[j] -= c->Kv[i*c->nt + j]*f[i];
    }
    ws = c->spin ? -c->kvs*m : 0;
    if (c->spin) {
        g += c->kaps*m;
        if (cbar) cbar[1] += c->kaps*m*c->gamma/c->mus;
    }
    endbar[1] = dci_ncp_slip_vjp(S, c, D, f, m);

    /* gamma: s = L (alpha - 1) - bounce */
    endbar[0] = S->rho*g/S->s[c->oz];
    g *= -c->wg;
    L = g*(y[D] - 1);
    for (k = 0; k < 2; ++k) {
        dci_ncp_place *b = S->place + c->body[k];
        const dc_real sign = k ? DC_R(-1) : DC_R(1);
        dc_real vp[3], nn;
        dci_ncp_tf(D, c, k, w, vp);
        for (i = 0; i < D; ++i) {
            dc_real e[3] = DC_ZERO, tv[3] = DC_ZERO;
            e[i] = 1;
            vp[i] *= sign;
            dci_ncp_dtv(D, c, k, e, c->vp[k], tv);
            for (j = 0; j < c->nt; ++j) n[k][i] += sign*tv[j]*w[j];
            if (c->spin) n[k][i] += sign*b->w[i]*ws;
        }
        dci_ncp_wr(D, b->w, vp, t);
        for (i = 0; i < D; ++i) r[k][i] -= t[i];
        nn = dci_ncp_dot(D, c->n[k], n[k])*c->kk[k];
        for (i = 0; i < D; ++i) u[k][i] = -sign*(c->inv[k]*n[k][i] - nn*c->n[k][i]);
    }

    /* the pair */
    dci_ncp_pair_vjp(S, c, D, y, z + c->lam, R, r, u, c->L*g, xbar, tbar, shape, &weight, &endbar[2]);
    endbar[2] *= S->rho;
    for (k = 0; k < 2; ++k) {
        dci_ncp_place *b = S->place + c->body[k];
        for (i = 0; i < D; ++i) b->xbar[i] += xbar[k][i];
        for (i = 0; i < nw; ++i) b->tbar[i] += tbar[k][i];
        if (shape[k]) shape[k]->size += L + weight*P->L/c->L;
    }
    dci_ncp_units_vjp(S, c, endbar, cbar, scene, S->place, shape);

    /* the bounce */
    if (cbar) cbar[2] -= g*c->bounce_by_e;
    if (!(c->bounce > 0)) return;
    for (k = 0; k < 2; ++k) {
        dci_ncp_place *b = S->place + c->body[k];
        for (i = 0; i < D; ++i) {
            b->x0bar[i] -= g*c->bounce_by[k][i];
            b->v0bar[i] -= g*c->bounce_by[k][6 + i];
        }
        for (i = 0; i < nw; ++i) {
            b->t0bar[i] -= g*c->bounce_by[k][3 + i];
            b->w0bar[i] -= g*c->bounce_by[k][9 + i];
        }
    }
    if (scene) scene[3] -= g*c->bounce_by_h;
    if (ga || gb) dci_ncp_bounce_shape_vjp(S, c, D, -g, shape);
}

/* Momentum rows of a body, a its part of the adjoint; then what the contacts left in xbar, tbar */
static void dci_ncp_body_vjp(const dc_ncp *S, dci_ncp_place *b, const dc_ncp_body *body, const dc_real *a, dc_real *out, dc_real *scene)
{
    const int D = S->D;
    const dc_real h = S->scene.h;
    dc_real g[3], f[6], E[9], hbar = 0;
    int i, j;
    g[0] = S->scene.gravity.x;
    g[1] = S->scene.gravity.y;
    g[2] = S->scene.gravity.z;
    f[0] = body->force.x;
    f[1] = body->force.y;
    f[2] = body->force.z;
    f[3] = body->torque.x;
    f[4] = body->torque.y;
    f[5] = body->torque.z;
    for (i = 0; i < D; ++i) {
        if (a) {
            if (out) {
                out[6 + i] += b->M*a[i];
                out[12 + i] += h*a[i];
                out[18] -= a[i]*(b->v[i] - b->v0[i] - h*g[i]);
            }
            if (scene) scene[i] += h*b->M*a[i];
            hbar += a[i]*(b->M*g[i] + f[i]);
        }
        if (out) {
            out[i] += b->xbar[i] + b->x0bar[i];
            out[6 + i] += b->v0bar[i];
        }
        hbar += b->xbar[i]*b->v[i];
    }
    if (D == 2) {
        if (a) {
            if (out) {
                out[11] += b->In[0]*a[2];
                out[17] += h*a[2];
                out[27] -= a[2]*(b->w[0] - b->w0[0]);
            }
            hbar += a[2]*f[5];
        }
        if (out) {
            out[5] += b->tbar[0] + b->t0bar[0];
            out[11] += b->w0bar[0];
        }
        hbar += b->tbar[0]*b->w[0];
    } else {
        for (i = 0; i < 9; ++i) E[i] = DC_R(i%4 == 0);
        if (a) {
            dc_v3 w = dc_vec(b->w[0], b->w[1], b->w[2]), w0 = dc_vec(b->w0[0], b->w0[1], b->w0[2]), A = dc_vec(a[3], a[4], a[5]);
            dc_v3 hw = dc_scale(h, w), hw0 = dc_scale(h, w0), B, C, Iw, Iw0, IB, IC, p, p0, t, Gw, Gw0, Rb, Rc, Rw, Rw0;
            dc_m3 In, R0, Ji = dc_so3_jl_inv(dc_neg(hw)), Ji0 = dc_so3_jl_inv(hw0), G, G0, X = dc_m3_exp(hw);
            for (i = 0; i < 9; ++i) {
                In.m[i] = b->In[i];
                R0.m[i] = b->R0[i];
                E[i] = X.m[i];
            }
            B = dc_mul_t(&Ji, A);
            C = dc_mul_t(&Ji0, A);
            Iw = dc_mul(&In, w);
            Iw0 = dc_mul(&In, w0);
            IB = dc_mul_t(&In, B);
            IC = dc_mul_t(&In, C);
            p = dc_mul(&Ji, Iw);
            p0 = dc_mul(&Ji0, Iw0);
            G = dc_so3_jl_grad(dc_neg(hw), p);
            G0 = dc_so3_jl_grad(hw0, p0);
            Gw = dc_mul(&G, w);
            Gw0 = dc_mul(&G0, w0);
            hbar -= dc_dot(B, Gw) + dc_dot(C, Gw0) - (a[3]*f[3] + a[4]*f[4] + a[5]*f[5]);
            if (out) {
                dc_real pb[3], pw[3], pc[3], pw0[3];
                /* I turns with the attitude: dI = [th] I - I [th] */
                t = dc_sub(dc_sub(dc_cross(Iw, B), dc_cross(w, IB)), dc_sub(dc_cross(Iw0, C), dc_cross(w0, IC)));
                out[3] -= t.x;
                out[4] -= t.y;
                out[5] -= t.z;
                t = dc_madd(IC, -h, dc_mul_t(&G0, C));
                out[9] += t.x;
                out[10] += t.y;
                out[11] += t.z;
                for (i = 0; i < 3; ++i) out[15 + i] += h*a[3 + i];
                Rb = dc_mul_t(&R0, B);
                Rw = dc_mul_t(&R0, w);
                Rc = dc_mul_t(&R0, C);
                Rw0 = dc_mul_t(&R0, w0);
                pb[0] = Rb.x;    pb[1] = Rb.y;    pb[2] = Rb.z;
                pw[0] = Rw.x;    pw[1] = Rw.y;    pw[2] = Rw.z;
                pc[0] = Rc.x;    pc[1] = Rc.y;    pc[2] = Rc.z;
                pw0[0] = Rw0.x;  pw0[1] = Rw0.y;  pw0[2] = Rw0.z;
                for (i = 0; i < 3; ++i)
                    for (j = 0; j < 3; ++j) out[19 + 3*i + j] += pc[i]*pw0[j] - pb[i]*pw[j];
            }
        }
        for (i = 0; i < 3; ++i) {
            if (out) {
                for (j = 0; j < 3; ++j) out[3 + i] += E[3*j + i]*b->tbar[j];
                out[3 + i] += b->t0bar[i];
                out[9 + i] += b->w0bar[i];
            }
            hbar += b->tbar[i]*b->w[i];
        }
    }
    if (out) out[18] += b->massbar;
    if (scene) scene[3] += hbar;
}

/* The factor at the solution, which Newton's steps bring to rounding first: the implicit function theorem holds there. A failed
 * step has none: its status. */
static DCI_NOINLINE dc_status dci_ncp_ready(dc_ncp *S)
{
    dc_real eq, cp, eq2, cp2, a;
    int it, i;
    if (S->status != DC_OK || S->factored) return S->status;
    dci_ncp_bounce_slopes(S);
    dci_ncp_eval(S, S->x, S->z, S->s, &eq, &cp);
    for (it = 0;; ++it) {
        if (!(S->D == 2 ? dci_ncp_factor_2(S) : dci_ncp_factor_3(S))) return DC_E_SINGULAR;
        if (it == 6 || dc_max(eq, cp) <= 16*DC_EPS) break;
        dci_ncp_rc(S, 0, 0, NULL, NULL);
        if (S->D == 2) dci_ncp_direction_2(S, S->dx, S->dz, S->ds);
        else dci_ncp_direction_3(S, S->dx, S->dz, S->ds);
        a = dci_ncp_step_length(S, S->z, S->dz, dci_ncp_step_length(S, S->s, S->ds, 1/DC_R(0.98)));
        a = dc_min(DC_R(0.98)*a, 1);
        dci_ncp_trial(S, a);
        dci_ncp_eval(S, S->xt, S->zt, S->st, &eq2, &cp2);
        if (!(dc_max(eq2, cp2) < dc_max(eq, cp)/2)) {           /* rounding: as before is as good, and has its factor */
            dci_ncp_eval(S, S->x, S->z, S->s, &eq, &cp);
            break;
        }
        dci_ncp_take(S);
        eq = eq2;
        cp = cp2;
    }
    for (i = 0; i < S->nx; ++i) if (!dc_finite(S->x[i])) return DC_E_RANGE;
    S->factored = 1;
    return DC_OK;
}

/* the contacts' part of an adjoint; out of line for the sake of the stack */
static DCI_NOINLINE void dci_ncp_contacts_vjp(dc_ncp *S, const dc_ncp_adjoint *out)
{
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        dc_real *cbar = out->contact ? out->contact + k*DC_NCP_CONTACT_PARAMS : NULL;
        dc_shape_grad *ga = out->shape ? out->shape + 2*k : NULL, *gb = out->shape ? ga + 1 : NULL;
        if (S->D == 2) dci_ncp_contact_vjp(S, S->C + k, 2, S->dx, cbar, out->scene, ga, gb);
        else dci_ncp_contact_vjp(S, S->C + k, 3, S->dx, cbar, out->scene, ga, gb);
    }
}

/* The adjoint of the whole step for a cotangent of the velocities, in S->dx, and what of the next poses follows the bodies'
 * poses and h directly, in xbar and tbar. */
static void dci_ncp_adjoint_pass(dc_ncp *S, const dc_ncp_adjoint *out)
{
    int k;
    if (S->D == 2) dci_ncp_lu_solve_t(S, 3, S->dx);
    else dci_ncp_lu_solve_t(S, 6, S->dx);
    dci_ncp_contacts_vjp(S, out);
    for (k = 0; k < S->scene.bodies; ++k) {
        dci_ncp_place *b = S->place + k;
        dci_ncp_body_vjp(S, b, S->scene.body + k, b->dof >= 0 ? S->dx + b->dof : NULL, out->body ? out->body + k*DC_NCP_BODY_PARAMS : NULL,
                         out->scene);
    }
}

/* The same, by the numbers of one shape alone */
static void dci_ncp_shape_pass(dc_ncp *S, int contact, int side, dc_real *row)
{
    dci_contact_nc *c = S->C + contact;
    const dc_shape *s = c->P.shape[side];
    dc_shape_grad g;
    g.A = row;
    g.b = g.A + s->rows*s->dim;
    g.d = g.b + s->rows;
    g.N = g.d + s->rows;
    g.size = 0;
    if (S->D == 2) {
        dci_ncp_lu_solve_t(S, 3, S->dx);
        dci_ncp_contact_vjp(S, c, 2, S->dx, NULL, NULL, side ? NULL : &g, side ? &g : NULL);
    } else {
        dci_ncp_lu_solve_t(S, 6, S->dx);
        dci_ncp_contact_vjp(S, c, 3, S->dx, NULL, NULL, side ? NULL : &g, side ? &g : NULL);
    }
    g.N[s->rows*s->aux] = g.size;
}

static void dci_ncp_clear(dci_ncp_place *b)
{
    memset(b->xbar, 0, sizeof b->xbar);
    memset(b->tbar, 0, sizeof b->tbar);
    memset(b->x0bar, 0, sizeof b->x0bar);
    memset(b->t0bar, 0, sizeof b->t0bar);
    b->massbar = 0;
    memset(b->v0bar, 0, sizeof b->v0bar);
    memset(b->w0bar, 0, sizeof b->w0bar);
}

DC_DEF dc_status dc_ncp_vjp(dc_ncp *S, const dc_real *bar, dc_ncp_adjoint *out)
{
    dc_status st;
    int i, j, k, D, nw;
    if (!S || !bar || !out || !dci_all_in_limit(bar, 12*S->scene.bodies)) return DC_E_ARG;
    st = dci_ncp_ready(S);
    if (st != DC_OK) return st;
    D = S->D;
    nw = D == 2 ? 1 : 3;
    for (k = 0; k < S->scene.bodies; ++k, bar += 12) {
        dci_ncp_place *b = S->place + k;
        const dc_real *turn = bar + (D == 2 ? 5 : 3), *spin = turn + 6;
        dci_ncp_clear(b);
        for (i = 0; i < D; ++i) {
            b->xbar[i] = bar[i];
            if (b->dof >= 0) S->dx[b->dof + i] = bar[6 + i] + S->scene.h*bar[i];
        }
        for (i = 0; i < nw; ++i) {
            b->tbar[i] = turn[i];
            if (b->dof < 0) continue;
            S->dx[b->dof + D + i] = spin[i];
            for (j = 0; j < nw; ++j) S->dx[b->dof + D + i] += b->T[j*nw + i]*turn[j];
        }
    }
    dci_ncp_adjoint_pass(S, out);
    return DC_OK;
}

/* The rows of a Jacobian: by the parameters of the scene, or with contact >= 0 by the numbers of a shape. `cols` columns. */
static dc_status dci_ncp_rows(dc_ncp *S, int contact, int side, dc_real *J, int ld, int cols)
{
    dc_status st = dci_ncp_ready(S);
    int i, j, k, l, D = S->D, nw = D == 2 ? 1 : 3, turn = D == 2 ? 5 : 3, bodies = S->scene.bodies;
    if (st != DC_OK) return st;
    for (i = 0; i < 12*bodies; ++i) memset(J + (size_t)i*(size_t)ld, 0, (size_t)cols*sizeof(dc_real));
    for (k = 0; k < bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        dc_real *rows = J + (size_t)(12*k)*(size_t)ld;
        /* the velocities' rows, one adjoint each */
        for (i = 0; b->dof >= 0 && i < D + nw; ++i) {
            dc_real *row = rows + (size_t)(6 + (i < D ? i : turn + i - D))*(size_t)ld;
            dc_ncp_adjoint out = DC_ZERO;
            if (contact < 0) {
                out.body = row;
                out.scene = row + bodies*DC_NCP_BODY_PARAMS;
                out.contact = out.scene + DC_NCP_SCENE_PARAMS;
            }
            for (l = 0; l < bodies; ++l) dci_ncp_clear(S->place + l);
            for (l = 0; l < S->nv; ++l) S->dx[l] = 0;
            S->dx[b->dof + i] = 1;
            if (contact < 0) dci_ncp_adjoint_pass(S, &out);
            else dci_ncp_shape_pass(S, contact, side, row);
        }
        /* the poses': x + h v, exp(h w) q */
        for (i = 0; i < D; ++i) {
            dc_real *row = rows + (size_t)i*(size_t)ld;
            const dc_real *from = rows + (size_t)(6 + i)*(size_t)ld;
            for (l = 0; l < cols; ++l) row[l] = S->scene.h*from[l];
        }
        for (i = 0; i < nw; ++i) {
            dc_real *row = rows + (size_t)(turn + i)*(size_t)ld;
            for (j = 0; j < nw; ++j) {
                const dc_real *from = rows + (size_t)(6 + turn + j)*(size_t)ld;
                for (l = 0; l < cols; ++l) row[l] += b->T[i*nw + j]*from[l];
            }
        }
    }
    return DC_OK;
}

DC_DEF dc_status dc_ncp_grad(dc_ncp *S, dc_real *J, int ld)
{
    dc_status st;
    int i, j, k, D, nw, turn, params, cols;
    if (!S || !J) return DC_E_ARG;
    params = S->scene.bodies*DC_NCP_BODY_PARAMS;
    cols = params + DC_NCP_SCENE_PARAMS + S->scene.contacts*DC_NCP_CONTACT_PARAMS;
    if (ld < cols) return DC_E_ARG;
    st = dci_ncp_rows(S, -1, 0, J, ld, cols);
    if (st != DC_OK) return st;
    D = S->D;
    nw = D == 2 ? 1 : 3;
    turn = D == 2 ? 5 : 3;
    /* what of the next poses follows the pose and h directly */
    for (k = 0; k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        const dc_real h = S->scene.h;
        dc_m3 E = D == 3 ? dc_m3_exp(dc_vec(h*b->w[0], h*b->w[1], h*b->w[2])) : dc_m3_exp(dc_vec(0, 0, 0));
        for (i = 0; i < D; ++i) {
            dc_real *row = J + (size_t)(12*k + i)*(size_t)ld;
            row[k*DC_NCP_BODY_PARAMS + i] += 1;
            row[params + 3] += b->v[i];
        }
        for (i = 0; i < nw; ++i) {
            dc_real *row = J + (size_t)(12*k + turn + i)*(size_t)ld;
            for (j = 0; j < nw; ++j) row[k*DC_NCP_BODY_PARAMS + turn + j] += E.m[3*i + j];
            row[params + 3] += b->w[i];
        }
    }
    for (i = 0; i < 12*S->scene.bodies; ++i)
        for (j = 0; j < cols; ++j)
            if (!dc_finite(J[(size_t)i*(size_t)ld + (size_t)j])) return DC_E_RANGE;
    return DC_OK;
}

DC_DEF dc_status dc_ncp_grad_shape(dc_ncp *S, int contact, int side, dc_real *J, int ld)
{
    const dc_shape *s;
    int cols;
    if (!S || !J || contact < 0 || contact >= S->scene.contacts || side < 0 || side > 1) return DC_E_ARG;
    s = S->C[contact].P.shape[side];
    cols = s->rows*(s->dim + 2 + s->aux) + 1;
    return ld < cols ? DC_E_ARG : dci_ncp_rows(S, contact, side, J, ld, cols);
}

DC_DEF dc_status dc_ncp_relax(dc_ncp *S, dc_real rho, dc_ncp_info *info)
{
    dc_ncp_info in = DC_ZERO;
    const dc_real most = DC_R(1.5);
    dc_status st;
    int i, spent = 0;
    if (!S || !(rho > 0 && rho <= 1)) return DC_E_ARG;
    if (S->status != DC_OK) return S->status;
    S->factored = 0;
    /* along the central path by small factors; every cone is scaled evenly, which gives its products the new rho */
    do {
        dc_real ratio = dc_max(dc_min(rho/S->rho, most), 1/most), root = dc_sqrt(ratio);
        S->rho = ratio > 1/most && ratio < most ? rho : ratio*S->rho;
        S->tol = S->opt.tol > 0 && S->opt.tol < S->rho/10 ? S->opt.tol : S->rho/10;
        for (i = 0; i < S->nz; ++i) {
            S->z[i] *= root;
            S->s[i] *= root;
        }
        st = dci_ncp_iterate(S, S->most - spent, 1, &in);
        spent += in.iterations;
    } while (st == DC_OK && S->rho != rho);
    S->status = st;
    in.iterations = spent;
    dci_ncp_overlap(S, &in);
    if (info) *info = in;
    return st;
}

DC_DEF dc_status dc_ncp_force(const dc_ncp *S, int k, dc_ncp_touch *out)
{
    const dci_contact_nc *c;
    const dc_real *y;
    dc_real n[3] = DC_ZERO, len, F[3] = DC_ZERO;
    int i, side;
    if (!S || !out || k < 0 || k >= S->scene.contacts) return DC_E_ARG;
    if (S->status != DC_OK) return S->status;
    c = S->C + k;
    y = S->x + c->oy;
    side = S->place[c->body[0]].dof >= 0 ? 0 : 1;
    len = dc_sqrt(dci_ncp_dot(S->D, c->P.u[side], c->P.u[side]));
    for (i = 0; i < S->D; ++i) {
        n[i] = len > 0 ? (side ? 1 : -1)*c->P.u[side][i]/len : 0;
        F[i] = (side ? -1 : 1)*c->F[side][i];
    }
    out->p = dc_vec(y[0], y[1], S->D == 3 ? y[2] : 0);
    out->n = dc_vec(n[0], n[1], n[2]);
    out->impulse = dc_vec(F[0], F[1], F[2]);
    out->alpha = y[S->D];
    out->gap = len > 0 ? (y[S->D] - 1)*c->P.L/len : 0;
    return DC_OK;
}

/* ---- broad phase --------------------------------------------------------------------------------- */

DC_DEF size_t dc_ncp_broad_bytes(int n) { return n < 1 ? 0 : dc_bytes(0, (size_t)n, sizeof(int)); }

/* spheres by their left end, then by index */
static int dci_ncp_left(const dc_v3 *c, const dc_real *r, int i, int j)
{
    dc_real a = c[i].x - r[i], b = c[j].x - r[j];
    return a < b || (!(b < a) && i < j);
}

DC_DEF dc_status dc_ncp_broad(int n, const dc_v3 *centre, const dc_real *radius, dc_real margin, int most, int *pair, int *count,
                              dc_arena *scratch)
{
    int *order, i, j, k, m = 0;
    size_t used;
    if (n < 1 || !centre || !radius || !(margin >= 0 && margin <= DC_LIMIT) || most < 0 || (most > 0 && !pair) || !count || !scratch) return DC_E_ARG;
    for (i = 0; i < n; ++i) {
        const dc_real x[4] = {centre[i].x, centre[i].y, centre[i].z, radius[i]};
        if (!dci_all_in_limit(x, 4)) return DC_E_ARG;
    }
    used = scratch->used;
    order = (int *)dc_arena_take(scratch, (size_t)n, sizeof(int));
    if (!order) return DC_E_MEMORY;
    for (i = 0, m = 0; i < n; ++i) if (radius[i] >= 0) order[m++] = i;
    /* heap sort */
    for (i = m/2 - 1, k = m; k > 1;) {
        int t, root;
        if (i >= 0) root = i--;
        else {
            t = order[0];
            order[0] = order[--k];
            order[k] = t;
            root = 0;
        }
        t = order[root];
        for (j = 2*root + 1; j < k; j = 2*root + 1) {
            if (j + 1 < k && dci_ncp_left(centre, radius, order[j], order[j + 1])) ++j;
            if (!dci_ncp_left(centre, radius, t, order[j])) break;
            order[root] = order[j];
            root = j;
        }
        order[root] = t;
    }
    *count = 0;
    for (i = 0; i < m; ++i)
        for (j = i + 1; j < m; ++j) {
            int a = order[i], b = order[j];
            dc_v3 d = dc_sub(centre[a], centre[b]);
            dc_real reach = radius[a] + radius[b] + margin;
            if (centre[b].x - radius[b] > centre[a].x + radius[a] + margin) break;
            if (dc_dot(d, d) > reach*reach) continue;
            if (*count < most) {
                pair[2**count] = a < b ? a : b;
                pair[2**count + 1] = a < b ? b : a;
            }
            ++*count;
        }
    scratch->used = used;
    return *count > most ? DC_E_RANGE : DC_OK;
}

/* ---- the list of contacts ------------------------------------------------------------------------ */
/* in: parts on bodies, what was kept; out: contacts with materials and places to keep
 *
 * dci_parts_near      | two parts, poses        | whether balls, or a ball and a half-space, are within the margin
 * dci_memory_follow   | keys of the contacts    | their places in what is kept
 * dc_ncp_contacts     | balls: the sweep of dc_ncp_broad; half-spaces against all others */

DC_DEF size_t dc_ncp_contacts_bytes(int parts)
{
    size_t sum;
    if (parts < 1 || parts > 10000) return 0;
    sum = dc_bytes(0, (size_t)parts, sizeof(dc_v3));
    sum = dc_bytes(sum, (size_t)parts, sizeof(dc_real));
    sum = dc_bytes(sum, (size_t)parts*((size_t)parts - 1) + 2, sizeof(int));
    return dc_bytes(sum, dc_ncp_broad_bytes(parts), 1);
}

/* The half-space's part first: 1 if the ball is nearer than the margin. */
static int dci_parts_near(int D, const dc_ncp_scene *sc, const dc_ncp_part *plane, dc_v3 centre, dc_real radius, dc_real margin)
{
    const dc_real at[3] = {centre.x, centre.y, centre.z}, *A = plane->shape->A;
    dc_real x[3], R[9], gap = -plane->shape->d[0], len2 = 0;
    int i, j;
    dci_pose_rows(D, plane->body < 0 ? NULL : &sc->body[plane->body].pose, x, R);
    for (i = 0; i < D; ++i) {
        dc_real n = 0;
        for (j = 0; j < D; ++j) n += R[i*D + j]*A[j];
        gap += n*(at[i] - x[i]);
        len2 += n*n;
    }
    return gap < (radius + margin)*dc_sqrt(len2);
}

/* The places of n contacts by their keys (0: none): that of the step before, or a free one; pairs that are gone free theirs. */
static void dci_memory_follow(dc_ncp_memory *m, int n, const int *key, dc_ncp_contact *contact)
{
    int i, k, open = 0;

    /* keys seen again are negative for the while */
    for (k = 0; k < n; ++k)
        for (i = 0; key[k] > 0 && i < m->most; ++i) {
            if (m->key[i] != key[k]) continue;
            m->key[i] = -key[k];
            contact[k].keep = m->keep + (size_t)i*(size_t)m->stride;
            break;
        }
    for (i = 0; i < m->most; ++i) m->key[i] = m->key[i] < 0 ? -m->key[i] : 0;

    for (k = 0; k < n; ++k) {
        if (contact[k].keep || key[k] == 0) continue;
        while (open < m->most && m->key[open] != 0) ++open;
        if (open == m->most) return;
        m->key[open] = key[k];
        contact[k].keep = m->keep + (size_t)open*(size_t)m->stride;
        contact[k].keep[0] = 0;
    }
}

static int dci_excluded(int excluded, const int *pair, int a, int b)
{
    int i;
    for (i = 0; i < excluded; ++i)
        if ((pair[2*i] == a && pair[2*i + 1] == b) || (pair[2*i] == b && pair[2*i + 1] == a)) return 1;
    return 0;
}

static int dci_part_valid(const dc_ncp_scene *sc, const dc_ncp_part *p)
{
    const dc_real limit[4] = {p->radius, p->mu, p->mu_spin, p->restitution};
    return p->body >= -1 && p->body < sc->bodies && dci_shape_valid(p->shape) && p->shape->dim == sc->dim && dci_all_in_limit(limit, 4)
        && p->mu >= 0 && p->mu_spin >= 0 && p->restitution >= 0 && p->restitution <= 1
        && (p->shape->size > 0 ? p->radius > 0 : p->shape->rows == 1);
}

DC_DEF dc_status dc_ncp_contacts(const dc_ncp_options *opt, const dc_ncp_scene *sc, int parts, const dc_ncp_part *part, dc_real margin,
                                 int excluded, const int *pair, dc_ncp_memory *memory, int most, dc_ncp_contact *contact,
                                 int *count, dc_arena *scratch)
{
    dc_v3 *centre;
    dc_real *radius;
    int *beside, i, j, k, n = 0, found = 0, lists;
    size_t used;
    dc_status status;
    const char *cause;
    if (!sc || sc->dim < 2 || sc->dim > 3 || sc->bodies < 0 || (sc->bodies > 0 && !sc->body) || dc_ncp_contacts_bytes(parts) == 0 || !part
        || !(margin >= 0 && margin <= DC_LIMIT) || excluded < 0 || (excluded > 0 && !pair) || most < 0 || (most > 0 && !contact)
        || !count || !scratch || (memory && (memory->most < 1 || memory->stride < 1 || !memory->key || !memory->keep))) return DC_E_ARG;
    for (i = 0; i < sc->bodies; ++i) if (dci_body_flaw(sc->dim, sc->body + i, &cause)) return DC_E_ARG;
    for (i = 0; i < parts; ++i) if (!dci_part_valid(sc, part + i)) return DC_E_ARG;
    used = scratch->used;
    lists = parts*(parts - 1)/2;
    centre = (dc_v3 *)dc_arena_take(scratch, (size_t)parts, sizeof *centre);
    radius = (dc_real *)dc_arena_take(scratch, (size_t)parts, sizeof *radius);
    beside = (int *)dc_arena_take(scratch, (size_t)(2*lists + 2), sizeof *beside);
    if (!centre || !radius || !beside) {
        scratch->used = used;
        return DC_E_MEMORY;
    }

    /* balls by the sweep; half-spaces are in none */
    for (i = 0; i < parts; ++i) {
        const dc_ncp_part *p = part + i;
        centre[i] = p->body < 0 ? dc_vec(0, 0, 0) : sc->body[p->body].pose.t;
        if (sc->dim == 2) centre[i].z = 0;
        radius[i] = p->shape->size > 0 ? p->radius : -1;
    }
    status = dc_ncp_broad(parts, centre, radius, margin, lists, beside, &n, scratch);
    for (i = 0; status == DC_OK && i < parts; ++i)
        for (j = 0; j < parts; ++j) {
            if (part[i].shape->size > 0 || !(part[j].shape->size > 0)) continue;
            if (!dci_parts_near(sc->dim, sc, part + i, centre[j], radius[j], margin)) continue;
            beside[2*n] = i < j ? i : j;
            beside[2*n + 1] = i < j ? j : i;
            ++n;
        }

    /* the order of the parts, whatever the order of the sweep */
    for (i = 1; i < n; ++i) {
        const int a = beside[2*i], b = beside[2*i + 1];
        for (j = i; j > 0 && (beside[2*j - 2] > a || (beside[2*j - 2] == a && beside[2*j - 1] > b)); --j) {
            beside[2*j] = beside[2*j - 2];
            beside[2*j + 1] = beside[2*j - 1];
        }
        beside[2*j] = a;
        beside[2*j + 1] = b;
    }

    /* contacts, a half-space always second; their keys over pairs that have been read */
    for (k = 0; status == DC_OK && k < n; ++k) {
        const int swap = !(part[beside[2*k]].shape->size > 0);
        const dc_ncp_part *a = part + beside[2*k + swap], *b = part + beside[2*k + 1 - swap];
        dc_ncp_contact *c;
        if (a->body == b->body || dci_excluded(excluded, pair, a->body, b->body)) continue;
        if ((a->body < 0 || !(sc->body[a->body].mass > 0)) && (b->body < 0 || !(sc->body[b->body].mass > 0))) continue;
        if (found++ >= most) continue;
        c = contact + found - 1;
        c->body[0] = a->body;
        c->body[1] = b->body;
        c->shape[0] = a->shape;
        c->shape[1] = b->shape;
        c->mu = dc_sqrt(a->mu*b->mu);
        c->mu_spin = (a->mu_spin + b->mu_spin)/2;
        c->restitution = dc_max(a->restitution, b->restitution);
        c->keep = NULL;
        beside[found - 1] = dc_ncp_keep_count(opt, sc->dim, c) > (memory ? memory->stride : 0) ? 0 : beside[2*k]*parts + beside[2*k + 1] + 1;
    }
    if (memory && status == DC_OK) dci_memory_follow(memory, found < most ? found : most, beside, contact);
    scratch->used = used;
    *count = found;
    return status != DC_OK ? status : found > most ? DC_E_RANGE : DC_OK;
}
#if defined(__i386__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#if DCI_FUSES
#pragma GCC pop_options
#endif

#endif /* DC_NCP_IMPLEMENTED */
#endif /* DC_NCP_IMPLEMENTATION */

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
