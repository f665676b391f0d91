/* grain_packing.c - arcs of 25, 50, 75 and 100 % of a circle fall into a column
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, section 8.4: as many grains of each, arcs 0.2 m thick of a circle of 0.7 m, the last one a whole disc. Short
 * arcs nest in each other; three quarters of a circle hardly, and nothing gets into a disc: the column is the higher,
 * the fuller the circle. Height is twice the mean height of the centres.
 * The field of two arcs is learned, read from examples/fields, and baked into a spline for implicit steps; that of two
 * discs is exact. Built with -fopenmp, steps use all processors (advance, below), with the same bits on any number of
 * them. Memory, the list of bodies and the page are common/grain_scene.h's. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "grain_scene.h"
#ifdef _OPENMP                          /* a loop over n shares, each a thread's */
#include <omp.h>
#define IN_PARALLEL _Pragma("omp parallel for schedule(static, 1) if (n > 1)")
#else
#define IN_PARALLEL
#endif

static grain_scene s;
static double      grains = 100, width = 10, seconds = 8, stiffness = 5e4, step = 4e-3, sweeps = 16, mu = 0.1;

/* The radius about the centroid, m, of an arc of this part of a circle. */
static const struct { const char *name, *outline; double radius, share; } arc[4] = {
    {"arc25", "arc25", 0.5694, 0.25}, {"arc50", "arc50", 0.9160, 0.5}, {"arc75", "arc75", 0.9603, 0.75},
    {"arc100", "O", 0.8, 1}};

/* The types: grains, and the ground and the walls, which are half-planes. */
enum { GRAIN, WALL };

/* ---- the grains -------------------------------------------------------------------------------------- */

/* Types and how they touch. */
static void types(int k)
{
    grain_outline(&s, arc[k].outline, arc[k].radius);
    grain_halfplane(&s);
    if (s.kind[GRAIN].round) grain_exact(&s, GRAIN, GRAIN);     /* as fast as a spline, and not to be baked into one */
    else if (sweeps > 0) grain_baked(&s, GRAIN, GRAIN, NULL);   /* implicit steps want a gradient that does not jump */
    else {
        const dc_cfield network = grain_learned(&s, GRAIN, GRAIN);
        *grain_field(&s, GRAIN, GRAIN) = network;
    }
    grain_exact(&s, WALL, GRAIN);
}

