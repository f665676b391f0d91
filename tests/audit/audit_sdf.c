/* Audit of the fields in space and the polygons of dc_sdf.h: see audit.h. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#include "dc_sdf.h"
#define DQ_CONTACT_IMPLEMENTATION
#define DQ_SDF_IMPLEMENTATION
#include "dq_sdf.h"

#include "audit.h"
#include "fields.h"

static unsigned char memory[1 << 20], quad_memory[1 << 20];

static const char *const kinds[] = {"superquadric", "superquadric taubin", "polyhedron", "smooth polyhedron", "cloud",
                                    "sphere", "box",
                                    "capsule", "hard union", "union", "hard subtraction", "subtraction"};

/* Which classes a kind has: a hard fold has a kink where its parts are identical or have a centre in common; those
 * of one exponent or width, and cubes, have no limits or ties of their own. */
static int kind_has(int kind, int class)
{
    int hard = kind == F_HARD_UNION || kind == F_HARD_SUBTRACTION, many = kind >= F_HARD_UNION;
    if (class == IDENTICAL) return kind == F_UNION || kind == F_SUBTRACTION;
    if (class == LIMITS) return kind == F_RADIAL || kind == F_TAUBIN || kind == F_SMOOTH_POLYHEDRON
        || kind == F_CLOUD || kind == F_UNION;
    if (class == CONCENTRIC) return !hard;
    if (class == FLAT || class == NEEDLES) return kind != F_SPHERE && !many;
    return 1;
}

/* ---- a point of a class ---- */

/* along the ray from the first primitive's centre, to where the field changes its sign */
static int to_surface(const field *f, dc_v3 *x)
{
    dc_v3 t = f->prim[0].pose.t, u = dc_sub(*x, t);
    dc_real lo = 0, hi = DC_R(20)*(dc_real)f->size/(dc_real)length_of(u), v;
    int k;
    if (dc_sdf_eval(&f->s, dc_madd(t, hi, u), &v, NULL, NULL) != DC_OK || !(v > 0)) return 0;
    if (dc_sdf_eval(&f->s, dc_madd(t, DC_R(1e-3)*hi, u), &v, NULL, NULL) != DC_OK || !(v < 0)) return 0;
    for (k = 0; k < 80; ++k) {
        dc_real mid = DC_R(0.5)*(lo + hi);
        dc_sdf_eval(&f->s, dc_madd(t, mid, u), &v, NULL, NULL);
        if (v < 0) lo = mid;
        else hi = mid;
    }
    *x = dc_madd(t, hi, u);
    return 1;
}

static int point_draw(rng *r, int class, const field *f, dc_v3 *x)
{
    const dc_sdf_prim *p = f->prim;
    double u[3], reach = f->size*rng_log(r, 0.3, 5);
    int i, j = rng_int(r, 0, 2);
    rng_unit3(r, u);
    /* a coordinate plane of the first primitive, or what is equal in two coordinates; not on a kink of what is hard */
    if (class == ALIGNED) u[j] = 0;
    if (class == ALIGNED && rng_int(r, 0, 1) && p->kind != DC_SDF_CAPSULE) u[(j + 1)%3] = 0;
    if (class == ALIGNED && (p->kind == DC_SDF_BOX || p->kind == DC_SDF_POLYHEDRON)) {
        /* inside these planes are kinks */
        double length = sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2]);
        for (i = 0; i < 3; ++i) u[i] /= length;
        reach = fmax(reach, 4*f->size);
    }
    if (class == TIES) {
        u[j] = fabs(u[j])*(rng_int(r, 0, 1) ? 1 : -1);
        u[(j + 1)%3] = u[j];
        if (rng_int(r, 0, 1)) u[(j + 2)%3] = u[j];
        if (p->kind == DC_SDF_BOX || p->kind == DC_SDF_POLYHEDRON) {
            for (i = 0; i < 3; ++i) u[i] *= 1 + 0.01*rng_uniform(r, -1, 1);
            reach = fmax(reach, 0.5*f->size);
        }
    }
    if (class == CONCENTRIC) reach = f->size*rng_log(r, DC_IS_FLOAT ? 1e-5 : 1e-9, 1e-2);
    if (class == APART) reach = f->size*1e6;
    *x = dc_add(p->pose.t, vec_of(reach*u[0], reach*u[1], reach*u[2]));
    if (class != TOUCHING) return 1;
    if (!to_surface(f, x)) return 0;
    reach = f->size*(rng_int(r, 0, 1) ? 1 : -1)*rng_log(r, DC_IS_FLOAT ? 1e-6 : 1e-12, 1e-3);
    *x = dc_add(*x, vec_of(reach*u[0], reach*u[1], reach*u[2]));
    return 1;
}

