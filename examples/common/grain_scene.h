/* grain_scene.h - what the examples of grains share: memory, the list of bodies, what a run cost, the page
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     static grain_scene s;
 *     grain_open(&s, seed);
 *     kind = grain_outline(&s, "U", 1);                        types, how they touch,
 *     ground = grain_halfplane(&s);
 *     grain_exact(&s, ground, kind);
 *     grain_baked(&s, kind, kind, NULL);
 *     grain_put(&s, ground, DC_GRAIN_DRIVEN, 0, 0, 0, NULL);    where they are
 *     grain_fill(&s, &kind, 1, 300, -5, 5, 1);
 *     grain_build(&s, 4e-3, 16, 1e5, 0.4, 0);                   within s.desc.lo, s.desc.hi
 *     grain_show(&s, v);
 *     for (i = 0; i < 100; i++) {
 *         grain_count(&s, dc_grains_step(&s.g, &work, &s.info));
 *         grain_draw(&s, v);
 *         view_frame(v, s.time);
 *     }
 *     grain_end(&s);
 *
 * Learned fields are files NAME_NAME.dccfield of the directory GRAIN_FIELDS, which `make train TRAIN="all dir=examples/fields"`
 * writes. Include it after dc_sim.h and cli.h, and after view.h for the drawing. */
#ifndef GRAIN_SCENE_H_INCLUDED
#define GRAIN_SCENE_H_INCLUDED

#ifndef GRAIN_FIELDS
#define GRAIN_FIELDS "."
#endif

#define GRAIN_PI 3.14159265358979323846
enum { GRAIN_KINDS = 16, GRAIN_CORNERS = 96, GRAIN_PAIRS = GRAIN_KINDS*(GRAIN_KINDS + 1)/2 };

/* a shape or wall */
typedef struct {
    const char *name;                           /* of the outline; NULL: a half-plane */
    dc_v2       corner[GRAIN_CORNERS];          /* of the outline, in units of length, radius 1 */
    dc_poly     outline;
    int         round;                          /* 1: drawn as a disc, and its fields are those of one */
    double      length;                         /* m: the radius */
} grain_kind;

