"""Readers of measurements in files of other tools, which cost models are fitted to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse import plugins

if TYPE_CHECKING:
    from warehouse.model.models import Model

#: The entry-point group of readers, by the kind of the model.
GROUP = "trace_warehouse.model_files"


@dataclass(frozen=True)
class ModelFiles:
    """Fits a model of this name to a path; `fit` raises UsageError and QueryError."""

    fit: Callable[[Path, str], Model]


def find(kind: str) -> ModelFiles | None:
    """Returns the reader for models of a kind; None if there is none."""
    return plugins.load(GROUP, kind, ModelFiles)
