/* figure.h - a lobed figure of 18 superquadrics, non-convex, two units tall; include it after dc_sdf.h and support.h
 *
 * It stands on z = 0, looks along -y and is symmetric about x = 0 but for its tail. tests/data/figure.txt is its mesh, made
 * by tests/tools/figure.c.
 */
#ifndef DC_TEST_FIGURE_H_INCLUDED
#define DC_TEST_FIGURE_H_INCLUDED

#include "objects.h"

enum { FIGURE_LOBES = 18, FIGURE_VERTICES = 305, FIGURE_TRIANGLES = 610, FIGURE_EDGES = 915 };
#define FIGURE_TAU 0.02
#define FIGURE_SIZE 2.0

/* The field of the figure, over the primitives given. */
static inline dc_sdf figure_make(dc_sdf_prim prim[FIGURE_LOBES])
{
    dc_sdf s;
    s.prim = prim;
    s.n = object_parts(OBJECT_ROWS(object_figure), prim);
    s.tau = (dc_real)FIGURE_TAU;
    return s;
}

/* a grid that holds it, n points along its height */
static inline dc_grid figure_grid(int n)
{
    dc_grid g;
    g.lo = dc_vec((dc_real)-0.95, (dc_real)-0.80, (dc_real)-0.15);
    g.hi = dc_vec((dc_real)0.95, (dc_real)0.95, (dc_real)2.15);
    g.nx = (int)(0.5 + 1.90/2.30*(n - 1)) + 1;
    g.ny = (int)(0.5 + 1.75/2.30*(n - 1)) + 1;
    g.nz = n;
    return g;
}

typedef struct { dc_v3 v[FIGURE_VERTICES]; int tri[3*FIGURE_TRIANGLES], edge[2*FIGURE_EDGES]; } figure_memory;

/* Its mesh, from tests/data/figure.txt; 0 when it cannot be read. */
static inline int figure_mesh(figure_memory *m, dc_mesh *mesh)
{
    table t;
    int k, nv = 0, nt = 0, ne = 0, ok;
    double x[3];
    if (!table_open(&t, "figure.txt")) return 0;
    ok = table_expect(&t, "vertices") && table_int(&t, &nv) && nv == FIGURE_VERTICES;
    for (k = 0; ok && k < nv; ++k) {
        ok = table_reals(&t, x, 3);
        m->v[k] = dc_vec((dc_real)x[0], (dc_real)x[1], (dc_real)x[2]);
    }
    ok = ok && table_expect(&t, "triangles") && table_int(&t, &nt) && nt == FIGURE_TRIANGLES;
    for (k = 0; ok && k < 3*nt; ++k) ok = table_int(&t, &m->tri[k]);
    ok = ok && table_expect(&t, "edges") && table_int(&t, &ne) && ne == FIGURE_EDGES;
    for (k = 0; ok && k < 2*ne; ++k) ok = table_int(&t, &m->edge[k]);
    table_close(&t);
    mesh->v = m->v;
    mesh->tri = m->tri;
    mesh->edge = m->edge;
    mesh->nv = nv;
    mesh->nt = nt;
    mesh->ne = ne;
    return ok;
}

#endif /* DC_TEST_FIGURE_H_INCLUDED */
