/* dc_contact.h under bytes turned into calls: see support/fuzz.h */
#define DC_CONTACT_IMPLEMENTATION
#include "fuzz.h"

#define MOST 6                          /* vertices of a hull, rows of a matrix */

static int between(dc_real lo, dc_real x, dc_real hi) { return x >= lo && x <= hi; }
/* of numbers that are finite */
static dc_real largest(const dc_real *x, int n)
{
    dc_real m = 0;
    int k;
    for (k = 0; k < n; ++k) m = dc_max(m, dc_abs(x[k]));
    return m;
}

/* ---- elementary functions, rotations, smooth operators --------------------------------------------------- */

static void elementary(fuzz *f)
{
    dc_real x = fuzz_real(f), y = fuzz_real(f), s, c, r[12];
    int nan = x != x, nan2 = nan || y != y, k;
    r[0] = dc_sqrt(x);
    r[1] = dc_exp(x);
    r[2] = dc_log(x);
    r[3] = dc_log1p(x);
    r[4] = dc_tanh(x);
    r[5] = dc_sigmoid(x);
    r[6] = dc_softplus(x);
    r[7] = dc_pow(x, y);
    r[8] = dc_atan2(y, x);
    r[9] = dc_blend(x, &s, &c);
    FUZZ_CHECK(between(0, r[9], 1) && fuzz_finite(&s, 1) && fuzz_finite(&c, 1), "blend of %g", (double)x);
    dc_sincos(x, &s, &c);
    r[10] = s;
    r[11] = c;
    FUZZ_CHECK((r[0] != r[0]) == (nan || x < 0) && (r[2] != r[2]) == (nan || x < 0) && (r[3] != r[3]) == (nan || x < -1), "root or log of %g", (double)x);
    FUZZ_CHECK(nan ? r[1] != r[1] : r[1] >= 0, "exp %g = %g", (double)x, (double)r[1]);
    FUZZ_CHECK(nan ? r[4] != r[4] : between(-1, r[4], 1), "tanh %g = %g", (double)x, (double)r[4]);
    FUZZ_CHECK(nan ? r[5] != r[5] : between(0, r[5], 1), "sigmoid %g = %g", (double)x, (double)r[5]);
    FUZZ_CHECK(nan ? r[6] != r[6] : r[6] >= 0 && r[6] >= x, "softplus %g = %g", (double)x, (double)r[6]);
    FUZZ_CHECK((s != s) == !dc_finite(x), "sin %g = %g", (double)x, (double)s);
    FUZZ_CHECK(!dc_finite(x) || dc_abs(s*s + c*c - 1) <= 4*DC_EPS, "sin, cos %g", (double)x);
    FUZZ_CHECK(nan2 ? r[8] != r[8] : dc_abs(r[8]) <= DC_R(3.1415927411), "atan2 %g %g = %g", (double)y, (double)x, (double)r[8]);
    FUZZ_CHECK(!(x > 0) || nan2 || r[7] >= 0, "pow %g %g = %g", (double)x, (double)y, (double)r[7]);
    FUZZ_CHECK(dc_tanh(-x) == -r[4] || nan, "tanh %g", (double)x);
    /* a NaN has no bits promised */
    for (k = 0; k < 12; ++k)
        if (r[k] == r[k]) fuzz_mix(f, &r[k], sizeof r[k]);
}

static void rotations(fuzz *f)
{
    dc_pose p = fuzz_pose(f), u;
    dc_quat q, out;
    dc_v3 w = fuzz_v3(f);
    dc_real xi[6], back[6], e;
    dc_m3 R, W;
    int k;
    q.w = fuzz_real(f);
    q.x = fuzz_real(f);
    q.y = fuzz_real(f);
    q.z = fuzz_real(f);
    memset(&out, 0x5a, sizeof out);
    if (fuzz_status(f, dc_quat_normalize(q, &out)) == DC_OK) {
        e = out.w*out.w + out.x*out.x + out.y*out.y + out.z*out.z - 1;
        FUZZ_CHECK(dc_abs(e) <= 8*DC_EPS, "|q|^2 - 1 = %g", (double)e);
        fuzz_mix(f, &out, sizeof out);
        w = dc_quat_log(out);
        FUZZ_CHECK(dc_dot(w, w) <= DC_R(9.8697), "log of a quaternion");
        fuzz_mix(f, &w, sizeof w);
    } else {
        dc_quat same;
        memset(&same, 0x5a, sizeof same);
        FUZZ_CHECK(memcmp(&out, &same, sizeof out) == 0, "written");
        FUZZ_CHECK(!fuzz_finite(&q.w, 4) || largest(&q.w, 4) <= 0, "refused");
    }
    if (!dc_in_range(w) || !dc_pose_ok(&p)) return;
    xi[0] = p.t.x;  xi[1] = p.t.y;  xi[2] = p.t.z;
    xi[3] = w.x;  xi[4] = w.y;  xi[5] = w.z;
    u = dc_pose_retract(p, xi);
    FUZZ_CHECK(dc_pose_ok(&u) || !(largest(xi, 6) < DC_LIMIT/2), "a pose moved is no pose");
    fuzz_mix(f, &u, sizeof u);
    dc_pose_local(p, u, back);
    FUZZ_CHECK(fuzz_finite(back, 6), "twist between poses");
    if (dc_dot(w, w) < 9)
        for (k = 3; k < 6; ++k) FUZZ_CHECK(dc_abs(back[k] - xi[k]) <= 64*DC_EPS, "twist %d: %g, not %g", k, (double)back[k], (double)xi[k]);
    fuzz_mix(f, back, sizeof back);
    R = dc_m3_exp(w);
    FUZZ_CHECK(fuzz_finite(R.m, 9) && largest(R.m, 9) <= 1 + 8*DC_EPS, "exp of |w|^2 = %g", (double)dc_dot(w, w));
    w = dc_m3_log(&R);
    FUZZ_CHECK(dc_dot(w, w) <= DC_R(9.8697), "log of a matrix");
    W = dc_so3_jl_inv(w);
    FUZZ_CHECK(fuzz_finite(W.m, 9), "J^-1");
    fuzz_mix(f, &W, sizeof W);
    fuzz_mix(f, R.m, sizeof R.m);
    W = dc_so3_jl_grad(w, p.t);
    FUZZ_CHECK(fuzz_finite(W.m, 9), "derivative of J");
    q = dc_quat_from_m3(&R);
    e = q.w*q.w + q.x*q.x + q.y*q.y + q.z*q.z - 1;
    FUZZ_CHECK(q.w >= 0 && dc_abs(e) <= 16*DC_EPS, "quaternion of a matrix");
    fuzz_mix(f, &q, sizeof q);
}

