#!/bin/sh
# For test programs that share one compiled copy of the headers.
#
#     sh tests/lib.sh          prints a C file that implements every dc_*.h
#     sh tests/lib.sh flags    prints the flags for a file that is linked with it: they make the implementation, which the
#                              file asks for by DC_X_IMPLEMENTATION, look as if it were there already
macro() { basename "$1" .h | tr a-z A-Z; }
if [ "$1" = flags ]; then
    for header in dc_*.h; do echo "-D$(macro "$header")_IMPLEMENTED="; done
else
    for header in dc_*.h; do echo "#define $(macro "$header")_IMPLEMENTATION"; done
    for header in dc_*.h; do echo "#include \"$header\""; done
fi
