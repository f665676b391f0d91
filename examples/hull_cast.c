/* hull_cast.c - bullets and spinning planks that never pass through a scene, however long a frame is, and a lamp's rays
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * In a frame bullets fly many times their own size. dc_tree says what their way comes near, dc_broad which of the moving bodies may
 * meet, dc_hull_cast when the first two touch; they bounce there and all fly on. The lamp's rays are dc_hull_ray. The first bullet
 * was aimed at a turning plank by dc_hull_cast_jac: Newton's method on its point of impact. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

enum { BULLETS = 12, PLANKS = 4, BODIES = BULLETS + PLANKS, WALLS = 6, STONES = WALLS + 25, RAYS = 32, PAIRS = BODIES*(BODIES - 1)/2 };
#define NEAR DC_R(1e-3)             /* the gap at which things touch */

typedef struct { dc_hull hull; dc_pose pose; dc_real twist[6], inertia, reach; } body;      /* of mass 1; turns like a ball */

static const dc_v3 here = {0, 0, 0};
static dc_v3 corner[STONES + 1][8];
static body moving[BODIES], still[STONES];
static dc_tree tree;
static int distances, casts;

static void make(body *b, const dc_v3 *v, int n, dc_real radius, dc_v3 at)
{
    int k;
    memset(b, 0, sizeof *b);
    b->hull.v = v;
    b->hull.n = n;
    b->hull.radius = radius;
    b->pose.q.w = 1;
    b->pose.t = at;
    for (k = 0; k < n; k++) b->reach = dc_max(b->reach, dc_sqrt(dc_dot(v[k], v[k])) + radius);
    b->inertia = DC_R(0.4)*b->reach*b->reach;
}

static const dc_v3 *box(dc_v3 v[8], dc_real x, dc_real y, dc_real z)
{
    int i;
    for (i = 0; i < 8; i++) v[i] = dc_vec(i & 4 ? x : -x, i & 2 ? y : -y, i & 1 ? z : -z);
    return v;
}

static dc_v3 velocity(const body *b) { return dc_vec(b->twist[0], b->twist[1], b->twist[2]); }

static void fly(body *b, dc_real time)
{
    dc_real xi[6];
    int k;
    for (k = 0; k < 6; k++) xi[k] = time*b->twist[k];
    b->pose = dc_pose_retract(b->pose, xi);
}

/* Do they meet? Where they touch and part, because they have bounced or graze, they are let closer. */
static int meet(const body *a, const body *b, dc_real time, dc_cast_hit *hit)
{
    dc_cast_options opt = DC_ZERO;
    int again;
    opt.gap = NEAR;
    for (again = 0; again < 20; again++) {
        if (dc_hull_cast(&opt, &a->hull, &a->pose, a->twist, &b->hull, &b->pose, b->twist, time, hit) != DC_OK) return 0;
        casts++;
        distances += hit->iterations;
        if (hit->outcome == DC_CAST_MISS || hit->speed < 0 || !(hit->at.gap > 0)) break;
        opt.gap = DC_R(0.5)*hit->at.gap;
    }
    return hit->outcome != DC_CAST_MISS && hit->speed < 0;
}

/* an impulse along n at p, and how much it changes the velocity there along n by unit */
static void push(body *b, dc_v3 p, dc_v3 n, dc_real j)
{
    const dc_v3 turn = dc_scale(j/b->inertia, dc_cross(dc_sub(p, b->pose.t), n));
    b->twist[0] += j*n.x;   b->twist[1] += j*n.y;   b->twist[2] += j*n.z;
    b->twist[3] += turn.x;  b->twist[4] += turn.y;  b->twist[5] += turn.z;
    b->pose.t = dc_madd(b->pose.t, j > 0 ? DC_R(0.25)*NEAR : DC_R(-0.25)*NEAR, n);      /* the next cast begins farther away */
}

static dc_real gives(const body *b, dc_v3 p, dc_v3 n)
{
    const dc_v3 arm = dc_cross(dc_sub(p, b->pose.t), n);
    return 1 + dc_dot(arm, arm)/b->inertia;
}

