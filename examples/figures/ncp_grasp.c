/* ncp_grasp.c - two fingers find out how to lift and turn an hourglass
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SILICO Fig. 1, planned as in Pang et al.: a tree grows from the start towards poses of the object drawn at random, every
 * second one the goal. What makes it find a way through contacts are derivatives of a smoothed step, at a high rho,
 *
 *     B = dq/du       object pose after a step by the fingers' commands,
 *     d(q) = (q - m)^T (B B^T + gamma)^-1 (q - m)/2
 *
 * with m the pose after a step without new commands. d says from which node q is easily reached: it is small along what the
 * fingers can move. The damped pseudo-inverse of B says how to move them from there. Steps themselves are not smoothed.
 * With --rho 1e-4, that of the steps, B is next to nothing before a finger touches, and no way is found.
 *
 * Motion is quasi-static: velocities are forgotten after each step, which leaves a drag M/h of the object. Fingers are
 * weightless springs of stiffness K between where they are and their commands u: bodies of mass h^2 K under K (u - q).
 *
 *     ncp_grasp [--seed N] [--nodes N] [--rho X] [--out FILE]   writes the page, and key numbers to stdout as  name value unit */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "ncp_scene.h"

#include <time.h>

enum { OBJECT, LEFT, RIGHT, BODIES };
#define MOST 2000                       /* nodes of a tree */
#define TREES 4                         /* tried, the next when one is full */

#define H DC_R(0.05)                    /* s, the step that is differentiated */
#define PARTS 4                         /* a command is reached in as many shorter ones */
#define MASS DC_R(0.5)                  /* kg, N s^2/m of drag times H */
#define INERTIA DC_R(0.2)               /* kg m^2 */
#define WEIGHT (DC_R(9.81)*MASS)        /* N */
#define K DC_R(100.0)                   /* N/m, N m/rad */
#define R DC_R(0.1)                     /* m, of a finger */
#define RHO DC_R(1e-4)                  /* of a step */
#define GAMMA DC_R(3e-3)                /* m^2: how far what no finger moves may be from the goal */
#define DAMPING DC_R(1e-2)              /* of the pseudo-inverse */
#define REACH DC_R(0.2)                 /* m, length of a change of commands */
#define SQUEEZE DC_R(0.15)              /* m, distance of commands that grasp from the object's centre */
#define NEAR DC_R(0.05)                 /* d of a goal that is reached */

static const dc_real start[9] = {1, DC_R(0.4), 0, DC_R(0.25), DC_R(0.4), 0, DC_R(1.75), DC_R(0.4), 0};
static const dc_real goal[3] = {DC_R(1.5), 1, DC_R(-0.6*3.14159265358979)};

/* Poses (x, y, angle) of the bodies, commands (x, y) of the fingers, and the model of the next step. */
typedef struct { dc_real q[3*BODIES], u[4], m[3], B[3][4], metric[9]; int parent, tried; } node;

static node           tree[MOST];
static dc_shape       triangle[2], finger, ground;
static double         rho_smooth = 3e-3;                     /* of B */
static int            nodes, steps, iterations, failed;
static ncp_world      w;                /* shapes, contacts and scratch; the poses are those of nodes */

/* The hourglass is the union of two triangles, y >= -0.4 and y <= 0.4, that cross at its waist. Every step starts cold, so
 * that what it finds does not depend on what was tried before. */
