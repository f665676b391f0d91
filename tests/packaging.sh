#!/bin/sh
# Packaging tests: what must hold for files that people drop into their own programs.
#
#     sh tests/packaging.sh
#
# Prints  pass NAME,  skip NAME: REASON  or  FAIL NAME  with what went wrong, and ends with  "N passed, N failed, N skipped".
# WARN and WARN_C, if set, replace the warning flags.
WARN=${WARN:--Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Wundef -Wvla -Werror}
WARN_C=${WARN_C:--Wstrict-prototypes -Wmissing-prototypes}
LC_ALL=C
export LC_ALL WARN WARN_C
headers=$(echo dc_*.h)
top=$(pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 skipped=0

# check NAME COMMAND...: the command's output is shown only if it fails, except lines that start with "note "
check() {
    name=$1 begin=$(date +%s)
    shift
    if "$@" >"$tmp/out" 2>&1; then
        passed=$((passed + 1)) took=$(($(date +%s) - begin))
        [ $took -lt 10 ] && echo "pass $name" || echo "pass $name ($took s)"
        sed -n 's/^note /       /p' "$tmp/out"
    else
        failed=$((failed + 1))
        echo "FAIL $name"
        head -n 30 "$tmp/out" | sed 's/^/       /'
    fi
}
# both COMMAND: with double and with float at the same time
both() { "$@" double & other=$!; "$@" float; mine=$?; wait $other && [ $mine = 0 ]; }
skip() { skipped=$((skipped + 1)); echo "skip $1: $2"; }
have() { command -v "$1" >/dev/null 2>&1; }

c_compilers=gcc
cxx_compilers=g++
have gcc || { c_compilers=cc; cxx_compilers=c++; }
if have clang && have clang++; then
    c_compilers="$c_compilers clang" cxx_compilers="$cxx_compilers clang++"
else
    skip clang "not installed"
fi
CC=${c_compilers%% *} CXX=${cxx_compilers%% *}
have "$CXX" || { skip c++ "not installed"; cxx_compilers=; }

# c STD FLAGS FILE... and cxx STD FLAGS FILE...: the first compiler of each language, all warnings are errors
c() { std=$1; shift; "$CC" -std="$std" $WARN $WARN_C -I"$top" "$@"; }
cxx() { std=$1; shift; "$CXX" -std="$std" $WARN -I"$top" -x c++ "$@"; }

# dc_bsh.h -> DC_BSH_IMPLEMENTATION
macro() { echo "$(basename "$1" .h)_IMPLEMENTATION" | tr a-z A-Z; }
define_all() { for h in "$@"; do echo "#define $(macro "$h")"; done; }
# all headers but this one have their implementation in another file
elsewhere() { for h in $headers; do [ "$h" = "$1" ] || echo "#define $(basename "$h" .h | tr a-z A-Z)_IMPLEMENTED"; done; }
include_all() { for h in "$@"; do echo "#include \"$h\""; done; }
reversed() { r=; for h in "$@"; do r="$h $r"; done; echo "$r"; }
rotated() { first=$1; shift; echo "$@" "$first"; }

c_standards='c99 c11' cxx_standards='c++11 c++20'
# every_way FILE REAL: the text has no warning under every compiler and these standards, with this number type
every_way() {
    for cc in $c_compilers; do
        for std in $c_standards; do
            "$cc" -std=$std $WARN $WARN_C -I"$top" -DDC_REAL=$2 -fsyntax-only "$1" || { echo "$cc $std $2"; return 1; }
        done
    done
    for cc in $cxx_compilers; do
        for std in $cxx_standards; do
            "$cc" -std=$std $WARN -I"$top" -DDC_REAL=$2 -fsyntax-only -x c++ "$1" || { echo "$cc $std $2"; return 1; }
        done
    done
}

# ---- each header alone: declarations, then with its implementation

alone() { include_all "$1" > "$tmp/alone.c"; both every_way "$tmp/alone.c"; }
implemented() { { elsewhere "$1"; define_all "$1"; include_all "$1"; } > "$tmp/impl.c"; both every_way "$tmp/impl.c"; }
# needed HEADER: those it includes, and those they include
needed() { for h in $(sed -n 's/^#include "\(.*\)"/\1/p' "$1" | sort -u); do [ "$h" = "$1" ] || { needed "$h"; echo "$h"; }; done | sort -u; }
# without the macro of a header that it needs the implementation of another does not compile, and the message names both
must_ask() {
    for missing in $(needed "$1"); do
        { for h in $(needed "$1") "$1"; do [ "$h" = "$missing" ] || define_all "$h"; done; include_all "$1"; } > "$tmp/ask.c"
        if c c99 -fsyntax-only "$tmp/ask.c" 2>"$tmp/ask"; then echo "compiles without $(macro "$missing")"; return 1; fi
        for h in $missing "$1"; do
            grep -qE "error.*$(basename "$h" .h | tr a-z A-Z)_(,| and|IMPLEMENTATION)" "$tmp/ask" || { cat "$tmp/ask"; return 1; }
        done
    done
}
for h in $headers; do
    check "$h alone" alone "$h"
    check "$h alone, implemented" implemented "$h"
    [ -z "$(needed "$h")" ] || check "$h asks for the macros of those it needs" must_ask "$h"
done

# each part of dc_sdf.h without the other, and neither: what is left compiles, its names are those of the part
part() {
    for real in double float; do
        { define_all dc_contact.h dc_sdf.h; for m in $2; do echo "#define $m"; done; include_all dc_sdf.h; } > "$tmp/part.c"
        every_way "$tmp/part.c" $real && c c99 -DDC_REAL=$real -c "$tmp/part.c" -o "$tmp/part.o" || return 1
        nm "$tmp/part.o" | awk '$2 == "T" { print $3 }' | grep -E '^dc_(sdf|poly|cfield)_' > "$tmp/part.names"
        for prefix in sdf poly cfield; do
            case " $1 " in *" $prefix "*) want=0 ;; *) want=1 ;; esac
            grep -q "^dc_${prefix}_" "$tmp/part.names"
            [ $? = $want ] || { echo "dc_${prefix}_ with $2, $real"; return 1; }
        done
    done
}
case " $headers " in *" dc_sdf.h "*)
    check "dc_sdf.h, space alone" part "sdf" DC_SDF_NO_PLANE
    check "dc_sdf.h, plane alone" part "poly cfield" DC_SDF_NO_SPACE
    check "dc_sdf.h, neither" part "" "DC_SDF_NO_SPACE DC_SDF_NO_PLANE" ;;
