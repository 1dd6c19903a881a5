-- parameters: row_numbers=1,1,1,1,1,1,1,2,1 sides=a,a,a,a,a,a,a,a,b run_ids=1,1,1,1,1,1,1,1,2 trace_ids=1,2,1,2,1,2,1,1,3 positions=1,1,2,2,3,3,4,4,1 amounts=30,50,9,11,10,10,10,5,7
-- Ranks 1 and 2 are averaged: 40, 10, 10, and 10 of rank 1 alone, so the first step is warm-up. Row 2
-- has an amount in step 4 only, which is far from its median of 0, and none on side b.
SELECT 1;
