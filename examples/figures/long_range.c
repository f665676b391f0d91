/* long_range.c - how far a body is felt, and what that costs
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * The first picture is the force of a hook on a small ball, the probe, with its centre anywhere in the hook's plane:
 *     local      dc_pair_rigid, DC_LOCAL, with each of the convex segments of the hook: exactly zero from its reach on
 *     eq8        dc_bsh_eval, LRI Eq. 8 as it is printed: one term for a pair of nodes, however many triangles they hold
 *     weighted   dc_bsh_eval, weighted: the term N_I N_J times, at the distance r + R_I + R_J
 *     exact      dc_bsh_brute, LRI Eq. 3, the sum over all triangle pairs: along one line only
 * Where pairs of nodes blend, Eq. 8 leaves one term of all those below. What they held turns into force on the way, the
 * spikes, and the far force is that of a single pair. The weighted form keeps the size that the force has in Eq. 3.
 *
 * The second one is LRI Fig. 6: the cost of one evaluation of a scene of 16 balls with gradient and Hessian, dc_bsh_scene,
 * against its number of triangles, and that of all triangle pairs. The paper goes from 512 to 6208 triangles, this to 6272.
 *
 *     long_range [--out FILE.svg] [--eps X] [--brute N] [--quick]      writes FILE.svg and FILE_cost.svg
 *
 * and its key numbers to stdout as  name value unit. Lengths in metres; the potentials have the weight 1 J. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#include "dc_bsh.h"
#include "cli.h"
#include "plot.h"

#include <time.h>

static double        eps = 0.5;         /* blend margin of the hierarchy */
static unsigned char trees[1 << 18], scratch[1 << 18];

static void need(dc_status status, const char *what)
{
    if (status != DC_OK) exit(cli_error("%s: %s", what, dc_status_text(status)));
}

/* ---- bodies ------------------------------------------------------------------------------------- */

#define FINEST 7                        /* m of the finest ball */

typedef struct { dc_v3 v[(2*FINEST + 1)*(2*FINEST + 1)]; int tri[3*8*FINEST*FINEST], nv, nt; } surface;

static void vertex(surface *s, double x, double y, double z) { s->v[s->nv++] = dc_vec(DC_R(x), DC_R(y), DC_R(z)); }

/* Two triangles with the edge ac between them. */
static void quad(surface *s, int a, int b, int c, int d)
{
    int *t = s->tri + 3*s->nt;
    t[0] = t[3] = a; t[1] = b; t[2] = t[4] = c; t[5] = d;
    s->nt += 2;
}

/* Vertex (i, j) of a square grid, -m to m both, that is folded about the middles of its sides: of two vertices that meet
 * the one that is taken. */
static int folded(int m, int i, int j)
{
    if (abs(i) == m) j = abs(j);
    if (abs(j) == m) i = abs(i);
    return (i + m)*(2*m + 1) + j + m;
}

/* A ball about the origin, 8 m^2 triangles: a square folded to an octahedron, its corners to the lower pole, and blown up. */
static void make_ball(surface *s, int m, double radius)
{
    int i, j;

    s->nv = s->nt = 0;
    for (i = -m; i <= m; i++) {
        for (j = -m; j <= m; j++) {
            double p = fabs((double)i)/m, q = fabs((double)j)/m, z = 1 - p - q, x = z < 0 ? 1 - q : p, y = z < 0 ? 1 - p : q;
            double scale = radius/sqrt(x*x + y*y + z*z);
            vertex(s, i < 0 ? -scale*x : scale*x, j < 0 ? -scale*y : scale*y, scale*z);
        }
    }
    for (i = -m; i < m; i++) {
        for (j = -m; j < m; j++) {
            int a = folded(m, i, j), b = folded(m, i, j + 1), c = folded(m, i + 1, j + 1), d = folded(m, i + 1, j);
            if ((i < 0) == (j < 0)) quad(s, b, c, d, a); else quad(s, a, b, c, d);
        }
    }
}

