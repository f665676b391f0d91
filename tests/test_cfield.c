/* Exact and sampled configuration-space fields: the tables, derivatives, levers, walls, the search for the disc. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "record.h"
#include "grain.h"

static record rec;
static unsigned char memory[1 << 18], scratch[1 << 17];

static dc_cshape shape_of(dc_poly p)
{
    dc_cshape s = DC_ZERO;
    s.poly = p;
    return s;
}

static dc_cshape wall_of(dc_cshape_kind kind, double radius)
{
    dc_cshape s = DC_ZERO;
    s.kind = kind;
    s.radius = (dc_real)radius;
    return s;
}

/* the exact field of two grains of the tables */
static dc_status pair_field(const char *a, const char *b, dc_arena *mem, dc_cfield *f)
{
    grain ga, gb;
    dc_cshape A = shape_of(grain_named(&ga, a));
    dc_poly B = grain_named(&gb, b);
    return dc_cfield_exact(NULL, &A, &B, mem, f);
}

typedef struct { dc_real d, grad[3], lever; dc_status status; } answer;

static answer ask(const dc_cfield *f, const dc_real q[3])
{
    answer r;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    memset(&r, 0, sizeof r);
    r.status = dc_cfield_eval(f, q, &mem, &r.d, r.grad, &r.lever, NULL, NULL);
    if (mem.used != 0) r.status = DC_E_MEMORY;
    return r;
}

static double value(const dc_cfield *f, double theta, double x, double y)
{
    dc_real q[3], d = (dc_real)NAN;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    q[0] = (dc_real)theta;
    q[1] = (dc_real)x;
    q[2] = (dc_real)y;
    if (dc_cfield_eval(f, q, &mem, &d, NULL, NULL, NULL, NULL) != DC_OK) return (double)NAN;
    return (double)d;
}

static void random_pose(rng *r, double reach, dc_real q[3])
{
    double a = rng_uniform(r, 0, 6.283185307179586), t;
    t = reach*sqrt(rng_uniform(r, 0, 1));
    q[0] = (dc_real)rng_uniform(r, -3.2, 3.2);
    q[1] = (dc_real)(t*cos(a));
    q[2] = (dc_real)(t*sin(a));
}

/* two shapes; one draw a statement, whose order compilers may choose otherwise */
static dc_status random_field(rng *r, dc_arena *mem, dc_cfield *f)
{
    int a = rng_int(r, 0, GRAINS - 1), b;
    b = rng_int(r, 0, GRAINS - 1);
    return pair_field(grain_names[a], grain_names[b], mem, f);
}

/* ---- the table of pairs ------------------------------------------------------------------------------ */

TEST pairs_of_the_table(void)
{
    table t;
    worst apart = worst_make("distance of shapes apart"), over = worst_make("overlap above the table's"), under = worst_make("overlap below the table's");
    worst normal = worst_make("direction"), lever = worst_make("lever");
    long n = 0, hits = 0, points = 0;
    ASSERT(table_open(&t, "grain_pair.txt"));
    for (; record_next(&t, &rec); ++n) {
        const double *q = record_get(&rec, "q", NULL), *pa = record_get(&rec, "pa", NULL), *pb = record_get(&rec, "pb", NULL);
        double d_sum = record_one(&rec, "d_sum"), d_exact = record_one(&rec, "d_exact");
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_cfield f;
        dc_real p[3];
        answer r;
        int k;
        for (k = 0; k < 3; ++k) p[k] = (dc_real)q[k];
        ASSERT_EQ(DC_OK, pair_field(rec.item[0].word, rec.item[1].word, &mem, &f));
        r = ask(&f, p);
        ASSERT_EQ(DC_OK, r.status);
        if (record_one(&rec, "hit") > 0) {
            ++hits;
            /* the table's minimiser is within 4e-6 above the minimum */
            worst_add(&over, (double)r.d - d_sum, "%s", rec.name);
            worst_add(&under, d_sum - (double)r.d, "%s", rec.name);
            ASSERT((double)r.d >= d_exact - rounded(4e-6, 1e-5));       /* never deeper than the depth of penetration */
            continue;
        }
        worst_add(&apart, fabs((double)r.d - d_sum), "%s", rec.name);
        if (pa && pb) {
            double nx = (pb[0] - pa[0])/d_sum, ny = (pb[1] - pa[1])/d_sum, mx = 0.5*(pa[0] + pb[0] - q[1]), my = 0.5*(pa[1] + pb[1] - q[2]);
            ++points;
            worst_add(&normal, hypot((double)r.grad[1] - nx, (double)r.grad[2] - ny)*d_sum, "%s", rec.name);
            worst_add(&lever, fabs((double)r.lever - (mx*nx + my*ny))*d_sum, "%s", rec.name);
        }
    }
    table_close(&t);
    ASSERT_EQ(110, n);
    ASSERT(hits >= 30 && points >= 20);
    ASSERT(worst_print(&apart, rounded(1e-14, 1e-6)) & worst_print(&over, rounded(1e-9, 4e-6)) & worst_print(&under, 4e-6));
    ASSERT(worst_print(&normal, rounded(1e-14, 1e-6)) & worst_print(&lever, rounded(1e-13, 1e-5)));
    PASS();
}

