/* Faces, edges and neighbours of hulls against what makes them right: Euler's formula, twins, planes that hold every
 * point, convex outlines; and the support and distance that climb along them against those that look at every point. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include "greatest.h"
#include "support.h"

#include <math.h>
#include <string.h>

GREATEST_MAIN_DEFS();

#define MOST 1200

static unsigned char memory[1 << 21], scratch[1 << 16];
static dc_v3 points[MOST], others[MOST];

static dc_v3 vec(double x, double y, double z) { return dc_vec(DC_R(x), DC_R(y), DC_R(z)); }

static dc_hull hull_of(const dc_v3 *v, int n)
{
    dc_hull h = DC_ZERO;
    h.v = v;
    h.n = n;
    return h;
}

static dc_status faces(const dc_v3 *v, int n, double tolerance, dc_hull_topology *t)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_hull h = hull_of(v, n);
    return dc_hull_faces(&h, DC_R(tolerance), &mem, t);
}

/* Everything that has to hold of any topology with faces. `slack`: how many tolerances a point may lie outside. NULL: all
 * does; else what does not. */
static const char *flaw(const dc_hull_topology *t, double slack)
{
    const dc_v3 *v = t->hull.v;
    double bar = slack*(double)t->tolerance;
    int f, h, i, k, links = 0;
    if (t->dimension < 2) return t->faces == 0 && t->edges == t->dimension && t->vertices == t->dimension + 1 ? NULL : "not a segment or point";
    if (t->vertices - t->edges + t->faces != 2) return "Euler";
    if (t->begin[0] != 0 || t->begin[t->faces] != 2*t->edges) return "begin";
    for (f = 0; f < t->faces; ++f) {
        dc_v3 n = t->normal[f];
        if (t->begin[f + 1] - t->begin[f] < 3) return "a face of two corners";
        if (fabs((double)dc_dot(n, n) - 1) > 8*(double)DC_EPS) return "normal";
        for (i = 0; i < t->hull.n; ++i)
            if ((double)(dc_dot(n, v[i]) - t->offset[f]) > bar) return "a point outside";
        for (h = t->begin[f]; h < t->begin[f + 1]; ++h) {
            int g = t->twin[h], next = h + 1 < t->begin[f + 1] ? h + 1 : t->begin[f], after = next + 1 < t->begin[f + 1] ? next + 1 : t->begin[f];
            dc_v3 e, e2;
            if (t->owner[h] != f) return "owner";
            if (g < 0 || g >= 2*t->edges || t->twin[g] != h || t->owner[g] == f) return "twin";
            if (t->corner[g] != t->corner[next]) return "corner of the twin";
            if ((double)(t->offset[f] - dc_dot(n, v[t->corner[h]])) > 2*bar) return "a corner off the plane";
            /* convex, counterclockwise */
            e = dc_sub(v[t->corner[next]], v[t->corner[h]]);
            e2 = dc_sub(v[t->corner[after]], v[t->corner[next]]);
            if ((double)dc_dot(n, dc_cross(e, e2)) < -bar*(double)(dc_sqrt(dc_dot(e, e)) + dc_sqrt(dc_dot(e2, e2)))) return "not convex";
        }
    }
    for (i = 0; i < t->hull.n; ++i)
        for (k = t->first[i]; k < t->first[i + 1]; ++k) {
            int back = 0, j;
            for (j = t->first[t->next[k]]; j < t->first[t->next[k] + 1]; ++j) back += t->next[j] == i;
            if (back != 1) return "neighbours";
            ++links;
        }
    return links == 2*t->edges ? NULL : "number of neighbours";
}

#define ASSERT_SOUND(t, slack) do { const char *flaw_ = flaw(t, slack); if (flaw_) printf("  %s\n", flaw_); ASSERT(!flaw_); } while (0)

static void ball(rng *r, int n, dc_v3 *v)
{
    int i;
    for (i = 0; i < n; ++i) {
        double u[3];
        rng_unit3(r, u);
        v[i] = vec(u[0], u[1], u[2]);
    }
}

/* ---- shapes whose faces are known ---- */

