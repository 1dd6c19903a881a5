-- time by thread in percent of the trace
SELECT thread.tid, thread.name AS thread_name, ROUND(100.0 * SUM(slice.dur) / trace_dur(), 2) AS percent
FROM slice JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid)
LEFT JOIN process USING (upid)
WHERE slice.parent_id IS NULL AND process.name IS NOT 'Spans'
GROUP BY thread.utid ORDER BY percent DESC, tid;
-- slices of the main thread
SELECT slice.name, COUNT(*) AS n, SUM(slice.dur) AS ns FROM slice JOIN thread_track ON thread_track.id = slice.track_id
JOIN thread USING (utid) WHERE is_main_thread = 1 GROUP BY slice.name ORDER BY ns DESC, slice.name LIMIT 15;
-- the first and the last slice of each thread
SELECT tid, MIN(slice.ts) - trace_start() AS first_at, MAX(slice.ts + slice.dur) - trace_start() AS last_end, COUNT(*)
FROM slice JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid)
GROUP BY utid ORDER BY first_at, tid;
-- processes with threads and slices
SELECT process.pid, COUNT(DISTINCT thread.utid) AS threads, COUNT(slice.id) AS slices
FROM process JOIN thread USING (upid) LEFT JOIN thread_track USING (utid)
LEFT JOIN slice ON slice.track_id = thread_track.id
GROUP BY upid HAVING slices > 0 ORDER BY slices DESC, pid;
-- threads by a glob
SELECT COUNT(*) AS n, SUM(name GLOB 'stream *') AS streams FROM thread WHERE name GLOB 'stream*' OR name GLOB '*thread*';
-- the process of a slice
SELECT slice.name, process.name AS process_name, thread.name AS thread_name, slice.dur
FROM slice INNER JOIN thread_track ON slice.track_id = thread_track.id
INNER JOIN thread ON thread.utid = thread_track.utid INNER JOIN process ON process.upid = thread.upid
WHERE slice.dur = (SELECT MAX(dur) FROM slice WHERE category = 'cpu_op');
-- slices in the first part of the trace
SELECT name, ts - trace_start() AS at, dur FROM slice
WHERE ts BETWEEN trace_start() AND trace_start() + trace_dur() / 4 ORDER BY ts, depth, name LIMIT 25;
-- a histogram of durations
SELECT dur / 10000 * 10 AS from_us, COUNT(*) AS n, MIN(dur) AS least, MAX(dur) AS most
FROM slice WHERE category = 'cpu_op' GROUP BY from_us ORDER BY from_us;
-- the share of names, added up
WITH by_name AS (SELECT name, SUM(dur) AS ns FROM slice WHERE depth = 0 GROUP BY name)
SELECT name, ns, ROUND(100.0 * SUM(ns) OVER (ORDER BY ns DESC, name) / SUM(ns) OVER (), 3) AS percent_so_far
FROM by_name ORDER BY ns DESC, name;
-- places with and without gaps
SELECT name, n, RANK() OVER (ORDER BY n DESC) AS place, DENSE_RANK() OVER (ORDER BY n DESC) AS dense_place
FROM (SELECT name, COUNT(*) AS n FROM slice GROUP BY name) ORDER BY place, name LIMIT 40;
-- the slice before and the slice after
SELECT name, LAG(name) OVER w AS before, LEAD(name, 1, 'end') OVER w AS after FROM slice
WHERE depth = 0 WINDOW w AS (PARTITION BY track_id ORDER BY ts) ORDER BY ts, name LIMIT 40;
-- the first and last value of a window
SELECT name, dur, FIRST_VALUE(dur) OVER w AS first, LAST_VALUE(dur) OVER w AS last, COUNT(*) OVER w AS n
FROM slice WHERE category = 'cpu_op' AND depth <= 4
WINDOW w AS (PARTITION BY name ORDER BY ts, depth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
ORDER BY ts, depth LIMIT 30;
-- quarters of durations
SELECT quarter, COUNT(*) AS n, MIN(dur) AS least, MAX(dur) AS most FROM (
  SELECT dur, NTILE(4) OVER (ORDER BY dur) AS quarter FROM slice WHERE category = 'cpu_op'
) GROUP BY quarter ORDER BY quarter;
-- a moving average
SELECT ts, AVG(dur) OVER (ORDER BY ts, depth ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS mean
FROM slice WHERE category = 'cpu_op' ORDER BY ts, depth LIMIT 30;
-- busy times as intervals that do not overlap
WITH marked AS (
  SELECT ts, ts + dur AS te, MAX(ts + dur) OVER (ORDER BY ts, dur ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM slice WHERE category IN ('kernel', 'cpu_op')
), numbered AS (
  SELECT ts, te, SUM(CASE WHEN before >= ts THEN 0 ELSE 1 END) OVER (ORDER BY ts, te) AS island FROM marked
)
SELECT MIN(ts) AS ts, MAX(te) - MIN(ts) AS dur, COUNT(*) AS n FROM numbered GROUP BY island ORDER BY 1 LIMIT 40;
-- counts with a filter
SELECT COUNT(*) FILTER (WHERE dur > 50000) AS n_long, SUM(dur) FILTER (WHERE category = 'cpu_op') AS op_ns,
  COUNT(DISTINCT name) FILTER (WHERE depth = 0) AS n_names FROM slice;
-- the median by name
SELECT name, n, dur AS median FROM (
  SELECT name, dur, ROW_NUMBER() OVER (PARTITION BY name ORDER BY dur) AS i, COUNT(*) OVER (PARTITION BY name) AS n
  FROM slice WHERE category = 'cpu_op'
) WHERE i = (n + 1) / 2 ORDER BY n DESC, name;
-- names of one set and not of another
SELECT name FROM slice WHERE depth = 0 EXCEPT SELECT name FROM slice WHERE depth > 0 ORDER BY name;
-- names of both sets
SELECT name FROM slice WHERE depth <= 3 INTERSECT SELECT name FROM slice WHERE depth > 3 ORDER BY name;
-- a table of values
WITH limits(label, least) AS (VALUES ('all', 0), ('over 10 us', 10000), ('over 1 ms', 1000000))
SELECT label, (SELECT COUNT(*) FROM slice WHERE dur >= least) AS n FROM limits ORDER BY least;
-- parts of names
SELECT STR_SPLIT(name, '::', 0) AS space, STR_SPLIT(name, '::', 1) AS op, COUNT(*) AS n
FROM slice WHERE category = 'cpu_op' GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 30;
-- names with parts replaced
SELECT REPLACE(name, 'aten::', '') AS op, LOWER(SUBSTR(name, 1, 4)) AS head, TRIM('  ' || name || ' ') AS trimmed, COUNT(*)
FROM slice WHERE name GLOB 'aten::*' GROUP BY 1 ORDER BY 1;
-- a part of names by a pattern
SELECT REGEXP_EXTRACT(name, '([A-Za-z]+)Backward') AS op, COUNT(*) AS n FROM slice
WHERE name REGEXP 'Backward[0-9]' GROUP BY op ORDER BY n DESC, op;
-- two orders with nulls last
SELECT category, name, SUM(dur) AS ns FROM slice GROUP BY 1, 2 ORDER BY category DESC NULLS LAST, ns ASC, name LIMIT 30;
-- slices longer than the mean of their name
SELECT s.name, s.dur, m.mean FROM slice AS s
JOIN (SELECT name, AVG(dur) AS mean FROM slice GROUP BY name HAVING COUNT(*) > 3) AS m ON m.name = s.name
WHERE s.dur > 3 * m.mean ORDER BY s.dur DESC, s.ts LIMIT 20;
-- the longest slice of each name with row numbers
SELECT name, ts, dur FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY name ORDER BY dur DESC, ts) AS i FROM slice
) WHERE i = 1 ORDER BY dur DESC, name LIMIT 25;
-- self time of each thread
INCLUDE PERFETTO MODULE slices.self_dur;
SELECT tid, COUNT(*) AS n, SUM(self_dur) AS self_ns, MAX(self_dur) AS most
FROM slice_self_dur JOIN slice USING (id) JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid)
GROUP BY tid ORDER BY self_ns DESC, tid;
-- self time in percent by name and caller
INCLUDE PERFETTO MODULE slices.self_dur;
SELECT s.name, p.name AS caller, ROUND(100.0 * SUM(d.self_dur) / SUM(s.dur), 2) AS percent, COUNT(*) AS n
FROM slice AS s JOIN slice_self_dur AS d USING (id) LEFT JOIN slice AS p ON p.id = s.parent_id
WHERE s.dur > 0 GROUP BY 1, 2 ORDER BY SUM(d.self_dur) DESC, 1, 2 LIMIT 30;
-- arguments as columns
SELECT s.name, s.ts, MAX(CASE WHEN a.key = 'args.External id' THEN a.int_value END) AS external_id,
  MAX(CASE WHEN a.key = 'args.Ev Idx' THEN a.int_value END) AS ev_idx,
  MAX(CASE WHEN a.key = 'args.Input type[0]' THEN a.string_value END) AS type_0
