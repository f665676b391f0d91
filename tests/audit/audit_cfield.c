/* Audit of the fields over relative poses of dc_sdf.h: see audit.h. Units max(0, z) compute in float in every build:
 * their reference is the copy's network in quadruple precision, a private function of it, so this program has a copy
 * of its own. */
#undef DC_CONTACT_IMPLEMENTED
#undef DC_SDF_IMPLEMENTED
#undef DQ_CONTACT_IMPLEMENTED
#undef DQ_SDF_IMPLEMENTED
#define DC_STATIC
#define DQ_STATIC
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"
#define DQ_CONTACT_IMPLEMENTATION
#define DQ_SDF_IMPLEMENTATION
#include "dq_sdf.h"

#include "audit.h"

static unsigned char field_memory[1 << 20], memory[1 << 20], quad_field_memory[1 << 21], quad_memory[1 << 21];

enum { GENERIC, TOUCHING, ALIGNED, IDENTICAL, CONCENTRIC, NEEDLES, APART, SIZES, OFFSET, CLASSES };
static const char *const classes[] = {"generic", "touching", "aligned", "identical", "concentric", "needles",
                                      "apart 1e6", "sizes 1e+-6",
                                      "far offset"};

static dc_status eval(const dc_cfield *f, const dc_real q[3], int batch, dc_real out[17], int second)
{
    enum { COUNT = 3, STRIDE = 5 };
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_real p[3*STRIDE], rows[14*STRIDE];
    dc_cfield_out o;
    dc_status s;
    int i, k;
    /* d, gradient, lever; Hessian, the lever's gradient */
    if (!batch)
        return dc_cfield_eval(f, q, &mem, out, out + 1, out + 4, second ? out + 5 : NULL, second ? out + 14 : NULL);
    memset(rows, 0, sizeof rows);
    for (k = 0; k < 3; ++k)
        for (i = 0; i < COUNT; ++i) p[k*STRIDE + i] = q[k];
    o.d = rows;
    o.grad = rows + STRIDE;
    o.lever = rows + 4*STRIDE;
    o.hess = second ? rows + 5*STRIDE : NULL;
    o.dlever = second ? rows + 11*STRIDE : NULL;
    s = dc_cfield_eval_batch(f, COUNT, p, STRIDE, &mem, &o);
    for (k = 0; k < 5; ++k) out[k] = rows[k*STRIDE + 1];
    for (k = 0; second && k < 9; ++k) out[5 + k] = rows[(5 + at[k])*STRIDE + 1];
    for (k = 0; second && k < 3; ++k) out[14 + k] = rows[(11 + k)*STRIDE + 1];
    return s;
}

/* ---- pairs ---- */

enum { CORNERS = DC_POLY_NAMED_MOST };
typedef struct {
    dc_v2 v[2][CORNERS];
    dq_v2 w[2][CORNERS];
    dc_cshape a;
    dc_poly b;
    dc_cfield f;
    dq_cfield Q;
    dc_real q[3];
    double size;                /* of the larger */
} pair;

/* a named shape, squeezed and moved, then turned by an angle */
static int shape_draw(rng *r, int class, const char *name, double size, double turn, dc_v2 *v, int *n)
{
    double thin = class == NEEDLES ? rng_log(r, DC_IS_FLOAT ? 1e-2 : 1e-4, 0.1) : 1;
    double off = class == OFFSET ? (DC_IS_FLOAT ? 20 : 300) : 0;
    int k;
    if (dc_poly_named(name, CORNERS, v, n) != DC_OK) return 0;
    for (k = 0; k < *n; ++k) {
        double x = size*((double)v[k].x + off), y = size*(thin*(double)v[k].y - off);
        v[k].x = (dc_real)(x*cos(turn) - y*sin(turn));
        v[k].y = (dc_real)(x*sin(turn) + y*cos(turn));
    }
    return 1;
}

