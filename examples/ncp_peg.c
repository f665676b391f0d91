/* ncp_peg.c - a peg finds its way into a hole that is 2 mm wider
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SILICO, Fig. 7: a tapered peg, half a metre wide and turned by 0.3 rad, falls on a hole with 1 mm on either side. Rims and
 * walls turn it upright, a point each; it slides down and stands on the floor. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "ncp_scene.h"

static ncp_world w;

int main(int argc, char **argv)
{
    static const double side[6][3] = {{1, 0, 1}, {0, 1, 3}, {-1, 0, 1}, {0, -1, 1}, {1, -0.2, 0.9}, {-1, -0.2, 0.9}};
    double       rate = 100, rho = 1e-9, mu = 0.03, angle = 0.3, clearance = 0.001;
    cli_number   number[] = {{"rate", &rate, 10, 1000, "steps a second"},
                             {"rho", &rho, 1e-10, 1e-2, "relaxation of the contacts"},
                             {"mu", &mu, 0, 10, "friction coefficient"},
                             {"angle", &angle, -3, 3, "of the peg at first, rad"},
                             {"clearance", &clearance, 0, 0.1, "on either side, m"}};
    cli          o = cli_parse(argc, argv, "Drops a peg into a hole and writes a page.", "ncp_peg.html", number, 5);
    static const char *name[3] = {"floor", "left_wall", "right_wall"};
    dc_real      A[12], b[6];
    dc_pose      wall_pose[2] = {{{1, 0, 0, 0}, {DC_R(-0.5), DC_R(0.5), 0}}, {{1, 0, 0, 0}, {DC_R(0.5), DC_R(0.5), 0}}};
    dc_shape     peg, ground, box, wall[2];
    dc_ncp_body *body;
    view_options page = DC_ZERO;
    view        *v;
    cli_bar      bar;
    int          i, k, steps = (int)((o.quick ? 1 : 2)*rate), force[3], tip, tilt, speed, distance, newton;
    double       lowest = 0, gap = 0, inside = -1, still = -1;

    ncp_begin(&w, 2, 1/rate, rho);
    for (i = 0; i < 6; i++) {
        double length = sqrt(side[i][0]*side[i][0] + side[i][1]*side[i][1]);
        A[2*i] = DC_R(side[i][0]/length);
        A[2*i + 1] = DC_R(side[i][1]/length);
        b[i] = DC_R((0.25 - clearance)*side[i][2]);
    }
    ncp_need(dc_shape_polytope(2, 6, A, b, &w.shapes, &peg), "peg");
    ncp_need(dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &w.shapes, &ground), "floor");
    ncp_need(dc_shape_box(2, dc_vec(DC_R(0.25), DC_R(0.5), 0), &w.shapes, &box), "wall");
    body = ncp_add(&w, 1, dc_vec(0, 0, DC_R(0.2)), 0, 1.5, 0);
    body->pose.q = dc_quat_exp(dc_vec(0, 0, DC_R(angle)));
    ncp_touch(&w, 0, -1, &peg, &ground, mu);
    for (k = 0; k < 2; k++) {
        ncp_need(dc_shape_place(&box, wall_pose[k], &w.shapes, &wall[k]), "wall");
        ncp_touch(&w, 0, -1, &peg, &wall[k], mu);
    }

    page.title = "A peg in a hole";
    page.note = "The rims of the hole turn the peg upright, and it slides down. Half speed.";
    page.flat = 1;
    page.rate = rate/2;                     /* half as fast as it is */
    v = view_open(o.out, &page);
    view_fixed(v, view_plane(v, 1), "#9aa6b6", ncp_origin);
    for (k = 0; k < 2; k++) view_fixed(v, ncp_polygon(v, &wall[k]), "#9aa6b6", ncp_origin);
    tip = ncp_show(&w, v, 0, ncp_polygon(v, &peg), "#3b7dd8");
    view_track(v, "path of the peg", "#3aa675", tip, dc_vec(0, 0, 0));
    ncp_overlays(&w, v, 9.81, 0.3);
    force[0] = view_series(v, "force of the floor", "N", 1);
    force[1] = view_series(v, "force of the left wall", "N", 1);
    force[2] = view_series(v, "force of the right wall", "N", 1);
    tilt = view_series(v, "tilt", "rad", 0);
    speed = view_series(v, "speed", "m/s", 0);
    distance = view_series(v, "smallest gap, up or down", "m", 1);
    newton = view_series(v, "Newton steps", "", 0);
    bar = cli_bar_begin("peg", steps, "steps");
    for (i = 0; i <= steps && view_ok(v) && !cli_stopped(); i++) {
        double fast;
        if (i > 0) ncp_step(&w);
        ncp_draw(&w, v);
        for (k = 0; i > 0 && k < 3; k++) {
            dc_ncp_touch touch;
            double       size;
            ncp_need(dc_ncp_force(w.solved, k, &touch), name[k]);
            size = sqrt((double)dc_dot(touch.impulse, touch.impulse))*rate;
            view_value(v, force[k], size);
            if (i == steps) printf("%s_force_at_the_end %.4g N\n", name[k], size);
        }
        gap = ncp_gap(&w);
        lowest = fmin(lowest, gap);
        fast = sqrt((double)(body->v.x*body->v.x + body->v.y*body->v.y));
        if (inside < 0 && body->pose.t.y < DC_R(0.75)) inside = w.time;     /* both sides of the peg between the walls */
        if (fast > 1e-3) still = -1;
        else if (still < 0 && inside > 0) still = w.time;
        view_value(v, tilt, 2*(double)dc_atan2(body->pose.q.z, body->pose.q.w));
        view_value(v, speed, fast);
        view_value(v, distance, fabs(gap));
        view_value(v, newton, w.info.iterations);
        view_frame(v, w.time);
        cli_bar_step(&bar, i);
    }
    cli_bar_end(&bar);
    ncp_report(&w, "peg");
    printf("height_at_the_end %.6f m\n", (double)body->pose.t.y);
    printf("tilt_at_the_end %.3g rad\n", 2*(double)dc_atan2(body->pose.q.z, body->pose.q.w));
    if (inside > 0) printf("inside_from %.2f s\n", inside);
    if (still > 0) printf("still_from %.2f s\n", still);
    printf("deepest_overlap %.3g m\ngap_at_the_end %.3g m\n", 0 - lowest, gap);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
