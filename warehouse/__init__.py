"""Trace Warehouse: one columnar store for training and inference traces."""

__version__ = "0.1.0"
