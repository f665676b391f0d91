/* ncp_drop.c - a polygon thrown on the floor, at three relaxations of the contact
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SILICO, Fig. 6: five sides, one of which ends flat on the floor. A face on a face is where contact detection has no one
 * answer; here the contact point is an unknown of the step, and the balance of torques makes it one. rho is how soft the
 * contact is (22): at rest the body hovers at rho over the impulse of its weight in a step, about 5 rho metres here; where it
 * hits the floor it overlaps by less than rho. A smaller one takes more Newton steps (Fig. 9). */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "ncp_scene.h"

#define LEVELS 3

static ncp_world w;

int main(int argc, char **argv)
{
    static const dc_real  A[] = {1, DC_R(0.2), 0, 1, -1, DC_R(-0.3), 0, -1, DC_R(0.8), DC_R(-0.8)};
    static const dc_real  b[] = {DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4)};
    static const double   rho[LEVELS] = {1e-2, 1e-4, 1e-6};
    static const char    *name[LEVELS] = {"rho_1e-2", "rho_1e-4", "rho_1e-6"};
    static const char    *heading[LEVELS] = {"rho 0.01", "rho 1e-4", "rho 1e-6"};
    const dc_pose middle = {{1, 0, 0, 0}, {DC_R(0.5), 0, 0}};
    double       rate = 50, seconds = 2, mu = 0.2;
    cli_number   number[] = {{"rate", &rate, 10, 1000, "steps a second"},
                             {"seconds", &seconds, 0.1, 100, "length of the run"},
                             {"mu", &mu, 0, 10, "friction coefficient"}};
    cli          o = cli_parse(argc, argv, "Drops a polygon on the floor at three relaxations and writes a page.",
                               "ncp_drop.html", number, 3);
    dc_shape     polygon, ground;
    view_options page = DC_ZERO;
    view        *v;
    cli_bar      bar;
    int          shape = 0, plane = 0, run, i, steps = (int)((o.quick ? 0.5 : 1)*seconds*rate);

    page.title = "A polygon falls on the floor";
    page.note = "One solve finds motion, contact point and force. The smaller rho, the harder the contact.";
    page.flat = 1;
    page.rate = rate;
    v = view_open(o.out, &page);
    bar = cli_bar_begin("drop", LEVELS*steps, "steps");
    for (run = 0; run < LEVELS && !cli_stopped(); run++) {
        int          distance, newton, energy;
        double       deepest = 0, gap = 0;
        dc_ncp_body *body;
        ncp_begin(&w, 2, 1/rate, rho[run]);
        ncp_need(dc_shape_polytope(2, 5, A, b, &w.shapes, &polygon), "polygon");
        ncp_need(dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &w.shapes, &ground), "ground");
        body = ncp_add(&w, 1, dc_vec(0, 0, DC_R(0.2)), -2, 0.9, 0);
        body->v = dc_vec(4, 0, 0);
        body->w.z = -3;
        ncp_touch(&w, 0, -1, &polygon, &ground, mu);
        if (run == 0) {
            shape = ncp_polygon(v, &polygon);
            plane = view_plane(v, 3);
        }
        view_run(v, heading[run]);
        view_fixed(v, plane, "#9aa6b6", middle);
        ncp_show(&w, v, 0, shape, "#3b7dd8");
        ncp_overlays(&w, v, 9.81, 0.4);
        distance = view_series(v, "distance from touching, up or down", "m", 1);
        newton = view_series(v, "Newton steps", "", 0);
        energy = view_series(v, "energy, less what the soft contact stores", "J", 0);
        for (i = 0; i <= steps && view_ok(v) && !cli_stopped(); i++) {
            if (i > 0) ncp_step(&w);
            ncp_draw(&w, v);
            gap = ncp_gap(&w);
            deepest = fmax(deepest, -gap);
            view_value(v, distance, fabs(gap));
            view_value(v, newton, w.info.iterations);
            view_value(v, energy, ncp_energy(&w));
            view_frame(v, w.time);
            cli_bar_step(&bar, run*steps + i);
        }
        ncp_report(&w, name[run]);
        printf("%s_deepest_overlap %.3g m\n%s_gap_at_the_end %.3g m\n", name[run], deepest, name[run], gap);
        printf("%s_speed_at_the_end %.3g m/s\n", name[run], sqrt((double)dc_dot(body->v, body->v)));
        printf("%s_turn_at_the_end %.3g rad/s\n", name[run], fabs((double)body->w.z));
    }
    cli_bar_end(&bar);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
