/* Distance and penetration depth of convex hulls against brute force in long double.
 *
 * Every separated answer is also proved on its own: the support gap along n is a lower bound of the distance and the
 * distance of the witness points an upper one, both formed here in long double from the features alone. Errors are
 * in units of eps times S, the size of the numbers that went in: extents, distance of the vertices from their body's
 * origin, translations. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include "greatest.h"
#include "support.h"

#include <math.h>
#include <string.h>

GREATEST_MAIN_DEFS();

typedef long double ld;
typedef struct { ld x, y, z; } l3;

static l3 l3_of(ld x, ld y, ld z) { l3 r; r.x = x; r.y = y; r.z = z; return r; }
static l3 l3_sub(l3 a, l3 b) { return l3_of(a.x - b.x, a.y - b.y, a.z - b.z); }
static l3 l3_madd(l3 a, ld s, l3 b) { return l3_of(a.x + s*b.x, a.y + s*b.y, a.z + s*b.z); }
static ld l3_dot(l3 a, l3 b) { return a.x*b.x + a.y*b.y + a.z*b.z; }
static l3 l3_cross(l3 a, l3 b) { return l3_of(a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x); }
static ld l3_len(l3 a) { return sqrtl(l3_dot(a, a)); }
static l3 l3_from(dc_v3 a) { return l3_of((ld)a.x, (ld)a.y, (ld)a.z); }
static ld ld_max(ld a, ld b) { return a > b ? a : b; }
static ld ld_min(ld a, ld b) { return a < b ? a : b; }

#define EPS ((ld)DC_EPS)
#define MAX_N 128

typedef struct { dc_v3 v[MAX_N]; dc_hull h; dc_pose pose; int has_pose; l3 world[MAX_N]; ld size, reach; } body;

static const dc_pose *body_pose(const body *b) { return b->has_pose ? &b->pose : NULL; }

/* world vertices by the rotation the quaternion stands for, extent, and size of the numbers */
static void body_world(body *b)
{
    ld w = 1, x = 0, y = 0, z = 0;
    l3 t = l3_of(0, 0, 0);
    int i;
    if (b->has_pose) {
        w = (ld)b->pose.q.w; x = (ld)b->pose.q.x; y = (ld)b->pose.q.y; z = (ld)b->pose.q.z;
        t = l3_from(b->pose.t);
    }
    b->h.v = b->v;
    b->size = 0;
    b->reach = 0;
    for (i = 0; i < b->h.n; i++) {
        l3 v = l3_from(b->v[i]), r;
        r.x = (1 - 2*(y*y + z*z))*v.x + 2*(x*y - w*z)*v.y + 2*(x*z + w*y)*v.z;
        r.y = 2*(x*y + w*z)*v.x + (1 - 2*(x*x + z*z))*v.y + 2*(y*z - w*x)*v.z;
        r.z = 2*(x*z - w*y)*v.x + 2*(y*z + w*x)*v.y + (1 - 2*(x*x + y*y))*v.z;
        b->world[i] = l3_madd(t, 1, r);
        b->size = ld_max(b->size, l3_len(l3_sub(b->world[i], b->world[0])));
        b->reach = ld_max(b->reach, l3_len(v));
    }
    b->reach += l3_len(t);
}

static void random_quat(rng *r, dc_quat *q)
{
    double a = rng_normal(r), b = rng_normal(r), c = rng_normal(r), d = rng_normal(r), s = sqrt(a*a + b*b + c*c + d*d);
    q->w = DC_R(a/s); q->x = DC_R(b/s); q->y = DC_R(c/s); q->z = DC_R(d/s);
}

/* ---- shapes ---- */

enum { POINT, SEGMENT, TRIANGLE, BOX, TETRA, POLY8, POLY32, POLY96, NEEDLE, FLAT, COPIES, KINDS };
static const char *const kind_name[KINDS] = {"point", "segment", "triangle", "box", "tetra", "poly8", "poly32", "poly96",
                                             "needle", "flat", "copies"};

