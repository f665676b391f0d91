/* Audit of dc_ncp.h: growth distances, and the derivatives of a time step. See audit.h. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"
#define DQ_CONTACT_IMPLEMENTATION
#define DQ_NCP_IMPLEMENTATION
#include "dq_ncp.h"

#include "audit.h"
#include "poses.h"

static unsigned char shape_memory[1 << 20], memory[1 << 22], quad_memory[1 << 23];

enum { DATA = 4096 };       /* numbers of a shape at most */

/* ---- shapes ---- */

static const char *const kinds[] = {"sphere", "box", "polytope", "hull", "capsule", "cylinder", "cone", "ellipsoid", "padded polytope",
                                    "sum", "placed", "half-space"};
enum { SPHERE, BOX, POLYTOPE, HULL, CAPSULE, CYLINDER, CONE, ELLIPSOID, PADDED, SUM, PLACED, HALFSPACE, KINDS };

/* A shape about as large as `size`, thin by `aspect`. */
static dc_status shape_draw(rng *r, int kind, int dim, double size, double aspect, dc_arena *mem, dc_shape *s)
{
    dc_real a = (dc_real)(size*rng_uniform(r, 0.5, 1)), b = (dc_real)(size*aspect*rng_uniform(r, 0.5, 1));
    dc_real A[3*12], rows[12];
    dc_v3 v[16], half = dc_vec(a, dim == 2 ? b : (dc_real)(size*rng_uniform(r, 0.5, 1)), b);
    dc_pose pose;
    dc_shape one = DC_ZERO, two = DC_ZERO;
    dc_status st;
    int k, i, n;
    switch (kind) {
    case SPHERE: return dc_shape_sphere(dim, a, mem, s);
    case BOX: return dc_shape_box(dim, half, mem, s);
    case POLYTOPE:              /* a simplex's rows and others: bounded */
        n = dim + 1 + rng_int(r, 0, 4);
        for (k = 0; k < n; ++k) {
            double u[3] = {0, 0, 0};
            if (k < dim) u[k] = 1;
            else if (k == dim) for (i = 0; i < dim; ++i) u[i] = -1;
            else rng_unit3(r, u);
            for (i = 0; i < dim; ++i) A[k*dim + i] = (dc_real)(u[i] + 0.1*rng_uniform(r, -1, 1));
            rows[k] = (dc_real)(size*rng_uniform(r, 0.3, 0.8));
        }
        return dc_shape_polytope(dim, n, A, rows, mem, s);
    case HULL:
        n = rng_int(r, dim + 3, 12);
        for (k = 0; k < n; ++k) {
            double u[3];
            rng_unit3(r, u);
            if (dim == 2) {
                u[0] = cos(6.283*(k + rng_uniform(r, 0, 0.5))/n);
                u[1] = sin(6.283*(k + rng_uniform(r, 0, 0.5))/n);
            }
            v[k] = dc_vec((dc_real)(size*u[0]), (dc_real)(size*u[1]*aspect), (dc_real)(size*u[2]));
        }
        return dc_shape_hull(dim, n, v, mem, s);
    case CAPSULE: return dc_shape_capsule(dim, b/2, a, mem, s);
    case CYLINDER: return dc_shape_cylinder(dim, b/2, a, mem, s);
    case CONE: return dc_shape_cone(dim, a, b/a, mem, s);
    case ELLIPSOID: return dc_shape_ellipsoid(dim, half, mem, s);
    case PADDED:
        st = shape_draw(r, BOX, dim, size, aspect, mem, &one);
        if (st == DC_OK) st = dc_shape_sphere(dim, (dc_real)(0.2*(double)b), mem, &two);
        return st == DC_OK ? dc_shape_sum(&one, &two, mem, s) : st;
    case SUM:
        st = shape_draw(r, CAPSULE, dim, 0.5*size, aspect, mem, &one);
        if (st == DC_OK) st = shape_draw(r, rng_int(r, 0, 1) ? ELLIPSOID : CONE, dim, 0.5*size, aspect, mem, &two);
        return st == DC_OK ? dc_shape_sum(&one, &two, mem, s) : st;
    case PLACED:
        st = shape_draw(r, rng_int(r, 0, 1) ? CYLINDER : BOX, dim, size, aspect, mem, &one);
        pose.q = dim == 2 ? dc_quat_exp(dc_vec(0, 0, (dc_real)rng_uniform(r, -3, 3))) : pose_turn(r);
        pose.t = dc_vec((dc_real)(size*rng_uniform(r, -0.5, 0.5)), (dc_real)(size*rng_uniform(r, -0.5, 0.5)), 0);
        return st == DC_OK ? dc_shape_place(&one, pose, mem, s) : st;
    default:
        return dc_shape_halfspace(dim, dc_vec((dc_real)rng_uniform(r, -0.3, 0.3), 1, (dc_real)rng_uniform(r, -0.3, 0.3)),
                                  (dc_real)(size*rng_uniform(r, -0.3, 0.3)), mem, s);
    }
}

