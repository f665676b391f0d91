/* sim_books.c - planks stacked over the edge as far as they go, by the long-range and by the local potential
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * LRI, Fig. 4 and Table 2: twenty planks of 2.0 x 0.4 x 0.2 m and 0.16 kg, the k-th from the top over the next by 2/(2k) m, less
 * 0.1 % of the length. As the coefficient of contact falls, the gaps close, and what planks further down push at the top one
 * goes to zero. Planks are triangles with a hierarchy, or hulls with a potential that is felt from 2s/(1-s) = 0.22 lengths; the
 * length of the local one is 1 mm, of the other 1 m, as in the paper.
 *
 * Where a stack stands is found first, by long steps from rest; a stack that has no such place comes down there already. Then it
 * is free. With a gap between them planks tilt, as their weight has to go to one end, and a tilt takes the weight further out:
 * planks of twelve triangles, the potential at its largest, need smaller coefficients than the paper's to stand so near the edge. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "sim_scene.h"

#define FALL 0.03               /* m: what the top one comes down by when the stack falls */

static const double length = 2, weight = 0.16*9.81;
static sim_world    w;
static dc_bsh       tree;

typedef struct { double mu, margin, force; } paper_row;        /* Table 2 */
static const paper_row paper[6] = {{1e-10, 3.13e-5, 6.42e-8}, {1e-6, 5.67e-3, 6.40e-4}, {1e-7, 1.47e-3, 6.42e-5}, {1e-8, 4.12e-4, 6.42e-6},
                                   {1e-9, 0, 0}, {1e-5, 1.82e-2, 6.38e-3}};

typedef struct { int trees, planks; double mu, inset, friction, h, start[2]; } stack;

