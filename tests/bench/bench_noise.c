/* How far a ratio can be trusted on this machine: the same work against itself, and against twice the work. */
#include "bench.h"

#define N 4096

static double x[N];

static void sum(void *user)
{
    double s = 0;
    int i;
    (void)user;
    for (i = 0; i < N; i++) s += x[i];
    bench_keep(s);
}

static void sum_again(void *user)
{
    sum(user);
}

static void sum_twice(void *user)
{
    sum(user);
    sum(user);
}

int main(int argc, char **argv)
{
    bench_group g;
    int i;
    bench_begin(argc, argv);
    for (i = 0; i < N; i++) x[i] = 1.0/(1.0 + (double)i);
    bench_open(&g, "noise");
    bench_add(&g, "sum", sum, NULL, N);
    bench_add(&g, "same", sum_again, NULL, N);
    bench_add(&g, "twice", sum_twice, NULL, N);
    bench_run(&g);
    return 0;
}
