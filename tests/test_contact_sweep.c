/* 200 000 random pairs: what the papers prove of the potentials, checked on every one. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

#define MOST 192

static unsigned char memory[1 << 18];

typedef struct {
    int na, n;
    dc_v3 x[MOST];
    dc_hull a, b;
    dc_pair_options o;
    double size, gap, far;      /* extent; hull distance of the rounded vertices; largest coordinate */
} sample;

/* Hulls of random kinds moved to the wanted gap. 0: the offset leaves no digits for the gap. */
static int make(sample *s, rng *r)
{
    double size = rng_log(r, 1e-3, 1e3), gap = size*rng_log(r, DC_IS_FLOAT ? 1e-4 : 1e-9, 1e2);
    double off = rng_int(r, 0, 1) ? rng_log(r, 1e-3, 1e3) : 0, L = 0;
    dc_v3 o = dc_vec((dc_real)(off*rng_uniform(r, -1, 1)), (dc_real)(off*rng_uniform(r, -1, 1)), (dc_real)(off*rng_uniform(r, -1, 1)));
    int k, i, triangles = rng_int(r, 0, 3) > 0;
    memset(&s->o, 0, sizeof s->o);
    s->na = triangles ? 3 : rng_int(r, 4, 96);
    s->n = s->na + (triangles ? 3 : rng_int(r, 4, 96));
    s->a.v = s->x;
    s->a.radius = 0;
    s->a.n = s->na;
    s->b.v = s->x + s->na;
    s->b.radius = 0;
    s->b.n = s->n - s->na;
    for (k = 0; k < s->n; ++k) {
        double u[3] = {rng_uniform(r, -1, 1), rng_uniform(r, -1, 1), rng_uniform(r, -1, 1)};
        if (!triangles) rng_unit3(r, u);
        s->x[k] = dc_vec((dc_real)(size*u[0] + (k < s->na ? 3*size : 0)), (dc_real)(size*u[1]), (dc_real)(size*u[2]));
    }
    for (i = 0; i < 3; ++i) {
        dc_distance d = DC_ZERO;
        if (dc_hull_distance(&s->a, NULL, &s->b, NULL, NULL, &d) != DC_OK) return 0;
        if (i == 2) break;
        for (k = 0; k < s->na; ++k) s->x[k] = dc_madd(s->x[k], (dc_real)gap - d.gap, d.n);
    }
    s->far = 0;
    for (k = 0; k < s->n; ++k) {
        L = fmax(L, sqrt((double)dc_dot(dc_sub(s->x[k], s->x[0]), dc_sub(s->x[k], s->x[0]))));
        s->x[k] = dc_add(s->x[k], o);
        s->far = fmax(s->far, fmax(fabs((double)s->x[k].x), fmax(fabs((double)s->x[k].y), fabs((double)s->x[k].z))));
    }
    s->size = L;
    s->gap = gap;
    if (gap < 200*EPS*(s->far + L)) return 0;
    {
        dc_distance d = DC_ZERO;
        if (dc_hull_distance(&s->a, NULL, &s->b, NULL, NULL, &d) != DC_OK) return 0;
        s->gap = (double)d.gap;
    }
    if (rng_int(r, 0, 1)) {
        s->o.barrier = DC_LOCAL;
        s->o.s = (dc_real)rng_uniform(r, 0.05, 0.6);
        /* within the support, near its end, or beyond it */
        s->o.length = (dc_real)(s->gap*(1 - (double)s->o.s)/(2*(double)s->o.s)/rng_log(r, 1e-3, 1.05));
    } else s->o.length = (dc_real)size;
    return s->gap > 0;
}

static int steps[2];                 /* Newton steps, cold and warm */

static dc_status evaluate(const sample *s, const dc_v3 *x, int swap, dc_plane *plane, dc_real *v, dc_real *g)
{
    dc_pair_info info = DC_ZERO;
    dc_status st;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_hull a = DC_ZERO, b = DC_ZERO;
    a.v = x;
    a.n = s->na;
    b.v = x + s->na;
    b.n = s->n - s->na;
    st = swap ? dc_pair(&s->o, &b, &a, &mem, plane, v, g, NULL, &info) : dc_pair(&s->o, &a, &b, &mem, plane, v, g, NULL, &info);
    if (info.iterations > steps[info.warm]) steps[info.warm] = info.iterations;
    return st;
}

