-- threads by their number
SELECT tid, thread.name AS thread_name, pid, process.name AS process_name, is_main_thread, is_idle, thread.machine_id
FROM thread JOIN process USING (upid)
WHERE process.name IS NULL OR process.name NOT IN ('Spans', 'Traces', '')
ORDER BY tid, pid, thread.name, process.name;
-- processes by their number
SELECT pid, name, start_ts, parent_upid, uid, cmdline, machine_id FROM process
WHERE name IS NULL OR name NOT IN ('Spans', 'Traces', '') ORDER BY pid, name;
-- threads of each process
SELECT process.name, process.pid, COUNT(*) FROM thread LEFT JOIN process USING (upid)
GROUP BY upid ORDER BY 2, 1, 3;
-- main threads
SELECT COUNT(*), SUM(is_main_thread), SUM(is_idle) FROM thread;
-- kinds of tracks that have slices
SELECT track.type, COUNT(DISTINCT track.id), COUNT(*) FROM slice JOIN track ON track.id = track_id
WHERE track.type <> 'legacy_async_global_slice' GROUP BY track.type ORDER BY 1;
-- slices of threads
SELECT thread_name, COUNT(*), SUM(dur) FROM slice JOIN thread_track ON track_id = thread_track.id
JOIN (SELECT utid, name AS thread_name FROM thread) USING (utid)
GROUP BY thread_name ORDER BY 1;
-- slices with their context
INCLUDE PERFETTO MODULE slices.with_context;
SELECT thread_name, process_name, name, ts, dur FROM thread_or_process_slice
WHERE category = 'cpu_op' ORDER BY ts, dur DESC, name LIMIT 20;
-- slices of threads with their context
INCLUDE PERFETTO MODULE slices.with_context;
SELECT name, ts, dur, category, track_name, thread_name, tid, is_main_thread, process_name, pid, depth
FROM thread_slice WHERE category <> 'Trace' ORDER BY ts, depth, tid, name;
-- slices of processes with their context
INCLUDE PERFETTO MODULE slices.with_context;
SELECT name, ts, dur, process_name, pid, depth FROM process_slice ORDER BY ts;
-- time by thread and category
SELECT thread.tid, category, COUNT(*) AS n, SUM(dur) AS total
FROM slice INNER JOIN thread_track ON thread_track.id = slice.track_id
INNER JOIN thread ON thread.utid = thread_track.utid
WHERE category IS NOT NULL AND category <> 'Trace'
GROUP BY thread.tid, category ORDER BY tid, category;
-- a natural join
SELECT COUNT(*) FROM (SELECT utid, tid FROM thread) NATURAL JOIN (SELECT utid, id FROM thread_track);
-- no slices of a thread that is not there
SELECT slice.name FROM slice JOIN thread_track ON track_id = thread_track.id JOIN thread USING (utid)
WHERE thread.tid = 123456789;
