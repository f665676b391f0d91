/* Contact manifolds: the 70-digit tables, derivatives three ways, options. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "record.h"

GREATEST_MAIN_DEFS();

static unsigned char memory[1 << 22];
static dc_arena mem;

enum { MOST = 700 };
static dc_manifold_contact contacts[MOST], dcontacts[MOST], bar[MOST], jac[12*MOST];

/* ---- boxes of the table: cube mesh and superquadric ---- */

typedef struct {
    dc_v3 v[8];
    int edge[24];
    dc_mesh mesh;
    dc_sdf_prim prim;
    dc_sdf sdf;
    dc_surface surface;
    dc_pose pose;
} box;

/* mesh of half extents half*shape, superquadric of axes scale */
static void box_make(box *b, double half, const double *shape, const double *scale, double eps)
{
    int i, j, n = 0;
    memset(b, 0, sizeof *b);
    for (i = 0; i < 8; ++i)
        b->v[i] = dc_vec((dc_real)((i & 4 ? half : -half)*shape[0]), (dc_real)((i & 2 ? half : -half)*shape[1]),
                         (dc_real)((i & 1 ? half : -half)*shape[2]));
    for (i = 0; i < 8; ++i)
        for (j = i + 1; j < 8; ++j)
            if (((i ^ j) & ((i ^ j) - 1)) == 0) {
                b->edge[2*n] = i;
                b->edge[2*n++ + 1] = j;
            }
    b->mesh.v = b->v;
    b->mesh.edge = b->edge;
    b->mesh.nv = 8;
    b->mesh.ne = n;
    b->prim.pose.q.w = 1;
    b->prim.size = dc_vec((dc_real)scale[0], (dc_real)scale[1], (dc_real)scale[2]);
    b->prim.eps1 = b->prim.eps2 = (dc_real)eps;
    b->sdf.prim = &b->prim;
    b->sdf.n = 1;
    b->surface.mesh = &b->mesh;
    b->surface.sdf = &b->sdf;
    b->pose.q.w = 1;
}

static dc_pose pose_of(const double p[6])
{
    dc_pose r;
    r.t = dc_vec((dc_real)p[0], (dc_real)p[1], (dc_real)p[2]);
    r.q = dc_quat_exp(dc_vec((dc_real)p[3], (dc_real)p[4], (dc_real)p[5]));
    return r;
}

/* largest difference of a contact's numbers from a row p d n act of the table */
static double row_error(const dc_manifold_contact *c, const double *row)
{
    double e = 0;
    e = fmax(e, fabs((double)c->p.x - row[0]));
    e = fmax(e, fabs((double)c->p.y - row[1]));
    e = fmax(e, fabs((double)c->p.z - row[2]));
    e = fmax(e, fabs((double)c->d - row[3]));
    e = fmax(e, fabs((double)c->n.x - row[4]));
    e = fmax(e, fabs((double)c->n.y - row[5]));
    e = fmax(e, fabs((double)c->n.z - row[6]));
    return fmax(e, fabs((double)c->act - row[7]));
}

static double rows_error(const dc_manifold_contact *c, const double *rows, int n)
{
    double e = 0;
    int i;
    for (i = 0; i < n; ++i) e = fmax(e, row_error(c + i, rows + 8*i));
    return e;
}

TEST manifold_table(void)
{
    static record r;
    static box a, b;
    static const double cube[3] = { 1, 1, 1 };
    worst wr = worst_make("rows"), ws = worst_make("reductions"), wg = worst_make("their gradients");
    table t;
    int cases = 0, published = 0;
    ASSERT(table_open(&t, "manifold.txt"));
    while (record_next(&t, &r)) {
        static const char *const key[4] = { "vs1", "vs2", "ee1", "ee2" };
        const double *pose = record_get(&r, "pose", NULL), *topk = record_get(&r, "topk", NULL), *scalars = record_get(&r, "scalars", NULL);
        dc_manifold_options o = DC_ZERO;
        dc_real grad[24], s[2];
        int k, n, count, part[4], at = 0;
        box_make(&a, record_one(&r, "mesh_half1"), cube, record_get(&r, "sq_scale1", NULL), record_one(&r, "eps"));
        box_make(&b, record_one(&r, "mesh_half2"), cube, record_get(&r, "sq_scale2", NULL), record_one(&r, "eps"));
        a.pose = pose_of(pose);
        b.pose = pose_of(pose + 6);
        o.witness.w_reg = (dc_real)record_one(&r, "w_reg");
        o.witness.eps_clip = (dc_real)record_one(&r, "eps_clip");
        o.witness.eps_min = (dc_real)record_one(&r, "eps_min");
        o.witness.eps_comp = (dc_real)record_one(&r, "eps_comp");
        o.tau_pen = (dc_real)record_one(&r, "tau_pen");
        o.tau_sign = (dc_real)record_one(&r, "tau_sign");
        o.tau_nn = (dc_real)record_one(&r, "tau_nn");
        o.tau_cl = (dc_real)record_one(&r, "tau_cl");
        o.eps_n = (dc_real)record_one(&r, "eps_n");
        o.tau_n = (dc_real)record_one(&r, "tau_n");
        if (topk) {
            o.keep_v_a = (int)topk[0];
            o.keep_v_b = (int)topk[1];
            o.keep_e_a = (int)topk[2];
            o.keep_e_b = (int)topk[3];
            o.tau_top = (dc_real)topk[4];
            o.power = (int)topk[5];
        }
        ++cases;
        count = dc_manifold_count(&a.surface, &b.surface, &o, part);
        ASSERT(count > 0 && count <= MOST);
        ASSERT_EQ(DC_OK, dc_manifold(&a.surface, &a.pose, &b.surface, &b.pose, &o, &mem, contacts));
        /* the published normals, of grad f, are not offered: of that record only what does not depend on them counts */
        if (record_one(&r, "normal_mode") < 0.5) {
            ++published;
            for (k = 0; k < 2; ++k) {
                const double *rows = record_get(&r, key[k], &n);
                for (n /= 8; n-- > 0;) {
                    const dc_manifold_contact *c = &contacts[k*part[0] + n];
                    worst_add(&wr, fmax(fabs((double)c->d - rows[8*n + 3]), fabs((double)c->act - rows[8*n + 7])), "%s", r.name);
                }
            }
            continue;
        }
        for (k = 0; k < 4; ++k) {
            const double *rows = record_get(&r, key[k], &n);
            ASSERT_EQ(8*part[k], n);
            worst_add(&wr, rows_error(contacts + at, rows, part[k]), "%s %s", r.name, key[k]);
            at += part[k];
        }
        s[0] = dc_manifold_mean(count, contacts, bar);
        ASSERT_EQ(DC_OK, dc_manifold_vjp(&a.surface, &a.pose, &b.surface, &b.pose, &o, bar, &mem, NULL, grad));
        s[1] = dc_manifold_active(count, contacts, bar);
        ASSERT_EQ(DC_OK, dc_manifold_vjp(&a.surface, &a.pose, &b.surface, &b.pose, &o, bar, &mem, NULL, grad + 12));
        worst_add(&ws, relative_error(s, scalars, 2), "%s", r.name);
        worst_add(&wg, relative_error(grad, record_get(&r, "scalars_grad_left", NULL), 12), "%s mean", r.name);
        worst_add(&wg, relative_error(grad + 12, record_get(&r, "scalars_grad_left", NULL) + 12, 12), "%s active", r.name);
    }
    table_close(&t);
    ASSERT_EQ(6, cases);
    ASSERT_EQ(1, published);
    cases = worst_print(&wr, DC_IS_FLOAT ? 2e-3 : 1e-12) & worst_print(&ws, DC_IS_FLOAT ? 1e-4 : 1e-12) & worst_print(&wg, DC_IS_FLOAT ? 1e-3 : 1e-9);
    ASSERT(cases);
    PASS();
}

/* Vertices of body 1 alone against the field of body 2: a finer mesh of the same cube. */
TEST vertices_table(void)
{
    static record r;
    static box a, b;
    static dc_v3 v[98];
    static const double cube[3] = { 1, 1, 1 };
    dc_mesh mesh;
    dc_manifold_options o = DC_ZERO;
    worst w = worst_make("rows");
    table t;
    double h;
    int i, j, k, n = 0;
    ASSERT(table_open(&t, "manifold_vs98.txt"));
    ASSERT(record_next(&t, &r));
    table_close(&t);
    h = record_one(&r, "mesh_half1");
    box_make(&a, h, cube, cube, record_one(&r, "eps"));
    box_make(&b, h, cube, cube, record_one(&r, "eps"));
    for (i = 0; i < 5; ++i)
        for (j = 0; j < 5; ++j)
            for (k = 0; k < 5; ++k)
                if (i%4 == 0 || j%4 == 0 || k%4 == 0) v[n++] = dc_vec((dc_real)(h*(i - 2)/2), (dc_real)(h*(j - 2)/2), (dc_real)(h*(k - 2)/2));
    ASSERT_EQ(98, n);
    mesh = a.mesh;
    mesh.v = v;
    mesh.nv = n;
    mesh.ne = 0;
    mesh.edge = NULL;
    a.surface.mesh = &mesh;
    a.pose = pose_of(record_get(&r, "pose", NULL));
    b.pose = pose_of(record_get(&r, "pose", NULL) + 6);
    o.no_vs_b = 1;
    o.tau_pen = (dc_real)record_one(&r, "tau_pen");
    o.tau_n = (dc_real)record_one(&r, "tau_n");
    ASSERT_EQ(98, dc_manifold_count(&a.surface, &b.surface, &o, NULL));
    ASSERT_EQ(DC_OK, dc_manifold(&a.surface, &a.pose, &b.surface, &b.pose, &o, &mem, contacts));
    for (i = 0; i < 98; ++i) worst_add(&w, row_error(&contacts[i], record_get(&r, "vs1", NULL) + 8*i), "vertex %d", i);
    ASSERT(worst_print(&w, DC_IS_FLOAT ? 1e-4 : 1e-12));
    PASS();
}

