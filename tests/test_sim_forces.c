/* dc_sim_contacts: its forces are what changes the momentum of bodies in a step, and its points, normals and gaps are where they
 * touch. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "mesh.h"
#include "machine.h"

enum { MOST = 256, BODIES = 3 };

static unsigned char scratch[1 << 23];
static machine m;

/* three boxes thrown at the floor and each other, one of vertices that carry its mass */
static const double half[BODIES][3] = {{0.5, 0.4, 0.2}, {0.3, 0.3, 0.3}, {0.25, 0.15, 0.35}};

static void boxes(int global)
{
    int b;
    machine_open(&m);
    m.desc.global = global;
    m.desc.tolerance = DC_R(DC_IS_FLOAT ? 1e-5 : 1e-12);
    for (b = 0; b < BODIES; ++b) {
        dc_sim_link *l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
        l->mass = DC_R(1 + b);
        l->model = b == 2 ? DC_SIM_LUMPED : DC_SIM_UNIFORM;
        machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(half[b][0]), DC_R(half[b][1]), DC_R(half[b][2])));
    }
    machine_floor(&m, 0.6);
}

static dc_v3 column(dc_quat q, int k) { dc_m3 R = dc_rotation(q); return dc_vec(R.m[k], R.m[3 + k], R.m[6 + k]); }
static double length(dc_v3 v) { return sqrt((double)dc_dot(v, v)); }

/* What the contacts' forces on link i have to be by three poses in a row, and their torque about its middle:
 *     m (x+ - 2x + x-)/h^2 - m g,    sum over the axes e of M_e (R+ e) x (R+ - 2R + R-) e/h^2,
 * the derivative of tr (T - Y) M (T - Y)^T/(2h^2) by a turn, M_e the moments of a box along its axes. */
static void wanted(int i, const dc_pose *prev, const dc_pose *now, const dc_pose *next, dc_v3 *force, dc_v3 *torque)
{
    const dc_real h2 = m.desc.h*m.desc.h, mass = m.link[i].mass;
    int k;
    *force = dc_scale(mass/h2, dc_add(dc_sub(next->t, dc_scale(2, now->t)), prev->t));
    *force = dc_madd(*force, -mass, m.desc.gravity);
    *torque = dc_vec(0, 0, 0);
    for (k = 0; k < 3; ++k) {
        const dc_real M = mass*DC_R(half[i][k]*half[i][k])/(m.link[i].model == DC_SIM_LUMPED ? 1 : 3);
        const dc_v3 e = column(next->q, k), bend = dc_add(dc_sub(e, dc_scale(2, column(now->q, k))), column(prev->q, k));
        *torque = dc_madd(*torque, M/h2, dc_cross(e, bend));
    }
}