/* The field of two shapes, exact or sampled, and its copy. */
static int field_draw(rng *r, int class, int kind, int sampled, pair *p)
{
    static const char *const names[] = {"U", "#", "block", "octagon", "star", "arc50", "N", "D"};
    dc_arena mem = dc_arena_make(field_memory, sizeof field_memory);
    dq_arena quad = dq_arena_make(quad_field_memory, sizeof quad_field_memory);
    double size = class == SIZES ? rng_log(r, 1e-6, 1e6) : 1;
    double other = size*(class == SIZES ? rng_log(r, 0.03, 30) : rng_uniform(r, 0.5, 2));
    int same = class == IDENTICAL || class == CONCENTRIC || class == ALIGNED, i = rng_int(r, 0, 7), k;
    /* edges along the grid of a sampled field make every point of a row a tie */
    double turn = sampled ? rng_uniform(r, 0.1, 1.4) : 0;
    dq_cshape a = DQ_ZERO;
    dq_poly b;
    dq_cfield_options qo = DQ_ZERO;
    dc_cfield_options o = DC_ZERO;
    if (class == ALIGNED) i = rng_int(r, 1, 3);
    memset(p, 0, sizeof *p);
    if (same) other = size;
    p->size = fmax(size, other);
    p->a.kind = (dc_cshape_kind)kind;
    p->a.radius = (dc_real)(kind == DC_CSHAPE_HOLE ? 4*other : size);
    if (!shape_draw(r, class, names[i], size, turn, p->v[0], &p->a.poly.n)) return 0;
    if (!shape_draw(r, class, names[same ? i : rng_int(r, 0, 7)], other, turn, p->v[1], &p->b.n)) return 0;
    p->a.poly.v = p->v[0];
    p->b.v = p->v[1];
    for (k = 0; k < CORNERS; ++k) {
        p->w[0][k].x = p->v[0][k].x;
        p->w[0][k].y = p->v[0][k].y;
        p->w[1][k].x = p->v[1][k].x;
        p->w[1][k].y = p->v[1][k].y;
    }
    a.kind = (dq_cshape_kind)kind;
    a.radius = p->a.radius;
    a.poly.v = p->w[0];
    a.poly.n = p->a.poly.n;
    b.v = p->w[1];
    b.n = p->b.n;
    qo.side = o.side = sampled ? 15 : 0;
    if (sampled) {
        if (dc_cfield_sampled(&o, &p->a, &p->b, &mem, &p->f) != DC_OK) return 0;
        return dq_cfield_sampled(&qo, &a, &b, &quad, &p->Q) == DQ_OK;
    }
    if (dc_cfield_exact(&o, &p->a, &p->b, &mem, &p->f) != DC_OK) return 0;
    /* the steps of the gradient are part of what it is */
    if (dq_cfield_exact(&qo, &a, &b, &quad, &p->Q) != DQ_OK) return 0;
    p->Q.h = p->f.h;
    p->Q.hx = p->f.hx;
    return 1;
}

static double distance(const pair *p, const dc_real q[3])
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_real d = 0;
    dc_cfield_eval(&p->f, q, &mem, &d, NULL, NULL, NULL, NULL);
    return (double)d;
}

/* A pose apart, or overlapping. */
static int pose_draw(rng *r, int class, int overlap, pair *p)
{
    double angle = rng_uniform(r, 0, 6.28), lo, hi, want, far_off = 8*p->size;
    double dir[2];
    int k, wall = (int)p->a.kind;
    if (class == ALIGNED) angle = 1.5707963267948966*rng_int(r, 0, 3);
    dir[0] = cos(angle);
    dir[1] = wall == DC_CSHAPE_HALFPLANE ? 1 : sin(angle);
    p->q[0] = (dc_real)(class == IDENTICAL || class == CONCENTRIC ? 0 : class == ALIGNED
                        ? 1.5707963267948966*rng_int(r, 0, 3)
                        : rng_uniform(r, -3.1, 3.1));
    if (class == OFFSET) {
        far_off *= 1000;
        p->q[0] += (dc_real)rng_int(r, 0, 10);
    }
    if (class == CONCENTRIC) {
        far_off = p->size*rng_log(r, DC_IS_FLOAT ? 1e-4 : 1e-9, 1e-2);
        p->q[1] = (dc_real)(far_off*dir[0]);
        p->q[2] = (dc_real)(far_off*dir[1]);
        return 1;
    }
    if (class == APART) far_off = 1e6*p->size;
    /* along the ray to a distance: d grows from below it to above it, or the other way in a hole */
    want = p->size*(class == TOUCHING ? rng_log(r, DC_IS_FLOAT ? 1e-5 : 1e-12, 1e-4) : class == APART ? 9e5
                    : overlap ? -rng_log(r, 1e-3, 0.1) : rng_log(r, 1e-2, 3));
    if (class == TOUCHING && overlap) want = -want;
    if (wall == DC_CSHAPE_HOLE) want = -want;
    lo = 0;
    hi = far_off;
    for (k = 0; k < 90; ++k) {
        double mid = 0.5*(lo + hi), d;
        p->q[1] = (dc_real)(mid*dir[0]);
        p->q[2] = (dc_real)(mid*dir[1]);
        /* aligned shapes do not meet at their corners */
        if (class == ALIGNED && wall != DC_CSHAPE_HALFPLANE) {
            p->q[1] -= (dc_real)(0.1234*p->size*dir[1]);
            p->q[2] += (dc_real)(0.1234*p->size*dir[0]);
        }
        d = distance(p, p->q);
        if ((wall == DC_CSHAPE_HOLE ? -d : d) < (wall == DC_CSHAPE_HOLE ? -want : want)) lo = mid;
        else hi = mid;
    }
    return 1;
}