/* Numbers of a shape: A, b, d, N, size. */
static int shape_count(const dc_shape *s) { return s->rows*(s->dim + 2 + s->aux) + 1; }

/* The copy of a shape, moved by t times `way`, numbers in the order of shape_count. */
static dq_shape shape_up(const dc_shape *s, const double *way, dq_real t, dq_real *data)
{
    dq_shape q = DQ_ZERO;
    const dc_real *from[4];
    int count[4], k, i, at = 0;
    from[0] = s->A; from[1] = s->b; from[2] = s->d; from[3] = s->N;
    count[0] = s->rows*s->dim; count[1] = count[2] = s->rows; count[3] = s->rows*s->aux;
    if (shape_count(s) > DATA) { fprintf(stderr, "audit: a shape is too large\n"); exit(1); }
    for (k = 0; k < 4; ++k)
        for (i = 0; i < count[k]; ++i, ++at) data[at] = (dq_real)from[k][i] + (way ? t*(dq_real)way[at] : 0);
    q.dim = s->dim; q.rows = s->rows; q.linear = s->linear; q.cones = s->cones; q.aux = s->aux; q.cone = s->cone;
    q.A = data;
    q.b = data + count[0];
    q.d = q.b + count[1];
    q.N = s->aux ? q.d + count[2] : NULL;
    q.size = (dq_real)s->size + (way && s->size > 0 ? t*(dq_real)way[at] : 0);
    return q;
}

/* A direction through a shape's numbers, each of its own scale: rows of A and N by their largest entry, b and d by that times size. */
static void shape_way(rng *r, const dc_shape *s, double size, double *way)
{
    double *A = way, *b = A + s->rows*s->dim, *d = b + s->rows, *N = d + s->rows;
    int i, k;
    for (i = 0; i < s->rows; ++i) {
        double a = 0;
        for (k = 0; k < s->dim; ++k) a = fmax(a, fabs((double)s->A[i*s->dim + k]));
        for (k = 0; k < s->aux; ++k) a = fmax(a, fabs((double)s->N[i*s->aux + k]));
        if (!(a > 0)) a = size > 0 ? fabs((double)s->b[i])/size : 0;
        for (k = 0; k < s->dim; ++k) A[i*s->dim + k] = a*rng_uniform(r, -1, 1);
        for (k = 0; k < s->aux; ++k) N[i*s->aux + k] = a*rng_uniform(r, -1, 1);
        b[i] = a*size*rng_uniform(r, -1, 1);
        d[i] = a*size*rng_uniform(r, -1, 1);
    }
    N[s->rows*s->aux] = s->size > 0 ? (double)s->size*rng_uniform(r, -1, 1) : 0;
}

static dc_shape_grad shape_grad(const dc_shape *s, dc_real *data)
{
    dc_shape_grad g;
    memset(data, 0, (size_t)shape_count(s)*sizeof *data);
    g.A = data;
    g.b = data + s->rows*s->dim;
    g.d = g.b + s->rows;
    g.N = s->aux ? g.d + s->rows : NULL;
    g.size = 0;
    return g;
}

/* ---- growth distance ---- */

enum { WAYS = 6 };      /* random directions through the numbers of both shapes, which are too many to go one by one */

typedef struct {
    dc_shape a, b;
    dc_pose pa, pb;
    double size;
    double way[2][WAYS][DATA];
    dc_real bar[7];
    int by_shape;       /* parameters: the WAYS, and one number, bar . (alpha, p, n); else 12 twists, and those seven */
} growth;

