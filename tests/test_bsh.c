/* The hierarchy and its potential against 60-digit tables, against Algorithm 1 written as it stands, and against differences. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#include "dc_bsh.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "mesh.h"
#include "naive_bsh.h"

static unsigned char memory[1 << 22], scratch[1 << 19];

static dc_arena fresh(void) { return dc_arena_make(scratch, sizeof scratch); }

static dc_pose pose_make(dc_v3 w, dc_v3 t)
{
    dc_pose p;
    p.q = dc_quat_exp(w);
    p.t = t;
    return p;
}

/* ---- tables ------------------------------------------------------------------------------------- */

#define TABLE_TRIANGLES 80

typedef struct {
    double o[3], x[3*TABLE_TRIANGLES], R[2*TABLE_TRIANGLES];
    int nv, nt, nn, tri[3*TABLE_TRIANGLES], child[4*TABLE_TRIANGLES];
} table_body;

static void read_body(table *t, table_body *b)
{
    int k, l, r, tri;
    table_expect(t, "BODY");
    table_int(t, &b->nv);
    table_int(t, &b->nt);
    table_int(t, &b->nn);
    table_expect(t, "ORIGIN");
    table_reals(t, b->o, 3);
    table_expect(t, "V");
    table_reals(t, b->x, 3*(size_t)b->nv);
    table_expect(t, "T");
    for (k = 0; k < 3*b->nt; ++k) table_int(t, b->tri + k);
    table_expect(t, "NODES");
    for (k = 0; k < b->nn; ++k) {
        table_int(t, &l);
        table_int(t, &r);
        table_int(t, &tri);
        table_real(t, b->R + k);
        b->child[2*k] = l;
        b->child[2*k + 1] = l < 0 ? tri : r;
    }
}

/* Largest relative difference of the radii, tree and table walked side by side. */
static double radii_error(const dc_bsh *t, const table_body *b, int node, int row)
{
    const dc_bsh_node *q = t->node + node;
    double e = fabs((double)q->R - b->R[row])/b->R[row];
    if (b->child[2*row] < 0) return q->left < 0 && q->triangle == b->child[2*row + 1] ? e : HUGE_VAL;
    if (q->left < 0) return HUGE_VAL;
    e = fmax(e, radii_error(t, b, q->left, b->child[2*row]));
    return fmax(e, radii_error(t, b, q->right, b->child[2*row + 1]));
}

TEST tables(void)
{
    static table_body body[2];
    static dc_v3 v[TABLE_TRIANGLES];
    worst eR = worst_make("radii"), eP = worst_make("value"), eG = worst_make("gradient"), eH = worst_make("Hessian");
    worst eB = worst_make("brute force, value"), eBG = worst_make("brute force, gradient"), eO = worst_make("value without, with derivatives");
    table t;
    char name[64], word[64];
    ASSERT(table_open(&t, "lri_bsh.txt"));
    while (table_word(&t, name)) {
        dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
        dc_bsh tree[2];
        dc_pose pose[2];
        dc_bsh_options o = DC_ZERO;
        dc_bsh_info info;
        dc_real P, P2, g[12], g2[12], H[144];
        double x, value, grad[12], hess[144], L = 0, cond, gap;
        int stats[6], k, i, n;
        ASSERT(strcmp(name, "CASE") == 0);
        table_word(&t, name);
        table_expect(&t, "TYPE");
        table_expect(&t, "BSH");
        table_expect(&t, "PARAM");
        table_real(&t, &x);
        o.eps = (dc_real)x;
        for (i = 0; i < 2; ++i) {
            read_body(&t, body + i);
            pose[i] = pose_make(dc_vec(0, 0, 0), dc_vec((dc_real)body[i].o[0], (dc_real)body[i].o[1], (dc_real)body[i].o[2]));
            for (k = 0; k < body[i].nv; ++k) {
                const double *p = body[i].x + 3*k, *c = body[i].o;
                v[k] = dc_vec((dc_real)(p[0] - c[0]), (dc_real)(p[1] - c[1]), (dc_real)(p[2] - c[2]));
                L = fmax(L, fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))));
            }
            ASSERT_EQ(DC_OK, dc_bsh_build_from(v, body[i].nv, body[i].tri, body[i].nt, body[i].child, &mem, tree + i, NULL));
            worst_add(&eR, radii_error(tree + i, body + i, 0, 0)/EPS, "%s body %d", name, i);
        }
        table_expect(&t, "STATS");
        for (k = 0; k < 6; ++k) table_int(&t, stats + k);
        table_expect(&t, "VALUE");
        table_real(&t, &value);
        table_expect(&t, "GRAD");
        for (k = 0; k < 3*(body[0].nv + body[1].nv); ++k) table_real(&t, &x);
        table_expect(&t, "RIGIDGRAD");
        table_reals(&t, grad, 12);
        table_expect(&t, "RIGIDHESS");
        table_int(&t, &n);
        if (n) read_symmetric(&t, hess, 12);
        table_expect(&t, "HV");
        table_int(&t, &i);
        if (i) {
            table_expect(&t, "V");
            for (k = 0; k < 3*(body[0].nv + body[1].nv); ++k) table_real(&t, &x);
            table_expect(&t, "HVV");
            for (k = 0; k < 3*(body[0].nv + body[1].nv); ++k) table_real(&t, &x);
        }

        gap = atof(strstr(name, "gap") + 3);
        cond = EPS*(1 + 3*L/gap + 3/(double)o.eps);    /* of the pairs; of phi, which changes over eps d1 */
        ASSERT_EQ(DC_OK, dc_bsh_eval(&o, tree, pose, tree + 1, pose + 1, &tmp, NULL, &P, g, n ? H : NULL, &info));
        ASSERT(info.leaf_near == (size_t)stats[0] && info.leaf_blended == (size_t)stats[1] && info.leaf_far == (size_t)stats[2]);
        ASSERT(info.inner_near == (size_t)stats[3] && info.inner_blended == (size_t)stats[4] && info.inner_far == (size_t)stats[5]);
        worst_add(&eP, relative_error(&P, &value, 1)/cond, "%s", name);
        worst_add(&eG, relative_error(g, grad, 12)/cond, "%s", name);
        if (n) worst_add(&eH, relative_error(H, hess, 144)/cond, "%s", name);
        ASSERT_EQ(DC_OK, dc_bsh_eval(&o, tree, pose, tree + 1, pose + 1, &tmp, NULL, &P2, NULL, NULL, NULL));
        worst_add(&eO, fabs((double)(P2 - P))/fabs((double)P)/cond, "%s", name);
        ASSERT_EQ(DC_OK, dc_bsh_eval(&o, tree, pose, tree + 1, pose + 1, &tmp, NULL, NULL, g2, NULL, NULL));
        worst_add(&eG, relative_error(g2, grad, 12)/cond, "%s without Hessian", name);

        table_expect(&t, "BRUTE");
        table_int(&t, &n);
        if (n) {
            table_real(&t, &value);
            table_expect(&t, "BRUTERIGIDGRAD");
            table_reals(&t, grad, 12);
            ASSERT_EQ(DC_OK, dc_bsh_brute(NULL, tree, pose, tree + 1, pose + 1, &tmp, &P, g, NULL, NULL));
            worst_add(&eB, relative_error(&P, &value, 1)/cond, "%s", name);
            worst_add(&eBG, relative_error(g, grad, 12)/cond, "%s", name);
        }
        ASSERT(table_word(&t, word) && strcmp(word, "END") == 0);
        ASSERT(tmp.used == 0);
    }
    table_close(&t);
    ASSERT(worst_print(&eR, 4));
    ASSERT(worst_print(&eP, 1) & worst_print(&eG, 2) & worst_print(&eH, 4));
    ASSERT(worst_print(&eB, 1) & worst_print(&eBG, 2) & worst_print(&eO, 1));
    PASS();
}

