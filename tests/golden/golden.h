/* golden.h - hashes of what the headers compute, values and derivatives apart: the same on every machine, under every
 * compiler and at every level of optimisation, without contraction. tests/data/golden.txt has them.
 *
 * A case draws its inputs from a seed, without a function of libm but sqrt, and hashes all outputs of its calls. It includes
 * no test framework: tests/golden/golden.c prints all cases, for machines of other kinds; tests/test_golden.c compares them
 * with the table.
 * Include it after the headers, support.h and real.h. */
#ifndef DC_TEST_GOLDEN_H_INCLUDED
#define DC_TEST_GOLDEN_H_INCLUDED

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* bad: calls that did not end as they should */
typedef struct { uint64_t values, derivatives; int bad; } golden;
typedef struct { const char *header, *name; void (*run)(golden *g); } golden_case;

#define GOLDEN_START UINT64_C(14695981039346656037)

static unsigned char golden_memory[1 << 22], golden_scratch[1 << 22];

/* n numbers of an array; a vector's members are no array to the optimiser, golden_vector and golden_quat take it apart */
DC_INLINE void golden_values(golden *g, const dc_real *x, int n) { g->values = mix(g->values, x, n); }
DC_INLINE void golden_derivatives(golden *g, const dc_real *x, int n) { g->derivatives = mix(g->derivatives, x, n); }

DC_INLINE void golden_vector(golden *g, dc_v3 a)
{
    dc_real x[3];
    x[0] = a.x;
    x[1] = a.y;
    x[2] = a.z;
    golden_values(g, x, 3);
}

DC_INLINE void golden_quat(golden *g, dc_quat q)
{
    dc_real x[4];
    x[0] = q.w;
    x[1] = q.x;
    x[2] = q.y;
    x[3] = q.z;
    golden_values(g, x, 4);
}

DC_INLINE void golden_number(golden *g, dc_real x) { golden_values(g, &x, 1); }
DC_INLINE void golden_count(golden *g, int n) { golden_number(g, (dc_real)n); }

/* a call that has to end well */
DC_INLINE int golden_ok(golden *g, dc_status status)
{
    g->bad += status != DC_OK;
    return status == DC_OK;
}

DC_INLINE golden golden_run(const golden_case *c)
{
    golden g;
    g.values = g.derivatives = GOLDEN_START;
    g.bad = 0;
    c->run(&g);
    return g;
}

/* the hashes in words, as in the table: "-" for nothing hashed; halves, since not every printf has 64 bits */
DC_INLINE void golden_words(const golden *g, char word[2][17])
{
    int k;
    for (k = 0; k < 2; ++k) {
        uint64_t h = k ? g->derivatives : g->values;
        if (h == GOLDEN_START) memcpy(word[k], "-", 2);
        else snprintf(word[k], 17, "%08lx%08lx", (unsigned long)(h >> 32), (unsigned long)(h & 0xffffffff));
    }
}

/* ---- inputs: one draw a statement, since the order of arguments is the compiler's ---- */

DC_INLINE dc_real golden_draw(rng *r, double lo, double hi) { return (dc_real)rng_uniform(r, lo, hi); }

DC_INLINE void golden_draws(rng *r, double lo, double hi, dc_real *x, int n)
{
    int k;
    for (k = 0; k < n; ++k) x[k] = golden_draw(r, lo, hi);
}

DC_INLINE dc_v3 golden_vec(rng *r, double lo, double hi)
{
    dc_real x[3];
    golden_draws(r, lo, hi, x, 3);
    return dc_vec(x[0], x[1], x[2]);
}

/* within the cube of half width `far` */
DC_INLINE dc_pose golden_pose(rng *r, double far)
{
    dc_pose p;
    p.q = dc_quat_exp(golden_vec(r, -1.5, 1.5));
    p.t = golden_vec(r, -far, far);
    return p;
}

#endif /* DC_TEST_GOLDEN_H_INCLUDED */
