/* The tasks of the examples: gradients of their losses by the parameters of a plan against differences, at the start and
 * in contact, for every kind of control; what plan.h keeps, draws and moves up. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#include "cli.h"
#include "sim_scene.h"
#include "plan.h"
#include "plan_judge.h"
#include "plan_check.h"
#include "sim_ant.h"
#include "octa_ball.h"
#include "round_mesh.h"
#include "task_push.h"
#include "task_gather.h"
#include "task_billiards.h"
#include "task_ant.h"
#include "task_arm.h"
#include "flat.h"

#include "greatest.h"
#include "support.h"

GREATEST_MAIN_DEFS();

#define BAR 1e-4                                        /* of a gradient against differences, relative to its size */

static sim_world          w;
static plan               p;
static unsigned long long drawn;

/* The full length is for builds that are not slow. */
static int slow(void) { return sweep_count(100) < 100; }

/* Whether the gradient at hand is right, and whether it is exactly zero or not, as it should be. */
static int gradient_holds(const char *what, int global, int zero, double largest, double tolerance)
{
    double error = plan_check(&p, 2, largest, tolerance, &drawn);

    printf("    %s, %s: size %.2g, off differences by %.1e of it (bar %.0e)\n", what, global ? "long range" : "local", p.size,
           error, BAR);
    return error < BAR && (plan_back(&p) > 0) == !zero;
}

/* ---- gradients ---- */

TEST push_agrees_with_differences(void)
{
    int global, i;

    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (global = 0; global < 2; global++) {
        push_scene(&w, global, 1e-4, 0.04);
        push_plan(&p, &w, 16, 0.05);
        ASSERT(gradient_holds("push, at the start", global, !global, 1e-3, 1e-12));
        for (i = 0; i < p.c.n; i += PUSH_CONTROLS) p.u[i] = DC_R(-0.5);         /* into the box */
        plan_roll(&p);
        ASSERT(push_off(p.q + 17*w.sim.nq) > 0.41);
        ASSERT(gradient_holds("push, in contact", global, 0, 1e-3, 1e-9));
        plan_end(&p);
    }
    PASS();
}

TEST gather_agrees_with_differences(void)
{
    static gather_task task;
    int                global;

    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (global = 0; global < 2; global++) {
        double still;
        drawn = 1;
        gather_scene(&task, &w, 2, 1, 0, global, 3e-5, &drawn);
        gather_plan(&p, &w, &task, 32, 0.1);
        still = plan_roll(&p);
        ASSERT(gradient_holds("gather, at the start", global, !global, 1e-3, 1e-12));
        ASSERT(plan_draw(&p, 30, gather_draw, &drawn, 0) < 0.99*still);         /* it pushes one */
        ASSERT(gradient_holds("gather, in contact", global, 0, 1e-3, 1e-9));
        plan_end(&p);
    }
    PASS();
}

TEST billiards_agree_with_differences(void)
{
    static billiards_task task;
    int                   global;

    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (global = 0; global < (slow() ? 1 : 2); global++) {
        drawn = 2;
        billiards_scene(&task, &w, 3, global, global ? 1e-7 : 1e-4, 1, &drawn);
        billiards_plan(&p, &w, &task, global ? 10 : 30, 0.03);
        billiards_marks(&task, &p, &drawn);
        ASSERT(gradient_holds("billiards, at the start", global, !global, 0.2, 1e-12));
        plan_draw(&p, 5, billiards_draw, &drawn, 0);
        ASSERT(gradient_holds("billiards, in contact", global, 0, 1e-4, 1e-9));
        plan_end(&p);
    }
    PASS();
}

