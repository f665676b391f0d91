/* grain_chain.c - a chain of balls in sockets is lowered onto a floor, where it coils
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * CEM, section 8.7: nothing ties a link to the next but its outline, a ball that the next one's socket holds by more than half.
 * One field, of a link and a link, answers for joints, for coils that lie on each other and for the floor, which is links as
 * well. Printed is whether joints broke, how far balls moved from the centres of their sockets (0.08 m before they touch), and how
 * the coils lie. Implicit steps of 1 ms, 40 times the paper's; of 4 ms joints break.
 * With --drop 1 there is no hand: the joints of 100 links still hold, with springs five times softer, --stiffness 2e5, too.
 * The field is learned, read from examples/fields, or trained if it is not there, and baked into a spline. Memory, the list of
 * bodies and the page are common/grain_scene.h's. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "grain_scene.h"

/* m: from a ball's centre to the socket's; radii of ball, socket and its outside; half the neck's thickness */
#define PITCH 1.35
#define BALL 0.36
#define SOCKET 0.44
#define OUTSIDE 0.64
#define NECK 0.11
#define MOUTH (42*GRAIN_PI/180)         /* half the angle by which the socket is open */
#define LET_GO 4.0                      /* m, from the hand to coils below it when it opens */

static grain_scene s;
static double      middle;              /* x of the point halfway between ball and socket, from a link's centroid */

static int arc(dc_v2 *v, double x, double radius, double from, double to, int n)
{
    int i;

    for (i = 0; i <= n; i++) {
        v[i].x = (dc_real)(x + radius*cos(from + (to - from)*i/n));
        v[i].y = (dc_real)(radius*sin(from + (to - from)*i/n));
    }
    return n + 1;
}

/* The type of a link along x, its ball at the left: 1 kg/m^2, the outline's radius the unit of its length. */
static void link_type(void)
{
    grain_kind *kind = s.kind;
    dc_v2 *v = kind->corner;
    double a = asin(NECK/BALL), b = asin(NECK/OUTSIDE), radius = 0;
    int    i, n = arc(v, -PITCH/2, BALL, a, 2*GRAIN_PI - a, 16);

    n += arc(v + n, PITCH/2, OUTSIDE, GRAIN_PI + b, 2*GRAIN_PI - MOUTH, 8);
    n += arc(v + n, PITCH/2, SOCKET, -MOUTH, MOUTH - 2*GRAIN_PI, 16);
    n += arc(v + n, PITCH/2, OUTSIDE, MOUTH, GRAIN_PI - b, 8);
    middle = -(double)v[0].x;
    grain_need(dc_poly_centre(n, v, 0), "link");
    middle += (double)v[0].x;
    for (i = 0; i < n; i++) radius = fmax(radius, hypot((double)v[i].x, (double)v[i].y));
    grain_need(dc_poly_centre(n, v, 1), "link");
    kind->outline.v = v;
    kind->outline.n = n;
    kind->length = radius;
    grain_need(dc_grain_type_poly(&kind->outline, (dc_real)radius, 1, s.type), "link");
    s.desc.types = 1;
}

/* The field of two links: a network, then the spline that interpolates it. */
static void link_field(void)
{
    static const char file[] = GRAIN_FIELDS "/link_link.dccfield";
    dc_cshape link = DC_ZERO;
    dc_cfield exact, network;
    dc_arena  mem;

    link.kind = DC_CSHAPE_POLY;
    link.poly = s.kind[0].outline;
    if (!grain_read(&s, file, &network)) {
        s.train.smooth = 1;
        s.train.samples = 60000;
        s.train.epochs = 300;
        mem = grain_memory(&s, dc_cfield_bytes(link.poly.n, link.poly.n));
        grain_need(dc_cfield_exact(NULL, &link, &link.poly, &mem, &exact), "exact field");
        grain_train(&s, &exact, file, &network);
        grain_write(&network, file);
    }
    mem = grain_memory(&s, dc_cfield_bake_bytes(NULL, &network));
    grain_need(dc_cfield_bake(NULL, &network, &mem, grain_field(&s, 0, 0), NULL), "spline");
}

/* x or y of a link's ball (end -1) or socket (1) */
static double end_x(int i, int end) { return grain_x(&s, i) + (middle + end*PITCH/2)*cos((double)s.g.q[3*i]); }
static double end_y(int i, int end) { return grain_y(&s, i) + (middle + end*PITCH/2)*sin((double)s.g.q[3*i]); }

/* How far link i's ball is from the centre of the socket of the link below it. */
static double play(int i)
{
    return hypot(end_x(i, -1) - end_x(i + 1, 1), end_y(i, -1) - end_y(i + 1, 1));
}

/* Fixed links: a floor of n with a rim of n/10 at each end. */
static void tray(int n, double half)
{
    int i;

    for (i = 0; i < n; i++) grain_put(&s, 0, DC_GRAIN_DRIVEN, (i + 0.5)*PITCH - half, 0, 0, "#8592a3");
    for (i = 0; i < n/10*2; i++)
        grain_put(&s, 0, DC_GRAIN_DRIVEN, i%2 ? half : -half, (i/2 + 0.5)*PITCH, GRAIN_PI/2, "#8592a3");
}

