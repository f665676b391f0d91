/* dc_bsh.h - v0.1.0 - the long-range contact potential of whole triangle meshes, in near-linear time
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * DOES     builds a bounding sphere hierarchy (BSH) of a rigid body's triangles; evaluates the smoothly blended
 *          potential of LRI [1] between two bodies or all pairs of a scene, with gradient and Hessian by rigid twists;
 *          lists the triangle pairs that are close, with what the friction potential needs.
 * DOES NOT deform bodies, split or repair meshes, find motions or step time. The blended potential is one of its own,
 *          not an approximation of the sum over all triangle pairs: see WEIGHTS below.
 *
 * USE
 *   In one C or C++ file: #define DC_CONTACT_IMPLEMENTATION and DC_BSH_IMPLEMENTATION, then #include "dc_bsh.h".
 *   Elsewhere include it. Quick start, a complete program; cc -std=c99 -O3 program.c -lm
 *
 *|#define DC_CONTACT_IMPLEMENTATION
 *|#define DC_BSH_IMPLEMENTATION
 *|#include "dc_bsh.h"
 *|#include <stdio.h>
 *|static unsigned char memory[1 << 18];
 *|int main(void)
 *|{
 *|    const dc_v3 v[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
 *|    const int t[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
 *|    dc_pose a = {{1, 0, 0, 0}, {0, 0, 3}}, b = {{1, 0, 0, 0}, {0, 0, 0}};
 *|    dc_arena mem = dc_arena_make(memory, sizeof memory);
 *|    dc_bsh tree;                                           // lives in mem
 *|    dc_real P, g[12], H[144];
 *|    dc_status s = dc_bsh_build(v, 4, t, 4, &mem, &tree, NULL);
 *|    if (s == DC_OK) s = dc_bsh_eval(NULL, &tree, &a, &tree, &b, &mem, NULL, &P, g, H, NULL);
 *|    if (s == DC_OK) printf("potential %g, push on a %g\n", (double)P, -(double)g[2]);
 *|    return s != DC_OK;
 *|}
 *
 * OPTIONS (macros)
 *   DC_BSH_IMPLEMENTATION  in one file: the code. In more than one with DC_STATIC: private copies.
 *   DC_REAL, DC_STATIC, DC_DEF: see dc_contact.h, the same for both.
 *
 * NOTATION
 *   a, b; I, J      the two bodies; a node of each, standing for a set of triangles
 *   x_I, R_I        centre and radius of its sphere: dc_bsh_node.c, R
 *   r               |x_I - x_J|
 *   d1, d2          R_I + R_J, (1 + eps) d1: the blend band
 *   phi, Phi        weight of the farther potential, Phi((r - d1)/(d2 - d1)), dc_blend
 *   S_IJ, C_IJ      sum over the children's pairs; centred potential of the pair, one term (P_d1, P_d2 in the paper)
 *   P_IJ            the blend of both; of the roots: the result. Of two triangles alone the exact potential of dc_pair
 *   leaf, inner     pairs of two leaves, all others; near r <= d1, blended, far r >= d2
 *   xi = (v,w)      world twist about a body's origin, pair gradients [a; b], Hessians row-major: as in dc_contact.h
 *
 * WEIGHTS
 *   LRI Eq. 7 gives one term to a pair of nodes, whatever the number N of triangles below. So P is well behaved
 *   (a barrier, C2, never pulling, never zero) but is not the sum over all pairs of triangles: far away it is N_I N_J
 *   times smaller, and within the blend bands, where copies are dropped, it pushes up to 4 times harder. Small eps
 *   makes these bands narrow and hard: 0.5 and above is smoother. With options.weighted the term is
 *   N_I N_J 12 (1 + 1/sqrt(r + d1))^2: it keeps every proof, since the centres of the children are no farther apart
 *   than r + d1, and follows the sum: 82 to 92 % of it in value for two boxes of 12 triangles at 1.6 to 6 widths
 *   (LRI Eq. 8: 94 to 0.7 %), 45 to 130 % in force. Both are at most the sum over all pairs.
 *
 * CONTRACTS
 *   Memory    None of its own. A tree takes 168 bytes a triangle (float 100) and stays in the caller's arena; building
 *             it needs 20 more a triangle and 4 a vertex. An evaluation takes 81 KB and 1 KB a level of the deeper
 *             tree (float 72 KB, 0.5 KB): 92 KB for 1280 triangles, however many pairs there are. Worst stack 2.9 KB
 *             (`make facts`).
 *   Errors    dc_status; in dc_bsh_eval and its kin:
 *             DC_E_ARG       not finite, out of range, NULL; a mesh or tree that is none
 *             DC_E_MEMORY    the arena, or the list of contacts, is too small; DC_E_ARG comes first
 *             DC_E_OVERLAP   two triangles touch or intersect: dc_bsh_info says which; the value is +INFINITY
 *             DC_E_RANGE     the true number does not fit
 *             DC_E_DIVERGED  as in dc_pair; outputs are the best iterate
 *             On failure outputs are untouched except where a function says so. No call aborts, prints or returns NaN
 *             with DC_OK.
 *   Threads   Every function is re-entrant; trees are read-only; a cache serves one thread at a time.
 *   Bits      The same for the same input, cache included, in any order and thread; built with -ffp-contract=off,
 *             under any compiler. Value and gradient alone agree with those that come with a Hessian to rounding.
 *   Smooth    P is C2 wherever no triangles touch; the third derivative jumps at every d1 and d2. Radii are constants
 *             of the bodies: there is no derivative by the shape.
 *   Accuracy  Value and gradient within 0.5, Hessian within 3.3 DC_EPS (1 + 3L/g + 3/eps) of 60-digit tables, g the
 *             gap and L the size of the scene; within 10 DC_EPS where the roots are far from each other, at any
 *             distance. Where they are not, rotations of the larger body lose (1 + eps)^2 more. Against the paper's
 *             recursion, up to 1280 triangles at gaps from 0.01 to 10: 3e-13.
 *   Cost      Node pairs visited grow like T^1.01 to T^1.06 for plates face to face, the worst case: 55, 105, 185 a
 *             triangle for eps 0.1, 0.5, 1; like T^0.55 for spheres at a gap of 0.01 radii: 7, 17, 39 thousand at 1280
 *             triangles. One Zen 4 core, gcc 12 -O3 (-O3 -march=native), `make bench`, us: two such spheres, eps 0.5,
 *             value 690 (500), with gradient and Hessian 1420 (930); at a gap of 0.1 radii 320 (240), 770 (550). Where
 *             triangle pairs dominate, face to face, a cache makes a value 1.8 (1.5) times faster, with the Hessian
 *             1.4 (1.2) times.
 *   Limits    Rigid bodies; spheres of a layered hierarchy are larger than the smallest ones. Below distances of
 *             1e-154 (float 1e-19) every pair counts as near. 2^27 triangles.
 *
 * CHAPTERS of the implementation; each begins with its mark in brackets
 *   [build]   building a tree
 *   [state]   the state of an evaluation
 *   [lanes]   radial terms, and sums over lanes
 *   [solve]   triangle pairs
 *   [walk]    node pairs
 *   [expand]  the twists of both bodies
 *   [calls]   two bodies
 *   [scene]   all pairs of many bodies
 *
 * REFERENCES
 *   [1] LRI   Ye, Wu, Komura, Pan: Efficient differentiable contact model with long-range influence: section 5 and
 *             sections A.1 to A.3, A.5 of its appendix. Where the text slips the corrected form is followed: unordered
 *             pairs once, the union in LRI Eq. 7, and at leaves LRI Eq. 6. The weighted form is ours.
 *
 * CHANGES  see CHANGELOG.md. LICENCE at the end of this file. */
#ifndef DC_BSH_H_INCLUDED
#define DC_BSH_H_INCLUDED

#include "dc_contact.h"

/* every function of the float build has a name of its own, as in dc_contact.h */
#if DC_IS_FLOAT
#define dc_bsh_bytes dc_bsh_bytes_f
#define dc_bsh_build dc_bsh_build_f
#define dc_bsh_build_from dc_bsh_build_from_f
#define dc_bsh_cache_bytes dc_bsh_cache_bytes_f
#define dc_bsh_cache_make dc_bsh_cache_make_f
#define dc_bsh_eval_bytes dc_bsh_eval_bytes_f
#define dc_bsh_eval dc_bsh_eval_f
#define dc_bsh_brute dc_bsh_brute_f
#define dc_bsh_contacts dc_bsh_contacts_f
#define dc_bsh_scene_bytes dc_bsh_scene_bytes_f
#define dc_bsh_scene dc_bsh_scene_f
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the hierarchy ---------------------------------------------------------------------------- */

/* A node stands for the set of triangles below it. Its sphere holds the spheres of its children (a layered hierarchy,
 * LRI Definition 5.3):
 *     c = mean of the distinct vertices (by index) of its triangles; of a leaf the centroid
 *     R = max over children |c - c_child| + R_child; of a leaf the largest distance to its three vertices */
typedef struct {
    dc_v3   c;              /* body axes, from the tree's o */
    dc_real R;
    int     left, right;    /* children, greater than the node's own index; -1 in a leaf */
    int     triangle;       /* of a leaf; -1 in other nodes */
    int     count;          /* triangles below */
} dc_bsh_node;

/* The tree of a rigid body. It does not refer to the mesh it was built from. Read-only once built: any number of
 * threads and bodies may share it. */
typedef struct {
    const dc_bsh_node *node;    /* 2n - 1, the root first */
    const dc_v3 *corner;        /* 3n: vertices of the triangles, from o */
    dc_v3 o;                    /* centre of the root, body coordinates */
    int n;                      /* triangles, >= 1 */
    int depth;                  /* levels below the root */
} dc_bsh;

/* Bytes of arena that a build below takes at most, its scratch included, for nv vertices and nt triangles; 0 when a
 * count is below 1 or the number does not fit. What stays, nodes and corners, is 168 bytes a triangle (float 100). */
DC_DEF size_t dc_bsh_bytes(int nv, int nt);

/* Builds the tree of the triangles tri[3*nt], indices into v[nv], body coordinates: the triangles of a node are split
 * in two halves at the median of their centroids along the axis of largest extent; depth ceil(log2 nt), O(nt log nt).
 *
 * Triangles may share edges in any number, be duplicated, degenerate to a segment or a point, leave the surface open.
 *
 * mem   the tree stays at the front of what was free and lives as long as that memory; scratch is given back.
 * bad   may be NULL; the triangle that was refused, -1 if it was something else.
 * DC_E_ARG: a vertex index out of range or a vertex of a triangle not finite or beyond DC_LIMIT (*bad says which
 * triangle), a NULL, a count below 1 or above 2^27. DC_E_MEMORY. On failure *tree and mem are untouched. */
DC_DEF dc_status dc_bsh_build(const dc_v3 *v, int nv, const int *tri, int nt, dc_arena *mem, dc_bsh *tree, int *bad);

/* The same from a given binary tree: child[2*(2nt - 1)], node 0 the root; two children, or (-1, triangle) for a leaf.
 * Nodes are renumbered breadth first. DC_E_ARG also when it is not a tree whose leaves are every triangle once; that
 * nodes in range are no tree is found out in the arena: DC_E_MEMORY comes before it.
 * Cost O(nt depth), which is O(nt^2) for a chain. */
DC_DEF dc_status dc_bsh_build_from(const dc_v3 *v, int nv, const int *tri, int nt, const int *child, dc_arena *mem,
                                   dc_bsh *tree, int *bad);

/* ---- the potential ------------------------------------------------------------------------------ */

typedef struct {
    dc_real eps;        /* blend margin, d2 = (1 + eps) d1; 1e-3 to 1e3; the larger, the more pairs are exact. 0: 0.5 */
    dc_real length;     /* the unit of length l: the potential is that of x/l; 1/DC_LIMIT to DC_LIMIT; 0: 1 */
    int     weighted;   /* 0: LRI Eq. 7, one term per node pair; 1: the count-weighted, shifted term */
} dc_bsh_options;

/* What was done: node pairs met, by kind and by r against d1 and d2. */
typedef struct {
    size_t leaf_near, leaf_blended, leaf_far;       /* two leaves: r <= d1, between, r >= d2 */
    size_t inner_near, inner_blended, inner_far;    /* other node pairs */
    size_t warm;                                    /* of leaf_near + leaf_blended: found in the cache */
    int    body_a, body_b;                          /* dc_bsh_scene: bodies of the pair that failed, else 0, 1 */
    int    triangle_a, triangle_b;                  /* the triangle pair that failed; -1 */
} dc_bsh_info;

/* Separating planes of triangle pairs, kept between calls: a warm start. Caller's memory, plain data; one a thread.
 * pair: the caller's number of the two bodies of the next call, where several pairs share a cache; dc_bsh_scene has its
 * own. */
typedef struct { dc_plane plane; int a, b; unsigned pair, turn; } dc_bsh_slot;
typedef struct { dc_bsh_slot *slot; int n; unsigned turn, pair; } dc_bsh_cache;

/* Bytes of arena of a cache for so many triangle pairs: give about twice leaf_near + leaf_blended; 0 when pairs < 1 or
 * it does not fit. */
DC_DEF size_t dc_bsh_cache_bytes(int pairs);

/* An empty cache in mem, where it stays. DC_E_ARG, DC_E_MEMORY: *cache untouched. */
DC_DEF dc_status dc_bsh_cache_make(int pairs, dc_arena *mem, dc_bsh_cache *cache);

/* Bytes of arena that dc_bsh_eval, dc_bsh_brute and dc_bsh_contacts take for these trees: they grow with the depth
 * only. 0: a NULL. */