/* plank k over the base, which is plank 0; gaps as the loads have them for planks that do not tilt */
static void build(const stack *s)
{
    static unsigned char memory[1 << 14];
    static const int     face[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    double   x = 0, z = 0;
    int      k;

    sim_begin(&w, 0.2);
    for (k = 0; k <= s->planks; k++) {
        dc_sim_link *l = sim_link(&w, -1, k ? DC_SIM_FREE : DC_SIM_FIXED, dc_vec(0, 0, 0), k ? 0.16 : 0);
        sim_box(&w, dc_vec(0, 0, 0), dc_vec(1, DC_R(0.2), DC_R(0.1)));
        if (k) l->friction = DC_R(s->friction);
        l->tree = &tree;
    }
    sim_need(dc_bsh_build(w.vertex, 8, face, 12, &mem, &tree, NULL), "tree");
    w.desc.stiffness = DC_R(s->mu);
    w.desc.friction.eps_v = DC_IS_FLOAT ? DC_R(1e-8) : DC_R(1e-12);
    w.desc.length = s->trees ? 1 : DC_R(1e-3);
    w.desc.trees = s->trees;
    w.desc.contacts = 20000;
    w.desc.reach = DC_R(0.01);
    w.desc.tolerance = DC_IS_FLOAT ? 0 : DC_R(1e-7);
    sim_build(&w);
    for (k = 0; k < s->planks; k++) {
        x += length/(2*(s->planks - k)) - s->inset*length;
        z += 0.2 + (s->trees ? sqrt(170*s->mu/(weight*(s->planks - k))) : 1e-4);
        w.now[7*k + 4] = DC_R(x);
        w.now[7*k + 6] = DC_R(z);
    }
    memcpy(w.prev, w.now, sizeof w.state[0]);
}

static double top(const stack *s, int c) { return (double)w.now[7*(s->planks - 1) + 4 + c]; }

/* where it stands, by long steps from rest: 0 when the top comes down. Beyond the edge it does not stand: as it was put */
static int settle(stack *s)
{
    double high = top(s, 2), before, low = FALL + 8*sqrt(170*s->mu/weight);     /* gaps may close */
    int    k;

    for (k = 0; k < 100 && s->inset > 0 && !cli_stopped(); k++) {
        before = top(s, 0);
        sim_step(&w, NULL);
        memcpy(w.prev, w.now, sizeof w.state[0]);
        if (top(s, 2) < high - low) return 0;
        if (fabs(top(s, 0) - before) < 1e-7) break;
    }
    s->start[0] = top(s, 0);
    s->start[1] = top(s, 2);
    w.sim.desc.h = w.desc.h = DC_R(s->h);
    w.time = 0;
    return 1;
}

/* The gaps of neighbours where they are nearest, which is at the end of the lower one: mean and least; and the push of the next
 * plank on the top one against its weight. */
static void measure(const stack *s, double *mean, double *least, double *force)
{
    static dc_pose pose[SIM_LINKS];
    dc_real        P, g[12];
    int            k;

    dc_sim_poses(&w.sim, w.now, pose);
    *mean = 0;
    *least = HUGE_VAL;
    for (k = 1; k <= s->planks; k++) {
        dc_distance d = DC_ZERO;
        sim_need(dc_hull_distance(w.hull + k, pose + k, w.hull + k - 1, pose + k - 1, NULL, &d), "gap");
        *mean += (double)d.gap/s->planks;
        *least = fmin(*least, (double)d.gap);
    }
    {
        dc_arena        mem = dc_arena_make(w.scratch, sizeof w.scratch);
        dc_pair_options local = DC_ZERO;
        local.barrier = DC_LOCAL;
        local.s = DC_R(0.1);
        local.length = w.desc.length;
        k = s->planks;
        if (s->trees) sim_need(dc_bsh_eval(NULL, &tree, pose + k, &tree, pose + k - 1, &mem, NULL, &P, g, NULL, NULL), "force");
        else sim_need(dc_pair_rigid(&local, w.hull + k, pose + k, w.hull + k - 1, pose + k - 1, &mem, NULL, &P, g, NULL, NULL), "force");
    }
    *force = fabs(-s->mu*(double)g[2] - weight);
}

/* A stack from its start, with its page if there is one. 1: it stood. */
static int play(stack *s, view *v, const char *name, double seconds)
{
    int    i, k, stands, steps = (int)(seconds/s->h), shape, height = -1;
    double mean = 0, least = 0, force = 0;

    build(s);
    if (v) {
        view_run(v, s->inset > 0 ? s->trees ? "hierarchy" : "local" : s->trees ? "hierarchy, outset" : "local, outset");
        shape = view_hull(v, w.hull);
        height = view_series(v, "height of the top plank", "m", 0);
        for (k = 0; k <= s->planks; k++) w.shown[k] = view_body(v, shape, k == 0 ? "#9aa6b6" : k%2 ? "#3b7dd8" : "#e8833a");
    }
    stands = settle(s);
    for (i = 0; i <= steps && !cli_stopped() && (stands || (v && i < 100)); i++) {
        if (i > 0) sim_step(&w, NULL);
        if (v) {
            sim_draw(&w, v);
            view_value(v, height, top(s, 2));
            view_frame(v, w.time);
        }
        if (stands && top(s, 2) < s->start[1] - FALL) stands = 0;
    }
    if (stands) measure(s, &mean, &least, &force);
    printf("%s_mu_%g_stands %d after_%g_s\n", name, s->mu, stands, w.time);
    if (stands) printf("%s_mu_%g_gap_mean %.3g m\n%s_mu_%g_gap_least %.3g m\n%s_mu_%g_force_error %.3g N\n%s_mu_%g_top_moved %.2g m\n", name, s->mu, mean,
                       name, s->mu, least, name, s->mu, force, name, s->mu, hypot(top(s, 0) - s->start[0], top(s, 2) - s->start[1]));
    printf("%s_mu_%g_newton_steps %.2f 1\n%s_mu_%g_time_of_a_step %.3g ms\n", name, s->mu, (double)w.iterations/w.steps, name, s->mu, 1e3*w.seconds/w.steps);
    if (w.failed) printf("%s_mu_%g_steps_at_the_cap %d of_%d\n", name, s->mu, w.failed, w.steps);
    fflush(stdout);
    return stands;
}

int main(int argc, char **argv)
{
    double       seconds = 1, planks = 20, inset = 0.001, friction = 0.7, rows = 1, rate = 50;
    cli_number   number[] = {{"seconds", &seconds, 0, 1000, "after it has settled"},
                             {"planks", &planks, 1, 20, "of the stack"},
                             {"inset", &inset, -0.1, 0.2, "of the length, from the edge of balance"},
                             {"friction", &friction, 0, 10, "of two planks, over its square root"},
                             {"rows", &rows, 1, 6, "coefficients: 1e-10, 1e-6, 1e-7, 1e-8, 1e-9, 1e-5"},
                             {"rate", &rate, 10, 1000, "steps a second"}};
    cli          o = cli_parse(argc, argv, "Stacks planks over the edge and writes a page.", "sim_books.html", number, 6);
    view_options page = DC_ZERO;
    view        *v;
    int          k, trees;

    if (o.quick) planks = fmin(planks, 4);
    page.title = "Planks over the edge";
    page.note = "Planks reach out as far as they go but for a part of their length; a little further out they come down.";
    page.rate = rate;
    v = view_open(o.out, &page);
    for (trees = 1; trees >= 0; trees--) {
        const char *name = trees ? "hierarchy" : "local";
        stack       s = DC_ZERO;
        s.trees = trees;
        s.planks = (int)planks;
        s.friction = friction;
        s.h = 1/rate;
        for (k = 0; k < (int)rows && !cli_stopped(); k++) {
            s.mu = paper[k].mu;
            s.inset = inset;
            play(&s, k == 0 ? v : NULL, name, seconds);
            if (paper[k].margin > 0) printf("paper_mu_%g_margin %.3g m\npaper_mu_%g_force_error %.3g N\n", s.mu, paper[k].margin, s.mu, paper[k].force);
        }
        s.mu = paper[0].mu;
        s.inset = -inset;
        if (!cli_stopped()) play(&s, v, trees ? "hierarchy_outset" : "local_outset", fmax(seconds, 2));
    }
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
