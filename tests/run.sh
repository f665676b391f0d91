#!/bin/sh
# Runs test programs and ends with the line  "N passed, N failed, N skipped"  summed over all of them.
#
#     sh tests/run.sh PROGRAM...
#
# A program that ends abnormally, or without a summary, counts as one failure more.
# The exit status is 1 if anything failed.
passed=0 failed=0 skipped=0
log=${TMPDIR:-/tmp}/dc_test.$$
trap 'rm -f "$log"' EXIT
for program in "$@"; do
    echo "== $program"
    "$program" >"$log" 2>&1
    status=$?
    cat "$log"
    # "Pass: 3, fail: 0, skip: 1." is greatest's last line
    counts=$(sed -n 's/^Pass: \([0-9]*\), fail: \([0-9]*\), skip: \([0-9]*\)\.$/\1 \2 \3/p' "$log" | tail -n 1)
    read -r p f s <<EOF
${counts:-0 0 0}
EOF
    if [ -z "$counts" ] || { [ $status -ne 0 ] && [ "$f" -eq 0 ]; }; then
        echo "FAIL $program: ended with status $status"
        f=$((f + 1))
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
