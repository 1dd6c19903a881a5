-- Views over the tables; dropped and made again whenever this file changes.

-- Perfetto's flow: the links of the default set that are arrows between two slices. Links that say
-- what a slice belongs to (step, annotation, python, module) are none
CREATE OR REPLACE VIEW flow AS
SELECT
  id, -- [ref link.id] the link
  from_id AS slice_out, -- [ref slice.id] where the arrow starts
  to_id AS slice_in, -- [ref slice.id] where it ends
  trace_id, -- [ref trace.id] NULL between traces
  kind AS name -- [text] the link's kind
FROM link
WHERE link_set = 'default' AND kind NOT IN ('step', 'annotation', 'python', 'module');

-- Perfetto's args: one row for each argument of a slice, keys prefixed with args.
CREATE OR REPLACE VIEW args AS
SELECT
  slice_id AS arg_set_id, -- [ref slice.id] the slice
  trace_id, -- [ref trace.id] the trace
  'args.' || key AS flat_key, -- [text] key without list indexes
  'args.' || key AS key, -- [text] key
  CASE WHEN type IN ('BIGINT', 'UBIGINT') THEN TRY_CAST(value AS BIGINT) END
    AS int_value, -- [see key] value, if an integer
  CASE WHEN type = 'VARCHAR' THEN value END AS string_value, -- [text] value, if a string
  CASE WHEN type = 'DOUBLE' THEN TRY_CAST(value AS DOUBLE) END
    AS real_value, -- [see key] value, if a floating-point number
  value AS display_value, -- [text] value as text
  CASE type
    WHEN 'BIGINT' THEN 'int'
    WHEN 'UBIGINT' THEN 'int'
    WHEN 'DOUBLE' THEN 'real'
    WHEN 'BOOLEAN' THEN 'bool'
    WHEN 'NULL' THEN 'null'
    WHEN 'VARCHAR' THEN 'string'
    ELSE 'json'
  END AS value_type -- [text] int, real, bool, string, null or json
FROM (
  SELECT
    slice_id,
    trace_id,
    key,
    json_type(value_json) AS type,
    value_json ->> '$' AS value
  FROM (
    SELECT
      slice_id,
      trace_id,
      key,
      -- a key may hold the quote that ends a quoted path segment
      json_extract(args_json, '$."' || replace(replace(key, '\', '\\'), '"', '\"') || '"')
        AS value_json
    FROM (
      SELECT id AS slice_id, trace_id, args_json, unnest(json_keys(args_json)) AS key
      FROM slice
      WHERE args_json IS NOT NULL
    )
  )
);

-- Slices on the time all traces of a run share; NULL where a clock's offset is not known
CREATE OR REPLACE VIEW aligned_slice AS
SELECT
  s.id AS slice_id, -- [ref slice.id] the slice
  s.trace_id, -- [ref trace.id] the trace
  t.run_id, -- [ref run.id] the run
  t.rank, -- [count] the trace's rank
  s.track_id, -- [ref track.id] the slice's track
  t.base_ns + s.ts + c.offset_ns + coalesce(round(c.drift * s.ts)::BIGINT, 0)
    AS aligned_ts_ns, -- [ns] start on the shared time
  s.dur, -- [ns] the slice's length
  s.category, -- [text] the slice's category
  s.name, -- [text] the slice's name
  c.method AS clock_method, -- [text] how the offset was found
  c.uncertainty_ns -- [ns] half width of the interval the true offset lies in
FROM slice AS s
JOIN trace AS t ON t.id = s.trace_id
LEFT JOIN clock AS c ON c.id = t.clock_id;

-- What caused a piece of device work, by the default set of links; orphans have no launch
CREATE OR REPLACE VIEW gpu_op_cause AS
SELECT
  g.slice_id, -- [ref slice.id] the device work
  g.trace_id, -- [ref trace.id] the trace
  l.from_id AS launch_id, -- [ref slice.id] the call that caused it
  o.from_id AS cpu_op_id, -- [ref slice.id] the innermost operator around that call
  l.from_id IS NULL AS is_orphan -- [bool] whether no call that caused it was found
FROM gpu_op AS g
LEFT JOIN link AS l ON l.to_id = g.slice_id AND l.kind = 'launch' AND l.link_set = 'default'
LEFT JOIN link AS o ON o.to_id = l.from_id AND o.kind = 'op_launch' AND o.link_set = 'default'
WHERE g.kind <> 'sync';
