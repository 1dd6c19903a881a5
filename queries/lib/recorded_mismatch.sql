/* ---
name = "recorded_mismatch"
version = 1
title = "Differences between ranks in the operations that flight recorders keep"
help = """
From dumps of flight recorders. Collectives of a group are compared by their number, as most ranks
call them, of equally many those with the lowest rank; sends are compared with the receives of the
other side, in their order. Problems, the gravest of each operation: missing (other ranks have called
it), order (the rank calls it at another place), operation, size, type and state (only some ranks have
started or completed it). After the first problem of a group, the later ones may follow from it.
Ranks without a dump, and operations that a rank overwrote, are not compared. Compares the ranks in
scope; a time window hides none.
"""
grain = ["run_id", "group_key", "is_p2p", "sequence_number", "ordinal", "rank", "from_rank", "to_rank"]
requires = { schema = ">=27", queries = ["recorded_group@1", "recorded_operation@1"] }
scale = "run"
columns = [
  "run_id", "group_key", "group_name", "group_description", "is_p2p", "sequence_number", "ordinal",
  "rank", "trace_id", "problem", "found", "expected", "python_line", "expected_line", "n_agreeing",
  "is_first", "from_rank", "to_rank",
]

[column]
group_name.help = "Process group"
sequence_number = { type = "BIGINT", unit = "source id", nullable = true, help = "Number of the collective in the group; of sends and receives their position between the two ranks" }
ordinal = { type = "BIGINT", unit = "count", nullable = true, check = "> 0", help = "Position among coalesced operations of one number, from 1" }
rank = { nullable = false, help = "Rank that differs" }
trace_id.help = "Trace of the rank"
problem = { type = "VARCHAR", unit = "text", check = "IN ('missing', 'order', 'operation', 'size', 'type', 'state')", help = "Gravest difference" }
to_rank = { type = "BIGINT", unit = "count", nullable = true, help = "Rank that receives; NULL: a collective" }

[changes]
1 = "first version"
--- */
WITH operation AS MATERIALIZED (
  SELECT
    *,
    regexp_matches(kind, 'all_?to_?all') AS is_all_to_all,
    concat_ws(
      ' ', kind,
      CASE WHEN len(input_sizes) > 0 THEN concat_ws(
        ' ', input_sizes::VARCHAR, array_to_string(list_distinct(input_types), ',')
      ) END,
      CASE WHEN len(output_sizes) > 0
          AND (output_sizes <> input_sizes OR output_types <> input_types)
        THEN concat_ws(
          ' ', '->', output_sizes::VARCHAR, array_to_string(list_distinct(output_types), ',')
        )
      END
    ) AS shown
  FROM recorded_operation()
  WHERE rank IS NOT NULL
),
dump AS (
  SELECT
    t.run_id, t.rank, min(t.id) AS trace_id,
    arg_max(o.python_line, (o.called_ns, o.record_id)) AS last_line,
    coalesce(bool_or(o.is_overwritten), false) AS is_overwritten
  FROM trace AS t
  LEFT JOIN operation AS o ON o.trace_id = t.id
  WHERE t.rank IS NOT NULL
  GROUP BY t.run_id, t.rank
),
-- What has to be equal on all ranks; NULL: may differ.
signed AS (
  SELECT
    *,
    CASE WHEN NOT is_all_to_all AND kind <> 'scatter' THEN input_sizes END AS common_inputs,
    CASE WHEN NOT is_all_to_all AND kind <> 'gather' THEN output_sizes END AS common_outputs,
    CASE WHEN kind NOT IN ('scatter', 'broadcast') AND input_elements IS NOT NULL
      THEN list_sort(list_distinct(input_types)) END AS common_input_types,
    CASE WHEN kind <> 'gather' AND output_elements IS NOT NULL
      THEN list_sort(list_distinct(output_types)) END AS common_output_types
  FROM operation
  WHERE NOT is_p2p AND sequence_number IS NOT NULL
),
variant AS (
  SELECT
    run_id, group_key, sequence_number, ordinal, kind, common_inputs, common_outputs,
    common_input_types, common_output_types,
    count(*) AS n,
    min(rank) AS first_rank,
    arg_min(shown, rank) AS shown,
    arg_min(python_line, rank) AS python_line
  FROM signed
  GROUP BY
    run_id, group_key, sequence_number, ordinal, kind, common_inputs, common_outputs,
    common_input_types, common_output_types
),
reference AS (
  SELECT *
  FROM variant
  QUALIFY row_number() OVER (
    PARTITION BY run_id, group_key, sequence_number, ordinal ORDER BY n DESC, first_rank
  ) = 1
),
-- The state that most ranks have of an operation.
common_state AS (
  SELECT run_id, group_key, sequence_number, ordinal, state
  FROM (
    SELECT run_id, group_key, sequence_number, ordinal, state, count(*) AS n, min(rank) AS first_rank
    FROM signed
    GROUP BY run_id, group_key, sequence_number, ordinal, state
  )
  QUALIFY row_number() OVER (
    PARTITION BY run_id, group_key, sequence_number, ordinal ORDER BY n DESC, first_rank
  ) = 1
),
called AS (
  SELECT
    s.run_id, s.group_key, s.sequence_number, s.ordinal,
    any_value(g.group_name) AS group_name,
    any_value(g.group_description) AS group_description,
    any_value(len(g.member_ranks)) AS n_members,
    bool_and(s.is_all_to_all) AND sum(s.input_elements) <> sum(s.output_elements)
      AND count(*) = any_value(len(g.member_ranks)) AS is_unbalanced
  FROM signed AS s
  JOIN recorded_group() AS g ON g.run_id = s.run_id AND g.group_key = s.group_key
  GROUP BY s.run_id, s.group_key, s.sequence_number, s.ordinal
),
reached AS (
  SELECT run_id, group_key, rank, min(sequence_number) AS first_number
  FROM signed
  GROUP BY run_id, group_key, rank
),
member AS (
  SELECT c.*, g.rank
  FROM called AS c
  JOIN (SELECT run_id, group_key, unnest(member_ranks) AS rank FROM recorded_group()) AS g
    ON g.run_id = c.run_id AND g.group_key = c.group_key
),
compared AS (
  SELECT
    m.run_id, m.group_key, m.group_name, m.group_description, m.sequence_number, m.ordinal, m.rank,
    d.trace_id, s.shown AS found_operation, s.state, r.shown, r.n, r.python_line AS expected_line,
    coalesce(s.python_line, d.last_line) AS python_line,
    c.state AS common_state,
    CASE
      WHEN s.slice_id IS NULL THEN 'missing'
      WHEN s.kind IS DISTINCT FROM r.kind THEN 'operation'
      WHEN s.common_inputs IS DISTINCT FROM r.common_inputs
        OR s.common_outputs IS DISTINCT FROM r.common_outputs
        OR m.is_unbalanced
        OR s.kind IN ('all_reduce', 'allreduce_coalesced') AND s.input_sizes <> s.output_sizes
        OR s.kind IN ('all_gather', '_all_gather_base', 'all_gather_into_tensor_coalesced')
          AND s.output_elements <> s.input_elements * m.n_members
        OR s.kind IN ('reduce_scatter', '_reduce_scatter_base', 'reduce_scatter_tensor_coalesced')
          AND s.input_elements <> s.output_elements * m.n_members
        THEN 'size'
      WHEN s.common_input_types IS DISTINCT FROM r.common_input_types
        OR s.common_output_types IS DISTINCT FROM r.common_output_types
        OR s.kind NOT IN ('scatter', 'gather', 'broadcast') AND s.input_elements > 0
          AND s.output_elements > 0 AND s.common_input_types <> s.common_output_types
        THEN 'type'
      WHEN s.state IS DISTINCT FROM c.state THEN 'state'
    END AS problem
  FROM member AS m
  JOIN dump AS d ON d.run_id = m.run_id AND d.rank = m.rank
  JOIN reference AS r
    ON r.run_id = m.run_id AND r.group_key = m.group_key
    AND r.sequence_number = m.sequence_number AND r.ordinal = m.ordinal
  JOIN common_state AS c
    ON c.run_id = m.run_id AND c.group_key = m.group_key
    AND c.sequence_number = m.sequence_number AND c.ordinal = m.ordinal
  LEFT JOIN reached AS f ON f.run_id = m.run_id AND f.group_key = m.group_key AND f.rank = m.rank
  LEFT JOIN signed AS s
    ON s.run_id = m.run_id AND s.group_key = m.group_key AND s.rank = m.rank
    AND s.sequence_number = m.sequence_number AND s.ordinal = m.ordinal
  WHERE NOT d.is_overwritten OR m.sequence_number >= f.first_number
),
-- A rank whose operation is another one's elsewhere, and the other way round, changed their order.
swapped AS (
  SELECT DISTINCT a.run_id, a.group_key, a.rank, a.sequence_number, a.ordinal
  FROM compared AS a
  JOIN compared AS b
    ON b.run_id = a.run_id AND b.group_key = a.group_key AND b.rank = a.rank
    AND b.found_operation = a.shown
    AND (b.sequence_number, b.ordinal) <> (a.sequence_number, a.ordinal)
  JOIN compared AS c
    ON c.run_id = a.run_id AND c.group_key = a.group_key AND c.rank = a.rank
    AND c.shown = a.found_operation
    AND (c.sequence_number, c.ordinal) <> (a.sequence_number, a.ordinal)
  WHERE a.problem IN ('operation', 'size', 'type')
    AND b.problem IN ('operation', 'size', 'type')
    AND c.problem IN ('operation', 'size', 'type', 'missing')
),
message AS (
  SELECT
    *,
    CASE WHEN kind = 'send' THEN rank ELSE peer_rank END AS from_rank,
    CASE WHEN kind = 'send' THEN peer_rank ELSE rank END AS to_rank
  FROM operation
  WHERE kind IN ('send', 'recv') AND peer_rank IS NOT NULL
),
-- Where a side overwrote its first operations, messages are counted from the first that has not ended.
numbered AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY run_id, group_key, from_rank, to_rank, kind ORDER BY record_id, slice_id
    ) - CASE
      WHEN bool_or(is_overwritten) OVER (PARTITION BY run_id, group_key, from_rank, to_rank)
        THEN count(CASE WHEN is_done THEN 1 END) OVER (PARTITION BY run_id, group_key, from_rank, to_rank, kind)
      ELSE 0
    END AS n
  FROM message
),
extent AS (
  SELECT run_id, group_key, from_rank, to_rank, kind, min(n) AS first_n
  FROM numbered
  GROUP BY run_id, group_key, from_rank, to_rank, kind
),
exchanged AS (
  SELECT
    coalesce(s.run_id, r.run_id) AS run_id,
    coalesce(s.group_key, r.group_key) AS group_key,
    coalesce(s.group_name, r.group_name) AS group_name,
    coalesce(s.group_description, r.group_description) AS group_description,
    coalesce(s.n, r.n) AS n,
    coalesce(s.from_rank, r.from_rank) AS from_rank,
    coalesce(s.to_rank, r.to_rank) AS to_rank,
    s.shown AS sent, r.shown AS received, s.state AS sent_state, r.state AS received_state,
    s.python_line AS send_line, r.python_line AS receive_line,
    CASE
      WHEN s.slice_id IS NULL OR r.slice_id IS NULL THEN 'missing'
      WHEN s.input_sizes IS DISTINCT FROM r.output_sizes THEN 'size'
      WHEN list_sort(list_distinct(s.input_types)) IS DISTINCT FROM list_sort(list_distinct(r.output_types))
        THEN 'type'
    END AS problem
  FROM (FROM numbered WHERE kind = 'send') AS s
  FULL JOIN (FROM numbered WHERE kind = 'recv') AS r
    ON r.run_id = s.run_id AND r.group_key = s.group_key
    AND r.from_rank = s.from_rank AND r.to_rank = s.to_rank AND r.n = s.n
),
unmatched AS (
  SELECT
    e.*,
    CASE WHEN e.sent IS NULL THEN e.from_rank ELSE e.to_rank END AS rank
  FROM exchanged AS e
  WHERE e.problem IS NOT NULL
)
SELECT
  c.run_id,
  c.group_key,
  c.group_name,
  c.group_description,
  false AS is_p2p,
  c.sequence_number,
  c.ordinal,
  c.rank,
  c.trace_id,
  CASE WHEN w.rank IS NOT NULL THEN 'order' ELSE c.problem END AS problem,
  CASE WHEN c.problem <> 'missing' THEN concat_ws(' ', c.found_operation, c.state) END AS found,
  concat_ws(' ', c.shown, c.common_state) AS expected,
  c.python_line,
  c.expected_line,
  c.n AS n_agreeing,
  (c.sequence_number, c.ordinal)
    = min((c.sequence_number, c.ordinal)) OVER (PARTITION BY c.run_id, c.group_key) AS is_first,
  NULL::BIGINT AS from_rank,
  NULL::BIGINT AS to_rank
