/* fuzz_field.h - fields of dc_sdf.h from bytes, for the fuzz programs; include it after fuzz.h */
#ifndef DC_TEST_FUZZ_FIELD_H_INCLUDED
#define DC_TEST_FUZZ_FIELD_H_INCLUDED

#include "dc_sdf.h"

#define FUZZ_PRIMS 4
#define FUZZ_PLANES 4

static inline dc_sdf_prim fuzz_prim(fuzz *f)
{
    dc_sdf_prim p;
    dc_v3 *n, *at;
    dc_real *sigma;
    int k;
    memset(&p, 0, sizeof p);
    p.kind = (dc_sdf_kind)fuzz_int(f, 0, 5);
    p.pose = fuzz_pose(f);
    p.scale = fuzz_option(f, 1);
    p.size.x = dc_abs(fuzz_option(f, 1)) + (f->bad ? 0 : DC_R(0.0625));
    p.size.y = dc_abs(fuzz_option(f, 1)) + (f->bad ? 0 : DC_R(0.0625));
    p.size.z = dc_abs(fuzz_option(f, 1)) + (f->bad ? 0 : DC_R(0.0625));
    p.eps1 = fuzz_bad(f) ? fuzz_real(f) : DC_R(0.02) + (dc_real)fuzz_byte(f)/130;
    p.eps2 = fuzz_bad(f) ? fuzz_real(f) : DC_R(0.02) + (dc_real)fuzz_byte(f)/130;
    k = fuzz_byte(f);
    p.taubin = k & 1;
    p.subtract = (k & 6) == 6;
    if (p.kind != DC_SDF_POLYHEDRON && p.kind != DC_SDF_CLOUD) return p;
    p.smooth = dc_abs(fuzz_option(f, 0.1));
    p.count = fuzz_count(f, 1, FUZZ_PLANES);
    p.p = at = fuzz_points(f, p.count);
    p.n = n = (dc_v3 *)fuzz_alloc(f, p.count > 0 ? (size_t)p.count*sizeof *n : 0);
    p.sigma = sigma = fuzz_reals(f, p.count > 0 ? (size_t)p.count : 0);
    for (k = 0; k < p.count; ++k) {
        dc_v3 e = dc_vec((dc_real)(fuzz_byte(f) - 128), (dc_real)(fuzz_byte(f) - 128), DC_R(0.5));
        n[k] = fuzz_bad(f) ? fuzz_v3(f) : dc_scale(1/dc_sqrt(dc_dot(e, e)), e);
        sigma[k] = fuzz_bad(f) ? fuzz_real(f) : DC_R(0.0625) + (dc_real)fuzz_byte(f)/128;
        if (!f->bad && !dc_in_range(at[k])) at[k] = dc_vec(1, 0, 0);
    }
    return p;
}

/* A field, sometimes NULL, of up to FUZZ_PRIMS primitives. */
static inline const dc_sdf *fuzz_field(fuzz *f)
{
    dc_sdf *s = (dc_sdf *)fuzz_alloc(f, sizeof *s);
    dc_sdf_prim *p;
    int k;
    s->n = fuzz_count(f, 1, FUZZ_PRIMS);
    s->prim = p = (dc_sdf_prim *)fuzz_alloc(f, s->n > 0 ? (size_t)s->n*sizeof *p : 0);
    s->tau = dc_abs(fuzz_option(f, 0.1));
    for (k = 0; k < s->n; ++k) p[k] = fuzz_prim(f);
    if (s->n > 0 && !f->bad) p[0].subtract = 0;
    if (fuzz_bad(f)) s->prim = NULL;
    return fuzz_bad(f) ? NULL : s;
}

/* whether dc_sdf.h accepts it: that it is asked once, at the origin; the functions have to agree */
static inline int fuzz_field_good(const dc_sdf *s) { return dc_sdf_eval(s, dc_vec(0, 0, 0), NULL, NULL, NULL) != DC_E_ARG; }

#endif /* DC_TEST_FUZZ_FIELD_H_INCLUDED */
