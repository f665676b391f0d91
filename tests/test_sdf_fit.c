/* Superquadrics fitted to sampled fields. */
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
#include "closed.h"

enum { BYTES = 1 << 24, GRID = 130000 };
static unsigned char memory[BYTES];
static dc_real phi[GRID];

static dc_sdf_prim lobe(double x, double y, double z, double a, double b, double c, double e)
{
    dc_sdf_prim p = DC_ZERO;
    p.kind = DC_SDF_SUPERQUADRIC;
    p.pose.q = dc_quat_exp(dc_vec((dc_real)(x/2), (dc_real)0.4, (dc_real)y));
    p.pose.t = dc_vec((dc_real)x, (dc_real)y, (dc_real)z);
    p.size = dc_vec((dc_real)a, (dc_real)b, (dc_real)c);
    p.eps1 = p.eps2 = (dc_real)e;
    return p;
}

/* three lobes in Taubin's form, a distance near the surface, on an n^3 grid */
static dc_sdf three_lobes(dc_sdf_prim *p, dc_grid *g, int n)
{
    dc_sdf s;
    int i, j, k, at = 0;
    p[0] = lobe(0, 0, 0, 0.7, 0.5, 0.6, 0.6);
    p[1] = lobe(0.9, 0.2, 0.1, 0.55, 0.35, 0.35, 1);
    p[2] = lobe(-0.6, -0.6, 0.5, 0.35, 0.45, 0.55, 0.8);
    p[0].taubin = p[1].taubin = p[2].taubin = 1;
    s.prim = p;
    s.n = 3;
    s.tau = 0;
    g->lo = dc_vec(DC_R(-1.6), DC_R(-1.6), DC_R(-1.6));
    g->hi = dc_vec(DC_R(1.6), DC_R(1.6), DC_R(1.6));
    g->nx = g->ny = g->nz = n;
    for (k = 0; k < n; ++k)
        for (j = 0; j < n; ++j)
            for (i = 0; i < n; ++i, ++at)
                dc_sdf_eval(&s, dc_vec((dc_real)(i*3.2/(n - 1) - 1.6), (dc_real)(j*3.2/(n - 1) - 1.6), (dc_real)(k*3.2/(n - 1) - 1.6)),
                            &phi[at], NULL, NULL);
    return s;
}

TEST three_lobes_are_found(void)
{
    dc_sdf_prim p[3], q[32];
    dc_grid g;
    dc_sdf_fit_info info = DC_ZERO;
    dc_arena mem = dc_arena_make(memory, BYTES);
    int n = 0;
    if (sweep_count(100) < 100) SKIPm("some cells are enough: a fit takes long without optimisation");
    three_lobes(p, &g, 20);
    ASSERT_EQ(DC_OK, dc_sdf_fit(NULL, &g, phi, &mem, q, &n, &info));
    printf("  %d superquadrics, residual %.3g, covered %.4g\n", n, (double)info.residual, (double)info.covered);
    ASSERT(mem.used == 0);
    ASSERT(n >= 3 && n <= 5);
    ASSERT((double)info.residual < 0.02);
    ASSERT((double)info.covered > 0.95);
    PASS();
}

TEST the_same_input_gives_the_same_bits(void)
{
    dc_sdf_prim p[3], q[32], r[32];
    dc_grid g;
    dc_sdf_fit_options o = DC_ZERO;
    size_t bytes;
    dc_arena mem;
    int n = 0, m = 0;
    three_lobes(p, &g, 12);
    o.steps = 3;
    bytes = dc_sdf_fit_bytes(&g);
    mem = dc_arena_make(memory, bytes);
    ASSERT_EQ(DC_OK, dc_sdf_fit(&o, &g, phi, &mem, q, &n, NULL));
    ASSERT(n > 0);
    memset(memory, 0xa5, 2*bytes);
    mem = dc_arena_make(memory + 3, bytes);
    ASSERT_EQ(DC_OK, dc_sdf_fit(&o, &g, phi, &mem, r, &m, NULL));
    ASSERT_EQ(n, m);
    ASSERT(memcmp(q, r, (size_t)n*sizeof *q) == 0);
    PASS();
}

