/* Rays and casts of hulls: closed forms, dense samples that no answer is later than, derivatives, hostile input. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include "greatest.h"
#include "support.h"

#include <math.h>
#include <string.h>

GREATEST_MAIN_DEFS();

typedef long double ld;
typedef struct { ld x, y, z; } l3;

static l3 l3_from(dc_v3 a) { l3 r; r.x = (ld)a.x; r.y = (ld)a.y; r.z = (ld)a.z; return r; }
static l3 l3_madd(l3 a, ld s, l3 b) { l3 r; r.x = a.x + s*b.x; r.y = a.y + s*b.y; r.z = a.z + s*b.z; return r; }
static l3 l3_sub(l3 a, l3 b) { return l3_madd(a, -1, b); }
static ld l3_dot(l3 a, l3 b) { return a.x*b.x + a.y*b.y + a.z*b.z; }
static l3 l3_cross(l3 a, l3 b) { l3 r; r.x = a.y*b.z - a.z*b.y; r.y = a.z*b.x - a.x*b.z; r.z = a.x*b.y - a.y*b.x; return r; }
static ld l3_len(l3 a) { return sqrtl(l3_dot(a, a)); }

#define EPS ((double)DC_EPS)
enum { MAX_N = 40 };

static unsigned char memory[1 << 16];

typedef struct { dc_v3 v[MAX_N]; dc_hull h; dc_pose pose; dc_real twist[6]; } body;

static dc_real inf(void) { return (dc_real)HUGE_VAL; }
static dc_v3 random_vec(rng *r, double size) { return dc_vec(DC_R(rng_uniform(r, -size, size)), DC_R(rng_uniform(r, -size, size)), DC_R(rng_uniform(r, -size, size))); }
static dc_v3 random_unit(rng *r) { double u[3]; rng_unit3(r, u); return dc_vec(DC_R(u[0]), DC_R(u[1]), DC_R(u[2])); }
static dc_pose upright(dc_v3 t) { dc_pose p = DC_ZERO; p.q.w = 1; p.t = t; return p; }

static dc_quat random_quat(rng *r)
{
    dc_quat q;
    q.w = DC_R(rng_normal(r)); q.x = DC_R(rng_normal(r)); q.y = DC_R(rng_normal(r)); q.z = DC_R(rng_normal(r));
    (void)dc_quat_normalize(q, &q);
    return q;
}

enum { BALL, CAPSULE, DISC, BOX, TETRA, CLOUD, ROUND_BOX, ROUND_CLOUD, NEEDLE, KINDS };
static const char *const kind_name[KINDS] = {"ball", "capsule", "disc", "box", "tetra", "cloud", "round box", "round cloud", "needle"};

static void body_make(rng *r, int kind, double size, body *b)
{
    static const int count[KINDS] = {1, 2, 3, 8, 4, 20, 8, 20, 6};
    dc_v3 e = dc_vec(DC_R(rng_uniform(r, 0.2, 0.5)), DC_R(rng_uniform(r, 0.2, 0.5)), DC_R(rng_uniform(r, 0.2, 0.5)));
    int i;
    memset(b, 0, sizeof *b);
    b->h.v = b->v;
    b->h.n = count[kind];
    b->h.radius = kind <= DISC || kind == ROUND_BOX || kind == ROUND_CLOUD ? DC_R(size*rng_uniform(r, 0.02, 0.4)) : 0;
    for (i = 0; i < b->h.n; ++i) {
        dc_v3 u = random_unit(r);
        if (kind == BOX || kind == ROUND_BOX) u = dc_vec(i & 1 ? e.x : -e.x, i & 2 ? e.y : -e.y, i & 4 ? e.z : -e.z);
        else u = dc_scale(DC_R(0.5), u);
        if (kind == NEEDLE) { u.y *= DC_R(1e-2); u.z *= DC_R(1e-2); }
        b->v[i] = dc_scale(DC_R(size), u);
    }
    b->pose.q = random_quat(r);
}

/* signed distance of a point, or of two bodies */
static dc_real gap_of(const dc_hull *a, const dc_pose *pa, const dc_hull *b, const dc_pose *pb, dc_distance *d)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_distance local = DC_ZERO;
    if (!d) d = &local;
    return dc_hull_distance(a, pa, b, pb, &mem, d) == DC_OK ? d->gap : DC_R(1e30);
}

static dc_real ray_gap(const body *b, const dc_ray *ray, dc_real t)
{
    dc_v3 x = dc_madd(ray->origin, t, ray->dir);
    dc_hull point = DC_ZERO;
    point.v = &x;
    point.n = 1;
    return gap_of(&point, NULL, &b->h, &b->pose, NULL);
}

/* ---- rays ---- */

TEST rays_and_triangles(void)
{
    rng r;
    long k, hits = 0, cases = sweep_count(4000);
    worst time = worst_make("time, eps of the numbers over |n.dir|"), point = worst_make("point, the same"), normal = worst_make("normal, eps");
    rng_seed(&r, 1);
    for (k = 0; k < cases; ++k) {
        dc_v3 v[3];
        dc_hull h = DC_ZERO;
        dc_ray ray;
        dc_ray_hit hit;
        l3 a, e, f, n, o, d, q;
        ld det, t, u, w, scale, cosine;
        int i, inside, near_edge;
        for (i = 0; i < 3; ++i) v[i] = random_vec(&r, 2);
        h.v = v;
        h.n = 3;
        ray.origin = random_vec(&r, 3);
        ray.dir = k%4 ? dc_sub(dc_scale(DC_R(1/3.0), dc_add(dc_add(v[0], v[1]), v[2])), ray.origin) : random_vec(&r, 2);
        ray.dir = dc_madd(ray.dir, DC_R(0.3), random_unit(&r));
        ray.length = 2;
        a = l3_from(v[0]); e = l3_sub(l3_from(v[1]), a); f = l3_sub(l3_from(v[2]), a);
        o = l3_from(ray.origin); d = l3_from(ray.dir);
        n = l3_cross(e, f);
        det = -l3_dot(d, n);
        q = l3_cross(l3_sub(o, a), d);
        u = l3_dot(f, q)/det;
        w = -l3_dot(e, q)/det;
        t = l3_dot(l3_sub(o, a), n)/det;
        cosine = fabsl(det)/l3_len(n)/l3_len(d);
        inside = u >= 0 && w >= 0 && u + w <= 1 && t >= 0 && t <= 2;
        near_edge = fabsl(u) < 1e-3L || fabsl(w) < 1e-3L || fabsl(1 - u - w) < 1e-3L || fabsl(t) < 1e-3L || fabsl(t - 2) < 1e-3L;
        if (near_edge || cosine < 1e-3L || l3_len(n) < 1e-3L) continue;
        ASSERT_EQ(DC_OK, dc_hull_ray(&h, NULL, &ray, &hit));
        ASSERT_EQ(inside ? DC_CAST_HIT : DC_CAST_MISS, hit.outcome);
        if (!inside) { ASSERT(hit.time == ray.length && hit.count == 0); continue; }
        ++hits;
        ASSERT_EQ(3, hit.count);
        scale = (ld)EPS*(l3_len(o) + 3)/cosine;
        worst_add(&time, (double)(fabsl((ld)hit.time - t)*l3_len(d)/scale), "case %ld", k);
        worst_add(&point, (double)(l3_len(l3_sub(l3_from(hit.point), l3_madd(o, t, d)))/scale), "case %ld", k);
        {
            ld s = l3_dot(l3_from(hit.n), n) > 0 ? 1/l3_len(n) : -1/l3_len(n);
            l3 m = l3_madd(l3_from(hit.n), -s, n);
            worst_add(&normal, (double)(l3_len(m)*l3_len(n)/(l3_len(e)*l3_len(f)))/EPS, "case %ld", k);
            ASSERT(l3_dot(l3_from(hit.n), d) < 0 && (ld)hit.speed < 0);
        }
    }
    printf("  %ld hits\n", hits);
    ASSERT(hits > cases/20);
    ASSERT(worst_print(&time, 8) & worst_print(&point, 8) & worst_print(&normal, 30));
    PASS();
}

