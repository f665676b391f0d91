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

enum { LEFT = 1, RIGHT = 2 };

static const double  away = 0.035, thick = 0.012, half_y = 0.03, half_z = 0.03, above = 0.004, closed = 0.035;
static unsigned char vertices[SIM_VERTICES];
static blocks        plate[2];

static void scene(int kind, int ny, int nz, double h, double friction, double yaw)
{
    sim_world   *s = grips_base(kind, h);
    dc_sim_link *l;
    int          i;

    for (i = 0; i < 2; i++) {
        const blocks jaw = {{i ? 0 : -2*thick, -half_y, above}, {thick, half_y, half_z}, 1, 2, ny, nz};
        plate[i] = jaw;
        l = sim_link(s, GRIPS_BASE, DC_SIM_SLIDE, dc_vec(DC_R(i ? away : -away), 0, 0), 0.2);
        l->axis = dc_vec(DC_R(i ? -1 : 1), 0, 0);
        l->kp = 150;
        l->kd = 15;
        l->friction = DC_R(friction);
        blocks_add(s, &plate[i]);
    }
    grips_put(kind, yaw);
}

/* The jaws close all the time, the gripper rises from 0.35 to 0.8 of it. */
static void preset(plan *p)
{
    const dc_sim *sim = &p->world->sim;
    int           i;

    for (i = 0; i < p->c.horizon; i++) {
        dc_real *target = p->c.target + i*sim->nq;
        const double part = (i + 1.0)/p->c.horizon;
        target[sim->q_at[GRIPS_BASE]] = DC_R(grip.rise*controls_smooth((part - 0.35)/0.45) + 9.81*1.4/4000);
        target[sim->q_at[LEFT]] = target[sim->q_at[RIGHT]] = DC_R(closed*controls_smooth(part/0.25));
    }
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
    int          k;
    dc_design_desc desc = DC_ZERO;
    unsigned long long random = c.seed;

    grip.first = GRIPS_SPOOL;
    grip.objects = 4;
    grip.rise = 0.1;
    grip.within = 0.02;
    grip.soft = 0.005;
    grip.colour[LEFT] = grip.colour[RIGHT] = "#3b7dd8";
    if (c.quick) {
        ny = 2;
        nz = 3;
        horizon = 60;
        h = 0.02;
        grip.o.done = grips_all_held;             /* the first jaws that hold all are enough */
    }
    if (c.full) {
        ny = 8;
        nz = 9;
        horizon = 180;
        h = 0.12/18;
    }
    for (k = 0; k < grip.objects; k++) {
        plan *p = k > 0 ? &grip.o.other[k - 1] : &grip.o.p;
        scene(k, (int)ny, (int)nz, h, friction, 0.1*cli_between(&random, -1, 1));
        plan_begin(p, &grip.w[k], CONTROL_TARGETS, (int)horizon, 0, NULL, grips_loss);
        preset(p);
        if (k == 0) {
            memset(vertices, DC_DESIGN_HELD, sizeof vertices);
            blocks_mark(&grip.w[0].sim, LEFT, &plate[0], 0, vertices);
            blocks_mark(&grip.w[0].sim, RIGHT, &plate[1], 0, vertices);
            desc.vertex = vertices;
            desc.range = DC_R(0.02);
            optimise_begin(&grip.o, &desc);
        } else optimise_also(&grip.o, &desc);
    }
    grip.o.radius = (c.quick ? 0.014 : 0.01)*sqrt(grip.o.design.n/288.0);        /* every vertex as far, however many there are */
    grip.o.check = (int)check;
    grip.o.apart = 0.12;

    page.title = "Jaws grow dents that hold four objects";
    page.note = "The blue jaws close on the red object and rise. Left as they were: friction is low, and all four objects stay "
                "on the ground. Right the same jaws, which have to serve all four, as the gradient of the simulation has shaped them.";
    return grips_run(view_open(c.out, &page), "Jaws grow dents", (int)iterations, &c);
}
