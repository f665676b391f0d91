/* Steps of piles of interlocked # grains: implicit ones with baked fields, their parts, how they grow with the number of grains;
 * explicit ones with a learned field; grains of many shapes, with a smooth network for each pair of them, with and without reuse of
 * evaluations; and steps of Chipmunk, where it is installed, on the same piles, in a turning drum, and in a silo
 * that empties itself.
 *
 * A pile of TILE grains is settled in a box; larger ones are that pile side by side, in a wider box. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>

#ifdef DC_BENCH_CHIPMUNK
#include <chipmunk/chipmunk.h>
#endif

#include "support.h"
#include "real.h"

enum { SWEEPS = 16, SETTLE = 10, TILE = 500, WALLS = 3, MOST = 50000, ACROSS = 25 };

#define SIZE 0.9                        /* m, the square that holds a # */
#define WIDE (1.3*ACROSS)               /* m, the box */
#define STEP DC_R(4e-3)                 /* implicit */
#define EXPLICIT DC_R(2e-4)
#define DRUM 300                        /* grains in the drum */
#define DRUM_RADIUS 16.0
#define DRUM_SPEED 0.3                  /* rad/s */
#define SILO 500                        /* grains in the silo */
#define SILO_WIDE 16.0                  /* m, of the silo; its hopper is two rows of discs, above a floor */
#define SILO_HOLE 7.0
#define SILO_HIGH 10.0
#define PEG 0.5
#define FLOW 3.0                        /* s, how long drum and silo have run when they are timed */

enum { PEGS = 20, SHAPES = 20, PAIRS = SHAPES*(SHAPES + 1)/2, TYPES = SHAPES + 2 };
typedef enum { IN_BOX, IN_DRUM, IN_SILO } vessel;

static dc_v2       outline[28];
static dc_poly     hash;
static double      unit;                /* m per unit of the fields: the radius of a # */
static dc_cfield   exact, plane, hole, disc, learned, baked, smooth[PAIRS];
static unsigned char of_fields[1 << 16], of_learned[1 << 18], of_baked[1 << 22], of_smooth[1 << 25];
static double      state[1 << 22];

/* bars of 0.14 m, a gap of 0.25 m between them */
static void make_hash(void)
{
    static const double level[3] = {0.125/0.45, 0.265/0.45, 1};      /* inner edge, outer edge, end */
    static const int at[7][2] = {{1, -1}, {2, -1}, {2, -100}, {1, -100}, {1, 0}, {2, 0}, {2, 1}};
    int side, k, turn;
    for (side = 0; side < 4; ++side)
        for (k = 0; k < 7; ++k) {
            int i = at[k][1];
            double x = level[at[k][0]], y = i >= 0 ? level[i] : -level[i == -100 ? 0 : 1], z;
            for (turn = 0; turn < side; ++turn) {
                z = x;
                x = -y;
                y = z;
            }
            outline[7*side + k].x = (dc_real)x;
            outline[7*side + k].y = (dc_real)y;
        }
    hash.v = outline;
    hash.n = 28;
    if (dc_poly_centre(28, outline, 1) != DC_OK) exit(1);
    unit = 0.5*SIZE*hypot(1, level[1]);
}

