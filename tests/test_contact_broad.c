/* Pairs of moving boxes and the tree of boxes, against all pairs and all boxes one by one. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include "greatest.h"
#include "support.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

GREATEST_MAIN_DEFS();

enum { MOST_BOXES = 600, MOST_PAIRS = MOST_BOXES*(MOST_BOXES - 1)/2, BYTES = 1 << 23 };

static unsigned char memory[BYTES + 2*DC_ALIGN];
static dc_aabb box[MOST_BOXES];
static dc_v3 centre[MOST_BOXES];
static dc_real radius[MOST_BOXES];
static int group[MOST_BOXES], order[MOST_BOXES], pair[2*MOST_PAIRS], pair2[2*MOST_PAIRS], want[2*MOST_PAIRS];

static dc_real inf(void) { return (dc_real)HUGE_VAL; }

/* ---- scenes ---- */

enum { CLOUD, FLOOR, LINE, EQUAL, TOUCHING, POINTS, MIXED, HUGE_ONE, FAR_ONES, SOME_EMPTY, TOWER, SCENES };
static const char *const scene_name[SCENES] = {"cloud", "floor", "line", "equal", "touching", "points", "mixed", "huge one",
                                               "far ones", "some empty", "tower"};

static void scene_make(rng *r, int scene, int n, double size)
{
    int i;
    double side = 1.2*cbrt((double)n);
    for (i = 0; i < n; ++i) {
        double c[3], h[3];
        int k;
        for (k = 0; k < 3; ++k) {
            c[k] = rng_uniform(r, 0, side);
            h[k] = rng_uniform(r, 0.2, 0.7);
        }
        if (scene == FLOOR) c[2] = rng_uniform(r, 0, 0.3);
        if (scene == FLOOR && i == 0) { c[2] = -1; h[0] = h[1] = 2*side; h[2] = 1; }
        if (scene == LINE) c[1] = c[0]*1e-3;
        if (scene == EQUAL) { c[0] = c[1] = c[2] = 1; h[0] = h[1] = h[2] = 0.5; }
        if (scene == TOUCHING) {
            int side_n = (int)cbrt((double)n) + 1;
            c[0] = i%side_n; c[1] = i/side_n%side_n; c[2] = i/side_n/side_n;
            h[0] = h[1] = h[2] = 0.5;
        }
        if (scene == POINTS) { c[0] = rng_int(r, 0, 3); c[1] = rng_int(r, 0, 3); c[2] = 0; h[0] = h[1] = h[2] = 0; }
        if (scene == MIXED) for (k = 0; k < 3; ++k) h[k] = rng_log(r, 1e-3, side);
        if (scene == HUGE_ONE && i == n/2) for (k = 0; k < 3; ++k) h[k] = (double)DC_LIMIT/2/size;
        if (scene == FAR_ONES && i%7 == 0) c[rng_int(r, 0, 2)] = rng_uniform(r, -1, 1)*(double)DC_LIMIT/2/size;
        if (scene == TOWER) { c[0] = rng_uniform(r, 0, 1); c[1] = rng_uniform(r, 0, 1); }
        centre[i] = dc_vec(DC_R(size*c[0]), DC_R(size*c[1]), DC_R(size*c[2]));
        radius[i] = DC_R(size*h[0]);
        box[i].lo = dc_sub(centre[i], dc_vec(DC_R(size*h[0]), DC_R(size*h[1]), DC_R(size*h[2])));
        box[i].hi = dc_add(centre[i], dc_vec(DC_R(size*h[0]), DC_R(size*h[1]), DC_R(size*h[2])));
        if (scene == SOME_EMPTY && i%3 == 0) {
            box[i].lo.y = box[i].hi.y + 1;
            radius[i] = -1;
        }
        group[i] = rng_int(r, 0, 4);
    }
}

static void scene_move(rng *r, int n, double step)
{
    int i;
    for (i = 0; i < n; ++i) {
        dc_v3 d = dc_vec(DC_R(rng_uniform(r, -step, step)), DC_R(rng_uniform(r, -step, step)), DC_R(rng_uniform(r, -step, step)));
        if (dc_abs(centre[i].x) + dc_abs(centre[i].y) + dc_abs(centre[i].z) > DC_LIMIT/4) continue;
        centre[i] = dc_add(centre[i], d);
        box[i].lo = dc_add(box[i].lo, d);
        box[i].hi = dc_add(box[i].hi, d);
    }
}

