LEFT JOIN (
    SELECT slice_id, list(id ORDER BY id) AS starts
    FROM export_arrow_start AS a
    WHERE {in_part}
    GROUP BY slice_id
  ) AS o ON o.slice_id = s.id
  LEFT JOIN (
    SELECT
      slice_id,
      list(id ORDER BY id) FILTER (is_open) AS open_ends,
      list(id ORDER BY id) FILTER (NOT is_open AND NOT is_late) AS ends,
      list(id ORDER BY id) FILTER (is_late) AS late_ends,
      bool_or(is_tie) AS is_deferred
    FROM export_arrow_end AS a
    WHERE {in_part}
    GROUP BY slice_id
  ) AS i ON i.slice_id = s.id
