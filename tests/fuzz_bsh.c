/* dc_bsh.h under bytes turned into calls: see support/fuzz.h */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#include "fuzz.h"
#include "dc_bsh.h"

#define MOST 6                  /* triangles of a tree */
#define BODIES 4
#define CONTACTS 40

/* ---- trees -------------------------------------------------------------------------------------------- */

static int in_mesh(const int *tri, int nt, int nv, const dc_v3 *v)
{
    int k;
    for (k = 0; k < 3*nt; ++k)
        if (tri[k] < 0 || tri[k] >= nv || !dc_in_range(v[tri[k]])) return 0;
    return 1;
}

/* children are after their parents, spheres hold their triangles, counts add up */
static void tree_holds(const dc_bsh *t, int nt)
{
    int i, k;
    FUZZ_CHECK(t->n == nt && t->depth >= 0 && t->depth < nt && dc_in_range(t->o), "%d triangles, depth %d", t->n, t->depth);
    for (i = 0; i < 2*nt - 1; ++i) {
        const dc_bsh_node *q = t->node + i;
        FUZZ_CHECK(dc_finite3(q->c) && dc_finite(q->R) && q->R >= 0, "sphere %d: radius %g", i, (double)q->R);
        if (q->left < 0) {
            dc_real slack = 4*DC_EPS*(dc_abs(q->c.x) + dc_abs(q->c.y) + dc_abs(q->c.z) + q->R) + 4*DC_REAL_MIN;
            FUZZ_CHECK(q->right == -1 && q->count == 1 && q->triangle >= 0 && q->triangle < nt, "leaf %d", i);
            for (k = 0; k < 3; ++k) {
                dc_v3 e = dc_sub(t->corner[3*q->triangle + k], q->c);
                FUZZ_CHECK(dc_max(dc_abs(e.x), dc_max(dc_abs(e.y), dc_abs(e.z))) <= q->R + slack, "corner outside of leaf %d", i);
            }
        } else {
            const dc_bsh_node *l = t->node + q->left, *r = t->node + q->right;
            FUZZ_CHECK(q->left > i && q->right > i && q->left < 2*nt - 1 && q->right < 2*nt - 1 && q->left != q->right, "children of %d", i);
            FUZZ_CHECK(q->count == l->count + r->count && q->triangle == -1, "node %d: %d triangles", i, q->count);
            FUZZ_CHECK(q->R >= l->R && q->R >= r->R, "node %d: radius %g, children %g %g", i, (double)q->R, (double)l->R, (double)r->R);
        }
    }
    FUZZ_CHECK(t->node[0].count == nt, "root");
}

/* A tree of few triangles, or NULL if it was refused; *memory_short when the arena was. */
static const dc_bsh *tree(fuzz *f)
{
    int nv = fuzz_count(f, 1, MOST + 2), nt = fuzz_count(f, 1, MOST), given = fuzz_byte(f) & 1, bad = -7, nn = nt > 0 ? 2*nt - 1 : 0, good, k;
    size_t indices = nt > 0 ? 3*(size_t)nt : 0;
    dc_v3 *v = fuzz_points(f, nv);
    int *tri = (int *)fuzz_alloc(f, indices*sizeof(int)), *child = (int *)fuzz_alloc(f, 2*(size_t)nn*sizeof(int));
    dc_bsh *t = (dc_bsh *)fuzz_alloc(f, sizeof *t);
    fuzz_arena *m = (fuzz_arena *)fuzz_alloc(f, sizeof *m);
    dc_status s;

    *m = fuzz_arena_open(f, dc_bsh_bytes(nv, nt));
    for (k = 0; k < (int)indices; ++k) tri[k] = fuzz_int(f, 0, nv > 1 ? nv - 1 : 0);
    if (given) {
        /* a chain or a comb, with some entries changed */
        for (k = 0; k < nn; ++k) {
            child[2*k] = k%2 == 0 && k + 2 < nn ? k + 1 : -1;
            child[2*k + 1] = k%2 == 0 && k + 2 < nn ? k + 2 : k%2 ? k/2 : nt - 1;
            if (fuzz_bad(f)) child[2*k + fuzz_below(f, 2)] = fuzz_int(f, -1, nn);
        }
    }
    good = nv >= 1 && nt >= 1 && in_mesh(tri, nt, nv, v);
    s = fuzz_status(f, given ? dc_bsh_build_from(v, nv, tri, nt, child, &m->a, t, &bad) : dc_bsh_build(v, nv, tri, nt, &m->a, t, &bad));
    FUZZ_CHECK(s == DC_OK || s == DC_E_ARG || s == DC_E_MEMORY, "status %d", (int)s);
    FUZZ_CHECK(s != DC_OK || good, "accepted");
    FUZZ_CHECK(s != DC_E_ARG || !good || given, "refused");
    FUZZ_CHECK(bad == -1 || (s == DC_E_ARG && bad >= 0 && bad < nt && !good), "bad triangle %d", bad);
    if (s != DC_OK) {
        fuzz_arena_close(m, 0, s);
        FUZZ_CHECK(fuzz_untouched(f, t, sizeof *t), "status %d, tree written", (int)s);
        return NULL;
    }
    tree_holds(t, nt);
    FUZZ_CHECK((const unsigned char *)(t->corner + 3*nt) == m->a.base + m->a.used, "the tree is not at the front");
    for (k = 0; k < nn; ++k) fuzz_mix(f, t->node + k, sizeof *t->node);
    fuzz_mix(f, t->corner, 3*(size_t)nt*sizeof *t->corner);
    return t;
}

