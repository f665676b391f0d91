/* Polygons: distances against the table, moments, the makers, and input that is no polygon. */
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

enum { MOST = 64 };

static record rec;

static dc_poly poly_of(const dc_v2 *v, int n)
{
    dc_poly p;
    p.v = v;
    p.n = n;
    return p;
}

/* ---- distances ------------------------------------------------------------------------------------ */

TEST distances_of_the_table(void)
{
    table t;
    worst phi = worst_make("signed distance"), closest = worst_make("closest point"), foot = worst_make("|x - closest| - |d|");
    long n = 0;
    ASSERT(table_open(&t, "grain_polygon_sdf.txt"));
    for (; record_next(&t, &rec); ++n) {
        int m, i;
        const double *x = record_get(&rec, "pts", NULL), *want = record_get(&rec, "phi", &m), *at = record_get(&rec, "closest", NULL);
        grain g;
        dc_poly p = grain_named(&g, rec.item[0].word);
        ASSERT(m > 20);
        for (i = 0; i < m; ++i) {
            dc_v2 y;
            dc_poly_hit hit;
            y.x = (dc_real)x[2*i];
            y.y = (dc_real)x[2*i + 1];
            ASSERT_EQ(DC_OK, dc_poly_distance(&p, y, &hit));
            worst_add(&phi, fabs((double)hit.d - want[i]), "%s point %d", rec.name, i);
            worst_add(&closest, hypot((double)hit.closest.x - at[2*i], (double)hit.closest.y - at[2*i + 1]), "%s point %d", rec.name, i);
            worst_add(&foot, fabs(hypot((double)(y.x - hit.closest.x), (double)(y.y - hit.closest.y)) - fabs((double)hit.d)), "%s point %d", rec.name, i);
            ASSERT(hit.edge >= 0 && hit.edge < p.n && hit.at >= 0 && hit.at <= 1);
        }
    }
    table_close(&t);
    ASSERT_EQ(12, n);
    /* contracted builds round otherwise: 1.8e-15 without, 2.1e-15 with */
    ASSERT(worst_print(&phi, rounded(3e-15, 1e-6)) & worst_print(&closest, rounded(1e-14, 1e-5)) & worst_print(&foot, rounded(2e-15, 1e-6)));
    PASS();
}

TEST a_batch_is_single_points(void)
{
    enum { COUNT = 3*DC_LANES + 5 };
    rng r;
    grain g;
    dc_poly p = grain_named(&g, "hash");
    dc_real x[COUNT], y[COUNT], d[COUNT], cx[COUNT], cy[COUNT];
    int i;
    rng_seed(&r, 3);
    for (i = 0; i < COUNT; ++i) {
        x[i] = (dc_real)rng_uniform(&r, -1.5, 1.5);
        y[i] = (dc_real)rng_uniform(&r, -1.5, 1.5);
    }
    x[0] = g.v[3].x;                /* a vertex */
    y[0] = g.v[3].y;
    ASSERT_EQ(DC_OK, dc_poly_distance_batch(&p, COUNT, x, y, d, cx, cy));
    for (i = 0; i < COUNT; ++i) {
        dc_v2 at;
        dc_poly_hit h;
        at.x = x[i];
        at.y = y[i];
        ASSERT_EQ(DC_OK, dc_poly_distance(&p, at, &h));
#ifdef DC_TEST_NO_CONTRACT
        ASSERT(memcmp(&h.d, &d[i], sizeof h.d) == 0 && memcmp(&h.closest.x, &cx[i], sizeof h.d) == 0 && memcmp(&h.closest.y, &cy[i], sizeof h.d) == 0);
#else
        ASSERT(fabs((double)(h.d - d[i])) <= 8*EPS && fabs((double)(h.closest.x - cx[i])) <= 8*EPS && fabs((double)(h.closest.y - cy[i])) <= 8*EPS);
#endif
    }
    ASSERT(dc_abs(d[0]) <= 0);
    ASSERT_EQ(DC_OK, dc_poly_distance_batch(&p, 0, NULL, NULL, NULL, NULL, NULL));
    PASS();
}

