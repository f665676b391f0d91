/* objects.h - bodies that are not convex, for the examples of contact manifolds: unions of superquadrics with their meshes
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * A toy figure of 10 parts, and four objects with as many parts and vertices as those of CONTAX, Fig. 9: an aeroplane, a drill, a
 * figure, a screwdriver. All look along -y and are symmetric about x = 0, but for the tail of the second figure. The origin is the
 * centre of mass. Include it after dc_sdf.h. */
#ifndef OBJECTS_H_INCLUDED
#define OBJECTS_H_INCLUDED

#include <string.h>

enum { OBJECT_TOY, OBJECT_AEROPLANE, OBJECT_DRILL, OBJECT_FIGURE, OBJECT_SCREWDRIVER, OBJECT_KINDS };
enum { OBJECT_PARTS = 32, OBJECT_VERTICES = 584 };
/* the toy's surface has no handle: 2V - 4 triangles and 3V - 6 edges */
enum { TOY_VERTICES = 180, TOY_TRIANGLES = 2*TOY_VERTICES - 4, TOY_EDGES = 3*TOY_VERTICES - 6 };

/* A part: centre, rotation vector, half axes, exponents. Those with x > 0.1 are followed by their mirror image: a tail may lean. */
typedef double object_row[11];

static const object_row object_toy[] = {
    {0, 0, 0.82,          0, 0, 0,       0.30, 0.25, 0.38,   0.7, 0.9},      /* trunk */
    {0, -0.05, 1.38,      0, 0, 0,       0.26, 0.25, 0.25,   0.9, 0.9},      /* head */
    {0, -0.30, 1.33,      1.45, 0, 0,    0.12, 0.10, 0.14,   0.8, 0.9},      /* snout */
    {0, 0.36, 0.62,       0.95, 0, 0,    0.11, 0.11, 0.28,   0.9, 0.9},      /* tail */
    {0.17, -0.03, 1.66,   0, 0.40, 0,    0.11, 0.08, 0.22,   0.9, 0.8},      /* ear */
    {0.42, -0.08, 1.00,   0.20, 2.10, 0, 0.13, 0.13, 0.32,   0.8, 0.9},      /* arm */
    {0.20, -0.04, 0.30,   -0.10, 0.10, 0, 0.15, 0.17, 0.34,  0.7, 0.9}       /* leg */
};
static const object_row object_aeroplane[] = {
    {0, -0.42, 0,         1.5708, 0, 0,  0.15, 0.16, 0.42,   0.6, 1.0},      /* fuselage: front, */
    {0, 0.10, 0.01,       1.5708, 0, 0,  0.15, 0.15, 0.45,   0.6, 1.0},      /* middle, */
    {0, 0.62, 0.05,       1.5, 0, 0,     0.10, 0.10, 0.38,   0.8, 1.0},      /* rear */
    {0, -0.84, -0.02,     1.5708, 0, 0,  0.10, 0.10, 0.20,   0.9, 1.0},      /* nose */
    {0, -0.58, 0.13,      1.4, 0, 0,     0.09, 0.08, 0.20,   0.9, 0.9},      /* cockpit */
    {0, 0.88, 0.28,       0.4, 0, 0,     0.04, 0.13, 0.25,   0.7, 0.7},      /* fin */
    {0, -0.55, -0.22,     0, 0, 0,       0.035, 0.05, 0.12,  0.7, 0.8},      /* leg, */
    {0, -0.55, -0.33,     0, 1.5708, 0,  0.07, 0.07, 0.045,  0.5, 1.0},      /* wheel */
    {0.30, 0.02, -0.05,   0, 0, 0.15,    0.24, 0.24, 0.055,  0.8, 0.7},      /* wing: root, */
    {0.60, 0.09, -0.03,   0, -0.05, 0.25, 0.24, 0.18, 0.045, 0.8, 0.7},      /* middle, */
    {0.90, 0.18, 0.00,    0, -0.08, 0.3, 0.20, 0.13, 0.04,   0.8, 0.7},      /* end, */
    {1.08, 0.23, 0.08,    0, -1.2, 0,    0.13, 0.09, 0.04,   0.8, 0.8},      /* tip */
    {0.16, 0.90, 0.10,    0, 0, 0.2,     0.15, 0.12, 0.04,   0.8, 0.7},      /* tailplane: root, */
    {0.34, 0.95, 0.11,    0, -0.05, 0.3, 0.12, 0.09, 0.035,  0.8, 0.7},      /* tip */
    {0.50, -0.08, -0.17,  1.5708, 0, 0,  0.09, 0.09, 0.20,   0.5, 1.0},      /* engine, */
    {0.50, -0.27, -0.17,  1.5708, 0, 0,  0.105, 0.105, 0.06, 0.5, 1.0},      /* its lip, */
    {0.50, 0.13, -0.17,   1.5708, 0, 0,  0.06, 0.06, 0.12,   0.8, 1.0},      /* nozzle, */
    {0.50, 0.00, -0.09,   0, 0, 0,       0.035, 0.13, 0.07,  0.7, 0.7},      /* pylon */
    {0.17, 0.15, -0.20,   0, 0, 0,       0.04, 0.055, 0.14,  0.7, 0.8},      /* leg, */
    {0.19, 0.15, -0.33,   0, 1.5708, 0,  0.08, 0.08, 0.05,   0.5, 1.0}       /* wheel */
};
static const object_row object_drill[] = {
    {0, 0.10, 0.55,       1.5708, 0, 0,  0.17, 0.18, 0.30,   0.5, 0.9},      /* motor */
    {0, 0.40, 0.55,       1.5708, 0, 0,  0.15, 0.16, 0.10,   0.7, 0.9},      /* cap */
    {0, -0.24, 0.56,      1.5708, 0, 0,  0.145, 0.15, 0.14,  0.6, 0.9},      /* gears */
    {0, -0.41, 0.57,      1.5708, 0, 0,  0.11, 0.11, 0.08,   0.5, 1.0},      /* collar */
    {0, -0.54, 0.57,      1.5708, 0, 0,  0.09, 0.09, 0.11,   0.7, 1.0},      /* chuck, */
    {0, -0.66, 0.57,      1.5708, 0, 0,  0.055, 0.055, 0.08, 0.8, 1.0},      /* jaws */
    {0, -0.80, 0.57,      1.5708, 0, 0,  0.035, 0.035, 0.17, 0.6, 1.0},      /* bit, */
    {0, -0.97, 0.57,      1.5708, 0, 0,  0.03, 0.03, 0.09,   0.9, 1.0},      /* its tip */
    {0, 0.17, 0.22,       -0.15, 0, 0,   0.09, 0.12, 0.25,   0.7, 0.8},      /* handle: top, */
    {0, 0.22, -0.06,      -0.12, 0, 0,   0.095, 0.12, 0.18,  0.7, 0.8},      /* end */
    {0, 0.17, -0.30,      0, 0, 0,       0.15, 0.23, 0.12,   0.4, 0.5},      /* battery, */
    {0, 0.13, -0.44,      0, 0, 0,       0.16, 0.26, 0.06,   0.4, 0.5},      /* its foot */
    {0, 0.02, 0.30,       0.3, 0, 0,     0.04, 0.06, 0.09,   0.8, 0.8},      /* trigger */
    {0.15, 0.16, 0.62,    0, 0, 0,       0.05, 0.18, 0.06,   0.6, 0.6},      /* vents */
    {0.13, 0.30, -0.20,   0, 0, 0.2,     0.04, 0.07, 0.10,   0.6, 0.6}       /* clip */
};
/* the last part makes the feet one base, so that there is a hole between the legs */
static const object_row object_figure[] = {
    {0, 0, 1.00,      0.10, 0, 0,        0.34, 0.27, 0.42,   0.70, 0.80},     /* trunk */
    {0, -0.12, 0.86,  0.25, 0, 0,        0.27, 0.20, 0.28,   0.90, 0.90},     /* belly */
    {0, 0.16, 1.08,   -0.15, 0, 0,       0.36, 0.16, 0.36,   0.50, 0.70},     /* shell */
    {0, -0.10, 1.60,  0, 0, 0,           0.21, 0.22, 0.22,   0.80, 0.90},     /* head */
    {0, -0.33, 1.54,  1.45, 0, 0,        0.10, 0.09, 0.18,   0.70, 0.90},     /* snout */
    {0.05, 0.42, 0.57, 0.95, 0.15, 0,    0.09, 0.10, 0.36,   0.90, 1.00},     /* tail */
    {0.02, 0.72, 0.36, 0.40, 0, 0,       0.12, 0.13, 0.12,   0.80, 0.80},     /* its club */
    {0.17, -0.02, 1.83, 0, 0.45, 0,      0.08, 0.05, 0.17,   0.90, 0.70},     /* ear */
    {0.47, -0.05, 1.20, 0, 2.10, 0,      0.11, 0.11, 0.25,   0.80, 0.90},     /* upper arm */
    {0.66, -0.26, 1.06, 1.25, 0, 0.20,   0.09, 0.10, 0.24,   0.60, 0.80},     /* forearm */
    {0.22, -0.03, 0.53, -0.12, 0.12, 0,  0.15, 0.17, 0.29,   0.80, 0.90},     /* thigh */
    {0.25, -0.01, 0.22, 0.10, 0, 0,      0.11, 0.12, 0.23,   0.50, 0.80},     /* shin */
    {0, -0.10, 0.05, 0, 0, 0,            0.40, 0.27, 0.07,   0.30, 0.50}
};
static const object_row object_screwdriver[] = {
    {0, 0.34, 0,          1.5708, 0, 0,  0.12, 0.12, 0.34,   0.4, 0.8},      /* handle, */
    {0, 0.68, 0,          1.5708, 0, 0,  0.10, 0.10, 0.10,   0.8, 1.0},      /* its end */
    {0, -0.03, 0,         1.5708, 0, 0,  0.075, 0.075, 0.09, 0.6, 1.0},      /* collar */
    {0, -0.48, 0,         1.5708, 0, 0,  0.045, 0.045, 0.50, 0.3, 1.0},      /* shaft, */
    {0, -0.98, 0,         1.5708, 0, 0,  0.07, 0.03, 0.10,   0.6, 0.6}       /* its tip */
};

