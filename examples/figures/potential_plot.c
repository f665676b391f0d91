/* potential_plot.c - three contact potentials of two unit boxes, drawn
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     global    dc_pair_rigid, DC_GLOBAL: never zero, so that a far box still feels where to go
 *     local     dc_pair_rigid, DC_LOCAL:  exactly zero from the distance 2s/(1-s) on
 *     barrier   b(D) = -(D - dhat)^2 ln(D/dhat) of the hull distance D, zero from dhat on (IPC; Li et al. 2020)
 *
 * with dhat = 2s/(1-s), so that local and barrier reach equally far. Above, box a rises face to face over box b:
 * potential and force against the distance (LRI Fig. 2). Below, a stands on a corner that slides from above b's top
 * face past an edge, then past the vertex at its end: the second derivative by the way slid (LRI A.4, Fig. 12). The
 * derivative of the distance has a kink wherever the closest feature changes, so the barrier's second derivative jumps
 * there; the other two never ask for a closest feature.
 *
 *     potential_plot [--out FILE]     writes the picture, and its key numbers to stdout as  name value unit
 *
 * Lengths in metres; each potential has the weight 1: joules, for the barrier joules per square metre. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include "cli.h"
#include "plot.h"

enum { GLOBAL, LOCAL, BARRIER, KINDS };
static const char *const name[KINDS] = {"global", "local", "barrier"};
static const char *const colour[KINDS] = {PLOT_BLUE, PLOT_GREEN, PLOT_RED};

#define S DC_R(0.3)                     /* the support of DC_LOCAL */
#define REACH (2*S/(1 - S))             /* the distance from where local and barrier are zero */
#define GAP_LEAST 1e-2                  /* plotted distances */
#define GAP_MOST 1e2
#define SLIDE_GAP DC_R(0.3)             /* distance of the sliding corner from b's top face */
#define SLIDE_EDGE DC_R(0.2)            /* way from the edge to the vertex */
#define SLIDE_LEAST (-0.25)             /* plotted ways: 0 is above the edge */
#define SLIDE_MOST 0.44
#define DOWN 3                          /* the corner that a stands on while it slides */
#define POINTS 321

static const dc_v3 corner[8] = {
    {DC_R(-0.5), DC_R(-0.5), DC_R(-0.5)}, {DC_R(0.5), DC_R(-0.5), DC_R(-0.5)},
    {DC_R(-0.5), DC_R(0.5), DC_R(-0.5)},  {DC_R(0.5), DC_R(0.5), DC_R(-0.5)},
    {DC_R(-0.5), DC_R(-0.5), DC_R(0.5)},  {DC_R(0.5), DC_R(-0.5), DC_R(0.5)},
    {DC_R(-0.5), DC_R(0.5), DC_R(0.5)},   {DC_R(0.5), DC_R(0.5), DC_R(0.5)}};
static const dc_hull box = {corner, 8, 0};

/* A straight path of box a: pose `start` moved by u along a unit vector. Box b rests at the origin. */
typedef struct { dc_pose start; dc_v3 along; } path;

/* A potential on a path, its first and second derivative by u; for the barrier the vertices of b's closest feature. */
typedef struct { double value, slope, curve; int feature; } sample;

/* The samples that are drawn, and where they are: log-spaced distances, evenly spaced ways. */
static sample rise[KINDS][POINTS], slide[KINDS][POINTS];
static double gap(int i) { return GAP_LEAST*pow(GAP_MOST/GAP_LEAST, (double)i/(POINTS - 1)); }
static double way_at(int i) { return SLIDE_LEAST + (SLIDE_MOST - SLIDE_LEAST)*i/(POINTS - 1); }

/* ---- the potentials -------------------------------------------------------------------------- */

/* The part of t that is normal to the span of the edges of a feature; `basis` grows by that span, orthonormal. */
static dc_v3 normal_part(dc_v3 t, const int *vertex, int n, dc_quat q, dc_v3 *basis, int *n_basis)
{
    int i, k;

    for (i = 1; i < n; i++) {
        dc_v3   e = dc_quat_rotate(q, dc_sub(corner[vertex[i]], corner[vertex[0]]));
        dc_real length, least = DC_R(1e-3)*dc_sqrt(dc_dot(e, e));
        for (k = 0; k < *n_basis; k++) e = dc_madd(e, -dc_dot(e, basis[k]), basis[k]);
        length = dc_sqrt(dc_dot(e, e));
        if (length < least) continue;                       /* parallel to what is there */
        basis[*n_basis] = e = dc_scale(1/length, e);
        ++*n_basis;
        t = dc_madd(t, -dc_dot(t, e), e);
    }
    return t;
}

