#!/bin/sh
# For test programs that share one compiled copy of the headers.
#
#     sh tests/lib.sh          prints a C file that implements every dc_*.h
#     sh tests/lib.sh flags    prints the flags for a file that is linked with it: they make the implementation, which the
#                              file asks for by DC_X_IMPLEMENTATION, look as if it were there already
for header in dc_*.h; do
    name=$(basename "$header" .h | tr a-z A-Z)
    if [ "$1" = flags ]; then echo "-D${name}_IMPLEMENTED="; else printf '#define %s_IMPLEMENTATION\n#include "%s"\n' "$name" "$header"; fi
done