/* ---- trees --------------------------------------------------------------------------------------- */

static mesh shape;

/* Shapes by number; their counts of triangles. */
#define SHAPES 12
static const char *shape_make(int k)
{
    switch (k) {
    case 0: mesh_icosphere(&shape, 0); return "ico 20";
    case 1: mesh_icosphere(&shape, 1); return "ico 80";
    case 2: mesh_box(&shape, 1); return "box 12";
    case 3: mesh_box(&shape, 3); return "box 108";
    case 4: mesh_plate(&shape, 1); return "plate 2";
    case 5: mesh_plate(&shape, 8); return "plate 128";
    case 6: mesh_torus(&shape, 10, 6, 0.4); return "torus 120";
    case 7: mesh_sphere(&shape, 4, 5); return "sphere 32";
    case 8: mesh_icosphere(&shape, 3); return "ico 1280";
    case 9: mesh_box(&shape, 10); return "box 1200";
    case 10: mesh_plate(&shape, 25); return "plate 1250";
    default: mesh_torus(&shape, 32, 20, 0.3); return "torus 1280";
    }
}

/* What Definition 5.3 says of a node, the long way: its triangles, then their distinct vertices. */
static int below(const dc_bsh *t, int node, int *list)
{
    const dc_bsh_node *q = t->node + node;
    int n;
    if (q->left < 0) {
        list[0] = q->triangle;
        return 1;
    }
    n = below(t, q->left, list);
    return n + below(t, q->right, list + n);
}

static int depth_of(const dc_bsh *t, int node)
{
    const dc_bsh_node *q = t->node + node;
    int l, r;
    if (q->left < 0) return 0;
    l = depth_of(t, q->left);
    r = depth_of(t, q->right);
    return 1 + (l > r ? l : r);
}

TEST trees_are_what_the_definition_says(void)
{
    static int list[MESH_TRIANGLES], mark[MESH_VERTICES];
    worst centre = worst_make("centre"), radius = worst_make("radius"), held = worst_make("corner beyond the sphere");
    int s;
    for (s = 0; s < SHAPES; ++s) {
        const char *name = shape_make(s);
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_bsh t;
        double size;
        int k, i, j, ceil_log = 0;
        ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL));
        ASSERT_EQ(shape.nt, t.n);
        while ((1 << ceil_log) < shape.nt) ++ceil_log;
        ASSERT_EQ(ceil_log, t.depth);
        ASSERT_EQ(ceil_log, depth_of(&t, 0));
        size = mesh_extent(&shape);
        memset(mark, 0, sizeof mark);
        for (k = 0; k < 2*t.n - 1; ++k) {
            const dc_bsh_node *q = t.node + k;
            double c[3] = {0, 0, 0}, R = 0, o[3];
            int n = below(&t, k, list), distinct = 0;
            ASSERT_EQ(n, q->count);
            ASSERT(k > 0 || n == t.n);
            ASSERT((q->left < 0) == (n == 1) && (q->left < 0) == (q->right < 0) && (q->left < 0) == (q->triangle >= 0));
            ASSERT(q->left < 0 || (q->left > k && q->right > k && q->right < 2*t.n - 1));
            for (i = 0; i < 3*n; ++i) {
                int v = shape.tri[3*list[i/3] + i%3];
                ASSERT(k > 0 || mark[v] != -1 || n > 0);
                if (mark[v] == k + 1) continue;
                mark[v] = k + 1;
                c[0] += (double)shape.v[v].x;
                c[1] += (double)shape.v[v].y;
                c[2] += (double)shape.v[v].z;
                ++distinct;
            }
            o[0] = (double)t.o.x + (double)q->c.x;
            o[1] = (double)t.o.y + (double)q->c.y;
            o[2] = (double)t.o.z + (double)q->c.z;
            for (j = 0; j < 3; ++j) worst_add(&centre, fabs(c[j]/distinct - o[j])/(EPS*size), "%s node %d", name, k);
            for (j = 0; q->left >= 0 && j < 2; ++j) {
                const dc_bsh_node *child = t.node + (j ? q->right : q->left);
                double x = (double)child->c.x - (double)q->c.x, y = (double)child->c.y - (double)q->c.y, z = (double)child->c.z - (double)q->c.z;
                R = fmax(R, sqrt(x*x + y*y + z*z) + (double)child->R);
            }
            for (i = 0; i < 3*n; ++i) {
                const dc_v3 *p = t.corner + 3*list[i/3] + i%3;
                double x = (double)p->x - (double)q->c.x, y = (double)p->y - (double)q->c.y, z = (double)p->z - (double)q->c.z, r = sqrt(x*x + y*y + z*z);
                if (q->left < 0) R = fmax(R, r);
                worst_add(&held, (r - (double)q->R)/(EPS*size), "%s node %d", name, k);
            }
            worst_add(&radius, fabs((double)q->R - R)/(EPS*size), "%s node %d", name, k);
        }
        /* every triangle once, at the root */
        below(&t, 0, list);
        memset(mark, 0, sizeof mark);
        for (k = 0; k < t.n; ++k) ASSERT(mark[list[k]]++ == 0);
    }
    ASSERT(worst_print(&centre, 8) & worst_print(&radius, 4) & worst_print(&held, 4));
    PASS();
}