/* first root of |q + t d| = r beyond 0, or -1 */
static ld sphere_time(l3 q, l3 d, ld r)
{
    ld a = l3_dot(d, d), b = l3_dot(q, d), c = l3_dot(q, q) - r*r, root = b*b - a*c;
    return root < 0 || b >= 0 ? -1 : c/(sqrtl(root) - b);
}

/* a ray and the capsule p, p + e, r: the cylinder where its foot is on the segment, else the spheres at the ends */
static ld capsule_time(l3 o, l3 d, l3 p, l3 e, ld r)
{
    ld ee = l3_dot(e, e), t, best = -1;
    l3 q = l3_sub(o, p), qe = l3_madd(q, -l3_dot(q, e)/ee, e), de = l3_madd(d, -l3_dot(d, e)/ee, e);
    int k;
    t = sphere_time(qe, de, r);
    if (t >= 0) {
        ld s = l3_dot(l3_madd(q, t, d), e)/ee;
        if (s >= 0 && s <= 1) best = t;
    }
    for (k = 0; k < 2; ++k) {
        t = sphere_time(l3_madd(q, k ? -1 : 0, e), d, r);
        if (t >= 0 && (best < 0 || t < best)) best = t;
    }
    return best;
}

static ld box_time(const double h[3], dc_v3 origin, dc_v3 dir)
{
    const double o[3] = {(double)origin.x, (double)origin.y, (double)origin.z}, d[3] = {(double)dir.x, (double)dir.y, (double)dir.z};
    ld from = -1, to = 1e30L;
    int k;
    for (k = 0; k < 3; ++k) {
        ld s = ((ld)(d[k] > 0 ? -h[k] : h[k]) - (ld)o[k])/(ld)d[k], t = ((ld)(d[k] > 0 ? h[k] : -h[k]) - (ld)o[k])/(ld)d[k];
        if (s > from) from = s;
        if (t < to) to = t;
    }
    return from <= to && from >= 0 ? from : -1;
}

TEST rays_and_closed_forms(void)
{
    rng r;
    long k, hits[3] = {0, 0, 0}, cases = sweep_count(9000);
    double steps = 0;
    worst time[3];
    time[0] = worst_make("sphere: time, eps of the numbers over |n.dir|");
    time[1] = worst_make("capsule: the same");
    time[2] = worst_make("box: the same");
    rng_seed(&r, 2);
    for (k = 0; k < cases; ++k) {
        const int kind = (int)(k%3);
        double size = rng_log(&r, 1e-3, 1e3), far_off = rng_log(&r, 1, 30), h[3];
        dc_v3 v[8];
        dc_hull hull = DC_ZERO;
        dc_ray ray;
        dc_ray_hit hit;
        ld t, tol;
        int i;
        hull.v = v;
        hull.n = kind == 0 ? 1 : kind == 1 ? 2 : 8;
        hull.radius = kind < 2 ? DC_R(size*rng_uniform(&r, 0.05, 1)) : 0;
        for (i = 0; i < 3; ++i) h[i] = (double)DC_R(size*rng_uniform(&r, 0.1, 1));
        for (i = 0; i < hull.n; ++i)
            v[i] = kind < 2 ? random_vec(&r, size) : dc_vec(DC_R(i & 1 ? h[0] : -h[0]), DC_R(i & 2 ? h[1] : -h[1]), DC_R(i & 4 ? h[2] : -h[2]));
        ray.origin = dc_scale(DC_R(size*(2.8 + far_off)), random_unit(&r));
        ray.dir = dc_sub(random_vec(&r, 1.2*size), ray.origin);
        ray.length = 3;
        if (kind == 0) t = sphere_time(l3_sub(l3_from(ray.origin), l3_from(v[0])), l3_from(ray.dir), (ld)hull.radius);
        else if (kind == 1) t = capsule_time(l3_from(ray.origin), l3_from(ray.dir), l3_from(v[0]), l3_sub(l3_from(v[1]), l3_from(v[0])), (ld)hull.radius);
        else t = box_time(h, ray.origin, ray.dir);
        ASSERT_EQ(DC_OK, dc_hull_ray(&hull, NULL, &ray, &hit));
        if (t >= 0 && hit.outcome == DC_CAST_HIT) {
            ++hits[kind];
            steps += hit.iterations;
            tol = (ld)EPS*(l3_len(l3_from(ray.origin)) + (ld)(3*size))/fabsl((ld)hit.speed);
            worst_add(&time[kind], (double)(fabsl((ld)hit.time - t)/tol), "case %ld", k);
        } else if (t >= 0 || hit.outcome == DC_CAST_HIT) {
            /* only where it grazes: half the chord is what rounding makes of it */
            dc_real least = inf();
            for (i = 0; i <= 400; ++i) {
                body b;
                dc_real g;
                memset(&b, 0, sizeof b);
                b.h = hull;
                b.pose = upright(dc_vec(0, 0, 0));
                g = dc_abs(ray_gap(&b, &ray, (t >= 0 ? (dc_real)t : hit.time)*(1 + (DC_R(i) - 200)*DC_EPS)));
                least = dc_min(least, g);
            }
            ASSERT(least <= 64*DC_EPS*DC_R(size*(6 + far_off)));
        }
    }
    printf("  %ld, %ld, %ld hits, %.2f distances each\n", hits[0], hits[1], hits[2], steps/(double)(hits[0] + hits[1] + hits[2]));
    ASSERT(sweep_short() || (hits[0] > cases/20 && hits[1] > cases/20 && hits[2] > cases/20));
    ASSERT(worst_print(&time[0], 30) & worst_print(&time[1], 30) & worst_print(&time[2], 30));
    PASS();
}

