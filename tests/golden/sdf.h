/* sdf.h - golden cases of dc_sdf.h */

enum { SDF_PRIMS = 6, SDF_POINTS = 40 };

/* one primitive of each kind; the second superquadric in Taubin's form; the sphere is taken away */
typedef struct { dc_sdf_prim prim[SDF_PRIMS + 1]; dc_v3 n[2*SDF_POINTS], p[2*SDF_POINTS]; dc_real sigma[SDF_POINTS]; } sdf_field;

static dc_sdf sdf_make(rng *r, dc_real tau, sdf_field *f)
{
    static const int kind[SDF_PRIMS + 1] = {DC_SDF_SUPERQUADRIC, DC_SDF_SUPERQUADRIC, DC_SDF_BOX, DC_SDF_POLYHEDRON, DC_SDF_CLOUD,
                                            DC_SDF_CAPSULE, DC_SDF_SPHERE};
    int k, i;
    memset(f, 0, sizeof *f);
    for (k = 0; k <= SDF_PRIMS; ++k) {
        dc_sdf_prim *p = f->prim + k;
        p->kind = (dc_sdf_kind)kind[k];
        p->pose = golden_pose(r, 0.5);
        p->scale = golden_draw(r, 0.5, 1.5);
        p->size = golden_vec(r, 0.3, 0.9);
        p->eps1 = golden_draw(r, 0.2, 1.8);
        p->eps2 = golden_draw(r, 0.2, 1.8);
        p->smooth = p->kind == DC_SDF_POLYHEDRON ? DC_R(0.05) : 0;
        p->taubin = k == 1;
        p->subtract = p->kind == DC_SDF_SPHERE;
        if (p->kind != DC_SDF_POLYHEDRON && p->kind != DC_SDF_CLOUD) continue;
        p->count = p->kind == DC_SDF_CLOUD ? SDF_POINTS : 12;
        p->n = f->n + (p->kind == DC_SDF_CLOUD)*SDF_POINTS;
        p->p = f->p + (p->kind == DC_SDF_CLOUD)*SDF_POINTS;
        p->sigma = f->sigma;
        for (i = 0; i < p->count; ++i) {
            dc_v3   d = golden_vec(r, -1, 1);
            dc_real s = 1/dc_sqrt(dc_dot(d, d) + DC_R(1e-6));
            f->n[(p->n - f->n) + i] = dc_scale(s, d);
            f->p[(p->p - f->p) + i] = dc_scale(DC_R(0.6)*s, d);
            f->sigma[i] = DC_R(0.25);
        }
    }
    {
        dc_sdf s;
        s.prim = f->prim;
        s.n = SDF_PRIMS + 1;
        s.tau = tau;
        return s;
    }
}

/* single points, of every primitive alone and of all together; parameters; then many points at once */
static void sdf_eval(golden *g)
{
    static dc_real x[3*SDF_POINTS], value[SDF_POINTS], grad[3*SDF_POINTS], hess[6*SDF_POINTS], dir[3*SDF_POINTS], ddir[6*SDF_POINTS];
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    static sdf_field f;
    rng r;
    int k, i;
    rng_seed(&r, 21);
    for (k = 0; k < 4*(SDF_PRIMS + 1); ++k) {
        dc_sdf s = sdf_make(&r, k%2 ? DC_R(0.1) : 0, &f);
        dc_real param[(SDF_PRIMS + 1)*DC_SDF_PARAMS], v;
        dc_sdf_out out;
        if (k >= SDF_PRIMS + 1 && k < 2*(SDF_PRIMS + 1)) {
            s.prim = f.prim + k - (SDF_PRIMS + 1);
            s.n = 1;
            f.prim[SDF_PRIMS].subtract = 0;
        }
        golden_draws(&r, -1, 1, x, 3*SDF_POINTS);
        for (i = 0; i < 10; ++i) {
            dc_v3 at = dc_vec(x[3*i], x[3*i + 1], x[3*i + 2]);
            if (golden_ok(g, dc_sdf_eval(&s, at, &v, grad, hess))) {
                golden_number(g, v);
                golden_derivatives(g, grad, 3);
                golden_derivatives(g, hess, 9);
            }
            if (golden_ok(g, dc_sdf_eval_params(&s, at, &v, param))) golden_derivatives(g, param, s.n*DC_SDF_PARAMS);
        }
        out.value = value;
        out.grad = grad;
        out.hess = hess;
        out.dir = dir;
        out.ddir = ddir;
        if (!golden_ok(g, dc_sdf_eval_batch(&s, SDF_POINTS, x, SDF_POINTS, &mem, &out))) continue;
        golden_values(g, value, SDF_POINTS);
        golden_values(g, dir, 3*SDF_POINTS);
        golden_derivatives(g, grad, 3*SDF_POINTS);
        golden_derivatives(g, hess, 6*SDF_POINTS);
        golden_derivatives(g, ddir, 6*SDF_POINTS);
    }
}

