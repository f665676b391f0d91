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

enum {
    DATA = 2048,        /* numbers of a shape at most */
    WAYS = 6            /* random directions through the numbers of a shape, which are too many to go one by one */
};

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
        pose.q = dim == 2 ? dc_quat_exp(dc_vec(0, 0, (dc_real)rng_uniform(r, -3, 3))) : audit_turn(r);
        pose.t = dc_vec((dc_real)(size*rng_uniform(r, -0.5, 0.5)), (dc_real)(size*rng_uniform(r, -0.5, 0.5)), 0);
        return st == DC_OK ? dc_shape_place(&one, pose, mem, s) : st;
    default:
        return dc_shape_halfspace(dim, dc_vec((dc_real)rng_uniform(r, -0.3, 0.3), 1, (dc_real)rng_uniform(r, -0.3, 0.3)),
                                  (dc_real)(size*rng_uniform(r, -0.3, 0.3)), mem, s);
    }
}

/* Numbers of a shape: A, b, d, N, size. */
static int shape_count(const dc_shape *s) { return s->rows*(s->dim + 2 + s->aux) + 1; }

/* The copy of a shape, moved by t[k] times way[k] for WAYS of them (NULL: not), numbers in the order of shape_count. */
static dq_shape shape_up(const dc_shape *s, double (*way)[DATA], const dq_real *t, dq_real *data)
{
    dq_shape q = DQ_ZERO;
    const dc_real *from[4];
    int count[4], k, i, w, at = 0;
    from[0] = s->A; from[1] = s->b; from[2] = s->d; from[3] = s->N;
    count[0] = s->rows*s->dim; count[1] = count[2] = s->rows; count[3] = s->rows*s->aux;
    if (shape_count(s) > DATA) { fprintf(stderr, "audit: a shape is too large\n"); exit(1); }
    for (k = 0; k < 4; ++k)
        for (i = 0; i < count[k]; ++i, ++at) {
            data[at] = (dq_real)from[k][i];
            for (w = 0; way && w < WAYS; ++w) data[at] += t[w]*(dq_real)way[w][at];
        }
    q.dim = s->dim; q.rows = s->rows; q.linear = s->linear; q.cones = s->cones; q.aux = s->aux; q.cone = s->cone;
    q.A = data;
    q.b = data + count[0];
    q.d = q.b + count[1];
    q.N = s->aux ? q.d + count[2] : NULL;
    q.size = (dq_real)s->size;
    for (w = 0; way && w < WAYS; ++w) q.size += t[w]*(dq_real)way[w][at];
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

typedef struct {
    dc_shape a, b;
    dc_pose pa, pb;
    double size;
    double way[2][WAYS][DATA];
    dc_real bar[7];
    int by_shape;       /* parameters: the WAYS, and one number, bar . (alpha, p, n); else 12 twists, and those seven */
} growth;

static const char *const growths[] = {"generic", "touching", "deep", "parallel", "aligned", "identical", "concentric", "flat", "needles",
                                      "apart 1e3", "apart 1e6", "sizes 1e+-6", "1e3..1e6 apart in size", "far offset", "behind a plane"};
enum { GENERIC, TOUCHING, DEEP, PARALLEL, ALIGNED, IDENTICAL, CONCENTRIC, FLAT, NEEDLES, APART3, APART6, SIZES, RATIO, OFFSET, BEHIND, GROWTHS };

/* Moves b until the origin of the shape that grows is in front of the half-space, or behind it where the class says so. */
static void half_space_apart(rng *r, int class, growth *g)
{
    int k = g->b.size > 0;          /* which grows */
    const dc_shape *s = k ? &g->a : &g->b;
    const dc_pose *ps = k ? &g->pa : &g->pb, *pg = k ? &g->pb : &g->pa;
    dc_v3 n = dc_quat_rotate(ps->q, dc_vec(s->A[0], s->A[1], s->dim == 3 ? s->A[2] : 0));
    dc_real len = dc_sqrt(dc_dot(n, n)), front = (dc_dot(n, dc_sub(pg->t, ps->t)) - s->d[0])/len, want = (dc_real)(g->size*rng_uniform(r, 0.1, 1));
    if (class == BEHIND) want = -want;
    else if (front > want || class == CONCENTRIC) return;
    g->pb.t = dc_madd(g->pb.t, (k ? want - front : front - want)/len, n);
}

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
    if (class == BEHIND) kb = HALFSPACE;
    if (class == IDENTICAL) kb = ka = ka == HALFSPACE ? SPHERE : ka;
    if (ka == HALFSPACE) kb = rng_int(r, 0, KINDS - 2);
    if (class == CONCENTRIC && kb == HALFSPACE) kb = SPHERE;
    if (shape_draw(r, ka, dim, size, aspect, &mem, &g->a) != DC_OK) return 0;
    if (class == IDENTICAL) g->b = g->a;
    else if (shape_draw(r, kb, dim, other, aspect, &mem, &g->b) != DC_OK) return 0;
    g->size = fmax(size, other);
    for (k = 0; k < 2; ++k) {
        dc_pose *p = k ? &g->pb : &g->pa;
        p->q = dim == 2 ? dc_quat_exp(dc_vec(0, 0, (dc_real)rng_uniform(r, -3, 3))) : audit_turn(r);
        if (class == ALIGNED) p->q = dc_quat_exp(dc_vec(0, 0, 0));
        p->t = class == OFFSET ? dc_vec(DC_R(1e3), DC_R(-2e3), 0) : dc_vec(0, 0, 0);
        if (class == OFFSET && DC_IS_FLOAT) p->t = dc_vec(30, -20, 0);
    }
    if (class == PARALLEL || class == IDENTICAL) g->pb.q = g->pa.q;
    rng_unit3(r, n);
    if (dim == 2) { n[0] = cos(7*n[2]); n[1] = sin(7*n[2]); n[2] = 0; }
    if (class == ALIGNED) { n[0] = 0; n[1] = 1; n[2] = 0; }
    g->pb.t = dc_add(g->pb.t, dc_vec((dc_real)(g->size*far*n[0]), (dc_real)(g->size*far*n[1]), (dc_real)(g->size*far*n[2])));
    if (ka == HALFSPACE || kb == HALFSPACE) half_space_apart(r, class, g);
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
    growth *g = (growth *)user;
    dq_growth_options opt = DQ_ZERO;
    dq_growth_result out = DQ_ZERO;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_pose pa = audit_pose(&g->pa, g->by_shape ? NULL : t), pb = audit_pose(&g->pb, g->by_shape ? NULL : t + 6);
    dq_shape a = shape_up(&g->a, g->by_shape ? g->way[0] : NULL, t, data[0]);
    dq_shape b = shape_up(&g->b, g->by_shape ? g->way[1] : NULL, t, data[1]);
    dq_real y[7];
    int k;
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
        audit_call(pose_row, s, s == DC_OK, all, 7 + 84);
        audit_call(shape_row, s, s == DC_OK, all + 91, WAYS);
        if (s != DC_OK) continue;
        if (class != CONCENTRIC && class != IDENTICAL) audit_zero(pose_row, jac, 12);      /* there it is 0 by convention */

        /* a centre on a plane, or on another, whatever the class is */
        if (class != BEHIND && class != CONCENTRIC && !((double)out.alpha > 1e-5)) continue;

        /* parameters of size 1 move the gap by about as much as the shapes are large, or far apart */
        far = fmax(1, (double)out.alpha);
        audit_rounding = class == OFFSET ? (DC_IS_FLOAT ? 40 : 3e3) : fmax(far, (double)dc_sqrt(dc_dot(g.pb.t, g.pb.t))/g.size);
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
    const char *float_open = DC_IS_FLOAT ? "the interior point of round shapes stops early in float" : NULL;
    int k, dim;
    for (dim = 2; dim <= 3; ++dim) {
        for (k = 0; k < KINDS; ++k) {
            snprintf(name[k][dim - 2], sizeof name[0][0], "%s, %dD", kinds[k], dim);
            growth_rows("dc_growth, jac", "dc_growth, by shape", name[k][dim - 2], GENERIC, k, dim, 150, float_open);
        }
        for (k = TOUCHING; k < GROWTHS; ++k) {
            const char *open = k == BEHIND || k == CONCENTRIC ? "alpha is near 0" : float_open;
            snprintf(name[KINDS + k][dim - 2], sizeof name[0][0], "%s, %dD", growths[k], dim);
            growth_rows("dc_growth, jac", "dc_growth, by shape", name[KINDS + k][dim - 2], k, -1, dim, 150, open);
        }
    }
    growth_batch(1000);
}

