/* Golden hashes of all headers, values and derivatives: tests/golden/cases.h against tests/data/golden.txt. Every case of the
 * program is in the table and every row of the table is a case. `make golden` writes the table anew. */
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "golden/cases.h"

#include "greatest.h"

static const char *header;

TEST hashes_are_those_of_the_table(void)
{
    table t;
    char name[64], column[64], word[2][17];
    int k, row, rows = 0, cases = 0, differ = 0;
    for (k = 0; k < GOLDEN_CASES; ++k) cases += strcmp(golden_cases[k].header, header) == 0;
    ASSERT(table_open(&t, "golden.txt"));
    while (table_word(&t, name)) {
        int ours = strcmp(name, header) == 0;
        const golden_case *c = NULL;
        ASSERT(table_word(&t, name));
        for (k = 0; k < GOLDEN_CASES && ours; ++k)
            if (strcmp(golden_cases[k].header, header) == 0 && strcmp(golden_cases[k].name, name) == 0) c = golden_cases + k;
        ASSERTm("a row of the table is no case", !ours || c);
        if (c) {
            golden g = golden_run(c);
            ASSERT_EQ_FMT(0, g.bad, "%d calls did not end well");
            golden_words(&g, word);
            ++rows;
        }
        /* double values, derivatives, float values, derivatives */
        for (k = 0; k < 4; ++k) {
            ASSERT(table_word(&t, column));
            row = k - 2*DC_IS_FLOAT;
            if (!c || row < 0 || row > 1 || strcmp(column, word[row]) == 0) continue;
            printf("  %s %s: %s %s, in the table %s\n", header, name, row ? "derivatives" : "values", word[row], column);
            ++differ;
        }
    }
    table_close(&t);
    ASSERT_EQ_FMT(cases, rows, "%d");
#ifdef DC_TEST_NO_CONTRACT
    ASSERT_EQ_FMT(0, differ, "%d hashes differ");
    PASS();
#else
    SKIPm("calls end well; the bits need -ffp-contract=off and DC_TEST_NO_CONTRACT");
#endif
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    static const char *const headers[6] = {"contact", "bsh", "sdf", "witness", "ncp", "sim"};
    int k;
    GREATEST_MAIN_BEGIN();
    for (k = 0; k < 6; ++k) {
        header = headers[k];
        RUN_TEST(hashes_are_those_of_the_table);
    }
    GREATEST_MAIN_END();
}
