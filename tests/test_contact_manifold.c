/* Contact manifolds of hulls against closed forms, a search over all 15 axes of two boxes, and what has to hold of any. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include "greatest.h"
#include "support.h"

#include <math.h>
#include <string.h>

GREATEST_MAIN_DEFS();

#define EPS ((double)DC_EPS)
#define SLACK (DC_IS_FLOAT ? 2e-5 : 2e-6)         /* outlines that are one: twice what the header states for each */

static unsigned char memory[1 << 20], scratch[1 << 18];
static dc_v3 points[4][200];

static dc_v3 vec(double x, double y, double z) { return dc_vec(DC_R(x), DC_R(y), DC_R(z)); }
static dc_pose at(double x, double y, double z) { dc_pose p = {{1, 0, 0, 0}, {0, 0, 0}}; p.t = vec(x, y, z); return p; }
static double dot(dc_v3 a, dc_v3 b) { return (double)dc_dot(a, b); }
static double length(dc_v3 a) { return sqrt(dot(a, a)); }

static dc_pose turned(dc_pose p, double x, double y, double z) { p.q = dc_quat_mul(dc_quat_exp(vec(x, y, z)), p.q); return p; }

static dc_quat random_quat(rng *r)
{
    dc_quat q;
    q.w = DC_R(rng_normal(r)); q.x = DC_R(rng_normal(r)); q.y = DC_R(rng_normal(r)); q.z = DC_R(rng_normal(r));
    dc_quat_normalize(q, &q);
    return q;
}

/* hull k of these points; topologies stay in memory */
static dc_arena kept;
static dc_hull_topology make(int k, int n, double radius)
{
    dc_hull_topology t;
    dc_hull h = DC_ZERO;
    memset(&t, 0, sizeof t);
    h.v = points[k];
    h.n = n;
    h.radius = DC_R(radius);
    if (dc_hull_faces(&h, 0, &kept, &t) != DC_OK) printf("  no faces\n");
    return t;
}

static dc_hull_topology box(int k, double x, double y, double z, double radius)
{
    int i;
    for (i = 0; i < 8; ++i) points[k][i] = vec(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    return make(k, 8, radius);
}

static dc_status manifold(const dc_hull_manifold_options *o, const dc_hull_topology *a, const dc_pose *pa, const dc_hull_topology *b, const dc_pose *pb,
                          dc_hull_patch *m)
{
    dc_arena mem = dc_arena_make(scratch, dc_hull_manifold_bytes(a->hull.n, b->hull.n));
    dc_status s = dc_hull_manifold(o, a, pa, b, pb, &mem, m);
    return mem.used ? DC_E_MEMORY : s;
}

/* distance of x from the surface of a solid, by its planes: the largest excess, 0 on the surface */
static double outside(const dc_hull_topology *t, const dc_pose *p, dc_v3 x)
{
    dc_v3 y = dc_pose_apply(dc_pose_inv(*p), x);
    double most = -1e300;
    int f;
    for (f = 0; f < t->faces; ++f) most = fmax(most, dot(t->normal[f], y) - (double)t->offset[f]);
    return most - (double)t->hull.radius;
}

/* what has to hold of any patch of solids without radii; NULL: all does */
static const char *flaw(const dc_hull_topology *a, const dc_pose *pa, const dc_hull_topology *b, const dc_pose *pb, const dc_hull_manifold_options *o,
                        const dc_hull_patch *m, double S)
{
    int cap = o && o->capacity ? o->capacity : 4, i, j;
    double least = 1e300, margin = o ? (double)o->margin : 0;
    if (fabs(length(m->n) - 1) > 8*EPS) return "n";
    if (m->count < 0 || m->count > cap) return "count";
    if (m->count == 0) return (double)m->gap > margin ? NULL : "no points";
    for (i = 0; i < m->count; ++i) {
        const dc_hull_contact *c = &m->point[i];
        double gap = (double)c->gap;
        least = fmin(least, gap);
        if (length(dc_madd(dc_sub(c->pa, c->pb), -c->gap, m->n)) > 64*EPS*S) return "pa - pb = gap n";
        if (gap > margin + SLACK*S) return "beyond the margin";
        if (gap < (double)m->gap - SLACK*S) return "deeper than the hulls";
        if (c->kind != DC_WITNESS && (fabs(outside(a, pa, c->pa)) > SLACK*S || fabs(outside(b, pb, c->pb)) > SLACK*S)) return "off the surface";
        for (j = 0; j < i; ++j)
            if (m->point[j].id == c->id) return "two of an id";
    }
    return fabs(least - (double)m->gap) > 20*SLACK*S ? "no point has the gap" : NULL;
}

#define ASSERT_SOUND(f) do { const char *flaw_ = f; if (flaw_) printf("  %s\n", flaw_); ASSERT(!flaw_); } while (0)

/* ---- boxes ---- */

/* a box over a larger one, 20 mm into it, shifted and turned: its four corners, 20 mm deep */
TEST overlapping_boxes_give_the_four_corners(void)
{
    dc_hull_topology a, b;
    rng r;
    int k, i, j;
    kept = dc_arena_make(memory, sizeof memory);
    a = box(0, 0.5, 0.4, 0.3, 0);
    b = box(1, 2, 2, 0.5, 0);
    rng_seed(&r, 1);
    for (k = 0; k < 200; ++k) {
        dc_pose pa = turned(at(rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), 0.78), 0, 0, k%4 ? rng_uniform(&r, -3, 3) : k*0.7853981633974483/4), pb = at(0, 0, 0), p;
        dc_hull_patch m = DC_ZERO;
        dc_quat q = k & 1 ? random_quat(&r) : pa.q;
        p.t = vec(rng_uniform(&r, -9, 9), 1, 2);
        p.q = k & 1 ? q : pb.q;
        pa = dc_pose_mul(p, pa);
        pb = dc_pose_mul(p, pb);
        ASSERT_EQ(DC_OK, manifold(NULL, &a, &pa, &b, &pb, &m));
        ASSERT_EQ(4, m.count);
        ASSERT(fabs((double)m.gap + 0.02) < 100*EPS);
        for (i = 0; i < 4; ++i) {
            int hit = 0;
            ASSERT(fabs((double)m.point[i].gap + 0.02) < 100*EPS);
            for (j = 0; j < 4; ++j) hit += length(dc_sub(m.point[i].pa, dc_pose_apply(pa, points[0][j]))) < 200*EPS;
            ASSERT_EQ(1, hit);
        }
    }
    PASS();
}

/* the overlap of two rectangles by brute force: corners within the other, edges that cross */
static int rectangles(const double h[2], double x, double y, double turn, const double g[2], double out[16][2])
{
    double c = cos(turn), s = sin(turn), p[4][2], q[4][2];
    int i, j, n = 0;
    for (i = 0; i < 4; ++i) {
        double u = (i == 0 || i == 3 ? 1 : -1)*h[0], v = (i < 2 ? 1 : -1)*h[1];
        p[i][0] = x + c*u - s*v;
        p[i][1] = y + s*u + c*v;
        q[i][0] = (i == 0 || i == 3 ? 1 : -1)*g[0];
        q[i][1] = (i < 2 ? 1 : -1)*g[1];
    }
    for (i = 0; i < 4; ++i) {
        double dx = q[i][0] - x, dy = q[i][1] - y;
        if (fabs(p[i][0]) < g[0] && fabs(p[i][1]) < g[1]) { out[n][0] = p[i][0]; out[n++][1] = p[i][1]; }
        if (fabs(c*dx + s*dy) < h[0] && fabs(c*dy - s*dx) < h[1]) { out[n][0] = q[i][0]; out[n++][1] = q[i][1]; }
        for (j = 0; j < 4; ++j) {
            const double *a = p[i], *b = p[(i + 1)%4], *d = q[j], *e = q[(j + 1)%4];
            double det = (b[0] - a[0])*(e[1] - d[1]) - (b[1] - a[1])*(e[0] - d[0]), u, w;
            if (fabs(det) < 1e-9) continue;
            u = ((d[0] - a[0])*(e[1] - d[1]) - (d[1] - a[1])*(e[0] - d[0]))/det;
            w = ((d[0] - a[0])*(b[1] - a[1]) - (d[1] - a[1])*(b[0] - a[0]))/det;
            if (u > 0 && u < 1 && w > 0 && w < 1) { out[n][0] = a[0] + u*(b[0] - a[0]); out[n++][1] = a[1] + u*(b[1] - a[1]); }
        }
    }
    return n;
}

