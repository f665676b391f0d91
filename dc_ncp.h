/* dc_ncp.h - v0.1.0 - rigid contact dynamics and collision detection in one solve, with exact gradients
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * DOES     convex shapes (half-space, sphere, box, polytope, capsule, cylinder, cone, ellipsoid, their moves and
 *          Minkowski sums) in 2D and 3D; their growth distance with derivatives by poses and by shape; a time step that
 *          finds next velocities, contact points, normals and forces together (SILICO [1]), with linear or cone
 *          friction, torsional friction and restitution; its derivatives by state, loads, mass, inertia, friction, time
 *          step and shape.
 * DOES NOT know joints, draw, or take shapes that are not convex: give a body several contacts for a union.
 *
 * USE
 *   In one C or C++ file: #define DC_NCP_IMPLEMENTATION, then #include "dc_ncp.h"; dc_contact.h likewise. Elsewhere
 *   include it.
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
 *   Everything a step compares, relaxes or starts from is measured in units of each contact, of constants of the scene
 *   alone:
 *   length    l = a b/(a + b) of the sizes of its two shapes, that of the one that grows where the other is a
 *             half-space
 *   impulse   U = m |g| h, 1/m = 1/m_a + 1/m_b: what gravity gives the reduced mass in a step
 *   speed     V = sqrt(|g| l)
 *   with |g| the option `acceleration`, by default gravity's length, and l/(100 h^2) without gravity. Products at the
 *   end are rho U l/(4 sqrt(1 + mu^2)) of gamma and gap, rho U V of friction and slip, rho l of lam and slack. So a
 *   body that rests by its own weight hovers by at most rho l/4 and creeps at about rho V/(mu - mu'), mu' the share of
 *   mu it uses: a cube of 1 m at rho 1e-6 by 0.1 um and a few um/s, of 1 g or 10 t, at any step; a tenth of the load,
 *   ten times as far. dc_ncp_info has the largest of both. No status depends on kg, m or s.
 *   In float rho is 1e-4, a hundred times as much, for the sake of contacts that slide: zeta - |f| is rho U V/(2 |w|)
 *   there, and of two floats of the size of mu gamma no difference below DC_EPS mu gamma can be told; at 3e-5 piles and
 *   heavy bodies on light ones begin to fail. Where all is at rest rho 1e-6 is right, and creep is what is said above
 *   and what a pose can hold: x + h v is rounded by DC_EPS |x|, so that speeds below DC_EPS |x|/h move nothing.
 *
 * CONTRACTS
 *   Memory    The caller's arena; dc_..._bytes is enough for one call from a fresh arena. Shapes stay where they were
 *             made. dc_ncp_bytes counts a block for every pair of bodies that move; a step takes those that its
 *             contacts fill: a pile of 300 bodies with 870 contacts takes 8 MB of the 32 (bench_ncp_pile). Give
 *             dc_ncp_bytes; or for piles call with what there is, an empty arena at first, and after DC_E_MEMORY with
 *             dc_ncp_info.bytes. Worst stack of any function below 4 KB (`make facts`).
 *   Errors    dc_status; what each means here:
 *             DC_E_ARG       not finite, out of range, NULL, a bad index or count, a body in contact with itself, two
 *                            shapes neither of which grows; outputs and arena untouched
 *             DC_E_MEMORY    the arena is too small: give dc_..._bytes of it; outputs and arena untouched, but for
 *                            dc_ncp_info.bytes
 *             DC_E_DIVERGED  the limit of iterations, or every start stalled; the best iterate is in `next` (in *out),
 *                            and the functions that ask a solution return this status for it
 *             DC_E_SINGULAR  a pivot vanished; as DC_E_DIVERGED
 *             DC_E_RANGE     numbers overflowed; as DC_E_DIVERGED where finite. dc_shape_hull: the list is full
 *   Threads   Every function is re-entrant. Same input, same bits.
 *   Accuracy  All 3600 runs of the published drop grid are solved, cold and warm, and no contact is deeper than 2 rho
 *             l; dc_ncp_info bounds the depth of every step. Creep and hover of a cube of 1 g to 10 t at steps of 1e-3
 *             to 0.1 s stay below 1e-5 m/s and 1e-6 sides (`make robust`; float: 6e-4 m/s and 1e-4 sides). Where
 *             gravity carries a body farther in a step than it is wide, a step has several solutions, and the last bits
 *             of a pose choose. The formulation of the paper, whose tables `make bench` prints beside its own, is in
 *             tests/bench/ncp_baselines.h.
 *             Gradients are those of the step solved to rounding: before the first of them the solution is polished by
 *             Newton's steps. In 99 of 100 random states they agree with central differences to 1e-6 of the largest
 *             entry in every parameter; the others are beside a bend, or off by up to 1e-5 from rounding of the body
 *             system, which holds stiffnesses of 1/rho (`make robust`; float: some per cent).
 *             Growth: alpha within rho for each row from 1e-6 to 1e6 sizes apart, in units from 1e-6 to 1e6; Jacobians
 *             at the default rho agree with differences to 1e-7, near and 1000 sizes apart (test_ncp_growth).
 *   Cost      One core of a server, gcc 12 -O2, `make bench`: a step of the drop scene 11 us cold, 4 us warm; four 2D
 *             blocks with ten contacts 0.24 ms. Growth of random hulls of 8 to 30 faces with its Jacobian 2.7 us cold,
 *             1.5 us warm, of boxes with parallel faces 1.8 us; of shapes with cones 10 to 30 us.
 *             A step of a heap of 30, 100, 300 mixed bodies in motion, with 85, 290, 870 contacts near 5 mm: 7.5, 32,
 *             250 ms cold and 5, 30, 180 ms warm (bench_ncp_pile). The fill of its LU is that of any heap: from 100 to
 *             300 bodies one iteration takes 4 times as long.
 *             A step factors its body system at most max_iterations times, and 15 times more, in smaller blocks, for
 *             the guess of the load where there are two contacts or more; the polish before gradients takes 7 at most.
 *             Growth problems: at most 50 iterations each, one for each contact and start, of which there are 64 at
 *             most, and one more where contacts bounce.
 *   Limits    The equations have no merit function whose descent is assured: in hard scenes a step now and then needs
 *             several starts, and a few in a thousand end with DC_E_DIVERGED: look at the status. `make robust` counts
 *             them by family; heavy on light at ratios of 1e4 and more, and bodies jammed in notches steeper than
 *             friction's angle, where forces are not unique, are the worst. A warm start is for scenes that change
 *             little; among tumbling bodies what is kept spares the guess of the load, a sixth of a step's time.
 *             Gradients hold fixed which contacts bounce and which tangents the pyramid has. Friction acts at one point
 *             of a contact; angular momentum of two bodies that collide is off by h v x F, since the point is that of
 *             the end of the step.
 *
 * CHAPTERS of the implementation; each begins with its mark in brackets
 *   [shapes]        constructors, sums and moves
 *   [cones]         products of cones: scaling, steps, products
 *   [pair]          one pair of shapes: rows, residual, QR, derivatives
 *   [growth]        growth distance by the interior point
 *   [corner]        growth distance of polytopes
 *   [growth calls]  derivatives of the growth distance, and its calls
 *   [contact]       a step's unknowns and residual
 *   [newton]        a contact's part of Newton's step
 *   [system]        the body system: block LU
 *   [iteration]     Newton's iteration
 *   [scene]         what is wrong with a scene, memory, and reading it
 *   [load]          a guess of the load
 *   [start]         cold starts
 *   [bounce]        the transpose of a pair, and restitution
 *   [step]          a step
 *   [vjp]           derivatives of a step
 *   [list]          the list of contacts
 *
 * REFERENCES
 *   [1] SILICO  Le Cleac'h, Schwager, Manchester, Sindhwani, Florence, Singh: Single-level differentiable contact
 *               simulation.
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
#define dc_ncp_forces dc_ncp_forces_f
#define dc_ncp_vjp dc_ncp_vjp_f
#define dc_ncp_grad dc_ncp_grad_f
#define dc_ncp_grad_shape dc_ncp_grad_shape_f
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
 * K: `linear` rows s_i >= 0, then `cones` second-order cones s_0 >= |(s_1, ..)|. Every shape below has this form, and
 * it is closed under moves and Minkowski sums, so that nothing else in this header knows what shape it has before it.
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

/* The constructors take the arrays of *out from `mem`, where they stay. DC_E_ARG: dim not 2 or 3, a length not finite
 * and positive, a null pointer; DC_E_MEMORY. Then *out and the arena are as before. In 2D the z of vectors is ignored.
 *
 * `rows` of each for its size_bytes, and where its measures stand, for derivatives by them:
 *     halfspace  1             n.x <= offset is solid; not grown
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

/* The polytope with these vertices, n points in any order, of which some may lie inside: unit rows, outwards, one for
 * each face. It grows about the origin where that is inside, else about the mean of the points (d = A mean, else 0). A
 * point within 1e3 DC_EPS of the largest coordinate of a face's plane counts as on it, and the origin is inside when it
 * is farther than that from every face; n up to 128 in 3D, 256 in 2D; the time grows with the cube (2D: square) of n.
 * DC_E_ARG also for points without volume; DC_E_RANGE: more faces than 2 n (n in 2D), which rounding can make of points
 * that almost share planes. dc_shape_hull_bytes is what it needs; the shape keeps dc_shape_bytes. */
DC_DEF size_t dc_shape_hull_bytes(int dim, int n);
DC_DEF dc_status dc_shape_hull(int dim, int n, const dc_v3 *x, dc_arena *mem, dc_shape *out);

/* The Minkowski sum of two shapes (SILICO Eq. 23-25): rows and cones add up, aux is aux_a + aux_b + dim. A padded
 * polytope is the sum of a polytope and a sphere (SILICO Eq. 46). Copies: a and b may go. */
DC_DEF dc_status dc_shape_sum(const dc_shape *a, const dc_shape *b, dc_arena *mem, dc_shape *out);

/* The shape moved: x -> R x + t. It grows about its own origin, moved as well. In 2D the rotation is about z.
 * Copies. */
DC_DEF dc_status dc_shape_place(const dc_shape *a, dc_pose pose, dc_arena *mem, dc_shape *out);

/* ---- growth distance --------------------------------------------------------------------------- */

/* Where a pair touched, for the next call on it: zeroed, it is not known. Plain data of the caller's; whatever it
 * holds, it changes the time of a call and the last bits of its answer, nothing else. */
typedef struct { int row[4]; } dc_growth_warm;

typedef struct {
    dc_real rho;            /* relaxation: alpha is above the exact one by at most rho times the number of rows of both
                             * shapes, at any distance and in any unit; 0: 1e-8, float 1e-4 */
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
    dc_real residual;       /* largest residual, complementarity included, in units of L; of polytopes the part of lam
                             * that Newton's last step leaves wrong */
} dc_growth_result;

/* Derivatives by the data of a shape, each array as long as the shape's, NULL where not wanted. Added to. */
typedef struct { dc_real *A, *b, *d, *N; dc_real size; } dc_shape_grad;

/* Bytes of arena that dc_growth and dc_growth_batch take; 0: a shape that is none, or shapes of different dim. */
DC_DEF size_t dc_growth_bytes(const dc_shape *a, const dc_shape *b);

/* The growth distance (SILICO Eq. 14) of two posed shapes (NULL: identity), smoothed by rho: s o lambda = rho e. The
 * number returned is the one at rho, solved to rounding, and all derivatives are of it: smooth everywhere, with bends
 * as sharp as rho where the exact one has kinks. Of parallel faces p is the middle of what they share.
 *
 * Shapes that grow from one and the same point: alpha is about 0 and has no direction. Where |d alpha/d x_a| L is below
 * 64 DC_EPS both normals are the last axis, (0, 0, 1), in 2D (0, 1), and do not turn; length is L/(64 DC_EPS). A
 * half-space's normal is the pair's, also deep inside.
 *
 * Polytopes and half-spaces, without auxiliary numbers, go the fast way and can start warm; the others use the interior
 * point. At distance r their alpha is solved for rho or 16 DC_EPS r/L, whichever is larger: rounding.
 *
 *   jac    may be NULL: 7 x 12, rows alpha, p, n_a by the twists [a; b] (in 2D the entries that leave the plane are 0),
 *          by the implicit function theorem
 *   bar    may be NULL: 7 numbers, cotangents of alpha, p, n_a; with it ga, gb (each may be NULL) receive, added, the
 *          derivatives of bar . (alpha, p, n_a) by the numbers of the two shapes
 *
 * DC_E_ARG: shapes of different dim, not finite, both half-spaces, both not growing. DC_E_MEMORY. DC_E_DIVERGED: *out
 * is the last iterate; derivatives are written with DC_OK only. Twists about the body origins, world frame, as
 * everywhere in dc. */
DC_DEF dc_status dc_growth(const dc_growth_options *opt, const dc_shape *a, const dc_pose *pa, const dc_shape *b,
                           const dc_pose *pb, dc_arena *mem, dc_growth_result *out, dc_real *jac, const dc_real *bar,
                           dc_shape_grad *ga, dc_shape_grad *gb);

/* The same at `count` pairs of poses: out [count]; jac [count x 84], status [count] may be NULL. Every pair is worked
 * on; returned is the first status that is not DC_OK. What a pair that fails writes is as with dc_growth: with
 * DC_E_ARG, its pose, nothing. */
DC_DEF dc_status dc_growth_batch(const dc_growth_options *opt, const dc_shape *a, const dc_shape *b, int count,
                                 const dc_pose *pa, const dc_pose *pb, dc_arena *mem, dc_growth_result *out,
                                 dc_real *jac, dc_status *status);

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
    dc_real         restitution;/* e, 0..1: contacts that would close within the step part with e of their speed, for e
                                   < 1/8 with less, down to none; they end at least as far apart as
                                   h e |c| + min(gap, 8 h e |c|). Derivatives by e at none are those from above */
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
    dc_real acceleration;   /* m/s^2, by which impulses and speeds are measured; 0: |gravity|, or without any
                             * length/(100 h^2) */
    int     max_iterations; /* Newton steps, of all starts together; 0: 1500 */
    int     pyramid;        /* 1: linear friction in 3D, four facets; 2D friction is linear and exact */
} dc_ncp_options;

typedef struct {
    int     iterations;     /* Newton steps, of all starts together */
    int     warm;           /* 1: the warm start was taken to the end */
    dc_real residual;       /* largest residual of the equations, in natural units, less what rounding leaves of them */
    dc_real complementarity;/* largest |a o b - rho e|, in natural units, less what rounding leaves of it */
    dc_real hover, creep;   /* m, m/s: largest gap of a contact that pushes, largest slip of one that sticks */
    dc_real overlap, depth; /* with DC_OK no contact overlaps by more, to `tol`: 1 - alpha, and metres. Bounds by the
                               duality gap of SILICO Eq. 14; 0 where all are apart for certain */
    size_t  bytes;          /* of a fresh arena that the step takes; with DC_E_MEMORY: would take, see dc_ncp_step */
} dc_ncp_info;

typedef struct dc_ncp dc_ncp;

/* Numbers in a contact's `keep`; 0 for a contact that is not valid. */
DC_DEF int dc_ncp_keep_count(const dc_ncp_options *opt, int dim, const dc_ncp_contact *c);

/* What is wrong with a scene: body and contact are -1 where the flaw is not theirs; `field` is named as in the structs
 * above. */
typedef struct { int body, contact; const char *field, *cause; } dc_ncp_flaw_info;

/* DC_OK when dc_ncp_step would take the scene, else DC_E_ARG and the first flaw in *out (may be NULL). */
DC_DEF dc_status dc_ncp_flaw(const dc_ncp_options *opt, const dc_ncp_scene *scene, dc_ncp_flaw_info *out);

/* Bytes of arena that are enough for a step whatever its contacts' pattern; 0 for a scene that is not valid. Of a pile
 * it counts many times what dc_ncp_info.bytes says. */
DC_DEF size_t dc_ncp_bytes(const dc_ncp_options *opt, const dc_ncp_scene *scene);

/* An upper bound of dc_ncp_bytes known to the compiler, for an array: so many bodies that move, contacts, and rows and
 * auxiliary numbers of the two shapes of a contact together, at most. */
#define DC_NCP_RAM(bodies, contacts, rows, aux) (sizeof(dc_real)*((size_t)400 + 16*(size_t)(rows) + 8*(size_t)(aux) \
    + (size_t)(bodies)*(160 + 38*(size_t)(bodies)) \
    + (size_t)(contacts)*(550 + (size_t)(rows)*(40 + 2*(size_t)(aux)) + 10*(size_t)(aux))))

/* One step of SILICO Eq. 20: the velocities at its end, contact points, normals and forces together.
 *
 *   next      [scene->bodies] the bodies after the step; may be scene->body's own array
 *   solution  NULL, or receives the solved step, which stays in the arena until the caller resets it, and borrows the
 *             scene with its bodies, contacts and shapes; the functions below ask it
 *   info      may be NULL
 *
 * DC_E_ARG: something is not finite or out of range, dc_ncp_flaw says what; nothing is written. DC_E_MEMORY: nothing
 * but info->bytes, exactly what this step takes of a fresh arena; or, of an arena too small for the pattern of its
 * contacts, what the pattern takes: after at most two calls with what the last one said the third has enough.
 * DC_E_DIVERGED: the limit of iterations or no start left, `next` holds the best iterate; DC_E_SINGULAR: the same,
 * because a pivot vanished. */
DC_DEF dc_status dc_ncp_step(const dc_ncp_options *opt, const dc_ncp_scene *scene, dc_arena *mem, dc_ncp_body *next,
                             dc_ncp **solution, dc_ncp_info *info);

/* Solves the same step again at another rho, from the solution, by way of those in between: for gradients that are
 * smoother. tol = rho/10. Statuses as above. */
DC_DEF dc_status dc_ncp_relax(dc_ncp *solution, dc_real rho, dc_ncp_info *info);

/* What happened at contact k of a solved step; DC_E_ARG: k out of range, a NULL. */
typedef struct {
    dc_v3   p, n;           /* contact point, unit normal from b to a, at the end of the step */
    dc_v3   impulse;        /* on a, N s: force times h */
    dc_real alpha, gap;     /* growth, and (alpha - 1)/|d alpha/d x_a|, m */
} dc_ncp_touch;
DC_DEF dc_status dc_ncp_force(const dc_ncp *solution, int k, dc_ncp_touch *out);

/* All contacts of a solved step as dc_sim_contacts writes them, in the order of the scene: forces are impulses over h,
 * parts the number of the contact, torques those of torsional friction. *count receives how many there are;
 * DC_E_MEMORY: more than `most`, nothing else is written. DC_E_ARG: a NULL. */
DC_DEF dc_status dc_ncp_forces(const dc_ncp *solution, int most, dc_contact_force *contact, int *count);

/* Numbers in the parameters of a body, and where each begins: twist of its pose (6), v and w, force and torque (3
 * each), mass, inertia (9, row-major) */
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
 * holds cotangents of each body's next pose (twist) and next v and w, within DC_LIMIT. DC_E_ARG, DC_E_SINGULAR: nothing
 * is added. */
DC_DEF dc_status dc_ncp_vjp(dc_ncp *solution, const dc_real *bar, dc_ncp_adjoint *out);

/* The Jacobian: rows are bodies x (twist of the next pose, next v and w), 12 each; columns bodies x DC_NCP_BODY_PARAMS,
 * DC_NCP_SCENE_PARAMS, contacts x DC_NCP_CONTACT_PARAMS; row stride ld. DC_E_ARG, DC_E_SINGULAR: nothing is written;
 * DC_E_RANGE: an entry does not fit. */
DC_DEF dc_status dc_ncp_grad(dc_ncp *solution, dc_real *J, int ld);

/* The Jacobian by the numbers of the shape of one side (0: a, 1: b) of one contact: rows as above; columns A, b, d, N,
 * each as the shape has them, then size. Where contacts share a shape, its derivative is the sum over them. */
DC_DEF dc_status dc_ncp_grad_shape(dc_ncp *solution, int contact, int side, dc_real *J, int ld);

/* A shape on a body, with its material: a union has several on one. `radius`: of a ball about the body's origin (of the
 * world: about that of the shape) that holds it; a half-space has none. Of two materials mu is the geometric mean,
 * mu_spin the mean, the restitution the larger. */
typedef struct {
    int             body;       /* -1: the world */
    const dc_shape *shape;
    dc_real         radius;
    dc_real         mu, mu_spin, restitution;
} dc_ncp_part;

/* What contacts keep from step to step, found again by the pair of parts: `most` places of `stride` numbers (the
 * largest dc_ncp_keep_count). Arrays of the caller, key [most] zero at first. The search takes contacts x most. */
typedef struct { int most, stride; int *key; dc_real *keep; } dc_ncp_memory;

/* The contacts of all pairs of parts nearer than `margin`, in the order of their parts: pairs whose balls are, but for
 * those where the ball of one lies beyond a face of the other. Not of one body with itself, of two that do not move,
 * nor of the `excluded` pairs of bodies (2 each, may be NULL). scene: dim, bodies and h count, contacts do not.
 *
 *   memory   NULL, or where the contacts' `keep` is; pairs that are gone lose their place, pairs for which there is
 *            none or whose solution is longer than `stride` start cold
 *   contact  [most]; *count receives how many there are
 *
 * DC_E_ARG, DC_E_MEMORY (scratch: dc_ncp_contacts_bytes, some 50 bytes a part). DC_E_RANGE: more than `most`, which is
 * what the list holds. */
DC_DEF size_t dc_ncp_contacts_bytes(int parts);
DC_DEF dc_status dc_ncp_contacts(const dc_ncp_options *opt, const dc_ncp_scene *scene, int parts,
                                 const dc_ncp_part *part, dc_real margin, int excluded, const int *pair,
                                 dc_ncp_memory *memory, int most, dc_ncp_contact *contact, int *count,
                                 dc_arena *scratch);

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

#ifndef DC_CONTACT_IMPLEMENTED
#error "dc_ncp.h: first define DC_CONTACT_ and DC_NCP_IMPLEMENTATION (DC_..._IMPLEMENTED: elsewhere)"
#endif

#include <stdint.h>
#include <string.h>

#if DCI_FUSES
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* gcc 12 at -O3 for SSE2 on 32-bit x86 makes wrong numbers of the derivatives' short loops when it vectorises them:
 * `make bits` */
#if defined(__i386__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

#define DCI_NCP_MOST 256        /* rows, auxiliary numbers, cones of one shape */

/* Functions that take the dimension D are inline and get it as a constant, so that their loops unroll. */

/* The two sides of a pair, 0: a, 1: b. What a contact does to a it does to b with the other sign: pushes act along n on
 * a and against it on b, and slip is the velocity of a's point less that of b's. The pull u of the duals is against n
 * on a and along it on b. */
DCI_LANE dc_real dci_ncp_side(int k) { return k ? DC_R(-1) : DC_R(1); }

/* ---- [shapes] constructors, sums and moves ----------------------------------------------------- */
/* stage                        | reads                   | writes        | equation
 * dc_shape_halfspace, ..       | measures                | a shape       | SILICO Eq. 42, 44, 46, 48, 50, 52, 54, 55
 * dc_shape_hull                | points                  | a polytope    | its faces, by all triples of points
 * dc_shape_sum, dc_shape_place | shapes, a pose          | a shape       | SILICO Eq. 23-25
 * dci_shape_valid              | a shape of any origin   |               | */

typedef struct { dc_real *normal, *growth, *offset, *lift; int *cone; } dci_shape_data;

DC_DEF size_t dc_shape_bytes(int dim, int rows, int cones, int aux)
{
    size_t n;
    if (dim < 2 || dim > 3 || rows < 1 || rows > DCI_NCP_MOST || cones < 0 || cones > DCI_NCP_MOST || aux < 0
        || aux > DCI_NCP_MOST)
        return 0;
    n = dc_bytes(0, (size_t)(rows*(dim + 2 + aux)), sizeof(dc_real));
    return cones > 0 ? dc_bytes(n, (size_t)cones, sizeof(int)) : n;
}

/* An empty shape of these counts, all numbers zero. */
static dc_status dci_shape_new(int dim, int linear, int cones, int rows, int aux, dc_arena *mem, dc_shape *s,
                               dci_shape_data *w)
{
    size_t n, used;
    dc_real *x;

    if (!mem || dc_shape_bytes(dim, rows, cones, aux) == 0) return DC_E_ARG;

    /* one run of numbers: A, b, d, N; then the cones' sizes */
    used = mem->used;
    n = (size_t)(rows*(dim + 2 + aux));
    x = (dc_real *)dc_arena_take(mem, n, sizeof(dc_real));
    w->cone = cones > 0 ? (int *)dc_arena_take(mem, (size_t)cones, sizeof(int)) : NULL;
    if (!x || (cones > 0 && !w->cone)) {
        mem->used = used;
        return DC_E_MEMORY;
    }

    memset(x, 0, n*sizeof(dc_real));
    w->normal = x;
    w->growth = x + rows*dim;
    w->offset = w->growth + rows;
    w->lift = aux > 0 ? w->offset + rows : NULL;

    /* what the caller reads is const */
    s->dim = dim;
    s->rows = rows;
    s->linear = linear;
    s->cones = cones;
    s->aux = aux;
    s->cone = w->cone;
    s->A = w->normal;
    s->b = w->growth;
    s->d = w->offset;
    s->N = w->lift;
    s->size = 0;
    return DC_OK;
}

/* no number of these is NaN or too large */
static int dci_all_in_limit(const dc_real *x, int n)
{
    dc_real sum[4] = DC_ZERO;
    int i, k;

    /* none is if all their squares together are not */
    for (i = 0; i + 4 <= n; i += 4)
        for (k = 0; k < 4; ++k) sum[k] += x[i + k]*x[i + k];
    for (; i < n; ++i) sum[0] += x[i]*x[i];
    if (sum[0] + sum[1] + sum[2] + sum[3] <= DC_LIMIT*DC_LIMIT) return 1;

    for (i = 0; i < n; ++i) if (!(dc_abs(x[i]) <= DC_LIMIT)) return 0;
    return 1;
}

DC_DEF dc_status dc_shape_halfspace(int dim, dc_v3 n, dc_real offset, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_real a[3], len2;
    dc_status status;
    int i;

    a[0] = n.x;
    a[1] = n.y;
    a[2] = n.z;
    if (!out || dim < 2 || dim > 3 || !dci_all_in_limit(a, dim) || !dci_all_in_limit(&offset, 1)) return DC_E_ARG;
    len2 = a[0]*a[0] + a[1]*a[1] + (dim == 3 ? a[2]*a[2] : 0);
    if (!(len2 > 0)) return DC_E_ARG;

    status = dci_shape_new(dim, 1, 0, 1, 0, mem, out, &w);
    if (status != DC_OK) return status;
    for (i = 0; i < dim; ++i) w.normal[i] = a[i];    /* SILICO Eq. 42 */
    w.offset[0] = offset;
    return DC_OK;
}

DC_DEF dc_status dc_shape_sphere(int dim, dc_real r, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status status;
    int i;

    if (!out || dim < 2 || dim > 3 || !dci_positive(r)) return DC_E_ARG;
    status = dci_shape_new(dim, 0, 1, 1 + dim, 0, mem, out, &w);
    if (status != DC_OK) return status;
    w.cone[0] = 1 + dim;
    w.growth[0] = r;                            /* |x| <= alpha r */
    for (i = 0; i < dim; ++i) w.normal[(1 + i)*dim + i] = -1;
    out->size = r;
    return DC_OK;
}

