/* contact.h - golden cases of dc_contact.h */

/* ---- mathematics ---- */

static void contact_elementary(golden *g)
{
    rng r;
    int k;
    rng_seed(&r, 1);
    for (k = 0; k < 2000; ++k) {
        dc_real size = dc_exp(golden_draw(&r, -12, 12)), x = size*golden_draw(&r, -1, 1), y = golden_draw(&r, -4, 4), out[10];
        out[0] = dc_exp(x);
        out[1] = dc_log(dc_abs(x));
        out[2] = dc_log1p(dc_abs(x));
        out[3] = dc_pow(dc_abs(x), y);
        out[4] = dc_atan2(x, y);
        out[5] = dc_sqrt(dc_abs(x));
        dc_sincos(x, out + 6, out + 7);
        out[8] = dc_softplus(x);
        out[9] = dc_tanh(x);
        golden_values(g, out, 10);
        out[0] = dc_sigmoid(x);
        golden_derivatives(g, out, 1);
    }
}

static void contact_rotations(golden *g)
{
    rng r;
    int k;
    rng_seed(&r, 2);
    for (k = 0; k < 300; ++k) {
        dc_real size = dc_exp(golden_draw(&r, -10, 0.9)), xi[6];
        dc_v3   w = dc_scale(size, golden_vec(&r, -2, 2)), a = golden_vec(&r, -1, 1);
        dc_quat q = dc_quat_exp(w), p = dc_quat_mul(q, dc_quat_exp(a));
        dc_m3   R = dc_m3_exp(w), J;
        dc_pose A, B;

        golden_quat(g, q);
        golden_quat(g, p);
        golden_values(g, R.m, 9);
        w = dc_quat_log(p);
        golden_vector(g, w);
        w = dc_m3_log(&R);
        golden_vector(g, w);
        p = dc_quat_from_m3(&R);
        golden_quat(g, p);
        a = dc_quat_rotate(dc_quat_conj(q), a);
        golden_vector(g, a);

        A.q = q;
        A.t = a;
        B = dc_pose_mul(A, dc_pose_inv(golden_pose(&r, 2)));
        golden_quat(g, B.q);
        golden_vector(g, B.t);
        dc_pose_local(A, B, xi);
        golden_values(g, xi, 6);
        B = dc_pose_retract(A, xi);
        golden_quat(g, B.q);

        J = dc_so3_jl(w);
        golden_derivatives(g, J.m, 9);
        J = dc_so3_jl_inv(w);
        golden_derivatives(g, J.m, 9);
        J = dc_so3_jl_grad(w, a);
        golden_derivatives(g, J.m, 9);
    }
}

static void contact_smooth(golden *g)
{
    rng r;
    int k, i;
    rng_seed(&r, 3);
    for (k = 0; k < 300; ++k) {
        dc_real x = golden_draw(&r, -3, 3), eps = dc_exp(golden_draw(&r, -5, 1)), d[10], in[6], w[6], H[36];
        golden_number(g, dc_soft_sign(x, eps, d, d + 1));
        golden_number(g, dc_soft_relu(x, eps, d + 2, d + 3));
        golden_number(g, dc_soft_clip(x, -1, 2, eps, d + 4, d + 5));
        golden_number(g, dc_soft_greater(x, DC_R(0.5), eps, d + 6, d + 7));
        golden_number(g, dc_soft_within(x, -1, 1, eps, d + 8, d + 9));
        golden_derivatives(g, d, 10);
        golden_number(g, dc_blend(DC_R(0.4)*x, d, d + 1));
        golden_derivatives(g, d, 2);
        for (i = 0; i < 6; ++i) in[i] = golden_draw(&r, -1, 1);
        golden_number(g, dc_lse(6, in, k & 1 ? eps : -eps, w, H));
        golden_derivatives(g, w, 6);
        golden_derivatives(g, H, 36);
    }
}

/* ---- dense algebra ---- */

enum { CONTACT_ROWS = 70 };

/* a symmetric matrix with positive eigenvalues, or not */
static void contact_matrix(rng *r, int n, int positive, dc_real *A)
{
    int i, j;
    for (i = 0; i < n; ++i)
        for (j = i; j < n; ++j) A[i*n + j] = A[j*n + i] = golden_draw(r, -1, 1);
    for (i = 0; i < n && positive; ++i) A[i*n + i] += (dc_real)n;
}

