/* The same scenes as one dense piece and as a piece for each tree of links: steps, Jacobians and adjoints agree to rounding; memory by what
 * touches; a heap of boxes comes to rest with all defaults; heaps that feel nothing of each other are solved alone. */
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

    /* also of a step that finds bodies within each other */
    {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        memcpy(same, q[20%3], sizeof same);
        same[pieces.q_at[3] + 6] += DC_R(0.05);
        ASSERT_EQ(DC_E_OVERLAP, dc_sim_step(&pieces, q[19%3], same, NULL, &mem, same, &info));
        ASSERT(info.bytes > 0);
        mem = dc_arena_make(scratch, info.bytes);
        ASSERT_EQ(DC_E_OVERLAP, dc_sim_step(&pieces, q[19%3], same, NULL, &mem, same, NULL));
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

enum { HEAP = 11, HEAP_Q = 7*HEAP, HEAPS = 2 };

/* Two heaps of boxes thrown at each other over a floor, a block of scenery in the midst of each; the first, the second, or both. Some boxes
 * never touch, some are of another material, some are pushed. */
static int heaps(int which, dc_real *q_prev, dc_real *q, dc_real *force)
{
    static const dc_real by_kind[4] = {1, DC_R(0.5), DC_R(0.5), DC_R(0.1)};
    static int material[2*HEAP + 4];
    rng r;
    int heap, i, k, n = 0;
    rng_seed(&r, 5);
    machine_open(&m);
    memset(material, 0, sizeof material);
    for (heap = 0; heap < HEAPS; ++heap)
        for (i = 0; i <= HEAP; ++i) {
            const double x = 8*heap, toward = i%2 ? 1 : -1;
            double d[12];
            for (k = 0; k < 12; ++k) d[k] = rng_uniform(&r, -1, 1);
            if (which != 2 && which != heap) continue;
            material[m.desc.links] = i%3 == 1;
            if (i == 5) {
                machine_link(&m, -1, DC_SIM_FIXED, dc_vec((dc_real)x, 0, DC_R(0.2)));
                machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.3), DC_R(0.2)));
                continue;
            }
            if (i == 7) {
                m.exclude[2*m.desc.excludes] = m.desc.links;
                m.exclude[2*m.desc.excludes++ + 1] = m.desc.links - 1;
            }
            machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->density = 500;
            machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.12), DC_R(0.09) + DC_R(0.01)*(dc_real)(i%4), DC_R(0.07)));
            for (k = 0; k < 2; ++k) {
                dc_real *to = (k ? q : q_prev) + 7*n;
                const double t = k*0.01;
                const dc_quat turn = dc_quat_exp(dc_vec((dc_real)(d[0] + t*5*d[3]), (dc_real)(d[1] + t*5*d[4]), (dc_real)(d[2] + t*5*d[5])));
                to[0] = turn.w;
                to[1] = turn.x;
                to[2] = turn.y;
                to[3] = turn.z;
                to[4] = (dc_real)(x - toward*0.6 + t*(toward*(4 + d[6]) + d[7]));
                to[5] = (dc_real)(0.5*(i/2 - 2.5) + t*d[8]);
                to[6] = (dc_real)(0.35 + 0.6*(i%4/2) + t*d[9]);
            }
            for (k = 0; k < 6; ++k) force[6*n + k] = (dc_real)(i%4 == 2 ? 2*d[k] : 0);
            ++n;
        }
    machine_floor(&m, 0.7);
    m.desc.materials = 2;
    m.desc.table = by_kind;
    m.desc.material = material;
    m.desc.length = DC_R(0.006);
    m.desc.stiffness = DC_R(0.02);
    m.desc.friction.eps_f = DC_R(1e-8);
    m.desc.friction.eps_v = DC_R(1e-8);
    return n;
}

/* pairs of hulls that may touch and overlap */
static int overlaps(const dc_sim *sim, const dc_real *q)
{
    dc_pose pose[MACHINE_LINKS];
    int a, b, n = 0;
    dc_sim_poses(sim, q, pose);
    for (a = 0; a < sim->hulls; ++a)
        for (b = 0; b < a; ++b) {
            dc_hull A = DC_ZERO, B = DC_ZERO;
            dc_distance D = DC_ZERO;
            A.v = sim->vertex + sim->hull[a].begin;
            B.v = sim->vertex + sim->hull[b].begin;
            A.n = B.n = 8;
            if (!dc_sim_may_touch(sim, a, b)) continue;
            n += dc_hull_distance(&A, pose + sim->hull[a].link, &B, pose + sim->hull[b].link, NULL, &D) != DC_OK || !(D.gap > 0);
        }
    return n;
}

/* What feels nothing of each other is solved alone: each of two heaps goes on bit by bit as it would without the other; both together as in
 * one piece, to the tolerance; between the corners of the path nothing overlaps, also where islands meet. */
