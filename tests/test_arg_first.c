/* A bad argument is named whatever the memory: with a large arena, with an empty one and with one byte too little the
 * answer is DC_E_ARG and nothing is touched. One byte is taken from what the call with good arguments is known to need. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_bsh.h"
#include "dc_witness.h"
#include "dc_ncp.h"
#include "dc_sim.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "machine.h"
#include "mesh.h"

enum { LARGE = 1 << 22, CONTACTS = 400, SOFT = 64, STATES = 64, JACOBIAN = 1 << 14 };

static unsigned char memory[LARGE + DC_ALIGN], kept[1 << 20];

/* every output of the call under test */
static struct {
    dc_real value, grad[48], hess[1296], mixed[144];
    dc_plane plane;
    dc_pair_info pair_info;
    dc_friction_info friction_info;
    dc_friction_load load;
    dc_distance distance;
    dc_v3 vectors[1 + 2*DC_HULL_CONTACTS];
    dc_hull_soft soft[SOFT];
    dc_hull_soft_rate soft_rate[SOFT];
    dc_bsh tree;
    dc_bsh_cache cache;
    dc_bsh_info bsh_info;
    dc_bsh_contact contact[8];
    int count;
    dc_mesh mesh;
    dc_sdf_mesh_info mesh_info;
    dc_sdf_prim prim[4];
    dc_sdf_fit_info fit_info;
    dc_cfield field;
    dc_cfield_train_info train_info;
    dc_manifold_contact manifold[CONTACTS], jac[12*CONTACTS];
    dc_shape shape;
    dc_growth_result growth[2];
    dc_status status[2];
    dc_ncp_body next[2];
    dc_ncp *solution;
    dc_ncp_info ncp_info;
    dc_ncp_contact contacts[4];
    int pair[8];
    dc_sim sim;
    dc_real q[STATES], jacobian[JACOBIAN];
    dc_grains grains;
} out;

enum { ENOUGH, EMPTY, SHORT, SITUATIONS };

static dc_arena mem;

/* The memory of a situation. Its start is a byte behind an aligned address, so that what dc_..._bytes allows for alignment
 * is all used. */
static void furnish(int situation, size_t need)
{
    unsigned char *start = memory + 1 + ((0 - (uintptr_t)memory) & (DC_ALIGN - 1));
    if (situation == EMPTY) mem = dc_arena_make(NULL, 0);
    else mem = dc_arena_make(start, situation == ENOUGH ? (size_t)LARGE - 1 : need - 1);
    memset(&out, PATTERN, sizeof out);
}

static int calls, wrong;

static int nothing_done(void) { return mem.used == 0 && untouched(&out, sizeof out); }

static void complain(const char *what, int situation, dc_status s)
{
    static const char *const name[SITUATIONS] = {"enough memory", "an empty arena", "a byte too little"};
    if (++wrong > 20) return;
    printf("  %s with %s: %s%s\n", what, name[situation], dc_status_text(s), nothing_done() ? "" : ", outputs touched");
}

/* `call` is good, and `need` what it needs: less is DC_E_MEMORY */
#define GOOD(need_, call) do { \
        int at_; \
        need = (need_); \
        for (at_ = 0; at_ < SITUATIONS; ++at_) { \
            dc_status s_; \
            furnish(at_, need); \
            s_ = (call); \
            ++calls; \
            if (at_ == ENOUGH ? s_ != DC_OK : s_ != DC_E_MEMORY || !nothing_done()) complain(#call, at_, s_); \
        } \
    } while (0)

/* `call` is refused after `change`, which `undo` takes back */
#define BAD(change, call, undo) do { \
        int at_; \
        change; \
        for (at_ = 0; at_ < SITUATIONS; ++at_) { \
            dc_status s_; \
            furnish(at_, need); \
            s_ = (call); \
            ++calls; \
            if (s_ != DC_E_ARG || !nothing_done()) complain(#change ": " #call, at_, s_); \
        } \
        undo; \
    } while (0)

/* `place` has the value `value` during the call */
#define WITH(type, place, value, call) do { \
        type keep_ = (place); \
        BAD((place) = (value), call, (place) = keep_); \
    } while (0)

/* an enum that is none of its members; in C++ there is no such value */
#ifdef __cplusplus
#define WILD(type, place, call) do {} while (0)
#else
#define WILD(type, place, call) WITH(type, place, (type)99, call)
#endif

#define FINISH() do { \
        printf("  %d calls, %d wrong\n", calls, wrong); \
        ASSERT(calls > 0 && wrong == 0); \
        PASS(); \
    } while (0)

static dc_real not_a_number(void) { return (dc_real)(HUGE_VAL - HUGE_VAL); }

static dc_pose upright(void)
{
    dc_pose p = DC_ZERO;
    p.q.w = 1;
    return p;
}

/* two tetrahedra apart */
static dc_v3 va[4], vb[4], vb1[4];
static dc_hull a, b, b1;
static dc_pose pa, pb;
static dc_pair_options pair;

static void bodies(void)
{
    int k;
    for (k = 0; k < 4; ++k) {
        va[k] = dc_vec(k == 1, k == 2, k == 3);
        vb[k] = dc_vec((dc_real)(k == 1) + 2, k == 2, k == 3);
        vb1[k] = dc_add(vb[k], dc_vec(0, DC_R(0.1), 0));
    }
    a.v = va;
    b.v = vb;
    b1.v = vb1;
    a.n = b.n = b1.n = 4;
    pa = pb = upright();
    memset(&pair, 0, sizeof pair);
    calls = wrong = 0;
}

/* ---- dc_contact.h --------------------------------------------------------------------------------- */

TEST dense_algebra(void)
{
    dc_real A[9] = {2, 1, 0, 1, 3, 0, 0, 0, 1};
    size_t need;
    bodies();
    GOOD(dc_eigsym_bytes(3), dc_eigsym(3, A, 3, out.grad, out.hess, 3, &mem));
#define EIGSYM dc_eigsym(3, A, 3, out.grad, out.hess, 3, &mem)
    WITH(dc_real, A[4], not_a_number(), EIGSYM);
    BAD((void)0, dc_eigsym(0, A, 3, out.grad, out.hess, 3, &mem), (void)0);
    BAD((void)0, dc_eigsym(3, A, 2, out.grad, out.hess, 3, &mem), (void)0);
    BAD((void)0, dc_eigsym(3, NULL, 3, out.grad, out.hess, 3, &mem), (void)0);
    BAD((void)0, dc_eigsym(3, A, 3, NULL, out.hess, 3, &mem), (void)0);
    GOOD(dc_psd_clamp_bytes(3), dc_psd_clamp(3, A, 3, 0, &mem));
    WITH(dc_real, A[4], not_a_number(), dc_psd_clamp(3, A, 3, 0, &mem));
    BAD((void)0, dc_psd_clamp(3, A, 3, not_a_number(), &mem), (void)0);
    BAD((void)0, dc_psd_clamp(-1, A, 3, 0, &mem), (void)0);
    FINISH();
}

TEST hulls(void)
{
    dc_distance d = DC_ZERO;
    size_t need;
    bodies();
    need = dc_hull_distance_bytes(4, 4);
    /* overlapping: only then is memory asked for */
    pb.t = dc_vec(DC_R(-1.9), 0, 0);
#define DISTANCE dc_hull_distance(&a, &pa, &b, &pb, &mem, &d)
    GOOD(dc_hull_distance_bytes(4, 4), DISTANCE);
    WITH(dc_real, va[3].y, not_a_number(), DISTANCE);
    WITH(int, b.n, 0, DISTANCE);
    WITH(const dc_v3 *, a.v, NULL, DISTANCE);
    WITH(dc_real, pa.q.w, 2, DISTANCE);
    FINISH();
}

#define BAD_POSE(pose, call) do { \
        WITH(dc_real, (pose).q.w, 2, call); \
        WITH(dc_real, (pose).q.x, not_a_number(), call); \
        WITH(dc_real, (pose).t.y, not_a_number(), call); \
        WITH(dc_real, (pose).t.z, 2*DC_LIMIT, call); \
    } while (0)