DC_DEF dc_status dc_shape_polytope(int dim, int rows, const dc_real *A, const dc_real *b, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status status;
    int i, k;

    if (!A || !b || !out || dim < 2 || dim > 3 || rows < dim + 1 || rows > DCI_NCP_MOST
        || !dci_all_in_limit(A, dim*rows)) return DC_E_ARG;
    for (i = 0; i < rows; ++i) {
        dc_real len2 = 0;
        for (k = 0; k < dim; ++k) len2 += A[i*dim + k]*A[i*dim + k];
        if (!dci_positive(b[i]) || !(len2 > 0)) return DC_E_ARG;
    }

    status = dci_shape_new(dim, rows, 0, rows, 0, mem, out, &w);
    if (status != DC_OK) return status;
    memcpy(w.normal, A, (size_t)(rows*dim)*sizeof(dc_real));         /* SILICO Eq. 44 */
    memcpy(w.growth, b, (size_t)rows*sizeof(dc_real));

    /* the largest offset of a face */
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

/* The unit row (n, b) of the plane through points i, j, k (in 2D i, j), if all others are on one side of it: outwards,
 * b the height of the outermost. 0 for points in line. */
static int dci_hull_row(int dim, int n, const dc_v3 *v, int i, int j, int k, dc_real tol, dc_real *row)
{
    dc_v3 e1 = dc_sub(v[j], v[i]), e2 = dim == 2 ? dc_vec(0, 0, 1) : dc_sub(v[k], v[i]), nrm;
    dc_real len2, lo = 0, hi = 0, at, side;
    int l;

    if (dim == 2) e1.z = 0;

    /* the normal, of points that are not in line */
    nrm = dc_cross(e1, e2);
    len2 = dc_dot(nrm, nrm);
    if (!(len2 > DC_EPS*dc_dot(e1, e1)*dc_dot(e2, e2))) return 0;
    nrm = dc_scale(1/dc_sqrt(len2), nrm);               /* its z is 0 in 2D */

    /* all others on one side of it */
    at = dc_dot(nrm, v[i]);
    for (l = 0; l < n && (hi <= tol || lo >= -tol); ++l) {
        dc_real t = dc_dot(nrm, v[l]) - at;
        lo = dc_min(lo, t);
        hi = dc_max(hi, t);
    }
    if (hi > tol && lo < -tol) return 0;

    /* outwards */
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
    dc_status status;
    dc_real size = 0, tol, row[4];
    dc_v3 mean = dc_vec(0, 0, 0);
    size_t used = mem ? mem->used : 0;
    int i, j, k, l, f, rows = 0, inside = 1, most;

    if (!v || !out || !mem || n <= dim || dc_shape_hull_bytes(dim, n) == 0) return DC_E_ARG;

    /* the size of the points */
    most = (dim - 1)*n;
    for (i = 0; i < n; ++i) {
        const dc_real x[3] = {v[i].x, v[i].y, v[i].z};
        if (!dc_in_range(v[i])) return DC_E_ARG;
        for (k = 0; k < dim; ++k) size = dc_max(size, dc_abs(x[k]));
    }
    tol = 1000*DC_EPS*size;

    /* the plane of every pair or triple */
    status = dci_shape_new(dim, most, 0, most, 0, mem, &s, &w);
    if (status != DC_OK) return status;
    for (i = 0; i < n; ++i)
        for (j = i + 1; j < n; ++j)
            for (k = dim == 2 ? j : j + 1; k < (dim == 2 ? j + 1 : n) && status == DC_OK; ++k) {
                const int on[3] = {i, j, k};
                for (f = 0; f < rows; ++f) {            /* all on a face that is known: pass over */
                    const dc_real *q = w.normal + f*dim;
                    for (l = 0; l < 3; ++l)
                        if (w.growth[f] - (q[0]*v[on[l]].x + q[1]*v[on[l]].y + (dim == 3 ? q[2]*v[on[l]].z : 0)) > tol)
                            break;
                    if (l == 3) break;
                }
                if (f < rows || !dci_hull_row(dim, n, v, i, j, k, tol, row)) continue;
                if (rows == most) status = DC_E_RANGE;
                else {
                    for (l = 0; l < dim; ++l) w.normal[rows*dim + l] = row[l];
                    w.growth[rows++] = row[3];
                    inside &= row[3] > tol;
                }
            }
    if (status == DC_OK && rows <= dim) status = DC_E_ARG;

    /* offsets from the origin, or from the mean of the points, which is inside whatever has a volume */
    for (l = 0; l < n && !inside; ++l) mean = dc_madd(mean, 1/(dc_real)n, v[l]);
    for (f = 0; f < rows && status == DC_OK; ++f) {
        const dc_real *q = w.normal + f*dim;
        if (!inside) {
            const dc_v3 a = dc_vec(q[0], q[1], dim == 3 ? q[2] : 0);
            w.offset[f] = dc_dot(a, mean);
            w.growth[f] = 0;
            for (l = 0; l < n; ++l) w.growth[f] = dc_max(w.growth[f], dc_dot(a, dc_sub(v[l], mean)));
        }
        if (!(w.growth[f] > 0)) status = DC_E_ARG;
        s.size = dc_max(s.size, w.growth[f]);
    }

    /* close the ranks: b and d behind the rows there are */
    if (status != DC_OK) {
        mem->used = used;
        return status;
    }
    mem->used -= dc_shape_hull_bytes(dim, n) - dc_shape_bytes(dim, rows, 0, 0);
    memmove(w.normal + rows*dim, w.growth, (size_t)rows*sizeof(dc_real));
    memmove(w.normal + rows*(dim + 1), w.offset, (size_t)rows*sizeof(dc_real));
    s.b = w.normal + rows*dim;
    s.d = s.b + rows;
    s.rows = s.linear = rows;
    *out = s;
    return DC_OK;
}

DC_DEF dc_status dc_shape_capsule(int dim, dc_real r, dc_real length, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status status;
    int i;

    if (!out || dim < 2 || dim > 3 || !dci_positive(r) || !dci_positive(length)) return DC_E_ARG;
    status = dci_shape_new(dim, 2, 1, 3 + dim, 1, mem, out, &w);
    if (status != DC_OK) return status;

    w.cone[0] = 1 + dim;
    w.growth[0] = w.growth[1] = length/2;       /* |e| <= alpha length/2, SILICO Eq. 50 */
    w.lift[0] = -1;
    w.lift[1] = 1;

    w.growth[2] = r;                            /* |x - e v| <= alpha r */
    for (i = 0; i < dim; ++i) w.normal[(3 + i)*dim + i] = -1;
    w.lift[3] = -1;
    out->size = r + length/2;
    return DC_OK;
}

DC_DEF dc_status dc_shape_cylinder(int dim, dc_real r, dc_real length, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status status;
    int i;

    if (!out || dim < 2 || dim > 3 || !dci_positive(r) || !dci_positive(length)) return DC_E_ARG;
    status = dci_shape_new(dim, 2, 1, 2 + dim, 0, mem, out, &w);
    if (status != DC_OK) return status;

    w.cone[0] = dim;
    /* |x.v| <= alpha length/2, SILICO Eq. 52 with e = x.v, which is best */
    w.normal[0] = 1;
    w.normal[dim] = -1;
    w.growth[0] = w.growth[1] = length/2;

    w.growth[2] = r;                            /* the part of x across v: <= alpha r */
    for (i = 1; i < dim; ++i) w.normal[(2 + i)*dim + i] = -1;
    out->size = dc_max(r, length/2);
    return DC_OK;
}

DC_DEF dc_status dc_shape_cone(int dim, dc_real height, dc_real slope, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status status;
    int i;

    if (!out || dim < 2 || dim > 3 || !dci_positive(height) || !dci_positive(slope)) return DC_E_ARG;
    status = dci_shape_new(dim, 1, 1, 1 + dim, 0, mem, out, &w);
    if (status != DC_OK) return status;

    w.cone[0] = dim;
    w.normal[0] = 1;                            /* x.v <= alpha height/4, SILICO Eq. 55 */
    w.growth[0] = height/4;

    w.normal[dim] = -slope;                     /* |x across v| <= slope (x.v + alpha 3 height/4), SILICO Eq. 54 */
    w.growth[1] = slope*DC_R(0.75)*height;
    for (i = 1; i < dim; ++i) w.normal[(1 + i)*dim + i] = -1;
    out->size = dc_max(height/4, slope*DC_R(0.75)*height/dc_sqrt(1 + slope*slope));
    return DC_OK;
}

DC_DEF dc_status dc_shape_ellipsoid(int dim, dc_v3 semi, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_status status;
    dc_real a[3];
    int i;

    a[0] = semi.x;
    a[1] = semi.y;
    a[2] = semi.z;
    if (!out || dim < 2 || dim > 3) return DC_E_ARG;

    for (i = 0; i < dim; ++i)
        if (!dci_positive(a[i])) return DC_E_ARG;
    status = dci_shape_new(dim, 0, 1, 1 + dim, 0, mem, out, &w);
    if (status != DC_OK) return status;

    w.cone[0] = 1 + dim;
    w.growth[0] = 1;                            /* |(x_i/a_i)| <= alpha: SILICO Eq. 48 has the squares */
    for (i = 0; i < dim; ++i) {
        w.normal[(1 + i)*dim + i] = -1/a[i];
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
    return n == s->rows && s->linear <= s->rows && dci_all_in_limit(s->A, s->rows*s->dim)
        && dci_all_in_limit(s->b, s->rows)
        && dci_all_in_limit(s->d, s->rows) && (s->aux == 0 || dci_all_in_limit(s->N, s->rows*s->aux));
}

DC_DEF dc_status dc_shape_sum(const dc_shape *a, const dc_shape *b, dc_arena *mem, dc_shape *out)
{
    dci_shape_data w;
    dc_shape s;
    dc_status status;
    int D, aux, k, i, j, row, cone;

    if (!out || !dci_shape_valid(a) || !dci_shape_valid(b) || a->dim != b->dim) return DC_E_ARG;

    D = a->dim;
    aux = a->aux + b->aux + D;                      /* e = (e_a, e_b, p), p the point of a */
    status = dci_shape_new(D, a->linear + b->linear, a->cones + b->cones, a->rows + b->rows, aux, mem, &s, &w);
    if (status != DC_OK) return status;
    /* linear rows of both, then cones of both. a: alpha b + d - A p + N e_a; b: alpha b + d - A (x - p) + N e_b,
     * SILICO Eq. 25 */
    for (k = 0; k < 2; ++k) {
        const dc_shape *c = k ? b : a;
        for (i = 0; i < c->rows; ++i) {
            row = i < c->linear ? i + (k ? a->linear : 0) : i + (k ? a->rows : b->linear);
            w.growth[row] = c->b[i];
            w.offset[row] = c->d[i];
            for (j = 0; j < D; ++j) {
                if (k) w.normal[row*D + j] = c->A[i*D + j];
                w.lift[row*aux + a->aux + b->aux + j] = k ? c->A[i*D + j] : -c->A[i*D + j];
            }
            for (j = 0; j < c->aux; ++j) w.lift[row*aux + (k ? a->aux : 0) + j] = c->N[i*c->aux + j];
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
    dc_status status;
    int D, i, j, k;

    if (!out || !dci_shape_valid(a) || !dci_pose_rows(a->dim, &pose, x, R)) return DC_E_ARG;

    D = a->dim;
    status = dci_shape_new(D, a->linear, a->cones, a->rows, a->aux, mem, &s, &w);
    if (status != DC_OK) return status;
    for (i = 0; i < a->rows; ++i) {                 /* A R^T (x - t) */
        w.offset[i] = a->d[i];
        for (j = 0; j < D; ++j) {
            dc_real t = 0;
            for (k = 0; k < D; ++k) t += a->A[i*D + k]*R[j*D + k];
            w.normal[i*D + j] = t;
            w.offset[i] += t*x[j];
        }
    }

    memcpy(w.growth, a->b, (size_t)a->rows*sizeof(dc_real));
    if (a->aux > 0) memcpy(w.lift, a->N, (size_t)(a->rows*a->aux)*sizeof(dc_real));
    for (i = 0; i < s.cones; ++i) w.cone[i] = a->cone[i];
    s.size = a->size;
    *out = s;
    return DC_OK;
}

/* ---- [cones] products of cones ----------------------------------------------------------------- */
/* stage                          | reads                | writes               | equation
 * dci_cone_scaling               | s, z                 | eta, scaling, scaled | W z = W^-1 s = lam
 * dci_cone_w, _winv, _divide     | scaling, x           | y                    | W x, W^-1 x, lam o y = x
 * dci_cone_rc                    | s, z, a direction    | rc                   | SILICO Eq. 12, 22, 33-35
 * dci_cone_step, _push           | x, dx                | the longest step; x  | SILICO Eq. 13, 36
 * dci_cone_excess, _along        | s, z                 | how far from the end | SILICO Eq. 22
 *
 * A vector of the product cone is a run of linear entries, then second-order cones, for each of a few runs. The scaling
 * of Nesterov and Todd, W z = W^-1 s = lam: on a linear entry W^-1 = sqrt(z/s), on a second-order cone
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
    dc_real a = dx[0]*dx[0], b = x[0]*dx[0], c = dci_soc_det(n, x), big, disc, t;
    int i;

    for (i = 1; i < n; ++i) {
        a -= dx[i]*dx[i];
        b -= x[i]*dx[i];
    }
    /* x_0 stays positive: at the apex the roots below are one, and rounding may lose it */
    if (x[0] + most*dx[0] < 0) most = -x[0]/dx[0];

    /* a t^2 + 2 b t + c = 0, c > 0: the smallest positive root. Of light bodies b^2 and a c underflow in float: times a
     * power of two, which changes no other bit */
    big = dc_max(dc_max(dc_abs(a), dc_abs(b)), c);
    if (big*big < DC_REAL_MIN/(DC_EPS*DC_EPS)) {
        a /= DC_EPS*DC_EPS;
        b /= DC_EPS*DC_EPS;
        c /= DC_EPS*DC_EPS;
    }
    disc = b*b - a*c;
    if (b >= 0 && a >= 0) return most;                          /* no positive root */
    if (disc < 0) return most;
    disc = dc_sqrt(disc);
    t = b < 0 ? c/(disc - b) : (a < 0 ? -(b + disc)/a : most);
    return t > 0 && t < most ? t : most;
}

/* A run of linear entries, or one second-order cone, of a vector of a product of cones. On the way its products z o s
 * are (t path + rho end) e: `end` is the natural unit of the product, `path` where the start puts it. */
typedef struct {
    int first, count;               /* entries of the vector */
    int second_order;               /* 1: a cone, else linear entries */
    dc_real eta;                    /* of a cone's scaling */
    dc_real path, end;
} dci_run;

/* A product of cones with its scaling at some s and z. All vectors begin with the first entry of the first run. */
typedef struct {
    dci_run *run;
    int runs;
    dc_real *scaling;               /* w: sqrt(z/s) of linear entries, w0 and w1 of cones */
    dc_real *scaled;                /* lam = W z = W^-1 s */
} dci_cones;

/* w, eta and lam = W z = W^-1 s; 0 when s or z is not inside */
static int dci_cone_scaling(const dci_cones *C, const dc_real *s, const dc_real *z)
{
    dci_run *R = C->run, *const end = R + C->runs;
    dc_real *w = C->scaling, *lam = C->scaled;
    int i;

    for (; R < end; ++R) {
        const int at = R->first;
        if (R->second_order) {
            R->eta = dci_soc_scaling(R->count, s + at, z + at, w + at);
            if (!(R->eta > 0)) return 0;
            dci_soc_w(R->count, w + at, R->eta, z + at, 1, lam + at);
        } else for (i = at; i < at + R->count; ++i) {
            if (!(s[i] > 0 && z[i] > 0)) return 0;
            w[i] = dc_sqrt(z[i]/s[i]);
            lam[i] = s[i]*w[i];
        }
    }
    return 1;
}

/* y = W^-1 x, entries inc apart; y may be x */
static void dci_cone_winv(const dci_cones *C, const dc_real *x, int inc, dc_real *y)
{
    const dci_run *R = C->run, *const end = R + C->runs;
    const dc_real *w = C->scaling;
    int i;

    for (; R < end; ++R) {
        const int at = R->first;
        if (R->second_order) dci_soc_winv(R->count, w + at, R->eta, x + at*inc, inc, y + at*inc);
        else for (i = at; i < at + R->count; ++i) y[i*inc] = w[i]*x[i*inc];
    }
}

/* y = W x */
static void dci_cone_w(const dci_cones *C, const dc_real *x, dc_real *y)
{
    const dci_run *R = C->run, *const end = R + C->runs;
    const dc_real *w = C->scaling;
    int i;

    for (; R < end; ++R) {
        const int at = R->first;
        if (R->second_order) dci_soc_w(R->count, w + at, R->eta, x + at, 1, y + at);
        else for (i = at; i < at + R->count; ++i) y[i] = x[i]/w[i];
    }
}

/* y with lam o y = x */
static void dci_cone_divide(const dci_cones *C, const dc_real *x, dc_real *y)
{
    const dci_run *R = C->run, *const end = R + C->runs;
    const dc_real *lam = C->scaled;
    int i;

    for (; R < end; ++R) {
        const int at = R->first;
        if (R->second_order) dci_soc_divide(R->count, lam + at, x + at, y + at);
        else for (i = at; i < at + R->count; ++i) y[i] = x[i]/lam[i];
    }
}

/* the largest step in [0, most] that keeps x + step dx inside */
static dc_real dci_cone_step(const dci_cones *C, const dc_real *x, const dc_real *dx, dc_real most)
{
    const dci_run *R = C->run, *const end = R + C->runs;
    int i;

    for (; R < end; ++R) {
        const int at = R->first;
        if (R->second_order) most = dci_soc_step(R->count, x + at, dx + at, most);
        else for (i = at; i < at + R->count; ++i)
            if (x[i] + most*dx[i] < 0) most = -x[i]/dx[i];
    }
    return most;
}

/* rc = lam o lam - (t path + rho end) e + q (W^-1 dsa) o (W dza), the last term if dsa is given; on linear entries the
 * products are s z and dsa dza (SILICO Eq. 12, 33-35, relaxed: SILICO Eq. 22). work: scratch, twice the largest
 * cone. */
static void dci_cone_rc(const dci_cones *C, const dc_real *s, const dc_real *z, dc_real t, dc_real rho, dc_real q,
                        const dc_real *dsa, const dc_real *dza, dc_real *rc, dc_real *work)
{
    const dci_run *R = C->run, *const end = R + C->runs;
    const dc_real *w = C->scaling, *lam = C->scaled;
    int i;

    for (; R < end; ++R) {
        const int at = R->first, n = R->count;
        const dc_real target = t*R->path + rho*R->end;
        if (!R->second_order) for (i = at; i < at + n; ++i) rc[i] = s[i]*z[i] - target + (dsa ? q*dsa[i]*dza[i] : 0);
        else {
            dci_soc_product(n, lam + at, lam + at, rc + at);
            rc[at] -= target;
            if (!dsa) continue;

            /* the second order of the predictor's step */
            dci_soc_winv(n, w + at, R->eta, dsa + at, 1, work);
            dci_soc_w(n, w + at, R->eta, dza + at, 1, work + n);
            dci_soc_product(n, work, work + n, work);
            for (i = 0; i < n; ++i) rc[at + i] += q*work[i];
        }
    }
}

/* the excess of complementarity, largest |z o s/unit - rho e|; `natural`: the unit is a run's `end`, and what rounding
 * leaves of a cone's product, whose terms cancel at its boundary, is taken off; else 1 */
static dc_real dci_cone_excess(const dci_cones *C, const dc_real *z, const dc_real *s, dc_real rho, int natural,
                               dc_real *work)
{
    const dci_run *R = C->run, *const end = R + C->runs;
    dc_real worst = 0;
    int i;

    for (; R < end; ++R) {
        const int at = R->first;
        const dc_real unit = natural ? R->end : 1, target = rho*unit, scale = 1/unit;
        const dc_real lost = natural && R->second_order ? 4*DC_EPS*z[at]*s[at] : 0;
        if (!R->second_order)
            for (i = at; i < at + R->count; ++i) worst = dc_max(worst, dc_abs(z[i]*s[i] - target)*scale);
        else {
            dci_soc_product(R->count, z + at, s + at, work);
            work[0] -= target;
            for (i = 0; i < R->count; ++i) worst = dc_max(worst, (dc_abs(work[i]) - lost)*scale);
        }
    }
    return worst;
}

/* how far on the path: the sum of (z.s - rho end)/path over all entries at (z + a dz, s + a ds) */
static dc_real dci_cone_along(const dci_cones *C, const dc_real *z, const dc_real *s, dc_real rho, dc_real a,
                              const dc_real *dz, const dc_real *ds)
{
    const dci_run *R = C->run, *const end = R + C->runs;
    dc_real sum = 0;
    int i;

    for (; R < end; ++R) {
        dc_real dot = -rho*R->end*DC_R(R->second_order ? 1 : R->count);
        for (i = R->first; i < R->first + R->count; ++i) dot += a > 0 ? (z[i] + a*dz[i])*(s[i] + a*ds[i]) : z[i]*s[i];
        sum += dot/R->path;
    }
    return sum;
}

/* z += dz e, s += ds e; 0 when one is not inside */
static int dci_cone_push(const dci_cones *C, dc_real dz, dc_real ds, dc_real *z, dc_real *s)
{
    const dci_run *R = C->run, *const end = R + C->runs;
    int i;

    for (; R < end; ++R)
        for (i = R->first; i < R->first + (R->second_order ? 1 : R->count); ++i) {
            if (!(z[i] > 0 && s[i] > 0)) return 0;
            z[i] += dz;
            s[i] += ds;
        }
    return 1;
}

/* x = e */
static void dci_cone_unit(const dci_cones *C, dc_real *x)
{
    const dci_run *R = C->run, *const end = R + C->runs;
    int i;

    for (; R < end; ++R)
        for (i = 0; i < R->count; ++i) x[R->first + i] = DC_R(!R->second_order || i == 0);
}

/* the number of cones, linear entries one each */
static int dci_cone_degree(const dci_cones *C)
{
    int k, sum = 0;
    for (k = 0; k < C->runs; ++k) sum += C->run[k].second_order ? 1 : C->run[k].count;
    return sum;
}

/* An iterate or a direction of an interior point: free unknowns, duals and slacks */
typedef struct { dc_real *free, *dual, *slack; } dci_ncp_point;

/* and what its equations leave: of the free unknowns' rows, of slacks, of products */
typedef struct { dc_real *free, *slack, *product; } dci_ncp_residual;

/* ---- [pair] one pair of shapes ----------------------------------------------------------------- */
/* The lower level (SILICO Eq. 14): minimise L alpha over y = (p, alpha, e_a, e_b), with the conditions
 *
 *     L e_alpha - G^T lam = 0,   s = g(y),   s o lam = rho e,   s and lam in K     (SILICO Eq. 26-29, 31, 32, 34-36)
 *
 * G = [-A R^T, b, N], the rows of a over those of b (SILICO Eq. 16; the sign of g is turned, and alpha >= 0 goes
 * without saying). Its Newton step and its derivatives are solves with
 *
 *     G^T dlam = r1,   G dy + W^2 dlam = r2                                                    (*)
 *
 * by Householder's QR of W^-1 G: rows differ in size by 1/rho, and no product G^T W^-2 G may be formed, or the small
 * pivots, which say where on a face two shapes touch, drown in the rounding of the large ones.
 *
 * stage                             | reads                   | writes                | equation
 * dci_pnc_lay, _fill                | shapes                  | A, b, d, N, weight    | SILICO Eq. 16
 * dci_pnc_eval                      | poses, y, lam           | G, arm, pull, g, Fy   | SILICO Eq. 26-29, 15
 * dci_pnc_qr                        | G, scaling              | qr                    | W^-1 G = Q R
 * dci_pnc_phi                       | qr                      | response              | (*) by displacement and r1
 * dci_pnc_c, _const, _dy, _ds, _dlam| residuals, qr           | a direction           | (*)
 * dci_pnc_solve                     | r1, r2                  | y, lam                | (*) in full, and its transpose
 * dci_pnc_shape_vjp                 | its answer              | derivatives by A, b.. | */

/* Householder's QR of [W^-1 G | -W^-1 G_p on a] */
typedef struct {
    int *swap;                      /* [rows] the row that came onto the diagonal */
    dc_real *matrix;                /* rows x (unknowns + dim): R over the reflectors' tails, then Q^T of the rest */
    dc_real *reflect;               /* [unknowns] the reflectors' factors */
} dci_pair_qr;

typedef struct {
    const dc_shape *shape[2];
    int dim, rows, rows_a;          /* rows of both shapes, of the first */
    int unknowns;                   /* of y */
    dc_real weight;                 /* L of the objective L alpha */

    /* the shapes' rows, those of a over those of b */
    dc_real *normal, *offset;       /* A, rows x dim, body frame; d */
    dc_real *row_scale;             /* by what the shapes' own rows were multiplied */
    dc_real *gradient;              /* G, rows x unknowns, world frame: A R^T of the last evaluation, b, N */
    dc_real arm[2][3];              /* r = p - x of the last evaluation */
    dc_real pull[2][3];             /* u = R A^T lam of the last evaluation */

    /* the factor */
    dci_cones cones;
    dci_pair_qr qr;
    dc_real response[49];           /* Phi, (2D+1) x 2D: (p - x_b, alpha, A_a^T dlam_a) by (xi of a from b, r1) */

    dc_real *right;                 /* [rows] c: a right-hand side, W^-1 r2, then Q^T W^-1 r2 */
    dc_real *quotient;              /* [rows] scratch: lam \ rc */
    dc_real *scratch[2];            /* [unknowns + dim] each */
} dci_pair_nc;

static int dci_pnc_unknowns(const dc_shape *a, const dc_shape *b) { return a->dim + 1 + a->aux + b->aux; }

/* Memory in pieces: run once with base NULL, which adds up the bytes, then with that much memory. */
typedef struct { unsigned char *base; size_t bytes; } dci_layout;

static void *dci_lay(dci_layout *l, size_t count, size_t size)
{
    size_t at = l->bytes;
    l->bytes = at > SIZE_MAX - 16 || (count > 0 && count > (SIZE_MAX - 16 - at)/size) ? SIZE_MAX
        : at + (count*size + 15)/16*16;
    return l->base ? l->base + at : NULL;
}
#define DCI_LAY(l, count, type) ((type *)dci_lay(l, (size_t)(count), sizeof(type)))

static void dci_pnc_lay(dci_pair_nc *P, const dc_shape *a, const dc_shape *b, dci_layout *l)
{
    int D = a->dim, m = a->rows + b->rows, ny = dci_pnc_unknowns(a, b);

    P->shape[0] = a;
    P->shape[1] = b;
    P->dim = D;
    P->rows = m;
    P->rows_a = a->rows;
    P->unknowns = ny;

    /* rows */
    P->normal = DCI_LAY(l, m*D, dc_real);
    P->offset = DCI_LAY(l, m, dc_real);
    P->row_scale = DCI_LAY(l, m, dc_real);
    P->gradient = DCI_LAY(l, m*ny, dc_real);

    /* cones, and the factor */
    P->cones.run = DCI_LAY(l, a->cones + b->cones + 2, dci_run);
    P->cones.scaling = DCI_LAY(l, m, dc_real);
    P->cones.scaled = DCI_LAY(l, m, dc_real);
    P->qr.swap = DCI_LAY(l, m, int);
    P->qr.matrix = DCI_LAY(l, m*(ny + D), dc_real);
    P->qr.reflect = DCI_LAY(l, ny, dc_real);

    /* scratch */
    P->right = DCI_LAY(l, m, dc_real);
    P->quotient = DCI_LAY(l, m, dc_real);
    P->scratch[0] = DCI_LAY(l, ny + D, dc_real);
    P->scratch[1] = DCI_LAY(l, ny + D, dc_real);
}

static void dci_run_add(dci_run *list, int *count, int at, int n, int soc)
{
    dci_run *R = list + (*count)++;
    R->first = at;
    R->count = n;
    R->second_order = soc;
    R->eta = 1;
    R->path = 1;
    R->end = 0;
}

/* Copies the shapes' rows: unit rows (and cones of unit slope) unless `as_given`; alpha is measured in `unit`, s in
 * `metres`. */
static void dci_pnc_fill(dci_pair_nc *P, int as_given, dc_real unit, dc_real metres)
{
    int D = P->dim, ny = P->unknowns, i, j, k, row = 0;

    P->cones.runs = 0;
    for (k = 0; k < 2; ++k) {
        const dc_shape *s = P->shape[k];
        int first = row, end, cone = 0, col = D + 1 + (k ? P->shape[0]->aux : 0);
        if (s->linear > 0) dci_run_add(P->cones.run, &P->cones.runs, row, s->linear, 0);
        while (first < row + s->rows) {             /* a linear row, or a cone */
            dc_real most = 0, f;
            if (first >= row + s->linear) {
                end = first + s->cone[cone++];
                dci_run_add(P->cones.run, &P->cones.runs, first, end - first, 1);
            } else end = first + 1;
            for (i = first - row; i < end - row; ++i) {
                dc_real len2 = 0;
                for (j = 0; j < D; ++j) len2 += s->A[i*D + j]*s->A[i*D + j];
                for (j = 0; j < s->aux; ++j) len2 += s->N[i*s->aux + j]*s->N[i*s->aux + j];
                most = dc_max(most, len2);
            }

            /* unit rows */
            f = as_given || !(most > 0) ? 1 : 1/(metres*dc_sqrt(most));
            for (i = first - row; i < end - row; ++i) {
                dc_real *G = P->gradient + (row + i)*ny;
                P->row_scale[row + i] = f;
                for (j = 0; j < D; ++j) P->normal[(row + i)*D + j] = f*s->A[i*D + j];
                P->offset[row + i] = f*s->d[i];
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
    int ny = P->unknowns, m = P->rows, i, j, l, k;

    for (j = 0; j < ny; ++j) Fy[j] = 0;
    Fy[D] = P->weight;
    for (k = 0, i = 0; k < 2; ++k) {
        int end = k ? m : P->rows_a;
        dc_real r[3], u[3];
        for (j = 0; j < D; ++j) {
            r[j] = P->arm[k][j] = y[j] - x[k][j];
            u[j] = 0;
        }

        /* a row of G, of g, and what it adds to the stationarity rows */
        for (; i < end; ++i) {
            const dc_real *A = P->normal + i*D;
            dc_real *G = P->gradient + i*ny, t = P->offset[i], z = lam[i];

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
            P->pull[k][j] = u[j];
            Fy[j] += u[j];              /* SILICO Eq. 27 */
        }
    }
}

/* v <- Q^T v */
static void dci_pnc_qt(const dci_pair_nc *P, dc_real *v)
{
    int m = P->rows, ny = P->unknowns, ld = ny + P->dim, i, j;
    const dc_real *B = P->qr.matrix;

    for (j = 0; j < ny; ++j) {
        dc_real t = v[P->qr.swap[j]];
        v[P->qr.swap[j]] = v[j];
        v[j] = t;
    }

    for (j = 0; j < ny; ++j) {
        dc_real t = v[j];
        for (i = j + 1; i < m; ++i) t += B[i*ld + j]*v[i];
        t *= P->qr.reflect[j];
        v[j] -= t;
        for (i = j + 1; i < m; ++i) v[i] -= t*B[i*ld + j];
    }
}
/* v <- Q v */
static void dci_pnc_q(const dci_pair_nc *P, dc_real *v)
{
    int m = P->rows, ny = P->unknowns, ld = ny + P->dim, i, j;
    const dc_real *B = P->qr.matrix;

    for (j = ny - 1; j >= 0; --j) {
        dc_real t = v[j];
        for (i = j + 1; i < m; ++i) t += B[i*ld + j]*v[i];
        t *= P->qr.reflect[j];
        v[j] -= t;
        for (i = j + 1; i < m; ++i) v[i] -= t*B[i*ld + j];
    }

    for (j = ny - 1; j >= 0; --j) {
        dc_real t = v[P->qr.swap[j]];
        v[P->qr.swap[j]] = v[j];
        v[j] = t;
    }
}
/* x <- R^-1 x, x <- R^-T x */
static void dci_pnc_r(const dci_pair_nc *P, dc_real *x)
{
    int ny = P->unknowns, ld = ny + P->dim, i, j;
    for (i = ny - 1; i >= 0; --i) {
        dc_real t = x[i];
        for (j = i + 1; j < ny; ++j) t -= P->qr.matrix[i*ld + j]*x[j];
        x[i] = t/P->qr.matrix[i*ld + i];
    }
}
static void dci_pnc_rt(const dci_pair_nc *P, dc_real *x)
{
    int ny = P->unknowns, ld = ny + P->dim, i, j;
    for (j = 0; j < ny; ++j) {
        dc_real t = x[j] = x[j]/P->qr.matrix[j*ld + j];
        for (i = j + 1; i < ny; ++i) x[i] -= P->qr.matrix[j*ld + i]*t;
    }
}

/* The QR of W^-1 G and, behind it, the columns of Xi below. Rows are swapped to bring the largest entry of a column
 * onto the diagonal. 0 when a diagonal entry vanishes. */
DCI_LANE int dci_pnc_qr(dci_pair_nc *P, const int D)
{
    const dc_real *w = P->cones.scaling;
    dc_real *tau = P->qr.reflect;
    int m = P->rows, m0 = P->rows_a, ny = P->unknowns, ld = ny + D, i, j, l, k;
    dc_real *B = P->qr.matrix;

    if (m < ny) return 0;       /* two shapes of so few rows that they leave a direction free */

    /* W^-1 [G | -G_p on a] */
    for (i = 0; i < m; ++i) {
        const dc_real *G = P->gradient + i*ny;
        dc_real *b = B + i*ld;
        for (j = 0; j < ny; ++j) b[j] = G[j];
        for (j = 0; j < D; ++j) b[ny + j] = i < m0 ? -G[j] : 0;
    }

    for (k = 0; k < P->cones.runs; ++k) {
        const dci_run *run = P->cones.run + k;
        if (run->second_order)
            for (j = 0; j < ld; ++j) {
                dc_real *column = B + run->first*ld + j;
                dci_soc_winv(run->count, w + run->first, run->eta, column, ld, column);
            }
        else for (i = run->first; i < run->first + run->count; ++i)
            for (j = 0; j < ld; ++j) B[i*ld + j] *= w[i];
    }

    /* column by column: the largest entry onto the diagonal */
    for (j = 0; j < ny; ++j) {
        int piv = j;
        dc_real most = dc_abs(B[j*ld + j]), norm2 = 0, alpha, v0;
        for (i = j + 1; i < m; ++i)
            if (dc_abs(B[i*ld + j]) > most) {
                most = dc_abs(B[i*ld + j]);
                piv = i;
            }
        P->qr.swap[j] = piv;
        if (!(most > 0)) return 0;
        if (piv != j)
            for (l = 0; l < ld; ++l) {
                dc_real t = B[j*ld + l];
                B[j*ld + l] = B[piv*ld + l];
                B[piv*ld + l] = t;
            }

        /* the reflector that takes the rest of the column to alpha */
        for (i = j; i < m; ++i) {
            dc_real t = B[i*ld + j]/most;
            norm2 += t*t;
        }
        alpha = most*dc_sqrt(norm2);
        if (B[j*ld + j] > 0) alpha = -alpha;            /* R's diagonal entry */
        v0 = B[j*ld + j] - alpha;
        tau[j] = -v0/alpha;
        for (i = j + 1; i < m; ++i) B[i*ld + j] /= v0;
        B[j*ld + j] = alpha;

        /* the columns behind it */
        {
            dc_real *t = P->scratch[0];
            int cols = ld - j - 1;
            for (l = 0; l < cols; ++l) t[l] = B[j*ld + j + 1 + l];
            for (i = j + 1; i < m; ++i) {
                dc_real v = B[i*ld + j];
                const dc_real *b = B + i*ld + j + 1;
                for (l = 0; l < cols; ++l) t[l] += v*b[l];
            }
            for (l = 0; l < cols; ++l) {
                t[l] *= tau[j];
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
    int m = P->rows, ny = P->unknowns, ld = ny + D, i, j, l;
    dc_real *B = P->qr.matrix;

    /* columns 0..D-1 by xi, D..2D-1 by r1 = e_j */
    for (j = 0; j < 2*D; ++j) {
        dc_real *y = P->scratch[0];
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
            P->response[(D + 1 + l)*n + j] = t;
        }
        dci_pnc_r(P, y);
        for (l = 0; l <= D; ++l) P->response[l*n + j] = y[l];
    }
}

DCI_LANE int dci_pnc_factor(dci_pair_nc *P, const int D)
{
    if (!dci_pnc_qr(P, D)) return 0;
    dci_pnc_phi(P, D);
    return 1;
}

/* The constant part of the same answers, (2D + 1) numbers, for r1 [ny] and c = W^-1 r2 [m]; c is overwritten by Q^T
 * c */
DCI_LANE void dci_pnc_const(dci_pair_nc *P, const int D, const dc_real *r1, dc_real *c, dc_real *out)
{
    int m = P->rows, ny = P->unknowns, ld = ny + D, i, l;
    dc_real *y = P->scratch[0], *t = P->scratch[1];

    dci_pnc_qt(P, c);
    for (i = 0; i < ny; ++i) t[i] = r1[i];
    dci_pnc_rt(P, t);

    for (l = 0; l < D; ++l) {
        dc_real v = 0;
        for (i = 0; i < ny; ++i) v += P->qr.matrix[i*ld + ny + l]*t[i];
        for (i = ny; i < m; ++i) v += P->qr.matrix[i*ld + ny + l]*c[i];
        out[D + 1 + l] = v;
    }

    for (i = 0; i < ny; ++i) y[i] = c[i] - t[i];
    dci_pnc_r(P, y);
    for (l = 0; l <= D; ++l) out[l] = y[l];
}

/* All of dy [ny] (p against x_b) for r1 and c = Q^T W^-1 r2 (dci_pnc_const has left it) and a displacement xi */
DCI_LANE void dci_pnc_dy(dci_pair_nc *P, const int D, const dc_real *r1, const dc_real *c, const dc_real *xi,
                         dc_real *dy)
{
    int ny = P->unknowns, ld = ny + D, i, l;
    dc_real *t = P->scratch[1];

    for (i = 0; i < ny; ++i) t[i] = r1[i];
    dci_pnc_rt(P, t);
    for (i = 0; i < ny; ++i) {
        dc_real v = c[i] - t[i];
        for (l = 0; l < D; ++l) v -= P->qr.matrix[i*ld + ny + l]*xi[l];
        dy[i] = v;
    }
    dci_pnc_r(P, dy);
}

/* ds = G dy + (A_w xi on a) - Fs */
DCI_LANE void dci_pnc_ds(const dci_pair_nc *P, const int D, const dc_real *dy, const dc_real *xi, const dc_real *Fs,
                         dc_real *ds)
{
    int m = P->rows, ny = P->unknowns, i, j;

    for (i = 0; i < m; ++i) {
        const dc_real *G = P->gradient + i*ny;
        dc_real t = -Fs[i];
        if (i < P->rows_a) for (j = 0; j < D; ++j) t += G[j]*(dy[j] - xi[j]);
        else for (j = 0; j < D; ++j) t += G[j]*dy[j];
        for (j = D; j < ny; ++j) t += G[j]*dy[j];
        ds[i] = t;
    }
}

/* c = W^-1 Fs - lam \ rc */
static void dci_pnc_c(const dci_pair_nc *P, const dc_real *Fs, const dc_real *rc, dc_real *c)
{
    int i;
    dci_cone_winv(&P->cones, Fs, 1, c);
    dci_cone_divide(&P->cones, rc, P->quotient);
    for (i = 0; i < P->rows; ++i) c[i] -= P->quotient[i];
}

/* dz = -W^-1 (W^-1 ds + lam \ rc) */
static void dci_pnc_dz(const dci_pair_nc *P, const dc_real *ds, const dc_real *rc, dc_real *dz)
{
    int i;
    dci_cone_winv(&P->cones, ds, 1, dz);
    dci_cone_divide(&P->cones, rc, P->quotient);
    for (i = 0; i < P->rows; ++i) dz[i] = -dz[i] - P->quotient[i];
    dci_cone_winv(&P->cones, dz, 1, dz);
}

/* The symmetric system (*) in full: y [ny] and lam [m] for r1 [ny] and r2 [m]; r2 is overwritten. The derivatives of
 * the pair's solution are o = y . r1 + lam . r2 for cotangents in the place of r1 and r2. */
static void dci_pnc_solve(dci_pair_nc *P, const dc_real *r1, dc_real *r2, dc_real *y, dc_real *lam)
{
    int ny = P->unknowns, m = P->rows, i;
    dc_real *t = P->scratch[1];

    dci_cone_winv(&P->cones, r2, 1, r2);
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
    dci_cone_winv(&P->cones, lam, 1, lam);
}

/* Adds to the derivatives by the numbers of shape k: Y, Lam the answer of dci_pnc_solve, ubar the cotangent of u_k (or
 * NULL), unit as in dci_pnc_fill. With G_i = f [-A R^T, unit b, N], g_i = G_i . (r, alpha, e) + f d:
 *     o = -Y . dG^T lam - Lam . dg + ubar . du */
static void dci_pnc_shape_vjp(const dci_pair_nc *P, int k, dc_real unit, const dc_real *R, const dc_real *y,
                              const dc_real *lam, const dc_real *Y, const dc_real *Lam, const dc_real *ubar,
                              dc_shape_grad *out)
{
    int D = P->dim, first = k ? P->rows_a : 0, end = k ? P->rows : P->rows_a, col = D + 1 + (k ? P->shape[0]->aux : 0),
        aux = P->shape[k]->aux;
    dc_real Yb[3] = DC_ZERO, rb[3] = DC_ZERO;
    int i, j, l;

    for (j = 0; j < D; ++j)
        for (l = 0; l < D; ++l) {
            Yb[j] += R[l*D + j]*(Y[l] + (ubar ? ubar[l] : 0));
            rb[j] += R[l*D + j]*P->arm[k][l];
        }

    for (i = first; i < end; ++i) {
        dc_real f = P->row_scale[i];
        int row = i - first;
        if (out->A) for (j = 0; j < D; ++j) out->A[row*D + j] += f*(lam[i]*Yb[j] + Lam[i]*rb[j]);
        if (out->b) out->b[row] -= f*unit*(lam[i]*Y[D] + Lam[i]*y[D]);
        if (out->d) out->d[row] -= f*Lam[i];
        if (out->N) for (j = 0; j < aux; ++j) out->N[row*aux + j] -= f*(lam[i]*Y[col + j] + Lam[i]*y[col + j]);
    }
}

/* dlam = W^-1 Q (R^-T r1; c2 - X2 xi), c as in dci_pnc_dy */
DCI_LANE void dci_pnc_dlam(dci_pair_nc *P, const int D, const dc_real *r1, const dc_real *c, const dc_real *xi,
                           dc_real *dlam)
{
    int m = P->rows, ny = P->unknowns, ld = ny + D, i, l;

    for (i = 0; i < ny; ++i) dlam[i] = r1[i];
    dci_pnc_rt(P, dlam);
    for (i = ny; i < m; ++i) {
        dc_real v = c[i];
        for (l = 0; l < D; ++l) v -= P->qr.matrix[i*ld + ny + l]*xi[l];
        dlam[i] = v;
    }
    dci_pnc_q(P, dlam);
    dci_cone_winv(&P->cones, dlam, 1, dlam);
}

/* ---- [growth] growth distance by the interior point -------------------------------------------- */
/* stage                     | reads                   | writes                   | equation
 * dci_growth_middle         | shapes, poses           | start                    |
 * dci_growth_start          | start                   | at                       |
 * dci_growth_eval           | at                      | residual                 | SILICO Eq. 26-29, 31, 32
 * dci_growth_direction      | residual, factor        | predictor or step        | (*)
 * dci_growth_go_on          | at                      | at, the pair's factor    | all of these, to rounding */

/* o = w x r; in 2D w is one number */
DCI_LANE void dci_ncp_cross(const int D, const dc_real *w, const dc_real *r, dc_real *o)
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
/* o = r x f; in 2D it is one number */
DCI_LANE void dci_ncp_torque(const int D, const dc_real *r, const dc_real *f, dc_real *o)
{
    if (D == 2) o[0] = r[0]*f[1] - r[1]*f[0];
    else dci_ncp_cross(3, r, f, o);
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

/* Two shapes of linear rows without auxiliary numbers: the way of the section on polytopes. */
static int dci_corner_may(const dc_shape *a, const dc_shape *b) { return a->cones + b->cones + a->aux + b->aux == 0; }
static size_t dci_corner_reals(const dc_shape *a, const dc_shape *b)
{
    return (size_t)((a->rows + b->rows)*(a->dim + 5));
}

/* where a growth problem begins */
typedef struct {
    dc_real centre[2][3];           /* the points that the shapes grow about */
    dc_real middle[3];              /* between them */
    dc_real slack, dual;            /* typical s and lam */
} dci_growth_start_at;

typedef struct {
    /* problem */
    dci_pair_nc *pair;
    const dc_real *position[2], *rotation[2];       /* of the bodies: */
    dc_real own_position[2][3], own_rotation[2][9]; /* here, for a problem that stands alone */
    dc_real unit, metres;           /* alpha is counted in units, s in metres */
    dc_real rho;
    int max_iterations;
    dci_growth_start_at start;

    /* iteration */
    dci_ncp_point at;                   /* y, lam, s */
    dci_ncp_residual residual;
    dc_real *constraint;            /* [rows] g(y) */
    dci_ncp_point predictor, step;      /* directions to the end of the path, and to a place on it */
    dc_real *right;                 /* [rows] c of dci_pnc_const */
    dc_real *work;                  /* [3 rows] scratch */

    dc_real *adjoint;               /* [unknowns] y of dci_pnc_solve for cotangents */
    dc_real *corner_memory;         /* of a dci_corner; NULL where there is none */
    dc_growth_warm *warm;
} dci_growth;

/* One iterate or direction */
static void dci_ncp_lay_point(dci_ncp_point *p, int free, int dual, dci_layout *l)
{
    p->free = DCI_LAY(l, free, dc_real);
    p->dual = DCI_LAY(l, dual, dc_real);
    p->slack = DCI_LAY(l, dual, dc_real);
}

/* what the iteration needs, for pairs of m rows and ny unknowns */
static void dci_growth_lay(dci_growth *G, int m, int ny, dci_layout *l)
{
    dci_ncp_lay_point(&G->at, ny, m, l);
    dci_ncp_lay_point(&G->predictor, ny, m, l);
    dci_ncp_lay_point(&G->step, ny, m, l);
    G->residual.free = DCI_LAY(l, ny, dc_real);
    G->residual.slack = DCI_LAY(l, m, dc_real);
    G->residual.product = DCI_LAY(l, m, dc_real);
    G->constraint = DCI_LAY(l, m, dc_real);
    G->right = DCI_LAY(l, m, dc_real);
    G->work = DCI_LAY(l, 3*m, dc_real);
    G->adjoint = DCI_LAY(l, ny, dc_real);
}

/* all that a growth problem alone needs */
static void dci_growth_all(dci_growth *G, const dc_shape *a, const dc_shape *b, dci_layout *l)
{
    dci_pair_nc none;
    G->pair = DCI_LAY(l, 1, dci_pair_nc);
    dci_pnc_lay(G->pair ? G->pair : &none, a, b, l);
    dci_growth_lay(G, a->rows + b->rows, dci_pnc_unknowns(a, b), l);
    G->corner_memory = dci_corner_may(a, b) ? DCI_LAY(l, dci_corner_reals(a, b), dc_real) : NULL;
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

/* The residual at G->at; its largest, rows of p and e per metre */
static void dci_growth_eval(dci_growth *G, dc_real *residual)
{
    dci_pair_nc *P = G->pair;
    dci_ncp_residual *F = &G->residual;
    const dci_ncp_point *at = &G->at;
    dc_real worst = 0;
    int i;

    if (P->dim == 2) dci_pnc_eval(P, 2, G->position, G->rotation, at->free, at->dual, G->constraint, F->free);
    else dci_pnc_eval(P, 3, G->position, G->rotation, at->free, at->dual, G->constraint, F->free);
    for (i = 0; i < P->rows; ++i) {
        F->slack[i] = at->slack[i] - G->constraint[i];
        worst = dc_max(worst, dc_abs(F->slack[i]));
    }
    for (i = 0; i < P->unknowns; ++i) worst = dc_max(worst, dc_abs(F->free[i])*(i != P->dim ? G->metres : 1));
    *residual = worst;
}

/* Newton's direction for G->residual, shapes at rest */
static void dci_growth_direction(dci_growth *G, const dci_ncp_point *out)
{
    dci_pair_nc *P = G->pair;
    const dci_ncp_residual *F = &G->residual;
    const dc_real rest[3] = DC_ZERO;
    dc_real answer[7];

    dci_pnc_c(P, F->slack, F->product, G->right);
    if (P->dim == 2) {
        dci_pnc_const(P, 2, F->free, G->right, answer);
        dci_pnc_dy(P, 2, F->free, G->right, rest, out->free);
        dci_pnc_ds(P, 2, out->free, rest, F->slack, out->slack);
    } else {
        dci_pnc_const(P, 3, F->free, G->right, answer);
        dci_pnc_dy(P, 3, F->free, G->right, rest, out->free);
        dci_pnc_ds(P, 3, out->free, rest, F->slack, out->slack);
    }
    dci_pnc_dz(P, out->slack, F->product, out->dual);
}

/* A = U^T D U of a positive matrix, from its upper triangle and in place: U of unit diagonal above it, 1/D on it. 0: it
 * is not. */
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

/* The point that a shape grows about, in the world: least squares of A c = d over unit rows, which is exact without
 * N. */
static void dci_growth_centre(const dc_shape *s, const dc_real *R, const dc_real *x, dc_real *centre)
{
    int D = s->dim, i, j, l, moved = 0;
    dc_real A[9] = DC_ZERO, c[3] = DC_ZERO;

    for (i = 0; i < s->rows; ++i) moved |= s->d[i] != 0;
    for (i = 0; i < D; ++i) centre[i] = x[i];
    if (!moved) return;

    /* normal equations of the rows */
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

/* The shapes' centres and the middle between them, or the foot of one on a half-space; returns their squared
 * distance */
static dc_real dci_growth_middle(dci_growth *G, const dc_shape *a, const dc_shape *b)
{
    dci_growth_start_at *start = &G->start;
    const dc_real *centre;
    dc_real dist2 = 0, gap, n[3], n2 = 0;
    int D = a->dim, i, j, k;

    if (a->size > 0) dci_growth_centre(a, G->rotation[0], G->position[0], start->centre[0]);
    if (b->size > 0) dci_growth_centre(b, G->rotation[1], G->position[1], start->centre[1]);

    /* both grow */
    if (a->size > 0 && b->size > 0) {
        for (i = 0; i < D; ++i) {
            dc_real t = start->centre[0][i] - start->centre[1][i];
            dist2 += t*t;
            start->middle[i] = DC_R(0.5)*(start->centre[0][i] + start->centre[1][i]);
        }
        return dist2;
    }

    /* shape k is a half-space, as wide as its row */
    k = a->size > 0;
    centre = start->centre[1 - k];
    gap = (k ? b : a)->d[0];
    for (i = 0; i < D; ++i) {
        n[i] = 0;
        for (j = 0; j < D; ++j) n[i] += G->rotation[k][i*D + j]*(k ? b : a)->A[j];
        gap -= n[i]*(centre[i] - G->position[k][i]);
        n2 += n[i]*n[i];
    }
    if (!(n2 > 0)) n2 = 1;
    for (i = 0; i < D; ++i) start->middle[i] = start->centre[k][i] = centre[i] + gap*n[i]/n2;
    return gap*gap/n2;
}

/* |tail| of the cone whose head is row i, 0 for a linear row */
static dc_real dci_growth_tail(const dci_run *R, int i, const dc_real *g)
{
    dc_real r2 = 0;
    int j;
    for (j = 1; R->second_order && j < R->count; ++j) r2 += g[i + j]*g[i + j];
    return dc_sqrt(r2);
}

/* Start: the middle and a growth at which the shapes hold it, s at g where that is inside by a margin, else moved
 * there, z about 1/s; of rows that grow little s is smaller and z larger, so that a thin shape is no harder than a
 * round one. */
static void dci_growth_start(dci_growth *G)
{
    dci_pair_nc *P = G->pair;
    const dci_ncp_point *at = &G->at;
    const dc_real *g = G->constraint, *growth = P->gradient + P->dim;       /* b of row i: growth[i unknowns] */
    dc_real residual, need = 0;
    int i, k, j, D = P->dim;

    for (i = 0; i < P->unknowns; ++i) at->free[i] = 0;
    for (i = 0; i < D; ++i) at->free[i] = G->start.middle[i];
    at->free[D] = 1;
    for (i = 0; i < P->rows; ++i) at->dual[i] = at->slack[i] = 0;
    dci_growth_eval(G, &residual);

    /* grow by what the farthest row needs */
    for (k = 0; k < P->cones.runs; ++k) {
        const dci_run *R = P->cones.run + k;
        for (i = R->first; i < R->first + (R->second_order ? 1 : R->count); ++i) {
            const dc_real beta = growth[i*P->unknowns];
            if (beta > 0) need = dc_max(need, (dci_growth_tail(R, i, g) - g[i])/beta);
        }
    }
    if (need > 0) {
        at->free[D] += need;
        dci_growth_eval(G, &residual);
    }

    /* slacks and duals */
    for (k = 0; k < P->cones.runs; ++k) {
        const dci_run *R = P->cones.run + k;
        for (i = R->first; i < R->first + (R->second_order ? 1 : R->count); ++i) {
            const dc_real beta = dc_abs(growth[i*P->unknowns]), thin = beta > 0 ? dc_min(1, beta/G->start.slack) : 1;
            const dc_real slack = thin*G->start.slack;
            for (j = 1; R->second_order && j < R->count; ++j) at->slack[i + j] = g[i + j];
            at->slack[i] = dc_max(g[i], dci_growth_tail(R, i, g) + slack/2);
            at->dual[i] = G->start.dual/thin*slack/(slack + at->slack[i]);
        }
    }
}

/* iterations without a tenth off the residual, after which there is nothing to hope for */
#define DCI_GROWTH_STALL 50

/* The largest step up to `most` that keeps s and z inside */
static dc_real dci_growth_step(const dci_growth *G, const dci_ncp_point *direction, dc_real most)
{
    const dci_cones *cones = &G->pair->cones;
    most = dci_cone_step(cones, G->at.slack, direction->slack, most);
    return dci_cone_step(cones, G->at.dual, direction->dual, most);
}

/* Mehrotra's predictor and corrector from G->at. rough: to a tenth of rho; else until rounding stops it */
static DCI_NOINLINE dc_status dci_growth_go_on(dci_growth *G, dc_real rho, int rough, int most, dc_growth_result *out)
{
    const dc_real back = DC_R(0.9);         /* fraction of the way to the boundary */
    const dc_real unit = G->start.slack;
    dci_pair_nc *P = G->pair;
    const dci_cones *cones = &P->cones;
    dc_real *y = G->at.free, *s = G->at.slack, *z = G->at.dual, *rc = G->residual.product;
    const dc_real *dsa = G->predictor.slack, *dza = G->predictor.dual;
    dc_real tol, away = 0, last = DC_REAL_MAX, best = DC_REAL_MAX;
    dc_real residual, worst, a, nu, nua, target, sigma;
    int it, i, degree = dci_cone_degree(cones), ok, since = 0;

    /* good enough, and as good as rounding lets it be: derivatives are those of the exact solution; in the unit of the
     * slacks */
    for (i = 0; i < 2*P->dim; ++i) away = dc_max(away, dc_abs(G->position[i/P->dim][i%P->dim]));
    tol = dc_max(rho*DC_R(rough ? 0.1 : 1e-3), dc_max(1024, 4*away/G->metres)*unit*DC_EPS);

    for (it = 0;; ++it) {
        dci_growth_eval(G, &residual);
        out->iterations = it;
        out->residual = residual;

        /* the factor is that of the last iterate whatever happens then */
        if (!dci_cone_scaling(cones, s, z)) return DC_E_SINGULAR;
        nu = 0;
        for (i = 0; i < P->rows; ++i) nu += s[i]*z[i];
        nu /= DC_R(degree);
        worst = dci_cone_excess(cones, z, s, rho, 0, G->work);
        out->residual = dc_max(residual, worst);
        ok = P->dim == 2 ? dci_pnc_qr(P, 2) : dci_pnc_qr(P, 3);
        if (!ok) return DC_E_SINGULAR;

        /* done, or no way on */
        worst = dc_max(residual, worst);
        if (worst <= tol && (rough || worst <= 16*unit*DC_EPS || worst > DC_R(0.5)*last)) return DC_OK;
        last = worst;
        if (worst < DC_R(0.9)*best) {
            best = worst;
            since = it;
        }
        if (it == most || it - since >= DCI_GROWTH_STALL) return DC_E_DIVERGED;

        /* predictor, and how far it gets */
        dci_cone_rc(cones, s, z, rho, 0, 0, NULL, NULL, rc, G->work);
        dci_growth_direction(G, &G->predictor);
        a = dci_growth_step(G, &G->predictor, 1);
        nua = 0;
        for (i = 0; i < P->rows; ++i) nua += (s[i] + a*dsa[i])*(z[i] + a*dza[i]);
        sigma = dc_max(dc_min(nua/(nu*DC_R(degree)), 1), 0);
        target = dc_max(sigma*sigma*sigma*nu, rho);

        /* corrector */
        dci_cone_rc(cones, s, z, target, 0, a, dsa, dza, rc, G->work);
        dci_growth_direction(G, &G->step);
        a = dc_min(back*dci_growth_step(G, &G->step, 1/back), 1);
        for (i = 0; i < P->unknowns; ++i) y[i] += a*G->step.free[i];
        for (i = 0; i < P->rows; ++i) {
            s[i] += a*G->step.slack[i];
            z[i] += a*G->step.dual[i];
        }
    }
}

/* the same from a start */
static dc_status dci_growth_solve(dci_growth *G, dc_real rho, int rough, int most, dc_growth_result *out)
{
    dci_growth_start(G);
    return dci_growth_go_on(G, rho, rough, most, out);
}

/* ---- [corner] growth distance of polytopes ----------------------------------------------------- */
/* Two shapes of linear rows alone, polytopes and half-spaces. In y = (p/L, alpha), p from b's origin, SILICO Eq. 14 is
 * at rho = 0 the linear program
 *
 *     least alpha with   s = G y + h >= 0.
 *
 * Its answer is a corner: n = D + 1 rows B with s_B = 0 and multipliers mult = G_B^-T e_alpha > 0. Seen from there,
 * with v = s_B as unknowns in the place of y and C = G G_B^-1, the other rows are s = s0 + C v, and what is left of the
 * relaxed conditions s lam = rho, e_alpha = G^T lam are n equations for lam_B:
 *
 *     v = rho/lam_B,   F = lam_B + C^T lam - mult = 0,   lam = rho/s off the corner                   (A)
 *     (E^-1 + K) (E dlam_B) = -F,   E = diag(v/lam_B),   K = C^T diag(lam/s) C                        (B)
 *
 * One or two steps of Newton reach rounding, for K E is of the size of rho. Nothing cancels at any distance: the small
 * slacks v are unknowns, no differences. Two kinds of corners need a better start than lam_B = mult: where more than n
 * rows meet, as at a vertex of five faces, these share their pull first; where faces are parallel, mult is 0 on a level
 * edge, and v starts at its middle. Where that does not do (more than DCI_CORNER_NEAR rows, concentric shapes, rho near
 * 1) the interior point above does.
 *
 * stage                   | reads            | writes                              | equation
 * dci_corner_rows         | shapes, poses    | slope (as G), offset                | s = G y + h
 * dci_corner_start        | G, h             | basis of two rows, slack            |
 * dci_corner_walk         | G, basis, slack  | basis (the corner's)                | the simplex method
 * dci_corner_open         | G, h, basis      | inverse, vertex, multiplier, C, s0  | C = G G_B^-1; or "no corner"
 * dci_corner_newton       | C, s0, mult      | dual, opening, stiffness, pull      | (A), (B)
 * dci_corner_phi, _vjp    | all              | derivatives                         | of (A) */

#define DCI_WALK 48                 /* corners passed before the interior point is asked instead */
#define DCI_CORNER_NEWTON 12        /* the same for steps of Newton */
#define DCI_CORNER_NEAR 20          /* and for rows that meet at the corner besides its own */

typedef struct {
    int rows, rows_a;               /* of both shapes, of the first */
    int basis[4];                   /* the corner's rows; -1: one of the directions that fill up a start */
    dc_real metres;                 /* L */

    dc_real *slope, *offset;        /* [rows x n], [rows]: G and h; from dci_corner_open on C in the place of G */
    dc_real *slack;                 /* [rows] s at the corner walked to, then s0 */
    dc_real *slack_change, *stop;   /* [rows] on the way: change of slacks, and how far each row lets one */

    dc_real basis_rows[16];         /* G_B */
    dc_real inverse[16];            /* of G_B: column j is the motion that opens row j alone */
    dc_real vertex[4];              /* y at the corner */
    dc_real nearest;                /* least slack there of the other rows */
    dc_real multiplier[4];          /* mult: duals at the corner, rho = 0 */

    dc_real opening[4], dual[4];    /* v and lam_B of the relaxed problem */
    dc_real stiffness[2][16], pull[2][4];           /* sums over the rows of a and b off the corner: K and C^T lam */
    dc_real factor[16];             /* of E^-1 + K */
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

        /* 0: the rows are as good as dependent */
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
    dci_pair_nc *P = G->pair;
    const int n = D + 1;
    dc_real inv_L = 1/Q->metres;
    int k, i, j, l, row = 0;

    for (k = 0; k < 2; ++k) {
        const dc_shape *s = P->shape[k];
        const dc_real *R = G->own_rotation[k], *x = G->own_position[k];
        for (i = 0; i < s->rows; ++i, ++row) {
            const dc_real *A = s->A + i*D;
            dc_real *g = Q->slope + row*n, len2 = 0, f, h;
            for (j = 0; j < D; ++j) len2 += A[j]*A[j];
            if (!(len2 > 0) || !(s->b[i] > 0 || (s->b[i] == 0 && s->rows == 1))) return 0;

            /* -A R^T, b, and d + A R^T x, over the row's length and L */
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
            Q->offset[row] = f*h;
            P->row_scale[row] = f;
        }
    }
    return 1;
}

/* A corner of fewer rows than n to walk from, and the slacks there: on the line between the two reference points, at
 * the growth at which the shapes meet on it; or at the foot of one on a half-space. Directions across the line fill the
 * basis up. */
DCI_LANE int dci_corner_start(dci_corner *Q, const dci_growth *G, const int D)
{
    const int n = D + 1;
    const dci_pair_nc *P = G->pair;
    dc_real c[2][3], d[3] = DC_ZERO, e[2][3] = DC_ZERO, most[2], y[4], B[16], len2 = 0, len;
    int k, i, j, end;

    for (k = 0; k < 2; ++k)
        for (j = 0; j < D; ++j) c[k][j] = G->start.centre[k][j]/Q->metres;

    /* the line */
    for (k = 0; k < 2; ++k)
        if (!(P->shape[k]->size > 0)) {                 /* ends at its foot on the half-space */
            const dc_real *g = Q->slope + (k ? Q->rows_a*n : 0);
            dc_real t = Q->offset[k ? Q->rows_a : 0];
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
            const dc_real *g = Q->slope + i*n;
            dc_real t = 0;
            for (j = 0; j < D; ++j) t += g[j]*d[j];
            t *= -dci_ncp_side(k);
            if (g[D] > 0 ? t*den > num*g[D] : t > 0) {
                num = t;
                den = g[D];
                Q->basis[k] = i;
            }
        }

        if (Q->basis[k] < 0) return 0;
        /* growth on the line, per length of it; 0: a half-space, at its end */
        most[k] = den > 0 ? num/den : 0;
    }
    {
        dc_real t = most[0] > 0 ? most[1] > 0 ? most[1]/(most[0] + most[1]) : 1 : 0;
        for (j = 0; j < D; ++j) y[j] = c[0][j] + t*d[j];
        y[D] = most[0] > 0 ? t*most[0] : most[1];
    }

    /* slacks where they meet */
    for (i = 0; i < Q->rows; ++i) {
        const dc_real *g = Q->slope + i*n;
        dc_real t = Q->offset[i];
        for (j = 0; j < n; ++j) t += g[j]*y[j];
        Q->slack[i] = i == Q->basis[0] || i == Q->basis[1] ? 0 : dc_max(t, 0);
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
        dci_ncp_cross(3, d, u, e[0]);
        len = 1/dc_sqrt(dci_ncp_dot(3, e[0], e[0]));
        for (j = 0; j < 3; ++j) e[0][j] *= len;
        dci_ncp_cross(3, d, e[0], e[1]);
    }

    /* the basis: both rows, then directions */
    for (i = 0; i < n; ++i)
        for (j = 0; j < n; ++j) B[i*n + j] = i < 2 ? Q->slope[Q->basis[i]*n + j] : j < D ? e[i - 2][j] : 0;
    for (i = 2; i < n; ++i) Q->basis[i] = -1;
    return dci_corner_invert(n, B, Q->inverse);
}

/* From corner to corner, down in alpha, by the simplex method: of the n edges (columns of the inverse) the steepest is
 * taken until a row stops it, which takes the place of the row that was left. Edges along a direction that is no row
 * may be taken either way. 1 at a corner of n rows from which no edge leads down. */
DCI_LANE int dci_corner_walk(dci_corner *Q, const int D)
{
    const int n = D + 1;
    dc_real *ds = Q->slack_change;
    dc_real *s = Q->slack;
    const dc_real *G = Q->slope;
    dc_real *stop = Q->stop;
    int *basis = Q->basis;
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
            if (basis[j] >= 0 && c >= 0) continue;
            c *= c;
            if (c > DC_R(1e4)*DC_EPS*DC_EPS*x2 && c*den > num*x2) {
                num = c;
                den = x2;
                out = j;
            }
        }
        for (j = 0; j < n && out < 0; ++j)              /* level directions end at a row as well */
            if (basis[j] < 0) out = j;
        if (out < 0) return 1;

        f = inv[D*n + out] > 0 ? DC_R(-1) : DC_R(1);
        for (i = 0; i < n; ++i) {
            dy[i] = f*inv[i*n + out];
            norm2 += dy[i]*dy[i];
        }

        /* the first row that stops it */
        f = -64*DC_EPS*dc_sqrt(norm2);
        for (i = 0; i < Q->rows; ++i) {
            const dc_real *g = G + i*n;
            dc_real t = 0;
            for (j = 0; j < n; ++j) t += g[j]*dy[j];
            ds[i] = t;
        }
        for (i = 0; i < Q->rows; ++i) stop[i] = ds[i] < f ? -s[i]/ds[i] : DC_REAL_MAX;
        f = DC_REAL_MAX;
        for (i = 0; i < Q->rows; ++i)
            if (stop[i] < f) {
                f = stop[i];
                in = i;
            }
        if (in < 0) return 0;                           /* open that way */
        for (i = 0; i < Q->rows; ++i) s[i] = dc_max(s[i] + f*ds[i], 0);
        den = -ds[in];
        s[in] = 0;

        /* the inverse with that row in the place of the one left */
        for (k = 0; k < n; ++k) {
            dc_real t = 0;
            if (k == out) continue;
            for (j = 0; j < n; ++j) t += G[in*n + j]*inv[j*n + k];
            t /= den;                                   /* g.dy = -den */
            for (j = 0; j < n; ++j) inv[j*n + k] += t*dy[j];
        }
        for (j = 0; j < n; ++j) inv[j*n + out] = -dy[j]/den;
        basis[out] = in;
    }
    return 0;
}

/* The corner itself, from its rows alone; turns G into C. 0: it is none, a slack or a multiplier is not positive. */
DCI_LANE int dci_corner_open(dci_corner *Q, const int D)
{
    const int n = D + 1;
    dc_real *G = Q->slope;
    dc_real *s = Q->slack;
    dc_real *inv = Q->inverse;
    dc_real *y = Q->vertex;
    const int *basis = Q->basis;
    dc_real B[16], least, nearest = DC_REAL_MAX;
    int i, j, k;

    for (j = 0; j < n; ++j) {
        const dc_real *g = G + basis[j]*n;
        for (k = 0; k < n; ++k) B[j*n + k] = Q->basis_rows[j*n + k] = g[k];
    }

    if (!dci_corner_invert(n, B, inv)) return 0;

    /* y at the corner, and the duals of its rows */
    for (i = 0; i < n; ++i) {
        y[i] = 0;
        for (j = 0; j < n; ++j) y[i] -= inv[i*n + j]*Q->offset[basis[j]];
        Q->multiplier[i] = dc_max(inv[D*n + i], 0);
    }

    /* no edge leads down, but for rounding */
    for (j = 0; j < n; ++j) {
        dc_real x2 = 0, c = inv[D*n + j];
        for (i = 0; i < D; ++i) x2 += inv[i*n + j]*inv[i*n + j];
        if (c < 0 && c*c > DC_R(1e4)*DC_EPS*DC_EPS*x2) return 0;
    }

    /* no row is in the way */
    for (i = 0; i < Q->rows; ++i) {
        const dc_real *g = G + i*n;
        dc_real t = Q->offset[i];
        for (j = 0; j < n; ++j) t += g[j]*y[j];
        s[i] = t;
    }
    for (j = 0; j < n; ++j) s[basis[j]] = 1;
    least = -32*DC_EPS*(1 + y[D]);
    for (i = 0; i < Q->rows; ++i) {
        if (!(s[i] > least)) return 0;
        s[i] = dc_max(s[i], 0);
        nearest = dc_min(nearest, s[i]);
    }
    Q->nearest = nearest;

    /* C = G G_B^-1 */
    for (i = 0; i < Q->rows; ++i) {
        dc_real *g = G + i*n, c[4];
        for (j = 0; j < n; ++j) {
            c[j] = 0;
            for (k = 0; k < n; ++k) c[j] += g[k]*inv[k*n + j];
        }
        for (j = 0; j < n; ++j) g[j] = c[j];
    }
    for (j = 0; j < n; ++j)                             /* rows of the corner: out of every sum off it */
        for (k = 0; k < n; ++k) G[basis[j]*n + k] = 0;
    return 1;
}

/* K and F of (A), (B) over `count` rows C v + s0 off the corner; 0 where a slack is not positive */
DCI_LANE int dci_corner_sums(const int D, const dc_real *C, const dc_real *s0, int count, const dc_real *v,
                             dc_real rho, dc_real *K, dc_real *F)
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
    dc_real *U = Q->factor;
    const dc_real *v = Q->opening;
    const dc_real *lam = Q->dual;
    int i, j;

    *ke = 0;
    for (i = 0; i < n; ++i) {
        for (j = 0; j < n; ++j) U[i*n + j] = Q->stiffness[0][i*n + j] + Q->stiffness[1][i*n + j];
        *ke = dc_max(*ke, U[i*n + i]*v[i]/lam[i]);
        U[i*n + i] += lam[i]/v[i];
    }
    return dci_growth_ldl(n, U);
}

/* One step of Newton for (A) from the sums at v. It is also the step that minimises the barrier function
 *
 *     mult . v/rho - sum of log s over all rows,
 *
 * whose decrement says how far to go: damped, v moves; near the end lam_B does, in which (A) is almost linear. A step
 * that changes lam_B by a part q of itself and slacks off the corner by a part delta leaves the part |K E|
 * q^2 + delta^2 of error, *left, and a part 2 delta in K. 1: both are rounding; 0: not yet; -1: no step. */
DCI_LANE int dci_corner_step(dci_corner *Q, const int D, dc_real rho, dc_real *left)
{
    const int n = D + 1;
    dc_real *v = Q->opening;
    dc_real *lam = Q->dual;
    dc_real x[4], F[4], ke, dec2 = 0, q = 0, delta2 = 0;
    int i, done = 0;

    if (!dci_corner_factor(Q, D, &ke)) return -1;
    for (i = 0; i < n; ++i) x[i] = F[i] = lam[i] - Q->multiplier[i] + Q->pull[0][i] + Q->pull[1][i];     /* (A) */
    dci_growth_ldl_solve(n, Q->factor, x);                                  /* (B): the change of v */
    for (i = 0; i < n; ++i) {
        dec2 += x[i]*F[i]/rho;
        q = dc_max(q, dc_abs(x[i])/v[i]);
        delta2 += x[i]*(F[i] - x[i]*lam[i]/v[i])/rho;                       /* x^T K x = sum of lam/s (C x)^2 */
    }

    if (dec2 > DC_R(0.04)) {
        dc_real t = dec2 > DC_R(0.9) ? DC_R(0.95)/dc_sqrt(dec2) : 1;         /* a decrement below 1 stays inside */
        for (i = 0; i < n; ++i) v[i] += t*x[i];
        *left = 1;
    } else {
        for (i = 0; i < n; ++i) v[i] /= 1 - x[i]/v[i];
        *left = ke*q*q + dc_abs(delta2);
        done = *left <= DC_EPS && dc_abs(delta2) <= DC_R(1e-4)*DC_EPS;
    }

    for (i = 0; i < n; ++i) {
        if (!(v[i] > 0)) return -1;
        lam[i] = rho/v[i];
    }
    return done;
}

/* The equations (A) of the corner's rows and `beside` others alone, by Newton on the duals: least - sum of log lam,
 * s = rho/lam, from the shares 1/(beside + 1) of what the corner's rows can spare. To about 1e-11; 0: not solved. */
DCI_LANE int dci_corner_share(dci_corner *Q, const int D, dc_real rho, const dc_real *C, const dc_real *s0, int beside)
{
    const int n = D + 1;
    dc_real *v = Q->opening;
    dc_real *lam_B = Q->dual;
    dc_real lam[DCI_CORNER_NEAR], change[DCI_CORNER_NEAR];
    int it, i, j, l;

    /* equal shares of what the corner's rows have */
    for (i = 0; i < beside; ++i) {
        lam[i] = DC_REAL_MAX;
        for (j = 0; j < n; ++j)
            if (C[i*n + j]*lam[i] > lam_B[j]) lam[i] = lam_B[j]/C[i*n + j];
        if (!(lam[i] < DC_REAL_MAX)) return 0;
        lam[i] /= DC_R(beside + 1);
    }
    for (i = 0; i < beside; ++i)
        for (j = 0; j < n; ++j) lam_B[j] -= C[i*n + j]*lam[i];

    for (it = 0; it < DCI_CORNER_NEWTON; ++it) {
        dc_real x[4], ke, dec2 = 0, most = 0, t;
        for (j = 0; j < n; ++j) {
            v[j] = rho/lam_B[j];
            x[j] = 0;
        }
        for (i = 0; i < n*n; ++i) Q->stiffness[0][i] = Q->stiffness[1][i] = 0;

        /* the other rows' duals taken out */
        for (i = 0; i < beside; ++i) {
            const dc_real *c = C + i*n;
            dc_real d = lam[i]*lam[i]/rho, off = s0[i] - rho/lam[i];
            for (j = 0; j < n; ++j) off += c[j]*v[j];
            change[i] = -d*off;
            for (j = 0; j < n; ++j) {
                x[j] += c[j]*change[i];
                for (l = j; l < n; ++l) Q->stiffness[0][j*n + l] += d*c[j]*c[l];
            }
        }

        /* the corner's part, then theirs */
        if (!dci_corner_factor(Q, D, &ke)) return 0;
        dci_growth_ldl_solve(n, Q->factor, x);
        for (i = 0; i < beside; ++i) {
            dc_real r;
            for (j = 0; j < n; ++j) change[i] -= lam[i]*lam[i]/rho*C[i*n + j]*x[j];
            r = change[i]/lam[i];
            dec2 += r*r;
            most = dc_max(most, -r);
        }
        for (j = 0; j < n; ++j) {
            dc_real r = -x[j]/v[j];
            dec2 += r*r;
            most = dc_max(most, -r);
        }

        /* as far as duals stay positive */
        t = most > DC_R(0.9) ? DC_R(0.9)/most : 1;
        for (i = 0; i < beside; ++i) lam[i] += t*change[i];
        for (j = 0; j < n; ++j) lam_B[j] *= 1 - t*x[j]/v[j];
        if (dec2 < DC_R(1e-5)*dc_sqrt(DC_EPS)) break;
    }

    for (j = 0; j < n; ++j) v[j] = rho/lam_B[j];
    return it < DCI_CORNER_NEWTON;
}

/* A better start where more rows than n meet, as at a vertex of five faces, or edges are level: v and lam_B of the rows
 * that meet there alone, which are few, with the pull of all others at the corner. 0: too many of them, or not
 * solved. */
DCI_LANE int dci_corner_crowd(dci_corner *Q, const int D, dc_real rho, const int *level)
{
    const int n = D + 1;
    dc_real *v = Q->opening;
    dc_real *lam = Q->dual;
    dc_real C[4*DCI_CORNER_NEAR], s0[DCI_CORNER_NEAR], pull[4] = DC_ZERO;
    int beside = 0, i, j;

    /* the rows that meet there besides the corner's own; the pull of the others, which hardly changes any more */
    for (i = 0; i < Q->rows; ++i) {
        const dc_real *c = Q->slope + i*n;
        dc_real s = Q->slack[i], t = 0;
        for (j = 0; j < n; ++j)
            if (level[j]) s += c[j]*v[j];
            else t += dc_abs(c[j])*v[j];

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
        dc_real t = Q->multiplier[j] - pull[j];
        if (!level[j] && t > 0) v[j] = rho/t;
        lam[j] = rho/v[j];
    }
    return beside == 0 || dci_corner_share(Q, D, rho, C, s0, beside);
}

/* The equations (A) to rounding; their error in *left. At most corners one step from v = rho/mult does. 0: not
 * solved. */
DCI_LANE int dci_corner_newton(dci_corner *Q, const int D, dc_real rho, int most, int *steps, dc_real *left)
{
    const int n = D + 1, a = Q->rows_a, b = Q->rows - a;
    dc_real *v = Q->opening;
    const dc_real *mult = Q->multiplier;
    const dc_real *s_rows = Q->slack;
    const dc_real *C_rows = Q->slope;
    dc_real start[4];
    int level[4], levels = 0, it = 0, crowd, done, i, j;

    /* edges that are all but level, where faces are parallel: to the middle */
    for (j = 0; j < n; ++j) levels += level[j] = mult[j] < DC_R(1e3)*rho;
    for (j = 0; j < n; ++j) {
        dc_real way = DC_REAL_MAX;
        for (i = 0; level[j] && i < Q->rows; ++i) {
            dc_real c = -C_rows[i*n + j];
            if (c > 1024*DC_EPS && s_rows[i] < way*c) way = s_rows[i]/c;
        }
        way /= DC_R(levels + 1);
        start[j] = mult[j]*way > rho ? rho/mult[j] : way;
        if (!(start[j] > 0 && start[j] < DC_REAL_MAX/1024)) return 0;
    }

    for (crowd = levels > 0 || Q->nearest < DC_R(1e3)*rho; crowd < 2; ++crowd) {
        for (j = 0; j < n; ++j) {
            v[j] = start[j];
            Q->dual[j] = rho/v[j];
        }
        if (crowd && !dci_corner_crowd(Q, D, rho, level)) return 0;

        /* all rows */
        while (it < (crowd ? most : 1) && it < DCI_CORNER_NEWTON) {
            *steps = ++it;
            if (!dci_corner_sums(D, C_rows, s_rows, a, v, rho, Q->stiffness[0], Q->pull[0])
                || !dci_corner_sums(D, C_rows + a*n, s_rows + a, b, v, rho, Q->stiffness[1], Q->pull[1])) break;
            done = dci_corner_step(Q, D, rho, left);
            if (done > 0) return 1;
            if (done < 0) break;
        }
    }
    return 0;
}

/* the columns of p of G_B on rows of a, X, and of b, Y */
DCI_LANE void dci_corner_parts(const dci_corner *Q, const int D, dc_real *X, dc_real *Y)
{
    int i, j;
    for (i = 0; i <= D; ++i)
        for (j = 0; j < D; ++j) {
            X[i*D + j] = Q->basis[i] < Q->rows_a ? Q->basis_rows[i*(D + 1) + j] : 0;
            Y[i*D + j] = Q->basis[i] < Q->rows_a ? 0 : Q->basis_rows[i*(D + 1) + j];
        }
}

/* y and the duals' pull on a where Newton ended; into G and P, in metres */
DCI_LANE void dci_corner_close(const dci_corner *Q, const int D, dci_growth *G)
{
    const int n = D + 1;
    dc_real u[3], X[12], Y[12];
    int i, j, k;

    dci_corner_parts(Q, D, X, Y);

    /* y */
    for (i = 0; i < n; ++i) {
        dc_real t = Q->vertex[i];
        for (j = 0; j < n; ++j) t += Q->inverse[i*n + j]*Q->opening[j];
        G->at.free[i] = i < D ? Q->metres*t : t;
    }

    for (j = 0; j < D; ++j) {                           /* -(rows of a)^T lam; of those off the corner G = C G_B */
        u[j] = 0;
        for (i = 0; i < n; ++i) u[j] -= X[i*D + j]*(Q->dual[i] + Q->pull[0][i]) + Y[i*D + j]*Q->pull[0][i];
    }
    for (k = 0; k < 2; ++k)
        for (j = 0; j < D; ++j) {
            G->pair->pull[k][j] = dci_ncp_side(k)*u[j]/Q->metres;
            G->pair->arm[k][j] = G->at.free[j] - G->own_position[k][j];
        }
}

/* Phi of dci_pnc_phi from the sums. With X and Y the columns of p of G_B on rows of a and of b, rows of a see Xi = X
 * xi, and
 *
 *     Gamma = K_a Y - K_b X,   J = G_B^-1 (X + (E^-1 + K)^-1 Gamma),
 *     dy = J xi - G_B^-1 (E^-1 + K)^-1 G_B^-T r1
 *     A_a^T dlam_a = (Gamma^T (E^-1 + K)^-1 Gamma - Y^T K_a Y - X^T K_b X) xi - J^T r1
 *
 * P's Phi is in metres, these are in units of L. */
DCI_LANE void dci_corner_phi(const dci_corner *Q, const int D, dc_real *Phi, dc_real *gamma)
{
    const int n = D + 1, w = 2*D;
    const dc_real *inv = Q->inverse;
    dc_real part[2][12], W[12], theta[9], J[12], L = Q->metres;
    int i, j, k, l;

    dci_corner_parts(Q, D, part[0], part[1]);
    for (i = 0; i < D*D; ++i) theta[i] = 0;
    for (i = 0; i < n*D; ++i) gamma[i] = 0;
    for (k = 0; k < 2; ++k)                             /* K_a with Y, K_b with X */
        for (i = 0; i < n; ++i)
            for (j = 0; j < D; ++j) {
                dc_real t = 0;
                for (l = 0; l < n; ++l) t += Q->stiffness[k][i*n + l]*part[1 - k][l*D + j];
                gamma[i*D + j] += k ? -t : t;
                for (l = 0; l < D; ++l) theta[l*D + j] += part[1 - k][i*D + l]*t;
            }

    /* (E^-1 + K)^-1 Gamma in W, J, and the rows of dy */
    for (j = 0; j < D; ++j) {
        dc_real x[4], z[4];
        for (i = 0; i < n; ++i) {
            x[i] = gamma[i*D + j];
            z[i] = inv[j*n + i];                 /* G_B^-T e_j */
        }
        dci_growth_ldl_solve(n, Q->factor, x);
        dci_growth_ldl_solve(n, Q->factor, z);
        for (i = 0; i < n; ++i) {
            W[i*D + j] = x[i];
            x[i] += part[0][i*D + j];
        }
        for (i = 0; i < n; ++i) {
            dc_real t = 0, u = 0;
            for (l = 0; l < n; ++l) {
                t += inv[i*n + l]*x[l];
                u -= inv[i*n + l]*z[l];
            }
            J[i*D + j] = t;
            Phi[i*w + j] = i < D ? t : t/L;
            Phi[i*w + D + j] = i < D ? u*L*L : u*L;
        }
    }

    /* the rows of the pull */
    for (i = 0; i < D; ++i)
        for (j = 0; j < D; ++j) {
            dc_real t = -theta[i*D + j];
            for (l = 0; l < n; ++l) t += gamma[l*D + i]*W[l*D + j];
            Phi[(n + i)*w + j] = t/(L*L);
            Phi[(n + i)*w + D + j] = -J[j*D + i];
        }
}

/* dci_pnc_solve for r1 = (bar_p, bar_alpha) and r2 = -Xi ubar: Y, and the duals' part row by row; the duals themselves
 * in z. */
DCI_LANE void dci_corner_vjp(dci_corner *Q, const int D, dc_real rho, const dc_real *gamma, const dc_real *bar,
                             const dc_real *ubar, dc_real *Y, dc_real *z, dc_real *dz)
{
    const int n = D + 1;
    const dc_real *inv = Q->inverse;
    dc_real X[12], part[12], w[4], to_a[4], to_b[4], open[4];
    int i, j, l;

    dci_corner_parts(Q, D, X, part);

    /* w: the change of v, turned */
    for (i = 0; i < n; ++i) {
        w[i] = -inv[D*n + i]*bar[0];
        for (j = 0; j < D; ++j) w[i] -= inv[j*n + i]*Q->metres*bar[1 + j] + gamma[i*D + j]*ubar[j]/Q->metres;
    }
    dci_growth_ldl_solve(n, Q->factor, w);

    for (i = 0; i < n; ++i) {
        dc_real x = 0, y = 0;
        for (j = 0; j < D; ++j) {
            x += X[i*D + j]*ubar[j]/Q->metres;
            y += part[i*D + j]*ubar[j]/Q->metres;
        }
        to_a[i] = -y - w[i];                            /* r2 - G dy off the corner, over C */
        to_b[i] = x - w[i];
        open[i] = w[i] - x;
    }

    /* Y, and the duals' part */
    for (i = 0; i < n; ++i) {
        Y[i] = 0;
        for (l = 0; l < n; ++l) Y[i] += inv[i*n + l]*open[l];
        if (i < D) Y[i] *= Q->metres;
    }

    for (i = 0; i < Q->rows; ++i) {
        const dc_real *c = Q->slope + i*n, *to = i < Q->rows_a ? to_a : to_b;
        dc_real s = Q->slack[i], t = 0;
        for (j = 0; j < n; ++j) {
            s += c[j]*Q->opening[j];
            t += c[j]*to[j];
        }
        z[i] = rho/s;
        dz[i] = z[i]/s*t;
    }
    for (j = 0; j < n; ++j) {
        z[Q->basis[j]] = Q->dual[j];
        dz[Q->basis[j]] = -w[j]*Q->dual[j]/Q->opening[j];
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
    ok = ok && dci_corner_open(Q, D);
    if (!ok) {
        dci_growth_middle(G, G->pair->shape[0], G->pair->shape[1]);
        if (!(dci_corner_start(Q, G, D) && dci_corner_walk(Q, D) && dci_corner_open(Q, D))) return 0;
    }
    if (!dci_corner_newton(Q, D, G->rho, G->max_iterations, &out->iterations, &out->residual)) return 0;
    dci_corner_close(Q, D, G);
    for (j = 0; warm && j < n; ++j) warm->row[j] = Q->basis[j] + 1;
    return 1;
}
static DCI_NOINLINE int dci_corner_solve_2(dci_corner *Q, dci_growth *G, dc_growth_warm *warm, dc_growth_result *out)
{
    return dci_corner_solve(Q, G, 2, warm, out);
}

/* gcc 12 vectorises the loops over four floats for AVX-512 to other bits than without */
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__) && DC_IS_FLOAT
#pragma GCC push_options
#pragma GCC optimize("no-tree-vectorize")
#endif

static DCI_NOINLINE int dci_corner_solve_3(dci_corner *Q, dci_growth *G, dc_growth_warm *warm, dc_growth_result *out)
{
    return dci_corner_solve(Q, G, 3, warm, out);
}

#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__) && DC_IS_FLOAT
#pragma GCC pop_options
#endif

/* the derivatives that were asked, of dci_growth_derive's arguments */
DCI_LANE void dci_corner_diff(dci_corner *Q, dci_growth *G, const int D, const dc_real *bar, const dc_real *ubar)
{
    dc_real gamma[12], ke;
    dci_corner_factor(Q, D, &ke);
    dci_corner_phi(Q, D, G->pair->response, gamma);
    if (bar) dci_corner_vjp(Q, D, G->rho, gamma, bar, ubar, G->adjoint, G->at.dual, G->step.dual);
}

/* ---- [growth calls] derivatives of the growth distance, and its calls -------------------------- */
/* stage                  | reads                | writes                          | equation
 * dci_growth_ask, _place | options, poses       | what is asked; 0: refused       |
 * dci_growth_take        | shapes               | the arrays, in the arena        |
 * dci_growth_run         | poses                | a result                        | by [corner], else by [growth]
 * dci_growth_central     | at                   | scaling, qr                     | s o z = rho e
 * dci_growth_columns     | response, pull, arm  | the Jacobian by twists          |
 * dci_growth_adjoint     | cotangents           | adjoint, duals' part            | (*)
 * dci_growth_derive      | a solution           | Jacobian, derivatives by shapes | SILICO Eq. 4 */

/* Which of the shapes is a half-space, whose normal is that of the pair; -1: neither */
static int dci_growth_flat(const dci_pair_nc *P)
{
    int k;
    for (k = 0; k < 2; ++k)
        if (P->shape[k]->rows == 1 && P->shape[k]->aux == 0) return k;
    return -1;
}

/* The rows of one column: o by Phi, p moved by `move`, the pull on a turned by `turn` */
DCI_LANE void dci_growth_column(const dci_growth *G, const int D, dc_real length, const dc_real *n, const dc_real *o,
                                const dc_real *move, const dc_real *turn, dc_real *jac)
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
    const dci_pair_nc *P = G->pair;
    const dc_real zero[3] = DC_ZERO;
    const int w = 2*D, rows = 2*D + 1, turns = D == 2 ? 1 : 3, flat = dci_growth_flat(P);
    int j, k, l, i;

    for (i = 0; D == 2 && i < 84; ++i) jac[i] = 0;          /* those out of the plane */

    /* displacements: a by e_j is b by -e_j, and then everything by e_j */
    for (j = 0; j < D; ++j) {
        dc_real o[7];
        for (i = 0; i < rows; ++i) o[i] = flat >= 0 && i > D ? 0 : P->response[i*w + j];
        dci_growth_column(G, D, length, n, o, zero, zero, jac + j);
        for (i = 0; i < 7; ++i) jac[12*i + 6 + j] = DC_R(i == 1 + j) - jac[12*i + j];
    }

    /* turns: the rows at p move by w x r, their pull turns */
    for (k = 0; k < 2; ++k)
        for (j = 0; j < turns; ++j) {
            dc_real move[3] = DC_ZERO, turn[3] = DC_ZERO, axis[3] = DC_ZERO, o[7];
            axis[j] = 1;
            dci_ncp_cross(D, axis, P->arm[k], move);
            dci_ncp_cross(D, axis, P->pull[k], turn);
            for (i = 0; i < rows; ++i) {
                dc_real t = 0, v = 0;
                for (l = 0; l < D; ++l) {
                    t += P->response[i*w + l]*move[l];
                    v += P->response[i*w + D + l]*turn[l];
                }
                o[i] = v + dci_ncp_side(k)*t;
            }
            if (flat >= 0) {                            /* its own normal, whatever touches it */
                for (i = D + 1; i < rows; ++i) o[i] = 0;
                dci_ncp_cross(D, axis, P->pull[0], turn);
                for (i = 0; i < D && k != flat; ++i) turn[i] = 0;
            } else
                for (i = 0; i < D && k; ++i) turn[i] = 0;
            dci_growth_column(G, D, length, n, o, k ? move : zero, turn, jac + 6*k + (D == 2 ? 5 : 3 + j));
        }
}

/* The QR once more, for derivatives, with the scaling that s o z = rho e gives by the larger of the two alone: slack on
 * a face, and s_0 - |s_1| on a cone, are lost in the rounding of what they are differences of, long before their duals
 * are. On a cone, with lam1 = s_0 + |s_1| and mu = z_0 + |z_1|, eta^2 = lam1/mu, w_0 + |w_1| = sqrt(lam1 mu/rho). */
static int dci_growth_central(dci_growth *G, dc_real rho)
{
    dci_pair_nc *P = G->pair;
    dc_real *w = P->cones.scaling;
    const dc_real root = dc_sqrt(rho), *s = G->at.slack, *z = G->at.dual;
    int i, k;

    for (k = 0; k < P->cones.runs; ++k) {
        dci_run *R = P->cones.run + k;
        const int at = R->first, end = R->first + R->count;
        dc_real s2 = 0, z2 = 0, u2 = 0, lam1, mu, q, f;
        if (!R->second_order) {
            for (i = at; i < end; ++i) w[i] = z[i] > s[i] ? z[i]/root : root/s[i];
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
            w[i] = s[i]/lam1 - z[i]/mu;
            u2 += w[i]*w[i];
        }
        f = u2 > 0 ? (q - 1/q)/(2*dc_sqrt(u2)) : 0;
        for (i = at + 1; i < end; ++i) w[i] *= f;
        w[at] = (q + 1/q)/2;
    }
    return P->dim == 2 ? dci_pnc_qr(P, 2) : dci_pnc_qr(P, 3);
}

static void dci_growth_jac(dci_growth *G, dc_real length, const dc_real *n, dc_real *jac)
{
    if (G->pair->dim == 2) dci_growth_columns(G, 2, length, n, jac);
    else dci_growth_columns(G, 3, length, n, jac);
}

/* Y and the duals' part of the pair's answer to the cotangents, to G->adjoint and G->step.dual */
static void dci_growth_adjoint(dci_growth *G, const dc_real *bar, const dc_real *ubar)
{
    dci_pair_nc *P = G->pair;
    int D = P->dim, i, l;
    dc_real *r1 = G->predictor.free, *r2 = G->right;

    for (i = 0; i < P->unknowns; ++i) r1[i] = i < D ? bar[1 + i] : 0;
    r1[D] = G->unit*bar[0];
    for (i = 0; i < P->rows; ++i) {
        r2[i] = 0;
        if (i < P->rows_a) for (l = 0; l < D; ++l) r2[i] -= P->gradient[i*P->unknowns + l]*ubar[l];
    }
    dci_pnc_solve(P, r1, r2, G->adjoint, G->step.dual);
}

/* options and shapes of dc_growth; 0: not to be worked on */
static int dci_growth_ask(const dc_growth_options *opt, const dc_shape *a, const dc_shape *b, dci_growth *G)
{
    G->rho = opt && opt->rho != 0 ? opt->rho : DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-8);
    G->max_iterations = opt && opt->max_iterations != 0 ? opt->max_iterations : 60;
    G->warm = opt ? opt->warm : NULL;
    return dci_shape_valid(a) && dci_shape_valid(b) && a->dim == b->dim && G->rho > 0 && G->rho <= 1
        && G->max_iterations >= 1 && a->size + b->size > 0;
}

/* its poses; 0: one is none */
static int dci_growth_place(int D, const dc_pose *pa, const dc_pose *pb, dci_growth *G)
{
    return dci_pose_rows(D, pa, G->own_position[0], G->own_rotation[0])
        && dci_pose_rows(D, pb, G->own_position[1], G->own_rotation[1]);
}

/* the arrays of G in `mem` */
static dc_status dci_growth_take(const dc_shape *a, const dc_shape *b, dc_arena *mem, dci_growth *G)
{
    dci_layout l = {NULL, 0};

    dci_growth_all(G, a, b, &l);
    l.base = (unsigned char *)dc_arena_take(mem, l.bytes, 1);
    if (!l.base) return DC_E_MEMORY;
    l.bytes = 0;
    dci_growth_all(G, a, b, &l);
    return DC_OK;
}

/* Derivatives at the solution, by the corner Q where there is one. `length` is 1/|d alpha/d x_a|, 0 for concentric
 * shapes, whose normal is one by convention and does not turn. A function of its own for the stack. */
static DCI_NOINLINE dc_status dci_growth_derive(dci_growth *G, dci_corner *Q, dc_real rho, dc_real length,
                                                const dc_real *normal, dc_real *jac, const dc_real *bar,
                                                dc_shape_grad *ga, dc_shape_grad *gb)
{
    dci_pair_nc *P = G->pair;
    const dc_real *y = G->at.free, *lam = G->at.dual;
    dc_real ubar[3] = DC_ZERO;
    int D = P->dim, i;

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
    if (bar && ga) dci_pnc_shape_vjp(P, 0, G->unit, G->own_rotation[0], y, lam, G->adjoint, G->step.dual, ubar, ga);
    if (bar && gb) dci_pnc_shape_vjp(P, 1, G->unit, G->own_rotation[1], y, lam, G->adjoint, G->step.dual, NULL, gb);
    return DC_OK;
}

/* One pair of poses, those of dci_growth_place. b's origin is the world's meanwhile: only the difference of the two
 * matters, and is exact. */
static DCI_NOINLINE dc_status dci_growth_run(dci_growth *G, dc_growth_warm *warm, dc_growth_result *out, dc_real *jac,
                                             const dc_real *bar, dc_shape_grad *ga, dc_shape_grad *gb)
{
    dci_pair_nc *P = G->pair;
    const dc_shape *a = P->shape[0], *b = P->shape[1];
    dci_corner Q;
    dc_growth_result r;
    dc_status status = DC_OK;
    dc_real L = a->size + b->size, len[2], n[2][3] = DC_ZERO, home[3], least = 64*DC_EPS/L, rho = 0;
    int D = P->dim, i, k, corner = 0;

    /* poses */
    for (i = 0; i < 3; ++i) {
        home[i] = G->own_position[1][i];
        G->own_position[0][i] -= home[i];
        G->own_position[1][i] = 0;
    }
    for (k = 0; k < 2; ++k) {
        G->position[k] = G->own_position[k];
        G->rotation[k] = G->own_rotation[k];
    }

    /* by the corner where there is one, else by the interior point */
    G->unit = 1;
    if (G->corner_memory) {
        Q.rows = P->rows;
        Q.rows_a = P->rows_a;
        Q.metres = L;
        Q.slope = G->corner_memory;
        Q.offset = Q.slope + P->rows*(D + 1);
        Q.slack = Q.offset + P->rows;
        Q.slack_change = Q.slack + P->rows;
        Q.stop = Q.slack_change + P->rows;
        corner = D == 2 ? dci_corner_solve_2(&Q, G, warm, &r) : dci_corner_solve_3(&Q, G, warm, &r);
    }
    if (!corner) {
        /* alpha counted in a power of 4 near the answer, so that far shapes are as accurate as near ones; its rho is
         * then smaller by as much, but not below rounding */
        const dc_real dist2 = dci_growth_middle(G, a, b)/(L*L);
        while (G->unit*G->unit*16 < dist2) G->unit *= 4;
        G->metres = G->unit*L;
        dci_pnc_fill(P, 0, G->unit, G->metres);
        P->weight = 1;
        G->start.slack = G->start.dual = 1;
        rho = dc_max(G->rho/G->unit, dc_min(G->rho, 16*DC_EPS));
        status = dci_growth_solve(G, rho, 0, G->max_iterations, &r);
    }

    /* alpha, point, normals; deep in a half-space the pull of many rows is a small difference, that of its one not */
    if (dci_growth_flat(P) == 1)
        for (i = 0; i < D; ++i) P->pull[0][i] = -P->pull[1][i];
    r.alpha = G->unit*G->at.free[D];
    r.p = dc_vec(G->at.free[0] + home[0], G->at.free[1] + home[1], D == 3 ? G->at.free[2] + home[2] : 0);
    for (k = 0; k < 2; ++k) {
        const dc_real side = dci_ncp_side(k);
        len[k] = G->unit*dc_sqrt(dci_ncp_dot(D, P->pull[k], P->pull[k]));
        for (i = 0; i < D; ++i) n[k][i] = len[k] > least ? -side*G->unit*P->pull[k][i]/len[k] : DC_R(i == D - 1);
    }

    r.n_a = dc_vec(n[0][0], n[0][1], n[0][2]);
    r.n_b = dc_vec(n[1][0], n[1][1], n[1][2]);
    r.length = 1/dc_max(len[0], least);
    if (!dc_finite(r.alpha) || !dc_finite3(r.p) || !dc_finite3(r.n_a) || !dc_finite3(r.n_b) || !dc_finite(r.length))
        return DC_E_RANGE;
    *out = r;

    if (status != DC_OK || !(jac || bar)) return status;
    return dci_growth_derive(G, corner ? &Q : NULL, rho, len[0] > least ? G->unit/len[0] : 0, n[0], jac, bar, ga, gb);
}

DC_DEF dc_status dc_growth(const dc_growth_options *opt, const dc_shape *a, const dc_pose *pa, const dc_shape *b,
                           const dc_pose *pb, dc_arena *mem, dc_growth_result *out, dc_real *jac, const dc_real *bar,
                           dc_shape_grad *ga, dc_shape_grad *gb)
{
    dci_growth G;
    dc_status status;
    size_t used = mem ? mem->used : 0;

    if (!mem || !out || (bar && !dci_all_in_limit(bar, 7)) || !dci_growth_ask(opt, a, b, &G)
        || !dci_growth_place(a->dim, pa, pb, &G)) return DC_E_ARG;
    status = dci_growth_take(a, b, mem, &G);
    if (status != DC_OK) return status;
    status = dci_growth_run(&G, G.warm, out, jac, bar, ga, gb);
    mem->used = used;
    return status;
}

DC_DEF dc_status dc_growth_batch(const dc_growth_options *opt, const dc_shape *a, const dc_shape *b, int count,
                                 const dc_pose *pa, const dc_pose *pb, dc_arena *mem, dc_growth_result *out,
                                 dc_real *jac, dc_status *status)
{
    dci_growth G;
    dc_status first;
    size_t used = mem ? mem->used : 0;
    int i;

    if (!mem || count < 0 || (count > 0 && (!out || !pa || !pb)) || !dci_growth_ask(opt, a, b, &G)) return DC_E_ARG;
    first = dci_growth_take(a, b, mem, &G);
    if (first != DC_OK) return first;

    for (i = 0; i < count; ++i) {
        dc_status one = DC_E_ARG;
        if (dci_growth_place(a->dim, pa + i, pb + i, &G))
            one = dci_growth_run(&G, G.warm ? G.warm + i : NULL, out + i, jac ? jac + (size_t)i*84 : NULL, NULL, NULL,
                                 NULL);
        if (first == DC_OK) first = one;
        if (status) status[i] = one;
    }
    mem->used = used;
    return first;
}

/* ---- [contact] a step's unknowns and residual ---------------------------------------------------- */
/* Unknowns of SILICO Eq. 7, 20: velocities v of the bodies; of each contact y = (p, alpha, e_a, e_b) and pairs (z, s)
 * of the cones
 *
 *     0              gamma            s = L (alpha - 1) - bounce                       (SILICO Eq. 9)
 *     friction       psi, beta+-      s_psi = mu gamma - sum beta, s_beta = +-w + psi  (linear; SILICO Eq. 10, 11)
 *                    (zeta, beta)     zeta = mu gamma, s = (psi, w)                    (cone)
 *     spin           psi, beta+-      as linear friction, with the relative spin about n
 *     pair           lam              s = g(y)                                         (SILICO Eq. 31, 32)
 *
 * w is the slip. The push on a is n_a gamma + T_a f, on b -(n_b gamma + T_b f), each with the normal by its own duals
 * (SILICO Eq. 41). With cone friction f and w are world vectors and T = 1 - n n^T: no tangent basis, no special
 * direction.
 *
 * stage                 | reads                  | writes                            | equation
 * dci_ncp_body_eval     | velocity               | state after, momentum rows        | SILICO Eq. 8 without contacts
 * dci_pnc_eval          | y, lam, poses after    | G, arm, pull, rows of y           | SILICO Eq. 26-29, 31, 32
 * dci_contact_forces    | z, pull                | impulses, normals, forces, slip   | SILICO Eq. 8, 41
 * dci_contact_residual  | z, s, y, slip          | rows of gap, friction, spin       | SILICO Eq. 9-11
 * dci_ncp_eval          | all of these           | both errors                       | SILICO Eq. 20 */

enum { DCI_NO_FRICTION, DCI_LINE, DCI_CONE, DCI_PYRAMID };

/* the state of a body, world frame; of rotations the dim x dim corner, in 2D omega is one number */
typedef struct { dc_real position[3], rotation[9], velocity[3], omega[3]; } dci_ncp_state;

/* cotangents of a body's place at the end of the step and at its start, and of its mass */
typedef struct {
    dc_real position[3], turn[3];
    dc_real position_before[3], turn_before[3], velocity_before[3], omega_before[3];
    dc_real mass;
} dci_ncp_place_bar;

/* a body, or the world */
typedef struct {
    /* problem */
    dci_ncp_state before;               /* at the start of the step */
    dc_real mass, inertia[9];       /* inertia at the start, world axes; in 2D inertia[0] */
    dc_real momentum[6];            /* at the start, and impulse of loads */
    dc_real unit[2];                /* natural units of momentum, linear and angular */
    int first_row;                  /* in the body system; -1: it does not move */
    int held;                       /* 1: by a contact */

    /* of the last evaluation */
    dci_ncp_state after;                /* at the end of the step */
    dc_real turn_by_omega[9];       /* T = h J_l(h w) */
    dc_real momentum_by_omega[9];   /* derivative of the angular momentum */
    dc_real load[2];                /* sums of what acts, linear and angular */

    dci_ncp_place_bar bar;
} dci_ncp_place;

/* where the numbers of a contact begin: its y in the free unknowns, its duals and slacks; in these its rows of spin (0:
 * none) and of the pair, and how many there are */
typedef struct { int free, dual, spin, pair, count; } dci_contact_rows;

/* natural units; impulse_rate: impulse over the reduced mass */
typedef struct { dc_real length, impulse, speed, impulse_rate; } dci_contact_units;

/* L (alpha - 1) at the end of the step is to be at least this, m; derivatives by twists and velocities at the start,
 * restitution, h */
typedef struct { dc_real gap, by[2][12], by_restitution, by_step; } dci_contact_bounce;

/* a contact at an iterate */
typedef struct {
    dc_real normal[2][3];           /* n by either shape's duals */
    dc_real inverse[2];             /* n over u: what a change of u across n turns it by */
    dc_real inverse_along[2];       /* what of a change of n along itself is taken off; 1/|u| again where n is unit */
    dc_real tangent[2][2][3];       /* columns of T */
    dc_real velocity[2][3];         /* of the bodies' points at p */
    dc_real force[2][3];            /* F on the bodies */
    dc_real normal_impulse, friction_impulse[3], spin_impulse;      /* gamma, f, m */
    dc_real branch;                 /* which of the two fields of tangents, chosen at the start; 0: not yet */
} dci_contact_at;

/* what is left of its rows when slacks, duals and the multipliers psi are eliminated: df = by_normal dgamma - by_slip
 * dw */
typedef struct {
    dc_real gap;                    /* -dgamma/d(L alpha) */
    dc_real by_slip[9], by_normal[3];
    dc_real coupling[3], pivot;     /* of psi's row: with the slips, and the diagonal */
    dc_real spin_by_slip, spin_by_normal, spin_coupling, spin_pivot;
    dc_real scaling[9], scaled[9];  /* of the cones of forces: gamma, four or five numbers of friction, three of spin */
} dci_contact_factor;

/* the constants of the same rows for one right-hand side */
typedef struct {
    dc_real normal_impulse, friction_impulse[3], spin_impulse;
    dc_real multiplier, spin_multiplier;    /* of psi */
    dc_real pair[7];                /* (p - x_b, alpha, A_a^T dlam_a) */
} dci_contact_constant;

/* a direction */
typedef struct {
    dc_real slip[3], spin;          /* dw, and that of the relative spin */
    dc_real normal_impulse, friction_impulse[3], spin_impulse;
    dc_real gap;                    /* L dalpha */
    dc_real displacement[3];        /* xi of a against b, at p */
    dc_real turned_pull[3];         /* change of u_a + u_b by the bodies' turns */
    dc_real point[3];               /* dp */
} dci_contact_change;

typedef struct {
    /* problem */
    int body[2];                    /* places in S->place */
    int friction, tangents;         /* kind, and slips: 1, 2, or dim with a cone */
    dci_contact_rows row;
    dc_real mu, mu_spin, restitution;
    dc_real size;                   /* L, metres of one unit of alpha */
    dci_contact_units unit;
    dc_real fastest;                /* the bodies' largest speed without contact */
    dci_contact_bounce bounce;
    dci_run head[3];                /* cones of forces: gamma; friction; spin */
    int heads;

    dci_pair_nc pair;
    dci_contact_at at;
    dci_contact_factor factor;
    dci_contact_constant constant;
    dci_contact_change change;
} dci_contact_nc;

/* A contact of the convex problem that guesses the impulses: cone Z = (mu gamma, beta), S = (u_n/mu, u_T); without
 * friction gamma and u_n. */
typedef struct {
    dc_real normal[3], tangent[2][3];
    dc_real arm[2][3], gap;         /* m */
    dc_real unit;                   /* what the bodies' speed is worth, N s */
    dci_run run;
    dc_real dual[3], slack[3];      /* Z, S */
    dc_real dual_step[3], slack_step[3];
    dc_real product[3];             /* rc */
    dc_real scaling[3], scaled[3];  /* w, lam */
    dc_real curvature[9];           /* H = W^-2 */
} dci_load;

/* counts: dimension; rows of a body; velocities of all bodies; free unknowns and duals of the step; its cones */
typedef struct { int dim, body, velocities, free, dual, degree; } dci_ncp_size;

/* The body system: momentum rows by velocities, everything of the contacts eliminated. Blocks of body x body
 * numbers. */
typedef struct {
    int bodies, blocks;             /* that move; blocks with those that the factor fills */
    int *order;                     /* [bodies] in which bodies are eliminated */
    int *slot;                      /* [bodies x bodies] number of a block, -1: none */
    int *first, *list;              /* followers of order[k] that share a block with it: list[first[k]..first[k + 1]) */
    int *pivot;                     /* [6 bodies] row swaps within diagonal blocks */
    dc_real *matrix;                /* K, then its factors */
} dci_ncp_system;

/* the convex problem that guesses the load */
typedef struct {
    dci_load *load;                 /* [contacts] */
    dc_real *velocity;              /* [velocities] */
} dci_ncp_guess;

typedef struct {
    dc_real *best;                  /* [velocities] of the start that came nearest */
    dc_real *work;                  /* a growth problem, or a right-hand side */
    dc_real *cotangent;             /* of a pair's transpose */
} dci_ncp_scratch;

struct dc_ncp {
    /* problem */
    dc_ncp_scene scene;
    dc_ncp_options options;
    dc_real rho, tolerance, acceleration;
    dci_ncp_size size;
    dci_ncp_place *place;           /* bodies, then the world */
    dci_contact_nc *contact;
    dci_ncp_guess guess;

    /* iteration */
    int max_iterations;             /* left for this step */
    int factored;                   /* 1: the factor is that of the solution */
    int guessed;                    /* 1: the guess of the load is known, 2: by what contacts kept, -1: there is none */
    dc_status status;               /* of the step */
    dci_ncp_point now, trial;           /* x: velocities, then y of each contact; z; s */
    dci_ncp_point predictor, step;  /* directions to the end of the path, to a place on it; `free` is one array */
    dci_ncp_residual residual;          /* of the last evaluation */
    dci_ncp_system system;         /* of the last factor */

    dci_ncp_scratch scratch;
};

/* The two products of cones of contact c: 0 of its forces, 1 of its pair; *first: where in z they begin */
static dci_cones dci_contact_cones(dci_contact_nc *c, int part, int *first)
{
    dci_cones forces;
    *first = part ? c->row.dual + c->row.pair : c->row.dual;
    forces.run = c->head;
    forces.runs = c->heads;
    forces.scaling = c->factor.scaling;
    forces.scaled = c->factor.scaled;
    return part ? c->pair.cones : forces;
}

/* T f for the normal's tangents (linear), or (1 - n n^T) f */
DCI_LANE void dci_ncp_tf(const int D, const dci_contact_nc *c, int k, const dc_real *f, dc_real *o)
{
    const dc_real *t0 = c->at.tangent[k][0], *t1 = c->at.tangent[k][1];
    int i;
    if (c->friction == DCI_CONE) dci_ncp_across(D, c->at.normal[k], f, o);
    else if (c->friction == DCI_NO_FRICTION) for (i = 0; i < D; ++i) o[i] = 0;
    else for (i = 0; i < D; ++i) o[i] = f[0]*t0[i] + (D == 3 ? f[1]*t1[i] : 0);
}
/* T^T v */
DCI_LANE void dci_ncp_tv(const int D, const dci_contact_nc *c, int k, const dc_real *v, dc_real *o)
{
    if (c->friction == DCI_CONE) dci_ncp_across(D, c->at.normal[k], v, o);
    else if (c->friction != DCI_NO_FRICTION) {
        o[0] = dci_ncp_dot(D, c->at.tangent[k][0], v);
        if (D == 3) o[1] = dci_ncp_dot(D, c->at.tangent[k][1], v);
    }
}
/* The tangents of n. In 2D (n_y, -n_x); in 3D, unit n, those of Duff et al. (2017) with the sign `branch` kept through
 * a step: smooth but at n_z = -branch. */
DCI_LANE void dci_ncp_tangents(const int D, const dc_real *n, dc_real branch, dc_real t[2][3])
{
    if (D == 2) {
        t[0][0] = n[1];
        t[0][1] = -n[0];
    } else {
        const dc_real sg = branch, a = -1/(sg + n[2]), b = n[0]*n[1]*a;
        t[0][0] = 1 + sg*n[0]*n[0]*a;   t[0][1] = sg*b;             t[0][2] = -sg*n[0];
        t[1][0] = b;                    t[1][1] = sg + n[1]*n[1]*a; t[1][2] = -n[1];
    }
}
/* their change with n's */
DCI_LANE void dci_ncp_dtangents(const int D, const dc_real *n, dc_real branch, const dc_real *dn, dc_real t[2][3])
{
    if (D == 2) {
        t[0][0] = dn[1];
        t[0][1] = -dn[0];
    } else {
        const dc_real sg = branch, a = -1/(sg + n[2]), da = a*a*dn[2];
        const dc_real db = dn[0]*n[1]*a + n[0]*dn[1]*a + n[0]*n[1]*da;
        t[0][0] = sg*(2*n[0]*dn[0]*a + n[0]*n[0]*da);   t[0][1] = sg*db;                            t[0][2] = -sg*dn[0];
        t[1][0] = db;                                   t[1][1] = 2*n[1]*dn[1]*a + n[1]*n[1]*da;    t[1][2] = -dn[1];
    }
}
/* d(T f) - T df and d(T^T v) - T^T dv */
DCI_LANE void dci_ncp_dtf(const int D, const dci_contact_nc *c, int k, const dc_real *dn, const dc_real *f, dc_real *o)
{
    const dc_real *n = c->at.normal[k];
    int i;

    for (i = 0; i < D; ++i) o[i] = 0;
    if (c->friction == DCI_CONE) {
        dc_real a = dci_ncp_dot(D, n, f), b = dci_ncp_dot(D, dn, f);
        for (i = 0; i < D; ++i) o[i] = -dn[i]*a - n[i]*b;
    } else if (c->friction != DCI_NO_FRICTION) {
        dc_real t[2][3];
        dci_ncp_dtangents(D, n, c->at.branch, dn, t);
        for (i = 0; i < D; ++i) o[i] = f[0]*t[0][i] + (D == 3 ? f[1]*t[1][i] : 0);
    }
}
DCI_LANE void dci_ncp_dtv(const int D, const dci_contact_nc *c, int k, const dc_real *dn, const dc_real *v, dc_real *o)
{
    if (c->friction == DCI_CONE) dci_ncp_dtf(D, c, k, dn, v, o);
    else if (c->friction != DCI_NO_FRICTION) {
        dc_real t[2][3];
        dci_ncp_dtangents(D, c->at.normal[k], c->at.branch, dn, t);
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

/* n = sign u, SILICO Eq. 41: unit; shorter below 1/32, smoothly, where cones are still opening. And its tangents. */
DCI_LANE void dci_contact_normal(dci_contact_nc *c, const int D, int k)
{
    const dc_real *u = c->pair.pull[k], side = dci_ncp_side(k), least = DC_R(1.0/32), len2 = dci_ncp_dot(D, u, u);
    dci_contact_at *at = &c->at;
    dc_real *n = at->normal[k];
    int i;

    if (len2 >= least*least) {
        at->inverse[k] = 1/dc_sqrt(len2);
        at->inverse_along[k] = at->inverse[k];
    } else {
        at->inverse[k] = 2*least/(least*least + len2);
        at->inverse_along[k] = 1/least;
    }
    for (i = 0; i < D; ++i) n[i] = -side*at->inverse[k]*u[i];

    if (c->friction == DCI_PYRAMID && !(dc_abs(at->branch) > 0)) at->branch = n[2] < DC_R(-0.5) ? DC_R(-1) : DC_R(1);
    if (c->friction == DCI_LINE || c->friction == DCI_PYRAMID) dci_ncp_tangents(D, n, at->branch, at->tangent[k]);
}

/* sums of sizes, by which rounding is known */
typedef struct { dc_real reach, speed, dual; } dci_contact_scale;

/* Impulses, normals and forces of contact c; its forces are taken out of the bodies' momentum rows. Out: the slip w,
 * the relative spin about n, sums. */
DCI_LANE void dci_contact_forces(dc_ncp *S, dci_contact_nc *c, const int D, const dc_real *z, dc_real *slip,
                                 dc_real *spin, dci_contact_scale *sum)
{
    const int nw = D == 2 ? 1 : 3;
    const dci_pair_nc *P = &c->pair;
    dci_contact_at *at = &c->at;
    dc_real *f = at->friction_impulse;
    int i, k;

    /* impulses: gamma, f, m */
    at->normal_impulse = z[0];
    if (c->friction == DCI_CONE) for (i = 0; i < D; ++i) f[i] = z[2 + i];
    else for (i = 0; i < c->tangents; ++i) f[i] = z[2 + 2*i] - z[3 + 2*i];
    at->spin_impulse = c->row.spin ? z[c->row.spin + 1] - z[c->row.spin + 2] : 0;

    for (k = 0; k < 2; ++k) {
        dci_ncp_place *b = S->place + c->body[k];
        const dc_real side = dci_ncp_side(k), *r = P->arm[k];
        dc_real *n = at->normal[k], *v = at->velocity[k], *F = at->force[k], t[3], M[3], push = 0, arm = 0;
        dci_contact_normal(c, D, k);

        /* velocity of the material point, slip, spin */
        dci_ncp_cross(D, b->after.omega, r, v);
        for (i = 0; i < D; ++i) {
            v[i] += b->after.velocity[i];
            sum->speed += dc_abs(v[i]);
            arm += dc_abs(r[i]);
        }
        dci_ncp_tv(D, c, k, v, t);
        for (i = 0; i < c->tangents; ++i) slip[i] += side*t[i];
        if (c->row.spin) *spin += side*dci_ncp_dot(3, n, b->after.omega);
        sum->reach += arm;

        /* wrench (F, r x F + n m), the contact's part of SILICO Eq. 8: F = n gamma + T f */
        dci_ncp_tf(D, c, k, f, t);
        for (i = 0; i < D; ++i) {
            F[i] = side*(n[i]*at->normal_impulse + t[i]);
            push += dc_abs(F[i]);
        }
        if (b->first_row >= 0) {
            dc_real *row = S->residual.free + b->first_row;
            dci_ncp_torque(D, r, F, M);
            for (i = 0; i < D; ++i) row[i] -= F[i];
            for (i = 0; i < nw; ++i) row[D + i] -= M[i] + (c->row.spin ? side*n[i]*at->spin_impulse : 0);
            b->load[0] += push;
            b->load[1] += push*arm;
        }
    }
}

/* The rows of gap, friction and spin, as SILICO Eq. 20 has them:
 *
 *     d - N^T gamma - P^T beta    = 0       SILICO Eq. 8     dci_ncp_body_eval, dci_contact_forces
 *     s_gamma - phi               = 0       SILICO Eq. 9     here, with phi = L (alpha - 1) - bounce
 *     s_psi - (mu gamma - 1.beta) = 0       SILICO Eq. 10    here; of a cone zeta - mu gamma
 *     s_beta - (P v + psi 1)      = 0       SILICO Eq. 11    here, with P v = +-w; of a cone s_beta - w
 *     s o z                       = rho e   SILICO Eq. 12    dci_cone_excess */
DCI_LANE void dci_contact_residual(const dci_contact_nc *c, const int D, dc_real alpha, const dc_real *z,
                                   const dc_real *s, const dc_real *slip, dc_real spin, dc_real *F)
{
    const dc_real gamma = z[0], phi = c->size*(alpha - 1) - c->bounce.gap, *w = slip;
    int i;

    F[0] = s[0] - phi;                                                              /* SILICO Eq. 9 */

    if (c->friction == DCI_CONE) {
        const dc_real zeta = z[1], *s_beta = s + 2;
        F[1] = zeta - c->mu*gamma;
        for (i = 0; i < D; ++i) F[2 + i] = s_beta[i] - w[i];
    } else if (c->friction != DCI_NO_FRICTION) {
        const dc_real psi = z[1], s_psi = s[1], *beta = z + 2, *s_beta = s + 2;
        dc_real sum = 0;
        for (i = 0; i < 2*c->tangents; i += 2) sum += beta[i] + beta[i + 1];
        F[1] = s_psi - (c->mu*gamma - sum);                                         /* SILICO Eq. 10 */
        for (i = 0; i < c->tangents; ++i) {
            F[2 + 2*i] = s_beta[2*i] - w[i] - psi;                                  /* SILICO Eq. 11 */
            F[3 + 2*i] = s_beta[2*i + 1] + w[i] - psi;
        }
    }

    if (c->row.spin) {
        const dc_real *z_spin = z + c->row.spin, *s_spin = s + c->row.spin, psi = z_spin[0];
        dc_real *F_spin = F + c->row.spin;
        F_spin[0] = s_spin[0] - (c->mu_spin*gamma - z_spin[1] - z_spin[2]);
        F_spin[1] = s_spin[1] - spin - psi;
        F_spin[2] = s_spin[2] + spin - psi;
    }
}

/* The largest residual of a contact in natural units, less what rounding leaves of it: F its rows of slacks, Fy those
 * of y. */
DCI_LANE dc_real dci_contact_worst(const dci_contact_nc *c, const int D, dc_real gamma, dc_real spin,
                                   const dci_contact_scale *sum, const dc_real *F, const dc_real *Fy)
{
    const dci_contact_units *unit = &c->unit;
    const dc_real reach = sum->reach*(4*DC_EPS), dual = sum->dual*(4*DC_EPS), speed = sum->speed*(8*DC_EPS);
    dc_real worst;
    int i;

    /* the gap and the pair: lengths, and pulls that have no unit */
    worst = dci_ncp_excess(F[0], reach, unit->length);
    for (i = c->row.pair; i < c->row.count; ++i)
        worst = dci_ncp_larger(worst, dci_ncp_excess(F[i], reach, unit->length));
    for (i = 0; i < c->pair.unknowns; ++i) {
        const int growth = i == D;
        worst = dci_ncp_larger(worst, dci_ncp_excess(Fy[i], growth ? dual*c->size : dual, growth ? unit->length : 1));
    }

    /* friction: what a slip off by this dissipates is small beside the natural unit */
    if (c->friction != DCI_NO_FRICTION) {
        const dc_real slip = unit->speed*unit->impulse/(unit->impulse + DC_R(0.1)*c->mu*gamma);
        worst = dci_ncp_larger(worst, dci_ncp_excess(F[1], 4*DC_EPS*c->mu*gamma, unit->impulse));
        for (i = 2; i < (c->row.spin ? c->row.spin : c->row.pair); ++i)
            worst = dci_ncp_larger(worst, dci_ncp_excess(F[i], speed, slip));
    }

    if (c->row.spin) {
        const dc_real *F_spin = F + c->row.spin;
        worst = dci_ncp_larger(worst, dci_ncp_excess(F_spin[0], 4*DC_EPS*c->mu_spin*gamma, unit->impulse*c->mu_spin));
        for (i = 1; i < 3; ++i)
            worst = dci_ncp_larger(worst, dci_ncp_excess(F_spin[i], 8*DC_EPS*dc_abs(spin), unit->speed/c->mu_spin));
    }
    return worst;
}

/* The residual of contact c at an iterate; takes its wrenches out of the bodies' rows. Returns the largest, in natural
 * units. */
DCI_LANE dc_real dci_ncp_contact_eval(dc_ncp *S, dci_contact_nc *c, const int D, const dci_ncp_point *at)
{
    dci_pair_nc *P = &c->pair;
    const dc_real *x[2], *R[2], *y = at->free + c->row.free, *z = at->dual + c->row.dual, *s = at->slack + c->row.dual;
    dc_real *F = S->residual.slack + c->row.dual, *Fy = S->residual.free + c->row.free, slip[3] = DC_ZERO, spin = 0;
    dci_contact_scale sum = DC_ZERO;
    int k, i;

    /* the pair: SILICO Eq. 26-29, 31, 32 */
    for (k = 0; k < 2; ++k) {
        x[k] = S->place[c->body[k]].after.position;
        R[k] = S->place[c->body[k]].after.rotation;
    }
    dci_pnc_eval(P, D, x, R, y, z + c->row.pair, F + c->row.pair, Fy);
    for (i = c->row.pair; i < c->row.count; ++i) {
        F[i] = s[i] - F[i];
        sum.dual += dc_abs(z[i]);
    }

    /* forces, and the rows of the contact */
    sum.reach = c->size*(1 + dc_abs(y[D]));
    dci_contact_forces(S, c, D, z, slip, &spin, &sum);
    dci_contact_residual(c, D, y[D], z, s, slip, spin, F);

    for (i = 0; i < D; ++i) sum.reach += dc_abs(y[i]);
    return dci_contact_worst(c, D, z[0], spin, &sum, F, Fy);
}

/* Where body i is after the step with velocity v, and its rows of Fx without contacts (SILICO Eq. 8):
 *     M v+ - M v - h (m g + f)
 *     2D: I (w+ - w) - h tau;   3D: J_l^-1(-h w+) I w+ - J_l^-1(h w) I w - h tau,   I in the world at the start
 * the variational integrator of the Lagrangian w.I w/2, exp(h w) taking one attitude to the next: with no load it keeps
 * the angular momentum to rounding. */
static DCI_NOINLINE void dci_ncp_body_eval(dc_ncp *S, dci_ncp_place *b, const dc_real *v)
{
    const int D = S->size.dim;
    const dc_real h = S->scene.h, *R0 = b->before.rotation;
    dc_real *R = b->after.rotation, *F = S->residual.free + b->first_row;
    int i, j, l;

    b->load[0] = b->load[1] = 0;
    for (i = 0; i < S->size.body; ++i) b->load[i >= D] += dc_abs(b->momentum[i]);
    for (i = 0; i < D; ++i) {
        b->after.velocity[i] = v[i];
        b->after.position[i] = b->before.position[i] + h*v[i];
        F[i] = b->mass*v[i] - b->momentum[i];
    }

    if (D == 2) {
        dc_real sn, cs, w = v[2];
        b->after.omega[0] = w;
        dc_sincos(h*w, &sn, &cs);
        R[0] = cs*R0[0] - sn*R0[2];
        R[1] = cs*R0[1] - sn*R0[3];
        R[2] = sn*R0[0] + cs*R0[2];
        R[3] = sn*R0[1] + cs*R0[3];
        b->turn_by_omega[0] = h;
        b->momentum_by_omega[0] = b->inertia[0];
        F[2] = b->inertia[0]*w - b->momentum[2];
    } else {
        dc_v3 hw = dc_vec(h*v[3], h*v[4], h*v[5]), w = dc_vec(v[3], v[4], v[5]), p;
        dc_m3 E = dc_m3_exp(hw), J = dc_so3_jl(hw), Ji = dc_so3_jl_inv(dc_neg(hw)), In, A, G;
        for (i = 0; i < 3; ++i) b->after.omega[i] = v[3 + i];
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) {
                dc_real t = 0;
                for (l = 0; l < 3; ++l) t += E.m[3*i + l]*R0[3*l + j];
                R[3*i + j] = t;
                b->turn_by_omega[3*i + j] = h*J.m[3*i + j];
                In.m[3*i + j] = b->inertia[3*i + j];
            }

        p = dc_mul(&Ji, dc_mul(&In, w));
        F[3] = p.x - b->momentum[3];
        F[4] = p.y - b->momentum[4];
        F[5] = p.z - b->momentum[5];

        /* d(J^-1(-h w) u) = J^-1 du + h J^-1 (dJ . (J^-1 u)) */
        A = dc_m3_mul(&Ji, &In);
        G = dc_so3_jl_grad(dc_neg(hw), p);
        G = dc_m3_mul(&Ji, &G);
        for (i = 0; i < 9; ++i) b->momentum_by_omega[i] = A.m[i] + h*G.m[i];
    }
}

/* SILICO Eq. 20 at an iterate: S->residual; its largest, and the excess of complementarity, in natural units */
static DCI_NOINLINE void dci_ncp_eval(dc_ncp *S, const dci_ncp_point *at, dc_real *eq, dc_real *cp)
{
    dc_real worst = 0, comp = 0;
    int i, k, part, first;

    /* momentum of the bodies, then the contacts, which take their wrenches out of it */
    for (i = 0; i < S->scene.bodies; ++i)
        if (S->place[i].first_row >= 0) dci_ncp_body_eval(S, S->place + i, at->free + S->place[i].first_row);
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->contact + k;
        const dc_real own = S->size.dim == 2 ? dci_ncp_contact_eval(S, c, 2, at) : dci_ncp_contact_eval(S, c, 3, at);
        worst = dci_ncp_larger(worst, own);

        /* SILICO Eq. 12, relaxed: SILICO Eq. 22 */
        for (part = 0; part < 2; ++part) {
            const dci_cones cones = dci_contact_cones(c, part, &first);
            const dc_real *z = at->dual + first, *s = at->slack + first;
            comp = dci_ncp_larger(comp, dci_cone_excess(&cones, z, s, S->rho, 1, S->scratch.work));
        }
    }

    /* what is left of the momentum, beside its natural unit and what acts */
    for (i = 0; i < S->scene.bodies; ++i) {
        const dci_ncp_place *b = S->place + i;
        for (k = 0; b->first_row >= 0 && k < S->size.body; ++k) {
            const int angular = k >= S->size.dim;
            const dc_real load = b->load[angular], row = S->residual.free[b->first_row + k];
            worst = dci_ncp_larger(worst, dci_ncp_excess(row, 8*DC_EPS*load, b->unit[angular] + DC_R(0.01)*load));
        }
    }
    *eq = worst;
    *cp = comp;
}

/* ---- [newton] a contact's part of Newton's step --------------------------------------------------- */
/* Of a contact everything is eliminated at given velocities of its bodies.
 *
 * stage                  | reads                         | writes                  | equation
 * dci_ncp_contact_factor | z, s, G                       | factor, response        | its rows of SILICO Eq. 20
 * dci_ncp_contact_const  | residuals, factor             | constant                | their right-hand side
 * dci_ncp_chain          | dv, factor, response, constant| change, wrenches        | (1) to (11) below
 *
 * The chain, at twist changes (dv, dw) of the bodies:
 *
 *     (1)  th = T dw,  dx = h dv,  move = dx + th x r,  turn = th x u             the rows at p, and their pull, moved
 *     (2)  xi = move_a - move_b,  sig = turn_a + turn_b
 *     (3)  (dp - move_b, dalpha, A_a^T dlam_a) = Phi (xi, sig)                     the pair
 *     (4)  du_a = turn_a + A_a^T dlam_a,  du_b = -du_a
 *     (5)  dn = -side (inverse du - inverse_along n (n . du))
 *     (6)  dr = dp - dx,  dv_p = dv + dw x r + w x dr
 *     (7)  dslip = sum of side (T^T dv_p + dT^T v_p),  dspin = sum of side (dn . w + n . dw)
 *     (8)  dgamma = -gap L dalpha
 *     (9)  df = by_normal dgamma - by_slip dslip,  dm likewise by dspin            the laws of friction
 *     (10) dF = side (dn gamma + n dgamma + T df + dT f)
 *     (11) dM = dr x F + r x dF + side (dn m + n dm) */

/* Linear friction, psi (s_psi, psi) and pairs of beta: with om = beta/s of the 2 nt, D_k = om_k+ - om_k-,
 *     dpsi = (-mu dgamma - D.dw + c)/den,   den = s_psi/psi + sum om
 *     df_k = -(om_k+ + om_k-) dw_k - D_k dpsi + c_k
 * coupling: D, pivot: den */
static void dci_ncp_law(int nt, const dc_real *z, const dc_real *s, dc_real mu, dc_real *by_slip, dc_real *by_normal,
                        dc_real *coupling, dc_real *pivot)
{
    dc_real *D = coupling, *both = by_normal, den = s[0]/z[0];
    int i, j;

    for (i = 0; i < nt; ++i) {
        dc_real p = z[1 + 2*i]/s[1 + 2*i], q = z[2 + 2*i]/s[2 + 2*i];
        D[i] = p - q;
        both[i] = p + q;
        den += p + q;
    }
    *pivot = den;
    for (i = 0; i < nt; ++i)
        for (j = 0; j < nt; ++j) by_slip[i*nt + j] = -D[i]*D[j]/den + (i == j ? both[i] : 0);
    for (i = 0; i < nt; ++i) by_normal[i] = D[i]*mu/den;
}

/* its constants: those of df and dpsi */
static void dci_ncp_law_const(int nt, const dc_real *z, const dc_real *s, const dc_real *Fs, const dc_real *rc,
                              const dc_real *coupling, dc_real pivot, dc_real *friction, dc_real *multiplier)
{
    dc_real sum = Fs[0] - rc[0]/z[0];
    int i;

    for (i = 0; i < nt; ++i) {
        int a = 1 + 2*i, b = a + 1;
        dc_real p = (z[a]*Fs[a] - rc[a])/s[a], q = (z[b]*Fs[b] - rc[b])/s[b];
        friction[i] = p - q;
        sum += p + q;
    }
    *multiplier = sum/pivot;
    for (i = 0; i < nt; ++i) friction[i] -= coupling[i]**multiplier;
}

/* the direction of its duals and slacks, from those of gamma and the slips */
static void dci_ncp_law_back(int nt, const dc_real *z, const dc_real *s, const dc_real *Fs, const dc_real *rc,
                             const dc_real *coupling, dc_real pivot, dc_real mu, dc_real dgamma, dc_real multiplier,
                             const dc_real *dw, dc_real *dz, dc_real *ds)
{
    dc_real t = -mu*dgamma, sum = 0;
    int i;

    for (i = 0; i < nt; ++i) t -= coupling[i]*dw[i];
    dz[0] = t/pivot + multiplier;
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
    const dc_real *z = S->now.dual + c->row.dual, *s = S->now.slack + c->row.dual;
    dci_contact_factor *factor = &c->factor;
    int i, j, first;
    const dci_cones forces = dci_contact_cones(c, 0, &first);

    if (!dci_cone_scaling(&c->pair.cones, s + c->row.pair, z + c->row.pair) || !dci_pnc_factor(&c->pair, D)
        || !dci_cone_scaling(&forces, s, z)) return 0;
    factor->gap = z[0]/s[0];

    /* friction: dZ = -H dS, of which the row of zeta is dpsi's */
    if (c->friction == DCI_CONE) {
        dc_real H[16];
        const int n = 1 + D;
        dci_ncp_cone_h(n, factor->scaling + 1, c->head[1].eta, H);
        factor->pivot = H[0];
        for (i = 0; i < D; ++i) {
            factor->coupling[i] = H[1 + i];
            factor->by_normal[i] = H[1 + i]*c->mu/H[0];
            for (j = 0; j < D; ++j) factor->by_slip[i*D + j] = H[(1 + i)*n + 1 + j] - H[1 + i]*H[1 + j]/H[0];
        }
    } else if (c->friction != DCI_NO_FRICTION)
        dci_ncp_law(c->tangents, z + 1, s + 1, c->mu, factor->by_slip, factor->by_normal, factor->coupling,
                    &factor->pivot);

    if (c->row.spin)
        dci_ncp_law(1, z + c->row.spin, s + c->row.spin, c->mu_spin, &factor->spin_by_slip, &factor->spin_by_normal,
                    &factor->spin_coupling, &factor->spin_pivot);
    return 1;
}

/* Constants for the residuals, those of products included. */
DCI_LANE void dci_ncp_contact_const(dc_ncp *S, dci_contact_nc *c, const int D)
{
    const dc_real *z = S->now.dual + c->row.dual, *s = S->now.slack + c->row.dual;
    const dc_real *Fs = S->residual.slack + c->row.dual, *rc = S->residual.product + c->row.dual;
    const dci_contact_factor *factor = &c->factor;
    dci_contact_constant *constant = &c->constant;
    dci_pair_nc *P = &c->pair;
    int i, j;

    dci_pnc_c(P, Fs + c->row.pair, rc + c->row.pair, P->right);
    dci_pnc_const(P, D, S->residual.free + c->row.free, P->right, constant->pair);
    constant->normal_impulse = factor->gap*Fs[0] - rc[0]/s[0];

    /* a cone: dZ = -H dS + kz, kz = -W^-1 (lam \ rc); dzeta = mu dgamma - Fs[1] */
    if (c->friction == DCI_CONE) {
        const dc_real *D_slip = factor->coupling, den = factor->pivot;
        dc_real k[4], psi;
        dci_soc_divide(1 + D, factor->scaled + 1, rc + 1, k);
        dci_soc_winv(1 + D, factor->scaling + 1, c->head[1].eta, k, 1, k);
        psi = Fs[1] - k[0];
        for (i = 0; i < D; ++i) psi += D_slip[i]*Fs[2 + i];
        constant->multiplier = psi/den;
        for (i = 0; i < D; ++i) {
            dc_real f = -k[1 + i] - D_slip[i]*(Fs[1] - k[0])/den;
            for (j = 0; j < D; ++j) f += factor->by_slip[i*D + j]*Fs[2 + j];
            constant->friction_impulse[i] = f;
        }
    } else if (c->friction != DCI_NO_FRICTION)
        dci_ncp_law_const(c->tangents, z + 1, s + 1, Fs + 1, rc + 1, factor->coupling, factor->pivot,
                          constant->friction_impulse, &constant->multiplier);

    if (c->row.spin) {
        const int at = c->row.spin;
        dci_ncp_law_const(1, z + at, s + at, Fs + at, rc + at, &factor->spin_coupling, factor->spin_pivot,
                          &constant->spin_impulse, &constant->spin_multiplier);
    }
}

/* (1) to (11): what a change of the bodies' velocities (dv[k]: v, w; NULL: none) does to contact c, with everything of
 * the contact eliminated; with `constant` the constants of the right-hand side as well. Out: the wrenches' changes;
 * c->change. */
DCI_LANE void dci_ncp_chain(const dc_ncp *S, dci_contact_nc *c, const int D, const dc_real *const dv[2], int constant,
                            dc_real dF[2][6])
{
    const int nw = D == 2 ? 1 : 3, nt = c->tangents;
    const dci_pair_nc *P = &c->pair;
    const dci_contact_at *at = &c->at;
    const dci_contact_factor *factor = &c->factor;
    dci_contact_change *change = &c->change;
    dc_real move[2][3], turn[2][3], dx[2][3], dn[2][3], du[2][3], dr[2][3], dslip[3] = DC_ZERO, dspin = 0;
    dc_real th[3], in[6], o[7], t[3], q[3];
    int i, j, k;

    /* (1), (2): displacements at p, turns of the pull */
    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        if (!dv[k]) {
            for (i = 0; i < D; ++i) move[k][i] = turn[k][i] = dx[k][i] = 0;
            continue;
        }
        for (i = 0; i < nw; ++i) {
            th[i] = 0;
            for (j = 0; j < nw; ++j) th[i] += b->turn_by_omega[i*nw + j]*dv[k][D + j];
        }
        dci_ncp_cross(D, th, P->arm[k], move[k]);
        dci_ncp_cross(D, th, P->pull[k], turn[k]);
        for (i = 0; i < D; ++i) {
            dx[k][i] = S->scene.h*dv[k][i];
            move[k][i] += dx[k][i];
        }
    }
    for (i = 0; i < D; ++i) {
        in[i] = change->displacement[i] = move[0][i] - move[1][i];
        in[D + i] = change->turned_pull[i] = turn[0][i] + turn[1][i];
    }

    /* (3), (4): the pair */
    for (i = 0; i < 2*D + 1; ++i) {
        o[i] = constant ? c->constant.pair[i] : 0;
        for (j = 0; j < 2*D; ++j) o[i] += P->response[i*2*D + j]*in[j];
    }
    for (i = 0; i < D; ++i) {
        change->point[i] = o[i] + move[1][i];
        du[0][i] = turn[0][i] + o[D + 1 + i];
        du[1][i] = -du[0][i] - (constant ? S->residual.free[c->row.free + i] : 0);
    }

    /* (5) to (7): normals, slip, spin */
    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        const dc_real side = dci_ncp_side(k), *n = at->normal[k];
        dc_real along = 0, dvp[3];
        for (i = 0; i < D; ++i) {
            du[k][i] *= -side;
            along += n[i]*du[k][i];
        }
        for (i = 0; i < D; ++i) {
            dn[k][i] = at->inverse[k]*du[k][i] - n[i]*along*at->inverse_along[k];
            dr[k][i] = change->point[i] - dx[k][i];
        }
        dci_ncp_cross(D, b->after.omega, dr[k], dvp);
        if (dv[k]) {
            dci_ncp_cross(D, dv[k] + D, P->arm[k], t);
            for (i = 0; i < D; ++i) dvp[i] += dv[k][i] + t[i];
        }
        dci_ncp_tv(D, c, k, dvp, t);
        dci_ncp_dtv(D, c, k, dn[k], at->velocity[k], q);
        for (i = 0; i < nt; ++i) dslip[i] += side*(t[i] + q[i]);
        if (c->row.spin) {
            dspin += side*dci_ncp_dot(3, dn[k], b->after.omega);
            if (dv[k]) dspin += side*dci_ncp_dot(3, n, dv[k] + 3);
        }
    }

    /* (8), (9): impulses */
    change->gap = c->size*o[D];
    change->normal_impulse = -factor->gap*change->gap + (constant ? c->constant.normal_impulse : 0);
    for (i = 0; i < nt; ++i) {
        dc_real f = factor->by_normal[i]*change->normal_impulse + (constant ? c->constant.friction_impulse[i] : 0);
        for (j = 0; j < nt; ++j) f -= factor->by_slip[i*nt + j]*dslip[j];
        change->friction_impulse[i] = f;
        change->slip[i] = dslip[i];
    }
    if (c->row.spin) {
        change->spin = dspin;
        change->spin_impulse = -factor->spin_by_slip*dspin + factor->spin_by_normal*change->normal_impulse
                             + (constant ? c->constant.spin_impulse : 0);
    }

    /* (10), (11): wrenches */
    for (k = 0; k < 2; ++k) {
        const dc_real side = dci_ncp_side(k), *n = at->normal[k];
        dc_real dFk[3], M[3];
        for (i = 0; i < D + nw; ++i) dF[k][i] = 0;
        if (S->place[c->body[k]].first_row < 0) continue;
        dci_ncp_tf(D, c, k, change->friction_impulse, t);
        dci_ncp_dtf(D, c, k, dn[k], at->friction_impulse, q);
        for (i = 0; i < D; ++i)
            dF[k][i] = dFk[i] = side*(dn[k][i]*at->normal_impulse + n[i]*change->normal_impulse + t[i] + q[i]);
        dci_ncp_torque(D, dr[k], at->force[k], M);
        dci_ncp_torque(D, P->arm[k], dFk, t);
        for (i = 0; i < nw; ++i) {
            dF[k][D + i] = M[i] + t[i];
            if (c->row.spin) dF[k][D + i] += side*(dn[k][i]*at->spin_impulse + n[i]*change->spin_impulse);
        }
    }
}

/* ---- [system] the body system -------------------------------------------------------------------- */
/* Block LU over the bodies, with pivots within diagonal blocks alone.
 *
 * stage               | reads             | writes                                  | equation
 * dci_ncp_pattern     | contacts          | order, slot, first, list, blocks        |
 * dci_ncp_lu          | matrix            | matrix, pivot                           | K = L U
 * dci_ncp_lu_solve    | matrix, pivot     | x                                       | K x = b
 * dci_ncp_lu_solve_t  | matrix, pivot     | x                                       | K^T x = b */

/* The pattern with its fill, bodies in the order of least degree, of the contacts of `place` with nb rows of each body:
 * everything of the system but the matrix, whose number of blocks it counts. */
static void dci_ncp_pattern(int contacts, const dci_contact_nc *contact, const dci_ncp_place *place, int nb,
                            dci_ncp_system *system)
{
    const int n = system->bodies;
    int *slot = system->slot, *list = system->list, *first = system->first;
    int *degree = system->pivot, *rank = system->pivot + n;         /* scratch, before there are pivots */
    int i, j, k, l, step, at = 0;

    /* blocks of pairs in contact, and of each body */
    for (i = 0; i < n*n; ++i) slot[i] = -1;
    for (i = 0; i < n; ++i) {
        slot[i*n + i] = 0;
        rank[i] = n;
    }
    for (k = 0; k < contacts; ++k) {
        i = place[contact[k].body[0]].first_row;
        j = place[contact[k].body[1]].first_row;
        if (i >= 0 && j >= 0) slot[i/nb*n + j/nb] = slot[j/nb*n + i/nb] = 0;
    }
    for (i = 0; i < n; ++i)
        for (degree[i] = k = 0; k < n; ++k) degree[i] += slot[i*n + k] >= 0;

    /* the body of least degree goes; all that share a block with it share one with each other from then on */
    for (step = 0; step < n; ++step) {
        int best = -1;
        for (i = 0; i < n; ++i) if (rank[i] == n && (best < 0 || degree[i] < degree[best])) best = i;
        system->order[step] = best;
        rank[best] = step;
        first[step] = at;
        for (k = 0; k < n; ++k)
            if (slot[best*n + k] >= 0 && rank[k] == n) list[at++] = k;
        for (k = first[step]; k < at; ++k) {
            int *row = slot + list[k]*n;
            --degree[list[k]];
            for (l = first[step]; l < at; ++l) {
                degree[list[k]] += row[list[l]] < 0;
                row[list[l]] = 0;
            }
        }
    }
    first[n] = at;

    system->blocks = 0;
    for (i = 0; i < n*n; ++i) if (slot[i] >= 0) slot[i] = system->blocks++;
}

/* block (i, j) of the matrix, which is in the pattern */
DCI_LANE dc_real *dci_ncp_block(const dci_ncp_system *system, const int nb, int i, int j)
{
    return system->matrix + (size_t)system->slot[i*system->bodies + j]*(size_t)(nb*nb);
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

/* C -= L U, two blocks that are not C */
DCI_LANE void dci_ncp_block_update(const int n, const dc_real *L, const dc_real *DCI_RESTRICT U,
                                   dc_real *DCI_RESTRICT C)
{
    int i, j, t;

    /* a row at a time, its terms in the order of the loops below */
    if (n == 6)
        for (i = 0; i < 6; ++i, C += 6, L += 6)
            for (j = 0; j < 6; ++j)
                C[j] = C[j] - L[0]*U[j] - L[1]*U[6 + j] - L[2]*U[12 + j] - L[3]*U[18 + j] - L[4]*U[24 + j]
                     - L[5]*U[30 + j];
    else
        for (i = 0; i < n; ++i)
            for (t = 0; t < n; ++t)
                for (j = 0; j < n; ++j) C[i*n + j] -= L[i*n + t]*U[t*n + j];
}

/* K = L U over the blocks: U_pp = 1, U_pj = K_pp^-1 K_pj, L_ip what is left of K_ip, factored where i = p. */
DCI_LANE int dci_ncp_lu(dci_ncp_system *system, const int nb)
{
    int n = system->bodies, j, k;

    for (k = 0; k < n; ++k) {
        int p = system->order[k];
        dc_real *D = dci_ncp_block(system, nb, p, p);
        const int *l = system->list + system->first[k], *end = system->list + system->first[k + 1], *q, *r;
        if (!dci_ncp_block_lu(nb, D, system->pivot + p*nb)) return 0;

        for (q = l; q < end; ++q) {
            dc_real *U = dci_ncp_block(system, nb, p, *q);
            for (j = 0; j < nb; ++j) dci_ncp_block_solve(nb, D, system->pivot + p*nb, U + j, nb);
            for (r = l; r < end; ++r) {
                const dc_real *L = dci_ncp_block(system, nb, *r, p);
                dc_real *C = dci_ncp_block(system, nb, *r, *q);
                dci_ncp_block_update(nb, L, U, C);
            }
        }
    }
    return 1;
}

/* x <- K^-1 x */
DCI_LANE void dci_ncp_lu_solve(const dci_ncp_system *system, const int nb, dc_real *x)
{
    int n = system->bodies, k;
    const int *q;

    for (k = 0; k < n; ++k) {
        int p = system->order[k];
        dci_ncp_block_solve(nb, dci_ncp_block(system, nb, p, p), system->pivot + p*nb, x + p*nb, 1);
        for (q = system->list + system->first[k]; q < system->list + system->first[k + 1]; ++q)
            dci_ncp_apply(nb, dci_ncp_block(system, nb, *q, p), 0, x + p*nb, x + *q*nb);
    }
    for (k = n - 1; k >= 0; --k) {
        int p = system->order[k];
        for (q = system->list + system->first[k]; q < system->list + system->first[k + 1]; ++q)
            dci_ncp_apply(nb, dci_ncp_block(system, nb, p, *q), 0, x + *q*nb, x + p*nb);
    }
}

/* x <- K^-T x */
DCI_LANE void dci_ncp_lu_solve_t(const dci_ncp_system *system, const int nb, dc_real *x)
{
    int n = system->bodies, k;
    const int *q;

    for (k = 0; k < n; ++k) {
        int p = system->order[k];
        for (q = system->list + system->first[k]; q < system->list + system->first[k + 1]; ++q)
            dci_ncp_apply(nb, dci_ncp_block(system, nb, p, *q), 1, x + p*nb, x + *q*nb);
    }
    for (k = n - 1; k >= 0; --k) {
        int p = system->order[k];
        for (q = system->list + system->first[k]; q < system->list + system->first[k + 1]; ++q)
            dci_ncp_apply(nb, dci_ncp_block(system, nb, *q, p), 1, x + *q*nb, x + p*nb);
        dci_ncp_block_solve_t(nb, dci_ncp_block(system, nb, p, p), system->pivot + p*nb, x + p*nb);
    }
}

/* ---- [iteration] Newton's iteration ---------------------------------------------------------------- */
/* stage                 | reads                       | writes                        | equation
 * dci_ncp_eval          | now                         | residual, places, contacts    | SILICO Eq. 20
 * dci_ncp_factor        | now, contacts               | factors, body system          | momentum rows by velocities
 * dci_ncp_rc            | now, predictor              | residual.product              | SILICO Eq. 12, 22, 33-35
 * dci_ncp_direction     | residual, factors           | predictor or step             | Newton
 * dci_ncp_step_length   | now, a direction            | how far it stays inside       | SILICO Eq. 13, 36
 * dci_ncp_try, _take    | now, step                   | trial, now                    |
 * dci_ncp_iterate       | now                         | now                           | until both errors are small */

/* The body system at the iterate, every contact eliminated, column by column through the chain; its LU. 0: a pivot
 * vanished. */
DCI_LANE int dci_ncp_factor_d(dc_ncp *S, const int D)
{
    const int nw = D == 2 ? 1 : 3, nb = D + nw;
    dci_ncp_system *system = &S->system;
    int i, j, k, l, side;

    /* bodies: mass, and the angular momentum by omega */
    memset(system->matrix, 0, (size_t)system->blocks*(size_t)(nb*nb)*sizeof(dc_real));
    for (k = 0; k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        dc_real *K;
        if (b->first_row < 0) continue;
        K = dci_ncp_block(system, nb, b->first_row/nb, b->first_row/nb);
        for (i = 0; i < D; ++i) K[i*nb + i] = b->mass;
        for (i = 0; i < nw; ++i)
            for (j = 0; j < nw; ++j) K[(D + i)*nb + D + j] = b->momentum_by_omega[i*nw + j];
    }

    /* contacts: minus the wrenches' changes with each velocity of either body */
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->contact + k;
        if (!dci_ncp_contact_factor(S, c, D)) return 0;
        for (side = 0; side < 2; ++side) {
            int col = S->place[c->body[side]].first_row;
            if (col < 0) continue;
            for (j = 0; j < nb; ++j) {
                dc_real unit[6], dF[2][6];
                const dc_real *dv[2];
                for (i = 0; i < nb; ++i) unit[i] = DC_R(i == j);
                dv[side] = unit;
                dv[1 - side] = NULL;
                dci_ncp_chain(S, c, D, dv, 0, dF);
                for (l = 0; l < 2; ++l) {
                    int row = S->place[c->body[l]].first_row;
                    dc_real *K;
                    if (row < 0) continue;
                    K = dci_ncp_block(system, nb, row/nb, col/nb) + j;
                    for (i = 0; i < nb; ++i) K[i*nb] -= dF[l][i];
                }
            }
        }
    }
    return dci_ncp_lu(system, nb);
}

/* The direction's numbers of contact c, once those of the velocities are known, from the right-hand side of the last
 * dci_ncp_contact_const. */
DCI_LANE void dci_ncp_contact_direction(dc_ncp *S, dci_contact_nc *c, const int D, const dci_ncp_point *out)
{
    const dci_contact_factor *factor = &c->factor;
    const dci_contact_change *change = &c->change;
    const dc_real *z = S->now.dual + c->row.dual, *s = S->now.slack + c->row.dual;
    const dc_real *Fy = S->residual.free + c->row.free, *Fs = S->residual.slack + c->row.dual;
    const dc_real *rc = S->residual.product + c->row.dual;
    dc_real *dy = out->free + c->row.free, *dz = out->dual + c->row.dual, *ds = out->slack + c->row.dual;
    dc_real *r1 = S->scratch.work, dF[2][6];
    const dc_real *dv[2];
    dci_pair_nc *P = &c->pair;
    int i, k;

    for (k = 0; k < 2; ++k) {
        int row = S->place[c->body[k]].first_row;
        dv[k] = row >= 0 ? out->free + row : NULL;
    }
    dci_ncp_chain(S, c, D, dv, 1, dF);

    /* the pair */
    for (i = 0; i < P->unknowns; ++i) r1[i] = Fy[i] + (i < D ? change->turned_pull[i] : 0);
    dci_pnc_dy(P, D, r1, P->right, change->displacement, dy);
    dci_pnc_ds(P, D, dy, change->displacement, Fs + c->row.pair, ds + c->row.pair);
    dci_pnc_dlam(P, D, r1, P->right, change->displacement, dz + c->row.pair);
    for (i = 0; i < D; ++i) dy[i] = change->point[i];

    /* gamma, friction, spin */
    dz[0] = change->normal_impulse;
    ds[0] = change->gap - Fs[0];

    if (c->friction == DCI_CONE) {
        dc_real dpsi = c->constant.multiplier - c->mu*change->normal_impulse/factor->pivot;
        for (i = 0; i < D; ++i) {
            dpsi -= factor->coupling[i]*change->slip[i]/factor->pivot;
            ds[2 + i] = change->slip[i] - Fs[2 + i];
            dz[2 + i] = change->friction_impulse[i];
        }
        ds[1] = dpsi;
        dz[1] = c->mu*change->normal_impulse - Fs[1];
    } else if (c->friction != DCI_NO_FRICTION)
        dci_ncp_law_back(c->tangents, z + 1, s + 1, Fs + 1, rc + 1, factor->coupling, factor->pivot, c->mu,
                         change->normal_impulse, c->constant.multiplier, change->slip, dz + 1, ds + 1);
    if (c->row.spin) {
        const int at = c->row.spin;
        dci_ncp_law_back(1, z + at, s + at, Fs + at, rc + at, &factor->spin_coupling, factor->spin_pivot, c->mu_spin,
                         change->normal_impulse, c->constant.spin_multiplier, &change->spin, dz + at, ds + at);
    }
}

/* All of the direction for S->residual */
DCI_LANE void dci_ncp_direction_d(dc_ncp *S, const int D, const dci_ncp_point *out)
{
    const int nb = D == 2 ? 3 : 6;
    const dc_real *none[2] = {NULL, NULL};
    dc_real *dv = out->free, dF[2][6];
    int i, k, l;

    /* velocities: momentum rows, and what the contacts' constants add to their wrenches */
    for (i = 0; i < S->size.velocities; ++i) dv[i] = -S->residual.free[i];
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->contact + k;
        dci_ncp_contact_const(S, c, D);
        dci_ncp_chain(S, c, D, none, 1, dF);
        for (l = 0; l < 2; ++l) {
            int row = S->place[c->body[l]].first_row;
            if (row >= 0) for (i = 0; i < nb; ++i) dv[row + i] += dF[l][i];
        }
    }
    dci_ncp_lu_solve(&S->system, nb, dv);

    for (k = 0; k < S->scene.contacts; ++k) dci_ncp_contact_direction(S, S->contact + k, D, out);
}

/* the two by dimension, out of line for the sake of the stack */
static DCI_NOINLINE int dci_ncp_factor_2(dc_ncp *S) { return dci_ncp_factor_d(S, 2); }
static DCI_NOINLINE int dci_ncp_factor_3(dc_ncp *S) { return dci_ncp_factor_d(S, 3); }
static DCI_NOINLINE void dci_ncp_direction_2(dc_ncp *S, const dci_ncp_point *out) { dci_ncp_direction_d(S, 2, out); }
static DCI_NOINLINE void dci_ncp_direction_3(dc_ncp *S, const dci_ncp_point *out) { dci_ncp_direction_d(S, 3, out); }
static int dci_ncp_factor(dc_ncp *S) { return S->size.dim == 2 ? dci_ncp_factor_2(S) : dci_ncp_factor_3(S); }
static void dci_ncp_direction(dc_ncp *S, const dci_ncp_point *out)
{
    if (S->size.dim == 2) dci_ncp_direction_2(S, out);
    else dci_ncp_direction_3(S, out);
}

/* S->residual.product for the place t on the path, with q times the second-order term of the direction `second` if
 * given */
static void dci_ncp_rc(dc_ncp *S, dc_real t, dc_real q, const dci_ncp_point *second)
{
    int k, part, at;
    for (k = 0; k < S->scene.contacts; ++k)
        for (part = 0; part < 2; ++part) {
            const dci_cones cones = dci_contact_cones(S->contact + k, part, &at);
            dci_cone_rc(&cones, S->now.slack + at, S->now.dual + at, t, S->rho, q, second ? second->slack + at : NULL,
                        second ? second->dual + at : NULL, S->residual.product + at, S->scratch.work);
        }
}

/* The place on the path after a part a of the predictor: the mean over all cones of the products above their end, over
 * `path` */
static dc_real dci_ncp_along(const dc_ncp *S, dc_real a)
{
    const dc_real *z = S->now.dual, *s = S->now.slack, *dz = S->predictor.dual, *ds = S->predictor.slack;
    dc_real sum = 0;
    int k, part, at;

    for (k = 0; k < S->scene.contacts; ++k)
        for (part = 0; part < 2; ++part) {
            const dci_cones cones = dci_contact_cones(S->contact + k, part, &at);
            sum += dci_cone_along(&cones, z + at, s + at, S->rho, a, dz + at, ds + at);
        }
    return dc_max(sum/DC_R(S->size.degree), 0);
}

/* 1: at t some product is still above the end by a factor of 2 */
static int dci_ncp_on_the_way(const dc_ncp *S, dc_real t)
{
    int k, i, part, at;
    for (k = 0; k < S->scene.contacts; ++k)
        for (part = 0; part < 2; ++part) {
            const dci_cones cones = dci_contact_cones(S->contact + k, part, &at);
            for (i = 0; i < cones.runs; ++i) if (t*cones.run[i].path > 2*S->rho*cones.run[i].end) return 1;
        }
    return 0;
}

/* The largest step up to `most` that keeps x, slacks or duals, in the cones. */
static dc_real dci_ncp_inside(const dc_ncp *S, const dc_real *x, const dc_real *dx, dc_real most)
{
    int k, part, at;
    for (k = 0; k < S->scene.contacts; ++k)
        for (part = 0; part < 2; ++part) {
            const dci_cones cones = dci_contact_cones(S->contact + k, part, &at);
            most = dci_cone_step(&cones, x + at, dx + at, most);
        }
    return most;
}

/* The part of a direction to go: all of it, or most of the way to the boundary of the cones (SILICO Eq. 13, 36). */
static dc_real dci_ncp_step_length(const dc_ncp *S, const dci_ncp_point *direction)
{
    const dc_real back = DC_R(0.98);        /* fraction of the way to the boundary */
    dc_real a = dci_ncp_inside(S, S->now.slack, direction->slack, 1/back);
    a = dci_ncp_inside(S, S->now.dual, direction->dual, a);
    return dc_min(back*a, 1);
}

/* trial = now + a step */
static void dci_ncp_try(dc_ncp *S, dc_real a)
{
    int i;
    for (i = 0; i < S->size.free; ++i) S->trial.free[i] = S->now.free[i] + a*S->step.free[i];
    for (i = 0; i < S->size.dual; ++i) {
        S->trial.dual[i] = S->now.dual[i] + a*S->step.dual[i];
        S->trial.slack[i] = S->now.slack[i] + a*S->step.slack[i];
    }
}

/* the trial is the iterate */
static void dci_ncp_take(dc_ncp *S)
{
    const dci_ncp_point swap = S->now;
    S->now = S->trial;
    S->trial = swap;
}

/* Newton's iteration from S->now, of at most so many steps; `test`: a step is halved until one of the two errors does
 * not grow. Fills info; leaves the residuals and places at the last iterate. */
static DCI_NOINLINE dc_status dci_ncp_iterate(dc_ncp *S, int most, int test, dc_ncp_info *info)
{
    enum { STALLS = 4 };                    /* so many steps in a row shorter than 1e-2 end it */
    dc_real eq, cp, eq2, cp2, nu, a, t, least, best = DC_REAL_MAX;
    /* idle: products are there, and the equations no better than they were */
    int it, trial, stalled = 0, idle = 0;

    dci_ncp_eval(S, &S->now, &eq, &cp);
    for (it = 0;; ++it) {
        info->iterations = it;
        info->residual = eq;
        info->complementarity = cp;
        if (eq <= S->tolerance && cp <= S->tolerance) return DC_OK;

        /* no way on */
        if (cp <= S->tolerance && eq > best/2) ++idle;
        else idle = 0;
        best = dc_min(best, eq);
        if (it == most || stalled == STALLS || idle == 8) return DC_E_DIVERGED;
        if (!(eq < DC_REAL_MAX && cp < DC_REAL_MAX)) return DC_E_RANGE;
        if (!dci_ncp_factor(S)) return DC_E_SINGULAR;

        /* predictor: the end of the path */
        dci_ncp_rc(S, 0, 0, NULL);
        dci_ncp_direction(S, &S->predictor);
        a = dci_ncp_step_length(S, &S->predictor);

        /* how far to go: not the cube of the ratio, as usual, or complementarity runs ahead of the equations */
        nu = dci_ncp_along(S, 0);
        t = dc_min(dci_ncp_along(S, a), nu);
        if (!dci_ncp_on_the_way(S, t)) t = 0;

        /* corrector; where its second order shortens the step, without */
        for (least = a/2, a = -1, trial = 0; trial < 2 && a < least; ++trial) {
            if (trial == 0) dci_ncp_rc(S, t, 2*least, &S->predictor);
            else dci_ncp_rc(S, t, 0, NULL);
            dci_ncp_direction(S, &S->step);
            a = dci_ncp_step_length(S, &S->step);
        }

        /* line search */
        for (trial = 0; trial < 25; ++trial, a *= DC_R(0.5)) {
            dci_ncp_try(S, a);
            dci_ncp_eval(S, &S->trial, &eq2, &cp2);
            if (!test || eq2 <= eq || cp2 <= cp) break;
        }
        stalled = a < DC_R(1e-2) ? stalled + 1 : 0;
        dci_ncp_take(S);
        eq = eq2;
        cp = cp2;
    }
}

/* ---- [scene] what is wrong with a scene, memory, and reading it -------------------------------- */
/* stage               | reads             | writes                                   | equation
 * dc_ncp_flaw         | options, scene    | the first flaw                           |
 * dci_ncp_lay         | options, scene    | counts; arrays, once there is memory     |
 * dci_ncp_place_set   | a body            | state before, inertia, momentum          | SILICO Eq. 8
 * dci_ncp_contact_set | a contact         | pair, material, rows, units              |
 * dci_ncp_make        | options, scene    | all of a dc_ncp but its iterate          | */

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

/* how many numbers of z stand before the pair's rows */
static int dci_contact_pair_row(const dc_ncp_options *o, int dim, const dc_ncp_contact *c)
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
    return DCI_KEEP_HEAD + dci_pnc_unknowns(c->shape[0], c->shape[1])
        + 2*(dci_contact_pair_row(opt, dim, c) + c->shape[0]->rows + c->shape[1]->rows);
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

/* Everything of a step but the body system's matrix: counts, then arrays. */
static void dci_ncp_lay(dc_ncp *S, const dc_ncp_options *o, const dc_ncp_scene *sc, dci_layout *l)
{
    dci_layout work = {NULL, 0};
    dci_growth G;
    dci_pair_nc none;
    int i, n = 0, free, dual = 0, largest = 0;

    /* bodies */
    for (i = 0; i < sc->bodies; ++i) n += sc->body[i].mass > 0;
    free = n*(sc->dim == 2 ? 3 : 6);
    S->place = DCI_LAY(l, sc->bodies + 1, dci_ncp_place);
    S->scratch.best = DCI_LAY(l, free, dc_real);
    S->guess.velocity = DCI_LAY(l, free, dc_real);

    /* contacts, and the scratch of the largest */
    S->contact = DCI_LAY(l, sc->contacts, dci_contact_nc);
    S->guess.load = DCI_LAY(l, sc->contacts, dci_load);
    for (i = 0; i < sc->contacts; ++i) {
        const dc_ncp_contact *c = sc->contact + i;
        const dc_shape *a = c->shape[0], *b = c->shape[1];
        const int rows = a->rows + b->rows, unknowns = dci_pnc_unknowns(a, b), cotangent = 2*unknowns + 3*rows;
        dci_layout one = {NULL, 0};
        if (S->contact) memset(S->contact + i, 0, sizeof *S->contact);
        dci_pnc_lay(S->contact ? &S->contact[i].pair : &none, a, b, l);
        free += unknowns;
        dual += dci_contact_pair_row(o, sc->dim, c) + rows;
        dci_growth_lay(&G, rows, unknowns, &one);
        if (one.bytes > work.bytes) work = one;
        if (cotangent > largest) largest = cotangent;
    }
    S->scratch.work = (dc_real *)dci_lay(l, work.bytes, 1);
    S->scratch.cotangent = DCI_LAY(l, largest, dc_real);

    /* iteration */
    S->system.bodies = n;
    S->size.free = free;
    S->size.dual = dual;
    dci_ncp_lay_point(&S->now, free, dual, l);
    dci_ncp_lay_point(&S->trial, free, dual, l);
    dci_ncp_lay_point(&S->step, free, dual, l);
    S->predictor.free = S->step.free;
    S->predictor.dual = DCI_LAY(l, dual, dc_real);
    S->predictor.slack = DCI_LAY(l, dual, dc_real);
    S->residual.free = DCI_LAY(l, free, dc_real);
    S->residual.slack = DCI_LAY(l, dual, dc_real);
    S->residual.product = DCI_LAY(l, dual, dc_real);

    /* the body system's pattern */
    S->system.slot = DCI_LAY(l, n*n, int);
    S->system.list = DCI_LAY(l, n*n, int);
    S->system.order = DCI_LAY(l, n, int);
    S->system.first = DCI_LAY(l, n + 1, int);
    S->system.pivot = DCI_LAY(l, n*6, int);
}

DC_DEF size_t dc_ncp_bytes(const dc_ncp_options *opt, const dc_ncp_scene *sc)
{
    dci_layout l = {NULL, 0};
    dc_ncp S;
    size_t sum, blocks, block;

    if (!dci_scene_valid(opt, sc)) return 0;
    dci_ncp_lay(&S, opt, sc, &l);
    blocks = (size_t)S.system.bodies*(size_t)S.system.bodies;
    block = sc->dim == 2 ? 9 : 36;
    sum = dc_bytes(dc_bytes(dc_bytes(0, 1, sizeof S), l.bytes, 1), blocks*block, sizeof(dc_real));
    return sum == SIZE_MAX ? 0 : sum;
}

/* The state of a body, or (NULL) the world, at the start of the step; its inertia in world axes; what its momentum
 * would be without contacts: SILICO Eq. 8 at the old velocity */
static DCI_NOINLINE void dci_ncp_place_set(const dc_ncp_scene *sc, const dc_ncp_body *b, int D, dci_ncp_place *p)
{
    const dc_real h = sc->h, *R = p->before.rotation;
    dc_real v[12], g[3];
    int i, j, l;

    memset(p, 0, sizeof *p);
    p->first_row = -1;
    dci_pose_rows(D, b ? &b->pose : NULL, p->before.position, p->before.rotation);
    memcpy(p->after.position, p->before.position, sizeof p->after.position);
    memcpy(p->after.rotation, p->before.rotation, sizeof p->after.rotation);
    if (!b || !(b->mass > 0)) return;

    /* velocity, loads */
    v[0] = b->v.x;          v[1] = b->v.y;          v[2] = b->v.z;
    v[3] = b->w.x;          v[4] = b->w.y;          v[5] = b->w.z;
    v[6] = b->force.x;      v[7] = b->force.y;      v[8] = b->force.z;
    v[9] = b->torque.x;     v[10] = b->torque.y;    v[11] = b->torque.z;
    g[0] = sc->gravity.x;   g[1] = sc->gravity.y;   g[2] = sc->gravity.z;
    p->mass = b->mass;
    for (i = 0; i < D; ++i) {
        p->before.velocity[i] = v[i];
        p->momentum[i] = p->mass*v[i] + h*(p->mass*g[i] + v[6 + i]);
    }

    /* angular momentum */
    if (D == 2) {
        p->before.omega[0] = v[5];
        p->inertia[0] = b->inertia.m[8];
        p->momentum[2] = p->inertia[0]*v[5] + h*v[11];
    } else {
        dc_m3 In, Ji;
        dc_v3 hw = dc_vec(h*v[3], h*v[4], h*v[5]), L;
        dc_real RI[9];
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) {
                RI[3*i + j] = 0;
                for (l = 0; l < 3; ++l) RI[3*i + j] += R[3*i + l]*b->inertia.m[3*l + j];
            }
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) {
                dc_real t = 0;
                for (l = 0; l < 3; ++l) t += RI[3*i + l]*R[3*j + l];
                p->inertia[3*i + j] = In.m[3*i + j] = t;
            }
        Ji = dc_so3_jl_inv(hw);
        L = dc_mul(&Ji, dc_mul(&In, dc_vec(v[3], v[4], v[5])));
        for (i = 0; i < 3; ++i) p->before.omega[i] = v[3 + i];
        p->momentum[3] = L.x + h*v[9];
        p->momentum[4] = L.y + h*v[10];
        p->momentum[5] = L.z + h*v[11];
    }
}

