"""Damaged inputs of every importer break no rule, and the driver finds those that would."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.fuzz import engine, finds, readers, supervise
from tests.fuzz.engine import Result
from tests.fuzz.family import Family, Files, families
from tests.fuzz.finds import Find, Mode
from tests.fuzz.limits import MAX_BYTES, Violation, limited
from tests.support.sharing import slow
from warehouse.errors import CorruptTrace, TraceError, TwError, UnexpectedFailure
from warehouse.ingest import formats

FEW = 12  # inputs of each family that all tests try
SLOW_S = {"reader": 9.0, "import": 7.0}  # of each family: five minutes for all
CORPUS = [(family, name) for family in families() for name, _ in finds.corpus(family)]


def unbroken(result: Result, n_expected: int) -> None:
    assert result.n_done >= n_expected
    assert [(find.what, find.text, find.files) for find in result.finds.values()] == []


def test_every_installed_importer_has_a_family() -> None:
    installed = {each.name for each in formats.formats()}
    assert {each.importer for each in families().values()} - {None} == installed


@pytest.mark.parametrize("name", families())
def test_damaged_inputs_end_in_records_or_one_sentence(name: str, tmp_path: Path) -> None:
    family = families()[name]
    for files in family.seeds():
        assert readers.run(family, files, tmp_path) != "refused"
    unbroken(engine.run(family, "reader", 1, range(FEW), tmp_path), FEW)


@pytest.mark.integration
@pytest.mark.parametrize(
    "name", [slow(name) if n % 8 else name for n, name in enumerate(families())]
)
def test_imports_of_damaged_inputs_land_wholly_or_not_at_all(name: str, tmp_path: Path) -> None:
    unbroken(engine.run(families()[name], "import", 1, range(1), tmp_path), 1)


@pytest.mark.parametrize("name", families())
def test_finds_of_before_break_nothing(name: str, tmp_path: Path) -> None:
    family, result = families()[name], Result()
    for _, files in finds.corpus(name):
        engine.execute(family, "reader", [files], tmp_path, result)
    unbroken(result, 0)


@pytest.mark.integration
@pytest.mark.parametrize("name", sorted({family for family, _ in CORPUS}))
def test_finds_of_before_are_imported_or_refused(name: str, tmp_path: Path) -> None:
    result = Result()
    inputs = [files for _, files in finds.corpus(name)]
    for first in range(0, len(inputs), engine.TOGETHER):
        some = inputs[first : first + engine.TOGETHER]
        engine.execute(families()[name], "import", some, tmp_path, result)
    unbroken(result, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", families())
def test_very_many_damaged_inputs_break_no_rule(name: str) -> None:
    modes: tuple[Mode, ...] = ("reader", "import")
    for mode in modes:
        until = time.monotonic() + SLOW_S[mode]
        unbroken(supervise.run(families()[name], mode, 100, 1 << 40, until)[0], 1)


# --- the driver itself


def test_inputs_depend_on_seed_and_number_alone() -> None:
    family = families()["rocpd"]
    some = [engine.input_of(family, 3, "reader", number) for number in (5, 6, 7)]
    assert [engine.input_of(family, 3, "reader", number) for number in (7, 6, 5)] == some[::-1]
    assert engine.input_of(family, 4, "reader", 5) != some[0]


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Family]:
    """A family whose inputs break a rule where they contain NaN, and end the process with Inf."""

    def ends(family: Family, mode: Mode, inputs: Sequence[Files], folder: Path) -> list[str]:
        texts = [b"".join(files.values()) for files in inputs]
        if any(b"NaN" in text for text in texts):
            raise ValueError("planted defect 17")
        if any(b"Infinity" in text for text in texts):
            os._exit(3)
        return ["read"] * len(texts)

    monkeypatch.setattr(engine, "ends", ends)
    yield Family("planted", None, "json", lambda: [{"t.json": b'{"a": [1, 2, {"b": "c"}]}'}])


def test_a_defect_is_found_once_and_minimised(broken: Family, tmp_path: Path) -> None:
    result = Result()
    for text in (b"[1, 2, NaN, {}]", b"[NaN]", b"[1]"):
        engine.execute(broken, "reader", [{"t.json": text}], tmp_path, result)

    (find,) = result.finds.values()
    assert find.files == {"t.json": b"NaN"}
    assert (dict(result.n_broken), dict(result.ends)) == ({find.what: 2}, {"read": 1})


def test_of_inputs_imported_together_the_broken_one_is_found(
    broken: Family, tmp_path: Path
) -> None:
    result, texts = Result(), (b"[1]", b"[NaN]", b"[2]")
    engine.execute(broken, "import", [{"t.json": text} for text in texts], tmp_path, result)

    assert [find.files for find in result.finds.values()] == [{"t.json": b"NaN"}]


@pytest.mark.integration
def test_a_process_that_ends_is_found_and_the_others_go_on(broken: Family) -> None:
    result, _ = supervise.run(broken, "reader", 1, 400, time.monotonic() + 60)

    crashes = [find for find in result.finds.values() if find.what == "process ended with code 3"]
    assert [b"Infinity" in find.files["t.json"] for find in crashes] == [True]
    assert result.n_done == 400


def test_what_takes_too_long_or_warns_is_a_violation() -> None:
    with pytest.raises(Violation, match="processor time"), limited(0.05):
        while True:
            pass
    with pytest.raises(Violation, match="SyntaxWarning"), limited(5):
        compile("1or 2", "text", "eval")
    with limited(5):
        pass


@pytest.mark.slow
def test_too_much_memory_is_a_violation() -> None:
    with pytest.raises(Violation, match="memory"), limited(20):
        bytearray(random.Random(1).randbytes(1)) * (MAX_BYTES + (1 << 20))


@pytest.mark.slow
def test_memory_that_was_in_use_before_does_not_count() -> None:
    held = bytearray(random.Random(1).randbytes(1)) * (MAX_BYTES - (1 << 20))
    with limited(20):
        bytearray(held[:1]) * (64 << 20)


def test_finds_are_stored_and_loaded_as_they_are(tmp_path: Path) -> None:
    files = {"a/b.json": b"[NaN]", "large.bin": bytes(5000)}
    folder = finds.store(Find("planted", "reader", files, "ValueError: x", "x"), tmp_path)

    assert finds.load(folder) == files
    assert finds.load(folder / "a" / "b.json") == {"b.json": b"[NaN]"}


@pytest.mark.parametrize(
    "error", [UnexpectedFailure("x.json: KeyError"), TwError("out of memory"), TraceError("a\nb")]
)
def test_an_error_that_is_not_one_sentence_about_the_input_is_a_violation(error: TwError) -> None:
    readers.check_error(CorruptTrace("x.json is truncated", offset=5))
    with pytest.raises(Violation):
        readers.check_error(error)