typedef struct {
    dc_grains_desc desc;
    dc_cfield_train_options train;              /* of grain_train */
    grain_kind     kind[GRAIN_KINDS];
    dc_grain_type  type[GRAIN_KINDS];
    dc_grain_pair  pair[GRAIN_PAIRS];
    dc_cfield      field[GRAIN_PAIRS];
    int           *body, bodies, room;          /* their kinds */
    struct { double theta, x, y; dc_grain_motion motion; const char *colour; int shown; } *start;
    dc_grains      g;
    dc_grains_info info;                        /* of the last step */
    void          *memory[4*GRAIN_PAIRS + 16];
    int            memories;
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

/* ---- types and how they touch ----------------------------------------------------------------------- */

/* A type of 1 kg/m^2: an outline with its centroid at the origin and radius 1, which is `radius` m; O is a disc. */
static inline int grain_outline(grain_scene *s, const char *name, double radius)
{
    const char *outline = strcmp(name, "hash") == 0 ? "#" : name;      /* as files are named */
    int         k = s->desc.types++;
    grain_kind *kind = s->kind + k;

    grain_need(dc_poly_named(outline, GRAIN_CORNERS, kind->corner, &kind->outline.n), name);
    grain_need(dc_poly_centre(kind->outline.n, kind->corner, 1), name);
    kind->outline.v = kind->corner;
    kind->name = name;
    kind->round = name[0] == 'O';
    kind->length = radius;
    grain_need(dc_grain_type_poly(&kind->outline, (dc_real)radius, 1, &s->type[k]), name);
    return k;
}

/* The type of what is below a line. */
static inline int grain_halfplane(grain_scene *s)
{
    s->type[s->desc.types].kind = DC_CSHAPE_HALFPLANE;
    return s->desc.types++;
}

/* Room for the field of types a and b; lengths in it are in radii of b. */
static inline dc_cfield *grain_field(grain_scene *s, int a, int b)
{
    dc_cfield     *field = s->field + s->desc.pairs;
    dc_grain_pair *pair = s->pair + s->desc.pairs++;

    pair->a = a;
    pair->b = b;
    pair->field = field;
    pair->length = (dc_real)s->kind[b].length;
    return field;
}

/* The exact field of a, a disc or a half-plane, and the outline b. */
static inline void grain_exact(grain_scene *s, int a, int b)
{
    const dc_poly *outline = &s->kind[b].outline;
    dc_arena  mem = grain_memory(s, dc_cfield_bytes(0, outline->n));
    dc_cshape first = DC_ZERO;

    first.kind = s->kind[a].name ? DC_CSHAPE_DISC : DC_CSHAPE_HALFPLANE;
    if (s->kind[a].name) first.radius = (dc_real)(s->kind[a].length/s->kind[b].length);
    grain_need(dc_cfield_exact(NULL, &first, outline, &mem, grain_field(s, a, b)), s->kind[b].name);
}

/* A learned field of the outlines a and b: a network from a file. */
static inline dc_cfield grain_learned(grain_scene *s, int a, int b)
{
    char        file[60];
    size_t      n;
    const void *bytes;
    dc_cfield   network;
    dc_arena    mem;

    snprintf(file, sizeof file, "%s_%s", s->kind[a].name, s->kind[b].name);
    bytes = grain_bytes(s, file, &n);
    mem = grain_memory(s, dc_cfield_load_bytes(bytes, n));
    grain_need(dc_cfield_load(bytes, n, &mem, &network), file);
    return network;
}

/* The spline that interpolates it, whose gradient does not jump. o: how fine, or NULL. */
static inline void grain_baked(grain_scene *s, int a, int b, const dc_cfield_bake_options *o)
{
    const dc_cfield network = grain_learned(s, a, b);
    dc_arena mem = grain_memory(s, dc_cfield_bake_bytes(o, &network));

    grain_need(dc_cfield_bake(o, &network, &mem, grain_field(s, a, b), NULL), s->kind[b].name);
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

/* The grains, within desc.lo and desc.hi. Dampers are a fifth of critical for two of `light` kg, or, 0, of the
 * lightest that are free. */
static inline void grain_build(grain_scene *s, double step, double sweeps, double stiffness, double mu, double light)
{
    dc_grains_desc *d = &s->desc;
    dc_arena mem;
    int      i;

    if (!(light > 0)) {
        light = HUGE_VAL;
        for (i = 0; i < s->bodies; i++)
            if (s->start[i].motion == DC_GRAIN_FREE) light = fmin(light, (double)s->type[s->body[i]].mass);
    }
    d->type = s->type;
    d->pair = s->pair;
    d->body = s->body;
    d->bodies = s->bodies;
    d->h = (dc_real)step;
    d->sweeps = (int)sweeps;
    d->gravity[1] = DC_R(-9.81);
    d->material.kn = d->material.kt = (dc_real)stiffness;
    d->material.gn = d->material.gt = (dc_real)(0.4*sqrt(2*stiffness/light));
    d->material.mu = (dc_real)mu;
    d->reduced_mass = 1;
    mem = grain_memory(s, dc_grains_bytes(d));
    grain_need(dc_grains_build(d, &mem, &s->g), "grains");
    grain_place(s);
}

static inline void grain_end(grain_scene *s)
{
    while (s->memories > 0) free(s->memory[--s->memories]);
    free(s->body);
    free(s->start);
}

/* ---- motion ----------------------------------------------------------------------------------------- */

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

/* Slows free grains, so that they settle; drag in 1/s. */
static inline void grain_slow(grain_scene *s, double drag)
{
    dc_real keep = (dc_real)(1 - drag*(double)s->desc.h);
    int     i, k;

    for (i = 0; i < s->bodies; i++)
        for (k = 0; k < 3 && s->g.motion[i] == DC_GRAIN_FREE; k++) s->g.v[3*i + k] *= keep;
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
