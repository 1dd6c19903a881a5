-- Events that the tracer lost: discarded in full buffers, and in packets that were overwritten.
-- In: `packet`, `ctf_trace`. Out: `loss`: one row for each window in which events were lost.
-- Counters are those of a stream, which file rotation spreads over several files.
CREATE TABLE loss AS
WITH ordered AS (
  SELECT
    p.*,
    lag(discarded) OVER stream AS earlier,
    lag(end_ns) OVER stream AS earlier_end_ns,
    lag(sequence) OVER stream AS earlier_sequence,
    row_number() OVER stream AS n
  FROM packet AS p
  JOIN ctf_trace AS t USING (trace_n)
  WHERE begin_ns IS NOT NULL
  WINDOW stream AS (
    PARTITION BY coalesce(t.uuid, p.trace_n::VARCHAR), stream_class, stream_id,
      if(stream_id IS NULL OR t.uuid IS NULL, stream_n, NULL)
    ORDER BY sequence NULLS FIRST, begin_ns, packet_n
  )
)
SELECT
  row_number() OVER (ORDER BY from_ns, packet_n) - 1 AS loss_n,
  packet_n, stream_n, trace_n, cpu, from_ns, greatest(to_ns, from_ns) AS to_ns, n_events, n_packets,
  CASE
    WHEN n_packets = 0 THEN n_events || ' lost events'
    ELSE if(n_events > 0, n_events || ' lost events, ', '') || n_packets || ' lost packets'
  END AS name
FROM (
  SELECT
    * EXCLUDE (n_events),
    coalesce(earlier_end_ns, begin_ns) AS from_ns,
    coalesce(end_ns, begin_ns) AS to_ns,
    CASE WHEN discarded > coalesce(earlier, 0) THEN (discarded - coalesce(earlier, 0))::BIGINT ELSE 0 END
      AS n_events,
    CASE WHEN sequence > earlier_sequence + 1 THEN (sequence - earlier_sequence - 1)::BIGINT ELSE 0 END
      AS n_packets
  FROM ordered
)
WHERE n_events > 0 OR n_packets > 0;