static void contact_dense(golden *g)
{
    static const int sizes[6] = {1, 3, 6, 12, 33, CONTACT_ROWS};
    enum { ALL = CONTACT_ROWS*CONTACT_ROWS };
    static dc_real A[ALL], F[ALL], V[ALL], b[3*CONTACT_ROWS], x[3*CONTACT_ROWS];
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    dc_m3 M, inverse;
    int pivot[CONTACT_ROWS], inertia[3], k, n;
    rng r;
    rng_seed(&r, 4);
    for (k = 0; k < 6; ++k) {
        n = sizes[k];
        golden_draws(&r, -1, 1, b, 3*n);

        contact_matrix(&r, n, 1, F);
        memcpy(x, b, sizeof x);
        if (golden_ok(g, dc_chol_factor(n, F, n, NULL)) && golden_ok(g, dc_chol_solve(n, F, n, 3, x, 3))) golden_values(g, x, 3*n);

        contact_matrix(&r, n, 0, A);
        memcpy(F, A, sizeof F);
        memcpy(x, b, sizeof x);
        if (golden_ok(g, dc_ldlt_factor(n, F, n, pivot, NULL)) && golden_ok(g, dc_ldlt_solve(n, F, n, pivot, 3, x, 3))
            && golden_ok(g, dc_ldlt_inertia(n, F, n, pivot, inertia))) {
            golden_values(g, x, 3*n);
            golden_count(g, inertia[1]);
        }

        memcpy(F, A, sizeof F);
        memcpy(x, b, sizeof x);
        if (golden_ok(g, dc_lu_factor(n, F, n, pivot, NULL)) && golden_ok(g, dc_lu_solve(n, F, n, pivot, 3, x, 3))
            && golden_ok(g, dc_lu_solve_t(n, F, n, pivot, 3, x, 3))) golden_values(g, x, 3*n);

        if (golden_ok(g, dc_eigsym(n, A, n, x, V, n, &mem))) {
            golden_values(g, x, n);
            golden_values(g, V, n*n);
        }
        if (golden_ok(g, dc_psd_clamp(n, A, n, DC_R(0.1), &mem))) golden_values(g, A, n*n);
    }
    for (k = 0; k < 100; ++k) {
        golden_draws(&r, -1, 1, M.m, 9);
        if (golden_ok(g, dc_m3_inv(&M, &inverse))) golden_values(g, inverse.m, 9);
    }
}

/* ---- pairs ---- */

/* Two hulls of random points, of 1 to 12, in their own frames, with poses that leave them apart or, with a low lift, not. */
typedef struct { dc_v3 v[24]; dc_hull a, b; dc_pose pa, pb; } contact_pair;

static void contact_hulls(rng *r, int triangles, double lift, contact_pair *p)
{
    int k;
    p->a.n = triangles ? 3 : rng_int(r, 1, 12);
    p->b.n = triangles ? 3 : rng_int(r, 1, 12);
    p->a.v = p->v;
    p->a.radius = 0;
    p->b.v = p->v + p->a.n;
    p->b.radius = 0;
    for (k = 0; k < p->a.n + p->b.n; ++k) p->v[k] = golden_vec(r, -0.5, 0.5);
    p->pa = golden_pose(r, 0.3);
    p->pb = golden_pose(r, 0.3);
    p->pa.t.z += (dc_real)lift;
}

/* the vertices in the world */
static void contact_posed(const contact_pair *p, const dc_pose *pa, const dc_pose *pb, dc_v3 *v, dc_hull *a, dc_hull *b)
{
    int k;
    for (k = 0; k < p->a.n + p->b.n; ++k) v[k] = dc_pose_apply(k < p->a.n ? *pa : *pb, p->v[k]);
    a->v = v;
    a->radius = 0;
    a->n = p->a.n;
    b->v = v + a->n;
    b->radius = 0;
    b->n = p->b.n;
}