/* What all samples set: the length that coordinates are in, and how much more they round. */
static double point_scale(int class, const field *f, dc_v3 x)
{
    double scale = f->size;
    int k;
    for (k = 0; k < f->s.n; ++k) scale = fmax(scale, length_of(dc_sub(x, f->prim[k].pose.t)));
    if (class == OFFSET) audit_rounding = DC_IS_FLOAT ? 60 : 2e3;
    return scale;
}

/* ---- dc_sdf_eval ---- */

typedef struct { const field *f; dq_v3 x; } point_case;

static int point_value(const dq_real *t, dq_real *v, void *user)
{
    point_case *c = (point_case *)user;
    return dq_sdf_eval(&c->f->Q, dq_vec(c->x.x + t[0], c->x.y + t[1], c->x.z + t[2]), v, NULL, NULL) == DQ_OK;
}

static void points(int kind, const char *name, long n)
{
    int class;
    for (class = 0; class < F_CLASSES; ++class) {
        audit_row *row;
        long k;
        if (!kind_has(kind, class)) continue;
        row = audit_of(name, field_classes[class]);
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static field f;
            rng r = audit_draw(row, k);
            dc_real out[13];
            double scale[3];
            point_case c;
            dc_v3 x;
            dc_status s;
            field_draw(&r, kind, class, &f);
            if (!point_draw(&r, class, &f, &x)) continue;
            s = dc_sdf_eval(&f.s, x, out, out + 1, out + 4);
            audit_call(row, s, s == DC_OK, out, 13);
            if (s != DC_OK) continue;
            audit_symmetric(row, out + 4, 3);
            if (kind != F_CLOUD) audit_zero(row, out + 1, 3);
            c.f = &f;
            c.x = audit_up3(x);
            scale[0] = scale[1] = scale[2] = point_scale(class, &f, x);
            audit_scalar(row, row, point_value, &c, 3, scale, out + 1, out + 4, 1e-6*field_length(&f, x)/scale[0], 1,
                         &r);
        }
    }
}

/* ---- dc_sdf_eval_batch ---- */

static int point_dir(const dq_real *t, dq_real *v, void *user)
{
    point_case *c = (point_case *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_real x[3];
    dq_sdf_out o = DQ_ZERO;
    x[0] = c->x.x + t[0];
    x[1] = c->x.y + t[1];
    x[2] = c->x.z + t[2];
    o.dir = v;
    return dq_sdf_eval_batch(&c->f->Q, 1, x, 1, &mem, &o) == DQ_OK;
}

static void batches(long n)
{
    enum { COUNT = 9, STRIDE = 11 };
    int class;
    for (class = 0; class < F_CLASSES; ++class) {
        audit_row *row = audit_of("dc_sdf_eval_batch", field_classes[class]);
        audit_row *dir = audit_of("dc_sdf_eval_batch, dir", field_classes[class]);
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static field f;
            static dc_real x[3*STRIDE], out[19*STRIDE];
            rng r = audit_draw(row, k);
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_sdf_out o;
            dc_v3 p[COUNT];
            dc_status s;
            int i, j, kind;
            do kind = rng_int(&r, 0, F_KINDS - 1); while (!kind_has(kind, class));
            field_draw(&r, kind, class, &f);
            for (i = 0; i < COUNT && point_draw(&r, class, &f, p + i); ++i) {
                x[i] = p[i].x;
                x[STRIDE + i] = p[i].y;
                x[2*STRIDE + i] = p[i].z;
            }
            if (i < COUNT) continue;
            memset(out, 0, sizeof out);
            o.value = out;
            o.grad = out + STRIDE;
            o.hess = out + 4*STRIDE;
            o.dir = out + 10*STRIDE;
            o.ddir = out + 13*STRIDE;
            s = dc_sdf_eval_batch(&f.s, COUNT, x, STRIDE, &mem, &o);
            audit_call(row, s, s == DC_OK, out, 19*STRIDE);
            audit_call(dir, s, s == DC_OK, NULL, 0);
            for (i = 0; i < COUNT && s == DC_OK; ++i) {
                static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
                point_case c;
                dc_real g[3], H[9], D[9];
                double scale[3], h, unit = 0;
                for (j = 0; j < 3; ++j) g[j] = o.grad[j*STRIDE + i];
                for (j = 0; j < 9; ++j) {
                    H[j] = o.hess[at[j]*STRIDE + i];
                    D[j] = o.ddir[at[j]*STRIDE + i];
                }
                c.f = &f;
                c.x = audit_up3(p[i]);
                scale[0] = scale[1] = scale[2] = point_scale(class, &f, p[i]);
                h = 1e-6*field_length(&f, p[i])/scale[0];
                for (j = 0; j < 3; ++j) unit = fmax(unit, fabs((double)D[4*j])*scale[0]);
                audit_scalar(row, row, point_value, &c, 3, scale, g, H, h, 1, &r);
                if (unit > 0) audit_jacobian(dir, point_dir, &c, 3, scale, 3, NULL, D, 3, h, 1, &r);
            }
        }
    }
}

