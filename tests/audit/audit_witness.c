/* Audit of dc_witness.h: see audit.h. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#include "dc_witness.h"
#define DQ_CONTACT_IMPLEMENTATION
#define DQ_SDF_IMPLEMENTATION
#define DQ_WITNESS_IMPLEMENTATION
#include "dq_witness.h"

#include "audit.h"
#include "fields.h"

static unsigned char memory[1 << 22], quad_memory[1 << 23];

/* ---- witness points of edges, of a vertex and a triangle ---- */

enum { W_GENERIC, W_TOUCHING, W_PARALLEL, W_CROSSING, W_DEGENERATE, W_IDENTICAL, W_TIES, W_NEEDLES, W_APART, W_SIZES,
      W_OFFSET, W_LIMITS,
       W_CLASSES };
static const char *const witness_classes[] = {"generic", "touching", "parallel", "crossing", "degenerate",
                                              "identical", "ties", "needles",
                                              "apart 1e6", "sizes 1e+-6", "far offset", "limits"};

typedef struct {
    dc_witness_options o;
    dq_witness_options Q;
    dc_v3 p[4];                 /* a0 a1 b0 b1, or v t0 t1 t2 */
    double size;
    int face;
} four;

static void four_draw(rng *r, int class, int face, int listing, four *f)
{
    double x[4][3], size = class == W_SIZES ? rng_log(r, 1e-6, 1e6) : 1;
    double near = rng_log(r, DC_IS_FLOAT ? 1e-6 : 1e-12, 1e-3);
    int i, j;
    memset(f, 0, sizeof *f);
    f->face = face;
    f->size = size;
    for (i = 0; i < 4; ++i)
        for (j = 0; j < 3; ++j) x[i][j] = rng_uniform(r, -1, 1);
    for (j = 0; j < 3; ++j) {
        switch (class) {
        case W_TOUCHING:        /* on the other but for a little */
            x[0][j] = face ? (x[1][j] + x[2][j] + x[3][j])/3 + near*x[0][j]
                : x[2][j] + 0.3*(x[3][j] - x[2][j]) + near*x[0][j];
            break;
        case W_PARALLEL:
            if (face) x[0][j] = x[1][j] + 0.4*(x[2][j] - x[1][j]) + 0.3*(x[3][j] - x[1][j]);
            else x[1][j] = x[0][j] + 0.7*(x[3][j] - x[2][j]);
            break;
        case W_CROSSING:        /* at their middles, or a vertex on an edge */
            if (face) x[0][j] = 0.5*(x[1][j] + x[2][j]);
            else x[1][j] = x[2][j] + x[3][j] - x[0][j];
            break;
        case W_DEGENERATE:      /* one or both of no length; a triangle of no area, or a point */
            if (face) x[3][j] = x[2][j];
            else x[1][j] = x[0][j];
            break;
        case W_IDENTICAL:
            if (face) x[0][j] = x[1][j];
            else {
                x[2][j] = x[0][j];
                x[3][j] = x[1][j];
            }
            break;
        case W_TIES:            /* corners of a cube */
            for (i = 0; i < 4; ++i) x[i][j] = x[i][j] > 0 ? 1 : -1;
            break;
        case W_NEEDLES:
            if (j > 0) for (i = 0; i < 4; ++i) x[i][j] *= near;
            break;
        case W_APART: x[0][j] += 1e6; if (!face) x[1][j] += 1e6; break;
        case W_OFFSET: for (i = 0; i < 4; ++i) x[i][j] += (DC_IS_FLOAT ? 30 : 1e3)*(j - 1.5); break;
        default: break;
        }
    }
    for (i = 0; i < 4; ++i) f->p[i] = vec_of(size*x[i][0], size*x[i][1], size*x[i][2]);
    f->o.length = (dc_real)(class == W_SIZES ? size : 0);
    f->o.listing = listing;
    if (class == W_LIMITS) {
        f->o.w_reg = (dc_real)(rng_log(r, DC_IS_FLOAT ? 1e-3 : 1e-6, 10));
        f->o.eps_clip = (dc_real)(rng_log(r, 1e-3, 10));
        f->o.eps_min = (dc_real)(rng_log(r, 1e-3, 10));
        f->o.eps_comp = (dc_real)(rng_log(r, 1e-3, 10));
    }
    f->Q.length = f->o.length;
    f->Q.listing = listing;
    /* zeros are the defaults of each precision: 0.01 is not the same number in both */
    f->o.w_reg = (dc_real)(f->o.w_reg > 0 ? f->o.w_reg : DC_R(0.01));
    f->o.eps_clip = (dc_real)(f->o.eps_clip > 0 ? f->o.eps_clip : DC_R(0.1));
    f->o.eps_min = (dc_real)(f->o.eps_min > 0 ? f->o.eps_min : DC_R(0.1));
    f->o.eps_comp = (dc_real)(f->o.eps_comp > 0 ? f->o.eps_comp : DC_R(0.1));
    f->Q.w_reg = f->o.w_reg;
    f->Q.eps_clip = f->o.eps_clip;
    f->Q.eps_min = f->o.eps_min;
    f->Q.eps_comp = f->o.eps_comp;
}

static void four_up(const four *f, const dq_real *t, dq_v3 p[4])
{
    int i;
    for (i = 0; i < 4; ++i, t += 3) p[i] = dq_add(audit_up3(f->p[i]), dq_vec(t[0], t[1], t[2]));
}

