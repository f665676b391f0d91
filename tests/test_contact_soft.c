/* Smooth manifolds of hulls: what they are where one face lies flat on another, their derivatives, and that nothing jumps along
 * sweeps through changes of faces, edges and vertices. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include "greatest.h"
#include "support.h"

#include <math.h>
#include <string.h>

GREATEST_MAIN_DEFS();

#define EPS ((double)DC_EPS)
#define MOST 256

static unsigned char memory[1 << 19], scratch[1 << 21];
static dc_v3 points[2][40];
static dc_arena kept;

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

static dc_hull_topology make(int k, int n)
{
    dc_hull_topology t;
    dc_hull h = DC_ZERO;
    memset(&t, 0, sizeof t);
    h.v = points[k];
    h.n = n;
    if (dc_hull_faces(&h, 0, &kept, &t) != DC_OK) printf("  no faces\n");
    return t;
}

static dc_hull_topology box(int k, double x, double y, double z)
{
    int i;
    for (i = 0; i < 8; ++i) points[k][i] = vec(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    return make(k, 8);
}

static dc_hull_topology wedge(int k, double x, double y, double z)
{
    int i;
    for (i = 0; i < 6; ++i) points[k][i] = vec(i/2 == 0 ? -x : x, i & 1 ? y : -y, i/2 == 2 ? z : -z);
    return make(k, 6);
}

typedef struct {
    dc_hull_topology a, b;
    dc_pose pa, pb;
    dc_hull_smooth_options o;
    dc_v3 n;
    dc_hull_soft point[MOST];
    int count;
} scene;

static dc_status soft(scene *s)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_status status = dc_hull_smooth(&s->o, &s->a, &s->pa, &s->b, &s->pb, &mem, MOST, &s->n, s->point, &s->count);
    return mem.used ? DC_E_MEMORY : status;
}

/* ---- where faces lie flat ---- */

/* A box over a larger one, however both are turned: four corners that count in full; and over one of about its own size every
 * corner of the clipped manifold that is not near another one is there in full, with the same gap. */
TEST flat_faces_have_the_corners_of_the_clipped_manifold(void)
{
    rng r;
    int k, i, j, corners = 0;
    rng_seed(&r, 3);
    for (k = 0; k < 300; ++k) {
        const int small = k & 1;
        dc_hull_manifold_options o = DC_ZERO;
        dc_hull_patch m = DC_ZERO;
        dc_pose p = at(1, 2, 3);
        dc_arena mem;
        double x, y;
        scene s = DC_ZERO;
        kept = dc_arena_make(memory, sizeof memory);
        s.a = box(0, 0.5, 0.4, 0.3);
        s.b = small ? box(1, 2, 2, 0.5) : box(1, 0.45, 0.42, 0.5);
        s.o.length = DC_R(0.02);
        x = rng_uniform(&r, -1, 1)*(small ? 1 : 0.4);
        y = rng_uniform(&r, -1, 1)*(small ? 1 : 0.4);
        s.pa = turned(at(x, y, 0.78), 0, 0, rng_uniform(&r, -3, 3));
        s.pb = at(0, 0, 0);
        p.q = random_quat(&r);
        s.pa = dc_pose_mul(p, s.pa);
        s.pb = dc_pose_mul(p, s.pb);
        ASSERT_EQ(DC_OK, soft(&s));
        ASSERT(length(dc_sub(s.n, dc_quat_rotate(s.pb.q, vec(0, 0, 1)))) < 50*EPS);
        for (i = 0; i < s.count; ++i) ASSERT(fabs((double)s.point[i].gap + 0.02) < 200*EPS);
        if (small) {
            ASSERT_EQ(4, s.count);
            for (i = 0; i < 4; ++i) ASSERT_EQ(1, s.point[i].weight);
            continue;
        }
        o.capacity = 8;
        mem = dc_arena_make(scratch, sizeof scratch);
        ASSERT_EQ(DC_OK, dc_hull_manifold(&o, &s.a, &s.pa, &s.b, &s.pb, &mem, &m));
        for (i = 0; i < m.count; ++i) {
            double best = 0;
            int lonely = 1;
            for (j = 0; j < m.count; ++j) lonely &= j == i || length(dc_sub(m.point[i].pa, m.point[j].pa)) > 0.06;
            for (j = 0; j < s.count; ++j)
                if (length(dc_sub(s.point[j].pa, m.point[i].pa)) < 1e3*EPS) best = fmax(best, (double)s.point[j].weight);
            if (!lonely) continue;
            corners++;
            ASSERT(best > 0.4);         /* one half on the border of the other's face */
        }
    }
    printf("  %d corners of the clipped manifold\n", corners);
    ASSERT(corners > 500);
    PASS();
}

