/* dc_bsh.h - v0.1.0 - the long-range contact potential of whole triangle meshes, in near-linear time
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 * DOES     builds a bounding sphere hierarchy (BSH) of a rigid body's triangles; evaluates the smoothly blended potential of
 *          LRI [1] between two bodies or all pairs of a scene, with gradient and Hessian by rigid twists; lists the
 *          triangle pairs that are close, with what the friction potential needs.
 * DOES NOT deform bodies, split or repair meshes, find motions or step time. The blended potential is one of its own, not an
 *          approximation of the sum over all triangle pairs: see WEIGHTS below.
 *
 * USE
 *   In one C or C++ file: #define DC_CONTACT_IMPLEMENTATION and DC_BSH_IMPLEMENTATION, then #include "dc_bsh.h". Elsewhere
 *   include it. Quick start, a complete program; cc -std=c99 -O3 program.c -lm
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
 *   (a barrier, C2, never pulling, never zero) but is not the sum over all pairs of triangles: far away it is N_I N_J times
 *   smaller, and within the blend bands, where copies are dropped, it pushes up to 4 times harder. Small eps makes these
 *   bands narrow and hard: 0.5 and above is smoother. With options.weighted the term is N_I N_J 12 (1 + 1/sqrt(r + d1))^2:
 *   it keeps every proof, since the centres of the children are no farther apart than r + d1, and follows the sum: 82 to 92 %
 *   of it in value for two boxes of 12 triangles at 1.6 to 6 widths (LRI Eq. 8: 94 to 0.7 %), 45 to 130 % in force.
 *   Both are at most the sum over all pairs.
 *
 * CONTRACTS
 *   Memory    None of its own. A tree takes 168 bytes a triangle (float 100) and stays in the caller's arena; building it
 *             needs 20 more a triangle and 4 a vertex. An evaluation takes 81 KB and 1 KB a level of the deeper tree
 *             (float 72 KB, 0.5 KB): 92 KB for 1280 triangles, however many pairs there are. Worst stack 3.3 KB (`make facts`).
 *   Errors    dc_status; in dc_bsh_eval and its kin:
 *             DC_E_ARG       not finite, out of range, NULL; a mesh or tree that is none
 *             DC_E_MEMORY    the arena, or the list of contacts, is too small; DC_E_ARG comes first, as in dc_contact.h
 *             DC_E_OVERLAP   two triangles touch or intersect: dc_bsh_info says which; the value is +INFINITY
 *             DC_E_RANGE     the true number does not fit
 *             DC_E_DIVERGED  as in dc_pair; outputs are the best iterate
 *             On failure outputs are untouched except where a function says so. No call aborts, prints or returns NaN
 *             with DC_OK.
 *   Threads   Every function is re-entrant; trees are read-only; a cache serves one thread at a time.
 *   Bits      The same for the same input, cache included, in any order and thread; built with -ffp-contract=off, under
 *             any compiler. Value and gradient alone agree with those that come with a Hessian to rounding.
 *   Smooth    P is C2 wherever no triangles touch; the third derivative jumps at every d1 and d2. Radii are constants of
 *             the bodies: there is no derivative by the shape.
 *   Accuracy  Value and gradient within 0.5, Hessian within 3.3 DC_EPS (1 + 3L/g + 3/eps) of 60-digit tables, g the gap and
 *             L the size of the scene; within 10 DC_EPS where the roots are far from each other, at any distance. Where they
 *             are not, rotations of the larger body lose (1 + eps)^2 more. Against the paper's recursion, up to 1280 triangles at gaps from 0.01 to 10: 3e-13.
 *   Cost      Node pairs visited grow like T^1.01 to T^1.06 for plates face to face, the worst case: 55, 105, 185 a triangle
 *             for eps 0.1, 0.5, 1; like T^0.55 for spheres at a gap of 0.01 radii: 7, 17, 39 thousand at 1280 triangles.
 *             One Zen 4 core, gcc 12 -O3 (-O3 -march=native), `make bench`, us: two such spheres, eps 0.5, value 690 (500),
 *             with gradient and Hessian 1420 (930); at a gap of 0.1 radii 320 (240), 770 (550). Where triangle
 *             pairs dominate, face to face, a cache makes a value 1.8 (1.5) times faster, with the Hessian 1.4 (1.2) times.
 *   Limits    Rigid bodies; spheres of a layered hierarchy are larger than the smallest ones. Below distances of
 *             1e-154 (float 1e-19) every pair counts as near. 2^27 triangles.
 *
 * REFERENCES
 *   [1] LRI   Ye, Wu, Komura, Pan: Efficient differentiable contact model with long-range influence: section 5 and sections
 *             A.1 to A.3, A.5 of its appendix. Where the text slips the corrected form is followed: unordered pairs once,
 *             the union in LRI Eq. 7, and at leaves LRI Eq. 6. The weighted form is ours.
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

/* A node stands for the set of triangles below it. Its sphere holds the spheres of its children (a layered hierarchy, LRI
 * Definition 5.3):
 *     c = mean of the distinct vertices (by index) of its triangles; of a leaf the centroid
 *     R = max over children |c - c_child| + R_child; of a leaf the largest distance to its three vertices */
typedef struct {
    dc_v3   c;              /* body axes, from the tree's o */
    dc_real R;
    int     left, right;    /* children, greater than the node's own index; -1 in a leaf */
    int     triangle;       /* of a leaf; -1 in other nodes */
    int     count;          /* triangles below */
} dc_bsh_node;

/* The tree of a rigid body. It does not refer to the mesh it was built from. Read-only once built: any number of threads and
 * bodies may share it. */
typedef struct {
    const dc_bsh_node *node;    /* 2n - 1, the root first */
    const dc_v3 *corner;        /* 3n: vertices of the triangles, from o */
    dc_v3 o;                    /* centre of the root, body coordinates */
    int n;                      /* triangles, >= 1 */
    int depth;                  /* levels below the root */
} dc_bsh;

/* Bytes of arena that a build below takes at most, its scratch included, for nv vertices and nt triangles; 0 when a count is
 * below 1 or the number does not fit. What stays, nodes and corners, is 168 bytes a triangle (float 100). */
DC_DEF size_t dc_bsh_bytes(int nv, int nt);

/* Builds the tree of the triangles tri[3*nt], indices into v[nv], body coordinates: the triangles of a node are split in two
 * halves at the median of their centroids along the axis of largest extent; depth ceil(log2 nt), O(nt log nt).
 *
 * Triangles may share edges in any number, be duplicated, degenerate to a segment or a point, leave the surface open.
 *
 * mem   the tree stays at the front of what was free and lives as long as that memory; scratch is given back.
 * bad   may be NULL; the triangle that was refused, -1 if it was something else.
 * DC_E_ARG: a vertex index out of range or a vertex of a triangle not finite or beyond DC_LIMIT (*bad says which triangle), a
 * NULL, a count below 1 or above 2^27. DC_E_MEMORY. On failure *tree and mem are untouched. */
DC_DEF dc_status dc_bsh_build(const dc_v3 *v, int nv, const int *tri, int nt, dc_arena *mem, dc_bsh *tree, int *bad);

/* The same from a given binary tree: child[2*(2nt - 1)], node 0 the root; two children, or (-1, triangle) for a leaf. Nodes
 * are renumbered breadth first. DC_E_ARG also when it is not a tree whose leaves are every triangle once; that nodes in
 * range are no tree is found out in the arena: DC_E_MEMORY comes before it.
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

/* Separating planes of triangle pairs, kept between calls: a warm start. Caller's memory, plain data; one per thread. */
typedef struct { dc_plane plane; int a, b; unsigned pair, turn; } dc_bsh_slot;
typedef struct { dc_bsh_slot *slot; int n; unsigned turn; } dc_bsh_cache;

/* Bytes of arena of a cache for so many triangle pairs: give about twice leaf_near + leaf_blended; 0 when pairs < 1 or it
 * does not fit. */
DC_DEF size_t dc_bsh_cache_bytes(int pairs);

/* An empty cache in mem, where it stays. DC_E_ARG, DC_E_MEMORY: *cache untouched. */
DC_DEF dc_status dc_bsh_cache_make(int pairs, dc_arena *mem, dc_bsh_cache *cache);

/* Bytes of arena that dc_bsh_eval, dc_bsh_brute and dc_bsh_contacts take for these trees: they grow with the depth only.
 * 0: a NULL. */
DC_DEF size_t dc_bsh_eval_bytes(const dc_bsh *a, const dc_bsh *b);

/* Potential of two rigid bodies, from the roots I, J down (LRI Algorithm 1):
 *
 *     P_IJ = (1 - phi) S_IJ + phi C_IJ,   phi = Phi((r - d1)/(d2 - d1))                                        LRI Eq. 4
 *     S_IJ = sum of P over pairs of children, a leaf standing for itself; of two leaves the exact P of dc_pair LRI Eq. 6, 8
 *     C_IJ = 12 (1 + 1/sqrt r)^2,   r = |x_I - x_J| over the length unit                                       LRI Eq. 5, 7
 *     d1 = R_I + R_J,   d2 = (1 + eps) d1                                                                      LRI Eq. 6, 8
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

/* The sum of the exact potential over all triangle pairs (LRI Eq. 3), O(n_a n_b): for tests and teaching. Arguments and
 * statuses as above; of the options only length is read. */
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

/* All of them, what a friction potential is built from. The gradient of LRI Eq. 12 itself has a part along the centres in the
 * blend band; here the force keeps the direction n of the exact pair and is scaled by 1 - phi.
 * contact   capacity entries, in an order that depends on the trees and poses alone.
 * count     how many there are. More than capacity: DC_E_MEMORY, the first `capacity` are complete; capacity 0 (contact
 *           NULL) asks for the number alone, no pair is solved.
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
 * grad         6n, hess 6n x 6n row-major: by the twists (v_i, w_i) of the bodies about their origins. Block (i,j) of an
 *              excluded pair is zero.
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

#include <math.h>
#include <stdint.h>
#include <string.h>

#if DCI_FUSES
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

/* ---- building ---------------------------------------------------------------------------------- */

#define DCI_BSH_MOST (1 << 27)           /* triangles: 5n has to be an int */

