-- The counters of the vendor's tool: DDR bandwidth of GDMA in GB/s, uArch rate of TIU in percent. Each
-- command yields its value at the start and 0 at the end. A counter track has the negated id of its
-- engine's track.
SELECT -track_id AS track_id, at_ns + t.shift_ns + {lift_ns} AS ts, value
FROM (
  SELECT trace_id, track_id, ts AS at_ns, ts, slice_id, false AS is_end,
    CASE
      WHEN category IN ('sys', 'SYS') THEN 0.0::DOUBLE
      WHEN engine = 'GDMA'
        THEN printf('%.4f', coalesce(ddr_bytes, 0) / greatest(dur, 1))::DOUBLE
      ELSE printf('%.1f', coalesce(alg_ops / nullif(uarch_ops, 0) * 100, 0))::DOUBLE
    END AS value
  FROM tpu_command
  WHERE engine IN ('TIU', 'GDMA')
  UNION ALL
  SELECT trace_id, track_id, ts + greatest(dur, 0), ts, slice_id, true, 0
  FROM tpu_command
  WHERE engine IN ('TIU', 'GDMA')
) AS c
JOIN export_trace AS t ON t.trace_id = c.trace_id
ORDER BY c.track_id, at_ns, c.ts, slice_id, is_end
