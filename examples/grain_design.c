/* grain_design.c - the shape of grains for a wanted height of their heap, and for a wanted discharge of a silo
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, Fig. 7: arcs of a circle pack the higher, the fuller the circle. Here the part of the circle is sought with
 * which they are as high as is wanted; then how deep the notches of grains between an octagon (0) and a # (1) have to
 * be for a silo that empties as far as is wanted.
 *
 * A shape is one number p. Fields of grains and walls are baked for some p over one grid, as they are needed, and
 * interpolated by cubics (dc_cfield_mix); the derivatives of their weights make that of the field by p. With it
 * dc_grains_vjp_shape gives the gradient through any number of steps. It is exact, and right while grains keep their
 * neighbours: of a heap of 60 at rest whose grains begin to grow a second, of one of 1000, which trembles, 0.02 s, as
 * is printed beside differences of the same motion. 0.26 s are enough for the slope of the height, from a single run.
 * It knows nothing of how grains fall into place, and is of no use where they flow: there one run is no smooth function
 * of p, but the mean of many is, whose slope is that of runs at p + s and p - s: a smoothed, randomised gradient. The
 * heap is sought with the smoothed slope and, where it holds for 0.26 s, with the exact one, each from two starts, the
 * silo with the smoothed one, by steps of Gauss and Newton.
 *
 * Beside the page a picture, NAME_loss.svg: what was tried, the loss, and how long the gradient holds. Until both are
 * written the outcomes of runs are in PAGE.runs: stopped and started again, it goes on where it was. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "grain_scene.h"
#include "plot.h"

enum { GRAIN, WALL, TYPES, NODES = 13, ITERATIONS = 8, HORIZONS = 6 };
#define PEG 0.5                         /* m, radius of the discs of the silo's walls */

static grain_scene s, kept;             /* a run; fields of the nodes */
static double grains = 60, height = 0, emptied = 0.4, seconds = 4, runs = 8, opening = 7, angles = 32, side = 35,
              mu = 0.2, stiffness = 5e4, step = 4e-3, sweeps = 16,
              iterations = ITERATIONS;

/* What is designed. */
typedef struct {
    const char *name, *of, *unit;
    double      lo, hi;                 /* of p */
    int         nodes;                  /* shapes that are baked, from lo to hi */
    double      spread;                 /* of p, in smoothed gradients */
    int         silo;
    double      target, error;          /* error: of the baked fields, m */
    dc_cfield   field[NODES][TYPES];    /* baked ones, where there is a spline */
} design;

static design packing = {"packing", "part of the circle", "m", 0.2, 0.8, 13, 0.04, 0, 0, 0, {{DC_ZERO}}};
static design flow = {"silo", "depth of the notches", "1", 0.04, 1, 5, 0.2, 1, 0, 0, {{DC_ZERO}}};

/* ---- shapes --------------------------------------------------------------------------------------------- */

/* An octagon whose sides have notches, p = 1 the #: a quadrant's corners, and those turned by 90 degrees. */
static void notched(double p, dc_poly *poly, dc_v2 *v)
{
    const double out = 0.45, a = 0.125, b = 0.265, mid = 0.5*(out + b);
    const double in = out - p*(out - b), corner = mid - p*(mid - b);
    static const int cosine[4] = {1, 0, -1, 0};
    const double at[6][2] = {{out, -a}, {in, -a}, {in, a}, {out, a}, {out, b}, {corner, corner}};
    int i, k;

    for (i = 0; i < 4; i++)
        for (k = 0; k < 7; k++) {
            const double x = k < 6 ? at[k][0] : b, y = k < 6 ? at[k][1] : out, c = cosine[i], t = cosine[(i + 3)%4];
            v[7*i + k].x = (dc_real)(1.6*(c*x - t*y));
            v[7*i + k].y = (dc_real)(1.6*(t*x + c*y));
        }
    poly->n = 28;
}

/* The outline of shape p, m, with its centroid at the origin. */
static void outline(const design *d, double p, dc_poly *poly, dc_v2 *v)
{
    poly->v = v;
    if (d->silo) notched(p, poly, v);
    else grain_need(dc_poly_arc(DC_R(0.7), DC_R(0.2), (dc_real)p, 12, GRAIN_CORNERS, v, &poly->n), "arc");
    grain_need(dc_poly_centre(poly->n, v, 0), d->name);
}