/* ---- time steps ---- */

enum { BODIES = 3, CONTACTS = 8, SHAPES = 6, KEEP = 512, STATE = 12*BODIES,
       PARAMS = BODIES*DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS + CONTACTS*DC_NCP_CONTACT_PARAMS };

static const char *const scenes[] = {"drop", "bounce", "stack", "peg", "grasp", "tumble, cone", "tumble, pyramid", "pile", "spin"};
enum { DROP, BOUNCE, STACK, PEG, GRASP, TUMBLE, PYRAMID, PILE, SPIN, SCENES };

typedef struct {
    int dim, bodies, contacts;
    dc_ncp_body body[BODIES];
    dc_ncp_contact contact[CONTACTS];
    dc_shape shape[SHAPES];
    dc_ncp_scene scene;
    dc_ncp_options opt;
    dc_real keep[CONTACTS][KEEP];
} world;

static dc_ncp_body *world_body(world *w, double x, double y, double z, dc_v3 turn, double mass, double inertia)
{
    dc_ncp_body *b = w->body + w->bodies++;
    b->pose.q = dc_quat_exp(turn);
    b->pose.t = dc_vec((dc_real)x, (dc_real)y, (dc_real)z);
    b->mass = (dc_real)mass;
    b->inertia.m[0] = b->inertia.m[8] = (dc_real)inertia;
    b->inertia.m[4] = (dc_real)(1.5*inertia);
    b->inertia.m[1] = b->inertia.m[3] = (dc_real)(0.2*inertia);
    return b;
}

