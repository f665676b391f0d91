/* Polygons and fields over poses of dc_sdf.h under bytes turned into outlines, files and poses: see support/fuzz.h */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "fuzz.h"
#include "dc_sdf.h"

static void put(unsigned char *p, int n, uint64_t x)
{
    int k;
    for (k = 0; k < n; ++k) p[k] = (unsigned char)(x >> 8*k & 255);
}

/* A saved field: numbers of the head mostly legal, weights of any size, a sum that is mostly right; NULL: too large to bother.
 * *fine: it has to load. */
static unsigned char *file(fuzz *f, size_t *size, int *fine)
{
    static const double radii[8] = {1, 0.5, 2, 1.0/1024, 30, 536870912, 1.0/536870912, 0};
    int wall = fuzz_int(f, 0, 3), raw = fuzz_int(f, 0, 1), K = fuzz_int(f, 1, 5), layers = fuzz_int(f, 1, 4);
    int octets = fuzz_int(f, 1, 3), width = octets > -100 && octets < 100 ? 8*octets : octets, smooth = fuzz_int(f, 0, 1), a = fuzz_below(f, 64), b = fuzz_below(f, 64), scale = fuzz_below(f, 64);
    double ra = radii[a < 32 ? 0 : a%8], rb = radii[b < 32 ? 0 : b%8], least = wall == DC_CSHAPE_HALFPLANE ? rb : fmin(ra, rb);
    int legal = wall >= 0 && wall <= 3 && (raw == 0 || raw == 1) && K >= 1 && K <= 32 && layers >= 1 && layers <= 8 && width >= 8
        && width <= 128 && (smooth == 0 || smooth == 1);
    size_t in = raw ? 3 : 1 + (wall == DC_CSHAPE_POLY ? 4u : 2u)*(size_t)(legal ? K : 1), H = legal ? (size_t)width : 8, count, k;
    uint64_t h = UINT64_C(14695981039346656037), r = (uint64_t)fuzz_byte(f) + 1;
    unsigned char *p;
    count = (in + 1)*H + (legal ? (size_t)layers - 1 : 0)*(H + 1)*H + 2*(H + 1);
    *size = 52 + 4*count + 8;
    p = (unsigned char *)fuzz_alloc(f, *size);
    memcpy(p, "dccfield", 8);
    put(p + 8, 4, 1);
    put(p + 12, 4, (uint64_t)(unsigned)wall);
    put(p + 16, 4, (uint64_t)(unsigned)raw);
    put(p + 20, 4, (uint64_t)(unsigned)K);
    put(p + 24, 4, (uint64_t)(unsigned)layers);
    put(p + 28, 4, (uint64_t)(unsigned)width);
    put(p + 32, 4, (uint64_t)(unsigned)smooth);
    memcpy(&h, &ra, 8);
    put(p + 36, 8, h);
    memcpy(&h, &rb, 8);
    put(p + 44, 8, h);
    for (k = 0; k < count; ++k) {
        float w;
        uint32_t u;
        r = r*UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        w = (float)((double)(r >> 40)/8388608.0 - 1);
        w *= scale == 0 ? 3e38f : scale == 1 ? 1e18f : scale == 2 ? 1e-38f : 0.5f;
        memcpy(&u, &w, 4);
        put(p + 52 + 4*k, 4, u);
    }
    *fine = legal && least >= 1/(double)DC_LIMIT && fmax(wall == DC_CSHAPE_HALFPLANE ? rb : ra, rb) <= 1000*least && ra <= (double)DC_LIMIT;
    /* a few bytes changed, with a sum that is right */
    for (k = 0; k < 3 && fuzz_bad(f); ++k) {
        p[((size_t)fuzz_byte(f)*256 + (size_t)fuzz_byte(f))%(*size - 8)] = (unsigned char)fuzz_byte(f);
        *fine = -1;
    }
    h = UINT64_C(14695981039346656037);
    for (k = 0; k < *size - 8; ++k) h = (h ^ p[k])*UINT64_C(1099511628211);
    put(p + *size - 8, 8, h);
    if (fuzz_bad(f)) {
        p[((size_t)fuzz_byte(f)*256 + (size_t)fuzz_byte(f))%*size] ^= (unsigned char)(1 << fuzz_below(f, 8));
        *fine = 0;
    }
    if (fuzz_bad(f)) {
        *size = (size_t)fuzz_byte(f)*(*size)/256;
        *fine = 0;
    }
    return p;
}

