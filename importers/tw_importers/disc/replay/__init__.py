"""Replays of dumped clusters: bundles, their commands, and what makes replays fail."""