TEST sampled_pairs_of_the_table(void)
{
    table t;
    worst e = worst_make("least E");
    long n = 0, every = (long)(1/(double)DC_TEST_SWEEP), unique = 0;
    ASSERT(table_open(&t, "grain_pair.txt"));
    for (; record_next(&t, &rec); ++n) {
        const double *q = record_get(&rec, "q", NULL), *want = record_get(&rec, "grid", NULL);
        dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = dc_arena_make(scratch, sizeof scratch);
        grain ga, gb;
        dc_cshape A = shape_of(grain_named(&ga, rec.item[0].word));
        dc_poly B = grain_named(&gb, rec.item[1].word);
        dc_cfield f;
        dci_pair_work *w;
        dci_contact c;
        dc_real p[3], d, least;
        int k;
        if (n%(5*(every > 1 ? every : 1)) != 0) continue;
        for (k = 0; k < 3; ++k) p[k] = (dc_real)q[k];
        ASSERT_EQ(DC_OK, dc_cfield_sampled(NULL, &A, &B, &mem, &f));
        w = dci_pair_work_take(&f, &tmp);
        ASSERT(w != NULL);
        dci_pair_pose(&f, w, p[0], p[1], p[2]);
        least = dci_sampled_least(&f, w, p, &c);
        worst_add(&e, fabs(2*(double)least - want[1]), "%s", rec.name);
        tmp = dc_arena_make(scratch, sizeof scratch);
        ASSERT_EQ(DC_OK, dc_cfield_eval(&f, p, &tmp, &d, NULL, NULL, NULL, NULL));
        /* of several points with the least E any will do: they differ in the sum, up to E itself */
        ASSERT((double)d <= 2*(double)least + 1e-6);
        unique += fabs((double)d - want[0]) < rounded(1e-9, 1e-5);
    }
    table_close(&t);
    printf("%ld of %ld have the table's phi_a + phi_b\n", unique, e.count);
    ASSERT(worst_print(&e, rounded(1e-14, 2e-6)));
    ASSERT(4*unique >= 3*e.count);
    PASS();
}

/* ---- derivatives ---------------------------------------------------------------------------------------- */

/* Shapes apart: (grad_x, grad_y) is the derivative of d, unit, but where the closest features change. */
TEST gradient_of_shapes_apart(void)
{
    worst w = worst_make("direction against differences"), unit = worst_make("its length");
    rng r;
    long i, n = sweep_count(1500), kinks = 0, tested = 0;
    double h = rounded(1e-5, 4e-3);
    rng_seed(&r, 17);
    for (i = 0; i < n; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_cfield f;
        dc_real q[3];
        answer a;
        double up[2], down[2], bend[2], mid;
        int k, kink = 0;
        ASSERT_EQ(DC_OK, random_field(&r, &mem, &f));
        random_pose(&r, 2.4, q);
        a = ask(&f, q);
        ASSERT_EQ(DC_OK, a.status);
        if ((double)a.d < 20*h) continue;
        mid = (double)a.d;
        for (k = 0; k < 2; ++k) {
            up[k] = value(&f, (double)q[0], (double)q[1] + (k == 0)*h, (double)q[2] + (k == 1)*h);
            down[k] = value(&f, (double)q[0], (double)q[1] - (k == 0)*h, (double)q[2] - (k == 1)*h);
            /* the slope jumps between the two sides */
            bend[k] = fabs(up[k] + down[k] - 2*mid);
            if (bend[k] > h*h/mid*2 + 8*EPS) kink = 1;
        }
        kinks += kink;
        if (kink) continue;
        ++tested;
        worst_add(&unit, fabs(hypot((double)a.grad[1], (double)a.grad[2]) - 1), "pose %ld", i);
        /* float's steps are so long that what bends within them counts */
        for (k = 0; k < 2; ++k)
            worst_add(&w, fabs((up[k] - down[k])/(2*h) - (double)a.grad[1 + k]) - rounded(0, bend[k]/h + h*h/(mid*mid)), "pose %ld, d %g", i, mid);
    }
    printf("%ld poses, %ld at kinks\n", tested, kinks);
    ASSERT(2*tested >= n/4 && kinks*10 <= n + 10);
    ASSERT(worst_print(&w, rounded(1e-7, 2e-3)) & worst_print(&unit, 8*EPS));
    PASS();
}

/* The gradient is by definition made of differences of d, where polygons overlap in all three coordinates. */
TEST gradient_is_what_it_is_defined_as(void)
{
    rng r;
    long i, n = sweep_count(300), overlaps = 0;
    rng_seed(&r, 19);
    for (i = 0; i < n; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_cfield f;
        dc_real q[3];
        answer a;
        int k;
        ASSERT_EQ(DC_OK, random_field(&r, &mem, &f));
        random_pose(&r, 1.9, q);
        a = ask(&f, q);
        ASSERT_EQ(DC_OK, a.status);
        overlaps += a.d < 0;
        for (k = 0; k < 3; ++k) {
            dc_real h = k == 0 ? f.h : f.hx, up[3], down[3], want;
            answer u, v;
            if (k > 0 && !(a.d < 0)) continue;
            memcpy(up, q, sizeof q);
            memcpy(down, q, sizeof q);
            up[k] = q[k] + h;
            down[k] = q[k] - h;
            u = ask(&f, up);
            v = ask(&f, down);
            want = (u.d - v.d)/(2*h);
            ASSERT(fabs((double)(want - a.grad[k])) <= 1e-15*fabs((double)want));
        }
    }
    ASSERT(3*overlaps >= n);
    PASS();
}