static void field(fuzz *f)
{
    enum { POSES = 5 };
    size_t size, need;
    int fine, smooth, i, k, count;
    unsigned char *bytes = file(f, &size, &fine), *again;
    dc_cfield *c = (dc_cfield *)fuzz_alloc(f, sizeof *c);
    fuzz_arena m;
    dc_status st;
    dc_real *q, *d, *g, *l, *H, *dl;
    dc_cfield_out out = DC_ZERO;
    need = dc_cfield_load_bytes(bytes, size);
    FUZZ_CHECK(fine < 0 || (need > 0) == fine, "fine %d, %lu bytes", fine, (unsigned long)need);
    m = fuzz_arena_open(f, need);
    st = fuzz_status(f, dc_cfield_load(bytes, size, &m.a, c));
    FUZZ_CHECK((st == DC_E_ARG) == (need == 0) && (st == DC_OK || st == DC_E_ARG || st == DC_E_MEMORY), "status %d", (int)st);
    if (st != DC_OK) {
        FUZZ_CHECK(fuzz_untouched(f, c, sizeof *c), "status %d, but written", (int)st);
        fuzz_arena_close(&m, 0, st);
        return;
    }
    FUZZ_CHECK(m.a.used <= need, "%lu bytes of %lu", (unsigned long)m.a.used, (unsigned long)need);
    FUZZ_CHECK(dc_cfield_save_bytes(c) == size, "another size");
    again = (unsigned char *)fuzz_alloc(f, size);
    FUZZ_CHECK(dc_cfield_save(c, again, size) == DC_OK, "not saved again");
    /* a changed radius may be none of a float: that of the field is the nearest */
    if (!DC_IS_FLOAT || fine > 0) FUZZ_CHECK(memcmp(bytes, again, size) == 0, "saved again");
    FUZZ_CHECK(memcmp(bytes, again, 36) == 0 && memcmp(bytes + 52, again + 52, size - 60) == 0, "saved again");
    smooth = c->smooth;
    count = fuzz_below(f, POSES + 1);
    q = fuzz_reals(f, 3*POSES);
    for (i = 0; i < 3*POSES; ++i) q[i] = fuzz_real(f);
    d = fuzz_reals(f, POSES);
    g = fuzz_reals(f, 3*POSES);
    l = fuzz_reals(f, POSES);
    H = fuzz_reals(f, 6*POSES);
    dl = fuzz_reals(f, 3*POSES);
    out.d = d;
    out.grad = g;
    out.lever = l;
    out.hess = smooth ? H : NULL;
    out.dlever = smooth ? dl : NULL;
    m = fuzz_arena_open(f, dc_cfield_eval_bytes(c));
    st = fuzz_status(f, dc_cfield_eval_batch(c, count, q, POSES, &m.a, &out));
    fuzz_arena_close(&m, 0, st);
    if (st != DC_OK) {
        FUZZ_CHECK(st == DC_E_ARG || st == DC_E_MEMORY || st == DC_E_RANGE, "status %d", (int)st);
        FUZZ_CHECK(st == DC_E_RANGE || (fuzz_untouched(f, d, POSES*sizeof *d) && fuzz_untouched(f, g, 3*POSES*sizeof *g)), "written");
        return;
    }
    for (k = 0; k < 3; ++k) {
        FUZZ_CHECK(fuzz_finite(g + k*POSES, (size_t)count), "gradient");
        fuzz_mix(f, g + k*POSES, (size_t)count*sizeof *g);
    }
    FUZZ_CHECK(fuzz_finite(d, (size_t)count) && fuzz_finite(l, (size_t)count), "value");
    fuzz_mix(f, d, (size_t)count*sizeof *d);
    fuzz_mix(f, l, (size_t)count*sizeof *l);
    for (k = 0; k < 6 && smooth; ++k) FUZZ_CHECK(fuzz_finite(H + k*POSES, (size_t)count), "Hessian");
    for (k = 0; k < 3 && smooth; ++k) FUZZ_CHECK(fuzz_finite(dl + k*POSES, (size_t)count), "lever's gradient");
}