static dc_ncp_contact *world_contact(world *w, int a, int b, int shape_a, int shape_b, double mu)
{
    dc_ncp_contact *c = w->contact + w->contacts++;
    c->body[0] = a;
    c->body[1] = b;
    c->shape[0] = w->shape + shape_a;
    c->shape[1] = w->shape + shape_b;
    c->mu = (dc_real)mu;
    return c;
}

/* A scene about to touch, at random. */
static void world_make(world *w, int which, rng *r)
{
    static const dc_real A[10] = {1, DC_R(0.2), 0, 1, -1, DC_R(-0.3), 0, -1, DC_R(0.8), DC_R(-0.8)};
    static const dc_real b[5] = {DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4), DC_R(0.4)};
    dc_arena m = dc_arena_make(shape_memory, sizeof shape_memory);
    double t[6], h = 0.02;
    int k;
    memset(w, 0, sizeof *w);
    for (k = 0; k < 6; ++k) t[k] = rng_uniform(r, -1, 1);
    w->dim = which < GRASP ? 2 : 3;
    if (which == DROP || which == BOUNCE) {
        dc_shape_polytope(2, 5, A, b, &m, &w->shape[0]);
        dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &m, &w->shape[1]);
        world_body(w, 0, 0.8 + 0.3*t[0], 0, dc_vec(0, 0, (dc_real)(3*t[1])), 1, 0.2);
        w->body[0].v = dc_vec((dc_real)t[2], (dc_real)(-1 + t[3]), 0);
        w->body[0].w.z = (dc_real)t[4];
        world_contact(w, 0, -1, 0, 1, 0.2)->restitution = which == BOUNCE ? DC_R(0.7) : 0;
        h = 0.05;
    } else if (which == STACK) {
        dc_shape_box(2, dc_vec(DC_R(0.25), DC_R(0.25), 0), &m, &w->shape[0]);
        dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &m, &w->shape[1]);
        world_body(w, 0.1*t[0], 0.3, 0, dc_vec(0, 0, (dc_real)(0.1*t[1])), 1, 0.2);
        world_body(w, 0.1*t[2], 0.85, 0, dc_vec(0, 0, (dc_real)(0.2*t[3])), 1.5, 0.2);
        w->body[1].v.x = (dc_real)t[4];
        world_contact(w, 0, 1, 0, 0, 0.5);
        world_contact(w, 0, -1, 0, 1, 0.5);
        world_contact(w, 1, -1, 0, 1, 0.5);
        h = 0.03;
    } else if (which == PEG) {
        dc_shape_box(2, dc_vec(DC_R(0.249), DC_R(0.5), 0), &m, &w->shape[0]);
        dc_shape_box(2, dc_vec(DC_R(0.25), DC_R(0.5), 0), &m, &w->shape[1]);
        dc_shape_halfspace(2, dc_vec(0, 1, 0), 0, &m, &w->shape[2]);
        world_body(w, 0.0005*t[0], 1.1 + 0.3*t[1], 0, dc_vec(0, 0, (dc_real)(0.003*t[2])), 1, 0.2);
        world_body(w, -0.5, 0.5, 0, dc_vec(0, 0, 0), 0, 0);
        world_body(w, 0.5, 0.5, 0, dc_vec(0, 0, 0), 0, 0);
        w->body[0].v = dc_vec((dc_real)(0.1*t[3]), (dc_real)(-0.5 + t[4]), 0);
        world_contact(w, 0, 1, 0, 1, 0.1);
        world_contact(w, 0, 2, 0, 1, 0.1);
        world_contact(w, 0, -1, 0, 2, 0.1);
    } else if (which == GRASP) {        /* two fingers press a cylinder between them and hold it */
        dc_shape_cylinder(3, DC_R(0.1), DC_R(0.3), &m, &w->shape[0]);
        dc_shape_capsule(3, DC_R(0.05), DC_R(0.2), &m, &w->shape[1]);
        dc_shape_sphere(3, DC_R(0.06), &m, &w->shape[2]);
        world_body(w, 0, 0, 0.5, dc_vec((dc_real)(0.1*t[0]), (dc_real)(1.5 + 0.1*t[1]), 0), 0.3, 0.003);
        world_body(w, -0.16, 0.02*t[2], 0.5 + 0.02*t[3], dc_vec(0, 0, (dc_real)(1.57 + 0.2*t[4])), 0.5, 0.004);
        world_body(w, 0.17, 0.02*t[3], 0.5 + 0.02*t[2], dc_vec(0, 0, 0), 0.5, 0.004);
        for (k = 1; k < 3; ++k) w->body[k].force = dc_vec((k == 1 ? 1 : -1)*(dc_real)(10 + 3*t[5]), 0, DC_R(0.65*9.81));
        world_contact(w, 1, 0, 1, 0, 0.8);
        world_contact(w, 2, 0, 2, 0, 0.9)->mu_spin = DC_R(0.02);
        h = 0.01;
    } else if (which == TUMBLE || which == PYRAMID) {
        dc_shape_box(3, dc_vec(DC_R(0.3), DC_R(0.2), DC_R(0.25)), &m, &w->shape[0]);
        dc_shape_sphere(3, DC_R(0.2), &m, &w->shape[1]);
        dc_shape_capsule(3, DC_R(0.15), DC_R(0.5), &m, &w->shape[2]);
        dc_shape_halfspace(3, dc_vec(DC_R(0.1), 0, 1), 0, &m, &w->shape[3]);
        world_body(w, 0, 0, 0.4, dc_vec((dc_real)t[0], (dc_real)t[1], (dc_real)t[2]), 1, 0.05);
        world_body(w, 0.1*t[3], 0.1*t[4], 0.9, dc_vec(0, 0, 0), 0.7, 0.02);
        world_body(w, 0.4 + 0.1*t[5], 0, 0.5, dc_vec((dc_real)t[4], (dc_real)t[3], (dc_real)t[5]), 0.8, 0.03);
        for (k = 0; k < 3; ++k) w->body[k].w = dc_vec((dc_real)(3*t[k]), (dc_real)(-2*t[k + 1]), (dc_real)(2*t[k + 2]));
        world_contact(w, 0, -1, 0, 3, 0.4)->mu_spin = DC_R(0.05);
        world_contact(w, 1, 0, 1, 0, 0.3)->restitution = DC_R(0.3);
        world_contact(w, 2, -1, 2, 3, 0.5)->mu_spin = DC_R(0.02);
        world_contact(w, 0, 2, 0, 2, 0.2);
        world_contact(w, 1, -1, 1, 3, 0.2)->restitution = DC_R(0.5);
        w->opt.pyramid = which == PYRAMID;
    } else if (which == PILE) {         /* a cone, an ellipsoid and a box with round edges fall on each other */
        dc_shape box = DC_ZERO, ball = DC_ZERO;
        dc_shape_cone(3, DC_R(0.5), DC_R(0.6), &m, &w->shape[0]);
        dc_shape_ellipsoid(3, dc_vec(DC_R(0.2), DC_R(0.15), DC_R(0.1)), &m, &w->shape[1]);
        dc_shape_box(3, dc_vec(DC_R(0.15), DC_R(0.1), DC_R(0.12)), &m, &box);
        dc_shape_sphere(3, DC_R(0.03), &m, &ball);
        dc_shape_sum(&box, &ball, &m, &w->shape[2]);
        dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &m, &w->shape[3]);
        world_body(w, 0.1*t[0], 0, 0.25, dc_vec((dc_real)(0.3*t[3]), (dc_real)(1.5 + 0.3*t[4]), 0), 1, 0.02);
        world_body(w, 0.1*t[1], 0.1*t[2], 0.6, dc_vec((dc_real)t[0], (dc_real)t[1], (dc_real)t[2]), 0.6, 0.008);
        world_body(w, 0.2 + 0.1*t[2], 0.05*t[5], 0.9, dc_vec((dc_real)t[4], (dc_real)t[5], 0), 0.8, 0.01);
        for (k = 0; k < 3; ++k) world_contact(w, k, -1, k, 3, 0.4);
        world_contact(w, 0, 1, 0, 1, 0.3);
        world_contact(w, 0, 2, 0, 2, 0.3);
        world_contact(w, 1, 2, 1, 2, 0.3);
    } else {                            /* a cylinder stands and spins on the floor, slides or rests */
        dc_shape_cylinder(3, DC_R(0.15), DC_R(0.1), &m, &w->shape[0]);
        dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &m, &w->shape[1]);
        world_body(w, 0, 0, 0.06, dc_vec(0, (dc_real)(1.5707963 + 0.01*t[0]), 0), 0.5, 0.002);
        w->body[0].w = dc_vec(0, 0, (dc_real)(4*t[1]));
        w->body[0].v = dc_vec((dc_real)(t[2] > 0 ? t[3] : 0), 0, 0);
        world_contact(w, 0, -1, 0, 1, 0.4)->mu_spin = DC_R(0.06);
    }
    w->scene.dim = w->dim;
    w->scene.h = (dc_real)h;
    w->scene.gravity = w->dim == 2 ? dc_vec(0, DC_R(-9.81), 0) : dc_vec(0, 0, which == GRASP ? DC_R(-5) : DC_R(-9.81));
    w->scene.bodies = w->bodies;
    w->scene.contacts = w->contacts;
    w->scene.body = w->body;
    w->scene.contact = w->contact;
    for (k = 0; k < w->contacts; ++k) w->contact[k].keep = w->keep[k];
}