FROM (FROM compared WHERE problem IS NOT NULL) AS c
LEFT JOIN swapped AS w
  ON w.run_id = c.run_id AND w.group_key = c.group_key AND w.rank = c.rank
  AND w.sequence_number = c.sequence_number AND w.ordinal = c.ordinal
UNION ALL
SELECT
  u.run_id,
  u.group_key,
  u.group_name,
  u.group_description,
  true,
  u.n,
  1,
  u.rank,
  d.trace_id,
  u.problem,
  CASE WHEN u.problem <> 'missing' THEN concat_ws(' ', u.received, u.received_state) END,
  CASE
    WHEN u.sent IS NULL THEN concat_ws(' ', 'send for', u.received, u.received_state)
    ELSE concat_ws(' ', 'recv for', u.sent, u.sent_state)
  END,
  CASE WHEN u.problem = 'missing' THEN d.last_line ELSE u.receive_line END,
  CASE WHEN u.sent IS NULL THEN u.receive_line ELSE u.send_line END,
  1,
  u.n = min(u.n) OVER (PARTITION BY u.run_id, u.group_key, u.from_rank, u.to_rank),
  u.from_rank,
  u.to_rank
FROM unmatched AS u
JOIN dump AS d ON d.run_id = u.run_id AND d.rank = u.rank
LEFT JOIN extent AS x
  ON x.run_id = u.run_id AND x.group_key = u.group_key
  AND x.from_rank = u.from_rank AND x.to_rank = u.to_rank
  AND x.kind = CASE WHEN u.sent IS NULL THEN 'send' ELSE 'recv' END
-- Operations before the first that is left of an overwritten buffer are not known.
WHERE u.problem <> 'missing' OR NOT d.is_overwritten OR u.n >= x.first_n
ORDER BY run_id, group_key, is_p2p, sequence_number, ordinal, from_rank, to_rank, rank
