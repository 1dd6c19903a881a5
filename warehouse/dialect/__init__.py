"""Other programs' SQL, rewritten to run on a warehouse: Perfetto's, which is SQLite's with more.

    script = translate("SELECT name, dur / 1e6 FROM slice WHERE name GLOB 'aten::*'")
    with prepared(connection, script) as query:
        ...

`perfetto.py` takes a script apart; `selects.py`, `expressions.py`, `comparisons.py`,
`functions.py` and `aggregates.py` rewrite it; `values.py` knows SQLite's types. `tables.sql` has
Perfetto's tables and `macros.sql` what SQLite's operators do, both as TEMP objects. What cannot be
rewritten is refused by name.
"""
