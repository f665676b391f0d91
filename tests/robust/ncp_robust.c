/* ncp_robust.c - how many steps of hard scenes dc_ncp_step leaves unsolved, and whether those it calls solved are
 * mechanics
 *
 *     ncp_robust [family ..] [full] [warm] [seed=1,2,..] [h=.1,.01,..] [rho=X] [detail] [spoil]
 *
 *   family   names from the table it prints; none: all
 *   full     every instance, and piles of 100; without it a few of each, below a minute
 *   warm     contacts keep their solution from step to step
 *   seed     draws of the random parts, 1
 *   h        time steps in place of the family's own
 *   rho      relaxation of the solver in place of its default
 *   detail   every step that is unsolved or wrong
 *   spoil    only the trial of the checks: a solved step is spoiled in every way they should see
 *
 * Whether a step is right is decided from the bodies before and after, the shapes, and dc_ncp_force: never from the
 * solver's own residuals. Distances are those of dc_hull_distance on vertices, with those of round shapes added where
 * the two are nearest, until the bracket (room along the normal) <= (true distance) <= (distance of the hulls) closes.
 *
 * A step that is not solved is counted and its best iterate taken; when a body is then lost, the rest of the run counts
 * as unsolved. Ends with  N passed, N failed, N skipped:  for each family unsolved share, wrong steps and mean
 * iterations against their bars. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { BODIES = 128, SOLIDS = 160, PLANES = 4, CONTACTS = 8192, ROUND = 160 };
#define PI 3.14159265358979323846
#define G 9.81

/* ---- shapes: what the solver gets, and what the checks know of them -------------------------------- */

enum { HULL, CYLINDER, CONE, ELLIPSOID, HALFSPACE };

/* The convex hull of v, or a round shape with measures m, with `pad` around it. */
typedef struct {
    int      kind, n;
    dc_v3    v[24];
    double   m[3], pad;
    double   radius, size;          /* of a ball that holds it; 2/sqrt 3 of that: the side of a cube */
    double   inertia[3];            /* over mass */
    dc_v3    normal;                /* half-space */
    double   offset;
    dc_shape shape;
} solid;

typedef struct {
    dc_ncp_scene   scene;
    dc_ncp_options opt;
    int            solids, planes, excluded;
    double         mu;
    solid          solid[SOLIDS], plane[PLANES];
    int            solid_of[BODIES];
    dc_ncp_body    body[BODIES], next[BODIES];
    dc_ncp_contact contact[CONTACTS];
    const solid   *side[CONTACTS][2];
    dc_ncp_touch   touch[CONTACTS];
    dc_arena       shapes;
    unsigned char  shape_memory[1 << 18];
} world;

static const dc_pose origin = {{1, 0, 0, 0}, {0, 0, 0}};

static void need(dc_status status, const char *what)
{
    if (status == DC_OK) return;
    fprintf(stderr, "%s: %s\n", what, dc_status_text(status));
    exit(2);
}

static double length(dc_v3 a) { return sqrt(dc_dot(a, a)); }

static int finish(solid *s, double radius, double ix, double iy, double iz)
{
    s->radius = radius;
    s->size = 2*radius/sqrt(3.0);
    s->inertia[0] = ix;
    s->inertia[1] = iy;
    s->inertia[2] = iz;
    return 0;
}

static solid *new_solid(world *w, int kind)
{
    solid *s = w->solid + w->solids++;
    s->kind = kind;
    return s;
}

