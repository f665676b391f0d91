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

/* A type of 1 kg/m^2: an outline with its centroid at the origin and radius 1, which is `radius` m. */
static int type(const char *name, double radius)
{
    int         k = s.desc.types++;
    grain_kind *kind = s.kind + k;

    grain_need(dc_poly_named(name, GRAIN_CORNERS, kind->corner, &kind->outline.n), name);
    grain_need(dc_poly_centre(kind->outline.n, kind->corner, 1), name);
    kind->outline.v = kind->corner;
    kind->name = name;
    kind->round = name[0] == 'O';
    kind->length = radius;
    grain_need(dc_grain_type_poly(&kind->outline, (dc_real)radius, 1, &s.type[k]), name);
    return k;
}

/* How types a and b touch, lengths in radii of b: the exact field of a disc, a, and an outline, or else a network, read from a
 * file, and the spline that interpolates it. */
static void touch(int a, int b)
{
    grain_kind    *A = s.kind + a, *B = s.kind + b;
    dc_cfield     *field = s.field + s.desc.pairs;
    dc_grain_pair *pair = s.pair + s.desc.pairs++;
    dc_arena       mem;

    pair->a = a;
    pair->b = b;
    pair->field = field;
    pair->length = (dc_real)B->length;
    if (A->round) {
        dc_cshape disc = DC_ZERO;
        disc.kind = DC_CSHAPE_DISC;
        disc.radius = (dc_real)(A->length/B->length);
        mem = grain_memory(&s, dc_cfield_bytes(0, B->outline.n));
        grain_need(dc_cfield_exact(NULL, &disc, &B->outline, &mem, field), B->name);
    } else {
        dc_cfield_bake_options coarse = DC_ZERO;    /* half the nodes of the default, in half the time */
        char        file[60];
        size_t      n;
        const void *bytes;
        dc_cfield   network;
        snprintf(file, sizeof file, "%s_%s", A->name, B->name);
        bytes = grain_bytes(&s, file, &n);
        mem = grain_memory(&s, dc_cfield_load_bytes(bytes, n));
        grain_need(dc_cfield_load(bytes, n, &mem, &network), file);
        coarse.angles = 48;
        coarse.side = 41;
        mem = grain_memory(&s, dc_cfield_bake_bytes(&coarse, &network));
        grain_need(dc_cfield_bake(&coarse, &network, &mem, field, NULL), file);
    }
}

/* How the ground, type a, and type b touch. */
static void stand(int a, int b)
{
    dc_grain_pair *pair = s.pair + s.desc.pairs;
    dc_cfield     *field = s.field + s.desc.pairs++;
    dc_arena       mem = grain_memory(&s, dc_cfield_bytes(0, s.kind[b].outline.n));
    dc_cshape      plane = DC_ZERO;

    plane.kind = DC_CSHAPE_HALFPLANE;
    grain_need(dc_cfield_exact(NULL, &plane, &s.kind[b].outline, &mem, field), "ground");
    pair->a = a;
    pair->b = b;
    pair->field = field;
    pair->length = (dc_real)s.kind[b].length;
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
    dc_arena   mem, work;
    double     bowl, wide, tall, light, caught = 0;
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
    for (k = 0; k < 4; k++) kind[k] = type(name[k], RADIUS);
    peg = type("O", PEG);
    ground = s.desc.types++;
    s.type[ground].kind = DC_CSHAPE_HALFPLANE;
    for (k = 0; k < 4; k++) {
        touch(peg, kind[k]);
        stand(ground, kind[k]);
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

    /* the grains; dampers are a fifth of critical for two of the lightest */
    light = (double)s.type[kind[0]].mass;
    for (k = 1; k < 4; k++) light = fmin(light, (double)s.type[kind[k]].mass);
    d->type = s.type;
    d->pair = s.pair;
    d->body = s.body;
    d->bodies = s.bodies;
    d->h = (dc_real)step;
    d->sweeps = (int)sweeps;
    d->gravity[1] = DC_R(-9.81);
    d->material.kn = d->material.kt = (dc_real)stiffness;
    d->material.gn = d->material.gt = (dc_real)(0.4*sqrt(2*stiffness/light));
    d->material.mu = (dc_real)mu;
    d->reduced_mass = 1;
    d->lo[0] = (dc_real)(-4*bowl);
    d->lo[1] = (dc_real)(-bowl - PEG);
    d->hi[0] = (dc_real)(4*bowl);
    d->hi[1] = (dc_real)(2*tall);
    mem = grain_memory(&s, dc_grains_bytes(d));
    grain_need(dc_grains_build(d, &mem, &s.g), "grains");
    work = grain_memory(&s, dc_grains_step_bytes(&s.g));
    grain_place(&s);
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