/* Mass and inertia of grains of 1 kg/m^2. */
static dc_grain_type weight(const design *d, double p)
{
    dc_v2         v[GRAIN_CORNERS];
    dc_poly       poly;
    dc_grain_type t = DC_ZERO;

    outline(d, p, &poly, v);
    grain_need(dc_grain_type_poly(&poly, 1, 1, &t), d->name);
    return t;
}

/* ---- fields over p -------------------------------------------------------------------------------------- */

/* The fields of node k: two grains, a wall and a grain. */
static const dc_cfield *node(design *d, int k)
{
    dc_cfield_bake_options o = DC_ZERO;
    dc_cfield_bake_info of;
    dc_v2     v[GRAIN_CORNERS];
    dc_cshape shape[TYPES] = {DC_ZERO, DC_ZERO};
    int       i;

    if (d->field[k][GRAIN].spline) return d->field[k];
    outline(d, d->lo + k*(d->hi - d->lo)/(d->nodes - 1), &shape[GRAIN].poly, v);
    shape[WALL].kind = DC_CSHAPE_HALFPLANE;
    o.radius = 1;                       /* m: no shape is larger */
    o.fold = d->silo ? 4 : 1;
    for (i = 0; i < TYPES; i++) {
        const dc_poly *poly = &shape[GRAIN].poly;
        dc_cfield      exact;
        dc_arena       mem = grain_memory(&kept, dc_cfield_bytes(i == GRAIN ? poly->n : 0, poly->n));
        grain_need(dc_cfield_exact(NULL, &shape[i], poly, &mem, &exact), d->name);
        o.angles = i == GRAIN ? (int)angles/o.fold : 0;
        o.side = i == GRAIN ? (int)side : 0;
        mem = grain_memory(&kept, dc_cfield_bake_bytes(&o, &exact));
        grain_need(dc_cfield_bake(&o, &exact, &mem, &d->field[k][i], &of), d->name);
        if (i == GRAIN) d->error = fmax(d->error, (double)of.rmse);
    }
    return d->field[k];
}

/* The field of p, or its derivative by p: the cubic through four nodes, at -1, 0, 1, 2. */
static void mix(design *d, double p, int slope, int which, dc_cfield *field)
{
    const double     rate = (d->nodes - 1)/(d->hi - d->lo), at = (p - d->lo)*rate;
    const int        first = (int)fmin(fmax(floor(at) - 1, 0), d->nodes - 4);
    const double     u = at - first - 1, uu = u*u;
    const double     w[2][4] = {{-u*(u - 1)*(u - 2)/6, (uu - 1)*(u - 2)/2, -(u + 1)*u*(u - 2)/2, u*(uu - 1)/6},
                                {-(3*uu - 6*u + 2)/6, (3*uu - 4*u - 1)/2, -(3*uu - 2*u - 2)/2, (3*uu - 1)/6}};
    const dc_cfield *of[4];
    dc_real          weights[4];
    dc_arena         mem;
    int              k;

    for (k = 0; k < 4; k++) {
        of[k] = node(d, first + k) + which;
        weights[k] = (dc_real)(slope ? w[1][k]*rate : w[0][k]);
    }
    mem = grain_memory(&s, dc_cfield_mix_bytes(of[0]));
    grain_need(dc_cfield_mix(4, of, weights, &mem, field), d->name);
}

/* ---- a run ---------------------------------------------------------------------------------------------- */

/* Types and fields of shape p. */
static void shapes(design *d, double p)
{
    int i;

    s.type[GRAIN] = weight(d, p);
    s.kind[GRAIN].length = (double)s.type[GRAIN].radius;
    outline(d, p, &s.kind[GRAIN].outline, s.kind[GRAIN].corner);
    s.type[WALL].kind = d->silo ? DC_CSHAPE_DISC : DC_CSHAPE_HALFPLANE;
    s.type[WALL].radius = DC_R(PEG);
    mix(d, p, 0, GRAIN, &s.field[GRAIN]);
    if (d->silo) {
        /* discs are not baked */
        dc_cshape disc = DC_ZERO;
        dc_arena  mem = grain_memory(&s, dc_cfield_bytes(0, s.kind[GRAIN].outline.n));
        disc.kind = DC_CSHAPE_DISC;
        disc.radius = DC_R(PEG);
        grain_need(dc_cfield_exact(NULL, &disc, &s.kind[GRAIN].outline, &mem, &s.field[WALL]), d->name);
    } else mix(d, p, 0, WALL, &s.field[WALL]);
    grain_need(dc_poly_centre(s.kind[GRAIN].outline.n, s.kind[GRAIN].corner, 1), d->name);  /* as it is drawn */
    for (i = 0; i < TYPES; i++) {
        s.pair[i].a = i;
        s.pair[i].b = GRAIN;
        s.pair[i].field = &s.field[i];
    }
}

