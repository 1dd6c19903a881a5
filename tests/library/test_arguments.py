"""Values of parameters of statements without a header."""

from __future__ import annotations

import pytest

from warehouse.errors import UsageError
from warehouse.library import library
from warehouse.library.arguments import arguments


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("min_ns", "1.5ms", 1_500_000),
        ("min_ns", "2s", 2_000_000_000),
        ("min_ns", "7", 7),
        ("min_ns", "0.5", 0.5),
        ("min_ns", "null", None),
        ("min_bytes", "1.5KiB", 1536),
        ("name", "1.5ms", "1.5ms"),
        ("n", "1e3", 1000.0),
    ],
)
def test_a_name_that_ends_with_a_unit_takes_units(name: str, text: str, value: object) -> None:
    query = library.from_text(f"SELECT ${name}")
    assert arguments(query, {name: text}) == {name: value}


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(UsageError, match=r"parameter min_ns .* not '1.5x'") as failure:
        arguments(library.from_text("SELECT $min_ns"), {"min_ns": "1.5x"})
    assert failure.value.hint == "Write -p min_ns=1000 or a time such as 1.5ms."
