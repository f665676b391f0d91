/* grain_scene.h - what the examples of grains share: shapes, the fields of all pairs, filling, steps, the page
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     static grain_scene s;
 *     grain_begin(&s, 1e-3, 5e4, 0.4, seed);                   time step, stiffness, friction
 *     hash = grain_shape(&s, "hash", 0.7);                     names of dc_poly_named, "hash" for "#"; radius
 *     peg = grain_round(&s, 0.5);                              a disc
 *     floor = grain_wall(&s, DC_CSHAPE_HALFPLANE, 0);
 *     grain_put(&s, floor, DC_GRAIN_DRIVEN, 0, 0, 0, NULL);
 *     grain_fill(&s, &hash, 1, 300, -5, 5, 1);
 *     grain_build(&s, -50, 0, 50, 80);                         the domain; makes the fields of all pairs that can touch
 *     grain_show(&s, v);
 *     for (i = 0; i < 100; i++) { grain_run(&s, 0.05); grain_draw(&s, v); view_frame(v, s.time); }
 *     grain_end(&s);
 *
 * Or the example makes types, fields and grains itself, between grain_open and grain_place, and calls dc_grains_step.
 *
 * Fields of discs and walls are exact. Those of two other shapes are learned, and read from GRAIN_FIELDS, a directory of files
 * NAME_NAME.dccfield, which `make train TRAIN="all dir=examples/fields"` writes; what is not there is trained, 3 layers of 32 units
 * if s.train does not say otherwise, and kept there. With s.exact they are exact as well, for few grains.
 * With s.desc.sweeps, set between grain_begin and grain_build, steps are implicit, of 4 ms, and learned fields are baked into splines,
 * whose gradients do not jump. Built with -fopenmp, steps use all processors, and have the same bits.
 * Include it after dc_sim.h and cli.h, and after view.h for the drawing. */
#ifndef GRAIN_SCENE_H_INCLUDED
#define GRAIN_SCENE_H_INCLUDED

#include <stdint.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#ifndef GRAIN_FIELDS
#define GRAIN_FIELDS "."
#endif

#define GRAIN_PI 3.14159265358979323846
enum { GRAIN_THREADS = 8, GRAIN_KINDS = 16, GRAIN_CORNERS = 96, GRAIN_PAIRS = GRAIN_KINDS*(GRAIN_KINDS + 1)/2 };

/* a shape or wall */
typedef struct {
    const char *name;                           /* of the outline; NULL: a wall */
    dc_v2       corner[GRAIN_CORNERS];          /* of the outline, in units of length, radius 1 */
    dc_poly     outline;
    int         round;                          /* 1: drawn as a disc, and its fields are those of one */
    double      length;                         /* m: the radius */
} grain_kind;

typedef struct {
    dc_grains_desc desc;
    int            exact;                       /* 1: no learned fields */
    dc_cfield_train_options train;              /* of those */
    grain_kind     kind[GRAIN_KINDS];
    dc_grain_type  type[GRAIN_KINDS];
    dc_grain_pair  pair[GRAIN_PAIRS];
    dc_cfield      field[GRAIN_PAIRS];
    int           *body, bodies, room;          /* their kinds */
    struct { double theta, x, y; dc_grain_motion motion; const char *colour; int shown; } *start;
    dc_grains      g;                           /* from grain_build on */
    dc_grains_info info;                        /* of the last step */
    void          *memory[5*GRAIN_PAIRS + GRAIN_THREADS + 1];
    int            memories;
    dc_arena       scratch[GRAIN_THREADS];
    int            threads;
    struct { int first, end; double x, y, omega; } turn;    /* driven bodies that turn about a point, rad/s */
    double         time, seconds, deepest;      /* s simulated, s it took, largest overlap, m */
    long           steps, contacts;             /* contacts: of all steps */
    unsigned long long random;
} grain_scene;

static inline void grain_need(dc_status status, const char *what)
{
    if (status != DC_OK) exit(cli_error("%s: %s", what, dc_status_text(status)));
}

/* Memory until grain_end. */
static inline dc_arena grain_memory(grain_scene *s, size_t bytes)
{
    void *p = bytes > 0 ? malloc(bytes) : NULL;

    if (!p) exit(cli_error("no memory for %lu bytes", (unsigned long)bytes));
    s->memory[s->memories++] = p;
    return dc_arena_make(p, bytes);
}