/* ---- derivatives ---- */

typedef struct {
    const dc_surface *a, *b;
    dc_pose pose_a, pose_b;
    dc_manifold_options o;
    int count, failed;
} scene;

static void scene_values(const double *x, double *f, void *user)
{
    scene *s = (scene *)user;
    dc_real xi[12];
    dc_pose a, b;
    int k;
    for (k = 0; k < 12; ++k) xi[k] = (dc_real)x[k];
    a = dc_pose_retract(s->pose_a, xi);
    b = dc_pose_retract(s->pose_b, xi + 6);
    s->failed |= dc_manifold(s->a, &a, s->b, &b, &s->o, &mem, contacts) != DC_OK;
    for (k = 0; k < s->count; ++k) to_double(&contacts[k].p.x, f + 8*k, 8);
}

static double transposed[8*MOST*12];

/* Errors of the three ways against each other and of the Jacobian against differences (fd NULL: not taken). */
static int scene_check(scene *s, rng *r, worst *jvp, worst *vjp, worst *fd, worst *order, const char *what)
{
    dc_real xi[12], grad[12];
    double x[12] = {0}, size = 0, e = 0, scale = 0;
    int i, k, j;
    s->count = dc_manifold_count(s->a, s->b, &s->o, NULL);
    if (s->count < 1 || s->count > MOST) return 0;
    if (dc_manifold_jac(s->a, &s->pose_a, s->b, &s->pose_b, &s->o, &mem, contacts, jac) != DC_OK) return 0;

    /* along a direction */
    for (k = 0; k < 12; ++k) xi[k] = (dc_real)rng_uniform(r, -1, 1);
    if (dc_manifold_jvp(s->a, &s->pose_a, s->b, &s->pose_b, &s->o, xi, &mem, contacts, dcontacts) != DC_OK) return 0;
    for (i = 0; i < s->count; ++i)
        for (j = 0; j < 8; ++j) {
            double sum = 0;
            for (k = 0; k < 12; ++k) {
                double v = (double)(&jac[k*s->count + i].p.x)[j];
                size = fmax(size, fabs(v));
                sum += v*(double)xi[k];
            }
            e = fmax(e, fabs(sum - (double)(&dcontacts[i].p.x)[j]));
        }
    worst_add(jvp, e/size, "%s", what);

    /* the transpose */
    for (i = 0; i < s->count; ++i)
        for (j = 0; j < 8; ++j) (&bar[i].p.x)[j] = (dc_real)rng_uniform(r, -1, 1);
    if (dc_manifold_vjp(s->a, &s->pose_a, s->b, &s->pose_b, &s->o, bar, &mem, contacts, grad) != DC_OK) return 0;
    for (e = 0, k = 0; k < 12; ++k) {
        double sum = 0;
        for (i = 0; i < s->count; ++i)
            for (j = 0; j < 8; ++j) {
                double v = (double)(&bar[i].p.x)[j]*(double)(&jac[k*s->count + i].p.x)[j];
                sum += v;
                scale += fabs(v);
            }
        e = fmax(e, fabs(sum - (double)grad[k]));
    }
    worst_add(vjp, e/scale, "%s", what);

    /* differences */
    if (fd) {
        fd_result d;
        for (i = 0; i < s->count; ++i)
            for (j = 0; j < 8; ++j)
                for (k = 0; k < 12; ++k) transposed[(8*i + j)*12 + k] = (double)(&jac[k*s->count + i].p.x)[j];
        d = fd_check(scene_values, s, 12, x, 8*s->count, transposed, DC_IS_FLOAT ? 1.0/64 : 1.0/512);
        if (d.bit_equal || s->failed) return 0;
        worst_add(fd, d.err, "%s", what);
        worst_add(order, 2 - d.order, "%s", what);
    }
    return 1;
}

/* ---- second derivatives ---- */

enum { FIXED, MEAN, ACTIVE, WAYS };
typedef struct {
    scene *s;
    const dc_real *xi;
    const dc_manifold_contact *fixed;
    int way;
} bent;

/* the gradient of a function of the contacts with both bodies moved by t xi: weighed by `fixed`, their mean, their active distance */
static void bent_gradient(const double *t, double *f, void *user)
{
    static dc_manifold_contact by[MOST];
    const bent *q = (const bent *)user;
    scene *s = q->s;
    dc_real xi[12], grad[12] = {0};
    dc_pose a, b;
    int k;
    for (k = 0; k < 12; ++k) xi[k] = (dc_real)t[0]*q->xi[k];
    a = dc_pose_retract(s->pose_a, xi);
    b = dc_pose_retract(s->pose_b, xi + 6);
    memcpy(by, q->fixed, sizeof by);
    s->failed |= dc_manifold(s->a, &a, s->b, &b, &s->o, &mem, contacts) != DC_OK;
    if (q->way == MEAN) dc_manifold_mean(s->count, contacts, by);
    if (q->way == ACTIVE) dc_manifold_active(s->count, contacts, by);
    s->failed |= dc_manifold_vjp(s->a, &a, s->b, &b, &s->o, by, &mem, NULL, grad) != DC_OK;
    to_double(grad, f, 12);
}

/* Errors of second derivatives: against differences of the gradient (fd NULL: not taken), which is that of turned bodies and has
 * w x grad/2 more than exponential coordinates; of symmetry; of the gradient. */
static int scene_bend(scene *s, rng other, int way, worst *fd, worst *order, worst *symmetry, worst *gradient, const char *what)
{
    static dc_manifold_contact by[MOST], dby[2][MOST];
    dc_real xi[2][12], grad[12], g[12], hvp[2][12];
    double jac12[12], zero = 0, most = 0, scale = 0, off = 0, left = 0, right = 0, terms = 0;
    rng *r = &other;                                    /* a copy: scenes stay as they are drawn */
    fd_result d;
    bent q;
    int i, k, j;
    s->count = dc_manifold_count(s->a, s->b, &s->o, NULL);
    if (s->count < 1 || s->count > MOST) return 0;
    for (k = 0; k < 24; ++k) xi[k/12][k%12] = (dc_real)rng_uniform(r, -1, 1);
    for (i = 0; i < s->count; ++i)
        for (j = 0; j < 8; ++j) (&by[i].p.x)[j] = (dc_real)rng_uniform(r, -1, 1);
    memset(dby, 0, sizeof dby);
    for (k = 0; k < 2; ++k) {
        if (dc_manifold_jvp(s->a, &s->pose_a, s->b, &s->pose_b, &s->o, xi[k], &mem, contacts, dcontacts) != DC_OK) return 0;
        if (way == MEAN) dc_manifold_mean(s->count, contacts, by);
        if (way == ACTIVE) dc_manifold_active(s->count, contacts, by);
        for (i = 0; i < s->count && way == ACTIVE; ++i) {
            dby[k][i].d = dcontacts[i].act;
            dby[k][i].act = dcontacts[i].d;
        }
        if (dc_manifold_hvp(s->a, &s->pose_a, s->b, &s->pose_b, &s->o, by, way == ACTIVE ? dby[k] : NULL, xi[k], &mem, g, hvp[k]) != DC_OK)
            return 0;
    }
    if (dc_manifold_vjp(s->a, &s->pose_a, s->b, &s->pose_b, &s->o, by, &mem, NULL, grad) != DC_OK) return 0;
    for (k = 0; k < 12; ++k) {
        scale = fmax(scale, fabs((double)grad[k]));
        off = fmax(off, fabs((double)(grad[k] - g[k])));
        left += (double)xi[1][k]*(double)hvp[0][k];
        right += (double)xi[0][k]*(double)hvp[1][k];
        most = fmax(most, fmax(fabs((double)hvp[0][k]), fabs((double)hvp[1][k])));
        terms += fabs((double)xi[1][k]*(double)hvp[0][k]) + fabs((double)xi[0][k]*(double)hvp[1][k]);
    }
    worst_add(gradient, off/scale, "%s", what);
    worst_add(symmetry, fabs(left - right)/terms, "%s", what);
    if (!fd) return 1;
    for (k = 0; k < 2; ++k) {
        const dc_v3 w = dc_vec(xi[0][6*k + 3], xi[0][6*k + 4], xi[0][6*k + 5]);
        const dc_v3 more = dc_scale(DC_R(0.5), dc_cross(w, dc_vec(grad[6*k + 3], grad[6*k + 4], grad[6*k + 5])));
        to_double(hvp[0] + 6*k, jac12 + 6*k, 6);
        jac12[6*k + 3] += (double)more.x;
        jac12[6*k + 4] += (double)more.y;
        jac12[6*k + 5] += (double)more.z;
    }
    q.s = s;
    q.xi = xi[0];
    q.fixed = by;
    q.way = way;
    d = fd_check(bent_gradient, &q, 1, &zero, 12, jac12, 1.0/1024);
    if (d.bit_equal || s->failed) return 0;
    worst_add(fd, d.err, "%s", what);
    worst_add(order, 2 - d.order, "%s", what);
    return 1;
}

static dc_pose random_pose(rng *r, double far_off)
{
    double u[3], w[3], p[6];
    int k;
    rng_unit3(r, u);
    rng_unit3(r, w);
    for (k = 0; k < 3; ++k) {
        p[k] = far_off*u[k];
        p[3 + k] = 3*w[k];
    }
    return pose_of(p);
}