static void make_scene(void)
{
    const dc_real s = DC_R(0.8660254037844386);
    const dc_real A[2][6] = {{0, -1, s, DC_R(0.5), -s, DC_R(0.5)}, {0, 1, s, DC_R(-0.5), -s, DC_R(-0.5)}};
    const dc_real b[3] = {DC_R(0.4), DC_R(0.1), DC_R(0.1)};
    const double  mu = 0.5, mu_ground = 0.5/3;
    int           i;

    ncp_begin(&w, 2, (double)H, (double)RHO);
    w.scene.gravity = dc_vec(0, 0, 0);      /* the object's weight is a force: the fingers have none */
    w.scene.bodies = BODIES;
    ncp_need(dc_shape_sphere(2, R, &w.shapes, &finger), "finger");
    ncp_need(dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &w.shapes, &ground), "ground");
    for (i = 0; i < 2; i++) {
        ncp_need(dc_shape_polytope(2, 3, A[i], b, &w.shapes, &triangle[i]), "triangle");
        ncp_touch(&w, OBJECT, LEFT, &triangle[i], &finger, mu)->keep = NULL;
        ncp_touch(&w, OBJECT, RIGHT, &triangle[i], &finger, mu)->keep = NULL;
        ncp_touch(&w, OBJECT, -1, &triangle[i], &ground, mu_ground)->keep = NULL;
        ncp_touch(&w, LEFT + i, -1, &finger, &ground, mu_ground)->keep = NULL;
    }
    ncp_touch(&w, LEFT, RIGHT, &finger, &finger, mu)->keep = NULL;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* One quasi-static step of length H/parts with the commands u. The solution stays until the next step. */
static dc_status step(dc_real rho, const dc_real *q, const dc_real *u, int parts, dc_real *next)
{
    const dc_real h = H/DC_R(parts);
    dc_ncp_body   after[BODIES];
    dc_status     status;
    int           i;

    for (i = 0; i < BODIES; i++) {
        dc_ncp_body *b = w.body + i;
        b->pose.q = dc_quat_exp(dc_vec(0, 0, q[3*i + 2]));
        b->pose.t = dc_vec(q[3*i], q[3*i + 1], 0);
        if (i == OBJECT) {
            b->mass = MASS/DC_R(parts);                 /* the same drag M/h in shorter steps */
            b->inertia.m[8] = INERTIA/DC_R(parts);
            b->force = dc_vec(0, -WEIGHT, 0);
        } else {
            b->mass = b->inertia.m[8] = h*h*K;
            b->force = dc_vec(K*(u[2*i - 2] - q[3*i]), K*(u[2*i - 1] - q[3*i + 1]), 0);
            b->torque.z = -K*q[3*i + 2];
        }
    }
    w.scene.h = h;
    w.opt.rho = rho;
    w.mem.used = 0;
    status = dc_ncp_step(&w.opt, &w.scene, &w.mem, after, &w.solved, &w.info);
    steps++;
    iterations += w.info.iterations;
    if (status != DC_OK) { failed++; return status; }
    for (i = 0; i < BODIES; i++) {
        next[3*i] = after[i].pose.t.x;
        next[3*i + 1] = after[i].pose.t.y;
        next[3*i + 2] = q[3*i + 2] + h*after[i].w.z;
    }
    return DC_OK;
}

/* B B^T + damping, factored */
static void gram(const dc_real B[3][4], dc_real damping, dc_real *S)
{
    int i, j, k;
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++) {
            S[3*i + j] = i == j ? damping : 0;
            for (k = 0; k < 4; k++) S[3*i + j] += B[i][k]*B[j][k];
        }
    }
    ncp_need(dc_chol_factor(3, S, 3, NULL), "metric");
}

/* The model at a node: m, and B at the higher rho, whose rows are products of d next/d force = (d next/d u)/K. */
static dc_status model(node *n)
{
    dc_real   still[4] = {n->q[3], n->q[4], n->q[6], n->q[7]}, next[3*BODIES];
    dc_status status = step(RHO, n->q, still, 1, next);
    int       i, k;

    if (status != DC_OK) return status;
    for (i = 0; i < 3; i++) n->m[i] = next[i];
    status = step(DC_R(rho_smooth), n->q, still, 1, next);
    for (i = 0; i < 3 && status == DC_OK; i++) {
        dc_real        bar[12*BODIES] = DC_ZERO, by_body[BODIES*DC_NCP_BODY_PARAMS] = DC_ZERO;
        dc_ncp_adjoint out = DC_ZERO;
        bar[i < 2 ? i : 5] = 1;                         /* x, y, angle of the object's twist */
        out.body = by_body;
        status = dc_ncp_vjp(w.solved, bar, &out);
        for (k = 0; k < 4; k++) n->B[i][k] = K*by_body[DC_NCP_BODY_PARAMS*(LEFT + k/2) + 12 + k%2];
    }
    if (status == DC_OK) gram((const dc_real (*)[4])n->B, GAMMA, n->metric);
    return status;
}

