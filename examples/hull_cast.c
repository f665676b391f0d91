/* hull_cast.c - bullets and spinning planks that never pass through a scene, whatever the frame, and a lamp's rays
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Each frame every body flies on for a tenth of a second, in which a bullet goes many times its own size: dc_tree gives what its
 * way comes near, dc_hull_cast the first of them that is met and when, and the body bounces there and flies on for the rest of the
 * frame. dc_broad pairs up the bodies, which are cast against each other. The lamp's rays are dc_hull_ray. The gun has found its
 * aim by dc_hull_cast_jac: Newton's method on the point of impact. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

enum { BULLETS = 12, PLANKS = 4, BODIES = BULLETS + PLANKS, WALLS = 6, OBSTACLES = WALLS + 26, RAYS = 32, PAIRS = BODIES*(BODIES - 1)/2 };

#define NEAR DC_R(1e-3)             /* the gap at which things touch */

static const dc_v3 here = {0, 0, 0};
static dc_v3 plank[8], stone[OBSTACLES][8];

typedef struct { dc_hull hull; dc_pose pose; dc_real twist[6], inertia; } body;     /* of mass 1; turns like a ball */

static body moving[BODIES];
static struct { dc_hull hull; dc_pose pose; } still[OBSTACLES];
static dc_tree tree;
static int distances, casts;

static void box(dc_v3 h, dc_v3 v[8])
{
    int i;
    for (i = 0; i < 8; i++) v[i] = dc_vec(i & 4 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 1 ? h.z : -h.z);
}

static dc_hull hull_of(const dc_v3 *v, int n, dc_real radius)
{
    dc_hull h;
    h.v = v;
    h.n = n;
    h.radius = radius;
    return h;
}

static dc_pose place(dc_real x, dc_real y, dc_real z)
{
    dc_pose p = {{1, 0, 0, 0}, {0, 0, 0}};
    p.t = dc_vec(x, y, z);
    return p;
}

/* a cast; where they touch and part, because they have bounced or graze, one that lets them closer */
static int meet(const body *a, const dc_hull *b, const dc_pose *pose, const dc_real *twist, dc_real time, dc_cast_hit *hit)
{
    dc_cast_options opt = DC_ZERO;
    int again;
    opt.gap = NEAR;
    for (again = 0; again < 20; again++) {
        if (dc_hull_cast(&opt, &a->hull, &a->pose, a->twist, b, pose, twist, time, hit) != DC_OK) return 0;
        casts++;
        distances += hit->iterations;
        if (hit->outcome == DC_CAST_MISS || hit->speed < 0 || !(hit->at.gap > 0)) break;
        opt.gap = DC_R(0.5)*hit->at.gap;
    }
    return hit->outcome != DC_CAST_MISS && hit->speed < 0;
}

/* velocity of a body's point p, and what an impulse j there makes of it */
static dc_v3 velocity_at(const body *b, dc_v3 p)
{
    return dc_add(dc_vec(b->twist[0], b->twist[1], b->twist[2]), dc_cross(dc_vec(b->twist[3], b->twist[4], b->twist[5]), dc_sub(p, b->pose.t)));
}

static void push(body *b, dc_v3 p, dc_v3 j)
{
    dc_v3 spin = dc_scale(1/b->inertia, dc_cross(dc_sub(p, b->pose.t), j));
    b->twist[0] += j.x; b->twist[1] += j.y; b->twist[2] += j.z;
    b->twist[3] += spin.x; b->twist[4] += spin.y; b->twist[5] += spin.z;
}

/* how much a body's velocity along n changes by an impulse along n at p */
static dc_real give(const body *b, dc_v3 p, dc_v3 n)
{
    dc_v3 arm = dc_cross(dc_sub(p, b->pose.t), n);
    return 1 + dc_dot(arm, arm)/b->inertia;
}

/* the impulse along n that turns the gap's speed round */
static void bounce(body *a, body *b, const dc_cast_hit *hit)
{
    dc_v3   n = hit->at.n, v = velocity_at(a, hit->at.pa);
    dc_real give_all = give(a, hit->at.pa, n) + (b ? give(b, hit->at.pb, n) : 0), j;
    if (b) v = dc_sub(v, velocity_at(b, hit->at.pb));
    j = DC_R(-1.95)*dc_dot(n, v)/give_all;
    push(a, hit->at.pa, dc_scale(j, n));
    if (b) push(b, hit->at.pb, dc_scale(-j, n));
    a->pose.t = dc_madd(a->pose.t, DC_R(0.25)*NEAR, n);                 /* so that the next cast begins farther away */
    if (b) b->pose.t = dc_madd(b->pose.t, DC_R(-0.25)*NEAR, n);
}

