/* design_hand.c - the fingers of a hand grow lumps that hold three objects fast
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS section V-G, Fig. 19: a hand of three fingers, of two links each, closes on an object that stands on the ground, and
 * rises. Its control is preset, the same for all objects; friction is low: smooth fingers carry the objects, too, but what
 * they take up slides up between them by 20 to 41 mm, until they meet below it. Each link is four blocks that share points
 * (blocks.h). In each iteration the hand takes the three objects one after the other, and the sum of the gradients moves the
 * vertices of the blocks. Loss: how far the object is from where a hand that holds it would have it, all the way, by
 * optimise_hold.
 *
 * The hand and the objects are turned a little, by another --seed than 1 these by other angles: the derivative of a grip
 * that is as symmetric as what it holds is that of no other place. The program fails unless none of the three objects is
 * held fast before, and all of them after: at the end, 100 mm up, within 10 mm of where they should be. Where they are not,
 * a second run begins at the best fingers, with a softer loss, and ends at the first that hold all. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "sim_scene.h"
#include "plan.h"
#include "plot.h"
#include "plan_plot.h"
#include "optimise.h"
#include "blocks.h"
#include "grips.h"

enum { BASE = 0, FINGER = 1, OBJECT = 7, OBJECTS = 3 };

static const double  rise = 0.1, high = 0.13, open_by = 0.2, closed[2] = {0.2, 0.4};
static double        middle[OBJECTS];           /* of the objects above the ground, m */
static double        soft = 0.005;              /* of optimise_hold, m */
static sim_world     w[OBJECTS];
static optimisation  o;
static plan_curves   curves;
static unsigned char vertices[SIM_VERTICES];
static const blocks  part[2] = {{{-0.008, -0.012, -0.063}, {0.008, 0.012, 0.03}, 1, 2, 2, 2},
                                {{-0.008, -0.012, -0.055}, {0.008, 0.012, 0.026}, 1, 2, 2, 2}};

static void scene(int kind, double h, double friction, double yaw)
{
    sim_world   *s = w + kind;
    dc_sim_link *l;
    int          i;

    sim_begin(s, h);
    sim_plane(s, dc_vec(0, 0, 1), 0, 0.5);
    s->desc.stiffness = DC_R(1e-3);
    s->desc.length = DC_R(0.02);
    s->desc.friction.eps_v = DC_R(1e-3);
    l = sim_link(s, -1, DC_SIM_SLIDE, dc_vec(0, 0, DC_R(high)), 1);
    l->axis = dc_vec(0, 0, 1);
    l->kp = 4000;
    l->kd = 200;
    l->model = DC_SIM_INERTIA;
    l->inertia.m[0] = l->inertia.m[4] = l->inertia.m[8] = DC_R(1e-3);
    for (i = 0; i < 6; i++) {
        const double turn = i/2*2*3.14159265/3 + 0.3;
        l = sim_link(s, i%2 ? FINGER + i - 1 : BASE, DC_SIM_HINGE, dc_vec(0, 0, DC_R(-0.066)), 0.05);
        if (i%2 == 0) {
            l->attach.t = dc_vec(DC_R(0.05*cos(turn)), DC_R(0.05*sin(turn)), 0);
            l->attach.q = dc_quat_exp(dc_vec(0, 0, DC_R(turn)));
        }
        l->axis = dc_vec(0, 1, 0);
        l->kp = 20;
        l->kd = DC_R(0.5);
        l->friction = DC_R(friction);
        blocks_add(s, &part[i%2]);
    }
    l = sim_link(s, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 0.1);
    middle[kind] = 0.001 + grips_object(s, GRIPS_CYLINDER + kind, yaw);
    l->attach.t.z = DC_R(middle[kind]);
    sim_build(s);
    for (i = 0; i < 6; i += 2) s->prev[s->sim.q_at[FINGER + i]] = s->now[s->sim.q_at[FINGER + i]] = DC_R(-open_by);
}

/* The fingers close in a quarter of the time, the hand rises from 0.35 to 0.8 of it. */
static void preset(plan *p)
{
    const dc_sim *sim = &p->world->sim;
    int           i, f;

    for (i = 0; i < p->c.horizon; i++) {
        dc_real *target = p->c.target + i*sim->nq;
        const double time = (i + 1.0)/p->c.horizon, close = grips_smooth(time/0.25);
        target[sim->q_at[BASE]] = DC_R(rise*grips_smooth((time - 0.35)/0.45) + 9.81*1.3/4000);
        for (f = 0; f < 6; f += 2) {
            target[sim->q_at[FINGER + f]] = DC_R(-open_by + close*(open_by + closed[0]));
            target[sim->q_at[FINGER + f + 1]] = DC_R(close*closed[1]);
        }
    }
}

static int scene_of(const plan *p) { return (int)(p->world - w); }

static double loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    (void)step;
    return optimise_hold(p, q, OBJECT, dc_vec(0, 0, 0), BASE, dc_vec(0, 0, DC_R(middle[scene_of(p)] - high)), 1.0/p->c.horizon, soft, dq);
}

/* How far the object is at the end from where it should be. */
static double slipped(const plan *p)
{
    const dc_real *q = p->q + (p->c.horizon + 1)*p->world->sim.nq;
    const dc_real *x = q + p->world->sim.q_at[OBJECT] + 4;
    const double   z = (double)(x[2] - q[p->world->sim.q_at[BASE]]);
    return sqrt((double)(x[0]*x[0] + x[1]*x[1]) + z*z);
}

