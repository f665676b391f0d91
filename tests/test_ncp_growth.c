/* Growth distances: all pairs of shapes at random poses against laws, closed forms and differences. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"

#define SHAPES 9
#define R(x) ((dc_real)(x))

static unsigned char shape_memory[1 << 16], memory[1 << 16];
static dc_arena mem;
static dc_shape shape[SHAPES];
static const char *const name[SHAPES] = {"half-space", "sphere", "box", "padded box", "capsule", "cylinder", "cone", "ellipsoid", "moved box"};

static int make_shapes(double size)
{
    dc_arena m = dc_arena_make(shape_memory, sizeof shape_memory);
    dc_pose p = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_status s[SHAPES];
    int i;
    mem = dc_arena_make(memory, sizeof memory);
    p.q = dc_quat_exp(dc_vec(R(0.3), R(-0.4), R(0.5)));
    p.t = dc_vec(R(0.1*size), R(0.2*size), R(-0.3*size));
    s[0] = dc_shape_halfspace(3, dc_vec(0, 0, 1), R(0.1*size), &m, &shape[0]);
    s[1] = dc_shape_sphere(3, R(0.7*size), &m, &shape[1]);
    s[2] = dc_shape_box(3, dc_vec(R(0.5*size), R(0.4*size), R(0.8*size)), &m, &shape[2]);
    s[3] = dc_shape_sum(&shape[2], &shape[1], &m, &shape[3]);
    s[4] = dc_shape_capsule(3, R(0.3*size), R(1.2*size), &m, &shape[4]);
    s[5] = dc_shape_cylinder(3, R(0.4*size), R(1.5*size), &m, &shape[5]);
    s[6] = dc_shape_cone(3, R(2*size), R(0.4), &m, &shape[6]);
    s[7] = dc_shape_ellipsoid(3, dc_vec(R(0.4*size), R(0.7*size), R(1.1*size)), &m, &shape[7]);
    s[8] = dc_shape_place(&shape[2], p, &m, &shape[8]);
    for (i = 0; i < SHAPES; ++i)
        if (s[i] != DC_OK) return 0;
    return 1;
}

static dc_pose random_pose(rng *r, double reach)
{
    dc_pose p;
    double v[3], x, y, z;
    dc_real angle;
    rng_unit3(r, v);
    angle = R(rng_uniform(r, 0, 6));
    p.q = dc_quat_exp(dc_scale(angle, dc_vec(R(v[0]), R(v[1]), R(v[2]))));
    x = rng_uniform(r, -reach, reach);
    y = rng_uniform(r, -reach, reach);
    z = rng_uniform(r, -reach, reach);
    p.t = dc_vec(R(x), R(y), R(z));
    return p;
}

static dc_status growth(double rho, const dc_shape *a, dc_pose pa, const dc_shape *b, dc_pose pb, dc_growth_result *g)
{
    dc_growth_options o = DC_ZERO;
    o.rho = R(rho);
    return dc_growth(&o, a, &pa, b, &pb, &mem, g, NULL, NULL, NULL, NULL);
}

#define RHO (DC_IS_FLOAT ? 1e-4 : 1e-8)

/* alpha of (a, b) and (b, a); k times the distance; k times the sizes; a common motion */
TEST laws(void)
{
    worst ws = worst_make("swap"), wh = worst_make("k distance"), wk = worst_make("k size"), wr = worst_make("common motion"), wn = worst_make("normals"),
        wi = worst_make("iterations");
    rng r;
    int i, j, k, n = (int)sweep_count(40);
    rng_seed(&r, 11);
    for (i = 0; i < SHAPES; ++i)
        for (j = 0; j <= i; ++j) {
            if (i == 0) continue;
            for (k = 0; k < n; ++k) {
                dc_growth_result g, h;
                dc_pose a, b, c, d, m;
                double bar = 1;
                ASSERT(make_shapes(1));
                a = random_pose(&r, 3);
                b = random_pose(&r, 3);
                m = random_pose(&r, 3);
                ASSERTm(name[i], growth(RHO, &shape[i], a, &shape[j], b, &g) == DC_OK);
                bar = fmax(fabs((double)g.alpha), 1);
                worst_add(&wi, g.iterations, "%s, %s", name[i], name[j]);
                ASSERT_EQ(DC_OK, growth(RHO, &shape[j], b, &shape[i], a, &h));
                worst_add(&ws, fabs((double)(g.alpha - h.alpha))/bar, "%s, %s", name[i], name[j]);
                ASSERT_EQ(DC_OK, growth(RHO, &shape[i], dc_pose_mul(m, a), &shape[j], dc_pose_mul(m, b), &h));
                worst_add(&wr, fabs((double)(g.alpha - h.alpha))/bar, "%s, %s", name[i], name[j]);
                if (g.alpha > R(0.1))
                    worst_add(&wn, (double)(1 - dc_dot(g.n_a, g.n_b)), "%s, %s alpha %g", name[i], name[j], (double)g.alpha);
                if (j > 0 && i < 8) {           /* grown about the body's origin */
                    c = a;
                    c.t = dc_add(b.t, dc_scale(3, dc_sub(a.t, b.t)));
                    ASSERT_EQ(DC_OK, growth(RHO, &shape[i], c, &shape[j], b, &h));
                    worst_add(&wh, fabs((double)(3*g.alpha - h.alpha))/(3*bar), "%s, %s", name[i], name[j]);
                }
                c = a;
                d = b;
                c.t = dc_scale(5, a.t);
                d.t = dc_scale(5, b.t);
                ASSERT(make_shapes(5));
                ASSERT_EQ(DC_OK, growth(RHO, &shape[i], c, &shape[j], d, &h));
                worst_add(&wk, fabs((double)(g.alpha - h.alpha))/bar, "%s, %s", name[i], name[j]);
            }
        }
    ASSERT(worst_print(&wi, 40));
    ASSERT(worst_print(&ws, DC_IS_FLOAT ? 1e-3 : 1e-13));
    ASSERT(worst_print(&wr, DC_IS_FLOAT ? 1e-3 : 1e-12));
    ASSERT(worst_print(&wh, DC_IS_FLOAT ? 3e-3 : 1e-6));
    ASSERT(worst_print(&wk, DC_IS_FLOAT ? 1e-3 : 1e-12));
    ASSERT(worst_print(&wn, DC_IS_FLOAT ? 1e-3 : 1e-9));
    PASS();
}

