/* dc_sdf.h under bytes turned into calls: see support/fuzz.h */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "fuzz.h"
#include "fuzz_field.h"

#define POINTS (2*DC_LANES + 3)
#define SIDE 5                      /* grid points along an axis */

/* ---- points ------------------------------------------------------------------------------------------------- */

static void point(fuzz *f)
{
    const dc_sdf *s = fuzz_field(f);
    dc_v3 x = fuzz_v3(f);
    int ask = fuzz_byte(f), n = s && s->n > 0 && s->n <= FUZZ_PRIMS ? s->n : 0, i, k;
    dc_real *v = fuzz_reals(f, 1), *g = ask & 1 ? NULL : fuzz_reals(f, 3), *H = ask & 2 ? NULL : fuzz_reals(f, 9);
    dc_real *v2 = fuzz_reals(f, 1), *d = fuzz_reals(f, (size_t)n*DC_SDF_PARAMS);
    dc_status st = fuzz_status(f, dc_sdf_eval(s, x, v, g, H));
    FUZZ_CHECK(st == DC_OK || st == DC_E_ARG || st == DC_E_RANGE, "status %d", (int)st);
    FUZZ_CHECK((st == DC_E_ARG) == !(fuzz_field_good(s) && dc_in_range(x)), "status %d", (int)st);
    if (st == DC_OK) {
        FUZZ_CHECK(dc_finite(*v) && (!g || fuzz_finite(g, 3)) && (!H || fuzz_finite(H, 9)), "value %g", (double)*v);
        for (i = 0; H && i < 3; ++i)
            for (k = 0; k < i; ++k) FUZZ_CHECK(memcmp(&H[3*i + k], &H[3*k + i], sizeof *H) == 0, "Hessian (%d,%d)", i, k);
        fuzz_mix(f, v, sizeof *v);
        if (g) fuzz_mix(f, g, 3*sizeof *g);
        if (H) fuzz_mix(f, H, 9*sizeof *H);
    } else {
        FUZZ_CHECK(fuzz_untouched(f, v, sizeof *v) && (!g || fuzz_untouched(f, g, 3*sizeof *g)) && (!H || fuzz_untouched(f, H, 9*sizeof *H)), "status %d, but written", (int)st);
    }
    {
        dc_real *least = fuzz_reals(f, 1), r = fuzz_byte(f) & 1 ? fuzz_real(f) : 1;
        const dc_status bound = fuzz_status(f, dc_sdf_bound(s, 1, &x, &r, least));
        FUZZ_CHECK((bound == DC_E_ARG) == !(fuzz_field_good(s) && dc_in_range(x) && r >= 0 && dc_finite(r)), "bound: status %d", (int)bound);
        FUZZ_CHECK(bound == DC_OK || fuzz_untouched(f, least, sizeof *least), "bound: status %d, but written", (int)bound);
        FUZZ_CHECK(bound != DC_OK || *least >= -DC_REAL_MAX, "bound: %g", (double)*least);
        FUZZ_CHECK(bound != DC_OK || st != DC_OK || *least <= *v + DC_R(1e-3)*(dc_abs(*v) + dc_sqrt(dc_dot(x, x)) + 1), "bound %g, value %g", (double)*least, (double)*v);
    }
    st = fuzz_status(f, dc_sdf_eval_params(s, x, v2, d));
    FUZZ_CHECK((st == DC_E_ARG) == !(fuzz_field_good(s) && dc_in_range(x)), "parameters: status %d", (int)st);
    if (st == DC_OK) {
        FUZZ_CHECK(dc_finite(*v2) && fuzz_finite(d, (size_t)n*DC_SDF_PARAMS), "parameters, value %g", (double)*v2);
        fuzz_mix(f, d, (size_t)n*DC_SDF_PARAMS*sizeof *d);
    } else {
        FUZZ_CHECK(fuzz_untouched(f, v2, sizeof *v2), "parameters: status %d, but written", (int)st);
        if (st == DC_E_ARG) FUZZ_CHECK(fuzz_untouched(f, d, (size_t)n*DC_SDF_PARAMS*sizeof *d), "parameters: refused, but written");
    }
}

