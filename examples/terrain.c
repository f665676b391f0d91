/* terrain.c - the gradient of a ride by the heights of the terrain, by masses and friction; then the terrain is shaped by it
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * A sledge with a pendulum on it slides down a slope of ten pieces and comes to rest where friction has it. The loss is how far that
 * is from a mark. The terrain is a fixed link of convex hulls, whose vertices are design numbers of the model like any others:
 * dc_sim_adjoint gives the derivatives by all of them in one pass backward, with those by the masses and the coefficients of friction.
 * They are compared with differences of whole rides. Then the heights follow the gradient until the sledge stops at the mark. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

enum { PIECES = 10, HEIGHTS = PIECES + 1, GROUND = 0, SLEDGE, PENDULUM, LINKS, NUMBERS = HEIGHTS + 3, MOST = 200 };
#define WIDTH 0.4               /* of a piece */
#define H 0.01

static unsigned char memory[1 << 24];
static dc_arena mem;
static dc_v3    corner[PIECES + 2][8];
static dc_hull  hull[PIECES + 2];
static dc_sim   sim;
static dc_real  q[(MOST + 2)*16], loss_grad[MOST*16], by_vertex[3*8*(PIECES + 2)], by_mass[LINKS], by_friction[LINKS];
static dc_sim_run run;
static double   mark = 2.6;

static void box(int k, double x, double y, double z, double up)
{
    int i;
    for (i = 0; i < 8; i++) corner[k][i] = dc_vec(DC_R(i & 4 ? x : -x), DC_R(i & 2 ? y : -y), DC_R(up + (i & 1 ? z : -z)));
}

/* Numbers of the design: the heights, the masses of sledge and pendulum, the friction of the ground. */
static dc_status set(const double *x)
{
    int k, i;
    for (k = 0; k < PIECES; k++)
        for (i = 1; i < 8; i += 2) sim.vertex[sim.hull[k].begin + i].z = DC_R(x[k + (i & 4 ? 1 : 0)]);
    sim.link[SLEDGE].mass = DC_R(x[HEIGHTS]);
    sim.link[PENDULUM].mass = DC_R(x[HEIGHTS + 1]);
    sim.link[GROUND].friction = DC_R(x[HEIGHTS + 2]);
    return dc_sim_refresh(&sim, NULL);
}

static dc_status build(void)
{
    dc_sim_link link[LINKS];
    dc_sim_desc desc = DC_ZERO;
    int         i, k;

    memset(link, 0, sizeof link);
    for (k = 0; k < PIECES; k++)
        for (i = 0; i < 8; i++) corner[k][i] = dc_vec(DC_R(WIDTH*(k + (i & 4 ? 1 : 0))), DC_R(i & 2 ? 0.5 : -0.5), i & 1 ? 1 : -1);
    box(PIECES, 0.15, 0.1, 0.05, 0);
    box(PIECES + 1, 0.02, 0.02, 0.1, 0.1);
    for (k = 0; k < PIECES + 2; k++) {
        hull[k].v = corner[k];
        hull[k].n = 8;
    }
    for (k = 0; k < LINKS; k++) {
        link[k].parent = k == PENDULUM ? SLEDGE : -1;
        link[k].joint = k == GROUND ? DC_SIM_FIXED : k == SLEDGE ? DC_SIM_FREE : DC_SIM_HINGE;
        link[k].hull = hull + (k == GROUND ? 0 : PIECES - 1 + k);
        link[k].hulls = k == GROUND ? PIECES : 1;
        link[k].mass = 1;
        link[k].friction = 1;
    }
    link[PENDULUM].axis = dc_vec(0, 1, 0);
    link[PENDULUM].attach.t.z = DC_R(0.1);
    link[PENDULUM].kp = 2;                                      /* a spring that holds it up */
    link[PENDULUM].damping = DC_R(0.05);
    desc.link = link;
    desc.links = LINKS;
    desc.h = DC_R(H);
    desc.gravity.z = DC_R(-9.81);
    desc.length = DC_R(0.1);
    desc.tolerance = DC_IS_FLOAT ? 0 : DC_R(1e-12);
    return dc_sim_build(&desc, &mem, &sim, NULL);
}

/* The loss of a ride, with g its gradient by the numbers. */
static dc_status ride(const double *x, double *value, double *g, int *unsolved)
{
    dc_sim_roll_info info = DC_ZERO;
    dc_status        s = set(x);
    double           off;
    int              k, i;

    if (s != DC_OK) return s;
    dc_sim_neutral(&sim, q);                                    /* let fall onto the first piece */
    q[4] = DC_R(0.2);
    q[6] = DC_R(1.8);
    memcpy(q + sim.nq, q, (size_t)sim.nq*sizeof *q);
    s = dc_sim_roll(&sim, &run, q, &mem, &info);
    *unsolved += info.diverged;
    if (s != DC_OK && s != DC_E_DIVERGED) return s;
    off = (double)q[(run.steps + 1)*sim.nq + 4] - mark;
    *value = off*off;
    if (!g) return DC_OK;
    memset(loss_grad, 0, sizeof loss_grad);
    loss_grad[(run.steps - 1)*sim.nv] = DC_R(2*off);
    s = dc_sim_adjoint(&sim, &run, &mem);
    memset(g, 0, NUMBERS*sizeof *g);
    for (k = 0; k < PIECES; k++)
        for (i = 1; i < 8; i += 2) g[k + (i & 4 ? 1 : 0)] += (double)by_vertex[3*(sim.hull[k].begin + i) + 2];
    g[HEIGHTS] = (double)by_mass[SLEDGE];
    g[HEIGHTS + 1] = (double)by_mass[PENDULUM];
    g[HEIGHTS + 2] = (double)by_friction[GROUND];
    return s;
}

