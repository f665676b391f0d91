/* LRI's billiards: sixteen balls of triangles on the ground, one of which runs into the others; a frame is a whole step, with all
 * of its Newton steps. The paper's frames take 0.6 s with 512 triangles in all and 3.18 s with 6208. */
#include "bench.h"

#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "dc_sim.h"

#include <math.h>

#include "mesh.h"

enum { BALLS = 16, FRAMES = 25 };

static unsigned char model_memory[1 << 23], scratch[1 << 24];
static dc_real q[3][7*BALLS];

static void check(dc_status s, const char *what)
{
    if (s == DC_OK) return;
    fprintf(stderr, "bench_billiards: %s: %s\n", what, dc_status_text(s));
    exit(1);
}

typedef struct { double mean, median, worst, newton; } cost;

static int by_size(const void *a, const void *b) { return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b); }

/* Balls of radius 1 m and 1 kg in a triangle, touching but for 2 % of it, the sixteenth at 2 m/s towards them; k and h of the paper's
 * Table 3. Seconds of CPU of a frame. */
static cost play(const mesh *ball)
{
    dc_arena mem = dc_arena_make(model_memory, sizeof model_memory);
    dc_sim_link link[BALLS];
    dc_sim_plane ground = {{0, 0, 1}, 0, DC_R(0.3)};
    dc_sim_desc d = DC_ZERO;
    dc_sim_info info = DC_ZERO;
    cost c = {0, 0, 0, 0};
    double all[FRAMES];
    dc_bsh tree;
    dc_sim sim;
    int k, row, col, t;
    check(dc_bsh_build(ball->v, ball->nv, ball->tri, ball->nt, &mem, &tree, NULL), "tree");
    memset(link, 0, sizeof link);
    for (k = 0; k < BALLS; ++k) {
        link[k].parent = -1;
        link[k].tree = &tree;
        link[k].mass = 1;
        link[k].friction = 1;
    }
    d.link = link;
    d.links = BALLS;
    d.plane = &ground;
    d.planes = 1;
    d.h = DC_R(0.04);
    d.gravity.z = DC_R(-9.81);
    d.stiffness = DC_R(1e-7);
    d.length = 1;
    d.friction.eps_f = d.friction.eps_v = DC_R(1e-6);
    d.trees = 1;
    d.contacts = 4096;
    d.reach = DC_R(0.1);
    d.tolerance = DC_R(1e-6);
    check(dc_sim_build(&d, &mem, &sim, NULL), "model");
    if (dc_sim_step_bytes(&sim) > sizeof scratch) check(DC_E_MEMORY, "scratch");
    dc_sim_neutral(&sim, q[0]);
    for (k = 0, row = 0; row < 5; ++row)
        for (col = 0; col <= row; ++col, ++k) {
            q[0][7*k + 4] = DC_R(2.02)*((dc_real)col - DC_R(0.5)*(dc_real)row);
            q[0][7*k + 5] = DC_R(2.02*0.8660254)*(dc_real)row;
        }
    q[0][7*15 + 5] = -3;
    for (k = 0; k < BALLS; ++k) q[0][7*k + 6] = DC_R(1.015);
    memcpy(q[1], q[0], sizeof q[0]);
    q[1][7*15 + 5] += 2*d.h;
    for (t = 0; t < FRAMES; ++t) {
        dc_arena a = dc_arena_make(scratch, sizeof scratch);
        double begin = bench_seconds(), time;
        dc_status s = dc_sim_step(&sim, q[t%3], q[(t + 1)%3], NULL, &a, q[(t + 2)%3], &info);
        time = bench_seconds() - begin;
        if (s != DC_E_DIVERGED) check(s, "step");
        else printf("# frame %d: %g of %g N left\n", t, (double)info.residual, (double)info.scale);
        all[t] = time;
        c.mean += time/FRAMES;
        c.worst = fmax(c.worst, time);
        c.newton += (double)info.iterations/FRAMES;
    }
    qsort(all, FRAMES, sizeof all[0], by_size);
    c.median = all[FRAMES/2];
    for (k = 0; k < BALLS; ++k) bench_keep((double)q[(t + 1)%3][7*k + 4]);
    return c;
}

int main(int argc, char **argv)
{
    static const int slices[3] = {4, 8, 14}, stacks[3] = {5, 9, 15};
    static mesh m;
    double first = 0, first_T = 0;
    int r;
    bench_begin(argc, argv);
    for (r = 0; r < 3; ++r) {
        cost c;
        double T;
        mesh_sphere(&m, slices[r], stacks[r]);
        T = BALLS*(double)m.nt;
        c = play(&m);
        printf("billiards/T%.0f %.3g s a frame, median %.3g, the longest %.3g, %.1f Newton steps", T, c.mean, c.median, c.worst, c.newton);
        if (r == 0) {
            first = c.median;
            first_T = T;
        } else printf(", exponent of the median from T%.0f %.2f", first_T, log(c.median/first)/log(T/first_T));
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
