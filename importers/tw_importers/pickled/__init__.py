"""Shared by importers of pickles: they are read as data, and nothing in them runs; no format."""