/* The barrier of the distance D along the path,
 *     b   = -(D - dhat)^2 ln(D/dhat)
 *     b'  = -2 (D - dhat) ln(D/dhat) - (D - dhat)^2/D
 *     b'' = -2 ln(D/dhat) - 4 (D - dhat)/D + (D - dhat)^2/D^2
 * While the closest features stay, D is the distance of two flats, one of which moves by u t: with n the unit direction
 * of D and m the part of t that is normal to n and to both flats, D' = n.t and D'' = m.m/D. */
static dc_status barrier(const path *p, const dc_pose *a, sample *out)
{
    const dc_quat still = {1, 0, 0, 0};
    dc_distance   d = DC_ZERO;
    dc_v3         basis[3], m;
    dc_real       D, D1, D2, x, ln, b1, b2;
    int           n_basis = 1;
    dc_status     status = dc_hull_distance(&box, a, &box, NULL, NULL, &d);

    if (status != DC_OK) return status;
    out->feature = d.nb;
    out->value = out->slope = out->curve = 0;
    D = d.gap;
    x = D - REACH;
    if (x >= 0) return DC_OK;

    basis[0] = d.n;
    D1 = dc_dot(d.n, p->along);
    m = dc_madd(p->along, -D1, d.n);
    m = normal_part(m, d.ia, d.na, a->q, basis, &n_basis);
    m = normal_part(m, d.ib, d.nb, still, basis, &n_basis);
    D2 = dc_dot(m, m)/D;

    ln = dc_log(D/REACH);
    b1 = -2*x*ln - x*x/D;
    b2 = -2*ln - 4*x/D + x*x/(D*D);
    out->value = (double)(-x*x*ln);
    out->slope = (double)(b1*D1);                           /* b' D' */
    out->curve = (double)(b2*D1*D1 + b1*D2);                /* b'' D'^2 + b' D'' */
    return DC_OK;
}

/* dc_pair_rigid along the path: the twist of a is (t, 0), so the derivatives are g.t and t.H t of the first three
 * entries. The global one is taken from its value at infinity, c, which carries no force. */
static dc_status potential(int kind, const path *p, const dc_pose *a, sample *out)
{
    static unsigned char memory[1 << 14];
    dc_arena        arena = dc_arena_make(memory, sizeof memory);
    dc_pair_options o = DC_ZERO;
    dc_real         value = 0, g[12], H[144], t[3], slope = 0, curve = 0;
    dc_status       status;
    int             i, j;

    o.barrier = kind == GLOBAL ? DC_GLOBAL : DC_LOCAL;
    o.c = DC_R(4)*DC_R(8);                                  /* the default: (sqrt 8 + sqrt 8)^2 */
    o.s = S;
    status = dc_pair_rigid(&o, &box, a, &box, NULL, &arena, NULL, &value, g, H, NULL);
    if (status != DC_OK) return status;
    t[0] = p->along.x; t[1] = p->along.y; t[2] = p->along.z;
    for (i = 0; i < 3; i++) {
        slope += g[i]*t[i];
        for (j = 0; j < 3; j++) curve += t[i]*H[12*i + j]*t[j];
    }
    out->value = (double)(kind == GLOBAL ? value - o.c : value);
    out->slope = (double)slope;
    out->curve = (double)curve;
    out->feature = 0;
    return DC_OK;
}

static sample sample_at(const path *p, int kind, double u)
{
    sample    s;
    dc_pose   a = p->start;
    dc_status status;

    a.t = dc_madd(a.t, DC_R(u), p->along);
    status = kind == BARRIER ? barrier(p, &a, &s) : potential(kind, p, &a, &s);
    if (status != DC_OK) {
        exit(cli_error("%s at %g: %s", name[kind], u, dc_status_text(status)));
    }
    return s;
}