/* any hull, posed, far or near: nothing before the hit, the hit on the surface, and a miss is one */
TEST rays_and_hulls(void)
{
    rng r;
    long k, hits = 0, misses = 0, starts = 0, cases = sweep_count(6000);
    worst on = worst_make("gap at the hit, eps of the numbers"), before = worst_make("depth before a hit or on a miss, the same");
    worst steps = worst_make("distances of a ray");
    rng_seed(&r, 3);
    for (k = 0; k < cases; ++k) {
        const int kind = (int)(k%KINDS);
        double size = rng_log(&r, 1e-3, 1e3), scale, away = rng_log(&r, 0.3, 20);
        body b;
        dc_ray ray;
        dc_ray_hit hit;
        int i;
        body_make(&r, kind, size, &b);
        b.pose.t = random_vec(&r, 2*size);
        ray.origin = dc_madd(b.pose.t, DC_R(size*away), random_unit(&r));
        ray.dir = k%4 ? dc_sub(dc_madd(b.pose.t, DC_R(0.5*size), random_unit(&r)), ray.origin) : random_vec(&r, size);
        ray.length = DC_R(rng_uniform(&r, 0.5, 3));
        scale = EPS*size*(3 + away);
        ASSERT_EQ(DC_OK, dc_hull_ray(&b.h, &b.pose, &ray, &hit));
        worst_add(&steps, hit.iterations, "%s, case %ld", kind_name[kind], k);
        if (hit.outcome == DC_CAST_START) {
            ++starts;
            ASSERT(hit.time == 0);
            ASSERT((double)ray_gap(&b, &ray, 0) <= 40*scale);
            continue;
        }
        hits += hit.outcome == DC_CAST_HIT;
        misses += hit.outcome == DC_CAST_MISS;
        if (hit.outcome == DC_CAST_HIT) {
            worst_add(&on, fabs((double)ray_gap(&b, &ray, hit.time))/scale, "%s, case %ld", kind_name[kind], k);
            ASSERT(hit.speed < 0 && hit.count >= 1 && hit.count <= 3);
        } else ASSERT(hit.time == ray.length);
        for (i = 0; i < 60; ++i)
            worst_add(&before, -(double)ray_gap(&b, &ray, hit.time*DC_R(rng_uniform(&r, 0, 1)))/scale, "%s, case %ld", kind_name[kind], k);
    }
    printf("  %ld hits, %ld misses, %ld starts within\n", hits, misses, starts);
    ASSERT(sweep_short() || (hits > cases/8 && misses > cases/8 && starts > 10));
    ASSERT(worst_print(&on, 40) & worst_print(&before, 40) & worst_print(&steps, 40));
    PASS();
}

/* ---- derivatives: on a frozen feature, from cases whose features are well inside ---- */

typedef struct { body a, b; dc_ray ray; dc_real gap, duration; dc_ray_hit hit; dc_cast_hit touch; int params, lost; } moved;

static int inside_feature(int n, const dc_real *w)
{
    int k;
    for (k = 0; k < n; ++k)
        if (!(w[k] > DC_R(0.1))) return 0;
    return 1;
}

/* the same vertices, in any order */
static int same_feature(int n, const int *x, int m, const int *y)
{
    int i, j, k = 0;
    for (i = 0; i < n; ++i)
        for (j = 0; j < m; ++j) k += x[i] == y[j];
    return n == m && k == n;
}

static dc_pose pose_by(dc_pose p, const double *x)
{
    dc_real xi[6];
    int k;
    for (k = 0; k < 6; ++k) xi[k] = DC_R(x[k]);
    return dc_pose_retract(p, xi);
}

/* parameters: ray origin, dir, twist of the pose, vertices of the feature */
static void ray_rows(const double *x, double *f, void *user)
{
    moved *m = (moved *)user;
    body b = m->b;
    dc_ray ray = m->ray;
    dc_ray_hit hit;
    int k;
    b.h.v = b.v;
    ray.origin = dc_add(ray.origin, dc_vec(DC_R(x[0]), DC_R(x[1]), DC_R(x[2])));
    ray.dir = dc_add(ray.dir, dc_vec(DC_R(x[3]), DC_R(x[4]), DC_R(x[5])));
    b.pose = pose_by(b.pose, x + 6);
    for (k = 0; k < m->hit.count && m->params > 12; ++k) {
        dc_v3 *v = &b.v[m->hit.index[k]];
        *v = dc_add(*v, dc_vec(DC_R(x[12 + 3*k]), DC_R(x[13 + 3*k]), DC_R(x[14 + 3*k])));
    }
    if (dc_hull_ray(&b.h, &b.pose, &ray, &hit) != DC_OK || hit.outcome != DC_CAST_HIT
        || !same_feature(hit.count, hit.index, m->hit.count, m->hit.index)) m->lost = 1;
    f[0] = (double)hit.time;
    f[1] = (double)hit.point.x; f[2] = (double)hit.point.y; f[3] = (double)hit.point.z;
    f[4] = (double)hit.n.x; f[5] = (double)hit.n.y; f[6] = (double)hit.n.z;
}

TEST ray_derivatives(void)
{
    rng r;
    long k, cases = sweep_count(400), done[4] = {0, 0, 0, 0};
    worst err = worst_make("ray derivative, relative"), order = worst_make("2 - order");
    rng_seed(&r, 5);
    for (k = 0; k < cases; ++k) {
        moved m;
        dc_real J[7*12], Jv[7*9];
        double x[21], jac[7*21];
        fd_result fd;
        int i, j, params;
        memset(&m, 0, sizeof m);
        body_make(&r, (int)(k%KINDS), 1, &m.b);
        m.b.pose.t = random_vec(&r, 1);
        m.ray.origin = dc_madd(m.b.pose.t, 3, random_unit(&r));
        m.ray.dir = dc_sub(dc_madd(m.b.pose.t, DC_R(0.3), random_unit(&r)), m.ray.origin);
        m.ray.length = 2;
        ASSERT_EQ(DC_OK, dc_hull_ray(&m.b.h, &m.b.pose, &m.ray, &m.hit));
        if (m.hit.outcome != DC_CAST_HIT || !inside_feature(m.hit.count, m.hit.weight) || m.hit.speed > DC_R(-0.5)) continue;
        if (k%KINDS == NEEDLE) continue;
        if (!(m.b.h.radius > DC_R(0.05)) && m.hit.count < 3) continue;
        /* a vertex that leaves the plane of a face of four splits it: that is a kink */
        params = (k%KINDS == BOX || k%KINDS == ROUND_BOX) && m.hit.count == 3 ? 12 : 21;
        ASSERT_EQ(DC_OK, dc_hull_ray_jac(&m.b.h, &m.b.pose, &m.ray, &m.hit, J, Jv));
        for (i = 0; i < 7; ++i)
            for (j = 0; j < params; ++j) jac[params*i + j] = (double)(j < 12 ? J[12*i + j] : Jv[9*i + j - 12]);
        memset(x, 0, sizeof x);
        m.params = params;
        fd = fd_check(ray_rows, &m, params, x, 7, jac, DC_IS_FLOAT ? 0.0625 : 0.002);
        if (m.lost) continue;
        ++done[m.hit.count];
        worst_add(&err, fd.err, "%s, case %ld", kind_name[k%KINDS], k);
        worst_add(&order, 2 - fd.order, "%s, case %ld", kind_name[k%KINDS], k);
        ASSERT(!fd.bit_equal);
    }
    printf("  %ld vertices, %ld edges, %ld faces\n", done[1], done[2], done[3]);
    ASSERT(sweep_short() || (done[1] > 10 && done[2] > 10 && done[3] > 10));
    ASSERT(worst_print(&err, DC_IS_FLOAT ? 2e-3 : 1e-7) & worst_print(&order, DC_IS_FLOAT ? 1.5 : 0.2));
    PASS();
}