typedef struct { const dq_cfield *f; const dc_real *q; } pose_case;

/* d and lever */
static int pose_value(const dq_real *t, dq_real *v, void *user)
{
    pose_case *c = (pose_case *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_real q[3];
    int k;
    for (k = 0; k < 3; ++k) q[k] = c->q[k] + t[k];
    return dq_cfield_eval(c->f, q, &mem, v, NULL, v + 1, NULL, NULL) == DQ_OK;
}

/* by x and y alone */
static int shift_value(const dq_real *t, dq_real *v, void *user)
{
    dq_real move[3];
    move[0] = 0;
    move[1] = t[0];
    move[2] = t[1];
    return pose_value(move, v, user);
}

/* The gradient as it is defined where it is a difference: by coordinate k with step h, at the pose moved by `off` */
static int slope_of(const dq_cfield *f, const dc_real q[3], int k, dq_real h, const double off[3], dq_real *slope)
{
    pose_case c;
    dq_real t[3], up[2], down[2];
    int i;
    c.f = f;
    c.q = q;
    for (i = 0; i < 3; ++i) t[i] = off[i];
    t[k] += h;
    if (!pose_value(t, up, &c)) return 0;
    t[k] -= 2*h;
    if (!pose_value(t, down, &c)) return 0;
    *slope = (up[0] - down[0])/(2*h);
    return 1;
}

/* Distance and lever against the copy's, in units of the larger shape. Of shapes that overlap without the lever: the
 * largest disc in both may be anywhere along an arm. */
static void numbers(audit_row *row, const pose_case *c, const double most[3], double size, dc_real d, dc_real lever,
                    int overlap, rng *r)
{
    dq_real zero[3] = {0, 0, 0}, t[3], want[2], moved[2];
    double err[2], noise[2] = {0, 0};
    int i, k;
    if (!pose_value(zero, want, (void *)c)) return;
    if (!(fabs((double)want[0]) <= 100*size)) size = fabs((double)want[0]);
    err[0] = (double)fabsq(d - want[0])/size;
    err[1] = overlap ? 0 : (double)fabsq(lever - want[1])/size;
    for (i = 0; i < AUDIT_PLACES || (i < AUDIT_MORE && (audit_beyond(err[0], noise[0]) || audit_beyond(err[1], noise[1]))); ++i) {
        for (k = 0; k < 3; ++k) t[k] = rng_uniform(r, -1, 1)*most[k];
        if (!pose_value(t, moved, (void *)c)) return;
        for (k = 0; k < 2; ++k) noise[k] = fmax(noise[k], (double)fabsq(moved[k] - want[k])/size);
    }
    audit_error(row, err[0], 0, noise[0]);
    if (!overlap) audit_error(row, err[1], 0, noise[1]);
}

/* Whether two corners are farthest from the middle of a hole but for the rounding of their places: then either is right. */
static int farthest_tie(const pair *p, double reach)
{
    double most = 0, next = 0, c = cos((double)p->q[0]), s = sin((double)p->q[0]);
    int k;
    for (k = 0; k < p->b.n; ++k) {
        double x = (double)p->b.v[k].x, y = (double)p->b.v[k].y, far_off;
        far_off = hypot((double)p->q[1] + c*x - s*y, (double)p->q[2] + s*x + c*y);
        next = fmax(next, fmin(far_off, most));
        most = fmax(most, far_off);
    }
    return most - next <= 4*(double)DC_EPS*reach;
}

static void exact(const char *name, const char *value_name, int kind, int overlap, int batch, long n)
{
    int class;
    for (class = 0; class < CLASSES; ++class) {
        audit_row *row, *value;
        long k;
        if (overlap ? class == APART : class == CONCENTRIC && kind != DC_CSHAPE_HOLE) continue;
        if (batch && overlap && class > IDENTICAL) continue;             /* the long searches are audited one by one */
        if (kind == DC_CSHAPE_HOLE && class == ALIGNED) continue;       /* the farthest corners tie */
        if (kind != DC_CSHAPE_POLY && (class == IDENTICAL || (class == APART && kind == DC_CSHAPE_HOLE))) continue;
        row = audit_of(name, classes[class]);
        value = audit_of(value_name, classes[class]);
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static pair p;
            rng r = audit_draw(row, k);
            dc_real out[17];
            double most[3], off[3], zero[3] = {0, 0, 0}, scale[2], reach;
            pose_case c;
            dc_status s;
            int i, differences, only;
            if (!field_draw(&r, class, kind, 0, &p) || !pose_draw(&r, class, overlap, &p)) continue;
            s = eval(&p.f, p.q, batch, out, 0);
            if (s == DC_OK && kind == DC_CSHAPE_POLY && (out[0] < 0) != overlap) continue;
            /* among needles that overlap the search for the disc may reach its cap, as it says */
            audit_call(row, s, s == DC_OK || (s == DC_E_DIVERGED && class == NEEDLES && overlap), out, 5);
            audit_call(value, s, 1, NULL, 0);
            if (s != DC_OK) continue;
            c.f = &p.Q;
            c.q = p.q;

            /* what inputs are rounded by: the vertices and the pose */
            reach = p.size*(class == OFFSET ? (DC_IS_FLOAT ? 60 : 1e3) : 1);
            reach += fabs((double)p.q[1]) + fabs((double)p.q[2]);
            for (i = 0; i < 3; ++i) {
                most[i] = (double)DC_EPS*(i == 0 ? 1 + fabs((double)p.q[0]) : reach);
                off[i] = rng_uniform(&r, -1, 1)*most[i];
            }
            numbers(value, &c, most, p.size, out[0], out[4], kind == DC_CSHAPE_POLY && out[0] < 0, &r);

            /* by definition differences: by the angle, and where polygons overlap all, one of them a sample */
            differences = out[0] < 0 && kind == DC_CSHAPE_POLY ? 3 : 1;
            only = rng_int(&r, 0, differences - 1);
            for (i = only; i <= only; ++i) {
                dq_real want, moved, h = i == 0 ? p.Q.h : p.Q.hx;
                double unit = i == 0 ? reach : 1, large;
                if (!slope_of(&p.Q, p.q, i, h, zero, &want) || !slope_of(&p.Q, p.q, i, h, off, &moved)) continue;
                large = fmax(unit, (double)fabsq(want));
                audit_error(row, (double)fabsq(out[1 + i] - want)/large, 0, (double)fabsq(moved - want)/large);
            }
            if (differences == 3 || (kind == DC_CSHAPE_HOLE && farthest_tie(&p, reach))) continue;
            scale[0] = scale[1] = p.size;
            audit_rounding = reach/p.size;
            audit_zero(row, out + 2, 2);
            audit_scalar(row, row, shift_value, &c, 2, scale, out + 2, NULL,
                         1e-10*fmin(fabs((double)out[0])/p.size, 1), 1, &r);
        }
    }
}

