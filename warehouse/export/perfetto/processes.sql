-- The processes of the scope; the default rank is that of the trace.
SELECT
  p.id,
  p.trace_id,
  p.pid,
  coalesce(
    nullif(p.name, ''),
    concat_ws(' ', 'process', trim(coalesce(p.source_pid, p.pid::VARCHAR), '"'))
  ) AS name,
  p.labels,
  p.sort_index,
  coalesce(p.rank, t.rank) AS rank,
  t.name AS trace_name,
  t.run_name,
  p.rank IS NOT NULL AS has_own_rank
FROM process AS p
JOIN export_trace AS t ON t.trace_id = p.trace_id
ORDER BY p.id
