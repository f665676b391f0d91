/* sim_ant.c - a robot of nine links and 16 freedoms stands, then walks
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS, section V-C, on level ground: the joints follow sines by proportional-derivative control, with targets at the end of each
 * step, so that no gain makes it unstable. Legs across from each other swing together; all thrust is friction. Distance walked,
 * forces left over by the steps and their time are printed.
 *
 * The model is described, built and stepped here with the calls of dc_sim.h alone; the paper gives freedoms and gains, no sizes. A
 * free torso, hip and knee in each leg, in the front legs a second freedom in the hip: 6 + 2*3 + 2*2 = 16. The same robot for
 * programs that plan with it: common/sim_ant.h. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

enum { LEGS = 4, LINKS = 11, HULLS = 9, NQ = 7 + 10, NV = 6 + 10 };     /* a free joint has 7 coordinates and 6 freedoms */

#define UPPER 0.16                      /* m, hip to knee */
#define LOWER 0.24                      /* knee to foot */
#define KNEE 1.25                       /* rad, how far the lower leg points down */
#define THICK 0.02                      /* half a leg's */
#define HEIGHT (LOWER*sin(KNEE) + THICK*cos(KNEE) + 0.002)      /* of the hips, standing */

static const double  pi = 3.14159265358979323846;
static const int     hip[LEGS] = {1, 4, 7, 9}, lifter[LEGS] = {2, 5, 8, 10};    /* links: what swings a leg, what lifts it */
static dc_sim_link   part[LINKS];
static dc_hull       hull[HULLS];
static dc_v3         corner[8*HULLS];
static int           parts, hulls, owner[HULLS], shown[HULLS];
static dc_sim        sim;
static unsigned char model_memory[1 << 18], scratch[1 << 22];

/* The next link, with a box of half sides r about c for its hull; r.x 0: a joint without a body. */
static dc_sim_link *add(int parent, dc_sim_joint joint, dc_v3 at, double mass, dc_v3 c, dc_v3 r)
{
    dc_sim_link *l = part + parts;
    dc_v3       *x = corner + 8*hulls;
    int          k;

    l->parent = parent;
    l->joint = joint;
    l->attach.q.w = 1;
    l->attach.t = at;
    l->mass = DC_R(mass);
    l->friction = 1;                    /* times the floor's */
    if (parent >= 0) l->kp = 100, l->kd = 10;
    if (r.x > 0) {
        for (k = 0; k < 8; k++) x[k] = dc_vec(c.x + (k & 1 ? r.x : -r.x), c.y + (k & 2 ? r.y : -r.y), c.z + (k & 4 ? r.z : -r.z));
        hull[hulls].v = x;
        hull[hulls].n = 8;
        l->hull = hull + hulls;
        l->hulls = 1;
        owner[hulls++] = parts;
    }
    parts++;
    return l;
}

