/* Grains: descriptions, states and crowds that are refused, with a status and nothing else touched; grains that leave. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

static unsigned char memory[1 << 20], scratch[1 << 18], fields[1 << 14];

static dc_v2 corner[4] = {{DC_R(-0.5), DC_R(-0.5)}, {DC_R(0.5), DC_R(-0.5)}, {DC_R(0.5), DC_R(0.5)}, {DC_R(-0.5), DC_R(0.5)}};
static dc_poly square = {corner, 4};
static dc_cfield field[2];

/* three squares on a half-plane */
typedef struct { dc_grain_type type[2]; dc_grain_pair pair[2]; int body[4]; dc_grains_desc d; } three;
static three scene;

static dc_status three_make(three *s)
{
    dc_arena mem = dc_arena_make(fields, sizeof fields);
    dc_cshape wall = DC_ZERO, shape = DC_ZERO;
    int k;
    memset(s, 0, sizeof *s);
    wall.kind = DC_CSHAPE_HALFPLANE;
    shape.poly = square;
    if (dc_cfield_exact(NULL, &wall, &square, &mem, field) != DC_OK) return DC_E_ARG;
    if (dc_cfield_exact(NULL, &shape, &square, &mem, field + 1) != DC_OK) return DC_E_ARG;
    s->type[0].kind = DC_CSHAPE_HALFPLANE;
    if (dc_grain_type_poly(&square, 0, 0, s->type + 1) != DC_OK) return DC_E_ARG;
    for (k = 0; k < 2; ++k) {
        s->pair[k].a = k;
        s->pair[k].b = 1;
        s->pair[k].field = field + k;
    }
    for (k = 1; k < 4; ++k) s->body[k] = 1;
    s->d.type = s->type;
    s->d.types = 2;
    s->d.pair = s->pair;
    s->d.pairs = 2;
    s->d.body = s->body;
    s->d.bodies = 4;
    s->d.h = DC_R(1e-3);
    s->d.material.kn = s->d.material.kt = 1000;
    s->d.material.mu = DC_R(0.5);
    s->d.lo[0] = s->d.lo[1] = -4;
    s->d.hi[0] = s->d.hi[1] = 4;
    return DC_OK;
}

static dc_status three_build(three *s, dc_grains *g)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_status status = dc_grains_build(&s->d, &mem, g);
    int k;
    for (k = 1; status == DC_OK && k < 4; ++k) {
        g->q[3*k + 1] = (dc_real)(DC_R(0.9)*(dc_real)(k - 2));
        g->q[3*k + 2] = DC_R(0.49);
    }
    return status;
}

TEST bad_descriptions_are_refused(void)
{
    const dc_real bad[3] = {(dc_real)(HUGE_VAL - HUGE_VAL), (dc_real)HUGE_VAL, -1};
    int k;
#define REFUSED(change) do { \
        dc_grains g, same; \
        dc_arena mem = dc_arena_make(memory, sizeof memory); \
        memset(&g, 0x5a, sizeof g); \
        memset(&same, 0x5a, sizeof same); \
        ASSERT_EQ(DC_OK, three_make(&scene)); \
        change; \
        ASSERT_EQ(0, dc_grains_bytes(&scene.d)); \
        ASSERT_EQ(DC_E_ARG, dc_grains_build(&scene.d, &mem, &g)); \
        ASSERT(mem.used == 0 && memcmp(&g, &same, sizeof g) == 0); \
    } while (0)
    REFUSED(scene.d.type = NULL);
    REFUSED(scene.d.types = 0);
    REFUSED(scene.d.types = 5000);
    REFUSED(scene.d.pair = NULL);
    REFUSED(scene.d.pairs = -1);
    REFUSED(scene.d.body = NULL);
    REFUSED(scene.d.bodies = 0);
    REFUSED(scene.d.room = -1);
    REFUSED(scene.d.h = 0);
    REFUSED(scene.body[2] = 2);
    REFUSED(scene.body[2] = -1);
    REFUSED(scene.pair[1].a = 2);
    REFUSED(scene.pair[1].b = -1);
    REFUSED((scene.pair[0].a = 1, scene.pair[0].b = 0));
    REFUSED(scene.pair[0].field = field + 1);                   /* not that of a wall */
    REFUSED(scene.pair[1].field = field);
#ifndef __cplusplus                                             /* there such a value is undefined before it arrives */
    REFUSED(scene.type[1].kind = (dc_cshape_kind)9);
