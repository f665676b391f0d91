/* What the paper proves of the hierarchical potential, on random bodies; determinism. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#include "dc_bsh.h"

#include <math.h>
#include <string.h>

#include "greatest.h"
#include "support.h"
#include "real.h"
#include "mesh.h"
#include "naive_bsh.h"

static unsigned char memory[1 << 20], scratch[1 << 18];
static mesh shape[2];
static dc_v3 points[2][3*MESH_TRIANGLES];

typedef struct {
    dc_bsh t[2];
    dc_pose p[2];
    dc_hull hull[2];            /* corners, body coordinates */
    dc_bsh_options o;
    double size, gap;
} sample;

static const char *const names[6] = {"ico 20", "box 12", "plate 18", "torus 96", "sphere 32", "triangle"};

static int shape_make(mesh *m, int k)
{
    switch (k) {
    case 0: mesh_icosphere(m, 0); break;
    case 1: mesh_box(m, 1); break;
    case 2: mesh_plate(m, 3); break;
    case 3: mesh_torus(m, 8, 6, 0.35); break;
    case 4: mesh_sphere(m, 4, 5); break;
    default: mesh_plate(m, 1); m->nt = 1; break;
    }
    return k;
}

static dc_v3 random_vec(rng *r, double scale)
{
    dc_v3 v;
    v.x = (dc_real)rng_uniform(r, -scale, scale);
    v.y = (dc_real)rng_uniform(r, -scale, scale);
    v.z = (dc_real)rng_uniform(r, -scale, scale);
    return v;
}

/* Two random bodies of a random size at a gap; 0 when they cannot be placed. kinds gets the shapes. */
static int make(sample *s, rng *r, double gap_lo, double gap_hi, int kinds[2])
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    double size = rng_log(r, 1e-2, 1e2), u[3];
    int i, k;
    memset(s, 0, sizeof *s);
    s->size = size;
    s->gap = size*rng_log(r, gap_lo, gap_hi);
    for (i = 0; i < 2; ++i) {
        kinds[i] = shape_make(shape + i, rng_int(r, 0, 5));
        for (k = 0; k < shape[i].nv; ++k) shape[i].v[k] = dc_scale((dc_real)(i ? size : size*0.7), shape[i].v[k]);
        if (dc_bsh_build(shape[i].v, shape[i].nv, shape[i].tri, shape[i].nt, &mem, s->t + i, NULL) != DC_OK) return 0;
        for (k = 0; k < 3*s->t[i].n; ++k) points[i][k] = dc_add(s->t[i].corner[k], s->t[i].o);
        s->hull[i].v = points[i];
        s->hull[i].n = 3*s->t[i].n;
        s->p[i].q = dc_quat_exp(random_vec(r, 2));
        s->p[i].t = random_vec(r, size);
    }
    rng_unit3(r, u);
    s->p[0].t = dc_madd(s->p[0].t, (dc_real)(5*size), dc_vec((dc_real)u[0], (dc_real)u[1], (dc_real)u[2]));
    for (k = 0; k < 3; ++k) {
        dc_distance d = DC_ZERO;
        if (dc_hull_distance(s->hull, s->p, s->hull + 1, s->p + 1, NULL, &d) != DC_OK) return 0;
        s->p[0].t = dc_madd(s->p[0].t, (dc_real)s->gap - d.gap, d.n);
    }
    s->o.eps = (dc_real)rng_log(r, 0.1, 2);
    s->o.weighted = rng_int(r, 0, 1);
    s->o.length = (dc_real)size;
    return 1;
}

static dc_status eval(const sample *s, int first, dc_real *P, dc_real *g, dc_real *H, dc_bsh_info *info)
{
    dc_arena tmp = dc_arena_make(scratch, sizeof scratch);
    return dc_bsh_eval(&s->o, s->t + first, s->p + first, s->t + 1 - first, s->p + 1 - first, &tmp, NULL, P, g, H, info);
}