static double norm(dc_v3 v) { return sqrt((double)v.x*(double)v.x + (double)v.y*(double)v.y + (double)v.z*(double)v.z); }

TEST every_pair_behaves(void)
{
    static sample s;
    static dc_v3 y[MOST], z[MOST], dx[MOST];
    static dc_real g[3*MOST], g2[3*MOST];
    worst fd = worst_make("gradient against differences"), law = worst_make("Newton's third law"), spin = worst_make("net torque");
    worst rigid = worst_make("common rigid motion"), swap = worst_make("swapped bodies"), cone = worst_make("force off the cone of Eq. 2");
    long count = sweep_count(200000), i, done = 0, fine = 0, zero = 0, lost = 0, differenced = 0;
    rng r;
    rng_seed(&r, 2026);
    for (i = 0; i < count; ++i) {
        dc_plane plane = DC_ZERO, p;
        dc_real v, vp, vm;
        dc_status st;
        dc_v3 sum = dc_vec(0, 0, 0), t = sum, c = sum, ca = sum, cb = sum, n;
        double total = 0, cond, e, Wa = 0, Wb = 0, h, depth, support = 0;
        const char *kind;
        int k;
        if (!make(&s, &r)) { ++lost; continue; }
        ++done;
        kind = s.o.barrier == DC_LOCAL ? "local" : "global";
        st = evaluate(&s, s.x, 0, &plane, &v, g);
        if (st != DC_OK) {
            printf("  pair %ld (%s, n %d+%d, size %g, gap %g, far %g): %s\n", i, kind, s.na, s.n - s.na, s.size, s.gap, s.far, dc_status_text(st));
            FAILm("unexplained status");
        }
        ASSERT(dc_finite(v) && v >= 0);
        for (k = 0; k < 3*s.n; ++k) ASSERT(dc_finite(g[k]));
        if (s.o.barrier == DC_LOCAL) support = 2*(double)s.o.s/(1 - (double)s.o.s)*(double)s.o.length;
        if (s.o.barrier == DC_LOCAL && s.gap > support*(1 + 64*EPS) + 64*EPS*s.far) {
            ASSERT(v == 0);
            for (k = 0; k < 3*s.n; ++k) ASSERT(g[k] == 0);
            ++zero;
            continue;
        }
        if (v == 0) { ++zero; continue; }                  /* within rounding of the end of the support */

        /* relative error that rounding of the vertices makes */
        depth = s.o.barrier == DC_LOCAL ? fmin(s.gap, support - s.gap) : s.gap;
        if (depth <= 1e3*EPS*s.far) { ++zero; continue; }
        cond = 1 + 3*(s.size + s.far)/depth;
        e = EPS*cond;
        ++fine;

        /* third law, torque about the plane's contact point; every force pushes along n, none vanishes for the global one */
        n = dc_scale(1/dc_sqrt(dc_dot(plane.n, plane.n)), plane.n);
        for (k = 0; k < s.n; ++k) {
            dc_v3 f = dc_vec(-g[3*k], -g[3*k + 1], -g[3*k + 2]), x = dc_sub(s.x[k], s.x[0]);
            double size = norm(f), push = (double)dc_dot(f, n)*(k < s.na ? 1 : -1), D;
            sum = dc_add(sum, f);
            t = dc_add(t, dc_cross(x, f));
            total += size;
            if (s.o.barrier == DC_GLOBAL) ASSERT(size > 0);
            ASSERT(push >= 0 && fabs(push - size) <= 8*EPS*size);
            /* a, b of the proof of Lemma 4.1: means weighted by the forces */
            D = size;
            if (k < s.na) { ca = dc_madd(ca, (dc_real)D, x); Wa += D; }
            else { cb = dc_madd(cb, (dc_real)D, x); Wb += D; }
        }
        ASSERT(total > 0);
        worst_add(&law, norm(sum)/total/e, "%s n %d+%d size %.3g gap %.3g far %.3g", kind, s.na, s.n - s.na, s.size, s.gap, s.far);
        worst_add(&spin, norm(t)/(total*(s.size))/e, "%s n %d+%d size %.3g gap %.3g far %.3g", kind, s.na, s.n - s.na, s.size, s.gap, s.far);
        c = dc_sub(dc_scale((dc_real)(1/Wa), ca), dc_scale((dc_real)(1/Wb), cb));
        ASSERT(dc_dot(c, n) > 0);
        worst_add(&cone, norm(dc_cross(c, n))/s.size/e, "%s n %d+%d size %.3g gap %.3g far %.3g", kind, s.na, s.n - s.na, s.size, s.gap, s.far);

        /* swapped: the same bits up to the order of sums */
        p.n = dc_vec(0, 0, 0);
        p.d = 0;
        ASSERT_EQ(evaluate(&s, s.x, 1, &p, &vp, g2), DC_OK);
        worst_add(&swap, fabs((double)(vp - v))/(double)v/e, "%s n %d+%d size %.3g gap %.3g far %.3g", kind, s.na, s.n - s.na, s.size, s.gap, s.far);

        /* moved together */
        {
            double w[3];
            dc_m3 R;
            rng_unit3(&r, w);
            R = dc_m3_exp(dc_vec((dc_real)(2*w[0]), (dc_real)(2*w[1]), (dc_real)(2*w[2])));
            for (k = 0; k < s.n; ++k) y[k] = dc_add(dc_mul(&R, s.x[k]), dc_vec((dc_real)s.size, 0, 0));
            p.n = dc_vec(0, 0, 0);
            st = evaluate(&s, y, 0, &p, &vp, NULL);
            ASSERT_EQ(st, DC_OK);
            worst_add(&rigid, fabs((double)(vp - v))/(double)v/e, "%s n %d+%d size %.3g gap %.3g far %.3g", kind, s.na, s.n - s.na, s.size, s.gap, s.far);
        }

        if (DC_IS_FLOAT) continue;
        /* gradient: central differences along one random motion of all vertices, steps depth/256 and down by 4, extrapolated; of
         * the five results the one that agrees best with the next is taken. The noise of the values over the change they show
         * is printed beside; where it leaves fewer than three digits the pair is skipped and counted */
        {
            double quotient[6], noise[6], best = HUGE_VAL, found = 0, bar = 1, u[3];
            int level;
            for (k = 0; k < s.n; ++k) {
                rng_unit3(&r, u);
                dx[k] = dc_vec((dc_real)(depth/256*u[0]), (dc_real)(depth/256*u[1]), (dc_real)(depth/256*u[2]));
            }
            for (level = 0, h = depth/256; level < 6; ++level, h /= 4) {
                double slope = 0;
                for (k = 0; k < s.n; ++k) {
                    y[k] = dc_add(s.x[k], dx[k]);
                    z[k] = dc_sub(s.x[k], dx[k]);
                    n = dc_sub(y[k], z[k]);                          /* the step as rounded */
                    slope += (double)(g[3*k]*n.x + g[3*k + 1]*n.y + g[3*k + 2]*n.z);
                    dx[k] = dc_scale(DC_R(0.25), dx[k]);
                }
                p = plane;
                ASSERT_EQ(evaluate(&s, y, 0, &p, &vp, NULL), DC_OK);
                p = plane;
                ASSERT_EQ(evaluate(&s, z, 0, &p, &vm, NULL), DC_OK);
                quotient[level] = ((double)vp - (double)vm - slope)/(total*h);
                noise[level] = 4*e*(double)v/(total*h) + e*depth/h;
            }
            for (level = 0; level < 4; ++level) {
                double now = (16*quotient[level + 1] - quotient[level])/15, next = (16*quotient[level + 2] - quotient[level + 1])/15;
                if (fabs(now - next) + noise[level + 2] < best) {
                    best = fabs(now - next) + noise[level + 2];
                    bar = 2e-6 + 4*noise[level + 2];
                    found = now;
                }
            }
            if (best < 1e-3) {
                ++differenced;
                worst_add(&fd, fabs(found)/bar, "%s n %d+%d size %.3g gap %.3g far %.3g", kind, s.na, s.n - s.na, s.size, s.gap, s.far);
            }
        }
    }
    printf("  %ld pairs: %ld with force, %ld beyond the local support or within rounding of its end, %ld without digits for the gap; %ld differenced\n",
           done + lost, fine, zero, lost, differenced);
    printf("  at most %d Newton steps cold, %d warm\n", steps[0], steps[1]);
    printf("  errors in eps (1 + 3 (L + offset)/depth); differences in 2e-6 + their noise\n");
    ASSERT(fine > count/4 && steps[0] <= (DC_IS_FLOAT ? 50 : 150) && steps[1] <= 75);        /* 20, 62 and 30 */
    ASSERT(DC_IS_FLOAT || 2*differenced > fine);
    if (DC_IS_FLOAT) printf("  differences of float values have too few digits: none taken\n");
    ASSERT((DC_IS_FLOAT || worst_print(&fd, 1)) + worst_print(&law, 20) + worst_print(&spin, 20) + worst_print(&rigid, 100) + worst_print(&swap, 20)
               + worst_print(&cone, 20) == 6);
    PASS();
}

