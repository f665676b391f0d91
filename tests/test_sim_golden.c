/* The bits of a thousand steps and of the gradient of their loss: the same from compiler to compiler and at every level of
 * optimisation, without contraction. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "machine.h"

enum { STEPS = 1000, EVERY = 40, Q = 24, V = 20 };

static unsigned char scratch[1 << 20];
static dc_real q[(STEPS + 2)*Q], kept[2*(STEPS/EVERY + 1)*Q], loss[STEPS*V], force[STEPS*V], target[Q], control_grad[3*STEPS*V];
static dc_sim_control control[STEPS];

/* An arm of two hinges over the floor, held by gains, waves over a stack of two boxes that is given a push every second. */
static dc_status scene(machine *m)
{
    int b;
    machine_open(m);
    for (b = 0; b < 2; ++b) {
        machine_link(m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
        machine_box(m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08)));
    }
    for (b = 0; b < 2; ++b) {
        dc_sim_link *l = machine_link(m, b ? 2 : -1, DC_SIM_HINGE, b ? dc_vec(DC_R(0.4), 0, 0) : dc_vec(DC_R(-0.8), 0, DC_R(0.45)));
        l->axis = dc_vec(0, 1, 0);
        l->mass = DC_R(0.3);
        l->kp = 20;
        l->kd = 2;
        machine_box(m, dc_vec(DC_R(0.2), 0, 0), dc_vec(DC_R(0.18), DC_R(0.03), DC_R(0.03)));
    }
    machine_floor(m, 0.8);
    return machine_build(m);
}

TEST a_thousand_steps_and_back(void)
{
    static const uint64_t golden[2][2] = {{UINT64_C(0x7b1187e4237c82c2), UINT64_C(0x439031c7e5e4bd3a)},
                                         {UINT64_C(0x9ae8d382b7b8fff3), UINT64_C(0x15caa7b90b93a13e)}};
    static machine m;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_sim_run r = DC_ZERO;
    dc_real start[2*V], attach[6*4], mass[4], friction[5], vertex[3*32];
    uint64_t h[2] = {0, 0};
    int t, k, nq, nv, most = 0;
    ASSERT_EQ(DC_OK, scene(&m));
    nq = m.sim.nq;
    nv = m.sim.nv;
    ASSERT(nq <= Q && nv <= V);
    dc_sim_neutral(&m.sim, q);
    q[6] = DC_R(0.1);
    q[13] = DC_R(0.28);
    q[11] = DC_R(0.02);
    memcpy(q + nq, q, (size_t)nq*sizeof *q);
    dc_sim_neutral(&m.sim, target);
    target[nq - 1] = DC_R(0.6);
    for (t = 0; t < STEPS; ++t) {
        dc_sim_info info = DC_ZERO;
        dc_real *x = q + t*nq;
        force[t*nv] = t%100 < 10 ? 4 : 0;
        force[t*nv + nv - 2] = t%50 < 25 ? 2 : -1;
        control[t].force = force + t*nv;
        control[t].target = target;
        for (k = 0; k < nv; ++k) loss[t*nv + k] = t%10 == 0 ? DC_R(0.01)*(dc_real)(k + 1) : 0;
        if (t%EVERY == 0) memcpy(kept + 2*(t/EVERY)*nq, x, 2*(size_t)nq*sizeof *x);
        ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, x, x + nq, control + t, &mem, x + 2*nq, &info));
        most = info.contacts > most ? info.contacts : most;
    }
    r.steps = STEPS;
    r.q = q;
    r.control = control;
    r.loss = loss;
    r.start = start;
    r.control_grad = control_grad;
    r.attach = attach;
    r.mass = mass;
    r.friction = friction;
    r.vertex = vertex;
    h[0] = dc_sim_hash(q, (STEPS + 2)*nq);
    for (k = 0; k < 2; ++k) {
        /* from all states, then from every 40th */
        uint64_t g;
        r.every = k ? EVERY : 0;
        r.q = k ? kept : q;
        ASSERT_EQ(DC_OK, dc_sim_adjoint(&m.sim, &r, &mem));
        g = dc_sim_hash(start, 2*nv) ^ 3*dc_sim_hash(control_grad, 3*STEPS*nv) ^ 5*dc_sim_hash(attach, 6*m.sim.links)
          ^ 7*dc_sim_hash(mass, m.sim.links) ^ 11*dc_sim_hash(friction, m.sim.links + 1) ^ 13*dc_sim_hash(vertex, 3*m.sim.vertices);
        ASSERT(k == 0 || g == h[1]);
        h[1] = g;
    }
    printf("  %d freedoms, up to %d contacts; hash %016llx, of the gradient %016llx (of control %g)\n", nv, most, (unsigned long long)h[0],
           (unsigned long long)h[1], (double)control_grad[2*nv]);
    ASSERT(most >= 3 && dc_finite(control_grad[2*nv]) && control_grad[2*nv] != 0);
#ifdef DC_TEST_NO_CONTRACT
    ASSERT(h[0] == golden[DC_IS_FLOAT][0]);
    ASSERT(h[1] == golden[DC_IS_FLOAT][1]);
#else
    (void)golden;
#endif
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(a_thousand_steps_and_back);
    GREATEST_MAIN_END();
}
