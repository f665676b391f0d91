/* Jacobians of a step against differences of whole steps for robots in contact: an ant on the ground, a gripper that holds and lifts
 * an object; by all parameters and every vertex, both potentials, both mass models. The ant's adjoint over 100 steps. */
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
#include "machine.h"
#include "jacobian.h"

static dc_sim_link *limb(int parent, dc_v3 at, dc_v3 axis, dc_v3 centre, dc_v3 half, double mass, dc_sim_mass model)
{
    dc_sim_link *l = machine_link(&m, parent, DC_SIM_HINGE, at);
    l->axis = axis;
    l->mass = (dc_real)mass;
    l->model = model;
    l->kp = 20;
    l->kd = DC_R(0.5);
    l->damping = DC_R(0.02);
    machine_box(&m, centre, half);
    return l;
}

/* All of it takes 50 s: that is for DC_TEST_SWEEP of 10. Else two of the four runs, slow builds one, with some of the columns, and all columns at once. */
static int whole(void) { return sweep_count(100) >= 1000; }
static int runs(void) { return sweep_count(100) < 100 ? 1 : 4; }
static void set_depth(step_case *c, int run, double first)
{
    c->first = whole() ? first : 0;
    c->sparse = !whole();
    c->every = whole() ? 0 : run ? 431 : 17;
}

/* Trunk, four legs of hip and knee, the front ones with a foot: 6 + 8 + 2 freedoms. */
static void ant(int global, dc_sim_mass model)
{
    dc_sim_link *l;
    int k, hip;
    machine_open(&m);
    l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
    l->mass = 2;
    l->model = model;
    machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.2), DC_R(0.12), DC_R(0.05)));
    for (k = 0; k < 4; ++k) {
        dc_real x = k & 1 ? DC_R(0.15) : DC_R(-0.15), y = k & 2 ? DC_R(1.0) : DC_R(-1.0);
        limb(0, dc_vec(x, DC_R(0.15)*y, 0), dc_vec(0, DC_R(0.1), 1), dc_vec(0, DC_R(0.08)*y, 0), dc_vec(DC_R(0.025), DC_R(0.06), DC_R(0.02)), 0.2, model);
        hip = m.desc.links - 1;
        l = limb(hip, dc_vec(0, DC_R(0.17)*y, 0), dc_vec(1, 0, DC_R(0.05)), dc_vec(0, DC_R(0.04)*y, DC_R(-0.1)), dc_vec(DC_R(0.02), DC_R(0.02), DC_R(0.08)), 0.15, model);
        l->lo = -1;
        l->hi = DC_R(0.9);
        l->limit = DC_R(0.05);
        l->margin = DC_R(0.95);
        if (k & 1)
            limb(hip + 1, dc_vec(0, DC_R(0.04)*y, DC_R(-0.19)), dc_vec(0, 1, 0), dc_vec(DC_R(0.03), 0, DC_R(-0.015)), dc_vec(DC_R(0.05), DC_R(0.02), DC_R(0.01)), 0.05, model);
    }
    machine_floor(&m, 0.9);
    m.desc.global = global;
    m.desc.length = global ? DC_R(1.0) : DC_R(0.05);
    m.desc.stiffness = global ? DC_R(1e-3) : DC_R(0.05);
    m.desc.tolerance = DC_R(1e-13);
    m.desc.friction.eps_v = DC_R(1e-4);
}

/* the gait: hips swing in turns, knees follow */
static void gait(int t, dc_real *target)
{
    int i;
    dc_sim_neutral(&m.sim, target);
    for (i = 1; i < m.sim.links; ++i) target[m.sim.q_at[i]] = (dc_real)(0.3*sin(0.2*t + 1.7*i));
}

TEST ant_walks(void)
{
    static step_case c;
    worst e[CLASSES];
    int t, run;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (run = 0; run < runs(); run += whole() ? 1 : 3) {
        dc_sim_info info = DC_ZERO;
        char what[64];
        int touched = 0, last = run/2 && !whole() ? 30 : 60;
        worst_open(e);
        ant(run/2, run%2 ? DC_SIM_LUMPED : DC_SIM_UNIFORM);
        ASSERT_EQ(DC_OK, machine_build(&m));
        ASSERT_EQ(16, m.sim.nv);
        begin_case(&c);
        set_depth(&c, run, 0.0009765625);
        c.q[0][6] = DC_R(0.3);
        hold(&c);
        for (t = 0; t < last; ++t) {
            gait(t, c.target);
            c.force[0] = 1;
            c.velocity[7] = DC_R(0.1);
            ASSERT_EQ(DC_OK, step(&c, c.q[2], &info));
            touched += info.contacts > 0;
            snprintf(what, sizeof what, "%s, %s, step %d, %d contacts", run/2 ? "global" : "local", run%2 ? "lumped" : "uniform", t, info.contacts);
            if (t == last - 1 || (t == 25 && run == 0)) ASSERTm(what, jacobian_checks(&c, e, what));
            go_on(&c);
        }
        printf("  %s: in contact in %d of %d steps, gap %g\n", what, touched, last, (double)info.gap);
        ASSERT(touched > last/2 && info.contacts > 0 && info.gap > 0 && (double)info.gap < (run/2 ? 0.06 : 0.01));
        ASSERT(worst_close(e, 1e-5));
    }
    PASS();
}