static void smooth(fuzz *f)
{
    dc_real x = fuzz_real(f), a = fuzz_real(f), b = fuzz_real(f), eps = dc_abs(fuzz_real(f)), d[2], v[5];
    int n = 1 + fuzz_below(f, MOST), i, k;
    dc_real *y = fuzz_reals(f, (size_t)n), *w = fuzz_reals(f, (size_t)n), *H = fuzz_reals(f, (size_t)(n*n)), lse, sum = 0, most, least;
    dc_v3 args = dc_vec(x, a, b);
    if (!dc_in_range(args) || !(eps >= 1/DC_LIMIT && eps <= DC_LIMIT) || a > b) return;
    v[0] = dc_soft_sign(x, eps, d, d + 1);
    v[1] = dc_soft_relu(x, eps, d, d + 1);
    v[2] = dc_soft_clip(x, a, b, eps, d, d + 1);
    v[3] = dc_soft_greater(x, a, eps, d, d + 1);
    v[4] = dc_soft_within(x, a, b, eps, d, d + 1);
    FUZZ_CHECK(between(-1, v[0], 1) && between(0, v[1], DC_REAL_MAX), "sign, relu of %g, eps %g", (double)x, (double)eps);
    FUZZ_CHECK(v[1] >= x - dc_abs(x)*2*(1 + dc_abs(x)/eps)*DC_EPS, "relu %.17g, eps %g: %.17g", (double)x, (double)eps, (double)v[1]);
    FUZZ_CHECK(between(a, v[2], b), "clip %.17g to [%.17g, %.17g], eps %g: %.17g", (double)x, (double)a, (double)b, (double)eps, (double)v[2]);
    FUZZ_CHECK(between(0, v[3], 1) && between(0, v[4], 1), "greater, within of %g", (double)x);
    fuzz_mix(f, v, sizeof v);
    for (i = 0; i < n; ++i) y[i] = fuzz_real(f);
    if (!fuzz_finite(y, (size_t)n) || !(largest(y, n) <= DC_LIMIT)) return;
    for (i = 1, most = least = y[0]; i < n; ++i) {
        most = dc_max(most, y[i]);
        least = dc_min(least, y[i]);
    }
    if (fuzz_byte(f) & 1) eps = -eps;
    lse = dc_lse(n, y, eps, w, H);
    for (i = 0; i < n; ++i) sum += w[i];
    FUZZ_CHECK(fuzz_finite(w, (size_t)n) && dc_abs(sum - 1) <= 8*DC_EPS, "weights of sum %.17g, tau %g, from %g to %g", (double)sum, (double)eps, (double)least, (double)most);
    FUZZ_CHECK(eps > 0 ? lse >= most : lse <= least, "lse %.17g, largest %.17g, least %.17g, tau %g", (double)lse, (double)most, (double)least, (double)eps);
    FUZZ_CHECK(dc_abs(lse - (eps > 0 ? most : least)) <= dc_abs(eps)*DC_R(1.8) + 4*DC_EPS*largest(y, n), "lse %g", (double)lse);
    for (i = 0; i < n; ++i)
        for (k = 0; k < n; ++k) FUZZ_CHECK(dc_finite(H[i*n + k]) && !(H[i*n + k] < H[k*n + i]), "second derivative of lse");
    fuzz_mix(f, &lse, sizeof lse);
    fuzz_mix(f, w, (size_t)n*sizeof *w);
}

/* ---- dense algebra ------------------------------------------------------------------------------------------ */

typedef dc_status (*solver)(int n, const dc_real *A, int ld, const int *piv, int nrhs, dc_real *B, int ldb);

static void dense(fuzz *f)
{
    int n = fuzz_count(f, 1, MOST), ld = n + fuzz_below(f, 3) - (fuzz_bad(f) ? 2 : 0), nrhs = fuzz_count(f, 1, 2), ldb = nrhs + fuzz_below(f, 2);
    int rows = n > 0 ? n : 0, wide = ld > n ? ld : n, many = rows*(wide > 0 ? wide : 0), kind = fuzz_below(f, 5), where = -7, i, j;
    size_t bytes = (size_t)many*sizeof(dc_real), right = (size_t)(rows*(ldb > 0 ? ldb : 0));
    dc_real *A = fuzz_reals(f, (size_t)many), *old = fuzz_reals(f, (size_t)many), *B = fuzz_reals(f, right), *b = fuzz_reals(f, right);
    dc_real *V = fuzz_reals(f, (size_t)many), *w = fuzz_reals(f, (size_t)rows);
    int *piv = (int *)fuzz_alloc(f, (size_t)rows*sizeof(int)), finite = 1;
    dc_status s;
    for (i = 0; i < rows; ++i)
        for (j = 0; j < wide; ++j) A[i*wide + j] = j < i && kind != 1 ? A[j*wide + i] : fuzz_real(f);
    if (fuzz_byte(f) & 1)
        for (i = 0; i < rows; ++i) A[i*wide + i] = 4*MOST*dc_abs(A[i*wide + i]);     /* often positive definite */
    for (i = 0; i < (int)right; ++i) B[i] = fuzz_real(f);
    memcpy(old, A, bytes);
    memcpy(b, B, right*sizeof *B);
    for (i = 0; i < rows; ++i)
        for (j = kind == 1 ? 0 : i; j < n; ++j) finite &= dc_finite(A[i*wide + j]);

    if (kind >= 3) {
        size_t need = kind == 3 ? dc_eigsym_bytes(n) : dc_psd_clamp_bytes(n);
        fuzz_arena m = fuzz_arena_open(f, need);
        int vectors = fuzz_byte(f) & 1;
        dc_real least = fuzz_real(f), big = 0;
        s = fuzz_status(f, kind == 3 ? dc_eigsym(n, A, ld, w, vectors ? V : NULL, ld, &m.a) : dc_psd_clamp(n, A, ld, least, &m.a));
        fuzz_arena_close(&m, 0, s);
        FUZZ_CHECK(s != DC_E_DIVERGED, "more than 50 sweeps");
        FUZZ_CHECK(s != DC_OK || (finite && n >= 1 && ld >= n), "accepted");
        if (s != DC_OK) {
            FUZZ_CHECK(memcmp(A, old, bytes) == 0 && fuzz_untouched(f, w, (size_t)rows*sizeof *w) && fuzz_untouched(f, V, bytes), "status %d, but written", (int)s);
            return;
        }
        if (kind == 3) {
            for (i = 0; i < n; ++i) FUZZ_CHECK(dc_finite(w[i]) && (i == 0 || w[i] >= w[i-1]), "eigenvalue %d: %g", i, (double)w[i]);
            fuzz_mix(f, w, (size_t)n*sizeof *w);
            for (i = 0; vectors && i < n; ++i) {
                FUZZ_CHECK(fuzz_finite(V + i*ld, (size_t)n), "eigenvector %d", i);
                fuzz_mix(f, V + i*ld, (size_t)n*sizeof *V);
            }
        } else {
            for (i = 0; i < n; ++i) {
                for (j = 0; j < n; ++j) {
                    big = dc_max(big, dc_max(dc_abs(A[i*ld + j]), j >= i ? dc_abs(old[i*ld + j]) : 0));
                    FUZZ_CHECK(dc_finite(A[i*ld + j]) && !(A[i*ld + j] < A[j*ld + i]), "clamped (%d,%d)", i, j);
                }
                fuzz_mix(f, A + i*ld, (size_t)n*sizeof *A);
            }
            for (i = 0; i < n; ++i) FUZZ_CHECK(A[i*ld + i] >= least - DC_R(1.6)*(dc_real)(n*n)*DC_EPS*big - DC_REAL_MIN, "diagonal %g below %g", (double)A[i*ld + i], (double)least);
        }
        for (i = 0; i < n; ++i) FUZZ_CHECK(memcmp(A + i*ld + n, old + i*ld + n, (size_t)(ld - n)*sizeof *A) == 0, "columns beyond n");
        return;
    }
    s = fuzz_status(f, kind == 0 ? dc_chol_factor(n, A, ld, &where) : kind == 1 ? dc_lu_factor(n, A, ld, piv, &where) : dc_ldlt_factor(n, A, ld, piv, &where));
    FUZZ_CHECK((s == DC_E_SINGULAR) == (where != -7) && (where == -7 || (where >= 0 && where < n)), "status %d, where %d", (int)s, where);
    FUZZ_CHECK(s == DC_E_ARG || (finite && n >= 1 && ld >= n), "accepted");
    if (s == DC_E_ARG) FUZZ_CHECK(memcmp(A, old, bytes) == 0, "refused, but written");
    if (s == DC_E_ARG && finite) FUZZ_CHECK(n < 1 || ld < n, "refused");
    if (s == DC_OK) {
        int inertia[3];
        for (i = 0; i < n; ++i) FUZZ_CHECK(memcmp(A + i*ld + n, old + i*ld + n, (size_t)(ld - n)*sizeof *A) == 0, "columns beyond n");
        if (kind == 2) {
            FUZZ_CHECK(dc_ldlt_inertia(n, A, ld, piv, inertia) == DC_OK && inertia[0] >= 0 && inertia[1] >= 0 && inertia[2] == 0
                       && inertia[0] + inertia[1] == n, "inertia");
            fuzz_mix(f, inertia, sizeof inertia);
        }
        s = fuzz_status(f, kind == 0 ? dc_chol_solve(n, A, ld, nrhs, B, ldb) : kind == 1 ? dc_lu_solve(n, A, ld, piv, nrhs, B, ldb) : dc_ldlt_solve(n, A, ld, piv, nrhs, B, ldb));
        if (s == DC_E_ARG) FUZZ_CHECK(memcmp(B, b, right*sizeof *B) == 0, "refused, but written");
        if (s == DC_OK)
            for (i = 0; i < n; ++i)
                for (j = 0; j < ldb; ++j) {
                    if (j < nrhs) FUZZ_CHECK(dc_finite(B[i*ldb + j]), "solution %g", (double)B[i*ldb + j]);
                    else FUZZ_CHECK(memcmp(&B[i*ldb + j], &b[i*ldb + j], sizeof *B) == 0, "columns beyond nrhs");
                    fuzz_mix(f, &B[i*ldb + j], sizeof *B);
                }
    }
}