static double alpha_of(const dc_shape *a, double x, double y, double z, const dc_shape *b, double turn)
{
    dc_pose pa = {{1, 0, 0, 0}, {0, 0, 0}}, pb = {{1, 0, 0, 0}, {0, 0, 0}};
    dc_growth_result g;
    pa.t = dc_vec(R(x), R(y), R(z));
    pa.q = dc_quat_exp(dc_vec(0, R(turn), 0));
    if (growth(DC_IS_FLOAT ? 1e-5 : 1e-9, a, pa, b, pb, &g) != DC_OK) return HUGE_VAL;
    return (double)g.alpha;
}

TEST closed_forms(void)
{
    const double pi = 3.14159265358979323846;
    worst w = worst_make("alpha against closed forms");
    dc_arena m = dc_arena_make(memory + 32768, 32768);
    dc_shape cube, long_box;
    int k;
    static const double at[6] = {0.3, 0.9, 1, 2, 50, 1e4};
    ASSERT(make_shapes(1));
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(R(0.6), R(0.6), R(0.6)), &m, &cube));
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(R(0.2), R(0.3), R(1.4)), &m, &long_box));
    for (k = 0; k < 6; ++k) {
        double d = at[k];
#define FORM(text, got, want) worst_add(&w, fabs((got)/(want) - 1), "%s at %g", text, d)
        FORM("spheres", alpha_of(&shape[1], d, 0, 0, &shape[1], 0), d/1.4);
        FORM("sphere over a cube's face", alpha_of(&shape[1], 0, 0, d, &cube, 0), d/(0.6 + 0.7));
        FORM("sphere at a capsule's side", alpha_of(&shape[1], 0, d, 0, &shape[4], 0), d/(0.3 + 0.7));
        FORM("sphere at a capsule's end", alpha_of(&shape[1], d, 0, 0, &shape[4], 0), d/(0.3 + 0.6 + 0.7));
        FORM("cylinders end to end", alpha_of(&shape[5], d, 0, 0, &shape[5], 0), d/1.5);
        FORM("cylinders side by side", alpha_of(&shape[5], 0, d, 0, &shape[5], 0), d/0.8);
        FORM("boxes", alpha_of(&long_box, 0.5*d, 0.2*d, d, &shape[2], 0), fmax(fmax(0.5/0.7, 0.2/0.7), 1/2.2)*d);
        FORM("ellipsoids along x", alpha_of(&shape[7], d, 0, 0, &shape[7], 0), d/0.8);
        FORM("ellipsoids along z", alpha_of(&shape[7], 0, 0, d, &shape[7], 0), d/2.2);
        FORM("cones base to base", alpha_of(&shape[6], d, 0, 0, &shape[6], pi), d);
        FORM("cones apex to apex", alpha_of(&shape[6], -d, 0, 0, &shape[6], pi), d/3);
        FORM("padded box", alpha_of(&shape[3], d, 0, 0, &shape[1], 0), d/(0.5 + 0.7 + 0.7));
    }
    ASSERT(worst_print(&w, DC_IS_FLOAT ? 2e-3 : 1e-6));
    PASS();
}

/* Polytopes from vertices: every vertex inside, supports alike, arena as dc_shape_bytes says; flat sets are refused, sets beside the
 * origin grow about their mean. */
