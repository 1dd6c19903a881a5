/* ---
name = "replay_reducer"
version = 1
title = "Operators by which DistributedDataParallel moves gradients between parameters and buckets"
help = """
On the host only: where a communication library reduces the buckets (links of kind enqueue). The copy of a
gradient into its bucket (mul_out) ends when the gradient is ready; copy_bucket_to_grad brings it back.
"""
grain = ["slice_id"]
requires = { schema = ">=17", rows = ["whole_cpu_op"] }
scale = "trace"
computed_once = true
columns = ["slice_id", "track_id", "start_ns", "end_ns", "role", "bytes"]

[column]
slice_id.help = "Slice of the operator"
track_id.help = "Thread"
start_ns.help = "Start"
end_ns.help = "End"
role = { type = "VARCHAR", unit = "text", check = "IN ('gradient', 'copy')", help = "gradient: into the bucket; copy: back" }
bytes.help = "Size of the gradient"

[changes]
1 = "first version"
--- */
WITH caller AS (
  SELECT DISTINCT c.track_id
  FROM whole_link AS l
  JOIN whole_cpu_op AS c ON c.slice_id = l.from_id
  WHERE l.kind = 'enqueue' AND l.link_set = 'default'
),
named AS MATERIALIZED (
  SELECT
    o.slice_id, o.track_id, o.ts AS start_ns, o.ts + greatest(o.dur, 0) AS end_ns,
    CASE
      WHEN o.name LIKE '%reducer::mul_out' THEN 'into'
      WHEN o.name LIKE '%reducer::copy_bucket_to_grad' THEN 'copy'
      ELSE 'accumulate'
    END AS role,
    regexp_extract(replace(o.input_dims_json, ' ', ''), '\[([0-9][0-9,]*)\]', 1) AS dims,
    coalesce(
      map {'double': 8, 'float': 4, 'c10::Half': 2, 'c10::BFloat16': 2}[o.input_type_json ->> '$[0]'], 4
    ) AS element_bytes
  FROM whole_cpu_op AS o
  SEMI JOIN caller AS c ON c.track_id = o.track_id
  WHERE o.name LIKE '%reducer::mul_out' OR o.name LIKE '%reducer::copy_bucket_to_grad'
    OR o.name = 'torch::autograd::AccumulateGrad'
),
sized AS (
  SELECT
    *,
    CASE WHEN dims <> '' THEN list_product(string_split(dims, ',')::BIGINT[])::BIGINT * element_bytes END AS bytes,
    row_number() OVER (PARTITION BY track_id, role ORDER BY start_ns, slice_id) AS place,
    count(*) OVER (PARTITION BY track_id, role) AS n
  FROM named
),
-- A hook of its own copies gradients in other ways: then they are ready when accumulated, and the copies
-- back have their sizes.
hooked AS (
  SELECT a.slice_id, a.track_id, a.start_ns, a.end_ns, c.bytes
  FROM sized AS a
  JOIN sized AS c ON c.track_id = a.track_id AND c.role = 'copy' AND c.place = a.place AND c.n = a.n
  WHERE a.role = 'accumulate' AND a.track_id NOT IN (SELECT track_id FROM sized WHERE role = 'into')
)
SELECT
  slice_id, track_id, start_ns, end_ns, CASE role WHEN 'into' THEN 'gradient' ELSE 'copy' END AS role, bytes
FROM sized
WHERE role <> 'accumulate'
UNION ALL
SELECT slice_id, track_id, start_ns, end_ns, 'gradient', bytes
FROM hooked
ORDER BY slice_id