TEST hull_manifolds(void)
{
    static unsigned char topologies[1 << 14];
    dc_arena keep = dc_arena_make(topologies, sizeof topologies);
    dc_hull_topology ta, tb;
    dc_hull_manifold_options o = DC_ZERO;
    dc_hull_smooth_options so = DC_ZERO;
    dc_hull_patch patch = DC_ZERO, before;
    dc_hull_soft_rate by[SOFT];
    dc_v3 by_n = dc_vec(1, 0, 0), by_p[DC_HULL_CONTACTS];
    dc_real twist[12] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, by_gap[DC_HULL_CONTACTS];
    size_t need;
    int k, count = 0;
    bodies();
    pb.t = dc_vec(DC_R(-1.2), DC_R(-0.2), DC_R(-0.15));
    ASSERT_EQ(DC_OK, dc_hull_faces(&a, 0, &keep, &ta));
    ASSERT_EQ(DC_OK, dc_hull_faces(&b, 0, &keep, &tb));
    memset(by, 0, sizeof by);
    for (k = 0; k < DC_HULL_CONTACTS; ++k) {
        by_p[k] = by_n;
        by_gap[k] = 1;
    }
    furnish(ENOUGH, 0);
    ASSERT_EQ(DC_OK, dc_hull_manifold(NULL, &ta, &pa, &tb, &pb, &mem, &patch));
    ASSERT(patch.count > 0);
    before = patch;

    /* a patch is in and out: refused, it is what it was */
#define TWO_TOPOLOGIES(call) do { \
        BAD_POSE(pa, call); \
        BAD_POSE(pb, call); \
        WITH(const dc_v3 *, ta.hull.v, NULL, call); \
        WITH(int, tb.hull.n, 0, call); \
    } while (0)
#define PATCH dc_hull_manifold(&o, &ta, &pa, &tb, &pb, &mem, &patch)
    need = dc_hull_manifold_bytes(4, 4);
    TWO_TOPOLOGIES(PATCH);
    WITH(dc_real, o.margin, not_a_number(), PATCH);
    WITH(dc_real, o.share, -1, PATCH);
    WITH(int, o.capacity, DC_HULL_CONTACTS + 1, PATCH);
    BAD((void)0, dc_hull_manifold(&o, &ta, &pa, NULL, &pb, &mem, &patch), (void)0);
    ASSERT(memcmp(&patch, &before, sizeof patch) == 0);

    /* derivatives of it take no memory */
#define RATES dc_hull_manifold_jvp(&ta, &pa, &tb, &pb, &patch, twist, out.vectors, out.vectors + 1, out.vectors + 1 + DC_HULL_CONTACTS, out.grad)
#define PULLED dc_hull_manifold_vjp(&ta, &pa, &tb, &pb, &patch, &by_n, by_p, by_p, by_gap, out.grad, out.hess, out.mixed)
    furnish(ENOUGH, 0);
    ASSERT_EQ(DC_OK, RATES);
    ASSERT_EQ(DC_OK, PULLED);
    TWO_TOPOLOGIES(RATES);
    TWO_TOPOLOGIES(PULLED);
    WITH(dc_real, twist[7], not_a_number(), RATES);
    WITH(int, patch.count, DC_HULL_CONTACTS + 1, RATES);
    WITH(int, patch.count, -1, PULLED);
    WITH(int, patch.reference, 4, RATES);
    WITH(int, patch.point[0].feature_a, 1000, RATES);
    WITH(int, patch.point[0].feature_b, -1, PULLED);
    WITH(dc_real, by_gap[0], not_a_number(), PULLED);
    WITH(dc_real, by_n.y, not_a_number(), PULLED);
    WITH(dc_real, by_p[0].z, not_a_number(), PULLED);
    BAD((void)0, dc_hull_manifold_vjp(&ta, &pa, &tb, &pb, &patch, NULL, NULL, NULL, NULL, NULL, out.hess, NULL), (void)0);
    BAD((void)0, dc_hull_manifold_jvp(&ta, &pa, &tb, &pb, NULL, twist, out.vectors, NULL, NULL, NULL), (void)0);

#define SMOOTH dc_hull_smooth(&so, &ta, &pa, &tb, &pb, &mem, SOFT, out.vectors, out.soft, &out.count)
#define SMOOTH_RATES dc_hull_smooth_jvp(&so, &ta, &pa, &tb, &pb, twist, &mem, SOFT, out.vectors, out.soft_rate, &out.count)
#define SMOOTH_PULLED dc_hull_smooth_vjp(&so, &ta, &pa, &tb, &pb, &mem, count, &by_n, by, out.grad, out.hess, out.mixed)
    need = dc_hull_smooth_bytes(4, 4, SOFT);
    furnish(ENOUGH, 0);
    ASSERT_EQ(DC_OK, SMOOTH);
    count = out.count;
    ASSERT(count > 0);
    furnish(ENOUGH, 0);
    ASSERT_EQ(DC_OK, SMOOTH_RATES);
    ASSERT_EQ(DC_OK, SMOOTH_PULLED);
    TWO_TOPOLOGIES(SMOOTH);
    TWO_TOPOLOGIES(SMOOTH_RATES);
    TWO_TOPOLOGIES(SMOOTH_PULLED);
    WITH(dc_real, so.length, -1, SMOOTH);
    WITH(dc_real, so.margin, not_a_number(), SMOOTH_RATES);
    WITH(dc_real, ta.hull.radius, 1, SMOOTH);
    WITH(dc_real, twist[11], not_a_number(), SMOOTH_RATES);
    WITH(dc_real, by[0].weight, not_a_number(), SMOOTH_PULLED);
    WITH(dc_real, by_n.x, not_a_number(), SMOOTH_PULLED);
    FINISH();
}

/* what every function of two hulls refuses; `hull` is the second one */
#define BAD_HULLS(call) do { \
        WITH(int, a.n, 0, call); \
        WITH(int, b.n, 0, call); \
        WITH(int, b.n, INT_MIN, call); \
        WITH(const dc_v3 *, a.v, NULL, call); \
        WITH(const dc_v3 *, b.v, NULL, call); \
        WITH(dc_real, va[0].x, not_a_number(), call); \
        WITH(dc_real, vb[3].z, (dc_real)HUGE_VAL, call); \
        WITH(dc_real, vb[3].y, 4*DC_LIMIT, call); \
    } while (0)
#define BAD_PAIR(call) do { \
        BAD_HULLS(call); \
        WILD(dc_barrier, pair.barrier, call); \
        WITH(dc_real, pair.c, -1, call); \
        WITH(dc_real, pair.c, not_a_number(), call); \
        WITH(dc_real, pair.length, -1, call); \
        WITH(dc_real, pair.length, not_a_number(), call); \
        pair.barrier = DC_LOCAL; \
        WITH(dc_real, pair.s, 1, call); \
        WITH(dc_real, pair.s, not_a_number(), call); \
        pair.barrier = DC_GLOBAL; \
    } while (0)

TEST pairs(void)
{
    dc_affine T = DC_ZERO;
    size_t need;
    bodies();
#define PAIR dc_pair(&pair, &a, &b, &mem, &out.plane, &out.value, out.grad, out.hess, &out.pair_info)
    /* the start of a plane is read: none */
    GOOD(dc_pair_bytes(4, 4), dc_pair(&pair, &a, &b, &mem, NULL, &out.value, out.grad, out.hess, &out.pair_info));
    BAD_PAIR(PAIR);
    BAD((void)0, dc_pair(&pair, NULL, &b, &mem, NULL, &out.value, NULL, NULL, NULL), (void)0);
    WITH(int, a.n, INT_MAX, PAIR);                  /* more vertices than an int counts: none is read */
#define RIGID dc_pair_rigid(&pair, &a, &pa, &b, &pb, &mem, &out.plane, &out.value, out.grad, out.hess, &out.pair_info)
    GOOD(dc_pair_bytes(4, 4), dc_pair_rigid(&pair, &a, &pa, &b, &pb, &mem, NULL, &out.value, out.grad, out.hess, NULL));
    BAD_PAIR(RIGID);
    BAD_POSE(pa, RIGID);
    BAD_POSE(pb, RIGID);
    BAD((void)0, dc_pair_rigid(&pair, &a, &pa, NULL, &pb, &mem, NULL, &out.value, NULL, NULL, NULL), (void)0);
    T.m[0] = T.m[5] = T.m[10] = 1;
#define AFFINE dc_pair_affine(&pair, &a, &T, &b, NULL, &mem, &out.plane, &out.value, out.grad, out.hess, &out.pair_info)
    GOOD(dc_pair_bytes(4, 4), dc_pair_affine(&pair, &a, &T, &b, NULL, &mem, NULL, NULL, out.grad, out.hess, NULL));
    BAD_PAIR(AFFINE);
    WITH(dc_real, T.m[6], not_a_number(), AFFINE);
    WITH(dc_real, T.m[11], 4*DC_LIMIT, AFFINE);
    FINISH();
}

