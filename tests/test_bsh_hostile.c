/* Bad meshes, bad numbers, little memory: refused with a status, nothing else touched; and the strange that is fine. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#include "dc_bsh.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "mesh.h"
#include "naive_bsh.h"

#define GUARD 64

static unsigned char memory[1 << 20], scratch[1 << 18];
static mesh shape;

static dc_real not_a_number(void) { return (dc_real)(HUGE_VAL - HUGE_VAL); }
static dc_real infinite(void) { return (dc_real)HUGE_VAL; }

static dc_arena fresh(void) { return dc_arena_make(scratch, sizeof scratch); }

static dc_pose lifted(double z)
{
    dc_pose p;
    p.q.w = 1;
    p.q.x = p.q.y = p.q.z = 0;
    p.t = dc_vec(0, 0, (dc_real)z);
    return p;
}

/* Every output of an evaluation, filled with a pattern. */
typedef struct { dc_real value, grad[12], hess[144]; dc_bsh_info info; } outputs;

static dc_status eval(const dc_bsh_options *o, const dc_bsh *a, const dc_pose *pa, const dc_bsh *b, const dc_pose *pb, dc_arena *mem,
                      dc_bsh_cache *cache, outputs *out)
{
    memset(out, 0x5a, sizeof *out);
    return dc_bsh_eval(o, a, pa, b, pb, mem, cache, &out->value, out->grad, out->hess, &out->info);
}


static int finite_all(const outputs *out)
{
    int k, ok = dc_finite(out->value);
    for (k = 0; k < 12; ++k) ok &= dc_finite(out->grad[k]);
    for (k = 0; k < 144; ++k) ok &= dc_finite(out->hess[k]);
    return ok;
}

/* ---- building -------------------------------------------------------------------------------------- */

TEST bad_meshes_are_refused_by_triangle(void)
{
    static const int bad_index[4] = {-1, INT_MIN, INT_MAX, 12};
    dc_bsh t;
    dc_arena mem = fresh();
    int k, where;
    memset(&t, 0x5a, sizeof t);
    mesh_icosphere(&shape, 0);
#define REFUSED(call, triangle) \
    do { \
        where = 77; \
        ASSERT_EQ(DC_E_ARG, call); \
        ASSERT(where == (triangle) && mem.used == 0 && all_bytes(&t, sizeof t, 0x5a)); \
    } while (0)
    for (k = 0; k < 4; ++k) {
        int old = shape.tri[3*7 + 1];
        shape.tri[3*7 + 1] = bad_index[k];
        REFUSED(dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, &where), 7);
        shape.tri[3*7 + 1] = old;
    }
    for (k = 0; k < 5; ++k) {
        const dc_real bad = k == 0 ? not_a_number() : k == 1 ? infinite() : k == 2 ? -infinite() : k == 3 ? 2*DC_LIMIT : -2*DC_LIMIT;
        dc_v3 old = shape.v[4];
        int first = 0;
        if (k%3 == 0) shape.v[4].x = bad;
        else if (k%3 == 1) shape.v[4].y = bad;
        else shape.v[4].z = bad;
        while (shape.tri[3*first] != 4 && shape.tri[3*first + 1] != 4 && shape.tri[3*first + 2] != 4) ++first;
        REFUSED(dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, &where), first);
        shape.v[4] = old;
    }
    REFUSED(dc_bsh_build(NULL, shape.nv, shape.tri, shape.nt, &mem, &t, &where), -1);
    REFUSED(dc_bsh_build(shape.v, shape.nv, NULL, shape.nt, &mem, &t, &where), -1);
    REFUSED(dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, NULL, &t, &where), -1);
    REFUSED(dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, NULL, &where), -1);
    REFUSED(dc_bsh_build(shape.v, 0, shape.tri, shape.nt, &mem, &t, &where), -1);
    REFUSED(dc_bsh_build(shape.v, shape.nv, shape.tri, 0, &mem, &t, &where), -1);
    REFUSED(dc_bsh_build(shape.v, shape.nv, shape.tri, -5, &mem, &t, &where), -1);
    REFUSED(dc_bsh_build(shape.v, shape.nv, shape.tri, INT_MAX, &mem, &t, &where), -1);
    REFUSED(dc_bsh_build_from(shape.v, shape.nv, shape.tri, shape.nt, NULL, &mem, &t, &where), -1);

    /* a vertex that no triangle names may be anything */
    shape.v[shape.nv].x = not_a_number();
    ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv + 1, shape.tri, shape.nt, &mem, &t, &where));
    ASSERT_EQ(-1, where);
    PASS();
}

