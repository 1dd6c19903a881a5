LEFT JOIN (
    SELECT slice_out AS slice_id, list(id ORDER BY id) AS starts
    FROM export_arrow
    GROUP BY slice_out
  ) AS o ON o.slice_id = s.id
  LEFT JOIN (
    SELECT
      slice_in AS slice_id,
      list(id ORDER BY id) FILTER (is_at_begin) AS ends,
      list(id ORDER BY id) FILTER (NOT is_at_begin) AS late_ends
    FROM export_arrow
    GROUP BY slice_in
  ) AS i ON i.slice_id = s.id
