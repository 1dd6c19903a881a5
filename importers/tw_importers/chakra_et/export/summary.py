"""The summary of a written `.et` file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class EtSummary:
    """A written file: counts of nodes and dependencies, and remarks for the user."""

    path: Path
    n_nodes: int = 0
    n_data_deps: int = 0
    remarks: list[str] = field(default_factory=list)
