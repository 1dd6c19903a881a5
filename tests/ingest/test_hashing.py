"""The SHA-256 of the only source of an import is computed while it is decoded."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from warehouse.errors import TraceError
from warehouse.ingest.hashing import SourceSha256
from warehouse.ingest.pipeline import Options, import_paths
from warehouse.ingest.sources import Source
from warehouse.store import database

DATA = Path(__file__).parent.parent / "data" / "kineto"
TRACE = DATA / "gpu_handwritten" / "trace.json"


def test_it_is_that_of_the_file() -> None:
    expected = hashlib.sha256(TRACE.read_bytes()).hexdigest()
    found = SourceSha256(Source(TRACE))

    assert (len(found), found[0], list(found)) == (1, expected, [expected])
    assert found.__reduce__() == (tuple, ((expected,),))  # what other processes get


def test_a_file_that_cannot_be_read_is_an_error_where_it_is_used(tmp_path: Path) -> None:
    found = SourceSha256(Source(tmp_path / "none.json"))

    with pytest.raises(TraceError, match=r"none\.json cannot be read"):
        found[0]


def test_closing_ends_the_thread() -> None:
    class Endless(Source):
        def sha256(self, on_chunk: Callable[[], object] = lambda: None) -> tuple[str, ...]:
            while True:
                on_chunk()

    before = threading.active_count()
    found = SourceSha256(Endless(TRACE))
    assert threading.active_count() == before + 1
    found.close()

    assert threading.active_count() == before


@pytest.mark.parametrize("is_equal", [False, True])
def test_only_a_source_of_a_size_that_is_stored_is_read_before_it_is_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_equal: bool
) -> None:
    db, other = tmp_path / "w.duckdb", tmp_path / "other.json"
    text = TRACE.read_text()
    other.write_text(text.replace('"pid"', '"pid"' if is_equal else ' "pid"', 1))
    import_paths([TRACE], db=db)
    computed: list[str] = []

    class Noted(SourceSha256):
        def __init__(self, source: Source) -> None:
            computed.append(source.label)
            super().__init__(source)

    monkeypatch.setattr("warehouse.ingest.pipeline.SourceSha256", Noted)

    (outcome,) = import_paths([other], db=db)

    assert outcome.status == ("present" if is_equal else "imported")
    assert len(computed) == (0 if is_equal else 1)
    with database.Reader(db) as reader:
        stored = reader.connection.execute("SELECT sha256 FROM source_file ORDER BY id").fetchall()
    files = [TRACE] if is_equal else [TRACE, other]
    assert stored == [(hashlib.sha256(file.read_bytes()).hexdigest(),) for file in files]


def test_a_duplicate_of_unknown_size_is_found_before_it_is_stored(tmp_path: Path) -> None:
    db = tmp_path / "w.duckdb"
    import_paths([TRACE], db=db)
    with database.writer(db) as connection:
        connection.execute("UPDATE source_file SET n_bytes = 1")

    (skipped,) = import_paths([TRACE], db=db)
    (refused,) = import_paths([TRACE], db=db, options=Options(on_duplicate="error"))

    assert (skipped.status, refused.status) == ("present", "failed")
    assert str(refused.error) == f"{TRACE} has already been imported"
    with database.Reader(db) as reader:
        assert database.one(reader.connection, "SELECT count(*) FROM trace") == (1,)
