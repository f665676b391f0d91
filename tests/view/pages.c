/* pages.c - writes the pages that tests/view/check.mjs opens in a browser:  pages DIRECTORY
 *
 * What a page holds is repeated in check.mjs where it is compared with what the browser shows. */
#include "dc_contact.h"
#define VIEW_IMPLEMENTATION
#include "view.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979

static const char *directory;
static int failures;

static dc_v3 v3(double x, double y, double z) { dc_v3 r; r.x = (dc_real)x; r.y = (dc_real)y; r.z = (dc_real)z; return r; }

/* Turned by `angle` about a unit axis, then moved to t. */
static dc_pose pose(double angle, double ax, double ay, double az, double x, double y, double z)
{
    dc_pose p;
    double  s = sin(angle/2);

    p.q.w = (dc_real)cos(angle/2);
    p.q.x = (dc_real)(s*ax); p.q.y = (dc_real)(s*ay); p.q.z = (dc_real)(s*az);
    p.t = v3(x, y, z);
    return p;
}
static dc_pose at(double x, double y, double z) { return pose(0, 0, 0, 1, x, y, z); }

static view *begin(const char *name, const view_options *o)
{
    view_options still = DC_ZERO;
    char         path[512];

    if (o) still = *o;
    still.paused = 1;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return view_open(path, &still);
}
static void end(view *v) { failures += view_close(v); }

static int box(view *v, double x, double y, double z)
{
    dc_v3   p[8];
    dc_hull hull = DC_ZERO;
    int     k;

    for (k = 0; k < 8; k++) p[k] = v3(k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z);
    hull.v = p; hull.n = 8;
    return view_hull(v, &hull);
}

static int torus(view *v, double R, double r)
{
    enum { M = 32, N = 14 };
    dc_v3 p[M*N];
    int   f[6*M*N], i, j;

    for (i = 0; i < M; i++) for (j = 0; j < N; j++) {
        double a = 2*PI*i/(int)M, b = 2*PI*j/(int)N;
        int   *t = f + 6*(i*N + j), c = i*N + j, d = (i + 1) % M*N + j, e = (i + 1) % M*N + (j + 1) % N, g = i*N + (j + 1) % N;
        p[c] = v3((R + r*cos(b))*cos(a), (R + r*cos(b))*sin(a), r*sin(b));
        t[0] = c; t[1] = d; t[2] = e; t[3] = c; t[4] = e; t[5] = g;
    }
    return view_mesh(v, p, M*N, f, 2*M*N);
}

