/* Jacobians on both sides of where a step's formulas change: contact that begins or ends, sticking and sliding, limits of joints, a
 * joint's rest. On either side they are those of differences, across they are
 * continuous. */
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

static step_case c;
static worst e[CLASSES];

/* A box above the floor: the plane, or a static hull. */
static void box_over(int hull)
{
    machine_open(&m);
    if (hull) {
        machine_link(&m, -1, DC_SIM_FIXED, dc_vec(0, 0, 0));
        machine_box(&m, dc_vec(0, 0, DC_R(-0.1)), dc_vec(DC_R(0.5), DC_R(0.5), DC_R(0.1)));
    } else machine_floor(&m, 0.8);
    machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
    machine_box(&m, dc_vec(DC_R(0.01), 0, 0), dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08)));
    m.desc.tolerance = DC_R(1e-15);
    m.desc.friction.eps_v = DC_R(1e-4);
}

/* with gaps now and at the end, were there no contact, some sliding, turning */
static void place(double gap, double then, double turn)
{
    dc_real d[6] = {0, 0, 0, 0, 0, 0};
    memset(&c, 0, sizeof c);
    dc_sim_neutral(&m.sim, c.target);
    dc_sim_neutral(&m.sim, c.q[1]);
    d[2] = (dc_real)(0.08 + gap);
    d[3] = (dc_real)turn;
    d[4] = (dc_real)(turn/3);
    dc_sim_retract(&m.sim, c.q[1], d, c.q[1]);
    d[2] = (dc_real)(gap - then - 9.81*1e-4);
    d[0] = DC_R(-0.002);
    d[3] = d[4] = 0;
    d[5] = DC_R(0.01);
    dc_sim_retract(&m.sim, c.q[1], d, c.q[0]);
}

TEST contact_begins_and_ends(void)
{
    static const double side[4] = {-0.2, -0.01, 0.01, 0.2};
    int hull, now, then;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    worst_open(e);
    for (hull = 0; hull < 2; ++hull)
        for (now = 0; now < 4; ++now)
            for (then = 0; then < 4; ++then) {
                double reach;
                char what[64];
                box_over(hull);
                ASSERT_EQ(DC_OK, machine_build(&m));
                reach = (double)m.desc.length*(hull ? 2*0.1/0.9 : 0.1);
                place(reach*(1 + side[now]), reach*(1 + side[then]), 0);
                c.every = 5;
                snprintf(what, sizeof what, "%s, now %+g, then %+g", hull ? "hulls" : "plane", side[now], side[then]);
                ASSERTm(what, jacobian_checks(&c, e, what));
            }
    ASSERT(worst_close(e, 1e-5));
    PASS();
}

/* An edge and a corner that come down: contact of few vertices, of which more follow. */
TEST edge_and_corner_land(void)
{
    int hull, corner, depth;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    worst_open(e);
    for (hull = 0; hull < 2; ++hull)
        for (corner = 0; corner < 2; ++corner)
            for (depth = 0; depth < 3; ++depth) {
                double turn = corner ? 0.6 : 0.02;
                char what[64];
                box_over(hull);
                ASSERT_EQ(DC_OK, machine_build(&m));
                place(corner ? 0.12 : 0.012, (corner ? 0.1 : 0.003) - 0.02*depth, turn);
                c.every = 5;
                snprintf(what, sizeof what, "%s, turned by %g, %d deep", hull ? "hulls" : "plane", turn, depth);
                ASSERTm(what, jacobian_checks(&c, e, what));
            }
    ASSERT(worst_close(e, 1e-5));
    PASS();
}

/* A push of so much of the friction there is, after the box came to rest. */
TEST sticks_and_slides(void)
{
    static const double share[5] = {0.5, 0.99, 1, 1.01, 1.5};
    int hull, k, t;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    worst_open(e);
    for (hull = 0; hull < 2; ++hull)
        for (k = 0; k < 5; ++k) {
            double mu = hull ? 0.49 : 0.56;
            dc_real moved;
            char what[64];
            box_over(hull);
            ASSERT_EQ(DC_OK, machine_build(&m));
            place(0.004, 0.004, 0);
            memcpy(c.q[0], c.q[1], sizeof c.q[0]);
            for (t = 0; t < 80; ++t) {
                c.force[0] = t < 40 ? 0 : (dc_real)(share[k]*mu*9.81);
                ASSERT_EQ(DC_OK, step(&c, c.q[2], NULL));
                go_on(&c);
            }
            moved = (c.q[1][4] - c.q[0][4])/m.desc.h;
            snprintf(what, sizeof what, "%s, %g of the friction: %.3g m/s", hull ? "hulls" : "plane", share[k], (double)moved);
            ASSERTm(what, share[k] < 1 ? moved < DC_R(0.2) : share[k] < 1.1 || moved > DC_R(0.5));
            c.every = 5;
            ASSERTm(what, jacobian_checks(&c, e, what));
        }
    ASSERT(worst_close(e, 1e-5));
    PASS();
}