TEST hulls(void)
{
    worst ws = worst_make("support function"), wb = worst_make("vertices over faces");
    rng r;
    int trial, trials = (int)sweep_count(200), i, j, dim;
    rng_seed(&r, 21);
    for (trial = 0; trial < trials; ++trial) {
        static dc_v3 v[40];
        dc_arena m = dc_arena_make(shape_memory, sizeof shape_memory);
        dc_shape s;
        int n = rng_int(&r, 6, 36), kind = trial%4;
        double size = rng_log(&r, 1e-3, 1e3);
        dim = 2 + (trial/4)%2;
        for (i = 0; i < n; ++i) {
            double x[3];
            if (kind == 0) rng_unit3(&r, x);            /* all on the hull */
            else for (j = 0; j < 3; ++j) x[j] = kind == 1 ? rng_uniform(&r, -1, 1) : kind == 2 ? rng_int(&r, -1, 1) : rng_int(&r, -3, 3);
            v[i] = dc_vec(R(size*x[0]), R(size*x[1]), R(size*x[2]));
        }
        for (i = 0; i < 2*dim; ++i) {                   /* the origin inside */
            double x[3] = {0, 0, 0};
            x[i/2] = i & 1 ? -size : size;
            v[i < n ? i : n - 1] = dc_vec(R(x[0]), R(x[1]), R(x[2]));
        }
        ASSERT_EQ(DC_OK, dc_shape_hull(dim, n, v, &m, &s));
        {
            dc_arena alone = dc_arena_make(shape_memory, dc_shape_hull_bytes(dim, n));
            dc_shape again;
            size_t first = (size_t)((unsigned char *)s.A - shape_memory);
            ASSERT_EQ(DC_OK, dc_shape_hull(dim, n, v, &alone, &again));
            ASSERT(again.rows == s.rows && m.used == alone.used && m.used - first <= dc_shape_bytes(dim, s.rows, 0, 0));
        }
        for (i = 0; i < s.rows; ++i) {
            double most = -HUGE_VAL;
            for (j = 0; j < n; ++j) {
                const dc_real *a = s.A + i*dim;
                most = fmax(most, (double)a[0]*(double)v[j].x + (double)a[1]*(double)v[j].y + (dim == 3 ? (double)a[2]*(double)v[j].z : 0));
            }
            worst_add(&wb, fabs(most - (double)s.b[i])/size, "trial %d row %d", trial, i);
        }
        /* what a half-space sees of it: the growth of both at once is linear in the support */
        for (i = 0; i < 5; ++i) {
            dc_shape half;
            dc_pose p = {{1, 0, 0, 0}, {0, 0, 0}};
            dc_growth_result g;
            double d[3], most = 0;
            rng_unit3(&r, d);
            if (dim == 2) d[2] = 0;
            for (j = 0; j < n; ++j) most = fmax(most, (d[0]*(double)v[j].x + d[1]*(double)v[j].y + d[2]*(double)v[j].z)/sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]));
            ASSERT_EQ(DC_OK, dc_shape_halfspace(dim, dc_vec(R(-d[0]), R(-d[1]), R(-d[2])), R(-1.5*most*sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])), &m, &half));
            ASSERT_EQ(DC_OK, growth(DC_IS_FLOAT ? 1e-5 : 1e-10, &s, p, &half, p, &g));
            worst_add(&ws, fabs((double)g.alpha/1.5 - 1), "trial %d", trial);
            m.used -= dc_shape_bytes(dim, 1, 0, 0) - 63;
        }
    }
    ASSERT(worst_print(&wb, 4e3*EPS));
    ASSERT(worst_print(&ws, DC_IS_FLOAT ? 2e-3 : 1e-8));
    {
        const dc_v3 flat[5] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 0}};
        dc_v3 off[5] = {{-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}, {0, 0, 3}};
        dc_arena m = dc_arena_make(shape_memory, sizeof shape_memory);
        dc_shape s;
        ASSERT_EQ(DC_E_ARG, dc_shape_hull(3, 5, flat, &m, &s));
        ASSERT_EQ((size_t)0, m.used);
        ASSERT_EQ(DC_OK, dc_shape_hull(3, 5, off, &m, &s));
        ASSERT_EQ(5, s.rows);
        for (i = 0; i < 5; ++i) {                       /* the mean is (0, 0, 1.4) */
            ASSERT(fabs((double)(s.d[i] - DC_R(1.4)*s.A[3*i + 2])) <= 8*EPS);
            ASSERT(s.b[i] > 0 && (s.A[3*i + 2] > R(-0.5) || fabs((double)s.b[i] - 0.4) <= 8*EPS));
        }
        ASSERT_EQ(DC_OK, dc_shape_hull(2, 5, flat, &m, &s));
        ASSERT_EQ(4, s.rows);
        off[0].z = off[1].z = off[2].z = off[3].z = -1;
        ASSERT_EQ(DC_OK, dc_shape_hull(3, 5, off, &m, &s));
        ASSERT_EQ(5, s.rows);
    }
    PASS();
}


/* ---- alpha against the largest of n . (c_a - c_b) over the supports of both, over all n */

/* the reference point of shape i, and its support from there towards n, both in its own frame; a half-space has neither */
static void centre_of(int i, double size, double *c)
{
    c[0] = i == 8 ? 0.1*size : 0;
    c[1] = i == 8 ? 0.2*size : 0;
    c[2] = i == 8 ? -0.3*size : 0;
}

static double support(int i, double size, const double *n)
{
    double box = 0.5*fabs(n[0]) + 0.4*fabs(n[1]) + 0.8*fabs(n[2]), len = sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2]), across = sqrt(n[1]*n[1] + n[2]*n[2]);
    if (i == 8) {
        dc_m3 M = dc_rotation(dc_quat_exp(dc_vec(R(0.3), R(-0.4), R(0.5))));
        double u[3];
        int k;
        for (k = 0; k < 3; ++k) u[k] = (double)M.m[k]*n[0] + (double)M.m[3 + k]*n[1] + (double)M.m[6 + k]*n[2];
        return support(2, size, u);
    }
    return size*(i == 1 ? 0.7*len : i == 2 ? box : i == 3 ? box + 0.7*len : i == 4 ? 0.6*fabs(n[0]) + 0.3*len : i == 5 ? 0.75*fabs(n[0]) + 0.4*across
                 : i == 6 ? fmax(0.5*n[0] + 0.8*across, -1.5*n[0]) : sqrt(0.16*n[0]*n[0] + 0.49*n[1]*n[1] + 1.21*n[2]*n[2]));
}