static int held(optimisation *of)
{
    int k, count = 0;
    for (k = 0; k < OBJECTS; k++) count += slipped(optimise_scene(of, k)) < 0.01;
    return count;
}

/* Quick: the first fingers that hold all are enough. */
static int all_held(optimisation *of) { return held(of) == OBJECTS; }

/* The object that is lifted least. */
static void draw(const optimisation *of, const dc_real *q, view *v, int series)
{
    const int step = (int)(q - of->p.q)/of->p.world->sim.nq;
    double    least = rise;
    int       k;

    for (k = 0; k < OBJECTS; k++) {
        const plan   *p = k > 0 ? &of->other[k - 1] : &of->p;
        const dc_sim *sim = &p->world->sim;
        least = fmin(least, (double)p->q[step*sim->nq + sim->q_at[OBJECT] + 6]);
    }
    view_value(v, series, 1e3*least);
}

static int result(view *v, const char *name, clock_t start, const cli *c)
{
    static const char *colour[SIM_LINKS];
    int                k, count;

    for (k = 0; k < 6; k++) colour[FINGER + k] = "#3b7dd8";
    colour[OBJECT] = "#d64f6b";
    optimise_show(&o, v, name, colour, (int)(0.04/(double)w[0].desc.h), draw, "least lifted", "mm");
    count = held(&o);
    for (k = 0; k < OBJECTS; k++) printf("%s_%s_off %.1f mm\n", name, grips_name[GRIPS_CYLINDER + k], 1e3*slipped(optimise_scene(&o, k)));
    printf("%s_loss %.3g m^2\n%s_held %d objects\n%s_time %.1f s\n", name, o.value, name, count, name, (double)(clock() - start)/CLOCKS_PER_SEC);
    if (optimise_obj(&w[0].sim, w[0].now, c->out, name) != 0) exit(CLI_FAILED);
    return count;
}

int main(int argc, char **argv)
{
    double       horizon = 70, iterations = 60, friction = 0.1, h = 0.02, check = 0;
    cli_number   number[] = {{"horizon", &horizon, 10, 2000, "steps of a motion"},
                             {"iterations", &iterations, 1, 2000, "motions of all objects and gradients"},
                             {"friction", &friction, 0, 2, "of the fingers"},
                             {"h", &h, 1e-4, 0.05, "time step, s"},
                             {"check", &check, 0, 1, "1: every gradient against differences"}};
    cli          c = cli_parse(argc, argv, "Fingers grow lumps that hold three objects.", "design_hand.html", number, 5);
    view_options page = DC_ZERO;
    view        *v;
    clock_t      start = clock();
    int          k, f, before, after;
    dc_design_desc desc = DC_ZERO;
    unsigned long long random = c.seed;

    if (c.quick) o.done = all_held;
    if (c.full) {
        horizon = 200;
        h = 0.007;
    }
    for (k = 0; k < OBJECTS; k++) {
        plan *p = k > 0 ? &o.other[k - 1] : &o.p;
        scene(k, h, friction, 0.1*cli_between(&random, -1, 1));
        plan_begin(p, &w[k], CONTROL_TARGETS, (int)horizon, 0, NULL, loss);
        preset(p);
        if (k == 0) {
            memset(vertices, DC_DESIGN_HELD, sizeof vertices);
            for (f = 0; f < 6; f++) blocks_mark(&w[0].sim, FINGER + f, &part[f%2], 0, vertices);
            desc.vertex = vertices;
            desc.range = DC_R(0.02);
            optimise_begin(&o, &desc);
        } else optimise_also(&o, &desc);
    }
    o.radius = 0.01*sqrt(o.design.n/288.0);        /* every vertex as far, however many there are */
    o.shrink = 0.993;
    o.explode = 3;
    o.patience = 0;
    o.bold = 1;
    o.check = (int)check;
    o.apart = 0.25;

    page.title = "Fingers grow lumps that hold three objects";
    page.note = "The blue fingers close on the red object and rise. Left as they were: friction is low, and the objects slide "
                "up between them. Right the same fingers, which have to serve all three, as the gradient of the simulation has shaped them.";
    v = view_open(c.out, &page);
    before = result(v, "before", start, &c);
    start = clock();
    optimise(&o, (int)iterations, OPTIMISE_SHAPE);
    if (!all_held(&o) && !cli_stopped()) {              /* some hang too low: now these count for more */
        soft = 0.02;
        o.done = all_held;
        optimise(&o, (int)iterations, OPTIMISE_SHAPE);
    }
    plan_curve(&curves, "shape", o.p.iterations, o.p.history);
    after = result(v, "after", start, &c);
    printf("after_variables %d 1\n", o.design.n);
    optimise_report(&o, "after");
    optimise_end(&o);
    if (view_close(v) != 0 || plan_plot(&curves, c.out, "Fingers grow lumps", "iteration") != 0) return CLI_FAILED;
    printf("wrote %s\n", c.out);
    if (!cli_stopped() && !(before == 0 && after == OBJECTS)) return cli_error("%s", "the hand does not hold what they should");
    return cli_exit(CLI_DONE);
}
