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
    if (cd "$tmp/dir" && "$run" "${file##*/}") >"$tmp/out" 2>&1; then
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

# Firmware, in float, on an emulated Cortex-M: firmware/NAME.c calls one thing for 64 states and prints instructions (mean
# and most), the painted stack, the arena and a hash of all results, which has to be that of the same program here. Flash:
# .text and .data over the same program without the call. A line of ceilings.txt names a figure and its ceiling.
arm=${ARM_CC:-arm-none-eabi-gcc}
qemu=${QEMU_ARM:-qemu-system-arm}
common="-std=c99 -ffreestanding -ffp-contract=off -DDC_REAL=float $warn"
arm_flags="$common -mfloat-abi=hard -mthumb -ffunction-sections -fdata-sections"
arm_link="-Wl,--gc-sections -nostartfiles -T board.ld --specs=nano.specs --specs=nosys.specs"
# board NAME MACHINE FLAGS...: builds NAME.c for it, runs it, and prints its figures
board() {
    name=$1 machine=$2
    shift 2
    "$arm" $arm_flags "$@" "$name.c" board.c -o "$machine.elf" $arm_link || return 1
    "$arm" $arm_flags "$@" -DBOARD_CALLS=0 "$name.c" board.c -o "$machine.empty.elf" $arm_link || return 1
    timeout 300 "$qemu" -M "$machine" -icount shift=6 -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -kernel "$machine.elf" 2>&1 || { echo "$name failed on $machine"; return 1; }
    "${arm%gcc}size" "$machine.elf" "$machine.empty.elf" | awk -v name="$name" 'NR > 1 { n[NR] = $1 + $2 } END { print name "/flash " n[2] - n[3] }'
}
firmware() {
    name=${1%.c}
    board "$name" mps2-an386 -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -Os > m4f.txt & m4f=$!
    ${CC:-cc} $common -O2 "$name.c" board.c -o here -lm && ./here > here.txt || { cat here.txt; wait $m4f; return 1; }
    board "$name" mps2-an500 -mcpu=cortex-m7 -mfpu=fpv5-sp-d16 -O2 > m7.txt || { cat m7.txt; wait $m4f; return 1; }
    wait $m4f || { cat m4f.txt; return 1; }
    sed 's,^,note m4f_os/,' m4f.txt
    sed 's,^,note m7_o2/,' m7.txt
    for m in m4f m7; do
        grep /bits "$m.txt" | cmp -s - here.txt || { echo "other bits on $m than here"; cat here.txt; return 1; }
    done
    sed 's,^,m4f_os/,' m4f.txt | awk '
        NR == FNR { if ($2 > 0) most[$1] = $2; next }
        $1 in most { met++; if ($2 > most[$1]) { print "above the ceiling: " $0 " > " most[$1]; bad = 1 } }
        END { exit bad || !met }' ceilings.txt -
}
if ! have "$arm"; then skip "Cortex-M" "no $arm"
elif ! have "$qemu"; then skip "Cortex-M" "no $qemu"
else
    for program in pair distance ball arm; do
        extra=
        [ $program = ball ] && extra=dc_ncp.h
        [ $program = arm ] && extra="dc_bsh.h dc_sdf.h dc_sim.h"
        for f in board.h board.c board.ld ceilings.txt; do extra="$extra tests/vendor/firmware/$f"; done
        trial "Cortex-M4F and M7, float, freestanding, $program" firmware "firmware/$program.c" dc_contact.h $extra
    done
fi

wasm() {
    clang --target=wasm32-wasi -std=c99 -O2 $warn "$1" -o program.wasm || return 1
    echo "note $(wc -c < program.wasm) bytes"
    node --no-warnings "$here/wasm.mjs" program.wasm
}
echo 'int main(void) { return 0; }' > "$tmp/probe.c"
if have node && clang --target=wasm32-wasi "$tmp/probe.c" -o "$tmp/probe.wasm" >/dev/null 2>&1; then
    trial "WebAssembly, dc_contact.h" wasm c99.c dc_contact.h
else skip "WebAssembly" "no node, or no clang with wasi-libc"; fi

