#!/bin/sh
# make lint: white space, spelling, comments of public functions and clang-tidy over the tree.
#
#     sh tests/lint.sh
#
# Prints  pass NAME,  skip NAME: REASON  or  FAIL NAME  with what went wrong, and ends with  "N passed, N failed, N skipped".
# cppcheck is one of the packaging tests.
LC_ALL=C
export LC_ALL
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 skipped=0
have() { command -v "$1" >/dev/null 2>&1; }
skip() { skipped=$((skipped + 1)); echo "skip $1: $2"; }
# none NAME COMMAND...: passes when the command prints nothing
none() {
    name=$1
    shift
    "$@" >"$tmp/out" 2>/dev/null
    if [ -s "$tmp/out" ]; then
        failed=$((failed + 1))
        echo "FAIL $name"
        head -n 30 "$tmp/out" | sed 's/^/       /'
    else
        passed=$((passed + 1))
        echo "pass $name"
    fi
}

sources=$(find . -path ./build -prune -o -path ./.git -prune -o -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.sh' -o -name '*.md' -o -name '*.awk' -o -name '*.py' -o -name '*.mjs' \) -print | sort)
spaces() { grep -nE '	| +$' $sources | grep -v '\.md:'; }
ends() { for f in $sources; do [ -z "$(tail -c 1 "$f")" ] || echo "$f: no newline at the end"; done; }
none "no tabs, no spaces at the ends of lines" spaces
none "files end with a newline" ends

# A declaration stands in a run of lines without a blank one: the run begins with a comment, or the function has one of its own.
undocumented() {
    for h in dc_*.h; do
        awk '/^#endif \/\* .*_H_INCLUDED/ { exit }
             !NF { commented = 0 }
             /\/\*/ || /^ \*/ { commented = 1 }
             /^DC_DEF / && !commented { print FILENAME ":" FNR ": " $0 }' "$h"
    done
}
none "public functions have a comment, alone or as a group" undocumented

# names in the code that are no words
names=statics,nd,wit,fo,thess,wth,upto,fro,paeth
spelling() { codespell -L "$names" $sources; }
if have codespell; then none "spelling" spelling; else skip spelling "no codespell"; fi

# What is switched off, and why:
#   easily-swappable-parameters       (a, b) is what a pair is
#   macro-parentheses                 macros that take lists of statements or names
#   implicit-widening, misplaced-widening   products of counts whose bounds are checked before they are formed
#   signed-char-misuse                values of -1 are meant
#   flp30, FloatLoopCounter           continuation in a factor: the loop has a cap or ends at a bound
#   memory-comparison, exp42, flp37    poses are compared bit by bit to see whether anything moved
#   not-null-terminated                the first bytes of a file are no string
#   sizeof-expression                  arrays of pointers
checks='-*,bugprone-*,clang-analyzer-*,misc-*,performance-*,portability-*,cert-*,readability-misleading-indentation,
    readability-non-const-parameter,readability-duplicate-include,readability-inconsistent-declaration-parameter-name,
    -bugprone-easily-swappable-parameters,-bugprone-macro-parentheses,-bugprone-implicit-widening-of-multiplication-result,
    -bugprone-misplaced-widening-cast,-bugprone-signed-char-misuse,-cert-str34-c,-cert-flp30-c,
    -clang-analyzer-security.FloatLoopCounter,-bugprone-suspicious-memory-comparison,-cert-exp42-c,-cert-flp37-c,
    -bugprone-not-null-terminated-result,-bugprone-sizeof-expression'
tidy() {
    for h in dc_*.h; do echo "#define $(basename "$h" .h | tr a-z A-Z)_IMPLEMENTATION"; done > "$tmp/all.c"
    for h in dc_*.h; do echo "#include \"$h\""; done >> "$tmp/all.c"
    clang-tidy -quiet "-checks=$(echo "$checks" | tr -d ' \n')" '-header-filter=dc_.*' "$tmp/all.c" -- -std=c99 -I. | grep 'warning:\|error:'
}
if have clang-tidy; then none "clang-tidy" tidy; else skip clang-tidy "not installed"; fi

echo
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
