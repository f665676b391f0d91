/* record.h - tables made of named records; include it after support.h
 *
 *     case NAME
 *     i KEY N v1 .. vN      input
 *     o KEY N v1 .. vN      expected output
 *     t KEY WORD
 *     end
 */
#ifndef DC_TEST_RECORD_H_INCLUDED
#define DC_TEST_RECORD_H_INCLUDED

#include <math.h>
#include <string.h>

enum { RECORD_ITEMS = 48, RECORD_NUMBERS = 20000 };

typedef struct {
    char name[64];
    int  items;
    struct { char key[64], word[64]; int n; const double *v; } item[RECORD_ITEMS];
    double pool[RECORD_NUMBERS];
} record;

/* The next record; 0 at the end of the file, or where the text is not a record. */
static inline int record_next(table *t, record *r)
{
    char kind[64];
    int used = 0;
    r->items = 0;
    if (!table_word(t, kind)) return 0;
    if (strcmp(kind, "case") != 0 || !table_word(t, r->name)) return 0;
    while (table_word(t, kind) && strcmp(kind, "end") != 0) {
        int k = r->items++, n = 0;
        if (k == RECORD_ITEMS || !table_word(t, r->item[k].key)) return 0;
        r->item[k].v = r->pool + used;
        if (strcmp(kind, "t") == 0) {
            if (!table_word(t, r->item[k].word)) return 0;
        } else if (!table_int(t, &n) || n < 0 || n > RECORD_NUMBERS - used || !table_reals(t, r->pool + used, (size_t)n)) return 0;
        r->item[k].n = n;
        used += n;
    }
    return strcmp(kind, "end") == 0;
}

/* The numbers of KEY, *n of them (n may be NULL); NULL when the record has none. */
static inline const double *record_get(const record *r, const char *key, int *n)
{
    int k;
    for (k = 0; k < r->items; ++k)
        if (strcmp(r->item[k].key, key) == 0) {
            if (n) *n = r->item[k].n;
            return r->item[k].v;
        }
    if (n) *n = 0;
    return NULL;
}

/* The only number of KEY; NaN when there is none. */
static inline double record_one(const record *r, const char *key)
{
    const double *v = record_get(r, key, NULL);
    return v ? v[0] : (double)NAN;
}

#endif /* DC_TEST_RECORD_H_INCLUDED */
