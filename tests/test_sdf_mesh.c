/* Meshes of fields: closed, oriented, on the zero set. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "figure.h"

enum { BYTES = 1 << 24 };
static unsigned char memory[BYTES];
static int stamp[1 << 20];

/* 0 when every edge is in two triangles that run through it in opposite directions and every vertex has one fan of them;
 * else a number that says what is wrong */
static int flaw_of(const dc_mesh *m)
{
    int e, t, k, v, *start, *list;
    static int room[1 << 20];
    start = room;
    list = room + m->nv + 1;
    if (m->nv + 1 + 3*m->nt > 1 << 20) return 9;
    /* directed edges, by their first vertex */
    memset(start, 0, (size_t)(m->nv + 1)*sizeof *start);
    for (k = 0; k < 3*m->nt; ++k) {
        if (m->tri[k] < 0 || m->tri[k] >= m->nv) return 1;
        start[m->tri[k]]++;
    }
    for (v = 0, e = 0; v <= m->nv; ++v) {
        k = start[v];
        start[v] = e;
        e += v < m->nv ? k : 0;
    }
    for (k = 0; k < m->nv; ++k) stamp[k] = 0;
    for (t = 0; t < m->nt; ++t)
        for (k = 0; k < 3; ++k) {
            int a = m->tri[3*t + k];
            list[start[a] + stamp[a]++] = 3*t + k;
        }
    for (v = 0; v < m->nv; ++v) {
        int n = start[v + 1] - start[v], turns = 0, at, from;
        if (n < 3) return 2;
        /* around the vertex: from the triangle (v, b, c) to the one that starts with (v, c) */
        from = at = list[start[v]];
        do {
            int c = m->tri[at - at%3 + (at%3 + 2)%3], next = -1, found = 0;
            for (k = start[v]; k < start[v + 1]; ++k) {
                int o = list[k];
                if (m->tri[o - o%3 + (o%3 + 1)%3] == c) {
                    next = o;
                    ++found;
                }
            }
            if (found != 1) return 3;
            at = next;
        } while (++turns < n && at != from);
        if (turns != n || at != from) return 4;
    }
    /* edges: as many as half the directed ones, rising, each in a triangle */
    if (2*m->ne != 3*m->nt) return 5;
    for (e = 0; e < m->ne; ++e) {
        int a = m->edge[2*e], b = m->edge[2*e + 1], found = 0;
        if (a >= b || (e > 0 && (a < m->edge[2*e - 2] || (a == m->edge[2*e - 2] && b <= m->edge[2*e - 1])))) return 6;
        for (k = start[a]; k < start[a + 1]; ++k) found += m->tri[list[k] - list[k]%3 + (list[k]%3 + 1)%3] == b;
        if (found != 1) return 7;
    }
    return 0;
}

static double volume_of(const dc_mesh *m)
{
    double v = 0;
    int t;
    for (t = 0; t < m->nt; ++t) {
        const int *i = m->tri + 3*t;
        v += (double)dc_dot(m->v[i[0]], dc_cross(m->v[i[1]], m->v[i[2]]))/6;
    }
    return v;
}

static dc_sdf_prim prim_zero(dc_sdf_kind kind)
{
    dc_sdf_prim p = DC_ZERO;
    p.kind = kind;
    p.pose.q.w = 1;
    p.size = dc_vec(1, 1, 1);
    p.eps1 = p.eps2 = 1;
    return p;
}

static dc_grid grid_of(double half, int n)
{
    dc_grid g;
    g.lo = dc_vec((dc_real)-half, (dc_real)-half, (dc_real)-half);
    g.hi = dc_vec((dc_real)half, (dc_real)half, (dc_real)half);
    g.nx = g.ny = g.nz = n;
    return g;
}

TEST ball(void)
{
    dc_sdf_prim p = prim_zero(DC_SDF_SPHERE);
    dc_sdf s;
    dc_arena mem = dc_arena_make(memory, BYTES);
    dc_grid g = grid_of(1.4, 15);
    dc_mesh m;
    dc_sdf_mesh_info info;
    s.prim = &p; s.n = 1; s.tau = 0;
    ASSERT_EQ(DC_OK, dc_sdf_mesh(NULL, &s, &g, &mem, &m, &info));
    printf("  raw %d %d, left %d %d %d, residual %g, volume %g of %g\n", info.nv, info.nt, m.nv, m.nt, m.ne, (double)info.residual, volume_of(&m), 4*3.14159265358979/3);
    ASSERT_EQ(0, flaw_of(&m));
    ASSERT_EQ(2, m.nv - m.ne + m.nt);
    ASSERT((double)info.residual < 32*EPS);
    ASSERT(fabs(volume_of(&m) - 4.18879) < 0.15);
    PASS();
}

/* The figure's mesh in tests/data is a mesh of the figure's field: closed, one hole, on the zero set, and what dc_sdf_mesh gives. */
TEST figure_of_the_data(void)
{
    static figure_memory room;
    dc_mesh m;
    dc_sdf_prim prim[FIGURE_LOBES];
    dc_sdf s = figure_make(prim);
    worst w = worst_make("field at the vertices");
    int k;
    ASSERT(figure_mesh(&room, &m));
    ASSERT_EQ(0, flaw_of(&m));
    ASSERT_EQ(0, m.nv - m.ne + m.nt);
    for (k = 0; k < m.nv; ++k) {
        dc_real v = 1;
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, m.v[k], &v, NULL, NULL));
        worst_add(&w, fabs((double)v), "vertex %d", k);
    }
    ASSERT(worst_print(&w, 64*EPS));
    PASS();
}

GREATEST_MAIN_DEFS();
int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(ball);
    RUN_TEST(figure_of_the_data);
    GREATEST_MAIN_END();
}
