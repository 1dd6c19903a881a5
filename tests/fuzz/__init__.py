"""The fuzz driver for all importers: `python -m tests.fuzz --help`."""
