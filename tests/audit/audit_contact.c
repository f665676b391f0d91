/* Audit of dc_contact.h, the pairs of hulls: distance, impacts, potentials, friction. See audit.h. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DQ_CONTACT_IMPLEMENTATION
#include "dq_contact.h"

#include "hulls.h"

static void posed(const dc_hull *a, const dc_pose *p, dc_v3 *v)
{
    int k;
    for (k = 0; k < a->n; ++k) v[k] = dc_pose_apply(*p, a->v[k]);
}

/* ---- dc_hull_distance ---- */

static int gap_value(const dq_real *t, dq_real *f, void *user)
{
    hulls *h = (hulls *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_pose pa = audit_pose(&h->pa, t), pb = audit_pose(&h->pb, t + 6);
    dq_distance d = DQ_ZERO;
    dq_status s = dq_hull_distance(&h->Qa, &pa, &h->Qb, &pb, &mem, &d);
    *f = d.gap;
    return s == DQ_OK;
}

static void twist_row(dc_real *g, dc_v3 n, dc_v3 p, dc_v3 t, dc_real sign)
{
    dc_v3 w = dc_cross(dc_sub(p, t), n);
    g[0] = sign*n.x; g[1] = sign*n.y; g[2] = sign*n.z;
    g[3] = sign*w.x; g[4] = sign*w.y; g[5] = sign*w.z;
}

/* Where the nearest features are not unique the gap has a kink: boxes with parallel faces rest on one, and two bodies with a common
 * centre as a rule; these classes are resolved in part or not at all. Every other sample starts from the features of a pose nearby. */
static void hull_distance(int deep, const char *name, long n)
{
    int class;
    for (class = 0; class <= (deep ? CLASSES : CLASSES - 1); ++class) {
        int concentric = class == CLASSES;
        audit_row *row = audit_of(name, concentric ? "concentric" : classes[class]);
        long k;
        if (deep && class == APART) continue;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static hulls h;
            rng r = audit_draw(row, k);
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_distance d = DC_ZERO;
            dc_real g[13];
            dc_status s;
            dq_real zero[12] = {0}, want;
            double gap = deep ? class == TOUCHING ? -gap_of(&r, class) : -rng_log(&r, 1e-3, 0.3) : gap_of(&r, class), eps;
            if (!hulls_draw(&r, concentric ? (k%2 ? IDENTICAL : GENERIC) : class, V, concentric ? 1 : gap, 1e-6, &h)) continue;
            if (concentric) {
                h.pb.t = h.pa.t;
                h.gap = -0.1;
            }
            if (k%2) {
                dc_pose p = h.pb;
                p.t = dc_add(p.t, dc_scale((dc_real)(0.1*fabs(h.gap)*h.size), dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), 0)));
                dc_hull_distance(&h.a, &h.pa, &h.b, &p, &mem, &d);
            }
            s = dc_hull_distance(&h.a, &h.pa, &h.b, &h.pb, &mem, &d);
            twist_row(g, d.n, d.pa, h.pa.t, 1);
            twist_row(g + 6, d.n, d.pb, h.pb.t, -1);
            g[12] = d.gap;
            eps = (double)DC_EPS*h.size*(2 + h.rounding);
            audit_call(row, s, s == DC_OK && gap_value(zero, &want, &h) && (double)fabsq(want - d.gap) <= 8*eps, g, 13);
            if (s != DC_OK) continue;
            audit_zero(row, g, 12);
            audit_rounding = h.rounding;
            audit_scalar(row, row, gap_value, &h, 12, h.scale, g, NULL, 1e-12*fmin(fabs(h.gap), 1), 1, &r);
        }
    }
}

/* ---- dc_hull_ray_jac, dc_hull_cast_jac ---- */

typedef struct {
    hulls *h;
    dc_ray ray;
    dc_real va[6], vb[6], gap, duration;
} impact_case;

static void impact_numbers(dq_real time, dq_v3 p, dq_v3 n, dq_real *f)
{
    f[0] = time;
    f[1] = p.x; f[2] = p.y; f[3] = p.z;
    f[4] = n.x; f[5] = n.y; f[6] = n.z;
}

/* at parameters origin, dir, twist of b */
static int ray_value(const dq_real *t, dq_real *f, void *user)
{
    impact_case *c = (impact_case *)user;
    dq_pose pb = audit_pose(&c->h->pb, t + 6);
    dq_ray ray;
    dq_ray_hit hit;
    ray.origin = dq_add(audit_up3(c->ray.origin), dq_vec(t[0], t[1], t[2]));
    ray.dir = dq_add(audit_up3(c->ray.dir), dq_vec(t[3], t[4], t[5]));
    ray.length = c->ray.length;
    if (dq_hull_ray(&c->h->Qb, &pb, &ray, &hit) != DQ_OK || hit.outcome != DQ_CAST_HIT) return 0;
    impact_numbers(hit.time, hit.point, hit.n, f);
    return 1;
}

/* at twists of both poses, changes of both velocities */
static int cast_value(const dq_real *t, dq_real *f, void *user)
{
    impact_case *c = (impact_case *)user;
    dq_pose pa = audit_pose(&c->h->pa, t), pb = audit_pose(&c->h->pb, t + 6);
    dq_cast_options opt = DQ_ZERO;
    dq_cast_hit hit;
    dq_real va[6], vb[6];
    int k;
    for (k = 0; k < 6; ++k) {
        va[k] = c->va[k] + t[12 + k];
        vb[k] = c->vb[k] + t[18 + k];
    }
    opt.gap = c->gap;
    if (dq_hull_cast(&opt, &c->h->Qa, &pa, va, &c->h->Qb, &pb, vb, c->duration, &hit) != DQ_OK || hit.outcome != DQ_CAST_HIT) return 0;
    impact_numbers(hit.time, hit.at.pa, hit.at.n, f);
    return 1;
}