#define TOUCH (DC_IS_FLOAT ? 1e-3 : 1e-6)

static double norm(dc_v3 v) { return sqrt((double)dc_dot(v, v)); }

/* Eq. 2: f is a positive multiple of a point of hull a minus one of hull b. Hull a moves along -f by the gap over the cosine
 * until it touches b: then it is; or until the gap does not fall any more. Returns the gap left, over size. */
static double off_the_cone(const dc_hull *a, dc_pose pa, const dc_hull *b, const dc_pose *pb, dc_v3 f, double size)
{
    dc_v3 u = dc_scale((dc_real)(1/norm(f)), f);
    int k;
    double gap = 0;
    for (k = 0; k < 200; ++k) {
        dc_distance d = DC_ZERO;
        dc_real c;
        if (dc_hull_distance(a, &pa, b, pb, NULL, &d) != DC_OK) return 0;
        gap = (double)d.gap/size;
        c = dc_dot(d.n, u);
        if (gap < TOUCH || !(c > 0)) break;
        pa.t = dc_madd(pa.t, -d.gap/c, u);
    }
    return gap;
}

TEST the_potential_behaves(void)
{
    worst law = worst_make("third law, torques"), rigid = worst_make("common motion, value"), turn = worst_make("common motion, gradient");
    worst swap = worst_make("bodies swapped"), cone = worst_make("force off the cone of Eq. 2"), lemma = worst_make("1 - S/C of a blended pair");
    worst all = worst_make("more than all pairs");
    long count = sweep_count(3000), i, done = 0;
    rng r;
    rng_seed(&r, 2027);
    for (i = 0; i < count; ++i) {
        static sample s, m;
        int kinds[2], k;
        dc_real P, g[12], H[144], P2, g2[12];
        dc_v3 F, arm, net;
        dc_pose common;
        double e, eg[2], lever;         /* errors to expect of value, force, torque */
        naive_bsh n;
        naive_sum sum;
        dc_arena tmp;
        if (!make(&s, &r, DC_IS_FLOAT ? 1e-2 : 1e-6, 1e2, kinds)) continue;
        ++done;
        ASSERT_EQ(DC_OK, eval(&s, 0, &P, g, H, NULL));
        ASSERT(dc_finite(P) && P > 0);
        for (k = 0; k < 12; ++k) ASSERT(dc_finite(g[k]));
        /* opposite forces to the bit; torques balance about b's origin */
        for (k = 0; k < 3; ++k) ASSERT(g[k] + g[6 + k] >= 0 && g[k] + g[6 + k] <= 0);
        F = dc_vec(-g[0], -g[1], -g[2]);
        ASSERT(norm(F) > 0);                            /* non-vanishing */
        arm = dc_sub(s.p[0].t, s.p[1].t);
        net = dc_add(dc_add(dc_vec(g[3], g[4], g[5]), dc_vec(g[9], g[10], g[11])), dc_cross(arm, dc_vec(g[0], g[1], g[2])));
        lever = norm(s.p[0].t) + norm(s.p[1].t) + s.size;
        /* as if the bodies had been moved by eps of their distance */
        e = EPS*((double)P + norm(F)*lever);
        eg[0] = EPS*(norm(F) + fmax(largest(H, 3), fmax(largest(H + 12, 3), largest(H + 24, 3)))*lever);
        eg[1] = eg[0]*lever;
        worst_add(&law, norm(net)/(norm(F)*lever)/EPS, "case %ld %s %s gap %g", i, names[kinds[0]], names[kinds[1]], s.gap/s.size);

        /* moved together */
        m = s;
        common.q = dc_quat_exp(random_vec(&r, 2));
        common.t = random_vec(&r, s.size);
        m.p[0] = dc_pose_mul(common, s.p[0]);
        m.p[1] = dc_pose_mul(common, s.p[1]);
        ASSERT_EQ(DC_OK, eval(&m, 0, &P2, g2, NULL, NULL));
        worst_add(&rigid, fabs((double)(P2 - P))/e, "case %ld %s %s gap %g", i, names[kinds[0]], names[kinds[1]], s.gap/s.size);
        for (k = 0; k < 12; k += 3) {
            dc_v3 d = dc_sub(dc_vec(g2[k], g2[k + 1], g2[k + 2]), dc_quat_rotate(common.q, dc_vec(g[k], g[k + 1], g[k + 2])));
            worst_add(&turn, norm(d)/eg[k%6/3], "case %ld %s %s gap %g", i, names[kinds[0]], names[kinds[1]], s.gap/s.size);
        }

        /* swapped */
        ASSERT_EQ(DC_OK, eval(&s, 1, &P2, g2, NULL, NULL));
        worst_add(&swap, fabs((double)(P2 - P))/e, "case %ld %s %s gap %g", i, names[kinds[0]], names[kinds[1]], s.gap/s.size);
        for (k = 0; k < 12; k += 3) {
            dc_v3 d = dc_sub(dc_vec(g2[(k + 6)%12], g2[(k + 7)%12], g2[(k + 8)%12]), dc_vec(g[k], g[k + 1], g[k + 2]));
            worst_add(&swap, norm(d)/eg[k%6/3], "case %ld %s %s gap %g", i, names[kinds[0]], names[kinds[1]], s.gap/s.size);
        }

        /* never pulling: the net force, and that of every cluster term below */
        worst_add(&cone, off_the_cone(s.hull, s.p[0], s.hull + 1, s.p + 1, F, s.size), "case %ld bodies %s %s gap %g", i, names[kinds[0]], names[kinds[1]], s.gap/s.size);
        tmp = dc_arena_make(scratch, sizeof scratch);
        n.a = s.t;
        n.b = s.t + 1;
        n.pa = s.p[0];
        n.pb = s.p[1];
        n.want = 1;
        n.mem = &tmp;
        ASSERT_EQ(DC_OK, naive_eval(&n, &s.o, &sum));
        for (k = 0; k < 4; ++k) {
            static dc_v3 part[2][3*MESH_TRIANGLES];
            int node[2], side;
            dc_hull h[2] = DC_ZERO;
            for (side = 0; side < 2; ++side) {
                int stack[64], top = 0, count3 = 0;
                node[side] = rng_int(&r, 0, 2*s.t[side].n - 2);
                stack[top++] = node[side];
                while (top > 0) {
                    const dc_bsh_node *q = s.t[side].node + stack[--top];
                    if (q->left >= 0) {
                        stack[top++] = q->left;
                        stack[top++] = q->right;
                    } else {
                        memcpy(part[side] + count3, points[side] + 3*q->triangle, 3*sizeof(dc_v3));
                        count3 += 3;
                    }
                }
                h[side].v = part[side];
                h[side].n = count3;
            }
            naive_process(&n, node[0], node[1], &sum);
            ASSERT_EQ(DC_OK, n.status);
            worst_add(&cone, off_the_cone(h, s.p[0], h + 1, s.p + 1, dc_vec(-sum.g[0], -sum.g[1], -sum.g[2]), s.size), "case %ld nodes %d %d of %s %s gap %g",
                      i, node[0], node[1], names[kinds[0]], names[kinds[1]], s.gap/s.size);
        }
        worst_add(&lemma, 1 - (double)n.least, "case %ld %s %s gap %g weighted %d", i, names[kinds[0]], names[kinds[1]], s.gap/s.size, s.o.weighted);

        /* dropping and shifting terms only ever lowers the sum over all pairs */
        tmp = dc_arena_make(scratch, sizeof scratch);
        ASSERT_EQ(DC_OK, dc_bsh_brute(&s.o, s.t, s.p, s.t + 1, s.p + 1, &tmp, &P2, NULL, NULL, NULL));
        worst_add(&all, (double)P/(double)P2 - 1, "case %ld %s %s gap %g weighted %d", i, names[kinds[0]], names[kinds[1]], s.gap/s.size, s.o.weighted);
    }
    printf("  %ld of %ld cases placed\n", done, count);
    ASSERT(10*done >= 9*count);
    ASSERT(worst_print(&law, 2) & worst_print(&rigid, 16) & worst_print(&turn, 16) & worst_print(&swap, 16));
    ASSERT(worst_print(&cone, TOUCH) & worst_print(&lemma, 16*EPS) & worst_print(&all, 16*EPS));
    PASS();
}