/* Body a against all stones that a box around it comes to, however it turns. */
static const body *first_stone(const body *a, dc_real *time, dc_cast_hit *first)
{
    const dc_v3   half = dc_vec(a->reach + NEAR, a->reach + NEAR, a->reach + NEAR);
    const body   *met = NULL;
    dc_tree_walk  walk;
    dc_ray        way;
    dc_cast_hit   hit;
    int           i;
    way.origin = a->pose.t;
    way.dir = velocity(a);
    way.length = *time;
    if (dc_tree_by_ray(&way, &half, &walk) != DC_OK) return NULL;
    while ((i = dc_tree_next(&tree, &walk)) >= 0)
        if (meet(a, &still[i], *time, &hit)) {
            met = &still[i];
            *first = hit;
            *time = walk.ray.length = hit.time;
        }
    return met;
}

/* All fly for a time, from impact to impact; how many there were. */
static int frame(dc_real time, view *w, int marks)
{
    static unsigned char memory[1 << 16];
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    int      impacts = 0, i, k, pair[2*PAIRS], pairs = 0;
    while (time > 0 && impacts < 400) {
        dc_aabb     around[BODIES];
        dc_cast_hit first = DC_ZERO, hit;
        dc_real     until = time;
        body       *a = NULL, *b = NULL;

        for (i = 0; i < BODIES; i++)
            if (first_stone(&moving[i], &until, &first)) a = &moving[i];
        for (i = 0; i < BODIES; i++) {
            const dc_v3 p = moving[i].pose.t, q = dc_madd(p, until, velocity(&moving[i]));
            const dc_real r = moving[i].reach + NEAR;
            around[i].lo = dc_vec(dc_min(p.x, q.x) - r, dc_min(p.y, q.y) - r, dc_min(p.z, q.z) - r);
            around[i].hi = dc_vec(dc_max(p.x, q.x) + r, dc_max(p.y, q.y) + r, dc_max(p.z, q.z) + r);
        }
        if (dc_broad(NULL, BODIES, around, &mem, PAIRS, pair, &pairs) != DC_OK) return impacts;
        for (k = 0; k < pairs; k++)
            if (meet(&moving[pair[2*k]], &moving[pair[2*k + 1]], until, &hit)) {
                a = &moving[pair[2*k]];
                b = &moving[pair[2*k + 1]];
                first = hit;
                until = hit.time;
            }

        /* until then nothing touches; there an impulse turns the speed of the gap round */
        for (i = 0; i < BODIES; i++) fly(&moving[i], until);
        time -= until;
        if (!a) break;
        {
            const dc_v3   n = first.at.n, p = first.at.pa, q = first.at.pb;
            const dc_real j = DC_R(-1.95)*first.speed/(gives(a, p, n) + (b ? gives(b, q, n) : 0));
            push(a, p, n, j);
            if (b) push(b, q, n, -j);
            view_arrow(w, marks, p, dc_scale(DC_R(0.8), n));
        }
        impacts++;
    }
    return impacts;
}

/* Newton's method for the velocity of a bullet that is to hit a turning plank at a mark on it. Its point of impact stays on the
 * plank: least squares, (J J^T + small) x = e, step = J^T x. Returns how far off it is. */
