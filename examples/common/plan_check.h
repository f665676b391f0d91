/* plan_check.h - the gradient of a plan beside differences of its loss
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Along the gradient and along random directions d of length 1 the loss is differenced over steps that shrink by 4,
 * and the differences extrapolated; of these the one is taken that agrees best with the next. What it is off by,
 * over the size of the gradient, is the error. Include it after plan.h. */
#ifndef PLAN_CHECK_H_INCLUDED
#define PLAN_CHECK_H_INCLUDED

enum { PLAN_CHECK_STEPS = 6 };

/* dL/dd at a place by differences, from a step of `largest` down. */
static inline double plan_difference(plan *p, const dc_real *at, const dc_real *d, double largest)
{
    double D[PLAN_CHECK_STEPS], R[PLAN_CHECK_STEPS], e = largest, best = 0, least = HUGE_VAL;
    int    i, k, side;

    for (k = 0; k < PLAN_CHECK_STEPS; k++, e *= 0.25) {
        for (D[k] = 0, side = 1; side >= -1; side -= 2) {
            for (i = 0; i < p->c.n; i++) p->u[i] = at[i] + DC_R(side*e)*d[i];
            D[k] += side*plan_roll(p)/(2*e);
        }
        R[k] = k ? D[k] + (D[k] - D[k - 1])/15 : D[k];
    }
    for (k = 1; k + 1 < PLAN_CHECK_STEPS; k++) {
        if (fabs(R[k + 1] - R[k]) > least) continue;
        least = fabs(R[k + 1] - R[k]);
        best = R[k + 1];
    }
    memcpy(p->u, at, (size_t)p->c.n*sizeof(dc_real));
    return best;
}

/* The largest error along so many directions; exactly 0: the gradient is, and the loss does not change. largest: the
 * first step of the differences; tolerance: of the steps of time meanwhile. What is felt from far away are forces of
 * 1e-9 of the weights, and asks for 1e-12. */
static inline double plan_check(plan *p, int directions, double largest, double tolerance,
                                unsigned long long *random)
{
    const size_t  bytes = (size_t)p->c.n*sizeof(dc_real);
    const dc_real usual = p->world->sim.desc.tolerance;
    dc_real      *at = (dc_real *)malloc(bytes), *grad = (dc_real *)malloc(bytes), *d = (dc_real *)malloc(bytes);
    double        worst = 0;
    int           i, k;

    if (!at || !grad || !d) exit(cli_error("%s", "no memory for differences"));
    p->world->sim.desc.tolerance = DC_R(tolerance);
    plan_roll(p);
    plan_back(p);
    memcpy(at, p->u, bytes);
    memcpy(grad, p->grad, bytes);
    for (k = 0; k < directions; k++) {
        double size = 0, slope = 0, found, scale = p->size > 0 ? p->size : 1;
        for (i = 0; i < p->c.n; i++) {
            d[i] = k == 0 && p->size > 0 ? grad[i] : DC_R(cli_between(random, -1, 1));
            size += (double)(d[i]*d[i]);
        }
        for (i = 0; i < p->c.n; i++) {
            d[i] /= DC_R(sqrt(size));
            slope += (double)(d[i]*grad[i]);
        }
        found = plan_difference(p, at, d, largest);
        worst = fmax(worst, fabs(found - slope)/scale);
    }
    p->world->sim.desc.tolerance = usual;
    free(at);
    free(grad);
    free(d);
    return worst;
}

#endif /* PLAN_CHECK_H_INCLUDED */
