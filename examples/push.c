/* push.c - a rod finds out how to push a box to a place, by the gradient of a simulation
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * LRI, "Push": the loss is the squared distance of the box from its target, summed over the next steps, and nothing else. The rod
 * lies on the wrong side: between box and target, touching neither. Adam changes its velocities over the horizon along the
 * loss' gradient: dc_sim_roll makes the steps, dc_sim_pull says what the place of the box is worth at each, dc_sim_adjoint carries
 * that back to the velocities. The first step is done, and so on.
 *
 * With the long-range potential the box feels the rod from anywhere, ever so slightly, so that the gradient shows a way around
 * the box, and to the target. With a local potential what does not touch has no gradient: the rod stays where it is. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "sim_scene.h"

enum { BOX, SLIDE_X, SLIDE_Y, ROD, NQ = 10, NV = 9, ROD_Q = 7, ROD_V = 6, CONTROLS = 3, HORIZON_MOST = 100 };

static sim_world      w;
static const dc_real  target[2] = {DC_R(0.4), 0};
static const double   fastest = 0.5;                            /* m/s and rad/s */
static unsigned char  memory[1 << 24];

static struct {
    int            horizon;
    dc_real        u[HORIZON_MOST*CONTROLS], m[HORIZON_MOST*CONTROLS], v[HORIZON_MOST*CONTROLS];
    dc_real        q[(HORIZON_MOST + 2)*NQ], velocity[HORIZON_MOST*NV], loss[HORIZON_MOST*NV], grad[HORIZON_MOST*3*NV];
    dc_sim_control control[HORIZON_MOST];
} plan;

static void scene(int global, double k)
{
    dc_sim_link *l;
    int          i;

    sim_begin(&w, 0.04);
    sim_plane(&w, dc_vec(0, 0, 1), 0, 1);
    w.desc.stiffness = DC_R(k);
    w.desc.global = global;
    w.desc.length = global ? DC_R(1.0) : DC_R(0.1);
    l = sim_link(&w, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 1);
    l->friction = DC_R(0.5);
    sim_box(&w, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.1), DC_R(0.1)));
    for (i = SLIDE_X; i <= SLIDE_Y; i++) {                      /* the arm that holds the rod, and its reach */
        l = sim_link(&w, i == SLIDE_X ? -1 : SLIDE_X, DC_SIM_SLIDE, dc_vec(0, 0, i == SLIDE_X ? DC_R(0.1) : 0), 0);
        l->axis = i == SLIDE_X ? dc_vec(1, 0, 0) : dc_vec(0, 1, 0);
        l->lo = i == SLIDE_X ? DC_R(-0.9) : DC_R(-0.7);
        l->hi = i == SLIDE_X ? DC_R(0.45) : DC_R(0.7);
        l->margin = DC_R(0.05);
        l->limit = DC_R(0.01);
        l->kd = 100;
    }
    l = sim_link(&w, SLIDE_Y, DC_SIM_HINGE, dc_vec(0, 0, 0), 1);
    l->friction = DC_R(0.2);
    l->kd = 10;
    sim_box(&w, dc_vec(0, 0, 0), dc_vec(DC_R(0.03), DC_R(0.2), DC_R(0.08)));
    sim_build(&w);
    for (i = 0; i < 2; i++) {
        dc_real *q = i ? w.now : w.prev;
        q[6] = DC_R(0.1) + (global ? dc_sqrt(4*w.desc.stiffness/DC_R(9.81)) : DC_R(0.005));     /* where it rests */
        q[ROD_Q] = DC_R(0.3);
        q[ROD_Q + 1] = DC_R(0.05);
    }
}

static void velocities(void)
{
    int i, k;

    for (i = 0; i < plan.horizon; i++) {
        for (k = 0; k < CONTROLS; k++) plan.velocity[i*NV + ROD_V + k] = plan.u[i*CONTROLS + k];
        plan.control[i].velocity = plan.velocity + i*NV;
    }
}

/* A step of Adam along the gradient of the plan's loss from where the world is; its size is returned. */
static double improve(dc_adam_state *adam)
{
    dc_arena   mem = dc_arena_make(memory, sizeof memory);
    dc_sim_run run = DC_ZERO;
    dc_real    grad[HORIZON_MOST*CONTROLS];
    double     size = 0;
    dc_status  status;
    int        i;

    /* the steps */
    velocities();
    memcpy(plan.q, w.prev, NQ*sizeof(dc_real));
    memcpy(plan.q + NQ, w.now, NQ*sizeof(dc_real));
    run.steps = plan.horizon;
    run.q = plan.q;
    run.control = plan.control;
    run.loss = plan.loss;
    run.control_grad = plan.grad;
    status = dc_sim_roll(&w.sim, &run, plan.q, &mem, NULL);
    if (status != DC_E_DIVERGED) sim_need(status, "a step of the plan");

    /* the gradient of the loss by the place of the box after each, as a force there */
    memset(plan.loss, 0, sizeof plan.loss);
    for (i = 0; i < plan.horizon; i++) {
        const dc_real *q = plan.q + (i + 2)*NQ;
        dc_sim_pull(&w.sim, q, BOX, dc_vec(0, 0, 0), dc_vec(2*(q[4] - target[0]), 2*(q[5] - target[1]), 0), plan.loss + i*NV);
    }

    /* back through the steps */
    sim_need(dc_sim_adjoint(&w.sim, &run, &mem), "adjoint");
    for (i = 0; i < plan.horizon*CONTROLS; i++) {
        grad[i] = plan.grad[i/CONTROLS*3*NV + NV + ROD_V + i%CONTROLS];        /* by target, velocity, force: the second */
        size += (double)(grad[i]*grad[i]);
    }
    sim_need(dc_adam(adam, grad, plan.u), "Adam");
    for (i = 0; i < adam->n; i++) plan.u[i] = dc_max(DC_R(-fastest), dc_min(DC_R(fastest), plan.u[i]));
    return sqrt(size);
}