TEST ant_push_agrees_with_differences(void)
{
    static ant_task task;
    int             i;

    if (DC_IS_FLOAT) SKIPm("differences need double");
    drawn = 3;
    ant_scene(&task, &w, 1, 1e-5, 0.02, &drawn);
    ant_plan(&p, &w, &task, slow() ? 4 : 12, 0.03, &drawn);
    ASSERT(gradient_holds("ant-push, at the start", 1, 0, 1e-3, 1e-12));
    for (i = 0; i < p.c.n; i += 3) p.u[i] = DC_R(i%2 ? 0.1 : -0.07);
    ASSERT(gradient_holds("ant-push, on its feet", 1, 0, 1e-3, 1e-12));
    plan_end(&p);
    PASS();
}

/* A body that is not convex and a rod that touches nothing, then is on its way into it. */
TEST meshes_agree_with_differences(void)
{
    static gather_task task;
    int                i;

    if (DC_IS_FLOAT) SKIPm("differences need double");
    drawn = 1;
    gather_scene(&task, &w, 1, 0, 1, 1, 1e-6, &drawn);
    w.prev[7] = w.now[7] = w.now[4] + DC_R(0.2);
    w.prev[8] = w.now[8] = w.now[5];
    gather_plan(&p, &w, &task, 4, 0.1);
    ASSERT(gradient_holds("meshes, at the start", 1, 0, 1e-3, 1e-12));
    for (i = 0; i < 2; i++) {
        dc_real *q = i ? w.now : w.prev;
        q[7] = q[4] + DC_R(0.12);
    }
    for (i = 0; i < p.c.n; i += GATHER_CONTROLS) p.u[i] = DC_R(-0.5);
    plan_roll(&p);
    ASSERT(p.q[5*w.sim.nq + 4] < w.now[4] - DC_R(0.02));
    ASSERT(gradient_holds("meshes, in contact", 1, 0, 1e-4, 1e-9));
    plan_end(&p);
    PASS();
}

TEST the_arm_agrees_with_differences(void)
{
    static arm_task task;
    int             global;

    if (DC_IS_FLOAT) SKIPm("differences need double");
    task.mark[0] = 0.6;
    for (global = 0; global < 2; global++) {
        drawn = 1;
        arm_scene(&task, &w, 0, global, 1e-4);
        arm_plan(&p, &w, &task, global ? 8 : 24, 0.1);
        ASSERT(gradient_holds("arm, at the start", global, !global, 1e-2, 1e-12));
        plan_draw(&p, global ? 1 : 40, arm_draw, &drawn, 0);
        ASSERT(gradient_holds(global ? "arm, moving" : "arm, in contact", global, 0, 1e-3, 1e-12));
        plan_end(&p);
    }
    PASS();
}

/* The box seen from above and the rod, still beside it and pushing it, by each of the potentials. */
TEST flat_push_agrees_with_differences(void)
{
    enum { STEPS = 16 };
    static flat_world f;
    static double     v[STEPS][3], pull[STEPS][FLAT_X], grad[STEPS][3];
    int               kind, still, t, k, side;

    if (DC_IS_FLOAT) SKIPm("differences need double");
    for (kind = 0; kind < FLAT_KINDS; kind++) {
        for (still = 0; still < 2; still++) {
            double error = 0, size = 0;
            memset(&f, 0, sizeof f);
            f.kind = (flat_kind)kind;
            f.bodies = 2;
            f.half[0][0] = 0.03;
            f.half[0][1] = 0.2;
            f.half[1][0] = f.half[1][1] = 0.1;
            f.lo[0] = f.lo[1] = -0.7;
            f.hi[0] = f.hi[1] = 0.7;
            f.h = 0.04;
            f.k = 1e-4;
            f.friction = 0.5;
            f.slow = 1e-3;
            f.drive = 100;
            f.x[0][0] = f.x[1][0] = still ? 0.45 : 0.2;
            f.x[0][1] = f.x[1][1] = 0.05;
            for (t = 0; t < STEPS; t++) v[t][0] = still ? 0 : -0.3;
            for (t = 0; t < STEPS; t++) flat_step(&f, t, v[t]);
            for (t = 0; t < STEPS; t++) pull[t][3] = pull[t][4] = pull[t][5] = t%3 - 0.5;
            flat_back(&f, STEPS, (const double (*)[3])v, (const double (*)[FLAT_X])pull);
            memcpy(grad, f.by_velocity, sizeof grad);
            if (!still) ASSERT(f.x[STEPS + 1][3] < -0.02);
            ASSERT(f.x[STEPS + 1][3] <= 1e-3 && f.stuck == 0);
            for (t = 0; t < STEPS; t += 5) {
                for (k = 0; k < 3; k++) {
                    const double at = v[t][k];
                    double       slope = 0;
                    int          i, j;
                    for (side = 1; side >= -1; side -= 2) {
                        v[t][k] = at + 1e-4*side;
                        for (i = 0; i < STEPS; i++) flat_step(&f, i, v[i]);
                        for (i = 0; i < STEPS; i++) for (j = 3; j < 6; j++) slope += side*pull[i][j]*f.x[i + 2][j]/2e-4;
                    }
                    v[t][k] = at;
                    error = fmax(error, fabs(slope - grad[t][k]));
                    size = fmax(size, fabs(grad[t][k]));
                }
            }
            printf("    flat push, potential %d, %s: size %.2g, off differences by %.1e of it\n", kind, still ? "still" : "pushing", size,
                   size > 0 ? error/size : error);
            ASSERT((size > 0) == !(still && kind == FLAT_NEAR) && error <= BAR*size);
        }
    }
    PASS();
}

