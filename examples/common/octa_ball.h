/* octa_ball.h - a ball of triangles: an octahedron whose faces are divided, blown up
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Of division m it has 4 m^2 + 2 vertices, the points with whole coordinates and |x| + |y| + |z| = m, and 8 m^2
 * triangles. */
#ifndef OCTA_BALL_H_INCLUDED
#define OCTA_BALL_H_INCLUDED

enum { OCTA_FINEST = 7, OCTA_VERTICES = 4*OCTA_FINEST*OCTA_FINEST + 2, OCTA_TRIANGLES = 8*OCTA_FINEST*OCTA_FINEST };

typedef struct {
    dc_v3 v[OCTA_VERTICES];
    int   tri[3*OCTA_TRIANGLES], nv, nt;
} octa_ball;

/* The vertex at a point with whole coordinates, made where there is none. */
static inline int octa_vertex(octa_ball *b, int at[][3], int x, int y, int z)
{
    int i;

    for (i = 0; i < b->nv; i++) if (at[i][0] == x && at[i][1] == y && at[i][2] == z) return i;
    at[i][0] = x;
    at[i][1] = y;
    at[i][2] = z;
    return b->nv++;
}

static inline void octa_make(octa_ball *b, int m, double radius)
{
    static int at[OCTA_VERTICES][3];
    int        octant, i, j, up, k;

    b->nv = b->nt = 0;
    for (octant = 0; octant < 8; octant++) {
        const int sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1, sz = octant & 4 ? -1 : 1, flip = sx*sy*sz < 0;
        for (i = 0; i < m; i++) {
            for (j = 0; i + j < m; j++) {
                for (up = 0; up < (i + j + 1 < m ? 2 : 1); up++) {   /* towards a corner, and the other */
                    const int corner[2][3][2] = {{{0, 0}, {1, 0}, {0, 1}}, {{1, 1}, {0, 1}, {1, 0}}};
                    int      *t = b->tri + 3*b->nt++;
                    for (k = 0; k < 3; k++) {
                        int x = i + corner[up][k][0], y = j + corner[up][k][1];
                        t[flip ? 2 - k : k] = octa_vertex(b, at, sx*x, sy*y, sz*(m - x - y));
                    }
                }
            }
        }
    }
    for (k = 0; k < b->nv; k++) {
        const double scale = radius/sqrt((double)(at[k][0]*at[k][0] + at[k][1]*at[k][1] + at[k][2]*at[k][2]));
        b->v[k] = dc_vec(DC_R(scale*at[k][0]), DC_R(scale*at[k][1]), DC_R(scale*at[k][2]));
    }
}

#endif /* OCTA_BALL_H_INCLUDED */