/* Whether a rounding of the pose makes another point of the grid the least: then either is right, and its slopes. */
static int tied(const pose_case *c, double size)
{
    dq_real v, g[3], moved_v, moved[3];
    int way, k;
    for (way = 0; way <= 8; ++way) {        /* here, and at the corners of what 8 roundings reach */
        dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
        dq_real q[3];
        for (k = 0; k < 3; ++k) q[k] = c->q[k] + (way > 0 ? ((way - 1) >> k & 1 ? 8 : -8)*(double)DC_EPS*(k == 0 ? 1 : size) : 0);
        if (dq_cfield_eval(c->f, q, &mem, way > 0 ? &moved_v : &v, way > 0 ? moved : g, NULL, NULL, NULL) != DQ_OK) return 1;
        if (way == 0) continue;
        if (fabsq(moved_v - v) > 100*(double)DC_EPS*size) return 1;
        for (k = 0; k < 3; ++k) if (fabsq(moved[k] - g[k]) > AUDIT_BAR*(k == 0 ? size : 1)) return 1;
    }
    return 0;
}

static void sampled(int batch, const char *name, long n)
{
    int class;
    for (class = 0; class < CLASSES; ++class) {
        audit_row *row = audit_of(name, classes[class]);
        long k;
        if (class == APART || class == OFFSET) continue;         /* its grid is about the midpoint of the origins */
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static pair p;
            rng r = audit_draw(row, k);
            dc_real out[17];
            double scale[3];
            pose_case c;
            dc_status s;
            if (!field_draw(&r, class, DC_CSHAPE_POLY, 1, &p) || !pose_draw(&r, class, rng_int(&r, 0, 1), &p)) continue;
            s = eval(&p.f, p.q, batch, out, 0);
            audit_call(row, s, s == DC_OK, out, 5);
            if (s != DC_OK) continue;
            c.f = &p.Q;
            c.q = p.q;
            scale[0] = 1;
            scale[1] = scale[2] = p.size;
            if (tied(&c, p.size)) continue;
            audit_scalar(row, row, pose_value, &c, 3, scale, out + 1, NULL, 1e-10, 1, &r);
        }
    }
}

