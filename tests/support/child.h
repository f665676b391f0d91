/* child.h - runs a function in a child process and keeps what it prints and how it ends
 *
 * For tests of messages, exit codes and signals. POSIX; include it before every other header. */
#ifndef DC_TEST_CHILD_H_INCLUDED
#define DC_TEST_CHILD_H_INCLUDED

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* code: exit code, or -1; signal: what killed it, or 0; out, err: the first bytes of stdout and stderr. */
typedef struct { int code, signal; char out[4096], err[4096]; } child;

static inline void child_read(FILE *f, char text[4096])
{
    size_t n = 0;

    if (f) {
        rewind(f);
        n = fread(text, 1, 4095, f);
        fclose(f);
    }
    text[n] = 0;
}

/* Exits in a child with what f(user) returns. */
static inline child child_run(int (*f)(void *), void *user)
{
    child c;
    FILE *out = tmpfile(), *err = tmpfile();
    int   status = 0;
    pid_t pid;

    memset(&c, 0, sizeof c);
    c.code = -1;
    fflush(NULL);
    pid = out && err ? fork() : -1;
    if (pid == 0) {
        if (dup2(fileno(out), 1) < 0 || dup2(fileno(err), 2) < 0) _exit(99);
        exit(f(user));
    }
    if (pid > 0 && waitpid(pid, &status, 0) == pid) {
        if (WIFEXITED(status)) c.code = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) c.signal = WTERMSIG(status);
    }
    child_read(out, c.out);
    child_read(err, c.err);
    return c;
}

/* Number of files in the directory; removes them. */
static inline int clear_directory(const char *directory)
{
    DIR           *d = opendir(directory);
    struct dirent *e;
    char           path[400];
    int            n = 0;

    while (d && (e = readdir(d)) != NULL) {
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%.255s", directory, e->d_name);
        remove(path);
        n++;
    }
    if (d) closedir(d);
    return n;
}

#endif /* DC_TEST_CHILD_H_INCLUDED */
