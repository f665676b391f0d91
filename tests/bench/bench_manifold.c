/* Time of dc_hull_manifold and dc_hull_smooth.
 *
 * Two boxes: beside a baseline for boxes alone, all 15 axes and the faces clipped, as game engines have it; MuJoCo's own function for
 * two boxes, called directly; libccd's penetration depth followed by the baseline's clipping. 1000 pairs of random boxes, half
 * extents 0.2 to 0.5: "resting", a face 5 mm deep in another, turned about the normal and 1 mrad across it; and "any", turned at
 * random, 50 mm deep where they touch. Warm: every pair goes to and fro between two poses a tenth of the depth apart and keeps its
 * patch. Then 2000 overlapping pairs of hulls of 24 points on a ball. All times are per pair. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"

#include <math.h>
#ifdef DC_BENCH_MUJOCO
#include "mujoco_model.h"
#endif
#ifdef DC_BENCH_PEERS
int peer_ccd_boxes(const double *half_a, const double *pose_a, const double *half_b, const double *pose_b, double *depth, double n[3]);
#endif

#define PAIRS  1000
#define SHAPES 24
#define POLY   24
#define MARGIN DC_R(0.01)
#define SOFT   64

typedef struct { dc_v3 v[POLY]; dc_real half[3]; dc_hull hull; dc_hull_topology t; } shape;
typedef struct { const shape *a, *b; dc_pose pa, pb[2]; } pair;

static shape shapes[SHAPES];
static pair pairs[2*PAIRS];
static int count;                                       /* of pairs */
static unsigned char of_faces[SHAPES][1 << 14], scratch[1 << 18];
static unsigned long long seed;

static double uniform(double lo, double hi)
{
    seed = seed*6364136223846793005ull + 1442695040888963407ull;
    return lo + (hi - lo)*(double)(seed >> 11)/9007199254740992.0;
}

static dc_v3 unit(void)
{
    for (;;) {
        double x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1), s = sqrt(x*x + y*y + z*z);
        if (s <= 1 && s > 0.03) return dc_vec(DC_R(x/s), DC_R(y/s), DC_R(z/s));
    }
}

static dc_quat turn(void) { return dc_quat_exp(dc_scale(DC_R(uniform(0, 3.14)), unit())); }

static void shape_make(shape *s, int n)
{
    dc_arena mem = dc_arena_make(of_faces[s - shapes], sizeof of_faces[0]);
    int i;
    for (i = 0; i < 3; i++) s->half[i] = DC_R(uniform(0.2, 0.5));
    for (i = 0; i < n; i++)
        s->v[i] = n == 8 ? dc_vec(i & 1 ? s->half[0] : -s->half[0], i & 2 ? s->half[1] : -s->half[1], i & 4 ? s->half[2] : -s->half[2])
                         : dc_scale(DC_R(0.5), unit());
    memset(&s->hull, 0, sizeof s->hull);
    s->hull.v = s->v;
    s->hull.n = n;
    if (dc_hull_faces(&s->hull, 0, &mem, &s->t) != DC_OK) exit(1);
}

/* b on a line towards a until they touch, then `depth` along the normal; and a second pose */
static void pair_make(pair *p, double depth)
{
    do {
        dc_v3 from = unit(), line;
        dc_distance d = DC_ZERO;
        int i;
        p->a = &shapes[(int)uniform(0, SHAPES)];
        p->b = &shapes[(int)uniform(0, SHAPES)];
        p->pa.q = turn();
        p->pb[0].q = turn();
        p->pa.t = dc_scale(DC_R(uniform(0, 1)), unit());
        p->pb[0].t = dc_madd(p->pa.t, 3, from);
        line = dc_scale(-1, from);
        for (i = 0; i < 200; i++) {
            dc_arena mem = dc_arena_make(scratch, sizeof scratch);
            if (dc_hull_distance(&p->a->hull, &p->pa, &p->b->hull, &p->pb[0], &mem, &d) != DC_OK) exit(1);
            if (d.gap < 100*DC_EPS) break;
            p->pb[0].t = dc_madd(p->pb[0].t, d.gap, line);
        }
        if (i == 200) continue;                         /* the line misses */
        p->pb[0].t = dc_madd(p->pb[0].t, DC_R(depth), d.n);
        p->pb[1] = p->pb[0];
        p->pb[1].t = dc_madd(p->pb[1].t, DC_R(0.1*depth), unit());
        return;
    } while (1);
}