/* ---- brute force ---- */

static int apart(dc_real lo, dc_real margin, dc_real hi)
{
    volatile dc_real lowered = lo - margin;
    return lowered > hi;
}

static int boxes_meet(const dc_aabb *a, const dc_aabb *b, dc_real m)
{
    if (a->lo.x > a->hi.x || a->lo.y > a->hi.y || a->lo.z > a->hi.z) return 0;
    if (b->lo.x > b->hi.x || b->lo.y > b->hi.y || b->lo.z > b->hi.z) return 0;
    return !apart(a->lo.x, m, b->hi.x) && !apart(b->lo.x, m, a->hi.x) && !apart(a->lo.y, m, b->hi.y)
        && !apart(b->lo.y, m, a->hi.y) && !apart(a->lo.z, m, b->hi.z) && !apart(b->lo.z, m, a->hi.z);
}

static int spheres_meet(int i, int j, dc_real m)
{
    dc_v3 d = dc_sub(centre[i], centre[j]);
    dc_real reach = radius[i] + radius[j] + m;
    return radius[i] >= 0 && radius[j] >= 0 && dc_dot(d, d) <= reach*reach;
}

static int brute(int n, dc_real margin, int grouped, int spheres)
{
    int i, j, m = 0;
    for (i = 0; i < n; ++i)
        for (j = i + 1; j < n; ++j) {
            if (grouped && group[i] != 0 && group[i] == group[j]) continue;
            if (spheres ? !spheres_meet(i, j, margin) : !boxes_meet(&box[i], &box[j], margin)) continue;
            want[2*m] = i;
            want[2*m + 1] = j;
            ++m;
        }
    return m;
}

/* a byte behind an aligned address, so that all is used that dc_..._bytes allows for alignment */
static dc_arena exactly(size_t bytes)
{
    return dc_arena_make(memory + 1 + ((0 - (size_t)(uintptr_t)memory) & (DC_ALIGN - 1)), bytes);
}

/* every scene, moving: with the order kept, without, and in between after a stretch of other boxes */
TEST pairs_are_those_of_all(void)
{
    static const int sizes[] = {1, 2, 3, 17, 130, MOST_BOXES};
    rng r;
    int scene, s, frame, spheres, total = 0;
    rng_seed(&r, 20);
    for (scene = 0; scene < SCENES; ++scene)
        for (s = 0; s < 6; ++s)
            for (spheres = 0; spheres < 2; ++spheres) {
                const int n = sizes[s];
                const double size = s == 3 ? 1e-3 : s == 4 ? 1e3 : 1;
                dc_broad_order last;
                dc_broad_options opt = DC_ZERO;
                last.order = order;
                last.axis = 0;
                memset(order, 0, sizeof order);
                scene_make(&r, scene, n, size);
                for (frame = 0; frame < 4; ++frame) {
                    dc_arena mem = exactly(dc_broad_bytes(n, MOST_PAIRS));
                    dc_status st;
                    int count = -1, count2 = -1, m;
                    opt.group = frame == 1 ? group : NULL;
                    opt.margin = frame == 2 ? DC_R(0.1*size) : 0;
                    opt.last = &last;
                    m = brute(n, opt.margin, frame == 1, spheres);
                    st = spheres ? dc_broad_spheres(&opt, n, centre, radius, &mem, MOST_PAIRS, pair, &count)
                                 : dc_broad(&opt, n, box, &mem, MOST_PAIRS, pair, &count);
                    ASSERT_EQ_FMT(DC_OK, st, "%d");
                    ASSERT_EQ(0, mem.used);
                    if (count != m || memcmp(pair, want, 2*(size_t)m*sizeof *pair) != 0) {
                        printf("  %s of %d, frame %d, spheres %d: %d pairs, not %d\n", scene_name[scene], n, frame, spheres, count, m);
                        FAIL();
                    }
                    opt.last = NULL;
                    mem = exactly(dc_broad_bytes(n, m));
                    st = spheres ? dc_broad_spheres(&opt, n, centre, radius, &mem, m, pair2, &count2)
                                 : dc_broad(&opt, n, box, &mem, m, m > 0 ? pair2 : NULL, &count2);
                    ASSERT_EQ_FMT(DC_OK, st, "%d");
                    ASSERT(count2 == m && memcmp(pair2, want, 2*(size_t)m*sizeof *pair) == 0);
                    scene_move(&r, n, 0.05*size);
                    total += m;
                }
            }
    printf("  %d pairs in all\n", total);
    PASS();
}