/* 12 points in a ball, or boxes and wedges */
static dc_hull_topology random_hull(rng *r, int k, int kind)
{
    double u[3];
    int i;
    for (i = 0; i < 3; ++i) u[i] = rng_uniform(r, 0.3, 1);
    if (kind) return kind == 1 ? box(k, u[0], u[1], u[2]) : wedge(k, u[0], u[1], u[2]);
    for (i = 0; i < 12; ++i) {
        rng_unit3(r, u);
        points[k][i] = vec(u[0], u[1], u[2]);
    }
    return make(k, 12);
}

/* two hulls at random, `gap` apart along the distance's direction */
static int random_scene(rng *r, scene *s, int k, double gap)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_distance d = DC_ZERO;
    double u[3];
    memset(s, 0, sizeof *s);
    kept = dc_arena_make(memory, sizeof memory);
    s->a = random_hull(r, 0, k%3);
    s->b = random_hull(r, 1, k/3%3);
    s->pa = s->pb = at(0.1, -0.2, 0.3);
    s->pa.q = random_quat(r);
    s->pb.q = random_quat(r);
    rng_unit3(r, u);
    s->pa.t = vec(2*u[0], 2*u[1], 2*u[2]);
    if (dc_hull_distance(&s->a.hull, &s->pa, &s->b.hull, &s->pb, &mem, &d) != DC_OK) return 0;
    s->pa.t = dc_madd(s->pa.t, DC_R(gap) - d.gap, d.n);
    s->o.length = DC_R(0.05);
    s->o.margin = DC_R(0.05);
    return 1;
}

/* Hulls that touch or overlap have points, the weights do not vanish anywhere. Along an n that is blended of directions far from
 * each other, which |sum p n| >= 1/4 allows, the overlap is up to four times as deep as theirs. */
TEST touching_hulls_have_weight(void)
{
    rng r;
    long k, n = sweep_count(1500);
    worst least = worst_make("1/sum of weights"), exact = worst_make("pa - pb - gap n"), deep = worst_make("gap below the distance's");
    rng_seed(&r, 5);
    for (k = 0; k < n; ++k) {
        scene s;
        double gap = k & 1 ? 0 : -rng_uniform(&r, 0, 0.1), sum = 0;
        int i;
        if (!random_scene(&r, &s, (int)(k/2), gap)) continue;
        ASSERT_EQ(DC_OK, soft(&s));
        for (i = 0; i < s.count; ++i) {
            const dc_hull_soft *c = &s.point[i];
            ASSERT(c->weight > 0 && c->weight <= 1 + 4*DC_EPS);
            sum += (double)c->weight;
            worst_add(&exact, length(dc_madd(dc_sub(c->pa, c->pb), -c->gap, s.n))/EPS, "%ld", k);
            worst_add(&deep, (gap - (double)c->gap)/0.05, "%ld kind %d", k, c->kind);
        }
        worst_add(&least, 1/sum, "%ld gap %g count %d", k, gap, s.count);
    }
    ASSERT(worst_print(&least, 2));
    ASSERT(worst_print(&exact, 500));
    ASSERT(worst_print(&deep, 8));
    PASS();
}