/* An arm of two hinges with gains, whose targets the velocities move: where its tip is after each step. */
static double tip_loss(const plan *of, int step, const dc_real *q, dc_real *dq)
{
    dc_pose pose[SIM_LINKS];
    dc_v3   x;

    (void)step;
    dc_sim_poses(&of->world->sim, q, pose);
    x = dc_add(pose[1].t, dc_quat_rotate(pose[1].q, dc_vec(DC_R(0.3), 0, 0)));
    if (dq) dc_sim_pull(&of->world->sim, q, 1, dc_vec(DC_R(0.3), 0, 0), dc_vec(2*x.x, 2*(x.y - DC_R(0.4)), 0), dq);
    return (double)(x.x*x.x + (x.y - DC_R(0.4))*(x.y - DC_R(0.4)));
}

static void arm(void)
{
    const int freedom[2] = {0, 1};
    int       k;

    sim_begin(&w, 0.04);
    for (k = 0; k < 2; k++) {
        dc_sim_link *l = sim_link(&w, k - 1, DC_SIM_HINGE, dc_vec(DC_R(0.3*k), 0, 0), 1);
        l->kp = 100;
        l->kd = 10;
        sim_box(&w, dc_vec(DC_R(0.15), 0, 0), dc_vec(DC_R(0.13), DC_R(0.02), DC_R(0.02)));
    }
    sim_build(&w);
    plan_begin(&p, &w, CONTROL_TARGETS, 12, 2, freedom, tip_loss);
    plan_bound(&p, 0, -2, 2);
    plan_bound(&p, 1, -2, 2);
}

TEST targets_agree_with_differences(void)
{
    int i;

    if (DC_IS_FLOAT) SKIPm("differences need double");
    arm();
    for (i = 0; i < p.c.n; i++) p.u[i] = DC_R(0.1*(i%5));
    ASSERT(gradient_holds("targets of an arm", 0, 0, 1e-2, 1e-12));
    plan_end(&p);
    PASS();
}

/* ---- plans ---- */

TEST adam_keeps_the_best(void)
{
    double before, after;
    int    i;

    arm();
    before = plan_roll(&p);
    p.rate = 0.3;
    p.patience = 2;
    after = plan_improve(&p, 30);
    ASSERT(after < 0.7*before);
    ASSERT(p.iterations > 1 && fabs(p.history[0] - before) <= 1e-12*before);
    for (i = 1; i < p.iterations; i++) ASSERT(p.history[i] <= p.history[i - 1]);
    ASSERT(fabs(plan_roll(&p) - after) <= 0);           /* to the bit: it is the plan that was kept */
    for (i = 0; i < p.c.n; i++) ASSERT(fabs((double)p.u[i]) <= 2);
    plan_end(&p);
    PASS();
}

