/* task_billiards.h - LRI, "Billiards": a red ball's start and speed that bring two green ones to their marks
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Fifteen balls in a triangle and a red one. The four parameters are its place and velocity; the loss is the
 * paper's: of both green balls the squared distance from the mark at the end less that of the edge of the mark.
 * Marks can be reached: a shot that nobody is told of made them. Felt near contact only the balls are convex hulls;
 * felt at any distance they are of triangles, with hierarchies, and shots are drawn with the hulls, which cost a
 * thirtieth. Include it after plan.h and octa_ball.h. */
#ifndef TASK_BILLIARDS_H_INCLUDED
#define TASK_BILLIARDS_H_INCLUDED

enum { BILLIARDS_MOST = 16, BILLIARDS_CONTROLS = 4 };
#define BILLIARDS_RADIUS 0.1            /* m, of a ball */
#define BILLIARDS_MARK 0.05             /* m, of a mark */
#define BILLIARDS_FASTEST 5.0           /* m/s */

typedef struct {
    int       balls, red, green[2];
    double    mark[2][2], edge;         /* of a mark: what the loss asks for */
    octa_ball ball;
    dc_hull   hull;
    dc_bsh    tree;
    unsigned char memory[1 << 20];
} billiards_task;

static inline double billiards_off(const billiards_task *t, const dc_real *q, int mark)
{
    const dc_real *x = q + 7*t->green[mark] + 4;
    return hypot((double)x[0] - t->mark[mark][0], (double)x[1] - t->mark[mark][1]);
}

static double billiards_loss(const plan *p, int step, const dc_real *q, dc_real *dq)
{
    const billiards_task *t = (const billiards_task *)p->task;
    double                sum = 0;
    int                   i;

    for (i = 0; i < 2 && step + 1 == p->c.horizon; i++) {
        const double   off = billiards_off(t, q, i), e = off*off - t->edge*t->edge;
        const dc_real *x = q + 7*t->green[i] + 4;
        if (e <= 0) continue;
        sum += e;
        if (!dq) continue;
        dc_sim_pull(&p->world->sim, q, t->green[i], dc_vec(0, 0, 0),
                    dc_vec(2*(x[0] - DC_R(t->mark[i][0])), 2*(x[1] - DC_R(t->mark[i][1])), 0), dq);
    }
    return sum;
}

/* The model and the balls at rest on a face each, the red one at (0, -1); division: of octa_ball.h. */
static inline void billiards_scene(billiards_task *t, sim_world *w, int balls, int global, double k, int division,
                                   unsigned long long *random)
{
    const dc_quat down = dc_quat_exp(dc_scale(DC_R(sqrt(0.5)*acos(1/sqrt(3.0))), dc_vec(1, -1, 0)));   /* a face */
    const double  pitch = 2*BILLIARDS_RADIUS + 0.05;
    dc_arena      mem = dc_arena_make(t->memory, sizeof t->memory);
    double        low = 0;
    int           i, row = 0, column = 0;

    t->balls = balls;
    t->red = balls - 1;
    t->edge = BILLIARDS_MARK;
    octa_make(&t->ball, division, BILLIARDS_RADIUS);
    t->hull.v = t->ball.v;
    t->hull.n = t->ball.nv;
    sim_need(dc_bsh_build(t->ball.v, t->ball.nv, t->ball.tri, t->ball.nt, &mem, &t->tree, NULL), "a ball's tree");
    sim_begin(w, 0.04);
    sim_plane(w, dc_vec(0, 0, 1), 0, 1);
    w->desc.stiffness = DC_R(k);
    w->desc.global = w->desc.trees = global;
    w->desc.length = global ? 1 : DC_R(0.1);
    w->desc.friction.eps_v = DC_R(1e-3);
    w->desc.tolerance = DC_R(1e-4);
    w->desc.contacts = 8192;
    w->desc.reach = DC_R(0.1*BILLIARDS_RADIUS);
    for (i = 0; i < balls; i++) {
        dc_sim_link *l = sim_link(w, -1, DC_SIM_FREE, dc_vec(0, 0, 0), 1);
        l->friction = DC_R(0.1);
        l->hull = &t->hull;
        l->hulls = 1;
        if (global) l->tree = &t->tree;
    }
    sim_build(w);

    /* a triangle, its tip first, a little out of order */
    for (i = 0; i < t->ball.nv; i++) low = fmin(low, (double)dc_quat_rotate(down, t->ball.v[i]).z);
    for (i = 0; i < balls; i++) {
        dc_real *q = w->now + 7*i;
        memcpy(q, &down, 4*sizeof *q);
        q[4] = i == t->red ? 0 : DC_R(pitch*(column - 0.5*row) + cli_between(random, -0.005, 0.005));
        q[5] = i == t->red ? -1 : DC_R(pitch*sqrt(0.75)*row + cli_between(random, -0.005, 0.005));
        q[6] = DC_R((global ? sqrt(3*k/9.81) : 0.005) - low);
        if (column++ == row) {
            row++;
            column = 0;
        }
    }
    memcpy(w->prev, w->now, (size_t)w->sim.nq*sizeof(dc_real));
    for (i = 0; i < 15; i++) sim_step(w, NULL);
    memcpy(w->prev, w->now, (size_t)w->sim.nq*sizeof(dc_real));
}

static int billiards_done(const plan *p) { return !(p->value > 0); }

