/* ---
name = "torch_dumps"
version = 1
title = "Dumps of graphs and clusters of PyTorch, with the sizes of their files"
help = """
torch_blade writes a module (graph.pt) and its inputs (0.pt, 1.pt, ...). They are listed, not read: loading
them runs the code that they hold. `FROM disc_torch_file` lists the files, and the members of each.
"""
grain = ["trace_id", "dump"]
requires = { schema = ">=24" }
scale = "trace"
columns = ["run_id", "trace_id", "dump", "kind", "n_files", "n_inputs", "graph_bytes", "input_bytes"]

[column]
dump = { type = "VARCHAR", unit = "text", help = "Folder of the dump" }
kind = { type = "VARCHAR", unit = "text", nullable = true, help = "graph: of all operations; cluster: of those of one engine" }
n_files = { type = "BIGINT", unit = "count", check = ">= 0", help = "Files; 0: the log names the dump, and it is missing" }
n_inputs = { type = "BIGINT", unit = "count", check = ">= 0", help = "Files of inputs, one each" }
graph_bytes = { type = "BIGINT", unit = "byte", nullable = true, check = ">= 0", help = "Size of graph.pt; NULL: missing" }
input_bytes = { type = "BIGINT", unit = "byte", check = ">= 0", help = "Size of the files of inputs" }

[changes]
1 = "first version"
--- */
SELECT
  any_value(t.run_id) AS run_id,
  f.trace_id,
  f.dump,
  any_value(f.kind) AS kind,
  count(f.file) AS n_files,
  count(f.file) FILTER (f.file <> 'graph.pt') AS n_inputs,
  any_value(f.n_bytes) FILTER (f.file = 'graph.pt') AS graph_bytes,
  coalesce(sum(f.n_bytes) FILTER (f.file <> 'graph.pt'), 0)::BIGINT AS input_bytes
FROM disc_torch_file AS f
JOIN trace AS t ON t.id = f.trace_id
WHERE f.member IS NULL
GROUP BY f.trace_id, f.dump
ORDER BY run_id, f.trace_id, f.dump