static void inverse(fuzz *f)
{
    dc_m3 A, I, P;
    dc_status s;
    int i;
    for (i = 0; i < 9; ++i) A.m[i] = fuzz_real(f);
    memset(&I, 0x5a, sizeof I);
    P = I;
    s = fuzz_status(f, dc_m3_inv(&A, &I));
    if (s != DC_OK) {
        FUZZ_CHECK(memcmp(&I, &P, sizeof I) == 0, "written");
        return;
    }
    FUZZ_CHECK(fuzz_finite(I.m, 9), "inverse");
    fuzz_mix(f, &I, sizeof I);
    /* where no product underflows */
    if (largest(A.m, 9) < DC_LIMIT && largest(I.m, 9) < DC_LIMIT && largest(A.m, 9) > 1/DC_LIMIT && largest(I.m, 9) > 1/DC_LIMIT) {
        P = dc_m3_mul(&A, &I);
        for (i = 0; i < 9; i += 4) P.m[i] -= 1;
        FUZZ_CHECK(largest(P.m, 9) <= 12*DC_EPS*largest(A.m, 9)*largest(I.m, 9), "A A^-1 - 1: %g", (double)largest(P.m, 9));
    }
}

/* ---- hulls ----------------------------------------------------------------------------------------------------- */

/* two hulls and how they are posed; those that touch, cross and lie apart */
typedef struct { dc_hull a, b; dc_v3 *va, *vb; dc_pose pa, pb; const dc_pose *qa, *qb; const dc_hull *ha, *hb; } two;

/* in place: it points into itself */
static void hulls(fuzz *f, two *t)
{
    memset(t, 0, sizeof *t);
    t->a.n = fuzz_count(f, 1, MOST);
    t->b.n = fuzz_count(f, 1, MOST);
    t->a.v = t->va = fuzz_points(f, t->a.n);
    t->b.v = t->vb = fuzz_points(f, t->b.n);
    t->pa = fuzz_pose(f);
    t->pb = fuzz_pose(f);
    t->pa.t.z += (dc_real)(fuzz_byte(f)/64);
    t->qa = fuzz_byte(f) & 1 ? &t->pa : NULL;
    t->qb = fuzz_byte(f) & 1 ? &t->pb : NULL;
    if (fuzz_bad(f)) t->a.v = NULL;
    t->ha = fuzz_bad(f) ? NULL : &t->a;
    t->hb = fuzz_bad(f) ? NULL : &t->b;
}

/* whether the arguments are what the functions accept */
static int hull_good(const dc_hull *h)
{
    int k;
    if (!h || !h->v || h->n < 1 || !(h->radius >= 0 && h->radius <= DC_LIMIT)) return 0;
    for (k = 0; k < h->n; ++k)
        if (!dc_in_range(h->v[k])) return 0;
    return 1;
}
/* of a gradient by all vertices */
static size_t vertex_entries(const two *t) { return 3*((t->a.n > 0 ? (size_t)t->a.n : 0) + (t->b.n > 0 ? (size_t)t->b.n : 0)); }
static int two_good(const two *t) { return hull_good(t->ha) && hull_good(t->hb) && dc_pose_ok(t->qa) && dc_pose_ok(t->qb); }

/* largest |vertex| + radius + |t| of a, of b, summed: coordinates as the accuracy of distances is stated */
static dc_real hull_size(const dc_hull *h, const dc_pose *p)
{
    dc_real m = 0;
    int k;
    for (k = 0; k < h->n; ++k) m = dc_max(m, largest(&h->v[k].x, 3));
    return DC_R(1.8)*(m + h->radius + (p ? largest(&p->t.x, 3) : 0));
}

static dc_v3 placed(const dc_pose *p, dc_v3 x) { return p ? dc_pose_apply(*p, x) : x; }

/* least n.x over a - largest n.y over b */
static dc_real room(const two *t, dc_v3 n)
{
    dc_real a = 0, b = 0;
    int k;
    for (k = 0; k < t->a.n; ++k) {
        dc_real x = dc_dot(n, placed(t->qa, t->a.v[k]));
        a = k ? dc_min(a, x) : x;
    }
    for (k = 0; k < t->b.n; ++k) {
        dc_real x = dc_dot(n, placed(t->qb, t->b.v[k]));
        b = k ? dc_max(b, x) : x;
    }
    return a - b;
}

static void feature_holds(const dc_hull *h, const dc_pose *p, int n, const int *index, const dc_real *weight, dc_v3 point, dc_real slack)
{
    dc_v3   x = dc_vec(0, 0, 0);
    dc_real sum = 0;
    int k;
    FUZZ_CHECK(n >= 1 && n <= 3, "%d vertices", n);
    for (k = 0; k < n; ++k) {
        FUZZ_CHECK(index[k] >= 0 && index[k] < h->n, "vertex %d of %d", index[k], h->n);
        FUZZ_CHECK(weight[k] >= -8*DC_EPS && weight[k] <= 1 + 8*DC_EPS, "weight %g", (double)weight[k]);
        x = dc_madd(x, weight[k], placed(p, h->v[index[k]]));
        sum += weight[k];
    }
    for (; k < 3; ++k) FUZZ_CHECK(index[k] == 0, "unused vertex %d", index[k]);
    FUZZ_CHECK(dc_abs(sum - 1) <= 16*DC_EPS, "weights of sum %.17g", (double)sum);
    x = dc_sub(x, point);
    FUZZ_CHECK(largest(&x.x, 3) <= slack, "witness point %g off its feature, %g allowed", (double)largest(&x.x, 3), (double)slack);
}

static void distance(fuzz *f)
{
    two t;
    dc_distance *d = (dc_distance *)fuzz_alloc(f, sizeof *d), old;
    fuzz_arena m;
    int warm = fuzz_byte(f), alone = fuzz_byte(f) < 64, good, k;
    size_t fields = offsetof(dc_distance, iterations) + sizeof d->iterations;
    dc_real S, u;
    dc_status s;

    hulls(f, &t);
    good = two_good(&t);
    m = fuzz_arena_open(f, dc_hull_distance_bytes(t.a.n, t.b.n));
    memset(d, 0, sizeof *d);
    if (warm & 1) {
        d->na = fuzz_int(f, 0, 3);
        d->nb = fuzz_int(f, 0, 3);
        for (k = 0; k < 3; ++k) {
            d->ia[k] = fuzz_int(f, 0, MOST);
            d->ib[k] = fuzz_int(f, 0, MOST);
            d->wa[k] = fuzz_real(f);
            d->wb[k] = fuzz_real(f);
        }
        d->n = fuzz_v3(f);
        d->gap = fuzz_real(f);
    }
    memcpy(&old, d, sizeof old);
    s = fuzz_status(f, dc_hull_distance(t.ha, t.qa, t.hb, t.qb, alone ? NULL : &m.a, d));
    fuzz_arena_close(&m, 0, s);
    FUZZ_CHECK((s == DC_E_ARG) == !good, "status %d, arguments are %s", (int)s, good ? "good" : "bad");
    FUZZ_CHECK(s != DC_E_OVERLAP || alone, "overlap has a depth");
    if (s == DC_E_OVERLAP) {
        FUZZ_CHECK(!(d->gap < 0) && !(d->gap > 0), "overlap with gap %g", (double)d->gap);
        old.gap = d->gap;
    }
    if (s == DC_E_ARG || s == DC_E_MEMORY || s == DC_E_OVERLAP) {
        FUZZ_CHECK(memcmp(&old, d, fields) == 0, "status %d, but written", (int)s);
        return;
    }
    fuzz_mix(f, d, fields);
    S = dc_max(hull_size(&t.a, t.qa) + hull_size(&t.b, t.qb), DC_REAL_MIN/DC_EPS);
    u = DC_EPS*S;
    FUZZ_CHECK(dc_finite(d->gap) && dc_finite3(d->n) && dc_finite3(d->pa) && dc_finite3(d->pb), "a number is not finite, gap %g", (double)d->gap);
    FUZZ_CHECK(dc_abs(dc_dot(d->n, d->n) - 1) <= 8*DC_EPS, "|n|^2 - 1 = %g", (double)(dc_dot(d->n, d->n) - 1));
    FUZZ_CHECK(room(&t, d->n) >= d->gap - 16*u, "gap %g, room %g, eps S %g", (double)d->gap, (double)room(&t, d->n), (double)u);
    FUZZ_CHECK(d->iterations >= 0 && d->iterations <= 1000, "%d supports", d->iterations);
    if (s == DC_OK) {
        dc_v3 e = dc_madd(dc_sub(d->pa, d->pb), -d->gap, d->n);
        FUZZ_CHECK(!alone || d->gap > 0, "apart with gap %g", (double)d->gap);
        FUZZ_CHECK(largest(&e.x, 3) <= 16*u, "pa - pb - gap n = %g, eps S %g", (double)largest(&e.x, 3), (double)u);
        feature_holds(&t.a, t.qa, d->na, d->ia, d->wa, d->pa, 32*u);
        feature_holds(&t.b, t.qb, d->nb, d->ib, d->wb, d->pb, 32*u);
        /* seen from the other body */
        if (!alone && m.a.size >= m.need) {
            dc_distance other = DC_ZERO;
            s = fuzz_status(f, dc_hull_distance(t.hb, t.qb, t.ha, t.qa, &m.a, &other));
            FUZZ_CHECK(s == DC_OK || s == DC_E_DIVERGED, "swapped: %d", (int)s);
            if (s == DC_OK) FUZZ_CHECK(dc_abs(other.gap - d->gap) <= 80*u, "gap %g, swapped %g, eps S %g", (double)d->gap, (double)other.gap, (double)u);
        }
    }
}