/* Half of the hulls have a radius. A ray from near a, or a towards b, turning in every other sample. */
static void impacts(int cast, const char *name, long n)
{
    int class;
    for (class = 0; class < CLASSES; ++class) {
        audit_row *row = audit_of(name, classes[class]);
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static hulls h;
            rng r = audit_draw(row, k);
            impact_case c;
            dc_ray_hit ray_hit;
            dc_cast_options opt = DC_ZERO;
            dc_cast_hit cast_hit;
            dc_real J[7*24], speed, time;
            dc_status s;
            dc_v3 to, middle = dc_vec(0, 0, 0);
            dq_real zero[24] = {0}, want[7];
            double scale[24], unit[7], far_off;
            int i, hit, params = cast ? 24 : 12;
            if (!hulls_draw(&r, class, V, gap_of(&r, class), 1e-3, &h)) continue;
            if (k%2 == 0) {
                h.a.radius = (dc_real)(0.2*h.size);
                h.b.radius = (dc_real)(0.3*h.size);
                h.Qa.radius = h.a.radius;
                h.Qb.radius = h.b.radius;
                h.pb.t = dc_add(h.pb.t, dc_scale(1, dc_sub(h.pb.t, h.pa.t)));
            }
            memset(&c, 0, sizeof c);
            c.h = &h;
            for (i = 0; i < h.b.n; ++i) middle = dc_madd(middle, 1/(dc_real)h.b.n, h.b.v[i]);
            to = dc_sub(dc_pose_apply(h.pb, middle), h.pa.t);
            far_off = sqrt((double)dc_dot(to, to))/h.size;
            c.ray.origin = h.pa.t;
            c.ray.dir = to;
            c.ray.length = 2;
            c.duration = 2;
            c.va[0] = to.x; c.va[1] = to.y; c.va[2] = to.z;
            for (i = 3; i < 6 && k%4 > 1; ++i) {
                c.va[i] = (dc_real)rng_uniform(&r, -1, 1);
                c.vb[i] = (dc_real)rng_uniform(&r, -1, 1);
            }
            for (i = 0; i < 24; ++i) scale[i] = i%6 < 3 ? h.size : 1;
            if (!cast) for (i = 3; i < 6; ++i) scale[i] = h.size;
            for (i = 0; i < 7; ++i) unit[i] = i > 0 && i < 4 ? h.size : 1;

            if (cast) {
                opt.gap = (dc_real)(1e-2*h.size);
                s = dc_hull_cast(&opt, &h.a, &h.pa, c.va, &h.b, &h.pb, c.vb, c.duration, &cast_hit);
                hit = cast_hit.outcome == DC_CAST_HIT;
                c.gap = cast_hit.gap;
                time = cast_hit.time;
                speed = cast_hit.speed;
            } else {
                s = dc_hull_ray(&h.b, &h.pb, &c.ray, &ray_hit);
                hit = ray_hit.outcome == DC_CAST_HIT;
                time = ray_hit.time;
                speed = ray_hit.speed;
            }
            if (s == DC_OK && (!hit || !((double)-speed > 1e-2*far_off*h.size))) continue;    /* missed, or grazed */
            if (s == DC_OK)
                s = cast ? dc_hull_cast_jac(&h.a, &h.pa, c.va, &h.b, &h.pb, c.vb, &cast_hit, J, NULL)
                         : dc_hull_ray_jac(&h.b, &h.pb, &c.ray, &ray_hit, J, NULL);
            if (!cast && s == DC_E_SINGULAR && ray_hit.count < 3 && h.b.radius == 0) continue;
            audit_call(row, s, s == DC_OK && (cast ? cast_value(zero, want, &c) : ray_value(zero, want, &c))
                       && fabs((double)(want[0] - time)*(double)speed) <= 64*(double)DC_EPS*h.size*(2 + h.rounding + far_off), J, (size_t)(7*params));
            if (s != DC_OK) continue;
            audit_zero(row, J, params);
            audit_rounding = h.rounding + far_off;
            audit_jacobian(row, cast ? cast_value : ray_value, &c, params, scale, 7, unit, J, params, 1e-9, 1, &r);
        }
    }
}

/* ---- dc_hull_manifold_jvp, _vjp, dc_hull_smooth_jvp, _vjp ---- */

enum { PATCH_N = 8, SOFT = 200 };

/* One number of all that the points say, with random coefficients: those of the manifold, by their ids; or of the smooth one, times
 * their weights. By twists, and after them by vertices. */
typedef struct {
    hulls *h;
    int smooth, vertices;
    dc_real margin, length;
    dc_hull_patch m;
    dc_v3 by_n, by_pa[DC_HULL_CONTACTS], by_pb[DC_HULL_CONTACTS];
    dc_real by_gap[DC_HULL_CONTACTS];
    dq_real gap;
    int other;                  /* the copy, at the same poses, touches elsewhere */
} patch_case;

static unsigned char topologies[1 << 17], quad_topologies[1 << 20];

static dq_real share3(dc_v3 by, dq_v3 x) { return by.x*x.x + by.y*x.y + by.z*x.z; }

static int patch_value(const dq_real *t, dq_real *f, void *user)
{
    patch_case *c = (patch_case *)user;
    dq_arena keep = dq_arena_make(quad_topologies, sizeof quad_topologies), mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_pose pa = audit_pose(&c->h->pa, t), pb = audit_pose(&c->h->pb, t + 6);
    dq_hull qa = c->h->Qa, qb = c->h->Qb;
    dq_hull_topology a, b;
    dq_v3 xa[V], xb[V];
    int i, k;
    if (c->vertices) {
        for (t += 12, k = 0; k < qa.n; ++k, t += 3) xa[k] = dq_add(qa.v[k], dq_vec(t[0], t[1], t[2]));
        for (k = 0; k < qb.n; ++k, t += 3) xb[k] = dq_add(qb.v[k], dq_vec(t[0], t[1], t[2]));
        qa.v = xa;
        qb.v = xb;
    }
    if (dq_hull_faces(&qa, 64*DC_EPS, &keep, &a) != DQ_OK || dq_hull_faces(&qb, 64*DC_EPS, &keep, &b) != DQ_OK) return 0;
    if (c->smooth) {
        static dq_hull_soft soft[SOFT];
        dq_hull_smooth_options o = DQ_ZERO;
        dq_v3 n;
        int count;
        o.margin = c->margin;
        o.length = c->length;
        if (dq_hull_smooth(&o, &a, &pa, &b, &pb, &mem, SOFT, &n, soft, &count) != DQ_OK) return 0;
        *f = share3(c->by_n, n);
        for (k = 0; k < count; ++k)
            *f += soft[k].weight*(share3(c->by_pa[0], soft[k].pa) + share3(c->by_pb[0], soft[k].pb) + c->by_gap[0]*soft[k].gap);
    } else {
        dq_hull_manifold_options o = DQ_ZERO;
        dq_hull_patch m = DQ_ZERO;
        o.margin = c->margin;
        o.capacity = DC_HULL_CONTACTS;
        if (dq_hull_manifold(&o, &a, &pa, &b, &pb, &mem, &m) != DQ_OK) return 0;
        c->gap = m.gap;
        c->other = m.count != c->m.count || m.reference != c->m.reference;
        *f = share3(c->by_n, m.n);
        for (i = 0; i < m.count && !c->other; ++i) {
            for (k = 0; k < m.count && c->m.point[k].id != m.point[i].id; ++k) continue;
            c->other = k == m.count;
            if (!c->other) *f += share3(c->by_pa[k], m.point[i].pa) + share3(c->by_pb[k], m.point[i].pb) + c->by_gap[k]*m.point[i].gap;
        }
        if (c->other) return 0;
    }
    return 1;
}

static double share3_of(dc_v3 by, dc_v3 x) { return (double)by.x*(double)x.x + (double)by.y*(double)x.y + (double)by.z*(double)x.z; }

