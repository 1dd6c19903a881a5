-- One layout for all schemas. In schema 4 a record names a track with its process and place, and
-- in 4.0 its times by number. In: the tables of read.py. Out: the same, filled in as in schema 3.

CREATE TABLE track_owner AS
SELECT
  guid, id,
  any_value(pid) AS pid, any_value(tid) AS tid, any_value(agent_id) AS agent_id,
  any_value(queue_id) AS queue_id, any_value(stream_id) AS stream_id
FROM rocpd_track
GROUP BY guid, id;

-- Process numbers are row numbers; some writers put system process ids there.
UPDATE track_owner AS t SET pid = p.id
FROM rocpd_info_process AS p
WHERE p.guid = t.guid AND p.pid = t.pid
  AND (t.guid, t.pid) NOT IN (SELECT (guid, id) FROM rocpd_info_process WHERE id IS NOT NULL);

UPDATE track_owner AS t SET tid = h.id
FROM rocpd_info_thread AS h
WHERE h.guid = t.guid AND h.tid = t.tid
  AND (t.guid, t.tid) NOT IN (SELECT (guid, id) FROM rocpd_info_thread WHERE id IS NOT NULL);

UPDATE rocpd_region AS r SET pid = t.pid, tid = t.tid
FROM track_owner AS t WHERE t.guid = r.guid AND t.id = r.track_id;

UPDATE rocpd_kernel_dispatch AS r
SET pid = t.pid, tid = t.tid, agent_id = t.agent_id, queue_id = t.queue_id, stream_id = t.stream_id
FROM track_owner AS t WHERE t.guid = r.guid AND t.id = r.track_id;

UPDATE rocpd_memory_copy AS r
SET pid = t.pid, tid = t.tid, queue_id = t.queue_id, stream_id = t.stream_id
FROM track_owner AS t WHERE t.guid = r.guid AND t.id = r.track_id;

UPDATE rocpd_memory_allocate AS r
SET pid = t.pid, tid = t.tid, agent_id = t.agent_id, queue_id = t.queue_id, stream_id = t.stream_id
FROM track_owner AS t WHERE t.guid = r.guid AND t.id = r.track_id;

UPDATE rocpd_region AS r SET start = v.value
FROM rocpd_timestamp AS v WHERE v.guid = r.guid AND v.id = r.start_id;

UPDATE rocpd_region AS r SET "end" = v.value
FROM rocpd_timestamp AS v WHERE v.guid = r.guid AND v.id = r.end_id;

UPDATE rocpd_kernel_dispatch AS r SET start = v.value
FROM rocpd_timestamp AS v WHERE v.guid = r.guid AND v.id = r.start_id;

UPDATE rocpd_kernel_dispatch AS r SET "end" = v.value
FROM rocpd_timestamp AS v WHERE v.guid = r.guid AND v.id = r.end_id;

UPDATE rocpd_memory_copy AS r SET start = v.value
FROM rocpd_timestamp AS v WHERE v.guid = r.guid AND v.id = r.start_id;

UPDATE rocpd_memory_copy AS r SET "end" = v.value
FROM rocpd_timestamp AS v WHERE v.guid = r.guid AND v.id = r.end_id;

UPDATE rocpd_memory_allocate AS r SET start = v.value
FROM rocpd_timestamp AS v WHERE v.guid = r.guid AND v.id = r.start_id;

UPDATE rocpd_memory_allocate AS r SET "end" = v.value
FROM rocpd_timestamp AS v WHERE v.guid = r.guid AND v.id = r.end_id;
