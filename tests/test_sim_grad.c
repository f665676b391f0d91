/* Jacobians of the step against differences of whole steps: every kind of parameter, joints, contacts, both mass models. */
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
#include "jacobian.h"

TEST without_contact(void)
{
    static step_case c;
    worst e[CLASSES];
    rng r;
    int k;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    worst_open(e);
    rng_seed(&r, 72);
    machine_tree(&m);
    m.desc.h = DC_R(0.125);
    m.desc.tolerance = DC_R(1e-13);
    ASSERT_EQ(DC_OK, machine_build(&m));
    memset(&c, 0, sizeof c);
    dc_sim_neutral(&m.sim, c.target);
    machine_random(&m.sim, &r, 0.3, c.target, c.q[1]);
    machine_random(&m.sim, &r, 0.1, c.q[1], c.q[0]);
    machine_random(&m.sim, &r, 0.3, c.q[1], c.target);
    for (k = 0; k < m.sim.nv; ++k) {
        c.velocity[k] = (dc_real)rng_uniform(&r, -1, 1);
        c.force[k] = (dc_real)rng_uniform(&r, -1, 1);
    }
    ASSERT(jacobian_checks(&c, e, "tree"));

    /* its root is pulled to a pose */
    m.link[0].kp = 2;
    m.link[0].kd = DC_R(0.3);
    m.link[0].kp_move = 20;
    m.link[0].kd_move = DC_R(1.5);
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT(jacobian_checks(&c, e, "tree held by its root"));
    ASSERT(worst_close(e, 1e-7));
    PASS();
}

/* a box on the floor: falls until it rests, with a push sideways */
TEST box_on_the_floor(void)
{
    static step_case c;
    worst e[CLASSES];
    dc_sim_link *l;
    int k;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    worst_open(e);
    machine_open(&m);
    l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
    l->mass = 1;
    machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08)));
    machine_floor(&m, 0.8);
    m.desc.tolerance = DC_R(1e-13);
    m.desc.friction.eps_v = DC_R(1e-4);
    ASSERT_EQ(DC_OK, machine_build(&m));
    begin_case(&c);
    c.q[0][6] = DC_R(0.1);
    c.q[0][1] = DC_R(0.01);
    hold(&c);
    for (k = 0; k < 60; ++k) {
        c.force[0] = k < 20 ? 9 : 3;
        c.force[5] = k < 20 ? DC_R(0.1) : 0;
        ASSERT_EQ(DC_OK, step(&c, c.q[2], NULL));
        go_on(&c);
        if (k == 2 || k == 15 || k == 59) ASSERT(jacobian_checks(&c, e, k == 2 ? "lands" : k == 15 ? "slides" : "rests"));
    }
    ASSERT(worst_close(e, 1e-5));
    PASS();
}

/* Two boxes stacked on a static one, and a tipped one on top: pairs of hulls, friction between them. */
TEST stacked_boxes(void)
{
    static const dc_real factors[4] = {1, DC_R(0.9), DC_R(0.9), DC_R(1.2)};       /* the ground and the boxes, box and box */
    static const int material[3] = {0, 1, 1};
    static step_case c;
    worst e[CLASSES];
    int k, b;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    worst_open(e);
    machine_open(&m);
    machine_link(&m, -1, DC_SIM_FIXED, dc_vec(0, 0, 0));
    machine_box(&m, dc_vec(0, 0, DC_R(-0.1)), dc_vec(DC_R(0.5), DC_R(0.5), DC_R(0.1)));
    for (b = 0; b < 2; ++b) {
        dc_sim_link *l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
        l->mass = b ? DC_R(0.5) : 1;
        l->model = b ? DC_SIM_LUMPED : DC_SIM_UNIFORM;
        machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08)));
    }
    m.desc.tolerance = DC_R(1e-13);
    m.desc.friction.eps_v = DC_R(1e-4);
    m.desc.table = factors;
    m.desc.material = material;
    m.desc.materials = 2;
    ASSERT_EQ(DC_OK, machine_build(&m));
    ASSERT_EQ(DC_R(0.7)*DC_R(0.7)*DC_R(0.9), dci_sim_pair_of(&m.sim, 0, 1).friction);
    begin_case(&c);
    c.q[0][6] = DC_R(0.1);
    c.q[0][13] = DC_R(0.29);
    c.q[0][8] = DC_R(0.01);
    hold(&c);
    for (k = 0; k < 40; ++k) {
        c.force[6] = k < 20 ? 4 : 1;
        c.force[11] = k < 20 ? DC_R(0.1) : 0;
        ASSERT_EQ(DC_OK, step(&c, c.q[2], NULL));
        go_on(&c);
        if (k == 3 || k == 15 || k == 39) ASSERT(jacobian_checks(&c, e, k == 3 ? "lands" : k == 15 ? "slides" : "rests"));
    }
    ASSERT(worst_close(e, 1e-5));
    PASS();
}