/* ---- potentials ------------------------------------------------------------------------------------------- */

static dc_bsh_options options(fuzz *f)
{
    dc_bsh_options o = DC_ZERO;
    o.eps = fuzz_option(f, 0.5);
    o.length = fuzz_option(f, 1);
    o.weighted = fuzz_byte(f) & 1;
    return o;
}

static dc_bsh_cache *cache(fuzz *f)
{
    int pairs = fuzz_int(f, 1, 40);
    size_t need = dc_bsh_cache_bytes(pairs);
    dc_bsh_cache *c = (dc_bsh_cache *)fuzz_alloc(f, sizeof *c);
    fuzz_arena *m = (fuzz_arena *)fuzz_alloc(f, sizeof *m);
    dc_status s;
    *m = fuzz_arena_open(f, pairs <= 41 ? need : 64);
    s = fuzz_status(f, dc_bsh_cache_make(pairs, &m->a, c));
    if (s == DC_OK) return c;
    FUZZ_CHECK(fuzz_untouched(f, c, sizeof *c) && m->a.used == 0, "status %d, but written", (int)s);
    FUZZ_CHECK((s == DC_E_ARG) == (pairs < 1), "%d pairs: status %d", pairs, (int)s);
    return NULL;
}

/* N entries a gradient; of a scene that fails, gradient and Hessian are undefined */
typedef struct { dc_real *value, *grad, *hess; size_t N; int scene; dc_bsh_info *info; } result;

static result ask(fuzz *f, size_t N, int is_scene)
{
    result r;
    int k = fuzz_byte(f);
    r.N = N;
    r.scene = is_scene;
    r.value = k & 1 ? NULL : fuzz_reals(f, 1);
    r.grad = k & 2 ? NULL : fuzz_reals(f, N);
    r.hess = k & 4 ? NULL : fuzz_reals(f, N*N);
    r.info = k & 8 ? NULL : (dc_bsh_info *)fuzz_alloc(f, sizeof *r.info);
    return r;
}

static void judge(fuzz *f, const result *r, dc_status s)
{
    size_t i, j, N = r->N;
    FUZZ_CHECK(s != DC_E_SINGULAR, "status %d", (int)s);
    if (s == DC_OK || s == DC_E_DIVERGED) {
        FUZZ_CHECK(!r->value || (dc_finite(*r->value) && *r->value >= 0), "status %d, value %g", (int)s, (double)*r->value);
        if (r->value) fuzz_mix(f, r->value, sizeof *r->value);
    } else if (r->value) {
        if (s == DC_E_OVERLAP) FUZZ_CHECK(*r->value > DC_REAL_MAX, "overlap, value %g", (double)*r->value);
        else FUZZ_CHECK(fuzz_untouched(f, r->value, sizeof *r->value), "status %d, value written", (int)s);
    }
    if (s == DC_OK) {
        if (r->grad) {
            FUZZ_CHECK(fuzz_finite(r->grad, N), "gradient");
            fuzz_mix(f, r->grad, N*sizeof *r->grad);
        }
        if (r->hess) {
            FUZZ_CHECK(fuzz_finite(r->hess, N*N), "Hessian");
            for (i = 0; i < N; ++i)
                for (j = 0; j < i; ++j)
                    FUZZ_CHECK(memcmp(&r->hess[i*N + j], &r->hess[j*N + i], sizeof(dc_real)) == 0 || !(dc_abs(r->hess[i*N + j]) > 0), "Hessian (%d,%d)", (int)i, (int)j);
            fuzz_mix(f, r->hess, N*N*sizeof *r->hess);
        }
    } else if (s == DC_E_ARG || s == DC_E_MEMORY || (!r->scene && s != DC_E_DIVERGED)) {
        FUZZ_CHECK(!r->grad || fuzz_untouched(f, r->grad, N*sizeof *r->grad), "status %d, gradient written", (int)s);
        FUZZ_CHECK(!r->hess || fuzz_untouched(f, r->hess, N*N*sizeof *r->hess), "status %d, Hessian written", (int)s);
    }
    if (r->info) {
        if (s == DC_E_ARG || s == DC_E_MEMORY) FUZZ_CHECK(fuzz_untouched(f, r->info, sizeof *r->info), "status %d, info written", (int)s);
        else fuzz_mix(f, r->info, sizeof *r->info);
    }
}

