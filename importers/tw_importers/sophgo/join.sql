-- The join of records to the commands they are of, by number: what was paired is a section of records
-- with commands one after the other, or with one reference to descriptors. In: record, command
-- (tables.py). Out: for each record the context of its command; -1: it has none. Nothing is sorted: n
-- is the number of the record.

-- How many rows are registered DuckDB does not know, so joins are done as they are written: what is
-- named later is put into memory.
SET disabled_optimizers = 'statistics_propagation,join_order,build_side_probe_side';

SELECT r.n, coalesce(c.context_n, -1)::INTEGER AS context_n
FROM record AS r
LEFT JOIN command AS c ON c.command_n = r.command_n;