TEST bad_trees_are_refused(void)
{
    /* two triangles; the first tree is right */
    static const int v[6] = {0, 1, 2, 1, 2, 3};
    static const int trees[][6] = {
        {1, 2, -1, 0, -1, 1},
        {1, 2, -1, 0, -1, 0},       /* a triangle twice */
        {1, 1, -1, 0, -1, 1},       /* a child twice */
        {0, 1, -1, 0, -1, 1},       /* its own child */
        {1, 2, 0, 2, -1, 1},        /* a cycle */
        {1, 3, -1, 0, -1, 1},       /* out of range */
        {-2, 2, -1, 0, -1, 1},
        {1, -1, -1, 0, -1, 1},
        {1, 2, -1, 2, -1, 1},       /* no such triangle */
        {1, 2, -1, -1, -1, 1},
        {-1, 0, -1, 0, -1, 1},      /* a root alone */
        {INT_MAX, INT_MIN, -1, 0, -1, 1}};
    const dc_v3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    dc_arena mem = fresh();
    dc_bsh t;
    size_t k;
    int where;
    ASSERT_EQ(DC_OK, dc_bsh_build_from(x, 4, v, 2, trees[0], &mem, &t, &where));
    ASSERT(mem.used > 0);
    mem = fresh();
    memset(&t, 0x5a, sizeof t);
    for (k = 1; k < sizeof trees/sizeof *trees; ++k) REFUSED(dc_bsh_build_from(x, 4, v, 2, trees[k], &mem, &t, &where), -1);
    PASS();
}

/* With dc_bsh_bytes a build succeeds wherever the memory starts and stays inside it; with less it fails or succeeds, and a
 * failure leaves everything as it was. */
TEST building_stays_in_its_memory(void)
{
    size_t start, bytes, need;
    mesh_box(&shape, 1);
    need = dc_bsh_bytes(shape.nv, shape.nt);
    for (start = 0; start < DC_ALIGN; start += 7)
        for (bytes = 0; bytes <= need; bytes = bytes + 1) {
            unsigned char *base = memory + GUARD + start;
            dc_arena mem;
            dc_bsh t;
            dc_status s;
            memset(memory, 0xee, GUARD + start);
            memset(base + bytes, 0xee, GUARD);
            mem = dc_arena_make(base, bytes);
            memset(&t, 0x5a, sizeof t);
            s = dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL);
            ASSERT(s == DC_OK || s == DC_E_MEMORY);
            ASSERT(s == DC_OK || bytes < need);
            ASSERT(s == DC_OK || (mem.used == 0 && all_bytes(&t, sizeof t, 0x5a)));
            ASSERT(all_bytes(memory, GUARD + start, 0xee) && all_bytes(base + bytes, GUARD, 0xee));
            if (s == DC_OK) {
                const unsigned char *end = (const unsigned char *)(t.corner + 3*t.n);
                ASSERT(mem.used == (size_t)(end - base) && (const unsigned char *)t.node >= base);
            }
        }
    ASSERT_EQ((size_t)0, dc_bsh_bytes(0, 1));
    ASSERT_EQ((size_t)0, dc_bsh_bytes(1, 0));
    ASSERT_EQ((size_t)0, dc_bsh_bytes(-1, -1));
    ASSERT_EQ((size_t)0, dc_bsh_bytes(INT_MAX, INT_MAX));
    ASSERT(dc_bsh_bytes(INT_MAX, 1 << 27) > (size_t)INT_MAX);
    PASS();
}