/* whatever the unit of length and the place */
TEST distances_scale(void)
{
    worst w = worst_make("distance over the extent");
    rng r;
    long i, n = sweep_count(2000);
    rng_seed(&r, 5);
    for (i = 0; i < n; ++i) {
        grain g;
        dc_v2 x, y, moved[MOST];
        dc_poly p = grain_named(&g, grain_names[rng_int(&r, 0, GRAINS - 1)]), q = poly_of(moved, p.n);
        double s = rng_log(&r, rounded(1e-30, 1e-6), rounded(1e30, 1e6)), mx = s*rng_uniform(&r, -3, 3), my = s*rng_uniform(&r, -3, 3);
        dc_poly_hit a, b;
        int k;
        x.x = (dc_real)rng_uniform(&r, -2, 2);
        x.y = (dc_real)rng_uniform(&r, -2, 2);
        y.x = (dc_real)(s*(double)x.x + mx);
        y.y = (dc_real)(s*(double)x.y + my);
        for (k = 0; k < p.n; ++k) {
            moved[k].x = (dc_real)(s*(double)p.v[k].x + mx);
            moved[k].y = (dc_real)(s*(double)p.v[k].y + my);
        }
        ASSERT_EQ(DC_OK, dc_poly_distance(&p, x, &a));
        ASSERT_EQ(DC_OK, dc_poly_distance(&q, y, &b));
        worst_add(&w, fabs((double)b.d/s - (double)a.d), "shape of %d vertices, scale %g", p.n, s);
    }
    ASSERT(worst_print(&w, 30*EPS));
    PASS();
}

/* ---- moments ---------------------------------------------------------------------------------------- */

TEST moments(void)
{
    /* a 3 x 1 block off the origin, and an L of two blocks by the theorem of the parallel axis */
    static const dc_v2 block[4] = {{2, 1}, {5, 1}, {5, 2}, {2, 2}};
    static const dc_v2 L[6] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 4}, {0, 4}};
    dc_poly p = poly_of(block, 4), q = poly_of(L, 6);
    dc_poly_moments_of m;
    double cx = (3*1.5 + 3*0.5)/6, cy = (3*0.5 + 3*2.5)/6, inertia;
    ASSERT_EQ(DC_OK, dc_poly_moments(&p, &m));
    ASSERT(fabs((double)m.area - 3) <= 8*EPS && fabs((double)m.centroid.x - 3.5) <= 16*EPS && fabs((double)m.centroid.y - 1.5) <= 16*EPS);
    ASSERT(fabs((double)m.inertia - 3*(9 + 1)/12.) <= 64*EPS && fabs((double)m.radius - sqrt(29.)) <= 16*EPS);
    ASSERT_EQ(DC_OK, dc_poly_moments(&q, &m));
    inertia = 2*3*(9 + 1)/12. + 3*((1.5 - cx)*(1.5 - cx) + (0.5 - cy)*(0.5 - cy)) + 3*((0.5 - cx)*(0.5 - cx) + (2.5 - cy)*(2.5 - cy));
    ASSERT(fabs((double)m.area - 6) <= 16*EPS && fabs((double)m.centroid.x - cx) <= 16*EPS && fabs((double)m.centroid.y - cy) <= 16*EPS);
    ASSERT(fabs((double)m.inertia - inertia) <= 64*EPS*inertia);
    PASS();
}

TEST centring(void)
{
    dc_v2 v[6] = {{10, 0}, {13, 0}, {13, 1}, {11, 1}, {11, 4}, {10, 4}}, w[6];
    dc_poly p = poly_of(v, 6);
    dc_poly_moments_of m;
    int k;
    ASSERT_EQ(DC_OK, dc_poly_centre(6, v, DC_R(2.5)));
    ASSERT_EQ(DC_OK, dc_poly_moments(&p, &m));
    ASSERT(fabs((double)m.radius - 2.5) <= 16*EPS && fabs((double)m.centroid.x) <= 64*EPS && fabs((double)m.centroid.y) <= 64*EPS);
    /* radius 0: the size stays */
    for (k = 0; k < 6; ++k) v[k].x += 7;
    ASSERT_EQ(DC_OK, dc_poly_centre(6, v, 0));
    ASSERT_EQ(DC_OK, dc_poly_moments(&p, &m));
    ASSERT(fabs((double)m.radius - 2.5) <= 64*EPS && fabs((double)m.centroid.x) <= 64*EPS);
    memcpy(w, v, sizeof v);
    ASSERT_EQ(DC_E_ARG, dc_poly_centre(6, v, -1));
    ASSERT_EQ(DC_E_ARG, dc_poly_centre(2, v, 1));
    ASSERT(memcmp(v, w, sizeof v) == 0);
    PASS();
}