TEST islands_are_solved_as_if_alone(void)
{
    static dc_real q[3][3][HEAPS*HEAP_Q], force[3][HEAPS*HEAP_Q], other[HEAPS*HEAP_Q], path[64*HEAPS*HEAP_Q];
    static unsigned char room[3][1 << 20];
    static dc_sim sim[3];
    worst state = worst_make("islands against one piece");
    int k, t, c, p, found = 0, most = 0, alone = 0, contacts = 0, points = 0;
    for (k = 0; k < 3; ++k) {
        dc_arena mem = dc_arena_make(room[k], sizeof room[k]);
        ASSERT_EQ(k == 2 ? HEAPS*HEAP : HEAP, heaps(k, q[k][0], q[k][1], force[k]));
        ASSERT_EQ(DC_OK, dc_sim_build(&m.desc, &mem, sim + k, NULL));
    }
    {
        dc_arena mem = dc_arena_make(memory[0], sizeof memory[0]);
        one_piece = 1000;
        ASSERT_EQ(DC_OK, dc_sim_build(&m.desc, &mem, &whole, NULL));
        one_piece = 64;
    }
    for (t = 0; t < 60; ++t) {
        dc_sim_info info = DC_ZERO;
        for (k = 0; k < 3; ++k) {
            dc_arena mem = dc_arena_make(scratch, sizeof scratch);
            dc_sim_control u = DC_ZERO;
            u.force = force[k];
            memset(&info, 0, sizeof info);
            info.path = k == 2 ? path : NULL;
            info.path_size = 64;
            ASSERT_EQ(DC_OK, dc_sim_step(sim + k, q[k][t%3], q[k][(t + 1)%3], &u, &mem, q[k][(t + 2)%3], &info));
            alone += k < 2 ? info.islands : 0;
        }
        ASSERT(memcmp(q[2][(t + 2)%3], q[0][(t + 2)%3], HEAP_Q*sizeof **force) == 0);
        ASSERT(memcmp(q[2][(t + 2)%3] + HEAP_Q, q[1][(t + 2)%3], HEAP_Q*sizeof **force) == 0);
        found += info.islands;
        most = info.islands > most ? info.islands : most;
        contacts += info.contacts;

        /* the path */
        ASSERT(info.path_count <= 64);
        ASSERT(memcmp(path, q[2][(t + 1)%3], HEAPS*HEAP_Q*sizeof *path) == 0);
        ASSERT(memcmp(path + (info.path_count - 1)*HEAPS*HEAP_Q, q[2][(t + 2)%3], HEAPS*HEAP_Q*sizeof *path) == 0);
        for (c = 0; c + 1 < info.path_count; ++c)
            for (p = 0; p < 3; ++p, ++points) {
                dc_real d[HEAPS*6*HEAP];
                int j;
                dc_sim_local(&whole, path + c*HEAPS*HEAP_Q, path + (c + 1)*HEAPS*HEAP_Q, d);
                for (j = 0; j < whole.nv; ++j) d[j] *= (dc_real)p/3;
                dc_sim_retract(&whole, path + c*HEAPS*HEAP_Q, d, other);
                ASSERT_EQ(0, overlaps(&whole, other));
            }

        /* all at once */
        if (t%4 == 0) {
            dc_arena mem = dc_arena_make(scratch, sizeof scratch);
            dc_sim_control u = DC_ZERO;
            u.force = force[2];
            ASSERT_EQ(DC_OK, dc_sim_step(&whole, q[2][t%3], q[2][(t + 1)%3], &u, &mem, other, &info));
            add_difference(&state, q[2][(t + 2)%3], other, whole.nq, "state", t);
        }
    }
    printf("  %.1f islands in the mean, at most %d; %d contacts; %d points of paths\n", (double)found/60, most, contacts, points);
    ASSERT(found == alone && most >= 12 && found < 60*most && contacts > 300);
    /* in one piece a step of floats ends earlier, at the rounding of the sum of all energies */
    ASSERT(worst_print(&state, DC_IS_FLOAT ? 1e-2 : 1e-9));
    PASS();
}

/* What nothing foretells: boxes at rest are shot at each other and at scenery. Islands that meet are solved again as one, with the scenery. */
TEST islands_meet_what_was_not_foreseen(void)
{
    static dc_real q[2][HEAPS*HEAP_Q], force[HEAPS*HEAP_Q], next[HEAPS*HEAP_Q], other[HEAPS*HEAP_Q];
    worst state = worst_make("islands against one piece");
    dc_sim_control u = DC_ZERO;
    int newton, k, t, fewest = HEAPS*HEAP;
    for (newton = 10; newton < 40000; newton *= 4) {
        dc_arena mem = dc_arena_make(memory[0], sizeof memory[0]);
        heaps(2, q[0], q[1], force);
        ASSERT_EQ(DC_OK, dc_sim_build(&m.desc, &mem, &pieces, NULL));
        mem = dc_arena_make(memory[1], sizeof memory[1]);
        one_piece = 1000;
        ASSERT_EQ(DC_OK, dc_sim_build(&m.desc, &mem, &whole, NULL));
        one_piece = 64;
        memset(force, 0, sizeof force);
        for (k = 0; k < HEAPS*HEAP; ++k) force[6*k] = (dc_real)(q[1][7*k + 4] < (dc_real)(8*(k/HEAP)) ? newton : -newton);
        u.force = force;
        for (t = 0; t < 2; ++t) {
            dc_sim_info info = DC_ZERO;
            mem = dc_arena_make(scratch, sizeof scratch);
            ASSERT_EQ(DC_OK, dc_sim_step(&pieces, q[1], q[1], &u, &mem, next, &info));
            ASSERT_EQ(0, overlaps(&whole, next));
            fewest = info.islands < fewest ? info.islands : fewest;
            ASSERT_EQ(DC_OK, dc_sim_step(&whole, q[1], q[1], &u, &mem, other, NULL));
            /* one piece of floats ends at the rounding of the sum of all energies: far off when the forces are large */
            if (!DC_IS_FLOAT || newton < 1000) add_difference(&state, next, other, whole.nq, "state", newton);
            memcpy(q[1], next, sizeof next);
        }
    }
    printf("  at least %d islands\n", fewest);
    ASSERT(fewest < HEAPS*HEAP && worst_print(&state, DC_IS_FLOAT ? 1e-2 : 1e-8));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(pieces_are_the_whole);
    RUN_TEST(memory_is_by_what_touches);
    RUN_TEST(a_heap_comes_to_rest);
    RUN_TEST(islands_are_solved_as_if_alone);
    RUN_TEST(islands_meet_what_was_not_foreseen);
    GREATEST_MAIN_END();
}
