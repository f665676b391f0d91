/* sim_round.c - a ball, a capsule and a rounded box race down a slope beside a box with edges
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * A ball is a hull of one point with a radius, a capsule one of two, a rounded box one of eight. What is round rolls, with
 * g sin a/(1 + I/(m r^2)); the boxes slide, with g (sin a - mu cos a), the rounded one as the other. Printed: how far all are
 * from these laws after the run. Steps are of first order in time: half of --rate, twice the difference. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "sim_scene.h"

enum { BALL, CAPSULE, ROUNDED, EDGED, BODIES };

static const char *const name[BODIES] = {"ball", "capsule", "rounded_box", "box"};
static sim_world w;

/* Body k, as a hull about its origin: its core and the radius about it. */
static void body(int k)
{
    dc_v3 *x;

    sim_link(&w, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 1);
    if (k == BALL) sim_hull(&w, 1)[0] = dc_vec(0, 0, 0);
    else if (k == CAPSULE) {
        x = sim_hull(&w, 2);
        x[0] = dc_vec(0, DC_R(-0.3), 0);
        x[1] = dc_vec(0, DC_R(0.3), 0);
    } else sim_box(&w, dc_vec(0, 0, 0), k == ROUNDED ? dc_vec(DC_R(0.2), DC_R(0.2), DC_R(0.1)) : dc_vec(DC_R(0.3), DC_R(0.3), DC_R(0.2)));
    w.hull[k].radius = k == EDGED ? 0 : k == ROUNDED ? DC_R(0.1) : DC_R(0.2);
}

/* The same for the page: a rounded box is the hull of its corners' spheres. */
static int shape(view *v, int k)
{
    static dc_v3 x[8*48];
    const dc_hull *core = w.hull + k;
    dc_hull all = DC_ZERO;
    int i;

    if (k == BALL) return view_sphere(v, core->radius);
    for (i = 0; i < 48*core->n; i++) {
        const double up = asin(-1 + 2*(i%6 + 0.5)/6), round = 2*3.14159265358979*(i%48/6)/8;
        const dc_v3 n = dc_vec(DC_R(cos(up)*cos(round)), DC_R(cos(up)*sin(round)), DC_R(sin(up)));
        x[i] = dc_madd(core->v[i/48], core->radius, n);
    }
    all.v = x;
    all.n = 48*core->n;
    return view_hull(v, core->radius > 0 ? &all : core);
}

int main(int argc, char **argv)
{
    double       seconds = 1.5, slope = 25, friction = 0.3, rate = 1000;
    cli_number   number[] = {{"seconds", &seconds, 0.1, 60, "of the race"},
                             {"slope", &slope, 1, 60, "degrees"},
                             {"friction", &friction, 0, 10, "of the slope"},
                             {"rate", &rate, 20, 10000, "steps a second"}};
    cli          o = cli_parse(argc, argv, "Round bodies race down a slope.", "sim_round.html", number, 4);
    const double a = slope*3.14159265358979/180, g = 9.81;
    const double inertia[BODIES] = {0.4, (0.6/2 + 4*0.2/3*0.4)/(0.6 + 4*0.2/3), 0, 0};  /* I/(m r^2): a cylinder and a ball */
    const dc_quat tilt = dc_quat_exp(dc_vec(0, DC_R(a), 0));
    const dc_v3  down = dc_quat_rotate(tilt, dc_vec(1, 0, 0)), up = dc_quat_rotate(tilt, dc_vec(0, 0, 1));
    view_options page = DC_ZERO;
    dc_pose      pose[BODIES], ground = {{1, 0, 0, 0}, {0, 0, 0}};
    double       from[BODIES];
    view        *v;
    int          i, k, every = (int)fmax(1, rate/50), series[BODIES];

    page.title = "Round bodies on a slope";
    page.note = "What is round rolls; what has a flat side slides, rounded or not.";
    page.rate = rate/every;
    sim_begin(&w, 1/rate);
    for (k = 0; k < BODIES; k++) body(k);
    sim_plane(&w, up, 0, friction);
    sim_build(&w);
    for (k = 0; k < BODIES; k++) {          /* on the slope, side by side, at rest */
        const dc_v3 t = dc_madd(dc_vec(0, DC_R(1.2*k - 1.8), 0), DC_R(0.2) + DC_R(0.1)*w.sim.desc.length, up);
        dc_real    *q = w.now + 7*k;
        q[0] = tilt.w; q[1] = tilt.x; q[2] = tilt.y; q[3] = tilt.z;
        q[4] = t.x; q[5] = t.y; q[6] = t.z;
    }
    memcpy(w.prev, w.now, sizeof w.state[0]);
    dc_sim_poses(&w.sim, w.now, pose);
    for (k = 0; k < BODIES; k++) from[k] = (double)dc_dot(pose[k].t, down);

    v = view_open(o.out, &page);
    view_run(v, "race");
    ground.q = tilt;
    view_fixed(v, view_plane(v, 8), NULL, ground);
    for (k = 0; k < BODIES; k++) w.shown[k] = view_body(v, shape(v, k), NULL);
    for (k = 0; k < BODIES; k++) series[k] = view_series(v, name[k], "m", 0);
    for (i = 0; i <= (int)(seconds*rate) && !cli_stopped(); i++) {
        if (i > 0) sim_step(&w, NULL);
        if (i%every > 0) continue;
        dc_sim_poses(&w.sim, w.now, pose);
        for (k = 0; k < BODIES; k++) {
            view_pose(v, w.shown[k], pose[k]);
            view_value(v, series[k], (double)dc_dot(pose[k].t, down) - from[k]);
        }
        view_frame(v, w.time);
    }
    dc_sim_poses(&w.sim, w.now, pose);
    for (k = 0; k < BODIES; k++) {
        const double law = k <= CAPSULE ? g*sin(a)/(1 + inertia[k]) : fmax(0, g*(sin(a) - friction*cos(a)));
        const double way = (double)dc_dot(pose[k].t, down) - from[k], want = law*w.time*w.time/2;
        printf("%s_way %.4f m\n%s_way_by_law %.4f m\n", name[k], way, name[k], want);
    }
    sim_report(&w, "race");
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(w.failed ? CLI_FAILED : CLI_DONE);
}
