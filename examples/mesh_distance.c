/* mesh_distance.c - distance of two separated meshes that are not convex, its gradient, and a smooth potential beside it
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * Two rings hang in each other. Their hulls overlap, their surfaces do not: the distance is that of the nearest two triangles, found
 * by a tree of boxes (dc_tree) and dc_hull_distance. Its gradient by the pose of ring a is the normal at the nearest point, as a twist:
 * (n, (p - x_a) x n). It jumps where the nearest triangles change; the potential of dc_bsh_eval feels all triangles and has two
 * derivatives everywhere. Both gradients are compared with differences; then ring a moves up the first until it is as far from b as it
 * can be. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#include "dc_bsh.h"
#define VIEW_IMPLEMENTATION
#include "view.h"
#include "cli.h"

enum { AROUND = 24, ACROSS = 10, CORNERS = AROUND*ACROSS, FACES = 2*CORNERS };

static unsigned char memory[1 << 23];
static dc_arena mem;
static dc_v3    corner[CORNERS];
static int      face[3*FACES];
static dc_tree  tree;                   /* of b's triangles, in b's frame */
static dc_bsh   ring;
static int      tested;

static void build(void)
{
    static dc_aabb box[FACES];
    int i, j, k;

    for (i = 0; i < AROUND; i++)
        for (j = 0; j < ACROSS; j++) {
            const double u = 6.283185307*i/AROUND, v = 6.283185307*j/ACROSS, r = 1 + 0.25*cos(v);
            const int    a = i*ACROSS + j, b = (i + 1)%AROUND*ACROSS + j, c = i*ACROSS + (j + 1)%ACROSS, d = (i + 1)%AROUND*ACROSS + (j + 1)%ACROSS;
            const int    two[6] = {a, b, d, a, d, c};
            corner[a] = dc_vec(DC_R(r*cos(u)), DC_R(r*sin(u)), DC_R(0.25*sin(v)));
            memcpy(face + 6*a, two, sizeof two);
        }
    for (i = 0; i < FACES; i++) {
        box[i].lo = box[i].hi = corner[face[3*i]];
        for (k = 1; k < 3; k++) {
            const dc_v3 p = corner[face[3*i + k]];
            box[i].lo = dc_vec(dc_min(box[i].lo.x, p.x), dc_min(box[i].lo.y, p.y), dc_min(box[i].lo.z, p.z));
            box[i].hi = dc_vec(dc_max(box[i].hi.x, p.x), dc_max(box[i].hi.y, p.y), dc_max(box[i].hi.z, p.z));
        }
    }
    mem = dc_arena_make(memory, sizeof memory);
    if (dc_tree_build(FACES, box, &mem, &tree) != DC_OK || dc_bsh_build(corner, CORNERS, face, FACES, &mem, &ring, NULL) != DC_OK)
        exit(cli_error("no trees"));
}

/* The nearest points of ring a at pose x, and ring b at rest; < 0: they touch. */
static dc_distance nearest(dc_pose x)
{
    const dc_pose rest = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_distance   best = DC_ZERO;
    int           i, j, k;

    best.gap = DC_R(1e9);
    for (i = 0; i < FACES; i++) {
        dc_v3        a[3], b[3];
        dc_hull      A = {a, 3, 0}, B = {b, 3, 0};
        dc_aabb      near;
        dc_tree_walk walk;
        for (k = 0; k < 3; k++) a[k] = dc_pose_apply(x, corner[face[3*i + k]]);
        near.lo = near.hi = a[0];
        for (k = 1; k < 3; k++) {
            near.lo = dc_vec(dc_min(near.lo.x, a[k].x), dc_min(near.lo.y, a[k].y), dc_min(near.lo.z, a[k].z));
            near.hi = dc_vec(dc_max(near.hi.x, a[k].x), dc_max(near.hi.y, a[k].y), dc_max(near.hi.z, a[k].z));
        }
        near.lo = dc_sub(near.lo, dc_vec(best.gap, best.gap, best.gap));        /* nothing farther off counts */
        near.hi = dc_add(near.hi, dc_vec(best.gap, best.gap, best.gap));
        if (dc_tree_by_box(&near, &walk) != DC_OK) continue;
        while ((j = dc_tree_next(&tree, &walk)) >= 0) {
            dc_distance d = DC_ZERO;
            for (k = 0; k < 3; k++) b[k] = corner[face[3*j + k]];
            tested++;
            if (dc_hull_distance(&A, &rest, &B, &rest, &mem, &d) == DC_OK && d.gap < best.gap) best = d;
        }
    }
    return best;
}

