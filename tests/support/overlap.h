/* overlap.h - are two convex hulls apart? Yes only with a proof. In double, on the C library alone.
 *
 * The proof is a direction n with n.a > n.b for all points a, b of the two, by more than the points' errors and the
 * rounding of these products can account for. Where it comes from does not matter: the last one of this pair, a perceptron's,
 * or one of those that have to do, if any does (the axes of separation of polytopes): normals of triangles of points of either,
 * products of a line through two points of each. */
#ifndef DC_TEST_OVERLAP_H_INCLUDED
#define DC_TEST_OVERLAP_H_INCLUDED

#include <math.h>
#include <string.h>

enum { OVERLAP_POINTS = 32 };

typedef struct {
    int n;
    double x[OVERLAP_POINTS][3];
    double error;                   /* of a coordinate, at most */
} overlap_points;

static inline int overlap_proof(const overlap_points *a, const overlap_points *b, const double n[3])
{
    double lo = HUGE_VAL, hi = -HUGE_VAL, norm = fabs(n[0]) + fabs(n[1]) + fabs(n[2]), size = 0, d;
    int k;
    for (k = 0; k < a->n; ++k) {
        d = n[0]*a->x[k][0] + n[1]*a->x[k][1] + n[2]*a->x[k][2];
        size += fabs(a->x[k][0]) + fabs(a->x[k][1]) + fabs(a->x[k][2]);     /* NaN stays, and proves nothing */
        if (d < lo) lo = d;
    }
    for (k = 0; k < b->n; ++k) {
        d = n[0]*b->x[k][0] + n[1]*b->x[k][1] + n[2]*b->x[k][2];
        size += fabs(b->x[k][0]) + fabs(b->x[k][1]) + fabs(b->x[k][2]);
        if (d > hi) hi = d;
    }
    /* each product is off by 3 units of 2^-53 of norm*size at most, lo - hi by one */
    return lo - hi > norm*(a->error + b->error + 1e-15*size);
}

static inline void overlap_cross(const double *p, const double *q, const double *r, const double *s, double n[3])
{
    double u[3], v[3];
    int k;
    for (k = 0; k < 3; ++k) {
        u[k] = q[k] - p[k];
        v[k] = s[k] - r[k];
    }
    n[0] = u[1]*v[2] - u[2]*v[1];
    n[1] = u[2]*v[0] - u[0]*v[2];
    n[2] = u[0]*v[1] - u[1]*v[0];
}

static inline int overlap_either(const overlap_points *a, const overlap_points *b, double n[3])
{
    int k;
    if (overlap_proof(a, b, n)) return 1;
    for (k = 0; k < 3; ++k) n[k] = -n[k];
    return overlap_proof(a, b, n);
}

static inline int overlap_triangles(const overlap_points *of, const overlap_points *a, const overlap_points *b, double n[3])
{
    int i, j, k;
    for (i = 0; i < of->n; ++i)
        for (j = i + 1; j < of->n; ++j)
            for (k = j + 1; k < of->n; ++k) {
                overlap_cross(of->x[i], of->x[j], of->x[i], of->x[k], n);
                if (overlap_either(a, b, n)) return 1;
            }
    return 0;
}

/* 1: the hulls are apart, n the direction that proves it; it is tried first the next time. 0: there is no proof. */
static inline int overlap_apart(const overlap_points *a, const overlap_points *b, double n[3])
{
    int i, j, k, l, turn;
    if (overlap_proof(a, b, n)) return 1;
    n[0] = n[1] = n[2] = 0;
    for (turn = 0; turn < 60; ++turn) {
        double lo = HUGE_VAL, hi = -HUGE_VAL, d, v[3], length = 0;
        i = j = 0;
        for (k = 0; k < a->n; ++k)
            if ((d = n[0]*a->x[k][0] + n[1]*a->x[k][1] + n[2]*a->x[k][2]) < lo) lo = d, i = k;
        for (k = 0; k < b->n; ++k)
            if ((d = n[0]*b->x[k][0] + n[1]*b->x[k][1] + n[2]*b->x[k][2]) > hi) hi = d, j = k;
        if (turn && overlap_proof(a, b, n)) return 1;
        for (k = 0; k < 3; ++k) {
            v[k] = a->x[i][k] - b->x[j][k];
            length += v[k]*v[k];
        }
        if (!(length > 0)) return 0;        /* a point in common */
        for (k = 0; k < 3; ++k) n[k] += v[k]/sqrt(length);
    }
    if (overlap_triangles(a, a, b, n) || overlap_triangles(b, a, b, n)) return 1;
    for (i = 0; i < a->n; ++i)
        for (j = i + 1; j < a->n; ++j)
            for (k = 0; k < b->n; ++k)
                for (l = k + 1; l < b->n; ++l) {
                    overlap_cross(a->x[i], a->x[j], b->x[k], b->x[l], n);
                    if (overlap_either(a, b, n)) return 1;
                }
    return 0;
}

#endif
