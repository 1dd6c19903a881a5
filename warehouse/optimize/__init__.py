"""Searches for changes that make a run faster, each judged by a replay."""
