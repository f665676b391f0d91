/* Grains: what a description says about pairs, walls, masses and bodies that are not there, one rule a test. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

enum { FLOOR, LIGHT, HEAVY, HOLE, TYPES, FIELDS = 4, BODIES = 5 };

static unsigned char memory[1 << 18], scratch[1 << 18], shapes[1 << 16];
static dc_v2 corner[4] = {{DC_R(-0.5), DC_R(-0.5)}, {DC_R(0.5), DC_R(-0.5)}, {DC_R(0.5), DC_R(0.5)}, {DC_R(-0.5), DC_R(0.5)}};
static dc_v2 ring[32];
static dc_cfield floor_field, hole_field, square_field, round_field, disc_field;

/* squares of 1 m, light and heavy, a floor and a hole that is smaller than they */
typedef struct { dc_grain_type type[TYPES]; dc_grain_pair pair[FIELDS]; int body[BODIES]; dc_grains_desc d; dc_grains g; } scene;
static scene s;

static dc_status open_scene(void)
{
    dc_poly square, disc;
    dc_cshape a = DC_ZERO;
    dc_arena mem = dc_arena_make(shapes, sizeof shapes);
    int n = 0;
    square.v = corner;
    square.n = 4;
    memset(&s, 0, sizeof s);
    if (dc_poly_arc(DC_R(0.45), DC_R(0.1), 1, 32, 32, ring, &n) != DC_OK) return DC_E_ARG;
    disc.v = ring;
    disc.n = n;
    a.kind = DC_CSHAPE_HALFPLANE;
    if (dc_cfield_exact(NULL, &a, &square, &mem, &floor_field) != DC_OK) return DC_E_ARG;
    a.kind = DC_CSHAPE_HOLE;
    a.radius = DC_R(0.3);
    if (dc_cfield_exact(NULL, &a, &square, &mem, &hole_field) != DC_OK) return DC_E_ARG;
    a.kind = DC_CSHAPE_DISC;
    if (dc_cfield_exact(NULL, &a, &square, &mem, &disc_field) != DC_OK) return DC_E_ARG;
    a.kind = DC_CSHAPE_POLY;
    a.poly = square;
    if (dc_cfield_exact(NULL, &a, &square, &mem, &square_field) != DC_OK) return DC_E_ARG;
    a.poly = disc;
    if (dc_cfield_exact(NULL, &a, &disc, &mem, &round_field) != DC_OK) return DC_E_ARG;
    s.type[FLOOR].kind = DC_CSHAPE_HALFPLANE;
    s.type[HOLE].kind = DC_CSHAPE_HOLE;
    s.type[HOLE].radius = a.radius;
    if (dc_grain_type_poly(&square, 1, 1, s.type + LIGHT) != DC_OK || dc_grain_type_poly(&square, 1, 5, s.type + HEAVY) != DC_OK) return DC_E_ARG;
    s.d.type = s.type;
    s.d.types = TYPES;
    s.d.pair = s.pair;
    s.d.body = s.body;
    s.d.h = DC_R(0.001);
    s.d.material.kn = 1000;
    s.d.lo[0] = s.d.lo[1] = -4;
    s.d.hi[0] = s.d.hi[1] = 4;
    return DC_OK;
}

static void add_pair(int a, int b, const dc_cfield *f)
{
    dc_grain_pair *p = s.pair + s.d.pairs++;
    p->a = a;
    p->b = b;
    p->field = f;
}
static void add_body(int type) { s.body[s.d.bodies++] = type; }

static dc_status build(void)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    return dc_grains_build(&s.d, &mem, &s.g);
}

static void put(int i, double x, double y)
{
    s.g.q[3*i + 1] = (dc_real)x;
    s.g.q[3*i + 2] = (dc_real)y;
}

static dc_status step(dc_grains_info *info)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    return dc_grains_step(&s.g, &mem, info);
}