TEST many_triangle_pairs(void)
{
    enum { PAIRS = 11 };
    dc_real x[18*PAIRS];
    dc_tri_out to;
    size_t need;
    int i, k;
    bodies();
    for (i = 0; i < PAIRS; ++i)
        for (k = 0; k < 6; ++k) {
            const dc_v3 *v = k < 3 ? va + k : vb + k - 3;
            x[(3*k)*PAIRS + i] = v->x;
            x[(3*k + 1)*PAIRS + i] = v->y;
            x[(3*k + 2)*PAIRS + i] = v->z;
        }
    memset(&to, 0, sizeof to);
    to.value = out.grad;
    to.relative = out.hess;
#define BATCH dc_tri_batch(&pair, PAIRS, x, PAIRS, &mem, &to)
    GOOD(dc_tri_batch_bytes(), BATCH);
    WILD(dc_barrier, pair.barrier, BATCH);
    WITH(dc_real, pair.c, -1, BATCH);
    WITH(dc_real, pair.length, not_a_number(), BATCH);
    pair.barrier = DC_LOCAL;
    WITH(dc_real, pair.s, 1, BATCH);
    pair.barrier = DC_GLOBAL;
    WITH(dc_real, to.origin.x, not_a_number(), BATCH);
    BAD((void)0, dc_tri_batch(&pair, -1, x, PAIRS, &mem, &to), (void)0);
    BAD((void)0, dc_tri_batch(&pair, PAIRS, x, PAIRS - 1, &mem, &to), (void)0);
    BAD((void)0, dc_tri_batch(&pair, PAIRS, NULL, PAIRS, &mem, &to), (void)0);
    /* a number that spoils its pair alone: with memory the others are answered */
    x[17*PAIRS + 9] = not_a_number();
    furnish(ENOUGH, need);
    ASSERT_EQ(DC_E_ARG, BATCH);
    ASSERT(out.grad[8] > 0 && untouched(out.grad + 9, sizeof out.grad[9]));
    for (i = EMPTY; i < SITUATIONS; ++i) {
        furnish(i, need);
        ASSERT_EQ(DC_E_ARG, BATCH);
        ASSERT(nothing_done());
    }
    FINISH();
}

#define BAD_FRICTION(call) do { \
        BAD_PAIR(call); \
        WITH(dc_real, mu, -1, call); \
        WITH(dc_real, mu, not_a_number(), call); \
        WITH(dc_real, h, 0, call); \
        WITH(dc_real, h, not_a_number(), call); \
        WITH(dc_real, o.eps_f, -1, call); \
        WITH(dc_real, o.eps_v, not_a_number(), call); \
        WITH(dc_real, o.patch, -1, call); \
    } while (0)

TEST friction(void)
{
    dc_friction_options o = DC_ZERO;
    dc_friction_load load;
    dc_pose pb2 = upright();
    dc_arena keep = dc_arena_make(kept, sizeof kept);
    dc_real mu = 1, h = 1;
    size_t need;
    bodies();
    pb2.t.y = DC_R(0.1);
#define FRICTION dc_friction(&o, &pair, mu, h, &a, &a, &b, &b1, &mem, NULL, &out.value, out.grad, out.hess, NULL, \
                             &out.friction_info)
    GOOD(dc_friction_bytes(4, 4), FRICTION);
    BAD_FRICTION(FRICTION);
    WITH(int, b1.n, 3, FRICTION);
    WITH(dc_real, vb1[2].x, not_a_number(), FRICTION);
#define TURNING dc_friction_rigid(&o, &pair, mu, h, &a, &pa, &pa, &b, &pb, &pb2, &mem, NULL, &out.value, out.grad, \
                                  out.hess, out.mixed, NULL)
    GOOD(dc_friction_bytes(4, 4), TURNING);
    BAD_FRICTION(TURNING);
    BAD_POSE(pa, TURNING);
    BAD_POSE(pb, TURNING);
    BAD_POSE(pb2, TURNING);
#define OPEN dc_friction_open(&o, &pair, mu, h, &a, &pa, &b, &pb, &mem, NULL, &out.load)
    GOOD(dc_friction_bytes(4, 4), TURNING);
    need = dc_bytes(dc_friction_bytes(4, 4), dc_friction_load_bytes(4, 4) - (DC_ALIGN - 1), 1);
    BAD_FRICTION(OPEN);
    BAD_POSE(pa, OPEN);
    BAD_POSE(pb, OPEN);
    ASSERT_EQ(DC_OK, dc_friction_open(&o, &pair, mu, h, &a, &pa, &b, &pb, &keep, NULL, &load));
    /* less than dc_friction_bytes will do here */
#define MOVE dc_friction_move(&load, &a, &pa, &b, &pb2, &mem, &out.value, out.grad, out.hess)
    furnish(ENOUGH, 0);
    ASSERT_EQ(DC_OK, MOVE);
    furnish(EMPTY, 0);
    ASSERT_EQ(DC_E_MEMORY, MOVE);
    BAD_HULLS(MOVE);
    WITH(int, b.n, 3, MOVE);
    BAD_POSE(pa, MOVE);
    BAD_POSE(pb2, MOVE);
    FINISH();
}

/* ---- dc_bsh.h ------------------------------------------------------------------------------------- */

static mesh ball;

TEST trees(void)
{
    static const int child[6] = {1, 2, -1, 0, -1, 1};
    int node[6], tri[6] = {0, 1, 2, 0, 3, 1}, k;
    size_t need;
    bodies();
#define BUILD dc_bsh_build(va, 4, tri, 2, &mem, &out.tree, NULL)
    memcpy(node, child, sizeof node);
    GOOD(dc_bsh_bytes(4, 2), BUILD);
    WITH(int, tri[4], 4, BUILD);
    WITH(int, tri[0], -1, BUILD);
    WITH(dc_real, va[3].x, not_a_number(), BUILD);
    BAD((void)0, dc_bsh_build(va, 0, tri, 2, &mem, &out.tree, NULL), (void)0);
    BAD((void)0, dc_bsh_build(va, 4, tri, 0, &mem, &out.tree, NULL), (void)0);
    BAD((void)0, dc_bsh_build(NULL, 4, tri, 2, &mem, &out.tree, NULL), (void)0);
    BAD((void)0, dc_bsh_build(va, 4, tri, 2, &mem, NULL, NULL), (void)0);
#define GIVEN dc_bsh_build_from(va, 4, tri, 2, node, &mem, &out.tree, NULL)
    GOOD(dc_bsh_bytes(4, 2), GIVEN);
    WITH(int, tri[4], 4, GIVEN);
    for (k = 0; k < 6; ++k) {
        WITH(int, node[k], 3, GIVEN);
        WITH(int, node[k], -2, GIVEN);
    }
    BAD((void)0, dc_bsh_build_from(va, 4, tri, 2, NULL, &mem, &out.tree, NULL), (void)0);
    /* nodes in range that are no tree: found out in the arena */
    node[5] = 0;
    furnish(ENOUGH, need);
    ASSERT_EQ(DC_E_ARG, GIVEN);
    ASSERT(nothing_done());
    furnish(EMPTY, need);
    ASSERT_EQ(DC_E_MEMORY, GIVEN);
    GOOD(dc_bsh_cache_bytes(10), dc_bsh_cache_make(10, &mem, &out.cache));
    BAD((void)0, dc_bsh_cache_make(0, &mem, &out.cache), (void)0);
    BAD((void)0, dc_bsh_cache_make(10, &mem, NULL), (void)0);
    FINISH();
}

