/* Descriptions, states and calls that are wrong: refused, with the link and the cause, and nothing else touched. */
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
#include "machine.h"

static unsigned char scratch[1 << 22];
static machine m;

static dc_real not_a_number(void) { return (dc_real)(HUGE_VAL - HUGE_VAL); }

/* builds m: 1 when it is refused for the fault of `link`, with the cause, everything untouched */
static int refused(int link, const char *cause)
{
    dc_arena mem = dc_arena_make(machine_memory, sizeof machine_memory);
    dc_sim sim, same;
    dc_sim_flaw flaw;
    memset(&sim, 0x5a, sizeof sim);
    memset(&same, 0x5a, sizeof same);
    flaw.link = 77;
    flaw.cause = NULL;
    if (dc_sim_build(&m.desc, &mem, &sim, &flaw) != DC_E_ARG || mem.used != 0 || memcmp(&sim, &same, sizeof sim) != 0) return 0;
    if (flaw.link != link || !flaw.cause || strcmp(flaw.cause, cause) != 0) {
        printf("  link %d: %s\n", flaw.link, flaw.cause ? flaw.cause : "no cause");
        return 0;
    }
    return 1;
}

TEST bad_models_name_the_link_and_the_cause(void)
{
    const dc_real bad[3] = {not_a_number(), (dc_real)HUGE_VAL, -1};
    static const dc_real factors[12] = {1, -1, -1, 1, 1, 2, 3, 1, 1, 2, 2, 1};      /* negative; not symmetric; as it should be */
    static const int kinds[2][5] = {{0, 1, 0, 1, 0}, {0, 1, 2, 1, 0}};
    int k;
#define REFUSED(change, link, cause) do { machine_tree(&m); change; ASSERT(refused(link, cause)); } while (0)
    REFUSED(m.link[2].parent = 2, 2, "the parent is not an earlier link");
    REFUSED(m.link[2].parent = -2, 2, "the parent is not an earlier link");
    REFUSED(m.link[1].joint = (dc_sim_joint)7, 1, "no such joint");
    REFUSED(m.link[1].attach.q.w = 3, 1, "attachment");
    REFUSED(m.link[1].attach.t.y = not_a_number(), 1, "attachment");
    REFUSED(m.link[2].axis.x = not_a_number(), 2, "axis");
    REFUSED(m.link[0].model = (dc_sim_mass)3, 0, "no such shape or mass model");
    REFUSED(m.link[0].hulls = -1, 0, "no such shape or mass model");
    for (k = 0; k < 3; ++k) {
        REFUSED(m.link[1].density = bad[k], 1, "mass");
        REFUSED(m.link[0].mass = bad[k], 0, "mass");
        REFUSED(m.link[4].friction = bad[k], 4, "friction");
        REFUSED(m.link[4].damping = bad[k], 4, "damping or gain");
        REFUSED(m.desc.h = bad[k], -1, "h or gravity");
        REFUSED(m.desc.stiffness = bad[k], -1, "stiffness or length");
        REFUSED(m.desc.support = bad[k], -1, "support");
        REFUSED(m.desc.friction.patch = bad[k], -1, "friction options");
        REFUSED(m.desc.tolerance = bad[k], -1, "tolerance or iterations");
    }
    REFUSED(m.link[0].kp_move = -1, 0, "damping or gain");
    REFUSED(m.link[1].kd_move = 1, 1, "kp_move and kd_move are of free joints");
    REFUSED(m.desc.materials = 1, -1, "materials");
    for (k = 0; k < 3; ++k) REFUSED((m.desc.materials = 2, m.desc.table = factors + 4*k, m.desc.material = kinds[k == 2]), -1, "materials");
    REFUSED((m.desc.materials = 2, m.desc.table = factors + 8), -1, "materials");
    REFUSED(m.link[2].lo = 2, 2, "limits");
    REFUSED(m.link[3].inertia.m[0] = 1, 3, "inertia of no body");
    REFUSED(m.link[1].hull = NULL, 1, "no hulls");
    REFUSED(m.hull[1].n = 0, 1, "a hull without vertices");
    REFUSED(m.vertex[9].x = not_a_number(), 1, "a vertex is not finite");
    REFUSED(m.hull[1].n = 4, 1, "a solid hull is flat");
    REFUSED(m.link[2].mass = 0, 2, "the joint moves no mass");
    REFUSED(m.desc.links = 0, -1, "counts");
    REFUSED((m.desc.excludes = 1, m.exclude[1] = 5), -1, "exclusions");
    REFUSED(m.desc.planes = 1, -1, "plane");
#undef REFUSED
    PASS();
}