/* ---- the numbers ----------------------------------------------------------------------------- */

/* The distance from where on the force is zero, to the cube root of eps: nearer, a force of the order
 * (g - end)^3 is lost in rounding. */
static double force_end(const path *p, int kind)
{
    double lo = GAP_LEAST, hi = GAP_MOST;

    while (hi - lo > cbrt((double)DC_EPS)*hi) {
        double mid = 0.5*(lo + hi);
        if (sample_at(p, kind, mid).slope < 0) lo = mid; else hi = mid;
    }
    return hi;
}

/* The exponent of the force at large distance, 1e5 .. 1e6. */
static double force_exponent(const path *p, int kind)
{
    double x[21], y[21];
    int    i;

    for (i = 0; i < 21; i++) {
        x[i] = 1e5*pow(10, i/20.0);
        y[i] = -sample_at(p, kind, x[i]).slope;
    }
    return plot_power_fit(21, x, y, NULL);
}

/* The largest second derivative of a slide. */
static double largest(int kind)
{
    double most = 0;
    int    i;

    for (i = 0; i < POINTS; i++) most = fmax(most, fabs(slide[kind][i].curve));
    return most;
}

/* The change of the second derivative over a step that is halved, always towards the larger change: what a jump keeps,
 * and what a continuous function loses with the step. */
static double jump(const path *p, int kind, double lo, double hi)
{
    double a = sample_at(p, kind, lo).curve, b = sample_at(p, kind, hi).curve;

    while (hi - lo > 1e3*(double)DC_EPS) {
        double mid = 0.5*(lo + hi), m = sample_at(p, kind, mid).curve;
        if (fabs(m - a) > fabs(b - m)) { hi = mid; b = m; } else { lo = mid; a = m; }
    }
    return fabs(b - a);
}

/* Where the closest feature changes between lo and hi. */
static double change(const path *p, double lo, double hi)
{
    int before = sample_at(p, BARRIER, lo).feature;

    while (hi - lo > 1e3*(double)DC_EPS) {
        double mid = 0.5*(lo + hi);
        if (sample_at(p, BARRIER, mid).feature == before) lo = mid; else hi = mid;
    }
    return hi;
}

/* ---- the picture ------------------------------------------------------------------------------ */

/* The two boxes that part, in the upper right of a panel. */
static void draw_boxes(const plot_panel *value)
{
    plot_panel a = plot_panel_at(value->p, value->left + 166, value->top + 26, 116, 40);

    a.x.hi = 2.9;
    a.y.hi = 1;
    plot_rectangle(&a, 0, 0, 1, 1, PLOT_SOLID, PLOT_PALE);
    plot_rectangle(&a, 1.9, 0, 2.9, 1, PLOT_SOLID, PLOT_PALE);
    plot_arrow(&a, 1.45, 0.5, 1, 0.5, PLOT_INK);
    plot_arrow(&a, 1.45, 0.5, 1.9, 0.5, PLOT_INK);
    plot_note(&a, 1.45, 0.5, 0, -6, "middle", PLOT_INK, "*g*");
}

/* Box b from above, near its corner, with the way of a's lowest corner over it and the crossings, where the part of b
 * that is closest to that corner changes. */
