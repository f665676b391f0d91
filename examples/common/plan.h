/* plan.h - motions by gradients: the loss of a plan through the simulation, draws, Adam, receding horizon, counters
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     static double loss(const plan *p, int step, const dc_real *q, dc_real *dq);   what a state on the way is worth
 *     plan_begin(&p, &w, CONTROL_VELOCITIES, 48, 3, freedom, loss);    48 steps of w of sim_scene.h, 3 of its tangents
 *     plan_bound(&p, 0, -0.5, 0.5);  ..                                the first of each row of parameters
 *     for (i = 0; i < frames; i++) {
 *         plan_draw(&p, 20, draw, &random, 1);                         the best of 20 drawn plans and the one at hand
 *         plan_improve(&p, 10);                                        Adam, the best is kept
 *         plan_step(&p);                                               a frame of it; the rest is where the next begins
 *     }
 *     plan_end(&p);
 *
 * What the parameters p.u mean: controls.h, which it includes. Include it after sim_scene.h. */
#ifndef PLAN_H_INCLUDED
#define PLAN_H_INCLUDED

#include "controls.h"

enum { PLAN_DRAWS = 256, PLAN_HISTORY = 4096 };

typedef struct plan plan;
typedef double plan_loss(const plan *p, int step, const dc_real *q, dc_real *dq);    /* dq: NULL, or add the gradient */
typedef void plan_drawing(plan *p, unsigned long long *random);                      /* fills p->u */

struct plan {
    sim_world     *world;
    plan_loss     *loss;
    const void    *task;                            /* the loss' own */
    controls       c;
    dc_real       *u, *best, *grad;                 /* c.n each */
    double         rate;                            /* of Adam */
    int          (*done)(const plan *p);            /* NULL, or whether the states p->q of a plan end the search */
    int            rest;                            /* 1: plan_step adds rest at the end, not the last step again */
    int            wander;                          /* 1: the last plan is taken, not the best: its loss is not seen */
    int            patience;                        /* after these without gain back to the best at half the rate */
    double         value, size, first;              /* loss of the plan, size of its gradient, of the first gradient */
    int            window;                          /* steps; 0: all. A gradient that comes back to the start of so many */
    double         limit;                           /* is cut to so many times what the loss itself has put into it */
    double         growth;                          /* the most times it was before that */
    long           cuts;                            /* so often */
    dc_adam_state  adam;
    dc_sim_run     run;
    dc_real       *reals, *q, *pull;                /* memory of all; states; gradients by them */
    dc_real       *sum;                             /* of windows' gradients by the design */
    unsigned char *scratch;
    size_t         bytes;
    unsigned long long drawn[PLAN_DRAWS];           /* the random state before each draw */
    double         worth[PLAN_DRAWS];               /* the draw's loss */
    double         history[PLAN_HISTORY];           /* the loss of the best plan, iteration by iteration */
    int            iterations;
    long           rolls, backward, singular;       /* plans simulated, gradients, those not to be had: taken for zero */
    long           diverged, newton, failed;        /* steps at the cap, Newton steps, starts that overlap */
    double         seconds;                         /* of all of them */
};

/* ---- the plan ------------------------------------------------------------------------------------ */

static inline void plan_bound(plan *p, int k, double lo, double hi)
{
    p->c.lo[k] = lo;
    p->c.hi[k] = hi;
}

/* Of steps from where the world is; freedom: tangents. */
static inline void plan_begin(plan *p, sim_world *w, controls_kind kind, int horizon, int freedoms, const int *freedom,
                              plan_loss *loss)
{
    const size_t h = (size_t)horizon, nq = (size_t)w->sim.nq, nv = (size_t)w->sim.nv;
    size_t       all = 0, n;
    int          i, pass;

    memset(p, 0, sizeof *p);
    p->world = w;
    p->loss = loss;
    p->rate = 0.05;
    p->limit = 10;
    controls_begin(&p->c, w, kind, horizon, freedoms, freedom);
    n = (size_t)p->c.n;

    /* memory: counted, then given out */
    for (pass = 0; pass < 2; pass++) {
        struct { dc_real **at; size_t size; } part[] = {
            {&p->u, n}, {&p->best, n}, {&p->grad, n}, {&p->adam.m, n}, {&p->adam.v, n}, {&p->q, (h + 2)*nq},
            {&p->pull, h*nv}, {&p->sum, 6*(size_t)w->sim.links + 3*(size_t)w->sim.vertices + 2*(size_t)w->sim.links
                                        + (size_t)w->sim.planes}, {&p->c.target, h*nq}, {&p->c.velocity, h*nv}, {&p->c.force, nv},
            {&p->run.control_grad, 3*h*nv}, {&p->run.start, 2*nv}};
        if (pass) p->reals = (dc_real *)calloc(all, sizeof(dc_real));
        if (pass && !p->reals) exit(cli_error("%s", "no memory for a plan"));
        for (all = 0, i = 0; i < (int)(sizeof part/sizeof part[0]); all += part[i++].size) {
            if (pass) *part[i].at = p->reals + all;
        }
    }
    p->c.step = (dc_sim_control *)calloc(h, sizeof *p->c.step);
    p->run.steps = horizon;
    p->run.q = p->q;
    p->run.control = p->c.step;
    p->run.loss = p->pull;
    p->bytes = dc_sim_roll_bytes(&w->sim);
    if (p->bytes < dc_sim_adjoint_bytes(&w->sim, &p->run)) p->bytes = dc_sim_adjoint_bytes(&w->sim, &p->run);
    p->scratch = (unsigned char *)malloc(p->bytes);
    if (!p->c.step || !p->scratch) exit(cli_error("%s", "no memory for a plan"));

    /* controls of no motion; Adam with the numbers of LRI, Table 3, for gradients of any size */
    for (i = 0; i < horizon; i++) {
        p->c.step[i].target = p->c.target + (size_t)i*nq;
        p->c.step[i].velocity = p->c.velocity + (size_t)i*nv;
        p->c.step[i].force = p->c.force;
        dc_sim_neutral(&w->sim, p->c.target + (size_t)i*nq);
    }
    p->adam.n = p->c.n;
    p->adam.beta1 = DC_R(0.3);
    p->adam.beta2 = DC_R(0.5);
    p->adam.eps = DC_R(1e-30);
}

