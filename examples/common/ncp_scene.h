/* ncp_scene.h - what the examples of dc_ncp.h share: a scene with its memory, its steps, what they cost, and its drawing
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     static ncp_world w;
 *     ncp_begin(&w, 2, 0.01, 1e-4);                            dimension, time step, rho
 *     ncp_need(dc_shape_box(2, half, &w.shapes, &box), "box");
 *     ncp_add(&w, 1, dc_vec(0, 0, DC_R(0.2)), 0, 1, 0);        mass, inertia about the axes, position
 *     ncp_touch(&w, 0, -1, &box, &ground, 0.5);                bodies, shapes, friction
 *     ncp_show(&w, v, 0, ncp_polygon(v, &box), NULL);
 *     ncp_overlays(&w, v, 9.81, 0.3);                          an arrow for so many newtons is so many metres long
 *     for (i = 0; i < 100; i++) { ncp_step(&w); ncp_draw(&w, v); view_frame(v, w.time); }
 *
 * Include it after dc_ncp.h, view.h and cli.h. */
#ifndef NCP_SCENE_H_INCLUDED
#define NCP_SCENE_H_INCLUDED

enum { NCP_BODIES = 32, NCP_CONTACTS = 320, NCP_KEEP = 200, NCP_SHOWN = 96 };

static const dc_pose ncp_origin = {{1, 0, 0, 0}, {0, 0, 0}};

typedef struct {
    dc_ncp_scene   scene;
    dc_ncp_options opt;
    dc_ncp_body    body[NCP_BODIES];
    dc_ncp_contact contact[NCP_CONTACTS];
    dc_real        keep[NCP_CONTACTS][NCP_KEEP];
    dc_arena       shapes, mem;
    dc_ncp        *solved;                      /* the last step */
    dc_ncp_info    info;
    double         time;
    int            steps, failed, most;         /* most: Newton steps of a step */
    long           iterations;                  /* Newton steps of all steps */
    int            shown, shown_body[NCP_SHOWN], shown_as[NCP_SHOWN], points, forces;
    double         newtons, metres;             /* of the arrows */
    unsigned char  shape_memory[1 << 15], memory[1 << 23];
} ncp_world;

static inline void ncp_need(dc_status status, const char *what)
{
    if (status != DC_OK) exit(cli_error("%s: %s", what, dc_status_text(status)));
}

/* An empty world with gravity along -y, in 3D along -z. In float rho is 1e-4 at least. */
static inline void ncp_begin(ncp_world *w, int dim, double h, double rho)
{
    memset(w, 0, sizeof *w);
    w->shapes = dc_arena_make(w->shape_memory, sizeof w->shape_memory);
    w->mem = dc_arena_make(w->memory, sizeof w->memory);
    w->scene.dim = dim;
    w->scene.h = DC_R(h);
    w->scene.gravity = dim == 2 ? dc_vec(0, DC_R(-9.81), 0) : dc_vec(0, 0, DC_R(-9.81));
    w->scene.body = w->body;
    w->scene.contact = w->contact;
    w->opt.rho = DC_R(DC_IS_FLOAT ? fmax(rho, 1e-4) : rho);
}

/* A body at rest at (x, y, z), not turned. In 2D inertia.z counts alone. */
static inline dc_ncp_body *ncp_add(ncp_world *w, double mass, dc_v3 inertia, double x, double y, double z)
{
    dc_ncp_body *b = w->body + w->scene.bodies++;

    b->pose.q.w = 1;
    b->pose.t = dc_vec(DC_R(x), DC_R(y), DC_R(z));
    b->mass = DC_R(mass);
    b->inertia.m[0] = inertia.x;
    b->inertia.m[4] = inertia.y;
    b->inertia.m[8] = inertia.z;
    return b;
}

/* A pair of shapes that may touch, started warm; -1: the world. */
static inline dc_ncp_contact *ncp_touch(ncp_world *w, int a, int b, const dc_shape *shape_a, const dc_shape *shape_b, double mu)
{
    int             k = w->scene.contacts++;
    dc_ncp_contact *c = w->contact + k;

    c->body[0] = a;
    c->body[1] = b;
    c->shape[0] = shape_a;
    c->shape[1] = shape_b;
    c->mu = DC_R(mu);
    c->keep = dc_ncp_keep_count(&w->opt, w->scene.dim, c) <= NCP_KEEP ? w->keep[k] : NULL;
    return c;
}

