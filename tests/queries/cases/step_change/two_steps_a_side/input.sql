-- parameters: row_numbers=1,1,1,1,2,2 sides=a,a,b,b,a,a run_ids=1,1,2,2,1,1 trace_ids=1,1,2,2,1,1 positions=1,2,1,2,1,2 amounts=10,12,20,22,5,5
-- Row 1: the correlation of neighbours is -1/2 on both sides, 0 after correction, at most 1.9 *
-- sqrt(1/4), limited to 0.9; two such steps spread as 2/1.9 independent ones. The variances of the
-- means are 2 / (2 - 1.9) * 1.9 / 2 = 19, so t = 10 / sqrt(38) with 2 degrees of freedom and p = 1 -
-- t / sqrt(t * t + 2). Row 2: nothing on side b, no spread on side a.
SELECT 1;