/* A corner with half angle b that enters a face by s: d = -2 s sin b/(1 + sin b) (notes on (6)), slope so many times n; two faces: -s. */
TEST overlap_of_corners_and_faces(void)
{
    worst w = worst_make("overlap"), slope = worst_make("slope");
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_cfield f;
    dc_real q[3];
    double s, ratio = 2*sqrt(0.5)/(1 + sqrt(0.5)), root = sqrt(0.5);
    answer a;
    int turned;
    ASSERT_EQ(DC_OK, pair_field("square", "square", &mem, &f));
    for (s = rounded(1e-8, 1e-3); s < 0.05; s *= 1.7)
        for (turned = 0; turned < 2; ++turned) {
            double reach = turned ? 1.0 + root - s : 2*root - s, want = turned ? ratio*s : s;
            q[0] = turned ? (dc_real)0.78539816339744831 : DC_R(0);
            q[1] = 0;
            q[2] = (dc_real)reach;
            a = ask(&f, q);
            ASSERT_EQ(DC_OK, a.status);
            worst_add(&w, fabs((double)a.d + want), "turned %d, by %g", turned, s);
            if (s < 2*(double)f.hx) continue;
            worst_add(&slope, fabs((double)a.grad[2] - want/s) + fabs((double)a.grad[1]) + fabs((double)a.grad[0]), "turned %d, by %g", turned, s);
            /* the contact is on the upper face of a, at y = root: half a side from the middle */
            ASSERT(fabs((double)a.lever - (root - 0.5*s*(turned ? ratio : 1) - 0.5*reach)) <= rounded(1e-6, 1e-2));
        }
    ASSERT(worst_print(&w, rounded(2e-10, 2e-5)) & worst_print(&slope, rounded(1e-6, 3e-2)));
    PASS();
}

/* ---- symmetries ------------------------------------------------------------------------------------------ */

TEST the_swapped_pair(void)
{
    worst d = worst_make("distance"), n = worst_make("direction"), lever = worst_make("lever");
    rng r;
    long i, count = sweep_count(600);
    rng_seed(&r, 23);
    for (i = 0; i < count; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_cfield f, g;
        dc_real q[3], p[3], s, c;
        const char *a = grain_names[rng_int(&r, 0, GRAINS - 1)], *b;
        answer u, v;
        b = grain_names[rng_int(&r, 0, GRAINS - 1)];
        ASSERT_EQ(DC_OK, pair_field(a, b, &mem, &f));
        ASSERT_EQ(DC_OK, pair_field(b, a, &mem, &g));
        random_pose(&r, 2.2, q);
        dc_sincos(q[0], &s, &c);
        p[0] = -q[0];
        p[1] = -(c*q[1] + s*q[2]);
        p[2] = -(c*q[2] - s*q[1]);
        u = ask(&f, q);
        v = ask(&g, p);
        ASSERT(u.status == DC_OK && v.status == DC_OK);
        worst_add(&d, fabs((double)(u.d - v.d)), "%s %s pose %ld", a, b, i);
        if ((double)u.d < rounded(1e-6, 1e-2)) continue;
        /* n' = -R(-theta) n; two pairs of closest points at one distance make a difference */
        if (fabs((double)(v.grad[1] + c*u.grad[1] + s*u.grad[2])) + fabs((double)(v.grad[2] + c*u.grad[2] - s*u.grad[1])) > 1e-2) continue;
        worst_add(&n, hypot((double)(v.grad[1] + c*u.grad[1] + s*u.grad[2]), (double)(v.grad[2] + c*u.grad[2] - s*u.grad[1]))*(double)u.d, "%s %s pose %ld", a, b, i);
        worst_add(&lever, fabs((double)(u.lever + v.lever))*(double)u.d, "%s %s pose %ld", a, b, i);
    }
    ASSERT(n.count > count/8);
    ASSERT(worst_print(&d, rounded(1e-9, 1e-5)) & worst_print(&n, 16*EPS) & worst_print(&lever, 64*EPS));
    PASS();
}

/* d moves by no more than b does, through contact and deep inside */
TEST steps_of_d_are_bounded(void)
{
    rng r;
    worst w = worst_make("step of d less that of b");
    long i, n = sweep_count(60);
    rng_seed(&r, 29);
    for (i = 0; i < n; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_cfield f;
        dc_real q[3], to[3];
        double last = 0;
        int k, steps = 40;
        ASSERT_EQ(DC_OK, random_field(&r, &mem, &f));
        random_pose(&r, 2, q);
        random_pose(&r, 2, to);
        for (k = 0; k <= steps; ++k) {
            double u = (double)k/steps, now;
            now = value(&f, (double)q[0] + u*(double)(to[0] - q[0]), (double)q[1] + u*(double)(to[1] - q[1]), (double)q[2] + u*(double)(to[2] - q[2]));
            ASSERT(now > -2.1);
            if (k > 0) worst_add(&w, fabs(now - last) - (fabs((double)(to[0] - q[0])) + hypot((double)(to[1] - q[1]), (double)(to[2] - q[2])))/steps, "pair %ld step %d", i, k);
            last = now;
        }
    }
    ASSERT(worst_print(&w, rounded(1e-9, 1e-5)));
    PASS();
}

