/* ---
name = "group_class"
version = 1
title = "Kind of parallelism of each process group, with confidence and evidence"
help = """
See process_group_class, which has the rules and their confidences. A time window hides none.
"""
scale = "trace"
computed_once = "reports"
grain = ["trace_id", "group_name"]
requires = { schema = ">=11", queries = ["group_use@1"] }
columns = [
  "run_id", "trace_id", "rank", "group_name", "group_description", "group_size", "member_ranks",
  "rank_stride", "kinds", "n_calls", "class", "confidence", "evidence",
]

[column]
group_name = { nullable = false, help = "Process group, as collectives call it" }
member_ranks = { type = "BIGINT[]", unit = "count", nullable = true, help = "Ranks of the group; NULL: not recorded" }
rank_stride = { type = "BIGINT", unit = "count", nullable = true, help = "Distance of neighbouring ranks; NULL: not recorded, one rank, or uneven" }
kinds = { type = "VARCHAR[]", unit = "text", help = "Kinds of its communication, as in collective_op" }
n_calls = { check = ">= 0", help = "Recorded calls on the host" }
class = { nullable = true, check = "IN ('data', 'fsdp', 'tensor', 'pipeline', 'context', 'expert')", help = "Kind of parallelism; NULL: not enough evidence" }
confidence = { nullable = true, help = "NULL without a class" }
evidence = { nullable = true, help = "What says so, and what speaks against it; NULL: nothing" }

[changes]
1 = "first version"
--- */
WITH word AS (
  SELECT unnest(words) AS word, class
  FROM (VALUES
    (['tp', 'tensor'], 'tensor'),
    (['pp', 'pipeline', 'pipe'], 'pipeline'),
    (['cp', 'context', 'ulysses'], 'context'),
    (['ep', 'expert', 'experts', 'moe'], 'expert'),
    (['fsdp', 'efsdp', 'shard'], 'fsdp'),
    (['dp', 'ddp', 'edp', 'data', 'replicate'], 'data')
  ) AS w(words, class)
),
used AS MATERIALIZED (
  SELECT
    *,
    CASE WHEN member_ranks[2] - member_ranks[1] = ALL (
      SELECT unnest(member_ranks[2:]) - unnest(member_ranks[:-2])
    ) THEN member_ranks[2] - member_ranks[1] END AS rank_stride
  FROM group_use()
),
described AS (
  SELECT u.trace_id, u.group_name, list_sort(list(DISTINCT w.class)) AS classes
  FROM (
    SELECT trace_id, group_name, unnest(regexp_extract_all(lower(group_description), '[a-z]+')) AS word
    FROM used
  ) AS u
  JOIN word AS w ON w.word = u.word
  GROUP BY u.trace_id, u.group_name
),
-- Groups of gradients say whose: shards of dp and cp, replicas of experts.
named AS (
  SELECT
    trace_id, group_name,
    CASE
      WHEN list_has_any(classes, ['fsdp', 'data']) AND NOT list_has_any(classes, ['tensor', 'pipeline'])
        THEN CASE WHEN list_contains(classes, 'fsdp') THEN 'fsdp' ELSE 'data' END
      WHEN len(classes) = 1 THEN classes[1]
      WHEN classes = ['expert', 'tensor'] THEN 'tensor'
    END AS class
  FROM described
),
rule AS (
  SELECT u.trace_id, u.group_name, unnest([
    {
      -- A data-parallel group may hold shards: what FSDP does with it decides.
      'class': CASE WHEN n.class = 'data' AND u.n_sharded > 0 THEN 'fsdp' ELSE n.class END,
      'confidence': 0.9, 'holds': n.class IS NOT NULL,
      'text': 'description ' || u.group_description
    },
    {'class': 'fsdp', 'confidence': 0.9, 'holds': u.n_sharded > 0,
      'text': 'gathers and scatters in ranges of FSDP'},
    {'class': 'data', 'confidence': 0.8, 'holds': u.n_replica_sums > 0 AND u.n_sharded = 0,
      'text': 'all_reduce in ranges of FSDP'},
    {'class': 'data', 'confidence': 0.8, 'holds': u.n_gradients > 0,
      'text': 'all_reduce of gradients'},
    {
      'class': CASE WHEN u.n_scattered = u.n_scattered_backward THEN 'fsdp' ELSE 'tensor' END,
      'confidence': CASE WHEN u.n_scattered = u.n_scattered_backward THEN 0.7 ELSE 0.6 END,
      'holds': u.n_sharded = 0 AND u.n_scattered_backward > 0 AND list_contains(u.kinds, 'all_gather'),
      'text': CASE WHEN u.n_scattered = u.n_scattered_backward
        THEN 'all_gather, and reduce_scatter in backward passes only'
        ELSE 'all_gather, and reduce_scatter in forward and backward passes' END
    },
    {'class': 'tensor', 'confidence': 0.6,
      'holds': u.n_summed_forward > 0 AND u.n_summed_backward > 0,
      'text': 'all_reduce in forward and backward passes'},
    {
      'class': 'pipeline', 'confidence': CASE WHEN u.is_ring THEN 0.5 ELSE 0.7 END,
      'holds': list_has_any(u.kinds, ['send', 'recv', 'send_recv']) AND len(list_filter(
        u.kinds, lambda k: k NOT IN ('send', 'recv', 'send_recv', 'barrier', 'broadcast', 'all_gather')
      )) = 0,
      'text': 'sends and receives'
    },
    {'class': 'context', 'confidence': 0.5,
      'holds': list_has_any(u.kinds, ['send', 'recv', 'send_recv']) AND u.is_ring,
      'text': 'sends in a ring'},
    {
      'class': 'expert', 'confidence': CASE WHEN u.n_uneven > 0 THEN 0.7 ELSE 0.5 END,
      'holds': list_contains(u.kinds, 'all_to_all'),
      'text': CASE WHEN u.n_uneven > 0 THEN 'uneven all_to_all' ELSE 'all_to_all' END
    }
  ], recursive := true)
  FROM used AS u
  LEFT JOIN named AS n ON n.trace_id = u.trace_id AND n.group_name = u.group_name
),
candidate AS (
  SELECT
    trace_id, group_name, class,
    round(1 - product(1 - confidence), 6) AS confidence,
    string_agg(text, ', ' ORDER BY confidence DESC, text) AS text
  FROM rule
  WHERE holds
  GROUP BY trace_id, group_name, class
),
-- Whether a group is the one of the nearest, or of the farthest ranks of several.
distance AS (
  SELECT
    trace_id, group_name,
    CASE
      WHEN min(rank_stride) OVER of_trace = max(rank_stride) OVER of_trace THEN NULL
      WHEN rank_stride = min(rank_stride) OVER of_trace THEN 1
      WHEN rank_stride = max(rank_stride) OVER of_trace THEN -1
    END AS direction
  FROM used
  WHERE rank_stride IS NOT NULL
    -- A group of all ranks has neighbours of distance 1, whatever it is for.
    AND group_size < (SELECT max(v.group_size) FROM used AS v WHERE v.trace_id = used.trace_id)
  WINDOW of_trace AS (PARTITION BY trace_id)
),
ranked AS (
  SELECT
    c.*,
    d.direction,
    row_number() OVER likelier AS place,
    lead(c.class) OVER likelier AS other_class,
    lead(c.confidence) OVER likelier AS other_confidence,
    lead(c.text) OVER likelier AS other_text
  FROM candidate AS c
  LEFT JOIN distance AS d ON d.trace_id = c.trace_id AND d.group_name = c.group_name
  WINDOW likelier AS (
    PARTITION BY c.trace_id, c.group_name
    ORDER BY
      c.confidence DESC,
      coalesce(d.direction, 1)
        * list_position(['tensor', 'context', 'expert', 'data', 'fsdp', 'pipeline'], c.class)
  )
),
chosen AS (
  SELECT
    trace_id, group_name,
    CASE
      WHEN other_class IS NULL THEN confidence
      WHEN confidence > other_confidence THEN
        confidence * (1 - other_confidence)
        / (confidence * (1 - other_confidence) + other_confidence * (1 - confidence))
      WHEN direction IS NOT NULL THEN 0.6
    END AS confidence,
    class,
    concat_ws(
      '; ', text,
      CASE WHEN confidence = other_confidence AND direction IS NOT NULL THEN 'distance of ranks' END,
      CASE WHEN other_class IS NOT NULL THEN concat('or ', other_class, ': ', other_text) END
    ) AS evidence
  FROM ranked
  WHERE place = 1
)
SELECT
  t.run_id,
  u.trace_id,
  t.rank,
  u.group_name,
  u.group_description,
  u.group_size,
  u.member_ranks,
  u.rank_stride,
  u.kinds,
  u.n_calls,
  CASE WHEN c.confidence IS NOT NULL THEN c.class END AS class,
  c.confidence::DOUBLE AS confidence,
  c.evidence
FROM used AS u
JOIN trace AS t ON t.id = u.trace_id
LEFT JOIN chosen AS c ON c.trace_id = u.trace_id AND c.group_name = u.group_name
ORDER BY t.run_id, t.rank, u.trace_id, u.group_name