/* Out to a million body sizes the force is that of the two roots, Eq. 7, and not zero. */
TEST the_force_never_vanishes(void)
{
    worst e = worst_make("force against Eq. 7");
    long count = sweep_count(200), i;
    rng r;
    rng_seed(&r, 5);
    for (i = 0; i < count; ++i) {
        static sample s;
        int kinds[2];
        dc_real P, g[12];
        dc_v3 way, F;
        dc_bsh_info info;
        double far, D, want;
        if (!make(&s, &r, 1, 2, kinds)) continue;
        far = s.size*rng_log(&r, 30, 1e6);
        way = random_vec(&r, 1);
        s.p[0].t = dc_madd(s.p[1].t, (dc_real)(far/norm(way)), way);
        ASSERT_EQ(DC_OK, eval(&s, 0, &P, g, NULL, &info));
        ASSERT(info.inner_far + info.leaf_far == 1 && info.inner_near + info.inner_blended + info.leaf_near + info.leaf_blended == 0);
        F = dc_vec(-g[0], -g[1], -g[2]);
        way = dc_sub(dc_pose_apply(s.p[0], s.t[0].o), dc_pose_apply(s.p[1], s.t[1].o));
        D = (norm(way) + (s.o.weighted ? (double)(s.t[0].node->R + s.t[1].node->R) : 0))/(double)s.o.length;
        want = 12*(1 + 1/sqrt(D))*pow(D, -1.5)/(double)s.o.length*(s.o.weighted ? (double)s.t[0].n*(double)s.t[1].n : 1);
        ASSERT(dc_dot(F, way) > 0);
        worst_add(&e, fabs(norm(F)/want - 1)/EPS, "case %ld at %g sizes", i, far/s.size);
    }
    ASSERT(worst_print(&e, 32));
    PASS();
}