esac

# dc_sim.h without grains: what is left compiles without dc_sdf.h, and none of its names are theirs
no_grains() {
    for real in double float; do
        {
            define_all dc_contact.h dc_bsh.h dc_sim.h
            echo '#define DC_SIM_NO_GRAINS'
            include_all dc_sim.h
            echo '#ifdef DC_SDF_H_INCLUDED'
            echo '#error "dc_sdf.h is included"'
            echo '#endif'
        } > "$tmp/part.c"
        every_way "$tmp/part.c" $real && c c99 -DDC_REAL=$real -c "$tmp/part.c" -o "$tmp/part.o" || return 1
        nm "$tmp/part.o" | awk '$2 == "T" { print $3 }' > "$tmp/part.names"
        grep -q '^dc_sim_step' "$tmp/part.names" || { echo "no dc_sim_step, $real"; return 1; }
        ! grep -E '^dc_(grain|sdf|poly|cfield)' "$tmp/part.names" || return 1
    done
}
case " $headers " in *" dc_sim.h "*) check "dc_sim.h without grains" no_grains ;; esac

# names that headers of other libraries define as macros: windows.h, termios.h, complex.h, Arduino.h
{
    for h in limits math stddef stdint string; do echo "#include <$h.h>"; done
    for name in near far small interface IN OUT ERROR OPTIONAL B0 B1 I F_CPU PI; do echo "#define $name ,"; done
    echo '#define min(a, b) ,'
    echo '#define max(a, b) ,'
    echo '#define abs(a) ,'
    echo '#define round(a) ,'
    echo '#define F(a) ,'
    define_all $headers
    include_all $headers
} > "$tmp/macros.c"
check "beside the macros of other libraries" every_way "$tmp/macros.c" double

# ---- objects: the whole suite, and the names it exports