DC_DEF size_t dc_bsh_eval_bytes(const dc_bsh *a, const dc_bsh *b);

/* Potential of two rigid bodies, from the roots I, J down (LRI Algorithm 1):
 *
 *     P_IJ = (1 - phi) S_IJ + phi C_IJ,   phi = Phi((r - d1)/(d2 - d1))                               LRI Eq. 4
 *     S_IJ = sum of P over pairs of children, a leaf standing for itself;
 *            of two leaves the exact P of dc_pair                                                     LRI Eq. 6, 8
 *     C_IJ = 12 (1 + 1/sqrt r)^2,   r = |x_I - x_J| over the length unit                              LRI Eq. 5, 7
 *     d1 = R_I + R_J,   d2 = (1 + eps) d1                                                             LRI Eq. 6, 8
 *
 * or weighted, C_IJ = N_I N_J 12 (1 + 1/sqrt(r + R_I + R_J))^2 with the numbers of triangles N.
 *
 * Poses: NULL is the identity; quaternions within 1e-3 of unit length are normalised.
 * mem      scratch, dc_bsh_eval_bytes(a, b).
 * cache    may be NULL.
 * value    may be NULL, as all that follow; NULL costs nothing. +INFINITY with DC_E_OVERLAP.
 * grad     12: dP by the world twists (v_a, w_a, v_b, w_b) about the body origins, x <- exp([w])(x - t) + t + v.
 * hess     12x12, the second derivatives. The radii are constants of the bodies.
 * info     written whatever the status, but for DC_E_ARG and DC_E_MEMORY.
 *
 * DC_E_OVERLAP  triangles touch or intersect, or no plane separates them as rounded; info has the pair. A body that is
 *               wholly inside another is not overlap.
 * DC_E_RANGE    a requested number does not fit: nearly touching, or in float.
 * DC_E_DIVERGED as in dc_pair; outputs are the best iterate.
 * DC_E_ARG, DC_E_MEMORY: bad input; the arena is too small.
 * On failure outputs are untouched but as said. */
DC_DEF dc_status dc_bsh_eval(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                             const dc_pose *pose_b, dc_arena *mem, dc_bsh_cache *cache, dc_real *value, dc_real *grad,
                             dc_real *hess, dc_bsh_info *info);

/* The sum of the exact potential over all triangle pairs (LRI Eq. 3), O(n_a n_b): for tests and teaching. Arguments
 * and statuses as above; of the options only length is read. */
DC_DEF dc_status dc_bsh_brute(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                              const dc_pose *pose_b, dc_arena *mem, dc_real *value, dc_real *grad, dc_real *hess,
                              dc_bsh_info *info);

/* ---- contacts ----------------------------------------------------------------------------------- */

/* A triangle pair closer than d2, with its share (1 - phi) of the exact potential (LRI Eq. 12). */
typedef struct {
    int      triangle_a, triangle_b;
    dc_plane plane;             /* of the exact pair, world: n from b to a */
    dc_real  weight;            /* 1 - phi: multiply mu by it in dc_friction */
    dc_real  weight_grad[12];   /* its gradient by the twists of the bodies */
    dc_real  value;             /* (1 - phi) P */
    dc_real  force[6];          /* (1 - phi) |dP/dx| at the vertices of triangle a, then b */
} dc_bsh_contact;

/* All of them, what a friction potential is built from. The gradient of LRI Eq. 12 itself has a part along the centres
 * in the blend band; here the force keeps the direction n of the exact pair and is scaled by 1 - phi.
 * contact   capacity entries, in an order that depends on the trees and poses alone.
 * count     how many there are. More than capacity: DC_E_MEMORY, the first `capacity` are complete; capacity 0
 *           (contact NULL) asks for the number alone, no pair is solved.
 * info      as in dc_bsh_eval; also when the list is too small.
 * Other failures: statuses as in dc_bsh_eval; *count is untouched, entries of contact may be overwritten. */
DC_DEF dc_status dc_bsh_contacts(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                                 const dc_pose *pose_b, dc_arena *mem, dc_bsh_cache *cache, int capacity,
                                 dc_bsh_contact *contact, int *count, dc_bsh_info *info);

/* ---- scenes ------------------------------------------------------------------------------------- */

/* Bytes of arena that dc_bsh_scene takes; 0: n below 1, a NULL, or it does not fit. */
DC_DEF size_t dc_bsh_scene_bytes(int n, const dc_bsh *const *tree);

/* Sum of dc_bsh_eval over the pairs i < j of n bodies but the excluded ones: links that a joint holds together would
 * overlap, fixed bodies need not be felt by each other.
 * tree, pose   n each; trees may be shared.
 * excluded     2*n_excluded body indices, in any order, repeated or not; NULL when n_excluded is 0.
 * grad         6n, hess 6n x 6n row-major: by the twists (v_i, w_i) of the bodies about their origins. Block (i,j) of
 *              an excluded pair is zero.
 * info         counts are sums over the pairs.
 * The rest as in dc_bsh_eval. The first pair that fails ends the call, but for DC_E_DIVERGED; what grad and hess then
 * hold is not defined. DC_E_ARG and DC_E_MEMORY touch nothing. */
DC_DEF dc_status dc_bsh_scene(const dc_bsh_options *opt, int n, const dc_bsh *const *tree, const dc_pose *pose,
                              int n_excluded, const int *excluded, dc_arena *mem, dc_bsh_cache *cache, dc_real *value,
                              dc_real *grad, dc_real *hess, dc_bsh_info *info);

#ifdef __cplusplus
}
#endif
#endif /* DC_BSH_H_INCLUDED */

/* ============================================================================================== */
#ifdef DC_BSH_IMPLEMENTATION
#ifndef DC_BSH_IMPLEMENTED
#define DC_BSH_IMPLEMENTED

#define DC_CONTACT_KERNELS
#include "dc_contact.h"

#ifndef DC_CONTACT_IMPLEMENTED
#error "dc_bsh.h: first define DC_CONTACT_ and DC_BSH_IMPLEMENTATION (DC_..._IMPLEMENTED: elsewhere)"
#endif

#include <math.h>
#include <stdint.h>
#include <string.h>

#if DCI_FUSES
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* ---- [build] building a tree -------------------------------------------------------------------- */
/* In: a mesh, for dc_bsh_build_from with the children of every node; out: a tree. Its topology is left, right,
 * triangle and count of all nodes, breadth first.
 *
 * stage             | reads                   | writes                             | equation
 * dci_bsh_mesh_open | a mesh, children        | the mesh, room for tree and lists  |
 * dci_bsh_halve     | mesh                    | topology                           | halves at the median
 * dci_bsh_adopt     | children                | topology                           |
 * dci_bsh_ranges    | topology                | first, order                       | a node's triangles in a row
 * dci_bsh_centres   | topology, first, order  | centres, the tree's origin         | LRI Definition 5.3
 * dci_bsh_radii     | topology, centres       | corners, radii                     | LRI Definition 5.3
 * dci_bsh_make      | a mesh, children        | the tree                           | all of these */

#define DCI_BSH_MOST (1 << 27)           /* triangles: 5n has to be an int */

typedef struct {
    const dc_v3 *vertex;
    const int   *tri;           /* vertices of the triangles, three each */
    int          vertices, triangles;
    dc_bsh_node *node;          /* [2 triangles - 1] of the tree */
    dc_v3       *corner;        /* [3 triangles] of the tree */
    int         *scratch;       /* [5 triangles] lists of each stage */
    int         *stamp;         /* [vertices] the last node that counted it */
} dci_bsh_mesh;

/* what stays is taken first */
static void dci_bsh_mesh_take(dci_bsh_mesh *mesh, int vertices, int triangles, dci_room *room)
{
    const size_t n = (size_t)triangles;
    mesh->node = DCI_TAKE(room, 2*n - 1, dc_bsh_node);
    mesh->corner = DCI_TAKE(room, 3*n, dc_v3);
    mesh->scratch = DCI_TAKE(room, 5*n, int);
    mesh->stamp = DCI_TAKE(room, vertices, int);
}

DC_DEF size_t dc_bsh_bytes(int nv, int nt)
{
    dci_room room = DC_ZERO;
    dci_bsh_mesh mesh;
    if (nv < 1 || nt < 1 || nt > DCI_BSH_MOST) return 0;
    dci_bsh_mesh_take(&mesh, nv, nt, &room);
    return dci_counted(&room);
}

/* Checks the mesh and the nodes of a given tree, one by one, and takes the memory; the first triangle refused into
 * *bad. */
static dc_status dci_bsh_mesh_open(dci_bsh_mesh *mesh, const dc_v3 *v, int nv, const int *tri, int nt, const int *child,
                                   dc_arena *mem, int *bad)
{
    dci_room room = DC_ZERO;
    int k;

    if (bad) *bad = -1;
    if (!v || !tri || !mem || nv < 1 || nt < 1 || nt > DCI_BSH_MOST) return DC_E_ARG;

    /* vertices that are there and in range; children too */
    for (k = 0; k < 3*nt; ++k)
        if (tri[k] < 0 || tri[k] >= nv || !dc_in_range(v[tri[k]])) {
            if (bad) *bad = k/3;
            return DC_E_ARG;
        }
    for (k = 0; child && k < 2*nt - 1; ++k) {
        int left = child[2*k], right = child[2*k + 1], leaf = left == -1;
        if ((!leaf && (left < 0 || left >= 2*nt - 1)) || right < 0 || right >= (leaf ? nt : 2*nt - 1)) return DC_E_ARG;
    }

    mesh->vertex = v;
    mesh->tri = tri;
    mesh->vertices = nv;
    mesh->triangles = nt;
    room.arena = mem;
    dci_bsh_mesh_take(mesh, nv, nt, &room);
    return room.full ? DC_E_MEMORY : DC_OK;
}

/* three times the centroid of triangle t along an axis */
static dc_real dci_bsh_key(const dci_bsh_mesh *mesh, int axis, int t)
{
    const int *i = mesh->tri + 3*t;
    dc_v3 s = dc_add(mesh->vertex[i[0]], dc_add(mesh->vertex[i[1]], mesh->vertex[i[2]]));
    return axis == 0 ? s.x : axis == 1 ? s.y : s.z;
}

/* Sorts n triangles by key, equal keys by index: the order does not depend on the way it is found. Heap sort: no
 * recursion, n log n always. */
static void dci_bsh_sort(const dci_bsh_mesh *mesh, int axis, int *x, int n)
{
    int i, top;
    for (i = n/2, top = n; top > 1;) {
        int moved, parent, child;
        dc_real key;

        /* building the heap from its end; then the largest goes behind it */
        if (i > 0) moved = x[--i];
        else {
            moved = x[--top];
            x[top] = x[0];
        }

        /* down to where both children come before it */
        key = dci_bsh_key(mesh, axis, moved);
        for (parent = i; (child = 2*parent + 1) < top; parent = child) {
            dc_real k = dci_bsh_key(mesh, axis, x[child]);
            if (child + 1 < top) {
                dc_real other = dci_bsh_key(mesh, axis, x[child + 1]);
                if (other > k || (other >= k && x[child + 1] > x[child])) {
                    ++child;
                    k = other;
                }
            }
            if (k < key || (k <= key && x[child] < moved)) break;
            x[parent] = x[child];
        }
        x[parent] = moved;
    }
}

/* Lists of dci_bsh_halve, in the scratch of the mesh. A node's triangles are a range of each order. */
typedef struct {
    int *order[3];              /* [triangles] by centroid along each axis, within every range */
    int *first;                 /* [triangles] of the nodes still to be split, node % triangles: where a range begins */
    int *spill;                 /* [(triangles + 1)/2] the right half of a range, while its left half closes up */
    unsigned char *right;       /* [triangles] whether a triangle of the range is in the right half */
} dci_bsh_lists;

/* Splits a range at `mid` along the axis of its largest extent: the other two orders follow, stably. */
static void dci_bsh_split(const dci_bsh_mesh *mesh, const dci_bsh_lists *list, int begin, int mid, int end)
{
    int axis, best = 0, i;
    dc_real extent = -1;

    /* the axis */
    for (axis = 0; axis < 3; ++axis) {
        const int *order = list->order[axis];
        dc_real e = dci_bsh_key(mesh, axis, order[end - 1]) - dci_bsh_key(mesh, axis, order[begin]);
        if (e > extent) {
            extent = e;
            best = axis;
        }
    }

    for (i = begin; i < end; ++i) list->right[list->order[best][i]] = i >= mid;
    for (axis = 0; axis < 3; ++axis) {
        int *order = list->order[axis], left = begin, spilled = 0;
        if (axis == best) continue;
        for (i = begin; i < end; ++i) {
            int t = order[i];
            if (list->right[t]) list->spill[spilled++] = t;
            else order[left++] = t;
        }
        for (i = 0; i < spilled; ++i) order[left + i] = list->spill[i];
    }
}

/* Topology by halving. */
static void dci_bsh_halve(const dci_bsh_mesh *mesh)
{
    const int n = mesh->triangles;
    dci_bsh_lists list;
    int axis, i, k, made;
    list.first = mesh->scratch + 3*n;
    list.spill = mesh->scratch + 4*n;
    list.right = (unsigned char *)(list.spill + (n + 1)/2);

    /* all triangles, in three orders */
    for (axis = 0; axis < 3; ++axis) {
        list.order[axis] = mesh->scratch + axis*n;
        for (i = 0; i < n; ++i) list.order[axis][i] = i;
        dci_bsh_sort(mesh, axis, list.order[axis], n);
    }

    /* nodes still to be split have a triangle each at least: n places hold where their ranges begin */
    mesh->node[0].count = n;
    list.first[0] = 0;
    for (k = 0, made = 1; k < made; ++k) {
        dc_bsh_node *q = mesh->node + k;
        int begin = list.first[k%n], mid = begin + q->count/2, end = begin + q->count;
        q->left = q->right = q->triangle = -1;
        if (q->count == 1) {
            q->triangle = list.order[0][begin];
            continue;
        }
        dci_bsh_split(mesh, &list, begin, mid, end);
        q->left = made++;
        q->right = made++;
        list.first[q->left%n] = begin;
        list.first[q->right%n] = mid;
        mesh->node[q->left].count = mid - begin;
        mesh->node[q->right].count = end - mid;
    }
}

