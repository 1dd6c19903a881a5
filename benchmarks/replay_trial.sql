-- A dPRO trial of one step for benchmarks/replay.py: $ranks ranks, $groups groups of one tensor, each sent
-- over $channels channels in $loops loops. Names with $ are replaced by numbers.
INSERT INTO run (id, name, kind, created_at) VALUES (1, 'trial', 'measured', TIMESTAMP '2026-01-01');
CREATE TEMP TABLE r AS SELECT i AS r, (1 + i) << 32 AS first FROM range($ranks) t(i);
INSERT INTO trace (id, run_id, name, rank, host_name, format, importer, importer_version, tw_version, imported_at, base_ns, source_base_ns, start_ts, end_ts, kind)
SELECT 1 + r, 1, 'host' || r || '/0', r, 'host' || r, 'dpro', 'dpro', 1, '0', TIMESTAMP '2026-01-01', 1000000, 0, 0, ($groups * (10500 + $loops * 2 * ($ranks - 1) * 500) + 10000), 'timeline' FROM r;
INSERT INTO graph (id, trace_id, kind, name) SELECT first, 1 + r, 'dpro', 'host' || r || '.rank0' FROM r;
INSERT INTO graph_node (id, trace_id, graph_id, node_id, name)
SELECT first + 4 * g + k, 1 + r, first, 4 * g + k,
 ['net/MatMul_' || g, 'gradient_tape/net/MatMul_' || g, 'HorovodAllreduce.' || g || '_0', 'SGD/update_' || g][k + 1]
FROM r, range($groups) t(g), range(4) u(k);
INSERT INTO graph_edge (id, trace_id, graph_id, from_node_id, to_node_id, kind, ordinal)
SELECT first + 3 * g + k, 1 + r, first, first + 4 * g + k, first + 4 * g + k + 1, 'data', 0
FROM r, range($groups) t(g), range(3) u(k);
INSERT INTO communication_edge SELECT 1 + a.r, 'ring', c, f, (f + 1) % $ranks FROM r a, range($channels) t(c), range($ranks) u(f);
CREATE TEMP TABLE op AS
SELECT r, 3 * g + k AS n, 0 AS track, k * $groups * 2000 + g * 2000 AS ts, 1800 AS dur,
 ['net/MatMul_' || g, 'gradient_tape/net/MatMul_' || g, 'SGD/update_' || g][k + 1] AS name
FROM r, range($groups) t(g), range(3) u(k);
UPDATE op SET ts = ts + $groups * (4500 + $loops * 2 * ($ranks - 1) * 500) WHERE name LIKE 'SGD%';
CREATE TEMP TABLE c AS
WITH one AS (
 SELECT 0 AS k, 'Sync' AS stage, -1 AS l, -1 AS ch, -1 AS s, 0 AS begin_ns, 1000 AS dur UNION ALL
 SELECT 1, 'QUEUE', -1, -1, -1, 1000, 500 UNION ALL
 SELECT 2, 'MEMCPY_IN_FUSION_BUFFER', -1, -1, -1, 1500, 1000 UNION ALL
 SELECT 3, 'MEMCPY_OUT_FUSION_BUFFER', -1, -1, -1, (4500 + $loops * 2 * ($ranks - 1) * 500) - 1000, 900 UNION ALL
 SELECT 4 + 2 * (ch * $loops * (2 * ($ranks - 1)) + l * (2 * ($ranks - 1)) + s) + d, ['SEND', 'RECV'][d + 1], l, ch, s, 2500 + (l * (2 * ($ranks - 1)) + s) * 500, 450
 FROM range($loops) a(l), range($channels) b(ch), range((2 * ($ranks - 1))) e(s), range(2) f(d)
)
SELECT r, 3 * $groups + g * (4 + 2 * $channels * $loops * 2 * ($ranks - 1)) + k AS n, g, stage, l, ch, s, g * (4500 + $loops * 2 * ($ranks - 1) * 500) + $groups * 2000 + 2000 + begin_ns AS ts, dur,
 CASE WHEN ch < 0 THEN 1 WHEN stage = 'SEND' THEN 2 + ch ELSE 2 + $channels + ch END AS track
FROM r, range($groups) t(g), one;
INSERT INTO process (id, trace_id, name) SELECT first, 1 + r, 'p' FROM r;
INSERT INTO track (id, trace_id, kind, name, process_id) SELECT first + k, 1 + r, 'thread', 't' || k, first FROM r, range(2 + 2 * $channels) t(k);
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
SELECT first + n, 1 + r, first + track, ts, dur, name, 0 FROM (SELECT r, n, track, ts, dur, name FROM op UNION ALL SELECT r, n, track, ts, dur, stage FROM c) JOIN r USING (r) ORDER BY 1;
INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur, name, step_number)
SELECT first + n, 1 + r, first, ts, dur, name, 0 FROM op JOIN r USING (r) ORDER BY 1;
INSERT INTO collective (slice_id, trace_id, track_id, ts, dur, name, side, stage, loop, channel, ring_step, part)
SELECT first + n, 1 + r, first + track, ts, dur, stage, 'host', stage, nullif(l, -1), nullif(ch, -1), nullif(s, -1), CASE WHEN s >= 0 THEN 0 END FROM c JOIN r USING (r) ORDER BY 1;
INSERT INTO collective_tensor (slice_id, trace_id, ordinal, tensor_id)
SELECT first + n, 1 + r, 0, g FROM c JOIN r USING (r) ORDER BY 1;