/* The natural units of a contact: its length, that of the smaller shape if one is much smaller; the impulse that the
 * acceleration gives the two bodies' reduced mass in a step; the speed it gives over that length. At the end products
 * of gamma and gap are rho impulse length, of friction and slip rho impulse speed, of the pair rho length. Of constants
 * of the scene alone. */
static void dci_ncp_units(dc_ncp *S, dci_contact_nc *c)
{
    const dc_real a = c->pair.shape[0]->size, b = c->pair.shape[1]->size, h = S->scene.h;
    dci_contact_units *unit = &c->unit;
    dc_real inv = 0, acceleration;
    int i;

    unit->length = a > 0 && b > 0 ? a*b/(a + b) : a + b;
    acceleration = S->acceleration > 0 ? S->acceleration : unit->length/(100*h*h);
    for (i = 0; i < 2; ++i)
        if (S->place[c->body[i]].first_row >= 0) inv += 1/S->place[c->body[i]].mass;
    unit->impulse = acceleration*h/(inv > 0 ? inv : 1);
    unit->impulse_rate = acceleration*h;
    unit->speed = dc_sqrt(acceleration*unit->length);

    /* products at the end of the path */
    c->head[0].end = unit->impulse*unit->length/(4*dc_sqrt(1 + c->mu*c->mu));
    for (i = 1; i < c->heads; ++i) c->head[i].end = unit->impulse*unit->speed;
    for (i = 0; i < c->pair.cones.runs; ++i) c->pair.cones.run[i].end = unit->length;

    /* the bodies' momenta: what the acceleration gives in a step, the smallest of their contacts */
    for (i = 0; i < 2; ++i) {
        dci_ncp_place *p = S->place + c->body[i];
        const dc_real trace = S->size.dim == 2 ? p->inertia[0] : (p->inertia[0] + p->inertia[4] + p->inertia[8])/2;
        const dc_real momentum = p->mass*acceleration*h;
        if (p->first_row < 0 || (p->unit[0] > 0 && p->unit[0] <= momentum)) continue;
        p->unit[0] = momentum;
        p->unit[1] = dc_sqrt(trace*p->mass)*acceleration*h;
    }
}