static void make_fields(void)
{
    static unsigned char scratch[1 << 22];
    dc_arena mem = dc_arena_make(of_fields, sizeof of_fields), work = dc_arena_make(scratch, sizeof scratch);
    dc_arena kept = dc_arena_make(of_learned, sizeof of_learned);
    dc_cfield_train_options o = DC_ZERO;
    dc_cfield_train_info info;
    dc_cshape a = DC_ZERO, w = DC_ZERO;
    double t = bench_seconds();
    a.poly = hash;
    w.kind = DC_CSHAPE_HALFPLANE;
    o.samples = 40000;
    o.epochs = 120;
    if (dc_cfield_exact(NULL, &a, &hash, &mem, &exact) != DC_OK || dc_cfield_exact(NULL, &w, &hash, &mem, &plane) != DC_OK) exit(1);
    if (dc_cfield_train_bytes(&o) > sizeof state || dc_cfield_train_start(&o, &exact, state) != DC_OK) exit(1);
    if (dc_cfield_train(&exact, state, &work, NULL, NULL, &info) != DC_OK || dc_cfield_learned(state, &kept, &learned) != DC_OK) exit(1);
    printf("# field of two #, 3 x 32 units: %d samples, %d epochs, %.1f s; near the surface: error %.4f, wrong sign %.1f %%\n",
           info.samples, info.epochs, bench_seconds() - t, (double)info.rmse, 100*(double)info.wrong);

    /* the spline, of the exact field; the drum's wall */
    {
        dc_arena keep = dc_arena_make(of_baked, sizeof of_baked);
        dc_cfield_bake_info of;
        t = bench_seconds();
        if (dc_cfield_bake(NULL, &exact, &keep, &baked, &of) != DC_OK) exit(1);
        printf("# baked: %d x %d x %d nodes, fold %d, %.0f KB, %.1f s; near the surface: error %.4f, wrong sign %.1f %%\n", of.angles, of.side,
               of.side, of.fold, 1e-3*(double)of.bytes, bench_seconds() - t, (double)of.rmse, 100*(double)of.wrong);
    }
    w.kind = DC_CSHAPE_HOLE;
    w.radius = (dc_real)(DRUM_RADIUS/unit);
    if (dc_cfield_exact(NULL, &w, &hash, &mem, &hole) != DC_OK) exit(1);
    w.kind = DC_CSHAPE_DISC;
    w.radius = (dc_real)(PEG/unit);
    if (dc_cfield_exact(NULL, &w, &hash, &mem, &disc) != DC_OK) exit(1);
}

/* a network for each pair of shapes, all of them #, so that only their number counts */
static void make_networks(void)
{
    static unsigned char scratch[1 << 22], saved[1 << 16];
    dc_arena work = dc_arena_make(scratch, sizeof scratch), kept = dc_arena_make(of_smooth, sizeof of_smooth);
    dc_cfield_train_options o = DC_ZERO;
    dc_cfield_train_info info;
    dc_cfield one;
    double t = bench_seconds();
    size_t used = kept.used, n;
    int k;
    o.smooth = 1;
    o.samples = 20000;
    o.epochs = 120;
    if (dc_cfield_train_start(&o, &exact, state) != DC_OK || dc_cfield_train(&exact, state, &work, NULL, NULL, &info) != DC_OK) exit(1);
    if (dc_cfield_learned(state, &kept, &one) != DC_OK) exit(1);
    n = dc_cfield_save_bytes(&one);
    if (n > sizeof saved || dc_cfield_save(&one, saved, n) != DC_OK) exit(1);
    kept.used = used;
    for (k = 0; k < PAIRS; ++k)
        if (dc_cfield_load(saved, n, &kept, &smooth[k]) != DC_OK) exit(1);
    printf("# smooth network, %d epochs, %.1f s, %d times: %.1f MB saved, %.1f MB in use; near the surface: error %.4f, wrong sign %.1f %%\n",
           info.epochs, bench_seconds() - t, PAIRS, 1e-6*(double)n*PAIRS, 1e-6*(double)kept.used, (double)info.rmse, 100*(double)info.wrong);
}

typedef struct { dc_grains g; dc_arena mem; void *room; } pile;

/* how the grains of the next pile are described: so many types, and what of desc.reuse */
static int shapes = 1;
static dc_real reuse;

/* types: 0 and 2 are not #; those that are */
static int type_of(int shape) { return shape > 0 ? shape + 2 : 1; }
static int is_hash(const dc_grains *g, int body) { return g->body[body] == 1 || g->body[body] > 2; }

/* where disc k of the hopper is */
static void peg_at(int k, double *x, double *y)
{
    double along = (k/2 + 0.5)/(PEGS/2);
    *x = along*0.5*(SILO_WIDE - SILO_HOLE);
    *y = SILO_HIGH - 0.5*(SILO_WIDE - SILO_HOLE)*(along - 1);
    if (k%2) *x = SILO_WIDE - *x;
}