static inline void plan_end(plan *p)
{
    free(p->reals);
    free(p->c.step);
    free(p->scratch);
}

/* The loss of the plan u; HUGE_VAL if its start overlaps. */
static inline double plan_roll(plan *p)
{
    dc_arena         mem = dc_arena_make(p->scratch, p->bytes);
    dc_sim_roll_info info = DC_ZERO;
    const clock_t    begin = clock();
    dc_status        status;
    int              i;

    controls_set(&p->c, p->world, p->u, p->q);
    status = dc_sim_roll(&p->world->sim, &p->run, p->q, &mem, &info);
    p->seconds += (double)(clock() - begin)/CLOCKS_PER_SEC;
    p->rolls++;
    p->newton += info.iterations;
    p->diverged += info.diverged;
    if (status == DC_E_OVERLAP) {
        p->failed++;
        p->value = HUGE_VAL;
        return p->value;
    }
    if (status != DC_E_DIVERGED) sim_need(status, "a step of a plan");
    p->value = 0;
    for (i = 0; i < p->c.horizon; i++) p->value += p->loss(p, i, p->q + (i + 2)*p->world->sim.nq, NULL);
    return p->value;
}

static inline double plan_length(const dc_real *x, int n)
{
    double sum = 0;
    while (n-- > 0) sum += (double)(x[n]*x[n]);
    return sqrt(sum);
}

/* dc_sim_adjoint of windows, from the last to the first: what comes back to the start of one is added to what the loss
 * says of the two states there. In motions that fall over it grows like exp(time), says nothing of steps of any length,
 * and would drown what the steps before have to say: it is cut to `limit` times the sum of what the loss has put in. */
static inline dc_status plan_windows(plan *p)
{
    const int  nq = p->world->sim.nq, nv = p->world->sim.nv, links = p->world->sim.links, last = p->c.horizon - 1;
    dc_real *const column[] = {p->run.attach, p->run.mass, p->run.friction, p->run.vertex};
    const int  size[] = {6*links, links, links + p->world->sim.planes, 3*p->world->sim.vertices};
    const int  all = size[0] + size[1] + size[2] + size[3];
    double     put = 0;
    int        i, j, k, begin, done = last + 1;

    memset(p->sum, 0, (size_t)all*sizeof(dc_real));
    for (begin = last - last%p->window; begin >= 0; begin -= p->window) {
        dc_arena   mem = dc_arena_make(p->scratch, p->bytes);
        dc_sim_run run = p->run;
        dc_status  status;
        double     back;

        for (i = begin; i < done; i++) put += plan_length(p->pull + i*nv, nv);
        for (i = done - 2; i < done && done <= last; i++)
            for (k = 0; i >= begin && k < nv; k++) p->pull[i*nv + k] += p->run.start[(i - done + 2)*nv + k];
        run.steps = done - begin;
        run.q += (size_t)begin*(size_t)nq;
        run.control = p->c.step + begin;
        run.loss = p->pull + begin*nv;
        run.control_grad += (size_t)(3*begin*nv);
        status = dc_sim_adjoint(&p->world->sim, &run, &mem);
        if (status != DC_OK) return status;

        back = plan_length(run.start, 2*nv);
        if (put > 0) p->growth = fmax(p->growth, back/put);
        if (back > p->limit*put) {
            p->cuts++;
            for (k = 0; k < 2*nv; k++) run.start[k] *= DC_R(p->limit*put/back);
        }
        for (i = 0, k = 0; i < 4; k += size[i++]) for (j = 0; column[i] && j < size[i]; j++) p->sum[k + j] += column[i][j];
        done = begin;
    }
    for (i = 0, k = 0; i < 4; k += size[i++]) if (column[i]) memcpy(column[i], p->sum + k, (size_t)size[i]*sizeof(dc_real));
    return DC_OK;
}