static void shape_make(rng *r, int kind, double size, body *b)
{
    static const int count[KINDS] = {1, 2, 3, 8, 4, 8, 32, 96, 6, 6, 8};
    int n = count[kind], i;
    double box[3], axis[3];
    for (i = 0; i < 3; i++) box[i] = rng_uniform(r, 0.2, 0.5);
    rng_unit3(r, axis);
    for (i = 0; i < n; i++) {
        double p[3], s;
        rng_unit3(r, p);
        p[0] *= 0.5; p[1] *= 0.5; p[2] *= 0.5;
        if (kind == BOX) {
            p[0] = i & 1 ? box[0] : -box[0];
            p[1] = i & 2 ? box[1] : -box[1];
            p[2] = i & 4 ? box[2] : -box[2];
        } else if (kind == NEEDLE) {
            s = rng_uniform(r, -0.5, 0.5);
            p[0] = s*axis[0] + 1e-6*p[0]; p[1] = s*axis[1] + 1e-6*p[1]; p[2] = s*axis[2] + 1e-6*p[2];
        } else if (kind == FLAT) {
            p[2] = 0;
        }
        b->v[i] = dc_vec(DC_R(size*p[0]), DC_R(size*p[1]), DC_R(size*p[2]));
        if (kind == COPIES && i >= 4) b->v[i] = b->v[rng_int(r, 0, 3)];
    }
    b->h.n = n;
    b->h.v = b->v;
    b->has_pose = 0;
    memset(&b->pose, 0, sizeof b->pose);
    b->pose.q.w = 1;
}

/* ---- brute force ---- */

static ld segment_segment(l3 p, l3 p2, l3 q, l3 q2)
{
    l3 d1 = l3_sub(p2, p), d2 = l3_sub(q2, q), r = l3_sub(p, q);
    ld a = l3_dot(d1, d1), e = l3_dot(d2, d2), b = l3_dot(d1, d2), c = l3_dot(d1, r), f = l3_dot(d2, r), best = -1, s, t, d;
    int i;
    /* the interior minimum, and the four ends; each clamped on the other segment */
    for (i = 0; i < 5; i++) {
        if (i == 0) {
            l3 n = l3_cross(d1, d2);
            ld det = l3_dot(n, n);
            if (!(det > 0)) continue;
            s = -l3_dot(l3_cross(r, d2), n)/det;
            t = -l3_dot(l3_cross(r, d1), n)/det;
            if (s < 0 || s > 1 || t < 0 || t > 1) continue;
            d = fabsl(l3_dot(n, r))/sqrtl(det);
            if (best < 0 || d < best) best = d;
            continue;
        }
        if (i <= 2) {
            s = i - 1;
            t = e > 0 ? (s*b + f)/e : 0;
            t = t < 0 ? 0 : t > 1 ? 1 : t;
        } else {
            t = i - 3;
            s = a > 0 ? (t*b - c)/a : 0;
            s = s < 0 ? 0 : s > 1 ? 1 : s;
        }
        d = l3_len(l3_sub(l3_madd(p, s, d1), l3_madd(q, t, d2)));
        if (best < 0 || d < best) best = d;
    }
    return best;
}

/* distance of a point to the inside of a triangle; -1 when its foot is outside */
static ld point_triangle(l3 p, l3 a, l3 b, l3 c)
{
    l3 n = l3_cross(l3_sub(b, a), l3_sub(c, a)), r = l3_sub(p, a);
    ld nn = l3_dot(n, n), u, v;
    if (!(nn > 0)) return -1;
    u = l3_dot(l3_cross(r, l3_sub(c, a)), n)/nn;
    v = l3_dot(l3_cross(l3_sub(b, a), r), n)/nn;
    if (u < 0 || v < 0 || u + v > 1) return -1;
    return fabsl(l3_dot(n, r))/sqrtl(nn);
}

static ld faces_points(const body *a, const body *b, ld best)
{
    int i, j, k, l;
    for (i = 0; i < a->h.n; i++)
        for (j = i + 1; j < a->h.n; j++)
            for (k = j + 1; k < a->h.n; k++)
                for (l = 0; l < b->h.n; l++) {
                    ld d = point_triangle(b->world[l], a->world[i], a->world[j], a->world[k]);
                    if (d >= 0 && d < best) best = d;
                }
    return best;
}

/* distance of two disjoint hulls: over all triangles and edges their vertices span */
static ld brute_distance(const body *a, const body *b)
{
    ld best = l3_len(l3_sub(a->world[0], b->world[0]));
    int i, j, k, l;
    best = faces_points(a, b, best);
    best = faces_points(b, a, best);
    for (i = 0; i < a->h.n; i++)
        for (j = a->h.n > 1 ? i + 1 : i; j < a->h.n; j++)
            for (k = 0; k < b->h.n; k++)
                for (l = b->h.n > 1 ? k + 1 : k; l < b->h.n; l++)
                    best = ld_min(best, segment_segment(a->world[i], a->world[j], b->world[k], b->world[l]));
    return best;
}

