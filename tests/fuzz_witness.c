/* dc_witness.h under bytes turned into calls: see support/fuzz.h */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "fuzz.h"
#include "dc_witness.h"
#include "fuzz_field.h"

#define PAIRS (DC_LANES + 3)
#define MOST 4                      /* vertices and edges of a mesh */
#define ENTRIES 8                   /* of a selection */

static dc_witness_options options(fuzz *f)
{
    dc_witness_options o = DC_ZERO;
    o.w_reg = fuzz_option(f, 0.01);
    o.eps_clip = fuzz_option(f, 0.1);
    o.eps_min = fuzz_option(f, 0.1);
    o.eps_comp = fuzz_option(f, 0.1);
    o.length = fuzz_option(f, 1);
    o.listing = fuzz_byte(f) & 1;
    return o;
}

static int points_good(const dc_v3 *v, int n)
{
    int k;
    for (k = 0; k < n; ++k)
        if (!dc_in_range(v[k])) return 0;
    return 1;
}

/* ---- witness points ---------------------------------------------------------------------------------------- */

/* edges (kind 0) or vertex and face (1); the closest points as well */
static void witness(fuzz *f)
{
    int kind = fuzz_byte(f) & 1, ask = fuzz_byte(f) & 1, n = kind ? 13 : 9, m = kind ? 10 : 9, k, size;
    dc_witness_options o = options(f);
    dc_v3 *v = fuzz_points(f, 4);
    dc_ee *e = (dc_ee *)fuzz_alloc(f, sizeof *e), *ec = (dc_ee *)fuzz_alloc(f, sizeof *ec);
    dc_vf *w = (dc_vf *)fuzz_alloc(f, sizeof *w), *wc = (dc_vf *)fuzz_alloc(f, sizeof *wc);
    dc_real *jac = ask ? fuzz_reals(f, (size_t)(12*m)) : NULL, gamma, sum;
    dc_status s = fuzz_status(f, kind ? dc_vf_witness(&o, v[0], v + 1, w, jac) : dc_ee_witness(&o, v, v + 2, e, jac));
    const void *out = kind ? (const void *)w : (const void *)e;
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_RANGE, "status %d", (int)s);
    FUZZ_CHECK(s == DC_E_ARG || points_good(v, 4), "accepted");
    size = kind ? (int)sizeof *w : (int)sizeof *e;
    if (s != DC_OK) {
        FUZZ_CHECK(fuzz_untouched(f, out, (size_t)size) && (!jac || fuzz_untouched(f, jac, (size_t)(12*m)*sizeof *jac)), "status %d, but written", (int)s);
    } else {
        gamma = kind ? w->gamma : e->gamma;
        FUZZ_CHECK(fuzz_finite((const dc_real *)out, (size_t)size/sizeof(dc_real)) && (!jac || fuzz_finite(jac, (size_t)(12*m))), "%d numbers", n);
        FUZZ_CHECK(gamma >= 0 && gamma <= 1, "gamma %g", (double)gamma);
        if (kind) {
            sum = w->alpha[0] + w->alpha[1] + w->alpha[2] - 1;
            FUZZ_CHECK(dc_abs(sum) <= 32*DC_EPS*(1 + dc_abs(w->alpha[0]) + dc_abs(w->alpha[1]) + dc_abs(w->alpha[2])), "weights of sum 1 + %g", (double)sum);
        } else {
            dc_real out_by = DC_R(0.28)*(o.eps_comp > 0 ? o.eps_comp : DC_R(0.1)) + 32*DC_EPS;
            for (k = 0; k < 2; ++k) FUZZ_CHECK(e->alpha[k] >= -out_by && e->alpha[k] <= 1 + out_by, "alpha %g, eps_comp %g", (double)e->alpha[k], (double)o.eps_comp);
        }
        fuzz_mix(f, out, (size_t)size);
        if (jac) fuzz_mix(f, jac, (size_t)(12*m)*sizeof *jac);
    }
    s = fuzz_status(f, kind ? dc_vf_closest(v[0], v + 1, wc) : dc_ee_closest(v, v + 2, ec));
    FUZZ_CHECK((s == DC_E_ARG) == !points_good(v, 4) && (s == DC_OK || s == DC_E_ARG || s == DC_E_RANGE), "closest: status %d", (int)s);
    out = kind ? (const void *)wc : (const void *)ec;
    if (s != DC_OK) {
        FUZZ_CHECK(fuzz_untouched(f, out, (size_t)size), "closest: status %d, but written", (int)s);
        return;
    }
    FUZZ_CHECK(fuzz_finite((const dc_real *)out, (size_t)size/sizeof(dc_real)), "closest: a number");
    for (k = 0; k < (kind ? 3 : 2); ++k) {
        dc_real x = kind ? wc->alpha[k] : ec->alpha[k];
        FUZZ_CHECK(x >= -8*DC_EPS && x <= 1 + 8*DC_EPS, "closest: alpha %g", (double)x);
    }
    fuzz_mix(f, out, (size_t)size);
}

