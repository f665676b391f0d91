/* dc_sdf.h - v0.1.0 - smooth signed distance fields from analytic primitives
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * DOES     value, gradient and Hessian of fields made of superquadrics, convex polyhedra, oriented point clouds, spheres,
 *          boxes and capsules by smooth union and subtraction [1]; derivatives by the parameters of the primitives; many
 *          points at once; a closed triangle mesh of the zero set; superquadrics fitted to a sampled field or a mesh.
 * DOES NOT find contacts (dc_witness.h), read files, repair meshes. Most fields are distances only near the surface: see
 *          the kinds below.
 *
 * USE
 *   In one C or C++ file: #define DC_CONTACT_IMPLEMENTATION and DC_SDF_IMPLEMENTATION, then #include "dc_sdf.h". Elsewhere
 *   include it. Quick start, a complete program; cc -std=c99 -O3 program.c -lm
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
 */
#ifndef DC_SDF_H_INCLUDED
#define DC_SDF_H_INCLUDED

#include "dc_contact.h"

/* every function of the float build has a name of its own, as in dc_contact.h */
#if DC_IS_FLOAT
#define dc_sdf_eval dc_sdf_eval_f
#define dc_sdf_eval_params dc_sdf_eval_params_f
#define dc_sdf_batch_bytes dc_sdf_batch_bytes_f
#define dc_sdf_eval_batch dc_sdf_eval_batch_f
#define dc_sdf_mesh_bytes dc_sdf_mesh_bytes_f
#define dc_sdf_mesh dc_sdf_mesh_f
#define dc_sdf_sample dc_sdf_sample_f
#define dc_sdf_fit_bytes dc_sdf_fit_bytes_f
#define dc_sdf_fit dc_sdf_fit_f
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- fields ------------------------------------------------------------------------------------ */

typedef enum {
    /* phi = |x| (1 - 1/F), the distance along the ray to the centre, F = f^(eps1/2) the gauge of the body,
     *     f = ((x/a)^(2/eps2) + (y/b)^(2/eps2))^(eps2/eps1) + (z/c)^(2/eps1)                             (1-3, corrected)
     * size = (a, b, c), within a factor 1e6 of each other; eps1, eps2 from 0.02 to 2. Never below the distance (up to 1/cos of
     * the angle between ray and normal above it). Smooth but for the centre, where it is -min(a,b,c) with gradient 0; with an
     * exponent above 1 its Hessian is infinite, and large here, on the coordinate planes; with eps1 = 1 > eps2 it has no
     * limit on the z axis.
     * With `taubin`, phi = (F - 1)/|grad F|: slope 1 on the surface however flat the body, at the price of one derivative. */
    DC_SDF_SUPERQUADRIC = 0,
    /* phi = max_i n_i.(x - p_i), or with smooth > 0 the log-sum-exp of that temperature, which is larger by at most
     * smooth log(count) and so rounds corners inwards (4, 5). `count` unit normals n and points p. Exact over the faces, a
     * lower bound beside edges and corners. */
    DC_SDF_POLYHEDRON,
    /* phi = sum_i B_i n_i.(x - p_i)/sum_i B_i,  B_i = exp(-|x - p_i|^2/(2 sigma_i^2)) (6). `count` points p, unit normals n
     * that point outwards, widths sigma: about one spacing of the points. */
    DC_SDF_CLOUD,
    DC_SDF_SPHERE,         /* exact; radius size.x */
    DC_SDF_BOX,            /* exact, with kinks inside; half extents size */
    DC_SDF_CAPSULE         /* exact; radius size.x about the segment |z| <= size.z; size.y is not read */
} dc_sdf_kind;