# installed into an empty place, found by pkg-config and by CMake; CMake also takes the tree as it is
installed() {
    make -s -C "$top" install PREFIX=/usr DESTDIR="$PWD/root" || return 1
    [ "$(ls root/usr/include)" = "$(cd "$top" && ls dc_*.h)" ] || { ls root/usr/include; return 1; }
    PKG_CONFIG_PATH="$PWD/root/usr/share/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$PWD/root" PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
    export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS
    pkg-config --exists "dc = $(sed -n '1s/.* - v\([0-9.]*\) - .*/\1/p' root/usr/include/dc_contact.h)" || return 1
    ${CC:-cc} -std=c99 $warn "$1" $(pkg-config --cflags --libs dc) -o program && ./program
}
if have pkg-config; then trial "make install, pkg-config" installed c99.c
else skip "make install, pkg-config" "no pkg-config"; fi

# cmake_project FILE HOW: a project of its own that says HOW it comes by dc::dc
cmake_project() {
    mkdir user && cp "$1" user && printf '%s\n' 'cmake_minimum_required(VERSION 3.14)' 'project(user C)' "$2" \
        "add_executable(program $1)" 'target_link_libraries(program dc::dc)' > user/CMakeLists.txt || return 1
    shift 2
    cmake -S user -B user/build "$@" && cmake --build user/build && user/build/program
}
find_package() {
    cmake -S "$top" -B tree -DCMAKE_INSTALL_PREFIX="$PWD/root" && cmake --install tree || return 1
    cmake_project "$1" 'find_package(dc 0.1 REQUIRED)' -DCMAKE_PREFIX_PATH="$PWD/root"
}
fetch_content() {
    cmake_project "$1" 'include(FetchContent)
FetchContent_Declare(dc SOURCE_DIR ${DC})
FetchContent_MakeAvailable(dc)' -DDC="$top"
}
if have cmake; then
    trial "CMake, find_package" find_package c99.c
    trial "CMake, FetchContent" fetch_content c99.c
else skip "CMake" "no cmake"; fi

stands() { ${CC:-cc} -std=c99 -O2 $warn "$1" -o program -lm && ./program; }
trial "a solver of a stranger's on dc_contact.h alone" stands pyramid.c dc_contact.h

shared() { ${CC:-cc} -std=c99 -O2 $warn -fPIC -shared "$1" -o libdc.so -lm && python3 "$here/shared.py" ./libdc.so; }
if have python3; then trial "shared library called from Python" shared shared.c dc_contact.h
else skip "shared library called from Python" "no python3"; fi

# dc.py, whose structs are made from the headers: with the first python3 that has numpy
numpy() {
    "$python" "$1/generate.py" "${CC:-cc}" "$top" . && cp "$1/dc.py" . || return 1
    ${CC:-cc} -std=c99 -O0 -ffp-contract=off -fPIC -shared -I"$top" libdc.c -o libdc.so -lm || return 1
    PYTHONPATH="$PWD" PYTHONDONTWRITEBYTECODE=1 "$python" "$1/test_dc.py" > said || { cat said; return 1; }
    sed -n 's/^skip/note skip/p' said
}
python=
for p in python3 /usr/bin/python3; do [ -z "$python" ] && "$p" -c 'import numpy' 2>/dev/null && python=$p; done
python_trial() { numpy "$top/examples/python"; }
if [ -n "$python" ]; then trial "Python with numpy" python_trial shared.py
else skip "Python with numpy" "no python3 with numpy"; fi

# examples/sweep.c: the same bits in one part and in three, one of which was killed and went on; on two ranks of MPI
sweep() {
    common="-std=c99 -O1 $warn -DDC_STATIC -I$top -I$top/examples/common"
    ${CC:-cc} $common "$top/examples/sweep.c" -o sweep -lm && ./sweep --scenes 160 | grep ^bits > one || return 1
    ./sweep --scenes 160 --part 0/3 --stop 1 && { echo "it did not stop"; return 1; }
    for p in 0 1 2; do ./sweep --scenes 160 --part $p/3 || return 1; done
    ./sweep --scenes 160 --merge 3 | grep ^bits | cmp - one || return 1
    ./sweep --scenes 161 --merge 3 && { echo "it merged the parts of another sweep"; return 1; }
    [ -z "$mpi" ] || {
        mpicc $common "$top/examples/sweep_mpi.c" -o sweep_mpi -lm || return 1
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 ./sweep_mpi --scenes 160 > said || { cat said; return 1; }
        grep ^bits said | cmp - one || return 1
    }
}
mpi=
have mpicc && have mpirun && mpi=yes
trial "sweep in parts" sweep shared.c
[ -n "$mpi" ] || skip "sweep on MPI" "no mpicc"

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