/* Segments, points, duplicates, one triangle, everything in one place: trees like any other. */
TEST degenerate_meshes_work(void)
{
    static const double lift[4] = {0.01, 1, 3, 100};
    int kind, k, i;
    for (kind = 0; kind < 6; ++kind) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_bsh t;
        mesh *m = &shape;
        m->nv = m->nt = 0;
        for (k = 0; k < 8; ++k) mesh_vertex(m, k%2, kind == 1 ? 0 : k/2%2, kind == 2 || k < 4 ? 0 : -1);
        for (k = 0; k < 20; ++k) {
            switch (kind) {
            case 0: mesh_triangle(m, 0, 1, 2); break;               /* one triangle twenty times */
            case 1: mesh_triangle(m, 0, 1, 4 + k%2); break;         /* slivers and segments */
            case 2: mesh_triangle(m, k%8, k%8, k%8); break;         /* points */
            case 3: mesh_triangle(m, k%8, k%8, (k + 1)%8); break;   /* segments by index */
            case 4: mesh_triangle(m, 0, 3, 1 + k%7); break;         /* a fan around one edge */
            default: if (k == 0) mesh_triangle(m, 0, 1, 2); break;
            }
        }
        ASSERT_EQ(DC_OK, dc_bsh_build(m->v, m->nv, m->tri, m->nt, &mem, &t, NULL));
        for (k = 0; k < 2*t.n - 1; ++k) ASSERT(dc_finite3(t.node[k].c) && t.node[k].R >= 0 && dc_finite(t.node[k].R));
        for (i = 0; i < 4; ++i) {
            dc_pose p = lifted(lift[i] + (kind == 2 || kind == 0 || kind == 5 ? 0 : 1)), q = lifted(0);
            dc_arena tmp = fresh();
            outputs out;
            naive_sum N;
            naive_bsh n;
            double want;
            ASSERT_EQ(DC_OK, eval(NULL, &t, &p, &t, &q, &tmp, NULL, &out));
            ASSERT(finite_all(&out) && out.value > 0);
            n.a = n.b = &t;
            n.pa = p;
            n.pb = q;
            n.want = 0;
            n.mem = &tmp;
            ASSERT_EQ(DC_OK, naive_eval(&n, NULL, &N));
            want = (double)N.P;
            ASSERT(relative_error(&out.value, &want, 1) < 1e5*EPS);
        }
        /* in itself: overlap, with the pair */
        {
            dc_arena tmp = fresh();
            outputs out;
            ASSERT_EQ(DC_E_OVERLAP, eval(NULL, &t, NULL, &t, NULL, &tmp, NULL, &out));
            ASSERT(out.value > DC_REAL_MAX && all_bytes(out.grad, sizeof out.grad, 0x5a) && all_bytes(out.hess, sizeof out.hess, 0x5a));
            ASSERT(out.info.triangle_a >= 0 && out.info.triangle_a < t.n && out.info.triangle_b >= 0 && out.info.triangle_b < t.n);
        }
    }
    PASS();
}