TEST faces_of_boxes_share_the_overlap_of_their_rectangles(void)
{
    dc_hull_manifold_options o = DC_ZERO;
    dc_hull_topology a, b;
    rng r;
    int k, i, j, most = 0;
    kept = dc_arena_make(memory, sizeof memory);
    a = box(0, 0.5, 0.4, 0.3, 0);
    b = box(1, 0.45, 0.42, 0.3, 0);
    o.capacity = 8;
    o.margin = DC_R(0.1);
    rng_seed(&r, 2);
    for (k = 0; k < 500; ++k) {
        const double h[2] = {0.5, 0.4}, g[2] = {0.45, 0.42};
        double x = rng_uniform(&r, -0.4, 0.4), y = rng_uniform(&r, -0.4, 0.4), turn = rng_uniform(&r, -3, 3), gap = rng_uniform(&r, -0.05, 0.05), out[16][2];
        dc_pose pa = turned(at(x, y, 0.6 + gap), 0, 0, turn), pb = at(0, 0, 0);
        dc_hull_patch m = DC_ZERO;
        int n = rectangles(h, x, y, turn, g, out), close = 0;
        for (i = 0; i < n; ++i)
            for (j = 0; j < i; ++j) close |= fabs(out[i][0] - out[j][0]) + fabs(out[i][1] - out[j][1]) < 100*SLACK;
        if (close) continue;                        /* corners in one place are one */
        ASSERT_EQ(DC_OK, manifold(&o, &a, &pa, &b, &pb, &m));
        ASSERT_EQ(n, m.count);
        if (n > most) most = n;
        for (i = 0; i < n; ++i) {
            int hit = 0;
            ASSERT(fabs((double)m.point[i].gap - gap) < 100*EPS);
            for (j = 0; j < n; ++j) hit += fabs((double)m.point[i].pa.x - out[j][0]) + fabs((double)m.point[i].pa.y - out[j][1]) < (DC_IS_FLOAT ? 1e-4 : 1e-11);
            ASSERT_EQ(1, hit);
        }
    }
    ASSERT_EQ(8, most);
    PASS();
}

/* room of two boxes along an axis, the larger of both signs: at once the best of 15 */
static double box_room(const double h[3], const dc_pose *pa, const double g[3], const dc_pose *pb, int *best)
{
    dc_m3 A = dc_rotation(pa->q), B = dc_rotation(pb->q);
    dc_v3 d = dc_sub(pa->t, pb->t), ea[3], eb[3];
    double most = -1e300;
    int i, j, k;
    for (i = 0; i < 3; ++i) {
        ea[i] = vec((double)A.m[i], (double)A.m[3 + i], (double)A.m[6 + i]);
        eb[i] = vec((double)B.m[i], (double)B.m[3 + i], (double)B.m[6 + i]);
    }
    for (k = 0; k < 15; ++k) {
        dc_v3 n = k < 3 ? ea[k] : k < 6 ? eb[k - 3] : dc_cross(ea[(k - 6)/3], eb[(k - 6)%3]);
        double l = length(n), room;
        if (l < 1e-3) continue;
        room = fabs(dot(n, d));
        for (j = 0; j < 3; ++j) room -= h[j]*fabs(dot(n, ea[j])) + g[j]*fabs(dot(n, eb[j]));
        room /= l;
        if (room > most + 1e-9) { most = room; *best = k; }
    }
    return most;
}

TEST boxes_over_all_fifteen_axes(void)
{
    const double h[3] = {0.5, 0.4, 0.3}, g[3] = {0.6, 0.2, 0.45};
    dc_hull_manifold_options o = DC_ZERO;
    dc_hull_topology a, b;
    rng r;
    long k, n = sweep_count(6000), hit[15] = {0}, edges = 0;
    int i;
    worst gap = worst_make("depth against the best of 15 axes, eps");
    kept = dc_arena_make(memory, sizeof memory);
    a = box(0, h[0], h[1], h[2], 0);
    b = box(1, g[0], g[1], g[2], 0);
    o.capacity = 8;
    rng_seed(&r, 3);
    for (k = 0; k < n; ++k) {
        dc_pose pa = at(rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1)), pb = at(0, 0, 0);
        dc_hull_patch m = DC_ZERO;
        int best = 0, edge = 0;
        double room;
        pa.q = random_quat(&r);
        pb.q = random_quat(&r);
        room = box_room(h, &pa, g, &pb, &best);
        if (room > -1e-3) continue;
        ASSERT_EQ(DC_OK, manifold(&o, &a, &pa, &b, &pb, &m));
        worst_add(&gap, fabs((double)m.gap - room)/EPS, "%ld axis %d", k, best);
        ASSERT_SOUND(flaw(&a, &pa, &b, &pb, &o, &m, 2));
        ASSERT(best < 3 ? m.reference == 1 || m.reference == 2 : 1);
        hit[best]++;
        if (best >= 6) {
            for (i = 0; i < m.count; ++i) edge += (m.point[i].kind == DC_EDGE_EDGE || m.point[i].kind == DC_WITNESS) && fabs((double)m.point[i].gap - room) < 1e-5;
            ASSERT(edge >= 1);
            edges++;
        }
    }
    for (i = 0; i < 15; ++i) ASSERT(n < 6000 || hit[i] > 5);
    printf("  %ld by edges\n", edges);
    {
        int ok = worst_print(&gap, 32);
        ASSERT(ok);
    }
    PASS();
}

/* room of two bodies along n, less the radii, with every vertex looked at */
static double room_along(const dc_hull_topology *a, const dc_pose *pa, const dc_hull_topology *b, const dc_pose *pb, dc_v3 n)
{
    double low = 1e300, high = -1e300;
    int i;
    for (i = 0; i < a->hull.n; ++i) low = fmin(low, dot(n, dc_pose_apply(*pa, a->hull.v[i])));
    for (i = 0; i < b->hull.n; ++i) high = fmax(high, dot(n, dc_pose_apply(*pb, b->hull.v[i])));
    return low - high - (double)a->hull.radius - (double)b->hull.radius;
}

/* Cuboids that lie askew in their bodies, needles and plates among them, round ones too: their axes say what the closest points and
 * the penetration depth say, and beyond the margin at least that there is as much room. A corner past the end of a
 * face by less than the slack s of the outlines counts as above it, which makes the gap g less by s^2/(2 g). */