/* ---- Algorithm 1 as printed ----------------------------------------------------------------------- */

/* Body a at the gap of the convex hulls along a random direction; plates face each other, shifted. */
static int place(rng *r, const dc_bsh *a, const dc_bsh *b, int flat, double gap, dc_pose *pa, dc_pose *pb)
{
    static dc_v3 va[3*MESH_TRIANGLES], vb[3*MESH_TRIANGLES];
    dc_hull ha = DC_ZERO, hb = DC_ZERO;
    double w[3], u[3];
    int k;
    for (k = 0; k < 3; ++k) w[k] = rng_uniform(r, -2, 2);
    rng_unit3(r, u);
    if (flat) {
        w[0] = w[1] = w[2] = 0;
        u[0] = 0.05;
        u[1] = 0.03;
        u[2] = 1;
    }
    *pa = pose_make(dc_vec((dc_real)w[0], (dc_real)w[1], (dc_real)w[2]), dc_vec((dc_real)(6*u[0]), (dc_real)(6*u[1]), (dc_real)(6*u[2])));
    *pb = pose_make(dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(-0.2), DC_R(0.3)));
    for (k = 0; k < 3*a->n; ++k) va[k] = dc_add(a->corner[k], a->o);
    for (k = 0; k < 3*b->n; ++k) vb[k] = dc_add(b->corner[k], b->o);
    ha.v = va;
    ha.n = 3*a->n;
    hb.v = vb;
    hb.n = 3*b->n;
    for (k = 0; k < 3; ++k) {
        dc_distance d = DC_ZERO;
        if (dc_hull_distance(&ha, pa, &hb, pb, NULL, &d) != DC_OK) return 0;
        pa->t = dc_madd(pa->t, (dc_real)gap - d.gap, d.n);
    }
    return 1;
}

TEST equals_the_recursion(void)
{
    static const double gaps[5] = {0.01, 0.1, 0.5, 2, 10}, margins[4] = {0.1, 0.5, 1, 2};
    worst eP = worst_make("value"), eG = worst_make("gradient"), eH = worst_make("Hessian"), eV = worst_make("value alone"), eD = worst_make("gradient alone");
    double bar = 1e-12/DBL_EPSILON;
    long total = SHAPES*5*4*2, count = sweep_count(total), i, step;
    rng r;
    rng_seed(&r, 4);
    for (step = 0; step < count; ++step) {
        long pick = (step*389)%total;           /* 389 is prime to the total: every case once */
        int s = (int)(pick%SHAPES), ig = (int)(pick/SHAPES%5), im = (int)(pick/SHAPES/5%4);
        dc_bsh_options o = DC_ZERO;
        dc_bsh t[2];
        dc_pose pa, pb;
        dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
        static naive_sum N;
        naive_bsh n;
        dc_bsh_info info;
        dc_real P, g[12], H[144], P2, g2[12];
        double want[144], e = EPS*(1 + 1/margins[im]);
        const char *name = shape_make(s);
        char where[80];
        o.weighted = (int)(pick/SHAPES/20);
        o.eps = (dc_real)margins[im];
        ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, t, NULL));
        t[1] = t[0];
        if (s%3 == 0) {                         /* two different bodies */
            shape_make(7);
            ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, t + 1, NULL));
        }
        ASSERT(place(&r, t, t + 1, name[0] == 'p' && s%3 != 0, gaps[ig], &pa, &pb));
        if (step%3 == 0) {                      /* far from the world's origin */
            pa.t = dc_add(pa.t, dc_vec(8, -16, 32));
            pb.t = dc_add(pb.t, dc_vec(8, -16, 32));
        }
        n.a = t;
        n.b = t + 1;
        n.pa = pa;
        n.pb = pb;
        n.want = 2;
        n.mem = &tmp;
        ASSERT_EQ(DC_OK, naive_eval(&n, &o, &N));
        ASSERT_EQ(DC_OK, dc_bsh_eval(&o, t, &pa, t + 1, &pb, &tmp, NULL, &P, g, H, &info));
        ASSERT_EQ(DC_OK, dc_bsh_eval(&o, t, &pa, t + 1, &pb, &tmp, NULL, &P2, NULL, NULL, NULL));
        ASSERT_EQ(DC_OK, dc_bsh_eval(&o, t, &pa, t + 1, &pb, &tmp, NULL, NULL, g2, NULL, NULL));
        sprintf(where, "%s gap %g eps %g weighted %d", name, gaps[ig], margins[im], o.weighted);
        to_double(&N.P, want, 1);
        worst_add(&eP, relative_error(&P, want, 1)/e, "%s", where);
        worst_add(&eV, relative_error(&P2, want, 1)/e, "%s", where);
        to_double(N.g, want, 12);
        worst_add(&eG, relative_error(g, want, 12)/e, "%s", where);
        worst_add(&eD, relative_error(g2, want, 12)/e, "%s", where);
        to_double(N.H, want, 144);
        worst_add(&eH, relative_error(H, want, 144)/e, "%s", where);
        if (!DC_IS_FLOAT) {     /* in float a pair may fall on the other side of d1 or d2 */
            ASSERT(info.leaf_near == (size_t)n.pairs[0] && info.leaf_blended == (size_t)n.pairs[1] && info.leaf_far == (size_t)n.pairs[2]);
            ASSERT(info.inner_near == (size_t)n.pairs[3] && info.inner_blended == (size_t)n.pairs[4] && info.inner_far == (size_t)n.pairs[5]);
        }
        for (i = 0; i < 12; ++i) {
            int j;
            for (j = 0; j < 12; ++j) ASSERT(H[12*i + j] >= H[12*j + i] && H[12*i + j] <= H[12*j + i]);
        }
    }
    ASSERT(worst_print(&eP, bar) & worst_print(&eG, bar) & worst_print(&eH, bar) & worst_print(&eV, bar) & worst_print(&eD, bar));
    PASS();
}

/* ---- differences ------------------------------------------------------------------------------------ */