/* Every option on its own and together, on two boxes of which one has a second, smaller box on it: a field of a union. */
TEST derivatives_of_every_option(void)
{
    static box a, b;
    static dc_sdf_prim two[2];
    static const double big[3] = { 1, 0.8, 0.6 }, small[3] = { 0.9, 1, 0.7 };
    worst wj = worst_make("jvp against Jacobian"), wv = worst_make("vjp against Jacobian"), wf = worst_make("Jacobian against differences"), wo = worst_make("order below 2 by");
    worst hf = worst_make("second derivatives against differences"), ho = worst_make("order below 2 by"), hs = worst_make("symmetry");
    worst hg = worst_make("their gradient");
    rng r;
    long i, n = sweep_count(128);
    rng_seed(&r, 5);
    box_make(&a, 0.9, big, big, 0.4);
    box_make(&b, 0.9, small, small, 0.5);
    two[0] = two[1] = b.prim;
    two[1].size = dc_vec(DC_R(0.5), DC_R(0.4), DC_R(0.6));
    two[1].pose.t = dc_vec(DC_R(0.6), 0, DC_R(0.3));
    b.sdf.prim = two;
    b.sdf.n = 2;
    b.sdf.tau = DC_R(0.05);
    for (i = 0; i < n; ++i) {
        scene s;
        char what[64];
        memset(&s, 0, sizeof s);
        s.a = &a.surface;
        s.b = &b.surface;
        s.pose_a = random_pose(&r, 0.3);
        s.pose_b = random_pose(&r, rng_uniform(&r, 0.6, 2.2));
        /* wide transitions, so that everything is active and differences have digits */
        s.o.tau_pen = DC_R(0.2);
        s.o.tau_sign = DC_R(0.5);
        s.o.tau_nn = DC_R(0.3);
        s.o.tau_cl = DC_R(0.5);
        s.o.eps_n = DC_R(1e-2);
        s.o.tau_top = DC_R(0.1);
        s.o.witness.w_reg = DC_R(0.1);
        s.o.keep_e_a = s.o.keep_e_b = 3;
        if (i & 1) s.o.keep_v_a = 5;
        if (i & 2) s.o.keep_v_b = 4;
        if (i & 4) s.o.inside = 1;
        if (i & 8) s.o.trace = 2;
        if (i & 16) s.o.keep_e_a = 0;
        if ((i & 35) == 32) s.o.no_vs_a = 1;
        if ((i & 35) == 34) s.o.no_vs_b = s.o.no_ee = 1;
        if ((i & 7) == 7) s.o.witness.length = DC_R(1.5);
        if (i & 64) s.o.cull = DC_R(1e-3);                      /* fades from 1.4 to 1.6 away */
        sprintf(what, "case %ld", i);
        ASSERT(scene_check(&s, &r, &wj, &wv, DC_IS_FLOAT ? NULL : &wf, &wo, what));
        ASSERT(scene_bend(&s, r, (int)(i/3%WAYS), DC_IS_FLOAT ? NULL : &hf, &ho, &hs, &hg, what));
    }
    ASSERT(worst_print(&wj, 50*EPS) & worst_print(&wv, 50*EPS));
    ASSERT(worst_print(&hg, 200*EPS) & worst_print(&hs, 200*EPS));
    ASSERT(DC_IS_FLOAT || (worst_print(&hf, 1e-6) & worst_print(&ho, 0.5)));
    /* in float the differences of a chain this long keep no digits; its numbers are compared with the tables above */
    ASSERT(DC_IS_FLOAT || (worst_print(&wf, 1e-9) & worst_print(&wo, 0.5)));
    PASS();
}

static double norm3(dc_v3 v) { return sqrt((double)dc_dot(v, v)); }

/* Edges of a mesh lie on those of its DC_SDF_BOX but for rounding: beside a kink, where the field's normal turns round within
 * that rounding. A derivative of the normal that is not held there is 1/rounding times what rounding leaves of a motion along the
 * edge, and the three ways differ by as much as they are. */
TEST the_three_ways_are_of_one_side_on_edges_of_boxes(void)
{
    static box a, b;
    static const double unit[3] = { 1, 1, 1 };
    worst wj = worst_make("jvp against Jacobian"), wv = worst_make("vjp against Jacobian");
    rng r;
    long i, n = sweep_count(400);
    double held = 0, normal = 0;
    rng_seed(&r, 71);
    for (i = 0; i < n; ++i) {
        scene s;
        char what[64];
        double shape[3], far_off = i & 1 ? 10 : 0;
        int k, c, first[4], w;
        for (k = 0; k < 3; ++k) shape[k] = rng_uniform(&r, 0.5, 1);
        memset(&s, 0, sizeof s);
        box_make(&a, 1, unit, unit, 1);
        box_make(&b, 1, shape, shape, 1);
        a.prim.kind = b.prim.kind = DC_SDF_BOX;
        s.a = &a.surface;
        s.b = &b.surface;
        s.pose_a = random_pose(&r, 0.3);
        s.pose_b = random_pose(&r, rng_uniform(&r, 0.6, 2.2));
        s.pose_a.t.x += (dc_real)far_off;
        s.pose_b.t.x += (dc_real)far_off;
        s.o.trace = i & 2 ? 2 : 0;
        s.o.inside = i & 4 ? 1 : 0;
        sprintf(what, "case %ld", i);
        ASSERT(scene_check(&s, &r, &wj, &wv, NULL, NULL, what));

        /* at rest in the body: both bodies turned together turn every normal of an edge contact with them, dn = w x n */
        ASSERT_EQ((int)s.count, dc_manifold_count(s.a, s.b, &s.o, first));
        for (w = 0; w < 3; ++w)
            for (c = first[0] + first[1]; c < s.count; ++c) {
                dc_v3 axis = dc_vec(w == 0, w == 1, w == 2), dn, turn = dc_cross(axis, contacts[c].n);
                /* about the two origins: moving b's as well */
                dc_v3 v = dc_cross(axis, dc_sub(s.pose_b.t, s.pose_a.t));
                dn = dc_add(jac[(3 + w)*s.count + c].n, jac[(9 + w)*s.count + c].n);
                dn = dc_madd(dc_madd(dc_madd(dn, v.x, jac[6*s.count + c].n), v.y, jac[7*s.count + c].n), v.z, jac[8*s.count + c].n);
                held = fmax(held, norm3(dc_sub(dn, turn))/(1 + norm3(jac[6*s.count + c].n)));
                normal = fmax(normal, norm3(turn));
            }
    }
    printf("  turned together: normals off by %.1e\n", held);
    ASSERT(worst_print(&wj, 1e5*EPS) & worst_print(&wv, 1e5*EPS));
    ASSERT(normal > 0.5 && held < 1e6*EPS);
    PASS();
}

/* ---- corners: the margin that dc_surface recommends for boxes and polyhedra ---- */

enum { SIDES = 6 };
static const double MARGIN = 0.05;

/* An upright prism of n sides, 1 from its centre to each face: the field's planes stand MARGIN outside, the mesh as much inside. */
typedef struct {
    int sides;
    dc_v3 v[2*SIDES], n[SIDES + 2], p[SIDES + 2];
    int edge[6*SIDES];
    dc_mesh mesh;
    dc_sdf_prim prim;
    dc_sdf sdf;
    dc_surface surface;
} prism;

static void prism_make(prism *b, int sides, double smooth)
{
    int i, k;
    memset(b, 0, sizeof *b);
    b->sides = sides;
    for (i = 0; i < sides; ++i) {
        double angle = (2*i + 1)*acos(-1)/sides, in = 1 - MARGIN, r = in/cos(acos(-1)/sides);
        const int next = (i + 1)%sides, edge[6] = { i, next, sides + i, sides + next, i, sides + i };
        b->v[i] = dc_vec((dc_real)(r*cos(angle)), (dc_real)(r*sin(angle)), (dc_real)-in);
        b->v[sides + i] = dc_vec(b->v[i].x, b->v[i].y, (dc_real)in);
        memcpy(b->edge + 6*i, edge, sizeof edge);
        b->n[i] = dc_vec((dc_real)cos(2*i*acos(-1)/sides), (dc_real)sin(2*i*acos(-1)/sides), 0);
    }
    b->n[sides] = dc_vec(0, 0, 1);
    b->n[sides + 1] = dc_vec(0, 0, -1);
    for (k = 0; k < sides + 2; ++k) b->p[k] = dc_scale((dc_real)(1 + MARGIN), b->n[k]);
    b->mesh.v = b->v;
    b->mesh.nv = 2*sides;
    b->mesh.edge = b->edge;
    b->mesh.ne = 3*sides;
    b->prim.kind = DC_SDF_POLYHEDRON;
    b->prim.pose.q.w = 1;
    b->prim.count = sides + 2;
    b->prim.n = b->n;
    b->prim.p = b->p;
    b->prim.smooth = (dc_real)smooth;
    b->prim.size = dc_vec((dc_real)(1 + MARGIN), (dc_real)(1 + MARGIN), (dc_real)(1 + MARGIN));     /* should it become a box */
    b->sdf.prim = &b->prim;
    b->sdf.n = 1;
    b->surface.mesh = &b->mesh;
    b->surface.sdf = &b->sdf;
}

/* how far (x, y) is outside the prism's mesh, seen from above; negative inside */
static double prism_outside(const prism *b, const double *x)
{
    double d = -1e9;
    int k;
    for (k = 0; k < b->sides; ++k) d = fmax(d, (double)b->n[k].x*x[0] + (double)b->n[k].y*x[1] - (1 - MARGIN));
    return d;
}

/* From above: the corners of the overlap of a's mesh at the pose and b's at rest; a's polygon cut by each side of b's. */
static int overlap_corners(const prism *a, const dc_pose *pose, const prism *b, double (*corner)[2])
{
    double in[4*SIDES][2];
    int i, k, j, n = a->sides, m;
    for (i = 0; i < n; ++i) {
        dc_v3 x = dc_pose_apply(*pose, a->v[i]);
        corner[i][0] = (double)x.x;
        corner[i][1] = (double)x.y;
    }
    for (k = 0; k < b->sides; ++k, n = m) {
        double side[2];
        side[0] = (double)b->n[k].x;
        side[1] = (double)b->n[k].y;
        memcpy(in, corner, sizeof in);
        for (m = i = 0; i < n; ++i) {
            const double *p = in[i], *q = in[(i + 1)%n];
            double dp = side[0]*p[0] + side[1]*p[1] - (1 - MARGIN), dq = side[0]*q[0] + side[1]*q[1] - (1 - MARGIN);
            if (dp <= 0) memcpy(corner[m++], p, sizeof corner[0]);
            for (j = 0; j < 2 && (dp <= 0) != (dq <= 0); ++j) corner[m][j] = p[j] + dp/(dp - dq)*(q[j] - p[j]);
            m += (dp <= 0) != (dq <= 0);
        }
    }
    return n;
}