static void draw_way(plot *p, const path *way, const double *crossing)
{
    dc_v3      low = dc_add(way->start.t, dc_quat_rotate(way->start.q, corner[DOWN]));
    plot_panel a = plot_panel_at(p, 645, 408, 130, 166);
    double     x[4], y[4], u[4];
    int        i;

    a.x.lo = 0.32; a.x.hi = 0.82;
    a.y.lo = 0.10; a.y.hi = 0.74;
    u[0] = SLIDE_LEAST; u[1] = crossing[0]; u[2] = crossing[1]; u[3] = SLIDE_MOST;
    for (i = 0; i < 4; i++) {
        x[i] = (double)low.x + u[i]*(double)way->along.x;
        y[i] = (double)low.y + u[i]*(double)way->along.y;
    }
    plot_rectangle(&a, a.x.lo, a.y.lo, 0.5, 0.5, PLOT_SOLID, "none");
    plot_line(&a, a.x.lo, 0.5, 0.5, 0.5, PLOT_PALE, 1.6, NULL);
    plot_line(&a, 0.5, 0.5, 0.5, a.y.lo, PLOT_PALE, 1.6, NULL);
    plot_line(&a, 0.5, 0.5, 0.5, a.y.hi, PLOT_PALE, 1, "2 3");
    plot_line(&a, 0.5, 0.5, a.x.hi, 0.5, PLOT_PALE, 1, "2 3");
    plot_arrow(&a, x[0], y[0], x[3], y[3], PLOT_INK);
    for (i = 1; i < 3; i++) plot_dot(&a, x[i], y[i], 2.6, colour[BARRIER], colour[BARRIER]);
    plot_note(&a, 0.5, 0.5, -6, 17, "end", PLOT_INK, "face");
    plot_note(&a, a.x.hi, 0.5, 0, 24, "end", PLOT_INK, "edge");
    plot_note(&a, a.x.hi, 0.5, 0, -9, "end", PLOT_INK, "vertex");
    plot_note(&a, x[3], y[3], -13, 6, "end", PLOT_INK, "*u*");
    plot_note(&a, 0.57, a.y.lo, 0, 18, "middle", PLOT_PALE, "from above: the part");
    plot_note(&a, 0.57, a.y.lo, 0, 33, "middle", PLOT_PALE, "of the box that is closest");
}

/* A logarithmic axis has no zero: what is zero is drawn below the frame. */
static double below(double y) { return y <= 0 ? 1e-12 : y; }

/* Value, or force, against the distance. */
static plot_panel draw_rise(plot *p, double left, int force, double reach)
{
    static const char *const words[KINDS] = {"global potential (DC_GLOBAL)", "local potential (DC_LOCAL)",
                                             "log barrier of the distance"};
    plot_panel a = plot_panel_at(p, left, 98, 306, 222);
    double     x[POINTS], y[POINTS];
    char       text[64];
    int        i, k;

    a.title = force ? "Force" : "Value";
    a.x.name = "distance *g* between the faces [m]";
    a.y.name = force ? "|d*P*/d*g*| [N]" : "*P*(*g*) − *P*(∞) [J]";
    a.x.log = a.y.log = 1;
    a.x.lo = GAP_LEAST; a.x.hi = GAP_MOST;
    a.y.lo = 1e-6; a.y.hi = 1e8;
    plot_axes(&a);
    for (k = 0; k < KINDS; k++) {
        for (i = 0; i < POINTS; i++) {
            x[i] = gap(i);
            y[i] = below(force ? -rise[k][i].slope : rise[k][i].value);
        }
        plot_curve(&a, POINTS, x, y, colour[k], words[k]);
    }

    /* where two of them end */
    plot_dot(&a, reach, a.y.lo, 4, PLOT_CARD, PLOT_INK);
    snprintf(text, sizeof text, "2*s*/(1 − *s*) = %.3f m on", reach);
    plot_note(&a, reach, a.y.lo, 10, -27, "start", PLOT_INK, "both exactly 0 from");
    plot_note(&a, reach, a.y.lo, 10, -11, "start", PLOT_INK, text);
    return a;
}

/* Second derivative against the way slid. */
static void draw_slide(plot *p, const double *crossing, double leap)
{
    static const char *const closest[3] = {"face closest", "edge closest", "vertex closest"};
    plot_panel a = plot_panel_at(p, 70, 408, 548, 212);
    double     x[POINTS], y[POINTS], border[4];
    char       text[64];
    int        i, k;

    a.title = "Second derivative as a corner slides past an edge";
    a.x.name = "way slid *u* [m]";
    a.y.name = "d^{2}*P*/d*u*^{2}, largest = 1";
    a.x.lo = SLIDE_LEAST; a.x.hi = SLIDE_MOST;
    a.y.lo = -1.15; a.y.hi = 1.4;
    plot_axes(&a);
    border[0] = SLIDE_LEAST; border[1] = crossing[0]; border[2] = crossing[1]; border[3] = SLIDE_MOST;
    for (i = 0; i < 3; i++) {
        if (i > 0) plot_line(&a, border[i], a.y.lo, border[i], a.y.hi, PLOT_PALE, 1, "2 3");
        plot_note(&a, 0.5*(border[i] + border[i + 1]), a.y.hi, 0, 17, "middle", PLOT_PALE, closest[i]);
    }
    for (k = KINDS - 1; k >= 0; k--) {
        for (i = 0; i < POINTS; i++) { x[i] = way_at(i); y[i] = slide[k][i].curve/largest(k); }
        plot_curve(&a, POINTS, x, y, colour[k], NULL);
    }
    snprintf(text, sizeof text, "jumps, up to %.2f", leap);
    plot_note(&a, crossing[1], -0.82, 50, 0, "start", colour[BARRIER], text);
}