#endif
    REFUSED(scene.type[1].mass = 0);
    REFUSED(scene.type[1].inertia = 0);
    REFUSED(scene.type[1].radius = 0);
    REFUSED(scene.d.hi[1] = scene.d.lo[1]);
    for (k = 0; k < 3; ++k) {
        REFUSED(scene.d.h = bad[k]);
        REFUSED(scene.d.material.gt = bad[k]);
        REFUSED(scene.pair[1].material.kn = bad[k]);
        REFUSED(scene.pair[1].length = bad[k]);
        REFUSED(scene.type[1].mass = bad[k]);
        REFUSED(scene.type[1].inertia = bad[k]);
        REFUSED(scene.type[1].radius = bad[k]);
        if (k < 2) REFUSED(scene.d.gravity[1] = bad[k]);
        if (k < 2) REFUSED(scene.d.lo[0] = bad[k]);
    }
#undef REFUSED
    ASSERT_EQ(0, dc_grains_bytes(NULL));
    PASS();
}

TEST shapes_without_mass_or_off_their_centre_are_refused(void)
{
    dc_v2 v[4];
    dc_poly p;
    dc_grain_type type, same;
    int k;
    p.v = v;
    memset(&type, 0x5a, sizeof type);
    memset(&same, 0x5a, sizeof same);
#define SHAPE(n_, change) do { \
        for (k = 0; k < 4; ++k) v[k] = corner[k]; \
        p.n = n_; \
        change; \
        ASSERT_EQ(DC_E_ARG, dc_grain_type_poly(&p, 1, 1, &type)); \
        ASSERT(memcmp(&type, &same, sizeof type) == 0); \
    } while (0)
    SHAPE(2, (void)0);
    SHAPE(4, (v[1] = corner[3], v[3] = corner[1]));             /* clockwise */
    SHAPE(4, (v[1] = corner[2], v[2] = corner[1]));             /* crosses itself */
    SHAPE(4, v[2].x = (dc_real)HUGE_VAL);
    SHAPE(4, v[2].x = 2);                                       /* centroid elsewhere */
#undef SHAPE
    ASSERT_EQ(DC_E_ARG, dc_grain_type_poly(&square, -1, 1, &type));
    ASSERT_EQ(DC_E_ARG, dc_grain_type_poly(&square, 1, (dc_real)HUGE_VAL, &type));
    ASSERT_EQ(DC_E_ARG, dc_grain_type_poly(NULL, 1, 1, &type));
    ASSERT_EQ(DC_E_ARG, dc_grain_type_poly(&square, 1, 1, NULL));
    ASSERT_EQ(DC_OK, dc_grain_type_poly(&square, 2, 3, &type));
    ASSERT(fabs((double)type.mass - 12) < 100*EPS && fabs((double)type.inertia - 8) < 100*EPS);
    ASSERT(fabs((double)type.radius - sqrt(2)) < 10*EPS);
    PASS();
}

TEST bytes_are_enough_and_no_less(void)
{
    size_t n, used;
    dc_grains g;
    dc_arena mem;
    ASSERT_EQ(DC_OK, three_make(&scene));
    n = dc_grains_bytes(&scene.d);
    ASSERT(n > 0 && n <= sizeof memory);
    mem = dc_arena_make(memory, n + DC_ALIGN - 1);
    ASSERT_EQ(DC_OK, dc_grains_build(&scene.d, &mem, &g));
    used = mem.used;
    mem = dc_arena_make(memory, used - 1);
    ASSERT_EQ(DC_E_MEMORY, dc_grains_build(&scene.d, &mem, &g));
    ASSERT_EQ(0, mem.used);
    /* scratch of a step */
    ASSERT_EQ(DC_OK, three_build(&scene, &g));
    n = dc_grains_step_bytes(&g);
    ASSERT(n > 0 && n <= sizeof scratch);
    mem = dc_arena_make(scratch, n + DC_ALIGN - 1);
    ASSERT_EQ(DC_OK, dc_grains_step(&g, &mem, NULL));
    ASSERT_EQ(0, mem.used);
    mem = dc_arena_make(scratch, 100);
    ASSERT_EQ(DC_E_MEMORY, dc_grains_step(&g, &mem, NULL));
    ASSERT_EQ(0, mem.used);
    PASS();
}

/* a step that fails leaves the state as it was, and one that finds no pairs shows none: 1 */
static int step_fails(dc_grains *g, dc_status want, int a, int b)
{
    static unsigned char before[1 << 14];
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_grains_info info;
    if (g->state_bytes > sizeof before) return 0;
    memcpy(before, g->state, g->state_bytes);
    if (dc_grains_step(g, &mem, &info) != want || info.a != a || info.b != b || (want == DC_E_ARG && g->contacts > 0)) return 0;
    return memcmp(before, g->state, g->state_bytes) == 0 && mem.used == 0;
}