/* A palm on slides along x and z, two fingers of two hulls each that slide and turn: 2 + 4 freedoms, and a free object on the floor. */
static void gripper(int global, dc_sim_mass model)
{
    dc_sim_link *l;
    int k;
    machine_open(&m);
    l = machine_link(&m, -1, DC_SIM_SLIDE, dc_vec(0, 0, DC_R(0.6)));
    l->axis = dc_vec(1, 0, 0);
    l->kp = 2000;
    l->kd = 50;
    l = machine_link(&m, 0, DC_SIM_SLIDE, dc_vec(0, 0, 0));
    l->kp = 2000;
    l->kd = 50;
    l->mass = 1;
    l->model = model;
    machine_box(&m, dc_vec(0, 0, DC_R(0.1)), dc_vec(DC_R(0.2), DC_R(0.05), DC_R(0.03)));
    for (k = 0; k < 2; ++k) {
        dc_real side = k ? DC_R(1.0) : DC_R(-1.0);
        l = machine_link(&m, 1, DC_SIM_SLIDE, dc_vec(DC_R(0.16)*side, 0, 0));
        l->axis = dc_vec(side, 0, 0);
        l->kp = 500;
        l->kd = 10;
        l->mass = DC_R(0.1);
        l->model = DC_SIM_INERTIA;
        l->inertia.m[0] = l->inertia.m[4] = l->inertia.m[8] = DC_R(0.0001);
        l = machine_link(&m, 2 + 2*k, DC_SIM_HINGE, dc_vec(0, 0, 0));
        l->axis = dc_vec(0, 1, 0);
        l->kp = 5;
        l->kd = DC_R(0.1);
        l->mass = DC_R(0.2);
        l->model = model;
        l->friction = DC_R(0.9);
        machine_box(&m, dc_vec(0, 0, DC_R(-0.12)), dc_vec(DC_R(0.02), DC_R(0.04), DC_R(0.1)));
        machine_box(&m, dc_vec(DC_R(-0.02)*side, 0, DC_R(-0.23)), dc_vec(DC_R(0.03), DC_R(0.03), DC_R(0.02)));
    }
    l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
    l->mass = DC_R(0.1);
    l->model = model;
    l->friction = DC_R(0.9);
    machine_box(&m, dc_vec(DC_R(0.01), 0, 0), dc_vec(DC_R(0.06), DC_R(0.05), DC_R(0.04)));
    machine_floor(&m, 0.5);
    m.desc.global = global;
    m.desc.length = global ? DC_R(1.0) : DC_R(0.02);
    m.desc.stiffness = global ? DC_R(1e-4) : DC_R(0.005);
    m.desc.tolerance = DC_R(1e-13);
    m.desc.friction.eps_v = DC_R(1e-4);
}

TEST gripper_lifts_an_object(void)
{
    static step_case c;
    worst e[CLASSES];
    int t, run;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (run = 0; run < runs(); run += whole() ? 1 : 3) {
        dc_sim_info info = DC_ZERO;
        char what[64];
        dc_real *object;
        worst_open(e);
        gripper(run/2, run%2 ? DC_SIM_LUMPED : DC_SIM_UNIFORM);
        ASSERT_EQ(DC_OK, machine_build(&m));
        begin_case(&c);
        set_depth(&c, run, 0.0001220703125);
        c.q[0][1] = DC_R(-0.3);
        object = c.q[0] + 6 + 4;
        object[2] = DC_R(0.0415);
        if (run/2) object[2] = DC_R(0.06);
        hold(&c);
        for (t = 0; t < 120; ++t) {
            c.target[1] = t < 60 ? DC_R(-0.3) : DC_R(-0.3) + DC_R(0.002)*(dc_real)(t - 60);
            c.target[2] = c.target[4] = -DC_R(0.002)*(dc_real)(t < 40 ? t : 40);
            c.target[0] = DC_R(0.0005)*(dc_real)t;
            ASSERT_EQ(DC_OK, step(&c, c.q[2], &info));
            snprintf(what, sizeof what, "%s, %s, step %d, %d contacts", run/2 ? "global" : "local", run%2 ? "lumped" : "uniform", t, info.contacts);
            if (t == 119 || (t == 50 && run == 1)) ASSERTm(what, jacobian_checks(&c, e, what));
            go_on(&c);
        }
        printf("  %s: the object at %g %g %g, gap %g\n", what, (double)c.q[1][10], (double)c.q[1][11], (double)c.q[1][12], (double)info.gap);
        /* up by the fingers' 12 cm from 4, along with them by 5, and not sideways */
        ASSERT(fabs((double)c.q[1][12] - 0.16) < 0.03 && fabs((double)c.q[1][10] - 0.05) < 0.02 && fabs((double)c.q[1][11]) < 1e-9);
        ASSERT(info.gap > 0 && (double)info.gap < (run/2 ? 0.03 : 0.005));
        ASSERT(worst_close(e, 1e-5));
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(ant_walks);
    RUN_TEST(gripper_lifts_an_object);
    GREATEST_MAIN_END();
}
