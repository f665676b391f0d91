/* A step of a pile of mixed bodies in a box: cold, and warm from the step before, means over the same steps of its way; Newton
 * steps, memory, and how the time of one grows. bench_ncp_pile REPEATS; 300 bodies from 5 repeats on, 1000 from 15 on: these take
 * minutes to settle. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include <math.h>

#define R(x) ((dc_real)(x))
enum { BODIES = 1000, CONTACTS = 12*BODIES, STRIDE = 160, KINDS = 4, WALLS = 5, SETTLE = 60, STEPS = 5 };

static unsigned char shape_memory[1 << 14], memory[(size_t)1 << 30];
static dc_shape kind[KINDS], wall[WALLS];

typedef struct {
    dc_ncp_scene scene;
    dc_ncp_body body[BODIES];
    dc_ncp_part part[BODIES + WALLS];
    dc_ncp_contact contact[CONTACTS];
    dc_ncp_memory kept;
    int key[CONTACTS];
    dc_real keep[CONTACTS*STRIDE];
    int failed;
    long iterations, contacts;
    double seconds;
    size_t used;
} pile;

static pile scene_of, settled;

/* the contacts between all bodies and walls nearer than the margin, where they are now */
static int touch(pile *p, double margin)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    return dc_ncp_contacts(NULL, &p->scene, p->scene.bodies + WALLS, p->part, R(margin), 0, NULL, &p->kept, CONTACTS, p->contact, &p->scene.contacts,
                           &mem) == DC_OK;
}

static void step(pile *p)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_ncp_info info = DC_ZERO;
    dc_ncp *solution = NULL;
    const double begin = bench_seconds();
    p->failed += dc_ncp_step(NULL, &p->scene, &mem, p->body, &solution, &info) != DC_OK;
    p->seconds += bench_seconds() - begin;
    p->iterations += info.iterations;
    p->contacts += p->scene.contacts;
    if (mem.used > p->used) p->used = mem.used;
}

/* n bodies in layers inside walls, as wide as high, let fall and settle */
static int build(pile *p, int n)
{
    static const double radius[KINDS] = {0.2167, 0.1301, 0.1901, 0.1563};      /* of the kinds' balls */
    const int across = (int)ceil(cbrt(n));
    const double side = 0.17*across;
    int i, k;
    memset(p, 0, sizeof *p);
    p->kept.most = CONTACTS;
    p->kept.stride = STRIDE;
    p->kept.key = p->key;
    p->kept.keep = p->keep;
    for (i = 0; i < n; ++i) {
        const int column = i%across, row = i/across%across, layer = i/(across*across);
        dc_ncp_body *b = p->body + i;
        b->pose.q = dc_quat_exp(dc_vec(R(0.3*(i%5)), R(0.2*(i%3)), R(0.1*(i%31))));
        b->pose.t = dc_vec(R(0.34*(column + 0.5) - side), R(0.34*(row + 0.5) - side), R(0.17 + 0.3*layer + 0.01*(i%3)));
        b->mass = R(0.5 + 0.1*(i%11));
        b->inertia.m[0] = b->inertia.m[4] = b->inertia.m[8] = R(0.008);
        p->part[i].body = i;
        p->part[i].shape = kind + i%KINDS;
        p->part[i].radius = R(radius[i%KINDS]);
        p->part[i].mu = R(0.4);
    }
    for (k = 0; k < WALLS; ++k) {
        const dc_v3 normal = dc_vec(R(k == 1) - R(k == 2), R(k == 3) - R(k == 4), R(k == 0));
        dc_arena shapes = dc_arena_make(shape_memory + 8192 + 512*k, 512);
        if (dc_shape_halfspace(3, normal, k ? R(-side) : 0, &shapes, wall + k) != DC_OK) return 0;
        p->part[n + k].body = -1;
        p->part[n + k].shape = wall + k;
        p->part[n + k].mu = R(0.4);
    }
    p->scene.dim = 3;
    p->scene.h = R(0.005);
    p->scene.gravity.z = R(-9.81);
    p->scene.bodies = n;
    p->scene.body = p->body;
    p->scene.contact = p->contact;
    for (i = 0; i < SETTLE; ++i) {
        if (!touch(p, 0.02)) return 0;
        step(p);
    }
    return touch(p, 0.005);
}

int main(int argc, char **argv)
{
    static const int count[4] = {30, 100, 300, 1000};
    dc_arena shapes = dc_arena_make(shape_memory, 8192);
    double of_one[4] = {0, 0, 0, 0};
    int i, n;
    bench_begin(argc, argv);
    if (dc_shape_box(3, dc_vec(R(0.15), R(0.12), R(0.1)), &shapes, kind) != DC_OK || dc_shape_sphere(3, R(0.13), &shapes, kind + 1) != DC_OK
        || dc_shape_capsule(3, R(0.09), R(0.2), &shapes, kind + 2) != DC_OK || dc_shape_cylinder(3, R(0.12), R(0.2), &shapes, kind + 3) != DC_OK)
        return 1;
    n = bench_repeats >= 15 ? 4 : bench_repeats >= 5 ? 3 : 2;
    for (i = 0; i < n; ++i) {
        char name[32];
        pile *p = &scene_of;
        int warm, k, c;
        snprintf(name, sizeof name, "ncp_pile_%d", count[i]);
        if (!build(p, count[i])) return 1;
        bench_line(name, "not_solved_while_it_settles", p->failed, "steps");
        bench_line(name, "memory/by_dc_ncp_bytes", (double)dc_ncp_bytes(NULL, &p->scene)/1e6, "MB");
        memcpy(&settled, p, sizeof settled);
        for (warm = 0; warm < 2; ++warm) {
            memcpy(p, &settled, sizeof settled);
            p->failed = 0;
            p->iterations = p->contacts = 0;
            p->seconds = 0;
            p->used = 0;
            for (k = 0; k < STEPS; ++k) {
                if (!touch(p, 0.005)) return 1;
                for (c = 0; !warm && c < p->scene.contacts; ++c) if (p->contact[c].keep) p->contact[c].keep[0] = 0;
                step(p);
            }
            bench_line(name, warm ? "warm" : "cold", 1e3*p->seconds/STEPS, "ms");
            bench_line(name, warm ? "warm/newton" : "cold/newton", (double)p->iterations/STEPS, "steps");
            bench_line(name, warm ? "warm/not_solved" : "cold/not_solved", p->failed, "steps");
            if (!warm) of_one[i] = p->seconds/(double)p->iterations;
        }
        bench_line(name, "contacts", (double)p->contacts/STEPS, "contacts");
        bench_line(name, "memory", (double)p->used/1e6, "MB");
    }
    for (i = 1; i < n; ++i) {
        char name[48];
        snprintf(name, sizeof name, "growth_exponent_of_one_newton_step_%d_to_%d", count[i - 1], count[i]);
        bench_line("ncp_pile", name, log(of_one[i]/of_one[i - 1])/log((double)count[i]/count[i - 1]), "power");
    }
    return 0;
}
