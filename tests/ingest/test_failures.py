"""Whatever an importer raises, the other sources are imported, and the error is one sentence."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.sharing import integration
from warehouse.errors import CorruptTrace, TwError, UnexpectedFailure
from warehouse.ingest import captures, failures, formats, pipeline, together
from warehouse.ingest import commit as committing
from warehouse.ingest import decode as decoding
from warehouse.ingest.importer import Captures, FileImporter
from warehouse.ingest.pipeline import Options, import_paths

GOOD = {"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]}


def write_traces(folder: Path, n: int) -> list[Path]:
    paths = [folder / f"{i}.json" for i in range(n)]
    for i, path in enumerate(paths):
        path.write_text(json.dumps({**GOOD, "number": i}))
    return paths


def failure(error: BaseException) -> Any:
    def work() -> None:
        raise error

    return failures.attempt("a.json", "decoded", work)


@pytest.mark.parametrize(
    "error", [IndexError("x\ny"), KeyError("k"), RecursionError(), ValueError(""),
              duckdb.ConstraintException("Constraint Error: NOT NULL\nmore")],
)  # fmt: skip
def test_an_unforeseen_error_is_one_sentence_with_its_traceback(error: Exception) -> None:
    found = failure(error)

    assert isinstance(found, UnexpectedFailure)
    assert found.message.startswith(f"a.json could not be decoded: {type(error).__name__}: ")
    assert "\n" not in found.message
    assert "please report" in str(found.hint)
    assert "test_failures.py" in found.traceback
    copy = pickle.loads(pickle.dumps(found))  # noqa: S301 - as a worker process returns it
    assert (copy.message, copy.hint, copy.traceback) == (
        found.message, found.hint, found.traceback
    )  # fmt: skip


def test_shortage_is_no_defect_and_an_interrupt_is_raised() -> None:
    for error, hint in (
        (OSError(28, "No space left on device"), None),
        (duckdb.IOException("IO Error: Could not write file"), "Is the disk full?"),
        (MemoryError(), "Raise --memory-limit, or use fewer --jobs."),
    ):
        found = failure(error)
        assert type(found) is TwError
        assert found.hint == hint
    corrupt = CorruptTrace("damaged", offset=3)
    assert failure(corrupt) is corrupt
    for interrupt in (KeyboardInterrupt(), RuntimeError("Query interrupted")):
        with pytest.raises(type(interrupt)):
            failure(interrupt)


def test_an_error_that_follows_an_interrupt_is_the_interrupt() -> None:
    """As of a generator that cannot be closed, because another thread still runs it."""

    def interrupted() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise ValueError("generator already executing")

    with pytest.raises(KeyboardInterrupt):
        failures.attempt("t.json", "decoded", interrupted)


@pytest.mark.integration
def test_the_other_sources_are_imported_and_the_traceback_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, bad, worse, last = write_traces(tmp_path, 4)
    decode, commit = decoding.decode, committing.commit

    def failing_decode(source: Any, *rest: Any, **options: Any) -> Any:
        if source.path == bad:
            raise IndexError("of the reader")
        return decode(source, *rest, **options)

    def failing_commit(decoded: Any, *rest: Any, **options: Any) -> Any:
        if decoded.source.path == worse:
            raise ZeroDivisionError("of the commit")
        return commit(decoded, *rest, **options)

    monkeypatch.setattr(together, "MAX_SOURCES", 1)
    monkeypatch.setattr(decoding, "decode", failing_decode)
    monkeypatch.setattr(pipeline, "commit", failing_commit)
    log = tmp_path / "w.log"
    outcomes = import_paths(
        [first, bad, worse, last], db=tmp_path / "w.duckdb", options=Options(debug_log=log)
    )

    assert [each.status for each in outcomes] == ["imported", "failed", "failed", "imported"]
    for outcome, text in ((outcomes[1], "of the reader"), (outcomes[2], "of the commit")):
        assert text in str(outcome.error)
        assert outcome.error is not None
        assert str(log) in str(outcome.error.hint)
        assert text in log.read_text()
    assert log.read_text().count("Traceback (most recent call last)") == 2


@pytest.mark.parametrize(
    "attribute",
    ["sniff", integration("find")],
)
def test_a_plug_in_that_fails_to_recognise_files_hides_no_other(
    attribute: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Any:
        raise AttributeError("plug-in")

    chrome = formats.by_name("chrome")
    assert isinstance(chrome, FileImporter)
    broken = (
        replace(chrome, name="broken", sniff=fail)
        if attribute == "sniff"
        else replace(chrome, name="broken", captures=Captures(fail, fail))
    )
    importers = [broken, *formats.loadable()]
    monkeypatch.setattr(formats, "loadable", lambda: iter(importers))
    write_traces(tmp_path, 1)

    found = captures.find([str(tmp_path)])

    if attribute == "sniff":
        assert formats.choose(found[0]).name == "chrome"
    else:
        assert "AttributeError: plug-in" in str(found[0].trouble)
        assert [each.file_name for each in found[1:]] == ["0.json"]


def test_entries_that_are_not_objects_end_no_import(tw: Tw, tmp_path: Path) -> None:
    good, *_ = write_traces(tmp_path, 1)
    (tmp_path / "bad.json").write_text('{"traceEvents":[5]}')

    ran = tw("import", tmp_path / "bad.json", good)

    assert (ran.code, len(ran.errors)) == (5, 1)
    assert "bad.json has no events: array entries that are not objects were skipped" in ran.err
    assert "1 event; 1 slice, " in ran.err
    assert "Traceback" not in ran.err
