/* turns.h - random directions and rotations, the same on every machine
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Include it after a header of dc; the state is that of cli_random. */
#ifndef TURNS_H_INCLUDED
#define TURNS_H_INCLUDED

#include "cli.h"

/* in [-1, 1) */
static inline dc_real turns_uniform(unsigned long long *state)
{
    return (dc_real)((double)(cli_random(state) >> 11)/4503599627370496.0 - 1);
}

/* a direction, by rejection from the cube */
static inline dc_v3 turns_direction(unsigned long long *state)
{
    dc_v3   p;
    dc_real p2;
    do {
        p.x = turns_uniform(state);
        p.y = turns_uniform(state);
        p.z = turns_uniform(state);
        p2 = dc_dot(p, p);
    } while (p2 > 1 || p2 < DC_R(1e-6));
    return dc_scale(1/dc_sqrt(p2), p);
}

/* a rotation, of all alike: a quaternion in the same way */
static inline dc_quat turns_any(unsigned long long *state)
{
    dc_quat q;
    dc_real q2;
    do {
        q.w = turns_uniform(state);
        q.x = turns_uniform(state);
        q.y = turns_uniform(state);
        q.z = turns_uniform(state);
        q2 = q.w*q.w + q.x*q.x + q.y*q.y + q.z*q.z;
    } while (q2 > 1 || q2 < DC_R(1e-6));
    q2 = 1/dc_sqrt(q2);
    q.w *= q2;
    q.x *= q2;
    q.y *= q2;
    q.z *= q2;
    return q;
}

#endif /* TURNS_H_INCLUDED */