static void fly(body *b, dc_real time)
{
    dc_real xi[6];
    int k;
    for (k = 0; k < 6; k++) xi[k] = time*b->twist[k];
    b->pose = dc_pose_retract(b->pose, xi);
}

/* what a body meets first of the scene: the tree is asked for boxes that a box around the body, however it turns, comes to */
static int first_stone(const body *b, dc_real time, dc_cast_hit *first)
{
    dc_tree_walk w;
    dc_ray way;
    dc_real r = 0;
    dc_cast_hit hit;
    int i, k, best = -1;
    for (k = 0; k < b->hull.n; k++) r = dc_max(r, dc_sqrt(dc_dot(b->hull.v[k], b->hull.v[k])));
    r += b->hull.radius;
    way.origin = b->pose.t;
    way.dir = dc_vec(b->twist[0], b->twist[1], b->twist[2]);
    way.length = time;
    {
        const dc_v3 half = dc_vec(DC_R(1.01)*r, DC_R(1.01)*r, DC_R(1.01)*r);
        if (dc_tree_by_ray(&way, &half, &w) != DC_OK) return -1;
    }
    while ((i = dc_tree_next(&tree, &w)) >= 0)
        if (meet(b, &still[i].hull, &still[i].pose, NULL, w.ray.length, &hit)) {
            best = i;
            *first = hit;
            w.ray.length = hit.time;
        }
    return best;
}

/* All bodies fly for a time, from impact to impact. */
static int frame(dc_real time, view *w, int marks)
{
    static unsigned char memory[1 << 16];
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    int impacts = 0, i, k, turn, pair[2*PAIRS], pairs;
    for (turn = 0; turn < 400 && time > 0; turn++) {
        dc_aabb     around[BODIES], to;
        dc_cast_hit best = DC_ZERO, hit;
        int         a = -1, b = -1;
        best.time = time;

        /* one of the scene */
        for (i = 0; i < BODIES; i++) {
            if (first_stone(&moving[i], best.time, &hit) < 0) continue;
            best = hit;
            a = i;
        }

        /* two of them: boxes around the spheres of both ends of the way hold what is between */
        for (i = 0; i < BODIES; i++) {
            const dc_real r = i < BULLETS ? moving[i].hull.radius : DC_R(1.2);
            const dc_v3   h = dc_vec(r, r, r), p = moving[i].pose.t, d = dc_vec(moving[i].twist[0], moving[i].twist[1], moving[i].twist[2]);
            const dc_v3   q = dc_madd(p, best.time, d);
            to.lo = dc_sub(q, h);
            to.hi = dc_add(q, h);
            around[i].lo = dc_vec(dc_min(p.x - r, to.lo.x), dc_min(p.y - r, to.lo.y), dc_min(p.z - r, to.lo.z));
            around[i].hi = dc_vec(dc_max(p.x + r, to.hi.x), dc_max(p.y + r, to.hi.y), dc_max(p.z + r, to.hi.z));
        }
        if (dc_broad(NULL, BODIES, around, &mem, PAIRS, pair, &pairs) != DC_OK) return -1;
        for (k = 0; k < pairs; k++) {
            const body *A = &moving[pair[2*k]], *B = &moving[pair[2*k + 1]];
            if (!meet(A, &B->hull, &B->pose, B->twist, best.time, &hit)) continue;
            best = hit;
            a = pair[2*k];
            b = pair[2*k + 1];
        }

        /* until then nothing touches */
        for (i = 0; i < BODIES; i++) fly(&moving[i], best.time);
        time -= best.time;
        if (a < 0) return impacts;
        bounce(&moving[a], b < 0 ? NULL : &moving[b], &best);
        view_arrow(w, marks, best.at.pa, dc_scale(DC_R(0.8), best.at.n));
        impacts++;
    }
    return impacts;
}

