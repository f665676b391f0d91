/* The walkers of examples/design_quadruped.c and design_biped.c, with the feet and the control that were found, and the
 * jaw of design_jaw.c with its hole, here and in MuJoCo, where it is installed (SDRS V-J, Fig. 22): how far they have
 * walked, how high the object is, step by step. tests/data/design_X.txt is what build/demo/design_X --seed 1 writes as
 * design_X_with_shape.txt, of the jaw design_jaw_after.txt. Bar, of the quadruped and the jaw: at no step more than 5 %
 * of the whole way apart. The biped falls in MuJoCo: its gait knows nothing of where the robot is. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>
#ifdef DC_BENCH_MUJOCO
#include "mujoco_model.h"
#endif

#include "cli.h"
#include "sim_scene.h"
#include "plan.h"
#include "optimise.h"
#include "walkers.h"
#include "blocks.h"
#include "jaw.h"

enum { STEPS = 1000 };
static sim_world    w;
static walker       robot;
static jaw          plate;
static optimisation o;

typedef struct { double x[STEPS + 1]; } curve;
typedef enum { QUADRUPED, BIPED, JAW } robots_kind;
typedef struct {
    const char *name, *file;
    robots_kind kind;
    int         horizon;
    double      friction, begin;        /* begin: s, of the sines */
    double      firm;                   /* s, in which a contact of MuJoCo gives way */
} setting;

static double none(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    (void)p, (void)step, (void)q, (void)dq;
    return 0;
}

/* The robot, its feet and its control as the file says; its motion with steps of 10 ms / part. */
static curve ours(const setting *k, int part)
{
    unsigned long long seed = 1;
    dc_design_desc     desc;
    curve              c;
    int                i, at;

    memset(&o, 0, sizeof o);
    if (k->kind == QUADRUPED) walker_spider(&robot, &w, 15*atan(1.0)/45, k->friction, 8, DC_SIM_UNIFORM);
    else if (k->kind == BIPED) walker_biped(&robot, &w, k->friction, 8, DC_SIM_UNIFORM);
    else jaw_scene(&plate, &w, 4, 4, 0.01, k->friction);
    w.desc.h /= DC_R(part);
    w.sim.desc.h /= DC_R(part);
    if (k->kind == JAW) {
        plan_begin(&o.p, &w, CONTROL_TARGETS, k->horizon*part, 0, NULL, none);
        plate.into = jaw_into;
        jaw_preset(&plate, &o.p);
        desc = jaw_design(&plate, &w);
    } else {
        walker_sines(&w, &o.p, k->horizon*part, &seed, none);
        o.p.c.ramp = k->begin;
        desc = walker_design(&robot, &w, 0.08);
    }
    optimise_begin(&o, &desc);
    if (optimise_load(&o, k->file) != 0) exit(CLI_FAILED);
    optimise_value(&o);
    at = k->kind == JAW ? w.sim.q_at[JAW_OBJECT] + 6 : 4;
    for (i = 0; i <= k->horizon; i++) c.x[i] = (double)o.p.q[(i*part + 1)*w.sim.nq + at];
    return c;
}

/* Largest difference on the way, in % of all of it. */
static double apart(const curve *a, const curve *b, int horizon)
{
    double most = 0;
    int    i;
    for (i = 0; i <= horizon; i++) most = fmax(most, fabs(a->x[i] - b->x[i]));
    return 100*most/fabs(a->x[horizon]);
}

#ifdef DC_BENCH_MUJOCO
static double gap;      /* m, margin of contacts over a plane */

/* Mass, its centre and the inertia about it, from the moments of link i. */
static void peer_inertia(mujoco_text *x, int i)
{
    const dc_real *M = w.sim.moment + 16*i;
    const double   m = (double)M[15], c[3] = {(double)M[3]/m, (double)M[7]/m, (double)M[11]/m};
    double         S[3][3], trace = 0;
    int            a, b;

    for (a = 0; a < 3; a++) {
        for (b = 0; b < 3; b++) S[a][b] = (double)M[4*a + b] - m*c[a]*c[b];
        trace += S[a][a];
    }
    mujoco_print(x, "<inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" fullinertia=\"%.17g %.17g %.17g %.17g %.17g %.17g\"/>", c[0], c[1],
               c[2], m, trace - S[0][0], trace - S[1][1], trace - S[2][2], -S[0][1], -S[0][2], -S[1][2]);
}

/* What link i has: geom are attributes of its hulls. Of two coefficients MuJoCo takes the larger, we take the product:
 * a body whose own is 1 gets none. Links of one robot do not meet. `gap` is where ours rest over a plane, two hulls at
 * twice that: the hole is as much narrower. */
static void peer_hulls(mujoco_text *x, int i, void *geom)
{
    const double friction = w.sim.link[i].friction < 1 ? (double)w.sim.link[i].friction : 1e-3;
    int          k;
    peer_inertia(x, i);
    for (k = 0; k < w.sim.hulls; k++)
        if (w.sim.hull[k].link == i)
            mujoco_print(x, "<geom type=\"mesh\" mesh=\"m%d\" friction=\"%g 0 0\" margin=\"%g\" %s/>", k, friction,
                         i == JAW_PLATE ? 2*gap : gap, (const char *)geom);
}

