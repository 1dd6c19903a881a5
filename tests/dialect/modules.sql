-- times in other units
INCLUDE PERFETTO MODULE time.conversion;
SELECT name, time_to_us(dur) AS us, time_to_ms(dur) AS ms, time_to_s(dur) AS s, time_to_min(dur) AS m
FROM slice ORDER BY dur DESC, name, ts LIMIT 20;
-- times from other units
INCLUDE PERFETTO MODULE time.conversion;
SELECT time_from_ns(7), time_from_us(7), time_from_ms(7), time_from_s(7), time_from_min(7), time_from_hours(7),
  time_from_days(7), time_to_ns(7), time_to_hours(7200000000000), time_to_days(90000000000000);
-- slices longer than a time in microseconds
INCLUDE PERFETTO MODULE time.conversion;
SELECT COUNT(*) FROM slice WHERE dur > time_from_us(20);
-- self time by name
INCLUDE PERFETTO MODULE slices.self_dur;
SELECT s.name, SUM(d.self_dur) AS self_dur, COUNT(*) AS n
FROM slice AS s JOIN slice_self_dur AS d USING (id) GROUP BY s.name ORDER BY self_dur DESC, s.name LIMIT 30;
-- self time of each slice
INCLUDE PERFETTO MODULE slices.self_dur;
SELECT s.ts, s.name, d.self_dur FROM slice_self_dur AS d JOIN slice AS s USING (id) ORDER BY s.ts, s.depth, s.name LIMIT 50;
-- a slice and those above it
INCLUDE PERFETTO MODULE slices.hierarchy;
SELECT name, ts, dur, depth FROM _slice_ancestor_and_self((SELECT id FROM slice ORDER BY depth DESC, ts, name, id LIMIT 1))
ORDER BY depth;
-- a slice and those below it
INCLUDE PERFETTO MODULE slices.hierarchy;
SELECT name, ts, dur, depth FROM _slice_descendant_and_self((SELECT id FROM slice WHERE depth = 0 ORDER BY dur DESC, ts LIMIT 1))
ORDER BY ts, depth, name;
-- how deep slices lie
INCLUDE PERFETTO MODULE slices.hierarchy;
SELECT s.name, MAX((SELECT COUNT(*) FROM _slice_ancestor_and_self(s.id))) AS n FROM slice AS s WHERE s.depth > 0
GROUP BY s.name ORDER BY n DESC, s.name LIMIT 20;
-- how many slices run at each time
INCLUDE PERFETTO MODULE intervals.overlap;
SELECT ts, value FROM intervals_overlap_count!((SELECT ts, dur FROM slice WHERE depth = 0), ts, dur) ORDER BY ts;
-- most slices at once
INCLUDE PERFETTO MODULE intervals.overlap;
SELECT MAX(value) FROM intervals_overlap_count!(slice, ts, dur);
-- how many slices of a category run at each time
INCLUDE PERFETTO MODULE intervals.overlap;
SELECT ts, value, group_name FROM intervals_overlap_count_by_group!(slice, ts, dur, category)
WHERE group_name IS NOT NULL ORDER BY group_name, ts LIMIT 100;
-- most slices of a category at once
INCLUDE PERFETTO MODULE intervals.overlap;
SELECT group_name, MAX(value) AS most FROM intervals_overlap_count_by_group!(slice, ts, dur, category)
GROUP BY group_name ORDER BY group_name;
-- time of work while calls run
INCLUDE PERFETTO MODULE intervals.intersect;
SELECT SUM(dur) AS ns, COUNT(*) AS n FROM _interval_intersect!((
  (SELECT id, ts, dur FROM slice WHERE category = 'kernel'),
  (SELECT id, ts, dur FROM slice WHERE category IN ('cuda_runtime', 'cpu_op') AND depth = 0)
), ());
-- pieces of slices of one name on one track
INCLUDE PERFETTO MODULE intervals.intersect;
SELECT x.ts, x.dur, a.name AS above, b.name AS below FROM _interval_intersect!((
  (SELECT id, ts, dur, track_id FROM slice WHERE depth = 0),
  (SELECT id, ts, dur, track_id FROM slice WHERE depth = 1)
), (track_id)) AS x JOIN slice AS a ON a.id = x.id_0 JOIN slice AS b ON b.id = x.id_1
ORDER BY x.ts, x.dur, above, below LIMIT 60;
-- three levels at once
INCLUDE PERFETTO MODULE intervals.intersect;
SELECT COUNT(*) AS n, SUM(dur) AS ns FROM _interval_intersect!((
  (SELECT id, ts, dur, track_id FROM slice WHERE depth = 0),
  (SELECT id, ts, dur, track_id FROM slice WHERE depth = 1),
  (SELECT id, ts, dur, track_id FROM slice WHERE depth = 2)
), (track_id));
-- slices in the middle of the trace
INCLUDE PERFETTO MODULE intervals.intersect;
SELECT s.name, x.dur FROM _interval_intersect_single!(
  (SELECT (MIN(ts) + MAX(ts)) / 2 FROM slice), 500000, (SELECT id, ts, dur FROM slice WHERE dur > 0)
) AS x JOIN slice AS s USING (id) ORDER BY x.dur DESC, s.name, s.ts LIMIT 40;
-- a span join of two levels
CREATE PERFETTO VIEW above_1 AS SELECT ts, dur, track_id, name AS above FROM slice WHERE depth = 0 AND dur > 0;
CREATE PERFETTO VIEW below_1 AS SELECT ts, dur, track_id, name AS below FROM slice WHERE depth = 1 AND dur > 0;
CREATE VIRTUAL TABLE both_levels_1 USING SPAN_JOIN(above_1 PARTITIONED track_id, below_1 PARTITIONED track_id);
SELECT above, below, COUNT(*) AS n, SUM(dur) AS ns FROM both_levels_1 GROUP BY above, below ORDER BY above, below;
-- a span join that keeps what is alone on the left
CREATE PERFETTO VIEW above_2 AS SELECT ts, dur, track_id, name AS above FROM slice WHERE depth = 0 AND dur > 0;
CREATE PERFETTO VIEW below_2 AS SELECT ts, dur, track_id, name AS below FROM slice WHERE depth = 1 AND dur > 0;
CREATE VIRTUAL TABLE both_levels_2 USING SPAN_LEFT_JOIN(above_2 PARTITIONED track_id, below_2 PARTITIONED track_id);
SELECT above, SUM(dur) AS ns, SUM(CASE WHEN below IS NULL THEN dur ELSE 0 END) AS alone, COUNT(*) AS n
FROM both_levels_2 GROUP BY above ORDER BY above;
-- a span join that keeps what is alone
CREATE PERFETTO VIEW above_3 AS SELECT ts, dur, track_id, name AS above FROM slice WHERE depth = 1 AND dur > 0;
CREATE PERFETTO VIEW below_3 AS SELECT ts, dur, track_id, name AS below FROM slice WHERE depth = 0 AND dur > 0;
CREATE VIRTUAL TABLE both_levels_3 USING SPAN_OUTER_JOIN(above_3 PARTITIONED track_id, below_3 PARTITIONED track_id);
SELECT ts, dur, above, below FROM both_levels_3 ORDER BY ts, dur, above, below LIMIT 60;
-- a span join of one track with all
CREATE PERFETTO VIEW all_tracks_4 AS SELECT ts, dur, track_id, name FROM slice WHERE depth = 0 AND dur > 0;
CREATE PERFETTO VIEW one_track_4 AS SELECT ts, dur, name AS other FROM slice
WHERE depth = 0 AND dur > 0 AND track_id = (SELECT track_id FROM slice WHERE dur > 0 ORDER BY dur DESC, ts LIMIT 1);
CREATE VIRTUAL TABLE joined_4 USING SPAN_JOIN(all_tracks_4 PARTITIONED track_id, one_track_4);
SELECT COUNT(*) AS n, SUM(dur) AS ns, COUNT(DISTINCT track_id) AS n_tracks FROM joined_4;
-- a span join without partition
CREATE PERFETTO VIEW one_track_5 AS SELECT ts, dur, name AS a FROM slice
WHERE depth = 0 AND dur > 0 AND track_id = (SELECT track_id FROM slice WHERE dur > 0 ORDER BY dur DESC, ts LIMIT 1);
CREATE PERFETTO VIEW below_it_5 AS SELECT ts, dur, name AS b FROM slice
WHERE depth = 1 AND dur > 0 AND track_id = (SELECT track_id FROM slice WHERE dur > 0 ORDER BY dur DESC, ts LIMIT 1);
CREATE VIRTUAL TABLE joined_5 USING SPAN_LEFT_JOIN(one_track_5, below_it_5);
SELECT ts, dur, a, b FROM joined_5 ORDER BY ts, dur LIMIT 40;