/* ---- the tree ------------------------------------------------------------------------------- */

/* A number in 0..1. */
static dc_real draw(unsigned long long *state) { return (dc_real)(cli_random(state) >> 40)/(1 << 24); }

static dc_real distance(const node *n, const dc_real *q)
{
    dc_real e[3], x[3];
    int     i;
    for (i = 0; i < 3; i++) e[i] = x[i] = q[i] - n->m[i];
    ncp_need(dc_chol_solve(3, n->metric, 3, 1, x, 1), "metric");
    return DC_R(0.5)*(e[0]*x[0] + e[1]*x[1] + e[2]*x[2]);
}

/* Commands that move the object from a node towards q: u = q_fingers + REACH du/|du|, du = B^T (B B^T + damping)^-1 (q - m) */
static void towards(const node *n, const dc_real *q, dc_real *u)
{
    dc_real S[9], e[3], du[4], length = 0;
    int     i, k;
    for (i = 0; i < 3; i++) e[i] = q[i] - n->m[i];
    gram((const dc_real (*)[4])n->B, DAMPING, S);
    ncp_need(dc_chol_solve(3, S, 3, 1, e, 1), "direction");
    for (k = 0; k < 4; k++) {
        du[k] = n->B[0][k]*e[0] + n->B[1][k]*e[1] + n->B[2][k]*e[2];
        length += du[k]*du[k];
    }
    length = dc_sqrt(length) + DC_EPS;
    for (k = 0; k < 4; k++) u[k] = n->q[3*(LEFT + k/2) + k%2] + REACH*du[k]/length;
}

/* Commands that grasp: either side of the object's centre, along the line from one finger to the other. */
static void squeeze(const node *n, dc_real *u)
{
    dc_real x = n->q[6] - n->q[3], y = n->q[7] - n->q[4], scale = SQUEEZE/(dc_sqrt(x*x + y*y) + DC_EPS);
    u[0] = n->q[0] - scale*x;
    u[1] = n->q[1] - scale*y;
    u[2] = n->q[0] + scale*x;
    u[3] = n->q[1] + scale*y;
}

/* Commands on the way from those of `from` to those of `to`, part k. */
static void command(const node *from, const node *to, int k, dc_real *u)
{
    int i;
    for (i = 0; i < 4; i++) u[i] = from->u[i] + (to->u[i] - from->u[i])*DC_R(k)/PARTS;
}