static void batch(fuzz *f)
{
    int kind = fuzz_byte(f) & 1, ask = fuzz_byte(f) & 1, count = fuzz_count(f, 0, PAIRS), rows = kind ? 10 : 9, i, k;
    size_t n = count > 0 ? (size_t)count : 0, stride = n + (size_t)fuzz_below(f, 2), all = stride ? stride : 1;
    dc_witness_options o = options(f);
    dc_real *x = fuzz_reals(f, 12*all), *y = fuzz_reals(f, (size_t)rows*all), *jac = ask ? fuzz_reals(f, 36*all) : NULL;
    dc_status s, first = DC_OK, alone;
    for (i = 0; i < (int)n; ++i)
        for (k = 0; k < 12; ++k) x[(size_t)k*stride + (size_t)i] = i == 0 || fuzz_byte(f) > 200 ? fuzz_real(f) : x[(size_t)k*stride];
    s = fuzz_status(f, kind ? dc_vf_witness_batch(&o, count, x, stride, y, jac) : dc_ee_witness_batch(&o, count, x, stride, y, jac));
    if (count < 0) {
        FUZZ_CHECK(s == DC_E_ARG, "status %d", (int)s);
        return;
    }
    for (i = 0; i < (int)n; ++i) {
        dc_v3 v[4];
        dc_ee e;
        dc_vf w;
        dc_real one[13], J[120];
        for (k = 0; k < 4; ++k) v[k] = dc_vec(x[(size_t)(3*k)*stride + (size_t)i], x[(size_t)(3*k + 1)*stride + (size_t)i], x[(size_t)(3*k + 2)*stride + (size_t)i]);
        alone = kind ? dc_vf_witness(&o, v[0], v + 1, &w, jac ? J : NULL) : dc_ee_witness(&o, v, v + 2, &e, jac ? J : NULL);
        if (first == DC_OK) first = alone;
        if (alone != DC_OK) {
            for (k = 0; k < rows; ++k) FUZZ_CHECK(fuzz_untouched(f, &y[(size_t)k*stride + (size_t)i], sizeof *y), "pair %d: status %d, row %d written", i, (int)alone, k);
            for (k = 0; jac && k < 36; ++k) FUZZ_CHECK(fuzz_untouched(f, &jac[(size_t)k*stride + (size_t)i], sizeof *y), "pair %d: status %d, gradient %d written", i, (int)alone, k);
            continue;
        }
        if (kind) memcpy(one, &w, sizeof w);
        else memcpy(one, &e, sizeof e);
        for (k = 0; k < rows; ++k)
            FUZZ_CHECK(memcmp(&one[k], &y[(size_t)k*stride + (size_t)i], sizeof *y) == 0, "pair %d, row %d: %.17g, alone %.17g", i, k, (double)y[(size_t)k*stride + (size_t)i],
                       (double)one[k]);
        /* gradients of alpha_a, alpha_b, gamma are rows 6 to 8 of the Jacobian; of alpha_1, alpha_2, gamma 4, 5, 9 */
        for (k = 0; jac && k < 36; ++k) {
            static const int row[2][3] = {{6, 7, 8}, {4, 5, 9}};
            FUZZ_CHECK(memcmp(&J[12*row[kind][k/12] + k%12], &jac[(size_t)k*stride + (size_t)i], sizeof *y) == 0, "pair %d, gradient %d: %.17g, alone %.17g", i, k,
                       (double)jac[(size_t)k*stride + (size_t)i], (double)J[12*row[kind][k/12] + k%12]);
        }
    }
    /* options are judged though there is no pair */
    FUZZ_CHECK(s == first || (count == 0 && s == DC_E_ARG), "the batch returns %d, its first failure is %d", (int)s, (int)first);
}

