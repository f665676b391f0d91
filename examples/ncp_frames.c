/* ncp_frames.c - the contact frame of two shapes with sharp corners, touching or not
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SILICO, Fig. 3: a triangle goes around a pentagon, through five places: face on face, vertex on vertex, vertex on face,
 * overlapping, apart. The growth distance (14) enlarges both about their origins until they touch, or shrinks them: the
 * dashes. Its dual gives the normal (15), without a derivative of the solve, wherever the triangle is.
 *
 * The normal jumps where other features come to touch. A relaxation rho makes it turn smoothly, and the point slide: what an
 * optimiser needs that has to see through such a change. Side by side: almost none, and much of it. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "ncp_scene.h"

#define TURN DC_R(6.283185307179586)
#define PLACES 5
#define BETWEEN 80                      /* frames from one place to the next */

static const char *const place_name[PLACES] = {"face_face", "vertex_vertex", "vertex_face", "overlap", "apart"};
static const dc_real     place[PLACES][3] = {{DC_R(0.35), DC_R(2.965), 0},                      /* x, y, angle */
                                             {DC_R(-0.15975), DC_R(3.1824), DC_R(3.5)},
                                             {DC_R(-0.7), DC_R(2.79), DC_R(3.5)},
                                             {DC_R(-1.07), DC_R(1.98), DC_R(1.2)},
                                             {1, DC_R(2.3), DC_R(-2.5)}};
static const dc_pose     centre = {{1, 0, 0, 0}, {0, DC_R(2.5), 0}};                            /* of the pentagon */
static ncp_world         w;

/* The polygon with unit normals at n angles, in turns, at distances b from the origin. */
static void polygon(int n, const dc_real *turn, const dc_real *b, dc_shape *out)
{
    dc_real A[10];
    int     i;

    for (i = 0; i < n; i++) dc_sincos(TURN*turn[i], &A[2*i + 1], &A[2*i]);
    ncp_need(dc_shape_polytope(2, n, A, b, &w.shapes, out), "polygon");
}

/* The corner between rows i and i + 1, rows in order. */
static dc_v3 corner(const dc_shape *s, int i)
{
    int            j = (i + 1)%s->rows;
    const dc_real *a = s->A + 2*i, *b = s->A + 2*j;
    dc_real        det = a[0]*b[1] - a[1]*b[0];

    return dc_vec((s->b[i]*b[1] - s->b[j]*a[1])/det, (a[0]*s->b[j] - b[0]*s->b[i])/det, 0);
}

/* Five dashes along each side of the polygon, enlarged by alpha. */
static void dashes(view *v, int overlay, const dc_shape *s, dc_pose at, dc_real alpha)
{
    int i, k;

    for (i = 0; i < s->rows; i++) {
        dc_v3 from = dc_pose_apply(at, dc_scale(alpha, corner(s, i)));
        dc_v3 side = dc_sub(dc_pose_apply(at, dc_scale(alpha, corner(s, (i + 1)%s->rows))), from);
        for (k = 0; k < 5; k++) view_arrow(v, overlay, dc_madd(from, DC_R(k)/5 + DC_R(0.05), side), dc_scale(DC_R(0.1), side));
    }
}

/* Where the triangle is: t of the way from place i to the next, around the pentagon. */
static dc_pose on_the_way(int i, dc_real t)
{
    dc_real polar[2][3];
    dc_pose p = ncp_origin;
    int     k;

    for (k = 0; k < 2; k++) {
        const dc_real *q = place[(i + k)%PLACES];
        dc_real        x = q[0] - centre.t.x, y = q[1] - centre.t.y;
        polar[k][0] = dc_sqrt(x*x + y*y);
        polar[k][1] = dc_atan2(y, x);
        polar[k][2] = q[2];
    }
    while (polar[1][1] < polar[0][1]) polar[1][1] += TURN;                         /* to the left */
    while (polar[1][2] < polar[0][2] - TURN/2) polar[1][2] += TURN;                /* the nearest way */
    while (polar[1][2] > polar[0][2] + TURN/2) polar[1][2] -= TURN;
    for (k = 0; k < 3; k++) polar[0][k] += t*(polar[1][k] - polar[0][k]);
    dc_sincos(polar[0][1], &p.t.y, &p.t.x);
    p.t = dc_madd(centre.t, polar[0][0], p.t);
    p.q = dc_quat_exp(dc_vec(0, 0, polar[0][2]));
    return p;
}

static dc_growth_result growth(double rho, const dc_shape *a, dc_pose pa, const dc_shape *b)
{
    dc_growth_options o = DC_ZERO;
    dc_growth_result  r;

    o.rho = DC_R(rho);
    w.mem.used = 0;
    ncp_need(dc_growth(&o, a, &pa, b, &centre, &w.mem, &r, NULL, NULL, NULL, NULL), "growth distance");
    return r;
}

