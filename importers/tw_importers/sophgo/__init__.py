"""Captures of Sophgo TPUs."""