TEST hierarchies(void)
{
    dc_arena keep = dc_arena_make(kept, sizeof kept);
    dc_bsh_options o = DC_ZERO;
    dc_bsh_cache cache;
    dc_bsh t;
    const dc_bsh *two[2];
    dc_pose at[2];
    int joined[2] = {0, 1};
    unsigned turn;
    size_t need;
    bodies();
    mesh_icosphere(&ball, 0);
    ASSERT_EQ(DC_OK, dc_bsh_build(ball.v, ball.nv, ball.tri, ball.nt, &keep, &t, NULL));
    ASSERT_EQ(DC_OK, dc_bsh_cache_make(100, &keep, &cache));
    two[0] = two[1] = &t;
    at[0] = at[1] = upright();
    at[0].t.z = 3;
#define BAD_TREES(call) do { \
        turn = cache.turn; \
        WITH(dc_real, o.eps, -1, call); \
        WITH(dc_real, o.eps, not_a_number(), call); \
        WITH(dc_real, o.length, not_a_number(), call); \
        BAD_POSE(at[0], call); \
        BAD_POSE(at[1], call); \
        WITH(const dc_bsh_node *, t.node, NULL, call); \
        WITH(int, t.n, 0, call); \
        WITH(int, t.depth, -1, call); \
        WITH(dc_real, t.o.x, not_a_number(), call); \
        WITH(dc_bsh_slot *, cache.slot, NULL, call); \
        WITH(int, cache.n, 0, call); \
        ASSERT_EQ(turn, cache.turn); \
    } while (0)
#define EVAL dc_bsh_eval(&o, &t, at, &t, at + 1, &mem, &cache, &out.value, out.grad, out.hess, &out.bsh_info)
    GOOD(dc_bsh_eval_bytes(&t, &t), EVAL);
    BAD_TREES(EVAL);
    BAD((void)0, dc_bsh_eval(&o, NULL, at, &t, at + 1, &mem, NULL, &out.value, NULL, NULL, NULL), (void)0);
#define BRUTE dc_bsh_brute(&o, &t, at, &t, at + 1, &mem, &out.value, out.grad, out.hess, &out.bsh_info)
    GOOD(dc_bsh_eval_bytes(&t, &t), BRUTE);
    BAD_POSE(at[0], BRUTE);
    WITH(dc_real, o.length, -1, BRUTE);
#define LIST dc_bsh_contacts(&o, &t, at, &t, at + 1, &mem, &cache, 8, out.contact, &out.count, &out.bsh_info)
    GOOD(dc_bsh_eval_bytes(&t, &t), LIST);
    BAD_TREES(LIST);
    BAD((void)0, dc_bsh_contacts(&o, &t, at, &t, at + 1, &mem, NULL, -1, out.contact, &out.count, NULL), (void)0);
    BAD((void)0, dc_bsh_contacts(&o, &t, at, &t, at + 1, &mem, NULL, 8, NULL, &out.count, NULL), (void)0);
#define SCENE dc_bsh_scene(&o, 2, two, at, 0, NULL, &mem, &cache, &out.value, out.grad, out.hess, &out.bsh_info)
    GOOD(dc_bsh_scene_bytes(2, two), SCENE);
    BAD_TREES(SCENE);
    WITH(const dc_bsh *, two[1], NULL, SCENE);
    WITH(int, joined[1], 2, dc_bsh_scene(&o, 2, two, at, 1, joined, &mem, NULL, &out.value, NULL, NULL, NULL));
    BAD((void)0, dc_bsh_scene(&o, 0, two, at, 0, NULL, &mem, NULL, &out.value, NULL, NULL, NULL), (void)0);
    FINISH();
}

/* ---- dc_sdf.h ------------------------------------------------------------------------------------- */

static dc_sdf_prim sphere;
static dc_sdf sdf;

static void field_of_a_sphere(void)
{
    memset(&sphere, 0, sizeof sphere);
    memset(&sdf, 0, sizeof sdf);
    sphere.kind = DC_SDF_SPHERE;
    sphere.size = dc_vec(1, 1, 1);
    sphere.pose = upright();
    sdf.prim = &sphere;
    sdf.n = 1;
}

#define BAD_FIELD(call) do { \
        WITH(dc_real, sdf.tau, -1, call); \
        WITH(int, sdf.n, 0, call); \
        WITH(dc_real, sphere.size.x, not_a_number(), call); \
        WITH(dc_real, sphere.pose.q.w, 2, call); \
        WILD(dc_sdf_kind, sphere.kind, call); \
        WITH(int, sphere.subtract, 1, call); \
    } while (0)

TEST distance_fields(void)
{
    static dc_real phi[8*8*8];
    dc_real x[3*2] = {2, 0, 0, 2, 0, 0};
    dc_sdf_out so = DC_ZERO;
    dc_sdf_mesh_options mo = DC_ZERO;
    dc_sdf_fit_options fo = DC_ZERO;
    dc_sdf_mesh_info said;
    dc_grid g;
    size_t need;
    int k;
    bodies();
    field_of_a_sphere();
    so.value = out.grad;
    so.grad = out.hess;
#define POINTS dc_sdf_eval_batch(&sdf, 2, x, 2, &mem, &so)
    GOOD(dc_sdf_batch_bytes(), POINTS);
    BAD_FIELD(POINTS);
    WITH(dc_real, x[5], not_a_number(), POINTS);
    BAD((void)0, dc_sdf_eval_batch(&sdf, -1, x, 2, &mem, &so), (void)0);
    BAD((void)0, dc_sdf_eval_batch(&sdf, 2, x, 1, &mem, &so), (void)0);
    BAD((void)0, dc_sdf_eval_batch(&sdf, 2, x, 2, &mem, NULL), (void)0);

    g.lo = dc_vec(-2, -2, -2);
    g.hi = dc_vec(2, 2, 2);
    g.nx = g.ny = g.nz = 8;
    for (k = 0; k < 8*8*8; ++k) {
        dc_v3 p = dc_vec((dc_real)(k%8), (dc_real)(k/8%8), (dc_real)(k/64));
        p = dc_madd(g.lo, DC_R(4.0)/7, p);
        phi[k] = dc_sqrt(dc_dot(p, p)) - DC_R(1.2);
    }
    furnish(ENOUGH, 0);
    ASSERT_EQ(DC_OK, dc_sdf_mesh(&mo, &sdf, &g, &mem, &out.mesh, &said));
    ASSERT(said.nv > 0);
#define BAD_GRID(call) do { \
        WITH(int, g.ny, 1, call); \
        WITH(dc_real, g.hi.z, -3, call); \
        WITH(dc_real, g.lo.x, not_a_number(), call); \
    } while (0)
#define MESHED dc_sdf_mesh(&mo, &sdf, &g, &mem, &out.mesh, &out.mesh_info)
    need = dc_sdf_mesh_bytes(&g, said.nv, said.nt);
    GOOD(need, dc_sdf_mesh(&mo, &sdf, &g, &mem, &out.mesh, NULL));
    BAD_FIELD(MESHED);
    BAD_GRID(MESHED);
    WITH(int, mo.vertices, -1, MESHED);
    BAD((void)0, dc_sdf_mesh(&mo, &sdf, &g, &mem, NULL, &out.mesh_info), (void)0);
    fo.capacity = 4;
#define FITTED dc_sdf_fit(&fo, &g, phi, &mem, out.prim, &out.count, &out.fit_info)
    GOOD(dc_sdf_fit_bytes(&g), FITTED);
    BAD_GRID(FITTED);
    WITH(dc_real, phi[511], not_a_number(), FITTED);
    WITH(int, fo.capacity, -1, FITTED);
    WITH(int, fo.steps, -1, FITTED);
    BAD((void)0, dc_sdf_fit(&fo, &g, NULL, &mem, out.prim, &out.count, NULL), (void)0);
    FINISH();
}

