"""Runs a search with all that follows from it: files, and a stored run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import UsageError
from warehouse.files import refuse_occupied
from warehouse.optimize import measuring, search, strategy, together
from warehouse.replay import engines, prediction, stored

if TYPE_CHECKING:
    from warehouse.query.session import Place, Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.stored import Prediction, StoredRun

#: Searches whose fastest candidate is measured, at most.
_MOST_ROUNDS = 8


@dataclass(frozen=True)
class Request:
    """A search, and where its result is written."""

    strategies: tuple[str, ...]
    options: search.Options
    folder: Path | None = None
    name: str | None = None  # of the run that is stored
    replace: bool = False
    assume_aligned: bool = False


@dataclass(frozen=True)
class Done:
    """The result of a search, and the written files."""

    outcome: search.Outcome
    files: tuple[str, ...]
    run: StoredRun | None


def run(
    place: Place, opened: Callable[[], AbstractContextManager[Session]], request: Request
) -> Done:
    """Searches the run in scope of a session, writes the files, and stores the predicted run.

    A recommendation without changes is not stored. Raises UsageError, QueryError, ExportError.
    """
    found = _searched(request.strategies)
    if request.options.search not in search.SEARCHES:
        raise UsageError(
            f"search {request.options.search!r} not found",
            hint=f"Searches: {', '.join(search.SEARCHES)}.",
        )
    if request.folder is not None:
        refuse_occupied(request.folder)
    if request.name is not None:
        stored.check_name(place, request.name, replace=request.replace)
    engine = engines.find(engines.DEFAULT).with_parameters(strict=True)
    if request.assume_aligned:
        engine = engine.with_parameters(assume_aligned=True)
    options = request.options
    if options.program is not None:
        options = _measured(place, opened, engine, request)
    made: Prediction | None = None
    with opened() as session:
        outcome = found(session, engine, options)
        if request.name is not None and outcome.strategy.edits:
            edits = outcome.strategy.edits
            _, made = prediction.predict_run(session, engine, edits, engines.DEFAULT)
        written: list[str] = []
        if request.folder is not None:
            written = strategy.write(session, outcome.strategy, request.folder)
    kept = None
    if made is not None and request.name is not None:
        kept = stored.store(
            place, made, request.name, replace=request.replace, steps=outcome.steps.arrow()
        )
    return Done(outcome, tuple(written), kept)


def _measured(
    place: Place,
    opened: Callable[[], AbstractContextManager[Session]],
    engine: Engine,
    request: Request,
) -> search.Options:
    """Measures the fastest candidates of searches until the fastest has been measured.

    Returns the options of a search by what was measured.
    """
    options, program = request.options, request.options.program
    assert program is not None
    kind = search.find(request.strategies[0])
    if kind.files is None or len(request.strategies) > 1:
        raise UsageError(
            f"{' '.join(request.strategies)} has no option --measure",
            hint="--measure is for fusion alone.",
        )
    if options.model is not None:
        raise UsageError("--measure excludes --model", hint=f"--measure makes {program.model!r}.")
    measuring.arguments(program.command)
    measuring.measure(place, program, {})
    options = replace(options, program=None, model=program.model)
    for _ in range(_MOST_ROUNDS):
        with opened() as session:
            found = kind.search(session, engine, options)
        if not measuring.measure(place, program, kind.files(found.fastest)):
            break
    return options


def _searched(
    names: tuple[str, ...],
) -> Callable[[Session, Engine, search.Options], search.Outcome]:
    """The search of one strategy, or of several together; raises UsageError for invalid names."""
    kinds = [search.find(name) for name in names]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"strategy {twice} is named twice", hint="Name each strategy once.")
    if not kinds:
        raise UsageError("no strategy is named", hint="Name one, such as buckets.")
    return kinds[0].search if len(kinds) == 1 else partial(_together, names)


def _together(
    names: tuple[str, ...], session: Session, engine: Engine, options: search.Options
) -> search.Outcome:
    return together.search(session, engine, names, options)
