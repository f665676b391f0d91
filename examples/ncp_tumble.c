/* ncp_tumble.c - two of each kind of shape tumble into a box
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Spheres, boxes, polytopes of 14 faces, padded boxes, capsules, cylinders, cones and ellipsoids, with the friction cone, on
 * a half-space between four walls. One solve covers all pairs, of whatever shapes: to it a shape is rows of cones. The pairs
 * are those whose bounding spheres are near each other, found anew for each step. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "ncp_scene.h"

enum { SPHERE, BOX, POLYTOPE, PADDED, CAPSULE, CYLINDER, CONE, ELLIPSOID, KINDS };
enum { BODIES = 2*KINDS, WALLS = 4, PAIRS = BODIES*(BODIES - 1)/2 };

#define MARGIN DC_R(0.05)               /* m, more than two bodies approach in a step */
#define INNER 0.9                       /* m, half the width of the box inside, thickness and half height of its walls */
#define THICK 0.1
#define HIGH 0.45

static ncp_world w;
static dc_shape  shape[KINDS], ground, wall[WALLS];
static dc_v3     wall_centre[WALLS], wall_half[WALLS];
static double    mu = 0.4, mu_spin = 0.005;

/* ---- the shapes --------------------------------------------------------------------------------- */

/* radii, half lengths, semi-axes */
#define BALL DC_R(0.24)
#define CUBE DC_R(0.2)
#define FACES DC_R(0.26)
#define PAD DC_R(0.07)
#define ROUND DC_R(0.14)
#define LONG DC_R(0.2)
static const dc_v3 brick = {DC_R(0.22), DC_R(0.14), DC_R(0.08)}, semi = {DC_R(0.3), DC_R(0.2), DC_R(0.15)};

/* Corners of the box, or of the polytope of 8 hexagons and 6 squares: (0, +-1/2, +-1) FACES in every order. */
static int corners(int kind, dc_v3 *x)
{
    int i, n = kind == BOX ? 8 : 24;

    for (i = 0; i < n; i++) {
        dc_real a = i & 1 ? DC_R(-0.5) : DC_R(0.5), b = i & 2 ? DC_R(-1) : DC_R(1), c[3];
        c[i/4%3] = 0;
        c[(i/4 + 1)%3] = FACES*(i < 12 ? a : b);
        c[(i/4 + 2)%3] = FACES*(i < 12 ? b : a);
        x[i] = kind == BOX ? dc_scale(CUBE, dc_vec(2*a, b, i & 4 ? DC_R(-1) : DC_R(1))) : dc_vec(c[0], c[1], c[2]);
    }
    return n;
}

static void make_shapes(void)
{
    static const double turn[WALLS][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    dc_shape part[2];
    dc_v3    corner[24];
    dc_pose  at = ncp_origin;
    int      k;

    ncp_need(dc_shape_sphere(3, BALL, &w.shapes, &shape[SPHERE]), "sphere");
    ncp_need(dc_shape_box(3, dc_vec(CUBE, CUBE, CUBE), &w.shapes, &shape[BOX]), "box");
    ncp_need(dc_shape_hull(3, corners(POLYTOPE, corner), corner, &w.shapes, &shape[POLYTOPE]), "polytope");
    ncp_need(dc_shape_box(3, brick, &w.shapes, &part[0]), "brick");
    ncp_need(dc_shape_sphere(3, PAD, &w.shapes, &part[1]), "pad");
    ncp_need(dc_shape_sum(&part[0], &part[1], &w.shapes, &shape[PADDED]), "padded box");
    ncp_need(dc_shape_capsule(3, ROUND, 2*LONG, &w.shapes, &shape[CAPSULE]), "capsule");
    ncp_need(dc_shape_cylinder(3, ROUND, 2*LONG, &w.shapes, &shape[CYLINDER]), "cylinder");
    ncp_need(dc_shape_cone(3, 2*LONG, BALL/(2*LONG), &w.shapes, &shape[CONE]), "cone");
    ncp_need(dc_shape_ellipsoid(3, semi, &w.shapes, &shape[ELLIPSOID]), "ellipsoid");
    ncp_need(dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &w.shapes, &ground), "ground");
    for (k = 0; k < WALLS; k++) {
        double x = turn[k][0], y = turn[k][1], away = INNER + THICK, side = INNER + 2*THICK;
        at.t = wall_centre[k] = dc_vec(DC_R(away*x), DC_R(away*y), DC_R(HIGH));
        wall_half[k] = x*x > 0 ? dc_vec(DC_R(THICK), DC_R(INNER), DC_R(HIGH)) : dc_vec(DC_R(side), DC_R(THICK), DC_R(HIGH));
        ncp_need(dc_shape_box(3, wall_half[k], &w.shapes, &part[0]), "wall");
        ncp_need(dc_shape_place(&part[0], at, &w.shapes, &wall[k]), "wall");
    }
}