/* Newton's method for a bullet's velocity, so that a turning plank is hit at a mark: least squares, as the point stays on it. */
static int aim(body *bullet, const body *target, dc_v3 mark, dc_real *off)
{
    int i, j, k, turn;
    for (turn = 0; turn < 20; turn++) {
        dc_cast_hit hit;
        dc_real J[7*24];
        dc_v3   e, step = here;
        dc_m3   A;
        if (dc_hull_cast(NULL, &bullet->hull, &bullet->pose, bullet->twist, &target->hull, &target->pose, target->twist, 10, &hit) != DC_OK) break;
        if (dc_hull_cast_jac(&bullet->hull, &bullet->pose, bullet->twist, &target->hull, &target->pose, target->twist, &hit, J, NULL) != DC_OK) break;
        e = dc_sub(mark, hit.at.pa);
        e = dc_madd(e, -dc_dot(e, hit.at.n), hit.at.n);
        *off = dc_sqrt(dc_dot(e, e));
        if (*off < DC_R(1e-5)) break;
        for (i = 0; i < 3; i++)
            for (j = 0; j < 3; j++) {
                A.m[3*i + j] = i == j ? DC_R(1e-6) : 0;
                for (k = 1; k < 4; k++) A.m[3*i + j] += J[24*k + 12 + i]*J[24*k + 12 + j];
            }
        for (i = 0; i < 3; i++) {
            const dc_real g = J[24 + 12 + i]*e.x + J[48 + 12 + i]*e.y + J[72 + 12 + i]*e.z;
            step = i == 0 ? dc_vec(g, step.y, step.z) : i == 1 ? dc_vec(step.x, g, step.z) : dc_vec(step.x, step.y, g);
        }
        if (dc_m3_inv(&A, &A) != DC_OK) break;
        step = dc_mul(&A, step);
        bullet->twist[0] += step.x; bullet->twist[1] += step.y; bullet->twist[2] += step.z;
    }
    return turn;
}