/* hulls apart and overlapping, cold, then warm at a pose nearby */
static void contact_distance(golden *g)
{
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    rng r;
    int k, warm;
    rng_seed(&r, 5);
    for (k = 0; k < 150; ++k) {
        contact_pair p;
        dc_distance d = DC_ZERO;
        contact_hulls(&r, k%3 == 0, k%2 ? 1.5 : 0.3, &p);
        for (warm = 0; warm < 2; ++warm) {
            golden_ok(g, dc_hull_distance(&p.a, &p.pa, &p.b, &p.pb, &mem, &d));
            golden_number(g, d.gap);
            golden_vector(g, d.pa);
            golden_vector(g, d.pb);
            golden_values(g, d.wa, 3);
            golden_count(g, d.iterations);
            golden_derivatives(g, &d.n.x, 3);           /* the gradient by a translation */
            p.pa.t.x += DC_R(0.01);
        }
    }
}

static dc_pair_options contact_options(int k)
{
    dc_pair_options o = DC_ZERO;
    o.barrier = k & 1 ? DC_LOCAL : DC_GLOBAL;
    o.s = DC_R(0.4);
    o.length = k & 2 ? DC_R(1.3) : 0;
    return o;
}

/* by vertices, by twists and by affine maps; cold, then from the plane */
static void contact_potential(golden *g)
{
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    static dc_real grad[72], hess[72*72];
    rng r;
    int k, warm;
    rng_seed(&r, 6);
    for (k = 0; k < 120; ++k) {
        contact_pair p;
        dc_v3 v[24];
        dc_hull a = DC_ZERO, b = DC_ZERO;
        dc_pair_options o = contact_options(k);
        dc_plane plane = DC_ZERO;
        dc_affine A, B;
        dc_real P;
        contact_hulls(&r, k%5 == 0, 2.2, &p);
        A = dc_pose_to_affine(p.pa);
        B = dc_pose_to_affine(p.pb);
        A.m[1] += DC_R(0.05);
        for (warm = 0; warm < 2; ++warm) {
            int n = 3*(p.a.n + p.b.n);
            contact_posed(&p, &p.pa, &p.pb, v, &a, &b);
            if (!golden_ok(g, dc_pair(&o, &a, &b, &mem, &plane, &P, grad, hess, NULL))) continue;
            golden_number(g, P);
            golden_vector(g, plane.n);
            golden_number(g, plane.d);
            golden_derivatives(g, grad, n);
            golden_derivatives(g, hess, n*n);
            if (!golden_ok(g, dc_pair_rigid(&o, &p.a, &p.pa, &p.b, &p.pb, &mem, &plane, &P, grad, hess, NULL))) continue;
            golden_number(g, P);
            golden_derivatives(g, grad, 12);
            golden_derivatives(g, hess, 144);
            if (!golden_ok(g, dc_pair_affine(&o, &p.a, &A, &p.b, &B, &mem, NULL, &P, grad, hess, NULL))) continue;
            golden_number(g, P);
            golden_derivatives(g, grad, 24);
            golden_derivatives(g, hess, 576);
            p.pa.t.x += DC_R(0.01);
        }
    }
}

static void contact_centred(golden *g)
{
    rng r;
    int k;
    rng_seed(&r, 7);
    for (k = 0; k < 100; ++k) {
        dc_pair_options o = contact_options(k & 2);
        dc_v3 a = golden_vec(&r, -1, 1), b = golden_vec(&r, 2, 3);
        dc_real P, grad[12], hess[144];
        dc_relative rel;
        if (!golden_ok(g, dc_centred(&o, 1 + k%7, 3, a, b, &P, grad, hess))) continue;
        golden_number(g, P);
        golden_derivatives(g, grad, 6);
        golden_derivatives(g, hess, 36);
        memcpy(rel.g, grad, sizeof rel.g);
        memcpy(rel.H, hess, sizeof rel.H);
        rel.o = a;
        dc_relative_shift(&rel, b);
        dc_relative_expand(&rel, a, b, grad, hess);
        golden_derivatives(g, grad, 12);
        golden_derivatives(g, hess, 144);
    }
}