/* ---- derivatives ---- */

enum { SUMS = 3 + 1 + 6 + 2 };

/* n, and sums over the points, smooth in all that the scene is made of */
static void sums_of(const scene *s, double f[SUMS])
{
    int i;
    memset(f, 0, SUMS*sizeof *f);
    f[0] = (double)s->n.x; f[1] = (double)s->n.y; f[2] = (double)s->n.z;
    for (i = 0; i < s->count; ++i) {
        const dc_hull_soft *c = &s->point[i];
        const double w = (double)c->weight, g = (double)c->gap;
        f[3] += w;
        f[4] += w*(double)c->pa.x; f[5] += w*(double)c->pa.y; f[6] += w*(double)c->pa.z;
        f[7] += w*(double)c->pb.x; f[8] += w*(double)c->pb.y; f[9] += w*(double)c->pb.z;
        f[10] += w*g;
        f[11] += w*g*g;
    }
}

/* and their rates under a twist */
static dc_status rates_of(scene *s, const dc_real *twist, double f[SUMS])
{
    static dc_hull_soft_rate rate[MOST];
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_status status;
    dc_v3 dn;
    int i, count = 0;
    if ((status = soft(s)) != DC_OK) return status;
    status = dc_hull_smooth_jvp(&s->o, &s->a, &s->pa, &s->b, &s->pb, twist, &mem, MOST, &dn, rate, &count);
    if (status != DC_OK || count != s->count || mem.used) return status ? status : DC_E_DIVERGED;
    memset(f, 0, SUMS*sizeof *f);
    f[0] = (double)dn.x; f[1] = (double)dn.y; f[2] = (double)dn.z;
    for (i = 0; i < count; ++i) {
        const dc_hull_soft *c = &s->point[i];
        const double w = (double)c->weight, g = (double)c->gap, dw = (double)rate[i].weight, dg = (double)rate[i].gap;
        const dc_v3 a = c->pa, b = c->pb, da = rate[i].pa, db = rate[i].pb;
        f[3] += dw;
        f[4] += dw*(double)a.x + w*(double)da.x; f[5] += dw*(double)a.y + w*(double)da.y; f[6] += dw*(double)a.z + w*(double)da.z;
        f[7] += dw*(double)b.x + w*(double)db.x; f[8] += dw*(double)b.y + w*(double)db.y; f[9] += dw*(double)b.z + w*(double)db.z;
        f[10] += dw*g + w*dg;
        f[11] += dw*g*g + 2*w*g*dg;
    }
    return DC_OK;
}

static void sums_of_twists(const double *x, double *f, void *user)
{
    scene t = *(const scene *)user;
    dc_real xi[12];
    int i;
    for (i = 0; i < 12; ++i) xi[i] = DC_R(x[i]);
    t.pa = dc_pose_retract(t.pa, xi);
    t.pb = dc_pose_retract(t.pb, xi + 6);
    for (i = 0; i < SUMS; ++i) f[i] = (double)NAN;
    if (soft(&t) == DC_OK) sums_of(&t, f);
}

