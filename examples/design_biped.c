/* design_biped.c - a biped walks on feet that are shaped together with its gait, and falls on those it had
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * SDRS section V-D, Fig. 12 and 13: seven links and 12 freedoms, each joint led by four sines, which know nothing of
 * where the robot is; within 400 steps it is to walk 3 m. Its feet, 96 vertices each in three hulls, the right one
 * mirrored, are short and round: it cannot even stand on them. Loss: how far hips and head are from points that walk
 * ahead upright, over all steps; the paper takes where the centre of mass ends, of which a motion that falls says
 * little.
 *
 * First what few numbers can do, as the gradient of a fall does not lead out of it: eight of a gait and three of the
 * feet (length, width, how far ahead) are drawn, round after round about the best tenth (cross-entropy method). A good
 * draw counts as much as the worst right beside it: otherwise gaits are found that are unstable, whose gradients are
 * good for no step. Then the gradient by all sines and all vertices, through all steps, the best kept. Beside it the
 * same with the feet as they were, with as many draws and iterations. --full does so for five seeds, and fails unless
 * they fall without: all five walk. On four of them gradients agree with differences, but for one of 240; on the third
 * seed 58 of 60 do not, over any step down to 1e-10 m: there the draws have done the work. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "sim_scene.h"
#include "plan.h"
#include "plot.h"
#include "plan_plot.h"
#include "optimise.h"
#include "walkers.h"

enum { GAIT = 8, FEET = 3, NUMBERS = GAIT + FEET, MOST = 200 };

/* Of the gait: swing of the hips, bend of the knee of the leg that swings ahead, Hz, lean of hips and of ankles, how
 * much earlier the knee bends, the hip's share in what evens the knee out, the ankle's in what evens the hip out;
 * of the feet: length and width over those they had, m ahead. */
static const double least[NUMBERS] = {0.05, 0.1, 0.8, -0.2, -0.2, -0.8, 0.2, 0.5, 1, 1, -0.04};
static const double most[NUMBERS] = {0.5, 0.6, 2.6, 0.2, 0.2, 0.8, 0.8, 1.2, 3, 1.9, 0.04};
static const double speed = 0.97, gather = 1.4, high = 0.3, soft = 0.3;     /* m/s, reached in s; m of the head; m */
static sim_world    w;
static walker       biped;
static optimisation o;
static plan_curves  curves;

/* Of far points only the logarithm counts. */
static double loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    static dc_pose pose[SIM_LINKS];
    const double   t = (step + 1)*(double)p->world->desc.h, part = 0.5/p->c.horizon;
    double         sum = 0;
    int            i;

    dc_sim_poses(&p->world->sim, q, pose);
    for (i = 0; i < 2; i++) {
        const dc_v3  at = dc_vec(0, 0, DC_R(i*high));
        const dc_v3  to = dc_vec(DC_R(t < gather ? 0.5*speed*t*t/gather : speed*(t - 0.5*gather)), 0, at.z);
        const dc_v3  off = dc_sub(dc_pose_apply(pose[0], at), dc_add(to, p->world->link[0].attach.t));
        const double r2 = (double)dc_dot(off, off)/(soft*soft);

        sum += part*soft*soft*log(1 + r2);
        if (dq) dc_sim_pull(&p->world->sim, q, 0, at, dc_scale(DC_R(2*part/(1 + r2)), off), dq);
    }
    return sum;
}

static double walked(void) { return (double)o.p.q[(o.p.c.horizon + 1)*w.sim.nq + w.sim.q_at[0] + 4]; }

/* s until the torso has sunk by a third, or the end. */
static double stood(void)
{
    const double drop = (double)w.link[0].attach.t.z/3;
    int          i;

    for (i = 0; i < o.p.c.horizon; i++) if ((double)o.p.q[(i + 2)*w.sim.nq + w.sim.q_at[0] + 6] < -drop) break;
    return i*(double)w.desc.h;
}

static void draw(const optimisation *of, const dc_real *q, view *v, int series)
{
    view_value(v, series, (double)q[of->p.world->sim.q_at[0] + 4]);
}

/* The robot as it is at first. */
static void begin(int vertices, int horizon, unsigned long long seed)
{
    dc_design_desc desc;

    memset(&o, 0, sizeof o);
    walker_biped(&biped, &w, 0.8, vertices/6, DC_SIM_UNIFORM);
    walker_sines(&w, &o.p, horizon, &seed, loss);
    o.p.c.ramp = gather;
    o.p.rate = 0.002;
    desc = walker_design(&biped, &w, 0.08);
    optimise_begin(&o, &desc);
    o.radius = 0.02;
    o.margin = 0.003;
    o.explode = 1.2;
}

