/* grain_drum.c - grains of many shapes in a turning drum
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, section 8.5: nine shapes and the discs the drum is made of, which are driven around. Each pair of shapes has a field of
 * its own, those of discs exact, 36 learned, of 15 KB each; --shapes takes fewer. Printed is the slope of the grains, which is
 * the angle by which their centre of mass is lifted aside, seen from the axis, and how far the lower half of them at the
 * start has mixed with the upper one. The learned fields are read from examples/fields and baked into splines, a tenth of a second
 * each, for implicit steps. Memory, the list of bodies and the page are common/grain_scene.h's. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "grain_scene.h"

#define PEG 0.15                        /* m, radius of the discs of the drum, one beside the other */
#define RADIUS 0.5                      /* m, of the grains */

static grain_scene s;

/* How types a and b touch: exactly where a is round, or else by a learned field. */
static void touch(int a, int b)
{
    if (s.kind[a].round) grain_exact(&s, a, b);
    else grain_baked(&s, a, b, NULL);
}

/* degrees from straight below the axis, in the sense of turning */
static double slope(void)
{
    double x = 0, y = 0;
    int    i;

    for (i = 0; i < s.bodies; i++) {
        if (!grain_free(&s, i)) continue;
        x += grain_mass(&s, i)*grain_x(&s, i);
        y += grain_mass(&s, i)*grain_y(&s, i);
    }
    return atan2(x, -y)*180/GRAIN_PI;
}

/* Of the neighbours of grains, the part that comes from the other half, over what it is if they lie at random. */
static double mixing(int first)
{
    double other = 0, all = 0, n = s.bodies - first;
    int    i, j, middle = first + (s.bodies - first)/2;

    for (i = first; i < s.bodies; i++)
        for (j = i + 1; j < s.bodies; j++) {
            if (hypot(grain_x(&s, i) - grain_x(&s, j), grain_y(&s, i) - grain_y(&s, j)) > 2.2*RADIUS) continue;
            other += i < middle && j >= middle;
            all++;
        }
    return other/fmax(all, 1)*2*(n - 1)/n;
}