/* ---- trajectories --------------------------------------------------------------------------------- */

/* An arm of three hinges hangs down to a box and pushes it over the floor. */
static void arm_and_box(void)
{
    dc_sim_link *l;
    int k;
    machine_open(&m);
    for (k = 0; k < 3; ++k) {
        l = machine_link(&m, k - 1, DC_SIM_HINGE, k ? dc_vec(DC_R(0.3), 0, 0) : dc_vec(0, 0, DC_R(0.98)));
        l->axis = k == 1 ? dc_vec(0, 1, DC_R(0.3)) : dc_vec(0, 1, 0);
        l->mass = DC_R(0.4);
        l->kp = 40;
        l->kd = 1;
        machine_box(&m, dc_vec(DC_R(0.15), 0, 0), dc_vec(DC_R(0.13), DC_R(0.03), DC_R(0.03)));
    }
    l = machine_link(&m, -1, DC_SIM_FREE, dc_vec(0, 0, 0));
    l->mass = DC_R(0.3);
    machine_box(&m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.1)));
    machine_floor(&m, 0.5);
    m.desc.tolerance = DC_R(1e-13);
    m.desc.friction.eps_v = DC_R(1e-4);
}

/* The arm while it pushes: joints, hulls, friction between links and at the floor, all at once. */
TEST arm_pushes_a_box(void)
{
    static step_case c;
    worst e[CLASSES];
    int k, t;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    worst_open(e);
    arm_and_box();
    ASSERT_EQ(DC_OK, machine_build(&m));
    begin_case(&c);
    c.q[0][0] = DC_R(1.6);
    c.q[0][7] = DC_R(0.17);
    c.q[0][9] = DC_R(0.1095);
    hold(&c);
    for (t = 0; t < 60; ++t) {
        c.target[0] = DC_R(1.5) - DC_R(0.005)*(dc_real)t;
        c.target[1] = DC_R(-0.1);
        for (k = 0; k < 3; ++k) c.force[k] = DC_R(0.1)*(dc_real)k;
        ASSERT_EQ(DC_OK, step(&c, c.q[2], NULL));
        if (t == 59) ASSERT(jacobian_checks(&c, e, "pushes"));
        go_on(&c);
    }
    ASSERT((double)c.q[2][7] > 0.2);
    ASSERT(worst_close(e, 1e-5));
    PASS();
}

/* A chain of 8 links (5 with the potential of all pairs) that is folded into a coil by its joints, until links that are not neighbours press on each other. */
static void coil(int global)
{
    int k, links = global ? 5 : 8;
    machine_open(&m);
    for (k = 0; k < links; ++k) {
        dc_sim_link *l = machine_link(&m, k - 1, k ? DC_SIM_HINGE : DC_SIM_BALL, k ? dc_vec(DC_R(0.2), 0, 0) : dc_vec(0, 0, 0));
        l->attach.q = dc_quat_exp(dc_vec(DC_R(0.05), 0, DC_R(0.1)));
        l->axis = dc_vec(0, DC_R(0.1), 1);
        l->mass = DC_R(0.2);
        l->model = k & 1 ? DC_SIM_LUMPED : DC_SIM_UNIFORM;
        l->kp = 20;
        l->kd = DC_R(0.5);
        machine_box(&m, dc_vec(DC_R(0.1), 0, 0), dc_vec(DC_R(0.08), DC_R(0.02), DC_R(0.02)));
    }
    m.desc.tolerance = DC_R(1e-13);
    m.desc.friction.eps_v = DC_R(1e-4);
    m.desc.length = DC_R(0.2);
    m.desc.stiffness = global ? DC_R(1e-4) : DC_R(0.01);
    m.desc.global = global;
}