/* sweeps 0: explicit steps with the learned field; a drum is about the origin; bodies: walls, grains, discs of the silo */
static void pile_make(pile *p, vessel in, int grains, double wide, int sweeps)
{
    static dc_grain_type type[TYPES];
    static dc_grain_pair pair[PAIRS + 2*SHAPES];
    dc_grains_desc d = DC_ZERO;
    int bodies = WALLS + grains + (in == IN_SILO ? PEGS : 0), *body = (int *)malloc((size_t)bodies*sizeof *body), i, k;
    size_t bytes;
    if (!body) exit(1);
    for (k = 0; k < bodies; ++k) body[k] = k < WALLS ? 0 : k < WALLS + grains ? type_of(7*k%shapes) : 2;
    memset(type, 0, sizeof type);
    memset(pair, 0, sizeof pair);
    if (in == IN_DRUM) body[0] = 2;
    type[0].kind = DC_CSHAPE_HALFPLANE;
    if (dc_grain_type_poly(&hash, (dc_real)unit, 1, &type[1]) != DC_OK) exit(1);
    for (k = 0; k < shapes; ++k) {
        type[type_of(k)] = type[1];
        for (i = 0; i < k + 3; ++i) {   /* plane, hole or disc, # */
            dc_grain_pair *to = &pair[d.pairs];
            to->a = i < 2 ? 2*i : type_of(i - 2);
            to->b = type_of(k);
            to->field = i == 0 ? &plane : i == 1 ? in == IN_SILO ? &disc : &hole
                      : shapes > 1 ? &smooth[d.pairs - 2*(k + 1)] : sweeps > 0 ? &baked : &learned;
            to->length = (dc_real)unit;
            ++d.pairs;
        }
    }
    if (in == IN_SILO) {                /* a driven grain, which the grid finds */
        type[2] = type[1];
        type[2].radius = (dc_real)PEG;
    } else {
        type[2].kind = DC_CSHAPE_HOLE;
        type[2].radius = (dc_real)DRUM_RADIUS;
    }
    d.type = type;
    d.pair = pair;
    d.types = shapes + 2;
    d.reuse = reuse;
    d.body = body;
    d.bodies = bodies;
    d.h = sweeps > 0 ? STEP : EXPLICIT;
    d.sweeps = sweeps;
    d.gravity[1] = DC_R(-9.81);
    d.material.kn = d.material.kt = DC_R(8e4);
    d.material.gn = d.material.gt = 300;
    d.material.mu = DC_R(0.5);
    d.hi[0] = (dc_real)wide;
    d.hi[1] = 80;
    if (in == IN_DRUM) {
        d.lo[0] = d.lo[1] = -(dc_real)DRUM_RADIUS;
        d.hi[0] = d.hi[1] = (dc_real)DRUM_RADIUS;
    }
    bytes = dc_grains_bytes(&d);
    p->room = malloc(bytes);
    if (!p->room) exit(1);
    p->mem = dc_arena_make(p->room, bytes);
    if (dc_grains_build(&d, &p->mem, &p->g) != DC_OK) exit(1);
    free(body);
    if (in == IN_DRUM) {
        p->g.motion[1] = p->g.motion[2] = DC_GRAIN_ABSENT;
        p->g.v[0] = (dc_real)DRUM_SPEED;
        return;
    }
    /* walls: floor, left, right */
    p->g.q[3] = (dc_real)-1.5707963267948966;
    p->g.q[6] = (dc_real)1.5707963267948966;
    p->g.q[7] = (dc_real)wide;
    for (k = 0; k < bodies - WALLS - grains; ++k) {
        dc_real *q = p->g.q + 3*(WALLS + grains + k);
        double x, y;
        peg_at(k, &x, &y);
        q[1] = (dc_real)x;
        q[2] = (dc_real)y;
        p->g.motion[WALLS + grains + k] = DC_GRAIN_DRIVEN;
    }
}