/* One step. One that does not converge is counted, and its best iterate taken; any other failure ends the program. */
static inline void ncp_step(ncp_world *w)
{
    dc_status status;

    w->mem.used = 0;
    status = dc_ncp_step(&w->opt, &w->scene, &w->mem, w->body, &w->solved, &w->info);
    if (status == DC_E_DIVERGED || status == DC_E_SINGULAR) w->failed++;
    else ncp_need(status, "step");
    w->steps++;
    w->time += (double)w->scene.h;
    w->iterations += w->info.iterations;
    if (w->info.iterations > w->most) w->most = w->info.iterations;
}

/* Kinetic and potential energy of body i, J. */
static inline double ncp_energy_of(const ncp_world *w, int i)
{
    const dc_ncp_body *b = w->body + i;
    dc_m3              R = dc_rotation(b->pose.q);
    dc_v3              u = dc_mul_t(&R, b->w);
    dc_real            kinetic = DC_R(0.5)*(b->mass*dc_dot(b->v, b->v) + dc_dot(u, dc_mul(&b->inertia, u)));

    return (double)(kinetic - b->mass*dc_dot(w->scene.gravity, b->pose.t));
}

static inline double ncp_energy(const ncp_world *w)
{
    double sum = 0;
    int    i;

    for (i = 0; i < w->scene.bodies; i++) sum += ncp_energy_of(w, i);
    return sum;
}

/* The smallest gap of the pairs, m, negative where they overlap; from their growth distances and not from the step:
 * (alpha - 1)/|d alpha/d x|, which is exact where a face lies on a face. */
static inline double ncp_gap(ncp_world *w)
{
    dc_growth_options o = DC_ZERO;
    double gap = HUGE_VAL;
    size_t used = w->mem.used;
    int    k;

    o.rho = DC_R(DC_IS_FLOAT ? 0 : 1e-11);
    for (k = 0; k < w->scene.contacts; k++) {
        const dc_ncp_contact *c = w->contact + k;
        const dc_pose        *a = c->body[0] < 0 ? &ncp_origin : &w->body[c->body[0]].pose;
        const dc_pose        *b = c->body[1] < 0 ? &ncp_origin : &w->body[c->body[1]].pose;
        dc_growth_result      r;
        ncp_need(dc_growth(&o, c->shape[0], a, c->shape[1], b, &w->mem, &r, NULL, NULL, NULL, NULL), "gap");
        gap = fmin(gap, (double)((r.alpha - 1)*r.length));
        w->mem.used = used;
    }
    return gap;
}

/* ---- the page -------------------------------------------------------------------------------------- */

/* A polygon of the page from a shape in 2D that has linear rows only: its corners in order, where two rows hold with
 * equality and the others hold. */
static inline int ncp_polygon(view *v, const dc_shape *s)
{
    dc_real xy[2*64], angle[64], cx = 0, cy = 0;
    int     i, j, k, n = 0;

    for (i = 0; i < s->rows; i++) {
        for (j = 0; j < i && n < 64; j++) {
            const dc_real *a = s->A + 2*i, *b = s->A + 2*j;
            dc_real        r = s->b[i] + s->d[i], q = s->b[j] + s->d[j], det = a[0]*b[1] - a[1]*b[0], x, y;
            if (dc_abs(det) < DC_R(1e-4)) continue;             /* parallel */
            x = (r*b[1] - q*a[1])/det;
            y = (a[0]*q - b[0]*r)/det;
            for (k = 0; k < s->rows; k++) {
                if (k != i && k != j && s->A[2*k]*x + s->A[2*k + 1]*y > s->b[k] + s->d[k]) break;
            }
            if (k < s->rows) continue;
            xy[2*n] = x;
            xy[2*n + 1] = y;
            n++;
            cx += x;
            cy += y;
        }
    }
    for (i = 0; i < n; i++) {                                   /* around the middle, by insertion */
        dc_real x = xy[2*i], y = xy[2*i + 1], turn = dc_atan2(DC_R(n)*y - cy, DC_R(n)*x - cx);
        for (j = i; j > 0 && angle[j - 1] > turn; j--) {
            angle[j] = angle[j - 1];
            xy[2*j] = xy[2*j - 2];
            xy[2*j + 1] = xy[2*j - 1];
        }
        angle[j] = turn;
        xy[2*j] = x;
        xy[2*j + 1] = y;
    }
    return view_polygon(v, xy, n);
}

enum { NCP_AROUND = 36, NCP_ALONG = 26 };

/* The surface that (x, r) sweeps around the x axis, n <= NCP_ALONG points, the first and the last one on it, as a shape of the page;
 * stretched, then its eighths pushed apart. */
