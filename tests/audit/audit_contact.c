/* Audit of dc_contact.h: see audit.h. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DQ_CONTACT_IMPLEMENTATION
#include "dq_contact.h"

#include "audit.h"

static unsigned char memory[1 << 21], quad_memory[1 << 22];

/* ---- poses of hulls by class ---- */

enum { V = 12 };
static const char *const classes[] = {"generic", "touching", "parallel", "aligned", "flat", "needles", "ties", "apart 1e6", "sizes 1e+-6",
                                      "far offset"};
enum { GENERIC, TOUCHING, PARALLEL, ALIGNED, FLAT, NEEDLES, TIES, APART, SIZES, OFFSET, CLASSES };

typedef struct {
    dc_v3 va[V], vb[V];
    dq_v3 qa[V], qb[V];
    dc_hull a, b;
    dq_hull Qa, Qb;
    dc_pose pa, pb;
    double size, gap;           /* of the larger hull; apart, as asked for */
} hulls;

static void points(rng *r, int class, double size, int n, dc_v3 *v)
{
    int k;
    for (k = 0; k < n; ++k) {
        double x = rng_uniform(r, -1, 1), y = rng_uniform(r, -1, 1), z = rng_uniform(r, -1, 1);
        if (class == FLAT) z = 0;
        if (class == NEEDLES) { y *= 1e-6; z *= 1e-6; }
        if (class == PARALLEL || class == ALIGNED || class == TIES) {     /* a box's corners */
            x = k & 1 ? 1 : -1;
            y = k & 2 ? 1 : -1;
            z = k & 4 ? 1 : -1;
        }
        v[k] = dc_vec((dc_real)(size*x), (dc_real)(size*y), (dc_real)(size*z));
    }
}

static dc_quat turn(rng *r)
{
    double q[4], s = 0;
    int k;
    dc_quat p;
    for (k = 0; k < 4; ++k) {
        q[k] = rng_normal(r);
        s += q[k]*q[k];
    }
    s = sqrt(s);
    p.w = (dc_real)(q[0]/s); p.x = (dc_real)(q[1]/s); p.y = (dc_real)(q[2]/s); p.z = (dc_real)(q[3]/s);
    dc_quat_normalize(p, &p);
    return p;
}

/* Two hulls of a class, apart by about `gap` sizes along their nearest direction. */
static int hulls_draw(rng *r, int class, hulls *h)
{
    static const dc_quat one = {1, 0, 0, 0};
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_distance d = DC_ZERO;
    double n[3], size = class == SIZES ? rng_log(r, 1e-6, 1e6) : 1, other = size*(class == SIZES ? rng_log(r, 1e-3, 1e3) : rng_uniform(r, 0.5, 2));
    int k, box = class == PARALLEL || class == ALIGNED || class == TIES;
    h->a.n = box ? 8 : rng_int(r, 3, V);
    h->b.n = box ? 8 : rng_int(r, 3, V);
    points(r, class, size, h->a.n, h->va);
    points(r, class, other, h->b.n, h->vb);
    h->a.v = h->va;
    h->b.v = h->vb;
    h->size = fmax(size, other);
    h->gap = class == TOUCHING ? rng_log(r, DC_IS_FLOAT ? 1e-4 : 1e-9, DC_IS_FLOAT ? 1e-3 : 1e-6) : class == APART ? 1e6 : rng_log(r, 1e-2, 3);
    h->pa.q = turn(r);
    h->pb.q = box && class != TIES ? h->pa.q : turn(r);
    if (class == ALIGNED) h->pa.q = h->pb.q = one;
    h->pa.t = h->pb.t = dc_vec(0, 0, 0);
    if (class == OFFSET) {
        h->pa.t = dc_vec((dc_real)(DC_IS_FLOAT ? 30 : 1e3), (dc_real)(DC_IS_FLOAT ? -20 : -2e3), 0);
        h->pb.t = h->pa.t;
    }
    /* b away from a until the gap is as wanted */
    rng_unit3(r, n);
    if (class == ALIGNED) { n[0] = 0; n[1] = 0; n[2] = 1; }
    for (k = 0; k < 3; ++k) {
        double s;
        if (dc_hull_distance(&h->a, &h->pa, &h->b, &h->pb, &mem, &d) != DC_OK) return 0;
        s = h->gap*h->size - (double)d.gap;
        if (k == 0) s = fmax(s, 0) + 4*h->size;
        if (k > 0) { n[0] = -(double)d.n.x; n[1] = -(double)d.n.y; n[2] = -(double)d.n.z; }
        h->pb.t = dc_add(h->pb.t, dc_vec((dc_real)(s*n[0]), (dc_real)(s*n[1]), (dc_real)(s*n[2])));
    }
    if (dc_hull_distance(&h->a, &h->pa, &h->b, &h->pb, &mem, &d) != DC_OK || d.gap <= 0) return 0;
    h->gap = (double)d.gap/h->size;
    for (k = 0; k < h->a.n; ++k) h->qa[k] = audit_up3(h->va[k]);
    for (k = 0; k < h->b.n; ++k) h->qb[k] = audit_up3(h->vb[k]);
    h->Qa.v = h->qa; h->Qa.n = h->a.n;
    h->Qb.v = h->qb; h->Qb.n = h->b.n;
    return 1;
}