static dc_v2 corner[4] = {
    {DC_R(-0.5), DC_R(-0.5)}, {DC_R(0.5), DC_R(-0.5)}, {DC_R(0.5), DC_R(0.5)}, {DC_R(-0.5), DC_R(0.5)}
};
static dc_poly square = {corner, 4};

/* a field learned from `of`, in `keep` */
static dc_status learn(const dc_cfield *of, int smooth, void *state, dc_arena *keep, dc_cfield *f)
{
    dc_cfield_train_options o = DC_ZERO;
    dc_status s;
    o.harmonics = 1;
    o.layers = 1;
    o.width = 8;
    o.samples = 1000;
    o.epochs = 1;
    o.batch = 64;
    o.smooth = smooth;
    furnish(ENOUGH, 0);
    s = dc_cfield_train_start(&o, of, state);
    if (s == DC_OK) s = dc_cfield_train(of, state, &mem, NULL, NULL, NULL);
    return s == DC_OK ? dc_cfield_learned(state, keep, f) : s;
}

static union { dc_real align; unsigned char bytes[1 << 17]; } state;

TEST contact_fields(void)
{
    static unsigned char saved[1 << 14];
    dc_arena keep = dc_arena_make(kept, sizeof kept);
    dc_cfield_options o = DC_ZERO;
    dc_cfield_train_options to = DC_ZERO;
    dc_cshape shape = DC_ZERO;
    dc_cfield f, learned;
    dc_cfield_out fo = DC_ZERO;
    dc_real q[3] = {DC_R(0.1), 2, 0}, rows[6] = {0, 0, 2, 2, 0, 0};
    size_t need, size;
    int kind;
    bodies();
    shape.poly = square;
#define MAKE (kind ? dc_cfield_sampled(&o, &shape, &square, &mem, &out.field) \
                   : dc_cfield_exact(&o, &shape, &square, &mem, &out.field))
    for (kind = 0; kind < 2; ++kind) {
        GOOD(dc_cfield_bytes(4, 4), MAKE);
        WITH(dc_real, corner[1].x, not_a_number(), MAKE);
        WITH(dc_real, corner[1].x, -3, MAKE);
        WITH(int, square.n, 2, MAKE);
        WITH(int, shape.poly.n, 2, MAKE);
        WILD(dc_cshape_kind, shape.kind, MAKE);
        WITH(dc_real, o.h, 1, MAKE);
        WITH(dc_real, o.hx, not_a_number(), MAKE);
        WITH(int, o.side, 1, MAKE);
    }
    kind = 1;
    WITH(dc_cshape_kind, shape.kind, DC_CSHAPE_HALFPLANE, MAKE);

    ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &shape, &square, &keep, &f));
    ASSERT_EQ(DC_OK, learn(&f, 0, state.bytes, &keep, &learned));
    fo.d = out.grad;
    fo.grad = out.hess;
    for (kind = 0; kind < 2; ++kind) {
        dc_cfield *of = kind ? &learned : &f;
#define POSE dc_cfield_eval(of, q, &mem, &out.value, out.grad, &out.mixed[0], NULL, NULL)
#define POSES dc_cfield_eval_batch(of, 2, rows, 2, &mem, &fo)
        GOOD(dc_cfield_eval_bytes(of), POSE);
        WITH(dc_real, q[1], not_a_number(), POSE);
        WILD(dc_cfield_kind, of->kind, POSE);
        BAD((void)0, dc_cfield_eval(of, q, &mem, &out.value, NULL, NULL, out.hess, NULL), (void)0);
        BAD((void)0, dc_cfield_eval(NULL, q, &mem, &out.value, NULL, NULL, NULL, NULL), (void)0);
        GOOD(dc_cfield_eval_bytes(of), POSES);
        WITH(dc_real, rows[5], (dc_real)HUGE_VAL, POSES);
        WITH(dc_real *, fo.hess, out.mixed, POSES);
        BAD((void)0, dc_cfield_eval_batch(of, 2, rows, 1, &mem, &fo), (void)0);
        BAD((void)0, dc_cfield_eval_batch(of, -1, rows, 2, &mem, &fo), (void)0);
    }

    size = dc_cfield_save_bytes(&learned);
    ASSERT(size > 0 && size <= sizeof saved);
    ASSERT_EQ(DC_OK, dc_cfield_save(&learned, saved, size));
    GOOD(dc_cfield_load_bytes(saved, size), dc_cfield_load(saved, size, &mem, &out.field));
    WITH(unsigned char, saved[20], 77, dc_cfield_load(saved, size, &mem, &out.field));
    BAD((void)0, dc_cfield_load(saved, size - 1, &mem, &out.field), (void)0);
    to.harmonics = 1;
    to.layers = 1;
    to.width = 8;
#define LEARNED dc_cfield_learned(state.bytes, &mem, &out.field)
    GOOD(dc_cfield_learned_bytes(&to), LEARNED);
    WITH(unsigned char, state.bytes[0], 0, LEARNED);
    BAD((void)0, dc_cfield_learned(NULL, &mem, &out.field), (void)0);
#define TRAIN dc_cfield_train(&f, state.bytes, &mem, NULL, NULL, &out.train_info)
    need = dc_cfield_eval_bytes(&f);
    WITH(unsigned char, state.bytes[0], 0, TRAIN);
    WILD(dc_cfield_kind, f.kind, TRAIN);
    BAD((void)0, dc_cfield_train(&learned, state.bytes, &mem, NULL, NULL, &out.train_info), (void)0);
    FINISH();
}

/* ---- dc_witness.h --------------------------------------------------------------------------------- */

TEST manifolds(void)
{
    static const dc_manifold_contact none = DC_ZERO;
    static dc_manifold_contact bar[CONTACTS];
    int edge[6] = {0, 1, 1, 2, 2, 3}, which, count, k;
    dc_real xi[12] = {0};
    dc_manifold_options o = DC_ZERO;
    dc_mesh m = DC_ZERO;
    dc_surface s;
    size_t need;
    bodies();
    field_of_a_sphere();
    m.v = va;
    m.nv = 4;
    m.edge = edge;
    m.ne = 3;
    s.mesh = &m;
    s.sdf = &sdf;
    pb.t = dc_vec(1, DC_R(0.2), DC_R(0.3));
    count = dc_manifold_count(&s, &s, &o, NULL);
    ASSERT(count > 0 && count <= CONTACTS);
    for (k = 0; k < count; ++k) bar[k] = none;
#define MANIFOLD (which == 0 ? dc_manifold(&s, &pa, &s, &pb, &o, &mem, out.manifold) \
                : which == 1 ? dc_manifold_jvp(&s, &pa, &s, &pb, &o, xi, &mem, out.manifold, out.jac) \
                : which == 2 ? dc_manifold_vjp(&s, &pa, &s, &pb, &o, bar, &mem, out.manifold, out.grad) \
                : dc_manifold_jac(&s, &pa, &s, &pb, &o, &mem, out.manifold, out.jac))
    for (which = 0; which < 4; ++which) {
        GOOD(dc_manifold_bytes(&s, &s, &o, which > 0), MANIFOLD);
        BAD_FIELD(MANIFOLD);
        BAD_POSE(pa, MANIFOLD);
        BAD_POSE(pb, MANIFOLD);
        WITH(dc_real, va[3].z, not_a_number(), MANIFOLD);
        WITH(int, edge[5], 4, MANIFOLD);
        WITH(int, edge[0], -1, MANIFOLD);
        WITH(int, m.nv, 0, MANIFOLD);
        WITH(int, m.ne, -1, MANIFOLD);
        WITH(const int *, m.edge, NULL, MANIFOLD);
        WITH(const dc_sdf *, s.sdf, NULL, MANIFOLD);
        WITH(const dc_mesh *, s.mesh, NULL, MANIFOLD);
        WITH(dc_real, o.tau_pen, not_a_number(), MANIFOLD);
        WITH(dc_real, o.eps_n, -1, MANIFOLD);
        WITH(dc_real, o.witness.eps_comp, -1, MANIFOLD);
        WITH(int, o.keep_v_a, 9, MANIFOLD);
        WITH(int, o.keep_e_b, -1, MANIFOLD);
        WITH(int, o.power, 7, MANIFOLD);
        WITH(int, o.trace, 17, MANIFOLD);
    }
    which = 1;
    WITH(dc_real, xi[11], not_a_number(), MANIFOLD);
    which = 2;
    WITH(dc_real, bar[count - 1].act, not_a_number(), MANIFOLD);
    WITH(dc_real, bar[0].p.x, (dc_real)HUGE_VAL, MANIFOLD);
    FINISH();
}