/* third derivatives along directions */
static void sdf_along(golden *g)
{
    static dc_real x[3*SDF_POINTS], u[3*SDF_POINTS], along[6*SDF_POINTS];
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    static sdf_field f;
    rng r;
    int k;
    rng_seed(&r, 22);
    for (k = 0; k < 4*(SDF_PRIMS + 1); ++k) {
        dc_sdf s = sdf_make(&r, k%2 ? DC_R(0.1) : 0, &f);
        f.prim[1].taubin = 0;
        if (k >= SDF_PRIMS + 1 && k < 2*(SDF_PRIMS + 1)) {
            s.prim = f.prim + k - (SDF_PRIMS + 1);
            s.n = 1;
            f.prim[SDF_PRIMS].subtract = 0;
        }
        golden_draws(&r, -1, 1, x, 3*SDF_POINTS);
        golden_draws(&r, -1, 1, u, 3*SDF_POINTS);
        if (golden_ok(g, dc_sdf_ddir_along(&s, SDF_POINTS, x, u, SDF_POINTS, &mem, along))) golden_derivatives(g, along, 6*SDF_POINTS);
    }
}

static void sdf_ball(dc_sdf_prim *p, double x, double size, double eps)
{
    memset(p, 0, sizeof *p);
    p->kind = DC_SDF_SUPERQUADRIC;
    p->pose.q.w = 1;
    p->pose.t = dc_vec((dc_real)x, DC_R(0.1), DC_R(-0.2));
    p->size = dc_vec((dc_real)size, (dc_real)(0.8*size), (dc_real)(1.1*size));
    p->eps1 = p->eps2 = (dc_real)eps;
    p->taubin = 1;
}

/* two lobes: their mesh, the distance to it on a grid, superquadrics fitted to that */
static void sdf_mesh_sample_fit(golden *g)
{
    enum { SIDE = 13 };
    static dc_real phi[SIDE*SIDE*SIDE];
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    dc_sdf_prim part[2], found[8];
    dc_sdf s;
    dc_grid grid;
    dc_mesh m;
    dc_sdf_mesh_options o = DC_ZERO;
    dc_sdf_mesh_info info = DC_ZERO;
    dc_sdf_fit_options fit = DC_ZERO;
    dc_sdf_fit_info fitted = DC_ZERO;
    int k, n = 0;
    sdf_ball(part, -0.4, 0.6, 0.7);
    sdf_ball(part + 1, 0.5, 0.5, 1);
    s.prim = part;
    s.n = 2;
    s.tau = DC_R(0.02);
    grid.lo = dc_vec(DC_R(-1.5), DC_R(-1.25), DC_R(-1.25));
    grid.hi = dc_vec(DC_R(1.5), DC_R(1.25), DC_R(1.25));
    grid.nx = grid.ny = grid.nz = SIDE;
    for (k = 0; k < 2; ++k) {
        o.vertices = k ? 60 : 0;
        if (!golden_ok(g, dc_sdf_mesh(&o, &s, &grid, &mem, &m, &info))) return;
        golden_count(g, m.nt);
        golden_number(g, info.residual);
        golden_values(g, &m.v[0].x, 3*m.nv);
        for (n = 0; n < 3*m.nt; ++n) golden_count(g, m.tri[n]);
    }
    if (!golden_ok(g, dc_sdf_sample(&m, &grid, phi))) return;
    golden_values(g, phi, SIDE*SIDE*SIDE);
    fit.capacity = 8;
    fit.steps = 5;
    if (!golden_ok(g, dc_sdf_fit(&fit, &grid, phi, &mem, found, &n, &fitted))) return;
    golden_count(g, n);
    golden_number(g, fitted.residual);
    for (k = 0; k < n; ++k) {
        golden_quat(g, found[k].pose.q);
        golden_vector(g, found[k].pose.t);
        golden_vector(g, found[k].size);
        golden_number(g, found[k].eps1);
        golden_number(g, found[k].eps2);
    }
}

/* ---- the plane ---- */

static dc_poly sdf_named(golden *g, const char *name, dc_v2 v[DC_POLY_NAMED_MOST])
{
    dc_poly p;
    p.v = v;
    p.n = 0;
    golden_ok(g, dc_poly_named(name, DC_POLY_NAMED_MOST, v, &p.n));
    return p;
}

static const char *const sdf_name[4] = {"star", "#", "U", "arc75"};

