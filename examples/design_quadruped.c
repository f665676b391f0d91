/* design_quadruped.c - a spider climbs a slope, and farther on feet that its gradient has shaped
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS section V-C, Fig. 11: nine links and 16 freedoms on a slope of 15 degrees, each joint led by four sines whose
 * amplitudes, frequencies and phases are the control; after 550 steps the torso is to be near a point 10 m up. The shape of
 * the feet, 96 vertices each in three hulls, the right ones mirrored, is optimised together with the control; beside it
 * control alone with as many iterations from the same start. Loss: of the torso in place of the whole centre of mass.
 *
 * The control is a trot, with small random waves that --seed draws anew. No wave is faster than 2 Hz or larger than
 * 0.5 rad, as a motor might have it: without bounds the gradient finds gaits that throw the robot, which go farther
 * here, by another length at each time step, and half as far in MuJoCo (bench_design_mujoco.c); and how much the feet
 * gain is left to chance. --ablation 1 asks what the number of vertices changes (V-H), --ablation 2 what the mass in
 * the vertices does (V-I). */
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
#include "walkers.h"

static const double goal = 10, range = 0.08;      /* m; how far a vertex of a foot may go */
static const double swing = 0.5, slow = 0.2, fast = 2;      /* bounds of a wave: rad, Hz */
static sim_world    w;
static walker       spider;
static optimisation o;
static plan_curves  curves;

static double loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    const dc_real *at = q + p->world->sim.q_at[0] + 4;
    const double   x = (double)at[0] - goal, y = (double)at[1];

    if (step < p->c.horizon - 1) return 0;
    if (dq) {
        dq[0] += DC_R(2*x);
        dq[1] += DC_R(2*y);
    }
    return x*x + y*y;
}

static double walked(void) { return (double)o.p.q[(o.p.c.horizon + 1)*w.sim.nq + w.sim.q_at[0] + 4]; }

static void draw(const optimisation *of, const dc_real *q, view *v, int series)
{
    view_value(v, series, (double)q[of->p.world->sim.q_at[0] + 4]);
}

/* The robot as it is at first, and its trot. */
static void begin(int vertices, int horizon, double friction, dc_sim_mass model, unsigned long long seed)
{
    dc_design_desc desc;

    memset(&o, 0, sizeof o);
    walker_spider(&spider, &w, 15*atan(1.0)/45, friction, vertices/6, model);
    walker_sines(&w, &o.p, horizon, &seed, loss);
    walker_trot(&w, &o.p);
    plan_bound(&o.p, 0, -swing, swing);
    plan_bound(&o.p, 1, slow, fast);
    controls_clamp(&o.p.c, o.p.u);
    o.p.rate = 0.02;
    desc = walker_design(&spider, &w, range);
    optimise_begin(&o, &desc);
    o.radius = 0.02;
    o.margin = 0.003;
    o.explode = 1.2;
}

static double run(view *v, int what, int iterations, int check, const char *label, const char *name, const cli *c)
{
    const clock_t      start = clock();
    static const char *colour[SIM_LINKS];
    double             far_up;
    int                k;

    for (k = 0; k < w.sim.links; k++) colour[k] = k == 0 ? "#3b7dd8" : "#8592a3";
    for (k = 0; k < spider.feet; k++) colour[spider.foot[k]] = "#e8833a";
    o.check = check;
    optimise(&o, iterations, what);
    far_up = walked();
    plan_curve(&curves, label, o.p.iterations, o.p.history);
    optimise_show(&o, v, label, colour, 5, draw, "walked", "m");
    printf("%s_walked %.4f m\n", name, far_up);
    optimise_report(&o, name);
    printf("%s_time %.1f s\n", name, (double)(clock() - start)/CLOCKS_PER_SEC);
    if (optimise_obj(&w.sim, o.p.q + w.sim.nq, c->out, name) != 0) exit(CLI_FAILED);
    if (optimise_save(&o, c->out, name) != 0) exit(CLI_FAILED);
    return far_up;
}

/* The same control on feet of other vertices, or masses: how far it walks. */
static void ablation(int which, int vertices, int horizon, double friction, unsigned long long seed)
{
    static dc_real u[3*CONTROL_WAVES*CONTROL_FREEDOMS];
    const size_t   bytes = (size_t)o.p.c.n*sizeof(dc_real);
    int            i;

    memcpy(u, o.p.u, bytes);
    for (i = 0; i < (which == 1 ? 4 : 2); i++) {
        optimise_end(&o);
        begin(which == 1 ? 24 << i : vertices, horizon, friction, which == 2 && i ? DC_SIM_LUMPED : DC_SIM_UNIFORM, seed);
        memcpy(o.p.u, u, bytes);
        optimise_value(&o);
        if (which == 1) printf("walked_with_%d_vertices_a_foot %.4f m\n", 24 << i, walked());
        else printf("walked_with_%s_mass %.4f m\n", i ? "lumped" : "solid", walked());
    }
}

int main(int argc, char **argv)
{
    double       vertices = 48, horizon = 550, iterations = 100, friction = 0.4, check = 0, which = 0, alone, both, gain;
    cli_number   number[] = {{"vertices", &vertices, 24, 192, "of a foot, a multiple of 6"},
                             {"horizon", &horizon, 1, 1000, "steps of a motion"},
                             {"iterations", &iterations, 1, 2000, "motions and gradients of each run"},
                             {"friction", &friction, 0, 2, "of the slope"},
                             {"check", &check, 0, 1, "1: every gradient against differences"},
                             {"ablation", &which, 0, 2, "1: vertices of the feet, 2: mass in the vertices"}};
    cli          c = cli_parse(argc, argv, "A spider climbs a slope, feet by its gradient.", "design_quadruped.html", number, 6);
    view_options page = DC_ZERO;
    view        *v;

    if (c.quick) {
        vertices = 24;
        horizon = 300;
        iterations = 40;
    }
    if (c.full) {
        vertices = 96;
        iterations = 400;
    }
    page.title = "A spider climbs a slope";
    page.note = "The ground is a slope of 15 degrees, upwards to the right. Left, as far as control alone has brought it; right, the "
                "same number of iterations of control and of the shape of the feet.";
    v = view_open(c.out, &page);
    begin((int)vertices, (int)horizon, friction, DC_SIM_UNIFORM, c.seed);
    alone = run(v, OPTIMISE_CONTROL, (int)iterations, 0, "control alone", "without", &c);
    if (which > 0) ablation((int)which, (int)vertices, (int)horizon, friction, c.seed);
    optimise_end(&o);
    begin((int)vertices, (int)horizon, friction, DC_SIM_UNIFORM, c.seed);
    both = run(v, OPTIMISE_CONTROL | OPTIMISE_SHAPE, (int)iterations, (int)check, "control and shape", "with_shape", &c);
    optimise_end(&o);
    gain = 100*(both/alone - 1);
    printf("gain %.2f %%\n", gain);
    if (view_close(v) != 0 || plan_plot(&curves, c.out, "A spider climbs a slope", "iteration") != 0) return CLI_FAILED;
    printf("wrote %s\n", c.out);
    if (gain < 8.78 && !cli_stopped()) return cli_error("the feet gain %.2f %%, less than the 8.78 %% of the paper", gain);
    return cli_exit(CLI_DONE);
}