static void draw_constant(plan *of, unsigned long long *random)
{
    const dc_real v = DC_R(cli_between(random, -1, 1));
    int           i;

    for (i = 0; i < of->c.n; i++) of->u[i] = v;
}

TEST the_best_of_drawn_plans_is_kept(void)
{
    unsigned long long state;
    double             best;
    int                k, least = 0;

    arm();
    drawn = 7;
    best = plan_draw(&p, 6, draw_constant, &drawn, 0);
    for (k = 0; k < 6; k++) if (p.worth[k] < p.worth[least]) least = k;
    ASSERT(fabs(p.worth[least] - best) <= 0 && fabs(plan_roll(&p) - best) <= 0);
    state = p.drawn[least];                             /* and can be drawn again */
    draw_constant(&p, &state);
    ASSERT(fabs(plan_roll(&p) - best) <= 0);
    ASSERT(fabs(plan_draw(&p, 3, draw_constant, &drawn, 1)) <= best);
    plan_end(&p);
    PASS();
}

TEST a_step_does_what_the_plan_said(void)
{
    dc_real second[SIM_STATE], kept[4];
    int     i, k;

    arm();
    for (i = 0; i < p.c.n; i++) p.u[i] = DC_R(0.1*(i + 1));
    plan_roll(&p);
    memcpy(second, p.q + 3*w.sim.nq, (size_t)w.sim.nq*sizeof(dc_real));
    memcpy(kept, p.u + 2, sizeof kept);
    plan_step(&p);
    for (k = 0; k < 4; k++) ASSERT(fabs((double)(p.u[k] - kept[k])) <= 0);
    for (k = p.c.n - 2; k < p.c.n; k++) ASSERT(fabs((double)(p.u[k] - p.u[k - 2])) <= 0);       /* its last step lasts */
    plan_roll(&p);                                      /* the same motion, seen from one step later */
    for (k = 0; k < w.sim.nq; k++) ASSERT(fabs((double)(p.q[2*w.sim.nq + k] - second[k])) <= 1e3*(double)DC_EPS);
    p.rest = 1;
    plan_step(&p);
    for (k = 0; k < 2; k++) ASSERT(fabs((double)p.u[p.c.n - 2 + k]) <= 0);
    plan_end(&p);
    PASS();
}

/* A start that overlaps is a loss beyond all others, counted, and descent turns back from it. */
TEST a_start_that_overlaps_is_no_plan(void)
{
    static billiards_task task;

    drawn = 2;
    billiards_scene(&task, &w, 3, 0, 1e-4, 1, &drawn);
    billiards_plan(&p, &w, &task, 5, 0.03);
    p.u[0] = w.now[4];                                  /* onto the first ball */
    p.u[1] = w.now[5] - w.now[7*task.red + 5];
    ASSERT(plan_roll(&p) >= HUGE_VAL && p.failed == 1);
    ASSERT(plan_improve(&p, 3) >= HUGE_VAL);
    plan_end(&p);
    PASS();
}

TEST drawn_layouts_are_free(void)
{
    static gather_task task;
    int                sort, i, j;

    for (sort = 0; sort < 2; sort++) {
        for (drawn = 5; drawn < 8; drawn++) {
            unsigned long long random = drawn;
            gather_scene(&task, &w, 10, sort, 0, 0, 3e-5, &random);
            ASSERT_EQ(0, gather_in(&task, w.now));
            for (i = 0; i < 10; i++) {
                const dc_real *a = w.now + 7*i + 4;
                for (j = 0; j < i; j++) {
                    const dc_real *b = w.now + 7*j + 4;
                    ASSERT(hypot((double)(a[0] - b[0]), (double)(a[1] - b[1])) > 0.17 - 1e-6);
                }
            }
        }
    }
    PASS();
}