/* A bin, or a silo whose plug is [first, end); returns how high it reaches. */
static double bodies(const design *d, int plug[2])
{
    const int    kind = GRAIN;
    const double r = s.kind[GRAIN].length, wide = (d->silo ? 1.4 : 1.6)*sqrt(grains);
    const double a = opening/2 + PEG, b = wide/2 + PEG;
    const double up = d->silo ? b - a : 0, top = up + 2.02*r*ceil(grains/grain_columns(r, r - wide/2, wide/2 - r)) + 2;

    if (d->silo) {
        grain_fence(&s, WALL, PEG, -b, up, -b, top);
        grain_fence(&s, WALL, PEG, b, up, b, top);
        grain_fence(&s, WALL, PEG, -a, 0, -b, up);
        grain_fence(&s, WALL, PEG, a, 0, b, up);
        plug[0] = grain_fence(&s, WALL, PEG, -a + PEG, 0, a - PEG, 0);
        plug[1] = s.bodies;
    } else {
        grain_put(&s, WALL, DC_GRAIN_DRIVEN, 0, 0, 0, NULL);
        grain_put(&s, WALL, DC_GRAIN_DRIVEN, -wide/2, 0, -GRAIN_PI/2, NULL);
        grain_put(&s, WALL, DC_GRAIN_DRIVEN, wide/2, 0, GRAIN_PI/2, NULL);
    }
    grain_fill(&s, &kind, 1, (int)grains, r - wide/2, wide/2 - r, up + r);
    return top;
}

/* Grains of shape p before they fall. */
static void begin(design *d, double p, unsigned long long seed, int plug[2])
{
    dc_grains_desc *g = &s.desc;
    double          top;

    grain_open(&s, seed);
    shapes(d, p);
    top = bodies(d, plug);
    g->types = g->pairs = TYPES;
    g->lo[0] = (dc_real)-top;
    g->lo[1] = (dc_real)(d->silo ? -top : 0);
    g->hi[0] = (dc_real)top;
    g->hi[1] = (dc_real)top;
    grain_build(&s, step, sweeps, stiffness, mu, 0.5);      /* the same for all shapes */
}

/* What is wanted of the grains: twice the mean height of their centres; or how many of them are through the opening, by
 * a ramp of a grain's height. by: its derivative by the heights, or NULL. */
static double outcome(const design *d, dc_real *by)
{
    double total = 0;
    int    i, n = 0;

    for (i = 0; i < s.bodies; i++) n += s.start[i].motion == DC_GRAIN_FREE;
    for (i = 0; i < s.bodies; i++) {
        const double y = grain_y(&s, i), out = 1/(1 + exp(4*y));
        if (s.start[i].motion != DC_GRAIN_FREE) continue;
        total += d->silo ? out : 2*y;
        if (by) by[3*i + 2] = (dc_real)((d->silo ? -4*out*(1 - out) : 2)/n);
    }
    return total/n;
}

/* n steps, which slow grains a little where they settle; frames on the page, ten a second, or v NULL. */
static void advance(const design *d, int n, double drag, dc_arena *work, view *v, int series)
{
    const int each = (int)(0.1/step + 0.5);
    int       i, k;

    for (i = 0; i < n; i++) {
        double t = cli_seconds();
        if (v && i%each == 0) {
            grain_draw(&s, v);
            view_value(v, series, outcome(d, NULL));
            view_frame(v, s.time);
        }
        grain_count(&s, dc_grains_step(&s.g, work, &s.info));
        if (drag > 0) grain_slow(&s, drag);
        for (k = 0; k < s.bodies && d->silo; k++)       /* what is out is taken away */
            if (grain_y(&s, k) < -4) s.g.motion[k] = DC_GRAIN_ABSENT;
        s.seconds += cli_seconds() - t;
    }
}

