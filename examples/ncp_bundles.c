/* ncp_bundles.c - shapes put together from convex ones by union and by Minkowski sum
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SILICO, Fig. 2. The seesaw is a union: a triangle and a capsule on one body, each with contacts of its own. The cushion is
 * one convex shape, the Minkowski sum of a quadrangle and a disc (23)-(25): a point of the one plus a point of the other,
 * both unknowns of the step. The cushion falls on the seesaw, and both on the floor. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "ncp_scene.h"

#define ARC 16                          /* corners of a rounded corner */

static ncp_world w;

/* A polygon of the page: n corners, in order and to the left of their edges, padded by r. */
static int rounded(view *v, const dc_real *corner, int n, dc_real r)
{
    dc_real xy[2*8*ARC];
    int     i, k, at = 0;

    for (i = 0; i < n; i++) {
        const dc_real *p = corner + 2*i, *before = corner + 2*((i + n - 1)%n), *after = corner + 2*((i + 1)%n);
        double         from = atan2((double)(before[0] - p[0]), (double)(p[1] - before[1]));        /* outward normals */
        double         to = atan2((double)(p[0] - after[0]), (double)(after[1] - p[1]));
        if (to < from) to += 8*atan(1.0);
        for (k = 0; k < ARC; k++) {
            double angle = from + (to - from)*k/(ARC - 1);
            xy[at++] = p[0] + r*DC_R(cos(angle));
            xy[at++] = p[1] + r*DC_R(sin(angle));
        }
    }
    return view_polygon(v, xy, ARC*n);
}

/* Corners of a polygon, from its rows in order. */
static void corners(const dc_shape *s, dc_real *xy)
{
    int i;

    for (i = 0; i < s->rows; i++) {
        int            j = (i + 1)%s->rows;
        const dc_real *a = s->A + 2*i, *b = s->A + 2*j;
        dc_real        det = a[0]*b[1] - a[1]*b[0];
        xy[2*i] = (s->b[i]*b[1] - s->b[j]*a[1])/det;
        xy[2*i + 1] = (a[0]*s->b[j] - b[0]*s->b[i])/det;
    }
}

/* A polygon with unit rows along n normals, all at the same distance from the origin. */
static void polygon(const dc_real (*normal)[2], int n, dc_real distance, dc_shape *out)
{
    dc_real A[2*4], b[4];
    int     i;

    for (i = 0; i < n; i++) {
        dc_real length = dc_sqrt(normal[i][0]*normal[i][0] + normal[i][1]*normal[i][1]);
        A[2*i] = normal[i][0]/length;
        A[2*i + 1] = normal[i][1]/length;
        b[i] = distance;
    }
    ncp_need(dc_shape_polytope(2, n, A, b, &w.shapes, out), "polygon");
}

