"""Divides traces or runs among tasks.

A task opens its part of the lake, which takes longer than most queries of a small trace. So a task
takes several, but few enough rows for its memory.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Final, TypeVar

Key = TypeVar("Key")
#: Rows of all tables that a task reads at most, if it reads several traces or runs.
MOST_ROWS: Final = 500_000


def divided(n_rows: Mapping[Key, int], n_tasks: int, most: int = MOST_ROWS) -> list[list[Key]]:
    """Groups of about as many rows: as many as there are cores, and more if some have too many."""
    largest_first = sorted(n_rows, key=lambda key: -n_rows[key])
    groups: list[list[Key]] = [[] for _ in range(max(1, min(n_tasks, len(n_rows))))]
    rows = [(0, place) for place in range(len(groups))]  # a heap
    for key in largest_first:
        in_least, place = rows[0]
        if groups[place] and in_least + n_rows[key] > most:
            groups.append([key])
            heapq.heappush(rows, (n_rows[key], len(groups) - 1))
        else:
            groups[place].append(key)
            heapq.heapreplace(rows, (in_least + n_rows[key], place))
    return [group for group in groups if group]
