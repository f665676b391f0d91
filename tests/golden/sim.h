/* sim.h - golden cases of dc_sim.h */

enum { SIM_STEPS = 60, SIM_Q = 40, SIM_V = 32 };

static machine sim_machine;

/* An arm of two hinges over the floor, held by gains, waves over a stack of two boxes that is pushed. */
static int sim_stack(golden *g, int global)
{
    machine *m = &sim_machine;
    int b;
    machine_open(m);
    m->desc.global = global;
    if (global) m->desc.stiffness = DC_R(1e-3);
    for (b = 0; b < 2; ++b) {
        machine_link(m, -1, DC_SIM_FREE, dc_vec(0, 0, 0))->mass = 1;
        machine_box(m, dc_vec(0, 0, 0), dc_vec(DC_R(0.1), DC_R(0.15), DC_R(0.08)));
    }
    for (b = 0; b < 2; ++b) {
        dc_sim_link *l = machine_link(m, b ? 2 : -1, DC_SIM_HINGE, b ? dc_vec(DC_R(0.4), 0, 0) : dc_vec(DC_R(-0.8), 0, DC_R(0.45)));
        l->axis = dc_vec(0, 1, 0);
        l->mass = DC_R(0.3);
        l->kp = 20;
        l->kd = 2;
        machine_box(m, dc_vec(DC_R(0.2), 0, 0), dc_vec(DC_R(0.18), DC_R(0.03), DC_R(0.03)));
    }
    machine_floor(m, 0.8);
    return golden_ok(g, machine_build(m));
}

/* every joint and mass model, with control; nothing touches */
static int sim_branches(golden *g)
{
    machine_tree(&sim_machine);
    sim_machine.desc.h = DC_R(0.0625);
    return golden_ok(g, machine_build(&sim_machine));
}

/* two meshes on a slab, trees against trees and against a plane */
static int sim_trees(golden *g)
{
    static dc_bsh tree[2];
    static unsigned char room[1 << 16];
    static mesh box;
    machine *m = &sim_machine;
    dc_arena mem = dc_arena_make(room, sizeof room);
    int b, k;
    machine_open(m);
    m->desc.trees = 1;
    m->desc.stiffness = DC_R(1e-5);
    m->desc.friction.eps_v = DC_R(1e-4);
    m->desc.contacts = 2048;
    m->desc.reach = DC_R(0.1);
    for (b = 0; b < 2; ++b) {
        dc_sim_link *l;
        mesh_box(&box, 1);
        for (k = 0; k < box.nv; ++k)
            box.v[k] = b ? dc_vec(DC_R(0.2)*box.v[k].x, DC_R(0.3)*box.v[k].y, DC_R(0.16)*box.v[k].z)
                         : dc_vec(box.v[k].x, DC_R(0.8)*box.v[k].y, DC_R(0.2)*(box.v[k].z - DC_R(0.5)));
        if (!golden_ok(g, dc_bsh_build(box.v, box.nv, box.tri, box.nt, &mem, tree + b, NULL))) return 0;
        l = machine_link(m, -1, b ? DC_SIM_FREE : DC_SIM_FIXED, dc_vec(0, 0, 0));
        l->tree = tree + b;
        l->mass = 1;
    }
    return golden_ok(g, machine_build(m));
}

