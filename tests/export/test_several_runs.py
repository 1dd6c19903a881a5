"""Exports of several runs into one file, and of slices by name."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.predicted_trial import predicted_trial
from tests.support.sharing import BuildCache, WarehouseCache


@pytest.fixture(scope="module")
def db(shared_place: Path, imported_files: WarehouseCache, kept_builds: BuildCache | None) -> Path:
    return predicted_trial(shared_place, imported_files, kept_builds)


def slices(path: Path) -> list[dict[str, Any]]:
    return [event for event in json.loads(path.read_text()) if event["ph"] in "XB"]


Arrow = tuple[str, tuple[Any, ...], tuple[Any, ...]]  # kind, and (pid, tid, ns) of both ends
SLICES = """
SELECT
  s.id, t.rank, r.name || '/' || t.name, p.source_pid, h.source_tid, s.ts, s.dur,
  s.ts + t.base_ns + c.offset_ns, min(t.base_ns + c.offset_ns) OVER ()
FROM slice AS s
JOIN trace AS t ON t.id = s.trace_id
JOIN run AS r ON r.id = t.run_id
JOIN clock AS c ON c.id = t.clock_id
JOIN track AS k ON k.id = s.track_id
JOIN process AS p ON p.id = k.process_id
JOIN thread AS h ON h.id = k.thread_id
"""


def arrows_between(path: Path) -> Counter[Arrow]:
    """The arrows of a file that connect processes of different traces."""
    starts: dict[int, Any] = {}
    found: Counter[Arrow] = Counter()
    for event in json.loads(path.read_text()):
        if event["ph"] not in "sf":
            continue
        end = (event["pid"], event["tid"], round(event["ts"] * 1000))
        if event["ph"] == "s":
            assert starts.setdefault(event["id"], (event["name"], end)) == (event["name"], end)
            continue
        assert event["bp"] == "e"
        name, start = starts.pop(event["id"])
        assert event["name"] == name
        found[name, start, end] += start[0].rpartition(" ")[0] != end[0].rpartition(" ")[0]
    assert not starts
    return +found


def links_between(db: Path, ranks: tuple[int, ...], begin: int, end: int) -> Counter[Arrow]:
    """The links between traces with both slices in the window, as arrows."""
    with duckdb.connect(str(db), read_only=True) as connection:
        rows = connection.sql(SLICES).fetchall()
        links = connection.sql(
            "SELECT kind, from_id, to_id FROM link WHERE trace_id IS NULL"
        ).fetchall()
    places = {
        key: ((f"{label} {json.loads(pid)}", json.loads(tid)), shared - first, dur)
        for key, rank, label, pid, tid, ts, dur, shared, first in rows
        if rank in ranks and ts < end and (ts >= begin or ts + dur > begin)
    }
    found: Counter[Arrow] = Counter()
    for kind, source, target in links:
        if source in places and target in places:
            (out, out_ns, _), (into, in_ns, dur) = places[source], places[target]
            # in a slice that began before, the arrow ends where it starts, if that is inside
            in_ns = max(in_ns, min(out_ns, in_ns + max(dur - 1, 0)))
            found[kind, (*out, out_ns), (*into, in_ns)] += 1
    return found


@pytest.mark.slow
def test_a_file_holds_the_traces_of_several_runs(tw: Tw, db: Path, tmp_path: Path) -> None:
    """Each process belongs to one trace, and times begin with the first event of all."""
    target = tmp_path / "both.json"

    assert tw("export", "chrome", "--db", db, "--run", "all", "-o", target).code == 0

    found = slices(target)
    with duckdb.connect(str(db), read_only=True) as connection:
        rows = connection.sql(
            "SELECT r.name || '/' || t.name, count(*) FROM slice AS s "
            "JOIN trace AS t ON t.id = s.trace_id JOIN run AS r ON r.id = t.run_id GROUP BY ALL"
        ).fetchall()
    assert Counter(each["pid"].rpartition(" ")[0] for each in found) == dict(rows)
    assert min(each["ts"] for each in found) == 0
    assert tw("verify", "--db", db, target).code == 0


@pytest.mark.integration
@pytest.mark.parametrize(
    ("ranks", "window"),
    [((0, 1), (0, 10_000_000)), ((0, 1), (2_000_000, 4_000_000)), ((1,), (0, 10_000_000))],
    ids=["all", "window", "rank"],
)
def test_links_between_traces_are_arrows(
    tw: Tw, db: Path, tmp_path: Path, ranks: tuple[int, ...], window: tuple[int, int]
) -> None:
    """Both ends are slices of the file, in its processes and at its times."""
    target = tmp_path / "between.json"
    options = [each for rank in ranks for each in ("--rank", rank)]
    begin, end = (f"{each}ns" for each in window)

    arguments = (*options, "--from", begin, "--to", end, "-o", target)
    result = tw("export", "chrome", "--db", db, "--run", "all", *arguments)

    assert result.code == 0
    expected = links_between(db, ranks, *window)
    assert arrows_between(target) == expected
    assert bool(expected) == (len(ranks) > 1)
    assert f"{len(json.loads(target.read_text())):,} events" in result.err


@pytest.mark.parametrize("suffix", ["json", pytest.param("pftrace", marks=pytest.mark.slow)])
def test_only_slices_of_a_name_are_written(tw: Tw, db: Path, tmp_path: Path, suffix: str) -> None:
    """Two steps of two ranks have as many."""
    target, command = tmp_path / f"named.{suffix}", "chrome" if suffix == "json" else "perfetto"
    arguments = (command, "--db", db, "--run", "trial", "--run", "same", "-o", target)

    result = tw("export", *arguments, "--name", "*/MatMul", "--name", "*update_0*")

    assert result.code == 0
    if suffix == "json":
        names = Counter(each["name"] for each in slices(target))
        assert set(names.values()) == {8}
        assert all(name.endswith("/MatMul") or "update_0" in name for name in names)
    else:
        assert "24 slices" in result.err
    assert tw("verify", "--db", db, target).code == 0


def test_a_name_that_no_slice_has_is_one_sentence(tw: Tw, db: Path, tmp_path: Path) -> None:
    arguments = ("--db", db, "--run", "all", "-o", tmp_path / "n.json", "--name", "nope")

    result = tw("export", "chrome", *arguments)

    assert result.errors == ["Error: no slice has a name like nope"]