/* A hinge and a slide on either side of where their limit begins, and pressed into it. */
TEST limits_begin(void)
{
    static const double from[5] = {1.2, 1.001, 0.999, 0.5, 0.05};       /* margins from the limit */
    int joint, end, k;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    worst_open(e);
    for (joint = DC_SIM_HINGE; joint <= DC_SIM_SLIDE; ++joint)
        for (end = 0; end < 2; ++end)
            for (k = 0; k < 5; ++k) {
                dc_sim_link *l;
                char what[64];
                machine_open(&m);
                l = machine_link(&m, -1, (dc_sim_joint)joint, dc_vec(0, 0, 0));
                l->axis = dc_vec(1, DC_R(0.2), DC_R(0.3));
                l->mass = 1;
                l->lo = DC_R(-0.8);
                l->hi = DC_R(0.7);
                l->limit = DC_R(0.1);
                machine_box(&m, dc_vec(0, DC_R(0.2), 0), dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08)));
                m.desc.tolerance = DC_R(1e-15);
                ASSERT_EQ(DC_OK, machine_build(&m));
                memset(&c, 0, sizeof c);
                c.near_only = 1;
                c.q[1][0] = (dc_real)(end ? 0.7 - 0.15*from[k] : -0.8 + 0.15*from[k]);      /* a tenth of the range */
                c.q[0][0] = c.q[1][0];
                c.force[0] = end ? 2 : -2;
                snprintf(what, sizeof what, "joint %d, end %d, at %g margins", joint, end, from[k]);
                ASSERTm(what, jacobian_checks(&c, e, what));
            }
    ASSERT(worst_close(e, 1e-5));
    PASS();
}

/* The Jacobian by q on both sides of contact's beginning comes together as the sides do. */
TEST jacobians_are_continuous(void)
{
    static dc_real J[2][64], next[64];
    double gap[3] = {0, 0, 0};
    int hull, k, side, i;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (hull = 0; hull < 2; ++hull) {
        for (k = 0; k < 3; ++k) {
            double reach, delta = 0.02/(1 << 2*k), big = 0;
            for (side = 0; side < 2; ++side) {
                dc_arena mem = dc_arena_make(scratch, sizeof scratch);
                dc_sim_jacobian o = DC_ZERO;
                box_over(hull);
                ASSERT_EQ(DC_OK, machine_build(&m));
                reach = (double)m.desc.length*(hull ? 2*0.1/0.9 : 0.1);
                place(reach, reach*(1 + (side ? delta : -delta)), 0);
                o.now = J[side];
                ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, c.q[0], c.q[1], NULL, &mem, next, NULL));
                ASSERT_EQ(DC_OK, dc_sim_grad(&m.sim, c.q[0], c.q[1], NULL, next, &mem, &o));
            }
            for (gap[k] = 0, i = 0; i < 36; ++i) {
                gap[k] = fmax(gap[k], fabs((double)(J[1][i] - J[0][i])));
                big = fmax(big, fabs((double)J[0][i]));
            }
            gap[k] /= big;
        }
        printf("  %s: apart by %.3g, %.3g, %.3g of the largest entry at 0.02, 0.005, 0.00125 of the reach\n", hull ? "hulls" : "plane", gap[0], gap[1], gap[2]);
        ASSERT(gap[0] > 0 && gap[1] < gap[0]/8 && gap[2] < gap[1]/8);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(contact_begins_and_ends);
    RUN_TEST(edge_and_corner_land);
    RUN_TEST(sticks_and_slides);
    RUN_TEST(limits_begin);
    RUN_TEST(jacobians_are_continuous);
    GREATEST_MAIN_END();
}