TEST capacity_and_memory(void)
{
    dc_sdf_prim p[3], q[32];
    dc_grid g;
    dc_sdf_fit_options o = DC_ZERO;
    dc_arena mem = dc_arena_make(memory, BYTES);
    size_t bytes, less;
    int n = 0;
    three_lobes(p, &g, 20);
    o.capacity = 1;
    o.steps = 5;
    ASSERT_EQ(DC_E_DIVERGED, dc_sdf_fit(&o, &g, phi, &mem, q, &n, NULL));
    ASSERT_EQ(1, n);
    bytes = dc_sdf_fit_bytes(&g);
    n = -5;
    for (less = DC_ALIGN; less < bytes; less += 1 + bytes/97) {
        mem = dc_arena_make(memory, bytes - less);
        ASSERT_EQ(DC_E_MEMORY, dc_sdf_fit(NULL, &g, phi, &mem, q, &n, NULL));
        ASSERT(n == -5 && mem.used == 0);
    }
    PASS();
}

/* The figure from its mesh of 305 vertices: at least 95 % of random points of the mesh are within 2 % of the figure's
 * size of the fit; the fit's mesh is closed and on its zero set. */
TEST the_figure(void)
{
    static figure_memory room;
    dc_mesh m, fitted;
    dc_grid g = figure_grid(56);
    dc_arena mem = dc_arena_make(memory, BYTES);
    dc_sdf_prim q[32];
    dc_sdf s;
    dc_sdf_fit_info info = DC_ZERO;
    worst off = worst_make("mesh of the fit, off its zero set");
    long near = 0, all = 0;
    int n = 0, t, k;
    rng r;
    if (sweep_count(100) < 100) SKIPm("one cell is enough: it takes seconds");
    ASSERT(figure_mesh(&room, &m));
    ASSERT((size_t)g.nx*(size_t)g.ny*(size_t)g.nz <= GRID);
    ASSERT_EQ(DC_OK, dc_sdf_sample(&m, &g, phi));
    ASSERT_EQ(DC_OK, dc_sdf_fit(NULL, &g, phi, &mem, q, &n, &info));
    s.prim = q;
    s.n = n;
    s.tau = (dc_real)FIGURE_TAU;
    rng_seed(&r, 1);
    for (t = 0; t < m.nt; ++t)
        for (k = 0; k < 10; ++k) {
            const int *v = m.tri + 3*t;
            double a = rng_uniform(&r, 0, 1), b = rng_uniform(&r, 0, 1);
            dc_real f = 1, grad[3] = {0, 0, 0};
            dc_v3 x;
            if (a + b > 1) {
                a = 1 - a;
                b = 1 - b;
            }
            x = dc_add(dc_scale((dc_real)a, m.v[v[0]]), dc_add(dc_scale((dc_real)b, m.v[v[1]]), dc_scale((dc_real)(1 - a - b), m.v[v[2]])));
            ASSERT_EQ(DC_OK, dc_sdf_eval(&s, x, &f, grad, NULL));
            near += fabs((double)f) <= 0.02*FIGURE_SIZE*sqrt((double)(grad[0]*grad[0] + grad[1]*grad[1] + grad[2]*grad[2]));
            ++all;
        }
    printf("  %d superquadrics, residual %.3g, covered %.4g, %.2f %% within 2 %%\n", n, (double)info.residual, (double)info.covered,
           100.0*(double)near/(double)all);
    ASSERT(100*near >= 95*all);
    ASSERT(n <= 24 && (double)info.residual < 0.03 && (double)info.covered > 0.85);
    ASSERT_EQ(DC_OK, dc_sdf_mesh(NULL, &s, &g, &mem, &fitted, NULL));
    ASSERT(fitted.nv > 1000);
    ASSERT_EQ(0, closed_flaw(&fitted));
    for (k = 0; k < fitted.nv; ++k) {
        dc_real f = 1;
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, fitted.v[k], &f, NULL, NULL));
        worst_add(&off, fabs((double)f), "vertex %d", k);
    }
    ASSERT(worst_print(&off, DC_IS_FLOAT ? 1e-5 : 1e-6));
    PASS();
}

GREATEST_MAIN_DEFS();
int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(three_lobes_are_found);
    RUN_TEST(the_same_input_gives_the_same_bits);
    RUN_TEST(capacity_and_memory);
    RUN_TEST(the_figure);
    GREATEST_MAIN_END();
}
