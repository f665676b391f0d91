/* design_gripper.c - the jaws of a gripper grow dents that hold four objects
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS section V-F, Fig. 16: two jaws close on an object that stands on the ground, and rise. Their control is preset, the
 * same for all objects, and friction is so low that all of them slip out of flat jaws. Each jaw is a plate of blocks
 * (blocks.h). In each iteration the gripper takes the four objects one after the other, and one gradient, the sum, moves
 * the vertices of the blocks, until there is something below each object that it rests on. Loss: how far the
 * object is from where a gripper that holds it would have it, all the way, by optimise_hold.
 *
 * The objects are turned a little, by another --seed than 1 by other angles: a face that lies flat against a jaw stops
 * to do so at the smallest step, and the derivative there is that of no other place. The program fails unless none of the
 * four objects is held before, and all of them after; held: at the end, 100 mm up, within 20 mm of where it should be.
 * Where they are not, a second run begins at the best jaws, with a softer loss, and ends at the first that hold all. */
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

enum { BASE = 0, LEFT = 1, RIGHT = 2, OBJECT = 3, OBJECTS = 4 };

static const double  rise = 0.1, away = 0.035, thick = 0.012, half_y = 0.03, half_z = 0.03, above = 0.004, closed = 0.035;
static double        middle[OBJECTS];           /* of the objects above the ground, m */
static double        soft = 0.005;              /* of optimise_hold, m */
static sim_world     w[OBJECTS];
static optimisation  o;
static plan_curves   curves;
static unsigned char vertices[SIM_VERTICES];
static blocks        plate[2];

static void scene(int kind, int ny, int nz, double h, double friction, double yaw)
{
    sim_world   *s = w + kind;
    dc_sim_link *l;
    int          i;

    sim_begin(s, h);
    sim_plane(s, dc_vec(0, 0, 1), 0, 0.5);
    s->desc.stiffness = DC_R(1e-3);
    s->desc.length = DC_R(0.02);
    s->desc.friction.eps_v = DC_R(1e-3);
    l = sim_link(s, -1, DC_SIM_SLIDE, dc_vec(0, 0, 0), 1);
    l->axis = dc_vec(0, 0, 1);
    l->kp = 4000;
    l->kd = 200;
    l->model = DC_SIM_INERTIA;
    l->inertia.m[0] = l->inertia.m[4] = l->inertia.m[8] = DC_R(1e-3);
    for (i = 0; i < 2; i++) {
        const blocks jaw = {{i ? 0 : -2*thick, -half_y, above}, {thick, half_y, half_z}, 1, 2, ny, nz};
        plate[i] = jaw;
        l = sim_link(s, BASE, DC_SIM_SLIDE, dc_vec(DC_R(i ? away : -away), 0, 0), 0.2);
        l->axis = dc_vec(DC_R(i ? -1 : 1), 0, 0);
        l->kp = 150;
        l->kd = 15;
        l->friction = DC_R(friction);
        blocks_add(s, &plate[i]);
    }
    l = sim_link(s, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 0.1);
    middle[kind] = 0.001 + grips_object(s, kind, yaw);
    l->attach.t.z = DC_R(middle[kind]);
    sim_build(s);
}

/* The jaws close all the time, the gripper rises from 0.35 to 0.8 of it. */
static void preset(plan *p)
{
    const dc_sim *sim = &p->world->sim;
    int           i;

    for (i = 0; i < p->c.horizon; i++) {
        dc_real *target = p->c.target + i*sim->nq;
        const double part = (i + 1.0)/p->c.horizon;
        target[sim->q_at[BASE]] = DC_R(rise*grips_smooth((part - 0.35)/0.45) + 9.81*1.4/4000);
        target[sim->q_at[LEFT]] = target[sim->q_at[RIGHT]] = DC_R(closed*grips_smooth(part/0.25));
    }
}

static int scene_of(const plan *p) { return (int)(p->world - w); }