static dc_manifold_options sharp_options(void)
{
    dc_manifold_options o = DC_ZERO;
    o.witness.w_reg = DC_R(1e-4);
    o.witness.eps_clip = o.witness.eps_comp = DC_R(0.01);
    o.witness.eps_min = DC_R(1e-3);
    o.tau_pen = DC_R(0.002);
    return o;
}

/* One prism on another, shifted and turned. Contacts act at the corners of the overlap, push along the vertical and are as deep as
 * the prisms are, from edges less the two margins between their meshes; no corner goes without. */
TEST contacts_of_prisms_are_corners_of_the_overlap(void)
{
    /* equal, shifted by a third of the width in one direction, in both, turned by 45 degrees, both */
    static const double named[5][3] = { { 0, 0, 0 }, { 2/3.0, 0, 0 }, { 2/3.0, 2/3.0, 0 }, { 0, 0, 0.785398 }, { 0.7, 0.4, 0.4 } };
    static const char *const field[3] = { "smooth polyhedron", "polyhedron, vertices alone", "box, vertices alone" };
    static prism a, b;
    rng r;
    int kind;
    for (kind = 0; kind < 3; ++kind) {
        worst wp = worst_make("from the corner"), wd = worst_make("depth"), wn = worst_make("normal"), wc = worst_make("1 - activity at a corner");
        long i, n = 5 + sweep_count(295), used = 0, edges = 0;
        rng_seed(&r, 83);
        for (i = 0; i < n; ++i) {
            double x[3], depth = i < 5 ? 0.02 : rng_uniform(&r, 0.015, 0.05), corner[4*SIDES][2], sum[4*SIDES] = { 0 }, clear = 1, p[6] = { 0, 0, 0, 0, 0, 0 };
            dc_manifold_options o = sharp_options();
            dc_pose pose, back, rest = { { 1, 0, 0, 0 }, { 0, 0, 0 } };
            int k, c, corners, part[4], count;
            for (k = 0; k < 3; ++k) x[k] = i < 5 ? named[i][k] : rng_uniform(&r, -1.2, 1.2);
            prism_make(&a, i < 5 || i & 1 || kind == 2 ? 4 : 6, kind == 0 ? 0.01 : 0);
            prism_make(&b, i < 5 || i & 2 || kind == 2 ? 4 : 6, kind == 0 ? 0.01 : 0);
            if (kind == 2) a.prim.kind = b.prim.kind = DC_SDF_BOX;
            o.no_ee = kind > 0;                             /* edges are on the kinks of these */
            p[0] = x[0];
            p[1] = x[1];
            p[2] = 2 - depth;
            p[5] = x[2];
            pose = pose_of(p);
            back = dc_pose_inv(pose);
            corners = overlap_corners(&a, &pose, &b, corner);
            /* random ones have no vertex between inside and outside, no two corners in one place */
            for (k = 0; k < a.sides; ++k) {
                dc_v3 v = dc_pose_apply(pose, a.v[k]);
                double y[2] = { (double)v.x, (double)v.y };
                double d = prism_outside(&b, y);
                if (d > -0.05 && d < 2*MARGIN + 0.05) clear = 0;
            }
            for (k = 0; k < b.sides; ++k) {
                dc_v3 v = dc_pose_apply(back, b.v[k]);
                double y[2] = { (double)v.x, (double)v.y };
                double d = prism_outside(&a, y);
                if (d > -0.05 && d < 2*MARGIN + 0.05) clear = 0;
            }
            for (k = 0; k < corners; ++k)
                if (hypot(corner[k][0] - corner[(k + 1)%corners][0], corner[k][1] - corner[(k + 1)%corners][1]) < 0.2) clear = 0;
            if (i >= 5 && clear < 1) continue;
            ++used;
            count = dc_manifold_count(&a.surface, &b.surface, &o, part);
            ASSERT(count > 0 && count <= MOST);
            ASSERT_EQ(DC_OK, dc_manifold(&a.surface, &pose, &b.surface, &rest, &o, &mem, contacts));
            for (c = 0; c < count; ++c) {
                int of_edge = c >= part[0] + part[1], best = 0;
                int of_a = c < part[0] || (of_edge && c < part[0] + part[1] + part[2]);
                double d = (double)contacts[c].d - (of_edge ? 2*MARGIN : 0), off = 1e9;
                for (k = 0; k < corners; ++k) {
                    double e = hypot((double)contacts[c].p.x - corner[k][0], (double)contacts[c].p.y - corner[k][1]);
                    if (e < off) { off = e; best = k; }
                }
                if (off < 0.02) sum[best] += (double)contacts[c].act;
                if (contacts[c].act < DC_R(0.25)) continue;
                edges += of_edge;
                worst_add(&wp, off, "case %ld contact %d act %g", i, c, (double)contacts[c].act);
                worst_add(&wd, fabs(d + depth), "case %ld contact %d", i, c);
                worst_add(&wn, norm3(dc_sub(contacts[c].n, dc_vec(0, 0, of_a ? 1 : -1))), "case %ld contact %d", i, c);
            }
            for (k = 0; k < corners; ++k) {
                double y[2];
                dc_v3 v = dc_pose_apply(back, dc_vec((dc_real)corner[k][0], (dc_real)corner[k][1], 0));
                y[0] = (double)v.x;
                y[1] = (double)v.y;
                /* corners where edges cross are on both outlines; vertices alone do not know them */
                if (kind == 0 || fabs(prism_outside(&b, corner[k])) > 1e-3 || fabs(prism_outside(&a, y)) > 1e-3)
                    worst_add(&wc, 1 - sum[k], "case %ld corner %d of %d", i, k, corners);
            }
        }
        printf("  %s: %ld poses, %ld contacts of edges\n", field[kind], used, edges);
        ASSERT(used >= 5 && (edges > 0) == (kind == 0));
        ASSERT(worst_print(&wp, 1e-3) & worst_print(&wd, 1e-3) & worst_print(&wn, 5e-3) & worst_print(&wc, 0.5));
    }
    PASS();
}

/* Derivatives of the same contacts, of polyhedra of unequal numbers of sides, parallel edges included. */
TEST derivatives_of_prisms(void)
{
    static prism a, b;
    worst wj = worst_make("jvp against Jacobian"), wv = worst_make("vjp against Jacobian"), wf = worst_make("Jacobian against differences"), wo = worst_make("order below 2 by");
    worst hf = worst_make("second derivatives against differences"), ho = worst_make("order below 2 by"), hs = worst_make("symmetry");
    worst hg = worst_make("their gradient");
    rng r;
    long i, n = sweep_count(8);
    rng_seed(&r, 85);
    prism_make(&a, 4, 0.03);
    prism_make(&b, 6, 0.03);
    for (i = 0; i < n; ++i) {
        scene s;
        double p[6] = { 0, 0, 0, 0, 0, 0 };
        char what[64];
        int k;
        memset(&s, 0, sizeof s);
        s.a = &a.surface;
        s.b = i & 1 ? &b.surface : &a.surface;
        p[2] = 1.97;
        for (k = 0; k < 6 && i > 1; ++k) p[k] += (k < 2 ? 1 : 0.1)*rng_uniform(&r, -0.6, 0.6);
        s.pose_a = pose_of(p);
        s.pose_b.q.w = 1;
        s.o.tau_pen = DC_R(0.05);
        s.o.tau_sign = DC_R(0.5);
        s.o.tau_nn = DC_R(0.1);
        s.o.tau_cl = DC_R(0.5);
        s.o.eps_n = DC_R(1e-3);
        sprintf(what, "case %ld", i);
        ASSERT(scene_check(&s, &r, &wj, &wv, DC_IS_FLOAT ? NULL : &wf, &wo, what));
        ASSERT(scene_bend(&s, r, (int)(i%WAYS), DC_IS_FLOAT ? NULL : &hf, &ho, &hs, &hg, what));
    }
    ASSERT(worst_print(&wj, 50*EPS) & worst_print(&wv, 50*EPS));
    ASSERT(worst_print(&hg, 200*EPS) & worst_print(&hs, 200*EPS));
    ASSERT(DC_IS_FLOAT || (worst_print(&hf, 1e-6) & worst_print(&ho, 0.5)));
    ASSERT(DC_IS_FLOAT || (worst_print(&wf, 1e-9) & worst_print(&wo, 0.5)));
    PASS();
}

/* ---- smoothness ---- */

/* Gradient of the activity-weighted distance, at the point x in [0, 1] of a path of body a. */
static int path_gradient(int path, double x, const dc_surface *a, const dc_surface *b, const dc_manifold_options *o, dc_real *f)
{
    double p[6] = { 0, 0, 0, 0, 0, 0 };
    dc_pose pose, rest = { { 1, 0, 0, 0 }, { 0, 0, 0 } };
    int count = dc_manifold_count(a, b, o, NULL);
    if (path == 0) { p[2] = 1.75; p[3] = 0.5*(x - 0.5); p[4] = 0.05; p[5] = 0.3; }     /* rolls over aligned edges */
    if (path == 1) { p[2] = 1.75; p[5] = 1.6*x; p[0] = 0.1; }                           /* yaws through parallel edges */
    if (path == 2) { p[2] = 1.6 + 0.6*x; p[5] = 0.7; p[0] = 0.07; }                     /* lifts off */
    if (path == 3) { p[2] = 1.8; p[0] = -1 + 3*x; p[3] = 0.1; p[5] = 0.5; }             /* slides over and off */
    if (path == 4) { p[2] = 1.97; p[0] = 1.6 + 0.4*x; p[1] = 0.3; p[5] = 0.2; }         /* a corner slides over a rim, and off */
    if (path == 5) { p[2] = 1.97; p[0] = p[1] = 0.01; p[5] = -0.2 + 1.2*x; }            /* corners turn out over rims, edges cross */
    pose = pose_of(p);
    if (count > MOST || dc_manifold(a, &pose, b, &rest, o, &mem, contacts) != DC_OK) return 0;
    f[0] = dc_manifold_active(count, contacts, bar);
    return dc_manifold_vjp(a, &pose, b, &rest, o, bar, &mem, NULL, f + 1) == DC_OK;
}

