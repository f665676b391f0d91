/* fields.h - what the audits of fields and of manifolds share: fields drawn by kind and class, and their copies */
#ifndef DC_AUDIT_FIELDS_H_INCLUDED
#define DC_AUDIT_FIELDS_H_INCLUDED

/* F_HARD.. are of two to four primitives of all kinds */
enum { F_RADIAL, F_TAUBIN, F_POLYHEDRON, F_SMOOTH_POLYHEDRON, F_CLOUD, F_SPHERE, F_BOX, F_CAPSULE, F_HARD_UNION,
      F_UNION,
       F_HARD_SUBTRACTION, F_SUBTRACTION, F_KINDS };

enum { GENERIC, TOUCHING, ALIGNED, CONCENTRIC, TIES, FLAT, NEEDLES, APART, SIZES, OFFSET, LIMITS, IDENTICAL,
      F_CLASSES };
static const char *const field_classes[] = {"generic", "touching", "aligned", "concentric", "ties", "flat", "needles",
                                            "apart 1e6",
                                            "sizes 1e+-6", "far offset", "limits", "identical"};

enum { PRIMS = 4, POINTS = 12 };
typedef struct {
    dc_sdf s;
    dc_sdf_prim prim[PRIMS];
    dc_v3 n[PRIMS][POINTS], p[PRIMS][POINTS];
    dc_real sigma[PRIMS][POINTS];
    dq_sdf Q;
    dq_sdf_prim qprim[PRIMS];
    dq_v3 qn[PRIMS][POINTS], qp[PRIMS][POINTS];
    dq_real qsigma[PRIMS][POINTS];
    double size;                /* of the primitives */
} field;

static dc_v3 vec_of(double x, double y, double z) { return dc_vec((dc_real)x, (dc_real)y, (dc_real)z); }
static double length_of(dc_v3 v)
{
    double x = (double)v.x, y = (double)v.y, z = (double)v.z;
    return sqrt(x*x + y*y + z*z);
}

/* Primitive k of a field. Polyhedra and clouds are of the planes about a ball or box of the same axes. */
static void prim_draw(rng *r, field *f, int k, int kind, int class, double size)
{
    static const dc_quat one = {1, 0, 0, 0};
    dc_sdf_prim *p = f->prim + k;
    double axis[3], wide = size*rng_uniform(r, 0.5, 1);
    int i, j, limits = class == LIMITS;
    memset(p, 0, sizeof *p);
    for (i = 0; i < 3; ++i) axis[i] = class == TIES ? size : size*rng_uniform(r, 0.5, 1);
    if (class == FLAT) axis[rng_int(r, 0, 2)] = size*rng_log(r, DC_IS_FLOAT ? 1e-3 : 1e-6, 0.1);
    if (class == NEEDLES) {
        j = rng_int(r, 0, 2);
        for (i = 0; i < 3; ++i) if (i != j) axis[i] = size*rng_log(r, DC_IS_FLOAT ? 1e-3 : 1e-6, 0.1);
    }
    p->pose.q = class == ALIGNED || class == TIES ? one : audit_turn(r);
    p->size = vec_of(axis[0], axis[1], axis[2]);
    p->eps1 = (dc_real)(limits ? (rng_int(r, 0, 2) == 0 ? 0.02 : rng_uniform(r, 1.01, 2)) : rng_log(r, 0.1, 0.99));
    p->eps2 = (dc_real)(limits ? (rng_int(r, 0, 2) == 0 ? 0.02 : rng_uniform(r, 1.01, 2)) : rng_log(r, 0.1, 0.99));
    p->scale = (dc_real)(rng_int(r, 0, 1) ? 0 : rng_uniform(r, 0.5, 2));
    p->n = f->n[k];
    p->p = f->p[k];
    p->sigma = f->sigma[k];
    switch (kind) {
    case F_RADIAL: p->kind = DC_SDF_SUPERQUADRIC; break;
    case F_TAUBIN: p->kind = DC_SDF_SUPERQUADRIC; p->taubin = 1; break;
    case F_SPHERE: p->kind = DC_SDF_SPHERE; break;
    case F_BOX: p->kind = DC_SDF_BOX; break;
    case F_CAPSULE: p->kind = DC_SDF_CAPSULE; break;
    default:
        p->kind = kind == F_CLOUD ? DC_SDF_CLOUD : DC_SDF_POLYHEDRON;
        p->count = rng_int(r, 6, POINTS);
        if (kind == F_SMOOTH_POLYHEDRON) p->smooth = (dc_real)(limits ? size*(rng_int(r, 0, 1) ? 1e-5 : 10)
                                                               : wide*rng_log(r, 0.01, 0.3));
        for (i = 0; i < p->count; ++i) {
            double u[3], to = 0, s;
            rng_unit3(r, u);
            if (i < 6) for (j = 0; j < 3; ++j) u[j] = i/2 == j ? (i & 1 ? 1 : -1) : 0;
            for (j = 0; j < 3; ++j) to += u[j]*u[j]*axis[j]*axis[j];
            f->n[k][i] = vec_of(u[0], u[1], u[2]);
            /* where the ellipsoid of these axes has this normal */
            for (j = 0; j < 3; ++j) {
                s = axis[j]*axis[j]*u[j]/sqrt(to);
                if (j == 0) f->p[k][i].x = (dc_real)(s);
                if (j == 1) f->p[k][i].y = (dc_real)(s);
                if (j == 2) f->p[k][i].z = (dc_real)(s);
            }
            f->sigma[k][i] = (dc_real)(size*(limits ? rng_log(r, 0.02, 20) : rng_uniform(r, 0.3, 1.2)));
        }
    }
}

