/* Learned fields of dc_sdf.h under bytes turned into files and poses: see support/fuzz.h */
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
    FUZZ_CHECK(dc_cfield_save(c, again, size) == DC_OK && memcmp(bytes, again, size) == 0, "saved again");
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

static void calls(fuzz *f)
{
    while (fuzz_more(f) && f->n_blocks < FUZZ_BLOCKS - 20) field(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_input(data, size, calls); }