typedef struct {
    const world *w;
    double rho;
    dq_ncp_body here[BODIES];       /* the copy's bodies after the step, unmoved; twists are from them */
    int contact, side;              /* parameters: the WAYS of this shape; contact -1: all of the scene */
    double way[WAYS][DATA];
} step_case;

/* The step of the copy: its bodies after it. The solution that is audited is its start, so that of several both have the same. */
static int step_next(const step_case *c, const dq_real *t, dq_ncp_body *next)
{
    static dq_real data[2*CONTACTS][DATA], keep[CONTACTS][KEEP];
    static dq_shape shape[2*CONTACTS];
    static dq_ncp_body body[BODIES];
    static dq_ncp_contact contact[CONTACTS];
    const world *w = c->w;
    const dq_real *x = c->contact < 0 ? t : NULL;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_ncp_scene scene = DQ_ZERO;
    dq_ncp_options opt = DQ_ZERO;
    int i, k;
    for (i = 0; i < w->bodies; ++i) {
        const dc_ncp_body *from = w->body + i;
        dq_ncp_body *to = body + i;
        to->pose = audit_pose(&from->pose, x);
        to->v = audit_up3(from->v);
        to->w = audit_up3(from->w);
        to->force = audit_up3(from->force);
        to->torque = audit_up3(from->torque);
        to->mass = from->mass;
        audit_up(from->inertia.m, to->inertia.m, 9);
        if (!x) continue;
        to->v = dq_add(to->v, dq_vec(x[6], x[7], x[8]));
        to->w = dq_add(to->w, dq_vec(x[9], x[10], x[11]));
        to->force = dq_add(to->force, dq_vec(x[12], x[13], x[14]));
        to->torque = dq_add(to->torque, dq_vec(x[15], x[16], x[17]));
        to->mass += x[18];
        for (k = 0; k < 9; ++k) to->inertia.m[k] += x[19 + k];
        x += DC_NCP_BODY_PARAMS;
    }
    scene.dim = w->dim;
    scene.h = (dq_real)w->scene.h + (x ? x[3] : 0);
    scene.gravity = audit_up3(w->scene.gravity);
    if (x) {
        scene.gravity = dq_add(scene.gravity, dq_vec(x[0], x[1], x[2]));
        x += DC_NCP_SCENE_PARAMS;
    }
    for (i = 0; i < w->contacts; ++i) {
        const dc_ncp_contact *from = w->contact + i;
        dq_ncp_contact *to = contact + i;
        int side, n = dc_ncp_keep_count(&w->opt, w->dim, from);
        if (n > KEEP) { fprintf(stderr, "audit: a contact keeps too much\n"); exit(1); }
        for (side = 0; side < 2; ++side) {
            int moved = c->contact == i && c->side == side;
            shape[2*i + side] = shape_up(from->shape[side], moved ? (double (*)[DATA])c->way : NULL, t, data[2*i + side]);
            to->shape[side] = shape + 2*i + side;
            to->body[side] = from->body[side];
        }
        to->mu = (dq_real)from->mu + (x ? x[0] : 0);
        to->mu_spin = (dq_real)from->mu_spin + (x ? x[1] : 0);
        to->restitution = (dq_real)from->restitution + (x ? x[2] : 0);
        if (x) x += DC_NCP_CONTACT_PARAMS;
        audit_up(w->keep[i], keep[i], (size_t)n);
        to->keep = keep[i];
    }
    scene.bodies = w->bodies;
    scene.contacts = w->contacts;
    scene.body = body;
    scene.contact = contact;
    opt.rho = c->rho;
    opt.tol = 1e-27Q;
    opt.pyramid = w->opt.pyramid;
    return dq_ncp_step(&opt, &scene, &mem, next, NULL, NULL) == DQ_OK;
}

