/* Steps of articulated bodies, forward and backward: chains that swing onto the floor, boxes in a stack, and four
 * chains that swing into each other, by their number of links. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include "support.h"
#include "real.h"
#include "machine.h"
#include "cli.h"
#include "sim_scene.h"
#include "sim_chains.h"

static unsigned char scratch[1 << 22];

typedef struct {
    machine m;
    dc_real q[3][256], loss[256], start[256], control[512], attach[256], vertex[1024];
    int design;
} scene;

static dc_real jacobians[3][256*512];
static double kept;

static void step(void *user)
{
    scene *s = (scene *)user;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    if (dc_sim_step(&s->m.sim, s->q[0], s->q[1], NULL, &mem, s->q[2], NULL) != DC_OK) exit(1);
    kept += (double)s->q[2][0];
}

static void adjoint(void *user)
{
    scene *s = (scene *)user;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_sim_run r = DC_ZERO;
    r.steps = 1;
    r.q = s->q[0];
    r.loss = s->loss;
    r.start = s->start;
    r.control_grad = s->control;
    r.attach = s->design ? s->attach : NULL;
    r.vertex = s->design ? s->vertex : NULL;
    if (dc_sim_adjoint(&s->m.sim, &r, &mem) != DC_OK) exit(1);
    kept += (double)s->start[0];
}

static void adjoint_design(void *user)
{
    ((scene *)user)->design = 1;
    adjoint(user);
    ((scene *)user)->design = 0;
}

static void jacobian(void *user)
{
    scene *s = (scene *)user;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_sim_jacobian o = DC_ZERO;
    o.prev = jacobians[0];
    o.now = jacobians[1];
    o.control = jacobians[2];
    if (dc_sim_grad(&s->m.sim, s->q[0], s->q[1], NULL, s->q[2], &mem, &o) != DC_OK) exit(1);
    kept += (double)o.now[0];
}

/* from rest, `steps` steps: the last is the one that is timed */
static void settle(scene *s, int steps)
{
    int k, nq = s->m.sim.nq;
    dc_sim_info info = DC_ZERO;
    memcpy(s->q[1], s->q[0], sizeof s->q[0]);
    for (k = 0; k < steps; ++k) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        if (dc_sim_step(&s->m.sim, s->q[0], s->q[1], NULL, &mem, s->q[2], &info) != DC_OK) exit(1);
        if (k + 1 == steps) break;
        memcpy(s->q[0], s->q[1], sizeof s->q[0]);
        memcpy(s->q[1], s->q[2], sizeof s->q[0]);
    }
    printf("# %d freedoms, %d contacts, %d Newton steps\n", s->m.sim.nv, info.contacts, info.iterations);
    for (k = 0; k < s->m.sim.nv; ++k) s->loss[k] = 1;
    /* the three states in one array, for the adjoint */
    memmove(s->q[0] + nq, s->q[1], (size_t)nq*sizeof(dc_real));
    memmove(s->q[0] + 2*nq, s->q[2], (size_t)nq*sizeof(dc_real));
}

static void measure(scene *s, const char *name)
{
    bench_group g;
    bench_open(&g, name);
    bench_add(&g, "step", step, s, 1);
    bench_add(&g, "adjoint", adjoint, s, 1);
    bench_add(&g, "adjoint_design", adjoint_design, s, 1);
    bench_add(&g, "jacobian", jacobian, s, 1);
    bench_run(&g);
}

static void chain(scene *s, int n)
{
    char name[32];
    int k;
    machine_open(&s->m);
    for (k = 0; k < n; ++k) {
        dc_sim_link *l = machine_link(&s->m, k - 1, DC_SIM_HINGE, k ? dc_vec(DC_R(0.2), 0, 0) : dc_vec(0, 0, DC_R(0.3)));
        l->axis = k & 1 ? dc_vec(0, 0, 1) : dc_vec(0, 1, 0);
        l->mass = DC_R(0.2);
        l->damping = DC_R(0.01);
        machine_box(&s->m, dc_vec(DC_R(0.1), 0, 0), dc_vec(DC_R(0.08), DC_R(0.02), DC_R(0.02)));
    }
    s->m.desc.length = DC_R(0.05);
    machine_floor(&s->m, 0.5);
    if (machine_build(&s->m) != DC_OK) exit(1);
    dc_sim_neutral(&s->m.sim, s->q[0]);
    settle(s, 60);
    snprintf(name, sizeof name, "chain_%d", n);
    measure(s, name);
}