/* Grains of shape p fall, and settle; those of a silo leave it then for as long again. The outcome. */
static double run(design *d, double p, unsigned long long seed, view *v, const char *name)
{
    const int steps = (int)(seconds/step + 0.5);
    int       plug[2] = {0, 0}, series = 0, i;
    dc_arena  work;

    begin(d, p, seed, plug);
    if (v) {
        view_run(v, name);
        grain_show(&s, v);
        if (d->silo) {
            int peg = view_disc(v, DC_R(PEG));
            for (i = 0; i < plug[0]; i++) view_fixed(v, peg, "#8592a3", grain_pose(s.start[i].x, s.start[i].y, 0));
        } else {
            const dc_real x = (dc_real)s.start[2].x, y = s.desc.hi[1], rim[8] = {-x, y, -x, 0, x, 0, x, y};
            view_fixed(v, view_line(v, rim, 4), "#8592a3", grain_pose(0, 0, 0));
        }
        series = view_series(v, d->silo ? "part that is out" : "height", d->unit, 0);
    }
    work = grain_memory(&s, dc_grains_step_bytes(&s.g));
    advance(d, steps, 1, &work, v, series);
    if (d->silo) {
        for (i = plug[0]; i < plug[1]; i++) s.g.motion[i] = DC_GRAIN_ABSENT;
        advance(d, steps, 0, &work, v, series);
    }
    return outcome(d, NULL);
}

/* ---- what was computed before it was stopped -------------------------------------------------------------- */

/* PAGE.runs: the options, then one record after the other of what the program computes; it asks for the same ones in
 * the same order when it is started again, so that a record is known by its place and by what it is of. */
enum { OUTCOME, OUTCOME_AND_SLOPE, SLOPES, NUMBERS = 20 };    /* what a record is of; its numbers at most */
typedef struct { double of[4], x[NUMBERS], error; } record;
static struct { FILE *f; int recalls; char name[1000]; } journal;

static void journal_open(const char *page, const double *options, int n)
{
    double before[NUMBERS] = {0}, now[NUMBERS] = {0};

    memcpy(now, options, (size_t)n*sizeof *now);
    if (snprintf(journal.name, sizeof journal.name, "%s.runs", page) >= (int)sizeof journal.name) return;
    journal.f = fopen(journal.name, "r+b");
    if (journal.f && fread(before, sizeof before, 1, journal.f) == 1 && !memcmp(before, now, sizeof now)) {
        journal.recalls = 1;
        return;
    }
    if (journal.f) (void)fclose(journal.f);
    journal.f = fopen(journal.name, "w+b");
    if (journal.f && fwrite(now, sizeof now, 1, journal.f) != 1) {
        (void)fclose(journal.f);
        journal.f = NULL;
    }
}

/* n numbers of what is to be computed next, of shape p and a seed, if they are there: 1 */
static int journal_recall(design *d, double p, unsigned long long seed, int what, double *x, int n)
{
    const double of[4] = {d->silo, p, (double)seed, what};
    record       r;
    long         at;

    if (!journal.f || !journal.recalls) return 0;
    at = ftell(journal.f);
    if (fread(&r, sizeof r, 1, journal.f) == 1 && !memcmp(r.of, of, sizeof of)) {
        memcpy(x, r.x, (size_t)n*sizeof *x);
        d->error = fmax(d->error, r.error);
        return 1;
    }
    /* from here on it is written */
    journal.recalls = 0;
    if (fseek(journal.f, at, SEEK_SET) != 0) {
        (void)fclose(journal.f);
        journal.f = NULL;
    }
    return 0;
}

/* what was computed in its place */
static void journal_add(const design *d, double p, unsigned long long seed, int what, const double *x, int n)
{
    record r = {{0}, {0}, 0};

    if (!journal.f) return;
    r.of[0] = d->silo;
    r.of[1] = p;
    r.of[2] = (double)seed;
    r.of[3] = what;
    memcpy(r.x, x, (size_t)n*sizeof *x);
    r.error = d->error;
    if (fwrite(&r, sizeof r, 1, journal.f) != 1 || fflush(journal.f) != 0) {
        (void)fclose(journal.f);
        journal.f = NULL;
    }
}

/* all is written: it is of no use any more */
static void journal_end(int done)
{
    if (journal.f) (void)fclose(journal.f);
    if (journal.f && done) (void)remove(journal.name);
    else if (journal.f) printf("started again it goes on where it was: %s\n", journal.name);
}

/* The mean of n runs and its standard error. */
static double mean(design *d, double p, int n, unsigned long long seed, double *error)
{
    double sum = 0, squares = 0, x;
    int    i;

    for (i = 0; i < n; i++) {
        if (!journal_recall(d, p, seed + (unsigned long long)i, OUTCOME, &x, 1)) {
            x = run(d, p, seed + (unsigned long long)i, NULL, NULL);
            grain_end(&s);
            journal_add(d, p, seed + (unsigned long long)i, OUTCOME, &x, 1);
        }
        sum += x;
        squares += x*x;
    }
    sum /= n;
    *error = n > 1 ? sqrt(fmax(squares/n - sum*sum, 0)/(n - 1)) : 0;
    return sum;
}

