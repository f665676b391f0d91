/* optimise.h - control and shape by gradients: a plan of plan.h whose robot is a design, best kept
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     plan_begin(&o.p, &w, CONTROL_KNOTS, 250, 1, freedom, loss);      the world's model is that of the first design
 *     optimise_begin(&o, &desc);                                       what of it may change
 *     o.radius = 0.02;                                                 length of a step of the design, SDRS Eq. 15
 *     optimise(&o, 100, OPTIMISE_CONTROL | OPTIMISE_SHAPE);            the best on the way is what o, w.sim are then
 *     optimise_end(&o);
 *
 * One design, and one control, may have to serve several scenes: other objects, or the same a little turned, as the
 * gradient of a grip that is as symmetric as what it holds says nothing of steps of any length. Their models have the
 * links that change first, the same in all; losses add up:
 *
 *     plan_begin(&o.other[o.others], &another, ..., loss);
 *     optimise_also(&o, &desc);                                        after optimise_begin, for each
 *
 * An iteration: the motion of the design, its gradient back through all steps, a step of Adam for the control and one for
 * the shape, of Adam or straight down, whichever the task asks for: the nearest that keeps hulls solid and the start
 * free. A step may make the loss worse: it is taken all the same, as shapes get stuck in dents otherwise. When the loss
 * is `explode` times the best, or there is none since hulls overlap or have no volume, or `patience` iterations gained
 * nothing, or rows leave the shape no step, everything goes back to the best and steps are half as long. Losses are not
 * below zero: no step promises more than all of the loss, but where shapes have to leave a dent (`bold`).
 * Include it after sim_scene.h and plan.h. */
#ifndef OPTIMISE_H_INCLUDED
#define OPTIMISE_H_INCLUDED

enum { OPTIMISE_CONTROL = 1, OPTIMISE_SHAPE = 2, OPTIMISE_OTHERS = 11, OPTIMISE_ROWS = 1 << 16, OPTIMISE_ENTRIES = 1 << 20 };

typedef struct optimisation optimisation;

struct optimisation {
    plan            p, other[OPTIMISE_OTHERS];
    dc_design       design, as[OPTIMISE_OTHERS];    /* as: in the other scenes */
    int             others;
    double          value;                          /* the sum of all losses */
    double          apart;                          /* of the scenes on a page, m along y */
    dc_design_rows  rows;
    double          rate;                       /* of Adam for the shape; 0: straight down, SDRS Eq. 15 */
    dc_adam_state   adam;
    double          radius, shrink;             /* of the shape's step, m; by how much it shrinks in each iteration */
    double          margin, gap;                /* hulls stay solid by this, the start free by that, m */
    double          explode;                    /* back to the best when the loss is so many times it */
    int             bold;                       /* 1: steps of full length, whatever they promise */
    int             patience;                   /* or after so many iterations without gain; 0: never */
    int           (*done)(optimisation *o);         /* NULL, or whether what was rolled last is enough: it is the last then */
    void          (*own)(optimisation *o);      /* NULL, or adds to p.run what the loss itself says of the design */
    dc_real        *d, *best, *grad, *step, *here;     /* design.n each */
    dc_real        *move;                       /* p.c.n: where a step of the control ends */
    double          best_value;
    int             backs, checks, off;         /* returns to the best; gradients checked, those off by more than 1e-4 */
    int             check;                      /* 1: each gradient against differences along its step */
    double          worst;                      /* of the checks, but for those off */
    double          missed;                     /* worst miss of a row by a step, m */
    dc_real        *reals, *columns[OPTIMISE_OTHERS];
    unsigned char  *memory, *scratch, *made[OPTIMISE_OTHERS];
    size_t          bytes;
    double          seconds;                    /* of projections */
};

/* A scene's columns of gradients in zeroed memory, and what takes them. */
static inline size_t optimise_columns(const dc_sim *sim) { return (size_t)(3*sim->vertices + 8*sim->links + sim->planes); }

static inline void optimise_take(optimisation *o, plan *p, const dc_design *design, dc_real *columns)
{
    const dc_sim *sim = &p->world->sim;
    size_t        n;

    p->run.vertex = columns;
    p->run.attach = p->run.vertex + 3*sim->vertices;
    p->run.mass = p->run.attach + 6*sim->links;
    p->run.friction = p->run.mass + sim->links;
    n = dc_sim_adjoint_bytes(sim, &p->run);
    if (n > p->bytes) {
        free(p->scratch);
        p->scratch = (unsigned char *)malloc(p->bytes = n);
    }
    n = dc_design_scratch_bytes(design, sim);
    if (n > o->bytes) {
        free(o->scratch);
        o->scratch = (unsigned char *)malloc(o->bytes = n);
    }
    if (!p->scratch || !o->scratch) exit(cli_error("%s", "no memory for a design"));
}

