/* dc_sdf.h - v0.1.0 - signed distance fields: of primitives in space, of pairs of shapes in the plane
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * DOES     value, gradient and Hessian of fields made of superquadrics, convex polyhedra, oriented point clouds,
 *          spheres, boxes and capsules by smooth union and subtraction [1]; derivatives by the parameters of the
 *          primitives; many points at once; a closed triangle mesh of the zero set; superquadrics fitted to a sampled
 *          field or a mesh. In the plane: polygons, their exact distances and moments; the distance of two shapes as
 *          a field over their relative pose, with its gradient and the lever of friction [3]: exact, sampled, or a
 *          small network trained here.
 * DOES NOT find contacts (dc_witness.h), read files, repair meshes. Most fields are distances only near the surface:
 *          see the kinds below.
 *
 * USE
 *   In one C or C++ file: #define DC_CONTACT_IMPLEMENTATION and DC_SDF_IMPLEMENTATION, then #include "dc_sdf.h".
 *   Elsewhere include it. The file has to keep its name: its code includes it again, for the networks.
 *   Quick start, a complete program; cc -std=c99 -O3 program.c -lm
 *
 *|#define DC_CONTACT_IMPLEMENTATION
 *|#define DC_SDF_IMPLEMENTATION
 *|#include "dc_sdf.h"
 *|#include <stdio.h>
 *|int main(void)
 *|{
 *|    dc_sdf_prim part[2] = DC_ZERO;
 *|    dc_sdf body = DC_ZERO;
 *|    dc_real phi, grad[3];
 *|    part[0].kind = DC_SDF_SUPERQUADRIC;                    // a rounded box
 *|    part[0].pose.q.w = 1;
 *|    part[0].size = dc_vec(1, 1, DC_R(0.5));
 *|    part[0].eps1 = part[0].eps2 = DC_R(0.25);
 *|    part[1] = part[0];                                     // less a ball
 *|    part[1].kind = DC_SDF_SPHERE;
 *|    part[1].pose.t = dc_vec(0, 0, DC_R(0.8));
 *|    part[1].size.x = DC_R(0.6);
 *|    part[1].subtract = 1;
 *|    body.prim = part;
 *|    body.n = 2;
 *|    body.tau = DC_R(0.02);                                 // rounds the seam
 *|    if (dc_sdf_eval(&body, dc_vec(0, 0, 1), &phi, grad, NULL) != DC_OK) return 1;
 *|    printf("%g, gradient (%g, %g, %g)\n", (double)phi, (double)grad[0], (double)grad[1], (double)grad[2]);
 *|    return 0;
 *|}
 *
 *   In the plane, the distance of two shapes; another complete program:
 *
 *|#define DC_CONTACT_IMPLEMENTATION
 *|#define DC_SDF_IMPLEMENTATION
 *|#include "dc_sdf.h"
 *|#include <stdio.h>
 *|static unsigned char memory[1 << 16];
 *|int main(void)
 *|{
 *|    dc_arena mem = dc_arena_make(memory, sizeof memory);
 *|    dc_v2 v[DC_POLY_NAMED_MOST];
 *|    dc_cshape a = DC_ZERO;                                 // a polygon
 *|    dc_cfield field;                                       // lives in mem
 *|    const dc_real q[3] = {DC_R(0.5), DC_R(1.9), 0};        // where b is, seen from a: angle, x, y
 *|    dc_real d, grad[3], lever;
 *|    dc_status s = dc_poly_named("U", DC_POLY_NAMED_MOST, v, &a.poly.n);
 *|    a.poly.v = v;
 *|    if (s == DC_OK) s = dc_cfield_exact(NULL, &a, &a.poly, &mem, &field);       // U against U
 *|    if (s == DC_OK) s = dc_cfield_eval(&field, q, &mem, &d, grad, &lever, NULL, NULL);
 *|    if (s == DC_OK) printf("apart by %g, along (%g, %g)\n", (double)d, (double)grad[1], (double)grad[2]);
 *|    return s != DC_OK;
 *|}
 *
 *   dc_cfield_train makes a network of such a field, which costs the same whatever the shapes are and however they
 *   meet: tests/tools/train_fields.c shows it, `make train` runs it. dc_sim.h moves grains by these fields.
 *
 * OPTIONS (macros)
 *   DC_SDF_IMPLEMENTATION  in one file: the code. DC_REAL, DC_STATIC, DC_DEF: see dc_contact.h.
 *   DC_SDF_NO_SPACE        in every file: without the part on space (dc_sdf_..., dc_mesh, dc_grid), which
 *                          dc_witness.h needs
 *   DC_SDF_NO_PLANE        in every file: without the part on the plane (dc_v2, dc_poly_..., dc_cfield_...), which
 *                          the grains of dc_sim.h need. Neither part uses the other
 *
 * NOTATION
 *   x           a point of the body; inside a primitive's code a point in its own axes, over its unit of length
 *   phi         field: positive outside, a length
 *   f, F        implicit function of a superquadric, its gauge f^(eps1/2): F = 1 on the surface, |x|/F the ray to it
 *   N           norm of two numbers, of which a gauge is made twice; m the larger, q the ratio, alpha = 2/eps
 *   jet         value, gradient and Hessian of one primitive
 *   tau         temperature of a smooth minimum or maximum, a length
 *   lambda, w   weight of a jet in a fold
 *   q           pose (theta, x, y) of shape b in the frame of shape a, t = (x, y); d distance of the shapes, n its
 *               direction
 *
 * CONTRACTS
 *   Memory    A point: none. Batches, meshes and fits: scratch from the caller's dc_arena, given back at return. In
 *             double a batch takes 22 KB whatever the number of points, a mesh about 9 bytes a grid point and 110 a
 *             vertex, a fit 13 bytes a grid point; dc_cfield_..._bytes say it of fields over poses. Stack at most 4
 *             KB at -Os and -O3 (`make facts`).
 *   Errors    dc_status: DC_E_ARG for what is not finite, out of range or missing, DC_E_MEMORY for an arena that is too
 *             small (DC_E_ARG comes first, as in dc_contact.h), DC_E_RANGE for results that do not fit, DC_E_DIVERGED
 *             where a cap was reached: a mesh with too many vertices, a fit with parts left over, the overlap of two
 *             polygons, a training that found no poses or lost its weights. Outputs are untouched but where a function
 *             says so.
 *   Threads   Every function is re-entrant; nothing is shared.
 *   Bits      The same for the same input in any order and thread, one by one or in batches; built with
 *             -ffp-contract=off, under any compiler.
 *   Smooth    Superquadrics with exponents below 1 have two continuous derivatives but for their centre; smooth unions,
 *             smooth polyhedra and clouds are as smooth as what they are made of. Spheres, capsules and boxes have
 *             the kinks of distances, tau = 0 those of a minimum: there the derivatives are of one side, or the mean
 *             of both (a minimum's).
 *   Accuracy  Against 70-digit tables, double (float): values 1.3e-15 (5e-7) for coordinates up to 5; gradients 7e-15
 *             (6e-7) and Hessians 4e-14 (3e-5) of their largest entry. Superquadrics with exponents 0.02 to 2, at
 *             1e-9 to 1e6 sizes from the centre, sizes 1e-6 to 1e6: value 6e-16 (3e-7) of the distance from the
 *             centre or the size. Polygons of radius 1: distance from a point 2e-15 (5e-7), of two that are apart
 *             2e-15 (3e-7); overlaps of two agree with those of the swapped pair to 1e-9 (1e-5).
 *   Cost      ns on one Zen 4 core, gcc 12 -O3 (-O3 -march=native), `make bench`:
 *               a point of a union of 18 superquadrics, in a batch   670 (270)
 *                 with gradient; with Hessian                        770 (310); 1130 (440)
 *                 alone, with gradient; 216 parameters               1870 (910); 11 us
 *               a superquadric, value and gradient                   48 (22), Taubin's form 61 (26)
 *               a plane of a polyhedron, a point of a cloud          8.5 (3), 14 (4.5)
 *               mesh of 305 vertices of that union, 41 x 38 x 49     0.44 s (0.34)
 *               its sampling on 46 x 43 x 56 points, its fit         0.50 s (0.45), 0.90 s (0.51)
 *             and of fields over poses, with gradient and lever, us at -O3; of learned ones see there:
 *               exact, of two blocks; of # and # apart, overlapping  6.3; 19, 130 to 430
 *               sampled, of # and #, 201 x 201 points                8300
 *   Limits    Only spheres, capsules and boxes are distances everywhere. The radial form is too large beside flat
 *             bodies: at the faces of a 2 x 2 x 0.05 plate its slope reaches 45 (taubin: 1). A union of things that
 *             coincide grows by up to tau log 2 for each doubling. Clouds shift inwards where they are convex, by
 *             about sigma^2 times the curvature. Derivatives by parameters are of the value alone. A fit does not
 *             split what one superquadric cannot follow, and leaves out parts thinner than a grid step. The overlap
 *             of two polygons grows with the depth only as far as their arms are thick: what goes deeper is no longer
 *             pushed back.
 *
 * CHAPTERS of the implementation; each begins with its mark in brackets
 *   of space:
 *   [jets]            values with derivatives, short elementary functions
 *   [superquadrics]   gauge, radial form, Taubin's form
 *   [boxes]           sphere, box, capsule
 *   [folds]           smooth union and subtraction
 *   [clouds]          point clouds
 *   [primitives]      checks, and made ready
 *   [reach]           primitives that cannot matter at a point
 *   [lobes]           superquadrics at one point
 *   [point]           the field at a point
 *   [parameters]      derivatives by parameters
 *   [batch]           many points
 *   [along]           third derivatives along directions
 *   [bounds]          least values over balls
 *   [marching]        meshes: marching tetrahedra
 *   [collapse]        meshes: collapsing edges, and the call
 *   [sample]          the field of a mesh
 *   [fit]             fitting superquadrics
 *   of the plane:
 *   [polygons]        checks, distances, moments
 *   [makers]          making polygons
 *   [apart]           pairs of polygons that are apart
 *   [overlap]         pairs of polygons that overlap
 *   [fields]          fields over relative poses: makers, contacts
 *   [networks]        layout of their weights and work
 *   [cut-offs]        poses far away are drawn in
 *   [learned]         learned fields: poses, evaluation
 *   [network memory]  memory of a learned field
 *   [splines]         baked fields: evaluation
 *   [calls]           evaluation of fields over poses
 *   [samples]         poses near the surface
 *   [training]        learned fields are trained
 *   [bytes]           learned and baked fields as bytes
 *   [bake]            splines are made
 *   [kernels]         of the networks, included once for each type of number
 *
 * REFERENCES
 *   [1] CONTAX   Beker, Geist, Paulus, Guertler, Ji Shi, Calinon, Martius: Smoothly differentiable and efficiently
 *                vectorizable contact manifold generation.
 *   [2] Liu, Wu, Ruan, Chirikjian: Marching-primitives: shape abstraction from signed distance function. CVPR 2023.
 *   [3] CEM      Zhecheng Wang, Smith, Madan, Grinspun: The configurational element method for nonconvex granular
 *                media.
 *   CONTAX Eq. 3 is printed divided by |x| where it has to be multiplied; the corrected form is used. The directions
 *   of normals of a superquadric are those of its gauge, of unions those of the composed field.
 *
 * CHANGES  see CHANGELOG.md. LICENCE at the end of this file. */
#ifndef DC_SDF_H_INCLUDED
#define DC_SDF_H_INCLUDED

#include "dc_contact.h"

/* every function of the float build has a name of its own, as in dc_contact.h */
#if DC_IS_FLOAT
#define dc_sdf_eval dc_sdf_eval_f
#define dc_sdf_eval_params dc_sdf_eval_params_f
#define dc_sdf_batch_bytes dc_sdf_batch_bytes_f
#define dc_sdf_eval_batch dc_sdf_eval_batch_f
#define dc_sdf_along_bytes dc_sdf_along_bytes_f
#define dc_sdf_ddir_along dc_sdf_ddir_along_f
#define dc_sdf_bound dc_sdf_bound_f
#define dc_sdf_mesh_bytes dc_sdf_mesh_bytes_f
#define dc_sdf_mesh dc_sdf_mesh_f
#define dc_sdf_sample dc_sdf_sample_f
#define dc_sdf_fit_bytes dc_sdf_fit_bytes_f
#define dc_sdf_fit dc_sdf_fit_f
#define dc_poly_check dc_poly_check_f
#define dc_poly_distance dc_poly_distance_f
#define dc_poly_distance_batch dc_poly_distance_batch_f
#define dc_poly_moments dc_poly_moments_f
#define dc_poly_centre dc_poly_centre_f
#define dc_poly_named dc_poly_named_f
#define dc_poly_arc dc_poly_arc_f
#define dc_poly_union dc_poly_union_f
#define dc_cfield_bytes dc_cfield_bytes_f
#define dc_cfield_exact dc_cfield_exact_f
#define dc_cfield_sampled dc_cfield_sampled_f
#define dc_cfield_eval_bytes dc_cfield_eval_bytes_f
#define dc_cfield_eval dc_cfield_eval_f
#define dc_cfield_eval_batch dc_cfield_eval_batch_f
#define dc_cfield_train_bytes dc_cfield_train_bytes_f
#define dc_cfield_train_start dc_cfield_train_start_f
#define dc_cfield_train dc_cfield_train_f
#define dc_cfield_learned_bytes dc_cfield_learned_bytes_f
#define dc_cfield_learned dc_cfield_learned_f
#define dc_cfield_save_bytes dc_cfield_save_bytes_f
#define dc_cfield_save dc_cfield_save_f
#define dc_cfield_load_bytes dc_cfield_load_bytes_f
#define dc_cfield_load dc_cfield_load_f
#define dc_cfield_bake_bytes dc_cfield_bake_bytes_f
#define dc_cfield_bake dc_cfield_bake_f
#define dc_cfield_mix_bytes dc_cfield_mix_bytes_f
#define dc_cfield_mix dc_cfield_mix_f
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DC_SDF_NO_SPACE

/* ---- fields ------------------------------------------------------------------------------------ */

typedef enum {
    /* phi = |x| (1 - 1/F), the distance along the ray to the centre, F = f^(eps1/2) the gauge of the body,
     *     f = ((x/a)^(2/eps2) + (y/b)^(2/eps2))^(eps2/eps1) + (z/c)^(2/eps1)    (CONTAX Eq. 1-3, corrected)
     * size = (a, b, c), within a factor 1e6 of each other; eps1, eps2 from 0.02 to 2. |phi| is never below the
     * distance (up to 1/cos of the angle between ray and normal above it). Smooth but for the centre, where it is
     * -min(a,b,c) with gradient 0; with an exponent above 1 its Hessian is infinite, and large here, on the
     * coordinate planes; with eps1 = 1 > eps2 it has no limit on the z axis.
     * With `taubin`, phi = (F - 1)/|grad F|: slope 1 on the surface however flat the body, at the price of one
     * derivative. */
    DC_SDF_SUPERQUADRIC = 0,
    /* phi = max_i n_i.(x - p_i), or with smooth > 0 the log-sum-exp of that temperature, which is larger by at most
     * smooth log(count) and so rounds corners inwards (CONTAX Eq. 4, 5). `count` unit normals n and points p. Exact
     * over the faces, a lower bound beside edges and corners. */
    DC_SDF_POLYHEDRON,
    /* phi = sum_i B_i n_i.(x - p_i)/sum_i B_i,  B_i = exp(-|x - p_i|^2/(2 sigma_i^2))               (CONTAX Eq. 6)
     * `count` points p, unit normals n that point outwards, widths sigma: about one spacing of the points. */
    DC_SDF_CLOUD,
    DC_SDF_SPHERE,         /* exact; radius size.x */
    DC_SDF_BOX,            /* exact, with kinks inside; half extents size. Contacts of boxes: rather six planes of a
                            * smooth polyhedron, see dc_surface in dc_witness.h */
    DC_SDF_CAPSULE         /* exact; radius size.x about the segment |z| <= size.z; size.y is not read */
} dc_sdf_kind;

/* A primitive and how it joins those before it in the list. Plain data; n, p, sigma are borrowed for the time of a
 * call. Lengths that are read (size, smooth, sigma, scale) are from 1/DC_LIMIT to DC_LIMIT, but for a capsule's
 * size.z and smooth, which may be 0; |n.n - 1| <= 1e-3, and n is used as it is. */
typedef struct {
    dc_sdf_kind kind;
    dc_pose pose;           /* primitive to body; a quaternion with |q.q - 1| <= 1e-3 is normalised */
    dc_real scale;          /* of the whole primitive: phi = scale phi_hat(R^T (x - t)/scale); 0: 1 */
    dc_v3   size;
    dc_real eps1, eps2;     /* superquadric */
    dc_real smooth;         /* polyhedron */
    int     taubin;         /* superquadric */
    int     subtract;       /* 1: taken away from what stands before it in the list */
    int     count;          /* polyhedron, cloud */
    const dc_v3 *n, *p;
    const dc_real *sigma;
} dc_sdf_prim;

/* The field of a body, in body coordinates: primitives folded from the first to the last,
 *     union:        phi <- -tau log(e^(-phi/tau) + e^(-phi_l/tau)), less than the minimum by at most tau log 2
 *     subtraction:  phi <-  tau log(e^(phi/tau) + e^(-phi_l/tau))
 * tau 0 is the hard minimum and maximum. Runs of unions, or of subtractions, do not depend on their order but for
 * rounding. The first primitive may not be subtracted. In runs of four and more what weighs less than DC_EPS/2 at a
 * point, by the balls in and about primitives, is left out there: of the value tau n DC_EPS/2 at most, no more than
 * rounding. */
typedef struct {
    const dc_sdf_prim *prim;
    int n;                  /* >= 1 */
    dc_real tau;            /* length; 0 or 1/DC_LIMIT to DC_LIMIT */
} dc_sdf;

/* The field at a point x of the body.
 * value   may be NULL, as all that follow; NULL costs nothing.
 * grad    3
 * hess    3x3, symmetric to the bit. At a tie of a hard minimum the mean of the two.
 * DC_E_ARG: a primitive out of the ranges above, a point that is not finite or beyond DC_LIMIT, a NULL. DC_E_RANGE: a
 * number asked for does not fit. Outputs untouched. */
DC_DEF dc_status dc_sdf_eval(const dc_sdf *s, dc_v3 x, dc_real *value, dc_real *grad, dc_real *hess);

/* Parameters of a primitive, in the order of the gradient: twist (v, w) of its pose in body axes about its origin t,
 * x <- exp([w])(x - t) + t + v; size.x, size.y, size.z; eps1, eps2; scale. */
#define DC_SDF_PARAMS 12

/* The value and its gradient by the parameters of all primitives, at a fixed point x of the body.
 * dparam   DC_SDF_PARAMS*n; lost with DC_E_RANGE. Zero for parameters that a kind does not have. */
DC_DEF dc_status dc_sdf_eval_params(const dc_sdf *s, dc_v3 x, dc_real *value, dc_real *dparam);

/* ---- many points ------------------------------------------------------------------------------- */

/* Outputs of dc_sdf_eval_batch: arrays of rows, row r of point i at [r*stride + i]; NULL: not computed. */
typedef struct {
    dc_real *value;         /* 1 row */
    dc_real *grad;          /* 3 rows */
    dc_real *hess;          /* 6 rows: xx xy xz yy yz zz */
    dc_real *dir;           /* 3 rows: the vector along which the outward normal is taken: grad F of a field that is one
                             * radial superquadric (its length, about 1/size, varies little, where that of grad phi does
                             * not), else grad phi */
    dc_real *ddir;          /* 6 rows: derivative of dir by the point, symmetric */
} dc_sdf_out;

/* Bytes of arena that dc_sdf_eval_batch takes, for any number of points. */
DC_DEF size_t dc_sdf_batch_bytes(void);

/* dc_sdf_eval of `count` points: 3 rows x, y, z, row r of point i at x[r*stride + i], stride >= count >= 0. The same
 * bits as dc_sdf_eval without contraction, wherever a point stands. No output overlaps another or x.
 * DC_E_ARG as there, for any of the points: outputs untouched. DC_E_RANGE: outputs are lost. */
DC_DEF dc_status dc_sdf_eval_batch(const dc_sdf *s, int count, const dc_real *x, size_t stride, dc_arena *mem,
                                   const dc_sdf_out *out);

/* Derivative of ddir along directions u, 3 rows as x: 6 rows as ddir, one derivative more than dc_sdf_eval_batch gives.
 * Infinite, and large here, on the coordinate planes of superquadrics with an exponent above 2/3. dc_sdf_along_bytes of
 * arena. DC_E_ARG, DC_E_RANGE: as above; also a direction that is not finite or beyond DC_LIMIT, or a superquadric with
 * `taubin`, whose fourth derivatives are not there. */
DC_DEF size_t dc_sdf_along_bytes(void);
DC_DEF dc_status dc_sdf_ddir_along(const dc_sdf *s, int count, const dc_real *x, const dc_real *u, size_t stride,
                                   dc_arena *mem, dc_real *dddir);

/* Lower bounds of a field over `count` balls of centres x and radii r >= 0 (NULL: 0): least[i] <= phi everywhere in
 * ball i, to rounding. What a point costs is not paid: a superquadric is bounded by a ball that holds it, so that the
 * bound is good far away and poor nearby; boxes, capsules, spheres and polyhedra by their distance from x; of a cloud
 * nothing is known, -DC_REAL_MAX. Subtracted primitives are left out. DC_E_ARG: as dc_sdf_eval, or a radius; least is
 * untouched. */
DC_DEF dc_status dc_sdf_bound(const dc_sdf *s, int count, const dc_v3 *x, const dc_real *r, dc_real *least);

/* ---- meshes ------------------------------------------------------------------------------------ */

/* A triangle mesh in body coordinates, borrowed: three indices a triangle, counterclockwise seen from outside; two a
 * unique edge, the smaller first, sorted. */
typedef struct {
    const dc_v3 *v;
    const int *tri, *edge;
    int nv, nt, ne;
} dc_mesh;

/* Points of a regular grid, both ends included: x = lo + (i, j, k) (hi - lo)/(n - 1), n >= 2 in each direction; value
 * (i, j, k) of a sampled field at [(k*ny + j)*nx + i]. */
typedef struct { dc_v3 lo, hi; int nx, ny, nz; } dc_grid;

typedef struct {
    int vertices;           /* collapse the shortest edges until there are so many; 0: those below half a step */
} dc_sdf_mesh_options;

typedef struct {
    int nv, nt;             /* of the mesh before edges were collapsed: what dc_sdf_mesh_bytes asks for */
    dc_real residual;       /* largest |phi|/|grad phi| at a vertex */
} dc_sdf_mesh_info;

/* Bytes of arena that dc_sdf_mesh takes, scratch and result, for a mesh of nv vertices and nt triangles before edges
 * are collapsed; 0: a grid that is none, a count below 0, or it does not fit. A first call with
 * dc_sdf_mesh_bytes(grid, 0, 0) bytes fails with DC_E_MEMORY and says nv and nt. */
DC_DEF size_t dc_sdf_mesh_bytes(const dc_grid *grid, int nv, int nt);

/* A triangle mesh of the zero set: marching tetrahedra (6 to a cell) with vertices where the field is zero on the
 * edges of the grid; then edges are collapsed, shortest first, their new vertex on the zero set. Closed, oriented and
 * without an edge or vertex where sheets meet, whatever the field: every edge is in two triangles, which run through
 * it in opposite directions. Parts of the body thinner than a step may be missed; it has to be positive all over the
 * boundary of the grid.
 * mem     the mesh stays at the front of what was free; scratch is given back.
 * info    may be NULL; written also with DC_E_MEMORY.
 * DC_E_RANGE: the surface meets the boundary of the grid, or the field does not fit. DC_E_MEMORY. DC_E_DIVERGED: the
 * number of vertices asked for was not reached; the mesh is complete. No vertices at all are fine: nothing inside. */
DC_DEF dc_status dc_sdf_mesh(const dc_sdf_mesh_options *opt, const dc_sdf *s, const dc_grid *grid, dc_arena *mem,
                             dc_mesh *mesh, dc_sdf_mesh_info *info);

/* Signed distance to a closed triangle mesh at the points of a grid: distance to the nearest triangle, negative where
 * the winding number is above 1/2. O(grid points x triangles), 610 triangles 5 us a point. edge is not read. phi: nx
 * ny nz. DC_E_ARG: a NULL, an index out of range, a vertex out of range, no triangle, a grid that is none; phi is
 * untouched. */
DC_DEF dc_status dc_sdf_sample(const dc_mesh *mesh, const dc_grid *grid, dc_real *phi);

/* ---- fitting ----------------------------------------------------------------------------------- */

typedef struct {
    int     capacity;       /* most superquadrics; 0: 32 */
    int     least;          /* smallest region, in grid points, that is worth a superquadric; 0: 10 */
    int     steps;          /* of a fit; 0: 30 */
} dc_sdf_fit_options;

typedef struct {
    int     levels;         /* thresholds gone through */
    int     regions;        /* regions tried */
    dc_real residual;       /* root mean square of field - fit over the points within two steps of the surface */
    dc_real covered;        /* part of the inner points (field < 0) that the fit holds */
} dc_sdf_fit_info;

/* Bytes of arena that dc_sdf_fit takes; 0: a grid that is none, or it does not fit. */
DC_DEF size_t dc_sdf_fit_bytes(const dc_grid *grid);

/* Superquadrics whose union is a sampled signed distance field, after marching primitives [2]: go through the levels
 * of the field from the innermost out; connected regions below the level; fit a superquadric to each by robust least
 * squares; take out what it explains; repeat. The same input gives the same output.
 * phi     nx ny nz distances, negative inside
 * prim    capacity entries; *n are written, DC_SDF_SUPERQUADRIC with unions only
 * DC_E_MEMORY; DC_E_ARG; DC_E_DIVERGED: capacity was reached with regions left. */
DC_DEF dc_status dc_sdf_fit(const dc_sdf_fit_options *opt, const dc_grid *grid, const dc_real *phi, dc_arena *mem,
                            dc_sdf_prim *prim, int *n, dc_sdf_fit_info *info);

#endif /* DC_SDF_NO_SPACE */

#ifndef DC_SDF_NO_PLANE

/* ---- polygons in the plane ---------------------------------------------------------------------- */

typedef struct { dc_real x, y; } dc_v2;

/* A simple polygon: n >= 3 different vertices, counterclockwise, borrowed. Edge i runs from vertex i to the next
 * one. */
typedef struct { const dc_v2 *v; int n; } dc_poly;

/* DC_E_ARG: fewer than three vertices, one that is not finite or beyond DC_LIMIT, clockwise, edges of no length,
 * edges that cross, overlap or touch but for neighbours in their common vertex. O(n^2). The other functions take what
 * passes here: they look at the numbers, not at the shape, and give finite nonsense for polygons that are not
 * simple. */
DC_DEF dc_status dc_poly_check(const dc_poly *p);

/* The nearest point of a polygon's outline. */
typedef struct {
    dc_real d;              /* signed distance: negative inside */
    dc_v2 closest;
    int edge;               /* the first edge that has it */
    dc_real at;             /* where on the edge: 0 its start, 1 its end, vertices; between them its inside */
} dc_poly_hit;

/* Signed distance of a point. DC_E_ARG: NULL, a number that is not finite or beyond DC_LIMIT; hit is untouched. */
DC_DEF dc_status dc_poly_distance(const dc_poly *p, dc_v2 x, dc_poly_hit *hit);

/* The same for `count` points with coordinates x[i], y[i], the same bits. d, cx and cy may be NULL, each; no output
 * overlaps an input. */
DC_DEF dc_status dc_poly_distance_batch(const dc_poly *p, int count, const dc_real *x, const dc_real *y, dc_real *d,
                                        dc_real *cx, dc_real *cy);

typedef struct {
    dc_real area;
    dc_v2 centroid;
    dc_real inertia;        /* second moment of area about the centroid: times density, a moment of inertia */
    dc_real radius;         /* largest distance of a vertex from the origin */
} dc_poly_moments_of;

/* DC_E_ARG as above; DC_E_RANGE: an area that is not positive, or it does not fit. *m is untouched. */
DC_DEF dc_status dc_poly_moments(const dc_poly *p, dc_poly_moments_of *m);

/* Makers of polygons write n <= capacity vertices, counterclockwise; *n, which comes also with DC_E_MEMORY, is what
 * they need. */

/* Shapes of [3], which shows them and gives no numbers, centred, of radius 1: "O" (32 vertices), "U", "N", "#", "D",
 * "octagon", "star", "block" (a square), "arc25", "arc50", "arc75" and "arc100", of a circle. The hole of "#" is
 * filled, as are those of "O" and "D": grains of these shapes do not get there. DC_E_ARG: another name, NULL.
 * DC_E_MEMORY: v is untouched. */
#define DC_POLY_NAMED_MOST 38
DC_DEF dc_status dc_poly_named(const char *name, int capacity, dc_v2 *v, int *n);

/* The part `share` of a ring, open upwards, about the ring's centre: radius of the centre line, thickness < 2 radius;
 * `segments` edges along it, 0: 24 share, at least 1. With share 1 the whole disc, and 32 edges for 0. DC_E_ARG: out
 * of range, NULL. */
DC_DEF dc_status dc_poly_arc(dc_real radius, dc_real thickness, dc_real share, int segments, int capacity, dc_v2 *v,
                             int *n);

/* The outline of the union of convex polygons that overlap or share edges; holes are filled. Vertices within 1e-9
 * (float 1e-5) of the size of the whole are one. O(edges^3). DC_E_ARG: NULL, a piece that dc_poly_check refuses or
 * that is not convex, pieces that do not hang together by more than a point. DC_E_MEMORY: v is lost, *n is a capacity
 * that is enough. */
DC_DEF dc_status dc_poly_union(int count, const dc_poly *pieces, int capacity, dc_v2 *v, int *n);

/* Moves the centroid to the origin and, with radius > 0, scales to that radius. Statuses as above; v is untouched. */
DC_DEF dc_status dc_poly_centre(int n, dc_v2 *v, dc_real radius);

/* ---- fields over relative poses ------------------------------------------------------------------ */
/* A field of an ordered pair of shapes a and b [3] over the pose q = (theta, x, y) of b in the frame of a, a point
 * p_hat of b at R(theta) p_hat + (x, y) (CEM Eq. 1):
 *
 *     d       signed distance of the shapes
 *     grad    its derivative by theta, x and y; by construction the direction of contact, n = (grad_x, grad_y)/|..|,
 *             points from a to b
 *     lever   (p - (x, y)/2).n with p the point of contact: half-way between the outlines when they are apart, the
 *             centre of the largest disc in both when they overlap; 0 where (grad_x, grad_y) is
 *
 * Of the lever come the projected arms of friction, which both refer to p:
 *     proj_a = -p.n = -(lever + (x, y).n/2),   proj_b = (p - (x, y)).n = lever - (x, y).n/2,
 *     proj_a + proj_b + (x, y).n = 0
 * The field of (b, a) is the field of (a, b) at the inverse pose, with -lever. */

/* What stands on the side of a. */
typedef enum {
    DC_CSHAPE_POLY = 0,     /* a polygon */
    DC_CSHAPE_HALFPLANE,    /* solid where y <= 0 */
    DC_CSHAPE_DISC,         /* solid within `radius` of the origin */
    DC_CSHAPE_HOLE          /* solid beyond `radius` from the origin: grains are inside */
} dc_cshape_kind;

typedef struct {
    dc_cshape_kind kind;
    dc_poly poly;           /* polygon */
    dc_real radius;         /* disc, hole: 1/DC_LIMIT to DC_LIMIT */
} dc_cshape;

typedef enum {
    /* Polygons that are apart: the distance (CEM Eq. 2). That overlap: -2 times the radius of the largest disc in both,
     *     min over points x of 2 max(phi_a(x), phi_b(x))                               (CEM Eq. 6, 7)
     * It is less than the depth of penetration but for faces, bounded by the thickness of the thinner arm.
     * Half-plane and hole: the least distance of b's vertices from the outline, disc: the signed distance of its
     * centre from b, less the radius; both also below 0.
     * grad_theta is (d(theta + h) - d(theta - h))/(2 h), which is part of the definition: a block that lies flat has
     * two contacts, of which the derivative would be one. So are, where polygons overlap, grad_x and grad_y, with
     * steps hx: two corners that meet have a kink as well. Elsewhere (grad_x, grad_y) is the derivative, a unit
     * vector. */
    DC_CFIELD_EXACT = 0,
    /* phi_a + phi_b at the point of a grid where CEM Eq. 6 is least (CEM section 6.3): side x side points on the
     * square of half width the larger radius of a and b about the midpoint of their origins. Polygons only;
     * derivatives with the point at rest in the grid, which moves with (x, y)/2. For comparison: it takes side^2
     * distances. */
    DC_CFIELD_SAMPLED,
    DC_CFIELD_LEARNED,      /* a small network */
    DC_CFIELD_BAKED         /* a spline */
} dc_cfield_kind;

typedef struct dc_cnet dc_cnet;
typedef struct dc_cspline dc_cspline;

/* A polygon made ready, in memory of its maker: n + 1 numbers each, the first again at the end. */
typedef struct {
    int n;
    dc_real radius;         /* largest distance of a vertex from the origin */
    const dc_real *x, *y;   /* vertices */
    const dc_real *ex, *ey; /* edges, from a vertex to the next */
    const dc_real *inv;     /* 1/(ex^2 + ey^2) */
} dc_cpoly;

/* A field: plain data, made by the functions below; what it points to lies in the arena of its maker. */
typedef struct {
    dc_cfield_kind kind;
    dc_cshape_kind wall;    /* what a is */
    dc_real h, hx;          /* exact: steps of the gradient */
    dc_real radius;         /* disc, hole */
    int side;               /* sampled */
    int smooth;             /* 1: has a Hessian and a gradient of the lever */
    dc_cpoly a, b;          /* exact, sampled; a.n = 0 when a is no polygon. All: radius */
    const dc_cnet *net;     /* learned */
    const dc_cspline *spline;   /* baked */
} dc_cfield;

typedef struct {
    dc_real h;              /* step of the gradient by theta, radians, below 1; 0: 2e-3 */
    dc_real hx;             /* by x and y where polygons overlap, a length; 0: 1e-4 (float 1e-3) of the smaller
                             * radius */
    int side;               /* 2 to 4096; 0: 201 */
} dc_cfield_options;

/* Bytes of arena that dc_cfield_exact and dc_cfield_sampled keep for polygons of na (0: a is none) and nb vertices;
 * 0: counts below 3, or it does not fit. */
DC_DEF size_t dc_cfield_bytes(int na, int nb);

/* Makers. The polygons are copied. DC_E_ARG: a shape that dc_poly_check refuses, a number out of range, a sampled
 * field of what is not two polygons. DC_E_MEMORY. *f and the arena are untouched then. */
DC_DEF dc_status dc_cfield_exact(const dc_cfield_options *opt, const dc_cshape *a, const dc_poly *b, dc_arena *mem,
                                 dc_cfield *f);
DC_DEF dc_status dc_cfield_sampled(const dc_cfield_options *opt, const dc_cshape *a, const dc_poly *b, dc_arena *mem,
                                   dc_cfield *f);

/* Bytes of arena that an evaluation takes, of one pose or of many. */
DC_DEF size_t dc_cfield_eval_bytes(const dc_cfield *f);

/* The field at a pose.
 * d       may be NULL, as all that follow; NULL costs nothing
 * grad    3: by theta, x, y
 * lever   1
 * hess    3x3, symmetric to the bit; smooth fields only, as
 * dlever  3: derivative of the lever
 * DC_E_ARG: a pose that is not finite, or beyond DC_LIMIT; a derivative the field does not have; NULL. DC_E_MEMORY.
 * Outputs are untouched. DC_E_DIVERGED: shapes that overlap, and the search for the disc reached its cap; outputs
 * hold the largest found. */
DC_DEF dc_status dc_cfield_eval(const dc_cfield *f, const dc_real q[3], dc_arena *mem, dc_real *d, dc_real *grad,
                                dc_real *lever, dc_real *hess, dc_real *dlever);

/* Outputs of many poses: arrays of rows, row r of pose i at [r*stride + i]; NULL: not computed. */
typedef struct {
    dc_real *d, *grad, *lever;      /* 1, 3, 1 rows */
    dc_real *hess, *dlever;         /* 6 rows: tt tx ty xx xy yy; 3 rows */
} dc_cfield_out;

/* dc_cfield_eval of `count` poses: rows theta, x, y, row r of pose i at q[r*stride + i], stride >= count >= 0. The
 * same bits as dc_cfield_eval without contraction. No output overlaps another or q. DC_E_ARG for any pose: outputs
 * untouched. */
DC_DEF dc_status dc_cfield_eval_batch(const dc_cfield *f, int count, const dc_real *q, size_t stride, dc_arena *mem,
                                      const dc_cfield_out *out);

/* ---- learned fields ------------------------------------------------------------------------------ */
/* A network of `layers` layers of `width` units answers d and lever together:
 *     a_0 = inputs,   a_l = u(W_l^T a_(l-1) + b_l),   (d/(unit DC_CFIELD_BAND), lever/unit) = W^T a_layers + b
 * Inputs are the harmonics of the polar angles in which a sees b and b sees a,
 *     (r - centre)/unit,  cos k alpha, sin k alpha, cos k beta, sin k beta,  k = 1..harmonics
 *     (x, y) = r (cos alpha, sin alpha),   beta = alpha + pi - theta
 * powers of two complex numbers; of a wall only beta, and r = y of a half-plane, whose beta = pi/2 - theta. With
 * `raw` they are those of [3], (theta in (-pi, pi], x/unit, y/unit): they cannot follow thin arms, and theta has a
 * seam.
 * u is max(0, z), or with `smooth` the same rounded between -1 and 1, with two continuous derivatives:
 *     u = 3/16 + z/2 + 3 z^2/8 - z^4/16,   u' = 1/2 + 3 z/4 - z^3/4,   u'' = 3 (1 - z^2)/4
 * Smooth fields (not `raw` ones) have two continuous derivatives also where r is cut off: far away they are drawn in as
 * baked fields are, and so are half-planes, discs and holes deep inside; where the centres of two shapes come together,
 * within 0.05 units, d goes over to -2 DC_CFIELD_BAND units, and the lever to 0. At the centre of a hole, or of a disc
 * larger than the grain, and in other fields, derivatives jump.
 * Weights are float, whatever dc_real is. Arithmetic is float in fields of max(0, z), so that they run twice as fast in
 * double builds, and in training; it is dc_real in smooth fields, so that their derivatives agree with differences.
 * Errors of # with itself (U with itself), 40 000 samples, 200 epochs, near the surface, over poses not trained on,
 * `make train`, shapes of radius 1: 3 x 32 units max(0, z) 0.0033 (0.0039) in d, wrong sign 1.2 % (1.6 %), median
 * angle of the gradient of shapes apart 4.2 (2.7) degrees, lever 0.056 (0.052), which jumps where the contact does;
 * smooth 0.0027 (0.0030), 1.2 % (1.1 %), 2.8 (1.9) degrees; 5 x 64 units 0.0022. Seconds on one Zen 4 core, gcc 12
 * -O3: 7 (5) to draw, 7 to train, 35 for 5 x 64. Time of d, gradient and lever, `make bench`, ns with gcc 12 -O3 (-O3
 * -march=native), least of 9: 3 x 32 units in a batch 520 (320), alone 640 (430); 5 x 64 2300 (1300), alone 2600
 * (1700); smooth 3 x 32 in a batch 1120 (610), with second derivatives 2700 (1600). An evaluation gives DC_E_RANGE,
 * and a batch loses its outputs, where finite weights give what does not fit. */

#define DC_CFIELD_BAND DC_R(0.1)    /* poses with |d| < this times unit are near the surface */

typedef struct {
    int raw;                /* inputs of [3] */
    int harmonics;          /* 1 to 32; 0: 12 */
    int layers, width;      /* 1 to 8; 8 to 128, a multiple of 8; 0: 3, 32 as in the smaller of [3], which also
                             * has 5, 64 */
    int smooth;             /* rounded units */
    int samples;            /* 1000 to 10^7; 0: 40 000. As many as a tenth of it are drawn besides, to judge by */
    int epochs;             /* to 10^6; 0: 200 */
    int batch;              /* to 4096, a multiple of 32, not above samples; 0: 256 */
    dc_real rate;           /* of the first step; it falls to 0 as a cosine; 0: 0.008 */
    dc_real enough;         /* stop when info.rmse <= this times unit; 0: never */
    unsigned seed;
} dc_cfield_train_options;

typedef struct {
    int samples, epochs;    /* done */
    int done;               /* 1: trained to the end, or enough */
    /* over the poses to judge by that are near the surface, after the last epoch: root mean square of the errors of d
     * and lever, lengths; part of the poses with d of the wrong sign */
    dc_real rmse, lever, wrong;
} dc_cfield_train_info;

/* Called once an epoch, and once in 1000 samples before the first; not 0: stop, to go on another time. */
typedef int (*dc_cfield_progress)(const dc_cfield_train_info *info, void *user);

/* Bytes of a training's state; 0: options out of range, or it does not fit. */
DC_DEF size_t dc_cfield_train_bytes(const dc_cfield_train_options *opt);

/* Starts the training of a field like `of`, which is exact or sampled.
 * opt     may be NULL
 * state   dc_cfield_train_bytes(opt) bytes, aligned as a double. Plain data: a copy goes on as the original would.
 * DC_E_ARG: options out of range, a NULL, a learned or a baked field. */
DC_DEF dc_status dc_cfield_train_start(const dc_cfield_train_options *opt, const dc_cfield *of, void *state);

/* Goes on until it is done or `progress` says so: draws poses, nine of ten near the surface, the others evenly where
 * the bounding circles meet, then minimises the mean square of the errors of d (CEM Eq. 4), cut off at +-2
 * DC_CFIELD_BAND, and of lever near the surface (CEM Eq. 5) by Adam. The same weights to the bit, however often it
 * was stopped.
 * of        the same as at the start, or the training is of both
 * mem       scratch: dc_cfield_eval_bytes(of)
 * progress, user, info   may be NULL
 * DC_E_ARG: a NULL, a state that is none. DC_E_MEMORY. DC_E_DIVERGED: the weights are no longer finite: take a smaller
 * rate; or no pose near the surface was found in thousands. */
DC_DEF dc_status dc_cfield_train(const dc_cfield *of, void *state, dc_arena *mem, dc_cfield_progress progress,
                                 void *user, dc_cfield_train_info *info);

/* Bytes of arena that a learned field of these options keeps; 0: options out of range. */
DC_DEF size_t dc_cfield_learned_bytes(const dc_cfield_train_options *opt);

/* The field of a training as it stands, done or not; it keeps nothing of the state. DC_E_ARG: a NULL, a state that is
 * none, or has not begun with epochs; DC_E_MEMORY; *f is untouched. */
DC_DEF dc_status dc_cfield_learned(const void *state, dc_arena *mem, dc_cfield *f);

/* Bytes that dc_cfield_save writes of a learned or a baked field; 0: another kind. 3 x 32 units and 12 harmonics:
 * 15 172. */
DC_DEF size_t dc_cfield_save_bytes(const dc_cfield *f);

/* A learned or a baked field as bytes that are the same on every machine: little-endian, with a version and a
 * checksum. DC_E_ARG: another kind, or size is not dc_cfield_save_bytes(f). */
DC_DEF dc_status dc_cfield_save(const dc_cfield *f, void *bytes, size_t size);

/* Bytes of arena that the field in these saved bytes keeps; 0: they are none. */
DC_DEF size_t dc_cfield_load_bytes(const void *bytes, size_t size);

/* The same field as was saved, to the bit; of one saved in double a float build has the radii rounded. DC_E_ARG:
 * anything else than dc_cfield_save wrote: another version, bytes missing or too many, a bit changed, numbers out of
 * range; DC_E_MEMORY. *f is untouched. */
DC_DEF dc_status dc_cfield_load(const void *bytes, size_t size, dc_arena *mem, dc_cfield *f);

/* ---- baked fields -------------------------------------------------------------------------------- */
/* A tricubic spline of d and lever over (theta, x, y), periodic in theta, with two continuous derivatives everywhere:
 * as smooth fields go by far the fastest. It interpolates another field, exact, sampled or learned, at its nodes.
 * Arithmetic is dc_real, cells are float or 16 bits. Of a half-plane d = y + s(theta), lever = s(theta)/2 is a spline
 * over theta alone. Beyond where circles about the shapes touch, r > r_a + r_b, the pose asked for is drawn in,
 *     d(theta, r e) = spline(theta, rho(r) e) + r - rho(r),     rho' = 1 - u^3 (10 - 15 u + 6 u^2),
 *     u = (r - r_a - r_b)/w,  w = 0.4 units, the smaller radius,
 * constant from u = 1 on: d grows with slope 1. 64 x 51 x 51 nodes are 1.3 MB, 16 x 51 x 51 at 16 bits with the
 * fourfold symmetry of # 166 KB. Time of d, gradient and lever, `make bench`, ns with gcc 12 -O3 (-O3 -march=native):
 * 68 (29) in a batch, in float (21), with second derivatives 107 (51). Shapes thinner than a spacing, 4.4/(side - 3) of
 * the radius, are beyond such a grid. */

typedef struct {
    int     angles, side;       /* nodes by theta, 4 to 4096, and along x and y, 8 to 512; 0: 64/fold and 51; of a
                                 * half-plane 2048/fold, without side */
    int     fold;               /* b comes onto itself when turned by 2 pi/fold: nodes are for one such turn; 1 to 64;
                                 * 0: that of the polygon of an exact or sampled field, else 1 */
    int     bits;               /* of a cell: 16 or 32; 0: 32 */
    dc_real error;              /* root mean square of the error of d near the surface against `of`, a length. > 0:
                                 * angles and side, 0, are chosen, the least of a ladder from 24/fold x 27 to 192/fold x
                                 * 147 that are good enough; 0: not asked for */
    dc_real radius;             /* shapes count as at least this large, so that fields of several shapes are over one
                                 * grid (dc_cfield_mix); 0: as large as they are */
} dc_cfield_bake_options;

typedef struct {
    int     angles, side, fold;
    size_t  bytes;              /* of arena, kept */
    /* against `of`, at 1000 random poses with |d| < DC_CFIELD_BAND units: root mean squares of d and lever, lengths;
     * part of the poses with d of the wrong sign */
    dc_real rmse, lever, wrong;
} dc_cfield_bake_info;

/* Bytes of arena that dc_cfield_bake takes, with the scratch of `of`, most of which are kept; with `error` those of the
 * largest size of the ladder. 0: options out of range, no field. */
DC_DEF size_t dc_cfield_bake_bytes(const dc_cfield_bake_options *opt, const dc_cfield *of);

/* Bakes a field of two polygons, or of a half-plane and a polygon. The new field keeps nothing of `of`.
 * opt     may be NULL; info, too, and without it and opt->error no error is measured
 * DC_E_ARG: options out of range, no field, a baked one, that of a disc or a hole. DC_E_MEMORY, DC_E_RANGE (what `of`
 * answers does not fit): *f and the arena are untouched. DC_E_DIVERGED: not even the largest size is as good as
 * `error`; *f is that one. */
DC_DEF dc_status dc_cfield_bake(const dc_cfield_bake_options *opt, const dc_cfield *of, dc_arena *mem, dc_cfield *f,
                                dc_cfield_bake_info *info);

/* Fields over a parameter of the shapes: baked ones of several values of it, over one grid, are interpolated cell by
 * cell. The same sum with derivatives of the weights is the derivative by the parameter at the same pose:
 *     sum over k of weight[k] of[k],   1 <= count <= 4096
 * with cells of 32 bits, in bytes that depend on the grid alone. Of weights whose sum is not 1 it is no distance, and
 * is not saved. DC_E_ARG: a NULL, a field that is not baked or over another grid (wall, counts, fold, radii), a weight
 * that is not finite or beyond DC_LIMIT; DC_E_RANGE: a cell does not fit; DC_E_MEMORY. *f and the arena are then
 * untouched. */
DC_DEF size_t dc_cfield_mix_bytes(const dc_cfield *of);
DC_DEF dc_status dc_cfield_mix(int count, const dc_cfield *const *of, const dc_real *weight, dc_arena *mem,
                               dc_cfield *f);

#endif /* DC_SDF_NO_PLANE */

#ifdef __cplusplus
}
#endif
#endif /* DC_SDF_H_INCLUDED */

/* ============================================================================================== */
#ifdef DC_SDF_IMPLEMENTATION
#ifndef DC_SDF_IMPLEMENTED
#define DC_SDF_IMPLEMENTED

#define DC_CONTACT_KERNELS
#include "dc_contact.h"

#ifndef DC_CONTACT_IMPLEMENTED
#error "dc_sdf.h: first define DC_CONTACT_ and DC_SDF_IMPLEMENTATION (DC_..._IMPLEMENTED: elsewhere)"
#endif

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if DCI_FUSES
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#if !defined(DC_SDF_NO_PLANE) && defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 1
#error "the networks of dc_sdf.h are in float, whatever dc_real is, and have to round: use -fexcess-precision=fast"
#endif

/* ============================================================================================== */
#ifndef DC_SDF_NO_SPACE

/* gcc vectorises floating-point selects only without trapping maths */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif

/* ---- [jets] a value with its gradient and Hessian ------------------------------------------- */
/* The functions of this chapter and the next four are for one lane: no branch that depends on a number. `level`, 0
 * value, 1 with gradient, 2 with Hessian, is a constant wherever they are called, so that what is not asked for costs
 * nothing. */

typedef struct {
    dc_real value;
    dc_real by_x, by_y, by_z;                               /* gradient */
    dc_real by_xx, by_xy, by_xz, by_yy, by_yz, by_zz;       /* Hessian */
} dci_jet;

DCI_LANE dci_jet dci_jet_zero(void)
{
    dci_jet j;
    j.value = j.by_x = j.by_y = j.by_z = j.by_xx = j.by_xy = j.by_xz = j.by_yy = j.by_yz = j.by_zz = 0;
    return j;
}

/* s j */
DCI_LANE dci_jet dci_jet_scale(dc_real s, dci_jet j)
{
    j.value *= s; j.by_x *= s; j.by_y *= s; j.by_z *= s;
    j.by_xx *= s; j.by_xy *= s; j.by_xz *= s; j.by_yy *= s; j.by_yz *= s; j.by_zz *= s;
    return j;
}

/* where `keep` is not 0, a; else b */
DCI_LANE dc_real dci_sdf_pick(int keep, dc_real a, dc_real b) { return keep ? a : b; }

/* Shorter forms of the elementary functions, for arguments whose range is known; errors below 2 ulp. */

#if DC_IS_FLOAT
#define DCI_SDF_EXP_LEAST DC_R(-87)
#else
#define DCI_SDF_EXP_LEAST DC_R(-708)
#endif

/* e^x, x <= 500 (float 80); smaller results than normal numbers as the smallest of them */
DCI_LANE dc_real dci_sdf_exp_short(dc_real x)
{
    dci_exp_parts p;

    x = x < DCI_SDF_EXP_LEAST ? DCI_SDF_EXP_LEAST : x;
    p = dci_exp_reduce(x, 0);
    return (1 + (p.r + p.q))*dci_exp2_bits(p.k);
}

/* n log 2 + log(1 + f), -0.3 <= f <= 0.42:  log(1 + f) = log((1 + s)/(1 - s)), s = f/(2 + f) */
DCI_LANE dc_real dci_sdf_log_atanh(dc_real n, dc_real f)
{
    dc_real s = f/(2 + f), z = s*s;
    return n*DC_R(0.6931471805599453) + (2*s + s*z*dci_poly_log(z));
}

/* log x of a normal number */
DCI_LANE dc_real dci_sdf_log_short(dc_real x)
{
    dc_real n, m = dci_log_reduce(x, &n);
    return dci_sdf_log_atanh(n, m - 1);
}

/* log(1 + E), 0 <= E <= 1 */
DCI_LANE dc_real dci_sdf_log1p_short(dc_real E)
{
    int half = E > DC_R(0.4142135623730951);
    return dci_sdf_log_atanh(half ? DC_R(1) : DC_R(0), half ? DC_R(0.5)*E - DC_R(0.5) : E);
}

/* e^x, -log 2 <= x <= 0 */
DCI_LANE dc_real dci_sdf_exp_half(dc_real x)
{
    int half = x < DC_R(-0.34657359027997264);
    dc_real r = half ? (x + DCI_LN2_HI) + DCI_LN2_LO : x;
    dc_real q = r*r*(DC_R(0.5) + r*dci_poly_exp(r));

    return (half ? DC_R(0.5) : DC_R(1))*(1 + (r + q));
}

/* ---- [superquadrics] gauge, radial form, Taubin's form -------------------------------------- */
/* stage                  | reads                     | writes                          | equation
 * dci_powers_of          | a point                   | q, p, C of both norms, |x|      |
 * dci_sdf_norm_of        | two numbers, their q, p, C| a norm, its two derivatives     | N below
 * dci_gauge_of           | both                      | the gauge F and its jet         | CONTAX Eq. 1, 2
 * dci_radial             | the gauge                 | the field                       | CONTAX Eq. 3, corrected
 * dci_gauge_along        | the gauge, a direction    | the gauge's third derivatives   |
 * dci_taubin             | both                      | the field                       | (F - 1)/|grad F| */

#define DCI_SDF_SMALLEST DC_R(0.02)                             /* exponents */
#define DCI_SDF_ASPECT DC_R(1e6)                                /* of the axes */
#define DCI_SDF_LEAST (DC_IS_FLOAT ? DC_R(1e-10) : DC_R(1e-40)) /* ratios are not smaller in a power */
#define DCI_SDF_CENTRE (DC_IS_FLOAT ? DC_R(1e-10) : DC_R(1e-60))/* gauge below which a point is the centre */
#define DCI_SDF_AXIS (DC_IS_FLOAT ? DC_R(1e-18) : DC_R(1e-60))  /* norms below: third derivatives hold still */

/* A norm of two numbers u, v >= 0 with exponent alpha = 2/eps, from the larger m, q = smaller/m in [0,1],
 * p = q^(alpha-2), E = q^alpha:
 *
 *     N     = (u^alpha + v^alpha)^(1/alpha) = m g,     g = (1 + E)^(eps/2)
 *     N_m   = C,   N_n = p q C,                        C = (1 + E)^(eps/2 - 1),  n the smaller
 *     m N'' = kappa [[q^2, -q], [-q, 1]] in (m, n),    kappa = (alpha - 1) p C/(1 + E)
 *
 * No power overflows, nothing is divided by a number that can be zero but m, for which 1 stands where both are 0 or
 * all but, as on an axis, whose third derivatives would overflow; and p carries the limits on n = 0: it is 1 there
 * for alpha = 2 and 0 above. Below alpha = 2 it is infinite; DCI_SDF_LEAST bounds it. */
typedef struct {
    dc_real value;                          /* N */
    dc_real u_larger;                       /* 1: m = u, n = v; 0: the other way round */
    dc_real larger;                         /* m, or 1 */
    dc_real ratio, power, ratio_alpha;      /* q, p, E */
    dc_real by_larger, over_larger;         /* C = N_m, g = N/m */
    dc_real by_u, by_v;
    dc_real kappa, bend_uu, bend_uv, bend_vv;   /* m N'' in (u, v) */
} dci_sdf_norm;

/* q, p, C: what of a norm takes an elementary function */
typedef struct { dc_real ratio, power, by_larger; } dci_sdf_powers;

/* q */
DCI_LANE dc_real dci_sdf_ratio(dc_real u, dc_real v)
{
    dc_real big = u >= v ? u : v, least = u >= v ? v : u;
    return least/(big > 0 ? big : DC_R(1));
}

/* log q, for a power of it */
DCI_LANE dc_real dci_sdf_ratio_log(dc_real q) { return dci_sdf_log_short(q > DCI_SDF_LEAST ? q : DCI_SDF_LEAST); }

/* N from the larger of u, v, and q, p, C */
DCI_LANE dc_real dci_sdf_norm_value(dc_real u, dc_real v, dc_real q, dc_real p, dc_real C)
{
    return (u >= v ? u : v)*(C*(1 + p*q*q));
}

DCI_LANE dci_sdf_norm dci_sdf_norm_of(dc_real u, dc_real v, dci_sdf_powers w, dc_real alpha)
{
    const int first = u >= v;
    const dc_real q = w.ratio, p = w.power, C = w.by_larger;
    dci_sdf_norm r;
    dc_real big = first ? u : v, by_smaller, kqq;

    /* the value */
    r.u_larger = first ? DC_R(1) : DC_R(0);
    r.larger = big > DCI_SDF_AXIS ? big : DC_R(1);
    r.ratio = q;
    r.power = p;
    r.by_larger = C;
    r.ratio_alpha = p*q*q;
    r.over_larger = C*(1 + r.ratio_alpha);
    r.value = big*r.over_larger;

    /* N_u, N_v from N_m, N_n */
    by_smaller = p*q*C;
    r.by_u = first ? C : by_smaller;
    r.by_v = first ? by_smaller : C;

    /* m N'' in (u, v) */
    r.kappa = (alpha - 1)*p*C/(1 + r.ratio_alpha);
    kqq = r.kappa*q*q;
    r.bend_uu = first ? kqq : r.kappa;
    r.bend_vv = first ? r.kappa : kqq;
    r.bend_uv = -(r.kappa*q);
    return r;
}

/* A superquadric in its own axes, lengths over the largest axis. */
typedef struct {
    dc_real inv_a, inv_b, inv_c;            /* 1/axes */
    dc_real least;                          /* the smallest axis */
    dc_real half1, half2, alpha1, alpha2;   /* eps/2, 2/eps of the outer and the inner norm */
} dci_quadric;

/* What of a superquadric takes an elementary function. The batch makes each of these for many points before the next,
 * so that their long chains of operations overlap. */
typedef struct {
    dci_sdf_powers inner, outer;
    dc_real radius;                         /* |x| */
} dci_powers;

/* q, p, C of a norm of u and v */
DCI_LANE dci_sdf_powers dci_sdf_powers_of(dc_real u, dc_real v, dc_real half_eps, dc_real alpha)
{
    dci_sdf_powers w;

    w.ratio = dci_sdf_ratio(u, v);
    w.power = dci_sdf_exp_short((alpha - 2)*dci_sdf_ratio_log(w.ratio));
    w.by_larger = dci_sdf_exp_half((half_eps - 1)*dci_sdf_log1p_short(w.power*w.ratio*w.ratio));
    return w;
}

DCI_LANE dci_powers dci_powers_of(const dci_quadric *s, dc_real x, dc_real y, dc_real z)
{
    dci_powers w;
    dc_real u = dci_fabs(x)*s->inv_a, v = dci_fabs(y)*s->inv_b, N;

    w.inner = dci_sdf_powers_of(u, v, s->half2, s->alpha2);
    N = dci_sdf_norm_value(u, v, w.inner.ratio, w.inner.power, w.inner.by_larger);
    w.outer = dci_sdf_powers_of(N, dci_fabs(z)*s->inv_c, s->half1, s->alpha1);
    w.radius = dci_sqrt_lane(x*x + y*y + z*z);
    return w;
}

/* The gauge F = N(N(|x|/a, |y|/b; eps2), |z|/c; eps1), f^(eps1/2) of CONTAX Eq. 2, and its derivatives by x, y, z.
 *
 *     F_aa = F_GG G_a^2 + F_G G_aa, ...
 *
 * where G_aa has a factor 1/m that F_G cancels when G is the smaller of its pair: G = m g, so
 *     F_G/m = C/m, or p (G/c)/m C = p g C/c.                          */
typedef struct {
    dci_jet jet;
    dci_sdf_norm inner, outer;
    dc_real chain;                          /* F_G/m of the inner norm's m */
} dci_gauge;

DCI_LANE dci_gauge dci_gauge_of(const dci_quadric *s, dci_powers w, dc_real x, dc_real y, dc_real z, int level)
{
    const dc_real sx = x < 0 ? -s->inv_a : s->inv_a, sy = y < 0 ? -s->inv_b : s->inv_b;
    const dc_real sz = z < 0 ? -s->inv_c : s->inv_c;
    dci_gauge F;
    const dci_sdf_norm *in = &F.inner, *out = &F.outer;
    dc_real im, first, second;

    /* the value */
    F.inner = dci_sdf_norm_of(sx*x, sy*y, w.inner, s->alpha2);
    F.outer = dci_sdf_norm_of(in->value, sz*z, w.outer, s->alpha1);
    F.jet = dci_jet_zero();
    F.jet.value = out->value;
    F.chain = 0;
    if (level < 1) return F;

    /* F_G G_a */
    F.jet.by_x = sx*(out->by_u*in->by_u);
    F.jet.by_y = sy*(out->by_u*in->by_v);
    F.jet.by_z = sz*out->by_v;
    if (level < 2) return F;

    /* F_G/m, from whichever of its two forms holds */
    im = 1/out->larger;
    first = out->by_larger/in->larger;
    second = out->power*in->over_larger*out->by_larger*im;
    F.chain = out->u_larger > 0 ? first : second;

    /* F_GG G_a G_b + F_G G_ab */
    F.jet.by_xx = sx*sx*(im*out->bend_uu*in->by_u*in->by_u + F.chain*in->bend_uu);
    F.jet.by_xy = sx*sy*(im*out->bend_uu*in->by_u*in->by_v + F.chain*in->bend_uv);
    F.jet.by_yy = sy*sy*(im*out->bend_uu*in->by_v*in->by_v + F.chain*in->bend_vv);
    F.jet.by_xz = sx*sz*(im*out->bend_uv*in->by_u);
    F.jet.by_yz = sy*sz*(im*out->bend_uv*in->by_v);
    F.jet.by_zz = sz*sz*(im*out->bend_vv);
    return F;
}

/* phi = r (1 - 1/F), r = |x| (CONTAX Eq. 3, corrected); with n = x/r and f = grad F/F:
 *     grad phi = (1 - 1/F) n + (r/F) f
 *     phi''    = (1 - 1/F)/r (1 - n n^T) + (n f^T + f n^T)/F + (r/F)(F''/F - 2 f f^T)      */
DCI_LANE dci_jet dci_radial(const dci_quadric *s, dci_powers w, dc_real x, dc_real y, dc_real z, int level)
{
    dci_gauge F = dci_gauge_of(s, w, x, y, z, level);
    dci_jet j = dci_jet_zero();
    int centre = !(F.jet.value > DCI_SDF_CENTRE);
    dc_real r = w.radius, gauge = F.jet.value > DCI_SDF_CENTRE ? F.jet.value : DC_R(1), iF = 1/gauge;
    dc_real rho = r*iF, k = 1 - iF, safe = r > 0 ? r : DC_R(1), ir, kr, nx, ny, nz, fx, fy, fz;

    /* at the centre, where nothing may be divided by F or r, the value is the least axis and the derivatives are 0 */
    j.value = dci_sdf_pick(centre, -s->least, r - rho);
    if (level < 1) return j;

    ir = 1/safe;
    nx = ir*x; ny = ir*y; nz = ir*z;
    fx = iF*F.jet.by_x; fy = iF*F.jet.by_y; fz = iF*F.jet.by_z;
    j.by_x = dci_sdf_pick(centre, 0, k*nx + rho*fx);
    j.by_y = dci_sdf_pick(centre, 0, k*ny + rho*fy);
    j.by_z = dci_sdf_pick(centre, 0, k*nz + rho*fz);
    if (level < 2) return j;

    kr = k*ir;
    j.by_xx = dci_sdf_pick(centre, 0, kr*(1 - nx*nx) + 2*iF*nx*fx + rho*(iF*F.jet.by_xx - 2*fx*fx));
    j.by_yy = dci_sdf_pick(centre, 0, kr*(1 - ny*ny) + 2*iF*ny*fy + rho*(iF*F.jet.by_yy - 2*fy*fy));
    j.by_zz = dci_sdf_pick(centre, 0, kr*(1 - nz*nz) + 2*iF*nz*fz + rho*(iF*F.jet.by_zz - 2*fz*fz));
    j.by_xy = dci_sdf_pick(centre, 0, -kr*nx*ny + iF*(nx*fy + ny*fx) + rho*(iF*F.jet.by_xy - 2*fx*fy));
    j.by_xz = dci_sdf_pick(centre, 0, -kr*nx*nz + iF*(nx*fz + nz*fx) + rho*(iF*F.jet.by_xz - 2*fx*fz));
    j.by_yz = dci_sdf_pick(centre, 0, -kr*ny*nz + iF*(ny*fz + nz*fy) + rho*(iF*F.jet.by_yz - 2*fy*fz));
    return j;
}

/* F - 1; the Hessian of a gauge is unbounded at the centre, where it is 0 here */
DCI_LANE dci_jet dci_gauge_jet(const dci_quadric *s, dci_powers w, dc_real x, dc_real y, dc_real z, int level)
{
    const dci_gauge F = dci_gauge_of(s, w, x, y, z, level);
    const int centre = !(F.jet.value > DCI_SDF_CENTRE);
    dci_jet j = F.jet;

    j.value -= 1;
    j.by_x = dci_sdf_pick(centre, 0, j.by_x);
    j.by_y = dci_sdf_pick(centre, 0, j.by_y);
    j.by_z = dci_sdf_pick(centre, 0, j.by_z);
    j.by_xx = dci_sdf_pick(centre, 0, j.by_xx);
    j.by_xy = dci_sdf_pick(centre, 0, j.by_xy);
    j.by_xz = dci_sdf_pick(centre, 0, j.by_xz);
    j.by_yy = dci_sdf_pick(centre, 0, j.by_yy);
    j.by_yz = dci_sdf_pick(centre, 0, j.by_yz);
    j.by_zz = dci_sdf_pick(centre, 0, j.by_zz);
    return j;
}

/* Derivative of the norm's derivatives along (du, dv): N_u, N_v by the Hessian, and of kappa by
 *     q' = (n' - q m')/m,   kappa'/kappa = (alpha - 2) q'/q + (eps/2 - 2) alpha p q q'/(1 + E)      */
typedef struct {
    dc_real value, by_u, by_v, inv_larger, bend_uu, bend_uv, bend_vv;
    dc_real log_power, log_over_larger, log_by_larger;      /* p'/p, g'/g, C'/C */
} dci_sdf_norm_dot;

DCI_LANE dci_sdf_norm_dot dci_sdf_norm_along(dci_sdf_norm r, dc_real half_eps, dc_real alpha, dc_real du, dc_real dv)
{
    const int first = r.u_larger > 0;
    const dc_real q = r.ratio, im = 1/r.larger, dm = first ? du : dv, dn = first ? dv : du;
    dci_sdf_norm_dot d;
    dc_real dq = (dn - q*dm)*im, safe = q > DCI_SDF_LEAST ? q : DCI_SDF_LEAST;
    dc_real log_E = alpha*r.power*q*dq/(1 + r.ratio_alpha), log_p = (alpha - 2)*dq/safe;
    dc_real dkappa = r.kappa*(log_p + (half_eps - 2)*log_E), dkqq = dkappa*q*q + 2*r.kappa*q*dq;

    d.log_power = log_p;
    d.log_over_larger = half_eps*log_E;
    d.log_by_larger = (half_eps - 1)*log_E;
    d.value = r.by_u*du + r.by_v*dv;
    d.by_u = im*(r.bend_uu*du + r.bend_uv*dv);
    d.by_v = im*(r.bend_uv*du + r.bend_vv*dv);
    d.inv_larger = -(dm*im*im);
    d.bend_uu = first ? dkqq : dkappa;
    d.bend_vv = first ? dkappa : dkqq;
    d.bend_uv = -(dkappa*q + r.kappa*dq);
    return d;
}

/* Derivative of the gauge's Hessian along a direction of x, y, z: only the second derivatives of the result are set. */
DCI_LANE dci_jet dci_gauge_along(const dci_quadric *s, const dci_gauge *F, dc_real x, dc_real y, dc_real z, dc_real dx,
                                 dc_real dy, dc_real dz)
{
    const dc_real sx = x < 0 ? -s->inv_a : s->inv_a, sy = y < 0 ? -s->inv_b : s->inv_b;
    const dc_real sz = z < 0 ? -s->inv_c : s->inv_c;
    const dci_sdf_norm *in = &F->inner, *out = &F->outer;
    const dci_sdf_norm_dot a = dci_sdf_norm_along(*in, s->half2, s->alpha2, sx*dx, sy*dy);
    const dci_sdf_norm_dot b = dci_sdf_norm_along(*out, s->half1, s->alpha1, a.value, sz*dz);
    const dc_real im = 1/out->larger, UU = im*out->bend_uu;
    dci_jet j = dci_jet_zero();
    dc_real dUU, dUV, dVV, first, second, dchain;

    /* second derivatives of the outer norm, m's division included */
    dUU = b.inv_larger*out->bend_uu + im*b.bend_uu;
    dUV = b.inv_larger*out->bend_uv + im*b.bend_uv;
    dVV = b.inv_larger*out->bend_vv + im*b.bend_vv;

    /* (F_G/m)', from whichever of its two forms holds */
    first = 1/in->larger*b.by_u + out->by_u*a.inv_larger;
    second = F->chain*(b.log_power + a.log_over_larger + b.log_by_larger + out->larger*b.inv_larger);
    dchain = out->u_larger > 0 ? first : second;

    j.by_xx = sx*sx*(dUU*in->by_u*in->by_u + 2*UU*in->by_u*a.by_u + dchain*in->bend_uu + F->chain*a.bend_uu);
    j.by_xy = sx*sy*(dUU*in->by_u*in->by_v + UU*(in->by_u*a.by_v + in->by_v*a.by_u) + dchain*in->bend_uv
                     + F->chain*a.bend_uv);
    j.by_yy = sy*sy*(dUU*in->by_v*in->by_v + 2*UU*in->by_v*a.by_v + dchain*in->bend_vv + F->chain*a.bend_vv);
    j.by_xz = sx*sz*(dUV*in->by_u + im*out->bend_uv*a.by_u);
    j.by_yz = sy*sz*(dUV*in->by_v + im*out->bend_uv*a.by_v);
    j.by_zz = sz*sz*dVV;
    return j;
}

/* phi = (F - 1)/g, g = |grad F| >= 1/(largest axis) away from the centre:
 *     phi_i  = F_i/g - (F - 1) g_i/g^2,                   g_i = F_ik F_k/g
 *     phi_ij = F_ij/g - (F_i g_j + g_i F_j)/g^2 - (F - 1)(g_ij/g^2 - 2 g_i g_j/g^3)
 *     g_ij   = (F_ik F_kj + F_ijk F_k - g_i g_j)/g                                          */
DCI_LANE dci_jet dci_taubin(const dci_quadric *s, dci_powers w, dc_real x, dc_real y, dc_real z, int level)
{
    const dci_gauge G = dci_gauge_of(s, w, x, y, z, level + 1);
    const dci_jet F = G.jet;
    const int centre = !(F.value > DCI_SDF_CENTRE);
    const dc_real g = dci_sqrt_lane(F.by_x*F.by_x + F.by_y*F.by_y + F.by_z*F.by_z);
    const dc_real i = 1/(g > 0 ? g : DC_R(1)), f = (F.value - 1)*i*i;
    dci_jet j = dci_jet_zero(), T;
    dc_real gx, gy, gz;

    j.value = dci_sdf_pick(centre, -s->least, (F.value - 1)*i);
    if (level < 1) return j;

    /* g_i */
    gx = (F.by_xx*F.by_x + F.by_xy*F.by_y + F.by_xz*F.by_z)*i;
    gy = (F.by_xy*F.by_x + F.by_yy*F.by_y + F.by_yz*F.by_z)*i;
    gz = (F.by_xz*F.by_x + F.by_yz*F.by_y + F.by_zz*F.by_z)*i;
    j.by_x = dci_sdf_pick(centre, 0, F.by_x*i - f*gx);
    j.by_y = dci_sdf_pick(centre, 0, F.by_y*i - f*gy);
    j.by_z = dci_sdf_pick(centre, 0, F.by_z*i - f*gz);
    if (level < 2) return j;

    /* g_ij, in T */
    T = dci_gauge_along(s, &G, x, y, z, F.by_x, F.by_y, F.by_z);
    T.by_xx = (F.by_xx*F.by_xx + F.by_xy*F.by_xy + F.by_xz*F.by_xz + T.by_xx - gx*gx)*i;
    T.by_yy = (F.by_xy*F.by_xy + F.by_yy*F.by_yy + F.by_yz*F.by_yz + T.by_yy - gy*gy)*i;
    T.by_zz = (F.by_xz*F.by_xz + F.by_yz*F.by_yz + F.by_zz*F.by_zz + T.by_zz - gz*gz)*i;
    T.by_xy = (F.by_xx*F.by_xy + F.by_xy*F.by_yy + F.by_xz*F.by_yz + T.by_xy - gx*gy)*i;
    T.by_xz = (F.by_xx*F.by_xz + F.by_xy*F.by_yz + F.by_xz*F.by_zz + T.by_xz - gx*gz)*i;
    T.by_yz = (F.by_xy*F.by_xz + F.by_yy*F.by_yz + F.by_yz*F.by_zz + T.by_yz - gy*gz)*i;

    /* phi_ij */
    j.by_xx = dci_sdf_pick(centre, 0, F.by_xx*i - 2*F.by_x*gx*i*i - f*(T.by_xx - 2*gx*gx*i));
    j.by_yy = dci_sdf_pick(centre, 0, F.by_yy*i - 2*F.by_y*gy*i*i - f*(T.by_yy - 2*gy*gy*i));
    j.by_zz = dci_sdf_pick(centre, 0, F.by_zz*i - 2*F.by_z*gz*i*i - f*(T.by_zz - 2*gz*gz*i));
    j.by_xy = dci_sdf_pick(centre, 0, F.by_xy*i - (F.by_x*gy + gx*F.by_y)*i*i - f*(T.by_xy - 2*gx*gy*i));
    j.by_xz = dci_sdf_pick(centre, 0, F.by_xz*i - (F.by_x*gz + gx*F.by_z)*i*i - f*(T.by_xz - 2*gx*gz*i));
    j.by_yz = dci_sdf_pick(centre, 0, F.by_yz*i - (F.by_y*gz + gy*F.by_z)*i*i - f*(T.by_yz - 2*gy*gz*i));
    return j;
}

/* ---- [boxes] sphere, box, capsule ----------------------------------------------------------- */

/* Distance to a box of half extents h (a point, a segment), less a radius R. With q = |x| - h and o = max(q, 0) with
 * the sign of x: outside d = |o|, n = o/d, d'' = (diag(q >= 0) - n n^T)/d; inside the largest q. */
typedef struct { dc_real half_x, half_y, half_z, radius; } dci_sdf_core;

DCI_LANE dci_jet dci_rounded(const dci_sdf_core *s, dc_real x, dc_real y, dc_real z, int level)
{
    dci_jet j = dci_jet_zero();
    dc_real sx = x < 0 ? DC_R(-1) : DC_R(1), sy = y < 0 ? DC_R(-1) : DC_R(1), sz = z < 0 ? DC_R(-1) : DC_R(1);
    dc_real qx = sx*x - s->half_x, qy = sy*y - s->half_y, qz = sz*z - s->half_z;
    dc_real ox = qx > 0 ? qx : DC_R(0), oy = qy > 0 ? qy : DC_R(0), oz = qz > 0 ? qz : DC_R(0);
    /* over the largest entry of o no square underflows where it matters */
    dc_real oxy = ox > oy ? ox : oy, big = oxy > oz ? oxy : oz, unit = big > 0 ? big : DC_R(1), iu = 1/unit;
    dc_real ux = ox*iu, uy = oy*iu, uz = oz*iu, len = dci_sqrt_lane(ux*ux + uy*uy + uz*uz), d = unit*len;
    dc_real qyz = qy > qz ? qy : qz, most = qx > qyz ? qx : qyz, inside = most < 0 ? most : DC_R(0);
    dc_real il, id, nx, ny, nz, ax, ay, az;
    int out = big > 0;

    j.value = (out ? d : inside) - s->radius;
    if (level < 1) return j;

    /* inside the axis of the largest q */
    il = 1/(out ? len : DC_R(1));
    ax = qx >= qyz ? DC_R(1) : DC_R(0);
    ay = qx < qyz && qy >= qz ? DC_R(1) : DC_R(0);
    az = qx < qyz && qy < qz ? DC_R(1) : DC_R(0);
    nx = sx*(out ? ux*il : ax);
    ny = sy*(out ? uy*il : ay);
    nz = sz*(out ? uz*il : az);
    j.by_x = nx; j.by_y = ny; j.by_z = nz;
    if (level < 2) return j;

    id = out ? 1/(unit*len) : DC_R(0);
    j.by_xx = id*((qx >= 0 ? DC_R(1) : DC_R(0)) - nx*nx);
    j.by_yy = id*((qy >= 0 ? DC_R(1) : DC_R(0)) - ny*ny);
    j.by_zz = id*((qz >= 0 ? DC_R(1) : DC_R(0)) - nz*nz);
    j.by_xy = -(id*nx*ny);
    j.by_xz = -(id*nx*nz);
    j.by_yz = -(id*ny*nz);
    return j;
}

/* ---- [folds] smooth union and subtraction --------------------------------------------------- */

/* The smooth minimum of jets that come one after the other (CONTAX section IV-B),
 *     phi = m - tau log S,  m the least value,  S = sum of e^((m - phi_i)/tau),
 * whose derivatives need no logarithm: with lambda the weight of the new jet among those so far,
 *     grad <- grad + lambda d,   d the difference of the gradients
 *     hess <- (1 - lambda) hess + lambda hess_i - lambda (1 - lambda)/tau d d^T.                     */
typedef struct {
    dci_jet jet;            /* its value is m */
    dc_real sum;            /* S */
} dci_sdf_fold;

/* e^(-|gap|/tau), gap the new value less m */
DCI_LANE dc_real dci_sdf_fold_weight(dc_real gap, dc_real inv_tau)
{
    return dci_sdf_exp_short(-(dci_fabs(gap)*inv_tau));
}

/* takes a jet in; e: its dci_sdf_fold_weight */
DCI_LANE dci_sdf_fold dci_sdf_fold_join(dci_sdf_fold f, dci_jet a, dc_real e, dc_real hess_tau, int level,
                                        dc_real *lambda)
{
    int less = a.value - f.jet.value < 0;
    dc_real was = less ? f.sum*e : f.sum, is = less ? DC_R(1) : e, sum = was + is, w = is/sum, c, x, y, z;

    /* the sum, over the weight of the least value; lambda, and 1 - lambda without the difference */
    was /= sum;
    f.sum = sum;
    f.jet.value = less ? a.value : f.jet.value;
    *lambda = w;
    if (level < 1) return f;

    /* either gradient may be huge, its weight tiny */
    x = a.by_x - f.jet.by_x; y = a.by_y - f.jet.by_y; z = a.by_z - f.jet.by_z;
    f.jet.by_x = was*f.jet.by_x + w*a.by_x;
    f.jet.by_y = was*f.jet.by_y + w*a.by_y;
    f.jet.by_z = was*f.jet.by_z + w*a.by_z;
    if (level < 2) return f;

    c = w*was*hess_tau;
    f.jet.by_xx = was*f.jet.by_xx + w*a.by_xx - c*x*x;
    f.jet.by_xy = was*f.jet.by_xy + w*a.by_xy - c*x*y;
    f.jet.by_xz = was*f.jet.by_xz + w*a.by_xz - c*x*z;
    f.jet.by_yy = was*f.jet.by_yy + w*a.by_yy - c*y*y;
    f.jet.by_yz = was*f.jet.by_yz + w*a.by_yz - c*y*z;
    f.jet.by_zz = was*f.jet.by_zz + w*a.by_zz - c*z*z;
    return f;
}

/* where `keep` is not 0, a; else b */
DCI_LANE dci_sdf_fold dci_sdf_fold_pick(int keep, dci_sdf_fold a, dci_sdf_fold b)
{
    b.sum = keep ? a.sum : b.sum;
    b.jet.value = keep ? a.jet.value : b.jet.value;
    b.jet.by_x = keep ? a.jet.by_x : b.jet.by_x;
    b.jet.by_y = keep ? a.jet.by_y : b.jet.by_y;
    b.jet.by_z = keep ? a.jet.by_z : b.jet.by_z;
    b.jet.by_xx = keep ? a.jet.by_xx : b.jet.by_xx;
    b.jet.by_xy = keep ? a.jet.by_xy : b.jet.by_xy;
    b.jet.by_xz = keep ? a.jet.by_xz : b.jet.by_xz;
    b.jet.by_yy = keep ? a.jet.by_yy : b.jet.by_yy;
    b.jet.by_yz = keep ? a.jet.by_yz : b.jet.by_yz;
    b.jet.by_zz = keep ? a.jet.by_zz : b.jet.by_zz;
    return b;
}

DCI_LANE dci_sdf_fold dci_sdf_fold_in(dci_sdf_fold f, dci_jet a, dc_real inv_tau, dc_real hess_tau, int level,
                                      dc_real *lambda)
{
    return dci_sdf_fold_join(f, a, dci_sdf_fold_weight(a.value - f.jet.value, inv_tau), hess_tau, level, lambda);
}

/* ends a run, and turns it round for what follows a change from union to subtraction or back */
DCI_LANE dci_sdf_fold dci_sdf_fold_close(dci_sdf_fold f, dc_real tau, dc_real sign)
{
    f.jet.value -= tau*dci_log_lane(f.sum);
    f.sum = 1;
    f.jet = dci_jet_scale(sign, f.jet);
    return f;
}

/* ---- [clouds] point clouds ------------------------------------------------------------------ */

/* CONTAX Eq. 6: a weighted mean of plane values phi_i with weights W_i = e^(a_i), a_i = -s_i |x - p_i|^2/2,
 * s = 1/sigma^2, taken in one after the other. With A = log(sum W), g = grad A, H = A'', and for the new point w its
 * weight among those so far, b = -s (x - p) - g, D = phi_i - phi, d the difference of the gradients:
 *     phi  <- phi + w D
 *     grad <- grad + w d + D dw,                                             dw  = w (1 - w) b
 *     hess <- (1 - w) hess + dw d^T + d dw^T + D d2w,                       d2w = w (1 - w) ((1 - 2w) b b^T - s 1 - H)
 *     g    <- g + w b,   H <- H + w (-s 1 - H) + w (1 - w) b b^T.
 * Exponents are differences to the heaviest point so far, formed so that they keep their digits far away:
 *     a_i - a_k = -s_i (p_k - p_i).(2x - p_i - p_k)/2 - (s_i - s_k) |x - p_k|^2/2.                  */
typedef struct {
    dci_jet jet;                            /* phi */
    dci_jet log_weight;                     /* A, without its value */
    dc_real sum;                            /* of the weights, over that of the heaviest */
    dc_real heavy_x, heavy_y, heavy_z;      /* the heaviest point, */
    dc_real sharpness;                      /* its s */
} dci_sdf_cloud;

DCI_LANE dci_sdf_cloud dci_sdf_cloud_in(dci_sdf_cloud c, dc_real x, dc_real y, dc_real z, const dc_v3 *p,
                                        const dc_v3 *n, dc_real s, int level)
{
    const dc_real rx = x - p->x, ry = y - p->y, rz = z - p->z;
    const dc_real kx = x - c.heavy_x, ky = y - c.heavy_y, kz = z - c.heavy_z;
    const dc_real D = rx*n->x + ry*n->y + rz*n->z - c.jet.value;
    dci_jet j = c.jet, A = c.log_weight;
    dc_real a, e, was, is, w, v, bx, by, bz, ux, uy, uz, dx, dy, dz, t, hd;
    int more;

    /* the exponent, over that of the heaviest; the new point's weight w, and 1 - w without the difference */
    a = DC_R(-0.5)*(s*((c.heavy_x - p->x)*(rx + kx) + (c.heavy_y - p->y)*(ry + ky) + (c.heavy_z - p->z)*(rz + kz))
                    + (s - c.sharpness)*(kx*kx + ky*ky + kz*kz));
    more = a > 0;
    e = dci_sdf_exp_short(-dci_fabs(a));
    was = more ? c.sum*e : c.sum;
    is = more ? DC_R(1) : e;
    c.sum = was + is;
    w = is/c.sum;
    was /= c.sum;
    c.heavy_x = more ? p->x : c.heavy_x;
    c.heavy_y = more ? p->y : c.heavy_y;
    c.heavy_z = more ? p->z : c.heavy_z;
    c.sharpness = more ? s : c.sharpness;
    c.jet.value = j.value + w*D;
    if (level < 1) return c;

    /* grad phi with u = dw, then g */
    v = w*was;
    bx = -s*rx - A.by_x; by = -s*ry - A.by_y; bz = -s*rz - A.by_z;
    ux = v*bx; uy = v*by; uz = v*bz;
    dx = n->x - j.by_x; dy = n->y - j.by_y; dz = n->z - j.by_z;
    c.jet.by_x = j.by_x + (w*dx + D*ux);
    c.jet.by_y = j.by_y + (w*dy + D*uy);
    c.jet.by_z = j.by_z + (w*dz + D*uz);
    c.log_weight.by_x = A.by_x + w*bx;
    c.log_weight.by_y = A.by_y + w*by;
    c.log_weight.by_z = A.by_z + w*bz;
    if (level < 2) return c;

    /* phi'' */
    t = was - w;
    hd = D*v;
    c.jet.by_xx = was*j.by_xx + 2*ux*dx + (D*t*ux*bx - hd*(s + A.by_xx));
    c.jet.by_yy = was*j.by_yy + 2*uy*dy + (D*t*uy*by - hd*(s + A.by_yy));
    c.jet.by_zz = was*j.by_zz + 2*uz*dz + (D*t*uz*bz - hd*(s + A.by_zz));
    c.jet.by_xy = was*j.by_xy + (ux*dy + uy*dx) + (D*t*ux*by - hd*A.by_xy);
    c.jet.by_xz = was*j.by_xz + (ux*dz + uz*dx) + (D*t*ux*bz - hd*A.by_xz);
    c.jet.by_yz = was*j.by_yz + (uy*dz + uz*dy) + (D*t*uy*bz - hd*A.by_yz);

    /* H */
    c.log_weight.by_xx = A.by_xx + (-w*(s + A.by_xx) + ux*bx);
    c.log_weight.by_yy = A.by_yy + (-w*(s + A.by_yy) + uy*by);
    c.log_weight.by_zz = A.by_zz + (-w*(s + A.by_zz) + uz*bz);
    c.log_weight.by_xy = A.by_xy + (-w*A.by_xy + ux*by);
    c.log_weight.by_xz = A.by_xz + (-w*A.by_xz + ux*bz);
    c.log_weight.by_yz = A.by_yz + (-w*A.by_yz + uy*bz);
    return c;
}

/* the state that holds the first point alone */
DCI_LANE dci_sdf_cloud dci_sdf_cloud_first(dc_real x, dc_real y, dc_real z, const dc_v3 *p, const dc_v3 *n, dc_real s)
{
    dci_sdf_cloud c;

    c.jet = c.log_weight = dci_jet_zero();
    c.jet.value = (x - p->x)*n->x + (y - p->y)*n->y + (z - p->z)*n->z;
    c.jet.by_x = n->x; c.jet.by_y = n->y; c.jet.by_z = n->z;
    c.log_weight.by_x = -s*(x - p->x); c.log_weight.by_y = -s*(y - p->y); c.log_weight.by_z = -s*(z - p->z);
    c.log_weight.by_xx = c.log_weight.by_yy = c.log_weight.by_zz = -s;
    c.sum = 1;
    c.heavy_x = p->x; c.heavy_y = p->y; c.heavy_z = p->z;
    c.sharpness = s;
    return c;
}

/* ---- [primitives] checks, and made ready ---------------------------------------------------- */
/* stage                       | reads               | writes
 * dci_sdf_ok                  | a field             | whether its numbers are in range
 * dci_sdf_ball_of             | a primitive         | radii of balls in it and about it
 * dci_sdf_part_of             | a primitive         | its frame, its kernel and what that reads
 * dci_sdf_to_local, _to_body  | a point; a jet      | the point in its axes; the jet in the body's */

typedef enum {
    DCI_SDF_RADIAL, DCI_SDF_TAUBIN, DCI_SDF_GAUGE, DCI_SDF_ROUNDED, DCI_SDF_PLANES, DCI_SDF_CLOUD
} dci_sdf_kernel;

/* Radii about the origin t of a primitive, in the body: d - outer <= phi <= d - inner, d = |x - t|; but where phi > 0
 * that of Taubin's form is only above (d - outer)/stretch. steep: how much more than a distance phi may change. */
typedef struct { dc_real inner, outer, stretch, steep; } dci_sdf_ball;

/* A primitive made ready: x_local = R^T (x - t)/unit. */
typedef struct {
    dci_sdf_kernel kernel;
    dc_m3 rotation;
    dc_v3 origin;
    dc_real unit, inv_unit;
    dci_quadric quadric;
    dci_sdf_core core;
    dci_sdf_ball ball;
    dc_real tau, inv_tau, hess_tau;     /* of the smooth maximum of planes */
    const dc_sdf_prim *prim;
} dci_sdf_part;

/* 1/tau as the folds want it: of a hard minimum a number that takes every gap but 0 to the end of the exponential,
 * and none in the Hessian */
static void dci_sdf_taus(dc_real tau, dc_real *inv_tau, dc_real *hess_tau)
{
    *inv_tau = tau > 0 ? 1/tau : DC_REAL_MAX;
    *hess_tau = tau > 0 ? 1/tau : 0;
}

static int dci_sdf_prim_ok(const dc_sdf_prim *p)
{
    const dc_real scale = p->scale == 0 ? 1 : p->scale, a = p->size.x, b = p->size.y, c = p->size.z;
    dc_real big, least;
    int k;

    if (!dc_pose_ok(&p->pose) || !dci_length_ok(scale)) return 0;
    switch (p->kind) {
    case DC_SDF_SUPERQUADRIC:
        big = dc_max(a, dc_max(b, c));
        least = dc_min(a, dc_min(b, c));
        return dc_in_range(p->size) && least > 0 && big <= DCI_SDF_ASPECT*least && dci_length_ok(big*scale)
            && p->eps1 >= DCI_SDF_SMALLEST && p->eps1 <= 2 && p->eps2 >= DCI_SDF_SMALLEST && p->eps2 <= 2;
    case DC_SDF_SPHERE: return dci_length_ok(a) && dci_length_ok(a*scale);
    case DC_SDF_BOX: return dci_length_ok(a) && dci_length_ok(b) && dci_length_ok(c);
    case DC_SDF_CAPSULE: return dci_length_ok(a) && c >= 0 && c <= DC_LIMIT;
    case DC_SDF_POLYHEDRON:
    case DC_SDF_CLOUD:
        if (p->count < 1 || !p->n || !p->p || (p->kind == DC_SDF_CLOUD && !p->sigma)) return 0;
        if (p->kind == DC_SDF_POLYHEDRON && p->smooth != 0 && !dci_length_ok(p->smooth)) return 0;
        for (k = 0; k < p->count; ++k) {
            if (!dc_in_range(p->p[k]) || !(dc_abs(dc_dot(p->n[k], p->n[k]) - 1) <= DC_R(1e-3))) return 0;
            if (p->kind == DC_SDF_CLOUD && !dci_length_ok(p->sigma[k])) return 0;
        }
        return 1;
    }
    return 0;
}

static int dci_sdf_ok(const dc_sdf *s)
{
    int i;
    if (!s || !s->prim || s->n < 1 || s->prim[0].subtract || (s->tau != 0 && !dci_length_ok(s->tau))) return 0;
    for (i = 0; i < s->n; ++i)
        if (!dci_sdf_prim_ok(&s->prim[i])) return 0;
    return 1;
}

/* over the largest axis, which is returned */
DCI_LANE dc_real dci_quadric_of(dc_v3 size, dc_real eps1, dc_real eps2, dci_quadric *s)
{
    const dc_real yz = size.y > size.z ? size.y : size.z, big = size.x > yz ? size.x : yz;
    const dc_real least = size.y < size.z ? size.y : size.z;

    s->inv_a = big/size.x;
    s->inv_b = big/size.y;
    s->inv_c = big/size.z;
    s->least = (size.x < least ? size.x : least)/big;
    s->half1 = DC_R(0.5)*eps1;
    s->half2 = DC_R(0.5)*eps2;
    s->alpha1 = 2/eps1;
    s->alpha2 = 2/eps2;
    return big;
}

/* With exponents up to 1 the ball in a superquadric has its least axis, above that of the octahedron of the axes,
 * (1/a^2 + 1/b^2 + 1/c^2)^(-1/2). The ball about it is that of the norm of power 2/eps, eps the least exponent, whose
 * farthest point is at (a^s + b^s + c^s)^(1/s), s = 2/(1 - eps)  (Hoelder; the largest axis from eps = 1 on), and over
 * the largest axis, as b^s <= b^2,
 *
 *     (1 + b^s + c^s)^(1/s) <= (1 + b^2 + c^2)^((1 - eps)/2) <= 1 + (1 - eps) ((1 + b^2 + c^2)^(1/2) - 1),
 *
 * the last since a power is convex in its exponent. */
DCI_LANE dci_sdf_ball dci_quadric_ball(const dc_sdf_prim *p)
{
    const dc_real a = p->size.x, b = p->size.y, c = p->size.z, eps = p->eps1 < p->eps2 ? p->eps1 : p->eps2;
    const dc_real ab = a > b ? a : b, big = ab > c ? ab : c, least = a < b ? a : b, unit = 1/big;
    const dc_real u = a*unit, v = b*unit, w = c*unit;           /* from 1/DCI_SDF_ASPECT to 1 */
    dci_sdf_ball r;

    r.outer = eps < 1 ? 1 + (1 - eps)*(dci_sqrt_lane(u*u + v*v + w*w) - 1) : DC_R(1);
    r.inner = (least < c ? least : c)*unit;
    if (p->eps1 > 1 || p->eps2 > 1) r.inner = 1/dci_sqrt_lane(1/(u*u) + 1/(v*v) + 1/(w*w));
    r.steep = r.outer/r.inner;
    r.stretch = p->taubin ? r.steep : DC_R(1);
    r.inner *= big;
    r.outer *= big;
    return r;
}

/* Planes have no ball about them, clouds not even one within. */
static dci_sdf_ball dci_sdf_ball_of(const dc_sdf_prim *p)
{
    const dc_real scale = p->scale == 0 ? DC_R(1) : p->scale, yz = p->size.y < p->size.z ? p->size.y : p->size.z;
    dci_sdf_ball r;

    if (p->kind == DC_SDF_SUPERQUADRIC) r = dci_quadric_ball(p);
    else {
        r.inner = r.outer = p->size.x;
        r.stretch = r.steep = 1;
        if (p->kind == DC_SDF_BOX) {
            r.inner = p->size.x < yz ? p->size.x : yz;
            r.outer = p->size.x + p->size.y + p->size.z;
        }
        if (p->kind == DC_SDF_CAPSULE) r.outer += p->size.z;
    }
    r.inner *= scale;
    r.outer *= scale;
    if (p->kind == DC_SDF_POLYHEDRON || p->kind == DC_SDF_CLOUD) {
        r.inner = -DC_REAL_MAX;
        r.outer = DC_REAL_MAX;
    }
    return r;
}

static void dci_sdf_part_of(const dc_sdf_prim *p, dci_sdf_part *a)
{
    dci_sdf_core *core = &a->core;
    dc_quat q = p->pose.q;

    /* frame */
    dc_quat_normalize(p->pose.q, &q);
    a->rotation = dc_rotation(q);
    a->origin = p->pose.t;
    a->prim = p;
    a->unit = p->scale == 0 ? 1 : p->scale;
    a->ball = dci_sdf_ball_of(p);

    /* shape */
    core->half_x = core->half_y = core->half_z = core->radius = 0;
    switch (p->kind) {
    case DC_SDF_SUPERQUADRIC:
        a->kernel = p->taubin ? DCI_SDF_TAUBIN : DCI_SDF_RADIAL;
        a->unit *= dci_quadric_of(p->size, p->eps1, p->eps2, &a->quadric);
        break;
    case DC_SDF_SPHERE:
        a->kernel = DCI_SDF_ROUNDED;
        core->radius = p->size.x;
        break;
    case DC_SDF_BOX:
        a->kernel = DCI_SDF_ROUNDED;
        core->half_x = p->size.x; core->half_y = p->size.y; core->half_z = p->size.z;
        break;
    case DC_SDF_CAPSULE:
        a->kernel = DCI_SDF_ROUNDED;
        core->half_z = p->size.z;
        core->radius = p->size.x;
        break;
    case DC_SDF_POLYHEDRON: a->kernel = DCI_SDF_PLANES; break;
    case DC_SDF_CLOUD: a->kernel = DCI_SDF_CLOUD; break;
    }

    a->tau = p->smooth;
    dci_sdf_taus(p->smooth, &a->inv_tau, &a->hess_tau);
    a->inv_unit = 1/a->unit;
}

DCI_LANE dc_v3 dci_sdf_to_local(const dci_sdf_part *a, dc_real x, dc_real y, dc_real z)
{
    const dc_real *R = a->rotation.m;
    dc_real dx = x - a->origin.x, dy = y - a->origin.y, dz = z - a->origin.z;
    dc_v3 local;

    local.x = (R[0]*dx + R[3]*dy + R[6]*dz)*a->inv_unit;
    local.y = (R[1]*dx + R[4]*dy + R[7]*dz)*a->inv_unit;
    local.z = (R[2]*dx + R[5]*dy + R[8]*dz)*a->inv_unit;
    return local;
}

/* The jet in body coordinates, its value times `value`: the unit for lengths, 1 for the gauge. g <- R g, h <- R h
 * R^T. */
DCI_LANE dci_jet dci_sdf_to_body(const dci_sdf_part *a, dci_jet j, dc_real value, int level)
{
    const dc_real *R = a->rotation.m, k = value*a->inv_unit, kk = k*a->inv_unit;
    dci_jet b = dci_jet_zero();
    dc_real m00, m01, m02, m10, m11, m12, m20, m21, m22;

    b.value = j.value*value;
    if (level < 1) return b;

    /* R g */
    b.by_x = k*(R[0]*j.by_x + R[1]*j.by_y + R[2]*j.by_z);
    b.by_y = k*(R[3]*j.by_x + R[4]*j.by_y + R[5]*j.by_z);
    b.by_z = k*(R[6]*j.by_x + R[7]*j.by_y + R[8]*j.by_z);
    if (level < 2) return b;

    /* m = R h, then m R^T */
    m00 = R[0]*j.by_xx + R[1]*j.by_xy + R[2]*j.by_xz;
    m01 = R[0]*j.by_xy + R[1]*j.by_yy + R[2]*j.by_yz;
    m02 = R[0]*j.by_xz + R[1]*j.by_yz + R[2]*j.by_zz;
    m10 = R[3]*j.by_xx + R[4]*j.by_xy + R[5]*j.by_xz;
    m11 = R[3]*j.by_xy + R[4]*j.by_yy + R[5]*j.by_yz;
    m12 = R[3]*j.by_xz + R[4]*j.by_yz + R[5]*j.by_zz;
    m20 = R[6]*j.by_xx + R[7]*j.by_xy + R[8]*j.by_xz;
    m21 = R[6]*j.by_xy + R[7]*j.by_yy + R[8]*j.by_yz;
    m22 = R[6]*j.by_xz + R[7]*j.by_yz + R[8]*j.by_zz;
    b.by_xx = kk*(m00*R[0] + m01*R[1] + m02*R[2]);
    b.by_xy = kk*(m00*R[3] + m01*R[4] + m02*R[5]);
    b.by_xz = kk*(m00*R[6] + m01*R[7] + m02*R[8]);
    b.by_yy = kk*(m10*R[3] + m11*R[4] + m12*R[5]);
    b.by_yz = kk*(m10*R[6] + m11*R[7] + m12*R[8]);
    b.by_zz = kk*(m20*R[6] + m21*R[7] + m22*R[8]);
    return b;
}

/* a plane of a polyhedron, turned round for a maximum (CONTAX Eq. 4, 5) */
DCI_LANE dci_jet dci_sdf_plane_jet(dc_v3 n, dc_v3 p, dc_real x, dc_real y, dc_real z)
{
    dci_jet j = dci_jet_zero();
    j.by_x = -n.x; j.by_y = -n.y; j.by_z = -n.z;
    j.value = j.by_x*(x - p.x) + j.by_y*(y - p.y) + j.by_z*(z - p.z);
    return j;
}

/* ---- [reach] primitives that cannot matter at a point --------------------------------------- */
/* stage            | reads                        | writes                                   | equation
 * dci_sdf_run_end  | primitives                   | those that join alike                    |
 * dci_sdf_nearer   | a ball, the nearest so far   | the nearest                              | below
 * dci_sdf_most     | the nearest                  | U                                        | below
 * dci_sdf_matters  | a ball, U                    | whether its primitive is evaluated       | below */

/* A union far from a point is the few nearest. With U the least of d - inner over a run of unions or subtractions and
 * of the fold at its start, a primitive of the run weighs at most e^(-(phi_i - U)/tau), and is left out where
 *
 *     phi_i >= d - outer > U + tau (DCI_SDF_BEYOND + steep):
 *
 * it weighs less than DC_EPS/2/steep^e, and with derivatives of steep and steep^2/tau times those of the others it
 * changes nothing but rounding: the value by tau n DC_EPS/2 at most. By point, not by block, so that a point has the
 * same bits wherever it stands. */
#define DCI_SDF_BEYOND (DC_IS_FLOAT ? DC_R(17) : DC_R(37))
#define DCI_SDF_FEW 4                       /* primitives of a run, from which on this pays */
#define DCI_SDF_RUN 32                      /* primitives of a run at most */
#define DCI_SDF_SLACK (64*DC_EPS)           /* of distances and radii, more than their rounding */

/* The end of the run that begins at i: primitives that join alike */
static int dci_sdf_run_end(const dc_sdf *s, int i)
{
    const int join = !s->prim[i].subtract, end = s->n - i < DCI_SDF_RUN ? s->n : i + DCI_SDF_RUN;
    while (i < end && (!s->prim[i].subtract) == join) ++i;
    return i;
}

/* the ball of the least d^2 - inner^2, which is found without roots, and d^2 */
typedef struct { dc_real power, inner, d2; } dci_sdf_nearest;

DCI_LANE dci_sdf_nearest dci_sdf_nearer(dci_sdf_nearest n, dc_real inner, dc_real d2)
{
    const dc_real power = d2 - inner*inner;
    const int less = power < n.power;

    n.power = less ? power : n.power;
    n.inner = less ? inner : n.inner;
    n.d2 = less ? d2 : n.d2;
    return n;
}

/* none, without a bound */
DCI_LANE dci_sdf_nearest dci_sdf_nearest_none(void)
{
    dci_sdf_nearest n;
    n.power = DC_REAL_MAX;
    n.inner = -DC_REAL_MAX;
    n.d2 = 0;
    return n;
}

/* U; m: the fold at the start of the run */
DCI_LANE dc_real dci_sdf_most(dci_sdf_nearest n, dc_real m)
{
    const dc_real U = (1 + DCI_SDF_SLACK)*dci_sqrt_lane(n.d2) - (1 - DCI_SDF_SLACK)*n.inner;
    return U < m ? U : m;
}

DCI_LANE int dci_sdf_matters(dci_sdf_ball ball, dc_real d2, dc_real most, dc_real tau)
{
    const dc_real phi = most + tau*(DCI_SDF_BEYOND + ball.steep);
    const dc_real d = (1 + DCI_SDF_SLACK)*ball.outer + (phi > 0 ? phi*ball.stretch : phi);
    return (d >= 0) & (d2*(1 - DCI_SDF_SLACK) <= d*d);
}

/* may it be left out? Not what has no ball about it, nor where second derivatives are infinite */
DCI_LANE int dci_sdf_leaves(const dc_sdf_prim *p)
{
    return p->kind != DC_SDF_POLYHEDRON && p->kind != DC_SDF_CLOUD
        && !(p->kind == DC_SDF_SUPERQUADRIC && (p->eps1 > 1 || p->eps2 > 1));
}

/* |x - t|^2 */
DCI_LANE dc_real dci_sdf_d2(dc_v3 t, dc_real x, dc_real y, dc_real z)
{
    const dc_real dx = x - t.x, dy = y - t.y, dz = z - t.z;
    return dx*dx + dy*dy + dz*dz;
}

/* a fold that the first jet replaces */
DCI_LANE dci_sdf_fold dci_sdf_fold_empty(void)
{
    dci_sdf_fold f;
    f.jet = dci_jet_zero();
    f.jet.value = DC_REAL_MAX;
    f.sum = 0;
    return f;
}

/* ---- [lobes] superquadrics at one point ----------------------------------------------------- */
/* stage                    | reads              | writes                      | as for one primitive
 * dci_sdf_lobes_gather     | primitives         | their numbers in lanes      |
 * dci_sdf_lobes_ready      | these              | the quadrics                | dci_sdf_part_of
 * dci_sdf_lobes_turn       | these              | the rotations               | dci_sdf_part_of
 * dci_sdf_lobes_values, .. | these, a point     | jet                         | dci_sdf_part_at
 * dci_sdf_jets_weights     | jet                | weight                      | dci_sdf_fold_weight */

/* A point alone has one lane for each primitive: radial superquadrics that follow one another are made ready and
 * evaluated side by side, and folded in their order. */
#if defined(__OPTIMIZE_SIZE__)
#define DCI_SDF_LOBES 1                     /* gcc makes no vectors there: lanes would only take stack */
#else
#define DCI_SDF_LOBES DC_LANES
#endif

typedef dc_real dci_sdf_row[DCI_SDF_LOBES];

/* primitives made ready: dci_sdf_part and its dci_quadric */
typedef struct {
    dci_sdf_row rotation[9], origin[3], unit, inv_unit;
    dci_sdf_row inv_axis[3], least, half1, half2, alpha1, alpha2;
    dci_sdf_row length;                     /* of the quaternion; its square before */
} dci_sdf_lobes;

typedef struct {
    dci_sdf_row jet[10];
    dci_sdf_row weight;                     /* in the fold */
} dci_sdf_jets;

static int dci_sdf_is_lobe(const dc_sdf_prim *p) { return p->kind == DC_SDF_SUPERQUADRIC && !p->taubin; }

/* The numbers of n primitives, to lanes 0 to w - 1: quaternions to rotation[0] to [3], sizes to inv_axis, scales to
 * unit, exponents to half1, half2. Lanes without a primitive repeat the last. */
static void dci_sdf_lobes_gather(dci_sdf_lobes *b, const dc_sdf_prim *prim, const int *which, int n, int w)
{
    int l;

    for (l = 0; l < w; ++l) {
        const dc_sdf_prim *p = &prim[which[l < n ? l : n - 1]];
        b->rotation[0][l] = p->pose.q.w; b->rotation[1][l] = p->pose.q.x;
        b->rotation[2][l] = p->pose.q.y; b->rotation[3][l] = p->pose.q.z;
        b->origin[0][l] = p->pose.t.x; b->origin[1][l] = p->pose.t.y; b->origin[2][l] = p->pose.t.z;
        b->inv_axis[0][l] = p->size.x; b->inv_axis[1][l] = p->size.y; b->inv_axis[2][l] = p->size.z;
        b->half1[l] = p->eps1;
        b->half2[l] = p->eps2;
        b->unit[l] = p->scale;
    }
}

/* dci_sdf_part_of in lanes, but for the rotation: its quaternion stays, over its largest entry */
static DCI_NOINLINE void dci_sdf_lobes_ready(dci_sdf_lobes *b, int w)
{
    dci_sdf_row *R = b->rotation;
    int l;

    for (l = 0; l < w; ++l) {
        dc_quat q;
        q.w = R[0][l]; q.x = R[1][l]; q.y = R[2][l]; q.z = R[3][l];
        q = dci_quat_shrunk(q, &b->length[l]);
        R[0][l] = q.w; R[1][l] = q.x; R[2][l] = q.y; R[3][l] = q.z;
    }
    for (l = 0; l < w; ++l) {
        const dc_real scale = b->unit[l] == 0 ? DC_R(1) : b->unit[l];
        dc_v3 size;
        dci_quadric s;
        dc_real unit;
        size.x = b->inv_axis[0][l]; size.y = b->inv_axis[1][l]; size.z = b->inv_axis[2][l];
        unit = scale*dci_quadric_of(size, b->half1[l], b->half2[l], &s);
        b->unit[l] = unit;
        b->inv_unit[l] = 1/unit;
        b->inv_axis[0][l] = s.inv_a; b->inv_axis[1][l] = s.inv_b; b->inv_axis[2][l] = s.inv_c;
        b->least[l] = s.least;
        b->half1[l] = s.half1; b->half2[l] = s.half2;
        b->alpha1[l] = s.alpha1; b->alpha2[l] = s.alpha2;
    }
}

DCI_LANE dci_jet dci_sdf_lobe_jet(const dci_sdf_lobes *b, int l, dc_v3 x, int level)
{
    dci_sdf_part a = DC_ZERO;
    dci_quadric *s = &a.quadric;
    int k;

    for (k = 0; k < 9; ++k) a.rotation.m[k] = b->rotation[k][l];
    a.origin.x = b->origin[0][l]; a.origin.y = b->origin[1][l]; a.origin.z = b->origin[2][l];
    a.unit = b->unit[l]; a.inv_unit = b->inv_unit[l];
    s->inv_a = b->inv_axis[0][l]; s->inv_b = b->inv_axis[1][l]; s->inv_c = b->inv_axis[2][l];
    s->least = b->least[l];
    s->half1 = b->half1[l]; s->half2 = b->half2[l];
    s->alpha1 = b->alpha1[l]; s->alpha2 = b->alpha2[l];

    x = dci_sdf_to_local(&a, x.x, x.y, x.z);
    return dci_sdf_to_body(&a, dci_radial(s, dci_powers_of(s, x.x, x.y, x.z), x.x, x.y, x.z, level), a.unit, level);
}

DCI_LANE void dci_sdf_jets_put(dci_sdf_jets *b, int l, dci_jet j, int level)
{
    b->jet[0][l] = j.value;
    if (level < 1) return;
    b->jet[1][l] = j.by_x; b->jet[2][l] = j.by_y; b->jet[3][l] = j.by_z;
    if (level < 2) return;
    b->jet[4][l] = j.by_xx; b->jet[5][l] = j.by_xy; b->jet[6][l] = j.by_xz;
    b->jet[7][l] = j.by_yy; b->jet[8][l] = j.by_yz; b->jet[9][l] = j.by_zz;
}

DCI_LANE dci_jet dci_sdf_jets_get(const dci_sdf_jets *b, int l, int level)
{
    dci_jet j = dci_jet_zero();

    j.value = b->jet[0][l];
    if (level < 1) return j;
    j.by_x = b->jet[1][l]; j.by_y = b->jet[2][l]; j.by_z = b->jet[3][l];
    if (level < 2) return j;
    j.by_xx = b->jet[4][l]; j.by_xy = b->jet[5][l]; j.by_xz = b->jet[6][l];
    j.by_yy = b->jet[7][l]; j.by_yz = b->jet[8][l]; j.by_zz = b->jet[9][l];
    return j;
}

static DCI_NOINLINE void dci_sdf_lobes_values(const dci_sdf_lobes *b, int w, dc_v3 x, dci_sdf_jets *DCI_RESTRICT j)
{
    int l;
    for (l = 0; l < w; ++l) dci_sdf_jets_put(j, l, dci_sdf_lobe_jet(b, l, x, 0), 0);
}

static DCI_NOINLINE void dci_sdf_lobes_grads(const dci_sdf_lobes *b, int w, dc_v3 x, dci_sdf_jets *DCI_RESTRICT j)
{
    int l;
    for (l = 0; l < w; ++l) dci_sdf_jets_put(j, l, dci_sdf_lobe_jet(b, l, x, 1), 1);
}

static DCI_NOINLINE void dci_sdf_lobes_hessians(const dci_sdf_lobes *b, int w, dc_v3 x, dci_sdf_jets *DCI_RESTRICT j)
{
    int l;
    for (l = 0; l < w; ++l) dci_sdf_jets_put(j, l, dci_sdf_lobe_jet(b, l, x, 2), 2);
}

/* weights of the jets of n lanes in a fold whose least value is m so far */
static DCI_NOINLINE void dci_sdf_jets_weights(dci_sdf_jets *b, int n, dc_real m, dc_real inv_tau)
{
    int l;

    for (l = 0; l < n; ++l) {
        const dc_real value = b->jet[0][l], gap = value - m;
        b->weight[l] = gap;
        m = gap < 0 ? value : m;
    }
    for (; l < DCI_SDF_LOBES; ++l) b->weight[l] = 0;
    for (l = 0; l < DCI_SDF_LOBES; ++l) b->weight[l] = dci_sdf_fold_weight(b->weight[l], inv_tau);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- [point] the field at a point ----------------------------------------------------------- */
/* stage              | reads                   | writes                        | equation
 * dci_sdf_part_jet   | a primitive, a point    | its jet in its axes           | CONTAX Eq. 3-6
 * dci_sdf_jets_at    | primitives, a point     | their jets in the body's      |
 * dci_sdf_at         | the field, a point      | the fold of all; weights      | CONTAX section IV-B */

/* the jet of a primitive in its own axes, lengths over its unit */
static DCI_NOINLINE dci_jet dci_sdf_planes_jet(const dci_sdf_part *a, dc_real x, dc_real y, dc_real z, int level)
{
    const dc_sdf_prim *p = a->prim;
    dci_sdf_fold f;
    dc_real w;
    int k;

    f.jet = dci_sdf_plane_jet(p->n[0], p->p[0], x, y, z);
    f.sum = 1;
    for (k = 1; k < p->count; ++k)
        f = dci_sdf_fold_in(f, dci_sdf_plane_jet(p->n[k], p->p[k], x, y, z), a->inv_tau, a->hess_tau, level, &w);
    return dci_sdf_fold_close(f, a->tau, -1).jet;
}

static DCI_NOINLINE dci_jet dci_sdf_cloud_jet(const dci_sdf_part *a, dc_real x, dc_real y, dc_real z, int level)
{
    const dc_sdf_prim *p = a->prim;
    dc_real w = 1/p->sigma[0];
    dci_sdf_cloud c = dci_sdf_cloud_first(x, y, z, &p->p[0], &p->n[0], w*w);
    int k;

    for (k = 1; k < p->count; ++k) {
        w = 1/p->sigma[k];
        c = dci_sdf_cloud_in(c, x, y, z, &p->p[k], &p->n[k], w*w, level);
    }
    return c.jet;
}

static dci_jet dci_sdf_part_jet(const dci_sdf_part *a, dc_real x, dc_real y, dc_real z, int level)
{
    const dci_quadric *s = &a->quadric;

    switch (a->kernel) {
    case DCI_SDF_RADIAL: return dci_radial(s, dci_powers_of(s, x, y, z), x, y, z, level);
    case DCI_SDF_TAUBIN: return dci_taubin(s, dci_powers_of(s, x, y, z), x, y, z, level);
    case DCI_SDF_GAUGE: return dci_gauge_jet(s, dci_powers_of(s, x, y, z), x, y, z, level);
    case DCI_SDF_ROUNDED: return dci_rounded(&a->core, x, y, z, level);
    case DCI_SDF_PLANES: return dci_sdf_planes_jet(a, x, y, z, level);
    case DCI_SDF_CLOUD: break;
    }
    return dci_sdf_cloud_jet(a, x, y, z, level);
}

static DCI_NOINLINE dci_jet dci_sdf_part_at(const dci_sdf_part *a, dc_v3 x, int level)
{
    dc_v3 y = dci_sdf_to_local(a, x.x, x.y, x.z);
    return dci_sdf_to_body(a, dci_sdf_part_jet(a, y.x, y.y, y.z, level), a->unit, level);
}

/* the rotations of w lanes; outside the options above, under which gcc does not inline dc_rotation */
static DCI_NOINLINE void dci_sdf_lobes_turn(dci_sdf_lobes *b, int w)
{
    dci_sdf_row *R = b->rotation;
    int l, k;

    for (l = 0; l < w; ++l) b->length[l] = dc_sqrt(b->length[l]);      /* a loop of its own, since it may set errno */
    for (l = 0; l < w; ++l) {
        const dc_real i = 1/b->length[l];
        dc_quat q;
        dc_m3 M;
        q.w = R[0][l]*i; q.x = R[1][l]*i; q.y = R[2][l]*i; q.z = R[3][l]*i;
        M = dc_rotation(q);
        for (k = 0; k < 9; ++k) R[k][l] = M.m[k];
    }
}

/* the jets of n lobes, 1 to DCI_SDF_LOBES, at a point */
static DCI_NOINLINE void dci_sdf_lobes_at(const dc_sdf_prim *p, const int *which, int n, dc_v3 x, int level,
                                          dci_sdf_jets *j)
{
    const int half = (DCI_SDF_LOBES + 1)/2, w = (n + half - 1)/half*half;
    dci_sdf_lobes b;

    dci_sdf_lobes_gather(&b, p, which, n, w);
    dci_sdf_lobes_ready(&b, w);
    dci_sdf_lobes_turn(&b, w);
    if (level == 0) dci_sdf_lobes_values(&b, w, x, j);
    else if (level == 1) dci_sdf_lobes_grads(&b, w, x, j);
    else dci_sdf_lobes_hessians(&b, w, x, j);
}

/* the jet of a primitive at a point */
static DCI_NOINLINE void dci_sdf_other_at(const dc_sdf_prim *p, dc_v3 x, int level, dci_sdf_jets *j)
{
    dci_sdf_part a;

    dci_sdf_part_of(p, &a);
    dci_sdf_jets_put(j, 0, dci_sdf_part_at(&a, x, level), level);
}

/* The jets at a point of the first of the n primitives that are listed and, if it is a lobe, of the lobes that follow;
 * their number. */
static DCI_NOINLINE int dci_sdf_jets_at(const dc_sdf_prim *p, const int *which, int n, dc_v3 x, int level,
                                        dci_sdf_jets *j)
{
    int k = 1;

    if (!dci_sdf_is_lobe(&p[which[0]])) {
        dci_sdf_other_at(&p[which[0]], x, level, j);
        return 1;
    }
    while (k < n && k < DCI_SDF_LOBES && dci_sdf_is_lobe(&p[which[k]])) ++k;
    dci_sdf_lobes_at(p, which, k, x, level, j);
    return k;
}

/* Of the primitives of a run, from i to end - 1, those that matter at a point, in their order; m: the fold so far.
 * Their number. */
static DCI_NOINLINE int dci_sdf_run_at(const dc_sdf *s, int i, int end, dc_v3 x, dc_real m, int which[DCI_SDF_RUN])
{
    dci_sdf_ball ball[DCI_SDF_RUN];
    dc_real d2[DCI_SDF_RUN], most;
    dci_sdf_nearest n = dci_sdf_nearest_none();
    int k, kept = 0;

    for (k = 0; i + k < end; ++k) {
        const dc_sdf_prim *p = &s->prim[i + k];
        ball[k] = dci_sdf_ball_of(p);
        d2[k] = dci_sdf_d2(p->pose.t, x.x, x.y, x.z);
        if (ball[k].inner >= 0) n = dci_sdf_nearer(n, ball[k].inner, d2[k]);
    }
    most = dci_sdf_most(n, m);
    for (k = 0; i + k < end; ++k)
        if (!dci_sdf_leaves(&s->prim[i + k]) || dci_sdf_matters(ball[k], d2[k], most, s->tau)) which[kept++] = i + k;
    return kept;
}

/* takes the jets of the n primitives that are listed, but for the first ones, into the fold; weight as below */
static DCI_NOINLINE void dci_sdf_jets_fold(const dci_sdf_jets *b, const int *which, int first, int n, dc_real hess_tau,
                                           int level, dci_sdf_fold *f, dc_real *weight, int stride)
{
    dc_real w;
    int l;

    for (l = first; l < n; ++l) {
        *f = dci_sdf_fold_join(*f, dci_sdf_jets_get(b, l, level), b->weight[l], hess_tau, level, &w);
        if (weight) weight[which[l]*stride] = w;
    }
}

/* The fold of all primitives at a point. weight, may be NULL: n entries with a given stride receive what each primitive
 * weighed among those up to it, 0 where it was left out. */
static dci_jet dci_sdf_at(const dc_sdf *s, dc_v3 x, int level, dc_real *weight, int stride)
{
    dci_sdf_jets b;
    dci_sdf_fold f = dci_sdf_fold_empty();
    dc_real inv_tau, hess_tau;
    int which[DCI_SDF_RUN], i, end, k, n, kept, subtract = 0;

    dci_sdf_taus(s->tau, &inv_tau, &hess_tau);
    for (i = 0; weight && i < s->n; ++i) weight[i*stride] = 0;
    for (i = 0; i < s->n; i = end) {
        /* a change from union to subtraction or back */
        if (!s->prim[i].subtract != !subtract) {
            f = dci_sdf_fold_close(f, s->tau, -1);
            subtract = !subtract;
        }

        /* those that matter */
        end = dci_sdf_run_end(s, i);
        if (end - i >= DCI_SDF_FEW) kept = dci_sdf_run_at(s, i, end, x, f.jet.value, which);
        else for (kept = 0; kept < end - i; ++kept) which[kept] = i + kept;

        for (k = 0; k < kept; k += n) {
            const int first = i + k == 0 && end < DCI_SDF_FEW;
            n = dci_sdf_jets_at(s->prim, which + k, kept - k, x, level, &b);

            /* the fold of a few begins with the first */
            if (first) {
                f.jet = dci_sdf_jets_get(&b, 0, level);
                f.sum = 1;
                if (weight) weight[0] = 1;
            }
            dci_sdf_jets_weights(&b, n, f.jet.value, inv_tau);
            dci_sdf_jets_fold(&b, which + k, first, n, hess_tau, level, &f, weight, stride);
        }
    }
    return dci_sdf_fold_close(f, s->tau, subtract ? DC_R(-1) : DC_R(1)).jet;
}

static int dci_jet_finite(dci_jet j, int level)
{
    return dc_finite(j.value) && (level < 1 || (dc_finite(j.by_x) && dc_finite(j.by_y) && dc_finite(j.by_z)))
        && (level < 2 || (dc_finite(j.by_xx) && dc_finite(j.by_xy) && dc_finite(j.by_xz) && dc_finite(j.by_yy)
                          && dc_finite(j.by_yz) && dc_finite(j.by_zz)));
}

DC_DEF dc_status dc_sdf_eval(const dc_sdf *s, dc_v3 x, dc_real *value, dc_real *grad, dc_real *hess)
{
    const int level = hess ? 2 : grad ? 1 : 0;
    dci_jet j;

    if (!dci_sdf_ok(s) || !dc_in_range(x)) return DC_E_ARG;
    j = dci_sdf_at(s, x, level, NULL, 0);
    if (!dci_jet_finite(j, level)) return DC_E_RANGE;

    if (value) *value = j.value;
    if (grad) {
        grad[0] = j.by_x; grad[1] = j.by_y; grad[2] = j.by_z;
    }
    if (hess) {
        hess[0] = j.by_xx;
        hess[1] = hess[3] = j.by_xy;
        hess[2] = hess[6] = j.by_xz;
        hess[4] = j.by_yy;
        hess[5] = hess[7] = j.by_yz;
        hess[8] = j.by_zz;
    }
    return DC_OK;
}

/* ---- [parameters] derivatives by parameters ------------------------------------------------- */
/* stage               | reads                      | writes                           | equation
 * dci_sdf_norm_by_eps | a norm, its exponent       | p', E', C', N'                   | below
 * dci_quadric_params  | a quadric, a point         | dphi by sizes and exponents      |
 * dci_sdf_part_params | a primitive, a point       | dphi by all its parameters       | below
 * dc_sdf_eval_params  | a field, a point           | the same by every primitive      | weights of the union */

/* Derivatives by its exponent eps of a norm and of its two partial derivatives. With L = log(1 + E), l = log q:
 *     p' = -2/eps^2 l p,   E' = -2/eps^2 l E
 *     C' = C (L/2 + (eps/2 - 1) E'/(1 + E)),   N' = N (L/2 + eps/2 E'/(1 + E))          */
typedef struct { dc_real value, by_u, by_v; } dci_sdf_norm_eps;

static dci_sdf_norm_eps dci_sdf_norm_by_eps(const dci_sdf_norm *r, dc_real eps)
{
    const dc_real q = r->ratio, p = r->power, E = r->ratio_alpha, first = r->u_larger;
    const dc_real k = -2/(eps*eps)*dci_sdf_ratio_log(q), L = DC_R(0.5)*dci_sdf_log1p_short(E), log_E = k*E/(1 + E);
    const dc_real C = r->by_larger*(L + (DC_R(0.5)*eps - 1)*log_E), by_smaller = q*p*(k*r->by_larger + C);
    dci_sdf_norm_eps d;

    d.value = r->value*(L + DC_R(0.5)*eps*log_E);
    d.by_u = first > 0 ? C : by_smaller;
    d.by_v = first > 0 ? by_smaller : C;
    return d;
}

/* dphi/dtheta from dF/dtheta and, for Taubin's form, d(grad F)/dtheta; over the unit */
static dc_real dci_quadric_by(const dci_gauge *G, dc_real r, int taubin, dc_real dF, dc_v3 dgrad)
{
    const dci_jet F = G->jet;
    dc_real g;

    if (!taubin) return r/(F.value*F.value)*dF;
    g = dc_sqrt(F.by_x*F.by_x + F.by_y*F.by_y + F.by_z*F.by_z);
    return dF/g - (F.value - 1)*(F.by_x*dgrad.x + F.by_y*dgrad.y + F.by_z*dgrad.z)/(g*g*g);
}

/* by size.x, size.y, size.z, eps1, eps2, at a point in the primitive's axes, lengths over its unit */
static void dci_quadric_params(const dci_sdf_part *a, dc_v3 x, dc_real d[5])
{
    const dci_quadric *s = &a->quadric;
    const dc_sdf_prim *p = a->prim;
    const dci_powers w = dci_powers_of(s, x.x, x.y, x.z);
    const dci_gauge G = dci_gauge_of(s, w, x.x, x.y, x.z, 2);
    const dci_sdf_norm *in = &G.inner, *out = &G.outer;
    const dci_jet *F = &G.jet;
    const dc_real r = w.radius, im = 1/out->larger, unit = a->unit;
    const dc_real sx = x.x < 0 ? -s->inv_a : s->inv_a, sy = x.y < 0 ? -s->inv_b : s->inv_b;
    const dc_real sz = x.z < 0 ? -s->inv_c : s->inv_c;
    const int taubin = a->kernel == DCI_SDF_TAUBIN;
    dci_sdf_norm_eps e;
    dc_v3 g;

    d[0] = d[1] = d[2] = d[3] = d[4] = 0;
    if (!(F->value > DCI_SDF_CENTRE)) return;

    /* a dF/da = -x F_x, and the same of F_x, F_y, F_z, less F_x for the first */
    g = dc_vec(x.x*F->by_xx + F->by_x, x.x*F->by_xy, x.x*F->by_xz);
    d[0] = -unit/p->size.x*dci_quadric_by(&G, r, taubin, x.x*F->by_x, g);
    g = dc_vec(x.y*F->by_xy, x.y*F->by_yy + F->by_y, x.y*F->by_yz);
    d[1] = -unit/p->size.y*dci_quadric_by(&G, r, taubin, x.y*F->by_y, g);
    g = dc_vec(x.z*F->by_xz, x.z*F->by_yz, x.z*F->by_zz + F->by_z);
    d[2] = -unit/p->size.z*dci_quadric_by(&G, r, taubin, x.z*F->by_z, g);

    /* exponents of the outer and the inner norm */
    e = dci_sdf_norm_by_eps(out, p->eps1);
    g = dc_vec(sx*e.by_u*in->by_u, sy*e.by_u*in->by_v, sz*e.by_v);
    d[3] = unit*dci_quadric_by(&G, r, taubin, e.value, g);
    e = dci_sdf_norm_by_eps(in, p->eps2);
    g = dc_vec(sx*(im*out->bend_uu*e.value*in->by_u + out->by_u*e.by_u),
               sy*(im*out->bend_uu*e.value*in->by_v + out->by_u*e.by_v),
               sz*im*out->bend_uv*e.value);
    d[4] = unit*dci_quadric_by(&G, r, taubin, out->by_u*e.value, g);
}

/* All parameters of a primitive at a point of the body. Moved by a twist, and grown by its scale s about its origin t,
 *     dphi/dv = -g,   dphi/dw = g x (x - t),   dphi/ds = (phi - g.(x - t))/s,    g = grad phi.       */
static DCI_NOINLINE void dci_sdf_part_params(const dci_sdf_part *a, dc_v3 x, dc_real d[DC_SDF_PARAMS])
{
    const dc_sdf_prim *p = a->prim;
    const dc_v3 e = dc_sub(x, a->origin), y = dci_sdf_to_local(a, x.x, x.y, x.z);
    const dc_real scale = p->scale == 0 ? 1 : p->scale;
    dci_jet j = dci_sdf_part_jet(a, y.x, y.y, y.z, 1);
    dc_v3 g, dw, local = dc_vec(j.by_x, j.by_y, j.by_z);
    int k;

    /* twist and scale */
    j = dci_sdf_to_body(a, j, a->unit, 1);
    g = dc_vec(j.by_x, j.by_y, j.by_z);
    dw = dc_cross(g, e);
    d[0] = -g.x; d[1] = -g.y; d[2] = -g.z;
    d[3] = dw.x; d[4] = dw.y; d[5] = dw.z;
    d[11] = (j.value - dc_dot(g, e))/scale;

    /* shape */
    for (k = 6; k < DC_SDF_PARAMS - 1; ++k) d[k] = 0;
    switch (p->kind) {
    case DC_SDF_SUPERQUADRIC: dci_quadric_params(a, y, d + 6); break;
    case DC_SDF_SPHERE: d[6] = -scale; break;
    case DC_SDF_BOX:
        d[6] = -scale*dc_abs(local.x);
        d[7] = -scale*dc_abs(local.y);
        d[8] = -scale*dc_abs(local.z);
        break;
    case DC_SDF_CAPSULE:
        d[6] = -scale;
        d[8] = -scale*dc_abs(local.z);
        break;
    case DC_SDF_POLYHEDRON:
    case DC_SDF_CLOUD: break;
    }
}

DC_DEF dc_status dc_sdf_eval_params(const dc_sdf *s, dc_v3 x, dc_real *value, dc_real *dparam)
{
    dci_sdf_part a;
    dc_real v, rest = 1;
    int i, k;

    if (!dci_sdf_ok(s) || !dc_in_range(x) || !dparam) return DC_E_ARG;

    /* the weights of the folds wait in dparam for their product from the last to the first */
    v = dci_sdf_at(s, x, 0, dparam, DC_SDF_PARAMS).value;
    for (i = s->n - 1; i >= 0; --i) {
        dc_real *d = dparam + DC_SDF_PARAMS*i, w = d[0], weight = s->prim[i].subtract ? -rest*w : rest*w;
        rest *= 1 - w;
        if (!(w > 0)) {                 /* left out */
            memset(d, 0, DC_SDF_PARAMS*sizeof *d);
            continue;
        }
        dci_sdf_part_of(&s->prim[i], &a);
        dci_sdf_part_params(&a, x, d);
        for (k = 0; k < DC_SDF_PARAMS; ++k) {
            d[k] *= weight;
            if (!dc_finite(d[k])) v = d[k];
        }
    }
    if (!dc_finite(v)) return DC_E_RANGE;
    if (value) *value = v;
    return DC_OK;
}

/* ---- [batch] many points -------------------------------------------------------------------- */
/* stage                     | reads                  | writes                      | as at a point
 * dci_sdf_block_local       | body                   | local                       | dci_sdf_to_local
 * dci_sdf_block_powers      | local                  | inner, outer, radius        | dci_powers_of
 * dci_sdf_block_radial, ..  | local, these           | jet                         | dci_sdf_part_jet
 * dci_sdf_block_body        | jet                    | jet                         | dci_sdf_to_body
 * dci_sdf_block_fold, close | jet, fold              | fold                        | dci_sdf_at
 * dci_sdf_block_run         | body                   | fold                        | all of these, each primitive */

/* Points go through a primitive in blocks, so that making it ready is shared. */
#define DCI_SDF_BLOCK (4*DC_LANES)

typedef dc_real dci_sdf_points[DCI_SDF_BLOCK];

/* Where a primitive is not left out. */
typedef struct {
    dci_sdf_points most, matters;               /* U of [reach]; 1: it matters, else 0 */
    int from, to, all;                          /* points among which are those where it does; are they all? */
} dci_sdf_kept;

typedef struct {
    dci_sdf_points body[3], local[3];           /* coordinates of the body; of a primitive, over its unit */
    dci_sdf_points jet[10], fold[10];           /* of the primitive, of the fold so far */
    dci_sdf_points fold_sum, plane_sum;         /* sums of the fold, of the primitive's planes */
    dci_sdf_points log_weight[9];               /* of a point cloud, as in dci_sdf_cloud */
    dci_sdf_points weight_sum, heavy[3], sharpness;
    dci_sdf_points inner[3], outer[3];          /* of a superquadric: q, p, C of its norms */
    dci_sdf_points radius, exponent;            /* |x|; scratch */
    dci_sdf_kept kept;
    const dci_sdf_part *part;                   /* the primitive: one of these, or what follows them */
    dci_sdf_part ready[DCI_SDF_RUN], next;
    dci_sdf_kernel kernel;                      /* its own, or that of the gauge */
} dci_sdf_block;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif

/* the primitive i of the field, made ready */
static const dci_sdf_part *dci_sdf_block_at(dci_sdf_block *b, const dc_sdf *s, int i)
{
    if (i < DCI_SDF_RUN) return &b->ready[i];
    dci_sdf_part_of(&s->prim[i], &b->next);
    return &b->next;
}

/* Stages of a block: one function for every level where speed counts, out of line where size does, so that their stack
 * frames do not add up. */
#if defined(__OPTIMIZE_SIZE__)
#define DCI_SDF_STAGE static DCI_NOINLINE
#else
#define DCI_SDF_STAGE DCI_LANE
#endif

DCI_LANE dci_jet dci_jet_load(dci_sdf_points *row, int l, int level)
{
    dci_jet j = dci_jet_zero();

    j.value = row[0][l];
    if (level < 1) return j;
    j.by_x = row[1][l]; j.by_y = row[2][l]; j.by_z = row[3][l];
    if (level < 2) return j;
    j.by_xx = row[4][l]; j.by_xy = row[5][l]; j.by_xz = row[6][l];
    j.by_yy = row[7][l]; j.by_yz = row[8][l]; j.by_zz = row[9][l];
    return j;
}

DCI_LANE void dci_jet_store(dci_sdf_points *row, int l, dci_jet j, int level)
{
    row[0][l] = j.value;
    if (level < 1) return;
    row[1][l] = j.by_x; row[2][l] = j.by_y; row[3][l] = j.by_z;
    if (level < 2) return;
    row[4][l] = j.by_xx; row[5][l] = j.by_xy; row[6][l] = j.by_xz;
    row[7][l] = j.by_yy; row[8][l] = j.by_yz; row[9][l] = j.by_zz;
}

DCI_LANE dci_sdf_fold dci_sdf_fold_load(dci_sdf_points *row, const dc_real *sum, int l, int level)
{
    dci_sdf_fold f;

    f.jet = dci_jet_load(row, l, level);
    f.sum = sum[l];
    return f;
}

DCI_LANE void dci_sdf_fold_store(dci_sdf_points *row, dc_real *sum, int l, dci_sdf_fold f, int level)
{
    sum[l] = f.sum;
    dci_jet_store(row, l, f.jet, level);
}

/* the plane of a polyhedron at lane l */
DCI_LANE dci_jet dci_sdf_plane_load(dci_sdf_block *b, int l, dc_v3 n, dc_v3 p)
{
    return dci_sdf_plane_jet(n, p, b->local[0][l], b->local[1][l], b->local[2][l]);
}

DCI_SDF_STAGE void dci_sdf_block_planes(dci_sdf_block *b, const int level)
{
    const int from = b->kept.from, to = b->kept.to;
    const dc_sdf_prim *p = b->part->prim;
    const dc_real tau = b->part->tau, inv_tau = b->part->inv_tau, hess_tau = b->part->hess_tau;
    int k, l;

    /* the fold begins with the first plane */
    for (l = from; l < to; ++l) {
        b->plane_sum[l] = 1;
        dci_jet_store(b->jet, l, dci_sdf_plane_load(b, l, p->n[0], p->p[0]), 2);
    }

    for (k = 1; k < p->count; ++k) {
        const dc_v3 n = p->n[k], at = p->p[k];
        for (l = from; l < to; ++l) {
            dci_sdf_fold f = dci_sdf_fold_load(b->jet, b->plane_sum, l, level);
            dc_real weight;
            f = dci_sdf_fold_in(f, dci_sdf_plane_load(b, l, n, at), inv_tau, hess_tau, level, &weight);
            dci_sdf_fold_store(b->jet, b->plane_sum, l, f, level);
        }
    }

    for (l = from; l < to; ++l) {
        dci_sdf_fold f = dci_sdf_fold_load(b->jet, b->plane_sum, l, level);
        dci_jet_store(b->jet, l, dci_sdf_fold_close(f, tau, -1).jet, level);
    }
}

DCI_LANE dci_sdf_cloud dci_sdf_cloud_load(dci_sdf_block *b, int l, int level)
{
    dci_sdf_points *row = b->log_weight;
    dci_sdf_cloud c;

    c.jet = dci_jet_load(b->jet, l, level);
    c.log_weight = dci_jet_zero();
    c.sum = b->weight_sum[l];
    c.heavy_x = b->heavy[0][l]; c.heavy_y = b->heavy[1][l]; c.heavy_z = b->heavy[2][l];
    c.sharpness = b->sharpness[l];
    if (level < 1) return c;
    c.log_weight.by_x = row[0][l]; c.log_weight.by_y = row[1][l]; c.log_weight.by_z = row[2][l];
    if (level < 2) return c;
    c.log_weight.by_xx = row[3][l]; c.log_weight.by_xy = row[4][l]; c.log_weight.by_xz = row[5][l];
    c.log_weight.by_yy = row[6][l]; c.log_weight.by_yz = row[7][l]; c.log_weight.by_zz = row[8][l];
    return c;
}

DCI_LANE void dci_sdf_cloud_store(dci_sdf_block *b, int l, dci_sdf_cloud c, int level)
{
    dci_sdf_points *row = b->log_weight;

    dci_jet_store(b->jet, l, c.jet, level);
    b->weight_sum[l] = c.sum;
    b->heavy[0][l] = c.heavy_x; b->heavy[1][l] = c.heavy_y; b->heavy[2][l] = c.heavy_z;
    b->sharpness[l] = c.sharpness;
    if (level < 1) return;
    row[0][l] = c.log_weight.by_x; row[1][l] = c.log_weight.by_y; row[2][l] = c.log_weight.by_z;
    if (level < 2) return;
    row[3][l] = c.log_weight.by_xx; row[4][l] = c.log_weight.by_xy; row[5][l] = c.log_weight.by_xz;
    row[6][l] = c.log_weight.by_yy; row[7][l] = c.log_weight.by_yz; row[8][l] = c.log_weight.by_zz;
}

DCI_SDF_STAGE void dci_sdf_block_cloud(dci_sdf_block *b, const int level)
{
    const int from = b->kept.from, to = b->kept.to;
    const dc_sdf_prim *p = b->part->prim;
    const dc_real *x = b->local[0], *y = b->local[1], *z = b->local[2];
    int k, l;

    for (k = 0; k < p->count; ++k) {
        const dc_v3 n = p->n[k], at = p->p[k];
        dc_real s = 1/p->sigma[k];
        s *= s;
        if (k == 0)
            for (l = from; l < to; ++l)
                dci_sdf_cloud_store(b, l, dci_sdf_cloud_first(x[l], y[l], z[l], &at, &n, s), level);
        else
            for (l = from; l < to; ++l) {
                dci_sdf_cloud c = dci_sdf_cloud_load(b, l, level);
                dci_sdf_cloud_store(b, l, dci_sdf_cloud_in(c, x[l], y[l], z[l], &at, &n, s, level), level);
            }
    }
}

DCI_LANE dci_powers dci_powers_load(dci_sdf_block *b, int l)
{
    dci_powers w;

    w.inner.ratio = b->inner[0][l]; w.inner.power = b->inner[1][l]; w.inner.by_larger = b->inner[2][l];
    w.outer.ratio = b->outer[0][l]; w.outer.power = b->outer[1][l]; w.outer.by_larger = b->outer[2][l];
    w.radius = b->radius[l];
    return w;
}

/* p and C of a norm from its q; e: scratch */
DCI_LANE void dci_sdf_block_power(int from, int to, dc_real half_eps, dc_real alpha, dci_sdf_points *norm, dc_real *e)
{
    const dc_real *q = norm[0];
    dc_real *p = norm[1], *C = norm[2];
    int l;

    for (l = from; l < to; ++l) e[l] = (alpha - 2)*dci_sdf_ratio_log(q[l]);
    for (l = from; l < to; ++l) p[l] = dci_sdf_exp_short(e[l]);
    for (l = from; l < to; ++l) e[l] = (half_eps - 1)*dci_sdf_log1p_short(p[l]*q[l]*q[l]);
    for (l = from; l < to; ++l) C[l] = dci_sdf_exp_half(e[l]);
}

/* dci_powers_of of a block */
static DCI_NOINLINE void dci_sdf_block_powers(dci_sdf_block *b)
{
    const int from = b->kept.from, to = b->kept.to;
    const dci_quadric s = b->part->quadric;
    const dc_real *x = b->local[0], *y = b->local[1], *z = b->local[2];
    int l;

    for (l = from; l < to; ++l) b->inner[0][l] = dci_sdf_ratio(dci_fabs(x[l])*s.inv_a, dci_fabs(y[l])*s.inv_b);
    dci_sdf_block_power(from, to, s.half2, s.alpha2, b->inner, b->exponent);

    for (l = from; l < to; ++l) {
        dc_real N = dci_sdf_norm_value(dci_fabs(x[l])*s.inv_a, dci_fabs(y[l])*s.inv_b, b->inner[0][l], b->inner[1][l],
                                       b->inner[2][l]);
        b->outer[0][l] = dci_sdf_ratio(N, dci_fabs(z[l])*s.inv_c);
    }
    dci_sdf_block_power(from, to, s.half1, s.alpha1, b->outer, b->exponent);

    for (l = from; l < to; ++l) b->radius[l] = dci_sqrt_lane(x[l]*x[l] + y[l]*y[l] + z[l]*z[l]);
}

DCI_SDF_STAGE void dci_sdf_block_radial(dci_sdf_block *b, const int level)
{
    const int from = b->kept.from, to = b->kept.to;
    const dci_quadric s = b->part->quadric;
    const dc_real *x = b->local[0], *y = b->local[1], *z = b->local[2];
    int l;

    for (l = from; l < to; ++l)
        dci_jet_store(b->jet, l, dci_radial(&s, dci_powers_load(b, l), x[l], y[l], z[l], level), level);
}

DCI_SDF_STAGE void dci_sdf_block_taubin(dci_sdf_block *b, const int level)
{
    const int from = b->kept.from, to = b->kept.to;
    const dci_quadric s = b->part->quadric;
    const dc_real *x = b->local[0], *y = b->local[1], *z = b->local[2];
    int l;

    for (l = from; l < to; ++l)
        dci_jet_store(b->jet, l, dci_taubin(&s, dci_powers_load(b, l), x[l], y[l], z[l], level), level);
}

DCI_SDF_STAGE void dci_sdf_block_gauge(dci_sdf_block *b, const int level)
{
    const int from = b->kept.from, to = b->kept.to;
    const dci_quadric s = b->part->quadric;
    const dc_real *x = b->local[0], *y = b->local[1], *z = b->local[2];
    int l;

    for (l = from; l < to; ++l)
        dci_jet_store(b->jet, l, dci_gauge_jet(&s, dci_powers_load(b, l), x[l], y[l], z[l], level), level);
}

DCI_SDF_STAGE void dci_sdf_block_rounded(dci_sdf_block *b, const int level)
{
    const int from = b->kept.from, to = b->kept.to;
    const dci_sdf_core s = b->part->core;
    const dc_real *x = b->local[0], *y = b->local[1], *z = b->local[2];
    int l;

    for (l = from; l < to; ++l) dci_jet_store(b->jet, l, dci_rounded(&s, x[l], y[l], z[l], level), level);
}

DCI_SDF_STAGE void dci_sdf_block_local(dci_sdf_block *b)
{
    const dci_sdf_part a = *b->part;
    const int from = b->kept.from, to = b->kept.to;
    int l;

    for (l = from; l < to; ++l) {
        dc_v3 x = dci_sdf_to_local(&a, b->body[0][l], b->body[1][l], b->body[2][l]);
        b->local[0][l] = x.x; b->local[1][l] = x.y; b->local[2][l] = x.z;
    }
}

DCI_SDF_STAGE void dci_sdf_block_body(dci_sdf_block *b, const int level)
{
    const dci_sdf_part a = *b->part;
    const int from = b->kept.from, to = b->kept.to;
    const dc_real unit = b->kernel == DCI_SDF_GAUGE ? DC_R(1) : a.unit;
    int l;

    for (l = from; l < to; ++l)
        dci_jet_store(b->jet, l, dci_sdf_to_body(&a, dci_jet_load(b->jet, l, level), unit, level), level);
}

/* the primitive's jets at the points of the range */
DCI_LANE void dci_sdf_block_part(dci_sdf_block *b, const int level)
{
    dci_sdf_block_local(b);
    if (b->kernel <= DCI_SDF_GAUGE) dci_sdf_block_powers(b);
    switch (b->kernel) {
    case DCI_SDF_RADIAL: dci_sdf_block_radial(b, level); break;
    case DCI_SDF_TAUBIN: dci_sdf_block_taubin(b, level); break;
    case DCI_SDF_GAUGE: dci_sdf_block_gauge(b, level); break;
    case DCI_SDF_ROUNDED: dci_sdf_block_rounded(b, level); break;
    case DCI_SDF_PLANES: dci_sdf_block_planes(b, level); break;
    case DCI_SDF_CLOUD: dci_sdf_block_cloud(b, level); break;
    }
    dci_sdf_block_body(b, level);
}

/* starts the fold with the primitive's jets */
DCI_SDF_STAGE void dci_sdf_block_start(dci_sdf_block *b, const int level)
{
    int l;

    for (l = b->kept.from; l < b->kept.to; ++l) {
        b->fold_sum[l] = 1;
        dci_jet_store(b->fold, l, dci_jet_load(b->jet, l, level), level);
    }
}

/* takes the primitive's jets into the fold where it matters; `all`: everywhere */
DCI_SDF_STAGE void dci_sdf_block_join(dci_sdf_block *b, const int all, dc_real inv_tau, dc_real hess_tau,
                                      const int level)
{
    const int from = b->kept.from, to = b->kept.to;
    int l;

    for (l = from; l < to; ++l) {
        const dci_sdf_fold was = dci_sdf_fold_load(b->fold, b->fold_sum, l, level);
        dci_sdf_fold f;
        dc_real weight;
        f = dci_sdf_fold_in(was, dci_jet_load(b->jet, l, level), inv_tau, hess_tau, level, &weight);
        if (!all) f = dci_sdf_fold_pick(b->kept.matters[l] > 0, f, was);
        dci_sdf_fold_store(b->fold, b->fold_sum, l, f, level);
    }
}

DCI_SDF_STAGE void dci_sdf_block_fold(dci_sdf_block *b, dc_real inv_tau, dc_real hess_tau, const int level)
{
    if (b->kept.all) dci_sdf_block_join(b, 1, inv_tau, hess_tau, level);
    else dci_sdf_block_join(b, 0, inv_tau, hess_tau, level);
}

/* ends a run of the fold */
DCI_SDF_STAGE void dci_sdf_block_close(dci_sdf_block *b, int w, dc_real tau, dc_real sign, const int level)
{
    int l;

    for (l = 0; l < w; ++l) {
        dci_sdf_fold f = dci_sdf_fold_load(b->fold, b->fold_sum, l, level);
        dci_sdf_fold_store(b->fold, b->fold_sum, l, dci_sdf_fold_close(f, tau, sign), level);
    }
}

/* U of [reach] for the primitives from i to end - 1 */
static DCI_NOINLINE void dci_sdf_block_most(dci_sdf_block *b, const dc_sdf *s, int i, int end, int w)
{
    dc_real *power = b->jet[0], *inner = b->jet[1], *square = b->jet[2];
    int l;

    for (l = 0; l < w; ++l) {
        const dci_sdf_nearest none = dci_sdf_nearest_none();
        power[l] = none.power; inner[l] = none.inner; square[l] = none.d2;
    }
    for (; i < end; ++i) {
        const dc_v3 t = s->prim[i].pose.t;
        const dc_real radius = dci_sdf_block_at(b, s, i)->ball.inner;
        if (radius < 0) continue;
        for (l = 0; l < w; ++l) {
            dci_sdf_nearest n;
            n.power = power[l]; n.inner = inner[l]; n.d2 = square[l];
            n = dci_sdf_nearer(n, radius, dci_sdf_d2(t, b->body[0][l], b->body[1][l], b->body[2][l]));
            power[l] = n.power; inner[l] = n.inner; square[l] = n.d2;
        }
    }
    for (l = 0; l < w; ++l) {
        dci_sdf_nearest n;
        n.power = power[l]; n.inner = inner[l]; n.d2 = square[l];
        b->kept.most[l] = dci_sdf_most(n, b->fold[0][l]);
    }
}

/* where the primitive matters, and the range of these points */
static DCI_NOINLINE void dci_sdf_block_reach(dci_sdf_block *b, int w, dc_real tau)
{
    const dci_sdf_ball ball = b->part->ball;
    const dc_v3 t = b->part->origin;
    dc_real total = 0;
    int g, l;

    for (l = 0; l < w; ++l) {
        const dc_real d2 = dci_sdf_d2(t, b->body[0][l], b->body[1][l], b->body[2][l]);
        b->kept.matters[l] = dci_sdf_matters(ball, d2, b->kept.most[l], tau) ? DC_R(1) : DC_R(0);
    }
    b->kept.from = w;
    b->kept.to = 0;
    for (g = 0; g < w; g += DC_LANES) {
        dc_real sum = 0;
        for (l = 0; l < DC_LANES; ++l) sum += b->kept.matters[g + l];
        total += sum;
        if (!(sum > 0)) continue;
        if (b->kept.from > g) b->kept.from = g;
        b->kept.to = g + DC_LANES;
    }
    b->kept.all = total >= (dc_real)(b->kept.to - b->kept.from);
}

/* it matters everywhere */
static void dci_sdf_block_whole(dci_sdf_block *b, int w)
{
    b->kept.from = 0;
    b->kept.to = w;
    b->kept.all = 1;
}

static DCI_NOINLINE void dci_sdf_block_empty(dci_sdf_block *b, int w)
{
    int l;
    for (l = 0; l < w; ++l) dci_sdf_fold_store(b->fold, b->fold_sum, l, dci_sdf_fold_empty(), 2);
}

/* dci_sdf_at of a block; gauge: F - 1 of the only primitive */
DCI_LANE void dci_sdf_block_sdf(dci_sdf_block *b, const dc_sdf *s, int w, int gauge, const int level)
{
    dc_real inv_tau, hess_tau;
    int i, end, subtract = 0;

    dci_sdf_taus(s->tau, &inv_tau, &hess_tau);
    for (i = 0; i < s->n;) {
        int few;

        /* a change from union to subtraction or back */
        if (!s->prim[i].subtract != !subtract) {
            dci_sdf_block_close(b, w, s->tau, -1, level);
            subtract = !subtract;
        }

        end = dci_sdf_run_end(s, i);
        few = end - i < DCI_SDF_FEW;
        if (!few) {
            if (i == 0) dci_sdf_block_empty(b, w);
            dci_sdf_block_most(b, s, i, end, w);
        }
        for (; i < end; ++i) {
            b->part = dci_sdf_block_at(b, s, i);
            b->kernel = gauge ? DCI_SDF_GAUGE : b->part->kernel;
            if (few || !dci_sdf_leaves(b->part->prim)) dci_sdf_block_whole(b, w);
            else dci_sdf_block_reach(b, w, s->tau);
            if (b->kept.from >= b->kept.to) continue;
            dci_sdf_block_part(b, level);
            if (few && i == 0) dci_sdf_block_start(b, level);
            else dci_sdf_block_fold(b, inv_tau, hess_tau, level);
        }
    }
    dci_sdf_block_close(b, w, s->tau, subtract ? DC_R(-1) : DC_R(1), level);
}

/* the primitive's values, not folded, at w points */
static DCI_NOINLINE void dci_sdf_block_part_values(dci_sdf_block *b, int w)
{
    dci_sdf_block_whole(b, w);
    dci_sdf_block_part(b, 0);
}

static DCI_NOINLINE void dci_sdf_block_values(dci_sdf_block *b, const dc_sdf *s, int w, int gauge)
{
    dci_sdf_block_sdf(b, s, w, gauge, 0);
}

static DCI_NOINLINE void dci_sdf_block_grads(dci_sdf_block *b, const dc_sdf *s, int w, int gauge)
{
    dci_sdf_block_sdf(b, s, w, gauge, 1);
}

static DCI_NOINLINE void dci_sdf_block_hessians(dci_sdf_block *b, const dc_sdf *s, int w, int gauge)
{
    dci_sdf_block_sdf(b, s, w, gauge, 2);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* the jets of the n points of a block; 0 when a number of theirs is not finite */
static int dci_sdf_block_run(dci_sdf_block *b, const dc_sdf *s, int n, int gauge, int level)
{
    const int w = (n + DC_LANES - 1)/DC_LANES*DC_LANES, rows = level == 0 ? 1 : level == 1 ? 4 : 10;
    int l, k;

    if (level == 0) dci_sdf_block_values(b, s, w, gauge);
    else if (level == 1) dci_sdf_block_grads(b, s, w, gauge);
    else dci_sdf_block_hessians(b, s, w, gauge);

    for (k = 0; k < rows; ++k)
        for (l = 0; l < n; ++l)
            if (!dc_finite(b->fold[k][l])) return 0;
    return 1;
}

/* rows of the fold from `first` on, to the n points of an output from `at` on */
static void dci_sdf_block_put(const dci_sdf_block *b, int first, int rows, int n, dc_real *out, size_t stride,
                              size_t at)
{
    int k;

    for (k = 0; out && k < rows; ++k) memcpy(out + (size_t)k*stride + at, b->fold[first + k], (size_t)n*sizeof *out);
}

DC_DEF size_t dc_sdf_batch_bytes(void) { return dc_bytes(0, 1, sizeof(dci_sdf_block)); }

DC_DEF dc_status dc_sdf_eval_batch(const dc_sdf *s, int count, const dc_real *x, size_t stride, dc_arena *mem,
                                   const dc_sdf_out *out)
{
    dci_sdf_block *b;
    size_t used, i;
    int level, dir, lone, l, k, n;

    if (!dci_sdf_ok(s) || !mem || !out || count < 0 || stride < (size_t)count || (count > 0 && !x)) return DC_E_ARG;
    for (i = 0; i < (size_t)count; ++i)
        if (!dc_in_range(dc_vec(x[i], x[stride + i], x[2*stride + i]))) return DC_E_ARG;
    used = mem->used;
    b = (dci_sdf_block *)dc_arena_take(mem, 1, sizeof *b);
    mem->used = used;
    if (!b) return DC_E_MEMORY;

    /* normals: of a lone superquadric by its gauge, in a pass of their own */
    lone = s->n == 1 && s->prim[0].kind == DC_SDF_SUPERQUADRIC && !s->prim[0].taubin;
    dir = out->ddir ? 2 : out->dir ? 1 : 0;
    level = out->hess ? 2 : out->grad ? 1 : 0;
    if (!lone && dir > level) level = dir;

    for (k = 0; count > 0 && k < s->n && k < DCI_SDF_RUN; ++k) dci_sdf_part_of(&s->prim[k], &b->ready[k]);
    for (i = 0; i < (size_t)count; i += (size_t)n) {
        /* lanes without a point repeat the last */
        n = (size_t)count - i < DCI_SDF_BLOCK ? (int)((size_t)count - i) : DCI_SDF_BLOCK;
        for (k = 0; k < 3; ++k)
            for (l = 0; l < DCI_SDF_BLOCK; ++l) b->body[k][l] = x[(size_t)k*stride + i + (size_t)(l < n ? l : n - 1)];

        if (out->value || level > 0) {
            if (!dci_sdf_block_run(b, s, n, 0, level)) return DC_E_RANGE;
            dci_sdf_block_put(b, 0, 1, n, out->value, stride, i);
            dci_sdf_block_put(b, 1, 3, n, out->grad, stride, i);
            dci_sdf_block_put(b, 4, 6, n, out->hess, stride, i);
        }
        if (lone && dir > 0 && !dci_sdf_block_run(b, s, n, 1, dir)) return DC_E_RANGE;
        dci_sdf_block_put(b, 1, 3, n, out->dir, stride, i);
        dci_sdf_block_put(b, 4, 6, n, out->ddir, stride, i);
    }
    return DC_OK;
}

/* ---- [along] third derivatives along directions --------------------------------------------- */
/* In: a field, points, directions; out: the Hessian's derivative along them, in jets of which only the Hessian counts.
 *
 * stage                    | reads                   | writes                     | equation
 * dci_radial_along, ..     | a point, a direction    | that of a primitive        | below
 * dci_sdf_fold_along       | fold, a jet, both's     | that of the fold           | below
 * dci_sdf_third_run        | points, directions      | fold_along                 | all of these, each primitive */

typedef struct {
    dci_sdf_block at;
    dci_sdf_points direction[3], local[3];      /* of the body; of a primitive, over its unit */
    dci_sdf_points along[10], fold_along[10];   /* of the primitive, of the fold so far */
} dci_sdf_third;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif

DCI_LANE dc_v3 dci_jet_grad(dci_jet j)
{
    dc_v3 g;
    g.x = j.by_x; g.y = j.by_y; g.z = j.by_z;
    return g;
}

/* the Hessian times u */
DCI_LANE dc_v3 dci_jet_turn(dci_jet j, dc_v3 u)
{
    dc_v3 r;
    r.x = j.by_xx*u.x + j.by_xy*u.y + j.by_xz*u.z;
    r.y = j.by_xy*u.x + j.by_yy*u.y + j.by_yz*u.z;
    r.z = j.by_xz*u.x + j.by_yz*u.y + j.by_zz*u.z;
    return r;
}

/* adds c times the Hessian of h */
DCI_LANE dci_jet dci_jet_add_hess(dci_jet j, dc_real c, dci_jet h)
{
    j.by_xx += c*h.by_xx; j.by_xy += c*h.by_xy; j.by_xz += c*h.by_xz;
    j.by_yy += c*h.by_yy; j.by_yz += c*h.by_yz; j.by_zz += c*h.by_zz;
    return j;
}

/* adds c (a b^T + b a^T) to the Hessian */
DCI_LANE dci_jet dci_jet_add_pair(dci_jet j, dc_real c, dc_v3 a, dc_v3 b)
{
    j.by_xx += 2*c*a.x*b.x; j.by_xy += c*(a.x*b.y + a.y*b.x); j.by_xz += c*(a.x*b.z + a.z*b.x);
    j.by_yy += 2*c*a.y*b.y; j.by_yz += c*(a.y*b.z + a.z*b.y); j.by_zz += 2*c*a.z*b.z;
    return j;
}

/* the Hessian, or 0 */
DCI_LANE dci_jet dci_jet_keep_hess(int keep, dci_jet j)
{
    j.by_xx = dci_sdf_pick(keep, j.by_xx, 0); j.by_xy = dci_sdf_pick(keep, j.by_xy, 0);
    j.by_xz = dci_sdf_pick(keep, j.by_xz, 0); j.by_yy = dci_sdf_pick(keep, j.by_yy, 0);
    j.by_yz = dci_sdf_pick(keep, j.by_yz, 0); j.by_zz = dci_sdf_pick(keep, j.by_zz, 0);
    return j;
}

/* s p + t q */
DCI_LANE dc_v3 dci_sdf_line(dc_real s, dc_v3 p, dc_real t, dc_v3 q)
{
    dc_v3 r;
    r.x = s*p.x + t*q.x; r.y = s*p.y + t*q.y; r.z = s*p.z + t*q.z;
    return r;
}

DCI_LANE dc_real dci_sdf_dot(dc_v3 p, dc_v3 q) { return p.x*q.x + p.y*q.y + p.z*q.z; }

/* phi'' of dci_radial, term by term; with f = grad F/F, k = 1 - 1/F, rho = r/F and ' along u:
 *     n' = (u - (n.u) n)/r,   f' = F''u/F - (f.u) f,   (F''/F)' = F'''u/F - (f.u) F''/F
 *     k' = (f.u)/F,           rho' = rho ((n.u)/r - f.u)                                          */
DCI_LANE dci_jet dci_radial_along(const dci_quadric *s, dci_powers w, dc_v3 x, dc_v3 u)
{
    const dci_gauge F = dci_gauge_of(s, w, x.x, x.y, x.z, 2);
    const dci_jet bent = dci_gauge_along(s, &F, x.x, x.y, x.z, u.x, u.y, u.z);
    const int centre = !(F.jet.value > DCI_SDF_CENTRE);
    const dc_real r = w.radius > 0 ? w.radius : DC_R(1), ir = 1/r, iF = 1/(centre ? DC_R(1) : F.jet.value);
    const dc_real k = 1 - iF, rho = r*iF;
    const dc_v3   n = dci_sdf_line(ir, x, 0, x), f = dci_sdf_line(iF, dci_jet_grad(F.jet), 0, x);
    const dc_real nu = dci_sdf_dot(n, u), fu = dci_sdf_dot(f, u);
    const dc_v3   dn = dci_sdf_line(ir, u, -ir*nu, n), df = dci_sdf_line(iF, dci_jet_turn(F.jet, u), -fu, f);
    const dc_real dkr = (iF*fu - k*ir*nu)*ir, drho = rho*(ir*nu - fu);
    dci_jet T = dci_jet_zero();

    /* k/r (1 - n n^T) */
    T.by_xx = T.by_yy = T.by_zz = dkr;
    T = dci_jet_add_pair(T, DC_R(-0.5)*dkr, n, n);
    T = dci_jet_add_pair(T, -(k*ir), dn, n);

    /* (n f^T + f n^T)/F */
    T = dci_jet_add_pair(T, -(iF*fu), n, f);
    T = dci_jet_add_pair(T, iF, dn, f);
    T = dci_jet_add_pair(T, iF, n, df);

    /* rho (F''/F - 2 f f^T) */
    T = dci_jet_add_hess(T, (drho - rho*fu)*iF, F.jet);
    T = dci_jet_add_hess(T, rho*iF, bent);
    T = dci_jet_add_pair(T, -drho, f, f);
    T = dci_jet_add_pair(T, -2*rho, df, f);
    return dci_jet_keep_hess(!centre, T);
}

DCI_LANE dci_jet dci_gauge_jet_along(const dci_quadric *s, dci_powers w, dc_v3 x, dc_v3 u)
{
    const dci_gauge F = dci_gauge_of(s, w, x.x, x.y, x.z, 2);
    const dci_jet bent = dci_gauge_along(s, &F, x.x, x.y, x.z, u.x, u.y, u.z);
    return dci_jet_keep_hess(F.jet.value > DCI_SDF_CENTRE, bent);
}

/* d'' = (1 - n n^T)/d in the coordinates that are outside:  d'''u = -((n.u) d'' + d''u n^T + n (d''u)^T)/d */
DCI_LANE dci_jet dci_rounded_along(const dci_sdf_core *s, dc_v3 x, dc_v3 u)
{
    const dci_jet j = dci_rounded(s, x.x, x.y, x.z, 2);
    const dc_v3   n = dci_jet_grad(j);
    const dc_real d = j.value + s->radius, id = d > 0 ? 1/d : DC_R(0);
    const dci_jet T = dci_jet_add_hess(dci_jet_zero(), -(id*dci_sdf_dot(n, u)), j);
    return dci_jet_add_pair(T, -id, dci_jet_turn(j, u), n);
}

/* the weights above, of which the least stands for 0: far away it would be all there is */
DCI_LANE dc_real dci_sdf_along_weight(dc_real e) { return e > 4*DC_REAL_MIN ? e : DC_R(0); }

/* What becomes of T, the fold's, when dci_sdf_fold_join takes in a jet with A; d the difference of the gradients:
 *     T <- (1 - lambda) T + lambda A + lambda' (hess_i - hess) - lambda' (1 - 2 lambda)/tau d d^T - c (d' d^T + d d'^T)
 *     c = lambda (1 - lambda)/tau,   lambda' = -c d.u,   d' = (hess_i - hess) u                           */
DCI_LANE dci_jet dci_sdf_fold_along(dci_sdf_fold f, dci_jet a, dc_real e, dc_real hess_tau, dci_jet T, dci_jet A,
                                    dc_v3 u)
{
    const int     less = a.value - f.jet.value < 0;
    const dc_real was = less ? f.sum*e : f.sum, is = less ? DC_R(1) : e, isum = 1/(was + is), w = is*isum, v = was*isum;
    const dc_v3   d = dci_sdf_line(1, dci_jet_grad(a), -1, dci_jet_grad(f.jet));
    const dc_v3   dd = dci_sdf_line(1, dci_jet_turn(a, u), -1, dci_jet_turn(f.jet, u));
    const dc_real c = w*v*hess_tau, dw = -(c*dci_sdf_dot(d, u));
    dci_jet r = dci_jet_add_hess(dci_jet_zero(), v, T);

    r = dci_jet_add_hess(r, w, A);
    r = dci_jet_add_hess(r, dw, a);
    r = dci_jet_add_hess(r, -dw, f.jet);
    r = dci_jet_add_pair(r, DC_R(-0.5)*(dw*(v - w)*hess_tau), d, d);
    return dci_jet_add_pair(r, -c, dd, d);
}

DCI_LANE dc_v3 dci_sdf_third_vector(dci_sdf_points *row, int l)
{
    dc_v3 r;
    r.x = row[0][l]; r.y = row[1][l]; r.z = row[2][l];
    return r;
}

/* kernels of superquadrics, of what is rounded */
static DCI_NOINLINE void dci_sdf_third_radial(dci_sdf_third *b, int w)
{
    const dci_quadric s = b->at.part->quadric;
    int l;

    for (l = 0; l < w; ++l)
        dci_jet_store(b->along, l, dci_radial_along(&s, dci_powers_load(&b->at, l),
                                                    dci_sdf_third_vector(b->at.local, l),
                                                    dci_sdf_third_vector(b->local, l)), 2);
}

static DCI_NOINLINE void dci_sdf_third_gauge(dci_sdf_third *b, int w)
{
    const dci_quadric s = b->at.part->quadric;
    int l;

    for (l = 0; l < w; ++l)
        dci_jet_store(b->along, l, dci_gauge_jet_along(&s, dci_powers_load(&b->at, l),
                                                       dci_sdf_third_vector(b->at.local, l),
                                                       dci_sdf_third_vector(b->local, l)), 2);
}

static DCI_NOINLINE void dci_sdf_third_rounded(dci_sdf_third *b, int w)
{
    const dci_sdf_core s = b->at.part->core;
    int l;

    for (l = 0; l < w; ++l)
        dci_jet_store(b->along, l, dci_rounded_along(&s, dci_sdf_third_vector(b->at.local, l),
                                                     dci_sdf_third_vector(b->local, l)), 2);
}

/* directions in the primitive's axes */
static DCI_NOINLINE void dci_sdf_third_local(dci_sdf_third *b, int w)
{
    dci_sdf_part a = *b->at.part;
    int l;

    a.origin.x = a.origin.y = a.origin.z = 0;
    for (l = 0; l < w; ++l) {
        const dc_v3 u = dci_sdf_to_local(&a, b->direction[0][l], b->direction[1][l], b->direction[2][l]);
        b->local[0][l] = u.x; b->local[1][l] = u.y; b->local[2][l] = u.z;
    }
}

/* to the body's axes, and into the fold, which has the primitive's jets not yet */
static DCI_NOINLINE void dci_sdf_third_fold(dci_sdf_third *b, int w, int first, dc_real inv_tau, dc_real hess_tau)
{
    const dci_sdf_part a = *b->at.part;
    const dc_real unit = a.kernel == DCI_SDF_GAUGE ? DC_R(1) : a.unit;
    int l;

    for (l = 0; l < w; ++l) {
        dci_jet A = dci_sdf_to_body(&a, dci_jet_load(b->along, l, 2), unit, 2);
        if (!first) {
            const dci_sdf_fold f = dci_sdf_fold_load(b->at.fold, b->at.fold_sum, l, 2);
            const dci_jet j = dci_jet_load(b->at.jet, l, 2);
            const dc_real e = dci_sdf_along_weight(dci_sdf_fold_weight(j.value - f.jet.value, inv_tau));
            A = dci_sdf_fold_along(f, j, e, hess_tau, dci_jet_load(b->fold_along, l, 2), A,
                                   dci_sdf_third_vector(b->direction, l));
        }
        dci_jet_store(b->fold_along, l, A, 2);
    }
}

static DCI_NOINLINE void dci_sdf_third_sign(dci_sdf_third *b, int w, dc_real sign)
{
    int l, k;
    for (k = 4; k < 10; ++k)
        for (l = 0; l < w; ++l) b->fold_along[k][l] *= sign;
}

/* dci_sdf_block_part and _fold with everything they have, on the way of what goes along */
static DCI_NOINLINE void dci_sdf_third_jets(dci_sdf_third *b) { dci_sdf_block_part(&b->at, 2); }
static DCI_NOINLINE void dci_sdf_third_join(dci_sdf_third *b, int first, dc_real inv_tau, dc_real hess_tau)
{
    if (first) dci_sdf_block_start(&b->at, 2);
    else dci_sdf_block_join(&b->at, 1, inv_tau, hess_tau, 2);
}
static DCI_NOINLINE void dci_sdf_third_close(dci_sdf_third *b, int w, dc_real tau)
{
    dci_sdf_block_close(&b->at, w, tau, -1, 2);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* a polyhedron, whose planes have no Hessian */
static DCI_NOINLINE dci_jet dci_sdf_planes_along(const dci_sdf_part *a, dc_v3 x, dc_v3 u)
{
    const dc_sdf_prim *p = a->prim;
    dci_jet T = dci_jet_zero();
    dci_sdf_fold f;
    dc_real w;
    int k;

    f.jet = dci_sdf_plane_jet(p->n[0], p->p[0], x.x, x.y, x.z);
    f.sum = 1;
    for (k = 1; k < p->count; ++k) {
        const dci_jet j = dci_sdf_plane_jet(p->n[k], p->p[k], x.x, x.y, x.z);
        const dc_real e = dci_sdf_fold_weight(j.value - f.jet.value, a->inv_tau);
        T = dci_sdf_fold_along(f, j, dci_sdf_along_weight(e), a->hess_tau, T, dci_jet_zero(), u);
        f = dci_sdf_fold_join(f, j, e, a->hess_tau, 2, &w);
    }
    return dci_jet_scale(-1, T);
}

/* exponent of point i of a cloud less that of point h, as in dci_sdf_cloud_in */
static dc_real dci_sdf_cloud_gap(const dc_sdf_prim *p, int i, int h, dc_v3 x)
{
    const dc_v3   at = dc_sub(x, p->p[i]), heavy = dc_sub(x, p->p[h]);
    const dc_real s = 1/(p->sigma[i]*p->sigma[i]), t = 1/(p->sigma[h]*p->sigma[h]);
    return DC_R(-0.5)*(s*dc_dot(dc_sub(p->p[h], p->p[i]), dc_add(at, heavy)) + (s - t)*dc_dot(heavy, heavy));
}

/* A cloud in means E over its points, by their weights w_i: with b_i = -s_i (x - p_i), c = b - E[b], D = phi_i - phi,
 *     phi'' = E[n c^T + c n^T + D (c c^T - s 1)]
 *     w' = w c.u,   D' = (n - grad phi).u,   c' = -(s - E[s]) u - E[c c^T] u,   grad phi = E[n + D c]
 * b, phi and n are taken less those of the heaviest point, which may have all the weight but for a little. */
typedef struct { dc_real weight, sharpness, value; dc_v3 n, slope; } dci_sdf_cloud_point;

static dci_sdf_cloud_point dci_sdf_cloud_relative(const dc_sdf_prim *p, int i, int h, dc_v3 x)
{
    const dc_real s = 1/(p->sigma[i]*p->sigma[i]), t = 1/(p->sigma[h]*p->sigma[h]);
    const dc_v3   at = dc_sub(x, p->p[i]), heavy = dc_sub(x, p->p[h]);
    dci_sdf_cloud_point r;

    r.weight = dci_sdf_along_weight(dci_sdf_exp_short(dc_min(dci_sdf_cloud_gap(p, i, h, x), 0)));
    r.sharpness = s - t;
    r.n = dc_sub(p->n[i], p->n[h]);
    r.value = dc_dot(r.n, at) + dc_dot(p->n[h], dc_sub(p->p[h], p->p[i]));
    r.slope = dc_madd(dc_scale(-s, dc_sub(p->p[h], p->p[i])), t - s, heavy);
    return r;
}

static DCI_NOINLINE dci_jet dci_sdf_cloud_along(const dci_sdf_part *a, dc_v3 x, dc_v3 u)
{
    const dc_sdf_prim *p = a->prim;
    dc_v3   b = dc_vec(0, 0, 0), g = b, spread = b;         /* E[b], grad phi, E[c c^T] u */
    dc_real sum = 0, sharp = 0, phi = 0, heavy;             /* of the weights; E[s] */
    dci_jet T = dci_jet_zero();
    int i, h = 0;

    for (i = 1; i < p->count; ++i)
        if (dci_sdf_cloud_gap(p, i, h, x) > 0) h = i;
    heavy = 1/(p->sigma[h]*p->sigma[h]);

    /* means */
    for (i = 0; i < p->count; ++i) {
        const dci_sdf_cloud_point r = dci_sdf_cloud_relative(p, i, h, x);
        sum += r.weight;
        phi += r.weight*r.value;
        sharp += r.weight*r.sharpness;
        b = dc_madd(b, r.weight, r.slope);
    }
    phi /= sum;
    sharp /= sum;
    b = dc_scale(1/sum, b);

    /* and those of what is centred */
    for (i = 0; i < p->count; ++i) {
        const dci_sdf_cloud_point r = dci_sdf_cloud_relative(p, i, h, x);
        const dc_v3   c = dc_sub(r.slope, b);
        g = dc_madd(dc_madd(g, r.weight/sum, r.n), r.weight/sum*(r.value - phi), c);
        spread = dc_madd(spread, r.weight/sum*dc_dot(c, u), c);
    }

    for (i = 0; i < p->count; ++i) {
        const dci_sdf_cloud_point r = dci_sdf_cloud_relative(p, i, h, x);
        const dc_v3   c = dc_sub(r.slope, b), turn = dc_madd(dc_scale(sharp - r.sharpness, u), -1, spread);
        const dc_real w = r.weight/sum, dw = w*dc_dot(c, u), D = r.value - phi;
        const dc_real dwD = dw*D + w*dc_dot(dc_sub(r.n, g), u), s = heavy + r.sharpness;
        T = dci_jet_add_pair(T, dw, r.n, c);
        T = dci_jet_add_pair(T, w, r.n, turn);
        T = dci_jet_add_pair(T, w*D, turn, c);
        T = dci_jet_add_pair(T, DC_R(0.5)*dwD, c, c);
        T.by_xx -= s*dwD; T.by_yy -= s*dwD; T.by_zz -= s*dwD;
    }
    return T;
}

/* that of the primitive, in its axes */
static void dci_sdf_third_part(dci_sdf_third *b, int w)
{
    const dci_sdf_part *a = b->at.part;
    int l;

    dci_sdf_third_local(b, w);
    if (a->kernel == DCI_SDF_RADIAL) dci_sdf_third_radial(b, w);
    else if (a->kernel == DCI_SDF_GAUGE) dci_sdf_third_gauge(b, w);
    else if (a->kernel == DCI_SDF_ROUNDED) dci_sdf_third_rounded(b, w);
    else
        for (l = 0; l < w; ++l) {
            const dc_v3 x = dci_sdf_third_vector(b->at.local, l), u = dci_sdf_third_vector(b->local, l);
            dci_jet_store(b->along, l, a->kernel == DCI_SDF_PLANES ? dci_sdf_planes_along(a, x, u)
                                                                   : dci_sdf_cloud_along(a, x, u), 2);
        }
}

/* the n points of a block, as dci_sdf_block_sdf; 0 when a number of theirs is not finite */
static int dci_sdf_third_run(dci_sdf_third *b, const dc_sdf *s, int n, int gauge)
{
    const int w = (n + DC_LANES - 1)/DC_LANES*DC_LANES;
    dc_real inv_tau, hess_tau;
    int i, l, k, subtract = 0;

    dci_sdf_taus(s->tau, &inv_tau, &hess_tau);
    for (i = 0; i < s->n; ++i) {
        /* a change from union to subtraction or back */
        if (!s->prim[i].subtract != !subtract) {
            dci_sdf_third_close(b, w, s->tau);
            dci_sdf_third_sign(b, w, -1);
            subtract = !subtract;
        }

        dci_sdf_part_of(&s->prim[i], &b->at.next);
        if (gauge) b->at.next.kernel = DCI_SDF_GAUGE;
        b->at.part = &b->at.next;
        b->at.kernel = b->at.next.kernel;
        dci_sdf_block_whole(&b->at, w);
        dci_sdf_third_jets(b);
        dci_sdf_third_part(b, w);
        dci_sdf_third_fold(b, w, i == 0, inv_tau, hess_tau);
        dci_sdf_third_join(b, i == 0, inv_tau, hess_tau);
    }
    if (subtract) dci_sdf_third_sign(b, w, -1);

    for (k = 4; k < 10; ++k)
        for (l = 0; l < n; ++l)
            if (!dc_finite(b->fold_along[k][l])) return 0;
    return 1;
}

DC_DEF size_t dc_sdf_along_bytes(void) { return dc_bytes(0, 1, sizeof(dci_sdf_third)); }

DC_DEF dc_status dc_sdf_ddir_along(const dc_sdf *s, int count, const dc_real *x, const dc_real *u, size_t stride,
                                   dc_arena *mem, dc_real *dddir)
{
    dci_sdf_third *b;
    size_t used, i;
    int k, l, n;

    if (!dci_sdf_ok(s) || !mem || count < 0 || stride < (size_t)count || (count > 0 && (!x || !u || !dddir)))
        return DC_E_ARG;
    for (k = 0; k < s->n; ++k)
        if (s->prim[k].kind == DC_SDF_SUPERQUADRIC && s->prim[k].taubin) return DC_E_ARG;
    for (i = 0; i < (size_t)count; ++i)
        if (!dc_in_range(dc_vec(x[i], x[stride + i], x[2*stride + i]))
            || !dc_in_range(dc_vec(u[i], u[stride + i], u[2*stride + i]))) return DC_E_ARG;
    used = mem->used;
    b = (dci_sdf_third *)dc_arena_take(mem, 1, sizeof *b);
    mem->used = used;
    if (!b) return DC_E_MEMORY;

    for (i = 0; i < (size_t)count; i += (size_t)n) {
        /* lanes without a point repeat the last */
        n = (size_t)count - i < DCI_SDF_BLOCK ? (int)((size_t)count - i) : DCI_SDF_BLOCK;
        for (k = 0; k < 3; ++k)
            for (l = 0; l < DCI_SDF_BLOCK; ++l) {
                const size_t at = (size_t)k*stride + i + (size_t)(l < n ? l : n - 1);
                b->at.body[k][l] = x[at];
                b->direction[k][l] = u[at];
            }
        if (!dci_sdf_third_run(b, s, n, s->n == 1 && s->prim[0].kind == DC_SDF_SUPERQUADRIC)) return DC_E_RANGE;
        for (k = 0; k < 6; ++k)
            memcpy(dddir + (size_t)k*stride + i, b->fold_along[4 + k], (size_t)n*sizeof *dddir);
    }
    return DC_OK;
}

/* ---- [bounds] least values over balls ------------------------------------------------------- */
/* stage               | reads               | writes                        | equation
 * dci_sdf_part_bounds | a primitive, balls  | its least values there        | dci_sdf_ball
 * dc_sdf_bound        | a field, balls      | theirs                        | min - tau log n */

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif

/* the lesser of what is and what a superquadric is at least in a ball */
DCI_LANE dc_real dci_quadric_bound(const dci_sdf_part *a, dc_v3 x, dc_real r, dc_real shrink, dc_real least)
{
    const dc_real gap = dci_sqrt_lane(dci_sdf_d2(a->origin, x.x, x.y, x.z)) - a->ball.outer - r;
    const dc_real phi = gap > 0 ? gap*shrink : gap;
    return phi < least ? phi : least;
}

/* least <- min(least, a superquadric's value in n balls); r NULL: 0 */
static DCI_NOINLINE void dci_quadric_bounds(const dci_sdf_part *of, int n, const dc_v3 *x,
                                            const dc_real *DCI_RESTRICT r, dc_real *DCI_RESTRICT least)
{
    const dci_sdf_part a = *of;
    const dc_real shrink = 1/a.ball.stretch;
    int k;

    if (r) for (k = 0; k < n; ++k) least[k] = dci_quadric_bound(&a, x[k], r[k], shrink, least[k]);
    else for (k = 0; k < n; ++k) least[k] = dci_quadric_bound(&a, x[k], 0, shrink, least[k]);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* the same of any kind over balls; r NULL: 0 */
static void dci_sdf_part_bounds(const dci_sdf_part *a, int n, const dc_v3 *x, const dc_real *r, dc_real *least)
{
    int k;

    if (a->kernel <= DCI_SDF_TAUBIN) {
        dci_quadric_bounds(a, n, x, r, least);
        return;
    }
    for (k = 0; k < n; ++k) {
        const dc_real R = r ? r[k] : 0;
        dc_real phi = -DC_REAL_MAX;

        if (a->kernel != DCI_SDF_CLOUD)
            /* what changes by a unit of length or less along one: |n.n - 1| <= 1e-3 */
            phi = dci_sdf_part_at(a, x[k], 0).value - DC_R(1.001)*R;
        least[k] = dc_min(least[k], phi);
    }
}

DC_DEF dc_status dc_sdf_bound(const dc_sdf *s, int count, const dc_v3 *x, const dc_real *r, dc_real *least)
{
    dc_real below;
    int i, k, unions = 0;
    if (!dci_sdf_ok(s) || count < 0 || (count > 0 && (!x || !least))) return DC_E_ARG;
    for (k = 0; k < count; ++k)
        if (!dc_in_range(x[k]) || (r && (!(r[k] >= 0) || !dc_finite(r[k])))) return DC_E_ARG;

    /* the least of what is joined; a subtraction raises a field */
    for (k = 0; k < count; ++k) least[k] = DC_REAL_MAX;
    for (i = 0; i < s->n; ++i) {
        dci_sdf_part a;
        if (s->prim[i].subtract) continue;
        dci_sdf_part_of(&s->prim[i], &a);
        dci_sdf_part_bounds(&a, count, x, r, least);
        ++unions;
    }

    /* a smooth minimum of n is less by tau log n at most */
    below = s->tau*dc_log((dc_real)unions);
    for (k = 0; k < count; ++k) least[k] = dc_max(least[k] - below, -DC_REAL_MAX);
    return DC_OK;
}

/* ---- [marching] meshes: marching tetrahedra ------------------------------------------------- */
/* stage                | reads                 | writes
 * dci_mesh_sample      | the field, the grid   | phi
 * dci_mesh_vertices    | phi                   | how many vertices, or where they are
 * dci_mesh_triangles   | phi                   | how many triangles, or their corners */

/* A cell is cut along its diagonal into six tetrahedra 0, e_i, e_i + e_j, 7 (corners as bits x, y, z). Their edges
 * run from a grid point in seven directions, the bits of the other end, so that neighbouring cells agree on every
 * face. */

static dc_v3 dci_grid_step(const dc_grid *g)
{
    return dc_vec((g->hi.x - g->lo.x)/(dc_real)(g->nx - 1), (g->hi.y - g->lo.y)/(dc_real)(g->ny - 1),
                  (g->hi.z - g->lo.z)/(dc_real)(g->nz - 1));
}

static int dci_grid_ok(const dc_grid *g)
{
    return g && dc_in_range(g->lo) && dc_in_range(g->hi) && g->nx >= 2 && g->ny >= 2 && g->nz >= 2 && g->hi.x > g->lo.x
        && g->hi.y > g->lo.y && g->hi.z > g->lo.z && g->ny <= INT_MAX/16/g->nx && g->nz <= INT_MAX/16/g->nx/g->ny
        && dci_grid_step(g).x >= 1/DC_LIMIT && dci_grid_step(g).y >= 1/DC_LIMIT && dci_grid_step(g).z >= 1/DC_LIMIT;
}

static dc_v3 dci_grid_point(const dc_grid *g, int i, int j, int k)
{
    dc_v3 h = dci_grid_step(g);
    return dc_vec(g->lo.x + (dc_real)i*h.x, g->lo.y + (dc_real)j*h.y, g->lo.z + (dc_real)k*h.z);
}

static size_t dci_grid_count(const dc_grid *g) { return (size_t)g->nx*(size_t)g->ny*(size_t)g->nz; }

/* where the grid point (i, j, k) stands in a sampled field */
static size_t dci_grid_at(const dc_grid *g, int i, int j, int k)
{
    return ((size_t)k*(size_t)g->ny + (size_t)j)*(size_t)g->nx + (size_t)i;
}

/* What is cut at a time into points on the zero set */
#define DCI_MESH_CUTS DCI_SDF_BLOCK

typedef struct {
    dc_real points[3*DCI_MESH_CUTS], field[DCI_MESH_CUTS];      /* where the field is asked, three rows; the answer */
    dc_v3 inside[DCI_MESH_CUTS], outside[DCI_MESH_CUTS];        /* ends of edges, field below 0 and not below 0 */
    dc_real field_inside[DCI_MESH_CUTS], field_outside[DCI_MESH_CUTS];
    dc_arena mem;                           /* of a batch */
} dci_mesh_cuts;

/* Corner c belongs to triangle c/3; the corners of a vertex are a list, head[v], next[].. */
typedef struct {
    int *head, *next;
    int *stamp;                             /* of a vertex: a neighbour of the one that is looked at */
    int *map;                               /* of a vertex: itself, in the end its number; -1: gone */
} dci_mesh_links;

typedef struct {
    const dc_sdf *sdf;
    const dc_grid *grid;
    dc_real step;                           /* shortest side of a cell */
    dc_real *phi;                           /* of the grid points */
    int *number;                            /* of vertices, two layers of edges: [layer & 1][direction - 1][j*nx + i] */
    dci_mesh_cuts cuts;
    dc_v3 *vertex;
    int *tri, *edge;
    int vertices, triangles;
    dci_mesh_links link;
} dci_mesher;

/* the fields at n points */
static dc_status dci_mesh_values(dci_mesher *m, int n)
{
    dc_sdf_out out = DC_ZERO;

    out.value = m->cuts.field;
    return dc_sdf_eval_batch(m->sdf, n, m->cuts.points, DCI_MESH_CUTS, &m->cuts.mem, &out);
}

static void dci_mesh_put(dci_mesh_cuts *c, int l, dc_v3 x)
{
    c->points[l] = x.x;
    c->points[DCI_MESH_CUTS + l] = x.y;
    c->points[2*DCI_MESH_CUTS + l] = x.z;
}

static dc_v3 dci_mesh_get(const dci_mesh_cuts *c, int l)
{
    return dc_vec(c->points[l], c->points[DCI_MESH_CUTS + l], c->points[2*DCI_MESH_CUTS + l]);
}

/* the field at every grid point */
static DCI_NOINLINE dc_status dci_mesh_sample(dci_mesher *m)
{
    const dc_grid *g = m->grid;
    int i, j, k, l, n;

    for (k = 0; k < g->nz; ++k)
        for (j = 0; j < g->ny; ++j)
            for (i = 0; i < g->nx; i += n) {
                dc_status status;

                /* a run of a row */
                n = g->nx - i < DCI_MESH_CUTS ? g->nx - i : DCI_MESH_CUTS;
                for (l = 0; l < n; ++l) dci_mesh_put(&m->cuts, l, dci_grid_point(g, i + l, j, k));
                status = dci_mesh_values(m, n);
                if (status != DC_OK) return status;

                for (l = 0; l < n; ++l) {
                    const int at = i + l, rim = at == 0 || at == g->nx - 1 || j == 0 || j == g->ny - 1;
                    if ((rim || k == 0 || k == g->nz - 1) && m->cuts.field[l] < 0) return DC_E_RANGE;
                    m->phi[dci_grid_at(g, at, j, k)] = m->cuts.field[l];
                }
            }
    return DC_OK;
}

/* Is there a vertex on the edge from point (i,j,k) in a direction? *at, *to: its ends in phi. */
static int dci_mesh_crossed(const dci_mesher *m, int i, int j, int k, int d, size_t *at, size_t *to)
{
    const dc_grid *g = m->grid;
    int i1 = i + (d & 1), j1 = j + (d >> 1 & 1), k1 = k + (d >> 2);

    if (i1 >= g->nx || j1 >= g->ny || k1 >= g->nz) return 0;
    *at = dci_grid_at(g, i, j, k);
    *to = dci_grid_at(g, i1, j1, k1);
    return (m->phi[*at] < 0) != (m->phi[*to] < 0);
}

/* Moves the n pending vertices to the zero between their ends: regula falsi, every third step a bisection, so that the
 * bracket shrinks whatever the field. Stops at the rounding of the coordinates. */
static dc_status dci_mesh_cut(dci_mesher *m, int first, int n)
{
    dci_mesh_cuts *c = &m->cuts;
    int l, steps, all = 0;

    for (steps = 0; !all && steps < 3*(DC_IS_FLOAT ? 24 : 53); ++steps) {
        dc_status status;

        /* where the field would be zero if it were linear between the ends, or the middle */
        for (l = 0; l < n; ++l) {
            dc_real t = c->field_inside[l]/(c->field_inside[l] - c->field_outside[l]);
            if (steps % 3 == 2 || !(t > 0) || !(t < 1)) t = DC_R(0.5);
            dci_mesh_put(c, l, dc_madd(c->inside[l], t, dc_sub(c->outside[l], c->inside[l])));
        }
        status = dci_mesh_values(m, n);
        if (status != DC_OK) return status;

        /* it takes the place of the end on its side */
        for (all = 1, l = 0; l < n; ++l) {
            dc_v3 x = dci_mesh_get(c, l), gap;
            dc_real size = dc_max(dc_abs(x.x), dc_max(dc_abs(x.y), dc_abs(x.z)));
            if (c->field[l] < 0) {
                c->inside[l] = x;
                c->field_inside[l] = c->field[l];
            } else {
                c->outside[l] = x;
                c->field_outside[l] = c->field[l];
            }
            gap = dc_sub(c->outside[l], c->inside[l]);
            if (dc_max(dc_abs(gap.x), dc_max(dc_abs(gap.y), dc_abs(gap.z))) > 2*DC_EPS*size
                && dc_min(dc_abs(c->field_inside[l]), dc_abs(c->field_outside[l])) > 4*DC_EPS*(size + m->step)) all = 0;
        }
    }

    /* the end with the smaller field */
    for (l = 0; l < n; ++l)
        m->vertex[first + l] = dc_abs(c->field_inside[l]) <= dc_abs(c->field_outside[l]) ? c->inside[l] : c->outside[l];
    return DC_OK;
}

/* All vertices, in the order of the grid's edges. count: only their number. */
static DCI_NOINLINE dc_status dci_mesh_vertices(dci_mesher *m, int count)
{
    const dc_grid *g = m->grid;
    dci_mesh_cuts *c = &m->cuts;
    int i, j, k, d, n = 0;

    m->vertices = 0;
    for (k = 0; k < g->nz; ++k)
        for (j = 0; j < g->ny; ++j)
            for (i = 0; i < g->nx; ++i)
                for (d = 1; d < 8; ++d) {
                    size_t at, to;
                    dc_v3 a, b;
                    int below;
                    if (!dci_mesh_crossed(m, i, j, k, d, &at, &to)) continue;
                    ++m->vertices;
                    if (count) continue;

                    /* wait, until there are enough to cut them together */
                    a = dci_grid_point(g, i, j, k);
                    b = dci_grid_point(g, i + (d & 1), j + (d >> 1 & 1), k + (d >> 2));
                    below = m->phi[at] < 0;
                    c->inside[n] = below ? a : b;
                    c->outside[n] = below ? b : a;
                    c->field_inside[n] = m->phi[below ? at : to];
                    c->field_outside[n] = m->phi[below ? to : at];
                    if (++n == DCI_MESH_CUTS) {
                        dc_status status = dci_mesh_cut(m, m->vertices - n, n);
                        if (status != DC_OK) return status;
                        n = 0;
                    }
                }
    return n > 0 ? dci_mesh_cut(m, m->vertices - n, n) : DC_OK;
}

static void dci_mesh_triangle(dci_mesher *m, int count, int a, int b, int c)
{
    size_t at = 3*(size_t)m->triangles++;

    if (count) return;
    m->tri[at] = a; m->tri[at + 1] = b; m->tri[at + 2] = c;
}

/* number of the vertex on the edge between corners p and q of the cell */
static int dci_mesh_id(const dci_mesher *m, const int cell[3], int p, int q)
{
    const int low = p < q ? p : q, direction = p < q ? q - p : p - q;
    size_t nx = (size_t)m->grid->nx, layer = nx*(size_t)m->grid->ny;
    int i = cell[0] + (low & 1), j = cell[1] + (low >> 1 & 1), k = cell[2] + (low >> 2);

    return m->number[((size_t)(k & 1)*7 + (size_t)(direction - 1))*layer + (size_t)j*nx + (size_t)i];
}

/* The triangles of a tetrahedron, corners c in positive orientation, `in` the bits of those inside. With corner order
 * p q r s, an even permutation of c: p alone inside gives the triangle pq pr ps, p alone outside pq ps pr, p and q
 * inside the quadrangle pr ps qs qr, cut along the shorter diagonal. */
static void dci_mesh_tetrahedron(dci_mesher *m, int count, const int cell[3], const int *c, int in)
{
    static const signed char order[16][4] = {
        {0, 0, 0, 0}, {0, 1, 2, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {2, 3, 0, 1}, {0, 2, 3, 1}, {1, 2, 0, 3}, {3, 2, 1, 0},
        {3, 2, 1, 0}, {0, 3, 1, 2}, {1, 3, 2, 0}, {2, 3, 0, 1}, {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 0, 0, 0}
    };
    const int p = c[order[in][0]], q = c[order[in][1]], r = c[order[in][2]], s = c[order[in][3]];
    const int bits = (in & 1) + (in >> 1 & 1) + (in >> 2 & 1) + (in >> 3);
    int pq = 0, pr = 0, ps = 0, qs = 0, qr = 0, first = 1;

    if (bits == 0 || bits == 4) return;
    if (!count) {
        pr = dci_mesh_id(m, cell, p, r);
        ps = dci_mesh_id(m, cell, p, s);
    }

    /* one corner alone */
    if (bits != 2) {
        if (!count) pq = dci_mesh_id(m, cell, p, q);
        dci_mesh_triangle(m, count, pq, bits == 1 ? pr : ps, bits == 1 ? ps : pr);
        return;
    }

    /* two and two: the shorter diagonal */
    if (!count) {
        dc_v3 x, y;
        qs = dci_mesh_id(m, cell, q, s);
        qr = dci_mesh_id(m, cell, q, r);
        x = dc_sub(m->vertex[pr], m->vertex[qs]);
        y = dc_sub(m->vertex[ps], m->vertex[qr]);
        first = dc_dot(x, x) <= dc_dot(y, y);
    }
    dci_mesh_triangle(m, count, pr, ps, first ? qs : qr);
    dci_mesh_triangle(m, count, first ? pr : ps, qs, qr);
}

/* All triangles, cell by cell. count: only their number. */
static DCI_NOINLINE void dci_mesh_triangles(dci_mesher *m, int count)
{
    static const signed char tetrahedron[6][4] = {
        {0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}
    };
    const dc_grid *g = m->grid;
    const size_t nx = (size_t)g->nx, layer = nx*(size_t)g->ny;
    size_t at, to;
    int i, j, k, d, t, l, numbered = 0;

    m->triangles = 0;
    for (k = 0; k < g->nz; ++k) {
        /* the numbers of this layer's vertices take the place of those of the last but one */
        for (j = 0; !count && j < g->ny; ++j)
            for (i = 0; i < g->nx; ++i)
                for (d = 1; d < 8; ++d)
                    if (dci_mesh_crossed(m, i, j, k, d, &at, &to))
                        m->number[((size_t)(k & 1)*7 + (size_t)(d - 1))*layer + (size_t)j*nx + (size_t)i] = numbered++;
        if (k == 0) continue;

        /* the cells below it */
        for (j = 0; j < g->ny - 1; ++j)
            for (i = 0; i < g->nx - 1; ++i) {
                int cell[3], in = 0;
                cell[0] = i; cell[1] = j; cell[2] = k - 1;
                for (l = 0; l < 8; ++l)
                    if (m->phi[dci_grid_at(g, i + (l & 1), j + (l >> 1 & 1), k - 1 + (l >> 2))] < 0) in |= 1 << l;
                if (in == 0 || in == 255) continue;
                for (t = 0; t < 6; ++t) {
                    int c[4], mask = 0;
                    for (l = 0; l < 4; ++l) {
                        c[l] = tetrahedron[t][l];
                        mask |= (in >> c[l] & 1) << l;
                    }
                    dci_mesh_tetrahedron(m, count, cell, c, mask);
                }
            }
    }
}

/* ---- [collapse] meshes: collapsing edges, and the call -------------------------------------- */
/* stage                | reads                 | writes
 * dci_mesh_link        | triangles             | corners of each vertex
 * dci_mesh_simplify    | these, the field      | these, with fewer vertices, and their places
 * dci_mesh_pack        | what is left          | a dc_mesh, edges included
 * dci_mesh_run         | the field, the grid   | a dc_mesh: all of these, and of [marching] */

/* Triangles that are gone have -1 in their first place, and stay in the lists of corners. */

static int dci_mesh_alive(const dci_mesher *m, int corner) { return m->tri[corner - corner%3] >= 0; }

/* the k-th vertex after a corner's in its triangle */
static int dci_mesh_after(const dci_mesher *m, int corner, int k)
{
    return m->tri[corner - corner%3 + (corner%3 + k)%3];
}

static DCI_NOINLINE void dci_mesh_link(dci_mesher *m)
{
    dci_mesh_links *link = &m->link;
    int c, v;

    for (v = 0; v < m->vertices; ++v) {
        link->head[v] = -1;
        link->stamp[v] = -1;
        link->map[v] = v;
    }
    for (c = 3*m->triangles - 1; c >= 0; --c) {
        link->next[c] = link->head[m->tri[c]];
        link->head[m->tri[c]] = c;
    }
}

/* The edge (u, w) may go without tearing the surface or gluing sheets: u and w have two common neighbours, those
 * opposite to the edge, and neither of these has but three triangles. */
static DCI_NOINLINE int dci_mesh_may_collapse(dci_mesher *m, int u, int w)
{
    const int *head = m->link.head, *next = m->link.next;
    int *stamp = m->link.stamp;
    int c, k, e, common = 0, opposite = 0;

    /* neighbours of u */
    for (c = head[u]; c >= 0; c = next[c])
        if (dci_mesh_alive(m, c))
            for (k = 1; k < 3; ++k) stamp[dci_mesh_after(m, c, k)] = u;

    /* those of w among them, and those opposite to the edge */
    for (c = head[w]; c >= 0; c = next[c]) {
        if (!dci_mesh_alive(m, c)) continue;
        for (k = 1; k < 3; ++k) {
            int a = dci_mesh_after(m, c, k), b = dci_mesh_after(m, c, 3 - k);
            if (b == u) {
                int count = 0;
                for (e = head[a]; e >= 0; e = next[e]) count += dci_mesh_alive(m, e);
                if (count <= 3) return 0;
                ++opposite;
            }
            if (stamp[a] == u) {
                ++common;
                stamp[a] = -1;
            }
        }
    }
    return common == 2 && opposite == 2;
}

/* Four times the square of a triangle's area over the fourth power of its longer edge at a corner: 0 for a needle */
static dc_real dci_mesh_shape(dc_v3 n, dc_v3 a, dc_v3 b)
{
    dc_real longest = dc_max(dc_dot(a, a), dc_dot(b, b));
    return dc_dot(n, n)/dc_max(longest*longest, DC_REAL_MIN);
}

/* With u moved to x, do the triangles of u that are not at w as well keep their side? The normal is compared with
 * what it was, or with the gradient g at x where the triangle was a needle or far below `most`. *was, *is: their
 * worst shapes. */
static DCI_NOINLINE int dci_mesh_fits(const dci_mesher *m, int u, int w, dc_v3 x, dc_v3 g, dc_real most, dc_real *was,
                                      dc_real *is)
{
    int c;

    for (c = m->link.head[u]; c >= 0; c = m->link.next[c]) {
        int i, j;
        dc_v3 a, b, n, side;
        dc_real shape, along;

        /* the triangle as it was */
        if (!dci_mesh_alive(m, c)) continue;
        i = dci_mesh_after(m, c, 1);
        j = dci_mesh_after(m, c, 2);
        a = dc_sub(m->vertex[i], m->vertex[u]);
        b = dc_sub(m->vertex[j], m->vertex[u]);
        side = dc_cross(a, b);
        shape = dci_mesh_shape(side, a, b);
        *was = dc_min(*was, shape);
        if (i == w || j == w) continue;
        if (!(shape > DC_R(1e-3)) || dc_dot(a, a) < DC_R(0.25)*most*most) side = g;

        /* and as it would be */
        a = dc_sub(m->vertex[i], x);
        b = dc_sub(m->vertex[j], x);
        n = dc_cross(a, b);
        along = dc_dot(n, side);
        if (!(along > 0) || !(along*along > DC_R(0.1)*dc_dot(n, n)*dc_dot(side, side))) return 0;
        *is = dc_min(*is, dci_mesh_shape(n, a, b));
    }
    return 1;
}

/* Newton's steps onto the zero set along the gradient, g there. 0: they did not get there within `reach`. */
static int dci_mesh_project(const dci_mesher *m, dc_v3 *x, dc_v3 *g, dc_real reach)
{
    const dc_v3 from = *x;
    int k;

    for (k = 0; k < 12; ++k) {
        dc_real phi = 0, grad[3] = {0, 0, 0}, g2, size = dc_max(dc_abs(x->x), dc_max(dc_abs(x->y), dc_abs(x->z)));
        dc_v3 e = dc_sub(*x, from);

        if (!(dc_dot(e, e) <= reach*reach) || dc_sdf_eval(m->sdf, *x, &phi, grad, NULL) != DC_OK) return 0;
        *g = dc_vec(grad[0], grad[1], grad[2]);
        if (dc_abs(phi) <= 8*DC_EPS*(size + m->step)) return 1;

        /* no step where the gradient vanishes */
        g2 = dc_dot(*g, *g);
        if (!(g2 > DC_EPS)) return 0;
        *x = dc_madd(*x, -phi/g2, *g);
    }
    return 0;
}

/* w becomes u, which moves to x */
static DCI_NOINLINE void dci_mesh_collapse(dci_mesher *m, int u, int w, dc_v3 x)
{
    dci_mesh_links *link = &m->link;
    int c, last = -1;

    /* triangles at both go, the others of w change over */
    for (c = link->head[w]; c >= 0; c = link->next[c]) {
        if (dci_mesh_alive(m, c)) {
            if (dci_mesh_after(m, c, 1) == u || dci_mesh_after(m, c, 2) == u) m->tri[c - c%3] = -1;
            else m->tri[c] = u;
        }
        last = c;
    }

    /* their corners come before those of u */
    link->next[last] = link->head[u];
    link->head[u] = link->head[w];
    link->map[w] = -1;
    m->vertex[u] = x;
}

/* Collapses an edge at u shorter than `most`, to the middle or one of its ends; 0: there is none. */
static int dci_mesh_shorten(dci_mesher *m, int u, dc_real most)
{
    int c, k, t;

    for (c = m->link.head[u]; c >= 0; c = m->link.next[c]) {
        if (!dci_mesh_alive(m, c)) continue;
        for (k = 1; k < 3; ++k) {
            int w = dci_mesh_after(m, c, k);
            dc_v3 e = dc_sub(m->vertex[w], m->vertex[u]);
            dc_real len2 = dc_dot(e, e);
            if (w < u || !(len2 < most*most) || !dci_mesh_may_collapse(m, u, w)) continue;

            /* the middle, u, w */
            for (t = 0; t < 3; ++t) {
                dc_v3 x = dc_madd(m->vertex[u], t == 0 ? DC_R(0.5) : (dc_real)(t - 1), e), g;
                dc_real was = DC_R(0.01), is = 1;
                if (!dci_mesh_project(m, &x, &g, most) || !dci_mesh_fits(m, u, w, x, g, most, &was, &is)
                    || !dci_mesh_fits(m, w, u, x, g, most, &was, &is) || is < was) continue;
                dci_mesh_collapse(m, u, w, x);
                return 1;
            }
        }
    }
    return 0;
}

/* Edges below half a step, then ever longer ones until `vertices` are left; 0 when they cannot be reached. */
static DCI_NOINLINE int dci_mesh_simplify(dci_mesher *m, int vertices)
{
    dc_real most = DC_R(0.5)*m->step;
    int left = m->vertices, pass, u;

    dci_mesh_link(m);
    for (pass = 0; pass < 60; ++pass) {
        for (u = 0; u < m->vertices; ++u)
            while (m->link.map[u] >= 0 && (left > vertices || pass == 0) && dci_mesh_shorten(m, u, most)) --left;
        if (vertices == 0 || left <= vertices) return 1;
        most *= DC_R(1.1);
    }
    return 0;
}

/* Renumbers what is left and lists its edges, sorted. */
static DCI_NOINLINE void dci_mesh_pack(dci_mesher *m, dc_mesh *mesh)
{
    int *map = m->link.map, *edge = m->edge;
    int v, c, t, k, nv = 0, nt = 0, ne = 0;

    /* vertices and triangles, numbered anew */
    for (v = 0; v < m->vertices; ++v)
        if (map[v] >= 0) {
            m->vertex[nv] = m->vertex[v];
            map[v] = nv++;
        }
    for (t = 0; t < m->triangles; ++t)
        if (m->tri[3*t] >= 0) {
            for (k = 0; k < 3; ++k) m->tri[3*nt + k] = map[m->tri[3*t + k]];
            ++nt;
        }
    m->vertices = nv;
    m->triangles = nt;
    dci_mesh_link(m);

    /* each edge once: as a < b in the triangle that runs through it upwards */
    for (v = 0; v < nv; ++v) {
        int first = ne;
        for (c = m->link.head[v]; c >= 0; c = m->link.next[c]) {
            int b = dci_mesh_after(m, c, 1);
            if (b < v) continue;
            for (k = ne++; k > first && edge[2*k - 1] > b; --k) edge[2*k + 1] = edge[2*k - 1];
            edge[2*k + 1] = b;
        }
        for (k = first; k < ne; ++k) edge[2*k] = v;
    }

    mesh->v = m->vertex;
    mesh->tri = m->tri;
    mesh->edge = edge;
    mesh->nv = nv;
    mesh->nt = nt;
    mesh->ne = ne;
}

#define DCI_MESH_MOST (INT_MAX/16)           /* vertices and triangles: their corners have to be counted in ints */

DC_DEF size_t dc_sdf_mesh_bytes(const dc_grid *grid, int nv, int nt)
{
    size_t n = (size_t)nv, t = (size_t)nt, sum = 0;

    if (!dci_grid_ok(grid) || nv < 0 || nt < 0 || nv > DCI_MESH_MOST || nt > DCI_MESH_MOST) return 0;
    sum = dc_bytes(sum, 1, sizeof(dci_mesher));
    sum = dc_bytes(sum, dci_grid_count(grid), sizeof(dc_real));
    sum = dc_bytes(sum, (size_t)grid->nx*(size_t)grid->ny, 14*sizeof(int));
    sum = dc_bytes(sum, 1, dc_sdf_batch_bytes());
    sum = dc_bytes(sum, n, sizeof(dc_v3));
    sum = dc_bytes(sum, 3*t, 3*sizeof(int));
    sum = dc_bytes(sum, n, 3*sizeof(int));
    return sum == SIZE_MAX ? 0 : sum;
}

/* samples, counts, then cuts, connects and simplifies; everything from mem */
static dc_status dci_mesh_run(dci_mesher *m, dc_arena *mem, int vertices, dc_mesh *mesh, dc_sdf_mesh_info *info)
{
    const dc_grid *g = m->grid;
    const dc_v3 h = dci_grid_step(g);
    dc_status status;
    void *batch;
    size_t nv, nt;
    int v;

    /* the field at the grid points */
    m->step = dc_min(h.x, dc_min(h.y, h.z));
    m->phi = (dc_real *)dc_arena_take(mem, dci_grid_count(g), sizeof *m->phi);
    m->number = (int *)dc_arena_take(mem, (size_t)g->nx*(size_t)g->ny, 14*sizeof *m->number);
    batch = dc_arena_take(mem, 1, dc_sdf_batch_bytes());
    if (!m->phi || !m->number || !batch) return DC_E_MEMORY;
    m->cuts.mem = dc_arena_make(batch, dc_sdf_batch_bytes());
    if ((status = dci_mesh_sample(m)) != DC_OK) return status;

    /* how much there will be, and memory for it */
    dci_mesh_vertices(m, 1);
    dci_mesh_triangles(m, 1);
    info->nv = m->vertices;
    info->nt = m->triangles;
    if (m->vertices > DCI_MESH_MOST || m->triangles > DCI_MESH_MOST) return DC_E_MEMORY;
    nv = (size_t)m->vertices;
    nt = (size_t)m->triangles;
    m->vertex = (dc_v3 *)dc_arena_take(mem, nv, sizeof *m->vertex);
    m->tri = (int *)dc_arena_take(mem, 3*nt, 3*sizeof(int));
    m->link.head = (int *)dc_arena_take(mem, nv, 3*sizeof(int));
    if (!m->vertex || !m->tri || !m->link.head) return DC_E_MEMORY;
    m->edge = m->tri + 3*nt;
    m->link.next = m->edge + 3*nt;
    m->link.stamp = m->link.head + nv;
    m->link.map = m->link.stamp + nv;

    /* the surface */
    if ((status = dci_mesh_vertices(m, 0)) != DC_OK) return status;
    dci_mesh_triangles(m, 0);
    status = dci_mesh_simplify(m, vertices) ? DC_OK : DC_E_DIVERGED;
    dci_mesh_pack(m, mesh);

    /* how far it is from the zero set */
    for (v = 0; v < m->vertices; ++v) {
        dc_real phi = 0, n[3] = {0, 0, 0};
        dc_sdf_eval(m->sdf, m->vertex[v], &phi, n, NULL);
        info->residual = dc_max(info->residual, dc_abs(phi)/dc_sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2]));
    }
    return status;
}

DC_DEF dc_status dc_sdf_mesh(const dc_sdf_mesh_options *opt, const dc_sdf *s, const dc_grid *grid, dc_arena *mem,
                             dc_mesh *mesh, dc_sdf_mesh_info *info)
{
    const int vertices = opt ? opt->vertices : 0;
    dc_sdf_mesh_info said = DC_ZERO;
    dc_mesh made = DC_ZERO;
    dci_mesher *m;
    dc_status status;
    size_t used;

    if (!dci_sdf_ok(s) || !dci_grid_ok(grid) || !mem || !mesh || vertices < 0) return DC_E_ARG;
    used = mem->used;
    m = (dci_mesher *)dc_arena_take(mem, 1, sizeof *m);
    if (!m) return DC_E_MEMORY;
    m->sdf = s;
    m->grid = grid;
    status = dci_mesh_run(m, mem, vertices, &made, &said);
    mem->used = used;
    if (info && (status == DC_OK || status == DC_E_MEMORY || status == DC_E_DIVERGED)) *info = said;
    if (status != DC_OK && status != DC_E_DIVERGED) return status;

    /* down to the front: every part moves to a lower address than it has, in order */
    *mesh = made;
    mesh->v = (const dc_v3 *)memmove(dc_arena_take(mem, (size_t)made.nv, sizeof *made.v), made.v,
                                     (size_t)made.nv*sizeof *made.v);
    mesh->tri = (const int *)memmove(dc_arena_take(mem, (size_t)made.nt, 3*sizeof(int)), made.tri,
                                     (size_t)made.nt*3*sizeof(int));
    mesh->edge = (const int *)memmove(dc_arena_take(mem, (size_t)made.ne, 2*sizeof(int)), made.edge,
                                      (size_t)made.ne*2*sizeof(int));
    return status;
}

/* ---- [sample] the field of a mesh ----------------------------------------------------------- */
/* In: a closed mesh and a grid; out: the signed distance at the grid's points.
 *
 * stage               | reads                      | writes                           | equation
 * dci_mesh_distance   | a point, a triangle near   | distance, nearest triangle       |
 * dci_mesh_holds      | a point                    | 1: inside                        | solid angles sum to 4 pi
 * dc_sdf_sample       | grid points in turn        | phi                              | both */

/* square of the distance from p to the triangle a b c: to its plane inside the three edges' half-spaces, else to the
 * nearest edge; degenerate triangles are their edges */
static dc_real dci_segment_d2(dc_v3 p, dc_v3 a, dc_v3 b)
{
    dc_v3 e = dc_sub(b, a), d = dc_sub(p, a);
    dc_real l2 = dc_dot(e, e), t = l2 > 0 ? dc_dot(d, e)/l2 : 0;
    d = dc_madd(d, -dc_min(dc_max(t, 0), 1), e);
    return dc_dot(d, d);
}

static dc_real dci_triangle_d2(dc_v3 p, dc_v3 a, dc_v3 b, dc_v3 c)
{
    dc_v3 n = dc_cross(dc_sub(b, a), dc_sub(c, a)), d = dc_sub(p, a);
    dc_real n2 = dc_dot(n, n), h = dc_dot(d, n);
    if (n2 > 0 && dc_dot(dc_cross(dc_sub(b, a), d), n) >= 0 && dc_dot(dc_cross(dc_sub(c, b), dc_sub(p, b)), n) >= 0
        && dc_dot(dc_cross(dc_sub(a, c), dc_sub(p, c)), n) >= 0) return h/n2*h;
    return dc_min(dci_segment_d2(p, a, b), dc_min(dci_segment_d2(p, b, c), dci_segment_d2(p, c, a)));
}

/* Solid angle of a triangle seen from p, over 4 pi (van Oosterom and Strackee):
 *     tan(angle/2) = a.(b x c)/(|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|),  a, b, c from p      */
static dc_real dci_solid_angle(dc_v3 p, dc_v3 a, dc_v3 b, dc_v3 c)
{
    dc_real la, lb, lc;

    a = dc_sub(a, p);
    b = dc_sub(b, p);
    c = dc_sub(c, p);
    la = dc_sqrt(dc_dot(a, a));
    lb = dc_sqrt(dc_dot(b, b));
    lc = dc_sqrt(dc_dot(c, c));
    return dc_atan2(dc_dot(a, dc_cross(b, c)), la*lb*lc + dc_dot(a, b)*lc + dc_dot(b, c)*la + dc_dot(c, a)*lb)
         * DC_R(0.15915494309189535);
}

/* distance from p; *t: a triangle to begin with, then the nearest. `edge` is the longest edge: a triangle with a corner
 * further than the best so far and that is not nearer. */
static dc_real dci_mesh_distance(const dc_mesh *m, dc_v3 p, dc_real edge, int *t)
{
    const int *v = m->tri + 3*(size_t)*t;
    dc_real d2 = dci_triangle_d2(p, m->v[v[0]], m->v[v[1]], m->v[v[2]]), reach = dc_sqrt(d2) + edge;
    int k;

    for (k = 0; k < m->nt; ++k) {
        dc_v3 e;
        dc_real d;

        /* too far by its first corner */
        v = m->tri + 3*(size_t)k;
        e = dc_sub(p, m->v[v[0]]);
        if (dc_dot(e, e) > reach*reach) continue;

        d = dci_triangle_d2(p, m->v[v[0]], m->v[v[1]], m->v[v[2]]);
        if (!(d < d2)) continue;
        d2 = d;
        reach = dc_sqrt(d2) + edge;
        *t = k;
    }
    return dc_sqrt(d2);
}

static int dci_mesh_holds(const dc_mesh *m, dc_v3 p)
{
    dc_real winding = 0;
    int t;
    for (t = 0; t < m->nt; ++t) {
        const int *v = m->tri + 3*(size_t)t;
        winding += dci_solid_angle(p, m->v[v[0]], m->v[v[1]], m->v[v[2]]);
    }
    return winding > DC_R(0.5);
}

DC_DEF dc_status dc_sdf_sample(const dc_mesh *mesh, const dc_grid *grid, dc_real *phi)
{
    dc_real edge = 0, h;
    size_t at = 0;
    int i, j, k, t, nearest = 0, inside = 0;

    if (!mesh || !dci_grid_ok(grid) || !phi || mesh->nt < 1 || mesh->nv < 1 || !mesh->v || !mesh->tri) return DC_E_ARG;
    if (mesh->nt > INT_MAX/3) return DC_E_ARG;
    for (t = 0; t < 3*mesh->nt; ++t)
        if (mesh->tri[t] < 0 || mesh->tri[t] >= mesh->nv || !dc_in_range(mesh->v[mesh->tri[t]])) return DC_E_ARG;

    /* the longest edge */
    for (t = 0; t < 3*mesh->nt; ++t) {
        dc_v3 e = dc_sub(mesh->v[mesh->tri[t]], mesh->v[mesh->tri[t - t%3 + (t%3 + 1)%3]]);
        edge = dc_max(edge, dc_dot(e, e));
    }
    edge = dc_sqrt(edge);

    h = dci_grid_step(grid).x;
    for (k = 0; k < grid->nz; ++k)
        for (j = 0; j < grid->ny; ++j)
            for (i = 0; i < grid->nx; ++i) {
                const dc_v3 p = dci_grid_point(grid, i, j, k);
                const dc_real d = dci_mesh_distance(mesh, p, edge, &nearest);

                /* no surface lies between this point and the last of the row when that is further from it than a
                 * step */
                if (i == 0 || dc_abs(phi[at - 1]) <= DC_R(1.01)*h) inside = dci_mesh_holds(mesh, p);
                phi[at++] = inside ? -d : d;
            }
    return DC_OK;
}

/* ---- [fit] fitting superquadrics ------------------------------------------------------------ */
/* stage              | reads                     | writes                           | equation
 * dci_fit_levels     | phi, state                | prim: one for each region        | [2]
 *   dci_fit_region   | phi, state, a level       | queue: a connected region        |
 *   dci_fit_start    | queue                     | now: an ellipsoid                | moments
 *   dci_fit_one      | phi, others               | now, moved                       | Levenberg, Marquardt
 *   dci_fit_accept   | phi, state, now           | state, others                    |
 * dci_fit_again      | all                       | prim, each moved                 |
 * dci_fit_report     | all                       | residual, covered                | */

enum { DCI_FIT_N = 11 };                    /* twist, logarithms of the axes, exponents */
#define DCI_FIT_EPS DC_R(0.1)               /* least exponent */

/* Gauss's and Newton's equations of one primitive, and their step */
typedef struct {
    dc_real matrix[DCI_FIT_N*DCI_FIT_N], damped[DCI_FIT_N*DCI_FIT_N];
    dc_real downhill[DCI_FIT_N], step[DCI_FIT_N];
} dci_fit_system;

typedef struct {
    const dc_grid *grid;
    const dc_real *phi;
    dc_real step, band;                     /* longest side of a cell; distances are cut off at +-band */
    unsigned char *state;                   /* of the grid points: 1 explained, 2 in a region that was tried */
    int *queue;
    dc_real *others;                        /* least distance to the other primitives */
    dc_sdf_prim *prim, now, trial;          /* all, the one that is being fitted, its next step */
    int count;                              /* of all */
    int from[3], to[3];                     /* grid points that a fit looks at: the box */
    dci_fit_system system;
    dc_real moment[9], axis[9], extent[3];  /* of a region */
    dci_sdf_block block;
    dc_arena *mem;
} dci_fitter;

static dc_real dci_fit_cut(const dci_fitter *f, dc_real d) { return dc_min(dc_max(d, -f->band), f->band); }

/* the box of grid points within `margin` of a primitive */
static void dci_fit_box(dci_fitter *f, const dc_sdf_prim *p, dc_real margin)
{
    const dc_grid *g = f->grid;
    const dc_m3 R = dc_rotation(p->pose.q);
    const dc_v3 h = dci_grid_step(g);
    const dc_real low[3] = {g->lo.x, g->lo.y, g->lo.z}, at[3] = {p->pose.t.x, p->pose.t.y, p->pose.t.z};
    const dc_real step[3] = {h.x, h.y, h.z};
    const dc_real last[3] = {(dc_real)(g->nx - 1), (dc_real)(g->ny - 1), (dc_real)(g->nz - 1)};
    int k;

    for (k = 0; k < 3; ++k) {
        const dc_real *row = R.m + 3*k;
        dc_real e = dc_abs(row[0])*p->size.x + dc_abs(row[1])*p->size.y + dc_abs(row[2])*p->size.z + margin;
        f->from[k] = (int)dc_min(dc_max((at[k] - e - low[k])/step[k], 0), last[k]);
        f->to[k] = (int)dc_min(dc_max((at[k] + e - low[k])/step[k] + 1, 0), last[k]);
    }
}

/* Through the box by runs of a row: from a run of n points at grid point at[] to the next one; 0: that was the last. */
static int dci_fit_walk(const dci_fitter *f, int n, int at[3])
{
    at[0] += n;
    if (at[0] <= f->to[0]) return 1;
    at[0] = f->from[0];
    if (++at[1] <= f->to[1]) return 1;
    at[1] = f->from[1];
    return ++at[2] <= f->to[2];
}

/* Distances as Taubin's form gives them, whose slope at the surface is 1 however flat the primitive is. */
static void dci_fit_load(dci_fitter *f, const dc_sdf_prim *p)
{
    dci_sdf_part_of(p, &f->block.next);
    f->block.next.kernel = f->block.kernel = DCI_SDF_TAUBIN;
    f->block.part = &f->block.next;
}

/* Those of the primitive loaded, in a run of the box from at[] on, at most DCI_SDF_BLOCK points, into block.jet[0];
 * how many. */
static int dci_fit_row(dci_fitter *f, const int at[3])
{
    int n = f->to[0] - at[0] + 1, w, l;

    if (n > DCI_SDF_BLOCK) n = DCI_SDF_BLOCK;
    w = (n + DC_LANES - 1)/DC_LANES*DC_LANES;
    for (l = 0; l < w; ++l) {
        dc_v3 x = dci_grid_point(f->grid, at[0] + (l < n ? l : n - 1), at[1], at[2]);
        f->block.body[0][l] = x.x;
        f->block.body[1][l] = x.y;
        f->block.body[2][l] = x.z;
    }
    dci_sdf_block_part_values(&f->block, w);
    return n;
}

/* others <- min(others, the primitive loaded) in the box */
static void dci_fit_lower(dci_fitter *f)
{
    int at[3], l, n;

    memcpy(at, f->from, sizeof at);
    do {
        dc_real *o = f->others + dci_grid_at(f->grid, at[0], at[1], at[2]);
        n = dci_fit_row(f, at);
        for (l = 0; l < n; ++l) o[l] = dc_min(o[l], f->block.jet[0][l]);
    } while (dci_fit_walk(f, n, at));
}

/* others <- far away in the box */
static void dci_fit_clear(dci_fitter *f)
{
    int at[3];

    memcpy(at, f->from, sizeof at);
    do f->others[dci_grid_at(f->grid, at[0], at[1], at[2])] = DC_LIMIT;
    while (dci_fit_walk(f, 1, at));
}

static void dci_fit_box_all(dci_fitter *f)
{
    f->from[0] = f->from[1] = f->from[2] = 0;
    f->to[0] = f->grid->nx - 1;
    f->to[1] = f->grid->ny - 1;
    f->to[2] = f->grid->nz - 1;
}

/* Sum over the box of rho(r), r = cut(min(phi_l, others)) - cut(field), with
 *     rho = r^2 for r < 0, where the primitive claims what is outside,
 *     rho = c^2 r^2/(c^2 + r^2) for r > 0, where it misses what may belong to another one;
 * with `derivatives`, also its Gauss-Newton matrix and the direction downhill, weights rho'/(2r). */
static dc_real dci_fit_cost(dci_fitter *f, const dc_sdf_prim *p, dc_real c, int derivatives)
{
    dc_real *A = f->system.matrix, *b = f->system.downhill, sum = 0, d[DC_SDF_PARAMS];
    int at[3], l, n, i, j;

    dci_fit_load(f, p);
    if (derivatives) {
        memset(A, 0, sizeof f->system.matrix);
        memset(b, 0, sizeof f->system.downhill);
    }
    memcpy(at, f->from, sizeof at);
    do {
        const size_t first = dci_grid_at(f->grid, at[0], at[1], at[2]);
        n = dci_fit_row(f, at);
        for (l = 0; l < n; ++l) {
            dc_real others = f->others[first + (size_t)l], v = f->block.jet[0][l];
            dc_real r = dci_fit_cut(f, dc_min(v, others)) - dci_fit_cut(f, f->phi[first + (size_t)l]);
            dc_real soft = r > 0 ? c*c/(c*c + r*r) : 1;
            sum += soft*r*r;
            if (!derivatives || r == 0 || v >= others || dc_abs(v) >= f->band) continue;

            /* by the logarithms of the axes */
            dci_sdf_part_params(&f->block.next, dci_grid_point(f->grid, at[0] + l, at[1], at[2]), d);
            d[6] *= p->size.x;
            d[7] *= p->size.y;
            d[8] *= p->size.z;
            for (i = 0; i < DCI_FIT_N; ++i) {
                dc_real wd = soft*soft*d[i];
                b[i] -= wd*r;
                for (j = i; j < DCI_FIT_N; ++j) A[i*DCI_FIT_N + j] += wd*d[j];
            }
        }
    } while (dci_fit_walk(f, n, at));
    return sum;
}

/* trial <- the primitive moved by a step, held in range */
static void dci_fit_move(dci_fitter *f, const dc_sdf_prim *p, const dc_real *x)
{
    const dc_grid *g = f->grid;
    const dc_real most = dc_max(g->hi.x - g->lo.x, dc_max(g->hi.y - g->lo.y, g->hi.z - g->lo.z));
    const dc_real least = DC_R(0.5)*f->step;
    dc_sdf_prim *q = &f->trial;
    dc_real s[3];
    int k;

    *q = *p;
    q->pose = dc_pose_retract(p->pose, x);
    for (k = 0; k < 3; ++k) s[k] = dc_exp(dc_min(dc_max(x[6 + k], DC_R(-0.5)), DC_R(0.5)));
    q->size = dc_vec(dc_max(least, p->size.x*s[0]), dc_max(least, p->size.y*s[1]), dc_max(least, p->size.z*s[2]));
    q->size = dc_vec(dc_min(most, q->size.x), dc_min(most, q->size.y), dc_min(most, q->size.z));
    q->eps1 = dc_min(dc_max(p->eps1 + x[9], DCI_FIT_EPS), 1);
    q->eps2 = dc_min(dc_max(p->eps2 + x[10], DCI_FIT_EPS), 1);
}

/* Levenberg's and Marquardt's steps; the cost at the end */
static void dci_fit_one(dci_fitter *f, dc_sdf_prim *p, dc_real c, int steps)
{
    const dc_real *A = f->system.matrix;
    dc_real *M = f->system.damped, *x = f->system.step, damp = DC_R(1e-3), cost;
    int it, i, j;

    cost = dci_fit_cost(f, p, c, 1);
    for (it = 0; it < steps; ++it) {
        dc_real now, trace = 0;

        /* the damped equations; a step longer where they cannot be solved */
        for (i = 0; i < DCI_FIT_N; ++i) trace += A[i*DCI_FIT_N + i];
        if (!(trace > 0)) break;
        memcpy(M, A, sizeof f->system.matrix);
        for (i = 0; i < DCI_FIT_N; ++i) {
            M[i*DCI_FIT_N + i] += damp*(A[i*DCI_FIT_N + i] + DC_R(1e-6)*trace);
            x[i] = f->system.downhill[i];
            for (j = 0; j < i; ++j) M[i*DCI_FIT_N + j] = M[j*DCI_FIT_N + i];
        }
        if (dc_chol_factor(DCI_FIT_N, M, DCI_FIT_N, NULL) != DC_OK
            || dc_chol_solve(DCI_FIT_N, M, DCI_FIT_N, 1, x, 1) != DC_OK) {
            damp *= 10;
            continue;
        }

        /* taken, if the cost falls; the last one when it falls by little */
        dci_fit_move(f, p, x);
        now = dci_fit_cost(f, &f->trial, c, 0);
        if (now < cost) {
            int little = cost - now <= DC_R(1e-3)*cost;
            *p = f->trial;
            damp = dc_max(DC_R(0.2)*damp, DC_R(1e-6));
            if (little) break;
            cost = dci_fit_cost(f, p, c, 1);
        } else if ((damp *= 5) > DC_R(1e4)) break;
    }
}

/* the grid point that stands at v in a sampled field */
static dc_v3 dci_fit_point(const dc_grid *g, int v) { return dci_grid_point(g, v%g->nx, v/g->nx%g->ny, v/g->nx/g->ny); }

/* An ellipsoid with the first and second moments of the region in queue[0..n), grown by the depth of its level. The
 * axis that is least like the other two is the primitive's z. */
static dc_status dci_fit_start(dci_fitter *f, int n, dc_real depth, dc_sdf_prim *p)
{
    dc_v3 mean = dc_vec(0, 0, 0);
    dc_real e[3];
    dc_m3 R;
    dc_status status;
    int q, a, b, z;

    /* moments */
    for (q = 0; q < n; ++q) mean = dc_madd(mean, 1/(dc_real)n, dci_fit_point(f->grid, f->queue[q]));
    memset(f->moment, 0, sizeof f->moment);
    for (q = 0; q < n; ++q) {
        dc_v3 d = dc_sub(dci_fit_point(f->grid, f->queue[q]), mean);
        dc_m3 o = dc_outer(d, d);
        for (a = 0; a < 9; ++a) f->moment[a] += o.m[a]/(dc_real)n;
    }
    status = dc_eigsym(3, f->moment, 3, f->extent, f->axis, 3, f->mem);
    if (status != DC_OK) return status;

    /* semi-axes, rising; the other two are neighbours */
    for (a = 0; a < 3; ++a) e[a] = dc_sqrt(5*dc_max(f->extent[a], 0)) + depth;
    z = e[0]*e[2] > e[1]*e[1] ? 2 : 0;
    for (b = 0; b < 3; ++b) {
        R.m[3*b] = f->axis[3*((z + 1)%3) + b];
        R.m[3*b + 1] = f->axis[3*((z + 2)%3) + b];
        R.m[3*b + 2] = f->axis[3*z + b];
    }
    if (dc_m3_det(&R) < 0)
        for (b = 0; b < 3; ++b) R.m[3*b] = -R.m[3*b];

    memset(p, 0, sizeof *p);
    p->kind = DC_SDF_SUPERQUADRIC;
    p->pose.q = dc_quat_from_m3(&R);
    p->pose.t = mean;
    p->scale = 1;
    p->size = dc_vec(e[(z + 1)%3], e[(z + 2)%3], e[z]);
    p->eps1 = p->eps2 = DC_R(0.8);
    return DC_OK;
}

/* the points of the region around `seed`: field <= level, not explained, not tried; into queue, marked as tried */
static int dci_fit_region(dci_fitter *f, int seed, dc_real level)
{
    const dc_grid *g = f->grid;
    int n = 0, head, way;

    f->queue[n++] = seed;
    f->state[seed] |= 2;
    for (head = 0; head < n; ++head) {
        int v = f->queue[head], i = v%g->nx, j = v/g->nx%g->ny, k = v/g->nx/g->ny;

        /* the six neighbours */
        for (way = 0; way < 6; ++way) {
            int i1 = i + (way == 0) - (way == 1), j1 = j + (way == 2) - (way == 3), k1 = k + (way == 4) - (way == 5);
            size_t at;
            if (i1 < 0 || j1 < 0 || k1 < 0 || i1 >= g->nx || j1 >= g->ny || k1 >= g->nz) continue;
            at = dci_grid_at(g, i1, j1, k1);
            if (f->state[at] || !(f->phi[at] <= level)) continue;
            f->state[at] |= 2;
            f->queue[n++] = (int)at;
        }
    }
    return n;
}

/* Does the primitive hold at least `least` inner points that were not explained, and little that is outside? Then, with
 * `take`, they are explained and its distances are among the others'. */
static int dci_fit_accept(dci_fitter *f, const dc_sdf_prim *p, int least, int take)
{
    int at[3], l, n, fresh = 0, held = 0, wrong = 0;

    dci_fit_load(f, p);
    dci_fit_box(f, p, f->band);
    memcpy(at, f->from, sizeof at);
    do {
        const size_t first = dci_grid_at(f->grid, at[0], at[1], at[2]);
        n = dci_fit_row(f, at);
        for (l = 0; l < n; ++l) {
            dc_real d = f->block.jet[0][l], want = f->phi[first + (size_t)l];
            unsigned char *state = &f->state[first + (size_t)l];
            if (take && d < DC_R(0.5)*f->step) *state |= 1;
            if (take || !(d < 0)) continue;
            ++held;
            fresh += want < 0 && !(*state & 1);
            wrong += want > f->step && d < DC_R(-0.5)*f->step;
        }
    } while (dci_fit_walk(f, n, at));
    if (take) dci_fit_lower(f);
    return fresh >= least && 20*wrong <= held;
}

/* Every primitive again, with the others as they are now. */
static void dci_fit_again(dci_fitter *f, int steps)
{
    int l, m;

    for (l = 0; l < f->count; ++l) {
        /* the distance to the others */
        dci_fit_box(f, &f->prim[l], 2*f->band);
        dci_fit_clear(f);
        for (m = 0; m < f->count; ++m) {
            if (m == l) continue;
            dci_fit_load(f, &f->prim[m]);
            dci_fit_lower(f);
        }
        dci_fit_one(f, &f->prim[l], f->step, steps);
    }
}

/* what the fit left */
static void dci_fit_report(dci_fitter *f, dc_sdf_fit_info *info)
{
    const size_t count = dci_grid_count(f->grid);
    dc_real sum = 0;
    size_t v, band = 0, inner = 0, held = 0;
    int l;

    /* the distance to all */
    dci_fit_box_all(f);
    dci_fit_clear(f);
    for (l = 0; l < f->count; ++l) {
        dci_fit_load(f, &f->prim[l]);
        dci_fit_lower(f);
    }

    for (v = 0; v < count; ++v) {
        dc_real want = f->phi[v], got = f->others[v], e = dci_fit_cut(f, got) - want;
        if (dc_abs(want) <= 2*f->step) {
            sum += e*e;
            ++band;
        }
        inner += want < 0;
        held += want < 0 && got < 0;
    }
    info->residual = band > 0 ? dc_sqrt(sum/(dc_real)band) : 0;
    info->covered = inner > 0 ? (dc_real)held/(dc_real)inner : 1;
}

DC_DEF size_t dc_sdf_fit_bytes(const dc_grid *grid)
{
    size_t n, sum = 0;

    if (!dci_grid_ok(grid)) return 0;
    n = dci_grid_count(grid);
    sum = dc_bytes(sum, 1, sizeof(dci_fitter));
    sum = dc_bytes(sum, n, 1);
    sum = dc_bytes(sum, n, sizeof(int));
    sum = dc_bytes(sum, n, sizeof(dc_real));
    sum = dc_bytes(sum, 1, dc_eigsym_bytes(3) - (DC_ALIGN - 1));      /* from an aligned place */
    return sum == SIZE_MAX ? 0 : sum;
}

/* the greedy pass over the levels; 0 when the capacity was reached */
static int dci_fit_levels(dci_fitter *f, int capacity, int least, int steps, dc_sdf_fit_info *info)
{
    const size_t count = dci_grid_count(f->grid);
    size_t v;
    dc_real level = 0;

    for (v = 0; v < count; ++v) level = dc_min(level, f->phi[v]);
    for (level *= DC_R(0.8); level < DC_R(-0.2)*f->step; level *= DC_R(0.8)) {
        ++info->levels;
        for (v = 0; v < count; ++v) f->state[v] &= 1;
        for (v = 0; v < count; ++v) {
            /* a region below the level */
            int n;
            if (f->state[v] || !(f->phi[v] <= level)) continue;
            n = dci_fit_region(f, (int)v, level);
            if (n < 3 || dci_fit_start(f, n, -level, &f->now) != DC_OK) continue;
            ++info->regions;

            /* its primitive, first with a wide loss, then with a narrow one */
            dci_fit_box(f, &f->now, 2*f->band);
            dci_fit_one(f, &f->now, 3*f->step, steps);
            dci_fit_box(f, &f->now, 2*f->band);
            dci_fit_one(f, &f->now, f->step, steps);

            /* kept, if it explains enough */
            if (!dci_fit_accept(f, &f->now, least, 0)) continue;
            if (f->count == capacity) return 0;
            dci_fit_accept(f, &f->now, least, 1);
            f->prim[f->count++] = f->now;
        }
    }
    return 1;
}

DC_DEF dc_status dc_sdf_fit(const dc_sdf_fit_options *opt, const dc_grid *grid, const dc_real *phi, dc_arena *mem,
                            dc_sdf_prim *prim, int *n, dc_sdf_fit_info *info)
{
    dc_sdf_fit_options o = DC_ZERO;
    dc_sdf_fit_info said = DC_ZERO;
    dci_fitter *f;
    dc_v3 h;
    size_t used, count, v;
    int all, round;

    /* options */
    if (opt) o = *opt;
    if (o.capacity == 0) o.capacity = 32;
    if (o.least == 0) o.least = 10;
    if (o.steps == 0) o.steps = 30;
    if (!dci_grid_ok(grid) || !phi || !mem || !prim || !n) return DC_E_ARG;
    if (o.capacity < 1 || o.least < 1 || o.steps < 1) return DC_E_ARG;
    count = dci_grid_count(grid);
    for (v = 0; v < count; ++v)
        if (!(dc_abs(phi[v]) <= DC_LIMIT)) return DC_E_ARG;

    /* memory */
    used = mem->used;
    f = (dci_fitter *)dc_arena_take(mem, 1, sizeof *f);
    if (f) {
        f->state = (unsigned char *)dc_arena_take(mem, count, 1);
        f->queue = (int *)dc_arena_take(mem, count, sizeof *f->queue);
        f->others = (dc_real *)dc_arena_take(mem, count, sizeof *f->others);
    }
    if (!f || !f->others || !f->state || !f->queue || mem->size - mem->used < dc_eigsym_bytes(3) - (DC_ALIGN - 1)) {
        mem->used = used;
        return DC_E_MEMORY;
    }

    f->mem = mem;
    f->grid = grid;
    f->phi = phi;
    h = dci_grid_step(grid);
    f->step = dc_max(h.x, dc_max(h.y, h.z));
    f->band = DC_R(2.5)*f->step;
    f->prim = prim;
    f->count = 0;
    memset(f->state, 0, count);
    dci_fit_box_all(f);
    dci_fit_clear(f);

    /* one after the other, then all again */
    all = dci_fit_levels(f, o.capacity, o.least, o.steps, &said);
    for (round = 0; round < 3; ++round) dci_fit_again(f, o.steps);
    dci_fit_report(f, &said);
    *n = f->count;
    mem->used = used;
    if (info) *info = said;
    return all ? DC_OK : DC_E_DIVERGED;
}

#endif /* DC_SDF_NO_SPACE */

/* ============================================================================================== */
#ifndef DC_SDF_NO_PLANE

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")
#endif

/* ---- [polygons] checks, distances, moments -------------------------------------------------- */
/* stage               | reads                      | writes                           | equation
 * dc_poly_check       | vertices                   | a status                         | no edge meets another
 * dci_edge_make       | two vertices               | an edge with what is asked of it |
 * dci_poly_lanes_edge | an edge, lanes of points   | nearest edge, winding of each    |
 * dc_poly_distance, _batch | a polygon, points     | signed distances, nearest edges  | all edges
 * dc_poly_moments     | a polygon                  | area, centroid, second moment    | below */

static int dci_v2_in_range(dc_v2 v) { return dc_abs(v.x) <= DC_LIMIT && dc_abs(v.y) <= DC_LIMIT; }
static dc_v2 dci_v2(dc_real x, dc_real y) { dc_v2 r; r.x = x; r.y = y; return r; }
static dc_real dci_v2_dot(dc_v2 a, dc_v2 b) { return a.x*b.x + a.y*b.y; }
/* positive where b is to the left of a */
static dc_real dci_v2_cross(dc_v2 a, dc_v2 b) { return a.x*b.y - a.y*b.x; }
static dc_v2 dci_v2_sub(dc_v2 a, dc_v2 b) { return dci_v2(a.x - b.x, a.y - b.y); }
/* a + s b */
static dc_v2 dci_v2_madd(dc_v2 a, dc_real s, dc_v2 b) { return dci_v2(a.x + s*b.x, a.y + s*b.y); }

static int dci_poly_ok(const dc_poly *p)
{
    int i;
    if (!p || !p->v || p->n < 3) return 0;
    for (i = 0; i < p->n; ++i)
        if (!dci_v2_in_range(p->v[i])) return 0;
    return 1;
}

static dc_v2 dci_poly_next(const dc_poly *p, int i) { return p->v[i + 1 < p->n ? i + 1 : 0]; }

/* twice the area to the left of the outline, about its first vertex */
static dc_real dci_poly_area2(const dc_poly *p)
{
    dc_real sum = 0;
    int i;
    for (i = 1; i + 1 < p->n; ++i) sum += dci_v2_cross(dci_v2_sub(p->v[i], p->v[0]), dci_v2_sub(p->v[i + 1], p->v[0]));
    return sum;
}

/* Do two segments have a point in common? */
static int dci_segments_meet(dc_v2 a, dc_v2 b, dc_v2 c, dc_v2 d)
{
    dc_v2 ab = dci_v2_sub(b, a), cd = dci_v2_sub(d, c);
    dc_real c_side, d_side, a_side, b_side;

    /* their boxes */
    if (dc_max(a.x, b.x) < dc_min(c.x, d.x) || dc_max(c.x, d.x) < dc_min(a.x, b.x)) return 0;
    if (dc_max(a.y, b.y) < dc_min(c.y, d.y) || dc_max(c.y, d.y) < dc_min(a.y, b.y)) return 0;

    /* the ends of each, on one side of the other */
    c_side = dci_v2_cross(ab, dci_v2_sub(c, a));
    d_side = dci_v2_cross(ab, dci_v2_sub(d, a));
    a_side = dci_v2_cross(cd, dci_v2_sub(a, c));
    b_side = dci_v2_cross(cd, dci_v2_sub(b, c));
    return !((c_side > 0 && d_side > 0) || (c_side < 0 && d_side < 0) || (a_side > 0 && b_side > 0)
             || (a_side < 0 && b_side < 0));
}

DC_DEF dc_status dc_poly_check(const dc_poly *p)
{
    int i, j;

    if (!dci_poly_ok(p)) return DC_E_ARG;
    for (i = 0; i < p->n; ++i) {
        dc_v2 a = p->v[i], b = dci_poly_next(p, i), c = dci_poly_next(p, i + 1 < p->n ? i + 1 : 0);
        dc_v2 e = dci_v2_sub(b, a), f = dci_v2_sub(c, b);
        if (!(dci_v2_dot(e, e) >= 1/DC_LIMIT/DC_LIMIT)) return DC_E_ARG;

        /* neighbours: not back on the same line */
        if (!(dci_v2_cross(e, f) > 0 || dci_v2_cross(e, f) < 0 || dci_v2_dot(e, f) > 0)) return DC_E_ARG;
        for (j = i + 2; j < p->n; ++j)
            if (!(i == 0 && j == p->n - 1) && dci_segments_meet(a, b, p->v[j], dci_poly_next(p, j))) return DC_E_ARG;
    }
    return dci_poly_area2(p) > 0 ? DC_OK : DC_E_ARG;
}

typedef struct {
    dc_real x, y, along_x, along_y;         /* from (x, y) by this to its end */
    dc_real inv_length2;                    /* 1/length^2, 0 for an edge of no length */
    dc_real end_y;                          /* ordinate of its end */
} dci_edge;

DCI_LANE dci_edge dci_edge_make(dc_v2 from, dc_v2 to)
{
    dci_edge e;
    dc_real length2;

    e.x = from.x;
    e.y = from.y;
    e.along_x = to.x - from.x;
    e.along_y = to.y - from.y;
    e.end_y = to.y;
    length2 = e.along_x*e.along_x + e.along_y*e.along_y;
    e.inv_length2 = length2 >= DC_REAL_MIN ? 1/length2 : DC_R(0);
    return e;
}

DCI_LANE dci_edge dci_poly_edge(const dc_poly *p, int i) { return dci_edge_make(p->v[i], dci_poly_next(p, i)); }

/* where on the edge the nearest point to (x, y) is, 0 to 1 */
DCI_LANE dc_real dci_edge_at(const dci_edge *e, dc_real x, dc_real y)
{
    dc_real t = ((x - e->x)*e->along_x + (y - e->y)*e->along_y)*e->inv_length2;

    t = t > 0 ? t : DC_R(0);
    return t < 1 ? t : DC_R(1);
}

/* square of the distance */
DCI_LANE dc_real dci_edge_dist2(const dci_edge *e, dc_real x, dc_real y)
{
    dc_real t = dci_edge_at(e, x, y), dx = (x - e->x) - t*e->along_x, dy = (y - e->y) - t*e->along_y;
    return dx*dx + dy*dy;
}

/* what the edge adds to the winding number about (x, y): 1 if it runs upwards to the right of the point, -1 if
 * downwards */
DCI_LANE dc_real dci_edge_winding(const dci_edge *e, dc_real x, dc_real y)
{
    dc_real left = e->along_x*(y - e->y) - e->along_y*(x - e->x) > 0 ? DC_R(1) : DC_R(0);
    dc_real from = e->y <= y ? DC_R(1) : DC_R(0), to = e->end_y <= y ? DC_R(1) : DC_R(0);
    return from*(1 - to)*left - (1 - from)*to*(1 - left);
}

/* DC_LANES points against an outline */
typedef struct {
    dc_real x[DC_LANES], y[DC_LANES];
    dc_real dist2[DC_LANES];                /* square of the distance */
    dc_real edge[DC_LANES];                 /* the first edge that has it */
    dc_real winding[DC_LANES];
} dci_poly_lanes;

/* the points (x[l], y[l]), n of them; lanes without a point repeat the first */
static void dci_poly_lanes_start(dci_poly_lanes *b, int n, const dc_real *x, const dc_real *y)
{
    int l;

    for (l = 0; l < DC_LANES; ++l) {
        b->x[l] = x[l < n ? l : 0];
        b->y[l] = y[l < n ? l : 0];
        b->dist2[l] = DC_REAL_MAX;
        b->edge[l] = b->winding[l] = 0;
    }
}

/* signed distance of a lane */
static dc_real dci_poly_lanes_distance(const dci_poly_lanes *b, int l)
{
    dc_real r = dci_sqrt_lane(b->dist2[l]);
    return b->winding[l] > 0 || b->winding[l] < 0 ? -r : r;
}

/* out of line: gcc does not vectorise it inside the loops that call it */
static DCI_NOINLINE void dci_poly_lanes_edge(dci_poly_lanes *DCI_RESTRICT b, const dci_edge *edge, dc_real index)
{
    const dci_edge e = *edge;
    int l;

    for (l = 0; l < DC_LANES; ++l) {
        dc_real x = b->x[l], y = b->y[l], dist2 = dci_edge_dist2(&e, x, y), winding = dci_edge_winding(&e, x, y);
        dc_real least = b->dist2[l], at = b->edge[l], nearer = dist2 < least ? DC_R(1) : DC_R(0);
        b->edge[l] = at + nearer*(index - at);          /* gcc makes a branch of two selects */
        b->dist2[l] = dist2 < least ? dist2 : least;
        b->winding[l] += winding;
    }
}

DC_DEF dc_status dc_poly_distance(const dc_poly *p, dc_v2 x, dc_poly_hit *hit)
{
    dci_edge e;
    dc_poly_hit h;
    dc_real least = DC_REAL_MAX, winding = 0;
    int i;

    if (!dci_poly_ok(p) || !dci_v2_in_range(x) || !hit) return DC_E_ARG;

    /* the first of the nearest edges */
    h.edge = 0;
    for (i = 0; i < p->n; ++i) {
        dc_real dist2;
        e = dci_poly_edge(p, i);
        dist2 = dci_edge_dist2(&e, x.x, x.y);
        if (dist2 < least) {
            least = dist2;
            h.edge = i;
        }
        winding += dci_edge_winding(&e, x.x, x.y);
    }

    e = dci_poly_edge(p, h.edge);
    h.at = dci_edge_at(&e, x.x, x.y);
    h.closest = dci_v2(e.x + h.at*e.along_x, e.y + h.at*e.along_y);
    h.d = dci_sqrt_lane(least);
    if (winding > 0 || winding < 0) h.d = -h.d;
    *hit = h;
    return DC_OK;
}

DC_DEF dc_status dc_poly_distance_batch(const dc_poly *p, int count, const dc_real *x, const dc_real *y, dc_real *d,
                                        dc_real *cx, dc_real *cy)
{
    dci_poly_lanes b;
    int i, j, l, n;

    if (!dci_poly_ok(p) || count < 0 || (count > 0 && (!x || !y))) return DC_E_ARG;
    for (i = 0; i < count; ++i)
        if (!dci_v2_in_range(dci_v2(x[i], y[i]))) return DC_E_ARG;

    for (i = 0; i < count; i += n) {
        /* lanes of points against every edge */
        n = count - i < DC_LANES ? count - i : DC_LANES;
        dci_poly_lanes_start(&b, n, x + i, y + i);
        for (j = 0; j < p->n; ++j) {
            dci_edge e = dci_poly_edge(p, j);
            dci_poly_lanes_edge(&b, &e, (dc_real)j);
        }

        /* the point on the nearest one */
        for (l = 0; l < n; ++l) {
            dci_edge e = dci_poly_edge(p, (int)b.edge[l]);
            dc_real t = dci_edge_at(&e, b.x[l], b.y[l]);
            if (d) d[i + l] = dci_poly_lanes_distance(&b, l);
            if (cx) cx[i + l] = e.x + t*e.along_x;
            if (cy) cy[i + l] = e.y + t*e.along_y;
        }
    }
    return DC_OK;
}

/* Of triangles (o, v_i, v_i+1) with o the first vertex, a = v_i - o, b = v_i+1 - o:
 *     2 area = a x b,   centroid - o = (a + b)/3,   second moment about o: a x b (a.a + a.b + b.b)/12         */
DC_DEF dc_status dc_poly_moments(const dc_poly *p, dc_poly_moments_of *m)
{
    dc_poly_moments_of r;
    dc_real area2 = 0, polar = 0, r2 = 0, unit = 0, iu;
    dc_v2 sum = dci_v2(0, 0);
    int i;

    /* a unit of length in which no product overflows */
    if (!dci_poly_ok(p) || !m) return DC_E_ARG;
    for (i = 0; i < p->n; ++i) {
        dc_v2 a = dci_v2_sub(p->v[i], p->v[0]);
        unit = dc_max(unit, dc_max(dc_abs(a.x), dc_abs(a.y)));
        r2 = dc_max(r2, dci_v2_dot(p->v[i], p->v[i]));
    }
    if (!(unit > 0)) return DC_E_RANGE;
    iu = 1/unit;
    if (!dc_finite(iu)) return DC_E_RANGE;

    /* sums over the triangles */
    for (i = 1; i + 1 < p->n; ++i) {
        dc_v2 a = dci_v2_sub(p->v[i], p->v[0]), b = dci_v2_sub(p->v[i + 1], p->v[0]);
        dc_real c;
        a = dci_v2(iu*a.x, iu*a.y);
        b = dci_v2(iu*b.x, iu*b.y);
        c = dci_v2_cross(a, b);
        area2 += c;
        sum = dci_v2_madd(dci_v2_madd(sum, c, a), c, b);
        polar += c*(dci_v2_dot(a, a) + dci_v2_dot(a, b) + dci_v2_dot(b, b));
    }
    if (!(area2 > 0)) return DC_E_RANGE;

    /* the second moment about the centroid, in the units of the caller */
    sum = dci_v2(sum.x/(3*area2), sum.y/(3*area2));
    r.area = DC_R(0.5)*area2*unit*unit;
    r.centroid = dci_v2_madd(p->v[0], unit, sum);
    r.inertia = dc_max(0, polar/12 - DC_R(0.5)*area2*dci_v2_dot(sum, sum))*unit*unit*unit*unit;
    r.radius = dc_sqrt(r2);
    if (!(r.area > 0) || !dc_finite(r.area) || !dc_finite(r.inertia) || !dci_v2_in_range(r.centroid)) return DC_E_RANGE;
    *m = r;
    return DC_OK;
}

DC_DEF dc_status dc_poly_centre(int n, dc_v2 *v, dc_real radius)
{
    dc_poly p;
    dc_poly_moments_of m;
    dc_status status;
    dc_real r2 = 0, k = 1;
    int i;

    if (!(radius >= 0 && radius <= DC_LIMIT)) return DC_E_ARG;
    p.v = v;
    p.n = n;
    status = dc_poly_moments(&p, &m);
    if (status != DC_OK) return status;

    /* the scale: the farthest vertex is at `radius` */
    for (i = 0; i < n; ++i) {
        dc_v2 e = dci_v2_sub(v[i], m.centroid);
        r2 = dc_max(r2, dci_v2_dot(e, e));
    }
    if (radius > 0) k = radius/dc_sqrt(r2);
    if (!(k > 0) || !dc_finite(k)) return DC_E_RANGE;
    for (i = 0; i < n; ++i) v[i] = dci_v2(k*(v[i].x - m.centroid.x), k*(v[i].y - m.centroid.y));
    return DC_OK;
}

/* ---- [makers] making polygons --------------------------------------------------------------- */
/* stage               | reads                      | writes                           | equation
 * dc_poly_arc, _named | sizes, a name              | vertices                         |
 * dci_union_next      | a corner, a direction      | where another piece crosses it   |
 * dci_union_turn      | a corner                   | the way on, farthest to the right|
 * dc_poly_union       | pieces                     | the outline, corner by corner    | both */

#define DCI_PI DC_R(3.141592653589793)

/* count + 1 points of a circle about (x, y), angles from a0 on by da */
static dc_v2 *dci_poly_circle(dc_v2 *v, dc_real x, dc_real y, dc_real r, dc_real a0, dc_real da, int count)
{
    int i;
    for (i = 0; i <= count; ++i) {
        dc_real s, c;
        dc_sincos(a0 + (dc_real)i*da, &s, &c);
        *v++ = dci_v2(x + r*c, y + r*s);
    }
    return v;
}

/* coordinates from pairs of bytes: hundredths */
static dc_v2 *dci_poly_corners(dc_v2 *v, const signed char *c, int count)
{
    int i;
    for (i = 0; i < count; ++i) *v++ = dci_v2((dc_real)c[2*i]/100, (dc_real)c[2*i + 1]/100);
    return v;
}

DC_DEF dc_status dc_poly_arc(dc_real radius, dc_real thickness, dc_real share, int segments, int capacity, dc_v2 *v,
                             int *n)
{
    const dc_real half = DC_R(0.5)*thickness;
    const int whole = !(share < 1);
    dc_real a0, da;

    if (!v || !n || !(radius >= 1/DC_LIMIT && radius <= DC_LIMIT) || !(thickness >= 1/DC_LIMIT && half < radius)
        || !(share > 0 && share <= 1) || segments < 0 || segments > INT_MAX/4) return DC_E_ARG;
    if (segments == 0) segments = whole ? 32 : (int)(24*share + DC_R(0.5));
    if (segments < 1) segments = 1;
    if (whole && segments < 3) segments = 3;
    *n = whole ? segments : 2*(segments + 1);
    if (*n > capacity) return DC_E_MEMORY;

    /* the disc, or the outer circle and back along the inner one */
    da = 2*DCI_PI*share/(dc_real)segments;
    if (whole) {
        dci_poly_circle(v, 0, 0, radius + half, 0, da, segments - 1);
        return DC_OK;
    }
    a0 = -(DC_R(0.5) + share)*DCI_PI;
    v = dci_poly_circle(v, 0, 0, radius + half, a0, da, segments);
    dci_poly_circle(v, 0, 0, radius - half, a0 + (dc_real)segments*da, -da, segments);
    return DC_OK;
}

DC_DEF dc_status dc_poly_named(const char *name, int capacity, dc_v2 *v, int *n)
{
    static const signed char N[20] = {
        -40, -50, -20, -50, -20, 13, 20, -50, 40, -50, 40, 50, 20, 50, 20, -13, -20, 50, -40, 50};
    static const signed char hash[56] = {
        25, 100, 25, 55, -25, 55, -25, 100, -55, 100, -55, 55, -100, 55, -100, 25, -55, 25, -55, -25, -100, -25, -100,
        -55, -55, -55, -55, -100, -25, -100, -25, -55, 25, -55, 25, -100, 55, -100, 55, -55, 100, -55, 100, -25, 55,
        -25, 55, 25, 100, 25, 100, 55, 55, 55, 55, 100};
    static const signed char block[8] = {-100, -100, 100, -100, 100, 100, -100, 100};
    static const char *const arc[4] = {"arc25", "arc50", "arc75", "arc100"};
    dc_v2 w[DC_POLY_NAMED_MOST], *end = NULL;
    int i, count = 0;

    if (!name || !v || !n) return DC_E_ARG;
    for (i = 0; i < 4; ++i)
        if (strcmp(name, arc[i]) == 0)
            dc_poly_arc(DC_R(0.7), DC_R(0.2), DC_R(0.25)*(dc_real)(i + 1), 0, DC_POLY_NAMED_MOST, w, &count);

    /* circles, corners, or both */
    if (strcmp(name, "O") == 0) end = dci_poly_circle(w, 0, 0, 1, 0, DCI_PI/16, 31);
    else if (strcmp(name, "octagon") == 0) end = dci_poly_circle(w, 0, 0, 1, DCI_PI/8, DCI_PI/4, 7);
    else if (strcmp(name, "#") == 0) end = dci_poly_corners(w, hash, 28);
    else if (strcmp(name, "block") == 0) end = dci_poly_corners(w, block, 4);
    else if (strcmp(name, "U") == 0) {
        end = dci_poly_circle(w, 0, 0, 1, -DCI_PI, DCI_PI/12, 12);
        *end++ = dci_v2(1, DC_R(0.9));
        *end++ = dci_v2(DC_R(0.55), DC_R(0.9));
        end = dci_poly_circle(end, 0, 0, DC_R(0.55), 0, -(DCI_PI/8), 8);
        *end++ = dci_v2(DC_R(-0.55), DC_R(0.9));
        *end++ = dci_v2(-1, DC_R(0.9));
    } else if (strcmp(name, "N") == 0) {
        end = dci_poly_corners(w, N, 10);
        w[2].y = DC_R(0.125);
        w[7].y = DC_R(-0.125);
    } else if (strcmp(name, "D") == 0) {
        end = dci_poly_circle(w, 0, 0, 1, -(DCI_PI/2), DCI_PI/16, 16);
        *end++ = dci_v2(DC_R(-0.3), 1);
        *end++ = dci_v2(DC_R(-0.3), -1);
    } else if (strcmp(name, "star") == 0) {
        for (i = 0, end = w; i < 10; ++i)
            end = dci_poly_circle(end, 0, 0, i & 1 ? DC_R(0.45) : DC_R(1), DCI_PI*(DC_R(0.5) + (dc_real)i/5), 0, 0);
    } else if (count == 0) return DC_E_ARG;

    if (end) count = (int)(end - w);
    *n = count;
    if (count > capacity) return DC_E_MEMORY;
    for (i = 0; i < count; ++i) v[i] = w[i];
    return dc_poly_centre(count, v, 1);
}

/* The place along the line from p in direction u, unit, to the next point where an edge of a piece begins, ends or
 * crosses it; 0: none beyond tol. */
static dc_real dci_union_next(int count, const dc_poly *pieces, dc_v2 p, dc_v2 u, dc_real len, dc_real tol)
{
    dc_real best = len;
    int k, i;

    for (k = 0; k < count; ++k)
        for (i = 0; i < pieces[k].n; ++i) {
            dc_v2 a = dci_v2_sub(pieces[k].v[i], p), e = dci_v2_sub(dci_poly_next(&pieces[k], i), pieces[k].v[i]);
            dc_real s0 = dci_v2_cross(u, a), s1 = dci_v2_cross(u, dci_v2_madd(a, 1, e)), t = dci_v2_dot(u, a), f;
            if (dc_abs(s0) <= tol) {
                /* it begins on the line */
                if (t > tol && t < best) best = t;
            } else if (dc_abs(s1) > tol && (s0 > 0) != (s1 > 0)) {
                /* both ends are off the line, on its two sides */
                f = s0/(s0 - s1);
                t += f*dci_v2_dot(u, e);
                if (t > tol && t < best) best = t;
            }
        }
    return best;
}

/* Of the edges that go on from p, the first counterclockwise from the direction back: as far to the outside, on the
 * right, as can be. 0: none. */
static int dci_union_turn(int count, const dc_poly *pieces, dc_v2 p, dc_v2 back, dc_real tol, dc_v2 *u, dc_real *len)
{
    dc_real least = 8;
    int k, i, end;

    for (k = 0; k < count; ++k)
        for (i = 0; i < pieces[k].n; ++i) {
            /* an edge that p lies on */
            dc_v2 a = pieces[k].v[i], b = dci_poly_next(&pieces[k], i), e = dci_v2_sub(b, a), r = dci_v2_sub(p, a);
            dc_real l2 = dci_v2_dot(e, e), l = dc_sqrt(l2), along = dci_v2_dot(r, e)/l;
            if (dc_abs(dci_v2_cross(e, r)/l) > tol || along < -tol || along > l + tol) continue;

            /* to either of its ends */
            for (end = 0; end < 2; ++end) {
                dc_real left = end ? along : l - along, angle;
                dc_v2 d = dci_v2(end ? -e.x/l : e.x/l, end ? -e.y/l : e.y/l);
                if (left <= tol) continue;
                angle = dc_atan2(dci_v2_cross(back, d), dci_v2_dot(back, d));
                if (angle <= 16*DC_EPS) angle += 2*DCI_PI;      /* straight back comes last */
                if (angle < least - 16*DC_EPS || (angle < least + 16*DC_EPS && left > *len)) {
                    least = dc_min(least, angle);
                    *u = d;
                    *len = left;
                }
            }
        }
    return least < 8;
}

DC_DEF dc_status dc_poly_union(int count, const dc_poly *pieces, int capacity, dc_v2 *v, int *n)
{
    dc_v2 start, p, u, back, last;
    dc_real size = 0, tol, len = 0;
    dc_poly out;
    int k, i, total = 0, made = 0, steps;

    /* convex pieces, and the size of the whole */
    if (count < 1 || !pieces || !v || !n) return DC_E_ARG;
    for (k = 0; k < count; ++k) {
        const dc_poly *q = &pieces[k];
        if (dc_poly_check(q) != DC_OK || q->n > 10000 - total) return DC_E_ARG;
        total += q->n;
        for (i = 0; i < q->n; ++i) {
            dc_v2 a = dci_poly_next(q, i), b = dci_poly_next(q, i + 1 < q->n ? i + 1 : 0);
            if (dci_v2_cross(dci_v2_sub(a, q->v[i]), dci_v2_sub(b, a)) < 0) return DC_E_ARG;
            size = dc_max(size, dc_max(dc_abs(q->v[i].x - pieces[0].v[0].x), dc_abs(q->v[i].y - pieces[0].v[0].y)));
        }
    }
    tol = (DC_IS_FLOAT ? DC_R(1e-5) : DC_R(1e-9))*size;

    /* from the lowest vertex, the leftmost of those: what is below is outside */
    start = pieces[0].v[0];
    for (k = 0; k < count; ++k)
        for (i = 0; i < pieces[k].n; ++i) {
            dc_v2 a = pieces[k].v[i];
            if (a.y < start.y - tol || (a.y <= start.y + tol && a.x < start.x)) start = a;
        }
    p = start;
    back = last = u = dci_v2(-1, 0);

    /* an outline has no more corners than there are ends and crossings of edges */
    for (steps = 0; steps < total*total + total; ++steps) {
        if (!dci_union_turn(count, pieces, p, back, tol, &u, &len)) return DC_E_ARG;

        /* a corner, unless it goes straight on */
        if (steps == 0 || dc_abs(dci_v2_cross(last, u)) > tol/size || dci_v2_dot(last, u) < 0) {
            if (made == capacity) {
                *n = total > 40 ? INT_MAX : total*(total + 1);
                return DC_E_MEMORY;
            }
            v[made++] = p;
        }

        /* on to the next place where edges meet */
        last = u;
        len = dci_union_next(count, pieces, p, u, len, tol);
        p = dci_v2_madd(p, len, u);
        back = dci_v2(-u.x, -u.y);
        if (dc_abs(p.x - start.x) <= tol && dc_abs(p.y - start.y) <= tol) break;
    }
    out.v = v;
    out.n = made;
    if (dc_poly_check(&out) != DC_OK) return DC_E_ARG;

    /* it holds all pieces */
    for (k = 0; k < count; ++k)
        for (i = 0; i < pieces[k].n; ++i) {
            dc_poly_hit hit;
            if (dc_poly_distance(&out, pieces[k].v[i], &hit) != DC_OK || hit.d > 4*tol) return DC_E_ARG;
        }
    *n = made;
    return DC_OK;
}

/* ---- [apart] pairs of polygons that are apart ----------------------------------------------- */
/* stage                | reads                      | writes                            | equation
 * dci_outline_near     | vertices, an outline       | the nearest vertex and edge       | CEM Eq. 2
 * dci_outlines_cross   | both, distances            | whether edges cross               |
 * dci_contact_apart    | the nearest                | a contact                         | CEM Eq. 2 */

#define DCI_CFIELD_STACK 256        /* cells that wait: one of each level, of which 128 leave nothing of a side */
#define DCI_CFIELD_CELLS 256        /* cells after which the tolerance doubles, */
#define DCI_CFIELD_ROUNDS 24        /* at most so often */
#define DCI_CFIELD_NEAR 8           /* features of a point with the sides of the box: */
#define DCI_CFIELD_OWN 6            /* those of the shapes */
#define DCI_CFIELD_TOL (DC_IS_FLOAT ? DC_R(4e-6) : DC_R(1e-10))     /* of a disc's radius, times the smaller shape's */

/* What the value of a pair comes from. */
typedef struct {
    dc_real distance;                       /* d */
    dc_real point_x, point_y;               /* the point of contact */
    dc_real normal_x, normal_y;             /* derivative of d by b's position; not of an overlap */
    int overlap;
    dc_status status;
} dci_contact;

/* An edge that a search looks at. */
typedef struct {
    dc_real x, y, unit_x, unit_y, length;   /* its start, unit vector and length */
    dc_real end_y;                          /* ordinate of its end */
    int joint;                              /* 1: the next of the list follows it in the outline, at a convex vertex */
    dc_real at, side, dist2;                /* of the point at hand: along it, beside it, the distance's square */
} dci_bound;

/* a rectangle by its centre and half its sides; f is not below `low` in it */
typedef struct { dc_real x, y, half_x, half_y, low; } dci_cell;

/* scratch of an evaluation */
typedef struct {
    dc_real *pose;                      /* b at the pose: x, y, ex, ey, as in dc_cpoly */
    dc_real *dist;                      /* of b's vertices from a */
    dci_bound *list[2];                 /* edges that a search looks at */
    int count[2];
    dc_real box[4];                     /* what both bounding boxes have in common: x from, to, y from, to */
    dc_cpoly side[2];                   /* a, b, in the frame of a */
    dci_cell *stack;
} dci_pair_work;

static dci_edge dci_outline_edge(const dc_cpoly *o, int i)
{
    dci_edge e;

    e.x = o->x[i];
    e.y = o->y[i];
    e.along_x = o->ex[i];
    e.along_y = o->ey[i];
    e.inv_length2 = o->inv[i];
    e.end_y = o->y[i + 1];
    return e;
}

/* the nearest vertex of one outline and the edge of another that it is nearest to */
typedef struct { dc_real dist2; int vertex, edge; } dci_closest;

/* all edges of an outline against the points of b */
static void dci_outline_lanes(const dc_cpoly *o, dci_poly_lanes *b)
{
    int j;

    for (j = 0; j < o->n; ++j) {
        dci_edge e = dci_outline_edge(o, j);
        dci_poly_lanes_edge(b, &e, (dc_real)j);
    }
}

/* The vertices of `from` against the outline `to`: the nearest of them; dist, if not NULL, gets all distances. 1: one
 * of them is inside. */
static int dci_outline_near(const dc_cpoly *from, const dc_cpoly *to, dci_closest *c, dc_real *dist)
{
    dci_poly_lanes b;
    int i, l, n, inside = 0;

    c->dist2 = DC_REAL_MAX;
    c->vertex = c->edge = 0;
    for (i = 0; i < from->n; i += n) {
        n = from->n - i < DC_LANES ? from->n - i : DC_LANES;
        dci_poly_lanes_start(&b, n, from->x + i, from->y + i);
        dci_outline_lanes(to, &b);
        for (l = 0; l < n; ++l) {
            inside |= b.winding[l] > 0 || b.winding[l] < 0;
            if (dist) dist[i + l] = dci_sqrt_lane(b.dist2[l]);
            if (b.dist2[l] < c->dist2) {
                c->dist2 = b.dist2[l];
                c->vertex = i + l;
                c->edge = (int)b.edge[l];
            }
        }
    }
    return inside;
}

/* Does an edge of b cross one of a? Only where both its ends are near enough to a. */
static int dci_outlines_cross(const dc_cpoly *a, const dc_cpoly *b, const dc_real *dist)
{
    int i, j;

    for (i = 0; i < b->n; ++i) {
        dc_real reach = dist[i] + dist[i + 1 < b->n ? i + 1 : 0];
        dc_v2 p = dci_v2(b->x[i], b->y[i]), e = dci_v2(b->ex[i], b->ey[i]);
        if (reach*reach > dci_v2_dot(e, e)*(1 + 16*DC_EPS)) continue;

        for (j = 0; j < a->n; ++j) {
            dc_v2 q = dci_v2(a->x[j], a->y[j]), f = dci_v2(a->ex[j], a->ey[j]), r = dci_v2_sub(p, q);
            dc_real s0 = dci_v2_cross(f, r), s1 = s0 + dci_v2_cross(f, e);
            dc_real t0 = -dci_v2_cross(e, r), t1 = t0 + dci_v2_cross(e, f);
            if (((s0 > 0 && s1 < 0) || (s0 < 0 && s1 > 0)) && ((t0 > 0 && t1 < 0) || (t0 < 0 && t1 > 0))) return 1;
        }
    }
    return 0;
}

/* Distance, direction and point of contact of outlines that are apart, from the nearest vertex of `from` and edge of
 * `to`. */
static void dci_contact_apart(const dc_cpoly *from, const dc_cpoly *to, const dci_closest *c, dc_real sign,
                              dci_contact *r)
{
    const dci_edge e = dci_outline_edge(to, c->edge);
    const dc_real x = from->x[c->vertex], y = from->y[c->vertex], t = dci_edge_at(&e, x, y);
    const dc_real dx = (x - e.x) - t*e.along_x, dy = (y - e.y) - t*e.along_y, d = dci_sqrt_lane(c->dist2);

    if ((t > 0 && t < 1) || !(d > 0)) {
        /* over the inside of an edge its normal, also where the distance is zero; outwards is to the right */
        dc_real il = dci_sqrt_lane(e.inv_length2), k = e.along_x*dy - e.along_y*dx > 0 ? -il : il;
        r->normal_x = sign*k*e.along_y;
        r->normal_y = -(sign*k*e.along_x);
    } else {
        r->normal_x = sign*dx/d;
        r->normal_y = sign*dy/d;
    }
    r->distance = d;
    r->point_x = x - DC_R(0.5)*dx;
    r->point_y = y - DC_R(0.5)*dy;
}

/* ---- [overlap] pairs of polygons that overlap ----------------------------------------------- */
/* stage                | reads                      | writes                            | equation
 * dci_outline_list     | outlines, their common box | edges that can matter             |
 * dci_touches_at       | these, a point             | the nearest features, phi_a, phi_b|
 * dci_touches_hold     | features                   | those that hold a disc, a bound   | second bound below
 * dci_disc_polish      | a point                    | the best disc so far              |
 * dci_cell_look        | a cell                     | its bound; the best disc          | both bounds below
 * dci_disc_search      | outlines                   | the largest disc in both          | CEM Eq. 7 */

/* The largest disc in both (CEM Eq. 7): branch and bound on f(x) = max(phi_a(x), phi_b(x)) over rectangles, halved
 * across. In one of half diagonal r about c
 *     f(x) >= f(c) - r,
 * and for any features i of the outlines, distances d_i and their gradients g_i at c, and weights of sum 1 with sum
 * w_i g_i = 0,
 *     f(x) >= -min_i dist_i(x) >= -sum w_i (d_i + slack_i),
 * slack_i for what dist_i is above its linearisation. The second is exact where the disc is held by the edges that it
 * touches, so that the search ends after a few squares, long before they are small. */

/* A feature seen from a point: signed distance from the line of an edge, positive inside, or distance from a vertex. */
typedef struct {
    dc_real distance, grad_x, grad_y;
    dc_real slack;
    dc_real key;            /* by which features are in order: |distance| */
} dci_touch;

typedef struct {
    dci_touch touch[DCI_CFIELD_NEAR];
    int count;
    dc_real phi[2];         /* signed distances from both outlines */
} dci_touches;

/* features by rising distance, the nearest */
static void dci_touch_add(dci_touches *s, const dci_touch *f)
{
    int k = s->count;

    if (k == DCI_CFIELD_OWN && s->touch[--k].key <= f->key) return;
    if (s->count < DCI_CFIELD_OWN) ++s->count;
    for (; k > 0 && s->touch[k - 1].key > f->key; --k) s->touch[k] = s->touch[k - 1];
    s->touch[k] = *f;
}

/* Features of one outline, list[0..n), seen from (x, y): its signed distance; the nearest into s, slack for points
 * within r. */
static dc_real dci_touches_of(dci_bound *list, int n, dc_real x, dc_real y, dc_real r, dci_touches *s)
{
    const dc_real reach2 = 16*r*r;
    dc_real best = DC_REAL_MAX, winding = 0, phi, ux = 0, uy = 0, vx = 0, vy = 0;
    int k, chain = 0, joints = 0, convex;

    /* distance from each edge */
    for (k = 0; k < n; ++k) {
        dci_bound *e = &list[k];
        dc_real rx = x - e->x, ry = y - e->y, t = rx*e->unit_x + ry*e->unit_y;
        dc_real over = t < 0 ? t : dc_max(0, t - e->length);
        dc_real up = (e->y <= y ? DC_R(1) : DC_R(0)) - (e->end_y <= y ? DC_R(1) : DC_R(0));
        e->side = e->unit_x*ry - e->unit_y*rx;          /* positive inside */
        e->at = t;
        e->dist2 = e->side*e->side + over*over;
        best = dc_min(best, e->dist2);
        if (up*e->side > 0) winding += up;
    }
    phi = winding > 0 || winding < 0 ? -dci_sqrt_lane(best) : dci_sqrt_lane(best);

    /* Within 4 r, is the outline one convex chain that turns by no more than half a circle? Then the shape is, there,
     * the intersection of its half-planes, and dist(x) <= d_i(x) for points x of the shape within r, |d_i| <= 2 r. */
    for (k = 0; k < n; ++k) {
        const dci_bound *e = &list[k], *before = &list[k > 0 ? k - 1 : n - 1], *next = &list[k + 1 < n ? k + 1 : 0];
        if (e->dist2 > reach2) continue;
        ++chain;
        if (e->joint && next->dist2 <= reach2) ++joints;
        else { vx = e->unit_x; vy = e->unit_y; }
        if (!(before->joint && before->dist2 <= reach2)) { ux = e->unit_x; uy = e->unit_y; }
    }
    convex = chain == 1 || (chain > 1 && joints == chain - 1 && ux*vy - uy*vx >= 0);

    /* features */
    for (k = 0; k < n; ++k) {
        const dci_bound *e = &list[k];
        dci_touch f;
        if (e->at < 0) {
            /* its first vertex, unless it is too near to be taken for straight, or too far to be wanted */
            const dc_real last = s->count == DCI_CFIELD_OWN ? s->touch[s->count - 1].key : DC_R(0);
            if (e->dist2 <= DC_R(0.25)*r*r || (s->count == DCI_CFIELD_OWN && e->dist2 >= last*last)) continue;
            f.distance = f.key = dci_sqrt_lane(e->dist2);
            if (!(f.distance > 0)) continue;
            f.grad_x = (x - e->x)/f.distance;
            f.grad_y = (y - e->y)/f.distance;
            f.slack = DC_R(0.5)*r*r/f.distance;
            dci_touch_add(s, &f);
        } else if (e->at <= e->length) {
            /* its line; seen from inside, the wrong side of another arm is turned round */
            const int turned = e->side < 0 && phi < 0;
            f.key = dc_abs(e->side);
            f.distance = turned ? f.key : e->side;
            f.grad_x = turned ? e->unit_y : -e->unit_y;
            f.grad_y = turned ? -e->unit_x : e->unit_x;
            f.slack = 0;
            if (!(convex && f.key <= 2*r))
                f.slack = dc_max(0, r - dc_min(e->at, e->length - e->at)) + 2*dc_max(0, r - f.distance);
            dci_touch_add(s, &f);
        }
    }
    return phi;
}

/* The nearest features of both outlines from (x, y). */
static void dci_touches_at(const dci_pair_work *w, dc_real x, dc_real y, dc_real r, dci_touches *s)
{
    s->count = 0;
    s->phi[0] = dci_touches_of(w->list[0], w->count[0], x, y, r, s);
    s->phi[1] = dci_touches_of(w->list[1], w->count[1], x, y, r, s);
}

/* The nearest four with the sides of the box, which hold a disc whatever the others do, as the one looked for is in
 * the box. */
static void dci_touches_in_box(const dc_real box[4], dc_real x, dc_real y, dci_touches *s)
{
    dc_real d[4];
    int k, i;

    d[0] = x - box[0]; d[1] = box[1] - x; d[2] = y - box[2]; d[3] = box[3] - y;
    if (s->count > DCI_CFIELD_NEAR - 4) s->count = DCI_CFIELD_NEAR - 4;
    for (k = 0; k < 4; ++k) {
        dci_touch f;
        f.distance = f.key = d[k];
        f.grad_x = k == 0 ? DC_R(1) : k == 1 ? DC_R(-1) : DC_R(0);
        f.grad_y = k == 2 ? DC_R(1) : k == 3 ? DC_R(-1) : DC_R(0);
        f.slack = 0;
        for (i = s->count++; i > 0 && s->touch[i - 1].key > f.key; --i) s->touch[i] = s->touch[i - 1];
        s->touch[i] = f;
    }
}

/* Features that hold a disc, two (k = j) or three, and the bound of its radius that they give. */
typedef struct { int first, second, third; dc_real radius; } dci_held;

static void dci_held_set(dci_held *h, int i, int j, int k, dc_real radius)
{
    h->first = i;
    h->second = j;
    h->third = k;
    h->radius = radius;
}

/* Of all pairs and triples with non-negative weights those with the least bound at the features' point; *within, if
 * not NULL, is the least bound for points within r of it. 0: none holds a disc. */
static int dci_touches_hold(const dci_touches *s, dc_real r, dci_held *h, dc_real *within)
{
    const dci_touch *f = s->touch;
    const int n = s->count;
    /* of a pair, and a triple with a weight that is zero but for rounding, the pair: its centres are a line */
    const dc_real tie = n > 0 ? 64*DC_EPS*f[n - 1].key : DC_R(0);
    dc_real cross[DCI_CFIELD_NEAR][DCI_CFIELD_NEAR], most = DC_REAL_MAX;
    int i, j, k;

    h->radius = DC_REAL_MAX;
    for (i = 0; i < n; ++i)
        for (j = i + 1; j < n; ++j) cross[i][j] = f[i].grad_x*f[j].grad_y - f[i].grad_y*f[j].grad_x;

    for (i = 0; i + 1 < n; ++i) {
        /* features come with rising distances: those that follow hold no smaller disc */
        if (f[i].distance >= h->radius && f[i].distance >= most) break;
        for (j = i + 1; j < n; ++j) {
            /* two that are nearly opposite: the weights leave a gradient of `open` */
            if (f[i].grad_x*f[j].grad_x + f[i].grad_y*f[j].grad_y < DC_R(-0.9)) {
                dc_real gx = f[i].grad_x + f[j].grad_x, gy = f[i].grad_y + f[j].grad_y;
                dc_real open = DC_R(0.5)*dci_sqrt_lane(gx*gx + gy*gy);
                dc_real radius = DC_R(0.5)*(f[i].distance + f[j].distance);
                if (open < 16*DC_EPS && radius <= h->radius + tie) dci_held_set(h, i, j, j, radius);
                most = dc_min(most, radius + DC_R(0.5)*(f[i].slack + f[j].slack) + r*open);
            }

            /* three with weights of one sign */
            for (k = j + 1; k < n; ++k) {
                dc_real a = cross[j][k], b = -cross[i][k], c = cross[i][j], sum = a + b + c, is, radius;
                if (!((a >= 0 && b >= 0 && c >= 0 && sum > 0) || (a <= 0 && b <= 0 && c <= 0 && sum < 0))) continue;
                is = 1/sum;
                radius = (a*f[i].distance + b*f[j].distance + c*f[k].distance)*is;
                if (radius < h->radius - tie) dci_held_set(h, i, j, k, radius);
                most = dc_min(most, radius + (a*f[i].slack + b*f[j].slack + c*f[k].slack)*is);
            }
        }
    }
    if (within) *within = most;
    return h->radius < DC_REAL_MAX;
}

/* The step from the features' point to the centre of the disc that they hold. Two that are opposite leave a line of
 * centres: of that the nearest point that the other features allow. */
static dc_v2 dci_held_step(const dci_touches *s, const dci_held *h)
{
    const dci_touch *a = &s->touch[h->first], *b = &s->touch[h->second], *c = &s->touch[h->third];
    const dc_real ax = a->grad_x - c->grad_x, ay = a->grad_y - c->grad_y, bx = b->grad_x - c->grad_x;
    const dc_real by = b->grad_y - c->grad_y, p = c->distance - a->distance, q = c->distance - b->distance;
    const dc_real det = ax*by - ay*bx, half = DC_R(0.5)*(b->distance - a->distance);
    dc_real low = -DC_REAL_MAX, high = DC_REAL_MAX, along = 0;
    int k;

    /* three of different directions */
    if (h->third != h->second && dc_abs(det) > 64*DC_EPS) return dci_v2((p*by - q*ay)/det, (q*ax - p*bx)/det);

    /* two: the part of the line where no other feature is nearer, by their linearisation */
    for (k = 0; k < s->count; ++k) {
        const dci_touch *f = &s->touch[k];
        dc_real slope = f->grad_y*a->grad_x - f->grad_x*a->grad_y;
        dc_real spare = f->distance + half*(f->grad_x*a->grad_x + f->grad_y*a->grad_y) - h->radius;
        if (slope > DC_R(1e-3)) low = dc_max(low, -(spare/slope));
        if (slope < DC_R(-1e-3)) high = dc_min(high, -(spare/slope));
    }
    if (low > high) along = DC_R(0.5)*(low + high);
    else if (low > 0) along = low;
    else if (high < 0) along = high;
    return dci_v2(half*a->grad_x - along*a->grad_y, half*a->grad_y + along*a->grad_x);
}

/* positive where the outline turns left from one edge to another: at a convex vertex */
static dc_real dci_bound_turn(const dci_bound *from, const dci_bound *to)
{
    return from->unit_x*to->unit_y - from->unit_y*to->unit_x;
}

/* edges that can matter to points of the box: those that meet it, and those to its right, of which winding numbers
 * come */
static int dci_outline_list(const dc_cpoly *o, const dc_real box[4], dci_bound *list)
{
    int i, n = 0, before = -1, first = -1;

    for (i = 0; i < o->n; ++i) {
        dci_bound *e = &list[n];
        dc_real il;
        if (dc_max(o->x[i], o->x[i + 1]) < box[0] || dc_max(o->y[i], o->y[i + 1]) < box[2]
            || dc_min(o->y[i], o->y[i + 1]) > box[3]) continue;
        il = dci_sqrt_lane(o->inv[i]);
        e->x = o->x[i];
        e->y = o->y[i];
        e->unit_x = o->ex[i]*il;
        e->unit_y = o->ey[i]*il;
        e->length = 1/il;
        e->end_y = o->y[i + 1];
        e->joint = 0;

        /* with the one before it, if that is its neighbour */
        if (n > 0 && before == i - 1) list[n - 1].joint = dci_bound_turn(&list[n - 1], e) > 0;
        if (n == 0) first = i;
        before = i;
        ++n;
    }
    if (n > 1 && first == 0 && before == o->n - 1) list[n - 1].joint = dci_bound_turn(&list[n - 1], &list[0]) > 0;
    return n;
}

/* The best disc so far: its centre and f there. */
typedef struct { dc_real x, y, value; } dci_disc;

static int dci_in_box(const dc_real box[4], dc_real x, dc_real y)
{
    return x >= box[0] && x <= box[1] && y >= box[2] && y <= box[3];
}

/* If (x, y), in the box, is better: from there to where its features hold a disc, shorter steps where others come
 * in. */
static void dci_disc_polish(const dci_pair_work *w, dc_real x, dc_real y, dci_disc *best)
{
    dci_touches s;
    dci_held h;
    dc_v2 step = dci_v2(0, 0);
    int it, fails = 0;

    for (it = 0; it < 16 && fails < 4; ++it) {
        dc_real f;
        dci_touches_at(w, x, y, 0, &s);
        f = dc_max(s.phi[0], s.phi[1]);
        if (f < best->value) {
            /* better: on from here, held by the box where features do not do */
            best->value = f;
            best->x = x;
            best->y = y;
            if (!dci_touches_hold(&s, 0, &h, NULL)) {
                dci_touches_in_box(w->box, x, y, &s);
                if (!dci_touches_hold(&s, 0, &h, NULL)) return;
            }
            step = dci_held_step(&s, &h);
        } else {
            /* worse: a shorter step */
            if (it == 0) return;
            ++fails;
            step = dci_v2(DC_R(0.25)*step.x, DC_R(0.25)*step.y);
        }

        /* not out of the box */
        x = best->x + step.x;
        y = best->y + step.y;
        while (fails < 4 && !dci_in_box(w->box, x, y)) {
            ++fails;
            step = dci_v2(DC_R(0.25)*step.x, DC_R(0.25)*step.y);
            x = best->x + step.x;
            y = best->y + step.y;
        }
    }
}

/* Is the cell worth dividing? It may hold a disc that is better by tol; sets low, improves best. */
static int dci_cell_look(const dci_pair_work *w, dc_real tol, dci_disc *best, dci_cell *c)
{
    dci_touches s;
    dci_held held;
    dc_real f, within, r = dci_sqrt_lane(c->half_x*c->half_x + c->half_y*c->half_y);

    /* the first bound */
    dci_touches_at(w, c->x, c->y, r, &s);
    f = dc_max(s.phi[0], s.phi[1]);
    if (f < best->value) dci_disc_polish(w, c->x, c->y, best);
    c->low = f - r;
    if (c->low >= best->value - tol) return 0;

    /* the second, and the disc that it comes from */
    if (dci_touches_hold(&s, r, &held, &within) && -held.radius < best->value - tol) {
        dc_v2 step = dci_held_step(&s, &held);
        dc_real x = c->x + step.x, y = c->y + step.y;
        if (dci_v2_dot(step, step) <= 4*r*r && dci_in_box(w->box, x, y)) dci_disc_polish(w, x, y, best);
    }
    c->low = dc_max(c->low, -within);
    return c->low < best->value - tol;
}

/* Largest disc in both outlines, or the first with f below `enough`; `best` comes with a first guess. */
static dc_status dci_disc_search(dci_pair_work *w, dc_real tol, dc_real enough, dci_disc *best)
{
    dc_real *box = w->box;
    dci_cell c;
    int o, i, n = 0, cells = 0;

    /* what both bounding boxes have in common */
    box[0] = box[2] = -DC_REAL_MAX;
    box[1] = box[3] = DC_REAL_MAX;
    for (o = 0; o < 2; ++o) {
        const dc_cpoly *side = &w->side[o];
        dc_real x0 = DC_REAL_MAX, x1 = -DC_REAL_MAX, y0 = DC_REAL_MAX, y1 = -DC_REAL_MAX;
        for (i = 0; i < side->n; ++i) {
            x0 = dc_min(x0, side->x[i]); x1 = dc_max(x1, side->x[i]);
            y0 = dc_min(y0, side->y[i]); y1 = dc_max(y1, side->y[i]);
        }
        box[0] = dc_max(box[0], x0); box[1] = dc_min(box[1], x1);
        box[2] = dc_max(box[2], y0); box[3] = dc_min(box[3], y1);
    }

    /* the first cell, and the edges that matter in it */
    c.x = DC_R(0.5)*(box[0] + box[1]);
    c.y = DC_R(0.5)*(box[2] + box[3]);
    c.half_x = DC_R(0.5)*(box[1] - box[0]);
    c.half_y = DC_R(0.5)*(box[3] - box[2]);
    if (!(c.half_x > 0 && c.half_y > 0)) return DC_OK;
    for (o = 0; o < 2; ++o) w->count[o] = dci_outline_list(&w->side[o], box, w->list[o]);
    if (w->count[0] == 0 || w->count[1] == 0) return DC_OK;
    if (dci_cell_look(w, tol, best, &c)) w->stack[n++] = c;

    while (n > 0) {
        dci_cell half[2];
        int want[2], across, first;

        /* the next cell, unless what was found since leaves it no chance */
        c = w->stack[--n];
        if (c.low >= best->value - tol) continue;
        if (best->value < enough) return DC_OK;
        if (++cells%DCI_CFIELD_CELLS == 0) tol *= 2;
        if (cells > DCI_CFIELD_ROUNDS*DCI_CFIELD_CELLS || n + 2 > DCI_CFIELD_STACK) return DC_E_DIVERGED;

        /* its halves */
        across = c.half_y > c.half_x;
        for (i = 0; i < 2; ++i) {
            half[i] = c;
            if (across) {
                half[i].half_y = DC_R(0.5)*c.half_y;
                half[i].y = i == 0 ? c.y - half[i].half_y : c.y + half[i].half_y;
            } else {
                half[i].half_x = DC_R(0.5)*c.half_x;
                half[i].x = i == 0 ? c.x - half[i].half_x : c.x + half[i].half_x;
            }
            want[i] = dci_cell_look(w, tol, best, &half[i]);
        }

        /* the lower on top */
        first = half[0].low < half[1].low;
        if (want[first]) w->stack[n++] = half[first];
        if (want[!first]) w->stack[n++] = half[!first];
    }
    return DC_OK;
}

/* ---- [fields] fields over relative poses ---------------------------------------------------- */
/* stage                | reads                      | writes                            | equation
 * dci_cfield_make      | shapes, options            | a field and its polygons          |
 * dci_pair_pose        | the field, a pose          | b in the frame of a               | CEM Eq. 1
 * dci_pair_contact     | two polygons               | a contact                         | CEM Eq. 2, 6, 7
 * dci_wall_contact     | a wall, a polygon          | a contact                         | */

#define DCI_CFIELD_SIDE 4096

static size_t dci_cpoly_numbers(int n) { return 5*((size_t)n + 1); }

/* copies a polygon and what its edges need into 5 (n + 1) numbers */
static dc_cpoly dci_cpoly_make(const dc_poly *p, dc_real *m)
{
    const size_t row = (size_t)p->n + 1;
    dc_cpoly c;
    dc_real r2 = 0;
    int i;

    for (i = 0; i <= p->n; ++i) {
        dci_edge e = dci_poly_edge(p, i < p->n ? i : 0);
        m[i] = e.x;
        m[row + (size_t)i] = e.y;
        m[2*row + (size_t)i] = e.along_x;
        m[3*row + (size_t)i] = e.along_y;
        m[4*row + (size_t)i] = e.inv_length2;
        r2 = dc_max(r2, e.x*e.x + e.y*e.y);
    }
    c.n = p->n;
    c.radius = dc_sqrt(r2);
    c.x = m;
    c.y = m + row;
    c.ex = m + 2*row;
    c.ey = m + 3*row;
    c.inv = m + 4*row;
    return c;
}

DC_DEF size_t dc_cfield_bytes(int na, int nb)
{
    size_t sum = 0;
    if ((na != 0 && na < 3) || nb < 3 || na > INT_MAX - 1 || nb > INT_MAX - 1) return 0;
    if (na > 0) sum = dc_bytes(sum, dci_cpoly_numbers(na), sizeof(dc_real));
    sum = dc_bytes(sum, dci_cpoly_numbers(nb), sizeof(dc_real));
    return sum == SIZE_MAX ? 0 : sum;
}

static dc_status dci_cfield_make(dc_cfield_kind kind, const dc_cfield_options *opt, const dc_cshape *a,
                                 const dc_poly *b, dc_arena *mem, dc_cfield *f)
{
    dc_cfield r;
    dc_real *ma = NULL, *mb, size;
    size_t used;

    /* options */
    memset(&r, 0, sizeof r);
    r.kind = kind;
    r.h = opt && opt->h > 0 ? opt->h : DC_R(2e-3);
    r.side = opt && opt->side != 0 ? opt->side : 201;
    if (!a || !b || !mem || !f || r.side < 2 || r.side > DCI_CFIELD_SIDE
        || (opt && !(opt->h >= 0 && opt->h < 1 && opt->hx >= 0 && opt->hx <= DC_LIMIT))) return DC_E_ARG;

    /* shapes */
    r.wall = a->kind;
    switch (a->kind) {
    case DC_CSHAPE_POLY:
        if (dc_poly_check(&a->poly) != DC_OK) return DC_E_ARG;
        break;
    case DC_CSHAPE_DISC:
    case DC_CSHAPE_HOLE:
        if (!(a->radius >= 1/DC_LIMIT && a->radius <= DC_LIMIT)) return DC_E_ARG;
        r.radius = r.a.radius = a->radius;
        break;
    case DC_CSHAPE_HALFPLANE:
        break;
    default:
        return DC_E_ARG;
    }
    if (dc_poly_check(b) != DC_OK || (kind == DC_CFIELD_SAMPLED && a->kind != DC_CSHAPE_POLY)) return DC_E_ARG;

    /* their polygons, copied */
    used = mem->used;
    if (a->kind == DC_CSHAPE_POLY) {
        ma = (dc_real *)dc_arena_take(mem, dci_cpoly_numbers(a->poly.n), sizeof *ma);
        if (!ma) return DC_E_MEMORY;
    }
    mb = (dc_real *)dc_arena_take(mem, dci_cpoly_numbers(b->n), sizeof *mb);
    if (!mb) {
        mem->used = used;
        return DC_E_MEMORY;
    }
    if (ma) r.a = dci_cpoly_make(&a->poly, ma);
    r.b = dci_cpoly_make(b, mb);

    size = ma ? dc_min(r.a.radius, r.b.radius) : r.b.radius;
    r.hx = opt && opt->hx > 0 ? opt->hx : (DC_IS_FLOAT ? DC_R(1e-3) : DC_R(1e-4))*size;
    *f = r;
    return DC_OK;
}

DC_DEF dc_status dc_cfield_exact(const dc_cfield_options *opt, const dc_cshape *a, const dc_poly *b, dc_arena *mem,
                                 dc_cfield *f)
{
    return dci_cfield_make(DC_CFIELD_EXACT, opt, a, b, mem, f);
}

DC_DEF dc_status dc_cfield_sampled(const dc_cfield_options *opt, const dc_cshape *a, const dc_poly *b, dc_arena *mem,
                                   dc_cfield *f)
{
    return dci_cfield_make(DC_CFIELD_SAMPLED, opt, a, b, mem, f);
}

/* b at the pose (theta, x, y), into the work's arrays: CEM Eq. 1 */
static void dci_pair_pose(const dc_cfield *f, dci_pair_work *w, dc_real theta, dc_real x, dc_real y)
{
    const dc_cpoly *b = &f->b;
    const size_t row = (size_t)b->n + 1;
    dc_real *px = w->pose, *py = px + row, *ex = py + row, *ey = ex + row, s, c;
    size_t i;

    dc_sincos(theta, &s, &c);
    for (i = 0; i < row; ++i) {
        px[i] = c*b->x[i] - s*b->y[i] + x;
        py[i] = s*b->x[i] + c*b->y[i] + y;
        ex[i] = c*b->ex[i] - s*b->ey[i];
        ey[i] = s*b->ex[i] + c*b->ey[i];
    }
}

/* Two polygons at the pose in the work's arrays; d as it is, or any number below `enough` if it is. Apart CEM Eq. 2,
 * else the least of CEM Eq. 6. */
static void dci_pair_contact(const dc_cfield *f, dci_pair_work *w, dc_real enough, dci_contact *r)
{
    const dc_cpoly *a = &w->side[0], *b = &w->side[1];
    dci_closest ba, ab;
    dci_disc best;
    int inside = dci_outline_near(b, a, &ba, w->dist);

    /* as if they were apart */
    inside |= dci_outline_near(a, b, &ab, NULL);
    if (ba.dist2 <= ab.dist2) dci_contact_apart(b, a, &ba, 1, r);
    else dci_contact_apart(a, b, &ab, -1, r);
    r->status = DC_OK;
    r->overlap = 0;

    /* Where all vertices of one lie on the outline of the other, none is inside, and no edges cross: shapes that
     * touch but for rounding are looked at. */
    if (!inside && r->distance > 16*DC_EPS*(f->a.radius + f->b.radius) && !dci_outlines_cross(a, b, w->dist)) return;

    /* the largest disc in both */
    best.x = r->point_x;
    best.y = r->point_y;
    best.value = 0;
    r->status = dci_disc_search(w, DCI_CFIELD_TOL*dc_min(f->a.radius, f->b.radius), DC_R(0.5)*enough, &best);
    r->overlap = best.value < 0;
    r->distance = r->overlap ? 2*best.value : 0;
    if (!r->overlap) return;
    r->point_x = best.x;
    r->point_y = best.y;
}

/* Signed distance of a point from an outline, its gradient: over the inside of an edge the edge's normal. */
static dc_real dci_outline_distance(const dc_cpoly *o, dc_real x, dc_real y, dc_v2 *grad)
{
    dc_real least = DC_REAL_MAX, winding = 0, t, dx, dy, d;
    dci_edge e;
    int i, at = 0, in;

    /* the first of the nearest edges */
    for (i = 0; i < o->n; ++i) {
        dc_real dist2;
        e = dci_outline_edge(o, i);
        dist2 = dci_edge_dist2(&e, x, y);
        winding += dci_edge_winding(&e, x, y);
        if (dist2 < least) {
            least = dist2;
            at = i;
        }
    }
    e = dci_outline_edge(o, at);
    in = winding > 0 || winding < 0;
    t = dci_edge_at(&e, x, y);
    dx = (x - e.x) - t*e.along_x;
    dy = (y - e.y) - t*e.along_y;
    d = dci_sqrt_lane(least);

    if ((t > 0 && t < 1) || !(d > 0)) {
        dc_real il = dci_sqrt_lane(e.inv_length2);
        *grad = dci_v2(e.along_y*il, -(e.along_x*il));
    } else *grad = dci_v2(in ? -dx/d : dx/d, in ? -dy/d : dy/d);
    return in ? -d : d;
}

/* Walls: half-plane y <= 0 and hole by the vertices of b, disc by the distance of its centre from b. */
static void dci_wall_contact(const dc_cfield *f, const dci_pair_work *w, dci_contact *r)
{
    const dc_cpoly *b = &w->side[1];
    int i, at = 0;
    dc_real best = 0, k;

    r->status = DC_OK;
    r->overlap = 0;
    if (f->wall == DC_CSHAPE_HALFPLANE) {
        /* the lowest vertex */
        for (i = 1; i < b->n; ++i)
            if (b->y[i] < b->y[at]) at = i;
        r->distance = b->y[at];
        r->normal_x = 0;
        r->normal_y = 1;
        r->point_x = b->x[at];
        r->point_y = DC_R(0.5)*r->distance;
    } else if (f->wall == DC_CSHAPE_HOLE) {
        /* the farthest vertex, which is at the centre only if all are */
        for (i = 0; i < b->n; ++i) {
            dc_real dist2 = b->x[i]*b->x[i] + b->y[i]*b->y[i];
            if (dist2 > best) {
                best = dist2;
                at = i;
            }
        }
        best = dc_sqrt(best);
        r->distance = f->radius - best;
        r->normal_x = best > 0 ? -b->x[at]/best : DC_R(0);
        r->normal_y = best > 0 ? -b->y[at]/best : DC_R(0);
        k = DC_R(0.5)*r->distance;
        r->point_x = b->x[at] - k*r->normal_x;
        r->point_y = b->y[at] - k*r->normal_y;
    } else {
        /* disc: half-way between the outlines; that of b is phi from the centre */
        dc_v2 g;
        dc_real phi = dci_outline_distance(b, 0, 0, &g);
        r->distance = phi - f->radius;
        r->normal_x = -g.x;
        r->normal_y = -g.y;
        k = DC_R(0.5)*(phi + f->radius);
        r->point_x = k*r->normal_x;
        r->point_y = k*r->normal_y;
    }
}

static void dci_exact_contact(const dc_cfield *f, dci_pair_work *w, const dc_real q[3], dc_real enough, dci_contact *r)
{
    dci_pair_pose(f, w, q[0], q[1], q[2]);
    if (f->wall == DC_CSHAPE_POLY) dci_pair_contact(f, w, enough, r);
    else dci_wall_contact(f, w, r);
}

/* ---- [networks] their layout ---------------------------------------------------------------- */
/* Rows are points, columns units, so that one product serves a batch, a single pose, the way back, and gradients by
 * weights. gcc does not keep a tile of plain arrays in registers (8 Gflop/s against 70), hence its vector types;
 * elsewhere a "vector" is one number. Every sum runs in the same order, whatever the number of rows. */

enum { DCI_NET_LAYERS = 8, DCI_NET_WIDTH = 128, DCI_NET_HARMONICS = 32, DCI_NET_BLOCK = 32, DCI_NET_HESSIAN_BLOCK = 8 };

typedef struct { int layers, width, inputs, pad; } dci_net_size;        /* pad: inputs, rounded up to a multiple of 8 */

/* Weights of layer l, biases b first, then W row by row of its inputs; l = layers: the output's 2 biases, then 2 rows
 * of weights. */
static size_t dci_net_at(const dci_net_size *s, int l)
{
    size_t H = (size_t)s->width;
    return l == 0 ? 0 : ((size_t)s->inputs + 1)*H + (size_t)(l - 1)*(H + 1)*H;
}
static size_t dci_net_count(const dci_net_size *s) { return dci_net_at(s, s->layers) + 2*((size_t)s->width + 1); }

/* The same, transposed: row by row of its units, without biases; the first layer's rows have `pad` numbers. */
static size_t dci_net_turned_at(const dci_net_size *s, int l)
{
    size_t H = (size_t)s->width;
    return l == 0 ? 0 : (size_t)s->pad*H + (size_t)(l - 1)*H*H;
}
static size_t dci_net_turned(const dci_net_size *s) { return dci_net_turned_at(s, s->layers); }

/* Numbers of work: inputs F and their three tangents J, activations A, derivatives of the units U, errors E and G,
 * outputs. */
static size_t dci_net_numbers(const dci_net_size *s, int rows)
{
    size_t H = (size_t)s->width, wide = (size_t)(s->pad > s->width ? s->pad : s->width);
    return (size_t)rows*(4*(size_t)s->pad + 2*(size_t)s->layers*H + 2*wide + 2);
}

#if defined(__GNUC__) || defined(__clang__)
#if defined(__AVX__)
#define DCI_NET_BYTES 32
#else
#define DCI_NET_BYTES 16
#endif
#define DCI_NET_VECTOR(T) T __attribute__((vector_size(DCI_NET_BYTES)))
#define DCI_NET_LANES(T) (DCI_NET_BYTES/(int)sizeof(T))
#else
#define DCI_NET_VECTOR(T) T
#define DCI_NET_LANES(T) 1
#endif

/* ---- [cut-offs] poses far away are drawn in ---------------------------------------------------- */
/* in: a pose at the distance r of its origins in the direction e; out: the pose that is asked for, rho(r) e, and the
 * chain rule back.
 *
 * stage         | reads                        | writes                             | equation
 * dci_bend_place | r, e, where it begins        | rho with its derivatives           | baked fields, above
 * dci_bend_back  | these, derivatives there     | derivatives by the pose            | chain rule */

/* value, gradient by (theta, x, y), Hessian tt tx ty xx xy yy */
typedef struct { dc_real v, g[3], h[6]; } dci_cjet;

typedef struct {
    dc_real ex, ey;                 /* e */
    dc_real r, inv_r;               /* inv_r 0: no direction across, of a half-plane */
    dc_real rho, rho1, rho2;        /* rho(r), its derivatives */
} dci_bend;

/* rho(r) = r up to a, a + w/2 from a + w on,  rho' = 1 - u^3 (10 - 15 u + 6 u^2),  u = (r - a)/w */
static void dci_bend_place(dc_real a, dc_real w, dci_bend *c)
{
    const dc_real u = (c->r - a)/w;

    c->rho = c->r;
    c->rho1 = 1;
    c->rho2 = 0;
    if (u >= 1) {
        c->rho = a + DC_R(0.5)*w;
        c->rho1 = 0;
    } else if (u > 0) {
        c->rho = a + w*(u - u*u*u*u*(DC_R(2.5) - 3*u + u*u));
        c->rho1 = 1 - u*u*u*(10 - 15*u + 6*u*u);
        c->rho2 = -30*u*u*(1 - u)*(1 - u)/w;
    }
}

/* From F's jet at rho e to that of F(theta, rho(r) e) + slope (r - rho). With f across e, k = rho/r:
 *     d(rho e) = rho' e e^T + k f f^T,   d2(rho e) = rho'' e (ee) + (rho' - k)/r (f (ef + fe) + e (ff))    */
static void dci_bend_back(const dci_bend *c, dc_real slope, int hessian, dci_cjet *j)
{
    const dc_real ex = c->ex, ey = c->ey, xx = j->h[3], xy = j->h[4], yy = j->h[5];
    const dc_real k = c->inv_r > 0 ? c->rho*c->inv_r : 1, bend = (c->rho1 - k)*c->inv_r;
    const dc_real ge = j->g[1]*ex + j->g[2]*ey, gf = j->g[2]*ex - j->g[1]*ey;
    const dc_real e = c->rho1*ge + slope*(1 - c->rho1), f = k*gf;
    dc_real ee, ef, ff, turn_e, turn_f;

    j->v += slope*(c->r - c->rho);
    j->g[1] = e*ex - f*ey;
    j->g[2] = e*ey + f*ex;
    if (!hessian) return;

    /* along e and f */
    turn_e = c->rho1*(j->h[1]*ex + j->h[2]*ey);
    turn_f = k*(j->h[2]*ex - j->h[1]*ey);
    ee = c->rho1*c->rho1*(xx*ex*ex + 2*xy*ex*ey + yy*ey*ey) + c->rho2*(ge - slope);
    ef = c->rho1*k*((yy - xx)*ex*ey + xy*(ex*ex - ey*ey)) + bend*gf;
    ff = k*k*(xx*ey*ey - 2*xy*ex*ey + yy*ex*ex) + bend*ge + slope*(1 - c->rho1)*c->inv_r;

    /* along x and y */
    j->h[1] = turn_e*ex - turn_f*ey;
    j->h[2] = turn_e*ey + turn_f*ex;
    j->h[3] = ee*ex*ex - 2*ef*ex*ey + ff*ey*ey;
    j->h[4] = (ee - ff)*ex*ey + ef*(ex*ex - ey*ey);
    j->h[5] = ee*ey*ey + 2*ef*ex*ey + ff*ex*ex;
}

/* ---- [learned] learned fields --------------------------------------------------------------- */
/* stage                   | reads                    | writes                            | equation
 * dci_cnet_make           | wall, radii, options     | a network without weights         |
 * dci_cnet_cut            | r                        | r cut off, or bent                | [cut-offs]
 * dci_cnet_place          | a pose                   | inputs, where r is cut off        | the harmonics' angles
 * dci_cnet_run            | inputs, weights          | outputs, gradient by coordinates  | [kernels]
 * dci_cnet_run_hessian    | the same                 | and second derivatives            |
 * dci_cnet_gradient, _hessian | these                | derivatives by the pose           | the chain rule
 * dci_cnet_centre         | d or lever               | without a jump at r = 0           | S of 0.05 units
 * dci_cnet_eval           | poses                    | the field's numbers               | all of these, by blocks */

struct dc_cnet {
    dc_cshape_kind wall;
    int raw, harmonics, smooth;
    dci_net_size size;
    dc_real radius_a, radius_b;
    dc_real unit, centre;           /* lengths of the inputs */
    dc_real low, high, sign;        /* r is cut off there; beyond, d grows, or falls, with slope 1 */
    float *weights;                 /* as they are saved */
    float *turned;                  /* and transposed; not in smooth fields */
    dc_real *real_weights, *real_turned;    /* smooth: the same in dc_real */
};

/* Options with their defaults; 0: out of range. */
static int dci_cnet_options(const dc_cfield_train_options *opt, dc_cfield_train_options *o)
{
    memset(o, 0, sizeof *o);
    if (opt) *o = *opt;
    if (o->harmonics == 0) o->harmonics = 12;
    if (o->layers == 0) o->layers = 3;
    if (o->width == 0) o->width = 32;
    if (o->samples == 0) o->samples = 40000;
    if (o->epochs == 0) o->epochs = 200;
    if (o->batch == 0) o->batch = 256;
    if (o->rate == 0) o->rate = DC_R(0.008);
    o->raw = o->raw != 0;
    o->smooth = o->smooth != 0;

    return o->harmonics >= 1 && o->harmonics <= DCI_NET_HARMONICS && o->layers >= 1 && o->layers <= DCI_NET_LAYERS
        && o->width >= 8 && o->width <= DCI_NET_WIDTH && o->width%8 == 0 && o->samples >= 1000 && o->samples <= 10000000
        && o->epochs >= 1 && o->epochs <= 1000000 && o->batch >= DCI_NET_BLOCK && o->batch <= 4096
        && o->batch%DCI_NET_BLOCK == 0 && o->batch <= o->samples && o->rate > 0 && o->rate <= 1 && o->enough >= 0
        && dc_finite(o->enough);
}

/* What follows from the kind of wall, the radii and the options (raw, harmonics, layers, width, smooth); 0: out of
 * range. */
static int dci_cnet_make(dc_cnet *n, dc_cshape_kind wall, dc_real ra, dc_real rb, const dc_cfield_train_options *o)
{
    const int flat = wall == DC_CSHAPE_HALFPLANE;
    const dc_real least = flat ? rb : dc_min(ra, rb), most = flat ? rb : dc_max(ra, rb);

    memset(n, 0, sizeof *n);
    if (!(least >= 1/DC_LIMIT && most <= DC_LIMIT && most <= 1000*least)) return 0;
    n->wall = wall;
    n->raw = o->raw;
    n->harmonics = o->harmonics;
    n->smooth = o->smooth;
    n->radius_a = ra;
    n->radius_b = rb;
    n->size.layers = o->layers;
    n->size.width = o->width;
    n->size.inputs = n->raw ? 3 : 1 + (wall == DC_CSHAPE_POLY ? 4 : 2)*n->harmonics;
    n->size.pad = (n->size.inputs + 7)/8*8;

    /* where r is cut off */
    n->unit = wall == DC_CSHAPE_POLY ? least : rb;
    n->sign = 1;
    switch (wall) {
    case DC_CSHAPE_POLY:        n->low = 0; n->high = ra + rb; break;
    case DC_CSHAPE_HALFPLANE:   n->low = 0; n->high = rb; break;
    case DC_CSHAPE_DISC:        n->low = dc_max(0, ra - rb); n->high = ra + rb; break;
    default:                    n->low = dc_max(0, ra - DC_R(1.3)*rb); n->high = ra; n->sign = -1; break;
    }
    n->centre = n->high - DC_R(0.7)*n->unit;
    n->high += DC_R(0.2)*n->unit;
    return 1;
}

/* A pose in the network's coordinates (r, alpha, beta), or (theta, x, y) with `raw`: */
typedef struct {
    dc_real input[5];               /* (r - centre)/unit, cos alpha, sin alpha, cos beta, sin beta; or raw inputs */
    dc_real radial_x, radial_y;     /* e, derivative of r by x, y; that of alpha and beta is inv_radius (-e_y, e_x) */
    dc_real inv_radius;
    dc_real raw_x, raw_y;           /* raw: derivatives of the inputs by x, y */
    dc_real beyond;                 /* how far r is beyond where it is cut off; 0 inside */
    dc_real bend1, bend2;           /* derivatives by r of what is left of it: 1, 0 inside; 0, 0 where it is cut off */
} dci_cnet_pose;

/* r cut off between low and high; of smooth fields bent into that over 0.4 units: from where shapes are apart, 0.2
 * units before high, and from low, if that is not where their centres coincide. Returns what is left of r. */
static dc_real dci_cnet_cut(const dc_cnet *n, dc_real r, dci_cnet_pose *p)
{
    const dc_real w = DC_R(0.4)*n->unit;
    const int mirrored = r < n->low, from_low = n->wall == DC_CSHAPE_HALFPLANE || n->low > 0;
    dc_real cut = dc_min(dc_max(r, n->low), n->high);
    dci_bend c = DC_ZERO;

    p->bend1 = cut < r || cut > r ? DC_R(0) : DC_R(1);
    p->bend2 = 0;
    if (n->smooth && !n->raw && (from_low || !mirrored)) {
        c.r = mirrored ? -r : r;
        dci_bend_place(mirrored ? -n->low : n->high - DC_R(0.5)*w, w, &c);
        cut = mirrored ? -c.rho : c.rho;
        p->bend1 = c.rho1;
        p->bend2 = mirrored ? -c.rho2 : c.rho2;
    }
    p->beyond = r - cut;
    return cut;
}

static void dci_cnet_place(const dc_cnet *n, dc_real theta, dc_real x, dc_real y, dci_cnet_pose *p)
{
    dc_real r = dc_sqrt(x*x + y*y), s, c, cut, sa, ca;

    dc_sincos(theta, &s, &c);
    if (n->wall == DC_CSHAPE_HALFPLANE) {
        r = y;
        ca = p->radial_x = 0;
        sa = p->radial_y = 1;
        p->inv_radius = 0;
        p->input[3] = s;                /* beta = pi/2 - theta */
        p->input[4] = c;
    } else {
        /* where the centres coincide any direction will do; within 1e-3 units the derivatives by direction are held
         * back */
        ca = p->radial_x = r > 0 ? x/r : DC_R(1);
        sa = p->radial_y = r > 0 ? y/r : DC_R(0);
        p->inv_radius = 1/dc_max(r, DC_R(1e-3)*n->unit);
        p->input[3] = -(ca*c + sa*s);   /* beta = alpha + pi - theta */
        p->input[4] = -(sa*c - ca*s);
    }

    /* r, cut off */
    cut = dci_cnet_cut(n, r, p);
    if (!n->raw) {
        p->input[0] = (cut - n->centre)/n->unit;
        p->input[1] = ca;
        p->input[2] = sa;
    } else {
        const dc_real reach = n->radius_a + n->radius_b + n->high, turn = dc_atan2(s, c);
        /* -pi and pi are one pose, also as they are rounded */
        p->input[0] = dc_abs(turn) >= DCI_PI*(1 - DC_EPS) ? DCI_PI : turn;
        p->input[1] = dc_min(dc_max(x, -reach), reach)/n->unit;
        p->input[2] = dc_min(dc_max(y, -reach), reach)/n->unit;
        p->raw_x = dc_abs(x) <= reach ? 1/n->unit : DC_R(0);
        p->raw_y = dc_abs(y) <= reach ? 1/n->unit : DC_R(0);
        /* a half-plane does not feel x */
        if (n->wall == DC_CSHAPE_HALFPLANE) p->input[1] = p->raw_x = 0;
    }
}

/* Derivatives by the network's coordinates to derivatives by the pose; first as there, d/d(r/unit) in g[0] */
static void dci_cnet_gradient(const dc_cnet *n, const dci_cnet_pose *p, const dc_real g[3], dc_real slope,
                              dc_real out[3])
{
    const dc_real ex = p->radial_x, ey = p->radial_y;
    dc_real r, t;

    if (n->raw) {
        out[0] = g[0];
        out[1] = g[1]*p->raw_x + slope*ex;
        out[2] = g[2]*p->raw_y + slope*ey;
        return;
    }
    r = p->bend1*g[0]/n->unit + slope;
    t = (g[1] + g[2])*p->inv_radius;
    out[0] = -g[2];
    out[1] = r*ex - t*ey;
    out[2] = r*ey + t*ex;
}

/* what a block of poses goes through */
typedef struct {
    dci_cnet_pose pose[DCI_NET_BLOCK];
    dc_real out[DCI_NET_BLOCK][2], grad[DCI_NET_BLOCK][3], lever[DCI_NET_HESSIAN_BLOCK][3];
    dc_real hess[DCI_NET_HESSIAN_BLOCK][6];
} dci_cnet_block;

static int dci_cnet_angles(const dc_cnet *n) { return n->wall == DC_CSHAPE_POLY ? 2 : 1; }

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math", "unroll-loops")
#endif

/* [kernels], at the end of this file, for each type of their numbers */
#define DCI_T float
#define DCI_NET(name) name##_f
#include "dc_sdf.h"
#if !DC_IS_FLOAT
#undef DCI_NET
#define DCI_T dc_real
#define DCI_NET(name) name##_d
#include "dc_sdf.h"
#endif

/* Numbers of the second derivatives' work beyond dci_net_numbers: tangents Z of z, one layer's of u(z), u'' */
static size_t dci_cnet_hessian_numbers(const dci_net_size *s, int rows)
{
    return (size_t)rows*(size_t)s->width*(4*(size_t)s->layers + 3);
}

/* Also second derivatives, and the second output's first ones. With tangents Z_i = dz/dc_i of a layer's z,
 *
 *     d2 out/dc_i dc_j = sum over layers and units of e u''(z) Z_i Z_j + sum over inputs of e d2F/dc_i dc_j
 *
 * where e is the derivative of the output by u(z), or by the input. hess: 00 01 02 11 12 22 */
static DCI_NOINLINE void dci_cnet_run_hessian(const dc_cnet *c, int n, const dci_cnet_pose *p,
                                              const DCI_NET(dci_net_work) *w, dc_real *second, dci_cnet_block *to)
{
    const dci_net_size *s = &c->size;
    const size_t H = (size_t)s->width, layer = (size_t)n*H;
    const int K = c->harmonics, angles = dci_cnet_angles(c);
    const dc_real *W = c->real_weights, *last = W + dci_net_at(s, s->layers) + 2;
    dc_real *Z = second, *T = Z + 3*(size_t)s->layers*layer, *ddu = T + 3*layer, *E = w->errors, *G = w->swap, *swap;
    int i, j, k, l;

    /* forward; tangents Z of each layer's z, T of its u(z) */
    for (i = 0; i < n; ++i)
        DCI_NET(dci_net_inputs)(c->raw, K, angles, s->pad, p[i].input, w->inputs + i*s->pad, w->tangents + 3*i*s->pad);
    DCI_NET(dci_net_forward)(s, W, c->smooth, n, w, ddu);
    for (l = 0; l < s->layers; ++l) {
        const dc_real *u = w->slopes + (size_t)l*layer;
        dc_real *z = Z + 3*(size_t)l*layer;
        DCI_NET(dci_net_mul)(3*n, s->width, l == 0 ? s->inputs : s->width, l == 0 ? w->tangents : T,
                             l == 0 ? (size_t)s->pad : H, 1, W + dci_net_at(s, l) + H, H, NULL, 0, z, H);
        for (i = 0; i < 3*n; ++i)
            for (k = 0; k < s->width; ++k) T[i*s->width + k] = z[i*s->width + k]*u[i/3*s->width + k];
    }

    /* outputs, and the second one's derivatives */
    for (i = 0; i < n; ++i) {
        for (k = 0; k < 2; ++k) to->out[i][k] = w->out[2*i + k];
        for (k = 0; k < 3; ++k) to->lever[i][k] = DCI_NET(dci_net_dot)(s->width, last + H, T + (size_t)(3*i + k)*H);
        for (k = 0; k < 6; ++k) to->hess[i][k] = 0;
        memcpy(E + i*s->width, last, H*sizeof *E);
    }

    /* back: the sum over layers and units */
    for (l = s->layers - 1; l >= 0; --l) {
        const dc_real *V = ddu + (size_t)l*layer, *z = Z + 3*(size_t)l*layer;
        for (i = 0; i < n; ++i)
            for (k = 0; k < s->width; ++k) {
                const int at = i*s->width + k;
                const dc_real *t = z + 3*i*s->width + k, e = E[at]*V[at], a = t[0], b = t[H], d = t[2*H];
                dc_real *h = to->hess[i];
                h[0] += e*a*a;
                h[1] += e*a*b;
                h[2] += e*a*d;
                h[3] += e*b*b;
                h[4] += e*b*d;
                h[5] += e*d*d;
            }
        DCI_NET(dci_net_through)(n*s->width, E, w->slopes + (size_t)l*layer);
        DCI_NET(dci_net_back)(s, c->real_turned, l, n, E, G);
        swap = E;
        E = G;
        G = swap;
    }

    /* and over inputs, d2 cos k phi = -k^2 cos k phi, as of the sine: of alpha, then of beta */
    for (i = 0; i < n; ++i) {
        const dc_real *e = E + i*s->pad, *F = w->inputs + i*s->pad;
        for (k = 0; k < 3; ++k) to->grad[i][k] = DCI_NET(dci_net_dot)(s->pad, w->tangents + (3*i + k)*s->pad, e);
        for (j = 0; j < angles && !c->raw; ++j)
            for (k = 0; k < 2*K; ++k) {
                int at = 1 + 2*K*j + k, order = k%K + 1;
                to->hess[i][j + 1 < angles ? 3 : 5] -= (dc_real)(order*order)*(e[at]*F[at]);
            }
    }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* Second derivatives by the pose, tt tx ty xx xy yy, from those by (rho(r)/unit, alpha, beta) and of sign (r - rho):
 * with e the radial direction, f the one across it and i = inv,
 *     d r = e,  d alpha = i f,  d beta = (-1; i f),  d2 r = i f f^T,  d2 alpha = d2 beta = -i^2 (e f^T + f e^T)     */
static void dci_cnet_hessian(const dc_cnet *n, const dci_cnet_pose *p, const dc_real g[3], const dc_real h[6],
                             dc_real sign, dc_real out[6])
{
    const dc_real slope = sign*(1 - p->bend1), ex = p->radial_x, ey = p->radial_y, i = p->inv_radius;
    dc_real iu, rr, rt, rb, tt, bt, r;

    if (n->raw) {
        /* inputs are the pose; r bends beyond where it is cut off */
        rr = rt = 0;
        tt = slope*i;
        out[0] = h[0];
        out[1] = p->raw_x*h[1];
        out[2] = p->raw_y*h[2];
        out[3] = p->raw_x*p->raw_x*h[3];
        out[4] = p->raw_x*p->raw_y*h[4];
        out[5] = p->raw_y*p->raw_y*h[5];
    } else {
        /* along e and f, and by theta = -beta */
        iu = p->bend1/n->unit;
        r = g[0]*iu + slope;
        rr = iu*iu*h[0] + p->bend2*(g[0]/n->unit - sign);
        rb = iu*h[2];
        rt = i*(iu*(h[1] + h[2]) - i*(g[1] + g[2]));
        bt = i*(h[4] + h[5]);
        tt = i*(i*(h[3] + 2*h[4] + h[5]) + r);
        out[0] = h[5];
        out[1] = -(rb*ex - bt*ey);
        out[2] = -(rb*ey + bt*ex);
        out[3] = out[4] = out[5] = 0;
    }

    /* e and f in x and y */
    out[3] += rr*ex*ex - 2*rt*ex*ey + tt*ey*ey;
    out[4] += (rr - tt)*ex*ey + rt*(ex*ex - ey*ey);
    out[5] += rr*ey*ey + 2*rt*ex*ey + tt*ex*ex;
}

/* numbers to rows of an output; 0: one is not finite */
static int dci_cnet_put(int rows, const dc_real *x, dc_real *out, size_t stride)
{
    int k, ok = 1;

    for (k = 0; k < rows; ++k) {
        out[(size_t)k*stride] = x[k];
        ok = ok && dc_finite(x[k]);
    }
    return ok;
}

/* Where centres coincide there is no direction to look in: of smooth fields of two shapes, and of a disc that is not
 * the larger one, j goes over to `value` within 0.05 units,
 *     j <- value + S (j - value),   S = v^3 (10 - 15 v + 6 v^2),   v = (r - 0.01 units)/(0.04 units) in 0..1 */
static void dci_cnet_centre(const dc_cnet *n, const dci_cnet_pose *p, dc_real r, dc_real value, dci_cjet *j)
{
    const dc_real w = DC_R(0.04)*n->unit, v = dc_max((r - DC_R(0.01)*n->unit)/w, 0), off = j->v - value;
    const dc_real ex = p->radial_x, ey = p->radial_y, *g = j->g;
    dc_real s, s1, s2, across;
    int k;

    if (!n->smooth || n->raw || v >= 1 || n->low > 0) return;
    if (n->wall != DC_CSHAPE_POLY && n->wall != DC_CSHAPE_DISC) return;
    s = v*v*v*(10 - 15*v + 6*v*v);
    s1 = 30*v*v*(1 - v)*(1 - v)/w;
    s2 = 60*v*(1 - v)*(1 - 2*v)/(w*w);
    across = s1*p->inv_radius;

    /* derivatives, the second ones first, of which those by place hold the gradient as it was */
    for (k = 0; k < 6; ++k) j->h[k] *= s;
    j->h[1] += s1*ex*g[0];
    j->h[2] += s1*ey*g[0];
    j->h[3] += 2*s1*ex*g[1] + off*(s2*ex*ex + across*ey*ey);
    j->h[4] += s1*(ex*g[2] + ey*g[1]) + off*(s2 - across)*ex*ey;
    j->h[5] += 2*s1*ey*g[2] + off*(s2*ey*ey + across*ex*ex);
    for (k = 0; k < 3; ++k) j->g[k] *= s;
    j->g[1] += s1*off*ex;
    j->g[2] += s1*off*ey;
    j->v = value + s*off;
}

/* What the network says of pose m of a block to numbers of the field, at [i] of the outputs; 0: one is not finite */
static int dci_cnet_result(const dc_cnet *n, const dci_cnet_block *B, int m, const dc_real q[2], size_t i,
                           size_t stride, const dc_cfield_out *o)
{
    const dci_cnet_pose *p = &B->pose[m];
    const dc_real scale = n->unit*DC_CFIELD_BAND, slope = n->sign*(1 - p->bend1);
    const dc_real r = dc_sqrt(q[0]*q[0] + q[1]*q[1]);
    dc_real a[3], h[6];
    dci_cjet d = DC_ZERO, lever = DC_ZERO;
    int k, ok = 1;

    /* numbers and derivatives, from the network's coordinates to the pose */
    d.v = scale*B->out[m][0] + n->sign*p->beyond;
    lever.v = n->unit*B->out[m][1];
    if (o->grad || o->hess) {
        for (k = 0; k < 3; ++k) a[k] = scale*B->grad[m][k];
        dci_cnet_gradient(n, p, a, slope, d.g);
    }
    if (o->hess) {
        for (k = 0; k < 6; ++k) h[k] = scale*B->hess[m][k];
        dci_cnet_hessian(n, p, a, h, n->sign, d.h);
    }
    if (o->dlever) {
        for (k = 0; k < 3; ++k) a[k] = n->unit*B->lever[m][k];
        dci_cnet_gradient(n, p, a, 0, lever.g);
    }
    dci_cnet_centre(n, p, r, -2*scale, &d);
    dci_cnet_centre(n, p, r, 0, &lever);

    /* what is asked for */
    if (o->d) ok = dci_cnet_put(1, &d.v, o->d + i, stride) && ok;
    if (o->lever) ok = dci_cnet_put(1, &lever.v, o->lever + i, stride) && ok;
    if (o->grad) ok = dci_cnet_put(3, d.g, o->grad + i, stride) && ok;
    if (o->hess) ok = dci_cnet_put(6, d.h, o->hess + i, stride) && ok;
    if (o->dlever) ok = dci_cnet_put(3, lever.g, o->dlever + i, stride) && ok;
    return ok;
}

/* scratch of an evaluation */
typedef struct {
    dci_cnet_block *block;
    float *single;                  /* work in float, */
    dc_real *real, *second;         /* or in dc_real, and that of second derivatives */
} dci_cnet_scratch;

static void dci_cnet_lay(const dc_cnet *n, dci_cnet_scratch *s, dci_room *room)
{
    const size_t count = dci_net_numbers(&n->size, DCI_NET_BLOCK);
    const size_t second = dci_cnet_hessian_numbers(&n->size, DCI_NET_HESSIAN_BLOCK);

    s->block = DCI_TAKE(room, 1, dci_cnet_block);
    s->single = n->smooth ? NULL : DCI_TAKE(room, count, float);
    s->real = n->smooth ? DCI_TAKE(room, count, dc_real) : NULL;
    s->second = n->smooth ? DCI_TAKE(room, second, dc_real) : NULL;
}

/* poses are finite and in range */
static dc_status dci_cnet_eval(const dc_cfield *f, int count, const dc_real *q, size_t stride, dc_arena *arena,
                               const dc_cfield_out *o)
{
    const dc_cnet *n = f->net;
    const size_t used = arena->used;
    const int second = o->hess || o->dlever, grad = o->grad != NULL;
    const int most = second ? DCI_NET_HESSIAN_BLOCK : DCI_NET_BLOCK;
    const int rows = most < count ? most : count;
    dci_room room = DC_ZERO;
    dci_cnet_scratch s;
    dci_net_work_f single;
    DCI_NET(dci_net_work) real;
    int i, m, ok = 1, at;

    room.arena = arena;
    dci_cnet_lay(n, &s, &room);
    arena->used = used;
    if (room.full) return DC_E_MEMORY;
    if (n->smooth) real = DCI_NET(dci_net_work_make)(&n->size, rows, s.real);
    else single = dci_net_work_make_f(&n->size, rows, s.single);

    for (at = 0; at < count; at += m) {
        dci_cnet_block *B = s.block;

        /* a block of poses, through the network, to the outputs */
        m = count - at < rows ? count - at : rows;
        for (i = 0; i < m; ++i) {
            size_t k = (size_t)(at + i);
            dci_cnet_place(n, q[k], q[stride + k], q[2*stride + k], &B->pose[i]);
        }
        if (second) dci_cnet_run_hessian(n, m, B->pose, &real, s.second, B);
        else if (n->smooth) DCI_NET(dci_cnet_run)(n, n->real_weights, n->real_turned, m, B->pose, grad, &real, B->out,
                                                  B->grad);
        else dci_cnet_run_f(n, n->weights, n->turned, m, B->pose, grad, &single, B->out, B->grad);
        for (i = 0; i < m; ++i) {
            const size_t k = (size_t)(at + i);
            const dc_real xy[2] = {q[stride + k], q[2*stride + k]};
            ok = dci_cnet_result(n, B, i, xy, k, stride, o) && ok;
        }
    }
    return ok ? DC_OK : DC_E_RANGE;
}

static DCI_NOINLINE dc_status dci_cnet_eval_one(const dc_cfield *f, const dc_real q[3], dc_arena *mem, dc_real *d,
                                                dc_real *grad, dc_real *lever, dc_real *hess, dc_real *dlever)
{
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    dc_real v = 0, l = 0, g[3] = {0}, h[6] = {0}, dl[3] = {0};
    dc_cfield_out o;
    dc_status status;
    int k;

    o.d = d ? &v : NULL;
    o.grad = grad ? g : NULL;
    o.lever = lever ? &l : NULL;
    o.hess = hess ? h : NULL;
    o.dlever = dlever ? dl : NULL;
    status = dci_cnet_eval(f, 1, q, 1, mem, &o);
    if (status != DC_OK) return status;

    if (d) *d = v;
    if (lever) *lever = l;
    for (k = 0; grad && k < 3; ++k) grad[k] = g[k];
    for (k = 0; dlever && k < 3; ++k) dlever[k] = dl[k];
    for (k = 0; hess && k < 9; ++k) hess[k] = h[at[k]];
    return DC_OK;
}

/* ---- [network memory] of a learned field ---------------------------------------------------- */

/* A network like n and its arrays, its weights still to be filled in; NULL: no room, or counted */
static dc_cnet *dci_cnet_lay_net(const dc_cnet *n, dci_room *room)
{
    const size_t count = dci_net_count(&n->size), turned = dci_net_turned(&n->size);
    dc_cnet *c = DCI_TAKE(room, 1, dc_cnet);
    float *w = DCI_TAKE(room, count, float), *t = n->smooth ? NULL : DCI_TAKE(room, turned, float);
    dc_real *real_w = n->smooth ? DCI_TAKE(room, count, dc_real) : NULL;
    dc_real *real_t = n->smooth ? DCI_TAKE(room, turned, dc_real) : NULL;

    if (room->full || !room->arena) return NULL;
    *c = *n;
    c->weights = w;
    c->turned = t;
    c->real_weights = real_w;
    c->real_turned = real_t;
    return c;
}

static size_t dci_cnet_bytes(const dc_cnet *n)
{
    dci_room room = DC_ZERO;

    dci_cnet_lay_net(n, &room);
    return room.bytes;
}

/* The field of a network like n in the arena; its weights, still to be filled in; NULL: no room */
static float *dci_cnet_take(const dc_cnet *n, dc_arena *arena, dc_cfield *f)
{
    const size_t used = arena->used;
    dci_room room = DC_ZERO;
    dc_cnet *c;

    room.arena = arena;
    c = dci_cnet_lay_net(n, &room);
    if (!c) {
        arena->used = used;
        return NULL;
    }
    memset(f, 0, sizeof *f);
    f->kind = DC_CFIELD_LEARNED;
    f->wall = n->wall;
    f->radius = n->wall == DC_CSHAPE_DISC || n->wall == DC_CSHAPE_HOLE ? n->radius_a : DC_R(0);
    f->smooth = n->smooth;
    f->a.radius = n->radius_a;
    f->b.radius = n->radius_b;
    f->net = c;
    return c->weights;
}

/* what is made of the weights */
static void dci_cnet_ready(dc_cfield *f)
{
    const dc_cnet *n = f->net;
    size_t k, count = dci_net_count(&n->size);
    if (!n->smooth) {
        dci_net_turn_f(&n->size, n->weights, n->turned);
        return;
    }
    for (k = 0; k < count; ++k) n->real_weights[k] = (dc_real)n->weights[k];
    DCI_NET(dci_net_turn)(&n->size, n->real_weights, n->real_turned);
}

/* ---- [splines] baked fields: evaluation ----------------------------------------------------------- */
/* in: cells and poses; out: the field's numbers.
 *
 * stage              | reads                      | writes                          | equation
 * dci_spots_find     | some poses                 | their cells and weights         | baked fields, above
 * dci_spline_weights | where in a cell            | four weights, their derivatives | uniform cubic B-spline
 * dci_cspline_sum    | 64 cells                   | jets of d and lever             | their tensor product
 * dci_cspline_many   | poses                      | what is asked for               | the chain rule
 *
 * Weights are made of several poses side by side: one by one they took as long as the 64 cells. */

enum { DCI_SPLINE_ANGLES = 4096, DCI_SPLINE_SIDE = 512, DCI_SPLINE_FOLD = 64 };

/* Cells by theta, x, y: coefficient of d, of lever. x and y have a cell on each side beyond the square of half width
 * `reach`. Of a half-plane one of s by theta. */
struct dc_cspline {
    dc_cshape_kind wall;
    int angles, side, fold, bits;
    dc_real radius_a, radius_b;
    dc_real begin, width;           /* where poses begin to be drawn in, and how long they are */
    dc_real turns, turn;            /* of the fold per radian, and cells */
    dc_real reach, rate;            /* half width; cells per length */
    dc_real scale[2];               /* of cells of 16 bits, of d and lever; else 1 */
    dc_real slope;                  /* of d far away: 1, of a mixed field the sum of weights */
    float   *cell;
    int16_t *short_cell;
};

/* what follows from the counts and radii */
static void dci_cspline_ready(dc_cspline *s)
{
    const dc_real unit = s->wall == DC_CSHAPE_POLY ? dc_min(s->radius_a, s->radius_b) : s->radius_b;

    s->begin = s->radius_a + s->radius_b;
    s->width = DC_R(0.4)*unit;
    s->reach = s->begin + DC_R(0.5)*s->width;
    s->turns = (dc_real)s->fold/(2*DCI_PI);
    s->turn = (dc_real)(s->fold*s->angles)/(2*DCI_PI);
    s->rate = s->wall == DC_CSHAPE_POLY ? (dc_real)(s->side - 3)/(2*s->reach) : 0;
}

/* radii as of learned fields; 0: out of range */
static int dci_cspline_sizes_ok(const dc_cspline *s)
{
    const int flat = s->wall == DC_CSHAPE_HALFPLANE;
    const dc_real least = flat ? s->radius_b : dc_min(s->radius_a, s->radius_b);
    const dc_real most = flat ? s->radius_b : dc_max(s->radius_a, s->radius_b);

    return least >= 1/DC_LIMIT && most <= DC_LIMIT && most <= 1000*least;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math", "unroll-loops")
#endif

enum { DCI_SPOTS = 4 };             /* poses at a time: their weights are made side by side */

/* of u in a cell, 0 to 1, of n poses: four rows of weights, `lanes` numbers each, and four of derivatives by u */
DCI_LANE void dci_spline_weights(const dc_real *u, int n, int level, int lanes, dc_real *w)
{
    const dc_real sixth = DC_R(1.0)/6;
    dc_real *const dw = w + 4*lanes;
    int l;

    for (l = 0; l < n; ++l) {
        const dc_real x = u[l], m = 1 - x;

        w[l] = sixth*(m*m*m);
        w[lanes + l] = sixth*(4 + x*x*(3*x - 6));
        w[2*lanes + l] = sixth*(4 + m*m*(3*m - 6));
        w[3*lanes + l] = sixth*(x*x*x);
        if (level > 0) {
            dw[l] = -DC_R(0.5)*(m*m);
            dw[lanes + l] = x*(DC_R(1.5)*x - 2);
            dw[2*lanes + l] = -m*(DC_R(1.5)*m - 2);
            dw[3*lanes + l] = DC_R(0.5)*(x*x);
        }
    }
}

/* second derivatives */
DCI_LANE void dci_spline_bends(dc_real u, dc_real w[4])
{
    const dc_real m = 1 - u;

    w[0] = m;
    w[1] = 3*u - 2;
    w[2] = 3*m - 2;
    w[3] = u;
}

/* Four cells by y, of d and lever, as one row of eight numbers */
#if defined(__AVX512F__) && (defined(__GNUC__) || defined(__clang__)) && !DC_IS_FLOAT
typedef dc_real dci_cells_vector __attribute__((vector_size(64)));
enum { DCI_CELLS_LANES = 8 };
#else
typedef DCI_NET_VECTOR(dc_real) dci_cells_vector;
enum { DCI_CELLS_LANES = DCI_NET_LANES(dc_real) };
#endif
enum { DCI_CELLS = 8/DCI_CELLS_LANES };
typedef struct { dci_cells_vector v[DCI_CELLS]; } dci_cells;

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 9)
typedef float dci_cells_float __attribute__((vector_size(4*DCI_CELLS_LANES)));
typedef int16_t dci_cells_short __attribute__((vector_size(2*DCI_CELLS_LANES)));
typedef int32_t dci_cells_int __attribute__((vector_size(4*DCI_CELLS_LANES)));
#define DCI_CELLS_WIDEN(x, from) __builtin_convertvector(x, from)
#else
typedef float dci_cells_float;
typedef int16_t dci_cells_short;
typedef int32_t dci_cells_int;
#define DCI_CELLS_WIDEN(x, from) ((from)(x))
#endif

DCI_LANE void dci_cells_read(const dc_cspline *s, size_t at, int bits, dci_cells *row)
{
    int k;

    for (k = 0; k < DCI_CELLS; ++k) {
        if (bits == 16) {
            dci_cells_short x;
            memcpy(&x, s->short_cell + at + (size_t)(k*DCI_CELLS_LANES), sizeof x);
            row->v[k] = DCI_CELLS_WIDEN(DCI_CELLS_WIDEN(x, dci_cells_int), dci_cells_vector);
        } else {
            dci_cells_float x;
            memcpy(&x, s->cell + at + (size_t)(k*DCI_CELLS_LANES), sizeof x);
            row->v[k] = DCI_CELLS_WIDEN(x, dci_cells_vector);
        }
    }
}

/* sum = w row, or sum += w row */
DCI_LANE void dci_cells_add(dci_cells *sum, int more, dc_real w, const dci_cells *row)
{
    int k;
    for (k = 0; k < DCI_CELLS; ++k) sum->v[k] = more ? sum->v[k] + row->v[k]*w : row->v[k]*w;
}

/* the sums over y with weights w, of d and of lever */
DCI_LANE void dci_cells_dot(const dci_cells *row, const dc_real w[4], dc_real *d, dc_real *lever)
{
    dc_real x[8];

    memcpy(x, row->v, sizeof x);
    *d = (x[0]*w[0] + x[4]*w[2]) + (x[2]*w[1] + x[6]*w[3]);
    *lever = (x[1]*w[0] + x[5]*w[2]) + (x[3]*w[1] + x[7]*w[3]);
}

/* The cell by theta that a pose is in, of those of one turn of the fold, and where in it. */
DCI_LANE int dci_cspline_angle(const dc_cspline *s, dc_real theta, dc_real *u)
{
    dc_real turns = theta*s->turns, part;
    int k;

    /* beyond that no digit is left of the angle */
    if (!(dc_abs(turns) <= DC_R(0.25)/DC_EPS)) turns = 0;
    part = turns - (dc_real)(int64_t)turns;
    part = (part < 0 ? part + 1 : part)*(dc_real)s->angles;
    k = (int)part;
    if (k >= s->angles) k = s->angles - 1;
    *u = dc_min(part - (dc_real)k, 1);
    return k;
}

/* Up to DCI_SPOTS poses among the cells: the second of four by theta, the first by x and y; by theta, x, y where in a
 * cell, and 8 rows of weights each. `drawn`: it is beyond `begin`. */
typedef struct {
    int it[DCI_SPOTS], ix[DCI_SPOTS], iy[DCI_SPOTS], drawn[DCI_SPOTS];
    dc_real u[3][DCI_SPOTS];
    dc_real *w;                     /* [24 lanes] */
} dci_spots;

/* how a pose beyond `begin` is drawn in */
static void dci_cspline_bend(const dc_cspline *s, dc_real x, dc_real y, dci_bend *c)
{
    c->r = dc_sqrt(x*x + y*y);
    c->inv_r = 1/c->r;              /* r > begin > 0 */
    c->ex = x*c->inv_r;
    c->ey = y*c->inv_r;
    dci_bend_place(s->begin, s->width, c);
}

DCI_LANE void dci_spots_find(const dc_cspline *s, const dc_real *q, size_t stride, int n, int level, int lanes,
                             dci_spots *at)
{
    const int most = s->side - 4;
    int k, l;

    for (l = 0; l < n; ++l) {
        const dc_real x = q[stride + (size_t)l], y = q[2*stride + (size_t)l];
        dci_bend c;

        at->u[1][l] = x;
        at->u[2][l] = y;
        at->drawn[l] = !(x*x + y*y <= s->begin*s->begin);
        if (!at->drawn[l]) continue;
        dci_cspline_bend(s, x, y, &c);
        at->u[1][l] = c.rho*c.ex;
        at->u[2][l] = c.rho*c.ey;
    }
    for (l = 0; l < n; ++l) at->it[l] = dci_cspline_angle(s, q[l], &at->u[0][l]);

    /* at the very edge the last cell's end */
    for (l = 0; l < n; ++l) {
        const dc_real fx = (at->u[1][l] + s->reach)*s->rate, fy = (at->u[2][l] + s->reach)*s->rate;
        int ix = (int)fx, iy = (int)fy;
        ix = ix > most ? most : ix;
        iy = iy > most ? most : iy;
        at->u[1][l] = fx - (dc_real)ix;
        at->u[2][l] = fy - (dc_real)iy;
        at->ix[l] = ix;
        at->iy[l] = iy;
    }
    for (k = 0; k < 3; ++k) dci_spline_weights(at->u[k], n, level, lanes, at->w + 8*k*lanes);
}

/* jets of d and lever of pose l; level 0: values, 1: and gradients, 2: and Hessians */
DCI_LANE void dci_cspline_sum(const dc_cspline *s, const dci_spots *spots, int l, int level, int bits, int lanes,
                              dci_cjet jet[2])
{
    const size_t n = (size_t)s->side, step = 2*n;
    const dc_real rt = s->turn, rx = s->rate, *wt = spots->w + l, *wx = wt + 8*lanes;
    dc_real wy[3][4], bends[2][4];    /* weights by y; second derivatives of those by theta and x */
    dc_real g[3][2], h[6][2];
    dci_cells sum[6] = DC_ZERO;       /* over theta and x: value, t, x, tt, tx, xx */
    int i, j, k;

    for (j = 0; j < 4; ++j) {
        wy[0][j] = wt[(16 + j)*lanes];
        if (level > 0) wy[1][j] = wt[(20 + j)*lanes];
    }
    if (level > 1) {
        dci_spline_bends(spots->u[0][l], bends[0]);
        dci_spline_bends(spots->u[1][l], bends[1]);
        dci_spline_bends(spots->u[2][l], wy[2]);
    }
    for (i = 0; i < 4; ++i) {
        int t = spots->it[l] + i - 1;
        size_t at;
        dci_cells over[3] = DC_ZERO, row;       /* over x: value, x, xx */

        t = t < 0 ? t + s->angles : t >= s->angles ? t - s->angles : t;
        at = (((size_t)t*n + (size_t)spots->ix[l])*n + (size_t)spots->iy[l])*2;
        for (j = 0; j < 4; ++j) {
            dci_cells_read(s, at + (size_t)j*step, bits, &row);
            dci_cells_add(&over[0], j > 0, wx[j*lanes], &row);
            if (level > 0) dci_cells_add(&over[1], j > 0, wx[(4 + j)*lanes], &row);
            if (level > 1) dci_cells_add(&over[2], j > 0, bends[1][j], &row);
        }
        dci_cells_add(&sum[0], i > 0, wt[i*lanes], &over[0]);
        if (level > 0) {
            dci_cells_add(&sum[1], i > 0, wt[(4 + i)*lanes], &over[0]);
            dci_cells_add(&sum[2], i > 0, wt[i*lanes], &over[1]);
        }
        if (level > 1) {
            dci_cells_add(&sum[3], i > 0, bends[0][i], &over[0]);
            dci_cells_add(&sum[4], i > 0, wt[(4 + i)*lanes], &over[1]);
            dci_cells_add(&sum[5], i > 0, wt[i*lanes], &over[2]);
        }
    }

    /* over y, and from cells to lengths */
    dci_cells_dot(&sum[0], wy[0], &jet[0].v, &jet[1].v);
    if (level > 0) {
        dci_cells_dot(&sum[1], wy[0], &g[0][0], &g[0][1]);
        dci_cells_dot(&sum[2], wy[0], &g[1][0], &g[1][1]);
        dci_cells_dot(&sum[0], wy[1], &g[2][0], &g[2][1]);
    }
    if (level > 1) {
        dci_cells_dot(&sum[3], wy[0], &h[0][0], &h[0][1]);
        dci_cells_dot(&sum[4], wy[0], &h[1][0], &h[1][1]);
        dci_cells_dot(&sum[1], wy[1], &h[2][0], &h[2][1]);
        dci_cells_dot(&sum[5], wy[0], &h[3][0], &h[3][1]);
        dci_cells_dot(&sum[2], wy[1], &h[4][0], &h[4][1]);
        dci_cells_dot(&sum[0], wy[2], &h[5][0], &h[5][1]);
    }
    for (k = 0; k < 2; ++k) {
        const dc_real c = s->scale[k];
        jet[k].v *= c;
        if (level > 0) {
            jet[k].g[0] = c*rt*g[0][k];
            jet[k].g[1] = c*rx*g[1][k];
            jet[k].g[2] = c*rx*g[2][k];
        }
        if (level > 1) {
            jet[k].h[0] = c*rt*rt*h[0][k];
            jet[k].h[1] = c*rt*rx*h[1][k];
            jet[k].h[2] = c*rt*rx*h[2][k];
            jet[k].h[3] = c*rx*rx*h[3][k];
            jet[k].h[4] = c*rx*rx*h[4][k];
            jet[k].h[5] = c*rx*rx*h[5][k];
        }
    }
}

/* a half-plane's: d = y + s(theta), lever = s/2 */
static void dci_cspline_plane(const dc_cspline *s, dc_real theta, dc_real y, int level, dci_cjet jet[2])
{
    dc_real w[12], u, v[3] = {0, 0, 0}, rate = 1;
    int i, k, it = dci_cspline_angle(s, theta, &u);

    dci_spline_weights(&u, 1, 1, 1, w);
    dci_spline_bends(u, w + 8);
    for (k = 0; k < 3; ++k, rate *= s->turn) {
        for (i = 0; i < 4; ++i) {
            int t = it + i - 1;
            t = t < 0 ? t + s->angles : t >= s->angles ? t - s->angles : t;
            v[k] += w[4*k + i]*(s->short_cell ? (dc_real)s->short_cell[t] : (dc_real)s->cell[t]);
        }
        v[k] *= rate*s->scale[0];
    }
    memset(jet, 0, 2*sizeof *jet);
    jet[0].v = s->slope*y + v[0];
    jet[1].v = DC_R(0.5)*v[0];
    if (level > 0) {
        jet[0].g[0] = v[1];
        jet[0].g[2] = s->slope;
        jet[1].g[0] = DC_R(0.5)*v[1];
        jet[0].h[0] = v[2];
        jet[1].h[0] = DC_R(0.5)*v[2];
    }
}

/* many poses, `lanes` at a time, of what is asked for; level 1: no second derivatives. w: scratch, 24 lanes */
DCI_LANE void dci_cspline_many(const dc_cspline *s, int count, const dc_real *q, size_t stride, int level, int bits,
                               int lanes, dc_real *w, const dc_cfield_out *o)
{
    dci_spots at;
    size_t i, k;
    int l, n;

    at.w = w;
    for (i = 0; i < (size_t)count; i += (size_t)n) {
        /* weights side by side, then pose by pose */
        n = count - (int)i < lanes ? count - (int)i : lanes;
        if (s->wall != DC_CSHAPE_HALFPLANE) dci_spots_find(s, q + i, stride, n, level, lanes, &at);
        for (l = 0; l < n; ++l) {
            const size_t to = i + (size_t)l;
            dci_cjet jet[2];
            if (s->wall == DC_CSHAPE_HALFPLANE) dci_cspline_plane(s, q[to], q[2*stride + to], level, jet);
            else {
                dci_cspline_sum(s, &at, l, level, bits, lanes, jet);
                if (at.drawn[l]) {
                    dci_bend c;
                    dci_cspline_bend(s, q[stride + to], q[2*stride + to], &c);
                    dci_bend_back(&c, s->slope, level > 1, &jet[0]);
                    if (level > 1) dci_bend_back(&c, 0, 1, &jet[1]);
                }
            }
            if (o->d) o->d[to] = jet[0].v;
            if (o->lever) o->lever[to] = jet[1].v;
            for (k = 0; k < 3 && o->grad; ++k) o->grad[k*stride + to] = jet[0].g[k];
            for (k = 0; k < 3 && level > 1 && o->dlever; ++k) o->dlever[k*stride + to] = jet[1].g[k];
            for (k = 0; k < 6 && level > 1 && o->hess; ++k) o->hess[k*stride + to] = jet[0].h[k];
        }
    }
}

static DCI_NOINLINE void dci_cspline_first_16(const dc_cspline *s, int count, const dc_real *q, size_t stride,
                                              const dc_cfield_out *o)
{
    dc_real w[24*DCI_SPOTS];
    dci_cspline_many(s, count, q, stride, 1, 16, DCI_SPOTS, w, o);
}

static DCI_NOINLINE void dci_cspline_first_32(const dc_cspline *s, int count, const dc_real *q, size_t stride,
                                              const dc_cfield_out *o)
{
    dc_real w[24*DCI_SPOTS];
    dci_cspline_many(s, count, q, stride, 1, 32, DCI_SPOTS, w, o);
}

/* one at a time: sums take the stack that weights of more would */
static DCI_NOINLINE void dci_cspline_second_16(const dc_cspline *s, int count, const dc_real *q, size_t stride,
                                               const dc_cfield_out *o)
{
    dc_real w[24];
    dci_cspline_many(s, count, q, stride, 2, 16, 1, w, o);
}

static DCI_NOINLINE void dci_cspline_second_32(const dc_cspline *s, int count, const dc_real *q, size_t stride,
                                               const dc_cfield_out *o)
{
    dc_real w[24];
    dci_cspline_many(s, count, q, stride, 2, 32, 1, w, o);
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

static dc_status dci_cspline_eval(const dc_cspline *s, int count, const dc_real *q, size_t stride,
                                  const dc_cfield_out *o)
{
    const int second = o->hess || o->dlever;

    if (s->short_cell && second) dci_cspline_second_16(s, count, q, stride, o);
    else if (s->short_cell) dci_cspline_first_16(s, count, q, stride, o);
    else if (second) dci_cspline_second_32(s, count, q, stride, o);
    else dci_cspline_first_32(s, count, q, stride, o);
    return DC_OK;
}

static DCI_NOINLINE dc_status dci_cspline_eval_one(const dc_cspline *s, const dc_real q[3], dc_real *d, dc_real *grad,
                                                   dc_real *lever, dc_real *hess, dc_real *dlever)
{
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    dc_real h[6] = {0};
    dc_cfield_out o;
    int k;

    o.d = d;
    o.grad = grad;
    o.lever = lever;
    o.hess = hess ? h : NULL;
    o.dlever = dlever;
    dci_cspline_eval(s, 1, q, 1, &o);
    for (k = 0; hess && k < 9; ++k) hess[k] = h[at[k]];
    return DC_OK;
}

/* ---- [calls] evaluation of fields over poses --------------------------------------------------- */
/* stage                | reads                      | writes                            | equation
 * dci_pair_work_lay    | the field                  | scratch of an evaluation          |
 * dci_exact_eval       | the field, a pose          | d, gradient by differences, lever | CEM Eq. 2, 6, 7
 * dci_sampled_eval     | the field, a pose          | d, gradient, lever                | CEM section 6.3
 * dci_made_batch       | poses                      | the same of each                  | */

static int dci_cfield_ok(const dc_cfield *f)
{
    return f && (f->kind == DC_CFIELD_EXACT || f->kind == DC_CFIELD_SAMPLED
                 || (f->kind == DC_CFIELD_LEARNED && f->net) || (f->kind == DC_CFIELD_BAKED && f->spline));
}

/* the work and its arrays, in the arena, or counted; NULL: no room, or counted */
static dci_pair_work *dci_pair_work_lay(const dc_cfield *f, dci_room *room)
{
    const size_t row = (size_t)f->b.n + 1;
    dci_pair_work *w = DCI_TAKE(room, 1, dci_pair_work);
    dc_real *m = DCI_TAKE(room, 5*row, dc_real);
    dci_bound *list = DCI_TAKE(room, (size_t)f->a.n + (size_t)f->b.n, dci_bound);
    dci_cell *stack = DCI_TAKE(room, DCI_CFIELD_STACK, dci_cell);

    if (!w || !m || !list || !stack) return NULL;
    w->pose = m;
    w->dist = m + 4*row;
    w->list[0] = list;
    w->list[1] = list + f->a.n;
    w->count[0] = w->count[1] = 0;
    w->stack = stack;
    w->side[0] = f->a;
    w->side[1] = f->b;
    w->side[1].x = m;
    w->side[1].y = m + row;
    w->side[1].ex = m + 2*row;
    w->side[1].ey = m + 3*row;
    return w;
}

static dci_pair_work *dci_pair_work_take(const dc_cfield *f, dc_arena *arena)
{
    dci_room room = DC_ZERO;

    room.arena = arena;
    return dci_pair_work_lay(f, &room);
}

DC_DEF size_t dc_cfield_eval_bytes(const dc_cfield *f)
{
    dci_room room = DC_ZERO;
    dci_cnet_scratch s;

    if (!dci_cfield_ok(f)) return 0;
    if (f->kind == DC_CFIELD_BAKED) return 1;       /* none is taken; 0 says that it is no field */
    if (f->kind == DC_CFIELD_LEARNED) dci_cnet_lay(f->net, &s, &room);
    else dci_pair_work_lay(f, &room);
    return dci_counted(&room);
}

/* lever of a contact: (p - t/2).n, n the unit vector of the gradient */
static dc_real dci_contact_lever(const dci_contact *c, dc_real x, dc_real y)
{
    dc_real n2 = c->normal_x*c->normal_x + c->normal_y*c->normal_y;
    if (!(n2 >= DC_REAL_MIN)) return 0;
    return ((c->point_x - DC_R(0.5)*x)*c->normal_x + (c->point_y - DC_R(0.5)*y)*c->normal_y)/dc_sqrt(n2);
}

/* (d(q + h e) - d(q - h e))/(2 h) along one coordinate */
static dc_real dci_exact_slope(const dc_cfield *f, dci_pair_work *w, const dc_real q[3], int k, dc_real h,
                               dc_status *status)
{
    dci_contact up, down;
    dc_real p[3];

    memcpy(p, q, sizeof p);
    p[k] = q[k] + h;
    dci_exact_contact(f, w, p, -DC_REAL_MAX, &up);
    p[k] = q[k] - h;
    dci_exact_contact(f, w, p, -DC_REAL_MAX, &down);
    if (*status == DC_OK) *status = up.status != DC_OK ? up.status : down.status;
    return (up.distance - down.distance)/(2*h);
}

static dc_status dci_exact_eval(const dc_cfield *f, dci_pair_work *w, const dc_real q[3], dc_real *d, dc_real *grad,
                                dc_real *lever)
{
    dci_contact c;
    dc_status status;

    dci_exact_contact(f, w, q, -DC_REAL_MAX, &c);
    status = c.status;
    if (c.overlap && (grad || lever)) {
        c.normal_x = dci_exact_slope(f, w, q, 1, f->hx, &status);
        c.normal_y = dci_exact_slope(f, w, q, 2, f->hx, &status);
    }
    if (grad) {
        grad[0] = dci_exact_slope(f, w, q, 0, f->h, &status);
        grad[1] = c.normal_x;
        grad[2] = c.normal_y;
    }
    if (d) *d = c.distance;
    if (lever) *lever = dci_contact_lever(&c, q[1], q[2]);
    return status;
}

/* phi_a + phi_b + |phi_a - phi_b| = 2 max(phi_a, phi_b), CEM Eq. 6: half its least value on the grid, and the point
 * p, CEM Eq. 7. */
static dc_real dci_sampled_least(const dc_cfield *f, const dci_pair_work *w, const dc_real q[3], dci_contact *c)
{
    const dc_real mx = DC_R(0.5)*q[1], my = DC_R(0.5)*q[2], half = dc_max(f->a.radius, f->b.radius);
    const dc_real steps = (dc_real)(f->side - 1);
    dc_real x[DC_LANES], y[DC_LANES], least = DC_REAL_MAX;
    dci_poly_lanes a, b;
    int i, j, l;

    c->point_x = mx;
    c->point_y = my;
    for (j = 0; j < f->side; ++j)
        for (i = 0; i < f->side; i += DC_LANES) {
            for (l = 0; l < DC_LANES; ++l) {
                x[l] = mx + half*(2*(dc_real)(i + l)/steps - 1);
                y[l] = my + half*(2*(dc_real)j/steps - 1);
            }

            /* both distances, and the larger */
            dci_poly_lanes_start(&a, DC_LANES, x, y);
            dci_poly_lanes_start(&b, DC_LANES, x, y);
            dci_outline_lanes(&w->side[0], &a);
            dci_outline_lanes(&w->side[1], &b);
            for (l = 0; l < DC_LANES && i + l < f->side; ++l) {
                dc_real E = dc_max(dci_poly_lanes_distance(&a, l), dci_poly_lanes_distance(&b, l));
                if (E < least) {
                    least = E;
                    c->point_x = x[l];
                    c->point_y = y[l];
                }
            }
        }
    return least;
}

/* phi_a + phi_b there. With p at rest in a grid that moves with t/2,
 *     dd/dt = (grad phi_a - grad phi_b)/2,   dd/dtheta = -(p - t) x grad phi_b                            */
static void dci_sampled_eval(const dc_cfield *f, dci_pair_work *w, const dc_real q[3], dc_real *d, dc_real *grad,
                             dc_real *lever)
{
    dci_contact c;
    dc_v2 ga, gb;
    dc_real phi;

    dci_pair_pose(f, w, q[0], q[1], q[2]);
    dci_sampled_least(f, w, q, &c);
    phi = dci_outline_distance(&w->side[0], c.point_x, c.point_y, &ga);
    phi += dci_outline_distance(&w->side[1], c.point_x, c.point_y, &gb);
    c.normal_x = DC_R(0.5)*(ga.x - gb.x);
    c.normal_y = DC_R(0.5)*(ga.y - gb.y);

    if (d) *d = phi;
    if (grad) {
        grad[0] = -((c.point_x - q[1])*gb.y - (c.point_y - q[2])*gb.x);
        grad[1] = c.normal_x;
        grad[2] = c.normal_y;
    }
    if (lever) *lever = dci_contact_lever(&c, q[1], q[2]);
}

/* one pose of an exact or a sampled field */
static dc_status dci_made_eval(const dc_cfield *f, dci_pair_work *w, const dc_real q[3], dc_real *d, dc_real *grad,
                               dc_real *lever)
{
    if (f->kind == DC_CFIELD_EXACT) return dci_exact_eval(f, w, q, d, grad, lever);
    dci_sampled_eval(f, w, q, d, grad, lever);
    return DC_OK;
}

static int dci_cpose_ok(dc_real theta, dc_real x, dc_real y)
{
    return dc_abs(theta) <= DC_LIMIT && dc_abs(x) <= DC_LIMIT && dc_abs(y) <= DC_LIMIT;
}

DC_DEF dc_status dc_cfield_eval(const dc_cfield *f, const dc_real q[3], dc_arena *mem, dc_real *d, dc_real *grad,
                                dc_real *lever, dc_real *hess, dc_real *dlever)
{
    dci_pair_work *w;
    dc_status status;
    size_t used;

    if (!dci_cfield_ok(f) || !q || !mem || !dci_cpose_ok(q[0], q[1], q[2]) || ((hess || dlever) && !f->smooth))
        return DC_E_ARG;
    if (f->kind == DC_CFIELD_LEARNED) return dci_cnet_eval_one(f, q, mem, d, grad, lever, hess, dlever);
    if (f->kind == DC_CFIELD_BAKED) return dci_cspline_eval_one(f->spline, q, d, grad, lever, hess, dlever);
    used = mem->used;
    w = dci_pair_work_take(f, mem);
    status = w ? dci_made_eval(f, w, q, d, grad, lever) : DC_E_MEMORY;
    mem->used = used;
    return status;
}

/* many poses of an exact or a sampled field */
static dc_status dci_made_batch(const dc_cfield *f, dci_pair_work *w, int count, const dc_real *q, size_t stride,
                                const dc_cfield_out *out)
{
    dc_status status = DC_OK;
    size_t i, k;

    for (i = 0; i < (size_t)count; ++i) {
        dc_real g[3], p[3];
        dc_status now;
        for (k = 0; k < 3; ++k) p[k] = q[k*stride + i];
        now = dci_made_eval(f, w, p, out->d ? &out->d[i] : NULL, out->grad ? g : NULL,
                            out->lever ? &out->lever[i] : NULL);
        for (k = 0; out->grad && k < 3; ++k) out->grad[k*stride + i] = g[k];
        if (status == DC_OK) status = now;
    }
    return status;
}

DC_DEF dc_status dc_cfield_eval_batch(const dc_cfield *f, int count, const dc_real *q, size_t stride, dc_arena *mem,
                                      const dc_cfield_out *out)
{
    dci_pair_work *w;
    dc_status status;
    size_t used, i;

    if (!dci_cfield_ok(f) || !mem || !out || count < 0 || stride < (size_t)count || (count > 0 && !q)
        || ((out->hess || out->dlever) && !f->smooth)) return DC_E_ARG;
    for (i = 0; i < (size_t)count; ++i)
        if (!dci_cpose_ok(q[i], q[stride + i], q[2*stride + i])) return DC_E_ARG;
    if (f->kind == DC_CFIELD_LEARNED) return dci_cnet_eval(f, count, q, stride, mem, out);
    if (f->kind == DC_CFIELD_BAKED) return dci_cspline_eval(f->spline, count, q, stride, out);
    used = mem->used;
    w = dci_pair_work_take(f, mem);
    status = w ? dci_made_batch(f, w, count, q, stride, out) : DC_E_MEMORY;
    mem->used = used;
    return status;
}

/* ---- [samples] poses near the surface ------------------------------------------------------- */

/* the next number of a stream, splitmix64: uniform in [0, 1) */
static dc_real dci_uniform(uint64_t *s)
{
    uint64_t z = (*s += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30))*UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27))*UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return DC_IS_FLOAT ? (dc_real)(z >> 40)*DC_R(5.9604644775390625e-8)
        : (dc_real)(z >> 11)*DC_R(1.1102230246251565e-16);
}

#define DCI_SAMPLE_TRIES 4000

/* Samples first .. first + count - 1 of an exact field, of which sample i depends on `seed` and i alone: poses into
 * rows of q, values into out (rows as in dc_cfield_eval_batch). Nine of ten have |d| < band, by rejection, the tenth
 * has not; poses are uniform in theta and in the disc of translations where the shapes can be within band; x is 0
 * against a half-plane, which does not feel it. DC_E_DIVERGED: no pose within the band in DCI_SAMPLE_TRIES. */
static dc_status dci_cfield_samples(const dc_cfield *f, uint64_t seed, int first, int count, dc_real band, dc_real *q,
                                    size_t stride, dc_arena *mem, const dc_cfield_out *out)
{
    const dc_real reach = (f->wall == DC_CSHAPE_HOLE ? f->radius : f->a.radius + f->b.radius) + band;
    const size_t used = mem->used;
    dci_pair_work *w = dci_pair_work_take(f, mem);
    dc_status status = w ? DC_OK : DC_E_MEMORY;
    int i, tries;

    for (i = 0; i < count && status == DC_OK; ++i) {
        uint64_t draw = seed ^ ((uint64_t)(first + i)*UINT64_C(0xd1342543de82ef95) + UINT64_C(0x632be59bd9b4e019));
        const int uniform = (first + i)%10 == 9;
        dc_real *p = q + i;
        for (tries = 0;; ++tries) {
            dci_contact c;
            dc_real theta, x, y, at[3];
            if (tries == DCI_SAMPLE_TRIES) {
                status = DC_E_DIVERGED;
                break;
            }

            /* a pose, if it is in the disc */
            theta = DCI_PI*(2*dci_uniform(&draw) - 1);
            x = 2*dci_uniform(&draw) - 1;
            y = 2*dci_uniform(&draw) - 1;
            if (f->wall == DC_CSHAPE_HALFPLANE) x = 0;
            if (x*x + y*y > 1) continue;
            at[0] = p[0] = theta;
            at[1] = p[stride] = reach*x;
            at[2] = p[2*stride] = reach*y;

            /* taken, if it is near the surface or need not be */
            if (uniform) break;
            dci_exact_contact(f, w, at, -band, &c);
            if (dc_abs(c.distance) < band) break;
        }
    }
    if (status == DC_OK) status = dci_made_batch(f, w, count, q, stride, out);
    mem->used = used;
    return status;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- [training] learned fields are trained -------------------------------------------------- */
/* stage                   | reads                    | writes                            | equation
 * dci_training_weights    | random numbers           | weights                           |
 * dci_training_draw       | the field                | a pose and its targets            | [samples]
 * dci_training_epoch      | drawn                    | order, weights, info              | all that follow
 *   dci_training_step     | drawn, order             | weights, mean, square             | CEM Eq. 4, 5; Adam
 *     dci_training_back   | errors of the outputs    | grad                              |
 *   dci_training_judge    | drawn, weights           | info                              | */

#define DCI_TRAINING UINT64_C(0x6463747261696e31)

/* A drawn pose: what dci_cnet_place makes of it, targets of the outputs */
typedef struct { float input[5], distance, lever; } dci_drawn;

/* Then come weights, their gradient and moments, transposed weights, poses, their order, work. */
typedef struct {
    uint64_t mark, random, step;
    dc_cfield_train_options opt;            /* defaults filled in */
    dc_cfield_train_info info;
    dc_cnet net;                            /* without pointers */
    dc_real decay[2];                       /* beta_1^step, beta_2^step */
} dci_training;

typedef struct {
    float *weights, *grad, *mean, *square, *turned;     /* mean, square: moments of the gradient */
    dci_drawn *drawn;                       /* samples, then those to judge by */
    int *order;
    float *work;
} dci_training_arrays;

static int dci_training_judges(const dc_cfield_train_options *o) { return o->samples/10; }

/* the next part of a training's state, of which there may be none yet */
static void *dci_training_part(unsigned char *state, size_t *at, size_t bytes)
{
    void *p = state ? state + *at : NULL;

    *at += bytes;
    return p;
}

/* where the arrays begin, and bytes of the whole */
static size_t dci_training_map(const dc_cfield_train_options *o, const dci_net_size *s, unsigned char *state,
                               dci_training_arrays *a)
{
    const size_t weights = dci_net_count(s)*sizeof(float), poses = (size_t)o->samples + (size_t)dci_training_judges(o);
    size_t at = sizeof(dci_training);

    a->weights = (float *)dci_training_part(state, &at, weights);
    a->grad = (float *)dci_training_part(state, &at, weights);
    a->mean = (float *)dci_training_part(state, &at, weights);
    a->square = (float *)dci_training_part(state, &at, weights);
    a->turned = (float *)dci_training_part(state, &at, dci_net_turned(s)*sizeof(float));
    a->drawn = (dci_drawn *)dci_training_part(state, &at, poses*sizeof(dci_drawn));
    a->order = (int *)dci_training_part(state, &at, (size_t)o->samples*sizeof(int));
    a->work = (float *)dci_training_part(state, &at, dci_net_numbers(s, DCI_NET_BLOCK)*sizeof(float));
    return at;
}

DC_DEF size_t dc_cfield_train_bytes(const dc_cfield_train_options *opt)
{
    dc_cfield_train_options o;
    dci_training_arrays a;
    dc_cnet n;

    if (!dci_cnet_options(opt, &o) || !dci_cnet_make(&n, DC_CSHAPE_POLY, 1, 1, &o)) return 0;
    return dci_training_map(&o, &n.size, NULL, &a);
}

DC_DEF size_t dc_cfield_learned_bytes(const dc_cfield_train_options *opt)
{
    dc_cfield_train_options o;
    dc_cnet n;

    if (!dci_cnet_options(opt, &o) || !dci_cnet_make(&n, DC_CSHAPE_POLY, 1, 1, &o)) return 0;
    return dci_cnet_bytes(&n);
}

/* Weights even in +-sqrt(6/inputs), as of units of which half are on, more for the harmonics, less for the output */
static void dci_training_weights(dci_training *t, float *w)
{
    const dci_net_size *s = &t->net.size;
    size_t k, at = 0, next;
    int l;

    for (l = 0; l <= s->layers; ++l) {
        const int in = l == 0 ? s->inputs : s->width, out = l < s->layers ? s->width : 2;
        const dc_real share = l == s->layers ? DC_R(0.4) : l == 0 && !t->net.raw ? DC_R(1.4) : DC_R(1);
        const dc_real bound = dc_sqrt(DC_R(6)/(dc_real)in)*share;

        /* biases, weights */
        next = at + (size_t)(in + 1)*(size_t)out;
        for (k = 0; k < (size_t)out; ++k) w[at + k] = 0;
        for (k = at + (size_t)out; k < next; ++k) w[k] = (float)(bound*(2*dci_uniform(&t->random) - 1));
        at = next;
    }
}

DC_DEF dc_status dc_cfield_train_start(const dc_cfield_train_options *opt, const dc_cfield *of, void *state)
{
    dc_cfield_train_options o;
    dci_training t;
    dci_training_arrays a;
    size_t count;

    memset(&t, 0, sizeof t);
    if (!dci_cnet_options(opt, &o) || !dci_cfield_ok(of) || of->kind >= DC_CFIELD_LEARNED || !state
        || !dci_cnet_make(&t.net, of->wall, of->a.radius, of->b.radius, &o)) return DC_E_ARG;
    t.mark = DCI_TRAINING;
    t.random = o.seed;
    t.opt = o;
    t.decay[0] = t.decay[1] = 1;

    dci_training_map(&o, &t.net.size, (unsigned char *)state, &a);
    count = dci_net_count(&t.net.size);
    dci_training_weights(&t, a.weights);
    memset(a.mean, 0, count*sizeof(float));
    memset(a.square, 0, count*sizeof(float));
    memcpy(state, &t, sizeof t);
    return DC_OK;
}

/* Draws pose i: nine of ten of the samples are near the surface, all of those to judge by */
static dc_status dci_training_draw(const dci_training *t, const dc_cfield *of, dc_arena *mem, int i, dci_drawn *s)
{
    const dc_cnet *n = &t->net;
    const dc_real band = n->unit*DC_CFIELD_BAND;
    const int judge = i - t->opt.samples;
    dc_real q[3], d = DC_REAL_MAX, lever = 0;
    dci_cnet_pose p;
    dc_cfield_out o = DC_ZERO;
    dc_status status;
    int k;

    /* the pose, and what the field says of it */
    if (judge >= 0) i = (t->opt.samples + 9)/10*10 + judge/9*10 + judge%9;
    o.d = &d;
    o.lever = &lever;
    status = dci_cfield_samples(of, t->opt.seed, i, 1, band, q, 1, mem, &o);
    if (status == DC_E_MEMORY || d >= DC_REAL_MAX) return status;

    dci_cnet_place(n, q[0], q[1], q[2], &p);
    for (k = 0; k < 5; ++k) s->input[k] = (float)p.input[k];
    s->distance = (float)(d/band);
    s->lever = (float)(lever/n->unit);
    return DC_OK;
}

static void dci_training_inputs(const dc_cnet *n, const dci_drawn *s, int i, const dci_net_work_f *w)
{
    const int pad = n->size.pad;

    dci_net_inputs_f(n->raw, n->harmonics, dci_cnet_angles(n), pad, s->input, w->inputs + i*pad, w->tangents + 3*i*pad);
}

/* Gradients of sum of e out over a block of poses, errors e[i][2] of the outputs, are added to a->grad. */
static void dci_training_back(const dc_cnet *n, const dci_training_arrays *a, const dci_net_work_f *w, float (*e)[2])
{
    const dci_net_size *s = &n->size;
    const int H = s->width, rows = DCI_NET_BLOCK;
    const size_t layer = (size_t)(rows*H), ld = (size_t)H;
    const float *last = a->weights + dci_net_at(s, s->layers) + 2, *top = w->active + (size_t)(s->layers - 1)*layer;
    float *E = w->errors, *G = w->swap, *swap, *g = a->grad + dci_net_at(s, s->layers);
    int i, k, l;

    /* the output's weights, and errors of the last layer */
    for (i = 0; i < rows; ++i) {
        g[0] += e[i][0];
        g[1] += e[i][1];
        for (k = 0; k < H; ++k) {
            g[2 + k] += e[i][0]*top[i*H + k];
            g[2 + H + k] += e[i][1]*top[i*H + k];
            E[i*H + k] = e[i][0]*last[k] + e[i][1]*last[H + k];
        }
    }

    /* a layer's biases and weights, and errors of the one before it */
    for (l = s->layers - 1; l >= 0; --l) {
        const float *in = l == 0 ? w->inputs : w->active + (size_t)(l - 1)*layer;
        g = a->grad + dci_net_at(s, l);
        dci_net_through_f(rows*H, E, w->slopes + (size_t)l*layer);
        for (i = 0; i < rows; ++i)
            for (k = 0; k < H; ++k) g[k] += E[i*H + k];
        dci_net_mul_f(l == 0 ? s->inputs : H, H, rows, in, 1, l == 0 ? (size_t)s->pad : ld, E, ld,
                      g + H, ld, g + H, ld);
        if (l == 0) break;
        dci_net_back_f(s, a->turned, l, rows, E, G);
        swap = E;
        E = G;
        G = swap;
    }
}

#define DCI_TRAINING_CUT 2.0f       /* targets of d are cut off at this many bands */
#define DCI_TRAINING_LEVER 0.3f     /* weight of the lever's error, in units, against that of d, in bands */

/* One step of Adam, over the batch that begins at order[first] */
static void dci_training_step(dci_training *t, const dci_training_arrays *a, const dci_net_work_f *w, int first)
{
    const dc_cnet *n = &t->net;
    const size_t count = dci_net_count(&n->size);
    const float b1 = 0.9f, b2 = 0.999f, share = 1.0f/(float)t->opt.batch;
    const uint64_t steps = (uint64_t)t->opt.epochs*(uint64_t)(t->opt.samples/t->opt.batch);
    float e[DCI_NET_BLOCK][2], rate, second;
    dc_real sine, cosine;
    size_t k;
    int i, at;

    /* the gradient, block by block */
    dci_net_turn_f(&n->size, a->weights, a->turned);
    memset(a->grad, 0, count*sizeof(float));
    for (at = 0; at < t->opt.batch; at += DCI_NET_BLOCK) {
        const int *pose = a->order + first + at;
        for (i = 0; i < DCI_NET_BLOCK; ++i) dci_training_inputs(n, &a->drawn[pose[i]], i, w);
        dci_net_forward_f(&n->size, a->weights, n->smooth, DCI_NET_BLOCK, w, NULL);
        for (i = 0; i < DCI_NET_BLOCK; ++i) {
            /* CEM Eq. 4, 5, one lever for both arms; beyond where targets are cut off an answer is right that is
             * beyond, too */
            const dci_drawn *s = &a->drawn[pose[i]];
            const float want = s->distance, d = w->out[2*i], cut = DCI_TRAINING_CUT;
            e[i][0] = want > cut ? (d > cut ? 0.0f : d - cut) : want < -cut ? (d < -cut ? 0.0f : d + cut) : d - want;
            e[i][1] = want < 1.0f && want > -1.0f ? DCI_TRAINING_LEVER*(w->out[2*i + 1] - s->lever) : 0.0f;
        }
        dci_training_back(n, a, w, e);
    }

    /* m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,  w <- w - rate (m/(1 - b1^t))/sqrt(v/(1 - b2^t) + 1e-16) */
    dc_sincos(DCI_PI*((dc_real)t->step/(dc_real)steps), &sine, &cosine);
    t->decay[0] *= (dc_real)b1;
    t->decay[1] *= (dc_real)b2;
    rate = (float)(t->opt.rate*DC_R(0.5)*(1 + cosine)/(1 - t->decay[0]));
    second = (float)(1/(1 - t->decay[1]));
    for (k = 0; k < count; ++k) {
        const float g = a->grad[k]*share;
        const float m = a->mean[k] = b1*a->mean[k] + (1 - b1)*g, v = a->square[k] = b2*a->square[k] + (1 - b2)*(g*g);
        a->weights[k] -= rate*(m/(float)dci_sqrt_lane((dc_real)(v*second + 1e-16f)));
    }
    ++t->step;
}

/* info's measures, over the poses to judge by */
static void dci_training_judge(dci_training *t, const dci_training_arrays *a, const dci_net_work_f *w)
{
    const dc_cnet *n = &t->net;
    const dci_drawn *s = a->drawn + t->opt.samples;
    const int count = dci_training_judges(&t->opt);
    dc_real d2 = 0, l2 = 0;
    int i, at, m, wrong = 0;

    for (at = 0; at < count; at += m) {
        m = count - at < DCI_NET_BLOCK ? count - at : DCI_NET_BLOCK;
        for (i = 0; i < m; ++i) dci_training_inputs(n, s + at + i, i, w);
        dci_net_forward_f(&n->size, a->weights, n->smooth, m, w, NULL);
        for (i = 0; i < m; ++i) {
            const dci_drawn *want = s + at + i;
            dc_real d = (dc_real)(w->out[2*i] - want->distance), l = (dc_real)(w->out[2*i + 1] - want->lever);
            d2 += d*d;
            l2 += l*l;
            wrong += (w->out[2*i] < 0) != (want->distance < 0);
        }
    }

    /* lengths */
    t->info.rmse = n->unit*DC_CFIELD_BAND*dc_sqrt(d2/(dc_real)count);
    t->info.lever = n->unit*dc_sqrt(l2/(dc_real)count);
    t->info.wrong = (dc_real)wrong/(dc_real)count;
}

/* Shuffles the poses and goes once over them */
static void dci_training_epoch(dci_training *t, const dci_training_arrays *a)
{
    const dci_net_work_f w = dci_net_work_make_f(&t->net.size, DCI_NET_BLOCK, a->work);
    int i;

    /* the order, from the last epoch's */
    if (t->info.epochs == 0)
        for (i = 0; i < t->opt.samples; ++i) a->order[i] = i;
    for (i = t->opt.samples - 1; i > 0; --i) {
        int j = (int)(dci_uniform(&t->random)*(dc_real)(i + 1)), swap = a->order[i];
        j = j < i ? j : i;                      /* rounding, in float */
        a->order[i] = a->order[j];
        a->order[j] = swap;
    }

    for (i = 0; i + t->opt.batch <= t->opt.samples; i += t->opt.batch) dci_training_step(t, a, &w, i);
    dci_training_judge(t, a, &w);
    ++t->info.epochs;
    t->info.done = t->info.epochs == t->opt.epochs || t->info.rmse <= t->opt.enough*t->net.unit;
}

/* a state that is one */
static int dci_training_ok(const dci_training *t)
{
    dc_cfield_train_options o;
    return t->mark == DCI_TRAINING && dci_cnet_options(&t->opt, &o) && t->info.samples >= 0
        && t->info.samples <= o.samples + dci_training_judges(&o) && t->info.epochs >= 0 && t->info.epochs <= o.epochs;
}

DC_DEF dc_status dc_cfield_train(const dc_cfield *of, void *state, dc_arena *mem, dc_cfield_progress progress,
                                 void *user, dc_cfield_train_info *info)
{
    dci_training *t = (dci_training *)state;
    dci_training_arrays a;
    dc_status status = DC_OK;
    int poses, stop = 0;

    if (!dci_cfield_ok(of) || of->kind >= DC_CFIELD_LEARNED || !t || !mem || !dci_training_ok(t)) return DC_E_ARG;
    dci_training_map(&t->opt, &t->net.size, (unsigned char *)state, &a);
    poses = t->opt.samples + dci_training_judges(&t->opt);

    /* first all poses, then epochs */
    while (status == DC_OK && !stop && !t->info.done) {
        if (t->info.samples < poses) {
            status = dci_training_draw(t, of, mem, t->info.samples, &a.drawn[t->info.samples]);
            if (status == DC_OK && ++t->info.samples%1000 == 0 && progress) stop = progress(&t->info, user);
        } else {
            dci_training_epoch(t, &a);
            if (!dc_finite(t->info.rmse)) status = DC_E_DIVERGED;
            else if (progress) stop = progress(&t->info, user);
        }
    }
    if (info) *info = t->info;
    return status;
}

DC_DEF dc_status dc_cfield_learned(const void *state, dc_arena *mem, dc_cfield *f)
{
    const dci_training *t = (const dci_training *)state;
    dci_training_arrays a;
    unsigned char *bytes;
    dc_cfield r;
    float *w;

    if (!t || !mem || !f || !dci_training_ok(t) || t->info.epochs == 0 || !dc_finite(t->info.rmse)) return DC_E_ARG;
    w = dci_cnet_take(&t->net, mem, &r);
    if (!w) return DC_E_MEMORY;
    memcpy(&bytes, &state, sizeof bytes);       /* without its const: it is only read */
    dci_training_map(&t->opt, &t->net.size, bytes, &a);
    memcpy(w, a.weights, dci_net_count(&t->net.size)*sizeof *w);
    dci_cnet_ready(&r);
    *f = r;
    return DC_OK;
}

/* ---- [bytes] learned fields as bytes -------------------------------------------------------- */
/* stage               | reads                      | writes                           | equation
 * dc_cfield_save      | a network                  | head, weights, hash              |
 * dci_saved_read      | bytes                      | sizes, or that they are refused  |
 * dc_cfield_load      | bytes                      | a network in the arena           | */

/* All numbers little-endian: "dccfield"; version; wall, raw, harmonics, layers, width, smooth, 4 bytes each; both
 * radii as IEEE doubles; weights as IEEE floats; FNV-1a of all before it, 8 bytes. */

enum { DCI_SAVED_VERSION = 1, DCI_SAVED_HEAD = 8 + 7*4 + 2*8, DCI_SAVED_SUM = 8 };

static void dci_saved_put(unsigned char *p, int n, uint64_t x)
{
    int k;
    for (k = 0; k < n; ++k) p[k] = (unsigned char)(x >> 8*k & 0xff);
}

static uint64_t dci_saved_get(const unsigned char *p, int n)
{
    uint64_t x = 0;
    int k;
    for (k = 0; k < n; ++k) x |= (uint64_t)p[k] << 8*k;
    return x;
}

/* Of a baked field: "dcspline"; version; wall, angles, side, fold, bits, 4 bytes each; both radii and both scales as
 * IEEE doubles; cells, as IEEE floats or two's complement; FNV-1a of all before it, 8 bytes. */

enum { DCI_BAKED_VERSION = 1, DCI_BAKED_HEAD = 8 + 6*4 + 4*8, DCI_BAKED_FRAME = DCI_BAKED_HEAD + DCI_SAVED_SUM };

static size_t dci_cspline_cells(const dc_cspline *s)
{
    const size_t n = (size_t)s->angles, side = (size_t)s->side;
    return s->wall == DC_CSHAPE_POLY ? 2*n*side*side : n;
}

static size_t dci_baked_bytes(const dc_cspline *s)
{
    return dc_bytes(DCI_BAKED_FRAME, dci_cspline_cells(s), (size_t)s->bits/8);
}

/* cell k as the bits that are saved */
static uint64_t dci_baked_cell(const dc_cspline *s, size_t k)
{
    uint32_t u;

    if (s->short_cell) return (uint64_t)(uint16_t)s->short_cell[k];
    memcpy(&u, &s->cell[k], sizeof u);
    return u;
}

static void dci_baked_save(const dc_cspline *s, unsigned char *p)
{
    const size_t bytes = (size_t)s->bits/8, count = dci_cspline_cells(s), size = dci_baked_bytes(s);
    const int head[6] = {DCI_BAKED_VERSION, (int)s->wall, s->angles, s->side, s->fold, s->bits};
    double number[4];
    uint64_t b;
    size_t k;

    memcpy(p, "dcspline", 8);
    for (k = 0; k < 6; ++k) dci_saved_put(p + 8 + 4*k, 4, (uint64_t)head[k]);
    number[0] = (double)s->radius_a;
    number[1] = (double)s->radius_b;
    number[2] = (double)s->scale[0];
    number[3] = (double)s->scale[1];
    for (k = 0; k < 4; ++k) {
        memcpy(&b, &number[k], sizeof b);
        dci_saved_put(p + 32 + 8*k, 8, b);
    }
    for (k = 0; k < count; ++k) dci_saved_put(p + DCI_BAKED_HEAD + bytes*k, (int)bytes, dci_baked_cell(s, k));
    dci_saved_put(p + size - DCI_SAVED_SUM, DCI_SAVED_SUM, dci_hash(p, size - DCI_SAVED_SUM));
}

static float dci_baked_float(const unsigned char *p, size_t k)
{
    uint32_t u = (uint32_t)dci_saved_get(p + DCI_BAKED_HEAD + 4*k, 4);
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* The spline in saved bytes, without its cells; 0: they are none */
static int dci_baked_read(const void *bytes, size_t size, dc_cspline *s)
{
    const unsigned char *p = (const unsigned char *)bytes;
    double number[4];
    uint64_t head[6], b;
    size_t k;
    int ok;

    if (!p || size < DCI_BAKED_FRAME || memcmp(p, "dcspline", 8) != 0
        || dci_saved_get(p + size - DCI_SAVED_SUM, DCI_SAVED_SUM) != dci_hash(p, size - DCI_SAVED_SUM)) return 0;

    /* the head */
    for (k = 0; k < 6; ++k) head[k] = dci_saved_get(p + 8 + 4*k, 4);
    for (k = 0; k < 4; ++k) {
        b = dci_saved_get(p + 32 + 8*k, 8);
        memcpy(&number[k], &b, sizeof b);
        if (!(number[k] >= 0 && number[k] <= (double)DC_LIMIT)) return 0;
    }
    if (head[0] != DCI_BAKED_VERSION || (head[1] != DC_CSHAPE_POLY && head[1] != DC_CSHAPE_HALFPLANE)) return 0;
    if (head[2] < 4 || head[2] > DCI_SPLINE_ANGLES || head[4] < 1 || head[4] > DCI_SPLINE_FOLD) return 0;
    ok = head[1] == DC_CSHAPE_POLY ? head[3] >= 8 && head[3] <= DCI_SPLINE_SIDE : head[3] == 0;
    if (!ok || (head[5] != 16 && head[5] != 32)) return 0;
    memset(s, 0, sizeof *s);
    s->wall = (dc_cshape_kind)head[1];
    s->angles = (int)head[2];
    s->side = (int)head[3];
    s->fold = (int)head[4];
    s->bits = (int)head[5];
    s->radius_a = (dc_real)number[0];
    s->radius_b = (dc_real)number[1];
    s->scale[0] = (dc_real)number[2];
    s->scale[1] = (dc_real)number[3];
    s->slope = 1;
    if (!dci_cspline_sizes_ok(s) || size != dci_baked_bytes(s)) return 0;

    /* finite cells, in range */
    for (k = 0; k < dci_cspline_cells(s) && s->bits == 32; ++k) {
        float x = dci_baked_float(p, k);
        if (!(x - x >= 0) || !(dc_abs((dc_real)x) <= DC_LIMIT)) return 0;
    }
    return 1;
}

/* a spline like s and its cells, in the arena or counted */
static dc_cspline *dci_cspline_lay(const dc_cspline *s, dci_room *room)
{
    const size_t count = dci_cspline_cells(s);
    dc_cspline *c = DCI_TAKE(room, 1, dc_cspline);
    float *cell = s->bits == 32 ? DCI_TAKE(room, count, float) : NULL;
    int16_t *short_cell = s->bits == 16 ? DCI_TAKE(room, count, int16_t) : NULL;

    if (room->full || !room->arena) return NULL;
    *c = *s;
    c->cell = cell;
    c->short_cell = short_cell;
    return c;
}

static size_t dci_cspline_bytes(const dc_cspline *s)
{
    dci_room room = DC_ZERO;

    dci_cspline_lay(s, &room);
    return dci_counted(&room);
}

static void dci_cspline_field(dc_cspline *s, dc_cfield *f)
{
    dci_cspline_ready(s);
    memset(f, 0, sizeof *f);
    f->kind = DC_CFIELD_BAKED;
    f->wall = s->wall;
    f->smooth = 1;
    f->a.radius = s->radius_a;
    f->b.radius = s->radius_b;
    f->spline = s;
}

static dc_status dci_baked_load(const void *bytes, const dc_cspline *like, dc_arena *mem, dc_cfield *f)
{
    const unsigned char *p = (const unsigned char *)bytes;
    const size_t used = mem->used;
    dci_room room = DC_ZERO;
    dc_cspline *s;
    size_t k;

    room.arena = mem;
    s = dci_cspline_lay(like, &room);
    if (!s) {
        mem->used = used;
        return DC_E_MEMORY;
    }
    for (k = 0; k < dci_cspline_cells(s); ++k) {
        if (s->bits == 32) s->cell[k] = dci_baked_float(p, k);
        else {
            int x = (int)dci_saved_get(p + DCI_BAKED_HEAD + 2*k, 2);
            s->short_cell[k] = (int16_t)(x > 32767 ? x - 65536 : x);
        }
    }
    dci_cspline_field(s, f);
    return DC_OK;
}

static size_t dci_saved_bytes(const dci_net_size *s) { return DCI_SAVED_HEAD + 4*dci_net_count(s) + DCI_SAVED_SUM; }

DC_DEF size_t dc_cfield_save_bytes(const dc_cfield *f)
{
    if (f && f->kind == DC_CFIELD_BAKED && f->spline)
        return dc_abs(f->spline->slope - 1) <= 64*DC_EPS ? dci_baked_bytes(f->spline) : 0;
    return f && f->kind == DC_CFIELD_LEARNED && f->net ? dci_saved_bytes(&f->net->size) : 0;
}

DC_DEF dc_status dc_cfield_save(const dc_cfield *f, void *bytes, size_t size)
{
    unsigned char *p = (unsigned char *)bytes;
    const dc_cnet *n;
    double radius[2];
    uint64_t head[7], b;
    uint32_t u;
    size_t k;

    if (!bytes || !f || size == 0 || size != dc_cfield_save_bytes(f)) return DC_E_ARG;
    if (f->kind == DC_CFIELD_BAKED) {
        dci_baked_save(f->spline, p);
        return DC_OK;
    }
    n = f->net;

    /* the head */
    memcpy(p, "dccfield", 8);
    head[0] = DCI_SAVED_VERSION;
    head[1] = (uint64_t)n->wall;
    head[2] = (uint64_t)n->raw;
    head[3] = (uint64_t)n->harmonics;
    head[4] = (uint64_t)n->size.layers;
    head[5] = (uint64_t)n->size.width;
    head[6] = (uint64_t)n->smooth;
    for (k = 0; k < 7; ++k) dci_saved_put(p + 8 + 4*k, 4, head[k]);
    radius[0] = (double)n->radius_a;
    radius[1] = (double)n->radius_b;
    for (k = 0; k < 2; ++k) {
        memcpy(&b, &radius[k], sizeof b);
        dci_saved_put(p + 36 + 8*k, 8, b);
    }

    /* weights, and the sum of it all */
    for (k = 0; k < dci_net_count(&n->size); ++k) {
        memcpy(&u, &n->weights[k], sizeof u);
        dci_saved_put(p + DCI_SAVED_HEAD + 4*k, 4, u);
    }
    dci_saved_put(p + size - DCI_SAVED_SUM, DCI_SAVED_SUM, dci_hash(p, size - DCI_SAVED_SUM));
    return DC_OK;
}

static float dci_saved_weight(const unsigned char *p, size_t k)
{
    uint32_t u = (uint32_t)dci_saved_get(p + DCI_SAVED_HEAD + 4*k, 4);
    float w;
    memcpy(&w, &u, sizeof w);
    return w;
}

/* The network in saved bytes, without its weights; 0: they are none */
static int dci_saved_read(const void *bytes, size_t size, dc_cnet *n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    dc_cfield_train_options o;
    double radius[2];
    uint64_t head[7], b;
    size_t k;

    if (!p || size < DCI_SAVED_HEAD + DCI_SAVED_SUM || memcmp(p, "dccfield", 8) != 0
        || dci_saved_get(p + size - DCI_SAVED_SUM, DCI_SAVED_SUM) != dci_hash(p, size - DCI_SAVED_SUM)) return 0;

    /* the head */
    for (k = 0; k < 7; ++k) head[k] = dci_saved_get(p + 8 + 4*k, 4);
    for (k = 0; k < 2; ++k) {
        b = dci_saved_get(p + 36 + 8*k, 8);
        memcpy(&radius[k], &b, sizeof b);
        if (!(radius[k] >= 0 && radius[k] <= (double)DC_LIMIT)) return 0;
    }
    if (head[0] != DCI_SAVED_VERSION || head[1] > DC_CSHAPE_HOLE || head[2] > 1 || head[6] > 1) return 0;
    if (head[3] < 1 || head[3] > DCI_NET_HARMONICS || head[4] < 1 || head[4] > DCI_NET_LAYERS) return 0;
    if (head[5] < 8 || head[5] > DCI_NET_WIDTH || head[5]%8 != 0) return 0;
    memset(&o, 0, sizeof o);
    o.raw = (int)head[2];
    o.harmonics = (int)head[3];
    o.layers = (int)head[4];
    o.width = (int)head[5];
    o.smooth = (int)head[6];
    if (!dci_cnet_make(n, (dc_cshape_kind)head[1], (dc_real)radius[0], (dc_real)radius[1], &o)
        || size != dci_saved_bytes(&n->size)) return 0;

    /* finite weights */
    for (k = 0; k < dci_net_count(&n->size); ++k) {
        float w = dci_saved_weight(p, k);
        if (!(w - w >= 0)) return 0;
    }
    return 1;
}

DC_DEF size_t dc_cfield_load_bytes(const void *bytes, size_t size)
{
    dc_cspline spline;
    dc_cnet n;
    if (dci_baked_read(bytes, size, &spline)) return dci_cspline_bytes(&spline);
    return dci_saved_read(bytes, size, &n) ? dci_cnet_bytes(&n) : 0;
}

DC_DEF dc_status dc_cfield_load(const void *bytes, size_t size, dc_arena *mem, dc_cfield *f)
{
    dc_cspline spline;
    dc_cnet n;
    dc_cfield r;
    float *w;
    size_t k;

    if (mem && f && dci_baked_read(bytes, size, &spline)) return dci_baked_load(bytes, &spline, mem, f);
    if (!mem || !f || !dci_saved_read(bytes, size, &n)) return DC_E_ARG;
    w = dci_cnet_take(&n, mem, &r);
    if (!w) return DC_E_MEMORY;
    for (k = 0; k < dci_net_count(&n.size); ++k) w[k] = dci_saved_weight((const unsigned char *)bytes, k);
    dci_cnet_ready(&r);
    *f = r;
    return DC_OK;
}

/* ---- [bake] splines are made --------------------------------------------------------------------- */
/* in: a field; out: the spline that interpolates it.
 *
 * stage              | reads                 | writes                                    | equation
 * dci_bake_options   | options, the field    | counts                                    |
 * dci_bake_sample    | the field             | its values at the nodes                   |
 * dci_bake_filter    | values along a line   | coefficients                              | B-spline: (1 4 1)/6 solved
 * dci_bake_round     | cells                 | cells of 16 bits                          |
 * dci_bake_judge     | both fields           | errors near the surface                   |
 * dc_cfield_mix      | baked fields, weights | the sum of their cells                    | */

/* the ladder of sizes: angles of a whole turn, side */
static const int dci_bake_ladder[6][2] = {{24, 27}, {36, 35}, {64, 51}, {96, 75}, {144, 107}, {192, 147}};

/* in how many ways a polygon comes onto itself */
static int dci_bake_fold(const dc_cpoly *p)
{
    const dc_real tol = (DC_IS_FLOAT ? DC_R(1e-4) : DC_R(1e-9))*p->radius;
    int k, i;

    for (k = p->n < DCI_SPLINE_FOLD ? p->n : DCI_SPLINE_FOLD; k > 1; --k) {
        const int next = p->n/k;
        dc_real s, c;

        if (p->n%k != 0) continue;
        dc_sincos(2*DCI_PI/(dc_real)k, &s, &c);
        for (i = 0; i < p->n; ++i) {
            const int j = (i + next)%p->n;
            if (!(dc_abs(c*p->x[i] - s*p->y[i] - p->x[j]) <= tol && dc_abs(s*p->x[i] + c*p->y[i] - p->y[j]) <= tol))
                break;
        }
        if (i == p->n) return k;
    }
    return 1;
}

/* the spline without its cells, of size `step` of the ladder where that is asked for; 0: out of range */
static int dci_bake_options(const dc_cfield_bake_options *opt, const dc_cfield *of, int step, dc_cspline *s)
{
    const dc_cfield_bake_options none = DC_ZERO, *o = opt ? opt : &none;
    const int flat = of->wall == DC_CSHAPE_HALFPLANE, choose = o->error > 0 && o->angles == 0 && o->side == 0;

    memset(s, 0, sizeof *s);
    s->wall = of->wall;
    if (!(o->radius >= 0 && o->radius <= DC_LIMIT)) return 0;
    s->radius_a = flat ? DC_R(0) : dc_max(of->a.radius, o->radius);
    s->radius_b = dc_max(of->b.radius, o->radius);
    s->fold = o->fold != 0 ? o->fold : of->b.n > 0 ? dci_bake_fold(&of->b) : 1;
    s->bits = o->bits != 0 ? o->bits : 32;
    s->scale[0] = s->scale[1] = s->slope = 1;
    if (s->fold < 1 || s->fold > DCI_SPLINE_FOLD || (s->bits != 16 && s->bits != 32)) return 0;
    if (!(o->error >= 0 && o->error <= DC_LIMIT) || !dci_cspline_sizes_ok(s)) return 0;

    /* counts */
    s->angles = o->angles != 0 ? o->angles : (flat ? 2048 : 64)/s->fold;
    s->side = flat ? 0 : o->side != 0 ? o->side : 51;
    if (choose) {
        s->angles = (dci_bake_ladder[step][0]*(flat ? 16 : 1) + s->fold - 1)/s->fold;
        if (!flat) s->side = dci_bake_ladder[step][1];
    }
    if (o->angles == 0 && s->angles < 4) s->angles = 4;
    if (s->angles < 4 || s->angles > DCI_SPLINE_ANGLES || (flat && o->side != 0)) return 0;
    return flat || (s->side >= 8 && s->side <= DCI_SPLINE_SIDE);
}

/* The coefficients of n values along a line with stride `step`, periodic or with mirrored ends, by the two recursions
 * with the pole z = sqrt(3) - 2; a: room for the line. */
static DCI_NOINLINE void dci_bake_filter(float *c, int n, size_t step, int periodic, dc_real *a)
{
    const dc_real z = DC_R(-0.26794919243112270647);
    dc_real power = z, sum;
    int i, k, terms = DC_IS_FLOAT ? 16 : 32;

    for (i = 0; i < n; ++i) a[i] = 6*(dc_real)c[(size_t)i*step];

    /* forward */
    sum = a[0];
    for (k = 1; k < terms && (periodic || k < n); ++k, power *= z)
        sum += power*a[periodic ? (n*terms - k)%n : k];
    a[0] = sum;
    for (i = 1; i < n; ++i) a[i] += z*a[i - 1];

    /* and back */
    if (periodic) {
        sum = a[n - 1];
        for (k = 1, power = z; k < terms; ++k, power *= z) sum += power*a[(k - 1)%n];
        a[n - 1] = -z*sum;
    } else a[n - 1] = z/(z*z - 1)*(a[n - 1] + z*a[n - 2]);
    for (i = n - 2; i >= 0; --i) a[i] = z*(a[i + 1] - a[i]);
    for (i = 0; i < n; ++i) c[(size_t)i*step] = (float)a[i];
}

/* The field at a node, the mean over the turns of the fold: of a learned field of a symmetric shape that is better than
 * any one of them. */
static dc_status dci_bake_value(const dc_cspline *s, const dc_cfield *of, dc_real theta, dc_real x, dc_real y,
                                dc_arena *mem, dc_real *d, dc_real *lever)
{
    const int turns = of->kind == DC_CFIELD_LEARNED ? s->fold : 1;
    dc_real sum_d = 0, sum_l = 0;
    dc_status status = DC_OK;
    int k;

    for (k = 0; k < turns && status == DC_OK; ++k) {
        const dc_real q[3] = {theta + 2*DCI_PI*(dc_real)k/(dc_real)s->fold, x, y};
        dc_real v = 0, l = 0;
        status = dc_cfield_eval(of, q, mem, &v, NULL, &l, NULL, NULL);
        if (status == DC_E_DIVERGED) status = DC_OK;        /* the largest disc found */
        if (status == DC_OK && !(dc_finite(v) && dc_finite(l))) status = DC_E_RANGE;
        sum_d += v;
        sum_l += l;
    }
    *d = sum_d/(dc_real)turns;
    *lever = sum_l/(dc_real)turns;
    return status;
}

/* values at the nodes, then coefficients, into cells */
static DCI_NOINLINE dc_status dci_bake_sample(dc_cspline *s, const dc_cfield *of, float *cell, dc_real *line,
                                              dc_arena *mem)
{
    const size_t n = (size_t)s->side, step = 2*n*n;
    const dc_real space = s->wall == DC_CSHAPE_POLY ? 1/s->rate : 0;
    dc_real d, l;
    dc_status status = DC_OK;
    size_t i, j, k;

    for (i = 0; i < (size_t)s->angles; ++i) {
        const dc_real theta = (dc_real)i/s->turn;

        /* half-plane: s = -y where d is 0, found from d at two places, since d of a network is best there */
        if (s->wall == DC_CSHAPE_HALFPLANE) {
            dc_real y = s->radius_b;
            status = dci_bake_value(s, of, theta, 0, y, mem, &d, &l);
            if (status == DC_OK) status = dci_bake_value(s, of, theta, 0, y -= d, mem, &d, &l);
            if (status != DC_OK) return status;
            cell[i] = (float)(d - y);
            continue;
        }
        for (j = 0; j < n; ++j)
            for (k = 0; k < n; ++k) {
                float *to = cell + i*step + 2*(j*n + k);
                status = dci_bake_value(s, of, theta, ((dc_real)j - 1)*space - s->reach,
                                        ((dc_real)k - 1)*space - s->reach, mem, &d, &l);
                if (status != DC_OK) return status;
                to[0] = (float)d;
                to[1] = (float)l;
            }
    }

    /* along theta, then x and y */
    if (s->wall == DC_CSHAPE_HALFPLANE) dci_bake_filter(cell, s->angles, 1, 1, line);
    for (j = 0; j < step; ++j) dci_bake_filter(cell + j, s->angles, step, 1, line);
    for (i = 0; i < (size_t)s->angles; ++i)
        for (j = 0; j < 2*n; ++j) dci_bake_filter(cell + i*step + j, s->side, 2*n, 0, line);
    for (i = 0; i < (size_t)s->angles*n; ++i)
        for (j = 0; j < 2; ++j) dci_bake_filter(cell + i*2*n + j, s->side, 2, 0, line);
    return DC_OK;
}

/* cells to 16 bits, in units of the largest */
static DCI_NOINLINE void dci_bake_round(dc_cspline *s, const float *cell)
{
    const size_t count = dci_cspline_cells(s), kinds = s->wall == DC_CSHAPE_POLY ? 2 : 1;
    size_t k, c;

    for (c = 0; c < kinds; ++c) {
        dc_real most = 0;
        for (k = c; k < count; k += kinds) most = dc_max(most, dc_abs((dc_real)cell[k]));
        s->scale[c] = most > 0 ? most/32767 : 1;
        for (k = c; k < count; k += kinds) {
            dc_real x = (dc_real)cell[k]/s->scale[c];
            s->short_cell[k] = (int16_t)(x < 0 ? x - DC_R(0.5) : x + DC_R(0.5));
        }
    }
}

enum { DCI_BAKE_JUDGES = 1000, DCI_BAKE_TRIES = 100000 };

static DCI_NOINLINE dc_status dci_bake_judge(const dc_cfield *f, const dc_cfield *of, dc_arena *mem,
                                             dc_cfield_bake_info *info)
{
    const dc_cspline *s = f->spline;
    const dc_real band = DC_CFIELD_BAND*s->width/DC_R(0.4);
    dc_real d2 = 0, l2 = 0, q[3], d, l, want_d, want_l;
    dc_status status = DC_OK;
    uint64_t draw = 20;
    int tries, count = 0, wrong = 0;

    for (tries = 0; tries < DCI_BAKE_TRIES && count < DCI_BAKE_JUDGES && status == DC_OK; ++tries) {
        q[0] = DCI_PI*(2*dci_uniform(&draw) - 1);
        q[1] = s->begin*(2*dci_uniform(&draw) - 1);
        q[2] = s->begin*(2*dci_uniform(&draw) - 1);
        if (q[1]*q[1] + q[2]*q[2] > s->begin*s->begin) continue;
        dci_cspline_eval_one(s, q, &d, NULL, &l, NULL, NULL);
        if (!(dc_abs(d) < band)) continue;
        status = dci_bake_value(s, of, q[0], q[1], q[2], mem, &want_d, &want_l);
        d2 += (d - want_d)*(d - want_d);
        l2 += (l - want_l)*(l - want_l);
        wrong += (d < 0) != (want_d < 0);
        ++count;
    }
    count = count > 0 ? count : 1;
    info->rmse = dc_sqrt(d2/(dc_real)count);
    info->lever = dc_sqrt(l2/(dc_real)count);
    info->wrong = (dc_real)wrong/(dc_real)count;
    return status;
}

/* One size: the spline stays in the arena, what is on top of it does not. */
static dc_status dci_bake_one(const dc_cspline *like, const dc_cfield *of, int judge, dc_arena *mem, dc_cfield *f,
                              dc_cfield_bake_info *info)
{
    const size_t used = mem->used, lines = (size_t)(like->angles > like->side ? like->angles : like->side);
    dci_room room = DC_ZERO;
    dc_cspline *s;
    dc_status status;
    dc_real *line;
    float *cell;
    size_t kept;

    /* memory: first what stays */
    room.arena = mem;
    s = dci_cspline_lay(like, &room);
    kept = mem->used;
    cell = like->bits == 32 ? (s ? s->cell : NULL) : DCI_TAKE(&room, dci_cspline_cells(like), float);
    line = DCI_TAKE(&room, lines, dc_real);
    status = room.full ? DC_E_MEMORY : DC_OK;
    if (status == DC_OK) {
        dci_cspline_field(s, f);
        status = dci_bake_sample(s, of, cell, line, mem);
    }
    if (status == DC_OK) {
        if (s->short_cell) dci_bake_round(s, cell);
        memset(info, 0, sizeof *info);
        info->angles = s->angles;
        info->side = s->side;
        info->fold = s->fold;
        info->bytes = kept - used;
        if (judge) status = dci_bake_judge(f, of, mem, info);
    }
    mem->used = status == DC_OK ? kept : used;
    return status;
}

static int dci_bake_of_ok(const dc_cfield *of)
{
    return dci_cfield_ok(of) && of->kind != DC_CFIELD_BAKED
        && (of->wall == DC_CSHAPE_POLY || of->wall == DC_CSHAPE_HALFPLANE);
}

/* steps of the ladder that may be tried */
static int dci_bake_steps(const dc_cfield_bake_options *opt)
{
    return opt && opt->error > 0 && opt->angles == 0 && opt->side == 0 ? 6 : 1;
}

DC_DEF size_t dc_cfield_bake_bytes(const dc_cfield_bake_options *opt, const dc_cfield *of)
{
    dci_room room = DC_ZERO;
    dc_cspline s;

    if (!dci_bake_of_ok(of) || !dci_bake_options(opt, of, dci_bake_steps(opt) - 1, &s)) return 0;
    dci_cspline_lay(&s, &room);
    if (s.bits == 16) DCI_TAKE(&room, dci_cspline_cells(&s), float);
    DCI_TAKE(&room, s.angles > s.side ? s.angles : s.side, dc_real);
    DCI_TAKE(&room, dc_cfield_eval_bytes(of), unsigned char);
    return dci_counted(&room);
}

DC_DEF dc_status dc_cfield_bake(const dc_cfield_bake_options *opt, const dc_cfield *of, dc_arena *mem, dc_cfield *f,
                                dc_cfield_bake_info *info)
{
    const int steps = dci_bake_steps(opt), asked = opt && opt->error > 0, judge = info || asked;
    dc_cfield_bake_info now;
    dc_cspline s;
    dc_cfield r;
    dc_status status = DC_E_ARG;
    size_t used;
    int step;

    if (!mem || !f || !dci_bake_of_ok(of) || !dci_bake_options(opt, of, 0, &s)) return DC_E_ARG;
    used = mem->used;
    for (step = 0; step < steps; ++step) {
        /* the one before was not good enough */
        mem->used = used;
        dci_bake_options(opt, of, step, &s);
        status = dci_bake_one(&s, of, judge, mem, &r, &now);
        if (status != DC_OK || !asked || now.rmse <= opt->error) break;
    }
    if (status != DC_OK) return status;
    if (asked && !(now.rmse <= opt->error)) status = DC_E_DIVERGED;
    if (info) *info = now;
    *f = r;
    return status;
}

/* cell k in units of d and lever */
static dc_real dci_cspline_cell(const dc_cspline *s, size_t k)
{
    const dc_real scale = s->scale[s->wall == DC_CSHAPE_POLY ? k%2 : 0];
    return s->short_cell ? scale*(dc_real)s->short_cell[k] : (dc_real)s->cell[k];
}

/* the spline without cells of a sum of fields like these; 0: not over one grid */
static int dci_mix_like(int count, const dc_cfield *const *of, dc_cspline *s)
{
    int k;

    for (k = 0; k < count; ++k) {
        const dc_cspline *c = of[k] && of[k]->kind == DC_CFIELD_BAKED ? of[k]->spline : NULL;
        if (!c) return 0;
        if (k == 0) *s = *c;
        if (c->wall != s->wall || c->angles != s->angles || c->side != s->side || c->fold != s->fold
            || dc_abs(c->radius_a - s->radius_a) > 0 || dc_abs(c->radius_b - s->radius_b) > 0) return 0;
    }
    s->bits = 32;
    s->scale[0] = s->scale[1] = 1;
    return 1;
}

DC_DEF size_t dc_cfield_mix_bytes(const dc_cfield *of)
{
    dc_cspline s;
    return dci_mix_like(1, &of, &s) ? dci_cspline_bytes(&s) : 0;
}

DC_DEF dc_status dc_cfield_mix(int count, const dc_cfield *const *of, const dc_real *weight, dc_arena *mem,
                               dc_cfield *f)
{
    dci_room room = DC_ZERO;
    dc_cspline like, *s;
    size_t used, i;
    int k;

    if (count < 1 || count > 4096 || !of || !weight || !mem || !f || !dci_mix_like(count, of, &like)) return DC_E_ARG;
    for (k = 0; k < count; ++k)
        if (!(dc_abs(weight[k]) <= DC_LIMIT)) return DC_E_ARG;
    /* memory */
    used = mem->used;
    room.arena = mem;
    s = dci_cspline_lay(&like, &room);
    if (!s) {
        mem->used = used;
        return DC_E_MEMORY;
    }

    /* sums */
    for (k = 0, s->slope = 0; k < count; ++k) s->slope += weight[k]*of[k]->spline->slope;
    for (i = 0; i < dci_cspline_cells(s); ++i) {
        dc_real sum = 0;
        for (k = 0; k < count; ++k) sum += weight[k]*dci_cspline_cell(of[k]->spline, i);
        if (!(dc_abs(sum) <= DC_LIMIT)) {
            mem->used = used;
            return DC_E_RANGE;
        }
        s->cell[i] = (float)sum;
    }
    dci_cspline_field(s, f);
    return DC_OK;
}

#endif /* DC_SDF_NO_PLANE */

#if DCI_FUSES
#pragma GCC pop_options
#endif

#endif /* DC_SDF_IMPLEMENTED */

/* ---- [kernels] of the networks ------------------------------------------------------------------ */
/* [learned] includes this file again for them, with DCI_T the type of their numbers and DCI_NET(name) the name in that
 * type. Rows are points, columns units.
 *
 * stage              | reads                        | writes                              | equation
 * dci_net_inputs     | a pose's angles              | F, J: inputs and their derivatives  | powers of complex numbers
 * dci_net_forward    | F, weights                   | A, U, out                           | a_l of learned fields above
 * dci_net_through    | U, E                         | E: errors of z from those of u(z)   | the chain rule
 * dci_net_back       | E, weights transposed        | G: errors of a layer's inputs       | the chain rule
 * dci_cnet_run       | poses                        | outputs, gradient                   | all of these */
#ifdef DCI_T

typedef DCI_NET_VECTOR(DCI_T) DCI_NET(dci_net_vector);
typedef struct {
    DCI_T *inputs, *tangents;       /* F; J, its derivatives by three coordinates */
    DCI_T *active, *slopes;         /* A = u(z), U = u'(z) of all layers */
    DCI_T *errors, *swap;           /* E, G: of one layer, and of the one before it */
    DCI_T *out;
} DCI_NET(dci_net_work);

static DCI_NET(dci_net_work) DCI_NET(dci_net_work_make)(const dci_net_size *s, int rows, DCI_T *m)
{
    const size_t n = (size_t)rows, pad = n*(size_t)s->pad, layers = (size_t)s->layers*n*(size_t)s->width;
    const size_t wide = n*(size_t)(s->pad > s->width ? s->pad : s->width);
    DCI_NET(dci_net_work) w;

    w.inputs = m;
    w.tangents = w.inputs + pad;
    w.active = w.tangents + 3*pad;
    w.slopes = w.active + layers;
    w.errors = w.slopes + layers;
    w.swap = w.errors + wide;
    w.out = w.swap + wide;
    memset(w.inputs, 0, 4*pad*sizeof(DCI_T));       /* what features leave stays 0 */
    return w;
}

/* C = S + A B: element (i, k) of A at [i row + k step], rows of B and C at ldb and ldc, of S at lds (0: one for all);
 * S NULL: 0; n a multiple of the vector's lanes */
DCI_LANE void DCI_NET(dci_net_tile)(int rows, int cols, int inner, const DCI_T *A, size_t row, size_t step,
                                    const DCI_T *B, size_t ldb, const DCI_T *S, size_t lds, DCI_T *C, size_t ldc)
{
    const size_t w = DCI_NET_LANES(DCI_T);
    DCI_NET(dci_net_vector) c[4][8], b[8];
    int i, j, k;

    /* S */
    for (i = 0; i < rows; ++i)
        for (j = 0; j < cols; ++j) {
            if (S) memcpy(&c[i][j], S + (size_t)i*lds + (size_t)j*w, sizeof c[i][j]);
            else memset(&c[i][j], 0, sizeof c[i][j]);
        }

    /* + A B */
    for (k = 0; k < inner; ++k) {
        for (j = 0; j < cols; ++j) memcpy(&b[j], B + (size_t)k*ldb + (size_t)j*w, sizeof b[j]);
        for (i = 0; i < rows; ++i) {
            DCI_T a = A[(size_t)i*row + (size_t)k*step];
            for (j = 0; j < cols; ++j) c[i][j] += a*b[j];
        }
    }

    for (i = 0; i < rows; ++i)
        for (j = 0; j < cols; ++j) memcpy(C + (size_t)i*ldc + (size_t)j*w, &c[i][j], sizeof c[i][j]);
}

/* the same for m rows and n columns, a multiple of the vector's lanes, tile by tile */
static DCI_NOINLINE void DCI_NET(dci_net_mul)(int m, int n, int inner, const DCI_T *A, size_t row, size_t step,
                                              const DCI_T *B, size_t ldb, const DCI_T *S, size_t lds, DCI_T *C,
                                              size_t ldc)
{
#define DCI_NET_TILE(rows, cols, s) \
    DCI_NET(dci_net_tile)(rows, cols, inner, A, row, step, B + j, ldb, s, lds, C + j, ldc)
    const int w = DCI_NET_LANES(DCI_T);
    int i = 0, j;

    /* four rows at a time */
    for (; i + 4 <= m; i += 4) {
        for (j = 0; j + 2*w <= n; j += 2*w) DCI_NET_TILE(4, 2, S ? S + j : S);
        for (; j < n; j += w) DCI_NET_TILE(4, 1, S ? S + j : S);
        A += 4*row;
        C += 4*ldc;
        if (S) S += 4*lds;
    }

    /* the rest one by one, by as many columns as there are: one after another they would wait for their sums */
    for (; i < m; ++i) {
        const DCI_T *s = S;
        for (j = 0; j + 8*w <= n; j += 8*w) {
            DCI_NET_TILE(1, 8, s);
            if (s) s += 8*w;
        }
        switch ((n - j)/w) {
        case 7: DCI_NET_TILE(1, 7, s); break;
        case 6: DCI_NET_TILE(1, 6, s); break;
        case 5: DCI_NET_TILE(1, 5, s); break;
        case 4: DCI_NET_TILE(1, 4, s); break;
        case 3: DCI_NET_TILE(1, 3, s); break;
        case 2: DCI_NET_TILE(1, 2, s); break;
        case 1: DCI_NET_TILE(1, 1, s); break;
        }
        A += row;
        C += ldc;
        if (S) S += lds;
    }
#undef DCI_NET_TILE
}

/* sum of a_k b_k, n a multiple of 8, as eight sums, whatever the vector */
DCI_LANE DCI_T DCI_NET(dci_net_dot)(int n, const DCI_T *a, const DCI_T *b)
{
    enum { w = DCI_NET_LANES(DCI_T), m = 8/w };
    DCI_NET(dci_net_vector) c[m], x, y;
    DCI_T p[8];
    int j, k;

    memset(c, 0, sizeof c);
    for (k = 0; k < n; k += 8)
        for (j = 0; j < m; ++j) {
            memcpy(&x, a + k + j*w, sizeof x);
            memcpy(&y, b + k + j*w, sizeof y);
            c[j] += x*y;
        }
    memcpy(p, c, sizeof p);
    return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}

/* z <- u(z), du <- u'(z); ddu <- u''(z) unless NULL. With two selects of one condition in a loop gcc would not
 * vectorise. */
static void DCI_NET(dci_net_units)(int n, int smooth, DCI_T *DCI_RESTRICT z, DCI_T *DCI_RESTRICT du,
                                   DCI_T *DCI_RESTRICT ddu)
{
    int k;

    /* max(0, z) */
    if (!smooth) {
        for (k = 0; k < n; ++k) du[k] = z[k] > 0 ? (DCI_T)1 : (DCI_T)0;
        for (k = 0; k < n; ++k) z[k] = z[k] > 0 ? z[k] : (DCI_T)0;
        return;
    }

    /* rounded between -1 and 1, where du holds z for a while */
    for (k = 0; k < n; ++k) {
        DCI_T c = z[k] < 1 ? z[k] : (DCI_T)1, t = c > -1 ? c : (DCI_T)-1;
        z[k] = ((DCI_T)0.1875 + t*((DCI_T)0.5 + t*((DCI_T)0.375 - (DCI_T)0.0625*(t*t)))) + (z[k] - c);
        du[k] = t;
    }
    for (k = 0; k < n && ddu; ++k) ddu[k] = (DCI_T)0.75 - (DCI_T)0.75*(du[k]*du[k]);
    for (k = 0; k < n; ++k) du[k] = (DCI_T)0.5 + du[k]*((DCI_T)0.75 - (DCI_T)0.25*(du[k]*du[k]));
}

/* cos k phi, sin k phi for k = 1..K from the first ones, and k times -sin, cos: their derivatives. Four powers, then
 * those times the fourth's. */
DCI_LANE void DCI_NET(dci_net_powers)(int K, DCI_T c, DCI_T s, DCI_T *DCI_RESTRICT C, DCI_T *DCI_RESTRICT D)
{
    DCI_T x[4], y[4], e = 1, f = 0, h = 0;
    int j, k;

    /* the first four */
    x[0] = c;                       y[0] = s;
    x[1] = c*c - s*s;               y[1] = 2*(c*s);
    x[2] = x[1]*c - y[1]*s;         y[2] = x[1]*s + y[1]*c;
    x[3] = x[1]*x[1] - y[1]*y[1];   y[3] = 2*(x[1]*y[1]);

    /* four by four, (e, f) the power before them */
    for (k = 0; k + 4 <= K; k += 4) {
        DCI_T u[4], v[4], next = e*x[3] - f*y[3];
        for (j = 0; j < 4; ++j) {
            u[j] = e*x[j] - f*y[j];
            v[j] = e*y[j] + f*x[j];
        }
        memcpy(C + k, u, sizeof u);
        memcpy(C + K + k, v, sizeof v);
        for (j = 0; j < 4; ++j) u[j] *= h + (DCI_T)(j + 1);
        for (j = 0; j < 4; ++j) v[j] *= -(h + (DCI_T)(j + 1));
        memcpy(D + k, v, sizeof v);
        memcpy(D + K + k, u, sizeof u);
        f = e*y[3] + f*x[3];
        e = next;
        h += 4;
    }

    /* what is left of the last four */
    for (j = 0; k < K; ++j, ++k) {
        C[k] = e*x[j] - f*y[j];
        C[K + k] = e*y[j] + f*x[j];
        D[k] = -(DCI_T)(k + 1)*C[K + k];
        D[K + k] = (DCI_T)(k + 1)*C[k];
    }
}

/* inputs of a point and their derivatives by the network's three coordinates, from in: r, cos alpha, sin alpha, cos
 * beta, sin beta, or the raw inputs; angles: 2, or 1 for beta alone */
DCI_LANE void DCI_NET(dci_net_inputs)(int raw, int K, int angles, int pad, const DCI_T *in, DCI_T *F, DCI_T *J)
{
    F[0] = in[0];
    J[0] = 1;
    if (raw) {
        F[1] = in[1];
        F[2] = in[2];
        J[pad + 1] = J[2*pad + 2] = 1;
        return;
    }
    if (angles == 2) DCI_NET(dci_net_powers)(K, in[1], in[2], F + 1, J + pad + 1);
    F += 1 + 2*K*(angles - 1);
    DCI_NET(dci_net_powers)(K, in[3], in[4], F, J + 2*pad + 1 + 2*K*(angles - 1));
}

/* u of n rows of inputs, and the outputs; ddu: u'' of the layers, or NULL */
static void DCI_NET(dci_net_forward)(const dci_net_size *s, const DCI_T *W, int smooth, int n,
                                     const DCI_NET(dci_net_work) *w, DCI_T *ddu)
{
    const size_t H = (size_t)s->width, layer = (size_t)n*H;
    const DCI_T *b, *in = w->inputs;
    size_t ld = (size_t)s->pad, l;
    int i;

    for (l = 0; l < (size_t)s->layers; ++l) {
        DCI_T *z = w->active + l*layer;
        b = W + dci_net_at(s, (int)l);
        DCI_NET(dci_net_mul)(n, s->width, l == 0 ? s->inputs : s->width, in, ld, 1, b + H, H, b, 0, z, H);
        DCI_NET(dci_net_units)(n*s->width, smooth, z, w->slopes + l*layer, ddu ? ddu + l*layer : NULL);
        in = z;
        ld = H;
    }

    /* outputs */
    b = W + dci_net_at(s, s->layers);
    for (i = 0; i < n; ++i) {
        w->out[2*i] = b[0] + DCI_NET(dci_net_dot)(s->width, in + (size_t)i*H, b + 2);
        w->out[2*i + 1] = b[1] + DCI_NET(dci_net_dot)(s->width, in + (size_t)i*H, b + 2 + H);
    }
}

/* E <- E U for the layer's n rows: errors of z from those of u(z) */
DCI_LANE void DCI_NET(dci_net_through)(int n, DCI_T *DCI_RESTRICT E, const DCI_T *DCI_RESTRICT U)
{
    int k;
    for (k = 0; k < n; ++k) E[k] *= U[k];
}

/* G <- errors of the inputs of a layer from those of its z, E */
DCI_LANE void DCI_NET(dci_net_back)(const dci_net_size *s, const DCI_T *turned, int l, int n, const DCI_T *E, DCI_T *G)
{
    const int cols = l == 0 ? s->pad : s->width;
    const size_t ld = (size_t)cols;

    DCI_NET(dci_net_mul)(n, cols, s->width, E, (size_t)s->width, 1, turned + dci_net_turned_at(s, l), ld, NULL, 0, G,
                         ld);
}

/* the weights without biases, transposed */
static void DCI_NET(dci_net_turn)(const dci_net_size *s, const DCI_T *W, DCI_T *turned)
{
    int l, i, o;
    for (l = 0; l < s->layers; ++l) {
        const DCI_T *w = W + dci_net_at(s, l) + s->width;
        DCI_T *t = turned + dci_net_turned_at(s, l);
        int in = l == 0 ? s->inputs : s->width, ld = l == 0 ? s->pad : s->width;
        for (o = 0; o < s->width; ++o)
            for (i = 0; i < ld; ++i) t[o*ld + i] = i < in ? w[i*s->width + o] : (DCI_T)0;
    }
}

/* Outputs of n poses, n <= DCI_NET_BLOCK, and with `grad` the first one's derivatives by the network's coordinates. */
static DCI_NOINLINE void DCI_NET(dci_cnet_run)(const dc_cnet *c, const DCI_T *W, const DCI_T *turned, int n,
                                               const dci_cnet_pose *p, int grad, const DCI_NET(dci_net_work) *w,
                                               dc_real (*out)[2], dc_real (*g)[3])
{
    const dci_net_size *s = &c->size;
    const DCI_T *last = W + dci_net_at(s, s->layers) + 2;
    const int pad = s->pad;
    DCI_T *E = w->errors, *G = w->swap, *swap;
    int i, k, l;

    /* forward */
    for (i = 0; i < n; ++i) {
        DCI_T in[5], *J = w->tangents + 3*i*pad;
        for (k = 0; k < 5; ++k) in[k] = (DCI_T)p[i].input[k];
        DCI_NET(dci_net_inputs)(c->raw, c->harmonics, dci_cnet_angles(c), pad, in, w->inputs + i*pad, J);
    }
    DCI_NET(dci_net_forward)(s, W, c->smooth, n, w, NULL);
    for (i = 0; i < n; ++i) {
        out[i][0] = (dc_real)w->out[2*i];
        out[i][1] = (dc_real)w->out[2*i + 1];
    }
    if (!grad) return;

    /* back, from the first output's weights to the errors of the inputs */
    for (i = 0; i < n; ++i) memcpy(E + i*s->width, last, (size_t)s->width*sizeof *E);
    for (l = s->layers - 1; l >= 0; --l) {
        DCI_NET(dci_net_through)(n*s->width, E, w->slopes + (size_t)l*(size_t)(n*s->width));
        DCI_NET(dci_net_back)(s, turned, l, n, E, G);
        swap = E;
        E = G;
        G = swap;
    }

    for (i = 0; i < n; ++i) {
        const DCI_T *e = E + i*pad, *J = w->tangents + 3*i*pad;
        g[i][0] = (dc_real)e[0];
        for (k = 1; k < 3; ++k) g[i][k] = c->raw ? (dc_real)e[k] : (dc_real)DCI_NET(dci_net_dot)(pad, J + k*pad, e);
    }
}

#undef DCI_T
#endif /* DCI_T */

#endif /* DC_SDF_IMPLEMENTATION */

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