DC_DEF size_t dc_bsh_bytes(int nv, int nt)
{
    size_t sum = 0, n = (size_t)nt;
    if (nv < 1 || nt < 1 || nt > DCI_BSH_MOST) return 0;
    sum = dc_bytes(sum, 2*n - 1, sizeof(dc_bsh_node));
    sum = dc_bytes(sum, 3*n, sizeof(dc_v3));
    sum = dc_bytes(sum, 5*n, sizeof(int));
    sum = dc_bytes(sum, (size_t)nv, sizeof(int));
    return sum == SIZE_MAX ? 0 : sum;
}

typedef struct {
    const dc_v3 *v;
    const int *tri;
    int nv, nt;
    dc_bsh_node *node;
    dc_v3 *corner;
    int *work, *stamp;      /* 5 nt, nv */
} dci_bsh_mesh;

/* Checks the mesh and the nodes of a given tree, one by one, and takes the memory; the first triangle refused into *bad. */
static dc_status dci_bsh_mesh_open(dci_bsh_mesh *m, const dc_v3 *v, int nv, const int *tri, int nt, const int *child,
                                   dc_arena *mem, int *bad)
{
    int k;
    if (bad) *bad = -1;
    if (!v || !tri || !mem || nv < 1 || nt < 1 || nt > DCI_BSH_MOST) return DC_E_ARG;
    for (k = 0; k < 3*nt; ++k)
        if (tri[k] < 0 || tri[k] >= nv || !dc_in_range(v[tri[k]])) {
            if (bad) *bad = k/3;
            return DC_E_ARG;
        }
    for (k = 0; child && k < 2*nt - 1; ++k) {
        int l = child[2*k], r = child[2*k + 1], leaf = l == -1;
        if ((!leaf && (l < 0 || l >= 2*nt - 1)) || r < 0 || r >= (leaf ? nt : 2*nt - 1)) return DC_E_ARG;
    }
    m->v = v;
    m->tri = tri;
    m->nv = nv;
    m->nt = nt;
    m->node = (dc_bsh_node *)dc_arena_take(mem, 2*(size_t)nt - 1, sizeof *m->node);
    m->corner = (dc_v3 *)dc_arena_take(mem, 3*(size_t)nt, sizeof *m->corner);
    m->work = (int *)dc_arena_take(mem, 5*(size_t)nt, sizeof *m->work);
    m->stamp = (int *)dc_arena_take(mem, (size_t)nv, sizeof *m->stamp);
    return m->node && m->corner && m->work && m->stamp ? DC_OK : DC_E_MEMORY;
}

/* three times the centroid of triangle t along an axis */
static dc_real dci_bsh_key(const dci_bsh_mesh *m, int axis, int t)
{
    const int *i = m->tri + 3*t;
    dc_v3 s = dc_add(m->v[i[0]], dc_add(m->v[i[1]], m->v[i[2]]));
    return axis == 0 ? s.x : axis == 1 ? s.y : s.z;
}

/* Sorts n triangles by key, equal keys by index: the order does not depend on the way it is found. Heap sort: no
 * recursion, n log n always. */