/* ---- makers ------------------------------------------------------------------------------------------- */

TEST named_shapes_are_those_of_the_table(void)
{
    table t;
    worst w = worst_make("vertices");
    char word[64];
    long shapes = 0;
    ASSERT(table_open(&t, "grain_shapes.txt"));
    while (table_word(&t, word)) {
        int n, i, got = -1;
        dc_v2 v[DC_POLY_NAMED_MOST];
        dc_poly p;
        const char *name;
        ASSERT(strcmp(word, "shape") == 0 && table_word(&t, word) && table_int(&t, &n));
        name = strcmp(word, "hash") == 0 ? "#" : strcmp(word, "square") == 0 ? "block" : word;
        ASSERT_EQ(DC_OK, dc_poly_named(name, n, v, &got));
        ASSERT_EQ(n, got);
        for (i = 0; i < n; ++i) {
            double xy[2];
            ASSERT(table_reals(&t, xy, 2));
            worst_add(&w, fmax(fabs((double)v[i].x - xy[0]), fabs((double)v[i].y - xy[1])), "%s vertex %d", word, i);
        }
        p = poly_of(v, n);
        ASSERT_EQ(DC_OK, dc_poly_check(&p));
        got = -1;
        memset(v, PATTERN, sizeof v);
        ASSERT_EQ(DC_E_MEMORY, dc_poly_named(name, n - 1, v, &got));
        ASSERT(got == n && untouched(v, sizeof v));
        ++shapes;
    }
    table_close(&t);
    ASSERT_EQ(12, shapes);
    ASSERT(worst_print(&w, rounded(4e-15, 2e-6)));
    PASS();
}

TEST arcs(void)
{
    dc_v2 v[80];
    dc_poly p;
    dc_poly_moments_of m;
    int n = 0, i;
    double half = 3.141592653589793/24, area;
    /* half a ring of 12 chords each side: 12 sectors' chords between the radii 2.5 and 1.5 */
    ASSERT_EQ(DC_OK, dc_poly_arc(2, 1, DC_R(0.5), 12, 80, v, &n));
    ASSERT_EQ(26, n);
    p = poly_of(v, n);
    ASSERT_EQ(DC_OK, dc_poly_check(&p));
    ASSERT_EQ(DC_OK, dc_poly_moments(&p, &m));
    area = 12*sin(half)*cos(half)*(2.5*2.5 - 1.5*1.5);
    ASSERT(fabs((double)m.area - area) <= 64*EPS*area && fabs((double)m.centroid.x) <= 64*EPS && m.centroid.y < 0);
    for (i = 0; i < n; ++i) {
        double r = hypot((double)v[i].x, (double)v[i].y);
        ASSERT(fabs(r - (i < 13 ? 2.5 : 1.5)) <= 8*EPS && (double)v[i].y <= 8*EPS);
    }
    ASSERT_EQ(DC_OK, dc_poly_arc(2, 1, 1, 0, 80, v, &n));
    ASSERT_EQ(32, n);
    ASSERT_EQ(DC_OK, dc_poly_arc(2, 1, 1, 1, 80, v, &n));
    ASSERT_EQ(3, n);
    ASSERT_EQ(DC_OK, dc_poly_arc(2, 1, DC_R(0.48), 0, 80, v, &n));         /* 24 share, rounded: 12 */
    ASSERT_EQ(26, n);
    ASSERT_EQ(DC_E_MEMORY, dc_poly_arc(2, 1, DC_R(0.75), 20, 41, v, &n));
    ASSERT_EQ(42, n);
    ASSERT_EQ(DC_E_ARG, dc_poly_arc(2, 4, DC_R(0.75), 0, 80, v, &n));
    ASSERT_EQ(DC_E_ARG, dc_poly_arc(2, 1, 0, 0, 80, v, &n));
    ASSERT_EQ(DC_E_ARG, dc_poly_arc(2, 1, (dc_real)NAN, 0, 80, v, &n));
    ASSERT_EQ(DC_E_ARG, dc_poly_arc(2, 1, DC_R(0.5), -1, 80, v, &n));
    PASS();
}