/* A chain is the deepest tree there is. */
TEST chains_are_evaluated(void)
{
    static int child[4*1024];
    dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
    dc_bsh t;
    dc_pose p = lifted(0.3), q = lifted(0);
    outputs out;
    naive_sum N;
    naive_bsh n;
    double want[144];
    int k;
    mesh_plate(&shape, 6);
    for (k = 0; k < shape.nt - 1; ++k) {        /* inner nodes 0, 2, 4 ..; their leaves 1, 3, 5 .. */
        child[4*k] = 2*k + 1;
        child[4*k + 1] = 2*k + 2;
        child[4*k + 2] = -1;
        child[4*k + 3] = (k*35)%shape.nt;       /* 35 is prime to 72 */
    }
    child[4*k] = -1;
    child[4*k + 1] = (k*35)%shape.nt;
    ASSERT_EQ(DC_OK, dc_bsh_build_from(shape.v, shape.nv, shape.tri, shape.nt, child, &mem, &t, NULL));
    ASSERT_EQ(shape.nt - 1, t.depth);
    ASSERT_EQ(DC_OK, eval(NULL, &t, &p, &t, &q, &tmp, NULL, &out));
    n.a = n.b = &t;
    n.pa = p;
    n.pb = q;
    n.want = 2;
    n.mem = &tmp;
    ASSERT_EQ(DC_OK, naive_eval(&n, NULL, &N));
    to_double(&N.P, want, 1);
    ASSERT(relative_error(&out.value, want, 1) < 1000*EPS);
    to_double(N.H, want, 144);
    ASSERT(relative_error(out.hess, want, 144) < 1e4*EPS);
    PASS();
}

/* ---- evaluation ---------------------------------------------------------------------------------------- */

TEST bad_arguments_touch_nothing(void)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
    dc_bsh t, broken;
    dc_pose p = lifted(4), q = lifted(0), bad;
    dc_bsh_options o;
    dc_bsh_cache cache, none;
    outputs out;
    dc_bsh_contact list[4];
    int k, count = 77;
    mesh_icosphere(&shape, 0);
    ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL));
    ASSERT_EQ(DC_OK, dc_bsh_cache_make(16, &mem, &cache));
    memset(&none, 0, sizeof none);
#define NOTHING(call) \
    do { \
        memset(list, 0x5a, sizeof list); \
        ASSERT_EQ(DC_E_ARG, call); \
        ASSERT(untouched(&out, sizeof out) && tmp.used == 0 && count == 77 && all_bytes(list, sizeof list, 0x5a)); \
    } while (0)
    NOTHING(eval(NULL, NULL, &p, &t, &q, &tmp, NULL, &out));
    NOTHING(eval(NULL, &t, &p, NULL, &q, &tmp, NULL, &out));
    NOTHING(eval(NULL, &t, &p, &t, &q, NULL, NULL, &out));
    NOTHING(eval(NULL, &t, &p, &t, &q, &tmp, &none, &out));
    for (k = 0; k < 5; ++k) {
        broken = t;
        if (k == 0) broken.node = NULL;
        else if (k == 1) broken.corner = NULL;
        else if (k == 2) broken.n = 0;
        else if (k == 3) broken.depth = -1;
        else broken.o.y = not_a_number();
        NOTHING(eval(NULL, &broken, &p, &t, &q, &tmp, NULL, &out));
        NOTHING(eval(NULL, &t, &p, &broken, &q, &tmp, NULL, &out));
    }
    for (k = 0; k < 8; ++k) {
        const dc_real wrong = k%3 == 0 ? not_a_number() : k%3 == 1 ? infinite() : 2*DC_LIMIT;
        bad = p;
        if (k < 3) bad.t.x = wrong;
        else if (k < 6) bad.q.z = wrong;
        else bad.q.w = k == 6 ? DC_R(0.99) : DC_R(0.0);
        NOTHING(eval(NULL, &t, &bad, &t, &q, &tmp, NULL, &out));
        NOTHING(eval(NULL, &t, &q, &t, &bad, &tmp, NULL, &out));
        NOTHING(dc_bsh_contacts(NULL, &t, &bad, &t, &q, &tmp, NULL, 4, list, &count, &out.info));
    }
    for (k = 0; k < 10; ++k) {
        static const double eps[10] = {-1, 1e-4, 2e3, 1, 1, 1, 1, 1, 0.5, 0.5};
        memset(&o, 0, sizeof o);
        o.eps = (dc_real)eps[k];
        if (k == 3) o.eps = not_a_number();
        if (k == 4) o.eps = infinite();
        if (k == 5) o.length = -1;
        if (k == 6) o.length = not_a_number();
        if (k == 7) o.length = infinite();
        if (k == 8) o.length = DC_R(0.1)/DC_LIMIT;
        if (k == 9) o.length = 10*DC_LIMIT;
        NOTHING(eval(&o, &t, &p, &t, &q, &tmp, NULL, &out));
    }
    NOTHING(dc_bsh_contacts(NULL, &t, &p, &t, &q, &tmp, NULL, -1, list, &count, &out.info));
    NOTHING(dc_bsh_contacts(NULL, &t, &p, &t, &q, &tmp, NULL, 4, NULL, &count, &out.info));
    NOTHING(dc_bsh_contacts(NULL, &t, &p, &t, &q, &tmp, NULL, 4, list, NULL, &out.info));
    ASSERT_EQ((size_t)0, dc_bsh_eval_bytes(NULL, &t));
    ASSERT_EQ((size_t)0, dc_bsh_eval_bytes(&t, NULL));
    ASSERT_EQ((size_t)0, dc_bsh_cache_bytes(0));
    ASSERT_EQ(DC_E_ARG, dc_bsh_cache_make(0, &mem, &cache));
    ASSERT_EQ(DC_E_ARG, dc_bsh_cache_make(1, NULL, &cache));
    ASSERT_EQ(DC_E_ARG, dc_bsh_cache_make(1, &mem, NULL));
    ASSERT(cache.n == 16);
    /* nothing wanted is fine */
    ASSERT_EQ(DC_OK, dc_bsh_eval(NULL, &t, &p, &t, &q, &tmp, NULL, NULL, NULL, NULL, NULL));
    PASS();
}