TEST a_box_has_six_faces(void)
{
    dc_hull_topology t;
    rng r;
    int i, k, f, boxes = 0;
    rng_seed(&r, 1);
    for (k = 0; k < 200; ++k) {
        dc_quat q;
        double size = rng_log(&r, 1e-3, 1e3), off = k & 1 ? 100*size : 0, e[4];
        for (i = 0; i < 4; ++i) e[i] = rng_normal(&r);
        q.w = DC_R(e[0]); q.x = DC_R(e[1]); q.y = DC_R(e[2]); q.z = DC_R(e[3]);
        ASSERT_EQ(DC_OK, dc_quat_normalize(q, &q));
        for (i = 0; i < 8; ++i)
            points[i] = dc_add(vec(off, off, -off), dc_quat_rotate(q, vec(i & 1 ? size : -size, i & 2 ? 2*size : -size, i & 4 ? size/2 : -size)));
        ASSERT_EQ(DC_OK, faces(points, 8, 0, &t));
        ASSERT_SOUND(&t, 1);
        ASSERT_EQ(6, t.faces);
        ASSERT_EQ(12, t.edges);
        ASSERT_EQ(8, t.vertices);
        for (f = 0; f < 6; ++f) ASSERT_EQ(4, t.begin[f + 1] - t.begin[f]);

        /* and is one */
        if (!t.box) {
            ASSERT(off != 0);           /* far from its origin by more than rounding leaves of right angles */
            continue;
        }
        boxes++;
        for (i = 0; i < 8; ++i) {
            dc_v3 at = t.box_centre;
            for (f = 0; f < 3; ++f) at = dc_madd(at, i >> f & 1 ? t.box_half[f] : -t.box_half[f], t.box_axis[f]);
            at = dc_sub(at, points[t.box_corner[i]]);
            ASSERT((double)dc_dot(at, at) < 256*(double)(DC_EPS*DC_EPS)*(off + 2*size)*(off + 2*size));
        }
        for (f = 0; f < 6; ++f) ASSERT((double)dc_dot(t.normal[t.box_face[f]], t.box_axis[f/2])*(f & 1 ? -1 : 1) > 1 - 1e-3);
    }
    ASSERT(boxes > 100);

    /* sheared it is none, nor with an edge cut off */
    for (k = 0; k < 2; ++k) {
        for (i = 0; i < 8; ++i) points[i] = vec((i & 1) + (k ? 0 : 1e-3*(i >> 1 & 1)), i >> 1 & 1, i >> 2);
        if (k) points[7] = vec(0.9, 1, 1);
        ASSERT_EQ(DC_OK, faces(points, 8, 0, &t));
        ASSERT_EQ(0, t.box);
    }
    PASS();
}

/* points of a lattice: corners in the middle of edges and faces, inside, and twice, in any order */
TEST a_lattice_is_a_box(void)
{
    dc_hull_topology t;
    rng r;
    int n = 0, k, i, j, l;
    rng_seed(&r, 2);
    for (i = 0; i < 5; ++i)
        for (j = 0; j < 5; ++j)
            for (l = 0; l < 5; ++l) {
                points[n++] = vec(i, j, l);
                if ((i + j + l)%3 == 0) points[n++] = vec(i, j, l);
            }
    for (k = 0; k < 50; ++k) {
        for (i = n - 1; i > 0; --i) {
            dc_v3 s = points[i];
            j = rng_int(&r, 0, i);
            points[i] = points[j];
            points[j] = s;
        }
        ASSERT_EQ(DC_OK, faces(points, n, 0, &t));
        ASSERT_SOUND(&t, 1);
        ASSERT_EQ(6, t.faces);
        ASSERT_EQ(12, t.edges);
        ASSERT_EQ(8, t.vertices);
    }
    PASS();
}

TEST prisms_and_cones(void)
{
    dc_hull_topology t;
    int n, i, k;
    for (n = 3; n <= 64; ++n)
        for (k = 0; k < 2; ++k) {
            for (i = 0; i < n; ++i) {
                double a = 6.283185307179586*i/n;
                points[i] = vec(cos(a), sin(a), 0);
                points[n + i] = k ? vec(0, 0, 1) : vec(cos(a), sin(a), 1);
            }
            ASSERT_EQ(DC_OK, faces(points, 2*n, 0, &t));
            ASSERT_SOUND(&t, 1);
            ASSERT_EQ(k ? n + 1 : n + 2, t.faces);
            ASSERT_EQ(k ? n + 1 : 2*n, t.vertices);
        }
    PASS();
}