/* ---- the gradient through a motion ---------------------------------------------------------------------- */

/* d outcome/dp after `steps` steps from the present state, by the transposed derivative of each step, last to first. */
static double through(design *d, double p, int steps)
{
    const size_t  n = 3*(size_t)s.bodies, springs = 3*(size_t)s.g.desc.room, count = 2*(2*n + springs);
    const double  e = 1e-5;
    const dc_grain_type up = weight(d, p + e), down = weight(d, p - e);
    const dc_real mass[TYPES] = {(dc_real)((double)(up.mass - down.mass)/(2*e)), 0};
    const dc_real inertia[TYPES] = {(dc_real)((double)(up.inertia - down.inertia)/(2*e)), 0};
    unsigned char *past = (unsigned char *)grain_memory(&s, (size_t)steps*s.g.state_bytes).base;
    dc_real       *x = (dc_real *)grain_memory(&s, count*sizeof(dc_real)).base;
    dc_arena       work = grain_memory(&s, dc_grains_step_bytes(&s.g));
    dc_arena       mem = grain_memory(&s, dc_grains_grad_bytes(&s.g));
    dc_cfield      slope[TYPES];
    const dc_cfield *field[TYPES];
    dc_grains_shape shape = DC_ZERO;
    dc_grains_tangent next, now, swap;
    double         gradient = 0;
    size_t         i;
    int            k;

    for (k = 0; k < TYPES; k++) {
        mix(d, p, 1, k, &slope[k]);
        field[k] = &slope[k];
    }
    shape.parameters = 1;
    shape.field = field;
    shape.mass = mass;
    shape.inertia = inertia;
    for (k = 0; k < steps; k++) {
        memcpy(past + (size_t)k*s.g.state_bytes, s.g.state, s.g.state_bytes);
        advance(d, 1, 1, &work, NULL, 0);
    }

    /* back */
    memset(x, 0, count*sizeof *x);
    now.q = x;
    now.v = x + n;
    now.spring = x + 2*n;
    next.q = x + 2*n + springs;
    next.v = next.q + n;
    next.spring = next.q + 2*n;
    outcome(d, now.q);
    for (k = steps - 1; k >= 0; k--) {
        dc_real by;
        swap = next;
        next = now;
        now = swap;
        for (i = 0; i < n; i++)                 /* grain_slow */
            if (s.g.motion[i/3] == DC_GRAIN_FREE) next.v[i] *= (dc_real)(1 - step);
        memcpy(s.g.state, past + (size_t)k*s.g.state_bytes, s.g.state_bytes);
        grain_need(dc_grains_vjp_shape(&s.g, &shape, &next, &now, &by, &mem, NULL), "gradient");
        gradient += (double)by;
    }
    return gradient;
}

enum { SLOPE = 3 };                     /* horizon of exact slopes */
static const int horizon[HORIZONS] = {1, 4, 16, 64, 256, 1024};
typedef struct { int n; double time[HORIZONS], by[HORIZONS], differ[2][HORIZONS]; } horizons_of;

/* Heights of shape p after these numbers of steps from a state, which may be that of another shape. */
static void motion(design *d, double p, const unsigned char *state, int n, double *h, unsigned long long seed)
{
    int      plug[2], k, done = 0;
    dc_arena work;

    begin(d, p, seed, plug);
    work = grain_memory(&s, dc_grains_step_bytes(&s.g));
    memcpy(s.g.state, state, s.g.state_bytes);
    for (k = 0; k < n; k++) {
        advance(d, horizon[k] - done, 1, &work, NULL, 0);
        done = horizon[k];
        h[k] = outcome(d, NULL);
    }
    grain_end(&s);
}

/* Gradients by p through motions of n lengths, of a heap at rest whose grains begin to grow, then differences of the
 * same motions over 2e-5 of p, then over the spread of the smoothed gradient. */
