/* dc_ncp.h: a ball falls onto the ground. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#include "board.h"
#include "dc_ncp.h"

static unsigned char of_shapes[2048];

int main(void)
{
    dc_arena shapes = dc_arena_make(of_shapes, sizeof of_shapes);
    dc_shape ball = DC_ZERO, ground = DC_ZERO;
    dc_ncp_body body = DC_ZERO;
    dc_ncp_contact touch = DC_ZERO;
    dc_ncp_scene scene = DC_ZERO;
    int i;

    if (dc_shape_sphere(3, DC_R(0.5), &shapes, &ball) != DC_OK) return 1;
    if (dc_shape_halfspace(3, dc_vec(0, 0, 1), 0, &shapes, &ground) != DC_OK) return 1;
    body.pose.q.w = body.mass = body.inertia.m[0] = body.inertia.m[4] = body.inertia.m[8] = 1;
    body.pose.t.z = 1;
    touch.body[1] = -1;
    touch.shape[0] = &ball;
    touch.shape[1] = &ground;
    touch.mu = DC_R(0.5);
    scene.dim = 3;
    scene.h = DC_R(0.01);
    scene.gravity.z = DC_R(-9.81);
    scene.bodies = scene.contacts = 1;
    scene.body = &body;
    scene.contact = &touch;
    for (i = 0; i < BOARD_STATES; ++i) {
        dc_arena mem = dc_arena_make(board_memory, sizeof board_memory);
        dc_status status = DC_OK;
        board_start();
        if (BOARD_CALLS) status = dc_ncp_step(NULL, &scene, &mem, &body, NULL, NULL);
        board_stop(status);
        board_wrote(&body.pose, sizeof body.pose);
    }
    i = board_report("ncp_ball", dc_ncp_bytes(NULL, &scene));
    return i || !(body.pose.t.z > DC_R(0.45) && body.pose.t.z < DC_R(0.55));
}