TEST bytes_are_enough_and_no_less(void)
{
    dc_arena mem;
    dc_sim sim;
    dc_real q[64], out[64];
    dc_sim_jacobian o = DC_ZERO;
    static dc_real J[64*400];
    size_t n, k;
    int fits;
    machine_tree(&m);
    machine_floor(&m, 0.5);
    m.plane[0].d = 10;
    n = dc_sim_bytes(&m.desc);
    ASSERT(n > 0 && n <= sizeof machine_memory);
    mem = dc_arena_make(machine_memory, n);
    ASSERT_EQ(DC_OK, dc_sim_build(&m.desc, &mem, &sim, NULL));
    mem = dc_arena_make(machine_memory, n/2);
    ASSERT_EQ(DC_E_MEMORY, dc_sim_build(&m.desc, &mem, &sim, NULL));
    ASSERT(mem.used == 0);
    mem = dc_arena_make(machine_memory, n);
    ASSERT_EQ(DC_OK, dc_sim_build(&m.desc, &mem, &sim, NULL));
    dc_sim_neutral(&sim, q);
    q[6] = 1;
    n = dc_sim_step_bytes(&sim);
    mem = dc_arena_make(scratch, n);
    ASSERT_EQ(DC_OK, dc_sim_step(&sim, q, q, NULL, &mem, out, NULL));
    ASSERT(mem.used == 0);
    /* where few pairs are loaded less is enough, down to a size from which on there is not */
    for (k = 0, fits = 0; k < n; k += n/50) {
        dc_status st;
        mem = dc_arena_make(scratch, k);
        st = dc_sim_step(&sim, q, q, NULL, &mem, out, NULL);
        ASSERT(st == DC_OK || (st == DC_E_MEMORY && !fits));
        ASSERT(mem.used == 0);
        fits = st == DC_OK;
    }
    ASSERT(fits);
    o.vertex = J;
    n = dc_sim_grad_bytes(&sim, &o);
    mem = dc_arena_make(scratch, n);
    ASSERT_EQ(DC_OK, dc_sim_grad(&sim, q, q, NULL, out, &mem, &o));
    ASSERT(mem.used == 0);
    for (k = 0, fits = 0; k < n; k += n/50) {
        dc_status st;
        mem = dc_arena_make(scratch, k);
        st = dc_sim_grad(&sim, q, q, NULL, out, &mem, &o);
        ASSERT(st == DC_OK || (st == DC_E_MEMORY && !fits));
        ASSERT(mem.used == 0);
        fits = st == DC_OK;
    }
    ASSERT(fits);
    PASS();
}

