/* Audit of dc_bsh.h: see audit.h. The copy's trees have the topology of the double's. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#include "dc_bsh.h"
#define DQ_CONTACT_IMPLEMENTATION
#define DQ_BSH_IMPLEMENTATION
#include "dq_bsh.h"

#include "hulls.h"

/* ---- bodies: meshes over the vertices of hulls ---- */

enum { T = 12, BODIES = 3 };
typedef struct {
    int tri[3*T], nt;
    dc_bsh tree;
    dq_bsh quad;
    unsigned char memory[1 << 14], quad_memory[1 << 15];
} body;

static const int box_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

/* A tree of the vertices' triangles: a box's, as a rule a few of them, or any; built in one of two ways: by halves, or a chain that
 * is given. */
static int body_draw(rng *r, const dc_v3 *v, const dq_v3 *q, int n, int box, body *b)
{
    dc_arena mem = dc_arena_make(b->memory, sizeof b->memory);
    dq_arena quad_mem = dq_arena_make(b->quad_memory, sizeof b->quad_memory);
    int k, child[2*(2*T - 1)], first = rng_int(r, 0, T - 1);
    b->nt = box && rng_int(r, 0, 15) == 0 ? T : rng_int(r, 1, 6);
    for (k = 0; k < 3*b->nt; ++k) b->tri[k] = box ? box_triangles[(3*first + k)%(3*T)] : rng_int(r, 0, n - 1);
    if (rng_int(r, 0, 1)) {
        if (dc_bsh_build(v, n, b->tri, b->nt, &mem, &b->tree, NULL) != DC_OK) return 0;
    } else {
        for (k = 0; k < b->nt - 1; ++k) {
            child[4*k] = 2*k + 1;
            child[4*k + 1] = 2*k + 2;
            child[4*k + 2] = -1;
            child[4*k + 3] = k;
        }
        /* node 2k has the leaf 2k + 1, of triangle k, and the rest */
        child[4*(b->nt - 1)] = -1;
        child[4*(b->nt - 1) + 1] = b->nt - 1;
        if (dc_bsh_build_from(v, n, b->tri, b->nt, child, &mem, &b->tree, NULL) != DC_OK) return 0;
    }
    for (k = 0; k < 2*b->nt - 1; ++k) {
        child[2*k] = b->tree.node[k].left < 0 ? -1 : b->tree.node[k].left;
        child[2*k + 1] = b->tree.node[k].left < 0 ? b->tree.node[k].triangle : b->tree.node[k].right;
    }
    return dq_bsh_build_from(q, n, b->tri, b->nt, child, &quad_mem, &b->quad, NULL) == DQ_OK;
}

typedef struct {
    hulls *h;
    body *a, *b;
    dq_bsh_options opt;
    int brute;
    dq_status status;
} bsh_case;