static unsigned char scratch[1 << 20];
static double part[4];                  /* seconds: find, meet, sum and sweeps, advance */

static void steps(dc_grains *g, int n, dc_grains_info *info)
{
    int k;
    for (k = 0; k < n; ++k) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        double t[5];
        t[0] = bench_seconds();
        if (dc_grains_find(g, info) != DC_OK) exit(1);
        t[1] = bench_seconds();
        if (dc_grains_meet(g, 0, g->blocks, &mem) != DC_OK) exit(1);
        t[2] = bench_seconds();
        dc_grains_solve(g);
        t[3] = bench_seconds();
        if (dc_grains_advance(g, info) != DC_OK) exit(1);
        t[4] = bench_seconds();
        part[0] += t[1] - t[0];
        part[1] += t[2] - t[1];
        part[2] += t[3] - t[2];
        part[3] += t[4] - t[3];
    }
}

static double speed(const dc_grains *g)
{
    double sum = 0;
    int i;
    for (i = WALLS; i < g->desc.bodies; ++i) sum += (double)(g->v[3*i + 1]*g->v[3*i + 1] + g->v[3*i + 2]*g->v[3*i + 2]);
    return sqrt(sum/(g->desc.bodies - WALLS));
}

/* the deepest of some pairs of grains by the exact field, m */
static double deepest_exact(const dc_grains *g, int most)
{
    double deepest = 0;
    int p, seen = 0;
    for (p = 0; p < g->contacts && seen < most; ++p) {
        const dc_grain_contact *c = g->contact + p;
        const dc_real *a = g->q + 3*c->a, *b = g->q + 3*c->b;
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        double cosine = cos((double)a[0]), sine = sin((double)a[0]), x = (double)(b[1] - a[1])/unit, y = (double)(b[2] - a[2])/unit;
        dc_real q[3], d = 0;
        if (!is_hash(g, c->a) || !is_hash(g, c->b) || !(c->d < DC_R(0.02))) continue;
        q[0] = b[0] - a[0];
        q[1] = (dc_real)(cosine*x + sine*y);
        q[2] = (dc_real)(cosine*y - sine*x);
        if (dc_cfield_eval(&exact, q, &mem, &d, NULL, NULL, NULL, NULL) < 0) exit(1);
        deepest = fmax(deepest, -unit*(double)d);
        ++seen;
    }
    return deepest;
}

/* the pose of grain i of a pile made of tiles */
static void pose_of(const pile *tile, int i, double q[3])
{
    int k;
    for (k = 0; k < 3; ++k) q[k] = (double)tile->g.q[3*(WALLS + i%TILE) + k];
    q[1] += WIDE*(i/TILE);
}

#ifdef DC_BENCH_CHIPMUNK
/* ---- Chipmunk: a # is four bars, as deep in each other as our pile has them, friction 0.5, 1/60 s, its default iterations */

typedef struct { double deepest; int contacts; } chipmunk_depth;

static void chipmunk_look(cpBody *body, cpArbiter *arbiter, void *user)
{
    chipmunk_depth *d = (chipmunk_depth *)user;
    int k;
    (void)body;
    for (k = 0; k < cpArbiterGetCount(arbiter); ++k, ++d->contacts) d->deepest = fmax(d->deepest, -cpArbiterGetDepth(arbiter, k));
}