/* a's top on b's underside, both at any pose */
static void pair_rest(pair *p, double depth)
{
    const dc_pose world = {turn(), unit()};
    int k;
    p->a = &shapes[(int)uniform(0, SHAPES)];
    p->b = &shapes[(int)uniform(0, SHAPES)];
    p->pa = world;
    for (k = 0; k < 2; k++) p->pb[k].q = p->pa.q;
    p->pb[0].q = dc_quat_mul(dc_quat_exp(dc_vec(DC_R(uniform(-1e-3, 1e-3)), DC_R(uniform(-1e-3, 1e-3)), 0)),
                             dc_quat_exp(dc_vec(0, 0, DC_R(uniform(-3, 3)))));
    p->pb[0].t = dc_vec(DC_R(uniform(-0.2, 0.2)), DC_R(uniform(-0.2, 0.2)), p->a->half[2] + p->b->half[2] - DC_R(depth));
    p->pb[0] = dc_pose_mul(world, p->pb[0]);
    p->pb[1] = p->pb[0];
    p->pb[1].t = dc_madd(p->pb[1].t, DC_R(0.1*depth), unit());
}

/* ---- the baseline, for boxes alone ---- */

typedef struct { dc_real x[3], gap; unsigned id; } corner;
typedef struct { dc_v3 p; dc_real gap, warm[3]; unsigned id; } base_point;
typedef struct { dc_v3 n; dc_real gap, least; int count; base_point point[4]; } base_patch;   /* least: before edges had to be better */

/* What is kept of `polygon`: within |x_k| <= h of the reference face, with the incident edge and the plane as id. */
static int clip(const corner *in, int n, corner *out, int k, dc_real sign, dc_real h)
{
    int i, m = 0;
    for (i = 0; i < n; i++) {
        const corner *p = &in[i], *q = &in[i + 1 == n ? 0 : i + 1];
        const dc_real dp = sign*p->x[k] - h, dq = sign*q->x[k] - h;
        if (dp <= 0) out[m++] = *p;
        if ((dp < 0) != (dq < 0)) {
            const dc_real s = dp/(dp - dq);
            int j;
            for (j = 0; j < 3; j++) out[m].x[j] = p->x[j] + s*(q->x[j] - p->x[j]);
            out[m++].id = 64u + (p->id & 7u) + 8u*(unsigned)(2*k + (sign > 0));
        }
    }
    return m;
}

/* the deepest, the farthest from it, and the farthest on either side of their line */
static int reduce(corner *c, int n, int k1, int k2)
{
    int pick[4] = {0, 0, -1, -1}, i;
    dc_real most = 0, least = 0;
    corner four[4];
    if (n <= 4) return n;
    for (i = 1; i < n; i++)
        if (c[i].gap < c[pick[0]].gap) pick[0] = i;
    for (i = 0; i < n; i++) {
        const dc_real x = c[i].x[k1] - c[pick[0]].x[k1], y = c[i].x[k2] - c[pick[0]].x[k2];
        if (x*x + y*y > most) { most = x*x + y*y; pick[1] = i; }
    }
    most = 0;
    for (i = 0; i < n; i++) {
        const corner *p = &c[pick[0]], *q = &c[pick[1]];
        const dc_real area = (q->x[k1] - p->x[k1])*(c[i].x[k2] - p->x[k2]) - (q->x[k2] - p->x[k2])*(c[i].x[k1] - p->x[k1]);
        if (area > most) { most = area; pick[2] = i; }
        if (area < least) { least = area; pick[3] = i; }
    }
    for (i = n = 0; i < 4; i++)
        if (pick[i] >= 0) four[n++] = c[pick[i]];
    memcpy(c, four, (size_t)n*sizeof *c);
    return n;
}