/* Even in 0 .. 1. */
static inline double grain_random(grain_scene *s)
{
    return (double)(cli_random(&s->random) >> 11)*(1.0/9007199254740992.0);
}

/* An empty scene. */
static inline void grain_open(grain_scene *s, unsigned long long seed)
{
    memset(s, 0, sizeof *s);
    s->random = seed;
}

/* The same with gravity. Springs across are as stiff as along; grain_build makes the dampers. */
static inline void grain_begin(grain_scene *s, double h, double stiffness, double friction, unsigned long long seed)
{
    grain_open(s, seed);
    s->desc.h = (dc_real)h;
    s->desc.gravity[1] = DC_R(-9.81);
    s->desc.material.kn = s->desc.material.kt = (dc_real)stiffness;
    s->desc.reduced_mass = 1;
    s->desc.material.mu = (dc_real)friction;
    s->desc.type = s->type;
    s->desc.pair = s->pair;
}

/* ---- shapes ----------------------------------------------------------------------------------------- */

/* A grain of 1 kg/m^2 with this outline, scaled to a radius of `radius` m about its centroid. */
static inline int grain_outline(grain_scene *s, const char *name, const dc_v2 *corner, int corners, double radius)
{
    int         k = s->desc.types++;
    grain_kind *kind = s->kind + k;

    kind->name = name;
    memcpy(kind->corner, corner, (size_t)corners*sizeof *corner);
    kind->length = radius;
    grain_need(dc_poly_centre(corners, kind->corner, 1), name);
    kind->outline.v = kind->corner;
    kind->outline.n = corners;
    grain_need(dc_grain_type_poly(&kind->outline, (dc_real)radius, 1, &s->type[k]), name);
    return k;
}

/* Of a name of dc_poly_named; "hash" is "#". */
static inline int grain_shape(grain_scene *s, const char *name, double radius)
{
    dc_v2 corner[GRAIN_CORNERS];
    int   n;

    grain_need(dc_poly_named(strcmp(name, "hash") == 0 ? "#" : name, GRAIN_CORNERS, corner, &n), name);
    return grain_outline(s, name, corner, n, radius);
}

/* A disc: its fields are exact and fast, and drawn it is one too. */
static inline int grain_round(grain_scene *s, double radius)
{
    int k = grain_shape(s, "O", radius);

    s->kind[k].round = 1;
    return k;
}

/* DC_CSHAPE_HALFPLANE, or DISC and HOLE of this radius. */
static inline int grain_wall(grain_scene *s, dc_cshape_kind kind, double radius)
{
    int k = s->desc.types++;

    s->kind[k].length = radius;
    s->type[k].kind = kind;
    s->type[k].radius = (dc_real)radius;
    return k;
}

/* ---- fields ----------------------------------------------------------------------------------------- */

static inline int grain_progress(const dc_cfield_train_info *info, void *bar)
{
    cli_bar_step((cli_bar *)bar, info->epochs);
    return cli_stopped();
}

/* The field of a file, if it is there and whole. */
static inline int grain_read(grain_scene *s, const char *file, dc_cfield *field)
{
    static unsigned char bytes[1 << 17];
    FILE    *f = fopen(file, "rb");
    size_t   n = f ? fread(bytes, 1, sizeof bytes, f) : 0, need;
    dc_arena mem;

    if (f) fclose(f);
    need = n > 0 ? dc_cfield_load_bytes(bytes, n) : 0;
    if (need == 0) return 0;
    mem = grain_memory(s, need);
    return dc_cfield_load(bytes, n, &mem, field) == DC_OK;
}

/* The bytes of a learned field, a file NAME.dccfield of GRAIN_FIELDS. */
static inline const void *grain_bytes(grain_scene *s, const char *name, size_t *bytes)
{
    enum { MOST = 1 << 17 };
    char  file[300];
    FILE *f;
    void *p = grain_memory(s, MOST).base;

    snprintf(file, sizeof file, "%s/%.40s.dccfield", GRAIN_FIELDS, name);
    f = fopen(file, "rb");
    if (!f) exit(cli_error("%s is not there: make train TRAIN=\"all dir=examples/fields\" writes it", file));
    *bytes = fread(p, 1, MOST, f);
    fclose(f);
    return p;
}