TEST cuboids_agree_with_the_distance(void)
{
    rng r;
    long k, n = sweep_count(30000), apart = 0, over = 0, beyond = 0, boxes = 0;
    worst gap = worst_make("gap against dc_hull_distance, eps"), near = worst_make("the same, apart, over eps and slack"), room = worst_make("gap less room along n, eps");
    rng_seed(&r, 14);
    for (k = 0; k < n; ++k) {
        dc_hull_manifold_options o = DC_ZERO;
        dc_hull_topology t[2];
        dc_hull_patch m = DC_ZERO;
        dc_distance d = DC_ZERO;
        dc_pose pose[2];
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        double u[3], by = k%3 == 0 ? rng_uniform(&r, 0, 0.2) : k%3 == 1 ? rng_uniform(&r, -1, 1)*1e-7 : -rng_uniform(&r, 0, 0.3);
        int i, j, again;
        kept = dc_arena_make(memory, sizeof memory);
        for (j = 0; j < 2; ++j) {
            const dc_pose body = {random_quat(&r), vec(rng_uniform(&r, -0.3, 0.3), 0.1, 0)};
            t[j] = box(j, rng_log(&r, k%5 ? 0.1 : 1e-2, 1), rng_log(&r, k%5 ? 0.1 : 1e-2, 1), rng_log(&r, 0.1, 1), 0);
            if (k & 1) {
                for (i = 0; i < 8; ++i) points[j][i] = dc_pose_apply(body, points[j][i]);
                t[j] = make(j, 8, k%7 == 3 ? rng_uniform(&r, 0, 0.1) : 0);
            }
            boxes += t[j].box;
            pose[j] = at(0, 0, 0);
            pose[j].q = j && k%11 == 0 ? pose[0].q : random_quat(&r);
        }
        rng_unit3(&r, u);
        pose[0].t = vec(3*u[0], 3*u[1], 3*u[2]);
        ASSERT_EQ(DC_OK, dc_hull_distance(&t[0].hull, &pose[0], &t[1].hull, &pose[1], &mem, &d));
        pose[0].t = dc_madd(pose[0].t, DC_R(by) - d.gap, d.n);
        o.margin = DC_R(k%2 ? 0.15 : 0);
        for (again = 0; again < 2; ++again) {
            memset(&d, 0, sizeof d);
            ASSERT_EQ(DC_OK, dc_hull_distance(&t[0].hull, &pose[0], &t[1].hull, &pose[1], &mem, &d));
            ASSERT_EQ(DC_OK, manifold(&o, &t[0], &pose[0], &t[1], &pose[1], &m));
            ASSERT(fabs(length(m.n) - 1) < 8*EPS);
            worst_add(&room, ((double)m.gap - room_along(&t[0], &pose[0], &t[1], &pose[1], m.n))/(3*EPS), "%ld", k);
            if (m.count == 0) {
                beyond++;
                ASSERT(m.gap > o.margin && (double)(m.gap - d.gap) < 100*EPS);
            } else if (!again || m.reference == 3) {
                /* with a patch before its face may stay */
                const double off = fabs((double)(m.gap - d.gap)), g = (double)d.gap, slack = 0.5*SLACK*(double)(t[0].reach + t[1].reach);
                if (g > 0) worst_add(&near, off/(300*EPS + fmin(slack, slack*slack/g)), "%ld by %g reference %d", k, by, m.reference);
                else worst_add(&gap, off/(3*EPS), "%ld by %g reference %d", k, by, m.reference);
            }
            apart += m.count > 0 && m.gap > 0;
            over += m.count > 0 && m.gap < 0;
            pose[0].t = dc_add(pose[0].t, vec(1e-4*u[1], 1e-4*u[2], 1e-4*u[0]));
        }
    }
    printf("  %ld apart, %ld over, %ld beyond the margin; %ld of %ld hulls by their axes\n", apart, over, beyond, boxes, 2*n);
    ASSERT(boxes > n);
    {
        int ok = worst_print(&gap, 100) & worst_print(&near, 1) & worst_print(&room, 8);
        ASSERT(ok);
    }
    PASS();
}

/* ---- any hulls ---- */

static dc_hull_topology random_hull(rng *r, int k)
{
    int n = rng_int(r, 4, 30), i, kind = rng_int(r, 0, 3);
    double s[3];
    if (kind == 0) return box(k, rng_uniform(r, 0.2, 1), rng_uniform(r, 0.2, 1), rng_uniform(r, 0.2, 1), 0);
    for (i = 0; i < 3; ++i) s[i] = rng_uniform(r, 0.3, 1);
    for (i = 0; i < n; ++i) {
        double u[3];
        rng_unit3(r, u);
        points[k][i] = kind == 1 ? vec(s[0]*cos(6.283185307179586*(i/2)/(n/2)), s[0]*sin(6.283185307179586*(i/2)/(n/2)), i & 1 ? s[2] : -s[2])
                                 : vec(s[0]*u[0], s[1]*u[1], s[2]*u[2]);
    }
    return make(k, kind == 1 ? n - n%2 : n, 0);
}

TEST random_hulls_apart_touching_and_deep(void)
{
    rng r;
    long k, n = sweep_count(10000), counts[10] = {0}, kinds[4] = {0}, moved = 0, stable = 0;
    int i, j;
    rng_seed(&r, 4);
    for (k = 0; k < n; ++k) {
        dc_hull_manifold_options o = DC_ZERO;
        dc_hull_topology a, b;
        dc_hull_patch m = DC_ZERO, again;
        dc_distance d = DC_ZERO;
        dc_pose pa = at(0, 0, 0), pb = at(0, 0, 0);
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        double gap = k%3 == 0 ? rng_uniform(&r, 0, 0.1) : k%3 == 1 ? rng_uniform(&r, -1, 1)*1e-9 : -rng_uniform(&r, 0, 0.2), u[3];
        kept = dc_arena_make(memory, sizeof memory);
        a = random_hull(&r, 0);
        b = random_hull(&r, 1);
        pa.q = random_quat(&r);
        pb.q = rng_int(&r, 0, 1) ? pa.q : random_quat(&r);
        rng_unit3(&r, u);
        pa.t = vec(3*u[0], 3*u[1], 3*u[2]);
        /* at this gap along the direction of the first distance */
        ASSERT_EQ(DC_OK, dc_hull_distance(&a.hull, &pa, &b.hull, &pb, &mem, &d));
        pa.t = dc_madd(pa.t, DC_R(gap) - d.gap, d.n);
        o.capacity = rng_int(&r, 0, 8);
        o.margin = DC_R(k%3 == 0 ? 0.12 : k%3 == 1 ? 1e-3 : rng_int(&r, 0, 1)*0.05);
        ASSERT_EQ(DC_OK, manifold(&o, &a, &pa, &b, &pb, &m));
        if (flaw(&a, &pa, &b, &pb, &o, &m, 3)) printf("  at %ld gap %g count %d reference %d\n", k, (double)m.gap, m.count, m.reference);
        ASSERT_SOUND(flaw(&a, &pa, &b, &pb, &o, &m, 3));
        counts[m.count]++;
        for (i = 0; i < m.count; ++i) {
            kinds[m.point[i].kind]++;
            m.point[i].warm[0] = DC_R(100 + i);
            m.point[i].warm[2] = DC_R(m.point[i].id & 0xffff);
        }
        /* a little later: the same ids, with their data */
        again = m;
        for (i = 0; i < 3; ++i) u[i] = (DC_IS_FLOAT ? 1e-6 : 1e-9)*rng_uniform(&r, -1, 1);
        pa = turned(pa, u[0], u[1], u[2]);
        pa.t = dc_add(pa.t, vec(u[1], u[2], u[0]));
        ASSERT_EQ(DC_OK, manifold(&o, &a, &pa, &b, &pb, &again));
        ASSERT_SOUND(flaw(&a, &pa, &b, &pb, &o, &again, 3));
        moved += length(dc_sub(again.n, m.n)) < 1e-6;
        if (again.count == m.count) {
            int same = 0;
            for (i = 0; i < m.count; ++i)
                for (j = 0; j < m.count; ++j)
                    if (again.point[i].id == m.point[j].id) {
                        same++;
                        ASSERT_EQ(1, again.point[i].kept);
                        ASSERT(again.point[i].warm[0] == m.point[j].warm[0] && again.point[i].warm[2] == m.point[j].warm[2]);
                        if (again.face_a == m.face_a && again.face_b == m.face_b)
                            ASSERT(fabs((double)(again.point[i].gap - m.point[j].gap)) < 40*SLACK + 200*length(dc_sub(again.n, m.n)));
                    }
            if (length(dc_sub(again.n, m.n)) < 1e-6) stable += same == m.count;
        }
    }
    printf("  points 0..8: %ld %ld %ld %ld %ld %ld %ld %ld %ld; kinds %ld %ld %ld %ld; %ld of %ld keep all ids\n", counts[0], counts[1], counts[2], counts[3],
           counts[4], counts[5], counts[6], counts[7], counts[8], kinds[0], kinds[1], kinds[2], kinds[3], stable, moved);
    ASSERT(n < 1000 || stable > moved - moved/(DC_IS_FLOAT ? 20 : 200));
    PASS();
}