static void slopes(design *d, double p, unsigned long long seed, int n, double x[3*HORIZONS])
{
    const double     size[2] = {1e-5, d->spread};
    double           high[HORIZONS], low[HORIZONS];
    unsigned char   *state;
    int              k, i;

    run(d, p, seed, NULL, NULL);
    state = (unsigned char *)malloc(s.g.state_bytes);
    if (!state) exit(cli_error("%s", "no memory"));
    memcpy(state, s.g.state, s.g.state_bytes);
    for (k = 0; k < n; k++) {
        memcpy(s.g.state, state, s.g.state_bytes);
        x[k] = through(d, p, horizon[k]);
    }
    grain_end(&s);
    for (i = 0; i < 2; i++) {
        motion(d, p + size[i], state, n, high, seed);
        motion(d, p - size[i], state, n, low, seed);
        for (k = 0; k < n; k++) x[(1 + i)*HORIZONS + k] = (high[k] - low[k])/(2*size[i]);
    }
    free(state);
}

/* How long the gradient through a motion holds. */
static void horizons(design *d, double p, unsigned long long seed, horizons_of *to)
{
    double x[3*HORIZONS] = {0};
    int    k;

    for (k = 0; k < HORIZONS && horizon[k]*step <= seconds; k++) to->time[k] = horizon[k]*step;
    to->n = k;
    if (!journal_recall(d, p, seed, SLOPES, x, 3*HORIZONS)) {
        slopes(d, p, seed, to->n, x);
        journal_add(d, p, seed, SLOPES, x, 3*HORIZONS);
    }
    for (k = 0; k < HORIZONS; k++) {
        to->by[k] = x[k];
        to->differ[0][k] = x[HORIZONS + k];
        to->differ[1][k] = x[2*HORIZONS + k];
    }
    printf("a heap at rest of p %.2f whose grains grow: d height/dp after so long, m\n", p);
    printf("  time, s   gradient   difference over 2e-5   over %.2f\n", 2*d->spread);
    for (k = 0; k < to->n; k++)
        printf("  %7.3f %10.4g %22.4g %11.4g\n", to->time[k], to->by[k], to->differ[0][k], to->differ[1][k]);
    fflush(stdout);
}

/* ---- descent -------------------------------------------------------------------------------------------- */

enum { SMOOTHED, THROUGH };             /* where the slope comes from */
typedef struct {
    const char *name;
    int         n;
    double      at[ITERATIONS], p[ITERATIONS], is[ITERATIONS], loss[ITERATIONS];
} history;

/* The mean outcome about p, and its slope. */
static double look(design *d, double p, int how, unsigned long long seed, double *slope)
{
    const double from = fmax(p - d->spread, d->lo), to = fmin(p + d->spread, d->hi);
    double       error, low, high, sum = 0;
    int          i;

    if (how == SMOOTHED) {
        low = mean(d, from, (int)runs, seed, &error);
        high = mean(d, to, (int)runs, seed, &error);
        *slope = (high - low)/(to - from);
        return low + *slope*(p - from);
    }
    for (*slope = 0, i = 0; i < (int)runs; i++) {
        double of[2];
        if (!journal_recall(d, p, seed + (unsigned long long)i, OUTCOME_AND_SLOPE, of, 2)) {
            of[0] = run(d, p, seed + (unsigned long long)i, NULL, NULL);
            of[1] = through(d, p, horizon[SLOPE]);
            grain_end(&s);
            journal_add(d, p, seed + (unsigned long long)i, OUTCOME_AND_SLOPE, of, 2);
        }
        sum += of[0];
        *slope += of[1]/runs;
    }
    return sum/runs;
}

/* From p to the target, with the mean of the slopes of the last iterations; steps are of 0.15 at most, in a silo
 * of 0.3. What is found is where the last steps lead, in the mean. */
static double descend(design *d, double p, int how, unsigned long long seed, cli_bar *bar, history *h)
{
    double slope = 0, weights = 0, found = 0, steps = 0, now, move, most = 0.15*(d->silo ? 2 : 1);

    printf("%s from %.2f with %s slopes: %s, mean of %g runs, loss\n", d->name, p,
           how == SMOOTHED ? "smoothed" : "exact", d->of, runs*(how == SMOOTHED ? 2 : 1));
    for (h->n = 0; !cli_stopped();) {
        const int n = h->n++;
        h->at[n] = n;
        h->p[n] = p;
        h->is[n] = look(d, p, how, seed + 1000*(unsigned long long)n, &now);
        h->loss[n] = pow(h->is[n]/d->target - 1, 2);
        printf("  %.3f %8.3f %s %.1e\n", p, h->is[n], d->unit, h->loss[n]);
        fflush(stdout);
        cli_bar_step(bar, bar->shown + 1);
        slope = 0.5*slope + now;
        weights = 0.5*weights + 1;
        move = (d->target - h->is[n])*weights/slope;
        if (!(fabs(move) < most)) {
            move = move > 0 ? most : -most;
            found = steps = 0;
        }
        p = fmin(fmax(p + move, d->lo), d->hi);
        found = 0.5*found + p;
        steps = 0.5*steps + 1;
        if (h->n == (int)iterations || (h->loss[n] < 2.5e-5 && n > 1)) break;
    }
    return steps > 0 ? found/steps : p;             /* stopped before the first */
}