/* Face k of box x (rotation X, centre cx) with outward sign; the other box's face that looks most at it, clipped. */
static void face(const dc_real *hx, const dc_m3 *X, dc_v3 cx, const dc_real *hy, const dc_m3 *Y, dc_v3 cy, int k, dc_real sign, base_patch *m)
{
    static const dc_real around[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    const int k1 = (k + 1)%3, k2 = (k + 2)%3;
    const dc_v3 d = dc_sub(cy, cx);
    corner p[16], q[16];
    dc_real R[3][3], t[3], most = 0;
    int i, j, side = 0, n = 0;

    /* y in the frame of x */
    for (i = 0; i < 3; i++) {
        t[i] = X->m[i]*d.x + X->m[3 + i]*d.y + X->m[6 + i]*d.z;
        for (j = 0; j < 3; j++) R[i][j] = X->m[i]*Y->m[j] + X->m[3 + i]*Y->m[3 + j] + X->m[6 + i]*Y->m[6 + j];
    }
    for (j = 0; j < 3; j++)
        if (dc_abs(R[k][j]) > most) { most = dc_abs(R[k][j]); side = j; }
    for (i = 0; i < 4; i++) {
        const int s1 = (side + 1)%3, s2 = (side + 2)%3;
        const dc_real out = sign*R[k][side] > 0 ? -hy[side] : hy[side];
        for (j = 0; j < 3; j++) p[i].x[j] = t[j] + out*R[j][side] + around[i][0]*hy[s1]*R[j][s1] + around[i][1]*hy[s2]*R[j][s2];
        p[i].id = (unsigned)i;
    }
    n = clip(p, 4, q, k1, 1, hx[k1]);
    n = clip(q, n, p, k1, -1, hx[k1]);
    n = clip(p, n, q, k2, 1, hx[k2]);
    n = clip(q, n, p, k2, -1, hx[k2]);
    for (i = j = 0; i < n; i++) {
        p[i].gap = sign*p[i].x[k] - hx[k];
        if (p[i].gap <= MARGIN) p[j++] = p[i];
    }
    n = reduce(p, j, k1, k2);
    for (i = 0; i < n; i++) {
        base_point *to = &m->point[m->count++];
        to->p = dc_add(cx, dc_mul(X, dc_vec(p[i].x[0], p[i].x[1], p[i].x[2])));
        to->gap = p[i].gap;
        to->id = p[i].id + 1024u*(unsigned)k + 4096u*(unsigned)side;
    }
}

static dc_v3 column(const dc_m3 *M, int j) { return dc_vec(M->m[j], M->m[3 + j], M->m[6 + j]); }

/* the points for a separating axis: 0 to 2 faces of a, 3 to 5 of b, 6 + 3 i + j edges; n from b to a */
static void points_of(const shape *a, const dc_m3 *A, dc_v3 ta, const shape *b, const dc_m3 *B, dc_v3 tb, int axis, base_patch *m)
{
    const dc_v3 n = m->n;
    int i, j, k;
    m->count = 0;
    if (axis < 3) face(a->half, A, ta, b->half, B, tb, axis, dc_dot(column(A, axis), n) > 0 ? -DC_R(1) : DC_R(1), m);
    else if (axis < 6) face(b->half, B, tb, a->half, A, ta, axis - 3, dc_dot(column(B, axis - 3), n) > 0 ? DC_R(1) : -DC_R(1), m);
    else {
        /* the closest points of the two edges' lines */
        dc_v3 p = ta, q = tb, u, v, w;
        dc_real c, x, y;
        i = (axis - 6)/3;
        j = (axis - 6)%3;
        for (k = 0; k < 3; k++) {
            if (k != i) p = dc_madd(p, dc_dot(column(A, k), n) > 0 ? -a->half[k] : a->half[k], column(A, k));
            if (k != j) q = dc_madd(q, dc_dot(column(B, k), n) > 0 ? b->half[k] : -b->half[k], column(B, k));
        }
        u = column(A, i);
        v = column(B, j);
        w = dc_sub(q, p);
        c = dc_dot(u, v);
        x = (dc_dot(w, u) - c*dc_dot(w, v))/(1 - c*c);
        y = (c*dc_dot(w, u) - dc_dot(w, v))/(1 - c*c);
        m->point[0].p = dc_scale(DC_R(0.5), dc_add(dc_madd(p, x, u), dc_madd(q, y, v)));
        m->point[0].gap = m->gap;
        m->point[0].id = (unsigned)axis << 16;
        m->count = 1;
    }
}

/* what was there before keeps its warm data */
static void match(const base_patch *before, base_patch *m)
{
    int i, k;
    for (i = 0; i < m->count; i++) {
        memset(m->point[i].warm, 0, sizeof m->point[i].warm);
        for (k = 0; k < before->count; k++)
            if (before->point[k].id == m->point[i].id) memcpy(m->point[i].warm, before->point[k].warm, sizeof m->point[i].warm);
    }
}

static void base_manifold(const shape *a, const dc_pose *pa, const shape *b, const dc_pose *pb, base_patch *m)
{
    const dc_m3 A = dc_rotation(pa->q), B = dc_rotation(pb->q);
    const dc_v3 d = dc_sub(pb->t, pa->t);
    const dc_real *ha = a->half, *hb = b->half;
    const base_patch before = *m;
    dc_real R[3][3], P[3][3], t[3], best = -DC_REAL_MAX, sign = 1;
    int i, j, axis = 0;

    m->count = 0;
    for (i = 0; i < 3; i++) {
        t[i] = dc_dot(column(&A, i), d);
        for (j = 0; j < 3; j++) {
            R[i][j] = dc_dot(column(&A, i), column(&B, j));
            P[i][j] = dc_abs(R[i][j]);
        }
    }
    for (i = 0; i < 3; i++) {
        const dc_real s = dc_abs(t[i]) - (ha[i] + hb[0]*P[i][0] + hb[1]*P[i][1] + hb[2]*P[i][2]);
        if (s > MARGIN) return;
        if (s > best) { best = s; axis = i; sign = t[i]; }
    }
    for (j = 0; j < 3; j++) {
        const dc_real x = t[0]*R[0][j] + t[1]*R[1][j] + t[2]*R[2][j];
        const dc_real s = dc_abs(x) - (hb[j] + ha[0]*P[0][j] + ha[1]*P[1][j] + ha[2]*P[2][j]);
        if (s > MARGIN) return;
        if (s > best) { best = s; axis = 3 + j; sign = x; }
    }
    m->n = axis < 3 ? column(&A, axis) : column(&B, axis - 3);
    m->least = best;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) {
            const int i1 = (i + 1)%3, i2 = (i + 2)%3, j1 = (j + 1)%3, j2 = (j + 2)%3;
            const dc_real l = dc_sqrt(dc_max(0, 1 - R[i][j]*R[i][j]));
            const dc_real x = t[i2]*R[i1][j] - t[i1]*R[i2][j];
            dc_real s;
            if (l < DC_R(1e-3)) continue;
            s = (dc_abs(x) - ha[i1]*P[i2][j] - ha[i2]*P[i1][j] - hb[j1]*P[i][j2] - hb[j2]*P[i][j1])/l;
            if (s > MARGIN) return;
            m->least = dc_max(m->least, s);
            if (s - DC_R(0.05)*dc_abs(s) > best) {      /* faces where they are nearly as good */
                best = s;
                axis = 6 + 3*i + j;
                sign = x;
                m->n = dc_scale(1/l, dc_cross(column(&A, i), column(&B, j)));
            }
        }
    if (sign > 0) m->n = dc_scale(-1, m->n);            /* from b to a */
    m->gap = best;
    points_of(a, &A, pa->t, b, &B, pb->t, axis, m);
    match(&before, m);
}

