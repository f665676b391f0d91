/* A C99 program with dc_contact.h: the gap and the force between two boxes. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include <stdio.h>

static const dc_v3 corner[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, 1}};
static unsigned char memory[1 << 15];

int main(void)
{
    dc_hull box = {corner, 8, 0};
    dc_pose low = {{1, 0, 0, 0}, {0, 0, 0}}, high = {{1, 0, 0, 0}, {0, 0, DC_R(2.125)}};
    dc_arena mem = dc_arena_make(memory, sizeof memory);
    dc_distance d = DC_ZERO;
    dc_real value, grad[12];

    if (dc_hull_distance(&box, &high, &box, &low, &mem, &d) != DC_OK) return 1;
    if (dc_pair_rigid(NULL, &box, &high, &box, &low, &mem, NULL, &value, grad, NULL, NULL) != DC_OK) return 2;
    printf("gap %g, force %g\n", (double)d.gap, (double)-grad[2]);
    return !(d.gap > DC_R(0.12499) && d.gap < DC_R(0.12501)) || !(grad[2] < 0) || !(dc_abs(grad[2] + grad[8]) <= 100*DC_EPS*dc_abs(grad[2]));
}
