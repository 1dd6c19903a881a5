"""`tw lake sync`: sends to a lake what is new or changed in a warehouse, and removes what is not.

    DIR/_origin/<origin>.json   the traces and runs that a warehouse sent, and their states

Only the warehouse's own syncs write its file. A trace stays in the lake as long as one warehouse
lists it, or an import wrote it. Nothing is written where no state differs.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.errors import InvalidDatabase
from warehouse.lake import claims, layout
from warehouse.lake.content import Content, TraceRow
from warehouse.lake.layout import Lake, RunCommit, TraceCommit
from warehouse.lake.runs import claim_run, leave_place, take_places
from warehouse.lake.writing import Writer
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

IMPORT = "import"  # the origin of traces that no warehouse has
LINK = "link"  # the origin of a run's commit by `tw lake link`


@dataclass
class Sent:
    """The traces and runs that a warehouse has sent: states by ids of the lake."""

    name: str
    traces: dict[int, str] = field(default_factory=dict)
    runs: dict[int, str] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)  # runs by their names in the warehouse

    @property
    def content(self) -> bytes:
        values = {
            "name": self.name,
            "traces": {str(number): state for number, state in sorted(self.traces.items())},
            "runs": {str(number): state for number, state in sorted(self.runs.items())},
            "names": dict(sorted(self.names.items())),
        }
        return (json.dumps(values, indent=1) + "\n").encode()


@dataclass
class Synced:
    """Counts of a sync."""

    n_traces: int = 0  # in the warehouse
    n_written: int = 0
    n_removed: int = 0
    n_bytes: int = 0  # of Parquet files written


def sync(
    db: Path, folder: Path, *, name: str | None = None, wait_s: float = database.DEFAULT_WAIT_S
) -> Synced:
    """Makes a lake hold what a warehouse holds. Raises DatabaseError, ExportError.

    `name` identifies the warehouse in the lake; by default its host and path.
    """
    name = name or f"{socket.gethostname()}:{db.resolve()}"
    with database.Reader(db, wait_s=wait_s) as reader:
        lake = Lake.open_or_create(folder)
        with layout.writing(lake.name):
            return _Sync(lake, name, reader.connection).run()


class _Sync:
    """One sync. `commits` are those of the lake, as far as this process knows."""

    def __init__(self, lake: Lake, name: str, connection: duckdb.DuckDBPyConnection) -> None:
        self.lake, self.origin = lake, origin_of(name)
        before = read_sent(lake, self.origin)
        self.is_known, self.before = before is not None, before or Sent(name)
        self.sent = Sent(name)
        self.content = Content.read(connection)
        self.commits = lake.trace_commits()
        self.done = Synced(len(self.content.traces))

    def run(self) -> Synced:
        claimed = {each.id: claims.claim(self.lake, "trace", each.key).id for each in self.traces}
        runs = self._runs(claimed)
        writer = Writer(self.content.connection, self.lake, claimed, runs)
        for trace in self.traces:
            self._send(writer, trace)
        for run_id, new in runs.items():
            self._send_run(writer, run_id, new)
        self._remove()
        if self.sent.content != self.before.content or not self.is_known:
            self.lake.storage.replace(self._path, self.sent.content)
        return self.done

    @property
    def traces(self) -> list[TraceRow]:
        return self.content.traces

    @property
    def _path(self) -> str:
        return sent_path(self.origin)

    def _runs(self, claimed: Mapping[int, int]) -> dict[int, int]:
        """The ids of runs: those they had, else those of their names."""
        found = {}
        for run_id, run in self.content.runs.items():
            label = json.dumps([run.name, run.job_id])
            traces = [each for each in self.traces if each.run_id == run_id]
            number = self.before.names.get(label)
            if number is None:
                number = claim_run(self.lake, run.name, run.job_id, traces, self.commits)
            else:  # theirs, also if another import took a place in it
                new = [each for each in traces if claimed[each.id] not in self.commits]
                take_places(self.lake, number, new)
            found[run_id] = self.sent.names[label] = number
        return found

    def _send(self, writer: Writer, trace: TraceRow) -> None:
        new, run_id = writer.trace_ids[trace.id], writer.run_ids[trace.run_id]
        state = f"{trace.state} {run_id}"
        self.sent.traces[new] = state
        committed, before = self.commits.get(new), self.before.traces.get(new)
        if committed is not None and state in (before, committed.state):
            return
        if committed is not None and before is None and committed.origin != self.origin:
            return  # another warehouse or an import was first
        files = writer.trace(trace.id, self.content.counts[trace.id])
        commit = TraceCommit(
            new, run_id, trace.key, trace.name, trace.rank, trace.kind, self.origin, state, files
        )
        commit_trace(self.lake, commit, committed)
        self.commits[new] = commit
        self.done.n_written += 1
        self.done.n_bytes += sum(file.bytes for file in files)

    def _send_run(self, writer: Writer, run_id: int, new: int) -> None:
        traces = tuple(sorted(
            writer.trace_ids[each.id] for each in self.traces if each.run_id == run_id
        ))  # fmt: skip
        state = self.content.run_state(run_id, [new, *traces])
        self.sent.runs[new] = state
        before = self.lake.run_commit(new, self.origin)
        if before is not None and before.state == state:
            return
        files = writer.run(run_id, self.content.run_counts(run_id))
        commit = RunCommit(new, self.origin, self.content.runs[run_id].name, state, traces, files)
        path = self.lake.run_commit_path(new, self.origin)
        self.lake.storage.replace(path, layout.text_of(commit))
        self._replace_links(new, traces)
        self.done.n_bytes += sum(file.bytes for file in files)

    def _replace_links(self, run_id: int, traces: tuple[int, ...]) -> None:
        """Removes what `tw lake link` made of a run all of whose traces this warehouse has."""
        linked = self.lake.run_commit(run_id, LINK)
        if linked is not None and set(linked.traces) <= set(traces):
            self.lake.storage.remove(self.lake.run_commit_path(run_id, LINK))

    def _remove(self) -> None:
        """Removes what this warehouse sent and no longer has, unless another warehouse has it."""
        gone = {
            number for number, commit in self.commits.items()
            if (number in self.before.traces or commit.origin == self.origin)
            and number not in self.sent.traces
        }  # fmt: skip
        if gone:  # first: a warehouse that adds itself meanwhile then writes it again
            self.lake.storage.replace(self._path, self.sent.content)
            kept = {
                number for origin in origins(self.lake) if origin != self.origin
                for number in (read_sent(self.lake, origin) or Sent("")).traces
            }  # fmt: skip
            for number in sorted(gone - kept):
                if self.commits[number].origin != IMPORT:
                    self._remove_trace(self.commits.pop(number))
        for run in self.lake.run_commits():
            if run.origin == self.origin and run.run_id not in self.sent.runs:
                self.lake.storage.remove(self.lake.run_commit_path(run.run_id, run.origin))
                self.lake.remove_files(run.files)

    def _remove_trace(self, commit: TraceCommit) -> None:
        self.lake.storage.remove(self.lake.trace_commit_path(commit.trace_id))
        claims.release(self.lake, "trace", commit.key)
        leave_place(self.lake, commit)
        self.lake.remove_files(file for file in commit.files if not file.is_shared)
        self.done.n_removed += 1


def commit_trace(lake: Lake, commit: TraceCommit, before: TraceCommit | None) -> bool:
    """Makes a trace visible; returns whether it was, or another process was faster.

    With `before`, its commit is replaced.
    """
    path = lake.trace_commit_path(commit.trace_id)
    if before is not None:
        lake.storage.replace(path, layout.text_of(commit))
        return True
    if lake.storage.create(path, layout.text_of(commit)):
        return True
    lake.remove_files(commit.files)
    return False


def origin_of(name: str) -> str:
    """The name of a warehouse's files in a lake."""
    return hashlib.sha256(os.fsencode(name)).hexdigest()[:12]


def sent_path(origin: str) -> str:
    return f"_origin/{origin}.json"


def origins(lake: Lake) -> list[str]:
    """The warehouses that have synced to a lake."""
    names = lake.storage.names("_origin")
    return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))


def read_sent(lake: Lake, origin: str) -> Sent | None:
    """Reads the record of what a warehouse has sent; None if it has sent nothing yet."""
    path = sent_path(origin)
    with layout.reading(lake.name):
        content = lake.storage.read(path)
    if content is None:
        return None
    try:
        values: dict[str, Any] = json.loads(content)
        return Sent(
            values["name"],
            {int(number): state for number, state in values["traces"].items()},
            {int(number): state for number, state in values["runs"].items()},
            {str(name): int(number) for name, number in values["names"].items()},
        )
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise InvalidDatabase(
            f"{lake.full(path)} is damaged: it does not say what a warehouse has sent",
            hint="Remove it, and sync the warehouse again.",
        ) from error