static enum greatest_test_res momentum(int global)
{
    static dc_contact_force c[MOST];
    dc_real q[3][7*BODIES], d[6*BODIES] = {0};
    worst linear = worst_make("force against the change of momentum"), angular = worst_make("torque likewise");
    worst along = worst_make("normal force not along n"), line = worst_make("point off both hulls' middle plane");
    int step, i, k, count, pairs = 0, floors = 0, sliding = 0;
    boxes(global);
    ASSERT_EQ(DC_OK, machine_build(&m));
    dc_sim_neutral(&m.sim, q[0]);
    for (i = 0; i < BODIES; ++i) {
        q[0][7*i + 4] = DC_R(0.1*i);
        q[0][7*i + 6] = DC_R(0.3 + 0.85*i);
        d[6*i] = DC_R(0.01*(2 - i));
        d[6*i + 4] = DC_R(0.01*i);
        d[6*i + 5] = DC_R(-0.02);
    }
    dc_sim_retract(&m.sim, q[0], d, q[1]);
    for (step = 0; step < 60; ++step) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_pose pose[3][BODIES];
        dc_v3 force[BODIES], torque[BODIES];
        dc_sim_info info = DC_ZERO;
        dc_status s = dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], &info);
        double scale = 0;
        ASSERT(s == DC_OK || s == DC_E_DIVERGED);
        for (k = 0; k < 3; ++k) dc_sim_poses(&m.sim, q[k], pose[k]);
        for (i = 0; i < BODIES; ++i) force[i] = torque[i] = dc_vec(0, 0, 0);
        ASSERT_EQ(DC_OK, dc_sim_contacts(&m.sim, q[1], q[2], &mem, MOST, c, &count));
        ASSERT_EQ(0, (int)mem.used);
        for (k = 0; k < count; ++k) {
            const dc_v3 F = dc_add(c[k].normal, c[k].friction);
            const int a = c[k].body_a, b = c[k].body_b;
            worst_add(&along, length(dc_cross(c[k].normal, c[k].n))/(1 + length(c[k].normal)), "step %d, %d %d", step, a, b);
            ASSERT(dc_dot(c[k].normal, c[k].n) >= 0 && c[k].gap > 0);
            force[a] = dc_add(force[a], F);
            torque[a] = dc_add(torque[a], dc_add(c[k].torque_a, dc_cross(dc_sub(c[k].point, pose[2][a].t), F)));
            sliding += length(c[k].friction) > 0.1*length(c[k].normal) && length(c[k].normal) > 1;
            if (b < 0) {
                dc_v3 x = dc_pose_apply(pose[2][a], m.vertex[8*a + c[k].vertex]);
                floors++;
                worst_add(&line, length(dc_sub(x, c[k].point)) + fabs((double)(x.z - c[k].gap)), "step %d", step);
                continue;
            }
            pairs++;
            force[b] = dc_sub(force[b], F);
            torque[b] = dc_add(torque[b], dc_sub(c[k].torque_b, dc_cross(dc_sub(c[k].point, pose[2][b].t), F)));
            {
                /* the room between the hulls along n is the gap, the point is between them */
                double low = 1e300, high = -1e300;
                for (i = 0; i < 8; ++i) {
                    low = fmin(low, (double)dc_dot(c[k].n, dc_sub(dc_pose_apply(pose[2][a], m.vertex[8*a + i]), c[k].point)));
                    high = fmax(high, (double)dc_dot(c[k].n, dc_sub(dc_pose_apply(pose[2][b], m.vertex[8*b + i]), c[k].point)));
                }
                ASSERT(low > 0 && high < 0);
                worst_add(&line, fabs(low - high - (double)c[k].gap), "step %d", step);
            }
        }
        /* less the force that the step itself says is left over, to a part of the largest; second differences of places lose digits of the places over h^2 */
        scale = fmax(scale, (double)info.scale);
        for (i = 0; i < BODIES; ++i)
            scale = fmax(scale, length(force[i]) + 10 + 400*(double)(DC_EPS*m.link[i].mass/(m.desc.h*m.desc.h))*(1 + length(pose[2][i].t)));
        for (i = 0; i < BODIES; ++i) {
            dc_v3 F, M;
            wanted(i, &pose[0][i], &pose[1][i], &pose[2][i], &F, &M);
            if (s != DC_OK) continue;
            worst_add(&linear, fmax(length(dc_sub(force[i], F)) - 2*(double)info.residual, 0)/scale, "step %d body %d of %d contacts", step, i, count);
            worst_add(&angular, fmax(length(dc_sub(torque[i], M)) - 2*(double)info.residual, 0)/scale, "step %d body %d", step, i);
        }
        memcpy(q[0], q[1], sizeof q[0]);
        memcpy(q[1], q[2], sizeof q[1]);
    }
    printf("  %d contacts of pairs, %d of the floor, %d of them with friction of a tenth of the load\n", pairs, floors, sliding);
    ASSERT(pairs > 20 && floors > 100 && sliding > 20);
    k = worst_print(&linear, DC_IS_FLOAT ? 2e-2 : 1e-9) & worst_print(&angular, DC_IS_FLOAT ? 2e-2 : 1e-9);
    k &= worst_print(&along, DC_IS_FLOAT ? 1e-4 : 1e-12) & worst_print(&line, DC_IS_FLOAT ? 1e-4 : 1e-12);
    ASSERT(k);
    PASS();
}

TEST forces_of_local_contact_change_the_momentum(void) { return momentum(0); }
TEST forces_felt_at_any_distance_change_the_momentum(void) { return momentum(1); }