/* ---- learned fields ---- */

enum { NET_GENERIC, NET_CUT, NET_NEAR, NET_CONCENTRIC, NET_BEYOND, NET_ANGLE, NET_CLASSES };
static const char *const net_classes[] = {"generic", "cut-offs", "near cut-offs", "concentric", "beyond", "angle 1e4"};

typedef struct {
    dc_cfield f;
    dq_cfield Q;
    dq_real *w;                 /* its weights, in quadruple precision also of units max(0, z) */
} net;

/* A small network of a pair, trained for a moment, and its copy from its bytes. */
static int net_make(int kind, int raw, int smooth, double size, net *t)
{
    static unsigned char state[1 << 22], bytes[1 << 16];
    dc_arena mem = dc_arena_make(memory, sizeof memory), keep = dc_arena_make(field_memory, sizeof field_memory);
    dq_arena quad = dq_arena_make(quad_field_memory, sizeof quad_field_memory);
    dc_cfield_train_options o = DC_ZERO;
    dc_cfield_train_info info;
    dc_v2 v[2][CORNERS];
    dc_cshape a = DC_ZERO;
    dc_poly b;
    dc_cfield of;
    size_t k, n;
    int i;
    a.kind = (dc_cshape_kind)kind;
    a.radius = (dc_real)(size*(kind == DC_CSHAPE_HOLE ? 4 : 1.5));
    if (dc_poly_named("U", CORNERS, v[0], &a.poly.n) != DC_OK) return 0;
    if (dc_poly_named("star", CORNERS, v[1], &b.n) != DC_OK) return 0;
    for (i = 0; i < CORNERS; ++i) {
        v[0][i].x *= (dc_real)size; v[0][i].y *= (dc_real)size;
        v[1][i].x *= (dc_real)(0.8*size); v[1][i].y *= (dc_real)(0.8*size);
    }
    a.poly.v = v[0];
    b.v = v[1];
    o.raw = raw;
    o.smooth = smooth;
    o.harmonics = 5;
    o.layers = 2;
    o.width = 16;
    o.samples = 1000;
    o.epochs = 6;
    o.batch = 64;
    if (dc_cfield_exact(NULL, &a, &b, &mem, &of) != DC_OK || dc_cfield_train_bytes(&o) > sizeof state) return 0;
    if (dc_cfield_train_start(&o, &of, state) != DC_OK) return 0;
    if (dc_cfield_train(&of, state, &mem, NULL, NULL, &info) != DC_OK) return 0;
    if (dc_cfield_learned(state, &keep, &t->f) != DC_OK) return 0;
    n = dc_cfield_save_bytes(&t->f);
    if (n > sizeof bytes || dc_cfield_save(&t->f, bytes, n) != DC_OK) return 0;
    if (dq_cfield_load(bytes, n, &quad, &t->Q) != DQ_OK) return 0;
    n = dqi_net_count(&t->Q.net->size);
    t->w = (dq_real *)dq_arena_take(&quad, n, sizeof *t->w);
    if (!t->w) return 0;
    for (k = 0; k < n; ++k) t->w[k] = t->Q.net->weights[k];
    return 1;
}

typedef struct { const net *t; const dc_real *q; } net_case;

/* d and lever */
static int net_value(const dq_real *t, dq_real *v, void *user)
{
    net_case *c = (net_case *)user;
    const dq_cnet *n = c->t->Q.net;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dqi_cnet_pose p;
    DQI_NET(dqi_net_work) w;
    dq_real out[1][2], x = c->q[1] + t[1], y = c->q[2] + t[2], r = dq_sqrt(x*x + y*y);
    dqi_cjet jet[2];
    dqi_cnet_place(n, c->q[0] + t[0], x, y, &p);
    w = DQI_NET(dqi_net_work_make)(&n->size, 1,
                                   (dq_real *)dq_arena_take(&mem, dqi_net_numbers(&n->size, 1), sizeof(dq_real)));
    DQI_NET(dqi_cnet_run)(n, c->t->w, NULL, 1, &p, 0, &w, out, NULL);
    memset(jet, 0, sizeof jet);
    jet[0].v = n->unit*DQ_CFIELD_BAND*out[0][0] + n->sign*p.beyond;
    jet[1].v = n->unit*out[0][1];
    dqi_cnet_centre(n, &p, r, -2*n->unit*DQ_CFIELD_BAND, &jet[0]);
    dqi_cnet_centre(n, &p, r, 0, &jet[1]);
    v[0] = jet[0].v;
    v[1] = jet[1].v;
    return 1;
}