TEST bad_states_are_refused(void)
{
    const dc_real bad[2] = {(dc_real)(HUGE_VAL - HUGE_VAL), (dc_real)-HUGE_VAL};
    dc_grains g;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    int k, i;
    ASSERT_EQ(DC_OK, three_make(&scene));
    for (k = 0; k < 2; ++k)
        for (i = 0; i < 3; ++i) {
            ASSERT_EQ(DC_OK, three_build(&scene, &g));
            g.q[3*2 + i] = bad[k];
            ASSERT(step_fails(&g, DC_E_ARG, 2, -1));
            ASSERT_EQ(DC_OK, three_build(&scene, &g));
            g.v[3*0 + i] = bad[k];
            ASSERT(step_fails(&g, DC_E_ARG, 0, -1));
        }
    ASSERT_EQ(DC_OK, three_build(&scene, &g));
    g.motion[3] = 3;
    ASSERT(step_fails(&g, DC_E_ARG, 3, -1));
    /* springs of a state that was not one */
    ASSERT_EQ(DC_OK, three_build(&scene, &g));
    ASSERT_EQ(DC_OK, dc_grains_step(&g, &mem, NULL));
    ASSERT(dc_grains_springs(&g) > 2);
    g.spring[1] = bad[0];
    ASSERT(step_fails(&g, DC_E_ARG, 1, -1));
    g.spring[1] = 0;
    g.spring_row[2] = 1 << 30;
    ASSERT(step_fails(&g, DC_E_ARG, 1, -1));
    g.spring_row[2] = -1;
    ASSERT(step_fails(&g, DC_E_ARG, 1, -1));
    /* who flies away */
    ASSERT_EQ(DC_OK, three_build(&scene, &g));
    g.q[3*2 + 1] = g.v[3*2 + 1] = DC_LIMIT;
    ASSERT(step_fails(&g, DC_E_RANGE, 2, -1));
    ASSERT_EQ(DC_E_ARG, dc_grains_step(NULL, &mem, NULL));
    ASSERT_EQ(DC_E_ARG, dc_grains_step(&g, NULL, NULL));
    PASS();
}

TEST pairs_that_nobody_described_are_named(void)
{
    dc_grains g;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    ASSERT_EQ(DC_OK, three_make(&scene));
    scene.d.pairs = 1;
    ASSERT_EQ(DC_OK, three_build(&scene, &g));
    ASSERT(step_fails(&g, DC_E_ARG, 1, 2));
    /* out of reach they do not matter */
    g.q[3*1 + 1] = -3;
    g.q[3*3 + 1] = 3;
    ASSERT_EQ(DC_OK, dc_grains_step(&g, &mem, NULL));
    /* described as passing through each other */
    ASSERT_EQ(DC_OK, three_make(&scene));
    scene.pair[1].field = NULL;
    ASSERT_EQ(DC_OK, three_build(&scene, &g));
    ASSERT_EQ(DC_OK, dc_grains_step(&g, &mem, NULL));
    ASSERT_EQ(3, dc_grains_springs(&g));
    PASS();
}

/* within the limits, but within reach of a body so far away, or turned so far the other way, that the pose between
 * them is not: the one further out is named */
TEST bodies_too_far_from_others_are_named(void)
{
    dc_grains g;
    ASSERT_EQ(DC_OK, three_make(&scene));
    ASSERT_EQ(DC_OK, three_build(&scene, &g));
    g.q[3*2] = DC_LIMIT;                /* among the others */
    g.q[3*3] = DC_R(-0.5)*DC_LIMIT;
    ASSERT(step_fails(&g, DC_E_ARG, 2, -1));
    g.q[3*2] = DC_R(0.5)*DC_LIMIT;
    g.q[3*3] = -DC_LIMIT;
    ASSERT(step_fails(&g, DC_E_ARG, 3, -1));
    ASSERT_EQ(DC_OK, three_build(&scene, &g));
    g.q[3*1 + 1] = DC_LIMIT;            /* on the floor */
    g.q[3*0 + 1] = DC_R(-0.5)*DC_LIMIT;
    ASSERT(step_fails(&g, DC_E_ARG, 1, -1));
    PASS();
}

TEST grains_that_leave_are_reported_and_go_on(void)
{
    dc_grains g;
    dc_grains_info info;
    int k;
    ASSERT_EQ(DC_OK, three_make(&scene));
    ASSERT_EQ(DC_OK, three_build(&scene, &g));
    g.q[3*1 + 1] = 30;                  /* two of them, far outside, into each other */
    g.q[3*3 + 1] = DC_R(31.2);
    g.q[3*1 + 2] = g.q[3*3 + 2] = 2;
    g.v[3*1 + 1] = 1;
    for (k = 0; k < 600; ++k) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        ASSERT_EQ(DC_OK, dc_grains_step(&g, &mem, &info));
        ASSERT_EQ(2, info.outside);
        ASSERT_EQ(1, info.a);
    }
    ASSERT(fabs((double)g.v[3*1 + 1]) < 0.01 && fabs((double)g.v[3*3 + 1] - 1) < 0.01);
    PASS();
}

