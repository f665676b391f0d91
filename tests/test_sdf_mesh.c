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
#include "field.h"
#include "figure.h"
#include "closed.h"

enum { BYTES = 1 << 24 };
static unsigned char memory[BYTES];

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
    dc_sdf s = sdf_of(&p, 1, 0);
    dc_arena mem = dc_arena_make(memory, BYTES);
    dc_grid g = grid_of(1.4, 15);
    dc_mesh m;
    dc_sdf_mesh_info info;
    ASSERT_EQ(DC_OK, dc_sdf_mesh(NULL, &s, &g, &mem, &m, &info));
    ASSERT_EQ(0, closed_flaw(&m));
    ASSERT_EQ(2, m.nv - m.ne + m.nt);
    ASSERT((double)info.residual < 32*EPS);
    ASSERT(fabs(volume_of(&m) - 4.18879) < 0.15);
    ASSERT(m.nv < info.nv && m.nt < info.nt);
    PASS();
}

static dc_v3 random_vec(rng *r, double size)
{
    double x = rng_uniform(r, -size, size), y = rng_uniform(r, -size, size), z = rng_uniform(r, -size, size);
    return dc_vec((dc_real)x, (dc_real)y, (dc_real)z);
}

/* Unions and differences of boxes, balls and superquadrics on grids too coarse for them: the mesh is closed, oriented and
 * without a pinch, and its vertices are on the zero set. */
TEST random_fields_on_coarse_grids(void)
{
    enum { PARTS = 8 };
    worst off = worst_make("off the zero set, over the step");
    long k, n = sweep_count(60), surfaces = 0;
    rng r;
    rng_seed(&r, 5);
    for (k = 0; k < n; ++k) {
        dc_sdf_prim p[PARTS];
        dc_sdf s = sdf_of(p, PARTS, k % 3 == 0 ? 0 : DC_R(0.02));
        dc_arena mem = dc_arena_make(memory, BYTES);
        dc_grid g = grid_of(2.6, rng_int(&r, 6, 22));
        dc_sdf_mesh_options o = DC_ZERO;
        dc_sdf_mesh_info info = DC_ZERO;
        dc_mesh m;
        dc_status e;
        int i;
        static const dc_sdf_kind kind[4] = {DC_SDF_SUPERQUADRIC, DC_SDF_BOX, DC_SDF_SPHERE, DC_SDF_CAPSULE};
        for (i = 0; i < PARTS; ++i) {
            p[i] = prim_zero(kind[(i + k) % 4]);
            p[i].pose.t = random_vec(&r, 1);
            p[i].pose.q = dc_quat_exp(random_vec(&r, 2));
            p[i].size = dc_add(dc_vec(DC_R(0.45), DC_R(0.45), DC_R(0.45)), random_vec(&r, 0.4));
            p[i].eps1 = (dc_real)rng_uniform(&r, 0.1, 1);
            p[i].eps2 = (dc_real)rng_uniform(&r, 0.1, 1);
            p[i].subtract = i > 0 && i % 3 == 0;
        }
        o.vertices = k % 2 == 0 ? 0 : 60;
        e = dc_sdf_mesh(&o, &s, &g, &mem, &m, &info);
        ASSERT(e == DC_OK || (e == DC_E_DIVERGED && m.nv > 60));
        if (closed_flaw(&m) != 0) printf("  field %ld: flaw %d\n", k, closed_flaw(&m));
        ASSERT_EQ(0, closed_flaw(&m));
        surfaces += m.nt > 0;
        worst_add(&off, (double)info.residual/(5.2/(g.nx - 1)), "field %ld", k);
        for (i = 0; i < m.nv; ++i) {
            dc_real v = 1, grad[3] = {0, 0, 0};
            ASSERT_EQ(DC_OK, dc_sdf_eval(&s, m.v[i], &v, grad, NULL));
            ASSERT(fabs((double)v) < (DC_IS_FLOAT ? 1e-4 : 1e-12));
        }
    }
    ASSERT(surfaces > n/2);
    ASSERT(worst_print(&off, DC_IS_FLOAT ? 1e-3 : 1e-10));
    PASS();
}

/* The result does not depend on where the memory is or how much more there is; dc_sdf_mesh_bytes is enough and not a byte
 * too much but for alignment. */