TEST no_jumps(void)
{
    static const char *const name[6] = { "rolling", "yawing", "lifting off", "sliding off", "corner over a rim", "turning on rims" };
    static const char *const of[3] = { "all", "top 3", "prisms" };
    static const double cube[3] = { 1, 1, 1 };
    static box a, b;
    static prism c, d;
    int path, kind;
    box_make(&a, 0.94655, cube, cube, 0.2);
    box_make(&b, 0.94655, cube, cube, 0.2);
    prism_make(&c, 4, 0.01);
    prism_make(&d, 6, 0.01);
    for (kind = 0; kind < 3; ++kind)
        for (path = kind == 2 ? 4 : 0; path < (kind == 2 ? 6 : 4); ++path) {
            const dc_surface *upper = kind == 2 ? &c.surface : &a.surface, *lower = kind == 2 ? &d.surface : &b.surface;
            const int soft = kind == 1;
            dc_manifold_options o = DC_ZERO;
            double change[2] = { 0, 0 };
            int fine, i, k;
            if (soft) o.keep_e_a = o.keep_e_b = o.keep_v_a = o.keep_v_b = 3;
            o.tau_pen = DC_R(0.05);
            o.tau_top = DC_R(1e-2);
            o.eps_n = DC_R(1e-4);
            for (fine = 0; fine < 2; ++fine) {
                /* windows of 8 steps spread over the path, the smaller steps in the same places; the soft selection moves edges
                 * from one place to another within 1e-4 of the path, and what happens at ties is tested with dc_softsort_topk */
                int steps = (fine ? 32768 : 8192)*(soft ? 32 : 1), window;
                for (window = 0; window < (DC_TEST_SWEEP < 1 ? 4 : 32); ++window) {
                    dc_real f[13], before[13];
                    double at = (window + 0.5)/(DC_TEST_SWEEP < 1 ? 4 : 32);
                    for (i = -4*(1 + 3*fine); i <= 4*(1 + 3*fine); ++i) {
                        ASSERT(path_gradient(path, at + (double)i/steps, upper, lower, &o, f));
                        for (k = 0; i > -4*(1 + 3*fine) && k < 13; ++k) change[fine] = fmax(change[fine], fabs((double)(f[k] - before[k])));
                        memcpy(before, f, sizeof f);
                    }
                }
            }
            printf("  %-20s %-8s change over a step shrinks by %.4g, the step by 4\n", name[path], of[kind], change[0]/change[1]);
            ASSERT(change[0]/change[1] > (DC_IS_FLOAT && soft ? 0 : 3.5));       /* float: rounding of such small steps */
        }
    PASS();
}

/* A box comes down, slides over another and away: what `cull` takes from their active distance, and its gradient, are
 * continuous wherever contacts fade or are left out, act changes by cull at most, and where a contact is left out all that says so is 0. */
TEST culling_does_not_jump(void)
{
    static const double cube[3] = { 1, 1, 1 };
    static dc_manifold_contact whole[MOST];
    static box a, b;
    dc_manifold_options o = DC_ZERO, all;
    double lost = 0;
    int path, fine, i, k, left_out = 0;
    box_make(&a, 0.94655, cube, cube, 0.2);
    box_make(&b, 0.94655, cube, cube, 0.2);
    o.tau_pen = DC_R(0.1);
    o.tau_nn = DC_R(0.1);
    o.eps_n = DC_R(1e-4);
    all = o;
    o.cull = DC_R(0.02);
    for (path = 2; path < 4; ++path) {
        double change[2] = {0, 0};                              /* of what culling changes */
        for (fine = 0; fine < 2; ++fine) {
            const int steps = fine ? 2400 : 600;
            dc_real f[2][13], before[13];
            for (i = 0; i <= steps; ++i) {
                int count = dc_manifold_count(&a.surface, &b.surface, &o, NULL);
                ASSERT(path_gradient(path, (double)i/steps, &a.surface, &b.surface, &all, f[0]));
                memcpy(whole, contacts, sizeof whole);
                ASSERT(path_gradient(path, (double)i/steps, &a.surface, &b.surface, &o, f[1]));
                for (k = 0; k < 13; ++k) {
                    f[1][k] -= f[0][k];
                    if (i > 0) change[fine] = fmax(change[fine], fabs((double)(f[1][k] - before[k])));
                }
                memcpy(before, f[1], sizeof before);
                for (k = 0; k < count; ++k) {
                    const dc_manifold_contact *c = &contacts[k];
                    lost = fmax(lost, fabs((double)(c->act - whole[k].act)));
                    ASSERT(c->act <= whole[k].act + 4*DC_EPS && norm3(dc_sub(c->p, whole[k].p)) <= 0);
                    if (c->act > 0) continue;
                    ASSERT(!(norm3(c->n) > 0));
                    ++left_out;
                }
            }
        }
        printf("  path %d: change %.3g over a step shrinks by %.4g, the step by 4\n", path, change[0], change[0]/change[1]);
        ASSERT(change[0]/change[1] > 3.5);
    }
    printf("  activities change by %.3g at most, %d contacts left out\n", lost, left_out);
    ASSERT(lost <= 0.02 && lost > 0.005 && left_out > 10000);
    PASS();
}

/* Box a leans onto its corner (-, -, -) and rolls by `angle` about the axis that swaps its x and y. At 0 two edges tie for the
 * one that is kept, and two vertices for the second; all others are far from them. */
static dc_pose leaning(double angle)
{
    dc_pose pose;
    pose.t = dc_vec(DC_R(0.1), DC_R(0.05), 2);
    pose.q = dc_quat_mul(dc_quat_exp(dc_vec(DC_R(0.3), DC_R(-0.3), 0)), dc_quat_exp(dc_vec((dc_real)angle, (dc_real)angle, 0)));
    return pose;
}

TEST no_jump_at_ties_of_the_selection(void)
{
    static const double cube[3] = { 1, 1, 1 }, wide[3] = { 3, 3, 1 };
    static box a, b;
    int power;
    box_make(&a, 0.94655, cube, cube, 0.2);
    box_make(&b, 0.94655, wide, wide, 0.2);
    for (power = 1; power <= 2; ++power) {
        static dc_manifold_contact before[2*MOST], now[2*MOST];
        dc_manifold_options o = DC_ZERO;
        double change[2] = { 0, 0 }, coarse = DC_IS_FLOAT ? 1.0/2048 : 1.0/1048576;
        dc_real xi[12] = { 0 };
        dc_pose pose;
        dc_v3 left;
        int fine, i, k, j, count;
        o.keep_e_a = 1;
        o.keep_e_b = o.keep_v_a = 2;
        o.power = power;
        o.tau_pen = DC_R(0.2);
        o.tau_sign = o.tau_cl = DC_R(0.5);
        o.eps_n = DC_R(1e-2);
        count = dc_manifold_count(&a.surface, &b.surface, &o, NULL);
        ASSERT(count > 2 && count <= MOST);
        /* it is a tie: on its two sides different vertices are kept */
        o.tau_top = DC_R(1e-6);
        pose = leaning(-0.02);
        ASSERT_EQ(DC_OK, dc_manifold(&a.surface, &pose, &b.surface, &b.pose, &o, &mem, contacts));
        left = contacts[1].p;
        pose = leaning(0.02);
        ASSERT_EQ(DC_OK, dc_manifold(&a.surface, &pose, &b.surface, &b.pose, &o, &mem, contacts));
        left = dc_sub(left, contacts[1].p);
        ASSERT(dc_dot(left, left) > 1);
        o.tau_top = power == 2 ? DC_R(1e-3) : DC_R(1e-2);
        xi[3] = xi[4] = 1;
        for (fine = 0; fine < 2; ++fine)
            for (i = -4*(1 + 3*fine); i <= 4*(1 + 3*fine); ++i) {
                pose = leaning(i*coarse/(1 + 3*fine));
                ASSERT_EQ(DC_OK, dc_manifold_jvp(&a.surface, &pose, &b.surface, &b.pose, &o, xi, &mem, now, now + count));
                for (k = 0; i > -4*(1 + 3*fine) && k < 2*count; ++k)
                    for (j = 0; j < 8; ++j) change[fine] = fmax(change[fine], fabs((double)((&now[k].p.x)[j] - (&before[k].p.x)[j])));
                memcpy(before, now, sizeof now);
            }
        printf("  power %d: change over a step %.2g, shrinks by %.4g, the step by 4\n", power, change[0], change[0]/change[1]);
        ASSERT(change[0] < (DC_IS_FLOAT ? 80 : 0.1) && change[0]/change[1] > 3.5);      /* float's step is 512 times as long */
    }
    PASS();
}

/* With the reference length a scene of any size is the same: points and distances scale, normals and activities stay, and the
 * derivatives by positions and rotations follow. Without it, whatever the size, there are finite numbers. */