TEST bad_states_are_refused(void)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_real q[64], bad[64], out[64], v[64];
    dc_sim_control u = DC_ZERO;
    dc_sim_info info = DC_ZERO;
    int k;
    machine_tree(&m);
    machine_floor(&m, 0.5);
    ASSERT_EQ(DC_OK, machine_build(&m));
    dc_sim_neutral(&m.sim, q);
    q[6] = 5;
    for (k = 0; k < 64; ++k) out[k] = 77;
    for (k = 0; k < m.sim.nq; ++k) {
        memcpy(bad, q, sizeof bad);
        bad[k] = not_a_number();
        ASSERT_EQ(DC_E_ARG, dc_sim_step(&m.sim, bad, q, NULL, &mem, out, NULL));
        ASSERT_EQ(DC_E_ARG, dc_sim_step(&m.sim, q, bad, NULL, &mem, out, NULL));
        u.target = bad;
        ASSERT_EQ(DC_E_ARG, dc_sim_step(&m.sim, q, q, &u, &mem, out, NULL));
    }
    u.target = NULL;
    memset(v, 0, sizeof v);
    v[3] = (dc_real)HUGE_VAL;
    u.force = v;
    ASSERT_EQ(DC_E_ARG, dc_sim_step(&m.sim, q, q, &u, &mem, out, NULL));
    u.force = NULL;
    u.velocity = v;
    ASSERT_EQ(DC_E_ARG, dc_sim_step(&m.sim, q, q, &u, &mem, out, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sim_step(NULL, q, q, NULL, &mem, out, NULL));
    ASSERT_EQ(DC_E_ARG, dc_sim_step(&m.sim, q, q, NULL, NULL, out, NULL));
    /* through the floor: overlap, and who */
    q[6] = DC_R(-0.5);
    ASSERT_EQ(DC_E_OVERLAP, dc_sim_step(&m.sim, q, q, NULL, &mem, out, &info));
    ASSERT(info.hull_a >= 0 && info.hull_b == -1 && mem.used == 0);
    for (k = 0; k < 64; ++k) ASSERT(out[k] >= 77 && out[k] <= 77);
    PASS();
}

/* q_next may be q_prev; a path longer than its room is counted, not written */
TEST outputs_may_be_inputs(void)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_real q[2][64], out[64], path[2*64];
    dc_sim_info info = DC_ZERO;
    int k;
    machine_tree(&m);
    machine_floor(&m, 0.5);
    ASSERT_EQ(DC_OK, machine_build(&m));
    dc_sim_neutral(&m.sim, q[0]);
    q[0][6] = 5;
    memcpy(q[1], q[0], sizeof q[1]);
    q[1][6] = DC_R(4.9);
    for (k = 0; k < 2*64; ++k) path[k] = 77;
    info.path = path;
    info.path_size = 1;
    ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, out, &info));
    ASSERT(info.path_count > 1 && memcmp(path, q[1], (size_t)m.sim.nq*sizeof *path) == 0);
    for (k = m.sim.nq; k < 2*64; ++k) ASSERT(path[k] >= 77 && path[k] <= 77);
    ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, q[0], NULL));
    ASSERT(memcmp(out, q[0], (size_t)m.sim.nq*sizeof *out) == 0);
    PASS();
}

/* Numbers that end out of range: said so, and nothing written. */
TEST results_out_of_range(void)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_real q[2][7], out[7];
    int k;
    machine_open(&m);
    machine_link(&m, -1, DC_SIM_SLIDE, dc_vec(0, 0, 0))->mass = 1;
    machine_box(&m, dc_vec(0, 0, 0), dc_vec(1, 1, 1));
    ASSERT_EQ(DC_OK, machine_build(&m));
    dc_sim_neutral(&m.sim, q[0]);
    memcpy(q[1], q[0], sizeof q[1]);
    q[1][0] = DC_R(0.75)*DC_LIMIT;
    for (k = 0; k < 7; ++k) out[k] = 77;
    ASSERT_EQ(DC_E_RANGE, dc_sim_step(&m.sim, q[0], q[1], NULL, &mem, out, NULL));
    ASSERT(mem.used == 0);
    for (k = 0; k < 7; ++k) ASSERT(out[k] >= 77 && out[k] <= 77);
    PASS();
}

