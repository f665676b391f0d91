#!/bin/sh
# The headers as one object file. What make bits, the cells of make test-all and the packaging tests have in common is compiled once.
#
#     sh tests/object.sh COMPILER STD REAL FLAGS...     prints the name of the object
#
# It is made again when a header, the compiler or a flag has changed. WARN and WARN_C hold the warning flags; the compiler's words go
# to stderr, its status is ours.
cc=$1 std=$2 real=$3
shift 3
object=build/objects/$(echo "$cc $std $real $*" | tr -cs 'A-Za-z0-9+\n' _)
case $std in c++*) set -- "$@" $WARN -x c++ ;; *) set -- "$@" $WARN $WARN_C ;; esac
set -- "$cc" -std="$std" -DDC_REAL="$real" -ffp-contract=off "$@"
how="$* $("$cc" --version | head -n 1)"

if [ -s "$object.o" ] && [ "$(cat "$object.how")" = "$how" ] && [ -z "$(find dc_*.h tests/lib.sh -newer "$object.o")" ]; then
    echo "$object.o"
    exit 0
fi
# two that ask at the same time both compile: each into a file of its own, moved when it is whole
mkdir -p build/objects
sh tests/lib.sh > "$object.$$.c"
"$@" -I. -c "$object.$$.c" -o "$object.$$.o" >&2
status=$?
[ $status = 0 ] && mv "$object.$$.o" "$object.o" && echo "$how" > "$object.how" && echo "$object.o"
rm -f "$object.$$.c"
exit $status