/* ---- dc_sdf_ddir_along ---- */

typedef struct { const field *f; dq_v3 x, u; } along_case;

static int along_ddir(const dq_real *t, dq_real *v, void *user)
{
    along_case *c = (along_case *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_real x[3];
    dq_sdf_out o = DQ_ZERO;
    x[0] = c->x.x + t[0]*c->u.x + t[1];
    x[1] = c->x.y + t[0]*c->u.y + t[2];
    x[2] = c->x.z + t[0]*c->u.z + t[3];
    o.ddir = v;
    return dq_sdf_eval_batch(&c->f->Q, 1, x, 1, &mem, &o) == DQ_OK;
}

static void along(long n)
{
    int class;
    for (class = 0; class < F_CLASSES; ++class) {
        audit_row *row = audit_of("dc_sdf_ddir_along", field_classes[class]);
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static field f;
            rng r = audit_draw(row, k);
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            double dir[3], scale[4], most = 0, own;
            dc_real x[3], u[3], T[6], D[6];
            along_case c;
            dc_status s;
            dc_sdf_out o = DC_ZERO;
            dc_v3 p;
            int j, kind;
            do kind = rng_int(&r, 0, F_KINDS - 1); while (!kind_has(kind, class) || kind == F_TAUBIN);
            field_draw(&r, kind, class, &f);
            for (j = 0; j < f.s.n; ++j) {
                dc_sdf_prim *q = f.prim + j;
                q->taubin = f.qprim[j].taubin = 0;
                if (class != ALIGNED && class != TIES) continue;
                /* above 2/3 it is infinite on coordinate planes */
                f.qprim[j].eps1 = q->eps1 = dc_min(q->eps1, DC_R(0.625));
                f.qprim[j].eps2 = q->eps2 = dc_min(q->eps2, DC_R(0.625));
            }
            if (!point_draw(&r, class, &f, &p)) continue;
            scale[0] = 1;
            scale[1] = scale[2] = scale[3] = point_scale(class, &f, p);
            rng_unit3(&r, dir);
            x[0] = p.x; x[1] = p.y; x[2] = p.z;
            for (j = 0; j < 3; ++j) u[j] = (dc_real)(scale[1]*dir[j]);
            o.ddir = D;
            if (dc_sdf_eval_batch(&f.s, 1, x, 1, &mem, &o) != DC_OK) continue;
            s = dc_sdf_ddir_along(&f.s, 1, x, u, 1, &mem, T);
            audit_call(row, s, s == DC_OK, T, 6);
            c.f = &f;
            c.x = audit_up3(p);
            c.u = audit_up3(dc_vec(u[0], u[1], u[2]));
            own = 1e-6*field_length(&f, p)/scale[1];
            /* against ddir over the same way; where that is nothing, weights stop at the least number */
            for (j = 0; j < 6; ++j) most = fmax(most, fabs((double)D[j]));
            audit_floor = most;
            audit_also = 3;
            if (s == DC_OK && most*scale[1] > 1e-20) audit_jacobian(row, along_ddir, &c, 1, scale, 6, NULL, T, 1, own, 1, &r);
        }
    }
}