/* The number and its gradient by vjp, or its rates by twists by jvp. */
static dc_status patch_call(patch_case *c, const dc_hull_topology *a, const dc_hull_topology *b, int rates, dc_real *value, dc_real *g, int *count)
{
    static dc_hull_soft soft[SOFT];
    static dc_hull_soft_rate rate[SOFT];
    const hulls *h = c->h;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_real *ga = c->vertices ? g + 12 : NULL, *gb = c->vertices ? g + 12 + 3*h->a.n : NULL;
    dc_hull_manifold_options o = DC_ZERO;
    dc_hull_smooth_options so = DC_ZERO;
    dc_v3 n, dpa[DC_HULL_CONTACTS], dpb[DC_HULL_CONTACTS];
    dc_real dgap[DC_HULL_CONTACTS];
    double sum;
    dc_status s;
    int i, k;
    o.margin = so.margin = c->margin;
    o.capacity = DC_HULL_CONTACTS;
    so.length = c->length;
    if (c->smooth) s = dc_hull_smooth(&so, a, &h->pa, b, &h->pb, &mem, SOFT, &n, soft, count);
    else {
        s = dc_hull_manifold(&o, a, &h->pa, b, &h->pb, &mem, &c->m);
        n = c->m.n;
        *count = c->m.count;
    }
    if (s != DC_OK) return s;

    sum = share3_of(c->by_n, n);
    for (k = 0; k < *count; ++k) {
        const dc_hull_contact *p = &c->m.point[k];
        const dc_hull_soft *q = &soft[k];
        if (!c->smooth) {
            sum += share3_of(c->by_pa[k], p->pa) + share3_of(c->by_pb[k], p->pb) + (double)(c->by_gap[k]*p->gap);
            continue;
        }
        rate[k].weight = (dc_real)(share3_of(c->by_pa[0], q->pa) + share3_of(c->by_pb[0], q->pb) + (double)(c->by_gap[0]*q->gap));
        rate[k].pa = dc_scale(q->weight, c->by_pa[0]);
        rate[k].pb = dc_scale(q->weight, c->by_pb[0]);
        rate[k].gap = q->weight*c->by_gap[0];
        sum += (double)(q->weight*rate[k].weight);
    }
    *value = (dc_real)sum;
    if (!rates && c->smooth) return dc_hull_smooth_vjp(&so, a, &h->pa, b, &h->pb, &mem, *count, &c->by_n, rate, g, ga, gb);
    if (!rates) return dc_hull_manifold_vjp(a, &h->pa, b, &h->pb, &c->m, &c->by_n, c->by_pa, c->by_pb, c->by_gap, g, ga, gb);
    for (i = 0; i < 12; ++i) {
        static dc_hull_soft_rate to[SOFT];
        dc_real twist[12] = {0};
        twist[i] = 1;
        if (c->smooth) s = dc_hull_smooth_jvp(&so, a, &h->pa, b, &h->pb, twist, &mem, SOFT, &n, to, count);
        else s = dc_hull_manifold_jvp(a, &h->pa, b, &h->pb, &c->m, twist, &n, dpa, dpb, dgap);
        if (s != DC_OK) return s;
        sum = share3_of(c->by_n, n);
        for (k = 0; k < *count; ++k)
            sum += c->smooth ? share3_of(rate[k].pa, to[k].pa) + share3_of(rate[k].pb, to[k].pb) + (double)(rate[k].gap*to[k].gap + rate[k].weight*to[k].weight)
                             : share3_of(c->by_pa[k], dpa[k]) + share3_of(c->by_pb[k], dpb[k]) + (double)(c->by_gap[k]*dgap[k]);
        g[i] = (dc_real)sum;
    }
    return DC_OK;
}

/* Every other pair overlaps, the others have a margin of twice their gap. The corners of a box and
 * of a flat hull keep to their planes: there only twists are looked at. Where the copy has other points than the double, at
 * outlines within rounding, a sample says nothing but that the gaps agree. */
static void manifolds(int smooth, int rates, const char *name, long n)
{
    int class;
    for (class = 0; class < CLASSES; ++class) {
        audit_row *row = audit_of(name, classes[class]);
        int planes = class == PARALLEL || class == ALIGNED || class == TIES || class == FLAT;
        long k;
        if (class == APART) continue;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static hulls h;
            static patch_case c;
            rng r = audit_draw(row, k);
            dc_arena keep = dc_arena_make(topologies, sizeof topologies);
            dc_hull_topology a, b;
            dc_real g[1 + 12 + 6*PATCH_N] = {0};
            dq_real zero[12 + 6*PATCH_N] = {0}, want = 0;
            double scale[12 + 6*PATCH_N], gap = gap_of(&r, class), eps;
            dc_status s;
            int i, params, count = 0, has;
            if (k%2) gap = class == TOUCHING ? -gap : -rng_log(&r, 1e-3, 0.05);
            if (!hulls_draw(&r, class, PATCH_N, gap, 1e-3, &h)) continue;
            memset(&c, 0, sizeof c);
            c.h = &h;
            c.smooth = smooth;
            c.margin = (dc_real)(2*fmax(h.gap, 0.05)*h.size);
            if (dc_hull_faces(&h.a, 0, &keep, &a) != DC_OK || dc_hull_faces(&h.b, 0, &keep, &b) != DC_OK) continue;
            c.vertices = !rates && !planes && a.dimension == 3 && b.dimension == 3;
            c.length = c.vertices && k%2 ? (dc_real)(0.03*h.size) : 0;
            params = 12 + (c.vertices ? 3*(h.a.n + h.b.n) : 0);
            for (i = 0; i < params; ++i) scale[i] = i < 12 ? h.scale[i] : h.size;
            c.by_n = dc_scale((dc_real)h.size, dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1)));
            for (i = 0; i < DC_HULL_CONTACTS; ++i) {
                c.by_pa[i] = dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1));
                c.by_pb[i] = dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1));
                c.by_gap[i] = (dc_real)rng_uniform(&r, -1, 1);
            }
            audit_rounding = h.rounding;
            s = patch_call(&c, &a, &b, rates, g, g + 1, &count);
            if (s == DC_E_SINGULAR || (s == DC_OK && count == 0)) continue;
            has = s == DC_OK && patch_value(zero, &want, &c);
            eps = (double)DC_EPS*h.size*(2 + h.rounding);
            audit_call(row, s, s == DC_OK && (has ? audit_near(g[0], want, audit_inputs(params, scale, g + 1) + eps)
                                                  : !smooth && (double)fabsq(c.gap - c.m.gap) <= 64*eps), g, (size_t)(1 + params));
            if (!has) continue;
            audit_zero(row, g + 1, params);
            audit_scalar(row, row, patch_value, &c, params, scale, g + 1, NULL, 1e-7*fmin(fabs(h.gap), 1), 1, &r);
        }
    }
}

/* ---- dc_pair, dc_pair_affine, dc_pair_rigid ---- */

typedef enum { VERTICES, AFFINE, RIGID } form;
typedef struct {
    hulls *h;
    form form;
    dc_v3 xa[V], xb[V];         /* VERTICES */
    dc_affine Ta, Tb;           /* AFFINE */
    dq_pair_options opt;
    dq_plane plane;
    dq_status status;           /* of the copy */
} pair_case;

