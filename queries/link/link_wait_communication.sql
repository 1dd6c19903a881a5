/* ---
name = "link_wait_communication"
version = 2
title = "Links from communication on the host to what went on after it"
help = """
After the backward pass, DistributedDataParallel waits for the reduced buckets one after another, and
copies each to its gradients (copy_bucket_to_grad). The sizes of the copies tell which of them is the
first of its bucket: it goes on after the operation that reduced the bucket, in the order of the
calls. That record may end a little later than the copy begins, as threads are notified before.
Other waits are pauses of the calling thread: the first operator after one goes on after the last
operation that ended during it.
"""
grain = ["from_id", "to_id"]
requires = { schema = ">=1", rows = ["link where kind = 'enqueue'"] }
scale = "trace"
within_trace = true
columns = ["from_id", "to_id", "kind", "rule", "confidence"]

[param.trace_id]
type = "BIGINT"
help = "Trace to link"

[column]
from_id.help = "Slice of the operation"
to_id.help = "Slice that went on"
kind.help = "wait"
rule.help = "communication"
confidence.help = "0.9 by the sizes of copies, 0.5 for pauses"

[changes]
2 = "of operations that end at one time before a pause, the last called"
1 = "first version"
--- */
WITH operation AS MATERIALIZED (
  SELECT
    l.trace_id,
    l.to_id AS slice_id,
    c.track_id AS call_track_id,
    c.ts AS call_ns,
    v.ts AS start_ns,
    v.ts + v.dur AS end_ns,
    v.n_input_elements AS n_elements
  FROM link AS l
  JOIN cpu_op AS c ON c.slice_id = l.from_id
  JOIN collective AS v ON v.slice_id = l.to_id
  WHERE l.trace_id = $trace_id::BIGINT
    AND c.trace_id = $trace_id::BIGINT
    AND v.trace_id = $trace_id::BIGINT
    AND l.kind = 'enqueue'
    AND l.link_set = 'default'
    AND v.dur >= 0
),
caller AS (
  SELECT DISTINCT call_track_id AS track_id FROM operation
),
activity AS MATERIALIZED (
  SELECT o.slice_id, o.trace_id, o.track_id, o.ts AS start_ns, o.ts + o.dur AS end_ns, o.name,
    o.input_dims_json
  FROM cpu_op AS o
  SEMI JOIN caller AS c ON c.track_id = o.track_id
  WHERE o.trace_id = $trace_id::BIGINT
    AND o.dur > 0
),
-- Copies, and how much was copied before each since the first call.
copy AS (
  SELECT
    a.*,
    list_product(string_split(regexp_extract(replace(input_dims_json, ' ', ''), '^\[\[([0-9,]+)\]', 1), ',')::BIGINT[])
      AS n_elements
  FROM activity AS a
  WHERE a.name LIKE '%reducer::copy_bucket_to_grad'
    AND regexp_matches(a.input_dims_json, '^\[\[ *[0-9]')
),
copied AS (
  SELECT
    c.trace_id,
    c.slice_id,
    c.track_id,
    c.start_ns,
    coalesce(sum(c.n_elements) OVER (
      PARTITION BY c.track_id ORDER BY c.start_ns, c.slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0)::BIGINT AS before
  FROM copy AS c
  JOIN (SELECT call_track_id, min(call_ns) AS first_ns FROM operation GROUP BY call_track_id) AS f
    ON f.call_track_id = c.track_id AND f.first_ns <= c.start_ns
),
bucket AS (
  SELECT
    *,
    coalesce(sum(n_elements) OVER (
      PARTITION BY call_track_id ORDER BY call_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0)::BIGINT AS before
  FROM operation
),
by_size AS (
  SELECT b.slice_id AS from_id, c.slice_id AS to_id, 0.9::DOUBLE AS confidence
  FROM bucket AS b
  JOIN copied AS c ON c.track_id = b.call_track_id AND c.before = b.before AND c.start_ns > b.start_ns
),
reach AS (
  SELECT
    slice_id,
    trace_id,
    track_id,
    start_ns,
    max(end_ns) OVER (
      PARTITION BY track_id ORDER BY start_ns, slice_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS before_ns
  FROM activity
),
-- Of those that end at one time, the last called.
ended AS (
  SELECT
    call_track_id,
    end_ns,
    max_by(slice_id, (call_ns, slice_id)) AS slice_id,
    max(call_ns) AS call_ns
  FROM operation
  GROUP BY call_track_id, end_ns
),
by_pause AS (
  SELECT o.slice_id AS from_id, p.slice_id AS to_id, 0.5::DOUBLE AS confidence
  FROM (SELECT * FROM reach WHERE before_ns < start_ns) AS p
  ASOF JOIN ended AS o ON o.call_track_id = p.track_id AND o.end_ns <= p.start_ns
  WHERE o.end_ns > p.before_ns AND o.call_ns <= p.before_ns
    AND o.slice_id NOT IN (SELECT from_id FROM by_size)
),
found AS (
  FROM by_size UNION ALL FROM by_pause
)
SELECT from_id, to_id, 'wait' AS kind, 'communication' AS rule, max(confidence) AS confidence
FROM found
GROUP BY from_id, to_id
ORDER BY to_id, from_id
