/* poses.h - what audits share beside audit.h: poses, and agreement of two ways to one number */
#ifndef DC_AUDIT_POSES_H_INCLUDED
#define DC_AUDIT_POSES_H_INCLUDED

#include "audit.h"

/* A rotation, evenly. */
DC_INLINE dc_quat pose_turn(rng *r)
{
    double q[4], s = 0;
    int k;
    dc_quat p;
    for (k = 0; k < 4; ++k) {
        q[k] = rng_normal(r);
        s += q[k]*q[k];
    }
    s = sqrt(s);
    p.w = (dc_real)(q[0]/s); p.x = (dc_real)(q[1]/s); p.y = (dc_real)(q[2]/s); p.z = (dc_real)(q[3]/s);
    dc_quat_normalize(p, &p);
    return p;
}

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