/* After plan_begin. desc: of the model of the plan's world. */
static inline void optimise_begin(optimisation *o, const dc_design_desc *desc)
{
    const dc_sim *sim = &o->p.world->sim;
    const size_t  size = dc_design_bytes(desc, sim), room = dc_design_rows_bytes(OPTIMISE_ROWS, OPTIMISE_ENTRIES);
    dc_arena      mem;
    dc_sim_flaw   flaw = {-1, "memory", -1};
    size_t        n;

    /* the design */
    o->memory = (unsigned char *)malloc(size + room);
    if (!o->memory) exit(cli_error("%s", "no memory for a design"));
    mem = dc_arena_make(o->memory, size + room);
    if (dc_design_build(desc, sim, &mem, &o->design, &flaw) != DC_OK)
        exit(cli_error("design: link %d: %s", flaw.link, flaw.cause));
    sim_need(dc_design_rows_open(OPTIMISE_ROWS, OPTIMISE_ENTRIES, &mem, &o->rows), "rows");
    n = (size_t)o->design.n;

    /* its numbers, and the gradients by what it changes */
    o->reals = (dc_real *)calloc(7*n + optimise_columns(sim) + (size_t)o->p.c.n, sizeof(dc_real));
    if (!o->reals) exit(cli_error("%s", "no memory for a design"));
    o->d = o->reals;
    o->best = o->d + n;
    o->grad = o->best + n;
    o->step = o->grad + n;
    o->adam.m = o->step + n;
    o->adam.v = o->adam.m + n;
    o->here = o->adam.v + n;
    o->move = o->here + n;
    o->adam.n = o->design.n;
    o->adam.eps = DC_R(1e-30);

    /* scratch, of the plan too */
    o->rows.rows = OPTIMISE_ROWS;
    o->bytes = dc_design_project_bytes(&o->design, &o->rows);
    o->rows.rows = 0;
    o->scratch = (unsigned char *)malloc(o->bytes);
    optimise_take(o, &o->p, &o->design, o->move + o->p.c.n);
    o->radius = 0.01;
    o->shrink = 1;
    o->margin = 0.002;
    o->gap = 0.001;
    o->explode = 2;
    o->patience = 12;
    o->best_value = HUGE_VAL;
}

/* One more scene, of the plan that was begun in o->other[o->others]. */
static inline void optimise_also(optimisation *o, const dc_design_desc *desc)
{
    const int     k = o->others++;
    const dc_sim *sim;
    size_t        size;
    dc_arena      mem;
    dc_sim_flaw   flaw = {-1, "memory", -1};

    if (k >= OPTIMISE_OTHERS) exit(cli_error("%s", "too many scenes"));
    sim = &o->other[k].world->sim;
    size = dc_design_bytes(desc, sim);
    o->made[k] = (unsigned char *)malloc(size);
    o->columns[k] = (dc_real *)calloc(optimise_columns(sim), sizeof(dc_real));
    if (!o->made[k] || !o->columns[k]) exit(cli_error("%s", "no memory for a design"));
    mem = dc_arena_make(o->made[k], size);
    if (dc_design_build(desc, sim, &mem, &o->as[k], &flaw) != DC_OK)
        exit(cli_error("design: link %d: %s", flaw.link, flaw.cause));
    if (o->as[k].n != o->design.n || o->other[k].c.n != o->p.c.n) exit(cli_error("%s", "scenes of different designs"));
    optimise_take(o, &o->other[k], &o->as[k], o->columns[k]);
}

static inline void optimise_end(optimisation *o)
{
    int k;

    for (k = 0; k < o->others; k++) {
        plan_end(&o->other[k]);
        free(o->made[k]);
        free(o->columns[k]);
    }
    plan_end(&o->p);
    free(o->reals);
    free(o->memory);
    free(o->scratch);
}

/* Scene k, from 0. */
static inline plan *optimise_scene(optimisation *o, int k) { return k > 0 ? &o->other[k - 1] : &o->p; }