/* triangles: a box slides and tips on a fixed slab, with its pair's one contact */
TEST forces_of_trees_change_the_momentum(void)
{
    static unsigned char kept[1 << 17];
    static mesh shape[2];
    dc_arena trees = dc_arena_make(kept, sizeof kept), mem;
    dc_bsh tree[2];
    worst linear = worst_make("force against the change of momentum"), angular = worst_make("torque likewise");
    dc_real q[3][7], d[6] = {DC_R(0.004), 0, DC_R(-0.002), 0, DC_R(0.02), DC_R(0.01)};
    int step, i, k, count, used = 0;
    machine_open(&m);
    m.desc.trees = 1;
    m.desc.stiffness = DC_R(1e-4);
    m.desc.friction.eps_v = DC_R(1e-4);
    m.desc.contacts = 2048;
    m.desc.tolerance = DC_R(DC_IS_FLOAT ? 1e-4 : 1e-11);
    for (i = 0; i < 2; ++i) {
        const double side[3] = {i ? 2 : half[0][0], i ? 2 : half[0][1], i ? 0.1 : half[0][2]};
        dc_sim_link *l = machine_link(&m, -1, i ? DC_SIM_FIXED : DC_SIM_FREE, dc_vec(0, 0, 0));
        mesh_box(&shape[i], 1);
        for (k = 0; k < shape[i].nv; ++k) {
            shape[i].v[k].x *= DC_R(2*side[0]);
            shape[i].v[k].y *= DC_R(2*side[1]);
            shape[i].v[k].z *= DC_R(2*side[2]);
        }
        ASSERT_EQ(DC_OK, dc_bsh_build(shape[i].v, shape[i].nv, shape[i].tri, shape[i].nt, &trees, &tree[i], NULL));
        l->tree = &tree[i];
        l->mass = 1;
    }
    ASSERT_EQ(DC_OK, machine_build(&m));
    dc_sim_neutral(&m.sim, q[0]);
    q[0][6] = DC_R(0.33);
    dc_sim_retract(&m.sim, q[0], d, q[1]);
    for (step = 0; step < 25; ++step) {
        dc_contact_force c[2];
        dc_pose pose[3][2];
        dc_v3 F, M, force, torque;
        double scale;
        mem = dc_arena_make(scratch, sizeof scratch);
        ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[2], NULL));
        ASSERT_EQ(DC_OK, dc_sim_contacts(&m.sim, q[1], q[2], &mem, 2, c, &count));
        ASSERT_EQ(1, count);
        ASSERT_EQ(0, c[0].body_a);
        ASSERT_EQ(1, c[0].body_b);
        for (k = 0; k < 3; ++k) dc_sim_poses(&m.sim, q[k], pose[k]);
        force = dc_add(c[0].normal, c[0].friction);
        torque = dc_add(c[0].torque_a, dc_cross(dc_sub(c[0].point, pose[2][0].t), force));
        wanted(0, &pose[0][0], &pose[1][0], &pose[2][0], &F, &M);
        scale = length(F) + 10;
        used += length(c[0].friction) > 1;
        worst_add(&linear, length(dc_sub(force, F))/scale, "step %d", step);
        worst_add(&angular, length(dc_sub(torque, M))/scale, "step %d", step);
        ASSERT((double)c[0].gap > 0 && dc_dot(c[0].n, c[0].normal) > 0);
        memcpy(q[0], q[1], sizeof q[0]);
        memcpy(q[1], q[2], sizeof q[1]);
    }
    ASSERT(used > 5);
    k = worst_print(&linear, DC_IS_FLOAT ? 2e-2 : 1e-8) & worst_print(&angular, DC_IS_FLOAT ? 2e-2 : 1e-8);
    ASSERT(k);
    PASS();
}

TEST bad_input_leaves_the_list_alone(void)
{
    dc_contact_force c[4], same[4];
    dc_arena mem = dc_arena_make(scratch, sizeof scratch), none = dc_arena_make(scratch, 8);
    dc_real q[7*BODIES], bad[7*BODIES];
    int count = 77, i;
    boxes(0);
    ASSERT_EQ(DC_OK, machine_build(&m));
    dc_sim_neutral(&m.sim, q);
    for (i = 0; i < BODIES; ++i) q[7*i + 6] = DC_R(0.21 + 0.9*i);
    memset(c, 0x5a, sizeof c);
    memcpy(same, c, sizeof c);
    memcpy(bad, q, sizeof q);
    bad[3] = DC_R(NAN);
    ASSERT_EQ(DC_E_ARG, dc_sim_contacts(NULL, q, q, &mem, 4, c, &count));
    ASSERT_EQ(DC_E_ARG, dc_sim_contacts(&m.sim, bad, q, &mem, 4, c, &count));
    ASSERT_EQ(DC_E_ARG, dc_sim_contacts(&m.sim, q, bad, &mem, 4, c, &count));
    ASSERT_EQ(DC_E_ARG, dc_sim_contacts(&m.sim, q, q, NULL, 4, c, &count));
    ASSERT_EQ(DC_E_ARG, dc_sim_contacts(&m.sim, q, q, &mem, -1, c, &count));
    ASSERT_EQ(DC_E_ARG, dc_sim_contacts(&m.sim, q, q, &mem, 4, NULL, &count));
    ASSERT_EQ(DC_E_ARG, dc_sim_contacts(&m.sim, q, q, &mem, 4, c, NULL));
    ASSERT_EQ(DC_E_MEMORY, dc_sim_contacts(&m.sim, q, q, &none, 4, c, &count));
    memcpy(bad, q, sizeof q);
    bad[6] = DC_R(0.1);
    ASSERT_EQ(DC_E_OVERLAP, dc_sim_contacts(&m.sim, q, bad, &mem, 4, c, &count));
    ASSERT_EQ(77, count);
    ASSERT_EQ(DC_E_MEMORY, dc_sim_contacts(&m.sim, q, q, &mem, 3, c, &count));
    ASSERT_EQ(4, count);                    /* four vertices at the floor */
    ASSERT_EQ(0, memcmp(c, same, sizeof c));
    mem = dc_arena_make(scratch, dc_sim_step_bytes(&m.sim));
    ASSERT_EQ(DC_OK, dc_sim_contacts(&m.sim, q, q, &mem, 4, c, &count));
    ASSERT_EQ(4, count);
    PASS();
}

SUITE(suite)
{
    RUN_TEST(forces_of_local_contact_change_the_momentum);
    RUN_TEST(forces_felt_at_any_distance_change_the_momentum);
    RUN_TEST(forces_of_trees_change_the_momentum);
    RUN_TEST(bad_input_leaves_the_list_alone);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(suite);
    GREATEST_MAIN_END();
}