/* a box slides over the edge of a table and tips over it: the gap, and that of every id, follow without jumps */
TEST gaps_are_continuous_along_sweeps(void)
{
    dc_hull_manifold_options o = DC_ZERO;
    dc_hull_topology a, b;
    int run, k, i, j;
    const double step = 1e-4;
    kept = dc_arena_make(memory, sizeof memory);
    a = box(0, 0.5, 0.4, 0.3, 0);
    b = box(1, 1, 1, 0.5, 0);
    o.margin = DC_R(0.05);
    o.capacity = 8;
    for (run = 0; run < 4; ++run) {
        dc_hull_patch m = DC_ZERO, before;
        long jumps = 0;
        for (k = 0; k < 12000; ++k) {
            double x = k*step;
            dc_pose pa = at(0.8 + x*0.5, 0.1, 0.81 - 0.02*x), pb = at(0, 0, 0);
            if (run == 1) pa = turned(at(0.2, 0.1, 0.8), 0.05*x, 0.3*x, 0.2);
            if (run == 2) pa = turned(at(1.2 - 0.2*x, 1.1, 0.7), 0.5*x, -0.4, 0.3);
            if (run == 3) pa = turned(at(-0.5 + x, 0.3*x, 0.79), 0, 0, x);
            before = m;
            ASSERT_EQ(DC_OK, manifold(&o, &a, &pa, &b, &pb, &m));
            ASSERT_SOUND(flaw(&a, &pa, &b, &pb, &o, &m, 3));
            if (k == 0) continue;
            if ((double)before.gap > -0.1 && fabs((double)(m.gap - before.gap)) > 4*step + 0.06*fabs((double)m.gap)) {
                printf("  run %d step %d gap %g to %g\n", run, k, (double)before.gap, (double)m.gap);
                ASSERT(0);
            }
            if (dot(before.n, m.n) < 1 - 1e-4) { jumps++; continue; }
            for (i = 0; i < m.count; ++i)
                for (j = 0; j < before.count; ++j)
                    if (m.point[i].id == before.point[j].id && m.reference == before.reference && m.face_a == before.face_a && m.face_b == before.face_b)
                        ASSERT(fabs((double)(m.point[i].gap - before.point[j].gap)) < 20*step);
        }
        printf("  run %d: n turns at once %ld times\n", run, jumps);
        ASSERT(jumps < 10);
    }
    PASS();
}

/* two faces equally good: without the memory of before, rounding decides anew each time */
TEST the_reference_stays(void)
{
    dc_hull_topology a, b;
    dc_hull_patch m = DC_ZERO;
    rng r;
    int k, first = 0;
    kept = dc_arena_make(memory, sizeof memory);
    a = box(0, 0.5, 0.5, 0.5, 0);
    b = box(1, 0.5, 0.5, 0.5, 0);
    rng_seed(&r, 5);
    for (k = 0; k < 300; ++k) {
        /* tilted a little this and that way: the depth along both faces differs by less than its share */
        dc_pose pa = turned(at(0.3, 0.2, 0.9), rng_uniform(&r, -1, 1)*2e-3, rng_uniform(&r, -1, 1)*2e-3, 0.1), pb = at(0, 0, 0);
        ASSERT_EQ(DC_OK, manifold(NULL, &a, &pa, &b, &pb, &m));
        if (k == 0) first = m.reference;
        ASSERT_EQ(first, m.reference);
        ASSERT(m.count == 4);
    }
    PASS();
}

/* the ids of a patch, in any order: their sum and their product, both modulo 2^32 */
static void ids_of(const dc_hull_patch *m, unsigned out[2])
{
    int i;
    out[0] = 0;
    out[1] = 1;
    for (i = 0; i < m->count; ++i) {
        out[0] += m->point[i].id;
        out[1] *= 2*m->point[i].id + 1;
    }
}

/* Many points equally deep, equally far and spanning equal areas: a box on another turned by 45 degrees, a cylinder on its circle,
 * a box on one of its own size. Shifts and turns by 1e-9 change neither the points that stay nor whose face n is normal to, with
 * nothing known of earlier nor from call to call. */
TEST rounding_does_not_choose_the_points(void)
{
    const double small = DC_IS_FLOAT ? 1e-7 : 1e-9;
    dc_hull_topology a, b;
    rng r;
    int scene, k, i;
    rng_seed(&r, 15);
    for (scene = 0; scene < 4; ++scene) {
        dc_hull_patch first = DC_ZERO, chain;
        unsigned want[2], is[2];
        dc_pose pa = at(0, 0, 0.99), pb = at(0, 0, 0);
        kept = dc_arena_make(memory, sizeof memory);
        b = box(1, 0.5, 0.5, 0.5, 0);
        if (scene < 3) a = box(0, 0.5, 0.5, 0.5, 0);
        else {
            for (i = 0; i < 32; ++i) {
                points[0][i] = vec(0.4*cos(0.19634954084936207*i), 0.4*sin(0.19634954084936207*i), 0.5);
                points[0][32 + i] = vec(0.4*cos(0.19634954084936207*i), 0.4*sin(0.19634954084936207*i), -0.5);
            }
            a = make(0, 64, 0);
        }
        if (scene == 1) pa = turned(pa, 0, 0, 0.7853981633974483);
        if (scene == 2) pa = turned(at(0.1, 0.2, 0.99), 0, 0, 1.5707963267948966);
        ASSERT_EQ(DC_OK, manifold(NULL, &a, &pa, &b, &pb, &first));
        ASSERT_EQ(4, first.count);
        ASSERT_EQ(1, first.reference);
        ids_of(&first, want);
        chain = first;
        for (k = 0; k < 200; ++k) {
            const dc_pose p = turned(at(small*rng_uniform(&r, -1, 1), small*rng_uniform(&r, -1, 1), small*rng_uniform(&r, -1, 1)),
                                     small*rng_uniform(&r, -1, 1), small*rng_uniform(&r, -1, 1), small*rng_uniform(&r, -1, 1));
            const dc_pose q = dc_pose_mul(p, pa);
            dc_hull_patch m = DC_ZERO;
            ASSERT_EQ(DC_OK, manifold(NULL, &a, &q, &b, &pb, &m));
            ids_of(&m, is);
            ASSERT(is[0] == want[0] && is[1] == want[1] && m.reference == 1);
            ASSERT(length(dc_add(m.n, dc_quat_rotate(q.q, vec(0, 0, -1)))) < 8*EPS);
            ASSERT_EQ(DC_OK, manifold(NULL, &a, &q, &b, &pb, &chain));
            ids_of(&chain, is);
            ASSERT(is[0] == want[0] && is[1] == want[1] && chain.reference == 1);
        }
    }
    PASS();
}

/* An irregular prism of eight sides on a box, in any unit: the same points stay. Squared distances held against a length would
 * choose the second point by the unit. */
TEST the_unit_does_not_choose_the_points(void)
{
    static const double angle[8] = {0.1, 0.7, 1.7, 2.3, 3.4, 4.0, 4.9, 5.6}, away[8] = {0.41, 0.37, 0.45, 0.39, 0.36, 0.44, 0.38, 0.43};
    unsigned want[2] = {0, 0}, is[2];
    int k, i;
    for (k = 0; k <= 12; ++k) {
        /* 1 first: what the others are held against */
        const double L = pow(10, k <= 6 ? k : 6 - k);
        const dc_pose pa = turned(at(0, 0, 0.99*L), 0.002, 0.001, 0), pb = at(0, 0, 0);
        dc_hull_topology a, b;
        dc_hull_patch m = DC_ZERO;
        kept = dc_arena_make(memory, sizeof memory);
        b = box(1, 0.5*L, 0.5*L, 0.5*L, 0);
        for (i = 0; i < 16; ++i)
            points[0][i] = vec(away[i/2]*cos(angle[i/2])*L, away[i/2]*sin(angle[i/2])*L, (i & 1 ? 0.5 : -0.5)*L);
        a = make(0, 16, 0);
        ASSERT_EQ(DC_OK, manifold(NULL, &a, &pa, &b, &pb, &m));
        ASSERT_EQ(4, m.count);
        ids_of(&m, is);
        if (k == 0) memcpy(want, is, sizeof want);
        ASSERT(is[0] == want[0] && is[1] == want[1]);
    }
    PASS();
}