/* 90 frames of every 3D shape, every overlay, plots of every kind. */
static void scene_3d(void)
{
    view_options o = DC_ZERO;
    view        *v;
    int          ground, cube, ring, ball, pill, plate, points, arrows, planes, spheres, targets, segments, height, loss, gaps, i;

    o.title = "Shapes in three dimensions";
    o.note = "Hulls, a mesh, a sphere, a capsule and a plane, with every overlay.";
    v = begin("scene3d.html", &o);
    ground = view_plane(v, 4);
    view_fixed(v, ground, "#9aa6b6", at(0, 0, 0));
    cube = view_body(v, box(v, 0.4, 0.3, 0.25), NULL);
    ring = view_body(v, torus(v, 0.5, 0.18), NULL);
    ball = view_body(v, view_sphere(v, DC_R(0.35)), NULL);
    pill = view_body(v, view_capsule(v, DC_R(0.2), DC_R(0.4)), NULL);
    plate = view_body(v, box(v, 0.5, 0.5, 0), NULL);
    view_fixed(v, box(v, 0.05, 1.2, 0.5), "#3aa67555", at(-1.6, 0, 0.5));
    points = view_overlay(v, VIEW_POINTS, "contacts", "#d62728", 0);
    arrows = view_overlay(v, VIEW_ARROWS, "forces", "#e8833a", 0);
    planes = view_overlay(v, VIEW_PLANES, "separating planes", "#8a63d2", 0);
    spheres = view_overlay(v, VIEW_SPHERES, "bounding spheres", "#8592a3", 1);
    targets = view_overlay(v, VIEW_TARGETS, "targets", "#3aa675", 0);
    segments = view_overlay(v, VIEW_SEGMENTS, "gaps", "#2ba3b5", 0);
    view_track(v, "path of the ball", "#d64f6b", ball, v3(0, 0, 0));
    height = view_series(v, "height", "m", 0);
    loss = view_series(v, "loss", "", 1);
    gaps = view_series(v, "gap", "m", 0);
    for (i = 0; i < 90 && view_ok(v); i++) {
        double t = i/30.0, z = 0.35 + 1.2*fabs(cos(2*t));
        view_pose(v, cube, pose(t, 0.6, 0, 0.8, -0.8 + 0.1*t, -0.7, 0.8));
        view_pose(v, ring, pose(0.7*t, 1, 0, 0, 1.1, 0.8, 0.9));
        view_pose(v, ball, at(0.5*t - 0.6, 0.5, z));
        view_pose(v, pill, pose(PI/2 + t, 0, 1, 0, 0.9, -0.8, 0.7));
        view_pose(v, plate, pose(0.3*t, 0, 1, 0, -0.1, -0.1, 0.2));
        view_point(v, points, v3(0.5*t - 0.6, 0.5, z - 0.35));
        view_point(v, points, v3(0.9, -0.8, 0.5));
        view_arrow(v, arrows, v3(0.9, -0.8, 0.5), v3(0, 0, 0.4 + 0.3*sin(5*t)));
        view_patch(v, planes, v3(0.1, -0.7, 0.8), v3(1, 0.2*sin(t), 0), DC_R(0.5));
        view_ball(v, spheres, v3(1.1, 0.8, 0.9), DC_R(0.68));
        view_point(v, targets, v3(0.9, 0.5, 1.5));
        view_arrow(v, segments, v3(0.5*t - 0.6, 0.5, 0), v3(0, 0, z - 0.35));
        view_value(v, height, z);
        view_value(v, loss, 3*exp(-2*t));
        if (i % 30 < 20) view_value(v, gaps, z - 0.35);
        view_frame(v, t);
    }
    end(v);
}

/* 60 frames of every 2D shape. */
static void scene_2d(void)
{
    static const dc_real star[] = {1, 0, DC_R(0.3), DC_R(0.2), DC_R(0.3), DC_R(0.95), DC_R(-0.15), DC_R(0.3), DC_R(-0.8), DC_R(0.6),
        DC_R(-0.35), 0, DC_R(-0.8), DC_R(-0.6), DC_R(-0.15), DC_R(-0.3), DC_R(0.3), DC_R(-0.95), DC_R(0.3), DC_R(-0.2)};
    static const dc_real brick[] = {DC_R(-0.6), DC_R(-0.25), DC_R(0.6), DC_R(-0.25), DC_R(0.6), DC_R(0.25), DC_R(-0.6), DC_R(0.25)};
    view_options o = DC_ZERO;
    view        *v;
    dc_real      wave[2*41];
    int          floor_shape, b[3], disc, line, points, arrows, planes, spheres, targets, energy, i;

    o.title = "Shapes in two dimensions";
    o.flat = 1;
    v = begin("scene2d.html", &o);
    for (i = 0; i <= 40; i++) {
        wave[2*i] = (dc_real)(-3 + 0.15*i);
        wave[2*i + 1] = (dc_real)(0.15*sin(0.9*i));
    }
    floor_shape = view_plane(v, 4);
    view_fixed(v, floor_shape, "#5d6878", at(0, -0.2, 0));
    line = view_line(v, wave, 41);
    view_fixed(v, line, "#3aa675", at(0, 0, 0));
    b[0] = view_body(v, view_polygon(v, star, 10), NULL);
    b[1] = view_body(v, view_polygon(v, brick, 4), NULL);
    disc = view_disc(v, DC_R(0.4));
    b[2] = view_body(v, disc, NULL);
    view_fixed(v, disc, "#8a63d280", at(2.3, 0.9, 0));
    points = view_overlay(v, VIEW_POINTS, "contacts", "#d62728", 0);
    arrows = view_overlay(v, VIEW_ARROWS, "normals", "#e8833a", 0);
    planes = view_overlay(v, VIEW_PLANES, "separating lines", "#8a63d2", 0);
    spheres = view_overlay(v, VIEW_SPHERES, "bounding circles", "#8592a3", 0);
    targets = view_overlay(v, VIEW_TARGETS, "targets", "#3aa675", 0);
    view_track(v, "path of a corner", "#2ba3b5", b[0], v3(1, 0, 0));
    energy = view_series(v, "energy", "J", 0);
    for (i = 0; i < 60 && view_ok(v); i++) {
        double t = i/30.0;
        view_pose_2d(v, b[0], (dc_real)(-1.5 + 0.8*t), (dc_real)1.6, (dc_real)(2*t));
        view_pose_2d(v, b[1], (dc_real)(1 - 0.3*t), DC_R(0.5), (dc_real)(-t));
        view_pose_2d(v, b[2], (dc_real)(-2 + t), DC_R(0.55), (dc_real)(-t/0.4));
        view_point(v, points, v3(-2 + t, 0.15, 0));
        view_arrow(v, arrows, v3(-2 + t, 0.15, 0), v3(0, 0.5, 0));
        view_patch(v, planes, v3(0.2, 0.9, 0), v3(1, 1, 0), DC_R(0.7));
        view_ball(v, spheres, v3(-1.5 + 0.8*t, 1.6, 0), 1);
        view_point(v, targets, v3(1.5, 1.8, 0));
        view_value(v, energy, 2 + cos(3*t));
        view_frame(v, t);
    }
    end(v);
}