/* No point is deeper in both shapes than the disc's centre. */
TEST no_point_is_deeper(void)
{
    worst w = worst_make("d above a point's");
    rng r;
    long i, n = sweep_count(400), overlaps = 0;
    rng_seed(&r, 31);
    for (i = 0; i < n; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        const char *na = grain_names[rng_int(&r, 0, GRAINS - 1)], *nb;
        grain ga, gb;
        dc_poly A = grain_named(&ga, na), B;
        dc_cfield f;
        dc_real q[3], s, c;
        double d, best = 1;
        dc_v2 at = {0, 0};
        int k;
        nb = grain_names[rng_int(&r, 0, GRAINS - 1)];
        B = grain_named(&gb, nb);
        ASSERT_EQ(DC_OK, pair_field(na, nb, &mem, &f));
        random_pose(&r, 1.9, q);
        d = value(&f, (double)q[0], (double)q[1], (double)q[2]);
        if (!(d < 0)) continue;
        ++overlaps;
        dc_sincos(q[0], &s, &c);
        for (k = 0; k < 600; ++k) {
            /* anywhere at first, then about the best */
            double reach = k < 200 ? 1 : pow(0.97, k - 200);
            dc_v2 x, y;
            dc_poly_hit ha, hb;
            double m;
            x.x = (dc_real)((k < 200 ? 0 : (double)at.x) + reach*rng_uniform(&r, -1, 1));
            x.y = (dc_real)((k < 200 ? 0 : (double)at.y) + reach*rng_uniform(&r, -1, 1));
            y.x = c*(x.x - q[1]) + s*(x.y - q[2]);
            y.y = c*(x.y - q[2]) - s*(x.x - q[1]);
            ASSERT(dc_poly_distance(&A, x, &ha) == DC_OK && dc_poly_distance(&B, y, &hb) == DC_OK);
            m = 2*(double)dc_max(ha.d, hb.d);
            if (m < best) {
                best = m;
                at = x;
            }
            worst_add(&w, d - m, "%s %s pose %ld", na, nb, i);
        }
    }
    ASSERT(overlaps >= n/4);
    ASSERT(worst_print(&w, rounded(1e-9, 1e-5)));
    PASS();
}

/* ---- walls ------------------------------------------------------------------------------------------------ */

TEST walls_against_their_definition(void)
{
    worst plane = worst_make("half-plane"), hole = worst_make("hole"), disc = worst_make("disc against a polygon of 180 sides"), diff = worst_make("gradient against differences");
    rng r;
    long i, n = sweep_count(200) + 20;
    static dc_v2 round_[180];
    dc_poly circle;
    int k;
    for (k = 0; k < 180; ++k) {
        round_[k].x = (dc_real)(1.5*cos(6.283185307179586*k/180));
        round_[k].y = (dc_real)(1.5*sin(6.283185307179586*k/180));
    }
    circle.v = round_;
    circle.n = 180;
    rng_seed(&r, 37);
    for (i = 0; i < n; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        grain g;
        dc_poly b = grain_named(&g, grain_names[rng_int(&r, 0, GRAINS - 1)]);
        dc_cshape P = wall_of(DC_CSHAPE_HALFPLANE, 0), H = wall_of(DC_CSHAPE_HOLE, 3), D = wall_of(DC_CSHAPE_DISC, 1.5), C = shape_of(circle);
        dc_cfield f[4];
        dc_real q[3], s, c;
        double low = HUGE_VAL, far = 0, h = rounded(1e-5, 4e-3);
        answer a[4];
        random_pose(&r, 2.2, q);
        q[2] += DC_R(0.8);
        dc_sincos(q[0], &s, &c);
        for (k = 0; k < b.n; ++k) {
            double x = (double)(c*b.v[k].x - s*b.v[k].y + q[1]), y = (double)(s*b.v[k].x + c*b.v[k].y + q[2]);
            low = fmin(low, y);
            far = fmax(far, hypot(x, y));
        }
        ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &P, &b, &mem, &f[0]));
        ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &H, &b, &mem, &f[1]));
        ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &D, &b, &mem, &f[2]));
        for (k = 0; k < 3; ++k) {
            dc_real t[2], bend = 0;
            int axis;
            a[k] = ask(&f[k], q);
            ASSERT_EQ(DC_OK, a[k].status);
            ASSERT(fabs(hypot((double)a[k].grad[1], (double)a[k].grad[2]) - 1) <= 8*EPS);
            for (axis = 0; axis < 2; ++axis) {
                double up = value(&f[k], (double)q[0], (double)q[1] + (axis == 0)*h, (double)q[2] + (axis == 1)*h);
                double down = value(&f[k], (double)q[0], (double)q[1] - (axis == 0)*h, (double)q[2] - (axis == 1)*h);
                t[axis] = (dc_real)((up - down)/(2*h));
                bend = dc_max(bend, (dc_real)(fabs(up + down - 2*(double)a[k].d)/h));
            }
            if ((double)bend < rounded(1e-3, 5e-2)) worst_add(&diff, hypot((double)(t[0] - a[k].grad[1]), (double)(t[1] - a[k].grad[2])), "wall %d pose %ld", k, i);
        }
        worst_add(&plane, fabs((double)a[0].d - low), "pose %ld", i);
        worst_add(&hole, fabs((double)a[1].d - (3 - far)), "pose %ld", i);
        /* levers: the point is half-way between the outlines, the direction that of the gradient */
        ASSERT(fabs((double)a[0].lever - 0.5*(low - (double)q[2])) <= 16*EPS);
        ASSERT(fabs((double)a[1].lever + 0.5*(far + 3) + 0.5*(double)(q[1]*a[1].grad[1] + q[2]*a[1].grad[2])) <= 32*EPS);
        ASSERT(fabs((double)a[2].lever - (1.5 + 0.5*(double)a[2].d) + 0.5*(double)(q[1]*a[2].grad[1] + q[2]*a[2].grad[2])) <= 32*EPS);
        if (disc.count < 12 && a[2].d > 0) {
            ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &C, &b, &mem, &f[3]));
            a[3] = ask(&f[3], q);
            ASSERT_EQ(DC_OK, a[3].status);
            worst_add(&disc, fabs((double)(a[3].d - a[2].d)), "pose %ld", i);
        }
    }
    ASSERT(worst_print(&plane, 4*EPS) & worst_print(&hole, 8*EPS) & worst_print(&disc, 1.5*1.53e-4 + 16*EPS) & worst_print(&diff, rounded(1e-4, 2e-2)));
    PASS();
}

