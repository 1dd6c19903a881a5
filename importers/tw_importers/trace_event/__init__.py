"""Trace Event JSON, the format Chrome invented and most profilers write; no importer by itself."""
