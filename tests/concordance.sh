#!/bin/sh
# make concordance: where the equations of the papers are computed, and why the others are not.
#
#     sh tests/concordance.sh [HEADER...]
#
# A header names an equation as  LRI Eq. 5,  several of one paper as  SDRS Eq. 12, 13  or  CONTAX Eq. 4-6,  a listing as
# CEM Algorithm 1,  always on one line; what has no such number as  LRI section A.3  or  LRI Definition 5.3.  Prints for every
# paper its equations with the lines that name them, then the others with the reason in tests/data/equations.txt.  FAIL, and exit
# status 1: an equation with neither line nor reason, or with both; one that its paper does not have; one without its paper.
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || set -- dc_*.h
awk '
# one equation or listing of a paper
function key(paper, kind, k) { return paper " " kind " " k }
function fail(text) { bad[++bads] = text }
# calls found(first, last) for every entry of a list such as 4, 6-8; what it sets is global
function each(list, what, paper, kind,    part, n, i, ends, k) {
    n = split(list, part, ", ")
    for (i = 1; i <= n; ++i) {
        if (split(part[i], ends, "-") == 1) ends[2] = ends[1]
        for (k = ends[1] + 0; k <= ends[2] + 0; ++k) {
            if (k < 1 || k > count[paper, kind]) { fail(what ": " key(paper, kind, k) ", which the paper does not have"); continue }
            if (what ~ /:/) lines[key(paper, kind, k)] = lines[key(paper, kind, k)] " " what
            else if (key(paper, kind, k) in reason) fail(key(paper, kind, k) " has two reasons")
            else reason[key(paper, kind, k)] = why
        }
    }
}

FILENAME == "tests/data/equations.txt" {
    if (/^#/ || !NF) next
    if ($1 == "paper") {
        papers[++n_papers] = $2
        count[$2, "Eq."] = $3
        count[$2, "Algorithm"] = $4
        sub(/^paper +[A-Z]+ +[0-9]+ +[0-9]+ +/, "")
        title[papers[n_papers]] = $0
        names = names (n_papers > 1 ? "|" : "") papers[n_papers]
        next
    }
    why = $0
    sub(/^[A-Z]+ +[-0-9, ]*[0-9] +/, "", why)
    list = substr($0, length($1) + 1, length($0) - length($1) - length(why))
    gsub(/^ +| +$/, "", list)
    each(list, "reasons", $1, "Eq.")
    next
}

{
    rest = $0
    form = "(" names ") (Eq\\.|Algorithm) [0-9]+((, |-)[0-9]+)*"
    while (match(rest, form)) {
        if (substr(rest, 1, RSTART - 1) ~ /(Eq\.|Eqs\.|Equation|Algorithm) ?[0-9(]/) fail(FILENAME ":" FNR ": an equation without its paper")
        cite = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        split(cite, word, " ")
        list = substr(cite, length(word[1]) + length(word[2]) + 3)
        each(list, FILENAME ":" FNR, word[1], word[2])
    }
    if (rest ~ /(Eq\.|Eqs\.|Equations?|Algorithm)( ?[0-9(]|$)/) fail(FILENAME ":" FNR ": an equation without its paper")
}

# prints the words of text after a head, folded
function folded(head, text,    word, n, i, line) {
    line = head
    n = split(text, word, " ")
    for (i = 1; i <= n; ++i) {
        if (length(line) + 1 + length(word[i]) > 118) { print line; line = sprintf("%15s", "") }
        line = line " " word[i]
    }
    print line
}
# equation k of a paper is there: its line; returns 1
function row(paper, kind, k,    id) {
    id = key(paper, kind, k)
    if (!(id in lines)) return 0
    if (id in reason) fail(id " has a line and a reason")
    folded(sprintf("%15s", (kind == "Eq." ? "" : "Algorithm ") k), lines[id])
    return 1
}
END {
    for (p = 1; p <= n_papers; ++p) {
        paper = papers[p]
        with = 0
        print "== " paper "  " title[paper]
        for (k = 1; k <= count[paper, "Eq."]; ++k) with += row(paper, "Eq.", k)
        for (k = 1; k <= count[paper, "Algorithm"]; ++k) if (!row(paper, "Algorithm", k)) fail(key(paper, "Algorithm", k) " has neither a line nor a reason")
        print "   " with " of " count[paper, "Eq."] " equations have a line" (with < count[paper, "Eq."] ? "; the others:" : "")
        for (k = 1; k <= count[paper, "Eq."]; ++k) {
            id = key(paper, "Eq.", k)
            if (id in lines) continue
            if (!(id in reason)) { fail(id " has neither a line nor a reason"); continue }
            for (last = k; last < count[paper, "Eq."]; ++last) {
                next_id = key(paper, "Eq.", last + 1)
                if (next_id in lines || !(next_id in reason) || reason[next_id] != reason[id]) break
            }
            folded(sprintf("%15s", k (last > k ? "-" last : "")), reason[id])
            k = last
        }
        print ""
        all += count[paper, "Eq."]
        got += with
    }
    for (k = 1; k <= bads; ++k) print "FAIL " bad[k]
    print got " of " all " numbered equations have a line, " all - got " a reason" (bads ? "; " bads " failures" : "")
    exit bads > 0 || all == 0
}' tests/data/equations.txt "$@"