static int step_value(const dq_real *t, dq_real *f, void *user)
{
    step_case *c = (step_case *)user;
    dq_ncp_body next[BODIES];
    int i;
    if (!step_next(c, t, next)) return 0;
    for (i = 0; i < c->w->bodies; ++i, f += 12) {
        dq_pose_local(c->here[i].pose, next[i].pose, f);
        f[6] = next[i].v.x; f[7] = next[i].v.y; f[8] = next[i].v.z;
        f[9] = next[i].w.x; f[10] = next[i].w.y; f[11] = next[i].w.z;
    }
    return 1;
}

/* What a parameter counts as; 0: it has no meaning in the scene. */
static int step_scales(const world *w, double *scale)
{
    int flat = w->dim == 2, i, k, at = 0;
    for (i = 0; i < w->bodies; ++i)
        for (k = 0; k < DC_NCP_BODY_PARAMS; ++k, ++at) {
            const dc_ncp_body *b = w->body + i;
            scale[at] = k < 18 ? 1 : k == 18 ? (double)b->mass : (double)b->inertia.m[8];
            if (!(b->mass > 0) && k >= 6) scale[at] = 0;
            if (flat && (k < 18 ? k%6 > 1 && k%6 != 5 : k != 18 && k != 27)) scale[at] = 0;
        }
    for (k = 0; k < 3; ++k) scale[at++] = k < w->dim;
    scale[at++] = (double)w->scene.h;
    for (i = 0; i < w->contacts; ++i) {
        const dc_ncp_contact *c = w->contact + i;
        scale[at++] = c->mu > 0;
        scale[at++] = (double)c->mu_spin;
        scale[at++] = c->restitution > 0;
    }
    return at;
}