/* seconds of a step; in the drum, whose wall is 128 segments, and in the silo, after FLOW */
static double chipmunk(const pile *tile, const char *name, vessel in, int grains, chipmunk_depth *depth)
{
    cpSpace *space = cpSpaceNew();
    cpBody *ground = cpSpaceGetStaticBody(space), **body = (cpBody **)malloc((size_t)grains*sizeof *body);
    cpShape *wall[128], *peg;
    cpBody *wheel = cpBodyNewKinematic();
    double least = HUGE_VAL, wide = in == IN_SILO ? SILO_WIDE : WIDE*((grains + TILE - 1)/TILE);
    depth->deepest = 0;
    depth->contacts = 0;
    int i, k, r;
    char group[64];
    if (!space || !body) exit(1);
    cpSpaceSetGravity(space, cpv(0, -9.81));
    if (in == IN_DRUM) {
        for (k = 0; k < 128; ++k) {
            double a = 2*3.14159265358979323846*k/128, b = 2*3.14159265358979323846*(k + 1)/128;
            wall[k] = cpSegmentShapeNew(wheel, cpv(DRUM_RADIUS*cos(a), DRUM_RADIUS*sin(a)), cpv(DRUM_RADIUS*cos(b), DRUM_RADIUS*sin(b)), 0);
            cpShapeSetFriction(wall[k], 0.5);
        }
        cpSpaceAddBody(space, wheel);
        cpBodySetAngularVelocity(wheel, DRUM_SPEED);
        for (k = 0; k < 128; ++k) cpSpaceAddShape(space, wall[k]);
    }
    wall[0] = cpSegmentShapeNew(ground, cpv(0, 0), cpv(wide, 0), 0);
    wall[1] = cpSegmentShapeNew(ground, cpv(0, 0), cpv(0, 80), 0);
    wall[2] = cpSegmentShapeNew(ground, cpv(wide, 0), cpv(wide, 80), 0);
    for (k = 0; k < WALLS && in != IN_DRUM; ++k) {
        cpShapeSetFriction(wall[k], 0.5);
        cpSpaceAddShape(space, wall[k]);
    }
    for (k = 0; k < PEGS && in == IN_SILO; ++k) {
        double x, y;
        peg_at(k, &x, &y);
        peg = cpCircleShapeNew(ground, PEG, cpv(x, y));
        cpShapeSetFriction(peg, 0.5);
        cpSpaceAddShape(space, peg);
    }
    for (i = 0; i < grains; ++i) {
        const dc_grain_type *T = &tile->g.type[1];
        double q[3];
        pose_of(tile, i, q);
        body[i] = cpSpaceAddBody(space, cpBodyNew((double)T->mass, (double)T->inertia));
        cpBodySetPosition(body[i], cpv(q[1], q[2]));
        cpBodySetAngle(body[i], q[0]);
        for (k = 0; k < 4; ++k) {
            double at = k & 1 ? 0.195 : -0.195, x = k & 2 ? 0.07 : 0.45, y = k & 2 ? 0.45 : 0.07;
            cpBB bar = cpBBNewForExtents(k & 2 ? cpv(at, 0) : cpv(0, at), x, y);
            cpShape *shape = cpSpaceAddShape(space, cpBoxShapeNew2(body[i], bar, 0));
            cpShapeSetFriction(shape, 0.5);
        }
    }
    for (k = 0; k < 20 + (in == IN_BOX ? 0 : (int)(60*FLOW)); ++k) cpSpaceStep(space, 1.0/60);
    for (r = 0; r < bench_repeats; ++r) {
        double t = bench_seconds();
        for (k = 0; k < 3; ++k) cpSpaceStep(space, 1.0/60);
        least = fmin(least, (bench_seconds() - t)/3);
    }
    for (i = 0; i < grains; ++i) cpBodyEachArbiter(body[i], chipmunk_look, depth);
    snprintf(group, sizeof group, "chipmunk_%s_%d", name, grains);
    bench_line(group, "step", 1e3*least, "ms");
    bench_line(group, "step_per_grain", 1e9*least/grains, "ns");
    bench_line(group, "simulated_second", 60*least, "s");
    bench_line(group, "points_per_grain", 0.5*depth->contacts/grains, "");
    bench_line(group, "deepest", 1e3*depth->deepest, "mm");
    cpSpaceFree(space);                 /* bodies and shapes are left to the end of the program */
    free(body);
    return least;
}
#endif

/* Seconds of a step, and lines of its parts. The least of several runs of several steps, at least 5: the growth needs more than a
 * glance. `deepest`: by the exact field, m. */
