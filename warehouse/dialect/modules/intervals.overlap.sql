-- How many intervals are open from each time on at which one begins or ends; -1: it does not end.
CREATE PERFETTO MACRO intervals_overlap_count(segments TableOrSubquery, ts_column ColumnName, dur_column ColumnName)
RETURNS TableOrSubquery AS
(
  SELECT ts, SUM(change) OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS value
  FROM (
    SELECT ts, SUM(change) AS change
    FROM (
      SELECT $ts_column AS ts, 1 AS change FROM $segments
      UNION ALL
      SELECT $ts_column + $dur_column, -1 FROM $segments WHERE $dur_column <> -1
    )
    GROUP BY ts
  )
  ORDER BY ts
);
CREATE PERFETTO MACRO intervals_overlap_count_by_group(
  segments TableOrSubquery, ts_column ColumnName, dur_column ColumnName, group_column ColumnName
)
RETURNS TableOrSubquery AS
(
  SELECT
    ts,
    SUM(change) OVER (
      PARTITION BY group_name ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS value,
    group_name
  FROM (
    SELECT ts, group_name, SUM(change) AS change
    FROM (
      SELECT $ts_column AS ts, 1 AS change, $group_column AS group_name FROM $segments
      UNION ALL
      SELECT $ts_column + $dur_column, -1, $group_column FROM $segments WHERE $dur_column <> -1
    )
    GROUP BY ts, group_name
  )
  ORDER BY ts
)