/* all rows of the Jacobian: 9 of edges, 10 of a vertex and a face */
static int four_value(const dq_real *t, dq_real *v, void *user)
{
    const four *f = (const four *)user;
    dq_v3 p[4];
    dq_ee e;
    dq_vf g;
    four_up(f, t, p);
    if (f->face) {
        if (dq_vf_witness(&f->Q, p[0], p + 1, &g, NULL) != DQ_OK) return 0;
        v[0] = g.p.x; v[1] = g.p.y; v[2] = g.p.z;
        v[3] = g.alpha[0]; v[4] = g.alpha[1]; v[5] = g.alpha[2];
        v[6] = g.bary[0]; v[7] = g.bary[1]; v[8] = g.bary[2];
        v[9] = g.gamma;
        return 1;
    }
    if (dq_ee_witness(&f->Q, p, p + 2, &e, NULL) != DQ_OK) return 0;
    v[0] = e.a.x; v[1] = e.a.y; v[2] = e.a.z;
    v[3] = e.b.x; v[4] = e.b.y; v[5] = e.b.z;
    v[6] = e.alpha[0]; v[7] = e.alpha[1];
    v[8] = e.gamma;
    return 1;
}

/* The whole Jacobian from what the batch gives, the gradients of two weights and the indicator [3 x 12]:
 *     da = (1 - alpha_a) da0 + alpha_a da1 + (a1 - a0) dalpha_a
 *     dp = sum alpha_i dt_i + (t1 - t0) dalpha_1 + (t2 - t0) dalpha_2
 * The barycentric coordinates of a vertex, whose gradients it does not give, are left as they come from `full`. */
static void four_compose(const four *f, const dc_real *y, const dc_real *g, const dc_real *full, dc_real *J)
{
    int i, j, k;
    memcpy(J, full, 120*sizeof *J);
    for (i = 0; i < 3; ++i)
        for (j = 0; j < 12; ++j) {
            const dc_real *p[4];
            for (k = 0; k < 4; ++k) p[k] = &f->p[k].x;
            if (f->face) {
                J[i*12 + j] = (p[2][i] - p[1][i])*g[j] + (p[3][i] - p[1][i])*g[12 + j];
                if (j >= 3 && j%3 == i) J[i*12 + j] += y[3 + j/3 - 1];
                continue;
            }
            J[i*12 + j] = (p[1][i] - p[0][i])*g[j];
            J[(3 + i)*12 + j] = (p[3][i] - p[2][i])*g[12 + j];
            if (j%3 != i) continue;
            if (j < 6) J[i*12 + j] += j < 3 ? 1 - y[6] : y[6];
            else J[(3 + i)*12 + j] += j < 9 ? 1 - y[7] : y[7];
        }
    for (j = 0; j < 12; ++j) {
        if (f->face) J[3*12 + j] = -(g[j] + g[12 + j]);
        J[(f->face ? 4 : 6)*12 + j] = g[j];
        J[(f->face ? 5 : 7)*12 + j] = g[12 + j];
        J[(f->face ? 9 : 8)*12 + j] = g[24 + j];
    }
}

static void witness(int face, int listing, int batch, const char *name, long n)
{
    enum { COUNT = 5, STRIDE = 6 };
    int class;
    for (class = 0; class < W_CLASSES; ++class) {
        audit_row *row = audit_of(name, witness_classes[class]);
        long k;
        /* the paper's listing has a kink where the vertex is on an edge, and no pull that makes flat triangles
         * unique */
        if (listing && (class == W_CROSSING || class == W_IDENTICAL || class == W_DEGENERATE || class == W_TIES
                        || class == W_NEEDLES)) continue;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static four f;
            rng r = audit_draw(row, k);
            dc_real out[13 + 120], x[12*STRIDE], y[10*STRIDE], jac[36*STRIDE], y_of[10], gradients[36], J[120];
            double scale[12], unit[10], reach = 0, h;
            dc_status s;
            int i, j, m = face ? 10 : 9;
            four_draw(&r, class, face, listing, &f);
            for (i = 0; i < 4; ++i) reach = fmax(reach, length_of(f.p[i]));
            for (i = 0; i < 12; ++i) scale[i] = f.size;
            for (i = 0; i < 10; ++i) unit[i] = i < (face ? 3 : 6) ? f.size : 1;
            audit_rounding = fmax(reach/f.size, 1);
            h = class == W_LIMITS ? 1e-10 : class == W_APART ? 1e-7 : 1e-8;
            if (batch) {
                for (i = 0; i < 12; ++i)
                    for (j = 0; j < COUNT; ++j) x[i*STRIDE + j] = (&f.p[i/3].x)[i%3];
                memset(y, 0, sizeof y);
                memset(jac, 0, sizeof jac);
                s = face ? dc_vf_witness_batch(&f.o, COUNT, x, STRIDE, y, jac)
                         : dc_ee_witness_batch(&f.o, COUNT, x, STRIDE, y, jac);
                for (i = 0; i < m; ++i) y_of[i] = y[i*STRIDE + 3];
                for (i = 0; i < 36; ++i) gradients[i] = jac[i*STRIDE + 3];
                audit_call(row, s, s == DC_OK && dc_finite(gradients[0]), y_of, (size_t)m);
                if (s != DC_OK) continue;
            }
            s = face ? dc_vf_witness(&f.o, f.p[0], f.p + 1, (dc_vf *)out, out + 13)
                     : dc_ee_witness(&f.o, f.p, f.p + 2, (dc_ee *)out, out + 13);
            if (!batch) audit_call(row, s, s == DC_OK, out + 13, (size_t)(12*m));
            if (s != DC_OK) continue;
            if (batch) four_compose(&f, y_of, gradients, out + 13, J);
            audit_jacobian(row, four_value, &f, 12, scale, m, unit, batch ? J : out + 13, 12, h, 1, &r);
        }
    }
}