/* Bodies: the ground, two walls, rows of grains between them. */
static void bodies(int k)
{
    const int kind = GRAIN;

    grain_put(&s, WALL, DC_GRAIN_DRIVEN, 0, 0, 0, NULL);
    grain_put(&s, WALL, DC_GRAIN_DRIVEN, -width/2, 0, -GRAIN_PI/2, NULL);
    grain_put(&s, WALL, DC_GRAIN_DRIVEN, width/2, 0, GRAIN_PI/2, NULL);
    grain_fill(&s, &kind, 1, (int)grains, -width/2 + arc[k].radius, width/2 - arc[k].radius, arc[k].radius);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

enum { THREADS = 8 };
static dc_arena work[THREADS];          /* scratch, of each thread its own */
static int      threads;

static void share_out(void)
{
    int k;

    threads = 1;
#ifdef _OPENMP
    threads = omp_get_max_threads() < THREADS ? omp_get_max_threads() : THREADS;
#endif
    for (k = 0; k < threads; k++) work[k] = grain_memory(&s, dc_grains_step_bytes(&s.g));
}

/* Where share k of n begins, of `all`; it ends where the next begins. */
static int part(int all, int k, int n) { return (int)((long)all*k/n); }

/* Fields and forces of all pairs within reach. */
static dc_status meet(void)
{
    dc_status status[THREADS];
    int       k, n = threads;

    IN_PARALLEL
    for (k = 0; k < n; k++)
        status[k] = dc_grains_meet(&s.g, part(s.g.blocks, k, n), part(s.g.blocks, k + 1, n), &work[k]);
    for (k = 0; k < n && status[k] == DC_OK; k++) continue;
    return k < n ? status[k] : DC_OK;
}

/* Velocities of all bodies at the forces so far. */
static void sum(int n)
{
    int k;

    IN_PARALLEL
    for (k = 0; k < n; k++) dc_grains_sum(&s.g, part(s.bodies, k, n), part(s.bodies, k + 1, n));
}

/* Better forces of all contacts at those velocities. */
static void sweep(int n)
{
    int k;

    IN_PARALLEL
    for (k = 0; k < n; k++) dc_grains_sweep(&s.g, part(s.g.contacts, k, n), part(s.g.contacts, k + 1, n));
}

/* dc_grains_step in its parts, those in the middle shared out: the bits do not depend on how. On one processor
 * dc_grains_step(&s.g, &work[0], &s.info) is all of this. */
static dc_status advance(void)
{
    const int enough = 1 + s.bodies/1000;       /* threads: with fewer bodies each they wait for each other */
    const int n = threads < enough ? threads : enough;
    dc_status status;
    int       k;

    status = dc_grains_find(&s.g, &s.info);
    if (status == DC_OK) status = meet();
    if (status != DC_OK) return status;
    for (k = 0; k < s.desc.sweeps; k++) {
        sum(n);
        sweep(n);
    }
    sum(n);
    return dc_grains_advance(&s.g, &s.info);
}

/* ---- a column ---------------------------------------------------------------------------------------- */

/* Twice the mean height of the centres. */
static double height(void)
{
    double total = 0;
    int    i, n = 0;

    for (i = 0; i < s.bodies; i++) {
        if (!grain_free(&s, i)) continue;
        total += grain_y(&s, i);
        n++;
    }
    return 2*total/n;
}

static void run(view *v, int k, unsigned long long seed, cli_bar *bar)
{
    double  r = arc[k].radius, top = ceil(grains/grain_columns(r, r, width - r))*2.02*r, h = 0;
    int     tall, speed, i, j, frames = (int)(10*seconds), steps = (int)(0.1/step + 0.5);
    char    name[40];
    dc_real rim[8];

    grain_open(&s, seed);
    types(k);
    bodies(k);
    s.desc.lo[0] = (dc_real)-width;
    s.desc.hi[0] = (dc_real)width;
    s.desc.hi[1] = (dc_real)(top + 2);
    grain_build(&s, step, sweeps, stiffness, mu, 0);
    share_out();

    snprintf(name, sizeof name, "%g %% of a circle", 100*arc[k].share);
    view_run(v, name);
    rim[0] = rim[2] = (dc_real)(-width/2);
    rim[4] = rim[6] = (dc_real)(width/2);
    rim[1] = rim[7] = (dc_real)top;
    rim[3] = rim[5] = 0;
    view_fixed(v, view_line(v, rim, 4), "#8592a3", grain_pose(0, 0, 0));
    grain_show(&s, v);
    tall = view_series(v, "height", "m", 0);
    speed = view_series(v, "mean speed", "m/s", 0);
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        double begin = cli_seconds();
        for (j = 0; i > 0 && j < steps; j++) {
            grain_count(&s, advance());
            grain_slow(&s, 1);
        }
        s.seconds += cli_seconds() - begin;
        h = height();
        grain_draw(&s, v);
        view_value(v, tall, h);
        view_value(v, speed, grain_speed(&s));
        view_frame(v, s.time);
        cli_bar_step(bar, k*frames + i);
    }
    grain_report(&s, arc[k].name);
    printf("%s_height %.2f m\n%s_solid_part %.3f 1\n%s_mean_speed %.2g m/s\n", arc[k].name, h, arc[k].name,
           grains*(double)s.type[GRAIN].mass/(h*width), arc[k].name, grain_speed(&s));
    fflush(stdout);
    grain_end(&s);
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
    v = grain_page(o.out, "Arcs of a circle in a column",
                   "As many grains in each. Short arcs nest; nothing gets into a disc.", 20);
    bar = cli_bar_begin("packing", 40*seconds, "frames");
    for (k = 0; k < 4 && !cli_stopped(); k++) run(v, k, o.seed, &bar);
    cli_bar_end(&bar);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