/* forces of all bodies sum to none, to the rounding of their sum; each is of the size of the largest */
static void balanced(const result *r, double slack)
{
    size_t i, k;
    double all = 0;
    for (i = 0; i < r->N; ++i) all = fmax(all, fabs((double)r->grad[i]));
    for (k = 0; k < 3; ++k) {
        double sum = 0;
        for (i = k; i < r->N; i += 6) sum += (double)r->grad[i];
        FUZZ_CHECK(fabs(sum) <= slack*all + (double)DC_REAL_MIN, "forces of sum %g, largest %g", sum, all);
    }
}

static size_t depth_bytes(const dc_bsh *a, const dc_bsh *b)
{
    size_t n = dc_bsh_eval_bytes(a, b);
    FUZZ_CHECK((n == 0) == (!a || !b), "%lu bytes", (unsigned long)n);
    return n;
}

static void two(fuzz *f)
{
    const dc_bsh *a = tree(f), *b = fuzz_byte(f) < 64 ? a : tree(f);
    dc_pose pa = fuzz_pose(f), pb = fuzz_pose(f);
    const dc_pose *qa = fuzz_byte(f) & 1 ? &pa : NULL, *qb = fuzz_byte(f) & 1 ? &pb : NULL;
    dc_bsh_options o = options(f);
    dc_bsh_cache *c = fuzz_byte(f) & 1 ? cache(f) : NULL;
    int kind = fuzz_below(f, 3), k, good;
    fuzz_arena m = fuzz_arena_open(f, depth_bytes(a, b));
    result r;
    dc_status s;
    pa.t.z += (dc_real)(fuzz_byte(f)/32);
    good = a && b && dc_pose_ok(qa) && dc_pose_ok(qb);
    if (kind < 2) {
        r = ask(f, 12, 0);
        s = fuzz_status(f, kind == 0 ? dc_bsh_eval(&o, a, qa, b, qb, &m.a, c, r.value, r.grad, r.hess, r.info)
                                     : dc_bsh_brute(&o, a, qa, b, qb, &m.a, r.value, r.grad, r.hess, r.info));
        fuzz_arena_close(&m, 0, s);
        FUZZ_CHECK(s == DC_E_ARG || s == DC_E_MEMORY || good, "accepted");
        judge(f, &r, s);
        if (s == DC_OK && r.grad) balanced(&r, 1e4*(double)DC_EPS);
        /* warm */
        if (c && kind == 0 && s == DC_OK && r.info && fuzz_byte(f) & 1) {
            result again = ask(f, 12, 0);
            s = fuzz_status(f, dc_bsh_eval(&o, a, qa, b, qb, &m.a, c, again.value, again.grad, again.hess, again.info));
            FUZZ_CHECK(s == DC_OK || s == DC_E_DIVERGED || s == DC_E_RANGE, "cold 0, warm %d", (int)s);
            judge(f, &again, s);
        }
    } else {
        int capacity = fuzz_below(f, 4) ? CONTACTS : fuzz_int(f, 0, 3), count = -7;
        size_t n = capacity > 0 && capacity <= CONTACTS ? (size_t)capacity : 0;
        dc_bsh_contact *x = (dc_bsh_contact *)fuzz_alloc(f, n*sizeof *x);
        dc_bsh_info *info = (dc_bsh_info *)fuzz_alloc(f, sizeof *info);
        if (capacity > CONTACTS) capacity = 0;
        s = fuzz_status(f, dc_bsh_contacts(&o, a, qa, b, qb, &m.a, c, capacity, n > 0 ? x : NULL, &count, info));
        FUZZ_CHECK(m.a.used == 0, "the arena keeps %lu bytes", (unsigned long)m.a.used);
        FUZZ_CHECK(s == DC_E_ARG || s == DC_E_MEMORY || good, "accepted");
        if (s == DC_E_MEMORY && m.a.size >= m.need) FUZZ_CHECK(count > capacity, "%d contacts, room for %d", count, capacity);
        if (s == DC_OK) FUZZ_CHECK(count >= 0 && (count <= capacity || capacity == 0), "%d contacts", count);
        if (s != DC_OK && s != DC_E_MEMORY && s != DC_E_DIVERGED) {
            FUZZ_CHECK(count == -7, "status %d, count written", (int)s);
            return;
        }
        if (count == -7) return;
        fuzz_mix(f, &count, sizeof count);
        for (k = 0; k < count && k < capacity; ++k) {
            FUZZ_CHECK(x[k].triangle_a >= 0 && x[k].triangle_a < a->n && x[k].triangle_b >= 0 && x[k].triangle_b < b->n, "contact %d: triangles", k);
            FUZZ_CHECK(dc_finite3(x[k].plane.n) && dc_finite(x[k].plane.d) && dc_dot(x[k].plane.n, x[k].plane.n) <= 1 + 4*DC_EPS, "contact %d: plane", k);
            FUZZ_CHECK(x[k].weight >= 0 && x[k].weight <= 1 && fuzz_finite(x[k].weight_grad, 12), "contact %d: weight %g", k, (double)x[k].weight);
            FUZZ_CHECK(x[k].value >= 0 && dc_finite(x[k].value) && fuzz_finite(x[k].force, 6), "contact %d: value %g", k, (double)x[k].value);
            fuzz_mix(f, x + k, sizeof *x);
        }
    }
}

