#!/bin/sh
# make facts: lines, bytes of code and worst stack of each header.
#
#     sh tests/facts.sh [HEADER...]
#
# Code: .text and .rodata of the object that holds the header's implementation alone, at -Os.
# Stack: the largest sum of frames along a chain of calls (gcc's -fcallgraph-info=su), without what the C library
# needs (sqrt, memcpy). A public function above 4096 bytes, or without a fixed bound, is a FAIL and the exit status is 1. So is
# a row of README.md's table of headers with lines or bytes that are more than a twentieth off.
LC_ALL=C
export LC_ALL
CC=${FACTS_CC:-gcc}
ARM_CC=${ARM_CC:-arm-none-eabi-gcc}
ARM="-mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16 -mthumb -DDC_REAL=float"
limit=4096
[ $# -gt 0 ] || set -- dc_*.h
top=$(pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

code() { size -A "$1" | awk '$1 ~ /^\.(text|rodata)/ { n += $2 } END { print n + 0 }'; }

# stacks CC FLAGS...: the functions of the whole suite up to header $h with their stack, largest first
stacks() {
    rm -f "$tmp"/*.ci
    (cd "$tmp" && "$@" -std=c99 -I"$top" -fcallgraph-info=su -c all.c -o all.o) || return 1
    awk -f tests/callgraph.awk "$tmp"/*.ci
}

# stated HEADER COLUMN: of the table of headers in README.md, in thousands for the bytes of code
stated() { sed -n "s/^| \`$1\` |.*| \([0-9]*\) | \([0-9]*\), \([0-9]*\) |\$/\\$2/p" README.md; }
# near HEADER WHAT MEASURED STATED: a thousand is the last digit of sizes
near() {
    awk -v m="$3" -v s="${4:-0}" 'BEGIN { exit !(s > 0 && m - s <= m/20 + 0.5 && s - m <= m/20 + 0.5) }' && return
    echo "FAIL README.md: $1 has ${4:-no} $2, not $3"
    wrong=1
}
wrong=0

for h in "$@"; do
    macro=$(basename "$h" .h | tr a-z A-Z)_IMPLEMENTATION
    echo "== $h"
    printf '%-52s %8d\n' "lines" "$(wc -l < "$h")"
    near "$h" lines "$(wc -l < "$h")" "$(stated "$h" 1)"
    { sh tests/lib.sh flags | sed "/-D${macro%ATION}ED=/d; s/^-D/#define /; s/=$//"; echo "#define $macro"; echo "#include \"$h\""; } > "$tmp/one.c"
    $CC -std=c99 -I"$top" -Os -c "$tmp/one.c" -o "$tmp/one.o" || exit 1
    printf '%-52s %8d\n' "bytes of code, $($CC -dumpmachine) -Os, double" "$(code "$tmp/one.o")"
    case $($CC -dumpmachine) in x86_64*) near "$h" "KB of code" "$(($(code "$tmp/one.o")/1000))" "$(stated "$h" 2)" ;; esac
    if command -v "$ARM_CC" >/dev/null 2>&1; then
        $ARM_CC $ARM -std=c99 -I"$top" -Os -c "$tmp/one.c" -o "$tmp/arm.o" || exit 1
        printf '%-52s %8d\n' "bytes of code, Cortex-M4F -Os, float" "$(code "$tmp/arm.o")"
        near "$h" "KB of code for a Cortex-M4F" "$(($(code "$tmp/arm.o")/1000))" "$(stated "$h" 3)"
        arm=1
    else
        echo "bytes of code, Cortex-M4F: skipped, no $ARM_CC"
        arm=
    fi
done

# stack, over the implementations of all headers together, so that calls between them count
{ for h in "$@"; do echo "#define $(basename "$h" .h | tr a-z A-Z)_IMPLEMENTATION"; done
  for h in "$@"; do echo "#include \"$h\""; done; } > "$tmp/all.c"
if ! $CC -fcallgraph-info=su -S -x c -o "$tmp/probe.s" - </dev/null 2>/dev/null; then
    echo "stack: skipped, $CC has no -fcallgraph-info (gcc 10 or later has)"
    exit $wrong
fi
echo "== worst stack of public functions, bytes"
{
    stacks $CC -Os | sed 's/^stack /Os &/'
    stacks $CC -O3 | sed 's/^stack /O3 &/'
    [ -z "$arm" ] || stacks $ARM_CC $ARM -Os | sed 's/^stack /M4 &/'
} > "$tmp/stack"
if grep '^cycle' "$tmp/stack"; then echo "FAIL recursion: no bound on the stack"; exit 1; fi
awk -v limit=$limit -v arm="$arm" -v wrong=$wrong '
    BEGIN {
        printf "%6s %-36s %8s %8s%s\n", "worst", "function", "-Os", "-O3", arm ? "   M4 -Os" : ""
        fflush()
    }
    $2 != "stack" || $3 !~ /^dc_[a-z0-9_]*$/ { next }      # no clones such as dc_x.part.0
    {
        name = $3
        if ($1 == "M4") sub(/_f$/, "", name)            # the float build has names of its own
        size[name, $1] = $4
        names[name] = 1
        if ($4 > worst[name]) { worst[name] = $4; chain[name] = $1 " " $6 }
        if ($5 == "dynamic") note[name] = " FAIL no fixed bound"
        else if ($5 == "indirect" && !note[name]) note[name] = " + what it calls through a pointer"
    }
    END {
        sorted = "sort -k1,1nr -k2,2"
        for (name in names) {
            if (worst[name] > limit) note[name] = note[name] " FAIL above " limit
            if (note[name] ~ /FAIL/) bad++
            n++
            line = sprintf("%6d %-36s %8s %8s", worst[name], name, size[name, "Os"], size[name, "O3"])
            if (arm) line = line sprintf(" %8s", size[name, "M4"])
            print line note[name] | sorted
        }
        close(sorted)
        for (name in names) if (worst[name] > limit) print "       " chain[name]
        print n - bad " public functions within " limit " bytes, " bad + 0 " not"
        exit bad > 0 || n == 0 || wrong
    }' "$tmp/stack"
