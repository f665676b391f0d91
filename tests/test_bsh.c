/* The hierarchy and its potential against 60-digit tables, against Algorithm 1 written as it stands, and against differences. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#include "dc_bsh.h"

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

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(tables);
    GREATEST_MAIN_END();
}