/* ---- selection ------------------------------------------------------------------------------------------------ */

static void selection(fuzz *f)
{
    int n = fuzz_count(f, 1, ENTRIES), k = fuzz_int(f, 1, n > 1 ? n : 1), power = fuzz_int(f, 1, 2), i, j, good = n >= 1 && k >= 1 && k <= n && (power == 1 || power == 2);
    size_t sn = n > 0 ? (size_t)n : 0, sk = k > 0 && k <= ENTRIES + 1 ? (size_t)k : 0;
    dc_real *s = fuzz_reals(f, sn), *G = fuzz_reals(f, sn*sk), tau = fuzz_byte(f) & 1 ? DC_R(0.01) : fuzz_real(f);
    dc_real *ds = fuzz_reals(f, sn), *dG = fuzz_reals(f, sn*sk), *bar = fuzz_reals(f, sn*sk), *s_bar = fuzz_reals(f, sn);
    int *top = (int *)fuzz_alloc(f, sk*sizeof(int));
    double left = 0, right = 0, size = 0;
    dc_status st;
    for (i = 0; i < n; ++i) {
        s[i] = fuzz_real(f);
        good = good && dc_abs(s[i]) <= DC_LIMIT;
    }
    good = good && tau >= 1/DC_LIMIT && tau <= DC_LIMIT;
    st = fuzz_status(f, dc_softsort_topk(n, s, k, power, tau, top, G));
    FUZZ_CHECK((st == DC_OK) == good && (st == DC_OK || st == DC_E_ARG), "status %d", (int)st);
    if (st != DC_OK) {
        FUZZ_CHECK(fuzz_untouched(f, top, sk*sizeof(int)) && fuzz_untouched(f, G, sn*sk*sizeof *G), "refused, but written");
        return;
    }
    for (j = 0; j < k; ++j) {
        dc_real sum = 0;
        FUZZ_CHECK(top[j] >= 0 && top[j] < n && (j == 0 || s[top[j]] < s[top[j-1]] || (s[top[j]] <= s[top[j-1]] && top[j] > top[j-1])), "place %d: %d", j, top[j]);
        for (i = 0; i < n; ++i) {
            FUZZ_CHECK(G[j*n + i] >= 0 && G[j*n + i] <= 1, "weight %g", (double)G[j*n + i]);
            sum += G[j*n + i];
        }
        FUZZ_CHECK(dc_abs(sum - 1) <= 16*DC_EPS, "row %d of sum %.17g", j, (double)sum);
    }
    fuzz_mix(f, top, sk*sizeof(int));
    fuzz_mix(f, G, sn*sk*sizeof *G);
    /* bar.(dG ds) = (dG^T bar).ds, where nothing overflows */
    if (!(tau > DC_R(1e-4)) || !(tau < DC_R(1e4))) return;
    for (i = 0; i < n; ++i) {
        if (dc_abs(s[i]) > 100) return;
        ds[i] = (dc_real)(fuzz_byte(f) - 128)/64;
        s_bar[i] = 0;
    }
    for (i = 0; i < n*k; ++i) bar[i] = (dc_real)(fuzz_byte(f) - 128)/64;
    dc_softsort_topk_jvp(n, s, k, power, tau, top, G, ds, dG);
    FUZZ_CHECK(fuzz_finite(dG, sn*sk), "jvp");
    for (i = 0; i < n*k; ++i) {
        left += (double)bar[i]*(double)dG[i];
        size += fabs((double)bar[i])*(fabs((double)dG[i]) + (double)G[i]*100*100/(double)tau);
    }
    dc_softsort_topk_vjp(n, s, k, power, tau, top, G, bar, s_bar);
    FUZZ_CHECK(fuzz_finite(s_bar, sn), "vjp");
    for (i = 0; i < n; ++i) right += (double)s_bar[i]*(double)ds[i];
    FUZZ_CHECK(fabs(left - right) <= 64*(double)DC_EPS*(size + fabs(left) + 1), "jvp %.17g, vjp %.17g", left, right);
    fuzz_mix(f, s_bar, sn*sizeof *s_bar);
}