/* What was found, by runs that it has not seen. */
static void judge(design *d, double from, int how, double p, unsigned long long seed)
{
    double error, is;
    char   name[60];

    if (cli_stopped()) return;
    is = mean(d, p, 2*(int)runs, seed, &error);
    snprintf(name, sizeof name, "%s_from_%.2f_%s", d->name, from, how == SMOOTHED ? "smoothed" : "exact");
    printf("%s_p %.3f 1\n%s_outcome %.3f %s\n", name, p, name, is, d->unit);
    printf("%s_standard_error %.3f %s\n%s_off_target %+.1f %%\n", name, error, d->unit, name, 100*(is/d->target - 1));
    fflush(stdout);
}

/* ---- the page and the picture --------------------------------------------------------------------------- */

static int shown;                       /* runs on the page */

static void show(design *d, view *v, double p, const char *what, unsigned long long seed)
{
    char name[60];

    if (cli_stopped()) return;
    shown++;
    snprintf(name, sizeof name, "%s, %s: %.2f", d->name, what, p);
    run(d, p, seed, v, name);
    grain_end(&s);
}

/* FILE.html to FILE_loss.svg: outcomes tried over p, losses, gradients over time. */
static int picture(const char *page, const history *h, int n, const horizons_of *hold)
{
    static const char *const colour[5] = {PLOT_BLUE, PLOT_RED, PLOT_GREEN, PLOT_PURPLE, PLOT_ORANGE};
    const size_t length = strlen(page), stem = length > 5 && !strcmp(page + length - 5, ".html") ? length - 5 : length;
    char         file[1000];
    plot         p;
    plot_panel   a, b, c;
    int          k, heaps = n - 1;

    if (stem + 10 > sizeof file) return cli_error("%s", "the name of the page is too long");
    snprintf(file, sizeof file, "%.*s_loss.svg", (int)stem, page);
    plot_begin(&p, 1240, 400, "Grains for a wanted height");
    a = plot_panel_at(&p, 70, 70, 320, 260);
    a.x.name = "part of the circle";
    a.y.name = "height [m]";
    b = plot_panel_at(&p, 480, 70, 320, 260);
    b.x.name = "iteration";
    b.y.name = "(outcome/target - 1)^{2}";
    b.y.log = 1;
    c = plot_panel_at(&p, 890, 70, 320, 260);
    c.x.name = "time through which it goes [s]";
    c.y.name = "d height/d part [m]";
    c.x.log = 1;
    for (k = 0; k < heaps; k++) plot_fit(&a, h[k].n, h[k].p, h[k].is);
    for (k = 0; k < n; k++) plot_fit(&b, h[k].n, h[k].at, h[k].loss);
    plot_fit(&c, hold->n, hold->time, hold->by);
    for (k = 0; k < 2; k++) plot_fit(&c, hold->n, hold->time, hold->differ[k]);
    a.y.lo = 0;
    b.y.hi *= 1e5;                      /* room for the legends */
    c.y.hi *= 1.5;
    plot_axes(&a);
    plot_axes(&b);
    plot_axes(&c);
    plot_line(&a, a.x.lo, packing.target, a.x.hi, packing.target, PLOT_PALE, 1, 0);
    for (k = 0; k < heaps; k++) plot_points(&a, h[k].n, h[k].p, h[k].is, colour[k], NULL);
    for (k = 0; k < n; k++) plot_curve(&b, h[k].n, h[k].at, h[k].loss, colour[k], h[k].name);
    plot_curve(&c, hold->n, hold->time, hold->by, PLOT_BLUE, "gradient through the motion");
    plot_points(&c, hold->n, hold->time, hold->differ[0], PLOT_RED, "difference over 2e-5");
    plot_curve(&c, hold->n, hold->time, hold->differ[1], PLOT_GREEN, "difference over 0.08");
    plot_legend(&b, PLOT_UPPER_RIGHT);
    plot_legend(&c, PLOT_UPPER_LEFT);
    return plot_end(&p, file);
}