/* names, parts, vertices, and a grid around them */
#define OBJECT_ROWS(rows) rows, (int)(sizeof rows/sizeof rows[0])
static const struct { const char *name; const object_row *row; int rows, vertices; dc_grid grid; } object_table[OBJECT_KINDS] = {
    {"toy", OBJECT_ROWS(object_toy), TOY_VERTICES,
     {{DC_R(-0.95), DC_R(-0.7), DC_R(-0.15)}, {DC_R(0.95), DC_R(0.8), DC_R(2.05)}, 37, 30, 43}},
    {"aeroplane", OBJECT_ROWS(object_aeroplane), 584,
     {{DC_R(-1.35), DC_R(-1.2), DC_R(-0.5)}, {DC_R(1.35), DC_R(1.2), DC_R(0.65)}, 82, 73, 36}},
    {"drill", OBJECT_ROWS(object_drill), 276,
     {{DC_R(-0.35), DC_R(-1.2), DC_R(-0.6)}, {DC_R(0.35), DC_R(0.6), DC_R(0.85)}, 26, 67, 54}},
    {"figure", OBJECT_ROWS(object_figure), 305,
     {{DC_R(-0.95), DC_R(-0.8), DC_R(-0.15)}, {DC_R(0.95), DC_R(0.95), DC_R(2.15)}, 41, 37, 49}},
    {"screwdriver", OBJECT_ROWS(object_screwdriver), 165,
     {{DC_R(-0.25), DC_R(-1.25), DC_R(-0.25)}, {DC_R(0.25), DC_R(0.95), DC_R(0.25)}, 31, 133, 31}}
};