/* Differences with the best of a few steps: second derivatives are of about 1/length^2, and jump. */
TEST derivatives_against_differences(void)
{
    rng r;
    long k, n = sweep_count(300), used = 0;
    worst err = worst_make("jvp against differences"), back = worst_make("vjp against jvp"), vertex = worst_make("vjp by vertices");
    rng_seed(&r, 7);
    for (k = 0; k < n; ++k) {
        static scene s;
        static dc_hull_soft_rate by[MOST];
        static dc_real ga[120], gb[120];
        double x[12], f[SUMS], up[SUMS], down[SUMS];
        dc_real twist[12], grad[12];
        dc_v3 by_n;
        double sum, want, h, least;
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        int i, j;
        if (!random_scene(&r, &s, (int)k, rng_uniform(&r, -0.06, 0.04))) continue;
        if (k%2) s.o.length = 0;                                        /* the default one follows the vertices */
        if (soft(&s) != DC_OK || s.count == 0) continue;
        used++;
        for (i = 0; i < 12; ++i) twist[i] = DC_R(rng_uniform(&r, -1, 1));
        ASSERT_EQ(DC_OK, rates_of(&s, twist, f));
        sum = 1;
        for (i = 0; i < SUMS; ++i) sum = fmax(sum, fabs(f[i]));
        for (least = 1e300, h = 1e-5; h > 1e-9 && !DC_IS_FLOAT; h /= 10) {
            double most = 0;
            for (i = 0; i < 12; ++i) x[i] = h*(double)twist[i];
            sums_of_twists(x, up, &s);
            for (i = 0; i < 12; ++i) x[i] = -x[i];
            sums_of_twists(x, down, &s);
            for (i = 0; i < SUMS; ++i) most = fmax(most, fabs((up[i] - down[i])/(2*h) - f[i])/sum);
            least = fmin(least, most);
        }
        if (!DC_IS_FLOAT) worst_add(&err, least, "%ld, of %g", k, sum);      /* differences need double */

        /* the transpose: of a sum of the numbers by the twist */
        by_n = vec(0.3, -0.2, 0.5);
        for (i = 0; i < s.count; ++i) {
            by[i].pa = vec(rng_uniform(&r, -1, 1), 0.2, -0.3);
            by[i].pb = vec(0.1, rng_uniform(&r, -1, 1), 0.3);
            by[i].gap = DC_R(rng_uniform(&r, -1, 1));
            by[i].weight = DC_R(rng_uniform(&r, -1, 1));
        }
        ASSERT_EQ(DC_OK, dc_hull_smooth_vjp(&s.o, &s.a, &s.pa, &s.b, &s.pb, &mem, s.count, &by_n, by, grad, ga, gb));
        {
            static dc_hull_soft_rate rate[MOST];
            dc_v3 dn;
            int count;
            double size = 0;
            ASSERT_EQ(DC_OK, dc_hull_smooth_jvp(&s.o, &s.a, &s.pa, &s.b, &s.pb, twist, &mem, MOST, &dn, rate, &count));
            want = dot(by_n, dn);
            for (i = 0; i < count; ++i)
                want += dot(by[i].pa, rate[i].pa) + dot(by[i].pb, rate[i].pb) + (double)(by[i].gap*rate[i].gap + by[i].weight*rate[i].weight);
            for (sum = 0, i = 0; i < 12; ++i) { sum += (double)(grad[i]*twist[i]); size += fabs((double)(grad[i]*twist[i])); }
            worst_add(&back, fabs(sum - want)/(size + 1)/EPS, "%ld", k);
        }
        if (k%9 || DC_IS_FLOAT) continue;

        /* by the coordinate of each hull that counts most: differences of the same sum. Balls: their faces are triangles and do not bend */
        for (j = 0; j < 2; ++j) {
            static scene t;
            const dc_real *g = j ? gb : ga;
            double value[2];
            int side, v = 0, c = 0;
            for (i = 0; i < 36; ++i)
                if (fabs((double)g[i]) > fabs((double)g[3*v + c])) { v = i/3; c = i%3; }
            for (side = 0; side < 2; ++side) {
                dc_real *to = c == 0 ? &points[j][v].x : c == 1 ? &points[j][v].y : &points[j][v].z, was = *to;
                double step = side ? -1e-6 : 1e-6;
                *to = was + DC_R(step);
                t = s;
                value[side] = (double)NAN;
                if (soft(&t) == DC_OK && t.count == s.count) {
                    value[side] = dot(by_n, t.n);
                    for (i = 0; i < s.count; ++i)
                        value[side] += dot(by[i].pa, t.point[i].pa) + dot(by[i].pb, t.point[i].pb) + (double)(by[i].gap*t.point[i].gap
                                     + by[i].weight*t.point[i].weight);
                }
                *to = was;
            }
            if (isnan(value[0] + value[1])) continue;
            want = (value[0] - value[1])/2e-6;
            worst_add(&vertex, fabs(want - (double)g[3*v + c])/(1 + fabs(want)), "%ld side %d vertex %d: %g", k, j, v, want);
        }
    }
    printf("  %ld scenes\n", used);
    ASSERT(used > n/2);
    ASSERT(worst_print(&back, 1e4));
    if (!DC_IS_FLOAT) ASSERT(worst_print(&err, 1e-6) & worst_print(&vertex, 2e-5));
    PASS();
}

