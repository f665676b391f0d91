/* Time of dc_hull_distance, beside FCL's distance and libccd's penetration depth when they are linked in; of rays, casts and
 * the broad phase.
 *
 *     bench_hull [REPEATS [PART]]        only the cells whose name holds PART, for example poly8_sep
 *
 * The peers live in bench_hull_peers.cc, built with -DDC_BENCH_PEERS here and linked with fcl and ccd.
 * 24 shapes of each kind: boxes of random half extents 0.2..0.5, or N random points on a sphere of radius 0.5. b is moved
 * along a random line until the gap is the wanted one; in "pen" from touching a further 0.1 along the touching normal.
 * Both bodies have poses, every query is cold unless it says warm. All contestants take turns within each repeat;
 * times are medians over the repeats, in nanoseconds of processor time per query. */
#define _POSIX_C_SOURCE 199309L
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef DC_BENCH_PEERS
void *peer_hull_pair(const double *va, int na, const int *fa, int nfa, const double *pose_a,
                     const double *vb, int nb, const int *fb, int nfb, const double *pose_b);
void peer_hull_pair_free(void *pair);
double peer_fcl_distance(void *pair, double pa[3], double pb[3]);
double peer_ccd_depth(void *pair, double dir[3], double pos[3]);
#endif

#define PAIRS 1000
#define PASSES 4              /* over all pairs in one turn of a contestant */
#define SHAPES 24
#define MAX_N 96
#define MAX_F (2*MAX_N)
#define MAX_REPEATS 99

typedef struct { dc_v3 v[MAX_N]; dc_hull h; dc_hull_topology t; int f[MAX_F][3], nf; } shape;
typedef struct { const shape *a, *b; dc_pose pa, pb; } pair;
typedef struct { dc_pose pb; dc_distance start; dc_hull_patch patch; } neighbour;     /* a pose nearby and the answers to start from */

static shape shapes[SHAPES];
static pair pairs[PAIRS];
static neighbour near[PAIRS];
#ifdef DC_BENCH_PEERS
static void *peers[PAIRS];
#endif
static const char *only = "";
static unsigned char scratch[65536], of_faces[SHAPES][65536];
static uint64_t seed;

static double uniform(void)
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30))*0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27))*0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11)/9007199254740992.0;
}

static void unit(double *v, int n)
{
    double s;
    int i;
    do {
        s = 0;
        for (i = 0; i < n; i++) { v[i] = 2*uniform() - 1; s += v[i]*v[i]; }
    } while (s > 1 || s < 1e-3);
    for (i = 0; i < n; i++) v[i] /= sqrt(s);
}

static dc_v3 unit_v3(void)
{
    double u[3];
    unit(u, 3);
    return dc_vec(DC_R(u[0]), DC_R(u[1]), DC_R(u[2]));
}

static dc_pose random_pose(void)
{
    double q[4];
    dc_pose p;
    unit(q, 4);
    p.q.w = DC_R(q[0]); p.q.x = DC_R(q[1]); p.q.y = DC_R(q[2]); p.q.z = DC_R(q[3]);
    p.t = dc_vec(DC_R(2*uniform() - 1), DC_R(2*uniform() - 1), DC_R(2*uniform() - 1));
    return p;
}

/* triangles that have all points on one side (the points are in general position, a box is given by its corners) */
static void shape_faces(shape *s, int box)
{
    static const int quad[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    int i, j, k, l, n = s->h.n;
    s->nf = 0;
    if (box) {
        memcpy(s->f, quad, sizeof quad);
        s->nf = 12;
        return;
    }
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            for (k = j + 1; k < n; k++) {
                dc_v3 m = dc_cross(dc_sub(s->v[j], s->v[i]), dc_sub(s->v[k], s->v[i]));
                int over = 0, under = 0;
                for (l = 0; l < n && !(over && under); l++) {
                    if (l == i || l == j || l == k) continue;
                    if (dc_dot(m, dc_sub(s->v[l], s->v[i])) > 0) over = 1;
                    else under = 1;
                }
                if (over && under) continue;
                s->f[s->nf][0] = i;
                s->f[s->nf][1] = over ? k : j;
                s->f[s->nf][2] = over ? j : k;
                s->nf++;
            }
}

static void shape_make(shape *s, int n, int box)
{
    dc_arena mem;
    int i;
    dc_v3 e = dc_vec(DC_R(0.2 + 0.3*uniform()), DC_R(0.2 + 0.3*uniform()), DC_R(0.2 + 0.3*uniform()));
    for (i = 0; i < n; i++)
        s->v[i] = box ? dc_vec(i & 1 ? e.x : -e.x, i & 2 ? e.y : -e.y, i & 4 ? e.z : -e.z) : dc_scale(DC_R(0.5), unit_v3());
    s->h.v = s->v;
    s->h.radius = 0;
    s->h.n = n;
    shape_faces(s, box);
    mem = dc_arena_make(of_faces[s - shapes], sizeof of_faces[0]);
    (void)dc_hull_faces(&s->h, 0, &mem, &s->t);
}

static dc_status query(const pair *p, const dc_pose *pb, dc_distance *d)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    return dc_hull_distance(&p->a->h, &p->pa, &p->b->h, pb, &mem, d);
}