/* ---- casts ---- */

static dc_pose pose_at(const body *b, dc_real t)
{
    dc_real xi[6];
    int k;
    for (k = 0; k < 6; ++k) xi[k] = t*b->twist[k];
    return dc_pose_retract(b->pose, xi);
}

static dc_real gap_at(const body *a, const body *b, dc_real t)
{
    dc_pose pa = pose_at(a, t), pb = pose_at(b, t);
    return gap_of(&a->h, &pa, &b->h, &pb, NULL);
}

static dc_status cast(const body *a, const body *b, dc_real gap, dc_real duration, dc_cast_hit *hit)
{
    dc_cast_options opt = DC_ZERO;
    opt.gap = gap;
    return dc_hull_cast(&opt, &a->h, &a->pose, a->twist, &b->h, &b->pose, b->twist, duration, hit);
}

TEST cast_spheres(void)
{
    rng r;
    long k, hits = 0, cases = sweep_count(3000);
    worst time = worst_make("time, eps of the numbers over the speed"), steps = worst_make("distances");
    rng_seed(&r, 6);
    for (k = 0; k < cases; ++k) {
        double size = rng_log(&r, 1e-3, 1e3), rate = rng_log(&r, 1e-2, 1e2);
        body a, b;
        dc_cast_hit hit;
        l3 q, d;
        ld t;
        int i;
        body_make(&r, BALL, size, &a);
        body_make(&r, BALL, size, &b);
        a.v[0] = b.v[0] = dc_vec(0, 0, 0);
        b.pose.t = dc_madd(a.pose.t, DC_R(size*rng_uniform(&r, 0.5, 20)), random_unit(&r));
        for (i = 0; i < 6; ++i) { a.twist[i] = DC_R(rate*rng_normal(&r)*(i < 3 ? size : 1)); b.twist[i] = DC_R(rate*rng_normal(&r)*(i < 3 ? size : 1)); }
        if (k%2) {
            dc_v3 v = dc_scale(DC_R(rate*rng_uniform(&r, 0.2, 3)), dc_sub(dc_madd(a.pose.t, DC_R(0.4*size), random_unit(&r)), b.pose.t));
            b.twist[0] = a.twist[0] + v.x; b.twist[1] = a.twist[1] + v.y; b.twist[2] = a.twist[2] + v.z;
        }
        ASSERT_EQ(DC_OK, cast(&a, &b, DC_R(size*1e-3), DC_R(8/rate), &hit));
        q = l3_sub(l3_from(b.pose.t), l3_from(a.pose.t));
        d = l3_sub(l3_from(dc_vec(b.twist[0], b.twist[1], b.twist[2])), l3_from(dc_vec(a.twist[0], a.twist[1], a.twist[2])));
        t = sphere_time(q, d, (ld)(a.h.radius + b.h.radius + hit.gap));
        if (hit.outcome == DC_CAST_START) { ASSERT(l3_len(q) <= (ld)(a.h.radius + b.h.radius + hit.gap)*(1 + 1e-5L)); continue; }
        worst_add(&steps, hit.iterations, "case %ld", k);
        if ((t >= 0 && t <= (ld)DC_R(8/rate)) != (hit.outcome == DC_CAST_HIT)) {
            ASSERT(fabsl(t - 8/(ld)rate) < 1e-4L || l3_len(l3_cross(q, d))/l3_len(d) > (ld)(a.h.radius + b.h.radius + hit.gap)*(1 - 1e-3L));
            continue;
        }
        if (hit.outcome != DC_CAST_HIT) continue;
        ++hits;
        worst_add(&time, (double)(fabsl((ld)hit.time - t)*fabsl((ld)hit.speed)/(l3_len(q) + (ld)hit.time*l3_len(d)))/EPS, "case %ld, gap %g", k, (double)hit.at.gap);
    }
    printf("  %ld hits\n", hits);
    ASSERT(hits > cases/4);
    ASSERT(worst_print(&time, 2000) & worst_print(&steps, 40));
    PASS();
}

/* a capsule that spins about one of its ends meets a ball, when the sine says so */
TEST cast_plank(void)
{
    rng r;
    long k, cases = sweep_count(500);
    worst time = worst_make("time of a spinning plank, eps over the speed"), steps = worst_make("distances");
    rng_seed(&r, 7);
    for (k = 0; k < cases; ++k) {
        double rate = rng_log(&r, 0.1, 1000)*(k%2 ? 1 : -1), ra = rng_uniform(&r, 0.01, 0.1), rb = rng_uniform(&r, 0.05, 0.2), at = rng_uniform(&r, 0.6, 0.9);
        double angle = rng_uniform(&r, 0.6, 3.0), want;
        dc_v3 va[2], vb[1];
        body a, b;
        dc_cast_hit hit;
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        va[0] = dc_vec(0, 0, 0);
        va[1] = dc_vec(1, 0, 0);
        vb[0] = dc_vec(0, 0, 0);
        a.h.v = va; a.h.n = 2; a.h.radius = DC_R(ra);
        b.h.v = vb; b.h.n = 1; b.h.radius = DC_R(rb);
        a.pose = upright(dc_vec(5, 3, 2));
        b.pose = upright(dc_add(a.pose.t, dc_vec(DC_R(at*cos(angle)), DC_R((k%2 ? at : -at)*sin(angle)), 0)));
        a.twist[5] = DC_R(rate);
        ASSERT_EQ(DC_OK, cast(&a, &b, DC_R(1e-4), DC_R(4/fabs(rate)), &hit));
        ASSERT_EQ(DC_CAST_HIT, hit.outcome);
        want = (angle - asin(((double)DC_R(ra) + (double)DC_R(rb) + (double)hit.gap)/at))/fabs(rate);
        worst_add(&time, fabs((double)hit.time - want)*fabs((double)hit.speed)/EPS, "case %ld, gap %g", k, (double)hit.at.gap);
        worst_add(&steps, hit.iterations, "case %ld", k);
    }
    ASSERT(worst_print(&time, 100) & worst_print(&steps, 30));
    PASS();
}

