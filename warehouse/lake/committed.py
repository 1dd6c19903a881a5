"""The commits of a lake, or of some of its traces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from warehouse.lake import layout
from warehouse.lake.layout import Lake, RunCommit, TraceCommit


@dataclass(frozen=True)
class Committed:
    """Some traces of a lake and their runs."""

    traces: Mapping[int, TraceCommit]
    runs: Sequence[RunCommit]

    @classmethod
    def read(cls, lake: Lake) -> Committed:
        """All that is committed now."""
        traces = lake.trace_commits()
        return cls(traces, layout.current(lake.run_commits(), traces))

    def of(self, trace_ids: Iterable[int]) -> Committed:
        """The commits of some of these traces. Raises KeyError for any other trace."""
        traces = {trace_id: self.traces[trace_id] for trace_id in sorted(set(trace_ids))}
        runs = {trace.run_id for trace in traces.values()}
        return Committed(traces, [run for run in self.runs if run.run_id in runs])