/* ---- polygons ------------------------------------------------------------------------------------------------- */

enum { CORNERS = 14 };
typedef struct { dc_poly p; int good; } outline;        /* good: 1 it is a polygon, 0 it is none, -1 who knows */

static void outline_insert(dc_v2 *v, int *n, int at, dc_v2 x)
{
    int k;
    for (k = (*n)++; k > at; --k) v[k] = v[k - 1];
    v[at] = x;
}

/* points anywhere, or a star about its centre, of any size, which one thing may be wrong with */
static outline outline_make(fuzz *f)
{
    outline o;
    dc_v2 *v = (dc_v2 *)fuzz_alloc(f, CORNERS*sizeof *v), swap;
    dc_real size = 1;
    int n = fuzz_int(f, 3, 10), kind = fuzz_byte(f), k, at;
    o.p.v = v;
    o.good = -1;
    if (n < 0 || n > 10) n = n < 0 ? -1 : 2;
    o.p.n = n;
    if (kind < 48) {
        for (k = 0; k < n; ++k) {
            v[k].x = fuzz_real(f);
            v[k].y = fuzz_real(f);
        }
        if (n < 3) o.good = 0;
        return o;
    }
    if (fuzz_byte(f) < 64) size = (dc_real)ldexp(1, 4*fuzz_below(f, 17) - 32);
    for (k = 0; k < n; ++k) {
        dc_real s, c, r = size*(dc_real)(32 + fuzz_byte(f)%224)/256;
        dc_sincos(DC_R(6.283185307179586)*(dc_real)k/(dc_real)n, &s, &c);
        v[k].x = r*c;
        v[k].y = r*s;
    }
    o.good = n < 3 ? 0 : size >= 1/DC_R(65536.0) && size <= DC_R(65536.0) ? 1 : -1;     /* larger ones may be beyond DC_LIMIT */
    if (n < 3) return o;
    at = fuzz_below(f, n);
    switch (fuzz_byte(f)%16) {
    case 0:                                             /* clockwise */
        for (k = 0; k < n/2; ++k) {
            swap = v[k];
            v[k] = v[n - 1 - k];
            v[n - 1 - k] = swap;
        }
        o.good = 0;
        break;
    case 1:                                             /* a vertex twice */
        outline_insert(v, &o.p.n, at, v[at]);
        o.good = 0;
        break;
    case 2:                                             /* a run of vertices on an edge */
        for (k = 1; k < 4; ++k) {
            dc_v2 a = v[at], b = v[(at + 1)%o.p.n];
            a.x += DC_R(0.25)*(b.x - a.x);
            a.y += DC_R(0.25)*(b.y - a.y);
            outline_insert(v, &o.p.n, ++at, a);
            if (at + 1 >= o.p.n) break;
        }
        break;
    case 3:                                             /* there and back */
        swap = v[at];
        swap.x *= 2;
        swap.y *= 2;
        outline_insert(v, &o.p.n, at, v[at]);
        outline_insert(v, &o.p.n, at + 1, swap);
        o.good = 0;
        break;
    case 4:                                             /* two vertices change places: mostly it crosses itself */
        swap = v[at];
        v[at] = v[(at + 1)%n];
        v[(at + 1)%n] = swap;
        o.good = n == 3 ? 0 : -1;
        break;
    case 5:
        v[at].x = fuzz_real(f);
        o.good = -1;
        break;
    default: break;
    }
    return o;
}