static int net_lever(const dq_real *t, dq_real *v, void *user)
{
    dq_real both[2];
    net_value(t, both, user);
    v[0] = both[1];
    return 1;
}

static void net_pose(rng *r, int class, const net *t, dc_real q[3])
{
    const dc_cnet *n = t->f.net;
    double low = (double)n->low, high = (double)n->high, unit = (double)n->unit, a = rng_uniform(r, 0, 6.28), s;
    double at = rng_int(r, 0, 1) && low > 0 ? low : high, dir[2];
    if (n->wall == DC_CSHAPE_HALFPLANE && rng_int(r, 0, 1)) at = low;
    q[0] = (dc_real)(rng_uniform(r, -3, 3) + (class == NET_ANGLE ? (DC_IS_FLOAT ? 30 : 1e4) : 0));
    s = low + (high - low)*rng_uniform(r, 0.05, 0.95);
    if (class == NET_CUT) s = at;
    if (class == NET_NEAR) s = at + (rng_int(r, 0, 1) ? 1 : -1)*unit*rng_log(r, DC_IS_FLOAT ? 1e-5 : 1e-9, 1e-2);
    if (class == NET_CONCENTRIC) s = unit*rng_log(r, DC_IS_FLOAT ? 1e-6 : 1e-9, 1e-2);
    /* smooth ones go over to a number there, which they are from 0.01 units on */
    if (class == NET_CONCENTRIC && n->smooth && !n->raw && !(n->low > 0)) s = unit*rng_uniform(r, 0.011, 0.06);
    if (class == NET_BEYOND) s = high*rng_log(r, 1.3, 1e3);
    dir[0] = cos(a);
    dir[1] = sin(a);
    if (n->wall == DC_CSHAPE_HALFPLANE) {
        q[1] = (dc_real)(unit*rng_uniform(r, -3, 3));
        q[2] = (dc_real)s;
        return;
    }
    /* the cut exactly, as r is rounded: along an axis */
    if (class == NET_CUT) {
        dir[0] = rng_int(r, 0, 1);
        dir[1] = 1 - dir[0];
    }
    q[1] = (dc_real)(s*dir[0]);
    q[2] = (dc_real)(s*dir[1]);
}

/* The gradient of d of a field of max(0, z), which is computed in float in every build: so the bar is that of float.
 * Where the two sides differ it is on a kink. */
static void relu_gradient(audit_row *row, net_case *c, const double scale[3], const dc_real g[3], double h, rng *r)
{
    static const double here[3];
    dq_real f[5][AUDIT_MOST], up, down, got = 0;
    double d[3], off[3], most = 0;
    int k;
    audit_direction(r, 3, scale, d, off);
    if (!audit_line(net_value, c, 3, 1, here, d, (dq_real)h, 3, f)) return;
    up = (f[1][0] - f[0][0])/(dq_real)h;
    down = (f[0][0] - f[2][0])/(dq_real)h;
    for (k = 0; k < 3; ++k) {
        got += (dq_real)g[k]*d[k];
        most = fmax(most, fabs((double)g[k])*scale[k]);
    }
    if (!(most > 0)) return;
    if ((double)fabsq(up - down)/most > 1e-4) {
        ++row->derivatives;
        return;
    }
    audit_close(row, (double)fabsq(got - (up + down)/2)/most, 1e-2);
}

