/* grain_column.c - columns of O, U, N and # collapse
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, section 8.2: a column of grains comes to rest between two walls, one wall is taken away, and the heap is the steeper, the
 * less convex its grains are: O < U < N < #. Printed is the angle of repose: that of the triangle, upright side at the wall, that
 * has the heap's centre of mass. Columns are as tall for their width, at rest, for all four: a taller one would run out farther.
 * Equal discs settle into a crystal, whose faces stand at 60 degrees whatever the friction (--sizes 0 shows it: then O is as steep
 * as N). So the O are of three sizes. Floor and walls are fixed discs. Fields of discs and of the ground are exact; those of two
 * U, N or # are learned, read from examples/fields, and baked into splines, whose gradients do not jump: that suits the implicit
 * steps. Memory, the list of bodies and the page are common/grain_scene.h's. */
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
#define RADIUS 1.0                      /* m, of the grains */

static grain_scene s;
static double      grains = 300, tall = 0.7, sizes = 0.1, settle = 4, seconds = 8, stiffness = 1e5, mu = 0.4,
                   step = 4e-3, sweeps = 16;

/* room: area that a grain takes in a settled column, RADIUS^2, measured by this program */
static const struct { const char *name; double room; } shape[4] = {{"O", 3.1}, {"U", 2.9}, {"N", 3.05}, {"hash", 3.25}};

/* The angle, degrees, of the triangle with one side on the wall x = 0, one on the floor y = 0, and the grains' centre of mass. */
static double angle_of_repose(void)
{
    double x = 0, y = 0;
    int    i;

    for (i = 0; i < s.bodies; i++) {
        if (!grain_free(&s, i)) continue;
        x += grain_mass(&s, i)*grain_x(&s, i);
        y += grain_mass(&s, i)*grain_y(&s, i);
    }
    return atan2(y, x)*180/GRAIN_PI;
}

static void run(view *v, int k, unsigned long long seed, cli_bar *bar)
{
    const char *name = shape[k].name;
    double width = sqrt(grains*shape[k].room/tall)*RADIUS, angle = 90;
    double top = ceil(grains/grain_columns(RADIUS, RADIUS, width - RADIUS))*2.02*RADIUS;
    int    kind[3], discs = shape[k].name[0] == 'O', n = discs && sizes > 0 ? 3 : 1;
    int    peg, ground, gate, end, repose, speed, i, j, frames = (int)(10*(settle + seconds)), steps = (int)(0.1/step + 0.5);
    dc_arena work;

    grain_open(&s, seed);

    /* types: one or three of grains, the fixed discs, the ground */
    for (i = 0; i < n; i++) kind[i] = grain_outline(&s, shape[k].name, RADIUS*(1 - i*sizes));
    peg = grain_outline(&s, "O", PEG);
    ground = grain_halfplane(&s);

    /* how they touch: every pair that may come near */
    for (i = 0; i < n; i++) {
        if (!discs) grain_exact(&s, peg, kind[i]);
        else grain_exact(&s, kind[i], peg);     /* a grain that is round, not a polygon, rolls freely */
        grain_exact(&s, ground, kind[i]);
        for (j = i; j < n && discs; j++) grain_exact(&s, kind[i], kind[j]);
    }
    if (!discs) grain_baked(&s, kind[0], kind[0], NULL);

    /* where they are */
    grain_fence(&s, peg, PEG/2, -PEG, 0, -PEG, top);
    grain_fence(&s, kind[0], 1.8*RADIUS, 0, -RADIUS, 4*width, -RADIUS);
    gate = grain_fence(&s, peg, PEG/2, width + PEG, 0, width + PEG, top);
    end = s.bodies;
    grain_put(&s, ground, DC_GRAIN_DRIVEN, 0, -2*RADIUS, 0, NULL);
    grain_fill(&s, kind, n, (int)grains, RADIUS, width - RADIUS, RADIUS);

    s.desc.lo[0] = (dc_real)(-2*PEG);
    s.desc.lo[1] = (dc_real)(-2*RADIUS);
    s.desc.hi[0] = (dc_real)(5*width);
    s.desc.hi[1] = (dc_real)(top + 2*RADIUS);
    grain_build(&s, step, sweeps, stiffness, mu, 0);
    work = grain_memory(&s, dc_grains_step_bytes(&s.g));

    view_run(v, strcmp(name, "hash") == 0 ? "#" : name);
    grain_show(&s, v);
    repose = view_series(v, "angle", "degrees", 0);
    speed = view_series(v, "mean speed", "m/s", 0);
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        double t = 0.1*i - settle, before = cli_seconds();
        for (j = 0; i > 0 && j < steps; j++) {
            grain_count(&s, dc_grains_step(&s.g, &work, &s.info));
            if (t <= 0) grain_slow(&s, 1);
        }
        s.seconds += cli_seconds() - before;
        for (j = gate; j < end && t >= 0; j++) s.g.motion[j] = DC_GRAIN_ABSENT;
        angle = angle_of_repose();
        grain_draw(&s, v);
        view_value(v, repose, angle);
        view_value(v, speed, grain_speed(&s));
        view_frame(v, s.time);
        cli_bar_step(bar, k*(settle + seconds) + s.time);
    }
    grain_report(&s, name);
    printf("%s_angle_of_repose %.1f degrees\n%s_mean_speed %.2g m/s\n", name, angle, name, grain_speed(&s));
    fflush(stdout);
    grain_end(&s);
}

int main(int argc, char **argv)
{
    cli_number number[] = {{"grains", &grains, 10, 50000, "in each column"},
                           {"tall", &tall, 0.2, 10, "height of the settled columns over their width"},
                           {"sizes", &sizes, 0, 0.3, "steps of the three radii of O, part of the largest"},
                           {"settle", &settle, 1, 100, "seconds before the wall is taken away"},
                           {"seconds", &seconds, 1, 1000, "after that"},
                           {"stiffness", &stiffness, 1e3, 1e8, "of a contact, N/m"},
                           {"step", &step, 1e-6, 1e-2, "of time, s"},
                           {"sweeps", &sweeps, 0, 1000, "of a step; 0: explicit, of 1 ms at most"},
                           {"mu", &mu, 0, 10, "friction"}};
    cli        o = cli_parse(argc, argv, "Columns of grains of four shapes collapse.", "grain_column.html", number, 9);
    view      *v;
    cli_bar    bar;
    int        k;

    if (o.full) { grains = 6300; settle = 8; seconds = 12; }
    if (o.quick) { grains = 150; settle = 2; seconds = 7; }
    v = grain_page(o.out, "Columns of O, U, N and # collapse",
                   "The same friction; the less convex, the steeper. Angle: of the triangle with the heap's centre of mass.", 20);
    bar = cli_bar_begin("column", 4*(settle + seconds), "s");
    for (k = 0; k < 4 && !cli_stopped(); k++) run(v, k, o.seed, &bar);
    cli_bar_end(&bar);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