/* Random hulls that turn and fly: no sample before the answer touches, and the answer is early by no more than its gap. */
TEST cast_never_late(void)
{
    rng r;
    long k, hits = 0, misses = 0, starts = 0, samples = 0, cases = sweep_count(2500), turns = 0, hard = 0;
    worst early = worst_make("gap at the hit over the one asked for, less 1"), late = worst_make("gap asked for less one before, over it");
    worst steps = worst_make("distances of a cast");
    rng_seed(&r, 8);
    for (k = 0; k < cases; ++k) {
        const int ka = rng_int(&r, 0, KINDS - 1), kb = rng_int(&r, 0, KINDS - 1);
        double size = rng_log(&r, 1e-3, 1e3), away = rng_uniform(&r, 0.8, 6), spin = k%3 == 0 ? 0 : rng_log(&r, 0.1, 20);
        body a, b;
        dc_cast_hit hit;
        int i, n = 60;
        body_make(&r, ka, size, &a);
        body_make(&r, kb, k%5 ? size : 5*size, &b);
        a.pose.t = random_vec(&r, 3*size);
        b.pose.t = dc_madd(a.pose.t, DC_R(size*away), random_unit(&r));
        for (i = 0; i < 6; ++i) {
            a.twist[i] = DC_R(i < 3 ? size*rng_normal(&r) : spin*rng_normal(&r));
            b.twist[i] = DC_R(i < 3 ? size*rng_normal(&r) : spin*rng_normal(&r));
        }
        if (k%2) {
            dc_v3 v = dc_scale(DC_R(1.2), dc_sub(dc_madd(a.pose.t, DC_R(0.3*size), random_unit(&r)), b.pose.t));
            b.twist[0] = a.twist[0] + v.x; b.twist[1] = a.twist[1] + v.y; b.twist[2] = a.twist[2] + v.z;
        }
        ASSERT_EQ(DC_OK, cast(&a, &b, 0, 1, &hit));
        worst_add(&steps, hit.iterations, "%s, %s, case %ld", kind_name[ka], kind_name[kb], k);
        turns += hit.iterations;
        hard += hit.iterations > 20;
        starts += hit.outcome == DC_CAST_START;
        if (hit.outcome == DC_CAST_START) {
            ASSERT(hit.time == 0 && gap_at(&a, &b, 0) <= hit.gap*DC_R(1.01));
            continue;
        }
        hits += hit.outcome == DC_CAST_HIT;
        misses += hit.outcome == DC_CAST_MISS;
        if (hit.outcome == DC_CAST_HIT) {
            worst_add(&early, fabs((double)(gap_at(&a, &b, hit.time)/hit.gap) - 1), "%s, %s, case %ld", kind_name[ka], kind_name[kb], k);
            ASSERT(hit.at.gap > 0);
        } else ASSERT(hit.time == 1);
        for (i = 0; i < n; ++i, ++samples) {
            const dc_real t = i < n/2 ? hit.time*DC_R(rng_uniform(&r, 0, 1)) : hit.time*(1 - DC_R(rng_log(&r, 1e-7, 1e-1)));
            worst_add(&late, 1 - (double)(gap_at(&a, &b, t)/hit.gap), "%s, %s, case %ld", kind_name[ka], kind_name[kb], k);
        }
    }
    printf("  %ld hits, %ld misses, %ld starts, %ld samples, %.2f distances, more than 20 in %ld\n", hits, misses, starts, samples, (double)turns/(double)cases, hard);
    ASSERT(hits > cases/8 && misses > cases/8);
    ASSERT(worst_print(&early, DC_IS_FLOAT ? 0.05 : 1e-3) & worst_print(&late, DC_IS_FLOAT ? 0.05 : 1e-3) & worst_print(&steps, 512));
    PASS();
}

static void cast_rows(const double *x, double *f, void *user)
{
    moved *m = (moved *)user;
    body a = m->a, b = m->b;
    dc_cast_hit hit;
    int k;
    a.h.v = a.v;
    b.h.v = b.v;
    a.pose = pose_by(a.pose, x);
    b.pose = pose_by(b.pose, x + 6);
    for (k = 0; k < 6; ++k) { a.twist[k] += DC_R(x[12 + k]); b.twist[k] += DC_R(x[18 + k]); }
    for (k = 0; k < m->touch.at.na && m->params > 24; ++k) {
        dc_v3 *v = &a.v[m->touch.at.ia[k]];
        *v = dc_add(*v, dc_vec(DC_R(x[24 + 3*k]), DC_R(x[25 + 3*k]), DC_R(x[26 + 3*k])));
    }
    for (k = 0; k < m->touch.at.nb && m->params > 24; ++k) {
        dc_v3 *v = &b.v[m->touch.at.ib[k]];
        *v = dc_add(*v, dc_vec(DC_R(x[33 + 3*k]), DC_R(x[34 + 3*k]), DC_R(x[35 + 3*k])));
    }
    if (cast(&a, &b, m->gap, m->duration, &hit) != DC_OK || hit.outcome != DC_CAST_HIT
        || !same_feature(hit.at.na, hit.at.ia, m->touch.at.na, m->touch.at.ia)
        || !same_feature(hit.at.nb, hit.at.ib, m->touch.at.nb, m->touch.at.ib)) m->lost = 1;
    f[0] = (double)hit.time;
    f[1] = (double)hit.at.pa.x; f[2] = (double)hit.at.pa.y; f[3] = (double)hit.at.pa.z;
    f[4] = (double)hit.at.n.x; f[5] = (double)hit.at.n.y; f[6] = (double)hit.at.n.z;
}

TEST cast_derivatives(void)
{
    rng r;
    long k, cases = sweep_count(700), done[4][4];
    worst err = worst_make("cast derivative, relative"), order = worst_make("2 - order");
    memset(done, 0, sizeof done);
    rng_seed(&r, 9);
    for (k = 0; k < cases; ++k) {
        const int ka = rng_int(&r, 0, ROUND_CLOUD), kb = rng_int(&r, 0, ROUND_CLOUD);
        moved m;
        dc_real J[7*24], Jv[7*18];
        double x[42], jac[7*42];
        fd_result fd;
        dc_v3 v;
        int i, j, params;
        memset(&m, 0, sizeof m);
        body_make(&r, ka, 1, &m.a);
        body_make(&r, kb, 1, &m.b);
        m.a.h.v = m.a.v;
        m.b.h.v = m.b.v;
        m.a.pose.t = random_vec(&r, 1);
        m.b.pose.t = dc_madd(m.a.pose.t, 4, random_unit(&r));
        for (i = 0; i < 6; ++i) { m.a.twist[i] = DC_R(rng_normal(&r)); m.b.twist[i] = DC_R(rng_normal(&r)); }
        v = dc_sub(dc_madd(m.a.pose.t, DC_R(0.2), random_unit(&r)), m.b.pose.t);
        m.b.twist[0] = m.a.twist[0] + v.x; m.b.twist[1] = m.a.twist[1] + v.y; m.b.twist[2] = m.a.twist[2] + v.z;
        m.gap = DC_R(0.05);
        m.duration = 2;
        ASSERT_EQ(DC_OK, cast(&m.a, &m.b, m.gap, m.duration, &m.touch));
        if (m.touch.outcome != DC_CAST_HIT || m.touch.speed > -1) continue;
        if (!inside_feature(m.touch.at.na, m.touch.at.wa) || !inside_feature(m.touch.at.nb, m.touch.at.wb)) continue;
        params = ((ka == BOX || ka == ROUND_BOX) && m.touch.at.na == 3) || ((kb == BOX || kb == ROUND_BOX) && m.touch.at.nb == 3) ? 24 : 42;
        ASSERT_EQ(DC_OK, dc_hull_cast_jac(&m.a.h, &m.a.pose, m.a.twist, &m.b.h, &m.b.pose, m.b.twist, &m.touch, J, Jv));
        for (i = 0; i < 7; ++i)
            for (j = 0; j < params; ++j) jac[params*i + j] = (double)(j < 24 ? J[24*i + j] : Jv[18*i + j - 24]);
        memset(x, 0, sizeof x);
        m.params = params;
        fd = fd_check(cast_rows, &m, params, x, 7, jac, DC_IS_FLOAT ? 0.03125 : 0.0005);
        if (m.lost) continue;
        ++done[m.touch.at.na][m.touch.at.nb];
        worst_add(&err, fd.err, "%s, %s, case %ld: %d %d", kind_name[ka], kind_name[kb], k, m.touch.at.na, m.touch.at.nb);
        worst_add(&order, 2 - fd.order, "%s, %s, case %ld", kind_name[ka], kind_name[kb], k);
        ASSERT(!fd.bit_equal);
    }
    printf("  vertex-vertex %ld, vertex-edge %ld, vertex-face %ld, edge-edge %ld\n", done[1][1], done[1][2] + done[2][1], done[1][3] + done[3][1], done[2][2]);
    ASSERT(sweep_short() || (done[1][1] > 3 && done[1][2] > 3 && done[2][1] > 3 && done[1][3] > 3 && done[3][1] > 3 && done[2][2] > 3));
    ASSERT(worst_print(&err, DC_IS_FLOAT ? 5e-3 : 1e-6) & worst_print(&order, DC_IS_FLOAT ? 1.5 : 0.3));
    PASS();
}

