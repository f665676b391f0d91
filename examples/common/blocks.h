/* blocks.h - plates of blocks that gradients pull apart: each is a hull of eight corners of its own and one point for each
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * neighbour, which both share: x_ijk of SDRS Fig. 2. A plate that is one connected piece stays one, and may get holes.
 *
 *     static const blocks plate = {{-0.06, -0.01, 0}, {0.06, 0.01, 0.04}, 0, 2, 4, 4};
 *     sim_link(&w, ..);
 *     blocks_add(&w, &plate);                                  the shape of the last link, or a part of it
 *     sim_build(&w);
 *     blocks_mark(&w.sim, link, &plate, 1, desc_vertex);       what of it is variable, for dc_design_desc
 *
 * Include it after sim_scene.h. */
#ifndef BLOCKS_H_INCLUDED
#define BLOCKS_H_INCLUDED

typedef struct {
    double lo[3], half[3];      /* the plate: its lowest corner, half its sides, m */
    int    u, v, nu, nv;        /* two axes, and the blocks along them */
} blocks;

static inline void blocks_add(sim_world *w, const blocks *plate)
{
    const int n = 3 - plate->u - plate->v;
    int       a, b, k, c;

    for (a = 0; a < plate->nu; a++) {
        for (b = 0; b < plate->nv; b++) {
            double r[3], x[3];
            dc_v3 *vertex = sim_hull(w, 8 + (a > 0) + (a + 1 < plate->nu) + (b > 0) + (b + 1 < plate->nv));
            r[plate->u] = plate->half[plate->u]/plate->nu;
            r[plate->v] = plate->half[plate->v]/plate->nv;
            r[n] = plate->half[n];
            for (c = 0; c < 3; c++) x[c] = plate->lo[c] + (2*(c == plate->u ? a : c == plate->v ? b : 0) + 1)*r[c];

            /* corners, then the points it shares with the neighbours there are */
            for (k = 0; k < 8; k++)
                *vertex++ = dc_vec(DC_R(x[0] + (k & 1 ? r[0] : -r[0])), DC_R(x[1] + (k & 2 ? r[1] : -r[1])), DC_R(x[2] + (k & 4 ? r[2] : -r[2])));
            for (k = 0; k < 4; k++) {
                const int axis = k < 2 ? plate->u : plate->v, at = k < 2 ? a : b, count = k < 2 ? plate->nu : plate->nv;
                double    y[3];
                if (k & 1 ? at + 1 == count : at == 0) continue;
                for (c = 0; c < 3; c++) y[c] = x[c] + (c == axis ? (k & 1 ? r[c] : -r[c]) : 0);
                *vertex++ = dc_vec(DC_R(y[0]), DC_R(y[1]), DC_R(y[2]));
            }
        }
    }
}

/* Marks the vertices of the plates of a link, all of the same outline; frame: but for those on its rim. */
static inline void blocks_mark(const dc_sim *sim, int link, const blocks *plate, int frame, unsigned char *vertex)
{
    int h, i;

    for (h = 0; h < sim->hulls; h++) {
        for (i = 0; i < sim->hull[h].n && sim->hull[h].link == link; i++) {
            const int    at = sim->hull[h].begin + i;
            const double x[3] = {(double)sim->vertex[at].x, (double)sim->vertex[at].y, (double)sim->vertex[at].z};
            const double u = x[plate->u] - plate->lo[plate->u], v = x[plate->v] - plate->lo[plate->v];
            if (frame && (u < 1e-6 || u > 2*plate->half[plate->u] - 1e-6 || v < 1e-6 || v > 2*plate->half[plate->v] - 1e-6)) continue;
            vertex[at] = i < 8 ? DC_DESIGN_FREE : DC_DESIGN_SHARED;
        }
    }
}

#endif /* BLOCKS_H_INCLUDED */
