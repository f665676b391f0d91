/* mesh.h - triangle meshes for tests and benches; include it after dc_contact.h */
#ifndef DC_TEST_MESH_H_INCLUDED
#define DC_TEST_MESH_H_INCLUDED

#include <math.h>

#define MESH_VERTICES 4300
#define MESH_TRIANGLES 8192

typedef struct { int nv, nt; dc_v3 v[MESH_VERTICES]; int tri[3*MESH_TRIANGLES]; } mesh;

DC_INLINE int mesh_vertex(mesh *m, double x, double y, double z)
{
    m->v[m->nv] = dc_vec((dc_real)x, (dc_real)y, (dc_real)z);
    return m->nv++;
}

DC_INLINE void mesh_triangle(mesh *m, int a, int b, int c)
{
    int *t = m->tri + 3*m->nt++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* On the unit sphere half-way between a and b; one for each edge. */
DC_INLINE int mesh_middle(mesh *m, int a, int b, int first)
{
    double x = (double)(m->v[a].x + m->v[b].x), y = (double)(m->v[a].y + m->v[b].y), z = (double)(m->v[a].z + m->v[b].z), s = 1/sqrt(x*x + y*y + z*z);
    int k;
    x *= s;
    y *= s;
    z *= s;
    for (k = first; k < m->nv; ++k)
        if (fabs((double)m->v[k].x - x) + fabs((double)m->v[k].y - y) + fabs((double)m->v[k].z - z) < 1e-5) return k;
    return mesh_vertex(m, x, y, z);
}

/* Unit sphere, 20*4^level triangles. */
DC_INLINE void mesh_icosphere(mesh *m, int level)
{
    static const int face[60] = {0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11, 1, 5, 9, 5, 11, 4, 11, 10, 2, 10, 7, 6, 7, 1, 8,
                                 3, 9, 4, 3, 4, 2, 3, 2, 6, 3, 6, 8, 3, 8, 9, 4, 9, 5, 2, 4, 11, 6, 2, 10, 8, 6, 7, 9, 8, 1};
    static int old[3*MESH_TRIANGLES];
    const double g = (1 + sqrt(5.0))/2, s = 1/sqrt(1 + g*g);
    int k, i;
    m->nv = m->nt = 0;
    for (k = 0; k < 12; ++k) {
        double p[3], one = k%2 ? s : -s, two = k%4 < 2 ? g*s : -g*s;
        p[k/4] = 0;                 /* cyclic permutations of (-+1, +-g, 0) */
        if (k < 4) { p[0] = one;  p[1] = two;  p[2] = 0; }
        else if (k < 8) { p[0] = 0;  p[1] = one;  p[2] = two; }
        else { p[0] = two;  p[1] = 0;  p[2] = one; }
        mesh_vertex(m, p[0], p[1], p[2]);
    }
    for (k = 0; k < 20; ++k) mesh_triangle(m, face[3*k], face[3*k + 1], face[3*k + 2]);
    for (i = 0; i < level; ++i) {
        int n = m->nt, first = m->nv;
        for (k = 0; k < 3*n; ++k) old[k] = m->tri[k];
        m->nt = 0;
        for (k = 0; k < n; ++k) {
            int a = old[3*k], b = old[3*k + 1], c = old[3*k + 2];
            int ab = mesh_middle(m, a, b, first), bc = mesh_middle(m, b, c, first), ca = mesh_middle(m, c, a, first);
            mesh_triangle(m, a, ab, ca);
            mesh_triangle(m, ab, b, bc);
            mesh_triangle(m, ca, bc, c);
            mesh_triangle(m, ab, bc, ca);
        }
    }
}

/* n x k cells of two triangles over the vertices first + i*across + j, both diagonals in turn */
DC_INLINE void mesh_grid(mesh *m, int first, int n, int k, int across)
{
    int i, j;
    for (i = 0; i < n; ++i)
        for (j = 0; j < k; ++j) {
            int a = first + i*across + j, b = a + 1, c = a + across, d = c + 1;
            if ((i + j)%2) {
                mesh_triangle(m, a, c, b);
                mesh_triangle(m, b, c, d);
            } else {
                mesh_triangle(m, a, c, d);
                mesh_triangle(m, a, d, b);
            }
        }
}

/* Open unit square in the plane z = 0 about the origin, 2 n^2 triangles. */
DC_INLINE void mesh_plate(mesh *m, int n)
{
    int i, j;
    m->nv = m->nt = 0;
    for (i = 0; i <= n; ++i)
        for (j = 0; j <= n; ++j) mesh_vertex(m, (double)i/n - 0.5, (double)j/n - 0.5, 0);
    mesh_grid(m, 0, n, n, n + 1);
}

/* Unit cube about the origin, 12 n^2 triangles; the faces do not share vertices. */
DC_INLINE void mesh_box(mesh *m, int n)
{
    int f, i, j;
    m->nv = m->nt = 0;
    for (f = 0; f < 6; ++f) {
        int first = m->nv;
        for (i = 0; i <= n; ++i)
            for (j = 0; j <= n; ++j) {
                double p[3], a = (double)i/n - 0.5, b = (double)j/n - 0.5;
                p[f%3] = f < 3 ? 0.5 : -0.5;
                p[(f + 1)%3] = f < 3 ? a : b;
                p[(f + 2)%3] = f < 3 ? b : a;
                mesh_vertex(m, p[0], p[1], p[2]);
            }
        mesh_grid(m, first, n, n, n + 1);
    }
}

/* sine and cosine, the same on every machine */
typedef struct { double s, c; } mesh_turn;

DC_INLINE mesh_turn mesh_angle(double a)
{
    mesh_turn t;
    dc_real   s, c;
    dc_sincos((dc_real)a, &s, &c);
    t.s = (double)s;
    t.c = (double)c;
    return t;
}

/* Torus about the z axis, radii 1 and r: 2 n k triangles. Not convex. */
DC_INLINE void mesh_torus(mesh *m, int n, int k, double r)
{
    const double pi2 = 6.283185307179586;
    int i, j;
    m->nv = m->nt = 0;
    for (i = 0; i <= n; ++i)
        for (j = 0; j <= k; ++j) {
            mesh_turn a = mesh_angle(pi2*(i%n)/n), b = mesh_angle(pi2*(j%k)/k);
            mesh_vertex(m, (1 + r*b.c)*a.c, (1 + r*b.c)*a.s, r*b.s);
        }
    mesh_grid(m, 0, n, k, k + 1);
}

/* Unit sphere of n slices and k stacks, 2 n (k - 1) triangles. */
DC_INLINE void mesh_sphere(mesh *m, int n, int k)
{
    const double pi = 3.141592653589793;
    int i, j, south, north;
    m->nv = m->nt = 0;
    for (i = 1; i < k; ++i)
        for (j = 0; j <= n; ++j) {
            mesh_turn a = mesh_angle(pi*i/k), b = mesh_angle(2*pi*(j%n)/n);
            mesh_vertex(m, a.s*b.c, a.s*b.s, -a.c);
        }
    mesh_grid(m, 0, k - 2, n, n + 1);
    south = mesh_vertex(m, 0, 0, -1);
    north = mesh_vertex(m, 0, 0, 1);
    for (j = 0; j < n; ++j) {
        mesh_triangle(m, south, j + 1, j);
        mesh_triangle(m, north, (k - 2)*(n + 1) + j, (k - 2)*(n + 1) + j + 1);
    }
}

/* Largest coordinate */
DC_INLINE double mesh_extent(const mesh *m)
{
    double e = 0;
    int k;
    for (k = 0; k < m->nv; ++k) e = fmax(e, fmax(fabs((double)m->v[k].x), fmax(fabs((double)m->v[k].y), fabs((double)m->v[k].z))));
    return e;
}

#endif /* DC_TEST_MESH_H_INCLUDED */