/* Reads a contact; its numbers begin at `free` and `dual`. */
static void dci_ncp_contact_set(dc_ncp *S, const dc_ncp_contact *from, int free, int dual, dci_contact_nc *c)
{
    const int D = S->size.dim;
    int i;

    /* the pair: rows are unit, the objective's weight makes duals of the order of 1 */
    dci_pnc_fill(&c->pair, 0, 1, 1);
    c->size = from->shape[0]->size + from->shape[1]->size;
    c->pair.weight = DC_R(0.5)*DC_R(dci_cone_degree(&c->pair.cones))*c->size;

    /* bodies, material */
    for (i = 0; i < 2; ++i) {
        c->body[i] = from->body[i] < 0 ? S->scene.bodies : from->body[i];
        S->place[c->body[i]].held = 1;
    }
    c->mu = from->mu;
    c->mu_spin = D == 3 ? from->mu_spin : 0;
    c->restitution = from->restitution;
    c->friction = !(c->mu > 0) ? DCI_NO_FRICTION : D == 2 ? DCI_LINE : S->options.pyramid ? DCI_PYRAMID : DCI_CONE;
    c->tangents = c->friction == DCI_NO_FRICTION ? 0 : c->friction == DCI_LINE ? 1 : c->friction == DCI_CONE ? D : 2;

    /* gamma, friction, spin, pair */
    c->row.free = free;
    c->row.dual = dual;
    c->row.pair = dci_contact_pair_row(&S->options, D, from);
    c->row.spin = c->mu_spin > 0 ? c->row.pair - 3 : 0;
    c->row.count = c->row.pair + c->pair.rows;
    dci_run_add(c->head, &c->heads, 0, 1, 0);
    if (c->friction != DCI_NO_FRICTION)
        dci_run_add(c->head, &c->heads, 1, (c->row.spin ? c->row.spin : c->row.pair) - 1, c->friction == DCI_CONE);
    if (c->row.spin) dci_run_add(c->head, &c->heads, c->row.spin, 3, 0);
    S->size.degree += c->row.pair + dci_cone_degree(&c->pair.cones) - (c->friction == DCI_CONE ? D : 0);

    dci_ncp_units(S, c);
}