/* ---- dc_ncp.h -------------------------------------------------------------------------------------- */

TEST shapes(void)
{
    static const dc_real none[12] = {0};
    dc_real A[12] = {1, 0, 0, 0, 1, 0, -1, -1, -1, 0, 0, 1}, offset[4] = {1, 1, 1, 1};
    dc_real length = 1, other = 2;
    dc_shape s, round;
    dc_pose turned = upright();
    dc_arena shapes = dc_arena_make(kept, sizeof kept);
    dc_v3 n = dc_vec(0, 0, 1), v[4];
    size_t need;
    int k;
    bodies();
    for (k = 0; k < 4; ++k) v[k] = va[k];
#define HALFSPACE dc_shape_halfspace(3, n, length, &mem, &out.shape)
    GOOD(dc_shape_bytes(3, 1, 0, 0), HALFSPACE);
    WITH(dc_real, n.z, 0, HALFSPACE);
    WITH(dc_real, n.x, not_a_number(), HALFSPACE);
    WITH(dc_real, length, (dc_real)HUGE_VAL, HALFSPACE);
#define BALL dc_shape_sphere(3, length, &mem, &out.shape)
    GOOD(dc_shape_bytes(3, 4, 1, 0), BALL);
    WITH(dc_real, length, 0, BALL);
    WITH(dc_real, length, not_a_number(), BALL);
    BAD((void)0, dc_shape_sphere(4, length, &mem, &out.shape), (void)0);
    BAD((void)0, dc_shape_sphere(3, length, &mem, NULL), (void)0);
    n = dc_vec(1, 2, 3);
#define BOX dc_shape_box(3, n, &mem, &out.shape)
    GOOD(dc_shape_bytes(3, 6, 0, 0), BOX);
    WITH(dc_real, n.y, 0, BOX);
    WITH(dc_real, n.z, not_a_number(), BOX);
#define POLYTOPE dc_shape_polytope(3, 4, A, offset, &mem, &out.shape)
    GOOD(dc_shape_bytes(3, 4, 0, 0), POLYTOPE);
    WITH(dc_real, A[4], not_a_number(), POLYTOPE);
    WITH(dc_real, offset[2], 0, POLYTOPE);
    BAD((void)0, dc_shape_polytope(3, 3, A, offset, &mem, &out.shape), (void)0);
    BAD((void)0, dc_shape_polytope(3, 4, NULL, offset, &mem, &out.shape), (void)0);
    BAD((void)0, dc_shape_polytope(3, 4, none, offset, &mem, &out.shape), (void)0);
#define HULL dc_shape_hull(3, 4, v, &mem, &out.shape)
    GOOD(dc_shape_hull_bytes(3, 4), HULL);
    WITH(dc_real, v[2].z, not_a_number(), HULL);
    BAD((void)0, dc_shape_hull(3, 129, v, &mem, &out.shape), (void)0);
    BAD((void)0, dc_shape_hull(3, 4, NULL, &mem, &out.shape), (void)0);
#define ROUND(what, rows) do { \
        GOOD(dc_shape_bytes(3, rows, 1, (rows) == 6), what(3, length, other, &mem, &out.shape)); \
        WITH(dc_real, length, -1, what(3, length, other, &mem, &out.shape)); \
        WITH(dc_real, other, not_a_number(), what(3, length, other, &mem, &out.shape)); \
    } while (0)
    ROUND(dc_shape_capsule, 6);
    ROUND(dc_shape_cylinder, 5);
    ROUND(dc_shape_cone, 4);
#define ELLIPSOID dc_shape_ellipsoid(3, n, &mem, &out.shape)
    GOOD(dc_shape_bytes(3, 4, 1, 0), ELLIPSOID);
    WITH(dc_real, n.x, 0, ELLIPSOID);

    ASSERT_EQ(DC_OK, dc_shape_box(3, n, &shapes, &s));
    ASSERT_EQ(DC_OK, dc_shape_capsule(3, 1, 2, &shapes, &round));
#define SUM dc_shape_sum(&s, &round, &mem, &out.shape)
    GOOD(dc_shape_bytes(3, 12, 1, 4), SUM);
    WITH(int, s.dim, 2, SUM);
    WITH(int, s.rows, 5, SUM);
    WITH(const dc_real *, round.A, NULL, SUM);
    WITH(dc_real, s.size, not_a_number(), SUM);
#define PLACE dc_shape_place(&s, turned, &mem, &out.shape)
    GOOD(dc_shape_bytes(3, 6, 0, 0), PLACE);
    BAD_POSE(turned, PLACE);
    WITH(int, s.rows, -1, PLACE);
    FINISH();
}

TEST growth(void)
{
    dc_shape s[2];
    dc_growth_options o = DC_ZERO;
    dc_pose at[2], from[2];
    dc_real bar[7] = {1, 0, 0, 0, 0, 0, 0};
    dc_arena shapes = dc_arena_make(kept, sizeof kept);
    size_t need;
    bodies();
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(1, 1, 1), &shapes, s));
    ASSERT_EQ(DC_OK, dc_shape_capsule(3, 1, 2, &shapes, s + 1));
    at[0] = at[1] = from[0] = from[1] = upright();
    at[0].t = dc_vec(4, 0, 0);
    at[1].t = dc_vec(0, 5, 0);
#define GROWTH dc_growth(&o, s, at, s + 1, from, &mem, out.growth, out.jacobian, bar, NULL, NULL)
    GOOD(dc_growth_bytes(s, s + 1), GROWTH);
#define GROWTH_BATCH dc_growth_batch(&o, s, s + 1, 2, at, from, &mem, out.growth, out.jacobian, out.status)
    GOOD(dc_growth_bytes(s, s + 1), GROWTH_BATCH);
#define BAD_GROWTH(call) do { \
        WITH(dc_real, o.rho, -1, call); \
        WITH(dc_real, o.rho, not_a_number(), call); \
        WITH(int, o.max_iterations, -1, call); \
        WITH(int, s[0].dim, 2, call); \
        WITH(int, s[1].cones, 2, call); \
        WITH(const dc_real *, s[0].b, NULL, call); \
        WITH(dc_real, s[1].size, -1, call); \
    } while (0)
    BAD_GROWTH(GROWTH);
    BAD_GROWTH(GROWTH_BATCH);
    BAD_POSE(at[0], GROWTH);
    BAD_POSE(from[0], GROWTH);
    WITH(dc_real, bar[3], not_a_number(), GROWTH);
    BAD((void)0, dc_growth_batch(&o, s, s + 1, -1, at, from, &mem, out.growth, NULL, NULL), (void)0);
    BAD((void)0, dc_growth_batch(&o, s, s + 1, 2, at, from, &mem, NULL, NULL, NULL), (void)0);
    FINISH();
}

