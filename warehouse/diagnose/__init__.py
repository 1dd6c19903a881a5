"""Finds what makes a run slow, and prices it with replays."""
