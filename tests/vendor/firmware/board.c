/* Start-up, counters and output of the firmware trials: a Cortex-M of QEMU's boards mps2, and the host. */
#include "board.h"
#include <stdint.h>

unsigned char board_memory[BOARD_MEMORY];
static struct seen { uint32_t calls, failed, most, stack, arena, bits[2]; uint64_t sum; } seen;
static const struct seen nothing;

/* ---- states: stereographic coordinates are a direction and a turn without a root ---- */

static uint32_t seed;
/* from -1 to 1 */
static dc_real coin(void)
{
    seed = seed*1664525u + 1013904223u;
    return (dc_real)(int32_t)(seed >> 8)*DC_R(1.1920928955078125e-7) - 1;
}

static void turn(const dc_quat *q, const dc_v3 *v, dc_v3 *x)
{
    dc_real tx = 2*(q->y*v->z - q->z*v->y), ty = 2*(q->z*v->x - q->x*v->z), tz = 2*(q->x*v->y - q->y*v->x);
    x->x = v->x + q->w*tx + (q->y*tz - q->z*ty);
    x->y = v->y + q->w*ty + (q->z*tx - q->x*tz);
    x->z = v->z + q->w*tz + (q->x*ty - q->y*tx);
}

void board_state(int k, dc_real gap, board_pair *pair)
{
    const int boxes = k%4 == 0, face = k%4 == 1;
    dc_real high = 0, low = 0, x, y, z, d;
    dc_v3 m;
    int b, i;

    /* m, from b to a: up where boxes face each other, off a face of b, anywhere */
    seed = 2463534242u + (uint32_t)k*2654435769u;
    x = coin();
    y = coin();
    d = 1/(1 + x*x + y*y);
    m.x = boxes || face ? 0 : 2*x*d;
    m.y = boxes || face ? 0 : 2*y*d;
    m.z = boxes || face ? 1 : (1 - x*x - y*y)*d;

    for (b = 1; b >= 0; --b) {
        const dc_real jitter = boxes || (face && b == 1) ? 0 : DC_R(0.3);
        dc_quat *q = &pair->pose[b].q;
        dc_real side[3];

        x = boxes ? 0 : coin();
        y = boxes ? 0 : coin();
        z = coin();
        d = 1/(1 + x*x + y*y + z*z);
        q->w = (1 - x*x - y*y - z*z)*d;
        q->x = 2*x*d;
        q->y = 2*y*d;
        q->z = 2*z*d;
        if (face && b == 1) {
            const dc_v3 up = m;
            turn(q, &up, &m);
        }
        for (i = 0; i < 3; ++i) side[i] = DC_R(0.75) + DC_R(0.25)*coin();
        for (i = 0; i < 8; ++i) {
            dc_v3 *v = &pair->v[b][i], turned;
            dc_real reach;
            v->x = (i & 1 ? side[0] : -side[0])*(1 + jitter*coin());
            v->y = (i & 2 ? side[1] : -side[1])*(1 + jitter*coin());
            v->z = (i & 4 ? side[2] : -side[2])*(1 + jitter*coin());
            turn(q, v, &turned);
            reach = m.x*turned.x + m.y*turned.y + m.z*turned.z;
            if (b == 0 && (i == 0 || reach < low)) low = reach;
            if (b == 1 && (i == 0 || reach > high)) high = reach;
        }
        pair->pose[b].t.x = DC_R(0.1)*coin();
        pair->pose[b].t.y = DC_R(0.1)*coin();
        pair->pose[b].t.z = DC_R(0.1)*coin();
    }

    /* a to where its lowest point along m is above b's highest */
    gap += high - low;
    pair->pose[0].t.x = pair->pose[1].t.x + gap*m.x;
    pair->pose[0].t.y = pair->pose[1].t.y + gap*m.y;
    pair->pose[0].t.z = pair->pose[1].t.z + gap*m.z;
}

/* words, so that the order of bytes does not matter */
void board_wrote(const void *result, size_t bytes)
{
    const uint32_t *w = (const uint32_t *)result;
    size_t i;
    for (i = 0; i < bytes/4; ++i) {
        seen.bits[0] = (seen.bits[0] ^ w[i])*16777619u;
        seen.bits[1] = (seen.bits[1] + w[i])*2654435769u ^ seen.bits[1] >> 15;
    }
}

#ifdef __arm__
/* ---- on the board ---- */

int main(void);
static void count_loop(void);
extern uint32_t board_data[], board_data_end[], board_data_load[], board_bss[], board_bss_end[];
extern uint32_t board_stack[], board_stack_end[];

/* semihosting: the debugger, here QEMU, does it */
static int semihost(int what, const void *with)
{
    register int r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = with;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}