static int pair_value(const dq_real *t, dq_real *f, void *user)
{
    pair_case *c = (pair_case *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    int k;
    if (c->form == RIGID) {
        dq_pose pa = audit_pose(&c->h->pa, t), pb = audit_pose(&c->h->pb, t + 6);
        c->status = dq_pair_rigid(&c->opt, &c->h->Qa, &pa, &c->h->Qb, &pb, &mem, &c->plane, f, NULL, NULL, NULL);
    } else if (c->form == AFFINE) {
        dq_affine Ta, Tb;
        for (k = 0; k < 12; ++k) {
            Ta.m[k] = c->Ta.m[k] + t[k];
            Tb.m[k] = c->Tb.m[k] + t[12 + k];
        }
        c->status = dq_pair_affine(&c->opt, &c->h->Qa, &Ta, &c->h->Qb, &Tb, &mem, &c->plane, f, NULL, NULL, NULL);
    } else {
        dq_v3 xa[V], xb[V];
        dq_hull a = c->h->Qa, b = c->h->Qb;
        for (k = 0; k < a.n; ++k) xa[k] = dq_add(audit_up3(c->xa[k]), dq_vec(t[3*k], t[3*k + 1], t[3*k + 2]));
        for (t += 3*a.n, k = 0; k < b.n; ++k) xb[k] = dq_add(audit_up3(c->xb[k]), dq_vec(t[3*k], t[3*k + 1], t[3*k + 2]));
        a.v = xa;
        b.v = xb;
        c->status = dq_pair(&c->opt, &a, &b, &mem, &c->plane, f, NULL, NULL, NULL);
    }
    return c->status == DQ_OK;
}

static dc_status pair_call(pair_case *c, const dc_pair_options *opt, dc_plane *plane, dc_real *value, dc_real *g, dc_real *H)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    hulls *h = c->h;
    dc_hull a = h->a, b = h->b;
    a.v = c->xa;
    b.v = c->xb;
    if (c->form == RIGID) return dc_pair_rigid(opt, &h->a, &h->pa, &h->b, &h->pb, &mem, plane, value, g, H, NULL);
    if (c->form == AFFINE) return dc_pair_affine(opt, &h->a, &c->Ta, &h->b, &c->Tb, &mem, plane, value, g, H, NULL);
    return dc_pair(opt, &a, &b, &mem, plane, value, g, H, NULL);
}

/* Sets up the case of a form: the parameters' scales, their number. */
static int pair_open(pair_case *c, hulls *h, form form, rng *r, double *scale)
{
    int k, n = form == RIGID ? 12 : form == AFFINE ? 24 : 3*(h->a.n + h->b.n);
    c->h = h;
    c->form = form;
    posed(&h->a, &h->pa, c->xa);
    posed(&h->b, &h->pb, c->xb);
    c->Ta = dc_pose_to_affine(h->pa);
    c->Tb = dc_pose_to_affine(h->pb);
    if (form == AFFINE)           /* stretched and sheared a little: no rotation any more */
        for (k = 0; k < 12; ++k)
            if (k%4 < 3) c->Ta.m[k] += (dc_real)(1e-3*fmin(h->gap, 1)*rng_uniform(r, -1, 1));
    for (k = 0; k < n; ++k) scale[k] = form == RIGID ? h->scale[k] : form == AFFINE && k%4 < 3 ? 1 : h->size;
    audit_rounding = h->rounding;
    return n;
}

/* The least gap, in lengths, that DC_LOCAL answers at; below it may say that it did not converge. */
#define LOCAL_LEAST (DC_IS_FLOAT ? 2e-5 : 1e-9)

/* One sample. cold: 1, or 0 for a start from the plane of a pose nearby. */
static void pair_sample(audit_row *row, hulls *h, form form, const dc_pair_options *opt, int cold, rng *r)
{
    static dc_real out[1 + 6*V + 36*V*V];
    double scale[6*V], step = 1e-7*fmin(h->gap, 1);
    static pair_case c;
    dc_plane plane = DC_ZERO;
    dq_real zero[6*V] = {0}, want = 0;
    dc_status s;
    int n, truthful;
    memset(&c, 0, sizeof c);
    n = pair_open(&c, h, form, r, scale);
    if (!cold) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_real xi[6];
        dc_pose p;
        int k;
        for (k = 0; k < 6; ++k) xi[k] = (dc_real)(rng_uniform(r, -1, 1)*0.1*fmin(h->gap, 1)*(k < 3 ? h->size : 1));
        p = dc_pose_retract(h->pb, xi);
        if (dc_pair_rigid(opt, &h->a, &h->pa, &h->b, &p, &mem, &plane, NULL, NULL, NULL, NULL) != DC_OK) return;
    }
    c.opt.barrier = (dq_barrier)opt->barrier;
    c.opt.c = opt->c;
    c.opt.s = opt->s;
    c.opt.length = opt->length;
    s = pair_call(&c, opt, &plane, out, out + 1, out + 1 + n);
    /* a copy that did not converge says nothing */
    pair_value(zero, &want, &c);
    truthful = s == DC_OK && (c.status == DQ_E_DIVERGED || (c.status == DQ_OK && audit_near(out[0], want, audit_inputs(n, scale, out + 1))));
    if (opt->barrier == DC_LOCAL && h->gap*h->size < LOCAL_LEAST*(double)opt->length && s == DC_E_DIVERGED) truthful = 1;
    audit_call(row, s, truthful, out, (size_t)(1 + n + n*n));
    if (audit_only >= 0)
        printf("  %s (copy: %s), gap %.3g (%.3g lengths) size %.3g s %.3g length %.3g\n", dc_status_text(s), dq_status_text(c.status), h->gap*h->size,
               h->gap*h->size/(double)opt->length, h->size, (double)opt->s, (double)opt->length);
    if (s != DC_OK) return;
    audit_symmetric(row, out + 1 + n, n);
    if (opt->barrier == DC_GLOBAL) audit_zero(row, out + 1, n);
    audit_scalar(row, row, pair_value, &c, n, scale, out + 1, out + 1 + n, step, 1, r);
}