/* The gradient by its parameters of the plan that was rolled last; its size. */
static inline double plan_back(plan *p)
{
    dc_arena      mem = dc_arena_make(p->scratch, p->bytes);
    const int     nq = p->world->sim.nq, nv = p->world->sim.nv;
    const clock_t begin = clock();
    dc_status     status;
    int           i;

    memset(p->pull, 0, (size_t)(p->c.horizon*nv)*sizeof(dc_real));
    for (i = 0; i < p->c.horizon; i++) p->loss(p, i, p->q + (i + 2)*nq, p->pull + i*nv);
    status = p->window > 1 ? plan_windows(p) : dc_sim_adjoint(&p->world->sim, &p->run, &mem);
    p->seconds += (double)(clock() - begin)/CLOCKS_PER_SEC;
    if (status == DC_E_SINGULAR) p->singular++;
    else sim_need(status, "adjoint");
    controls_back(&p->c, p->world, p->u, &p->run, p->grad);
    for (p->size = 0, i = 0; i < p->c.n; i++) {
        if (status == DC_E_SINGULAR) p->grad[i] = 0;
        p->size += (double)(p->grad[i]*p->grad[i]);
    }
    p->size = sqrt(p->size);
    if (p->backward++ == 0) p->first = p->size;
    return p->size;
}

/* ---- optimisation ---------------------------------------------------------------------------------- */

/* u becomes the best of `count` drawn plans and, with at_hand, of itself. Its loss. */
static inline double plan_draw(plan *p, int count, plan_drawing *draw, unsigned long long *random, int at_hand)
{
    const size_t bytes = (size_t)p->c.n*sizeof(dc_real);
    double       best = at_hand ? plan_roll(p) : HUGE_VAL;
    int          k;

    memcpy(p->best, p->u, bytes);
    for (k = 0; k < count; k++) {
        p->drawn[k%PLAN_DRAWS] = *random;
        draw(p, random);
        controls_clamp(&p->c, p->u);
        p->worth[k%PLAN_DRAWS] = plan_roll(p);
        if (p->value < best) {
            best = p->value;
            memcpy(p->best, p->u, bytes);
        }
    }
    memcpy(p->u, p->best, bytes);
    return p->value = best;
}

/* At most so many steps of Adam from u, which becomes the best plan on the way, or the first that is done. Its loss. */
static inline double plan_improve(plan *p, int iterations)
{
    const size_t bytes = (size_t)p->c.n*sizeof(dc_real);
    double       best = HUGE_VAL;
    int          i, worse = 0;

    p->adam.rate = DC_R(p->rate);
    p->adam.step = 0;
    for (i = 0; i <= iterations - p->wander; i++) {
        int done;
        worse = plan_roll(p) < best ? 0 : worse + 1;
        done = p->value < HUGE_VAL && p->done && p->done(p);
        if (!worse || done) {
            best = p->value;
            memcpy(p->best, p->u, bytes);
        }
        if (p->iterations < PLAN_HISTORY) p->history[p->iterations++] = best;
        if (i == iterations || done || best >= HUGE_VAL || cli_stopped()) break;

        /* back to the best, more slowly */
        if (p->value >= HUGE_VAL || (p->patience > 0 && worse >= p->patience)) {
            p->adam.rate *= DC_R(0.5);
            p->adam.step = worse = 0;
            if ((double)p->adam.rate < 0.1*p->rate) break;
            memcpy(p->u, p->best, bytes);
            plan_roll(p);
        }
        if (p->adam.step == 0) {
            memset(p->adam.m, 0, bytes);
            memset(p->adam.v, 0, bytes);
        }
        plan_back(p);
        sim_need(dc_adam(&p->adam, p->grad, p->u), "Adam");
        controls_clamp(&p->c, p->u);
    }
    if (!p->wander) memcpy(p->u, p->best, bytes);
    return p->value = best;
}

/* A frame of a plan of velocities or targets is done; the rest of it moves up. */
static inline void plan_step(plan *p)
{
    const int f = p->c.freedoms, rest = p->c.n - f;
    int       k;

    controls_set(&p->c, p->world, p->u, p->q);
    sim_step(p->world, p->c.step);
    for (k = 0; k < f; k++) p->c.goal[k] += (double)(p->world->desc.h*p->u[k]);
    memmove(p->u, p->u + f, (size_t)rest*sizeof(dc_real));
    if (p->rest) memset(p->u + rest, 0, (size_t)f*sizeof(dc_real));
}

/* What it took, after a run's name. */
static inline void plan_report(const plan *p, const char *run)
{
    printf("%s_gradient_at_the_start %.3g 1\n%s_plans %ld plans\n", run, p->first, run, p->rolls);
    printf("%s_gradients %ld gradients\n%s_gradients_singular %ld gradients\n", run, p->backward, run, p->singular);
    printf("%s_steps_at_the_cap %ld steps\n", run, p->diverged);
    if (p->window > 1) printf("%s_gradient_grew_by_most %.3g times\n%s_gradients_cut %ld windows\n", run, p->growth, run, p->cuts);
    printf("%s_newton_steps_mean %.2f 1\n", run, (double)p->newton/fmax((double)p->rolls*p->c.horizon, 1));
}

#endif /* PLAN_H_INCLUDED */