TEST bad_scenes_touch_nothing(void)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
    dc_bsh t, broken;
    const dc_bsh *trees[3];
    dc_pose p[3];
    int excluded[4] = {0, 1, 2, 0}, k;
    dc_real value, grad[18], hess[324];
    dc_bsh_info info;
    mesh_icosphere(&shape, 0);
    ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL));
    broken = t;
    broken.node = NULL;
    for (k = 0; k < 3; ++k) {
        trees[k] = &t;
        p[k] = lifted(3*k);
    }
    memset(&value, 0x5a, sizeof value);
    memset(grad, 0x5a, sizeof grad);
    memset(hess, 0x5a, sizeof hess);
    memset(&info, 0x5a, sizeof info);
#define SCENE(n, tree, pose, nx, x, m) dc_bsh_scene(NULL, n, tree, pose, nx, x, m, NULL, &value, grad, hess, &info)
#define NO_SCENE(want, call) \
    do { \
        ASSERT_EQ(want, call); \
        ASSERT(all_bytes(&value, sizeof value, 0x5a) && all_bytes(grad, sizeof grad, 0x5a) && all_bytes(hess, sizeof hess, 0x5a) \
               && all_bytes(&info, sizeof info, 0x5a) && tmp.used == 0); \
    } while (0)
    NO_SCENE(DC_E_ARG, SCENE(0, trees, p, 0, NULL, &tmp));
    NO_SCENE(DC_E_ARG, SCENE(3, NULL, p, 0, NULL, &tmp));
    NO_SCENE(DC_E_ARG, SCENE(3, trees, NULL, 0, NULL, &tmp));
    NO_SCENE(DC_E_ARG, SCENE(3, trees, p, 0, NULL, NULL));
    NO_SCENE(DC_E_ARG, SCENE(3, trees, p, 1, NULL, &tmp));
    NO_SCENE(DC_E_ARG, SCENE(3, trees, p, -1, excluded, &tmp));
    NO_SCENE(DC_E_ARG, SCENE(3, trees, p, INT_MAX, excluded, &tmp));
    excluded[3] = 3;
    NO_SCENE(DC_E_ARG, SCENE(3, trees, p, 2, excluded, &tmp));
    excluded[3] = -1;
    NO_SCENE(DC_E_ARG, SCENE(3, trees, p, 2, excluded, &tmp));
    excluded[3] = 0;
    trees[2] = NULL;
    NO_SCENE(DC_E_ARG, SCENE(3, trees, p, 0, NULL, &tmp));
    trees[2] = &broken;
    NO_SCENE(DC_E_ARG, SCENE(3, trees, p, 0, NULL, &tmp));
    trees[2] = &t;
    p[2].t.y = not_a_number();
    NO_SCENE(DC_E_ARG, SCENE(3, trees, p, 0, NULL, &tmp));
    p[2] = lifted(6);
    tmp.size = dc_bsh_scene_bytes(3, trees)/2;
    NO_SCENE(DC_E_MEMORY, SCENE(3, trees, p, 0, NULL, &tmp));
    tmp = fresh();
    ASSERT_EQ((size_t)0, dc_bsh_scene_bytes(0, trees));
    ASSERT_EQ((size_t)0, dc_bsh_scene_bytes(3, NULL));
    ASSERT_EQ(DC_OK, SCENE(3, trees, p, 2, excluded, &tmp));
    ASSERT(dc_finite(value) && value > 0 && tmp.used == 0);
    /* one body, and pairs that are all excluded: nothing to add */
    ASSERT_EQ(DC_OK, SCENE(1, trees, p, 0, NULL, &tmp));
    ASSERT(dc_abs(value) <= 0 && dc_abs(grad[0]) <= 0 && dc_abs(hess[35]) <= 0);
    ASSERT_EQ(DC_OK, SCENE(2, trees, p, 1, excluded, &tmp));
    ASSERT(dc_abs(value) <= 0 && dc_abs(grad[11]) <= 0 && dc_abs(hess[143]) <= 0);
    PASS();
}

