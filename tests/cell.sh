#!/bin/sh
# One cell of the matrix: builds and runs every test program one way, and writes the outcome to build/matrix/CELL.
#
#     sh tests/cell.sh STD COMPILER REAL SWEEP OPTIONS...
#
# WARN and WARN_C hold the warning flags. After the time DEADLINE (seconds since 1970) the compiler only
# checks the headers; the programs count as skipped. SWEEP is the factor on the random sweeps. The headers are implemented once for
# the whole cell, in lib.o; only a test that uses private functions (dci_) has a static copy of its own.
std=$1 cc=$2 real=$3 sweep=$4
shift 4
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
$cc "$@" $only -c "$dir/lib.c" -o "$dir/lib.o" >>"$dir/log" 2>&1
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