/* the order that is kept is one of the boxes by their lower ends, and any other one is only slower */
TEST any_order_will_do(void)
{
    rng r;
    int n = 300, i, k, m, count;
    dc_broad_order last;
    dc_broad_options opt = DC_ZERO;
    dc_arena mem = exactly(BYTES);
    rng_seed(&r, 3);
    scene_make(&r, CLOUD, n, 1);
    m = brute(n, 0, 0, 0);
    opt.last = &last;
    last.order = order;
    for (k = 0; k < 6; ++k) {
        last.axis = k == 0 ? 2 : k == 1 ? -7 : k == 2 ? INT_MAX : 1;
        for (i = 0; i < n; ++i) order[i] = k == 3 ? n - 1 - i : k == 4 ? i/2 : k == 5 ? INT_MIN : i;
        ASSERT_EQ(DC_OK, dc_broad(&opt, n, box, &mem, MOST_PAIRS, pair, &count));
        ASSERT(count == m && memcmp(pair, want, 2*(size_t)m*sizeof *pair) == 0);
        ASSERT(last.axis >= 0 && last.axis < 3);
        for (i = 1; i < n; ++i) {
            dc_v3 a = box[order[i - 1]].lo, b = box[order[i]].lo;
            ASSERT(last.axis == 0 ? a.x <= b.x : last.axis == 1 ? a.y <= b.y : a.z <= b.z);
        }
    }
    last.order = NULL;
    ASSERT_EQ(DC_OK, dc_broad(&opt, n, box, &mem, MOST_PAIRS, pair, &count));
    ASSERT_EQ(m, count);
    PASS();
}

TEST broad_bad_input(void)
{
    rng r;
    int n = 20, m, count = -5;
    size_t need;
    dc_broad_options opt = DC_ZERO;
    dc_arena mem = exactly(BYTES), none = dc_arena_make(NULL, 0), few;
    dc_aabb keep;
    rng_seed(&r, 4);
    scene_make(&r, EQUAL, n, 1);
    m = brute(n, 0, 0, 0);
    ASSERT_EQ(190, m);
    memset(pair, 77, sizeof pair);

    /* the list is too short */
    ASSERT_EQ(DC_E_RANGE, dc_broad(&opt, n, box, &mem, 7, pair, &count));
    ASSERT(count == m && pair[13] < n && pair[14] > n);
    ASSERT_EQ(DC_E_RANGE, dc_broad(&opt, n, box, &mem, 0, NULL, &count));
    ASSERT_EQ(m, count);

    /* arguments before memory; nothing is written */
    memset(pair, 77, sizeof pair);
    count = -5;
    need = dc_broad_bytes(n, m);
    few = exactly(need - 1);
    ASSERT_EQ(DC_E_MEMORY, dc_broad_spheres(&opt, n, centre, radius, &few, m, pair, &count));
    few = exactly(need - (size_t)n*sizeof(dc_aabb) - DC_ALIGN);         /* boxes around spheres are not needed here */
    ASSERT_EQ(DC_E_MEMORY, dc_broad(&opt, n, box, &few, m, pair, &count));
    ASSERT_EQ(DC_E_MEMORY, dc_broad(&opt, n, box, &none, m, pair, &count));
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, -1, box, &none, m, pair, &count));
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, n, NULL, &none, m, pair, &count));
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, n, box, &none, m, NULL, &count));
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, n, box, &none, -1, pair, &count));
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, n, box, &none, m, pair, NULL));
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, n, box, NULL, m, pair, &count));
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, INT_MAX, box, &none, m, pair, &count));
    opt.margin = -1;
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, n, box, &none, m, pair, &count));
    opt.margin = inf() - inf();
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, n, box, &none, m, pair, &count));
    opt.margin = 0;
    keep = box[n - 1];
    box[n - 1].hi.z = inf();
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, n, box, &mem, m, pair, &count));
    box[n - 1].hi.z = inf() - inf();
    ASSERT_EQ(DC_E_ARG, dc_broad(&opt, n, box, &mem, m, pair, &count));
    box[n - 1] = keep;
    centre[3].x = inf();
    ASSERT_EQ(DC_E_ARG, dc_broad_spheres(&opt, n, centre, radius, &mem, m, pair, &count));
    centre[3].x = 0;
    radius[3] = inf() - inf();
    ASSERT_EQ(DC_E_ARG, dc_broad_spheres(&opt, n, centre, radius, &mem, m, pair, &count));
    ASSERT(count == -5 && pair[0] == pair[1]);
    ASSERT_EQ(0, mem.used);

    /* none at all */
    ASSERT_EQ(DC_OK, dc_broad(NULL, 0, NULL, &mem, 0, NULL, &count));
    ASSERT_EQ(0, count);
    ASSERT_EQ(DC_OK, dc_broad_spheres(NULL, 0, NULL, NULL, &mem, 0, NULL, &count));
    ASSERT(dc_broad_bytes(0, 0) > 0 && dc_broad_bytes(-1, 0) == 0 && dc_broad_bytes(0, -1) == 0 && dc_broad_bytes(INT_MAX, 0) == 0);
    PASS();
}