/* ---- dc_sdf_eval_params ---- */

static int params_value(const dq_real *t, dq_real *v, void *user)
{
    point_case *c = (point_case *)user;
    const field *f = c->f;
    dq_sdf_prim prim[PRIMS];
    dq_sdf s = f->Q;
    int k;
    for (k = 0; k < s.n; ++k, t += DC_SDF_PARAMS) {
        dq_sdf_prim *p = prim + k;
        *p = f->qprim[k];
        /* the twist is in body axes about the primitive's origin, as the pose's own */
        p->pose = dq_pose_retract(p->pose, t);
        p->size = dq_add(p->size, dq_vec(t[6], t[7], t[8]));
        p->eps1 += t[9];
        p->eps2 += t[10];
        p->scale = (p->scale > 0 ? p->scale : 1) + t[11];
    }
    s.prim = prim;
    return dq_sdf_eval(&s, c->x, v, NULL, NULL) == DQ_OK;
}

static void params(int kind, const char *name, long n)
{
    int class;
    for (class = 0; class < F_CLASSES; ++class) {
        audit_row *row;
        long k;
        if (!kind_has(kind, class)) continue;
        row = audit_of(name, field_classes[class]);
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static field f;
            rng r = audit_draw(row, k);
            dc_real out[1 + PRIMS*DC_SDF_PARAMS];
            double scale[PRIMS*DC_SDF_PARAMS], size;
            point_case c;
            dc_v3 x;
            dc_status s;
            int i, j;
            field_draw(&r, kind, class, &f);
            /* inside the range of the exponents, so that they can be moved */
            for (i = 0; i < f.s.n; ++i) {
                f.prim[i].eps1 = (dc_real)fmin(fmax((double)f.prim[i].eps1, 0.021), 1.99);
                f.prim[i].eps2 = (dc_real)fmin(fmax((double)f.prim[i].eps2, 0.021), 1.99);
            }
            field_up(&f);
            if (!point_draw(&r, class, &f, &x)) continue;
            s = dc_sdf_eval_params(&f.s, x, out, out + 1);
            audit_call(row, s, s == DC_OK, out, (size_t)(1 + f.s.n*DC_SDF_PARAMS));
            if (s != DC_OK) continue;
            c.f = &f;
            c.x = audit_up3(x);
            size = point_scale(class, &f, x);
            for (i = 0; i < f.s.n; ++i)
                for (j = 0; j < DC_SDF_PARAMS; ++j) {
                    const dc_sdf_prim *p = f.prim + i;
                    double e = (double)dc_min(p->eps1, p->eps2);
                    scale[i*DC_SDF_PARAMS + j] = j < 3 ? size : j == 6 ? (double)p->size.x : j == 7 ? (double)p->size.y
                                               : j == 8 ? (double)p->size.z : j == 9 || j == 10 ? e : 1;
                }
            audit_scalar(row, row, params_value, &c, f.s.n*DC_SDF_PARAMS, scale, out + 1, NULL,
                         1e-6*fmin(field_length(&f, x)/size, 1), 1, &r);
        }
    }
}

/* ---- polygons ---- */

enum { CORNERS = DC_POLY_NAMED_MOST };
typedef struct {
    dc_v2 v[CORNERS];
    dq_v2 qv[CORNERS];
    dc_poly p;
    dq_poly Q;
    double size, reach;         /* of the coordinates of the vertices */
} polygon;

static const char *const polygon_classes[] = {"generic", "touching", "flat", "needles", "apart 1e6", "sizes 1e+-6",
                                              "far offset"};
enum { P_GENERIC, P_TOUCHING, P_FLAT, P_NEEDLES, P_APART, P_SIZES, P_OFFSET, P_CLASSES };

