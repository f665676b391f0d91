#!/bin/sh
# make bench-instructions: instructions per item of every entry of the benches built on bench.h, counted by callgrind:
# the same on every run, where times are not. Prints  name value unit.
#
#     sh tests/bench/instructions.sh PROGRAM...      programs of the default flags (valgrind knows no AVX-512)
command -v valgrind >/dev/null 2>&1 || { echo "bench-instructions skipped: no valgrind"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for program in "$@"; do
    rm -f "$tmp"/*
    # one dump per call of bench_measured, in the order in which the program names its entries
    valgrind --tool=callgrind --callgrind-out-file="$tmp/out" --collect-atstart=no --toggle-collect=bench_measured \
        --dump-after=bench_measured "$program" -i >"$tmp/entries" 2>"$tmp/log" || { cat "$tmp/log"; exit 1; }
    n=0
    while read -r name items; do
        case "$name $items" in '# '* | *' skipped: '*) continue ;; esac
        n=$((n + 1))
        awk -v name="$name" -v items="$items" '
            /^(totals|summary):/ { count = $2 }
            END { printf "%s/instructions %.4g instr\n", name, count/items }' "$tmp/out.$n"
    done < "$tmp/entries"
done