static const char *const growths[] = {"generic", "touching", "deep", "parallel", "aligned", "identical", "concentric", "flat", "needles",
                                      "apart 1e3", "apart 1e6", "sizes 1e+-6", "1e3..1e6 apart in size", "far offset"};
enum { GENERIC, TOUCHING, DEEP, PARALLEL, ALIGNED, IDENTICAL, CONCENTRIC, FLAT, NEEDLES, APART3, APART6, SIZES, RATIO, OFFSET, GROWTHS };

static int growth_draw(rng *r, int class, int kind, int dim, growth *g)
{
    dc_arena mem = dc_arena_make(shape_memory, sizeof shape_memory);
    double size = class == SIZES ? rng_log(r, 1e-6, 1e6) : 1;
    double other = class == RATIO ? size*rng_log(r, DC_IS_FLOAT ? 1e2 : 1e3, DC_IS_FLOAT ? 1e3 : 1e6) : size*rng_uniform(r, 0.5, 2);
    double aspect = class == FLAT || class == NEEDLES ? DC_IS_FLOAT ? 1e-2 : 1e-4 : 1;
    double far = class == APART3 ? 1e3 : class == APART6 ? 1e6 : class == DEEP ? 0.1 : class == CONCENTRIC ? 0 : rng_log(r, 0.5, 5);
    double n[3];
    int ka = kind >= 0 ? kind : rng_int(r, 0, KINDS - 2), kb = rng_int(r, 0, KINDS - 1), k;
    if (class == PARALLEL || class == ALIGNED || class == FLAT) ka = kb = BOX;
    if (class == NEEDLES) {
        ka = rng_int(r, CAPSULE, ELLIPSOID);
        kb = rng_int(r, CAPSULE, ELLIPSOID);
    }
    if (ka == HALFSPACE) kb = rng_int(r, 0, KINDS - 2);
    if (class == CONCENTRIC && kb == HALFSPACE) kb = SPHERE;
    if (shape_draw(r, ka, dim, size, aspect, &mem, &g->a) != DC_OK) return 0;
    if (class == IDENTICAL) g->b = g->a;
    else if (shape_draw(r, kb, dim, other, aspect, &mem, &g->b) != DC_OK) return 0;
    g->size = fmax(size, other);
    for (k = 0; k < 2; ++k) {
        dc_pose *p = k ? &g->pb : &g->pa;
        p->q = dim == 2 ? dc_quat_exp(dc_vec(0, 0, (dc_real)rng_uniform(r, -3, 3))) : pose_turn(r);
        if (class == ALIGNED) p->q = dc_quat_exp(dc_vec(0, 0, 0));
        p->t = class == OFFSET ? dc_vec(DC_R(1e3), DC_R(-2e3), 0) : dc_vec(0, 0, 0);
        if (class == OFFSET && DC_IS_FLOAT) p->t = dc_vec(30, -20, 0);
    }
    if (class == PARALLEL || class == IDENTICAL) g->pb.q = g->pa.q;
    rng_unit3(r, n);
    if (dim == 2) { n[0] = cos(7*n[2]); n[1] = sin(7*n[2]); n[2] = 0; }
    if (class == ALIGNED) { n[0] = 0; n[1] = 1; n[2] = 0; }
    g->pb.t = dc_add(g->pb.t, dc_vec((dc_real)(g->size*far*n[0]), (dc_real)(g->size*far*n[1]), (dc_real)(g->size*far*n[2])));
    if (class == TOUCHING)
        for (k = 0; k < 8; ++k) {
            dc_growth_result out = DC_ZERO;
            mem = dc_arena_make(memory, sizeof memory);
            if (dc_growth(NULL, &g->a, &g->pa, &g->b, &g->pb, &mem, &out, NULL, NULL, NULL, NULL) != DC_OK) return 0;
            g->pb.t = dc_madd(g->pb.t, (out.alpha - 1)*out.length, out.n_a);
        }
    for (k = 0; k < WAYS; ++k) {
        shape_way(r, &g->a, g->size, g->way[0][k]);
        shape_way(r, &g->b, g->size, g->way[1][k]);
    }
    for (k = 0; k < 7; ++k) g->bar[k] = (dc_real)(rng_uniform(r, -1, 1)/(k > 0 && k < 4 ? g->size : 1));
    if (dim == 2) g->bar[3] = g->bar[6] = 0;
    return 1;
}

