/* Articulated bodies beside MuJoCo, where it is installed, on models written from the same description: a walking robot's step and
 * all its derivatives, in time; and planks that fall against a wall, in their motion. */
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
#include "sim_ant.h"
#include "sim_lean.h"

static sim_world w;
static double kept;

/* ---- the same model in MuJoCo ------------------------------------------------------------------- */

#ifdef DC_BENCH_MUJOCO
typedef struct { const sim_world *world; const char *geom; } peer_look;      /* geom: attributes of all */

/* the boxes of a link */
static void peer_boxes(mujoco_text *x, int i, void *user)
{
    const peer_look *look = (const peer_look *)user;
    const dc_sim_link *l = look->world->link + i;
    int k;
    for (k = 0; k < l->hulls; ++k) {
        dc_v3 c = dc_scale(DC_R(0.5), dc_add(l->hull[k].v[0], l->hull[k].v[7])), r = dc_sub(l->hull[k].v[7], c);
        mujoco_print(x, "<geom type=\"box\" pos=\"%.17g %.17g %.17g\" size=\"%.17g %.17g %.17g\" mass=\"%.17g\" %s/>", (double)c.x,
                     (double)c.y, (double)c.z, (double)r.x, (double)r.y, (double)r.z, (double)l->mass/l->hulls, look->geom);
    }
}

static mjModel *peer_open(const sim_world *s, const char *option, const char *geom)
{
    static mujoco_text x;
    peer_look          look;
    int                i;

    look.world = s;
    look.geom = geom;
    x.n = 0;
    mujoco_print(&x, "<mujoco><compiler angle=\"radian\"/><size njmax=\"1000\" nconmax=\"200\"/><option %s/><worldbody>", option);
    for (i = 0; i < s->desc.planes; ++i) {
        dc_v3 n = s->plane[i].n;
        mujoco_print(&x, "<geom type=\"plane\" size=\"0 0 1\" zaxis=\"%g %g %g\" %s/>", (double)n.x, (double)n.y, (double)n.z, geom);
    }
    mujoco_links(&x, s->desc.links, s->link, -1, peer_boxes, &look);
    mujoco_print(&x, "</worldbody><actuator>");
    for (i = 0; i < s->desc.links; ++i)
        if (s->link[i].kp > 0) mujoco_print(&x, "<position joint=\"j%d\" kp=\"%g\"/>", i, (double)s->link[i].kp);
    mujoco_print(&x, "</actuator></mujoco>");
    return mujoco_compile(&x);
}
#endif

/* ---- the walking robot: a second of its gait, a step and derivatives from each state ---------------
 * Joints are drawn to the gait's targets and damped, since MuJoCo's default integrator takes the damping of a joint implicitly,
 * but not that of a motor that follows a velocity. Derivatives: ours by both states, the targets, their velocities and the
 * forces; MuJoCo's, A and B, by the state and the targets. */

enum { WINDOW = 100, BEFORE = 200 };        /* steps of 10 ms */

static dc_real way[WINDOW + 2][SIM_STATE], target[WINDOW + 2][SIM_STATE];
static dc_real by_prev[ANT_FREEDOMS*ANT_FREEDOMS], by_now[ANT_FREEDOMS*ANT_FREEDOMS], by_control[3*ANT_FREEDOMS*ANT_FREEDOMS];
static dc_real loss[ANT_FREEDOMS], start[2*ANT_FREEDOMS], control_grad[3*ANT_FREEDOMS];

static dc_sim_control ant_control(int k)
{
    dc_sim_control c = DC_ZERO;
    c.target = target[k];
    return c;
}

static void ant_step(void *user)
{
    int k;
    (void)user;
    for (k = 0; k < WINDOW; ++k) {
        static dc_real q[SIM_STATE];
        dc_arena mem = dc_arena_make(w.scratch, sizeof w.scratch);
        dc_sim_control c = ant_control(k);
        sim_need(dc_sim_step(&w.sim, way[k], way[k + 1], &c, &mem, q, NULL), "step");
        kept += (double)q[4];
    }
}

