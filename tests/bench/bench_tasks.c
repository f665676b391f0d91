/* A frame of LRI's tasks with bodies of triangles that are not convex, felt at any distance: a step of 0.04 s with all its Newton
 * steps, and its share of the gradient through a plan; the paper says 3.89 s for bunnies of 2784 triangles that are gathered, 7.83 s
 * for an arm and a bunny of 14 343. What the smoothing of friction does to a step and to the gradient at the untouched start. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include "cli.h"
#include "sim_scene.h"
#include "plan.h"
#include "plan_judge.h"
#include "round_mesh.h"
#include "task_gather.h"
#include "task_arm.h"

static sim_world   w;
static plan        p;
static gather_task bodies;
static arm_task    arm;

/* Steps by a drawn plan and their gradients, both in seconds a step. */
static void frames(const char *name, plan_drawing *draw, int triangles)
{
    unsigned long long random = 1;
    double             begin = bench_seconds(), roll, back;

    draw(&p, &random);
    plan_roll(&p);
    roll = (bench_seconds() - begin)/p.c.horizon;
    begin = bench_seconds();
    plan_back(&p);
    back = (bench_seconds() - begin)/p.c.horizon;
    printf("tasks/%s/T%d %.3g s a frame, %.3g of it the gradient's, %.1f Newton steps, %ld of %d steps at the cap\n", name, triangles,
           roll + back, back, (double)p.newton/p.c.horizon, p.diverged, p.c.horizon);
    fflush(stdout);
    plan_end(&p);
}

/* Ten cubes and the rod, from the same drawn plan, at one smoothing. */
static void smoothing(double eps_v)
{
    unsigned long long random = 1, drawn = 1;
    double             begin, roll;

    gather_scene(&bodies, &w, 10, 0, 0, 1, 3e-5, &random);
    w.sim.desc.friction.eps_v = DC_R(eps_v);
    gather_plan(&p, &w, &bodies, 32, 0.1);
    plan_roll(&p);
    plan_back(&p);
    gather_draw(&p, &drawn);
    p.newton = 0;
    begin = bench_seconds();
    plan_roll(&p);
    roll = (bench_seconds() - begin)/p.c.horizon;
    printf("tasks/eps_v_%g %.1f Newton steps, %.3g ms a step, gradient at the start %.3g\n", eps_v, (double)p.newton/p.c.horizon, 1e3*roll,
           p.first);
    fflush(stdout);
    plan_end(&p);
}

int main(int argc, char **argv)
{
    unsigned long long random = 1;

    bench_begin(argc, argv);
    smoothing(1e-6);
    smoothing(1e-3);
    gather_scene(&bodies, &w, 10, 0, 1, 1, 1e-8, &random);
    gather_plan(&p, &w, &bodies, 32, 0.1);
    frames("gather", gather_draw, GATHER_TRIANGLES);
    arm_scene(&arm, &w, 1, 1, 1e-9);
    arm.mark[0] = 0.6;
    arm_plan(&p, &w, &arm, 24, 0.1);
    frames("arm", arm_draw, ARM_TRIANGLES);
    return 0;
}
