"""Runs queries over a lake on Apache Spark, which distributes, retries and schedules the work.

A query declares its `scale`. Of `trace`, each trace is a task that runs the query's own SQL in
DuckDB over the files of that trace; of `run`, each run is one. Of `sql`, the query is translated
to Spark's SQL. The driver puts all rows together, in the order of the query.
"""