/* ---- ends ---- */

static const dc_v3 cube[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, 1}};

/* faces that meet face on, edges that meet in parallel: the time and its derivative are those of the gap all the same */
TEST cast_parallel(void)
{
    const dc_hull box = {cube, 8, 0}, round_box = {cube, 8, DC_R(0.25)};
    const dc_real down[6] = {0, 0, -2, 0, 0, 0}, up[6] = {0, 0, 1, 0, 0, 0};
    dc_pose a = upright(dc_vec(0, 0, 5)), b = upright(dc_vec(DC_R(0.3), DC_R(0.1), 0));
    dc_cast_options opt = DC_ZERO;
    dc_cast_hit hit;
    dc_real J[7*24], Jv[7*18], off = DC_IS_FLOAT ? DC_R(1e-5) : DC_R(1e-13);
    int k, i;
    opt.gap = DC_R(1e-3);
    for (k = 0; k < 3; ++k) {
        const dc_hull *h = k == 1 ? &round_box : &box;
        const dc_real radii = k == 1 ? DC_R(0.5) : 0, reach = k == 2 ? 1 + dc_sqrt(2) : 2;
        if (k == 2) a.q = dc_quat_exp(dc_vec(0, DC_R(0.78539816339744831), 0));
        ASSERT_EQ(DC_OK, dc_hull_cast(&opt, h, &a, down, h, &b, up, 2, &hit));
        ASSERT_EQ(DC_CAST_HIT, hit.outcome);
        ASSERT(dc_abs(hit.time - (5 - reach - radii - opt.gap)/3) < off);
        ASSERT(dc_abs(hit.speed + 3) < off && hit.at.n.z > 1 - off);
        ASSERT_EQ(DC_OK, dc_hull_cast_jac(h, &a, down, h, &b, up, &hit, J, Jv));
        ASSERT(dc_abs(J[2] - DC_R(1/3.0)) < off && dc_abs(J[8] + DC_R(1/3.0)) < off);
        ASSERT(dc_abs(J[14] - hit.time/3) < off && dc_abs(J[20] + hit.time/3) < off);
        for (i = 0; i < 7*24; ++i) ASSERT(dc_finite(J[i]));
        for (i = 0; i < 7*18; ++i) ASSERT(dc_finite(Jv[i]));
    }
    PASS();
}

/* What is common to both costs no digits: far from the origin of the world, and flying together. */
TEST cast_far_and_together(void)
{
    const dc_hull box = {cube, 8, 0};
    dc_real va[6] = {0, 0, 0, 1, 2, 3}, vb[6] = {1, 0, 0, 0, 0, 0}, wa[6], wb[6];
    dc_pose a = upright(dc_vec(0, 0, 0)), b = upright(dc_vec(-6, DC_R(0.25), DC_R(0.5))), a2 = a, b2 = b;
    dc_cast_hit hit, hit2;
    const dc_real big = DC_IS_FLOAT ? DC_R(4096) : DC_R(1073741824.0);
    int k;
    for (k = 0; k < 6; ++k) { wa[k] = va[k] + (k < 3 ? big : 0); wb[k] = vb[k] + (k < 3 ? big : 0); }
    a2.t = dc_add(a.t, dc_vec(big, big, big));
    b2.t = dc_add(b.t, dc_vec(big, big, big));
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &box, &a, va, &box, &b, vb, 10, &hit));
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &box, &a2, wa, &box, &b2, wb, 10, &hit2));
    ASSERT_EQ(DC_CAST_HIT, hit.outcome);
    ASSERT(hit.time > 3 && hit.time == hit2.time && hit.speed == hit2.speed && hit.iterations == hit2.iterations);
    ASSERT(hit.at.n.x == hit2.at.n.x && hit.at.gap == hit2.at.gap);
    PASS();
}

TEST cast_ends(void)
{
    const dc_hull box = {cube, 8, 0}, ball = {cube, 1, DC_R(0.5)};
    const dc_real fast[6] = {2, 0, 0, 0, 0, 0}, away[6] = {-2, 0, 0, 0, 0, 0}, along[6] = {0, 2, 0, 0, 0, 0};
    dc_pose a = upright(dc_vec(0, 0, 0)), b = upright(dc_vec(5, 0, 0));
    dc_cast_hit hit;
    dc_real J[7*24];

    /* no time, no way, the other way; just not long enough */
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &box, &a, fast, &box, &b, NULL, 0, &hit));
    ASSERT(hit.outcome == DC_CAST_MISS && hit.time == 0);
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &box, &a, NULL, &box, &b, NULL, 10, &hit));
    ASSERT(hit.outcome == DC_CAST_MISS && hit.time == 10);
    ASSERT_EQ(DC_E_ARG, dc_hull_cast_jac(&box, &a, NULL, &box, &b, NULL, &hit, J, NULL));
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &box, &a, away, &box, &b, NULL, 10, &hit));
    ASSERT(hit.outcome == DC_CAST_MISS && hit.iterations == 1);
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &box, &a, fast, &box, &b, NULL, DC_R(1.499), &hit));
    ASSERT_EQ(DC_CAST_MISS, hit.outcome);
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &box, &a, fast, &box, &b, NULL, DC_R(1.501), &hit));
    ASSERT(hit.outcome == DC_CAST_HIT && hit.time < DC_R(1.5) && hit.time > DC_R(1.499));

    /* touching, overlapping, round and overlapping, within each other */
    b.t.x = 2;
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &box, &a, away, &box, &b, NULL, 1, &hit));
    ASSERT(hit.outcome == DC_CAST_START && hit.time == 0);
    b.t.x = 1;
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &box, &a, away, &box, &b, NULL, 1, &hit));
    ASSERT(hit.outcome == DC_CAST_START && hit.at.na == 0);
    b.t.x = DC_R(0.75);
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &ball, &a, away, &ball, &b, NULL, 1, &hit));
    ASSERT(hit.outcome == DC_CAST_START && hit.at.na == 1 && dc_abs(hit.at.gap + DC_R(0.25)) < 8*DC_EPS);

    /* sliding past at a distance, without end */
    b.t.x = DC_R(2.01);
    ASSERT_EQ(DC_OK, dc_hull_cast(NULL, &box, &a, along, &box, &b, NULL, 100, &hit));
    ASSERT(hit.outcome == DC_CAST_MISS && hit.time == 100);
    PASS();
}

