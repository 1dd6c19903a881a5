"""The importers that ship with Trace Warehouse: one folder a backend, found by entry point."""