/* ---- the tree ---- */

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* the numbers that a search finds, ascending */
static int found(const dc_tree *tree, dc_tree_walk *w, int *to)
{
    int m = 0, k;
    while ((k = dc_tree_next(tree, w)) >= 0 && m < MOST_BOXES) to[m++] = k;
    qsort(to, (size_t)m, sizeof *to, by_number);
    return m;
}

/* time in long double at which a ray enters a box grown by half; -1: never */
static long double enters(const dc_ray *ray, const dc_v3 *half, const dc_aabb *b)
{
    const long double o[3] = {(long double)ray->origin.x, (long double)ray->origin.y, (long double)ray->origin.z};
    const long double d[3] = {(long double)ray->dir.x, (long double)ray->dir.y, (long double)ray->dir.z};
    const long double lo[3] = {(long double)b->lo.x, (long double)b->lo.y, (long double)b->lo.z};
    const long double hi[3] = {(long double)b->hi.x, (long double)b->hi.y, (long double)b->hi.z};
    const long double g[3] = {half ? (long double)half->x : 0, half ? (long double)half->y : 0, half ? (long double)half->z : 0};
    long double from = 0, to = (long double)ray->length;
    int k;
    for (k = 0; k < 3; ++k) {
        long double s, t;
        if (lo[k] > hi[k]) return -1;
        if (d[k] == 0) {
            if (o[k] < lo[k] - g[k] || o[k] > hi[k] + g[k]) return -1;
            continue;
        }
        s = (lo[k] - g[k] - o[k])/d[k];
        t = (hi[k] + g[k] - o[k])/d[k];
        if (s > t) { long double u = s; s = t; t = u; }
        from = s > from ? s : from;
        to = t < to ? t : to;
    }
    return from <= to ? from : -1;
}