TEST rays_at_ends(void)
{
    const dc_hull box = {cube, 8, 0}, point = {cube, 1, 0}, segment = {cube, 2, 0}, square = {cube, 4, 0}, ball = {cube + 7, 1, DC_R(0.5)};
    dc_ray ray = {{0, 0, 3}, {0, 0, -1}, 10};
    dc_ray_hit hit;
    dc_real J[7*12], Jv[7*9];

    /* flat and thin things are met; without a radius a point or an edge has a time, but its normal no derivative */
    ASSERT_EQ(DC_OK, dc_hull_ray(&square, NULL, &ray, &hit));
    ASSERT(hit.outcome == DC_CAST_HIT && hit.time == 4 && hit.count == 3 && hit.n.z == 1);
    ray.origin = dc_vec(0, -1, 3);
    ASSERT_EQ(DC_OK, dc_hull_ray(&segment, NULL, &ray, &hit));
    ASSERT(hit.outcome == DC_CAST_HIT && hit.time == 4 && hit.count == 2);
    ASSERT_EQ(DC_E_SINGULAR, dc_hull_ray_jac(&segment, NULL, &ray, &hit, J, Jv));
    ray.origin = dc_vec(-1, -1, 3);
    ASSERT_EQ(DC_OK, dc_hull_ray(&point, NULL, &ray, &hit));
    ASSERT(hit.outcome == DC_CAST_HIT && hit.time == 4 && hit.count == 1);

    /* within, on the surface, too short, away, of no length, along an edge */
    ray.origin = dc_vec(0, 0, 0);
    ASSERT_EQ(DC_OK, dc_hull_ray(&box, NULL, &ray, &hit));
    ASSERT(hit.outcome == DC_CAST_START && hit.time == 0 && hit.point.z == 0);
    ASSERT_EQ(DC_E_ARG, dc_hull_ray_jac(&box, NULL, &ray, &hit, J, Jv));
    ray.origin = dc_vec(DC_R(1.2), DC_R(1.2), DC_R(1.2));
    ASSERT_EQ(DC_OK, dc_hull_ray(&ball, NULL, &ray, &hit));
    ASSERT_EQ(DC_CAST_START, hit.outcome);
    ray.origin = dc_vec(DC_R(0.5), 0, 1);
    ASSERT_EQ(DC_OK, dc_hull_ray(&box, NULL, &ray, &hit));
    ASSERT_EQ(DC_CAST_START, hit.outcome);
    ray.origin.z = 3;
    ray.length = DC_R(1.99);
    ASSERT_EQ(DC_OK, dc_hull_ray(&box, NULL, &ray, &hit));
    ASSERT(hit.outcome == DC_CAST_MISS && hit.time == ray.length);
    ray.length = 0;
    ASSERT_EQ(DC_OK, dc_hull_ray(&box, NULL, &ray, &hit));
    ASSERT_EQ(DC_CAST_MISS, hit.outcome);
    ray.length = 10;
    ray.dir.z = 1;
    ASSERT_EQ(DC_OK, dc_hull_ray(&box, NULL, &ray, &hit));
    ASSERT_EQ(DC_CAST_MISS, hit.outcome);
    ray.origin = dc_vec(1, -3, 1);
    ray.dir = dc_vec(0, 1, 0);
    ASSERT_EQ(DC_OK, dc_hull_ray(&box, NULL, &ray, &hit));
    ASSERT(hit.outcome == DC_CAST_MISS || dc_abs(hit.time - 2) < 64*DC_EPS);
    PASS();
}

#define BAD(change, call, undo) do { change; ASSERT_EQ(DC_E_ARG, call); undo; ASSERT(memcmp(&hit, &kept, sizeof hit) == 0); } while (0)

TEST rays_bad_input(void)
{
    dc_v3 v[8];
    dc_hull box = DC_ZERO;
    dc_pose pose = upright(dc_vec(0, 0, 0));
    dc_ray ray = {{0, 0, 3}, {0, 0, -1}, 10};
    dc_ray_hit hit, kept;
    dc_real J[7*12], bad = inf() - inf();
    memcpy(v, cube, sizeof v);
    box.v = v;
    box.n = 8;
    memset(&kept, 5, sizeof kept);
    hit = kept;
    BAD((void)0, dc_hull_ray(NULL, &pose, &ray, &hit), (void)0);
    BAD((void)0, dc_hull_ray(&box, &pose, NULL, &hit), (void)0);
    ASSERT_EQ(DC_E_ARG, dc_hull_ray(&box, &pose, &ray, NULL));
    BAD(box.n = 0, dc_hull_ray(&box, &pose, &ray, &hit), box.n = 8);
    BAD(box.v = NULL, dc_hull_ray(&box, &pose, &ray, &hit), box.v = v);
    BAD(box.radius = -1, dc_hull_ray(&box, &pose, &ray, &hit), box.radius = 0);
    BAD(box.radius = bad, dc_hull_ray(&box, &pose, &ray, &hit), box.radius = 0);
    BAD(v[3].y = bad, dc_hull_ray(&box, &pose, &ray, &hit), v[3].y = 1);
    BAD(pose.q.w = 2, dc_hull_ray(&box, &pose, &ray, &hit), pose.q.w = 1);
    BAD(pose.t.x = inf(), dc_hull_ray(&box, &pose, &ray, &hit), pose.t.x = 0);
    BAD(ray.dir.z = 0, dc_hull_ray(&box, &pose, &ray, &hit), ray.dir.z = -1);
    BAD(ray.dir.z = bad, dc_hull_ray(&box, &pose, &ray, &hit), ray.dir.z = -1);
    BAD(ray.origin.z = inf(), dc_hull_ray(&box, &pose, &ray, &hit), ray.origin.z = 3);
    BAD(ray.length = -1, dc_hull_ray(&box, &pose, &ray, &hit), ray.length = 10);
    BAD(ray.length = inf(), dc_hull_ray(&box, &pose, &ray, &hit), ray.length = 10);
    BAD(ray.length = bad, dc_hull_ray(&box, &pose, &ray, &hit), ray.length = 10);
    ASSERT_EQ(DC_OK, dc_hull_ray(&box, &pose, &ray, &hit));
    ASSERT_EQ(DC_CAST_HIT, hit.outcome);
    kept = hit;
    J[0] = 77;
    BAD((void)0, dc_hull_ray_jac(&box, &pose, &ray, NULL, J, NULL), (void)0);
    ASSERT_EQ(DC_E_ARG, (hit.index[1] = 8, dc_hull_ray_jac(&box, &pose, &ray, &hit, J, NULL)));
    hit = kept;
    ASSERT_EQ(DC_E_ARG, (hit.count = 4, dc_hull_ray_jac(&box, &pose, &ray, &hit, J, NULL)));
    hit = kept;
    ASSERT_EQ(DC_E_ARG, (hit.time = bad, dc_hull_ray_jac(&box, &pose, &ray, &hit, J, NULL)));
    hit = kept;
    ASSERT_EQ(DC_E_SINGULAR, (hit.n = dc_vec(1, 0, 0), dc_hull_ray_jac(&box, &pose, &ray, &hit, J, NULL)));
    ASSERT(J[0] == 77);
    ASSERT_EQ(DC_OK, dc_hull_ray_jac(&box, &pose, &ray, &kept, NULL, NULL));

    /* each in range, seen from each other not */
    hit = kept;
    ray.origin.z = DC_LIMIT;
    pose.t.z = -DC_LIMIT;
    ASSERT_EQ(DC_E_RANGE, dc_hull_ray(&box, &pose, &ray, &hit));
    ASSERT(memcmp(&hit, &kept, sizeof hit) == 0);
    PASS();
}