int main(int argc, char **argv)
{
    static const dc_real five[5] = {DC_R(0.2), DC_R(0.35), DC_R(0.6), DC_R(0.8), DC_R(0.9)};
    static const dc_real three[3] = {DC_R(0.1), DC_R(0.4), DC_R(0.7)};
    static const dc_real far5[5] = {DC_R(0.4), DC_R(0.4), DC_R(0.4)*DC_R(2.7), DC_R(0.4), DC_R(0.4)};
    static const dc_real far3[3] = {DC_R(0.15), DC_R(0.15), DC_R(0.15)};
    double       rho[2] = {1e-6, 1e-2}, fastest[2] = {0, 0};
    cli_number   number[] = {{"rho", &rho[1], 1e-6, 1, "relaxation of the second run"}};
    cli          o = cli_parse(argc, argv, "Shows contact points and normals of two polygons.", "ncp_frames.html", number, 1);
    dc_shape     pentagon, triangle;
    view_options page = DC_ZERO;
    int          shape[2], run, i;
    char         name[2][40];
    view        *v;

    ncp_begin(&w, 2, 0.01, 0);
    polygon(5, five, far5, &pentagon);
    polygon(3, three, far3, &triangle);
    page.title = "Contact frames of two polygons";
    page.note = "Point, normal and tangent of the growth distance, the growth at which the dashed copies touch. "
                "At 1 two faces meet, at 2 two vertices, at 3 a vertex and a face; at 4 they overlap, at 5 they are apart.";
    page.flat = 1;
    page.step_name = "place";
    page.step_unit = "";
    v = view_open(o.out, &page);
    shape[0] = ncp_polygon(v, &pentagon);
    shape[1] = ncp_polygon(v, &triangle);
    for (run = 0; run < 2; run++) {
        int     body, grown, normal, tangent, point, alpha, angle;
        dc_real before = 0, turned = 0;
        snprintf(name[run], sizeof name[run], "rho %g", rho[run]);
        view_run(v, name[run]);
        view_fixed(v, shape[0], "#4f9f9a90", centre);
        body = view_body(v, shape[1], "#e0a04a90");
        grown = view_overlay(v, VIEW_SEGMENTS, "grown until they touch", "#7a8290", 0);
        normal = view_overlay(v, VIEW_ARROWS, "normal", "#3b7dd8", 0);
        tangent = view_overlay(v, VIEW_ARROWS, "tangent", "#d64f6b", 0);
        point = view_overlay(v, VIEW_POINTS, "contact point", "#8a9098", 0);
        alpha = view_series(v, "growth", "", 0);
        angle = view_series(v, "direction of the normal", "deg", 0);
        for (i = 0; i <= (PLACES - 1)*BETWEEN; i++) {
            dc_real          t = DC_R(i%BETWEEN)/BETWEEN, now, turn;
            dc_pose          at = on_the_way(i/BETWEEN, t*t*(3 - 2*t));         /* slower near the places */
            dc_growth_result r = growth(rho[run], &triangle, at, &pentagon);
            now = dc_atan2(r.n_a.y, r.n_a.x);
            turn = i > 0 ? now - before : now;
            if (turn > TURN/2) turn -= TURN;
            if (turn < -TURN/2) turn += TURN;
            turned += turn;
            before = now;
            if (i > 0) fastest[run] = fmax(fastest[run], fabs((double)turn));
            view_pose(v, body, at);
            dashes(v, grown, &pentagon, centre, r.alpha);
            dashes(v, grown, &triangle, at, r.alpha);
            view_arrow(v, normal, r.p, dc_scale(DC_R(0.35), r.n_a));
            view_arrow(v, tangent, r.p, dc_vec(DC_R(0.35)*r.n_a.y, DC_R(-0.35)*r.n_a.x, 0));
            view_point(v, point, r.p);
            view_value(v, alpha, (double)r.alpha);
            view_value(v, angle, 360/(double)TURN*(double)turned);
            view_frame(v, 1 + (double)i/BETWEEN);
        }
    }
    if (view_close(v) != 0) return CLI_FAILED;

    for (i = 0; i < PLACES; i++) {
        dc_pose          at = on_the_way(i, 0), moved = at;
        dc_growth_result r = growth(rho[0], &triangle, at, &pentagon);
        moved.t = dc_madd(at.t, -(r.alpha - 1)*r.length, r.n_a);
        printf("%s_growth %.4f 1\n", place_name[i], (double)r.alpha);
        printf("%s_gap %.4f m\n", place_name[i], (double)((r.alpha - 1)*r.length));
        printf("%s_normal %.1f deg\n", place_name[i], 360/(double)TURN*(double)dc_atan2(r.n_a.y, r.n_a.x));
        r = growth(rho[0], &triangle, moved, &pentagon);
        printf("%s_growth_when_moved_along_it %.4f 1\n", place_name[i], (double)r.alpha);
    }
    for (run = 0; run < 2; run++) {
        printf("normal_turns_most_in_a_frame_at_rho_%g %.1f deg\n", rho[run], 360/(double)TURN*fastest[run]);
    }
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