/* ---- round hulls ---- */

TEST round_shapes_against_closed_forms(void)
{
    dc_hull_manifold_options o = DC_ZERO;
    dc_hull_topology ball, capsule, ground, other, rounded;
    rng r;
    int k, i;
    double bar = DC_IS_FLOAT ? 1e-5 : 1e-12;
    kept = dc_arena_make(memory, sizeof memory);
    points[0][0] = vec(0, 0, 0);
    ball = make(0, 1, 0.25);
    points[1][0] = vec(-0.5, 0, 0);
    points[1][1] = vec(0.5, 0, 0);
    capsule = make(1, 2, 0.1);
    other = make(1, 2, 0.2);
    ground = box(2, 5, 5, 1, 0);
    rounded = box(3, 0.3, 0.3, 0.3, 0.05);
    o.margin = DC_R(0.2);
    rng_seed(&r, 6);
    for (k = 0; k < 300; ++k) {
        double z = rng_uniform(&r, -0.05, 0.15), yaw = rng_uniform(&r, -3, 3), x = rng_uniform(&r, -2, 2), tilt = rng_uniform(&r, -0.1, 0.1);
        dc_pose p = at(x, 0.3, 1.25 + z), q = at(0, 0, 0);
        dc_hull_patch m = DC_ZERO;
        /* ball on a box */
        ASSERT_EQ(DC_OK, manifold(&o, &ball, &p, &ground, &q, &m));
        ASSERT_EQ(1, m.count);
        ASSERT(fabs((double)m.point[0].gap - z) < bar);
        ASSERT(length(dc_sub(m.point[0].pa, vec(x, 0.3, 1 + z))) < bar && length(dc_sub(m.point[0].pb, vec(x, 0.3, 1))) < bar);
        /* capsule that lies on it, turned and tilted: its two ends */
        memset(&m, 0, sizeof m);
        p = turned(turned(at(x, 0.3, 1.1 + z), 0, tilt, 0), 0, 0, yaw);
        ASSERT_EQ(DC_OK, manifold(&o, &capsule, &p, &ground, &q, &m));
        ASSERT_EQ(fabs(sin(tilt))*0.5 + z <= 0.2 ? 2 : 1, m.count);
        for (i = 0; i < m.count; ++i) {
            int end = m.point[i].feature_a;
            dc_v3 e = dc_pose_apply(p, points[1][end]);
            ASSERT_EQ(DC_VERTEX_FACE, m.point[i].kind);
            ASSERT(fabs((double)m.point[i].gap - ((double)e.z - 1.1)) < bar);
            ASSERT(length(dc_sub(m.point[i].pa, dc_add(e, vec(0, 0, -0.1)))) < bar);
        }
        /* parallel capsules, shifted: the two ends of what they share */
        memset(&m, 0, sizeof m);
        p = turned(at(0, 0, 0), 0, 0, yaw);
        q = p;
        q.t = dc_add(dc_quat_rotate(q.q, vec(0.4, 0, 0)), vec(0, 0, 0.3 + z));
        ASSERT_EQ(DC_OK, manifold(&o, &capsule, &p, &other, &q, &m));
        ASSERT_EQ(2, m.count);
        for (i = 0; i < 2; ++i) ASSERT(fabs((double)m.point[i].gap - z) < bar);
        ASSERT(fabs(length(dc_sub(m.point[0].pa, m.point[1].pa)) - 0.6) < bar);
        /* capsules across each other: one */
        memset(&m, 0, sizeof m);
        q = turned(at(0.1, 0, 0.3 + z), 0, 0, 1.2);
        p = at(0, 0, 0);
        ASSERT_EQ(DC_OK, manifold(&o, &capsule, &p, &other, &q, &m));
        ASSERT_EQ(1, m.count);
        ASSERT(fabs((double)m.gap - z) < bar);
        ASSERT(fabs((double)m.n.z + 1) < bar);
        /* a rounded box that stands on a box */
        memset(&m, 0, sizeof m);
        p = turned(at(x, 0.2, 1.35 + z), 0, 0, yaw);
        q = at(0, 0, 0);
        ASSERT_EQ(DC_OK, manifold(&o, &rounded, &p, &ground, &q, &m));
        ASSERT_EQ(4, m.count);
        for (i = 0; i < 4; ++i) ASSERT(fabs((double)m.point[i].gap - z) < bar && fabs((double)m.point[i].pa.z - 1 - z) < bar);
    }
    PASS();
}

/* ---- in the plane ---- */

TEST polygons_in_the_plane(void)
{
    dc_hull_manifold_options o = DC_ZERO;
    dc_hull_topology a, b, disc;
    rng r;
    int k, i;
    double bar = DC_IS_FLOAT ? 1e-5 : 1e-12;
    kept = dc_arena_make(memory, sizeof memory);
    for (i = 0; i < 4; ++i) {
        points[0][i] = vec(i & 1 ? 0.5 : -0.5, i & 2 ? 0.3 : -0.3, 0);
        points[1][i] = vec(i & 1 ? 2 : -2, i & 2 ? 0.5 : -0.5, 0);
    }
    a = make(0, 4, 0);
    b = make(1, 4, 0);
    points[2][0] = vec(0, 0, 0);
    disc = make(2, 1, 0.2);
    o.planar = 1;
    o.margin = DC_R(0.1);
    rng_seed(&r, 7);
    for (k = 0; k < 300; ++k) {
        double z = rng_uniform(&r, -0.1, 0.09), x = rng_uniform(&r, -1, 1), turn = rng_uniform(&r, -3, 3);
        dc_pose pa = at(x, 0.8 + z, 0), pb = at(0, 0, 0), world = turned(at(1, 2, 0), 0, 0, turn);
        dc_v3 up = dc_quat_rotate(world.q, vec(0, 1, 0));
        dc_hull_patch m = DC_ZERO;
        pa = dc_pose_mul(world, pa);
        pb = dc_pose_mul(world, pb);
        ASSERT_EQ(DC_OK, manifold(&o, &a, &pa, &b, &pb, &m));
        ASSERT_EQ(2, m.count);
        ASSERT(length(dc_sub(m.n, up)) < bar);
        for (i = 0; i < 2; ++i) ASSERT(fabs((double)m.point[i].gap - z) < bar && m.point[i].kind == DC_VERTEX_FACE && fabs((double)m.point[i].pa.z) < bar);
        ASSERT(fabs(length(dc_sub(m.point[0].pa, m.point[1].pa)) - 1) < bar);
        /* past the end of the other: a corner of each */
        memset(&m, 0, sizeof m);
        pa = dc_pose_mul(world, at(2.2, 0.8 + z, 0));
        ASSERT_EQ(DC_OK, manifold(&o, &a, &pa, &b, &pb, &m));
        ASSERT_EQ(2, m.count);
        ASSERT(fabs(length(dc_sub(m.point[0].pa, m.point[1].pa)) - 0.3) < bar);
        ASSERT_EQ(1, (m.point[0].kind == DC_FACE_VERTEX) + (m.point[1].kind == DC_FACE_VERTEX));
        /* a disc */
        memset(&m, 0, sizeof m);
        pa = dc_pose_mul(world, at(x, 0.7 + z, 0));
        ASSERT_EQ(DC_OK, manifold(&o, &disc, &pa, &b, &pb, &m));
        ASSERT_EQ(1, m.count);
        ASSERT(fabs((double)m.gap - z) < bar && length(dc_sub(m.n, up)) < bar);
    }
    PASS();
}

/* ---- derivatives ---- */

typedef struct {
    dc_hull_topology a, b;
    dc_pose pa, pb;
    dc_hull_manifold_options o;
    dc_hull_patch m;
    int bad, most;
} scene;