typedef struct { const dc_bsh *a, *b; dc_pose pa, pb; dc_bsh_options o; int failed; } moved;

static void move(const moved *m, const double *x, dc_pose *pa, dc_pose *pb)
{
    dc_real xi[12];
    int k;
    for (k = 0; k < 12; ++k) xi[k] = (dc_real)x[k];
    *pa = dc_pose_retract(m->pa, xi);
    *pb = dc_pose_retract(m->pb, xi + 6);
}

static void value_of_twist(const double *x, double *f, void *user)
{
    moved *m = (moved *)user;
    dc_arena tmp = fresh();
    dc_pose pa, pb;
    dc_real P = 0;
    move(m, x, &pa, &pb);
    if (dc_bsh_eval(&m->o, m->a, &pa, m->b, &pb, &tmp, NULL, &P, NULL, NULL, NULL) != DC_OK) m->failed = 1;
    *f = (double)P;
}

/* The gradient by the coordinates x, not by the twist at the moved pose: dF/dw = J_l(w)^T g_w. */
static void gradient_of_twist(const double *x, double *f, void *user)
{
    moved *m = (moved *)user;
    dc_arena tmp = fresh();
    dc_pose pa, pb;
    dc_real g[12] = {0};
    int k;
    move(m, x, &pa, &pb);
    if (dc_bsh_eval(&m->o, m->a, &pa, m->b, &pb, &tmp, NULL, NULL, g, NULL, NULL) != DC_OK) m->failed = 1;
    for (k = 0; k < 12; k += 6) {
        dc_m3 J = dc_so3_jl(dc_vec((dc_real)x[k + 3], (dc_real)x[k + 4], (dc_real)x[k + 5]));
        dc_v3 w = dc_mul_t(&J, dc_vec(g[k + 3], g[k + 4], g[k + 5]));
        f[k] = (double)g[k];
        f[k + 1] = (double)g[k + 1];
        f[k + 2] = (double)g[k + 2];
        f[k + 3] = (double)w.x;
        f[k + 4] = (double)w.y;
        f[k + 5] = (double)w.z;
    }
}

/* Distance of the root centres in units of the root's blend band: 0 at d1, 1 at d2. */
static void set_band(moved *m, double band, dc_v3 way)
{
    dc_v3 ca = dc_pose_apply(m->pa, m->a->o), cb = dc_pose_apply(m->pb, m->b->o);
    double d1 = (double)(m->a->node->R + m->b->node->R), r = d1*(1 + band*(double)m->o.eps);
    m->pa.t = dc_add(m->pa.t, dc_add(dc_sub(cb, ca), dc_scale((dc_real)r/dc_sqrt(dc_dot(way, way)), way)));
}

TEST derivatives_are_those_of_the_value(void)
{
    /* inside the root's band, at its edges, beyond them */
    static const double bands[7] = {-0.6, -0.2, 0, 0.3, 0.8, 1, 1.4};
    worst err = worst_make("differences"), order = worst_make("missing order");
    long count = sweep_count(42), i;
    rng r;
    if (DC_IS_FLOAT) SKIPm("differences of float values have too few digits: the recursion checks float");
    rng_seed(&r, 12);
    for (i = 0; i < count; ++i) {
        static const int shapes[3] = {6, 3, 1};
        static const double zero[12] = {0};
        dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
        dc_bsh t[2];
        moved m;
        dc_real P, dg[12], dH[144];
        double g[12], H[144], u[3], band = bands[i%7];
        fd_result f;
        memset(&m, 0, sizeof m);
        shape_make(shapes[i%3]);
        ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, t, NULL));
        shape_make(i%2 ? 0 : 7);
        ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, t + 1, NULL));
        m.a = t;
        m.b = t + 1;
        m.o.eps = (dc_real)(i%4 < 2 ? 0.5 : 1.0);
        m.o.weighted = (int)(i/7%2);
        m.o.length = (dc_real)(i%5 == 0 ? 0.3 : 0.0);
        u[0] = rng_uniform(&r, -1, 1);
        u[1] = rng_uniform(&r, -1, 1);
        u[2] = rng_uniform(&r, -1, 1);
        m.pa = pose_make(dc_vec((dc_real)u[0], (dc_real)u[1], (dc_real)u[2]), dc_vec(0, 0, 0));
        m.pb = pose_make(dc_vec((dc_real)u[2], (dc_real)u[0], (dc_real)u[1]), dc_vec(DC_R(0.3), 1, DC_R(-0.4)));
        rng_unit3(&r, u);
        set_band(&m, band, dc_vec((dc_real)u[0], (dc_real)u[1], (dc_real)u[2]));
        if (dc_bsh_eval(&m.o, m.a, &m.pa, m.b, &m.pb, &tmp, NULL, &P, dg, dH, NULL) == DC_E_OVERLAP) continue;
        to_double(dg, g, 12);
        to_double(dH, H, 144);
        f = fd_check(value_of_twist, &m, 12, zero, 1, g, 1e-3);
        worst_add(&err, f.err, "case %ld band %g gradient", i, band);
        worst_add(&order, 2 - f.order, "case %ld band %g gradient", i, band);
        f = fd_check(gradient_of_twist, &m, 12, zero, 12, H, 1e-3);
        if (i%7 != 2 && i%7 != 5) {         /* at the edges the third derivative jumps: next test */
            worst_add(&err, f.err, "case %ld band %g Hessian", i, band);
            worst_add(&order, 2 - f.order, "case %ld band %g Hessian", i, band);
        }
        ASSERT_EQ(0, m.failed);
    }
    ASSERT(worst_print(&err, 1e-7) & worst_print(&order, 0.3));
    PASS();
}

