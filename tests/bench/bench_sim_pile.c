/* A step of a pile of boxes of mixed sizes between walls, with all defaults: time, Newton steps of the island that took
 * most and of a box, islands, contacts, memory, and how the time grows. bench_sim_pile REPEATS; 300 boxes from 5 repeats on, 1000 from 15 on: these take minutes
 * to settle. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SIM_NO_GRAINS
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>

#define R(x) ((dc_real)(x))
enum { BODIES = 1000, WALLS = 5, SETTLE = 60, TIMED = 4 };

static unsigned char model_memory[1 << 27];
static unsigned char memory[(size_t)5 << 28];

typedef struct {
    dc_sim sim;
    dc_sim_desc desc;
    dc_sim_link link[BODIES];
    dc_hull hull[BODIES];
    dc_v3 vertex[8*BODIES];
    dc_sim_plane wall[WALLS];
    dc_real q[TIMED + 2][7*BODIES];             /* the states that are timed, one after the other */
    long iterations, contacts, islands;
    double newton;
    int failed;
    size_t bytes;
} pile;

static pile scene_of;

/* one step from the states `from` and the one after it */
static int step(pile *p, int from)
{
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_sim_info info = DC_ZERO;
    const dc_status s = dc_sim_step(&p->sim, p->q[from], p->q[from + 1], NULL, &mem, p->q[from + 2], &info);
    p->iterations += info.iterations;
    p->contacts += info.contacts;
    p->islands += info.islands;
    p->newton += (double)info.newton;
    p->bytes = info.bytes > p->bytes ? info.bytes : p->bytes;
    p->failed += s == DC_E_DIVERGED;
    return s == DC_OK || s == DC_E_DIVERGED;
}

/* n boxes in layers between walls, about as wide as high, let fall and settle */
static int build(pile *p, int n)
{
    const int across = (int)ceil(cbrt(n));
    const double side = 0.22*across;
    dc_arena mem = dc_arena_make(model_memory, sizeof model_memory);
    int i, k;
    memset(p, 0, sizeof *p);
    for (i = 0; i < n; ++i) {
        const dc_v3 half = dc_vec(R(0.12 + 0.01*(i%3)), R(0.09 + 0.01*(i%4)), R(0.07 + 0.01*(i%5)));
        dc_sim_link *l = p->link + i;
        for (k = 0; k < 8; ++k)
            p->vertex[8*i + k] = dc_vec(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
        p->hull[i].v = p->vertex + 8*i;
        p->hull[i].n = 8;
        l->parent = -1;
        l->hull = p->hull + i;
        l->hulls = 1;
        l->density = 500;
        l->friction = R(0.7);
    }
    for (k = 0; k < WALLS; ++k) {
        p->wall[k].n = dc_vec(R(k == 1) - R(k == 2), R(k == 3) - R(k == 4), R(k == 0));
        p->wall[k].d = k ? R(side) : 0;
        p->wall[k].friction = R(0.7);
    }
    p->desc.link = p->link;
    p->desc.links = n;
    p->desc.plane = p->wall;
    p->desc.planes = WALLS;
    p->desc.h = R(0.01);
    p->desc.gravity.z = R(-9.81);
    if (dc_sim_build(&p->desc, &mem, &p->sim, NULL) != DC_OK || dc_sim_step_bytes(&p->sim) == 0) return 0;

    for (i = 0; i < n; ++i) {
        const int column = i%across, row = i/across%across, layer = i/(across*across);
        dc_real *q = p->q[0] + 7*i;
        const dc_quat turn = dc_quat_exp(dc_vec(R(0.3*(i%5)), R(0.2*(i%3)), R(0.1*(i%31))));
        q[0] = turn.w;
        q[1] = turn.x;
        q[2] = turn.y;
        q[3] = turn.z;
        q[4] = R(0.44*(column + 0.5) - side);
        q[5] = R(0.44*(row + 0.5) - side);
        q[6] = R(0.23 + 0.44*layer + 0.01*(i%3));
    }
    memcpy(p->q[1], p->q[0], sizeof p->q[0]);
    for (i = 0; i < SETTLE; ++i) {
        if (!step(p, 0)) return 0;
        memmove(p->q[0], p->q[1], 2*sizeof p->q[0]);
    }
    return 1;
}

int main(int argc, char **argv)
{
    static const int count[4] = {10, 100, 300, 1000};
    double of_one[4] = {0, 0, 0, 0}, of_all[4] = {0, 0, 0, 0};
    int i, k, n;
    bench_begin(argc, argv);
    n = bench_repeats >= 15 ? 4 : bench_repeats >= 5 ? 3 : 2;
    for (i = 0; i < n; ++i) {
        char name[32];
        pile *p = &scene_of;
        double seconds;
        snprintf(name, sizeof name, "sim_pile_%d", count[i]);
        if (!build(p, count[i])) return 1;
        bench_line(name, "not_solved_while_it_settles", p->failed, "steps");
        p->iterations = p->contacts = p->islands = 0;
        p->newton = 0;
        seconds = bench_seconds();
        for (k = 0; k < TIMED; ++k) if (!step(p, k)) return 1;
        seconds = (bench_seconds() - seconds)/TIMED;
        of_one[i] = seconds*TIMED/p->newton;
        of_all[i] = seconds;
        bench_line(name, "contacts", (double)p->contacts/TIMED, "contacts");
        bench_line(name, "islands", (double)p->islands/TIMED, "islands");
        bench_line(name, "newton", (double)p->iterations/TIMED, "steps");
        bench_line(name, "newton_of_a_box", p->newton/TIMED, "steps");
        bench_line(name, "step", 1e3*seconds, "ms");
        bench_line(name, "memory", 1e-6*(double)p->bytes, "MB");
        bench_line(name, "newton_step", 1e3*of_one[i], "ms");
    }
    for (i = 1; i < n; ++i) {
        char name[64];
        const double times = log((double)count[i]/count[i - 1]);
        snprintf(name, sizeof name, "growth_exponent_of_one_newton_step_%d_to_%d", count[i - 1], count[i]);
        bench_line("sim_pile", name, log(of_one[i]/of_one[i - 1])/times, "power");
        snprintf(name, sizeof name, "growth_exponent_%d_to_%d", count[i - 1], count[i]);
        bench_line("sim_pile", name, log(of_all[i]/of_all[i - 1])/times, "power");
    }
    return 0;
}