static void contact_batch(golden *g)
{
    enum { COUNT = 3*DC_LANES + 5 };
    static dc_real x[18*COUNT], plane[4*COUNT], value[COUNT], grad[18*COUNT], relative[27*COUNT];
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    rng r;
    int round, k, i;
    rng_seed(&r, 8);
    for (round = 0; round < 6; ++round) {
        dc_pair_options o = contact_options(round);
        dc_tri_out out = DC_ZERO;
        for (k = 0; k < COUNT; ++k)
            for (i = 0; i < 18; ++i) x[i*COUNT + k] = golden_draw(&r, -0.5, 0.5) + (i < 9 && i%3 == 2 ? DC_R(1.2) : 0);
        memset(plane, 0, sizeof plane);
        out.plane = plane;
        out.value = value;
        out.grad = grad;
        out.relative = relative;
        out.origin = dc_vec(DC_R(0.1), 0, DC_R(0.5));
        if (!golden_ok(g, dc_tri_batch(&o, COUNT, x, COUNT, &mem, &out))) continue;
        golden_values(g, plane, 4*COUNT);
        golden_values(g, value, COUNT);
        golden_derivatives(g, grad, 18*COUNT);
        golden_derivatives(g, relative, 27*COUNT);
    }
}

/* by vertices, by twists, and as a load that is moved */
static void contact_friction(golden *g)
{
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    static dc_real grad[72], hess[72*72], mixed[72*72];
    rng r;
    int k;
    rng_seed(&r, 9);
    for (k = 0; k < 60; ++k) {
        contact_pair p;
        dc_v3 v[24], w[24];
        dc_hull a = DC_ZERO, b = DC_ZERO, a1 = DC_ZERO, b1 = DC_ZERO;
        dc_pose pa, pb;
        dc_pair_options o = contact_options(k);
        dc_friction_options f = DC_ZERO;
        dc_friction_load load;
        dc_real U, mu = DC_R(0.5), h = DC_R(0.01), xi[6];
        size_t used = mem.used;
        int n;
        f.eps_v = DC_R(1e-3);
        f.no_patch = k%3 == 2;
        contact_hulls(&r, k%5 == 0, 2.2, &p);
        n = 3*(p.a.n + p.b.n);
        golden_draws(&r, -0.003, 0.003, xi, 6);
        pa = dc_pose_retract(p.pa, xi);
        golden_draws(&r, -0.003, 0.003, xi, 6);
        pb = dc_pose_retract(p.pb, xi);
        contact_posed(&p, &p.pa, &p.pb, v, &a, &b);
        contact_posed(&p, &pa, &pb, w, &a1, &b1);
        if (golden_ok(g, dc_friction(&f, &o, mu, h, &a, &a1, &b, &b1, &mem, NULL, &U, grad, hess, mixed, NULL))) {
            golden_number(g, U);
            golden_derivatives(g, grad, n);
            golden_derivatives(g, hess, n*n);
            golden_derivatives(g, mixed, n*n);
        }
        if (golden_ok(g, dc_friction_rigid(&f, &o, mu, h, &p.a, &p.pa, &pa, &p.b, &p.pb, &pb, &mem, NULL, &U, grad, hess,
                                           mixed, NULL))) {
            golden_number(g, U);
            golden_derivatives(g, grad, 12);
            golden_derivatives(g, hess, 144);
            golden_derivatives(g, mixed, 144);
        }
        if (golden_ok(g, dc_friction_open(&f, &o, mu, h, &p.a, &p.pa, &p.b, &p.pb, &mem, NULL, &load))
            && golden_ok(g, dc_friction_move(&load, &p.a, &pa, &p.b, &pb, &mem, &U, grad, hess))) {
            golden_number(g, U);
            golden_derivatives(g, grad, 12);
            golden_derivatives(g, hess, 144);
        }
        mem.used = used;
    }
}

static void contact_broad(golden *g)
{
    enum { N = 60, MOST = 600 };
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    dc_v3 centre[N];
    dc_real radius[N];
    dc_broad_options o = DC_ZERO;
    int pair[2*MOST], n = 0, k;
    rng r;
    rng_seed(&r, 43);
    o.margin = DC_R(0.1);
    for (k = 0; k < N; ++k) {
        centre[k] = golden_vec(&r, -2, 2);
        radius[k] = golden_draw(&r, 0.1, 0.5);
    }
    if (!golden_ok(g, dc_broad_spheres(&o, N, centre, radius, &mem, MOST, pair, &n))) return;
    for (k = 0; k < 2*n; ++k) golden_count(g, pair[k]);
}