static void learned(int kind, int raw, int smooth, int batch, const char *name, double size, long n)
{
    static net t;
    int class;
    if (audit_name && !strstr(name, audit_name)) return;
    if (!net_make(kind, raw, smooth, size, &t)) {
        fprintf(stderr, "audit: %s was not trained\n", name);
        exit(1);
    }
    for (class = 0; class < NET_CLASSES; ++class) {
        audit_row *row = audit_of(name, net_classes[class]);
        long k;
        if (class == NET_CONCENTRIC && kind == DC_CSHAPE_HALFPLANE) continue;
        if ((!smooth || raw) && (class == NET_CUT || class == NET_CONCENTRIC))
            row->open = "learned fields of max(0, z), and raw ones, are only C0 at their cut-offs and at r = 0";
        if (class == NET_CONCENTRIC && (kind == DC_CSHAPE_HOLE || t.f.net->low > 0))
            row->open = "far inside a hole, or a disc larger than the grain, d is a cone about the centre";
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            rng r = audit_draw(row, k);
            dc_real q[3], out[17];
            double scale[3], h;
            net_case c;
            dc_status s;
            net_pose(&r, class, &t, q);
            s = eval(&t.f, q, batch, out, smooth);
            audit_call(row, s, s == DC_OK, out, smooth ? 17 : 5);
            if (s != DC_OK) continue;
            c.t = &t;
            c.q = q;
            scale[0] = 1;
            scale[1] = scale[2] = size;
            audit_zero(row, out + 1, 3);
            if (class == NET_ANGLE) audit_rounding = DC_IS_FLOAT ? 30 : 1e4;
            h = class == NET_NEAR ? (DC_IS_FLOAT ? 1e-7 : 1e-11) : 1e-8;
            if (class == NET_CONCENTRIC) h = 1e-8*sqrt((double)q[1]*(double)q[1] + (double)q[2]*(double)q[2])/size;
            if (!smooth) {
                relu_gradient(row, &c, scale, out + 1, h, &r);
                continue;
            }
            audit_symmetric(row, out + 5, 3);
            audit_scalar(row, row, net_value, &c, 3, scale, out + 1, out + 5, h, 1, &r);
            audit_jacobian(row, net_lever, &c, 3, scale, 1, NULL, out + 14, 3, h, 1, &r);
        }
    }
}

/* ---- baked fields ---- */

enum { BAKED_GENERIC, BAKED_CELL, BAKED_CUT, BAKED_BEYOND, BAKED_CLASSES };
static const char *const baked_classes[] = {"generic", "edges of cells", "cut-offs", "beyond"};
typedef struct { dc_cfield f; dq_cfield Q; } spline;

/* A coarse spline of a pair, and its copy from its bytes. */
static int baked_make(int kind, int bits, double size, spline *t)
{
    static unsigned char kept[1 << 18], copied[1 << 19], bytes[1 << 18];
    static dc_v2 v[DC_POLY_NAMED_MOST];
    dc_arena keep = dc_arena_make(kept, sizeof kept), mem = dc_arena_make(memory, sizeof memory);
    dq_arena quad = dq_arena_make(copied, sizeof copied);
    dc_cfield_bake_options o = DC_ZERO;
    dc_cshape a = DC_ZERO;
    dc_cfield of;
    size_t n;
    int i;
    if (dc_poly_named("U", DC_POLY_NAMED_MOST, v, &a.poly.n) != DC_OK) return 0;
    for (i = 0; i < a.poly.n; ++i) {
        v[i].x *= (dc_real)size;
        v[i].y *= (dc_real)size;
    }
    a.poly.v = v;
    a.kind = (dc_cshape_kind)kind;
    o.bits = bits;
    o.angles = 12;
    o.side = kind == DC_CSHAPE_POLY ? 15 : 0;
    if (dc_cfield_exact(NULL, &a, &a.poly, &mem, &of) != DC_OK || dc_cfield_bake(&o, &of, &keep, &t->f, NULL) != DC_OK) return 0;
    n = dc_cfield_save_bytes(&t->f);
    return n > 0 && n <= sizeof bytes && dc_cfield_save(&t->f, bytes, n) == DC_OK && dq_cfield_load(bytes, n, &quad, &t->Q) == DQ_OK;
}

static int baked_lever(const dq_real *t, dq_real *v, void *user)
{
    dq_real both[2];
    if (!pose_value(t, both, user)) return 0;
    v[0] = both[1];
    return 1;
}

static void baked_pose(rng *r, int class, const dc_cspline *s, dc_real q[3])
{
    double begin = (double)s->begin, width = (double)s->width, rho = begin*sqrt(rng_uniform(r, 0.01, 1)), a = rng_uniform(r, 0, 6.28);
    int k;
    if (class == BAKED_CUT) rho = begin + (rng_int(r, 0, 1) ? width : 0)*(1 + rng_uniform(r, -1, 1)*1e-3);
    if (class == BAKED_BEYOND) rho = begin*rng_log(r, 1.3, 1e3);
    q[0] = (dc_real)rng_uniform(r, -3, 3);
    q[1] = (dc_real)(rho*cos(a));
    q[2] = (dc_real)(rho*sin(a));
    if (class != BAKED_CELL) return;
    q[0] = (dc_real)rng_int(r, -5, 5)/s->turn;
    for (k = 1; k < 3 && s->rate > 0; ++k) q[k] = (dc_real)rng_int(r, 3, s->side - 6)/s->rate - s->reach;
}

