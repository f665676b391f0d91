/* closed.h - is a mesh the surface of a body? include it after dc_sdf.h */
#ifndef DC_TEST_CLOSED_H_INCLUDED
#define DC_TEST_CLOSED_H_INCLUDED

#include <string.h>

/* 0 when every edge is in two triangles that run through it in opposite directions and every vertex has one fan of them;
 * else a number that says what is wrong */
static inline int closed_flaw(const dc_mesh *m)
{
    enum { ROOM = 1 << 20 };
    static int room[ROOM], stamp[ROOM];
    int e, t, k, v, *start, *list;
    start = room;
    list = room + m->nv + 1;
    if (m->nv + 1 + 3*m->nt > ROOM) return 9;
    /* directed edges, by their first vertex */
    memset(start, 0, (size_t)(m->nv + 1)*sizeof *start);
    for (k = 0; k < 3*m->nt; ++k) {
        if (m->tri[k] < 0 || m->tri[k] >= m->nv) return 1;
        start[m->tri[k]]++;
    }
    for (v = 0, e = 0; v <= m->nv; ++v) {
        k = start[v];
        start[v] = e;
        e += v < m->nv ? k : 0;
    }
    for (k = 0; k < m->nv; ++k) stamp[k] = 0;
    for (t = 0; t < m->nt; ++t)
        for (k = 0; k < 3; ++k) {
            int a = m->tri[3*t + k];
            list[start[a] + stamp[a]++] = 3*t + k;
        }
    for (v = 0; v < m->nv; ++v) {
        int n = start[v + 1] - start[v], turns = 0, at, from;
        if (n < 3) return 2;
        /* around the vertex: from the triangle (v, b, c) to the one that starts with (v, c) */
        from = at = list[start[v]];
        do {
            int c = m->tri[at - at%3 + (at%3 + 2)%3], next = -1, found = 0;
            for (k = start[v]; k < start[v + 1]; ++k) {
                int o = list[k];
                if (m->tri[o - o%3 + (o%3 + 1)%3] == c) {
                    next = o;
                    ++found;
                }
            }
            if (found != 1) return 3;
            at = next;
        } while (++turns < n && at != from);
        if (turns != n || at != from) return 4;
    }
    /* edges: as many as half the directed ones, rising, each in a triangle */
    if (2*m->ne != 3*m->nt) return 5;
    for (e = 0; e < m->ne; ++e) {
        int a = m->edge[2*e], b = m->edge[2*e + 1], found = 0;
        if (a >= b || (e > 0 && (a < m->edge[2*e - 2] || (a == m->edge[2*e - 2] && b <= m->edge[2*e - 1])))) return 6;
        for (k = start[a]; k < start[a + 1]; ++k) found += m->tri[list[k] - list[k]%3 + (list[k]%3 + 1)%3] == b;
        if (found != 1) return 7;
    }
    return 0;
}

#endif