static void print(const char *text) { semihost(0x04, text); }
static void leave(int failed) { for (;;) semihost(0x18, (const void *)(uintptr_t)(failed ? 0x20023 : 0x20026)); }
static void fault(void) { print("fault\n"); leave(1); }

#define BOARD_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

void board_reset(void);
void board_reset(void)
{
    uint32_t *to;
    const uint32_t *from = board_data_load;
    BOARD_REGISTER(0xe000ed88) |= 0xfu << 20;           /* the floating-point unit on */
    __asm__ volatile("dsb\n isb" ::: "memory");
    for (to = board_data; to < board_data_end; ++to) *to = *from++;
    for (to = board_bss; to < board_bss_end; ++to) *to = 0;
    BOARD_REGISTER(0xe000e014) = 0xffffff;              /* SysTick: down from the largest, at the clock of the core */
    BOARD_REGISTER(0xe000e018) = 0;
    BOARD_REGISTER(0xe000e010) = 5;
    count_loop();
    leave(main());
}

typedef void (*board_vector)(void);
extern const board_vector board_vectors[16];
__attribute__((section(".vectors"), used)) const board_vector board_vectors[16] = {
    (board_vector)(uintptr_t)board_stack_end, board_reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0,
    fault, fault
};

/* QEMU with -icount shift=6 takes 64 ns for every instruction and SysTick counts 25 MHz: 8 ticks for 5 instructions. */
static uint32_t begun, overhead;
static uint32_t instructions(void) { return ((begun - BOARD_REGISTER(0xe000e018)) & 0xffffff)*5/8; }

static const uint32_t paint = 0xa5c3965a;

void board_start(void)
{
    uint32_t *p, *here = (uint32_t *)__builtin_frame_address(0) - 16;
    for (p = board_stack; p < here; ++p) *p = paint;
    for (p = (uint32_t *)(void *)board_memory; p < (uint32_t *)(void *)(board_memory + BOARD_MEMORY); ++p) *p = paint;
    begun = BOARD_REGISTER(0xe000e018);
}

void board_stop(dc_status status)
{
    uint32_t n = instructions() - overhead, used;
    const uint32_t *p, *memory = (const uint32_t *)(const void *)board_memory;
    for (p = board_stack; p < board_stack_end && *p == paint; ++p) {}
    used = (uint32_t)((const unsigned char *)__builtin_frame_address(0) - (const unsigned char *)p);
    if (used > seen.stack) seen.stack = used;
    for (p = memory + BOARD_MEMORY/4; p > memory && p[-1] == paint; --p) {}
    used = 4*(uint32_t)(p - memory);
    if (used > seen.arena) seen.arena = used;
    if (n > seen.most) seen.most = n;
    seen.sum += n;
    seen.calls++;
    seen.failed += status != DC_OK;
}

static void number(uint32_t x, uint32_t base, int digits)
{
    char text[12], *c = text + 11;
    *c = 0;
    do {
        *--c = "0123456789abcdef"[x%base];
        x /= base;
    } while (x || text + 11 - c < digits);
    print(c);
}
static void line(const char *name, const char *what, uint32_t x)
{
    print(name);
    print("/");
    print(what);
    print(" ");
    number(x, 10, 1);
    print("\n");
}

/* What start and stop take themselves, and a loop of 20000 instructions in between: the count has to be right to
 * 1 %. */
static void count_loop(void)
{
    uint32_t i = 10000, n;
    board_start();
    overhead = instructions();
    board_start();
    __asm__ volatile("1: subs %0, #1\n bne 1b" : "+l"(i) :: "cc");
    n = instructions() - overhead;
    line("board", "loop_of_20000", n);
    if (n < 19800 || n > 20200) leave(1);
}

int board_report(const char *name, size_t arena)
{
    int bad = seen.failed > 0 || seen.arena > arena;
    uint64_t sum = seen.sum;
    uint32_t mean = 0;
    for (; sum >= seen.calls; sum -= seen.calls) ++mean;
    if (seen.failed) line(name, "calls_failed", seen.failed);
    line(name, "instructions", mean);
    line(name, "most", seen.most);
    line(name, "stack", seen.stack);
    line(name, "arena", (uint32_t)arena);
    if (seen.arena > arena) line(name, "arena_written", seen.arena);
    print(name);
    print("/bits ");
    number(seen.bits[0], 16, 8);
    number(seen.bits[1], 16, 8);
    print("\n");
    seen = nothing;
    return bad;
}

#else
/* ---- on the host ---- */

#include <stdio.h>

void board_start(void) {}
void board_stop(dc_status status) { seen.failed += status != DC_OK; }
int board_report(const char *name, size_t arena)
{
    uint32_t failed = seen.failed;
    (void)arena;
    printf("%s/bits %08x%08x\n", name, (unsigned)seen.bits[0], (unsigned)seen.bits[1]);
    seen = nothing;
    return failed > 0;
}

#endif
