"""Common parts of searches: options, candidates, results, and which gains count."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Protocol, TypeVar

from warehouse import arrow, plugins
from warehouse.errors import UsageError
from warehouse.library.header import Column
from warehouse.query.result import QueryResult

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.optimize.measuring import Program
    from warehouse.optimize.strategy import Strategy
    from warehouse.query.session import Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.what_if import WhatIf

AnyCandidate = TypeVar("AnyCandidate", bound="Candidate")
#: The entry-point group of strategies.
GROUP = "trace_warehouse.strategies"
SEARCHES = ("sweep", "dp", "anneal")
#: The least number of steps by which a gain is found to be steady.
_FEWEST_STEPS = 3
#: Names of options that differ from those of their fields.
_OPTIONS = {
    "n_groups": "groups",
    "clusters": "from_clusters",
    "n_layers": "layers",
    "is_by_layer": "by_layer",
    "program": "measure",
}
COLUMNS = (
    Column("search", "VARCHAR", "text", "recorded: no change; otherwise the best of these"),
    Column("predicted_ns", "DOUBLE", "ns", "Predicted time of the step, of the slowest rank"),
    Column("change", "DOUBLE", "ratio", "predicted_ns by that of recorded, - 1"),
    Column("replay_error", "DOUBLE", "ratio", "Replay without changes by measured time, - 1"),
    Column("step_spread", "DOUBLE", "ratio", "Standard deviation of measured steps by their mean"),
    Column("extrapolated", "DOUBLE", "ratio", "Share of what changes that was never recorded"),
    Column("is_recommended", "BOOLEAN", "bool", "Whether this is the recommendation"),
    Column("n_edits", "BIGINT", "count", "Number of changes"),
    Column("edits", "VARCHAR", "text", "The change as a what-if of tw replay", nullable=True),
)  # fmt: skip
#: Columns of the candidates of a search, which the table search_step has too.
STEPS = (
    Column("place", "BIGINT", "count", "Place in the order of the search, from 0"),
    Column("search", "VARCHAR", "text", "Search that tried it: sweep, dp or anneal"),
    Column("candidate", "VARCHAR", "text", "The change, as a what-if of tw replay"),
    Column("predicted_ns", "DOUBLE", "ns", "Predicted time of the step, of the slowest rank"),
    Column("is_accepted", "BOOLEAN", "bool", "Whether the search went on from it"),
    Column("best_ns", "DOUBLE", "ns", "The least time so far, the recorded groups included"),
)  # fmt: skip


@dataclass(frozen=True)
class Annealing:
    """How to anneal; the result does not depend on the number of processes."""

    seed: int = 0
    beta: float = 1.0
    n_candidates: int = 10_000
    budget_s: float | None = None
    n_processes: int = 1

    def __post_init__(self) -> None:
        """Raises UsageError for a number with which nothing is tried."""
        least = {"steps": self.n_candidates, "processes": self.n_processes}
        for name, value in least.items():
            if value < 1:
                raise UsageError(f"--{name} must be at least 1, not {value}")
        if not self.beta >= 0:
            raise UsageError(f"--beta must be at least 0, not {self.beta}")
        if self.budget_s is not None and not self.budget_s > 0:
            raise UsageError(f"--budget of {self.budget_s} s leaves no time to search")


@dataclass(frozen=True)
class Options:
    """How to search."""

    search: str = "dp"
    n_groups: int | None = None
    bytes_per_s: float | None = None
    annealing: Annealing = Annealing()
    clusters: Path | None = None  # a file of fused operators, whose groups of tensors are tried
    is_strict: bool = False  # names in these files must be known
    ratio: float = 0.5  # time of operators in 16 bits by that in 32 bits
    model: str | None = None  # cost model of this ratio
    cast_bytes_per_s: float | None = None
    memory_budget: int | None = None  # bytes
    candidates: Path | None = None  # a file of operators that may be fused
    n_layers: int | None = None  # most layers of the backward pass that are fused
    is_by_layer: bool = False  # a layer is fused wholly or not at all
    program: Program | None = None  # measures candidates

    #: Changes of the run before the search, whose own changes come after them.
    before: tuple[WhatIf, ...] = ()

    def __post_init__(self) -> None:
        """Raises UsageError for a number that no search can use."""
        for name in ("n_groups", "n_layers", "memory_budget", "bytes_per_s", "cast_bytes_per_s"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise UsageError(f"{_option(name)} must be above 0, not {value}")
        if not (math.isfinite(self.ratio) and self.ratio >= 0):
            raise UsageError(f"--ratio must be at least 0, not {self.ratio}")

    def refuse(self, strategy: str, *names: str) -> None:
        """Raises UsageError if one of these options is given, which the strategy does not have."""
        for name in names:
            if getattr(self, name) != getattr(Options(), name):
                raise RefusedOptionError(strategy, name)


class RefusedOptionError(UsageError):
    """An option that a strategy does not have."""

    def __init__(self, strategy: str, name: str) -> None:
        hint = "`tw optimize --help` says which strategy has which option."
        super().__init__(f"{strategy} has no option {_option(name)}", hint=hint)
        self.name = name


def _option(name: str) -> str:
    return f"--{_OPTIONS.get(name, name).replace('_', '-')}"


@dataclass(frozen=True)
class Outcome:
    """The rows of `COLUMNS`, the recommendation, and why it changes nothing, if so.

    `steps` has the rows of `STEPS`, `stopped` says why the search ended early, if it did. `fastest`
    are the changes of the fastest candidate, also if a program has not measured them yet.
    """

    rows: QueryResult
    strategy: Strategy
    steps: QueryResult
    note: str | None = None
    stopped: str | None = None
    warning: str | None = None
    fastest: Sequence[WhatIf] = ()
    #: The best candidate, even if its gain is within the noise.
    best: tuple[WhatIf, ...] = ()


@dataclass(frozen=True)
class Noise:
    """The noise that a gain must exceed to count."""

    measured_ns: float | None
    replayed_ns: float
    step_spread: float | None

    @property
    def replay_error(self) -> float | None:
        """Replay without changes by measured time, - 1."""
        return self.replayed_ns / self.measured_ns - 1 if self.measured_ns else None

    def relative_to(self, replayed_ns: float) -> Noise:
        """The same for gains over another replay of the recorded run."""
        return replace(self, replayed_ns=replayed_ns)

    def covers(self, gain: float) -> bool:
        """Whether a gain is no larger than the error of the replay or the spread of steps."""
        return gain <= max(abs(self.replay_error or 0), self.step_spread or 0, 0)

    def sentence(self, gain: float) -> str:
        """A sentence about a gain within the noise."""
        if gain <= 0:
            return "No candidate is predicted to be faster than the recorded run."
        error = f"{abs(self.replay_error or 0):.2%}"
        spread = f"{self.step_spread or 0:.2%}"
        return (
            f"The best candidate is predicted to be {gain:.2%} faster: within the noise "
            f"(error of the replay {error}, spread of the steps {spread})."
        )


@dataclass(frozen=True)
class Strategies:
    """A kind of strategy that packages register.

    `files` returns what a program must measure before changes can be judged by measurements: the
    text of a file for each name of a line of the model that `Options.model` then names.
    """

    search: Callable[[Session, Engine, Options], Outcome]
    files: Callable[[Sequence[WhatIf]], Mapping[str, str]] | None = None
    searches: tuple[str, ...] = ("sweep", "dp")
    #: Of several strategies, changes of those with the least place come first.
    place: int = 0
    #: Whether its changes are needed, so that others must not be without them.
    is_needed: bool = False


def find(name: str) -> Strategies:
    """Returns a kind of strategy; raises UsageError for an unknown name."""
    found = plugins.load(GROUP, name, Strategies)
    if found is None:
        names = ", ".join(plugins.names(GROUP))
        raise UsageError(f"strategy {name!r} not found", hint=f"Strategies: {names}.")
    return found


class Candidate(Protocol):
    """A change that a search has replayed."""

    @property
    def search(self) -> str: ...
    @property
    def predicted_ns(self) -> float: ...


def best_of_each(judged: Iterable[AnyCandidate]) -> list[AnyCandidate]:
    """The fastest candidate of each search; of equal ones the first."""
    best: dict[str, AnyCandidate] = {}
    for each in judged:
        if each.search not in best or each.predicted_ns < best[each.search].predicted_ns:
            best[each.search] = each
    return list(best.values())


def is_interruption(error: BaseException) -> bool:
    """Whether an exception is Ctrl-C, which DuckDB reports in its own way."""
    return isinstance(error, KeyboardInterrupt) or str(error) == "Query interrupted"


def slowest_ns(rows: pa.Table, column: str) -> float | None:
    """The time of the slowest rank, as the mean over steps if the rows have steps."""
    of_step = _slowest(rows, column)
    steps = [ns for step, ns in of_step.items() if step is not None]
    return sum(steps) / len(steps) if steps else of_step.get(None)


def _slowest(rows: pa.Table, column: str) -> dict[int | None, float]:
    """The time of the slowest rank by step."""
    found: dict[int | None, float] = {}
    for row in rows.to_pylist():
        if row[column] is not None:
            found[row["step"]] = max(row[column], found.get(row["step"], row[column]))
    return found


@dataclass(frozen=True)
class Paired:
    """The gain of a candidate in each recorded step, from replays of the step with and without it.

    What makes steps differ, and what a replay gets wrong in all of them, is in both replays.
    """

    gains: tuple[float, ...]

    @classmethod
    def of(cls, without: pa.Table, changed: pa.Table) -> Paired:
        """The gains from the rows of two predictions."""
        before, after = (_slowest(rows, "predicted_ns") for rows in (without, changed))
        steps = [step for step in before if step is not None and step in after]
        return cls(tuple(1 - after[step] / before[step] for step in steps))

    @property
    def error(self) -> float:
        """Standard error of the mean gain."""
        return stdev(self.gains) / math.sqrt(len(self.gains))

    @property
    def is_steady(self) -> bool:
        """Whether the mean gain is above 0 by more than twice its error; never of few steps."""
        return len(self.gains) >= _FEWEST_STEPS and fmean(self.gains) > 2 * self.error

    @property
    def sentence(self) -> str:
        """Why the candidate is recommended although its gain is within the noise."""
        return (
            "It is recommended without a promised gain: replays of the same "
            f"{len(self.gains)} steps with and without it differ by {fmean(self.gains):.2%} "
            f"(standard error {self.error:.2%})."
        )


def noise(session: Session, rows: pa.Table) -> Noise:
    """The noise, from the rows of a replay without changes."""
    replayed_ns = slowest_ns(rows, "replayed_ns")
    assert replayed_ns is not None
    return Noise(slowest_ns(rows, "measured_ns"), replayed_ns, _spread(session))


def _spread(session: Session) -> float | None:
    """Standard deviation of the time of the slowest rank over steps, by its mean."""
    of_step: dict[int, float] = {}
    for row in session.run("iteration_time").table().to_pylist():
        if row["step"] is not None:
            of_step[row["step"]] = max(row["dur_ns"], of_step.get(row["step"], 0.0))
    if len(of_step) < 2:
        return None
    return stdev(of_step.values()) / fmean(of_step.values())


def row(
    search: str,
    predicted_ns: float,
    limit: Noise,
    *,
    is_recommended: bool,
    extrapolated: float = 0.0,
    edits: Sequence[WhatIf] = (),
) -> dict[str, object]:
    """A row of `COLUMNS`."""
    return {
        "search": search,
        "predicted_ns": predicted_ns,
        "change": predicted_ns / limit.replayed_ns - 1,
        "replay_error": limit.replay_error,
        "step_spread": limit.step_spread,
        "extrapolated": extrapolated,
        "is_recommended": is_recommended,
        "n_edits": len(edits),
        "edits": " + ".join(map(str, edits)) or None,
    }


def prediction_of(rows: Sequence[dict[str, object]], limit: Noise) -> dict[str, float | None]:
    """The figures of the recommended row, for files."""
    (chosen,) = (each for each in rows if each["is_recommended"])
    names = ("predicted_ns", "change", "replay_error", "step_spread", "extrapolated")
    values = {name: chosen[name] for name in names}
    known = {"measured_ns": limit.measured_ns, "replayed_ns": limit.replayed_ns}
    return known | {
        name: float(value) if isinstance(value, (int, float)) else None
        for name, value in values.items()
    }


def result(
    session: Session,
    rows: Sequence[Mapping[str, object]],
    query: str,
    columns: tuple[Column, ...] = COLUMNS,
) -> QueryResult:
    """Rows of these columns with their manifest."""
    about = session.manifest(session.queries.find(query), {})
    return QueryResult(arrow.table_of(rows, columns), columns, about)
