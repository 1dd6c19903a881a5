"""Every recording at hand imports, says what it held, and comes back as it was."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from warehouse.export.chrome.trace import export_chrome
from warehouse.ingest import pipeline
from warehouse.query import scope
from warehouse.query.selection import Selection
from warehouse.store import database

OURS = Path(__file__).parents[1] / "data" / "kineto"
DATA = os.environ.get("TW_TEST_DATA")
#: One of PyTorch, and one of another program.
BY_DEFAULT = frozenset(("tf1_timeline",))
INTEGRATED = BY_DEFAULT | {"simple_add_sync"}
#: Of ours, too: of a GPU, of ranks, and of a program without devices.
OURS_INTEGRATED = ("gpu_handwritten", "ddp_two_ranks", "cpu_run")


NOT_RECORDED = ("expected.", "models_expected.", "result_types.")


def recordings() -> list[Any]:
    """Ours always; the large ones where they are, as parameters named by their folder."""
    found = sorted(OURS.rglob("*.json*"))
    ours = [path for path in found if not path.name.startswith(NOT_RECORDED)]
    if not DATA:
        return [*ours, pytest.param(None, id="recordings of others")]
    others = [
        *sorted(Path(DATA).glob("kineto/*/*.json.gz")),
        *sorted(Path(DATA).glob("chakra/*/kineto.json.gz")),
        Path(DATA) / "tf" / "tf1_timeline" / "timeline.json",
        *sorted(Path(DATA).glob("tf/*/plugins/profile/*/*.json.gz")),
        *(
            Path(DATA) / "dpro" / "nccl_ring_2x2" / "host0" / "0" / name
            for name in ("comm.json", "comm_detail.json", "io.json", "trace.json.gz")
        ),
    ]
    return [_case(path) for path in [*ours, *others]]


def _case(path: Path) -> Any:
    """Large files are slow tests, and those of kinds others are of: all together take minutes.

    Of recordings outside the project, all but a few are, too; of ours, some are `integration`.
    """
    is_large = path.stat().st_size > (40_000 if path.suffix == ".gz" else 3_000_000)
    is_other = not path.is_relative_to(OURS) and path.parent.name not in INTEGRATED
    is_another = path.is_relative_to(OURS) and path.parent.name not in OURS_INTEGRATED
    marks = [pytest.mark.slow] if is_large or is_other or is_another else []
    if path.parent.name not in BY_DEFAULT:
        marks.append(pytest.mark.integration)
    return pytest.param(path, id=f"{path.parent.name}/{path.name.split('.')[0]}", marks=marks)


def texts(document: str) -> Any:
    """The document with every number as its text."""
    return json.loads(
        document, parse_float=lambda text: ["number", text], parse_int=lambda t: ["number", t]
    )


def events(document: Any) -> Counter[str]:
    found = document["traceEvents"] if isinstance(document, dict) else document
    return Counter(json.dumps(event, sort_keys=True) for event in found)


def around(document: Any) -> Any:
    if not isinstance(document, dict):
        return None
    return {key: value for key, value in document.items() if key != "traceEvents"}


@pytest.mark.parametrize("path", recordings())
def test_the_chrome_export_gives_back_the_events_of_the_file(
    path: Path | None, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if path is None:
        request.getfixturevalue("data_dir")
    assert path is not None
    if list(path.parent.glob("*.xplane.pb")):  # by itself: beside them it is not read
        path = Path(shutil.copy(path, tmp_path))
    db, out = tmp_path / "t.duckdb", tmp_path / "out.json"

    (outcome,) = pipeline.import_paths([path], db=db)
    with database.Reader(db) as reader:
        scope.apply(reader.connection, scope.resolve(reader.connection, Selection()))
        export_chrome(reader.connection, out)

    raw = path.read_bytes()
    source = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    assert outcome.committed is not None
    assert outcome.committed.problems.keys() <= {"negative_duration", "unfinished_slice"}
    expected, got = texts(source), texts(out.read_text())
    assert events(got) == events(expected)
    assert around(got) == around(expected)
