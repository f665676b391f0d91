/* ncp.h - golden cases of dc_ncp.h */

enum { NCP_SHAPES = 10, NCP_BODIES = 3, NCP_CONTACTS = 5, NCP_DATA = 256 };

static int ncp_shapes(golden *g, int dim, dc_arena *mem, dc_shape *s)
{
    static const dc_real A[12] = {1, 0, 0, -1, DC_R(0.2), 0, 0, 1, DC_R(0.1), DC_R(-0.5), -1, DC_R(-0.3)};
    static const dc_real b[6] = {DC_R(0.4), DC_R(0.5), DC_R(0.4), DC_R(0.6), DC_R(0.4), DC_R(0.5)};
    dc_v3    x[12];
    dc_pose  p;
    rng      r;
    int      k, ok = 1;
    rng_seed(&r, 40);
    for (k = 0; k < 12; ++k) x[k] = golden_vec(&r, -0.5, 0.5);
    for (k = 0; k < 4; ++k)
        x[k] = dc_vec(k & 1 ? DC_R(0.6) : DC_R(-0.6), k & 2 ? DC_R(0.6) : DC_R(-0.6),
                      k == 0 || k == 3 ? DC_R(0.6) : DC_R(-0.6));
    p = golden_pose(&r, 0.2);
    ok &= golden_ok(g, dc_shape_halfspace(dim, dim == 2 ? dc_vec(DC_R(0.1), 1, 0) : dc_vec(DC_R(0.1), 0, 1), 0, mem, s));
    ok &= golden_ok(g, dc_shape_sphere(dim, DC_R(0.2), mem, s + 1));
    ok &= golden_ok(g, dc_shape_box(dim, dc_vec(DC_R(0.3), DC_R(0.2), DC_R(0.25)), mem, s + 2));
    ok &= golden_ok(g, dc_shape_sum(s + 2, s + 1, mem, s + 3));
    ok &= golden_ok(g, dc_shape_capsule(dim, DC_R(0.15), DC_R(0.5), mem, s + 4));
    ok &= golden_ok(g, dc_shape_hull(dim, 12, x, mem, s + 5));
    ok &= golden_ok(g, dc_shape_ellipsoid(dim, dc_vec(DC_R(0.2), DC_R(0.35), DC_R(0.3)), mem, s + 6));
    ok &= golden_ok(g, dc_shape_place(s + 2, p, mem, s + 7));
    ok &= golden_ok(g, dim == 3 ? dc_shape_cylinder(3, DC_R(0.2), DC_R(0.6), mem, s + 8) : dc_shape_polytope(2, 6, A, b, mem, s + 8));
    ok &= golden_ok(g, dim == 3 ? dc_shape_cone(3, 1, DC_R(0.4), mem, s + 9) : dc_shape_sphere(2, DC_R(0.3), mem, s + 9));
    return ok;
}

/* zeroed room for derivatives by the numbers of a shape */
static dc_shape_grad ncp_room(const dc_shape *s, dc_real *data)
{
    dc_shape_grad d;
    memset(data, 0, NCP_DATA*sizeof *data);
    d.A = data;
    d.b = d.A + s->rows*s->dim;
    d.d = d.b + s->rows;
    d.N = d.d + s->rows;
    d.size = 0;
    return d;
}

/* all pairs of shapes, apart and overlapping: Jacobian by the poses, adjoint by the shapes */
static void ncp_growth(golden *g)
{
    static dc_real data[2][NCP_DATA];
    int dim, i, j, k;
    rng r;
    rng_seed(&r, 41);
    for (dim = 2; dim <= 3; ++dim) {
        dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
        dc_shape s[NCP_SHAPES];
        if (!ncp_shapes(g, dim, &mem, s)) return;
        for (i = 0; i < NCP_SHAPES; ++i) {
            golden_values(g, s[i].A, s[i].rows*s[i].dim);
            golden_values(g, s[i].b, s[i].rows);
            golden_values(g, s[i].d, s[i].rows);
            for (j = i > 0 ? i : 1; j < NCP_SHAPES; ++j) {
                dc_growth_options o = DC_ZERO;
                dc_growth_result out;
                dc_shape_grad ga = ncp_room(s + i, data[0]), gb = ncp_room(s + j, data[1]);
                dc_pose pa, pb;
                dc_real jac[84], bar[7];
                o.rho = DC_R(1e-3);
                pa = golden_pose(&r, 0.4);
                pb = golden_pose(&r, 0.4);
                pa.t.x += (dc_real)(j%2);
                if (dim == 2) {
                    pa.q = dc_quat_exp(dc_vec(0, 0, golden_draw(&r, -2, 2)));
                    pb.q = dc_quat_exp(dc_vec(0, 0, golden_draw(&r, -2, 2)));
                    pa.t.z = pb.t.z = 0;
                }
                golden_draws(&r, -1, 1, bar, 7);
                if (!golden_ok(g, dc_growth(&o, s + i, &pa, s + j, &pb, &mem, &out, jac, bar, &ga, &gb))) continue;
                golden_number(g, out.alpha);
                golden_number(g, out.length);
                golden_values(g, &out.p.x, dim);
                golden_values(g, &out.n_a.x, dim);
                golden_values(g, &out.n_b.x, dim);
                golden_count(g, out.iterations);
                golden_derivatives(g, jac, 84);
                for (k = 0; k < 2; ++k) golden_derivatives(g, data[k], NCP_DATA);
                golden_derivatives(g, &ga.size, 1);
                golden_derivatives(g, &gb.size, 1);
            }
        }
    }
}

