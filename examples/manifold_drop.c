/* manifold_drop.c - two lobed figures fall onto the ground and onto each other
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Every contact of their manifold (dc_witness.h) is a spring, a damper and dry friction, all scaled by its activity (CONTAX,
 * footnote 4): nothing switches on or off. Vertices meet the other's field, and of either body the ten deepest edges meet each
 * other. The ground is a field as well. Balls are contacts, as large as they are active; arrows are forces. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "objects.h"

#define DENSITY DC_R(100.0)             /* kg/m^3 */
#define GRAVITY DC_R(9.81)              /* m/s^2 */
#define SPRING DC_R(8e4)                /* N/m, of one contact */
#define DAMPER DC_R(250.0)              /* N s/m */
#define DRAG DC_R(1500.0)               /* N s/m: friction of slow sliding, */
#define FRICTION DC_R(0.5)              /* at most this times the normal force */
#define STEP DC_R(1.0/1200)             /* s */

enum { KEEP = 10, BETWEEN = 2*TOY_VERTICES + 2*KEEP*KEEP, PER_FRAME = 20 };

typedef struct {
    dc_pose pose;
    dc_v3   P, L;                       /* momentum, angular momentum about the centre */
    dc_v3   v, w, force, torque;        /* velocities; of the contacts */
} body;

/* what the page shows of a step */
typedef struct { view *v; int vertices, edges, forces; double depth, active; } show;

static void push(body *b, dc_v3 p, dc_v3 f)
{
    b->force = dc_add(b->force, f);
    b->torque = dc_add(b->torque, dc_cross(dc_sub(p, b->pose.t), f));
}

static dc_v3 velocity(const body *b, dc_v3 p) { return dc_add(b->v, dc_cross(b->w, dc_sub(p, b->pose.t))); }

/* The forces of one contact on `on` and their opposites on `by`, at the same point: momentum and angular momentum are kept. */
static void touch(const dc_manifold_contact *c, body *on, body *by, int edge, show *s)
{
    dc_v3   v = dc_sub(velocity(on, c->p), velocity(by, c->p)), slide = dc_madd(v, -dc_dot(v, c->n), c->n), f;
    dc_real share = edge ? DC_R(0.5)*c->act : c->act;       /* two edges have two contacts, one on each body */
    dc_real press = share*dc_max(-SPRING*c->d - DAMPER*dc_dot(v, c->n), 0), most = FRICTION*press;
    dc_real drag = share*DRAG;
    /* drag |slide| while that is small, never more than `most` */
    drag *= most/dc_sqrt(most*most + drag*drag*dc_dot(slide, slide) + DC_R(1e-12));
    f = dc_madd(dc_scale(press, c->n), -drag, slide);
    push(on, c->p, f);
    push(by, c->p, dc_neg(f));
    s->active += (double)c->act;
    if (!edge) s->depth = fmax(s->depth, -(double)c->d);
    if (s->v && c->act > DC_R(0.05)) {
        view_ball(s->v, edge ? s->edges : s->vertices, c->p, DC_R(0.06)*c->act);
        if (press > 1) view_arrow(s->v, s->forces, c->p, dc_scale(DC_R(4e-4), f));
    }
}

/* velocities from momenta: w = R I^-1 R^T L */
static void velocities(body *b, dc_real mass, const dc_m3 *inverse)
{
    dc_m3 R = dc_rotation(b->pose.q);
    dc_v3 w = dc_mul_t(&R, b->L);
    b->v = dc_scale(1/mass, b->P);
    w = dc_mul(inverse, w);
    b->w = dc_mul(&R, w);
}

