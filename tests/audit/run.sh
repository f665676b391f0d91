#!/bin/sh
# Runs audits, two at a time, prints their tables, a line for each and the line  "N passed, N failed, N skipped"  of rows.
#
#     sh tests/audit/run.sh SHARE PROGRAM...
#
# A row that is open, its cure being known, counts as skipped; a program that ends abnormally as one failure more.
# Without programs nothing could be built. The exit status is 1 if anything failed. Logs: beside the programs.
share=$1
shift
if [ $# -eq 0 ]; then
    echo "audit skipped: it needs gcc with __int128 and libquadmath (x86-64)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
printf '%s\n' "$@" | xargs -n 1 -P 2 sh -c '
    start=$(date +%s)
    "$1" "$0" >"$1.log" 2>&1
    echo "status $?, $(($(date +%s) - start)) s" >>"$1.log"' "$share"

passed=0 failed=0 skipped=0 samples=0
for program in "$@"; do
    echo "== $program"
    cat "$program.log"
    # "double: 19 rows, 760 samples; 19 passed, 0 failed, 0 open; worst 1.0e-09"
    counts=$(sed -n 's/^[a-z]*: [0-9]* rows, \([0-9]*\) samples; \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) open.*/\1 \2 \3 \4/p' "$program.log" | tail -n 1)
    read -r n p f s <<EOT
${counts:-0 0 0 0}
EOT
    if [ -z "$counts" ] || { [ "$f" -eq 0 ] && ! grep -q '^status 0,' "$program.log"; }; then
        echo "FAIL $program: $(tail -n 1 "$program.log")"
        f=$((f + 1))
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s)) samples=$((samples + n))
done

echo
for program in "$@"; do
    printf '%-28s %s; %s\n' "$(basename "$program")" "$(grep -E '^(double|float): ' "$program.log" | tail -n 1)" "$(tail -n 1 "$program.log")"
done
[ "$skipped" -eq 0 ] || echo "skipped: $skipped rows are open, each for the reason it prints"
echo "$samples samples"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