/* Field and mesh point into this struct: it stays where it is. volume and inertia are of its mesh, density 1, the latter
 * about the origin in the object's axes. A surface with one handle has 2V triangles and 3V edges. */
typedef struct {
    dc_sdf_prim part[OBJECT_PARTS];
    dc_v3       v[OBJECT_VERTICES];
    int         tri[6*OBJECT_VERTICES], edge[6*OBJECT_VERTICES];
    dc_sdf      field;
    dc_mesh     mesh;
    dc_sdf_mesh_info info;
    dc_real     volume, radius;         /* radius: about the origin, of all vertices */
    dc_m3       inertia;
} object;

static inline dc_sdf_prim object_part(const double *r, double side)
{
    dc_sdf_prim p = DC_ZERO;
    p.kind = DC_SDF_SUPERQUADRIC;
    p.pose.t = dc_vec((dc_real)(side*r[0]), (dc_real)r[1], (dc_real)r[2]);
    p.pose.q = dc_quat_exp(dc_vec((dc_real)r[3], (dc_real)(side*r[4]), (dc_real)(side*r[5])));
    p.size = dc_vec((dc_real)r[6], (dc_real)r[7], (dc_real)r[8]);
    p.eps1 = (dc_real)r[9];
    p.eps2 = (dc_real)r[10];
    return p;
}

