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
    b->h.radius = 0;
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
    b->h.radius = 0;
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
            if (!(det > 1e-24L*a*e)) continue;                           /* parallel: the ends count */
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
        d = l3_len(l3_madd(l3_madd(r, s, d1), -t, d2));          /* differences first: p and q may be far away */
        if (best < 0 || d < best) best = d;
    }
    return best;
}

/* distance of a point to the inside of a triangle; -1 when its foot is outside */
static ld point_triangle(l3 p, l3 a, l3 b, l3 c)
{
    l3 n = l3_cross(l3_sub(b, a), l3_sub(c, a)), r = l3_sub(p, a);
    ld nn = l3_dot(n, n), u, v;
    if (!(nn > 1e-24L*l3_dot(l3_sub(b, a), l3_sub(b, a))*l3_dot(l3_sub(c, a), l3_sub(c, a)))) return -1;     /* its edges count */
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

static ld scale_of(const body *a, const body *b) { return a->reach + b->reach + 1e-200L; }

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
    if (g > 32*EPS*S) worst_add(&r->dual, (double)((l3_len(l3_sub(x, y)) - rm)/S/EPS), "%s gap %.9Lg", what, g);
}

static int record_print(const record *r)
{
    int ok = worst_print(&r->cert, 8);
    ok &= worst_print(&r->unit, 4);
    ok &= worst_print(&r->witness, 8);
    ok &= worst_print(&r->feature, 32);
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
        if (posed == 2) {
            /* a pose of its own: the vertices go back into body coordinates, and keep the gap to rounding */
            dc_m3 R;
            random_quat(r, &c->pose.q);
            c->pose.t = dc_vec(DC_R(offset*off[0]), DC_R(offset*off[1]), DC_R(offset*off[2]));
            if (k == 1) c->pose.t = dc_add(c->pose.t, c->v[0]);
            R = dc_rotation(c->pose.q);
            for (i = 0; i < c->h.n; i++) {
                dc_v3 e = k == 1 ? dc_sub(c->v[i], dc_sub(c->pose.t, dc_vec(DC_R(offset*off[0]), DC_R(offset*off[1]), DC_R(offset*off[2])))) : c->v[i];
                c->v[i] = dc_mul_t(&R, e);
            }
            c->has_pose = 1;
        } else if (posed) {
            /* one pose for both, so that the gap stays */
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
        int ka = rng_int(&r, 0, KINDS - 1), kb = rng_int(&r, 0, KINDS - 1), posed = rng_int(&r, 0, 2), o = rng_int(&r, 0, 3);
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
    ASSERT(worst_steps <= 32);
    ASSERT(n < 1000 || (brute > n/40 && overlaps < n/4 && (DC_IS_FLOAT || small > n/40)));      /* float: such gaps are below its rounding */
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
    ASSERT(n < 1000 || (deep > n/6 && apart > n/6));
    {
        int ok = record_print(&rec);
        ok &= worst_print(&depth, 16);
        ASSERT(ok);
        ASSERT_EQ(0, cap);
    }
    PASS();
}

/* Corners on a lattice of small integers: parallel and coplanar features everywhere, contact that is exact. b is shifted
 * along an axis or by whole steps, by a tiny amount, or not at all. */
static void lattice_make(rng *r, int n, int flat, body *b)
{
    int i, k, keep = rng_int(r, 0, 2);
    for (i = 0; i < n; i++) {
        dc_real c[3];
        for (k = 0; k < 3; k++) c[k] = (dc_real)rng_int(r, 0, 2);
        if (flat) c[keep] = 0;
        b->v[i] = dc_vec(c[0], c[1], c[2]);
    }
    b->h.n = n;
    b->h.v = b->v;
    b->h.radius = 0;
    b->has_pose = 0;
    memset(&b->pose, 0, sizeof b->pose);
    b->pose.q.w = 1;
}

TEST lattice_hulls_are_told_apart_down_to_rounding(void)
{
    rng r;
    record rec;
    worst gap = worst_make("distance against brute force, eps S"), depth = worst_make("depth against brute force, eps S");
    long i, n = sweep_count(30000), apart = 0, touch = 0, deep = 0, flat_touch = 0, cap = 0, refused = 0;
    static body a, b;
    char what[160];
    record_make(&rec);
    rng_seed(&r, 3);
    for (i = 0; i < n; i++) {
        dc_distance d, e;
        dc_status s, s0;
        double tiny = rng_int(&r, 0, 3) ? rng_log(&r, (double)DC_EPS, 1e-2) : 0;
        ld S, far, into;
        dc_v3 shift;
        int axis = rng_int(&r, 0, 2), k;
        lattice_make(&r, rng_int(&r, 1, 6), rng_int(&r, 0, 3) == 0, &a);
        lattice_make(&r, rng_int(&r, 1, 6), rng_int(&r, 0, 3) == 0, &b);
        shift = dc_vec((dc_real)rng_int(&r, -1, 1), (dc_real)rng_int(&r, -1, 1), (dc_real)rng_int(&r, -1, 1));
        if (axis == 0) shift.x += (shift.x > 0 ? 1 : -1)*DC_R(tiny);
        if (axis == 1) shift.y += (shift.y > 0 ? 1 : -1)*DC_R(tiny);
        if (axis == 2) shift.z += (shift.z > 0 ? 1 : -1)*DC_R(tiny);
        for (k = 0; k < b.h.n; k++) b.v[k] = dc_add(b.v[k], shift);
        if (rng_int(&r, 0, 1)) {
            for (k = 0; k < 2; k++) {
                body *c = k ? &b : &a;
                c->has_pose = 1;
                if (k == 0) random_quat(&r, &c->pose.q);
                else c->pose = a.pose;
            }
        }
        body_world(&a);
        body_world(&b);
        S = scale_of(&a, &b) + 1;
        far = brute_distance(&a, &b);
        into = brute_depth(&a, &b);
        sprintf(what, "%ld n %d %d posed %d far %.3Lg into %.3Lg", i, a.h.n, b.h.n, a.has_pose, far, into);
        s = distance(&a, &b, &d);
        memset(&e, 0, sizeof e);
        s0 = dc_hull_distance(&a.h, body_pose(&a), &b.h, body_pose(&b), NULL, &e);
        if (s == DC_E_DIVERGED || s0 == DC_E_DIVERGED) cap++;
        else if (s != DC_OK) { rec.bad_status++; printf("  status %d at %s\n", (int)s, what); continue; }
        /* with and without memory the verdict is the same */
        if ((s0 == DC_E_OVERLAP) != (d.gap < 0)) {
            if (!((ld)dc_abs(d.gap) <= 32*EPS*S)) { rec.bad_status++; printf("  verdicts differ at %s gap %g\n", what, (double)d.gap); }
        }
        if (far > 32*EPS*S && into > 0) {
            apart++;
            worst_add(&gap, (double)(fabsl((ld)d.gap - far)/S/EPS), "%s gap %.9g", what, (double)d.gap);
            if (s0 != DC_OK) { refused++; printf("  refused at %s\n", what); }
        } else if (into > -1 && (ld)d.gap <= 0) {
            /* overlap: solids have the brute depth; flat ones may have 0 */
            if (into < -32*EPS*S) {
                if ((ld)d.gap > into/2 && fabsl((ld)d.gap) < 64*EPS*S) flat_touch++;
                else { deep++; worst_add(&depth, (double)(fabsl((ld)d.gap - into)/S/EPS), "%s gap %.9g", what, (double)d.gap); }
            } else {
                touch++;
                worst_add(&depth, (double)(ld_min(fabsl((ld)d.gap), fabsl((ld)d.gap - into))/S/EPS), "%s gap %.9g", what, (double)d.gap);
            }
        }
        record_add(&rec, &a, &b, &d, far > 32*EPS*S && into > 0 ? far : -1, what);
    }
    printf("  %ld apart, %ld touching, %ld overlapping, %ld flat, %ld at the cap\n", apart, touch, deep, flat_touch, cap);
    ASSERT(n < 1000 || (apart > n/4 && touch > n/40 && deep > n/40 && flat_touch <= n/1000));
    {
        int ok = record_print(&rec);
        ok &= worst_print(&gap, 8);
        ok &= worst_print(&depth, 16);
        ASSERT(ok);
        ASSERT_EQ(0, cap);
        ASSERT_EQ(0, refused);
    }
    PASS();
}

/* ---- degenerate input, one case each ---- */

static void body_set(body *b, int n, const double *xyz)
{
    int i;
    for (i = 0; i < n; i++) b->v[i] = dc_vec(DC_R(xyz[3*i]), DC_R(xyz[3*i + 1]), DC_R(xyz[3*i + 2]));
    b->h.n = n;
    b->has_pose = 0;
    memset(&b->pose, 0, sizeof b->pose);
    b->pose.q.w = 1;
    body_world(b);
}

static void body_box(body *b, double x, double y, double z, double hx, double hy, double hz)
{
    double p[24];
    int i;
    for (i = 0; i < 8; i++) {
        p[3*i] = x + (i & 1 ? hx : -hx);
        p[3*i + 1] = y + (i & 2 ? hy : -hy);
        p[3*i + 2] = z + (i & 4 ? hz : -hz);
    }
    body_set(b, 8, p);
}

static body A, B;

/* The answer has the wanted gap and every property; swapped, posed far away and without memory as well.
 * n, when not NULL, is the direction up to sign where the gap is 0 and including it elsewhere. */
static int expect(double gap, const double *n)
{
    rng r;
    int k, ok = 1;
    record rec;
    record_make(&rec);
    rng_seed(&r, 4);
    for (k = 0; k < 12 && ok; k++) {
        body a = A, b = B;
        dc_distance d, e;
        dc_status s, s0;
        ld S;
        if (k >= 6) {
            double u[3], far = k & 1 ? 1e6 : 1;
            rng_unit3(&r, u);
            a.has_pose = b.has_pose = 1;
            random_quat(&r, &a.pose.q);
            a.pose.t = dc_vec(DC_R(far*u[0]), DC_R(far*u[1]), DC_R(far*u[2]));
            b.pose = a.pose;
        }
        if (k & 1) { body c = a; a = b; b = c; }
        body_world(&a);
        body_world(&b);
        S = scale_of(&a, &b);
        s = distance(&a, &b, &d);
        if (s != DC_OK) { printf("  status %d, k %d\n", (int)s, k); return 0; }
        record_add(&rec, &a, &b, &d, (ld)gap, "case");
        if (!(fabsl((ld)d.gap - (ld)gap) <= 16*EPS*S)) { printf("  gap %.17g wanted %.17g, k %d\n", (double)d.gap, gap, k); ok = 0; }
        if (n && k < 6) {
            double dot = n[0]*(double)d.n.x + n[1]*(double)d.n.y + n[2]*(double)d.n.z;
            if (k & 1) dot = -dot;
            if (!((gap == 0 ? fabs(dot) : dot) > 1 - 64*(double)DC_EPS)) { printf("  n.wanted %.9g, k %d\n", dot, k); ok = 0; }
        }
        memset(&e, 0, sizeof e);
        s0 = dc_hull_distance(&a.h, body_pose(&a), &b.h, body_pose(&b), NULL, &e);
        if (d.gap > 0 ? s0 != DC_OK : s0 != DC_E_OVERLAP || e.gap != 0 || e.na != 0) { printf("  without memory %d, k %d\n", (int)s0, k); ok = 0; }
    }
    if (rec.bad_status || rec.strict_lost || !(rec.cert.err <= 8) || !(rec.unit.err <= 4) || !(rec.witness.err <= 8)
        || !(rec.feature.err <= 32) || !(rec.weights.err <= 8) || (rec.dual.count && !(rec.dual.err <= 16)))
        ok = record_print(&rec);
    return ok;
}

TEST points_that_coincide(void)
{
    const double p[6] = {1, 2, 3, 1, 2, 3};
    body_set(&A, 1, p); body_set(&B, 1, p);
    ASSERT(expect(0, NULL));
    body_set(&A, 2, p); body_set(&B, 2, p);
    ASSERT(expect(0, NULL));
    PASS();
}

TEST points_apart_by_one_step(void)
{
    const double p[3] = {1, 2, 3}, q[3] = {1, 2 + 2*(double)DC_EPS, 3}, n[3] = {0, -1, 0};
    body_set(&A, 1, p); body_set(&B, 1, q);
    ASSERT(expect(2*(double)DC_EPS, n));
    PASS();
}

TEST copies_of_one_point_against_a_box(void)
{
    const double p[15] = {3, 0.5, 0.25, 3, 0.5, 0.25, 3, 0.5, 0.25, 3, 0.5, 0.25, 3, 0.5, 0.25}, n[3] = {1, 0, 0};
    body_set(&A, 5, p); body_box(&B, 0, 0, 0, 1, 1, 1);
    ASSERT(expect(2, n));
    PASS();
}

TEST point_in_a_box(void)
{
    const double p[3] = {0.5, 0.25, -0.125}, n[3] = {1, 0, 0};
    body_set(&A, 1, p); body_box(&B, 0, 0, 0, 1, 1, 1);
    ASSERT(expect(-0.5, n));
    PASS();
}

TEST point_on_a_face_an_edge_and_a_corner(void)
{
    const double f[3] = {1, 0.25, 0.5}, e[3] = {1, 1, 0.5}, c[3] = {1, 1, 1}, n[3] = {1, 0, 0};
    body_box(&B, 0, 0, 0, 1, 1, 1);
    body_set(&A, 1, f); ASSERT(expect(0, n));
    body_set(&A, 1, e); ASSERT(expect(0, NULL));
    body_set(&A, 1, c); ASSERT(expect(0, NULL));
    PASS();
}

TEST segments_that_cross(void)
{
    const double p[6] = {-1, 0, 0, 1, 0, 0}, q[6] = {0.25, -1, 0, 0.25, 2, 0}, n[3] = {0, 0, 1};
    body_set(&A, 2, p); body_set(&B, 2, q);
    ASSERT(expect(0, n));
    PASS();
}

TEST segments_on_one_line(void)
{
    const double p[6] = {-1, 0, 0, 1, 0, 0}, q[6] = {0.5, 0, 0, 3, 0, 0}, s[6] = {2, 0, 0, 3, 0, 0}, n[3] = {-1, 0, 0};
    body_set(&A, 2, p);
    body_set(&B, 2, q); ASSERT(expect(0, NULL));
    body_set(&B, 2, p); ASSERT(expect(0, NULL));
    body_set(&B, 2, s); ASSERT(expect(1, n));
    PASS();
}

TEST parallel_segments(void)
{
    const double p[6] = {-1, 0, 0, 1, 0, 0}, q[6] = {0.5, 1, 0, 3, 1, 0}, n[3] = {0, -1, 0};
    body_set(&A, 2, p); body_set(&B, 2, q);
    ASSERT(expect(1, n));
    PASS();
}

TEST triangles_that_overlap_in_their_plane(void)
{
    const double p[9] = {0, 0, 0, 2, 0, 0, 0, 2, 0}, q[9] = {0.5, 0.5, 0, 3, 0.5, 0, 0.5, 3, 0}, n[3] = {0, 0, 1};
    body_set(&A, 3, p); body_set(&B, 3, q);
    ASSERT(expect(0, n));
    body_set(&B, 3, p);
    ASSERT(expect(0, n));
    PASS();
}

TEST triangles_that_pierce_each_other(void)
{
    const double p[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0}, q[9] = {0, -0.25, -1, 0, -0.25, 1, 0, 4, 0};
    body_set(&A, 3, p); body_set(&B, 3, q);
    ASSERT(expect((double)brute_depth(&A, &B), NULL));
    PASS();
}

TEST identical_boxes(void)
{
    const double n[3] = {0, 0, 1};
    body_box(&A, 0, 0, 0, 1, 2, 0.5); B = A;
    ASSERT(expect(-1, NULL));
    body_box(&A, 0, 0, 0.125, 1, 2, 0.5);
    ASSERT(expect(-0.875, n));
    PASS();
}

TEST nested_boxes(void)
{
    const double n[3] = {1, 0, 0};
    body_box(&A, 1, 0, 0, 0.25, 0.25, 0.25); body_box(&B, 0, 0, 0, 4, 4, 4);
    ASSERT(expect(-3.25, n));
    PASS();
}

TEST boxes_that_touch(void)
{
    const double n[3] = {1, 0, 0};
    body_box(&B, 0, 0, 0, 1, 1, 1);
    body_box(&A, 2, 0.5, 0.25, 1, 1, 1); ASSERT(expect(0, n));
    body_box(&A, 2, 2, 0.25, 1, 1, 1);   ASSERT(expect(0, NULL));
    body_box(&A, 2, 2, 2, 1, 1, 1);      ASSERT(expect(0, NULL));
    PASS();
}

TEST parallel_faces_at_tiny_gaps(void)
{
    const double n[3] = {1, 0, 0};
    double g;
    for (g = 0.5; g >= 2*(double)DC_EPS; g *= 0.5) {
        body_box(&B, -1, 0, 0, 1, 1, 1);
        body_box(&A, 1, 0.5, 0.25, 1, 1, 1);
        {
            int i;
            for (i = 0; i < 8; i++) A.v[i].x = i & 1 ? 2 : DC_R(g);
            body_world(&A);
        }
        ASSERT(expect(g, g > 64*(double)DC_EPS ? n : NULL));
    }
    PASS();
}

TEST corners_that_meet_at_tiny_gaps(void)
{
    double g;
    for (g = 0.5; g >= 1e-12 && g >= 64*(double)DC_EPS; g *= 0.5) {
        const double n[3] = {1, 0, 0};
        const double p[12] = {g, 0, 0, 1 + g, 0.5, 0.25, 1 + g, -0.25, 0.5, 1 + g, 0, -0.5};
        const double q[12] = {0, 0, 0, -1, 0.75, 0.25, -1, -0.25, 0.25, -1, 0, -0.5};
        body_set(&A, 4, p); body_set(&B, 4, q);
        ASSERT(expect((double)DC_R(g), n));
    }
    PASS();
}

TEST needle_against_a_box(void)
{
    const double p[18] = {-1e3, 2, 0, 1e3, 2, 0, 0, 2 + 1e-3, 0, 0, 2, 1e-3, 500, 2, -1e-3, -700, 2 + 1e-3, 1e-3};
    body_set(&A, 6, p); body_box(&B, 0, 0, 0, 1, 1, 1);
    ASSERT(expect(1, NULL));
    PASS();
}

TEST sizes_a_million_million_apart(void)
{
    double p[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double n[3] = {0, 0, 1};
    int i;
    for (i = 0; i < 12; i++) p[i] *= 1e-6;
    for (i = 2; i < 12; i += 3) p[i] += 3e6;
    body_set(&A, 4, p); body_box(&B, 0, 0, 0, 1e6, 1e6, 1e6);
    ASSERT(expect((double)A.v[0].z - 1e6, n));
    PASS();
}

TEST sizes_at_the_ends_of_the_range(void)
{
    const double tiny = DC_IS_FLOAT ? 1e-15 : 1e-140, huge = 0.2*(double)DC_LIMIT;
    int k;
    for (k = 0; k < 2; k++) {
        const double s = k ? huge : tiny;
        dc_distance d;
        body_box(&A, 3*s, 0.5*s, 0.25*s, s, s, s); body_box(&B, 0, 0, 0, s, s, s);
        ASSERT_EQ(DC_OK, distance(&A, &B, &d));
        ASSERT(fabs((double)d.gap/s - 1) < 16*(double)DC_EPS && fabs((double)d.n.x - 1) < 4*(double)DC_EPS);
        body_box(&A, s, 0.5*s, 0.25*s, s, s, s);
        ASSERT_EQ(DC_OK, distance(&A, &B, &d));
        ASSERT(fabs((double)d.gap/s + 1) < 16*(double)DC_EPS && fabs((double)d.n.x - 1) < 4*(double)DC_EPS);
    }
    PASS();
}

/* ---- sweeps of relations between answers ---- */

/* Vertices on a lattice fine enough that an offset keeps them exact: the answer then keeps its digits, too. */
TEST offset_of_a_common_frame_costs_no_digits(void)
{
    rng r;
    worst gap = worst_make("gap against brute force, eps size");
    long i, n = sweep_count(2000);
    const double step = DC_IS_FLOAT ? 1.0/8 : 1.0/1048576, off = DC_IS_FLOAT ? 1048576 : 1000000;
    static body a, b;
    rng_seed(&r, 5);
    for (i = 0; i < n; i++) {
        int k, c;
        dc_distance d;
        ld truth;
        for (k = 0; k < 2; k++) {
            body *x = k ? &b : &a;
            double p[24];
            for (c = 0; c < 24; c++) p[c] = off + step*floor(rng_uniform(&r, 0, 4)/step) + (k && c % 3 == 0 ? 5 : 0);
            body_set(x, 8, p);
        }
        truth = brute_distance(&a, &b);
        ASSERT_EQ(DC_OK, distance(&a, &b, &d));
        worst_add(&gap, (double)(fabsl((ld)d.gap - truth)/(a.size + b.size)/EPS), "%ld true %.9Lg", i, truth);
    }
    ASSERT(worst_print(&gap, 8));
    PASS();
}

/* b touches a plane from below and a from above, at features that meet: the gap is known for any number of vertices */
TEST constructed_gaps_of_large_hulls(void)
{
    rng r;
    record rec;
    worst gap = worst_make("gap against construction, eps S");
    long i, n = sweep_count(4000);
    static body a, b;
    char what[160];
    record_make(&rec);
    rng_seed(&r, 6);
    for (i = 0; i < n; i++) {
        int na = rng_int(&r, 12, 96), nb = rng_int(&r, 12, 96), fa = rng_int(&r, 1, 6), fb = rng_int(&r, 1, 6), k, c;
        double size = rng_log(&r, 1e-3, 1e3), g = size*rng_log(&r, 1e-12, 1e2), mx = 0, my = 0;
        dc_distance d;
        if (DC_IS_FLOAT && g < 1e-5*size) g = 1e-5*size;
        for (c = 0; c < 2; c++) {
            body *x = c ? &b : &a;
            const int m = c ? nb : na, f = c ? fb : fa;
            double p[3*MAX_N];
            double sx = 0, sy = 0;
            for (k = 0; k < m; k++) {
                p[3*k] = size*rng_uniform(&r, -1, 1);
                p[3*k + 1] = size*rng_uniform(&r, -1, 1);
                p[3*k + 2] = k < f ? 0 : (c ? -1 : 1)*size*rng_uniform(&r, 1e-3, 1);
                if (k < f) { sx += p[3*k]/f; sy += p[3*k + 1]/f; }
            }
            /* the middles of the two features meet */
            for (k = 0; k < m; k++) {
                p[3*k] += c ? mx - sx : 0;
                p[3*k + 1] += c ? my - sy : 0;
                if (!c) p[3*k + 2] += g;
            }
            if (!c) { mx = sx; my = sy; }
            body_set(x, m, p);
        }
        if (i & 1) {
            a.has_pose = b.has_pose = 1;
            random_quat(&r, &a.pose.q);
            b.pose = a.pose;
            body_world(&a);
            body_world(&b);
        }
        sprintf(what, "%ld n %d %d features %d %d size %.3g gap %.9g", i, na, nb, fa, fb, size, g);
        ASSERT_EQ(DC_OK, distance(&a, &b, &d));
        /* the middle of a feature is on it to rounding only: where both are points, the true gap has that error, too */
        worst_add(&gap, (double)(fabsl((ld)d.gap - (ld)DC_R(g))/scale_of(&a, &b)/EPS), "%s got %.9g", what, (double)d.gap);
        record_add(&rec, &a, &b, &d, (ld)g, what);
    }
    {
        int ok = record_print(&rec);
        ok &= worst_print(&gap, 8);
        ASSERT(ok);
    }
    PASS();
}

TEST swap_warm_start_and_rigid_motion_change_nothing(void)
{
    rng r;
    worst swap = worst_make("gap, a and b swapped, eps S"), warm = worst_make("gap, warm start, eps S");
    worst junk = worst_make("gap, start from other features, eps S"), move = worst_make("gap, both moved, eps S");
    worst turn = worst_make("n turned with the bodies, gap/(eps S)");
    record rec;
    long i, n = sweep_count(8000), saved = 0, cold_steps = 0, warm_steps = 0;
    static body a, b;
    char what[160];
    record_make(&rec);
    rng_seed(&r, 7);
    for (i = 0; i < n; i++) {
        int ka = rng_int(&r, 0, KINDS - 1), kb = rng_int(&r, 0, KINDS - 1), k;
        double size = rng_log(&r, 1e-3, 1e3), g = rng_log(&r, 1e-9, 10)*size, u[3];
        dc_distance d, e, w;
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_status s;
        ld S, tol;
        if (rng_int(&r, 0, 3) == 0) g = -0.1*size;
        if (!pair_make(&r, ka, kb, size, size, g > 0 ? g : 0.01*size, 1, 2, &a, &b)) continue;
        if (distance(&a, &b, &d) != DC_OK) continue;
        if (g < 0) { b.pose.t = dc_madd(b.pose.t, DC_R(-g), d.n); body_world(&b); if (distance(&a, &b, &d) != DC_OK) continue; }
        S = scale_of(&a, &b);
        tol = EPS*S;
        sprintf(what, "%ld %s/%s size %.3g gap %.9g", i, kind_name[ka], kind_name[kb], size, (double)d.gap);
        /* same input, same bits */
        memset(&e, 0, sizeof e);
        ASSERT_EQ(DC_OK, distance(&a, &b, &e));
        ASSERT(memcmp(&d, &e, sizeof d) == 0);
        ASSERT_EQ(DC_OK, distance(&b, &a, &e));
        worst_add(&swap, (double)(fabsl((ld)e.gap - (ld)d.gap)/tol), "%s got %.9g", what, (double)e.gap);
        /* from a neighbouring pose, from the answer itself, from other features of these hulls */
        for (k = 0; k < 3; k++) {
            dc_pose p = b.pose;
            rng_unit3(&r, u);
            memset(&w, 0, sizeof w);
            if (k == 0) {
                p.t = dc_madd(p.t, DC_R(0.01)*dc_abs(d.gap), dc_vec(DC_R(u[0]), DC_R(u[1]), DC_R(u[2])));
                if (dc_hull_distance(&a.h, &a.pose, &b.h, &p, &mem, &w) != DC_OK) continue;
            } else if (k == 1) {
                w = d;
            } else {
                int j;
                w.na = rng_int(&r, 1, 3);
                w.nb = rng_int(&r, 1, 3);
                for (j = 0; j < 3; j++) {
                    w.ia[j] = rng_int(&r, 0, a.h.n - 1);
                    w.ib[j] = rng_int(&r, 0, b.h.n - 1);
                    w.wa[j] = w.wb[j] = DC_R(rng_uniform(&r, 0, 1));
                }
            }
            s = dc_hull_distance(&a.h, &a.pose, &b.h, &b.pose, &mem, &w);
            ASSERT_EQ(DC_OK, s);
            worst_add(k < 2 ? &warm : &junk, (double)(fabsl((ld)w.gap - (ld)d.gap)/tol), "%s got %.9g", what, (double)w.gap);
            record_add(&rec, &a, &b, &w, (ld)d.gap, what);
            if (k == 0) { cold_steps += d.iterations; warm_steps += w.iterations; saved++; }
        }
        /* both bodies turned by q and moved */
        {
            body c = a, f = b;
            dc_quat q;
            dc_m3 R;
            dc_v3 t, nr;
            random_quat(&r, &q);
            R = dc_rotation(q);
            rng_unit3(&r, u);
            t = dc_vec(DC_R(u[0]*size), DC_R(u[1]*size), DC_R(u[2]*size));
            for (k = 0; k < 2; k++) {
                dc_pose *p = k ? &f.pose : &c.pose;
                dc_quat o = p->q;
                p->q.w = q.w*o.w - q.x*o.x - q.y*o.y - q.z*o.z;
                p->q.x = q.w*o.x + q.x*o.w + q.y*o.z - q.z*o.y;
                p->q.y = q.w*o.y - q.x*o.z + q.y*o.w + q.z*o.x;
                p->q.z = q.w*o.z + q.x*o.y - q.y*o.x + q.z*o.w;
                p->t = dc_add(dc_mul(&R, p->t), t);
            }
            body_world(&c);
            body_world(&f);
            ASSERT_EQ(DC_OK, distance(&c, &f, &e));
            worst_add(&move, (double)(fabsl((ld)e.gap - (ld)d.gap)/tol), "%s got %.9g", what, (double)e.gap);
            nr = dc_sub(dc_mul(&R, d.n), e.n);
            /* the direction of a gap g is known to S eps / g, or to the root of eps where it hardly matters */
            if (d.gap > 0)
                worst_add(&turn, (double)(l3_dot(l3_from(nr), l3_from(nr))*(ld)d.gap/tol), "%s", what);
        }
    }
    printf("  supports: %.2f cold, %.2f warm\n", (double)cold_steps/(double)saved, (double)warm_steps/(double)saved);
    ASSERT(cold_steps < 10*saved && 2*warm_steps < cold_steps);
    {
        int ok = record_print(&rec);
        ok &= worst_print(&swap, 16);
        ok &= worst_print(&warm, 16);
        ok &= worst_print(&junk, 16);
        ok &= worst_print(&move, 16);
        ok &= worst_print(&turn, 64);
        ASSERT(ok);
    }
    PASS();
}

TEST depth_of_large_hulls_is_a_minimum(void)
{
    rng r;
    record rec;
    worst shift = worst_make("gap left after moving by the depth, eps S"), less = worst_make("a direction of less depth, eps S");
    long i, n = sweep_count(500);
    static body a, b;
    char what[160];
    record_make(&rec);
    rng_seed(&r, 8);
    for (i = 0; i < n; i++) {
        int k, ka = rng_int(&r, 0, 1) ? POLY96 : POLY32, kb = rng_int(&r, 0, 1) ? POLY96 : POLY32;
        double u[3];
        dc_distance d, e;
        ld S;
        shape_make(&r, ka, 1, &a);
        shape_make(&r, kb, rng_log(&r, 0.1, 10), &b);
        rng_unit3(&r, u);
        b.has_pose = 1;
        random_quat(&r, &b.pose.q);
        b.pose.t = dc_vec(DC_R(0.4*u[0]), DC_R(0.4*u[1]), DC_R(0.4*u[2]));
        body_world(&a);
        body_world(&b);
        S = scale_of(&a, &b);
        sprintf(what, "%ld %s/%s", i, kind_name[ka], kind_name[kb]);
        ASSERT_EQ(DC_OK, distance(&a, &b, &d));
        if (!(d.gap < 0)) continue;
        record_add(&rec, &a, &b, &d, (ld)d.gap, what);
        /* no direction has more room: at random, and around the answer */
        for (k = 0; k < 400; k++) {
            l3 m = l3_from(d.n);
            ld s = k < 200 ? 1 : powl(10, -1 - k % 8), len;
            rng_unit3(&r, u);
            m = k < 200 ? l3_of(0, 0, 0) : m;
            m = l3_of(m.x + s*(ld)u[0], m.y + s*(ld)u[1], m.z + s*(ld)u[2]);
            len = l3_len(m);
            m = l3_of(m.x/len, m.y/len, m.z/len);
            worst_add(&less, (double)((room(&a, &b, m) - (ld)d.gap)/S/EPS), "%s", what);
        }
        b.pose.t = dc_madd(b.pose.t, d.gap, d.n);
        body_world(&b);
        ASSERT_EQ(DC_OK, distance(&a, &b, &e));
        worst_add(&shift, (double)(fabsl((ld)e.gap)/S/EPS), "%s gap %.3g", what, (double)e.gap);
    }
    {
        int ok = record_print(&rec);
        ok &= worst_print(&shift, 32);
        ok &= worst_print(&less, 16);
        ASSERT(ok);
    }
    PASS();
}

/* hulls with more faces than the polytope holds: a bound of the depth and a status that says so */
TEST ball_of_a_thousand_vertices(void)
{
    static dc_v3 v[1000];
    dc_hull h = DC_ZERO;
    dc_pose p = DC_ZERO;
    dc_distance d = DC_ZERO;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_status s;
    rng r;
    int i;
    rng_seed(&r, 9);
    for (i = 0; i < 1000; i++) {
        double u[3];
        rng_unit3(&r, u);
        v[i] = dc_vec(DC_R(u[0]), DC_R(u[1]), DC_R(u[2]));
    }
    h.v = v;
    h.n = 1000;
    p.q.w = 1;
    s = dc_hull_distance(&h, NULL, &h, &p, &mem, &d);
    printf("  concentric: status %d, gap %.6g, %d supports\n", (int)s, (double)d.gap, d.iterations);
    ASSERT(s == DC_OK || s == DC_E_DIVERGED);
    ASSERT((double)d.gap < -1.9 && (double)d.gap > -2.01 && d.iterations <= 256);
    p.t.x = DC_R(2.5);
    memset(&d, 0, sizeof d);
    ASSERT_EQ(DC_OK, dc_hull_distance(&h, NULL, &h, &p, NULL, &d));
    ASSERT(fabs((double)d.gap - 0.5) < 0.05);
    PASS();
}

/* ---- contract ---- */

TEST bad_input_leaves_the_output_alone(void)
{
    const dc_real inf = (dc_real)INFINITY, nan = (dc_real)NAN;
    const dc_real bad[4] = {inf, -inf, nan, DC_LIMIT*DC_R(1.01)};
    dc_distance d, keep;
    dc_hull none = DC_ZERO, empty;
    dc_pose p = DC_ZERO;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    int i, k;
    body_box(&A, 0, 0, 0, 1, 1, 1);
    body_box(&B, 3, 0, 0, 1, 1, 1);
    memset(&keep, 0x5a, sizeof keep);
    d = keep;
    empty = A.h;
    empty.n = 0;
    ASSERT_EQ(DC_E_ARG, dc_hull_distance(NULL, NULL, &B.h, NULL, &mem, &d));
    ASSERT_EQ(DC_E_ARG, dc_hull_distance(&A.h, NULL, NULL, NULL, &mem, &d));
    ASSERT_EQ(DC_E_ARG, dc_hull_distance(&A.h, NULL, &B.h, NULL, &mem, NULL));
    ASSERT_EQ(DC_E_ARG, dc_hull_distance(&none, NULL, &B.h, NULL, &mem, &d));
    ASSERT_EQ(DC_E_ARG, dc_hull_distance(&A.h, NULL, &empty, NULL, &mem, &d));
    empty.n = -3;
    ASSERT_EQ(DC_E_ARG, dc_hull_distance(&A.h, NULL, &empty, NULL, &mem, &d));
    for (k = 0; k < 4; k++) {
        for (i = 0; i < 24; i++) {
            body c = A;
            dc_real *x = i % 3 == 0 ? &c.v[i/3].x : i % 3 == 1 ? &c.v[i/3].y : &c.v[i/3].z;
            *x = bad[k];
            c.h.v = c.v;
            ASSERT_EQ(DC_E_ARG, dc_hull_distance(&c.h, NULL, &B.h, NULL, &mem, &d));
            ASSERT_EQ(DC_E_ARG, dc_hull_distance(&B.h, NULL, &c.h, NULL, &mem, &d));
        }
        for (i = 0; i < 7; i++) {
            memset(&p, 0, sizeof p);
            p.q.w = 1;
            *(i == 0 ? &p.q.w : i == 1 ? &p.q.x : i == 2 ? &p.q.y : i == 3 ? &p.q.z : i == 4 ? &p.t.x : i == 5 ? &p.t.y : &p.t.z) = bad[k];
            ASSERT_EQ(DC_E_ARG, dc_hull_distance(&A.h, &p, &B.h, NULL, &mem, &d));
            ASSERT_EQ(DC_E_ARG, dc_hull_distance(&A.h, NULL, &B.h, &p, &mem, &d));
        }
    }
    memset(&p, 0, sizeof p);
    ASSERT_EQ(DC_E_ARG, dc_hull_distance(&A.h, &p, &B.h, NULL, &mem, &d));
    p.q.w = DC_R(1.01);
    ASSERT_EQ(DC_E_ARG, dc_hull_distance(&A.h, &p, &B.h, NULL, &mem, &d));
    ASSERT(memcmp(&d, &keep, sizeof d) == 0);
    ASSERT(mem.used == 0);
    PASS();
}

TEST any_start_is_accepted(void)
{
    dc_distance d, cold = DC_ZERO;
    int k, fill[6] = {0x00, 0x01, 0x5a, 0x7f, 0x80, 0xff};
    body_box(&A, 0, 0, 0, 1, 1, 1);
    body_box(&B, 3, 0.25, 0.5, 1, 1, 1);
    ASSERT_EQ(DC_OK, dc_hull_distance(&A.h, NULL, &B.h, NULL, NULL, &cold));
    for (k = 0; k < 6; k++) {
        memset(&d, fill[k], sizeof d);
        ASSERT_EQ(DC_OK, dc_hull_distance(&A.h, NULL, &B.h, NULL, NULL, &d));
        ASSERT(d.gap == cold.gap);
        d.ia[0] = d.ib[0] = 7;
        d.na = 3;
        d.wa[0] = d.wb[0] = (dc_real)NAN;
        ASSERT_EQ(DC_OK, dc_hull_distance(&A.h, NULL, &B.h, NULL, NULL, &d));
        ASSERT(fabs((double)(d.gap - cold.gap)) < 32*(double)DC_EPS);
    }
    PASS();
}

TEST memory_is_enough_exact_and_given_back(void)
{
    static unsigned char bytes[65536];
    size_t need = dc_hull_distance_bytes(8, 8), size;
    dc_distance d, keep;
    dc_arena mem;
    int shift;
    ASSERT(need > 0 && need < sizeof bytes - 64);
    body_box(&A, 0, 0, 0, 1, 1, 1);
    body_box(&B, 1.5, 0.25, 0.5, 1, 1, 1);
    for (shift = 0; shift < 64; shift += 7) {
        memset(&d, 0, sizeof d);
        mem = dc_arena_make(bytes + shift, need);
        ASSERT_EQ(DC_OK, dc_hull_distance(&A.h, NULL, &B.h, NULL, &mem, &d));
        ASSERT(mem.used == 0);
    }
    memset(&d, 0, sizeof d);
    keep = d;
    for (size = 0; size + 128 < need; size += 997) {
        mem = dc_arena_make(bytes, size);
        ASSERT_EQ(DC_E_MEMORY, dc_hull_distance(&A.h, NULL, &B.h, NULL, &mem, &d));
        ASSERT(mem.used == 0 && memcmp(&d, &keep, sizeof d) == 0);
    }
    /* overlap without memory: the gap alone is written */
    memset(&d, 0x5a, sizeof d);
    keep = d;
    keep.gap = 0;
    ASSERT_EQ(DC_E_OVERLAP, dc_hull_distance(&A.h, NULL, &B.h, NULL, NULL, &d));
    ASSERT(memcmp(&d, &keep, sizeof d) == 0);
    PASS();
}

/* ---- radii ---- */

/* distance of the cores, from the brute force of this file where they are small */
static void random_core(rng *r, int n, double size, body *b)
{
    int i;
    memset(b, 0, sizeof *b);
    for (i = 0; i < n; i++) b->v[i] = dc_vec(DC_R(size*rng_uniform(r, -1, 1)), DC_R(size*rng_uniform(r, -1, 1)), DC_R(size*rng_uniform(r, -1, 1)));
    b->h.n = n;
    b->has_pose = 1;
    random_quat(r, &b->pose.q);
    b->pose.t = dc_vec(DC_R(size*rng_uniform(r, -2, 2)), DC_R(size*rng_uniform(r, -2, 2)), DC_R(size*rng_uniform(r, -2, 2)));
    body_world(b);
}

/* spheres and capsules: cores of one and two points apart or crossing, parallel, in one point, of no length */
TEST spheres_and_capsules_in_closed_form(void)
{
    rng r;
    long i, n = sweep_count(20000), overlaps = 0;
    worst gap = worst_make("gap of round cores, eps S"), witness = worst_make("witness points, eps S"), normal = worst_make("room along n, eps S");
    static body a, b;
    rng_seed(&r, 71);
    for (i = 0; i < n; i++) {
        double size = rng_log(&r, 1e-3, 1e3), ra = size*rng_log(&r, 1e-3, 10), rb = rng_int(&r, 0, 3) ? size*rng_log(&r, 1e-3, 10) : 0;
        dc_distance d;
        ld truth, S, core, err;
        l3 pa, pb, u;
        random_core(&r, rng_int(&r, 1, 2), size, &a);
        random_core(&r, rng_int(&r, 1, 2), size, &b);
        switch (rng_int(&r, 0, 7)) {
        case 0: a.v[1] = a.v[0]; break;
        case 1: b.v[0] = a.v[0]; b.v[1] = a.v[1]; b.pose = a.pose; break;
        case 2: b.v[0] = dc_scale(DC_R(0.5), dc_add(a.v[0], a.v[1])); b.pose = a.pose; break;
        case 3: b.v[1] = dc_add(b.v[0], dc_sub(a.v[1], a.v[0])); b.pose.q = a.pose.q; break;
        default: break;
        }
        body_world(&a);
        body_world(&b);
        a.h.radius = DC_R(ra);
        b.h.radius = DC_R(rb);
        core = brute_distance(&a, &b);
        truth = core - ((ld)a.h.radius + (ld)b.h.radius);
        S = scale_of(&a, &b) + (ld)a.h.radius + (ld)b.h.radius;
        overlaps += truth < 0;
        memset(&d, 0, sizeof d);
        /* no memory needed, whatever overlaps */
        ASSERT_EQ(DC_OK, dc_hull_distance(&a.h, &a.pose, &b.h, &b.pose, NULL, &d));
        ASSERT(fabsl(l3_len(l3_from(d.n)) - 1) < 4*EPS);
        worst_add(&gap, (double)(fabsl((ld)d.gap - truth)/S/EPS), "%ld %d %d core %.6Lg radii %g %g", i, a.h.n, b.h.n, core, ra, rb);
        pa = l3_from(d.pa);
        pb = l3_from(d.pb);
        u = l3_from(d.n);
        err = l3_len(l3_madd(l3_sub(pa, pb), -(ld)d.gap, u));
        /* the witness points lie on the round surfaces: a radius from their cores */
        err = ld_max(err, fabsl(l3_len(l3_sub(pa, l3_madd(pa, (ld)a.h.radius, u))) - (ld)a.h.radius));
        {
            l3 ca = l3_madd(pa, (ld)a.h.radius, u), cb = l3_madd(pb, -(ld)b.h.radius, u);
            l3 fa = l3_of(0, 0, 0), fb = fa;
            int k;
            for (k = 0; k < d.na; k++) fa = l3_madd(fa, (ld)d.wa[k], a.world[d.ia[k]]);
            for (k = 0; k < d.nb; k++) fb = l3_madd(fb, (ld)d.wb[k], b.world[d.ib[k]]);
            err = ld_max(err, ld_max(l3_len(l3_sub(fa, ca)), l3_len(l3_sub(fb, cb))));
        }
        worst_add(&witness, (double)(err/S/EPS), "%ld", i);
        worst_add(&normal, (double)((truth - (room(&a, &b, u) - (ld)a.h.radius - (ld)b.h.radius))/S/EPS), "%ld %d %d core %.6Lg radii %g %g gap %g n %g %g %g", i, a.h.n, b.h.n, core, ra, rb, (double)d.gap,(double)d.n.x,(double)d.n.y,(double)d.n.z);
    }
    ASSERT(n < 100 || (overlaps > n/20 && overlaps < n - n/20));
    {
        int ok = worst_print(&gap, 4);
        ok &= worst_print(&witness, 10);
        ok &= worst_print(&normal, 4);
        ASSERT(ok);
    }
    PASS();
}

/* a sphere against a box: the box's own signed distance, inside too */
TEST sphere_against_a_box(void)
{
    rng r;
    long i, n = sweep_count(5000);
    worst gap = worst_make("sphere and rounded box, eps S");
    rng_seed(&r, 72);
    for (i = 0; i < n; i++) {
        double h[3], x[3], out = 0, in = -1e300, ra = rng_uniform(&r, 0, 1), rb = rng_uniform(&r, 0, 1), truth;
        dc_distance d = DC_ZERO;
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        int k;
        for (k = 0; k < 3; k++) {
            double e;
            h[k] = (double)DC_R(rng_uniform(&r, 0.2, 1));
            x[k] = (double)DC_R(rng_uniform(&r, -2, 2));
            e = fabs(x[k]) - h[k];
            if (e > 0) out += e*e;
            if (e > in) in = e;
        }
        body_box(&A, 0, 0, 0, h[0], h[1], h[2]);
        body_set(&B, 1, x);
        A.h.radius = DC_R(ra);
        B.h.radius = DC_R(rb);
        truth = (out > 0 ? sqrt(out) : in) - (double)A.h.radius - (double)B.h.radius;
        ASSERT_EQ(DC_OK, dc_hull_distance(&B.h, NULL, &A.h, NULL, &mem, &d));
        worst_add(&gap, fabs((double)d.gap - truth)/(double)EPS/(2 + ra + rb), "%ld at %g %g %g", i, x[0], x[1], x[2]);
        ASSERT_EQ(0, (int)mem.used);
        /* without memory: an answer exactly where the centre is outside the box */
        memset(&d, 0, sizeof d);
        ASSERT_EQ(out > 0 ? DC_OK : DC_E_OVERLAP, dc_hull_distance(&B.h, NULL, &A.h, NULL, NULL, &d));
    }
    {
        int ok = worst_print(&gap, 8);
        ASSERT(ok);
    }
    PASS();
}

/* radii change neither direction nor features, and take themselves off the gap */
TEST radii_of_any_hulls_come_off_the_gap(void)
{
    rng r;
    long i, n = sweep_count(1000);
    static body a, b;
    rng_seed(&r, 73);
    for (i = 0; i < n; i++) {
        dc_distance d, e;
        double size = rng_log(&r, 1e-3, 1e3);
        if (!pair_make(&r, rng_int(&r, TRIANGLE, KINDS - 1), rng_int(&r, 0, KINDS - 1), size, size, rng_uniform(&r, -0.2, 1)*size, 0, 1, &a, &b)) continue;
        ASSERT_EQ(DC_OK, distance(&a, &b, &d));
        a.h.radius = DC_R(size*rng_uniform(&r, 0, 1));
        b.h.radius = DC_R(size*rng_uniform(&r, 0, 1));
        ASSERT_EQ(DC_OK, distance(&a, &b, &e));
        ASSERT(d.gap - (a.h.radius + b.h.radius) == e.gap);
        ASSERT(d.n.x == e.n.x && d.n.y == e.n.y && d.n.z == e.n.z);
        ASSERT(d.na == e.na && d.nb == e.nb && memcmp(d.ia, e.ia, sizeof d.ia) == 0 && memcmp(d.wa, e.wa, sizeof d.wa) == 0);
        ASSERT(l3_len(l3_sub(l3_madd(l3_sub(l3_from(e.pa), l3_from(e.pb)), -(ld)e.gap, l3_from(e.n)), l3_of(0, 0, 0))) < 8*EPS*(scale_of(&a, &b) + (ld)size));
    }
    PASS();
}

TEST a_bad_radius_is_refused(void)
{
    const dc_real bad[4] = {DC_R(-1e-30), (dc_real)NAN, (dc_real)INFINITY, DC_LIMIT*DC_R(1.01)};
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_distance d, keep;
    dc_real value = 5;
    int k;
    body_box(&A, 0, 0, 0, 1, 1, 1);
    body_box(&B, 3, 0, 0, 1, 1, 1);
    memset(&keep, 0x5a, sizeof keep);
    d = keep;
    for (k = 0; k < 4; k++) {
        A.h.radius = bad[k];
        ASSERT_EQ(DC_E_ARG, dc_hull_distance(&A.h, NULL, &B.h, NULL, &mem, &d));
        ASSERT_EQ(DC_E_ARG, dc_hull_distance(&B.h, NULL, &A.h, NULL, NULL, &d));
        ASSERT_EQ(0, memcmp(&d, &keep, sizeof d));
    }
    for (k = 0; k < 4; k++) {
        A.h.radius = bad[k];
        ASSERT_EQ(DC_E_ARG, dc_pair(NULL, &A.h, &B.h, &mem, NULL, &value, NULL, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_pair_rigid(NULL, &B.h, NULL, &A.h, NULL, &mem, NULL, &value, NULL, NULL, NULL));
        ASSERT_EQ(DC_E_ARG, dc_pair_affine(NULL, &B.h, NULL, &A.h, NULL, &mem, NULL, &value, NULL, NULL, NULL));
    }
    /* and where it is not taken, any */
    A.h.radius = DC_R(0.125);
    ASSERT_EQ(DC_E_ARG, dc_friction(NULL, NULL, 1, 1, &B.h, &B.h, &A.h, &A.h, &mem, NULL, &value, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_friction(NULL, NULL, 1, 1, &B.h, &A.h, &B.h, &B.h, &mem, NULL, &value, NULL, NULL, NULL, NULL));
    ASSERT(value == 5);
    A.h.radius = 0;
    PASS();
}

/* ---- derivative ---- */

static void twisted(const dc_pose *p, const double *xi, dc_pose *out)
{
    double th = sqrt(xi[3]*xi[3] + xi[4]*xi[4] + xi[5]*xi[5]), s = th > 0 ? sin(th/2)/th : 0.5, c = cos(th/2);
    double q[4] = {c, s*xi[3], s*xi[4], s*xi[5]};
    double o[4] = {(double)p->q.w, (double)p->q.x, (double)p->q.y, (double)p->q.z};
    out->q.w = DC_R(q[0]*o[0] - q[1]*o[1] - q[2]*o[2] - q[3]*o[3]);
    out->q.x = DC_R(q[0]*o[1] + q[1]*o[0] + q[2]*o[3] - q[3]*o[2]);
    out->q.y = DC_R(q[0]*o[2] - q[1]*o[3] + q[2]*o[0] + q[3]*o[1]);
    out->q.z = DC_R(q[0]*o[3] + q[1]*o[2] - q[2]*o[1] + q[3]*o[0]);
    out->t = dc_add(p->t, dc_vec(DC_R(xi[0]), DC_R(xi[1]), DC_R(xi[2])));
}

static void gap_of_twists(const double *x, double *f, void *user)
{
    const body *ab = (const body *)user;
    body a = ab[0], b = ab[1];
    dc_distance d;
    twisted(&ab[0].pose, x, &a.pose);
    twisted(&ab[1].pose, x + 6, &b.pose);
    a.h.v = a.v;
    b.h.v = b.v;
    f[0] = distance(&a, &b, &d) == DC_OK ? (double)d.gap : (double)NAN;
}

static unsigned vertex_set(const dc_distance *d)
{
    unsigned s = 0;
    int i;
    for (i = 0; i < d->na; i++) s |= 1u << d->ia[i];
    for (i = 0; i < d->nb; i++) s |= 1u << (16 + d->ib[i]);
    return s;
}

TEST derivative_by_the_twists(void)
{
    static body ab[2];
    rng r;
    worst err = worst_make("gradient against differences"), order = worst_make("2 - order of the error");
    long i, n = sweep_count(400), used = 0;
    rng_seed(&r, 10);
    for (i = 0; i < n; i++) {
        const double x[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        double J[12], least = 1;
        dc_distance d;
        dc_v3 ma, mb;
        fd_result f;
        int k, ka = rng_int(&r, 0, 1) ? POLY8 : BOX, kb = rng_int(&r, 0, 1) ? POLY8 : TETRA, inside = rng_int(&r, 0, 2) == 0;
        double u[3];
        for (k = 0; k < 2; k++) {
            shape_make(&r, k ? kb : ka, 1, &ab[k]);
            rng_unit3(&r, u);
            ab[k].has_pose = 1;
            random_quat(&r, &ab[k].pose.q);
            ab[k].pose.t = k ? dc_vec(DC_R((inside ? 0.4 : 1.3)*u[0]), DC_R((inside ? 0.4 : 1.3)*u[1]), DC_R((inside ? 0.4 : 1.3)*u[2]))
                             : dc_vec(DC_R(0.25), DC_R(-0.5), DC_R(0.125));
            if (k) ab[k].pose.t = dc_add(ab[k].pose.t, ab[0].pose.t);
            body_world(&ab[k]);
        }
        if (distance(&ab[0], &ab[1], &d) != DC_OK || dc_abs(d.gap) < DC_R(0.05)) continue;
        /* smooth: no weight near 0, and the closest features unique */
        for (k = 0; k < d.na; k++) least = fmin(least, (double)d.wa[k]);
        for (k = 0; k < d.nb; k++) least = fmin(least, (double)d.wb[k]);
        if (least < 0.1) continue;
        if (d.na == 2 && d.nb == 2) {
            /* edges far from parallel */
            l3 p = l3_sub(ab[0].world[d.ia[1]], ab[0].world[d.ia[0]]), q = l3_sub(ab[1].world[d.ib[1]], ab[1].world[d.ib[0]]);
            if (l3_len(l3_cross(p, q)) < 0.3L*l3_len(p)*l3_len(q)) continue;
        }
        /* and its neighbours lie on the same faces: their direction turns no more than the bodies */
        {
            int j, same = 1;
            for (j = 0; j < 24 && same; j++) {
                double y[12] = {0};
                body a = ab[0], b = ab[1];
                dc_distance e;
                y[j/2] = j & 1 ? 0.04 : -0.04;
                twisted(&ab[0].pose, y, &a.pose);
                twisted(&ab[1].pose, y + 6, &b.pose);
                a.h.v = a.v;
                b.h.v = b.v;
                same = distance(&a, &b, &e) == DC_OK && vertex_set(&e) == vertex_set(&d) && (double)dc_dot(e.n, d.n) > 0.9;
            }
            if (!same) continue;
        }
        ma = dc_cross(dc_sub(d.pa, ab[0].pose.t), d.n);
        mb = dc_cross(dc_sub(d.pb, ab[1].pose.t), d.n);
        J[0] = (double)d.n.x; J[1] = (double)d.n.y; J[2] = (double)d.n.z;
        J[3] = (double)ma.x;  J[4] = (double)ma.y;  J[5] = (double)ma.z;
        for (k = 0; k < 3; k++) J[6 + k] = -J[k];
        J[9] = -(double)mb.x; J[10] = -(double)mb.y; J[11] = -(double)mb.z;
#if DC_IS_FLOAT
        /* the rounding of a float over a step of 1/64 leaves four digits */
        f.err = 0;
        f.order = 2;
        for (k = 0; k < 12; k++) {
            double D[2], h, hi, lo;
            int j;
            for (j = 0, h = 1.0/32; j < 2; j++, h /= 2) {
                double y[12] = {0};
                y[k] = h;  gap_of_twists(y, &hi, ab);
                y[k] = -h; gap_of_twists(y, &lo, ab);
                D[j] = (hi - lo)/(2*h);
            }
            /* curved at this step, as between edges that are nearly parallel: no verdict */
            if (fabs(D[1] - D[0]) > 2e-3) break;
            f.err = fmax(f.err, fabs((4*D[1] - D[0])/3 - J[k]));
        }
        (void)x;
        if (k < 12) continue;
#else
        f = fd_check(gap_of_twists, ab, 12, x, 1, J, 1.0/512);
#endif
        used++;
        worst_add(&err, f.err, "%ld gap %.4g features %d %d order %.2g", i, (double)d.gap, d.na, d.nb, f.order);
        worst_add(&order, 2 - f.order, "%ld gap %.4g features %d %d", i, (double)d.gap, d.na, d.nb);
    }
    printf("  %ld smooth points\n", used);
    ASSERT(n < 100 || used > n/8);
    {
        int ok = worst_print(&err, DC_IS_FLOAT ? 1e-3 : 1e-6);
        if (!DC_IS_FLOAT) ok &= worst_print(&order, 0.5);
        ASSERT(ok);
    }
    PASS();
}

SUITE(hull)
{
    RUN_TEST(points_that_coincide);
    RUN_TEST(points_apart_by_one_step);
    RUN_TEST(copies_of_one_point_against_a_box);
    RUN_TEST(point_in_a_box);
    RUN_TEST(point_on_a_face_an_edge_and_a_corner);
    RUN_TEST(segments_that_cross);
    RUN_TEST(segments_on_one_line);
    RUN_TEST(parallel_segments);
    RUN_TEST(triangles_that_overlap_in_their_plane);
    RUN_TEST(triangles_that_pierce_each_other);
    RUN_TEST(identical_boxes);
    RUN_TEST(nested_boxes);
    RUN_TEST(boxes_that_touch);
    RUN_TEST(parallel_faces_at_tiny_gaps);
    RUN_TEST(corners_that_meet_at_tiny_gaps);
    RUN_TEST(needle_against_a_box);
    RUN_TEST(sizes_a_million_million_apart);
    RUN_TEST(sizes_at_the_ends_of_the_range);
    RUN_TEST(offset_of_a_common_frame_costs_no_digits);
    RUN_TEST(constructed_gaps_of_large_hulls);
    RUN_TEST(swap_warm_start_and_rigid_motion_change_nothing);
    RUN_TEST(depth_of_large_hulls_is_a_minimum);
    RUN_TEST(ball_of_a_thousand_vertices);
    RUN_TEST(spheres_and_capsules_in_closed_form);
    RUN_TEST(sphere_against_a_box);
    RUN_TEST(radii_of_any_hulls_come_off_the_gap);
    RUN_TEST(a_bad_radius_is_refused);
    RUN_TEST(bad_input_leaves_the_output_alone);
    RUN_TEST(any_start_is_accepted);
    RUN_TEST(memory_is_enough_exact_and_given_back);
    RUN_TEST(derivative_by_the_twists);
    RUN_TEST(lattice_hulls_are_told_apart_down_to_rounding);
    RUN_TEST(penetration_depth_is_that_of_brute_force);
    RUN_TEST(random_pairs_are_proved_by_their_own_answer);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(hull);
    GREATEST_MAIN_END();
}
