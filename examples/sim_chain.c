/* sim_chain.c - four chains turn about a vertical line, swing down and meet
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS, Fig. 6 and 9: joints of two freedoms each, the state in joint angles alone, and the time of a step against the number of
 * links. Every pair of links but neighbours may touch. A step is one minimisation for motion, contact and friction together; its
 * cost grows with the Newton steps and contacts that it has, printed beside it, and with the freedoms. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "sim_scene.h"
#include "sim_chains.h"

static sim_world w;

/* The page of the longest chains: frames as they are computed. */
static int show(sim_world *s, view *v, int steps)
{
    static const char *const colour[CHAINS] = {"#3b7dd8", "#e8833a", "#3aa675", "#8a63d2"};
    static const char *of[SIM_LINKS];
    int     i, newton = view_series(v, "Newton steps", "", 0), contacts = view_series(v, "pairs in contact", "", 0);
    cli_bar bar = cli_bar_begin("chain", steps, "steps");

    for (i = 0; i < s->sim.links; i++) of[i] = colour[i*CHAINS/s->sim.links];
    sim_show(s, v, of);
    for (i = 0; i <= steps && view_ok(v) && !cli_stopped(); i++) {
        if (i > 0) {
            sim_step(s, NULL);
            view_value(v, newton, s->info.iterations);
            view_value(v, contacts, s->info.contacts);
        }
        sim_draw(s, v);
        view_frame(v, s->time);
        cli_bar_step(&bar, i);
    }
    cli_bar_end(&bar);
    return view_close(v);
}

int main(int argc, char **argv)
{
    double       links = 8, seconds = 3, spin = 4, rate = 100;
    cli_number   number[] = {{"links", &links, 1, 32, "of each of the four chains that are shown"},
                             {"seconds", &seconds, 0.1, 100, "length of the run"},
                             {"spin", &spin, -20, 20, "rad/s of the chains at the start"},
                             {"rate", &rate, 20, 1000, "steps a second"}};
    cli          o = cli_parse(argc, argv, "Four chains that turn and meet.", "sim_chain.html", number, 4);
    view_options page = DC_ZERO;
    double       before = 0;
    int          n, was = 0, k, most = o.quick ? 2 : (int)links, steps = (int)(seconds*rate), failed = 0;

    page.title = "Four rotating chains";
    page.note = "Each joint has two freedoms. Motion, contact and friction of a step are one minimisation over the joint angles.";
    page.rate = rate;
    for (n = 1; n <= most && !cli_stopped() && !failed; n = n < most && 2*n > most ? most : 2*n) {
        sim_chains(&w, n, 1/rate, spin);
        if (n == most) failed = show(&w, view_open(o.out, &page), steps);
        else for (k = 0; k < steps && !cli_stopped(); k++) sim_step(&w, NULL);
        printf("links_%d_freedoms %d 1\nlinks_%d_time_of_a_step %.4g ms\n", n, w.sim.nv, n, 1e3*w.seconds/fmax(w.steps, 1));
        printf("links_%d_newton_steps %.2f 1\nlinks_%d_pairs_in_contact %.2f 1\n", n, (double)w.iterations/fmax(w.steps, 1), n,
               (double)w.contacts/fmax(w.steps, 1));
        if (n > 1) printf("links_%d_grows_as_power %.2f 1\n", n, log(w.seconds/before)/log((double)n/was));
        before = w.seconds;
        was = n;
    }
    if (failed) return CLI_FAILED;
    sim_report(&w, "shown");
    return cli_exit(CLI_DONE);
}