/* Infinite exactly on overlap: the pairs pushed into each other by 1e-6 of their size and more. */
TEST overlap_is_infinite(void)
{
    static sample s;
    long count = sweep_count(20000), i, tried = 0;
    rng r;
    rng_seed(&r, 77);
    for (i = 0; i < count; ++i) {
        dc_distance d = DC_ZERO;
        dc_real v = 3, g[3*MOST];
        dc_plane plane = DC_ZERO, before;
        dc_arena mem;
        double deep;
        int k;
        if (!make(&s, &r)) continue;
        if (dc_hull_distance(&s.a, NULL, &s.b, NULL, NULL, &d) != DC_OK) continue;
        deep = s.size*rng_log(&r, 1e-6, 1e-2) + 100*EPS*s.far;
        for (k = 0; k < s.na; ++k) s.x[k] = dc_madd(s.x[k], -(d.gap + (dc_real)deep), d.n);
        /* how deep, really: the shortest way may have ended at a vertex or an edge they now pass beside */
        memset(&d, 0, sizeof d);
        mem = dc_arena_make(memory, sizeof memory);
        if (dc_hull_distance(&s.a, NULL, &s.b, NULL, &mem, &d) != DC_OK || (double)d.gap > -100*EPS*(s.far + s.size)) continue;
        ++tried;
        before = plane;
        memset(g, 0x5a, sizeof g);
        ASSERT_EQ(evaluate(&s, s.x, 0, &plane, &v, g), DC_E_OVERLAP);
        ASSERT(v > DC_REAL_MAX);
        ASSERT(memcmp(&plane, &before, sizeof plane) == 0);
        for (k = 0; k < (int)(3*(size_t)s.n*sizeof *g); ++k) ASSERT(((unsigned char *)g)[k] == 0x5a);
    }
    printf("  %ld overlapping pairs\n", tried);
    ASSERT(tried > count/10);
    PASS();
}

