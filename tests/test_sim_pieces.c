/* The same scenes as one dense piece and as a piece for each tree of links: steps, Jacobians and adjoints agree to rounding; memory by what
 * touches; a heap of boxes comes to rest with all defaults. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
static int one_piece = 64;
#define DCI_SIM_ONE_PIECE one_piece
#include "dc_sim.h"

#include "greatest.h"

#include "support.h"
#include "real.h"
#include "machine.h"

static machine m;
static unsigned char scratch[1 << 24], memory[2][1 << 20];
static dc_sim whole, pieces;

/* the same description both ways */
static int build_both(void)
{
    int k, ok = 1;
    for (k = 0; k < 2; ++k) {
        dc_arena mem = dc_arena_make(memory[k], sizeof memory[k]);
        one_piece = k ? 0 : 1000;
        ok &= dc_sim_build(&m.desc, &mem, k ? &pieces : &whole, NULL) == DC_OK;
    }
    one_piece = 64;
    return ok;
}

/* A stack of boxes on the floor, a ball joint's arm over it and a chain beside; `shuffled`: the chain's second half stands behind the boxes,
 * so that all between is one piece. */
static void scene(int boxes, int shuffled)
{
    int k, first;
    machine_open(&m);
    first = m.desc.links;
    machine_link(&m, -1, DC_SIM_BALL, dc_vec(DC_R(0.5), 0, 1))->mass = 1;
    machine_box(&m, dc_vec(DC_R(0.3), 0, 0), dc_vec(DC_R(0.25), DC_R(0.04), DC_R(0.04)));
    if (!shuffled) {
        machine_link(&m, first, DC_SIM_HINGE, dc_vec(DC_R(0.6), 0, 0))->mass = DC_R(0.5);
        machine_box(&m, dc_vec(DC_R(0.2), 0, 0), dc_vec(DC_R(0.15), DC_R(0.03), DC_R(0.03)));
    }
    for (k = 0; k < boxes; ++k) {
        machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, DC_R(0.02)*(dc_real)(k%3), DC_R(0.053) + DC_R(0.106)*(dc_real)k))->mass = DC_R(0.3) + DC_R(0.1)*(dc_real)(k%4);
        machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.2), DC_R(0.15), DC_R(0.05)));
    }
    machine_link(&m, -1, DC_SIM_FIXED, dc_vec(DC_R(-0.6), 0, DC_R(0.2)));      /* scenery: a piece without coordinates */
    machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.2)));
    if (shuffled) {
        machine_link(&m, first, DC_SIM_HINGE, dc_vec(DC_R(0.6), 0, 0))->mass = DC_R(0.5);
        machine_box(&m, dc_vec(DC_R(0.2), 0, 0), dc_vec(DC_R(0.15), DC_R(0.03), DC_R(0.03)));
    }
    m.desc.length = DC_R(0.02);
    machine_floor(&m, 0.6);
}

static void add_difference(worst *e, const dc_real *a, const dc_real *b, int n, const char *what, int t)
{
    double size = 0, error = 0;
    int k;
    for (k = 0; k < n; ++k) {
        size = fmax(size, fabs((double)a[k]));
        error = fmax(error, fabs((double)(a[k] - b[k])));
    }
    worst_add(e, size > 0 ? error/size : error, "%s at step %d", what, t);
}