/* Two runs of 80 and 50 frames. A cube falls; in the second run it falls faster and stops sooner. */
static void comparison(void)
{
    view_options o = DC_ZERO;
    view        *v;
    int          shape, ground, run, i;

    o.title = "Long-range and local potential";
    o.note = "The same scene under two potentials.";
    o.step_name = "iteration"; o.step_unit = "";
    v = begin("compare.html", &o);
    shape = box(v, 0.5, 0.5, 0.5);
    ground = view_plane(v, 3);
    for (run = 0; run < 2; run++) {
        int body, loss, gap;
        view_run(v, run ? "local" : "long-range");
        view_fixed(v, ground, "#9aa6b6", at(0, 0, 0));
        view_fixed(v, shape, "#8592a3", at(1, 1, 0.5));
        body = view_body(v, shape, run ? "#e8833a" : "#3b7dd8");
        loss = view_series(v, "loss", "", 1);
        gap = view_series(v, "gap", "mm", 0);
        for (i = 0; i < (run ? 50 : 80); i++) {
            double s = exp((run ? -0.1 : -0.05)*i);
            view_pose(v, body, pose(s, 0, 0, 1, -0.5, -0.5, 0.5 + 2*s));
            view_value(v, loss, s*s + 1e-6);
            view_value(v, gap, 2000*s);
            view_frame(v, i);
        }
    }
    end(v);
}

/* No bodies. */
static void plots(void)
{
    view_options o = DC_ZERO;
    view        *v;
    int          a, b, c, i;

    o.title = "Convergence";
    o.step_name = "iteration"; o.step_unit = "";
    v = begin("plots.html", &o);
    a = view_series(v, "loss", "", 1);
    b = view_series(v, "step", "m", 0);
    c = view_series(v, "penetration", "mm", 0);
    for (i = 0; i < 200; i++) {
        view_value(v, a, exp(-0.12*i) + 1e-9);
        view_value(v, b, sin(0.1*i)/(1 + 0.02*i));
        view_value(v, c, i % 40 < 30 ? 0.01*i : HUGE_VAL);
        view_frame(v, i);
    }
    end(v);
}