/* the corner of `a` that is nearest to each of `b` */
static double corners_apart(const dc_v2 *a, int na, const dc_v2 *b, int nb)
{
    double most = 0;
    int i, k;
    for (i = 0; i < nb; ++i) {
        double least = HUGE_VAL;
        for (k = 0; k < na; ++k) least = fmin(least, hypot((double)(a[k].x - b[i].x), (double)(a[k].y - b[i].y)));
        most = fmax(most, least);
    }
    return most;
}

static dc_poly box_at(dc_v2 v[4], double x0, double y0, double x1, double y1)
{
    v[0].x = v[3].x = (dc_real)x0;
    v[1].x = v[2].x = (dc_real)x1;
    v[0].y = v[1].y = (dc_real)y0;
    v[2].y = v[3].y = (dc_real)y1;
    return poly_of(v, 4);
}

TEST unions_of_convex_pieces(void)
{
    dc_v2 bar[4][4], v[64], want[DC_POLY_NAMED_MOST], turned[4][4];
    dc_poly piece[4];
    int n = 0, m = 0, k, i;
    /* four bars that cross: # with its hole filled */
    piece[0] = box_at(bar[0], -1, 0.25, 1, 0.55);
    piece[1] = box_at(bar[1], -1, -0.55, 1, -0.25);
    piece[2] = box_at(bar[2], -0.55, -1, -0.25, 1);
    piece[3] = box_at(bar[3], 0.25, -1, 0.55, 1);
    ASSERT_EQ(DC_OK, dc_poly_union(4, piece, 64, v, &n));
    ASSERT_EQ(28, n);
    ASSERT_EQ(DC_OK, dc_poly_centre(n, v, 1));
    ASSERT_EQ(DC_OK, dc_poly_named("#", DC_POLY_NAMED_MOST, want, &m));
    ASSERT(corners_apart(v, n, want, m) <= 8*EPS);

    /* the same, turned */
    for (k = 0; k < 4; ++k) {
        for (i = 0; i < 4; ++i) {
            turned[k][i].x = DC_R(0.8)*bar[k][i].x - DC_R(0.6)*bar[k][i].y;
            turned[k][i].y = DC_R(0.6)*bar[k][i].x + DC_R(0.8)*bar[k][i].y;
        }
        piece[k] = poly_of(turned[k], 4);
    }
    ASSERT_EQ(DC_OK, dc_poly_union(4, piece, 64, v, &n));
    ASSERT_EQ(28, n);

    /* three that share edges: an L; the corner between the first two goes straight on */
    piece[0] = box_at(bar[0], 0, 0, 1, 1);
    piece[1] = box_at(bar[1], 1, 0, 3, 1);
    piece[2] = box_at(bar[2], 0, 1, 1, 4);
    ASSERT_EQ(DC_OK, dc_poly_union(3, piece, 6, v, &n));
    ASSERT_EQ(6, n);
    m = -1;
    ASSERT_EQ(DC_E_MEMORY, dc_poly_union(3, piece, 5, v, &m));
    ASSERT(m >= 6);

    /* apart; a corner in common; one inside another; not convex */
    piece[0] = box_at(bar[0], 0, 0, 1, 1);
    piece[1] = box_at(bar[1], 2, 0, 3, 1);
    ASSERT_EQ(DC_E_ARG, dc_poly_union(2, piece, 64, v, &n));
    piece[1] = box_at(bar[1], 1, 1, 2, 2);
    ASSERT_EQ(DC_E_ARG, dc_poly_union(2, piece, 64, v, &n));
    piece[1] = box_at(bar[1], 0.25, 0.25, 0.5, 0.75);
    ASSERT_EQ(DC_OK, dc_poly_union(2, piece, 64, v, &n));
    ASSERT_EQ(4, n);
    ASSERT_EQ(DC_OK, dc_poly_union(1, piece, 64, v, &n));
    ASSERT_EQ(4, n);
    piece[1] = poly_of(want, m = 28);
    ASSERT_EQ(DC_E_ARG, dc_poly_union(2, piece, 64, v, &n));
    PASS();
}