static inline void billiards_plan(plan *p, sim_world *w, const billiards_task *t, int horizon, double rate)
{
    const int freedom[2] = {w->sim.v_at[t->red], w->sim.v_at[t->red] + 1};

    plan_begin(p, w, CONTROL_START, horizon, 2, freedom, billiards_loss);
    plan_bound(p, 2, -BILLIARDS_FASTEST, BILLIARDS_FASTEST);
    plan_bound(p, 3, -BILLIARDS_FASTEST, BILLIARDS_FASTEST);
    p->task = t;
    p->rate = rate;
    p->done = billiards_done;
    p->patience = 6;
}

/* A shot from within a field below the triangle, roughly at its tip. */
static void billiards_draw(plan *p, unsigned long long *random)
{
    p->u[0] = DC_R(cli_between(random, -0.4, 0.4));
    p->u[1] = DC_R(cli_between(random, 0.1, 0.5));
    p->u[2] = DC_R(cli_between(random, -0.6, 0.6)) - DC_R(0.8)*p->u[0];
    p->u[3] = DC_R(cli_between(random, 1, 4.5));
}

/* Marks for two balls, where a shot takes them by more than 0.2 m. */
static inline void billiards_marks(billiards_task *t, plan *p, unsigned long long *random)
{
    int moved[BILLIARDS_MOST], n = 0, i, k, tries;

    for (tries = 0; tries < 100 && n < 2; tries++) {
        p->u[0] = DC_R(cli_between(random, -0.3, 0.3));
        p->u[1] = DC_R(0.3);
        p->u[2] = DC_R(cli_between(random, -0.3, 0.3)) - DC_R(0.8)*p->u[0];
        p->u[3] = DC_R(cli_between(random, 2.5, 4.5));
        if (plan_roll(p) >= HUGE_VAL) continue;
        for (i = n = 0; i < t->red; i++) {
            const dc_real *a = p->world->now + 7*i + 4, *b = p->q + (p->c.horizon + 1)*p->world->sim.nq + 7*i + 4;
            if (hypot((double)(b[0] - a[0]), (double)(b[1] - a[1])) > 0.2) moved[n++] = i;
        }
    }
    if (n < 2) exit(cli_error("%s", "no shot moves two balls"));
    for (k = 0; k < 2; k++) {
        const int      which = (int)cli_between(random, 0, n);
        const dc_real *q = p->q + (p->c.horizon + 1)*p->world->sim.nq + 7*moved[which] + 4;
        t->green[k] = moved[which];
        t->mark[k][0] = (double)q[0];
        t->mark[k][1] = (double)q[1];
        moved[which] = moved[--n];
    }
    memset(p->u, 0, (size_t)p->c.n*sizeof(dc_real));
}

/* The shot at hand improved, or the best of drawn ones; when it gains no more the next best of them, until both balls
 * are on their marks or so many iterations are over. The loss. */
static inline double billiards_descend(plan *p, int draws, int iterations)
{
    dc_real best[BILLIARDS_CONTROLS] = {0};
    double  least = HUGE_VAL;
    int     begun = p->iterations, taken, i, k;

    for (taken = 0; taken == 0 || taken < draws; taken++) {
        const int left = iterations - (p->iterations - begun);
        if (left <= 0) break;

        /* the next best one, drawn again; the first is at hand */
        if (draws > 0) {
            unsigned long long state;
            for (i = k = 0; i < draws; i++) if (p->worth[i] < p->worth[k]) k = i;
            if (p->worth[k] >= HUGE_VAL) break;
            state = p->drawn[k];
            p->worth[k] = HUGE_VAL;
            billiards_draw(p, &state);
            controls_clamp(&p->c, p->u);
        }
        plan_improve(p, left);
        if (p->value < least) {
            least = p->value;
            memcpy(best, p->u, sizeof best);
        }
        if (least <= 0) break;
    }
    memcpy(p->u, best, sizeof best);
    return p->value = least;
}

/* The same balls and marks, felt near contact only, at rest at their own heights; they ask for half the edge, which leaves room
 * for what the triangles do otherwise: balls end 1 to 3 cm elsewhere. */
static inline void billiards_near(billiards_task *near, sim_world *w, const billiards_task *t, const sim_world *like, int division)
{
    unsigned long long any = 1;
    int                i, k;

    billiards_scene(near, w, t->balls, 0, 1e-6, division, &any);
    for (i = 0; i < t->balls; i++) {
        for (k = 7*i + 4; k < 7*i + 6; k++) w->prev[k] = w->now[k] = like->now[k];
    }
    memcpy(near->green, t->green, sizeof t->green);
    memcpy(near->mark, t->mark, sizeof t->mark);
    near->edge = 0.5*t->edge;
}

/* Shots drawn and improved by `near`, each improved with the triangles for a few iterations, until both balls are on their marks
 * or so many iterations are over. The loss. */
static inline double billiards_far(plan *p, plan *near, int draws, int iterations, unsigned long long *random)
{
    enum { JUDGED = 100, EACH = 6 };
    dc_real   best[BILLIARDS_CONTROLS] = {0};
    double    least = HUGE_VAL;
    const int begun = p->iterations;

    p->rate *= 1/3.0;                   /* what is left to do is small */
    p->patience = 2;
    plan_draw(near, draws, billiards_draw, random, 0);
    while (p->iterations - begun < iterations) {
        if (billiards_descend(near, draws, JUDGED) >= HUGE_VAL) break;
        memcpy(p->u, near->u, sizeof best);
        if (plan_improve(p, EACH) < least) {
            least = p->value;
            memcpy(best, p->u, sizeof best);
        }
        if (least <= 0) break;
    }
    memcpy(p->u, best, sizeof best);
    return p->value = least;
}

#endif /* TASK_BILLIARDS_H_INCLUDED */