/* n, and pa, pb, gap of each point of the scene's patch, under twists x; NaN where its features change */
/* the same n points, in any order */
static int same_points(int n, const int *x, const int *y)
{
    int i, k, found = 0;
    for (i = 0; i < n; ++i)
        for (k = 0; k < n; ++k) found += x[i] == y[k];
    return found == n;
}

static void patch_of_twists(const double *x, double *f, void *user)
{
    scene *s = (scene *)user;
    dc_hull_patch m = s->m;
    dc_pose pa, pb;
    dc_real xi[12];
    int i, j, k = 3;
    for (i = 0; i < 12; ++i) xi[i] = DC_R(x[i]);
    pa = dc_pose_retract(s->pa, xi);
    pb = dc_pose_retract(s->pb, xi + 6);
    for (i = 0; i < 3 + 7*s->m.count; ++i) f[i] = (double)NAN;
    if (manifold(&s->o, &s->a, &pa, &s->b, &pb, &m) != DC_OK || m.count != s->m.count || m.reference != s->m.reference || m.face_a != s->m.face_a
        || m.face_b != s->m.face_b || m.distance.na != s->m.distance.na || m.distance.nb != s->m.distance.nb) { s->bad++; return; }
    /* n is normal to these */
    if (m.reference == 3 && (!same_points(m.distance.na, m.distance.ia, s->m.distance.ia) || !same_points(m.distance.nb, m.distance.ib, s->m.distance.ib))) {
        s->bad++;
        return;
    }
    f[0] = (double)m.n.x; f[1] = (double)m.n.y; f[2] = (double)m.n.z;
    for (i = 0; i < s->m.count; ++i) {
        for (j = 0; j < m.count && m.point[j].id != s->m.point[i].id; ++j) continue;
        if (j == m.count) { s->bad++; return; }
        f[k++] = (double)m.point[j].pa.x; f[k++] = (double)m.point[j].pa.y; f[k++] = (double)m.point[j].pa.z;
        f[k++] = (double)m.point[j].pb.x; f[k++] = (double)m.point[j].pb.y; f[k++] = (double)m.point[j].pb.z;
        f[k++] = (double)m.point[j].gap;
    }
}

static dc_status jacobian(const scene *s, double *J)
{
    int i, j, k;
    for (j = 0; j < 12; ++j) {
        dc_real xi[12] = {0}, dgap[8];
        dc_v3 dn, dpa[8], dpb[8];
        dc_status status;
        xi[j] = 1;
        status = dc_hull_manifold_jvp(&s->a, &s->pa, &s->b, &s->pb, &s->m, xi, &dn, dpa, dpb, dgap);
        if (status != DC_OK) return status;
        J[j] = (double)dn.x; J[12 + j] = (double)dn.y; J[24 + j] = (double)dn.z;
        for (i = 0, k = 3; i < s->m.count; ++i) {
            J[12*k++ + j] = (double)dpa[i].x; J[12*k++ + j] = (double)dpa[i].y; J[12*k++ + j] = (double)dpa[i].z;
            J[12*k++ + j] = (double)dpb[i].x; J[12*k++ + j] = (double)dpb[i].y; J[12*k++ + j] = (double)dpb[i].z;
            J[12*k++ + j] = (double)dgap[i];
        }
    }
    return DC_OK;
}

/* hulls, capsules and polygons, apart and overlapping; 0: not a scene with derivatives */
static int random_scene(rng *r, scene *s, long k)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_distance d = DC_ZERO;
    double u[3], gap = k & 1 ? rng_uniform(r, 0.01, 0.1) : -rng_uniform(r, 0.01, 0.1);
    int i;
    memset(s, 0, sizeof *s);
    kept = dc_arena_make(memory, sizeof memory);
    s->o.margin = DC_R(0.15);
    s->pa = s->pb = at(0, 0, 0);
    if (k%5 == 4) {
        /* capsules, nearly parallel or not, and a capsule over a box */
        for (i = 0; i < 4; ++i) points[i/2][i%2] = vec(i & 1 ? 0.5 : -0.5, 0.05*i, 0.1);
        s->a = make(0, 2, 0.1);
        s->b = k%2 ? make(1, 2, 0.2) : box(1, 1, 1, 0.3, 0.02);
        s->pa = turned(at(0.1, 0.05, k%2 ? 0.31 : 0.45), 0, k%2 ? 0.01 : 0.05, k%3 ? 0.03 : 1);
    } else if (k%5 == 3) {
        for (i = 0; i < 10; ++i) points[i/5][i%5] = vec(cos(6.283185307179586*i/5), sin(6.283185307179586*i/5) + 0.1*(i%5 == 2), 0);
        s->a = make(0, 5, 0.05);
        s->b = make(1, 5, 0);
        s->o.planar = 1;
        s->pa = turned(at(1.6 + gap, rng_uniform(r, -0.3, 0.3), 0), 0, 0, rng_uniform(r, -3, 3));
        s->pb = turned(s->pb, 0, 0, rng_uniform(r, -3, 3));
    } else {
        s->a = random_hull(r, 0);
        s->b = random_hull(r, 1);
        s->pa.q = random_quat(r);
        s->pb.q = random_quat(r);
        if (k%5 == 2) s->pa.q = s->pb.q;
        rng_unit3(r, u);
        s->pa.t = vec(3*u[0], 3*u[1], 3*u[2]);
        if (dc_hull_distance(&s->a.hull, &s->pa, &s->b.hull, &s->pb, &mem, &d) != DC_OK) return 0;
        s->pa.t = dc_madd(s->pa.t, DC_R(gap) - d.gap, d.n);
    }
    return manifold(&s->o, &s->a, &s->pa, &s->b, &s->pb, &s->m) == DC_OK && s->m.count > 0;
}

