/* witness.h - golden cases of dc_witness.h */

/* one pair at a time and many at once, with the default smoothing and with other options */
static void witness_points(golden *g)
{
    enum { COUNT = 40 };
    static dc_real x[12*COUNT], y[10*COUNT], jac[120*COUNT];
    rng r;
    int round, k;
    rng_seed(&r, 31);
    for (round = 0; round < 4; ++round) {
        dc_witness_options o = DC_ZERO;
        if (round > 1) o.length = DC_R(1.5);
        if (round > 1) o.w_reg = DC_R(1e-3);
        o.listing = round == 3;
        for (k = 0; k < COUNT; ++k) {
            dc_v3 v[4];
            dc_ee e;
            dc_vf f;
            int i;
            for (i = 0; i < 4; ++i) v[i] = golden_vec(&r, -1, 1);
            if (k%8 == 7) v[3] = dc_add(v[2], dc_sub(v[1], v[0]));       /* parallel edges */
            for (i = 0; i < 12; ++i) x[i*COUNT + k] = (&v[i/3].x)[i%3];
            if (golden_ok(g, dc_ee_witness(&o, v, v + 2, &e, jac))) {
                golden_values(g, &e.a.x, 9);
                golden_derivatives(g, jac, 108);
            }
            if (golden_ok(g, dc_vf_witness(&o, v[0], v + 1, &f, jac))) {
                golden_values(g, &f.p.x, 10);
                golden_derivatives(g, jac, 120);
            }
            if (golden_ok(g, dc_ee_closest(v, v + 2, &e))) golden_values(g, &e.a.x, 9);
            if (golden_ok(g, dc_vf_closest(v[0], v + 1, &f))) golden_values(g, &f.p.x, 10);
        }
        if (golden_ok(g, dc_ee_witness_batch(&o, COUNT, x, COUNT, y, jac))) {
            golden_values(g, y, 9*COUNT);
            golden_derivatives(g, jac, 36*COUNT);
        }
        if (golden_ok(g, dc_vf_witness_batch(&o, COUNT, x, COUNT, y, jac))) {
            golden_values(g, y, 10*COUNT);
            golden_derivatives(g, jac, 36*COUNT);
        }
    }
}

static void witness_softsort(golden *g)
{
    enum { N = 9 };
    rng r;
    int round, k;
    rng_seed(&r, 32);
    for (round = 0; round < 40; ++round) {
        dc_real s[N], ds[N], G[N*N], dG[N*N], bar[N];
        int top[N], power = 1 + round%2, K = 1 + round%N;
        golden_draws(&r, -1, 1, s, N);
        golden_draws(&r, -1, 1, ds, N);
        if (round%5 == 4) s[3] = s[6];
        if (!golden_ok(g, dc_softsort_topk(N, s, K, power, DC_R(0.2), top, G))) continue;
        for (k = 0; k < K; ++k) golden_count(g, top[k]);
        golden_values(g, G, K*N);
        dc_softsort_topk_jvp(N, s, K, power, DC_R(0.2), top, G, ds, dG);
        golden_derivatives(g, dG, K*N);
        memset(bar, 0, sizeof bar);
        dc_softsort_topk_vjp(N, s, K, power, DC_R(0.2), top, G, dG, bar);
        golden_derivatives(g, bar, N);
    }
}

/* two rounded cubes */
typedef struct {
    dc_v3 v[2][8];
    dc_mesh m[2];
    dc_sdf_prim prim[2];
    dc_sdf s[2];
    dc_surface body[2];
} witness_cubes;
enum { WITNESS_CONTACTS = 2*8 + 2*12*12 };

static void witness_cubes_make(witness_cubes *c)
{
    static const int edge[24] = {0, 1, 0, 2, 0, 4, 1, 3, 1, 5, 2, 3, 2, 6, 3, 7, 4, 5, 4, 6, 5, 7, 6, 7};
    int i, k;
    memset(c, 0, sizeof *c);
    for (i = 0; i < 2; ++i) {
        for (k = 0; k < 8; ++k)
            c->v[i][k] = dc_vec(k & 1 ? DC_R(0.9) : DC_R(-0.9), k & 2 ? DC_R(0.7) : DC_R(-0.7), k & 4 ? DC_R(0.8) : DC_R(-0.8));
        c->m[i].v = c->v[i];
        c->m[i].nv = 8;
        c->m[i].edge = edge;
        c->m[i].ne = 12;
        c->prim[i].kind = DC_SDF_SUPERQUADRIC;
        c->prim[i].pose.q.w = 1;
        c->prim[i].size = dc_vec(1, DC_R(0.8), DC_R(0.9));
        c->prim[i].eps1 = c->prim[i].eps2 = i ? DC_R(0.3) : DC_R(0.4);
        c->s[i].prim = c->prim + i;
        c->s[i].n = 1;
        c->body[i].mesh = c->m + i;
        c->body[i].sdf = c->s + i;
    }
}