/* What the judge of meshes finds is the best that its hulls know of, and its world begins where the other one is. */
TEST hulls_judge_for_meshes(void)
{
    static sim_world   near_world;
    static plan        near_plan;
    static gather_task task, near_task;
    unsigned long long same = 4;
    double             still;
    int                i;

    drawn = 4;
    gather_scene(&task, &w, 2, 0, 1, 1, 1e-8, &drawn);
    gather_plan(&p, &w, &task, 32, 0.1);
    gather_scene(&near_task, &near_world, 2, 0, 1, 0, 3e-5, &same);
    gather_plan(&near_plan, &near_world, &near_task, 32, 0.1);
    still = 32*gather_loss(&p, 0, w.now, NULL);
    plan_judge(&p, &near_plan, 20, gather_draw, &drawn, 3);
    ASSERT(near_plan.value < 0.99*still && near_plan.failed == 0);
    for (i = 0; i < w.sim.nq; i++) ASSERT(fabs((double)(near_world.now[i] - w.now[i])) <= 0);
    for (i = 0; i < p.c.n; i++) ASSERT(fabs((double)(near_plan.u[i] - p.u[i])) <= 0);
    plan_end(&p);
    plan_end(&near_plan);
    PASS();
}

/* The judge of billiards: the same balls, marks and places; what it finds is within half the edge of its own marks. */
TEST hulls_judge_for_balls(void)
{
    static sim_world      near_world;
    static plan           near_plan;
    static billiards_task task, near_task;
    int                   i, k;

    drawn = 2;
    billiards_scene(&task, &w, 3, 1, 1e-7, 1, &drawn);
    billiards_plan(&p, &w, &task, slow() ? 5 : 20, 0.03);
    task.green[1] = 1;
    for (k = 0; k < 2; k++) {                           /* marks where they lie: a shot past them will do */
        task.mark[k][0] = (double)w.now[7*k + 4];
        task.mark[k][1] = (double)w.now[7*k + 5];
    }
    billiards_near(&near_task, &near_world, &task, &w, 1);
    billiards_plan(&near_plan, &near_world, &near_task, p.c.horizon, 0.03);
    for (i = 0; i < 3; i++) for (k = 7*i + 4; k < 7*i + 6; k++) ASSERT(fabs((double)(near_world.now[k] - w.now[k])) <= 0);
    ASSERT(near_task.edge < task.edge);
    billiards_far(&p, &near_plan, 8, 4, &drawn);
    ASSERT(near_plan.value <= 0 && p.value <= 0 && p.iterations < 4);
    for (k = 0; k < 2; k++) ASSERT(billiards_off(&near_task, near_plan.q + (near_plan.c.horizon + 1)*w.sim.nq, k) < 0.5*BILLIARDS_MARK);
    for (i = 0; i < BILLIARDS_CONTROLS; i++) ASSERT(fabs((double)(near_plan.u[i] - p.u[i])) <= 0);
    plan_end(&p);
    plan_end(&near_plan);
    PASS();
}

/* As many triangles as are said, closed and all the same way round: the volume inside is what the moments of a body of constant
 * density weigh, that of the ellipsoid is below 4/3 pi abc; pieces stay within the surface's height and width. */