TEST tree_finds_what_is_there(void)
{
    static const int sizes[] = {0, 1, 2, 3, 5, 64, MOST_BOXES};
    static int item[MOST_BOXES];
    rng r;
    int scene, s, q, i, frame, more = 0, hits = 0;
    rng_seed(&r, 7);
    for (scene = 0; scene < SCENES; ++scene)
        for (s = 0; s < 7; ++s) {
            const int n = sizes[s];
            dc_arena mem = exactly(dc_tree_bytes(n));
            dc_tree tree;
            double side = 1.2*cbrt(n + 1.0);
            scene_make(&r, scene, n, 1);
            ASSERT_EQ(DC_OK, dc_tree_build(n, box, &mem, &tree));
            for (frame = 0; frame < 2; ++frame) {
                for (q = 0; q < 40; ++q) {
                    dc_tree_walk w;
                    dc_aabb ask;
                    dc_ray ray;
                    dc_v3 half = dc_vec(DC_R(rng_uniform(&r, 0, 1)), 0, DC_R(rng_uniform(&r, 0, 1)));
                    int m, k = 0;
                    double d[3];

                    /* by box */
                    ask.lo = dc_vec(DC_R(rng_uniform(&r, -1, side)), DC_R(rng_uniform(&r, -1, side)), DC_R(rng_uniform(&r, -1, side)));
                    if (scene == TOUCHING || scene == POINTS) ask.lo = dc_vec(DC_R(rng_int(&r, 0, 3) + 0.5), DC_R(rng_int(&r, 0, 3)), 0);
                    ask.hi = q%4 == 0 ? ask.lo : dc_add(ask.lo, dc_vec(DC_R(rng_uniform(&r, 0, 2)), 1, DC_R(rng_uniform(&r, 0, 4))));
                    ASSERT_EQ(DC_OK, dc_tree_by_box(&ask, &w));
                    m = found(&tree, &w, item);
                    for (i = 0; i < n; ++i)
                        if (boxes_meet(&box[i], &ask, 0)) {
                            ASSERT(k < m && item[k] == i);
                            ++k;
                        }
                    ASSERT_EQ(k, m);
                    ASSERT_EQ(-1, dc_tree_next(&tree, &w));

                    /* by ray: none is missed; too many only within rounding */
                    rng_unit3(&r, d);
                    if (q%3 == 0) d[rng_int(&r, 0, 2)] = 0;
                    ray.origin = ask.lo;
                    ray.dir = dc_vec(DC_R(3*d[0]), DC_R(3*d[1]), DC_R(3*d[2]));
                    if (q%5 == 0) ray.dir = dc_vec(0, q%2 ? DC_R(-2) : DC_R(2), 0);
                    ray.length = q%7 ? DC_R(rng_uniform(&r, 0, side)) : 0;
                    ASSERT_EQ(DC_OK, dc_tree_by_ray(&ray, q%2 ? &half : NULL, &w));
                    m = found(&tree, &w, item);
                    for (i = 0, k = 0; i < n; ++i)
                        if (enters(&ray, q%2 ? &half : NULL, &box[i]) >= 0) {
                            while (k < m && item[k] < i) { ++k; ++more; }
                            ASSERT(k < m && item[k] == i);
                            ++k;
                            ++hits;
                        }
                    more += m - k;
                }
                scene_move(&r, n, 0.5);
                ASSERT_EQ(DC_OK, dc_tree_refit(&tree, n, box));
            }
        }
    printf("  %d boxes met by rays, %d more found\n", hits, more);
    ASSERT(hits > 1000 && more <= hits/200);
    PASS();
}

/* A search for the first box that a ray meets, shortened at each, sees few of them. */
TEST tree_shortened(void)
{
    rng r;
    int q, i, n = MOST_BOXES, seen = 0, missed = 0;
    dc_arena mem = exactly(BYTES);
    dc_tree tree;
    rng_seed(&r, 8);
    scene_make(&r, CLOUD, n, 1);
    ASSERT_EQ(DC_OK, dc_tree_build(n, box, &mem, &tree));
    for (q = 0; q < 200; ++q) {
        dc_tree_walk w;
        dc_ray ray;
        long double best = -1, all = -1;
        double d[3];
        rng_unit3(&r, d);
        ray.origin = dc_vec(DC_R(5 - 20*d[0]), DC_R(5 - 20*d[1]), DC_R(5 - 20*d[2]));
        ray.dir = dc_vec(DC_R(d[0]), DC_R(d[1]), DC_R(d[2]));
        ray.length = 100;
        ASSERT_EQ(DC_OK, dc_tree_by_ray(&ray, NULL, &w));
        while ((i = dc_tree_next(&tree, &w)) >= 0) {
            long double t = enters(&ray, NULL, &box[i]);
            ++seen;
            if (t >= 0 && (best < 0 || t < best)) {
                best = t;
                w.ray.length = (dc_real)t;
            }
        }
        for (i = 0; i < n; ++i) {
            long double t = enters(&ray, NULL, &box[i]);
            if (t >= 0 && (all < 0 || t < all)) all = t;
        }
        missed += best != all;
    }
    printf("  %.2f boxes seen by a ray, %d missed\n", seen/200.0, missed);
    ASSERT(missed == 0 && seen < 200*6);
    PASS();
}