static inline void grain_write(const dc_cfield *field, const char *file)
{
    size_t n = dc_cfield_save_bytes(field);
    void  *bytes = malloc(n);
    FILE  *f = bytes && dc_cfield_save(field, bytes, n) == DC_OK ? fopen(file, "wb") : NULL;
    size_t written = f ? fwrite(bytes, 1, n, f) : 0;

    if ((f && fclose(f) != 0) || written != n) cli_error("%s cannot be written", file);
    free(bytes);
}

/* A field trained like `exact`. */
static inline void grain_train(grain_scene *s, const dc_cfield *exact, const char *file, dc_cfield *field)
{
    const dc_cfield_train_options *o = &s->train;
    dc_cfield_train_info info = DC_ZERO;
    dc_arena  work = grain_memory(s, dc_cfield_eval_bytes(exact)), mem;
    void     *state = malloc(dc_cfield_train_bytes(o));
    cli_bar   bar;
    dc_status status;

    if (!state) exit(cli_error("no memory to train %s", file));
    grain_need(dc_cfield_train_start(o, exact, state), file);
    bar = cli_bar_begin(file, o->epochs > 0 ? o->epochs : 200, "epochs");
    status = dc_cfield_train(exact, state, &work, grain_progress, &bar, &info);
    cli_bar_end(&bar);
    if (cli_stopped()) exit(CLI_STOPPED);
    grain_need(status, file);
    mem = grain_memory(s, dc_cfield_learned_bytes(o));
    grain_need(dc_cfield_learned(state, &mem, field), file);
    free(state);
    printf("%s trained in %.1f s: error %.4f radii, wrong sign %.1f %%\n", file, cli_seconds() - bar.start, (double)info.rmse,
           100*(double)info.wrong);
}

static inline const char *grain_file(const char *a, const char *b, char file[300])
{
    snprintf(file, 300, "%s/%.20s_%.20s.dccfield", GRAIN_FIELDS, a, b);
    return file;
}

/* A spline like the field instead of it. */
static inline void grain_bake(grain_scene *s, dc_cfield *field)
{
    const dc_cfield of = *field;
    dc_arena        mem = grain_memory(s, dc_cfield_bake_bytes(NULL, &of));

    grain_need(dc_cfield_bake(NULL, &of, &mem, field, NULL), "spline");
}

/* The field of kinds a and b, in units of b; a is the wall or disc if there is one. Two outlines may change places. */
static inline void grain_pair(grain_scene *s, int a, int b)
{
    const grain_kind *A = s->kind + a, *B = s->kind + b;
    dc_grain_pair    *p = s->pair + s->desc.pairs;
    dc_cfield        *field = s->field + s->desc.pairs++, exact;
    dc_cshape shape = DC_ZERO;
    dc_arena  mem;
    char      file[300];
    int       learn;

    shape.kind = A->round ? DC_CSHAPE_DISC : s->type[a].kind;
    shape.poly = A->outline;
    learn = shape.kind == DC_CSHAPE_POLY && !s->exact;
    p->a = a;
    p->b = b;
    p->field = field;
    p->length = (dc_real)B->length;
    if (learn && fabs(A->length - B->length) > 0) exit(cli_error("%s and %s are not of one size", A->name, B->name));
    if (learn && grain_read(s, grain_file(A->name, B->name, file), field)) {
        if (s->desc.sweeps > 0) grain_bake(s, field);
        return;
    }
    if (learn && grain_read(s, grain_file(B->name, A->name, file), field)) {
        if (s->desc.sweeps > 0) grain_bake(s, field);
        p->a = b;
        p->b = a;
        return;
    }
    if (shape.kind != DC_CSHAPE_HALFPLANE) shape.radius = (dc_real)(A->length/B->length);
    mem = grain_memory(s, dc_cfield_bytes(shape.kind == DC_CSHAPE_POLY ? A->outline.n : 0, B->outline.n));
    grain_need(dc_cfield_exact(NULL, &shape, &B->outline, &mem, &exact), "field");
    *field = exact;
    if (!learn) return;
    grain_train(s, &exact, grain_file(A->name, B->name, file), field);
    grain_write(field, file);
    if (s->desc.sweeps > 0) grain_bake(s, field);
}

/* ---- bodies ----------------------------------------------------------------------------------------- */