/* The robot on the floor z >= 0; what is 0 in the description is chosen by dc_sim_build. */
static dc_status build(double h, double friction, dc_sim_flaw *flaw)
{
    const dc_v3  none = {0, 0, 0}, y_axis = {0, 1, 0}, leg_half = {0, DC_R(THICK), DC_R(THICK)};
    dc_v3        upper = leg_half, lower = leg_half;
    dc_sim_plane ground = {{0, 0, 1}, 0, 0};
    dc_sim_desc  desc = DC_ZERO;
    dc_arena     mem = dc_arena_make(model_memory, sizeof model_memory);
    dc_sim_link *l;
    int          k;

    upper.x = DC_R(0.5*UPPER);
    lower.x = DC_R(0.5*LOWER);
    add(-1, DC_SIM_FREE, dc_vec(0, 0, DC_R(HEIGHT)), 4, none, dc_vec(DC_R(0.2), DC_R(0.1), DC_R(0.05)));
    for (k = 0; k < LEGS; k++) {
        const double x = k < 2 ? 1 : -1, y = k%2 ? -1 : 1;
        const dc_v3  at = dc_vec(DC_R(0.2*x), DC_R(0.1*y), 0), ahead = dc_vec(upper.x, 0, 0);

        /* the hip turns about the vertical, its x is outwards; in front a second hinge lifts the leg */
        l = k < 2 ? add(0, DC_SIM_HINGE, at, 0, none, none) : add(0, DC_SIM_HINGE, at, 0.4, ahead, upper);
        l->attach.q = dc_quat_exp(dc_vec(0, 0, DC_R(y*(x > 0 ? 0.9 : pi - 0.9))));
        if (k < 2) add(parts - 1, DC_SIM_HINGE, none, 0.4, ahead, upper)->axis = y_axis;

        l = add(parts - 1, DC_SIM_HINGE, dc_vec(DC_R(UPPER), 0, 0), 0.3, dc_vec(lower.x, 0, 0), lower);
        l->attach.q = dc_quat_exp(dc_vec(0, DC_R(KNEE), 0));
        l->axis = y_axis;
    }

    ground.friction = DC_R(friction);
    desc.link = part;
    desc.links = parts;
    desc.plane = &ground;
    desc.planes = 1;
    desc.h = DC_R(h);
    desc.gravity.z = DC_R(-9.81);
    desc.length = DC_R(0.05);
    desc.stiffness = DC_R(1e-4);
    desc.friction.eps_v = DC_R(1e-4);   /* sliding from 1 cm/s: half the Newton steps of 1 mm/s */
    return dc_sim_build(&desc, &mem, &sim, flaw);
}

/* Targets of the joints at time t and their speeds: legs across from each other swing together, and a leg is lifted while it swings
 * forwards. The torso has no gains: its entries are not looked at. */
static void gait(double t, double pace, double swing, double lift, dc_real *target, dc_real *velocity)
{
    const double turn = 2*pi*pace;
    int          leg;

    dc_sim_neutral(&sim, target);
    memset(velocity, 0, NV*sizeof *velocity);
    for (leg = 0; leg < LEGS; leg++) {
        const double phase = turn*t + (leg == 0 || leg == 3 ? 0 : pi), s = sin(phase), c = cos(phase), side = leg%2 ? 1 : -1;
        target[sim.q_at[hip[leg]]] = DC_R(side*swing*s);
        velocity[sim.v_at[hip[leg]]] = DC_R(side*swing*turn*c);
        if (c <= 0) continue;
        target[sim.q_at[lifter[leg]]] = DC_R(-lift*c*c);
        velocity[sim.v_at[lifter[leg]]] = DC_R(2*lift*turn*c*s);
    }
}