/* A block on a half-plane, an angle from flat: the torque does not jump from one corner to the other. */
TEST a_flat_block_is_held_by_both_corners(void)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    grain g;
    dc_poly b = grain_named(&g, "square");
    dc_cshape P = wall_of(DC_CSHAPE_HALFPLANE, 0);
    dc_cfield_options o = DC_ZERO;
    dc_cfield f;
    dc_real q[3] = {0, 0, DC_R(0.70710678118654752)};
    double half = sqrt(0.5), t;
    o.h = DC_R(0.01);
    ASSERT_EQ(DC_OK, dc_cfield_exact(&o, &P, &b, &mem, &f));
    for (t = -0.02; t <= 0.0201; t += 0.004) {
        answer a;
        double want = t >= 0.01 ? -half : t <= -0.01 ? half : -half*t/0.01;
        q[0] = (dc_real)t;
        a = ask(&f, q);
        ASSERT(fabs((double)a.grad[0] - want) <= 0.03*half);
    }
    PASS();
}

/* ---- batches, samples ---------------------------------------------------------------------------------------- */

TEST a_batch_is_single_poses(void)
{
    enum { COUNT = 37, STRIDE = 40 };
    rng r;
    int kind, i, k;
    rng_seed(&r, 41);
    for (kind = 0; kind < 4; ++kind) {
        dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = dc_arena_make(scratch, sizeof scratch);
        grain ga, gb;
        dc_cshape A = shape_of(grain_named(&ga, "U"));
        dc_poly B = grain_named(&gb, "star");
        dc_cfield_options o = DC_ZERO;
        dc_cfield f;
        dc_cfield_out out = DC_ZERO;
        dc_real q[3*STRIDE], d[STRIDE], grad[3*STRIDE], lever[STRIDE];
        o.side = 21;
        if (kind > 1) A = wall_of(kind == 2 ? DC_CSHAPE_DISC : DC_CSHAPE_HALFPLANE, 0.5);
        ASSERT_EQ(DC_OK, kind == 1 ? dc_cfield_sampled(&o, &A, &B, &mem, &f) : dc_cfield_exact(&o, &A, &B, &mem, &f));
        for (i = 0; i < COUNT; ++i) {
            dc_real p[3];
            random_pose(&r, 2, p);
            for (k = 0; k < 3; ++k) q[k*STRIDE + i] = p[k];
        }
        out.d = d;
        out.grad = grad;
        out.lever = lever;
        ASSERT_EQ(DC_OK, dc_cfield_eval_batch(&f, COUNT, q, STRIDE, &tmp, &out));
        for (i = 0; i < COUNT; ++i) {
            dc_real p[3];
            answer a;
            for (k = 0; k < 3; ++k) p[k] = q[k*STRIDE + i];
            a = ask(&f, p);
            ASSERT_EQ(DC_OK, a.status);
            ASSERT(memcmp(&a.d, &d[i], sizeof a.d) == 0 && memcmp(&a.lever, &lever[i], sizeof a.d) == 0);
            for (k = 0; k < 3; ++k) ASSERT(memcmp(&a.grad[k], &grad[k*STRIDE + i], sizeof a.d) == 0);
        }
        memset(&out, 0, sizeof out);
        ASSERT_EQ(DC_OK, dc_cfield_eval_batch(&f, COUNT, q, STRIDE, &tmp, &out));
        ASSERT_EQ(DC_OK, dc_cfield_eval_batch(&f, 0, NULL, 0, &tmp, &out));
    }
    PASS();
}

TEST samples_depend_on_their_number_alone(void)
{
    enum { COUNT = 60 };
    static dc_real q[3*COUNT], p[3*COUNT], d[COUNT], e[COUNT];
    dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = dc_arena_make(scratch, sizeof scratch);
    dc_cfield f;
    dc_cfield_out out = DC_ZERO;
    int i, k, outside = 0, negative = 0;
    ASSERT_EQ(DC_OK, pair_field("hash", "U", &mem, &f));
    out.d = d;
    ASSERT_EQ(DC_OK, dci_cfield_samples(&f, 5, 0, COUNT, DC_R(0.1), q, COUNT, &tmp, &out));
    out.d = e;
    ASSERT_EQ(DC_OK, dci_cfield_samples(&f, 5, 25, COUNT - 25, DC_R(0.1), p, COUNT, &tmp, &out));
    for (i = 0; i < COUNT; ++i) {
        if (i%10 != 9) ASSERT(dc_abs(d[i]) < DC_R(0.1));
        else outside += dc_abs(d[i]) >= DC_R(0.1);
        negative += d[i] < 0;
        if (i < 25) continue;
        ASSERT(memcmp(&d[i], &e[i - 25], sizeof *d) == 0);
        for (k = 0; k < 3; ++k) ASSERT(memcmp(&q[k*COUNT + i], &p[k*COUNT + i - 25], sizeof *q) == 0);
    }
    ASSERT(outside > 0 && negative > 10 && negative < 50);
    PASS();
}

#ifdef DC_TEST_NO_CONTRACT
/* the same bits under every compiler */
TEST bits(void)
{
    rng r;
    uint64_t h = UINT64_C(14695981039346656037);
    int i;
    rng_seed(&r, 43);
    for (i = 0; i < 300; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_cfield f;
        dc_real q[3], a;
        answer v;
        ASSERT_EQ(DC_OK, pair_field(grain_names[i%GRAINS], grain_names[i*7%11], &mem, &f));
        a = (dc_real)rng_uniform(&r, -3, 3);
        q[0] = a;
        a = (dc_real)rng_uniform(&r, -1.4, 1.4);
        q[1] = a;
        a = (dc_real)rng_uniform(&r, -1.4, 1.4);
        q[2] = a;
        v = ask(&f, q);
        ASSERT_EQ(DC_OK, v.status);
        h = mix(h, &v.d, 1);
        h = mix(h, v.grad, 3);
        h = mix(h, &v.lever, 1);
    }
    if (h != (DC_IS_FLOAT ? UINT64_C(0x519727cd1071956c) : UINT64_C(0x848b724d2e5ae1de))) FAILm("other bits than those of the other compilers");
    PASS();
}
#endif

