/* What the firmware trials share: 64 states, and what a call on them takes. The same programs run on the host, which says
 * which bits are right. */
#ifndef BOARD_H
#define BOARD_H

#include "dc_contact.h"

enum { BOARD_STATES = 64, BOARD_MEMORY = 1 << 18 };

/* 0: without the call itself; what is left is the program that flash is counted over */
#ifndef BOARD_CALLS
#define BOARD_CALLS 1
#endif

extern unsigned char board_memory[BOARD_MEMORY];

/* The k-th state: two hulls of 8 vertices, every fourth time boxes that face each other, apart by about `gap` or more
 * (overlapping where that is negative). Its arithmetic is its own, so that no function of the headers is in a program for this alone. */
typedef struct { dc_v3 v[2][8]; dc_pose pose[2]; } board_pair;
void board_state(int k, dc_real gap, board_pair *pair);

/* A call stands between start and stop; what it wrote is handed over; report prints the figures of all calls since the
 * last one. */
void board_start(void);
void board_stop(dc_status status);
void board_wrote(const void *result, size_t bytes);
/* arena: what the header says it needs. Returns 1 when a status was not DC_OK or the arena was written beyond that. */
int board_report(const char *name, size_t arena);

#endif
