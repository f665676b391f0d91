/* grain_cereal.c - a box of U, D, O and N is tipped into a bowl
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, section 8.6: bowl and box are made of one building block, discs, fixed or driven. Printed is which part of the grains
 * ends in the bowl, below its rim. Implicit steps; the six learned fields are read from examples/fields and baked into splines.
 * Memory, the list of bodies and the page are common/grain_scene.h's. */
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

/* How types a and b touch: exactly where a is round or the ground, or else by a learned field. */
static void touch(int a, int b)
{
    dc_cfield_bake_options coarse = DC_ZERO;    /* half the nodes of the default, in half the time */

    coarse.angles = 48;
    coarse.side = 41;
    if (s.kind[a].round || !s.kind[a].name) grain_exact(&s, a, b);
    else grain_baked(&s, a, b, &coarse);
}

int main(int argc, char **argv)
{
    static const char *name[4] = {"O", "U", "N", "D"};
    double     grains = 80, settle = 2, tip = 4, rest = 6, stiffness = 5e4, mu = 0.7, step = 4e-3, sweeps = 16;
    cli_number number[] = {{"grains", &grains, 10, 5000, "in the box"},
                           {"settle", &settle, 0.5, 100, "seconds before the box is tipped"},
                           {"tip", &tip, 0.5, 100, "seconds that takes"},
                           {"rest", &rest, 0.5, 100, "seconds after that"},
                           {"stiffness", &stiffness, 1e3, 1e8, "of a contact, N/m"},
                           {"step", &step, 1e-6, 1e-2, "of time, s"},
                           {"sweeps", &sweeps, 0, 1000, "of a step; 0: explicit, of 1 ms at most"},
                           {"mu", &mu, 0, 10, "friction"}};
    cli        o = cli_parse(argc, argv, "Tips a box of cereal into a bowl.", "grain_cereal.html", number, 8);
    view      *v;
    cli_bar    bar;
    dc_grains_desc *d = &s.desc;
    dc_arena   work;
    double     bowl, wide, tall, caught = 0;
    int        kind[4], peg, ground, first, i, k, n, frames, steps, inside;

    if (o.full) { grains = 280; rest = 9; }
    if (o.quick) grains = 60;
    frames = (int)(10*(settle + tip + rest));
    /* the bowl, half a circle about the origin, has room for a square of 1.8 radii for each; the box stands at its right */
    bowl = sqrt(2*3.3*RADIUS*RADIUS*grains*1.4/GRAIN_PI);
    wide = bowl;
    steps = (int)(0.1/step + 0.5);
    grain_open(&s, o.seed);

    /* types and the pairs of which one is free */
    for (k = 0; k < 4; k++) kind[k] = grain_outline(&s, name[k], RADIUS);
    peg = grain_outline(&s, "O", PEG);
    ground = grain_halfplane(&s);
    for (k = 0; k < 4; k++) {
        touch(peg, kind[k]);
        touch(ground, kind[k]);
        for (i = k; i < 4; i++) touch(kind[k], kind[i]);
    }

    /* bodies */
    n = (int)ceil(0.5*GRAIN_PI*bowl/PEG);
    for (k = 0; k <= n; k++) grain_put(&s, peg, DC_GRAIN_DRIVEN, -bowl*cos(GRAIN_PI*k/n), -bowl*sin(GRAIN_PI*k/n), 0, "#c9971c");
    tall = 2.02*RADIUS*ceil(grains/grain_columns(RADIUS, bowl + 2*PEG + RADIUS, bowl + 2*PEG + wide - RADIUS)) + 2*PEG;
    s.turn.first = grain_fence(&s, peg, 2*PEG, bowl + PEG, 0, bowl + PEG, tall);
    grain_fence(&s, peg, 2*PEG, bowl + 2*PEG, 0, bowl + 2*PEG + wide, 0);
    grain_fence(&s, peg, 2*PEG, bowl + 3*PEG + wide, 0, bowl + 3*PEG + wide, tall);
    s.turn.end = s.bodies;
    grain_put(&s, ground, DC_GRAIN_DRIVEN, 0, -bowl - PEG, 0, NULL);
    first = grain_fill(&s, kind, 4, (int)grains, bowl + 2*PEG + RADIUS, bowl + 2*PEG + wide - RADIUS, PEG + RADIUS);

    d->lo[0] = (dc_real)(-4*bowl);
    d->lo[1] = (dc_real)(-bowl - PEG);
    d->hi[0] = (dc_real)(4*bowl);
    d->hi[1] = (dc_real)(2*tall);
    grain_build(&s, step, sweeps, stiffness, mu, 0);
    work = grain_memory(&s, dc_grains_step_bytes(&s.g));
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
        double t = 0.1*i - settle, begun = cli_seconds();
        s.turn.omega = t > 0 && t < tip + 0.05 ? 0.75*GRAIN_PI/tip : 0;
        for (k = 0; i > 0 && k < steps; k++) {
            grain_turn(&s);
            grain_count(&s, dc_grains_step(&s.g, &work, &s.info));
        }
        s.seconds += cli_seconds() - begun;
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