int main(int argc, char **argv)
{
    double     links = 100, floor_links = 40, speed = 8, rest = 4, drop = 0, stiffness = 1e6, mu = 0.4,
               step = 1e-3, sweeps = 16;
    cli_number number[] = {{"links", &links, 20, 5000, "of the chain"},
                           {"floor", &floor_links, 5, 1000, "links it is lowered onto"},
                           {"speed", &speed, 0.1, 100, "of lowering, m/s"},
                           {"rest", &rest, 0, 100, "seconds after that"},
                           {"drop", &drop, 0, 1, "1: dropped, not lowered"},
                           {"stiffness", &stiffness, 1e3, 1e9, "of a contact, N/m"},
                           {"step", &step, 1e-6, 1e-2, "of time, s"},
                           {"sweeps", &sweeps, 0, 1000, "of a step; 0: explicit, of 0.4 ms at most"},
                           {"mu", &mu, 0, 10, "friction"}};
    cli        o = cli_parse(argc, argv, "Lowers a chain onto a floor.", "grain_chain.html", number, 9);
    view      *v;
    cli_bar    bar;
    double     most = 0, high = 0, left = HUGE_VAL, right = -HUGE_VAL, lying, length, bottom = 2*OUTSIDE + 0.5, above;
    dc_grains_desc *d = &s.desc;
    dc_arena   work;
    int        n, i, k, frames, steps, broken = 0, loose, still;

    if (o.full) { links = 500; floor_links = 84; speed = 12; }
    if (o.quick) { links = 40; floor_links = 26; }
    n = (int)links;
    length = n*PITCH;
    above = 0.5*PITCH*floor_links;      /* links higher than that are not drawn, or the page would show a thread */
    frames = (int)(20*((drop > 0 ? sqrt(length/4.905) : (length - LET_GO)/speed) + rest));
    steps = (int)(0.05/step + 0.5);
    grain_open(&s, o.seed);
    link_type();
    link_field();

    /* bodies; the top link is the hand */
    for (i = 0; i < n; i++)
        grain_put(&s, 0, i == 0 && !(drop > 0) ? DC_GRAIN_DRIVEN : DC_GRAIN_FREE, 0, bottom + (n - 1 - i)*PITCH, GRAIN_PI/2,
                  i%10 ? "#4a7fb5" : "#d64f6b");
    tray((int)floor_links, 0.5*PITCH*floor_links);

    d->lo[0] = (dc_real)(-floor_links*PITCH);
    d->lo[1] = -20;
    d->hi[0] = -d->lo[0];
    d->hi[1] = (dc_real)(length + 20);
    grain_build(&s, step, sweeps, stiffness, mu, 0);
    work = grain_memory(&s, dc_grains_step_bytes(&s.g) + DC_ALIGN);    /* malloc's memory is aligned to less */
    if (!(drop > 0)) s.g.v[2] = (dc_real)-speed;
    v = grain_page(o.out, "A chain of balls in sockets is lowered onto a floor",
                   "Nothing ties the links: a ball stays because the mouth of its socket is narrower. "
                   "One learned contact field serves joints, coils and floor.", 20);
    grain_show(&s, v);
    loose = view_series(v, "largest play of a joint", "m", 0);
    still = view_series(v, "links slower than 0.5 m/s", "%", 0);
    bar = cli_bar_begin("chain", frames, "frames");
    for (i = 0; i <= frames && view_ok(v) && !cli_stopped(); i++) {
        double now = 0, begun = cli_seconds();
        /* the hand opens where it would press down on coils */
        for (k = 8; k < n; k++)
            if (grain_y(&s, k) > grain_y(&s, 0) - LET_GO) s.g.motion[0] = DC_GRAIN_FREE;
        for (k = 0; i > 0 && k < steps; k++) grain_count(&s, dc_grains_step(&s.g, &work, &s.info));
        s.seconds += cli_seconds() - begun;
        for (k = 0, broken = 0; k + 1 < n; k++) {
            now = fmax(now, play(k));
            broken += play(k) > SOCKET;
        }
        most = fmax(most, now);
        for (k = 0, lying = 0; k < n; k++) lying += hypot((double)s.g.v[3*k + 1], (double)s.g.v[3*k + 2]) < 0.5;
        for (k = 0; k < s.bodies; k++) {
            const dc_real *q = s.g.q + 3*(k < n && grain_y(&s, k) > above ? n : k);
            view_pose_2d(v, s.start[k].shown, q[1], q[2], q[0]);
        }
        view_value(v, loose, now);
        view_value(v, still, 100*lying/links);
        view_frame(v, s.time);
        cli_bar_step(&bar, i);
    }
    cli_bar_end(&bar);
    grain_report(&s, "chain");
    for (k = 0; k < n; k++) {
        high = fmax(high, grain_y(&s, k));
        left = fmin(left, grain_x(&s, k));
        right = fmax(right, grain_x(&s, k));
    }
    printf("chain_length %.1f m\nchain_joints_broken %d 1\nchain_largest_play %.3f m\n", length, broken, most);
    printf("coils_height %.2f m\ncoils_width %.2f m\nchain_mean_speed %.2g m/s\n", high, right - left, grain_speed(&s));
    printf("chain_wall_time %.1f s\n", s.seconds);
    if (view_close(v) != 0) return CLI_FAILED;
    grain_end(&s);
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