typedef struct { int shape[2]; double size, d[3], e[2][3], R[2][9], at[2]; } seen;

/* the sum of both supports at n = d + at[0] e0 + at[1] e1, d a unit vector from b's reference to a's */
static double supports(const seen *s)
{
    double f = 0;
    int k, i, j;
    for (k = 0; k < 2; ++k) {
        double n[3], u[3];
        for (i = 0; i < 3; ++i) n[i] = (k ? 1 : -1)*(s->d[i] + s->at[0]*s->e[0][i] + s->at[1]*s->e[1][i]);
        for (i = 0; i < 3; ++i)
            for (u[i] = 0, j = 0; j < 3; ++j) u[i] += s->R[k][3*j + i]*n[j];
        f += support(s->shape[k], s->size, u);
    }
    return f;
}

/* least over at[k], .. at[1] in [-12, 12]: the function is convex, so that golden sections nest */
static double least(seen *s, int k)
{
    const double golden = 0.6180339887498949;
    double lo = -12, hi = 12, x[2], f[2];
    int i, j;
    for (j = 0; j < 2; ++j) {
        s->at[k] = x[j] = j ? lo + golden*(hi - lo) : hi - golden*(hi - lo);
        f[j] = k == 0 ? least(s, 1) : supports(s);
    }
    for (i = 0; i < 80; ++i) {
        j = f[0] < f[1];                                /* the end that goes, and takes the place of the other */
        if (j) hi = x[1];
        else lo = x[0];
        x[j] = x[1 - j];
        f[j] = f[1 - j];
        s->at[k] = x[1 - j] = j ? hi - golden*(hi - lo) : lo + golden*(hi - lo);
        f[1 - j] = k == 0 ? least(s, 1) : supports(s);
    }
    return fmin(f[0], f[1]);
}

static double exact_alpha(int i, dc_pose a, int j, dc_pose b, double size)
{
    const dc_m3 M[2] = {dc_rotation(a.q), dc_rotation(b.q)};
    const dc_pose *pose[2];
    seen s;
    double c[2][3], len = 0, t;
    int k, l, m, low = 0;
    pose[0] = &a;
    pose[1] = &b;
    s.shape[0] = i;
    s.shape[1] = j;
    s.size = size;
    for (k = 0; k < 2; ++k) {
        double at[3];
        centre_of(s.shape[k], size, at);
        c[k][0] = (double)pose[k]->t.x;
        c[k][1] = (double)pose[k]->t.y;
        c[k][2] = (double)pose[k]->t.z;
        for (l = 0; l < 3; ++l)
            for (m = 0; m < 3; ++m) {
                s.R[k][3*l + m] = (double)M[k].m[3*l + m];
                c[k][l] += s.R[k][3*l + m]*at[m];
            }
    }
    if (j == 0) {                                       /* z <= size/10 in its own frame */
        double n[3], u[3], gap = -0.1*size;
        for (l = 0; l < 3; ++l) {
            n[l] = s.R[1][3*l + 2];
            gap += n[l]*(c[0][l] - c[1][l]);
        }
        for (l = 0; l < 3; ++l)
            for (u[l] = 0, m = 0; m < 3; ++m) u[l] -= s.R[0][3*m + l]*n[m];
        return fmax(gap/support(i, size, u), 0);
    }
    for (l = 0; l < 3; ++l) {
        s.d[l] = c[0][l] - c[1][l];
        len += s.d[l]*s.d[l];
    }
    len = sqrt(len);
    for (l = 0; l < 3; ++l) {
        s.d[l] /= len;
        if (fabs(s.d[l]) < fabs(s.d[low])) low = l;
    }
    for (t = 0, l = 0; l < 3; ++l) {
        s.e[0][l] = (l == low) - s.d[low]*s.d[l];
        t += s.e[0][l]*s.e[0][l];
    }
    for (l = 0; l < 3; ++l) s.e[0][l] /= sqrt(t);
    for (l = 0; l < 3; ++l) s.e[1][l] = s.d[(l + 1)%3]*s.e[0][(l + 2)%3] - s.d[(l + 2)%3]*s.e[0][(l + 1)%3];
    return len/least(&s, 0);
}



/* From 1e-6 to 1e6 sizes apart, in units from 1e-6 to 1e6: not below, and above by at most rho for each row. Neither side of this
 * is better than rounding: that of the poses, and that of the reference, whose golden sections stop at it. */
