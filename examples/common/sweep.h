/* sweep.h - what sweep.c and sweep_mpi.c share: random scenes, their blocks, checkpoints, and a sum whose bits are the same for any split
 * SPDX-License-Identifier: MIT OR Unlicense */
#ifndef SWEEP_H_INCLUDED
#define SWEEP_H_INCLUDED

#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#include "cli.h"

enum { SWEEP_BLOCK = 32, SWEEP_STEPS = 60, SWEEP_PUSHES = 30 };         /* scenes of a block; a push lasts two steps */

/* A block's sums: loss and gradient, and how many of its steps did not reach their tolerance. */
typedef struct { double loss, grad[SWEEP_PUSHES]; int done, unsolved; } sweep_sum;

static struct {
    int                scenes, blocks;
    unsigned long long seed;
    sweep_sum         *block;
} sweep;

static inline int sweep_begin(int scenes, unsigned long long seed)
{
    sweep.scenes = scenes;
    sweep.seed = seed;
    sweep.blocks = (scenes + SWEEP_BLOCK - 1)/SWEEP_BLOCK;
    sweep.block = (sweep_sum *)calloc((size_t)sweep.blocks, sizeof *sweep.block);
    return sweep.block == NULL;
}

/* Scene i, from i and the seed alone: its loss and gradient are added to *sum. */
static inline void sweep_scene(int i, sweep_sum *sum)
{
    static unsigned char memory[1 << 21];
    static dc_real       q[(SWEEP_STEPS + 2)*7], loss[SWEEP_STEPS*6], by_control[SWEEP_STEPS*18], force[SWEEP_STEPS][6];
    unsigned long long   random = sweep.seed + 1000003ull*(unsigned long long)i;
    dc_arena             mem = dc_arena_make(memory, sizeof memory);
    dc_v3                corner[8], x;
    dc_hull              hull = DC_ZERO;
    dc_sim_link          link = DC_ZERO;
    dc_sim_plane         ground = {{0, 0, 1}, 0, 0};
    dc_sim_desc          desc = DC_ZERO;
    dc_sim_control       control[SWEEP_STEPS];
    dc_sim_run           run = DC_ZERO;
    dc_sim_roll_info     info = DC_ZERO;
    dc_sim               sim;
    dc_status            s;
    double               side = cli_between(&random, 0.05, 0.1);
    int                  k;

    for (k = 0; k < 8; k++) corner[k] = dc_vec(DC_R(k & 4 ? side : -side), DC_R(k & 2 ? side : -side), DC_R(k & 1 ? side : -side));
    hull.v = corner;
    hull.n = 8;
    link.parent = -1;
    link.hull = &hull;
    link.hulls = 1;
    link.mass = DC_R(cli_between(&random, 0.5, 2));
    link.friction = 1;
    ground.friction = DC_R(cli_between(&random, 0.1, 0.6));
    desc.link = &link;
    desc.links = 1;
    desc.plane = &ground;
    desc.planes = 1;
    desc.h = DC_R(0.01);
    desc.gravity.z = DC_R(-9.81);
    if (dc_sim_build(&desc, &mem, &sim, NULL) != DC_OK) {
        sum->unsolved += SWEEP_STEPS;
        return;
    }

    /* at rest somewhere near the origin, turned about z; the first half of the push is 6 N along x, and 1 N along y that is not sought */
    dc_sim_neutral(&sim, q);
    dc_sincos(DC_R(cli_between(&random, -0.4, 0.4)), &q[3], &q[0]);
    q[4] = DC_R(cli_between(&random, -0.02, 0.02));
    q[5] = DC_R(cli_between(&random, -0.02, 0.02));
    q[6] = DC_R(side) + dc_sim_rest_gap(&sim, link.mass*DC_R(9.81), 4);
    memcpy(q + 7, q, 7*sizeof *q);
    memset(control, 0, sizeof control);
    memset(force, 0, sizeof force);
    memset(loss, 0, sizeof loss);
    for (k = 0; k < SWEEP_STEPS; k++) {
        force[k][0] = k < SWEEP_STEPS/2 ? 6 : 0;
        force[k][1] = k < SWEEP_STEPS/2 ? 1 : 0;
        control[k].force = force[k];
    }
    run.steps = SWEEP_STEPS;
    run.q = q;
    run.control = control;
    run.loss = loss;
    run.control_grad = by_control;
    s = dc_sim_roll(&sim, &run, q, &mem, &info);
    if (s != DC_OK && s != DC_E_DIVERGED) {
        sum->unsolved += SWEEP_STEPS;
        return;
    }
    x = dc_vec(q[(SWEEP_STEPS + 1)*7 + 4] - DC_R(0.3), q[(SWEEP_STEPS + 1)*7 + 5], 0);          /* from the mark */
    loss[(SWEEP_STEPS - 1)*6] = 2*x.x;
    loss[(SWEEP_STEPS - 1)*6 + 1] = 2*x.y;
    if (dc_sim_adjoint(&sim, &run, &mem) != DC_OK) {
        sum->unsolved += SWEEP_STEPS;
        return;
    }
    sum->unsolved += info.diverged;
    sum->loss += (double)dc_dot(x, x);
    for (k = 0; k < SWEEP_STEPS; k++) sum->grad[k/2] += (double)by_control[k*18 + 12];
}