/* Batches have the bits of single points; built with contraction, these may differ: build without. */
static void batch(fuzz *f)
{
    const dc_sdf *s = fuzz_field(f);
    int count = fuzz_count(f, 0, POINTS), ask = fuzz_byte(f), i, k, good = fuzz_field_good(s);
    size_t n = count > 0 ? (size_t)count : 0, stride = n + (size_t)fuzz_below(f, 2);
    dc_real *x = fuzz_reals(f, 3*stride);
    fuzz_arena m = fuzz_arena_open(f, dc_sdf_batch_bytes());
    dc_sdf_out out;
    dc_status st;
    for (k = 0; k < 3; ++k)
        for (i = 0; i < (int)n; ++i) {
            x[(size_t)k*stride + (size_t)i] = fuzz_real(f);
            good &= dc_abs(x[(size_t)k*stride + (size_t)i]) <= DC_LIMIT;
        }
    memset(&out, 0, sizeof out);
    out.value = ask & 1 ? NULL : fuzz_reals(f, stride);
    out.grad = ask & 2 ? NULL : fuzz_reals(f, 3*stride);
    out.hess = ask & 4 ? NULL : fuzz_reals(f, 6*stride);
    out.dir = ask & 8 ? NULL : fuzz_reals(f, 3*stride);
    out.ddir = ask & 16 ? NULL : fuzz_reals(f, 6*stride);
    st = fuzz_status(f, dc_sdf_eval_batch(s, count, x, stride, &m.a, &out));
    fuzz_arena_close(&m, 0, st);
    FUZZ_CHECK(st == DC_E_MEMORY || (st == DC_E_ARG) == (!good || count < 0), "status %d", (int)st);
    if (st == DC_E_ARG || st == DC_E_MEMORY)
        FUZZ_CHECK((!out.value || fuzz_untouched(f, out.value, stride*sizeof *x)) && (!out.grad || fuzz_untouched(f, out.grad, 3*stride*sizeof *x))
                   && (!out.hess || fuzz_untouched(f, out.hess, 6*stride*sizeof *x)) && (!out.dir || fuzz_untouched(f, out.dir, 3*stride*sizeof *x))
                   && (!out.ddir || fuzz_untouched(f, out.ddir, 6*stride*sizeof *x)), "status %d, but written", (int)st);
    if (st != DC_OK) return;
    for (i = 0; i < (int)n; ++i) {
        static const int at[6] = {0, 1, 2, 4, 5, 8};
        dc_real v, g[3], H[9];
        size_t j = (size_t)i;
        dc_v3 p = dc_vec(x[j], x[stride + j], x[2*stride + j]);
        st = dc_sdf_eval(s, p, out.value ? &v : NULL, out.grad ? g : NULL, out.hess ? H : NULL);
        FUZZ_CHECK(st == DC_OK, "point %d: alone %d, in the batch 0", i, (int)st);
        if (out.value) FUZZ_CHECK(memcmp(&v, &out.value[i], sizeof v) == 0 && dc_finite(v), "point %d: value %.17g, alone %.17g", i, (double)out.value[i], (double)v);
        for (k = 0; out.grad && k < 3; ++k) FUZZ_CHECK(memcmp(&g[k], &out.grad[(size_t)k*stride + j], sizeof v) == 0 && dc_finite(g[k]), "point %d: gradient %d", i, k);
        for (k = 0; out.hess && k < 6; ++k) FUZZ_CHECK(memcmp(&H[at[k]], &out.hess[(size_t)k*stride + j], sizeof v) == 0 && dc_finite(H[at[k]]), "point %d: Hessian %d", i, k);
        for (k = 0; out.dir && k < 3; ++k) {
            FUZZ_CHECK(dc_finite(out.dir[(size_t)k*stride + j]), "point %d: direction", i);
            fuzz_mix(f, &out.dir[(size_t)k*stride + j], sizeof v);
        }
        for (k = 0; out.ddir && k < 6; ++k) {
            FUZZ_CHECK(dc_finite(out.ddir[(size_t)k*stride + j]), "point %d: derivative of the direction", i);
            fuzz_mix(f, &out.ddir[(size_t)k*stride + j], sizeof v);
        }
    }
}