static dc_real aim(body *bullet, const body *target, dc_v3 mark, int *steps)
{
    dc_real off = -1, J[7*24];
    int     i, j, k;
    for (*steps = 0; *steps < 20; ++*steps) {
        dc_cast_hit hit;
        dc_v3       e, row[3];
        dc_m3       A;
        if (dc_hull_cast(NULL, &bullet->hull, &bullet->pose, bullet->twist, &target->hull, &target->pose, target->twist, 10, &hit) != DC_OK
            || dc_hull_cast_jac(&bullet->hull, &bullet->pose, bullet->twist, &target->hull, &target->pose, target->twist, &hit, J, NULL)
               != DC_OK) return -1;
        e = dc_sub(mark, hit.at.pa);
        e = dc_madd(e, -dc_dot(e, hit.at.n), hit.at.n);
        off = dc_sqrt(dc_dot(e, e));
        if (off < 1000*DC_EPS) break;
        for (i = 0; i < 3; i++) row[i] = dc_vec(J[24*(i + 1) + 12], J[24*(i + 1) + 13], J[24*(i + 1) + 14]);
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++) A.m[3*i + j] = dc_dot(row[i], row[j]) + (i == j ? DC_R(1e-9) : 0);
        if (dc_m3_inv(&A, &A) != DC_OK) return off;
        e = dc_mul(&A, e);
        for (k = 0; k < 3; k++) {
            const dc_v3 c = dc_vec(J[24 + 12 + k], J[48 + 12 + k], J[72 + 12 + k]);
            bullet->twist[k] += dc_dot(c, e);
        }
    }
    return off;
}

/* a room of six walls, pillars, balls and stones in it */
static void build(void)
{
    static const dc_real wall[WALLS][6] = {{0, 0, DC_R(-0.5), 12, 9, DC_R(0.5)}, {12, 0, 3, DC_R(0.5), 9, 3}, {0, 9, 3, 12, DC_R(0.5), 3},
                                           {0, -9, 3, 12, DC_R(0.5), 3}, {-12, 0, 3, DC_R(0.5), 9, 3}, {0, 0, DC_R(6.5), 12, 9, DC_R(0.5)}};
    int i;
    for (i = 0; i < STONES; i++) {
        const int     n = i - WALLS;
        const dc_real k = (dc_real)n;
        const dc_v3   at = dc_vec(DC_R(2.2)*(dc_real)(n%5) - 2, DC_R(3.2)*(dc_real)(n/5 - 2) + DC_R(0.4)*(dc_real)(n%3), DC_R(1.2));
        dc_v3        *v = corner[i];
        if (i < WALLS) make(&still[i], box(v, wall[i][3], wall[i][4], wall[i][5]), 8, 0, dc_vec(wall[i][0], wall[i][1], wall[i][2]));
        else if (n%3 == 0) {
            v[0] = dc_vec(0, 0, -1);
            v[1] = dc_vec(0, 0, 1);
            make(&still[i], v, 2, DC_R(0.3), at);
        } else if (n%3 == 1) make(&still[i], &here, 1, DC_R(0.6), at);
        else {
            make(&still[i], box(v, DC_R(0.5), DC_R(0.3), DC_R(0.7)), 8, 0, at);
            still[i].pose.q = dc_quat_exp(dc_vec(DC_R(0.3)*k, DC_R(0.2), DC_R(0.5)*k));
        }
    }

    /* bullets from the left, 1.5 to 4 m a frame; planks that turn */
    for (i = 0; i < BODIES; i++) {
        const dc_real k = (dc_real)i;
        body *b = &moving[i];
        if (i < BULLETS) make(b, &here, 1, DC_R(0.08), dc_vec(-11, DC_R(1.3)*(k - 5), DC_R(0.6) + DC_R(0.2)*k));
        else make(b, box(corner[STONES], DC_R(1.1), DC_R(0.25), DC_R(0.1)), 8, 0, dc_vec(-7 + DC_R(0.3)*k, DC_R(4.1)*(k - BULLETS) - 6, 4));
        b->twist[0] = i < BULLETS ? 15 + 2*k : 2;
        if (i < BULLETS) continue;
        b->twist[2] = -1;
        b->twist[3] = 1;
        b->twist[4] = 7;
        b->twist[5] = DC_R(2.5)*(k - 13);
    }
}