{ define_all $headers; include_all $headers; } > "$tmp/all.c"
exported() { nm "$1" | awk '$2 ~ /^[A-TV-Z]$/ { print $3 }' | sort; }
object() {
    o=$(sh tests/object.sh "$CC" c99 $1 -O2) && cp "$o" "$tmp/$1.o" || return 1
    exported "$tmp/$1.o" > "$tmp/$1.names"
    [ -s "$tmp/$1.names" ] || { echo "nothing exported by the $1 build"; return 1; }
    # a file that refers to every function, to be linked with the above
    {
        include_all $headers
        echo 'typedef void (*function)(void);'
        echo 'extern function table[];'
        echo 'function table[] = {'
        sed 's/.*/    (function)&,/' "$tmp/$1.names"
        echo '};'
        echo 'int main(void) { return table[0] == table[1]; }'
    } > "$tmp/use_$1.c"
    c c99 -DDC_REAL=$1 -c "$tmp/use_$1.c" -o "$tmp/use_$1.o"
}
check "compiles to an object at -O2, double and float" both object

# Every other way to an object: COMPILER REAL LEVEL. Some warnings come only with more inlining.
built() {
    case $1 in *++) std=c++11 ;; *) std=c99 ;; esac
    o=$(sh tests/object.sh "$1" $std $2 $3) && cp "$o" "$tmp/way_$(basename "$o")" || { echo "$1 $2 $3"; return 1; }
}
ways() { for cc in $2; do built $cc $3 "$1" || return 1; done; }
in_all_ways() {
    both ways -O0 "$c_compilers $cxx_compilers" && both ways -O3 "$CC" && ways "-O3 -march=native" "$CC" double || return 1
    [ "$c_compilers" = "$CC" ] || both ways -O2 "${c_compilers#* }"
}
check "no warning at -O0, -O2, -O3, -O3 -march=native" in_all_ways

# ---- all headers in one file, in several orders

# the text compiles everywhere, and defines all there is: an implementation inside the include guard would define nothing
defines_all() {
    every_way "$1" double || return 1
    c c99 -c "$1" -o "$tmp/order.o" && exported "$tmp/order.o" | diff "$tmp/double.names" -
}
# declared first, then implemented by a second include; then a third include must change nothing
declared_then_implemented() {
    { include_all "$@"; define_all "$@"; include_all "$@"; include_all "$@"; } > "$tmp/order.c"
    defines_all "$tmp/order.c"
}
# each macro just before its header, after those that it needs, then all of it again: the macro set in two places gives one definition
macro_twice() {
    for h in "$@" "$@"; do define_all $(needed "$h") "$h"; include_all "$h"; done > "$tmp/order.c"
    defines_all "$tmp/order.c"
}
c_standards=c99 cxx_standards=c++11                         # to which order is all the same
for order in forward reversed rotated; do
    case $order in
        forward) list=$headers ;;
        *) list=$($order $headers) ;;
    esac
    check "all headers declared, implemented, included again ($order)" declared_then_implemented $list
    check "all headers, macro set in two places ($order)" macro_twice $list
done

# ---- linking

links() { c c99 "$@" -o "$tmp/program" -lm && "$tmp/program"; }
check "a second file uses every function, double" links "$tmp/use_double.o" "$tmp/double.o"
check "a second file uses every function, float" links "$tmp/use_float.o" "$tmp/float.o"
if [ -n "$cxx_compilers" ]; then
    cxx_uses_c() {
        for real in double float; do
            cxx c++11 -DDC_REAL=$real -c "$tmp/use_$real.c" -o "$tmp/cxx.o" &&
            "$CXX" "$tmp/cxx.o" "$tmp/$real.o" -o "$tmp/program" -lm && "$tmp/program" || return 1
        done
    }
    check "a C++ file uses the C implementation" cxx_uses_c
fi

# another DC_REAL: no name in common, so that every call fails to link, and the linker says so
must_not_link() {
    common=$(comm -12 "$tmp/double.names" "$tmp/float.names")
    [ -z "$common" ] || { echo "same name in both builds:" $common; return 1; }
    if c c99 "$1" "$2" -o "$tmp/program" -lm 2>"$tmp/link"; then echo "it linked"; return 1; fi
    grep -q 'undefined reference' "$tmp/link" || { cat "$tmp/link"; return 1; }
}
check "a float file does not link with the double build" must_not_link "$tmp/use_float.o" "$tmp/double.o"
check "a double file does not link with the float build" must_not_link "$tmp/use_double.o" "$tmp/float.o"