/* Radius of a sphere about the body's origin that holds it. */
static dc_real radius(int kind)
{
    switch (kind) {
    case SPHERE:   return BALL;
    case BOX:      return CUBE*dc_sqrt(3);
    case POLYTOPE: return FACES*dc_sqrt(DC_R(1.25));
    case PADDED:   return PAD + dc_sqrt(dc_dot(brick, brick));
    case CAPSULE:  return ROUND + LONG;
    case CYLINDER: return dc_sqrt(ROUND*ROUND + LONG*LONG);
    case CONE:     return DC_R(1.5)*LONG;
    default:       return semi.x;
    }
}

/* Inertia over mass of a solid with axis x: about it, and across. */
static dc_v3 round_inertia(dc_real along, dc_real across) { return dc_vec(along, across, across); }

/* Inertia over mass about the body's axes; that of the padded box as if its edges were sharp. */
static dc_v3 inertia(int kind)
{
    dc_real r2 = ROUND*ROUND, l2 = LONG*LONG, tube = 2*LONG/(2*LONG + ROUND*DC_R(4)/3), caps = 1 - tube;
    dc_v3   s = kind == PADDED ? dc_add(brick, dc_vec(PAD, PAD, PAD)) : semi;
    dc_v3   q = dc_vec(s.y*s.y + s.z*s.z, s.z*s.z + s.x*s.x, s.x*s.x + s.y*s.y);

    switch (kind) {
    case SPHERE:   return round_inertia(DC_R(0.4)*BALL*BALL, DC_R(0.4)*BALL*BALL);
    case BOX:      return round_inertia(CUBE*CUBE*2/3, CUBE*CUBE*2/3);
    case POLYTOPE: return round_inertia(FACES*FACES*19/48, FACES*FACES*19/48);
    case PADDED:   return dc_scale(DC_R(1)/3, q);
    case CAPSULE:  return round_inertia(tube*r2/2 + caps*r2*2/5, tube*(r2/4 + l2/3) + caps*(r2*2/5 + l2 + LONG*ROUND*3/4));
    case CYLINDER: return round_inertia(r2/2, r2/4 + l2/3);
    case CONE:     return round_inertia(BALL*BALL*3/10, (BALL*BALL + l2)*3/20);
    default:       return dc_scale(DC_R(0.2), q);
    }
}

/* ---- their pictures ------------------------------------------------------------------------------- */

static int picture(view *v, int kind)
{
    static const double end[4] = {1, 1, -1, -1}, rim[4] = {0, 1, 1, 0}, tip[3] = {0.5, 0.5, -1.5}, edge[3] = {0, 1, 0};
    const dc_v3 none = {0, 0, 0};
    dc_v3       corner[24];
    dc_hull     hull = DC_ZERO;

    hull.v = corner;
    hull.n = corners(kind, corner);
    switch (kind) {
    case SPHERE:   return view_sphere(v, BALL);
    case BOX:
    case POLYTOPE: return view_hull(v, &hull);
    case PADDED:   return ncp_round(v, dc_vec(PAD, PAD, PAD), brick);
    case CAPSULE:  return ncp_round(v, dc_vec(ROUND, ROUND, ROUND), dc_vec(LONG, 0, 0));
    case CYLINDER: return ncp_swept(v, 4, end, rim, dc_vec(LONG, ROUND, ROUND), none);
    case CONE:     return ncp_swept(v, 3, tip, edge, dc_vec(LONG, BALL, BALL), none);
    default:       return ncp_round(v, semi, none);
    }
}

/* ---- the scene -------------------------------------------------------------------------------------- */

/* A pair of this step, started cold: the next step has others. */
static void add_pair(int a, int b, const dc_shape *other)
{
    dc_ncp_contact *c = ncp_touch(&w, a, b, &shape[a%KINDS], other, mu);
    c->mu_spin = DC_R(mu_spin);
    c->keep = NULL;
}

/* Distance of x from the range -half .. half, 0 inside. */
static dc_real outside(dc_real x, dc_real half) { return dc_max(dc_abs(x) - half, 0); }

/* The pairs of a step: bodies whose spheres are near, and what of the box is near to a body's sphere. */
static void find_pairs(void)
{
    dc_broad_options near_by = DC_ZERO;
    dc_v3   centre[BODIES];
    dc_real r[BODIES];
    int     pair[2*PAIRS], count, i, k;

    for (i = 0; i < BODIES; i++) {
        centre[i] = w.body[i].pose.t;
        r[i] = radius(i%KINDS);
    }
    w.mem.used = 0;
    near_by.margin = MARGIN;
    ncp_need(dc_broad_spheres(&near_by, BODIES, centre, r, &w.mem, PAIRS, pair, &count), "pairs");
    w.scene.contacts = 0;
    for (k = 0; k < count; k++) add_pair(pair[2*k], pair[2*k + 1], &shape[pair[2*k + 1]%KINDS]);
    for (i = 0; i < BODIES; i++) {
        if (centre[i].z < r[i] + MARGIN) add_pair(i, -1, &ground);
        for (k = 0; k < WALLS; k++) {
            dc_v3 d = dc_sub(centre[i], wall_centre[k]);
            d = dc_vec(outside(d.x, wall_half[k].x), outside(d.y, wall_half[k].y), outside(d.z, wall_half[k].z));
            if (dc_dot(d, d) < (r[i] + MARGIN)*(r[i] + MARGIN)) add_pair(i, -1, &wall[k]);
        }
    }
}