/* Theorem 5.4: across d1 and d2 of the root pair the difference of the Hessians falls with the distance to the edge. */
TEST hessian_is_continuous_across_the_bands(void)
{
    worst jump = worst_make("Hessian across an edge, difference over step"), fall = worst_make("its fall over the fall of the step");
    long count = sweep_count(24), i;
    rng r;
    if (DC_IS_FLOAT) SKIPm("steps across the edge need more digits");
    rng_seed(&r, 54);
    for (i = 0; i < count; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
        double edge = (double)(i%2), u[3], rough[3], step = 1e-2, scale = 0;
        dc_bsh t;
        moved m;
        int k, j;
        memset(&m, 0, sizeof m);
        shape_make(i%3 ? 1 : 6);
        ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL));
        m.a = m.b = &t;
        m.o.eps = (dc_real)(i%4 < 2 ? 0.5 : 2.0);
        m.o.weighted = (int)(i/12%2);
        m.pb = pose_make(dc_vec(1, 2, 3), dc_vec(0, 0, 0));
        rng_unit3(&r, u);
        for (k = 0; k < 3; ++k, step /= 16) {
            dc_real H[2][144];
            double d = 0;
            for (j = 0; j < 2; ++j) {
                m.pa = pose_make(dc_vec(1, 0, 0), dc_vec(0, 0, 0));
                set_band(&m, edge + (j ? step : -step), dc_vec((dc_real)u[0], (dc_real)u[1], (dc_real)u[2]));
                ASSERT_EQ(DC_OK, dc_bsh_eval(&m.o, m.a, &m.pa, m.b, &m.pb, &tmp, NULL, NULL, NULL, H[j], NULL));
            }
            for (j = 0; j < 144; ++j) {
                d = fmax(d, fabs((double)(H[1][j] - H[0][j])));
                if (k == 0) scale = fmax(scale, fmax(fabs((double)H[0][j]), fabs((double)H[1][j])));
            }
            rough[k] = d/scale;
            worst_add(&jump, rough[k]/step, "case %ld edge %g step %g", i, edge, step);
        }
        worst_add(&fall, 16*rough[1]/rough[0], "case %ld edge %g", i, edge);
        worst_add(&fall, 16*rough[2]/rough[1], "case %ld edge %g", i, edge);
    }
    ASSERT(worst_print(&jump, 200) & worst_print(&fall, 2));
    PASS();
}

/* ---- warm starts, contacts, scenes ------------------------------------------------------------------- */

TEST warm_starts_change_nothing_but_rounding(void)
{
    static unsigned char store[1 << 19];
    worst eP = worst_make("value"), eG = worst_make("gradient"), eH = worst_make("Hessian");
    double cold = 0, warm = 0;
    long count = sweep_count(60), i;
    rng r;
    rng_seed(&r, 77);
    for (i = 0; i < count; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory), keep = dc_arena_make(store, sizeof store), tmp = fresh();
        dc_bsh t;
        dc_bsh_cache cache;
        dc_bsh_info info;
        dc_pose pa, pb;
        dc_real P = 0, g[12], H[144], P2 = 0, g2[12], H2[144];
        double want[144];
        int k, small = i%3 == 2;
        shape_make(i%2 ? 5 : 6);
        ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL));
        ASSERT_EQ(DC_OK, dc_bsh_cache_make(small ? 50 : 5000, &keep, &cache));
        ASSERT(place(&r, &t, &t, (int)(i%2), 0.02, &pa, &pb));
        for (k = 0; k < 4; ++k) {
            dc_real xi[12];
            size_t solves;
            int j;
            ASSERT_EQ(DC_OK, dc_bsh_eval(NULL, &t, &pa, &t, &pb, &tmp, &cache, &P, g, H, &info));
            solves = info.leaf_near + info.leaf_blended;
            ASSERT(k > 0 || info.warm == 0);
            if (k > 0 && !small) {
                warm += (double)info.warm;
                cold += (double)(solves - info.warm);
            }
            ASSERT_EQ(DC_OK, dc_bsh_eval(NULL, &t, &pa, &t, &pb, &tmp, NULL, &P2, g2, H2, &info));
            to_double(&P2, want, 1);
            worst_add(&eP, relative_error(&P, want, 1)/EPS, "case %ld call %d", i, k);
            to_double(g2, want, 12);
            worst_add(&eG, relative_error(g, want, 12)/EPS, "case %ld call %d", i, k);
            to_double(H2, want, 144);
            worst_add(&eH, relative_error(H, want, 144)/EPS, "case %ld call %d", i, k);
            for (j = 0; j < 12; ++j) xi[j] = (dc_real)rng_uniform(&r, -2e-3, 2e-3);
            pa = dc_pose_retract(pa, xi);
            pb = dc_pose_retract(pb, xi + 6);
        }
    }
    printf("  pairs found in a roomy cache: %.0f of %.0f\n", warm, warm + cold);
    ASSERT(warm > 0.9*(warm + cold));
    ASSERT(worst_print(&eP, 100) & worst_print(&eG, 1000) & worst_print(&eH, 1000));
    PASS();
}

/* Every pair of triangles the long way: Eq. 12 and its weight. */
/* Two pairs of bodies in turn, each with its own planes: where its list was made there is one for every triangle pair. */
TEST pairs_share_a_cache(void)
{
    static unsigned char store[1 << 19];
    static dc_bsh_contact list[2000];
    dc_arena mem = dc_arena_make(memory, sizeof memory), keep = dc_arena_make(store, sizeof store), tmp = fresh();
    dc_bsh tree[2];
    dc_bsh_cache cache;
    dc_bsh_info info;
    dc_pose at[2];
    worst e = worst_make("value");
    size_t solves[2], together;
    int k, count, round;
    for (k = 0; k < 2; ++k) {
        shape_make(k ? 6 : 5);
        ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, tree + k, NULL));
        at[k] = pose_make(dc_vec(0, 0, 1), dc_vec(DC_R(0.1), DC_R(0.3)*(dc_real)k, DC_R(0.9)));
    }
    ASSERT_EQ(DC_OK, dc_bsh_cache_make(5000, &keep, &cache));
    for (k = 0; k < 2; ++k) {
        cache.pair = (unsigned)k;
        ASSERT_EQ(DC_OK, dc_bsh_contacts(NULL, tree, at + k, tree + 1, NULL, &tmp, &cache, 2000, list, &count, &info));
        ASSERT(count > 0 && info.warm == 0);
        solves[k] = info.leaf_near + info.leaf_blended;
    }
    ASSERT(solves[0] != solves[1]);
    together = solves[0] + solves[1];
    ASSERT(together < 2000);
    for (round = 0; round < 2; ++round)
        for (k = 0; k < 2; ++k) {
            dc_real P, plain;
            double want;
            cache.pair = (unsigned)k;
            ASSERT_EQ(DC_OK, dc_bsh_eval(NULL, tree, at + k, tree + 1, NULL, &tmp, &cache, &P, NULL, NULL, &info));
            ASSERT(info.warm == solves[k]);
            ASSERT_EQ(DC_OK, dc_bsh_eval(NULL, tree, at + k, tree + 1, NULL, &tmp, NULL, &plain, NULL, NULL, &info));
            to_double(&plain, &want, 1);
            worst_add(&e, relative_error(&P, &want, 1)/EPS, "pair %d round %d", k, round);
        }
    ASSERT(worst_print(&e, 8));
    PASS();
}

