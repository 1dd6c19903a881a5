"""Captures of Sophgo TPUs: importer (`importer.py`) and exports (`export/`)."""