int main(int argc, char **argv)
{
    cli           o = cli_parse(argc, argv, "Flies bullets and planks through a scene and writes a page.", "hull_cast.html", NULL, 0);
    static unsigned char memory[1 << 16];
    dc_arena      mem = dc_arena_make(memory, sizeof memory);
    dc_aabb       around[OBSTACLES];
    view_options  page = DC_ZERO;
    view         *w;
    int           i, k, f, frames = o.quick ? 60 : 400, id[BODIES], marks, rays, met, series[2], turns;
    dc_real       off = 0;

    /* ground, walls and a ceiling, of which the last three are not drawn; pillars, balls and stones */
    for (i = 0; i < OBSTACLES; i++) {
        static const dc_real wall[WALLS][6] = {{0, 0, DC_R(-0.5), 12, 9, DC_R(0.5)}, {12, 0, 3, DC_R(0.5), 9, 3}, {0, 9, 3, 12, DC_R(0.5), 3},
                                               {0, -9, 3, 12, DC_R(0.5), 3}, {-12, 0, 3, DC_R(0.5), 9, 3}, {0, 0, DC_R(6.5), 12, 9, DC_R(0.5)}};
        if (i < WALLS) {
            box(dc_vec(wall[i][3], wall[i][4], wall[i][5]), stone[i]);
            still[i].hull = hull_of(stone[i], 8, 0);
            still[i].pose = place(wall[i][0], wall[i][1], wall[i][2]);
        } else {
            const int n = i - WALLS;
            still[i].pose = place(DC_R(2.2)*(dc_real)(n%5) - 2, DC_R(3.2)*(dc_real)(n/5 - 2) + DC_R(0.4)*(dc_real)(n%3), DC_R(1.2));
            if (n%3 == 0) {
                stone[i][0] = dc_vec(0, 0, -1);
                stone[i][1] = dc_vec(0, 0, 1);
                still[i].hull = hull_of(stone[i], 2, DC_R(0.3));
            } else if (n%3 == 1) {
                still[i].hull = hull_of(&here, 1, DC_R(0.6));
            } else {
                box(dc_vec(DC_R(0.5), DC_R(0.3), DC_R(0.7)), stone[i]);
                still[i].hull = hull_of(stone[i], 8, 0);
                still[i].pose.q = dc_quat_exp(dc_vec(DC_R(0.3)*(dc_real)n, DC_R(0.2), DC_R(0.5)*(dc_real)n));
            }
        }
        if (dc_hull_box(&still[i].hull, &still[i].pose, &around[i]) != DC_OK) return cli_error("%s", "no box");
    }
    if (dc_tree_build(OBSTACLES, around, &mem, &tree) != DC_OK) return cli_error("%s", "no tree");

    /* bullets from the left, 1 m in a frame and more; planks that turn */
    box(dc_vec(DC_R(1.1), DC_R(0.25), DC_R(0.1)), plank);
    for (i = 0; i < BODIES; i++) {
        body *b = &moving[i];
        b->hull = i < BULLETS ? hull_of(&here, 1, DC_R(0.08)) : hull_of(plank, 8, 0);
        b->inertia = i < BULLETS ? DC_R(0.4)*DC_R(0.0064) : DC_R(0.42);
        b->pose = i < BULLETS ? place(-11, DC_R(1.3)*(dc_real)(i - 5), DC_R(0.6) + DC_R(0.2)*(dc_real)i) : place(-7 + DC_R(0.3)*(dc_real)i, DC_R(4.1)*(dc_real)(i - BULLETS) - 6, 4);
        if (i < BULLETS) b->twist[0] = 15 + 2*(dc_real)i;
        else {
            b->twist[0] = 2; b->twist[2] = -1;
            b->twist[3] = 1; b->twist[4] = 7; b->twist[5] = DC_R(2.5)*(dc_real)(i - 13);
        }
    }

    /* the first bullet is to hit the first plank, as it will be after it has flown, a hand from its middle */
    {
        body copy = moving[BULLETS];
        fly(&copy, DC_R(0.3));
        moving[0].twist[0] = 15;
        moving[0].twist[1] = (copy.pose.t.y - moving[0].pose.t.y)*15/(copy.pose.t.x - moving[0].pose.t.x);
        moving[0].twist[2] = (copy.pose.t.z - moving[0].pose.t.z)*15/(copy.pose.t.x - moving[0].pose.t.x);
        turns = aim(&moving[0], &moving[BULLETS], dc_add(copy.pose.t, dc_vec(0, DC_R(0.1), 0)), &off);
    }

    page.title = "Bullets and spinning planks";
    page.note = "A frame is a tenth of a second, in which bullets fly up to four metres. Arrows are normals where they hit; the first bullet was aimed by the derivative of its impact.";
    w = view_open(o.out, &page);
    for (i = 0; i < BODIES; i++) id[i] = view_body(w, i < BULLETS ? view_sphere(w, DC_R(0.08)) : view_hull(w, &moving[i].hull), i == 0 ? "#d55e00" : NULL);
    for (i = 0; i < OBSTACLES; i++) {
        const dc_hull *h = &still[i].hull;
        if (i >= 3 && i < WALLS) continue;
        (void)view_fixed(w, h->n == 1 ? view_sphere(w, h->radius) : h->n == 2 ? view_capsule(w, h->radius, 1) : view_hull(w, h), "#8592a3", still[i].pose);
    }
    marks = view_overlay(w, VIEW_ARROWS, "impacts", "#d55e00", 0);
    rays = view_overlay(w, VIEW_SEGMENTS, "the lamp's rays", "#e6c229", 0);
    met = view_overlay(w, VIEW_POINTS, "what they light", "#e6c229", 0);
    series[0] = view_series(w, "impacts", "", 0);
    series[1] = view_series(w, "distances for a cast", "", 0);

    for (f = 0; f < frames && view_ok(w) && !cli_stopped(); f++) {
        int impacts = 0;
        casts = distances = 0;
        if (f > 0 && (impacts = frame(DC_R(0.1), w, marks)) < 0) return cli_error("%s", "no pairs");
        for (i = 0; i < BODIES; i++) view_pose(w, id[i], moving[i].pose);
        for (k = 0; k < RAYS; k++) {
            dc_ray       ray;
            dc_ray_hit   hit;
            dc_tree_walk walk;
            dc_v3        at = DC_ZERO;
            dc_real      angle = DC_R(0.02)*(dc_real)f + DC_R(6.2831853)*(dc_real)k/RAYS;
            ray.origin = dc_vec(-5, 0, 2);
            dc_sincos(angle, &ray.dir.y, &ray.dir.x);
            ray.dir.z = DC_R(-0.1);
            ray.length = 30;
            if (dc_tree_by_ray(&ray, NULL, &walk) != DC_OK) continue;
            while ((i = dc_tree_next(&tree, &walk)) >= 0)
                if (dc_hull_ray(&still[i].hull, &still[i].pose, &walk.ray, &hit) == DC_OK && hit.outcome == DC_CAST_HIT) {
                    walk.ray.length = hit.time;
                    at = hit.point;
                }
            if (!(walk.ray.length < ray.length)) continue;
            view_arrow(w, rays, ray.origin, dc_sub(at, ray.origin));
            view_point(w, met, at);
        }
        view_value(w, series[0], impacts);
        view_value(w, series[1], casts ? (double)distances/casts : 0);
        view_frame(w, 0.1*f);
    }
    if (view_close(w) != 0) return CLI_FAILED;
    printf("aimed in %d steps of Newton's method, %g from the mark\nwrote %s\n", turns, (double)off, o.out);
    return cli_exit(CLI_DONE);
}