TEST flat_sets_segments_and_points(void)
{
    dc_hull_topology t;
    rng r;
    int n, i, k;
    rng_seed(&r, 3);
    for (k = 0; k < 200; ++k) {
        double u[3], w[3], o[3];
        dc_v3 e;
        rng_unit3(&r, u);
        rng_unit3(&r, w);
        rng_unit3(&r, o);
        n = rng_int(&r, 3, 40);
        for (i = 0; i < n; ++i) {
            double x = k & 1 ? cos(6.283185307179586*i/n) : rng_int(&r, 0, 4), y = k & 1 ? sin(6.283185307179586*i/n) : rng_int(&r, 0, 4);
            if (i < 3 && !(k & 1)) { x = i == 1 ? 4 : 0; y = i == 2 ? 4 : 0; }
            points[i] = vec(o[0] + x*u[0] + y*w[0], o[1] + x*u[1] + y*w[1], o[2] + x*u[2] + y*w[2]);
        }
        ASSERT_EQ(DC_OK, faces(points, n, 0, &t));
        ASSERT_EQ(2, t.dimension);
        ASSERT_SOUND(&t, 2);
        ASSERT_EQ(2, t.faces);
        if (k & 1) ASSERT_EQ(n, t.vertices);
        e = dc_add(t.normal[0], t.normal[1]);
        ASSERT((double)dc_dot(e, e) < 1e-10);
    }
    for (k = 0; k < 50; ++k) {
        double u[3];
        rng_unit3(&r, u);
        n = rng_int(&r, 1, 20);
        for (i = 0; i < n; ++i) {
            double x = i < 2 ? i : rng_uniform(&r, 0, 1);
            points[i] = vec(5 + x*u[0], x*u[1], x*u[2]);
        }
        ASSERT_EQ(DC_OK, faces(points, n, 0, &t));
        ASSERT_EQ(n > 1, t.dimension);
        ASSERT_SOUND(&t, 1);
        if (n > 1) ASSERT_EQ(1, t.corner[0] + t.corner[1]);
        for (i = 0; i < n; ++i) points[i] = points[0];
        ASSERT_EQ(DC_OK, faces(points, n, 0, &t));
        ASSERT_EQ(0, t.dimension);
        ASSERT_SOUND(&t, 1);
    }
    PASS();
}

/* balls, cubes, needles, plates, lumps, rounded to a lattice or nearly on one plane: every point within tolerance */
TEST any_points_fit_together(void)
{
    dc_hull_topology t;
    rng r;
    long k, n_runs = sweep_count(3000), solids = 0, tight = 0;
    rng_seed(&r, 4);
    for (k = 0; k < n_runs; ++k) {
        int n = k%50 == 0 ? 400 : rng_int(&r, 1, 60), i, kind = rng_int(&r, 0, 5);
        double size = rng_log(&r, 1e-6, 1e6), thin = rng_log(&r, (double)DC_EPS, 1), off = rng_int(&r, 0, 1)*rng_log(&r, 1e-3, 1e3)*size, tol = rng_int(&r, 0, 1) ? 0 : rng_log(&r, 64*(double)DC_EPS, 1e-2), bar;
        for (i = 0; i < n; ++i) {
            double x = rng_uniform(&r, -1, 1), y = rng_uniform(&r, -1, 1), z = rng_uniform(&r, -1, 1), u[3];
            if (kind == 0) { rng_unit3(&r, u); x = u[0]; y = u[1]; z = u[2]; }
            if (kind == 1) { x = rng_int(&r, 0, 2); y = rng_int(&r, 0, 2); z = rng_int(&r, 0, 2); }
            if (kind == 2) { y *= thin; z *= thin; }
            if (kind == 3) z *= thin;
            if (kind == 4) { rng_unit3(&r, u); x = u[0]; y = u[1]; z = (u[2] > 0 ? 1 : -1)*thin*(1 - x*x - y*y); }
            if (kind == 5) { x = cos(6.283185307179586*i/n); y = sin(6.283185307179586*i/n); z = (i & 1)*thin; }
            points[i] = vec(off + size*x, off - size*y, size*z);
        }
        ASSERT_EQ(DC_OK, faces(points, n, tol, &t));
        /* thin against the tolerance, or its length against the distance of its corners: the planes across are loose, but fit together */
        bar = n <= 60 && thin > 1000*(tol > 0 ? tol : 64*(double)DC_EPS)*(1 + off/size) ? 2 : 1e300;
        if (flaw(&t, bar)) printf("  run %ld kind %d n %d thin %g tolerance %g off %g\n", k, kind, n, thin, tol, off/size);
        ASSERT_SOUND(&t, bar);
        tight += bar < 3;
        solids += t.dimension == 3;
    }
    printf("  %ld of %ld solid, %ld with tight planes\n", solids, n_runs, tight);
    ASSERT(n_runs < 100 || tight > n_runs/10);
    PASS();
}

