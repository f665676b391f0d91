/* hull_manifold.c - a box, a wedge and a capsule slide over ramps, a step and a log: contact points, their ids, smooth weights
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Each follows a path, pitched as the ground below it, and turns on the spot; dc_hull_cast lets it down onto what comes first,
 * and a little into it. dc_hull_manifold says where it touches each of the things below, dc_hull_smooth how much each place counts
 * when features fade instead of coming and going. A colour stands for an id: a point that keeps its colour has kept its id.
 *
 * Checked at every frame: the least gap of the points is dc_hull_distance, ids survive a nudge, and so does the sum of weights. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

enum { STILL = 5, MOVERS = 3, BODIES = STILL + MOVERS, COLOURS = 6, SOFT = 256 };
#define NUDGE (sizeof(dc_real) == 4 ? DC_R(1e-6) : DC_R(1e-9))
#define CLOSE (sizeof(dc_real) == 4 ? 1e-3 : 1e-4)     /* of the size: what the header says of the least gap */
#define LOST  (sizeof(dc_real) == 4 ? 1 : 0)           /* thousandths of the ids; floats, nudged by ten roundings, cross a border */

typedef struct { dc_hull hull; dc_hull_topology t; dc_pose pose; } body;

static dc_v3         corner[BODIES][8];
static body          thing[BODIES];
static dc_hull_patch patch[MOVERS][STILL];
static unsigned char kept[1 << 16], scratch[1 << 19];

static int make(int k, int n, dc_real radius, dc_v3 at)
{
    static dc_arena mem;
    body *b = &thing[k];
    if (!mem.base) mem = dc_arena_make(kept, sizeof kept);
    b->hull.v = corner[k];
    b->hull.n = n;
    b->hull.radius = radius;
    b->pose.q.w = 1;
    b->pose.t = at;
    return dc_hull_faces(&b->hull, 0, &mem, &b->t) == DC_OK;
}

static int box(int k, dc_real x, dc_real y, dc_real z, dc_v3 at)
{
    int i;
    for (i = 0; i < 8; i++) corner[k][i] = dc_vec(i & 4 ? x : -x, i & 2 ? y : -y, i & 1 ? z : -z);
    return make(k, 8, 0, at);
}

/* from nothing at -x to full height at x, its underside at -low */
static int wedge(int k, dc_real x, dc_real y, dc_real height, dc_real low, dc_v3 at)
{
    int i;
    for (i = 0; i < 6; i++) corner[k][i] = dc_vec(i < 2 ? -x : x, i & 1 ? y : -y, i < 4 ? -low : height - low);
    return make(k, 6, 0, at);
}

static int capsule(int k, dc_real half, dc_real radius, dc_v3 at)
{
    corner[k][0] = dc_vec(0, half, 0);
    corner[k][1] = dc_vec(0, -half, 0);
    return make(k, 2, radius, at);
}

/* view_capsule lies along z, ours along y */
static dc_pose drawn(const body *b)
{
    dc_pose p = b->pose;
    if (b->hull.n == 2) p.q = dc_quat_mul(p.q, dc_quat_exp(dc_vec(DC_R(1.57079632679), 0, 0)));
    return p;
}

/* from 0 to 1 while x passes `at` */
static dc_real step(dc_real x, dc_real at)
{
    const dc_real s = dc_min(1, dc_max(0, (x - at)/DC_R(0.8) + DC_R(0.5)));
    return s*s*(3 - 2*s);
}