TEST the_first_of_two_pairs_counts(void)
{
    int k;
    for (k = 0; k < 4; ++k) {
        dc_grains_info info;
        const dc_cfield *first = k & 1 ? NULL : &square_field, *second = k & 1 ? &square_field : NULL;
        ASSERT_EQ(DC_OK, open_scene());
        add_pair(LIGHT, HEAVY, first);
        if (k < 2) add_pair(LIGHT, HEAVY, second);
        else add_pair(HEAVY, LIGHT, second);
        add_body(LIGHT);
        add_body(HEAVY);
        ASSERT_EQ(DC_OK, build());
        put(1, 0.9, 0.2);
        ASSERT_EQ(DC_OK, step(&info));
        ASSERT_EQ(first ? 1 : 0, info.contacts);
    }
    PASS();
}

TEST walls_are_driven(void)
{
    ASSERT_EQ(DC_OK, open_scene());
    add_pair(FLOOR, LIGHT, &floor_field);
    add_pair(HOLE, LIGHT, &hole_field);
    add_body(FLOOR);
    add_body(LIGHT);
    add_body(HOLE);
    ASSERT_EQ(DC_OK, build());
    ASSERT(s.g.motion[0] == DC_GRAIN_DRIVEN && s.g.motion[1] == DC_GRAIN_FREE && s.g.motion[2] == DC_GRAIN_DRIVEN);
    PASS();
}

/* whatever its type was made of: what touches is the field's disc of 0.3 m, and it moves */
TEST a_grain_may_be_a_disc_but_no_hole(void)
{
    dc_grains_info info;
    ASSERT_EQ(DC_OK, open_scene());
    add_pair(LIGHT, HEAVY, &disc_field);
    add_body(LIGHT);
    add_body(HEAVY);
    ASSERT_EQ(DC_OK, build());
    put(1, 0.75, 0.1);
    ASSERT_EQ(DC_OK, step(&info));
    ASSERT(info.contacts == 1 && fabs((double)info.deepest - 0.05) < 16*EPS);
    /* mass 1 and 5, force k_n 0.05 = 50 N for 1 ms */
    ASSERT(fabs((double)s.g.v[1] + 0.05) < 64*EPS && fabs((double)s.g.v[4] - 0.01) < 64*EPS);
    s.pair[0].field = &hole_field;
    ASSERT_EQ(DC_E_ARG, build());
    s.pair[0].field = &floor_field;
    ASSERT_EQ(DC_E_ARG, build());
    PASS();
}

/* a grain that does not fit into a hole feels it also in its middle */
TEST holes_smaller_than_grains(void)
{
    dc_grains_info info;
    ASSERT_EQ(DC_OK, open_scene());
    add_pair(HOLE, LIGHT, &hole_field);
    add_body(HOLE);
    add_body(LIGHT);
    ASSERT_EQ(DC_OK, build());
    put(1, 0.01, 0);
    ASSERT_EQ(DC_OK, step(&info));
    ASSERT_EQ(1, info.contacts);
    ASSERT(fabs((double)info.deepest - (hypot(0.51, 0.5) - 0.3)) < 10*EPS);
    PASS();
}

/* With one body of a pair not free the reduced mass is that of the other: damping as with twice its mass as gamma_n, halved. */
TEST reduced_masses_are_of_what_is_free(void)
{
    int driven, reduced;
    for (driven = 0; driven < 3; ++driven) {
        double force[2], mass = driven == 0 ? 5 : driven == 1 ? 1 : 1*5/6.0;
        for (reduced = 0; reduced < 2; ++reduced) {
            ASSERT_EQ(DC_OK, open_scene());
            add_pair(LIGHT, HEAVY, &square_field);
            add_body(LIGHT);
            add_body(HEAVY);
            s.d.reduced_mass = reduced;
            s.d.material.gn = (dc_real)(reduced ? 3 : 3*2*mass);
            ASSERT_EQ(DC_OK, build());
            if (driven < 2) s.g.motion[driven] = DC_GRAIN_DRIVEN;
            put(1, 0.95, 0);
            s.g.v[3*1 + 1] = -2;
            ASSERT_EQ(DC_OK, step(NULL));
            ASSERT_EQ(1, s.g.contacts);
            force[reduced] = (double)s.g.contact[0].fn;
        }
        /* 1000 0.05 of the spring, 3 mass 2 of the damper; the field's gradient is a difference */
        ASSERT(fabs(force[0] - (50 + 6*mass)) < (DC_IS_FLOAT ? 2e-2 : 1e-5)*force[0]);
        ASSERT(fabs(force[1] - force[0]) < 1000*EPS*force[0]);
    }
    PASS();
}