static dc_status touch(const pair *p, const dc_pose *pb, dc_hull_patch *m)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_hull_manifold_options o = DC_ZERO;
    o.margin = DC_R(0.15);
    return dc_hull_manifold(&o, &p->a->t, &p->pa, &p->b->t, pb, &mem, m);
}

/* moves b along a line until the gap is the wanted one; 0 when the line misses it: the middle of 8 random points on a
 * sphere need not be in their hull */
static int pair_make(pair *p, neighbour *q, dc_real gap)
{
    dc_v3 line = unit_v3(), from;
    dc_real lo = 0, hi = 3;
    int i;
    p->a = &shapes[(int)(uniform()*SHAPES)];
    p->b = &shapes[(int)(uniform()*SHAPES)];
    p->pa = random_pose();
    p->pb = random_pose();
    from = p->pa.t;
    for (i = 0; i < 80; i++) {
        dc_distance d = DC_ZERO;
        dc_real s = DC_R(0.5)*(lo + hi);
        p->pb.t = dc_madd(from, s, line);
        (void)query(p, &p->pb, &d);
        if (d.gap < (gap > 0 ? gap : 0)) lo = s;
        else hi = s;
    }
    p->pb.t = dc_madd(from, hi, line);
    {
        dc_distance d = DC_ZERO;
        (void)query(p, &p->pb, &d);
        if (dc_abs(d.gap - (gap > 0 ? gap : 0)) > DC_R(1e4)*DC_EPS) return 0;
        if (gap < 0) p->pb.t = dc_madd(p->pb.t, -gap, d.n);
        memset(&d, 0, sizeof d);
        (void)query(p, &p->pb, &d);
        q->start = d;
        memset(&q->patch, 0, sizeof q->patch);
        (void)touch(p, &p->pb, &q->patch);
    }
    q->pb = p->pb;
    q->pb.t = dc_madd(p->pb.t, DC_R(0.02)*dc_abs(gap), unit_v3());
    return 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9*(double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static volatile double sink;

enum { OURS, WARM, MANIFOLD, MANIFOLD_WARM, FCL, CCD, CONTESTANTS };

static double run(int who)
{
    double sum = 0, t = now();
    int i, k;
    for (k = 0; k < PASSES*PAIRS; k++) {
        const pair *p = &pairs[i = k % PAIRS];
        if (who == OURS) {
            dc_distance d = DC_ZERO;
            (void)query(p, &p->pb, &d);
            sum += (double)d.gap;
        } else if (who == WARM) {
            dc_distance d = near[i].start;
            (void)query(p, &near[i].pb, &d);
            sum += (double)d.gap;
        } else if (who == MANIFOLD) {
            dc_hull_patch m = DC_ZERO;
            (void)touch(p, &p->pb, &m);
            sum += (double)m.gap;
        } else if (who == MANIFOLD_WARM) {
            dc_hull_patch m = near[i].patch;
            (void)touch(p, &near[i].pb, &m);
            sum += (double)m.gap;
        }
#ifdef DC_BENCH_PEERS
        else {
            double u[3], v[3];
            sum += who == FCL ? peer_fcl_distance(peers[i], u, v) : peer_ccd_depth(peers[i], u, v);
        }
#endif
    }
    t = now() - t;
    sink = sum;
    return t/(PASSES*PAIRS);
}

static void bench(const char *kind, int n, int box, const char *what, dc_real gap, int repeats)
{
    static double t[CONTESTANTS][MAX_REPEATS];
    static const char *const who_name[CONTESTANTS] = {"dc", "dc_warm", "dc_manifold", "dc_manifold_warm", "fcl", "libccd_epa"};
    double med[CONTESTANTS], least[CONTESTANTS], worst_gap = 0, worst_witness = 0, steps = 0;
    int i, k, who, most = 0, has[CONTESTANTS] = {1, 1, 1, 1, 0, 0};
    char name[64];
    sprintf(name, "%s_%s", kind, what);
    if (!strstr(name, only)) return;
    for (i = 0; i < SHAPES; i++) shape_make(&shapes[i], n, box);
    for (i = 0; i < PAIRS; i++) {
        pair *p = &pairs[i];
        const dc_distance *d = &near[i].start;
        double e;
        while (!pair_make(p, &near[i], gap)) {}
        /* witness error: the distance of the witness points against the gap */
        e = fabs(sqrt((double)dc_dot(dc_sub(d->pa, d->pb), dc_sub(d->pa, d->pb))) - fabs((double)d->gap));
        if (e > worst_witness) worst_witness = e;
        e = gap > 0 ? fabs((double)d->gap - (double)gap) : 0;
        if (e > worst_gap) worst_gap = e;
        steps += d->iterations;
        if (d->iterations > most) most = d->iterations;
#ifdef DC_BENCH_PEERS
        {
            static double va[3*MAX_N], vb[3*MAX_N];
            double pa[7], pb[7];
            for (k = 0; k < 2; k++) {
                const shape *s = k ? p->b : p->a;
                const dc_pose *q = k ? &p->pb : &p->pa;
                double *v = k ? vb : va, *r = k ? pb : pa;
                int j;
                for (j = 0; j < n; j++) {
                    v[3*j] = (double)s->v[j].x; v[3*j + 1] = (double)s->v[j].y; v[3*j + 2] = (double)s->v[j].z;
                }
                r[0] = (double)q->q.w; r[1] = (double)q->q.x; r[2] = (double)q->q.y; r[3] = (double)q->q.z;
                r[4] = (double)q->t.x; r[5] = (double)q->t.y; r[6] = (double)q->t.z;
            }
            peers[i] = peer_hull_pair(va, n, &p->a->f[0][0], p->a->nf, pa, vb, n, &p->b->f[0][0], p->b->nf, pb);
        }
        has[gap > 0 ? FCL : CCD] = 1;
#endif
    }
    for (k = 0; k < repeats; k++)
        for (who = 0; who < CONTESTANTS; who++)
            if (has[who]) t[who][k] = run(who);
    for (who = 0; who < CONTESTANTS; who++) {
        if (!has[who]) continue;
        qsort(t[who], (size_t)repeats, sizeof t[who][0], by_value);
        med[who] = t[who][repeats/2];
        least[who] = t[who][0];
        printf("hull_%s_%s_%s %.0f ns\n", kind, what, who_name[who], med[who]);
        printf("hull_%s_%s_%s_min %.0f ns\n", kind, what, who_name[who], least[who]);
        if (who >= FCL) printf("hull_%s_%s_%s_over_dc %.2f ratio\n", kind, what, who_name[who], med[who]/med[OURS]);
    }
    printf("hull_%s_%s_dc_gap_error %.2g m\n", kind, what, worst_gap);
    printf("hull_%s_%s_dc_witness_error %.2g m\n", kind, what, worst_witness);
    printf("hull_%s_%s_dc_supports %.2f mean\n", kind, what, steps/PAIRS);
    printf("hull_%s_%s_dc_supports_most %d count\n", kind, what, most);
#ifdef DC_BENCH_PEERS
    {
        double peer_worst = 0, peer_mean = 0, dc_mean = 0;
        for (i = 0; i < PAIRS; i++) {
            double u[3], v[3], g = gap > 0 ? peer_fcl_distance(peers[i], u, v) : -peer_ccd_depth(peers[i], u, v);
            double e = fabs(g - (double)near[i].start.gap);
            if (e > peer_worst) peer_worst = e;
            peer_mean += g/PAIRS;
            dc_mean += (double)near[i].start.gap/PAIRS;
            peer_hull_pair_free(peers[i]);
        }
        printf("hull_%s_%s_%s_worst_difference %.2g m\n", kind, what, who_name[gap > 0 ? FCL : CCD], peer_worst);
        printf("hull_%s_%s_mean_gap_dc %.5f m\n", kind, what, dc_mean);
        printf("hull_%s_%s_mean_gap_%s %.5f m\n", kind, what, who_name[gap > 0 ? FCL : CCD], peer_mean);
    }
#endif
}

/* ---- rays, casts, broad phase ---- */

typedef struct { const shape *a, *b; dc_pose pa, pb; dc_real va[6], vb[6]; dc_ray ray; } flight;

static flight flights[PAIRS];
static int flight_hits, flight_distances;

enum { RAY, CAST, CAST_TURNING, FLIGHTS };

/* a ray at b, or a towards b, half of them turning; from 1.5 away, for as long as takes it through b */
static double fly(int who)
{
    double sum = 0, t = now();
    int i, k;
    flight_hits = flight_distances = 0;
    for (k = 0; k < PASSES*PAIRS; k++) {
        const flight *f = &flights[i = k%PAIRS];
        if (who == RAY) {
            dc_ray_hit hit;
            (void)dc_hull_ray(&f->b->h, &f->pb, &f->ray, &hit);
            sum += (double)hit.time;
            flight_hits += hit.outcome == DC_CAST_HIT;
            flight_distances += hit.iterations;
        } else {
            dc_cast_hit hit;
            dc_real va[6], vb[6];
            memcpy(va, f->va, sizeof va);
            memcpy(vb, f->vb, sizeof vb);
            if (who == CAST) memset(va + 3, 0, 3*sizeof *va);
            if (who == CAST) memset(vb + 3, 0, 3*sizeof *vb);
            (void)dc_hull_cast(NULL, &f->a->h, &f->pa, va, &f->b->h, &f->pb, vb, 1, &hit);
            sum += (double)hit.time;
            flight_hits += hit.outcome == DC_CAST_HIT;
            flight_distances += hit.iterations;
        }
    }
    t = now() - t;
    sink = sum;
    return t/(PASSES*PAIRS);
}

static void bench_flights(const char *kind, int n, int is_box, int repeats)
{
    static const char *const name[FLIGHTS] = {"ray", "cast", "cast_turning"};
    static double t[FLIGHTS][MAX_REPEATS];
    double hits[FLIGHTS], distances[FLIGHTS];
    int i, k, who;
    char title[64];
    sprintf(title, "%s_flights", kind);
    if (!strstr(title, only)) return;
    for (i = 0; i < SHAPES; i++) shape_make(&shapes[i], n, is_box);
    for (i = 0; i < PAIRS; i++) {
        flight *f = &flights[i];
        dc_v3 to;
        f->a = &shapes[(int)(uniform()*SHAPES)];
        f->b = &shapes[(int)(uniform()*SHAPES)];
        f->pa = random_pose();
        f->pb = random_pose();
        f->pb.t = dc_madd(f->pa.t, 2, unit_v3());
        to = dc_scale(DC_R(1.5), dc_sub(dc_madd(f->pb.t, DC_R(0.3), unit_v3()), f->pa.t));
        f->ray.origin = f->pa.t;
        f->ray.dir = to;
        f->ray.length = 1;
        for (k = 0; k < 6; k++) f->va[k] = f->vb[k] = k < 3 ? 0 : DC_R(4*uniform() - 2);
        f->va[0] = to.x; f->va[1] = to.y; f->va[2] = to.z;
    }
    for (k = 0; k < repeats; k++)
        for (who = 0; who < FLIGHTS; who++) {
            t[who][k] = fly(who);
            hits[who] = (double)flight_hits/(PASSES*PAIRS);
            distances[who] = (double)flight_distances/(PASSES*PAIRS);
        }
    for (who = 0; who < FLIGHTS; who++) {
        qsort(t[who], (size_t)repeats, sizeof t[who][0], by_value);
        printf("%s_%s %.0f ns\n", kind, name[who], t[who][repeats/2]);
        printf("%s_%s_hits %.2f share\n", kind, name[who], hits[who]);
        printf("%s_%s_distances %.2f mean\n", kind, name[who], distances[who]);
    }
}

#define BOXES 10000

/* 10 000 boxes of sides 0.6 to 1.4 that move by up to 1/60 of their mean side a frame: a cloud, or in a layer on a ground */
static void bench_broad(const char *scene, int layer, int repeats)
{
    static dc_aabb boxes[BOXES];
    static dc_v3 velocity[BOXES];
    static int order[BOXES], found[20*BOXES];
    static unsigned char memory[1 << 22];
    static double t[4][MAX_REPEATS];
    static const char *const name[4] = {"kept", "anew", "tree_build", "tree_refit"};
    dc_broad_order last;
    dc_broad_options opt = DC_ZERO;
    dc_tree tree;
    int i, k, who, count = 0, frames = 0;
    double side = layer ? 100 : 1.4*21.5, rays = 0, met = 0;
    char title[64];
    sprintf(title, "broad_%s", scene);
    if (!strstr(title, only)) return;
    seed = 7;
    for (i = 0; i < BOXES; i++) {
        dc_v3 c = dc_vec(DC_R(side*uniform()), DC_R(side*uniform()), DC_R(layer ? uniform() : side*uniform()));
        dc_v3 h = dc_vec(DC_R(0.3 + 0.4*uniform()), DC_R(0.3 + 0.4*uniform()), DC_R(0.3 + 0.4*uniform()));
        if (layer && i == 0) { c = dc_vec(50, 50, -1); h = dc_vec(60, 60, 1); }
        boxes[i].lo = dc_sub(c, h);
        boxes[i].hi = dc_add(c, h);
        velocity[i] = dc_scale(layer && i == 0 ? 0 : DC_R(1/60.0), unit_v3());
    }
    memset(order, 0, sizeof order);
    last.order = order;
    last.axis = 0;
    for (k = -1; k < repeats; k++)
        for (who = 0; who < 4; who++) {
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            double begin;
            for (i = 0; who == 0 && i < BOXES; i++) {
                dc_v3 v = dc_scale(frames%40 < 20 ? 1 : DC_R(-1.0), velocity[i]);
                boxes[i].lo = dc_add(boxes[i].lo, v);
                boxes[i].hi = dc_add(boxes[i].hi, v);
            }
            frames += who == 0;
            opt.last = who == 0 ? &last : NULL;
            begin = now();
            if (who < 2) (void)dc_broad(&opt, BOXES, boxes, &mem, 10*BOXES, found, &count);
            else if (who == 2) (void)dc_tree_build(BOXES, boxes, &mem, &tree);
            else (void)dc_tree_refit(&tree, BOXES, boxes);
            if (k >= 0) t[who][k] = now() - begin;
        }
    for (who = 0; who < 4; who++) {
        qsort(t[who], (size_t)repeats, sizeof t[who][0], by_value);
        printf("broad_%s_10000_%s %.3f ms\n", scene, name[who], 1e-6*t[who][repeats/2]);
    }
    printf("broad_%s_pairs %d count\n", scene, count);

    /* rays through it, all of the boxes on their way */
    rays = -now();
    for (i = 0; i < 2000; i++) {
        dc_ray ray;
        dc_tree_walk w;
        ray.origin = boxes[1 + i%(BOXES - 1)].lo;
        ray.dir = unit_v3();
        ray.length = 20;
        (void)dc_tree_by_ray(&ray, NULL, &w);
        while (dc_tree_next(&tree, &w) >= 0) met++;
    }
    printf("broad_%s_tree_ray %.0f ns\n", scene, (rays + now())/2000);
    printf("broad_%s_tree_ray_boxes %.1f mean\n", scene, met/2000);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; int n, box; } kinds[4] = {{"box", 8, 1}, {"poly8", 8, 0}, {"poly32", 32, 0}, {"poly96", 96, 0}};
    int i, repeats = argc > 1 ? atoi(argv[1]) : 15;
    if (argc > 2) only = argv[2];
    if (repeats < 1) repeats = 1;
    if (repeats > MAX_REPEATS) repeats = MAX_REPEATS;
#ifndef DC_BENCH_PEERS
    printf("# FCL and libccd were not found (Debian: libfcl-dev libccd-dev): their figures are left out\n");
#endif
    for (i = 0; i < 4; i++) {
        seed = (uint64_t)i;
        bench(kinds[i].name, kinds[i].n, kinds[i].box, "sep0.1", DC_R(0.1), repeats);
        bench(kinds[i].name, kinds[i].n, kinds[i].box, "near1e-3", DC_R(1e-3), repeats);
        bench(kinds[i].name, kinds[i].n, kinds[i].box, "pen0.1", DC_R(-0.1), repeats);
        bench_flights(kinds[i].name, kinds[i].n, kinds[i].box, repeats);
    }
    bench_broad("cloud", 0, repeats);
    bench_broad("layer", 1, repeats);
    return 0;
}
