"""Lakes: traces as Parquet files that many machines write and DuckDB reads in place."""
