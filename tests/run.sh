#!/bin/sh
# Runs test programs, as many at a time as there are processors, and ends with the line  "N passed, N failed, N skipped"
# summed over all of them.
#
#     sh tests/run.sh PROGRAM...
#
# What a program printed appears as a whole when it ends, so that the order is that of ending, and after it how far all are.
# A program that ends abnormally, or without a summary, counts as one failure more.
# The exit status is 1 if anything failed.
dir=$(mktemp -d "${TMPDIR:-/tmp}/dc_test.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
begin=$(date +%s)
processors=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
printf '%s\n' "$@" | xargs -n 1 -P "$processors" sh -c '
    [ $# -eq 1 ] || exit 0          # xargs starts one for no program
    "$1" >"$0/$(basename "$1")" 2>&1
    echo "$? $1"' "$dir" | {
    passed=0 failed=0 skipped=0 ended=0
    while read -r status program; do
        log=$dir/$(basename "$program")
        ended=$((ended + 1))
        echo "== $program"
        cat "$log"
        # "Pass: 3, fail: 0, skip: 1." is greatest's last line
        counts=$(sed -n 's/^Pass: \([0-9]*\), fail: \([0-9]*\), skip: \([0-9]*\)\.$/\1 \2 \3/p' "$log" | tail -n 1)
        read -r p f s <<EOT
${counts:-0 0 0}
EOT
        if [ -z "$counts" ] || { [ "$status" != 0 ] && [ "$f" -eq 0 ]; }; then
            echo "FAIL $program: ended with status $status"
            f=$((f + 1))
        fi
        echo "-- $ended of $#, $(($(date +%s) - begin)) s"
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    done
    if [ $ended -ne $# ]; then
        echo "FAIL $(($# - ended)) of $# programs left no status"
        failed=$((failed + $# - ended))
    fi
    echo
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ]
}
