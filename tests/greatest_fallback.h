/* greatest_fallback.h - stands in for greatest.h (github.com/silentbicycle/greatest) on a machine that cannot fetch it
 *
 * The part of greatest's interface that our tests use, with the same results, summary lines and exit status:
 * TEST PASS ASSERT ASSERTm ASSERT_EQ FAILm SKIPm SUITE RUN_TEST RUN_TEST1 RUN_SUITE
 * GREATEST_MAIN_DEFS GREATEST_MAIN_BEGIN GREATEST_MAIN_END; options -v, -s SUITE and -t TEST.
 */
#ifndef GREATEST_H
#define GREATEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GREATEST_FALLBACK 1

enum greatest_test_res { GREATEST_TEST_RES_FAIL = -1, GREATEST_TEST_RES_PASS = 0, GREATEST_TEST_RES_SKIP = 1 };

typedef struct {
    unsigned passed, failed, skipped, assertions;           /* of the whole program */
    unsigned suite_passed, suite_failed, suite_skipped;     /* at the start of the running suite */
    const char *suite_filter, *test_filter;
    const char *msg, *file;
    int line, verbose;
    clock_t start;
} greatest_state;

static greatest_state greatest_info;

/* the state belongs to the one file that has main() */
#define GREATEST_MAIN_DEFS() typedef int greatest_main_defs_done

#define TEST static enum greatest_test_res
#define SUITE(name) static void name(void)

#define GREATEST_LEAVE(m, result) \
    do { greatest_info.msg = (m); greatest_info.file = __FILE__; greatest_info.line = __LINE__; return result; } while (0)
#define PASS() GREATEST_LEAVE(NULL, GREATEST_TEST_RES_PASS)
#define FAILm(m) GREATEST_LEAVE(m, GREATEST_TEST_RES_FAIL)
#define SKIPm(m) GREATEST_LEAVE(m, GREATEST_TEST_RES_SKIP)
#define ASSERTm(m, cond) do { greatest_info.assertions++; if (!(cond)) FAILm(m); } while (0)
#define ASSERT(cond) ASSERTm(#cond, cond)
#define ASSERT_EQ(want, got) ASSERTm(#want " != " #got, (want) == (got))

#define RUN_TEST(test) \
    do { if (greatest_wanted(#test, greatest_info.test_filter)) greatest_record(#test, test()); } while (0)
#define RUN_TEST1(test, env) \
    do { if (greatest_wanted(#test, greatest_info.test_filter)) greatest_record(#test, test(env)); } while (0)
#define RUN_SUITE(suite) \
    do { \
        if (greatest_wanted(#suite, greatest_info.suite_filter)) { \
            greatest_suite_begin(#suite); \
            suite(); \
            greatest_suite_end(); \
        } \
    } while (0)

#define GREATEST_MAIN_BEGIN() greatest_begin(argc, argv)
#define GREATEST_MAIN_END() return greatest_end()

static inline int greatest_wanted(const char *name, const char *filter) { return !filter || strstr(name, filter); }

static inline void greatest_record(const char *name, enum greatest_test_res result)
{
    greatest_state *g = &greatest_info;
    const char *msg = g->msg ? g->msg : "";
    if (result == GREATEST_TEST_RES_FAIL) {
        g->failed++;
        printf("%sFAIL %s: %s (%s:%d)\n", g->verbose ? "" : "F\n", name, msg, g->file, g->line);
    } else if (result == GREATEST_TEST_RES_SKIP) {
        g->skipped++;
        if (g->verbose) printf("SKIP %s: %s\n", name, msg);
        else printf("s");
    } else {
        g->passed++;
        if (g->verbose) printf("PASS %s: %s\n", name, msg);
        else printf(".");
    }
    fflush(stdout);
}

static inline void greatest_suite_begin(const char *name)
{
    greatest_state *g = &greatest_info;
    g->suite_passed = g->passed;
    g->suite_failed = g->failed;
    g->suite_skipped = g->skipped;
    printf("\n* Suite %s:\n", name);
}

static inline void greatest_suite_end(void)
{
    const greatest_state *g = &greatest_info;
    unsigned passed = g->passed - g->suite_passed, failed = g->failed - g->suite_failed;
    unsigned skipped = g->skipped - g->suite_skipped, run = passed + failed + skipped;
    if (run) printf("\n%u test%s - %u passed, %u failed, %u skipped\n", run, run == 1 ? "" : "s", passed, failed, skipped);
}

static inline void greatest_begin(int argc, char **argv)
{
    int i;
    memset(&greatest_info, 0, sizeof greatest_info);
    greatest_info.start = clock();
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0) greatest_info.verbose = 1;
        else if (strcmp(argv[i], "-s") == 0 && i + 1 < argc) greatest_info.suite_filter = argv[++i];
        else if (strcmp(argv[i], "-t") == 0 && i + 1 < argc) greatest_info.test_filter = argv[++i];
        else {
            printf("Unknown argument '%s'\nUsage: %s [-v] [-s SUITE] [-t TEST]\n", argv[i], argv[0]);
            exit(EXIT_FAILURE);
        }
    }
}

static inline int greatest_end(void)
{
    const greatest_state *g = &greatest_info;
    unsigned run = g->passed + g->failed + g->skipped;
    printf("\nTotal: %u test%s (%.3f sec), %u assertion%s\n", run, run == 1 ? "" : "s",
           (double)(clock() - g->start)/(double)CLOCKS_PER_SEC, g->assertions, g->assertions == 1 ? "" : "s");
    printf("Pass: %u, fail: %u, skip: %u.\n", g->passed, g->failed, g->skipped);
    return g->failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