/* A named shape, turned, or a star of random radii; squeezed, scaled, moved. */
static void polygon_draw(rng *r, int class, polygon *g)
{
    static const char *const names[] = {"O", "U", "N", "#", "D", "octagon", "star", "block", "arc25", "arc75"};
    double thin = class == P_FLAT ? rng_log(r, 1e-2, 0.3)
                : class == P_NEEDLES ? rng_log(r, DC_IS_FLOAT ? 1e-3 : 1e-6, 1e-2) : 1;
    double angle = rng_uniform(r, 0, 6.28), off = class == P_OFFSET ? (DC_IS_FLOAT ? 30 : 1e3) : 0;
    int k, n = rng_int(r, 3, 20);
    g->size = class == P_SIZES ? rng_log(r, 1e-6, 1e6) : 1;
    if (rng_int(r, 0, 1)) dc_poly_named(names[rng_int(r, 0, 9)], CORNERS, g->v, &n);
    else for (k = 0; k < n; ++k) {
        double a = 6.283185307179586*(k + rng_uniform(r, 0, 0.8))/n, s = rng_uniform(r, 0.3, 1);
        g->v[k].x = (dc_real)(s*cos(a));
        g->v[k].y = (dc_real)(s*sin(a));
    }
    for (k = 0; k < n; ++k) {
        double x = (double)g->v[k].x, y = thin*(double)g->v[k].y;
        g->v[k].x = (dc_real)(g->size*(x*cos(angle) - y*sin(angle)) + off);
        g->v[k].y = (dc_real)(g->size*(x*sin(angle) + y*cos(angle)) - 2*off);
        g->qv[k].x = g->v[k].x;
        g->qv[k].y = g->v[k].y;
    }
    g->p.v = g->v;
    g->Q.v = g->qv;
    g->p.n = g->Q.n = n;
    g->reach = off > 0 ? 3*off : g->size;
}

typedef struct { const polygon *g; dq_v2 x; } poly_case;

/* the distance, and the nearest point */
static int poly_value(const dq_real *t, dq_real *v, void *user)
{
    poly_case *c = (poly_case *)user;
    dq_v2 x = c->x;
    dq_poly_hit hit;
    x.x += t[0];
    x.y += t[1];
    if (dq_poly_distance(&c->g->Q, x, &hit) != DQ_OK) return 0;
    v[0] = hit.d;
    v[1] = hit.closest.x;
    v[2] = hit.closest.y;
    return 1;
}

/* What follows from a hit: over the inside of an edge its normal and the projection onto it; at a vertex (x - v)/d
 * and 0. */
static void poly_derivative(const polygon *g, dc_v2 x, const dc_poly_hit *hit, dc_real J[6])
{
    dc_v2 a = g->v[hit->edge], b = g->v[(hit->edge + 1)%g->p.n];
    dc_real ex = b.x - a.x, ey = b.y - a.y, e2 = ex*ex + ey*ey, e = dc_sqrt(e2);
    int inside = hit->at > 0 && hit->at < 1;
    J[0] = inside ? ey/e : (x.x - hit->closest.x)/hit->d;
    J[1] = inside ? -ex/e : (x.y - hit->closest.y)/hit->d;
    J[2] = inside ? ex*ex/e2 : 0;
    J[3] = J[4] = inside ? ex*ey/e2 : 0;
    J[5] = inside ? ey*ey/e2 : 0;
}

