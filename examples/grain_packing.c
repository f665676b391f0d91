/* grain_packing.c - arcs of 25, 50, 75 and 100 % of a circle fall into a column
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, section 8.4: as many grains of each, arcs 0.2 m thick of a circle of 0.7 m, the last one a whole disc. Short arcs nest in each
 * other; three quarters of a circle hardly, and nothing gets into a disc: the column is the higher, the fuller the circle. Height is
 * twice the mean height of the centres. Implicit steps; learned fields, baked: see common/grain_scene.h. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "grain_scene.h"

static grain_scene s;
static double      grains = 100, width = 10, seconds = 8, stiffness = 5e4, step = 4e-3, sweeps = 16, mu = 0.1;

/* The radius about the centroid, m, of an arc of this part of a circle, and its area, m^2. */
static const struct { const char *name; double radius, share; } arc[4] = {
    {"arc25", 0.5694, 0.25}, {"arc50", 0.9160, 0.5}, {"arc75", 0.9603, 0.75}, {"arc100", 0.8, 1}};

/* Twice the mean height of the centres. */
static double height(void)
{
    double sum = 0;
    int    i, n = 0;

    for (i = 0; i < s.bodies; i++) {
        if (!grain_free(&s, i)) continue;
        sum += grain_y(&s, i);
        n++;
    }
    return 2*sum/n;
}

static double run(view *v, int k, unsigned long long seed, cli_bar *bar)
{
    int    grain, wall, tall, speed, solid, i, frames = (int)(10*seconds);
    double top, h = 0;
    char   name[40];

    grain_begin(&s, step, stiffness, mu, seed);
    s.desc.sweeps = (int)sweeps;
    grain = arc[k].share < 1 ? grain_shape(&s, arc[k].name, arc[k].radius) : grain_round(&s, arc[k].radius);
    wall = grain_wall(&s, DC_CSHAPE_HALFPLANE, 0);
    top = ceil(grains/grain_columns(arc[k].radius, arc[k].radius, width - arc[k].radius))*2.02*arc[k].radius;
    grain_put(&s, wall, DC_GRAIN_DRIVEN, 0, 0, 0, NULL);
    grain_put(&s, wall, DC_GRAIN_DRIVEN, -width/2, 0, -GRAIN_PI/2, NULL);
    grain_put(&s, wall, DC_GRAIN_DRIVEN, width/2, 0, GRAIN_PI/2, NULL);
    solid = grain_fill(&s, &grain, 1, (int)grains, -width/2 + arc[k].radius, width/2 - arc[k].radius, arc[k].radius);
    grain_build(&s, -width, 0, width, top + 2);
    snprintf(name, sizeof name, "%g %% of a circle", 100*arc[k].share);
    view_run(v, name);
    {   dc_real rim[8];
        rim[0] = rim[2] = (dc_real)(-width/2); rim[4] = rim[6] = (dc_real)(width/2);
        rim[1] = rim[7] = (dc_real)top; rim[3] = rim[5] = 0;
        view_fixed(v, view_line(v, rim, 4), "#8592a3", grain_pose(0, 0, 0));
    }
    grain_show(&s, v);
    tall = view_series(v, "height", "m", 0);
    speed = view_series(v, "mean speed", "m/s", 0);
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        if (i > 0) grain_run(&s, 0.1, 1);
        grain_draw(&s, v);
        view_value(v, tall, h = height());
        view_value(v, speed, grain_speed(&s));
        view_frame(v, s.time);
        cli_bar_step(bar, k*frames + i);
    }
    grain_report(&s, arc[k].name);
    printf("%s_height %.2f m\n%s_solid_part %.3f 1\n%s_mean_speed %.2g m/s\n", arc[k].name, h, arc[k].name,
           grains*grain_mass(&s, solid)/(h*width), arc[k].name, grain_speed(&s));
    fflush(stdout);
    grain_end(&s);
    return h;
}

int main(int argc, char **argv)
{
    cli_number number[] = {{"grains", &grains, 10, 20000, "in each column"},
                           {"width", &width, 4, 100, "of the columns, m"},
                           {"seconds", &seconds, 1, 1000, "length of the run"},
                           {"stiffness", &stiffness, 1e3, 1e8, "of a contact, N/m"},
                           {"step", &step, 1e-6, 1e-2, "of time, s"},
                           {"sweeps", &sweeps, 0, 1000, "of a step; 0: explicit, of 1 ms at most"},
                           {"mu", &mu, 0, 10, "friction"}};
    cli        o = cli_parse(argc, argv, "Columns of arcs of a circle.", "grain_packing.html", number, 7);
    view      *v;
    cli_bar    bar;
    int        k;

    if (o.full) { grains = 1000; width = 20; seconds = 25; }
    if (o.quick) seconds = 3;
    v = grain_page(o.out, "Arcs of a circle in a column", "As many grains in each. Short arcs nest; nothing gets into a disc.", 20);
    bar = cli_bar_begin("packing", 40*seconds, "frames");
    for (k = 0; k < 4 && !cli_stopped(); k++) run(v, k, o.seed, &bar);
    cli_bar_end(&bar);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