int main(int argc, char **argv)
{
    static const char *const name[5] = {"heap from 0.3, smoothed", "heap from 0.7, smoothed", "heap from 0.3, exact",
                                        "heap from 0.7, exact", "silo from 0.9, smoothed"};
    static const double start[2] = {0.3, 0.7};
    cli_number  number[] = {{"grains", &grains, 10, 20000, "in a heap, in a silo"},
                            {"height", &height, 0, 1000, "wanted, m; 0: 0.65 sqrt(grains)"},
                            {"emptied", &emptied, 0.01, 0.99, "part of the grains wanted out of the silo"},
                            {"seconds", &seconds, 0.1, 1000, "to settle, then to flow"},
                            {"runs", &runs, 1, 1000, "in a mean"},
                            {"opening", &opening, 1, 100, "of the silo, m"},
                            {"iterations", &iterations, 1, ITERATIONS, "of each descent at most"},
                            {"angles", &angles, 16, 200, "nodes of baked fields"},
                            {"side", &side, 11, 200, "nodes of baked fields"},
                            {"mu", &mu, 0, 10, "friction"},
                            {"stiffness", &stiffness, 1e3, 1e8, "of a contact, N/m"},
                            {"step", &step, 1e-4, 1e-2, "of time, s"},
                            {"sweeps", &sweeps, 1, 1000, "of a step"}};
    cli         o = cli_parse(argc, argv, "The shape of grains for a wanted height and discharge.", "grain_design.html",
                              number, 13);
    history     tried[5];
    horizons_of hold;
    view       *v;
    cli_bar     bar;
    double      p, options[15];
    int         how, k, holds, n = 0;

    if (o.full) { grains = 1000; seconds = 14; runs = 2; opening = 10; angles = 64; side = 51; }
    if (o.quick) { grains = 16; seconds = 2; runs = 1; iterations = 3; angles = 16; side = 17; }
    if (o.quick) { opening = 4; packing.nodes = flow.nodes = 4; }
    packing.target = height > 0 ? height : 0.65*sqrt(grains);
    flow.target = emptied;
    grain_open(&kept, 1);
    v = grain_page(o.out, "Grains made to pack as high, and to flow as fast, as is wanted",
                   "Which part of a circle an arc has to be, how deep the notches of a grain.", 20);
    for (k = 0; k < 13; k++) options[k] = *number[k].value;
    options[13] = (double)o.seed;
    options[14] = sizeof(dc_real);
    journal_open(o.out, options, 15);
    bar = cli_bar_begin("design", 5*iterations, "iterations");
    horizons(&packing, 0.5, o.seed, &hold);
    holds = hold.n > SLOPE && fabs(hold.by[SLOPE]/hold.differ[0][SLOPE] - 1) < 0.1;
    if (!holds) printf("no exact slopes: the gradient through %d steps does not hold\n", horizon[SLOPE]);
    for (how = SMOOTHED; how <= (holds ? THROUGH : SMOOTHED); how++)
        for (k = 0; k < 2 && !cli_stopped(); k++) {
            if (how == SMOOTHED) show(&packing, v, start[k], "at first", o.seed);
            p = descend(&packing, start[k], how, 100*o.seed, &bar, &tried[n]);
            tried[n].name = name[2*how + k];
            n++;
            judge(&packing, start[k], how, p, 100*o.seed + 50000);
            if (how == SMOOTHED) show(&packing, v, p, "found", o.seed);
        }
    if (!cli_stopped()) {
        show(&flow, v, 0.9, "at first", o.seed);
        p = descend(&flow, 0.9, SMOOTHED, 100*o.seed, &bar, &tried[n]);
        tried[n].name = name[4];
        n++;
        judge(&flow, 0.9, SMOOTHED, p, 100*o.seed + 50000);
        show(&flow, v, p, "found", o.seed);
    }
    cli_bar_end(&bar);
    printf("baked_fields_error %.4f %.4f m\n", packing.error, flow.error);
    grain_end(&kept);
    if (cli_stopped() && !shown) {      /* no page, which is no failure: the runs are kept */
        view_close(v);
        journal_end(0);
        return cli_exit(CLI_DONE);
    }
    if (view_close(v) != 0 || (!cli_stopped() && picture(o.out, tried, n, &hold) != 0)) return CLI_FAILED;
    journal_end(!cli_stopped());
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
