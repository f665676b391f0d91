/* figure.c - writes the mesh of the lobed figure, tests/data/figure.txt
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     cc -std=c99 -O2 -ffp-contract=off -I. -Itests/support -Iexamples/common -DDC_TEST_DATA='"tests/data"' tests/tools/figure.c \
 *        tests/support/support.c -o figure -lm && ./figure > tests/data/figure.txt
 *
 * With an argument: Wavefront's format instead, to look at it. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"
#include <stdio.h>
#include "support.h"
#include "figure.h"

static unsigned char memory[1 << 24];

int main(int argc, char **argv)
{
    dc_sdf_prim prim[FIGURE_LOBES];
    dc_sdf s = figure_make(prim);
    dc_grid g = figure_grid(49);
    dc_sdf_mesh_options o = DC_ZERO;
    dc_sdf_mesh_info info = DC_ZERO;
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_mesh m;
    dc_status e;
    int k, obj = argc > 1;
    (void)argv;
    o.vertices = FIGURE_VERTICES;
    e = dc_sdf_mesh(&o, &s, &g, &mem, &m, &info);
    fprintf(stderr, "%s: %d vertices %d triangles %d edges, residual %g\n", dc_status_text(e), m.nv, m.nt, m.ne, (double)info.residual);
    if (e != DC_OK) return 1;
    printf("# the lobed figure of tests/support/figure.h, by tests/tools/figure.c%s", obj ? "\n" : "\nvertices ");
    if (!obj) printf("%d\n", m.nv);
    for (k = 0; k < m.nv; ++k)
        printf("%s%.17g %.17g %.17g\n", obj ? "v " : "", (double)m.v[k].x, (double)m.v[k].y, (double)m.v[k].z);
    if (!obj) printf("triangles %d\n", m.nt);
    for (k = 0; k < m.nt; ++k) printf("%s%d %d %d\n", obj ? "f " : "", m.tri[3*k] + obj, m.tri[3*k + 1] + obj, m.tri[3*k + 2] + obj);
    if (!obj) printf("edges %d\n", m.ne);
    for (k = 0; k < m.ne && !obj; ++k) printf("%d %d\n", m.edge[2*k], m.edge[2*k + 1]);
    return 0;
}