/* Takes all memory and reads the scene. *bytes: as in dc_ncp_info. */
static DCI_NOINLINE dc_status dci_ncp_make(const dc_ncp_options *opt, const dc_ncp_scene *sc, dc_arena *mem,
                                           dc_ncp **out, size_t *bytes)
{
    dci_layout l = {NULL, 0};
    dc_ncp counted, *S;
    size_t numbers;
    int i, k, nb = sc->dim == 2 ? 3 : 6, free, dual = 0, row = 0;

    /* memory, counted and taken */
    dci_ncp_lay(&counted, opt, sc, &l);
    *bytes = dc_bytes(dc_bytes(0, 1, sizeof(dc_ncp)), l.bytes, 1);
    S = (dc_ncp *)dc_arena_take(mem, 1, sizeof(dc_ncp));
    if (!S) return DC_E_MEMORY;
    memset(S, 0, sizeof *S);
    l.base = (unsigned char *)dc_arena_take(mem, l.bytes, 1);
    if (!l.base) return DC_E_MEMORY;
    memset(l.base, 0, l.bytes);
    l.bytes = 0;
    dci_ncp_lay(S, opt, sc, &l);

    /* options */
    S->scene = *sc;
    if (opt) S->options = *opt;
    S->rho = S->options.rho > 0 ? S->options.rho : DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-6);
    S->tolerance = S->options.tol > 0 ? S->options.tol : S->rho/10;
    S->max_iterations = S->options.max_iterations > 0 ? S->options.max_iterations : 1500;
    S->acceleration = S->options.acceleration > 0 ? S->options.acceleration : dc_sqrt(dc_dot(sc->gravity, sc->gravity));

    /* bodies and the world, contacts */
    S->size.dim = sc->dim;
    S->size.body = nb;
    S->size.velocities = free = S->system.bodies*nb;
    for (i = 0; i < sc->bodies; ++i) {
        dci_ncp_place_set(sc, sc->body + i, S->size.dim, S->place + i);
        if (!(sc->body[i].mass > 0)) continue;
        S->place[i].first_row = row;
        row += nb;
    }
    dci_ncp_place_set(sc, NULL, S->size.dim, S->place + sc->bodies);
    for (k = 0; k < sc->contacts; ++k) {
        dci_ncp_contact_set(S, sc->contact + k, free, dual, S->contact + k);
        free += S->contact[k].pair.unknowns;
        dual += S->contact[k].row.count;
    }
    for (i = 0; i < sc->bodies; ++i)                        /* bodies that touch nothing */
        for (k = 0; k < 2; ++k)
            if (!(S->place[i].unit[k] > 0)) S->place[i].unit[k] = 1;

    /* the body system */
    dci_ncp_pattern(sc->contacts, S->contact, S->place, nb, &S->system);
    numbers = (size_t)S->system.blocks*(size_t)(nb*nb);
    *bytes = dc_bytes(*bytes, numbers, sizeof(dc_real));
    S->system.matrix = (dc_real *)dc_arena_take(mem, numbers, sizeof(dc_real));
    if (!S->system.matrix) return DC_E_MEMORY;
    *out = S;
    return DC_OK;
}