/* One body; colour NULL: that of its kind. Returns its number. */
static inline int grain_put(grain_scene *s, int kind, dc_grain_motion motion, double x, double y, double theta, const char *colour)
{
    int i = s->bodies++;

    if (i == s->room) {
        s->room = 2*s->room + 64;
        s->body = (int *)realloc(s->body, (size_t)s->room*sizeof *s->body);
        *(void **)&s->start = realloc(s->start, (size_t)s->room*sizeof *s->start);
        if (!s->body || !s->start) exit(cli_error("no memory for %d bodies", s->room));
    }
    s->body[i] = kind;
    s->start[i].theta = theta;
    s->start[i].x = x;
    s->start[i].y = y;
    s->start[i].motion = motion;
    s->start[i].colour = colour;
    return i;
}

/* Fixed grains on the way from (x0, y0) to (x1, y1), at most `pitch` apart, both ends included, turned at random. Returns the
 * first. */
static inline int grain_fence(grain_scene *s, int kind, double pitch, double x0, double y0, double x1, double y1)
{
    int i, first = s->bodies, n = (int)ceil(hypot(x1 - x0, y1 - y0)/pitch - 1e-9);

    for (i = 0; i <= n; i++) {
        double theta = 2*GRAIN_PI*grain_random(s);
        grain_put(s, kind, DC_GRAIN_DRIVEN, x0 + (x1 - x0)*i/n, y0 + (y1 - y0)*i/n, theta, "#8592a3");
    }
    return first;
}

/* Grains of this radius in a row of grain_fill: one fewer than fit, so that rows lie at random. */
static inline int grain_columns(double radius, double x0, double x1)
{
    int n = (int)((x1 - x0)/(2.02*radius));

    return n > 1 ? n : 1;
}

/* n free grains in rows 2.02 radii apart from y up, centres between x0 and x1, turned at random, the kinds in turn. Colours are
 * those of the kinds, or of layers. Returns the first. */
static inline int grain_fill(grain_scene *s, const int *kind, int kinds, int n, double x0, double x1, double y)
{
    static const char *const shade[5] = {"#3b7dd8", "#3aa675", "#e8833a", "#c9971c", "#8a63d2"};
    double radius = s->kind[kind[0]].length, pitch = 2.02*radius, from = x0;
    int    i, columns = grain_columns(radius, x0, x1), first = s->bodies;

    for (i = 0; i < n; i++) {
        double theta = 2*GRAIN_PI*grain_random(s);
        if (i%columns == 0) from = x0 + (x1 - x0 - (columns - 1)*pitch)*grain_random(s);
        grain_put(s, kind[i%kinds], DC_GRAIN_FREE, from + i%columns*pitch, y + i/columns*pitch, theta,
                  shade[kinds > 1 ? i%kinds%5 : (int)(5.0*i/n)]);
    }
    return first;
}

/* Every body where it was put. */
static inline void grain_place(grain_scene *s)
{
    int i;

    for (i = 0; i < s->bodies; i++) {
        s->g.q[3*i] = (dc_real)s->start[i].theta;
        s->g.q[3*i + 1] = (dc_real)s->start[i].x;
        s->g.q[3*i + 2] = (dc_real)s->start[i].y;
        s->g.motion[i] = (int)s->start[i].motion;
    }
}

/* Makes the fields of the pairs that can touch, dampers of a fifth of critical for two of the lightest grains, and the grains in
 * the domain (x0, y0) .. (x1, y1). */
static inline void grain_build(grain_scene *s, double x0, double y0, double x1, double y1)
{
    int      moves[GRAIN_KINDS] = {0}, a, b, i;
    double   least = HUGE_VAL;
    dc_arena mem;

    for (i = 0; i < s->bodies; i++) {
        if (s->start[i].motion != DC_GRAIN_FREE) continue;
        moves[s->body[i]] = 1;
        least = fmin(least, (double)s->type[s->body[i]].mass);
    }
    s->desc.material.gn = s->desc.material.gt = (dc_real)(0.4*sqrt(2*(double)s->desc.material.kn/least));
    for (a = 0; a < s->desc.types; a++)
        for (b = a; b < s->desc.types; b++) {
            int first = s->type[b].kind != DC_CSHAPE_POLY || (s->kind[b].round && !s->kind[a].round && s->type[a].kind == DC_CSHAPE_POLY);
            if (moves[a] || moves[b]) grain_pair(s, first ? b : a, first ? a : b);
        }
    s->desc.body = s->body;
    s->desc.bodies = s->bodies;
    s->desc.lo[0] = (dc_real)x0;
    s->desc.lo[1] = (dc_real)y0;
    s->desc.hi[0] = (dc_real)x1;
    s->desc.hi[1] = (dc_real)y1;
    mem = grain_memory(s, dc_grains_bytes(&s->desc));
    grain_need(dc_grains_build(&s->desc, &mem, &s->g), "grains");
    s->threads = 1;
#ifdef _OPENMP
    s->threads = omp_get_max_threads() < GRAIN_THREADS ? omp_get_max_threads() : GRAIN_THREADS;
#endif
    for (i = 0; i < s->threads; i++) s->scratch[i] = grain_memory(s, dc_grains_step_bytes(&s->g));
    grain_place(s);
}