int main(int argc, char **argv)
{
    cli           o = cli_parse(argc, argv, "Flies bullets and planks through a scene and writes a page.", "hull_cast.html", NULL, 0);
    static unsigned char memory[1 << 16];
    dc_arena      mem = dc_arena_make(memory, sizeof memory);
    dc_aabb       around[STONES];
    view_options  page = DC_ZERO;
    view         *w;
    body          later;
    dc_real       off;
    int           i, k, f, frames = o.quick ? 60 : 400, id[BODIES], marks, rays, lit, count, cost, steps;

    build();
    for (i = 0; i < STONES; i++)
        if (dc_hull_box(&still[i].hull, &still[i].pose, &around[i]) != DC_OK) return cli_error("%s", "no box");
    if (dc_tree_build(STONES, around, &mem, &tree) != DC_OK) return cli_error("%s", "no tree");

    /* the first bullet flies to where the first plank will be, then to a mark on it */
    later = moving[BULLETS];
    fly(&later, DC_R(0.3));
    moving[0].twist[1] = (later.pose.t.y - moving[0].pose.t.y)*15/(later.pose.t.x - moving[0].pose.t.x);
    moving[0].twist[2] = (later.pose.t.z - moving[0].pose.t.z)*15/(later.pose.t.x - moving[0].pose.t.x);
    off = aim(&moving[0], &moving[BULLETS], dc_add(later.pose.t, dc_vec(0, DC_R(0.1), 0)), &steps);

    page.title = "Bullets and spinning planks";
    page.note = "A frame is a tenth of a second. Arrows are normals where bodies meet; the first bullet (red) was aimed by a derivative.";
    w = view_open(o.out, &page);
    for (i = 0; i < BODIES; i++)
        id[i] = view_body(w, i < BULLETS ? view_sphere(w, moving[i].reach) : view_hull(w, &moving[i].hull), i == 0 ? "#d64f6b" : NULL);
    for (i = 0; i < STONES; i++) {
        const dc_hull *h = &still[i].hull;
        if (i >= 3 && i < WALLS) continue;                      /* three walls are not drawn */
        (void)view_fixed(w, h->n == 1 ? view_sphere(w, h->radius) : h->n == 2 ? view_capsule(w, h->radius, 1) : view_hull(w, h), "#8592a3",
                         still[i].pose);
    }
    marks = view_overlay(w, VIEW_ARROWS, "impacts", "#d55e00", 0);
    rays = view_overlay(w, VIEW_SEGMENTS, "the lamp's rays", "#e6c229", 0);
    lit = view_overlay(w, VIEW_POINTS, "what they light", "#e6c229", 0);
    count = view_series(w, "impacts", "", 0);
    cost = view_series(w, "distances for a cast", "", 0);

    for (f = 0; f < frames && view_ok(w) && !cli_stopped(); f++) {
        casts = distances = 0;
        view_value(w, count, f > 0 ? frame(DC_R(0.1), w, marks) : 0);
        view_value(w, cost, casts ? (double)distances/casts : 0);
        for (i = 0; i < BODIES; i++) view_pose(w, id[i], moving[i].pose);
        for (k = 0; k < RAYS; k++) {
            dc_tree_walk walk;
            dc_ray_hit   hit;
            dc_ray       ray;
            ray.origin = dc_vec(-5, 0, 2);
            dc_sincos(DC_R(0.02)*(dc_real)f + DC_R(6.2831853)*(dc_real)k/RAYS, &ray.dir.y, &ray.dir.x);
            ray.dir.z = DC_R(-0.1);
            ray.length = 30;
            if (dc_tree_by_ray(&ray, NULL, &walk) != DC_OK) continue;
            while ((i = dc_tree_next(&tree, &walk)) >= 0)
                if (dc_hull_ray(&still[i].hull, &still[i].pose, &walk.ray, &hit) == DC_OK) walk.ray.length = hit.time;
            view_arrow(w, rays, ray.origin, dc_scale(walk.ray.length, ray.dir));
            view_point(w, lit, dc_madd(ray.origin, walk.ray.length, ray.dir));
        }
        view_frame(w, 0.1*f);
    }
    if (view_close(w) != 0) return CLI_FAILED;
    printf("aimed in %d steps of Newton's method, %g off\nwrote %s\n", steps, (double)off, o.out);
    return cli_exit(CLI_DONE);
}