/* ---- climbing ---- */

TEST climbing_finds_the_farthest_point(void)
{
    dc_hull_topology t;
    rng r;
    int k, i;
    rng_seed(&r, 5);
    for (k = 0; k < 300; ++k) {
        int n = k%10 ? rng_int(&r, 1, 100) : 1000, at = rng_int(&r, -3, 1500);
        double u[3], best = -1e300;
        ball(&r, n, points);
        ASSERT_EQ(DC_OK, faces(points, n, 0, &t));
        rng_unit3(&r, u);
        at = dc_hull_support(&t, vec(u[0], u[1], u[2]), at);
        for (i = 0; i < n; ++i) best = fmax(best, (double)dc_dot(vec(u[0], u[1], u[2]), points[i]));
        ASSERT((double)dc_dot(vec(u[0], u[1], u[2]), points[at]) >= best - 4*(double)DC_EPS);
    }
    PASS();
}

TEST distance_of_large_hulls_is_that_of_all_points(void)
{
    dc_hull_topology a, b;
    rng r;
    long k, n_runs = sweep_count(300);
    worst gap = worst_make("gap, climbing against all points, eps S"), room = worst_make("the same, deep");
    rng_seed(&r, 6);
    for (k = 0; k < n_runs; ++k) {
        int n = k%10 ? rng_int(&r, 20, 200) : 1000, m = k%10 ? rng_int(&r, 20, 200) : 1000;
        dc_arena mem = dc_arena_make(memory, sizeof memory), deep = dc_arena_make(scratch, sizeof scratch);
        dc_pose p = {{1, 0, 0, 0}, {0, 0, 0}};
        dc_hull ha, hb;
        dc_distance d = DC_ZERO, e = DC_ZERO;
        double u[3];
        dc_status s;
        ball(&r, n, points);
        ball(&r, m, others);
        rng_unit3(&r, u);
        p.t = dc_scale(DC_R(rng_uniform(&r, k%3 ? 2.1 : 1.5, k%3 ? 5 : 2)), vec(u[0], u[1], u[2]));
        ha = hull_of(points, n);
        hb = hull_of(others, m);
        ha.radius = DC_R(0.01)*DC_R(k%2);
        ASSERT_EQ(DC_OK, dc_hull_faces(&ha, 0, &mem, &a));
        ASSERT_EQ(DC_OK, dc_hull_faces(&hb, 0, &mem, &b));
        s = dc_hull_distance(&ha, NULL, &hb, &p, &deep, &d);
        if (s == DC_E_DIVERGED) continue;
        ASSERT_EQ(DC_OK, s);
        ASSERT_EQ(DC_OK, dc_hull_distance_large(&a, NULL, &b, &p, &deep, &e));
        ASSERT_EQ(0, (int)deep.used);
        worst_add(d.gap > 0 ? &gap : &room, fabs((double)(d.gap - e.gap))/(double)DC_EPS/4, "%ld gap %g", k, (double)d.gap);
        /* warm: fewer supports, the same answer */
        p.t.x += DC_R(1e-4);
        ASSERT_EQ(DC_OK, dc_hull_distance_large(&a, NULL, &b, &p, &deep, &e));
        ASSERT_EQ(DC_OK, dc_hull_distance(&ha, NULL, &hb, &p, &deep, &d));
        worst_add(d.gap > 0 ? &gap : &room, fabs((double)(d.gap - e.gap))/(double)DC_EPS/4, "%ld warm, gap %g", k, (double)d.gap);
        ASSERT(e.ia[0] < n && e.ib[0] < m);
        memset(&d, 0, sizeof d);
        s = dc_hull_distance_large(&a, NULL, &b, &p, NULL, &d);
        ASSERT(s == (e.gap + ha.radius > 0 ? DC_OK : DC_E_OVERLAP));
    }
    {
        int ok = worst_print(&gap, 8);
        ok &= worst_print(&room, 16);
        ASSERT(ok);
    }
    PASS();
}

