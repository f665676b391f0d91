/* grain_column.c - columns of O, U, N and # collapse when the wall beside them is taken away
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, section 8.2. Printed are the slope of what is left, the angle of a line through the highest grains of the heap, and how far it
 * went. With a few hundred grains the slopes are uncertain by some degrees. The floor is made of fixed grains of
 * the same shape. Learned fields: see common/grain_scene.h. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "grain_scene.h"

#define PEG 0.5                         /* m, radius of the discs of floor and walls */
#define RADIUS 1.0                      /* m, of the grains */

enum { STRIPS = 1000 };

static grain_scene s;
static double      grains = 150, tall = 0.8, settle = 3, seconds = 7, stiffness = 1e5, step = 1e-3, mu = 0.4;

/* The angle, degrees, of the line through the highest grains of strips 2 radii wide, where there are two layers or more. */
static double slope_of_heap(void)
{
    double top[STRIPS] = {0}, n = 0, x = 0, y = 0, xx = 0, xy = 0;
    int    i, k;

    for (i = 0; i < s.bodies; i++) {
        k = (int)(grain_x(&s, i)/(2*RADIUS));
        if (grain_free(&s, i) && k >= 0 && k < STRIPS) top[k] = fmax(top[k], grain_y(&s, i));
    }
    for (k = 0; k < STRIPS && top[k] > 2*RADIUS; k++) {
        n++;
        x += 2*RADIUS*k;
        y += top[k];
        xx += 4*RADIUS*RADIUS*k*k;
        xy += 2*RADIUS*k*top[k];
    }
    return atan2(x*y - n*xy, n*xx - x*x)*180/GRAIN_PI;
}

/* The distance from the wall within which 95 % of the grains are. */
static double front(void)
{
    int    in[STRIPS] = {0}, i, k, n = 0, sum = 0;

    for (i = 0; i < s.bodies; i++) {
        if (!grain_free(&s, i)) continue;
        k = (int)fmax(grain_x(&s, i)/(0.5*RADIUS), 0);
        in[k < STRIPS ? k : STRIPS - 1]++;
        n++;
    }
    for (k = 0; k < STRIPS && sum < 0.95*n; k++) sum += in[k];
    return 0.5*RADIUS*k;
}

static void run(view *v, const char *shape, unsigned long long seed, cli_bar *bar)
{
    /* a grain takes a square of some 1.8 radii */
    double width = sqrt(grains*3.3*RADIUS*RADIUS/tall), top = ceil(grains/grain_columns(RADIUS, RADIUS, width - RADIUS))*2.02*RADIUS, slope = 0;
    int    grain, peg, ground, gate, end, angle, i, k, frames = (int)(10*(settle + seconds));

    grain_begin(&s, step, stiffness, mu, seed);
    grain = strcmp(shape, "O") == 0 ? grain_round(&s, RADIUS) : grain_shape(&s, shape, RADIUS);
    peg = grain_round(&s, PEG);
    ground = grain_wall(&s, DC_CSHAPE_HALFPLANE, 0);
    grain_fence(&s, peg, PEG/2, -PEG, 0, -PEG, top);
    grain_fence(&s, grain, 1.8*RADIUS, 0, -RADIUS, 6*width, -RADIUS);
    gate = grain_fence(&s, peg, PEG/2, width + PEG, 0, width + PEG, top);
    end = s.bodies;
    grain_put(&s, ground, DC_GRAIN_DRIVEN, 0, -2*RADIUS, 0, NULL);
    grain_fill(&s, &grain, 1, (int)grains, RADIUS, width - RADIUS, RADIUS);
    grain_build(&s, -2*PEG, -2*RADIUS, 8*width, top + 2*RADIUS);
    view_run(v, shape);
    grain_show(&s, v);
    angle = view_series(v, "slope", "degrees", 0);
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        double t = 0.1*i - settle;
        if (i > 0) grain_run(&s, 0.1, t > 0 ? 0 : 1);
        for (k = gate; k < end && t >= 0; k++) s.g.motion[k] = DC_GRAIN_ABSENT;
        slope = t > 0 ? slope_of_heap() : 90;
        grain_draw(&s, v);
        view_value(v, angle, slope);
        view_frame(v, s.time);
        cli_bar_step(bar, s.time);
    }
    grain_report(&s, shape);
    printf("%s_slope %.1f degrees\n%s_front %.2f m\n%s_mean_speed %.2g m/s\n", shape, slope, shape, front(), shape, grain_speed(&s));
    fflush(stdout);
    grain_end(&s);
}

int main(int argc, char **argv)
{
    static const char *shape[4] = {"O", "U", "N", "hash"};
    cli_number number[] = {{"grains", &grains, 10, 50000, "in each column"},
                           {"tall", &tall, 0.2, 10, "height of the columns over their width, about"},
                           {"settle", &settle, 1, 100, "seconds before the wall is taken away"},
                           {"seconds", &seconds, 1, 1000, "after that"},
                           {"stiffness", &stiffness, 1e3, 1e8, "of a contact, N/m"},
                           {"step", &step, 1e-6, 1e-2, "of time, s"},
                           {"mu", &mu, 0, 10, "friction"}};
    cli        o = cli_parse(argc, argv, "Columns of grains of four shapes collapse.", "grain_column.html", number, 7);
    view      *v;
    cli_bar    bar;
    int        k;

    if (o.full) { grains = 6300; settle = 15; seconds = 20; }
    if (o.quick) seconds = settle = 3;
    v = grain_page(o.out, "Columns of O, U, N and # collapse", "The same friction; slope is that of a line through the highest grains.", 20);
    bar = cli_bar_begin("column", settle + seconds, "s");
    for (k = 0; k < 4 && !cli_stopped(); k++) run(v, shape[k], o.seed, &bar);
    cli_bar_end(&bar);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