/* ---- potentials -------------------------------------------------------------------------------------------------- */

static dc_pair_options pair_options(fuzz *f)
{
    dc_pair_options o = DC_ZERO;
    o.barrier = fuzz_bad(f) ? (dc_barrier)2 : fuzz_byte(f) & 1 ? DC_LOCAL : DC_GLOBAL;
    o.c = fuzz_option(f, 12);
    o.s = fuzz_option(f, 0.5);
    o.length = fuzz_option(f, 1);
    return o;
}

/* what is asked for and what comes back, N entries a gradient */
typedef struct { dc_plane *plane, old; dc_real *value, *grad, *hess, *mixed; size_t N; dc_arena *mem; } result;

static result ask(fuzz *f, size_t N, fuzz_arena *m)
{
    result r;
    int k = fuzz_byte(f);
    memset(&r, 0, sizeof r);
    r.N = N;
    r.plane = (dc_plane *)fuzz_alloc(f, sizeof *r.plane);
    memset(r.plane, 0, sizeof *r.plane);
    if (k & 1) {
        r.plane->n = fuzz_v3(f);
        r.plane->d = fuzz_real(f);
    }
    r.old = *r.plane;
    if (k & 2) r.plane = NULL;
    r.value = fuzz_reals(f, 1);
    r.grad = k & 4 ? NULL : fuzz_reals(f, N);
    r.hess = k & 8 ? NULL : fuzz_reals(f, N*N);
    r.mixed = k & 16 ? NULL : fuzz_reals(f, N*N);
    r.mem = fuzz_bad(f) ? NULL : &m->a;
    return r;
}

static void symmetric(const dc_real *H, size_t n)
{
    size_t i, j;
    for (i = 0; i < n; ++i)
        for (j = 0; j < i; ++j) FUZZ_CHECK(!(H[i*n + j] < H[j*n + i]) && !(H[i*n + j] > H[j*n + i]), "Hessian (%d,%d) %.17g, not %.17g", (int)i, (int)j,
                                           (double)H[i*n + j], (double)H[j*n + i]);
}

/* what holds of all potentials */
static void judge(fuzz *f, const result *r, dc_status s)
{
    if (s == DC_OK || s == DC_E_DIVERGED) {
        FUZZ_CHECK(dc_finite(*r->value) && *r->value >= 0, "status %d, value %g", (int)s, (double)*r->value);
        fuzz_mix(f, r->value, sizeof *r->value);
        if (r->plane) {
            FUZZ_CHECK(fuzz_finite(&r->plane->n.x, 3) && dc_finite(r->plane->d), "plane");
            FUZZ_CHECK(dc_dot(r->plane->n, r->plane->n) <= 1 + 4*DC_EPS, "|n| = %.17g", (double)dc_sqrt(dc_dot(r->plane->n, r->plane->n)));
            fuzz_mix(f, r->plane, sizeof *r->plane);
        }
        if (r->grad) {
            FUZZ_CHECK(fuzz_finite(r->grad, r->N), "status %d, gradient", (int)s);
            fuzz_mix(f, r->grad, r->N*sizeof *r->grad);
        }
        if (r->hess) {
            FUZZ_CHECK(fuzz_finite(r->hess, r->N*r->N), "status %d, Hessian", (int)s);
            symmetric(r->hess, r->N);
            fuzz_mix(f, r->hess, r->N*r->N*sizeof *r->hess);
        }
        return;
    }
    if (s == DC_E_OVERLAP) FUZZ_CHECK(*r->value > DC_REAL_MAX, "overlap, value %g", (double)*r->value);
    else FUZZ_CHECK(fuzz_untouched(f, r->value, sizeof *r->value), "status %d, value written", (int)s);
    if (r->plane) FUZZ_CHECK(memcmp(r->plane, &r->old, sizeof r->old) == 0, "status %d, plane written", (int)s);
    FUZZ_CHECK(!r->grad || fuzz_untouched(f, r->grad, r->N*sizeof *r->grad), "status %d, gradient written", (int)s);
    FUZZ_CHECK(!r->hess || fuzz_untouched(f, r->hess, r->N*r->N*sizeof *r->hess), "status %d, Hessian written", (int)s);
}