TEST derivatives_against_differences(void)
{
    static double J[59*12], probe[59];
    static scene s;
    rng r;
    long k, n = sweep_count(1500), used = 0, kinds[4] = {0}, refs[4] = {0}, singular = 0, between = 0;
    worst err = worst_make("jvp against differences"), order = worst_make("2 - order of the error");
    worst back = worst_make("vjp against jvp"), vertex = worst_make("vjp by vertices against differences");
    const double h0 = 1.0/512;
    rng_seed(&r, 8);
    for (k = 0; k < n; ++k) {
        double x[12] = {0}, size = 0;
        fd_result f;
        int i, j, c;
        if (!random_scene(&r, &s, k)) continue;
        /* features stay within the differences' reach */
        s.bad = 0;
        for (j = 0; j < 24 && !s.bad; ++j) {
            memset(x, 0, sizeof x);
            x[j/2] = j & 1 ? 2*h0 : -2*h0;
            if (s.o.planar && (j/2%6 == 2 || j/2%6 == 3 || j/2%6 == 4)) continue;
            patch_of_twists(x, probe, &s);
        }
        memset(x, 0, sizeof x);
        if (s.bad) continue;
        {
            dc_status status = jacobian(&s, J);
            if (status == DC_E_SINGULAR) { singular++; continue; }
            ASSERT_EQ(DC_OK, status);
        }
        used++;
        refs[s.m.reference]++;
        for (i = 0; i < s.m.count; ++i) kinds[s.m.point[i].kind]++;
        if (!s.o.planar && !DC_IS_FLOAT) {
            f = fd_check(patch_of_twists, &s, 12, x, 3 + 7*s.m.count, J, h0);
            if (s.bad) { between++; continue; }         /* a feature came and went in between */
            worst_add(&err, f.err, "%ld gap %g count %d reference %d features %d %d kind %d", k, (double)s.m.gap, s.m.count, s.m.reference, s.m.distance.na, s.m.distance.nb, s.m.point[0].kind);
            worst_add(&order, 2 - f.order, "%ld", k);
        } else {
            /* in the plane by the six twists within it; in float coarsely */
            for (j = 0; j < 12; ++j) {
                double up[59], down[59], h = DC_IS_FLOAT ? h0 : 1e-6;
                if (s.o.planar && (j%6 == 2 || j%6 == 3 || j%6 == 4)) continue;
                x[j] = h;
                patch_of_twists(x, up, &s);
                x[j] = -h;
                patch_of_twists(x, down, &s);
                x[j] = 0;
                for (i = 0; i < 3 + 7*s.m.count; ++i)
                    worst_add(&err, fabs((up[i] - down[i])/(2*h) - J[12*i + j])/(1 + fabs(J[12*i + j]))*(DC_IS_FLOAT ? 1e-7 : 1), "%ld planar %d entry %d by %d", k, s.o.planar, i, j);
            }
        }
        {
            /* the transpose */
            dc_v3 by_n = vec(0.3, -0.2, 0.5), by_pa[8], by_pb[8];
            dc_real by_gap[8], grad[12], ga[90], gb[90];
            for (i = 0; i < 8; ++i) {
                by_pa[i] = vec(rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1));
                by_pb[i] = vec(rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1));
                by_gap[i] = DC_R(rng_uniform(&r, -1, 1));
            }
            ASSERT_EQ(DC_OK, dc_hull_manifold_vjp(&s.a, &s.pa, &s.b, &s.pb, &s.m, &by_n, by_pa, by_pb, by_gap, grad, ga, gb));
            for (j = 0; j < 12; ++j) {
                double sum = 0.3*J[j] - 0.2*J[12 + j] + 0.5*J[24 + j];
                for (i = 0; i < s.m.count; ++i) {
                    const double *R = J + 12*(3 + 7*i) + j;
                    sum += (double)by_pa[i].x*R[0] + (double)by_pa[i].y*R[12] + (double)by_pa[i].z*R[24] + (double)by_pb[i].x*R[36]
                         + (double)by_pb[i].y*R[48] + (double)by_pb[i].z*R[60] + (double)by_gap[i]*R[72];
                }
                size = fmax(size, fabs(sum));
                worst_add(&back, fabs(sum - (double)grad[j])/(1 + size), "%ld by %d", k, j);
            }
            /* a shift of all vertices of a is a shift of a */
            for (c = 0; c < 3; ++c) {
                dc_v3 sum = dc_vec(0, 0, 0);
                for (i = 0; i < s.a.hull.n; ++i) sum = dc_add(sum, dc_vec(ga[3*i], ga[3*i + 1], ga[3*i + 2]));
                sum = dc_quat_rotate(s.pa.q, sum);
                worst_add(&vertex, length(dc_sub(sum, dc_vec(grad[0], grad[1], grad[2])))/(1 + size), "%ld shift", k);
            }
            /* so is a turn of all vertices of b about its origin a turn of b */
            {
                dc_v3 sum = dc_vec(0, 0, 0);
                for (i = 0; i < s.b.hull.n; ++i)
                    sum = dc_add(sum, dc_cross(dc_quat_rotate(s.pb.q, s.b.hull.v[i]), dc_quat_rotate(s.pb.q, dc_vec(gb[3*i], gb[3*i + 1], gb[3*i + 2]))));
                worst_add(&vertex, length(dc_sub(sum, dc_vec(grad[9], grad[10], grad[11])))/(1 + size), "%ld turn", k);
            }
        }
    }
    printf("  %ld scenes, %ld singular; references %ld %ld %ld; kinds %ld %ld %ld %ld\n", used, singular, refs[1], refs[2], refs[3], kinds[0], kinds[1], kinds[2], kinds[3]);
    ASSERT(n < 1000 || (used > n/5 && between < n/100));
    {
        int ok = 1;
        if (!DC_IS_FLOAT) ok = worst_print(&err, 1e-6) & worst_print(&order, 0.5);      /* differences need double */
        ok &= worst_print(&back, DC_IS_FLOAT ? 1e-4 : 1e-11);
        ok &= worst_print(&vertex, DC_IS_FLOAT ? 1e-3 : 1e-9);
        ASSERT(ok);
    }
    PASS();
}

/* ---- published cases ---- */

/* every expected (x, y) is that of one point, half-way between the surfaces at height z and `gap` deep, n upward from b to a */
static const char *unlike(const dc_hull_patch *m, int count, const double (*expected)[2], double z, double gap)
{
    const double tol = DC_IS_FLOAT ? 1e-6 : 1e-12;
    int i, k, found;
    if (m->count != count) return "count";
    if (length(dc_sub(m->n, vec(0, 0, 1))) > tol) return "n";
    for (i = 0; i < count; ++i) {
        for (k = found = 0; k < count; ++k) {
            dc_v3 middle = dc_scale(DC_R(0.5), dc_add(m->point[k].pa, m->point[k].pb));
            if (length(dc_sub(middle, vec(expected[i][0], expected[i][1], z))) > tol) continue;
            if (fabs((double)m->point[k].gap - gap) > tol) return "gap";
            ++found;
        }
        if (found != 1) return "place";
    }
    return NULL;
}

#define ASSERT_LIKE(...) do { const char *unlike_ = unlike(__VA_ARGS__); if (unlike_) printf("  %s, %d points\n", unlike_, m.count); ASSERT(!unlike_); } while (0)
#define ON_GROUND(body, pose) do { dc_pose pose_ = pose; memset(&m, 0, sizeof m); ASSERT_EQ(DC_OK, manifold(&o, &body, &pose_, &ground, &level, &m)); } while (0)

/* coal's tests of contact patches, all 1 mm deep: a box on a box, and on a half-space, which is a large box here, a box, a capsule
 * on its end and lying, a cylinder and a cone, both of 32 sides, standing, lying and on the tip */
TEST published_patches(void)
{
    static const double corners[4][2] = {{0.5, 0.5}, {0.5, -0.5}, {-0.5, -0.5}, {-0.5, 0.5}}, middle[1][2] = {{0, 0}};
    static const double ends[2][2] = {{0.5, 0}, {-0.5, 0}};
    const double half_turn = 3.14159265358979323846, deep = 0.001;
    const dc_pose level = at(0, 0, -5);
    dc_hull_manifold_options o = DC_ZERO;
    dc_hull_topology a, ground;
    dc_hull_patch m;
    dc_pose p, q = at(0, 0, 0);
    int i, cone;
    kept = dc_arena_make(memory, sizeof memory);
    ground = box(0, 5, 5, 5, 0);
    a = box(1, 0.5, 0.5, 0.5, 0);
    ON_GROUND(a, at(0, 0, 0.5 - deep));
    ASSERT_LIKE(&m, 4, corners, -deep/2, -deep);
    p = at(0, 0, 1 - deep);
    memset(&m, 0, sizeof m);
    ASSERT_EQ(DC_OK, manifold(&o, &a, &p, &a, &q, &m));
    ASSERT_LIKE(&m, 4, corners, 0.5 - deep/2, -deep);

    /* standing either way up, and lying */
    points[1][0] = vec(0, 0, 0.5);
    points[1][1] = vec(0, 0, -0.5);
    a = make(1, 2, 0.25);
    ON_GROUND(a, at(0, 0, 0.75 - deep));
    ASSERT_LIKE(&m, 1, middle, -deep/2, -deep);
    ON_GROUND(a, turned(at(0, 0, 0.75 - deep), 0, half_turn, 0));
    ASSERT_LIKE(&m, 1, middle, -deep/2, -deep);
    ON_GROUND(a, turned(at(0, 0, 0.25 - deep), 0, half_turn/2, 0));
    ASSERT_LIKE(&m, 2, ends, -deep/2, -deep);

    for (cone = 0; cone < 2; ++cone) {
        for (i = 0; i < 32; ++i) {
            const double c = 0.25*cos(half_turn*i/16), s = 0.25*sin(half_turn*i/16);
            points[1][i] = vec(c, s, -0.5);
            points[1][32 + i] = vec(c, s, 0.5);
        }
        if (cone) points[1][32] = vec(0, 0, 0.5);
        a = make(1, cone ? 33 : 64, 0);

        /* on its circle: eight of the 32 corners, or the four that span the most */
        for (o.capacity = 4; o.capacity <= 8; o.capacity += 4) {
            double area = 0, x[8], y[8], angle[8];
            int k, j;
            ON_GROUND(a, at(0, 0, 0.5 - deep));
            ASSERT_EQ(o.capacity, m.count);
            for (k = 0; k < m.count; ++k) {
                x[k] = (double)m.point[k].pa.x;
                y[k] = (double)m.point[k].pa.y;
                angle[k] = atan2(y[k], x[k]);
                ASSERT(fabs(hypot(x[k], y[k]) - 0.25) < (DC_IS_FLOAT ? 1e-6 : 1e-12));
                ASSERT(fabs((double)m.point[k].gap + deep) < (DC_IS_FLOAT ? 1e-6 : 1e-12));
            }
            for (k = 0; k < m.count; ++k) {             /* with the next around */
                int next = -1;
                double least = 1e300;
                for (j = 0; j < m.count; ++j) {
                    const double by = fmod(angle[j] - angle[k] + 4*half_turn, 2*half_turn);
                    if (j != k && by < least) { least = by; next = j; }
                }
                area += 0.5*(x[k]*y[next] - y[k]*x[next]);
            }
            printf("  %s on its circle, %d points: %.3f of its area\n", cone ? "cone" : "cylinder", m.count, area/(16*0.0625*sin(half_turn/16)));
            ASSERT(area > 0.6*16*0.0625*sin(half_turn/16));
        }
        o.capacity = 0;
        if (cone) {
            ON_GROUND(a, turned(at(0, 0, 0.5 - deep), 0, half_turn, 0));
            ASSERT_LIKE(&m, 1, middle, -deep/2, -deep);
        } else {
            ON_GROUND(a, turned(at(0, 0, 0.25 - deep), 0, half_turn/2, 0));
            ASSERT_LIKE(&m, 2, ends, -deep/2, -deep);
        }
    }
    PASS();
}

