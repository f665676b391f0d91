/* grain_column.c - columns of O, U, N and # collapse
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, section 8.2: a column of grains comes to rest between two walls, one wall is taken away, and the heap is the steeper, the less
 * convex its grains are: O < U < N < #. Printed is the angle of repose: that of the triangle, upright side at the wall, that has the
 * heap's centre of mass. Columns are as tall for their width, at rest, for all four: a taller one would run out farther.
 * Equal discs settle into a crystal, whose faces stand at 60 degrees whatever the friction (--sizes 0 shows it: then O is as steep
 * as N). So the O are of three sizes. Floor and walls are fixed discs. Learned fields: see common/grain_scene.h. */
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
static double      grains = 300, tall = 0.7, sizes = 0.1, settle = 4, seconds = 8, stiffness = 1e5, step = 1e-3, mu = 0.4;

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

/* The grains' kinds, one or three of discs; how many. */
static int kinds(const char *name, int kind[3])
{
    int k, n = sizes > 0 ? 3 : 1;

    if (strcmp(name, "O") != 0) {
        kind[0] = grain_shape(&s, name, RADIUS);
        return 1;
    }
    for (k = 0; k < n; k++) kind[k] = grain_round(&s, RADIUS*(1 - k*sizes));
    return n;
}

static void run(view *v, int k, unsigned long long seed, cli_bar *bar)
{
    const char *name = shape[k].name;
    double width = sqrt(grains*shape[k].room/tall)*RADIUS, angle = 90;
    double top = ceil(grains/grain_columns(RADIUS, RADIUS, width - RADIUS))*2.02*RADIUS;
    int    kind[3], n, peg, ground, gate, end, repose, speed, i, j, frames = (int)(10*(settle + seconds));

    grain_begin(&s, step, stiffness, mu, seed);
    n = kinds(name, kind);
    peg = grain_round(&s, PEG);
    ground = grain_wall(&s, DC_CSHAPE_HALFPLANE, 0);
    grain_fence(&s, peg, PEG/2, -PEG, 0, -PEG, top);
    grain_fence(&s, kind[0], 1.8*RADIUS, 0, -RADIUS, 4*width, -RADIUS);
    gate = grain_fence(&s, peg, PEG/2, width + PEG, 0, width + PEG, top);
    end = s.bodies;
    grain_put(&s, ground, DC_GRAIN_DRIVEN, 0, -2*RADIUS, 0, NULL);
    grain_fill(&s, kind, n, (int)grains, RADIUS, width - RADIUS, RADIUS);
    grain_build(&s, -2*PEG, -2*RADIUS, 5*width, top + 2*RADIUS);
    view_run(v, strcmp(name, "hash") == 0 ? "#" : name);
    grain_show(&s, v);
    repose = view_series(v, "angle", "degrees", 0);
    speed = view_series(v, "mean speed", "m/s", 0);
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        double t = 0.1*i - settle;
        if (i > 0) grain_run(&s, 0.1, t > 0 ? 0 : 1);
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
                           {"mu", &mu, 0, 10, "friction"}};
    cli        o = cli_parse(argc, argv, "Columns of grains of four shapes collapse.", "grain_column.html", number, 8);
    view      *v;
    cli_bar    bar;
    int        k;

    if (o.full) { grains = 6300; settle = 8; seconds = 12; }
    if (o.quick) { grains = 120; settle = 2; seconds = 3; }
    v = grain_page(o.out, "Columns of O, U, N and # collapse",
                   "The same friction; the less convex, the steeper. Angle: of the triangle with the heap's centre of mass.", 20);
    bar = cli_bar_begin("column", 4*(settle + seconds), "s");
    for (k = 0; k < 4 && !cli_stopped(); k++) run(v, k, o.seed, &bar);
    cli_bar_end(&bar);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