static int bsh_value(const dq_real *t, dq_real *f, void *user)
{
    bsh_case *c = (bsh_case *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_pose pa = audit_pose(&c->h->pa, t), pb = audit_pose(&c->h->pb, t + 6);
    if (c->brute) c->status = dq_bsh_brute(&c->opt, &c->a->quad, &pa, &c->b->quad, &pb, &mem, f, NULL, NULL, NULL);
    else c->status = dq_bsh_eval(&c->opt, &c->a->quad, &pa, &c->b->quad, &pb, &mem, NULL, f, NULL, NULL, NULL);
    return c->status == DQ_OK;
}

static void turned(double scale, dc_v3 *v, int n)
{
    /* an octahedron's corners */
    static const double e[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    int k;
    for (k = 0; k < n; ++k) v[k] = dc_vec((dc_real)(scale*e[k][0]), (dc_real)(scale*e[k][1]), (dc_real)(scale*e[k][2]));
}

/* Two bodies of a class. One more than those of hulls: concentric, a tetrahedron in the middle of a closed octahedron. */
enum { CONCENTRIC = CLASSES, BSH_CLASSES };
static const char *name_of(int class) { return class == CONCENTRIC ? "concentric" : classes[class]; }

static int bodies_draw(rng *r, int class, hulls *h, body *a, body *b)
{
    static const int eight[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    int box = class == PARALLEL || class == ALIGNED || class == TIES;
    if (class == CONCENTRIC) {
        dc_arena mem = dc_arena_make(a->memory, sizeof a->memory);
        dq_arena quad_mem = dq_arena_make(a->quad_memory, sizeof a->quad_memory);
        int k, child[2*(2*T - 1)];
        h->a.n = 6;
        h->b.n = 4;
        turned(1, h->va, 6);
        points(r, GENERIC, 0.1, 1, 4, h->vb);
        h->size = 1;
        h->gap = 0.1;
        h->pa.q = audit_turn(r);
        h->pb.q = audit_turn(r);
        h->pa.t = dc_vec(0, 0, 0);
        h->pb.t = h->pa.t;
        if (rng_int(r, 0, 1)) h->pb.t = dc_vec((dc_real)rng_uniform(r, -0.1, 0.1), (dc_real)rng_uniform(r, -0.1, 0.1), 0);
        hulls_finish(h);
        a->nt = 8;
        memcpy(a->tri, eight, sizeof eight);
        if (dc_bsh_build(h->va, 6, a->tri, 8, &mem, &a->tree, NULL) != DC_OK) return 0;
        for (k = 0; k < 15; ++k) {
            child[2*k] = a->tree.node[k].left < 0 ? -1 : a->tree.node[k].left;
            child[2*k + 1] = a->tree.node[k].left < 0 ? a->tree.node[k].triangle : a->tree.node[k].right;
        }
        if (dq_bsh_build_from(h->qa, 6, a->tri, 8, child, &quad_mem, &a->quad, NULL) != DQ_OK) return 0;
        return body_draw(r, h->vb, h->qb, 4, 0, b);
    }
    if (!hulls_draw(r, class, 8, gap_of(r, class), 1e-6, h) || !body_draw(r, h->va, h->qa, h->a.n, box, a)) return 0;
    return body_draw(r, h->vb, h->qb, h->b.n, box, b);
}

/* ---- dc_bsh_eval, dc_bsh_brute ---- */

enum { PAPER, WEIGHTED, MARGIN, CACHED, BRUTE };

static void bsh_sample(audit_row *row, hulls *h, body *a, body *b, const dc_bsh_options *opt, int way, rng *r)
{
    static unsigned char cache_memory[1 << 17];
    dc_arena mem = dc_arena_make(memory, sizeof memory), cache_mem = dc_arena_make(cache_memory, sizeof cache_memory);
    dc_bsh_cache cache;
    dc_real out[157];
    dq_real zero[12] = {0}, want = 0;
    bsh_case c;
    dc_status s;
    memset(&c, 0, sizeof c);
    c.h = h;
    c.a = a;
    c.b = b;
    c.brute = way == BRUTE;
    c.opt.eps = opt->eps;
    c.opt.length = opt->length;
    c.opt.weighted = opt->weighted;
    if (way == CACHED) {                /* planes of a pose nearby */
        dc_real xi[6];
        dc_pose p;
        int k;
        if (dc_bsh_cache_make(400, &cache_mem, &cache) != DC_OK) return;
        for (k = 0; k < 6; ++k) xi[k] = (dc_real)(rng_uniform(r, -1, 1)*0.1*fmin(h->gap, 1)*(k < 3 ? h->size : 1));
        p = dc_pose_retract(h->pb, xi);
        dc_bsh_eval(opt, &a->tree, &h->pa, &b->tree, &p, &mem, &cache, out, NULL, NULL, NULL);
    }
    if (way == BRUTE) s = dc_bsh_brute(opt, &a->tree, &h->pa, &b->tree, &h->pb, &mem, out, out + 1, out + 13, NULL);
    else s = dc_bsh_eval(opt, &a->tree, &h->pa, &b->tree, &h->pb, &mem, way == CACHED ? &cache : NULL, out, out + 1, out + 13, NULL);
    audit_rounding = h->rounding;
    audit_call(row, s, s == DC_OK && bsh_value(zero, &want, &c) && audit_near(out[0], want, audit_inputs(12, h->scale, out + 1)), out, 157);
    if (audit_only >= 0) printf("  %s, gap %.3g size %.3g\n", dc_status_text(s), h->gap*h->size, h->size);
    if (s != DC_OK) return;
    audit_symmetric(row, out + 13, 12);
    audit_zero(row, out + 1, 12);
    audit_scalar(row, row, bsh_value, &c, 12, h->scale, out + 1, out + 13, 1e-7*fmin(h->gap, 1), 1, r);
}

static void bsh_eval(int way, const char *name, long n)
{
    int class;
    for (class = 0; class < BSH_CLASSES; ++class) {
        audit_row *row = audit_of(name, name_of(class));
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static hulls h;
            static body a, b;
            rng r = audit_draw(row, k);
            dc_bsh_options opt = DC_ZERO;
            if (!bodies_draw(&r, class, &h, &a, &b)) continue;
            opt.weighted = way == WEIGHTED || ((way == MARGIN || way == CACHED) && k%2);
            if (way == MARGIN) opt.eps = (dc_real)rng_log(&r, 0.05, 50);
            opt.length = (dc_real)(class == SIZES || way == MARGIN ? h.size*rng_log(&r, 0.1, 10) : 1);
            bsh_sample(row, &h, &a, &b, &opt, way, &r);
        }
    }
}

/* The roots at a place of their blend band: u = (r - d1)/(d2 - d1). Third derivatives jump at 0 and 1: P is C2. */
static void bands(const char *name, int weighted, long n)
{
    static const char *const place[] = {"within the band", "at its start", "at its end", "beyond"};
    int class;
    for (class = 0; class < 4; ++class) {
        audit_row *row = audit_of(name, place[class]);
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static hulls h;
            static body a, b;
            rng r = audit_draw(row, k);
            dc_bsh_options opt = DC_ZERO;
            double near = rng_log(&r, 1e-9, 1e-3)*(k%2 ? 1 : -1), u[3], d1, d, at;
            dc_v3 ca, cb, way;
            int i;
            at = class == 0 ? rng_uniform(&r, 0, 1) : class == 1 ? near : class == 2 ? 1 + near : 1 + rng_log(&r, 1e-3, 1e3);
            h.a.n = h.b.n = 6;
            h.size = 1;
            points(&r, GENERIC, 1, 1, 6, h.va);
            points(&r, GENERIC, 1, 1, 6, h.vb);
            h.pa.t = h.pb.t = dc_vec(0, 0, 0);
            hulls_finish(&h);
            if (!body_draw(&r, h.va, h.qa, 6, 0, &a) || !body_draw(&r, h.vb, h.qb, 6, 0, &b)) continue;
            opt.eps = (dc_real)rng_log(&r, 0.1, 5);
            opt.weighted = weighted;
            h.pa.q = audit_turn(&r);
            h.pb.q = audit_turn(&r);
            d1 = (double)(a.tree.node->R + b.tree.node->R);
            d = d1*(1 + at*(double)opt.eps);
            if (!(d > d1*1e-6)) continue;
            rng_unit3(&r, u);
            ca = dc_quat_rotate(h.pa.q, a.tree.o);
            cb = dc_quat_rotate(h.pb.q, b.tree.o);
            way = dc_vec((dc_real)(d*u[0]), (dc_real)(d*u[1]), (dc_real)(d*u[2]));
            h.pb.t = dc_sub(dc_add(ca, way), cb);
            h.gap = 0.01;
            for (i = 0; i < 12; ++i) h.scale[i] = 1;
            h.rounding = 1 + d;
            bsh_sample(row, &h, &a, &b, &opt, PAPER, &r);
        }
    }
}

/* ---- dc_bsh_scene ---- */

typedef struct {
    body *b;
    dc_pose pose[BODIES];
    int excluded[2], n_excluded;
    dq_bsh_options opt;
} scene_case;

static int scene_value(const dq_real *t, dq_real *f, void *user)
{
    scene_case *c = (scene_case *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    const dq_bsh *tree[BODIES];
    dq_pose pose[BODIES];
    int k;
    for (k = 0; k < BODIES; ++k) {
        tree[k] = &c->b[k].quad;
        pose[k] = audit_pose(c->pose + k, t + 6*k);
    }
    return dq_bsh_scene(&c->opt, BODIES, tree, pose, c->n_excluded, c->n_excluded ? c->excluded : NULL, &mem, NULL, f, NULL, NULL, NULL) == DQ_OK;
}

static void scene(long n)
{
    static const char *const name[] = {"generic", "far apart", "sizes 1e+-6", "excluded pair"};
    int class;
    for (class = 0; class < 4; ++class) {
        audit_row *row = audit_of("dc_bsh_scene", name[class]);
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static body b[BODIES];
            static dc_v3 v[BODIES][6];
            static dq_v3 q[BODIES][6];
            rng r = audit_draw(row, k);
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_bsh_options opt = DC_ZERO;
            const dc_bsh *tree[BODIES];
            scene_case c;
            dc_real out[1 + 6*BODIES + 36*BODIES*BODIES];
            double scale[6*BODIES], size = class == 2 ? rng_log(&r, 1e-6, 1e6) : 1, far = 3*size*(class == 1 ? FAR : 1);
            dq_real zero[6*BODIES] = {0}, want = 0;
            dc_status s;
            int i, j, m = 6*BODIES, ok = 1;
            memset(&c, 0, sizeof c);
            c.b = b;
            for (i = 0; i < BODIES; ++i) {
                points(&r, GENERIC, size, 1, 6, v[i]);
                for (j = 0; j < 6; ++j) q[i][j] = audit_up3(v[i][j]);
                ok = ok && body_draw(&r, v[i], q[i], 6, 0, b + i);
                tree[i] = &b[i].tree;
                c.pose[i].q = audit_turn(&r);
                c.pose[i].t = dc_vec((dc_real)(far*(i == 1) + size*rng_uniform(&r, 0, 0.5)), (dc_real)(far*(i == 2)), (dc_real)(far*0.3*(i > 0)));
            }
            if (!ok) continue;
            for (i = 0; i < m; ++i) scale[i] = i%6 < 3 ? size : 1;
            opt.weighted = k%2 == 0;
            opt.length = (dc_real)size;
            c.opt.weighted = opt.weighted;
            c.opt.length = opt.length;
            c.excluded[1] = 1 + (int)(k%2);
            c.n_excluded = class == 3;
            s = dc_bsh_scene(&opt, BODIES, tree, c.pose, c.n_excluded, c.n_excluded ? c.excluded : NULL, &mem, NULL, out, out + 1, out + 1 + m, NULL);
            audit_rounding = 1 + far/size;
            audit_call(row, s, s == DC_OK && scene_value(zero, &want, &c) && audit_near(out[0], want, audit_inputs(m, scale, out + 1)), out,
                       (size_t)(1 + m + m*m));
            if (s != DC_OK) continue;
            audit_symmetric(row, out + 1 + m, m);
            audit_zero(row, out + 1, m);
            audit_scalar(row, row, scene_value, &c, m, scale, out + 1, out + 1 + m, 1e-9, 1, &r);
        }
    }
}

/* ---- dc_bsh_contacts ---- */

typedef struct { hulls *h; body *a, *b; dq_bsh_options opt; int triangle_a, triangle_b; dq_bsh_contact found; } contact_case;

/* the weight of one contact */
static int contact_weight(const dq_real *t, dq_real *f, void *user)
{
    static dq_bsh_contact list[T*T];
    contact_case *c = (contact_case *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_pose pa = audit_pose(&c->h->pa, t), pb = audit_pose(&c->h->pb, t + 6);
    int n = 0, k;
    if (dq_bsh_contacts(&c->opt, &c->a->quad, &pa, &c->b->quad, &pb, &mem, NULL, T*T, list, &n, NULL) != DQ_OK) return 0;
    for (k = 0; k < n; ++k)
        if (list[k].triangle_a == c->triangle_a && list[k].triangle_b == c->triangle_b) {
            c->found = list[k];
            *f = list[k].weight;
            return 1;
        }
    return 0;
}

/* LRI Eq. 3 at a plane, in quad: what a plane is worth */
static dq_real at_plane(const contact_case *c, dc_plane p)
{
    dq_pose pose[2];
    dq_real r = sqrtq((dq_real)p.n.x*p.n.x + (dq_real)p.n.y*p.n.y + (dq_real)p.n.z*p.n.z), sum, l = c->opt.length;
    int i, k;
    pose[0] = audit_pose(&c->h->pa, NULL);
    pose[1] = audit_pose(&c->h->pb, NULL);
    sum = 12/(1 - r);
    for (i = 0; i < 2; ++i)
        for (k = 0; k < 3; ++k) {
            const dq_v3 *v = i ? c->h->qb : c->h->qa;
            const body *b = i ? c->b : c->a;
            dq_v3 x = dq_pose_apply(pose[i], v[b->tri[3*(i ? c->triangle_b : c->triangle_a) + k]]);
            dq_real a = (x.x*p.n.x + x.y*p.n.y + x.z*p.n.z + p.d)*(i ? -1 : 1)/l;
            if (!(a > 0)) return HUGE_VALQ;
            sum += 1/a;
        }
    return sum;
}

/* The first contact of a pair: its weight's gradient; its value, forces and plane against the copy's. A plane is as good as the
 * potential at it. */
static void contacts(long n)
{
    int class;
    for (class = 0; class < BSH_CLASSES; ++class) {
        audit_row *row = audit_of("dc_bsh_contacts", name_of(class));
        long k;
        if (class == APART) continue;           /* there are none */
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static hulls h;
            static body a, b;
            static dc_bsh_contact list[T*T];
            static contact_case c;
            rng r = audit_draw(row, k);
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_bsh_options opt = DC_ZERO;
            dc_real out[24];
            dq_real zero[12] = {0}, weight = 0, worth;
            double most, bar;
            dc_status s;
            int i, j, count = 0, ok;
            if (!bodies_draw(&r, class, &h, &a, &b)) continue;
            memset(&c, 0, sizeof c);
            c.h = &h;
            c.a = &a;
            c.b = &b;
            opt.length = (dc_real)h.size;
            opt.eps = (dc_real)(k%2 ? rng_log(&r, 0.1, 5) : 0.5);
            c.opt.length = opt.length;
            c.opt.eps = opt.eps;
            s = dc_bsh_contacts(&opt, &a.tree, &h.pa, &b.tree, &h.pb, &mem, NULL, T*T, list, &count, NULL);
            if (s == DC_OK && count == 0) continue;
            i = s == DC_OK ? rng_int(&r, 0, count - 1) : 0;
            c.triangle_a = list[i].triangle_a;
            c.triangle_b = list[i].triangle_b;
            ok = s == DC_OK && contact_weight(zero, &weight, &c);
            audit_rounding = h.rounding;
            bar = AUDIT_BAR + 32*(double)DC_EPS*h.rounding/fmin(h.gap, 1);
            if (ok) {
                /* the weight is 1 less a number that is rounded: its last place is that of 1, and makes a part of it large
                 * where the weight is small */
                double loose = 4*bar + 4*(double)DC_EPS/(double)weight;
                worth = at_plane(&c, list[i].plane)*weight;
                ok = (double)fabsq(weight - list[i].weight) <= 4*bar
                    && (double)fabsq(list[i].value - c.found.value) <= loose*(double)worth
                    && (double)(worth - c.found.value) <= 4*bar*(double)worth;
                for (j = 0, most = 0; j < 6; ++j) most = fmax(most, (double)c.found.force[j]);
                for (j = 0; j < 6; ++j) ok = ok && (double)fabsq(c.found.force[j] - list[i].force[j]) <= loose*most;
                memcpy(out, list[i].weight_grad, sizeof list[i].weight_grad);
                memcpy(out + 12, list[i].force, sizeof list[i].force);
                out[18] = list[i].weight;
                out[19] = list[i].value;
                out[20] = list[i].plane.d;
                out[21] = list[i].plane.n.x;
                out[22] = list[i].plane.n.y;
                out[23] = list[i].plane.n.z;
            }
            audit_call(row, s, ok, ok ? out : NULL, 24);
            if (ok && list[i].weight < 1)
                audit_scalar(row, row, contact_weight, &c, 12, h.scale, list[i].weight_grad, NULL, 1e-7*fmin(h.gap, 1), 1, &r);
        }
    }
}

int main(int argc, char **argv)
{
    if (!audit_begin(argc, argv)) return 1;
    audit_least = 4;
    bsh_eval(PAPER, "dc_bsh_eval, paper", 200);
    bsh_eval(WEIGHTED, "dc_bsh_eval, weighted", 200);
    bsh_eval(MARGIN, "dc_bsh_eval, eps, length", 100);
    bsh_eval(CACHED, "dc_bsh_eval, cache", 60);
    bsh_eval(BRUTE, "dc_bsh_brute", 60);
    bands("dc_bsh_eval, roots, paper", 0, 300);
    bands("dc_bsh_eval, roots, weighted", 1, 300);
    scene(150);
    contacts(100);
    return !audit_end();
}
