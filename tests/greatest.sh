#!/bin/sh
# Finds greatest.h, the test framework, and writes build/include/greatest.h, which includes it.
#
#     sh tests/greatest.sh [PATH | fallback]
#
# Order: 1. PATH, if given: the file or the directory that holds it ("fallback" goes straight to 5);
# 2. the compiler's include path; 3. the copy in build/greatest; 4. fetched once into that copy, by checksum;
# 5. tests/greatest_fallback.h. A fetch that failed is not tried again before  make clean.  Prints what was
# found. No network is not an error.
CC=${CC:-cc}
given=$1
cache=build/greatest

debian_sha256=4ecd1c1c1b1d2cd7f0c8b0c9d87f92030b9ef7910da3a8197076b17d13076940      # v1.3.1
upstream_sha256=1292593d95c35eeccc89ffa1c91d6fe53b49f81cbf2c2b7758842b7f3186fcc2    # v1.5.0
upstream_url=https://raw.githubusercontent.com/silentbicycle/greatest/v1.5.0/greatest.h

# found INCLUDE TEXT: writes the wrapper. greatest's own definitions do not pass -Wconversion, so they are made here, in
# what the compiler takes for a system header, and not in the test. Rewritten only when it changes, for make.
found() {
    echo "greatest: $2"
    mkdir -p build/include
    if [ "$1" = fallback ]; then
        echo '#include "../../tests/greatest_fallback.h"'
    else
        echo "#ifndef GREATEST_H"
        echo "#pragma GCC system_header"
        echo "$1"
        echo "GREATEST_MAIN_DEFS();"
        echo "#undef GREATEST_MAIN_DEFS"
        echo "#define GREATEST_MAIN_DEFS() typedef int greatest_main_defs_done"
        echo "#endif"
    fi > build/include/greatest.new
    cmp -s build/include/greatest.new build/include/greatest.h || cp build/include/greatest.new build/include/greatest.h
    rm build/include/greatest.new
    exit 0
}

sha256() {
    if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi 2>/dev/null | cut -c1-64
}

# take FILE SHA256: moves the file into the cache if it is what it should be
take() {
    [ -s "$1" ] && [ "$(sha256 "$1")" = "$2" ] || return 1
    cp "$1" $cache/greatest.h
}

# A command that may hang without a network.
limited() { if command -v timeout >/dev/null 2>&1; then timeout 20 "$@"; else "$@"; fi; }

# From the source package fzy of Debian. The sources list is made from the machine's own, in a scratch directory:
# nothing of the machine's package state is read for writing.
fetch_debian() {
    command -v apt-get >/dev/null 2>&1 || return 1
    t=$(cd "$1" && pwd)
    mkdir -p "$t/lists/partial" "$t/cache/archives/partial" "$t/log"
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null)
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n "s/^deb \(.*[[:space:]]$codename[[:space:]].*\)/deb-src \1/p" > "$t/src.list"
    awk -v RS= -v name="$codename" '
        ("\n" $0 "\n") ~ ("\nSuites:[^\n]*[ \t]" name "[ \t\n]") { gsub(/Types:[^\n]*/, "Types: deb-src"); print $0 "\n" }
    ' /etc/apt/sources.list.d/*.sources > "$t/src.sources" 2>/dev/null
    for list in "$t/src.sources" "$t/src.list"; do
        [ -s "$list" ] || continue
        set -- -q -o Dir::Etc::sourcelist="$list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$t/lists" \
            -o Dir::Cache="$t/cache" -o Acquire::http::Timeout=5 -o Acquire::https::Timeout=5 -o Acquire::Retries=0 \
            -o APT::Sandbox::User=root
        limited apt-get "$@" update || continue
        (cd "$t" && limited apt-get "$@" source --download-only fzy && tar xf fzy_*.orig.tar.*) || continue
        take "$(find "$t" -name greatest.h | head -n 1)" $debian_sha256 && return 0
    done
    return 1
}

fetch_upstream() {
    if command -v curl >/dev/null 2>&1; then
        limited curl -fsSL --connect-timeout 5 --max-time 20 -o "$1/greatest.h" $upstream_url
    elif command -v wget >/dev/null 2>&1; then
        limited wget -q -T 5 -t 1 -O "$1/greatest.h" $upstream_url
    else
        return 1
    fi
    take "$1/greatest.h" $upstream_sha256
}

version() { awk '/define GREATEST_VERSION_/ { v = v d $3; d = "." } END { print "v" v }' "$1"; }

[ "$given" = fallback ] && found fallback "tests/greatest_fallback.h"
if [ -n "$given" ]; then
    [ -d "$given" ] && given=$given/greatest.h
    [ -f "$given" ] || { echo "greatest: no file GREATEST=$given" >&2; exit 1; }
    given=$(cd "$(dirname "$given")" && pwd)/$(basename "$given")
    found "#include \"$given\"" "$(version "$given"), $given"
fi
if echo '#include <greatest.h>' | $CC -E -x c - >/dev/null 2>&1; then
    found "#include_next <greatest.h>" "from the compiler's include path"
fi
mkdir -p $cache
if ! [ -f $cache/greatest.h ] && ! [ -f $cache/fetch.log ]; then
    scratch=$cache/fetch
    mkdir -p $scratch
    { fetch_debian $scratch || fetch_upstream $scratch; } >$cache/fetch.log 2>&1
    rm -rf $scratch
fi
if [ -f $cache/greatest.h ]; then
    found "#include \"../../$cache/greatest.h\"" "$(version $cache/greatest.h), $cache/greatest.h"
fi
found fallback "tests/greatest_fallback.h (no greatest.h: see $cache/fetch.log, make clean to try again)"
