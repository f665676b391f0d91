/* ncp_stack.c - towers of blocks: four that fall into place, and two that must not move
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SILICO, Fig. 8. Left: four blocks, turned a little, fall on each other and come to rest. All pairs and the floor are contacts;
 * each has one point, found by the step, through which a face pushes on a face. Right: two blocks, the upper one moved by
 * 0.02 to 0.2 m, stand from the start, so that all momentum there is is an error (Fig. 10). It is printed, as the mean over ten
 * such towers and one second, in N s and N m s. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "ncp_scene.h"

static ncp_world w;
static dc_shape  block, ground;

/* n blocks at (x, y, angle), from the top down, with all pairs and the floor for contacts */
static void tower(double h, double rho, double mu, double (*at)[3], int n)
{
    int i, j;

    ncp_begin(&w, 2, h, rho);
    ncp_need(dc_shape_box(2, dc_vec(DC_R(0.25), DC_R(0.25), 0), &w.shapes, &block), "block");
    ncp_need(dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &w.shapes, &ground), "ground");
    for (i = 0; i < n; i++) {
        ncp_add(&w, 1, dc_vec(0, 0, DC_R(0.2)), at[i][0], at[i][1], 0)->pose.q = dc_quat_exp(dc_vec(0, 0, DC_R(at[i][2])));
        for (j = 0; j < i; j++) ncp_touch(&w, j, i, &block, &block, mu);    /* the push on the upper one */
        ncp_touch(&w, i, -1, &block, &ground, mu);
    }
}

/* What Fig. 10 counts: |m v| of all bodies together, mean of its two parts, and |I w|. */
static void momentum(double *linear, double *angular)
{
    dc_v3 p = {0, 0, 0};
    int   i;

    for (i = 0; i < w.scene.bodies; i++) {
        p.x += w.body[i].mass*w.body[i].v.x;
        p.y += w.body[i].mass*w.body[i].v.y;
        p.z += w.body[i].inertia.m[8]*w.body[i].w.z;
    }
    *linear = (fabs((double)p.x) + fabs((double)p.y))/2;
    *angular = fabs((double)p.z);
}

int main(int argc, char **argv)
{
    static const char *colour[4] = {"#3b7dd8", "#3aa675", "#8a63d2", "#2ba3b5"};
    double       four[4][3] = {{0.05, 2.4, 0.1}, {-0.05, 1.8, -0.1}, {0, 1, -0.2}, {0, 0.3, -0.2}};
    double       two[2][3] = {{0, 0.75, 0}, {0.2, 0.25, 0}}, rate = 50, rho = DC_IS_FLOAT ? 1e-4 : 1e-6, mu = 0.5, l, a;
    cli_number   number[] = {{"rate", &rate, 10, 1000, "steps a second"},
                             {"rho", &rho, 1e-10, 1e-2, "relaxation of the contacts"},
                             {"mu", &mu, 0, 10, "friction coefficient"}};
    cli          o = cli_parse(argc, argv, "Builds towers of blocks and writes a page.", "ncp_stack.html", number, 3);
    double       linear = 0, angular = 0;
    view_options page = DC_ZERO;
    view        *v;
    cli_bar      bar;
    int          run, i, k, steps = (int)((o.quick ? 2 : 4)*rate), shape, plane;

    page.title = "Towers of blocks";
    page.note = "Face on face has many contact points; the step finds the one that balances the torques.";
    page.flat = 1;
    page.rate = rate;
    v = view_open(o.out, &page);
    bar = cli_bar_begin("stack", 2*steps, "steps");
    for (run = 0; run < 2 && !cli_stopped(); run++) {
        const char *name = run ? "two" : "four";
        double      lowest = 0, gap = 0;
        int         series_l, series_a, distance, newton;
        if (run) tower(1/rate, rho, mu, two, 2);
        else tower(1/rate, rho, mu, four, 4);
        if (run == 0) {
            shape = ncp_polygon(v, &block);
            plane = view_plane(v, 1);
        }
        view_run(v, run ? "two blocks" : "four blocks");
        view_fixed(v, plane, "#9aa6b6", ncp_origin);
        for (i = 0; i < w.scene.bodies; i++) ncp_show(&w, v, i, shape, colour[i]);
        ncp_overlays(&w, v, 9.81, 0.15);
        series_l = view_series(v, "linear momentum", "N s", 1);
        series_a = view_series(v, "angular momentum", "N m s", 1);
        distance = view_series(v, "smallest gap, up or down", "m", 1);
        newton = view_series(v, "Newton steps", "", 0);
        for (i = 0; i <= steps && view_ok(v) && !cli_stopped(); i++) {
            if (i > 0) ncp_step(&w);
            ncp_draw(&w, v);
            momentum(&l, &a);
            gap = ncp_gap(&w);
            lowest = fmin(lowest, gap);
            view_value(v, series_l, l);
            view_value(v, series_a, a);
            view_value(v, distance, fabs(gap));
            view_value(v, newton, w.info.iterations);
            view_frame(v, w.time);
            cli_bar_step(&bar, run*steps + i);
        }
        ncp_report(&w, name);
        printf("%s_deepest_overlap %.3g m\n%s_gap_at_the_end %.3g m\n", name, 0 - lowest, name, gap);
        printf("%s_linear_momentum_at_the_end %.3g N_s\n%s_angular_momentum_at_the_end %.3g N_m_s\n", name, l, name, a);
        printf("%s_top_at_the_end %.5f m\n", name, (double)w.body[0].pose.t.y);
    }
    cli_bar_end(&bar);
    for (k = 1; k <= 10 && !cli_stopped(); k++) {
        two[1][0] = 0.02*k;
        tower(1/rate, rho, mu, two, 2);
        for (i = 0; i < (int)rate; i++) {
            momentum(&l, &a);
            linear += l/(10*rate);
            angular += a/(10*rate);
            ncp_step(&w);
        }
    }
    if (!cli_stopped()) printf("momentum_error_linear %.3g N_s\nmomentum_error_angular %.3g N_m_s\n", linear, angular);
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