/* ---- dc_softsort_topk ---- */

enum { ENTRIES = 10, KEPT = 5 };
typedef struct {
    int n, k, power;
    dc_real tau, s[ENTRIES], ds[ENTRIES];
} sort_case;

/* the rows along ds */
static int sort_value(const dq_real *t, dq_real *v, void *user)
{
    const sort_case *c = (const sort_case *)user;
    dq_real s[ENTRIES];
    int top[KEPT], i;
    for (i = 0; i < c->n; ++i) s[i] = c->s[i] + t[0]*c->ds[i];
    return dq_softsort_topk(c->n, s, c->k, c->power, c->tau, top, v) == DQ_OK;
}

/* the transposed against the derivative, in what their terms add up to */
static void transposed(audit_row *row, double left, double right, double terms, double bar)
{
    if (terms > 0) audit_close(row, fabs(left - right)/terms, bar);
}

static void softsort(long n)
{
    static const char *const sort_classes[] = {"generic", "ties", "nearly ties", "sizes 1e+-6"};
    int class;
    for (class = 0; class < 4; ++class) {
        audit_row *row = audit_of("dc_softsort_topk_jvp", sort_classes[class]);
        audit_row *back = audit_of("dc_softsort_topk_vjp", sort_classes[class]);
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            rng r = audit_draw(row, k);
            dc_real Gamma[KEPT*ENTRIES], d[KEPT*ENTRIES], bar[KEPT*ENTRIES], s_bar[ENTRIES];
            double size = class == 3 ? rng_log(&r, DC_IS_FLOAT ? 1e-3 : 1e-6, DC_IS_FLOAT ? 1e3 : 1e6) : 1;
            double scale = 1, left = 0, right = 0, terms = 0;
            int top[KEPT], i, j;
            sort_case c;
            dc_status s;
            c.n = rng_int(&r, 1, ENTRIES);
            c.k = rng_int(&r, 1, c.n < KEPT ? c.n : KEPT);
            c.power = rng_int(&r, 1, 2);
            c.tau = (dc_real)(rng_log(&r, 1e-2, 1)*(c.power == 2 ? size*size : size));
            for (i = 0; i < c.n; ++i) {
                c.s[i] = (dc_real)(size*rng_uniform(&r, -1, 1));
                if (class == 1 || class == 2) c.s[i] = (dc_real)(0.25*rng_int(&r, 0, 3));
                if (class == 2) c.s[i] += (dc_real)((double)DC_EPS*1000*i);
                c.ds[i] = (dc_real)(size*rng_uniform(&r, -1, 1));
            }
            s = dc_softsort_topk(c.n, c.s, c.k, c.power, c.tau, top, Gamma);
            audit_call(row, s, s == DC_OK, Gamma, (size_t)(c.n*c.k));
            audit_call(back, s, s == DC_OK, NULL, 0);
            if (s != DC_OK) continue;
            dc_softsort_topk_jvp(c.n, c.s, c.k, c.power, c.tau, top, Gamma, c.ds, d);
            if (class == 1) {
                /* at a tie the derivative of one side, a row at a time: the order of top stays for one sign of the
                 * step or the other, or for none, where only entries that do not change places count */
                dq_real f[3][KEPT*ENTRIES], t, h = 1e-12Q;
                t = 0; sort_value(&t, f[0], &c);
                t = h; sort_value(&t, f[1], &c);
                t = -h; sort_value(&t, f[2], &c);
                for (i = 0; i < c.k; ++i) {
                    double up = 0, down = 0, most = 1;
                    int same = 0;
                    for (j = 0; j < c.n; ++j) same += c.s[j] == c.s[top[i]];
                    for (j = 0; j < c.n; ++j) {
                        int at = i*c.n + j;
                        most = fmax(most, fabs((double)d[at]));
                        up = fmax(up, fabs((double)((f[1][at] - f[0][at])/h - d[at])));
                        down = fmax(down, fabs((double)((f[0][at] - f[2][at])/h - d[at])));
                    }
                    /* of two that tie each side has one order; of more there are others */
                    if (same <= 2) audit_close(row, fmin(up, down)/most, AUDIT_BAR);
                }
            } else {
                double h = class == 2 ? (DC_IS_FLOAT ? 1e-6 : 1e-14) : 1e-9;
                audit_jacobian(row, sort_value, &c, 1, &scale, c.n*c.k, NULL, d, 1, h, 1, &r);
            }

            for (i = 0; i < c.n*c.k; ++i) bar[i] = (dc_real)rng_uniform(&r, -1, 1);
            for (i = 0; i < c.n; ++i) s_bar[i] = 0;
            dc_softsort_topk_vjp(c.n, c.s, c.k, c.power, c.tau, top, Gamma, bar, s_bar);
            for (i = 0; i < c.n*c.k; ++i) {
                left += (double)bar[i]*(double)d[i];
                terms += fabs((double)bar[i]*(double)d[i]);
            }
            for (i = 0; i < c.n; ++i) {
                right += (double)s_bar[i]*(double)c.ds[i];
                terms += fabs((double)s_bar[i]*(double)c.ds[i]);
            }
            transposed(back, left, right, terms, 1e3*(double)DC_EPS);
        }
    }
}