typedef struct {
    dc_ncp_body    body[NCP_BODIES];
    dc_ncp_contact contact[NCP_CONTACTS];
    dc_shape       shape[NCP_SHAPES];
    dc_ncp_scene   scene;
} ncp_world;

/* three bodies of different shapes over a slope; in 2D the first pushes the others */
static int ncp_make(golden *g, int dim, dc_arena *mem, ncp_world *w)
{
    static const int pair[NCP_CONTACTS][4] = {{0, -1, 2, 0}, {1, -1, 1, 0}, {2, -1, 4, 0}, {0, 1, 2, 1}, {0, 2, 2, 4}};
    rng r;
    int k;
    rng_seed(&r, 42);
    memset(w, 0, sizeof *w);
    if (!ncp_shapes(g, dim, mem, w->shape)) return 0;
    for (k = 0; k < NCP_BODIES; ++k) {
        dc_ncp_body *b = w->body + k;
        dc_v3 turn = golden_vec(&r, -0.5, 0.5);
        b->pose.q = dc_quat_exp(dim == 2 ? dc_vec(0, 0, turn.z) : turn);
        b->pose.t = dc_vec(DC_R(0.7)*(dc_real)(k - 1), dim == 2 ? DC_R(0.6) : 0, dim == 2 ? 0 : DC_R(0.6));
        b->v = golden_vec(&r, -1, 1);
        b->w = golden_vec(&r, -2, 2);
        if (dim == 2) b->v.z = b->w.x = b->w.y = 0;
        b->mass = 1 - DC_R(0.2)*(dc_real)k;
        b->inertia.m[0] = b->inertia.m[8] = DC_R(0.04);
        b->inertia.m[4] = DC_R(0.06);
        b->inertia.m[1] = b->inertia.m[3] = DC_R(0.01);
    }
    for (k = 0; k < NCP_CONTACTS; ++k) {
        dc_ncp_contact *c = w->contact + k;
        c->body[0] = pair[k][0];
        c->body[1] = pair[k][1];
        c->shape[0] = w->shape + pair[k][2];
        c->shape[1] = w->shape + pair[k][3];
        c->mu = DC_R(0.3) + DC_R(0.1)*(dc_real)k;
        if (dim == 3 && k%2 == 0) c->mu_spin = DC_R(0.03);
        if (k == 1) c->restitution = DC_R(0.4);
    }
    w->scene.dim = dim;
    w->scene.h = DC_R(0.02);
    w->scene.gravity = dim == 2 ? dc_vec(0, DC_R(-9.81), 0) : dc_vec(0, 0, DC_R(-9.81));
    w->scene.bodies = NCP_BODIES;
    w->scene.contacts = NCP_CONTACTS;
    w->scene.body = w->body;
    w->scene.contact = w->contact;
    return 1;
}

static void ncp_state(golden *g, int n, const dc_ncp_body *b)
{
    int k;
    for (k = 0; k < n; ++k) {
        golden_quat(g, b[k].pose.q);
        golden_vector(g, b[k].pose.t);
        golden_vector(g, b[k].v);
        golden_vector(g, b[k].w);
    }
}

/* steps cold and warm, with cones and with facets, in 2D with another natural unit too; forces; the same relaxed; all Jacobians */
static void ncp_step(golden *g)
{
    enum { COLUMNS = NCP_BODIES*DC_NCP_BODY_PARAMS + DC_NCP_SCENE_PARAMS + NCP_CONTACTS*DC_NCP_CONTACT_PARAMS };
    static dc_real J[12*NCP_BODIES*COLUMNS], keep[NCP_CONTACTS][256];
    static ncp_world w;
    int which, t, k, side;
    for (which = 0; which < 4; ++which) {
        dc_arena shapes = dc_arena_make(golden_memory, sizeof golden_memory);
        dc_ncp_options o = DC_ZERO;
        int dim = which < 2 ? 2 : 3;
        if (!ncp_make(g, dim, &shapes, &w)) return;
        o.rho = DC_R(1e-3);
        o.pyramid = which == 3;
        if (which == 1) o.acceleration = 100;
        for (k = 0; k < NCP_CONTACTS; ++k) {
            memset(keep[k], 0, sizeof keep[k]);
            if (dc_ncp_keep_count(&o, dim, w.contact + k) <= 256) w.contact[k].keep = keep[k];
        }
        for (t = 0; t < 25; ++t) {
            dc_arena mem = dc_arena_make(golden_scratch, sizeof golden_scratch);
            dc_ncp *solution;
            dc_ncp_info info = DC_ZERO;
            dc_ncp_body next[NCP_BODIES];
            if (!golden_ok(g, dc_ncp_step(&o, &w.scene, &mem, next, &solution, &info))) break;
            ncp_state(g, NCP_BODIES, next);
            golden_count(g, info.iterations);
            if (t%8 == 7) {
                for (k = 0; k < NCP_CONTACTS; ++k) {
                    dc_ncp_touch touch;
                    if (golden_ok(g, dc_ncp_force(solution, k, &touch))) {
                        golden_vector(g, touch.impulse);
                        golden_number(g, touch.gap);
                    }
                }
                for (k = 0; k < 2; ++k) {
                    if (k == 1 && !golden_ok(g, dc_ncp_relax(solution, DC_R(1e-2), NULL))) continue;
                    if (golden_ok(g, dc_ncp_grad(solution, J, COLUMNS))) golden_derivatives(g, J, 12*NCP_BODIES*COLUMNS);
                    for (side = 0; side < 2; ++side) {
                        const dc_shape *s = w.contact[3].shape[side];
                        int n = s->rows*(s->dim + 2 + s->aux) + 1;
                        if (golden_ok(g, dc_ncp_grad_shape(solution, 3, side, J, n))) golden_derivatives(g, J, 12*NCP_BODIES*n);
                    }
                }
            }
            memcpy(w.body, next, sizeof next);
        }
    }
}

