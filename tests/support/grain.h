/* grain.h - shapes of the grain tables by the names there; include it after dc_sdf.h */
#ifndef DC_TEST_GRAIN_H_INCLUDED
#define DC_TEST_GRAIN_H_INCLUDED

#include <string.h>

enum { GRAINS = 12 };
static const char *const grain_names[GRAINS] = {"octagon", "O", "U", "N", "hash", "D", "arc25", "arc50", "arc75", "arc100", "star", "square"};

typedef struct { dc_v2 v[DC_POLY_NAMED_MOST]; } grain;

/* no vertices: no such name */
DC_INLINE dc_poly grain_named(grain *g, const char *name)
{
    dc_poly p;
    const char *ours = strcmp(name, "hash") == 0 ? "#" : strcmp(name, "square") == 0 ? "block" : name;
    p.v = g->v;
    p.n = 0;
    if (dc_poly_named(ours, DC_POLY_NAMED_MOST, g->v, &p.n) != DC_OK) p.n = 0;
    return p;
}

#endif /* DC_TEST_GRAIN_H_INCLUDED */