/* ---- dc_manifold ---- */

enum { M_GENERIC, M_TOUCHING, M_ALIGNED, M_IDENTICAL, M_TIES, M_FLAT, M_APART, M_SIZES, M_OFFSET, M_EDGES, M_CLASSES };
static const char *const manifold_classes[] = {"generic", "touching", "aligned", "identical", "ties", "flat", "apart",
                                               "sizes 1e+-6",
                                               "far offset", "on box edges"};

enum { MOST = 400, LOOKED = 12, VERTICES = 3*2*8 };
typedef struct {
    field f;
    dc_v3 v[8];
    dq_v3 w[8];
    int edge[24];
    dc_mesh mesh;
    dq_mesh Qmesh;
    dc_surface s;
    dq_surface Q;
    dc_pose pose;
} body;

typedef struct {
    body a, b;
    dc_manifold_options o;
    dq_manifold_options Q;
    int count, looked[LOOKED], of;
    double size;
    dc_real xi[12];
    dc_manifold_contact bar[MOST];
} scene;

static dc_v3 turned(dc_quat q, dc_v3 v)
{
    dc_m3 R = dc_rotation(q);
    return dc_mul(&R, v);
}

/* A field and a mesh in it: a tetrahedron or a box of half the size, its sides unequal so that no edge is on a kink
 * of the field's inside; on_edges: the box of the field itself. */
static void body_draw(rng *r, int kind, int class, body *b)
{
    static const double side[3] = {0.41, 0.5, 0.57};
    int i, j, n = 0, box, fields = class == M_SIZES ? SIZES : class == M_FLAT ? FLAT : class == M_TIES ? TIES : GENERIC;
    field_draw(r, kind, fields, &b->f);
    /* a rim bends over the square of the aspect: the rounding of the mesh times that would be all there is to see of
     * thinner ones */
    for (i = 0; i < b->f.s.n && class == M_FLAT; ++i) {
        dc_v3 *h = &b->f.prim[i].size;
        dc_real least = (dc_real)(DC_IS_FLOAT ? 0.1 : 0.01)*dc_max(h->x, dc_max(h->y, h->z));
        *h = dc_vec(dc_max(h->x, least), dc_max(h->y, least), dc_max(h->z, least));
    }
    box = class == M_EDGES || rng_int(r, 0, 3) == 0;
    for (i = 0, j = 0; i < 8; ++i) {
        const dc_sdf_prim *p = b->f.prim;
        double s = class == M_EDGES ? (double)(p->scale > 0 ? p->scale : 1) : 1;
        dc_v3 v = vec_of((i & 4 ? s : -s)*(class == M_EDGES ? 1 : side[0])*(double)p->size.x,
                         (i & 2 ? s : -s)*(class == M_EDGES ? 1 : side[1])*(double)p->size.y,
                         (i & 1 ? s : -s)*(class == M_EDGES ? 1 : side[2])*(double)p->size.z);
        if (!box && ((i & 1) ^ (i >> 1 & 1) ^ (i >> 2 & 1))) continue;
        b->v[j++] = dc_add(turned(p->pose.q, v), p->pose.t);
    }
    b->mesh.nv = j;
    for (i = 0; i < b->mesh.nv; ++i)
        for (j = i + 1; j < b->mesh.nv; ++j)
            if (!box || ((i ^ j) & ((i ^ j) - 1)) == 0) {
                b->edge[2*n] = i;
                b->edge[2*n++ + 1] = j;
            }
    for (i = 0; i < b->mesh.nv; ++i) b->w[i] = audit_up3(b->v[i]);
    b->mesh.v = b->v;
    b->mesh.edge = b->edge;
    b->mesh.ne = n;
    b->Qmesh.v = b->w;
    b->Qmesh.edge = b->edge;
    b->Qmesh.nv = b->mesh.nv;
    b->Qmesh.ne = n;
    b->s.mesh = &b->mesh;
    b->s.sdf = &b->f.s;
    b->Q.mesh = &b->Qmesh;
    b->Q.sdf = &b->f.Q;
    b->pose.q = audit_turn(r);
    b->pose.t = dc_vec(0, 0, 0);
}