/* The growth problem of contact c at the bodies' old poses, or at those of the last evaluation */
static void dci_ncp_growth(dc_ncp *S, dci_contact_nc *c, int end, dci_growth *G)
{
    dci_layout l = {NULL, 0};
    int i;

    G->pair = &c->pair;
    for (i = 0; i < 2; ++i) {
        const dci_ncp_place *b = S->place + c->body[i];
        G->position[i] = end ? b->after.position : b->before.position;
        G->rotation[i] = end ? b->after.rotation : b->before.rotation;
    }

    for (i = 0; i < c->pair.cones.runs; ++i) c->pair.cones.run[i].path = 1;
    G->unit = 1;
    G->metres = G->start.slack = c->size;
    G->start.dual = c->pair.weight/c->size;

    l.base = (unsigned char *)S->scratch.work;
    dci_growth_lay(G, c->pair.rows, c->pair.unknowns, &l);
    dci_growth_middle(G, c->pair.shape[0], c->pair.shape[1]);
}

/* where the path begins: products of gamma and gap, of friction and slip, of the pair */
static void dci_ncp_path(dci_contact_nc *c, dc_real gap, dc_real slip, dc_real pair)
{
    int i;
    for (i = 0; i < c->heads; ++i) c->head[i].path = i == 0 ? gap : slip;
    for (i = 0; i < c->pair.cones.runs; ++i) c->pair.cones.run[i].path = pair;
}

/* ---- [load] a guess of the load ---------------------------------------------------------------- */
/* The convex contact problem (Anitescu) with points, normals and gaps of the old poses:
 *
 *     M v = M v- + h (m g + f) + J^T Z,   S = J v + gap/(h mu),   Z o S = 0,   Z and S in their cones
 *
 * by Nesterov and Todd's predictor and corrector, in the body system of the step. It says how large impulses are, no
 * more.
 *
 * stage             | reads                  | writes       | equation
 * dci_load_begin    | problem                | Z, S, v      | start
 * dci_load_factor   | Z, S                   | K, H, w, lam | K = M + J^T W^-2 J = L U
 * dci_load_rc       | Z, S, dZ, dS           | rc           | products on the path
 * dci_load_solve    | K, rc                  | dv, dZ, dS   | Newton's direction
 * dci_load_estimate | problem                | Z, S, v      | the iteration */

/* the cone of a load */
static dci_cones dci_load_cones(dci_load *g)
{
    dci_cones one;
    one.run = &g->run;
    one.runs = 1;
    one.scaling = g->scaling;
    one.scaled = g->scaled;
    return one;
}

/* o = J v, and with `affine` gap/(h mu) */
DCI_LANE void dci_load_rows(const dc_ncp *S, const dci_contact_nc *c, const dci_load *g, const int D, const dc_real *v,
                            int affine, dc_real *o)
{
    dc_real u[3] = DC_ZERO, t[3];
    int i, k;

    /* the relative velocity of the points */
    for (k = 0; k < 2; ++k) {
        const dc_real side = dci_ncp_side(k);
        int row = S->place[c->body[k]].first_row;
        if (row < 0) continue;
        dci_ncp_cross(D, v + row + D, g->arm[k], t);
        for (i = 0; i < D; ++i) u[i] += side*(v[row + i] + t[i]);
    }

    o[0] = dci_ncp_dot(D, g->normal, u) + (affine ? g->gap/S->scene.h : 0);
    if (!g->run.second_order) return;
    o[0] /= c->mu;
    for (i = 1; i < D; ++i) o[i] = dci_ncp_dot(D, g->tangent[i - 1], u);
}

/* F += J^T Z */
DCI_LANE void dci_load_add(const dc_ncp *S, const dci_contact_nc *c, const dci_load *g, const int D, const dc_real *Z,
                           dc_real *F)
{
    const int nw = D == 2 ? 1 : 3;
    dc_real f[3], t[3];
    int i, j, k;

    for (i = 0; i < D; ++i) {
        f[i] = g->normal[i]*Z[0]/(g->run.second_order ? c->mu : 1);
        for (j = 1; j < g->run.count; ++j) f[i] += g->tangent[j - 1][i]*Z[j];
    }

    for (k = 0; k < 2; ++k) {
        const dc_real side = dci_ncp_side(k);
        int row = S->place[c->body[k]].first_row;
        if (row < 0) continue;
        dci_ncp_torque(D, g->arm[k], f, t);
        for (i = 0; i < D; ++i) F[row + i] += side*f[i];
        for (i = 0; i < nw; ++i) F[row + D + i] += side*t[i];
    }
}

/* bodies move freely; impulses of the size that would stop them */
DCI_LANE void dci_load_begin(dc_ncp *S, const int D, dc_real *v)
{
    const int nw = D == 2 ? 1 : 3;
    int i, k;

    for (k = 0; k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        if (b->first_row < 0) continue;
        for (i = 0; i < D + nw; ++i) v[b->first_row + i] = i < D ? b->momentum[i]/b->mass : b->before.omega[i - D];
    }
    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->contact + k;
        dci_load *g = S->guess.load + k;
        const int cone = c->friction != DCI_NO_FRICTION;
        dc_real o[3] = DC_ZERO, slip = 0;
        i = 0;
        dci_run_add(&g->run, &i, 0, cone ? D : 1, cone);
        dci_ncp_tangents(D, g->normal, g->normal[D - 1] < 0 ? DC_R(-1) : DC_R(1), g->tangent);
        dci_load_rows(S, c, g, D, v, 1, o);
        for (i = 1; i < g->run.count; ++i) slip += o[i]*o[i];

        /* inside the cones: the normal, and the speed of closing or of slip */
        g->dual[0] = (cone ? c->mu : 1)*g->unit;
        g->slack[0] = dc_max(dc_max(o[0], c->fastest), DC_R(1.5)*dc_sqrt(slip));
        for (i = 1; i < g->run.count; ++i) g->dual[i] = g->slack[i] = 0;
        g->run.path = g->unit;
    }
}

/* K = M + J^T H J = L U, H = W^-2; 0: a pivot vanished, or a vector is not inside */
DCI_LANE int dci_load_factor(dc_ncp *S, const int D)
{
    const int nw = D == 2 ? 1 : 3, nb = D + nw;
    dci_ncp_system *system = &S->system;
    int i, j, k, l, q, side;

    /* masses and inertias */
    memset(system->matrix, 0, (size_t)system->blocks*(size_t)(nb*nb)*sizeof(dc_real));
    for (k = 0; k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        dc_real *K;
        if (b->first_row < 0) continue;
        K = dci_ncp_block(system, nb, b->first_row/nb, b->first_row/nb);
        for (i = 0; i < D; ++i) K[i*nb + i] = b->mass;
        for (i = 0; i < nw; ++i)
            for (j = 0; j < nw; ++j) K[(D + i)*nb + D + j] = b->inertia[i*nw + j];
    }

    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->contact + k;
        dci_load *g = S->guess.load + k;
        const dci_cones cones = dci_load_cones(g);
        const int m = g->run.count;
        const dc_real per_mu = g->run.second_order ? c->mu : 1, *H = g->curvature;
        dc_real J[2][3][6];

        /* H, and the rows of J */
        if (!dci_cone_scaling(&cones, g->slack, g->dual)) return 0;
        if (g->run.second_order) dci_ncp_cone_h(m, g->scaling, g->run.eta, g->curvature);
        else g->curvature[0] = g->dual[0]/g->slack[0];
        for (side = 0; side < 2; ++side)
            for (i = 0; i < m; ++i) {
                dc_real d[3], t[3];
                for (j = 0; j < D; ++j) d[j] = dci_ncp_side(side)*(i > 0 ? g->tangent[i - 1][j] : g->normal[j]/per_mu);
                dci_ncp_torque(D, g->arm[side], d, t);
                for (j = 0; j < nb; ++j) J[side][i][j] = j < D ? d[j] : t[j - D];
            }

        /* K += J^T H J, block by block */
        for (side = 0; side < 2; ++side) {
            int col = S->place[c->body[side]].first_row;
            dc_real HJ[3][6];
            if (col < 0) continue;
            for (i = 0; i < m; ++i)
                for (j = 0; j < nb; ++j) {
                    HJ[i][j] = 0;
                    for (l = 0; l < m; ++l) HJ[i][j] += H[i*m + l]*J[side][l][j];
                }
            for (l = 0; l < 2; ++l) {
                int row = S->place[c->body[l]].first_row;
                dc_real *K;
                if (row < 0) continue;
                K = dci_ncp_block(system, nb, row/nb, col/nb);
                for (i = 0; i < nb; ++i)
                    for (j = 0; j < nb; ++j)
                        for (q = 0; q < m; ++q) K[i*nb + j] += J[l][q][i]*HJ[q][j];
            }
        }
    }
    return dci_ncp_lu(system, nb);
}

/* k = W^-1 (lam \ rc) */
static void dci_load_back(dci_load *g, dc_real *k)
{
    const dci_cones cones = dci_load_cones(g);
    dci_cone_divide(&cones, g->product, k);
    dci_cone_winv(&cones, k, 1, k);
}

/* dS = J dv + (J v + gap/h - S), dZ = -H dS - k */
DCI_LANE void dci_load_solve(dc_ncp *S, const int D, const dc_real *v, dc_real *dv)
{
    const int nw = D == 2 ? 1 : 3;
    int i, j, k;

    /* what is left of the momentum */
    for (k = 0; k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        const dc_real *own;
        dc_real *out;
        if (b->first_row < 0) continue;
        own = v + b->first_row;
        out = dv + b->first_row;
        for (i = 0; i < D; ++i) out[i] = b->momentum[i] - b->mass*own[i];
        for (i = 0; i < nw; ++i) {
            out[D + i] = b->momentum[D + i];
            for (j = 0; j < nw; ++j) out[D + i] -= b->inertia[nw*i + j]*own[D + j];
        }
    }

    /* J^T (Z - k - H (J v + gap/h - S)) */
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_load *g = S->guess.load + k;
        const int m = g->run.count;
        dc_real o[3], y[3], back[3];
        dci_load_rows(S, S->contact + k, g, D, v, 1, o);
        dci_load_back(g, back);
        for (i = 0; i < m; ++i) {
            y[i] = g->dual[i] - back[i];
            for (j = 0; j < m; ++j) y[i] -= g->curvature[i*m + j]*(o[j] - g->slack[j]);
        }
        dci_load_add(S, S->contact + k, g, D, y, dv);
    }
    dci_ncp_lu_solve(&S->system, D + nw, dv);

    /* slacks and duals */
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_load *g = S->guess.load + k;
        const int m = g->run.count;
        dc_real o[3], a[3], back[3];
        dci_load_rows(S, S->contact + k, g, D, v, 1, o);
        dci_load_rows(S, S->contact + k, g, D, dv, 0, a);
        dci_load_back(g, back);
        for (i = 0; i < m; ++i) g->slack_step[i] = a[i] + o[i] - g->slack[i];
        for (i = 0; i < m; ++i) {
            g->dual_step[i] = -back[i];
            for (j = 0; j < m; ++j) g->dual_step[i] -= g->curvature[i*m + j]*g->slack_step[j];
        }
    }
}

/* the longest step of both cones' vectors */
static dc_real dci_load_length(const dc_ncp *S, dc_real most)
{
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_load *g = S->guess.load + k;
        const dci_cones cones = dci_load_cones(g);
        most = dci_cone_step(&cones, g->dual, g->dual_step, dci_cone_step(&cones, g->slack, g->slack_step, most));
    }
    return most;
}

/* the mean product over `path` */
static dc_real dci_load_along(const dc_ncp *S, dc_real a)
{
    dc_real sum = 0;
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_load *g = S->guess.load + k;
        const dci_cones cones = dci_load_cones(g);
        sum += dci_cone_along(&cones, g->dual, g->slack, 0, a, g->dual_step, g->slack_step);
    }
    return sum/DC_R(S->scene.contacts);
}

/* the products for the place t on the path, with a part q of the direction's second order */
static void dci_load_rc(dc_ncp *S, dc_real t, dc_real q, int second)
{
    dc_real work[6];
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_load *g = S->guess.load + k;
        const dci_cones cones = dci_load_cones(g);
        dci_cone_rc(&cones, g->slack, g->dual, t, 0, q, second ? g->slack_step : NULL, g->dual_step, g->product, work);
    }
}

/* Impulses in S->guess; velocities in v, dv is scratch. 0: none. */
DCI_LANE int dci_load_estimate(dc_ncp *S, const int D, dc_real *v, dc_real *dv)
{
    dc_real nu, first = 0, a, sigma, rest = 1;      /* rest: what is left of the first residual */
    int it, i, k;

    dci_load_begin(S, D, v);
    for (it = 0; it < DCI_LOAD_MOST; ++it) {
        nu = dci_load_along(S, 0);
        if (it == 0) first = nu;
        if (!(nu > DC_R(1e-6)*first && nu < DC_REAL_MAX) && rest < DC_R(1e-3)) return nu >= 0 && nu < DC_REAL_MAX;
        if (!dci_load_factor(S, D)) return 0;

        /* predictor, and how far it gets */
        dci_load_rc(S, 0, 0, 0);
        dci_load_solve(S, D, v, dv);
        a = dci_load_length(S, 1);
        sigma = dc_min(dc_max(dci_load_along(S, a)/nu, 0), 1);

        /* corrector */
        dci_load_rc(S, sigma*sigma*sigma*nu, a, 1);
        dci_load_solve(S, D, v, dv);
        a = dc_min(DC_R(0.95)*dci_load_length(S, 1/DC_R(0.95)), 1);
        rest *= 1 - a;
        for (i = 0; i < S->size.velocities; ++i) v[i] += a*dv[i];
        for (k = 0; k < S->scene.contacts; ++k) {
            dci_load *g = S->guess.load + k;
            for (i = 0; i < g->run.count; ++i) {
                g->dual[i] += a*g->dual_step[i];
                g->slack[i] += a*g->slack_step[i];
            }
        }
    }
    return 1;
}
static DCI_NOINLINE int dci_load_estimate_2(dc_ncp *S, dc_real *v, dc_real *dv)
{
    return dci_load_estimate(S, 2, v, dv);
}
static DCI_NOINLINE int dci_load_estimate_3(dc_ncp *S, dc_real *v, dc_real *dv)
{
    return dci_load_estimate(S, 3, v, dv);
}

/* ---- [start] cold starts ----------------------------------------------------------------------- */
/* stage                 | reads                  | writes                    | equation
 * dci_ncp_start_number  | k                      | a start's measures        |
 * dci_ncp_cold_pair     | poses before           | y, z, s of the pair; load | the growth problem
 * dci_load_estimate     | loads' geometry        | guess                     | [load]
 * dci_ncp_cold_forces   | guess, measures        | z, s of the forces        |
 * dci_ncp_free          | bodies without contact | their velocities          | SILICO Eq. 8 */

/* A cold start: products of the pairs over their weight; the slack of a gap and the slip, over what the bodies' speed
 * leaves of a gap and that speed, with `wide` no less than the pair's size and natural speed; the guessed impulse times
 * `load`. Bodies begin at rest, with the guessed velocities, or with those before the step. `test` as in
 * dci_ncp_iterate. */
enum { DCI_FROM_REST, DCI_FROM_GUESS, DCI_FROM_BEFORE };
typedef struct { dc_real pair, gap, slip, load; int wide, from, test; } dci_ncp_start;

/* Start number k. The first are those that solve most of what was left by the ones before, found by trial on piles,
 * wedges, throws and heavy bodies on light ones; after them come evenly spread ones, each of which solves a few of a
 * hundred of the rest. */
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
    static const dc_real least[4] = {DC_R(3e-5), DC_R(1e-3), DC_R(1e-3), DC_R(0.02)};
    static const dc_real decades[4] = {DC_R(4.5), DC_R(3.3), DC_R(3.9), 3};
    /* powers of the root of x^5 = x + 1 */
    static const dc_real stride[4] = {DC_R(0.8566749), DC_R(0.7338919), DC_R(0.6287067), DC_R(0.5385973)};
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

/* The largest speed at the contact that the bodies would have without it, and no less than what the acceleration gives
 * in a step */
static void dci_ncp_speed(const dc_ncp *S, dci_contact_nc *c, const dci_growth *G)
{
    int i, k;

    c->fastest = c->unit.impulse_rate;
    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        dc_real v = 0, w = 0, arm = 0;
        if (b->first_row < 0) continue;
        for (i = 0; i < S->size.dim; ++i) {
            v = dc_max(v, dc_abs(b->momentum[i])/b->mass);
            arm = dc_max(arm, dc_abs(G->start.centre[k][i] - b->before.position[i]));
        }
        for (i = 0; i < S->size.body - S->size.dim; ++i) w = dc_max(w, dc_abs(b->before.omega[i]));
        c->fastest = dc_max(c->fastest, v + w*arm);
    }
}