/* thrown out across the edge of the domain, turned round out there, back in among the others */
TEST grains_that_come_back_are_met(void)
{
    dc_grains g;
    dc_grains_info info;
    int k, out = 0, in = 0;
    ASSERT_EQ(DC_OK, three_make(&scene));
    ASSERT_EQ(DC_OK, three_build(&scene, &g));
    for (k = 1; k < 4; ++k) g.q[3*k + 2] = 2;           /* clear of the floor */
    g.q[3*1 + 1] = DC_R(-1.5);
    g.motion[1] = DC_GRAIN_ABSENT;
    g.q[3*3 + 1] = DC_R(3.9);
    g.v[3*3 + 1] = 5;
    for (k = 0; k < 3000; ++k) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        int outside;
        ASSERT_EQ(DC_OK, dc_grains_step(&g, &mem, &info));
        outside = g.q[3*3 + 1] > 4;
        ASSERT_EQ(outside, info.outside);
        ASSERT_EQ(outside ? 3 : -1, info.a);
        if (outside) ++out;
        else if (out > 0 && in++ == 0) ASSERT(k > 500);
        if (g.q[3*3 + 1] > 6) g.v[3*3 + 1] = -5;
        if (g.v[3*2 + 1] < 0) break;                    /* the one in the middle is hit */
    }
    ASSERT(out > 500 && in > 100 && k < 3000);
    for (; k < 3000; ++k) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        ASSERT_EQ(DC_OK, dc_grains_step(&g, &mem, &info));
    }
    /* equal masses, nothing lost: they swap velocities */
    ASSERT(fabs((double)g.v[3*2 + 1] + 5) < 0.05 && fabs((double)g.v[3*3 + 1]) < 0.05);
    PASS();
}

/* n grains of a few pairs' room: how the step ends */
static dc_status crowded(int n, dc_real spread, dc_real dwarf, dc_grains_info *info)
{
    int *body = (int *)malloc((size_t)n*sizeof *body), k;
    unsigned char *room = NULL;
    dc_grain_type type[3];
    dc_arena mem;
    dc_grains g;
    dc_status s = DC_E_DIVERGED;
    rng r;
    rng_seed(&r, 1);
    if (!body || three_make(&scene) != DC_OK) return s;
    memcpy(type, scene.type, sizeof scene.type);
    type[2] = type[1];
    type[2].radius = dwarf;
    for (k = 0; k < n; ++k) body[k] = 2;
    body[0] = 1;
    scene.d.type = type;
    scene.d.types = 3;
    scene.pair[0].a = scene.pair[0].b = scene.pair[1].a = scene.pair[1].b = 2;
    scene.pair[0].field = field + 1;
    scene.d.body = body;
    scene.d.bodies = n;
    scene.d.room = n/10;
    room = (unsigned char *)malloc(dc_grains_bytes(&scene.d));
    if (room) {
        mem = dc_arena_make(room, dc_grains_bytes(&scene.d));
        s = dc_grains_build(&scene.d, &mem, &g);
        if (s == DC_OK) g.motion[0] = DC_GRAIN_ABSENT;
        for (k = 0; s == DC_OK && k < 3*n; ++k) g.q[k] = spread*(dc_real)rng_uniform(&r, -1, 1);
        mem = dc_arena_make(scratch, sizeof scratch);
        if (s == DC_OK) s = dc_grains_step(&g, &mem, info);
        if (s == DC_E_MEMORY && g.contacts > 0) s = DC_E_DIVERGED;
    }
    free(room);
    free(body);
    return s;
}

/* a million on one spot, and a million dwarfs, too small to meet, in the few cells that a giant makes */
TEST crowds_end_in_a_status(void)
{
    int n = (int)sweep_count(1000000);
    dc_grains_info info;
    if (n < 1000) n = 1000;
    ASSERT_EQ(DC_E_MEMORY, crowded(n, 0, DC_R(0.7), &info));
    ASSERT_EQ(n/10 + 1, info.pairs);
    ASSERT_EQ(-1, info.a);
    if (n > 10000) ASSERT_EQ(DC_E_MEMORY, crowded(n, DC_R(0.5), DC_R(1e-6), &info));
    PASS();
}

SUITE(grains_hostile)
{
    RUN_TEST(bad_descriptions_are_refused);
    RUN_TEST(shapes_without_mass_or_off_their_centre_are_refused);
    RUN_TEST(bytes_are_enough_and_no_less);
    RUN_TEST(bad_states_are_refused);
    RUN_TEST(pairs_that_nobody_described_are_named);
    RUN_TEST(bodies_too_far_from_others_are_named);
    RUN_TEST(grains_that_leave_are_reported_and_go_on);
    RUN_TEST(grains_that_come_back_are_met);
    RUN_TEST(crowds_end_in_a_status);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(grains_hostile);
    GREATEST_MAIN_END();
}