TEST scale_does_not_matter(void)
{
    static const double cube[3] = { 1, 1, 1 };
    static box a, b;
    worst w = worst_make("contacts"), j = worst_make("Jacobian"), v = worst_make("vjp against Jacobian");
    static dc_manifold_contact unit[MOST], unit_jac[12*MOST];
    double exponent;
    int matched;
    for (exponent = -6; exponent <= 6; exponent += 1)
        for (matched = 0; matched < 2; ++matched) {
            double scale = exponent == 0 ? 1 : pow(10, exponent), size[3], most = 0, sum;
            dc_manifold_options o = DC_ZERO;
            dc_real grad[12];
            int pass, i, k, l, count = 0;
            o.keep_e_a = 4;
            o.keep_v_b = 3;
            o.trace = o.inside = 1;
            o.tau_top = DC_R(1e-2);
            o.tau_pen = DC_R(0.1);
            o.tau_nn = DC_R(0.2);
            o.eps_n = DC_R(1e-4);
            for (pass = matched ? 0 : 1; pass < 2; ++pass) {            /* of size 1, then of size `scale` */
                double s = pass ? scale : 1;
                for (k = 0; k < 3; ++k) size[k] = s*cube[k];
                box_make(&a, 0.9, size, size, 0.4);
                box_make(&b, 0.92, size, size, 0.3);
                b.pose.t = dc_vec((dc_real)(0.3*s), (dc_real)(0.2*s), (dc_real)(1.7*s));
                b.pose.q = dc_quat_exp(dc_vec(DC_R(0.2), DC_R(-0.1), DC_R(0.5)));
                o.witness.length = matched ? (dc_real)s : 0;
                count = dc_manifold_count(&a.surface, &b.surface, &o, NULL);
                ASSERT(count > 0 && count <= MOST);
                ASSERT_EQ(DC_OK, dc_manifold_jac(&a.surface, &a.pose, &b.surface, &b.pose, &o, &mem, contacts, jac));
                if (pass) break;
                memcpy(unit, contacts, sizeof unit);
                memcpy(unit_jac, jac, sizeof unit_jac);
            }
            for (i = 0; i < count; ++i)
                for (k = 0; k < 8; ++k) {
                    dc_real x = (&contacts[i].p.x)[k];
                    ASSERT(dc_finite(x));
                    (&bar[i].p.x)[k] = k < 4 ? (dc_real)(1/scale) : 1;
                    if (matched) worst_add(&w, fabs((double)x/(k < 4 ? scale : 1) - (double)(&unit[i].p.x)[k]), "scale %g contact %d number %d", scale, i, k);
                }
            for (i = 0; i < 12*count; ++i)
                for (k = 0; k < 8; ++k) most = fmax(most, fabs((double)(&unit_jac[i].p.x)[k]));
            ASSERT_EQ(DC_OK, dc_manifold_vjp(&a.surface, &a.pose, &b.surface, &b.pose, &o, bar, &mem, NULL, grad));
            for (l = 0; l < 12; ++l) {
                double all = 0;
                for (sum = 0, i = 0; i < count; ++i)
                    for (k = 0; k < 8; ++k) {
                        double x = (double)(&jac[l*count + i].p.x)[k], rate = (k < 4 ? 1/scale : 1)*(l%6 < 3 ? scale : 1);
                        ASSERT(dc_finite((&jac[l*count + i].p.x)[k]));
                        sum += x*(double)(&bar[i].p.x)[k];
                        all += fabs(x*(double)(&bar[i].p.x)[k]);
                        if (matched) worst_add(&j, fabs(x*rate - (double)(&unit_jac[l*count + i].p.x)[k])/most, "scale %g column %d contact %d", scale, l, i);
                    }
                ASSERT(dc_finite(grad[l]));
                if (matched) worst_add(&v, fabs((double)grad[l] - sum)/all, "scale %g column %d", scale, l);
            }
        }
    ASSERT(worst_print(&w, 2000*EPS) & worst_print(&j, 2000*EPS) & worst_print(&v, 50*EPS));
    PASS();
}

/* ---- options ---- */

/* field of a body at a point of the world, and the normal that its contacts have */
static int field_at(const box *b, dc_v3 p, dc_real *phi, dc_v3 *n)
{
    dc_v3 x = dc_pose_apply(dc_pose_inv(b->pose), p), dir;
    dc_real row[3], d[3];
    dc_sdf_out out = DC_ZERO;
    row[0] = x.x;
    row[1] = x.y;
    row[2] = x.z;
    out.value = phi;
    out.dir = d;
    if (dc_sdf_eval_batch(&b->sdf, 1, row, 1, &mem, &out) != DC_OK) return 0;
    dir = dc_quat_rotate(b->pose.q, dc_vec(d[0], d[1], d[2]));
    *n = dc_scale(1/dc_sqrt(DC_R(1e-8) + dc_dot(dir, dir)), dir);
    return 1;
}

/* `inside` multiplies activities of edges by whether the point is in its own body; `trace` moves the point along the normal
 * where it was, by the field's value, so many times; what is left out is left out and changes nothing else. */
TEST options_against_the_fields(void)
{
    static const double big[3] = { 1, 0.8, 0.6 }, small[3] = { 0.9, 1, 0.7 };
    static box a, b;
    static dc_manifold_contact plain[MOST];
    worst wi = worst_make("inside"), wt = worst_make("trace");
    dc_manifold_options o = DC_ZERO;
    int part[4], first, count, i, k, steps;
    box_make(&a, 0.9, big, big, 0.4);
    box_make(&b, 0.95, small, small, 0.5);
    a.pose.t = dc_vec(DC_R(0.1), DC_R(-0.2), DC_R(0.05));
    a.pose.q = dc_quat_exp(dc_vec(DC_R(0.3), DC_R(0.2), DC_R(-0.4)));
    b.pose.t = dc_vec(DC_R(0.3), DC_R(0.4), DC_R(1.1));
    b.pose.q = dc_quat_exp(dc_vec(DC_R(-0.2), DC_R(0.5), DC_R(0.6)));
    o.tau_pen = o.tau_nn = DC_R(0.1);
    o.keep_v_b = 5;
    count = dc_manifold_count(&a.surface, &b.surface, &o, part);
    ASSERT(count > 0 && count <= MOST);
    first = part[0] + part[1];
    ASSERT_EQ(DC_OK, dc_manifold(&a.surface, &a.pose, &b.surface, &b.pose, &o, &mem, plain));
    for (steps = 0; steps <= 3; ++steps) {
        o.inside = steps == 0;
        o.trace = steps;
        ASSERT_EQ(DC_OK, dc_manifold(&a.surface, &a.pose, &b.surface, &b.pose, &o, &mem, contacts));
        ASSERT(memcmp(contacts, plain, (size_t)first*sizeof *plain) == 0);
        for (i = first; i < count; ++i) {
            const box *own = i < first + part[2] ? &a : &b;
            dc_v3 p = plain[i].p, n, start;
            dc_real phi;
            ASSERT(field_at(own, p, &phi, &start));
            if (steps == 0) worst_add(&wi, fabs((double)(contacts[i].act - plain[i].act*dc_sigmoid(-phi/o.tau_pen))), "contact %d", i);
            for (k = 0; k < steps; ++k) {
                ASSERT(field_at(own, p, &phi, &n));
                p = dc_madd(p, -phi, start);
            }
            p = dc_sub(p, contacts[i].p);
            worst_add(&wt, sqrt((double)dc_dot(p, p)), "contact %d after %d", i, steps);
        }
    }
    ASSERT(worst_print(&wi, 20*EPS) & worst_print(&wt, 200*EPS));
    o.trace = 0;
    o.no_vs_a = 1;
    ASSERT_EQ(count - part[0], dc_manifold_count(&a.surface, &b.surface, &o, NULL));
    ASSERT_EQ(DC_OK, dc_manifold(&a.surface, &a.pose, &b.surface, &b.pose, &o, &mem, contacts));
    ASSERT(memcmp(contacts, plain + part[0], (size_t)(count - part[0])*sizeof *plain) == 0);
    o.no_vs_a = 0;
    o.no_vs_b = 1;
    ASSERT_EQ(count - part[1], dc_manifold_count(&a.surface, &b.surface, &o, NULL));
    ASSERT_EQ(DC_OK, dc_manifold(&a.surface, &a.pose, &b.surface, &b.pose, &o, &mem, contacts));
    ASSERT(memcmp(contacts, plain, (size_t)part[0]*sizeof *plain) == 0);
    ASSERT(memcmp(contacts + part[0], plain + first, (size_t)(count - first)*sizeof *plain) == 0);
    o.no_vs_b = 0;
    o.no_ee = 1;
    ASSERT_EQ(first, dc_manifold_count(&a.surface, &b.surface, &o, NULL));
    ASSERT_EQ(DC_OK, dc_manifold(&a.surface, &a.pose, &b.surface, &b.pose, &o, &mem, contacts));
    ASSERT(memcmp(contacts, plain, (size_t)first*sizeof *plain) == 0);
    PASS();
}

/* ---- memory and bad input ---- */

