/* field.h - fields of primitives for tests; include it after dc_sdf.h */
#ifndef DC_TEST_FIELD_H_INCLUDED
#define DC_TEST_FIELD_H_INCLUDED

/* of size 1, in place */
DC_INLINE dc_sdf_prim prim_zero(dc_sdf_kind kind)
{
    dc_sdf_prim p = DC_ZERO;
    p.kind = kind;
    p.pose.q.w = 1;
    p.size = dc_vec(1, 1, 1);
    p.eps1 = p.eps2 = 1;
    return p;
}

DC_INLINE dc_sdf sdf_of(const dc_sdf_prim *p, int n, dc_real tau)
{
    dc_sdf s;
    s.prim = p;
    s.n = n;
    s.tau = tau;
    return s;
}

#endif /* DC_TEST_FIELD_H_INCLUDED */
