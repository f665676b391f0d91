/* A step of grains whose middle parts two threads share, each with its own scratch: the bits of a step in one go. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WALLS = 3, ACROSS = 6, GRAINS = 48, STEPS = 150 };

static dc_v2 corner[DC_POLY_NAMED_MOST];
static dc_poly star;
static dc_cfield field[2];
static unsigned char of_fields[1 << 16], of_grains[2][1 << 20];

static dc_status make(dc_grains *g, unsigned char *memory)
{
    dc_grain_type type[2] = {DC_ZERO, DC_ZERO};
    dc_grain_pair pair[2] = {DC_ZERO, DC_ZERO};
    dc_grains_desc d = DC_ZERO;
    dc_arena mem = dc_arena_make(memory, sizeof of_grains[0]);
    int body[WALLS + GRAINS], k;
    dc_status s;
    type[0].kind = DC_CSHAPE_HALFPLANE;
    s = dc_grain_type_poly(&star, 1, 1, type + 1);
    if (s != DC_OK) return s;
    for (k = 0; k < WALLS + GRAINS; ++k) body[k] = k >= WALLS;
    for (k = 0; k < 2; ++k) {
        pair[k].a = k;
        pair[k].b = 1;
        pair[k].field = field + k;
    }
    d.type = type;
    d.pair = pair;
    d.types = d.pairs = 2;
    d.body = body;
    d.bodies = WALLS + GRAINS;
    d.h = DC_R(2e-3);
    d.gravity[1] = DC_R(-9.81);
    d.material.kn = d.material.kt = 5000;
    d.material.gn = d.material.gt = 30;
    d.material.mu = DC_R(0.5);
    d.hi[0] = 2*ACROSS;
    d.hi[1] = 40;
    s = dc_grains_build(&d, &mem, g);
    if (s != DC_OK) return s;
    g->q[3] = DC_R(-1.5707963267948966);        /* floor, left, right */
    g->q[6] = DC_R(1.5707963267948966);
    g->q[7] = 2*ACROSS;
    for (k = 0; k < GRAINS; ++k) {
        dc_real *q = g->q + 3*(WALLS + k);
        q[0] = (dc_real)k;
        q[1] = (dc_real)(2*(k%ACROSS) + 1);
        q[2] = (dc_real)(1.5*(k/ACROSS) + 1);
    }
    return DC_OK;
}

/* every second block, every second run of bodies; and the same once more for the forces, which need all blocks */
typedef struct { dc_grains *g; int first, sum, bad; unsigned char memory[1 << 16]; } worker;
static worker one, two;

static void *work(void *user)
{
    worker *w = (worker *)user;
    dc_arena mem = dc_arena_make(w->memory, sizeof w->memory);
    int k, n = w->g->desc.bodies;
    for (k = w->first; !w->sum && k < w->g->blocks; k += 2) w->bad += dc_grains_meet(w->g, k, k + 1, &mem) != DC_OK;
    for (k = 5*w->first; w->sum && k < n; k += 10) dc_grains_sum(w->g, k, k + 5 < n ? k + 5 : n);
    return NULL;
}

int main(void)
{
    dc_arena mem = dc_arena_make(of_fields, sizeof of_fields);
    dc_cshape wall = DC_ZERO, shape = DC_ZERO;
    dc_grains alone, shared;
    dc_grains_info info;
    int step, touched = 0;
    star.v = corner;
    wall.kind = DC_CSHAPE_HALFPLANE;
    if (dc_poly_named("star", DC_POLY_NAMED_MOST, corner, &star.n) != DC_OK) return 2;
    shape.poly = star;
    if (dc_cfield_exact(NULL, &wall, &star, &mem, field) != DC_OK || dc_cfield_exact(NULL, &shape, &star, &mem, field + 1) != DC_OK) return 2;
    if (make(&alone, of_grains[0]) != DC_OK || make(&shared, of_grains[1]) != DC_OK) return 2;
    one.g = two.g = &shared;
    two.first = 1;
    for (step = 0; step < STEPS; ++step) {
        mem = dc_arena_make(one.memory, sizeof one.memory);
        if (dc_grains_step(&alone, &mem, &info) != DC_OK || dc_grains_find(&shared, NULL) != DC_OK) return 3;
        touched += info.contacts;
        for (one.sum = two.sum = 0; one.sum < 2; ++one.sum, ++two.sum) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, work, &one) != 0) return 4;
            work(&two);
            pthread_join(thread, NULL);
        }
        if (dc_grains_advance(&shared, NULL) != DC_OK || one.bad + two.bad) return 5;
        if (memcmp(alone.state, shared.state, alone.state_bytes) != 0) {
            printf("step %d: other bits\n", step);
            return 1;
        }
    }
    printf("note %d contacts in the last of %d steps\n", info.contacts, STEPS);
    return touched < 10*STEPS;
}
