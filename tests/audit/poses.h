/* poses.h - what audits share beside audit.h: agreement of two ways to one number */
#ifndef DC_AUDIT_POSES_H_INCLUDED
#define DC_AUDIT_POSES_H_INCLUDED

#include "audit.h"

/* Two ways to the same numbers, `err` apart, which is at most `bar`: a transpose, a batch. */
DC_INLINE void audit_agree(audit_row *row, double err, double bar)
{
    ++row->derivatives;
    ++row->resolved;
    if (audit_only >= 0) printf("  sample %llu of %s, %s: apart by %.2e\n", audit_seed, row->function, row->classes, err);
    if (!(err <= bar)) audit_miss(row, &row->wrong);
    if (!(err <= row->worst)) {
        if (!audit_missed(row)) row->seed = audit_seed;
        row->worst = err;
    }
}

#endif /* DC_AUDIT_POSES_H_INCLUDED */