static void show(view *w, const double *x, const char *name)
{
    const dc_pose rest = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_pose       pose[LINKS];
    double        value;
    int           id[LINKS], goal, i, k, unsolved = 0;

    view_run(w, name);
    if (ride(x, &value, NULL, &unsolved) != DC_OK) return;
    for (k = 0; k < PIECES; k++) {
        dc_hull piece = hull[k];
        piece.v = sim.vertex + sim.hull[k].begin;
        (void)view_fixed(w, view_hull(w, &piece), "#8592a3", rest);
    }
    for (k = SLEDGE; k < LINKS; k++) id[k] = view_body(w, view_hull(w, &hull[PIECES - 1 + k]), k == SLEDGE ? "#3b7dd8" : "#e8833a");
    goal = view_overlay(w, VIEW_POINTS, "the mark", "#d64f6b", 0);
    for (i = 0; i < run.steps + 2; i += 2) {
        dc_sim_poses(&sim, q + i*sim.nq, pose);
        for (k = SLEDGE; k < LINKS; k++) view_pose(w, id[k], pose[k]);
        view_point(w, goal, dc_vec(DC_R(mark), 0, DC_R(x[(int)(mark/WIDTH)] + 0.05)));
        view_frame(w, H*i);
    }
}

int main(int argc, char **argv)
{
    cli_number number[] = {{"mark", &mark, 0.5, 3.6, "where the sledge is to stop, m"}};
    cli        o = cli_parse(argc, argv, "Shapes a slope so that a sledge stops at a mark, and writes a page.", "terrain.html", number, 1);
    double     x[NUMBERS], start[NUMBERS], g[NUMBERS], value = 0, first = 0, worst = 0, largest = 0, rate = 1;
    int        k, i, j, unsolved = 0;
    view_options page = DC_ZERO;
    view      *w;

    mem = dc_arena_make(memory, sizeof memory);
    if (build() != DC_OK) return cli_error("no model");
    if (sim.nq > 16) return cli_error("more freedoms than room");
    run.steps = o.quick ? 150 : MOST;
    run.q = q;
    run.loss = loss_grad;
    run.vertex = by_vertex;
    run.mass = by_mass;
    run.friction = by_friction;
    for (k = 0; k < HEIGHTS; k++) x[k] = 1.6 - 0.25*k + 0.0125*k*k;
    x[HEIGHTS] = 1;
    x[HEIGHTS + 1] = 0.5;
    x[HEIGHTS + 2] = 0.25;
    memcpy(start, x, sizeof x);

    /* the gradient against differences of whole rides */
    if (ride(x, &first, g, &unsolved) != DC_OK) return cli_error("no ride");
    for (k = 0; k < NUMBERS; k++) largest = fmax(largest, fabs(g[k]));
    for (k = 0; k < NUMBERS; k++) {
        const double d = DC_IS_FLOAT ? 1e-3 : 1e-6;
        double       f[2], y[NUMBERS];
        memcpy(y, x, sizeof y);
        for (i = 0; i < 2; i++) {
            y[k] = x[k] + (i ? -d : d);
            if (ride(y, &f[i], NULL, &unsolved) != DC_OK) return cli_error("no ride");
        }
        if (!o.quick) printf("number %2d: gradient %12.6g differences %12.6g\n", k, g[k], (f[0] - f[1])/(2*d));
        worst = fmax(worst, fabs((f[0] - f[1])/(2*d) - g[k])/largest);
    }

    /* Down the gradient of the heights: a step that would halve the loss if it were straight, shorter where it does not help. */
    value = first;
    for (j = 0; j < 40 && value > 1e-6 && rate > 1e-3 && !cli_stopped(); j++) {
        double y[NUMBERS], h[NUMBERS], next, square = 0;
        memcpy(y, x, sizeof y);
        for (k = 0; k < HEIGHTS; k++) square += g[k]*g[k];
        for (k = 1; k < HEIGHTS; k++) y[k] -= rate*value/square*g[k];
        if (ride(y, &next, h, &unsolved) == DC_OK && next < value) {
            memcpy(x, y, sizeof x);
            memcpy(g, h, sizeof g);
            value = next;
            rate = fmin(1, 2*rate);
        } else rate *= 0.5;
        printf("round %2d: off the mark by %.4f m\n", j, sqrt(value));
    }

    page.title = "A slope shaped by a gradient";
    page.note = "Left the slope as it was, right after its heights followed the gradient of where the sledge comes to rest.";
    w = view_open(o.out, &page);
    show(w, start, "before");
    show(w, x, "after");
    if (view_close(w) != 0) return CLI_FAILED;
    printf("gradient_off_differences %.2g of_the_largest\noff_the_mark_at_first %.4f m\noff_the_mark_at_last %.4f m\nsteps_not_at_tolerance %d\nwrote %s\n",
           worst, sqrt(first), sqrt(value), unsolved, o.out);
    if (!(worst < (DC_IS_FLOAT ? 0.1 : 1e-4))) return cli_error("the gradient is not that of the loss");
    if (!(sqrt(value) < 0.02)) return cli_error("the mark is not reached");
    return cli_exit(CLI_DONE);
}
