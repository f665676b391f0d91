/* Two threads on the same hulls, each with its own scratch: nothing is shared that is written, and both get the same bits. */
#define DC_CONTACT_IMPLEMENTATION
#include "dc_contact.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const dc_v3 corner[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, 1}};
typedef struct { unsigned char memory[1 << 15]; dc_real value[64], grad[64][12]; int bad; } worker;
static worker one, two;

static void *work(void *user)
{
    worker *w = (worker *)user;
    dc_hull box = {corner, 8, 0};
    dc_arena mem = dc_arena_make(w->memory, sizeof w->memory);
    int i;
    for (i = 0; i < 64; ++i) {
        dc_pose low = {{1, 0, 0, 0}, {0, 0, 0}}, high = {{1, 0, 0, 0}, {0, 0, DC_R(2.25)}};
        high.q = dc_quat_exp(dc_vec(DC_R(0.001)*(dc_real)i, 0, 0));
        w->bad += dc_pair_rigid(NULL, &box, &high, &box, &low, &mem, NULL, w->value + i, w->grad[i], NULL, NULL) != DC_OK;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, &one) != 0) return 2;
    work(&two);
    pthread_join(thread, NULL);
    if (one.bad + two.bad) { puts("a pair failed"); return 1; }
    return memcmp(one.value, two.value, sizeof one.value) != 0 || memcmp(one.grad, two.grad, sizeof one.grad) != 0;
}