static int growth_value(const dq_real *t, dq_real *f, void *user)
{
    static dq_real data[2][DATA];
    static double way[2][DATA];
    growth *g = (growth *)user;
    dq_growth_options opt = DQ_ZERO;
    dq_growth_result out = DQ_ZERO;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_pose pa = audit_pose(&g->pa, g->by_shape ? NULL : t), pb = audit_pose(&g->pb, g->by_shape ? NULL : t + 6);
    dq_shape a = shape_up(&g->a, NULL, 0, data[0]), b = shape_up(&g->b, NULL, 0, data[1]);
    dq_real y[7];
    int side, k, i;
    (void)way;
    if (g->by_shape)
        for (side = 0; side < 2; ++side) {
            const dc_shape *s = side ? &g->b : &g->a;
            int n = shape_count(s);
            for (k = 0; k < WAYS; ++k) {
                for (i = 0; i < n - 1; ++i) data[side][i] += t[k]*(dq_real)g->way[side][k][i];
                *(side ? &b.size : &a.size) += t[k]*(dq_real)g->way[side][k][n - 1];
            }
        }
    opt.rho = DC_IS_FLOAT ? 1e-4F : 1e-8;       /* the default of the function that is audited */
    opt.max_iterations = 200;
    if (dq_growth(&opt, &a, &pa, &b, &pb, &mem, &out, NULL, NULL, NULL, NULL) != DQ_OK) return 0;
    y[0] = out.alpha;
    y[1] = out.p.x; y[2] = out.p.y; y[3] = out.p.z;
    y[4] = out.n_a.x; y[5] = out.n_a.y; y[6] = out.n_a.z;
    for (f[0] = 0, k = 0; k < 7; ++k) {
        if (g->by_shape) f[0] += (dq_real)g->bar[k]*y[k];
        else f[k] = y[k];
    }
    return 1;
}

/* kind: of a, -1 at random */
static void growth_rows(const char *by_pose, const char *by_shape, const char *name, int class, int kind, int dim, long n, const char *open)
{
    audit_row *pose_row = audit_of(by_pose, name), *shape_row = audit_of(by_shape, name);
    long k;
    pose_row->open = shape_row->open = open;
    for (k = audit_first(n); audit_next(pose_row, k, n) || audit_next(shape_row, k, n); ++k) {
        static growth g;
        static dc_real data[2][DATA];
        rng r = audit_draw(pose_row, k);
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_growth_result out = DC_ZERO;
        dc_shape_grad ga, gb;
        dc_real jac[84], along[WAYS], all[7 + 84 + WAYS];
        double scale[12], unit[7], far;
        dc_status s;
        int i, side, w;
        if (!growth_draw(&r, class, kind, dim, &g)) continue;
        ga = shape_grad(&g.a, data[0]);
        gb = shape_grad(&g.b, data[1]);
        s = dc_growth(NULL, &g.a, &g.pa, &g.b, &g.pb, &mem, &out, jac, g.bar, &ga, &gb);
        if (s == DC_OK) {
            data[0][shape_count(&g.a) - 1] = ga.size;
            data[1][shape_count(&g.b) - 1] = gb.size;
            memset(along, 0, sizeof along);
            for (side = 0; side < 2; ++side)
                for (w = 0; w < WAYS; ++w)
                    for (i = 0; i < shape_count(side ? &g.b : &g.a); ++i) along[w] += (dc_real)g.way[side][w][i]*data[side][i];
            all[0] = out.alpha;
            all[1] = out.p.x; all[2] = out.p.y; all[3] = out.p.z;
            all[4] = out.n_a.x; all[5] = out.n_a.y; all[6] = out.n_a.z;
            memcpy(all + 7, jac, sizeof jac);
            memcpy(all + 91, along, sizeof along);
        }
        if (audit_only >= 0 && s != DC_OK) printf("status %d iterations %d residual %g; rows %d %d cones %d %d size %g %g dist %g %g %g\n", (int)s, out.iterations, (double)out.residual, g.a.rows, g.b.rows, g.a.cones, g.b.cones, (double)g.a.size, (double)g.b.size,(double)g.pb.t.x,(double)g.pb.t.y,(double)g.pb.t.z);
        audit_call(pose_row, s, s == DC_OK, all, 7 + 84);
        audit_call(shape_row, s, s == DC_OK, all + 91, WAYS);
        if (s != DC_OK) continue;
        audit_zero(pose_row, jac, 12);

        /* parameters of size 1 move the gap by about as much as the shapes are large, or far apart */
        far = fmax(1, (double)out.alpha);
        audit_rounding = class == OFFSET ? (DC_IS_FLOAT ? 40 : 3e3) : far;
        for (i = 0; i < 12; ++i) scale[i] = i%6 < 3 ? g.size : 1;
        if (dim == 2) for (i = 0; i < 12; ++i) if (i%6 >= 2 && i%6 != 5) scale[i] = 0;
        for (i = 0; i < 7; ++i) unit[i] = i == 0 ? far : i < 4 ? g.size*far : 1;
        g.by_shape = 0;
        audit_jacobian(pose_row, growth_value, &g, 12, scale, 7, unit, jac, 12, DC_IS_FLOAT ? 1e-9 : 1e-13, 1, &r);
        g.by_shape = 1;
        audit_jacobian(shape_row, growth_value, &g, WAYS, NULL, 1, NULL, along, WAYS, DC_IS_FLOAT ? 1e-9 : 1e-13, 1, &r);
    }
}