static void field_up(field *f)
{
    int k, i;
    for (k = 0; k < f->s.n; ++k) {
        const dc_sdf_prim *p = f->prim + k;
        dq_sdf_prim *q = f->qprim + k;
        memset(q, 0, sizeof *q);
        q->kind = (dq_sdf_kind)p->kind;
        q->pose = audit_pose(&p->pose, NULL);
        q->scale = p->scale;
        q->size = audit_up3(p->size);
        q->eps1 = p->eps1;
        q->eps2 = p->eps2;
        q->smooth = p->smooth;
        q->taubin = p->taubin;
        q->subtract = p->subtract;
        q->count = p->count;
        for (i = 0; i < p->count; ++i) {
            f->qn[k][i] = audit_up3(p->n[i]);
            f->qp[k][i] = audit_up3(p->p[i]);
            f->qsigma[k][i] = p->sigma[i];
        }
        q->n = f->qn[k];
        q->p = f->qp[k];
        q->sigma = f->qsigma[k];
    }
    f->Q.prim = f->qprim;
    f->Q.n = f->s.n;
    f->Q.tau = f->s.tau;
}

/* A field of a kind and class. */
static void field_draw(rng *r, int kind, int class, field *f)
{
    double size = class == SIZES ? rng_log(r, 1e-6, 1e6) : 1;
    int k, many = kind >= F_HARD_UNION, cut = kind == F_HARD_SUBTRACTION || kind == F_SUBTRACTION;
    memset(f, 0, sizeof *f);
    f->size = size;
    f->s.prim = f->prim;
    f->s.n = many ? rng_int(r, 2, PRIMS) : 1;
    for (k = 0; k < f->s.n; ++k) {
        dc_sdf_prim *p = f->prim + k;
        double u[3], off = size*(k == 0 || class == CONCENTRIC ? 0 : rng_uniform(r, 0.3, 1));
        int i;
        prim_draw(r, f, k, many ? rng_int(r, F_RADIAL, F_CAPSULE) : kind, class, size);
        if (k > 0 && class == IDENTICAL) {
            /* the same again; only a smooth fold has a derivative there */
            *p = f->prim[0];
            off = 0;
        }
        rng_unit3(r, u);
        for (i = 0; i < 3; ++i) u[i] = off*u[i] + (class == OFFSET ? (DC_IS_FLOAT ? 30 : 1e3)*(i - 1.5) : 0);
        p->pose.t = vec_of(u[0], u[1], u[2]);
        p->subtract = cut && k > 0;
    }
    f->s.tau = (dc_real)(kind == F_UNION || kind == F_SUBTRACTION
                       ? size*(class == LIMITS ? rng_log(r, DC_IS_FLOAT ? 1e-2 : 1e-5, 10) : rng_log(r, 0.01, 0.5))
                           : 0);
    field_up(f);
}

/* Over what length the field is smooth at a point of the body: where it is least, of its primitives and of its
 * folds. */
static double field_length(const field *f, dc_v3 x)
{
    double least = f->s.tau > 0 ? (double)f->s.tau : 1e300;
    int k;
    for (k = 0; k < f->s.n; ++k) {
        const dc_sdf_prim *p = f->prim + k;
        double s = p->scale > 0 ? (double)p->scale : 1, l = 1e300, a = 1e300, most = 0, e, y[3], h[3], far_off;
        dc_m3 R = dc_rotation(p->pose.q);
        dc_v3 v = dc_mul_t(&R, dc_sub(x, p->pose.t));
        int i;
        y[0] = fabs((double)v.x)/s; y[1] = fabs((double)v.y)/s; y[2] = fabs((double)v.z)/s;
        h[0] = (double)p->size.x; h[1] = (double)p->size.y; h[2] = (double)p->size.z;
        far_off = y[0] + y[1] + y[2];
        for (i = 0; i < 3; ++i) {
            a = fmin(a, h[i]);
            most = fmax(most, h[i]);
        }
        switch (p->kind) {
        case DC_SDF_SUPERQUADRIC:
            /* the gauge scales with the distance from the centre, and bends over a part of it like exponent and
             * aspect */
            e = fmin((double)p->eps1, (double)p->eps2);
            l = fmin(far_off, far_off*a/most*fmax(a/most, 1e-3))*fmin(e, 1);
            for (i = 0; i < 3; ++i) if (y[i] > 0 && (p->eps1 > DC_R(0.6) || p->eps2 > DC_R(0.6))) l = fmin(l, y[i]);
            break;
        case DC_SDF_POLYHEDRON: l = p->smooth > 0 ? (double)p->smooth : most; break;
        case DC_SDF_CLOUD:
            for (i = 0; i < p->count; ++i) l = fmin(l, (double)p->sigma[i]);
            l = l*l/(l + far_off);
            break;
        case DC_SDF_SPHERE: l = far_off; break;
        case DC_SDF_BOX:
            for (i = 0; i < 3; ++i) l = fmin(l, fabs(y[i] - h[i]));
            for (i = 0; i < 3; ++i) l = fmin(l, fmax(y[i], 1e-3*h[i]));
            break;
        default: l = fmin(fabs(y[2] - h[2]) + 1e-3*h[0]*(y[2] == h[2]), sqrt(y[0]*y[0] + y[1]*y[1])); break;
        }
        least = fmin(least, s*l);
    }
    return least;
}

#endif /* DC_AUDIT_FIELDS_H_INCLUDED */