/* Products of a pair at a start: of shapes that move by more than their size in a step, in the same measure larger */
static dc_real dci_ncp_products(const dc_ncp *S, const dci_contact_nc *c, const dci_ncp_start *start)
{
    return dc_max(start->pair*c->pair.weight*dc_max(1, 3*S->scene.h*c->fastest/c->size), S->rho*c->unit.length);
}

/* Dual and slack number i of friction and spin for an impulse and a speed: the multipliers psi are speeds
 * themselves. */
static void dci_ncp_sizes(const dci_contact_nc *c, int i, dc_real impulse, dc_real speed, dc_real *z, dc_real *s)
{
    const int spin = c->row.spin && i >= c->row.spin, psi = spin ? i == c->row.spin : c->friction != DCI_CONE && i == 1;
    const dc_real arm = spin ? c->mu_spin : 1;
    *z = psi ? speed/arm : impulse*arm;
    *s = psi ? impulse*arm : speed/arm;
}

/* The pair of contact c at the central point of its growth problem at the old poses: the first normals are then right.
 * And, the first time of several contacts, the geometry of shapes that are nearly hard, for the guess of the load. */
static void dci_ncp_cold_pair(dc_ncp *S, const dci_ncp_start *start, dci_contact_nc *c, dci_load *load)
{
    const int D = S->size.dim;
    const dci_pair_nc *P = &c->pair;
    const int first = c->row.dual + c->row.pair;
    dc_real *y = S->now.free + c->row.free, *z = S->now.dual + first, *s = S->now.slack + first, len;
    dci_growth G;
    dc_growth_result r;
    int i;

    c->at.branch = 0;
    dci_ncp_growth(S, c, 0, &G);
    if (S->guessed == 0 || S->guessed == 2) dci_ncp_speed(S, c, &G);
    load->unit = c->unit.impulse*c->fastest/c->unit.impulse_rate;

    /* the central point at the start's products, of unknowns, duals and slacks */
    if (dci_growth_solve(&G, dci_ncp_products(S, c, start), 1, 30, &r) != DC_OK) dci_growth_start(&G);
    for (i = 0; i < P->unknowns; ++i) y[i] = G.at.free[i];
    for (i = 0; i < P->rows; ++i) {
        z[i] = G.at.dual[i];
        s[i] = G.at.slack[i];
    }
    if (S->guessed || S->scene.contacts == 1) return;

    /* normal and arms of shapes that are nearly hard */
    dci_growth_go_on(&G, DC_R(1e-4)*P->weight, 1, 20, &r);
    len = dc_sqrt(dci_ncp_dot(D, P->pull[0], P->pull[0]));
    for (i = 0; i < D; ++i) {
        load->normal[i] = len > 0 ? -P->pull[0][i]/len : 0;
        load->arm[0][i] = P->arm[0][i];
        load->arm[1][i] = P->arm[1][i];
    }

    /* what relaxing adds to the growth is taken off by Newton's step to none */
    dci_cone_rc(&P->cones, G.at.slack, G.at.dual, 0, 0, 0, NULL, NULL, G.residual.product, G.work);
    dci_growth_direction(&G, &G.predictor);
    load->gap = len > 0 ? (G.at.free[D] + dc_min(G.predictor.free[D], 0) - 1 - c->bounce.gap/c->size)*P->weight/len : 1;
}

/* The impulses of contact c as guessed, and slacks by the start's measures */
static void dci_ncp_cold_forces(dc_ncp *S, const dci_ncp_start *start, int first, dci_contact_nc *c,
                                const dci_load *load)
{
    const int D = S->size.dim;
    const dc_real speed = c->fastest, way = S->scene.h*speed;
    const dc_real least = S->guessed > 0 && first ? c->unit.impulse : load->unit;
    const dc_real gamma = load->dual[0]/(load->run.second_order ? c->mu : 1);
    const dc_real U = start->load*(S->guessed > 0 ? dc_max(gamma, least) : least);
    const dc_real slack = start->gap*(start->wide ? dc_max(c->size, way) : way);
    const dc_real slip = start->slip*(start->wide ? dc_max(c->unit.speed, speed) : speed);
    dc_real *z = S->now.dual + c->row.dual, *s = S->now.slack + c->row.dual;
    int i;

    dci_ncp_path(c, U*slack, U*slip, dci_ncp_products(S, c, start));

    s[0] = dc_max(c->size*(S->now.free[c->row.free + D] - 1) - c->bounce.gap, slack);
    z[0] = c->head[0].path/s[0];
    for (i = 1; i < c->row.pair; ++i) dci_ncp_sizes(c, i, U, slip, z + i, s + i);

    if (c->friction == DCI_CONE) {
        z[1] = c->mu*U;
        s[1] = c->head[1].path/z[1];
        for (i = 2; i < 2 + D; ++i) z[i] = s[i] = 0;
    }
}

/* All of S->now by a cold start */
static DCI_NOINLINE void dci_ncp_cold(dc_ncp *S, const dci_ncp_start *start, int first)
{
    const int D = S->size.dim;
    dc_real *guess = S->guess.velocity;
    int i, k;

    /* pairs, and the guess of the load */
    for (i = 0; i < S->size.free; ++i) S->now.free[i] = 0;
    for (k = 0; k < S->scene.contacts; ++k) dci_ncp_cold_pair(S, start, S->contact + k, S->guess.load + k);
    if (!S->guessed && S->scene.contacts > 1) {
        dc_real *dv = S->step.free;
        const int known = D == 2 ? dci_load_estimate_2(S, guess, dv) : dci_load_estimate_3(S, guess, dv);
        S->guessed = known ? 1 : -1;
    }

    /* velocities: at rest, guessed, or those before */
    for (i = 0; start->from == DCI_FROM_GUESS && S->guessed > 0 && i < S->size.velocities; ++i)
        S->now.free[i] = guess[i];
    for (k = 0; start->from == DCI_FROM_BEFORE && k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        dc_real *v;
        if (b->first_row < 0) continue;
        v = S->now.free + b->first_row;
        for (i = 0; i < S->size.body; ++i) v[i] = i < D ? b->before.velocity[i] : b->before.omega[i - D];
    }

    for (k = 0; k < S->scene.contacts; ++k) dci_ncp_cold_forces(S, start, first, S->contact + k, S->guess.load + k);
}

/* Bodies that no contact holds: Newton on their own rows, to rounding. */
static DCI_NOINLINE void dci_ncp_free(dc_ncp *S)
{
    int i, j, it, D = S->size.dim, nb = S->size.body;

    for (i = 0; i < S->scene.bodies; ++i) {
        dci_ncp_place *b = S->place + i;
        dc_real *v, *F;
        if (b->first_row < 0 || b->held) continue;

        v = S->now.free + b->first_row;
        F = S->residual.free + b->first_row;
        for (j = 0; j < D; ++j) v[j] = b->momentum[j]/b->mass;
        for (j = D; j < nb; ++j) v[j] = b->before.omega[j - D];

        /* Newton on the angular rows; the others are linear */
        for (it = 0; it < 20; ++it) {
            dc_real A[9], most = 0, size = 0;
            int piv[3];
            dci_ncp_body_eval(S, b, v);
            for (j = D; j < nb; ++j) {
                most = dc_max(most, dc_abs(F[j]));
                size = dc_max(size, dc_abs(b->momentum[j]));
            }
            if (most <= 2*DC_EPS*size) break;
            memcpy(A, b->momentum_by_omega, sizeof A);
            if (!(D == 2 ? dci_ncp_block_lu(1, A, piv) : dci_ncp_block_lu(3, A, piv))) break;
            if (D == 2) dci_ncp_block_solve(1, A, piv, F + D, 1);
            else dci_ncp_block_solve(3, A, piv, F + D, 1);
            for (j = D; j < nb; ++j) v[j] -= F[j];
        }
    }
}

/* ---- [bounce] the transpose of a pair, and restitution ----------------------------------------- */
/* stage                 | reads                      | writes                              | equation
 * dci_ncp_pair_vjp      | cotangents, pair           | cotangents of poses, shapes, weight | (*) is its own transpose
 * dci_ncp_bounce_solve  | poses and velocities before| rate, gap, rise                     | the growth problem
 * dci_ncp_bounce_vjp    | these                      | derivatives of the bounce           | SILICO Eq. 4
 * dci_ncp_bounces       | contacts                   | their bounce                        | */

/* cotangents of what a pair's lower level answers: r = p - x, u = R A^T lam, alpha */
typedef struct { dc_real arm[2][3], pull[2][3], alpha; } dci_pair_cotangent;

/* cotangents of what it asks: twists of the bodies, the weight L of alpha, the natural unit of the products at the
 * end */
typedef struct { dc_real position[2][3], turn[2][3], weight, end; } dci_pair_bar;

/* The transpose of the pair's lower level at the poses of its last evaluation, whose rotations are R: from cotangents
 * `bar` to *out, and, added, to the shapes' numbers (NULL where not wanted). */
DCI_LANE void dci_ncp_pair_vjp(const dc_ncp *S, dci_contact_nc *c, const int D, const dc_real *y, const dc_real *lam,
                               const dc_real *const R[2], const dci_pair_cotangent *bar, dc_shape_grad *const shape[2],
                               dci_pair_bar *out)
{
    const int nw = D == 2 ? 1 : 3;
    dci_pair_nc *P = &c->pair;
    const int m = P->rows, ny = P->unknowns;
    dc_real *r1 = S->scratch.cotangent, *r2 = r1 + ny, *Y = r2 + m, *Lam = Y + ny, *e = Lam + m, t[3], q[3];
    int i, j, k;

    /* the symmetric system (*) is its own transpose */
    for (i = 0; i < ny; ++i) r1[i] = i < D ? bar->arm[0][i] + bar->arm[1][i] : 0;
    r1[D] = bar->alpha;
    for (i = 0; i < m; ++i) {
        k = i >= P->rows_a;
        r2[i] = 0;
        for (j = 0; j < D; ++j) r2[i] -= P->gradient[i*ny + j]*bar->pull[k][j];
    }
    dci_pnc_solve(P, r1, r2, Y, Lam);

    /* (1) and (4) of a turn and a displacement: rows at p move by th x r + dx, their pull turns by th x u */
    for (k = 0; k < 2; ++k) {
        const dc_real *r = P->arm[k], *u = P->pull[k], *ubar = bar->pull[k];
        dc_real v[3] = DC_ZERO;
        for (i = k ? P->rows_a : 0; i < (k ? m : P->rows_a); ++i)
            for (j = 0; j < D; ++j) v[j] += P->gradient[i*ny + j]*Lam[i];
        for (i = 0; i < D; ++i) out->position[k][i] = v[i] - bar->arm[k][i];
        dci_ncp_torque(D, u, ubar, out->turn[k]);
        dci_ncp_torque(D, r, v, t);
        dci_ncp_torque(D, u, Y, q);
        for (i = 0; i < nw; ++i) out->turn[k][i] += t[i] + q[i];
        if (shape[k]) dci_pnc_shape_vjp(P, k, 1, R[k], y, lam, Y, Lam, ubar, shape[k]);
    }
    out->weight = Y[D];

    /* s o lam = rho end e */
    for (i = 0; i < m; ++i) e[i] = 0;
    dci_cone_unit(&P->cones, e);
    dci_cone_divide(&P->cones, e, r2);
    dci_cone_w(&P->cones, r2, r2);
    out->end = 0;
    for (i = 0; i < m; ++i) out->end += Lam[i]*r2[i];
}

/* Contacts with restitution e that close within the step bounce: with c the rate of L alpha before it and g = L
 * (alpha - 1), they are to end at least at
 *
 *     e h |c| + min(g, 8 e h |c|)
 *
 * so that they part with e |c| (for e < 1/8 with less, down to none at e = 0), and nothing overlaps. */
typedef struct {
    dc_real rate, gap, rise;                        /* c, g, e h |c| */
    dc_real by_rate, by_gap, by_restitution;        /* derivatives of the bounce by c, g, e; at e = 0 from above */
} dci_bounce;

/* The growth problem at the old poses; 0: the contact does not bounce. */
static int dci_ncp_bounce_solve(dc_ncp *S, dci_contact_nc *c, dci_growth *G, dci_bounce *B)
{
    const dc_real h = S->scene.h, e = c->restitution, tight = DC_IS_FLOAT ? DC_R(3e-5) : DC_R(1e-8);
    const int D = S->size.dim;
    const dci_pair_nc *P = &c->pair;
    dc_growth_result r;
    dc_real by_rise;
    int i, k;

    dci_ncp_growth(S, c, 0, G);
    if (dci_growth_solve(G, tight*c->size, 0, 60, &r) != DC_OK) return 0;

    /* c = -(L/weight) sum u . (v + w x r) */
    B->rate = 0;
    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        dc_real v[3];
        dci_ncp_cross(D, b->before.omega, P->arm[k], v);
        for (i = 0; i < D; ++i) B->rate -= P->pull[k][i]*(v[i] + b->before.velocity[i])*c->size/P->weight;
    }
    B->gap = c->size*(G->at.free[D] - 1);
    B->rise = -e*h*B->rate;
    if (!(B->rate < 0 && B->gap + h*B->rate < 0 && B->gap + B->rise > 0)) return 0;

    by_rise = B->gap < 8*B->rise ? 1 : 9;
    B->by_gap = DC_R(B->gap < 8*B->rise);
    B->by_rate = -e*h*by_rise;
    B->by_restitution = -h*B->rate*by_rise;
    return 1;
}

/* bar times the derivatives of the bounce: by (side by side, may be NULL) twists and velocities at the start, the
 * shapes' numbers */
static void dci_ncp_bounce_vjp(const dc_ncp *S, dci_contact_nc *c, const int D, const dci_growth *G,
                               const dci_bounce *B, dc_real bar, dc_real by[2][12], dc_shape_grad *const shape[2])
{
    const dc_real *const R[2] = {S->place[c->body[0]].before.rotation, S->place[c->body[1]].before.rotation};
    const dci_pair_nc *P = &c->pair;
    const dc_real rate = -bar*B->by_rate*c->size/P->weight;
    dci_pair_cotangent pair = DC_ZERO;
    dci_pair_bar out;
    dc_real turn[3] = DC_ZERO;
    int i, k;

    /* c = -(L/weight) sum u . (v + w x r), g = L (alpha - 1) */
    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        dci_ncp_cross(D, b->before.omega, P->arm[k], pair.pull[k]);
        dci_ncp_cross(D, b->before.omega, P->pull[k], pair.arm[k]);
        for (i = 0; i < D; ++i) {
            pair.pull[k][i] = rate*(pair.pull[k][i] + b->before.velocity[i]);
            pair.arm[k][i] = -rate*pair.arm[k][i];
        }
    }
    pair.alpha = c->size*bar*B->by_gap;
    dci_ncp_pair_vjp(S, c, D, G->at.free, G->at.dual, R, &pair, shape, &out);

    for (k = 0; k < 2; ++k) {
        if (shape[k]) shape[k]->size += bar*B->by_gap*(G->at.free[D] - 1) + out.weight*P->weight/c->size;
        if (!by) continue;
        dci_ncp_torque(D, P->arm[k], P->pull[k], turn);
        for (i = 0; i < 3; ++i) {
            const int angular = i < (D == 2 ? 1 : 3);
            by[k][i] = i < D ? out.position[k][i] : 0;
            by[k][3 + i] = angular ? out.turn[k][i] : 0;
            by[k][6 + i] = i < D ? rate*P->pull[k][i] : 0;
            by[k][9 + i] = angular ? rate*turn[i] : 0;
        }
    }
}

/* Whether contacts bounce, and where to, with derivatives */
static DCI_NOINLINE void dci_ncp_bounces(dc_ncp *S)
{
    static dc_shape_grad *const none[2] = {NULL, NULL};
    int k;

    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->contact + k;
        dci_growth G;
        dci_bounce B;
        c->bounce.gap = c->bounce.by_restitution = 0;
        if (!(c->restitution > 0) || !dci_ncp_bounce_solve(S, c, &G, &B)) continue;
        c->bounce.gap = B.rise + dc_min(B.gap, 8*B.rise);
        c->bounce.by_restitution = B.by_restitution;
        c->bounce.by_step = B.by_rate*B.rate/S->scene.h;
        dci_ncp_bounce_vjp(S, c, S->size.dim, &G, &B, 1, c->bounce.by, none);
    }
}

/* What contacts without restitution would bounce by it: the derivative from above, which a fit that starts at none
 * needs. */
static DCI_NOINLINE void dci_ncp_bounce_slopes(dc_ncp *S)
{
    int k;
    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->contact + k;
        dci_growth G;
        dci_bounce B;
        if (c->restitution > 0 || !dci_ncp_bounce_solve(S, c, &G, &B)) continue;
        c->bounce.by_restitution = B.by_restitution;
    }
}

/* ---- [step] a step ----------------------------------------------------------------------------- */
/* stage               | reads                   | writes                  | equation
 * dci_ncp_make        | scene                   | problem                 |
 * dci_ncp_bounces     | contacts                | bounce                  |
 * dci_ncp_warm        | keep                    | now                     |
 * dci_ncp_recall      | keep                    | guess                   |
 * dci_ncp_cold_solve  | starts                  | now                     | SILICO Eq. 20, start by start
 * dci_ncp_iterate     | now                     | now, info               | SILICO Eq. 20
 * dci_ncp_overlap     | now                     | info                    | the duality gap of SILICO Eq. 14
 * dci_ncp_remember    | now                     | keep                    |
 * dci_ncp_write       | now                     | next                    | */

/* where the solution of contact c is in `keep`: y, z, s */
static dci_ncp_point dci_ncp_kept(const dci_contact_nc *c, dc_real *keep)
{
    dci_ncp_point at;
    at.free = keep + DCI_KEEP_HEAD;
    at.dual = at.free + c->pair.unknowns;
    at.slack = at.dual + c->row.count;
    return at;
}

/* the numbers of contact c, with which both points begin */
static void dci_ncp_copy(const dci_contact_nc *c, const dci_ncp_point *from, const dci_ncp_point *to)
{
    memcpy(to->free, from->free, (size_t)c->pair.unknowns*sizeof(dc_real));
    memcpy(to->dual, from->dual, (size_t)c->row.count*sizeof(dc_real));
    memcpy(to->slack, from->slack, (size_t)c->row.count*sizeof(dc_real));
}

/* the iterate of contact c */
static dci_ncp_point dci_ncp_own(const dc_ncp *S, const dci_contact_nc *c)
{
    dci_ncp_point at;
    at.free = S->now.free + c->row.free;
    at.dual = S->now.dual + c->row.dual;
    at.slack = S->now.slack + c->row.dual;
    return at;
}

/* Pushes the iterate off the boundary of the cones, each number in its unit; 0: one is not inside. */
static int dci_ncp_push(dc_ncp *S, dc_real push)
{
    const int D = S->size.dim;
    int i, k;

    for (k = 0; k < S->scene.contacts; ++k) {
        dci_contact_nc *c = S->contact + k;
        const dci_contact_units *unit = &c->unit;
        dc_real *z = S->now.dual + c->row.dual, *s = S->now.slack + c->row.dual;
        dci_cones gap = DC_ZERO;
        dci_ncp_path(c, c->head[0].end, unit->impulse*unit->speed, unit->length);
        gap.run = c->head;
        gap.runs = 1;
        if (!dci_cone_push(&gap, push*unit->impulse, push*unit->length, z, s)) return 0;
        for (i = 1; i < c->row.pair; ++i) {
            dc_real dz, ds;
            if (c->friction == DCI_CONE && i > 1 && i < 2 + D) continue;
            dci_ncp_sizes(c, i, push*unit->impulse, push*unit->speed, &dz, &ds);
            if (!(z[i] > 0 && s[i] > 0)) return 0;
            z[i] += dz;
            s[i] += ds;
        }
        if (!dci_cone_push(&c->pair.cones, push, push*unit->length, z + c->row.pair, s + c->row.pair)) return 0;
    }
    return 1;
}

/* The warm start: the kept solution of every contact, moved with the velocities of the bodies, and pushed off the
 * boundary by as much as the equations are off: nothing in the same state again, much at an impact. 0 when a contact
 * has none, or when those of several are off by a natural unit: then another start takes no more steps. */
static DCI_NOINLINE int dci_ncp_warm(dc_ncp *S)
{
    const int D = S->size.dim;
    dc_real eq, cp;
    int i, j, k;

    /* contacts as kept */
    for (k = 0; k < S->scene.contacts; ++k) {
        dc_real *keep = S->scene.contact[k].keep;
        dci_contact_nc *c = S->contact + k;
        dci_ncp_point kept, own = dci_ncp_own(S, c);
        if (!keep || !(keep[0] > 0) || !dci_all_in_limit(keep, DCI_KEEP_HEAD + c->pair.unknowns + 2*c->row.count))
            return 0;
        kept = dci_ncp_kept(c, keep);
        dci_ncp_copy(c, &kept, &own);
    }

    /* velocities before the step, and how much the equations are off with them */
    for (i = 0; i < S->scene.bodies; ++i) {
        const dci_ncp_place *b = S->place + i;
        dc_real *v;
        if (b->first_row < 0) continue;
        v = S->now.free + b->first_row;
        for (j = 0; j < S->size.body; ++j) v[j] = j < D ? b->before.velocity[j] : b->before.omega[j - D];
    }
    dci_ncp_free(S);
    dci_ncp_eval(S, &S->now, &eq, &cp);
    if (S->scene.contacts > 1 && eq > 1) return 0;
    return dci_ncp_push(S, dc_max(dc_min(DC_R(0.007)*eq, DC_R(0.1)), S->rho));
}

/* The guess of the load by the impulses that contacts kept, in the place of that by the convex problem. 0: fewer than
 * half of them have any. */
static int dci_ncp_recall(dc_ncp *S)
{
    int k, known = 0;

    for (k = 0; k < S->scene.contacts; ++k) {
        dc_real *keep = S->scene.contact[k].keep;
        const dci_contact_nc *c = S->contact + k;
        dci_load *load = S->guess.load + k;
        load->dual[0] = 0;
        load->run.second_order = 0;
        if (!keep || !(keep[0] > 0)) continue;
        load->dual[0] = dci_ncp_kept(c, keep).dual[0];
        if (!(load->dual[0] > 0 && load->dual[0] <= DC_LIMIT)) load->dual[0] = 0;
        else ++known;
    }
    S->guessed = 2*known >= S->scene.contacts ? 2 : 0;
    return S->guessed;
}

static void dci_ncp_remember(const dc_ncp *S, int valid)
{
    int k;

    for (k = 0; k < S->scene.contacts; ++k) {
        dc_real *keep = S->scene.contact[k].keep;
        const dci_contact_nc *c = S->contact + k;
        dci_ncp_point kept, own;
        if (!keep) continue;
        keep[0] = DC_R(valid);
        kept = dci_ncp_kept(c, keep);
        own = dci_ncp_own(S, c);
        dci_ncp_copy(c, &own, &kept);
    }
}

/* From the first with the impulses kept, where there are some of several contacts; then from one after the other, until
 * one is solved. Of one that ends nearby so many iterations MORE: it is nearer than the next start. */
static DCI_NOINLINE dc_status dci_ncp_cold_solve(dc_ncp *S, dc_ncp_info *info)
{
    enum { MORE = 40 };
    const dc_real nearby = DC_R(1e-2), push = DC_R(1e-3);       /* in natural units */
    dc_status status = DC_E_DIVERGED;
    dc_real least = DC_REAL_MAX;
    int i, k = S->scene.contacts > 1 && dci_ncp_recall(S) ? -1 : 0, begin = k, spent = 0;

    for (; k < DCI_STARTS && (k == begin || spent < S->max_iterations); ++k) {
        const dci_ncp_start start = dci_ncp_start_number(k < 0 ? 0 : k);
        dc_ncp_info in = DC_ZERO;
        int most = k <= 0 ? 50 : 60;
        if (most > S->max_iterations - spent) most = S->max_iterations - spent;

        if (k == 0) S->guessed = 0;
        dci_ncp_cold(S, &start, k <= 0);
        dci_ncp_free(S);
        status = dci_ncp_iterate(S, most, start.test, &in);
        spent += in.iterations;

        /* one that stalls nearby does so at the boundary of the cones: pushed off it, it may go on */
        if (status == DC_E_DIVERGED && in.residual < nearby && in.complementarity < nearby
            && spent < S->max_iterations && dci_ncp_push(S, push)) {
            most = S->max_iterations - spent < MORE ? S->max_iterations - spent : MORE;
            status = dci_ncp_iterate(S, most, 1, &in);
            spent += in.iterations;
        }

        /* the best so far */
        if (status == DC_OK || in.residual <= least) {
            least = in.residual;
            *info = in;
            for (i = 0; i < S->size.velocities; ++i) S->scratch.best[i] = S->now.free[i];
        }
        info->iterations = spent;
        if (status == DC_OK) return status;
    }
    for (i = 0; i < S->size.velocities; ++i) S->now.free[i] = S->scratch.best[i];
    return status;
}

/* By weak duality the growth at rho = 0 is at least alpha - lam.s/L, and moving a by d along n raises it by d |u|/L or
 * more. */
static void dci_ncp_overlap(const dc_ncp *S, dc_ncp_info *info)
{
    const int D = S->size.dim;
    int k, i;

    for (k = 0; k < S->scene.contacts; ++k) {
        const dci_contact_nc *c = S->contact + k;
        const dci_pair_nc *P = &c->pair;
        const dc_real *z = S->now.dual + c->row.dual, *s = S->now.slack + c->row.dual, *f = c->at.friction_impulse;
        const dc_real alpha = S->now.free[c->row.free + D], gamma = c->at.normal_impulse;
        const dc_real len = dc_sqrt(dci_ncp_dot(D, P->pull[0], P->pull[0]));
        dc_real over = 1 - alpha, slip2 = 0, f2 = 0;
        for (i = c->row.pair; i < c->row.count; ++i) over += z[i]*s[i]/P->weight;
        info->overlap = dc_max(info->overlap, over);
        if (len > 0) info->depth = dc_max(info->depth, over*P->weight/len);

        /* hover of one that pushes, creep of one that sticks: by a tenth of the natural unit, with a tenth of its
         * friction left */
        if (!(len > 0 && gamma > DC_R(0.1)*c->unit.impulse)) continue;
        info->hover = dc_max(info->hover, (alpha - 1 - c->bounce.gap/c->size)*P->weight/len);
        for (i = 0; i < c->tangents; ++i) {
            const dc_real w = c->friction == DCI_CONE ? s[2 + i] : (s[2 + 2*i] - s[3 + 2*i])/2;
            slip2 += w*w;
            f2 += f[i]*f[i];
        }
        if (f2 < DC_R(0.81)*c->mu*c->mu*gamma*gamma) info->creep = dc_max(info->creep, dc_sqrt(slip2));
    }
}

/* Writes the bodies at S->now. */
static DCI_NOINLINE void dci_ncp_write(const dc_ncp *S, dc_ncp_body *next)
{
    int i;

    for (i = 0; i < S->scene.bodies; ++i) {
        const dc_real *v;
        dc_real xi[6] = DC_ZERO, h = S->scene.h;
        next[i] = S->scene.body[i];
        if (S->place[i].first_row < 0) continue;

        v = S->now.free + S->place[i].first_row;
        next[i].v.x = v[0];
        next[i].v.y = v[1];
        if (S->size.dim == 2) next[i].w.z = v[2];
        else {
            next[i].v.z = v[2];
            next[i].w = dc_vec(v[3], v[4], v[5]);
            xi[2] = h*v[2];
            xi[3] = h*v[3];
            xi[4] = h*v[4];
        }
        xi[0] = h*v[0];
        xi[1] = h*v[1];
        xi[5] = S->size.dim == 2 ? h*v[2] : h*v[5];

        next[i].pose = dc_pose_retract(S->scene.body[i].pose, xi);
    }
}

DC_DEF dc_status dc_ncp_step(const dc_ncp_options *opt, const dc_ncp_scene *scene, dc_arena *mem, dc_ncp_body *next,
                             dc_ncp **solution, dc_ncp_info *info)
{
    dc_ncp *S = NULL;
    dc_ncp_info in = DC_ZERO;
    dc_status status;
    size_t used, bytes;

    if (!mem || dc_ncp_flaw(opt, scene, NULL) != DC_OK || (scene->bodies > 0 && !next)) return DC_E_ARG;

    /* problem */
    used = mem->used;
    status = dci_ncp_make(opt, scene, mem, &S, &bytes);
    if (status != DC_OK) {
        mem->used = used;
        if (info) info->bytes = bytes;
        return status;
    }

    dci_ncp_bounces(S);

    /* from the solution of the step before, then from cold starts */
    status = DC_E_DIVERGED;
    if (S->scene.contacts > 0 && dci_ncp_warm(S)) {
        enum { MOST = 15, MORE = 10 };      /* one that ends nearby, also in a stall, may go on */
        dc_ncp_info more = DC_ZERO;
        status = dci_ncp_iterate(S, S->max_iterations < MOST ? S->max_iterations : MOST, 1, &in);
        if (status == DC_E_DIVERGED && in.residual < DC_R(1e-3) && in.complementarity < DC_R(1e-3)) {
            const int left = S->max_iterations - in.iterations;
            status = dci_ncp_iterate(S, left < MORE ? left : MORE, 1, &more);
            more.iterations += in.iterations;
            in = more;
        }
        in.warm = status == DC_OK;
    }

    if (status != DC_OK) {
        dc_ncp_info cold = DC_ZERO;
        S->max_iterations -= in.iterations;
        status = dci_ncp_cold_solve(S, &cold);
        cold.iterations += in.iterations;
        in = cold;
    }

    /* results */
    S->status = status;
    dci_ncp_remember(S, status == DC_OK);
    dci_ncp_overlap(S, &in);
    dci_ncp_write(S, next);
    in.bytes = bytes;
    if (info) *info = in;
    if (solution) *solution = S;
    else mem->used = used;
    return status;
}

/* ---- [vjp] derivatives of a step ------------------------------------------------------------------- */
/* With v the only unknown left, F(v; theta) = 0 has the Jacobian K of the last factor, and for a cotangent g of v
 * (SILICO Eq. 4)
 *
 *     thetabar = -a . dF/dtheta,   K^T a = g
 *
 * F: momentum rows minus the contacts' wrenches, these with everything of the contact eliminated at fixed v. Each
 * statement of dci_ncp_contact_vjp is the transpose of a line (1) to (11) of the chain of [newton], from the last to
 * the first; xbar names the cotangent of x.
 *
 * stage                  | reads                    | writes                                        | transposes
 * dci_ncp_ready          | now                      | now, factors                                  |
 * dci_ncp_lu_solve_t     | factor, g                | a                                             | dci_ncp_lu_solve
 * dci_ncp_contact_vjp    | a, contact               | contact, scene, shapes; places' bar           | dci_ncp_chain
 * dci_ncp_body_vjp       | a, a place with its bar  | body, scene                                   | dci_ncp_body_eval
 */

/* The natural units by what they are made of: cotangents of the products gap, slip, pair at the end */
static void dci_ncp_units_vjp(const dc_ncp *S, const dci_contact_nc *c, const dc_real bar[3], dc_real *contact,
                              dc_real *scene, dci_ncp_place *place, dc_shape_grad *const shape[2])
{
    const dc_real U = c->unit.impulse, V = c->unit.speed, length = c->unit.length;
    const dc_real h = S->scene.h, a = c->unit.impulse_rate/h;
    const dc_real gap = c->head[0].end/U, gravity[3] = {S->scene.gravity.x, S->scene.gravity.y, S->scene.gravity.z};
    dc_real Ubar, Vbar, abar, lengthbar, hbar, inv = 0;
    int i;

    /* gap: U length/(4 sqrt(1 + mu^2)), slip: U V, pair: length; V = sqrt(a length), U = m a h */
    Ubar = bar[0]*gap + bar[1]*V;
    Vbar = bar[1]*U;
    abar = Ubar*U/a + Vbar*V/(2*a);
    lengthbar = bar[0]*U*gap/length + bar[2] + Vbar*V/(2*length);
    hbar = Ubar*U/h;
    if (contact) contact[DC_NCP_AT_MU] -= bar[0]*U*gap*c->mu/(1 + c->mu*c->mu);

    /* a: length/(100 h^2), or gravity */
    if (!(S->acceleration > 0)) {
        lengthbar += abar*a/length;
        hbar -= 2*abar*a/h;
    } else if (!(S->options.acceleration > 0) && scene)
        for (i = 0; i < S->size.dim; ++i) scene[DC_NCP_AT_GRAVITY + i] += abar*gravity[i]/a;
    if (scene) scene[DC_NCP_AT_H] += hbar;

    /* 1/m = 1/m_a + 1/m_b, 1/length = 1/size_a + 1/size_b */
    for (i = 0; i < 2; ++i) if (place[c->body[i]].first_row >= 0) inv += 1/place[c->body[i]].mass;
    for (i = 0; i < 2; ++i) {
        dci_ncp_place *b = place + c->body[i];
        const dc_real size = c->pair.shape[i]->size, other = c->pair.shape[1 - i]->size;
        if (b->first_row >= 0) b->bar.mass += Ubar*U/(inv*b->mass*b->mass);
        if (shape[i] && size > 0) shape[i]->size += other > 0 ? lengthbar*length*length/(size*size) : lengthbar;
    }
}

/* Friction and spin by the natural unit of their products: f and m are cotangents of their impulses */
DCI_LANE dc_real dci_ncp_slip_vjp(const dc_ncp *S, const dci_contact_nc *c, const int D, const dc_real *f, dc_real m)
{
    const dc_real *z = S->now.dual + c->row.dual, *s = S->now.slack + c->row.dual;
    const dci_contact_factor *factor = &c->factor;
    dc_real none[5] = DC_ZERO, rc[5] = DC_ZERO, k[4], kc[3], psi, sum = 0;
    int i;

    /* the constants of dci_ncp_contact_const for rc = -rho e and no residuals */
    if (c->friction == DCI_CONE) {
        rc[0] = -S->rho;
        dci_soc_divide(1 + D, factor->scaled + 1, rc, k);
        dci_soc_winv(1 + D, factor->scaling + 1, c->head[1].eta, k, 1, k);
        for (i = 0; i < D; ++i) sum += f[i]*(factor->coupling[i]*k[0]/factor->pivot - k[1 + i]);
    } else if (c->friction != DCI_NO_FRICTION) {
        for (i = 0; i < 5; ++i) rc[i] = -S->rho;
        dci_ncp_law_const(c->tangents, z + 1, s + 1, none, rc, factor->coupling, factor->pivot, kc, &psi);
        for (i = 0; i < c->tangents; ++i) sum += f[i]*kc[i];
    }

    if (c->row.spin) {
        for (i = 0; i < 5; ++i) rc[i] = -S->rho;
        dci_ncp_law_const(1, z + c->row.spin, s + c->row.spin, none, rc, &factor->spin_coupling, factor->spin_pivot,
                          kc, &psi);
        sum += m*kc[0];
    }
    return sum;
}

/* The bounce by the shapes' numbers, times bar: the growth problem at the old poses again, and the contact's factor
 * after it. */
DCI_LANE void dci_ncp_bounce_shape_vjp(dc_ncp *S, dci_contact_nc *c, const int D, dc_real bar,
                                       dc_shape_grad *const shape[2])
{
    dci_bounce B;
    dci_growth G;
    if (!dci_ncp_bounce_solve(S, c, &G, &B)) return;
    dci_ncp_bounce_vjp(S, c, D, &G, &B, bar, NULL, shape);
    dci_ncp_contact_eval(S, c, D, &S->now);
    dci_ncp_contact_factor(S, c, D);
}

/* s_gamma = L (alpha - 1) - bounce: gap is the cotangent of that row */
DCI_LANE void dci_ncp_gap_vjp(dc_ncp *S, dci_contact_nc *c, const int D, dc_real gap, dc_real *contact, dc_real *scene,
                              dc_shape_grad *const shape[2])
{
    const dci_contact_bounce *bounce = &c->bounce;
    int i, k;

    if (contact) contact[DC_NCP_AT_RESTITUTION] -= gap*bounce->by_restitution;
    if (!(bounce->gap > 0)) return;
    for (k = 0; k < 2; ++k) {
        dci_ncp_place_bar *b = &S->place[c->body[k]].bar;
        const dc_real *by = bounce->by[k];
        for (i = 0; i < D; ++i) {
            b->position_before[i] -= gap*by[i];
            b->velocity_before[i] -= gap*by[6 + i];
        }
        for (i = 0; i < (D == 2 ? 1 : 3); ++i) {
            b->turn_before[i] -= gap*by[3 + i];
            b->omega_before[i] -= gap*by[9 + i];
        }
    }

    if (scene) scene[DC_NCP_AT_H] -= gap*bounce->by_step;
    if (shape[0] || shape[1]) dci_ncp_bounce_shape_vjp(S, c, D, -gap, shape);
}

/* A contact, a the adjoint of the momentum rows. Of dci_ncp_chain's variables, with nbar the cotangent of n and so
 * on. */