static void polygons(long n)
{
    enum { COUNT = 9 };
    int class;
    for (class = 0; class < P_CLASSES; ++class) {
        audit_row *row = audit_of("dc_poly_distance", polygon_classes[class]);
        audit_row *batch = audit_of("dc_poly_distance_batch", polygon_classes[class]);
        long k;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static polygon g;
            rng r = audit_draw(row, k);
            dc_real x[COUNT], y[COUNT], out[3*COUNT];
            dc_status s;
            int i;
            polygon_draw(&r, class, &g);
            for (i = 0; i < COUNT; ++i) {
                const dc_v2 *a = g.v + rng_int(&r, 0, g.p.n - 1);
                double off = g.size*(class == P_TOUCHING ? rng_log(&r, DC_IS_FLOAT ? 1e-6 : 1e-12, 1e-3)
                                     : class == P_APART ? 1e6
                                     : rng_log(&r, 0.01, 3)), t = rng_uniform(&r, 0, 1);
                dc_v2 b = a + 1 < g.v + g.p.n ? a[1] : g.v[0];
                x[i] = (dc_real)((1 - t)*(double)a->x + t*(double)b.x + off*rng_uniform(&r, -1, 1));
                y[i] = (dc_real)((1 - t)*(double)a->y + t*(double)b.y + off*rng_uniform(&r, -1, 1));
            }
            s = dc_poly_distance_batch(&g.p, COUNT, x, y, out, out + COUNT, out + 2*COUNT);
            audit_call(batch, s, s == DC_OK, out, 3*COUNT);
            for (i = 0; i < COUNT; ++i) {
                dc_v2 at = {0, 0};
                dc_poly_hit hit;
                dc_real J[6];
                double scale[2], unit[3], h;
                poly_case c;
                at.x = x[i];
                at.y = y[i];
                s = dc_poly_distance(&g.p, at, &hit);
                audit_call(row, s, s == DC_OK, &hit.d, 1);
                if (s != DC_OK || hit.d == 0) continue;
                c.g = &g;
                c.x.x = x[i];
                c.x.y = y[i];
                scale[0] = scale[1] = fmax(g.size, fabs((double)hit.d));
                if (class == P_OFFSET) audit_rounding = g.reach/scale[0];
                h = 1e-6*fabs((double)hit.d)/scale[0];
                poly_derivative(&g, at, &hit, J);
                /* the distance in its own unit, as the projection of a point far off is 0 beside it */
                unit[0] = unit[1] = unit[2] = 1;
                audit_jacobian(row, poly_value, &c, 2, scale, 3, unit, J, 2, h, 1, &r);
                hit.d = out[i];
                hit.closest.x = out[COUNT + i];
                hit.closest.y = out[2*COUNT + i];
                poly_derivative(&g, at, &hit, J);
                audit_jacobian(batch, poly_value, &c, 2, scale, 3, unit, J, 2, h, 1, &r);
            }
        }
    }
}

/* Moments are numbers: against those of the copy, beside what a rounding of the vertices makes of them. */
static void moments(long n)
{
    int class;
    for (class = 0; class < P_CLASSES; ++class) {
        audit_row *row = audit_of("dc_poly_moments", polygon_classes[class]);
        long k;
        if (class == P_TOUCHING || class == P_APART) continue;
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static polygon g;
            rng r = audit_draw(row, k);
            dc_poly_moments_of m;
            dq_poly_moments_of want, moved;
            double L, err[4], noise[4];
            dc_status s;
            int i;
            polygon_draw(&r, class, &g);
            s = dc_poly_moments(&g.p, &m);
            audit_call(row, s, s == DC_OK, &m.area, 5);
            if (s != DC_OK || dq_poly_moments(&g.Q, &want) != DQ_OK) continue;
            for (i = 0; i < g.p.n; ++i) {
                g.qv[i].x += g.reach*(double)DC_EPS*rng_uniform(&r, -1, 1);
                g.qv[i].y += g.reach*(double)DC_EPS*rng_uniform(&r, -1, 1);
            }
            if (dq_poly_moments(&g.Q, &moved) != DQ_OK) continue;
            L = g.size;
            err[0] = (double)(fabsq(m.area - want.area)/want.area);
            err[1] = (double)(fabsq(m.centroid.x - want.centroid.x) + fabsq(m.centroid.y - want.centroid.y))/L;
            err[2] = (double)(fabsq(m.inertia - want.inertia)/want.inertia);
            err[3] = (double)(fabsq(m.radius - want.radius)/want.radius);
            noise[0] = (double)(fabsq(moved.area - want.area)/want.area);
            noise[1] = (double)fabsq(moved.centroid.x - want.centroid.x)/L;
            noise[1] += (double)fabsq(moved.centroid.y - want.centroid.y)/L;
            noise[2] = (double)(fabsq(moved.inertia - want.inertia)/want.inertia);
            noise[3] = (double)(fabsq(moved.radius - want.radius)/want.radius);
            for (i = 0; i < 4; ++i) audit_error(row, err[i], 0, noise[i]);
        }
    }
}

int main(int argc, char **argv)
{
    static char name[2][F_KINDS][64];
    int kind;
    if (!audit_begin(argc, argv)) return 1;
    for (kind = 0; kind < F_KINDS; ++kind) {
        sprintf(name[0][kind], "dc_sdf_eval, %s", kinds[kind]);
        sprintf(name[1][kind], "dc_sdf_eval_params, %s", kinds[kind]);
        points(kind, name[0][kind], 500);
        params(kind, name[1][kind], 200);
    }
    batches(200);
    along(100);
    polygons(300);
    moments(1000);
    return !audit_end();
}