TEST hard_contact(void)
{
    dc_shape s[2];
    static dc_ncp_body body[2];
    static dc_ncp_contact touch[2];
    static dc_ncp_part part[3];
    dc_ncp_scene scene = DC_ZERO;
    dc_ncp_options o = DC_ZERO;
    dc_v3 centre[2];
    dc_real radius[2] = {1, 1}, margin = DC_R(0.5);
    dc_broad_options near_by = DC_ZERO;
    dc_arena shapes = dc_arena_make(kept, sizeof kept);
    size_t need;
    int k;
    bodies();
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(1, 1, 1), &shapes, s));
    ASSERT_EQ(DC_OK, dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &shapes, s + 1));
    for (k = 0; k < 2; ++k) {
        body[k].pose = upright();
        body[k].pose.t = centre[k] = dc_vec(0, 0, 1 + 2*(dc_real)k);
        body[k].mass = body[k].inertia.m[0] = body[k].inertia.m[4] = body[k].inertia.m[8] = 1;
        touch[k].body[0] = part[k].body = k;
        touch[k].body[1] = k - 1;
        touch[k].shape[0] = part[k].shape = s;
        touch[k].shape[1] = s + 1 - k;
        touch[k].mu = part[k].mu = DC_R(0.5);
        part[k].radius = 2;
    }
    part[2].body = -1;
    part[2].shape = s + 1;
    scene.dim = 3;
    scene.h = DC_R(0.01);
    scene.gravity.z = -10;
    scene.bodies = scene.contacts = 2;
    scene.body = body;
    scene.contact = touch;

    /* a step takes the blocks that it has, dc_ncp_bytes counts all there could be */
#define HARD_STEP dc_ncp_step(&o, &scene, &mem, out.next, &out.solution, &out.ncp_info)
    need = dc_ncp_bytes(&o, &scene);
    furnish(SHORT, need + 1);
    ASSERT_EQ(DC_OK, HARD_STEP);
    need = out.ncp_info.bytes;
    for (k = EMPTY; k < SITUATIONS; ++k) {          /* what is short of, and nothing else, is written */
        furnish(k, need);
        ASSERT_EQ(DC_E_MEMORY, HARD_STEP);
        ASSERT(out.ncp_info.bytes <= need && (k == EMPTY || out.ncp_info.bytes == need));
        memset(&out.ncp_info.bytes, PATTERN, sizeof out.ncp_info.bytes);
        ASSERT(nothing_done());
    }
    WITH(dc_real, o.rho, not_a_number(), HARD_STEP);
    WITH(int, o.max_iterations, -1, HARD_STEP);
    WITH(int, scene.dim, 4, HARD_STEP);
    WITH(dc_real, scene.h, 0, HARD_STEP);
    WITH(dc_real, scene.gravity.x, not_a_number(), HARD_STEP);
    WITH(int, scene.bodies, -1, HARD_STEP);
    WITH(const dc_ncp_contact *, scene.contact, NULL, HARD_STEP);
    WITH(dc_real, body[1].mass, -1, HARD_STEP);
    WITH(dc_real, body[1].w.z, not_a_number(), HARD_STEP);
    WITH(dc_real, body[0].inertia.m[4], 0, HARD_STEP);
    BAD_POSE(body[1].pose, HARD_STEP);
    WITH(int, touch[1].body[0], 2, HARD_STEP);
    WITH(int, touch[0].body[1], 0, HARD_STEP);
    WITH(dc_real, touch[1].mu, -1, HARD_STEP);
    WITH(dc_real, touch[1].restitution, 2, HARD_STEP);
    WITH(const dc_shape *, touch[0].shape[1], NULL, HARD_STEP);
    WITH(int, s[0].rows, 5, HARD_STEP);
    BAD((void)0, dc_ncp_step(&o, &scene, &mem, NULL, NULL, NULL), (void)0);

#define BROAD dc_broad_spheres(&near_by, 2, centre, radius, &mem, 4, out.pair, &out.count)
    GOOD(dc_broad_bytes(2, 4), BROAD);
    WITH(dc_real, centre[1].y, not_a_number(), BROAD);
    WITH(dc_real, radius[0], not_a_number(), BROAD);
    WITH(dc_real, near_by.margin, -1, BROAD);
    BAD((void)0, dc_broad_spheres(&near_by, -1, centre, radius, &mem, 4, out.pair, &out.count), (void)0);

#define TOUCHING dc_ncp_contacts(&o, &scene, 3, part, margin, 0, NULL, NULL, 4, out.contacts, &out.count, &mem)
    GOOD(dc_ncp_contacts_bytes(3), TOUCHING);
    WITH(int, part[0].body, 2, TOUCHING);
    WITH(const dc_shape *, part[1].shape, NULL, TOUCHING);
    WITH(dc_real, part[1].radius, not_a_number(), TOUCHING);
    WITH(dc_real, part[2].mu, -1, TOUCHING);
    WITH(dc_real, margin, not_a_number(), TOUCHING);
    WITH(dc_real, body[1].pose.t.x, not_a_number(), TOUCHING);
    BAD((void)0, dc_ncp_contacts(&o, &scene, 3, part, margin, -1, NULL, NULL, 4, out.contacts, &out.count, &mem), (void)0);
    FINISH();
}

/* ---- dc_sim.h: articulated ------------------------------------------------------------------------ */

static machine arm, changed;

TEST robots(void)
{
    static dc_real run_q[3*STATES], loss[2*STATES];
    dc_sim_control u = DC_ZERO;
    dc_sim_jacobian jac = DC_ZERO;
    dc_sim_run run = DC_ZERO;
    dc_real q[STATES], now[STATES], push[STATES] = {0};
    size_t need;
    int k, last;
    bodies();
    machine_tree(&arm);
#define MODEL dc_sim_build(&changed.desc, &mem, &out.sim, NULL)
    memset(&changed, 0, sizeof changed);
    machine_tree(&changed);
    GOOD(dc_sim_bytes(&changed.desc), MODEL);
    WITH(dc_real, changed.desc.h, 0, MODEL);
    WITH(dc_real, changed.desc.gravity.x, not_a_number(), MODEL);
    WITH(dc_real, changed.desc.support, 1, MODEL);
    WITH(dc_real, changed.desc.friction.eps_v, -1, MODEL);
    WITH(int, changed.desc.links, 0, MODEL);
    WITH(int, changed.desc.contacts, -1, MODEL);
    WITH(int, changed.link[2].parent, 2, MODEL);
    WITH(int, changed.hull[1].n, 0, MODEL);
    WITH(dc_real, changed.vertex[5].x, not_a_number(), MODEL);
    WITH(dc_real, changed.link[1].attach.q.w, 3, MODEL);
    WITH(dc_real, changed.link[3].inertia.m[4], not_a_number(), MODEL);
    WITH(dc_real, changed.link[3].inertia.m[4], DC_R(0.06), MODEL);        /* inertia of no body */
    WITH(dc_real, changed.link[2].lo, 2, MODEL);
    WILD(dc_sim_joint, changed.link[0].joint, MODEL);

    ASSERT_EQ(DC_OK, machine_build(&arm));
    ASSERT(arm.sim.nq <= STATES && arm.sim.nv <= STATES);
    dc_sim_neutral(&arm.sim, q);
    q[6] = 1;
    memcpy(now, q, sizeof now);
    last = arm.sim.nq - 1;
    u.force = push;
#define STEP dc_sim_step(&arm.sim, q, now, &u, &mem, out.q, NULL)
    furnish(ENOUGH, 0);
    ASSERT_EQ(DC_OK, STEP);
    furnish(EMPTY, 0);
    ASSERT_EQ(DC_E_MEMORY, STEP);
    need = dc_sim_step_bytes(&arm.sim);
#define BAD_STATE(call) do { \
        WITH(dc_real, q[last], not_a_number(), call); \
        WITH(dc_real, now[0], not_a_number(), call); \
        WITH(dc_real, now[3], 2, call); \
        WITH(dc_real, push[0], (dc_real)HUGE_VAL, call); \
        WITH(dc_sim_link *, arm.sim.link, NULL, call); \
    } while (0)
    BAD_STATE(STEP);
    BAD((void)0, dc_sim_step(&arm.sim, q, now, NULL, &mem, NULL, NULL), (void)0);
    jac.now = out.jacobian;