/* ---- dc_pair_rigid ---- */

typedef struct { hulls *h; dq_pair_options opt; dq_plane plane; } pair_case;

static int pair_value(const dq_real *t, dq_real *f, void *user)
{
    pair_case *c = (pair_case *)user;
    dq_arena mem = dq_arena_make(quad_memory, sizeof quad_memory);
    dq_pose pa = audit_pose(&c->h->pa, t), pb = audit_pose(&c->h->pb, t + 6);
    return dq_pair_rigid(&c->opt, &c->h->Qa, &pa, &c->h->Qb, &pb, &mem, &c->plane, f, NULL, NULL, NULL) == DQ_OK;
}

static void pair_rigid(dc_barrier barrier, const char *name, long n)
{
    int class;
    for (class = 0; class < CLASSES; ++class) {
        audit_row *row = audit_of(name, classes[class]);
        long k;
        if (barrier == DC_LOCAL && class == APART) continue;         /* beyond the support: 0 */
        for (k = audit_first(n); audit_next(row, k, n); ++k) {
            static hulls h;
            rng r = audit_draw(row, k);
            dc_arena mem = dc_arena_make(memory, sizeof memory);
            dc_pair_options opt = DC_ZERO;
            dc_real out[1 + 12 + 144];
            double scale[12];
            pair_case c = DQ_ZERO;
            dc_status s;
            int i;
            if (!hulls_draw(&r, class, &h)) continue;
            opt.barrier = barrier;
            opt.length = (dc_real)(h.size*(barrier == DC_LOCAL ? 20*fmax(h.gap, 0.01) : 1));
            s = dc_pair_rigid(&opt, &h.a, &h.pa, &h.b, &h.pb, &mem, NULL, out, out + 1, out + 13, NULL);
            audit_call(row, s, s == DC_OK, out, 157);
            if (s != DC_OK) continue;
            audit_symmetric(row, out + 13, 12);
            if (barrier == DC_GLOBAL) audit_zero(row, out + 1, 12);
            c.h = &h;
            audit_rounding = class == OFFSET ? (DC_IS_FLOAT ? 40 : 3e3) : 1;
            c.opt.barrier = (dq_barrier)barrier;
            c.opt.length = opt.length;
            for (i = 0; i < 12; ++i) scale[i] = i%6 < 3 ? h.size : 1;
            audit_scalar(row, row, pair_value, &c, 12, scale, out + 1, out + 13, 1e-7*fmin(h.gap, 1), 1, &r);
        }
    }
}

int main(int argc, char **argv)
{
    if (!audit_begin(argc, argv)) return 1;
    pair_rigid(DC_GLOBAL, "dc_pair_rigid, global", 4000);
    pair_rigid(DC_LOCAL, "dc_pair_rigid, local", 4000);
    return !audit_end();
}