TEST pieces_are_the_whole(void)
{
    static dc_real q[3][64], other[64], J[2][3][64*192], loss[64], grad[2][6][256];
    worst state = worst_make("states"), jacobian = worst_make("Jacobians"), adjoint = worst_make("adjoints");
    int shuffled, t, k, c, contacts = 0;
    for (shuffled = 0; shuffled < 2; ++shuffled) {
        scene(6, shuffled);
        ASSERT(build_both());
        ASSERT_EQ(1, whole.pieces);
        ASSERT(pieces.pieces == (shuffled ? 1 : 8) && (shuffled || dci_sim_width(&pieces, 1) == 6));
        if (shuffled) continue;
        dc_sim_neutral(&whole, q[0]);
        memcpy(q[1], q[0], sizeof q[0]);
        q[1][whole.q_at[2] + 4] = DC_R(0.004);
        for (k = 0; k < whole.nv; ++k) loss[k] = DC_R(0.1)*(dc_real)(1 + k%7);
        for (t = 0; t < 60; ++t) {
            dc_real *before = q[t%3], *now = q[(t + 1)%3], *next = q[(t + 2)%3];
            dc_sim_info info = DC_ZERO;
            dc_arena mem = dc_arena_make(scratch, sizeof scratch);
            ASSERT_EQ(DC_OK, dc_sim_step(&whole, before, now, NULL, &mem, next, &info));
            ASSERT_EQ(DC_OK, dc_sim_step(&pieces, before, now, NULL, &mem, other, NULL));
            add_difference(&state, next, other, whole.nq, "state", t);
            contacts += info.contacts;
            if (t%12 != 7) continue;

            for (c = 0; c < 2; ++c) {
                const dc_sim *sim = c ? &pieces : &whole;
                dc_real three[3*64];
                dc_sim_jacobian o = DC_ZERO;
                dc_sim_run r = DC_ZERO;
                o.prev = J[c][0];
                o.now = J[c][1];
                o.vertex = J[c][2];
                ASSERT_EQ(DC_OK, dc_sim_grad(sim, before, now, NULL, next, &mem, &o));
                memcpy(three, before, (size_t)sim->nq*sizeof *three);
                memcpy(three + sim->nq, now, (size_t)sim->nq*sizeof *three);
                memcpy(three + 2*sim->nq, next, (size_t)sim->nq*sizeof *three);
                r.steps = 1;
                r.q = three;
                r.loss = loss;
                r.start = grad[c][0];
                r.control_grad = grad[c][1];
                r.attach = grad[c][2];
                r.mass = grad[c][3];
                r.friction = grad[c][4];
                r.vertex = grad[c][5];
                ASSERT_EQ(DC_OK, dc_sim_adjoint(sim, &r, &mem));
            }
            for (k = 0; k < 3; ++k) add_difference(&jacobian, J[0][k], J[1][k], whole.nv*(k < 2 ? whole.nv : 3*whole.vertices), "Jacobian", t);
            add_difference(&adjoint, grad[0][0], grad[1][0], 2*whole.nv, "start", t);
            add_difference(&adjoint, grad[0][1], grad[1][1], 3*whole.nv, "control", t);
            add_difference(&adjoint, grad[0][2], grad[1][2], 6*whole.links, "attachments", t);
            add_difference(&adjoint, grad[0][3], grad[1][3], whole.links, "mass", t);
            add_difference(&adjoint, grad[0][4], grad[1][4], whole.links + 1, "friction", t);
            add_difference(&adjoint, grad[0][5], grad[1][5], 3*whole.vertices, "vertices", t);
        }
    }
    printf("  %d contacts\n", contacts);
    ASSERT(contacts > 300);
    ASSERT(worst_print(&state, DC_IS_FLOAT ? 1e-3 : 1e-9) & worst_print(&jacobian, DC_IS_FLOAT ? 3e-2 : 1e-9) & worst_print(&adjoint, DC_IS_FLOAT ? 3e-2 : 1e-9));
    PASS();
}