TEST memory_is_exact_and_given_back(void)
{
    static const double cube[3] = { 1, 1, 1 };
    static unsigned char guard[1 << 20];
    static box a, b;
    int kind, derive, k;
    box_make(&a, 0.9, cube, cube, 0.3);
    box_make(&b, 0.9, cube, cube, 0.5);
    b.pose.t.z = DC_R(1.7);
    for (kind = 0; kind < 6; ++kind)
        for (derive = 0; derive < 3; ++derive) {
            static const dc_real xi[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6 };
            dc_manifold_options o = DC_ZERO;
            dc_real grad[12];
            size_t need, used, n;
            if (kind == 1) o.no_ee = 1;
            if (kind == 2) o.keep_v_a = o.keep_v_b = o.keep_e_a = o.keep_e_b = 2;
            if (kind == 3) { o.trace = 3; o.inside = 1; o.keep_e_a = 4; }
            if (kind == 4) o.no_vs_a = o.no_vs_b = 1;
            if (kind == 5) o.no_vs_a = o.no_ee = 1;
            n = (size_t)dc_manifold_count(&a.surface, &b.surface, &o, NULL);
            ASSERT(n > 0 && n <= MOST);
            memset(bar, 0, sizeof bar);
            need = dc_manifold_bytes(&a.surface, &b.surface, &o, derive);
            ASSERT(need > 0 && need + 200 < sizeof guard);
            for (k = 0; k < 70; k += 23) {                  /* memory that starts anywhere */
                dc_arena tight = dc_arena_make(guard + 100 + k, need);
                memset(guard, 0xA5, sizeof guard);
                tight.used = 0;
                if (derive == 2) ASSERT_EQ(DC_OK, dc_manifold_hvp(&a.surface, NULL, &b.surface, &b.pose, &o, bar, bar, xi, &tight, NULL, grad));
                else if (derive) ASSERT_EQ(DC_OK, dc_manifold_vjp(&a.surface, NULL, &b.surface, &b.pose, &o, bar, &tight, NULL, grad));
                else ASSERT_EQ(DC_OK, dc_manifold(&a.surface, NULL, &b.surface, &b.pose, &o, &tight, contacts));
                ASSERT_EQ(0, tight.used);
                ASSERT(all_bytes(guard, 100 + (size_t)k, 0xA5));
                ASSERT(all_bytes(guard + 100 + k + need, sizeof guard - 100 - (size_t)k - need, 0xA5));
            }
            /* too small: by a little, by a lot */
            for (used = 0; used + 2*DC_ALIGN < need; used += 1 + need/11) {
                dc_arena tight = dc_arena_make(guard, used);
                memset(contacts, 0x5A, sizeof contacts);
                memset(grad, 0x5A, sizeof grad);
                if (derive == 2) ASSERT_EQ(DC_E_MEMORY, dc_manifold_hvp(&a.surface, NULL, &b.surface, &b.pose, &o, bar, bar, xi, &tight, grad, grad));
                else if (derive) ASSERT_EQ(DC_E_MEMORY, dc_manifold_vjp(&a.surface, NULL, &b.surface, &b.pose, &o, bar, &tight, contacts, grad));
                else ASSERT_EQ(DC_E_MEMORY, dc_manifold(&a.surface, NULL, &b.surface, &b.pose, &o, &tight, contacts));
                ASSERT_EQ(0, tight.used);
                ASSERT(all_bytes(contacts, sizeof contacts, 0x5A) && all_bytes(grad, sizeof grad, 0x5A));
            }
        }
    PASS();
}

TEST bad_arguments(void)
{
    static const double cube[3] = { 1, 1, 1 };
    static box a, b;
    dc_manifold_options o = DC_ZERO, bad;
    dc_real xi[12] = { 0 }, grad[12], hvp[12], nan = (dc_real)(double)NAN;
    dc_pose pose;
    dc_surface s;
    int k;
    box_make(&a, 0.9, cube, cube, 0.3);
    box_make(&b, 0.9, cube, cube, 0.3);
    memset(bar, 0, sizeof bar);
    memset(contacts, 0, sizeof contacts);
    memset(hvp, 0x5A, sizeof hvp);
    ASSERT_EQ(DC_E_ARG, dc_manifold(NULL, NULL, &b.surface, NULL, &o, &mem, contacts));
    ASSERT_EQ(DC_E_ARG, dc_manifold(&a.surface, NULL, NULL, NULL, &o, &mem, contacts));
    ASSERT_EQ(DC_E_ARG, dc_manifold(&a.surface, NULL, &b.surface, NULL, &o, NULL, contacts));
    ASSERT_EQ(DC_E_ARG, dc_manifold(&a.surface, NULL, &b.surface, NULL, &o, &mem, NULL));
    ASSERT_EQ(DC_E_ARG, dc_manifold_jvp(&a.surface, NULL, &b.surface, NULL, &o, NULL, &mem, NULL, dcontacts));
    ASSERT_EQ(DC_E_ARG, dc_manifold_jvp(&a.surface, NULL, &b.surface, NULL, &o, xi, &mem, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_manifold_vjp(&a.surface, NULL, &b.surface, NULL, &o, NULL, &mem, NULL, grad));
    ASSERT_EQ(DC_E_ARG, dc_manifold_vjp(&a.surface, NULL, &b.surface, NULL, &o, bar, &mem, NULL, NULL));
    ASSERT_EQ(DC_E_ARG, dc_manifold_jac(&a.surface, NULL, &b.surface, NULL, &o, &mem, NULL, NULL));
    ASSERT_EQ(0, dc_manifold_count(NULL, &b.surface, &o, NULL));
    ASSERT_EQ(0, dc_manifold_bytes(&a.surface, NULL, &o, 0));
    s = a.surface;
    s.mesh = NULL;
    ASSERT_EQ(DC_E_ARG, dc_manifold(&s, NULL, &b.surface, NULL, &o, &mem, contacts));
    s = a.surface;
    s.sdf = NULL;
    ASSERT_EQ(DC_E_ARG, dc_manifold(&s, NULL, &b.surface, NULL, &o, &mem, contacts));
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(NULL, NULL, &b.surface, NULL, &o, bar, NULL, xi, &mem, NULL, hvp));
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(&a.surface, NULL, NULL, NULL, &o, bar, NULL, xi, &mem, NULL, hvp));
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(&a.surface, NULL, &b.surface, NULL, &o, NULL, NULL, xi, &mem, NULL, hvp));
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(&a.surface, NULL, &b.surface, NULL, &o, bar, NULL, NULL, &mem, NULL, hvp));
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(&a.surface, NULL, &b.surface, NULL, &o, bar, NULL, xi, NULL, NULL, hvp));
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(&a.surface, NULL, &b.surface, NULL, &o, bar, NULL, xi, &mem, NULL, NULL));
    /* a field without third derivatives: only distances of vertices have second ones */
    a.prim.taubin = 1;
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(&a.surface, NULL, &b.surface, NULL, &o, bar, NULL, xi, &mem, NULL, hvp));
    bad = o;
    bad.no_ee = 1;
    memset(bar, 0, sizeof bar);
    bar[0].n.x = 1;                                             /* of a vertex of a: the normal of b */
    ASSERT_EQ(DC_OK, dc_manifold_hvp(&a.surface, NULL, &b.surface, NULL, &bad, bar, NULL, xi, &mem, NULL, grad));
    bar[8].n.x = 1;
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(&a.surface, NULL, &b.surface, NULL, &bad, bar, NULL, xi, &mem, NULL, hvp));
    bar[0].n.x = bar[8].n.x = 0;
    a.prim.taubin = 0;
    /* poses, directions, cotangents */
    pose = a.pose;
    pose.t.y = nan;
    ASSERT_EQ(DC_E_ARG, dc_manifold(&a.surface, &pose, &b.surface, NULL, &o, &mem, contacts));
    pose = a.pose;
    pose.q.w = 2;
    ASSERT_EQ(DC_E_ARG, dc_manifold(&a.surface, NULL, &b.surface, &pose, &o, &mem, contacts));
    xi[7] = nan;
    ASSERT_EQ(DC_E_ARG, dc_manifold_jvp(&a.surface, NULL, &b.surface, NULL, &o, xi, &mem, NULL, dcontacts));
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(&a.surface, NULL, &b.surface, NULL, &o, bar, NULL, xi, &mem, NULL, hvp));
    xi[7] = 0;
    bar[3].n.z = (dc_real)HUGE_VAL;
    ASSERT_EQ(DC_E_ARG, dc_manifold_vjp(&a.surface, NULL, &b.surface, NULL, &o, bar, &mem, NULL, grad));
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(&a.surface, NULL, &b.surface, NULL, &o, bar, NULL, xi, &mem, NULL, hvp));
    ASSERT_EQ(DC_E_ARG, dc_manifold_hvp(&a.surface, NULL, &b.surface, NULL, &o, contacts, bar, xi, &mem, NULL, hvp));
    bar[3].n.z = DC_REAL_MAX/4;
    ASSERT_EQ(DC_E_ARG, dc_manifold_vjp(&a.surface, NULL, &b.surface, NULL, &o, bar, &mem, NULL, grad));
    /* meshes and fields */
    for (k = 0; k < 2; ++k) {
        int keep = a.edge[5];
        a.edge[5] = k ? 8 : -1;
        ASSERT_EQ(DC_E_ARG, dc_manifold(&a.surface, NULL, &b.surface, NULL, &o, &mem, contacts));
        a.edge[5] = keep;
    }
    a.v[3].x = nan;
    ASSERT_EQ(DC_E_ARG, dc_manifold(&a.surface, NULL, &b.surface, NULL, &o, &mem, contacts));
    a.v[3].x = 0;
    b.prim.size.x = -1;
    ASSERT_EQ(DC_E_ARG, dc_manifold(&a.surface, NULL, &b.surface, NULL, &o, &mem, contacts));
    b.prim.size.x = 1;
    /* options */
    for (k = 0; k < 19; ++k) {
        bad = o;
        switch (k) {
        case 0: bad.keep_v_a = 9; break;
        case 1: bad.keep_v_b = -1; break;
        case 2: bad.keep_e_a = 13; break;
        case 3: bad.keep_e_b = -1; break;
        case 4: bad.power = 3; break;
        case 5: bad.trace = 17; break;
        case 6: bad.trace = -1; break;
        case 7: bad.tau_pen = -1; break;
        case 8: bad.tau_sign = nan; break;
        case 9: bad.tau_nn = (dc_real)HUGE_VAL; break;
        case 10: bad.tau_cl = -1; break;
        case 11: bad.eps_n = -1; break;
        case 12: bad.tau_n = nan; break;
        case 13: bad.tau_top = -1; break;
        case 14: bad.witness.w_reg = -1; break;
        case 15: bad.cull = -1; break;
        case 16: bad.cull = DC_R(0.2); break;
        case 17: bad.cull = nan; break;
        default: bad.witness.length = nan; break;
        }
        ASSERT_EQ(DC_E_ARG, dc_manifold(&a.surface, NULL, &b.surface, NULL, &bad, &mem, contacts));
        ASSERT_EQ(0, dc_manifold_count(&a.surface, &b.surface, &bad, NULL));
        ASSERT_EQ(0, dc_manifold_bytes(&a.surface, &b.surface, &bad, 1));
    }
    ASSERT(all_bytes(hvp, sizeof hvp, 0x5A));
    ASSERT_EQ(DC_OK, dc_manifold(&a.surface, NULL, &b.surface, NULL, &o, &mem, contacts));
    ASSERT_EQ(0, mem.used);
    PASS();
}