TEST bad_trajectories_are_refused(void)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_real q[4*64], loss[2*64], start[2*64];
    dc_sim_run run = DC_ZERO;
    int k;
    machine_tree(&m);
    ASSERT_EQ(DC_OK, machine_build(&m));
    for (k = 0; k < 4; ++k) dc_sim_neutral(&m.sim, q + k*m.sim.nq);
    for (k = 0; k < 2*64; ++k) loss[k] = 1;
    run.steps = 2;
    run.q = q;
    run.loss = loss;
    run.start = start;
    ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, q, q + m.sim.nq, NULL, &mem, q + 2*m.sim.nq, NULL));
    ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, q + m.sim.nq, q + 2*m.sim.nq, NULL, &mem, q + 3*m.sim.nq, NULL));
    ASSERT_EQ(DC_OK, dc_sim_adjoint(&m.sim, &run, &mem));
    loss[2*m.sim.nv - 1] = not_a_number();
    ASSERT_EQ(DC_E_ARG, dc_sim_adjoint(&m.sim, &run, &mem));
    loss[2*m.sim.nv - 1] = 1;
    q[3*m.sim.nq] = (dc_real)HUGE_VAL;
    ASSERT_EQ(DC_E_ARG, dc_sim_adjoint(&m.sim, &run, &mem));
    q[3*m.sim.nq] = 1;
    run.steps = 0;
    ASSERT_EQ(DC_E_ARG, dc_sim_adjoint(&m.sim, &run, &mem));
    run.steps = 2;
    run.every = -1;
    ASSERT_EQ(DC_E_ARG, dc_sim_adjoint(&m.sim, &run, &mem));
    run.every = 0;
    run.loss = NULL;
    ASSERT_EQ(DC_E_ARG, dc_sim_adjoint(&m.sim, &run, &mem));
    run.loss = loss;
    mem = dc_arena_make(scratch, dc_sim_adjoint_bytes(&m.sim, &run)/4);
    ASSERT_EQ(DC_E_MEMORY, dc_sim_adjoint(&m.sim, &run, &mem));
    ASSERT(mem.used == 0);
    PASS();
}

/* What zero stands for is chosen within what is accepted, however small or large the scene: no step refuses it. */
TEST chosen_numbers_are_accepted(void)
{
    static const double size[7] = {1e-60, 1e-12, 1e-8, 1e-3, 1, 1e8, 1e60}, pull[4] = {0, 1e-30, 1, 1e8};
    int a, b, global, k, steps = 0;
    for (a = 0; a < 7; ++a)
        for (b = 0; b < 4; ++b)
            for (global = 0; global < 2; ++global) {
                dc_real q[2][14];
                dc_status s;
                dc_arena mem;
                if (DC_IS_FLOAT && (size[a] < 1e-12 || size[a] > 1e8)) continue;
                machine_open(&m);
                m.desc.length = m.desc.stiffness = m.desc.friction.eps_f = m.desc.friction.eps_v = 0;
                m.desc.gravity.z = (dc_real)-pull[b];
                m.desc.global = global;
                for (k = 0; k < 2; ++k) {
                    const dc_real half = (dc_real)(size[a]/2);
                    machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->friction = 1;
                    m.link[k].mass = 1;
                    machine_box(&m, dc_vec(0, 0, 0), dc_vec(half, half, half));
                }
                if (machine_build(&m) != DC_OK) continue;           /* too small for faces, or for an inertia */
                ASSERT(m.sim.desc.length >= 1/DC_LIMIT && m.sim.desc.length <= DC_LIMIT);
                ASSERT(m.sim.desc.stiffness > 0 && m.sim.desc.stiffness <= DC_LIMIT);
                ASSERT(m.sim.desc.friction.eps_v > 0 && m.sim.desc.friction.eps_v <= DC_LIMIT);
                ASSERT(m.sim.desc.friction.eps_f > 0 && m.sim.desc.friction.eps_f <= DC_LIMIT);
                dc_sim_neutral(&m.sim, q[0]);
                q[0][4 + 7] = (dc_real)(1.01*size[a]);
                memcpy(q[1], q[0], sizeof q[0]);
                mem = dc_arena_make(scratch, sizeof scratch);
                s = dc_sim_step(&m.sim, q[0], q[0], NULL, &mem, q[1], NULL);
                ASSERT(s != DC_E_ARG && s != DC_E_MEMORY);
                for (k = 0; k < 14; ++k) ASSERT(dc_finite(q[1][k]));
                ++steps;
            }
    ASSERT(steps >= (DC_IS_FLOAT ? 24 : 32));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(bad_models_name_the_link_and_the_cause);
    RUN_TEST(bytes_are_enough_and_no_less);
    RUN_TEST(bad_states_are_refused);
    RUN_TEST(outputs_may_be_inputs);
    RUN_TEST(results_out_of_range);
    RUN_TEST(bad_trajectories_are_refused);
    RUN_TEST(chosen_numbers_are_accepted);
    GREATEST_MAIN_END();
}