static void scene_draw(rng *r, int hard, int class, scene *s)
{
    static const int smooth_kinds[] = {F_RADIAL, F_TAUBIN, F_SMOOTH_POLYHEDRON, F_UNION};
    static const int hard_kinds[] = {F_BOX, F_POLYHEDRON, F_HARD_UNION};
    static const dc_quat one = {1, 0, 0, 0};
    double u[3], off;
    int kind[2], i;
    rng size;
    memset(s, 0, sizeof *s);
    for (i = 0; i < 2; ++i) kind[i] = class == M_EDGES ? F_BOX : hard ? hard_kinds[rng_int(r, 0, 2)]
        : smooth_kinds[rng_int(r, 0, 3)];
    /* of one size: the first number drawn */
    size = *r;
    body_draw(r, kind[0], class, &s->a);
    if (class == M_SIZES) *r = size;
    body_draw(r, kind[1], class, &s->b);
    if (class == M_SIZES) s->b.pose.q = audit_turn(r);
    if (class == M_IDENTICAL) {
        s->b = s->a;
        s->b.f.s.prim = s->b.f.prim;
    }
    s->size = fmax(s->a.f.size, s->b.f.size);
    rng_unit3(r, u);
    off = s->size*(class == M_APART ? 10 : class == M_IDENTICAL ? rng_log(r, 1e-9, 1e-1) : rng_uniform(r, 0.4, 1.4));
    if (class == M_ALIGNED || class == M_TIES) {
        s->a.pose.q = s->b.pose.q = one;
        u[0] = u[1] = 0;
        u[2] = 1;
    }
    s->b.pose.t = vec_of(off*u[0], off*u[1], off*u[2]);
    if (class == M_TOUCHING) {
        /* along the ray until a vertex of a is at the surface of b but for a little */
        dc_v3 x = dc_add(turned(s->a.pose.q, s->a.v[0]), s->a.pose.t);
        dc_quat back = s->b.pose.q;
        double lo = 0, hi = 6*s->size;
        back.x = -back.x; back.y = -back.y; back.z = -back.z;
        for (i = 0; i < 80; ++i) {
            double mid = 0.5*(lo + hi);
            dc_real phi = 0;
            dc_v3 t = vec_of(mid*u[0], mid*u[1], mid*u[2]);
            dc_sdf_eval(&s->b.f.s, turned(back, dc_sub(x, t)), &phi, NULL, NULL);
            if (phi < 0) lo = mid;
            else hi = mid;
        }
        off = hi + s->size*rng_log(r, DC_IS_FLOAT ? 1e-6 : 1e-12, 1e-6);
        s->b.pose.t = vec_of(off*u[0], off*u[1], off*u[2]);
    }
    if (class == M_OFFSET) {
        dc_v3 far_off = dc_vec(DC_IS_FLOAT ? 30 : 1000, DC_IS_FLOAT ? -20 : -700, 0);
        s->a.pose.t = dc_add(s->a.pose.t, far_off);
        s->b.pose.t = dc_add(s->b.pose.t, far_off);
    }

    /* options; selections have ties where shapes are alike */
    s->o.witness.length = (dc_real)s->size;
    s->o.witness.w_reg = DC_R(0.01);
    s->o.witness.eps_clip = s->o.witness.eps_min = s->o.witness.eps_comp = DC_R(0.1);
    s->o.tau_top = DC_R(0.01);
    s->o.tau_pen = DC_R(0.1);
    s->o.tau_sign = DC_R(0.2);
    s->o.tau_nn = DC_R(0.1);
    s->o.tau_cl = DC_R(0.2);
    s->o.eps_n = DC_R(1e-4);
    s->o.tau_n = DC_R(1e-8);
    if (class != M_ALIGNED && class != M_IDENTICAL && class != M_TIES) {
        if (rng_int(r, 0, 1)) s->o.keep_v_a = 2;
        if (rng_int(r, 0, 1)) s->o.keep_v_b = 3;
        if (rng_int(r, 0, 1) && class != M_EDGES) s->o.keep_e_a = 3;
    }
    s->o.keep_e_b = class == M_ALIGNED || class == M_IDENTICAL || class == M_TIES || class == M_EDGES ? 0 : 2;
    s->o.power = rng_int(r, 0, 2);
    s->o.trace = rng_int(r, 0, 3) == 0 ? 2 : 0;
    s->o.inside = rng_int(r, 0, 1);
    s->o.cull = rng_int(r, 0, 1) ? DC_R(0.01) : 0;
    s->Q.witness.length = s->o.witness.length;
    s->Q.witness.w_reg = s->o.witness.w_reg;
    s->Q.witness.eps_clip = s->o.witness.eps_clip;
    s->Q.witness.eps_min = s->o.witness.eps_min;
    s->Q.witness.eps_comp = s->o.witness.eps_comp;
    s->Q.keep_v_a = s->o.keep_v_a; s->Q.keep_v_b = s->o.keep_v_b;
    s->Q.keep_e_a = s->o.keep_e_a; s->Q.keep_e_b = s->o.keep_e_b;
    s->Q.power = s->o.power;
    s->Q.tau_top = s->o.tau_top; s->Q.tau_pen = s->o.tau_pen; s->Q.tau_sign = s->o.tau_sign; s->Q.tau_nn = s->o.tau_nn;
    s->Q.tau_cl = s->o.tau_cl; s->Q.eps_n = s->o.eps_n; s->Q.tau_n = s->o.tau_n;
    s->Q.trace = s->o.trace;
    s->Q.inside = s->o.inside;
    s->Q.cull = s->o.cull;
    for (i = 0; i < 12; ++i) s->xi[i] = (dc_real)(rng_uniform(r, -1, 1)*(i%6 < 3 ? s->size : 1));
}