/* Topology from a list of children in range. 0: no tree whose leaves are every triangle once. */
static int dci_bsh_adopt(const dci_bsh_mesh *mesh, const int *child)
{
    const int nodes = 2*mesh->triangles - 1;
    int *given = mesh->scratch;         /* [nodes] by our index, the index in the list */
    int *met = given + nodes;           /* [nodes] how often a node of the list was met */
    int *leaf = met + nodes;            /* [triangles] how often a triangle was */
    int k, made;

    for (k = 0; k < nodes; ++k) met[k] = 0;
    for (k = 0; k < mesh->triangles; ++k) leaf[k] = 0;

    /* from the root down, breadth first */
    given[0] = 0;
    met[0] = 1;
    for (k = 0, made = 1; k < made; ++k) {
        int left = child[2*given[k]], right = child[2*given[k] + 1];
        dc_bsh_node *q = mesh->node + k;
        q->left = q->right = q->triangle = -1;
        if (left == -1) {
            if (leaf[right]++) return 0;
            q->triangle = right;
            q->count = 1;
            continue;
        }
        if (met[left]++ || met[right]++) return 0;
        q->left = made;
        given[made++] = left;
        q->right = made;
        given[made++] = right;
    }
    if (made < nodes) return 0;

    /* counts from the leaves up */
    for (k = nodes - 1; k >= 0; --k) {
        dc_bsh_node *q = mesh->node + k;
        if (q->left >= 0) q->count = mesh->node[q->left].count + mesh->node[q->right].count;
    }
    return 1;
}

/* All triangles in an order in which those of node k are `count` in a row from first[k] on, its left child's first. */
static void dci_bsh_ranges(const dc_bsh_node *node, int nodes, int *first, int *order)
{
    int k;
    first[0] = 0;
    for (k = 0; k < nodes; ++k)
        if (node[k].left < 0) order[first[k]] = node[k].triangle;
        else {
            first[node[k].left] = first[k];
            first[node[k].right] = first[k] + node[node[k].left].count;
        }
}

/* Centres, LRI Definition 5.3, from the root's, which becomes the origin. */
static dc_v3 dci_bsh_centres(const dci_bsh_mesh *mesh)
{
    const int nodes = 2*mesh->triangles - 1, *tri = mesh->tri;
    int *order = mesh->scratch, *first = order + mesh->triangles;       /* [triangles], [nodes] */
    dc_v3 o = mesh->vertex[tri[0]];
    int i, j, k, t;

    /* each node by the triangles of its range */
    dci_bsh_ranges(mesh->node, nodes, first, order);
    for (i = 0; i < mesh->vertices; ++i) mesh->stamp[i] = -1;
    for (k = 0; k < nodes; ++k) {
        dc_bsh_node *q = mesh->node + k;
        dc_v3 s = dc_vec(0, 0, 0);
        int used = 0;

        /* each vertex once; but one that a leaf names twice counts twice, as it does in P: else C <= P could fail */
        for (t = first[k]; t < first[k] + q->count; ++t)
            for (i = 0; i < 3; ++i) {
                j = tri[3*order[t] + i];
                if (q->left >= 0 && mesh->stamp[j] == k) continue;
                mesh->stamp[j] = k;
                s = dc_add(s, dc_sub(mesh->vertex[j], o));
                ++used;
            }
        q->c = dc_scale(1/(dc_real)used, s);
        if (k == 0) {
            o = dc_add(o, q->c);
            q->c = dc_vec(0, 0, 0);
        }
    }
    return o;
}

/* Corners from the origin o, and radii, LRI Definition 5.3. */
static void dci_bsh_radii(const dci_bsh_mesh *mesh, dc_v3 o)
{
    int i, k, part;
    for (i = 0; i < 3*mesh->triangles; ++i) mesh->corner[i] = dc_sub(mesh->vertex[mesh->tri[i]], o);

    /* from the leaves up: of a leaf to its corners, else over the spheres of its children */
    for (k = 2*mesh->triangles - 2; k >= 0; --k) {
        dc_bsh_node *q = mesh->node + k;
        const int leaf = q->left < 0;
        q->R = 0;
        for (part = 0; part < (leaf ? 3 : 2); ++part) {
            const dc_bsh_node *child = part ? mesh->node + q->right : mesh->node + q->left;
            dc_v3 e = dc_sub(leaf ? mesh->corner[3*q->triangle + part] : child->c, q->c);
            q->R = dc_max(q->R, dc_sqrt(dc_dot(e, e)) + (leaf ? 0 : child->R));
        }
    }
}

/* Levels below the root, breadth first: a level is followed by twice as many nodes as it has inner ones. */
static int dci_bsh_depth(const dc_bsh_node *node, int nodes)
{
    int depth, k = 0, end = 1;
    for (depth = 0; end < nodes; ++depth) {
        int next = end;
        for (; k < end; ++k) next += node[k].left < 0 ? 0 : 2;
        end = next;
    }
    return depth;
}

static dc_status dci_bsh_make(const dc_v3 *v, int nv, const int *tri, int nt, const int *child, int given,
                              dc_arena *mem, dc_bsh *tree, int *bad)
{
    dci_bsh_mesh mesh;
    size_t used = mem ? mem->used : 0;
    dc_status status;

    if (!tree || (given && !child)) {
        if (bad) *bad = -1;
        return DC_E_ARG;
    }

    /* topology */
    status = dci_bsh_mesh_open(&mesh, v, nv, tri, nt, child, mem, bad);
    if (status == DC_OK) {
        if (!given) dci_bsh_halve(&mesh);
        else if (!dci_bsh_adopt(&mesh, child)) status = DC_E_ARG;
    }

    /* spheres; the scratch follows the corners in the arena */
    if (status == DC_OK) {
        tree->o = dci_bsh_centres(&mesh);
        dci_bsh_radii(&mesh, tree->o);
        tree->node = mesh.node;
        tree->corner = mesh.corner;
        tree->n = nt;
        tree->depth = dci_bsh_depth(mesh.node, 2*nt - 1);
        used = (size_t)((unsigned char *)(mesh.corner + 3*nt) - mem->base);
    }
    if (mem) mem->used = used;
    return status;
}

DC_DEF dc_status dc_bsh_build(const dc_v3 *v, int nv, const int *tri, int nt, dc_arena *mem, dc_bsh *tree, int *bad)
{
    return dci_bsh_make(v, nv, tri, nt, NULL, 0, mem, tree, bad);
}

DC_DEF dc_status dc_bsh_build_from(const dc_v3 *v, int nv, const int *tri, int nt, const int *child, dc_arena *mem,
                                   dc_bsh *tree, int *bad)
{
    return dci_bsh_make(v, nv, tri, nt, child, 1, mem, tree, bad);
}

/* ---- [state] the state of an evaluation ----------------------------------------------------------- */
/* Everything in the axes of body a, lengths from the root centre of the body with the smaller sphere: arms are then
 * never longer than they have to be. The potential depends on the relative pose alone, so value, gradient and Hessian
 * are those by the twist of a about that origin, b at rest: 1 + 6 + 21 numbers, the rows of dc_tri_out.relative, to
 * which the twists of both bodies are expanded once at the end.
 *
 * The tree walk goes from the root pair down, with the weight w of a pair, the product of 1 - phi over the blended
 * pairs above it. Every term, C of a far or blended pair and the exact P of two leaves, adds w times its numbers to
 * the sums at once, whatever hangs above it. A blended pair, P = (1 - phi) S + phi C (LRI Eq. 4), adds terms of its
 * own, for which S and dS below it have to be known:
 *
 *     dP  = (1 - phi) dS  + q1 dr,                          q1 = phi C' + phi' (C - S)                    LRI Eq. 9
 *     d2P = (1 - phi) d2S + q1 d2r + q2 dr dr^T - phi' (dr dS^T + dS dr^T),   q2 = phi C'' + 2 phi' C' + phi'' (C - S)
 *
 * So it has an accumulator for S and dS, closed when no pair below it is waiting any more. Accumulators are made from
 * the root down and reduced in reverse order, all closed ones together whenever they are short, so that a bounded
 * number serves any tree. Triangle pairs queue for dc_tri_batch.
 *
 * With rho_i = x_I - o, rho_j = x_J - o, e = rho_i - rho_j, u = e/r, by the twist of a about o
 *
 *     dr  = j = (u, rho_i x u)
 *     d2r = ( M - j j^T )/r,   M = ( 1          -[rho_i]
 *                                    [rho_i]    (rho_i.rho_j) 1 - (rho_i rho_j^T + rho_j rho_i^T)/2 )
 *
 * M with the second order of the rotation in it: rho_i.rho_i turns into rho_i.rho_j.
 *
 * stage         | reads                 | writes                                       | equation
 * dci_bsh_setup | options, depths       | what the options say; memory                 |
 * dci_bsh_start | trees, poses, want    | problem; walk, sums, result at their start   | */

#define DCI_BSH_QUEUE (8*DC_LANES)      /* triangle pairs in each queue */
#define DCI_BSH_SPARE 64                /* accumulators beyond those that can be open at once */
#define DCI_BSH_BATCH (dc_tri_batch_bytes() - (DC_ALIGN - 1))     /* at an aligned address */

enum { DCI_BSH_VALUE, DCI_BSH_GRAD, DCI_BSH_HESS, DCI_BSH_CONTACTS };

typedef dc_real dci_bsh_row[DC_LANES];

/* Radial terms: far pairs, or blended ones with their accumulators. */
typedef struct {
    dci_bsh_row apart[3], arm[3];               /* e, rho_i */
    dci_bsh_row weight;                         /* w */
    dci_bsh_row copies, shift;                  /* N_I N_J and R_I + R_J of a weighted term, else 1 and 0 */
    dci_bsh_row blend, blend1, blend2;          /* blended: phi and its derivatives by r */
    dci_bsh_row exact, exact_grad[6];           /* blended: S and dS */
    dci_bsh_row centred, centred1, centred2;    /* C(r) and its derivatives */
    dci_bsh_row radial[6], inverse;             /* dr; 1/r */
    int         parent[DC_LANES];               /* the blended pair above, -1 for none */
} dci_bsh_block;

/* Triangle pairs to be solved. */
typedef struct {
    int     count;
    int     tri_a[DCI_BSH_QUEUE], tri_b[DCI_BSH_QUEUE];
    int     parent[DCI_BSH_QUEUE];              /* the blended pair above, -1 for none */
    dc_real weight[DCI_BSH_QUEUE];              /* w */
    dc_real slope[DCI_BSH_QUEUE];               /* phi' */
    dc_real corner[18][DCI_BSH_QUEUE];          /* rows of dc_tri_batch */
} dci_bsh_queue;

/* A node pair to be opened. The first one has node_a = -1: the root pair is to be met. */
typedef struct { int node_a, node_b, parent; dc_real weight; dc_v3 centre_b; } dci_bsh_entry;

/* What is evaluated: constant during a walk. */
typedef struct {
    const dc_bsh *tree_a, *tree_b;
    dc_m3    axes_a, axes_b;            /* axes of a in the world, of b in those of a */
    dc_v3    root_a, root_b;            /* root centres from the origin, in a's axes */
    dc_v3    origin;                    /* of the walk, in the world */
    dc_v3    body_a, body_b;            /* the bodies' origins in the world */
    dc_real  ratio;                     /* d2/d1 = 1 + eps */
    dc_real  length, root_length;       /* l, its root */
    int      weighted;                  /* which C */
    int      want;                      /* DCI_BSH_VALUE .. */
    int      brute;                     /* LRI Eq. 3 in place of the tree */
    unsigned pair;                      /* of a scene: part of the cache's key */
    dc_pair_options exact;              /* of the exact potential */
} dci_bsh_problem;

/* Where a walk is: node pairs and triangle pairs that wait, radial terms not yet summed. */
typedef struct {
    dci_bsh_entry *stack;               /* node pairs to be opened */
    int            stacked;
    dci_bsh_queue  queue[2];            /* blended and not: a block of dc_tri_batch takes as long as its slowest pair */
    dci_bsh_block  away;                /* far pairs */
    int            away_count;
    dci_bsh_block *blended;             /* accumulators */
    int           *place;               /* of each accumulator while they are reduced: its new one */
    int            blended_count, blended_most;
    int            blended_clear;       /* accumulators that were cleared */
    int            brute_a, brute_b;    /* the next pair of LRI Eq. 3 */
    int            capacity, found;     /* contacts: how many are solved; how many there are */
    size_t         opened[4], far_pairs[2];     /* node pairs met: [2 inner + (r <= d1)], [inner] */
} dci_bsh_walk;

/* What all terms so far add up to, lane by lane. */
typedef struct {
    dci_bsh_row value, relative[27];            /* P; the rows of dc_tri_out.relative, but for M */
    dci_bsh_row beta, beta1[3], beta2[6];       /* M: of beta = w q1/r; of beta rho_i; of beta (rho_i rho_j^T + ..)/2 */
} dci_bsh_sums;