/* random overlapping pieces: the area is that of a fine count of points */
TEST unions_hold_what_their_pieces_hold(void)
{
    rng r;
    long i, n = sweep_count(200), made = 0;
    rng_seed(&r, 11);
    for (i = 0; i < n; ++i) {
        dc_v2 corner[5][8], v[256];
        dc_poly piece[5], out;
        int pieces = rng_int(&r, 2, 5), k, j, m = 0, tries;
        for (k = 0; k < pieces; ++k) {
            int sides = rng_int(&r, 3, 8);
            double x = 0.7*rng_uniform(&r, -1, 1), y = 0.7*rng_uniform(&r, -1, 1), turn = rng_uniform(&r, 0, 6), size = rng_uniform(&r, 0.3, 1);
            for (j = 0; j < sides; ++j) {
                double a = turn + 6.283185307179586*j/sides;
                corner[k][j].x = (dc_real)(x + size*cos(a));
                corner[k][j].y = (dc_real)(y + size*sin(a));
            }
            piece[k] = poly_of(corner[k], sides);
        }
        if (dc_poly_union(pieces, piece, 256, v, &m) != DC_OK) continue;        /* they do not hang together */
        ++made;
        out = poly_of(v, m);
        ASSERT_EQ(DC_OK, dc_poly_check(&out));
        for (tries = 0; tries < 100; ++tries) {
            dc_v2 x;
            dc_poly_hit h, whole;
            dc_real least = DC_REAL_MAX;
            x.x = (dc_real)rng_uniform(&r, -1.7, 1.7);
            x.y = (dc_real)rng_uniform(&r, -1.7, 1.7);
            ASSERT_EQ(DC_OK, dc_poly_distance(&out, x, &whole));
            for (k = 0; k < pieces; ++k) {
                ASSERT_EQ(DC_OK, dc_poly_distance(&piece[k], x, &h));
                least = dc_min(least, h.d);
            }
            /* outside the distance from a union is the least of the distances, but for filled holes; inside it is inside */
            if (whole.d > 0) ASSERT(fabs((double)(whole.d - least)) <= rounded(1e-8, 1e-4));
            if (least < -DC_R(1e-3)) ASSERT(whole.d <= 0);
        }
    }
    printf("%ld of %ld hang together\n", made, n);
    ASSERT(2*made >= n);
    PASS();
}

/* ---- polygons on a small grid, where everything can be counted ------------------------------------------- */

enum { GRID = 4, GRID_MOST = 7 };
typedef struct { int x, y; } grid_point;

static int grid_side(grid_point a, grid_point b, grid_point c)
{
    int s = (b.x - a.x)*(c.y - a.y) - (b.y - a.y)*(c.x - a.x);
    return (s > 0) - (s < 0);
}

/* is c, on the line of a and b, between them? */
static int grid_between(grid_point a, grid_point b, grid_point c)
{
    return (c.x - a.x)*(c.x - b.x) <= 0 && (c.y - a.y)*(c.y - b.y) <= 0;
}

static int grid_meet(grid_point a, grid_point b, grid_point c, grid_point d)
{
    int s = grid_side(a, b, c), t = grid_side(a, b, d), u = grid_side(c, d, a), v = grid_side(c, d, b);
    if (s*t < 0 && u*v < 0) return 1;
    return (s == 0 && grid_between(a, b, c)) || (t == 0 && grid_between(a, b, d)) || (u == 0 && grid_between(c, d, a))
        || (v == 0 && grid_between(c, d, b));
}

/* what dc_poly_check promises, in integers */
static int grid_simple(int n, const grid_point *p)
{
    int i, j, area = 0;
    for (i = 0; i < n; ++i) {
        grid_point a = p[i], b = p[(i + 1)%n], c = p[(i + 2)%n];
        area += a.x*b.y - b.x*a.y;
        if (a.x == b.x && a.y == b.y) return 0;
        if (grid_side(a, b, c) == 0 && (b.x - a.x)*(c.x - b.x) + (b.y - a.y)*(c.y - b.y) <= 0) return 0;
        for (j = 0; j < n; ++j)
            if (j != i && (j + 1)%n != i && (i + 1)%n != j && grid_meet(a, b, p[j], p[(j + 1)%n])) return 0;
    }
    return area > 0;
}