/* those that are not there keep what they have, however far it would take them */
TEST absent_bodies_stay(void)
{
    ASSERT_EQ(DC_OK, open_scene());
    add_pair(LIGHT, LIGHT, &square_field);
    add_body(LIGHT);
    add_body(LIGHT);
    ASSERT_EQ(DC_OK, build());
    s.g.motion[1] = DC_GRAIN_ABSENT;
    put(1, (double)DC_LIMIT, 0.5);
    s.g.v[3*1] = 3;
    s.g.v[3*1 + 1] = DC_LIMIT;
    ASSERT_EQ(DC_OK, step(NULL));
    ASSERT(s.g.q[3*1 + 1] >= DC_LIMIT && dc_abs(s.g.q[3*1]) <= 0 && s.g.v[3*1] >= 3 && s.g.v[3*1 + 1] >= DC_LIMIT);
    PASS();
}

TEST the_deepest_is_the_deepest(void)
{
    int k;
    for (k = 0; k < 3; ++k) {
        dc_grains_info info;
        int i;
        ASSERT_EQ(DC_OK, open_scene());
        add_pair(FLOOR, LIGHT, &floor_field);
        add_pair(LIGHT, LIGHT, &square_field);
        add_body(FLOOR);
        for (i = 0; i < 3; ++i) add_body(LIGHT);
        ASSERT_EQ(DC_OK, build());
        for (i = 0; i < 3; ++i) put(1 + i, 2*i - 2, i == k ? 0.25 : 0.4);
        ASSERT_EQ(DC_OK, step(&info));
        ASSERT_EQ(3, info.contacts);
        ASSERT(fabs((double)info.deepest - 0.25) < 10*EPS);
    }
    PASS();
}

/* the scratch of the largest field, wherever it stands */
TEST step_bytes_are_those_of_the_largest_field(void)
{
    size_t bytes[2];
    int k;
    for (k = 0; k < 2; ++k) {
        dc_arena mem;
        ASSERT_EQ(DC_OK, open_scene());
        if (k) add_pair(LIGHT, HEAVY, &round_field);
        add_pair(FLOOR, LIGHT, &floor_field);
        if (!k) add_pair(LIGHT, HEAVY, &round_field);
        add_body(LIGHT);
        add_body(HEAVY);
        ASSERT_EQ(DC_OK, build());
        put(1, 0.9, 0);
        bytes[k] = dc_grains_step_bytes(&s.g);
        ASSERT(bytes[k] > dc_cfield_eval_bytes(&round_field) && bytes[k] <= sizeof scratch);
        mem = dc_arena_make(scratch, bytes[k]);
        ASSERT_EQ(DC_OK, dc_grains_step(&s.g, &mem, NULL));
    }
    ASSERT_EQ(bytes[0], bytes[1]);
    PASS();
}

/* a domain may be as thin as it likes: the cells are not more than the bodies pay for */
TEST a_thin_domain_needs_no_more_memory(void)
{
    size_t square, thin;
    ASSERT_EQ(DC_OK, open_scene());
    add_pair(LIGHT, LIGHT, &square_field);
    add_body(LIGHT);
    add_body(LIGHT);
    square = dc_grains_bytes(&s.d);
    s.d.hi[0] = DC_R(1e6);
    s.d.lo[1] = DC_R(-1e-6);
    s.d.hi[1] = DC_R(1e-6);
    thin = dc_grains_bytes(&s.d);
    ASSERT(square > 0 && thin > 0 && thin <= square + 64*sizeof(int));
    ASSERT_EQ(DC_OK, build());
    put(0, 999999, 0);
    put(1, 999999.5, 0);
    ASSERT_EQ(DC_OK, step(NULL));
    ASSERT_EQ(1, s.g.contacts);
    PASS();
}

TEST grains_whose_centre_is_above_their_origin_are_refused(void)
{
    dc_v2 v[4];
    dc_poly p;
    dc_grain_type type;
    int k;
    for (k = 0; k < 4; ++k) v[k] = corner[k];
    p.v = v;
    p.n = 4;
    ASSERT_EQ(DC_OK, dc_grain_type_poly(&p, 1, 1, &type));
    v[2].y = v[3].y = 2;
    ASSERT_EQ(DC_E_ARG, dc_grain_type_poly(&p, 1, 1, &type));
    PASS();
}