static void pair(fuzz *f)
{
    two t;
    dc_pair_options o = pair_options(f);
    int kind = fuzz_below(f, 3), rigid = kind == 1, i;
    fuzz_arena m;
    size_t N;
    result r;
    dc_pair_info *info = (dc_pair_info *)fuzz_alloc(f, sizeof *info);
    dc_affine *T = (dc_affine *)fuzz_alloc(f, 2*sizeof *T);
    dc_status s;

    hulls(f, &t);
    t.a.radius = fuzz_byte(f) < 192 ? 0 : fuzz_option(f, 0.3);
    t.b.radius = fuzz_byte(f) < 192 ? 0 : fuzz_option(f, 0.3);
    N = kind == 0 ? vertex_entries(&t) : rigid ? 12 : 24;
    m = fuzz_arena_open(f, dc_pair_bytes(t.a.n, t.b.n));
    r = ask(f, N, &m);
    if (kind == 2) {
        for (i = 0; i < 12; ++i) T[0].m[i] = fuzz_real(f);
        T[1] = dc_pose_to_affine(t.pb);
        s = dc_pair_affine(&o, t.ha, &T[0], t.hb, fuzz_byte(f) & 1 ? NULL : &T[1], r.mem, r.plane, r.value, r.grad, r.hess, info);
    } else if (rigid) {
        s = dc_pair_rigid(&o, t.ha, t.qa, t.hb, t.qb, r.mem, r.plane, r.value, r.grad, r.hess, info);
    } else {
        t.qa = t.qb = NULL;
        s = dc_pair(&o, t.ha, t.hb, r.mem, r.plane, r.value, r.grad, r.hess, info);
    }
    fuzz_status(f, s);
    fuzz_arena_close(&m, 0, s);
    judge(f, &r, s);
    if (s != DC_OK && s != DC_E_DIVERGED && s != DC_E_OVERLAP) {
        FUZZ_CHECK(fuzz_untouched(f, info, sizeof *info), "status %d, info written", (int)s);
        return;
    }
    if (s == DC_OK || s == DC_E_DIVERGED) {
        FUZZ_CHECK(dc_finite(info->gap) && dc_finite(info->decrement), "info: gap %g, decrement %g", (double)info->gap, (double)info->decrement);
        FUZZ_CHECK(info->iterations >= 0 && info->iterations <= 120, "%d steps", info->iterations);
        fuzz_mix(f, info, sizeof *info);
    }
    /* action and reaction: the vertices' gradients, the forces of the twists */
    if (s == DC_OK && r.grad && kind < 2 && info->gap > 0) {
        dc_real L = hull_size(&t.a, t.qa) + hull_size(&t.b, t.qb), all = largest(r.grad, (int)N), rough = DC_EPS*(1 + 3*L/info->gap);
        for (i = 0; i < 3 && rough < 1; ++i) {
            dc_real sum = 0;
            size_t k;
            for (k = (size_t)i; k < N; k += rigid ? 6 : 3) sum += r.grad[k];
            FUZZ_CHECK(dc_abs(sum) <= 200*rough*all + DC_REAL_MIN, "forces of sum %g, largest %g, eps (1 + 3 L/g) %g", (double)sum, (double)all, (double)rough);
        }
    }
    /* the distance is of the same opinion */
    if (kind < 2 && two_good(&t)) {
        dc_distance d = DC_ZERO;
        size_t bytes = dc_hull_distance_bytes(t.a.n, t.b.n);
        dc_arena mem = dc_arena_make(fuzz_alloc(f, bytes), bytes);
        dc_real u = DC_EPS*(hull_size(&t.a, t.qa) + hull_size(&t.b, t.qb));
        if (dc_hull_distance(&t.a, t.qa, &t.b, t.qb, &mem, &d) != DC_OK) return;
        FUZZ_CHECK(s != DC_E_OVERLAP || d.gap <= 64*u + DC_REAL_MIN, "overlap at gap %g, eps S %g", (double)d.gap, (double)u);
        FUZZ_CHECK(s == DC_E_OVERLAP || d.gap >= -64*u - DC_REAL_MIN, "status %d at depth %g, eps S %g", (int)s, -(double)d.gap, (double)u);
        if (s == DC_OK) FUZZ_CHECK(info->gap <= d.gap + 64*u + DC_REAL_MIN, "support gap %g above the gap %g", (double)info->gap, (double)d.gap);
    }
}

static void centred(fuzz *f)
{
    dc_pair_options o = pair_options(f);
    fuzz_arena none = { { NULL, 0, 0 }, 0 };
    result r = ask(f, 6, &none);
    int na = fuzz_int(f, 1, 5), nb = fuzz_int(f, 1, 5);
    dc_v3 xa = fuzz_v3(f), xb = fuzz_v3(f);
    dc_relative q;
    dc_real g[12], H[144];
    dc_status s = fuzz_status(f, dc_centred(&o, na, nb, xa, xb, r.value, r.grad, r.hess));
    int i;
    r.plane = NULL;
    FUZZ_CHECK(s != DC_E_DIVERGED && s != DC_E_MEMORY, "status %d", (int)s);
    judge(f, &r, s);
    if (s == DC_OK && r.grad)
        for (i = 0; i < 3; ++i) FUZZ_CHECK(dc_abs(r.grad[i] + r.grad[i + 3]) <= 0, "forces");
    if (s != DC_OK || !r.grad || !r.hess || !(largest(r.hess, 36) < dc_sqrt(DC_LIMIT)) || !(largest(&xb.x, 3) < dc_sqrt(DC_LIMIT))) return;
    memset(&q, 0, sizeof q);
    q.o = xa;
    memcpy(q.g, r.grad, sizeof q.g);
    memcpy(q.H, r.hess, sizeof q.H);
    dc_relative_shift(&q, xb);
    dc_relative_expand(&q, xa, xb, g, H);
    FUZZ_CHECK(fuzz_finite(g, 12) && fuzz_finite(H, 144), "expanded");
    symmetric(H, 12);
    fuzz_mix(f, H, sizeof H);
}

/* ---- batches --------------------------------------------------------------------------------------------------------- */

static void batch(fuzz *f)
{
    dc_pair_options o = pair_options(f);
    int count = fuzz_count(f, 0, 2*DC_LANES + 3), spare = fuzz_below(f, 2), ask_for = fuzz_byte(f), i, k;
    size_t n = count > 0 ? (size_t)count : 0, stride = n + (size_t)spare - (n > 0 && fuzz_bad(f) ? (size_t)spare + 1 : 0), room_of = n + 1;
    fuzz_arena m = fuzz_arena_open(f, dc_tri_batch_bytes());
    dc_real *x = fuzz_reals(f, 18*room_of), *plane = fuzz_reals(f, 4*room_of), *start = fuzz_reals(f, 4*room_of);
    dc_tri_out out, one;
    dc_status s, first = DC_OK;
    for (k = 0; k < 18; ++k)
        for (i = 0; i < (int)n; ++i)
            /* mostly copies of the first pair, moved: bytes go far */
            x[(size_t)k*stride + (size_t)i] = i == 0 || fuzz_byte(f) > 220 ? fuzz_real(f) : x[(size_t)k*stride];
    memset(start, 0, 4*room_of*sizeof *start);
    if (ask_for & 1)
        for (k = 0; k < (int)(4*room_of); ++k) start[k] = fuzz_byte(f) < 128 ? 0 : fuzz_real(f);
    memcpy(plane, start, 4*room_of*sizeof *plane);
    memset(&out, 0, sizeof out);
    out.plane = ask_for & 2 ? NULL : plane;
    out.value = fuzz_reals(f, room_of);
    out.grad = ask_for & 4 ? NULL : fuzz_reals(f, 18*room_of);
    out.relative = ask_for & 8 ? NULL : fuzz_reals(f, 27*room_of);
    out.origin = fuzz_v3(f);
    out.status = (unsigned char *)fuzz_alloc(f, room_of);
    s = fuzz_status(f, dc_tri_batch(&o, count, x, stride, &m.a, &out));
    fuzz_arena_close(&m, 0, s);
    if (s != DC_OK && fuzz_untouched(f, out.status, room_of)) {             /* refused as a whole */
        FUZZ_CHECK(fuzz_untouched(f, out.value, room_of*sizeof(dc_real)) && memcmp(plane, start, 4*room_of*sizeof *plane) == 0, "status %d, but written", (int)s);
        return;
    }
    for (i = 0; i < (int)n; ++i) {
        dc_arena mem;
        size_t bytes = dc_tri_batch_bytes(), at = (size_t)i;
        dc_real y[18], P[4], value, g[18], rel[27];
        unsigned char status = 0x77;
        dc_status si = (dc_status)out.status[i];
        FUZZ_CHECK(si <= DC_E_DIVERGED, "pair %d: status %d", i, (int)si);
        if (first == DC_OK) first = si;
        for (k = 0; k < 18; ++k) y[k] = x[(size_t)k*stride + at];
        for (k = 0; k < 4; ++k) P[k] = start[(size_t)k*stride + at];
        memset(&one, 0, sizeof one);
        one.plane = out.plane ? P : NULL;
        one.value = &value;
        one.grad = out.grad ? g : NULL;
        one.relative = out.relative ? rel : NULL;
        one.origin = out.origin;
        one.status = &status;
        memset(&value, f->stale, sizeof value);
        memset(g, f->stale, sizeof g);
        memset(rel, f->stale, sizeof rel);
        mem = dc_arena_make(fuzz_alloc(f, bytes), bytes);
        dc_tri_batch(&o, 1, y, 1, &mem, &one);
        FUZZ_CHECK(status == out.status[i], "pair %d: status %d, alone %d", i, (int)si, (int)status);
        FUZZ_CHECK(memcmp(&value, &out.value[i], sizeof value) == 0, "pair %d: value %.17g, alone %.17g", i, (double)out.value[i], (double)value);
        for (k = 0; k < 4 && out.plane; ++k) FUZZ_CHECK(memcmp(&P[k], &plane[(size_t)k*stride + at], sizeof value) == 0, "pair %d: plane", i);
        for (k = 0; k < 18 && out.grad; ++k) FUZZ_CHECK(memcmp(&g[k], &out.grad[(size_t)k*stride + at], sizeof value) == 0, "pair %d: gradient", i);
        for (k = 0; k < 27 && out.relative; ++k) FUZZ_CHECK(memcmp(&rel[k], &out.relative[(size_t)k*stride + at], sizeof value) == 0, "pair %d: relative", i);
        if (si == DC_OK || si == DC_E_DIVERGED) {
            FUZZ_CHECK(dc_finite(value) && value >= 0 && (!out.grad || fuzz_finite(g, 18)) && (!out.relative || fuzz_finite(rel, 27)) && (!out.plane || fuzz_finite(P, 4)),
                       "pair %d: a number is not finite, value %g", i, (double)value);
            fuzz_mix(f, &value, sizeof value);
            if (out.grad) fuzz_mix(f, g, sizeof g);
            if (out.relative) fuzz_mix(f, rel, sizeof rel);
        } else {
            if (si == DC_E_OVERLAP) FUZZ_CHECK(value > DC_REAL_MAX, "pair %d: overlap, value %g", i, (double)value);
            else FUZZ_CHECK(fuzz_untouched(f, &value, sizeof value), "pair %d: status %d, value written", i, (int)si);
            FUZZ_CHECK(fuzz_untouched(f, g, sizeof g) && fuzz_untouched(f, rel, sizeof rel), "pair %d: status %d, derivatives written", i, (int)si);
        }
        if (f->n_blocks > FUZZ_BLOCKS - 40) return;
    }
    FUZZ_CHECK(s == first, "the batch returns %d, its first failure is %d", (int)s, (int)first);
}