/* Is what dc_poly_check refuses just what is no polygon, and are points inside on the negative side, also those level with vertices?
 * Here by the angle that the outline turns about them. */
TEST polygons_on_a_small_grid(void)
{
    rng r;
    long i, n = sweep_count(20000), simple = 0;
    rng_seed(&r, 23);
    for (i = 0; i < n; ++i) {
        grid_point g[GRID_MOST];
        dc_v2 v[GRID_MOST], back[GRID_MOST];
        dc_poly p = poly_of(v, rng_int(&r, 3, GRID_MOST)), q = poly_of(back, p.n);
        int k, x, y, ok;
        for (k = 0; k < p.n; ++k) {
            g[k].x = rng_int(&r, 0, GRID);
            g[k].y = rng_int(&r, 0, GRID);
            v[k].x = (dc_real)g[k].x;
            v[k].y = (dc_real)g[k].y;
            back[p.n - 1 - k] = v[k];
        }
        ok = grid_simple(p.n, g);
        ASSERT_EQ(ok ? DC_OK : DC_E_ARG, dc_poly_check(&p));
        if (!ok) continue;
        ++simple;
        ASSERT_EQ(DC_E_ARG, dc_poly_check(&q));
        for (x = -1; x <= 2*GRID + 1; ++x)
            for (y = -1; y <= 2*GRID + 1; ++y) {
                dc_v2 at;
                dc_poly_hit h;
                dc_real many = 1, turned = 1;
                double angle = 0;
                at.x = DC_R(0.5)*(dc_real)x;
                at.y = DC_R(0.5)*(dc_real)y;
                ASSERT_EQ(DC_OK, dc_poly_distance(&p, at, &h));
                /* on the outline, of which contracted products leave a rounding; all others are a hundredth off it or more */
                if (dc_abs(h.d) <= DC_R(1e-3)) continue;
                for (k = 0; k < p.n; ++k) {
                    double ax = (double)(v[k].x - at.x), ay = (double)(v[k].y - at.y);
                    double bx = (double)(v[(k + 1)%p.n].x - at.x), by = (double)(v[(k + 1)%p.n].y - at.y);
                    angle += atan2(ax*by - ay*bx, ax*bx + ay*by);
                }
                ASSERT_EQ(angle > 3, h.d < 0);
                ASSERT_EQ(DC_OK, dc_poly_distance_batch(&p, 1, &at.x, &at.y, &many, NULL, NULL));
                ASSERT_EQ(h.d < 0, many < 0);
                /* an outline the other way round has the same inside */
                ASSERT_EQ(DC_OK, dc_poly_distance_batch(&q, 1, &at.x, &at.y, &turned, NULL, NULL));
                ASSERT_EQ(h.d < 0, turned < 0);
            }
    }
    printf("  %ld of %ld are polygons\n", simple, n);
    ASSERT(10*simple >= n || simple > 0);
    PASS();
}

/* ---- hostile input -------------------------------------------------------------------------------------- */

