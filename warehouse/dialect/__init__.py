"""SQL dialects translated to DuckDB: PerfettoSQL, an extension of SQLite's SQL.

    script = translate("SELECT name, dur / 1e6 FROM slice WHERE name GLOB 'aten::*'")
    with prepared(connection, script) as query:
        ...

`perfetto.py` splits a script; `selects.py`, `expressions.py`, `comparisons.py`, `functions.py` and
`aggregates.py` translate it; `values.py` implements SQLite's types. `tables.sql` defines Perfetto's
tables and `macros.sql` SQLite's operators, both as TEMP objects. Unsupported syntax raises
UnsupportedSql.
"""
