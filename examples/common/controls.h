/* controls.h - a motion by few numbers: parameters to the controls and the start of many steps, and gradients back
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * The parameters u are, for freedoms that are tangents as in dc_sim.h,
 *     CONTROL_VELOCITIES   velocities of each step, freedom after freedom
 *     CONTROL_TARGETS      the same, which move the targets of hinges and slides along
 *     CONTROL_SINES        amplitude, frequency (Hz) and phase of four sines for the target of each freedom, added up
 *     CONTROL_KNOTS        where the targets of each freedom are at the quarters of the time: cubics from rest to rest
 *     CONTROL_START        of freedoms that are places: where they start, seen from the world's state; their velocities
 * Include it after sim_scene.h. */
#ifndef CONTROLS_H_INCLUDED
#define CONTROLS_H_INCLUDED

enum { CONTROL_FREEDOMS = 16, CONTROL_WAVES = 4, CONTROL_QUARTERS = 4, CONTROL_ROW = 2*CONTROL_FREEDOMS };
typedef enum { CONTROL_VELOCITIES, CONTROL_TARGETS, CONTROL_SINES, CONTROL_KNOTS, CONTROL_START } controls_kind;

typedef struct {
    controls_kind   kind;
    int             horizon, freedoms;
    int             freedom[CONTROL_FREEDOMS], place[CONTROL_FREEDOMS];     /* tangents; where they are in q */
    int             n, row;                         /* numbers in u; a row of them has bounds, which repeat */
    double          lo[CONTROL_ROW], hi[CONTROL_ROW];
    double          goal[CONTROL_FREEDOMS];         /* where the targets are now */
    double          ramp;                           /* s within which sines begin */
    dc_sim_control *step;                           /* horizon; their target, velocity and force are */
    dc_real        *target, *velocity, *force;      /* horizon nq; horizon nv; nv, the same in every step */
} controls;

/* Without bounds; the caller sets step, target, velocity and force: zeroed room. */
static inline void controls_begin(controls *c, const sim_world *w, controls_kind kind, int horizon, int freedoms,
                                  const int *freedom)
{
    int i, k;

    c->kind = kind;
    c->horizon = horizon;
    c->freedoms = freedoms;
    c->ramp = 0.3;
    c->row = kind == CONTROL_SINES ? 3 : kind == CONTROL_KNOTS ? 1 : kind == CONTROL_START ? 2*freedoms : freedoms;
    c->n = kind == CONTROL_SINES ? 3*CONTROL_WAVES*freedoms : kind == CONTROL_KNOTS ? CONTROL_QUARTERS*freedoms : kind == CONTROL_START ? c->row : horizon*freedoms;
    for (k = 0; k < c->row; k++) {
        c->lo[k] = -HUGE_VAL;
        c->hi[k] = HUGE_VAL;
    }
    for (k = 0; k < freedoms; k++) {
        for (i = 0; i < w->sim.links; i++) if (w->sim.v_at[i] == freedom[k]) c->place[k] = w->sim.q_at[i];
        c->freedom[k] = freedom[k];
        c->goal[k] = (double)w->now[c->place[k]];
    }
}

static inline void controls_clamp(const controls *c, dc_real *u)
{
    int i;
    for (i = 0; i < c->n; i++) u[i] = DC_R(fmax(c->lo[i%c->row], fmin(c->hi[i%c->row], (double)u[i])));
}

/* The sines of freedom k at time t. grad != NULL: the gradients by both are added to it. */
static inline void controls_wave(const controls *c, const dc_real *u, int k, double t, double *target, double *velocity,
                                 dc_real *grad)
{
    const double by_target = *target, by_velocity = *velocity, turn = 8*atan(1.0), ramp = fmin(t/c->ramp, 1);
    int          i;

    *target = *velocity = 0;
    for (i = 3*CONTROL_WAVES*k; i < 3*CONTROL_WAVES*(k + 1); i += 3) {
        const double a = (double)u[i], f = turn*(double)u[i + 1], x = f*t + (double)u[i + 2], sn = sin(x), cs = cos(x);
        *target += ramp*a*sn;
        *velocity += ramp*a*f*cs;
        if (!grad) continue;
        grad[i] += DC_R(ramp*(by_target*sn + by_velocity*f*cs));
        grad[i + 1] += DC_R(turn*ramp*a*(by_target*t*cs + by_velocity*(cs - f*t*sn)));
        grad[i + 2] += DC_R(ramp*a*(by_target*cs - by_velocity*f*sn));
    }
}