/* ---- sweeps ---- */

/* The scene of a sweep at s in [0, 1] and its velocity: a screw motion of a. */
typedef struct { scene s; dc_pose from; double twist[6]; const char *name; } sweep;

/* the largest change of the sums' derivative from one of n samples to the next, over the largest derivative; and of n itself */
static double jump(sweep *w, int n, int *changes, int *failed)
{
    double before[SUMS] = {0}, now[SUMS], most = 0, size = 1;
    unsigned ids = 0;
    int i, k;
    *changes = *failed = 0;
    for (k = 0; k <= n; ++k) {
        dc_real xi[12] = {0};
        unsigned all = 0;
        for (i = 0; i < 6; ++i) xi[i] = DC_R(w->twist[i]*k/n);
        w->s.pa = dc_pose_retract(w->from, xi);
        for (i = 0; i < 6; ++i) xi[i] = DC_R(w->twist[i]);
        if (rates_of(&w->s, xi, now) != DC_OK) { ++*failed; continue; }
        for (i = 0; i < w->s.count; ++i) all += w->s.point[i].id*2654435761u;
        *changes += k > 0 && all != ids;
        ids = all;
        for (i = 0; i < SUMS; ++i) {
            size = fmax(size, fabs(now[i]));
            if (k > 0) most = fmax(most, fabs(now[i] - before[i]));
            before[i] = now[i];
        }
    }
    return most/size;
}

/* A derivative that jumps changes by as much however near the samples are; one that does not by less and less, in the end as the step. */
TEST nothing_jumps_along_sweeps(void)
{
    static const struct { const char *name; int a, b; double at[6], twist[6]; } row[] = {
        {"a box slides off another: vertices leave a face", 1, 1, {-0.8, 0.1, 0.98, 0, 0, 0.3}, {2.4, 0.3, 0, 0, 0, 0}},
        {"a box turns on another: corners pass over edges", 1, 1, {0.6, 0.5, 0.98, 0, 0, 0}, {0, 0, 0, 0, 0, 1.6}},
        {"a box rocks from face over edge to face", 1, 1, {0, 0, 1.1, 0.1, -0.8, 0.05}, {0, 0, 0, 0, 1.6, 0}},
        {"a box rolls over a box's edge: the direction changes", 1, 1, {0.9, 0.1, 0.95, 0.02, 0.01, 0.2}, {0.25, 0, -0.6, 0, 0, 0}},
        {"edges cross, faces take over", 1, 1, {0.9, 0, 0.95, 0.7, 0.7, 0.1}, {-0.5, 0.2, 0.05, -0.8, -0.5, 0}},
        {"a wedge slides up another, slope on slope, and off", 2, 2, {-0.52, 0.1, -0.28, 0.02, 3.14, 0.01}, {1.34, 0.1, 0.67, 0, 0.03, 0.3}},
        {"two balls of 12 points turn on each other", 0, 0, {0.2, 0.1, 1.6, 0, 0, 0}, {0.1, 0.1, 0.1, 0.7, 0.5, 0.6}},
        {"a ball of 12 points rolls over a box", 0, 1, {-0.9, 0.2, 1.32, 0, 0, 0}, {1.8, 0, 0, 0, 1.5, 0.2}}};
    rng r;
    size_t k;
    rng_seed(&r, 11);
    for (k = 0; k < sizeof row/sizeof *row; ++k) {
        static sweep w;
        const int n = DC_IS_FLOAT ? 100 : 500;
        double coarse, fine;
        int changes, failed, changed;
        memset(&w, 0, sizeof w);
        kept = dc_arena_make(memory, sizeof memory);
        w.s.a = row[k].a == 0 ? random_hull(&r, 0, 0) : row[k].a == 1 ? box(0, 0.4, 0.3, 0.5) : wedge(0, 0.4, 0.3, 0.2);
        w.s.b = row[k].b == 0 ? random_hull(&r, 1, 0) : row[k].b == 1 ? box(1, 0.9, 0.8, 0.5) : wedge(1, 0.8, 0.6, 0.4);
        w.s.pb = at(0, 0, 0);
        w.s.o.length = DC_R(0.1);
        w.s.o.margin = DC_R(0.05);
        w.from = turned(at(row[k].at[0], row[k].at[1], row[k].at[2]), row[k].at[3], row[k].at[4], row[k].at[5]);
        memcpy(w.twist, row[k].twist, sizeof w.twist);
        coarse = jump(&w, n, &changed, &failed);
        ASSERT_EQ(0, failed);
        fine = jump(&w, 8*n, &changes, &failed);
        printf("  %-55s %3d changes, largest change of the derivative %.2g, %.2g at an eighth of the step\n", row[k].name, changes, coarse, fine);
        ASSERT(changes >= 2);
        ASSERT_EQ(0, failed);
        if (!DC_IS_FLOAT) ASSERT(fine < coarse/2);
    }
    PASS();
}

