#!/bin/sh
# make bits: the golden program, tests/golden/golden.c, built for other machines and by other compilers, in double and in float, run here (under
# qemu-user, node and wine) and compared with tests/data/golden.txt. Prints a table target x real x header and ends with
# "N passed, N failed, N skipped", one for each entry; a target that cannot be built or run here is one skip, with its reason.
#
#     sh tests/bits.sh [WORD]     the targets whose names have WORD in them, all without it
dir=build/bits
flags="-ffp-contract=off -I. -Itests/support -Itests/golden tests/golden/golden.c tests/support/support.c"
here=$(uname -m)

# name | how to run it | compiler and its flags, and "object" before them where that of tests/object.sh is linked. -O2 here is what make test and the cells of make test-all compare with the table;
# machines other than this one are built at -O1, where a compiler takes a third of the time, but for i386
targets() {
    for level in -O0 -O3 "-O3 -march=native"; do
        for cc in gcc clang; do echo "$here $cc $level||object $cc c99 $level"; done
    done
    echo "i386 gcc -O3|qemu-i386|i686-linux-gnu-gcc -std=c99 -msse2 -mfpmath=sse -O3 -static"
    echo "aarch64 gcc -O1|qemu-aarch64|aarch64-linux-gnu-gcc -std=c99 -O1 -static"
    echo "armhf gcc -O1|qemu-arm|arm-linux-gnueabihf-gcc -std=c99 -O1 -static"
    echo "riscv64 gcc -O1|qemu-riscv64|riscv64-linux-gnu-gcc -std=c99 -O1 -static"
    echo "s390x gcc -O1|qemu-s390x|s390x-linux-gnu-gcc -std=gnu99 -O1 -static"
    echo "wasm32 clang -O1|node --no-warnings tests/vendor/wasm.mjs|clang --target=wasm32-wasi -std=c99 -O1"
    echo "mingw gcc -O1|wine|x86_64-w64-mingw32-gcc -std=c99 -O1 -static"
}

# one target in one number type: KEY REAL RUN BUILD...
if [ "$1" = one ]; then
    key=$2 real=$3 run=$4
    shift 4
    program=$dir/$key.$real.exe
    if [ "$1" = object ]; then
        cc=$2 std=$3
        shift 3
        object=$(sh tests/object.sh $cc $std $real "$@" 2>"$dir/$key.$real.log") || exit 0
        set -- $cc -std=$std "$@" $(sh tests/lib.sh flags) "$object"
    fi
    if "$@" -DDC_REAL=$real $flags -lm -o "$program" 2>>"$dir/$key.$real.log"; then
        $run "$program" 2>>"$dir/$key.$real.log" | tr -d '\r' >"$dir/$key.$real.txt"
    fi
    rm -f "$program"
    exit 0
fi

rm -rf $dir
mkdir -p $dir
export WINEPREFIX="$PWD/$dir/wine" WINEDEBUG=-all
echo 'int main(void) { return 0; }' >$dir/probe.c
targets | grep -e "$1" | while IFS='|' read -r name run build; do
    key=$(echo "$name" | tr -cs 'A-Za-z0-9\n' _)
    try=${build#object }
    compiler=${try%% *}
    [ "$try" = "$build" ] || try=$compiler
    if ! command -v "$compiler" >/dev/null 2>&1; then echo "$name: no $compiler" >>$dir/skips
    elif ! $try $dir/probe.c -o $dir/probe.exe >/dev/null 2>&1; then echo "$name: $compiler cannot build an empty program" >>$dir/skips
    elif [ "${run%% *}" = qemu-i386 ] && $dir/probe.exe 2>/dev/null; then echo "$key||$build|$name"
    elif [ -n "$run" ] && ! command -v "${run%% *}" >/dev/null 2>&1; then echo "$name: no ${run%% *}" >>$dir/skips
    elif ! $run $dir/probe.exe >/dev/null 2>&1; then echo "$name: ${run%% *} cannot run an empty program" >>$dir/skips
    else echo "$key|$run|$build|$name"
    fi
done >$dir/targets

# those that take longest to run first
while IFS='|' read -r key run build name; do
    for real in double float; do printf '%s\n' "'$key' $real '$run' $build"; done
done <$dir/targets | sort -t "'" -k 4,4r | xargs -P "${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}" -L 1 sh tests/bits.sh one

printf '%-30s %-7s contact bsh     sdf     witness ncp     sim\n' target real
while IFS='|' read -r key run build name; do
    for real in double float; do
        touch "$dir/$key.$real.txt"
        awk -v name="$name" -v real=$real -v output="$dir/$key.$real.log" '
            FNR == NR { if ($1 != "#") { want[$1 " " $2] = real == "double" ? $3 " " $4 : $5 " " $6; ++cases[$1] } next }
            { ++got[$1]; if ($6 != "" || want[$1 " " $2] != $4 " " $5) bad[$1] = bad[$1] "    differs: " $0 "\n" }
            END {
                n = split("contact bsh sdf witness ncp sim", header, " ")
                row = sprintf("%-30s %-7s", name, real)
                for (k = 1; k <= n; ++k) {
                    h = header[k]
                    right = got[h] == cases[h] && cases[h] > 0 && bad[h] == ""
                    row = row sprintf(" %-7s", right ? "same" : got[h] ? "DIFFERS" : "NONE")
                    if (!right) list = list bad[h]
                }
                print row
                printf "%s", list
                if (row ~ /NONE/) print "    see " output
            }' tests/data/golden.txt "$dir/$key.$real.txt"
    done
done <$dir/targets >$dir/table
cat $dir/table
touch $dir/skips
sed 's/^/skip /' $dir/skips
grep -qs -w fma /proc/cpuinfo || echo "note: this machine has no fused multiply-add: -march=native has shown nothing of it"
awk -v skipped=$(($(wc -l <$dir/skips))) '
    { for (k = 1; k <= NF; ++k) { p += $k == "same"; f += $k == "DIFFERS" || $k == "NONE" } }
    END { print p + 0 " passed, " f + 0 " failed, " skipped " skipped"; exit f > 0 || p == 0 }' $dir/table