/* ---- batches ------------------------------------------------------------------------------------------ */

#define N 509                       /* not a multiple of the lanes */

static dc_real X[18*N], plane_rows[4*N], value[N], grad[18*N], relative[27*N], value2[N], plane2[4*N];
static unsigned char status[N];

static void put(int i, const dc_v3 *v)
{
    int k;
    for (k = 0; k < 6; ++k) {
        X[3*k*N + i] = v[k].x;
        X[(3*k + 1)*N + i] = v[k].y;
        X[(3*k + 2)*N + i] = v[k].z;
    }
}

/* Values, planes, gradients and relative derivatives of a batch against the pairs one by one; cold and warm. */
TEST batch_is_the_pairs(void)
{
    worst wv = worst_make("value"), wg = worst_make("gradient"), wr = worst_make("relative gradient"), wh = worst_make("relative Hessian");
    static sample s;
    rng r;
    int i, k, j, pass, row;
    rng_seed(&r, 4);
    for (i = 0; i < N; ++i) {
        do {
            while (!make(&s, &r)) {}
        } while (s.n != 6 || s.far > 10*s.size);
        put(i, s.x);
    }
    memset(plane_rows, 0, sizeof plane_rows);
    for (pass = 0; pass < 2; ++pass) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_tri_out out = DC_ZERO;
        dc_pair_options o = DC_ZERO;
        o.length = DC_R(0.7);
        if (pass == 1)
            for (i = 0; i < N; ++i)                   /* planes of the first pass; a moves by a hundredth of its gap */
                for (k = 0; k < 9; ++k) X[k*N + i] += (k%3 == 1 ? DC_R(0.01) : DC_R(-0.005))*(plane2[i] = relative[i]);
        out.plane = plane_rows;
        out.value = value;
        out.grad = grad;
        out.relative = relative;
        out.status = status;
        out.origin = dc_vec(DC_R(0.3), DC_R(-0.1), DC_R(0.2));
        ASSERT_EQ(dc_tri_batch(&o, N, X, N, &mem, &out), DC_OK);
        ASSERT_EQ(mem.used, (size_t)0);
        for (i = 0; i < N; ++i) {
            dc_v3 v[6];
            dc_hull a = DC_ZERO, b = DC_ZERO;
            dc_real V, g[18], g12[12], H[144], most, gap, torque;
            dc_pose at = DC_ZERO;
            dc_pair_info info;
            double e, L = 0, size = 0;
            ASSERT_EQ(status[i], DC_OK);
            for (k = 0; k < 6; ++k) {
                v[k] = dc_vec(X[3*k*N + i], X[(3*k + 1)*N + i], X[(3*k + 2)*N + i]);
                L = fmax(L, norm(dc_sub(v[k], out.origin)));
            }
            a.v = v;
            b.v = v + 3;
            a.n = b.n = 3;
            ASSERT_EQ(dc_pair(&o, &a, &b, &mem, NULL, &V, g, NULL, &info), DC_OK);
            gap = info.gap;
            for (k = 1; k < 3; ++k) size = fmax(size, fmax(norm(dc_sub(v[k], v[0])), norm(dc_sub(v[3 + k], v[3]))));
            /* one origin for both bodies: torques lose what the distance is longer than the triangles */
            e = EPS*(1 + 3*L/(double)gap + L/size);
            worst_add(&wv, fabs((double)(value[i] - V))/(double)V/e, "pass %d pair %d gap %g size %g", pass, i, (double)gap, L);
            most = (dc_real)largest(g, 18);
            for (k = 0; k < 18; ++k) worst_add(&wg, fabs((double)(grad[k*N + i] - g[k]))/(double)most/e, "pass %d pair %d gap %g size %g", pass, i, (double)gap, L);
            at.q.w = 1;
            at.t = out.origin;
            for (k = 0; k < 6; ++k) v[k] = dc_sub(v[k], at.t);
            ASSERT_EQ(dc_pair_rigid(&o, &a, &at, &b, &at, &mem, NULL, &V, g12, H, NULL), DC_OK);
            /* torques and their derivatives against force times size, where they happen to be smaller */
            torque = (dc_real)(size*norm(dc_vec(g12[0], g12[1], g12[2])));
            most = dc_max(torque, (dc_real)largest(g12, 6));
            for (k = 0; k < 6; ++k) worst_add(&wr, fabs((double)(relative[k*N + i] - g12[k]))/(double)most/e, "pass %d pair %d gap %g size %g", pass, i, (double)gap, L);
            for (k = 0, most = torque; k < 6; ++k) most = dc_max(most, (dc_real)largest(H + 12*k, 6));
            for (k = 0, row = 6; k < 6; ++k)
                for (j = k; j < 6; ++j, ++row)
                    worst_add(&wh, fabs((double)(relative[row*N + i] - H[12*k + j]))/(double)most/e, "pass %d pair %d gap %g size %g", pass, i, (double)gap, L);

            /* the expanded relative form is the twelve by twelve one, by way of another origin */
            {
                dc_relative q;
                dc_real G[12], E[144];
                q.o = out.origin;
                for (k = 0, row = 6; k < 6; ++k) {
                    q.g[k] = relative[k*N + i];
                    for (j = k; j < 6; ++j, ++row) q.H[6*k + j] = q.H[6*j + k] = relative[row*N + i];
                }
                dc_relative_shift(&q, dc_vec(DC_R(0.5), 0, DC_R(-0.2)));
                dc_relative_expand(&q, at.t, at.t, G, E);
                most = dc_max(torque, (dc_real)largest(H, 144));
                for (k = 0; k < 144; ++k) worst_add(&wh, fabs((double)(E[k] - H[k]))/(double)most/e, "expanded, pass %d pair %d", pass, i);
            }
            relative[i] = gap;
        }
    }
    printf("  errors in eps (1 + 3L/gap + L/size), L from the origin\n");
    ASSERT(worst_print(&wv, 5) + worst_print(&wg, 100) + worst_print(&wr, 100) + worst_print(&wh, 100) == 4);
    PASS();
}