/* Grows a tree of up to `most` nodes; returns the node that is nearest to the goal. */
static int plan(unsigned long long *state, int most)
{
    cli_bar bar = cli_bar_begin("plan", most, "nodes");
    int     n = 1, best = 0, i, k, tries;

    for (i = 0; i < 9; i++) tree[0].q[i] = start[i];
    for (i = 0; i < 4; i++) tree[0].u[i] = start[3*(LEFT + i/2) + i%2];
    tree[0].parent = -1;
    tree[0].tried = 0;
    ncp_need(model(&tree[0]), "start");
    for (tries = 0; n < most && tries < 4*most && distance(&tree[best], goal) > NEAR && !cli_stopped(); tries++) {
        node     *from = tree, *to = tree + n;
        dc_real   target[3] = {goal[0], goal[1], goal[2]}, least = DC_REAL_MAX;
        dc_status status = DC_OK;

        if (draw(state) > DC_R(0.5)) {
            target[0] = 2*draw(state);
            target[1] = DC_R(0.4) + DC_R(1.6)*draw(state);
            target[2] = DC_R(3.14159265358979)*(2*draw(state) - 1);
        }
        for (i = 0; i < n; i++) {                       /* a node that was tried before has to be the nearer */
            dc_real d = distance(&tree[i], target)*(1 + DC_R(0.1)*DC_R(tree[i].tried));
            if (d < least) { least = d; from = tree + i; }
        }
        from->tried++;
        if (draw(state) < DC_R(0.2)) squeeze(from, to->u); else towards(from, target, to->u);
        memcpy(to->q, from->q, sizeof to->q);
        for (k = 1; k <= PARTS && status == DC_OK; k++) {
            dc_real u[4];
            command(from, to, k, u);
            status = step(RHO, to->q, u, PARTS, to->q);
        }
        if (status == DC_OK) status = model(to);
        if (status != DC_OK) continue;                  /* no such branch */
        to->parent = (int)(from - tree);
        to->tried = 0;
        if (distance(to, goal) < distance(&tree[best], goal)) best = n;
        cli_bar_step(&bar, ++n);
    }
    cli_bar_end(&bar);
    nodes += n;
    return best;
}

/* ---- the page ------------------------------------------------------------------------------- */

typedef struct { view *v; int body[BODIES], forces, points, commands, away, turned, grip, frame; dc_real gap; } show;

static void show_begin(show *s, const char *file)
{
    static const dc_real outline[12] = {DC_R(-0.34641), DC_R(-0.4), DC_R(0.34641), DC_R(-0.4), DC_R(0.11547), 0,
                                        DC_R(0.34641), DC_R(0.4), DC_R(-0.34641), DC_R(0.4), DC_R(-0.11547), 0};
    view_options o = DC_ZERO;
    dc_pose      level = ncp_origin, there = ncp_origin;
    int          hourglass, disc;

    o.title = "Grasp planned with smoothed gradients";
    o.note = "Two fingers bring an hourglass to the pose in grey. Arrows are contact forces on the hourglass; targets are the "
             "commands that the fingers are drawn to by springs.";
    o.flat = 1;
    s->gap = DC_REAL_MAX;
    s->v = view_open(file, &o);
    level.t.x = 1;
    there.t = dc_vec(goal[0], goal[1], 0);
    there.q = dc_quat_exp(dc_vec(0, 0, goal[2]));
    hourglass = view_polygon(s->v, outline, 6);
    disc = view_disc(s->v, R);
    view_fixed(s->v, view_plane(s->v, 2), "#9aa6b6", level);
    view_fixed(s->v, hourglass, "#8a909850", there);
    s->body[OBJECT] = view_body(s->v, hourglass, "#3a9a5b");
    s->body[LEFT] = view_body(s->v, disc, "#3b7dd8");
    s->body[RIGHT] = view_body(s->v, disc, "#3b7dd8");
    view_track(s->v, "way of the centre", NULL, s->body[OBJECT], dc_vec(0, 0, 0));
    s->commands = view_overlay(s->v, VIEW_TARGETS, "command", "#8a63d2", 0);
    s->forces = view_overlay(s->v, VIEW_ARROWS, "force", "#d64f6b", 0);
    s->points = view_overlay(s->v, VIEW_POINTS, "contact point", "#d64f6b", 0);
    s->away = view_series(s->v, "distance to the goal", "m", 0);
    s->turned = view_series(s->v, "angle to the goal", "rad", 0);
    s->grip = view_series(s->v, "force of both fingers", "N", 0);
}