int main(int argc, char **argv)
{
    double      seconds = 4;
    cli_number  number[] = {{"seconds", &seconds, 0.1, 60, "how long they fall and roll"}};
    cli         o = cli_parse(argc, argv, "Drops two lobed figures on each other.", "manifold_drop.html", number, 1);
    static unsigned char memory[1 << 22];
    static object figure;
    static dc_manifold_contact contacts[BETWEEN];
    static const dc_v3 up = {0, 0, 1};
    dc_arena    mem = dc_arena_make(memory, sizeof memory);
    object_ground flat;
    dc_surface  toy, ground;
    dc_manifold_options between = DC_ZERO, below = DC_ZERO;
    dc_pose     rest = {{1, 0, 0, 0}, {0, 0, 0}};
    body        b[2] = DC_ZERO, earth = DC_ZERO;
    dc_m3       inverse;
    dc_real     mass;
    view_options page = DC_ZERO;
    view       *v;
    show        s = DC_ZERO;
    cli_bar     bar;
    dc_status   e = object_make(&figure, OBJECT_TOY, &mem);
    int         frame, frames = (int)(60*seconds/(o.quick ? 10 : 1)), step, i, k, shape, id[2], energy, motion, depth, active;

    if (e != DC_OK) return cli_error("%s", dc_status_text(e));
    toy.mesh = &figure.mesh;
    toy.sdf = &figure.field;
    object_ground_make(&flat);
    ground.mesh = &flat.mesh;
    ground.sdf = &flat.field;
    below.no_ee = below.no_vs_b = 1;
    between.keep_e_a = between.keep_e_b = KEEP;
    between.witness.w_reg = DC_R(1e-3);
    between.witness.eps_min = DC_R(1e-2);

    mass = DENSITY*figure.volume;
    for (k = 0; k < 9; k++) figure.inertia.m[k] *= DENSITY;
    if (dc_m3_inv(&figure.inertia, &inverse) != DC_OK) return cli_error("%s", "no inertia");
    b[0].pose.t = dc_vec(0, 0, 1);
    b[0].pose.q = dc_quat_exp(dc_vec(DC_R(0.5), DC_R(0.3), 0));
    b[1].pose.t = dc_vec(0, DC_R(-0.1), DC_R(2.3));
    b[1].pose.q = dc_quat_exp(dc_vec(DC_R(0.9), DC_R(-1.2), DC_R(0.4)));
    b[1].L = dc_vec(-3, 0, 2);

    page.title = "Two lobed figures";
    page.note = "Springs, dampers and friction at the contacts of their manifold, scaled by activity.";
    page.rate = 60;
    v = view_open(o.out, &page);
    shape = view_mesh(v, figure.v, TOY_VERTICES, figure.tri, TOY_TRIANGLES);
    for (i = 0; i < 2; i++) id[i] = view_body(v, shape, NULL);
    view_fixed(v, view_plane(v, DC_R(0.5)), NULL, rest);
    s.vertices = view_overlay(v, VIEW_SPHERES, "vertex contacts", "#d64f6b", 0);
    s.edges = view_overlay(v, VIEW_SPHERES, "edge contacts", "#8a63d2", 0);
    s.forces = view_overlay(v, VIEW_ARROWS, "forces", "#24292f", 0);
    energy = view_series(v, "kinetic and potential energy", "J", 0);
    motion = view_series(v, "kinetic energy", "J", 0);
    depth = view_series(v, "deepest vertex", "m", 0);
    active = view_series(v, "sum of activities", "", 0);

    bar = cli_bar_begin("drop", frames, "frames");
    for (frame = 0; frame < frames && view_ok(v) && !cli_stopped(); frame++) {
        for (step = 0; step < PER_FRAME && e == DC_OK; step++) {
            dc_v3  apart = dc_sub(b[0].pose.t, b[1].pose.t);
            double kinetic = 0, potential = 0;
            s.v = step == 0 ? v : NULL;
            s.depth = s.active = 0;
            for (i = 0; i < 2; i++) {
                b[i].force = b[i].torque = dc_vec(0, 0, 0);
                velocities(&b[i], mass, &inverse);
                kinetic += 0.5*(double)(dc_dot(b[i].P, b[i].v) + dc_dot(b[i].L, b[i].w));
                potential += (double)(mass*GRAVITY*b[i].pose.t.z);
            }
            for (i = 0; i < 2; i++) {
                if (e != DC_OK || b[i].pose.t.z > figure.radius + DC_R(0.1)) continue;
                e = dc_manifold(&toy, &b[i].pose, &ground, NULL, &below, &mem, contacts);
                for (k = 0; k < TOY_VERTICES && e == DC_OK; k++) touch(&contacts[k], &b[i], &earth, 0, &s);
            }
            if (e == DC_OK && dc_dot(apart, apart) < 4*(figure.radius + DC_R(0.05))*(figure.radius + DC_R(0.05))) {
                e = dc_manifold(&toy, &b[0].pose, &toy, &b[1].pose, &between, &mem, contacts);
                for (k = 0; k < BETWEEN && e == DC_OK; k++) {
                    int edge = k >= 2*TOY_VERTICES, on = edge ? k >= 2*TOY_VERTICES + KEEP*KEEP : k >= TOY_VERTICES;
                    touch(&contacts[k], &b[on], &b[1 - on], edge, &s);
                }
            }
            if (step == 0) {
                for (i = 0; i < 2; i++) view_pose(v, id[i], b[i].pose);
                view_value(v, energy, kinetic + potential);
                view_value(v, motion, kinetic);
                view_value(v, depth, s.depth);
                view_value(v, active, s.active);
                view_frame(v, frame*PER_FRAME*(double)STEP);
            }
            for (i = 0; i < 2; i++) {
                dc_real move[6];
                b[i].P = dc_madd(b[i].P, STEP, dc_madd(b[i].force, -mass*GRAVITY, up));
                b[i].L = dc_madd(b[i].L, STEP, b[i].torque);
                velocities(&b[i], mass, &inverse);
                for (k = 0; k < 3; k++) {
                    move[k] = STEP*(&b[i].v.x)[k];
                    move[3 + k] = STEP*(&b[i].w.x)[k];
                }
                b[i].pose = dc_pose_retract(b[i].pose, move);
            }
        }
        if (e != DC_OK) { view_close(v); return cli_error("%s", dc_status_text(e)); }
        cli_bar_step(&bar, frame + 1);
    }
    cli_bar_end(&bar);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