/* The loss of what o is; HUGE_VAL where it is no model, or its start overlaps. */
static inline double optimise_value(optimisation *o)
{
    int k;

    for (o->value = 0, k = 0; k <= o->others && o->value < HUGE_VAL; k++) {
        plan *p = optimise_scene(o, k);
        if (k > 0) memcpy(p->u, o->p.u, (size_t)p->c.n*sizeof(dc_real));
        if (dc_design_apply(k > 0 ? &o->as[k - 1] : &o->design, o->d, &p->world->sim, NULL) != DC_OK) p->value = HUGE_VAL;
        else plan_roll(p);
        o->value += p->value;
    }
    return o->value;
}

/* The gradients of what was rolled last. */
static inline void optimise_back(optimisation *o)
{
    int k, i;

    for (k = 0; k <= o->others; k++) {
        plan_back(optimise_scene(o, k));
        for (i = 0; k > 0 && i < o->p.c.n; i++) o->p.grad[i] += o->other[k - 1].grad[i];
    }
    if (o->own) o->own(o);
    memset(o->grad, 0, (size_t)o->design.n*sizeof(dc_real));
    for (k = 0; k <= o->others; k++)
        sim_need(dc_design_pull(k > 0 ? &o->as[k - 1] : &o->design, o->d, &optimise_scene(o, k)->run, o->grad), "gradient by the design");
}

/* For `own`: the loss' gradient f by the place of a vertex of a link in the world at state q, to that by the design. */
static inline void optimise_point(optimisation *o, const dc_real *q, int link, int vertex, dc_v3 f)
{
    static dc_pose pose[SIM_LINKS];
    const dc_sim  *sim = &o->p.world->sim;
    dc_v3          p, in;
    int            k, c;

    dc_sim_poses(sim, q, pose);
    p = dc_pose_apply(pose[link], sim->vertex[vertex]);
    in = dc_quat_rotate(dc_quat_conj(pose[link].q), f);
    for (c = 0; c < 3; c++) o->p.run.vertex[3*vertex + c] += (&in.x)[c];
    for (k = link; k >= 0; k = sim->link[k].parent) {
        dc_pose up = {{1, 0, 0, 0}, {0, 0, 0}};
        dc_v3   turn;
        if (sim->link[k].parent >= 0) up = pose[sim->link[k].parent];
        turn = dc_cross(dc_sub(p, dc_pose_apply(up, sim->link[k].attach.t)), f);
        in = dc_quat_rotate(dc_quat_conj(up.q), f);
        turn = dc_quat_rotate(dc_quat_conj(up.q), turn);
        for (c = 0; c < 3; c++) {
            o->p.run.attach[6*k + c] += (&in.x)[c];
            o->p.run.attach[6*k + 3 + c] += (&turn.x)[c];
        }
    }
}

/* A loss for grips: `weight` times how far point x of a link is from point y of another, -1: of the world, at state q; by
 * distances r, soft^2 log(1 + r^2/soft^2). Of what has slipped off it says little: what counts is when it did. With
 * r^2 most of the gradient is of an object that tumbles far away, where it is noise. dq: NULL, or the gradient is added. */
static inline double optimise_hold(const plan *p, const dc_real *q, int link, dc_v3 x, int holder, dc_v3 y, double weight,
                                   double soft, dc_real *dq)
{
    static dc_pose pose[SIM_LINKS];
    const dc_sim  *sim = &p->world->sim;
    dc_v3          off;
    double         r2, slope;

    dc_sim_poses(sim, q, pose);
    off = dc_sub(dc_pose_apply(pose[link], x), holder < 0 ? y : dc_pose_apply(pose[holder], y));
    r2 = (double)dc_dot(off, off)/(soft*soft);
    slope = 2*weight/(1 + r2);
    if (dq) dc_sim_pull(sim, q, link, x, dc_scale(DC_R(slope), off), dq);
    if (dq && holder >= 0) dc_sim_pull(sim, q, holder, y, dc_scale(DC_R(-slope), off), dq);
    return weight*soft*soft*log(1 + r2);
}

