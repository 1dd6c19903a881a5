"""Queries: files, headers, contracts and macros."""