static void ant_gradient(void *user)
{
    int k;
    ant_step(user);
    for (k = 0; k < WINDOW; ++k) {
        dc_arena mem = dc_arena_make(w.scratch, sizeof w.scratch);
        dc_sim_control c = ant_control(k);
        dc_sim_jacobian o = DC_ZERO;
        o.prev = by_prev;
        o.now = by_now;
        o.control = by_control;
        sim_need(dc_sim_grad(&w.sim, way[k], way[k + 1], &c, way[k + 2], &mem, &o), "gradient");
        kept += (double)o.now[0];
    }
}

static void ant_adjoint(void *user)
{
    int k;
    ant_step(user);
    for (k = 0; k < WINDOW; ++k) {
        static dc_real q[3*SIM_STATE];
        dc_arena mem = dc_arena_make(w.scratch, sizeof w.scratch);
        dc_sim_control c = ant_control(k);
        dc_sim_run r = DC_ZERO;
        int j;
        for (j = 0; j < 3; ++j) memcpy(q + j*w.sim.nq, way[k + j], (size_t)w.sim.nq*sizeof *q);
        r.steps = 1;
        r.q = q;
        r.control = &c;
        r.loss = loss;
        r.start = start;
        r.control_grad = control_grad;
        sim_need(dc_sim_adjoint(&w.sim, &r, &mem), "adjoint");
        kept += (double)start[0];
    }
}

/* Walks, and keeps the last second. */
static double ant_walk(void)
{
    static dc_real u[SIM_STATE], none[SIM_STATE];
    double from = 0;
    int    i, k;
    sim_ant(&w, 0.01, 0.8);
    for (i = 0; i < BEFORE + WINDOW + 1; ++i) {
        dc_sim_control c = DC_ZERO;
        sim_ant_gait(&w, w.time + 0.01, 1, 0.35, 0.4, u, none);
        c.target = u;
        k = i - BEFORE;
        if (k == 0) from = (double)w.now[4];
        if (k >= 0) {
            memcpy(way[k], w.prev, sizeof way[k]);
            memcpy(way[k + 1], w.now, sizeof way[k]);
            memcpy(target[k], u, sizeof target[k]);
        }
        if (k < WINDOW) sim_step(&w, &c);
    }
    for (k = 0; k < w.sim.nv; ++k) loss[k] = 1;
    return (double)w.now[4] - from;
}

#ifdef DC_BENCH_MUJOCO
#define PEER_FEET "friction=\"0.8 0.005 0.0001\""
typedef struct {
    mjModel *m;
    mjData  *d;
    double   qpos[WINDOW][ANT_FREEDOMS + 1], qvel[WINDOW][ANT_FREEDOMS], warm[WINDOW][ANT_FREEDOMS];
    int      centred;
} peer_ant;

static void peer_state(peer_ant *p, int k)
{
    int i, u = 0;
    memcpy(p->d->qpos, p->qpos[k], sizeof p->qpos[k]);
    memcpy(p->d->qvel, p->qvel[k], sizeof p->qvel[k]);
    memcpy(p->d->qacc_warmstart, p->warm[k], sizeof p->warm[k]);
    for (i = 1; i < w.sim.links; ++i) p->d->ctrl[u++] = (double)target[k][w.sim.q_at[i]];
}

static void peer_step(void *user)
{
    peer_ant *p = (peer_ant *)user;
    int k;
    for (k = 0; k < WINDOW; ++k) {
        peer_state(p, k);
        mj_step(p->m, p->d);
        kept += p->d->qpos[0];
    }
}

static void peer_gradient(void *user)
{
    static double A[4*ANT_FREEDOMS*ANT_FREEDOMS], B[2*ANT_FREEDOMS*ANT_FREEDOMS];
    peer_ant *p = (peer_ant *)user;
    int k;
    peer_step(user);
    for (k = 0; k < WINDOW; ++k) {
        peer_state(p, k);
        mjd_transitionFD(p->m, p->d, 1e-6, (mjtByte)p->centred, A, B, NULL, NULL);
        kept += A[0];
    }
}