#define GRADIENT dc_sim_grad(&arm.sim, q, now, &u, now, &mem, &jac)
    furnish(EMPTY, 0);
    ASSERT_EQ(DC_E_MEMORY, GRADIENT);
    need = dc_sim_grad_bytes(&arm.sim, &jac);
    BAD_STATE(GRADIENT);
    WITH(int, arm.sim.desc.trees, 1, (jac.vertex = out.jacobian, GRADIENT));
    jac.vertex = NULL;
    for (k = 0; k < 3; ++k) memcpy(run_q + k*arm.sim.nq, now, (size_t)arm.sim.nq*sizeof *now);
    run.steps = 1;
    run.q = run_q;
    run.loss = loss;
    run.start = out.q;
#define BACKWARDS dc_sim_adjoint(&arm.sim, &run, &mem)
    need = dc_sim_adjoint_bytes(&arm.sim, &run);
    furnish(EMPTY, 0);
    ASSERT_EQ(DC_E_MEMORY, BACKWARDS);
    WITH(dc_real, run_q[3*arm.sim.nq - 1], not_a_number(), BACKWARDS);
    WITH(dc_real, loss[0], not_a_number(), BACKWARDS);
    WITH(int, run.steps, 0, BACKWARDS);
    WITH(int, run.every, -1, BACKWARDS);
    WITH(const dc_real *, run.q, NULL, BACKWARDS);
    run.control = &u;
    WITH(dc_real, push[0], not_a_number(), BACKWARDS);

    /* a good state that puts links beyond DC_LIMIT: DC_E_RANGE, not a DC_E_ARG that less memory would have hidden */
    machine_open(&arm);
    machine_link(&arm, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
    for (k = 0; k < 2; ++k) {
        machine_link(&arm, 0, DC_SIM_HINGE, dc_vec(DC_R(0.9)*DC_LIMIT, 0, (dc_real)k))->mass = 1;
        machine_box(&arm, dc_vec(0, 0, 0), dc_vec(DC_R(0.4), DC_R(0.4), DC_R(0.4)));
    }
    arm.link[0].model = DC_SIM_INERTIA;
    ASSERT_EQ(DC_OK, machine_build(&arm));
    dc_sim_neutral(&arm.sim, q);
    q[4] = DC_R(0.9)*DC_LIMIT;
    memcpy(now, q, sizeof now);
    furnish(ENOUGH, 0);
    ASSERT_EQ(DC_E_RANGE, dc_sim_step(&arm.sim, q, now, NULL, &mem, out.q, NULL));
    ASSERT(nothing_done());
    ASSERT_EQ(DC_E_RANGE, dc_sim_grad(&arm.sim, q, now, NULL, now, &mem, &jac));
    ASSERT(nothing_done());
    furnish(EMPTY, 0);
    ASSERT_EQ(DC_E_MEMORY, dc_sim_step(&arm.sim, q, now, NULL, &mem, out.q, NULL));
    FINISH();
}

/* ---- dc_sim.h: grains ----------------------------------------------------------------------------- */

/* A state is not an output of a refused step: it is compared by itself. */
static unsigned char before[1 << 16];
static dc_real tangent[STATES];

TEST grains(void)
{
    dc_arena keep = dc_arena_make(kept, sizeof kept);
    dc_grain_type type[2];
    dc_grain_pair meets[2];
    dc_grains_desc d;
    dc_cfield exact[2], smooth[2];
    dc_cshape wall = DC_ZERO, shape = DC_ZERO;
    dc_grains g;
    dc_grains_tangent in, to;
    int body[3] = {0, 1, 1}, k;
    size_t need;
    bodies();
    memset(type, 0, sizeof type);
    memset(meets, 0, sizeof meets);
    memset(&d, 0, sizeof d);
    wall.kind = DC_CSHAPE_HALFPLANE;
    shape.poly = square;
    ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &wall, &square, &keep, exact));
    ASSERT_EQ(DC_OK, dc_cfield_exact(NULL, &shape, &square, &keep, exact + 1));
    for (k = 0; k < 2; ++k) ASSERT_EQ(DC_OK, learn(exact + k, 1, state.bytes, &keep, smooth + k));
    type[0].kind = DC_CSHAPE_HALFPLANE;
    ASSERT_EQ(DC_OK, dc_grain_type_poly(&square, 0, 0, type + 1));
    for (k = 0; k < 2; ++k) {
        meets[k].a = k;
        meets[k].b = 1;
        meets[k].field = smooth + k;
    }
    d.type = type;
    d.types = 2;
    d.pair = meets;
    d.pairs = 2;
    d.body = body;
    d.bodies = 3;
    d.h = DC_R(1e-3);
    d.material.kn = d.material.kt = 1000;
    d.lo[0] = d.lo[1] = -4;
    d.hi[0] = d.hi[1] = 4;
#define GRAINS dc_grains_build(&d, &mem, &out.grains)
    GOOD(dc_grains_bytes(&d), GRAINS);
    WITH(dc_real, d.h, 0, GRAINS);
    WITH(dc_real, d.hi[1], -5, GRAINS);
    WITH(dc_real, d.gravity[0], not_a_number(), GRAINS);
    WITH(int, body[2], 2, GRAINS);
    WITH(int, meets[1].b, 0, GRAINS);
    WITH(dc_real, type[1].mass, 0, GRAINS);
    WITH(int, d.bodies, 0, GRAINS);

    /* a square on the ground, another beside it */
    ASSERT_EQ(DC_OK, dc_grains_build(&d, &keep, &g));
    g.q[4] = 0;
    g.q[5] = DC_R(0.55);
    g.q[7] = DC_R(1.05);
    g.q[8] = DC_R(0.55);
    need = dc_grains_step_bytes(&g);
    ASSERT(g.state_bytes <= sizeof before);
    ASSERT_EQ(DC_OK, dc_grains_find(&g, NULL));
    ASSERT(g.contacts > 1 && g.blocks > 1);
    memcpy(before, g.state, g.state_bytes);
#define MOVED dc_grains_step(&g, &mem, NULL)
#define MEET dc_grains_meet(&g, 0, g.blocks, &mem)
    GOOD(need, MEET);
    WILD(dc_cfield_kind, smooth[1].kind, MEET);
    BAD((void)0, dc_grains_meet(&g, -1, g.blocks, &mem), (void)0);
    BAD((void)0, dc_grains_meet(&g, 0, g.blocks + 1, &mem), (void)0);
    WITH(dc_real, g.q[5], not_a_number(), MOVED);
    WITH(dc_real, g.v[3], (dc_real)HUGE_VAL, MOVED);
    WILD(dc_cfield_kind, smooth[0].kind, MOVED);
    /* gradients, which are read, and what they become */
    in.q = in.v = in.spring = tangent;
    to.q = out.q;
    to.v = out.q + 16;
    to.spring = out.jacobian;
#define FORWARDS dc_grains_jvp(&g, &in, &to, &mem, NULL)
#define TRANSPOSED dc_grains_vjp(&g, &in, &to, &mem, NULL)
    for (k = 0; k < 2; ++k) {
        WITH(dc_real, g.q[5], not_a_number(), k ? TRANSPOSED : FORWARDS);
        WITH(const dc_cfield *, g.pair[1].field, exact + 1, k ? TRANSPOSED : FORWARDS);     /* without a Hessian */
        WITH(dc_real *, in.spring, NULL, k ? TRANSPOSED : FORWARDS);
        furnish(ENOUGH, need);
        ASSERT_EQ(DC_OK, k ? TRANSPOSED : FORWARDS);
        furnish(EMPTY, need);
        ASSERT_EQ(DC_E_MEMORY, k ? TRANSPOSED : FORWARDS);
    }
    ASSERT(memcmp(before, g.state, g.state_bytes) == 0);
    FINISH();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(dense_algebra);
    RUN_TEST(hulls);
    RUN_TEST(hull_manifolds);
    RUN_TEST(pairs);
    RUN_TEST(many_triangle_pairs);
    RUN_TEST(friction);
    RUN_TEST(trees);
    RUN_TEST(hierarchies);
    RUN_TEST(distance_fields);
    RUN_TEST(contact_fields);
    RUN_TEST(manifolds);
    RUN_TEST(shapes);
    RUN_TEST(growth);
    RUN_TEST(hard_contact);
    RUN_TEST(robots);
    RUN_TEST(grains);
    GREATEST_MAIN_END();
}
