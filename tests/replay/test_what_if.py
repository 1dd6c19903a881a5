"""What-ifs as text."""

from __future__ import annotations

import pytest

from warehouse.replay.what_if import WhatIf, parse

VALUES = (
    "1e9", "*Conv2D*", "0+1,2", "", " a", "a ", "a b", "it's", '"', "a\\b", "f(x)", "a = b", "é",
    "a\nb", "[[]param|cuda]",
)  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_what_if_is_written_as_it_is_read(value: str) -> None:
    what_if = WhatIf("groups", {"groups": value, "rank": "1"})

    assert parse(str(what_if)) == what_if


def test_values_have_quotes_only_where_they_need_them() -> None:
    plain, listed = (WhatIf("scale", {"name": value}) for value in ("*Conv2D*", "a,b"))

    assert (str(plain), str(listed)) == ("scale(name = *Conv2D*)", 'scale(name = "a,b")')