/* Along an approach the value rises without bound; behind the surface it is overlap, and the pair that is named intersects. */
TEST contact_is_a_barrier(void)
{
    long count = sweep_count(300), i, overlaps = 0, apart = 0;
    rng r;
    rng_seed(&r, 8);
    for (i = 0; i < count; ++i) {
        static sample s;
        int kinds[2], k;
        dc_real P, last = 0;
        dc_distance d = DC_ZERO;
        dc_bsh_info info;
        dc_pose from;
        if (!make(&s, &r, 1, 2, kinds)) continue;
        ASSERT_EQ(DC_OK, dc_hull_distance(s.hull, s.p, s.hull + 1, s.p + 1, NULL, &d));
        from = s.p[0];
        for (k = 0; k < (DC_IS_FLOAT ? 4 : 8); ++k) {
            double gap = s.size*pow(10, -1 - k);
            s.p[0].t = dc_madd(from.t, (dc_real)gap - d.gap, d.n);
            ASSERT_EQ(DC_OK, eval(&s, 0, &P, NULL, NULL, NULL));
            ASSERT(P > last);
            last = P;
            if (gap < 1e-3*s.size) ASSERT((double)P > 0.05*s.size/gap/(double)(s.t[0].n*s.t[1].n));
        }
        /* driven in: an intersection of triangles, or none at all (open or nested shapes) */
        s.p[0].t = dc_madd(from.t, -d.gap - (dc_real)(s.size*rng_log(&r, 1e-3, 2)), d.n);
        P = -1;
        if (eval(&s, 0, &P, NULL, NULL, &info) == DC_E_OVERLAP) {
            dc_hull a = DC_ZERO, b = DC_ZERO;
            dc_distance near = DC_ZERO;
            dc_status st;
            ++overlaps;
            ASSERT(P > DC_REAL_MAX);
            a.v = points[0] + 3*info.triangle_a;
            b.v = points[1] + 3*info.triangle_b;
            a.n = b.n = 3;
            st = dc_hull_distance(&a, s.p, &b, s.p + 1, NULL, &near);
            ASSERT(st == DC_E_OVERLAP || (st == DC_OK && (double)near.gap < 64*EPS*(norm(s.p[0].t) + norm(s.p[1].t) + s.size)));
        } else {
            int a, b;
            ++apart;
            ASSERT(P > 0 && dc_finite(P));
            for (a = 0; a < s.t[0].n; ++a)
                for (b = 0; b < s.t[1].n; ++b) {
                    dc_hull ha = DC_ZERO, hb = DC_ZERO;
                    dc_distance near = DC_ZERO;
                    ha.v = points[0] + 3*a;
                    hb.v = points[1] + 3*b;
                    ha.n = hb.n = 3;
                    ASSERT_EQ(DC_OK, dc_hull_distance(&ha, s.p, &hb, s.p + 1, NULL, &near));
                }
        }
    }
    printf("  %ld overlaps, %ld without\n", overlaps, apart);
    ASSERT(overlaps > 4*apart || count < 10);
    PASS();
}

