-- The view whole_slice has the arguments of slices (R__views.sql); queries that read them require this version.

COMMENT ON COLUMN slice.args_json IS '[json] arguments as written in the source; merged for a pair of B and E';