/* From 0 to 1, at rest before and after. */
static inline double controls_smooth(double x) { x = fmax(0, fmin(1, x)); return x*x*(3 - 2*x); }

/* The share of knot j in the target at part x of the time. */
static inline double controls_knot(int j, double x)
{
    const int    last = CONTROL_QUARTERS - 1, i = (double)CONTROL_QUARTERS*x < last ? (int)((double)CONTROL_QUARTERS*x) : last;
    const double rise = controls_smooth((double)CONTROL_QUARTERS*x - i);
    return j == i ? rise : j == i - 1 ? 1 - rise : 0;
}

/* Parameters to the controls of all steps, and to q, the two states before them. The world is not changed. */
static inline void controls_set(controls *c, const sim_world *w, const dc_real *u, dc_real *q)
{
    const int nq = w->sim.nq, nv = w->sim.nv, f = c->freedoms;
    dc_real   move[SIM_STATE] = {0};
    int       i, k;

    for (k = 0; k < f && c->kind != CONTROL_START; k++) {
        double at = c->goal[k], v;
        for (i = 0; i < c->horizon; i++) {
            if (c->kind == CONTROL_SINES) controls_wave(c, u, k, (i + 1)*(double)w->desc.h, &at, &v, NULL);
            else if (c->kind == CONTROL_KNOTS) {
                int j;
                for (at = c->goal[k], v = 0, j = 0; j < CONTROL_QUARTERS; j++)
                    at += (double)u[CONTROL_QUARTERS*k + j]*controls_knot(j, (i + 1.0)/c->horizon);
            } else at += (double)w->desc.h*(v = (double)u[i*f + k]);
            if (c->kind != CONTROL_VELOCITIES) c->target[i*nq + c->place[k]] = DC_R(at);
            c->velocity[i*nv + c->freedom[k]] = DC_R(v);
        }
    }

    /* the start, and one step before it */
    memcpy(q, w->prev, (size_t)nq*sizeof(dc_real));
    memcpy(q + nq, w->now, (size_t)nq*sizeof(dc_real));
    if (c->kind != CONTROL_START) return;
    for (k = 0; k < f; k++) move[c->freedom[k]] = u[k];
    dc_sim_retract(&w->sim, w->now, move, q + nq);
    for (k = 0; k < f; k++) move[c->freedom[k]] = -w->desc.h*u[f + k];
    dc_sim_retract(&w->sim, q + nq, move, q);
}

/* Gradients by targets and velocities of all steps, or by the first two states, to grad, by the parameters u. */
static inline void controls_back(const controls *c, const sim_world *w, const dc_real *u,
                                 const dc_sim_run *run, dc_real *grad)
{
    const int    nv = w->sim.nv, f = c->freedoms;
    const double h = (double)w->desc.h;
    int          i, k;

    for (i = 0; i < c->n; i++) grad[i] = 0;
    for (k = 0; k < f; k++) {
        const int v = c->freedom[k];
        double    sum = 0;
        for (i = c->horizon - 1; i >= 0 && c->kind != CONTROL_START; i--) {
            const dc_real *g = run->control_grad + 3*i*nv + v;
            double         by_target = (double)g[0], by_velocity = (double)g[nv];
            sum += c->kind == CONTROL_TARGETS ? h*by_target : 0;
            if (c->kind == CONTROL_SINES) controls_wave(c, u, k, (i + 1)*h, &by_target, &by_velocity, grad);
            else if (c->kind == CONTROL_KNOTS) {
                int j;
                for (j = 0; j < CONTROL_QUARTERS; j++)
                    grad[CONTROL_QUARTERS*k + j] += DC_R(by_target*controls_knot(j, (i + 1.0)/c->horizon));
            } else grad[i*f + k] = DC_R(by_velocity + sum);
        }
        if (c->kind != CONTROL_START) continue;
        grad[k] = run->start[v] + run->start[nv + v];
        grad[f + k] = DC_R(-h)*run->start[v];
    }
}

#endif /* CONTROLS_H_INCLUDED */
