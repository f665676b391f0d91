/* box_manifold.c - the contact manifold of two boxes, one lowered onto the other, shifted and turned
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * As CONTAX, Fig. 5, with smooth polyhedra where the paper has superquadrics, and the margin that dc_surface in dc_witness.h
 * recommends for boxes: vertices meet the other body's field, all 12 x 12 pairs of edges meet each other. Arrows are the pushes on
 * the upper box, as long as they are active: at the corners of the overlap, whether they are corners of a box or edges that cross. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

enum { VERTICES = 8, EDGES = 12, FACES = 6, CONTACTS = 2*VERTICES + 2*EDGES*EDGES };

/* a cube of half side h: corners, and the edges between those that differ in one bit */
static void cube(dc_real h, dc_v3 v[VERTICES], int edge[2*EDGES])
{
    int i, j, n = 0;
    for (i = 0; i < VERTICES; i++) {
        v[i] = dc_vec(i & 4 ? h : -h, i & 2 ? h : -h, i & 1 ? h : -h);
        for (j = i + 1; j < VERTICES; j++)
            if ((i ^ j) == 1 || (i ^ j) == 2 || (i ^ j) == 4) {
                edge[n++] = i;
                edge[n++] = j;
            }
    }
}

int main(int argc, char **argv)
{
    cli                 o = cli_parse(argc, argv, "Shows the contacts of two boxes and writes a page.", "box_manifold.html", NULL, 0);
    static unsigned char memory[1 << 18];
    static dc_manifold_contact contacts[CONTACTS];
    const dc_real       r = DC_R(0.05);
    const dc_v3         normal[FACES] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    dc_v3               v[VERTICES], body[VERTICES], plane[FACES];
    int                 edge[2*EDGES], part[4], frame, frames = o.quick ? 20 : 121, k, upper, vertices, edges, depth, active;
    dc_sdf_prim         prim = DC_ZERO;
    dc_sdf              field = DC_ZERO;
    dc_mesh             mesh = DC_ZERO;
    dc_surface          box;
    dc_manifold_options opt = DC_ZERO;
    dc_hull             hull = DC_ZERO;
    dc_arena            mem = dc_arena_make(memory, sizeof memory);
    dc_pose             rest = {{1, 0, 0, 0}, {0, 0, 0}};
    view_options        page = DC_ZERO;
    view               *w;

    /* a cube of half side 1: the planes of its field r outside its faces, its mesh as far inside */
    for (k = 0; k < FACES; k++) plane[k] = dc_scale(1 + r, normal[k]);
    prim.kind = DC_SDF_POLYHEDRON;
    prim.count = FACES;
    prim.n = normal;
    prim.p = plane;
    prim.smooth = r/5;
    prim.pose.q.w = 1;
    field.prim = &prim;
    field.n = 1;
    cube(1, body, edge);
    cube(1 - r, v, edge);
    mesh.v = v;
    mesh.nv = VERTICES;
    mesh.edge = edge;
    mesh.ne = EDGES;
    box.mesh = &mesh;
    box.sdf = &field;
    opt.witness.w_reg = DC_R(1e-4);
    opt.witness.eps_clip = opt.witness.eps_comp = r/5;
    opt.witness.eps_min = DC_R(1e-3);
    if (dc_manifold_count(&box, &box, &opt, part) != CONTACTS) return cli_error("%s", "unexpected number of contacts");

    page.title = "Contact manifold of two boxes";
    page.note = "The upper box comes down, goes aside by a third of its width in both directions, comes back and turns by 45 degrees. "
                "Arrows are pushes on it, scaled by their activity.";
    page.step_name = "step";
    page.step_unit = "";
    w = view_open(o.out, &page);
    hull.v = body;
    hull.n = VERTICES;
    upper = view_body(w, view_hull(w, &hull), NULL);
    view_fixed(w, view_hull(w, &hull), NULL, rest);
    vertices = view_overlay(w, VIEW_ARROWS, "vertex contacts", "#f0e442", 0);
    edges = view_overlay(w, VIEW_ARROWS, "edge contacts", "#d55e00", 0);
    depth = view_series(w, "sum of activity times distance", "", 0);
    active = view_series(w, "sum of activities", "", 0);

    for (frame = 0; frame < frames && view_ok(w) && !cli_stopped(); frame++) {
        dc_real   x = 4*(dc_real)frame/(dc_real)(frames - 1), sum = 0;
        dc_real   down = dc_min(x, 1), aside = dc_max(1 - dc_abs(x - 2), 0)*2/3, turn = dc_max(x - 3, 0);
        dc_pose   pose;
        dc_status s;
        pose.t = dc_vec(aside, aside, DC_R(2.1) - DC_R(0.13)*down);
        pose.q = dc_quat_exp(dc_vec(0, 0, DC_R(0.7853981633974483)*turn));
        s = dc_manifold(&box, &pose, &box, &rest, &opt, &mem, contacts);
        if (s != DC_OK) { view_close(w); return cli_error("%s", dc_status_text(s)); }
        view_pose(w, upper, pose);
        for (k = 0; k < CONTACTS; k++) {
            const dc_manifold_contact *c = &contacts[k];
            const int on_upper = k < part[0], of_edge = k >= part[0] + part[1];
            if (of_edge) contacts[k].d -= 2*r;                          /* the meshes are farther apart than the boxes */
            if (k >= part[0] + part[1] + part[2]) continue;             /* edges again, on the lower box */
            sum += c->act;
            if (c->act > DC_R(0.02))
                view_arrow(w, of_edge ? edges : vertices, c->p, dc_scale((on_upper || of_edge ? DC_R(0.8) : -DC_R(0.8))*c->act, c->n));
        }
        view_value(w, depth, (double)dc_manifold_active(CONTACTS, contacts, NULL));
        view_value(w, active, (double)sum);
        view_frame(w, frame);
    }
    if (view_close(w) != 0) return CLI_FAILED;
    printf("wrote %s\n", o.out);
    return cli_exit(CLI_DONE);
}