TEST memory_is_exact(void)
{
    dc_sdf_prim p = prim_zero(DC_SDF_BOX);
    dc_sdf s = sdf_of(&p, 1, 0);
    dc_grid g = grid_of(1.5, 12);
    dc_sdf_mesh_info info = DC_ZERO;
    dc_mesh m, again;
    dc_arena mem = dc_arena_make(memory, dc_sdf_mesh_bytes(&g, 0, 0));
    size_t bytes, less;
    memset(&m, 0, sizeof m);
    ASSERT_EQ(DC_E_MEMORY, dc_sdf_mesh(NULL, &s, &g, &mem, &m, &info));
    ASSERT(info.nv > 0 && info.nt > 0 && mem.used == 0 && m.nv == 0);
    bytes = dc_sdf_mesh_bytes(&g, info.nv, info.nt);
    for (less = 1; less < bytes; less += 1 + bytes/13) {
        mem = dc_arena_make(memory + BYTES/2 + DC_ALIGN - (size_t)(memory + BYTES/2)%DC_ALIGN + 1, bytes - less);
        if (less > DC_ALIGN) ASSERT_EQ(DC_E_MEMORY, dc_sdf_mesh(NULL, &s, &g, &mem, &m, NULL));
    }
    mem = dc_arena_make(memory, bytes);
    ASSERT_EQ(DC_OK, dc_sdf_mesh(NULL, &s, &g, &mem, &m, NULL));
    ASSERT_EQ(0, closed_flaw(&m));
    mem = dc_arena_make(memory + BYTES/2 + 1, BYTES/2 - 1);
    ASSERT_EQ(DC_OK, dc_sdf_mesh(NULL, &s, &g, &mem, &again, NULL));
    ASSERT_EQ(m.nv, again.nv);
    ASSERT_EQ(m.nt, again.nt);
    ASSERT_EQ(m.ne, again.ne);
    ASSERT(memcmp(m.v, again.v, (size_t)m.nv*sizeof *m.v) == 0);
    ASSERT(memcmp(m.tri, again.tri, (size_t)m.nt*3*sizeof *m.tri) == 0);
    ASSERT(memcmp(m.edge, again.edge, (size_t)m.ne*2*sizeof *m.edge) == 0);
    PASS();
}

TEST surfaces_that_leave_the_grid_are_refused(void)
{
    dc_sdf_prim p = prim_zero(DC_SDF_SPHERE);
    dc_sdf s = sdf_of(&p, 1, 0);
    dc_grid g = grid_of(0.9, 12);
    dc_arena mem = dc_arena_make(memory, BYTES);
    dc_mesh m;
    memset(&m, 0x55, sizeof m);
    ASSERT_EQ(DC_E_RANGE, dc_sdf_mesh(NULL, &s, &g, &mem, &m, NULL));
    ASSERT(m.nv == 0x55555555 && mem.used == 0);
    /* nothing inside: an empty mesh */
    g.lo = dc_vec(2, 2, 2);
    g.hi = dc_vec(3, 3, 3);
    ASSERT_EQ(DC_OK, dc_sdf_mesh(NULL, &s, &g, &mem, &m, NULL));
    ASSERT(m.nv == 0 && m.nt == 0 && m.ne == 0);
    PASS();
}

/* dc_sdf_sample against the field of a ball's fine mesh, inside and out; an open mesh and a degenerate triangle are no harm */
TEST samples_of_a_mesh(void)
{
    static dc_real phi[12*13*14];
    dc_sdf_prim p = prim_zero(DC_SDF_SPHERE);
    dc_sdf s = sdf_of(&p, 1, 0);
    dc_arena mem = dc_arena_make(memory, BYTES);
    dc_grid g = grid_of(1.3, 21), q = grid_of(1.6, 12);
    dc_mesh m;
    worst w = worst_make("distance to a ball's mesh");
    int i, j, k, at = 0;
    q.ny = 13;
    q.nz = 14;
    ASSERT_EQ(DC_OK, dc_sdf_mesh(NULL, &s, &g, &mem, &m, NULL));
    ASSERT_EQ(DC_OK, dc_sdf_sample(&m, &q, phi));
    for (k = 0; k < 14; ++k)
        for (j = 0; j < 13; ++j)
            for (i = 0; i < 12; ++i, ++at) {
                double x = -1.6 + 3.2*i/11, y = -1.6 + 3.2*j/12, z = -1.6 + 3.2*k/13, d = sqrt(x*x + y*y + z*z) - 1;
                worst_add(&w, fabs((double)phi[at] - d), "%d %d %d", i, j, k);
            }
    ASSERT(worst_print(&w, 0.01));      /* what the triangles cut off the ball */
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
    ASSERT_EQ(0, closed_flaw(&m));
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
    RUN_TEST(random_fields_on_coarse_grids);
    RUN_TEST(memory_is_exact);
    RUN_TEST(surfaces_that_leave_the_grid_are_refused);
    RUN_TEST(samples_of_a_mesh);
    RUN_TEST(figure_of_the_data);
    GREATEST_MAIN_END();
}
