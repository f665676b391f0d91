/* design_chain.c - a chain grows until its tip reaches a mark that its control alone does not
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS section V-B, Fig. 10: three chains of eight links. The left one hangs on a carriage, whose way is a spline of
 * four knots; the other two hang still, in between. The tip of the left one has to be at a mark after 250 steps. Control
 * alone falls short by links; with the attachments of the links and the vertices of their hulls as variables the
 * chain grows. An attachment and the vertex of the parent that it hangs on are the same variables, and a vertex at the
 * origin of each link stays: that is how it remains a chain. optimise.h holds the recipe. */
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

enum { LINKS = 8, CORNERS = 10, TIP = CORNERS*LINKS - 1 };     /* the first chain's vertices come first */

static const double    length = 0.15, goal[2] = {0.9, -1.3};   /* of a link, m; the mark: x, z */
static sim_world       w;
static optimisation    o;
static plan_curves     curves;
static unsigned char   vertices[SIM_VERTICES], attachments[SIM_LINKS];

/* A link of a chain: a box, a vertex at its origin and one where the next hangs. */
static void add_link(int parent, dc_v3 at)
{
    dc_sim_link *l = sim_link(&w, parent, DC_SIM_HINGE, at, 0);
    dc_v3       *x;
    int          k;

    l->axis = dc_vec(0, 1, 0);
    l->density = 500;
    l->damping = DC_R(2e-3);
    l->friction = DC_R(0.5);
    x = sim_hull(&w, CORNERS);
    for (k = 0; k < 8; k++)
        x[k] = dc_vec(DC_R(k & 1 ? 0.015 : -0.015), DC_R(k & 2 ? 0.015 : -0.015), DC_R(k & 4 ? -0.05*length : -0.95*length));
    x[8] = dc_vec(0, 0, 0);
    x[9] = dc_vec(0, 0, DC_R(-length));
}

static void scene(int chains)
{
    dc_sim_link *l;
    int          c, i;

    sim_begin(&w, 0.01);
    w.desc.stiffness = DC_R(1e-3);
    w.desc.length = DC_R(0.05);
    w.desc.friction.eps_v = DC_R(1e-2);
    l = sim_link(&w, -1, DC_SIM_SLIDE, dc_vec(DC_R(-0.6), 0, 0), 0.5);      /* the carriage */
    l->axis = dc_vec(1, 0, 0);
    l->kp = 500;
    l->kd = 50;
    for (c = 0; c < chains; c++)
        for (i = 0; i < LINKS; i++)
            add_link(i > 0 || c == 0 ? w.desc.links - 1 : -1, i > 0 ? dc_vec(0, 0, DC_R(-length)) : dc_vec(DC_R(c > 0 ? 0.6*(c - 1) : 0), 0, 0));
    sim_build(&w);
}

/* The tip's squared distance from the mark, at the end. */
static dc_v3 tip_off(const plan *p, const dc_real *q)
{
    static dc_pose pose[SIM_LINKS];
    dc_v3          x;

    dc_sim_poses(&p->world->sim, q, pose);
    x = dc_pose_apply(pose[LINKS], p->world->sim.vertex[TIP]);
    return dc_vec(x.x - DC_R(goal[0]), 0, x.z - DC_R(goal[1]));
}

static double loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    const dc_v3 off = tip_off(p, q);

    if (step < p->c.horizon - 1) return 0;
    if (dq) dc_sim_pull(&p->world->sim, q, LINKS, p->world->sim.vertex[TIP], dc_scale(2, off), dq);
    return (double)dc_dot(off, off);
}

/* The tip is a vertex, and where it is depends on the attachments. */
static void loss_by_design(optimisation *of)
{
    const dc_real *q = of->p.q + (of->p.c.horizon + 1)*of->p.world->sim.nq;
    optimise_point(of, q, LINKS, TIP, dc_scale(2, tip_off(&of->p, q)));
}