/* Mover m at x along the path, let down. */
static int place(int m, dc_real x, dc_real turn)
{
    const dc_real    pitch = DC_R(0.33667)*(step(x, -1) - step(x, 1) - step(x, -5) + step(x, -3));      /* atan(0.7/2) */
    const dc_real    down[6] = {0, 0, -1, 0, 0, 0}, rest[6] = {0, 0, 0, 0, 0, 0};
    body            *b = &thing[STILL + m];
    dc_cast_hit      hit;
    dc_real          time = 10;
    int              i;
    b->pose.q = dc_quat_mul(dc_quat_exp(dc_vec(0, pitch, 0)), dc_quat_exp(dc_vec(0, 0, turn)));
    b->pose.t = dc_vec(x, DC_R(2.2)*(dc_real)(m - 1), 3);
    for (i = 0; i < STILL; i++) {
        if (dc_hull_cast(NULL, &b->hull, &b->pose, down, &thing[i].hull, &thing[i].pose, rest, time, &hit) != DC_OK) return 0;
        if (hit.outcome != DC_CAST_MISS) time = hit.time;
    }
    b->pose.t.z -= time + DC_R(0.01);
    return 1;
}

static dc_status touch(const body *a, const dc_pose *p, const body *b, dc_hull_patch *to)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_hull_manifold_options opt = DC_ZERO;
    opt.margin = DC_R(0.03);
    opt.capacity = DC_HULL_CONTACTS;            /* all corners: which of five go to four may turn on a tie */
    return dc_hull_manifold(&opt, &a->t, p, &b->t, &b->pose, &mem, to);
}

static double weights(const body *a, const dc_pose *p, const body *b, dc_hull_soft *soft, int *count)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_v3    n;
    double   sum = 0;
    int      i;
    if (dc_hull_smooth(NULL, &a->t, p, &b->t, &b->pose, &mem, SOFT, &n, soft, count) != DC_OK) return -1;
    for (i = 0; i < *count; i++) sum += (double)soft[i].weight;
    return sum;
}