/* The parts of a table, and the mirror images of those off the middle; their number. */
static inline int object_parts(const object_row *row, int rows, dc_sdf_prim *part)
{
    int k, n = 0;

    for (k = 0; k < rows; k++) {
        part[n++] = object_part(row[k], 1);
        if (row[k][0] > 0.1) part[n++] = object_part(row[k], -1);
    }
    return n;
}

/* Volume, centre and inertia about the centre of a closed mesh: tetrahedra from the origin over its triangles, of which
 * the second moments are  det/120 (sum over corners of x x^T + s s^T),  s the sum of the corners. */
static inline void object_moments(const dc_mesh *m, dc_real *volume, dc_v3 *centre, dc_m3 *inertia)
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

/* Makes it of its first parts, with as many vertices; mem is scratch, 32 MB are enough, for the toy 4. */
static inline dc_status object_make_of(object *o, int kind, int parts, int vertices, dc_arena *mem)
{
    dc_sdf_mesh_options opt = DC_ZERO;
    size_t    used = mem->used;
    dc_mesh   mesh;
    dc_v3     centre;
    dc_status s;
    int       i;

    memset(o, 0, sizeof *o);
    o->field.prim = o->part;
    o->field.tau = DC_R(0.02);
    o->field.n = object_parts(object_table[kind].row, object_table[kind].rows, o->part);
    if (parts < o->field.n) o->field.n = parts;
    opt.vertices = vertices;
    s = dc_sdf_mesh(&opt, &o->field, &object_table[kind].grid, mem, &mesh, &o->info);
    if (s == DC_OK && mesh.nt > 2*OBJECT_VERTICES) s = DC_E_RANGE;
    if (s == DC_OK) {
        object_moments(&mesh, &o->volume, &centre, &o->inertia);
        for (i = 0; i < mesh.nv; i++) {
            o->v[i] = dc_sub(mesh.v[i], centre);
            o->radius = dc_max(o->radius, dc_sqrt(dc_dot(o->v[i], o->v[i])));
        }
        for (i = 0; i < o->field.n; i++) o->part[i].pose.t = dc_sub(o->part[i].pose.t, centre);
        memcpy(o->tri, mesh.tri, 3*(size_t)mesh.nt*sizeof *o->tri);
        memcpy(o->edge, mesh.edge, 2*(size_t)mesh.ne*sizeof *o->edge);
        o->mesh = mesh;
        o->mesh.v = o->v;
        o->mesh.tri = o->tri;
        o->mesh.edge = o->edge;
    }
    mem->used = used;
    return s;
}

/* all of it */
static inline dc_status object_make(object *o, int kind, dc_arena *mem)
{
    return object_make_of(o, kind, OBJECT_PARTS, object_table[kind].vertices, mem);
}

/* The ground, all below z = 0. Its one vertex is for no contact: no_vs_b. It points into itself. */
typedef struct { dc_v3 up, origin; dc_sdf_prim part; dc_sdf field; dc_mesh mesh; } object_ground;

static inline void object_ground_make(object_ground *g)
{
    memset(g, 0, sizeof *g);
    g->up.z = 1;
    g->part.kind = DC_SDF_POLYHEDRON;
    g->part.pose.q.w = 1;
    g->part.count = 1;
    g->part.n = &g->up;
    g->part.p = &g->origin;
    g->field.prim = &g->part;
    g->field.n = 1;
    g->mesh.v = &g->origin;
    g->mesh.nv = 1;
}

#endif /* OBJECTS_H_INCLUDED */