#define SEGMENTS 24                     /* of the hook; a straight shank first */
#define SHANK 5

/* A hook in the plane z = 0: convex segments one after the other, segment i with the vertices 4i .. 4i+7. */
static void make_hook(surface *s)
{
    double x = 0.8, y = 0.85, angle = 4*atan(1.0);
    int    i, k;

    s->nv = s->nt = 0;
    for (i = 0; i <= SEGMENTS; i++) {
        double half = 0.24 - 0.17*i*i/(SEGMENTS*SEGMENTS), c = cos(angle), d = sin(angle);
        for (k = 0; k < 4; k++) {
            double side = k == 0 || k == 3 ? half : -half;
            vertex(s, x - side*d, y + side*c, k < 2 ? 0.25 : -0.25);
        }
        x += 0.175*c;
        y += 0.175*d;
        if (i >= SHANK) angle += 0.205;
    }
    quad(s, 0, 1, 2, 3);
    quad(s, 4*SEGMENTS, 4*SEGMENTS + 1, 4*SEGMENTS + 2, 4*SEGMENTS + 3);
    for (i = 0; i < 4*SEGMENTS; i++) {
        int next = i%4 < 3 ? i + 1 : i - 3;
        quad(s, i, next, next + 4, i + 4);
    }
}

/* ---- the force field ---------------------------------------------------------------------------- */

enum { LOCAL, EQ8, WEIGHTED, EXACT, KINDS };
static const char *const name[KINDS] = {"local", "eq8", "weighted", "exact"};
static const char *const words[KINDS] = {"local potential", "Eq. 8", "Eq. 8 weighted, shifted", "all pairs (Eq. 3)"};
static const char *const colour[KINDS] = {PLOT_GREEN, PLOT_RED, PLOT_BLUE, PLOT_INK};

#define PROBE 0.15                      /* its radius */
#define REACH DC_R(0.5)                 /* of the local potential */
#define ACROSS 22                       /* positions in the plane: columns, rows, and what lies between two */
#define DOWN 16
#define SPACING 0.4
#define HALF_X (SPACING*ACROSS/2)       /* the plane that is drawn, about the origin */
#define HALF_Y (SPACING*DOWN/2)
#define LINE_FROM (-0.8)                /* a line in it, y = 0, that starts inside the hook */
#define LINE 120                        /* positions on it */

/* Forces on the probe, their part (u, v) in the plane, at n positions (x, y). */
typedef struct { int n; double x[ACROSS*DOWN], y[ACROSS*DOWN], u[KINDS][ACROSS*DOWN], v[KINDS][ACROSS*DOWN]; } field;

static surface hook, probe;
static dc_bsh  hook_tree, probe_tree;

/* Gradient of the local potential of the probe and all segments of the hook. */
static dc_status local(const dc_pose *at, dc_arena *mem, dc_real *grad)
{
    dc_pair_options o = DC_ZERO;
    dc_hull         ball = {probe.v, probe.nv, 0}, segment = {NULL, 8, 0};
    dc_real         g[12];
    dc_status       status = DC_OK;
    int             i, k;

    o.barrier = DC_LOCAL;
    o.s = REACH/(2 + REACH);
    for (k = 0; k < 12; k++) grad[k] = 0;
    for (i = 0; i < SEGMENTS && status == DC_OK; i++) {
        segment.v = hook.v + 4*i;
        status = dc_pair_rigid(&o, &ball, at, &segment, NULL, mem, NULL, NULL, g, NULL, NULL);
        for (k = 0; k < 12 && status == DC_OK; k++) grad[k] += g[k];
    }
    return status;
}

/* Adds the forces of the first `kinds` potentials at (x, y), unless the probe overlaps the hook there. The local one comes
 * first: one hull inside another is overlap, one surface inside another is not. */