TEST chain_presses_on_itself(void)
{
    static step_case c;
    worst e[CLASSES];
    int k, t, global;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (global = 0; global < 2; ++global) {
        dc_sim_info info = DC_ZERO;
        worst_open(e);
        coil(global);
        ASSERT_EQ(DC_OK, machine_build(&m));
        memset(&c, 0, sizeof c);
        c.every = 7;        /* all of them take seconds, with the same result */
        dc_sim_neutral(&m.sim, c.target);
        memcpy(c.q[0], c.target, sizeof c.q[0]);
        memcpy(c.q[1], c.target, sizeof c.q[0]);
        for (t = 0; t < 80; ++t) {
            for (k = 0; k < m.sim.links - 1; ++k) c.target[4 + k] = DC_R(0.02)*(dc_real)(t < 60 ? t : 60);
            ASSERT_EQ(DC_OK, step(&c, c.q[2], &info));
            if (t < 79) {
                go_on(&c);
            }
        }
        printf("  chain: %d contacts, gap %g\n", info.contacts, (double)info.gap);
        ASSERT(info.contacts > 0 && (double)info.gap < 0.02);
        ASSERT(jacobian_checks(&c, e, global ? "global" : "local"));
        ASSERT(worst_close(e, 1e-5));
    }
    PASS();
}

enum { STEPS = 100 };
typedef struct { dc_real q[(STEPS + 2)*16], target[STEPS][16]; dc_sim_control u[STEPS]; double loss[STEPS*16]; } trajectory;

/* L = sum_t c_t . (coordinates of q_t), quaternions but for w; linear in q, with fixed c; its derivatives by tangents */
static double loss_of(const trajectory *T, const double *c, dc_real *grad)
{
    double L = 0;
    int t, k, nv = m.sim.nv, nq = m.sim.nq;
    for (t = 0; t < STEPS; ++t) {
        const dc_real *q = T->q + (t + 2)*nq;
        for (k = 0; k < nq; ++k) L += c[t*16 + k]*(double)q[k];
        if (!grad) continue;
        for (k = 0; k < 3; ++k) grad[t*nv + k] = (dc_real)c[t*16 + k];
        for (k = 0; k < 3; ++k) grad[t*nv + 3 + k] = (dc_real)c[t*16 + 7 + k];
        for (k = 0; k < 3; ++k) {       /* dq = w q/2 */
            dc_quat w, x;
            w.w = 0;
            w.x = k == 0;
            w.y = k == 1;
            w.z = k == 2;
            x.w = q[3];
            x.x = q[4];
            x.y = q[5];
            x.z = q[6];
            x = dc_quat_mul(w, x);
            grad[t*nv + 6 + k] = (dc_real)(0.5*(c[t*16 + 3]*(double)x.w + c[t*16 + 4]*(double)x.x + c[t*16 + 5]*(double)x.y
                                              + c[t*16 + 6]*(double)x.z));
        }
    }
    return L;
}

static int roll(trajectory *T)
{
    int t, nq = m.sim.nq;
    for (t = 0; t < STEPS; ++t) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        T->u[t].target = T->target[t];
        T->u[t].velocity = T->u[t].force = NULL;
        if (dc_sim_step(&m.sim, T->q + t*nq, T->q + (t + 1)*nq, T->u + t, &mem, T->q + (t + 2)*nq, NULL) != DC_OK) return 0;
    }
    return 1;
}