int main(int argc, char **argv)
{
    static const char *name[9] = {"O", "U", "N", "hash", "D", "arc50", "arc75", "octagon", "star"};
    double     grains = 200, shapes = 9, seconds = 20, settle = 0, omega = 0, stiffness = 5e4, mu = 0.1, step = 2e-3, sweeps = 16;
    cli_number number[] = {{"grains", &grains, 60, 20000, "in the drum"},
                           {"shapes", &shapes, 1, 9, "of them"},
                           {"seconds", &seconds, 1, 1000, "length of the run"},
                           {"settle", &settle, 0, 1000, "seconds at the start with drag, so that grains fall slowly"},
                           {"omega", &omega, 0, 10, "rad/s; 0: a tenth of gravity at the rim"},
                           {"stiffness", &stiffness, 1e3, 1e8, "of a contact, N/m"},
                           {"step", &step, 1e-6, 1e-2, "of time, s"},
                           {"sweeps", &sweeps, 0, 1000, "of a step; 0: explicit, of 1 ms at most"},
                           {"mu", &mu, 0, 10, "friction"}};
    cli        o = cli_parse(argc, argv, "Grains of many shapes in a turning drum.", "grain_drum.html", number, 9);
    view      *v;
    cli_bar    bar;
    dc_grains_desc *d = &s.desc;
    dc_arena   work;
    double     drum, begun, least = 180, most = -180, angle = 0, sum = 0, mixed = 0, begin = 0;
    int        kind[9], peg, first, i, k, frames, steps, pegs, lift, mix, late = 0;

    /* a fall through the large drum breaks through its wall where springs are soft */
    if (o.full) { grains = 1027; seconds = 40; settle = 6; stiffness = 2e5; step = 1e-3; }
    if (o.quick) { grains = 90; shapes = 4; seconds = 12; }
    frames = (int)(10*seconds);
    steps = (int)(0.1/step + 0.5);
    /* a grain takes a square of some 1.8 radii, and all of them two fifths of the drum */
    drum = sqrt(3.3*RADIUS*RADIUS*grains/(0.4*GRAIN_PI));
    if (!(omega > 0)) omega = sqrt(0.981/drum);
    grain_open(&s, o.seed);

    /* types and their pairs; the discs of the drum do not touch each other */
    for (k = 0; k < (int)shapes; k++) kind[k] = grain_outline(&s, name[k], RADIUS);
    peg = grain_outline(&s, "O", PEG);
    for (k = 0; k < (int)shapes; k++) {
        touch(peg, kind[k]);
        for (i = k; i < (int)shapes; i++) touch(kind[k], kind[i]);
    }

    /* bodies */
    pegs = (int)(GRAIN_PI*(drum + PEG)/PEG);
    for (k = 0; k < pegs; k++) {
        double turn = 2*GRAIN_PI*k/pegs;
        grain_put(&s, peg, DC_GRAIN_DRIVEN, (drum + PEG)*cos(turn), (drum + PEG)*sin(turn), 0,
                  8*k%pegs >= 8 ? "#8592a3" : "#d64f6b");
    }
    first = grain_fill(&s, kind, (int)shapes, (int)grains, -0.6*drum, 0.6*drum, -0.6*drum);
    /* shapes change places, so that none keeps to a column */
    for (i = s.bodies - 1; i > first; i--) {
        int j = first + (int)((i - first + 1)*grain_random(&s)), held = s.body[i];
        s.body[i] = s.body[j];
        s.body[j] = held;
    }
    for (i = first; i < s.bodies; i++)
        s.start[i].colour = i - first < (s.bodies - first)/2 ? "#3b7dd8" : "#e8833a";

    /* at 4 ms such small ones overlap by a third of their radius */
    for (k = 0; k < 2; k++) {
        d->hi[k] = (dc_real)(drum + 2*PEG);
        d->lo[k] = -d->hi[k];
    }
    grain_build(&s, step, sweeps, stiffness, mu, 0);
    work = grain_memory(&s, dc_grains_step_bytes(&s.g));
    s.turn.end = pegs;
    s.turn.omega = omega;

    v = grain_page(o.out, "Grains of many shapes in a turning drum",
                   "Each pair of shapes, and each shape with the discs of the drum, has a contact field of its own. "
                   "Orange: the upper half at the start.", 20);
    grain_show(&s, v);
    lift = view_series(v, "slope of the grains", "degrees", 0);
    mix = view_series(v, "mixed (1: as at random)", "", 0);
    bar = cli_bar_begin("drum", frames, "frames");
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        begun = cli_seconds();
        for (k = 0; i > 0 && k < steps; k++) {
            grain_turn(&s);
            grain_count(&s, dc_grains_step(&s.g, &work, &s.info));
            if (s.time < settle) grain_slow(&s, 1);
        }
        s.seconds += cli_seconds() - begun;
        angle = slope();
        mixed = mixing(first);
        if (i == 0) begin = mixed;
        if (2*i > frames) {
            sum += angle;
            late++;
            least = fmin(least, angle);
            most = fmax(most, angle);
        }
        grain_draw(&s, v);
        view_value(v, lift, angle);
        view_value(v, mix, mixed);
        view_frame(v, s.time);
        cli_bar_step(&bar, i);
    }
    cli_bar_end(&bar);
    for (i = first, k = 0; i < s.bodies; i++) k += hypot(grain_x(&s, i), grain_y(&s, i)) > drum;
    grain_report(&s, "drum");
    printf("drum_radius %.2f m\ndrum_turns %.2f 1\ndrum_escaped %d grains\n", drum, omega*s.time/(2*GRAIN_PI), k);
    printf("slope_mean %.1f degrees\nslope_least %.1f degrees\nslope_most %.1f degrees\n", sum/(late > 0 ? late : 1), least, most);
    printf("mixed_begin %.2f 1\nmixed_end %.2f 1\ndrum_wall_time %.1f s\n", begin, mixed, s.seconds);
    if (view_close(v) != 0) return CLI_FAILED;
    grain_end(&s);
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