/* A primitive and how it joins those before it in the list. Plain data; n, p, sigma are borrowed for the time of a call. */
typedef struct {
    dc_sdf_kind kind;
    dc_pose pose;           /* primitive to body; a quaternion within 1e-3 of unit length is normalised */
    dc_real scale;          /* of the whole primitive: phi = scale phi^(R^T (x - t)/scale); 0: 1 */
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
 * tau 0 is the hard minimum and maximum. Runs of unions, or of subtractions, do not depend on their order but for rounding.
 * The first primitive may not be subtracted. */
typedef struct {
    const dc_sdf_prim *prim;
    int n;                  /* >= 1 */
    dc_real tau;            /* length; 0 or 1/DC_LIMIT to DC_LIMIT */
} dc_sdf;

/* The field at a point x of the body.
 * value   may be NULL, as all that follow; NULL costs nothing.
 * grad    3
 * hess    3x3, symmetric to the bit. At a tie of a hard minimum that of either side.
 * DC_E_ARG: a primitive out of the ranges above, a point that is not finite or beyond DC_LIMIT, a NULL. DC_E_RANGE: a
 * number asked for does not fit. Outputs untouched. */
DC_DEF dc_status dc_sdf_eval(const dc_sdf *s, dc_v3 x, dc_real *value, dc_real *grad, dc_real *hess);

/* Parameters of a primitive, in the order of the gradient: twist (v, w) of its pose in body axes about its origin t,
 * x <- exp([w])(x - t) + t + v; size.x, size.y, size.z; eps1, eps2; scale. */
#define DC_SDF_PARAMS 12

/* The value and its gradient by the parameters of all primitives, at a fixed point x of the body.
 * dparam   DC_SDF_PARAMS*n. Zero for parameters that a kind does not have. */
DC_DEF dc_status dc_sdf_eval_params(const dc_sdf *s, dc_v3 x, dc_real *value, dc_real *dparam);

/* ---- many points ------------------------------------------------------------------------------- */

/* Outputs of dc_sdf_eval_batch: arrays of rows, row r of point i at [r*stride + i]; NULL: not computed. */
typedef struct {
    dc_real *value;         /* 1 row */
    dc_real *grad;          /* 3 rows */
    dc_real *hess;          /* 6 rows: xx xy xz yy yz zz */
    dc_real *dir;           /* 3 rows: the vector along which the outward normal is taken: grad F of a field that is one
                             * radial superquadric (its length varies little, where that of grad phi does not), else grad phi */
    dc_real *ddir;          /* 6 rows: derivative of dir by the point, symmetric */
} dc_sdf_out;

/* Bytes of arena that dc_sdf_eval_batch takes, for any number of points. */
DC_DEF size_t dc_sdf_batch_bytes(void);

/* dc_sdf_eval of `count` points: 3 rows x, y, z, row r of point i at x[r*stride + i], stride >= count >= 0. The same bits as
 * dc_sdf_eval without contraction, wherever a point stands. No output overlaps another or x.
 * DC_E_ARG as there, for any of the points: outputs untouched. DC_E_RANGE: outputs are lost. */
DC_DEF dc_status dc_sdf_eval_batch(const dc_sdf *s, int count, const dc_real *x, size_t stride, dc_arena *mem,
                                   const dc_sdf_out *out);

/* ---- meshes ------------------------------------------------------------------------------------ */

/* A triangle mesh in body coordinates, borrowed: three indices a triangle, counterclockwise seen from outside; two a unique
 * edge, the smaller first, sorted. */
typedef struct {
    const dc_v3 *v;
    const int *tri, *edge;
    int nv, nt, ne;
} dc_mesh;

/* Points of a regular grid, both ends included: x = lo + (i, j, k) (hi - lo)/(n - 1), n >= 2 in each direction; value
 * (i, j, k) of a sampled field at [(k*ny + j)*nx + i]. */
typedef struct { dc_v3 lo, hi; int nx, ny, nz; } dc_grid;

typedef struct {
    int vertices;           /* simplify to so many vertices, by collapsing the shortest edges; 0: leave it as the grid gives it */
} dc_sdf_mesh_options;

typedef struct {
    int nv, nt;             /* of the mesh as the grid gives it */
    dc_real residual;       /* largest |phi|/|grad phi| at a vertex */
} dc_sdf_mesh_info;

/* Bytes of arena that dc_sdf_mesh takes for a mesh of nv vertices as the grid gives it, scratch and result; 0 when it does
 * not fit a size_t. A closed surface crosses about 3 (size/step)^2 tetrahedron edges a side; info->nv says what was met. */
DC_DEF size_t dc_sdf_mesh_bytes(const dc_grid *grid, int nv);

/* A triangle mesh of the zero set: marching tetrahedra (6 to a cell), then every vertex is moved onto the field along its
 * gradient. Closed, each edge in exactly two triangles of opposite direction, whatever the field, provided that it is
 * positive all over the boundary of the grid (else DC_E_RANGE).
 * mem     the mesh stays at the front of what was free; scratch is given back.
 * DC_E_MEMORY: the arena is too small; info->nv is set when the vertices could be counted. DC_E_DIVERGED: a vertex
 * stayed off the zero set by more than 1e-6 (float 1e-3) of a grid step; the mesh is complete. nt = 0 is fine: nothing inside. */
DC_DEF dc_status dc_sdf_mesh(const dc_sdf_mesh_options *opt, const dc_sdf *s, const dc_grid *grid, dc_arena *mem, dc_mesh *mesh,
                             dc_sdf_mesh_info *info);

/* Signed distance to a closed triangle mesh at the points of a grid: distance to the nearest triangle, negative where the
 * winding number is above 1/2. O(grid points x triangles). edge is not read. phi: nx ny nz. */
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
    dc_real residual;       /* root mean square of field - fit over the points within a band of two steps about the surface */
    dc_real covered;        /* part of the inner points (field < 0) that the fit holds */
} dc_sdf_fit_info;

/* Bytes of arena that dc_sdf_fit takes; 0: a grid that is none, or it does not fit. */
DC_DEF size_t dc_sdf_fit_bytes(const dc_grid *grid);

/* Superquadrics whose union is a sampled signed distance field, after marching primitives [2]: go through the levels of the
 * field from the innermost out; connected regions below the level; fit a superquadric to each by robust least squares;
 * take out what it explains; repeat. The same input gives the same output.
 * phi     nx ny nz distances, negative inside
 * prim    capacity entries; *n are written, DC_SDF_SUPERQUADRIC with unions only
 * DC_E_MEMORY; DC_E_ARG; DC_E_DIVERGED: capacity was reached with regions left. */
DC_DEF dc_status dc_sdf_fit(const dc_sdf_fit_options *opt, const dc_grid *grid, const dc_real *phi, dc_arena *mem,
                            dc_sdf_prim *prim, int *n, dc_sdf_fit_info *info);

#ifdef __cplusplus
}
#endif
#endif /* DC_SDF_H_INCLUDED */
