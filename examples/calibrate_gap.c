/* calibrate_gap.c - how far above the floor a body of dc_sim.h rests, and which length and stiffness give the gap that one wants
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Contact is a potential k P(gap/length): bodies never touch, they rest where it carries their weight. dc_sim_rest_gap solves for that
 * gap, dc_sim_rest_stiffness for the stiffness k of a wanted one. Both are compared here with where a box has come to after a second:
 *
 *     length      of contact, m: two hulls feel it from 2s/(1-s) = 0.22 lengths on, a hull and a plane from s = 0.1. Choose it first:
 *                 the gap is a part of that reach
 *     stiffness   k, J: moves the gap little, from a half to all of the reach over the table below
 *     0           length: 0.025 diameters of the smallest hull, k: the weight of the lightest body times that
 *     step h      below sqrt(length/g) a body that was placed too near is thrown, above it is let out gently */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#include "cli.h"

#define SIDE 0.1

static unsigned char memory[1 << 18];

/* A box of `mass` over the floor; 0 for stiffness and length: chosen by dc_sim_build. */
static dc_status build(double mass, double stiffness, double length, dc_arena *mem, dc_sim *sim)
{
    dc_v3        corner[8];
    dc_hull      hull = DC_ZERO;
    dc_sim_link  link = DC_ZERO;
    dc_sim_plane ground = {{0, 0, 1}, 0, DC_R(0.5)};
    dc_sim_desc  desc = DC_ZERO;
    int          i;

    for (i = 0; i < 8; i++) corner[i] = dc_vec(DC_R(i & 4 ? SIDE/2 : -SIDE/2), DC_R(i & 2 ? SIDE/2 : -SIDE/2), DC_R(i & 1 ? SIDE/2 : -SIDE/2));
    hull.v = corner;
    hull.n = 8;
    link.parent = -1;
    link.hull = &hull;
    link.hulls = 1;
    link.mass = DC_R(mass);
    link.friction = 1;
    desc.link = &link;
    desc.links = 1;
    desc.plane = &ground;
    desc.planes = 1;
    desc.h = DC_R(0.01);
    desc.gravity.z = DC_R(-9.81);
    desc.stiffness = DC_R(stiffness);
    desc.length = DC_R(length);
    return dc_sim_build(&desc, mem, sim, NULL);
}

/* The gap a second after it was placed at rest half as high again as `gap`; its last speed in *speed. */
static double rests(const dc_sim *sim, double gap, dc_arena *mem, double *speed)
{
    dc_real q[3][7];
    int     i, steps = 100;

    dc_sim_neutral(sim, q[0]);
    q[0][6] = DC_R(SIDE/2 + 1.5*gap);
    memcpy(q[1], q[0], sizeof q[0]);
    for (i = 0; i < steps; i++)
        if (dc_sim_step(sim, q[i%3], q[(i + 1)%3], NULL, mem, q[(i + 2)%3], NULL) != DC_OK) return -1;
    *speed = ((double)q[(steps + 1)%3][6] - (double)q[steps%3][6])/0.01;
    return (double)q[(steps + 1)%3][6] - SIDE/2;
}

int main(int argc, char **argv)
{
    static const double masses[3] = {0.1, 1, 100}, lengths[3] = {0, 0.01, 0.1}, stiffnesses[4] = {0, 1e-2, 1, 100};
    double     wanted = 3e-4, worst = 0, speed;
    cli_number number[] = {{"gap", &wanted, 1e-6, 1, "to find a stiffness for, m"}};
    int        a, b, c;

    (void)cli_parse(argc, argv, "Where a box of 0.1 m rests above the floor, by length, stiffness and mass.", NULL, number, 1);
    printf("%8s %9s %6s   %12s %12s %8s\n", "length", "stiffness", "kg", "formula, m", "after 1 s, m", "m/s");
    for (a = 0; a < 3; a++)
        for (b = 0; b < 4; b++)
            for (c = 0; c < 3; c++) {
                dc_arena mem = dc_arena_make(memory, sizeof memory);
                dc_sim   sim;
                double   formula, found;
                if (build(masses[c], stiffnesses[b], lengths[a], &mem, &sim) != DC_OK) return cli_error("no model");
                formula = (double)dc_sim_rest_gap(&sim, DC_R(masses[c]*9.81), 4);
                found = rests(&sim, formula, &mem, &speed);
                worst = fmax(worst, fabs(found/formula - 1));
                printf("%8.4g %9.4g %6.4g   %12.4g %12.4g %8.1e\n", (double)sim.desc.length, (double)sim.desc.stiffness, masses[c], formula, found, speed);
            }
    printf("gap_off_the_formula %.2g 1\n", worst);

    /* the other way round: 1 kg at the gap that was asked for, with the default length */
    {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_sim   sim;
        double   k, found;
        if (build(1, 0, 0, &mem, &sim) != DC_OK) return cli_error("no model");
        k = (double)dc_sim_rest_stiffness(&sim, DC_R(wanted), DC_R(9.81), 4);
        if (!(k > 0)) return cli_error("with a length of %g contact is not felt at %g m", (double)sim.desc.length, wanted);
        mem = dc_arena_make(memory, sizeof memory);
        if (build(1, k, 0, &mem, &sim) != DC_OK) return cli_error("no model");
        found = rests(&sim, wanted, &mem, &speed);
        printf("wanted %g m\nstiffness %.4g J\nrests_at %.4g m\n", wanted, k, found);
        worst = fmax(worst, fabs(found/wanted - 1));
    }
    if (!(worst < 0.02)) return cli_error("a gap is off by %g of it", worst);
    return cli_exit(CLI_DONE);
}