# ---- DC_STATIC: private copies in two files of one program

static_copies() {
    {
        echo '#define DC_STATIC'
        cat "$tmp/all.c"
        echo 'const char *words(void); const char *words(void) { return dc_status_text(DC_OK); }'
    } > "$tmp/static_a.c"
    {
        echo '#define DC_STATIC'
        cat "$tmp/all.c"
        echo '#ifdef __cplusplus'
        echo 'extern "C"'
        echo '#endif'
        echo 'const char *words(void);'
        echo 'int main(void) { return words()[0] != dc_status_text(DC_OK)[0]; }'
    } > "$tmp/static_b.c"
    for cc in $c_compilers; do
        for o in -O0 -O2; do
            for f in a b; do
                "$cc" -std=c99 $WARN $WARN_C -I"$top" $o -c "$tmp/static_$f.c" -o "$tmp/$f.o" || return 1
            done
            names=$(exported "$tmp/a.o" | grep -v '^words$')
            [ -z "$names" ] || { echo "exported in spite of DC_STATIC:" $names; return 1; }
            "$cc" "$tmp/a.o" "$tmp/b.o" -o "$tmp/program" -lm && "$tmp/program" || return 1
        done
    done
    for cc in $cxx_compilers; do
        "$cc" -std=c++11 $WARN -I"$top" -O2 -x c++ -c "$tmp/static_b.c" -o "$tmp/b.o" &&
        "$cc" "$tmp/a.o" "$tmp/b.o" -o "$tmp/program" -lm && "$tmp/program" || return 1
    done
}
check "DC_STATIC in two files of one program" static_copies

# ---- symbols

# every object: only dc_ exported, nothing writable, nothing needed but what is listed
allowed='sqrt|sqrtf|memcpy|memmove|memset|memcmp|bcmp|strcmp|_GLOBAL_OFFSET_TABLE_'
symbols() {
    needs=
    for object in "$tmp/double.o" "$tmp/float.o" "$tmp"/way_*.o; do
        where="($(basename "$object"))"
        bad=$(exported "$object" | grep -v '^dc_')
        [ -z "$bad" ] || { echo "exported without dc_ $where:" $bad; return 1; }
        # .data.rel.ro holds constants with addresses in them: read-only once loaded
        bad=$(objdump -t "$object" | awk '/ O / && ($0 ~ / (\.data|\.bss|\.tdata|\.tbss|\*COM\*)/) && $0 !~ /\.data\.rel\.ro/ { print $NF }')
        [ -z "$bad" ] || { echo "writable data $where:" $bad; return 1; }
        bytes=$(size -A "$object" | awk '$1 ~ /^\.(data|bss|tdata|tbss)/ && $1 !~ /^\.data\.rel\.ro/ { n += $2 } END { print n + 0 }')
        [ "$bytes" -eq 0 ] || { echo "$bytes writable bytes $where"; return 1; }
        need=$(nm -u "$object" | awk '{ print $2 }')
        bad=$(echo "$need" | grep -vxE "$allowed|")
        [ -z "$bad" ] || { echo "not allowed outside the headers $where:" $bad; return 1; }
        needs="$needs $need"
    done
    echo "note needs from outside:" $(echo $needs | tr ' ' '\n' | sort -u)
}
check "exports dc_ only, no writable data, no malloc printf abort assert, nothing beyond libc and libm" symbols

# ---- macros

macros() {
    "$CC" -std=c99 -I"$top" -dM -E "$tmp/all.c" | awk '{ sub(/\(.*/, "", $2); print $2 }' | sort > "$tmp/with"
    # the same standard headers, without ours
    cat $headers | sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*\(<[a-z]*\.h>\).*/#include \1/p' | sort -u > "$tmp/std.c"
    "$CC" -std=c99 -dM -E "$tmp/std.c" | awk '{ sub(/\(.*/, "", $2); print $2 }' | sort > "$tmp/without"
    bad=$(comm -23 "$tmp/with" "$tmp/without" | grep -vE '^(DC_|dc_|DCI_)')
    [ -z "$bad" ] || { echo "macros outside DC_ dc_ DCI_:" $bad; return 1; }
    echo "note includes:" $(sed 's/#include //' "$tmp/std.c")
}
check "no macro outside DC_ dc_ DCI_" macros