/* 100 frames of 20 000 grains, three in four of them discs, that slosh to and fro. */
static void grains(void)
{
    static const dc_real tile[] = {DC_R(-0.42), DC_R(-0.35), DC_R(0.4), DC_R(-0.4), DC_R(0.3), DC_R(0.42), DC_R(-0.3), DC_R(0.4)};
    enum { N = 20000, WIDE = 200 };
    view_options o = DC_ZERO;
    view        *v;
    int          disc, polygon, body[N], shear, i, k;

    o.title = "20 000 grains";
    o.flat = 1; o.quantise = 1;
    v = begin("grains.html", &o);
    disc = view_disc(v, DC_R(0.45));
    polygon = view_polygon(v, tile, 4);
    for (k = 0; k < N; k++) body[k] = view_body(v, k % 4 ? disc : polygon, NULL);
    shear = view_series(v, "shear", "", 0);
    for (i = 0; i < 100; i++) {
        double a = 0.1*sin(2*PI*i/100);
        for (k = 0; k < N; k++) {
            double x = k % WIDE - (WIDE - 1)/2.0, y = k/WIDE - (N/WIDE - 1)/2.0;
            view_pose_2d(v, body[k], (dc_real)(x + a*y), (dc_real)y, (dc_real)(k - 5*a));
        }
        view_value(v, shear, a);
        view_frame(v, i/30.0);
    }
    end(v);
}

static void one_frame(void)
{
    view *v = begin("still.html", NULL);
    int   body = view_body(v, box(v, 1, 1, 1), NULL), mass = view_series(v, "mass", "kg", 0);

    view_pose(v, body, at(0, 0, 1));
    view_value(v, mass, 12.5);
    view_frame(v, 0);
    end(v);
}

/* Text that would end a script, a title or an attribute, or start a tag, in every place that takes text. */
#define HOSTILE "</script></title><img src=x onerror=alert(1)>'\"&amp;\\ \x01 ]]> <!-- <script> \xc3\xa9"
static void hostile_text(void)
{
    view_options o = DC_ZERO;
    view        *v;
    int          body, run, contacts, series, i;

    o.title = HOSTILE; o.note = HOSTILE; o.step_name = HOSTILE; o.step_unit = HOSTILE;
    v = begin("hostile.html", &o);
    for (run = 0; run < 2; run++) {
        view_run(v, run ? HOSTILE " 2" : HOSTILE " 1");
        body = view_body(v, run ? 0 : view_sphere(v, 1), NULL);
        contacts = view_overlay(v, VIEW_POINTS, HOSTILE " overlay", NULL, 0);
        view_track(v, HOSTILE " track", NULL, body, v3(0, 0, 1));
        series = view_series(v, HOSTILE, HOSTILE, 0);
        for (i = 0; i < 3; i++) {
            view_pose(v, body, at(i, 0, 0));
            view_point(v, contacts, v3(i, 0, 1));
            view_value(v, series, i);
            view_frame(v, i);
        }
    }
    end(v);
}