/* All derivatives of a solved step: grad_row, vjp_row (the transpose of it) and shape_row. */
static void step_derivatives(const world *w, dc_ncp *solution, double rho, audit_row *grad_row, audit_row *vjp_row, audit_row *shape_row,
                             const dc_ncp_body *next, rng *r)
{
    static step_case c;
    static dc_real J[STATE*PARAMS], Js[STATE*DATA], along[STATE*WAYS], data[2*CONTACTS][DATA], back[PARAMS], bar[STATE];
    double scale[PARAMS], most = 0, err = 0;
    dc_shape_grad shapes[2*CONTACTS];
    dc_ncp_adjoint out;
    dc_status s;
    int n = step_scales(w, scale), m = 12*w->bodies, i, k, l, side;

    /* the Jacobian, and its transpose times numbers at random */
    s = dc_ncp_grad(solution, J, n);
    audit_call(grad_row, s, s == DC_OK, J, (size_t)(m*n));
    if (s != DC_OK) return;
    memset(back, 0, sizeof back);
    for (i = 0; i < m; ++i) bar[i] = (dc_real)rng_uniform(r, -1, 1);
    for (i = 0; i < 2*w->contacts; ++i) shapes[i] = shape_grad(w->contact[i/2].shape[i%2], data[i]);
    out.body = back;
    out.scene = back + w->bodies*DC_NCP_BODY_PARAMS;
    out.contact = out.scene + DC_NCP_SCENE_PARAMS;
    out.shape = shapes;
    s = dc_ncp_vjp(solution, bar, &out);
    audit_call(vjp_row, s, s == DC_OK, back, (size_t)n);
    if (s == DC_OK) {
        for (k = 0; k < n; ++k) {
            double product = 0, sum = 0;
            for (i = 0; i < m; ++i) {
                product += (double)bar[i]*(double)J[i*n + k];
                sum += fabs((double)bar[i]*(double)J[i*n + k]);
            }
            most = fmax(most, sum*scale[k]);
            err = fmax(err, fabs(product - (double)back[k])*scale[k]);
        }
        if (most > 0) audit_agree(vjp_row, err/most, AUDIT_BAR);      /* the system is as stiff as 1/rho and more under loads */
    }

    /* the copy at the same place: where it has another solution, or none, nothing can be compared */
    c.w = w;
    c.rho = rho;
    c.contact = -1;
    if (!step_next(&c, NULL, c.here)) return;
    for (i = 0, err = 0; i < w->bodies; ++i) {
        dq_v3 d = dq_sub(c.here[i].v, audit_up3(next[i].v));
        err = fmax(err, (double)sqrtq(dq_dot(d, d)));
    }
    if (audit_only >= 0) printf("  velocities apart by %.1e\n", err);
    audit_jacobian(grad_row, step_value, &c, n, scale, m, NULL, J, n, 1e-4*rho, 1, r);

    /* by the shapes of one contact */
    for (i = 0; i < m; ++i)
        for (k = 0; k < n; ++k) audit_floor = fmax(audit_floor, 1e-6*fabs((double)J[i*n + k])*scale[k]);
    c.contact = rng_int(r, 0, w->contacts - 1);
    for (side = 0; side < 2; ++side) {
        const dc_shape *a = w->contact[c.contact].shape[side];
        int count = shape_count(a);
        c.side = side;
        for (k = 0; k < WAYS; ++k) shape_way(r, a, 0.3, c.way[k]);
        s = dc_ncp_grad_shape(solution, c.contact, side, Js, count);
        audit_call(shape_row, s, s == DC_OK, Js, (size_t)(m*count));
        if (s != DC_OK) continue;
        for (i = 0; i < m; ++i)
            for (k = 0; k < WAYS; ++k)
                for (along[i*WAYS + k] = 0, l = 0; l < count; ++l) along[i*WAYS + k] += (dc_real)c.way[k][l]*Js[i*count + l];
        audit_jacobian(shape_row, step_value, &c, WAYS, NULL, m, NULL, along, WAYS, 1e-4*rho, 1, r);
    }
}