static void set_out(trajectory *T, double bend, const dc_real *target_step, const dc_real *start_step)
{
    int t, k, nq = m.sim.nq;
    memset(T->q, 0, sizeof T->q);
    for (t = 0; t < 2; ++t) {
        dc_sim_neutral(&m.sim, T->q + t*nq);
        T->q[t*nq + 0] = DC_R(1.75);
        T->q[t*nq + 7] = DC_R(0.17);
        T->q[t*nq + 9] = DC_R(0.1078);
        if (start_step) {
            dc_real d[16];
            for (k = 0; k < m.sim.nv; ++k) d[k] = (dc_real)bend*start_step[t*m.sim.nv + k];
            dc_sim_retract(&m.sim, T->q + t*nq, d, T->q + t*nq);
        }
    }
    for (t = 0; t < STEPS; ++t)
        for (k = 0; k < 3; ++k) {
            T->target[t][k] = (k == 0 ? DC_R(1.75) : 0) - (k == 0 ? DC_R(0.5) : k == 1 ? DC_R(0.1) : DC_R(-0.05))*(dc_real)t/(dc_real)STEPS;
            T->target[t][3] = 1;
            if (target_step) T->target[t][k] += (dc_real)bend*target_step[t*3*m.sim.nv + k];
        }
}

TEST adjoint_is_the_product_of_the_jacobians(void)
{
    static trajectory T, U;
    static double c[STEPS*16];
    static dc_real loss[STEPS*16], start[2*16] = {0}, control[STEPS*48] = {0}, attach[64], mass[8], friction[8], vertex[128];
    static dc_real J[CLASSES][9*128], check[2][STEPS*48 + 512], marks[24*16];
    worst e = worst_make("adjoint against Jacobians"), ec = worst_make("directional derivative");
    double a[3][16], want_control[STEPS*48], want[CLASSES][128];
    dc_sim_run run = DC_ZERO;
    dc_sim_jacobian o = DC_ZERO;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    rng r;
    int t, k, i, nv, nq, n[CLASSES];
    double contact = 0;
    if (DC_IS_FLOAT) SKIPm("the bars are for double");
    rng_seed(&r, 73);
    arm_and_box();
    ASSERT_EQ(DC_OK, machine_build(&m));
    nv = m.sim.nv;
    nq = m.sim.nq;
    set_out(&T, 0, NULL, NULL);
    for (k = 0; k < STEPS*16; ++k) c[k] = k%16 < nq ? rng_uniform(&r, -1, 1) : 0;
    ASSERT(roll(&T));
    contact = (double)(T.q[(STEPS + 1)*nq + 7] - T.q[7]);
    ASSERTm("the arm did not push the box", contact > 0.02);
    loss_of(&T, c, loss);
    run.steps = STEPS;
    run.q = T.q;
    run.control = T.u;
    run.loss = loss;
    run.start = start;
    run.control_grad = control;
    run.attach = attach;
    run.mass = mass;
    run.friction = friction;
    run.vertex = vertex;
    ASSERT_EQ(DC_OK, dc_sim_adjoint(&m.sim, &run, &mem));
    ASSERT(dc_sim_adjoint_bytes(&m.sim, &run) <= sizeof scratch && mem.used == 0);

    /* the product: a_t += Jacobians^T a_{t+1} */
    all_jacobians(J[0], 9*128, &o, n);
    memset(a, 0, sizeof a);
    memset(want, 0, sizeof want);
    for (t = STEPS - 1; t >= 0; --t) {
        ASSERT_EQ(DC_OK, dc_sim_grad(&m.sim, T.q + t*nq, T.q + (t + 1)*nq, T.u + t, T.q + (t + 2)*nq, &mem, &o));
        for (k = 0; k < nv; ++k) a[0][k] += (double)loss[t*nv + k];
        for (i = PREV; i < CLASSES; ++i) {
            double *to = i == PREV ? a[2] : i == NOW ? a[1] : i == CONTROL ? want_control + t*3*nv : want[i];
            int col, row;
            for (col = 0; col < n[i]; ++col) {
                double s = 0;
                for (row = 0; row < nv; ++row) s += a[0][row]*(double)J[i][row*n[i] + col];
                to[col] = i == CONTROL ? s : to[col] + s;
            }
        }
        memcpy(a[0], a[1], sizeof a[0]);
        memcpy(a[1], a[2], sizeof a[0]);
        memset(a[2], 0, sizeof a[0]);
    }
    worst_add(&e, relative_error(start, a[1], (size_t)nv), "q_{-1}");
    worst_add(&e, relative_error(start + nv, a[0], (size_t)nv), "q_0");
    worst_add(&e, relative_error(control, want_control, (size_t)(STEPS*3*nv)), "control");
    worst_add(&e, relative_error(attach, want[ATTACH], (size_t)n[ATTACH]), "attach");
    worst_add(&e, relative_error(mass, want[MASS], (size_t)n[MASS]), "mass");
    worst_add(&e, relative_error(friction, want[FRICTION], (size_t)n[FRICTION]), "friction");
    worst_add(&e, relative_error(vertex, want[VERTEX], (size_t)n[VERTEX]), "vertex");

    /* the loss along its own gradient, by the targets and by the start */
    for (i = 0; i < 2; ++i) {
        double slope = 0, L[2], step = 1e-5, size = 0;
        const dc_real *g = i ? start : control;
        int count = i ? 2*nv : STEPS*3*nv;
        for (k = 0; k < count; ++k) {
            int used = i || (k%(3*nv)) < 3;
            if (used) size += (double)g[k]*(double)g[k];
        }
        size = sqrt(size);
        for (k = 0; k < count; ++k) check[0][k] = g[k]/(dc_real)size;
        slope = size;
        for (k = 0; k < 2; ++k) {
            U = T;
            set_out(&U, k ? step : -step, i ? NULL : check[0], i ? check[0] : NULL);
            ASSERT(roll(&U));
            L[k] = loss_of(&U, c, NULL);
        }
        worst_add(&ec, fabs((L[1] - L[0])/(2*step) - slope)/slope, "%s", i ? "start" : "targets");
    }

    /* checkpoints of every ninth step: the same bits */
    memset(check, 0, sizeof check);
    memcpy(check[0], control, sizeof control);
    memcpy(check[0] + STEPS*48, start, sizeof start);
    memcpy(check[0] + STEPS*48 + 32, vertex, sizeof vertex);
    run.every = 9;
    for (t = 0; t < STEPS; t += 9) memcpy(marks + 2*(t/9)*nq, T.q + t*nq, 2*(size_t)nq*sizeof *marks);
    run.q = marks;
    ASSERT_EQ(DC_OK, dc_sim_adjoint(&m.sim, &run, &mem));
    memcpy(check[1], control, sizeof control);
    memcpy(check[1] + STEPS*48, start, sizeof start);
    memcpy(check[1] + STEPS*48 + 32, vertex, sizeof vertex);
    ASSERT(memcmp(check[0], check[1], sizeof check[0]) == 0);
    ASSERT(worst_print(&e, 1e-9) & worst_print(&ec, 1e-4));
    PASS();
}