/* Wave i of a joint: a sin(2 pi f t + phase). */
static void wave(int joint, int i, double a, double f, double phase)
{
    dc_real *u = o.p.u + 3*(CONTROL_WAVES*joint + i);

    u[0] = DC_R(a);
    u[1] = DC_R(f);
    u[2] = DC_R(phase);
}

/* The gait and the feet of drawn numbers: a leg swings ahead while its knee is bent; hip and ankle even that out, so
 * that the foot stays level. */
static void put(const double *x, int feet)
{
    const double quarter = 2*atan(1.0);
    int          leg, h, i, c;

    for (leg = 0; leg < 2; leg++) {
        const int    hip = 3*leg;
        const double phase = 2*leg*quarter, early = phase + quarter + x[5];

        for (i = 0; i < 3*CONTROL_WAVES; i++)
            wave(hip + i/CONTROL_WAVES, i%CONTROL_WAVES, 0, (i%CONTROL_WAVES + 1)*x[2], phase);
        wave(hip, 0, -x[0], x[2], phase);
        wave(hip, 1, -x[6]*x[1], x[2], early);
        wave(hip, 2, x[3], 0, quarter);
        wave(hip + 1, 0, x[1], x[2], early);
        wave(hip + 2, 0, x[7]*x[0], x[2], phase);
        wave(hip + 2, 1, -x[7]*(1 - x[6])*x[1], x[2], early);
        wave(hip + 2, 2, x[4], 0, quarter);
    }
    for (h = 0; h < w.sim.hulls && feet; h++)
        for (i = w.sim.hull[h].begin; i < w.sim.hull[h].begin + w.sim.hull[h].n; i++) {
            const int    at = biped.vertex[i] ? o.design.point[i] : -1;
            const dc_v3  v = w.vertex[i];
            const double move[2] = {(x[GAIT] - 1)*(double)v.x + x[GAIT + 2], (x[GAIT + 1] - 1)*(double)v.y};
            for (c = 0; c < 2 && at >= 0; c++)
                o.d[at + c] = DC_R(fmax((double)o.design.lo[at + c], fmin((double)o.design.hi[at + c], move[c])));
        }
}

/* The worst of what numbers right beside x are worth, up to 1 % of their range off, always to the same sides. */
static double beside(const double *x, int feet)
{
    unsigned long long random = 1;
    double             y[NUMBERS], worst = 0;
    int                k, c;

    for (k = 0; k < 2; k++) {
        for (c = 0; c < NUMBERS; c++) y[c] = x[c] + 0.01*(most[c] - least[c])*cli_between(&random, -1, 1);
        put(y, feet);
        worst = fmax(worst, optimise_value(&o));
    }
    return worst;
}

/* The best of so many rounds of so many draws is what o is then. */
static void draws(int rounds, int count, int feet, unsigned long long *random)
{
    static double x[MOST][NUMBERS], value[MOST];
    double        mean[NUMBERS], spread[NUMBERS], best[NUMBERS], best_value = HUGE_VAL;
    int           order[MOST], some = count/10 > 3 ? count/10 : 3, r, i, k, c;

    for (c = 0; c < NUMBERS; c++) {
        mean[c] = best[c] = 0.5*(least[c] + most[c]);
        spread[c] = 0.4*(most[c] - least[c]);
    }
    for (r = 0; r < rounds && !cli_stopped(); r++) {
        for (i = 0; i < count; i++) {
            for (c = 0; c < NUMBERS; c++) {
                double bell = 0;
                for (k = 0; k < 12; k++) bell += cli_between(random, -0.5, 0.5);
                x[i][c] = fmax(least[c], fmin(most[c], mean[c] + spread[c]*bell));
            }
            if (i == 0 && r > 0) memcpy(x[0], best, sizeof best);
            put(x[i], feet);
            value[i] = optimise_value(&o);
            if (i < some || value[i] < value[order[some - 1]]) value[i] = fmax(value[i], beside(x[i], feet));
            for (k = i; k > 0 && value[order[k - 1]] > value[i]; k--) order[k] = order[k - 1];
            order[k] = i;
        }
        if (value[order[0]] < best_value) {
            best_value = value[order[0]];
            memcpy(best, x[order[0]], sizeof best);
        }
        for (c = 0; c < NUMBERS; c++) {
            double sum = 0, square = 0;
            for (i = 0; i < some; i++) sum += x[order[i]][c]/some;
            for (i = 0; i < some; i++) square += (x[order[i]][c] - sum)*(x[order[i]][c] - sum)/some;
            mean[c] = sum;
            spread[c] = 0.3*spread[c] + 0.7*sqrt(square) + 0.005*(most[c] - least[c]);
        }
        if (o.p.iterations < PLAN_HISTORY) o.p.history[o.p.iterations++] = best_value;
    }
    put(best, feet);
    optimise_value(&o);
}