static void scene(fuzz *f)
{
    int n = fuzz_count(f, 1, BODIES), out = fuzz_count(f, 0, 3), rows = n > 0 ? n : 0, k, good = n > 0 && out >= 0;
    const dc_bsh *body[BODIES];
    dc_pose *pose = (dc_pose *)fuzz_alloc(f, (size_t)rows*sizeof *pose);
    int *excluded = out > 0 ? (int *)fuzz_alloc(f, 2*(size_t)out*sizeof(int)) : NULL;
    dc_bsh_options o = options(f);
    dc_bsh_cache *c = fuzz_byte(f) & 1 ? cache(f) : NULL;
    size_t need;
    fuzz_arena m;
    result r;
    dc_status s;
    for (k = 0; k < rows; ++k) {
        body[k] = k > 0 && fuzz_byte(f) < 200 ? body[0] : tree(f);
        pose[k] = fuzz_pose(f);
        pose[k].t.x += 3*(dc_real)k;
        good = good && body[k] && dc_pose_ok(pose + k);
    }
    for (k = 0; k < 2*out; ++k) excluded[k] = fuzz_int(f, 0, n > 1 ? n - 1 : 0);
    need = dc_bsh_scene_bytes(n, body);
    m = fuzz_arena_open(f, need);
    r = ask(f, 6*(size_t)rows, 1);
    s = fuzz_status(f, dc_bsh_scene(&o, n, body, pose, out, excluded, &m.a, c, r.value, r.grad, r.hess, r.info));
    fuzz_arena_close(&m, 0, s);
    FUZZ_CHECK(s == DC_E_ARG || s == DC_E_MEMORY || good, "accepted");
    judge(f, &r, s);
    if (s == DC_OK && r.grad) balanced(&r, 1e4*(double)DC_EPS);
    if (r.info && (s == DC_E_OVERLAP || s == DC_E_RANGE))
        FUZZ_CHECK(r.info->body_a >= 0 && r.info->body_a < r.info->body_b && r.info->body_b < n, "bodies %d, %d", r.info->body_a, r.info->body_b);
}

static void calls(fuzz *f)
{
    while (fuzz_more(f) && f->n_blocks < FUZZ_BLOCKS - 60) {
        if (fuzz_below(f, 4) == 0) scene(f);
        else two(f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_input(data, size, calls); }
