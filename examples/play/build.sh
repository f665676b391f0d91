#!/bin/sh
# The page one can touch, as one file:  sh examples/play/build.sh build/play/play.html  by  make play
#
# Compiles the C sources beside it to WebAssembly, which needs clang, wasm-ld and wasi-libc, and puts that in base64 in place of
# the line @wasm of page.html. What is missing is named, and the exit status is 2.
here=examples/play
page=$1
out=${page%.html}
clang=${CLANG:-clang}

mkdir -p "$(dirname "$page")"
rm -f "$page"
echo '#include <string.h>
int main(void) { return 0; }' > "$out.c"
if ! $clang --target=wasm32-wasi -nostartfiles "$out.c" -Wl,--no-entry -o "$out.wasm" >"$out.log" 2>&1; then
    echo "needs clang for wasm32, wasm-ld and wasi-libc (Debian: clang lld wasi-libc); see $out.log"
    exit 2
fi
rm -f "$out.c" "$out.log"

# shellcheck disable=SC2086    WARN is a list of options
$clang --target=wasm32-wasi -nostartfiles -std=c99 -O2 -fno-math-errno -ffp-contract=off $WARN $WARN_C -I. $here/*.c \
    -Wl,--no-entry -Wl,-z,stack-size=262144 -o "$out.wasm" || exit 1
base64 "$out.wasm" > "$out.txt" || exit 1
awk -v program="$out.txt" '$0 == "@wasm" { while ((getline line < program) > 0) print line; next } { print }' $here/page.html > "$page"
rm -f "$out.txt"
