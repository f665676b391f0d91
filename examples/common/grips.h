/* grips.h - what the examples of grippers share: four objects, about 4 cm across, that are taken up, one gripper for all
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * A program fills `grip`, its scenes (grips_base, its own links, grips_put), plans and design, and calls grips_run. Include it
 * after sim_scene.h, view.h, cli.h, plan.h, plot.h, plan_plot.h and optimise.h. */
#ifndef GRIPS_H_INCLUDED
#define GRIPS_H_INCLUDED

enum { GRIPS_SPOOL, GRIPS_CYLINDER, GRIPS_BALL, GRIPS_OCTAHEDRON, GRIPS_KINDS };

static const char *const grips_name[] = {"spool", "cylinder", "ball", "octahedron"};

/* An object as the last link's hulls, turned about the vertical; how high its middle is. */
static inline double grips_object(sim_world *s, int kind, double yaw)
{
    static const double disc[3][3] = {{0.022, -0.024, -0.012}, {0.011, -0.0125, 0.0125}, {0.022, 0.012, 0.024}};   /* radius, from, to */
    const double t = 1.618034, r = 0.024/sqrt(1 + t*t), turn = 0.25*3.14159265;
    double       low = 0;
    int          part, k, c;

    for (part = 0; part < (kind == 0 ? 3 : 1); part++) {
        const int n = kind < 2 ? 16 : kind == 2 ? 12 : 6;
        dc_v3    *x = sim_hull(s, n);
        for (k = 0; k < n; k++) {
            double p[3] = {0, 0, 0};
            if (kind == 0) {
                p[0] = disc[part][0]*cos(turn*(k/2));
                p[1] = disc[part][0]*sin(turn*(k/2));
                p[2] = disc[part][1 + k%2];
            } else if (kind == 1) {
                p[0] = 0.022*cos(turn*(k/2 + 0.5));
                p[1] = k & 1 ? 0.024 : -0.024;
                p[2] = 0.022*sin(turn*(k/2 + 0.5));
            } else if (kind == 2) {
                c = k/4;
                p[c] = k & 1 ? r : -r;
                p[(c + 1)%3] = k & 2 ? r*t : -r*t;
            } else p[k/2] = k & 1 ? 0.027 : -0.027;
            x[k] = dc_vec(DC_R(p[0]*cos(yaw) - p[1]*sin(yaw)), DC_R(p[0]*sin(yaw) + p[1]*cos(yaw)), DC_R(p[2]));
            low = fmin(low, p[2]);
        }
    }
    return -low;
}

/* ---- the task ---- */

enum { GRIPS_BASE = 0 };        /* the link that rises */

static struct {
    int          first, objects, object;        /* kinds from `first` on; the object's link */
    double       high, rise;                    /* m: the base at first; how far it rises */
    double       within;                        /* m: an object is held that is no farther off at the end */
    double       soft;                          /* m: of optimise_hold */
    double       middle[GRIPS_KINDS];           /* m: of the objects above the ground */
    const char  *colour[SIM_LINKS];
    sim_world    w[GRIPS_KINDS];
    optimisation o;
    plan_curves  curves;
} grip;

/* A scene with its base. */
static inline sim_world *grips_base(int k, double h)
{
    sim_world   *s = grip.w + k;
    dc_sim_link *l;

    sim_begin(s, h);
    sim_plane(s, dc_vec(0, 0, 1), 0, 0.5);
    s->desc.stiffness = DC_R(1e-3);
    s->desc.length = DC_R(0.02);
    s->desc.friction.eps_v = DC_R(1e-3);
    l = sim_link(s, -1, DC_SIM_SLIDE, dc_vec(0, 0, DC_R(grip.high)), 1);
    l->axis = dc_vec(0, 0, 1);
    l->kp = 4000;
    l->kd = 200;
    l->model = DC_SIM_INERTIA;
    l->inertia.m[0] = l->inertia.m[4] = l->inertia.m[8] = DC_R(1e-3);
    return s;
}

