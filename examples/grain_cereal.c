/* grain_cereal.c - a box of U, D, O and N is tipped into a bowl
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, section 8.6: bowl and box are made of one building block, discs, fixed or driven. Printed is which part of the grains
 * ends in the bowl, below its rim. Learned fields: see common/grain_scene.h. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "grain_scene.h"

#define PEG 0.5                         /* m, radius of the discs, which touch */
#define RADIUS 0.5                      /* m, of the grains */

static grain_scene s;

int main(int argc, char **argv)
{
    static const char *name[4] = {"U", "D", "O", "N"};
    double     grains = 80, settle = 2, tip = 4, rest = 6, stiffness = 5e4, step = 1e-3, mu = 0.7;
    cli_number number[] = {{"grains", &grains, 10, 5000, "in the box"},
                           {"settle", &settle, 0.5, 100, "seconds before the box is tipped"},
                           {"tip", &tip, 0.5, 100, "seconds that takes"},
                           {"rest", &rest, 0.5, 100, "seconds after that"},
                           {"stiffness", &stiffness, 1e3, 1e8, "of a contact, N/m"},
                           {"step", &step, 1e-6, 1e-2, "of time, s"},
                           {"mu", &mu, 0, 10, "friction"}};
    cli        o = cli_parse(argc, argv, "Tips a box of cereal into a bowl.", "grain_cereal.html", number, 7);
    view      *v;
    cli_bar    bar;
    double     bowl, wide, tall, caught = 0;
    int        kind[4], peg, ground, first, i, k, n, frames, inside;

    if (o.full) { grains = 280; rest = 9; }
    if (o.quick) grains = 60;
    frames = (int)(10*(settle + tip + rest));
    /* the bowl, half a circle about the origin, has room for a square of 1.8 radii for each; the box stands at its right */
    bowl = sqrt(2*3.3*RADIUS*RADIUS*grains*1.4/GRAIN_PI);
    wide = bowl;
    grain_begin(&s, step, stiffness, mu, o.seed);
    for (k = 0; k < 4; k++) kind[k] = name[k][0] == 'O' ? grain_round(&s, RADIUS) : grain_shape(&s, name[k], RADIUS);
    peg = grain_round(&s, PEG);
    ground = grain_wall(&s, DC_CSHAPE_HALFPLANE, 0);
    n = (int)ceil(0.5*GRAIN_PI*bowl/PEG);
    for (k = 0; k <= n; k++) grain_put(&s, peg, DC_GRAIN_DRIVEN, -bowl*cos(GRAIN_PI*k/n), -bowl*sin(GRAIN_PI*k/n), 0, "#c9971c");
    tall = 2.02*RADIUS*ceil(grains/grain_columns(RADIUS, bowl + 2*PEG + RADIUS, bowl + 2*PEG + wide - RADIUS)) + 2*PEG;
    s.turn.first = grain_fence(&s, peg, 2*PEG, bowl + PEG, 0, bowl + PEG, tall);
    grain_fence(&s, peg, 2*PEG, bowl + 2*PEG, 0, bowl + 2*PEG + wide, 0);
    grain_fence(&s, peg, 2*PEG, bowl + 3*PEG + wide, 0, bowl + 3*PEG + wide, tall);
    s.turn.end = s.bodies;
    grain_put(&s, ground, DC_GRAIN_DRIVEN, 0, -bowl - PEG, 0, NULL);
    first = grain_fill(&s, kind, 4, (int)grains, bowl + 2*PEG + RADIUS, bowl + 2*PEG + wide - RADIUS, PEG + RADIUS);
    grain_build(&s, -4*bowl, -bowl - PEG, 4*bowl, 2*tall);
    /* the box turns by 135 degrees about its upper left corner */
    s.turn.x = bowl + PEG;
    s.turn.y = 0.5*tall;

    v = grain_page(o.out, "A box of cereal is tipped into a bowl",
                   "Each pair of U, D and N has a learned contact field; those of discs (O, bowl and box) are exact.", 20);
    view_fixed(v, view_plane(v, (dc_real)(3*bowl)), "#9aa6b6", grain_pose(0, -bowl - PEG, 0));
    grain_show(&s, v);
    inside = view_series(v, "in the bowl", "%", 0);
    bar = cli_bar_begin("cereal", frames, "frames");
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        double t = 0.1*i - settle;
        s.turn.omega = t > 0 && t < tip + 0.05 ? 0.75*GRAIN_PI/tip : 0;
        if (i > 0) grain_run(&s, 0.1, 0);
        caught = 0;
        for (k = first; k < s.bodies; k++) {
            if (grain_y(&s, k) > 0 || hypot(grain_x(&s, k), grain_y(&s, k)) > bowl) continue;
            caught++;
        }
        grain_draw(&s, v);
        view_value(v, inside, 100*caught/grains);
        view_frame(v, s.time);
        cli_bar_step(&bar, i);
    }
    cli_bar_end(&bar);
    grain_report(&s, "cereal");
    printf("cereal_in_the_bowl %.0f of %.0f\ncereal_mean_speed %.2g m/s\n", caught, grains, grain_speed(&s));
    printf("cereal_wall_time %.1f s\n", s.seconds);
    if (view_close(v) != 0) return CLI_FAILED;
    grain_end(&s);
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
