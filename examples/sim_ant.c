/* sim_ant.c - a robot of nine links and 16 freedoms stands, then walks
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS, section V-C, on level ground: the joints follow sines by proportional-derivative control, with targets at the end of each
 * step, so that no gain makes it unstable. Legs across from each other swing together; all thrust is friction. Distance walked,
 * forces left over by the steps and their time are printed. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "sim_scene.h"
#include "sim_ant.h"

static sim_world w;

int main(int argc, char **argv)
{
    double         seconds = 8, stand = 1, pace = 1, swing = 0.35, lift = 0.4, friction = 0.8, rate = 100;
    cli_number     number[] = {{"seconds", &seconds, 0.1, 1000, "length of the run"},
                               {"stand", &stand, 0, 1000, "seconds until it walks"},
                               {"pace", &pace, 0.1, 4, "steps of each leg a second"},
                               {"swing", &swing, 0, 0.6, "rad, to the front and to the back"},
                               {"lift", &lift, 0, 0.8, "rad"},
                               {"friction", &friction, 0, 10, "of the feet on the floor"},
                               {"rate", &rate, 20, 1000, "steps of time a second"}};
    cli            o = cli_parse(argc, argv, "A four-legged robot stands and walks.", "sim_ant.html", number, 7);
    static const char *colour[SIM_LINKS];
    static dc_real target[SIM_STATE], velocity[SIM_STATE];
    dc_sim_control control = DC_ZERO;
    view_options   page = DC_ZERO;
    dc_pose        ground = {{1, 0, 0, 0}, {0, 0, 0}};
    view          *v;
    cli_bar        bar;
    double         least = HUGE_VAL;
    int            i, height, along, newton, left, steps = (int)((o.quick ? 0.25 : 1)*seconds*rate);

    sim_ant(&w, 1/rate, friction);
    control.target = target;
    control.velocity = velocity;
    page.title = "A four-legged robot";
    page.note = "Nine links, 16 freedoms. It stands for a while, then walks; its joints follow sines, its feet are held by friction.";
    page.rate = rate;
    v = view_open(o.out, &page);
    view_fixed(v, view_plane(v, 1), NULL, ground);
    for (i = 0; i < w.sim.links; i++) {         /* the upper legs hang on the torso, or on a link without a hull */
        int above = w.sim.link[i].parent;
        colour[i] = i == 0 ? "#3b7dd8" : above == 0 || w.sim.link[above].hulls == 0 ? "#8592a3" : "#e8833a";
    }
    sim_show(&w, v, colour);
    view_track(v, "way of a foot", "#3aa675", w.shown[2], dc_vec(DC_R(ANT_LOWER), 0, 0));
    along = view_series(v, "distance walked", "m", 0);
    height = view_series(v, "height of the torso", "m", 0);
    newton = view_series(v, "Newton steps", "", 0);
    left = view_series(v, "force left over by a step", "N or N m", 1);
    bar = cli_bar_begin("ant", steps, "steps");
    for (i = 0; i <= steps && view_ok(v) && !cli_stopped(); i++) {
        if (i > 0) {
            double t = w.time + 1/rate - stand;
            sim_ant_gait(&w, fmax(t, 0), pace, t > 0 ? swing : 0, t > 0 ? lift : 0, target, velocity);
            sim_step(&w, &control);
            least = fmin(least, (double)w.info.gap);
            view_value(v, newton, w.info.iterations);
            view_value(v, left, (double)w.info.residual);
        }
        view_value(v, along, (double)w.now[4]);
        view_value(v, height, (double)w.now[6] + ANT_HEIGHT);
        sim_draw(&w, v);
        view_frame(v, w.time);
        cli_bar_step(&bar, i);
    }
    cli_bar_end(&bar);
    sim_report(&w, "ant");
    printf("distance_walked %.4f m\ndistance_aside %.4f m\ntorso_at_the_end %.4f m\n", (double)w.now[4], (double)w.now[5],
           (double)w.now[6] + ANT_HEIGHT);
    printf("gap_least %.3g m\n", least);
    if (view_close(v) != 0) return CLI_FAILED;
    return cli_exit(CLI_DONE);
}