typedef struct { int horizon, vertices, rounds, draws, iterations, check; } effort;
typedef struct { double walked, stood; } outcome;

/* v: NULL, or the page, where `label` is the run's name. */
static outcome run(const effort *e, int what, unsigned long long seed, view *v, const char *label, const char *name,
                   const char *out)
{
    const clock_t      start = clock();
    static const char *colour[SIM_LINKS];
    outcome            far;
    int                k;

    begin(e->vertices, e->horizon, seed);
    o.check = e->check;
    draws(e->rounds, e->draws, (what & OPTIMISE_SHAPE) != 0, &seed);
    printf("%s_drawn %.4f m\n%s_drawn_loss %.5f m2\n", name, walked(), name, o.value);
    optimise(&o, e->iterations, what);
    far.walked = walked();
    far.stood = stood();
    printf("%s_walked %.4f m\n%s_stood %.2f s\n%s_loss %.5f m2\n", name, far.walked, name, far.stood, name, o.value);
    optimise_report(&o, name);
    printf("%s_time %.1f s\n", name, (double)(clock() - start)/CLOCKS_PER_SEC);
    if (v) {
        for (k = 0; k < w.sim.links; k++) colour[k] = k == 0 ? "#3b7dd8" : "#8592a3";
        for (k = 0; k < biped.feet; k++) colour[biped.foot[k]] = "#e8833a";
        plan_curve(&curves, label, o.p.iterations, o.p.history);
        optimise_show(&o, v, label, colour, 5, draw, "walked", "m");
        if (optimise_obj(&w.sim, o.p.q + w.sim.nq, out, name) != 0) exit(CLI_FAILED);
        if (optimise_save(&o, out, name) != 0) exit(CLI_FAILED);
    }
    optimise_end(&o);
    return far;
}

int main(int argc, char **argv)
{
    double       vertices = 48, horizon = 400, rounds = 18, count = 60, iterations = 60, check = 0, seeds = 1;
    cli_number   number[] = {{"vertices", &vertices, 24, 192, "of a foot, a multiple of 6"},
                             {"horizon", &horizon, 1, 1000, "steps of a motion"},
                             {"rounds", &rounds, 1, 1000, "of draws"},
                             {"draws", &count, 4, MOST, "in a round"},
                             {"iterations", &iterations, 0, 2000, "by gradient after them"},
                             {"check", &check, 0, 1, "1: every gradient against differences"},
                             {"seeds", &seeds, 1, 100, "from --seed on"}};
    cli          c = cli_parse(argc, argv, "A biped walks, gait and feet by draws and gradient.", "design_biped.html",
                               number, 7);
    view_options page = DC_ZERO;
    view        *v;
    effort       e;
    double       end, far = 3;
    int          k, walk = 0, fall = 0;

    if (c.quick) {
        vertices = 24;
        horizon = 250;
        rounds = 6;
        count = 24;
        iterations = 8;
        far = 1;
    }
    if (c.full) {
        vertices = 96;
        seeds = 5;
    }
    e.horizon = (int)horizon;
    e.vertices = (int)vertices;
    e.rounds = (int)rounds;
    e.draws = (int)count;
    e.iterations = (int)iterations;
    page.title = "A biped walks";
    page.note = "Left, as far as draws and gradient have brought the gait on the feet it had, short and round; right, "
                "as many draws and iterations of the gait and of the shape of the feet.";
    v = view_open(c.out, &page);
    for (k = 0; k < (int)seeds && !cli_stopped(); k++) {
        const unsigned long long seed = c.seed + (unsigned long long)k;
        outcome alone, both;

        printf("seed %llu 1\n", seed);
        e.check = 0;
        alone = run(&e, OPTIMISE_CONTROL, seed, k ? NULL : v, "the feet it had", "without", c.out);
        e.check = (int)check;
        both = run(&e, OPTIMISE_CONTROL | OPTIMISE_SHAPE, seed, k ? NULL : v, "shaped feet", "with_shape", c.out);
        end = e.horizon*(double)w.desc.h;
        fall += alone.stood < end;
        walk += both.stood >= end && both.walked >= far;
    }
    printf("seeds %d 1\nwalk_with_shape %d 1\nfall_without %d 1\n", (int)seeds, walk, fall);
    if (view_close(v) != 0 || plan_plot(&curves, c.out, "A biped walks", "round, iteration") != 0) return CLI_FAILED;
    printf("wrote %s\n", c.out);
    if (walk + fall < 2*(int)seeds && !cli_stopped())
        return cli_error("of %d seeds %d walk %g m on shaped feet, %d fall on others", (int)seeds, walk, far, fall);
    return cli_exit(CLI_DONE);
}