/* ---- friction --------------------------------------------------------------------------------------------------------- */

static void friction(fuzz *f)
{
    two t, u;
    dc_pair_options o = pair_options(f);
    dc_friction_options fo = DC_ZERO;
    int rigid = fuzz_byte(f) & 1, k;
    fuzz_arena m;
    size_t N;
    result r;
    dc_friction_info *info = (dc_friction_info *)fuzz_alloc(f, sizeof *info);
    dc_real mu, h, fast;                /* speed over sqrt(eps_v), at most */
    dc_status s;

    hulls(f, &t);
    t.a.radius = fuzz_byte(f) < 192 ? 0 : fuzz_option(f, 0.3);
    t.b.radius = fuzz_byte(f) < 192 ? 0 : fuzz_option(f, 0.3);
    u = t;
    N = rigid ? 12 : vertex_entries(&t);
    m = fuzz_arena_open(f, dc_friction_bytes(t.a.n, t.b.n));
    r = ask(f, N, &m);
    fo.eps_f = fuzz_option(f, 1e-6);
    fo.eps_v = fuzz_option(f, 1e-6);
    fo.patch = fuzz_option(f, 0.01);
    fo.no_patch = fuzz_byte(f) & 1;
    mu = fuzz_byte(f) & 1 ? DC_R(0.5) : fuzz_real(f);
    h = fuzz_byte(f) & 1 ? DC_R(0.01) : fuzz_real(f);
    if (rigid) {
        u.pa = fuzz_pose(f);
        u.pb = fuzz_pose(f);
        s = dc_friction_rigid(&fo, &o, mu, h, t.ha, t.qa, &u.pa, t.hb, t.qb, fuzz_byte(f) & 1 ? &u.pb : NULL, r.mem, r.plane, r.value, r.grad, r.hess,
                              r.mixed, info);
    } else {
        u.a.v = fuzz_byte(f) & 1 ? t.a.v : fuzz_points(f, t.a.n);
        u.b.v = fuzz_byte(f) & 1 ? t.b.v : fuzz_points(f, t.b.n);
        s = dc_friction(&fo, &o, mu, h, t.ha, &u.a, t.hb, &u.b, r.mem, r.plane, r.value, r.grad, r.hess, r.mixed, info);
    }
    fuzz_status(f, s);
    fuzz_arena_close(&m, 0, s);
    judge(f, &r, s);
    if (s != DC_OK && s != DC_E_DIVERGED) {
        FUZZ_CHECK(!r.mixed || fuzz_untouched(f, r.mixed, N*N*sizeof *r.mixed), "status %d, mixed written", (int)s);
        return;
    }
    if (r.mixed) {
        FUZZ_CHECK(fuzz_finite(r.mixed, N*N), "status %d, mixed", (int)s);
        fuzz_mix(f, r.mixed, N*N*sizeof *r.mixed);
    }
    FUZZ_CHECK(dc_finite3(info->point) && dc_finite3(info->u) && dc_finite(info->w), "velocity of the plane");
    FUZZ_CHECK(info->iterations >= 0 && info->iterations <= 100, "%d steps", info->iterations);
    /* linear momentum; a slip of about sqrt(eps_v) has a direction to eps times the speeds over sqrt(eps_v) */
    fast = 2*(hull_size(&t.a, rigid ? t.qa : NULL) + hull_size(&t.b, rigid ? t.qb : NULL) + hull_size(rigid ? &t.a : &u.a, rigid ? &u.pa : NULL)
              + hull_size(rigid ? &t.b : &u.b, rigid ? &u.pb : NULL))/h/dc_sqrt(fo.eps_v > 0 ? fo.eps_v : DC_R(1e-6));
    if (s == DC_OK && r.grad && info->pair.gap > 0 && fast < 1/DC_EPS)
        for (k = 0; k < 3; ++k) {
            dc_real sum = 0, all = largest(r.grad, (int)N), L = hull_size(&t.a, rigid ? t.qa : NULL) + hull_size(&t.b, rigid ? t.qb : NULL);
            size_t i;
            for (i = (size_t)k; i < N; i += rigid ? 6 : 3) sum += r.grad[i];
            FUZZ_CHECK(dc_abs(sum) <= (200*(1 + 3*L/info->pair.gap) + 16*fast)*DC_EPS*all + DC_REAL_MIN, "forces of sum %g, largest %g, slip up to %g sqrt(eps_v), gap %g",
                       (double)sum, (double)all, (double)fast, (double)info->pair.gap);
        }
}

/* ---- rays, casts, broad phase ------------------------------------------------------------------------------------ */

static void ray_cast(fuzz *f, two *t)
{
    dc_ray ray;
    dc_ray_hit *hit = (dc_ray_hit *)fuzz_alloc(f, sizeof *hit);
    dc_real *J = fuzz_reals(f, 7*12), *Jv = fuzz_reals(f, 7*9);
    dc_status s;
    ray.origin = fuzz_v3(f);
    ray.dir = fuzz_v3(f);
    ray.length = fuzz_option(f, 4);
    s = fuzz_status(f, dc_hull_ray(t->hb, t->qb, &ray, hit));
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_DIVERGED || s == DC_E_RANGE, "status %d", s);
    if (s == DC_E_ARG || s == DC_E_RANGE) { FUZZ_CHECK(fuzz_untouched(f, hit, sizeof *hit), "hit of status %d", s); return; }
    FUZZ_CHECK(between(0, hit->time, ray.length), "time %g of %g", (double)hit->time, (double)ray.length);
    FUZZ_CHECK(fuzz_finite(&hit->point.x, 3) && fuzz_finite(&hit->n.x, 3) && fuzz_finite(hit->weight, 3), "not finite");
    FUZZ_CHECK(s != DC_OK || (hit->outcome == DC_CAST_HIT) == (hit->count > 0), "outcome %d, feature of %d", (int)hit->outcome, hit->count);
    fuzz_mix(f, &hit->time, sizeof hit->time);
    s = fuzz_status(f, dc_hull_ray_jac(t->hb, t->qb, &ray, hit, J, Jv));
    FUZZ_CHECK(s != DC_OK || hit->outcome == DC_CAST_HIT, "a derivative of outcome %d", (int)hit->outcome);
    if (s == DC_OK) FUZZ_CHECK(fuzz_finite(J, 7*12) && fuzz_finite(Jv, 7*9), "derivative not finite");
    else FUZZ_CHECK(fuzz_untouched(f, J, 7*12*sizeof *J) && fuzz_untouched(f, Jv, 7*9*sizeof *Jv), "derivative of status %d", s);
}

