/* plan_judge.h - plans drawn and improved on a cheaper model of the same freedoms, to begin with
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Meshes at long range cost a hundred times what convex hulls near contact do, and no plan that is drawn is so good
 * that the difference matters. Include it after plan.h. */
#ifndef PLAN_JUDGE_H_INCLUDED
#define PLAN_JUDGE_H_INCLUDED

/* u becomes the best of `count` plans drawn by `near` and of the one at hand, after so many iterations of Adam there. */
static inline void plan_judge(plan *p, plan *near, int count, plan_drawing *draw, unsigned long long *random,
                              int iterations)
{
    const size_t state = (size_t)p->world->sim.nq*sizeof(dc_real), bytes = (size_t)p->c.n*sizeof(dc_real);

    memcpy(near->world->prev, p->world->prev, state);
    memcpy(near->world->now, p->world->now, state);
    memcpy(near->c.goal, p->c.goal, sizeof p->c.goal);
    memcpy(near->u, p->u, bytes);
    plan_draw(near, count, draw, random, 1);
    if (near->value < HUGE_VAL) plan_improve(near, iterations);
    memcpy(p->u, near->u, bytes);
    p->value = near->value;             /* until p rolls it */
    p->size = near->size;
}

static inline void plan_judge_report(const plan *near, const char *run)
{
    printf("%s_plans_judged %ld plans\n%s_plans_judged_overlap %ld plans\n", run, near->rolls, run, near->failed);
    printf("%s_judged_steps_at_the_cap %ld steps\n", run, near->diverged);
}

#endif /* PLAN_JUDGE_H_INCLUDED */