TEST within_rho_at_any_distance(void)
{
    worst w = worst_make("alpha off over its bar");
    rng r;
    int i, j, k, far, n = (int)sweep_count(1);
    rng_seed(&r, 31);
    for (i = 1; i < SHAPES; ++i)
        for (j = 0; j <= i; ++j)
            for (far = -6; far <= 6; far += 3)
                for (k = 0; k < n; ++k) {
                    double size = rng_log(&r, DC_IS_FLOAT ? 1e-2 : 1e-6, DC_IS_FLOAT ? 1e2 : 1e6), want, off, rounding, v[3], c[3], reach = size*pow(10, far);
                    dc_pose a = random_pose(&r, size), b = a;
                    dc_growth_result g;
                    int l;
                    ASSERT(make_shapes(size));
                    b.q = random_pose(&r, 1).q;
                    rng_unit3(&r, v);
                    /* from reference to reference: in float, what is far of the origin is not near of anything */
                    if (DC_IS_FLOAT) a.t = dc_vec(0, 0, 0);
                    b.t = a.t;
                    for (l = 0; l < 2; ++l) {
                        dc_pose *p = l ? &b : &a;
                        centre_of(l ? j : i, size, c);
                        dc_pose turn = *p;
                        turn.t = dc_vec(0, 0, 0);
                        p->t = dc_sub(p->t, dc_pose_apply(turn, dc_vec(R(c[0]), R(c[1]), R(c[2]))));
                    }
                    a.t = dc_add(a.t, dc_vec(R(reach*v[0]), R(reach*v[1]), R(reach*v[2])));
                    ASSERT_EQ(DC_OK, growth(RHO, &shape[i], a, &shape[j], b, &g));
                    want = exact_alpha(i, a, j, b, size);
                    rounding = (DC_IS_FLOAT ? 256 : 64)*EPS*(1 + fmax(want, pow(10, far)));
                    off = (double)g.alpha - want;
                    worst_add(&w, off < 0 ? -off/rounding : off/(RHO*(shape[i].rows + shape[j].rows) + rounding),
                              "%s, %s size %g distance 1e%d: %.15g, exactly %.15g", name[i], name[j], size, far, (double)g.alpha, want);
                }
    ASSERT(worst_print(&w, 1));
    PASS();
}

/* The batch is the single call, bit for bit; a pose that is not finite spoils its own pair alone. */
TEST batch(void)
{
    static dc_pose pa[20], pb[20];
    static dc_growth_result out[20];
    static dc_real jac[20*84], one[84];
    dc_status status[20];
    dc_growth_result g;
    rng r;
    int i;
    ASSERT(make_shapes(1));
    rng_seed(&r, 8);
    for (i = 0; i < 20; ++i) {
        pa[i] = random_pose(&r, 3);
        pb[i] = random_pose(&r, 3);
    }
    pa[7].t.x = R(HUGE_VAL);
    memset(out, 0, sizeof out);
    memset(jac, 0, sizeof jac);
    ASSERT_EQ(DC_E_ARG, dc_growth_batch(NULL, &shape[5], &shape[6], 20, pa, pb, &mem, out, jac, status));
    ASSERT_EQ((size_t)0, mem.used);
    for (i = 0; i < 20; ++i) {
        ASSERT_EQ(i == 7 ? DC_E_ARG : DC_OK, status[i]);
        memset(&g, 0, sizeof g);
        memset(one, 0, sizeof one);
        ASSERT_EQ(status[i], dc_growth(NULL, &shape[5], pa + i, &shape[6], pb + i, &mem, &g, one, NULL, NULL, NULL));
        ASSERT(memcmp(one, jac + 84*i, sizeof one) == 0);
        ASSERT(g.alpha - out[i].alpha == 0 && g.p.x - out[i].p.x == 0 && g.n_b.z - out[i].n_b.z == 0);
    }
    PASS();
}

/* Shapes about one point: a unit normal all the same, the last axis, of no derivative, and alpha within rho for each row. A hair
 * beside it the normal is that of the hair, or that axis again. */
TEST concentric(void)
{
    int i, k, e;
    for (e = DC_IS_FLOAT ? -2 : -6; e <= (DC_IS_FLOAT ? 2 : 6); e += 4) {
        double size = pow(10, e);
        ASSERT(make_shapes(size));
        for (i = 1; i < 8; ++i)
            for (k = 0; k < 6; ++k) {
                static const double beside[6] = {0, 1e-40, 1e-17, 1e-12, 1e-9, 1e-7};
                dc_pose a = {{1, 0, 0, 0}, {0, 0, 0}}, b = a;
                dc_growth_options o = DC_ZERO;
                dc_growth_result g;
                dc_real jac[84];
                int l;
                a.t.x = R(beside[k]*size);
                o.rho = R(RHO);
                ASSERT_EQ(DC_OK, dc_growth(&o, &shape[i], &a, &shape[i], &b, &mem, &g, jac, NULL, NULL, NULL));
                ASSERT(fabs((double)dc_dot(g.n_a, g.n_a) - 1) <= 8*EPS && fabs((double)dc_dot(g.n_b, g.n_b) - 1) <= 8*EPS);
                ASSERT((double)g.alpha >= 0 && (double)g.alpha <= 3*beside[k] + 2*RHO*shape[i].rows*(1 + 64*EPS) && g.length > 0 && dc_finite(g.length));
                for (l = 0; l < 84; ++l) ASSERT(dc_finite(jac[l]));
                if (k > 1) continue;
                ASSERT(g.n_a.x - 0 == 0 && g.n_a.y - 0 == 0 && g.n_a.z - 1 == 0);
                for (l = 48; l < 84; ++l) ASSERT(jac[l] - 0 == 0);
            }
    }
    PASS();
}

