/* witness_montecarlo.c - how many vertices and edges a contact manifold has to keep
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * The heuristic of CONTAX, supplement II-A: two lobed figures are put into each other in random poses; without any smoothing
 * the contacts are counted that a manifold would need, of vertices those that are deeper in the other figure than all their
 * neighbours, of edges the best buddies: pairs of which each is the nearest to the other, crossing inside both bodies. A high
 * quantile of the counts is what to set keep_v_a, keep_v_b and keep_e_a, keep_e_b of dc_manifold_options to. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"
#include "plot.h"
#include "cli.h"
#include "objects.h"
#include "turns.h"

enum { MOST = 64 };                     /* counts from here on share the last bar */

typedef struct { const char *name; long bar[MOST + 1], total; } histogram;

static void count(histogram *h, int n)
{
    h->bar[n < MOST ? n : MOST]++;
    h->total++;
}

/* the least count that `part` of the trials do not exceed */
static int quantile(const histogram *h, double part)
{
    long sum = 0;
    int  n;
    for (n = 0; n < MOST; n++) {
        sum += h->bar[n];
        if ((double)sum >= part*(double)h->total) break;
    }
    return n;
}

/* field of the figure at n points given in the world */
static dc_status depths(const object *f, dc_pose pose, int n, const dc_v3 *x, dc_arena *mem, dc_real *phi)
{
    static dc_real row[3*TOY_VERTICES];
    dc_pose        into = dc_pose_inv(pose);
    dc_sdf_out     out = DC_ZERO;
    int            i;
    for (i = 0; i < n; i++) {
        dc_v3 p = dc_pose_apply(into, x[i]);
        row[i] = p.x;
        row[n + i] = p.y;
        row[2*n + i] = p.z;
    }
    out.value = phi;
    return dc_sdf_eval_batch(&f->field, n, row, (size_t)n, mem, &out);
}

typedef struct { dc_pose pose; dc_v3 x[TOY_VERTICES]; dc_real phi[TOY_VERTICES]; } body;

/* vertices of both in the world, their depth in the other, the deepest of all */
static dc_status place(const object *f, body b[2], dc_arena *mem, dc_real *deepest)
{
    dc_status s = DC_OK;
    int       c, i;
    *deepest = DC_LIMIT;
    for (c = 0; c < 2 && s == DC_OK; c++) {
        for (i = 0; i < TOY_VERTICES; i++) b[c].x[i] = dc_pose_apply(b[c].pose, f->v[i]);
        s = depths(f, b[1 - c].pose, TOY_VERTICES, b[c].x, mem, b[c].phi);
        for (i = 0; i < TOY_VERTICES; i++) *deepest = dc_min(*deepest, b[c].phi[i]);
    }
    return s;
}

/* vertices inside the other figure and deeper than their neighbours */
static int deepest_vertices(const object *f, const body *b)
{
    unsigned char beaten[TOY_VERTICES] = {0};
    int           i, n = 0;
    for (i = 0; i < TOY_EDGES; i++) {
        int p = f->edge[2*i], q = f->edge[2*i + 1];
        beaten[b->phi[p] < b->phi[q] ? q : p] = 1;
    }
    for (i = 0; i < TOY_VERTICES; i++) n += b->phi[i] < 0 && !beaten[i];
    return n;
}

/* pairs of edges, nearest to each other, whose closest points are inside the edges and inside the other figure; -1: failed */
static int best_buddies(const object *f, const body b[2], dc_arena *mem)
{
    static dc_real least[2][TOY_EDGES];
    static dc_ee   at[TOY_EDGES];
    static int     nearest[2][TOY_EDGES];
    int            i, k, n = 0;
    for (i = 0; i < TOY_EDGES; i++) least[0][i] = least[1][i] = DC_LIMIT;
    for (i = 0; i < TOY_EDGES; i++)
        for (k = 0; k < TOY_EDGES; k++) {
            dc_v3   a[2], e[2], d;
            dc_ee   w;
            dc_real d2;
            a[0] = b[0].x[f->edge[2*i]];
            a[1] = b[0].x[f->edge[2*i + 1]];
            e[0] = b[1].x[f->edge[2*k]];
            e[1] = b[1].x[f->edge[2*k + 1]];
            if (dc_ee_closest(a, e, &w) != DC_OK) return -1;
            d = dc_sub(w.a, w.b);
            d2 = dc_dot(d, d);
            if (d2 < least[0][i]) { least[0][i] = d2; nearest[0][i] = k; at[i] = w; }
            if (d2 < least[1][k]) { least[1][k] = d2; nearest[1][k] = i; }
        }
    for (i = 0; i < TOY_EDGES; i++) {
        dc_real phi[2];
        if (nearest[1][nearest[0][i]] != i || at[i].gamma < 1) continue;
        if (depths(f, b[1].pose, 1, &at[i].a, mem, &phi[0]) != DC_OK || depths(f, b[0].pose, 1, &at[i].b, mem, &phi[1]) != DC_OK) return -1;
        n += phi[0] < 0 && phi[1] < 0;
    }
    return n;
}

