/* The command lines of the examples: options, messages, exit codes, the progress bar, ctrl-C. */
#include "child.h"

#include "cli.h"
#include "greatest.h"

#include <fcntl.h>
#include <math.h>

GREATEST_MAIN_DEFS();

/* ---- options ---- */

#define MOST_WORDS 8

/* A command line, and the whole of what the program below prints for it, or a part of its message. */
typedef struct { const char *word[MOST_WORDS], *expect; } line;

/* A program with two numbers of its own, which prints what it was told. */
static int program(void *user)
{
    const line *l = (const line *)user;
    double      steps = 300, mu = 0.5;
    cli_number  number[2] = {{"steps", &steps, 1, 1000, "time steps"}, {"mu", &mu, 0, 0, "friction coefficient"}};
    char        name[] = "some/where/program", *argv[MOST_WORDS + 2];
    cli         o;
    int         argc = 1, i;

    argv[0] = name;
    for (i = 0; i < MOST_WORDS && l->word[i]; i++) {
        argv[argc] = (char *)malloc(strlen(l->word[i]) + 1);
        if (!argv[argc]) return 99;
        strcpy(argv[argc++], l->word[i]);
    }
    argv[argc] = NULL;
    o = cli_parse(argc, argv, "Says what it was told.", "told.txt", number, 2);
    printf("%s %llu %d %g %g", o.out, o.seed, o.quick, steps, mu);
    while (argc > 1) free(argv[--argc]);
    return cli_exit(0);
}

TEST options_are_read(void)
{
    static const line lines[] = {
        {{NULL}, "told.txt 1 0 300 0.5"},
        {{"--quick"}, "told.txt 1 1 300 0.5"},
        {{"--seed", "18446744073709551615"}, "told.txt 18446744073709551615 0 300 0.5"},
        {{"--seed=0", "--out=a b", "--mu=-1e-3"}, "a b 0 0 300 -0.001"},
        {{"--out", "--quick", "--steps", "1"}, "--quick 1 0 1 0.5"},
        {{"--steps", "10", "--mu", "0x1p-3", "--steps", "1000"}, "told.txt 1 0 1000 0.125"}};
    size_t i;

    for (i = 0; i < sizeof lines/sizeof *lines; i++) {
        line  l = lines[i];
        child c = child_run(program, &l);
        ASSERT_EQ(0, c.code);
        ASSERTm(l.expect, strcmp(c.out, l.expect) == 0);
        ASSERT_EQ(0, c.err[0]);
    }
    PASS();
}

TEST a_wrong_command_line_is_refused(void)
{
    static const line lines[] = {
        {{"--unknown"}, "unknown option --unknown"},
        {{"file"}, "unknown option file"},
        {{"-h"}, "unknown option -h"},
        {{""}, "unknown option "},
        {{"--stepsize", "3"}, "unknown option --stepsize"},
        {{"--quick=1"}, "unknown option --quick=1"},
        {{"--out"}, "no value after --out"},
        {{"--quick", "--mu"}, "no value after --mu"},
        {{"--out="}, "no file name"},
        {{"--out", ""}, "no file name"},
        {{"--seed", "-1"}, "--seed is not a whole number: -1"},
        {{"--seed", "1.5"}, "--seed is not a whole number: 1.5"},
        {{"--seed", " 1"}, "--seed is not a whole number:  1"},
        {{"--seed="}, "--seed is not a whole number: "},
        {{"--seed", "18446744073709551616"}, "--seed is not a whole number"},
        {{"--mu", "much"}, "--mu is not a number: much"},
        {{"--mu", "1x"}, "--mu is not a number: 1x"},
        {{"--mu="}, "--mu is not a number: "},
        {{"--mu", "nan"}, "--mu is not a number: nan"},
        {{"--mu", "inf"}, "--mu is not a number: inf"},
        {{"--mu", "1e999"}, "--mu is not a number: 1e999"},
        {{"--steps", "0"}, "--steps out of range: 0, not 1 to 1000"},
        {{"--steps", "1001"}, "--steps out of range: 1001, not 1 to 1000"}};
    size_t i;

    for (i = 0; i < sizeof lines/sizeof *lines; i++) {
        line  l = lines[i];
        child c = child_run(program, &l);
        ASSERTm(l.expect, c.code == 2);
        ASSERTm(l.expect, strncmp(c.err, "program: ", 9) == 0 && strstr(c.err, l.expect));
        ASSERTm("one line", strchr(c.err, '\n') == c.err + strlen(c.err) - 1);
        ASSERT_EQ(0, c.out[0]);
    }
    PASS();
}

