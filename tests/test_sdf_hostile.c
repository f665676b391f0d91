/* Fields: input that is not what it should be. Outputs stay untouched, nothing is read or written outside. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

static unsigned char memory[1 << 20];
static const dc_v3 normals[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}};
static const dc_v3 points[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}};
static const dc_real sigmas[4] = {1, 1, 1, 1};

static dc_sdf_prim good(dc_sdf_kind kind)
{
    dc_sdf_prim p = DC_ZERO;
    p.kind = kind;
    p.pose.q.w = 1;
    p.size = dc_vec(1, DC_R(0.5), DC_R(0.75));
    p.eps1 = p.eps2 = DC_R(0.5);
    p.count = 4;
    p.n = normals;
    p.p = points;
    p.sigma = sigmas;
    return p;
}

static const dc_grid cube = {{-2, -2, -2}, {2, 2, 2}, 5, 5, 5};

/* every function that takes a field gives this status and leaves its outputs alone */
static int all_give(const dc_sdf *s, dc_status want)
{
    dc_real v, g[3], H[9], T[6], d[4*DC_SDF_PARAMS], x[3] = {DC_R(0.3), DC_R(0.2), DC_R(-0.4)};
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_sdf_out out;
    dc_mesh m;
    dc_sdf_mesh_info info;
    memset(&v, PATTERN, sizeof v);
    memset(g, PATTERN, sizeof g);
    memset(H, PATTERN, sizeof H);
    memset(T, PATTERN, sizeof T);
    memset(d, PATTERN, sizeof d);
    memset(&m, PATTERN, sizeof m);
    memset(&info, PATTERN, sizeof info);
    if (dc_sdf_eval(s, dc_vec(x[0], x[1], x[2]), &v, g, H) != want) return 0;
    if (dc_sdf_eval_params(s, dc_vec(x[0], x[1], x[2]), &v, d) != want) return 0;
    memset(&out, 0, sizeof out);
    out.value = &v;
    out.grad = g;
    if (dc_sdf_eval_batch(s, 1, x, 1, &mem, &out) != want) return 0;
    if (dc_sdf_ddir_along(s, 1, x, x, 1, &mem, T) != want) return 0;
    if (dc_sdf_mesh(NULL, s, &cube, &mem, &m, &info) != want) return 0;
    return mem.used == 0 && untouched(&v, sizeof v) && untouched(g, sizeof g) && untouched(H, sizeof H) && untouched(T, sizeof T) && untouched(d, sizeof d)
        && untouched(&m, sizeof m) && untouched(&info, sizeof info);
}

