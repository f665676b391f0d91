#!/bin/sh
# make gallery: runs programs in their quick form, each in a directory of its own, and writes one page that links to what
# they wrote, with the still pictures of their pages. Run again, it leaves out what is done and whose program is the same.
#
#     sh examples/gallery.sh DIRECTORY PROGRAM...            PROGRAM: built in DIRECTORY, from examples/PROGRAM.c or examples/figures/PROGRAM.c
dir=$1
shift
case " $* " in *" push "*) set -- push $(printf '%s\n' "$@" | grep -vx push) ;; esac      # what make demo shows comes first
page=$dir/index.html
begin=$(date +%s)

# the page, with what there is: also where it is ended halfway
head() {
cat <<'END'
<!doctype html>
<html lang='en'>
<meta charset='utf-8'>
<meta name='viewport' content='width=device-width, initial-scale=1'>
<title>dc: what the examples show</title>
<style>
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 1280px; padding: 20px; font: 15px/1.45 system-ui, sans-serif; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 20px; }
svg, img { display: block; width: 100%; height: 220px; object-fit: contain; background: #fbfcfd; border: 1px solid #8884; border-radius: 10px; }
@media (prefers-color-scheme: dark) { svg, img { background: #151a21; } .ground { fill: #1d242d; } }
h1 { font-size: 22px; } h2 { font-size: 16px; margin: 8px 0 0; } p { margin: 2px 0; } a { color: inherit; }
header p { max-width: 75ch; margin-bottom: 20px; } small { font-weight: normal; opacity: 0.7; float: right; }
</style>
<header>
<h1>What the examples show</h1>
<p>Each picture is the last frame of a page, or a plot: open it to play, turn and scrub. All were written by examples/NAME.c,
figures of papers by examples/figures/NAME.c, in its quick form; without --quick they show more, --help says what can be changed. At the
right, the header that an example is about.</p>
</header>
END
}
# a card: name, page, and on standard input the picture
card() {
    source=examples/$1.c
    [ -f "$source" ] || source=examples/figures/$1.c
    echo "<article><a href='$2'>"
    cat
    # the last implementation that the example asks for, if it does so itself
    header=$(sed -n 's/^#define DC_\(.*\)_IMPLEMENTATION$/\1/p' "$source" | tail -n 1 | tr A-Z a-z)
    echo "</a><h2><a href='$2'>$(basename "${2%.*}")</a>${header:+<small>dc_$header.h</small>}</h2>"
    sed -n '1s/^\/\* [a-z0-9_]*\.c - \(.*\)/<p>\1<\/p>/p' "$source"
    echo "</article>"
}
finished() { [ "$dir/out/$1/finished" -nt "$dir/$1" ]; }
index() {
    head
    left=
    for p in "$@"; do finished "$p" || left="$left $p"; done
    [ -z "$left" ] || echo "<p>Not finished; <code>make gallery</code> goes on with$left.</p>"
    echo "<main>"
    for p in "$@"; do
        finished "$p" || continue
        for f in "$dir/out/$p"/*.html "$dir/out/$p"/*.svg; do
            [ -f "$f" ] || continue
            link=out/$p/$(basename "$f")
            case $f in
            *.html) sed -n '/^<figure><svg/,/^<\/svg>/{s/^<figure>//;s/^<\/svg>.*/<\/svg>/;p;/^<\/svg>/q;}' "$f" | card "$p" "$link" ;;
            *.svg) echo "<img src='$link' alt=''>" | card "$p" "$link" ;;
            esac
        done
    done
    echo "</main>"
}
trap 'index "$@" > "$page"' EXIT
trap 'exit 130' INT TERM

for p in "$@"; do
    if finished "$p"; then echo "== $p: done before"; continue; fi
    printf '== %s\n' "$p"
    rm -rf "$dir/out/$p"
    mkdir -p "$dir/out/$p"
    # pages and pictures only count when the program succeeds
    (cd "$dir/out/$p" && ../../"$p" --quick) || exit 1
    touch "$dir/out/$p/finished"
done
echo
echo "to look at, after $(($(date +%s) - begin)) s: $page"