TEST tree_bad_input(void)
{
    rng r;
    int n = 20;
    dc_arena mem = exactly(BYTES), few;
    dc_tree tree, empty;
    dc_tree_walk w, before;
    dc_aabb b, bad;
    dc_ray ray, wrong;
    dc_v3 half = dc_vec(1, 1, 1);
    rng_seed(&r, 9);
    scene_make(&r, CLOUD, n, 1);
    memset(&tree, 7, sizeof tree);
    few = exactly(dc_tree_bytes(n) - 1);
    ASSERT_EQ(DC_E_MEMORY, dc_tree_build(n, box, &few, &tree));
    ASSERT_EQ(0, few.used);
    ASSERT_EQ(DC_E_ARG, dc_tree_build(-1, box, &few, &tree));
    ASSERT_EQ(DC_E_ARG, dc_tree_build(n, NULL, &few, &tree));
    ASSERT_EQ(DC_E_ARG, dc_tree_build(n, box, NULL, &tree));
    ASSERT_EQ(DC_E_ARG, dc_tree_build(n, box, &few, NULL));
    box[3].lo.x = inf() - inf();
    ASSERT_EQ(DC_E_ARG, dc_tree_build(n, box, &few, &tree));
    ASSERT_EQ(DC_E_ARG, dc_tree_refit(&tree, n, box));
    box[3].lo.x = 0;
    ASSERT(tree.nodes == 0x07070707);
    ASSERT(dc_tree_bytes(-1) == 0 && dc_tree_bytes(INT_MAX) == 0 && dc_tree_bytes(0) > 0);
    ASSERT_EQ(DC_OK, dc_tree_build(n, box, &mem, &tree));
    ASSERT(mem.used > 0 && mem.used < dc_tree_bytes(n));
    ASSERT_EQ(DC_E_ARG, dc_tree_refit(&tree, n - 1, box));
    ASSERT_EQ(DC_E_ARG, dc_tree_refit(NULL, n, box));

    b.lo = dc_vec(0, 0, 0);
    b.hi = dc_vec(1, 1, 1);
    memset(&before, 9, sizeof before);
    w = before;
    bad = b; bad.lo.y = 2;
    ASSERT_EQ(DC_E_ARG, dc_tree_by_box(&bad, &w));
    bad = b; bad.hi.y = inf();
    ASSERT_EQ(DC_E_ARG, dc_tree_by_box(&bad, &w));
    ASSERT_EQ(DC_E_ARG, dc_tree_by_box(NULL, &w));
    ASSERT_EQ(DC_E_ARG, dc_tree_by_box(&b, NULL));
    ray.origin = b.lo;
    ray.dir = b.hi;
    ray.length = 1;
    wrong = ray; wrong.dir = dc_vec(0, 0, 0);
    ASSERT_EQ(DC_E_ARG, dc_tree_by_ray(&wrong, NULL, &w));
    wrong = ray; wrong.length = inf();
    ASSERT_EQ(DC_E_ARG, dc_tree_by_ray(&wrong, NULL, &w));
    wrong = ray; wrong.length = -1;
    ASSERT_EQ(DC_E_ARG, dc_tree_by_ray(&wrong, NULL, &w));
    wrong = ray; wrong.origin.z = inf() - inf();
    ASSERT_EQ(DC_E_ARG, dc_tree_by_ray(&wrong, NULL, &w));
    half.x = -1;
    ASSERT_EQ(DC_E_ARG, dc_tree_by_ray(&ray, &half, &w));
    ASSERT_EQ(DC_E_ARG, dc_tree_by_ray(NULL, NULL, &w));
    ASSERT_EQ(DC_E_ARG, dc_tree_by_ray(&ray, NULL, NULL));
    ASSERT_EQ(0, memcmp(&w, &before, sizeof w));
    ASSERT_EQ(DC_OK, dc_tree_by_ray(&ray, NULL, &w));
    ASSERT_EQ(-1, dc_tree_next(NULL, &w));
    ASSERT_EQ(-1, dc_tree_next(&tree, NULL));
    ASSERT_EQ(DC_OK, dc_tree_build(0, NULL, &mem, &empty));
    ASSERT_EQ(-1, dc_tree_next(&empty, &w));
    ASSERT_EQ(DC_OK, dc_tree_refit(&empty, 0, NULL));
    PASS();
}