TEST contacts_are_the_close_pairs(void)
{
    static dc_bsh_contact list[20000];
    static unsigned char seen[400*400];
    worst eW = worst_make("weight"), eP = worst_make("value"), eF = worst_make("force"), eD = worst_make("gradient of the weight");
    worst room = worst_make("plane does not separate"), agree = worst_make("plane against dc_pair");
    long count = sweep_count(20), i;
    rng r;
    rng_seed(&r, 31);
    for (i = 0; i < count; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
        dc_bsh_options o = DC_ZERO;
        dc_bsh t;
        dc_pose pa, pb;
        dc_bsh_info info;
        int n = -1, m = -1, k, a, b, close = 0;
        double margin = i%3 ? 0.5 : 1;
        o.eps = (dc_real)margin;
        o.length = i%2 ? DC_R(2.0) : DC_R(0.0);
        shape_make(i%2 ? 5 : 6);
        ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL));
        ASSERT(place(&r, &t, &t, (int)(i%2), 0.05, &pa, &pb));
        ASSERT_EQ(DC_E_MEMORY, dc_bsh_contacts(&o, &t, &pa, &t, &pb, &tmp, NULL, 0, NULL, &m, NULL));
        ASSERT_EQ(DC_OK, dc_bsh_contacts(&o, &t, &pa, &t, &pb, &tmp, NULL, 20000, list, &n, &info));
        ASSERT(n == m && n > 10 && (size_t)n == info.leaf_near + info.leaf_blended);
        memset(seen, 0, sizeof seen);
        for (k = 0; k < n; ++k) {
            const dc_bsh_contact *c = list + k;
            dc_v3 va[3], vb[3], wa[3], wb[3], xa = dc_vec(0, 0, 0), xb = xa, e;
            dc_hull ha = DC_ZERO, hb = DC_ZERO;
            dc_plane plane = DC_ZERO;
            dc_pair_options po = DC_ZERO;
            dc_real P, g[18];
            double r0, d1 = 0, d2 = 0, phi, want, scale = 0;
            int j;
            a = c->triangle_a;
            b = c->triangle_b;
            ASSERT(a >= 0 && a < t.n && b >= 0 && b < t.n && !seen[400*a + b]);
            seen[400*a + b] = 1;
            for (j = 0; j < 3; ++j) {
                va[j] = dc_pose_apply(pa, shape.v[shape.tri[3*a + j]]);
                vb[j] = dc_pose_apply(pb, shape.v[shape.tri[3*b + j]]);
                xa = dc_madd(xa, DC_R(1.0/3.0), va[j]);
                xb = dc_madd(xb, DC_R(1.0/3.0), vb[j]);
            }
            for (j = 0; j < 3; ++j) {
                wa[j] = dc_sub(va[j], xa);
                wb[j] = dc_sub(vb[j], xb);
                d1 = fmax(d1, sqrt((double)dc_dot(wa[j], wa[j])));
                d2 = fmax(d2, sqrt((double)dc_dot(wb[j], wb[j])));
            }
            d1 += d2;
            e = dc_sub(xa, xb);
            r0 = sqrt((double)dc_dot(e, e));
            phi = (double)dc_blend((dc_real)((r0 - d1)/(margin*d1)), NULL, NULL);
            worst_add(&eW, fabs((double)c->weight - (1 - phi))/EPS, "case %ld pair %d", i, k);
            ha.v = va;
            hb.v = vb;
            ha.n = hb.n = 3;
            po.length = o.length;
            ASSERT_EQ(DC_OK, dc_pair(&po, &ha, &hb, &tmp, &plane, &P, g, NULL, NULL));
            worst_add(&eP, fabs((double)(c->value - c->weight*P))/(double)P/EPS, "case %ld pair %d", i, k);
            for (j = 0; j < 18; ++j) scale = fmax(scale, fabs((double)g[j]));
            for (j = 0; j < 6; ++j) {
                double f = sqrt((double)(g[3*j]*g[3*j] + g[3*j + 1]*g[3*j + 1] + g[3*j + 2]*g[3*j + 2]));
                worst_add(&eF, fabs((double)c->force[j] - (double)c->weight*f)/scale/EPS, "case %ld pair %d", i, k);
            }
            worst_add(&agree, sqrt((double)dc_dot(dc_sub(c->plane.n, plane.n), dc_sub(c->plane.n, plane.n)))/EPS, "case %ld pair %d", i, k);
            for (j = 0; j < 3; ++j) {
                worst_add(&room, -(double)(dc_dot(c->plane.n, va[j]) + c->plane.d), "case %ld pair %d", i, k);
                worst_add(&room, (double)(dc_dot(c->plane.n, vb[j]) + c->plane.d), "case %ld pair %d", i, k);
            }
            /* gradient of the weight: along the centres, arms about the body origins */
            {
                dc_real phi1;
                dc_v3 u = dc_scale(DC_R(1.0)/(dc_real)r0, e), x, y;
                double want12[12];
                dc_blend((dc_real)((r0 - d1)/(margin*d1)), &phi1, NULL);
                u = dc_scale(-phi1/(dc_real)(margin*d1), u);
                x = dc_cross(dc_sub(xa, pa.t), u);
                y = dc_cross(u, dc_sub(xb, pb.t));
                to_double(&u.x, want12, 3);
                to_double(&x.x, want12 + 3, 3);
                to_double(&y.x, want12 + 9, 3);
                for (j = 0; j < 3; ++j) want12[6 + j] = -want12[j];
                want = 1/(margin*d1);
                for (j = 0; j < 12; ++j) worst_add(&eD, fabs((double)c->weight_grad[j] - want12[j])/want/EPS, "case %ld pair %d", i, k);
            }
        }
        /* no close pair is missing */
        for (a = 0; a < t.n; ++a)
            for (b = 0; b < t.n; ++b) {
                dc_v3 xa = dc_vec(0, 0, 0), xb = xa, e;
                double ra = 0, rb = 0;
                int j;
                for (j = 0; j < 3; ++j) {
                    xa = dc_madd(xa, DC_R(1.0/3.0), t.corner[3*a + j]);
                    xb = dc_madd(xb, DC_R(1.0/3.0), t.corner[3*b + j]);
                }
                for (j = 0; j < 3; ++j) {
                    dc_v3 p = dc_sub(t.corner[3*a + j], xa), q = dc_sub(t.corner[3*b + j], xb);
                    ra = fmax(ra, sqrt((double)dc_dot(p, p)));
                    rb = fmax(rb, sqrt((double)dc_dot(q, q)));
                }
                e = dc_sub(dc_pose_apply(pa, dc_add(xa, t.o)), dc_pose_apply(pb, dc_add(xb, t.o)));
                if (sqrt((double)dc_dot(e, e)) < (1 + margin)*(ra + rb)*(1 - 100*EPS)) {
                    ++close;
                    ASSERT(seen[400*a + b]);
                }
            }
        ASSERT(close > 10);
        /* too small a list: the number, and the first ones */
        {
            dc_bsh_contact first[3];
            m = -1;
            ASSERT_EQ(DC_E_MEMORY, dc_bsh_contacts(&o, &t, &pa, &t, &pb, &tmp, NULL, 3, first, &m, NULL));
            ASSERT_EQ(n, m);
            for (k = 0; k < 3; ++k) ASSERT(first[k].triangle_a >= 0 && first[k].weight > 0 && first[k].weight <= 1);
        }
    }
    ASSERT(worst_print(&eW, 100) & worst_print(&eP, 200) & worst_print(&eF, 1000) & worst_print(&eD, 1000));
    ASSERT(worst_print(&agree, 1000) & worst_print(&room, 0));
    PASS();
}