/* ---- input that is not what it should be ------------------------------------------------------------------------ */

TEST shapes_that_are_refused(void)
{
    static const dc_v2 clockwise[4] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}}, bow[4] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    grain g;
    dc_poly good = grain_named(&g, "N"), bad[4];
    dc_cshape A = shape_of(good), B;
    dc_cfield_options o = DC_ZERO;
    dc_cfield f;
    int k;
    memset(&f, PATTERN, sizeof f);
    for (k = 0; k < 4; ++k) bad[k] = good;
    bad[0].v = clockwise; bad[0].n = 4;
    bad[1].v = bow; bad[1].n = 4;
    bad[2].n = 2;
    bad[3].v = NULL;
    for (k = 0; k < 4; ++k) {
        B = shape_of(bad[k]);
        ASSERT_EQ(DC_E_ARG, dc_cfield_exact(NULL, &A, &bad[k], &mem, &f));
        ASSERT_EQ(DC_E_ARG, dc_cfield_exact(NULL, &B, &good, &mem, &f));
        ASSERT_EQ(DC_E_ARG, dc_cfield_sampled(NULL, &B, &good, &mem, &f));
    }
    B = wall_of(DC_CSHAPE_DISC, -1); ASSERT_EQ(DC_E_ARG, dc_cfield_exact(NULL, &B, &good, &mem, &f));
    B = wall_of(DC_CSHAPE_HOLE, (double)NAN); ASSERT_EQ(DC_E_ARG, dc_cfield_exact(NULL, &B, &good, &mem, &f));
#ifndef __cplusplus                                             /* there such a value is undefined before it arrives */
    B = wall_of(DC_CSHAPE_DISC, 1);
    B.kind = (dc_cshape_kind)7;
    ASSERT_EQ(DC_E_ARG, dc_cfield_exact(NULL, &B, &good, &mem, &f));
#endif
    B = wall_of(DC_CSHAPE_HALFPLANE, 0); ASSERT_EQ(DC_E_ARG, dc_cfield_sampled(NULL, &B, &good, &mem, &f));
    ASSERT_EQ(DC_E_ARG, dc_cfield_exact(NULL, NULL, &good, &mem, &f));
    ASSERT_EQ(DC_E_ARG, dc_cfield_exact(NULL, &A, NULL, &mem, &f));
    ASSERT_EQ(DC_E_ARG, dc_cfield_exact(NULL, &A, &good, NULL, &f));
    ASSERT_EQ(DC_E_ARG, dc_cfield_exact(NULL, &A, &good, &mem, NULL));
    o.h = 1; ASSERT_EQ(DC_E_ARG, dc_cfield_exact(&o, &A, &good, &mem, &f));
    o.h = (dc_real)NAN; ASSERT_EQ(DC_E_ARG, dc_cfield_exact(&o, &A, &good, &mem, &f));
    o.h = -1; ASSERT_EQ(DC_E_ARG, dc_cfield_exact(&o, &A, &good, &mem, &f));
    o.h = 0; o.hx = -1; ASSERT_EQ(DC_E_ARG, dc_cfield_exact(&o, &A, &good, &mem, &f));
    o.hx = 0; o.side = 1; ASSERT_EQ(DC_E_ARG, dc_cfield_sampled(&o, &A, &good, &mem, &f));
    o.side = 5000; ASSERT_EQ(DC_E_ARG, dc_cfield_sampled(&o, &A, &good, &mem, &f));
    ASSERT(untouched(&f, sizeof f) && mem.used == 0);
    ASSERT_EQ(0, dc_cfield_bytes(2, 4));
    ASSERT_EQ(0, dc_cfield_bytes(4, 2));
    ASSERT_EQ(0, dc_cfield_bytes(-1, 4));
    ASSERT(dc_cfield_bytes(0, 4) > 0);
    PASS();
}

TEST memory_is_exact(void)
{
    grain ga, gb;
    dc_cshape A = shape_of(grain_named(&ga, "U"));
    dc_poly B = grain_named(&gb, "N");
    size_t need = dc_cfield_bytes(A.poly.n, B.n), work, shift;
    dc_real q[3] = {DC_R(0.3), DC_R(0.2), DC_R(0.1)}, d;
    for (shift = 0; shift < 3; ++shift) {
        dc_arena mem = dc_arena_make(memory + shift, need), tmp;
        dc_cfield f;
        ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &A, &B, &mem, &f));
        work = dc_cfield_eval_bytes(&f);
        tmp = dc_arena_make(scratch + shift, work);
        ASSERT_EQ(DC_OK, dc_cfield_eval(&f, q, &tmp, &d, NULL, NULL, NULL, NULL));
        memset(&d, PATTERN, sizeof d);
        tmp = dc_arena_make(scratch + shift, work - 2*DC_ALIGN);
        ASSERT_EQ(DC_E_MEMORY, dc_cfield_eval(&f, q, &tmp, &d, NULL, NULL, NULL, NULL));
        ASSERT(untouched(&d, sizeof d) && tmp.used == 0);
        memset(&f, PATTERN, sizeof f);
        mem = dc_arena_make(memory + shift, need - 2*DC_ALIGN);
        ASSERT_EQ(DC_E_MEMORY, dc_cfield_exact(NULL, &A, &B, &mem, &f));
        ASSERT(untouched(&f, sizeof f) && mem.used == 0);
    }
    PASS();
}

