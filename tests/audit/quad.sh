#!/bin/sh
# A copy of the headers in quadruple precision, made from their own text: the reference of the audit.
#
#     sh tests/audit/quad.sh DIRECTORY
#
# writes DIRECTORY/dq_*.h. Every name dc_, dci_, DC_, DCI_ becomes dq_, dqi_, DQ_, DQI_, so that both live in one program;
# dq_real is __float128. What depends on the layout of a number, and the elementary functions, whose polynomials
# end at 2^-60, get the bodies below, from libquadmath; a function that is named there and not found is an error.
LC_ALL=C
export LC_ALL
[ $# = 1 ] || { echo "usage: sh tests/audit/quad.sh DIRECTORY" >&2; exit 1; }
mkdir -p "$1" || exit 1

# NAME BODY, in the names of the headers
bodies='
dci_root              return sqrtq(x);
dc_pow                return powq(x, y);
dc_sincos             sincosq(x, s, c);
dc_atan2              return atan2q(y, x);
dc_abs                return fabsq(a);
dci_sqrt_lane         return sqrtq(x);
dci_exp_lane          return expq(x);
dci_exp_neg_lane      return expq(x < -DCI_EXP_NORMAL ? -DCI_EXP_NORMAL : x);
dci_exp_both_lane     x = x < -DCI_EXP_NORMAL ? -DCI_EXP_NORMAL : x > DCI_EXP_NORMAL ? DCI_EXP_NORMAL : x; *inverse = expq(-x); return expq(x);
dci_exp_minus_abs     dci_sum e; e.hi = expq(-fabsq(x)); e.lo = 0; return e;
dci_log_join          dci_sum y; y.hi = n*M_LN2q + log1pq(f + df); y.lo = 0; return y;
dci_log_reduce        int e; dc_real m = frexpq(x, &e); if (m < M_SQRT1_2q) { m *= 2; --e; } *n = e; return m;
dci_log_lane          return logq(x);
dci_log1p_lane        return log1pq(x);
dci_tanh_lane         return tanhq(x);
dci_pow2_scale        int k = ilogbq(x2) >> 1; *s = ldexpq(1, -k); *inv_s = ldexpq(1, k);
dci_floor_pow2        return ldexpq(1, ilogbq(x));
dci_bsh_quarter       int k; for (k = 0; k < DC_LANES; ++k) y[k] = 1/sqrtq(sqrtq(x[k]));
dci_sdf_exp_short     return expq(x < DCI_SDF_EXP_LEAST ? DCI_SDF_EXP_LEAST : x);
dci_sdf_exp_half      return expq(x);
dci_sdf_log_atanh     return n*M_LN2q + log1pq(f);
dci_sdf_log_short     return logq(x);
dci_sdf_log1p_short   return log1pq(E);
dci_poly_ends         dc_real s = sqrtq(z), y = 0; int k; if (z > 1e-2Q) return 2*(atanhq(s) - s)/(s*z); for (k = 37; k >= 3; k -= 2) y = y*z + 2/(dc_real)k; return y;
'

# the layout of binary128
layout='
#undef DCI_MANT
#undef DCI_BIAS
#undef DCI_SIGN
#undef DCI_FRACTION
#undef DCI_INF
#undef DCI_NAN
#undef DCI_ONE
#undef DCI_TOP
#define dci_bits dci_bits_quad
typedef unsigned __int128 dci_bits;
#define DCI_MANT 112
#define DCI_BIAS ((dci_bits)16383)
#define DCI_SIGN ((dci_bits)1 << 127)
#define DCI_FRACTION (((dci_bits)1 << 112) - 1)
#define DCI_INF ((dci_bits)0x7fff << 112)
#define DCI_NAN ((dci_bits)0xffff << 111)
#define DCI_ONE ((dci_bits)0x3fff << 112)
#define DCI_TOP (~(((dci_bits)1 << 57) - 1))
'

for header in dc_*.h; do
    BODIES=$bodies LAYOUT=$layout awk '
        BEGIN {
            n = split(ENVIRON["BODIES"], line, "\n")
            for (i = 1; i <= n; ++i) if (match(line[i], /^[a-z0-9_]+/)) {
                name = substr(line[i], 1, RLENGTH)
                body[name] = substr(line[i], RLENGTH + 1)
            }
        }
        skipping { if ($0 ~ /^}/) skipping = 0; next }
        /dci_bits dci_to_bits\(/ { print ENVIRON["LAYOUT"] }
        /^typedef DC_REAL dc_real;/ { print "typedef __float128 dc_real;"; next }
        /^typedef char dci_real_check/ { next }
        /^#define DC_IS_FLOAT / { print "#define DC_IS_FLOAT 0"; next }
        /^#define DCI_SDF_BEYOND / { print "#define DCI_SDF_BEYOND DC_R(80)"; next }
        /^#define DC_EPS / { print "#define DC_EPS FLT128_EPSILON"; next }
        /^#define DC_REAL_MAX / { print "#define DC_REAL_MAX FLT128_MAX"; next }
        /^#define DC_REAL_MIN / { print "#define DC_REAL_MIN FLT128_MIN"; next }
        # the first line of a definition: a name of the table, no semicolon at its end
        /^[A-Za-z].*\)( *{.*)?$/ && match($0, /dci?_[a-z0-9_]+\(/) {
            name = substr($0, RSTART, RLENGTH - 1)
            if (name in body) {
                head = $0
                one = head ~ /{.*}/
                sub(/ *{.*$/, "", head)
                print head "\n{" body[name] "}"
                print name > "/dev/stderr"
                skipping = !one
                next
            }
        }
        { print }
    ' "$header" 2>>"$1/found.tmp" |
    sed -E 's/\bdc_/dq_/g; s/\bdci_/dqi_/g; s/\bDC_/DQ_/g; s/\bDCI_/DQI_/g; s/"dc_/"dq_/g' > "$1/$(echo "$header" | sed 's/^dc_/dq_/')" || exit 1
done

# every body of the table has found its function
wanted=$(echo "$bodies" | sed -n 's/^\([a-z0-9_][a-z0-9_]*\) .*/\1/p' | sort)
found=$(sort -u "$1/found.tmp")
rm -f "$1/found.tmp"
[ "$wanted" = "$found" ] || { echo "quad.sh: functions that are named and not found: $(printf '%s\n%s\n' "$wanted" "$found" | sort | uniq -u | tr '\n' ' ')" >&2; exit 1; }
sed -i '1i #include <quadmath.h>' "$1/dq_contact.h"
