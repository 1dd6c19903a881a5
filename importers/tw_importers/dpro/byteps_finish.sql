-- Where the records of BytePS's logs went, in scratch; empty for the recording of a rank.
-- In: `byteps_call`, `byteps_part`, `unreadable_line`, `timeline_event` (byteps.sql).

INSERT INTO merged
SELECT 0, 'ends of messages and server operations', count(*) FROM byteps_call WHERE end_seq IS NOT NULL
UNION ALL
SELECT 0, 'names of links and servers', count(*)
FROM timeline_event
WHERE ph = 'M' AND name = 'process_name';

INSERT INTO unused
SELECT 0, reason, count(*)
FROM (
  SELECT 'server operations INIT' AS reason FROM byteps_part WHERE operation = 'INIT'
  UNION ALL
  SELECT 'end without a beginning'
  FROM byteps_part
  WHERE NOT is_start AND operation <> 'INIT' AND seq NOT IN (
    SELECT end_seq FROM byteps_call WHERE end_seq IS NOT NULL
  )
  UNION ALL
  SELECT 'unreadable lines' FROM unreadable_line
  UNION ALL
  SELECT 'other events of timelines'
  FROM timeline_event
  WHERE (ph IS NULL OR ph NOT IN ('B', 'E') OR ts_ns IS NULL)
    AND NOT coalesce(ph = 'M' AND name = 'process_name', false)
)
GROUP BY reason;

INSERT INTO problem
SELECT 0, 'unfinished_message', 'note', count(*), 'messages and operations without an end; their dur is -1'
FROM byteps_call
WHERE end_seq IS NULL
UNION ALL
SELECT 0, 'unknown_node', 'warning', count(*), 'messages of nodes that no log belongs to; named by number'
FROM byteps_call
WHERE starts_with(node, 'node_') OR starts_with(peer, 'node_')
UNION ALL
SELECT 0, 'unnamed_key', 'warning', count(*), 'messages of keys that key_dict.txt does not have'
FROM byteps_call
WHERE regexp_matches(tensor, '^\d+$');