/* The bits of a pair do not depend on where it stands, on its neighbours, or on what is asked beside the value. */
TEST batch_order_changes_no_bit(void)
{
    static sample s;
    rng r;
    int i, k;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_tri_out out = DC_ZERO;
    rng_seed(&r, 8);
    for (i = 0; i < N; ++i) {
        do {
            while (!make(&s, &r)) {}
        } while (s.n != 6);
        put(i, s.x);
    }
    out.value = value;
    out.relative = relative;
    ASSERT_EQ(dc_tri_batch(NULL, N, X, N, &mem, &out), DC_OK);
    for (k = 0; k < 18; ++k)
        for (i = 0; i < N/2; ++i) {
            dc_real t = X[k*N + i];
            X[k*N + i] = X[k*N + N - 1 - i];
            X[k*N + N - 1 - i] = t;
        }
    out.value = value2;
    out.relative = NULL;
    memset(memory, 0xab, sizeof memory);
    ASSERT_EQ(dc_tri_batch(NULL, N, X, N, &mem, &out), DC_OK);
    for (i = 0; i < N; ++i) ASSERT(value[i] == value2[N - 1 - i]);
    PASS();
}

/* One bad pair spoils no other: overlap and NaN are reported in their place. */
TEST batch_reports_bad_pairs(void)
{
    static sample s;
    rng r;
    int i;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_tri_out out = DC_ZERO;
    rng_seed(&r, 15);
    for (i = 0; i < N; ++i) {
        do {
            while (!make(&s, &r)) {}
        } while (s.n != 6);
        if (i == 100) {                       /* an edge of b pierces a */
            dc_v3 c = dc_scale(DC_R(1.0)/3, dc_add(s.x[0], dc_add(s.x[1], s.x[2])));
            dc_v3 w = dc_cross(dc_sub(s.x[1], s.x[0]), dc_sub(s.x[2], s.x[0]));
            w = dc_scale((dc_real)(0.1*s.size)/dc_sqrt(dc_dot(w, w)), w);
            s.x[3] = dc_add(c, w);
            s.x[4] = dc_sub(c, w);
        }
        if (i == 300) s.x[2].y = (dc_real)NAN;
        put(i, s.x);
        value[i] = -5;
    }
    out.value = value;
    out.status = status;
    ASSERT_EQ(dc_tri_batch(NULL, N, X, N, &mem, &out), DC_E_OVERLAP);
    for (i = 0; i < N; ++i) {
        ASSERT_EQ(status[i], i == 100 ? DC_E_OVERLAP : i == 300 ? DC_E_ARG : DC_OK);
        ASSERT(i == 100 ? value[i] > DC_REAL_MAX : i == 300 ? value[i] == -5 : value[i] > 0 && value[i] <= DC_REAL_MAX);
    }
    PASS();
}