static void stack(scene *s, int n)
{
    char name[32];
    int k;
    machine_open(&s->m);
    for (k = 0; k < n; ++k) {
        machine_link(&s->m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = DC_R(0.5);
        machine_box(&s->m, dc_vec(0, 0, 0), dc_vec(DC_R(0.2), DC_R(0.1), DC_R(0.05)));
    }
    s->m.desc.length = DC_R(0.02);
    machine_floor(&s->m, 0.5);
    if (machine_build(&s->m) != DC_OK) exit(1);
    dc_sim_neutral(&s->m.sim, s->q[0]);
    for (k = 0; k < n; ++k) s->q[0][7*k + 6] = DC_R(0.052) + DC_R(0.103)*(dc_real)k;
    settle(s, 10);
    snprintf(name, sizeof name, "stack_%d", n);
    measure(s, name);
}

/* ---- four chains: SDRS, Fig. 6 and 9 ---- */

enum { CHAINS_STATES = 10, CHAINS_APART = 20 };     /* of the two seconds from 0.5 s on, in which they meet */

static sim_world w;
static dc_real chains_state[CHAINS_STATES][3*SIM_STATE];

static void chains_step(void *user)
{
    static dc_real q[SIM_STATE];
    int k;
    (void)user;
    for (k = 0; k < CHAINS_STATES; ++k) {
        dc_arena mem = dc_arena_make(w.scratch, sizeof w.scratch);
        if (dc_sim_step(&w.sim, chains_state[k], chains_state[k] + w.sim.nq, NULL, &mem, q, NULL) != DC_OK) exit(1);
        kept += (double)q[0];
    }
}

static void chains_adjoint(void *user)
{
    static dc_real loss[SIM_STATE], start[2*SIM_STATE], control[3*SIM_STATE];
    int k;
    (void)user;
    for (k = 0; k < w.sim.nv; ++k) loss[k] = 1;
    for (k = 0; k < CHAINS_STATES; ++k) {
        dc_arena mem = dc_arena_make(w.scratch, sizeof w.scratch);
        dc_sim_run r = DC_ZERO;
        r.steps = 1;
        r.q = chains_state[k];
        r.loss = loss;
        r.start = start;
        r.control_grad = control;
        if (dc_sim_adjoint(&w.sim, &r, &mem) != DC_OK) exit(1);
        kept += (double)start[0];
    }
}

/* Time of a step in the mean over the states, ns. */
static double chains(int n)
{
    char        name[32];
    bench_group g;
    double      contacts = 0, newton = 0;
    int         i, k = 0;
    sim_chains(&w, n, 0.01, 4);
    for (i = 0; k < CHAINS_STATES; ++i) {
        dc_real *s = chains_state[k];
        size_t   bytes = (size_t)w.sim.nq*sizeof *s;
        int      at = i - 50 - k*CHAINS_APART;
        if (at == 0) memcpy(s, w.prev, bytes);
        sim_step(&w, NULL);
        if (at != 0) continue;
        memcpy(s + w.sim.nq, w.prev, bytes);
        memcpy(s + 2*w.sim.nq, w.now, bytes);
        newton += (double)w.info.iterations/CHAINS_STATES;
        contacts += (double)w.info.contacts/CHAINS_STATES;
        k++;
    }
    snprintf(name, sizeof name, "four_chains_%d", n);
    printf("# %d freedoms, %.1f contacts, %.1f Newton steps\n", w.sim.nv, contacts, newton);
    bench_open(&g, name);
    bench_add(&g, "step", chains_step, NULL, CHAINS_STATES);
    bench_add(&g, "adjoint", chains_adjoint, NULL, CHAINS_STATES);
    bench_run(&g);
    return g.entry[0].median;
}

int main(int argc, char **argv)
{
    static scene s;
    double cost, before = 0;
    int n;
    bench_begin(argc, argv);
    for (n = 2; n <= 16; n *= 2) chain(&s, n);
    for (n = 1; n <= 8; n *= 2) stack(&s, n);
    for (n = 1; n <= 8; n *= 2) {
        cost = chains(n);
        if (before > 0 && !bench_instructions) bench_line("four_chains", "growth_exponent", log(cost/before)/log(2.0), "1");
        before = cost;
    }
    bench_keep(kept);
    return 0;
}
