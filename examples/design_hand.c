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

enum { FINGER = 1 };

static const double  open_by = 0.2, closed[2] = {0.2, 0.4};
static unsigned char vertices[SIM_VERTICES];
static const blocks  part[2] = {{{-0.008, -0.012, -0.063}, {0.008, 0.012, 0.03}, 1, 2, 2, 2},
                                {{-0.008, -0.012, -0.055}, {0.008, 0.012, 0.026}, 1, 2, 2, 2}};

static void scene(int kind, double h, double friction, double yaw)
{
    sim_world   *s = grips_base(kind, h);
    dc_sim_link *l;
    int          i;

    for (i = 0; i < 6; i++) {
        const double turn = i/2*2*3.14159265/3 + 0.3;
        l = sim_link(s, i%2 ? FINGER + i - 1 : GRIPS_BASE, DC_SIM_HINGE, dc_vec(0, 0, DC_R(-0.066)), 0.05);
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
    grips_put(kind, yaw);
    for (i = 0; i < 6; i += 2) s->prev[s->sim.q_at[FINGER + i]] = s->now[s->sim.q_at[FINGER + i]] = DC_R(-open_by);
}

/* The fingers close in a quarter of the time, the hand rises from 0.35 to 0.8 of it. */
static void preset(plan *p)
{
    const dc_sim *sim = &p->world->sim;
    int           i, f;

    for (i = 0; i < p->c.horizon; i++) {
        dc_real *target = p->c.target + i*sim->nq;
        const double time = (i + 1.0)/p->c.horizon, close = controls_smooth(time/0.25);
        target[sim->q_at[GRIPS_BASE]] = DC_R(grip.rise*controls_smooth((time - 0.35)/0.45) + 9.81*1.3/4000);
        for (f = 0; f < 6; f += 2) {
            target[sim->q_at[FINGER + f]] = DC_R(-open_by + close*(open_by + closed[0]));
            target[sim->q_at[FINGER + f + 1]] = DC_R(close*closed[1]);
        }
    }
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
    int          k, f;
    dc_design_desc desc = DC_ZERO;
    unsigned long long random = c.seed;

    grip.first = GRIPS_CYLINDER;
    grip.objects = 3;
    grip.high = 0.13;
    grip.rise = 0.1;
    grip.within = 0.01;
    grip.soft = 0.005;
    for (f = 0; f < 6; f++) grip.colour[FINGER + f] = "#3b7dd8";
    if (c.quick) grip.o.done = grips_all_held;             /* the first fingers that hold all are enough */
    if (c.full) {
        horizon = 200;
        h = 0.007;
    }
    for (k = 0; k < grip.objects; k++) {
        plan *p = k > 0 ? &grip.o.other[k - 1] : &grip.o.p;
        scene(k, h, friction, 0.1*cli_between(&random, -1, 1));
        plan_begin(p, &grip.w[k], CONTROL_TARGETS, (int)horizon, 0, NULL, grips_loss);
        preset(p);
        if (k == 0) {
            memset(vertices, DC_DESIGN_HELD, sizeof vertices);
            for (f = 0; f < 6; f++) blocks_mark(&grip.w[0].sim, FINGER + f, &part[f%2], 0, vertices);
            desc.vertex = vertices;
            desc.range = DC_R(0.02);
            optimise_begin(&grip.o, &desc);
        } else optimise_also(&grip.o, &desc);
    }
    grip.o.radius = 0.01*sqrt(grip.o.design.n/288.0);        /* every vertex as far, however many there are */
    grip.o.check = (int)check;
    grip.o.apart = 0.25;

    page.title = "Fingers grow lumps that hold three objects";
    page.note = "The blue fingers close on the red object and rise. Left as they were: friction is low, and the objects slide "
                "up between them. Right the same fingers, which have to serve all three, as the gradient of the simulation has shaped them.";
    return grips_run(view_open(c.out, &page), "Fingers grow lumps", (int)iterations, &c);
}