static void hull_cast(fuzz *f, two *t)
{
    dc_cast_options opt = DC_ZERO;
    dc_cast_hit *hit = (dc_cast_hit *)fuzz_alloc(f, sizeof *hit);
    dc_real va[6], vb[6], *J = fuzz_reals(f, 7*24), *Jv = fuzz_reals(f, 7*18), duration;
    dc_status s;
    int k;
    for (k = 0; k < 6; ++k) {
        va[k] = fuzz_real(f);
        vb[k] = fuzz_real(f);
    }
    opt.gap = fuzz_byte(f) < 128 ? 0 : fuzz_option(f, 0.01);
    duration = fuzz_option(f, 1);
    s = fuzz_status(f, dc_hull_cast(&opt, t->ha, t->qa, fuzz_bad(f) ? NULL : va, t->hb, t->qb, vb, duration, hit));
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_DIVERGED, "status %d", s);
    if (s == DC_E_ARG) { FUZZ_CHECK(fuzz_untouched(f, hit, sizeof *hit), "hit of status %d", s); return; }
    FUZZ_CHECK(between(0, hit->time, duration), "time %g of %g", (double)hit->time, (double)duration);
    FUZZ_CHECK(fuzz_finite(&hit->speed, 1) && fuzz_finite(&hit->at.gap, 1) && fuzz_finite(&hit->at.n.x, 3), "not finite");
    fuzz_mix(f, &hit->time, sizeof hit->time);
    s = fuzz_status(f, dc_hull_cast_jac(t->ha, t->qa, va, t->hb, t->qb, vb, hit, J, Jv));
    FUZZ_CHECK(s != DC_OK || hit->outcome == DC_CAST_HIT, "a derivative of outcome %d", (int)hit->outcome);
    if (s == DC_OK) FUZZ_CHECK(fuzz_finite(J, 7*24) && fuzz_finite(Jv, 7*18), "derivative not finite");
    else FUZZ_CHECK(fuzz_untouched(f, J, 7*24*sizeof *J) && fuzz_untouched(f, Jv, 7*18*sizeof *Jv), "derivative of status %d", s);
}

enum { BOXES = 12 };

static void boxes(fuzz *f)
{
    dc_aabb box[BOXES];
    dc_broad_options opt = DC_ZERO;
    dc_broad_order last;
    dc_tree tree;
    dc_tree_walk walk;
    fuzz_arena m;
    int order[BOXES], group[BOXES], *pair = (int *)fuzz_alloc(f, 2*BOXES*BOXES*sizeof *pair), *count = (int *)fuzz_alloc(f, sizeof *count);
    int n = fuzz_count(f, 1, BOXES), k, found = 0;
    dc_status s;
    for (k = 0; k < BOXES; ++k) {
        dc_v3 p = fuzz_v3(f), q = fuzz_v3(f);
        box[k].lo = p;
        box[k].hi = fuzz_byte(f) < 16 ? q : dc_add(p, dc_vec(dc_abs(q.x), dc_abs(q.y), dc_abs(q.z)));
        order[k] = fuzz_int(f, -1, BOXES);
        group[k] = fuzz_int(f, 0, 3);
    }
    last.order = order;
    last.axis = fuzz_int(f, -1, 3);
    opt.group = fuzz_byte(f) & 1 ? group : NULL;
    opt.last = fuzz_byte(f) & 1 ? &last : NULL;
    opt.margin = fuzz_byte(f) < 128 ? 0 : fuzz_option(f, 0.1);
    m = fuzz_arena_open(f, dc_broad_bytes(n, BOXES*BOXES));
    s = fuzz_status(f, dc_broad(&opt, n, box, &m.a, BOXES*BOXES, pair, count));
    fuzz_arena_close(&m, 0, s);
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_MEMORY, "status %d", s);
    for (k = 0; s == DC_OK && k < *count; ++k)
        FUZZ_CHECK(pair[2*k] >= 0 && pair[2*k] < pair[2*k + 1] && pair[2*k + 1] < n, "pair %d %d of %d", pair[2*k], pair[2*k + 1], n);
    if (s != DC_OK) {
        FUZZ_CHECK(fuzz_untouched(f, pair, 2*BOXES*BOXES*sizeof *pair) && fuzz_untouched(f, count, sizeof *count), "pairs of status %d", s);
        return;
    }
    fuzz_mix(f, pair, 2*(size_t)*count*sizeof *pair);
    m = fuzz_arena_open(f, dc_tree_bytes(n));
    s = fuzz_status(f, dc_tree_build(n, box, &m.a, &tree));
    if (s == DC_OK && dc_tree_by_box(&box[0], &walk) == DC_OK) {
        while ((k = dc_tree_next(&tree, &walk)) >= 0 && found < 100) ++found;
        FUZZ_CHECK(found >= (n > 0) && found <= n, "%d of %d boxes found", found, n);
    }
}