/* The object of scene k, which is complete then. */
static inline void grips_put(int k, double yaw)
{
    sim_world   *s = grip.w + k;
    dc_sim_link *l = sim_link(s, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 0.1);

    grip.object = s->desc.links - 1;
    grip.colour[grip.object] = "#d64f6b";
    grip.middle[k] = 0.001 + grips_object(s, grip.first + k, yaw);
    l->attach.t.z = DC_R(grip.middle[k]);
    sim_build(s);
}

static inline double grips_loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    const double middle = grip.middle[p->world - grip.w];

    (void)step;
    return optimise_hold(p, q, grip.object, dc_vec(0, 0, 0), GRIPS_BASE, dc_vec(0, 0, DC_R(middle - grip.high)), 1.0/p->c.horizon,
                         grip.soft, dq);
}

/* How far the object is at the end from where it should be. */
static inline double grips_slipped(const plan *p)
{
    const dc_real *q = p->q + (p->c.horizon + 1)*p->world->sim.nq;
    const dc_real *x = q + p->world->sim.q_at[grip.object] + 4;
    const double   z = (double)(x[2] - q[p->world->sim.q_at[GRIPS_BASE]]);
    return sqrt((double)(x[0]*x[0] + x[1]*x[1]) + z*z);
}

static inline int grips_held(optimisation *of)
{
    int k, count = 0;
    for (k = 0; k < grip.objects; k++) count += grips_slipped(optimise_scene(of, k)) < grip.within;
    return count;
}

static inline int grips_all_held(optimisation *of) { return grips_held(of) == grip.objects; }

/* The object that is lifted least. */
static inline void grips_draw(const optimisation *of, const dc_real *q, view *v, int series)
{
    const int step = (int)(q - of->p.q)/of->p.world->sim.nq;
    double    least = grip.rise;
    int       k;

    for (k = 0; k < grip.objects; k++) {
        const plan   *p = k > 0 ? &of->other[k - 1] : &of->p;
        const dc_sim *sim = &p->world->sim;
        least = fmin(least, (double)p->q[step*sim->nq + sim->q_at[grip.object] + 6]);
    }
    view_value(v, series, 1e3*least);
}

static inline int grips_result(view *v, const char *name, clock_t start, const cli *c)
{
    optimisation *o = &grip.o;
    int           k, count;

    optimise_show(o, v, name, grip.colour, (int)(0.04/(double)grip.w[0].desc.h), grips_draw, "least lifted", "mm");
    count = grips_held(o);
    for (k = 0; k < grip.objects; k++)
        printf("%s_%s_off %.1f mm\n", name, grips_name[grip.first + k], 1e3*grips_slipped(optimise_scene(o, k)));
    printf("%s_loss %.3g m^2\n%s_held %d objects\n%s_time %.1f s\n", name, o->value, name, count, name,
           (double)(clock() - start)/CLOCKS_PER_SEC);
    if (optimise_obj(&grip.w[0].sim, grip.w[0].now, c->out, name) != 0) exit(CLI_FAILED);
    return count;
}

/* The gripper as it is, then shaped; `title` above the curve. What main returns: failed unless none was held before and all
 * are after. */
static inline int grips_run(view *v, const char *title, int iterations, const cli *c)
{
    optimisation *o = &grip.o;
    clock_t       start = clock();
    int           before, after;

    o->shrink = 0.993;
    o->explode = 3;
    o->patience = 0;
    o->bold = 1;
    before = grips_result(v, "before", start, c);
    start = clock();
    optimise(o, iterations, OPTIMISE_SHAPE);
    if (!grips_all_held(o) && !cli_stopped()) {         /* some hang too low: now these count for more */
        grip.soft = 0.02;
        o->done = grips_all_held;
        optimise(o, iterations, OPTIMISE_SHAPE);
    }
    plan_curve(&grip.curves, "shape", o->p.iterations, o->p.history);
    after = grips_result(v, "after", start, c);
    printf("after_variables %d 1\n", o->design.n);
    optimise_report(o, "after");
    optimise_end(o);
    if (view_close(v) != 0 || plan_plot(&grip.curves, c->out, title, "iteration") != 0) return CLI_FAILED;
    printf("wrote %s\n", c->out);
    if (!cli_stopped() && !(before == 0 && after == grip.objects)) return cli_error("%s", "objects are not held as they should");
    return cli_exit(CLI_DONE);
}

#endif /* GRIPS_H_INCLUDED */