TEST no_polygon_is_accepted(void)
{
    static const dc_v2 square[4] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, clockwise[4] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    static const dc_v2 bow[4] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}}, twice[5] = {{0, 0}, {1, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const dc_v2 spike[5] = {{0, 0}, {1, 0}, {2, 0}, {1, 0}, {0, 1}}, needle[5] = {{0, 0}, {2, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const dc_v2 touch[6] = {{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}, {-1, 1}}, line[3] = {{0, 0}, {1, 1}, {2, 2}};
    static const dc_v2 eight[6] = {{0, 0}, {2, 0}, {2, 1}, {1, -1}, {0, 1}, {-1, 1}}, wound[6] = {{0, 0}, {2, 0}, {1, 2}, {0, 0}, {2, 0}, {1, 2}};
    dc_v2 bad[4];
    dc_poly p = poly_of(square, 4);
    dc_real nan_ = (dc_real)NAN;
    int k;
    ASSERT_EQ(DC_OK, dc_poly_check(&p));
    p.n = 2; ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p.n = 0; ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p.n = -1; ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p = poly_of(clockwise, 4); ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p = poly_of(bow, 4); ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p = poly_of(twice, 5); ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p = poly_of(spike, 5); ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p = poly_of(needle, 5); ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p = poly_of(touch, 6); ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p = poly_of(line, 3); ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p = poly_of(eight, 6); ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p = poly_of(wound, 6); ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    p = poly_of(NULL, 4); ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    ASSERT_EQ(DC_E_ARG, dc_poly_check(NULL));
    p = poly_of(bad, 4);
    for (k = 0; k < 8; ++k) {
        memcpy(bad, square, sizeof bad);
        *(k & 1 ? &bad[k/2].x : &bad[k/2].y) = k < 4 ? nan_ : k < 6 ? (dc_real)HUGE_VAL : 2*DC_LIMIT;
        ASSERT_EQ(DC_E_ARG, dc_poly_check(&p));
    }
    PASS();
}

TEST bad_arguments_leave_outputs_alone(void)
{
    static const dc_v2 square[4] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    dc_poly p = poly_of(square, 4), none = poly_of(square, 2);
    dc_v2 x = {0, 0}, bad;
    dc_poly_hit h;
    dc_poly_moments_of m;
    dc_real xs[3] = {0, 0, 0}, ys[3] = {0, (dc_real)NAN, 0}, d[3];
    memset(&h, PATTERN, sizeof h);
    memset(&m, PATTERN, sizeof m);
    memset(d, PATTERN, sizeof d);
    bad.x = (dc_real)NAN;
    bad.y = 0;
    ASSERT_EQ(DC_E_ARG, dc_poly_distance(&p, bad, &h));
    ASSERT_EQ(DC_E_ARG, dc_poly_distance(&none, x, &h));
    ASSERT_EQ(DC_E_ARG, dc_poly_distance(NULL, x, &h));
    ASSERT_EQ(DC_E_ARG, dc_poly_distance(&p, x, NULL));
    ASSERT_EQ(DC_E_ARG, dc_poly_distance_batch(&p, 3, xs, ys, d, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_poly_distance_batch(&p, -1, xs, xs, d, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_poly_distance_batch(&p, 3, NULL, xs, d, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_poly_distance_batch(&none, 3, xs, xs, d, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_poly_moments(&none, &m));
    ASSERT_EQ(DC_E_ARG, dc_poly_moments(&p, NULL));
    ASSERT(untouched(&h, sizeof h) && untouched(&m, sizeof m) && untouched(d, sizeof d));
    ASSERT_EQ(DC_E_ARG, dc_poly_named("o", 64, &bad, NULL));
    {
        int n = -7;
        dc_v2 v[DC_POLY_NAMED_MOST];
        ASSERT_EQ(DC_E_ARG, dc_poly_named("o", DC_POLY_NAMED_MOST, v, &n));
        ASSERT_EQ(DC_E_ARG, dc_poly_named("", DC_POLY_NAMED_MOST, v, &n));
        ASSERT_EQ(DC_E_ARG, dc_poly_named(NULL, DC_POLY_NAMED_MOST, v, &n));
        ASSERT_EQ(DC_E_ARG, dc_poly_union(0, &p, 64, v, &n));
        ASSERT_EQ(DC_E_ARG, dc_poly_union(1, NULL, 64, v, &n));
        ASSERT_EQ(-7, n);
    }
    PASS();
}

SUITE(polygons)
{
    RUN_TEST(distances_of_the_table);
    RUN_TEST(a_batch_is_single_points);
    RUN_TEST(distances_scale);
    RUN_TEST(moments);
    RUN_TEST(centring);
    RUN_TEST(named_shapes_are_those_of_the_table);
    RUN_TEST(arcs);
    RUN_TEST(unions_of_convex_pieces);
    RUN_TEST(unions_hold_what_their_pieces_hold);
    RUN_TEST(polygons_on_a_small_grid);
    RUN_TEST(no_polygon_is_accepted);
    RUN_TEST(bad_arguments_leave_outputs_alone);
}

GREATEST_MAIN_DEFS();
int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(polygons);
    GREATEST_MAIN_END();
}
