#!/bin/sh
# make test-all: every test program in every cell of
#     {c99, c11, c++11, c++20} x {gcc, clang} x {double, float} x {-O0 with sanitizers, -O2, -O3 -march=native},
# all warnings errors, then the packaging tests. The -O2 cells do not contract and compare golden bits. Ends with  "N passed, N failed, N skipped"  over everything.
#
# Two cells, one double and one float, run the random sweeps in full, the others SWEEP of them (0.02; also printed
# for each cell). JOBS cells run at a time. After BUDGET seconds the remaining cells only check the headers: their
# programs are counted as skipped and printed.
#
#     sh tests/matrix.sh                                             the matrix
#     sh tests/matrix.sh cell STD COMPILER REAL SWEEP OPTIONS...     one cell, until DEADLINE (seconds since 1970); the outcome is in build/matrix/CELL
#
# WARN and WARN_C hold the warning flags.

# one cell. The headers are implemented once for all of it, in lib.o; only a test that uses private functions (dci_) has a static copy of its own
if [ "$1" = cell ]; then
    std=$2 cc=$3 real=$4 sweep=$5
    shift 5
    case $* in *sanitize*) label="-O0 sanitized" ;; *-O2*) label="-O2, no contraction" ;; *) label=$* ;; esac
    name="$std $cc $real $label"
    dir=build/matrix/$(echo "$name" | tr -cs 'A-Za-z0-9+\n' '_')
    rm -rf "$dir"
    mkdir -p "$dir"
    case $std in
        c++*) case $cc in gcc) cc=g++ ;; clang) cc=clang++ ;; esac; set -- -x c++ $WARN "$@" ;;
        *) set -- $WARN $WARN_C "$@" ;;
    esac
    set -- -std=$std -DDC_REAL=$real "$@" -I. -Itests/support -Iexamples/common -Ibuild/include -DDC_TEST_DATA="\"$PWD/tests/data\""
    begin=$(date +%s)
    sh tests/lib.sh > "$dir/lib.c"
    linked=$(sh tests/lib.sh flags)
    late() { [ "$(date +%s)" -gt "${DEADLINE:-9999999999}" ]; }
    if late; then only=-fsyntax-only; else only=; fi
    $cc "$@" -ffp-contract=off -c tests/support/support.c -o "$dir/support.o" >"$dir/log" 2>&1
    case $label$only in
        *contraction) o=$(sh tests/object.sh $cc $std $real -O2 2>>"$dir/log") && ln "$o" "$dir/lib.o" ;;
        *) $cc "$@" $only -c "$dir/lib.c" -o "$dir/lib.o" >>"$dir/log" 2>&1 ;;
    esac
    status=$?
    passed=0 failed=0 skipped=0 unrun=0
    [ $status -eq 0 ] || { failed=1; echo "FAIL the headers do not compile" >>"$dir/log"; }
    for test in tests/test_*.c; do
        if late; then
            skipped=$((skipped + 1)) unrun=$((unrun + 1))
            continue
        fi
        program=$dir/$(basename "$test" .c)
        echo "== $program" >>"$dir/log"
        if grep -q dci_ "$test"; then how=-DDC_STATIC= lib=; else how=$linked lib=$dir/lib.o; fi
        if $cc "$@" $how -DDC_TEST_SWEEP="$sweep" -c "$test" -o "$program.o" >>"$dir/log" 2>&1 &&
           $cc $(echo " $* " | grep -o -- ' -fsanitize=[^ ]*') "$program.o" $lib "$dir/support.o" -o "$program" -lm >>"$dir/log" 2>&1; then
            sh tests/run.sh "$program" >"$program.log" 2>&1
            cat "$program.log" >>"$dir/log"
            read -r p f s <<EOF
$(tail -n 1 "$program.log" | sed 's/\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped/\1 \2 \3/')
EOF
        else
            echo "FAIL $test does not compile" >>"$dir/log"
            p=0 f=1 s=0
        fi
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
        rm -f "$program" "$program.o"
    done
    printf '%-38s sweep %-5s %5d passed, %d failed, %d skipped  (%d s)\n' \
        "$name" "$sweep" $passed $failed $skipped $(($(date +%s) - begin)) | tee "$dir/result"
    [ $unrun -eq 0 ] || echo "    out of time: $unrun programs not run"
    if [ $failed -ne 0 ]; then
        grep -nE '^FAIL|  FAIL|error:|runtime error|ERROR: AddressSanitizer|ended with status' "$dir/log" | grep -v 'is meant here' | head -n 12 | sed 's/^/    /'
        echo "    see $dir/log"
    fi
    exit 0
fi

: "${SWEEP:=0.02}"
: "${BUDGET:=70}"
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
xargs -P "$JOBS" -L 1 sh tests/matrix.sh cell < build/matrix/cells

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
