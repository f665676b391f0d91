#!/bin/sh
# make figures: runs the programs that the figures of tests/bench/RESULTS.md come from, and prints every row of its tables that names one
# beside what the program says now.
#
#     sh tests/figures.sh                 all rows; ONLY="bench_hull test_grains" those of some programs
#     sh tests/figures.sh targets         what has to be built for it
#     sh tests/figures.sh from LOG...     runs nothing: the programs' output is in what `make test`, `make bench` and, as vendor.log,
#                                         `make vendor` printed
#
# The last cell of such a row is  `PROGRAM` `PATTERN` ..  and the patterns (shell globs; a * stands for spaces too) choose lines
# of the program's output by how they begin. PROGRAM is bench_x, run as built with -O3 and again with -march=native, test_x,
# train_fields, or vendor: tests/vendor/run.sh. REPEATS=n goes to the benches. The exit status is 1 when a pattern finds no line, unless it names a peer.
LC_ALL=C
export LC_ALL
results=tests/bench/RESULTS.md
out=build/figures

# the rows, and the programs that they name
is_row='^\|.*\| `((bench|test)_[a-z0-9_]*|train_fields|vendor)`.*\|$'
programs() { sed -nE "s/$is_row/\\1/p" "$results" | sort -u; }
wanted() { case " ${ONLY:-$1} " in *" $1 "*) return 0 ;; esac; return 1; }
where() {
    case $1 in
    bench_*) echo "build/bench/$1 build/bench/$1_native" ;;
    test_*) echo "build/test/$1" ;;
    vendor) ;;
    *) echo "build/bench/$1" ;;
    esac
}

if [ "$1" = targets ]; then
    for p in $(programs); do if wanted "$p"; then where "$p"; fi; done
    exit 0
fi

begin=$(date +%s)
mkdir -p "$out"
sed -n 's/^model name[^:]*: /machine: /p' /proc/cpuinfo 2>/dev/null | head -n 1
${CC:-cc} --version | head -n 1
if [ "$1" = from ]; then
    shift
    awk -v out="$out/" '
        FNR == 1 { file = FILENAME ~ /vendor\.log$/ ? out "vendor.txt" : "" }
        /^== build\// { sub(/.*\//, ""); file = out $0 ".txt"; printf "" > file; next }
        file { print > file }' "$@"
else for p in $(programs); do
    wanted "$p" || continue
    if [ "$p" = vendor ]; then sh tests/vendor/run.sh > "$out/vendor.txt" 2>&1 || { echo "FAIL vendor"; exit 1; }; fi
    for program in $(where "$p"); do
        case $p in bench_*) argument=${REPEATS:-5} ;; *) argument= ;; esac
        "$program" $argument > "$out/$(basename "$program").txt" 2>&1 || { echo "FAIL $program: status $?"; exit 1; }
    done
done fi

# lines FILE PATTERN: without the marks of the test framework in front and runs of spaces
lines() {
    sed 's/^[. ]*//; s/  */ /g' "$1" | while IFS= read -r line; do
        # shellcheck disable=SC2254
        case $line in *"/min "*|*"/low "*|*"/high "*) ;; $2|$2" "*) printf '%s\n' "$line" ;; esac
    done
}
echo
missing=0 rows=0
grep -E "$is_row" "$results" > "$out/rows.txt"
while IFS= read -r row; do
    source=$(printf '%s\n' "$row" | sed 's/.*| \(`[^|]*\) |$/\1/; s/`//g')
    set -f
    set -- $source
    set +f
    p=$1
    shift
    wanted "$p" || continue
    rows=$((rows + 1))
    printf '%s\n' "$row" | sed 's/ | `[^|]*|$//; s/^| /stated  /; s/ | / = /'
    while [ $# -gt 0 ]; do
        lines "$out/$p.txt" "$1" > "$out/found.txt"
        if [ ! -s "$out/found.txt" ]; then
            case $p/$1 in
            *fcl*|*libccd*|*mujoco*|*chipmunk*) echo "        skipped: $1 needs a library that is not installed" ;;
            vendor/*) if grep '^skip Cortex-M' "$out/vendor.txt"; then :; else echo "        FAIL vendor: $1"; missing=$((missing + 1)); fi ;;
            *) echo "        FAIL $p says nothing that begins with $1"; missing=$((missing + 1)) ;;
            esac
        fi
        # of a bench the value with -march=native in parentheses
        while IFS= read -r line; do
            name=${line%% *} native=
            [ ! -f "$out/${p}_native.txt" ] || [ "$name" = "#" ] || native=$(awk -v n="$name" '$1 == n { print $2; exit }' "$out/${p}_native.txt")
            printf '        %s%s\n' "$line" "${native:+ ($native)}"
        done < "$out/found.txt"
        shift
    done
done < "$out/rows.txt"
echo
echo "$rows rows, $missing patterns without a line, $(($(date +%s) - begin)) s"
[ $missing -eq 0 ]
