/* lobed.h - a body that is not convex, for the examples of contact manifolds: a toy figure of ten superquadrics
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * It is 1.9 high, looks along -y and is symmetric about x = 0. Its origin is its centre of mass. Include it after dc_sdf.h. */
#ifndef LOBED_H_INCLUDED
#define LOBED_H_INCLUDED

#include <string.h>

/* the surface has no handle: 2V - 4 triangles and 3V - 6 edges */
enum { LOBED_PARTS = 10, LOBED_VERTICES = 180, LOBED_TRIANGLES = 2*LOBED_VERTICES - 4, LOBED_EDGES = 3*LOBED_VERTICES - 6 };

/* Field and mesh point into this struct: it stays where it is. volume and inertia are of its mesh, density 1, the latter
 * about the origin in the figure's axes. */
typedef struct {
    dc_sdf_prim part[LOBED_PARTS];
    dc_v3       v[LOBED_VERTICES];
    int         tri[3*LOBED_TRIANGLES], edge[2*LOBED_EDGES];
    dc_sdf      field;
    dc_mesh     mesh;
    dc_real     volume, radius;         /* radius: about the origin, of all vertices */
    dc_m3       inertia;
} lobed;

/* Volume, centre and inertia about the centre of a closed mesh: tetrahedra from the origin over its triangles, of which
 * the second moments are  det/120 (sum over corners of x x^T + s s^T),  s the sum of the corners. */
static inline void lobed_moments(const dc_mesh *m, dc_real *volume, dc_v3 *centre, dc_m3 *inertia)
{
    dc_real M[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, trace;
    dc_v3   sum = dc_vec(0, 0, 0);
    int     t, c, i, k;

    *volume = 0;
    for (t = 0; t < m->nt; t++) {
        dc_v3   x[4];
        dc_real det;
        for (c = 0; c < 3; c++) x[c] = m->v[m->tri[3*t + c]];
        det = dc_dot(x[0], dc_cross(x[1], x[2]));
        x[3] = dc_add(dc_add(x[0], x[1]), x[2]);
        *volume += det/6;
        sum = dc_madd(sum, det/24, x[3]);
        for (c = 0; c < 4; c++)
            for (i = 0; i < 3; i++)
                for (k = 0; k < 3; k++) M[i][k] += det/120*(&x[c].x)[i]*(&x[c].x)[k];
    }
    *centre = dc_scale(1/ *volume, sum);
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++) M[i][k] -= (&sum.x)[i]*(&centre->x)[k];
    trace = M[0][0] + M[1][1] + M[2][2];
    for (i = 0; i < 3; i++)
        for (k = 0; k < 3; k++) inertia->m[3*i + k] = (i == k ? trace : DC_R(0)) - M[i][k];
}

/* Makes it; mem is scratch, 4 MB are enough. */
static inline dc_status lobed_make(lobed *f, dc_arena *mem)
{
    /* centre, rotation vector, half axes, exponents; those with x > 0 are followed by their mirror image */
    static const double row[][11] = {
        {0, 0, 0.82,          0, 0, 0,       0.30, 0.25, 0.38,   0.7, 0.9},      /* trunk */
        {0, -0.05, 1.38,      0, 0, 0,       0.26, 0.25, 0.25,   0.9, 0.9},      /* head */
        {0, -0.30, 1.33,      1.45, 0, 0,    0.12, 0.10, 0.14,   0.8, 0.9},      /* snout */
        {0, 0.36, 0.62,       0.95, 0, 0,    0.11, 0.11, 0.28,   0.9, 0.9},      /* tail */
        {0.17, -0.03, 1.66,   0, 0.40, 0,    0.11, 0.08, 0.22,   0.9, 0.8},      /* ear */
        {0.42, -0.08, 1.00,   0.20, 2.10, 0, 0.13, 0.13, 0.32,   0.8, 0.9},      /* arm */
        {0.20, -0.04, 0.30,   -0.10, 0.10, 0, 0.15, 0.17, 0.34,  0.7, 0.9}       /* leg */
    };
    dc_sdf_mesh_options opt = DC_ZERO;
    dc_grid    grid = {{DC_R(-0.95), DC_R(-0.7), DC_R(-0.15)}, {DC_R(0.95), DC_R(0.8), DC_R(2.05)}, 37, 30, 43};
    size_t     used = mem->used;
    dc_mesh    mesh;
    dc_v3      centre;
    dc_status  s;
    int        i, side;

    memset(f, 0, sizeof *f);
    f->field.prim = f->part;
    f->field.tau = DC_R(0.02);
    for (i = 0; i < (int)(sizeof row/sizeof row[0]); i++)
        for (side = 1; side >= (row[i][0] > 0 ? -1 : 1); side -= 2) {
            const double *r = row[i];
            dc_sdf_prim  *p = &f->part[f->field.n++];
            p->kind = DC_SDF_SUPERQUADRIC;
            p->pose.t = dc_vec((dc_real)(side*r[0]), (dc_real)r[1], (dc_real)r[2]);
            p->pose.q = dc_quat_exp(dc_vec((dc_real)r[3], (dc_real)(side*r[4]), (dc_real)(side*r[5])));
            p->size = dc_vec((dc_real)r[6], (dc_real)r[7], (dc_real)r[8]);
            p->eps1 = (dc_real)r[9];
            p->eps2 = (dc_real)r[10];
        }
    opt.vertices = LOBED_VERTICES;
    s = dc_sdf_mesh(&opt, &f->field, &grid, mem, &mesh, NULL);
    if (s == DC_OK) {
        lobed_moments(&mesh, &f->volume, &centre, &f->inertia);
        for (i = 0; i < LOBED_VERTICES; i++) {
            f->v[i] = dc_sub(mesh.v[i], centre);
            f->radius = dc_max(f->radius, dc_sqrt(dc_dot(f->v[i], f->v[i])));
        }
        for (i = 0; i < f->field.n; i++) f->part[i].pose.t = dc_sub(f->part[i].pose.t, centre);
        memcpy(f->tri, mesh.tri, sizeof f->tri);
        memcpy(f->edge, mesh.edge, sizeof f->edge);
        f->mesh = mesh;
        f->mesh.v = f->v;
        f->mesh.tri = f->tri;
        f->mesh.edge = f->edge;
    }
    mem->used = used;
    return s;
}

#endif /* LOBED_H_INCLUDED */