/* A queue that is solved, in its order: memory and outputs of dc_tri_batch. */
typedef struct {
    dc_arena      mem;
    dc_tri_out    out;                          /* the rows below, those that are asked for */
    dc_status     status;
    dc_bsh_slot  *slot[DCI_BSH_QUEUE];          /* places in the cache */
    dc_real       plane[4][DCI_BSH_QUEUE], value[DCI_BSH_QUEUE];
    dc_real       slopes[27][DCI_BSH_QUEUE];    /* dc_tri_out.relative, or by the 18 coordinates dc_tri_out.grad */
    unsigned char failed[DCI_BSH_QUEUE];        /* a dc_status */
} dci_bsh_batch;

typedef struct {
    dc_status   status;                 /* DC_OK, DC_E_DIVERGED, or a failure that ends the walk */
    dc_real     value, grad[12], hess[144];
    dc_bsh_info info;
} dci_bsh_result;

typedef struct {
    dci_bsh_problem problem;
    dci_bsh_walk    walk;
    dci_bsh_sums    sums;
    dci_bsh_batch   batch;
    dci_bsh_result  result;
    dc_bsh_cache   *cache;              /* may be NULL */
    dc_bsh_contact *contact;            /* where the next one goes */
    dc_arena       *mem;                /* the caller's: given back up to `used` */
    size_t          used;
} dci_bsh;

/* Pairs on the stack: each level below the root adds three to the one it opens. Open accumulators: those of the pairs
 * on the stack, and one on each level above them. */
static int dci_bsh_levels(const dc_bsh *a, const dc_bsh *b) { return (a->depth > b->depth ? a->depth : b->depth) + 1; }
static size_t dci_bsh_blocks(int levels) { return (4*(size_t)levels + DCI_BSH_SPARE + DC_LANES - 1)/DC_LANES; }

/* a walk's memory */
typedef struct { dci_bsh *work; dci_bsh_block *blended; int *place; dci_bsh_entry *stack; void *batch; } dci_bsh_parts;

static dci_bsh_parts dci_bsh_take(int levels, dci_room *room)
{
    const size_t blocks = dci_bsh_blocks(levels);
    dci_bsh_parts part;
    part.work = DCI_TAKE(room, 1, dci_bsh);
    part.blended = DCI_TAKE(room, blocks, dci_bsh_block);
    part.place = DCI_TAKE(room, blocks*DC_LANES, int);
    part.stack = DCI_TAKE(room, 3*(size_t)levels - 2, dci_bsh_entry);
    part.batch = dci_take(room, 1, DCI_BSH_BATCH);
    return part;
}

static int dci_bsh_depth_ok(const dc_bsh *t) { return t && t->depth >= 0 && t->depth <= DCI_BSH_MOST; }
static int dci_bsh_tree_ok(const dc_bsh *t)
{
    return dci_bsh_depth_ok(t) && t->node && t->corner && t->n >= 1 && dc_in_range(t->o);
}

/* Options and trees checked, memory taken. */
static dc_status dci_bsh_setup(const dc_bsh_options *opt, const dc_bsh *a, const dc_bsh *b, dc_arena *mem,
                               dci_bsh **out)
{
    dc_real eps = opt && opt->eps != 0 ? opt->eps : DC_R(0.5), length = opt && opt->length != 0 ? opt->length : 1;
    dci_bsh_problem *problem;
    dci_room room = DC_ZERO;
    dci_bsh_parts part;
    dci_bsh *W;
    if (!mem || !dci_bsh_tree_ok(a) || !dci_bsh_tree_ok(b) || !(eps >= DC_R(1e-3)) || !(eps <= DC_R(1e3))
        || !(length >= 1/DC_LIMIT) || !(length <= DC_LIMIT)) return DC_E_ARG;

    room.arena = mem;
    part = dci_bsh_take(dci_bsh_levels(a, b), &room);
    if (room.full) return DC_E_MEMORY;
    W = part.work;
    W->walk.blended = part.blended;
    W->walk.blended_most = (int)(dci_bsh_blocks(dci_bsh_levels(a, b))*DC_LANES);
    W->walk.place = part.place;
    W->walk.stack = part.stack;
    W->batch.mem = dc_arena_make(part.batch, DCI_BSH_BATCH);

    /* options */
    problem = &W->problem;
    problem->ratio = 1 + eps;
    problem->length = length;
    problem->root_length = dci_root(length);
    problem->weighted = opt && opt->weighted;
    memset(&problem->exact, 0, sizeof problem->exact);
    problem->exact.length = length;
    *out = W;
    return DC_OK;
}

/* Harmless lanes without weight. */
static void dci_bsh_clear(dci_bsh_block *B)
{
    int l;
    memset(B, 0, sizeof *B);

    for (l = 0; l < DC_LANES; ++l) {
        B->apart[0][l] = B->arm[0][l] = B->copies[l] = 1;
        B->parent[l] = -1;
    }
}

/* Trees, poses, which are good, and what is wanted. */
static void dci_bsh_place(const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b, const dc_pose *pose_b, int want,
                          dci_bsh_problem *problem)
{
    static const dc_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_pose pa = pose_a ? *pose_a : identity, pb = pose_b ? *pose_b : identity;
    dc_m3 Rb, inverse;
    dc_v3 ca, cb, way;
    dc_quat_normalize(pa.q, &pa.q);
    dc_quat_normalize(pb.q, &pb.q);

    /* rotations from b to a and to the world */
    problem->tree_a = a;
    problem->tree_b = b;
    problem->body_a = pa.t;
    problem->body_b = pb.t;
    problem->axes_a = dc_rotation(pa.q);
    Rb = dc_rotation(pb.q);
    inverse = dc_m3_t(&problem->axes_a);
    problem->axes_b = dc_m3_mul(&inverse, &Rb);

    /* the origin is the root centre of the smaller sphere */
    ca = dc_mul(&problem->axes_a, a->o);
    cb = dc_mul(&Rb, b->o);
    way = dc_mul(&inverse, dc_add(dc_sub(pb.t, pa.t), dc_sub(cb, ca)));
    problem->root_a = problem->root_b = dc_vec(0, 0, 0);
    if (a->node->R <= b->node->R) {
        problem->root_b = way;
        problem->origin = dc_add(pa.t, ca);
    } else {
        problem->root_a = dc_neg(way);
        problem->origin = dc_add(pb.t, cb);
    }

    problem->want = want;
    problem->brute = 0;
}

/* The start of a walk: the problem, everything cleared, the root pair on the stack. */
static DCI_NOINLINE void dci_bsh_start(dci_bsh *W, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                                       const dc_pose *pose_b, int want, dc_bsh_cache *cache)
{
    dci_bsh_walk *walk = &W->walk;
    dci_bsh_batch *batch = &W->batch;
    dci_bsh_result *result = &W->result;
    dci_bsh_place(a, pose_a, b, pose_b, want, &W->problem);
    W->problem.pair = cache ? cache->pair : 0;
    W->cache = cache;
    W->contact = NULL;

    /* nothing waits but the root pair */
    walk->stack->node_a = walk->stack->parent = -1;
    walk->stack->weight = 1;
    walk->stacked = 1;
    walk->queue[0].count = walk->queue[1].count = walk->away_count = walk->blended_count = walk->blended_clear = 0;
    walk->brute_a = walk->brute_b = walk->capacity = walk->found = 0;
    memset(walk->opened, 0, sizeof walk->opened);
    memset(walk->far_pairs, 0, sizeof walk->far_pairs);
    dci_bsh_clear(&walk->away);

    /* what dc_tri_batch is asked for */
    memset(&batch->out, 0, sizeof batch->out);
    batch->out.value = batch->value;
    batch->out.status = batch->failed;
    if (cache || want == DCI_BSH_CONTACTS) batch->out.plane = batch->plane[0];
    if (want == DCI_BSH_HESS) batch->out.relative = batch->slopes[0];
    else if (want != DCI_BSH_VALUE) batch->out.grad = batch->slopes[0];

    /* sums and result */
    memset(&W->sums, 0, sizeof W->sums);
    memset(&result->info, 0, sizeof result->info);
    result->info.body_b = 1;
    result->info.triangle_a = result->info.triangle_b = -1;
    result->status = batch->status = DC_OK;
}

/* ---- [lanes] radial terms, and sums over lanes ------------------------------------------------------ */
/* stage               | reads                       | writes                                 | equation
 * dci_bsh_radial      | e, rho_i, copies, shift     | C, its derivatives, dr, 1/r of a block | LRI Eq. 7
 * dci_bsh_moments     | a block, q1, q2             | sums                                   | d2r, dr dr^T
 * dci_bsh_pass_up     | a term's value and gradient | S, dS of the pair above                | LRI Eq. 4
 * dci_bsh_flush_far   | far pairs                   | sums, accumulators                     | LRI Eq. 7
 * dci_bsh_sum_leaves  | solved triangle pairs       | sums                                   | LRI Eq. 6
 * dci_bsh_sum_blended | closed accumulators         | sums                                   | LRI Eq. 4, 9 */

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")   /* else gcc keeps ?: on floating point scalar */
#endif

/* y = x^(-1/4) of a row, x >= DC_REAL_MIN: far pairs are many, and two square roots and two divisions for each would
 * be half of their cost. A quarter of the exponent gives y within 3.2 %, then the series of (1 - h)^(-1/4), h = 1 - x
 * y^4: 3e-4, 1e-10, rounding. */
#if DC_IS_FLOAT
typedef uint32_t dci_bsh_bits;
#define DCI_BSH_QUARTER UINT32_C(0x4f585a1d)
#define DCI_BSH_STEPS 2
#else
typedef uint64_t dci_bsh_bits;
#define DCI_BSH_QUARTER UINT64_C(0x4feb0b4395810625)
#define DCI_BSH_STEPS 3
#endif
static void dci_bsh_quarter(const dc_real *x, dc_real *y)
{
    int l, k;
    for (l = 0; l < DC_LANES; ++l) {
        dci_bsh_bits b;
        dc_real v, u = x[l];
        memcpy(&b, &u, sizeof b);
        b = DCI_BSH_QUARTER - (b >> 2);
        memcpy(&v, &b, sizeof v);

        /* the series, a step a term */
        for (k = 0; k < DCI_BSH_STEPS; ++k) {
            dc_real v2 = v*v, h = 1 - u*(v2*v2);
            v += v*h*(DC_R(0.25) + DC_R(0.15625)*h);
        }
        y[l] = v;
    }
}

/* LRI Eq. 7:  C = 12 N (1 + v)^2,  v = D^-1/2,  D = (r + shift)/l
 *             C' = -12 N (1 + v) v^3/l,   C'' = 6 N v^5 (3 + 4 v)/l^2 */
static void dci_bsh_radial(const dci_bsh_problem *problem, dci_bsh_block *B)
{
    dci_bsh_row r2, q, v;
    dc_real unit = 1/problem->length, root = problem->root_length;
    int l;

    /* q = r^-1/2, v, C */
    for (l = 0; l < DC_LANES; ++l)
        r2[l] = B->apart[0][l]*B->apart[0][l] + B->apart[1][l]*B->apart[1][l] + B->apart[2][l]*B->apart[2][l];
    dci_bsh_quarter(r2, q);
    if (problem->weighted) {
        for (l = 0; l < DC_LANES; ++l) {
            dc_real D = r2[l]*q[l]*q[l] + B->shift[l];
            r2[l] = D*D;
        }
        dci_bsh_quarter(r2, v);
    } else memcpy(v, q, sizeof v);
    for (l = 0; l < DC_LANES; ++l) {
        v[l] *= root;
        B->centred[l] = 12*B->copies[l]*(1 + v[l])*(1 + v[l]);
    }
    if (problem->want == DCI_BSH_VALUE) return;

    /* C', C'', 1/r, dr = (u, rho_i x u) */
    for (l = 0; l < DC_LANES; ++l) {
        dc_real t = v[l], t3 = t*t*t*unit, N = B->copies[l], w = q[l]*q[l];
        dc_real ux = B->apart[0][l]*w, uy = B->apart[1][l]*w, uz = B->apart[2][l]*w;
        dc_real px = B->arm[0][l], py = B->arm[1][l], pz = B->arm[2][l];
        B->centred1[l] = -12*N*(1 + t)*t3;
        B->centred2[l] = 6*N*t3*(t*t*unit)*(3 + 4*t);
        B->inverse[l] = w;
        B->radial[0][l] = ux;
        B->radial[1][l] = uy;
        B->radial[2][l] = uz;
        B->radial[3][l] = py*uz - pz*uy;
        B->radial[4][l] = pz*ux - px*uz;
        B->radial[5][l] = px*uy - py*ux;
    }
}