static double off_target(void)
{
    double x = (double)(w.now[4] - target[0]), y = (double)(w.now[5] - target[1]);
    return sqrt(x*x + y*y);
}

/* One run, until the box is there or after `frames`. */
static void run(view *v, int global, double k, int frames, int iterations, double rate)
{
    const char *const name = global ? "long-range potential" : "local potential", *const line = global ? "long_range" : "local";
    static const dc_pose ground = {{1, 0, 0, 0}, {0, 0, 0}};
    static const char *const colour[] = {"#d64f6b", NULL, NULL, "#3b7dd8"};
    int           goal, distance, gradient, i, it;
    double        size = 0, first = 0;
    clock_t       begin = clock();
    dc_adam_state adam = DC_ZERO;
    cli_bar       bar = cli_bar_begin(name, frames, "frames");

    scene(global, k);
    memset(plan.u, 0, sizeof plan.u);
    view_run(v, global ? "long-range: the rod is felt from anywhere" : "local: the rod is felt near contact only");
    view_fixed(v, view_plane(v, DC_R(0.5)), NULL, ground);
    sim_show(&w, v, colour);
    view_track(v, "way of the rod", "#3b7dd8", w.shown[1], dc_vec(0, 0, 0));
    view_track(v, "way of the box", "#d64f6b", w.shown[0], dc_vec(0, 0, 0));
    goal = view_overlay(v, VIEW_TARGETS, "target of the box", "#3aa675", 0);
    distance = view_series(v, "box to target", "m", 0);
    gradient = view_series(v, "size of the loss' gradient (0 is not drawn)", "", 1);
    adam.n = plan.horizon*CONTROLS;
    adam.m = plan.m;
    adam.v = plan.v;
    adam.rate = DC_R(rate);
    adam.beta1 = DC_R(0.3);                                     /* LRI, Table 3 */
    adam.beta2 = DC_R(0.5);
    adam.eps = DC_R(1e-30);                                     /* the size of the gradient does not matter, however small */
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        if (i > 0) {
            adam.step = 0;
            memset(plan.m, 0, sizeof plan.m);
            memset(plan.v, 0, sizeof plan.v);
            for (it = 0; it < iterations; it++) size = improve(&adam);
            if (i == 1) first = size;
            velocities();
            sim_step(&w, plan.control);
            memmove(plan.u, plan.u + CONTROLS, (size_t)(adam.n - CONTROLS)*sizeof(dc_real));
            view_value(v, gradient, size);
        }
        sim_draw(&w, v);
        view_point(v, goal, dc_vec(target[0], target[1], 0));
        view_value(v, distance, off_target());
        view_frame(v, w.time);
        cli_bar_step(&bar, i);
        if (off_target() < 0.01) break;
    }
    cli_bar_end(&bar);
    printf("%s_box_to_target %.4f m\n%s_gradient_at_the_start %.3g 1\n", line, off_target(), line, first);
    printf("%s_simulated_time %.2f s\n%s_time %.1f s\n", line, w.time, line, (double)(clock() - begin)/CLOCKS_PER_SEC);
}

int main(int argc, char **argv)
{
    double       frames = 250, horizon = 48, iterations = 10, rate = 0.05, k = 1e-4;
    cli_number   number[] = {{"frames", &frames, 1, 10000, "most of a run, 25 a second"},
                             {"horizon", &horizon, 1, HORIZON_MOST, "steps that are planned"},
                             {"iterations", &iterations, 1, 1000, "of Adam in each frame"},
                             {"rate", &rate, 1e-4, 1, "of Adam, m/s"},
                             {"k", &k, 1e-8, 1e-2, "contact coefficient, J"}};
    cli          o = cli_parse(argc, argv, "A rod pushes a box to a target that it must first find a way to.", "push.html", number, 5);
    view_options page = DC_ZERO;
    view        *v;

    if (o.quick) iterations = 5;
    plan.horizon = (int)horizon;
    page.title = "A rod finds out how to push a box";
    page.note = "The red box has to come to the green mark. The blue rod stands in between and touches neither. Nothing tells it what "
                "to do: its motion is planned anew in every frame, by gradient descent on the distance of box and mark, through the "
                "simulation. Left, with a contact potential that is felt at any distance, that gradient is tiny at first but "
                "never zero; it leads the rod round the box, and for the last centimetres to another side of it. Right, with a "
                "potential that ends near contact, it is exactly zero, and the rod stays where it is.";
    page.rate = 25;
    page.play = 1;
    v = view_open(o.out, &page);
    run(v, 1, k, (int)frames, (int)iterations, rate);
    run(v, 0, k, (int)frames, (int)iterations, rate);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