TEST poses_that_are_refused(void)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = dc_arena_make(scratch, sizeof scratch);
    dc_cfield f, none;
    dc_real q[3] = {0, 1, 1}, d, grad[3], lever, hess[9], rows[6] = {0, 0, 1, 1, 1, 1};
    dc_cfield_out out = DC_ZERO;
    int k;
    ASSERT_EQ(DC_OK, pair_field("U", "hash", &mem, &f));
    memset(&d, PATTERN, sizeof d);
    memset(grad, PATTERN, sizeof grad);
    memset(&lever, PATTERN, sizeof lever);
    out.d = &d;
    for (k = 0; k < 9; ++k) {
        dc_real keep = q[k/3];
        q[k/3] = k%3 == 0 ? (dc_real)NAN : k%3 == 1 ? -(dc_real)HUGE_VAL : 2*DC_LIMIT;
        ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&f, q, &tmp, &d, grad, &lever, NULL, NULL));
        rows[2*(k/3) + 1] = q[k/3];
        ASSERT_EQ(DC_E_ARG, dc_cfield_eval_batch(&f, 2, rows, 2, &tmp, &out));
        rows[2*(k/3) + 1] = q[k/3] = keep;
    }
    ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&f, q, &tmp, &d, grad, &lever, hess, NULL));     /* has none */
    ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&f, q, &tmp, &d, grad, &lever, NULL, hess));
    ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&f, q, NULL, &d, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&f, NULL, &tmp, &d, NULL, NULL, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_cfield_eval(NULL, q, &tmp, &d, NULL, NULL, NULL, NULL));
    memset(&none, 0, sizeof none);
    none.kind = DC_CFIELD_LEARNED;
    ASSERT_EQ(DC_E_ARG, dc_cfield_eval(&none, q, &tmp, &d, NULL, NULL, NULL, NULL));
    ASSERT_EQ(0, dc_cfield_eval_bytes(&none));
    ASSERT_EQ(DC_E_ARG, dc_cfield_eval_batch(&f, -1, rows, 2, &tmp, &out));
    ASSERT_EQ(DC_E_ARG, dc_cfield_eval_batch(&f, 2, rows, 1, &tmp, &out));
    ASSERT_EQ(DC_E_ARG, dc_cfield_eval_batch(&f, 2, NULL, 2, &tmp, &out));
    ASSERT_EQ(DC_E_ARG, dc_cfield_eval_batch(&f, 2, rows, 2, &tmp, NULL));
    ASSERT(untouched(&d, sizeof d) && untouched(grad, sizeof grad) && untouched(&lever, sizeof lever));
    PASS();
}

/* shapes on top of each other, face on face, far away: finite numbers, and right ones where they are known */
static dc_poly square_of(dc_v2 v[4], double half)
{
    dc_poly p;
    v[0].x = v[3].x = v[0].y = v[1].y = (dc_real)-half;
    v[1].x = v[2].x = v[2].y = v[3].y = (dc_real)half;
    p.v = v;
    p.n = 4;
    return p;
}

/* No edge crosses another, and all vertices of one shape are far from the other's outline. */
TEST one_within_the_other(void)
{
    dc_v2 v[2][4];
    dc_poly p[2];
    int k, i;
    p[0] = square_of(v[0], 1);
    p[1] = square_of(v[1], 0.25);
    for (k = 0; k < 2; ++k) {
        static const dc_real place[2][3] = {{0, 0, 0}, {DC_R(0.7), DC_R(0.3), DC_R(-0.2)}};
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_cshape a = shape_of(p[k]);
        dc_cfield f;
        ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &a, &p[1 - k], &mem, &f));
        for (i = 0; i < 2; ++i) {
            answer r = ask(&f, place[i]);
            ASSERT_EQ(DC_OK, r.status);
            ASSERT(fabs((double)r.d + 0.5) <= rounded(1e-9, 4e-6));         /* the largest disc in both is that of the small one */
        }
    }
    PASS();
}

/* At distance zero there is no direction from point to point: the normal is that of an edge. */
TEST corner_on_corner(void)
{
    dc_v2 v[4];
    dc_poly p = square_of(v, 0.5);
    dc_cshape a = shape_of(p);
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_cfield f;
    int k;
    ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &a, &p, &mem, &f));
    for (k = 0; k < 4; ++k) {
        dc_real q[3];
        answer r;
        q[0] = 0;
        q[1] = k & 1 ? 1 : -1;
        q[2] = k & 2 ? 1 : -1;
        r = ask(&f, q);
        ASSERT_EQ(DC_OK, r.status);
        ASSERT(r.d <= 0 && r.d >= 0 && dc_finite(r.lever));
        ASSERT(fabs(hypot((double)r.grad[1], (double)r.grad[2]) - 1) <= 4*EPS);
        ASSERT(r.grad[1]*q[1] >= 0 && r.grad[2]*q[2] >= 0);
    }
    PASS();
}

/* The grid of a sampled field is wide enough for the larger shape; apart its gradient is the exact one, as near as the grid is fine
 * against the gap: steps of 0.028, gaps of 0.6 and 0.5. */