/* 250 steps of two of the bodies and their adjoint, from states kept, by all the data of the scene. The loss is felt at every 50th
 * state. */
static void ncp_adjoint(golden *g)
{
    enum { STEPS = 250, BODIES = 2, CONTACTS = 3 };
    static dc_ncp_body kept[STEPS + 1][BODIES];
    static ncp_world w;
    dc_arena shapes = dc_arena_make(golden_memory, sizeof golden_memory);
    dc_real bar[12*BODIES], body[BODIES*DC_NCP_BODY_PARAMS], scene[DC_NCP_SCENE_PARAMS];
    dc_real contact[CONTACTS*DC_NCP_CONTACT_PARAMS];
    dc_real data[2*CONTACTS][NCP_DATA];
    dc_shape_grad shape[2*CONTACTS];
    dc_ncp_options o = DC_ZERO;
    int t, k, i;
    if (!ncp_make(g, 2, &shapes, &w)) return;
    o.rho = DC_IS_FLOAT ? DC_R(1e-2) : DC_R(1e-3);         /* where float converges at every step */
    w.contact[2] = w.contact[3];
    w.scene.bodies = BODIES;
    w.scene.contacts = CONTACTS;
    memcpy(kept[0], w.body, sizeof kept[0]);
    for (t = 0; t < STEPS; ++t) {
        dc_arena mem = dc_arena_make(golden_scratch, sizeof golden_scratch);
        w.scene.body = kept[t];
        /* to and fro, so that nothing slides away */
        for (k = 0; k < BODIES; ++k) kept[t][k].force = dc_vec(t%100 < 40 ? 2 : -1, 0, 0);
        if (!golden_ok(g, dc_ncp_step(&o, &w.scene, &mem, kept[t + 1], NULL, NULL))) return;
        if (t%50 == 49) ncp_state(g, BODIES, kept[t + 1]);
    }
    memset(bar, 0, sizeof bar);
    memset(scene, 0, sizeof scene);
    memset(contact, 0, sizeof contact);
    for (k = 0; k < 2*CONTACTS; ++k) shape[k] = ncp_room(w.contact[k/2].shape[k%2], data[k]);
    for (t = STEPS; t-- > 0;) {
        dc_arena mem = dc_arena_make(golden_scratch, sizeof golden_scratch);
        dc_ncp_adjoint out = DC_ZERO;
        dc_ncp_body next[BODIES];
        dc_ncp *solution;
        if (t%50 == 49)
            for (k = 0; k < BODIES; ++k) {
                bar[12*k] += DC_R(0.3);
                bar[12*k + 5] += DC_R(0.2);
                bar[12*k + 7] -= DC_R(0.1);
            }
        memset(body, 0, sizeof body);
        out.body = body;
        out.scene = scene;
        out.contact = contact;
        out.shape = shape;
        w.scene.body = kept[t];
        if (!golden_ok(g, dc_ncp_step(&o, &w.scene, &mem, next, &solution, NULL))
            || !golden_ok(g, dc_ncp_vjp(solution, bar, &out))) return;
        for (k = 0; k < BODIES; ++k)
            for (i = 0; i < 12; ++i) bar[12*k + i] = body[k*DC_NCP_BODY_PARAMS + i];
        if (t%50 == 0) golden_derivatives(g, body, BODIES*DC_NCP_BODY_PARAMS);
    }
    golden_derivatives(g, scene, DC_NCP_SCENE_PARAMS);
    golden_derivatives(g, contact, CONTACTS*DC_NCP_CONTACT_PARAMS);
    for (k = 0; k < 2*CONTACTS; ++k) {
        golden_derivatives(g, data[k], NCP_DATA);
        golden_derivatives(g, &shape[k].size, 1);
    }
    for (k = 0; k < 12*BODIES; ++k) g->bad += !(dc_finite(bar[k]) && dc_abs(bar[k]) < DC_LIMIT);
}