/* Points of links by every tangent: J dq against differences of poses, J^T f against J. */
TEST points_move_as_their_links_do(void)
{
    static dc_real q[64], dq[64], f[64], on[64], back[64], ahead[64], behind[64];
    worst wc = worst_make("J dq against differences"), wp = worst_make("f.(J dq) against dq.(J^T f)");
    const double step = DC_IS_FLOAT ? 1e-2 : 1e-5;
    rng r;
    int n, i, k;
    rng_seed(&r, 98);
    machine_tree(&m);
    ASSERT_EQ(DC_OK, machine_build(&m));
    for (n = 0; n < 20; ++n) {
        dc_pose a[MACHINE_LINKS], b[MACHINE_LINKS];
        dc_sim_neutral(&m.sim, q);
        machine_random(&m.sim, &r, 0.5, q, q);
        for (i = 0; i < m.sim.links; ++i) {
            dc_v3 x, force, J, d;
            double pulled = 0;
            x = dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1));
            force = dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1));
            for (k = 0; k < m.sim.nv; ++k) {
                dq[k] = (dc_real)rng_uniform(&r, -1, 1);
                f[k] = 1;
            }
            J = dc_sim_carry(&m.sim, q, i, x, dq);
            dc_sim_pull(&m.sim, q, i, x, force, f);
            for (k = 0; k < m.sim.nv; ++k) {
                pulled += (double)dq[k]*((double)f[k] - 1);
                on[k] = (dc_real)step*dq[k];
                back[k] = -on[k];
            }
            dc_sim_retract(&m.sim, q, on, ahead);
            dc_sim_retract(&m.sim, q, back, behind);
            dc_sim_poses(&m.sim, ahead, a);
            dc_sim_poses(&m.sim, behind, b);
            d = dc_sub(dc_scale((dc_real)(0.5/step), dc_sub(dc_pose_apply(a[i], x), dc_pose_apply(b[i], x))), J);
            worst_add(&wc, sqrt((double)dc_dot(d, d)), "state %d link %d", n, i);
            worst_add(&wp, fabs(pulled - (double)dc_dot(J, force)), "state %d link %d", n, i);
        }
    }
    ASSERT(worst_print(&wc, DC_IS_FLOAT ? 2e-3 : 1e-8) & worst_print(&wp, 1000*(double)DC_EPS));
    PASS();
}