/* The arena as small as can be, byte by byte around the need, and anywhere; guards around it. */
TEST evaluation_stays_in_its_memory(void)
{
    static unsigned char room[1 << 18];
    dc_arena keep = dc_arena_make(memory, sizeof memory);
    dc_bsh t;
    const dc_bsh *trees[2];
    dc_pose p[2];
    size_t need, bytes, start, kind;
    mesh_icosphere(&shape, 1);
    ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &keep, &t, NULL));
    trees[0] = trees[1] = &t;
    p[0] = lifted(2.05);
    p[1] = lifted(0);
    for (kind = 0; kind < 4; ++kind) {
        need = kind == 3 ? dc_bsh_scene_bytes(2, trees) : dc_bsh_eval_bytes(&t, &t);
        for (start = 0; start < DC_ALIGN; start += 21)
            for (bytes = need; bytes + 200 > need; bytes -= 11) {
                unsigned char *base = room + GUARD + start;
                dc_arena mem = dc_arena_make(base, bytes);
                static dc_bsh_contact list[3000];
                outputs out;
                dc_status s;
                int count = 77;
                memset(room, 0xee, GUARD + start);
                memset(base + bytes, 0xee, GUARD);
                memset(&out, 0x5a, sizeof out);
                if (kind == 0) s = eval(NULL, &t, p, &t, p + 1, &mem, NULL, &out);
                else if (kind == 1) s = dc_bsh_brute(NULL, &t, p, &t, p + 1, &mem, &out.value, out.grad, NULL, &out.info);
                else if (kind == 2) s = dc_bsh_contacts(NULL, &t, p, &t, p + 1, &mem, NULL, 3000, list, &count, &out.info);
                else s = dc_bsh_scene(NULL, 2, trees, p, 0, NULL, &mem, NULL, &out.value, out.grad, out.hess, &out.info);
                ASSERT(s == DC_OK || s == DC_E_MEMORY);
                ASSERT(s == DC_OK || (bytes < need && untouched(&out, sizeof out) && count == 77));
                ASSERT(s == DC_E_MEMORY || bytes + DC_ALIGN > need);
                ASSERT(mem.used == 0);
                ASSERT(all_bytes(room, GUARD + start, 0xee) && all_bytes(base + bytes, GUARD, 0xee));
            }
        {
            dc_arena mem = dc_arena_make(room, 0);
            outputs out;
            ASSERT_EQ(DC_E_MEMORY, eval(NULL, &t, p, &t, p + 1, &mem, NULL, &out));
            ASSERT(untouched(&out, sizeof out));
        }
    }
    PASS();
}