static void sdf_polygons(golden *g)
{
    static dc_real x[SDF_POINTS], y[SDF_POINTS], d[SDF_POINTS], cx[SDF_POINTS], cy[SDF_POINTS];
    rng r;
    int k, i;
    rng_seed(&r, 22);
    for (k = 0; k < 4; ++k) {
        dc_v2 v[DC_POLY_NAMED_MOST], w[4], u[DC_POLY_NAMED_MOST];
        dc_poly p = sdf_named(g, sdf_name[k], v), pieces[2];
        dc_poly_moments_of m;
        int n = 0;
        golden_ok(g, dc_poly_check(&p));
        golden_values(g, &v[0].x, 2*p.n);
        golden_draws(&r, -1.5, 1.5, x, SDF_POINTS);
        golden_draws(&r, -1.5, 1.5, y, SDF_POINTS);
        if (golden_ok(g, dc_poly_distance_batch(&p, SDF_POINTS, x, y, d, cx, cy))) {
            golden_values(g, d, SDF_POINTS);
            golden_values(g, cx, SDF_POINTS);
            golden_values(g, cy, SDF_POINTS);
        }
        for (i = 0; i < SDF_POINTS; ++i) {
            dc_poly_hit hit;
            dc_v2 at;
            at.x = x[i];
            at.y = y[i];
            if (golden_ok(g, dc_poly_distance(&p, at, &hit))) golden_number(g, hit.at);
        }
        if (golden_ok(g, dc_poly_moments(&p, &m))) {
            golden_number(g, m.area);
            golden_number(g, m.inertia);
            golden_values(g, &m.centroid.x, 2);
        }
        if (golden_ok(g, dc_poly_arc(1, DC_R(0.25), golden_draw(&r, 0.2, 0.8), 0, DC_POLY_NAMED_MOST, u, &n)))
            golden_values(g, &u[0].x, 2*n);
        /* a block and the block turned */
        pieces[0] = sdf_named(g, "block", v);
        for (i = 0; i < 4; ++i) {
            dc_real s, c;
            dc_sincos(DC_R(0.3) + DC_R(0.1)*(dc_real)k, &s, &c);
            w[i].x = c*v[i].x - s*v[i].y + DC_R(0.3);
            w[i].y = s*v[i].x + c*v[i].y;
        }
        pieces[1].v = w;
        pieces[1].n = 4;
        if (golden_ok(g, dc_poly_union(2, pieces, DC_POLY_NAMED_MOST, u, &n)) && golden_ok(g, dc_poly_centre(n, u, 1)))
            golden_values(g, &u[0].x, 2*n);
    }
}

/* the field at poses, one at a time and together */
static void sdf_ask(golden *g, rng *r, const dc_cfield *f, int count)
{
    static dc_real q[3*SDF_POINTS], d[SDF_POINTS], grad[3*SDF_POINTS], lever[SDF_POINTS], hess[6*SDF_POINTS], dlever[3*SDF_POINTS];
    dc_arena mem = dc_arena_make(golden_scratch, sizeof golden_scratch);
    dc_cfield_out out = DC_ZERO;
    int k;
    golden_draws(r, -1.5, 1.5, q, 3*count);
    for (k = 0; k < count; ++k)
        if (golden_ok(g, dc_cfield_eval(f, q + 3*k, &mem, d, grad, lever, f->smooth ? hess : NULL,
                                        f->smooth ? dlever : NULL))) {
            golden_number(g, d[0]);
            golden_number(g, lever[0]);
            golden_derivatives(g, grad, 3);
            if (f->smooth) golden_derivatives(g, hess, 9);
            if (f->smooth) golden_derivatives(g, dlever, 3);
        }
    out.d = d;
    out.grad = grad;
    out.lever = lever;
    out.hess = f->smooth ? hess : NULL;
    out.dlever = f->smooth ? dlever : NULL;
    if (!golden_ok(g, dc_cfield_eval_batch(f, count, q, (size_t)count, &mem, &out))) return;
    golden_values(g, d, count);
    golden_values(g, lever, count);
    golden_derivatives(g, grad, 3*count);
    if (f->smooth) golden_derivatives(g, hess, 6*count);
    if (f->smooth) golden_derivatives(g, dlever, 3*count);
}

/* exact fields of two polygons and of walls, a sampled one */
static void sdf_cfield(golden *g)
{
    dc_v2 v[2][DC_POLY_NAMED_MOST];
    rng r;
    int k;
    rng_seed(&r, 23);
    for (k = 0; k < 7; ++k) {
        dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
        dc_cshape a = DC_ZERO;
        dc_cfield f;
        dc_cfield_options o = DC_ZERO;
        dc_poly b = sdf_named(g, sdf_name[(k + 1)%4], v[1]);
        a.kind = k < 3 ? DC_CSHAPE_POLY : (dc_cshape_kind)(k%4);
        a.poly = sdf_named(g, sdf_name[k%4], v[0]);
        a.radius = 2;
        o.side = 21;
        if (k == 6) a.kind = DC_CSHAPE_POLY;
        if (golden_ok(g, k == 6 ? dc_cfield_sampled(&o, &a, &b, &mem, &f) : dc_cfield_exact(NULL, &a, &b, &mem, &f)))
            sdf_ask(g, &r, &f, k == 6 ? 10 : SDF_POINTS);
    }
}

