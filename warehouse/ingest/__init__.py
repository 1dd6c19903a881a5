"""Imports: from source files to committed traces."""