static void print(const histogram *h)
{
    int  n, last = quantile(h, 1);
    long most = 1, k;
    for (n = 0; n <= last; n++) most = h->bar[n] > most ? h->bar[n] : most;
    printf("\n%s\n", h->name);
    for (n = 0; n <= last; n++) {
        printf("  %2d%c %6ld  ", n, n < MOST ? ' ' : '+', h->bar[n]);
        for (k = 0; k < 60*h->bar[n]; k += most) putchar('#');
        putchar('\n');
    }
    printf("  half of the trials need at most %d, 90 %% %d, 99 %% %d, all %d\n", quantile(h, 0.5), quantile(h, 0.9), quantile(h, 0.99), last);
}

static void draw(plot *p, const histogram *h, double top, const char *colour)
{
    plot_panel a = plot_panel_at(p, 70, top, 500, 180);
    int        n, last = quantile(h, 1), enough = quantile(h, 0.99);
    double     most = 0;
    char       text[80];
    for (n = 0; n <= last; n++) most = fmax(most, (double)h->bar[n]);
    a.title = h->name;
    a.x.name = "count";
    a.y.name = "how often";
    a.x.lo = -0.7;
    a.x.hi = (last > 8 ? last : 8) + 0.7;      /* ticks at whole numbers */
    a.y.hi = 1.1*most;
    plot_axes(&a);
    for (n = 0; n <= last; n++)
        if (h->bar[n] > 0) plot_rectangle(&a, n - 0.4, 0, n + 0.4, (double)h->bar[n], colour, colour);
    snprintf(text, sizeof text, "99 %%: at most %d", enough);
    plot_line(&a, enough + 0.5, 0, enough + 0.5, 1.1*most, PLOT_INK, 1.5, NULL);
    plot_note(&a, enough + 0.5, most, enough < 5 ? 8 : -8, 4, enough < 5 ? "start" : "end", PLOT_INK, text);
}

int main(int argc, char **argv)
{
    static histogram vertices = {"vertices of a figure deeper than their neighbours", {0}, 0}, edges = {"best buddies among the edges", {0}, 0};
    double      trials = 200, depth = 0.05;
    cli_number  number[] = {{"trials", &trials, 1, 1e6, "random poses"}, {"depth", &depth, 1e-3, 0.5, "the largest depth"}};
    cli         o = cli_parse(argc, argv, "Counts the contacts that two figures need.", "witness_montecarlo.svg", number, 2);
    static unsigned char memory[1 << 22];
    static object figure;
    static body b[2];
    dc_arena    mem = dc_arena_make(memory, sizeof memory);
    dc_status   s = object_make(&figure, OBJECT_TOY, &mem);
    unsigned long long state = o.seed;
    cli_bar     bar;
    plot        p;
    int         i, k, n = (int)(o.quick ? trials/10 : trials);

    bar = cli_bar_begin("montecarlo", n, "trials");
    for (i = 0; i < n && s == DC_OK && !cli_stopped(); i++) {
        dc_v3   away = turns_direction(&state);
        dc_real lo = 0, hi = 2*figure.radius, want = DC_R(-0.5)*(dc_real)depth*(1 + turns_uniform(&state)), deepest;
        b[0].pose.q = turns_any(&state);
        b[1].pose.q = turns_any(&state);
        /* closer along a line from where they are apart, until they are as deep as wanted */
        for (k = 0; k < 16 && s == DC_OK; k++) {
            dc_real middle = DC_R(0.5)*(lo + hi);
            b[1].pose.t = dc_scale(middle, away);
            s = place(&figure, b, &mem, &deepest);
            if (deepest < want) lo = middle; else hi = middle;
        }
        if (s != DC_OK) break;
        for (k = 0; k < 2; k++) count(&vertices, deepest_vertices(&figure, &b[k]));
        k = best_buddies(&figure, b, &mem);
        if (k < 0) s = DC_E_ARG; else count(&edges, k);
        cli_bar_step(&bar, i + 1);
    }
    cli_bar_end(&bar);
    if (s != DC_OK) return cli_error("%s", dc_status_text(s));
    if (edges.total == 0) return cli_exit(CLI_FAILED);
    printf("%ld random poses of two figures of %d vertices and %d edges, up to %g deep\n", edges.total, TOY_VERTICES, TOY_EDGES, depth);
    print(&vertices);
    print(&edges);

    plot_begin(&p, 620, 590, "Contacts that two lobed figures need");
    draw(&p, &vertices, 80, PLOT_BLUE);
    draw(&p, &edges, 345, PLOT_RED);
    if (plot_end(&p, o.out) != 0) return CLI_FAILED;
    printf("\nwrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