static void polygon(fuzz *f)
{
    enum { POINTS = 2*DC_LANES + 1 };
    outline o = outline_make(f);
    dc_poly_moments_of *m = (dc_poly_moments_of *)fuzz_alloc(f, sizeof *m);
    dc_poly_hit *hit = (dc_poly_hit *)fuzz_alloc(f, sizeof *hit);
    int count = fuzz_count(f, 0, POINTS), n = count > 0 ? count : 0, i, ok = o.p.n >= 3;
    dc_real *x = fuzz_reals(f, (size_t)n), *y = fuzz_reals(f, (size_t)n), *d = fuzz_reals(f, (size_t)n), *c = fuzz_reals(f, 2*(size_t)n), radius;
    dc_v2 *v = (dc_v2 *)fuzz_alloc(f, CORNERS*sizeof *v);
    dc_status check = fuzz_status(f, dc_poly_check(&o.p)), st;
    FUZZ_CHECK(check == DC_OK || check == DC_E_ARG, "status %d", (int)check);
    FUZZ_CHECK(o.good < 0 || (check == DC_OK) == o.good, "good %d, status %d", o.good, (int)check);
    for (i = 0; i < o.p.n; ++i) ok = ok && dc_abs(o.p.v[i].x) <= DC_LIMIT && dc_abs(o.p.v[i].y) <= DC_LIMIT;
    FUZZ_CHECK(ok || check == DC_E_ARG, "accepted");
    for (i = 0; i < n; ++i) {
        x[i] = fuzz_real(f);
        y[i] = fuzz_real(f);
        if (!(dc_abs(x[i]) <= DC_LIMIT && dc_abs(y[i]) <= DC_LIMIT)) x[i] = y[i] = 0;
    }
    st = fuzz_status(f, dc_poly_distance_batch(&o.p, count, x, y, d, c, c + n));
    FUZZ_CHECK(st == (ok && count >= 0 ? DC_OK : DC_E_ARG), "status %d", (int)st);
    if (st != DC_OK) FUZZ_CHECK(fuzz_untouched(f, d, (size_t)n*sizeof *d) && fuzz_untouched(f, c, 2*(size_t)n*sizeof *c), "refused, but written");
    for (i = 0; st == DC_OK && i < n; ++i) {
        dc_v2 at;
        at.x = x[i];
        at.y = y[i];
        FUZZ_CHECK(dc_poly_distance(&o.p, at, hit) == DC_OK && hit->edge >= 0 && hit->edge < o.p.n && hit->at >= 0 && hit->at <= 1, "point %d", i);
        FUZZ_CHECK(dc_finite(d[i]) && memcmp(&hit->d, d + i, sizeof *d) == 0, "point %d: %g, alone %g", i, (double)d[i], (double)hit->d);
        FUZZ_CHECK(memcmp(&hit->closest.x, c + i, sizeof *c) == 0 && memcmp(&hit->closest.y, c + n + i, sizeof *c) == 0, "point %d: the nearest", i);
        FUZZ_CHECK(dc_finite(c[i]) && dc_finite(c[n + i]), "point %d: the nearest", i);
        fuzz_mix(f, d + i, sizeof *d);
    }
    st = fuzz_status(f, dc_poly_moments(&o.p, m));
    FUZZ_CHECK((st == DC_E_ARG) == !ok && (st == DC_OK || st == DC_E_ARG || st == DC_E_RANGE), "moments: status %d", (int)st);
    if (st == DC_OK) {
        FUZZ_CHECK(m->area > 0 && dc_finite(m->area) && m->inertia >= 0 && dc_finite(m->inertia) && m->radius > 0 && dc_finite(m->radius)
                   && dc_finite(m->centroid.x) && dc_finite(m->centroid.y), "moments");
        fuzz_mix(f, m, sizeof *m);
    } else FUZZ_CHECK(fuzz_untouched(f, m, sizeof *m), "moments: status %d, but written", (int)st);
    radius = fuzz_option(f, 1);
    for (i = 0; i < o.p.n; ++i) v[i] = o.p.v[i];
    st = fuzz_status(f, dc_poly_centre(o.p.n, v, radius));
    FUZZ_CHECK(st == DC_OK || st == DC_E_ARG || st == DC_E_RANGE, "centre: status %d", (int)st);
    for (i = 0; i < o.p.n; ++i) {
        if (st == DC_OK) FUZZ_CHECK(dc_finite(v[i].x) && dc_finite(v[i].y), "centre: vertex %d", i);
        else FUZZ_CHECK(memcmp(v + i, o.p.v + i, sizeof *v) == 0, "centre: status %d, but written", (int)st);
    }
}