static void draw(const optimisation *of, const dc_real *q, view *v, int series)
{
    const dc_v3 off = tip_off(&of->p, q);
    view_value(v, series, sqrt((double)dc_dot(off, off)));
}

static double run(view *v, int what, int horizon, int iterations, int check, const cli *c)
{
    static const int freedom[] = {0};
    const int        shape = (what & OPTIMISE_SHAPE) != 0;
    const char      *name = shape ? "with_shape" : "without";
    const clock_t    begin = clock();
    static const char *colour[SIM_LINKS];
    dc_design_desc   desc = DC_ZERO;
    double           off;
    int              k;

    scene(3);
    plan_begin(&o.p, &w, CONTROL_KNOTS, horizon, 1, freedom, loss);
    plan_bound(&o.p, 0, -1.2, 1.2);
    o.p.rate = 0.02;
    o.p.adam.beta1 = DC_R(0.9);
    o.p.adam.beta2 = DC_R(0.999);
    memset(vertices, DC_DESIGN_HELD, sizeof vertices);
    for (k = 0; k < CORNERS*LINKS; k++) vertices[k] = k%CORNERS < 8 ? DC_DESIGN_FREE : k%CORNERS == 9 ? DC_DESIGN_SHARED : DC_DESIGN_HELD;
    for (k = 2; k <= LINKS; k++) attachments[k] = DC_DESIGN_MOVES;
    desc.vertex = vertices;
    desc.attach = attachments;
    desc.range = DC_R(0.1);
    optimise_begin(&o, &desc);
    o.own = loss_by_design;
    o.radius = 0.03;
    o.margin = 0.005;
    o.rate = 0.02;
    o.check = check;
    off = sqrt(optimise(&o, iterations, what));
    plan_curve(&curves, shape ? "control and shape" : "control alone", o.p.iterations, o.p.history);
    for (k = 0; k < SIM_LINKS; k++) colour[k] = k <= LINKS ? "#3b7dd8" : "#9aa5b1";
    optimise_show(&o, v, shape ? "control and shape" : "control alone", colour, 5, draw, "tip to mark", "m");
    printf("%s_tip_to_mark %.5f m\n%s_tip_to_mark_in_links %.4f 1\n%s_variables %d 1\n", name, off, name, off/length, name, o.design.n);
    optimise_report(&o, name);
    printf("%s_time %.1f s\n", name, (double)(clock() - begin)/CLOCKS_PER_SEC);
    if (optimise_obj(&w.sim, o.p.q + (horizon + 1)*w.sim.nq, c->out, name) != 0) exit(CLI_FAILED);
    optimise_end(&o);
    memset(&o, 0, sizeof o);
    return off;
}

int main(int argc, char **argv)
{
    double       horizon = 250, iterations = 80, check = 0;
    cli_number   number[] = {{"horizon", &horizon, 1, 1000, "steps of a motion"},
                             {"iterations", &iterations, 1, 2000, "motions and gradients of each run"},
                             {"check", &check, 0, 1, "1: every gradient against differences"}};
    cli          c = cli_parse(argc, argv, "A chain grows until it reaches a mark.", "design_chain.html", number, 3);
    view_options page = DC_ZERO;
    view        *v;

    if (c.quick) iterations = 24;
    if (c.full) iterations = 150;
    page.title = "A chain grows until it reaches a mark";
    page.note = "The blue chain hangs on a carriage and has to bring its tip to x = 0.9 m, z = -1.3 m at the end. Left, what "
                "control alone finds; right, control together with the lengths and shapes of the links, by the gradient of "
                "the same simulation.";
    v = view_open(c.out, &page);
    run(v, OPTIMISE_CONTROL, (int)horizon, (int)iterations, 0, &c);
    run(v, OPTIMISE_CONTROL | OPTIMISE_SHAPE, (int)horizon, (int)iterations, (int)check, &c);
    if (view_close(v) != 0 || plan_plot(&curves, c.out, "A chain reaches for a mark", "iteration") != 0) return CLI_FAILED;
    printf("wrote %s\n", c.out);
    return cli_exit(CLI_DONE);
}
