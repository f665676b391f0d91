/* Prints the golden hashes of all cases, or of the headers named:  header case real values derivatives
 *
 *     make golden        writes tests/data/golden.txt anew, from builds of this program in double and in float
 *     make bits          compares builds for other machines and compilers with it
 *
 * The exit status is 1 when a call did not end as it should. */
#ifndef DC_SIM_IMPLEMENTED  /* linked with the headers' object file: tests/lib.sh */
#define DC_STATIC
#endif
#define DC_CONTACT_IMPLEMENTATION
#define DC_BSH_IMPLEMENTATION
#define DC_SDF_IMPLEMENTATION
#define DC_WITNESS_IMPLEMENTATION
#define DC_NCP_IMPLEMENTATION
#define DC_SIM_IMPLEMENTATION
#include "cases.h"

int main(int argc, char **argv)
{
    int k, i, bad = 0;
    for (k = 0; k < GOLDEN_CASES; ++k) {
        golden g;
        char word[2][17];
        int wanted = argc < 2;
        for (i = 1; i < argc; ++i) wanted |= strcmp(argv[i], golden_cases[k].header) == 0;
        if (!wanted) continue;
        g = golden_run(golden_cases + k);
        golden_words(&g, word);
        printf("%s %s %s %s %s%s\n", golden_cases[k].header, golden_cases[k].name, DC_IS_FLOAT ? "float" : "double", word[0], word[1],
               g.bad ? " failed" : "");
        bad += g.bad;
    }
    return bad != 0;
}
