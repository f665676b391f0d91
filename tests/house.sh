#!/bin/sh
# make house: how the inside of each header reads, in numbers.
#
#     sh tests/house.sh [-v] [HEADER...]
#
# A row for each header:
#   code       lines that are neither blank nor comment alone
#   letters    of the members of private structs, the share whose names have one or two letters, %
#   most       the most members that a private struct has, and which one it is
#   mute       functions of 30 lines or more without a comment inside
#   blank      of the lines inside functions, the share that is blank, %
#   wide       lines of more than 120 columns
# Private is what stands between DC_..._IMPLEMENTATION and the licence. With -v the rows are followed by the structs of more than 20
# members, the mute functions and the numbers of the wide lines.
# FAIL, and exit status 1: a header above one of the ceilings below, or whose table of chapters is not the list of its banners' marks.
LC_ALL=C
export LC_ALL
verbose=0
[ "${1:-}" != -v ] || { verbose=1; shift; }
[ $# -gt 0 ] || set -- dc_*.h
failed=0

printf '%-14s %6s %8s  %-26s %5s %6s %5s\n' header code letters most mute blank wide
for h in "$@"; do
    awk -v name="$(basename "$h")" -v verbose="$verbose" '
# the line without strings and comments; a comment that stays open is remembered in commented
function bare(line,    out, at) {
    out = ""
    while (line != "") {
        if (commented) {
            at = index(line, "*/")
            if (!at) return out
            line = substr(line, at + 2)
            commented = 0
        } else if (match(line, /\/\*|"([^"\\]|\\.)*"/)) {
            out = out substr(line, 1, RSTART - 1)
            if (substr(line, RSTART, 1) == "\"") out = out "\"\""
            else commented = 1
            line = substr(line, RSTART + RLENGTH)
        } else {
            out = out line
            line = ""
        }
    }
    return out
}

# the members that one declaration of a struct has
function members(text,    part, n, i) {
    while (match(text, /\[[^][]*\]/)) text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
    if (match(text, /\( *\*+ *[A-Za-z_0-9]+ *\)/)) {                # a pointer to a function
        text = substr(text, RSTART, RLENGTH)
        gsub(/[(*) ]/, "", text)
    }
    n = split(text, part, ",")
    for (i = 1; i <= n; ++i) {
        sub(/:.*/, "", part[i])
        gsub(/ +$/, "", part[i])
        if (!match(part[i], /[A-Za-z_][A-Za-z_0-9]*$/)) continue
        ++own
        if (RLENGTH < 3) ++few
    }
}

# a struct is read to its last brace; structs within it add to its members
function struct_line(text,    i, ch) {
    for (i = 1; i <= length(text); ++i) {
        ch = substr(text, i, 1)
        if (ch == "{") { ++depth; pending = "" }
        else if (ch == "}") {
            --depth
            pending = ""
            if (depth == 0) { tail = substr(text, i + 1); return 1 }
        } else if (ch == ";") { members(pending); pending = "" }
        else pending = pending ch
    }
    return 0
}

function struct_end(    i) {
    struct = ""
    sub(/;.*/, "", tail)
    gsub(/[ *]/, "", tail)
    if (tail != "") tag = tail
    all += own
    short += few
    if (own > most) { most = own; who = tag }
    if (own > 20) crowded[++n_crowded] = tag " has " own " members"
}

length($0) > 120 { wide[++n_wide] = FNR }
/^#ifdef DC_[A-Z]+_IMPLEMENTATION/ { inside = 1 }
/^#endif .*_IMPLEMENTATION/ { inside = 0 }
{
    raw = $0
    noted = commented || raw ~ /\/\*/
    code = bare(raw)
    blank = raw ~ /^[ ]*$/
    if (code !~ /^[ ]*$/) ++lines
    if (!inside) next
}

# functions: from a brace in the first column to the next one that closes there
in_function && code ~ /^}/ {
    in_function = 0
    if (FNR - first + 1 >= 30 && !comments) mute[++n_mute] = head
    next
}
in_function {
    ++body
    if (blank) ++empty
    if (noted) comments = 1
    next
}
struct != "" { if (struct_line(code)) struct_end(); next }
code ~ /^(typedef )?struct [A-Za-z_0-9 ]*\{/ {
    struct = "yes"
    depth = own = few = 0
    pending = ""
    tag = code
    sub(/^(typedef )?struct */, "", tag)
    sub(/[ {].*/, "", tag)
    if (struct_line(code)) struct_end()
    next
}
code ~ /^{/ { in_function = 1; first = FNR; comments = 0; next }
code ~ /^[A-Za-z].*\(/ && match(code, /[A-Za-z_0-9]+\(/) {
    head = substr(code, RSTART, RLENGTH - 1)
    if (head == "DCI_NOINLINE" && match(code, /dci_[A-Za-z_0-9]+\(/)) head = substr(code, RSTART, RLENGTH - 1)
}

END {
    printf "%-14s %6d %8.0f  %-26s %5d %6.1f %5d\n", name, lines, all ? 100*short/all : 0, most + 0 " " who, n_mute, body ? 100*empty/body : 0, n_wide
    # ceilings
    above = short > 0.20*all || most > 20 || n_mute > 0 || n_wide > 0 || empty < 0.025*body
    if (above) print "FAIL " name ": above a ceiling"
    if (!verbose) exit above
    for (i = 1; i <= n_crowded; ++i) print "    " crowded[i]
    for (i = 1; i <= n_mute; ++i) print "    " mute[i] " has no comment"
    for (i = 1; i <= n_wide; ++i) list = list " " wide[i]
    if (n_wide) print "    wide:" list
    exit above
}' "$h" || failed=1
    awk -v name="$(basename "$h")" '
/^ \* CHAPTERS/ { table = 1; next }
table && /^ \*$/ { table = 0 }
table && match($0, /\[[^]]*\]/) { list = list substr($0, RSTART, RLENGTH) }
/^\/\* ---- \[/ && match($0, /\[[^]]*\]/) { marks = marks substr($0, RSTART, RLENGTH) }
END {
    if (list == marks) exit
    print "FAIL " name ": the chapters are " marks ", in the table " list
    exit 1
}' "$h" || failed=1
done
exit $failed