static void field_add(field *f, int kinds, double x, double y)
{
    dc_pose at = {{1, 0, 0, 0}, {DC_R(x), DC_R(y), 0}};
    dc_real grad[12];
    int     k;

    for (k = 0; k < kinds; k++) {
        dc_arena       mem = dc_arena_make(scratch, sizeof scratch);
        dc_bsh_options o = DC_ZERO;
        dc_status      status;
        o.eps = DC_R(eps);
        o.weighted = k == WEIGHTED;
        if (k == LOCAL) status = local(&at, &mem, grad);
        else if (k == EXACT) status = dc_bsh_brute(&o, &probe_tree, &at, &hook_tree, NULL, &mem, NULL, grad, NULL, NULL);
        else status = dc_bsh_eval(&o, &probe_tree, &at, &hook_tree, NULL, &mem, NULL, NULL, grad, NULL, NULL);
        if (status == DC_E_OVERLAP) return;
        need(status, name[k]);
        f->u[k][f->n] = -(double)grad[0];
        f->v[k][f->n] = -(double)grad[1];
    }
    f->x[f->n] = x;
    f->y[f->n++] = y;
}

static double strength(const field *f, int kind, int i) { return hypot(f->u[kind][i], f->v[kind][i]); }

static void draw_circle(const plot_panel *a, double x, double y, double r, const char *fill, const char *dashes)
{
    double cx[40], cy[40];
    int    i;

    for (i = 0; i < 40; i++) {
        cx[i] = x + r*cos(i*atan(1.0)/5);
        cy[i] = y + r*sin(i*atan(1.0)/5);
    }
    plot_path(a, 40, cx, cy, 1, fill, PLOT_PALE, 1, dashes);
}

static plot_panel draw_field(plot *p, double left, double top, const char *title, int kind, const field *f,
                             const plot_scale *scale)
{
    plot_panel a = plot_panel_at(p, left, top, 352, 256);
    double     x[2*SEGMENTS + 2], y[2*SEGMENTS + 2];
    int        i;

    a.title = title;
    a.x.lo = -HALF_X; a.x.hi = HALF_X;
    a.y.lo = -HALF_Y; a.y.hi = HALF_Y;
    a.x.name = "*x* [m]";
    a.y.name = "*y* [m]";
    plot_axes(&a);
    for (i = 0; i < 2*SEGMENTS + 2; i++) {                  /* along one side of the hook and back on the other */
        dc_v3 v = hook.v[i <= SEGMENTS ? 4*i : 4*(2*SEGMENTS + 1 - i) + 1];
        x[i] = (double)v.x;
        y[i] = (double)v.y;
    }
    plot_line(&a, LINE_FROM, 0, HALF_X, 0, PLOT_PALE, 1, "6 3");
    plot_polygon(&a, 2*SEGMENTS + 2, x, y, PLOT_SOLID, PLOT_PALE);
    plot_arrows(&a, f->n, f->x, f->y, f->u[kind], f->v[kind], scale, 5, 16);
    return a;
}

/* Forces along the line; what is weaker than the scale, or zero, runs along its lower end. */
static void draw_line(plot *p, double left, double top, const field *f, const plot_scale *scale)
{
    plot_panel a = plot_panel_at(p, left, top, 352, 256);
    double     y[LINE];
    int        i, k;

    a.title = "Along the dashed line";
    a.x.name = "*x* [m]";
    a.y.name = "force on the ball [N]";
    a.x.lo = LINE_FROM; a.x.hi = HALF_X;
    a.y.lo = scale->lo; a.y.hi = 10*scale->hi;              /* and room for the legend */
    a.y.log = 1;
    plot_axes(&a);
    for (k = KINDS - 1; k >= 0; k--) {
        for (i = 0; i < f->n; i++) y[i] = fmax(strength(f, k, i), scale->lo);
        plot_curve(&a, f->n, f->x, y, colour[k], words[k]);
    }
    plot_legend(&a, PLOT_UPPER_RIGHT);
}