TEST a_scene_is_the_sum_of_its_pairs(void)
{
    enum { N = 6 };
    static dc_real H[36*N*N], want_H[36*N*N];
    static const int excluded[8] = {0, 1, 0, 1, 4, 2, 3, 3};
    worst eP = worst_make("value"), eG = worst_make("gradient"), eH = worst_make("Hessian");
    dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
    dc_bsh tree[3];
    const dc_bsh *body[N];
    dc_pose pose[N];
    dc_bsh_info info, sum;
    dc_bsh_cache cache;
    dc_real P, g[6*N], want_P = 0, want_g[6*N];
    int i, k, r, c, round;
    double want[36*N*N];
    for (i = 0; i < 3; ++i) {
        shape_make(i == 0 ? 6 : i == 1 ? 2 : 7);
        ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, tree + i, NULL));
    }
    ASSERT_EQ(DC_OK, dc_bsh_cache_make(3000, &mem, &cache));
    for (i = 0; i < N; ++i) {
        body[i] = tree + i%3;
        pose[i] = pose_make(dc_vec((dc_real)i, 1, DC_R(0.5)), dc_vec((dc_real)(2.7*(i%3)), (dc_real)(2.9*(i/3)), (dc_real)(0.1*i)));
    }
    pose[1].t = pose[0].t;      /* a joint: overlap, but excluded */
    memset(want_H, 0, sizeof want_H);
    memset(want_g, 0, sizeof want_g);
    memset(&sum, 0, sizeof sum);
    for (i = 0; i < N; ++i)
        for (k = i + 1; k < N; ++k) {
            dc_real p, pg[12], pH[144];
            if ((i == 0 && k == 1) || (i == 2 && k == 4)) continue;
            ASSERT_EQ(DC_OK, dc_bsh_eval(NULL, body[i], pose + i, body[k], pose + k, &tmp, NULL, &p, pg, pH, &info));
            want_P += p;
            sum.leaf_near += info.leaf_near;
            sum.inner_far += info.inner_far;
            for (r = 0; r < 6; ++r) {
                want_g[6*i + r] += pg[r];
                want_g[6*k + r] += pg[6 + r];
                for (c = 0; c < 6; ++c) {
                    want_H[(6*i + r)*6*N + 6*i + c] += pH[12*r + c];
                    want_H[(6*i + r)*6*N + 6*k + c] += pH[12*r + 6 + c];
                    want_H[(6*k + r)*6*N + 6*i + c] += pH[12*(6 + r) + c];
                    want_H[(6*k + r)*6*N + 6*k + c] += pH[12*(6 + r) + 6 + c];
                }
            }
        }
    for (round = 0; round < 3; ++round) {           /* without a cache, with an empty one, with a full one */
        ASSERT_EQ(DC_OK, dc_bsh_scene(NULL, N, body, pose, 4, excluded, &tmp, round ? &cache : NULL, &P, g, H, &info));
        ASSERT(info.leaf_near == sum.leaf_near && info.inner_far == sum.inner_far && sum.leaf_near > 0);
        ASSERT((info.warm > 0) == (round == 2));
        to_double(&want_P, want, 1);
        worst_add(&eP, relative_error(&P, want, 1)/EPS, "round %d", round);
        to_double(want_g, want, 6*N);
        worst_add(&eG, relative_error(g, want, 6*N)/EPS, "round %d", round);
        to_double(want_H, want, 36*N*N);
        worst_add(&eH, relative_error(H, want, 36*N*N)/EPS, "round %d", round);
        for (r = 0; r < 6; ++r)
            for (c = 0; c < 6; ++c) ASSERT(dc_abs(H[r*6*N + 6 + c]) <= 0 && dc_abs(H[(6 + r)*6*N + c]) <= 0);
        for (i = 0; i < 6*N; ++i)
            for (k = 0; k < 6*N; ++k) ASSERT(H[6*N*i + k] >= H[6*N*k + i] && H[6*N*i + k] <= H[6*N*k + i]);
    }
    ASSERT(worst_print(&eP, 8) & worst_print(&eG, 200) & worst_print(&eH, 200));

    /* not excluded: the pair is named */
    ASSERT_EQ(DC_E_OVERLAP, dc_bsh_scene(NULL, N, body, pose, 2, excluded + 4, &tmp, NULL, &P, g, H, &info));
    ASSERT(info.body_a == 0 && info.body_b == 1 && info.triangle_a >= 0 && info.triangle_b >= 0 && P > DC_REAL_MAX);
    PASS();
}

/* Pairs visited between facing plates and between spheres: linear in the triangles (appendix A.2), and less. The contacts'
 * walk is that of the potential; asked for the number alone it solves nothing. */