int main(int argc, char **argv)
{
    static const dc_real three[][2] = {{0, 1}, {DC_R(-2.5), -1}, {DC_R(2.5), -1}};
    static const dc_real four[][2] = {{5, 1}, {1, 5}, {-5, 1}, {1, -5}};
    const dc_real bar[4] = {-2, 0, 2, 0};
    double        seconds = 4, mu = 0.6, rho = 1e-6, start, energy, gained = 0, least = HUGE_VAL;
    cli_number    number[] = {{"seconds", &seconds, 0.1, 100, "length of the run"},
                              {"mu", &mu, 0, 10, "friction coefficient"},
                              {"rho", &rho, 1e-10, 1e-2, "relaxation: overlap, creep and gained energy go with it"}};
    cli           o = cli_parse(argc, argv, "Drops a union and a Minkowski sum of convex shapes.",
                                 "ncp_bundles.html", number, 3);
    dc_shape      ground, triangle, capsule, quad, disc, cushion;
    dc_real       xy[8];
    dc_ncp_body  *body;
    view_options  page = DC_ZERO;
    view         *v;
    cli_bar       progress;
    int           i, total, newton, gap, steps = (int)((o.quick ? 0.25 : 1)*seconds*100);

    ncp_begin(&w, 2, 0.01, rho);
    ncp_need(dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &w.shapes, &ground), "ground");
    ncp_need(dc_shape_capsule(2, DC_R(0.15), 4, &w.shapes, &capsule), "capsule");
    ncp_need(dc_shape_sphere(2, DC_R(0.3), &w.shapes, &disc), "disc");
    polygon(three, 3, DC_R(0.3), &triangle);
    polygon(four, 4, DC_R(0.3), &quad);
    ncp_need(dc_shape_sum(&quad, &disc, &w.shapes, &cushion), "cushion");
    body = ncp_add(&w, 1, dc_vec(0, 0, DC_R(0.2)), 0, 1.5, 0);
    body->pose.q = dc_quat_exp(dc_vec(0, 0, DC_R(-0.2)));
    body->w.z = -1;
    body = ncp_add(&w, 1, dc_vec(0, 0, DC_R(0.2)), -1.8, 3.5, 0);
    body->pose.q = dc_quat_exp(dc_vec(0, 0, DC_R(0.75)));
    ncp_touch(&w, 0, 1, &triangle, &cushion, mu);
    ncp_touch(&w, 0, 1, &capsule, &cushion, mu);
    ncp_touch(&w, 0, -1, &triangle, &ground, mu);
    ncp_touch(&w, 0, -1, &capsule, &ground, mu);
    ncp_touch(&w, 1, -1, &cushion, &ground, mu);

    page.title = "A union and a Minkowski sum";
    page.note = "Blue: a triangle and a capsule on one body. Orange: all sums of a point of the inner "
                "quadrangle and a point of a disc.";
    page.flat = 1;
    page.rate = 100;
    v = view_open(o.out, &page);
    view_fixed(v, view_plane(v, 4), "#9aa6b6", ncp_origin);
    ncp_show(&w, v, 0, rounded(v, bar, 2, DC_R(0.15)), "#3b7dd8");
    corners(&triangle, xy);
    ncp_show(&w, v, 0, view_polygon(v, xy, 3), "#3b7dd8");
    corners(&quad, xy);
    ncp_show(&w, v, 1, rounded(v, xy, 4, DC_R(0.3)), "#e0a04a");
    ncp_show(&w, v, 1, view_polygon(v, xy, 4), "#c07a20");
    ncp_overlays(&w, v, 9.81, 0.3);
    total = view_series(v, "energy", "J", 0);
    gap = view_series(v, "smallest gap", "m", 0);
    newton = view_series(v, "Newton steps", "", 0);
    start = energy = ncp_energy(&w);
    progress = cli_bar_begin("bundles", steps, "steps");
    for (i = 0; i <= steps && view_ok(v) && !cli_stopped(); i++) {
        double nearest;
        if (i > 0) ncp_step(&w);
        nearest = ncp_gap(&w);
        gained = fmax(gained, ncp_energy(&w) - energy);
        energy = ncp_energy(&w);
        least = fmin(least, nearest);
        ncp_draw(&w, v);
        view_value(v, total, energy);
        view_value(v, gap, nearest);
        view_value(v, newton, w.info.iterations);
        view_frame(v, w.time);
        cli_bar_step(&progress, i);
    }
    cli_bar_end(&progress);
    if (view_close(v) != 0) return CLI_FAILED;
    ncp_report(&w, "bundles");
    printf("gap_least %.3g m\nenergy_lost %.3g J\nenergy_gained_in_a_step_most %.3g J\n", least, start - energy, gained);
    for (i = 0; i < 2; i++) {
        printf("%s_speed_at_the_end %.3g m/s\n", i == 0 ? "union" : "sum", sqrt((double)dc_dot(w.body[i].v, w.body[i].v)));
        printf("%s_turn_at_the_end %.3g rad/s\n", i == 0 ? "union" : "sum", (double)w.body[i].w.z);
    }
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