/* d1, d2: distances of the centres between which the two roots blend. */
static int draw_fields(const char *file, double d1, double d2, const field *plane, const field *line)
{
    const plot_scale scale = {1, 1e6};
    plot             p;
    plot_panel       a;
    char             text[140];

    plot_begin(&p, 940, 752, "Contact force of a hook on a small ball");
    snprintf(text, sizeof text, "At each place the force on a ball there. Hook and ball have %d and %d triangles, the "
             "potentials the weight 1 J.", hook.nt, probe.nt);
    plot_text(&p, 24, 55, "start", 13, PLOT_PALE, text);
    a = draw_field(&p, 66, 100, "LRI Eq. 8 as printed", EQ8, plane, &scale);
    draw_circle(&a, (double)hook_tree.o.x, (double)hook_tree.o.y, d1, "none", "2 3");
    draw_circle(&a, (double)hook_tree.o.x, (double)hook_tree.o.y, d2, "none", "2 3");
    plot_note(&a, -HALF_X, -HALF_Y, 6, -8, "start", PLOT_INK, "between the circles the roots blend");
    a = draw_field(&p, 482, 100, "Eq. 8 weighted by counts, shifted", WEIGHTED, plane, &scale);
    plot_bar(&a, &scale, "force on the ball [N]");
    snprintf(text, sizeof text, "Local: exactly 0 beyond a gap of %g m", (double)REACH);
    a = draw_field(&p, 66, 432, text, LOCAL, plane, &scale);
    draw_circle(&a, 2.2, -1.8, PROBE, PLOT_SOLID, NULL);
    plot_note(&a, 2.2, -1.8, 0, 24, "middle", PLOT_INK, "no force on the ball here");
    draw_line(&p, 482, 432, line, &scale);
    return plot_end(&p, file);
}

/* ---- the cost of a scene ------------------------------------------------------------------------- */

#define BALLS 16

enum { TREE, BRUTE, WAYS };
static const char *const way_name[WAYS] = {"tree", "brute"};

/* Of one evaluation with gradient and Hessian, at n sizes of the scene. */
typedef struct { int n; double triangles[FINEST], pairs[FINEST], seconds[FINEST]; } cost;

/* Fifteen balls of radius 1 racked up, 0.1 apart, and one to hit them; no two turned alike. */
static void place(dc_pose *pose)
{
    int i, row = 0, in_row = 0;

    for (i = 0; i < BALLS; i++) {
        pose[i].q = dc_quat_exp(dc_scale((dc_real)i, dc_vec(DC_R(0.1), DC_R(0.2), DC_R(0.3))));
        pose[i].t = dc_vec(DC_R(1.82*row), DC_R(2.1*in_row - 1.05*row), 0);
        if (in_row++ == row) { row++; in_row = 0; }
    }
    pose[BALLS - 1].t = dc_vec(-7, 0, 0);
}

static double pairs_met(const dc_bsh_info *i)
{
    return (double)(i->leaf_near + i->leaf_blended + i->leaf_far + i->inner_near + i->inner_blended + i->inner_far);
}

/* Evaluates the scene, through the hierarchy or by all triangle pairs; returns the pairs of nodes, or triangles, met. */
static double evaluate(int way, const dc_bsh *ball, const dc_pose *pose)
{
    static dc_real grad[6*BALLS], hess[36*BALLS*BALLS];
    const dc_bsh  *tree[BALLS];
    dc_arena       mem = dc_arena_make(scratch, sizeof scratch);
    dc_bsh_options o = DC_ZERO;
    dc_bsh_info    info = DC_ZERO;
    dc_real        P;
    double         pairs = 0;
    int            i, j;

    o.eps = DC_R(eps);
    for (i = 0; i < BALLS; i++) tree[i] = ball;             /* bodies may share a tree */
    if (way == TREE) {
        need(dc_bsh_scene(&o, BALLS, tree, pose, 0, NULL, &mem, NULL, &P, grad, hess, &info), "scene");
        return pairs_met(&info);
    }
    for (i = 0; i < BALLS; i++) {
        for (j = 0; j < i; j++) {                           /* one pair of balls after the other, not added up */
            need(dc_bsh_brute(&o, ball, &pose[i], ball, &pose[j], &mem, &P, grad, hess, &info), "all pairs");
            pairs += pairs_met(&info);
        }
    }
    return pairs;
}