/* ---- grids ---------------------------------------------------------------------------------------------------- */

static dc_grid grid(fuzz *f)
{
    dc_grid g;
    g.lo = dc_vec(-2, -2, -2);
    g.hi = dc_vec(2, 2, 2);
    if (fuzz_byte(f) & 1) g.lo = fuzz_v3(f);
    if (fuzz_byte(f) & 1) g.hi = dc_add(g.lo, dc_vec(3, 2, DC_R(1.5)));
    if (fuzz_bad(f)) g.hi = fuzz_v3(f);
    g.nx = fuzz_int(f, 2, SIDE);
    g.ny = fuzz_int(f, 2, SIDE);
    g.nz = fuzz_int(f, 2, SIDE);
    return g;
}
static int grid_good(const dc_grid *g)
{
    return dc_in_range(g->lo) && dc_in_range(g->hi) && g->lo.x < g->hi.x && g->lo.y < g->hi.y && g->lo.z < g->hi.z && g->nx > 1 && g->ny > 1 && g->nz > 1;
}
/* points of a grid that an array can be made for */
static size_t grid_points(const dc_grid *g)
{
    return g->nx < 1 || g->ny < 1 || g->nz < 1 || g->nx > SIDE + 1 || g->ny > SIDE + 1 || g->nz > SIDE + 1 ? 0 : (size_t)g->nx*(size_t)g->ny*(size_t)g->nz;
}

/* every edge once in each direction, listed once; every vertex in a triangle */
static void mesh_closed(const dc_mesh *m)
{
    int i, j, k, l;
    for (i = 0; i < m->nt; ++i)
        for (k = 0; k < 3; ++k) {
            int from = m->tri[3*i + k], to = m->tri[3*i + (k + 1)%3], same = 0, back = 0, listed = 0;
            FUZZ_CHECK(from >= 0 && from < m->nv && from != to, "triangle %d: vertex %d of %d", i, from, m->nv);
            for (j = 0; j < m->nt; ++j)
                for (l = 0; l < 3; ++l) {
                    same += m->tri[3*j + l] == from && m->tri[3*j + (l + 1)%3] == to;
                    back += m->tri[3*j + l] == to && m->tri[3*j + (l + 1)%3] == from;
                }
            for (j = 0; j < m->ne; ++j) listed += m->edge[2*j] == (from < to ? from : to) && m->edge[2*j + 1] == (from < to ? to : from);
            FUZZ_CHECK(same == 1 && back == 1 && listed == 1, "edge %d %d: %d there, %d back, listed %d times", from, to, same, back, listed);
        }
    FUZZ_CHECK(2*m->ne == 3*m->nt, "%d edges, %d triangles", m->ne, m->nt);
    for (i = 0; i < m->nv; ++i) FUZZ_CHECK(dc_finite3(m->v[i]), "vertex %d", i);
}