/* min over a of n.x - max over b of n.y: the room between the hulls along n */
static ld room(const body *a, const body *b, l3 n)
{
    ld lo = l3_dot(n, a->world[0]), hi = l3_dot(n, b->world[0]);
    int i;
    for (i = 1; i < a->h.n; i++) lo = ld_min(lo, l3_dot(n, a->world[i]));
    for (i = 1; i < b->h.n; i++) hi = ld_max(hi, l3_dot(n, b->world[i]));
    return lo - hi;
}

static void room_both(const body *a, const body *b, l3 n, ld *best)
{
    ld s = l3_len(n);
    if (!(s > 1e-12L*a->size*a->size) && !(s > 1e-12L*b->size*b->size)) return;
    n = l3_of(n.x/s, n.y/s, n.z/s);
    *best = ld_max(*best, room(a, b, n));
    *best = ld_max(*best, room(a, b, l3_of(-n.x, -n.y, -n.z)));
}

/* largest room over all face normals of A - B: minus the depth of two overlapping solids */
static ld brute_depth(const body *a, const body *b)
{
    ld best = -1e30L;
    int i, j, k, l, s;
    for (s = 0; s < 2; s++) {
        const body *c = s ? b : a;
        for (i = 0; i < c->h.n; i++)
            for (j = i + 1; j < c->h.n; j++)
                for (k = j + 1; k < c->h.n; k++)
                    room_both(a, b, l3_cross(l3_sub(c->world[j], c->world[i]), l3_sub(c->world[k], c->world[i])), &best);
    }
    for (i = 0; i < a->h.n; i++)
        for (j = i + 1; j < a->h.n; j++)
            for (k = 0; k < b->h.n; k++)
                for (l = k + 1; l < b->h.n; l++)
                    room_both(a, b, l3_cross(l3_sub(a->world[j], a->world[i]), l3_sub(b->world[l], b->world[k])), &best);
    return best;
}

/* ---- what every answer must satisfy ---- */

static unsigned char scratch[65536];

static dc_status distance(const body *a, const body *b, dc_distance *d)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_status s;
    memset(d, 0, sizeof *d);
    s = dc_hull_distance(&a->h, body_pose(a), &b->h, body_pose(b), &mem, d);
    if (mem.used != 0) return DC_E_MEMORY;
    return s;
}

typedef struct { worst cert, unit, witness, feature, weights, dual; long strict_lost, bad_status; } record;

static void record_make(record *r)
{
    r->cert = worst_make("gap - room along n, eps S");
    r->unit = worst_make("|n| - 1, eps");
    r->witness = worst_make("|pa - pb - gap n|, eps S");
    r->feature = worst_make("|pa - its feature point|, eps S");
    r->weights = worst_make("weights: sum - 1, eps");
    r->dual = worst_make("|feature points| - room along n, eps S");
    r->strict_lost = 0;
    r->bad_status = 0;
}

static ld scale_of(const body *a, const body *b) { return a->reach + b->reach; }

static void record_add(record *r, const body *a, const body *b, const dc_distance *d, ld truth, const char *what)
{
    ld S = scale_of(a, b), sum_a = 0, sum_b = 0, g = (ld)d->gap, rm;
    l3 n = l3_from(d->n), x = l3_of(0, 0, 0), y = x, e;
    int i, ok = d->na >= 1 && d->na <= 3 && d->nb >= 1 && d->nb <= 3;
    for (i = 0; ok && i < d->na; i++) {
        ok = d->ia[i] >= 0 && d->ia[i] < a->h.n && d->wa[i] >= 0;
        if (ok) x = l3_madd(x, (ld)d->wa[i], a->world[d->ia[i]]);
        sum_a += (ld)d->wa[i];
    }
    for (i = 0; ok && i < d->nb; i++) {
        ok = d->ib[i] >= 0 && d->ib[i] < b->h.n && d->wb[i] >= 0;
        if (ok) y = l3_madd(y, (ld)d->wb[i], b->world[d->ib[i]]);
        sum_b += (ld)d->wb[i];
    }
    if (!ok) { r->bad_status++; return; }
    rm = room(a, b, n)/l3_len(n);
    worst_add(&r->cert, (double)((g - rm)/S/EPS), "%s gap %.9Lg S %Lg", what, g, S);
    if (!(rm > 0) && truth > 32*EPS*S) r->strict_lost++;
    worst_add(&r->unit, (double)(fabsl(l3_len(n) - 1)/EPS), "%s", what);
    e = l3_madd(l3_sub(l3_from(d->pa), l3_from(d->pb)), -g, n);
    worst_add(&r->witness, (double)(l3_len(e)/S/EPS), "%s gap %.9Lg", what, g);
    worst_add(&r->feature, (double)(ld_max(l3_len(l3_sub(x, l3_from(d->pa))), l3_len(l3_sub(y, l3_from(d->pb))))/S/EPS),
              "%s gap %.9Lg", what, g);
    worst_add(&r->weights, (double)(ld_max(fabsl(sum_a - 1), fabsl(sum_b - 1))/EPS), "%s", what);
    if (g > 0) worst_add(&r->dual, (double)((l3_len(l3_sub(x, y)) - rm)/S/EPS), "%s gap %.9Lg", what, g);
}