/* a small network is trained, saved and read: its bytes, its answers with both kinds of units */
static dc_status sdf_network(int smooth, int walls, dc_arena *keep, dc_cfield *f)
{
    static double state[1 << 16];
    dc_arena mem = dc_arena_make(golden_scratch, sizeof golden_scratch);
    dc_cfield_train_options o = DC_ZERO;
    dc_cshape a = DC_ZERO;
    dc_cfield of;
    dc_v2 v[DC_POLY_NAMED_MOST];
    dc_poly b;
    dc_status s;
    b.v = v;
    o.smooth = smooth;
    o.harmonics = 3;
    o.layers = 2;
    o.width = 8;
    o.samples = 1000;
    o.epochs = 2;
    s = dc_poly_named("block", DC_POLY_NAMED_MOST, v, &b.n);
    a.kind = walls ? DC_CSHAPE_HALFPLANE : DC_CSHAPE_POLY;
    a.poly = b;
    if (s == DC_OK) s = dc_cfield_exact(NULL, &a, &b, &mem, &of);
    if (s == DC_OK && dc_cfield_train_bytes(&o) > sizeof state) s = DC_E_MEMORY;
    if (s == DC_OK) s = dc_cfield_train_start(&o, &of, state);
    if (s == DC_OK) s = dc_cfield_train(&of, state, &mem, NULL, NULL, NULL);
    return s == DC_OK ? dc_cfield_learned(state, keep, f) : s;
}

static void sdf_learned(golden *g)
{
    static unsigned char saved[1 << 14];
    dc_arena keep = dc_arena_make(golden_memory, sizeof golden_memory);
    rng r;
    int smooth;
    rng_seed(&r, 24);
    for (smooth = 0; smooth < 2; ++smooth) {
        dc_cfield f, again;
        size_t size, k;
        if (!golden_ok(g, sdf_network(smooth, 0, &keep, &f))) continue;
        size = dc_cfield_save_bytes(&f);
        if (size > sizeof saved || !golden_ok(g, dc_cfield_save(&f, saved, size))
            || !golden_ok(g, dc_cfield_load(saved, size, &keep, &again))) continue;
        for (k = 0; k < size; ++k) golden_count(g, saved[k]);
        sdf_ask(g, &r, &again, SDF_POINTS);
    }
}

/* a small spline of a field, of cells of so many bits */
static dc_status sdf_bake(const dc_cfield *of, int bits, dc_arena *mem, dc_cfield *f)
{
    dc_cfield_bake_options o = DC_ZERO;
    o.bits = bits;
    o.angles = 12;
    o.side = of->wall == DC_CSHAPE_POLY ? 13 : 0;
    o.radius = DC_R(1.5);
    return dc_cfield_bake(&o, of, mem, f, NULL);
}

/* splines of two polygons and of a half-plane, and their sum */
static void sdf_baked(golden *g)
{
    dc_v2 v[2][DC_POLY_NAMED_MOST];
    dc_arena keep = dc_arena_make(golden_memory, sizeof golden_memory);
    const dc_real weight[2] = {DC_R(1.75), DC_R(-0.5)};
    rng r;
    int k;
    rng_seed(&r, 25);
    for (k = 0; k < 2; ++k) {
        dc_arena mem = dc_arena_make(golden_scratch, sizeof golden_scratch);
        dc_cshape a = DC_ZERO;
        dc_cfield exact, f[3];
        const dc_cfield *of[2];
        dc_poly b = sdf_named(g, "star", v[1]);
        a.kind = k ? DC_CSHAPE_HALFPLANE : DC_CSHAPE_POLY;
        a.poly = sdf_named(g, "U", v[0]);
        of[0] = f;
        of[1] = f + 1;
        if (!golden_ok(g, dc_cfield_exact(NULL, &a, &b, &mem, &exact)) || !golden_ok(g, sdf_bake(&exact, 32, &keep, f))
            || !golden_ok(g, sdf_bake(&exact, 16, &keep, f + 1)) || !golden_ok(g, dc_cfield_mix(2, of, weight, &keep, f + 2))) continue;
        sdf_ask(g, &r, f, SDF_POINTS);
        sdf_ask(g, &r, f + 1, SDF_POINTS);
        sdf_ask(g, &r, f + 2, SDF_POINTS);
    }
}