static inline void sweep_block_run(int b)
{
    sweep_sum sum = {0, {0}, 1, 0};
    int       i;

    for (i = b*SWEEP_BLOCK; i < sweep.scenes && i < (b + 1)*SWEEP_BLOCK; i++) sweep_scene(i, &sum);
    sweep.block[b] = sum;
}

/* The blocks of part p of n are p, p + n, p + 2 n ..; its file begins with what sweep it is of. */
static inline FILE *sweep_open(int p, int n, const char *mode, char name[40])
{
    snprintf(name, 40, "sweep.%dof%d", p, n);
    return fopen(name, mode);
}

/* Reads what there is of a part, up to the first block that is not whole: 1: all of it. */
static inline int sweep_read(int p, int n)
{
    char               name[40];
    FILE              *f = sweep_open(p, n, "rb", name);
    int                head[2] = {0, 0}, b;
    unsigned long long seed = 0;

    if (!f) return 0;
    if (fread(head, sizeof head, 1, f) == 1 && fread(&seed, sizeof seed, 1, f) == 1 && head[0] == sweep.scenes && head[1] == n && seed == sweep.seed)
        for (b = p; b < sweep.blocks; b += n) {
            sweep_sum sum;
            if (fread(&sum, sizeof sum, 1, f) != 1 || sum.done != 1) break;
            sweep.block[b] = sum;
        }
    else b = 0;
    (void)fclose(f);
    for (b = p; b < sweep.blocks; b += n) if (!sweep.block[b].done) return 0;
    return 1;
}

/* Computes what is missing of a part and writes each block when it is done; stops after `stop` of them if that is not 0. 1: finished. */
static inline int sweep_part(int p, int n, int stop)
{
    char  name[40];
    FILE *f = sweep_open(p, n, "wb", name);
    int   head[2], b, made = 0, ok;

    head[0] = sweep.scenes;
    head[1] = n;
    ok = f && fwrite(head, sizeof head, 1, f) == 1 && fwrite(&sweep.seed, sizeof sweep.seed, 1, f) == 1;
    for (b = p; ok && b < sweep.blocks && !cli_stopped(); b += n) {
        if (!sweep.block[b].done) {
            if (stop && made == stop) break;
            sweep_block_run(b);
            made++;
        }
        ok = fwrite(&sweep.block[b], sizeof *sweep.block, 1, f) == 1 && fflush(f) == 0;
    }
    if (f) ok &= fclose(f) == 0;
    printf("part %d of %d: %d blocks computed\n", p, n, made);
    return ok && b >= sweep.blocks;
}

/* Adds all blocks in pairs, prints the mean and a hash of its bits. */
static inline int sweep_report(void)
{
    unsigned long long hash = 1469598103934665603ull;
    int                b, k, step;

    for (step = 1; step < sweep.blocks; step *= 2)
        for (b = 0; b + step < sweep.blocks; b += 2*step) {
            sweep_sum *to = &sweep.block[b], *from = &sweep.block[b + step];
            to->loss += from->loss;
            to->unsolved += from->unsolved;
            for (k = 0; k < SWEEP_PUSHES; k++) to->grad[k] += from->grad[k];
        }
    for (k = -1; k < SWEEP_PUSHES; k++) {
        const double   x = k < 0 ? sweep.block[0].loss : sweep.block[0].grad[k];
        unsigned char  byte[sizeof x];
        size_t         i;
        memcpy(byte, &x, sizeof x);
        for (i = 0; i < sizeof x; i++) hash = (hash ^ byte[i])*1099511628211ull;
    }
    printf("scenes %d\nmean_loss %.6g\nmean_gradient %.6g %.6g .. %.6g by the pushes\nsteps_not_solved %d of %ld\nbits %016llx\n", sweep.scenes,
           sweep.block[0].loss/sweep.scenes, sweep.block[0].grad[0]/sweep.scenes, sweep.block[0].grad[1]/sweep.scenes,
           sweep.block[0].grad[SWEEP_PUSHES/2 - 1]/sweep.scenes, sweep.block[0].unsolved, (long)sweep.scenes*SWEEP_STEPS, hash);
    return 0;
}

#endif /* SWEEP_H_INCLUDED */