/* Sizes and distances to the ends of the range: the answer or a status. */
TEST extreme_scales(void)
{
    static const double scales[9] = {1e-300, 1e-150, 1e-60, 1e-15, 1, 1e15, 1e37, 1e70, 1e76};
    int i, k, j;
    for (i = 0; i < 9; ++i)
        for (j = 0; j < 9; ++j) {
            dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
            dc_bsh t;
            dc_pose p = lifted(0), q = lifted(0);
            dc_bsh_options o = DC_ZERO;
            outputs out;
            dc_status s;
            if (scales[i] > (double)DC_LIMIT || scales[j]*2.5 > (double)DC_LIMIT) continue;
            mesh_icosphere(&shape, 0);
            for (k = 0; k < shape.nv; ++k) shape.v[k] = dc_scale((dc_real)scales[i], shape.v[k]);
            ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL));
            p.t.z = (dc_real)(2.5*scales[j]);
            for (k = 0; k < 4; ++k) {
                o.weighted = k%2;
                o.length = k < 2 || scales[i] < 1e-70 ? DC_R(0.0) : (dc_real)scales[i];
                if (!(o.length >= 1/DC_LIMIT)) o.length = 0;
                s = eval(&o, &t, &p, &t, &q, &tmp, NULL, &out);
                ASSERT(s == DC_OK || s == DC_E_RANGE || s == DC_E_OVERLAP);
                ASSERT(s != DC_OK || (finite_all(&out) && out.value > 0));
                ASSERT(s != DC_E_RANGE || (all_bytes(&out.value, sizeof out.value, 0x5a) && all_bytes(out.hess, sizeof out.hess, 0x5a)));
                ASSERT(s != DC_E_OVERLAP || (dc_real)scales[j] <= 2*(dc_real)scales[i]);        /* in float both may be 0 */
                /* sizes and distances that people have */
                if (scales[i] > (DC_IS_FLOAT ? 0.1 : 1e-16) && scales[i] < 1e16 && j == i) ASSERT_EQ(DC_OK, s);
            }
        }
    PASS();
}