/* MuJoCo's: boxes of half side 1 that are 0.5 deep, and a sphere pressed through the face of a box by up to four radii */
TEST published_depths(void)
{
    static const double corners[4][2] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}, middle[1][2] = {{0, 0}};
    static const double height[6] = {-0.015, -0.00501, -0.005, -0.00499, 0, 0.004};
    dc_hull_topology a, b;
    dc_hull_patch m = DC_ZERO;
    dc_pose p = at(0, 0, 1.5), q = at(0, 0, 0);
    int k;
    kept = dc_arena_make(memory, sizeof memory);
    a = box(0, 1, 1, 1, 0);
    ASSERT_EQ(DC_OK, manifold(NULL, &a, &p, &a, &q, &m));
    ASSERT_LIKE(&m, 4, corners, 0.75, -0.5);
    b = box(0, 0.05, 0.05, 0.025, 0);
    points[1][0] = vec(0, 0, 0);
    a = make(1, 1, 0.005);
    q = at(0, 0, -0.025);
    for (k = 0; k < 6; ++k) {
        p = at(0, 0, height[k]);
        memset(&m, 0, sizeof m);
        ASSERT_EQ(DC_OK, manifold(NULL, &a, &p, &b, &q, &m));
        ASSERT_LIKE(&m, 1, middle, (height[k] - 0.005)/2, height[k] - 0.005);
    }
    PASS();
}

/* ---- contract ---- */

TEST bad_input_leaves_the_patch_alone(void)
{
    const double bad[2] = {(double)NAN, -1};
    dc_hull_manifold_options o = DC_ZERO;
    dc_hull_topology a, b, none;
    dc_hull_patch m, keep;
    dc_pose p = at(0, 0, 0.5), q = p;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    size_t need;
    int k;
    kept = dc_arena_make(memory, sizeof memory);
    a = box(0, 0.5, 0.4, 0.3, 0);
    b = box(1, 0.5, 0.4, 0.3, 0);
    memset(&none, 0, sizeof none);
    memset(&keep, 0, sizeof keep);
    keep.count = 3;
    keep.face_a = 77;
    keep.reference = 1;
    m = keep;
    ASSERT_EQ(DC_E_ARG, dc_hull_manifold(NULL, NULL, &p, &b, NULL, &mem, &m));
    ASSERT_EQ(DC_E_ARG, dc_hull_manifold(NULL, &a, &p, NULL, NULL, &mem, &m));
    ASSERT_EQ(DC_E_ARG, dc_hull_manifold(NULL, &a, &p, &none, NULL, &mem, &m));
    ASSERT_EQ(DC_E_ARG, dc_hull_manifold(NULL, &a, &p, &b, NULL, NULL, &m));
    ASSERT_EQ(DC_E_ARG, dc_hull_manifold(NULL, &a, &p, &b, NULL, &mem, NULL));
    q.q.w = 2;
    ASSERT_EQ(DC_E_ARG, dc_hull_manifold(NULL, &a, &q, &b, NULL, &mem, &m));
    for (k = 0; k < 2; ++k) {
        o.margin = DC_R(bad[k]);
        ASSERT_EQ(DC_E_ARG, dc_hull_manifold(&o, &a, &p, &b, NULL, &mem, &m));
        o.margin = 0;
        o.share = DC_R(bad[k]);
        ASSERT_EQ(DC_E_ARG, dc_hull_manifold(&o, &a, &p, &b, NULL, &mem, &m));
        o.share = 0;
        o.capacity = k ? -1 : 9;
        ASSERT_EQ(DC_E_ARG, dc_hull_manifold(&o, &a, &p, &b, NULL, &mem, &m));
        o.capacity = 0;
    }
    o.planar = 1;
    ASSERT_EQ(DC_E_ARG, dc_hull_manifold(&o, &a, &p, &b, NULL, &mem, &m));
    need = dc_hull_manifold_bytes(8, 8);
    ASSERT(need > 0);
    ASSERT_EQ(0, (int)dc_hull_manifold_bytes(0, 8));
    mem = dc_arena_make(scratch, 1000);
    ASSERT_EQ(DC_E_MEMORY, dc_hull_manifold(NULL, &a, &p, &b, NULL, &mem, &m));
    ASSERT_EQ(0, memcmp(&m, &keep, sizeof m));
    /* any patch before is safe */
    mem = dc_arena_make(scratch, need);
    ASSERT_EQ(DC_OK, dc_hull_manifold(NULL, &a, &p, &b, NULL, &mem, &m));
    ASSERT_EQ(0, (int)mem.used);
    for (k = 0; k < 256; ++k) {
        memset(&m, k, sizeof m);
        m.n = vec(0, 0, 1);
        ASSERT_EQ(DC_OK, dc_hull_manifold(NULL, &a, &p, &b, NULL, &mem, &m));
        q = at(0, 0, 0);
        ASSERT_SOUND(flaw(&a, &p, &b, &q, NULL, &m, 3));
    }
    /* identical, and nothing else to tell them apart */
    memset(&m, 0, sizeof m);
    ASSERT_EQ(DC_OK, dc_hull_manifold(NULL, &a, NULL, &a, NULL, &mem, &m));
    ASSERT(m.count > 0 && (double)m.gap < -0.5);
    PASS();
}

SUITE(suite)
{
    RUN_TEST(overlapping_boxes_give_the_four_corners);
    RUN_TEST(faces_of_boxes_share_the_overlap_of_their_rectangles);
    RUN_TEST(boxes_over_all_fifteen_axes);
    RUN_TEST(cuboids_agree_with_the_distance);
    RUN_TEST(random_hulls_apart_touching_and_deep);
    RUN_TEST(gaps_are_continuous_along_sweeps);
    RUN_TEST(the_reference_stays);
    RUN_TEST(rounding_does_not_choose_the_points);
    RUN_TEST(the_unit_does_not_choose_the_points);
    RUN_TEST(round_shapes_against_closed_forms);
    RUN_TEST(polygons_in_the_plane);
    RUN_TEST(published_patches);
    RUN_TEST(published_depths);
    RUN_TEST(derivatives_against_differences);
    RUN_TEST(bad_input_leaves_the_patch_alone);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(suite);
    GREATEST_MAIN_END();
}
