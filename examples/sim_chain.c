/* sim_chain.c - four chains turn about a vertical line, swing down and meet
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS, Fig. 6 and 9: joints of two freedoms each, the state in joint angles alone, and the time of a step against the number of
 * links. Every pair of links but neighbours may touch. A step is one minimisation for motion, contact and friction together; its
 * cost grows with the Newton steps and contacts that it has, printed beside it, and with the freedoms.
 *
 * The model is described, built and stepped here with the calls of dc_sim.h alone; the paper gives freedoms, no sizes. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

enum { CHAINS = 4, MOST = 32, HULLS = CHAINS*MOST, LINKS = 2*HULLS };       /* a joint is two hinges, a link and one without hull */

#define PITCH 0.14                      /* m, from joint to joint */

/* a run: its model, the last three states, what its steps took */
static dc_sim        sim;
static dc_hull       hull[HULLS];
static dc_real       q[3][LINKS];
static int           made, capped, most;
static long          newton_steps, contacts;
static double        busy, worst;
static unsigned char model_memory[1 << 22], scratch[1 << 25];

/* Four chains of n links from the corners of a square, stretched outwards and 0.5 rad downwards, turning by `spin` rad/s. */
static dc_status build(int n, double h, double spin, dc_sim_flaw *flaw)
{
    static dc_sim_link part[LINKS];
    static dc_v3       corner[8*HULLS];
    const dc_v3        half = {DC_R(0.43*PITCH), DC_R(0.018), DC_R(0.018)};
    dc_sim_desc        desc = DC_ZERO;
    dc_arena           mem = dc_arena_make(model_memory, sizeof model_memory);
    dc_status          status;
    int                c, i, k;

    memset(part, 0, sizeof part);
    for (i = 0; i < CHAINS*n; i++) {
        dc_sim_link *turn = part + 2*i, *lift = turn + 1;

        /* about the vertical; the first of a chain hangs on the world, at a corner */
        turn->parent = i%n == 0 ? -1 : 2*i - 1;
        turn->joint = DC_SIM_HINGE;
        turn->attach.q.w = 1;
        turn->attach.t = dc_vec(DC_R(PITCH), 0, 0);
        if (i%n == 0) {
            turn->attach.q = dc_quat_exp(dc_vec(0, 0, DC_R(2*atan(1.0)*(i/n))));
            turn->attach.t = dc_quat_rotate(turn->attach.q, dc_vec(DC_R(0.15), 0, 0));
        }
        turn->friction = 1;
        turn->damping = DC_R(1e-3);

        /* about the level line across the link, with its box */
        lift->parent = 2*i;
        lift->joint = DC_SIM_HINGE;
        lift->axis = dc_vec(0, 1, 0);
        lift->mass = DC_R(0.1);
        lift->damping = DC_R(1e-3);
        lift->friction = DC_R(0.5);
        for (k = 0; k < 8; k++)
            corner[8*i + k] = dc_vec(DC_R(0.5*PITCH) + (k & 1 ? half.x : -half.x), k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
        hull[i].v = corner + 8*i;
        hull[i].n = 8;
        lift->hull = hull + i;
        lift->hulls = 1;
    }

    desc.link = part;
    desc.links = 2*CHAINS*n;
    desc.h = DC_R(h);
    desc.gravity.z = DC_R(-9.81);
    desc.length = DC_R(0.05);
    desc.stiffness = DC_R(1e-3);
    status = dc_sim_build(&desc, &mem, &sim, flaw);
    if (status != DC_OK) return status;

    /* the state is two positions: what differs between them is the velocity */
    for (k = 0; k < 2; k++) dc_sim_neutral(&sim, q[k]);
    for (c = 0; c < CHAINS; c++) {
        q[0][2*n*c] = DC_R(-spin*h);
        q[0][2*n*c + 1] = q[1][2*n*c + 1] = DC_R(0.5);
    }
    made = capped = most = 0;
    newton_steps = contacts = 0;
    busy = worst = 0;
    return DC_OK;
}

/* The next step, from the last two of three states in turn. One at its cap of iterations is free of overlap, and to go on is safe. */
static dc_status step(dc_sim_info *info)
{
    dc_arena      mem = dc_arena_make(scratch, sizeof scratch);
    const clock_t begin = clock();
    dc_status     status = dc_sim_step(&sim, q[made%3], q[(made + 1)%3], NULL, &mem, q[(made + 2)%3], info);

    busy += (double)(clock() - begin)/CLOCKS_PER_SEC;
    if (status == DC_E_DIVERGED) {
        capped++;
        status = DC_OK;
    }
    if (status != DC_OK) return status;
    made++;
    newton_steps += info->iterations;
    contacts += info->contacts;
    if (info->iterations > most) most = info->iterations;
    if (info->scale > 0) worst = fmax(worst, (double)(info->residual/info->scale));
    return status;
}

/* The run of the longest chains, frames as they are computed. */
static dc_status show(view *v, int steps)
{
    static const char *const colour[CHAINS] = {"#3b7dd8", "#e8833a", "#3aa675", "#8a63d2"};
    static dc_pose pose[LINKS];
    static int     body[HULLS];
    dc_status      status = DC_OK;
    dc_sim_info    info = DC_ZERO;
    int            i, k, n = sim.links/2, newton = view_series(v, "Newton steps", "", 0), touch = view_series(v, "pairs in contact", "", 0);
    cli_bar        bar = cli_bar_begin("chain", steps, "steps");

    for (k = 0; k < n; k++) body[k] = view_body(v, view_hull(v, hull + k), colour[k*CHAINS/n]);
    for (i = 0; i <= steps && view_ok(v) && !cli_stopped(); i++) {
        if (i > 0) {
            status = step(&info);
            if (status != DC_OK) break;
            view_value(v, newton, info.iterations);
            view_value(v, touch, info.contacts);
        }
        dc_sim_poses(&sim, q[(made + 1)%3], pose);
        for (k = 0; k < n; k++) view_pose(v, body[k], pose[2*k + 1]);
        view_frame(v, made*(double)sim.desc.h);
        cli_bar_step(&bar, i);
    }
    cli_bar_end(&bar);
    return status;
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
    dc_sim_flaw  flaw = DC_ZERO;
    dc_sim_info  info = DC_ZERO;
    dc_status    status = DC_OK;
    view        *v;
    double       before = 0;
    int          n, was = 0, k, longest = o.quick ? 2 : (int)links, steps = (int)(seconds*rate);

    page.title = "Four rotating chains";
    page.note = "Each joint has two freedoms. Motion, contact and friction of a step are one minimisation over the joint angles.";
    page.rate = rate;
    v = view_open(o.out, &page);
    for (n = 1; n <= longest && !cli_stopped() && view_ok(v); n = n < longest && 2*n > longest ? longest : 2*n) {
        if (build(n, 1/rate, spin, &flaw) != DC_OK) return cli_error("link %d: %s", flaw.link, flaw.cause);
        if (dc_sim_step_bytes(&sim) > sizeof scratch) return cli_error("%s", "scratch is too small");
        if (n == longest) status = show(v, steps);
        else for (k = 0; k < steps && !cli_stopped() && status == DC_OK; k++) status = step(&info);
        if (status != DC_OK) return cli_error("step %d: %s", made + 1, dc_status_text(status));
        printf("links_%d_freedoms %d 1\nlinks_%d_time_of_a_step %.4g ms\n", n, sim.nv, n, 1e3*busy/fmax(made, 1));
        printf("links_%d_newton_steps %.2f 1\nlinks_%d_pairs_in_contact %.2f 1\n", n, (double)newton_steps/fmax(made, 1), n,
               (double)contacts/fmax(made, 1));
        if (n > 1) printf("links_%d_grows_as_power %.2f 1\n", n, log(busy/before)/log((double)n/was));
        before = busy;
        was = n;
    }
    if (view_close(v) != 0) return CLI_FAILED;
    printf("shown_steps %d steps\nshown_steps_at_the_cap %d steps\n", made, capped);
    printf("shown_newton_steps_mean %.2f 1\nshown_newton_steps_most %d 1\n", (double)newton_steps/fmax(made, 1), most);
    printf("shown_contacts_mean %.2f 1\nshown_force_left_over %.2g 1\n", (double)contacts/fmax(made, 1), worst);
    printf("shown_time_of_a_step %.3g ms\n", 1e3*busy/fmax(made, 1));
    return cli_exit(CLI_DONE);
}