/* Adds a size to a cost: of up to 9 evaluations, fewer if they are long, the median of the processor's time. */
static void cost_add(cost *c, int way, const dc_bsh *ball, const dc_pose *pose)
{
    double sorted[9], total = 0;
    int    n, i;

    for (n = 0; n < 9 && total < 0.5; n++) {
        clock_t start = clock();
        double  seconds;
        c->pairs[c->n] = evaluate(way, ball, pose);
        seconds = (double)(clock() - start)/CLOCKS_PER_SEC;
        total += seconds;
        for (i = n; i > 0 && sorted[i - 1] > seconds; i--) sorted[i] = sorted[i - 1];
        sorted[i] = seconds;
    }
    c->triangles[c->n] = BALLS*ball->n;
    c->seconds[c->n++] = sorted[n/2];
}

static plot_panel draw_cost(plot *p, double left, int times, const cost *c)
{
    static const char *const label[WAYS] = {"hierarchy (Eq. 8)", "all triangle pairs"};
    static const char *const ink[WAYS] = {PLOT_RED, PLOT_INK};
    plot_panel    a = plot_panel_at(p, left, 100, 340, 280);
    const double *y[WAYS];
    int           k;

    a.title = times ? "Processor time" : "Pairs visited";
    a.x.name = "triangles *T* of the scene";
    a.y.name = times ? "time [s]" : "pairs";
    a.x.log = a.y.log = 1;
    for (k = 0; k < WAYS; k++) {
        y[k] = times ? c[k].seconds : c[k].pairs;
        if (c[k].n > 0) plot_fit(&a, c[k].n, c[k].triangles, y[k]);
    }
    plot_axes(&a);
    for (k = 0; k < WAYS; k++) {
        if (c[k].n > 1) plot_power(&a, c[k].n, c[k].triangles, y[k], ink[k], 0.5);
        if (c[k].n > 0) plot_points(&a, c[k].n, c[k].triangles, y[k], ink[k], label[k]);
    }
    return a;
}

static int draw_costs(const char *file, const cost *c, const dc_pose *pose)
{
    plot       p;
    plot_panel pairs, above;
    int        i;

    plot_begin(&p, 880, 440, "16 balls: cost of one evaluation with gradient and Hessian");
    pairs = draw_cost(&p, 76, 0, c);
    draw_cost(&p, 500, 1, c);
    plot_legend_row(&pairs, 24, 63);
    above = plot_panel_at(&p, 732, 14, 108, 68);            /* the balls from above */
    above.x.lo = -8.4; above.x.hi = 8.7;
    above.y.lo = -5.4; above.y.hi = 5.4;
    for (i = 0; i < BALLS; i++) draw_circle(&above, (double)pose[i].t.x, (double)pose[i].t.y, 1, PLOT_SOLID, NULL);
    return plot_end(&p, file);
}

/* ---- the program --------------------------------------------------------------------------------- */

/* FILE.svg to FILE_cost.svg; ends the program if FILE is another name. */
static void cost_file(char *to, size_t bytes, const char *file)
{
    size_t n = strlen(file);
    if (n < 4 || n + 6 > bytes || strcmp(file + n - 4, ".svg") != 0) cli_usage("not the name of an .svg file: ", file);
    snprintf(to, bytes, "%.*s_cost.svg", (int)(n - 4), file);
}