/* Contact manifolds, clipped and smooth, of two hulls and of the same a little later, with their derivatives. */
static void manifolds(fuzz *f)
{
    enum { MANY = 13*MOST*MOST };
    two t;
    dc_hull_topology a, b;
    dc_hull_manifold_options opt = DC_ZERO;
    dc_hull_smooth_options soft = DC_ZERO;
    dc_hull_patch *m = (dc_hull_patch *)fuzz_alloc(f, sizeof *m), old;
    dc_hull_soft *point = (dc_hull_soft *)fuzz_alloc(f, MANY*sizeof *point);
    dc_hull_soft_rate *rate = (dc_hull_soft_rate *)fuzz_alloc(f, MANY*sizeof *rate);
    dc_real *grad = fuzz_reals(f, 12), *ga = fuzz_reals(f, 3*MOST), *gb = fuzz_reals(f, 3*MOST), twist[12], dgap[DC_HULL_CONTACTS];
    dc_v3 *n = (dc_v3 *)fuzz_alloc(f, sizeof *n), by[DC_HULL_CONTACTS], dn, dpa[DC_HULL_CONTACTS], dpb[DC_HULL_CONTACTS];
    int *count = (int *)fuzz_alloc(f, sizeof *count), k, again;
    fuzz_arena kept, scratch;
    dc_status s;

    hulls(f, &t);
    t.a.radius = fuzz_byte(f) < 192 ? 0 : fuzz_option(f, 0.3);
    t.b.radius = fuzz_byte(f) < 192 ? 0 : fuzz_option(f, 0.3);
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    kept = fuzz_arena_open(f, dc_hull_faces_bytes(t.a.n));
    (void)fuzz_status(f, dc_hull_faces(t.ha, fuzz_option(f, 1e-4), &kept.a, &a));
    kept = fuzz_arena_open(f, dc_hull_faces_bytes(t.b.n));
    (void)fuzz_status(f, dc_hull_faces(t.hb, 0, &kept.a, &b));
    opt.margin = fuzz_option(f, 0.1);
    opt.share = fuzz_option(f, 0.1);
    opt.capacity = fuzz_int(f, 0, DC_HULL_CONTACTS);
    opt.planar = fuzz_byte(f) < 32;
    memset(m, fuzz_byte(f) < 192 ? 0 : fuzz_byte(f), sizeof *m);
    for (k = 0; k < 12; ++k) twist[k] = fuzz_real(f);

    /* clipped */
    for (again = 0; again < 2; ++again) {
        memcpy(&old, m, sizeof old);
        scratch = fuzz_arena_open(f, dc_hull_manifold_bytes(t.a.n, t.b.n));
        s = fuzz_status(f, dc_hull_manifold(&opt, &a, t.qa, &b, t.qb, &scratch.a, m));
        fuzz_arena_close(&scratch, 0, s);
        FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_MEMORY || s == DC_E_DIVERGED, "status %d", s);
        if (s == DC_E_ARG || s == DC_E_MEMORY) {
            FUZZ_CHECK(memcmp(&old, m, sizeof old) == 0, "status %d, but written", s);
            break;
        }
        FUZZ_CHECK(dc_finite3(m->n) && dc_finite(m->gap) && dc_abs(dc_dot(m->n, m->n) - 1) <= 16*DC_EPS, "n");
        FUZZ_CHECK(m->count >= 0 && m->count <= (opt.capacity ? opt.capacity : 4), "%d points", m->count);
        for (k = 0; k < m->count; ++k) {
            FUZZ_CHECK(dc_finite3(m->point[k].pa) && dc_finite3(m->point[k].pb) && dc_finite(m->point[k].gap), "point %d", k);
            fuzz_mix(f, &m->point[k].gap, sizeof m->point[k].gap);
        }
        s = fuzz_status(f, dc_hull_manifold_jvp(&a, t.qa, &b, t.qb, m, twist, &dn, dpa, dpb, dgap));
        FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_SINGULAR, "derivative: %d", s);
        for (k = 0; s == DC_OK && k < m->count; ++k) FUZZ_CHECK(dc_finite3(dpa[k]) && dc_finite3(dpb[k]) && dc_finite(dgap[k]), "rate %d", k);
        for (k = 0; k < m->count; ++k) by[k] = fuzz_v3(f);
        s = fuzz_status(f, dc_hull_manifold_vjp(&a, t.qa, &b, t.qb, m, NULL, by, NULL, NULL, grad, ga, gb));
        if (s == DC_OK) FUZZ_CHECK(fuzz_finite(grad, 12), "gradient");
        t.pa.t.z += DC_R(0.01);
    }

    /* smooth */
    soft.length = fuzz_option(f, 0.1);
    soft.margin = fuzz_option(f, 0.1);
    scratch = fuzz_arena_open(f, dc_hull_smooth_bytes(t.a.n, t.b.n, MANY));
    s = fuzz_status(f, dc_hull_smooth(&soft, &a, t.qa, &b, t.qb, &scratch.a, MANY, n, point, count));
    fuzz_arena_close(&scratch, 0, s);
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_MEMORY || s == DC_E_SINGULAR || s == DC_E_RANGE, "status %d", s);
    if (s != DC_OK) {
        FUZZ_CHECK(fuzz_untouched(f, n, sizeof *n) && fuzz_untouched(f, point, MANY*sizeof *point) && fuzz_untouched(f, count, sizeof *count), "status %d, but written", s);
        return;
    }
    FUZZ_CHECK(dc_finite3(*n) && dc_abs(dc_dot(*n, *n) - 1) <= 16*DC_EPS && *count >= 0 && *count <= MANY, "n, %d points", *count);
    for (k = 0; k < *count; ++k) {
        FUZZ_CHECK(dc_finite3(point[k].pa) && dc_finite3(point[k].pb) && dc_finite(point[k].gap), "point %d", k);
        FUZZ_CHECK(point[k].weight > 0 && point[k].weight <= 1 + 16*DC_EPS, "weight %g", (double)point[k].weight);
        fuzz_mix(f, &point[k].weight, sizeof point[k].weight);
    }
    scratch = fuzz_arena_open(f, dc_hull_smooth_bytes(t.a.n, t.b.n, *count));
    k = *count;
    s = fuzz_status(f, dc_hull_smooth_jvp(&soft, &a, t.qa, &b, t.qb, twist, &scratch.a, k, &dn, rate, count));
    fuzz_arena_close(&scratch, 0, s);
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_MEMORY || s == DC_E_RANGE, "derivative: %d", s);
    if (s != DC_OK) return;
    FUZZ_CHECK(*count == k, "%d points, %d rates", k, *count);
    for (k = 0; k < *count; ++k) FUZZ_CHECK(dc_finite3(rate[k].pa) && dc_finite3(rate[k].pb) && dc_finite(rate[k].weight), "rate %d", k);
    memset(grad, f->stale, 12*sizeof *grad);
    s = fuzz_status(f, dc_hull_smooth_vjp(&soft, &a, t.qa, &b, t.qb, &scratch.a, *count, n, rate, grad, ga, gb));
    FUZZ_CHECK(s == DC_OK || s == DC_E_MEMORY || s == DC_E_RANGE, "transposed: %d", s);
    if (s == DC_OK) FUZZ_CHECK(fuzz_finite(grad, 12), "gradient");
    else FUZZ_CHECK(fuzz_untouched(f, grad, 12*sizeof *grad), "gradient of status %d", s);
}

static void impacts(fuzz *f)
{
    two t;
    int which = fuzz_below(f, 3);
    hulls(f, &t);
    t.a.radius = fuzz_byte(f) < 128 ? 0 : fuzz_option(f, 0.3);
    t.b.radius = fuzz_byte(f) < 128 ? 0 : fuzz_option(f, 0.3);
    if (which == 0) ray_cast(f, &t);
    else if (which == 1) hull_cast(f, &t);
    else boxes(f);
}

static void spheres(fuzz *f)
{
    int n = fuzz_count(f, 1, 8), most = fuzz_below(f, 30), count = -7, i, j, near_pairs = 0, doubtful = 0, good = n >= 1;
    size_t sn = n > 0 ? (size_t)n : 0;
    dc_v3 *c = fuzz_points(f, n);
    dc_real *r = fuzz_reals(f, sn), margin = fuzz_byte(f) < 128 ? DC_R(0.25) : fuzz_real(f);
    int *pair = (int *)fuzz_alloc(f, 2*(size_t)most*sizeof(int));
    fuzz_arena m = fuzz_arena_open(f, dc_broad_bytes(n, most));
    dc_broad_options o = DC_ZERO;
    dc_status s;
    o.margin = margin;
    for (i = 0; i < n; ++i) {
        r[i] = fuzz_byte(f) < 192 ? dc_abs(fuzz_option(f, 0.3)) : fuzz_real(f);
        good = good && dc_in_range(c[i]) && dc_abs(r[i]) <= DC_LIMIT;
    }
    good = good && dc_abs(margin) <= DC_LIMIT;
    s = fuzz_status(f, dc_broad_spheres(&o, n, c, r, &m.a, most, pair, &count));
    fuzz_arena_close(&m, 0, s);
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_MEMORY || s == DC_E_RANGE, "status %d", (int)s);
    if (s == DC_E_ARG || s == DC_E_MEMORY) return;
    FUZZ_CHECK(count >= 0 && (s == DC_E_RANGE) == (count > most), "%d pairs, room for %d, status %d", count, most, (int)s);
    for (i = 0; i < n && good; ++i)
        for (j = i + 1; j < n; ++j) {
            double dx = (double)c[i].x - (double)c[j].x, dy = (double)c[i].y - (double)c[j].y, dz = (double)c[i].z - (double)c[j].z;
            double d = sqrt(dx*dx + dy*dy + dz*dz), reach = (double)r[i] + (double)r[j] + (double)margin;
            if (r[i] < 0 || r[j] < 0) continue;
            near_pairs += d < reach;
            doubtful += fabs(d - reach) <= 64*(double)DC_EPS*(fabs(d) + fabs((double)r[i]) + fabs((double)r[j]) + fabs((double)margin) + fabs((double)c[i].x) + fabs((double)c[j].x) + fabs((double)c[i].y) + fabs((double)c[j].y));
        }
    FUZZ_CHECK(!good || abs(count - near_pairs) <= doubtful, "%d pairs, %d by all, %d doubtful", count, near_pairs, doubtful);
    for (i = 0; i < count && i < most; ++i) {
        FUZZ_CHECK(pair[2*i] >= 0 && pair[2*i] < pair[2*i + 1] && pair[2*i + 1] < n, "pair %d: %d %d", i, pair[2*i], pair[2*i + 1]);
        for (j = 0; j < i; ++j) FUZZ_CHECK(pair[2*i] != pair[2*j] || pair[2*i + 1] != pair[2*j + 1], "pair %d twice", i);
    }
    fuzz_mix(f, pair, 2*(size_t)(count < most ? count : most)*sizeof *pair);
}

static void calls(fuzz *f)
{
    while (fuzz_more(f) && f->n_blocks < FUZZ_BLOCKS - 100) {
        switch (fuzz_below(f, 17)) {
        case 0: elementary(f); break;
        case 1: rotations(f); break;
        case 2: smooth(f); break;
        case 3: case 4: dense(f); break;
        case 5: inverse(f); break;
        case 6: distance(f); break;
        case 7: case 8: pair(f); break;
        case 9: centred(f); break;
        case 10: batch(f); break;
        case 11: case 12: impacts(f); break;
        case 13: case 14: manifolds(f); break;
        case 15: spheres(f); break;
        default: friction(f); break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_input(data, size, calls); }