/* ---- who takes turns ---- */

static void need(dc_status s)
{
    if (s == DC_OK) return;
    fprintf(stderr, "bench: %s\n", dc_status_text(s));
    exit(1);
}

static dc_hull_patch patch[2*PAIRS];
static base_patch base[PAIRS];
static int toggle;

static void touch(const pair *p, const dc_pose *pb, dc_hull_patch *m)
{
    dc_arena mem = dc_arena_make(scratch, sizeof scratch);
    dc_hull_manifold_options o = DC_ZERO;
    o.margin = MARGIN;
    need(dc_hull_manifold(&o, &p->a->t, &p->pa, &p->b->t, pb, &mem, m));
}

static void run_cold(void *user)
{
    double sum = 0;
    int i;
    (void)user;
    for (i = 0; i < count; i++) {
        dc_hull_patch m = DC_ZERO;
        touch(&pairs[i], &pairs[i].pb[0], &m);
        sum += (double)m.gap;
    }
    bench_keep(sum);
}

static void run_distance(void *user)
{
    double sum = 0;
    int i;
    (void)user;
    for (i = 0; i < count; i++) {
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_distance d = DC_ZERO;
        need(dc_hull_distance(&pairs[i].a->hull, &pairs[i].pa, &pairs[i].b->hull, &pairs[i].pb[0], &mem, &d));
        sum += (double)d.gap;
    }
    bench_keep(sum);
}