/* no point of a hull is outside of its box, and the box is tight */
TEST boxes_of_hulls(void)
{
    rng r;
    long k, cases = sweep_count(2000);
    dc_v3 v[12];
    dc_hull h = DC_ZERO;
    dc_aabb b, before;
    worst loose = worst_make("side of the box over the hull's, less 1");
    rng_seed(&r, 11);
    for (k = 0; k < cases; ++k) {
        double far_away = k%2 ? 1e3 : 0, q[4], s = 0;
        long double lo[3], hi[3], size[3];
        dc_pose p;
        int i, j;
        h.v = v;
        h.n = rng_int(&r, 1, 12);
        h.radius = k%3 ? DC_R(rng_uniform(&r, 0, 1)) : 0;
        for (i = 0; i < 4; ++i) { q[i] = rng_normal(&r); s += q[i]*q[i]; }
        s = sqrt(s);
        p.q.w = DC_R(q[0]/s); p.q.x = DC_R(q[1]/s); p.q.y = DC_R(q[2]/s); p.q.z = DC_R(q[3]/s);
        p.t = dc_vec(DC_R(far_away), DC_R(rng_uniform(&r, -1, 1)), 0);
        for (i = 0; i < h.n; ++i) v[i] = dc_vec(DC_R(rng_normal(&r)), DC_R(rng_normal(&r)), DC_R(rng_normal(&r)));
        ASSERT_EQ(DC_OK, dc_hull_box(&h, &p, &b));
        for (i = 0; i < h.n; ++i) {
            const long double w = (long double)p.q.w, x = (long double)p.q.x, y = (long double)p.q.y, z = (long double)p.q.z;
            const long double a[3] = {(long double)v[i].x, (long double)v[i].y, (long double)v[i].z};
            const long double at[3] = {
                (1 - 2*(y*y + z*z))*a[0] + 2*(x*y - w*z)*a[1] + 2*(x*z + w*y)*a[2] + (long double)p.t.x,
                2*(x*y + w*z)*a[0] + (1 - 2*(x*x + z*z))*a[1] + 2*(y*z - w*x)*a[2] + (long double)p.t.y,
                2*(x*z - w*y)*a[0] + 2*(y*z + w*x)*a[1] + (1 - 2*(x*x + y*y))*a[2] + (long double)p.t.z };
            for (j = 0; j < 3; ++j) {
                if (i == 0 || at[j] < lo[j]) lo[j] = at[j];
                if (i == 0 || at[j] > hi[j]) hi[j] = at[j];
            }
        }
        for (j = 0; j < 3; ++j) {
            const dc_real blo = j == 0 ? b.lo.x : j == 1 ? b.lo.y : b.lo.z, bhi = j == 0 ? b.hi.x : j == 1 ? b.hi.y : b.hi.z;
            lo[j] -= (long double)h.radius;
            hi[j] += (long double)h.radius;
            ASSERT((long double)blo <= lo[j] && (long double)bhi >= hi[j]);
            size[j] = (long double)bhi - (long double)blo - (hi[j] - lo[j]);
            worst_add(&loose, (double)size[j]/(double)DC_EPS/(10 + far_away), "case %ld", k);
        }
    }
    ASSERT(worst_print(&loose, 64));
    memset(&before, 5, sizeof before);
    b = before;
    h.radius = -1;
    ASSERT_EQ(DC_E_ARG, dc_hull_box(&h, NULL, &b));
    h.radius = inf() - inf();
    ASSERT_EQ(DC_E_ARG, dc_hull_box(&h, NULL, &b));
    h.radius = 0;
    h.n = 0;
    ASSERT_EQ(DC_E_ARG, dc_hull_box(&h, NULL, &b));
    ASSERT_EQ(DC_E_ARG, dc_hull_box(NULL, NULL, &b));
    ASSERT_EQ(0, memcmp(&b, &before, sizeof b));
    h.n = 1;
    ASSERT_EQ(DC_E_ARG, dc_hull_box(&h, NULL, NULL));
    ASSERT_EQ(DC_OK, dc_hull_box(&h, NULL, &b));
    PASS();
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(pairs_are_those_of_all);
    RUN_TEST(any_order_will_do);
    RUN_TEST(broad_bad_input);
    RUN_TEST(tree_finds_what_is_there);
    RUN_TEST(tree_shortened);
    RUN_TEST(tree_bad_input);
    RUN_TEST(boxes_of_hulls);
    GREATEST_MAIN_END();
}
