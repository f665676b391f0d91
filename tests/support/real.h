/* real.h - what test programs share that speaks dc_real; include it after dc_contact.h and support.h */
#ifndef DC_TEST_REAL_H_INCLUDED
#define DC_TEST_REAL_H_INCLUDED

#include <math.h>
#include <string.h>

#define EPS ((double)DC_EPS)

/* what outputs are filled with that a call must not touch */
enum { PATTERN = 0x5a };

DC_INLINE int all_bytes(const void *p, size_t n, unsigned char byte)
{
    const unsigned char *b = (const unsigned char *)p;
    size_t i;
    for (i = 0; i < n; ++i)
        if (b[i] != byte) return 0;
    return 1;
}

DC_INLINE int untouched(const void *p, size_t n) { return all_bytes(p, n, PATTERN); }

/* a bar */
DC_INLINE double rounded(double in_double, double in_float) { return DC_IS_FLOAT ? in_float : in_double; }

/* Symmetric matrix from its upper triangle by rows. */
DC_INLINE void read_symmetric(table *t, double *H, size_t n)
{
    size_t i, j;
    for (i = 0; i < n; ++i)
        for (j = i; j < n; ++j) {
            table_real(t, &H[i*n + j]);
            H[j*n + i] = H[i*n + j];
        }
}

/* What tables give of a matrix that is too large for them: two vectors, what it makes of them, its diagonal. */
DC_INLINE void read_probes(table *t, size_t n, double *v, double *Hv, double *w, double *Hw, double *diagonal)
{
    table_expect(t, "V");
    table_reals(t, v, n);
    table_expect(t, "HVV");
    table_reals(t, Hv, n);
    table_expect(t, "V");
    table_reals(t, w, n);
    table_expect(t, "HVV");
    table_reals(t, Hw, n);
    table_expect(t, "DIAG");
    table_reals(t, diagonal, n);
}

/* Largest difference over the largest entry of `want`; NaN counts; 0/0 is 0. */
DC_INLINE double relative_error(const dc_real *got, const double *want, size_t n)
{
    double d = 0, m = 0;
    size_t i;
    for (i = 0; i < n; ++i) {
        double e = fabs((double)got[i] - want[i]);
        if (!(e <= d)) d = e;
        m = fmax(m, fabs(want[i]));
    }
    return d <= 0 ? 0 : d/m;
}

DC_INLINE double largest(const dc_real *x, int n)
{
    double m = 0;
    int k;
    for (k = 0; k < n; ++k) m = fmax(m, fabs((double)x[k]));
    return m;
}

DC_INLINE void to_double(const dc_real *x, double *y, int n)
{
    int k;
    for (k = 0; k < n; ++k) y[k] = (double)x[k];
}

/* n points from 3n numbers */
DC_INLINE void to_points(const double *x, int n, dc_v3 *v)
{
    int k;
    for (k = 0; k < n; ++k) v[k] = dc_vec((dc_real)x[3*k], (dc_real)x[3*k + 1], (dc_real)x[3*k + 2]);
}

/* FNV-1a over the bytes of n numbers, the lowest first, for golden bits; start with 14695981039346656037 */
DC_INLINE uint64_t mix(uint64_t h, const dc_real *x, int n)
{
    int k;
    size_t i;
    for (k = 0; k < n; ++k) {
        dc_real  v = x[k] + 0;                    /* one zero */
        uint32_t low;
        uint64_t bits;
        if (DC_IS_FLOAT) {
            memcpy(&low, &v, sizeof low);
            bits = low;
        } else {
            memcpy(&bits, &v, sizeof v);
        }
        for (i = 0; i < sizeof v; ++i, bits >>= 8) h = (h ^ (bits & 255))*UINT64_C(1099511628211);
    }
    return h;
}

#endif /* DC_TEST_REAL_H_INCLUDED */