FROM slice AS s JOIN args AS a USING (arg_set_id) WHERE s.category = 'cpu_op' AND s.depth <= 4
GROUP BY s.id ORDER BY s.ts, s.depth LIMIT 20;
-- slices that lack an argument
SELECT name, COUNT(*) AS n FROM slice WHERE EXTRACT_ARG(arg_set_id, 'args.External id') IS NULL
AND category IN ('cpu_op', 'kernel', 'user_annotation') GROUP BY name ORDER BY n DESC, name;
-- the largest argument and its slice
SELECT name, ts, MAX(EXTRACT_ARG(arg_set_id, 'args.Ev Idx')) AS most FROM slice
WHERE category = 'cpu_op' AND EXTRACT_ARG(arg_set_id, 'args.Ev Idx') IS NOT NULL;
-- argument keys by a glob
SELECT key, COUNT(*) AS n, COUNT(DISTINCT display_value) AS n_values, MIN(int_value), MAX(int_value)
FROM args WHERE key GLOB 'args.*[Ii]d*' AND value_type = 'int' GROUP BY key ORDER BY key;
-- kernels by an argument and its share
SELECT EXTRACT_ARG(arg_set_id, 'args.device') AS device, COUNT(*) AS n, SUM(dur) AS ns,
  ROUND(100.0 * SUM(dur) / SUM(SUM(dur)) OVER (), 2) AS percent