static void run_warm(void *user)
{
    double sum = 0;
    int i;
    (void)user;
    toggle ^= 1;
    for (i = 0; i < count; i++) {
        touch(&pairs[i], &pairs[i].pb[toggle], &patch[i]);
        sum += (double)patch[i].gap;
    }
    bench_keep(sum);
}

static void run_base(void *user)
{
    double sum = 0;
    int i;
    (void)user;
    toggle ^= 1;
    for (i = 0; i < count; i++) {
        base_manifold(pairs[i].a, &pairs[i].pa, pairs[i].b, &pairs[i].pb[toggle], &base[i]);
        sum += (double)base[i].gap;
    }
    bench_keep(sum);
}

#ifdef DC_BENCH_MUJOCO
static mjModel *model;
static mjData *data;

static void mujoco_open(void)
{
    static mujoco_text x;
    mujoco_print(&x, "<mujoco><worldbody><body><freejoint/><geom type=\"box\" size=\"1 1 1\"/></body>"
                     "<body><freejoint/><geom type=\"box\" size=\"1 1 1\"/></body></worldbody></mujoco>");
    model = mujoco_compile(&x);
    data = mj_makeData(model);
}

/* the two geoms placed, which is part of its time as turning quaternions is of ours; the deepest gap */
static int mujoco_boxes(const pair *p, const dc_pose *pb, mjContact *con, double *gap)
{
    int k, n;
    for (k = 0; k < 2; k++) {
        const dc_pose *q = k ? pb : &p->pa;
        const shape   *s = k ? p->b : p->a;
        const mjtNum   quat[4] = {(mjtNum)q->q.w, (mjtNum)q->q.x, (mjtNum)q->q.y, (mjtNum)q->q.z};
        data->geom_xpos[3*k] = (mjtNum)q->t.x;
        data->geom_xpos[3*k + 1] = (mjtNum)q->t.y;
        data->geom_xpos[3*k + 2] = (mjtNum)q->t.z;
        mju_quat2Mat(data->geom_xmat + 9*k, quat);
        for (n = 0; n < 3; n++) model->geom_size[3*k + n] = (mjtNum)s->half[n];
    }
    n = mjCOLLISIONFUNC[mjGEOM_BOX][mjGEOM_BOX](model, data, con, 0, 1, (mjtNum)MARGIN);
    *gap = 1;
    for (k = 0; k < n; k++) *gap = fmin(*gap, (double)con[k].dist);
    return n;
}

static void run_mujoco(void *user)
{
    double sum = 0, gap;
    int i;
    (void)user;
    toggle ^= 1;
    for (i = 0; i < count; i++) {
        static mjContact con[64];
        (void)mujoco_boxes(&pairs[i], &pairs[i].pb[toggle], con, &gap);
        sum += gap;
    }
    bench_keep(sum);
}
#endif