/* Classes of poses: options as they are when zeroed but for a length that reaches, or `any`. One in four has radii. */
static void pairs(form form, dc_barrier barrier, int any, const char *name, long n)
{
    int class;
    for (class = 0; class < CLASSES; ++class) {
        audit_row *row = audit_of(name, classes[class]);
        long k;
        if (barrier == DC_LOCAL && class == APART) continue;         /* beyond the support: 0 */
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static hulls h;
            rng r = audit_draw(row, k);
            dc_pair_options opt = DC_ZERO;
            double gap = gap_of(&r, class), s, reach;
            if (!hulls_draw(&r, class, form == VERTICES ? 8 : V, gap, 1e-6, &h)) continue;
            if (k%4 == 2) hulls_round(&r, &h);
            opt.barrier = barrier;
            opt.length = (dc_real)h.size;
            if (any && barrier == DC_GLOBAL) {
                opt.c = (dc_real)rng_log(&r, 1e-3, 1e3);
                opt.length = (dc_real)(h.size*rng_log(&r, 1e-3, 1e3));
            }
            if (barrier == DC_LOCAL) {
                s = any ? rng_uniform(&r, 0.02, 0.9) : 0.1;
                reach = 2*s/(1 - s);
                if (any) opt.s = (dc_real)s;
                opt.length = (dc_real)(h.size*fmax(h.gap, 0.01)/reach*(any ? rng_uniform(&r, 1.05, 20) : 4.4));
                opt.length = dc_min(opt.length, DC_LIMIT);      /* the longest that is accepted */
            }
            pair_sample(row, &h, form, &opt, !any, &r);
        }
    }
}

/* DC_LOCAL over its whole range: gaps of 1e-9 lengths (float 2e-5) to its end that are also 1e-9 (float 1e-4) of the size, hulls of
 * any size in lengths; and needles. */
static void local_range(const char *name, int class, const char *classes_name, long n)
{
    audit_row *row = audit_of(name, classes_name);
    long k;
    for (k = audit_first(n); audit_next(row, k, n); ++k) {
        static hulls h;
        rng r = audit_draw(row, k);
        dc_pair_options opt = DC_ZERO;
        double s = rng_uniform(&r, DC_IS_FLOAT ? 0.02 : 0.002, 0.95), size = rng_log(&r, 1e-7, 1e3), least = LOCAL_LEAST, gap;
        gap = rng_log(&r, fmax(least, 2*(DC_IS_FLOAT ? 1e-4 : 1e-9)*size), 0.98*2*s/(1 - s))/size;
        if (class == NEEDLES) {
            size = rng_log(&r, 1e-2, 1e2);
            gap = rng_log(&r, fmax(least/size, DC_IS_FLOAT ? 1e-4 : 5e-8), 0.01/size);
        }
        if (!hulls_draw(&r, class, V, gap, DC_IS_FLOAT ? 1e-4 : 1e-8, &h)) continue;
        opt.barrier = DC_LOCAL;
        opt.s = (dc_real)s;
        opt.length = (dc_real)(h.size/size);
        if (h.gap*size < least || h.gap*size > 0.99*2*s/(1 - s)) continue;
        pair_sample(row, &h, RIGID, &opt, 1, &r);
    }
}

/* Overlap is said, and is no number; beyond its support DC_LOCAL is 0 with all its derivatives. */
static void pair_statuses(long n)
{
    int class, way;
    for (way = 0; way < 3; ++way)
        for (class = 0; class < CLASSES; ++class) {
            audit_row *row = audit_of(way == 0 ? "dc_pair_rigid, gl overlap" : way == 1 ? "dc_pair_rigid, lo overlap" : "dc_pair_rigid, lo beyond", classes[class]);
            long k;
            if ((way < 2 && class == APART) || class == FLAT || class == NEEDLES) continue;     /* flat ones cross at a depth of nothing */
            for (k = audit_first(n); audit_next(row, k, n); ++k) {
                static hulls h;
                rng r = audit_draw(row, k);
                dc_arena mem = dc_arena_make(memory, sizeof memory);
                dc_pair_options opt = DC_ZERO;
                dc_real out[157];
                dc_status s;
                double gap = way == 2 ? gap_of(&r, class) : class == TOUCHING ? -gap_of(&r, class) : -rng_log(&r, 1e-3, 0.3);
                int i, ok;
                if (!hulls_draw(&r, class, V, gap, 1e-6, &h) || fabs(h.gap) < 1e3*(double)DC_EPS*h.rounding) continue;
                opt.barrier = way == 0 ? DC_GLOBAL : DC_LOCAL;
                opt.length = (dc_real)(way == 2 ? h.gap*h.size*4.5/rng_uniform(&r, 1.01, 10) : h.size);      /* it reaches 2/9 lengths */
                for (i = 0; i < 157; ++i) out[i] = 7;
                s = dc_pair_rigid(&opt, &h.a, &h.pa, &h.b, &h.pb, &mem, NULL, out, out + 1, out + 13, NULL);
                if (way < 2) ok = s == DC_E_OVERLAP && !dc_finite(out[0]) && out[0] > 0;
                else {
                    ok = s == DC_OK && out[0] == 0;
                    for (i = 1; i < 157; ++i) ok = ok && out[i] == 0;
                }
                for (i = 1; i < 157 && way < 2; ++i) ok = ok && out[i] == 7;
                audit_call(row, s, ok, NULL, 0);
                if (audit_only >= 0) printf("  %s, gap %.3g size %.3g length %.3g\n", dc_status_text(s), h.gap*h.size, h.size, (double)opt.length);
            }
        }
}

/* ---- dc_centred, dc_blend ---- */

typedef struct { dc_v3 x[2]; int na, nb; dq_pair_options opt; } centred_case;
static int centred_value(const dq_real *t, dq_real *f, void *user)
{
    centred_case *c = (centred_case *)user;
    return dq_centred(&c->opt, c->na, c->nb, dq_add(audit_up3(c->x[0]), dq_vec(t[0], t[1], t[2])),
                      dq_add(audit_up3(c->x[1]), dq_vec(t[3], t[4], t[5])), f, NULL, NULL) == DQ_OK;
}

static void centred(long n)
{
    static const char *const name[] = {"generic", "touching", "far apart", "sizes 1e+-6", "far offset"};
    int class;
    for (class = 0; class < 5; ++class) {
        audit_row *row = audit_of("dc_centred", name[class]);
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            rng r = audit_draw(row, k);
            centred_case c;
            dc_pair_options opt = DC_ZERO;
            double u[3], length = class == 3 ? rng_log(&r, 1e-6, 1e6) : class == 0 && k%2 ? 1 : rng_log(&r, 1e-2, 1e2), scale[6];
            double far = length*(class == 1 ? rng_log(&r, 1e-9, 1e-3) : class == 2 ? FAR : rng_log(&r, 0.01, 100));
            double off = class == 4 ? (DC_IS_FLOAT ? 30 : 1e3)*far : 0;
            dc_real out[1 + 6 + 36];
            dq_real zero[6] = {0}, want;
            dc_status s;
            int i;
            rng_unit3(&r, u);
            memset(&c, 0, sizeof c);
            c.na = rng_int(&r, 1, 20);
            c.nb = rng_int(&r, 1, 20);
            c.x[0] = dc_vec((dc_real)off, 0, (dc_real)-off);
            c.x[1] = dc_add(c.x[0], dc_vec((dc_real)(far*u[0]), (dc_real)(far*u[1]), (dc_real)(far*u[2])));
            opt.length = (dc_real)length;
            opt.c = k%3 ? (dc_real)rng_log(&r, 0.1, 100) : 0;
            c.opt.length = opt.length;
            c.opt.c = opt.c;
            for (i = 0; i < 6; ++i) scale[i] = far;
            audit_rounding = 1 + 2*off/far;
            s = dc_centred(&opt, c.na, c.nb, c.x[0], c.x[1], out, out + 1, out + 7);
            audit_call(row, s, s == DC_OK && centred_value(zero, &want, &c) && audit_near(out[0], want, audit_inputs(6, scale, out + 1)),
                       out, 43);
            if (s != DC_OK) continue;
            audit_symmetric(row, out + 7, 6);
            audit_zero(row, out + 1, 6);
            audit_scalar(row, row, centred_value, &c, 6, scale, out + 1, out + 7, 1e-7, 1, &r);
        }
    }
}

