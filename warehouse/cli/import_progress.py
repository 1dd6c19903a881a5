"""Progress bar and per-source summary of `tw import`, on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from warehouse.cli.emit import echo_sentence
from warehouse.ingest.pipeline import Outcome, Progress
from warehouse.wording import counted


class Bar(Progress):
    """Shows a progress bar of stored bytes on a terminal, and a line per source."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: Any = None
        self._started = time.perf_counter()

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def start(self, n_sources: int, n_bytes: int) -> None:
        if self._quiet or not n_sources or not sys.stderr.isatty():
            return
        from tqdm import tqdm

        self._bar = tqdm(
            total=n_bytes, unit="B", unit_scale=True, delay=0.5, leave=False, desc="importing"
        )

    def advance(self, n_bytes: int) -> None:
        if self._bar is not None:
            self._bar.update(n_bytes)

    def outcome(self, outcome: Outcome) -> None:
        if outcome.source.stands_for and not self._quiet:
            self._say(f"{outcome.source.stands_for} is part of the capture {outcome.source.label}.")
        seconds = outcome.seconds or time.perf_counter() - self._started
        self._started = time.perf_counter()
        if outcome.status == "failed":
            self._say(f"Error: {outcome.error and outcome.error.message}")
            if outcome.error and outcome.error.hint:
                self._say(f"Hint: {outcome.error.hint}")
        elif outcome.status == "present" and not self._quiet:
            self._say(f"{outcome.error and outcome.error.message}; nothing to do.")
        elif outcome.status == "imported" and not self._quiet:
            self._say(summary(outcome, seconds))
            if outcome.committed and outcome.committed.summary:
                self._say(f"{outcome.committed.summary}.")
        if warning := warning_of(outcome):
            self._say(warning)

    def _say(self, line: str) -> None:
        if self._bar is not None:
            self._bar.clear()
        echo_sentence(line)


def warning_of(outcome: Outcome) -> str | None:
    """The warning about a source that is damaged, or has no events; None for any other."""
    label, done = outcome.source.label, outcome.committed
    n_events = None if done is None else done.counts["events"]
    if outcome.damage:
        read = "" if n_events is None else f"{counted(n_events, 'event')} read; "
        return f"WARNING: {label} is damaged: {read}{outcome.damage}"
    if n_events == 0 and not (done and done.counts.get("nodes")):
        return f"WARNING: {label} has no events"
    return None


def summary(outcome: Outcome, seconds: float) -> str:
    """Formats one line: events read, rows stored, unused records with reasons, time and rate."""
    done = outcome.committed
    assert done is not None
    counts = done.counts
    made = ", ".join(
        counted(counts[key], *words)
        for key, *words in (("slices", "slice"), ("counter_values", "counter value"),
                            ("flow_points", "flow point"), ("links", "link"), ("nodes", "node"),
                            ("edges", "dependency", "dependencies"), ("tensors", "tensor"))
        if counts.get(key) or (key in ("slices", "links") and "nodes" not in counts)
    )  # fmt: skip
    parts = [
        f"{outcome.source.label} → run {done.run_name}: {counted(counts['events'], 'event')}",
        made,
    ]
    if done.unused:
        parts.append(f"unused: {_listed(done.unused)}")
    if done.problems:
        parts.append(f"problems: {_listed(done.problems)}")
    parts.append(_speed(outcome.n_content_bytes, seconds))
    return "; ".join(parts)


def _listed(counts: Mapping[str, int]) -> str:
    """The counts behind their names, which are right for one and for many."""
    return ", ".join(f"{name} ({n:,})" for name, n in sorted(counts.items()))


def _speed(n_bytes: int, seconds: float) -> str:
    """Time, and the rate of files whose size determines it."""
    rate = f", {n_bytes / 1e6 / max(seconds, 1e-9):.0f} MB/s" if n_bytes >= 1_000_000 else ""
    return f"{seconds:.2f} s{rate}"