/* what b's fields point to moves with the scene, which is drawn in place: made up to date */
static void scene_ready(rng *r, scene *s)
{
    int i, j;
    s->a.f.s.prim = s->a.f.prim;
    s->b.f.s.prim = s->b.f.prim;
    for (i = 0; i < PRIMS; ++i) {
        field *f[2];
        f[0] = &s->a.f;
        f[1] = &s->b.f;
        for (j = 0; j < 2; ++j) {
            f[j]->prim[i].n = f[j]->n[i];
            f[j]->prim[i].p = f[j]->p[i];
            f[j]->prim[i].sigma = f[j]->sigma[i];
        }
    }
    field_up(&s->a.f);
    field_up(&s->b.f);
    s->a.mesh.v = s->a.v; s->a.mesh.edge = s->a.edge; s->a.Qmesh.v = s->a.w; s->a.Qmesh.edge = s->a.edge;
    s->b.mesh.v = s->b.v; s->b.mesh.edge = s->b.edge; s->b.Qmesh.v = s->b.w; s->b.Qmesh.edge = s->b.edge;
    s->a.s.mesh = &s->a.mesh; s->a.s.sdf = &s->a.f.s; s->a.Q.mesh = &s->a.Qmesh; s->a.Q.sdf = &s->a.f.Q;
    s->b.s.mesh = &s->b.mesh; s->b.s.sdf = &s->b.f.s; s->b.Q.mesh = &s->b.Qmesh; s->b.Q.sdf = &s->b.f.Q;
    s->count = dc_manifold_count(&s->a.s, &s->b.s, &s->o, NULL);
    if (s->count > MOST) s->count = 0;
    s->of = s->count < LOOKED ? s->count : LOOKED;
    for (i = 0; i < s->of; ++i) s->looked[i] = s->count <= LOOKED ? i : rng_int(r, 0, s->count - 1);
    /* cotangents in the units of the numbers */
    for (i = 0; i < s->count; ++i)
        for (j = 0; j < 8; ++j) (&s->bar[i].p.x)[j] = (dc_real)(rng_uniform(r, -1, 1)/(j < 4 ? s->size : 1));
}

static dq_manifold_contact quad_contacts[MOST];

/* t: a twist of each body, then vertices of both, which are inputs too: an edge that crosses a kink at a right angle turns the
 * normal as fast as vertices that are rounded let it miss */
static int scene_quad(scene *s, const dq_real *t)
{
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_pose a = audit_pose(&s->a.pose, t), b = audit_pose(&s->b.pose, t + 6);
    body *of[2];
    int c, i;
    of[0] = &s->a;
    of[1] = &s->b;
    for (t += 12, c = 0; c < 2; ++c)
        for (i = 0; i < of[c]->mesh.nv; ++i, t += 3) of[c]->w[i] = dq_add(audit_up3(of[c]->v[i]), dq_vec(t[0], t[1], t[2]));
    return dq_manifold(&s->a.Q, &a, &s->b.Q, &b, &s->Q, &mem, quad_contacts) == DQ_OK;
}

/* contacts that are looked at, by the twists */
static int scene_contacts(const dq_real *t, dq_real *v, void *user)
{
    scene *s = (scene *)user;
    int i;
    if (!scene_quad(s, t)) return 0;
    for (i = 0; i < s->of; ++i) memcpy(v + 8*i, &quad_contacts[s->looked[i]].p.x, 8*sizeof *v);
    return 1;
}

/* the same along xi, then as scene_quad has it */
static int scene_along(const dq_real *t, dq_real *v, void *user)
{
    const scene *s = (const scene *)user;
    dq_real all[12 + VERTICES];
    int k;
    for (k = 0; k < 12 + VERTICES; ++k) all[k] = t[1 + k] + (k < 12 ? t[0]*s->xi[k] : 0);
    return scene_contacts(all, v, user);
}

/* contacts weighed by bar; their mean and their active distance */
static int scene_weighed(const dq_real *t, dq_real *v, void *user)
{
    scene *s = (scene *)user;
    int i, j;
    if (!scene_quad(s, t)) return 0;
    for (v[0] = 0, i = 0; i < s->count; ++i)
        for (j = 0; j < 8; ++j) v[0] += (&s->bar[i].p.x)[j]*(&quad_contacts[i].p.x)[j];
    return 1;
}
static int scene_mean(const dq_real *t, dq_real *v, void *user)
{
    scene *s = (scene *)user;
    if (!scene_quad(s, t)) return 0;
    v[0] = dq_manifold_mean(s->count, quad_contacts, NULL);
    v[1] = dq_manifold_active(s->count, quad_contacts, NULL);
    return 1;
}

/* How fast the fastest normal of the contacts turns, 1 over a length: beside a kink of a field 1 over the distance from it, until
 * that is within rounding, where the header holds it. Those where tracing starts count as well. */
