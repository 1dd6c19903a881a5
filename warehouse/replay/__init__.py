"""Replays runs: simulates their graphs, with changes, and compares them with what was measured."""