/* A run rolled is its steps one by one, with checkpoints too; steps that fail are counted and passed. */
TEST a_roll_is_its_steps(void)
{
    enum { H = 20 };
    static dc_real q[(H + 2)*64], one[(H + 2)*64], pairs[(H + 2)*64];
    dc_sim_roll_info info;
    dc_sim_run run = DC_ZERO;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    size_t nq, bytes;
    rng r;
    int t, every;
    rng_seed(&r, 99);
    machine_tree(&m);
    machine_floor(&m, 0.5);
    ASSERT_EQ(DC_OK, machine_build(&m));
    nq = (size_t)m.sim.nq;
    dc_sim_neutral(&m.sim, one);
    one[6] = 3;
    machine_random(&m.sim, &r, 0.05, one, one + nq);
    memcpy(q, one, 2*nq*sizeof *q);
    memcpy(pairs, one, 2*nq*sizeof *q);
    for (t = 0; t < H; ++t) ASSERT_EQ(DC_OK, dc_sim_step(&m.sim, one + (size_t)t*nq, one + (size_t)(t + 1)*nq, NULL, &mem, one + (size_t)(t + 2)*nq, NULL));
    run.steps = H;
    run.q = q;
    bytes = dc_sim_roll_bytes(&m.sim);
    ASSERT(bytes > 0 && bytes <= sizeof scratch);
    ASSERT_EQ(DC_OK, dc_sim_roll(&m.sim, &run, q, &mem, &info));
    ASSERT(mem.used == 0 && info.diverged == 0 && info.first == -1 && info.iterations > 0);
    ASSERT(memcmp(q, one, (H + 2)*nq*sizeof *q) == 0);
    for (every = 2; every < 8; ++every) {
        int c;
        run.every = every;
        ASSERT_EQ(DC_OK, dc_sim_roll(&m.sim, &run, pairs, &mem, NULL));
        for (c = 0; c*every < H; ++c) ASSERT(memcmp(pairs + 2*(size_t)c*nq, one + (size_t)(c*every)*nq, 2*nq*sizeof *q) == 0);
    }
    run.every = 0;
    m.sim.desc.iterations = 1;
    ASSERT_EQ(DC_E_DIVERGED, dc_sim_roll(&m.sim, &run, q, &mem, &info));
    ASSERT(info.diverged > 0 && info.first >= 0 && info.first < H && info.iterations <= H);

    /* refused before anything is written */
    memset(q + 2*nq, 0, nq*sizeof *q);
    ASSERT_EQ(DC_E_ARG, dc_sim_roll(NULL, &run, q, &mem, NULL));
    run.steps = 0;
    ASSERT_EQ(DC_E_ARG, dc_sim_roll(&m.sim, &run, q, &mem, NULL));
    run.steps = H;
    q[0] = (dc_real)NAN;
    ASSERT_EQ(DC_E_ARG, dc_sim_roll(&m.sim, &run, q, &mem, NULL));
    memcpy(q, one, 2*nq*sizeof *q);
    mem = dc_arena_make(scratch, 3*nq*sizeof *q + 64);
    ASSERT_EQ(DC_E_MEMORY, dc_sim_roll(&m.sim, &run, q, &mem, NULL));
    ASSERT(mem.used == 0 && q[2*nq] == 0);
    PASS();
}