static double scene_turning(const scene *s)
{
    static dc_manifold_contact contacts[MOST];
    dc_manifold_options o = s->o;
    double fastest = 0;
    int i, k, pass;
    for (pass = 0; pass < 2; ++pass, o.trace = 0) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        if (dc_manifold(&s->a.s, &s->a.pose, &s->b.s, &s->b.pose, &o, &mem, contacts) != DC_OK) return INFINITY;
        for (i = 0; i < 2*s->count; ++i) {
            const body *b = i & 1 ? &s->b : &s->a;
            dc_quat back = b->pose.q;
            dc_real x[3], dir[3], ddir[6];
            dc_sdf_out out = DC_ZERO;
            double most = 0, turn;
            dc_v3 p = contacts[i/2].p, y;
            back.x = -back.x; back.y = -back.y; back.z = -back.z;
            y = turned(back, dc_sub(p, b->pose.t));
            x[0] = y.x; x[1] = y.y; x[2] = y.z;
            out.dir = dir;
            out.ddir = ddir;
            if (dc_sdf_eval_batch(b->s.sdf, 1, x, 1, &mem, &out) != DC_OK) return INFINITY;
            for (k = 0; k < 6; ++k) most = fmax(most, fabs((double)ddir[k]));
            turn = most/sqrt((double)(dir[0]*dir[0] + dir[1]*dir[1] + dir[2]*dir[2]) + (double)s->o.tau_n);
            if (turn*(length_of(p) + length_of(b->pose.t)) < 0.1/(double)DC_EPS) fastest = fmax(fastest, turn);
        }
    }
    return fastest;
}

/* the gradient of what bar weighs while the bodies move along xi, then as scene_quad has it */
static int scene_bent(const dq_real *t, dq_real *v, void *user)
{
    static dq_manifold_contact bar[MOST];
    scene *s = (scene *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_real all[12 + VERTICES];
    dq_pose a, b;
    int k, j;
    for (k = 0; k < 12 + VERTICES; ++k) all[k] = t[1 + k] + (k < 12 ? t[0]*s->xi[k] : 0);
    if (!scene_quad(s, all)) return 0;
    for (k = 0; k < s->count; ++k)
        for (j = 0; j < 8; ++j) (&bar[k].p.x)[j] = (&s->bar[k].p.x)[j];
    a = audit_pose(&s->a.pose, all);
    b = audit_pose(&s->b.pose, all + 6);
    return dq_manifold_vjp(&s->a.Q, &a, &s->b.Q, &b, &s->Q, bar, &mem, NULL, v) == DQ_OK;
}

/* Fields with third derivatives: without Taubin's form, below the exponents whose third derivatives are infinite on the coordinate
 * planes, where aligned bodies have their points. */
static void third_derivatives(field *f)
{
    int k;
    for (k = 0; k < f->s.n; ++k) {
        dc_sdf_prim *p = f->prim + k;
        p->taubin = 0;
        p->eps1 = dc_min(p->eps1, DC_R(0.625));
        p->eps2 = dc_min(p->eps2, DC_R(0.625));
    }
}

enum { JVP, VJP, JAC, MEAN, HVP, WAYS };

static void manifold(int way, int hard, const char *name, const char *transposed_name, long n)
{
    static dc_manifold_contact contacts[MOST], d[MOST], jac[12*MOST], bar[MOST];
    static dc_real J[8*LOOKED*12];
    int class;
    for (class = 0; class < M_CLASSES; ++class) {
        audit_row *row, *pair;
        long k;
        if (hard && (class == M_ALIGNED || class == M_IDENTICAL || class == M_TIES)) continue;   /* on kinks */
        /* the normal there is that of a side: it has no differences */
        if (class == M_EDGES && (!hard || way != VJP)) continue;
        pair = audit_of(transposed_name, manifold_classes[class]);
        row = class == M_EDGES ? pair : audit_of(name, manifold_classes[class]);
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static scene s;
            rng r = audit_draw(row, k);
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_real grad[24], sum[2];
            double all[1 + 12 + VERTICES], *scale = all + 1, unit[8*LOOKED], h = 1e-10, left = 0, right = 0, terms = 0;
            dc_status status;
            int i, j;
            scene_draw(&r, hard, class, &s);
            if (way == HVP) third_derivatives(&s.a.f);
            if (way == HVP) third_derivatives(&s.b.f);
            scene_ready(&r, &s);
            if (s.count == 0) continue;
            for (all[0] = 1, i = 0; i < 12 + VERTICES; ++i) scale[i] = i < 12 && i%6 >= 3 ? 1 : s.size;
            audit_also = 3*(s.a.mesh.nv + s.b.mesh.nv);
            for (i = 0; i < 8*LOOKED; ++i) unit[i] = i%8 < 4 ? s.size : 1;
            if (class == M_OFFSET) audit_rounding = DC_IS_FLOAT ? 60 : 2e3;

            if (way == JAC) {
                status = dc_manifold_jac(&s.a.s, &s.a.pose, &s.b.s, &s.b.pose, &s.o, &mem, contacts, jac);
                audit_call(row, status, status == DC_OK, &jac[0].p.x, (size_t)(12*8*s.count));
                if (status != DC_OK) continue;
                for (i = 0; i < s.of; ++i)
                    for (j = 0; j < 8*12; ++j) J[(8*i + j/12)*12 + j%12] = (&jac[j%12*s.count + s.looked[i]].p.x)[j/12];
                audit_jacobian(row, scene_contacts, &s, 12, scale, 8*s.of, unit, J, 12, h, 1, &r);
                continue;
            }
            if (way == MEAN) {
                status = dc_manifold(&s.a.s, &s.a.pose, &s.b.s, &s.b.pose, &s.o, &mem, contacts);
                audit_call(row, status, status == DC_OK, &contacts[0].p.x, (size_t)(8*s.count));
                if (status != DC_OK) continue;
                sum[0] = dc_manifold_mean(s.count, contacts, bar);
                status = dc_manifold_vjp(&s.a.s, &s.a.pose, &s.b.s, &s.b.pose, &s.o, bar, &mem, NULL, grad);
                sum[1] = dc_manifold_active(s.count, contacts, bar);
                if (status == DC_OK) status = dc_manifold_vjp(&s.a.s, &s.a.pose, &s.b.s, &s.b.pose, &s.o, bar, &mem,
                                                              NULL, grad + 12);
                audit_call(row, status, status == DC_OK && dc_finite(sum[0]) && dc_finite(sum[1]), grad, 24);
                unit[0] = unit[1] = s.size;
                if (status == DC_OK) audit_jacobian(row, scene_mean, &s, 12, scale, 2, unit, grad, 12, h, 1, &r);
                continue;
            }

            if (way == HVP) {
                /* the rate of the gradient of turning bodies: w x grad/2 more than in exponential coordinates */
                dc_real hvp[12];
                status = dc_manifold_hvp(&s.a.s, &s.a.pose, &s.b.s, &s.b.pose, &s.o, s.bar, NULL, s.xi, &mem, grad, hvp);
                audit_call(row, status, status == DC_OK, hvp, 12);
                if (status != DC_OK) continue;
                for (i = 0; i < 12; i += 6) {
                    dc_v3 w = dc_vec(s.xi[i + 3], s.xi[i + 4], s.xi[i + 5]), turn = dc_vec(grad[i + 3], grad[i + 4], grad[i + 5]);
                    turn = dc_scale(DC_R(0.5), dc_cross(w, turn));
                    hvp[i + 3] += turn.x;
                    hvp[i + 4] += turn.y;
                    hvp[i + 5] += turn.z;
                    for (j = 0; j < 6; ++j) unit[i + j] = j < 3 ? 1/s.size : 1;
                }
                audit_also += 12;
                audit_jacobian(row, scene_bent, &s, 1, all, 12, unit, hvp, 1, h, 1, &r);
                continue;
            }

            /* both ways, whichever is looked at */
            status = dc_manifold_jvp(&s.a.s, &s.a.pose, &s.b.s, &s.b.pose, &s.o, s.xi, &mem, contacts, d);
            audit_call(row, status, status == DC_OK, &d[0].p.x, (size_t)(8*s.count));
            if (status != DC_OK) continue;
            status = dc_manifold_vjp(&s.a.s, &s.a.pose, &s.b.s, &s.b.pose, &s.o, s.bar, &mem, contacts, grad);
            if (row != pair) audit_call(pair, status, status == DC_OK, grad, 12);
            if (status != DC_OK) continue;
            for (i = 0; i < s.count; ++i)
                for (j = 0; j < 8; ++j) {
                    double t = (double)(&s.bar[i].p.x)[j]*(double)(&d[i].p.x)[j];
                    left += t;
                    terms += fabs(t);
                }
            for (i = 0; i < 12; ++i) {
                right += (double)grad[i]*(double)s.xi[i];
                terms += fabs((double)grad[i]*(double)s.xi[i]);
            }
            /* to rounding, which grows as the normal of a field turns over the size of the bodies */
            transposed(pair, left, right, terms, fmin(AUDIT_BAR, (1e3 + s.size*scene_turning(&s))*(double)DC_EPS*audit_rounding));
            if (class == M_EDGES) continue;
            if (way == VJP) audit_scalar(row, NULL, scene_weighed, &s, 12, scale, grad, NULL, h, 1, &r);
            else {
                for (i = 0; i < s.of; ++i) memcpy(J + 8*i, &d[s.looked[i]].p.x, 8*sizeof *J);
                audit_also += 12;
                audit_jacobian(row, scene_along, &s, 1, all, 8*s.of, unit, J, 1, h, 1, &r);
            }
        }
    }
}