/* The batch of four pairs is four calls, to the bit. */
static void growth_batch(long n)
{
    audit_row *row = audit_of("dc_growth_batch", "any");
    long k;
    for (k = audit_first(n); audit_next(row, k, n); ++k) {
        static growth g;
        rng r = audit_draw(row, k);
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        dc_pose pa[4], pb[4];
        dc_growth_result out[4], one;
        dc_real jac[4*84], alone[84], most = 0;
        dc_status each[4], s;
        int i, j;
        if (!growth_draw(&r, GENERIC, -1, rng_int(&r, 2, 3), &g)) continue;
        for (i = 0; i < 4; ++i) {
            pa[i] = g.pa;
            pb[i] = g.pb;
            pb[i].t = dc_scale((dc_real)rng_uniform(&r, 0.3, 3), pb[i].t);
        }
        s = dc_growth_batch(NULL, &g.a, &g.b, 4, pa, pb, &mem, out, jac, each);
        audit_call(row, s, s == DC_OK, jac, 4*84);
        if (s != DC_OK) continue;
        for (i = 0; i < 4; ++i) {
            s = dc_growth(NULL, &g.a, pa + i, &g.b, pb + i, &mem, &one, alone, NULL, NULL, NULL);
            for (j = 0; j < 84; ++j) most = dc_max(most, dc_abs(alone[j] - jac[84*i + j]));
            if (s != each[i] || one.alpha != out[i].alpha) most = 1;
        }
        audit_agree(row, (double)most, 0);
    }
}

static void growth_all(void)
{
    static char name[KINDS + GROWTHS][2][48];
    int k, dim;
    for (dim = 2; dim <= 3; ++dim) {
        for (k = 0; k < KINDS; ++k) {
            snprintf(name[k][dim - 2], sizeof name[0][0], "%s, %dD", kinds[k], dim);
            growth_rows("dc_growth, jac", "dc_growth, by shape", name[k][dim - 2], GENERIC, k, dim, 1000, NULL);
        }
        for (k = TOUCHING; k < GROWTHS; ++k) {
            const char *open = k == CONCENTRIC ? "concentric shapes have normal 0" : k == APART3 || k == APART6 || k == RATIO
                ? "the unit of growth jumps with distance" : NULL;
            snprintf(name[KINDS + k][dim - 2], sizeof name[0][0], "%s, %dD", growths[k], dim);
            growth_rows("dc_growth, jac", "dc_growth, by shape", name[KINDS + k][dim - 2], k, -1, dim, 1000, open);
        }
    }
    growth_batch(2000);
}

int main(int argc, char **argv)
{
    if (!audit_begin(argc, argv)) return 1;
    growth_all();
    return !audit_end();
}