static inline void grain_end(grain_scene *s)
{
    while (s->memories > 0) free(s->memory[--s->memories]);
    free(s->body);
    free(s->start);
}

/* ---- motion ----------------------------------------------------------------------------------------- */

/* Fields and forces of all blocks, a share to each thread. */
static inline dc_status grain_meet(grain_scene *s)
{
    dc_status status[GRAIN_THREADS];
    int       k, n = s->threads;

#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1)
#endif
    for (k = 0; k < n; k++)
        status[k] = dc_grains_meet(&s->g, (int)((long)s->g.blocks*k/n), (int)((long)s->g.blocks*(k + 1)/n), s->scratch + k);
    for (k = 0; k < n && status[k] == DC_OK; k++) continue;
    return k < n ? status[k] : DC_OK;
}

/* Velocities of all bodies, and forces of all contacts between them: the sweeps of an implicit step, one alone of an explicit one. */
static inline void grain_solve(grain_scene *s)
{
    const int enough = 1 + s->bodies/1000;      /* threads: with fewer bodies each they wait for each other */
    int k, sweep, n = s->threads < enough ? s->threads : enough;

    for (sweep = 0; sweep <= s->desc.sweeps; sweep++) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) if (n > 1)
#endif
        for (k = 0; k < n; k++) dc_grains_sum(&s->g, (int)((long)s->bodies*k/n), (int)((long)s->bodies*(k + 1)/n));
        if (sweep == s->desc.sweeps) break;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) if (n > 1)
#endif
        for (k = 0; k < n; k++)
            dc_grains_sweep(&s->g, (int)((long)s->g.contacts*k/n), (int)((long)s->g.contacts*(k + 1)/n));
    }
}

/* Counts a step just done, for grain_report; one that failed ends the program. */
static inline void grain_count(grain_scene *s, dc_status status)
{
    if (status != DC_OK) exit(cli_error("step %ld: %s (bodies %d and %d, %d pairs)", s->steps,
                                            dc_status_text(status), s->info.a, s->info.b, s->info.pairs));
    s->steps++;
    s->time += (double)s->desc.h;
    s->contacts += s->info.contacts;
    s->deepest = fmax(s->deepest, (double)s->info.deepest);
}

/* Velocities of the driven bodies that turn, for the next step: along the chord, so that they stay on their circles. */
static inline void grain_turn(grain_scene *s)
{
    double h = (double)s->desc.h, c = cos(s->turn.omega*h) - 1, sine = sin(s->turn.omega*h);
    int    i;

    for (i = s->turn.first; i < s->turn.end; i++) {
        double x = (double)s->g.q[3*i + 1] - s->turn.x, y = (double)s->g.q[3*i + 2] - s->turn.y;
        s->g.v[3*i] = (dc_real)s->turn.omega;
        s->g.v[3*i + 1] = (dc_real)((c*x - sine*y)/h);
        s->g.v[3*i + 2] = (dc_real)((sine*x + c*y)/h);
    }
}

/* One step; one that fails ends the program. */
static inline void grain_step(grain_scene *s)
{
    double    before = cli_seconds();
    dc_status status;

    grain_turn(s);
    status = dc_grains_find(&s->g, &s->info);
    if (status == DC_OK) status = grain_meet(s);
    if (status == DC_OK) grain_solve(s);
    if (status == DC_OK) status = dc_grains_advance(&s->g, &s->info);
    grain_count(s, status);
    s->seconds += cli_seconds() - before;
}

/* Slows free grains, so that they settle; drag in 1/s. */
static inline void grain_slow(grain_scene *s, double drag)
{
    dc_real keep = (dc_real)(1 - drag*(double)s->desc.h);
    int     i, k;

    for (i = 0; i < s->bodies; i++)
        for (k = 0; k < 3 && s->g.motion[i] == DC_GRAIN_FREE; k++) s->g.v[3*i + k] *= keep;
}