int main(int argc, char **argv)
{
    double         seconds = 8, stand = 1, pace = 1, swing = 0.35, lift = 0.4, friction = 0.8, rate = 100;
    cli_number     number[] = {{"seconds", &seconds, 0.1, 1000, "length of the run"},
                               {"stand", &stand, 0, 1000, "seconds until it walks"},
                               {"pace", &pace, 0.1, 4, "steps of each leg a second"},
                               {"swing", &swing, 0, 0.6, "rad, to the front and to the back"},
                               {"lift", &lift, 0, 0.8, "rad"},
                               {"friction", &friction, 0, 10, "of the feet on the floor"},
                               {"rate", &rate, 20, 1000, "steps of time a second"}};
    cli            o = cli_parse(argc, argv, "A four-legged robot stands and walks.", "sim_ant.html", number, 7);
    static dc_real q[3][NQ], target[NQ], velocity[NV];  /* states: a step moves on from the last two */
    dc_pose        pose[LINKS], world = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_sim_control control = DC_ZERO;
    dc_sim_flaw    flaw = DC_ZERO;
    dc_sim_info    info = DC_ZERO;
    dc_arena       mem = dc_arena_make(scratch, sizeof scratch);
    dc_real       *now = q[1];
    view_options   page = DC_ZERO;
    view          *v;
    cli_bar        bar;
    clock_t        begin;
    double         least = HUGE_VAL, worst = 0, busy = 0, time = 0;
    long           newton_steps = 0, contacts = 0;
    int            i, k, height, along, newton, left, made = 0, capped = 0, most = 0, steps = (int)((o.quick ? 0.25 : 1)*seconds*rate);

    if (build(1/rate, friction, &flaw) != DC_OK) return cli_error("link %d: %s", flaw.link, flaw.cause);
    if (dc_sim_step_bytes(&sim) > sizeof scratch) return cli_error("%s", "scratch is too small");
    for (k = 0; k < 2; k++) dc_sim_neutral(&sim, q[k]);         /* two equal states: at rest */
    control.target = target;
    control.velocity = velocity;

    page.title = "A four-legged robot";
    page.note = "Nine links, 16 freedoms. It stands for a while, then walks; its joints follow sines, its feet are held by friction.";
    page.rate = rate;
    v = view_open(o.out, &page);
    view_fixed(v, view_plane(v, 1), NULL, world);
    for (k = 0; k < hulls; k++) shown[k] = view_body(v, view_hull(v, hull + k), k == 0 ? "#3b7dd8" : k%2 ? "#8592a3" : "#e8833a");
    view_track(v, "way of a foot", "#3aa675", shown[2], dc_vec(DC_R(LOWER), 0, 0));
    along = view_series(v, "distance walked", "m", 0);
    height = view_series(v, "height of the torso", "m", 0);
    newton = view_series(v, "Newton steps", "", 0);
    left = view_series(v, "force left over by a step", "N or N m", 1);

    bar = cli_bar_begin("ant", steps, "steps");
    for (i = 0; i <= steps && view_ok(v) && !cli_stopped(); i++) {
        if (i > 0) {
            const double t = time + 1/rate - stand;
            dc_status    status;

            gait(fmax(t, 0), pace, t > 0 ? swing : 0, t > 0 ? lift : 0, target, velocity);
            begin = clock();
            status = dc_sim_step(&sim, q[(i + 2)%3], q[i%3], &control, &mem, q[(i + 1)%3], &info);
            busy += (double)(clock() - begin)/CLOCKS_PER_SEC;

            /* at the cap of iterations the state is free of overlap, and to go on is safe; nothing else is */
            if (status == DC_E_DIVERGED) capped++;
            else if (status != DC_OK) return cli_error("step %d: %s", i, dc_status_text(status));
            now = q[(i + 1)%3];
            time += (double)sim.desc.h;
            made++;
            newton_steps += info.iterations;
            contacts += info.contacts;
            if (info.iterations > most) most = info.iterations;
            if (info.scale > 0) worst = fmax(worst, (double)(info.residual/info.scale));
            least = fmin(least, (double)info.gap);
            view_value(v, newton, info.iterations);
            view_value(v, left, (double)info.residual);
        }
        view_value(v, along, (double)now[4]);
        view_value(v, height, (double)now[6] + HEIGHT);
        dc_sim_poses(&sim, now, pose);
        for (k = 0; k < hulls; k++) view_pose(v, shown[k], pose[owner[k]]);
        view_frame(v, time);
        cli_bar_step(&bar, i);
    }
    cli_bar_end(&bar);

    printf("ant_steps %d steps\nant_steps_at_the_cap %d steps\n", made, capped);
    printf("ant_newton_steps_mean %.2f 1\nant_newton_steps_most %d 1\n", (double)newton_steps/fmax(made, 1), most);
    printf("ant_contacts_mean %.2f 1\nant_force_left_over %.2g 1\n", (double)contacts/fmax(made, 1), worst);
    printf("ant_time_of_a_step %.3g ms\n", 1e3*busy/fmax(made, 1));
    printf("distance_walked %.4f m\ndistance_aside %.4f m\ntorso_at_the_end %.4f m\n", (double)now[4], (double)now[5], (double)now[6] + HEIGHT);
    printf("gap_least %.3g m\n", least);
    if (view_close(v) != 0) return CLI_FAILED;
    return cli_exit(CLI_DONE);
}