static inline int ncp_swept(view *v, int n, const double *x, const double *r, dc_v3 stretch, dc_v3 push)
{
    dc_v3 p[NCP_AROUND*NCP_ALONG];
    int   f[6*NCP_AROUND*NCP_ALONG], i, j, m = 0;

    for (i = 0; i < n; i++) {
        for (j = 0; j < NCP_AROUND; j++) {
            double turn = (j + 0.5)*8*atan(1.0)/NCP_AROUND, y = r[i]*cos(turn), z = r[i]*sin(turn);
            int    a = i*NCP_AROUND + j, b = i*NCP_AROUND + (j + 1)%NCP_AROUND, c = (i + 1)*NCP_AROUND, d = c;
            p[a].x = stretch.x*DC_R(x[i]) + (x[i] < 0 ? -push.x : push.x);
            p[a].y = stretch.y*DC_R(y) + (y < 0 ? -push.y : push.y)*DC_R(r[i] > 0);
            p[a].z = stretch.z*DC_R(z) + (z < 0 ? -push.z : push.z)*DC_R(r[i] > 0);
            if (i + 1 == n) continue;
            if (r[i + 1] > 0) { c = b + NCP_AROUND; d = a + NCP_AROUND; }       /* else the end, one point */
            if (!(r[i] > 0)) a = b = i*NCP_AROUND;
            if (a != b) { f[m++] = a; f[m++] = b; f[m++] = c; }
            if (c != d) { f[m++] = a; f[m++] = c; f[m++] = d; }
        }
    }
    return view_mesh(v, p, NCP_AROUND*n, f, m/3);
}

/* An ellipsoid with these semi-axes whose eighths are pushed apart: capsules, padded boxes. */
static inline int ncp_round(view *v, dc_v3 semi, dc_v3 push)
{
    double x[NCP_ALONG], r[NCP_ALONG];
    int    i;

    for (i = 0; i < NCP_ALONG; i++) {                       /* a half circle */
        double turn = i == 0 ? 0 : i == NCP_ALONG - 1 ? 1 : (i - 0.5)/(NCP_ALONG - 2);
        x[i] = cos(4*atan(1.0)*turn);
        r[i] = i == 0 || i == NCP_ALONG - 1 ? 0 : sin(4*atan(1.0)*turn);
    }
    return ncp_swept(v, NCP_ALONG, x, r, semi, push);
}

/* Draws body i as a shape of the page; a body may have several. Returns the number that view_body gave. */
static inline int ncp_show(ncp_world *w, view *v, int body, int shape, const char *colour)
{
    w->shown_body[w->shown] = body;
    return w->shown_as[w->shown++] = view_body(v, shape, colour);
}

/* Marks for contact points and for the forces on the first body of each pair: a force of `newtons` is an arrow of `metres`,
 * no arrow is longer than three times that, and below 1/50 of it a pair is not marked. */
static inline void ncp_overlays(ncp_world *w, view *v, double newtons, double metres)
{
    w->forces = view_overlay(v, VIEW_ARROWS, "forces", "#e8833a", 0);
    w->points = view_overlay(v, VIEW_POINTS, "contact points", "#d62728", 0);
    w->newtons = newtons;
    w->metres = metres;
}

/* Bodies, contact points and forces after a step, or before the first one. The frame stays open for values. */
static inline void ncp_draw(const ncp_world *w, view *v)
{
    int k;

    for (k = 0; k < w->shown; k++) view_pose(v, w->shown_as[k], w->body[w->shown_body[k]].pose);
    for (k = 0; w->steps > 0 && k < w->scene.contacts; k++) {
        dc_ncp_touch touch;
        double       size;
        ncp_need(dc_ncp_force(w->solved, k, &touch), "force");
        size = sqrt((double)dc_dot(touch.impulse, touch.impulse))/((double)w->scene.h*w->newtons);
        if (size < 0.02) continue;
        view_point(v, w->points, touch.p);
        view_arrow(v, w->forces, touch.p, dc_scale(DC_R(w->metres*fmin(1, 3/size)/w->newtons)/w->scene.h, touch.impulse));
    }
}

/* Steps and what they cost, after a run's name. */
static inline void ncp_report(const ncp_world *w, const char *run)
{
    printf("%s_steps %d steps\n%s_failed_steps %d steps\n", run, w->steps, run, w->failed);
    printf("%s_newton_steps_mean %.2f 1\n%s_newton_steps_most %d 1\n", run, (double)w->iterations/fmax(w->steps, 1), run, w->most);
}

#endif /* NCP_SCENE_H_INCLUDED */
