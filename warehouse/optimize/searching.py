"""Runs a search with all that follows from it: files, and a stored run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import UsageError
from warehouse.files import refuse_occupied
from warehouse.optimize import search, strategy
from warehouse.replay import engines, prediction, stored

if TYPE_CHECKING:
    from warehouse.query.session import Place, Session
    from warehouse.replay.stored import Prediction, StoredRun


@dataclass(frozen=True)
class Request:
    """What to search, and where what is found goes."""

    strategy: str
    options: search.Options
    folder: Path | None = None
    name: str | None = None  # of the run that is stored
    replace: bool = False
    assume_aligned: bool = False


@dataclass(frozen=True)
class Done:
    """What was found and written."""

    outcome: search.Outcome
    files: tuple[str, ...]
    run: StoredRun | None


def run(
    place: Place, opened: Callable[[], AbstractContextManager[Session]], request: Request
) -> Done:
    """Searches the run in scope of a session, writes the files, and stores the predicted run.

    A recommendation without changes is not stored. Raises UsageError, QueryError, ExportError.
    """
    kind = search.find(request.strategy)
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
    made: Prediction | None = None
    with opened() as session:
        outcome = kind.search(session, engine, request.options)
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