TEST help_names_every_option_and_default(void)
{
    static const char *const parts[] = {"usage: program ", "Says what it was told.", "--steps X", "time steps (300; 1 to 1000)",
                                        "--mu X", "friction coefficient (0.5)", "--out FILE", "(told.txt)", "--seed N",
                                        "--quick", "--help", "130"};
    line   l = {{"--quick", "--help", "--unknown"}, NULL};
    child  c = child_run(program, &l);
    size_t i;

    ASSERT_EQ(0, c.code);
    ASSERT_EQ(0, c.err[0]);
    for (i = 0; i < sizeof parts/sizeof *parts; i++) ASSERTm(parts[i], strstr(c.out, parts[i]));
    PASS();
}

/* ---- exit codes ---- */

static int with_full_disk(void *user)
{
    int full = open("/dev/full", O_WRONLY);
    if (full < 0 || dup2(full, 1) < 0) return 99;
    return program(user);
}

static int that_failed(void *user)
{
    (void)user;
    return cli_exit(cli_error("%s: %d", "what went wrong", 7));
}

TEST failures_exit_with_1_and_a_message(void)
{
    child c = child_run(that_failed, NULL);

    ASSERT_EQ(1, c.code);
    ASSERTm(c.err, strcmp(c.err, "example: what went wrong: 7\n") == 0);
    PASS();
}

TEST lost_output_is_a_failure(void)
{
    line  help = {{"--help"}, NULL}, plain = {{NULL}, NULL};
    child c;

    if (access("/dev/full", W_OK) != 0) SKIPm("no /dev/full");
    c = child_run(with_full_disk, &plain);
    ASSERT_EQ(1, c.code);
    ASSERTm(c.err, strstr(c.err, "program: standard output: "));
    c = child_run(with_full_disk, &help);
    ASSERT_EQ(1, c.code);
    PASS();
}

/* ---- ctrl-C ---- */

/* Works, gets signals at step 5, prints how far it came. */
typedef struct { int first, second, ignored; } signals;

static int interrupted(void *user)
{
    const signals *s = (const signals *)user;
    char           name[] = "program", *argv[2] = {name, NULL};
    int            i;

    signal(SIGINT, s->ignored ? SIG_IGN : SIG_DFL);       /* whatever the test itself was started with */
    cli_parse(1, argv, "", "", NULL, 0);
    for (i = 0; i < 100 && !cli_stopped(); i++) {
        if (i != 5) continue;
        kill(getpid(), s->first);
        if (s->second) kill(getpid(), s->second);
    }
    printf("%d steps", i);
    return cli_exit(0);
}

TEST a_signal_ends_the_loop_and_keeps_what_there_is(void)
{
    signals s[2] = {{SIGINT, 0, 0}, {SIGTERM, 0, 0}};
    int     i;

    for (i = 0; i < 2; i++) {
        child c = child_run(interrupted, &s[i]);
        ASSERT_EQ(130, c.code);
        ASSERTm(c.out, strcmp(c.out, "6 steps") == 0);
    }
    PASS();
}

TEST a_second_signal_kills(void)
{
    signals s[3] = {{SIGINT, SIGINT, 0}, {SIGINT, SIGTERM, 0}, {SIGTERM, SIGINT, 0}};
    int     i;

    for (i = 0; i < 3; i++) {
        child c = child_run(interrupted, &s[i]);
        ASSERT_EQ(-1, c.code);
        ASSERT_EQ(s[i].second, c.signal);
        ASSERT_EQ(0, c.out[0]);
    }
    PASS();
}

TEST an_ignored_signal_stays_ignored(void)
{
    signals s = {SIGINT, SIGINT, 1};
    child   c = child_run(interrupted, &s);

    ASSERT_EQ(0, c.code);
    ASSERTm(c.out, strcmp(c.out, "100 steps") == 0);
    PASS();
}

static int stopped_and_failed(void *user)
{
    (void)user;
    cli_on_signal(SIGINT);
    return cli_exit(CLI_FAILED);
}

TEST a_failure_outweighs_the_stop(void)
{
    ASSERT_EQ(1, child_run(stopped_and_failed, NULL).code);
    PASS();
}

/* ---- random numbers ---- */

/* splitmix64 of 1234567, as its author's code gives them */
TEST random_numbers_are_those_of_splitmix64(void)
{
    static const unsigned long long want[3] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};
    unsigned long long state = 1234567;
    int i;

    for (i = 0; i < 3; i++) ASSERT(cli_random(&state) == want[i]);
    PASS();
}