/* Numbers that trip the drawing of plots and marks. */
static void hostile_numbers(void)
{
    static const double values[6][4] = {
        {1, 1.0000000000000002, 1, 1.0000000000000002},     /* constant but for the last bit */
        {-1.7e308, 1.7e308, 0, 1},                          /* the range overflows */
        {5e-324, 1e-310, 0, -5e-324},
        {3, 3, 3, 3},
        {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL},
        {0, -1, -2, -3}};
    static const char *const name[12] = {"a", "b", "c", "d", "e", "f", "log a", "log b", "log c", "log d", "log e", "log f"};
    static const dc_v3   point = {DC_R(1e-3), 0, 0};
    static const dc_hull one_point = {&point, 1, 0};
    view                *v = begin("numbers.html", NULL);
    int                  series[12], far_body, planes, arrows, balls, segments, i, k;

    view_fixed(v, view_sphere(v, DC_R(1e-3)), NULL, at(1000, 1000, 1000));
    view_fixed(v, view_hull(v, &one_point), NULL, at(1000, 1000, 1000));
    far_body = view_body(v, box(v, 1e-3, 1e-3, 0), NULL);
    planes = view_overlay(v, VIEW_PLANES, "planes", NULL, 0);
    arrows = view_overlay(v, VIEW_ARROWS, "arrows", NULL, 0);
    balls = view_overlay(v, VIEW_SPHERES, "balls", NULL, 0);
    segments = view_overlay(v, VIEW_SEGMENTS, "segments", NULL, 0);
    for (k = 0; k < 12; k++) series[k] = view_series(v, name[k], "", k > 5);
    for (i = 0; i < 4; i++) {
        view_pose(v, far_body, at(1000, 1000, 1000 + 1e-3*i));
        view_patch(v, planes, v3(1000, 1000, 1000), v3(0, 0, 0), 0);
        view_arrow(v, arrows, v3(1000, 1000, 1000), v3(0, 0, 0));
        view_arrow(v, segments, v3(1000, 1000, 1000), v3(1e20, 0, 0));
        view_ball(v, balls, v3(1000, 1000, 1000), 0);
        for (k = 0; k < 12; k++) view_value(v, series[k], values[k % 6][i]);
        view_frame(v, 1e9 + (i > 1 ? 1e-7 : 0));            /* and the times agree to the last bit or so */
    }
    end(v);
}

/* For positions on the screen: two runs, each within (-2..4, -1..2, 0..3), which grey bodies span that move by nothing.
 * In run r and frame i, counted from 0, a magenta body and a green contact point are at (-1 + i/2 + r, i/5, 1/2 + i/4),
 * in 2D without the last. */
static void positions(int flat, int quantise)
{
    static const dc_real square[] = {DC_R(-0.1), DC_R(-0.1), DC_R(0.1), DC_R(-0.1), DC_R(0.1), DC_R(0.1), DC_R(-0.1), DC_R(0.1)};
    view_options o = DC_ZERO;
    view        *v;
    int          shape, points, k, run, i;

    o.flat = flat; o.quantise = quantise;
    v = begin(flat ? quantise ? "points2dq.html" : "points2d.html" : quantise ? "points3dq.html" : "points3d.html", &o);
    shape = flat ? view_polygon(v, square, 4) : view_sphere(v, DC_R(0.1));
    for (run = 0; run < 2; run++) {
        int body, corner[8];
        view_run(v, run ? "second" : "first");
        for (k = 0; k < 8; k++) corner[k] = view_body(v, shape, "#808080");
        body = view_body(v, shape, "#ff00ff");
        points = view_overlay(v, VIEW_POINTS, "green", "#00c000", 0);
        for (i = 0; i < 5; i++) {
            double x = -1 + 0.5*i + run, y = 0.2*i, z = flat ? 0 : 0.5 + 0.25*i;
            for (k = 0; k < 8; k++) view_pose(v, corner[k], at(k & 1 ? 3.9 : -1.9, k & 2 ? 1.9 : -0.9, flat ? 0 : k & 4 ? 2.9 : 0.1));
            view_pose(v, body, at(x, y, z));
            view_point(v, points, v3(x, y, z));
            view_frame(v, i);
        }
    }
    end(v);
}

/* Five runs: three and two of them in a wide stage. */
static void five_runs(void)
{
    view_options o = DC_ZERO;
    view        *v;
    int          run;

    o.flat = 1;
    v = begin("five.html", &o);
    for (run = 0; run < 5; run++) {
        view_run(v, "run");
        view_body(v, view_disc(v, 1), NULL);
        view_frame(v, 0);
    }
    end(v);
}

int main(int argc, char **argv)
{
    int k;

    if (argc != 2) { fprintf(stderr, "pages DIRECTORY\n"); return 1; }
    directory = argv[1];
    scene_3d();
    scene_2d();
    comparison();
    plots();
    grains();
    one_frame();
    hostile_text();
    hostile_numbers();
    five_runs();
    for (k = 0; k < 4; k++) positions(k & 1, k >> 1);
    return failures != 0;
}