/* A body strictly inside another does not touch it: finite. */
TEST a_body_inside_another_is_apart(void)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = dc_arena_make(scratch, sizeof scratch);
    dc_bsh out, in;
    dc_real P;
    int k;
    mesh_icosphere(shape, 1);
    ASSERT_EQ(DC_OK, dc_bsh_build(shape->v, shape->nv, shape->tri, shape->nt, &mem, &out, NULL));
    for (k = 0; k < shape->nv; ++k) shape->v[k] = dc_scale(DC_R(0.3), shape->v[k]);
    ASSERT_EQ(DC_OK, dc_bsh_build(shape->v, shape->nv, shape->tri, shape->nt, &mem, &in, NULL));
    ASSERT_EQ(DC_OK, dc_bsh_eval(NULL, &out, NULL, &in, NULL, &tmp, NULL, &P, NULL, NULL, NULL));
    ASSERT(dc_finite(P) && P > 0);
    PASS();
}

/* ---- determinism ----------------------------------------------------------------------------------- */

/* What the scratch held before, and what was called before, changes no bit. */
TEST stale_memory_changes_no_bit(void)
{
    long count = sweep_count(60), i;
    rng r;
    rng_seed(&r, 6);
    for (i = 0; i < count; ++i) {
        static const int fills[4] = {0, 0xff, 0x7f, 0x55};
        static sample s;
        static dc_bsh_contact list[2][4000];
        int kinds[2], k, n[2];
        dc_real P[2], g[2][12], H[2][144];
        dc_bsh_info info[2];
        if (!make(&s, &r, 1e-2, 1, kinds)) continue;
        for (k = 0; k < 4; ++k) {
            int to = k > 0;
            dc_arena tmp = dc_arena_make(scratch, sizeof scratch);
            memset(scratch, fills[k], sizeof scratch);
            memset(list[to], 0, sizeof list[to]);
            ASSERT_EQ(DC_OK, eval(&s, 0, P + to, g[to], H[to], info + to));
            memset(scratch, fills[3 - k], sizeof scratch);
            ASSERT_EQ(DC_OK, dc_bsh_contacts(&s.o, s.t, s.p, s.t + 1, s.p + 1, &tmp, NULL, 4000, list[to], n + to, NULL));
            ASSERT(k == 0 || (memcmp(P, P + 1, sizeof *P) == 0 && memcmp(g, g + 1, sizeof *g) == 0 && memcmp(H, H + 1, sizeof *H) == 0));
            ASSERT(k == 0 || (n[0] == n[1] && memcmp(list[0], list[1], sizeof list[0]) == 0 && info[0].leaf_near == info[1].leaf_near));
        }
    }
    PASS();
}