/* ---- manifolds ---------------------------------------------------------------------------------------------------- */

static const dc_surface *surface(fuzz *f)
{
    dc_surface *s = (dc_surface *)fuzz_alloc(f, sizeof *s);
    dc_mesh *m = (dc_mesh *)fuzz_alloc(f, sizeof *m);
    int *edge, k;
    memset(m, 0, sizeof *m);
    m->nv = fuzz_count(f, 1, MOST);
    m->ne = fuzz_count(f, 1, MOST);
    m->v = fuzz_points(f, m->nv);
    m->edge = edge = (int *)fuzz_alloc(f, m->ne > 0 ? 2*(size_t)m->ne*sizeof(int) : 0);
    for (k = 0; k < 2*m->ne; ++k) edge[k] = fuzz_int(f, 0, m->nv > 1 ? m->nv - 1 : 0);
    s->mesh = fuzz_bad(f) ? NULL : m;
    s->sdf = fuzz_field(f);
    return fuzz_bad(f) ? NULL : s;
}

static dc_manifold_options manifold_options(fuzz *f)
{
    dc_manifold_options o = DC_ZERO;
    int k = fuzz_byte(f);
    o.witness = options(f);
    o.keep_v_a = k & 1 ? fuzz_int(f, 0, MOST) : 0;
    o.keep_v_b = k & 2 ? fuzz_int(f, 0, MOST) : 0;
    o.keep_e_a = k & 4 ? fuzz_int(f, 0, MOST) : 0;
    o.keep_e_b = k & 8 ? fuzz_int(f, 0, MOST) : 0;
    o.power = fuzz_int(f, 0, 2);
    o.tau_top = fuzz_option(f, 1e-4);
    o.tau_pen = fuzz_option(f, 0.01);
    o.tau_sign = fuzz_option(f, 0.05);
    o.tau_nn = fuzz_option(f, 0.02);
    o.tau_cl = fuzz_option(f, 0.1);
    o.eps_n = fuzz_option(f, 1e-8);
    o.tau_n = fuzz_option(f, 1e-8);
    k = fuzz_byte(f);
    o.no_ee = (k & 7) == 7;
    o.no_vs_a = (k & 24) == 24;
    o.no_vs_b = (k & 96) == 96;
    o.trace = k & 128 ? fuzz_int(f, 0, 3) : 0;
    k = fuzz_byte(f);
    o.inside = k & 1;
    o.cull = k & 2 ? fuzz_option(f, 1e-3) : 0;
    return o;
}