static void mesh(fuzz *f)
{
    const dc_sdf *s = fuzz_field(f);
    dc_grid g = grid(f);
    dc_sdf_mesh_options o = DC_ZERO;
    size_t need = dc_sdf_mesh_bytes(&g, 60, 120);
    dc_mesh *m = (dc_mesh *)fuzz_alloc(f, sizeof *m);
    dc_sdf_mesh_info *info = (dc_sdf_mesh_info *)fuzz_alloc(f, sizeof *info);
    fuzz_arena a;
    dc_status st;
    o.vertices = fuzz_byte(f) & 1 ? 0 : fuzz_int(f, 0, 12);
    FUZZ_CHECK((need > 0) == grid_good(&g) || need == 0, "%lu bytes for no grid", (unsigned long)need);
    a = fuzz_arena_open(f, need < ((size_t)1 << 20) ? need : 0);
    st = fuzz_status(f, dc_sdf_mesh(&o, s, &g, &a.a, m, info));
    FUZZ_CHECK(st != DC_E_SINGULAR && st != DC_E_OVERLAP, "status %d", (int)st);
    if (st == DC_E_ARG) FUZZ_CHECK(!fuzz_field_good(s) || !grid_good(&g) || o.vertices < 0 || need == 0, "refused");
    else FUZZ_CHECK(fuzz_field_good(s) && grid_good(&g) && o.vertices >= 0, "accepted");
    if (st == DC_OK || st == DC_E_DIVERGED) {
        FUZZ_CHECK(m->nv >= 0 && m->nt >= 0 && (m->nv == 0) == (m->nt == 0), "%d vertices, %d triangles", m->nv, m->nt);
        mesh_closed(m);
        FUZZ_CHECK(info->nv >= m->nv && info->nt >= m->nt && dc_finite(info->residual) && info->residual >= 0, "residual %g", (double)info->residual);
        fuzz_mix(f, m->v, (size_t)m->nv*sizeof *m->v);
        fuzz_mix(f, m->tri, 3*(size_t)m->nt*sizeof(int));
        fuzz_mix(f, m->edge, 2*(size_t)m->ne*sizeof(int));
        return;
    }
    FUZZ_CHECK(a.a.used == 0 && fuzz_untouched(f, m, sizeof *m), "status %d, but written, %lu bytes kept", (int)st, (unsigned long)a.a.used);
    if (st == DC_E_MEMORY && a.a.size >= dc_sdf_mesh_bytes(&g, 0, 0))
        FUZZ_CHECK(info->nv > 0 && info->nt > 0 && dc_sdf_mesh_bytes(&g, info->nv, info->nt) > a.a.size, "%d vertices, %d triangles do not fit %lu bytes", info->nv,
                   info->nt, (unsigned long)a.a.size);
}

static void sample(fuzz *f)
{
    dc_grid g = grid(f);
    int nv = fuzz_count(f, 1, 5), nt = fuzz_count(f, 1, 5), k, good = nv > 0 && nt > 0 && grid_good(&g);
    size_t n = grid_points(&g), i;
    int *tri = (int *)fuzz_alloc(f, nt > 0 ? 3*(size_t)nt*sizeof(int) : 0);
    dc_real *phi = fuzz_reals(f, n);
    dc_mesh m;
    dc_status st;
    memset(&m, 0, sizeof m);
    m.v = fuzz_points(f, nv);
    m.tri = tri;
    m.nv = nv;
    m.nt = nt;
    for (k = 0; k < 3*nt; ++k) {
        tri[k] = fuzz_int(f, 0, nv > 1 ? nv - 1 : 0);
        good = good && tri[k] >= 0 && tri[k] < nv && dc_in_range(m.v[tri[k]]);
    }
    if (n == 0 && grid_good(&g)) return;
    st = fuzz_status(f, dc_sdf_sample(&m, &g, phi));
    FUZZ_CHECK((st == DC_OK && good) || (st == DC_E_ARG), "status %d", (int)st);
    if (st == DC_OK) {
        for (i = 0; i < n; ++i) FUZZ_CHECK(dc_finite(phi[i]), "distance %lu: %g", (unsigned long)i, (double)phi[i]);
        fuzz_mix(f, phi, n*sizeof *phi);
    } else FUZZ_CHECK(fuzz_untouched(f, phi, n*sizeof *phi), "refused, but written");
}