/* What info says is enough is enough, for the same bits; where a step needs more than there is, it says so at any place. */
TEST memory_is_by_what_touches(void)
{
    dc_real q[3][64], same[64];
    dc_sim_info info = DC_ZERO;
    size_t bytes;
    int k;
    scene(6, 0);
    ASSERT(build_both());
    dc_sim_neutral(&pieces, q[0]);
    memcpy(q[1], q[0], sizeof q[0]);
    for (k = 0; k < 20; ++k) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        ASSERT_EQ(DC_OK, dc_sim_step(&pieces, q[k%3], q[(k + 1)%3], NULL, &mem, q[(k + 2)%3], &info));
    }
    bytes = info.bytes;
    printf("  %.0f KB of %.0f\n", 1e-3*(double)bytes, 1e-3*(double)dc_sim_step_bytes(&pieces));
    ASSERT(bytes > 0 && bytes <= dc_sim_step_bytes(&pieces));
    {
        dc_arena mem = dc_arena_make(scratch, bytes);
        memcpy(same, q[21%3], sizeof same);
        ASSERT_EQ(DC_OK, dc_sim_step(&pieces, q[19%3], q[20%3], NULL, &mem, same, &info));
        ASSERT(memcmp(same, q[21%3], (size_t)pieces.nq*sizeof *same) == 0 && mem.used == 0);
    }
    for (k = 0; k < 200; ++k) {
        dc_arena mem = dc_arena_make(scratch, bytes*(size_t)k/200);
        dc_status s;
        memset(same, 77, sizeof same);
        s = dc_sim_step(&pieces, q[19%3], q[20%3], NULL, &mem, same, &info);
        ASSERT(s == DC_OK || (s == DC_E_MEMORY && k < 200));
        ASSERT(mem.used == 0 && (s != DC_OK || memcmp(same, q[21%3], (size_t)pieces.nq*sizeof *same) == 0));
    }
    PASS();
}

/* Twelve boxes of mixed sizes thrown into a corner, with all defaults: every step ends as it should, in tens of Newton steps. */
TEST a_heap_comes_to_rest(void)
{
    enum { BOXES = 12 };
    dc_real q[3][7*BOXES], moved = 0;
    long iterations = 0;
    int i, k, t, most = 0;
    machine_open(&m);
    for (i = 0; i < BOXES; ++i) {
        machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->density = 500;
        machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.12) + DC_R(0.01)*(dc_real)(i%3), DC_R(0.09) + DC_R(0.01)*(dc_real)(i%4), DC_R(0.07)));
    }
    machine_floor(&m, 0.7);
    for (k = 0; k < 2; ++k) {
        dc_sim_plane *wall = m.desc.planes < 4 ? m.plane + m.desc.planes++ : NULL;
        ASSERT(wall);
        wall->n = k ? dc_vec(1, 0, 0) : dc_vec(0, 1, 0);
        wall->d = DC_R(0.5);
        wall->friction = DC_R(0.7);
    }
    m.desc.length = m.desc.stiffness = m.desc.friction.eps_f = m.desc.friction.eps_v = 0;
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT_EQ(BOXES, m.sim.pieces);
    dc_sim_neutral(&m.sim, q[0]);
    for (i = 0; i < BOXES; ++i) {
        dc_quat turn = dc_quat_exp(dc_vec(DC_R(0.3)*(dc_real)(i%5), DC_R(0.2)*(dc_real)(i%3), DC_R(0.1)*(dc_real)i));
        dc_real *x = q[0] + 7*i;
        x[0] = turn.w;
        x[1] = turn.x;
        x[2] = turn.y;
        x[3] = turn.z;
        x[4] = DC_R(-0.2) + DC_R(0.4)*(dc_real)(i%2);
        x[5] = DC_R(-0.2) + DC_R(0.4)*(dc_real)(i/2%2);
        x[6] = DC_R(0.25) + DC_R(0.4)*(dc_real)(i/4);
    }
    memcpy(q[1], q[0], sizeof q[0]);
    for (t = 0; t < 200; ++t) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_sim_info info = DC_ZERO;
        ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, q[t%3], q[(t + 1)%3], NULL, &mem, q[(t + 2)%3], &info));
        iterations += info.iterations;
        most = info.iterations > most ? info.iterations : most;
    }
    for (k = 0; k < 7*BOXES; ++k) moved = dc_max(moved, dc_abs(q[201%3][k] - q[200%3][k]));
    printf("  %.1f Newton steps in the mean, at most %d; the last step moved by %.1e\n", (double)iterations/200, most, (double)moved);
    ASSERT(most <= (DC_IS_FLOAT ? 200 : 100) && iterations < 200*30);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(pieces_are_the_whole);
    RUN_TEST(memory_is_by_what_touches);
    RUN_TEST(a_heap_comes_to_rest);
    GREATEST_MAIN_END();
}