/* A warm start changes the last bits of the answer and nothing else, whatever it holds: the pair's own corner, that of a step ago,
 * or rubbish. */
TEST warm_starts(void)
{
    worst wa = worst_make("alpha"), wj = worst_make("Jacobian");
    static unsigned char hull_memory[1 << 15];
    rng r;
    int trial, k, i, trials = (int)sweep_count(300);
    rng_seed(&r, 41);
    for (trial = 0; trial < trials; ++trial) {
        dc_arena m = dc_arena_make(hull_memory, sizeof hull_memory);
        dc_shape s[2];
        dc_pose pa = random_pose(&r, 2), pb = random_pose(&r, 2);
        dc_growth_options o = DC_ZERO;
        dc_growth_warm warm = DC_ZERO;
        for (k = 0; k < 2; ++k) {
            dc_v3 v[17];
            int n = rng_int(&r, 6, 17);
            for (i = 0; i < n; ++i) {
                double x[3];
                rng_unit3(&r, x);
                v[i] = dc_vec(R(x[0]), R(0.7*x[1]), R(1.2*x[2]));
            }
            if (trial%5 == k) ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(R(0.5), R(0.7), R(1)), &m, &s[k]));
            else ASSERT_EQ(DC_OK, dc_shape_hull(3, n, v, &m, &s[k]));
        }
        o.warm = &warm;
        for (k = 0; k < 6; ++k) {
            dc_growth_result g, h;
            dc_real jac[84], with[84];
            double J[84], xi[6];
            dc_real twist[6];
            ASSERT_EQ(DC_OK, dc_growth(NULL, &s[0], &pa, &s[1], &pb, &mem, &g, jac, NULL, NULL, NULL));
            if (k == 4) for (i = 0; i < 4; ++i) warm.row[i] = rng_int(&r, -3, s[0].rows + s[1].rows + 3);
            if (k == 5) for (i = 0; i < 4; ++i) warm.row[i] = 1;
            ASSERT_EQ(DC_OK, dc_growth(&o, &s[0], &pa, &s[1], &pb, &mem, &h, with, NULL, NULL, NULL));
            to_double(jac, J, 84);
            worst_add(&wa, fabs((double)(g.alpha - h.alpha)), "trial %d step %d", trial, k);
            worst_add(&wj, relative_error(with, J, 84), "trial %d step %d", trial, k);
            for (i = 0; i < 6; ++i) {
                xi[i] = rng_uniform(&r, -0.02, 0.02);
                twist[i] = R(xi[i]);
            }
            pa = dc_pose_retract(pa, twist);
        }
    }
    ASSERT(worst_print(&wa, 64*EPS));
    ASSERT(worst_print(&wj, DC_IS_FLOAT ? 1e-2 : 1e-10));
    PASS();
}

/* concentric, touching, aligned, sizes 1e-6..1e6: a status or a finite answer, and the right one where it is known */
TEST corners(void)
{
    int i, j, k, e, bad = 0;
    for (e = DC_IS_FLOAT ? -2 : -6; e <= (DC_IS_FLOAT ? 2 : 6); e += 2) {
        double size = pow(10, e);
        ASSERT(make_shapes(size));
        for (i = 1; i < SHAPES; ++i)
            for (j = 0; j < SHAPES; ++j)
                for (k = 0; k < 5; ++k) {
                    dc_pose a = {{1, 0, 0, 0}, {0, 0, 0}}, b = a;
                    dc_growth_result g;
                    dc_status st;
                    if (k == 1) a.t.x = R(size);
                    if (k == 2) a.t.z = R(1.3*size);
                    if (k == 3) a.t = dc_vec(R(1e3*size), R(1e3*size), R(1e-3*size));
                    if (k == 4) {
                        a.t.y = R(-2*size);
                        b.q = dc_quat_exp(dc_vec(0, 0, R(1.5707963267948966)));
                    }
                    st = growth(RHO, &shape[i], a, &shape[j], b, &g);
                    if (st != DC_OK) {
                        printf("  %s, %s, size %g, case %d: %s after %d, residual %g\n", name[i], name[j], size, k, dc_status_text(st), g.iterations, (double)g.residual);
                        bad++;
                    } else if (!dc_finite(g.alpha) || !dc_finite3(g.p) || !dc_finite3(g.n_a) || !dc_finite3(g.n_b) || !dc_finite(g.length)) bad++;
                    else if (k == 0 && j > 0 && i < 8 && j < 8 && (double)g.alpha > 3*RHO*40) bad++;
                }
    }
    ASSERT_EQ(0, bad);
    PASS();
}

/* ---- derivatives */

typedef struct { const dc_shape *a, *b; dc_pose pa, pb; double rho; int failed; } place;

/* x: twists of a and b about the poses; f: alpha, p, n_a */
static void of_poses(const double *x, double *f, void *user)
{
    place *p = (place *)user;
    dc_growth_result g;
    dc_real xi[12];
    int k;
    for (k = 0; k < 12; ++k) xi[k] = R(x[k]);
    p->failed |= growth(p->rho, p->a, dc_pose_retract(p->pa, xi), p->b, dc_pose_retract(p->pb, xi + 6), &g) != DC_OK;
    f[0] = (double)g.alpha;
    f[1] = (double)g.p.x;
    f[2] = (double)g.p.y;
    f[3] = (double)g.p.z;
    f[4] = (double)g.n_a.x;
    f[5] = (double)g.n_a.y;
    f[6] = (double)g.n_a.z;
}