/* Steps from a start, the Jacobians of some of them, the adjoint of all: from all states and from every 8th. */
static void sim_run(golden *g, int steps, const dc_real *start, int vertices)
{
    static dc_real q[(SIM_STEPS + 2)*SIM_Q], kept[2*(SIM_STEPS/8 + 1)*SIM_Q], loss[SIM_STEPS*SIM_V];
    static dc_real force[SIM_STEPS*SIM_V], target[SIM_Q], velocity[SIM_V];
    static dc_real control_grad[3*SIM_STEPS*SIM_V], J[SIM_V*(5*SIM_V + 6*MACHINE_LINKS + 2*MACHINE_LINKS + 4 + 3*MACHINE_VERTICES)];
    static dc_sim_control control[SIM_STEPS];
    const dc_sim *sim = &sim_machine.sim;
    int nq = sim->nq, nv = sim->nv, t, k;
    rng r;
    rng_seed(&r, 51);
    memset(velocity, 0, sizeof velocity);
    memcpy(q, start, (size_t)nq*sizeof *q);
    memcpy(q + nq, start, (size_t)nq*sizeof *q);
    dc_sim_neutral(sim, target);
    for (k = 0; k < nv; ++k) velocity[k] = golden_draw(&r, -0.2, 0.2);
    for (t = 0; t < steps; ++t) {
        dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
        dc_sim_info info = DC_ZERO;
        dc_real *x = q + t*nq;
        control[t].target = target;
        control[t].velocity = velocity;
        control[t].force = force + t*nv;
        golden_draws(&r, -0.5, 0.5, force + t*nv, nv);
        for (k = 0; k < nv; ++k) loss[t*nv + k] = t%10 == 9 ? DC_R(0.01)*(dc_real)(k + 1) : 0;
        if (t%8 == 0) memcpy(kept + 2*(t/8)*nq, x, 2*(size_t)nq*sizeof *x);
        if (!golden_ok(g, dc_sim_step(sim, x, x + nq, control + t, &mem, x + 2*nq, &info))) return;
        golden_values(g, x + 2*nq, nq);
        golden_count(g, info.iterations);
        golden_count(g, info.contacts);
        if (t%20 == 14) {
            dc_sim_jacobian out = DC_ZERO;
            int columns = 5*nv + 6*sim->links + sim->links + sim->links + sim->planes + (vertices ? 3*sim->vertices : 0);
            out.prev = J;
            out.now = out.prev + nv*nv;
            out.control = out.now + nv*nv;
            out.attach = out.control + 3*nv*nv;
            out.mass = out.attach + 6*nv*sim->links;
            out.friction = out.mass + nv*sim->links;
            out.vertex = vertices ? out.friction + nv*(sim->links + sim->planes) : NULL;
            if (golden_ok(g, dc_sim_grad(sim, x, x + nq, control + t, x + 2*nq, &mem, &out))) golden_derivatives(g, J, nv*columns);
        }
    }
    for (k = 0; k < 2; ++k) {
        dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
        dc_real by_start[2*SIM_V], attach[6*MACHINE_LINKS], mass[MACHINE_LINKS], friction[MACHINE_LINKS + 4], vertex[3*MACHINE_VERTICES];
        dc_sim_run run = DC_ZERO;
        run.steps = steps;
        run.every = k ? 8 : 0;
        run.q = k ? kept : q;
        run.control = control;
        run.loss = loss;
        run.start = by_start;
        run.control_grad = control_grad;
        run.attach = attach;
        run.mass = mass;
        run.friction = friction;
        run.vertex = vertices ? vertex : NULL;
        if (!golden_ok(g, dc_sim_adjoint(sim, &run, &mem))) continue;
        golden_derivatives(g, by_start, 2*nv);
        golden_derivatives(g, control_grad, 3*steps*nv);
        golden_derivatives(g, attach, 6*sim->links);
        golden_derivatives(g, mass, sim->links);
        golden_derivatives(g, friction, sim->links + sim->planes);
        if (vertices) golden_derivatives(g, vertex, 3*sim->vertices);
    }
}

static void sim_hulls(golden *g)
{
    dc_real q[SIM_Q];
    int global;
    for (global = 0; global < 2; ++global) {
        if (!sim_stack(g, global)) continue;
        dc_sim_neutral(&sim_machine.sim, q);
        q[6] = DC_R(0.1);
        q[13] = DC_R(0.28);
        q[11] = DC_R(0.02);
        sim_run(g, 40, q, 1);
    }
}

static void sim_joints(golden *g)
{
    dc_real neutral[SIM_Q], q[SIM_Q];
    rng r;
    rng_seed(&r, 52);
    if (!sim_branches(g)) return;
    dc_sim_neutral(&sim_machine.sim, neutral);
    machine_random(&sim_machine.sim, &r, 0.3, neutral, q);
    sim_run(g, SIM_STEPS, q, 1);
}

static void sim_tree_steps(golden *g)
{
    dc_real q[SIM_Q];
    if (!sim_trees(g)) return;
    dc_sim_neutral(&sim_machine.sim, q);
    q[6] = DC_R(0.1);
    sim_run(g, 20, q, 0);
}

static void sim_adam(golden *g)
{
    enum { N = 7 };
    dc_real x[N], m[N], v[N], grad[N];
    dc_adam_state a = DC_ZERO;
    rng r;
    int t;
    rng_seed(&r, 53);
    golden_draws(&r, -1, 1, x, N);
    memset(m, 0, sizeof m);
    memset(v, 0, sizeof v);
    a.n = N;
    a.m = m;
    a.v = v;
    a.rate = DC_R(0.03);
    for (t = 0; t < 200; ++t) {
        int k;
        for (k = 0; k < N; ++k) grad[k] = x[k] - DC_R(0.1)*(dc_real)k + golden_draw(&r, -0.2, 0.2);
        if (golden_ok(g, dc_adam(&a, grad, x))) golden_values(g, x, N);
    }
}

/* ---- grains ---- */

enum { SIM_GRAINS = 24, SIM_TANGENT = 6*(SIM_GRAINS + 1) + 3*16*(SIM_GRAINS + 1) };

/* Grains over the ground, some hundreds of steps: stars and blocks of exact fields. Then smooth learned fields of blocks, with the
 * derivative of every 20th step both ways; the same by implicit steps with splines of those, by shapes too. */
