#!/bin/sh
# Browser tests of the pages that examples/common/view.h writes:  sh tests/view/run.sh  after  make build/view/pages
# Pictures for README.md:                                         sh tests/view/run.sh stills  by  make stills
#
# Needs node 18 or later, npm, and Chromium or Chrome (CHROMIUM=path names one). playwright-core, which drives the
# browser, is fetched once into build/view/node_modules, by checksum. What is missing makes one skip that says so. Prints
# pass NAME, FAIL NAME: why, or skip NAME: why, and ends with  "N passed, N failed, N skipped".  The pages and their
# screenshots stay in build/view.
version=1.60.0
sha512=9bW6zvX/m0lEbgTKJ6YppOKx8H3VOPBMOCFh2irXFOT4BbHgrx5hPjwJYLT40Lu+4qtD36qKc/Hn56StUW57IA==
out=build/view
driver=$out/node_modules/playwright-core

skip() {
    echo "skip the viewer in a browser: $1"
    printf '\n0 passed, 0 failed, 1 skipped\n'
    exit 0
}
have() { command -v "$1" >/dev/null 2>&1; }

have node || skip "no node (Debian: apt-get install nodejs npm)"
[ "$(node -p 'parseInt(process.versions.node)')" -ge 18 ] || skip "node $(node --version) is older than 18"
for browser in chromium chromium-browser google-chrome; do
    [ -n "$CHROMIUM" ] || CHROMIUM=$(command -v $browser)
done
[ -n "$CHROMIUM" ] || skip "no Chromium or Chrome (Debian: apt-get install chromium; or CHROMIUM=path)"

if [ "$(cat $driver/fetched 2>/dev/null)" != $version ]; then
    have npm || skip "no npm to fetch playwright-core (Debian: apt-get install npm)"
    rm -rf $driver
    mkdir -p $driver
    npm pack --silent --pack-destination $driver playwright-core@$version >$out/npm.log 2>&1 ||
        skip "npm cannot fetch playwright-core@$version (see $out/npm.log)"
    file=$driver/playwright-core-$version.tgz
    found=$(node -p 'require("crypto").createHash("sha512").update(require("fs").readFileSync(process.argv[1])).digest("base64")' $file)
    if [ "$found" != "$sha512" ]; then
        echo "FAIL playwright-core@$version has another checksum: $found"
        printf '\n0 passed, 1 failed, 0 skipped\n'
        exit 1
    fi
    tar -xzf $file -C $driver --strip-components=1 && rm $file && echo $version > $driver/fetched
fi

[ "$1" = stills ] && exec node tests/view/stills.mjs "$CHROMIUM" $out

rm -f $out/*.html $out/*.png
if ! $out/pages $out; then
    echo "FAIL $out/pages ended with a failure"
    printf '\n0 passed, 1 failed, 0 skipped\n'
    exit 1
fi
# play.mjs reads in play.log why there is no page
sh examples/play/build.sh $out/play.html >$out/play.log 2>&1
exec node tests/view/check.mjs "$CHROMIUM" $out