static int record_print(const record *r)
{
    int ok = worst_print(&r->cert, 8);
    ok &= worst_print(&r->unit, 4);
    ok &= worst_print(&r->witness, 8);
    ok &= worst_print(&r->feature, 16);
    ok &= worst_print(&r->weights, 8);
    if (r->dual.count) ok &= worst_print(&r->dual, 16);
    if (r->strict_lost) printf("  %ld answers do not separate\n", r->strict_lost);
    if (r->bad_status) printf("  %ld bad statuses or features\n", r->bad_status);
    return ok && r->strict_lost == 0 && r->bad_status == 0;
}

/* ---- pairs of a wanted gap ---- */

/* Two shapes at random; b is moved until the gap is about `gap`, then both get poses or offsets. */
static int pair_make(rng *r, int ka, int kb, double sa, double sb, double gap, double offset, int posed, body *a, body *b)
{
    dc_distance d;
    double u[3], off[3], far;
    int i, k;
    shape_make(r, ka, sa, a);
    shape_make(r, kb, sb, b);
    /* turn them in their own coordinates */
    for (k = 0; k < 2; k++) {
        body *c = k ? b : a;
        dc_quat q;
        dc_m3 R;
        random_quat(r, &q);
        R = dc_rotation(q);
        if (rng_int(r, 0, 3) > 0)
            for (i = 0; i < c->h.n; i++) c->v[i] = dc_mul(&R, c->v[i]);
    }
    rng_unit3(r, u);
    rng_unit3(r, off);
    far = 2*(sa + sb);
    for (i = 0; i < b->h.n; i++) b->v[i] = dc_add(b->v[i], dc_vec(DC_R(far*u[0]), DC_R(far*u[1]), DC_R(far*u[2])));
    /* advance b along its own closest direction a few times, then to the gap along the last normal */
    for (k = 0; k < 24; k++) {
        dc_real s;
        body_world(a);
        body_world(b);
        if (distance(a, b, &d) != DC_OK) return 0;
        s = d.gap - DC_R(gap);
        if (k < 3 && s > 0) {
            s *= DC_R(0.9)*dc_dot(d.n, dc_vec(DC_R(-u[0]), DC_R(-u[1]), DC_R(-u[2])));
            if (s < 0) s = -s;
            for (i = 0; i < b->h.n; i++)
                b->v[i] = dc_sub(b->v[i], dc_scale(s, dc_vec(DC_R(u[0]), DC_R(u[1]), DC_R(u[2]))));
        } else {
            for (i = 0; i < b->h.n; i++) b->v[i] = dc_madd(b->v[i], s, d.n);
            if (k > 3) break;
        }
    }
    for (k = 0; k < 2; k++) {
        body *c = k ? b : a;
        if (posed) {
            /* one pose for both, so that the gap stays; b's body origin is shifted as well */
            if (k == 0) {
                random_quat(r, &c->pose.q);
                c->pose.t = dc_vec(DC_R(offset*off[0]), DC_R(offset*off[1]), DC_R(offset*off[2]));
            } else {
                c->pose = a->pose;
            }
            c->has_pose = 1;
        } else {
            for (i = 0; i < c->h.n; i++)
                c->v[i] = dc_add(c->v[i], dc_vec(DC_R(offset*off[0]), DC_R(offset*off[1]), DC_R(offset*off[2])));
        }
        body_world(c);
    }
    return 1;
}

/* ---- tests ---- */

