/* dc_sim.h: an arm of three hinges falls onto the floor. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "board.h"
#include "dc_sim.h"

enum { LINKS = 3 };
static unsigned char of_model[1 << 14];

int main(void)
{
    static const dc_real half[LINKS][3] = {
        {DC_R(0.04), DC_R(0.04), DC_R(0.24)}, {DC_R(0.03), DC_R(0.03), DC_R(0.19)}, {DC_R(0.02), DC_R(0.02), DC_R(0.09)}
    };
    static const dc_real length[LINKS] = {DC_R(0.5), DC_R(0.4), DC_R(0.2)}, mass[LINKS] = {2, DC_R(1.2), DC_R(0.5)};
    static dc_v3 v[LINKS][8];
    static dc_sim_link link[LINKS];
    static dc_real q[3][LINKS] = {{DC_R(0.5), DC_R(0.8), DC_R(0.3)}, {DC_R(0.5), DC_R(0.8), DC_R(0.3)}};
    dc_arena model = dc_arena_make(of_model, sizeof of_model);
    dc_hull hull[LINKS];
    dc_sim_plane floor = {{0, 0, 1}, 0, DC_R(0.5)};
    dc_sim_desc desc = DC_ZERO;
    dc_sim sim;
    int i, k;

    for (i = 0; i < LINKS; ++i) {
        for (k = 0; k < 8; ++k)
            v[i][k] = dc_vec(k & 1 ? half[i][0] : -half[i][0], k & 2 ? half[i][1] : -half[i][1],
                             DC_R(0.5)*length[i] + (k & 4 ? half[i][2] : -half[i][2]));
        hull[i].v = v[i];
        hull[i].radius = 0;
        hull[i].n = 8;
        link[i].parent = i - 1;
        link[i].joint = DC_SIM_HINGE;
        link[i].attach.q.w = 1;
        link[i].attach.t.z = i == 0 ? DC_R(0.4) : length[i - 1];
        link[i].axis.y = 1;
        link[i].hull = &hull[i];
        link[i].hulls = 1;
        link[i].mass = mass[i];
        link[i].friction = DC_R(0.5);
        link[i].damping = DC_R(0.1);
    }
    desc.link = link;
    desc.links = LINKS;
    desc.plane = &floor;
    desc.planes = 1;
    desc.h = DC_R(0.01);
    desc.gravity.z = DC_R(-9.81);
    desc.length = DC_R(0.05);
    desc.stiffness = 1;
    desc.friction.eps_f = desc.friction.eps_v = DC_R(1e-6);
    if (dc_sim_build(&desc, &model, &sim, NULL) != DC_OK) return 1;

    for (i = 0; i < BOARD_STATES; ++i) {
        dc_arena mem = dc_arena_make(board_memory, sizeof board_memory);
        dc_status status = DC_OK;
        board_start();
        if (BOARD_CALLS) status = dc_sim_step(&sim, q[i%3], q[(i + 1)%3], NULL, &mem, q[(i + 2)%3], NULL);
        board_stop(status);
        board_wrote(q[(i + 2)%3], sizeof q[0]);
    }
    return board_report("sim_arm", dc_sim_step_bytes(&sim));
}