/* Walks as ours did, steps of h; p, or NULL: keeps the last second. Returns how far in that. */
static double peer_walk(double h, const char *option, const char *geom, peer_ant *p)
{
    static dc_real u[SIM_STATE], none[SIM_STATE];
    char     options[200];
    mjModel *m;
    mjData  *d;
    double   from = 0, walked;
    int      i, k, j, n, part = (int)(0.01/h + 0.5);
    snprintf(options, sizeof options, "timestep=\"%g\" %s", h, option);
    m = peer_open(&w, options, geom);
    d = mj_makeData(m);
    if (m->nv != ANT_FREEDOMS || m->nu != ANT_FREEDOMS - 6) exit(cli_error("%s", "another model"));
    for (i = 0; i < (BEFORE + WINDOW)*part; ++i) {
        k = i - BEFORE*part;
        sim_ant_gait(&w, h*(i + 1), 1, 0.35, 0.4, u, none);
        for (j = 1, n = 0; j < w.sim.links; ++j) d->ctrl[n++] = (double)u[w.sim.q_at[j]];
        if (k == 0) from = d->qpos[0];
        if (k >= 0 && p) {
            memcpy(p->qpos[k], d->qpos, sizeof p->qpos[k]);
            memcpy(p->qvel[k], d->qvel, sizeof p->qvel[k]);
            memcpy(p->warm[k], d->qacc_warmstart, sizeof p->warm[k]);
        }
        mj_step(m, d);
    }
    walked = d->qpos[0] - from;
    if (p) {
        p->m = m;
        p->d = d;
    } else {
        mj_deleteData(d);
        mj_deleteModel(m);
    }
    return walked;
}
#endif

static void ant(void)
{
    bench_group g;
    double      walked = ant_walk();
#ifdef DC_BENCH_MUJOCO
    static peer_ant forward, centred;
    double          peer = peer_walk(0.01, "", PEER_FEET, &forward);
    centred = forward;
    centred.centred = 1;
#endif
    if (!bench_instructions) {
        bench_line("ant", "newton_steps", (double)w.iterations/w.steps, "1");
        bench_line("ant", "walked", walked, "m");
#ifdef DC_BENCH_MUJOCO
        bench_line("ant", "walked_mujoco", peer, "m");
        bench_line("ant", "walked_mujoco_h_0.001", peer_walk(0.001, "", PEER_FEET, NULL), "m");
        bench_line("ant", "walked_mujoco_stiff_h_0.0002", peer_walk(0.0002, "cone=\"elliptic\" impratio=\"10\"",
                   PEER_FEET " solref=\"0.0008 2\" solimp=\"0.999 0.999 1e-4\"", NULL), "m");
#endif
    }
    bench_open(&g, "ant_step_and_derivatives");
    bench_add(&g, "gradient", ant_gradient, NULL, WINDOW);
    bench_add(&g, "adjoint", ant_adjoint, NULL, WINDOW);
#ifdef DC_BENCH_MUJOCO
    bench_add(&g, "mujoco_centred", peer_gradient, &centred, WINDOW);
    bench_add(&g, "mujoco_forward", peer_gradient, &forward, WINDOW);
#endif
    bench_run(&g);
    bench_open(&g, "ant_step");
    bench_add(&g, "step", ant_step, NULL, WINDOW);
#ifdef DC_BENCH_MUJOCO
    bench_add(&g, "mujoco", peer_step, &forward, WINDOW);
#endif
    bench_run(&g);
#ifdef DC_BENCH_MUJOCO
    mj_deleteData(forward.d);
    mj_deleteModel(forward.m);
#endif
}

/* ---- the planks ------------------------------------------------------------------------------------ */

enum { SAMPLES = 100 };                     /* a second */
typedef struct { double angle[2][SAMPLES + 1]; } curve;

static curve lean(double h, double friction)
{
    curve c;
    int   i, k, every = (int)(1/(h*SAMPLES) + 0.5);
    sim_lean(&w, h, friction, LEAN_SPIN);
    for (i = 0; i <= SAMPLES; ++i) {
        for (k = 0; k < every && i > 0; ++k) sim_step(&w, NULL);
        for (k = 0; k < 2; ++k) c.angle[k][i] = sim_lean_angle(&w, k);
    }
    return c;
}