TEST sampled_fields_of_unlike_sizes(void)
{
    static const dc_real place[4][3] = {{DC_R(0.3), DC_R(2.9), DC_R(0.3)}, {DC_R(0.3), DC_R(0.4), DC_R(-2.8)}, {DC_R(0.3), DC_R(1.9), DC_R(1.1)}, {DC_R(0.3), DC_R(-2.05), DC_R(1.5)}};
    dc_v2 v[2][4];
    dc_poly p[2];
    int i, k, swapped;
    p[0] = square_of(v[0], 2);
    p[1] = square_of(v[1], 0.25);
    for (swapped = 0; swapped < 2; ++swapped)
        for (i = 0; i < 4; ++i) {
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_cshape a = shape_of(p[swapped]);
            dc_cfield exact, sampled;
            dc_real q[3], s, c;
            answer want, got;
            ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &a, &p[1 - swapped], &mem, &exact));
            ASSERT_EQ(DC_OK, dc_cfield_sampled(NULL, &a, &p[1 - swapped], &mem, &sampled));
            memcpy(q, place[i], sizeof q);
            if (swapped) {                      /* the same place seen from the other shape */
                dc_sincos(q[0], &s, &c);
                q[0] = -place[i][0];
                q[1] = -(c*place[i][1] + s*place[i][2]);
                q[2] = -(c*place[i][2] - s*place[i][1]);
            }
            want = ask(&exact, q);
            got = ask(&sampled, q);
            ASSERT(want.status == DC_OK && got.status == DC_OK);
            ASSERT(fabs((double)(got.d - want.d)) < 0.06);              /* twice the grid's step */
            for (k = 0; k < 3 && i < 2; ++k) ASSERT(fabs((double)(got.grad[k] - want.grad[k])) < 0.15);
            if (i < 2) ASSERT(fabs((double)want.grad[0]) > 0.1);
        }
    PASS();
}

/* From inside, the nearest of an outline may be a vertex, where it bends inwards. */
TEST a_disc_inside_a_star(void)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    worst w = worst_make("gradient of a disc inside a star");
    dc_cshape a = wall_of(DC_CSHAPE_DISC, 0.1);
    dc_cfield f;
    grain g;
    dc_poly b = grain_named(&g, "star");
    rng r;
    long i, n = sweep_count(200), tested = 0;
    const double h = 1.0/1048576;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    rng_seed(&r, 29);
    ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &a, &b, &mem, &f));
    for (i = 0; i < n; ++i) {
        dc_real q[3];
        answer c;
        int k;
        random_pose(&r, 0.15, q);
        c = ask(&f, q);
        ASSERT(c.status == DC_OK && c.d < DC_R(-0.2));
        for (k = 0; k < 2; ++k) {
            double up = value(&f, (double)q[0], (double)q[1] + (k == 0)*h, (double)q[2] + (k == 1)*h);
            double down = value(&f, (double)q[0], (double)q[1] - (k == 0)*h, (double)q[2] - (k == 1)*h);
            if (fabs(up + down - 2*(double)c.d) > 20*h*h) continue;      /* another vertex */
            ++tested;
            worst_add(&w, fabs((up - down)/(2*h) - (double)c.grad[1 + k]), "pose %ld", i);
        }
    }
    ASSERT(tested > n);
    ASSERT(worst_print(&w, 1e-8));
    PASS();
}

TEST special_poses(void)
{
    int i, k, m;
    for (i = 0; i < GRAINS; ++i)
        for (k = 0; k < GRAINS; ++k) {
            static const double places[7][3] = {{0, 0, 0}, {0, 1e-12, 0}, {3.141592653589793, 0, 0}, {1.5707963267948966, 0.5, 0}, {0, 2, 0}, {1e6, 1e6, -1e8}, {0.7853981633974483, 0, 1.7071}};
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_cfield f;
            ASSERT_EQ(DC_OK, pair_field(grain_names[i], grain_names[k], &mem, &f));
            for (m = 0; m < 7; ++m) {
                dc_real q[3];
                answer a;
                int j;
                for (j = 0; j < 3; ++j) q[j] = (dc_real)places[m][j];
                a = ask(&f, q);
                ASSERT(a.status == DC_OK || a.status == DC_E_DIVERGED);
                ASSERT(dc_finite(a.d) && dc_finite(a.grad[0]) && dc_finite(a.grad[1]) && dc_finite(a.grad[2]) && dc_finite(a.lever));
                if (m < 2 && i == k) ASSERT(a.d < DC_R(-0.2));
                if (m == 5) ASSERT(fabs((double)a.d - 1e8) <= 1e5);
            }
        }
    PASS();
}

SUITE(fields)
{
    RUN_TEST(pairs_of_the_table);
    RUN_TEST(sampled_pairs_of_the_table);
    RUN_TEST(gradient_of_shapes_apart);
    RUN_TEST(gradient_is_what_it_is_defined_as);
    RUN_TEST(overlap_of_corners_and_faces);
    RUN_TEST(the_swapped_pair);
    RUN_TEST(steps_of_d_are_bounded);
    RUN_TEST(no_point_is_deeper);
    RUN_TEST(walls_against_their_definition);
    RUN_TEST(a_flat_block_is_held_by_both_corners);
    RUN_TEST(a_batch_is_single_poses);
    RUN_TEST(samples_depend_on_their_number_alone);
#ifdef DC_TEST_NO_CONTRACT
    RUN_TEST(bits);
#endif
    RUN_TEST(shapes_that_are_refused);
    RUN_TEST(memory_is_exact);
    RUN_TEST(poses_that_are_refused);
    RUN_TEST(one_within_the_other);
    RUN_TEST(corner_on_corner);
    RUN_TEST(sampled_fields_of_unlike_sizes);
    RUN_TEST(a_disc_inside_a_star);
    RUN_TEST(special_poses);
}

GREATEST_MAIN_DEFS();
int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(fields);
    GREATEST_MAIN_END();
}