/* from very far away, where a step of the ray is larger than the hull's rounding */
TEST rays_from_afar(void)
{
    const dc_hull box = {cube, 8, 0};
    const dc_real far_off[3] = {DC_R(1e4), DC_R(1e6), DC_IS_FLOAT ? DC_R(1e7) : DC_R(1e12)};
    int k;
    for (k = 0; k < 3; ++k) {
        const dc_real d = far_off[k];
        dc_ray ray = {{0, 0, 0}, {1, DC_R(0.25), DC_R(-0.5)}, 0};
        dc_ray_hit hit;
        ray.origin = dc_scale(-d, ray.dir);
        ray.length = 2*d;
        ASSERT_EQ(DC_OK, dc_hull_ray(&box, NULL, &ray, &hit));
        ASSERT(hit.outcome == DC_CAST_HIT && hit.count == 3 && hit.n.x == -1);
        ASSERT(dc_abs(hit.time - (d - 1)) <= 4*DC_EPS*d && hit.iterations < 10);
        ray.length = d/2;
        ASSERT_EQ(DC_OK, dc_hull_ray(&box, NULL, &ray, &hit));
        ASSERT(hit.outcome == DC_CAST_MISS && hit.time == ray.length);
        ray.length = 2*d;
        ray.dir.y = DC_R(0.5);
        ASSERT_EQ(DC_OK, dc_hull_ray(&box, NULL, &ray, &hit));
        ASSERT(hit.outcome == DC_CAST_MISS && hit.time == ray.length);
    }
    PASS();
}

TEST casts_bad_input(void)
{
    dc_v3 v[8];
    dc_hull box = DC_ZERO;
    const dc_hull other = {cube, 8, 0};
    dc_pose a = upright(dc_vec(0, 0, 0)), b = upright(dc_vec(5, 0, 0));
    dc_real twist[6] = {1, 0, 0, 0, 0, 1}, J[7*24], bad = inf() - inf();
    dc_cast_options opt = DC_ZERO;
    dc_cast_hit hit, kept;
    memcpy(v, cube, sizeof v);
    box.v = v;
    box.n = 8;
    memset(&kept, 5, sizeof kept);
    hit = kept;
#define CAST(duration) dc_hull_cast(&opt, &box, &a, twist, &other, &b, NULL, duration, &hit)
    BAD((void)0, dc_hull_cast(NULL, NULL, &a, twist, &box, &b, NULL, 9, &hit), (void)0);
    BAD((void)0, dc_hull_cast(NULL, &box, &a, twist, NULL, &b, NULL, 9, &hit), (void)0);
    ASSERT_EQ(DC_E_ARG, dc_hull_cast(NULL, &box, &a, twist, &box, &b, NULL, 9, NULL));
    BAD(box.n = 0, CAST(9), box.n = 8);
    BAD(box.v = NULL, CAST(9), box.v = v);
    BAD(box.radius = -1, CAST(9), box.radius = 0);
    BAD(v[7].z = bad, CAST(9), v[7].z = 1);
    BAD(v[7].z = inf(), CAST(9), v[7].z = 1);
    BAD(a.q.w = 2, CAST(9), a.q.w = 1);
    BAD(b.t.z = bad, CAST(9), b.t.z = 0);
    BAD(twist[1] = bad, CAST(9), twist[1] = 0);
    BAD(twist[4] = inf(), CAST(9), twist[4] = 0);
    BAD(twist[4] = DC_R(1e7), CAST(9), twist[4] = 0);
    BAD(opt.gap = -1, CAST(9), opt.gap = 0);
    BAD(opt.gap = bad, CAST(9), opt.gap = 0);
    BAD((void)0, CAST(-1), (void)0);
    BAD((void)0, CAST(bad), (void)0);
    BAD((void)0, CAST(inf()), (void)0);
    ASSERT_EQ(DC_OK, CAST(9));
    ASSERT_EQ(DC_CAST_HIT, hit.outcome);
    kept = hit;
    J[0] = 77;
#define JAC() dc_hull_cast_jac(&box, &a, twist, &other, &b, NULL, &hit, J, NULL)
    ASSERT_EQ(DC_E_ARG, dc_hull_cast_jac(&box, &a, twist, &other, &b, NULL, NULL, J, NULL));
    ASSERT_EQ(DC_E_ARG, (hit.at.na = 0, JAC()));
    hit = kept;
    ASSERT_EQ(DC_E_ARG, (hit.at.ib[0] = -1, JAC()));
    hit = kept;
    ASSERT_EQ(DC_E_ARG, (hit.at.n.x = bad, JAC()));
    hit = kept;
    ASSERT_EQ(DC_E_ARG, (hit.time = -1, JAC()));
    hit = kept;
    ASSERT_EQ(DC_E_SINGULAR, (hit.at.n = dc_neg(hit.at.n), JAC()));
    hit = kept;
    ASSERT(J[0] == 77);
    ASSERT_EQ(DC_OK, dc_hull_cast_jac(&box, &a, twist, &other, &b, NULL, &hit, NULL, NULL));
    PASS();
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(rays_and_triangles);
    RUN_TEST(rays_and_closed_forms);
    RUN_TEST(rays_and_hulls);
    RUN_TEST(ray_derivatives);
    RUN_TEST(cast_spheres);
    RUN_TEST(cast_plank);
    RUN_TEST(cast_never_late);
    RUN_TEST(cast_derivatives);
    RUN_TEST(cast_parallel);
    RUN_TEST(cast_far_and_together);
    RUN_TEST(cast_ends);
    RUN_TEST(rays_at_ends);
    RUN_TEST(rays_bad_input);
    RUN_TEST(rays_from_afar);
    RUN_TEST(casts_bad_input);
    GREATEST_MAIN_END();
}