/* Largest difference of a plank's angle, over its range, in %. */
static double apart(const curve *a, const curve *b)
{
    double worst = 0;
    int    i, k;
    for (k = 0; k < 2; ++k) {
        double most = 0, range = 0;
        for (i = 0; i <= SAMPLES; ++i) {
            most = fmax(most, fabs(a->angle[k][i] - b->angle[k][i]));
            range = fmax(range, fabs(b->angle[k][i]));
        }
        worst = fmax(worst, 100*most/range);
    }
    return worst;
}

#ifdef DC_BENCH_MUJOCO
/* Contacts as stiff as the step allows, overdamped so that nothing bounces; damp and share are varied to see that it is so. */
static curve peer_lean(double h, double friction, double damp, double share)
{
    char     option[200], geom[200];
    curve    c;
    mjModel *m;
    mjData  *d;
    int      i, k, every = (int)(1/(h*SAMPLES) + 0.5);
    sim_lean(&w, 0.001, friction, LEAN_SPIN);
    snprintf(option, sizeof option, "timestep=\"%g\" cone=\"elliptic\" tolerance=\"1e-14\" iterations=\"200\"", h);
    snprintf(geom, sizeof geom, "friction=\"%g 0 0\" solref=\"%g %g\" solimp=\"%g %g 1e-4\"", friction, 4*h, damp, share, share);
    m = peer_open(&w, option, geom);
    d = mj_makeData(m);
    for (i = 0; i < 2; ++i) d->qpos[7*i + 2] -= LEAN_GAP;
    d->qvel[6] = -LEAN_SPIN*0.5*LEAN_TALL;          /* about the lower edge */
    d->qvel[8] = LEAN_SPIN*0.5*LEAN_THICK;
    d->qvel[10] = -LEAN_SPIN;
    for (i = 0; i <= SAMPLES; ++i) {
        for (k = 0; k < every && i > 0; ++k) mj_step(m, d);
        for (k = 0; k < 2; ++k) c.angle[k][i] = -2*atan2(d->qpos[7*k + 5], d->qpos[7*k + 3]);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
    return c;
}
#endif

/* Nonzero: above the bar, %. */
static int planks(double friction, double bar)
{
    char   name[40];
    curve  coarse = lean(1e-3, friction), fine = lean(2.5e-4, friction);
    double off = 0;
    snprintf(name, sizeof name, "lean_%g", friction);
    bench_line(name, "h_0.001_from_0.00025", apart(&coarse, &fine), "%");
#ifdef DC_BENCH_MUJOCO
    {
        curve peer = peer_lean(2.5e-5, friction, 2, 0.999), other = peer_lean(5e-5, friction, 2, 0.999);
        curve damped = peer_lean(2.5e-5, friction, 5, 0.999), soft = peer_lean(2.5e-5, friction, 2, 0.99);
        int   i, k;
        off = apart(&coarse, &peer);
        bench_line(name, "h_0.001_from_mujoco", off, "%");
        bench_line(name, "h_0.00025_from_mujoco", apart(&fine, &peer), "%");
        bench_line(name, "mujoco_h_0.00005_from_0.000025", apart(&other, &peer), "%");
        bench_line(name, "mujoco_damped_from_mujoco", apart(&damped, &peer), "%");
        bench_line(name, "mujoco_softer_from_mujoco", apart(&soft, &peer), "%");
        for (k = 0; k < 2; ++k)
            for (i = 10; i <= SAMPLES; i += 10) {
                char what[40];
                snprintf(what, sizeof what, "mujoco_plank_%d_at_%.1f", k + 1, (double)i/SAMPLES);
                bench_line(name, what, peer.angle[k][i], "rad");
            }
    }
#endif
    if (off > bar) cli_error("%s: %.3g %% from MuJoCo, more than %g %%", name, off, bar);
    return off > bar;
}

int main(int argc, char **argv)
{
    int bad;
    bench_begin(argc, argv);
#ifndef DC_BENCH_MUJOCO
    bench_skip("mujoco", "no mujoco/mujoco.h (Debian: libmujoco-dev)");
#endif
    ant();
    bench_keep(kept);
    if (bench_instructions) return 0;
    bad = planks(0.05, 2);
    bad += planks(0.3, 2);
    bad += planks(0.5, 2);
    bad += planks(0.8, 2);
    bad += planks(0.2, HUGE_VAL);       /* the second plank just slips: MuJoCo's own curves are several % apart */
    return bad != 0;
}
