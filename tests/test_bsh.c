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
    dc_hull ha, hb;
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

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(tables);
    RUN_TEST(trees_are_what_the_definition_says);
    RUN_TEST(equals_the_recursion);
    GREATEST_MAIN_END();
}