TEST random_pairs_are_proved_by_their_own_answer(void)
{
    rng r;
    record rec;
    worst gap = worst_make("gap against brute force, eps S");
    long i, n = sweep_count(20000), brute = 0, small = 0, overlaps = 0, cap = 0;
    int worst_steps = 0;
    static body a, b;
    char what[160];
    record_make(&rec);
    rng_seed(&r, 1);
    for (i = 0; i < n; i++) {
        int ka = rng_int(&r, 0, KINDS - 1), kb = rng_int(&r, 0, KINDS - 1), posed = rng_int(&r, 0, 1), o = rng_int(&r, 0, 3);
        double size = rng_log(&r, 1e-3, 1e3), sb = size*(rng_int(&r, 0, 3) ? 1 : rng_log(&r, 1e-3, 1e3));
        double g = rng_log(&r, 1e-12, 1e2)*size, off = o == 0 ? 1e3 : o == 1 ? 1e6 : o == 2 ? 1 : 0;
        dc_distance d;
        dc_status s;
        ld truth = -1;
        if (!pair_make(&r, ka, kb, size, sb, g, off, posed, &a, &b)) { rec.bad_status++; printf("  pair %ld not made\n", i); continue; }
        sprintf(what, "%ld %s/%s size %.3g %.3g gap %.3g off %g posed %d", i, kind_name[ka], kind_name[kb], size, sb, g, off, posed);
        s = distance(&a, &b, &d);
        if (s == DC_E_DIVERGED) cap++;
        else if (s != DC_OK) { rec.bad_status++; printf("  status %d at %s\n", (int)s, what); continue; }
        if (d.iterations > worst_steps) worst_steps = d.iterations;
        if (d.gap < 0) overlaps++;
        if (a.h.n*b.h.n <= 64 && rng_int(&r, 0, 3) == 0) {
            truth = brute_distance(&a, &b);
            if (truth > 32*EPS*scale_of(&a, &b)) {
                brute++;
                if (truth < 1e-6L*(a.size + b.size)) small++;
                worst_add(&gap, (double)(fabsl((ld)d.gap - truth)/scale_of(&a, &b)/EPS), "%s true %.9Lg", what, truth);
            } else {
                truth = -1;
            }
        } else if (d.gap > 0) {
            truth = (ld)d.gap;
        }
        record_add(&rec, &a, &b, &d, truth, what);
    }
    printf("  %ld pairs, %ld by brute force (%ld of gap below 1e-6 L), %ld ended overlapping, %ld at the cap, %d steps at most\n",
           n, brute, small, overlaps, cap, worst_steps);
    {
        int ok = record_print(&rec);
        ok &= worst_print(&gap, 8);
        ASSERT(ok);
        ASSERT_EQ(0, cap);
    }
    PASS();
}

TEST penetration_depth_is_that_of_brute_force(void)
{
    static const int kinds[6] = {SEGMENT, TRIANGLE, BOX, TETRA, POLY8, COPIES};
    rng r;
    record rec;
    worst depth = worst_make("depth against all faces of A - B, eps S");
    long i, n = sweep_count(3000), deep = 0, apart = 0, cap = 0;
    static body a, b;
    char what[160];
    record_make(&rec);
    rng_seed(&r, 2);
    for (i = 0; i < n; i++) {
        int ka = kinds[rng_int(&r, 0, 5)], kb = kinds[rng_int(&r, 0, 5)], k;
        double size = rng_log(&r, 1e-3, 1e3), sb = size*rng_log(&r, 1e-2, 1e2), u[3];
        dc_distance d;
        dc_status s;
        ld truth;
        if (ka == SEGMENT && kb == SEGMENT) kb = TRIANGLE;
        shape_make(&r, ka, size, &a);
        shape_make(&r, kb, sb, &b);
        rng_unit3(&r, u);
        for (k = 0; k < 2; k++) {
            body *c = k ? &b : &a;
            double off = rng_uniform(&r, 0, 0.3)*(size + sb);
            c->has_pose = 1;
            random_quat(&r, &c->pose.q);
            c->pose.t = k ? dc_vec(DC_R(off*u[0]), DC_R(off*u[1]), DC_R(off*u[2])) : dc_vec(0, 0, 0);
            body_world(c);
        }
        truth = brute_depth(&a, &b);
        if (truth > 0) { apart++; continue; }
        sprintf(what, "%ld %s/%s size %.3g %.3g true %.6Lg", i, kind_name[ka], kind_name[kb], size, sb, truth);
        s = distance(&a, &b, &d);
        if (s == DC_E_DIVERGED) cap++;
        else if (s != DC_OK) { rec.bad_status++; continue; }
        deep++;
        worst_add(&depth, (double)(fabsl((ld)d.gap - truth)/scale_of(&a, &b)/EPS), "%s gap %.9g", what, (double)d.gap);
        record_add(&rec, &a, &b, &d, truth, what);
    }
    printf("  %ld overlapping, %ld apart, %ld at the cap\n", deep, apart, cap);
    {
        int ok = record_print(&rec);
        ok &= worst_print(&depth, 16);
        ASSERT(ok);
        ASSERT_EQ(0, cap);
    }
    PASS();
}

SUITE(hull)
{
    RUN_TEST(penetration_depth_is_that_of_brute_force);
    RUN_TEST(random_pairs_are_proved_by_their_own_answer);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(hull);
    GREATEST_MAIN_END();
}
