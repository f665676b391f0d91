#!/bin/sh
# make test-all: every test program in every cell of
#     {c99, c11, c++11, c++20} x {gcc, clang} x {double, float} x {-O0 with sanitizers, -O2, -O3 -march=native},
# all warnings errors, then the packaging tests. The -O2 cells do not contract and compare golden bits. Ends with  "N passed, N failed, N skipped"  over everything.
#
# Two cells, one double and one float, run the random sweeps in full, the others SWEEP of them (0.02; also printed
# for each cell). JOBS cells run at a time. After BUDGET seconds the remaining cells only check the headers: their
# programs are counted as skipped and printed.
: "${SWEEP:=0.02}"
: "${BUDGET:=150}"
DEADLINE=$(($(date +%s) + BUDGET))
export DEADLINE
: "${JOBS:=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}"
sanitize='-O0 -g1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all'
plain='-O2 -ffp-contract=off -DDC_TEST_NO_CONTRACT'
full_double='c99 clang double -O3 -march=native'
full_float="c99 gcc float $plain"

rm -rf build/matrix
mkdir -p build/matrix
sh tests/greatest.sh "$GREATEST" || exit 1
echo "matrix: $JOBS cells at a time; sweeps at $SWEEP, in full for '$full_double' and '$full_float'"

# The full cells first, since they take longest; then four that differ much; then the oldest and the newest standard, since
# c11 differs least from c99 and c++11 from c++20.
{
    echo "1 $full_double"
    echo "1 $full_float"
    echo "$SWEEP c++20 gcc double $sanitize"
    echo "$SWEEP c++11 clang float -O3 -march=native"
    echo "$SWEEP c99 gcc float $sanitize"
    echo "$SWEEP c++11 gcc double $plain"
    for std in c99 c++20 c11 c++11; do
        for options in "$sanitize" "-O3 -march=native" "$plain"; do
            for real in double float; do
                for cc in gcc clang; do
                    echo "$SWEEP $std $cc $real $options"
                done
            done
        done
    done
} | awk '{ cell = $0; sub(/^[^ ]+ /, "", cell) } !seen[cell]++' | while read -r sweep std cc real options; do
    # a compiler that is not there, or has no sanitizers, cannot build even this
    case "$std $cc" in c++*gcc) try="g++ -x c++" ;; c++*clang) try="clang++ -x c++" ;; *) try="$cc -x c" ;; esac
    if echo 'int main(void) { return 0; }' | $try -std=$std $options - -o build/matrix/probe >/dev/null 2>&1; then
        echo "$std $cc $real $sweep $options"
    else
        echo "skip $std $cc $real $options: it cannot build an empty program" >&2
    fi
done 2>build/matrix/skips >build/matrix/cells
cat build/matrix/skips
skipped=$(($(wc -l < build/matrix/skips)))
sh tests/packaging.sh > build/matrix/packaging.log 2>&1 &
xargs -P "$JOBS" -L 1 sh tests/cell.sh < build/matrix/cells

# every cell, and the packaging tests, must have left a result
cells=$(wc -l < build/matrix/cells)
results=$(cat build/matrix/*/result 2>/dev/null | wc -l)
missing=$((cells - results))
[ $missing -eq 0 ] || echo "FAIL $missing of $cells cells left no result"

echo
echo "== packaging"
wait
cat build/matrix/packaging.log
grep -q '^[0-9]* passed' build/matrix/packaging.log || { echo "FAIL packaging left no result"; missing=$((missing + 1)); }
cat build/matrix/*/result build/matrix/packaging.log 2>/dev/null | awk -v f=$missing -v s=$skipped '
    match($0, /[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped/) {
        split(substr($0, RSTART, RLENGTH), n, /[^0-9]+/)
        p += n[1]; f += n[2]; s += n[3]
    }
    END { print "\n" p + 0 " passed, " f " failed, " s " skipped"; exit f > 0 }'