DCI_LANE void dci_ncp_contact_vjp(dc_ncp *S, dci_contact_nc *c, const int D, const dc_real *a, dc_real *contact,
                                  dc_real *scene, dc_shape_grad *ga, dc_shape_grad *gb)
{
    const int nw = D == 2 ? 1 : 3, nt = c->tangents;
    const dci_pair_nc *P = &c->pair;
    const dci_contact_at *at = &c->at;
    const dci_contact_factor *factor = &c->factor;
    const dc_real *y = S->now.free + c->row.free, *z = S->now.dual + c->row.dual;
    const dc_real *const R[2] = {S->place[c->body[0]].after.rotation, S->place[c->body[1]].after.rotation};
    dc_shape_grad *const shape[2] = {ga, gb};
    dc_real nbar[2][3] = {{0, 0, 0}, {0, 0, 0}}, fbar[3] = DC_ZERO, slipbar[3] = DC_ZERO, mbar = 0, spinbar = 0,
        gammabar = 0, gapbar;
    dc_real endbar[3], t[3], q[3], sizebar;
    dci_pair_cotangent pair = DC_ZERO;
    dci_pair_bar out;
    int i, j, k;

    for (k = 0; k < 2; ++k) {
        const dci_ncp_place *b = S->place + c->body[k];
        const dc_real side = dci_ncp_side(k), *aF, *aM;
        if (b->first_row < 0) continue;
        aF = a + b->first_row;
        aM = aF + D;

        /* (11) dM = dr x F + r x dF + side (dn m + n dm):  Fbar, in t, rbar, nbar, mbar */
        dci_ncp_cross(D, aM, P->arm[k], t);
        for (i = 0; i < D; ++i) t[i] += aF[i];
        dci_ncp_cross(D, aM, at->force[k], pair.arm[k]);
        for (i = 0; i < D; ++i) pair.arm[k][i] = -pair.arm[k][i];
        if (c->row.spin) {
            for (i = 0; i < 3; ++i) nbar[k][i] += side*aM[i]*at->spin_impulse;
            mbar += side*dci_ncp_dot(3, aM, at->normal[k]);
        }

        /* (10) dF = side (dn gamma + n dgamma + T df + dT f):  nbar, gammabar, fbar */
        for (i = 0; i < D; ++i) {
            dc_real e[3] = DC_ZERO;
            e[i] = 1;
            dci_ncp_dtf(D, c, k, e, at->friction_impulse, q);
            nbar[k][i] += side*(at->normal_impulse*t[i] + dci_ncp_dot(D, q, t));
        }
        gammabar += side*dci_ncp_dot(D, at->normal[k], t);
        dci_ncp_tv(D, c, k, t, q);
        for (i = 0; i < nt; ++i) fbar[i] += side*q[i];
    }

    /* (9) df = by_normal dgamma - by_slip dslip, by_normal = mu ..; dm likewise:  gammabar, slipbar, spinbar, mu */
    for (i = 0; i < nt; ++i) {
        gammabar += factor->by_normal[i]*fbar[i];
        if (contact) contact[DC_NCP_AT_MU] += factor->by_normal[i]*fbar[i]*at->normal_impulse/c->mu;
        for (j = 0; j < nt; ++j) slipbar[j] -= factor->by_slip[i*nt + j]*fbar[i];
    }
    if (c->row.spin) {
        spinbar = -factor->spin_by_slip*mbar;
        gammabar += factor->spin_by_normal*mbar;
        if (contact) contact[DC_NCP_AT_MU_SPIN] += factor->spin_by_normal*mbar*at->normal_impulse/c->mu_spin;
    }
    endbar[1] = dci_ncp_slip_vjp(S, c, D, fbar, mbar);

    /* (8) dgamma = -gap d(L (alpha - 1) - bounce):  gapbar */
    endbar[0] = S->rho*gammabar/S->now.slack[c->row.dual];
    gapbar = gammabar*-factor->gap;
    sizebar = gapbar*(y[D] - 1);

    for (k = 0; k < 2; ++k) {
        const dc_real side = dci_ncp_side(k), *omega = S->place[c->body[k]].after.omega;
        dc_real vbar[3], along;

        /* (7) dslip = sum of side (T^T dv_p + dT^T v_p), dspin = sum of side dn . w:  vbar, nbar */
        dci_ncp_tf(D, c, k, slipbar, vbar);
        for (i = 0; i < D; ++i) {
            dc_real e[3] = DC_ZERO, tv[3] = DC_ZERO;
            e[i] = 1;
            vbar[i] *= side;
            dci_ncp_dtv(D, c, k, e, at->velocity[k], tv);
            for (j = 0; j < nt; ++j) nbar[k][i] += side*tv[j]*slipbar[j];
            if (c->row.spin) nbar[k][i] += side*omega[i]*spinbar;
        }

        /* (6) dv_p = w x dr:  rbar */
        dci_ncp_cross(D, omega, vbar, t);
        for (i = 0; i < D; ++i) pair.arm[k][i] -= t[i];

        /* (5) dn = -side (inverse du - inverse_along n (n . du)):  ubar */
        along = dci_ncp_dot(D, at->normal[k], nbar[k])*at->inverse_along[k];
        for (i = 0; i < D; ++i) pair.pull[k][i] = -side*(at->inverse[k]*nbar[k][i] - along*at->normal[k][i]);
    }

    /* (4) to (1): the pair */
    pair.alpha = c->size*gapbar;
    dci_ncp_pair_vjp(S, c, D, y, z + c->row.pair, R, &pair, shape, &out);
    endbar[2] = S->rho*out.end;
    for (k = 0; k < 2; ++k) {
        dci_ncp_place *b = S->place + c->body[k];
        for (i = 0; i < D; ++i) b->bar.position[i] += out.position[k][i];
        for (i = 0; i < nw; ++i) b->bar.turn[i] += out.turn[k][i];
        if (shape[k]) shape[k]->size += sizebar + out.weight*P->weight/c->size;
    }
    dci_ncp_units_vjp(S, c, endbar, contact, scene, S->place, shape);
    dci_ncp_gap_vjp(S, c, D, gapbar, contact, scene, shape);
}

/* Angular rows in 3D, A their adjoint, by pose, velocity and inertia (out may be NULL), of dci_ncp_body_eval's
 *
 *     p - p0 - h tau,   p = J_l^-1(-h w) I w,   p0 = J_l^-1(h w0) I w0
 *
 * With B = J_l^-T(-h w) A and C = J_l^-T(h w0) A. Returns minus the derivative by h, loads left out. */
static dc_real dci_ncp_angular_vjp(const dci_ncp_place *b, dc_real h, dc_v3 A, dc_real *out)
{
    const dc_real *omega = b->after.omega, *omega0 = b->before.omega;
    const dc_v3 w = dc_vec(omega[0], omega[1], omega[2]), w0 = dc_vec(omega0[0], omega0[1], omega0[2]);
    dc_v3 hw = dc_scale(h, w), hw0 = dc_scale(h, w0), B, C, Iw, Iw0, IB, IC, p, p0, t, Gw, Gw0;
    dc_m3 In, R0, Ji = dc_so3_jl_inv(dc_neg(hw)), Ji0 = dc_so3_jl_inv(hw0), G, G0;
    int i, j;

    for (i = 0; i < 9; ++i) {
        In.m[i] = b->inertia[i];
        R0.m[i] = b->before.rotation[i];
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

    if (out) {
        dc_real *pose = out + DC_NCP_AT_POSE, *omega_bar = out + DC_NCP_AT_W, *inertia = out + DC_NCP_AT_INERTIA;
        const dc_v3 Rb = dc_mul_t(&R0, B), Rw = dc_mul_t(&R0, w), Rc = dc_mul_t(&R0, C), Rw0 = dc_mul_t(&R0, w0);
        const dc_real pb[3] = {Rb.x, Rb.y, Rb.z}, pw[3] = {Rw.x, Rw.y, Rw.z};
        const dc_real pc[3] = {Rc.x, Rc.y, Rc.z}, pw0[3] = {Rw0.x, Rw0.y, Rw0.z};

        /* I turns with the attitude: dI = [th] I - I [th] */
        t = dc_sub(dc_sub(dc_cross(Iw, B), dc_cross(w, IB)), dc_sub(dc_cross(Iw0, C), dc_cross(w0, IC)));
        pose[3] -= t.x;
        pose[4] -= t.y;
        pose[5] -= t.z;

        /* p0 by w0 */
        t = dc_madd(IC, -h, dc_mul_t(&G0, C));
        omega_bar[0] += t.x;
        omega_bar[1] += t.y;
        omega_bar[2] += t.z;

        /* I = R0 (inertia) R0^T */
        for (i = 0; i < 3; ++i)
            for (j = 0; j < 3; ++j) inertia[3*i + j] += pc[i]*pw0[j] - pb[i]*pw[j];
    }
    Gw = dc_mul(&G, w);
    Gw0 = dc_mul(&G0, w0);
    return dc_dot(B, Gw) + dc_dot(C, Gw0);
}

/* Momentum rows of a body, a its part of the adjoint (NULL: it does not move); then what the contacts left in its bar.
 * out: its parameters, may be NULL. */
static void dci_ncp_body_vjp(const dc_ncp *S, const dci_ncp_place *b, const dc_ncp_body *body, const dc_real *a,
                             dc_real *out, dc_real *scene)
{
    const int D = S->size.dim;
    const dc_real h = S->scene.h, *v = b->after.velocity, *v0 = b->before.velocity, *w = b->after.omega,
        *w0 = b->before.omega;
    const dci_ncp_place_bar *bar = &b->bar;
    dc_real g[3], f[6], E[9], hbar = 0;
    int i, j;

    g[0] = S->scene.gravity.x;  g[1] = S->scene.gravity.y;  g[2] = S->scene.gravity.z;
    f[0] = body->force.x;       f[1] = body->force.y;       f[2] = body->force.z;
    f[3] = body->torque.x;      f[4] = body->torque.y;      f[5] = body->torque.z;

    /* M v+ - M v - h (m g + f), x+ = x + h v+ */
    for (i = 0; i < D; ++i) {
        if (a) {
            if (out) {
                out[DC_NCP_AT_V + i] += b->mass*a[i];
                out[DC_NCP_AT_FORCE + i] += h*a[i];
                out[DC_NCP_AT_MASS] -= a[i]*(v[i] - v0[i] - h*g[i]);
            }
            if (scene) scene[DC_NCP_AT_GRAVITY + i] += h*b->mass*a[i];
            hbar += a[i]*(b->mass*g[i] + f[i]);
        }
        if (out) {
            out[DC_NCP_AT_POSE + i] += bar->position[i] + bar->position_before[i];
            out[DC_NCP_AT_V + i] += bar->velocity_before[i];
        }
        hbar += bar->position[i]*v[i];
    }

    /* angular momentum; exp(h w+) takes the attitude to the next */
    if (D == 2) {
        if (a) {
            if (out) {
                out[DC_NCP_AT_W + 2] += b->inertia[0]*a[2];
                out[DC_NCP_AT_TORQUE + 2] += h*a[2];
                out[DC_NCP_AT_INERTIA + 8] -= a[2]*(w[0] - w0[0]);
            }
            hbar += a[2]*f[5];
        }
        if (out) {
            out[DC_NCP_AT_POSE + 5] += bar->turn[0] + bar->turn_before[0];
            out[DC_NCP_AT_W + 2] += bar->omega_before[0];
        }
        hbar += bar->turn[0]*w[0];
    } else {
        for (i = 0; i < 9; ++i) E[i] = DC_R(i%4 == 0);
        if (a) {
            const dc_m3 X = dc_m3_exp(dc_scale(h, dc_vec(w[0], w[1], w[2])));
            for (i = 0; i < 9; ++i) E[i] = X.m[i];
            hbar -= dci_ncp_angular_vjp(b, h, dc_vec(a[3], a[4], a[5]), out) - (a[3]*f[3] + a[4]*f[4] + a[5]*f[5]);
            for (i = 0; out && i < 3; ++i) out[DC_NCP_AT_TORQUE + i] += h*a[3 + i];
        }
        for (i = 0; i < 3; ++i) {
            if (out) {
                for (j = 0; j < 3; ++j) out[DC_NCP_AT_POSE + 3 + i] += E[3*j + i]*bar->turn[j];
                out[DC_NCP_AT_POSE + 3 + i] += bar->turn_before[i];
                out[DC_NCP_AT_W + i] += bar->omega_before[i];
            }
            hbar += bar->turn[i]*w[i];
        }
    }

    if (out) out[DC_NCP_AT_MASS] += bar->mass;
    if (scene) scene[DC_NCP_AT_H] += hbar;
}

/* The factor at the solution, which Newton's steps bring to rounding first: the implicit function theorem holds there.
 * A failed step has none: its status. */
static DCI_NOINLINE dc_status dci_ncp_ready(dc_ncp *S)
{
    dc_real eq, cp, eq2, cp2;
    int it, i;

    if (S->status != DC_OK || S->factored) return S->status;
    dci_ncp_bounce_slopes(S);
    dci_ncp_eval(S, &S->now, &eq, &cp);
    for (it = 0;; ++it) {
        if (!dci_ncp_factor(S)) return DC_E_SINGULAR;
        if (it == 6 || dc_max(eq, cp) <= 16*DC_EPS) break;

        dci_ncp_rc(S, 0, 0, NULL);
        dci_ncp_direction(S, &S->step);
        dci_ncp_try(S, dci_ncp_step_length(S, &S->step));
        dci_ncp_eval(S, &S->trial, &eq2, &cp2);

        if (!(dc_max(eq2, cp2) < dc_max(eq, cp)/2)) {           /* rounding: as before is as good, and has its factor */
            dci_ncp_eval(S, &S->now, &eq, &cp);
            break;
        }

        dci_ncp_take(S);
        eq = eq2;
        cp = cp2;
    }
    for (i = 0; i < S->size.free; ++i) if (!dc_finite(S->now.free[i])) return DC_E_RANGE;
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
        if (S->size.dim == 2) dci_ncp_contact_vjp(S, S->contact + k, 2, S->step.free, cbar, out->scene, ga, gb);
        else dci_ncp_contact_vjp(S, S->contact + k, 3, S->step.free, cbar, out->scene, ga, gb);
    }
}

/* The adjoint of the whole step for a cotangent of the velocities, in S->step.free, and what of the next poses follows
 * the bodies' poses and h directly, in their bar. */
static void dci_ncp_adjoint_pass(dc_ncp *S, const dc_ncp_adjoint *out)
{
    int k;

    if (S->size.dim == 2) dci_ncp_lu_solve_t(&S->system, 3, S->step.free);
    else dci_ncp_lu_solve_t(&S->system, 6, S->step.free);
    dci_ncp_contacts_vjp(S, out);
    for (k = 0; k < S->scene.bodies; ++k) {
        dci_ncp_place *b = S->place + k;
        dci_ncp_body_vjp(S, b, S->scene.body + k, b->first_row >= 0 ? S->step.free + b->first_row : NULL,
                         out->body ? out->body + k*DC_NCP_BODY_PARAMS : NULL, out->scene);
    }
}

/* The same, by the numbers of one shape alone */
static void dci_ncp_shape_pass(dc_ncp *S, int contact, int side, dc_real *row)
{
    dci_contact_nc *c = S->contact + contact;
    const dc_shape *s = c->pair.shape[side];
    dc_shape_grad g;

    g.A = row;
    g.b = g.A + s->rows*s->dim;
    g.d = g.b + s->rows;
    g.N = g.d + s->rows;
    g.size = 0;
    if (S->size.dim == 2) {
        dci_ncp_lu_solve_t(&S->system, 3, S->step.free);
        dci_ncp_contact_vjp(S, c, 2, S->step.free, NULL, NULL, side ? NULL : &g, side ? &g : NULL);
    } else {
        dci_ncp_lu_solve_t(&S->system, 6, S->step.free);
        dci_ncp_contact_vjp(S, c, 3, S->step.free, NULL, NULL, side ? NULL : &g, side ? &g : NULL);
    }
    g.N[s->rows*s->aux] = g.size;
}

DC_DEF dc_status dc_ncp_vjp(dc_ncp *S, const dc_real *bar, dc_ncp_adjoint *out)
{
    dc_status status;
    int i, j, k, D, nw;

    if (!S || !bar || !out || !dci_all_in_limit(bar, 12*S->scene.bodies)) return DC_E_ARG;

    status = dci_ncp_ready(S);
    if (status != DC_OK) return status;
    D = S->size.dim;
    nw = D == 2 ? 1 : 3;

    /* x + h v, exp(h w) q: cotangents of the poses are some of the velocities */
    for (k = 0; k < S->scene.bodies; ++k, bar += 12) {
        dci_ncp_place *b = S->place + k;
        const dc_real *turn = bar + (D == 2 ? 5 : 3), *spin = turn + 6;
        memset(&b->bar, 0, sizeof b->bar);
        for (i = 0; i < D; ++i) {
            b->bar.position[i] = bar[i];
            if (b->first_row >= 0) S->step.free[b->first_row + i] = bar[6 + i] + S->scene.h*bar[i];
        }
        for (i = 0; i < nw; ++i) {
            b->bar.turn[i] = turn[i];
            if (b->first_row < 0) continue;
            S->step.free[b->first_row + D + i] = spin[i];
            for (j = 0; j < nw; ++j) S->step.free[b->first_row + D + i] += b->turn_by_omega[j*nw + i]*turn[j];
        }
    }

    dci_ncp_adjoint_pass(S, out);
    return DC_OK;
}

/* The rows of a Jacobian: by the parameters of the scene, or with contact >= 0 by the numbers of a shape. `cols`
 * columns. */
static dc_status dci_ncp_rows(dc_ncp *S, int contact, int side, dc_real *J, int ld, int cols)
{
    dc_status status = dci_ncp_ready(S);
    int i, j, k, l, D = S->size.dim, nw = D == 2 ? 1 : 3, turn = D == 2 ? 5 : 3, bodies = S->scene.bodies;

    if (status != DC_OK) return status;
    for (i = 0; i < 12*bodies; ++i) memset(J + (size_t)i*(size_t)ld, 0, (size_t)cols*sizeof(dc_real));

    for (k = 0; k < bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        dc_real *rows = J + (size_t)(12*k)*(size_t)ld;
        /* the velocities' rows, one adjoint each */
        for (i = 0; b->first_row >= 0 && i < D + nw; ++i) {
            dc_real *row = rows + (size_t)(6 + (i < D ? i : turn + i - D))*(size_t)ld;
            dc_ncp_adjoint out = DC_ZERO;
            if (contact < 0) {
                out.body = row;
                out.scene = row + bodies*DC_NCP_BODY_PARAMS;
                out.contact = out.scene + DC_NCP_SCENE_PARAMS;
            }
            for (l = 0; l < bodies; ++l) memset(&S->place[l].bar, 0, sizeof S->place[l].bar);
            for (l = 0; l < S->size.velocities; ++l) S->step.free[l] = 0;
            S->step.free[b->first_row + i] = 1;
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
                for (l = 0; l < cols; ++l) row[l] += b->turn_by_omega[i*nw + j]*from[l];
            }
        }
    }
    return DC_OK;
}

DC_DEF dc_status dc_ncp_grad(dc_ncp *S, dc_real *J, int ld)
{
    dc_status status;
    int i, j, k, D, nw, turn, params, cols;

    if (!S || !J) return DC_E_ARG;
    params = S->scene.bodies*DC_NCP_BODY_PARAMS;
    cols = params + DC_NCP_SCENE_PARAMS + S->scene.contacts*DC_NCP_CONTACT_PARAMS;
    if (ld < cols) return DC_E_ARG;

    status = dci_ncp_rows(S, -1, 0, J, ld, cols);
    if (status != DC_OK) return status;
    D = S->size.dim;
    nw = D == 2 ? 1 : 3;
    turn = D == 2 ? 5 : 3;
    /* what of the next poses follows the pose and h directly */
    for (k = 0; k < S->scene.bodies; ++k) {
        const dci_ncp_place *b = S->place + k;
        const dc_real h = S->scene.h;
        const dc_real *w = b->after.omega;
        dc_m3 E = dc_m3_exp(D == 3 ? dc_vec(h*w[0], h*w[1], h*w[2]) : dc_vec(0, 0, 0));
        for (i = 0; i < D; ++i) {
            dc_real *row = J + (size_t)(12*k + i)*(size_t)ld;
            row[k*DC_NCP_BODY_PARAMS + i] += 1;
            row[params + DC_NCP_AT_H] += b->after.velocity[i];
        }
        for (i = 0; i < nw; ++i) {
            dc_real *row = J + (size_t)(12*k + turn + i)*(size_t)ld;
            for (j = 0; j < nw; ++j) row[k*DC_NCP_BODY_PARAMS + turn + j] += E.m[3*i + j];
            row[params + DC_NCP_AT_H] += b->after.omega[i];
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
    s = S->contact[contact].pair.shape[side];
    cols = s->rows*(s->dim + 2 + s->aux) + 1;
    return ld < cols ? DC_E_ARG : dci_ncp_rows(S, contact, side, J, ld, cols);
}

DC_DEF dc_status dc_ncp_relax(dc_ncp *S, dc_real rho, dc_ncp_info *info)
{
    dc_ncp_info in = DC_ZERO;
    const dc_real most = DC_R(1.5);
    dc_status status;
    int i, spent = 0;

    if (!S || !(rho > 0 && rho <= 1)) return DC_E_ARG;
    if (S->status != DC_OK) return S->status;
    S->factored = 0;
    /* along the central path by small factors; every cone is scaled evenly, which gives its products the new rho */
    do {
        dc_real ratio = dc_max(dc_min(rho/S->rho, most), 1/most), root = dc_sqrt(ratio);
        S->rho = ratio > 1/most && ratio < most ? rho : ratio*S->rho;
        S->tolerance = S->options.tol > 0 && S->options.tol < S->rho/10 ? S->options.tol : S->rho/10;
        for (i = 0; i < S->size.dual; ++i) {
            S->now.dual[i] *= root;
            S->now.slack[i] *= root;
        }
        status = dci_ncp_iterate(S, S->max_iterations - spent, 1, &in);
        spent += in.iterations;
    } while (status == DC_OK && S->rho != rho);

    S->status = status;
    in.iterations = spent;
    dci_ncp_overlap(S, &in);
    if (info) *info = in;
    return status;
}

DC_DEF dc_status dc_ncp_force(const dc_ncp *S, int k, dc_ncp_touch *out)
{
    const dci_contact_nc *c;
    const dc_real *y;
    dc_real n[3] = DC_ZERO, len, F[3] = DC_ZERO;
    int i, side;

    if (!S || !out || k < 0 || k >= S->scene.contacts) return DC_E_ARG;
    if (S->status != DC_OK) return S->status;

    c = S->contact + k;
    y = S->now.free + c->row.free;
    side = S->place[c->body[0]].first_row >= 0 ? 0 : 1;
    len = dc_sqrt(dci_ncp_dot(S->size.dim, c->pair.pull[side], c->pair.pull[side]));
    for (i = 0; i < S->size.dim; ++i) {
        n[i] = len > 0 ? -dci_ncp_side(side)*c->pair.pull[side][i]/len : 0;
        F[i] = dci_ncp_side(side)*c->at.force[side][i];
    }

    out->p = dc_vec(y[0], y[1], S->size.dim == 3 ? y[2] : 0);
    out->n = dc_vec(n[0], n[1], n[2]);
    out->impulse = dc_vec(F[0], F[1], F[2]);
    out->alpha = y[S->size.dim];
    out->gap = len > 0 ? (y[S->size.dim] - 1)*c->pair.weight/len : 0;
    return DC_OK;
}

DC_DEF dc_status dc_ncp_forces(const dc_ncp *S, int most, dc_contact_force *contact, int *count)
{
    int k;

    if (!S || !count || most < 0 || (most > 0 && !contact)) return DC_E_ARG;
    if (S->status != DC_OK) return S->status;
    *count = S->scene.contacts;
    if (*count > most) return DC_E_MEMORY;

    for (k = 0; k < *count; ++k) {
        const dci_contact_nc *c = S->contact + k;
        const dc_real per = 1/S->scene.h;
        dc_contact_force *to = contact + k;
        dc_ncp_touch touch;
        dc_real spin = 0;
        const dc_status s = dc_ncp_force(S, k, &touch);
        if (s != DC_OK) return s;
        if (c->row.spin) spin = c->at.spin_impulse;

        /* who, where, how strong */
        to->body_a = S->scene.contact[k].body[0];
        to->body_b = S->scene.contact[k].body[1];
        to->part_a = to->part_b = k;
        to->vertex = -1;
        to->point = touch.p;
        to->n = touch.n;
        to->gap = touch.gap;
        to->normal = dc_scale(per*c->at.normal_impulse, touch.n);
        to->friction = dc_sub(dc_scale(per, touch.impulse), to->normal);
        to->torque_a = dc_scale(per*spin, touch.n);
        to->torque_b = dc_neg(to->torque_a);
    }
    return DC_OK;
}

/* ---- [list] the list of contacts --------------------------------------------------------------- */
/* In: parts on bodies, what was kept; out: contacts with materials and places to keep. Part by part, so that nothing
 * has to hold the pairs.
 *
 * stage               | reads                   | writes                         | equation
 * dci_list_balls      | parts, poses            | balls and their order          | a sweep along x
 * dci_list_beside     | balls, half-spaces      | the neighbours of a part       |
 * dci_list_contact    | two parts               | a contact                      |
 * dci_list_walk       | all of these            | contacts in the parts' order   |
 * dci_list_follow     | keys of a contact       | its place in what is kept      | */

typedef struct {
    /* as given */
    const dc_ncp_options *options;
    const dc_ncp_scene *scene;
    const dc_ncp_part *part;
    int parts;
    dc_real margin;
    int excluded;                   /* pairs of bodies */
    const int *pair;
    dc_ncp_memory *memory;
    int most;                       /* contacts that there is room for */
    dc_ncp_contact *contact;

    /* balls of the parts, [parts] each */
    dc_v3 *centre;
    dc_real *radius;                /* -1: a half-space */
    int balls;
    int *order;                     /* balls by their left ends, then half-spaces */
    int *rank;                      /* place in `order` */
    dc_real *reach;                 /* right end of the ball of order[0..k] that goes farthest */
    int *beside;                    /* neighbours of one part */
} dci_list;

/* spheres by their left end, then by index */
static int dci_ncp_left(const dc_v3 *c, const dc_real *r, int i, int j)
{
    dc_real a = c[i].x - r[i], b = c[j].x - r[j];
    return a < b || (!(b < a) && i < j);
}

/* the m numbers of spheres in `order` by their left ends: heap sort */
static void dci_ncp_by_left(int m, const dc_v3 *centre, const dc_real *radius, int *order)
{
    int i, j, k, t, root;

    for (i = m/2 - 1, k = m; k > 1;) {
        /* a heap first, then its root to the end of it */
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
}

static void dci_list_lay(dci_list *list, int parts, dci_layout *l)
{
    list->centre = DCI_LAY(l, parts, dc_v3);
    list->radius = DCI_LAY(l, parts, dc_real);
    list->reach = DCI_LAY(l, parts, dc_real);
    list->order = DCI_LAY(l, parts, int);
    list->rank = DCI_LAY(l, parts, int);
    list->beside = DCI_LAY(l, parts, int);
}

DC_DEF size_t dc_ncp_contacts_bytes(int parts)
{
    dci_layout l = {NULL, 0};
    dci_list list;
    if (parts < 1 || parts > 10000) return 0;
    dci_list_lay(&list, parts, &l);
    return dc_bytes(0, l.bytes, 1);
}

/* The balls of the parts and their order; half-spaces have none. */
static void dci_list_balls(dci_list *list)
{
    const int n = list->parts;
    int i, k, planes = 0;

    /* half-spaces go to the end */
    list->balls = 0;
    for (i = 0; i < n; ++i) {
        const dc_ncp_part *p = list->part + i;
        list->centre[i] = p->body < 0 ? dc_vec(0, 0, 0) : list->scene->body[p->body].pose.t;
        if (list->scene->dim == 2) list->centre[i].z = 0;
        list->radius[i] = p->shape->size > 0 ? p->radius : -1;
        list->order[p->shape->size > 0 ? list->balls++ : n - ++planes] = i;
    }

    /* along x */
    dci_ncp_by_left(list->balls, list->centre, list->radius, list->order);
    for (k = 0; k < n; ++k) {
        const int at = list->order[k];
        const dc_real right = list->centre[at].x + list->radius[at];
        list->rank[at] = k;
        list->reach[k] = k > 0 && list->reach[k - 1] > right ? list->reach[k - 1] : right;
    }
}

/* 1 if the ball lies beyond a face of the part, farther from it than the margin: rows A x <= b + d, those without
 * auxiliary numbers. */
static int dci_list_beyond(const dci_list *list, int part, int ball)
{
    const int D = list->scene->dim;
    const dc_ncp_part *p = list->part + part;
    const dc_shape *s = p->shape;
    const dc_v3 centre = list->centre[ball];
    const dc_real at[3] = {centre.x, centre.y, centre.z}, reach = list->radius[ball] + list->margin;
    dc_real x[3], R[9], own[3] = DC_ZERO;
    int i, j;

    /* the centre in the part's axes */
    dci_pose_rows(D, p->body < 0 ? NULL : &list->scene->body[p->body].pose, x, R);
    for (i = 0; i < D; ++i)
        for (j = 0; j < D; ++j) own[j] += R[i*D + j]*(at[i] - x[i]);

    for (i = 0; i < s->linear; ++i) {
        const dc_real *A = s->A + i*D;
        dc_real gap = -s->b[i] - s->d[i], len2 = 0, lift = 0;
        for (j = 0; j < D; ++j) {
            gap += A[j]*own[j];
            len2 += A[j]*A[j];
        }
        for (j = 0; j < s->aux; ++j) lift += dc_abs(s->N[i*s->aux + j]);
        if (!(lift > 0) && !(gap < reach*dc_sqrt(len2))) return 1;
    }
    return 0;
}

/* 1 if the balls are nearer than the margin, and neither lies beyond a face of the other part. */
static int dci_list_near(const dci_list *list, int a, int b)
{
    const dc_v3 d = dc_sub(list->centre[a], list->centre[b]);
    const dc_real reach = list->radius[a] + list->radius[b] + list->margin;
    return !(dc_dot(d, d) > reach*reach) && !dci_list_beyond(list, a, b) && !dci_list_beyond(list, b, a);
}

/* The parts after part a that are nearer than the margin, in their order, to list->beside; how many. */
static int dci_list_beside(const dci_list *list, int a)
{
    const dc_real left = list->centre[a].x - list->radius[a];
    const dc_real right = list->centre[a].x + list->radius[a] + list->margin;
    int *beside = list->beside, n = 0, i, k, b;

    /* of a half-space all balls are asked */
    if (list->radius[a] < 0) {
        for (b = a + 1; b < list->parts; ++b)
            if (list->radius[b] >= 0 && !dci_list_beyond(list, a, b)) beside[n++] = b;
        return n;
    }

    /* half-spaces */
    for (k = list->balls; k < list->parts; ++k) {
        b = list->order[k];
        if (b > a && !dci_list_beyond(list, b, a)) beside[n++] = b;
    }

    /* balls that begin before it ends, and those before it, as long as one of them reaches it */
    for (k = list->rank[a] + 1; k < list->balls; ++k) {
        b = list->order[k];
        if (list->centre[b].x - list->radius[b] > right) break;
        if (b > a && dci_list_near(list, a, b)) beside[n++] = b;
    }
    for (k = list->rank[a] - 1; k >= 0 && !(left > list->reach[k] + list->margin); --k) {
        b = list->order[k];
        if (b > a && dci_list_near(list, a, b)) beside[n++] = b;
    }

    for (i = 1; i < n; ++i) {
        b = beside[i];
        for (k = i; k > 0 && beside[k - 1] > b; --k) beside[k] = beside[k - 1];
        beside[k] = b;
    }
    return n;
}

/* 1 if a body of the pair moves and the pair is not excluded. */
static int dci_list_may(const dci_list *list, int a, int b)
{
    const dc_ncp_body *body = list->scene->body;
    int i;

    if (a == b || ((a < 0 || !(body[a].mass > 0)) && (b < 0 || !(body[b].mass > 0)))) return 0;
    for (i = 0; i < list->excluded; ++i) {
        const int *pair = list->pair + 2*i;
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) return 0;
    }
    return 1;
}

/* The contact of two parts, a half-space always second. */
static void dci_list_contact(const dci_list *list, int i, int j, dc_ncp_contact *c)
{
    const int swap = !(list->part[i].shape->size > 0);
    const dc_ncp_part *a = list->part + (swap ? j : i), *b = list->part + (swap ? i : j);
    c->body[0] = a->body;
    c->body[1] = b->body;
    c->shape[0] = a->shape;
    c->shape[1] = b->shape;
    c->mu = dc_sqrt(a->mu*b->mu);
    c->mu_spin = (a->mu_spin + b->mu_spin)/2;
    c->restitution = dc_max(a->restitution, b->restitution);
    c->keep = NULL;
}

/* The place of a contact by its key: that of the step before, whose key is negative from then on, or else, with
 * *open, the first free one from there on. 0: neither. */
static int dci_list_follow(dc_ncp_memory *m, int key, int *open, dc_ncp_contact *c)
{
    int i = open ? *open : 0;

    while (i < m->most && m->key[i] != (open ? 0 : key)) ++i;
    if (open) *open = i;
    if (i == m->most) return 0;
    c->keep = m->keep + (size_t)i*(size_t)m->stride;
    m->key[i] = open ? key : -key;
    if (open) c->keep[0] = 0;
    return 1;
}

/* Goes over the contacts in the parts' order; how many. First: writes them, with the places they had. Then, with
 * `open`, gives free places to those that have none. *homeless: how many that could be kept have none. */
static int dci_list_walk(const dci_list *list, int *open, int *homeless)
{
    dc_ncp_memory *m = list->memory;
    int a, k, n, found = 0;

    *homeless = 0;
    for (a = 0; a < list->parts; ++a) {
        n = dci_list_beside(list, a);
        for (k = 0; k < n; ++k) {
            const int b = list->beside[k];
            dc_ncp_contact *c = list->contact + found;
            if (!dci_list_may(list, list->part[a].body, list->part[b].body)) continue;
            if (found++ >= list->most) continue;
            if (!open) dci_list_contact(list, a, b, c);
            if (!m || c->keep || dc_ncp_keep_count(list->options, list->scene->dim, c) > m->stride) continue;
            *homeless += !dci_list_follow(m, a*list->parts + b + 1, open, c);
        }
    }
    return found;
}

static int dci_part_valid(const dc_ncp_scene *sc, const dc_ncp_part *p)
{
    const dc_real limit[4] = {p->radius, p->mu, p->mu_spin, p->restitution};
    return p->body >= -1 && p->body < sc->bodies && dci_shape_valid(p->shape) && p->shape->dim == sc->dim
        && dci_all_in_limit(limit, 4)
        && p->mu >= 0 && p->mu_spin >= 0 && p->restitution >= 0 && p->restitution <= 1
        && (p->shape->size > 0 ? p->radius > 0 : p->shape->rows == 1);
}

DC_DEF dc_status dc_ncp_contacts(const dc_ncp_options *opt, const dc_ncp_scene *sc, int parts, const dc_ncp_part *part,
                                 dc_real margin, int excluded, const int *pair, dc_ncp_memory *memory, int most,
                                 dc_ncp_contact *contact, int *count, dc_arena *scratch)
{
    dci_layout l = {NULL, 0};
    dci_list list;
    int i, found, homeless, open = 0;
    size_t used;
    const char *cause;

    if (!sc || sc->dim < 2 || sc->dim > 3 || sc->bodies < 0 || (sc->bodies > 0 && !sc->body)
        || dc_ncp_contacts_bytes(parts) == 0 || !part || !(margin >= 0 && margin <= DC_LIMIT) || excluded < 0
        || (excluded > 0 && !pair) || most < 0 || (most > 0 && !contact) || !count || !scratch
        || (memory && (memory->most < 1 || memory->stride < 1 || !memory->key || !memory->keep))) return DC_E_ARG;
    for (i = 0; i < sc->bodies; ++i) if (dci_body_flaw(sc->dim, sc->body + i, &cause)) return DC_E_ARG;
    for (i = 0; i < parts; ++i) if (!dci_part_valid(sc, part + i)) return DC_E_ARG;

    /* memory, counted and taken */
    used = scratch->used;
    dci_list_lay(&list, parts, &l);
    l.base = (unsigned char *)dc_arena_take(scratch, l.bytes, 1);
    if (!l.base) return DC_E_MEMORY;
    l.bytes = 0;
    dci_list_lay(&list, parts, &l);
    list.options = opt;
    list.scene = sc;
    list.part = part;
    list.parts = parts;
    list.margin = margin;
    list.excluded = excluded;
    list.pair = pair;
    list.memory = memory;
    list.most = most;
    list.contact = contact;

    /* contacts with what was kept; pairs that are gone free their places, which go to those without */
    dci_list_balls(&list);
    found = dci_list_walk(&list, NULL, &homeless);
    for (i = 0; memory && i < memory->most; ++i) memory->key[i] = memory->key[i] < 0 ? -memory->key[i] : 0;
    if (homeless > 0) dci_list_walk(&list, &open, &homeless);

    scratch->used = used;
    *count = found;
    return found > most ? DC_E_RANGE : DC_OK;
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