/* Random bodies of random badness under random options: the contract, whatever comes. */
TEST random_calls_keep_the_contract(void)
{
    static dc_real odd[8];
    long count = sweep_count(4000), i, fine = 0;
    rng r;
    odd[0] = not_a_number();
    odd[1] = infinite();
    odd[2] = -infinite();
    odd[3] = 0;
    odd[4] = DC_LIMIT;
    odd[5] = DC_REAL_MIN;
    odd[6] = DC_REAL_MAX;
    odd[7] = DC_R(1e-5);
    rng_seed(&r, 13);
    for (i = 0; i < count; ++i) {
        static unsigned char store[1 << 14];
        dc_arena mem = dc_arena_make(memory, sizeof memory), keep = dc_arena_make(store, sizeof store), tmp = fresh();
        dc_bsh t[2];
        dc_pose p[2];
        dc_bsh_options o = DC_ZERO;
        dc_bsh_cache cache;
        outputs out;
        dc_status s;
        int b, k, ok = 1, where;
        for (b = 0; b < 2; ++b) {
            double size = rng_log(&r, 1e-2, 1e2);
            shape.nv = rng_int(&r, 1, 12);
            shape.nt = rng_int(&r, 1, 15);
            for (k = 0; k < shape.nv; ++k) {
                shape.v[k].x = (dc_real)(size*rng_int(&r, -2, 2));      /* many coincidences */
                shape.v[k].y = (dc_real)(size*rng_uniform(&r, -1, 1));
                shape.v[k].z = (dc_real)(size*rng_int(&r, -1, 1));
                if (rng_int(&r, 0, 200) == 0) shape.v[k].z = odd[rng_int(&r, 0, 7)];
            }
            for (k = 0; k < 3*shape.nt; ++k) {
                shape.tri[k] = rng_int(&r, 0, shape.nv - 1);
                if (rng_int(&r, 0, 1000) == 0) shape.tri[k] = rng_int(&r, -3, 20);
            }
            s = dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, t + b, &where);
            ASSERT(s == DC_OK || (s == DC_E_ARG && where >= 0 && where < shape.nt));
            if (s != DC_OK) ok = 0;
            for (k = 0; k < 4; ++k) {
                dc_real x = (dc_real)rng_normal(&r);
                if (k == 0) p[b].q.w = x;
                else if (k == 1) p[b].q.x = x;
                else if (k == 2) p[b].q.y = x;
                else p[b].q.z = x;
            }
            if (dc_quat_normalize(p[b].q, &p[b].q) != DC_OK) ok = 0;
            p[b].t.x = (dc_real)(size*rng_uniform(&r, -6, 6));
            p[b].t.y = (dc_real)(size*rng_uniform(&r, -6, 6));
            p[b].t.z = (dc_real)(size*rng_uniform(&r, -6, 6));
            if (rng_int(&r, 0, 100) == 0) p[b].t.x = odd[rng_int(&r, 0, 7)];
            if (rng_int(&r, 0, 300) == 0) p[b].q.x = odd[rng_int(&r, 0, 7)];
        }
        if (!ok) continue;
        o.weighted = rng_int(&r, 0, 1);
        if (rng_int(&r, 0, 1)) o.eps = (dc_real)rng_log(&r, 1e-3, 1e3);
        if (rng_int(&r, 0, 9) == 0) o.length = odd[rng_int(&r, 0, 7)];
        /* a cache of nonsense is safe */
        ASSERT_EQ(DC_OK, dc_bsh_cache_make(rng_int(&r, 1, 100), &keep, &cache));
        for (k = 0; k < cache.n; ++k) {
            dc_plane *q = &cache.slot[k].plane;
            q->n.x = odd[rng_int(&r, 0, 7)];
            q->n.y = (dc_real)rng_normal(&r);
            q->n.z = 0;
            q->d = odd[rng_int(&r, 0, 7)];
            cache.slot[k].a = rng_int(&r, 0, 14);
            cache.slot[k].b = rng_int(&r, 0, 14);
            cache.slot[k].turn = 1;
        }
        s = eval(&o, t, p, t + 1, p + 1, &tmp, rng_int(&r, 0, 1) ? &cache : NULL, &out);
        ASSERT(tmp.used == 0);
        if (s == DC_OK) {
            ++fine;
            ASSERT(finite_all(&out) && out.value > 0);
        } else {
            ASSERT(s == DC_E_ARG || s == DC_E_OVERLAP || s == DC_E_RANGE);
            ASSERT(s != DC_E_ARG || untouched(&out, sizeof out));
            ASSERT(all_bytes(out.grad, sizeof out.grad, 0x5a) && all_bytes(out.hess, sizeof out.hess, 0x5a));
            ASSERT(s == DC_E_OVERLAP ? out.value > DC_REAL_MAX && out.info.triangle_a >= 0 : all_bytes(&out.value, sizeof out.value, 0x5a));
        }
    }
    printf("  %ld of %ld calls had an answer\n", fine, count);
    ASSERT(fine > count/4 || count < 100);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(bad_meshes_are_refused_by_triangle);
    RUN_TEST(bad_trees_are_refused);
    RUN_TEST(building_stays_in_its_memory);
    RUN_TEST(degenerate_meshes_work);
    RUN_TEST(chains_are_evaluated);
    RUN_TEST(bad_arguments_touch_nothing);
    RUN_TEST(bad_scenes_touch_nothing);
    RUN_TEST(evaluation_stays_in_its_memory);
    RUN_TEST(extreme_scales);
    RUN_TEST(random_calls_keep_the_contract);
    GREATEST_MAIN_END();
}