static int draw(const char *file, const path *way, const double *crossing, double reach, double exponent, double leap)
{
    plot       p;
    plot_panel value, force;
    char       text[64];

    plot_begin(&p, 800, 676, "Contact potentials of two unit boxes");
    value = draw_rise(&p, 70, 0, reach);
    force = draw_rise(&p, 474, 1, reach);
    draw_boxes(&value);
    plot_legend_row(&value, 24, 61.5);
    snprintf(text, sizeof text, "*g*^{−%.2f}, never 0", -exponent);
    plot_note(&force, 6, 60, 0, 0, "start", colour[GLOBAL], text);
    draw_slide(&p, crossing, leap);
    draw_way(&p, way, crossing);
    return plot_end(&p, file);
}

/* ---- the program ------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    cli    o = cli_parse(argc, argv, "Draws three contact potentials of two boxes; prints key numbers as  name value unit.",
                         "potential_plot.svg", NULL, 0);
    path   up, past;
    double end[KINDS], leap[KINDS], crossing[2] = {0, 0}, exponent;
    int    i, k, n_crossings = 0;

    /* face to face, rising */
    up.start.q = dc_quat_exp(dc_vec(0, 0, 0));
    up.start.t = dc_vec(0, 0, 1);
    up.along = dc_vec(0, 0, 1);

    /* on the corner (1,1,-1)/2, which turns straight down about (-1,1,0), with tan of the angle sqrt 2 */
    past.start.q = dc_quat_exp(dc_scale(dc_atan2(dc_sqrt(2), 1)/dc_sqrt(2), dc_vec(-1, 1, 0)));
    past.along = dc_vec(DC_R(0.6), DC_R(0.8), 0);
    past.start.t = dc_vec(DC_R(0.5), DC_R(0.5) - DC_R(0.8)*SLIDE_EDGE, DC_R(0.5) + SLIDE_GAP);
    past.start.t = dc_sub(past.start.t, dc_quat_rotate(past.start.q, corner[DOWN]));

    for (k = 0; k < KINDS; k++) {
        for (i = 0; i < POINTS; i++) {
            rise[k][i] = sample_at(&up, k, gap(i));
            slide[k][i] = sample_at(&past, k, way_at(i));
        }
        end[k] = k == GLOBAL ? 0 : force_end(&up, k);
        leap[k] = 0;
        for (i = 1; i < POINTS; i++) leap[k] = fmax(leap[k], jump(&past, k, way_at(i - 1), way_at(i))/largest(k));
    }
    for (i = 1; i < POINTS && n_crossings < 2; i++) {
        if (slide[BARRIER][i].feature == slide[BARRIER][i - 1].feature) continue;
        crossing[n_crossings++] = change(&past, way_at(i - 1), way_at(i));
    }
    if (n_crossings < 2) return cli_error("the closest feature does not change twice");
    exponent = force_exponent(&up, GLOBAL);

    if (draw(o.out, &past, crossing, end[LOCAL], exponent, leap[BARRIER]) != 0) return CLI_FAILED;

    printf("reach_formula %.6g m\n", (double)REACH);
    for (k = LOCAL; k < KINDS; k++) printf("%s_force_end %.6g m\n", name[k], end[k]);
    printf("global_force_exponent %.6f 1\n", exponent);
    for (i = 0; i < 2; i++) printf("closest_feature_change_%d %.6f m\n", i + 1, crossing[i]);
    for (k = 0; k < KINDS; k++) printf("%s_second_derivative_jump %.3g 1\n", name[k], leap[k]);
    return cli_exit(CLI_DONE);
}