/* The step of the shape from here: SDRS Eq. 15, of at most `radius`. 0: rows contradict each other, there is none. */
static inline int optimise_shape(optimisation *o, double radius)
{
    const dc_sim *sim = &o->p.world->sim;
    const int     n = o->design.n;
    const clock_t begin = clock();
    dc_arena      mem = dc_arena_make(o->scratch, o->bytes);
    dc_design_info info;
    dc_status     status;
    double        size = 0;
    int           k;

    for (k = 0; k < n; k++) size += (double)(o->grad[k]*o->grad[k]);
    memset(o->step, 0, (size_t)n*sizeof(dc_real));
    if (!(size > 0)) return 1;
    o->rows.rows = o->rows.entries = 0;
    sim_need(dc_design_solid(&o->design, sim, DC_R(o->margin), &mem, &o->rows), "rows of hulls");
    for (k = 0; k <= o->others; k++) {
        const plan *p = optimise_scene(o, k);
        sim_need(dc_design_clear(k > 0 ? &o->as[k - 1] : &o->design, &p->world->sim, p->q + p->world->sim.nq, DC_R(o->gap), DC_R(radius),
                                 &mem, &o->rows, NULL, NULL), "rows of the start");
    }
    if (o->rate > 0) {
        if (o->p.adam.step <= 1) o->adam.step = 0;
        for (k = 0; k < n && o->adam.step == 0; k++) o->adam.m[k] = o->adam.v[k] = 0;
        o->adam.rate = DC_R(o->rate*radius/o->radius);
        sim_need(dc_adam(&o->adam, o->grad, o->step), "Adam");
    } else for (k = 0; k < n; k++) o->step[k] = DC_R(-1e3*radius/sqrt(size))*o->grad[k];
    status = dc_design_project(&o->design, &o->rows, o->d, DC_R(radius), &mem, o->step, &info);
    o->seconds += (double)(clock() - begin)/CLOCKS_PER_SEC;
    if (status == DC_E_SINGULAR) return 0;
    if (status != DC_E_DIVERGED) sim_need(status, "step of the design");
    o->missed = fmax(o->missed, (double)info.missed);
    return 1;
}

/* Both gradients along the step against differences of losses over 1e-6 m, and over less where they do not agree: edges
 * and corners that come to lie on each other's other side within a step bend the loss. */
static inline void optimise_check(optimisation *o)
{
    double slope = 0, size = 0, value[2], error = HUGE_VAL, over;
    int    k, side;

    for (k = 0; k < o->design.n; k++) {
        slope += (double)(o->grad[k]*o->step[k]);
        size += fabs((double)(o->grad[k]*o->step[k]));
    }
    memcpy(o->here, o->d, (size_t)o->design.n*sizeof(dc_real));
    for (over = 1e-6; over > 5e-11 && error > 1e-4; over *= 0.1) {
        const double h = over/fmax(1e-12, plan_length(o->step, o->design.n));
        for (side = 0; side < 2; side++) {
            for (k = 0; k < o->design.n; k++) o->d[k] = o->here[k] + DC_R(side ? -h : h)*o->step[k];
            value[side] = optimise_value(o);
        }
        error = fmin(error, fabs((value[0] - value[1])/(2*h) - slope)/fmax(size, 1e-300));
    }
    memcpy(o->d, o->here, (size_t)o->design.n*sizeof(dc_real));
    o->checks++;
    if (error > 1e-4) o->off++;
    else o->worst = fmax(o->worst, error);
}

/* Where a step of Adam takes the control, within its bounds: to o->move. */
static inline void optimise_control(optimisation *o)
{
    const size_t bytes = (size_t)o->p.c.n*sizeof(dc_real);

    if (o->p.c.n < 1) return;
    if (o->p.adam.step == 0) {
        memset(o->p.adam.m, 0, bytes);
        memset(o->p.adam.v, 0, bytes);
    }
    memcpy(o->move, o->p.u, bytes);
    sim_need(dc_adam(&o->p.adam, o->p.grad, o->move), "Adam");
    controls_clamp(&o->p.c, o->move);
}

