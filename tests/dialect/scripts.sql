-- a view and a question to it
DROP VIEW IF EXISTS interesting;
CREATE VIEW interesting AS SELECT id, ts, dur, name, track_id FROM slice WHERE name LIKE "aten::%";
SELECT name, COUNT(*) FROM interesting GROUP BY name ORDER BY name;
-- a table of Perfetto's
CREATE OR REPLACE PERFETTO TABLE long_slice AS
SELECT name, dur / 1000 AS us, arg_set_id FROM slice WHERE dur > 5000;
SELECT name, us FROM long_slice ORDER BY us DESC, name LIMIT 10;
-- arguments through a table
CREATE PERFETTO TABLE kernels AS SELECT name, ts, arg_set_id FROM slice WHERE category = 'kernel';
SELECT name, EXTRACT_ARG(arg_set_id, 'args.stream') AS stream FROM kernels ORDER BY ts, name;
-- a view with declared columns
CREATE PERFETTO VIEW named(title STRING, length LONG) AS SELECT name AS title, dur AS length FROM slice;
SELECT title, length FROM named WHERE length > 0 ORDER BY length, title LIMIT 5;
-- a function of a value
CREATE PERFETTO FUNCTION in_us(ns LONG) RETURNS DOUBLE AS SELECT $ns / 1000.0;
SELECT name, in_us(dur) FROM slice ORDER BY ts, depth, name LIMIT 10;
-- a function that asks
CREATE PERFETTO FUNCTION children_of(slice_id LONG) RETURNS LONG AS
SELECT COUNT(*) FROM slice WHERE parent_id = $slice_id;
SELECT name, children_of(id) AS n FROM slice WHERE n > 1 ORDER BY n DESC, ts, name;
-- a function that returns a table
CREATE PERFETTO FUNCTION longer_than(least LONG)
RETURNS TABLE(name STRING, dur LONG) AS
SELECT name, dur FROM slice WHERE dur > $least;
SELECT name, COUNT(*) FROM longer_than(20000) GROUP BY name ORDER BY name;
-- a macro
CREATE PERFETTO MACRO in_ms(ns Expr) RETURNS Expr AS $ns / 1e6;
SELECT name, in_ms!(dur) AS ms FROM slice ORDER BY ts, depth, name LIMIT 10;
-- a macro of a table
CREATE PERFETTO MACRO counted(source TableOrSubquery) RETURNS TableOrSubquery AS
(SELECT name, COUNT(*) AS n FROM $source GROUP BY name);
SELECT name, n FROM counted!((SELECT * FROM slice WHERE dur > 1000)) ORDER BY n DESC, name LIMIT 5;