TEST derivatives_by_pose(void)
{
    worst w = worst_make("Jacobian"), wo = worst_make("2 - order"), wl = worst_make("alpha row against the duals, over rho");
    rng r;
    int i, j, k, n = (int)sweep_count(2);
    if (DC_IS_FLOAT) SKIPm("differences need double");
    ASSERT(make_shapes(1));
    rng_seed(&r, 3);
    for (i = 1; i < SHAPES; ++i)
        for (j = 0; j <= i; ++j)
            for (k = 0; k < n; ++k) {
                dc_growth_options o = DC_ZERO;
                dc_growth_result g;
                dc_real jac[84];
                double J[84], x[12] = {0}, shortcut;
                fd_result fd;
                place p;
                p.a = &shape[i];
                p.b = &shape[j];
                p.pa = random_pose(&r, 2);
                p.pb = random_pose(&r, 2);
                p.rho = k & 1 ? 1e-4 : 1e-2;
                p.failed = 0;
                o.rho = R(p.rho);
                ASSERT_EQ(DC_OK, dc_growth(&o, p.a, &p.pa, p.b, &p.pb, &mem, &g, jac, NULL, NULL, NULL));
                to_double(jac, J, 84);
                fd = fd_check(of_poses, &p, 12, x, 7, J, k & 1 ? 1.0/512 : 1.0/32);
                ASSERT(!p.failed);
                worst_add(&w, fd.err, "%s, %s rho %g step %g", name[i], name[j], p.rho, fd.step);
                worst_add(&wo, 2 - fd.order, "%s, %s rho %g", name[i], name[j], p.rho);
                shortcut = fabs(J[0]*(double)g.length - (double)g.n_a.x) + fabs(J[1]*(double)g.length - (double)g.n_a.y) + fabs(J[2]*(double)g.length - (double)g.n_a.z);
                if (g.alpha > R(0.3)) worst_add(&wl, shortcut/p.rho, "%s, %s rho %g alpha %g", name[i], name[j], p.rho, (double)g.alpha);
            }
    ASSERT(worst_print(&w, 1e-7) & worst_print(&wo, 0.05));
    ASSERT(worst_print(&wl, 2e3));
    PASS();
}

/* The same at the default rho, near and a thousand sizes apart, with a hull that does not hold its origin among the shapes. */
TEST derivatives_at_the_default_rho(void)
{
    worst w = worst_make("Jacobian, near"), wf = worst_make("1000 sizes apart");
    rng r;
    int i, j, k, n = (int)sweep_count(2);
    static unsigned char hull_memory[1 << 13];
    dc_arena m = dc_arena_make(hull_memory, sizeof hull_memory);
    dc_shape off;
    dc_v3 v[12];
    if (DC_IS_FLOAT) SKIPm("differences need double");
    ASSERT(make_shapes(1));
    rng_seed(&r, 13);
    for (i = 0; i < 12; ++i) {
        double x[3];
        rng_unit3(&r, x);
        v[i] = dc_vec(R(3 + x[0]), R(-2 + 0.8*x[1]), R(1 + 0.6*x[2]));
    }
    ASSERT_EQ(DC_OK, dc_shape_hull(3, 12, v, &m, &off));
    ASSERT(off.d[0] < 0 || off.d[0] > 0);
    for (i = 1; i <= SHAPES; ++i)
        for (j = 0; j <= i; ++j)
            for (k = 0; k <= n; ++k) {                 /* the last one far */
                dc_growth_result g;
                dc_real jac[84];
                double J[84], x[12] = {0};
                fd_result fd;
                place p;
                p.a = i == SHAPES ? &off : &shape[i];
                p.b = j == SHAPES ? &off : &shape[j];
                p.pa = random_pose(&r, k == n ? 1000 : 2);
                p.pb = random_pose(&r, k == n ? 1000 : 2);
                p.rho = 0;
                p.failed = 0;
                ASSERT_EQ(DC_OK, dc_growth(NULL, p.a, &p.pa, p.b, &p.pb, &mem, &g, jac, NULL, NULL, NULL));
                to_double(jac, J, 84);
                fd = fd_check(of_poses, &p, 12, x, 7, J, 1.0/4096);
                ASSERT(!p.failed);
                worst_add(k == n ? &wf : &w, fd.err, "%s, %s step %g alpha %g", i == SHAPES ? "hull" : name[i], j == SHAPES ? "hull" : name[j], fd.step,
                          (double)g.alpha);
            }
    ASSERT(worst_print(&w, 1e-6));
    ASSERT(worst_print(&wf, 1e-6));
    PASS();
}

/* derivatives by the numbers of both shapes */
typedef struct { place p; dc_real A[2][64], b[2][64], d[2][64], N[2][256]; dc_shape s[2]; double bar[7]; int count[2]; } shaped;

