/* witness_parallel.c - the witness point of two edges, through the configuration where they are parallel
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * An edge turns about its middle above another one that rests (CONTAX, Fig. 3). Where they are parallel the closest points of
 * the two are not unique: without smoothing the witness point jumps from one end to the other. The left pictures are its
 * path, the right ones its coordinates' derivatives by the angle: differences without smoothing, Jacobians with it. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"
#include "plot.h"
#include "cli.h"

enum { STEPS = 720, ROWS = 3 };

/* a: from (-cos th, -sin th) to (cos th, sin th); da its derivative by th */
static void edges_at(double th, dc_v3 a[2], dc_v3 b[2], dc_v3 da[2])
{
    dc_real s, c;
    dc_sincos((dc_real)th, &s, &c);
    a[0] = dc_vec(-c, -s, 0);
    a[1] = dc_vec(c, s, 0);
    da[0] = dc_vec(s, -c, 0);
    da[1] = dc_vec(-s, c, 0);
    b[0] = dc_vec(-1, DC_R(-1.2), 0);
    b[1] = dc_vec(1, DC_R(-1.2), 0);
}

int main(int argc, char **argv)
{
    static const char *const name[ROWS] = { "closest points", "smooth, w_{reg} = 0.1, widths 0.02", "smooth, w_{reg} = 0.1, widths 0.1" };
    static double th[STEPS], x[ROWS][STEPS], y[ROWS][STEPS], dx[ROWS][STEPS], dy[ROWS][STEPS];
    cli  o = cli_parse(argc, argv, "Plots the witness point of an edge that turns past a parallel one.", "witness_parallel.svg", NULL, 0);
    plot p;
    int  row, i;

    for (row = 0; row < ROWS; row++) {
        dc_witness_options opt = DC_ZERO;
        opt.w_reg = DC_R(0.1);
        opt.eps_clip = opt.eps_min = opt.eps_comp = row == 1 ? DC_R(0.02) : DC_R(0.1);
        for (i = 0; i < STEPS; i++) {
            dc_v3     a[2], b[2], da[2];
            dc_ee     e;
            dc_real   jac[108];
            dc_status s;
            th[i] = -1.5707963267948966 + 3.141592653589793*(i + 0.5)/STEPS;
            edges_at(th[i], a, b, da);
            s = row == 0 ? dc_ee_closest(a, b, &e) : dc_ee_witness(&opt, a, b, &e, jac);
            if (s != DC_OK) return cli_error("%s", dc_status_text(s));
            x[row][i] = (double)e.a.x;
            y[row][i] = (double)e.a.y;
            if (row > 0) {
                /* chain rule: the edge's ends move by da */
                dx[row][i] = (double)(dc_dot(dc_vec(jac[0], jac[1], jac[2]), da[0]) + dc_dot(dc_vec(jac[3], jac[4], jac[5]), da[1]));
                dy[row][i] = (double)(dc_dot(dc_vec(jac[12], jac[13], jac[14]), da[0]) + dc_dot(dc_vec(jac[15], jac[16], jac[17]), da[1]));
            }
        }
        for (i = 0; row == 0 && i < STEPS; i++) {
            int k = i > 0 ? i : 1;
            dx[row][i] = (x[row][k] - x[row][k - 1])*STEPS/3.141592653589793;
            dy[row][i] = (y[row][k] - y[row][k - 1])*STEPS/3.141592653589793;
        }
    }

    plot_begin(&p, 820, 100 + 290*ROWS, "Witness point of an edge that turns past a parallel one");
    for (row = 0; row < ROWS; row++) {
        double     top = 90 + 290*row;
        plot_panel a = plot_panel_at(&p, 80, top, 270, 200);
        a.x.name = "*x*";
        a.y.name = "*y*";
        a.x.lo = -1.2;
        a.x.hi = 1.2;
        a.y.lo = -1.4;
        a.y.hi = 0.4;
        plot_axes(&a);
        plot_line(&a, -1, -1.2, 1, -1.2, PLOT_INK, 3, NULL);
        plot_curve(&a, STEPS, x[row], y[row], PLOT_BLUE, NULL);
        plot_text(&p, 80, top - 12, "start", 14, PLOT_INK, name[row]);

        a = plot_panel_at(&p, 450, top, 330, 200);
        a.x.name = "angle [rad]";
        a.y.name = "derivative by the angle";
        plot_fit(&a, STEPS, th, dx[row]);
        plot_fit(&a, STEPS, th, dy[row]);
        plot_axes(&a);
        plot_curve(&a, STEPS, th, dx[row], PLOT_BLUE, "d*x*");
        plot_curve(&a, STEPS, th, dy[row], PLOT_RED, "d*y*");
        plot_legend(&a, PLOT_LOWER_LEFT);
    }
    if (plot_end(&p, o.out) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
