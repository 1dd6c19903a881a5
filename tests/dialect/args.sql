-- an argument by its name
SELECT name, EXTRACT_ARG(arg_set_id, 'args.External id') AS external_id FROM slice
WHERE category = 'cpu_op' AND external_id < 1000 ORDER BY ts, depth LIMIT 20;
-- arguments of a slice
SELECT key, flat_key, int_value, string_value, real_value, value_type, display_value
FROM args
WHERE arg_set_id = (SELECT arg_set_id FROM slice WHERE category = 'cpu_op' ORDER BY ts, depth LIMIT 1)
ORDER BY key;
-- arguments of chosen slices
SELECT key, COUNT(*) FROM args
WHERE arg_set_id IN (SELECT arg_set_id FROM slice WHERE depth = 2 AND category = 'cpu_op')
AND value_type <> 'real' GROUP BY key ORDER BY key;
-- all arguments of slices of a name
SELECT slice.ts, args.key, args.flat_key, args.int_value, args.string_value, args.real_value,
  args.value_type, args.display_value
FROM slice JOIN args USING (arg_set_id)
WHERE slice.name = 'aten::add' ORDER BY slice.ts, args.key;
-- keys of a category
SELECT key, value_type, COUNT(*) FROM slice JOIN args ON slice.arg_set_id = args.arg_set_id
WHERE slice.category = 'cpu_op' AND value_type <> 'real' GROUP BY key, value_type ORDER BY 1, 2;
-- flat keys
SELECT flat_key, COUNT(DISTINCT key), COUNT(*) FROM args WHERE flat_key GLOB 'args.[A-F]*'
AND value_type <> 'real' GROUP BY 1 ORDER BY 1;
-- the value of one key
SELECT slice.name, args.display_value FROM slice LEFT JOIN args
ON slice.arg_set_id = args.arg_set_id AND args.key = 'args.correlation'
WHERE slice.category IN ('cuda_runtime', 'kernel') ORDER BY slice.ts, slice.name;
-- what extract_arg is short for
SELECT name, (
  SELECT int_value FROM args WHERE key = 'args.Ev Idx' AND args.arg_set_id = slice.arg_set_id
) AS value
FROM slice WHERE category = 'cpu_op' ORDER BY ts, depth LIMIT 20;
-- grouped by an argument
SELECT EXTRACT_ARG(arg_set_id, 'args.stream') AS stream, COUNT(*), SUM(dur) FROM slice
WHERE category = 'kernel' GROUP BY stream ORDER BY stream;
-- arithmetic with arguments
SELECT name, EXTRACT_ARG(arg_set_id, 'args.bytes') / 2, EXTRACT_ARG(arg_set_id, 'args.bytes') / 1e3,
  EXTRACT_ARG(arg_set_id, 'args.bytes') * 1000 / dur
FROM slice WHERE category = 'gpu_memcpy' ORDER BY ts, name;
-- sums of arguments
SELECT SUM(EXTRACT_ARG(arg_set_id, 'args.grid[0]')), MAX(EXTRACT_ARG(arg_set_id, 'args.block[0]')),
  AVG(EXTRACT_ARG(arg_set_id, 'args.grid[1]')), COUNT(EXTRACT_ARG(arg_set_id, 'args.grid[2]'))
FROM slice;
-- compared with a number and a text
SELECT COUNT(*) FROM slice WHERE EXTRACT_ARG(arg_set_id, 'args.device') = 0
AND EXTRACT_ARG(arg_set_id, 'args.device') <> '0';
-- launches and kernels by their correlation
SELECT l.name AS call, k.name AS kernel, k.ts - l.ts AS delay
FROM slice l JOIN slice k
ON EXTRACT_ARG(l.arg_set_id, 'args.correlation') = EXTRACT_ARG(k.arg_set_id, 'args.correlation')
WHERE l.category = 'cuda_runtime' AND k.category = 'kernel' ORDER BY l.ts, k.ts;
-- arguments through a subquery
SELECT name, EXTRACT_ARG(a, 'args.External id') AS e FROM (
  SELECT name, ts, depth, arg_set_id AS a FROM slice WHERE category = 'cpu_op'
) WHERE e < 1000 ORDER BY ts, depth LIMIT 10;
-- arguments through a table of WITH
WITH k AS (SELECT * FROM slice WHERE category = 'kernel')
SELECT k.name, EXTRACT_ARG(k.arg_set_id, 'args.stream') FROM k ORDER BY ts, k.name;
-- a default for a missing argument
SELECT name, IFNULL(EXTRACT_ARG(arg_set_id, 'args.stream'), -1) AS stream,
  COALESCE(EXTRACT_ARG(arg_set_id, 'args.nothing'), 'none') AS other
FROM slice ORDER BY ts, depth, name LIMIT 25;
-- typeof
SELECT TYPEOF(EXTRACT_ARG(arg_set_id, 'args.device')), TYPEOF(dur), TYPEOF(name), TYPEOF(dur / 2.0),
  TYPEOF(NULL), COUNT(*)
FROM slice WHERE category = 'kernel' GROUP BY 1;
-- hints of order
SELECT process.pid, args.key, args.int_value FROM process JOIN args USING (arg_set_id)
WHERE process.name <> 'Spans' ORDER BY 1, 2;
-- an order by arguments
SELECT name FROM slice WHERE category = 'kernel'
ORDER BY EXTRACT_ARG(arg_set_id, 'args.stream') DESC, ts, name;