/* ---- the same bits everywhere -------------------------------------------------------------------------- */

/* The bits of distances, depths, both potentials, batches and friction of 300 pairs, on a little-endian machine. Only a build
 * without contraction of a*b + c keeps them. Inputs come without the platform's mathematics. */
TEST bits_are_the_same_on_every_machine(void)
{
#ifdef DC_TEST_NO_CONTRACT
    uint64_t h = UINT64_C(14695981039346656037);
    rng r;
    int i, k;
    rng_seed(&r, 99);
    for (i = 0; i < 300; ++i) {
        dc_v3 v[24], w[24];
        dc_hull a = DC_ZERO, b = DC_ZERO, a1 = DC_ZERO, b1 = DC_ZERO;
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_distance d = DC_ZERO;
        dc_pair_options o = DC_ZERO;
        dc_tri_out out = DC_ZERO;
        dc_real P = 0, g[72], g12[12], H[144], M[144], x[18];
        double lift = rng_uniform(&r, -0.5, 2);
        a.n = a1.n = i%2 ? 3 : rng_int(&r, 1, 12);
        b.n = b1.n = i%2 ? 3 : rng_int(&r, 1, 12);
        for (k = 0; k < a.n + b.n; ++k) {         /* one draw a statement: the order of arguments is the compiler's */
            v[k].x = (dc_real)rng_uniform(&r, -1, 1);
            v[k].y = (dc_real)rng_uniform(&r, -1, 1);
            v[k].z = (dc_real)(rng_uniform(&r, -1, 1) + (k < a.n ? lift : 0));
            w[k].x = v[k].x + (dc_real)rng_uniform(&r, -0.01, 0.01);
            w[k].y = v[k].y + (dc_real)rng_uniform(&r, -0.01, 0.01);
            w[k].z = v[k].z;
        }
        a.v = v;  b.v = v + a.n;  a1.v = w;  b1.v = w + a.n;
        if (dc_hull_distance(&a, NULL, &b, NULL, &mem, &d) != DC_OK) continue;
        h = mix(h, &d.gap, 1);
        h = mix(h, &d.n.x, 3);
        if (!(d.gap > 0)) continue;
        for (k = 0; k < 2; ++k) {
            o.barrier = k ? DC_LOCAL : DC_GLOBAL;
            o.s = DC_R(0.4);
            if (dc_pair(&o, &a, &b, &mem, NULL, &P, g, NULL, NULL) != DC_OK) continue;
            h = mix(mix(h, &P, 1), g, 3*(a.n + b.n));
            if (dc_pair_rigid(&o, &a, NULL, &b, NULL, &mem, NULL, &P, g12, H, NULL) == DC_OK) h = mix(mix(h, g12, 12), H, 144);
            if (a.n == 1 && b.n == 1) continue;
            if (3*(a.n + b.n) <= 12
                && dc_friction(NULL, &o, DC_R(0.5), DC_R(0.01), &a, &a1, &b, &b1, &mem, NULL, &P, g12, H, M, NULL) == DC_OK)
                h = mix(mix(mix(h, &P, 1), H, 9*(a.n + b.n)*(a.n + b.n)), M, 9*(a.n + b.n)*(a.n + b.n));
        }
        if (i%2) {
            dc_real rel[27];
            for (k = 0; k < 6; ++k) {
                x[3*k] = v[k].x;
                x[3*k + 1] = v[k].y;
                x[3*k + 2] = v[k].z;
            }
            out.value = &P;
            out.relative = rel;
            if (dc_tri_batch(NULL, 1, x, 1, &mem, &out) == DC_OK) h = mix(mix(h, &P, 1), rel, 27);
        }
    }
    printf("  hash %016llx\n", (unsigned long long)h);
    ASSERT(h == (DC_IS_FLOAT ? UINT64_C(0x1789abe552335c0f) : UINT64_C(0x9fe502451a948cde)));
    PASS();
#else
    SKIPm("needs -ffp-contract=off and DC_TEST_NO_CONTRACT");
#endif
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(every_pair_behaves);
    RUN_TEST(overlap_is_infinite);
    RUN_TEST(batch_is_the_pairs);
    RUN_TEST(batch_order_changes_no_bit);
    RUN_TEST(batch_reports_bad_pairs);
    RUN_TEST(bits_are_the_same_on_every_machine);
    GREATEST_MAIN_END();
}
