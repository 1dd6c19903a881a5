-- The slices reached from each slice of a table by its flows: a tree for each flow that leaves it.
CREATE PERFETTO MACRO _slice_following_flow(source_table TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT f.slice_out AS root_node_id, r.node_id, r.parent_node_id
  FROM (SELECT id FROM $source_table) AS s
  JOIN flow AS f ON f.slice_out = s.id
  JOIN _reached_by_flow(f.slice_out) AS r
)