/* ---- progress ---- */

TEST the_bar_says_part_rate_and_time_left(void)
{
    cli_bar b = {"stack", "steps", 400, 0, 0, 0};
    char    text[120];

    cli_bar_line(text, sizeof text, &b, 0, 0);
    ASSERTm(text, strcmp(text, "stack [........................]   0 %  0.0 steps/s  0:00 left") == 0);
    cli_bar_line(text, sizeof text, &b, 100, 50);
    ASSERTm(text, strcmp(text, "stack [######..................]  25 %  2.0 steps/s  2:30 left") == 0);
    cli_bar_line(text, sizeof text, &b, 399, 1);
    ASSERTm(text, strcmp(text, "stack [#######################.]  99 %  399 steps/s  0:00 left") == 0);
    cli_bar_line(text, sizeof text, &b, 400, 80);
    ASSERTm(text, strcmp(text, "stack [########################] 100 %  5.0 steps/s  0:00 left") == 0);

    /* what should not be: more than all, no total, a clock that went back */
    cli_bar_line(text, sizeof text, &b, 500, 50);
    ASSERTm(text, strcmp(text, "stack [########################] 100 %  10 steps/s  0:00 left") == 0);
    cli_bar_line(text, sizeof text, &b, 200, -1);
    ASSERTm(text, strcmp(text, "stack [############............]  50 %  0.0 steps/s  0:00 left") == 0);
    b.total = 0;
    cli_bar_line(text, sizeof text, &b, 10, 1);
    ASSERTm(text, strcmp(text, "stack [........................]   0 %  10 steps/s  0:00 left") == 0);
    PASS();
}

/* A third of a second of steps; exits with how often the time between two drawings has passed. */
static int busy(void *user)
{
    int     slave = *(const int *)user;
    double  start = cli_seconds(), i = 0;
    cli_bar b;

    if (slave >= 0 && dup2(slave, 2) < 0) return 99;
    b = cli_bar_begin("stack", 1e9, "steps");
    while (cli_seconds() - start < 0.33) cli_bar_step(&b, ++i);
    cli_bar_end(&b);
    return (int)((cli_seconds() - start)/0.1);
}

TEST the_bar_is_silent_without_a_terminal(void)
{
    int   none = -1;
    child c = child_run(busy, &none);

    ASSERT(c.code >= 3 && c.code < 99);
    ASSERT_EQ(0, c.err[0]);
    PASS();
}

TEST the_bar_is_drawn_ten_times_a_second_at_most(void)
{
    int     master = posix_openpt(O_RDWR | O_NOCTTY), slave = -1, drawn = 0;
    char    text[8192];
    ssize_t n;
    child   c;

    if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0) slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0) SKIPm("no pseudo terminal");
    c = child_run(busy, &slave);
    n = read(master, text, sizeof text - 1);
    close(slave);
    close(master);
    ASSERT(c.code >= 3 && c.code < 99);
    ASSERT(n > 0);
    text[n] = 0;
    ASSERT(strncmp(text, "\rstack [....", 12) == 0);
    ASSERT(strstr(text, " steps/s  ") && strstr(text, " left"));
    ASSERT(text[n - 1] == '\r' && text[n - 2] == ' ');
    for (n = 0; text[n]; n++) drawn += text[n] == '[';
    ASSERT(drawn >= 1 && drawn <= c.code);
    PASS();
}

SUITE(command_line)
{
    RUN_TEST(options_are_read);
    RUN_TEST(a_wrong_command_line_is_refused);
    RUN_TEST(help_names_every_option_and_default);
    RUN_TEST(failures_exit_with_1_and_a_message);
    RUN_TEST(lost_output_is_a_failure);
    RUN_TEST(random_numbers_are_those_of_splitmix64);
}

SUITE(ctrl_c)
{
    RUN_TEST(a_signal_ends_the_loop_and_keeps_what_there_is);
    RUN_TEST(a_second_signal_kills);
    RUN_TEST(an_ignored_signal_stays_ignored);
    RUN_TEST(a_failure_outweighs_the_stop);
}

SUITE(progress)
{
    RUN_TEST(the_bar_says_part_rate_and_time_left);
    RUN_TEST(the_bar_is_silent_without_a_terminal);
    RUN_TEST(the_bar_is_drawn_ten_times_a_second_at_most);
}

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(command_line);
    RUN_SUITE(ctrl_c);
    RUN_SUITE(progress);
    GREATEST_MAIN_END();
}