static int blend_value(const dq_real *t, dq_real *f, void *user)
{
    *f = dq_blend(*(const dc_real *)user + *t, NULL, NULL);
    return 1;
}

static void blend(long n)
{
    static const char *const name[] = {"inside", "ends", "outside"};
    int class;
    for (class = 0; class < 3; ++class) {
        audit_row *row = audit_of("dc_blend", name[class]);
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            rng r = audit_draw(row, k);
            double off = rng_log(&r, 1e-6, 1e-2);
            dc_real d, out[3];
            dq_real want, zero = 0;
            d = (dc_real)(class == 0 ? rng_uniform(&r, 0, 1) : class == 1 ? k%2 ? off : 1 - off : k%2 ? -rng_log(&r, 1e-6, 1e6) : 1 + rng_log(&r, 1e-6, 1e6));
            out[0] = dc_blend(d, out + 1, out + 2);
            blend_value(&zero, &want, &d);
            audit_call(row, DC_OK, audit_near(out[0], want, fabs((double)(out[1]*d*DC_EPS))), out, 3);
            audit_scalar(row, row, blend_value, &d, 1, NULL, out + 1, out + 2, 1e-9, 1, &r);
        }
    }
}

/* ---- dc_tri_batch, dc_relative_shift, dc_relative_expand ---- */

typedef struct { dc_v3 x[6]; dc_v3 o[2]; dq_pair_options opt; dq_plane plane; int form; } tri_case;  /* 0: vertices, 1: twist of a, 2: of both */

static dq_v3 twisted(dc_v3 x, dc_v3 o, const dq_real *t)
{
    dq_v3 y = dq_sub(audit_up3(x), audit_up3(o));
    y = dq_quat_rotate(dq_quat_exp(dq_vec(t[3], t[4], t[5])), y);
    return dq_add(dq_add(y, audit_up3(o)), dq_vec(t[0], t[1], t[2]));
}

static int tri_value(const dq_real *t, dq_real *f, void *user)
{
    tri_case *c = (tri_case *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_v3 x[6];
    dq_hull a, b;
    int k;
    for (k = 0; k < 6; ++k) {
        if (c->form == 0) x[k] = dq_add(audit_up3(c->x[k]), dq_vec(t[3*k], t[3*k + 1], t[3*k + 2]));
        else if (k < 3) x[k] = twisted(c->x[k], c->o[0], t);
        else x[k] = c->form == 2 ? twisted(c->x[k], c->o[1], t + 6) : audit_up3(c->x[k]);
    }
    a.v = x;
    b.v = x + 3;
    a.n = b.n = 3;
    a.radius = b.radius = 0;
    return dq_pair(&c->opt, &a, &b, &mem, &c->plane, f, NULL, NULL, NULL) == DQ_OK;
}

/* the rows of `relative` as a dc_relative */
static void unpack(const dc_real *row, size_t stride, dc_v3 o, dc_relative *out)
{
    int i, j;
    out->o = o;
    for (i = 0; i < 6; ++i) out->g[i] = row[(size_t)i*stride];
    for (i = 0; i < 6; ++i)
        for (j = i; j < 6; ++j) out->H[6*i + j] = out->H[6*j + i] = row[(size_t)(6 + i*(11 - i)/2 + j)*stride];
}

static void triangles(long n)
{
    static const char *const name[] = {"dc_tri_batch, vertices", "dc_tri_batch, relative", "dc_tri_batch, warm", "dc_relative_shift, _expand"};
    enum { PAIRS = 9 };
    int class;
    for (class = 0; class < CLASSES; ++class) {
        audit_row *row[4];
        long k;
        int i, j;
        if (class == FLAT || class == TIES || class == PARALLEL || class == ALIGNED) continue;      /* of boxes; triangles are flat */
        for (i = 0; i < 4; ++i) row[i] = audit_of(name[i], classes[class]);
        for (k = audit_first(n); audit_next(row[0], k, n); ++k) {
            static hulls h;
            static dc_real x[18*PAIRS], plane[4*PAIRS], value[PAIRS], grad[18*PAIRS], relative[27*PAIRS];
            static tri_case c;
            unsigned char status[PAIRS];
            rng r = audit_draw(row[0], k);
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_pair_options opt = DC_ZERO;
            dc_tri_out out = DC_ZERO;
            dc_real g[18], G[12], H[144];
            dc_relative rel;
            dq_real zero[18] = {0}, want = 0;
            double scale[18], gap = gap_of(&r, class);
            int count = rng_int(&r, 1, PAIRS), at = rng_int(&r, 0, count - 1), ok, way;
            if (!hulls_draw(&r, class, 3, gap, 1e-6, &h)) continue;
            memset(&c, 0, sizeof c);
            posed(&h.a, &h.pa, c.x);
            posed(&h.b, &h.pb, c.x + 3);
            opt.length = (dc_real)(k%2 ? h.size : h.size*rng_log(&r, 0.01, 100));
            opt.c = k%3 ? 0 : (dc_real)rng_log(&r, 0.1, 100);
            c.opt.length = opt.length;
            c.opt.c = opt.c;

            /* the sample at a place of the batch, others beside it */
            for (i = 0; i < PAIRS; ++i)
                for (j = 0; j < 18; ++j) {
                    const dc_v3 *v = c.x + j/3;
                    dc_real y = j%3 == 0 ? v->x : j%3 == 1 ? v->y : v->z;
                    x[j*PAIRS + i] = i == at ? y : (dc_real)(h.size*(rng_uniform(&r, -1, 1) + (j < 9 ? 5 : 0)));
                }
            memset(plane, 0, sizeof plane);
            out.plane = plane;
            out.value = value;
            out.grad = grad;
            out.relative = relative;
            out.status = status;
            out.origin = dc_madd(c.x[0], (dc_real)h.size, dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), 0));
            for (way = 0; way < 2; ++way) {                 /* cold, then warm from planes of pairs moved a little */
                audit_row *at_row = row[way ? 2 : 0];
                dc_status s;
                if (way && k%2) break;
                if (way)
                    for (j = 0; j < 18; ++j) {
                        dc_v3 *v = c.x + j/3;
                        dc_real *y = j%3 == 0 ? &v->x : j%3 == 1 ? &v->y : &v->z;
                        *y += (dc_real)(1e-2*fmin(h.gap, 1)*h.size*rng_uniform(&r, -1, 1));
                        x[j*PAIRS + at] = *y;
                    }
                dc_tri_batch(&opt, count, x, PAIRS, &mem, &out);
                s = (dc_status)status[at];
                for (j = 0; j < 18; ++j) {
                    g[j] = grad[j*PAIRS + at];
                    scale[j] = h.size;
                }
                audit_rounding = h.rounding;
                c.form = 0;
                ok = s == DC_OK && tri_value(zero, &want, &c) && audit_near(value[at], want, audit_inputs(18, scale, g));
                audit_call(at_row, s, ok, g, 18);
                if (s != DC_OK) break;
                audit_zero(at_row, g, 18);
                audit_scalar(at_row, at_row, tri_value, &c, 18, scale, g, NULL, 1e-7*fmin(h.gap, 1), 1, &r);

                /* by the twist of a */
                unpack(relative + at, PAIRS, out.origin, &rel);
                for (j = 0; j < 12; ++j) scale[j] = j%6 < 3 ? h.size : 1;
                audit_rounding = h.rounding;
                c.form = 1;
                c.o[0] = out.origin;
                audit_call(row[1], s, 1, rel.g, 6);
                audit_call(row[1], s, 1, rel.H, 36);
                audit_symmetric(row[1], rel.H, 6);
                audit_scalar(row[1], row[1], tri_value, &c, 6, scale, rel.g, rel.H, 1e-7*fmin(h.gap, 1), 1, &r);
                if (way) break;

                /* about another origin, and of both bodies */
                c.form = 2;
                for (i = 0; i < 2; ++i)
                    c.o[i] = dc_madd(c.x[3*i], (dc_real)h.size, dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), 1));
                dc_relative_shift(&rel, c.o[1]);
                dc_relative_expand(&rel, c.o[0], c.o[1], G, H);
                audit_call(row[3], s, 1, G, 12);
                audit_call(row[3], s, 1, H, 144);
                audit_symmetric(row[3], H, 12);
                audit_zero(row[3], G, 12);
                audit_scalar(row[3], row[3], tri_value, &c, 12, scale, G, H, 1e-7*fmin(h.gap, 1), 1, &r);
            }
        }
    }
}