/* Bumpy spheres without the platform's mathematics: values, derivatives, contacts and planes from a cache. */
TEST bits_are_the_same_on_every_machine(void)
{
#ifdef DC_TEST_NO_CONTRACT
    static unsigned char store[1 << 17];
    uint64_t h = UINT64_C(14695981039346656037);
    dc_arena keep = dc_arena_make(store, sizeof store);
    dc_bsh_cache cache;
    rng r;
    int i, k;
    rng_seed(&r, 99);
    ASSERT_EQ(DC_OK, dc_bsh_cache_make(500, &keep, &cache));
    for (i = 0; i < 40; ++i) {
        dc_arena mem = dc_arena_make(memory, sizeof memory), tmp = dc_arena_make(scratch, sizeof scratch);
        dc_bsh t[2];
        dc_bsh_options o = DC_ZERO;
        dc_pose p[2];
        dc_real P = 0, g[12], H[144];
        static dc_bsh_contact list[4000];
        int n = 0, side;
        for (side = 0; side < 2; ++side) {
            mesh *m = shape;
            int a, b;
            m->nv = m->nt = 0;
            for (a = 0; a < 6; ++a)
                for (b = 0; b < 6; ++b) mesh_vertex(m, a*0.25, b*0.25, 0);
            mesh_grid(m, 0, 5, 5, 6);
            for (k = 0; k < m->nv; ++k) m->v[k].z = (dc_real)rng_uniform(&r, 0, 0.125);
            ASSERT_EQ(DC_OK, dc_bsh_build(m->v, m->nv, m->tri, m->nt, &mem, t + side, NULL));
            p[side].q.w = (dc_real)0.96;
            p[side].q.x = side ? (dc_real)0.28 : 0;
            p[side].q.y = side ? 0 : (dc_real)0.28;
            p[side].q.z = 0;
            p[side].t = dc_vec(0, 0, 0);
        }
        p[0].t.z = (dc_real)rng_uniform(&r, 0.5, 2.5);
        p[0].t.x = (dc_real)rng_uniform(&r, -0.5, 0.5);
        o.weighted = i%2;
        o.eps = (dc_real)rng_uniform(&r, 0.2, 1);
        if (dc_bsh_eval(&o, t, p, t + 1, p + 1, &tmp, i%4 < 2 ? &cache : NULL, &P, g, H, NULL) != DC_OK) continue;
        h = mix(mix(mix(h, &P, 1), g, 12), H, 144);
        if (dc_bsh_eval(&o, t, p, t + 1, p + 1, &tmp, NULL, &P, g, NULL, NULL) == DC_OK) h = mix(mix(h, &P, 1), g, 12);
        if (dc_bsh_contacts(&o, t, p, t + 1, p + 1, &tmp, NULL, 4000, list, &n, NULL) == DC_OK)
            for (k = 0; k < n; ++k) h = mix(mix(mix(h, &list[k].value, 1), list[k].force, 6), list[k].weight_grad, 12);
        if (dc_bsh_brute(&o, t, p, t + 1, p + 1, &tmp, &P, NULL, NULL, NULL) == DC_OK) h = mix(h, &P, 1);
    }
    printf("  hash %016llx\n", (unsigned long long)h);
    ASSERT(h == (DC_IS_FLOAT ? UINT64_C(0x8596b04caa47e9e2) : UINT64_C(0xe3d2285d3f5afcec)));
    PASS();
#else
    SKIPm("needs -ffp-contract=off and DC_TEST_NO_CONTRACT");
#endif
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(the_potential_behaves);
    RUN_TEST(the_force_never_vanishes);
    RUN_TEST(contact_is_a_barrier);
    RUN_TEST(a_body_inside_another_is_apart);
    RUN_TEST(stale_memory_changes_no_bit);
    RUN_TEST(bits_are_the_same_on_every_machine);
    GREATEST_MAIN_END();
}