static double loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    (void)step;
    return optimise_hold(p, q, OBJECT, dc_vec(0, 0, 0), BASE, dc_vec(0, 0, DC_R(middle[scene_of(p)])), 1.0/p->c.horizon, soft, dq);
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
    for (k = 0; k < OBJECTS; k++) count += slipped(optimise_scene(of, k)) < 0.02;
    return count;
}

/* Quick: the first jaws that hold all are enough. */
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

    colour[LEFT] = colour[RIGHT] = "#3b7dd8";
    colour[OBJECT] = "#d64f6b";
    optimise_show(&o, v, name, colour, (int)(0.04/(double)w[0].desc.h), draw, "least lifted", "mm");
    count = held(&o);
    for (k = 0; k < OBJECTS; k++) printf("%s_%s_off %.1f mm\n", name, grips_name[k], 1e3*slipped(optimise_scene(&o, k)));
    printf("%s_loss %.3g m^2\n%s_held %d objects\n%s_time %.1f s\n", name, o.value, name, count, name, (double)(clock() - start)/CLOCKS_PER_SEC);
    if (optimise_obj(&w[0].sim, w[0].now, c->out, name) != 0) exit(CLI_FAILED);
    return count;
}

int main(int argc, char **argv)
{
    double       ny = 4, nz = 4, horizon = 120, iterations = 100, friction = 0.1, h = 0.01, check = 0;
    cli_number   number[] = {{"ny", &ny, 2, 13, "blocks across a jaw"},
                             {"nz", &nz, 2, 13, "blocks up"},
                             {"horizon", &horizon, 10, 2000, "steps of a motion"},
                             {"iterations", &iterations, 1, 2000, "motions of all objects and gradients"},
                             {"friction", &friction, 0, 2, "of the jaws"},
                             {"h", &h, 1e-4, 0.05, "time step, s"},
                             {"check", &check, 0, 1, "1: every gradient against differences"}};
    cli          c = cli_parse(argc, argv, "Jaws grow dents that hold four objects.", "design_gripper.html", number, 7);
    view_options page = DC_ZERO;
    view        *v;
    clock_t      start = clock();
    int          k, before, after;
    dc_design_desc desc = DC_ZERO;
    unsigned long long random = c.seed;

    if (c.quick) {
        ny = 2;
        nz = 3;
        horizon = 60;
        h = 0.02;
        o.done = all_held;
    }
    if (c.full) {
        ny = 8;
        nz = 9;
        horizon = 180;
        h = 0.12/18;
    }
    for (k = 0; k < OBJECTS; k++) {
        plan *p = k > 0 ? &o.other[k - 1] : &o.p;
        scene(k, (int)ny, (int)nz, h, friction, 0.1*cli_between(&random, -1, 1));
        plan_begin(p, &w[k], CONTROL_TARGETS, (int)horizon, 0, NULL, loss);
        preset(p);
        if (k == 0) {
            memset(vertices, DC_DESIGN_HELD, sizeof vertices);
            blocks_mark(&w[0].sim, LEFT, &plate[0], 0, vertices);
            blocks_mark(&w[0].sim, RIGHT, &plate[1], 0, vertices);
            desc.vertex = vertices;
            desc.range = DC_R(0.02);
            optimise_begin(&o, &desc);
        } else optimise_also(&o, &desc);
    }
    o.radius = (c.quick ? 0.014 : 0.01)*sqrt(o.design.n/288.0);        /* every vertex as far, however many there are */
    o.shrink = 0.993;
    o.explode = 3;
    o.patience = 0;
    o.bold = 1;
    o.check = (int)check;
    o.apart = 0.12;

    page.title = "Jaws grow dents that hold four objects";
    page.note = "The blue jaws close on the red object and rise. Left as they were: friction is low, and all four objects stay "
                "on the ground. Right the same jaws, which have to serve all four, as the gradient of the simulation has shaped them.";
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
    if (view_close(v) != 0 || plan_plot(&curves, c.out, "Jaws grow dents", "iteration") != 0) return CLI_FAILED;
    printf("wrote %s\n", c.out);
    if (!cli_stopped() && !(before == 0 && after == OBJECTS)) return cli_error("%s", "the jaws do not hold what they should");
    return cli_exit(CLI_DONE);
}