/* ---- contract ---- */

TEST bad_input_leaves_the_outputs_alone(void)
{
    static scene s;
    static dc_hull_soft point[MOST], same[MOST];
    static dc_hull_soft_rate rate[MOST];
    dc_hull_smooth_options o = DC_ZERO;
    dc_hull_topology none, thin;
    dc_v3 n = {7, 7, 7}, dn;
    dc_real twist[12] = {0}, grad[12];
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    int count = 77, k;
    const double bad[2] = {(double)NAN, -1};
    memset(&s, 0, sizeof s);
    memset(&none, 0, sizeof none);
    kept = dc_arena_make(memory, sizeof memory);
    s.a = box(0, 0.5, 0.4, 0.3);
    s.b = box(1, 1, 1, 0.3);
    s.pa = at(0.1, 0.2, 0.58);
    s.pb = at(0, 0, 0);
    memset(point, 0x5a, sizeof point);
    memcpy(same, point, sizeof same);
    ASSERT_EQ(DC_E_ARG, dc_hull_smooth(NULL, NULL, &s.pa, &s.b, NULL, &mem, MOST, &n, point, &count));
    ASSERT_EQ(DC_E_ARG, dc_hull_smooth(NULL, &s.a, &s.pa, &none, NULL, &mem, MOST, &n, point, &count));
    ASSERT_EQ(DC_E_ARG, dc_hull_smooth(NULL, &s.a, &s.pa, &s.b, NULL, NULL, MOST, &n, point, &count));
    ASSERT_EQ(DC_E_ARG, dc_hull_smooth(NULL, &s.a, &s.pa, &s.b, NULL, &mem, MOST, &n, NULL, &count));
    ASSERT_EQ(DC_E_ARG, dc_hull_smooth(NULL, &s.a, &s.pa, &s.b, NULL, &mem, -1, &n, point, &count));
    for (k = 0; k < 4; ++k) {
        o.length = k < 2 ? DC_R(bad[k]) : 0;
        o.margin = k < 2 ? 0 : DC_R(bad[k - 2]);
        ASSERT_EQ(DC_E_ARG, dc_hull_smooth(&o, &s.a, &s.pa, &s.b, NULL, &mem, MOST, &n, point, &count));
    }
    thin = s.b;
    thin.hull.radius = DC_R(0.1);
    ASSERT_EQ(DC_E_ARG, dc_hull_smooth(NULL, &s.a, &s.pa, &thin, NULL, &mem, MOST, &n, point, &count));
    points[1][0] = vec(0, 0, 0);
    points[1][1] = vec(1, 0, 0);
    thin = make(1, 2);
    ASSERT_EQ(DC_E_ARG, dc_hull_smooth(NULL, &s.a, &s.pa, &thin, NULL, &mem, MOST, &n, point, &count));
    s.b = box(1, 1, 1, 0.3);
    mem = dc_arena_make(scratch, 1000);
    ASSERT_EQ(DC_E_MEMORY, dc_hull_smooth(NULL, &s.a, &s.pa, &s.b, NULL, &mem, MOST, &n, point, &count));
    ASSERT_EQ(77, count);
    mem = dc_arena_make(scratch, dc_hull_smooth_bytes(8, 8, 2));
    ASSERT_EQ(DC_E_MEMORY, dc_hull_smooth(NULL, &s.a, &s.pa, &s.b, NULL, &mem, 2, &n, point, &count));
    ASSERT_EQ(4, count);
    ASSERT(memcmp(point, same, sizeof same) == 0 && n.x == 7);
    ASSERT_EQ(0, (int)dc_hull_smooth_bytes(0, 8, 1));
    ASSERT_EQ(0, (int)dc_hull_smooth_bytes(8, 8, -1));

    /* what is enough; derivatives of another number of points */
    mem = dc_arena_make(scratch, dc_hull_smooth_bytes(8, 8, 4));
    ASSERT_EQ(DC_OK, dc_hull_smooth(NULL, &s.a, &s.pa, &s.b, NULL, &mem, 4, &n, point, &count));
    ASSERT_EQ(0, (int)mem.used);
    memset(rate, 0, sizeof rate);
    ASSERT_EQ(DC_E_ARG, dc_hull_smooth_vjp(NULL, &s.a, &s.pa, &s.b, NULL, &mem, 3, NULL, rate, grad, NULL, NULL));
    ASSERT_EQ(DC_OK, dc_hull_smooth_vjp(NULL, &s.a, &s.pa, &s.b, NULL, &mem, 4, NULL, rate, grad, NULL, NULL));
    twist[3] = DC_R(NAN);
    ASSERT_EQ(DC_E_ARG, dc_hull_smooth_jvp(NULL, &s.a, &s.pa, &s.b, NULL, twist, &mem, 4, &dn, rate, &count));

    /* the same cube in the same place: opposite directions overlap as little */
    s.a = box(0, 0.5, 0.5, 0.5);
    mem = dc_arena_make(scratch, sizeof scratch);
    ASSERT_EQ(DC_E_SINGULAR, dc_hull_smooth(NULL, &s.a, NULL, &s.a, NULL, &mem, MOST, &n, point, &count));

    /* a flat hull on a box is one with two faces */
    for (k = 0; k < 4; ++k) points[0][k] = vec(k & 1 ? 0.2 : -0.2, k & 2 ? 0.2 : -0.2, 0);
    s.a = make(0, 4);
    s.pa = at(0, 0, 0.29);
    ASSERT_EQ(DC_OK, dc_hull_smooth(NULL, &s.a, &s.pa, &s.b, NULL, &mem, MOST, &n, point, &count));
    ASSERT_EQ(4, count);
    ASSERT((double)n.z > 1 - 8*EPS);
    PASS();
}

SUITE(suite)
{
    RUN_TEST(flat_faces_have_the_corners_of_the_clipped_manifold);
    RUN_TEST(touching_hulls_have_weight);
    RUN_TEST(derivatives_against_differences);
    RUN_TEST(nothing_jumps_along_sweeps);
    RUN_TEST(bad_input_leaves_the_outputs_alone);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(suite);
    GREATEST_MAIN_END();
}