int main(int argc, char **argv)
{
    if (!audit_begin(argc, argv)) return 1;
    audit_least = 4;
    witness(0, 0, 0, "dc_ee_witness", 1000);
    witness(0, 0, 1, "dc_ee_witness_batch", 500);
    witness(1, 0, 0, "dc_vf_witness", 1000);
    witness(1, 1, 0, "dc_vf_witness, listing", 1000);
    witness(1, 0, 1, "dc_vf_witness_batch", 500);
    softsort(2000);
    manifold(JVP, 0, "dc_manifold_jvp, smooth", "dc_manifold transposed, smooth", 200);
    manifold(VJP, 0, "dc_manifold_vjp, smooth", "dc_manifold transposed, smooth", 200);
    manifold(JAC, 0, "dc_manifold_jac, smooth", "dc_manifold transposed, smooth", 200);
    manifold(MEAN, 0, "dc_manifold_mean, smooth", "dc_manifold transposed, smooth", 200);
    manifold(HVP, 0, "dc_manifold_hvp, smooth", "dc_manifold transposed, smooth", 100);
    manifold(JVP, 1, "dc_manifold_jvp, hard", "dc_manifold transposed, hard", 200);
    manifold(VJP, 1, "dc_manifold_vjp, hard", "dc_manifold transposed, hard", 200);
    manifold(JAC, 1, "dc_manifold_jac, hard", "dc_manifold transposed, hard", 200);
    manifold(MEAN, 1, "dc_manifold_mean, hard", "dc_manifold transposed, hard", 200);
    manifold(HVP, 1, "dc_manifold_hvp, hard", "dc_manifold transposed, hard", 100);
    return !audit_end();
}