/* ---- friction ---- */

typedef struct {
    hulls *h;
    dc_pose a1, b1;
    dc_v3 x0[2*V], x1[2*V];     /* by vertices: a, then b */
    int by_vertices;
    dc_real mu, time;
    dq_friction_options opt;
    dq_pair_options pair;
} friction_case;

/* parameters: new, then old configuration */
static int friction_value(const dq_real *t, dq_real *f, void *user)
{
    friction_case *c = (friction_case *)user;
    hulls *h = c->h;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    if (c->by_vertices) {
        dq_v3 x1[2*V], x0[2*V];
        dq_hull a0 = h->Qa, a1 = h->Qa, b0 = h->Qb, b1 = h->Qb;
        int k, n = a0.n + b0.n;
        for (k = 0; k < n; ++k) {
            x1[k] = dq_add(audit_up3(c->x1[k]), dq_vec(t[3*k], t[3*k + 1], t[3*k + 2]));
            x0[k] = dq_add(audit_up3(c->x0[k]), dq_vec(t[3*(n + k)], t[3*(n + k) + 1], t[3*(n + k) + 2]));
        }
        a1.v = x1;
        b1.v = x1 + a1.n;
        a0.v = x0;
        b0.v = x0 + a0.n;
        return dq_friction(&c->opt, &c->pair, c->mu, c->time, &a0, &a1, &b0, &b1, &mem, NULL, f, NULL, NULL, NULL, NULL) == DQ_OK;
    } else {
        dq_pose a1 = audit_pose(&c->a1, t), b1 = audit_pose(&c->b1, t + 6), a0 = audit_pose(&h->pa, t + 12), b0 = audit_pose(&h->pb, t + 18);
        return dq_friction_rigid(&c->opt, &c->pair, c->mu, c->time, &h->Qa, &a0, &a1, &h->Qb, &b0, &b1, &mem, NULL, f, NULL, NULL, NULL,
                                 NULL) == DQ_OK;
    }
}

typedef enum { BY_VERTICES, BY_TWISTS, BY_LOAD } friction_form;

/* Steps are a 1e-7th of the least of the lengths gap, creep sqrt(eps_v) h, patch. The rounding of coordinates over the creep is what
 * the float build is limited by: its options are wider. */