/* Two bodies of different sizes: what is kept is bounded by each one's own counts. A body without edges leaves no contacts of
 * edges; a quaternion not quite of unit length is normalised. */
TEST bodies_of_different_sizes(void)
{
    static const double cube[3] = { 1, 1, 1 };
    static box a, b;
    static dc_manifold_contact unit[MOST];
    dc_manifold_options o = DC_ZERO;
    dc_real xi[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
    dc_pose pose;
    worst w = worst_make("quaternion of length 1.0004");
    int part[4], i, count;
    box_make(&a, 0.9, cube, cube, 0.3);
    box_make(&b, 0.9, cube, cube, 0.5);
    b.pose.t = dc_vec(DC_R(0.2), DC_R(0.1), DC_R(1.6));
    b.pose.q = dc_quat_exp(dc_vec(DC_R(0.1), DC_R(0.2), DC_R(-0.3)));
    b.mesh.nv = 5;                                              /* corners 0 to 4 and the edges between them */
    for (b.mesh.ne = i = 0; i < 12; ++i)
        if (b.edge[2*i] < 5 && b.edge[2*i + 1] < 5) {
            b.edge[2*b.mesh.ne] = b.edge[2*i];
            b.edge[2*b.mesh.ne++ + 1] = b.edge[2*i + 1];
        }
    ASSERT_EQ(5, b.mesh.ne);
    for (i = 0; i < 4; ++i) {
        static const int most[4] = { 8, 5, 12, 5 };
        int *keep[4];
        keep[0] = &o.keep_v_a;
        keep[1] = &o.keep_v_b;
        keep[2] = &o.keep_e_a;
        keep[3] = &o.keep_e_b;
        *keep[i] = most[i];
        ASSERT_EQ(DC_OK, dc_manifold(&a.surface, NULL, &b.surface, &b.pose, &o, &mem, contacts));
        *keep[i] = most[i] + 1;
        ASSERT_EQ(DC_E_ARG, dc_manifold(&a.surface, NULL, &b.surface, &b.pose, &o, &mem, contacts));
        *keep[i] = 0;
    }
    o.keep_e_a = 3;
    ASSERT_EQ(13 + 2*3*5, dc_manifold_count(&a.surface, &b.surface, &o, part));
    ASSERT(part[0] == 8 && part[1] == 5 && part[2] == 15 && part[3] == 15);

    ASSERT_EQ(DC_OK, dc_manifold(&a.surface, NULL, &b.surface, &b.pose, &o, &mem, unit));
    pose = b.pose;
    pose.q.w *= DC_R(1.0004);
    pose.q.x *= DC_R(1.0004);
    pose.q.y *= DC_R(1.0004);
    pose.q.z *= DC_R(1.0004);
    ASSERT_EQ(DC_OK, dc_manifold(&a.surface, NULL, &b.surface, &pose, &o, &mem, contacts));
    for (i = 0; i < 43; ++i)
        for (count = 0; count < 8; ++count)
            worst_add(&w, fabs((double)((&contacts[i].p.x)[count] - (&unit[i].p.x)[count])), "contact %d", i);
    ASSERT(worst_print(&w, 1000*EPS));

    b.mesh.ne = 0;
    b.mesh.edge = NULL;
    for (i = 0; i < 2; ++i) {
        const dc_surface *first = i ? &b.surface : &a.surface, *second = i ? &a.surface : &b.surface;
        o.keep_e_a = i ? 0 : 3;
        o.keep_e_b = i ? 3 : 0;
        count = dc_manifold_count(first, second, &o, part);
        ASSERT(count == 13 && part[2] == 0 && part[3] == 0);
        ASSERT_EQ(DC_OK, dc_manifold_jvp(first, NULL, second, &b.pose, &o, xi, &mem, contacts, dcontacts));
        if (i == 0) ASSERT(memcmp(contacts, unit, 13*sizeof *unit) == 0);
        ASSERT_EQ(0, mem.used);
    }
    PASS();
}

/* Bodies in the same place, centres on vertices, edges of no length, huge distances: finite numbers. */
TEST never_nan(void)
{
    static const double cube[3] = { 1, 1, 1 };
    static box a, b;
    static const double place[8] = { 0, 1e-12, 1, 2, 1e3, 1e6, -1e6, 1e-3 };
    int i, j, k, n;
    box_make(&a, 1, cube, cube, 0.1);
    box_make(&b, 1, cube, cube, 0.1);
    b.v[0] = b.v[1] = dc_vec(0, 0, 0);
    for (i = 0; i < 8; ++i)
        for (k = 0; k < 4; ++k) {
            dc_manifold_options o = DC_ZERO;
            dc_pose pose = b.pose;
            pose.t = dc_vec((dc_real)place[i], k & 1 ? DC_R(1) : DC_R(0), 0);
            if (k & 2) {
                o.keep_v_a = o.keep_e_a = 5;
                o.keep_e_b = 4;
                o.trace = 1;
            }
            n = dc_manifold_count(&a.surface, &b.surface, &o, NULL);
            ASSERT(n > 0 && n <= MOST);
            ASSERT_EQ(DC_OK, dc_manifold_jac(&a.surface, NULL, &b.surface, &pose, &o, &mem, contacts, jac));
            dc_manifold_mean(n, contacts, bar);
            for (j = 0; j < 12; ++j) {
                dc_real xi[12] = { 0 }, hvp[12];
                dc_status status;
                xi[j] = 1;
                status = dc_manifold_hvp(&a.surface, NULL, &b.surface, &pose, &o, bar, NULL, xi, &mem, NULL, hvp);
                ASSERT_EQ(DC_OK, status);
            }
            for (; n-- > 0;) {
                const dc_real *c = &contacts[n].p.x;
                for (j = 0; j < 8; ++j) ASSERT(dc_finite(c[j]));
                ASSERT(contacts[n].act >= 0 && contacts[n].act <= 1);
            }
            for (n = 12*dc_manifold_count(&a.surface, &b.surface, &o, NULL); n-- > 0;) {
                const dc_real *c = &jac[n].p.x;
                for (j = 0; j < 8; ++j) ASSERT(dc_finite(c[j]));
            }
        }
    PASS();
}

/* ---- bits ---- */

/* A hash of manifolds and of their derivatives, with and without selections, tracing and the other options. */
TEST bits_are_the_same_on_every_machine(void)
{
#ifdef DC_TEST_NO_CONTRACT
    static const double cube[3] = { 1, 0.8, 0.9 };
    static box a, b;
    uint64_t h = UINT64_C(14695981039346656037);
    rng r;
    int i, k;
    rng_seed(&r, 53);
    box_make(&a, 0.9, cube, cube, 0.4);
    box_make(&b, 0.92, cube, cube, 0.3);
    for (i = 0; i < 24; ++i) {
        dc_manifold_options o = DC_ZERO;
        dc_pose pose = random_pose(&r, 1);
        dc_real xi[12], grad[12], sum;
        int count;
        pose.t.z += DC_R(1.5);
        for (k = 0; k < 12; ++k) xi[k] = (dc_real)rng_uniform(&r, -1, 1);
        if (i & 1) o.keep_e_a = o.keep_e_b = 4;
        if (i & 2) o.keep_v_a = o.keep_v_b = 3;
        if (i & 4) o.trace = o.inside = 1;
        if (i & 16) o.witness.length = DC_R(1.5);
        o.power = i & 8 ? 1 : 2;
        o.tau_top = DC_R(0.05);
        count = dc_manifold_count(&a.surface, &b.surface, &o, NULL);
        ASSERT(count > 0 && count <= MOST);
        ASSERT_EQ(DC_OK, dc_manifold_jvp(&a.surface, &pose, &b.surface, &b.pose, &o, xi, &mem, contacts, dcontacts));
        for (k = 0; k < count; ++k) h = mix(mix(h, &contacts[k].p.x, 8), &dcontacts[k].p.x, 8);
        sum = dc_manifold_active(count, contacts, bar);
        ASSERT_EQ(DC_OK, dc_manifold_vjp(&a.surface, &pose, &b.surface, &b.pose, &o, bar, &mem, NULL, grad));
        h = mix(mix(h, &sum, 1), grad, 12);
    }
    printf("  hash %016llx\n", (unsigned long long)h);
    ASSERT(h == (DC_IS_FLOAT ? UINT64_C(0xb978fe4791290a80) : UINT64_C(0x5151bbfab4543dba)));
    PASS();
#else
    (void)mix;
    SKIPm("needs -ffp-contract=off and DC_TEST_NO_CONTRACT");
#endif
}

SUITE(manifold)
{
    RUN_TEST(manifold_table);
    RUN_TEST(vertices_table);
    RUN_TEST(derivatives_of_every_option);
    RUN_TEST(the_three_ways_are_of_one_side_on_edges_of_boxes);
    RUN_TEST(contacts_of_prisms_are_corners_of_the_overlap);
    RUN_TEST(derivatives_of_prisms);
    RUN_TEST(no_jumps);
    RUN_TEST(culling_does_not_jump);
    RUN_TEST(no_jump_at_ties_of_the_selection);
    RUN_TEST(scale_does_not_matter);
    RUN_TEST(options_against_the_fields);
    RUN_TEST(memory_is_exact_and_given_back);
    RUN_TEST(bad_arguments);
    RUN_TEST(bodies_of_different_sizes);
    RUN_TEST(never_nan);
    RUN_TEST(bits_are_the_same_on_every_machine);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    mem = dc_arena_make(memory, sizeof memory);
    RUN_SUITE(manifold);
    GREATEST_MAIN_END();
}