static void baked(int kind, int bits, int batch, const char *name, double size, long n)
{
    static spline t;
    int class;
    if (audit_name && !strstr(name, audit_name)) return;
    if (!baked_make(kind, bits, size, &t)) {
        fprintf(stderr, "audit: %s was not baked\n", name);
        exit(1);
    }
    for (class = 0; class < BAKED_CLASSES; ++class) {
        audit_row *row = audit_of(name, baked_classes[class]);
        long k;
        if (kind == DC_CSHAPE_HALFPLANE && class >= BAKED_CUT) continue;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            rng r = audit_draw(row, k);
            dc_real q[3], out[17];
            double scale[3];
            pose_case c;
            dc_status s;
            baked_pose(&r, class, t.f.spline, q);
            s = eval(&t.f, q, batch, out, 1);
            audit_call(row, s, s == DC_OK, out, 17);
            if (s != DC_OK) continue;
            c.f = &t.Q;
            c.q = q;
            scale[0] = 1;
            scale[1] = scale[2] = size;
            audit_zero(row, out + 1, 3);
            audit_symmetric(row, out + 5, 3);
            audit_scalar(row, row, pose_value, &c, 3, scale, out + 1, out + 5, 1e-9, 1, &r);
            audit_jacobian(row, baked_lever, &c, 3, scale, 1, NULL, out + 14, 3, 1e-9, 1, &r);
        }
    }
}

int main(int argc, char **argv)
{
    if (!audit_begin(argc, argv)) return 1;
    audit_least = 4;
    exact("dc_cfield_eval, exact apart", "d and lever, exact apart", DC_CSHAPE_POLY, 0, 0, 400);
    exact("dc_cfield_eval, exact overlap", "d and lever, exact overlap", DC_CSHAPE_POLY, 1, 0, 100);
    exact("dc_cfield_eval, half-plane", "d and lever, half-plane", DC_CSHAPE_HALFPLANE, 0, 0, 400);
    exact("dc_cfield_eval, disc", "d and lever, disc", DC_CSHAPE_DISC, 0, 0, 400);
    exact("dc_cfield_eval, hole", "d and lever, hole", DC_CSHAPE_HOLE, 0, 0, 400);
    exact("dc_cfield_eval_batch, apart", "batch d and lever, apart", DC_CSHAPE_POLY, 0, 1, 100);
    exact("dc_cfield_eval_batch, overlap", "batch d and lever, overlap", DC_CSHAPE_POLY, 1, 1, 50);
    sampled(0, "dc_cfield_eval, sampled", 100);
    sampled(1, "dc_cfield_eval_batch, sampled", 50);
    learned(DC_CSHAPE_POLY, 0, 1, 0, "dc_cfield_eval, smooth", 1, 500);
    learned(DC_CSHAPE_POLY, 1, 1, 0, "dc_cfield_eval, smooth raw", 100, 500);
    learned(DC_CSHAPE_HALFPLANE, 0, 1, 0, "dc_cfield_eval, smooth plane", 0.01, 500);
    learned(DC_CSHAPE_DISC, 0, 1, 0, "dc_cfield_eval, smooth disc", 1, 500);
    learned(DC_CSHAPE_HOLE, 0, 1, 0, "dc_cfield_eval, smooth hole", 1, 500);
    learned(DC_CSHAPE_POLY, 0, 0, 0, "dc_cfield_eval, relu", 1, 500);
    learned(DC_CSHAPE_POLY, 1, 0, 0, "dc_cfield_eval, relu raw", 1, 500);
    learned(DC_CSHAPE_HALFPLANE, 0, 0, 0, "dc_cfield_eval, relu plane", 1, 500);
    learned(DC_CSHAPE_DISC, 0, 0, 0, "dc_cfield_eval, relu disc", 1, 500);
    learned(DC_CSHAPE_POLY, 0, 1, 1, "dc_cfield_eval_batch, smooth", 1, 200);
    learned(DC_CSHAPE_POLY, 0, 0, 1, "dc_cfield_eval_batch, relu", 1, 200);
    baked(DC_CSHAPE_POLY, 32, 0, "dc_cfield_eval, baked", 1, 300);
    baked(DC_CSHAPE_POLY, 16, 1, "dc_cfield_eval_batch, baked", 100, 200);
    baked(DC_CSHAPE_HALFPLANE, 32, 0, "dc_cfield_eval, baked plane", 0.01, 200);
    return !audit_end();
}