/* exact and sampled fields of outlines, walls among them */
static void made(fuzz *f)
{
    enum { POSES = 3 };
    outline a = outline_make(f), b = outline_make(f);
    dc_cshape s;
    dc_cfield *c = (dc_cfield *)fuzz_alloc(f, sizeof *c);
    dc_cfield_options o = DC_ZERO;
    dc_cfield_out out = DC_ZERO;
    int sampled = fuzz_byte(f) < 32, i, k, good, count = fuzz_below(f, POSES + 1);
    dc_real *q = fuzz_reals(f, 3*POSES), *d = fuzz_reals(f, POSES), *g = fuzz_reals(f, 3*POSES), *l = fuzz_reals(f, POSES);
    dc_status st;
    fuzz_arena m;
    memset(&s, 0, sizeof s);
    s.kind = (dc_cshape_kind)fuzz_below(f, 4);
    s.poly = a.p;
    s.radius = fuzz_byte(f) < 128 ? 2 : fuzz_real(f);
    o.side = fuzz_int(f, 2, 7);
    good = dc_poly_check(&b.p) == DC_OK;
    if (s.kind == DC_CSHAPE_POLY) good = good && dc_poly_check(&a.p) == DC_OK;
    else good = good && !sampled;
    if (s.kind == DC_CSHAPE_DISC || s.kind == DC_CSHAPE_HOLE) good = good && s.radius >= 1/DC_LIMIT && s.radius <= DC_LIMIT;
    m = fuzz_arena_open(f, dc_cfield_bytes(s.kind == DC_CSHAPE_POLY ? a.p.n : 0, b.p.n));
    st = fuzz_status(f, sampled ? dc_cfield_sampled(&o, &s, &b.p, &m.a, c) : dc_cfield_exact(&o, &s, &b.p, &m.a, c));
    FUZZ_CHECK(st == DC_E_MEMORY || (st == DC_OK && good) || st == DC_E_ARG, "good %d, status %d", good, (int)st);
    FUZZ_CHECK(!(st == DC_E_ARG && good && (o.side == 0 || (o.side >= 2 && o.side <= 4096))), "refused");
    if (st != DC_OK) {
        FUZZ_CHECK(fuzz_untouched(f, c, sizeof *c), "status %d, but written", (int)st);
        fuzz_arena_close(&m, 0, st);
        return;
    }
    FUZZ_CHECK(m.a.used <= m.need, "%lu bytes of %lu", (unsigned long)m.a.used, (unsigned long)m.need);
    /* near each other more often than not */
    for (i = 0; i < POSES; ++i)
        for (k = 0; k < 3; ++k) {
            dc_real at = fuzz_real(f);
            q[k*POSES + i] = k > 0 && fuzz_byte(f) < 192 ? (c->a.radius + c->b.radius)*(dc_real)(fmod((double)at, 1) - 0.5) : at;
        }
    out.d = d;
    out.grad = g;
    out.lever = l;
    m = fuzz_arena_open(f, dc_cfield_eval_bytes(c));
    st = fuzz_status(f, dc_cfield_eval_batch(c, count, q, POSES, &m.a, &out));
    fuzz_arena_close(&m, 0, st);
    for (good = 1, i = 0; i < count; ++i)
        for (k = 0; k < 3; ++k) good = good && dc_abs(q[k*POSES + i]) <= DC_LIMIT;
    FUZZ_CHECK((st == DC_E_ARG) == !good && (st == DC_OK || st == DC_E_ARG || st == DC_E_MEMORY || st == DC_E_DIVERGED), "status %d", (int)st);
    if (st != DC_OK && st != DC_E_DIVERGED) {
        FUZZ_CHECK(fuzz_untouched(f, d, POSES*sizeof *d) && fuzz_untouched(f, g, 3*POSES*sizeof *g) && fuzz_untouched(f, l, POSES*sizeof *l), "status %d, but written", (int)st);
        return;
    }
    for (k = 0; k < 3; ++k) {
        FUZZ_CHECK(fuzz_finite(g + k*POSES, (size_t)count), "gradient");
        fuzz_mix(f, g + k*POSES, (size_t)count*sizeof *g);
    }
    FUZZ_CHECK(fuzz_finite(d, (size_t)count) && fuzz_finite(l, (size_t)count), "value");
    fuzz_mix(f, d, (size_t)count*sizeof *d);
    fuzz_mix(f, l, (size_t)count*sizeof *l);
}

static void calls(fuzz *f)
{
    while (fuzz_more(f) && f->n_blocks < FUZZ_BLOCKS - 30) {
        int kind = fuzz_byte(f);
        if (kind < 64) made(f);
        else if (kind < 160) polygon(f);
        else field(f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_input(data, size, calls); }
