/* Steps of piles of interlocked # grains with learned fields: their parts, and how they grow with the number of grains.
 *
 * A pile of TILE grains is settled in a box; larger ones are that pile side by side, in a wider box. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>

#include "support.h"
#include "real.h"

enum { TILE = 500, WALLS = 3, MOST = 50000, ACROSS = 25 };

#define SIZE 0.9                        /* m, the square that holds a # */
#define WIDE (1.3*ACROSS)               /* m, the box */
#define STEP DC_R(2e-4)
#define FALL DC_R(1e-3)                 /* step while the pile falls; at rest its contacts would chatter */

static dc_v2       outline[28];
static dc_poly     hash;
static double      unit;                /* m per unit of the fields: the radius of a # */
static dc_cfield   exact, plane, learned;
static unsigned char of_fields[1 << 16], state[1 << 25], of_learned[1 << 18];

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
}

typedef struct { dc_grains g; dc_arena mem; void *room; } pile;

static void pile_make(pile *p, int grains, double wide)
{
    dc_grain_type type[2] = {DC_ZERO, DC_ZERO};
    dc_grain_pair pair[2] = {DC_ZERO, DC_ZERO};
    dc_grains_desc d = DC_ZERO;
    int *body = (int *)malloc((size_t)(grains + WALLS)*sizeof *body), k;
    size_t bytes;
    if (!body) exit(1);
    for (k = 0; k < grains + WALLS; ++k) body[k] = k >= WALLS;
    type[0].kind = DC_CSHAPE_HALFPLANE;
    if (dc_grain_type_poly(&hash, (dc_real)unit, 1, &type[1]) != DC_OK) exit(1);
    pair[0].b = pair[1].a = pair[1].b = 1;
    pair[0].field = &plane;
    pair[1].field = &learned;
    pair[0].length = pair[1].length = (dc_real)unit;
    d.type = type;
    d.pair = pair;
    d.types = d.pairs = 2;
    d.body = body;
    d.bodies = grains + WALLS;
    d.h = STEP;
    d.gravity[1] = DC_R(-9.81);
    d.material.kn = d.material.kt = DC_R(2e4);
    d.material.gn = d.material.gt = 150;
    d.material.mu = DC_R(0.5);
    d.hi[0] = (dc_real)wide;
    d.hi[1] = 80;
    bytes = dc_grains_bytes(&d);
    p->room = malloc(bytes);
    if (!p->room) exit(1);
    p->mem = dc_arena_make(p->room, bytes);
    if (dc_grains_build(&d, &p->mem, &p->g) != DC_OK) exit(1);
    /* walls: floor, left, right */
    p->g.q[3] = (dc_real)-1.5707963267948966;
    p->g.q[6] = (dc_real)1.5707963267948966;
    p->g.q[7] = (dc_real)wide;
    free(body);
}

static unsigned char scratch[1 << 20];
static double part[4];                  /* seconds: find, meet, sum, advance */

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
        dc_grains_sum(g, 0, g->desc.bodies);
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

/* ms of a step and of its parts, least of `repeats` runs of several steps */
static double measure(const pile *tile, int grains)
{
    static const char *const name[4] = {"find", "fields_and_forces", "sum", "advance"};
    int tiles = (grains + TILE - 1)/TILE, i, k, r, run = 1 + 50000/grains;
    double least = HUGE_VAL, parts[4] = {0, 0, 0, 0};
    dc_grains_info info;
    char group[64], what[64];
    pile p;
    pile_make(&p, grains, WIDE*tiles);
    for (i = 0; i < grains; ++i) {
        for (k = 0; k < 3; ++k) {
            p.g.q[3*(WALLS + i) + k] = tile->g.q[3*(WALLS + i%TILE) + k];
            p.g.v[3*(WALLS + i) + k] = tile->g.v[3*(WALLS + i%TILE) + k];
        }
        p.g.q[3*(WALLS + i) + 1] += (dc_real)(WIDE*(i/TILE));
    }
    steps(&p.g, 1, &info);
    for (r = 0; r < bench_repeats; ++r) {
        for (k = 0; k < 4; ++k) part[k] = 0;
        steps(&p.g, run, &info);
        if (part[0] + part[1] + part[2] + part[3] < least*run) {
            least = (part[0] + part[1] + part[2] + part[3])/run;
            for (k = 0; k < 4; ++k) parts[k] = part[k]/run;
        }
    }
    snprintf(group, sizeof group, "grains_%d", grains);
    bench_line(group, "step", 1e3*least, "ms");
    for (k = 0; k < 4; ++k) {
        bench_line(group, name[k], 1e3*parts[k], "ms");
        snprintf(what, sizeof what, "%s/share", name[k]);
        bench_line(group, what, 100*parts[k]/least, "%");
    }
    bench_line(group, "step_per_grain", 1e9*least/grains, "ns");
    bench_line(group, "pairs_per_grain", (double)info.pairs/grains, "");
    bench_line(group, "contacts_per_grain", (double)info.contacts/grains, "");
    bench_line(group, "deepest", 1e3*(double)info.deepest, "mm");
    bench_line(group, "speed", 1e3*speed(&p.g), "mm/s");
    free(p.room);
    return least;
}

int main(int argc, char **argv)
{
    static const int size[] = {1000, 2000, 5000, 11311, 20000, MOST};
    double sx = 0, sy = 0, sxx = 0, sxy = 0, t;
    int k, n = (int)(sizeof size/sizeof *size);
    dc_grains_info info;
    pile tile;
    rng r;
    bench_begin(argc, argv);
    if (bench_instructions) return 0;
    make_hash();
    make_fields();
    pile_make(&tile, TILE, WIDE);
    rng_seed(&r, 1);
    for (k = 0; k < TILE; ++k) {
        dc_real *q = tile.g.q + 3*(WALLS + k);
        q[0] = (dc_real)rng_uniform(&r, -3, 3);
        q[1] = (dc_real)(1.3*(k%ACROSS + 0.5));
        q[2] = (dc_real)(1.3*(k/ACROSS + 0.5));
    }
    t = bench_seconds();
    tile.g.desc.h = FALL;
    steps(&tile.g, 5000, &info);
    tile.g.desc.h = STEP;
    steps(&tile.g, 10000, &info);
    printf("# pile of %d settled for 7 s in %.1f s: speed %.2g m/s, deepest %.2g m, %d contacts\n", TILE, bench_seconds() - t,
           speed(&tile.g), (double)info.deepest, info.contacts);
    for (k = 0; k < n; ++k) {
        double x = log(size[k]), y = log(measure(&tile, size[k]));
        sx += x;
        sy += y;
        sxx += x*x;
        sxy += x*y;
    }
    bench_line("grains", "growth_exponent", (n*sxy - sx*sy)/(n*sxx - sx*sx), "");
    return 0;
}
