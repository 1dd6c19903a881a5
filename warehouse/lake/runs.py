"""Which run of a lake the traces of a run of a warehouse join.

    DIR/_claim/place/<run id>-<key>.json   a rank of a run, and the trace that has it

Ranks of a run come from several machines, and another run may have the same name. A run has one
trace of each rank, or, without ranks, of each name: who creates the file of its place first has it,
so that imports at the same time do not mix their runs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from warehouse.lake import claims

if TYPE_CHECKING:
    from warehouse.lake.content import TraceRow
    from warehouse.lake.layout import Lake, TraceCommit

_KIND = "place"


def claim_run(
    lake: Lake,
    name: str,
    job_id: str | None,
    traces: Sequence[TraceRow],
    commits: Mapping[int, TraceCommit],
) -> int:
    """The id of the run of that name and job, or of a new one if it has other traces of our ranks.

    `commits` are those of the lake.
    """
    number = 1
    while True:
        run_id = claims.claim(lake, "run", claims.run_key(name, job_id, number)).id
        theirs = [each for each in commits.values() if each.run_id == run_id]
        is_free = not any(_excludes(other, mine) for other in theirs for mine in traces)
        if is_free and take_places(lake, run_id, traces, {each.key for each in theirs}):
            return run_id
        number += 1


def _excludes(other: TraceCommit, mine: TraceRow) -> bool:
    """Whether two traces cannot be of one run: both are of its rank, with other content."""
    if (other.kind, other.rank) != (mine.kind, mine.rank) or other.key == mine.key:
        return False
    return mine.rank is not None or other.name == mine.name


def take_places(
    lake: Lake, run_id: int, traces: Sequence[TraceRow], committed: Collection[str] = ()
) -> bool:
    """Takes the places of traces in a run, but of those committed there; all of them or none.

    Places are taken in a fixed order: of two imports, one gets the first that both need.
    """
    places: dict[str, list[str]] = {}
    for trace in traces:
        if trace.key not in committed:
            places.setdefault(_path(run_id, trace), []).append(trace.key)
    taken = []
    for path, keys in sorted(places.items()):
        made = claims.made(run_id, keys[0])
        if lake.storage.create(path, claims.content_of(made)):
            taken.append(path)
        elif not _is_ours(lake, path, keys):
            for each in taken:
                lake.storage.remove(each)
            return False
    return True


def _is_ours(lake: Lake, path: str, keys: Sequence[str]) -> bool:
    """Whether a place has one of the keys; an import that ended without commit loses it."""
    held = claims.read(lake, path)
    if held is not None and held.key not in keys and claims.is_abandoned(lake, held):
        held = claims.made(held.id, keys[0])
        lake.storage.replace(path, claims.content_of(held))
    return held is not None and held.key in keys


def leave_place(lake: Lake, trace: TraceCommit) -> None:
    """Releases the place of a trace that leaves its run."""
    path = _path(trace.run_id, trace)
    held = claims.read(lake, path)
    if held is not None and held.key == trace.key:
        lake.storage.remove(path)


def remove_places(lake: Lake, committed: Collection[tuple[int, str]], before: float) -> None:
    """Removes places of traces without commit that are older; `committed` are runs and keys."""
    for path, held in claims.by_path(lake, _KIND).items():
        if (held.id, held.key) not in committed and held.time < before:
            lake.storage.remove(path)


def _path(run_id: int, trace: TraceRow | TraceCommit) -> str:
    of_run = [trace.kind, trace.rank, trace.name if trace.rank is None else None]
    return claims.path_of(_KIND, f"{run_id}-{claims.digest(of_run)}")
