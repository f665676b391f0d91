/* ncp_pile.c - mixed bodies fall into a box, a heavy one last; contacts are listed from the bodies' parts, and the solution of each
 * is kept for the next step by its pair. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "dc_ncp.h"

#include "cli.h"

#define R(x) ((dc_real)(x))
enum { BODIES = 200, CONTACTS = 2000, STRIDE = 160 };

static unsigned char shape_memory[1 << 18], memory[1 << 26];
static dc_ncp_body    body[BODIES];
static dc_ncp_part    part[BODIES + 5];
static dc_ncp_contact contact[CONTACTS];
static dc_shape       shape[BODIES + 5];
static int            key[CONTACTS];
static dc_real        keep[CONTACTS*STRIDE];

int main(int argc, char **argv)
{
    double count = 100, length = 100;
    const cli_number number[2] = {{"bodies", &count, 1, BODIES, "bodies"}, {"steps", &length, 1, 1e6, "time steps of 5 ms"}};
    const cli o = cli_parse(argc, argv, "Drops mixed bodies into a box and prints how the steps went.", NULL, number, 2);
    const int bodies = o.quick ? 20 : (int)count, steps = o.quick ? 40 : (int)length;
    const double side = 1.0, wall[5][4] = {{0, 0, 1, 0}, {1, 0, 0, -side}, {-1, 0, 0, -side}, {0, 1, 0, -side}, {0, -1, 0, -side}};
    dc_arena shapes = dc_arena_make(shape_memory, sizeof shape_memory), mem = dc_arena_make(memory, sizeof memory);
    dc_ncp_memory kept = DC_ZERO;
    dc_ncp_scene scene = DC_ZERO;
    int i, k, unsolved = 0, most = 0;
    long iterations = 0;
    double top = 0;

    kept.most = CONTACTS;
    kept.stride = STRIDE;
    kept.key = key;
    kept.keep = keep;

    /* four kinds in layers above the box; the last weighs as much as 200 others */
    for (i = 0; i < bodies; ++i) {
        const double mass = i == bodies - 1 ? 200 : 1, x = -0.75 + 0.5*(i%4), y = -0.75 + 0.5*(i/4%4), z = 0.3 + 0.35*(i/16) + 0.01*(i%7);
        dc_ncp_body *b = body + i;
        switch (i%4) {
        case 0: dc_shape_box(3, dc_vec(R(0.15), R(0.12), R(0.1)), &shapes, shape + i); break;
        case 1: dc_shape_sphere(3, R(0.13), &shapes, shape + i); break;
        case 2: dc_shape_capsule(3, R(0.09), R(0.2), &shapes, shape + i); break;
        default: dc_shape_cylinder(3, R(0.12), R(0.2), &shapes, shape + i); break;
        }
        b->pose.q = dc_quat_exp(dc_vec(R(0.3*(i%5)), R(0.2*(i%3)), R(0.1*i)));
        b->pose.t = dc_vec(R(x + 0.02*(i%3)), R(y - 0.02*(i%5)), R(z));
        b->mass = R(mass);
        b->inertia.m[0] = b->inertia.m[4] = b->inertia.m[8] = R(0.008*mass);
        part[i].body = i;
        part[i].shape = shape + i;
        part[i].radius = R(0.22);
        part[i].mu = R(0.4);
    }
    for (k = 0; k < 5; ++k) {
        dc_shape_halfspace(3, dc_vec(R(wall[k][0]), R(wall[k][1]), R(wall[k][2])), R(wall[k][3]), &shapes, shape + bodies + k);
        part[bodies + k].body = -1;
        part[bodies + k].shape = shape + bodies + k;
        part[bodies + k].mu = R(0.4);
    }

    scene.dim = 3;
    scene.h = R(0.005);
    scene.gravity.z = R(-9.81);
    scene.bodies = bodies;
    scene.body = body;
    scene.contact = contact;
    for (i = 0; i < steps; ++i) {
        dc_ncp_info info = DC_ZERO;
        if (dc_ncp_contacts(NULL, &scene, bodies + 5, part, R(0.02), 0, NULL, &kept, CONTACTS, contact, &scene.contacts, &mem) != DC_OK) return 1;
        unsolved += dc_ncp_step(NULL, &scene, &mem, body, NULL, &info) != DC_OK;
        iterations += info.iterations;
        if (scene.contacts > most) most = scene.contacts;
    }
    for (i = 0; i < bodies; ++i) if ((double)body[i].pose.t.z > top) top = (double)body[i].pose.t.z;
    printf("%d bodies, %d steps: at most %d contacts, %.1f iterations a step, %d steps not solved, the pile is %.2f m high\n", bodies, steps,
           most, (double)iterations/steps, unsolved, top);
    return cli_exit(unsolved*50 > steps ? CLI_FAILED : CLI_DONE);
}