static double visits(double gap)
{
    static unsigned char big[1 << 22];
    dc_arena mem = dc_arena_make(big, sizeof big), tmp = fresh();
    dc_bsh t;
    dc_bsh_info info;
    dc_pose p = pose_make(dc_vec(0, 0, 0), dc_vec(DC_R(0.013), DC_R(0.007), (dc_real)gap));
    int n;
    if (dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL) != DC_OK) return HUGE_VAL;
    if (dc_bsh_contacts(NULL, &t, &p, &t, NULL, &tmp, NULL, 0, NULL, &n, &info) == DC_E_ARG) return HUGE_VAL;
    return (double)(info.leaf_near + info.leaf_blended + info.leaf_far + info.inner_near + info.inner_blended + info.inner_far);
}

TEST work_grows_linearly(void)
{
    double few, many;
    mesh_plate(&shape, 32);
    few = visits(0.01);
    mesh_plate(&shape, 64);
    many = visits(0.01);
    printf("  plates: %.0f, %.0f pairs, exponent %.3f\n", few, many, log(many/few)/log(4));
    ASSERT(many/few < pow(4, 1.1));
    mesh_icosphere(&shape, 2);
    few = visits(2.01);
    mesh_icosphere(&shape, 3);
    many = visits(2.01);
    printf("  spheres: %.0f, %.0f pairs, exponent %.3f\n", few, many, log(many/few)/log(4));
    ASSERT(many/few < pow(4, 0.7));
    PASS();
}

/* ---- options ------------------------------------------------------------------------------------------ */

/* The weighted form follows the brute-force sum where Eq. 8 drops the numbers of triangles: two boxes of 12 triangles. */
TEST weighted_form_follows_the_sum(void)
{
    static const double distance[3] = {1.6, 3.2, 6};
    dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
    dc_bsh t;
    int k;
    shape_make(2);
    ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL));
    for (k = 0; k < 3; ++k) {
        dc_pose pa = pose_make(dc_vec(0, 0, 0), dc_vec((dc_real)distance[k], 0, 0));
        dc_bsh_options o = DC_ZERO;
        dc_real P[3], g[3][12];
        ASSERT_EQ(DC_OK, dc_bsh_brute(NULL, &t, &pa, &t, NULL, &tmp, &P[0], g[0], NULL, NULL));
        ASSERT_EQ(DC_OK, dc_bsh_eval(&o, &t, &pa, &t, NULL, &tmp, NULL, &P[1], g[1], NULL, NULL));
        o.weighted = 1;
        ASSERT_EQ(DC_OK, dc_bsh_eval(&o, &t, &pa, &t, NULL, &tmp, NULL, &P[2], g[2], NULL, NULL));
        printf("  distance %g: sum %.0f %.4g, Eq. 8 %.0f %.4g, weighted %.0f %.4g (value, force)\n", distance[k], (double)P[0], -(double)g[0][0],
               (double)P[1], -(double)g[1][0], (double)P[2], -(double)g[2][0]);
        ASSERT(P[2] > DC_R(0.8)*P[0] && P[2] < P[0]);
        ASSERT(P[1] > 0 && P[1] < P[0] && -g[1][0] > 0 && -g[1][0] < 8*-g[0][0]);     /* what Eq. 8 drops blends in: up to 3.9 times the force */
        ASSERT(-g[2][0] > DC_R(0.4)*-g[0][0] && -g[2][0] < DC_R(1.4)*-g[0][0]);
        if (k == 2) ASSERT(P[1] < DC_R(0.01)*P[0]);
    }
    PASS();
}

/* P of l x with the length unit l is P of x. */
TEST length_is_a_unit(void)
{
    static const double lengths[4] = {0.0009765625, 0.125, 8, 1024};     /* powers of two: the same tree */
    worst e = worst_make("value"), eg = worst_make("gradient times length");
    int k, j, w;
    for (k = 0; k < 4; ++k)
        for (w = 0; w < 2; ++w) {
            dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = fresh();
            dc_bsh t, s;
            dc_bsh_options o = DC_ZERO;
            dc_real l = (dc_real)lengths[k], P = 0, Q = 0, g[12], h[12];
            dc_pose p = pose_make(dc_vec(1, 2, 3), dc_vec(DC_R(3.0), DC_R(1.0), DC_R(0.5))), q;
            double want[12];
            o.weighted = w;
            shape_make(6);
            ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &t, NULL));
            for (j = 0; j < shape.nv; ++j) shape.v[j] = dc_scale(l, shape.v[j]);
            ASSERT_EQ(DC_OK, dc_bsh_build(shape.v, shape.nv, shape.tri, shape.nt, &mem, &s, NULL));
            q = p;
            q.t = dc_scale(l, p.t);
            ASSERT_EQ(DC_OK, dc_bsh_eval(&o, &t, &p, &t, NULL, &tmp, NULL, &P, g, NULL, NULL));
            o.length = l;
            ASSERT_EQ(DC_OK, dc_bsh_eval(&o, &s, &q, &s, NULL, &tmp, NULL, &Q, h, NULL, NULL));
            for (j = 0; j < 12; j += 6) {       /* forces carry 1/l, torques do not */
                h[j] *= l;
                h[j + 1] *= l;
                h[j + 2] *= l;
            }
            to_double(&P, want, 1);
            worst_add(&e, relative_error(&Q, want, 1)/EPS, "length %g weighted %d", lengths[k], w);
            to_double(g, want, 12);
            worst_add(&eg, relative_error(h, want, 12)/EPS, "length %g weighted %d", lengths[k], w);
        }
    ASSERT(worst_print(&e, 16) & worst_print(&eg, 64));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(tables);
    RUN_TEST(trees_are_what_the_definition_says);
    RUN_TEST(equals_the_recursion);
    RUN_TEST(derivatives_are_those_of_the_value);
    RUN_TEST(hessian_is_continuous_across_the_bands);
    RUN_TEST(warm_starts_change_nothing_but_rounding);
    RUN_TEST(pairs_share_a_cache);
    RUN_TEST(contacts_are_the_close_pairs);
    RUN_TEST(a_scene_is_the_sum_of_its_pairs);
    RUN_TEST(work_grows_linearly);
    RUN_TEST(weighted_form_follows_the_sum);
    RUN_TEST(length_is_a_unit);
    GREATEST_MAIN_END();
}