static void fit(fuzz *f)
{
    enum { CAPACITY = 3 };
    dc_grid g = grid(f);
    size_t n = grid_points(&g), need = dc_sdf_fit_bytes(&g), i;
    dc_real *phi = fuzz_reals(f, n), last = 0;
    dc_sdf_prim *p = (dc_sdf_prim *)fuzz_alloc(f, CAPACITY*sizeof *p);
    dc_sdf_fit_info *info = (dc_sdf_fit_info *)fuzz_alloc(f, sizeof *info);
    dc_sdf_fit_options o = DC_ZERO;
    int count = -7, k;
    fuzz_arena a;
    dc_status st;
    if (n == 0 && grid_good(&g)) return;
    for (i = 0; i < n; ++i) phi[i] = last = fuzz_byte(f) < 160 ? -last : fuzz_real(f);
    o.capacity = 1 + fuzz_below(f, CAPACITY);
    o.least = fuzz_bad(f) ? -1 : fuzz_below(f, 12);
    o.steps = fuzz_bad(f) ? -1 : 1 + fuzz_below(f, 12);
    a = fuzz_arena_open(f, need < ((size_t)1 << 20) ? need : 0);
    st = fuzz_status(f, dc_sdf_fit(&o, &g, phi, &a.a, p, &count, info));
    FUZZ_CHECK(a.a.used == 0 && (st != DC_E_MEMORY || a.a.size < need), "status %d, %lu bytes kept", (int)st, (unsigned long)a.a.used);
    FUZZ_CHECK(st == DC_OK || st == DC_E_ARG || st == DC_E_MEMORY || st == DC_E_DIVERGED, "status %d", (int)st);
    if (st == DC_E_ARG || st == DC_E_MEMORY) {
        FUZZ_CHECK(count == -7 && fuzz_untouched(f, p, CAPACITY*sizeof *p) && fuzz_untouched(f, info, sizeof *info), "status %d, but written", (int)st);
        return;
    }
    FUZZ_CHECK(count >= 0 && count <= o.capacity, "%d primitives of %d", count, o.capacity);
    for (k = 0; k < count; ++k) {
        dc_sdf s;
        dc_real v;
        s.prim = p + k;
        s.n = 1;
        s.tau = 0;
        FUZZ_CHECK(p[k].kind == DC_SDF_SUPERQUADRIC && !p[k].subtract, "primitive %d: kind %d", k, (int)p[k].kind);
        FUZZ_CHECK(dc_sdf_eval(&s, p[k].pose.t, &v, NULL, NULL) == DC_OK, "primitive %d is refused", k);
        fuzz_mix(f, &p[k].pose, sizeof p[k].pose);
        fuzz_mix(f, &p[k].size, sizeof p[k].size);
    }
    FUZZ_CHECK(dc_finite(info->residual) && info->covered >= 0 && info->covered <= 1, "residual %g, covered %g", (double)info->residual, (double)info->covered);
    fuzz_mix(f, info, sizeof *info);
}

static void along(fuzz *f)
{
    const dc_sdf *s = fuzz_field(f);
    int count = fuzz_count(f, 0, POINTS), i, good = fuzz_field_good(s) && count >= 0;
    size_t n = count > 0 ? (size_t)count : 0, stride = n + (size_t)fuzz_below(f, 2), k;
    dc_real *x = fuzz_reals(f, 3*stride), *u = fuzz_reals(f, 3*stride), *T = fuzz_reals(f, 6*stride);
    fuzz_arena m = fuzz_arena_open(f, dc_sdf_along_bytes());
    dc_status st;
    for (i = 0; good && i < s->n; ++i) good &= s->prim[i].kind != DC_SDF_SUPERQUADRIC || !s->prim[i].taubin;
    for (k = 0; k < 3; ++k)
        for (i = 0; i < (int)n; ++i) {
            x[k*stride + (size_t)i] = fuzz_real(f);
            u[k*stride + (size_t)i] = fuzz_real(f);
            good &= dc_abs(x[k*stride + (size_t)i]) <= DC_LIMIT && dc_abs(u[k*stride + (size_t)i]) <= DC_LIMIT;
        }
    st = fuzz_status(f, dc_sdf_ddir_along(s, count, x, u, stride, &m.a, T));
    fuzz_arena_close(&m, 0, st);
    FUZZ_CHECK(st == DC_E_MEMORY || (st == DC_E_ARG) == !good, "status %d", (int)st);
    if (st == DC_E_ARG || st == DC_E_MEMORY) FUZZ_CHECK(fuzz_untouched(f, T, 6*stride*sizeof *T), "status %d, but written", (int)st);
    for (k = 0; st == DC_OK && k < 6; ++k) {
        FUZZ_CHECK(fuzz_finite(T + k*stride, n), "derivative %d", (int)k);
        fuzz_mix(f, T + k*stride, n*sizeof *T);
    }
}

static void calls(fuzz *f)
{
    while (fuzz_more(f) && f->n_blocks < FUZZ_BLOCKS - 60) {
        int kind = fuzz_byte(f);
        /* the slow ones are rare */
        if (kind < 4) fit(f);
        else if (kind < 16) mesh(f);
        else if (kind < 48) sample(f);
        else if (kind < 112) batch(f);
        else if (kind < 128) along(f);
        else point(f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_input(data, size, calls); }