/* The motion with steps of h; the controls are functions of time. */
static curve peer(const setting *s, double h)
{
    static mujoco_text x;
    char               geom[200];
    const int          part = (int)(0.01/h + 0.5), horizon = s->horizon;
    curve              c;
    mjModel           *m;
    mjData            *d;
    int                i, k, j;

    snprintf(geom, sizeof geom, "solref=\"%g 1\" solimp=\"0.99 0.99 1e-4\"", s->firm);
    gap = s->kind == JAW ? (double)dc_sim_rest_gap(&w.sim, DC_R(9.81*0.1), 4) : 0;
    x.n = 0;
    mujoco_print(&x, "<mujoco><compiler angle=\"radian\"/><size njmax=\"2000\" nconmax=\"400\"/><option timestep=\"%g\" cone=\"elliptic\" "
               "impratio=\"10\" gravity=\"%.17g 0 %.17g\"/><asset>", h, (double)w.desc.gravity.x, (double)w.desc.gravity.z);
    for (k = 0; k < w.sim.hulls; k++) {
        mujoco_print(&x, "<mesh name=\"m%d\" vertex=\"", k);
        for (i = 0; i < w.sim.hull[k].n; i++) {
            const dc_v3 v = w.sim.vertex[w.sim.hull[k].begin + i];
            mujoco_print(&x, "%.9g %.9g %.9g ", (double)v.x, (double)v.y, (double)v.z);
        }
        mujoco_print(&x, "\"/>");
    }
    mujoco_print(&x, "</asset><worldbody><geom type=\"plane\" size=\"0 0 1\" friction=\"%g 0 0\" margin=\"%g\" %s/>",
                 (double)w.plane[0].friction, gap, geom);
    mujoco_links(&x, w.sim.links, w.sim.link, -1, peer_hulls, geom);
    mujoco_print(&x, "</worldbody><actuator>");
    for (i = 0; i < w.sim.links; i++)
        if (w.sim.link[i].joint != DC_SIM_FREE)
            mujoco_print(&x, "<general joint=\"j%d\" gainprm=\"1\" biastype=\"affine\" biasprm=\"0 %g 0\"/>", i,
                         -(double)w.sim.link[i].kp);
    mujoco_print(&x, "</actuator></mujoco>");
    m = mujoco_compile(&x);
    d = mj_makeData(m);
    if (m->nv != w.sim.nv || m->nq != w.sim.nq || m->nu != w.sim.links - 1) exit(cli_error("%s", "another model"));
    for (i = 0; i <= horizon; i++) {
        for (k = 0; k < part && i > 0; k++) {
            const double t = h*((i - 1)*part + k + 1);
            double       way[3] = {0, 0, 0};
            if (s->kind == JAW) jaw_way(&plate, t/(0.01*horizon), &way[JAW_AHEAD], &way[JAW_UP]);
            for (j = 0; j < m->nu; j++) {
                const dc_sim_link *l = w.sim.link + (s->kind == JAW ? j : j + 1);
                double             at = s->kind == JAW ? way[j] : 0, v = 0;
                if (s->kind != JAW) controls_wave(&o.p.c, o.p.u, j, t, &at, &v, NULL);
                d->ctrl[j] = (double)l->kp*at + (double)l->kd*v;
            }
            mj_step(m, d);
        }
        c.x[i] = s->kind == JAW ? d->qpos[5] - jaw_middle : d->qpos[0];     /* a jaw: three freedoms, then the object */
    }
    mj_deleteData(d);
    mj_deleteModel(m);
    return c;
}
#endif

static void compare(const setting *k)
{
    curve fine = ours(k, 4), c;

    optimise_end(&o);
    c = ours(k, 1);
    bench_line(k->name, k->kind == JAW ? "lifted" : "walked", c.x[k->horizon], "m");
    bench_line(k->name, k->kind == JAW ? "lifted_h_0.0025" : "walked_h_0.0025", fine.x[k->horizon], "m");
    bench_line(k->name, "h_0.0025_from_h_0.01", apart(&c, &fine, k->horizon), "%");
#ifdef DC_BENCH_MUJOCO
    {
        curve p = peer(k, 2.5e-4), q = peer(k, 5e-4);
        int   i;
        for (i = k->horizon/5; i <= k->horizon; i += k->horizon/5) {
            char what[40];
            snprintf(what, sizeof what, "at_step_%d", i);
            bench_line(k->name, what, c.x[i], "m");
            snprintf(what, sizeof what, "mujoco_at_step_%d", i);
            bench_line(k->name, what, p.x[i], "m");
        }
        bench_line(k->name, "from_mujoco", apart(&c, &p, k->horizon), "%");
        bench_line(k->name, "end_from_mujoco", 100*(p.x[k->horizon]/c.x[k->horizon] - 1), "%");
        bench_line(k->name, "h_0.0025_from_mujoco", apart(&fine, &p, k->horizon), "%");
        bench_line(k->name, "mujoco_h_0.0005_from_0.00025", apart(&p, &q, k->horizon), "%");
    }
#endif
    optimise_end(&o);
}

int main(int argc, char **argv)
{
    static const setting robots[] = {
        {"quadruped", DC_TEST_DATA "/design_quadruped.txt", QUADRUPED, 550, 0.4, 0.3, 1e-3},
        {"biped", DC_TEST_DATA "/design_biped.txt", BIPED, 400, 0.8, 1.4, 1e-3},
        {"jaw", DC_TEST_DATA "/design_jaw.txt", JAW, 160, 0.2, 0, 5e-3}
    };
    int                  i;

    bench_begin(argc, argv);
#ifndef DC_BENCH_MUJOCO
    bench_skip("mujoco", "no mujoco/mujoco.h (Debian: libmujoco-dev)");
#endif
    if (bench_instructions) return 0;
    for (i = 0; i < 3; i++) compare(robots + i);
    return 0;
}
