/* A frame of LRI's tasks with bodies of triangles that are not convex, felt at any distance: a step of 0.04 s with all its Newton
 * steps, and its share of the gradient through a plan; the paper says 3.89 s for bunnies of 2784 triangles that are gathered, 7.83 s
 * for an arm and a bunny of 14 343. What the smoothing of friction, k and the unit of length do to a step, to the gradient at the
 * untouched start and to what lies still. */
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

/* Ten bodies and the rod over layouts that seeds draw, one drawn plan each: Newton steps of a step, the gradient at the untouched
 * start (geometric mean) and how far what lies there creeps in the 1.28 s of a plan. */
static void number(const char *name, int meshes, double k, double eps_v, double length, int layouts)
{
    double newton = 0, size = 0, creep = 0, seconds = 0;
    int    seed, i;

    for (seed = 1; seed <= layouts; seed++) {
        unsigned long long random = (unsigned long long)seed, drawn = random;
        double             begin;
        gather_scene(&bodies, &w, 10, 0, meshes, 1, k, &random);
        w.sim.desc.friction.eps_v = DC_R(eps_v);
        w.sim.desc.length = DC_R(length);
        gather_plan(&p, &w, &bodies, 32, 0.1);
        plan_roll(&p);
        plan_back(&p);
        size += log(p.first);
        for (i = 0; i < 10; i++) {
            const dc_real *a = w.now + 7*i + 4, *b = p.q + 33*w.sim.nq + 7*i + 4;
            creep += hypot((double)(b[0] - a[0]), (double)(b[1] - a[1]));
        }
        gather_draw(&p, &drawn);
        p.newton = 0;
        begin = bench_seconds();
        plan_roll(&p);
        seconds += bench_seconds() - begin;
        newton += (double)p.newton;
        plan_end(&p);
    }
    printf("tasks/%s %.1f Newton steps, %.3g ms a step, gradient at the start %.3g, creep %.2g mm\n", name, newton/(layouts*32),
           1e3*seconds/(layouts*32), exp(size/layouts), 1e3*creep/(10*layouts));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    unsigned long long random = 1;

    bench_begin(argc, argv);
    number("eps_v_1e-6", 0, 3e-5, 1e-6, 1, 5);
    number("eps_v_1e-3", 0, 3e-5, 1e-3, 1, 5);
    number("eps_v_1e-2", 0, 3e-5, 1e-2, 1, 5);
    number("k_3e-6", 0, 3e-6, 1e-3, 1, 5);
    number("k_3e-4", 0, 3e-4, 1e-3, 1, 5);
    number("length_0.1", 0, 3e-5, 1e-3, 0.1, 5);
    number("length_10", 0, 3e-5, 1e-3, 10, 5);
    number("trees_k_1e-9", 1, 1e-9, 1e-3, 1, 3);
    number("trees_k_1e-8", 1, 1e-8, 1e-3, 1, 3);
    number("trees_k_1e-6", 1, 1e-6, 1e-3, 1, 3);
    gather_scene(&bodies, &w, 10, 0, 1, 1, 1e-8, &random);
    gather_plan(&p, &w, &bodies, 32, 0.1);
    frames("gather", gather_draw, GATHER_TRIANGLES);
    arm_scene(&arm, &w, 1, 1, 1e-9);
    arm.mark[0] = 0.6;
    arm_plan(&p, &w, &arm, 24, 0.1);
    frames("arm", arm_draw, ARM_TRIANGLES);
    return 0;
}