/* The adjoint by the velocity at the start against differences of rolls. */
static const dc_real *weights_of_loss;
static void by_velocity(const double *v, double *f, void *user)
{
    static dc_real q[7*64], dq[64], d[64];
    const dc_real *now = (const dc_real *)user;
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_sim_run run = DC_ZERO;
    int k;
    for (k = 0; k < m.sim.nv; ++k) dq[k] = -m.sim.desc.h*(dc_real)v[k];
    memcpy(q + m.sim.nq, now, (size_t)m.sim.nq*sizeof *q);
    dc_sim_retract(&m.sim, now, dq, q);
    run.steps = 5;
    run.q = q;
    f[0] = dc_sim_roll(&m.sim, &run, q, &mem, NULL) == DC_OK ? 0 : (double)NAN;
    dc_sim_local(&m.sim, now + m.sim.nq, q + 6*m.sim.nq, d);
    for (k = 0; k < m.sim.nv; ++k) f[0] += (double)(weights_of_loss[k]*d[k]);
}

TEST adjoint_by_the_first_velocity(void)
{
    static dc_real q[7*64], loss[5*64], grad[64], weights[64], base[2*64];
    double v[64], J[64];
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_sim_run run = DC_ZERO;
    fd_result fd;
    rng r;
    int k, nq, nv;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    rng_seed(&r, 100);
    machine_tree(&m);
    m.desc.tolerance = DC_R(1e-13);
    ASSERT_EQ(DC_OK, machine_build(&m));
    nq = m.sim.nq;
    nv = m.sim.nv;
    dc_sim_neutral(&m.sim, q + nq);
    machine_random(&m.sim, &r, 0.3, q + nq, q + nq);
    for (k = 0; k < nv; ++k) {
        v[k] = rng_uniform(&r, -2, 2);
        weights[k] = (dc_real)rng_uniform(&r, -1, 1);
        grad[k] = -m.sim.desc.h*(dc_real)v[k];
    }
    weights_of_loss = weights;
    dc_sim_retract(&m.sim, q + nq, grad, q);
    run.steps = 5;
    run.q = q;
    run.loss = loss;
    run.velocity = grad;
    ASSERT_EQ(DC_OK, dc_sim_roll(&m.sim, &run, q, &mem, NULL));
    memset(loss, 0, sizeof loss);
    for (k = 0; k < nv; ++k) loss[4*nv + k] = weights[k];
    ASSERT_EQ(DC_OK, dc_sim_adjoint(&m.sim, &run, &mem));
    for (k = 0; k < nv; ++k) J[k] = (double)grad[k];
    memcpy(base, q + nq, (size_t)nq*sizeof *q);
    memcpy(base + nq, q + 6*nq, (size_t)nq*sizeof *q);
    fd = fd_check(by_velocity, base, nv, v, 1, J, 1.0/1024);
    printf("  %g of the largest entry, order %.2f\n", fd.err, fd.order);
    ASSERT(fd.err < 1e-7 && fd.order > 1.9 && !fd.bit_equal);
    PASS();
}

TEST adam_finds_a_minimum(void)
{
    dc_real x[2], g[2], mom[2] = {0, 0}, var[2] = {0, 0};
    dc_adam_state a = DC_ZERO;
    int k;
    x[0] = 3;
    x[1] = -2;
    a.n = 2;
    a.m = mom;
    a.v = var;
    a.rate = DC_R(0.1);
    /* the first step is the rate, whatever the gradient's size */
    g[0] = 100;
    g[1] = DC_R(-0.001);
    ASSERT_EQ(DC_OK, dc_adam(&a, g, x));
    ASSERT(fabs((double)x[0] - 2.9) < 1e-4 && fabs((double)x[1] + 1.9) < 1e-4);
    for (k = 0; k < 2000; ++k) {
        g[0] = 2*(x[0] - 1);
        g[1] = 20*(x[1] - DC_R(0.5));
        ASSERT_EQ(DC_OK, dc_adam(&a, g, x));
    }
    ASSERT(fabs((double)x[0] - 1) < 1e-3 && fabs((double)x[1] - 0.5) < 1e-3);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(without_contact);
    RUN_TEST(box_on_the_floor);
    RUN_TEST(stacked_boxes);
    RUN_TEST(arm_pushes_a_box);
    RUN_TEST(chain_presses_on_itself);
    RUN_TEST(adjoint_is_the_product_of_the_jacobians);
    RUN_TEST(points_move_as_their_links_do);
    RUN_TEST(a_roll_is_its_steps);
    RUN_TEST(adjoint_by_the_first_velocity);
    RUN_TEST(adam_finds_a_minimum);
    GREATEST_MAIN_END();
}
