/* object_fits.c - from superquadrics to a mesh, and from the mesh back to superquadrics
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * The objects of objects.h, as many parts and vertices as those of CONTAX, Fig. 9: their mesh by dc_sdf_mesh, its signed distance on a
 * grid by dc_sdf_sample, superquadrics by dc_sdf_fit. Prints a table; the page shows each body beside what was found in its mesh.
 *
 * What is found depends on the grid above all: a part thinner than three steps is lost, and at a step of 0.04 for all so was half of the
 * aeroplane and two thirds of the drill. How small a region may be decides how many more are found in what the union rounds off. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"
#include "objects.h"

enum { FOUND = 64 };
/* steps of the grid and least regions with which about as many superquadrics are found as there are parts */
static const struct { double step; int least; } settings[OBJECT_KINDS] = {{0.04, 10}, {0.02, 10}, {0.0175, 11}, {0.025, 40}, {0.0175, 5}};

static unsigned char memory[1 << 27];
static dc_real phi[1 << 21];
static object objects[OBJECT_KINDS];

static double seconds(void) { return (double)clock()/CLOCKS_PER_SEC; }

int main(int argc, char **argv)
{
    double      coarse = 1;
    cli_number  number[] = {{"coarse", &coarse, 1, 5, "how many times coarser the grids are"}};
    cli         o = cli_parse(argc, argv, "Fits superquadrics to meshes of superquadrics.", "object_fits.html", number, 1);
    dc_arena    mem = dc_arena_make(memory, sizeof memory);
    view_options page = DC_ZERO;
    view       *v;
    int         kind, i, failed = 0;

    if (o.quick) coarse = 3;
    page.title = "Meshes of superquadrics, and superquadrics found in them";
    v = view_open(o.out, &page);
    for (kind = 0; kind < OBJECT_KINDS && !cli_stopped(); kind++) {
        object     *body = &objects[kind];
        const char *name = object_table[kind].name;
        dc_sdf_prim found[FOUND];
        dc_sdf      fit = DC_ZERO;
        dc_sdf_fit_info info = DC_ZERO;
        dc_sdf_fit_options fit_opt = DC_ZERO;
        const double step = coarse*settings[kind].step;
        dc_grid     grid = object_table[kind].grid;
        dc_mesh     mesh = DC_ZERO;
        double      begin = seconds(), t[4];
        size_t      used = mem.used;
        dc_pose     rest = {{1, 0, 0, 0}, {0, 0, 0}};
        dc_status   e = object_make(body, kind, &mem);
        if (e != DC_OK) return cli_error("%s: %s", name, dc_status_text(e));
        t[0] = seconds() - begin;

        /* a grid around the mesh, whose origin is its centre */
        grid.lo = grid.hi = body->v[0];
        for (i = 0; i < body->mesh.nv; i++) {
            grid.lo = dc_vec(dc_min(grid.lo.x, body->v[i].x), dc_min(grid.lo.y, body->v[i].y), dc_min(grid.lo.z, body->v[i].z));
            grid.hi = dc_vec(dc_max(grid.hi.x, body->v[i].x), dc_max(grid.hi.y, body->v[i].y), dc_max(grid.hi.z, body->v[i].z));
        }
        grid.lo = dc_madd(grid.lo, (dc_real)(-2*step), dc_vec(1, 1, 1));
        grid.hi = dc_madd(grid.hi, (dc_real)(2*step), dc_vec(1, 1, 1));
        grid.nx = 2 + (int)((double)(grid.hi.x - grid.lo.x)/step);
        grid.ny = 2 + (int)((double)(grid.hi.y - grid.lo.y)/step);
        grid.nz = 2 + (int)((double)(grid.hi.z - grid.lo.z)/step);
        begin = seconds();
        e = grid.nx*grid.ny*grid.nz <= (int)(sizeof phi/sizeof *phi) ? dc_sdf_sample(&body->mesh, &grid, phi) : DC_E_MEMORY;
        t[1] = seconds() - begin;
        begin = seconds();
        fit_opt.capacity = FOUND;
        fit_opt.least = settings[kind].least;
        if (e == DC_OK) e = dc_sdf_fit(&fit_opt, &grid, phi, &mem, found, &fit.n, &info);
        t[2] = seconds() - begin;
        fit.prim = found;
        fit.tau = body->field.tau;
        begin = seconds();
        if (e == DC_OK) e = dc_sdf_mesh(NULL, &fit, &grid, &mem, &mesh, NULL);
        t[3] = seconds() - begin;
        printf("%s/parts %d\n%s/vertices %d\n%s/mesh %.3f s\n%s/mesh_residual %.1e\n", name, body->field.n, name, body->mesh.nv, name, t[0], name,
               (double)body->info.residual);
        printf("%s/sample %.3f s\n%s/fit %.3f s\n%s/found %d\n%s/fit_residual %.4f m\n%s/covered %.3f\n", name, t[1], name, t[2], name, fit.n, name,
               (double)info.residual, name, (double)info.covered);
        if (e != DC_OK) failed += cli_error("%s: %s", name, dc_status_text(e));

        view_run(v, name);
        i = view_body(v, view_mesh(v, body->v, body->mesh.nv, body->tri, body->mesh.nt), "#4b8bf5");
        view_pose(v, i, rest);
        if (mesh.nv > 0) {
            i = view_body(v, view_mesh(v, mesh.v, mesh.nv, mesh.tri, mesh.nt), "#ef8636");
            rest.t = dc_vec(DC_R(1.2)*(grid.hi.x - grid.lo.x) + DC_R(0.3), 0, 0);
            view_pose(v, i, rest);
        }
        view_frame(v, 0);
        mem.used = used;
    }
    if (view_close(v) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(failed ? CLI_FAILED : CLI_DONE);
}