TEST springs_have_to_begin_with_the_first_body(void)
{
    dc_grains_info info;
    ASSERT_EQ(DC_OK, open_scene());
    add_pair(LIGHT, LIGHT, &square_field);
    add_body(LIGHT);
    add_body(LIGHT);
    ASSERT_EQ(DC_OK, build());
    put(1, 0.9, 0);
    ASSERT_EQ(DC_OK, step(NULL));
    ASSERT_EQ(1, dc_grains_springs(&s.g));
    s.g.spring_row[0] = 1;
    ASSERT_EQ(DC_E_ARG, step(&info));
    ASSERT_EQ(0, info.a);
    PASS();
}

/* Tangents of a body that is not there go through a step as they are. */
TEST absent_bodies_have_derivatives(void)
{
    static double state[1 << 17];
    static unsigned char kept[1 << 17];
    dc_real x[4][2*3 + 1], w[4][2*3 + 1];
    dc_grains_tangent in, out;
    dc_cfield_train_options o = DC_ZERO;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch), keep = dc_arena_make(kept, sizeof kept);
    dc_cfield smooth;
    int k;
    ASSERT_EQ(DC_OK, open_scene());
    o.smooth = 1;
    o.harmonics = 2;
    o.layers = 1;
    o.width = 8;
    o.samples = 1000;
    o.epochs = 1;
    ASSERT(dc_cfield_train_bytes(&o) <= sizeof state);
    ASSERT_EQ(DC_OK, dc_cfield_train_start(&o, &square_field, state));
    ASSERT_EQ(DC_OK, dc_cfield_train(&square_field, state, &mem, NULL, NULL, NULL));
    ASSERT_EQ(DC_OK, dc_cfield_learned(state, &keep, &smooth));
    add_pair(LIGHT, LIGHT, &smooth);
    add_body(LIGHT);
    add_body(LIGHT);
    ASSERT_EQ(DC_OK, build());
    s.g.motion[1] = DC_GRAIN_ABSENT;
    for (k = 0; k < 6; ++k) {
        x[0][k] = (dc_real)(k + 1);
        x[1][k] = (dc_real)(10*k - 7);
    }
    in.q = x[0]; in.v = x[1]; in.spring = x[2];
    out.q = w[0]; out.v = w[1]; out.spring = w[2];
    ASSERT_EQ(DC_OK, dc_grains_jvp(&s.g, &in, &out, &mem, NULL));
    for (k = 0; k < 6; ++k) {
        double q = (double)x[0][k] + (k < 3 ? 0.001 : 0)*(double)x[1][k];
        ASSERT(fabs((double)w[0][k] - q) < 16*EPS*(1 + fabs(q)) && fabs((double)(w[1][k] - x[1][k])) <= 0);
    }
    ASSERT_EQ(DC_OK, dc_grains_vjp(&s.g, &in, &out, &mem, NULL));
    for (k = 0; k < 6; ++k) {
        double v = (double)x[1][k] + (k < 3 ? 0.001 : 0)*(double)x[0][k];
        ASSERT(fabs((double)w[1][k] - v) < 16*EPS*(1 + fabs(v)) && fabs((double)(w[0][k] - x[0][k])) <= 0);
    }
    PASS();
}

SUITE(grains_scene)
{
    RUN_TEST(the_first_of_two_pairs_counts);
    RUN_TEST(walls_are_driven);
    RUN_TEST(a_grain_may_be_a_disc_but_no_hole);
    RUN_TEST(holes_smaller_than_grains);
    RUN_TEST(reduced_masses_are_of_what_is_free);
    RUN_TEST(absent_bodies_stay);
    RUN_TEST(the_deepest_is_the_deepest);
    RUN_TEST(step_bytes_are_those_of_the_largest_field);
    RUN_TEST(a_thin_domain_needs_no_more_memory);
    RUN_TEST(grains_whose_centre_is_above_their_origin_are_refused);
    RUN_TEST(springs_have_to_begin_with_the_first_body);
    RUN_TEST(absent_bodies_have_derivatives);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(grains_scene);
    GREATEST_MAIN_END();
}