/* Steps for some seconds; drag, 1/s, slows free grains: 0 but while they settle. */
static inline void grain_run(grain_scene *s, double seconds, double drag)
{
    int n = (int)(seconds/(double)s->desc.h + 0.5);

    while (n-- > 0) {
        grain_step(s);
        if (drag > 0) grain_slow(s, drag);
    }
}

static inline double grain_x(const grain_scene *s, int i) { return (double)s->g.q[3*i + 1]; }
static inline double grain_y(const grain_scene *s, int i) { return (double)s->g.q[3*i + 2]; }
static inline double grain_mass(const grain_scene *s, int i) { return (double)s->type[s->body[i]].mass; }
static inline int    grain_free(const grain_scene *s, int i) { return s->g.motion[i] == DC_GRAIN_FREE; }

/* Mean speed of the free grains, m/s. */
static inline double grain_speed(const grain_scene *s)
{
    double sum = 0;
    int    i, n = 0;

    for (i = 0; i < s->bodies; i++) {
        if (!grain_free(s, i)) continue;
        sum += hypot((double)s->g.v[3*i + 1], (double)s->g.v[3*i + 2]);
        n++;
    }
    return sum/(n > 0 ? n : 1);
}

/* Steps and what they cost, after a run's name. */
static inline void grain_report(const grain_scene *s, const char *run)
{
    double n = s->steps > 0 ? (double)s->steps : 1;

    printf("%s_bodies %d 1\n%s_steps %ld 1\n%s_contacts_mean %.0f 1\n", run, s->bodies, run, s->steps, run, (double)s->contacts/n);
    printf("%s_deepest_overlap %.3g m\n%s_outside %d 1\n", run, s->deepest, run, s->info.outside);
    printf("%s_time_of_a_step %.3g ms\n%s_time_of_a_second %.3g s\n", run, 1e3*s->seconds/n, run, s->seconds/fmax(s->time, 1e-9));
}

/* ---- the page --------------------------------------------------------------------------------------- */
#ifdef VIEW_H_INCLUDED

/* A page of grains; `note` says what there is to see. */
static inline view *grain_page(const char *file, const char *title, const char *note, double rate)
{
    view_options o = DC_ZERO;

    o.title = title;
    o.note = note;
    o.flat = o.quantise = 1;
    o.rate = rate;
    return view_open(file, &o);
}

static inline dc_pose grain_pose(double x, double y, double theta)
{
    dc_pose p;

    p.q = dc_quat_exp(dc_vec(0, 0, (dc_real)theta));
    p.t = dc_vec((dc_real)x, (dc_real)y, 0);
    return p;
}

/* Draws every body but walls; fixed ones never move on the page. */
static inline void grain_show(grain_scene *s, view *v)
{
    int drawn[GRAIN_KINDS], i, k;

    for (k = 0; k < s->desc.types; k++) {
        dc_real xy[2*GRAIN_CORNERS];
        for (i = 0; i < s->kind[k].outline.n; i++) {
            xy[2*i] = s->kind[k].corner[i].x*(dc_real)s->kind[k].length;
            xy[2*i + 1] = s->kind[k].corner[i].y*(dc_real)s->kind[k].length;
        }
        if (s->type[k].kind != DC_CSHAPE_POLY) drawn[k] = -1;
        else drawn[k] = s->kind[k].round ? view_disc(v, (dc_real)s->kind[k].length) : view_polygon(v, xy, s->kind[k].outline.n);
    }
    for (i = 0; i < s->bodies; i++) s->start[i].shown = drawn[s->body[i]] < 0 ? -1 : view_body(v, drawn[s->body[i]], s->start[i].colour);
}

/* The frame stays open for values. What is absent hides behind the first body. */
static inline void grain_draw(const grain_scene *s, view *v)
{
    int i;

    for (i = 0; i < s->bodies; i++) {
        const dc_real *q = s->g.q + 3*(s->g.motion[i] == DC_GRAIN_ABSENT ? 0 : i);
        if (s->start[i].shown >= 0) view_pose_2d(v, s->start[i].shown, q[1], q[2], q[0]);
    }
}

#endif /* VIEW_H_INCLUDED */
#endif /* GRAIN_SCENE_H_INCLUDED */
