#!/bin/sh
# Runs fuzz programs built for libFuzzer, so many seconds each:  sh tests/fuzz.sh SECONDS PROGRAM...
# An input that fails is written beside the program; `PROGRAM FILE` runs it again. Ends with
# "N passed, N failed, N skipped", one count a program; the exit status is 1 if anything failed.
seconds=$1
shift
passed=0 failed=0
for program in "$@"; do
    echo "== $program"
    corpus=$program.corpus
    mkdir -p "$corpus"
    if "$program" -max_total_time="$seconds" -timeout=120 -max_len=512 -verbosity=0 -print_final_stats=1 -artifact_prefix="$program." "$corpus" 2>"$program.log"; then
        passed=$((passed + 1))
        sed -n 's/^stat::number_of_executed_units: */inputs /p' "$program.log"
    else
        failed=$((failed + 1))
        echo "FAIL $program"
        grep -E 'not so:|ERROR:|runtime error:|SUMMARY:|Test unit written' "$program.log"
    fi
done
echo
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