#define REFUSED(change) \
    do { \
        p[1] = good(kind); \
        change; \
        if (!all_give(&s, DC_E_ARG)) printf("  kind %d: %s\n", (int)kind, #change); \
        ASSERT(all_give(&s, DC_E_ARG)); \
    } while (0)

TEST bad_primitives(void)
{
    const dc_real bad[3] = {(dc_real)NAN, (dc_real)HUGE_VAL, -(dc_real)HUGE_VAL};
    dc_sdf_prim p[2];
    dc_sdf s;
    int k, b;
    s.prim = p;
    s.n = 2;
    s.tau = DC_R(0.1);
    p[0] = good(DC_SDF_SPHERE);
    for (k = 0; k < 6; ++k) {
        dc_sdf_kind kind = (dc_sdf_kind)k;
        for (b = 0; b < 3; ++b) {
            REFUSED(p[1].pose.q.w = bad[b]);
            REFUSED(p[1].pose.q.y = bad[b]);
            REFUSED(p[1].pose.t.x = bad[b]);
            REFUSED(p[1].pose.t.z = bad[b]);
            REFUSED(p[1].scale = bad[b]);
        }
        REFUSED(p[1].pose.q.w = DC_R(1.01));
        REFUSED(p[1].pose.q.w = 0);
        REFUSED(p[1].pose.t.y = 2*DC_LIMIT);
        REFUSED(p[1].scale = -1);
        REFUSED(p[1].kind = (dc_sdf_kind)6);
        REFUSED(p[1].kind = (dc_sdf_kind)7);
        if (kind == DC_SDF_SUPERQUADRIC) {
            for (b = 0; b < 3; ++b) {
                REFUSED(p[1].size.x = bad[b]);
                REFUSED(p[1].size.y = bad[b]);
                REFUSED(p[1].size.z = bad[b]);
                REFUSED(p[1].eps1 = bad[b]);
                REFUSED(p[1].eps2 = bad[b]);
            }
            REFUSED(p[1].eps1 = DC_R(0.019));
            REFUSED(p[1].eps2 = DC_R(2.001));
            REFUSED(p[1].eps1 = 0);
            REFUSED(p[1].size.x = 0);
            REFUSED(p[1].size.y = -1);
            REFUSED(p[1].size.z = DC_R(1e-7));
            REFUSED(p[1].scale = DC_LIMIT; p[1].size.x = 10);
        } else if (kind == DC_SDF_SPHERE || kind == DC_SDF_BOX || kind == DC_SDF_CAPSULE) {
            for (b = 0; b < 3; ++b) REFUSED(p[1].size.x = bad[b]);
            REFUSED(p[1].size.x = 0);
            REFUSED(p[1].size.x = -1);
            if (kind == DC_SDF_BOX) REFUSED(p[1].size.y = 0);
            if (kind == DC_SDF_CAPSULE) REFUSED(p[1].size.z = DC_R(-0.1));
        } else {
            dc_v3 n[4], at[4];
            dc_real sigma[4];
            int i;
            REFUSED(p[1].count = 0);
            REFUSED(p[1].count = -3);
            REFUSED(p[1].n = NULL);
            REFUSED(p[1].p = NULL);
            for (b = 0; b < 3; ++b) {
                for (i = 0; i < 4; ++i) {
                    n[i] = normals[i];
                    at[i] = points[i];
                    sigma[i] = 1;
                }
                n[2].y = bad[b];
                REFUSED(p[1].n = n);
                at[3].x = bad[b];
                REFUSED(p[1].p = at);
                sigma[1] = bad[b];
                if (kind == DC_SDF_CLOUD) REFUSED(p[1].sigma = sigma);
                if (kind == DC_SDF_POLYHEDRON) REFUSED(p[1].smooth = bad[b]);
            }
            n[2] = dc_vec(0, 0, DC_R(1.1));
            REFUSED(p[1].n = n);
            if (kind == DC_SDF_CLOUD) REFUSED(p[1].sigma = NULL);
            if (kind == DC_SDF_POLYHEDRON) REFUSED(p[1].smooth = -1);
        }
        p[1] = good(kind);
        ASSERT_EQ(DC_OK, dc_sdf_eval(&s, dc_vec(0, 0, 0), NULL, NULL, NULL));
    }
    PASS();
}

TEST bad_fields_and_points(void)
{
    const dc_real bad[5] = {(dc_real)NAN, (dc_real)HUGE_VAL, -(dc_real)HUGE_VAL, 2*DC_LIMIT, -2*DC_LIMIT};
    dc_sdf_prim p[2];
    dc_sdf s;
    dc_real v, x[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, good_u[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, out3[3], T[18], d[2*DC_SDF_PARAMS];
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_sdf_out out = DC_ZERO;
    int k, i;
    memset(&v, PATTERN, sizeof v);
    memset(out3, PATTERN, sizeof out3);
    memset(T, PATTERN, sizeof T);
    memset(d, PATTERN, sizeof d);
    p[0] = p[1] = good(DC_SDF_SUPERQUADRIC);
    ASSERT(all_give(NULL, DC_E_ARG));
    s.prim = NULL; s.n = 2; s.tau = 0;
    ASSERT(all_give(&s, DC_E_ARG));
    s.prim = p; s.n = 0;
    ASSERT(all_give(&s, DC_E_ARG));
    s.n = -1;
    ASSERT(all_give(&s, DC_E_ARG));
    s.n = 2; s.tau = -1;
    ASSERT(all_give(&s, DC_E_ARG));
    s.tau = bad[0];
    ASSERT(all_give(&s, DC_E_ARG));
    s.tau = bad[1];
    ASSERT(all_give(&s, DC_E_ARG));
    s.tau = 0;
    p[0].subtract = 1;
    ASSERT(all_give(&s, DC_E_ARG));
    p[0].subtract = 0;
    /* points: one bad coordinate spoils a batch before anything is written */
    out.value = out3;
    for (k = 0; k < 5; ++k)
        for (i = 0; i < 9; ++i) {
            x[i] = bad[k];
            if (i % 3 == 0) {
                dc_v3 at = dc_vec(x[0], x[3], x[6]);
                ASSERT_EQ(DC_E_ARG, dc_sdf_eval(&s, at, &v, NULL, NULL));
                ASSERT_EQ(DC_E_ARG, dc_sdf_eval_params(&s, at, &v, d));
            }
            ASSERT_EQ(DC_E_ARG, dc_sdf_eval_batch(&s, 3, x, 3, &mem, &out));
            ASSERT_EQ(DC_E_ARG, dc_sdf_ddir_along(&s, 3, x, good_u, 3, &mem, T));
            ASSERT_EQ(DC_E_ARG, dc_sdf_ddir_along(&s, 3, good_u, x, 3, &mem, T));
            x[i] = 0;
        }
    ASSERT_EQ(DC_E_ARG, dc_sdf_eval_params(&s, dc_vec(0, 0, 0), &v, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sdf_eval_batch(&s, -1, x, 3, &mem, &out));
    ASSERT_EQ(DC_E_ARG, dc_sdf_eval_batch(&s, 3, x, 2, &mem, &out));
    ASSERT_EQ(DC_E_ARG, dc_sdf_eval_batch(&s, 3, NULL, 3, &mem, &out));
    ASSERT_EQ(DC_E_ARG, dc_sdf_eval_batch(&s, 3, x, 3, NULL, &out));
    ASSERT_EQ(DC_E_ARG, dc_sdf_eval_batch(&s, 3, x, 3, &mem, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sdf_ddir_along(&s, -1, x, x, 3, &mem, T));
    ASSERT_EQ(DC_E_ARG, dc_sdf_ddir_along(&s, 3, x, x, 2, &mem, T));
    ASSERT_EQ(DC_E_ARG, dc_sdf_ddir_along(&s, 3, NULL, x, 3, &mem, T));
    ASSERT_EQ(DC_E_ARG, dc_sdf_ddir_along(&s, 3, x, NULL, 3, &mem, T));
    ASSERT_EQ(DC_E_ARG, dc_sdf_ddir_along(&s, 3, x, x, 3, NULL, T));
    ASSERT_EQ(DC_E_ARG, dc_sdf_ddir_along(&s, 3, x, x, 3, &mem, NULL));
    p[1] = good(DC_SDF_SUPERQUADRIC);
    p[1].taubin = 1;
    ASSERT_EQ(DC_E_ARG, dc_sdf_ddir_along(&s, 3, x, x, 3, &mem, T));
    ASSERT(untouched(T, sizeof T));
    p[1].taubin = 0;
    ASSERT_EQ(DC_OK, dc_sdf_ddir_along(&s, 0, NULL, NULL, 0, &mem, NULL));
    ASSERT_EQ(DC_OK, dc_sdf_ddir_along(&s, 3, x, x, 3, &mem, T));
    for (k = 0; k < 18; ++k) ASSERT(dc_finite(T[k]));
    mem = dc_arena_make(memory, dc_sdf_along_bytes() - DC_ALIGN);
    memset(T, PATTERN, sizeof T);
    ASSERT_EQ(DC_E_MEMORY, dc_sdf_ddir_along(&s, 3, x, x, 3, &mem, T));
    ASSERT(untouched(T, sizeof T) && mem.used == 0);
    mem = dc_arena_make(memory, sizeof memory);
    ASSERT(untouched(&v, sizeof v) && untouched(out3, sizeof out3) && untouched(d, sizeof d));
    ASSERT_EQ(DC_OK, dc_sdf_eval_batch(&s, 0, NULL, 0, &mem, &out));
    ASSERT(untouched(out3, sizeof out3));
    /* no output at all is fine */
    memset(&out, 0, sizeof out);
    ASSERT_EQ(DC_OK, dc_sdf_eval_batch(&s, 3, x, 3, &mem, &out));
    ASSERT_EQ(DC_OK, dc_sdf_eval(&s, dc_vec(0, 0, 0), NULL, NULL, NULL));
    PASS();
}

/* The batch's arena: a byte less than it says fails, the guard bytes on both sides stay. */
TEST batch_memory(void)
{
    dc_sdf_prim p = good(DC_SDF_SUPERQUADRIC);
    dc_sdf s;
    dc_real x[3] = {1, 1, 1}, v;
    size_t bytes = dc_sdf_batch_bytes(), start, k;
    dc_sdf_out out = DC_ZERO;
    s.prim = &p;
    s.n = 1;
    s.tau = 0;
    out.value = &v;
    for (start = 0; start < 2*DC_ALIGN; ++start) {
        dc_arena mem;
        memset(memory, PATTERN, sizeof memory);
        memset(&v, PATTERN, sizeof v);
        mem = dc_arena_make(memory + 100 + start, bytes);
        ASSERT_EQ(DC_OK, dc_sdf_eval_batch(&s, 1, x, 1, &mem, &out));
        ASSERT(untouched(memory, 100 + start) && untouched(memory + 100 + start + bytes, 1000));
        memset(&v, PATTERN, sizeof v);
        mem = dc_arena_make(memory + 100 + start, bytes - DC_ALIGN);
        ASSERT_EQ(DC_E_MEMORY, dc_sdf_eval_batch(&s, 1, x, 1, &mem, &out));
        ASSERT(untouched(&v, sizeof v) && mem.used == 0);
    }
    for (k = 0; k < bytes; k += 1 + bytes/31) {
        dc_arena mem = dc_arena_make(memory, k < DC_ALIGN ? 0 : k - DC_ALIGN);
        ASSERT_EQ(DC_E_MEMORY, dc_sdf_eval_batch(&s, 1, x, 1, &mem, &out));
    }
    PASS();
}

TEST bad_grids_and_meshes(void)
{
    static dc_real phi[125];
    static const dc_v3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int tri[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    int worse[12];
    dc_v3 off[4];
    dc_sdf_prim p = good(DC_SDF_SPHERE), fit[4];
    dc_sdf s;
    dc_grid g[10];
    dc_mesh m = DC_ZERO, made;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_sdf_mesh_options mo = DC_ZERO;
    dc_sdf_fit_options fo = DC_ZERO;
    int k, n;
    s.prim = &p;
    s.n = 1;
    s.tau = 0;
    memset(&made, PATTERN, sizeof made);
    memset(phi, PATTERN, sizeof phi);
    memset(fit, PATTERN, sizeof fit);
    memset(&n, PATTERN, sizeof n);
    m.v = v; m.nv = 4;
    m.tri = tri; m.nt = 4;
    for (k = 0; k < 10; ++k) g[k] = cube;
    g[0].nx = 1;
    g[1].ny = 0;
    g[2].nz = -4;
    g[3].hi.x = -3;
    g[4].lo.y = (dc_real)NAN;
    g[5].hi.z = (dc_real)HUGE_VAL;
    g[6].nx = g[6].ny = g[6].nz = 2000000000;
    g[7].hi.z = g[7].lo.z;
    g[8].nx = 100000; g[8].ny = 100000;
    g[9].lo = dc_vec(0, 0, 0);
    g[9].hi = dc_vec(DC_REAL_MIN, DC_REAL_MIN, DC_REAL_MIN);
    for (k = 0; k < 10; ++k) {
        ASSERT_EQ(0, dc_sdf_mesh_bytes(&g[k], 10, 10));
        ASSERT_EQ(0, dc_sdf_fit_bytes(&g[k]));
        ASSERT_EQ(DC_E_ARG, dc_sdf_mesh(NULL, &s, &g[k], &mem, &made, NULL));
        ASSERT_EQ(DC_E_ARG, dc_sdf_sample(&m, &g[k], phi));
        ASSERT_EQ(DC_E_ARG, dc_sdf_fit(NULL, &g[k], phi, &mem, fit, &n, NULL));
    }
    ASSERT_EQ(0, dc_sdf_mesh_bytes(NULL, 1, 1));
    ASSERT_EQ(0, dc_sdf_mesh_bytes(&cube, -1, 1));
    ASSERT_EQ(0, dc_sdf_mesh_bytes(&cube, 1, -1));
    ASSERT_EQ(0, dc_sdf_mesh_bytes(&cube, 1, 2147483647));
    ASSERT_EQ(0, dc_sdf_fit_bytes(NULL));
    mo.vertices = -1;
    ASSERT_EQ(DC_E_ARG, dc_sdf_mesh(&mo, &s, &cube, &mem, &made, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sdf_mesh(NULL, &s, &cube, NULL, &made, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sdf_mesh(NULL, &s, &cube, &mem, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sdf_mesh(NULL, &s, NULL, &mem, &made, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sdf_sample(NULL, &cube, phi));
    ASSERT_EQ(DC_E_ARG, dc_sdf_sample(&m, NULL, phi));
    ASSERT_EQ(DC_E_ARG, dc_sdf_sample(&m, &cube, NULL));
    m.nt = 0;
    ASSERT_EQ(DC_E_ARG, dc_sdf_sample(&m, &cube, phi));
    m.nt = 4;
    for (k = 0; k < 12; ++k) {
        memcpy(worse, tri, sizeof worse);
        m.tri = worse;
        worse[k] = 4;
        ASSERT_EQ(DC_E_ARG, dc_sdf_sample(&m, &cube, phi));
        worse[k] = -1;
        ASSERT_EQ(DC_E_ARG, dc_sdf_sample(&m, &cube, phi));
    }
    m.tri = tri;
    memcpy(off, v, sizeof off);
    off[2].y = (dc_real)NAN;
    m.v = off;
    ASSERT_EQ(DC_E_ARG, dc_sdf_sample(&m, &cube, phi));
    ASSERT(untouched(phi, sizeof phi) && untouched(&made, sizeof made) && mem.used == 0);
    /* a flat, twisted, duplicated mesh is sampled all the same: finite numbers */
    memcpy(worse, tri, sizeof worse);
    worse[3] = worse[4] = worse[5] = 0;
    worse[6] = 1; worse[7] = 1;
    m.v = v;
    m.tri = worse;
    ASSERT_EQ(DC_OK, dc_sdf_sample(&m, &cube, phi));
    for (k = 0; k < 125; ++k) ASSERT(dc_finite(phi[k]));

    /* fit: counts, and fields that are not numbers; one that is nowhere negative has no primitive */
    fo.capacity = -1;
    ASSERT_EQ(DC_E_ARG, dc_sdf_fit(&fo, &cube, phi, &mem, fit, &n, NULL));
    fo.capacity = 4;
    fo.least = -1;
    ASSERT_EQ(DC_E_ARG, dc_sdf_fit(&fo, &cube, phi, &mem, fit, &n, NULL));
    fo.least = 0;
    fo.steps = -1;
    ASSERT_EQ(DC_E_ARG, dc_sdf_fit(&fo, &cube, phi, &mem, fit, &n, NULL));
    fo.steps = 0;
    ASSERT_EQ(DC_E_ARG, dc_sdf_fit(&fo, &cube, NULL, &mem, fit, &n, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sdf_fit(&fo, &cube, phi, &mem, NULL, &n, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sdf_fit(&fo, &cube, phi, &mem, fit, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sdf_fit(&fo, &cube, phi, NULL, fit, &n, NULL));
    phi[7] = (dc_real)NAN;
    ASSERT_EQ(DC_E_ARG, dc_sdf_fit(&fo, &cube, phi, &mem, fit, &n, NULL));
    phi[7] = -(dc_real)HUGE_VAL;
    ASSERT_EQ(DC_E_ARG, dc_sdf_fit(&fo, &cube, phi, &mem, fit, &n, NULL));
    ASSERT(untouched(fit, sizeof fit) && untouched(&n, sizeof n) && mem.used == 0);
    for (k = 0; k < 125; ++k) phi[k] = 1;
    ASSERT_EQ(DC_OK, dc_sdf_fit(&fo, &cube, phi, &mem, fit, &n, NULL));
    ASSERT_EQ(0, n);
    /* and fields that no shape explains do no harm */
    for (k = 0; k < 125; ++k) phi[k] = k % 2 ? 1 : DC_R(-1e-3)*DC_LIMIT;
    ASSERT(dc_sdf_fit(&fo, &cube, phi, &mem, fit, &n, NULL) != DC_E_MEMORY);
    for (k = 0; k < 125; ++k) phi[k] = DC_R(-1);
    ASSERT(dc_sdf_fit(&fo, &cube, phi, &mem, fit, &n, NULL) != DC_E_MEMORY);
    PASS();
}

GREATEST_MAIN_DEFS();
int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(bad_primitives);
    RUN_TEST(bad_fields_and_points);
    RUN_TEST(batch_memory);
    RUN_TEST(bad_grids_and_meshes);
    GREATEST_MAIN_END();
}