int main(int argc, char **argv)
{
    static const char *const colour[COLOURS] = {"#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e6c229", "#56b4e9"};
    static dc_hull_soft soft[SOFT];
    cli          o = cli_parse(argc, argv, "Slides bodies over one another and writes a page.", "hull_manifold.html", NULL, 0);
    view_options page = DC_ZERO;
    view        *w;
    double       gap_off = 0, weight_jump = 0;
    long         points = 0, stayed = 0, lost = 0;
    int          i, k, m, f, frames = o.quick ? 150 : 600, id[MOVERS], dot[COLOURS], faded, many, total, bad;

    if (!box(0, 8, 4, DC_R(0.5), dc_vec(0, 0, DC_R(-0.5))) || !wedge(1, 1, 4, DC_R(0.7), 0, dc_vec(-4, 0, 0))
        || !box(2, 1, 4, DC_R(0.35), dc_vec(-2, 0, DC_R(0.35))) || !wedge(3, 1, 4, DC_R(0.7), 0, dc_vec(0, 0, 0))
        || !capsule(4, 4, DC_R(0.6), dc_vec(DC_R(3.5), 0, DC_R(-0.2))) || !box(5, DC_R(0.6), DC_R(0.4), DC_R(0.25), thing[0].pose.t)
        || !wedge(6, DC_R(0.7), DC_R(0.5), DC_R(0.6), DC_R(0.2), thing[0].pose.t) || !capsule(7, DC_R(0.5), DC_R(0.25), thing[0].pose.t))
        return cli_error("%s", "no faces");
    thing[3].pose.q = dc_quat_exp(dc_vec(0, 0, DC_R(3.14159265358979)));

    page.title = "Contact manifolds";
    page.note = "Dots are contact points, coloured by their ids. Spheres are the places of the smooth manifold, as large as their weight.";
    w = view_open(o.out, &page);
    for (i = 0; i < BODIES; i++) {
        const dc_hull *h = &thing[i].hull;
        int shape = h->n == 2 ? view_capsule(w, h->radius, corner[i][0].y) : view_hull(w, h);
        if (i >= STILL) id[i - STILL] = view_body(w, shape, "#8fb3d980");
        else (void)view_fixed(w, shape, i == 0 ? "#c9ced6" : "#a9b3c180", drawn(&thing[i]));
    }
    for (k = 0; k < COLOURS; k++) {
        char name[32];
        sprintf(name, "ids %d of %d", k + 1, COLOURS);
        dot[k] = view_overlay(w, VIEW_POINTS, name, colour[k], 0);
    }
    faded = view_overlay(w, VIEW_SPHERES, "smooth weights", "#e6c22980", 0);
    many = view_series(w, "points", "", 0);
    total = view_series(w, "sum of weights of the box", "", 0);

    for (f = 0; f < frames && view_ok(w) && !cli_stopped(); f++) {
        const dc_real s = DC_R(6.2831853)*(dc_real)f/(dc_real)frames;
        double all = 0;
        int count = 0;
        for (m = 0; m < MOVERS; m++) {
            body *b = &thing[STILL + m];
            dc_pose nudged;
            dc_real sn, cs;
            dc_sincos(s + DC_R(0.4)*(dc_real)m, &sn, &cs);
            if (!place(m, DC_R(-0.6) - DC_R(5.7)*cs, DC_R(0.3) + 3*s)) return cli_error("%s", "no way down");
            nudged = b->pose;
            nudged.t = dc_add(nudged.t, dc_scale(NUDGE, dc_vec(DC_R(0.6), DC_R(0.64), DC_R(0.48))));
            view_pose(w, id[m], drawn(b));

            for (i = 0; i < STILL; i++) {
                const body    *g = &thing[i];
                const double   size = (double)(b->t.reach + g->t.reach);
                dc_hull_patch *p = &patch[m][i], again;
                dc_distance    d = DC_ZERO;
                dc_arena       mem = dc_arena_make(scratch, sizeof scratch);
                double         least = 1;
                int            n, n2;
                if (touch(b, &b->pose, g, p) != DC_OK || dc_hull_distance(&b->hull, &b->pose, &g->hull, &g->pose, &mem, &d) != DC_OK)
                    return cli_error("%s", "no manifold");
                for (k = 0; k < p->count; k++) {
                    least = fmin(least, (double)p->point[k].gap);
                    stayed += p->point[k].kept;
                    view_point(w, dot[(p->point[k].id*2654435761u >> 16)%COLOURS], p->point[k].pb);
                }
                points += p->count;
                count += p->count;
                if (p->count) gap_off = fmax(gap_off, (fabs(least - (double)d.gap) - 0.05*fmax(0, -(double)d.gap))/size);

                again = *p;
                if (touch(b, &nudged, g, &again) != DC_OK) return cli_error("%s", "no manifold");
                for (k = 0; k < again.count; k++) lost += !again.point[k].kept;
                if (b->hull.radius > 0 || g->hull.radius > 0) continue;

                /* solids without a radius: weights */
                {
                    const double a2 = weights(b, &nudged, g, soft, &n2), a1 = weights(b, &b->pose, g, soft, &n);
                    if (a1 < 0 || a2 < 0) return cli_error("%s", "no weights");
                    weight_jump = fmax(weight_jump, fabs(a2 - a1));
                    for (k = 0; k < n; k++) view_ball(w, faded, soft[k].pb, DC_R(0.2)*soft[k].weight);
                    if (m == 0) all += a1;
                }
            }
        }
        view_value(w, many, count);
        view_value(w, total, all);
        view_frame(w, f/30.0);
    }
    if (view_close(w) != 0) return CLI_FAILED;
    bad = !cli_stopped() && (gap_off > CLOSE || lost*1000 > LOST*points || weight_jump > 1e4*(double)NUDGE || 2*stayed < points || points < frames);
    printf("points %ld count\nids_kept_between_frames %.3f share\nids_lost_by_a_nudge %ld count\ngap_off %.1e of the size\n"
           "weights_moved_by_a_nudge %.1e sum\nwrote %s\n", points, (double)stayed/(double)(points ? points : 1), lost, gap_off, weight_jump,
           o.out);
    return bad ? cli_error("%s", "a figure is out of its bar") : cli_exit(CLI_DONE);
}