/* sums += q1 d2r + q2 j j^T + (j m^T + m j^T), the last if m: 6 rows */
static void dci_bsh_moments(const dci_bsh_block *B, const dc_real *q1, const dc_real *q2, dci_bsh_row *m,
                            dci_bsh_sums *sums)
{
    dci_bsh_row beta, n[6], pj[3];
    int k, i, l, row;
    for (l = 0; l < DC_LANES; ++l) beta[l] = q1[l]*B->inverse[l];

    /* what multiplies j: q2 - q1/r, and m */
    if (m) {
        for (k = 0; k < 6; ++k)
            for (l = 0; l < DC_LANES; ++l) n[k][l] = DC_R(0.5)*(q2[l] - beta[l])*B->radial[k][l] + m[k][l];
        for (i = 0, row = 6; i < 6; ++i)
            for (k = i; k < 6; ++k, ++row)
                for (l = 0; l < DC_LANES; ++l)
                    sums->relative[row][l] += B->radial[i][l]*n[k][l] + n[i][l]*B->radial[k][l];
    } else {
        for (k = 0; k < 6; ++k)
            for (l = 0; l < DC_LANES; ++l) n[k][l] = (q2[l] - beta[l])*B->radial[k][l];
        for (i = 0, row = 6; i < 6; ++i)
            for (k = i; k < 6; ++k, ++row)
                for (l = 0; l < DC_LANES; ++l) sums->relative[row][l] += B->radial[i][l]*n[k][l];
    }

    /* M: beta, beta rho_i, beta (rho_i rho_j^T + rho_j rho_i^T)/2 */
    for (k = 0; k < 3; ++k)
        for (l = 0; l < DC_LANES; ++l) {
            dc_real bp = beta[l]*B->arm[k][l];
            pj[k][l] = B->arm[k][l] - B->apart[k][l];
            n[k][l] = DC_R(0.5)*bp;
            sums->beta1[k][l] += bp;
        }
    for (l = 0; l < DC_LANES; ++l) sums->beta[l] += beta[l];
    for (i = 0, row = 0; i < 3; ++i)
        for (k = i; k < 3; ++k, ++row)
            for (l = 0; l < DC_LANES; ++l) sums->beta2[row][l] += n[i][l]*pj[k][l] + n[k][l]*pj[i][l];
}

/* A term's value and gradient (NULL without a Hessian) to S and dS of the blended pair `parent`. */
DCI_LANE void dci_bsh_pass_up(const dci_bsh_walk *walk, int parent, dc_real value, const dc_real *grad)
{
    const unsigned up = (unsigned)parent, lane = up%DC_LANES;
    dci_bsh_block *above = walk->blended + up/DC_LANES;
    int k;
    above->exact[lane] += value;
    for (k = 0; grad && k < 6; ++k) above->exact_grad[k][lane] += grad[k];
}

/* Far pairs: their terms to the sums, their values and gradients to the accumulators above. */
static DCI_NOINLINE void dci_bsh_flush_far(dci_bsh *W)
{
    dci_bsh_block *B = &W->walk.away;
    dci_bsh_sums *sums = &W->sums;
    dci_bsh_row q1, q2;
    const int n = W->walk.away_count, want = W->problem.want, second = want == DCI_BSH_HESS;
    int l, k;
    W->walk.away_count = 0;
    if (n == 0) return;
    for (l = n; l < DC_LANES; ++l) B->weight[l] = 0;
    dci_bsh_radial(&W->problem, B);

    /* sums */
    for (l = 0; l < DC_LANES; ++l) sums->value[l] += B->weight[l]*B->centred[l];
    if (want == DCI_BSH_VALUE) return;
    for (l = 0; l < DC_LANES; ++l) {
        q1[l] = B->weight[l]*B->centred1[l];
        q2[l] = B->weight[l]*B->centred2[l];
    }
    for (k = 0; k < 6; ++k)
        for (l = 0; l < DC_LANES; ++l) sums->relative[k][l] += q1[l]*B->radial[k][l];
    if (second) dci_bsh_moments(B, q1, q2, NULL, sums);

    /* accumulators */
    for (l = 0; l < n; ++l) {
        dc_real grad[6];
        if (B->parent[l] < 0) continue;
        if (second) {
            for (k = 0; k < 6; ++k) grad[k] = B->centred1[l]*B->radial[k][l];
            dci_bsh_pass_up(&W->walk, B->parent[l], B->centred[l], grad);
        } else dci_bsh_pass_up(&W->walk, B->parent[l], B->centred[l], NULL);
    }
}

/* dP/dx of triangle a, of the lanes from `at` on: force and torque, into the first rows. */
static void dci_bsh_torques(const dci_bsh_queue *queue, int at, dci_bsh_batch *batch)
{
    dci_bsh_row f[6];
    int k, l;
    for (k = 0; k < 6; ++k)
        for (l = 0; l < DC_LANES; ++l) f[k][l] = 0;

    /* f = sum of forces, sum of p x f */
    for (k = 0; k < 9; k += 3)
        for (l = 0; l < DC_LANES; ++l) {
            dc_real fx = batch->slopes[k][at + l], fy = batch->slopes[k + 1][at + l], fz = batch->slopes[k + 2][at + l];
            dc_real px = queue->corner[k][at + l], py = queue->corner[k + 1][at + l], pz = queue->corner[k + 2][at + l];
            f[0][l] += fx;
            f[1][l] += fy;
            f[2][l] += fz;
            f[3][l] += py*fz - pz*fy;
            f[4][l] += pz*fx - px*fz;
            f[5][l] += px*fy - py*fx;
        }

    for (k = 0; k < 6; ++k) memcpy(batch->slopes[k] + at, f[k], sizeof f[k]);
}

/* Solved triangle pairs to the sums, whole blocks. */
static void dci_bsh_sum_leaves(int want, int n, const dci_bsh_queue *queue, dci_bsh_batch *batch, dci_bsh_sums *sums)
{
    int at, k, l, rows = want == DCI_BSH_HESS ? 27 : want == DCI_BSH_GRAD ? 6 : 0;
    for (at = 0; at < n; at += DC_LANES) {
        dci_bsh_row w;
        memcpy(w, queue->weight + at, sizeof w);
        if (want == DCI_BSH_GRAD) dci_bsh_torques(queue, at, batch);

        for (l = 0; l < DC_LANES; ++l) sums->value[l] += w[l]*batch->value[at + l];
        for (k = 0; k < rows; ++k)
            for (l = 0; l < DC_LANES; ++l) sums->relative[k][l] += w[l]*batch->slopes[k][at + l];
    }
}