static void sim_grains(golden *g, int smooth, int sweeps)
{
    static dc_real in[SIM_TANGENT], out[SIM_TANGENT];
    static int body[SIM_GRAINS + 1];
    dc_arena mem = dc_arena_make(golden_memory, sizeof golden_memory);
    dc_v2 v[2][DC_POLY_NAMED_MOST];
    dc_cshape shape[3];
    dc_cfield field[5], network[5];
    const dc_cfield *by[2];
    const dc_real by_mass[2] = {1, 0};
    dc_grains_shape change = DC_ZERO;
    dc_grain_type type[3];
    dc_grain_pair pair[5];
    dc_grains_desc d = DC_ZERO;
    dc_grains grains;
    rng r;
    int k, i, j, t, types = smooth ? 1 : 2, n = 0;
    rng_seed(&r, smooth ? 54 : 55);
    memset(shape, 0, sizeof shape);
    memset(type, 0, sizeof type);
    memset(pair, 0, sizeof pair);
    for (k = 0; k < types; ++k) {
        shape[k].poly = sdf_named(g, smooth || k ? "block" : "star", v[k]);
        if (!golden_ok(g, dc_grain_type_poly(&shape[k].poly, 1, 1, type + k))) return;
    }
    shape[types].kind = type[types].kind = DC_CSHAPE_HALFPLANE;
    for (i = 0; i <= types; ++i)
        for (j = 0; j < types; ++j) {
            if (i < j) continue;
            if (!golden_ok(g, smooth ? sdf_network(1, i == types, &mem, field + n)
                                     : dc_cfield_exact(NULL, shape + i, &shape[j].poly, &mem, field + n))) return;
            if (sweeps && (network[n] = field[n], !golden_ok(g, sdf_bake(network + n, 32, &mem, field + n)))) return;
            pair[n].a = i;
            pair[n].b = j;
            pair[n].field = field + n;
            ++n;
        }
    body[0] = types;
    for (k = 1; k <= SIM_GRAINS; ++k) body[k] = k%types;
    d.type = type;
    d.types = types + 1;
    d.pair = pair;
    d.pairs = n;
    d.body = body;
    d.bodies = SIM_GRAINS + 1;
    d.h = sweeps ? DC_R(4e-3) : DC_R(2e-3);
    d.sweeps = sweeps;
    d.gravity[1] = DC_R(-9.81);
    d.material.kn = d.material.kt = 3000;
    d.material.gn = d.material.gt = 20;
    d.material.mu = DC_R(0.4);
    d.reduced_mass = smooth;
    d.lo[0] = d.lo[1] = -8;
    d.hi[0] = d.hi[1] = 8;
    if (!golden_ok(g, dc_grains_build(&d, &mem, &grains))) return;
    by[0] = field;                      /* as if fields grew in proportion */
    by[1] = field + 1;
    change.parameters = 1;
    change.field = by;
    change.mass = by_mass;
    for (k = 1; k <= SIM_GRAINS; ++k) {
        grains.q[3*k] = golden_draw(&r, -3, 3);
        grains.q[3*k + 1] = DC_R(1.6)*(dc_real)(k%6 - 3) + golden_draw(&r, -0.1, 0.1);
        grains.q[3*k + 2] = 1 + DC_R(1.6)*(dc_real)(k/6);
        golden_draws(&r, -1, 1, grains.v + 3*k, 3);
    }
    for (t = 0; t < 200; ++t) {
        dc_grains_info info = DC_ZERO;
        if (smooth && t%20 == 19) {
            dc_grains_tangent from, to;
            int width = sweeps ? 3 : 1, springs = width*dc_grains_springs(&grains), bodies = 3*(SIM_GRAINS + 1);
            dc_real by_shape = 0;
            from.q = in;
            from.v = in + bodies;
            from.spring = in + 2*bodies;
            to.q = out;
            to.v = out + bodies;
            to.spring = out + 2*bodies;
            golden_draws(&r, -1, 1, in, SIM_TANGENT);
            memset(out, 0, sizeof out);
            if (golden_ok(g, dc_grains_jvp(&grains, &from, &to, &mem, &info))) golden_derivatives(g, out, 2*bodies + width*info.contacts);
            memset(out, 0, sizeof out);
            if (golden_ok(g, dc_grains_vjp(&grains, &from, &to, &mem, &info))) golden_derivatives(g, out, 2*bodies + springs);
            if (sweeps && golden_ok(g, dc_grains_vjp_shape(&grains, &change, &from, &to, &by_shape, &mem, &info)))
                golden_derivatives(g, &by_shape, 1);
        }
        if (!golden_ok(g, dc_grains_step(&grains, &mem, &info))) return;
        golden_count(g, info.contacts);
        golden_values(g, grains.q, 3*(SIM_GRAINS + 1));
        golden_values(g, grains.v, 3*(SIM_GRAINS + 1));
        golden_values(g, grains.spring, (sweeps ? 3 : 1)*dc_grains_springs(&grains));
    }
}

static void sim_grains_exact(golden *g) { sim_grains(g, 0, 0); }
static void sim_grains_smooth(golden *g) { sim_grains(g, 1, 0); }
static void sim_grains_sweeps(golden *g) { sim_grains(g, 1, 8); }
