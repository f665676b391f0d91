/* cli.h - what the programs of the examples share: options, random numbers, progress, ctrl-C, exit codes
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     double     steps = 300, mu = 0.5;                        their values here are the defaults
 *     cli_number number[] = {{"steps", &steps, 1, 1e6, "time steps"},
 *                            {"mu", &mu, 0, 10, "friction coefficient"}};
 *     cli        o = cli_parse(argc, argv, "Stacks boxes and writes a page.", "stack.html", number, 2);
 *     cli_bar    bar = cli_bar_begin("stack", steps, "steps");
 *     for (i = 0; i < steps && !cli_stopped(); i++) { .. cli_bar_step(&bar, i + 1); }
 *     cli_bar_end(&bar);
 *     return cli_exit(write_page(o.out));                      whether stopped or not: what there is gets written
 *
 * Options: --help, --quick, --full, --seed N, --out FILE and the program's own numbers, as --mu 0.3 or --mu=0.3.
 * Exit codes: 0 done; 1 failed, after a message on stderr; 2 wrong command line; 130 stopped by ctrl-C, with what there was
 * until then written.
 * Ctrl-C (SIGINT, or SIGTERM) sets the flag that cli_stopped reads; a second one ends the program at once.
 * Needs the C library; isatty and a clock from POSIX where there is one. Elsewhere the bar is never drawn. */
#ifndef CLI_H_INCLUDED
#define CLI_H_INCLUDED

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/time.h>
#include <unistd.h>
#endif

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_STOPPED = 130 };

#if defined(__GNUC__) || defined(__clang__)
#define CLI_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define CLI_PRINTF(f, a)
#endif

/* A number of the program's own: name without dashes, default and then value, least and most (both 0: any), help. */
typedef struct { const char *name; double *value; double lo, hi; const char *help; } cli_number;

/* What every example has. */
typedef struct { const char *out; unsigned long long seed; int quick, full; } cli;

/* ---- messages and the stop flag --------------------------------------------------------------- */

static const char           *cli_program = "example";
static volatile sig_atomic_t cli_stop;

/* "program: text" on stderr; returns CLI_FAILED, for  return cli_error(..). */
static inline int cli_error(const char *format, ...) CLI_PRINTF(1, 2);
static inline int cli_error(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", cli_program);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return CLI_FAILED;
}

/* The next signal of either kind has its usual effect. */
static inline void cli_on_signal(int number)
{
    (void)number;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    cli_stop = 1;
}

static inline int cli_stopped(void) { return cli_stop != 0; }

/* The exit code of a program whose last step returned `status`, 0 for success; lost output to stdout is a failure too. */
static inline int cli_exit(int status)
{
    if (status != 0) return status;
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return cli_error("standard output: %s", errno ? strerror(errno) : "cannot be written");
    }
    return cli_stopped() ? CLI_STOPPED : CLI_DONE;
}

/* ---- options ---------------------------------------------------------------------------------- */

static inline void cli_help(const char *about, const char *out, const cli_number *number, int n)
{
    char option[40];
    int  i;

    printf("usage: %s [OPTION]...\n%s\n\n", cli_program, about);
    for (i = 0; i < n; i++) {
        snprintf(option, sizeof option, "--%s X", number[i].name);
        printf("  %-16s %s (%g", option, number[i].help, *number[i].value);
        if (number[i].lo < number[i].hi) printf("; %g to %g", number[i].lo, number[i].hi);
        printf(")\n");
    }
    if (out) printf("  --out FILE       the file to write (%s)\n", out);
    printf("  --seed N         of the random numbers, where there are any (1)\n"
           "  --quick          less work, where there is much\n"
           "  --full           the size of the paper, where that takes long\n"
           "  --help           this text\n\n"
           "exit code: 0 done, 1 failed, 2 wrong command line, 130 stopped (ctrl-C; what there is gets written)\n");
}

/* Ends the program with a message about its command line. */
static inline void cli_usage(const char *what, const char *option)
{
    cli_error("%s%s (--help lists the options)", what, option);
    exit(CLI_USAGE);
}

/* If `word` is --name or --name=value: its value, else NULL. The word after --name is the value, and is used up. */
static inline const char *cli_value(const char *name, const char *word, const char *next, int *used)
{
    size_t length = strlen(name);

    if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, length) != 0) return NULL;
    word += 2 + length;
    if (*word == '=') return word + 1;
    if (*word != 0) return NULL;
    if (!next) cli_usage("no value after --", name);
    ++*used;
    return next;
}

/* Reads the command line; ends the program after --help, and with CLI_USAGE if it is wrong. From here on ctrl-C sets the
 * flag, unless the program was started with it ignored. out: the default file. number: n of the program's own, or NULL. */