static double measure(pile *p, const char *name, int grains, double *deepest)
{
    static const char *const part_of[4] = {"find", "fields", "solve", "advance"};
    int k, r, run = 1 + 50000/grains, runs = bench_repeats > 5 ? bench_repeats : 5;
    double least = HUGE_VAL, parts[4] = {0, 0, 0, 0}, h = (double)p->g.desc.h;
    dc_grains_info info;
    char group[64], what[64];
    steps(&p->g, 60, &info);
    for (r = 0; r < runs; ++r) {
        for (k = 0; k < 4; ++k) part[k] = 0;
        steps(&p->g, run, &info);
        if (part[0] + part[1] + part[2] + part[3] < least*run) {
            least = (part[0] + part[1] + part[2] + part[3])/run;
            for (k = 0; k < 4; ++k) parts[k] = part[k]/run;
        }
    }
    *deepest = deepest_exact(&p->g, 2000);
    snprintf(group, sizeof group, "%s_%d", name, grains);
    bench_line(group, "step", 1e3*least, "ms");
    for (k = 0; k < 4; ++k) {
        bench_line(group, part_of[k], 1e3*parts[k], "ms");
        snprintf(what, sizeof what, "%s/share", part_of[k]);
        bench_line(group, what, 100*parts[k]/least, "%");
    }
    bench_line(group, "step_per_grain", 1e9*least/grains, "ns");
    bench_line(group, "simulated_second", least/h, "s");
    bench_line(group, "pairs_per_grain", (double)info.pairs/grains, "");
    bench_line(group, "contacts_per_grain", (double)info.contacts/grains, "");
    bench_line(group, "memory_per_grain", (double)p->mem.used/grains, "bytes");
    bench_line(group, "deepest", 1e3*(double)info.deepest, "mm");
    if (shapes > 1) bench_line(group, "evaluations", 100.0*info.evaluations/info.pairs, "%");
    bench_line(group, "deepest_exact", 1e3**deepest, "mm");
    bench_line(group, "speed", 1e3*speed(&p->g), "mm/s");
    return least;
}

/* the pile of so many grains */
static void pile_of_tiles(const pile *tile, int grains, int sweeps, pile *p)
{
    int i, k;
    pile_make(p, IN_BOX, grains, WIDE*((grains + TILE - 1)/TILE), sweeps);
    for (i = 0; i < grains; ++i) {
        double q[3];
        pose_of(tile, i, q);
        for (k = 0; k < 3; ++k) {
            p->g.q[3*(WALLS + i) + k] = (dc_real)q[k];
            p->g.v[3*(WALLS + i) + k] = tile->g.v[3*(WALLS + i%TILE) + k];
        }
    }
}

/* a drum that has turned for FLOW */
static void drum_make(pile *p, rng *r)
{
    dc_grains_info info;
    int k;
    pile_make(p, IN_DRUM, DRUM, 0, SWEEPS/2);
    for (k = 0; k < DRUM; ++k) {
        dc_real *q = p->g.q + 3*(WALLS + k);
        q[0] = (dc_real)rng_uniform(r, -3, 3);
        q[1] = (dc_real)(1.3*(k%17 - 8));
        q[2] = (dc_real)(1.3*(k/17) - 11);
    }
    steps(&p->g, (int)(FLOW/(double)STEP), &info);
}

/* how many times Chipmunk's second takes as long as ours, and what part of its overlap ours is */
static void compare(const pile *tile, const char *name, vessel in, int grains, double least, double deepest)
{
#ifdef DC_BENCH_CHIPMUNK
    chipmunk_depth depth;
    double peer = chipmunk(tile, name, in, grains, &depth);
    char group[64];
    snprintf(group, sizeof group, "chipmunk_over_%s_%d", name, grains);
    bench_line(group, "simulated_second", 60*peer*(double)STEP/least, "x");
    bench_line(group, "deepest", deepest > 0 ? depth.deepest/deepest : 0, "x");
#else
    (void)tile; (void)name; (void)in; (void)grains; (void)least; (void)deepest;
#endif
}