/* with and without selections, tracing and the other options */
static dc_manifold_options witness_options(int round)
{
    dc_manifold_options o = DC_ZERO;
    if (round & 1) o.keep_e_a = o.keep_e_b = 4;
    if (round & 2) o.keep_v_a = o.keep_v_b = 3;
    if (round & 4) o.trace = o.inside = 1;
    if (round & 16) o.witness.length = DC_R(1.5);
    o.power = round & 8 ? 1 : 2;
    o.tau_top = DC_R(0.05);
    return o;
}

/* poses of two cubes near each other, and a twist of each */
static void witness_draw(rng *r, dc_pose *pose, dc_real *xi)
{
    pose[0] = golden_pose(r, 0.5);
    pose[1] = golden_pose(r, 0.5);
    pose[0].t.z += DC_R(1.5);
    golden_draws(r, -1, 1, xi, 12);
}

static void witness_manifold(golden *g)
{
    static dc_manifold_contact contact[WITNESS_CONTACTS], along[WITNESS_CONTACTS], bar[WITNESS_CONTACTS];
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    witness_cubes c;
    dc_surface *body = c.body;
    rng r;
    int round, k;
    rng_seed(&r, 33);
    witness_cubes_make(&c);
    for (round = 0; round < 24; ++round) {
        const dc_manifold_options o = witness_options(round);
        dc_pose pose[2];
        dc_real xi[12], grad[12];
        int count;
        witness_draw(&r, pose, xi);
        count = dc_manifold_count(body, body + 1, &o, NULL);
        golden_count(g, count);
        if (count > WITNESS_CONTACTS || !golden_ok(g, dc_manifold(body, pose, body + 1, pose + 1, &o, &mem, contact))) continue;
        golden_values(g, &contact[0].p.x, 8*count);
        if (!golden_ok(g, dc_manifold_jvp(body, pose, body + 1, pose + 1, &o, xi, &mem, contact, along))) continue;
        golden_derivatives(g, &along[0].p.x, 8*count);
        for (k = 0; k < 2; ++k) {
            golden_number(g, k ? dc_manifold_mean(count, contact, bar) : dc_manifold_active(count, contact, bar));
            if (golden_ok(g, dc_manifold_vjp(body, pose, body + 1, pose + 1, &o, bar, &mem, NULL, grad))) golden_derivatives(g, grad, 12);
        }
    }
}

/* second derivatives: of the mean distance, and of all numbers of the contacts, weighed by their own rates */
static void witness_second(golden *g)
{
    static dc_manifold_contact contact[WITNESS_CONTACTS], along[WITNESS_CONTACTS], bar[WITNESS_CONTACTS];
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    witness_cubes c;
    dc_surface *body = c.body;
    rng r;
    int round, k;
    rng_seed(&r, 34);
    witness_cubes_make(&c);
    for (round = 0; round < 24; ++round) {
        dc_manifold_options o = witness_options(round);
        dc_pose pose[2];
        dc_real xi[12], grad[12], hvp[12];
        int count;
        witness_draw(&r, pose, xi);
        o.tau_pen = DC_R(0.1);
        if (round % 3 == 0) o.cull = DC_R(0.01);
        count = dc_manifold_count(body, body + 1, &o, NULL);
        if (!golden_ok(g, dc_manifold_jvp(body, pose, body + 1, pose + 1, &o, xi, &mem, contact, along))) continue;
        dc_manifold_mean(count, contact, bar);
        for (k = 0; k < 2; ++k) {
            const dc_manifold_contact *by = k ? along : bar;
            if (!golden_ok(g, dc_manifold_hvp(body, pose, body + 1, pose + 1, &o, by, k ? contact : NULL, xi, &mem, grad, hvp))) continue;
            golden_derivatives(g, grad, 12);
            golden_derivatives(g, hvp, 12);
        }
    }
}