static inline cli cli_parse(int argc, char **argv, const char *about, const char *out, const cli_number *number, int n)
{
    cli o = {NULL, 1, 0, 0};
    int i, k;

    o.out = out;
    if (argc > 0) cli_program = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    for (i = 1; i < argc; i++) {
        const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL, *value;
        char       *end = NULL;

        if (strcmp(word, "--help") == 0) {
            cli_help(about, out, number, n);
            exit(cli_exit(CLI_DONE));
        } else if (strcmp(word, "--quick") == 0) {
            o.quick = 1;
        } else if (strcmp(word, "--full") == 0) {
            o.full = 1;
        } else if ((value = cli_value("out", word, next, &i)) != NULL) {
            if (*value == 0) cli_usage("no file name: ", word);
            o.out = value;
        } else if ((value = cli_value("seed", word, next, &i)) != NULL) {
            errno = 0;
            o.seed = strtoull(value, &end, 10);
            if (*value < '0' || *value > '9' || *end != 0 || errno != 0) cli_usage("--seed is not a whole number: ", value);
        } else {
            for (k = 0; k < n; k++) {
                if ((value = cli_value(number[k].name, word, next, &i)) != NULL) break;
            }
            if (k == n) {
                cli_usage("unknown option ", word);
            } else {
                double x = strtod(value, &end);
                if (end == value || *end != 0 || !(fabs(x) < HUGE_VAL)) {
                    cli_error("--%s is not a number: %s (--help lists the options)", number[k].name, value);
                    exit(CLI_USAGE);
                }
                if (number[k].lo < number[k].hi && (x < number[k].lo || x > number[k].hi)) {
                    cli_error("--%s out of range: %s, not %g to %g (--help lists the options)", number[k].name, value,
                              number[k].lo, number[k].hi);
                    exit(CLI_USAGE);
                }
                *number[k].value = x;
            }
        }
    }
    if (signal(SIGINT, cli_on_signal) == SIG_IGN) signal(SIGINT, SIG_IGN);
    if (signal(SIGTERM, cli_on_signal) == SIG_IGN) signal(SIGTERM, SIG_IGN);
    return o;
}

/* ---- random numbers --------------------------------------------------------------------------- */

/* The next 64 random bits (splitmix64), the same on every machine; the state begins as the seed. */
static inline unsigned long long cli_random(unsigned long long *state)
{
    unsigned long long z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30))*0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27))*0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number of lo <= x < hi. */
static inline double cli_between(unsigned long long *state, double lo, double hi)
{
    return lo + (hi - lo)*(double)(cli_random(state) >> 11)/9007199254740992.0;
}

/* ---- progress --------------------------------------------------------------------------------- */

/* A bar on stderr: what is done, its rate, time left. Nothing is printed if stderr is not a terminal. */
typedef struct { const char *what, *unit; double total, start, shown; int visible; } cli_bar;

static inline double cli_seconds(void)
{
#if defined(__unix__) || defined(__APPLE__)
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double)t.tv_sec + 1e-6*(double)t.tv_usec;
#else
    return (double)time(NULL);
#endif
}

static inline cli_bar cli_bar_begin(const char *what, double total, const char *unit)
{
    cli_bar b = {NULL, NULL, 0, 0, 0, 0};

    b.what = what;
    b.unit = unit;
    b.total = total;
    b.start = b.shown = cli_seconds();
#if defined(__unix__) || defined(__APPLE__)
    b.visible = isatty(STDERR_FILENO);
#endif
    return b;
}

/* The line after `done` of the total and `seconds`:  stack [######......]  50 %  123 steps/s  0:04 left */
static inline void cli_bar_line(char *line, size_t bytes, const cli_bar *b, double done, double seconds)
{
    double part = b->total > 0 ? done/b->total : 0, rate = seconds > 0 ? done/seconds : 0;
    double left = rate > 0 ? (b->total - done)/rate : 0;
    char   bar[25];
    int    i;

    part = part < 0 ? 0 : part > 1 ? 1 : part;
    left = left < 0 ? 0 : left > 359999 ? 359999 : left;
    for (i = 0; i < 24; i++) bar[i] = i < (int)(24*part + 1e-9) ? '#' : '.';
    bar[24] = 0;
    snprintf(line, bytes, "%.20s [%s] %3.0f %%  %.*f %.12s/s  %d:%02d left", b->what, bar, floor(100*part + 1e-9),
             rate < 10, rate, b->unit, (int)(left + 0.5)/60, (int)(left + 0.5)%60);
}

/* Drawn ten times a second at most. */
static inline void cli_bar_step(cli_bar *b, double done)
{
    double now;
    char   line[120];

    if (!b->visible) return;
    now = cli_seconds();
    if (fabs(now - b->shown) < 0.1) return;
    b->shown = now;
    cli_bar_line(line, sizeof line, b, done, now - b->start);
    fprintf(stderr, "\r%-79s", line);
    fflush(stderr);
}

/* Clears the line. */
static inline void cli_bar_end(const cli_bar *b)
{
    if (b->visible) fprintf(stderr, "\r%79s\r", "");
}

#endif /* CLI_H_INCLUDED */