TEST round_meshes_are_closed(void)
{
    static round_mesh m;
    int               lobes, t, k, i;

    for (lobes = 1; lobes <= ROUND_LOBES; lobes++) {
        double volume = 0, high = 0;
        const round_form form = {lobes, lobes > 1 ? 0.3 : 0, lobes > 1 ? 0.7 : 1, 0.95};
        round_make(&m, 32, 29, form, dc_vec(0, 0, 1), dc_vec(1, 2, 3));
        ASSERT_EQ(1792, m.nt);
        ASSERT_EQ(m.nt/2 + 2, m.nv);
        for (t = 0; t < m.nt; t++) {
            const int *c = m.tri + 3*t;
            volume += (double)dc_dot(m.v[c[0]], dc_cross(m.v[c[1]], m.v[c[2]]))/6;
            for (k = 0; k < 3; k++) {                   /* each edge once the other way round */
                int back = 0, u;
                for (u = 0; u < m.nt; u++) {
                    for (i = 0; i < 3; i++) back += m.tri[3*u + i] == c[(k + 1)%3] && m.tri[3*u + (i + 1)%3] == c[k];
                }
                ASSERT_EQ(1, back);
            }
            if (slow()) t += 100;
        }
        if (!slow() && lobes == 1) ASSERT(volume > 0.97*32*atan(1.0) && volume < 32*atan(1.0));
        for (i = 0; i < m.nv; i++) high = fmax(high, fabs((double)m.v[i].z - 1));
        ASSERT(fabs(high - (lobes > 1 ? 2.1 : 3)) < 1e-5);
        for (k = 0; k < lobes; k++) {
            for (i = 0; i < m.piece[k].n; i++) ASSERT(fabs((double)m.piece[k].v[i].z - 1) < high);
        }
    }
    PASS();
}

/* The sizes of LRI's scenes; a closed surface has an even number of triangles. */
TEST scenes_have_as_many_triangles_as_they_say(void)
{
    static gather_task bodies;
    static arm_task    arm_of;
    int                i, n = 0;

    drawn = 1;
    gather_scene(&bodies, &w, 10, 0, 1, 1, 1e-8, &drawn);
    ASSERT_EQ(2784, w.sim.corners/3);
    ASSERT_EQ(2784, GATHER_TRIANGLES);
    arm_scene(&arm_of, &w, 1, 1, 1e-9);
    for (i = 0; i < w.sim.links; i++) n += arm_of.shape[i].nt;
    ASSERT_EQ(14344, n);
    ASSERT_EQ(n, w.sim.corners/3);
    ASSERT_EQ(n, ARM_TRIANGLES);
    PASS();
}

/* Closed, all triangles the same way round: the volume of a ball of 8 m^2 triangles, from below. */
TEST balls_are_closed(void)
{
    static octa_ball b;
    double           last = 0;
    int              m, t;

    for (m = 1; m <= OCTA_FINEST; m++) {
        double volume = 0;
        octa_make(&b, m, 1);
        ASSERT_EQ(4*m*m + 2, b.nv);
        ASSERT_EQ(8*m*m, b.nt);
        for (t = 0; t < b.nt; t++) {
            const int *i = b.tri + 3*t;
            double     six = (double)dc_dot(b.v[i[0]], dc_cross(b.v[i[1]], b.v[i[2]]));
            ASSERT(six > 0);
            volume += six/6;
        }
        ASSERT(volume > last && volume < 16*atan(1.0)/3);
        last = volume;
    }
    ASSERT(last > 0.95*16*atan(1.0)/3);
    PASS();
}

SUITE(gradients)
{
    RUN_TEST(push_agrees_with_differences);
    RUN_TEST(gather_agrees_with_differences);
    RUN_TEST(billiards_agree_with_differences);
    RUN_TEST(ant_push_agrees_with_differences);
    RUN_TEST(targets_agree_with_differences);
    RUN_TEST(meshes_agree_with_differences);
    RUN_TEST(the_arm_agrees_with_differences);
    RUN_TEST(flat_push_agrees_with_differences);
}

SUITE(plans)
{
    RUN_TEST(adam_keeps_the_best);
    RUN_TEST(the_best_of_drawn_plans_is_kept);
    RUN_TEST(a_step_does_what_the_plan_said);
    RUN_TEST(a_start_that_overlaps_is_no_plan);
    RUN_TEST(drawn_layouts_are_free);
    RUN_TEST(hulls_judge_for_meshes);
    RUN_TEST(hulls_judge_for_balls);
    RUN_TEST(round_meshes_are_closed);
    RUN_TEST(scenes_have_as_many_triangles_as_they_say);
    RUN_TEST(balls_are_closed);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(gradients);
    RUN_SUITE(plans);
    GREATEST_MAIN_END();
}
