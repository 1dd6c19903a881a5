"""Sessions, scopes, execution and results of queries."""