FROM slice WHERE category = 'kernel' GROUP BY device ORDER BY device;
-- changes of counters
SELECT t.name, c.ts, c.value - LAG(c.value) OVER (PARTITION BY c.track_id ORDER BY c.ts) AS change
FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id ORDER BY t.name, c.ts;
-- the mean of counters over time
WITH held AS (
  SELECT track_id, value, LEAD(ts, 1, trace_end()) OVER (PARTITION BY track_id ORDER BY ts) - ts AS dur FROM counter
)
SELECT t.name, ROUND(SUM(value * dur) / SUM(dur), 4) AS mean, SUM(dur) AS ns
FROM held JOIN counter_track AS t ON t.id = track_id GROUP BY t.name HAVING ns > 0 ORDER BY t.name;
-- the counter when slices begin
SELECT s.name, s.ts, (
  SELECT c.value FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id
  WHERE t.name GLOB '*memory*' AND c.ts <= s.ts ORDER BY c.ts DESC LIMIT 1
) AS value FROM slice AS s WHERE s.depth = 0 ORDER BY s.ts, s.name LIMIT 40;
-- the highest value of counters and its time
SELECT t.name, c.ts, MAX(c.value) AS most FROM counter AS c JOIN process_counter_track AS t ON t.id = c.track_id
GROUP BY t.id ORDER BY t.name;
-- counters joined with slices
CREATE PERFETTO VIEW memory_6 AS SELECT c.ts, LEAD(c.ts, 1, trace_end()) OVER (ORDER BY c.ts) - c.ts AS dur, value
FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id WHERE t.name GLOB '*memory*';
CREATE PERFETTO VIEW top_6 AS SELECT ts, dur, track_id, name FROM slice WHERE depth = 0 AND dur > 0;
CREATE VIRTUAL TABLE memory_of_6 USING SPAN_JOIN(top_6 PARTITIONED track_id, memory_6);
SELECT name, MAX(value) AS most, SUM(dur) AS ns FROM memory_of_6 GROUP BY name ORDER BY name;
-- operators of each step
INCLUDE PERFETTO MODULE intervals.intersect;
SELECT step.name AS step, COUNT(*) AS n, SUM(x.dur) AS ns FROM _interval_intersect!((
  (SELECT id, ts, dur FROM slice WHERE name GLOB 'ProfilerStep*' OR category = 'user_annotation'),
  (SELECT id, ts, dur FROM slice WHERE category = 'cpu_op' AND dur > 0)
), ()) AS x JOIN slice AS step ON step.id = x.id_0 GROUP BY step ORDER BY step;
-- time at each number of running slices
INCLUDE PERFETTO MODULE intervals.overlap;
SELECT value, SUM(dur) AS ns FROM (
  SELECT value, LEAD(ts) OVER (ORDER BY ts) - ts AS dur
  FROM intervals_overlap_count!((SELECT ts, dur FROM slice WHERE category = 'cpu_op'), ts, dur)
) GROUP BY value ORDER BY value;
-- a macro that uses a macro
CREATE PERFETTO MACRO us_of_1(ns Expr) RETURNS Expr AS ($ns) / 1000;
CREATE PERFETTO MACRO longest_1(source TableOrSubquery, n Expr) RETURNS TableOrSubquery AS
(SELECT name, us_of_1!(dur) AS us FROM $source ORDER BY dur DESC, ts LIMIT $n);
SELECT name, us FROM longest_1!(slice, 12) ORDER BY us DESC, name;
-- a macro with the name of a column
CREATE PERFETTO MACRO total_by_1(source TableOrSubquery, col ColumnName) RETURNS TableOrSubquery AS
(SELECT $col AS label, COUNT(*) AS n, SUM(dur) AS ns FROM $source GROUP BY $col);
SELECT label, n, ns FROM total_by_1!((SELECT category, dur FROM slice WHERE dur > 0), category) ORDER BY ns DESC, label;
-- a function used by a function
CREATE PERFETTO FUNCTION top_name_1(slice_id LONG) RETURNS STRING AS
SELECT name FROM ancestor_slice($slice_id) WHERE depth = 0;
CREATE PERFETTO FUNCTION under_1(slice_id LONG) RETURNS STRING AS SELECT IFNULL(top_name_1($slice_id), 'top');
SELECT under_1(id) AS above, COUNT(*) AS n FROM slice WHERE category = 'cpu_op' GROUP BY above ORDER BY n DESC, above;
-- a function of a table joined with slices
CREATE OR REPLACE PERFETTO FUNCTION children_1(parent LONG) RETURNS TABLE(child_id LONG, child_dur LONG) AS
SELECT id AS child_id, dur AS child_dur FROM slice WHERE parent_id = $parent;
SELECT s.name, COUNT(*) AS n, SUM(c.child_dur) AS ns FROM slice AS s JOIN children_1(s.id) AS c
WHERE s.depth = 0 GROUP BY s.name ORDER BY n DESC, s.name;
-- an index and a table of a view
CREATE PERFETTO VIEW ops_1 AS SELECT id, name, dur, track_id FROM slice WHERE category = 'cpu_op';
CREATE PERFETTO TABLE op_totals_1 AS SELECT name, COUNT(*) AS n, SUM(dur) AS ns FROM ops_1 GROUP BY name;
CREATE PERFETTO INDEX op_totals_by_name_1 ON op_totals_1(name);
SELECT name, n, ns FROM op_totals_1 WHERE name >= 'aten::m' ORDER BY name;