/* Iterations from what o is, which then is the best on the way; its loss. */
static inline double optimise(optimisation *o, int iterations, int what)
{
    const size_t bytes_u = (size_t)o->p.c.n*sizeof(dc_real), bytes_d = (size_t)o->design.n*sizeof(dc_real);
    double       radius = o->radius, promise, share, now;
    int          i, k, worse = 0, stuck = 0;

    o->p.adam.rate = DC_R(o->p.rate);
    o->p.adam.step = 0;
    o->best_value = HUGE_VAL;
    for (i = 0; i <= iterations; i++) {
        const double value = optimise_value(o);
        worse++;
        if (value < o->best_value) {
            worse = 0;
            o->best_value = value;
            memcpy(o->p.best, o->p.u, bytes_u);
            memcpy(o->best, o->d, bytes_d);
        }
        if (o->p.iterations < PLAN_HISTORY) o->p.history[o->p.iterations++] = value < HUGE_VAL ? value : o->best_value;
        if (o->done && worse == 0 && o->done(o)) break;
        if (o->best_value >= HUGE_VAL || i == iterations || cli_stopped()) break;

        /* back to the best, with shorter steps */
        if (stuck || !(value <= o->explode*o->best_value) || (o->patience > 0 && worse >= o->patience)) {
            worse = 0;
            o->backs++;
            radius *= 0.5;
            o->p.adam.rate *= DC_R(0.6);
            o->p.adam.step = 0;
            memcpy(o->p.u, o->p.best, bytes_u);
            memcpy(o->d, o->best, bytes_d);
            optimise_value(o);
        }
        now = o->value;
        optimise_back(o);
        if (what & OPTIMISE_CONTROL) optimise_control(o);
        else memcpy(o->move, o->p.u, bytes_u);
        stuck = (what & OPTIMISE_SHAPE) && !optimise_shape(o, radius);
        if (stuck || !(what & OPTIMISE_SHAPE)) memset(o->step, 0, bytes_d);
        if ((what & OPTIMISE_SHAPE) && o->check) optimise_check(o);

        /* no more than it takes for a loss of zero: Polyak's length */
        for (promise = 0, k = 0; k < o->design.n; k++) promise -= (double)(o->grad[k]*o->step[k]);
        for (k = 0; k < o->p.c.n; k++) promise -= (double)(o->p.grad[k]*(o->move[k] - o->p.u[k]));
        share = !o->bold && promise > now ? now/promise : 1;
        for (k = 0; k < o->design.n; k++) o->d[k] += DC_R(share)*o->step[k];
        for (k = 0; k < o->p.c.n; k++) o->p.u[k] += DC_R(share)*(o->move[k] - o->p.u[k]);
        radius *= o->shrink;
    }
    memcpy(o->p.u, o->p.best, bytes_u);
    memcpy(o->d, o->best, bytes_d);
    return optimise_value(o);
}

/* What it took, after a run's name. */
static inline void optimise_report(const optimisation *o, const char *run)
{
    plan_report(&o->p, run);
    printf("%s_returns_to_the_best %d returns\n%s_time_of_projections %.2f s\n", run, o->backs, run, o->seconds);
    printf("%s_row_missed_by_most %.2g m\n", run, o->missed);
    if (o->check) printf("%s_gradients_checked %d gradients\n%s_off_by_more_than_1e-4 %d gradients\n%s_worst_of_the_others %.2g 1\n", run, o->checks, run, o->off, run, o->worst);
}

/* ---- what comes out ------------------------------------------------------------------------------- */

/* The hulls of the links, each where it is at state q, as a Wavefront OBJ file beside a page: FILE.html to FILE_name.obj. */
static inline int optimise_obj(const dc_sim *sim, const dc_real *q, const char *page, const char *name)
{
    static dc_pose pose[SIM_LINKS];
    const size_t   length = strlen(page), stem = length > 5 && !strcmp(page + length - 5, ".html") ? length - 5 : length;
    char           file[1000];
    FILE          *f;
    int            h, k, i, bad;

    if (stem + strlen(name) + 6 > sizeof file) return cli_error("%s", "the name of the page is too long");
    snprintf(file, sizeof file, "%.*s_%s.obj", (int)stem, page, name);
    f = fopen(file, "w");
    if (!f) return cli_error("%s: %s", file, strerror(errno));
    dc_sim_poses(sim, q, pose);
    for (k = 0; k < sim->vertices; k++) {
        for (h = 0; h + 1 < sim->hulls && k >= sim->hull[h].begin + sim->hull[h].n; h++) { }
        {
            const dc_v3 x = dc_pose_apply(pose[sim->hull[h].link], sim->vertex[k]);
            fprintf(f, "v %.9g %.9g %.9g\n", (double)x.x, (double)x.y, (double)x.z);
        }
    }
    for (h = 0; h < sim->hulls; h++) {
        const dc_sim_hull *hull = sim->hull + h;
        const int         *face = sim->face + hull->face, *loop = sim->loop + hull->loop;
        fprintf(f, "g link_%d_hull_%d\n", hull->link, h);
        for (k = 0; k < hull->faces; k++) {
            fprintf(f, "f");
            for (i = face[k]; i < face[k + 1]; i++) fprintf(f, " %d", hull->begin + loop[i] + 1);
            fprintf(f, "\n");
        }
    }
    bad = ferror(f);
    return fclose(f) != 0 || bad ? cli_error("%s: not written", file) : 0;
}

