/* grain_silo.c - octagons and hashes leave a silo through a small and a large opening
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, section 8.3: the same contacts, friction and opening, and it is the shape of the grains that decides: at 8 m hashes (#) hold
 * each other and stay, octagons flow; at 16 m both flow. Walls are fixed discs, a plug of them is taken away when the grains are
 * at rest. The paper does not say how large grains are: 0.8 m is their radius here, and so few of them hold or flow by chance as
 * well: with other seeds some hashes flow at 8 m, and now and then octagons jam. A silo whose last grain came out more than 2 seconds
 * before the end is called jammed.
 * The field of two grains is learned, read from examples/fields, and baked into a spline for implicit steps. Memory, the list of
 * bodies and the page are common/grain_scene.h's. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "grain_scene.h"

#define PEG 0.5                         /* m, radius of the discs of the walls */

static grain_scene s;
static double      grains = 250, radius = 0.8, width = 20.8, seconds = 8, settle = 5, stiffness = 1e5, mu = 0.4,
                   step = 4e-3, sweeps = 16;

/* The types: grains, the discs of the walls, the ground. */
enum { GRAIN, PEGS, GROUND };

/* Bodies: walls about an opening of `open` m at y = 0, a hopper at 45 degrees above it, ground `drop` below. The plug are those
 * from plug[0] to plug[1] - 1. Returns how high they reach. */
static double bodies(double open, double drop, int plug[2])
{
    double a = open/2 + PEG, b = width/2 + PEG, up = b - a;
    double top = up + ceil(grains/grain_columns(radius, radius, width - radius))*2.02*radius;
    int    kind = GRAIN;

    grain_fence(&s, PEGS, PEG/2, -b, up, -b, top);
    grain_fence(&s, PEGS, PEG/2, b, up, b, top);
    grain_fence(&s, PEGS, PEG/2, -a, 0, -b, up);
    grain_fence(&s, PEGS, PEG/2, a, 0, b, up);
    plug[0] = grain_fence(&s, PEGS, PEG, -a + PEG, 0, a - PEG, 0);
    plug[1] = s.bodies;
    grain_put(&s, GROUND, DC_GRAIN_DRIVEN, 0, -drop, 0, NULL);
    grain_fill(&s, &kind, 1, (int)grains, -width/2 + radius, width/2 - radius, up + radius);
    return top + 2*radius;
}

/* part of the grains' mass that is through the opening */
static double discharged(void)
{
    double out = 0, all = 0;
    int    i;

    for (i = 0; i < s.bodies; i++) {
        if (!grain_free(&s, i)) continue;
        all += grain_mass(&s, i);
        if (grain_y(&s, i) < -radius) out += grain_mass(&s, i);
    }
    return out/all;
}

static void run(view *v, const char *shape, double open, unsigned long long seed, cli_bar *bar)
{
    /* room below the opening for a pile of all grains at 25 degrees */
    double drop = sqrt(3.3*radius*radius*grains*0.47) + 3*radius, out = 0, before = 0, last = 0;
    int    plug[2], flow, i, k, frames = (int)(10*(settle + seconds)), steps = (int)(0.1/step + 0.5);
    char   name[60];
    dc_arena work;

    grain_open(&s, seed);
    grain_outline(&s, shape, radius);
    grain_outline(&s, "O", PEG);
    grain_halfplane(&s);
    grain_baked(&s, GRAIN, GRAIN, NULL);
    grain_exact(&s, PEGS, GRAIN);
    grain_exact(&s, GROUND, GRAIN);
    s.desc.hi[1] = (dc_real)bodies(open, drop, plug);
    s.desc.hi[0] = (dc_real)(3*width);
    s.desc.lo[0] = (dc_real)(-3*width);
    s.desc.lo[1] = (dc_real)-drop;
    grain_build(&s, step, sweeps, stiffness, mu, 0);
    work = grain_memory(&s, dc_grains_step_bytes(&s.g));

    snprintf(name, sizeof name, "%s, %g m", shape, open);
    view_run(v, name);
    view_fixed(v, view_plane(v, (dc_real)(2.5*width)), "#9aa6b6", grain_pose(0, -drop, 0));
    grain_show(&s, v);
    flow = view_series(v, "discharged", "%", 0);
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        double t = 0.1*i - settle, begin = cli_seconds();
        for (k = 0; i > 0 && k < steps; k++) {
            grain_count(&s, dc_grains_step(&s.g, &work, &s.info));
            if (t <= 0) grain_slow(&s, 1);
        }
        s.seconds += cli_seconds() - begin;
        for (k = plug[0]; k < plug[1] && t >= 0; k++) s.g.motion[k] = DC_GRAIN_ABSENT;
        out = discharged();
        if (out > before) last = t;
        before = out;
        grain_draw(&s, v);
        view_value(v, flow, 100*out);
        view_frame(v, s.time);
        cli_bar_step(bar, s.time);
    }
    snprintf(name, sizeof name, "%s_%gm", shape, open);
    grain_report(&s, name);
    printf("%s_discharged %.1f %%\n%s_last_grain_after %.1f s\n", name, 100*out, name, last);
    printf("%s %s\n", name, out > 0.95 ? "ran empty" : seconds - last < 2 ? "flows" : "jammed");
    fflush(stdout);
    grain_end(&s);
}

int main(int argc, char **argv)
{
    static const char  *shape[2] = {"octagon", "hash"};
    static const double open[2] = {8, 16};
    cli_number number[] = {{"grains", &grains, 10, 50000, "in each silo"},
                           {"radius", &radius, 0.2, 2, "of a grain, m"},
                           {"width", &width, 18, 400, "of the silo, m"},
                           {"settle", &settle, 1, 100, "seconds before the plug is taken away"},
                           {"seconds", &seconds, 1, 1000, "after that"},
                           {"stiffness", &stiffness, 1e3, 1e8, "of a contact, N/m"},
                           {"step", &step, 1e-6, 1e-2, "of time, s"},
                           {"sweeps", &sweeps, 0, 1000, "of a step; 0: explicit, of 1 ms at most"},
                           {"mu", &mu, 0, 10, "friction"}};
    cli        o = cli_parse(argc, argv, "Silos of octagons and hashes with openings of 8 and 16 m.", "grain_silo.html", number, 9);
    view      *v;
    cli_bar    bar;
    int        a, b;

    if (o.full) { grains = 9900; width = 100; settle = 12; seconds = 15; }
    if (o.quick) { grains = 150; settle = 3; seconds = 5; }
    v = grain_page(o.out, "Octagons and hashes leave a silo",
                   "Openings of 8 and 16 m. The same friction: what holds the hashes is their shape.", 20);
    bar = cli_bar_begin("silo", 4*(settle + seconds), "s");
    for (b = 0; b < 2; b++)
        for (a = 0; a < 2 && !cli_stopped(); a++) run(v, shape[a], open[b], o.seed, &bar);
    cli_bar_end(&bar);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