static void friction(friction_form form, dc_barrier barrier, int no_patch, const char *name, const char *mixed_name, long n)
{
    enum { MOST = 5 };
    int class;
    for (class = 0; class < CLASSES; ++class) {
        audit_row *row = audit_of(name, classes[class]), *mixed_row = mixed_name ? audit_of(mixed_name, classes[class]) : NULL;
        long k;
        if (barrier == DC_LOCAL && class == APART) continue;
        if (form == BY_VERTICES && (class == PARALLEL || class == ALIGNED || class == TIES)) continue;        /* 16 vertices: too many */
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static hulls h;
            static friction_case c;
            static dc_real out[1 + 6*MOST + 2*36*MOST*MOST + 300];
            rng r = audit_draw(row, k);
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_friction_options opt = DC_ZERO;
            dc_pair_options pair = DC_ZERO;
            dc_real *g = out + 1, *H, *M, value = 0, xi[12];
            dc_status s;
            double scale[12*V], gap = class == TOUCHING ? rng_log(&r, DC_IS_FLOAT ? 1e-3 : 1e-6, DC_IS_FLOAT ? 1e-2 : 1e-4) : gap_of(&r, class);
            double creep, step, slip;
            dq_real zero[12*V] = {0}, want = 0;
            int i, m, vertices = form == BY_VERTICES, by_default = !DC_IS_FLOAT && class != SIZES && k%3 == 0;
            if (!hulls_draw(&r, class, vertices ? MOST : V, gap, 1e-6, &h)) continue;
            if (!vertices && k%4 == 2) hulls_round(&r, &h);
            memset(&c, 0, sizeof c);
            c.h = &h;
            c.by_vertices = vertices;
            pair.barrier = barrier;
            pair.length = (dc_real)(h.size*(barrier == DC_LOCAL ? 20*fmax(h.gap, 0.01) : 1));
            pair.length = dc_min(pair.length, DC_LIMIT);        /* the longest that is accepted */
            opt.no_patch = no_patch;
            c.mu = (dc_real)rng_log(&r, 0.01, 2);
            c.time = (dc_real)rng_log(&r, 1e-3, 1e-1);
            creep = 1e-3;
            if (!by_default) {
                creep = h.size*(DC_IS_FLOAT ? rng_log(&r, 0.1, 1)/(double)c.time*0.1 : rng_log(&r, 1e-3, 1e-1));
                creep = fmin(creep, 0.9*sqrt((double)DC_LIMIT));
                opt.eps_v = (dc_real)(creep*creep);
                opt.eps_f = (dc_real)fmin(0.9*(double)DC_LIMIT, pow(1/(double)pair.length, 2)*rng_log(&r, 1e-6, 1e-2));
                opt.patch = (dc_real)(h.size*rng_log(&r, 1e-3, 1e-1));
            }
            slip = creep*(double)c.time*rng_log(&r, 1e-2, 1e2);
            for (i = 0; i < 12; ++i) xi[i] = (dc_real)(slip*rng_uniform(&r, -1, 1)/(i%6 < 3 ? 1 : h.size));
            c.a1 = dc_pose_retract(h.pa, xi);
            c.b1 = dc_pose_retract(h.pb, xi + 6);
            posed(&h.a, &h.pa, c.x0);
            posed(&h.b, &h.pb, c.x0 + h.a.n);
            posed(&h.a, &c.a1, c.x1);
            posed(&h.b, &c.b1, c.x1 + h.a.n);
            c.opt.eps_f = opt.eps_f; c.opt.eps_v = opt.eps_v; c.opt.patch = opt.patch; c.opt.no_patch = no_patch;
            c.pair.barrier = (dq_barrier)barrier;
            c.pair.length = pair.length;
            if (by_default) { c.opt.eps_f = (dc_real)1e-6; c.opt.eps_v = (dc_real)1e-6; c.opt.patch = DC_R(0.01)*pair.length; }

            /* the call */
            m = vertices ? 3*(h.a.n + h.b.n) : 12;
            H = g + m;
            M = H + m*m;
            for (i = 0; i < 2*m; ++i) scale[i] = vertices ? h.size : h.scale[i%12];
            memset(out, 0, sizeof out);
            if (vertices) {
                dc_hull a0 = h.a, a1 = h.a, b0 = h.b, b1 = h.b;
                a0.v = c.x0;
                b0.v = c.x0 + h.a.n;
                a1.v = c.x1;
                b1.v = c.x1 + h.a.n;
                s = dc_friction(&opt, &pair, c.mu, c.time, &a0, &a1, &b0, &b1, &mem, NULL, &value, g, H, M, NULL);
            } else if (form == BY_TWISTS) {
                s = dc_friction_rigid(&opt, &pair, c.mu, c.time, &h.a, &h.pa, &c.a1, &h.b, &h.pb, &c.b1, &mem, NULL, &value, g, H, M, NULL);
            } else {
                dc_friction_load load;
                s = dc_friction_open(&opt, &pair, c.mu, c.time, &h.a, &h.pa, &h.b, &h.pb, &mem, NULL, &load);
                if (s == DC_OK) s = dc_friction_move(&load, &h.a, &c.a1, &h.b, &c.b1, &mem, &value, g, H);
            }
            out[0] = value;
            audit_rounding = h.rounding;
            /* U_f changes with the old configuration too, by about as much as with the gap */
            audit_call(row, s, s == DC_OK && friction_value(zero, &want, &c)
                       && audit_near(value, want, 2*audit_inputs(m, scale, g) + fabs((double)value)*(double)DC_EPS*h.rounding*10/fmin(h.gap, 1)),
                       out, (size_t)(1 + m + m*m*(form == BY_LOAD ? 1 : 2)));
            if (audit_only >= 0)
                printf("  %s, gap %.3g size %.3g length %.3g, slip %.3g of creep %.3g, time %.3g\n", dc_status_text(s), h.gap*h.size, h.size,
                       (double)pair.length, slip, creep*(double)c.time, (double)c.time);
            if (s != DC_OK) continue;
            audit_symmetric(row, H, m);
            step = 1e-7*fmin(fmin(h.gap, 1), creep*(double)c.time/h.size);
            audit_also = m;             /* the old configuration */
            audit_scalar(row, row, friction_value, &c, m, scale, g, H, step, 1, &r);
            audit_also = 0;
            if (form != BY_LOAD) {
                ++mixed_row->samples;
                audit_mixed(mixed_row, friction_value, &c, m, scale, m, scale, M, step, 1, &r);
            }
        }
    }
}

int main(int argc, char **argv)
{
    if (!audit_begin(argc, argv)) return 1;
    audit_least = 4;
    hull_distance(0, "dc_hull_distance, apart", 500);
    hull_distance(1, "dc_hull_distance, overlap", 500);
    impacts(0, "dc_hull_ray_jac", 400);
    impacts(1, "dc_hull_cast_jac", 400);
    manifolds(0, 0, "dc_hull_manifold_vjp", 200);
    manifolds(0, 1, "dc_hull_manifold_jvp", 100);
    manifolds(1, 0, "dc_hull_smooth_vjp", 40);
    manifolds(1, 1, "dc_hull_smooth_jvp", 20);
    pairs(RIGID, DC_GLOBAL, 0, "dc_pair_rigid, global", 1500);
    pairs(RIGID, DC_GLOBAL, 1, "dc_pair_rigid, global, warm", 500);
    pairs(RIGID, DC_LOCAL, 0, "dc_pair_rigid, local", 1500);
    pairs(RIGID, DC_LOCAL, 1, "dc_pair_rigid, local, warm", 500);
    local_range("dc_pair_rigid, local", GENERIC, "whole range", 8000);
    local_range("dc_pair_rigid, local", NEEDLES, "thin needles", 4000);
    pairs(VERTICES, DC_GLOBAL, 0, "dc_pair, global", 300);
    pairs(VERTICES, DC_LOCAL, 0, "dc_pair, local", 300);
    pairs(VERTICES, DC_LOCAL, 1, "dc_pair, local, warm", 100);
    pairs(AFFINE, DC_GLOBAL, 0, "dc_pair_affine, global", 300);
    pairs(AFFINE, DC_LOCAL, 0, "dc_pair_affine, local", 300);
    pairs(AFFINE, DC_LOCAL, 1, "dc_pair_affine, local, warm", 100);
    pair_statuses(500);
    centred(2000);
    blend(2000);
    triangles(400);
    friction(BY_TWISTS, DC_GLOBAL, 0, "dc_friction_rigid, global", "... mixed, global", 200);
    friction(BY_TWISTS, DC_LOCAL, 0, "dc_friction_rigid, local", "... mixed, local", 200);
    friction(BY_TWISTS, DC_GLOBAL, 1, "dc_friction_rigid, gl points", "... mixed, gl points", 200);
    friction(BY_TWISTS, DC_LOCAL, 1, "dc_friction_rigid, lo points", "... mixed, lo points", 200);
    friction(BY_VERTICES, DC_GLOBAL, 0, "dc_friction, global", "... mixed, global, vertices", 100);
    friction(BY_VERTICES, DC_LOCAL, 0, "dc_friction, local", "... mixed, local, vertices", 100);
    friction(BY_LOAD, DC_GLOBAL, 0, "dc_friction_open, global", NULL, 100);
    friction(BY_LOAD, DC_LOCAL, 0, "dc_friction_open, local", NULL, 100);
    return !audit_end();
}