/* What accumulators add to the sums; place < 0 marks open ones, which add nothing. */
static void dci_bsh_sum_blended(int want, const dci_bsh_walk *walk, dci_bsh_sums *sums)
{
    const int n = walk->blended_count;
    int first, k, l;
    for (first = 0; first < n; first += DC_LANES) {
        const dci_bsh_block *B = walk->blended + first/DC_LANES;
        const int *place = walk->place + first;
        dci_bsh_row w, q1, q2, m[6];
        for (l = 0; l < DC_LANES; ++l) w[l] = first + l < n && place[l] >= 0 ? B->weight[l] : DC_R(0.0);
        for (l = 0; l < DC_LANES; ++l) sums->value[l] += w[l]*(B->blend[l]*B->centred[l]);

        /* LRI Eq. 9, terms II and III */
        for (l = 0; l < DC_LANES; ++l) {
            dc_real step = B->centred[l] - B->exact[l], phi1 = B->blend1[l];
            q1[l] = w[l]*(B->blend[l]*B->centred1[l] + phi1*step);
            q2[l] = w[l]*(B->blend[l]*B->centred2[l] + 2*phi1*B->centred1[l] + B->blend2[l]*step);
        }
        for (k = 0; k < 6; ++k)
            for (l = 0; l < DC_LANES; ++l) sums->relative[k][l] += q1[l]*B->radial[k][l];

        /* their derivatives, and -phi' (dr dS^T + dS dr^T) */
        if (want != DCI_BSH_HESS) continue;
        for (k = 0; k < 6; ++k)
            for (l = 0; l < DC_LANES; ++l) m[k][l] = -w[l]*B->blend1[l]*B->exact_grad[k][l];
        dci_bsh_moments(B, q1, q2, m, sums);
    }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- [solve] triangle pairs ----------------------------------------------------------------------- */
/* In: a queue; out: sums, accumulators, or contacts.
 *
 * stage           | reads                     | writes                                    | equation
 * dci_bsh_recall  | queue, cache              | places in the cache, planes to start from |
 * dc_tri_batch    | queue, planes             | batch                                     | LRI Eq. 6, the exact P
 * dci_bsh_verdict | queue, what failed        | result.status and the pair                |
 * dci_bsh_report  | queue, batch              | a contact                                 | LRI Eq. 12
 * dci_bsh_absorb  | queue, batch              | cache, and the outputs                    | */

/* The cache's place for a triangle pair: its own, a free one, or the one used longest ago, of eight. */
static dc_bsh_slot *dci_bsh_slot(const dc_bsh_cache *cache, unsigned pair, int a, int b, int *found)
{
    dc_bsh_slot *best = NULL;
    uint32_t h = (uint32_t)pair*UINT32_C(0x9e3779b1) ^ (uint32_t)a*UINT32_C(0x85ebca6b)
               ^ (uint32_t)b*UINT32_C(0xc2b2ae35);
    int k, at;

    /* scrambled, so that neighbours do not meet */
    h ^= h >> 15;
    h *= UINT32_C(0x2c1b3c6d);
    h ^= h >> 13;
    at = (int)(h%(uint32_t)cache->n);

    /* eight places from there on */
    for (k = 0; k < 8; ++k) {
        dc_bsh_slot *s = cache->slot + at;
        *found = s->turn != 0 && s->pair == pair && s->a == a && s->b == b;
        if (*found) return s;
        if (!best || (best->turn != 0 && (s->turn == 0 || cache->turn - s->turn > cache->turn - best->turn))) best = s;
        if (++at == cache->n) at = 0;
    }
    return best;
}

static dc_plane dci_bsh_plane(const dci_bsh_batch *batch, int k)
{
    dc_plane p;
    p.n = dc_vec(batch->plane[0][k], batch->plane[1][k], batch->plane[2][k]);
    p.d = batch->plane[3][k];
    return p;
}

/* Start planes of the queue, none without a cache. The cache keeps them about the root centre of a, which does not
 * move in a's axes. A place is claimed at once, so that two new pairs do not share it. */
static DCI_NOINLINE void dci_bsh_recall(const dci_bsh_problem *problem, const dci_bsh_queue *queue, dc_bsh_cache *cache,
                                        dci_bsh_batch *batch, dc_bsh_info *info)
{
    int k, found = 0;
    for (k = 0; batch->out.plane && k < queue->count; ++k) {
        dc_plane p = DC_ZERO;

        /* about the origin of the walk */
        if (cache) {
            const int a = queue->tri_a[k], b = queue->tri_b[k];
            dc_bsh_slot *s = batch->slot[k] = dci_bsh_slot(cache, problem->pair, a, b, &found);
            if (found) {
                p = s->plane;
                p.d -= dc_dot(p.n, problem->root_a);
                ++info->warm;
            } else s->plane = p;
            s->pair = problem->pair;
            s->a = a;
            s->b = b;
            s->turn = cache->turn;
        }

        batch->plane[0][k] = p.n.x;
        batch->plane[1][k] = p.n.y;
        batch->plane[2][k] = p.n.z;
        batch->plane[3][k] = p.d;
    }
}

/* Failures of the queue: an overlap before anything else, a pair that diverged only noted. */
static void dci_bsh_verdict(const dci_bsh_queue *queue, const unsigned char *failed, dci_bsh_result *result)
{
    int k, first = -1;

    for (k = 0; k < queue->count; ++k) {
        dc_status status = (dc_status)failed[k];
        if (status == DC_E_DIVERGED) result->status = DC_E_DIVERGED;
        if (status == DC_OK || status == DC_E_DIVERGED) continue;
        if (first < 0 || (status == DC_E_OVERLAP && failed[first] != DC_E_OVERLAP)) first = k;
    }
    if (first < 0) return;

    /* coordinates beyond DC_LIMIT were not the caller's */
    result->status = failed[first] == DC_E_ARG ? DC_E_RANGE : (dc_status)failed[first];
    result->info.triangle_a = queue->tri_a[first];
    result->info.triangle_b = queue->tri_b[first];
}

/* is there a result? */
static int dci_bsh_outcome(dc_status s) { return s == DC_OK || s == DC_E_DIVERGED; }

/* Contact k of the queue; out of the walk's frame into the world. */
static void dci_bsh_report(const dci_bsh_problem *problem, const dci_bsh_queue *queue, const dci_bsh_batch *batch,
                           int k, dc_bsh_contact *c)
{
    const dc_m3 *Ra = &problem->axes_a, *Rb = &problem->axes_b;
    const dc_bsh *a = problem->tree_a, *b = problem->tree_b;
    const dc_real w = queue->weight[k], phi1 = queue->slope[k];
    dc_real *d = c->weight_grad;
    dc_plane p = dci_bsh_plane(batch, k);
    dc_v3 ci = dc_vec(0, 0, 0), cj = ci, u, x, y;
    int i;

    /* centroids */
    for (i = 0; i < 3; ++i) {
        ci = dc_madd(ci, DC_R(1.0/3.0), a->corner[3*queue->tri_a[k] + i]);
        cj = dc_madd(cj, DC_R(1.0/3.0), b->corner[3*queue->tri_b[k] + i]);
    }

    /* the exact pair, its potential by LRI Eq. 12 */
    c->triangle_a = queue->tri_a[k];
    c->triangle_b = queue->tri_b[k];
    c->plane.n = dc_mul(Ra, p.n);
    c->plane.d = p.d - dc_dot(c->plane.n, problem->origin);
    c->weight = w;
    c->value = w*batch->value[k];
    for (i = 0; i < 6; ++i) {
        dc_v3 f = dc_vec(batch->slopes[3*i][k], batch->slopes[3*i + 1][k], batch->slopes[3*i + 2][k]);
        c->force[i] = w*dci_root(dc_dot(f, f));
    }

    /* d(1 - phi) = -phi' dr, each body about its own origin; phi' = 0 where centres might coincide */
    u = dc_sub(dc_add(ci, problem->root_a), dc_add(dc_mul(Rb, cj), problem->root_b));
    u = phi1 > 0 ? dc_mul(Ra, dc_scale(-phi1/dci_root(dc_dot(u, u)), u)) : dc_vec(0, 0, 0);
    x = dc_cross(dc_mul(Ra, dc_add(ci, a->o)), u);
    y = dc_cross(u, dc_mul(Ra, dc_mul(Rb, dc_add(cj, b->o))));
    d[0] = u.x;   d[1] = u.y;   d[2] = u.z;   d[3] = x.x;  d[4] = x.y;   d[5] = x.z;
    d[6] = -u.x;  d[7] = -u.y;  d[8] = -u.z;  d[9] = y.x;  d[10] = y.y;  d[11] = y.z;
}

/* A solved queue: planes to the cache, numbers to the sums and accumulators, or contacts to the caller. */
static DCI_NOINLINE void dci_bsh_absorb(dci_bsh *W, dci_bsh_queue *queue)
{
    const int n = queue->count, want = W->problem.want;
    dci_bsh_batch *batch = &W->batch;
    int k, row;

    /* failures end the walk; planes that were found are kept */
    if (batch->status != DC_OK) {
        dci_bsh_verdict(queue, batch->failed, &W->result);
        if (!dci_bsh_outcome(W->result.status)) return;
    }
    queue->count = 0;
    for (k = 0; W->cache && k < n; ++k) {
        dc_plane *plane = &batch->slot[k]->plane;
        *plane = dci_bsh_plane(batch, k);
        plane->d += dc_dot(plane->n, W->problem.root_a);
    }

    /* contacts */
    for (k = 0; want == DCI_BSH_CONTACTS && k < n; ++k)
        dci_bsh_report(&W->problem, queue, batch, k, W->contact++);
    if (want == DCI_BSH_CONTACTS) return;

    /* the rest of the last block without weight */
    for (k = n; k%DC_LANES != 0; ++k) {
        queue->weight[k] = batch->value[k] = 0;
        for (row = 0; row < 18; ++row) queue->corner[row][k] = 0;
        for (row = 0; row < 27; ++row) batch->slopes[row][k] = 0;
    }
    dci_bsh_sum_leaves(want, n, queue, batch, &W->sums);

    /* accumulators */
    for (k = 0; want != DCI_BSH_VALUE && k < n; ++k) {
        dc_real grad[6];
        if (queue->parent[k] < 0) continue;
        for (row = 0; row < 6; ++row) grad[row] = batch->slopes[row][k];
        dci_bsh_pass_up(&W->walk, queue->parent[k], batch->value[k], want == DCI_BSH_HESS ? grad : NULL);
    }
}

/* ---- [walk] node pairs ------------------------------------------------------------------------------ */
/* In: a problem, a walk at its start; out: sums and counters.
 *
 * stage          | reads                   | writes                                          | equation
 * dci_bsh_open   | an entry of the stack   | a pair's children, or the roots                 | LRI Algorithm 1
 * dci_bsh_meet   | a node pair             | far pairs, accumulators, the stack, the queues  | LRI Eq. 6, 8
 * dci_bsh_reduce | far pairs, accumulators | sums, S and dS of the open accumulators         | LRI Eq. 4
 * dci_bsh_next   | the stack               | a queue to be solved                            | LRI Algorithm 1
 * dci_bsh_drive  | the problem             | everything, queue by queue                      | */

/* Closed accumulators, in reverse order, into those above them and the sums; the open ones move to the front. The
 * queues are empty. */
static DCI_NOINLINE void dci_bsh_reduce(dci_bsh *W)
{
    const dci_bsh_problem *problem = &W->problem;
    dci_bsh_walk *walk = &W->walk;
    const int n = walk->blended_count, second = problem->want == DCI_BSH_HESS;
    int *place = walk->place, k, m, row;
    dci_bsh_flush_far(W);

    /* open: with a pair on the stack below */
    for (k = 0; k < n; ++k) place[k] = 0;
    for (k = 0; k < walk->stacked; ++k)
        for (m = walk->stack[k].parent; m >= 0 && place[m] == 0; m = walk->blended[m/DC_LANES].parent[m%DC_LANES])
            place[m] = -1;

    /* P = S + phi (C - S) of the closed ones to S of those above them, LRI Eq. 4, 9 */
    for (k = 0; k < n; k += DC_LANES) dci_bsh_radial(problem, walk->blended + k/DC_LANES);
    for (k = n - 1; k >= 0; --k) {
        const dci_bsh_block *B = walk->blended + k/DC_LANES;
        const int l = k%DC_LANES;
        dc_real grad[6], phi = B->blend[l], rest = 1 - phi, C = B->centred[l], S = B->exact[l], q1;
        if (place[k] < 0 || B->parent[l] < 0) continue;
        if (second) {
            q1 = phi*B->centred1[l] + B->blend1[l]*(C - S);
            for (row = 0; row < 6; ++row) grad[row] = rest*B->exact_grad[row][l] + q1*B->radial[row][l];
        }
        dci_bsh_pass_up(walk, B->parent[l], rest*S + phi*C, second ? grad : NULL);
    }
    dci_bsh_sum_blended(problem->want, walk, &W->sums);

    /* the open ones to the front, what they are made of, C excepted */
    for (k = 0, m = 0; k < n; ++k) {
        const dci_bsh_block *from = walk->blended + k/DC_LANES;
        dci_bsh_block *to = walk->blended + m/DC_LANES;
        const int l = k%DC_LANES, at = m%DC_LANES;
        if (place[k] == 0) continue;
        place[k] = m++;
        for (row = 0; row < 3; ++row) {
            to->apart[row][at] = from->apart[row][l];
            to->arm[row][at] = from->arm[row][l];
        }
        for (row = 0; row < 6; ++row) to->exact_grad[row][at] = from->exact_grad[row][l];
        to->weight[at] = from->weight[l];
        to->copies[at] = from->copies[l];
        to->shift[at] = from->shift[l];
        to->blend[at] = from->blend[l];
        to->blend1[at] = from->blend1[l];
        to->blend2[at] = from->blend2[l];
        to->exact[at] = from->exact[l];
        to->parent[at] = from->parent[l] < 0 ? -1 : place[from->parent[l]];
    }
    walk->blended_count = m;
    for (k = 0; k < walk->stacked; ++k)
        if (walk->stack[k].parent >= 0) walk->stack[k].parent = place[walk->stack[k].parent];
}

/* A triangle pair into a queue, in the frame of the walk. */
static void dci_bsh_enqueue(const dci_bsh_problem *problem, int a, int b, dc_real weight, dc_real slope, int parent,
                            dci_bsh_queue *queue)
{
    const int n = queue->count++;
    int i;
    for (i = 0; i < 9; i += 3) {
        dc_v3 p = dc_add(problem->tree_a->corner[3*a + i/3], problem->root_a);
        dc_v3 q = dc_add(dc_mul(&problem->axes_b, problem->tree_b->corner[3*b + i/3]), problem->root_b);
        queue->corner[i][n] = p.x;      queue->corner[i + 9][n] = q.x;
        queue->corner[i + 1][n] = p.y;  queue->corner[i + 10][n] = q.y;
        queue->corner[i + 2][n] = p.z;  queue->corner[i + 11][n] = q.z;
    }

    queue->tri_a[n] = a;
    queue->tri_b[n] = b;
    queue->weight[n] = weight;
    queue->slope[n] = slope;
    queue->parent[n] = parent;
}

/* A node on its way through the walk: where its centre is, in the walk's frame. */
typedef struct { const dc_bsh_node *node; int index; dc_v3 centre; } dci_bsh_at;

DC_INLINE dci_bsh_at dci_bsh_at_a(const dci_bsh_problem *problem, int i)
{
    dci_bsh_at at;
    at.node = problem->tree_a->node + i;
    at.index = i;
    at.centre = dc_add(at.node->c, problem->root_a);
    return at;
}

DC_INLINE dci_bsh_at dci_bsh_at_b(const dci_bsh_problem *problem, int j)
{
    dci_bsh_at at;
    at.node = problem->tree_b->node + j;
    at.index = j;
    at.centre = dc_add(dc_mul(&problem->axes_b, at.node->c), problem->root_b);
    return at;
}

/* A radial term into lane l: e, rho_i, what multiplies and shifts it. */
DC_INLINE void dci_bsh_term(const dci_bsh_problem *problem, dci_bsh_block *B, unsigned l, const dci_bsh_at *a,
                            const dci_bsh_at *b, dc_real w, int parent)
{
    B->apart[0][l] = a->centre.x - b->centre.x;
    B->apart[1][l] = a->centre.y - b->centre.y;
    B->apart[2][l] = a->centre.z - b->centre.z;
    B->arm[0][l] = a->centre.x;
    B->arm[1][l] = a->centre.y;
    B->arm[2][l] = a->centre.z;
    B->weight[l] = w;
    B->parent[l] = parent;
    if (problem->weighted) {
        B->copies[l] = (dc_real)a->node->count*(dc_real)b->node->count;
        B->shift[l] = a->node->R + b->node->R;
    }
}

DC_INLINE void dci_bsh_far_term(dci_bsh *W, const dci_bsh_at *a, const dci_bsh_at *b, dc_real w, int parent)
{
    dci_bsh_term(&W->problem, &W->walk.away, (unsigned)W->walk.away_count, a, b, w, parent);
    if (++W->walk.away_count == DC_LANES) dci_bsh_flush_far(W);
}

/* A new accumulator below `parent`; its phi is yet to come. */
DC_INLINE int dci_bsh_accumulator(const dci_bsh_problem *problem, const dci_bsh_at *a, const dci_bsh_at *b, dc_real w,
                                  int parent, dc_real phi, dc_real phi1, dc_real phi2, dci_bsh_walk *walk)
{
    const unsigned l = (unsigned)walk->blended_count%DC_LANES;
    dci_bsh_block *B = walk->blended + (unsigned)walk->blended_count/DC_LANES;
    int k;

    /* blocks are cleared when they are first used */
    if (walk->blended_count == walk->blended_clear) {
        dci_bsh_clear(B);
        walk->blended_clear += DC_LANES;
    }

    dci_bsh_term(problem, B, l, a, b, w, parent);
    B->blend[l] = phi;
    B->blend1[l] = phi1;
    B->blend2[l] = phi2;
    B->exact[l] = 0;
    for (k = 0; k < 6; ++k) B->exact_grad[k][l] = 0;
    return walk->blended_count++;
}

/* d1 < r < d2: phi C of a pair of weight w, as one more far term or in an accumulator, which becomes *parent. Returns
 * 1 - phi; phi' in *phi1, but for the value alone. */
DC_INLINE dc_real dci_bsh_blended(dci_bsh *W, const dci_bsh_at *a, const dci_bsh_at *b, dc_real r2, dc_real d1,
                                  dc_real d2, dc_real w, int *parent, dc_real *phi1)
{
    const dc_real span = d2 - d1, x = (dci_root(r2) - d1)/span;      /* span > 0 */
    dc_real phi, phi2;
    if (W->problem.want == DCI_BSH_VALUE) {
        phi = dc_blend(x, NULL, NULL);
        dci_bsh_far_term(W, a, b, w*phi, *parent);
        return 1 - phi;
    }
    phi = dc_blend(x, phi1, &phi2);
    *phi1 /= span;
    if (W->problem.want != DCI_BSH_CONTACTS)
        *parent = dci_bsh_accumulator(&W->problem, a, b, w, *parent, phi, *phi1, phi2/(span*span), &W->walk);
    return 1 - phi;
}

/* A node pair of weight w below the accumulator `parent`, r2 = r^2: LRI Eq. 8, of two leaves LRI Eq. 6.
 *
 *     r <= d1         P = S
 *     d1 < r < d2     P = (1 - phi) S + phi C
 *     r >= d2         P = C
 *
 * C is a far term, S is that of the children, to be opened, or of two leaves exact, to be solved. For contacts, C is of
 * no interest, and 1 - phi only of leaves (LRI Eq. 12). */
DC_INLINE void dci_bsh_meet(dci_bsh *W, const dci_bsh_at *a, const dci_bsh_at *b, dc_real r2, dc_real w, int parent)
{
    const dci_bsh_problem *problem = &W->problem;
    dci_bsh_walk *walk = &W->walk;
    const dc_real d1 = a->node->R + b->node->R, d2 = problem->ratio*d1;
    const int inner = a->node->left >= 0 || b->node->left >= 0, contacts = problem->want == DCI_BSH_CONTACTS;
    const int within = r2 <= dc_max(d1*d1, DC_REAL_MIN);
    dc_real phi1 = 0;

    /* C or its share */
    if (within) ++walk->opened[2*inner + 1];
    else if (!(r2 >= d2*d2)) {
        ++walk->opened[2*inner];
        if (!contacts || !inner) w *= dci_bsh_blended(W, a, b, r2, d1, d2, w, &parent, &phi1);
    } else {
        ++walk->far_pairs[inner];
        if (!contacts) dci_bsh_far_term(W, a, b, w, parent);
        return;
    }

    /* S or its share, r < d2 */
    if (inner) {
        dci_bsh_entry *s = walk->stack + walk->stacked++;
        s->node_a = a->index;
        s->node_b = b->index;
        s->parent = parent;
        s->weight = w;
        s->centre_b = b->centre;
    } else if (!contacts || walk->found++ < walk->capacity)
        dci_bsh_enqueue(problem, a->node->triangle, b->node->triangle, w, phi1, parent, walk->queue + within);
}

/* LRI Eq. 3: every triangle pair in turn. Returns a queue to be solved, NULL at the end. */
static dci_bsh_queue *dci_bsh_next_pairs(const dci_bsh_problem *problem, dci_bsh_walk *walk)
{
    dci_bsh_queue *queue = walk->queue;

    while (queue->count < DCI_BSH_QUEUE && walk->brute_a < problem->tree_a->n) {
        dci_bsh_enqueue(problem, walk->brute_a, walk->brute_b, 1, 0, -1, queue);
        ++walk->opened[1];
        if (++walk->brute_b == problem->tree_b->n) {
            walk->brute_b = 0;
            ++walk->brute_a;
        }
    }
    return queue->count > 0 ? queue : NULL;
}

/* LRI Algorithm 1 without the recursion, up to a queue that has to be solved, or NULL at the end. Pairs of children
 * are measured together, then met one by one. */
static DCI_NOINLINE dci_bsh_queue *dci_bsh_next(dci_bsh *W)
{
    const dci_bsh_problem *problem = &W->problem;
    dci_bsh_walk *walk = &W->walk;
    if (problem->brute) return dci_bsh_next_pairs(problem, walk);
    for (;;) {
        const dci_bsh_entry *s;
        dci_bsh_at a[2], b[2];
        dc_real w, r2[4];
        int n_a = 1, n_b = 1, parent, k, m;

        /* an opened pair has up to four of triangles, or of accumulators: for those all closed ones make room */
        int last = walk->stacked == 0 || walk->blended_count + 4 > walk->blended_most;
        for (k = 0; k < 2; ++k)
            if (walk->queue[k].count > (last ? 0 : DCI_BSH_QUEUE - 4)) return walk->queue + k;
        if (last) dci_bsh_reduce(W);
        if (walk->stacked == 0) return NULL;

        /* the roots, or the children of a pair; a leaf stands for itself */
        s = walk->stack + --walk->stacked;
        w = s->weight;
        parent = s->parent;
        if (s->node_a < 0) {
            a[0] = dci_bsh_at_a(problem, 0);
            b[0] = dci_bsh_at_b(problem, 0);
        } else {
            const dc_bsh_node *p = problem->tree_a->node + s->node_a, *q = problem->tree_b->node + s->node_b;
            n_a = p->left < 0 ? 1 : 2;
            n_b = q->left < 0 ? 1 : 2;
            a[0] = dci_bsh_at_a(problem, n_a == 1 ? s->node_a : p->left);
            if (n_a == 2) a[1] = dci_bsh_at_a(problem, p->right);
            if (n_b == 1) {
                b[0].node = q;
                b[0].index = s->node_b;
                b[0].centre = s->centre_b;
            } else {
                b[0] = dci_bsh_at_b(problem, q->left);
                b[1] = dci_bsh_at_b(problem, q->right);
            }
        }

        for (m = 0; m < n_b; ++m)
            for (k = 0; k < n_a; ++k) {
                dc_v3 e = dc_sub(a[k].centre, b[m].centre);
                r2[2*m + k] = dc_dot(e, e);
            }
        for (m = 0; m < n_b; ++m)
            for (k = 0; k < n_a; ++k) dci_bsh_meet(W, a + k, b + m, r2[2*m + k], w, parent);
    }
}

/* Walks and solves in turn, so that the stack of dc_tri_batch does not come on top of that of the walk. */
static DCI_NOINLINE void dci_bsh_drive(dci_bsh *W)
{
    const dci_bsh_problem *problem = &W->problem;
    dci_bsh_batch *batch = &W->batch;
    dci_bsh_queue *queue;

    while (dci_bsh_outcome(W->result.status) && (queue = dci_bsh_next(W)) != NULL) {
        dci_bsh_recall(problem, queue, W->cache, batch, &W->result.info);
        batch->status = dc_tri_batch(&problem->exact, queue->count, queue->corner[0], DCI_BSH_QUEUE, &batch->mem,
                                     &batch->out);
        dci_bsh_absorb(W, queue);
    }
}

/* ---- [expand] the twists of both bodies --------------------------------------------------------------- */
/* stage                | reads               | writes             | equation
 * dci_bsh_expand       | problem, sums       | gradient, Hessian  | dc_relative_expand
 * dci_bsh_expand_alone | problem, a far root | gradient, Hessian  | (J) below
 * dci_bsh_finish       | all of these        | result             | */

static dc_real dci_bsh_total(const dc_real *row)
{
    dc_real s = 0;
    int l;
    for (l = 0; l < DC_LANES; ++l) s += row[l];
    return s;
}

/* Sums to the derivatives by the twists of both bodies, in the world. hess may be NULL. */
static void dci_bsh_expand(const dci_bsh_problem *problem, const dci_bsh_sums *sums, dc_real *grad, dc_real *hess)
{
    const dc_m3 *R = &problem->axes_a;
    dc_relative total;
    dc_m3 Rt = dc_m3_t(R), skew;
    dc_v3 g;
    dc_real beta, beta2[6], trace, *H = total.H;
    int i, k, row, bi, bk;

    /* gradient */
    total.o = problem->origin;
    for (i = 0; i < 6; ++i) total.g[i] = dci_bsh_total(sums->relative[i]);
    for (i = 0; i < 6; i += 3) {
        g = dc_mul(R, dc_vec(total.g[i], total.g[i + 1], total.g[i + 2]));
        total.g[i] = g.x;
        total.g[i + 1] = g.y;
        total.g[i + 2] = g.z;
    }

    /* Hessian */
    if (hess) {
        for (i = 0, row = 6; i < 6; ++i)
            for (k = i; k < 6; ++k, ++row) H[6*i + k] = H[6*k + i] = dci_bsh_total(sums->relative[row]);

        /* M of d2r */
        beta = dci_bsh_total(sums->beta);
        skew = dc_m3_skew(dc_vec(dci_bsh_total(sums->beta1[0]), dci_bsh_total(sums->beta1[1]),
                                 dci_bsh_total(sums->beta1[2])));
        for (k = 0; k < 6; ++k) beta2[k] = dci_bsh_total(sums->beta2[k]);
        trace = beta2[0] + beta2[3] + beta2[5];
        for (i = 0, row = 0; i < 3; ++i) {
            H[6*i + i] += beta;
            H[6*(3 + i) + 3 + i] += trace;
            for (k = 0; k < 3; ++k) H[6*i + 3 + k] -= skew.m[3*i + k];
            for (k = i; k < 3; ++k, ++row) H[6*(3 + i) + 3 + k] -= beta2[row];
        }
        for (i = 3; i < 6; ++i)
            for (k = 3; k < i; ++k) H[6*i + k] = H[6*k + i];

        /* R H R^T of the upper blocks, the rest by symmetry */
        for (bi = 0; bi < 6; bi += 3)
            for (bk = bi; bk < 6; bk += 3) {
                dc_m3 M, T;
                for (i = 0; i < 9; ++i) M.m[i] = H[6*(bi + i/3) + bk + i%3];
                T = dc_m3_mul(&M, &Rt);
                M = dc_m3_mul(R, &T);
                for (i = 0; i < 9; ++i) H[6*(bi + i/3) + bk + i%3] = M.m[i];
            }
        for (i = 0; i < 6; ++i)
            for (k = 0; k < i; ++k) H[6*i + k] = H[6*k + i];
    }
    dc_relative_expand(&total, problem->body_a, problem->body_b, grad, hess);
}

/* The root pair alone is far: one radial term C(r) of the root centres, r e = x_a - x_b, each body about its own
 * origin. Twists about one origin would be shifted over the whole distance here, and lose its square in digits.
 *
 *     d(r e) = J (v_a, w_a, v_b, w_b) + w_a x (w_a x l_a)/2 - w_b x (w_b x l_b)/2,  J = (I, -[l_a]x, -I, [l_b]x)  (J)
 *     grad = C' J^T e,   hess = J^T (C'' e e^T + C'/r (I - e e^T)) J + C' e.(the second order of d(r e))
 *
 * l_a, l_b: the centres from the bodies' origins. `away` has the term in its first lane; hess may be NULL. */
static void dci_bsh_expand_alone(const dci_bsh_problem *problem, const dci_bsh_block *away, dc_real *grad,
                                 dc_real *hess)
{
    const dc_bsh *a = problem->tree_a, *b = problem->tree_b;
    dc_real C1 = away->centred1[0], lateral = C1*away->inverse[0], along = away->centred2[0] - lateral;
    dc_v3 e, l[2], J[12];
    int i, k, body;

    /* e from the levers themselves, so that torques balance as forces do; r > 0: the roots are far */
    l[0] = dc_mul(&problem->axes_a, dc_add(a->o, a->node->c));
    l[1] = dc_mul(&problem->axes_a, dc_mul(&problem->axes_b, dc_add(b->o, b->node->c)));
    e = dc_add(dc_sub(problem->body_a, problem->body_b), dc_sub(l[0], l[1]));
    e = dc_scale(1/dci_root(dc_dot(e, e)), e);

    /* columns of J: the motion of r e under a unit of each freedom */
    for (i = 0; i < 3; ++i) {
        dc_v3 axis = dci_axis(i);
        J[i] = axis;
        J[3 + i] = dc_cross(axis, l[0]);
        J[6 + i] = dc_neg(axis);
        J[9 + i] = dc_cross(l[1], axis);
    }
    for (i = 0; i < 12; ++i) grad[i] = C1*dc_dot(J[i], e);
    if (!hess) return;

    for (i = 0; i < 12; ++i)
        for (k = i; k < 12; ++k) {
            dc_real h = lateral*dc_dot(J[i], J[k]) + along*(dc_dot(J[i], e)*dc_dot(J[k], e));
            hess[12*i + k] = hess[12*k + i] = h;
        }

    /* f.(w x (w x l))/2 = w^T ((f l^T + l f^T)/2 - (f.l) I) w/2 */
    for (body = 0; body < 2; ++body) {
        dc_v3 f = dc_scale(body ? -C1 : C1, e);
        dc_real fv[3], lv[3], fl = dc_dot(f, l[body]);
        fv[0] = f.x;        fv[1] = f.y;        fv[2] = f.z;
        lv[0] = l[body].x;  lv[1] = l[body].y;  lv[2] = l[body].z;
        for (i = 0; i < 3; ++i)
            for (k = i; k < 3; ++k) {
                int row = 6*body + 3 + i, column = 6*body + 3 + k;
                hess[12*row + column] += DC_R(0.5)*(fv[i]*lv[k] + lv[i]*fv[k]) - (i == k ? fl : 0);
                hess[12*column + row] = hess[12*row + column];
            }
    }
}

/* The end of a walk: its numbers into the result, whose status is returned. */
static DCI_NOINLINE dc_status dci_bsh_finish(const dci_bsh_problem *problem, const dci_bsh_walk *walk,
                                             const dci_bsh_sums *sums, dci_bsh_result *result)
{
    const size_t *opened = walk->opened, *far_pairs = walk->far_pairs;
    const int want = problem->want, second = want == DCI_BSH_HESS;
    dc_bsh_info *info = &result->info;
    int k;

    /* counters and value */
    info->leaf_near = opened[1];
    info->leaf_blended = opened[0];
    info->leaf_far = far_pairs[0];
    info->inner_near = opened[3];
    info->inner_blended = opened[2];
    info->inner_far = far_pairs[1];
    result->value = result->status == DC_E_OVERLAP ? dci_from_bits(DCI_INF) : dci_bsh_total(sums->value);
    if (!dci_bsh_outcome(result->status) || want == DCI_BSH_CONTACTS) return result->status;
    if (!dc_finite(result->value)) return DC_E_RANGE;

    /* derivatives: of one far pair, or of the sums */
    if (want == DCI_BSH_VALUE) return result->status;
    if (far_pairs[0] + far_pairs[1] == 1 && opened[0] + opened[1] + opened[2] + opened[3] == 0)
        dci_bsh_expand_alone(problem, &walk->away, result->grad, second ? result->hess : NULL);
    else dci_bsh_expand(problem, sums, result->grad, second ? result->hess : NULL);
    for (k = 0; k < 12; ++k)
        if (!dc_finite(result->grad[k])) return DC_E_RANGE;
    for (k = 0; second && k < 144; ++k)
        if (!dc_finite(result->hess[k])) return DC_E_RANGE;
    return result->status;
}

/* ---- [calls] two bodies ------------------------------------------------------------------------------- */
/* stage          | reads                       | writes                         | equation
 * dci_bsh_open   | options, trees, poses       | a dci_bsh at its start         |
 * dci_bsh_drive  | a dci_bsh                   | sums, or contacts              | LRI Eq. 3 to 8
 * dci_bsh_answer | a dci_bsh, result           | the caller's outputs and arena | */

/* none, or one that dc_bsh_cache_make made? */
static int dci_bsh_cache_ok(const dc_bsh_cache *cache) { return !cache || (cache->slot && cache->n >= 1); }

static void dci_bsh_turn(dc_bsh_cache *cache)
{
    if (cache && ++cache->turn == 0) cache->turn = 1;       /* 0 marks a free slot */
}

DC_DEF size_t dc_bsh_cache_bytes(int pairs)
{
    size_t sum;
    if (pairs < 1) return 0;
    sum = dc_bytes(0, (size_t)pairs, sizeof(dc_bsh_slot));
    return sum == SIZE_MAX ? 0 : sum;
}

DC_DEF dc_status dc_bsh_cache_make(int pairs, dc_arena *mem, dc_bsh_cache *cache)
{
    dc_bsh_slot *slot;
    if (pairs < 1 || !mem || !cache) return DC_E_ARG;
    slot = (dc_bsh_slot *)dc_arena_take(mem, (size_t)pairs, sizeof *slot);
    if (!slot) return DC_E_MEMORY;

    /* no slot is taken yet */
    memset(slot, 0, (size_t)pairs*sizeof *slot);
    cache->slot = slot;
    cache->n = pairs;
    cache->turn = cache->pair = 0;
    return DC_OK;
}

DC_DEF size_t dc_bsh_eval_bytes(const dc_bsh *a, const dc_bsh *b)
{
    dci_room room = DC_ZERO;
    if (!dci_bsh_depth_ok(a) || !dci_bsh_depth_ok(b)) return 0;
    dci_bsh_take(dci_bsh_levels(a, b), &room);
    return dci_counted(&room);
}

/* Two bodies up to the start of their walk. On failure the arena is as it was. */
static DCI_NOINLINE dc_status dci_bsh_open(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a,
                                           const dc_bsh *b, const dc_pose *pose_b, dc_arena *mem, dc_bsh_cache *cache,
                                           int want, dci_bsh **W)
{
    size_t used = mem ? mem->used : 0;
    dc_status status = DC_E_ARG;
    if (dci_bsh_cache_ok(cache) && dc_pose_ok(pose_a) && dc_pose_ok(pose_b)) status = dci_bsh_setup(opt, a, b, mem, W);
    if (status != DC_OK) {
        if (mem) mem->used = used;
        return status;
    }

    dci_bsh_turn(cache);
    dci_bsh_start(*W, a, pose_a, b, pose_b, want, cache);
    (*W)->mem = mem;
    (*W)->used = used;
    return DC_OK;
}

/* The outputs of two bodies, each of which may be NULL, and the memory back. */
static DCI_NOINLINE dc_status dci_bsh_answer(dci_bsh *W, dc_real *value, dc_real *grad, dc_real *hess,
                                             dc_bsh_info *info)
{
    dci_bsh_result *result = &W->result;
    dc_status status = dci_bsh_finish(&W->problem, &W->walk, &W->sums, result);
    if (info) *info = result->info;
    if (value && (dci_bsh_outcome(status) || status == DC_E_OVERLAP)) *value = result->value;
    if (grad && dci_bsh_outcome(status)) memcpy(grad, result->grad, sizeof result->grad);
    if (hess && dci_bsh_outcome(status)) memcpy(hess, result->hess, sizeof result->hess);
    W->mem->used = W->used;
    return status;
}

static int dci_bsh_wanted(const dc_real *grad, const dc_real *hess)
{
    return hess ? DCI_BSH_HESS : grad ? DCI_BSH_GRAD : DCI_BSH_VALUE;
}

DC_DEF dc_status dc_bsh_eval(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                             const dc_pose *pose_b, dc_arena *mem, dc_bsh_cache *cache, dc_real *value, dc_real *grad,
                             dc_real *hess, dc_bsh_info *info)
{
    dci_bsh *W;
    dc_status status = dci_bsh_open(opt, a, pose_a, b, pose_b, mem, cache, dci_bsh_wanted(grad, hess), &W);
    if (status != DC_OK) return status;
    dci_bsh_drive(W);
    return dci_bsh_answer(W, value, grad, hess, info);
}

DC_DEF dc_status dc_bsh_brute(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                              const dc_pose *pose_b, dc_arena *mem, dc_real *value, dc_real *grad, dc_real *hess,
                              dc_bsh_info *info)
{
    dci_bsh *W;
    dc_status status = dci_bsh_open(opt, a, pose_a, b, pose_b, mem, NULL, dci_bsh_wanted(grad, hess), &W);
    if (status != DC_OK) return status;
    W->problem.brute = 1;
    dci_bsh_drive(W);
    return dci_bsh_answer(W, value, grad, hess, info);
}

DC_DEF dc_status dc_bsh_contacts(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                                 const dc_pose *pose_b, dc_arena *mem, dc_bsh_cache *cache, int capacity,
                                 dc_bsh_contact *contact, int *count, dc_bsh_info *info)
{
    dci_bsh *W;
    dc_status status;
    int found;
    if (capacity < 0 || (capacity > 0 && !contact) || !count) return DC_E_ARG;
    status = dci_bsh_open(opt, a, pose_a, b, pose_b, mem, cache, DCI_BSH_CONTACTS, &W);
    if (status != DC_OK) return status;

    /* the list is written as the walk goes */
    W->contact = contact;
    W->walk.capacity = capacity;
    dci_bsh_drive(W);
    found = W->walk.found;
    status = dci_bsh_answer(W, NULL, NULL, NULL, info);
    if (!dci_bsh_outcome(status)) return status;
    *count = found;
    return found > capacity ? DC_E_MEMORY : status;
}

/* ---- [scene] all pairs of many bodies ------------------------------------------------------------------- */
/* stage              | reads                | writes                               | equation
 * dci_bsh_scene_open | all arguments        | a dci_bsh_scene before its first pair |
 * dci_bsh_scene_next | pairs to be left out | first, second; their walk's start    |
 * dci_bsh_drive      | the pair             | sums                                 | [walk]
 * dci_bsh_scene_add  | the pair's result    | the caller's gradient and Hessian, sums | */

typedef struct {
    dci_bsh *work;                      /* of one pair at a time */
    int      bodies, exclusions;
    const dc_bsh *const *tree;          /* [bodies] */
    const dc_pose *pose;                /* [bodies] */
    const int *excluded;                /* [2 exclusions] */
    int      first, second, want;       /* the pair, and what is wanted of it */
    unsigned char *skip;                /* [bodies] not to be paired with the first */
    dc_bsh_cache *cache;
    dc_real  value;                     /* sums over the pairs */
    dc_bsh_info info;
    dc_status status;
} dci_bsh_scene;

typedef struct { dci_bsh_scene *scene; unsigned char *skip; } dci_bsh_scene_parts;

static dci_bsh_scene_parts dci_bsh_scene_take(int n, dci_room *room)
{
    dci_bsh_scene_parts part;
    part.scene = DCI_TAKE(room, 1, dci_bsh_scene);
    part.skip = DCI_TAKE(room, n, unsigned char);
    return part;
}

DC_DEF size_t dc_bsh_scene_bytes(int n, const dc_bsh *const *tree)
{
    const dc_bsh *deepest = NULL;
    dci_room room = DC_ZERO;
    int i;
    if (n < 1 || !tree) return 0;
    for (i = 0; i < n; ++i) {
        if (!dci_bsh_depth_ok(tree[i])) return 0;
        if (!deepest || tree[i]->depth > deepest->depth) deepest = tree[i];
    }
    dci_bsh_scene_take(n, &room);
    dci_bsh_take(dci_bsh_levels(deepest, deepest), &room);
    return dci_counted(&room);
}

static void dci_bsh_tally(dc_bsh_info *sum, const dc_bsh_info *i)
{
    sum->leaf_near += i->leaf_near;
    sum->leaf_blended += i->leaf_blended;
    sum->leaf_far += i->leaf_far;
    sum->inner_near += i->inner_near;
    sum->inner_blended += i->inner_blended;
    sum->inner_far += i->inner_far;
    sum->warm += i->warm;
}

/* Checks, and memory for any pair. */
static DCI_NOINLINE dc_status dci_bsh_scene_open(const dc_bsh_options *opt, int n, const dc_bsh *const *tree,
                                                 const dc_pose *pose, int n_excluded, const int *excluded,
                                                 dc_arena *mem, dc_bsh_cache *cache, int want, dci_bsh_scene **out)
{
    const dc_bsh *deepest;
    dci_room room = DC_ZERO;
    dci_bsh_scene_parts part;
    dci_bsh_scene *scene;
    dci_bsh *W;
    dc_status status;
    size_t used;
    int i;
    if (n < 1 || !tree || !pose || !mem || n_excluded < 0 || n_excluded > INT32_MAX/2 || (n_excluded > 0 && !excluded))
        return DC_E_ARG;

    /* bodies, excluded pairs, cache */
    for (i = 0; i < n; ++i)
        if (!dci_bsh_tree_ok(tree[i]) || !dc_pose_ok(pose + i)) return DC_E_ARG;
    for (i = 0; i < 2*n_excluded; ++i)
        if (excluded[i] < 0 || excluded[i] >= n) return DC_E_ARG;
    if (!dci_bsh_cache_ok(cache)) return DC_E_ARG;

    /* memory for two of the deepest tree */
    for (i = 1, deepest = tree[0]; i < n; ++i)
        if (tree[i]->depth > deepest->depth) deepest = tree[i];
    used = mem->used;
    status = dci_bsh_setup(opt, deepest, deepest, mem, &W);
    room.arena = mem;
    part = dci_bsh_scene_take(n, &room);
    if (status == DC_OK && room.full) status = DC_E_MEMORY;
    if (status != DC_OK) {
        mem->used = used;
        return status;
    }

    scene = part.scene;
    memset(scene, 0, sizeof *scene);
    scene->skip = part.skip;

    /* before the first pair, which begins with body 0 */
    dci_bsh_turn(cache);
    scene->work = W;
    W->mem = mem;
    W->used = used;
    scene->bodies = n;
    scene->exclusions = n_excluded;
    scene->tree = tree;
    scene->pose = pose;
    scene->excluded = excluded;
    scene->first = -1;
    scene->second = n;
    scene->want = want;
    scene->cache = cache;
    scene->info.body_b = 1;
    scene->info.triangle_a = scene->info.triangle_b = -1;
    scene->status = DC_OK;
    *out = scene;
    return DC_OK;
}

/* The next pair that is not excluded, its walk started; 0: no more. */
static DCI_NOINLINE int dci_bsh_scene_next(dci_bsh_scene *scene)
{
    const int n = scene->bodies;
    int i = scene->first, k = scene->second, m;
    if (!dci_bsh_outcome(scene->status)) return 0;

    /* the next body k, or the first after the next body i */
    do {
        if (++k < n) continue;
        if (++i >= n) return 0;
        k = i;
        memset(scene->skip, 0, (size_t)n);
        scene->skip[i] = 1;
        for (m = 0; m < 2*scene->exclusions; ++m)
            if (scene->excluded[m] == i) scene->skip[scene->excluded[m ^ 1]] = 1;
    } while (scene->skip[k]);

    /* its walk */
    scene->first = i;
    scene->second = k;
    dci_bsh_start(scene->work, scene->tree[i], scene->pose + i, scene->tree[k], scene->pose + k, scene->want,
                  scene->cache);
    scene->work->problem.pair = (unsigned)i*(unsigned)n + (unsigned)k;
    return 1;
}

/* A pair that was walked. */
static DCI_NOINLINE void dci_bsh_scene_add(dci_bsh_scene *scene, dc_real *grad, dc_real *hess)
{
    dci_bsh *W = scene->work;
    const dci_bsh_result *pair = &W->result;
    const dc_status status = dci_bsh_finish(&W->problem, &W->walk, &W->sums, &W->result);
    const size_t n = 6*(size_t)scene->bodies;
    size_t row, column, at[12];
    if (status != DC_OK) scene->status = status;
    scene->value += pair->value;
    dci_bsh_tally(&scene->info, &pair->info);

    /* what failed */
    if (!dci_bsh_outcome(status)) {
        scene->info.body_a = scene->first;
        scene->info.body_b = scene->second;
        scene->info.triangle_a = pair->info.triangle_a;
        scene->info.triangle_b = pair->info.triangle_b;
        return;
    }

    /* the twists of both bodies among those of all */
    for (row = 0; row < 12; ++row) at[row] = 6*(size_t)(row < 6 ? scene->first : scene->second) + row%6;
    for (row = 0; grad && row < 12; ++row) grad[at[row]] += pair->grad[row];
    for (row = 0; hess && row < 12; ++row)
        for (column = 0; column < 12; ++column) hess[at[row]*n + at[column]] += pair->hess[12*row + column];
}

DC_DEF dc_status dc_bsh_scene(const dc_bsh_options *opt, int n, const dc_bsh *const *tree, const dc_pose *pose,
                              int n_excluded, const int *excluded, dc_arena *mem, dc_bsh_cache *cache, dc_real *value,
                              dc_real *grad, dc_real *hess, dc_bsh_info *info)
{
    dci_bsh_scene *scene;
    dc_status status = dci_bsh_scene_open(opt, n, tree, pose, n_excluded, excluded, mem, cache,
                                          dci_bsh_wanted(grad, hess), &scene);
    size_t m;
    if (status != DC_OK) return status;

    /* pair by pair */
    for (m = 0; grad && m < 6*(size_t)n; ++m) grad[m] = 0;
    for (m = 0; hess && m < 36*(size_t)n*(size_t)n; ++m) hess[m] = 0;
    while (dci_bsh_scene_next(scene)) {
        dci_bsh_drive(scene->work);
        dci_bsh_scene_add(scene, grad, hess);
    }

    if (info) *info = scene->info;
    if (value && (dci_bsh_outcome(scene->status) || scene->status == DC_E_OVERLAP)) *value = scene->value;
    mem->used = scene->work->used;
    return scene->status;
}

#if DCI_FUSES
#pragma GCC pop_options
#endif

#endif /* DC_BSH_IMPLEMENTED */
#endif /* DC_BSH_IMPLEMENTATION */

/*
This software is available under two licenses: choose whichever you prefer.

ALTERNATIVE A: MIT License

Copyright (c) 2026 the dc authors

Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies
of the Software, and to permit persons to whom the Software is furnished to do
so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

ALTERNATIVE B: Public Domain (www.unlicense.org)

This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this
software, either in source code form or as a compiled binary, for any purpose,
commercial or non-commercial, and by any means.

In jurisdictions that recognize copyright laws, the author or authors of this
software dedicate any and all copyright interest in the software to the public
domain. We make this dedication for the benefit of the public at large and to
the detriment of our heirs and successors. We intend this dedication to be an
overt act of relinquishment in perpetuity of all present and future rights to
this software under copyright law.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
*/