static int box_solid(world *w, double x, double y, double z, double pad)
{
    solid   *s = new_solid(w, HULL);
    dc_shape core, ball;
    int      i;

    s->n = 8;
    for (i = 0; i < 8; i++) s->v[i] = dc_vec(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    s->pad = pad;
    need(dc_shape_box(3, dc_vec(x, y, z), &w->shapes, pad > 0 ? &core : &s->shape), "box");
    if (pad > 0) {
        need(dc_shape_sphere(3, pad, &w->shapes, &ball), "pad");
        need(dc_shape_sum(&core, &ball, &w->shapes, &s->shape), "padded box");
    }
    x += pad;
    y += pad;
    z += pad;
    finish(s, sqrt(x*x + y*y + z*z), (y*y + z*z)/3, (z*z + x*x)/3, (x*x + y*y)/3);
    return w->solids - 1;
}

static int ball_solid(world *w, double r)
{
    solid *s = new_solid(w, HULL);

    s->n = 1;
    s->pad = r;
    need(dc_shape_sphere(3, r, &w->shapes, &s->shape), "ball");
    finish(s, r, 0.4*r*r, 0.4*r*r, 0.4*r*r);
    return w->solids - 1;
}

/* half: of the segment, along x */
static int capsule_solid(world *w, double r, double half)
{
    solid *s = new_solid(w, HULL);
    double tube = half/(half + r*2/3), across = tube*(r*r/4 + half*half/3)
        + (1 - tube)*(0.4*r*r + half*half + half*r*0.75);

    s->n = 2;
    s->v[0].x = half;
    s->v[1].x = -half;
    s->pad = r;
    need(dc_shape_capsule(3, r, 2*half, &w->shapes, &s->shape), "capsule");
    finish(s, half + r, tube*r*r/2 + (1 - tube)*0.4*r*r, across, across);
    return w->solids - 1;
}

static int cylinder_solid(world *w, double r, double half)
{
    solid *s = new_solid(w, CYLINDER);

    s->m[0] = half;
    s->m[1] = r;
    need(dc_shape_cylinder(3, r, 2*half, &w->shapes, &s->shape), "cylinder");
    finish(s, sqrt(r*r + half*half), r*r/2, r*r/4 + half*half/3, r*r/4 + half*half/3);
    return w->solids - 1;
}

static int cone_solid(world *w, double height, double slope)
{
    solid *s = new_solid(w, CONE);
    double r = slope*height, across = 0.15*r*r + 3.0/80*height*height;

    s->m[0] = height;
    s->m[1] = r;
    need(dc_shape_cone(3, height, slope, &w->shapes, &s->shape), "cone");
    finish(s, fmax(0.75*height, sqrt(height*height/16 + r*r)), 0.3*r*r, across, across);
    return w->solids - 1;
}

static int ellipsoid_solid(world *w, double a, double b, double c)
{
    solid *s = new_solid(w, ELLIPSOID);

    s->m[0] = a;
    s->m[1] = b;
    s->m[2] = c;
    need(dc_shape_ellipsoid(3, dc_vec(a, b, c), &w->shapes, &s->shape), "ellipsoid");
    finish(s, fmax(a, fmax(b, c)), (b*b + c*c)/5, (c*c + a*a)/5, (a*a + b*b)/5);
    return w->solids - 1;
}

static void hull_shape(world *w, solid *s)
{
    static unsigned char room[1 << 20];
    dc_arena             scratch = dc_arena_make(room, sizeof room);
    dc_shape             t;
    int                  i;

    need(dc_shape_hull(3, s->n, s->v, &scratch, &t), "hull");
    need(dc_shape_place(&t, origin, &w->shapes, &s->shape), "hull");      /* a copy, without the scratch */
    for (i = 0; i < s->n; i++) s->radius = fmax(s->radius, length(s->v[i]));
}

/* The truncated octahedron: 14 faces, corners (0, +-1/2, +-1) r in every order. */
static int octahedron_solid(world *w, double r)
{
    solid *s = new_solid(w, HULL);
    int    i;

    for (i = 0; i < 24; i++) {
        double a = i & 1 ? -0.5 : 0.5, b = i & 2 ? -1 : 1, c[3];
        c[i/4%3] = 0;
        c[(i/4 + 1)%3] = r*(i < 12 ? a : b);
        c[(i/4 + 2)%3] = r*(i < 12 ? b : a);
        s->v[i] = dc_vec(c[0], c[1], c[2]);
    }
    s->n = 24;
    hull_shape(w, s);
    finish(s, s->radius, r*r*19/48, r*r*19/48, r*r*19/48);
    return w->solids - 1;
}

/* A prism along y over a polygon of the xz plane, anticlockwise when x turns to z, that is its own mirror image in x.
 * *centre receives where its centre of mass was. */
static int prism_solid(world *w, int n, const double *x, const double *z, double half, double *centre, double *area)
{
    solid *s = new_solid(w, HULL);
    double A = 0, cz = 0, xx = 0, zz = 0;
    int    i;

    for (i = 0; i < n; i++) {
        int    j = (i + 1)%n;
        double c = x[i]*z[j] - x[j]*z[i];
        A += c/2;
        cz += c*(z[i] + z[j])/6;
        xx += c*(x[i]*x[i] + x[i]*x[j] + x[j]*x[j])/12;
        zz += c*(z[i]*z[i] + z[i]*z[j] + z[j]*z[j])/12;
    }
    cz /= A;
    xx /= A;
    zz = zz/A - cz*cz;
    for (i = 0; i < 2*n; i++) s->v[i] = dc_vec(x[i/2], i & 1 ? half : -half, z[i/2] - cz);
    s->n = 2*n;
    hull_shape(w, s);
    finish(s, s->radius, zz + half*half/3, xx + zz, xx + half*half/3);
    *centre = cz;
    *area = A;
    return w->solids - 1;
}

static void add_plane(world *w, dc_v3 normal, double offset)
{
    solid *s = w->plane + w->planes++;

    s->kind = HALFSPACE;
    s->normal = normal;
    s->offset = offset;
    need(dc_shape_halfspace(3, normal, offset, &w->shapes, &s->shape), "half-space");
}

static dc_ncp_body *add_body(world *w, int shape, double mass, dc_v3 x, dc_v3 turn)
{
    int          k = w->scene.bodies++, i;
    dc_ncp_body *b = w->body + k;

    w->solid_of[k] = shape;
    b->pose.q = dc_quat_exp(turn);
    b->pose.t = x;
    b->mass = mass;
    for (i = 0; i < 3; i++) b->inertia.m[4*i] = mass*w->solid[shape].inertia[i];
    return b;
}

/* ---- geometry that knows nothing of growth ---------------------------------------------------------- */

/* The point of a solid that is furthest along d, body axes, without the pad. */
static dc_v3 furthest(const solid *s, dc_v3 d)
{
    double q = sqrt(d.y*d.y + d.z*d.z);
    int    i, best = 0;

    switch (s->kind) {
    case CYLINDER: return dc_vec(d.x > 0 ? s->m[0] : -s->m[0], q > 0 ? s->m[1]*d.y/q : 0, q > 0 ? s->m[1]*d.z/q : 0);
    case CONE:
        if (-0.75*s->m[0]*d.x > 0.25*s->m[0]*d.x + s->m[1]*q) return dc_vec(-0.75*s->m[0], 0, 0);
        return dc_vec(0.25*s->m[0], q > 0 ? s->m[1]*d.y/q : 0, q > 0 ? s->m[1]*d.z/q : 0);
    case ELLIPSOID: {
        dc_v3  e = dc_vec(s->m[0]*d.x, s->m[1]*d.y, s->m[2]*d.z);
        double l = length(e);
        return dc_vec(s->m[0]*e.x/l, s->m[1]*e.y/l, s->m[2]*e.z/l);
    }
    default:
        for (i = 1; i < s->n; i++) if (dc_dot(s->v[i], d) > dc_dot(s->v[best], d)) best = i;
        return s->v[best];
    }
}

/* the largest d.x of a posed solid, d unit */
static double reach(const solid *s, const dc_pose *p, dc_v3 d)
{
    dc_m3 R = dc_rotation(p->q);

    return dc_dot(d, p->t) + dc_dot(dc_mul_t(&R, d), furthest(s, dc_mul_t(&R, d))) + s->pad;
}

/* Room between a and b along n, from b to a: their distance for the best n, below it for every other. A half-space has
 * no reach but along its normal; how far its push is off that is found by `tilt`. */
static double room(const solid *a, const dc_pose *pa, const solid *b, const dc_pose *pb, dc_v3 n)
{
    if (b->kind == HALFSPACE) return -reach(a, pa, dc_neg(b->normal)) - b->offset;
    return -reach(a, pa, dc_neg(n)) - reach(b, pb, n);
}

/* Signed distance of two solids. */
static double distance(const solid *a, const dc_pose *pa, const solid *b, const dc_pose *pb)
{
    static unsigned char memory[1 << 16];
    static dc_v3         v[2][ROUND];
    const solid         *s[2];
    const dc_pose       *p[2];
    dc_hull              hull[2] = DC_ZERO;
    dc_distance          d = DC_ZERO;
    int                  i, k;

    if (b->kind == HALFSPACE) return room(a, pa, b, pb, b->normal);
    s[0] = a;
    s[1] = b;
    p[0] = pa;
    p[1] = pb;
    for (k = 0; k < 2; k++) {
        hull[k].v = v[k];
        hull[k].n = s[k]->n;
        memcpy(v[k], s[k]->v, (size_t)s[k]->n*sizeof *v[k]);
        for (i = 0; i < 6 && s[k]->kind != HULL; i++)
            v[k][hull[k].n++] = furthest(s[k], dc_vec(i/2 == 0 ? 1 - 2*(i & 1) : 0, i/2 == 1 ? 1 - 2*(i & 1) : 0,
                                                      i/2 == 2 ? 1 - 2*(i & 1) : 0));
    }
    for (i = 0; i < ROUND - 8; i++) {
        dc_arena mem = dc_arena_make(memory, sizeof memory);
        double   inner;
        dc_status status;
        dc_distance last = d;
        memset(&d, 0, sizeof d);
        status = dc_hull_distance(&hull[0], pa, &hull[1], pb, &mem, &d);
        if (status != DC_OK && i > 0) {             /* points too near each other: the bracket is as close as it gets */
            d = last;
            break;
        }
        need(status, "distance");
        if (a->kind == HULL && b->kind == HULL) break;
        inner = room(a, pa, b, pb, d.n) + a->pad + b->pad;
        if (d.gap - inner < 1e-7*fmin(a->size, b->size)) break;
        for (k = 0; k < 2; k++) {
            dc_m3 R = dc_rotation(p[k]->q);
            if (s[k]->kind != HULL) v[k][hull[k].n++] = furthest(s[k], dc_mul_t(&R, k ? d.n : dc_neg(d.n)));
        }
    }
    return d.gap - a->pad - b->pad;
}

/* ---- checks --------------------------------------------------------------------------------------- */

enum { MOMENTUM, ANGULAR, PULL, OUTSIDE, SLIP, AFAR, OVERLAP, NORMAL, POINT, ENERGY, KINDS };
static const char *const kind_name[KINDS] = {"momentum", "angular", "pull", "cone", "slip", "afar", "overlap",
                                             "normal", "point", "energy"};

/* bars, each in the contact's or body's own unit; the excess is in units of its bar */
#define BALANCE 1e-4            /* of the impulses that act on the body */
#define PUSH 1e-2               /* of the weight of the lighter body: pushes below it are not looked at */
#define IMPULSE 1e-4            /* of its weight: a pull, an excess over the cone */
#define NEAR 1e-4               /* of the size: distance of a push, overlap */
#define PLACE 1e-3              /* of the size: room along the normal, distance of the point from the surfaces */
#define WORK 1e-4               /* of weight times |g| h: friction's work missed */

static const dc_pose *pose_of(const dc_ncp_body *b, int k) { return k < 0 ? &origin : &b[k].pose; }

/* velocity of the material point of body k at p, which is that of the end */
static dc_v3 velocity(const dc_ncp_body *b, int k, dc_v3 p)
{
    if (k < 0 || !(b[k].mass > 0)) return dc_vec(0, 0, 0);
    return dc_add(b[k].v, dc_cross(b[k].w, dc_sub(p, b[k].pose.t)));
}

static dc_v3 angular_momentum(const dc_ncp_body *at, dc_v3 w)
{
    dc_m3 R = dc_rotation(at->pose.q);

    return dc_mul(&R, dc_mul(&at->inertia, dc_mul_t(&R, w)));
}

/* e over its bar into excess[kind] */
static void note(double *excess, int kind, double e)
{
    if (!(e <= excess[kind])) excess[kind] = e == e ? e : HUGE_VAL;
}

/* The step old -> now with the pushes in w->touch. */
static void check(const world *w, const dc_ncp_body *old, const dc_ncp_body *now, double *excess)
{
    static dc_v3  sum[BODIES], turn[BODIES];
    static double load[BODIES];
    const double  h = w->scene.h, g = length(w->scene.gravity), V = g*h;
    double        gain = 0, allowed = 0;
    int           i, k;

    for (k = 0; k < KINDS; k++) excess[k] = 0;
    for (i = 0; i < w->scene.bodies; i++) {
        sum[i] = turn[i] = dc_vec(0, 0, 0);
        load[i] = 0;
    }
    for (k = 0; k < w->scene.contacts; k++) {
        const dc_ncp_contact *c = w->contact + k;
        const dc_ncp_touch   *t = w->touch + k;
        const solid *const   *s = w->side[k];
        const dc_pose        *p[2], *before[2];
        double                mass = HUGE_VAL, size = HUGE_VAL, U, N, F, slip, gap, curved = 0, r0, r1;
        dc_v3                 f, u;

        for (i = 0; i < 2; i++) {
            int b = c->body[i];
            p[i] = pose_of(now, b);
            before[i] = pose_of(old, b);
            if (b < 0 || !(now[b].mass > 0)) continue;
            mass = fmin(mass, now[b].mass);
            size = fmin(size, s[i]->size);
            curved += dc_dot(now[b].w, now[b].w)*length(dc_sub(t->p, now[b].pose.t));
            sum[b] = dc_madd(sum[b], i ? -1 : 1, t->impulse);
            turn[b] = dc_madd(turn[b], i ? -1 : 1, dc_cross(dc_sub(t->p, now[b].pose.t), t->impulse));
            load[b] += length(t->impulse);
        }
        U = mass*V;
        N = dc_dot(t->n, t->impulse);
        f = dc_madd(t->impulse, -N, t->n);
        F = length(f);
        gap = distance(s[0], p[0], s[1], p[1]);

        /* a push lies in the cone */
        note(excess, PULL, -N/(IMPULSE*U));
        note(excess, OUTSIDE, (F - c->mu*N*(1 + IMPULSE))/(IMPULSE*U));

        /* no overlap, no push where there is a gap */
        note(excess, OVERLAP, -gap/(NEAR*size));
        if (!(length(t->impulse) > PUSH*U)) continue;
        note(excess, AFAR, gap/(NEAR*size));

        /* the push acts where the shapes touch, along a normal of both */
        r1 = room(s[0], p[0], s[1], p[1], t->n);
        if (s[1]->kind == HALFSPACE) note(excess, NORMAL, length(dc_sub(t->n, s[1]->normal))/PLACE);
        else note(excess, NORMAL, (gap - r1)/(PLACE*size));
        for (i = 0; i < 2; i++) {
            static const solid point = {HULL, 1, {{0, 0, 0}}, {0, 0, 0}, 0, 0, 1, {0, 0, 0}, {0, 0, 0}, 0,
                                        {0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0}};
            dc_pose at = origin;
            at.t = t->p;
            note(excess, POINT, fabs(distance(&point, &at, s[i], p[i]))/(PLACE*size));
        }

        /* sliding: friction as large as it may be, against the slip */
        u = dc_sub(velocity(now, c->body[0], t->p), velocity(now, c->body[1], t->p));
        u = dc_madd(u, -dc_dot(u, t->n), t->n);
        slip = length(u);
        note(excess, SLIP, (c->mu*N*slip + dc_dot(f, u))/(0.02*c->mu*N*slip + WORK*U*V));

        /* What the scheme gives: the work N n.u of a push at the velocity of the end, where h n.u is the change of the
         * room along n but for the curvature of the paths. A gap that is left belongs to `afar`, and an overlap before
         * to the step before. */
        r0 = room(s[0], before[0], s[1], before[1], t->n);
        allowed += fmax(N, 0)*((fmax(0, -r0) + fabs(r1))/h + h*curved + WORK*V);
    }
    for (i = 0; i < w->scene.bodies; i++) {
        const dc_ncp_body *a = old + i, *b = now + i;
        double             size = w->solid[w->solid_of[i]].radius, all, T0, T1;
        dc_v3              dv = dc_sub(b->v, a->v), e, L0, L1;
        dc_m3              J0 = dc_so3_jl_inv(dc_scale(h, a->w)), J1 = dc_so3_jl_inv(dc_scale(-h, b->w));

        if (!(a->mass > 0)) continue;

        /* m (v+ - v) = h m g + sum of pushes */
        e = dc_sub(dc_scale(a->mass, dc_madd(dv, -h, w->scene.gravity)), sum[i]);
        all = load[i] + a->mass*(V + length(dv));
        note(excess, MOMENTUM, length(e)/(BALANCE*all));

        /* the integrator of rotation, with moments about the centre at the end */
        L0 = angular_momentum(a, a->w);
        L1 = angular_momentum(a, b->w);
        e = dc_sub(dc_sub(dc_mul(&J1, L1), dc_mul(&J0, L0)), turn[i]);
        note(excess, ANGULAR, length(e)/(BALANCE*(all*size + length(dc_sub(L1, L0)))));

        /* the poses are those that the velocities lead to */
        note(excess, MOMENTUM,
             length(dc_sub(dc_madd(a->pose.t, h, b->v), b->pose.t))/(1e-9*(length(b->pose.t) + size)));
        {
            dc_quat q = dc_quat_mul(dc_quat_exp(dc_scale(h, b->w)), a->pose.q);
            note(excess, ANGULAR,
                 (1 - fabs(q.w*b->pose.q.w + q.x*b->pose.q.x + q.y*b->pose.q.y + q.z*b->pose.q.z))/1e-12);
        }

        /* energy; a torque-free body's is kept to the terms of its nutation */
        T0 = dc_dot(a->w, L0)/2;
        T1 = dc_dot(b->w, L1)/2;
        gain += a->mass*(dc_dot(b->v, b->v) - dc_dot(a->v, a->v))/2
            - a->mass*dc_dot(w->scene.gravity, dc_sub(b->pose.t, a->pose.t)) + T1 - T0;
        allowed += h/2*fabs(dc_dot(b->w, dc_cross(a->w, L0))) + h*h*(dc_dot(a->w, a->w) + dc_dot(b->w, b->w))*(T0 + T1);
        allowed += WORK*a->mass*V*(V + length(a->v) + length(b->v));
    }
    note(excess, ENERGY, gain/allowed);
}

/* ---- contacts, steps --------------------------------------------------------------------------------- */

static double    *keeps;                     /* a slot for every pair, with `warm` */
enum { KEEP = 200, SLOTS = BODIES*(BODIES + PLANES) };

static void touch(world *w, int a, int b, const solid *sa, const solid *sb, int slot)
{
    int             k = w->scene.contacts++;
    dc_ncp_contact *c = w->contact + k;

    memset(c, 0, sizeof *c);
    c->body[0] = a;
    c->body[1] = b;
    c->shape[0] = &sa->shape;
    c->shape[1] = &sb->shape;
    c->mu = w->mu;
    if (keeps) c->keep = keeps + (size_t)slot*KEEP;
    w->side[k][0] = sa;
    w->side[k][1] = sb;
}

/* Pairs whose bounding balls may meet within the step. */
static void find_contacts(world *w)
{
    double h = w->scene.h, fall = length(w->scene.gravity)*h*h*2;
    int    i, j;

    w->scene.contacts = 0;
    for (i = 0; i < w->scene.bodies; i++) {
        const dc_ncp_body *a = w->body + i;
        const solid       *s = w->solid + w->solid_of[i];
        double             way = fall + 2*h*length(a->v) + 0.05*s->size;
        if (!(a->mass > 0)) continue;
        for (j = 0; j < w->planes; j++) {
            const solid *p = w->plane + j;
            if (dc_dot(p->normal, a->pose.t) - p->offset < s->radius + way)
                touch(w, i, -1, s, p, i*(BODIES + PLANES) + BODIES + j);
        }
        for (j = 0; j < w->scene.bodies; j++) {
            const dc_ncp_body *b = w->body + j;
            const solid       *q = w->solid + w->solid_of[j];
            double             near;
            if (b->mass > 0 ? j <= i : j == i) continue;
            near = s->radius + q->radius + way + (b->mass > 0 ? 2*h*length(b->v) : 0);
            if (length(dc_sub(a->pose.t, b->pose.t)) < near) touch(w, i, j, s, q, i*(BODIES + PLANES) + j);
        }
    }
}

static unsigned char *memory;
static size_t         memory_size;

/* One step from w->body into w->next, with its pushes. */
static dc_status step(world *w, dc_ncp_info *info)
{
    size_t    size;
    dc_arena  mem;
    dc_ncp   *solved;
    dc_status status;
    int       k;

    find_contacts(w);
    for (k = 0; k < w->scene.contacts; k++)
        if (w->contact[k].keep && dc_ncp_keep_count(&w->opt, 3, w->contact + k) > KEEP) w->contact[k].keep = NULL;
    size = dc_ncp_bytes(&w->opt, &w->scene);
    if (size > memory_size) {
        free(memory);
        memory = (unsigned char *)malloc(size);
        memory_size = memory ? size : 0;
    }
    mem = dc_arena_make(memory, memory_size);
    memset(info, 0, sizeof *info);
    status = dc_ncp_step(&w->opt, &w->scene, &mem, w->next, &solved, info);
    if (status == DC_E_ARG || status == DC_E_MEMORY) need(status, "step");
    for (k = 0; status == DC_OK && k < w->scene.contacts; k++) need(dc_ncp_force(solved, k, &w->touch[k]), "force");
    return status;
}

/* A body that is nowhere, or far outside the scene. */
static int lost(const world *w)
{
    int i;

    for (i = 0; i < w->scene.bodies; i++) {
        const dc_ncp_body *b = w->body + i;
        double             far = length(b->pose.t) + length(b->v) + length(b->w);
        if (!(far < 1e4)) return 1;
    }
    return 0;
}

/* ---- families: instance k of a scene. Draws come from r alone, the grid's part from k ------------------ */

/* Draw number `site` for the body that is next. It depends on no other draw, so that compilers may take the arguments
 * of a call in any order. */
static rng at_site(const world *w, const rng *r, int site)
{
    rng t;

    rng_seed(&t, r->s + (uint64_t)(1000*site + w->scene.bodies));
    return t;
}

static double draw(const world *w, const rng *r, int site, double lo, double hi)
{
    rng t = at_site(w, r, site);

    return rng_uniform(&t, lo, hi);
}

static double draw_log(const world *w, const rng *r, int site, double lo, double hi)
{
    rng t = at_site(w, r, site);

    return rng_log(&t, lo, hi);
}

static int draw_int(const world *w, const rng *r, int site, int lo, int hi)
{
    rng t = at_site(w, r, site);

    return rng_int(&t, lo, hi);
}

static dc_v3 any_turn(const world *w, const rng *r, int site, double most)
{
    rng    t = at_site(w, r, site);
    double v[3], a = rng_uniform(&t, 0, most);

    rng_unit3(&t, v);
    return dc_vec(a*v[0], a*v[1], a*v[2]);
}

static dc_v3 upright(void) { return dc_vec(0, -PI/2, 0); }        /* the axis x of a round shape points up */

static void floor_and_mu(world *w, double mu)
{
    add_plane(w, dc_vec(0, 0, 1), 0);
    w->mu = mu;
}

/* one of nine shapes, of about this size; *low: how far it reaches down as it stands */
static int any_solid(world *w, int kind, double size, double *low)
{
    int s;

    switch (kind%9) {
    case 0:  s = ball_solid(w, size/2); break;
    case 1:  s = box_solid(w, size/2, size*0.4, size*0.35, 0); break;
    case 2:  s = octahedron_solid(w, size*0.55); break;
    case 3:  s = box_solid(w, size*0.35, size*0.25, size*0.2, size*0.12); break;
    case 4:  s = capsule_solid(w, size*0.3, size*0.35); break;
    case 5:  s = cylinder_solid(w, size*0.4, size*0.45); break;
    case 6:  s = cone_solid(w, size, 0.5); break;
    case 7:  s = ellipsoid_solid(w, size*0.6, size*0.45, size*0.35); break;
    default: s = box_solid(w, size/2, size/2, size/2, 0);
    }
    if (low) *low = reach(w->solid + s, &origin, dc_vec(0, 0, -1));
    return s;
}

static double ratio(int k, double most_exponent, int n) { return pow(10, most_exponent*k/(n - 1)); }

/* three boxes: 7 ratios of mass, 3 orders, 3 coefficients of friction */
static void make_heavy(world *w, int k, const rng *r)
{
    static const double mus[3] = {0.3, 0.5, 10};
    double q = ratio(k%7, 6, 7), z = 0, mass[3];
    int    i, order = k/7%3;

    floor_and_mu(w, mus[k/21%3]);
    for (i = 0; i < 3; i++) {
        double x = draw(w, r, 1, 0.3, 0.6), y = draw(w, r, 2, 0.3, 0.6), half = draw(w, r, 3, 0.1, 0.4);
        mass[i] = order == 0 ? (i == 2 ? q : 1) : order == 1 ? (i == 0 ? 1 : i == 1 ? sqrt(q) : q) : (i == 0 ? q : 1);
        z += half;
        add_body(w, box_solid(w, x, y, half, 0), mass[i],
                 dc_vec(draw(w, r, 4, -0.08, 0.08), draw(w, r, 5, -0.08, 0.08), z + 0.01*i),
                 dc_vec(0, 0, draw(w, r, 6, -0.5, 0.5)));
        z += half;
    }
}

static void make_tripod(world *w, int k, const rng *r)
{
    static const double mus[3] = {0.3, 0.5, 1};
    double R = draw(w, r, 7, 0.15, 0.3), half = draw(w, r, 8, 0.1, 0.4), turn = draw(w, r, 9, 0, 2);
    int    i, ball;

    floor_and_mu(w, mus[k/5%3]);
    ball = ball_solid(w, R);
    for (i = 0; i < 3; i++) {
        double a = turn + i*2*PI/3 + draw(w, r, 10, -0.3, 0.3);
        add_body(w, ball, 1, dc_vec(0.5*cos(a), 0.5*sin(a), R), any_turn(w, r, 11, 1));
    }
    add_body(w, box_solid(w, 0.8, 0.8, half, 0), pow(10, 2 + k%5),
             dc_vec(draw(w, r, 12, -0.05, 0.05), draw(w, r, 13, -0.05, 0.05), 2*R + half + 1e-3),
             dc_vec(0, 0, draw(w, r, 14, 0, 1)));
}

/* three mixed bodies on top of each other, one of them 1e4 times as heavy */
static void make_mixed(world *w, int k, const rng *r)
{
    static const double mus[3] = {0.3, 0.5, 1};
    double z = 0, low;
    int    i, heavy = k%3;

    floor_and_mu(w, mus[k/3%3]);
    for (i = 0; i < 3; i++) {
        int s = any_solid(w, draw_int(w, r, 15, 0, 8), draw(w, r, 16, 0.4, 0.9), &low);
        z += low;
        add_body(w, s, i == heavy ? 1e4 : 1, dc_vec(draw(w, r, 17, -0.05, 0.05), draw(w, r, 18, -0.05, 0.05), z
                                                    + 0.02*(i + 1)), dc_vec(0, 0, draw(w, r, 19, -1, 1)));
        z += reach(w->solid + s, &origin, dc_vec(0, 0, 1));
    }
}

static void make_turntable(world *w, int k, const rng *r)
{
    double half = draw(w, r, 20, 0.1, 0.4), low;
    int    i, n = 2 + k%4;

    floor_and_mu(w, 0.3 + 0.2*(k%3));
    add_body(w, cylinder_solid(w, 2, half), 1e6, dc_vec(0, 0, half), upright());
    w->body[0].w.z = draw(w, r, 21, 0.3, 3);
    for (i = 0; i < n; i++) {
        double a = 2*PI*i/n + draw(w, r, 22, -0.2, 0.2), d = draw(w, r, 23, 0.6, 1.5);
        int    s = any_solid(w, draw_int(w, r, 24, 0, 8), draw(w, r, 25, 0.2, 0.5), &low);
        add_body(w, s, draw_log(w, r, 26, 0.2, 5), dc_vec(d*cos(a), d*sin(a), 2*half + low + draw(w, r, 27, 0, 0.05)),
                 dc_vec(0, 0, a));
    }
}

/* bodies of 1e3 and 1e6 kg: one on the other, or one against the other */
static void make_two(world *w, int k, const rng *r)
{
    double low, z = 0;
    int    i, how = k%3;

    floor_and_mu(w, 0.2 + 0.3*(k%4));
    for (i = 0; i < 2; i++) {
        int          s = any_solid(w, draw_int(w, r, 28, 0, 8), draw(w, r, 29, 0.5, 1.2), &low);
        dc_ncp_body *b;
        z = how == 2 ? low : z + low;
        b = add_body(w, s, (how == 1) == i ? 1e6 : 1e3, dc_vec(how == 2 ? 1.5*i : draw(w, r, 30, -0.04, 0.04), 0, z
                                                               + 0.01), dc_vec(0, 0, draw(w, r, 31, -1, 1)));
        if (how == 2) b->v.x = i ? -1.5 : 1.5;
        z += reach(w->solid + s, &origin, dc_vec(0, 0, 1)) + 0.01;
    }
}

/* A half ring of n stones between radii R -+ t/2 that stands on the floor. */
static void make_arch(world *w, int k, const rng *r)
{
    static const double thick[4] = {0.12, 0.15, 0.18, 0.22};
    double R = draw_log(w, r, 32, 0.5, 40), t = thick[k%4]*R, half = draw(w, r, 33, 0.1, 0.3)*R, turn, c, s, x[4], z[4],
        centre, area;
    int    i, n = 11 + 2*(k%8), stone;

    floor_and_mu(w, draw(w, r, 34, 0.5, 0.8));
    turn = PI/n;
    c = cos(turn/2);
    s = sin(turn/2);
    x[0] = -(R - t/2)*s;  z[0] = (R - t/2)*c;
    x[1] = (R - t/2)*s;   z[1] = (R - t/2)*c;
    x[2] = (R + t/2)*s;   z[2] = (R + t/2)*c;
    x[3] = -(R + t/2)*s;  z[3] = (R + t/2)*c;
    stone = prism_solid(w, 4, x, z, half, &centre, &area);
    for (i = 0; i < n; i++) {
        double a = (i + 0.5)*turn;
        add_body(w, stone, 2000*area*2*half, dc_vec(centre*cos(a), 0, centre*sin(a)), dc_vec(0, PI/2 - a, 0));
    }
}

/* Pairs of cards that lean on each other, a card across, and a pair on it. */
static void make_cards(world *w, int k, const rng *r)
{
    double a = draw(w, r, 35, 0.25, 0.4), L = draw(w, r, 36, 0.8, 1), t = draw(w, r, 37, 0.015, 0.04), top = L*cos(a)
        + t*sin(a), mass = 0.05 + 0.2*(k%3);
    double apart = 2*(L*sin(a) + t*cos(a))*1.05;
    int    i, pair, card = box_solid(w, t/2, 0.3, L/2, 0), roof = box_solid(w, apart/2 + 0.15, 0.3, t/2, 0);

    floor_and_mu(w, draw(w, r, 38, 0.6, 1));
    for (pair = 0; pair < (k & 1 ? 3 : 2); pair++) {
        double x = pair == 2 ? 0 : (pair - 0.5)*apart, z = (pair == 2 ? top + t : 0) + (L*cos(a) + t*sin(a))/2;
        for (i = -1; i < 2; i += 2)
            add_body(w, card, mass, dc_vec(x + i*(L*sin(a) + t*cos(a))/2, 0, z + (pair == 2 ? 2e-4 : 0)),
                     dc_vec(0, -i*a, 0));
    }
    add_body(w, roof, mass, dc_vec(0, 0, top + t/2 + 1e-4), dc_vec(0, 0, 0));
}

/* n mixed bodies dropped between four walls */
static void drop(world *w, int n, double mu, double inner, const rng *r)
{
    double thick = 0.3, high = 2;
    int    i, per = n < 20 ? 2 : n < 50 ? 3 : 4, wall[2];

    floor_and_mu(w, mu);
    wall[0] = box_solid(w, thick, inner + 2*thick, high, 0);
    wall[1] = box_solid(w, inner + 2*thick, thick, high, 0);
    for (i = 0; i < n; i++) {
        double step_of = 2*inner/per, x = (i%per + 0.5)*step_of - inner, y = (i/per%per + 0.5)*step_of - inner, low,
            size = draw(w, r, 39, 0.2, 0.36);
        int    s = any_solid(w, draw_int(w, r, 40, 0, 8), size, &low);
        dc_ncp_body *b = add_body(w, s, draw_log(w, r, 41, 0.3, 3),
                                  dc_vec(x + draw(w, r, 42, -0.02, 0.02), y + draw(w, r, 43, -0.02, 0.02), 0.3
                                         + 0.45*(i/per/per)), any_turn(w, r, 44, 3));
        b->v.z = -1;
        b->w = any_turn(w, r, 45, 3);
    }
    for (i = 0; i < 4; i++) {
        double side = (i & 1 ? 1 : -1)*(inner + thick);
        add_body(w, wall[i/2], 0, i < 2 ? dc_vec(side, 0, high) : dc_vec(0, side, high), dc_vec(0, 0, 0));
    }
}
static void make_pile10(world *w, int k, const rng *r) { drop(w, 10, 0.2 + 0.2*(k%3), 0.45, r); }
static void make_pile30(world *w, int k, const rng *r) { drop(w, 30, 0.2 + 0.2*(k%3), 0.65, r); }
static void make_pile100(world *w, int k, const rng *r) { drop(w, 100, 0.2 + 0.2*(k%3), 0.9, r); }

/* bodies in V grooves; wedges in cracks between blocks */
static void make_wedge(world *w, int k, const rng *r)
{
    double mu = draw(w, r, 46, 0.1, 0.8), low;

    w->mu = mu;
    if (k & 1) {
        double a = draw(w, r, 47, 0.35, 1.2), turn = draw(w, r, 48, -0.5, 0.5);
        int    s = any_solid(w, draw_int(w, r, 49, 0, 8), draw(w, r, 50, 0.4, 0.8), &low);
        add_plane(w, dc_vec(sin(a), 0, cos(a)), 0);
        add_plane(w, dc_vec(-sin(a), 0, cos(a)), 0);
        add_body(w, s, draw_log(w, r, 51, 0.1, 10), dc_vec(0, 0, w->solid[s].radius/cos(a) + 0.05), k & 2
                 ? any_turn(w, r, 52, 3)
                 : dc_vec(0, 0, PI/2 + turn));
        w->body[0].v.z = -draw(w, r, 53, 0, 2);
    } else {
        double top = draw(w, r, 54, 0.2, 0.45), deep = draw(w, r, 55, 0.8, 1.5), x[3], z[3], centre, area;
        int    s, block = box_solid(w, 0.5, 1, 0.5, 0);
        x[0] = 0;     z[0] = -deep;
        x[1] = top;   z[1] = 0;
        x[2] = -top;  z[2] = 0;
        s = prism_solid(w, 3, x, z, 0.4, &centre, &area);
        floor_and_mu(w, mu);
        add_body(w, s, draw_log(w, r, 56, 0.1, 10), dc_vec(draw(w, r, 57, -0.02, 0.02), 0, 1 + 0.7*deep + 0.02),
                 dc_vec(0, draw(w, r, 58, -0.1, 0.1), 0));
        w->body[0].v.z = -draw(w, r, 59, 0, 2);
        add_body(w, block, k & 2 ? 0 : 30, dc_vec(-0.5 - 0.6*top, 0, 0.5), dc_vec(0, 0, 0));
        add_body(w, block, k & 2 ? 0 : 30, dc_vec(0.5 + 0.6*top, 0, 0.5), dc_vec(0, 0, 0));
    }
}

static void make_stack(world *w, int k, const rng *r)
{
    static const int counts[6] = {2, 3, 5, 8, 13, 20};
    double half = draw(w, r, 60, 0.15, 0.3), off = k/6%2 ? 0.05 : 0;
    int    i, n = counts[k%6], box = box_solid(w, half*1.2, half, half, 0);

    floor_and_mu(w, draw(w, r, 61, 0.3, 0.8));
    for (i = 0; i < n; i++)
        add_body(w, box, 1, dc_vec(half*off*draw(w, r, 62, -1, 1), half*off*draw(w, r, 63, -1, 1), half*(2*i + 1)
                                   + 1e-3*i), dc_vec(0, 0, off*draw(w, r, 64, -1, 1)));
}

/* tops on their apex, coins on their rim */
static void make_top(world *w, int k, const rng *r)
{
    dc_ncp_body *b;
    double       tilt = draw(w, r, 65, 0, 0.3);

    floor_and_mu(w, draw(w, r, 66, 0.1, 0.8));
    if (k & 1) {
        double R = draw(w, r, 67, 0.2, 0.5), half = draw(w, r, 68, 0.02, 0.08)*R;
        b = add_body(w, cylinder_solid(w, R, half), 0.1, dc_vec(0, 0, R*cos(tilt) + half*sin(tilt) + 1e-3),
                     dc_vec(0, tilt, 0));
        if (k & 2) b->w.z = draw(w, r, 69, 5, 20);                         /* spins */
        else {                                                              /* rolls */
            b->w.x = draw(w, r, 70, 2, 8);
            b->v.y = -b->w.x*R;
        }
    } else {
        double H = draw(w, r, 71, 0.3, 0.6);
        b = add_body(w, cone_solid(w, H, draw(w, r, 72, 0.5, 1)), 0.3, dc_vec(0, 0, 0.75*H + 2e-3),
                     dc_vec(0, -PI/2 + tilt, 0));
        {
            dc_m3 R = dc_rotation(b->pose.q);
            b->w = dc_scale(draw(w, r, 73, 20, 60), dc_vec(R.m[0], R.m[3], R.m[6]));
        }
    }
}

static void make_thrown(world *w, int k, const rng *r)
{
    static const double mus[5] = {0, 0.1, 0.5, 1, 10};
    dc_ncp_body *b;
    int          s;

    floor_and_mu(w, mus[k/9%5]);
    s = any_solid(w, k, draw(w, r, 74, 0.2, 1), NULL);
    b = add_body(w, s, draw_log(w, r, 75, 0.1, 10), dc_vec(0, 0, w->solid[s].radius + draw(w, r, 76, 0.05, 0.5)),
                 any_turn(w, r, 77, 3));
    b->v = dc_vec(draw(w, r, 78, -4, 4), draw(w, r, 79, -4, 4), draw(w, r, 80, -4, 1));
    b->w = any_turn(w, r, 81, 12);
}

/* a square peg above a hole 2 mm wider */
static void make_peg(world *w, int k, const rng *r)
{
    double wide = 0.25, thick = 0.25;
    int    i, wall[2];

    floor_and_mu(w, 0.05 + 0.1*(k%3));
    wall[0] = box_solid(w, thick, wide + 2*thick, 0.5, 0);
    wall[1] = box_solid(w, wide, thick, 0.5, 0);
    add_body(w, box_solid(w, 0.249, 0.249, 0.5, 0), 1, dc_vec(draw(w, r, 82, -6e-4, 6e-4), draw(w, r, 83, -6e-4, 6e-4),
                                                              1.2 + draw(w, r, 84, 0, 0.2)),
             dc_vec(draw(w, r, 85, -6e-4, 6e-4), draw(w, r, 86, -6e-4, 6e-4),
                    draw(w, r, 87, -6e-4, 6e-4)));
    w->body[0].v.z = -draw(w, r, 88, 0, 1);
    for (i = 0; i < 4; i++) {
        double side = (i & 1 ? 1 : -1)*(wide + thick);
        add_body(w, wall[i/2], 0, i < 2 ? dc_vec(side, 0, 0.5) : dc_vec(0, side, 0.5), dc_vec(0, 0, 0));
    }
}

static void make_cylinders(world *w, int k, const rng *r)
{
    double R = draw(w, r, 89, 0.15, 0.4);
    int    s = cylinder_solid(w, R, draw(w, r, 90, 0.3, 0.6));

    floor_and_mu(w, 0.3 + 0.1*(k%4));                    /* stands above tan 15 degrees */
    add_body(w, s, 1, dc_vec(0, -R, R), dc_vec(0, 0, 0));
    add_body(w, s, 1, dc_vec(0, R, R), dc_vec(0, 0, 0));
    add_body(w, s, 1 + 4*(k/4%2), dc_vec(0, 0, R*(1 + sqrt(3.0)) + 1e-4), dc_vec(0, 0, 0));
}

/* below and above the friction angle, any direction */
static void make_slope(world *w, int k, const rng *r)
{
    static const double part[5] = {0.3, 0.8, 0.98, 1.05, 1.6};
    double mu = draw(w, r, 91, 0.2, 0.9), a = atan(mu*part[k%5]), way = draw(w, r, 92, 0, 2*PI), low;
    int    s;

    add_plane(w, dc_vec(0, 0, 1), 0);
    w->mu = mu;
    w->scene.gravity = dc_vec(G*sin(a)*cos(way), G*sin(a)*sin(way), -G*cos(a));
    s = k/5%2 ? box_solid(w, draw(w, r, 93, 0.3, 0.6), draw(w, r, 94, 0.3, 0.6), draw(w, r, 95, 0.05, 0.2), 0)
        : cylinder_solid(w, draw(w, r, 96, 0.3, 0.6), draw(w, r, 97, 0.05, 0.2));
    low = k/5%2 ? w->solid[s].v[7].z : w->solid[s].m[0];
    add_body(w, s, draw_log(w, r, 98, 0.01, 100), dc_vec(0, 0, low + 1e-4), k/5%2 ? dc_vec(0, 0, draw(w, r, 99, 0, 3))
             : upright());
}

static void make_cubes(world *w, int k, const rng *r)
{
    double half = draw(w, r, 100, 0.15, 0.3);
    int    i, s = box_solid(w, half, half, half, 0);

    floor_and_mu(w, 0.2 + 0.2*(k%3));
    for (i = 0; i < 5; i++) {
        dc_ncp_body *b = add_body(w, s, 1, dc_vec(half*draw(w, r, 101, -0.7, 0.7), half*draw(w, r, 102, -0.7, 0.7),
                                                  half*(1.8 + 3.6*i)), any_turn(w, r, 103, 3));
        b->w = any_turn(w, r, 104, 3);
    }
}

/* Bars: shares of steps. `before`: mean iterations of the version whose 1.2 times is not to be exceeded, of the short
 * form and of `full`. */
typedef struct {
    const char *name;
    void      (*make)(world *, int, const rng *);
    int         count, stride, steps, hs;       /* instances of `full`, every stride-th in the short form; 0: none */
    double      h[6];
    double      unsolved, before[2];
} family;

static const family families[] = {
    {"heavy",     make_heavy,      252,  5,  40, 4, {0.1, 0.01, 1e-3, 1e-4},   0.01,  {21.31, 20.14}},
    {"tripod",    make_tripod,      45,  4,  40, 3, {0.05, 0.01, 1e-3},        0.01,  {31.99, 28.13}},
    {"mixed",     make_mixed,       36,  2,  40, 2, {0.05, 0.01},              0.005, {42.79, 39.95}},
    {"mixedfine", make_mixed,       36,  2,  80, 2, {1e-3, 1e-4},              0,     {7.90, 8.01}},
    {"turntable", make_turntable,   24,  3,  60, 2, {0.01, 2e-3},              0,     {59.68, 60.26}},
    {"two",       make_two,         36,  2,  40, 3, {0.05, 0.01, 1e-3},        0,     {31.95, 32.34}},
    {"arch",      make_arch,        24,  5,  40, 2, {0.02, 5e-3},              0,     {40.83, 43.74}},
    {"cards",     make_cards,       18,  4,  80, 2, {0.01, 2e-3},              0.005, {28.61, 42.97}},
    {"pile10",    make_pile10,       9,  2,  80, 2, {0.01, 5e-3},              0.002, {30.85, 30.55}},
    {"pile30",    make_pile30,       6,  3,  80, 1, {0.01},                    0.002, {62.10, 88.28}},
    {"pile100",   make_pile100,      2,  0,  80, 1, {0.01},                    0.01,  {0, 142.43}},
    {"wedge",     make_wedge,       48,  3,  60, 2, {0.01, 2e-3},              0.002, {9.99, 9.15}},
    {"stack",     make_stack,       24,  3,  40, 2, {0.02, 5e-3},              0,     {8.22, 8.58}},
    {"top",       make_top,         32,  3,  80, 2, {0.01, 1e-3},              0,     {10.35, 8.44}},
    {"thrown",    make_thrown,      90,  4,  80, 2, {0.02, 5e-3},              0,     {6.41, 6.59}},
    {"peg",       make_peg,         12,  4,  80, 1, {0.01},                    0,     {13.55, 13.71}},
    {"cylinders", make_cylinders,   16,  3,  60, 2, {0.01, 2e-3},              0,     {18.10, 11.43}},
    {"slope",     make_slope,       40,  3,  50, 2, {0.02, 2e-3},              0,     {7.96, 8.14}},
    {"cubes",     make_cubes,       12,  3,  80, 2, {0.01, 5e-3},              0,     {12.82, 14.16}},
};
enum { FAMILIES = (int)(sizeof families/sizeof *families) };

/* ---- runs ---------------------------------------------------------------------------------------------- */

typedef struct { long steps, unsolved, wrong, kind[KINDS], iterations, most; double worst[KINDS]; } tally;

static struct {
    int    full, warm, detail, spoil, seeds, hs, chosen[FAMILIES], any;
    long   seed[16];
    double h[16], rho;
} option;

static world w;

static void build(const family *f, int k, long seed, double h)
{
    rng r;

    memset(&w, 0, sizeof w);
    w.shapes = dc_arena_make(w.shape_memory, sizeof w.shape_memory);
    w.scene.dim = 3;
    w.scene.h = h;
    w.scene.gravity = dc_vec(0, 0, -G);
    w.scene.body = w.body;
    w.scene.contact = w.contact;
    w.opt.rho = option.rho;
    rng_seed(&r, (uint64_t)(seed*1000003 + (f - families)*1009 + k));
    f->make(&w, k, &r);
    if (keeps) memset(keeps, 0, SLOTS*KEEP*sizeof *keeps);
}

static void run(const family *f, int k, long seed, double h, tally *t)
{
    int i, j;

    build(f, k, seed, h);
    for (i = 0; i < f->steps; i++) {
        dc_ncp_info info;
        double      excess[KINDS];
        dc_status   status = step(&w, &info);
        int         wrong = 0;
        t->steps++;
        t->iterations += info.iterations;
        if (info.iterations > t->most) t->most = info.iterations;
        if (status != DC_OK) {
            t->unsolved++;
            if (option.detail) printf("  %s %d seed %ld h %g step %d: %s\n", f->name, k, seed, h, i,
                                      dc_status_text(status));
        } else {
            check(&w, w.body, w.next, excess);
            for (j = 0; j < KINDS; j++) {
                if (!(excess[j] <= 1)) {
                    wrong = 1;
                    t->kind[j]++;
                    if (option.detail) printf("  %s %d seed %ld h %g step %d: %s, %.3g of its bar\n", f->name, k, seed,
                                              h, i, kind_name[j], excess[j]);
                }
                t->worst[j] = fmax(t->worst[j], excess[j]);
            }
            t->wrong += wrong;
        }
        memcpy(w.body, w.next, sizeof w.body);
        if (lost(&w)) {
            t->unsolved += f->steps - 1 - i;
            t->steps += f->steps - 1 - i;
            if (option.detail) printf("  %s %d seed %ld h %g step %d: a body is lost\n", f->name, k, seed, h, i);
            break;
        }
    }
}

static int passed, failed, skipped;

static void verdict(int good, const char *name, const char *what, double is, double bar)
{
    if (good) passed++;
    else failed++;
    if (!good) printf("FAIL %s: %s %.4g, bar %.4g\n", name, what, is, bar);
}

static void run_family(const family *f)
{
    tally  t = DC_ZERO;
    int    k, s, stride = option.full ? 1 : f->stride;
    double mean, before = f->before[option.full];

    if (stride == 0 && option.any) stride = 1;
    if (stride == 0) {
        printf("SKIP %s: with `full` only\n", f->name);
        skipped++;
        return;
    }
    for (s = 0; s < option.seeds; s++)
        for (k = 0; k < f->count; k += stride) {
            /* time steps in turn, but not in step with the kinds of instances */
            int n = option.hs ? option.hs : 1, i = k/stride, at = (i + i/f->hs)%f->hs;
            for (i = 0; i < n; i++) run(f, k, option.seed[s], option.hs ? option.h[i] : f->h[at], &t);
        }
    mean = (double)t.iterations/fmax((double)t.steps, 1);
    printf("%-10s %6ld %6ld %6.2f %%  %6ld  %7.2f %5ld ", f->name, t.steps, t.unsolved,
           100*(double)t.unsolved/(double)t.steps, t.wrong, mean, t.most);
    for (k = 0; k < KINDS; k++) if (t.kind[k]) printf(" %s %ld (%.2g)", kind_name[k], t.kind[k], t.worst[k]);
    printf("\n");
    verdict((double)t.unsolved <= f->unsolved*(double)t.steps, f->name, "unsolved share",
            (double)t.unsolved/(double)t.steps, f->unsolved);
    verdict(t.wrong == 0, f->name, "solved but wrong", (double)t.wrong, 0);
    if (before > 0 && !option.hs && !(option.rho > 0) && !option.warm && option.seeds == 1 && option.seed[0] == 1)
        verdict(mean <= 1.2*before, f->name, "mean iterations", mean, 1.2*before);
    fflush(stdout);
}

/* ---- the trial of the checks ------------------------------------------------------------------------------ */

/* One solved step, in which a box lands on its corner while it slides, spoiled in each way. */
static void trial(void)
{
    static const char *const what[] = {
        "nothing", "a push 1 % larger", "a push 1 % to the side", "a contact point moved 1 %", "a pull",
        "friction beyond the cone", "friction across the slip", "friction gone", "the bodies apart",
        "the bodies overlap", "a normal tilted", "a contact point in the air", "a velocity turned", "a spin faster",
        "energy from nowhere"
    };
    static const int seen[] = {
        -1, MOMENTUM, MOMENTUM, ANGULAR, PULL, OUTSIDE, SLIP, SLIP, AFAR, OVERLAP, NORMAL, POINT, MOMENTUM, ANGULAR,
        ENERGY
    };
    static world     copy;
    dc_ncp_info      info;
    double           excess[KINDS];
    int              i, k;
    dc_v3            t, s, n;

    build(families, 0, 1, 0.01);
    w.scene.bodies = 2;
    w.opt.rho = 1e-9;
    w.body[0].pose.t = dc_vec(0, 0, 0.8);
    w.body[0].pose.q = dc_quat_exp(dc_vec(0.5, 0.4, 0.3));
    w.body[0].v = dc_vec(2, 1, -3);
    w.body[0].w = dc_vec(0.3, 0.2, -0.1);
    w.body[1].pose.t = dc_vec(5, 0, 5);
    w.solid[w.solid_of[0]] = w.solid[box_solid(&w, 0.3, 0.3, 0.3, 0)];
    w.body[0].inertia.m[0] = w.body[0].inertia.m[4] = w.body[0].inertia.m[8] = 0.06;
    for (k = 0; k < 100; k++) {
        if (step(&w, &info) != DC_OK) break;
        if (w.scene.contacts > 0 && w.touch[0].impulse.z > 0.3) break;
        memcpy(w.body, w.next, sizeof w.body);
    }
    memcpy(&copy, &w, sizeof w);
    for (k = 0; k < (int)(sizeof what/sizeof *what); k++) {
        dc_ncp_touch *c = w.touch;
        dc_ncp_body  *b = w.next;
        memcpy(w.touch, copy.touch, sizeof w.touch);
        memcpy(w.next, copy.next, sizeof w.next);
        n = c->n;
        s = velocity(w.next, 0, c->p);
        s = dc_madd(s, -dc_dot(s, n), n);
        s = dc_scale(1/length(s), s);
        t = dc_cross(n, s);
        switch (k) {
        case 1: c->impulse = dc_scale(1.01, c->impulse); break;
        case 2: c->impulse = dc_madd(c->impulse, 0.01*length(c->impulse), t); break;
        case 3: c->p = dc_madd(c->p, 0.01, s); break;
        case 4: c->impulse = dc_neg(c->impulse); break;
        case 5: c->impulse = dc_madd(c->impulse, -0.01*length(c->impulse), s); break;
        case 6: c->impulse = dc_add(dc_scale(dc_dot(n, c->impulse), n), dc_scale(0.3*dc_dot(n, c->impulse), t)); break;
        case 7: c->impulse = dc_scale(dc_dot(n, c->impulse), n); break;
        case 8: b->pose.t.z += 1e-3; break;
        case 9: b->pose.t.z -= 1e-3; break;
        case 10: c->n = dc_scale(1/sqrt(1.0001), dc_madd(c->n, 0.01, t)); break;
        case 11: c->p.z += 0.01; break;
        case 12: b->v = dc_madd(b->v, 0.01*length(b->v), t); break;
        case 13: b->w = dc_scale(1.01, b->w); break;
        case 14: b->v = dc_scale(10, b->v); break;
        default: break;
        }
        check(&w, w.body, w.next, excess);
        printf("%-26s", what[k]);
        for (i = 0; i < KINDS; i++) if (!(excess[i] <= 1)) printf(" %s %.3g", kind_name[i], excess[i]);
        printf("\n");
        for (i = 0; seen[k] < 0 && i < KINDS; i++) verdict(excess[i] <= 1, what[k], kind_name[i], excess[i], 1);
        if (seen[k] >= 0) verdict(!(excess[seen[k]] <= 1), what[k], "is not seen", excess[seen[k]], 1);
    }
}

/* ---- the program -------------------------------------------------------------------------------------------- */

static int list_of(const char *text, double *to, int most)
{
    int n = 0;

    while (n < most && *text) {
        char *end;
        to[n++] = strtod(text, &end);
        if (end == text) return 0;
        text = *end == ',' ? end + 1 : end;
    }
    return n;
}

int main(int argc, char **argv)
{
    int i, k;

    option.seeds = 1;
    option.seed[0] = 1;
    for (i = 1; i < argc; i++) {
        const char *a = argv[i];
        double      x[16];
        int         found = 0;
        if (!strcmp(a, "full")) option.full = found = 1;
        else if (!strcmp(a, "warm")) option.warm = found = 1;
        else if (!strcmp(a, "detail")) option.detail = found = 1;
        else if (!strcmp(a, "spoil")) option.spoil = found = 1;
        else if (!strncmp(a, "seed=", 5)) {
            found = option.seeds = list_of(a + 5, x, 16);
            for (k = 0; k < found; k++) option.seed[k] = (long)x[k];
        } else if (!strncmp(a, "h=", 2)) found = option.hs = list_of(a + 2, option.h, 16);
        else if (!strncmp(a, "rho=", 4)) found = list_of(a + 4, &option.rho, 1);
        else for (k = 0; k < FAMILIES; k++) if (!strcmp(a, families[k].name)) option.chosen[k] = option.any = found = 1;
        if (!found) {
            fprintf(stderr, "ncp_robust: %s is no option and no family\n", a);
            return 2;
        }
    }
    if (option.warm) {
        keeps = (double *)calloc(SLOTS*KEEP, sizeof *keeps);
        if (!keeps) return 2;
    }
    trial();
    if (!option.spoil) {
        printf("%-10s %6s %6s %8s  %6s  %7s %5s  %s\n", "family", "steps", "not OK", "share", "wrong", "mean it",
               "most", "wrong by kind (worst, in units of its bar)");
        for (k = 0; k < FAMILIES; k++) if (!option.any || option.chosen[k]) run_family(families + k);
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    free(keeps);
    free(memory);
    return failed > 0;
}