/* The control and the design in a text file beside a page, for a program that runs them elsewhere. 0: done. */
static inline int optimise_save(const optimisation *o, const char *page, const char *name)
{
    const size_t length = strlen(page), stem = length > 5 && !strcmp(page + length - 5, ".html") ? length - 5 : length;
    const int    n = o->p.c.n, m = o->design.n;
    char         file[1000];
    FILE        *f;
    int          i, bad;

    if (stem + strlen(name) + 6 > sizeof file) return cli_error("%s", "the name of the page is too long");
    snprintf(file, sizeof file, "%.*s_%s.txt", (int)stem, page, name);
    f = fopen(file, "w");
    if (!f) return cli_error("%s: %s", file, strerror(errno));
    fprintf(f, "%d %d\n", n, m);
    for (i = 0; i < n + m; i++) fprintf(f, "%.17g\n", (double)(i < n ? o->p.u[i] : o->d[i - n]));
    bad = ferror(f);
    return fclose(f) != 0 || bad ? cli_error("%s: not written", file) : 0;
}

static inline int optimise_load(optimisation *o, const char *file)
{
    const int n = o->p.c.n, m = o->design.n;
    FILE     *f = fopen(file, "r");
    int       i, a = -1, b = -1, bad;

    if (!f) return cli_error("%s: %s", file, strerror(errno));
    bad = fscanf(f, "%d %d", &a, &b) != 2 || a != n || b != m;
    for (i = 0; i < n + m && !bad; i++) {
        double x;
        bad = fscanf(f, "%lf", &x) != 1;
        if (!bad) *(i < n ? o->p.u + i : o->d + i - n) = DC_R(x);
    }
    (void)fclose(f);
    return bad ? cli_error("%s: not numbers of this design", file) : 0;
}

#ifdef VIEW_H_INCLUDED

/* The motion of what o is, as a run of a page, each `every`-th step, the scenes beside each other; colour[link], NULL: of
 * the palette; `each` adds to the series of what, in unit, what it says of the first scene's state q, and of others at
 * the same place of theirs; NULL: nothing. */
static inline void optimise_show(optimisation *o, view *v, const char *name, const char *const *colour, int every,
                                 void (*each)(const optimisation *o, const dc_real *q, view *v, int series), const char *what,
                                 const char *unit)
{
    static dc_pose pose[SIM_LINKS];
    static int     body[OPTIMISE_OTHERS + 1][SIM_HULLS];
    static const dc_pose ground = {{1, 0, 0, 0}, {0, 0, 0}};
    int            h, i, k, series = -1;

    optimise_value(o);
    view_run(v, name);
    if (o->p.world->sim.planes) view_fixed(v, view_plane(v, DC_R(0.5)), NULL, ground);
    for (k = 0; k <= o->others; k++) {
        const dc_sim *sim = &optimise_scene(o, k)->world->sim;
        for (h = 0; h < sim->hulls; h++) {
            dc_hull hull = DC_ZERO;
            hull.v = sim->vertex + sim->hull[h].begin;
            hull.n = sim->hull[h].n;
            body[k][h] = view_body(v, view_hull(v, &hull), colour ? colour[sim->hull[h].link] : NULL);
        }
    }
    if (each) series = view_series(v, what, unit, 0);
    for (i = 0; i <= o->p.c.horizon && view_ok(v); i += every) {
        for (k = 0; k <= o->others; k++) {
            const plan   *p = optimise_scene(o, k);
            const dc_sim *sim = &p->world->sim;
            dc_sim_poses(sim, p->q + (i + 1)*sim->nq, pose);
            for (h = 0; h < sim->hulls; h++) {
                dc_pose at = pose[sim->hull[h].link];
                at.t.y += DC_R(k*o->apart);
                view_pose(v, body[k][h], at);
            }
        }
        if (each) each(o, o->p.q + (i + 1)*o->p.world->sim.nq, v, series);
        view_frame(v, i*(double)o->p.world->desc.h);
    }
}

#endif /* VIEW_H_INCLUDED */
#endif /* OPTIMISE_H_INCLUDED */
