-- input: shared/two_runs.sql
-- parameters: sides=a,b,a,b,a,b,a,b,b,a kinds=kernel,kernel,kernel,kernel,kernel,kernel,kernel,kernel,kernel,kernel classes=compute,compute,compute,compute,compute,compute,compute,compute,compute,compute names=both,both,f(float*),f(__half*),old,new,whole,part_1,part_2,gone op_names=o,o,p,q,x,x,y,y,y,z rates=1,1,1,1,2,3,1,1,1,1
-- A name on both sides; one whose parameters have another type; one that replaces the only other of
-- its operator; one split in two; and one without a match.
INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class)
SELECT 100 + place, 1, 0, 0, 1, name, 'kernel', 'compute'
FROM (VALUES (1, 'both'), (2, 'f(float*)'), (3, 'f(__half*)'), (4, 'old'), (5, 'new'), (6, 'whole'),
  (7, 'part_1'), (8, 'part_2'), (9, 'gone')) AS work(place, name);