int main(int argc, char **argv)
{
    double       rate = 100, rho = DC_IS_FLOAT ? 1e-3 : 1e-4, seconds = 2.5;
    cli_number   number[] = {{"rate", &rate, 50, 1000, "steps a second"},
                             {"seconds", &seconds, 0.1, 60, "length of the run"},
                             {"rho", &rho, 1e-10, 1e-2, "relaxation of the contacts"},
                             {"mu", &mu, 0, 10, "friction coefficient"},
                             {"spin", &mu_spin, 0, 1, "torsional friction, m"}};
    cli          o = cli_parse(argc, argv, "Tumbles shapes into a box and writes a page.", "ncp_tumble.html", number, 5);
    static const char *colour[KINDS] = {"#3b7dd8", "#c9971c", "#3aa675", "#8a63d2", "#2ba3b5", "#d68ab0", "#7fb24a", "#8592a3"};
    view_options page = DC_ZERO;
    view        *v;
    cli_bar      bar;
    int          i, k, steps = (int)((o.quick ? 0.25 : 1)*seconds*rate), drawn[KINDS], most_pairs = 0, energy, gaps, pairs, newton;
    double       lowest = 0, gap = 0, fastest = 0, start, solve = 0;

    ncp_begin(&w, 3, 1/rate, rho);
    make_shapes();
    page.title = "Eight kinds of shapes tumble into a box";
    page.note = "One solve for all pairs of a step, with the friction cone.";
    page.rate = 50;
    v = view_open(o.out, &page);
    view_fixed(v, view_plane(v, DC_R(1.2)), "#9aa6b6", ncp_origin);
    for (k = 0; k < WALLS; k++) {
        dc_v3   corner[8], h = wall_half[k];
        dc_hull hull = {corner, 8, 0};
        dc_pose at = {{1, 0, 0, 0}, wall_centre[k]};
        for (i = 0; i < 8; i++) corner[i] = dc_vec(i & 1 ? -h.x : h.x, i & 2 ? -h.y : h.y, i & 4 ? -h.z : h.z);
        view_fixed(v, view_hull(v, &hull), "#8592a330", at);
    }
    for (k = 0; k < KINDS; k++) drawn[k] = picture(v, k);
    for (i = 0; i < BODIES; i++) {                          /* layers of nine */
        dc_ncp_body *b = ncp_add(&w, 1, inertia(i%KINDS), 0.62*(i%3 - 1), 0.62*(i/3%3 - 1), 1 + 0.75*(i/9));
        b->pose.q = dc_quat_exp(dc_scale(DC_R(i + 1), dc_vec(DC_R(0.4), DC_R(0.2), DC_R(0.3))));
        b->w = dc_vec(DC_R(i%3 - 1), DC_R(i%5 - 2), 0);
        ncp_show(&w, v, i, drawn[i%KINDS], colour[i%KINDS]);
    }
    ncp_overlays(&w, v, 20, 0.2);
    energy = view_series(v, "energy", "J", 0);
    gaps = view_series(v, "smallest gap, up or down", "m", 1);
    pairs = view_series(v, "pairs", "", 0);
    newton = view_series(v, "Newton steps", "", 0);
    bar = cli_bar_begin("tumble", steps, "steps");
    for (i = 0; i <= steps && view_ok(v) && !cli_stopped(); i++) {
        if (i > 0) {
            find_pairs();
            start = cli_seconds();
            ncp_step(&w);
            solve += cli_seconds() - start;
        }
        cli_bar_step(&bar, i);
        gap = ncp_gap(&w);
        lowest = fmin(lowest, gap);
        if (w.scene.contacts > most_pairs) most_pairs = w.scene.contacts;
        if (i & 1) continue;                                /* every other step is shown */
        ncp_draw(&w, v);
        view_value(v, energy, ncp_energy(&w));
        view_value(v, gaps, fabs(gap));
        view_value(v, pairs, w.scene.contacts);
        view_value(v, newton, w.info.iterations);
        view_frame(v, w.time);
    }
    cli_bar_end(&bar);
    for (i = 0; i < BODIES; i++) fastest = fmax(fastest, sqrt((double)dc_dot(w.body[i].v, w.body[i].v)));
    ncp_report(&w, "tumble");
    printf("most_pairs %d pairs\ndeepest_overlap %.3g m\nfastest_at_the_end %.3g m/s\n", most_pairs, 0 - lowest, fastest);
    printf("time_of_a_step %.3g ms\n", 1e3*solve/fmax(w.steps, 1));
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
