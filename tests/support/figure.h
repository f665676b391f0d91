/* figure.h - a lobed figure of 18 superquadrics, non-convex, two units tall; include it after dc_sdf.h and support.h
 *
 * It stands on z = 0, looks along -y and is symmetric about x = 0 but for its tail. tests/data/figure.txt is its mesh, made
 * by tests/tools/figure.c.
 */
#ifndef DC_TEST_FIGURE_H_INCLUDED
#define DC_TEST_FIGURE_H_INCLUDED

enum { FIGURE_LOBES = 18, FIGURE_VERTICES = 305, FIGURE_TRIANGLES = 610, FIGURE_EDGES = 915 };
#define FIGURE_TAU 0.02
#define FIGURE_SIZE 2.0

/* A lobe: centre, then the rotation vector that turns it from its axes, then half axes, then exponents. Those with x > 0 are
 * followed by their mirror image. */
static const double figure_lobe[12][11] = {
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
    {0.25, -0.01, 0.22, 0.10, 0, 0,      0.11, 0.12, 0.23,   0.50, 0.80}      /* shin */
};
/* the last lobe makes the feet one base, so that the figure has a hole between its legs */
static const double figure_base[11] = {0, -0.10, 0.05, 0, 0, 0, 0.40, 0.27, 0.07, 0.30, 0.50};

static inline dc_sdf_prim figure_prim(const double *r, double side)
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

/* The field of the figure, over the primitives given. */
static inline dc_sdf figure_make(dc_sdf_prim prim[FIGURE_LOBES])
{
    dc_sdf s;
    int k, n = 0;
    for (k = 0; k < 12; ++k) {
        prim[n++] = figure_prim(figure_lobe[k], 1);
        if (k > 6) prim[n++] = figure_prim(figure_lobe[k], -1);
    }
    prim[n++] = figure_prim(figure_base, 1);
    s.prim = prim;
    s.n = n;
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