#ifdef DC_BENCH_PEERS
/* libccd's direction, then the faces and edges that lie across it, clipped */
static double ccd_boxes(const pair *p, const dc_pose *pb, base_patch *m)
{
    const dc_m3 A = dc_rotation(p->pa.q), B = dc_rotation(pb->q);
    double half[2][3], pose[2][7], n[3], depth = 0, most = 0;
    int k, i, axis = 0;
    for (k = 0; k < 2; k++) {
        const dc_pose *q = k ? pb : &p->pa;
        for (i = 0; i < 3; i++) half[k][i] = (double)(k ? p->b : p->a)->half[i];
        pose[k][0] = (double)q->t.x; pose[k][1] = (double)q->t.y; pose[k][2] = (double)q->t.z;
        pose[k][3] = (double)q->q.x; pose[k][4] = (double)q->q.y; pose[k][5] = (double)q->q.z; pose[k][6] = (double)q->q.w;
    }
    m->count = 0;
    if (peer_ccd_boxes(half[0], pose[0], half[1], pose[1], &depth, n) != 0) return 0;
    m->n = dc_vec(DC_R(-n[0]), DC_R(-n[1]), DC_R(-n[2]));
    m->gap = DC_R(-depth);
    for (i = 0; i < 6; i++) {
        const double along = fabs((double)dc_dot(i < 3 ? column(&A, i) : column(&B, i - 3), m->n));
        if (along > most) { most = along; axis = i; }
    }
    for (i = 0; most < 0.9999 && i < 9; i++) {
        const dc_v3 c = dc_cross(column(&A, i/3), column(&B, i%3));
        const double along = fabs((double)dc_dot(c, m->n))/sqrt((double)dc_dot(c, c) + 1e-30);
        if (along > most) { most = along; axis = 6 + i; }
    }
    points_of(p->a, &A, p->pa.t, p->b, &B, pb->t, axis, m);
    return -depth;
}

static void run_ccd(void *user)
{
    double sum = 0;
    int i;
    (void)user;
    toggle ^= 1;
    for (i = 0; i < count; i++) {
        base_patch m;
        sum += ccd_boxes(&pairs[i], &pairs[i].pb[toggle], &m);
    }
    bench_keep(sum);
}
#endif

/* how far their depths are off ours, and how many points they have */
static void compare(const char *group)
{
    double off[4] = {0, 0, 0, 0}, points[4] = {0, 0, 0, 0};
    int i, same = 0;
    for (i = 0; i < count; i++) {
        dc_hull_patch m = DC_ZERO;
        base_patch b;
        memset(&b, 0, sizeof b);
        touch(&pairs[i], &pairs[i].pb[0], &m);
        base_manifold(pairs[i].a, &pairs[i].pa, pairs[i].b, &pairs[i].pb[0], &b);
        same += m.count == b.count;
        points[0] += (double)m.count/count;
        points[1] += (double)b.count/count;
        off[1] = fmax(off[1], fabs((double)(m.gap - b.least)));
#ifdef DC_BENCH_MUJOCO
        {
            static mjContact con[64];
            double gap;
            points[2] += (double)mujoco_boxes(&pairs[i], &pairs[i].pb[0], con, &gap)/count;
            off[2] = fmax(off[2], fabs((double)m.gap - gap));
        }
#endif
#ifdef DC_BENCH_PEERS
        off[3] = fmax(off[3], fabs((double)m.gap - ccd_boxes(&pairs[i], &pairs[i].pb[0], &b)));
        points[3] += (double)b.count/count;
#endif
    }
    bench_line(group, "points_dc", points[0], "mean");
    bench_line(group, "points_baseline", points[1], "mean");
    bench_line(group, "as_many_as_baseline", (double)same/count, "share");
    bench_line(group, "depth_baseline_off", off[1], "m");
#ifdef DC_BENCH_MUJOCO
    bench_line(group, "points_mujoco", points[2], "mean");
    bench_line(group, "depth_mujoco_off", off[2], "m");
#endif
#ifdef DC_BENCH_PEERS
    bench_line(group, "points_libccd", points[3], "mean");
    bench_line(group, "depth_libccd_off", off[3], "m");
#endif
}

/* ---- smooth ---- */