# ---- no recursion: the call graph at -O0 shows every call

if "$CC" -fcallgraph-info=su -S -x c -o "$tmp/probe.s" - </dev/null 2>/dev/null; then
    recursion() {
        (cd "$tmp" && "$CC" -std=c99 -I"$top" -O0 -fcallgraph-info=su -c all.c -o graph.o) || return 1
        awk -f tests/callgraph.awk "$tmp"/*.ci > "$tmp/graph"
        [ "$(grep -c '^stack dc_' "$tmp/graph")" -gt 0 ] || grep -q '^cycle' "$tmp/graph" || { echo "empty graph"; return 1; }
        if grep '^cycle' "$tmp/graph"; then return 1; fi
        echo "note calls through pointers:" $(sed -n 's/^indirect //p' "$tmp/graph" | sed 's/.*://' | sort -u)
    }
    check "no recursion" recursion
else
    skip "no recursion" "needs gcc 10 or later (-fcallgraph-info)"
fi

# ---- cppcheck

if have cppcheck; then
    # What is switched off, and why:
    #   unusedStructMember  a header declares fields for its users
    #   missingIncludeSystem  the C library's headers are not needed to check ours
    #   ctunullpointer  of functions that ask whether an output is NULL before they write it
    #   unmatchedSuppression  a suppression that has nothing to suppress is no fault
    suppressed="unusedStructMember missingIncludeSystem ctunullpointer unmatchedSuppression"
    analysed() {
        s=
        for id in $suppressed; do s="$s --suppress=$id"; done
        cppcheck --quiet --std=c99 --language=c --enable=warning,performance,portability --inline-suppr \
            --error-exitcode=1 $s -I"$top" -DDC_REAL=$1 "$tmp/all.c"
    }
    static_analysis() {
        both analysed || return 1
        echo "note switched off: $suppressed"
        cat $headers | sed -n 's/.*cppcheck-suppress/note in the headers: cppcheck-suppress/p'
    }
    check "cppcheck" static_analysis
else
    skip cppcheck "not installed"
fi

# ---- programs in the documentation: compile and run as they stand

run_example() {
    [ -s "$1" ] || { echo "there is no program"; return 1; }
    echo "note $(wc -l < "$1") lines"
    for cc in $c_compilers; do
        "$cc" -std=c99 $WARN $WARN_C -I"$top" "$1" -o "$tmp/example" -lm && "$tmp/example" || return 1
    done
    for cc in $cxx_compilers; do
        "$cc" -std=c++11 $WARN -I"$top" -x c++ "$1" -o "$tmp/example" -lm && "$tmp/example" || return 1
    done
}
# printed TEXT: every line that the last program printed stands in the text
printed() {
    "$tmp/example" > "$tmp/printed" || return 1
    while IFS= read -r line; do grep -qxF "    $line" "$1" || { echo "$1 does not say: $line"; return 1; }; done < "$tmp/printed"
}
for h in $headers; do
    n=1
    while awk -v kind=header -v n=$n -f tests/extract.awk "$h" > "$tmp/example.c"; [ $n -eq 1 ] || [ -s "$tmp/example.c" ]; do
        check "$h: program $n of the documentation" run_example "$tmp/example.c"
        n=$((n + 1))
    done
done
if [ -f README.md ]; then
    n=1
    while awk -v kind=readme -v n=$n -f tests/extract.awk README.md > "$tmp/example.c"; [ $n -eq 1 ] || [ -s "$tmp/example.c" ]; do
        check "README.md: program $n" run_example "$tmp/example.c"
        check "README.md: what program $n prints" printed README.md
        n=$((n + 1))
    done
fi

# ---- licence: the text of LICENSE is the last thing in each header

# words only, so that comment marks and line breaks do not matter
words() { sed 's/^ \*\/\{0,1\}//; s/^\/\*//; s/\*\/$//' "$1" | tr -s ' \t\n-' ' ' | sed 's/ *$//'; }
licence() {
    [ -s LICENSE ] || { echo "there is no LICENSE"; return 1; }
    case "$(words "$1")" in *"$(words LICENSE | sed 's/^ *//')") return 0 ;; esac
    echo "the file does not end with the text of LICENSE"
    return 1
}
for h in $headers; do check "$h ends with the licence" licence "$h"; done

echo
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