/* ---- contract ---- */

TEST bad_input_leaves_the_output_alone(void)
{
    const dc_real bad[3] = {(dc_real)NAN, (dc_real)INFINITY, DC_LIMIT*DC_R(1.01)};
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_hull_topology t, keep;
    dc_hull h, none;
    dc_distance d = DC_ZERO;
    rng r;
    size_t need;
    int k;
    rng_seed(&r, 7);
    ball(&r, 30, points);
    h = none = hull_of(points, 30);
    memset(&keep, 0x5a, sizeof keep);
    t = keep;
    none.v = NULL;
    ASSERT_EQ(DC_E_ARG, dc_hull_faces(NULL, 0, &mem, &t));
    ASSERT_EQ(DC_E_ARG, dc_hull_faces(&none, 0, &mem, &t));
    ASSERT_EQ(DC_E_ARG, dc_hull_faces(&h, 0, NULL, &t));
    ASSERT_EQ(DC_E_ARG, dc_hull_faces(&h, 0, &mem, NULL));
    ASSERT_EQ(DC_E_ARG, dc_hull_faces(&h, DC_R(-1e-9), &mem, &t));
    ASSERT_EQ(DC_E_ARG, dc_hull_faces(&h, DC_R(0.011), &mem, &t));
    for (k = 0; k < 3; ++k) {
        ASSERT_EQ(DC_E_ARG, dc_hull_faces(&h, bad[k], &mem, &t));
        h.radius = bad[k];
        ASSERT_EQ(DC_E_ARG, dc_hull_faces(&h, 0, &mem, &t));
        h.radius = 0;
        points[17].y = bad[k];
        ASSERT_EQ(DC_E_ARG, dc_hull_faces(&h, 0, &mem, &t));
        points[17].y = 0;
    }
    h.n = 0;
    ASSERT_EQ(DC_E_ARG, dc_hull_faces(&h, 0, &mem, &t));
    h.n = 30;
    ASSERT_EQ(0, (int)dc_hull_faces_bytes(0));
    ASSERT_EQ(0, (int)dc_hull_faces_bytes(-3));
    ASSERT_EQ(0, (int)dc_hull_faces_bytes((1 << 24) + 1));
    need = dc_hull_faces_bytes(30);
    ASSERT(need > 0);
    mem = dc_arena_make(memory, need - 64);
    ASSERT_EQ(DC_E_MEMORY, dc_hull_faces(&h, 0, &mem, &t));
    ASSERT_EQ(0, (int)mem.used);
    ASSERT_EQ(0, memcmp(&t, &keep, sizeof t));
    mem = dc_arena_make(memory + 1, need);
    ASSERT_EQ(DC_OK, dc_hull_faces(&h, 0, &mem, &t));
    ASSERT(mem.used < need);
    ASSERT_EQ(DC_E_ARG, dc_hull_distance_large(&t, NULL, NULL, NULL, NULL, &d));
    ASSERT_EQ(DC_E_ARG, dc_hull_distance_large(NULL, NULL, &t, NULL, NULL, &d));
    ASSERT_EQ(DC_E_ARG, dc_hull_distance_large(&t, NULL, &t, NULL, NULL, NULL));
    PASS();
}

SUITE(suite)
{
    RUN_TEST(a_box_has_six_faces);
    RUN_TEST(a_lattice_is_a_box);
    RUN_TEST(prisms_and_cones);
    RUN_TEST(flat_sets_segments_and_points);
    RUN_TEST(any_points_fit_together);
    RUN_TEST(climbing_finds_the_farthest_point);
    RUN_TEST(distance_of_large_hulls_is_that_of_all_points);
    RUN_TEST(bad_input_leaves_the_output_alone);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(suite);
    GREATEST_MAIN_END();
}
