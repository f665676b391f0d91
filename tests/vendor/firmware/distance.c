/* dc_hull_distance of two hulls of 8 vertices: apart by 0.001 to 0.1 and without scratch, and overlapping. */
#define DC_CONTACT_IMPLEMENTATION
#include "board.h"

int main(void)
{
    static const dc_real gaps[4] = {DC_R(0.001), DC_R(0.01), DC_R(0.03), DC_R(0.1)};
    static board_pair pair;
    int deep, k, bad = 0;
    for (deep = 0; deep < 2; ++deep) {
        for (k = 0; k < BOARD_STATES; ++k) {
            dc_hull a = {pair.v[0], 8, 0}, b = {pair.v[1], 8, 0};
            dc_arena mem = dc_arena_make(board_memory, sizeof board_memory);
            dc_distance d = DC_ZERO;
            dc_status status = DC_OK;
            board_state(k, deep ? -gaps[k/4%4] : gaps[k/4%4], &pair);
            board_start();
            if (BOARD_CALLS) status = dc_hull_distance(&a, &pair.pose[0], &b, &pair.pose[1], deep ? &mem : NULL, &d);
            board_stop(status);
            board_wrote(&d, sizeof d);
        }
        bad += board_report(deep ? "distance_deep" : "distance", deep ? dc_hull_distance_bytes(8, 8) : 0);
    }
    return bad;
}
