/* sweep_mpi.c - sweep.c on the ranks of MPI: the gradient of a mean over random scenes, the same bits on any number of them
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     make build/demo/sweep_mpi                        needs mpicc (Debian: openmpi-bin libopenmpi-dev)
 *     mpirun -n 8 build/demo/sweep_mpi --scenes 65536          or srun -n 8
 *
 * Rank p computes blocks p, p + n, p + 2 n .. and keeps each in its file sweep.pofn as it is done. When a rank is killed, the same
 * command goes on where each of them was. At the end rank 0 has the sums of all blocks, which nobody else has touched, and adds them up
 * as sweep.c does: what a sum of floating-point numbers comes to depends on its order, and this order is that of the blocks. */
#include <mpi.h>
#include "sweep.h"

int main(int argc, char **argv)
{
    double     scenes = 1024, stop = 0, begin;
    cli_number number[] = {{"scenes", &scenes, 1, 1e7, "drawn, the same for any number of ranks"},
                           {"stop", &stop, 0, 1e6, "rank 1 ends, as if killed, after so many blocks; 0: never"}};
    int        rank, ranks, done, all = 0, failed = 0;
    sweep_sum *sum = NULL;
    cli        o;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    o = cli_parse(argc, argv, "Gradient of a mean over random scenes, on the ranks of MPI.", NULL, number, 2);
    if (o.quick) scenes = fmin(scenes, 512);
    begin = MPI_Wtime();
    if (sweep_begin((int)scenes, o.seed) != 0) return cli_error("no memory");
    (void)sweep_read(rank, ranks);
    done = sweep_part(rank, ranks, rank == 1 ? (int)stop : 0);
    if (!done) MPI_Abort(MPI_COMM_WORLD, CLI_FAILED);
    MPI_Allreduce(&done, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);

    /* a rank's blocks are zeros on all others: OR of their bytes brings them together unchanged */
    if (rank == 0) sum = (sweep_sum *)calloc((size_t)sweep.blocks, sizeof *sum);
    MPI_Reduce(sweep.block, sum, (int)((size_t)sweep.blocks*sizeof *sum), MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
    if (rank == 0 && sum) {
        sweep.block = sum;
        failed = sweep_report();
        printf("ranks %d\nseconds %.2f\n", ranks, MPI_Wtime() - begin);
    }
    MPI_Finalize();
    return cli_exit(failed || !all);
}
