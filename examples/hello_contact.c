/* hello_contact.c - two boxes fly at each other and are pushed apart by their contact potential
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Newton's law under minus the gradient of dc_pair_rigid, by velocity Verlet steps. The force is the derivative of the very
 * energy that the page plots, so that kinetic and potential energy keep adding up to the same number. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

#define K DC_R(0.02)                    /* J, weight of the potential */
#define MASS DC_R(1.0)                  /* kg */
#define HALF DC_R(0.5)                  /* m, half a side */
#define INERTIA (MASS/6)                /* kg m^2, of a cube of side 1 m about any axis */
#define STEP DC_R(2e-4)                 /* s */

/* v += -h/2 K grad P/m, for both boxes */
static void kick(dc_real twist[2][6], const dc_real grad[12], dc_real h)
{
    int k;
    for (k = 0; k < 12; k++) twist[k/6][k%6] -= h/2*K*grad[k]/(k%6 < 3 ? MASS : INERTIA);
}

int main(int argc, char **argv)
{
    cli          o = cli_parse(argc, argv, "Lets two boxes bounce off each other.", "hello_contact.html", NULL, 0);
    static const dc_v3 corner[8] = {{-HALF, -HALF, -HALF}, {HALF, -HALF, -HALF}, {-HALF, HALF, -HALF}, {HALF, HALF, -HALF},
                                    {-HALF, -HALF, HALF}, {HALF, -HALF, HALF}, {-HALF, HALF, HALF}, {HALF, HALF, HALF}};
    static unsigned char memory[1 << 14];
    dc_hull      box = {corner, 8, 0};
    dc_arena     arena = dc_arena_make(memory, sizeof memory);
    dc_pose      pose[2] = {{{1, 0, 0, 0}, {DC_R(-1.8), 0, 1}}, {{1, 0, 0, 0}, {DC_R(1.8), DC_R(0.4), DC_R(1.2)}}};
    dc_real      twist[2][6] = {{2, 0, 0, 1, 0, 2}, {-2, 0, 0, 0, 1, 0}};    /* velocity, angular velocity */
    dc_real      P = 0, grad[12] = DC_ZERO, move[6], kinetic;
    dc_plane     plane = DC_ZERO;                   /* kept from step to step: a warm start */
    dc_distance  d = DC_ZERO;
    view_options page = DC_ZERO;
    int          frame, step, b, k, frames = o.quick ? 30 : 150, body[2], force, between, potential, total, gap;
    view        *v;

    page.title = "Two boxes and their contact potential";
    page.note = "Nothing touches: each box feels the other from afar, the nearer the more. Arrows are forces.";
    v = view_open(o.out, &page);
    for (b = 0; b < 2; b++) body[b] = view_body(v, view_hull(v, &box), NULL);
    force = view_overlay(v, VIEW_ARROWS, "force", "#d64f6b", 0);
    between = view_overlay(v, VIEW_PLANES, "separating plane", "#8a63d2", 0);
    potential = view_series(v, "potential energy", "J", 0);
    total = view_series(v, "potential and kinetic energy", "J", 0);
    gap = view_series(v, "gap", "m", 0);

    for (frame = 0; frame < frames && view_ok(v) && !cli_stopped(); frame++) {
        for (step = 0; step < 50; step++) {
            dc_real   h = frame + step > 0 ? STEP : 0;      /* the first one only asks for the gradient */
            dc_status s;
            kick(twist, grad, h);
            for (b = 0; b < 2; b++) {
                for (k = 0; k < 6; k++) move[k] = h*twist[b][k];
                pose[b] = dc_pose_retract(pose[b], move);
            }
            s = dc_pair_rigid(NULL, &box, &pose[0], &box, &pose[1], &arena, &plane, &P, grad, NULL, NULL);
            if (s != DC_OK) { view_close(v); return cli_error("%s", dc_status_text(s)); }
            kick(twist, grad, h);
        }
        for (b = 0, kinetic = 0; b < 2; b++) {
            for (k = 0; k < 6; k++) kinetic += DC_R(0.5)*(k < 3 ? MASS : INERTIA)*twist[b][k]*twist[b][k];
            view_pose(v, body[b], pose[b]);
            view_arrow(v, force, pose[b].t, dc_scale(DC_R(-0.1)*K, dc_vec(grad[6*b], grad[6*b + 1], grad[6*b + 2])));
        }
        if (dc_hull_distance(&box, &pose[0], &box, &pose[1], &arena, &d) != DC_OK) break;
        view_patch(v, between, dc_scale(DC_R(0.5), dc_add(d.pa, d.pb)), plane.n, DC_R(0.8));
        view_value(v, potential, (double)(K*P));
        view_value(v, total, (double)(K*P + kinetic));
        view_value(v, gap, (double)d.gap);
        view_frame(v, (50*frame + 49)*(double)STEP);
    }
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
