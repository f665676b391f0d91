/* dc_pair_rigid of two hulls of 8 vertices, with gradient and Hessian, both barriers, gaps from 0.001 to 0.1. */
#define DC_CONTACT_IMPLEMENTATION
#include "board.h"

static dc_real value, grad[12], hess[144];

int main(void)
{
    static const dc_real gaps[4] = {DC_R(0.001), DC_R(0.01), DC_R(0.03), DC_R(0.1)};
    static board_pair pair;
    static dc_pair_options opt;
    int barrier, k, bad = 0;
    for (barrier = 0; barrier < 2; ++barrier) {
        opt.barrier = barrier ? DC_LOCAL : DC_GLOBAL;
        for (k = 0; k < BOARD_STATES; ++k) {
            dc_hull a = {pair.v[0], 8, 0}, b = {pair.v[1], 8, 0};
            dc_arena mem = dc_arena_make(board_memory, sizeof board_memory);
            dc_status status = DC_OK;
            board_state(k, gaps[k/4%4], &pair);
            board_start();
            if (BOARD_CALLS)
                status = dc_pair_rigid(&opt, &a, &pair.pose[0], &b, &pair.pose[1], &mem, NULL, &value, grad, hess, NULL);
            board_stop(status);
            board_wrote(&value, sizeof value);
            board_wrote(grad, sizeof grad);
            board_wrote(hess, sizeof hess);
        }
        bad += board_report(barrier ? "pair_local" : "pair_global", dc_pair_bytes(8, 8));
    }
    return bad;
}
