/* bsh.h - golden cases of dc_bsh.h */

static mesh bsh_mesh;

/* a bumpy sheet of n x n cells, or a ball; its tree stays in mem */
static int bsh_tree(golden *g, rng *r, int kind, dc_arena *mem, dc_bsh *tree)
{
    mesh *m = &bsh_mesh;
    int a, b, k, n = 4 + kind;
    if (kind == 2) {
        mesh_icosphere(m, 1);
    } else {
        m->nv = m->nt = 0;
        for (a = 0; a <= n; ++a)
            for (b = 0; b <= n; ++b) mesh_vertex(m, a*0.25, b*0.25, 0);
        mesh_grid(m, 0, n, n, n + 1);
    }
    for (k = 0; k < m->nv; ++k) m->v[k].z += golden_draw(r, 0, 0.125);
    return golden_ok(g, dc_bsh_build(m->v, m->nv, m->tri, m->nt, mem, tree, NULL));
}

static void bsh_counts(golden *g, const dc_bsh_info *info)
{
    golden_count(g, (int)info->leaf_near);
    golden_count(g, (int)info->leaf_blended);
    golden_count(g, (int)info->inner_blended);
    golden_count(g, (int)info->inner_far);
    golden_count(g, (int)info->warm);
}

static void bsh_build(golden *g)
{
    rng r;
    int k, i;
    rng_seed(&r, 11);
    for (k = 0; k < 3; ++k) {
        dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
        dc_bsh tree;
        if (!bsh_tree(g, &r, k, &mem, &tree)) continue;
        golden_vector(g, tree.o);
        for (i = 0; i < 2*tree.n - 1; ++i) {
            golden_vector(g, tree.node[i].c);
            golden_number(g, tree.node[i].R);
            golden_count(g, tree.node[i].left);
            golden_count(g, tree.node[i].triangle);
        }
    }
}

/* Both weightings, with planes from a cache and without; contacts; the sum over all pairs. */
static void bsh_eval(golden *g)
{
    enum { MOST = 2000 };
    static dc_bsh_contact contact[MOST];
    dc_arena keep = dc_arena_make(golden_scratch, sizeof golden_scratch);
    dc_bsh_cache cache;
    rng r;
    int i, k;
    rng_seed(&r, 12);
    if (!golden_ok(g, dc_bsh_cache_make(500, &keep, &cache))) return;
    for (i = 0; i < 16; ++i) {
        dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
        dc_bsh t[2];
        dc_bsh_options o = DC_ZERO;
        dc_bsh_info info = DC_ZERO;
        dc_pose p[2];
        dc_real P, grad[12], hess[144];
        int n = 0;
        if (!bsh_tree(g, &r, i%3, &mem, t) || !bsh_tree(g, &r, i%2, &mem, t + 1)) continue;
        for (k = 0; k < 2; ++k) {
            p[k].q = dc_quat_exp(golden_vec(&r, -0.1, 0.1));
            p[k].t = golden_vec(&r, -0.3, 0.3);
        }
        p[0].t.z = p[1].t.z + (i%3 == 2 ? DC_R(1.4) : DC_R(0.45)) + golden_draw(&r, 0, 0.6);
        o.weighted = i%2;
        o.eps = golden_draw(&r, 0.2, 1);
        if (!golden_ok(g, dc_bsh_eval(&o, t, p, t + 1, p + 1, &mem, i%4 < 2 ? &cache : NULL, &P, grad, hess, &info))) continue;
        golden_number(g, P);
        golden_derivatives(g, grad, 12);
        golden_derivatives(g, hess, 144);
        bsh_counts(g, &info);
        p[0].t.z -= DC_R(0.01);
        if (!golden_ok(g, dc_bsh_eval(&o, t, p, t + 1, p + 1, &mem, &cache, &P, grad, NULL, &info))) continue;
        golden_number(g, P);
        golden_derivatives(g, grad, 12);
        bsh_counts(g, &info);
        if (!golden_ok(g, dc_bsh_contacts(&o, t, p, t + 1, p + 1, &mem, NULL, MOST, contact, &n, NULL))) continue;
        for (k = 0; k < n; ++k) {
            golden_count(g, contact[k].triangle_a);
            golden_number(g, contact[k].weight);
            golden_number(g, contact[k].value);
            golden_vector(g, contact[k].plane.n);
            golden_values(g, contact[k].force, 6);
            golden_derivatives(g, contact[k].weight_grad, 12);
        }
        if (i%4 || !golden_ok(g, dc_bsh_brute(&o, t, p, t + 1, p + 1, &mem, &P, grad, hess, NULL))) continue;
        golden_number(g, P);
        golden_derivatives(g, grad, 12);
        golden_derivatives(g, hess, 144);
    }
}

/* four bodies, two pairs of which are not looked at */
static void bsh_scene(golden *g)
{
    static const int excluded[4] = {0, 2, 3, 1};
    static const dc_real z[4] = {0, DC_R(0.6), DC_R(2.1), DC_R(3.5)};
    static dc_real grad[24], hess[24*24];
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    const dc_bsh *body[4];
    dc_bsh tree[3];
    dc_bsh_cache cache;
    dc_pose pose[4];
    rng r;
    int k, round;
    rng_seed(&r, 13);
    for (k = 0; k < 3; ++k)
        if (!bsh_tree(g, &r, k, &mem, tree + k)) return;
    for (k = 0; k < 4; ++k) {
        body[k] = tree + k%3;
        pose[k].q = dc_quat_exp(golden_vec(&r, -0.1, 0.1));
        pose[k].t = golden_vec(&r, -0.2, 0.2);
        pose[k].t.z = z[k];
    }
    if (!golden_ok(g, dc_bsh_cache_make(500, &mem, &cache))) return;
    for (round = 0; round < 3; ++round) {
        dc_bsh_options o = DC_ZERO;
        dc_bsh_info info = DC_ZERO;
        dc_real P;
        o.weighted = round == 2;
        if (!golden_ok(g, dc_bsh_scene(&o, 4, body, pose, 2, excluded, &mem, &cache, &P, grad, hess, &info))) continue;
        golden_number(g, P);
        golden_derivatives(g, grad, 24);
        golden_derivatives(g, hess, 24*24);
        bsh_counts(g, &info);
        pose[1].t.x += DC_R(0.02);
    }
}