/* relaxed: 0, or the rho that the solved step is brought to. tol: of the step, 0 for the default. */
static void step_rows(const char *suffix, int which, double relaxed, double tol, long n, const char *open)
{
    static char names[4][3][64];
    static int sets;
    static world w;
    static const char *const functions[3] = {"dc_ncp_grad", "dc_ncp_vjp", "dc_ncp_grad_shape"};
    audit_row *row[3], *force = audit_of("dc_ncp_force", scenes[which]);
    long k;
    int i;
    for (i = 0; i < sets; ++i) if (!strcmp(names[i][0] + strlen(functions[0]), suffix)) break;
    if (i == sets) {
        int l;
        ++sets;
        for (l = 0; l < 3; ++l) snprintf(names[i][l], sizeof names[0][0], "%s%s", functions[l], suffix);
    }
    row[0] = audit_of(names[i][0], scenes[which]);
    row[1] = audit_of(names[i][1], scenes[which]);
    row[2] = audit_of(names[i][2], scenes[which]);
    if (!open && DC_IS_FLOAT) open = "a step in float has few digits for derivatives by shape";
    row[0]->open = row[1]->open = row[2]->open = open;
    for (k = audit_first(n); audit_next(row[0], k, n) || audit_next(row[1], k, n) || audit_next(row[2], k, n); ++k) {
        rng r = audit_draw(row[0], k);
        dc_arena mem;
        dc_ncp *solution = NULL;
        dc_ncp_body next[BODIES];
        dc_status s = DC_OK;
        double rho = relaxed > 0 ? relaxed : DC_IS_FLOAT ? (double)1e-4F : 1e-6;
        int steps, finite = 1;
        world_make(&w, which, &r);

        /* some steps on, pushed about */
        steps = rng_int(&r, 3, 25);
        for (i = 0; i < steps && s == DC_OK; ++i) {
            mem = dc_arena_make(memory, sizeof memory);
            s = dc_ncp_step(&w.opt, &w.scene, &mem, w.body, NULL, NULL);
        }
        if (s != DC_OK) continue;
        for (i = 0; i < w.bodies; ++i)
            if (w.body[i].mass > 0) {
                w.body[i].force = dc_add(w.body[i].force, dc_vec((dc_real)rng_uniform(&r, -1, 1), (dc_real)rng_uniform(&r, -1, 1), 0));
                w.body[i].torque.z = (dc_real)rng_uniform(&r, -0.02, 0.02);
            }
        mem = dc_arena_make(memory, sizeof memory);
        w.opt.tol = (dc_real)tol;
        if (k & 1) memset(w.keep, 0, sizeof w.keep);        /* cold */
        s = dc_ncp_step(&w.opt, &w.scene, &mem, next, &solution, NULL);
        if (s == DC_OK && relaxed > 0) s = dc_ncp_relax(solution, (dc_real)relaxed, NULL);
        if (s != DC_OK) {       /* a step may fail: dc_ncp.h, Limits */
            audit_call(row[0], s, s == DC_E_DIVERGED || s == DC_E_SINGULAR, NULL, 0);
            continue;
        }
        for (i = 0; i < w.contacts; ++i) {
            dc_ncp_touch touch;
            s = dc_ncp_force(solution, i, &touch);
            if (s != DC_OK || !dc_finite3(touch.p) || !dc_finite3(touch.n) || !dc_finite3(touch.impulse) || !dc_finite(touch.alpha)
                || !dc_finite(touch.gap)) finite = 0;
        }
        audit_call(force, DC_OK, finite, NULL, 0);
        step_derivatives(&w, solution, rho, row[0], row[1], row[2], next, &r);
    }
}

static void step_all(void)
{
    const char *open = DC_IS_FLOAT ? "contacts as stiff as 1/rho leave few digits of float"
                     : "of a thousand states one or two lose more digits in the body system";
    int which;
    for (which = 0; which < SCENES; ++which) {
        step_rows("", which, 0, 0, 80, open);
        step_rows(", tight", which, 0, DC_IS_FLOAT ? 1e-5 : 1e-11, 80, open);
        step_rows(", relaxed", which, DC_IS_FLOAT ? 1e-3 : 1e-4, DC_IS_FLOAT ? 1e-5 : 1e-11, 80, open);
    }
}

int main(int argc, char **argv)
{
    if (!audit_begin(argc, argv)) return 1;
    audit_least = 3;
    growth_all();
    step_all();
    return !audit_end();
}