int main(int argc, char **argv)
{
    double       most = 2048, d1, d2;
    cli_number   number[] = {{"eps", &eps, 0.01, 100, "blend margin of the hierarchy"},
                             {"brute", &most, 0, 1e5, "triangles of the largest scene for all pairs"}};
    cli          o = cli_parse(argc, argv, "Draws the force of a body at a distance, and the cost of a scene.",
                               "long_range.svg", number, 2);
    static field plane, line;
    static cost  c[WAYS];
    surface      ball;
    dc_arena     mem = dc_arena_make(trees, sizeof trees);
    dc_pose      pose[BALLS];
    cli_bar      bar;
    char         file[1000];
    int          i, j, k, m, finest = o.quick ? 4 : FINEST, unfelt = 0;

    cost_file(file, sizeof file, o.out);
    make_hook(&hook);
    make_ball(&probe, 1, PROBE);
    need(dc_bsh_build(hook.v, hook.nv, hook.tri, hook.nt, &mem, &hook_tree, NULL), "hook");
    need(dc_bsh_build(probe.v, probe.nv, probe.tri, probe.nt, &mem, &probe_tree, NULL), "probe");
    for (i = 0; i < LINE; i++) field_add(&line, KINDS, LINE_FROM + (HALF_X - LINE_FROM)*i/(LINE - 1), 0);
    for (j = 0; j < DOWN; j++) {
        for (i = 0; i < ACROSS; i++) field_add(&plane, EXACT, SPACING*(i + 0.5) - HALF_X, SPACING*(j + 0.5) - HALF_Y);
    }

    place(pose);
    bar = cli_bar_begin("cost", finest - 1, "sizes");
    for (m = 2; m <= finest && !cli_stopped(); m++) {
        dc_arena rest = mem;                                /* one ball's tree replaces the last one */
        dc_bsh   ball_tree;
        make_ball(&ball, m, 1);
        need(dc_bsh_build(ball.v, ball.nv, ball.tri, ball.nt, &rest, &ball_tree, NULL), "ball");
        cost_add(&c[TREE], TREE, &ball_tree, pose);
        if (BALLS*ball.nt <= most) cost_add(&c[BRUTE], BRUTE, &ball_tree, pose);
        cli_bar_step(&bar, m - 1);
    }
    cli_bar_end(&bar);

    d1 = (double)(hook_tree.node->R + probe_tree.node->R);
    d2 = (1 + eps)*d1;
    if (draw_fields(o.out, d1, d2, &plane, &line) != 0) return CLI_FAILED;
    if (c[TREE].n > 0 && draw_costs(file, c, pose) != 0) return CLI_FAILED;

    printf("roots_blend_from %.3f m\nroots_blend_to %.3f m\n", d1, d2);
    for (k = EQ8; k < EXACT; k++) {                         /* along the line */
        double least = HUGE_VAL, largest = 0;
        for (i = 0; i < line.n; i++) {
            double ratio = strength(&line, k, i)/strength(&line, EXACT, i);
            least = fmin(least, ratio);
            largest = fmax(largest, ratio);
        }
        printf("%s_over_exact_least %.3g 1\n%s_over_exact_largest %.3g 1\n", name[k], least, name[k], largest);
    }
    for (i = 0; i < plane.n; i++) unfelt += !(strength(&plane, LOCAL, i) > 0);
    printf("local_positions_without_force %.3f 1\n", (double)unfelt/plane.n);
    for (k = 0; k < WAYS; k++) {
        for (i = 0; i < c[k].n; i++) {
            printf("%s_pairs_%.0f %.0f pairs\n", way_name[k], c[k].triangles[i], c[k].pairs[i]);
            printf("%s_time_%.0f %.4g ms\n", way_name[k], c[k].triangles[i], 1e3*c[k].seconds[i]);
        }
        if (c[k].n < 2) continue;
        printf("%s_pairs_exponent %.2f 1\n", way_name[k], plot_power_fit(c[k].n, c[k].triangles, c[k].pairs, NULL));
        printf("%s_time_exponent %.2f 1\n", way_name[k], plot_power_fit(c[k].n, c[k].triangles, c[k].seconds, NULL));
    }
    for (i = 0; i < c[BRUTE].n; i++) {
        printf("brute_time_over_tree_%.0f %.3g 1\n", c[BRUTE].triangles[i], c[BRUTE].seconds[i]/c[TREE].seconds[i]);
    }
    return cli_exit(CLI_DONE);
}