static void manifold(fuzz *f)
{
    enum { NUMBERS = sizeof(dc_manifold_contact)/sizeof(dc_real) };
    const dc_surface *a = surface(f), *b = fuzz_byte(f) < 64 ? a : surface(f);
    dc_pose pa = fuzz_pose(f), pb = fuzz_pose(f);
    const dc_pose *qa = fuzz_byte(f) & 1 ? &pa : NULL, *qb = fuzz_byte(f) & 1 ? &pb : NULL;
    dc_manifold_options o = manifold_options(f);
    int part[4] = {-7, -7, -7, -7}, count = dc_manifold_count(a, b, &o, part), kind = fuzz_below(f, 5), i, k;
    size_t n = count > 0 ? (size_t)count : 0, columns = kind == 3 ? 12 : 1, bytes = n*sizeof(dc_manifold_contact), j;
    fuzz_arena m = fuzz_arena_open(f, dc_manifold_bytes(a, b, &o, kind == 4 ? 2 : kind > 0));
    dc_manifold_contact *x = (dc_manifold_contact *)fuzz_alloc(f, bytes), *d = (dc_manifold_contact *)fuzz_alloc(f, columns*bytes);
    dc_real *grad = fuzz_reals(f, 12), *xi = fuzz_reals(f, 12), *hvp = fuzz_reals(f, 12);
    dc_status s;

    FUZZ_CHECK(count >= 0, "%d contacts", count);
    for (k = 0; k < 12; ++k) xi[k] = (dc_real)(fuzz_byte(f) - 128)/64;
    if (kind == 2 || kind == 4)
        for (j = 0; j < n*NUMBERS; ++j) ((dc_real *)d)[j] = (dc_real)((int)(j*37%64) - 32)/32;
    s = fuzz_status(f, kind == 0 ? dc_manifold(a, qa, b, qb, &o, &m.a, x) : kind == 1 ? dc_manifold_jvp(a, qa, b, qb, &o, xi, &m.a, x, d)
                       : kind == 2 ? dc_manifold_vjp(a, qa, b, qb, &o, d, &m.a, x, grad) : kind == 3 ? dc_manifold_jac(a, qa, b, qb, &o, &m.a, x, d)
                       : dc_manifold_hvp(a, qa, b, qb, &o, d, part[2] & 1 ? d : NULL, xi, &m.a, grad, hvp));
    fuzz_arena_close(&m, 0, s);
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_MEMORY || s == DC_E_RANGE, "status %d", (int)s);
    FUZZ_CHECK(s != DC_OK || (a && b && dc_pose_ok(qa) && dc_pose_ok(qb) && (count > 0 || (o.no_ee && o.no_vs_a && o.no_vs_b))), "accepted, %d contacts", count);
    if (s != DC_OK) {
        FUZZ_CHECK(fuzz_untouched(f, x, bytes) && fuzz_untouched(f, grad, 12*sizeof *grad) && fuzz_untouched(f, hvp, 12*sizeof *hvp)
                   && (kind == 2 || kind == 4 || fuzz_untouched(f, d, columns*bytes)), "status %d, but written", (int)s);
        return;
    }
    if (kind == 4) {
        FUZZ_CHECK(fuzz_finite(grad, 12) && fuzz_finite(hvp, 12), "second derivatives");
        fuzz_mix(f, grad, 12*sizeof *grad);
        fuzz_mix(f, hvp, 12*sizeof *hvp);
        return;
    }
    for (i = 0; i < count; ++i) {
        FUZZ_CHECK(fuzz_finite((const dc_real *)(x + i), NUMBERS), "contact %d", i);
        FUZZ_CHECK(x[i].act >= 0 && x[i].act <= 1, "contact %d: activity %g", i, (double)x[i].act);
        FUZZ_CHECK(dc_dot(x[i].n, x[i].n) <= 1 + 16*DC_EPS, "contact %d: |n|^2 = 1 + %g", i, (double)(dc_dot(x[i].n, x[i].n) - 1));
    }
    FUZZ_CHECK(kind == 0 || fuzz_finite(kind == 2 ? grad : (const dc_real *)d, kind == 2 ? 12 : columns*n*NUMBERS), "derivatives");
    fuzz_mix(f, x, bytes);
    if (kind == 2) fuzz_mix(f, grad, 12*sizeof *grad);
    else if (kind) fuzz_mix(f, d, columns*bytes);
    if (kind) {                                                     /* the contacts alone are the same */
        dc_manifold_contact *y = (dc_manifold_contact *)fuzz_alloc(f, bytes);
        size_t need = dc_manifold_bytes(a, b, &o, 0);
        dc_arena mem = dc_arena_make(fuzz_alloc(f, need), need);
        s = dc_manifold(a, qa, b, qb, &o, &mem, y);
        FUZZ_CHECK(s == DC_OK && memcmp(x, y, bytes) == 0, "with and without derivatives: status %d", (int)s);
    }
}

static void calls(fuzz *f)
{
    while (fuzz_more(f) && f->n_blocks < FUZZ_BLOCKS - 100) {
        switch (fuzz_below(f, 6)) {
        case 0: case 1: witness(f); break;
        case 2: batch(f); break;
        case 3: selection(f); break;
        default: manifold(f); break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_input(data, size, calls); }