static void run_smooth(void *user)
{
    static dc_hull_soft soft[SOFT];
    static dc_hull_soft_rate rate[SOFT], by[SOFT];
    const int what = *(const int *)user;
    double sum = 0;
    int i;
    for (i = 0; i < SOFT; i++) by[i].gap = by[i].weight = by[i].pa.x = 1;
    for (i = 0; i < 100; i++) {
        const pair *p = &pairs[i];
        dc_arena mem = dc_arena_make(scratch, sizeof scratch);
        dc_real twist[12] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, grad[12];
        dc_v3 n;
        int found = 0;
        if (what == 1) need(dc_hull_smooth_jvp(NULL, &p->a->t, &p->pa, &p->b->t, &p->pb[0], twist, &mem, SOFT, &n, rate, &found));
        else need(dc_hull_smooth(NULL, &p->a->t, &p->pa, &p->b->t, &p->pb[0], &mem, SOFT, &n, soft, &found));
        if (what == 2) {
            mem = dc_arena_make(scratch, sizeof scratch);
            need(dc_hull_smooth_vjp(NULL, &p->a->t, &p->pa, &p->b->t, &p->pb[0], &mem, found, NULL, by, grad, NULL, NULL));
            sum += (double)grad[0];
        }
        sum += found;
    }
    bench_keep(sum);
}

static void boxes(const char *group, int resting)
{
    static const int value = 0, jvp = 1, gradient = 2;
    bench_group g;
    int i;
    seed = 1;
    count = PAIRS;
    for (i = 0; i < SHAPES; i++) shape_make(&shapes[i], 8);
    for (i = 0; i < count; i++) {
        if (resting) pair_rest(&pairs[i], 0.005);
        else pair_make(&pairs[i], 0.05);
    }
    memset(patch, 0, sizeof patch);
    memset(base, 0, sizeof base);
    bench_open(&g, group);
    bench_add(&g, "cold", run_cold, NULL, count);
    bench_add(&g, "warm", run_warm, NULL, count);
    bench_add(&g, "distance_alone", run_distance, NULL, count);
    bench_add(&g, "baseline", run_base, NULL, count);
#ifdef DC_BENCH_MUJOCO
    bench_add(&g, "mujoco", run_mujoco, NULL, count);
#endif
#ifdef DC_BENCH_PEERS
    bench_add(&g, "libccd_epa_and_clipping", run_ccd, NULL, count);
#endif
    bench_run(&g);
    if (!bench_instructions) {
        bench_line(group, "warm_over_baseline", g.entry[1].median/g.entry[3].median, "x");
        compare(group);
    }

    bench_open(&g, resting ? "smooth_resting" : "smooth_any");
    bench_add(&g, "value", run_smooth, (void *)&value, 100);
    bench_add(&g, "jvp", run_smooth, (void *)&jvp, 100);
    bench_add(&g, "value_and_vjp", run_smooth, (void *)&gradient, 100);
    bench_run(&g);
}

int main(int argc, char **argv)
{
    bench_group g;
    int i;
    bench_begin(argc, argv);
#ifdef DC_BENCH_MUJOCO
    mujoco_open();
#else
    bench_skip("boxes_*/mujoco", "no mujoco/mujoco.h (Debian: libmujoco-dev)");
#endif
#ifndef DC_BENCH_PEERS
    bench_skip("boxes_*/libccd_epa_and_clipping", "no FCL and libccd (Debian: libfcl-dev libccd-dev)");
#endif
    boxes("boxes_resting", 1);
    boxes("boxes_any", 0);

    seed = 2;
    count = 2*PAIRS;
    for (i = 0; i < SHAPES; i++) shape_make(&shapes[i], POLY);
    for (i = 0; i < count; i++) pair_make(&pairs[i], 0.02);
    memset(patch, 0, sizeof patch);
    bench_open(&g, "hulls24");
    bench_add(&g, "cold", run_cold, NULL, count);
    bench_add(&g, "warm", run_warm, NULL, count);
    bench_run(&g);
    if (bench_instructions) return 0;
    bench_line("hulls24", "2000_pairs_cold", 1e-6*count*g.entry[0].median, "ms");
    bench_line("hulls24", "2000_pairs_warm", 1e-6*count*g.entry[1].median, "ms");
#ifdef DC_BENCH_MUJOCO
    mj_deleteData(data);
    mj_deleteModel(model);
#endif
    return 0;
}
