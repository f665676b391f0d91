/* ncp_arch.c - Couplet's arch: a semicircle of stones without mortar stands where its thickness is above 0.107 of its radius, and
 * falls below. Stones are hulls of eight vertices, friction is high. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include "cli.h"

#define R(x) ((dc_real)(x))
enum { STONES = 40 };

static unsigned char shape_memory[1 << 16], memory[1 << 24];

/* how far the highest stone has come down, in thicknesses; *unsolved counts steps */
static double sinks(int stones, int steps, double thickness, int *unsolved)
{
    static dc_ncp_body body[STONES];
    static dc_ncp_contact contact[STONES + 1];
    static dc_shape shape[STONES + 1];
    const double radius = 1, half_depth = 0.2, pi = 3.14159265358979323846;
    dc_arena shapes = dc_arena_make(shape_memory, sizeof shape_memory), mem = dc_arena_make(memory, sizeof memory);
    dc_ncp_scene scene = DC_ZERO;
    double before;
    int i, k;

    memset(body, 0, sizeof body);
    memset(contact, 0, sizeof contact);
    dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &shapes, shape + stones);
    for (i = 0; i < stones; ++i) {
        const double from = pi*i/stones, to = pi*(i + 1)/stones, at = (from + to)/2;
        const double x = radius*cos(at), z = radius*sin(at), chord = radius*(to - from);
        const double mass = 2000*chord*thickness*2*half_depth, ring = (chord*chord + thickness*thickness)/12;
        dc_v3 v[8];
        for (k = 0; k < 8; ++k) {
            const double angle = k & 1 ? to : from, r = radius + (k & 2 ? thickness : -thickness)/2;
            v[k] = dc_vec(R(r*cos(angle) - x), R(k & 4 ? half_depth : -half_depth), R(r*sin(angle) - z));
        }
        if (dc_shape_hull(3, 8, v, &shapes, shape + i) != DC_OK) return -1;
        body[i].pose.q.w = 1;
        body[i].pose.t = dc_vec(R(x), 0, R(z));
        body[i].mass = R(mass);
        body[i].inertia.m[0] = body[i].inertia.m[8] = R(mass*(chord*chord/12 + half_depth*half_depth/3));
        body[i].inertia.m[4] = R(mass*ring);
        contact[i].body[0] = i;                             /* on the stone before, the first on the ground */
        contact[i].body[1] = i - 1;
        contact[i].shape[0] = shape + i;
        contact[i].shape[1] = shape + (i ? i - 1 : stones);
        contact[i].mu = R(0.8);
    }
    contact[stones] = contact[0];                           /* so the last */
    contact[stones].body[0] = stones - 1;
    contact[stones].shape[0] = shape + stones - 1;

    scene.dim = 3;
    scene.h = R(0.01);
    scene.gravity.z = R(-9.81);
    scene.bodies = stones;
    scene.contacts = stones + 1;
    scene.body = body;
    scene.contact = contact;
    before = (double)body[stones/2].pose.t.z;
    for (i = 0; i < steps; ++i) *unsolved += dc_ncp_step(NULL, &scene, &mem, body, NULL, NULL) != DC_OK;
    return (before - (double)body[stones/2].pose.t.z)/thickness;
}

int main(int argc, char **argv)
{
    static const double thickness[3] = {0.09, 0.10, 0.12};
    double count = 15, length = 60;
    const cli_number number[2] = {{"stones", &count, 5, STONES, "stones"}, {"steps", &length, 1, 1e6, "time steps of 10 ms"}};
    const cli o = cli_parse(argc, argv, "Lets arches of stones stand or fall and prints how far they sink.", NULL, number, 2);
    const int stones = (int)count, steps = o.quick ? 20 : (int)length;
    int k, unsolved = 0;
    for (k = 0; k < 3; ++k)
        printf("thickness %.2f of the radius: the keystone sinks by %.3g thicknesses in %g s\n", thickness[k],
               sinks(stones, steps, thickness[k], &unsolved), 0.01*steps);
    printf("%d of %d steps not solved\n", unsolved, 3*steps);
    return cli_exit(unsolved*50 > 3*steps ? CLI_FAILED : CLI_DONE);
}
