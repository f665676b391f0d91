#!/bin/sh
# Drop-in trials: each program is built in an empty directory that holds the headers the README names for it, and runs.
#
#     sh tests/vendor/run.sh
#
# Prints  pass NAME,  skip NAME: REASON  or  FAIL NAME  with what went wrong, and ends with  "N passed, N failed, N skipped".
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wdouble-promotion -Werror"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 skipped=0

have() { command -v "$1" >/dev/null 2>&1; }
skip() { skipped=$((skipped + 1)); echo "skip $1: $2"; }
# trial NAME FUNCTION FILE HEADER...: the function runs in a directory with these alone
trial() {
    name=$1 run=$2 file=$3
    shift 3
    rm -rf "$tmp/dir"
    mkdir "$tmp/dir" && cp "$here/$file" "$tmp/dir"
    for h in "$@"; do cp "$top/$h" "$tmp/dir"; done
    if (cd "$tmp/dir" && "$run" "$file") >"$tmp/out" 2>&1; then
        passed=$((passed + 1))
        echo "pass $name"
        sed -n 's/^note /       /p' "$tmp/out"
    else
        failed=$((failed + 1))
        echo "FAIL $name"
        head -n 30 "$tmp/out" | sed 's/^/       /'
    fi
}

c99() { ${CC:-cc} -std=c99 $warn "$1" -o program -lm && ./program; }
trial "C99, dc_contact.h" c99 c99.c dc_contact.h

cxx17() { ${CXX:-c++} -std=c++17 $warn "$1" -o program && ./program; }
if have "${CXX:-c++}"; then trial "C++17, dc_contact.h and dc_sdf.h" cxx17 cxx17.cpp dc_contact.h dc_sdf.h
else skip "C++17" "no ${CXX:-c++}"; fi

# flash: code and constants after the linker has dropped what is not called; stack: the largest sum of frames below main
arm=${ARM_CC:-arm-none-eabi-gcc}
firmware() {
    "$arm" -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16 -mthumb -std=c99 -ffreestanding -Os -DDC_REAL=float $warn \
        -ffunction-sections -fdata-sections -fcallgraph-info=su "$1" -o program -Wl,--gc-sections --specs=nosys.specs -lm || return 1
    echo "note flash $(arm-none-eabi-size program | awk 'NR == 2 { print $1 + $2 }') bytes with the C library's start-up code"
    awk -f "$top/tests/callgraph.awk" ./*.ci | awk '$2 == "main" { print "note stack " $3 " bytes" }'
}
if have "$arm"; then trial "Cortex-M4F, float, freestanding, dc_contact.h and dc_ncp.h" firmware firmware.c dc_contact.h dc_ncp.h
else skip "Cortex-M4F" "no $arm"; fi

wasm() {
    clang --target=wasm32-wasi -std=c99 -O2 $warn "$1" -o program.wasm || return 1
    echo "note $(wc -c < program.wasm) bytes"
    node --no-warnings "$here/wasm.mjs" program.wasm
}
echo 'int main(void) { return 0; }' > "$tmp/probe.c"
if have node && clang --target=wasm32-wasi "$tmp/probe.c" -o "$tmp/probe.wasm" >/dev/null 2>&1; then
    trial "WebAssembly, dc_contact.h" wasm c99.c dc_contact.h
else skip "WebAssembly" "no node, or no clang with wasi-libc"; fi

shared() { ${CC:-cc} -std=c99 -O2 $warn -fPIC -shared "$1" -o libdc.so -lm && python3 "$here/shared.py" ./libdc.so; }
if have python3; then trial "shared library called from Python" shared shared.c dc_contact.h
else skip "shared library called from Python" "no python3"; fi

threads() { $tsan -std=c99 -O1 -g $warn -fsanitize=thread -pthread "$1" -o program -lm && ./program; }
tsan=
for compiler in clang gcc; do
    [ -z "$tsan" ] && $compiler -fsanitize=thread "$tmp/probe.c" -o "$tmp/probe" 2>/dev/null && "$tmp/probe" && tsan=$compiler
done
if [ -n "$tsan" ]; then
    trial "two threads under the thread sanitizer, $tsan" threads threads.c dc_contact.h
    trial "grains shared by two threads under the thread sanitizer, $tsan" threads grains.c dc_contact.h dc_bsh.h dc_sdf.h dc_sim.h
else
    skip "two threads" "no compiler with the thread sanitizer"
    skip "grains shared by two threads" "no compiler with the thread sanitizer"
fi

echo
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