static void dci_bsh_sort(const dci_bsh_mesh *m, int axis, int *x, int n)
{
    int i, top;
    for (i = n/2, top = n; top > 1;) {
        int moved, parent, child;
        dc_real key;
        if (i > 0) moved = x[--i];          /* building the heap */
        else {                              /* the largest to the end */
            moved = x[--top];
            x[top] = x[0];
        }
        key = dci_bsh_key(m, axis, moved);
        for (parent = i; (child = 2*parent + 1) < top; parent = child) {
            dc_real k = dci_bsh_key(m, axis, x[child]);
            if (child + 1 < top) {
                dc_real other = dci_bsh_key(m, axis, x[child + 1]);
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

/* Topology by halving. A node not split yet has its range of triangles in left, right; the three orders of a range are
 * lists of the same triangles, each sorted along its axis. An inner node keeps the start of its range in `triangle`. */
static void dci_bsh_halve(const dci_bsh_mesh *m)
{
    int *order[3], *right = m->work + 3*m->nt, *list = m->work + 4*m->nt, axis, i, k, n;
    for (axis = 0; axis < 3; ++axis) {
        order[axis] = m->work + axis*m->nt;
        for (i = 0; i < m->nt; ++i) order[axis][i] = i;
        dci_bsh_sort(m, axis, order[axis], m->nt);
    }
    m->node[0].left = 0;
    m->node[0].right = m->nt;
    for (k = 0, n = 1; k < n; ++k) {
        dc_bsh_node *q = m->node + k;
        int begin = q->left, end = q->right, mid = begin + (end - begin)/2, best = 0;
        dc_real extent = -1;
        q->count = end - begin;
        q->left = q->right = -1;
        if (q->count == 1) {
            q->triangle = order[0][begin];
            continue;
        }
        for (axis = 0; axis < 3; ++axis) {
            dc_real e = dci_bsh_key(m, axis, order[axis][end - 1]) - dci_bsh_key(m, axis, order[axis][begin]);
            if (e > extent) {
                extent = e;
                best = axis;
            }
        }
        /* the other two orders follow, stably */
        for (i = begin; i < mid; ++i) right[order[best][i]] = 0;
        for (; i < end; ++i) right[order[best][i]] = 1;
        for (axis = 0; axis < 3; ++axis) {
            int *o = order[axis], low = begin, high = 0;
            if (axis == best) continue;
            for (i = begin; i < end; ++i) {
                int t = o[i];
                if (right[t]) list[high++] = t;
                else o[low++] = t;
            }
            for (i = 0; i < high; ++i) o[low + i] = list[i];
        }
        q->triangle = begin;
        q->left = n;
        q->right = n + 1;
        m->node[n].left = begin;
        m->node[n].right = m->node[n + 1].left = mid;
        m->node[n + 1].right = end;
        n += 2;
    }
}

/* Topology from a list of children in range, breadth first, then the order of the triangles. 0: not such a tree. */
static int dci_bsh_adopt(const dci_bsh_mesh *m, const int *child)
{
    int nn = 2*m->nt - 1, *order = m->work, *from = order + m->nt, *met = from + nn, k, n;
    for (k = 0; k < m->nt; ++k) order[k] = 0;               /* triangle met */
    for (k = 0; k < nn; ++k) met[k] = 0;
    from[0] = 0;
    met[0] = 1;
    for (k = 0, n = 1; k < n; ++k) {
        int l = child[2*from[k]], r = child[2*from[k] + 1];
        dc_bsh_node *q = m->node + k;
        if (l == -1) {
            if (order[r]++) return 0;
            q->left = q->right = -1;
            q->triangle = r;
            q->count = 1;
            continue;
        }
        if (met[l]++ || met[r]++) return 0;
        q->left = n;
        q->right = n + 1;
        from[n++] = l;
        from[n++] = r;
    }
    if (n < nn) return 0;
    for (k = nn - 1; k >= 0; --k) {
        dc_bsh_node *q = m->node + k;
        if (q->left >= 0) q->count = m->node[q->left].count + m->node[q->right].count;
    }
    /* ranges from the root down; of a leaf the place of its triangle */
    for (k = 0, from[0] = 0; k < nn; ++k) {
        const dc_bsh_node *q = m->node + k;
        if (q->left < 0) order[from[k]] = q->triangle;
        else {
            from[q->left] = from[k];
            from[q->right] = from[k] + m->node[q->left].count;
        }
    }
    for (k = 0; k < nn; ++k)
        if (m->node[k].left >= 0) m->node[k].triangle = from[k];
    return 1;
}

/* Centres and radii of the tree, LRI Definition 5.3; corners. */
static void dci_bsh_shape(const dci_bsh_mesh *m, dc_bsh *tree)
{
    int nn = 2*m->nt - 1, i, k, end;
    tree->node = m->node;
    tree->corner = m->corner;
    tree->n = m->nt;
    tree->o = m->v[m->tri[0]];
    for (i = 0; i < m->nv; ++i) m->stamp[i] = -1;
    for (k = 0; k < nn; ++k) {
        dc_bsh_node *q = m->node + k;
        dc_v3 s = dc_vec(0, 0, 0);
        int used = 0;
        if (q->left < 0) {          /* a vertex named twice counts twice, as it does in P: else C <= P could fail */
            for (i = 0; i < 3; ++i) s = dc_add(s, dc_sub(m->v[m->tri[3*q->triangle + i]], tree->o));
            used = 3;
        } else
            for (i = 3*q->triangle, end = i + 3*q->count; i < end; ++i) {
                int j = m->tri[3*m->work[i/3] + i%3];
                if (m->stamp[j] == k) continue;
                m->stamp[j] = k;
                s = dc_add(s, dc_sub(m->v[j], tree->o));
                ++used;
            }
        q->c = dc_scale(1/(dc_real)used, s);
        if (k == 0) {               /* the root's centre is the origin from here on */
            tree->o = dc_add(tree->o, q->c);
            q->c = dc_vec(0, 0, 0);
        }
    }
    for (i = 0; i < 3*m->nt; ++i) m->corner[i] = dc_sub(m->v[m->tri[i]], tree->o);
    for (k = nn - 1; k >= 0; --k) {
        dc_bsh_node *q = m->node + k;
        int part;
        q->R = 0;
        for (part = 0; part < (q->left < 0 ? 3 : 2); ++part) {
            const dc_bsh_node *child = part ? m->node + q->right : m->node + q->left;
            dc_v3 e = dc_sub(q->left < 0 ? m->corner[3*q->triangle + part] : child->c, q->c);
            q->R = dc_max(q->R, dc_sqrt(dc_dot(e, e)) + (q->left < 0 ? 0 : child->R));
        }
        if (q->left >= 0) q->triangle = -1;
    }
    /* breadth first: a level is followed by twice as many nodes as it has inner ones */
    for (tree->depth = 0, k = 0, end = 1; end < nn; ++tree->depth) {
        int next = end;
        for (; k < end; ++k) next += m->node[k].left < 0 ? 0 : 2;
        end = next;
    }
}

static dc_status dci_bsh_make(const dc_v3 *v, int nv, const int *tri, int nt, const int *child, int given, dc_arena *mem,
                              dc_bsh *tree, int *bad)
{
    dci_bsh_mesh m;
    size_t used = mem ? mem->used : 0;
    dc_status status;
    if (!tree || (given && !child)) {
        if (bad) *bad = -1;
        return DC_E_ARG;
    }
    status = dci_bsh_mesh_open(&m, v, nv, tri, nt, child, mem, bad);
    if (status == DC_OK) {
        if (!given) dci_bsh_halve(&m);
        else if (!dci_bsh_adopt(&m, child)) status = DC_E_ARG;
    }
    if (status == DC_OK) {
        dci_bsh_shape(&m, tree);
        used = (size_t)((unsigned char *)(m.corner + 3*nt) - mem->base);    /* scratch follows the corners */
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

/* ---- evaluation: state ---------------------------------------------------------------------------
 *
 * Everything in the axes of body a, lengths from the root centre of the body with the smaller sphere: arms are then never
 * longer than they have to be. The potential depends on the relative pose alone, so value, gradient and Hessian are those
 * by the twist of a about that origin, b at rest: 1 + 6 + 21 numbers, the rows of dc_tri_out.relative, to which the twists of
 * both bodies are expanded once at the end.
 *
 * The tree walk goes from the root pair down, with the weight w of a pair, the product of 1 - phi over the blended pairs
 * above it. Every term, C of a far or blended pair and the exact P of two leaves, adds w times its numbers to the sums at
 * once, whatever hangs above it. What blending adds needs more: of P = (1 - phi) S + phi C (LRI Eq. 4),
 *
 *     dP  = (1 - phi) dS  + q1 dr,                          q1 = phi C' + phi' (C - S)                    LRI Eq. 9
 *     d2P = (1 - phi) d2S + q1 d2r + q2 dr dr^T - phi' (dr dS^T + dS dr^T),   q2 = phi C'' + 2 phi' C' + phi'' (C - S)
 *
 * so a blended pair has an accumulator for S and dS, closed when no pair below it is waiting any more. Accumulators
 * are made from the root down and reduced in reverse order, all closed ones together whenever they are short, so
 * that a bounded number serves any tree. Triangle pairs queue for dc_tri_batch.
 *
 * With rho_i = x_I - o, rho_j = x_J - o, e = rho_i - rho_j, u = e/r, by the twist of a about o
 *
 *     dr  = j = (u, rho_i x u)
 *     d2r = ( M - j j^T )/r,   M = ( 1          -[rho_i]
 *                                    [rho_i]    (rho_i.rho_j) 1 - (rho_i rho_j^T + rho_j rho_i^T)/2 )
 *
 * M with the second order of the rotation in it: rho_i.rho_i turns into rho_i.rho_j. */

#define DCI_BSH_QUEUE (8*DC_LANES)      /* triangle pairs in each queue */
#define DCI_BSH_SPARE 64                /* accumulators beyond those that can be open at once */

typedef dc_real dci_bsh_row[DC_LANES];

/* Radial terms: far pairs, or accumulators. */
typedef struct {
    dci_bsh_row e[3], p[3];             /* e, rho_i */
    dci_bsh_row w, many, shift;         /* weight; N_I N_J and R_I + R_J of a weighted term, else 1 and 0 */
    dci_bsh_row phi, phi1, phi2;        /* accumulators: phi and its derivatives by r */
    dci_bsh_row S, s[6];                /* the same: S and dS */
    dci_bsh_row C, C1, C2, j[6], w_r;   /* C(r), its derivatives; dr; 1/r */
    int acc[DC_LANES];                  /* accumulator above, -1 for none */
} dci_bsh_block;

/* Triangle pairs to be solved. */
typedef struct {
    int n, a[DCI_BSH_QUEUE], b[DCI_BSH_QUEUE], acc[DCI_BSH_QUEUE];
    dc_real w[DCI_BSH_QUEUE], phi1[DCI_BSH_QUEUE], x[18][DCI_BSH_QUEUE];
} dci_bsh_queue;

/* A pair to be opened; y the centre of j. The first one has i = -1: the root pair is to be met. */
typedef struct { int i, j, acc; dc_real w; dc_v3 y; } dci_bsh_entry;

typedef struct {
    const dc_bsh *a, *b;
    dc_m3 R, Ra;                        /* axes of b in those of a; of a in the world */
    dc_v3 sa, sb, world;                /* root centres in a's axes, from the origin; the origin in the world */
    dc_real ratio, length, root_length; /* 1 + eps; l, its root */
    dc_v3 ta, tb;                       /* body origins in the world */
    int weighted, want;                 /* want: DCI_BSH_VALUE .. */
    int brute, brute_i, brute_j;        /* LRI Eq. 3: the next pair */
    dc_status status;                   /* DC_OK, DC_E_DIVERGED, or a failure that ends the walk */
    size_t near_pairs[4], far_pairs[2]; /* node pairs met, [2 inner + near] and [inner] */
    dc_bsh_info info;
    dc_bsh_cache *cache;
    unsigned pair;                      /* of a scene: part of the cache's key */
    dc_bsh_contact *contact;            /* output of dc_bsh_contacts */
    int capacity, contacts;

    dci_bsh_row value, sum[27], b0, b1[3], b2[6];   /* sums: value; relative; of w q1/r: 1, rho_i, (rho_i rho_j^T + ..)/2 */
    dci_bsh_block away;
    int n_far, n_acc, most_acc, clear_acc, n_stack;     /* clear_acc: accumulators that were cleared */
    dci_bsh_block *acc;
    int *link;                          /* of accumulators while they are reduced */
    dci_bsh_entry *stack;
    dc_arena batch;                     /* dc_tri_batch: scratch, options, outputs, whether any pair failed */
    dc_pair_options pair_options;
    dc_tri_out out;
    dc_status batch_status;
    dci_bsh_queue queue[2];             /* blended and near: a block of dc_tri_batch takes as long as its slowest pair */
    dc_bsh_slot *slot[DCI_BSH_QUEUE];   /* of the queue that is solved: places in the cache, planes, results */
    dc_real plane[4][DCI_BSH_QUEUE], P_leaf[DCI_BSH_QUEUE], rel[27][DCI_BSH_QUEUE];
    unsigned char failed[DCI_BSH_QUEUE];
    dc_relative relative;               /* results */
    dc_real P, grad[12], hess[144];
    dc_arena *mem;                      /* the caller's: given back up to `used` */
    size_t used;
    dc_real *out_value, *out_grad, *out_hess;
    dc_bsh_info *out_info;
} dci_bsh;

#define DCI_BSH_BATCH (dc_tri_batch_bytes() - (DC_ALIGN - 1))     /* at an aligned address */

enum { DCI_BSH_VALUE, DCI_BSH_GRAD, DCI_BSH_HESS, DCI_BSH_CONTACTS };

/* Pairs on the stack: each level below the root adds three to the one it opens. Open accumulators: those of the pairs on
 * the stack, and one on each level above them. */
static int dci_bsh_levels(const dc_bsh *a, const dc_bsh *b) { return (a->depth > b->depth ? a->depth : b->depth) + 1; }
static size_t dci_bsh_blocks(int levels) { return (4*(size_t)levels + DCI_BSH_SPARE + DC_LANES - 1)/DC_LANES; }

static size_t dci_bsh_work_bytes(size_t sum, int levels)
{
    size_t blocks = dci_bsh_blocks(levels);
    sum = dc_bytes(sum, 1, sizeof(dci_bsh));
    sum = dc_bytes(sum, blocks, sizeof(dci_bsh_block));
    sum = dc_bytes(sum, blocks*DC_LANES, sizeof(int));
    sum = dc_bytes(sum, 3*(size_t)levels - 2, sizeof(dci_bsh_entry));
    sum = dc_bytes(sum, 1, DCI_BSH_BATCH);
    return sum == SIZE_MAX ? 0 : sum;
}

DC_DEF size_t dc_bsh_eval_bytes(const dc_bsh *a, const dc_bsh *b)
{
    if (!a || !b || a->depth < 0 || b->depth < 0 || a->depth > DCI_BSH_MOST || b->depth > DCI_BSH_MOST) return 0;
    return dci_bsh_work_bytes(0, dci_bsh_levels(a, b));
}

static int dci_bsh_tree_ok(const dc_bsh *t)
{
    return t && t->node && t->corner && t->n >= 1 && t->depth >= 0 && t->depth <= DCI_BSH_MOST && dc_in_range(t->o);
}

/* Options and trees checked, memory taken. */
static dc_status dci_bsh_setup(const dc_bsh_options *opt, const dc_bsh *a, const dc_bsh *b, dc_arena *mem, dci_bsh **out)
{
    dc_real eps = opt && opt->eps != 0 ? opt->eps : DC_R(0.5), length = opt && opt->length != 0 ? opt->length : 1;
    size_t blocks;
    void *batch;
    dci_bsh *W;
    int levels;
    if (!mem || !dci_bsh_tree_ok(a) || !dci_bsh_tree_ok(b) || !(eps >= DC_R(1e-3)) || !(eps <= DC_R(1e3))
        || !(length >= 1/DC_LIMIT) || !(length <= DC_LIMIT)) return DC_E_ARG;
    levels = dci_bsh_levels(a, b);
    blocks = dci_bsh_blocks(levels);
    W = (dci_bsh *)dc_arena_take(mem, 1, sizeof *W);
    if (!W) return DC_E_MEMORY;
    W->acc = (dci_bsh_block *)dc_arena_take(mem, blocks, sizeof *W->acc);
    W->link = (int *)dc_arena_take(mem, blocks*DC_LANES, sizeof *W->link);
    W->stack = (dci_bsh_entry *)dc_arena_take(mem, 3*(size_t)levels - 2, sizeof *W->stack);
    batch = dc_arena_take(mem, 1, DCI_BSH_BATCH);
    if (!W->acc || !W->link || !W->stack || !batch) return DC_E_MEMORY;
    W->batch = dc_arena_make(batch, DCI_BSH_BATCH);
    W->most_acc = (int)(blocks*DC_LANES);
    W->ratio = 1 + eps;
    W->length = length;
    W->root_length = dci_root(length);
    W->weighted = opt && opt->weighted;
    memset(&W->pair_options, 0, sizeof W->pair_options);
    W->pair_options.length = length;
    W->out_value = W->out_grad = W->out_hess = NULL;
    W->out_info = NULL;
    *out = W;
    return DC_OK;
}

/* Harmless lanes without weight. */
static void dci_bsh_clear(dci_bsh_block *B)
{
    int l, k;
    for (l = 0; l < DC_LANES; ++l) {
        for (k = 0; k < 3; ++k) B->e[k][l] = B->p[k][l] = k == 0 ? DC_R(1.0) : DC_R(0.0);
        for (k = 0; k < 6; ++k) B->s[k][l] = 0;
        B->w[l] = B->shift[l] = B->phi[l] = B->phi1[l] = B->phi2[l] = B->S[l] = 0;
        B->many[l] = 1;
        B->acc[l] = -1;
    }
}

/* The start of a walk: relative pose and origin, everything cleared, the root pair on the stack. The poses are good. */
static DCI_NOINLINE void dci_bsh_start(dci_bsh *W, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                                       const dc_pose *pose_b, int want, dc_bsh_cache *cache)
{
    static const dc_pose identity = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_pose pa = pose_a ? *pose_a : identity, pb = pose_b ? *pose_b : identity;
    dc_m3 Rb, inverse;
    dc_v3 ca, cb, way;
    int k, l;
    dc_quat_normalize(pa.q, &pa.q);
    dc_quat_normalize(pb.q, &pb.q);
    W->a = a;
    W->b = b;
    W->ta = pa.t;
    W->tb = pb.t;
    W->Ra = dc_rotation(pa.q);
    Rb = dc_rotation(pb.q);
    inverse = dc_m3_t(&W->Ra);
    W->R = dc_m3_mul(&inverse, &Rb);
    ca = dc_mul(&W->Ra, a->o);
    cb = dc_mul(&Rb, b->o);
    way = dc_mul(&inverse, dc_add(dc_sub(pb.t, pa.t), dc_sub(cb, ca)));
    W->sa = W->sb = dc_vec(0, 0, 0);
    if (a->node->R <= b->node->R) {
        W->sb = way;
        W->world = dc_add(pa.t, ca);
    } else {
        W->sa = dc_neg(way);
        W->world = dc_add(pb.t, cb);
    }
    W->want = want;
    W->brute = W->brute_i = W->brute_j = 0;
    W->status = W->batch_status = DC_OK;
    W->cache = cache;
    W->pair = 0;
    memset(&W->info, 0, sizeof W->info);
    memset(W->near_pairs, 0, sizeof W->near_pairs);
    memset(W->far_pairs, 0, sizeof W->far_pairs);
    W->info.body_b = 1;
    W->info.triangle_a = W->info.triangle_b = -1;
    memset(&W->out, 0, sizeof W->out);
    W->out.value = W->P_leaf;
    W->out.status = W->failed;
    if (cache || want == DCI_BSH_CONTACTS) W->out.plane = W->plane[0];
    if (want == DCI_BSH_HESS) W->out.relative = W->rel[0];
    else if (want != DCI_BSH_VALUE) W->out.grad = W->rel[0];
    W->n_far = W->queue[0].n = W->queue[1].n = W->n_acc = W->clear_acc = 0;
    W->capacity = W->contacts = 0;
    W->contact = NULL;
    W->stack->i = -1;
    W->stack->acc = -1;
    W->stack->w = 1;
    W->n_stack = 1;
    dci_bsh_clear(&W->away);
    for (l = 0; l < DC_LANES; ++l) {
        W->value[l] = W->b0[l] = 0;
        for (k = 0; k < 27; ++k) W->sum[k][l] = 0;
        for (k = 0; k < 3; ++k) W->b1[k][l] = 0;
        for (k = 0; k < 6; ++k) W->b2[k][l] = 0;
    }
}

/* ---- evaluation: sums over lanes --------------------------------------------------------------- */

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-trapping-math")   /* else gcc keeps ?: on floating point scalar */
#endif

/* y = x^(-1/4) of a row, x >= DC_REAL_MIN: far pairs are many, and two square roots and two divisions for each would be
 * half of their cost. A quarter of the exponent gives y within 3.2 %, then the series of (1 - h)^(-1/4), h = 1 - x y^4:
 * 3e-4, 1e-10, rounding. */
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
        for (k = 0; k < DCI_BSH_STEPS; ++k) {
            dc_real v2 = v*v, h = 1 - u*(v2*v2);
            v += v*h*(DC_R(0.25) + DC_R(0.15625)*h);
        }
        y[l] = v;
    }
}

/* LRI Eq. 7:  C = 12 N (1 + v)^2,  v = D^-1/2,  D = (r + shift)/l;   C' = -12 N (1 + v) v^3/l,   C'' = 6 N v^5 (3 + 4 v)/l^2 */
static void dci_bsh_radial(const dci_bsh *W, dci_bsh_block *B)
{
    dci_bsh_row r2, q, v;
    dc_real unit = 1/W->length, root = W->root_length;
    int l;
    for (l = 0; l < DC_LANES; ++l) r2[l] = B->e[0][l]*B->e[0][l] + B->e[1][l]*B->e[1][l] + B->e[2][l]*B->e[2][l];
    dci_bsh_quarter(r2, q);
    if (W->weighted) {
        for (l = 0; l < DC_LANES; ++l) {
            dc_real D = r2[l]*q[l]*q[l] + B->shift[l];
            r2[l] = D*D;
        }
        dci_bsh_quarter(r2, v);
    } else memcpy(v, q, sizeof v);
    for (l = 0; l < DC_LANES; ++l) {
        v[l] *= root;
        B->C[l] = 12*B->many[l]*(1 + v[l])*(1 + v[l]);
    }
    if (W->want == DCI_BSH_VALUE) return;
    for (l = 0; l < DC_LANES; ++l) {
        dc_real t = v[l], t3 = t*t*t*unit, N = B->many[l], w = q[l]*q[l];
        dc_real ux = B->e[0][l]*w, uy = B->e[1][l]*w, uz = B->e[2][l]*w, px = B->p[0][l], py = B->p[1][l], pz = B->p[2][l];
        B->C1[l] = -12*N*(1 + t)*t3;
        B->C2[l] = 6*N*t3*(t*t*unit)*(3 + 4*t);
        B->w_r[l] = w;
        B->j[0][l] = ux;
        B->j[1][l] = uy;
        B->j[2][l] = uz;
        B->j[3][l] = py*uz - pz*uy;
        B->j[4][l] = pz*ux - px*uz;
        B->j[5][l] = px*uy - py*ux;
    }
}

/* sums += q1 d2r + q2 j j^T + (j m^T + m j^T), the last if m: 6 rows */
static void dci_bsh_moments(dci_bsh *W, const dci_bsh_block *B, const dc_real *q1, const dc_real *q2, dci_bsh_row *m)
{
    dci_bsh_row beta, n[6], pj[3];
    int k, i, l, row;
    for (l = 0; l < DC_LANES; ++l) beta[l] = q1[l]*B->w_r[l];
    if (m) {
        for (k = 0; k < 6; ++k)
            for (l = 0; l < DC_LANES; ++l) n[k][l] = DC_R(0.5)*(q2[l] - beta[l])*B->j[k][l] + m[k][l];
        for (i = 0, row = 6; i < 6; ++i)
            for (k = i; k < 6; ++k, ++row)
                for (l = 0; l < DC_LANES; ++l) W->sum[row][l] += B->j[i][l]*n[k][l] + n[i][l]*B->j[k][l];
    } else {
        for (k = 0; k < 6; ++k)
            for (l = 0; l < DC_LANES; ++l) n[k][l] = (q2[l] - beta[l])*B->j[k][l];
        for (i = 0, row = 6; i < 6; ++i)
            for (k = i; k < 6; ++k, ++row)
                for (l = 0; l < DC_LANES; ++l) W->sum[row][l] += B->j[i][l]*n[k][l];
    }
    for (k = 0; k < 3; ++k)
        for (l = 0; l < DC_LANES; ++l) {
            dc_real bp = beta[l]*B->p[k][l];
            pj[k][l] = B->p[k][l] - B->e[k][l];
            n[k][l] = DC_R(0.5)*bp;
            W->b1[k][l] += bp;
        }
    for (l = 0; l < DC_LANES; ++l) W->b0[l] += beta[l];
    for (i = 0, row = 0; i < 3; ++i)
        for (k = i; k < 3; ++k, ++row)
            for (l = 0; l < DC_LANES; ++l) W->b2[row][l] += n[i][l]*pj[k][l] + n[k][l]*pj[i][l];
}

/* Far pairs: their terms to the sums, their values and gradients to the accumulators above. */
static DCI_NOINLINE void dci_bsh_flush_far(dci_bsh *W)
{
    dci_bsh_block *B = &W->away;
    dci_bsh_row q1, q2;
    int l, k, n = W->n_far;
    W->n_far = 0;
    if (n == 0) return;
    for (l = n; l < DC_LANES; ++l) B->w[l] = 0;
    dci_bsh_radial(W, B);
    for (l = 0; l < DC_LANES; ++l) W->value[l] += B->w[l]*B->C[l];
    if (W->want == DCI_BSH_VALUE) return;
    for (l = 0; l < DC_LANES; ++l) {
        q1[l] = B->w[l]*B->C1[l];
        q2[l] = B->w[l]*B->C2[l];
    }
    for (k = 0; k < 6; ++k)
        for (l = 0; l < DC_LANES; ++l) W->sum[k][l] += q1[l]*B->j[k][l];
    if (W->want == DCI_BSH_HESS) dci_bsh_moments(W, B, q1, q2, NULL);
    for (l = 0; l < n; ++l) {
        dci_bsh_block *A;
        unsigned up = (unsigned)B->acc[l], at = up%DC_LANES;
        if (B->acc[l] < 0) continue;
        A = W->acc + up/DC_LANES;
        A->S[at] += B->C[l];
        for (k = 0; W->want == DCI_BSH_HESS && k < 6; ++k) A->s[k][at] += B->C1[l]*B->j[k][l];
    }
}

/* dP/dx of triangle a: force and torque, into the first rows. */
static void dci_bsh_torques(dci_bsh *W, const dci_bsh_queue *Q, int g)
{
    dci_bsh_row f[6];
    int k, l;
    for (k = 0; k < 6; ++k)
        for (l = 0; l < DC_LANES; ++l) f[k][l] = 0;
    for (k = 0; k < 9; k += 3)
        for (l = 0; l < DC_LANES; ++l) {
            dc_real fx = W->rel[k][g + l], fy = W->rel[k + 1][g + l], fz = W->rel[k + 2][g + l];
            dc_real px = Q->x[k][g + l], py = Q->x[k + 1][g + l], pz = Q->x[k + 2][g + l];
            f[0][l] += fx;
            f[1][l] += fy;
            f[2][l] += fz;
            f[3][l] += py*fz - pz*fy;
            f[4][l] += pz*fx - px*fz;
            f[5][l] += px*fy - py*fx;
        }
    for (k = 0; k < 6; ++k) memcpy(W->rel[k] + g, f[k], sizeof f[k]);
}

/* Solved triangle pairs to the sums, whole blocks. */
static void dci_bsh_sum_leaves(dci_bsh *W, const dci_bsh_queue *Q)
{
    int g, k, l, rows = W->want == DCI_BSH_HESS ? 27 : W->want == DCI_BSH_GRAD ? 6 : 0;
    for (g = 0; g < Q->n; g += DC_LANES) {
        dci_bsh_row w;
        memcpy(w, Q->w + g, sizeof w);
        if (W->want == DCI_BSH_GRAD) dci_bsh_torques(W, Q, g);
        for (l = 0; l < DC_LANES; ++l) W->value[l] += w[l]*W->P_leaf[g + l];
        for (k = 0; k < rows; ++k)
            for (l = 0; l < DC_LANES; ++l) W->sum[k][l] += w[l]*W->rel[k][g + l];
    }
}

/* What accumulators add to the sums, from the first to the n-th; link < 0 marks open ones, which add nothing. */
static void dci_bsh_sum_blended(dci_bsh *W, int n)
{
    int g, k, l;
    for (g = 0; g < n; g += DC_LANES) {
        dci_bsh_block *B = W->acc + g/DC_LANES;
        const int *link = W->link + g;
        dci_bsh_row w, q1, q2, m[6];
        for (l = 0; l < DC_LANES; ++l) w[l] = g + l < n && link[l] >= 0 ? B->w[l] : DC_R(0.0);
        for (l = 0; l < DC_LANES; ++l) W->value[l] += w[l]*(B->phi[l]*B->C[l]);
        for (l = 0; l < DC_LANES; ++l) {
            dc_real step = B->C[l] - B->S[l];
            q1[l] = w[l]*(B->phi[l]*B->C1[l] + B->phi1[l]*step);            /* LRI Eq. 9, terms II and III */
            q2[l] = w[l]*(B->phi[l]*B->C2[l] + 2*B->phi1[l]*B->C1[l] + B->phi2[l]*step);
        }
        for (k = 0; k < 6; ++k)
            for (l = 0; l < DC_LANES; ++l) W->sum[k][l] += q1[l]*B->j[k][l];
        if (W->want != DCI_BSH_HESS) continue;
        for (k = 0; k < 6; ++k)
            for (l = 0; l < DC_LANES; ++l) m[k][l] = -w[l]*B->phi1[l]*B->s[k][l];
        dci_bsh_moments(W, B, q1, q2, m);
    }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

/* ---- evaluation: the walk ----------------------------------------------------------------------- */

/* The cache's place for a triangle pair: its own, a free one, or the one used longest ago, of eight. */
static dc_bsh_slot *dci_bsh_slot(const dci_bsh *W, int a, int b, int *found)
{
    const dc_bsh_cache *c = W->cache;
    dc_bsh_slot *best = NULL;
    uint32_t h = (uint32_t)W->pair*UINT32_C(0x9e3779b1) ^ (uint32_t)a*UINT32_C(0x85ebca6b)
               ^ (uint32_t)b*UINT32_C(0xc2b2ae35);
    int k, at;
    h ^= h >> 15;
    h *= UINT32_C(0x2c1b3c6d);
    h ^= h >> 13;
    at = (int)(h%(uint32_t)c->n);
    for (k = 0; k < 8; ++k) {
        dc_bsh_slot *s = c->slot + at;
        *found = s->turn != 0 && s->pair == W->pair && s->a == a && s->b == b;
        if (*found) return s;
        if (!best || (best->turn != 0 && (s->turn == 0 || c->turn - s->turn > c->turn - best->turn))) best = s;
        if (++at == c->n) at = 0;
    }
    return best;
}

static dc_plane dci_bsh_plane(const dci_bsh *W, int k)
{
    dc_plane p;
    p.n = dc_vec(W->plane[0][k], W->plane[1][k], W->plane[2][k]);
    p.d = W->plane[3][k];
    return p;
}

/* Start planes of the queue, none without a cache. The cache keeps them about the root centre of a, which does not move in
 * a's axes. A place is claimed at once, so that two new pairs do not share it. */
static DCI_NOINLINE void dci_bsh_recall(dci_bsh *W, const dci_bsh_queue *Q)
{
    int k, found = 0;
    for (k = 0; W->out.plane && k < Q->n; ++k) {
        dc_plane p = DC_ZERO;
        if (W->cache) {
            dc_bsh_slot *s = W->slot[k] = dci_bsh_slot(W, Q->a[k], Q->b[k], &found);
            if (found) {
                p = s->plane;
                p.d -= dc_dot(p.n, W->sa);
                ++W->info.warm;
            } else s->plane = p;
            s->pair = W->pair;
            s->a = Q->a[k];
            s->b = Q->b[k];
            s->turn = W->cache->turn;
        }
        W->plane[0][k] = p.n.x;
        W->plane[1][k] = p.n.y;
        W->plane[2][k] = p.n.z;
        W->plane[3][k] = p.d;
    }
}

/* Failures of the queue: an overlap before anything else, a pair that diverged only noted. */
static void dci_bsh_verdict(dci_bsh *W, const dci_bsh_queue *Q)
{
    int k, first = -1;
    for (k = 0; k < Q->n; ++k) {
        dc_status s = (dc_status)W->failed[k];
        if (s == DC_E_DIVERGED) W->status = DC_E_DIVERGED;
        if (s == DC_OK || s == DC_E_DIVERGED) continue;
        if (first < 0 || (s == DC_E_OVERLAP && W->failed[first] != DC_E_OVERLAP)) first = k;
    }
    if (first < 0) return;
    W->status = (dc_status)W->failed[first];
    if (W->status == DC_E_ARG) W->status = DC_E_RANGE;      /* coordinates beyond DC_LIMIT that were not the caller's */
    W->info.triangle_a = Q->a[first];
    W->info.triangle_b = Q->b[first];
}

/* is there a result? */
static int dci_bsh_outcome(dc_status s) { return s == DC_OK || s == DC_E_DIVERGED; }

/* Contact k of the queue; out of the walk's frame into the world. */
static void dci_bsh_report(const dci_bsh *W, const dci_bsh_queue *Q, int k, dc_bsh_contact *c)
{
    dc_real *d = c->weight_grad;
    dc_plane p = dci_bsh_plane(W, k);
    dc_v3 ci = dc_vec(0, 0, 0), cj = ci, u, x, y;
    int i;
    for (i = 0; i < 3; ++i) {
        ci = dc_madd(ci, DC_R(1.0/3.0), W->a->corner[3*Q->a[k] + i]);
        cj = dc_madd(cj, DC_R(1.0/3.0), W->b->corner[3*Q->b[k] + i]);
    }
    c->triangle_a = Q->a[k];
    c->triangle_b = Q->b[k];
    c->plane.n = dc_mul(&W->Ra, p.n);
    c->plane.d = p.d - dc_dot(c->plane.n, W->world);
    c->weight = Q->w[k];
    c->value = Q->w[k]*W->P_leaf[k];                /* LRI Eq. 12 */
    for (i = 0; i < 6; ++i) {
        dc_v3 f = dc_vec(W->rel[3*i][k], W->rel[3*i + 1][k], W->rel[3*i + 2][k]);
        c->force[i] = Q->w[k]*dci_root(dc_dot(f, f));
    }
    /* d(1 - phi) = -phi' dr, each body about its own origin; phi' = 0 where centres might coincide */
    u = dc_sub(dc_add(ci, W->sa), dc_add(dc_mul(&W->R, cj), W->sb));
    u = Q->phi1[k] > 0 ? dc_mul(&W->Ra, dc_scale(-Q->phi1[k]/dci_root(dc_dot(u, u)), u)) : dc_vec(0, 0, 0);
    x = dc_cross(dc_mul(&W->Ra, dc_add(ci, W->a->o)), u);
    y = dc_cross(u, dc_mul(&W->Ra, dc_mul(&W->R, dc_add(cj, W->b->o))));
    d[0] = u.x;   d[1] = u.y;   d[2] = u.z;   d[3] = x.x;  d[4] = x.y;   d[5] = x.z;
    d[6] = -u.x;  d[7] = -u.y;  d[8] = -u.z;  d[9] = y.x;  d[10] = y.y;  d[11] = y.z;
}

/* A solved queue: planes to the cache, numbers to the sums and accumulators, or contacts to the caller. */
static DCI_NOINLINE void dci_bsh_absorb(dci_bsh *W, dci_bsh_queue *Q)
{
    int n = Q->n, k, row;
    if (W->batch_status != DC_OK) {
        dci_bsh_verdict(W, Q);
        if (!dci_bsh_outcome(W->status)) return;
    }
    for (k = 0; W->cache && k < n; ++k) {
        W->slot[k]->plane = dci_bsh_plane(W, k);
        W->slot[k]->plane.d += dc_dot(W->slot[k]->plane.n, W->sa);
    }
    if (W->want == DCI_BSH_CONTACTS)
        for (k = 0; k < n; ++k) dci_bsh_report(W, Q, k, W->contact++);
    else {
        for (k = n; k%DC_LANES != 0; ++k) {         /* the rest of the last block */
            Q->w[k] = W->P_leaf[k] = 0;
            for (row = 0; row < 18; ++row) Q->x[row][k] = 0;
            for (row = 0; row < 27; ++row) W->rel[row][k] = 0;
        }
        dci_bsh_sum_leaves(W, Q);
        for (k = 0; W->want != DCI_BSH_VALUE && k < n; ++k) {
            dci_bsh_block *A;
            unsigned up = (unsigned)Q->acc[k], at = up%DC_LANES;
            if (Q->acc[k] < 0) continue;
            A = W->acc + up/DC_LANES;
            A->S[at] += W->P_leaf[k];
            for (row = 0; W->want == DCI_BSH_HESS && row < 6; ++row) A->s[row][at] += W->rel[row][k];
        }
    }
    Q->n = 0;
}

/* Closed accumulators, in reverse order, into those above them and the sums; the open ones move to the front. The queues
 * are empty. */
static DCI_NOINLINE void dci_bsh_reduce(dci_bsh *W)
{
    int n = W->n_acc, k, m, row;
    dci_bsh_flush_far(W);

    /* open: with a pair on the stack below */
    for (k = 0; k < n; ++k) W->link[k] = 0;
    for (k = 0; k < W->n_stack; ++k)
        for (m = W->stack[k].acc; m >= 0 && W->link[m] == 0; m = W->acc[m/DC_LANES].acc[m%DC_LANES]) W->link[m] = -1;

    for (k = 0; k < n; k += DC_LANES) dci_bsh_radial(W, W->acc + k/DC_LANES);
    for (k = n - 1; k >= 0; --k) {
        const dci_bsh_block *B = W->acc + k/DC_LANES;
        dci_bsh_block *A;
        int l = k%DC_LANES, up = B->acc[l], at = up%DC_LANES;
        dc_real q1, rest = 1 - B->phi[l];
        if (W->link[k] < 0 || up < 0) continue;
        A = W->acc + up/DC_LANES;
        A->S[at] += rest*B->S[l] + B->phi[l]*B->C[l];                       /* LRI Eq. 4 */
        if (W->want != DCI_BSH_HESS) continue;
        q1 = B->phi[l]*B->C1[l] + B->phi1[l]*(B->C[l] - B->S[l]);
        for (row = 0; row < 6; ++row) A->s[row][at] += rest*B->s[row][l] + q1*B->j[row][l];
    }
    dci_bsh_sum_blended(W, n);

    /* link: the new place of an open one */
    for (k = 0, m = 0; k < n; ++k) {
        const dci_bsh_block *B = W->acc + k/DC_LANES;
        dci_bsh_block *A = W->acc + m/DC_LANES;
        int l = k%DC_LANES, at = m%DC_LANES;
        if (W->link[k] == 0) continue;
        W->link[k] = m++;
        for (row = 0; row < 3; ++row) {
            A->e[row][at] = B->e[row][l];
            A->p[row][at] = B->p[row][l];
        }
        for (row = 0; row < 6; ++row) A->s[row][at] = B->s[row][l];
        A->w[at] = B->w[l];
        A->many[at] = B->many[l];
        A->shift[at] = B->shift[l];
        A->phi[at] = B->phi[l];
        A->phi1[at] = B->phi1[l];
        A->phi2[at] = B->phi2[l];
        A->S[at] = B->S[l];
        A->acc[at] = B->acc[l] < 0 ? -1 : W->link[B->acc[l]];
    }
    W->n_acc = m;
    for (k = 0; k < W->n_stack; ++k)
        if (W->stack[k].acc >= 0) W->stack[k].acc = W->link[W->stack[k].acc];
}

/* Triangle pair into a queue, in the frame of the walk. */
static void dci_bsh_enqueue(dci_bsh *W, dci_bsh_queue *Q, int a, int b, dc_real w, dc_real phi1, int acc)
{
    int n = Q->n++, i;
    for (i = 0; i < 9; i += 3) {
        dc_v3 p = dc_add(W->a->corner[3*a + i/3], W->sa), q = dc_add(dc_mul(&W->R, W->b->corner[3*b + i/3]), W->sb);
        Q->x[i][n] = p.x;      Q->x[i + 9][n] = q.x;
        Q->x[i + 1][n] = p.y;  Q->x[i + 10][n] = q.y;
        Q->x[i + 2][n] = p.z;  Q->x[i + 11][n] = q.z;
    }
    Q->a[n] = a;
    Q->b[n] = b;
    Q->w[n] = w;
    Q->phi1[n] = phi1;
    Q->acc[n] = acc;
}

/* A node on its way through the walk: where its centre is, in the walk's frame. */
typedef struct { const dc_bsh_node *node; int index; dc_v3 x; } dci_bsh_at;

/* A radial term into lane l: e, rho_i, what multiplies and shifts it. */
DC_INLINE void dci_bsh_term(const dci_bsh *W, dci_bsh_block *B, unsigned l, const dci_bsh_at *ci, const dci_bsh_at *cj, dc_real w,
                            int acc)
{
    B->e[0][l] = ci->x.x - cj->x.x;
    B->e[1][l] = ci->x.y - cj->x.y;
    B->e[2][l] = ci->x.z - cj->x.z;
    B->p[0][l] = ci->x.x;
    B->p[1][l] = ci->x.y;
    B->p[2][l] = ci->x.z;
    B->w[l] = w;
    B->acc[l] = acc;
    if (W->weighted) {
        B->many[l] = (dc_real)ci->node->count*(dc_real)cj->node->count;
        B->shift[l] = ci->node->R + cj->node->R;
    }
}

DC_INLINE void dci_bsh_far_term(dci_bsh *W, const dci_bsh_at *ci, const dci_bsh_at *cj, dc_real w, int acc)
{
    dci_bsh_term(W, &W->away, (unsigned)W->n_far, ci, cj, w, acc);
    if (++W->n_far == DC_LANES) dci_bsh_flush_far(W);
}

/* A new accumulator below `acc`. */
DC_INLINE int dci_bsh_accumulator(dci_bsh *W, const dci_bsh_at *ci, const dci_bsh_at *cj, dc_real w, int acc, dc_real phi,
                                  dc_real phi1, dc_real phi2)
{
    unsigned l = (unsigned)W->n_acc%DC_LANES;
    dci_bsh_block *B = W->acc + (unsigned)W->n_acc/DC_LANES;
    int k;
    if (W->n_acc == W->clear_acc) {
        dci_bsh_clear(B);
        W->clear_acc += DC_LANES;
    }
    dci_bsh_term(W, B, l, ci, cj, w, acc);
    B->phi[l] = phi;
    B->phi1[l] = phi1;
    B->phi2[l] = phi2;
    B->S[l] = 0;
    for (k = 0; k < 6; ++k) B->s[k][l] = 0;
    return W->n_acc++;
}

/* LRI Eq. 8, of two leaves LRI Eq. 6: near pairs are opened (leaves solved), far ones are a term, in between it is both. */
DC_INLINE void dci_bsh_meet(dci_bsh *W, const dci_bsh_at *ci, const dci_bsh_at *cj, dc_real r2, dc_real w, int acc)
{
    dc_real d1 = ci->node->R + cj->node->R, d2 = W->ratio*d1, phi1 = 0;
    int inner = ci->node->left >= 0 || cj->node->left >= 0, within = r2 <= dc_max(d1*d1, DC_REAL_MIN);
    int contacts = W->want == DCI_BSH_CONTACTS;
    if (!within && r2 >= d2*d2) {
        ++W->far_pairs[inner];
        if (!contacts) dci_bsh_far_term(W, ci, cj, w, acc);
        return;
    }
    ++W->near_pairs[2*inner + within];
    if (!within && !(contacts && inner)) {
        dc_real span = d2 - d1, phi2 = 0, phi;      /* > 0 */
        int slopes = W->want != DCI_BSH_VALUE;
        phi = dc_blend((dci_root(r2) - d1)/span, slopes ? &phi1 : NULL, slopes ? &phi2 : NULL);
        /* the value alone needs no accumulator: phi C is one more far term */
        if (!slopes) dci_bsh_far_term(W, ci, cj, w*phi, acc);
        else {
            phi1 /= span;
            if (!contacts) acc = dci_bsh_accumulator(W, ci, cj, w, acc, phi, phi1, phi2/(span*span));
        }
        w *= 1 - phi;
    }
    if (inner) {
        dci_bsh_entry *s = W->stack + W->n_stack++;
        s->i = ci->index;
        s->j = cj->index;
        s->acc = acc;
        s->w = w;
        s->y = cj->x;
    } else if (!contacts || W->contacts++ < W->capacity)
        dci_bsh_enqueue(W, W->queue + within, ci->node->triangle, cj->node->triangle, w, phi1, acc);
}

DC_INLINE dci_bsh_at dci_bsh_at_a(const dci_bsh *W, int i)
{
    dci_bsh_at p;
    p.node = W->a->node + i;
    p.index = i;
    p.x = dc_add(p.node->c, W->sa);
    return p;
}

DC_INLINE dci_bsh_at dci_bsh_at_b(const dci_bsh *W, int j)
{
    dci_bsh_at p;
    p.node = W->b->node + j;
    p.index = j;
    p.x = dc_add(dc_mul(&W->R, p.node->c), W->sb);
    return p;
}

/* LRI Eq. 3: every triangle pair in turn. Returns a queue to be solved, NULL at the end. */
static dci_bsh_queue *dci_bsh_next_pairs(dci_bsh *W)
{
    dci_bsh_queue *Q = W->queue;
    while (Q->n < DCI_BSH_QUEUE && W->brute_i < W->a->n) {
        dci_bsh_enqueue(W, Q, W->brute_i, W->brute_j, 1, 0, -1);
        ++W->near_pairs[1];
        if (++W->brute_j == W->b->n) {
            W->brute_j = 0;
            ++W->brute_i;
        }
    }
    return Q->n > 0 ? Q : NULL;
}

/* LRI Algorithm 1 without the recursion, up to a queue that has to be solved, or NULL at the end. Pairs of children are measured
 * together, then met one by one. */
static DCI_NOINLINE dci_bsh_queue *dci_bsh_walk(dci_bsh *W)
{
    if (!dci_bsh_outcome(W->status)) return NULL;
    if (W->brute) return dci_bsh_next_pairs(W);
    for (;;) {
        dci_bsh_entry *s;
        dci_bsh_at ci[2], cj[2];
        dc_real w, r2[4];
        int ni = 1, nj = 1, acc, k, m, last = W->n_stack == 0 || W->n_acc + 4 > W->most_acc;
        for (k = 0; k < 2; ++k)         /* an opened pair has up to four of triangles */
            if (W->queue[k].n > (last ? 0 : DCI_BSH_QUEUE - 4)) return W->queue + k;
        if (last) dci_bsh_reduce(W);
        if (W->n_stack == 0) return NULL;

        s = W->stack + --W->n_stack;
        w = s->w;
        acc = s->acc;
        if (s->i < 0) {
            ci[0] = dci_bsh_at_a(W, 0);
            cj[0] = dci_bsh_at_b(W, 0);
        } else {
            const dc_bsh_node *p = W->a->node + s->i, *q = W->b->node + s->j;
            ni = p->left < 0 ? 1 : 2;
            nj = q->left < 0 ? 1 : 2;
            ci[0] = dci_bsh_at_a(W, ni == 1 ? s->i : p->left);
            if (ni == 2) ci[1] = dci_bsh_at_a(W, p->right);
            if (nj == 1) {
                cj[0].node = q;
                cj[0].index = s->j;
                cj[0].x = s->y;
            } else {
                cj[0] = dci_bsh_at_b(W, q->left);
                cj[1] = dci_bsh_at_b(W, q->right);
            }
        }
        for (m = 0; m < nj; ++m)
            for (k = 0; k < ni; ++k) {
                dc_v3 e = dc_sub(ci[k].x, cj[m].x);
                r2[2*m + k] = dc_dot(e, e);
            }
        for (m = 0; m < nj; ++m)
            for (k = 0; k < ni; ++k) dci_bsh_meet(W, ci + k, cj + m, r2[2*m + k], w, acc);
    }
}

/* Walks and solves in turn, so that the stack of dc_tri_batch does not come on top of that of the walk. */
static DCI_NOINLINE void dci_bsh_drive(dci_bsh *W)
{
    dci_bsh_queue *Q;
    while ((Q = dci_bsh_walk(W)) != NULL) {
        dci_bsh_recall(W, Q);
        W->batch_status = dc_tri_batch(&W->pair_options, Q->n, Q->x[0], DCI_BSH_QUEUE, &W->batch, &W->out);
        dci_bsh_absorb(W, Q);
    }
}

static dc_real dci_bsh_total(const dc_real *row)
{
    dc_real s = 0;
    int l;
    for (l = 0; l < DC_LANES; ++l) s += row[l];
    return s;
}

/* Sums to the derivatives by the twists of both bodies, in the world. */
static void dci_bsh_expand(dci_bsh *W)
{
    dc_relative *r = &W->relative;
    dc_m3 Rt = dc_m3_t(&W->Ra), skew;
    dc_v3 g;
    dc_real b0 = dci_bsh_total(W->b0), b2[6], trace;
    int i, k, row, bi, bk;
    r->o = W->world;
    for (i = 0; i < 6; ++i) r->g[i] = dci_bsh_total(W->sum[i]);
    for (i = 0; i < 6; i += 3) {
        g = dc_mul(&W->Ra, dc_vec(r->g[i], r->g[i + 1], r->g[i + 2]));
        r->g[i] = g.x;
        r->g[i + 1] = g.y;
        r->g[i + 2] = g.z;
    }
    if (W->want == DCI_BSH_HESS) {
        for (i = 0, row = 6; i < 6; ++i)
            for (k = i; k < 6; ++k, ++row) r->H[6*i + k] = r->H[6*k + i] = dci_bsh_total(W->sum[row]);
        for (k = 0; k < 6; ++k) b2[k] = dci_bsh_total(W->b2[k]);
        trace = b2[0] + b2[3] + b2[5];
        skew = dc_m3_skew(dc_vec(dci_bsh_total(W->b1[0]), dci_bsh_total(W->b1[1]), dci_bsh_total(W->b1[2])));
        for (i = 0, row = 0; i < 3; ++i) {
            r->H[6*i + i] += b0;
            r->H[6*(3 + i) + 3 + i] += trace;
            for (k = 0; k < 3; ++k) r->H[6*i + 3 + k] -= skew.m[3*i + k];
            for (k = i; k < 3; ++k, ++row) r->H[6*(3 + i) + 3 + k] -= b2[row];
        }
        for (i = 3; i < 6; ++i)
            for (k = 3; k < i; ++k) r->H[6*i + k] = r->H[6*k + i];
        /* R H R^T of the upper blocks, the rest by symmetry */
        for (bi = 0; bi < 6; bi += 3)
            for (bk = bi; bk < 6; bk += 3) {
                dc_m3 M, T;
                for (i = 0; i < 9; ++i) M.m[i] = r->H[6*(bi + i/3) + bk + i%3];
                T = dc_m3_mul(&M, &Rt);
                M = dc_m3_mul(&W->Ra, &T);
                for (i = 0; i < 9; ++i) r->H[6*(bi + i/3) + bk + i%3] = M.m[i];
            }
        for (i = 0; i < 6; ++i)
            for (k = 0; k < i; ++k) r->H[6*i + k] = r->H[6*k + i];
    }
    dc_relative_expand(r, W->ta, W->tb, W->grad, W->want == DCI_BSH_HESS ? W->hess : NULL);
}

/* The root pair alone is far: one radial term C(r) of the root centres, r e = x_a - x_b, each body about its own origin. Twists
 * about one origin would be shifted over the whole distance here, and lose its square in digits.
 *
 *     d(r e) = J (v_a, w_a, v_b, w_b) + w_a x (w_a x l_a)/2 - w_b x (w_b x l_b)/2,    J = (I, -[l_a]x, -I, [l_b]x)
 *     grad = C' J^T e,   hess = J^T (C'' e e^T + C'/r (I - e e^T)) J + C' e.(the second order of d(r e))
 *
 * l_a, l_b: the centres from the bodies' origins. */
static void dci_bsh_expand_alone(dci_bsh *W)
{
    const dci_bsh_block *B = &W->away;          /* its first lane */
    dc_real C1 = B->C1[0], lateral = C1*B->w_r[0], along = B->C2[0] - lateral;
    dc_real *H = W->hess;
    dc_v3 e, l[2], J[12];
    int i, k, body;

    /* e from the levers themselves, so that torques balance as forces do; r > 0: the roots are far */
    l[0] = dc_mul(&W->Ra, dc_add(W->a->o, W->a->node->c));
    l[1] = dc_mul(&W->Ra, dc_mul(&W->R, dc_add(W->b->o, W->b->node->c)));
    e = dc_add(dc_sub(W->ta, W->tb), dc_sub(l[0], l[1]));
    e = dc_scale(1/dci_root(dc_dot(e, e)), e);

    /* columns of J: the motion of r e under a unit of each freedom */
    for (i = 0; i < 3; ++i) {
        dc_v3 axis = dci_axis(i);
        J[i] = axis;
        J[3 + i] = dc_cross(axis, l[0]);
        J[6 + i] = dc_neg(axis);
        J[9 + i] = dc_cross(l[1], axis);
    }
    for (i = 0; i < 12; ++i) W->grad[i] = C1*dc_dot(J[i], e);
    if (W->want != DCI_BSH_HESS) return;

    for (i = 0; i < 12; ++i)
        for (k = i; k < 12; ++k) {
            dc_real h = lateral*dc_dot(J[i], J[k]) + along*(dc_dot(J[i], e)*dc_dot(J[k], e));
            H[12*i + k] = H[12*k + i] = h;
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
                H[12*row + column] += DC_R(0.5)*(fv[i]*lv[k] + lv[i]*fv[k]) - (i == k ? fl : 0);
                H[12*column + row] = H[12*row + column];
            }
    }
}

/* The end of a walk: W->P, grad, hess. */
static DCI_NOINLINE dc_status dci_bsh_finish(dci_bsh *W)
{
    int k;
    W->info.leaf_near = W->near_pairs[1];
    W->info.leaf_blended = W->near_pairs[0];
    W->info.leaf_far = W->far_pairs[0];
    W->info.inner_near = W->near_pairs[3];
    W->info.inner_blended = W->near_pairs[2];
    W->info.inner_far = W->far_pairs[1];
    W->P = W->status == DC_E_OVERLAP ? dci_from_bits(DCI_INF) : dci_bsh_total(W->value);
    if (!dci_bsh_outcome(W->status) || W->want == DCI_BSH_CONTACTS) return W->status;
    if (!dc_finite(W->P)) return DC_E_RANGE;
    if (W->want == DCI_BSH_VALUE) return W->status;
    if (W->far_pairs[0] + W->far_pairs[1] == 1 && W->near_pairs[0] + W->near_pairs[1] + W->near_pairs[2] + W->near_pairs[3] == 0)
        dci_bsh_expand_alone(W);
    else dci_bsh_expand(W);
    for (k = 0; k < 12; ++k)
        if (!dc_finite(W->grad[k])) return DC_E_RANGE;
    for (k = 0; W->want == DCI_BSH_HESS && k < 144; ++k)
        if (!dc_finite(W->hess[k])) return DC_E_RANGE;
    return W->status;
}

/* none, or one that dc_bsh_cache_make made? */
static int dci_bsh_cache_ok(const dc_bsh_cache *cache) { return !cache || (cache->slot && cache->n >= 1); }

static void dci_bsh_turn(dc_bsh_cache *cache)
{
    if (cache && ++cache->turn == 0) cache->turn = 1;       /* 0 marks a free slot */
}

/* ---- public functions ----------------------------------------------------------------------------- */

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
    memset(slot, 0, (size_t)pairs*sizeof *slot);
    cache->slot = slot;
    cache->n = pairs;
    cache->turn = 0;
    return DC_OK;
}

/* Two bodies up to the start of their walk. On failure the arena is as it was. */
static DCI_NOINLINE dc_status dci_bsh_open(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                                           const dc_pose *pose_b, dc_arena *mem, dc_bsh_cache *cache, int want, dci_bsh **W)
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

/* The outputs of two bodies, and the memory back. */
static DCI_NOINLINE dc_status dci_bsh_answer(dci_bsh *W)
{
    dc_status status = dci_bsh_finish(W);
    if (W->out_info) *W->out_info = W->info;
    if (W->out_value && (dci_bsh_outcome(status) || status == DC_E_OVERLAP)) *W->out_value = W->P;
    if (W->out_grad && dci_bsh_outcome(status)) memcpy(W->out_grad, W->grad, sizeof W->grad);
    if (W->out_hess && dci_bsh_outcome(status)) memcpy(W->out_hess, W->hess, sizeof W->hess);
    W->mem->used = W->used;
    return status;
}

static int dci_bsh_wanted(const dc_real *grad, const dc_real *hess)
{
    return hess ? DCI_BSH_HESS : grad ? DCI_BSH_GRAD : DCI_BSH_VALUE;
}

static dc_status dci_bsh_potential(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                                   const dc_pose *pose_b, int brute, dc_arena *mem, dc_bsh_cache *cache, dc_real *value,
                                   dc_real *grad, dc_real *hess, dc_bsh_info *info)
{
    dci_bsh *W;
    dc_status status = dci_bsh_open(opt, a, pose_a, b, pose_b, mem, cache, dci_bsh_wanted(grad, hess), &W);
    if (status != DC_OK) return status;
    W->brute = brute;
    W->out_value = value;
    W->out_grad = grad;
    W->out_hess = hess;
    W->out_info = info;
    dci_bsh_drive(W);
    return dci_bsh_answer(W);
}

DC_DEF dc_status dc_bsh_eval(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                             const dc_pose *pose_b, dc_arena *mem, dc_bsh_cache *cache, dc_real *value, dc_real *grad,
                             dc_real *hess, dc_bsh_info *info)
{
    return dci_bsh_potential(opt, a, pose_a, b, pose_b, 0, mem, cache, value, grad, hess, info);
}

DC_DEF dc_status dc_bsh_brute(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                              const dc_pose *pose_b, dc_arena *mem, dc_real *value, dc_real *grad, dc_real *hess,
                              dc_bsh_info *info)
{
    return dci_bsh_potential(opt, a, pose_a, b, pose_b, 1, mem, NULL, value, grad, hess, info);
}

DC_DEF dc_status dc_bsh_contacts(const dc_bsh_options *opt, const dc_bsh *a, const dc_pose *pose_a, const dc_bsh *b,
                                 const dc_pose *pose_b, dc_arena *mem, dc_bsh_cache *cache, int capacity,
                                 dc_bsh_contact *contact, int *count, dc_bsh_info *info)
{
    dci_bsh *W;
    dc_status status;
    if (capacity < 0 || (capacity > 0 && !contact) || !count) return DC_E_ARG;
    status = dci_bsh_open(opt, a, pose_a, b, pose_b, mem, cache, DCI_BSH_CONTACTS, &W);
    if (status != DC_OK) return status;
    W->contact = contact;
    W->capacity = capacity;
    W->out_info = info;
    dci_bsh_drive(W);
    status = dci_bsh_answer(W);             /* gives the memory back, but W is still there to be read */
    if (!dci_bsh_outcome(status)) return status;
    *count = W->contacts;
    return W->contacts > capacity ? DC_E_MEMORY : status;
}

/* The state of dc_bsh_scene. */
typedef struct {
    dci_bsh *W;
    int n, n_excluded, i, k, want;
    const dc_bsh *const *tree;
    const dc_pose *pose;
    const int *excluded;
    unsigned char *skip;        /* bodies not to be paired with i */
    dc_bsh_cache *cache;
    dc_real P;
    dc_bsh_info sum;
    dc_status status;
} dci_bsh_scene;

DC_DEF size_t dc_bsh_scene_bytes(int n, const dc_bsh *const *tree)
{
    const dc_bsh *deepest = NULL;
    size_t sum;
    int i;
    if (n < 1 || !tree) return 0;
    for (i = 0; i < n; ++i) {
        if (!tree[i] || tree[i]->depth < 0 || tree[i]->depth > DCI_BSH_MOST) return 0;
        if (!deepest || tree[i]->depth > deepest->depth) deepest = tree[i];
    }
    sum = dc_bytes(dc_bytes(0, 1, sizeof(dci_bsh_scene)), (size_t)n, 1);
    return dci_bsh_work_bytes(sum, dci_bsh_levels(deepest, deepest));
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

/* block (i,k) of the 6n x 6n matrix += block (bi,bk) of a pair's 12x12 */
static void dci_bsh_add_block(dc_real *hess, size_t n, size_t i, size_t k, const dc_real *pair, size_t bi, size_t bk)
{
    size_t r, c;
    for (r = 0; r < 6; ++r)
        for (c = 0; c < 6; ++c) hess[(6*i + r)*6*n + 6*k + c] += pair[12*(6*bi + r) + 6*bk + c];
}

/* Checks, and memory for any pair. */
static DCI_NOINLINE dc_status dci_bsh_scene_open(const dc_bsh_options *opt, int n, const dc_bsh *const *tree,
                                                 const dc_pose *pose, int n_excluded, const int *excluded, dc_arena *mem,
                                                 dc_bsh_cache *cache, dci_bsh_scene **out)
{
    const dc_bsh *deepest;
    dci_bsh_scene *S;
    dci_bsh *W;
    dc_status status;
    size_t used;
    int i;
    if (n < 1 || !tree || !pose || !mem || n_excluded < 0 || n_excluded > INT32_MAX/2 || (n_excluded > 0 && !excluded))
        return DC_E_ARG;
    for (i = 0; i < n; ++i)
        if (!dci_bsh_tree_ok(tree[i]) || !dc_pose_ok(pose + i)) return DC_E_ARG;
    for (i = 0; i < 2*n_excluded; ++i)
        if (excluded[i] < 0 || excluded[i] >= n) return DC_E_ARG;
    if (!dci_bsh_cache_ok(cache)) return DC_E_ARG;
    for (i = 1, deepest = tree[0]; i < n; ++i)
        if (tree[i]->depth > deepest->depth) deepest = tree[i];
    used = mem->used;
    status = dci_bsh_setup(opt, deepest, deepest, mem, &W);
    S = (dci_bsh_scene *)dc_arena_take(mem, 1, sizeof *S);
    if (S) S->skip = (unsigned char *)dc_arena_take(mem, (size_t)n, 1);
    if (status == DC_OK && (!S || !S->skip)) status = DC_E_MEMORY;
    if (status != DC_OK) {
        mem->used = used;
        return status;
    }
    dci_bsh_turn(cache);
    S->W = W;
    S->W->mem = mem;
    S->W->used = used;
    S->n = n;
    S->n_excluded = n_excluded;
    S->i = -1;
    S->k = n;
    S->tree = tree;
    S->pose = pose;
    S->excluded = excluded;
    S->cache = cache;
    S->P = 0;
    S->status = DC_OK;
    memset(&S->sum, 0, sizeof S->sum);
    S->sum.body_b = 1;
    S->sum.triangle_a = S->sum.triangle_b = -1;
    *out = S;
    return DC_OK;
}

/* The next pair that is not excluded, its walk started; 0: no more. */
static DCI_NOINLINE int dci_bsh_scene_next(dci_bsh_scene *S)
{
    int m;
    if (!dci_bsh_outcome(S->status)) return 0;
    do {
        if (++S->k < S->n) continue;
        if (++S->i >= S->n) return 0;
        S->k = S->i;
        memset(S->skip, 0, (size_t)S->n);
        S->skip[S->i] = 1;
        for (m = 0; m < 2*S->n_excluded; ++m)
            if (S->excluded[m] == S->i) S->skip[S->excluded[m ^ 1]] = 1;
    } while (S->skip[S->k]);
    dci_bsh_start(S->W, S->tree[S->i], S->pose + S->i, S->tree[S->k], S->pose + S->k, S->want, S->cache);
    S->W->pair = (unsigned)S->i*(unsigned)S->n + (unsigned)S->k;
    return 1;
}

/* A pair that was walked. */
static DCI_NOINLINE void dci_bsh_scene_add(dci_bsh_scene *S, dc_real *grad, dc_real *hess)
{
    size_t n = (size_t)S->n, i = (size_t)S->i, k = (size_t)S->k, m;
    dc_status status = dci_bsh_finish(S->W);
    if (status != DC_OK) S->status = status;
    S->P += S->W->P;
    dci_bsh_tally(&S->sum, &S->W->info);
    if (!dci_bsh_outcome(status)) {
        S->sum.body_a = S->i;
        S->sum.body_b = S->k;
        S->sum.triangle_a = S->W->info.triangle_a;
        S->sum.triangle_b = S->W->info.triangle_b;
        return;
    }
    for (m = 0; grad && m < 6; ++m) {
        grad[6*i + m] += S->W->grad[m];
        grad[6*k + m] += S->W->grad[6 + m];
    }
    if (!hess) return;
    dci_bsh_add_block(hess, n, i, i, S->W->hess, 0, 0);
    dci_bsh_add_block(hess, n, i, k, S->W->hess, 0, 1);
    dci_bsh_add_block(hess, n, k, i, S->W->hess, 1, 0);
    dci_bsh_add_block(hess, n, k, k, S->W->hess, 1, 1);
}

DC_DEF dc_status dc_bsh_scene(const dc_bsh_options *opt, int n, const dc_bsh *const *tree, const dc_pose *pose,
                              int n_excluded, const int *excluded, dc_arena *mem, dc_bsh_cache *cache, dc_real *value,
                              dc_real *grad, dc_real *hess, dc_bsh_info *info)
{
    dci_bsh_scene *S;
    dc_status status = dci_bsh_scene_open(opt, n, tree, pose, n_excluded, excluded, mem, cache, &S);
    size_t m;
    if (status != DC_OK) return status;
    for (m = 0; grad && m < 6*(size_t)n; ++m) grad[m] = 0;
    for (m = 0; hess && m < 36*(size_t)n*(size_t)n; ++m) hess[m] = 0;
    S->want = dci_bsh_wanted(grad, hess);
    while (dci_bsh_scene_next(S)) {
        dci_bsh_drive(S->W);
        dci_bsh_scene_add(S, grad, hess);
    }
    if (info) *info = S->sum;
    if (value && (dci_bsh_outcome(S->status) || S->status == DC_E_OVERLAP)) *value = S->P;
    mem->used = S->W->used;
    return S->status;
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
