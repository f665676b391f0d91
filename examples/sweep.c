/* sweep.c - the gradient of a mean over thousands of random scenes: in parts, on any number of processes, to the same bits
 * SPDX-License-Identifier: MIT OR Unlicense
 *
 *     sweep --scenes 4096                              all of it, here
 *     sweep --scenes 4096 --part 3/8                   an eighth of it, into sweep.3of8; as an array job: --part $SLURM_ARRAY_TASK_ID/8
 *     sweep --scenes 4096 --merge 8                    the mean and its gradient from the parts
 *
 * Domain randomisation: a box is pushed over floors of many frictions, with masses and starts of many kinds; sought is the push whose
 * mean squared distance from a mark is least, and this is the gradient of that mean by the 30 numbers of the push. Scene i is made
 * from i alone. A part writes its scenes in blocks of 32, each the sum of its own in their order, and continues at the first block
 * that is missing: a job that was killed is run again. Blocks are added up in pairs, as the leaves of a tree of fixed shape: the
 * bits do not depend on who computed which. sweep_mpi.c does the same on the ranks of MPI. */
#include "sweep.h"

int main(int argc, char **argv)
{
    double     scenes = 1024, stop = 0;
    cli_number number[] = {{"scenes", &scenes, 1, 1e7, "drawn, the same for any number of parts"},
                           {"stop", &stop, 0, 1e6, "after so many blocks, as if killed; 0: never"}};
    int        part = 0, parts = 1, merge = 0, i, k, kept = 1;
    cli        o;

    /* --part i/n and --merge n are not numbers */
    for (i = k = 1; i < argc; i++) {
        if (strcmp(argv[i], "--part") == 0 && i + 1 < argc) {
            if (sscanf(argv[++i], "%d/%d", &part, &parts) != 2 || part < 0 || part >= parts || parts > 9999) return cli_error("--part out of range: %s, not 0/n to n-1/n", argv[i]);
        } else if (strcmp(argv[i], "--merge") == 0 && i + 1 < argc) {
            merge = atoi(argv[++i]);
            if (merge < 1 || merge > 9999) return cli_error("--merge out of range: %s, not 1 to 9999", argv[i]);
        } else argv[k++] = argv[i];
    }
    o = cli_parse(k, argv, "Gradient of a mean over random scenes; --part I/N computes a part into sweep.IofN, --merge N adds them up.", NULL, number, 2);
    if (o.quick) scenes = fmin(scenes, 512);
    if (sweep_begin((int)scenes, o.seed) != 0) return cli_error("no memory");
    if (merge) {
        for (i = 0; i < merge; i++) kept &= sweep_read(i, merge);
        if (!kept) return cli_error("the parts are not of this sweep, or there are not all");
    } else {
        (void)sweep_read(part, parts);
        if (!sweep_part(part, parts, (int)stop)) return cli_error("part %d of %d is not finished", part, parts);
        if (parts > 1) return cli_exit(CLI_DONE);
    }
    return cli_exit(sweep_report());
}
