"""Formats counts in messages."""

from __future__ import annotations


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Formats a count with its noun in the right number: `1 slice`, `2,000 slices`."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