int main(int argc, char **argv)
{
    static const int size[] = {1000, 2000, 5000, 11311, 20000, MOST};
    double sx = 0, sy = 0, sxx = 0, sxy = 0, t, deepest, least;
    int k, n = (int)(sizeof size/sizeof *size);
    dc_grains_info info;
    pile tile, p;
    rng r;
    bench_begin(argc, argv);
    if (bench_instructions) return 0;
    make_hash();
    make_fields();
    pile_make(&tile, IN_BOX, TILE, WIDE, SWEEPS);
    rng_seed(&r, 1);
    for (k = 0; k < TILE; ++k) {
        dc_real *q = tile.g.q + 3*(WALLS + k);
        q[0] = (dc_real)rng_uniform(&r, -3, 3);
        q[1] = (dc_real)(1.3*(k%ACROSS + 0.5));
        q[2] = (dc_real)(1.3*(k/ACROSS + 0.5));
    }
    t = bench_seconds();
    steps(&tile.g, (int)(SETTLE/(double)STEP), &info);
    printf("# pile of %d settled for %d s in %.1f s: speed %.2g m/s, deepest %.2g m, %d contacts\n", TILE, SETTLE, bench_seconds() - t,
           speed(&tile.g), (double)info.deepest, info.contacts);
    for (k = 0; k < n; ++k) {
        double x = log(size[k]), y;
        pile_of_tiles(&tile, size[k], SWEEPS, &p);
        least = measure(&p, "grains", size[k], &deepest);
        y = log(least);
        sx += x;
        sy += y;
        sxx += x*x;
        sxy += x*y;
        if (size[k] == 1000 || size[k] == 11311) compare(&tile, "grains", IN_BOX, size[k], least, deepest);
        free(p.room);
    }
    bench_line("grains", "growth_exponent", (n*sxy - sx*sy)/(n*sxx - sx*sx), "");

    /* explicit steps, which chatter a little with a learned field */
    pile_of_tiles(&tile, 1000, 0, &p);
    measure(&p, "explicit", 1000, &deepest);
    free(p.room);

    /* the drum: what never rests needs fewer sweeps */
    drum_make(&p, &r);
    least = measure(&p, "drum", DRUM, &deepest);
    compare(&p, "drum", IN_DRUM, DRUM, least, deepest);
    free(p.room);

    pile_make(&p, IN_SILO, SILO, SILO_WIDE, SWEEPS);
    for (k = 0; k < SILO; ++k) {
        dc_real *q = p.g.q + 3*(WALLS + k);
        q[0] = (dc_real)rng_uniform(&r, -3, 3);
        q[1] = (dc_real)(1.1*(k%14 + 0.75));
        q[2] = (dc_real)(1.1*(k/14) + SILO_HIGH + 6);
    }
    steps(&p.g, (int)(FLOW/(double)STEP), &info);
    least = measure(&p, "silo", SILO, &deepest);
    for (k = 0, n = 0; k < SILO; ++k) n += (double)p.g.q[3*(WALLS + k) + 2] < SILO_HIGH - 1;
    bench_line("silo_500", "out", 100.0*n/SILO, "%");
    compare(&p, "silo", IN_SILO, SILO, least, deepest);
    free(p.room);

    /* many shapes, at rest and in the drum */
    make_networks();
    shapes = SHAPES;
    for (k = 0; k < 2; ++k) {
        reuse = k ? DC_R(3e-3) : 0;
        pile_of_tiles(&tile, TILE, SWEEPS, &p);
        steps(&p.g, (int)(0.5*SETTLE/(double)STEP), &info);
        measure(&p, k ? "shapes_20_reuse" : "shapes_20", TILE, &deepest);
        free(p.room);
        rng_seed(&r, 2);
        drum_make(&p, &r);
        measure(&p, k ? "shapes_20_drum_reuse" : "shapes_20_drum", DRUM, &deepest);
        free(p.room);
    }
    free(tile.room);
#ifndef DC_BENCH_CHIPMUNK
    bench_skip("chipmunk", "no <chipmunk/chipmunk.h> (Debian: libchipmunk-dev)");
#endif
    return 0;
}