static dc_real potential(dc_pose x, dc_real grad[12])
{
    const dc_pose rest = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_real       P = 0;

    if (dc_bsh_eval(NULL, &ring, &x, &ring, &rest, &mem, NULL, &P, grad, NULL, NULL) != DC_OK) exit(cli_error("no potential"));
    return P;
}

/* The gradient of the distance by the twist of a, about its origin. */
static void gradient(dc_pose x, const dc_distance *d, dc_real g[6])
{
    const dc_v3 turn = dc_cross(dc_sub(d->pa, x.t), d->n);
    g[0] = d->n.x;  g[1] = d->n.y;  g[2] = d->n.z;
    g[3] = turn.x;  g[4] = turn.y;  g[5] = turn.z;
}

int main(int argc, char **argv)
{
    cli           o = cli_parse(argc, argv, "Gradient of the distance of two rings that hang in each other; writes a page.", "mesh_distance.html", NULL, 0);
    const dc_pose rest = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_pose       x;
    dc_distance   d;
    dc_real       g[6], G[12], step = DC_R(DC_IS_FLOAT ? 1e-2 : 1e-5);
    double        off_distance = 0, off_potential = 0, largest = 0, first;
    view_options  page = DC_ZERO;
    view         *w;
    int           shape, a, up, gap, felt, i, k, queries, frames = o.quick ? 60 : 200;

    build();
    x.q = dc_quat_exp(dc_vec(DC_R(1.3), DC_R(0.2), DC_R(0.1)));
    x.t = dc_vec(DC_R(0.65), DC_R(0.21), DC_R(0.12));
    d = nearest(x);
    queries = tested;
    first = (double)d.gap;
    if (!(first > 0)) return cli_error("the rings touch");

    /* both gradients against central differences, at the start */
    gradient(x, &d, g);
    potential(x, G);
    for (k = 0; k < 6; k++) largest = fmax(largest, fabs((double)G[k]));
    for (k = 0; k < 6; k++) {
        dc_real xi[6] = {0, 0, 0, 0, 0, 0}, f[2], P[2];
        for (i = 0; i < 2; i++) {
            xi[k] = i ? -step : step;
            f[i] = nearest(dc_pose_retract(x, xi)).gap;
            P[i] = potential(dc_pose_retract(x, xi), NULL);
        }
        off_distance = fmax(off_distance, fabs((double)((f[0] - f[1])/(2*step) - g[k])));
        off_potential = fmax(off_potential, fabs((double)((P[0] - P[1])/(2*step) - G[k]))/largest);
    }

    page.title = "Two rings that hang in each other";
    page.note = "One ring moves up the gradient of the distance of the two meshes; the arrow is the direction from one to the other.";
    w = view_open(o.out, &page);
    shape = view_mesh(w, corner, CORNERS, face, FACES);
    (void)view_fixed(w, shape, "#8592a3", rest);
    a = view_body(w, shape, "#3b7dd8");
    up = view_overlay(w, VIEW_ARROWS, "gradient of the distance", "#d55e00", 0);
    gap = view_series(w, "distance", "m", 0);
    felt = view_series(w, "potential", "", 0);
    for (k = 0; k < frames && view_ok(w) && !cli_stopped(); k++) {
        view_pose(w, a, x);
        view_arrow(w, up, d.pa, dc_scale(DC_R(0.5), d.n));
        view_value(w, gap, (double)d.gap);
        view_value(w, felt, (double)potential(x, NULL));
        view_frame(w, k);
        gradient(x, &d, g);
        for (i = 0; i < 6; i++) g[i] *= DC_R(0.3)/DC_R(10 + k);        /* steps that shrink: at the top the nearest points change */
        x = dc_pose_retract(x, g);
        d = nearest(x);
    }
    if (view_close(w) != 0) return CLI_FAILED;
    printf("pairs_of_triangles_tested %d of_%d\ngradient_of_distance_off_differences %.2g 1\ngradient_of_potential_off_differences %.2g of_the_largest\n"
           "distance_at_first %.4f m\ndistance_at_last %.4f m\nwrote %s\n", queries, FACES*FACES, off_distance, off_potential, first, (double)d.gap, o.out);
    if (!(off_distance < (DC_IS_FLOAT ? 1e-2 : 1e-7)) || !(off_potential < (DC_IS_FLOAT ? 1e-2 : 1e-6))) return cli_error("a gradient is not that of its number");
    if (!((double)d.gap > 1.5*first)) return cli_error("the distance has not grown");
    return cli_exit(CLI_DONE);
}