/* A frame after a step (solution NULL: before the first). */
static void show_frame(show *s, const dc_real *q, const dc_real *u, const dc_ncp *solution)
{
    const dc_real h = H/PARTS;
    dc_ncp_touch  t;
    double        grip = 0;
    int           i;

    for (i = 0; i < BODIES; i++) view_pose_2d(s->v, s->body[i], q[3*i], q[3*i + 1], q[3*i + 2]);
    for (i = 0; i < 2; i++) view_point(s->v, s->commands, dc_vec(u[2*i], u[2*i + 1], 0));
    for (i = 0; solution && i < w.scene.contacts; i++) {
        dc_v3   force;
        dc_real size;
        ncp_need(dc_ncp_force(solution, i, &t), "force");
        s->gap = dc_min(s->gap, t.gap);
        force = dc_scale(1/h, t.impulse);
        size = dc_sqrt(dc_dot(force, force));
        if (w.contact[i].body[0] != OBJECT || size < DC_R(0.1)) continue;
        view_point(s->v, s->points, t.p);
        view_arrow(s->v, s->forces, t.p, dc_scale(DC_R(0.04), force));
        if (w.contact[i].body[1] >= LEFT) grip += (double)size;
    }
    view_value(s->v, s->away, hypot((double)(q[0] - goal[0]), (double)(q[1] - goal[1])));
    view_value(s->v, s->turned, fabs((double)(q[2] - goal[2])));
    if (solution) view_value(s->v, s->grip, grip);
    view_frame(s->v, (double)h*s->frame++);
}

/* The steps from a node to a child, or with the child's own commands kept, once more and shown. */
static void show_steps(show *s, const node *from, const node *to, dc_real *q)
{
    int k;
    for (k = 1; k <= PARTS; k++) {
        dc_real u[4];
        command(from, to, k, u);
        ncp_need(step(RHO, q, u, PARTS, q), "step of the plan");
        show_frame(s, q, u, w.solved);
    }
}

int main(int argc, char **argv)
{
    double     most = 250;
    cli_number number[] = {{"nodes", &most, 1, MOST, "of a tree; 4 trees are tried"},
                           {"rho", &rho_smooth, 1e-6, 1, "relaxation of the derivatives"}};
    cli        o = cli_parse(argc, argv, "Plans how two fingers bring an object to a pose.", "ncp_grasp.html",
                              number, 2);
    static int way[MOST];
    show       s = DC_ZERO;
    dc_real    q[3*BODIES];
    int        best = 0, trees = 0, solved = 0, i, length = 0;
    clock_t    before;

    make_scene();
    before = clock();
    for (; !solved && trees < TREES && !cli_stopped(); trees++) {
        best = plan(&o.seed, (int)most);
        solved = distance(&tree[best], goal) <= NEAR;
    }
    printf("solved %d 1\nplan_trees %d 1\nplan_nodes %d 1\n", solved, trees, nodes);
    printf("plan_time %.3f s\n", (double)(clock() - before)/CLOCKS_PER_SEC);
    printf("plan_steps %d 1\nplan_steps_failed %d 1\niterations_per_step %.1f 1\n", steps, failed, (double)iterations/steps);

    for (i = best; i >= 0; i = tree[i].parent) way[length++] = i;
    memcpy(q, start, sizeof q);
    show_begin(&s, o.out);
    show_frame(&s, q, tree[0].u, NULL);
    while (--length > 0) show_steps(&s, &tree[way[length]], &tree[way[length - 1]], q);
    printf("plan_commands %d 1\nplan_lasts %.3f s\n", (s.frame - 1)/PARTS, (double)H/PARTS*(s.frame - 1));
    printf("goal_distance %.4f m\ngoal_angle %.4f rad\n", hypot((double)(q[0] - goal[0]), (double)(q[1] - goal[1])),
           fabs((double)(q[2] - goal[2])));
    for (i = 0; i < 10; i++) show_steps(&s, &tree[best], &tree[best], q);
    printf("goal_distance_held %.4f m\ngoal_angle_held %.4f rad\n", hypot((double)(q[0] - goal[0]), (double)(q[1] - goal[1])),
           fabs((double)(q[2] - goal[2])));
    printf("gap_least %.2g m\n", (double)s.gap);
    if (view_close(s.v) != 0) return CLI_FAILED;
    return cli_exit(CLI_DONE);
}