static void of_shapes(const double *x, double *f, void *user)
{
    shaped *s = (shaped *)user;
    double g[7], zero[12] = {0};
    int k, i;
    for (k = 0; k < 2; ++k) {
        const dc_shape *t = k ? s->p.b : s->p.a;
        s->s[k] = *t;
        for (i = 0; i < t->rows*t->dim; ++i) s->A[k][i] = R((double)t->A[i] + *x++);
        for (i = 0; i < t->rows; ++i) s->b[k][i] = R((double)t->b[i] + *x++);
        for (i = 0; i < t->rows; ++i) s->d[k][i] = R((double)t->d[i] + *x++);
        for (i = 0; i < t->rows*t->aux; ++i) s->N[k][i] = R((double)t->N[i] + *x++);
        s->s[k].A = s->A[k];
        s->s[k].b = s->b[k];
        s->s[k].d = s->d[k];
        s->s[k].N = s->N[k];
    }
    {
        place p = s->p;
        p.a = &s->s[0];
        p.b = &s->s[1];
        of_poses(zero, g, &p);
        s->p.failed |= p.failed;
    }
    *f = 0;
    for (k = 0; k < 7; ++k) *f += s->bar[k]*g[k];
}

TEST derivatives_by_shape(void)
{
    static shaped s;
    static dc_real grad[2][448];
    static double J[1024], x[1024];
    worst w = worst_make("gradient");
    rng r;
    int i, j, k, l;
    if (DC_IS_FLOAT) SKIPm("differences need double");
    ASSERT(make_shapes(1));
    rng_seed(&r, 5);
    for (i = 1; i < SHAPES; ++i)
        for (j = 0; j <= i; j += 1 + (int)(1/sweep_count(2))) {
            dc_growth_options o = DC_ZERO;
            dc_growth_result g;
            dc_shape_grad ga, gb;
            dc_real bar[7];
            fd_result fd;
            int n = 0;
            s.p.a = &shape[i];
            s.p.b = &shape[j];
            s.p.pa = random_pose(&r, 2);
            s.p.pb = random_pose(&r, 2);
            s.p.rho = 1e-2;
            s.p.failed = 0;
            for (k = 0; k < 7; ++k) {
                bar[k] = R(rng_uniform(&r, -1, 1));
                s.bar[k] = (double)bar[k];
            }
            memset(grad, 0, sizeof grad);
            for (k = 0; k < 2; ++k) {
                const dc_shape *t = k ? s.p.b : s.p.a;
                dc_shape_grad *q = k ? &gb : &ga;
                q->A = grad[k];
                q->b = q->A + t->rows*t->dim;
                q->d = q->b + t->rows;
                q->N = q->d + t->rows;
                q->size = 0;
                for (l = 0; l < t->rows*(t->dim + 2 + t->aux); ++l) x[n + l] = 0;
                n += t->rows*(t->dim + 2 + t->aux);
            }
            o.rho = R(s.p.rho);
            ASSERT_EQ(DC_OK, dc_growth(&o, s.p.a, &s.p.pa, s.p.b, &s.p.pb, &mem, &g, NULL, bar, &ga, &gb));
            for (k = 0, l = 0; k < 2; ++k) {
                const dc_shape *t = k ? s.p.b : s.p.a;
                to_double(grad[k], J + l, t->rows*(t->dim + 2 + t->aux));
                l += t->rows*(t->dim + 2 + t->aux);
            }
            fd = fd_check(of_shapes, &s, n, x, 1, J, 1.0/64);
            ASSERT(!s.p.failed);
            worst_add(&w, fd.err, "%s, %s step %g", name[i], name[j], fd.step);
        }
    ASSERT(worst_print(&w, 1e-7));
    PASS();
}

SUITE(distance)
{
    RUN_TEST(laws);
    RUN_TEST(closed_forms);
    RUN_TEST(within_rho_at_any_distance);
    RUN_TEST(hulls);
    RUN_TEST(batch);
    RUN_TEST(concentric);
    RUN_TEST(warm_starts);
    RUN_TEST(corners);
}

SUITE(derivatives)
{
    RUN_TEST(derivatives_by_pose);
    RUN_TEST(derivatives_at_the_default_rho);
    RUN_TEST(derivatives_by_shape);
}

/* The unit of growth: how far a face is from the origin, of the farthest. */
TEST size_is_the_largest_offset_of_a_face(void)
{
    static unsigned char room[1 << 12];
    dc_arena own = dc_arena_make(room, sizeof room);
    dc_shape s;
    ASSERT_EQ(DC_OK, dc_shape_sphere(3, DC_R(0.75), &own, &s));
    ASSERT(fabs((double)s.size - 0.75) < 4*EPS);
    ASSERT_EQ(DC_OK, dc_shape_box(3, dc_vec(DC_R(0.5), DC_R(1.25), DC_R(0.25)), &own, &s));
    ASSERT(fabs((double)s.size - 1.25) < 4*EPS);
    /* the base 0.5 away, or the side, 1.5 from the apex, at an angle of 45 degrees */
    ASSERT_EQ(DC_OK, dc_shape_cone(3, 2, 1, &own, &s));
    ASSERT(fabs((double)s.size - 1.5/sqrt(2)) < 4*EPS);
    ASSERT_EQ(DC_OK, dc_shape_cone(3, 2, DC_R(0.25), &own, &s));
    ASSERT(fabs((double)s.size - 0.5) < 4*EPS);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(distance);
    RUN_SUITE(derivatives);
    RUN_TEST(size_is_the_largest_offset_of_a_face);
    GREATEST_MAIN_END();
}
