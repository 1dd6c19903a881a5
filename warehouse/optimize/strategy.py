"""A strategy: what-ifs that are expected to make a run faster, and the files that hold it.

`strategy.json` is our own; packages add files that training programs and other tools read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse import __version__, plugins
from warehouse.files import whole_file, whole_folder
from warehouse.replay.what_if import WhatIf
from warehouse.store import migrate

if TYPE_CHECKING:
    from warehouse.query.session import Session

#: The entry-point group of files that packages add to a strategy.
GROUP = "trace_warehouse.strategy_files"
FILE = "strategy.json"
VERSION = 1


@dataclass(frozen=True)
class SearchStep:
    """A candidate that a search judged; `gain` is the share of the step time that it saves."""

    search: str
    candidate: str
    predicted_ns: float
    gain: float
    is_accepted: bool  # the search went on from it; of lists: better than all before
    best_gain: float
    best_ns: float


def trajectory(
    judged: Iterable[tuple[str, str, float, bool | None]], replayed_ns: float
) -> tuple[SearchStep, ...]:
    """The steps of a search, from its candidates in order: search, change, time, is accepted.

    Without the last, a candidate is accepted if it is better than all before.
    """
    best, found = replayed_ns, []
    for search, candidate, predicted_ns, is_accepted in judged:
        is_better = predicted_ns < best
        best = min(best, predicted_ns)
        found.append(
            SearchStep(
                search=search,
                candidate=candidate,
                predicted_ns=predicted_ns,
                gain=1 - predicted_ns / replayed_ns,
                is_accepted=is_better if is_accepted is None else is_accepted,
                best_gain=1 - best / replayed_ns,
                best_ns=best,
            )
        )
    return tuple(found)


def step_rows(steps: Iterable[SearchStep]) -> list[dict[str, object]]:
    """Rows of the table search_step."""
    names = ("search", "candidate", "predicted_ns", "is_accepted", "best_ns")
    return [
        {"place": n, **{name: getattr(each, name) for name in names}}
        for n, each in enumerate(steps)
    ]


@dataclass(frozen=True)
class Strategy:
    """What a search recommends for a run."""

    name: str
    edits: tuple[WhatIf, ...]  # none: leave the run as it is
    recorded_groups: tuple[str, ...]  # of tensors, as 3+4
    groups: tuple[str, ...]
    prediction: Mapping[str, float | None]
    search: Mapping[str, Any]
    trajectory: tuple[SearchStep, ...]
    provenance: Mapping[str, Any]
    parts: tuple[Strategy, ...] = ()  # of several that were searched together

    def to_json(self) -> str:
        """The content of `strategy.json`, which depends on nothing but the run and the search."""
        return json.dumps(
            {
                "version": VERSION,
                "strategy": self.name,
                "edits": [
                    {"what_if": each.name, "arguments": dict(each.arguments)} for each in self.edits
                ],
                "prediction": dict(self.prediction),
                "search": dict(self.search),
                "provenance": dict(self.provenance),
            },
            indent=2,
        )


@dataclass(frozen=True)
class TensorGroups:
    """Groups of all tensors of a run, from a file that names operators."""

    groups: tuple[str, ...]  # as 3+4
    n_names: int  # in the file
    unknown: tuple[str, ...]  # names that the run does not have


def _no_groups(session: Session, path: Path, text: str) -> TensorGroups | None:
    return None


@dataclass(frozen=True)
class StrategyFiles:
    """Files of a package: names and texts of those that describe a strategy for a run.

    `edits` returns the changes in the text of such a file, None if it is not one of them; it raises
    UsageError if it is one that is invalid. `groups` returns the groups of tensors that follow from
    a file of fused operators, None for a run that the package does not know.
    """

    texts: Callable[[Session, Strategy], Mapping[str, str]]
    edits: Callable[[Session, Path, str], list[WhatIf] | None]
    groups: Callable[[Session, Path, str], TensorGroups | None] = _no_groups


def provenance(session: Session, query_names: tuple[str, ...]) -> dict[str, Any]:
    """What a strategy was made from: the run with its files, and the queries."""
    queries = [session.queries.find(name) for name in query_names]
    return {
        "tw_version": __version__,
        "schema_version": migrate.latest_version(),
        "runs": list(session.seen.run_names),
        "traces": session.traces,
        "queries": {str(each.key): each.digest for each in queries},
    }


def write(session: Session, strategy: Strategy, folder: Path) -> list[str]:
    """Writes the files of a strategy to a new folder; returns their names.

    Raises ExportError when the folder is occupied or cannot be written.
    """
    texts = {FILE: strategy.to_json() + "\n"}
    for name in plugins.names(GROUP):
        added = plugins.load(GROUP, name, StrategyFiles)
        if added is not None:
            for part in strategy.parts or (strategy,):
                texts |= added.texts(session, part)
    with whole_folder(folder) as unfinished:
        for name, text in texts.items():
            with whole_file(unfinished / name) as file:
                file.write(text.encode())
    return list(texts)
