"""Calls in the text of a query, found beside comments and texts."""

from __future__ import annotations

import random

import pytest

from warehouse.library import tokens

PINS = {"busy": "busy@3"}
PIECES = (
    "busy(", "Busy (", "busy", "busy -- ( \n(", "busy/* a */ + x /* b */ (", "s.busy(",
    "s. /* . */ busy(", "-- end.\n", "-- x; \n", "/* busy( */", ";", "'busy('", "e'\\'busy('",
    '"busy"(', "$$busy($n)$$", "$t$ $n $t$", "$n", "$n::BIGINT", "(", ")", ".", ",", " ", "\n", "'",
    '"', "/*", "*/", "--", "$",
)  # fmt: skip


def token_by_token(sql: str) -> str:
    """The body of a macro, by the tokens around each token."""
    found = tokens.split(sql)
    aside = ("comment", "space")
    while found and found[0].kind in aside:
        del found[0]
    while found and (found[-1].kind in aside or found[-1].text == ";"):
        del found[-1]
    body = ""
    for at, (kind, text) in enumerate(found):
        before = [each.text for each in found[:at] if each.kind not in aside]
        after = [each.text for each in found[at + 1 :] if each.kind not in aside]
        if kind == "parameter":
            body += f"p_{text[1:]}"
        elif (
            kind == "word" and text.lower() in PINS and after[:1] == ["("] and before[-1:] != ["."]
        ):
            body += f'"{PINS[text.lower()]}"'
        else:
            body += text
    return body


def test_calls_and_parameters_are_those_found_token_by_token() -> None:
    chosen = random.Random(5)
    for _ in range(3000):
        sql = " ".join(chosen.choices(PIECES, k=chosen.randint(1, 9)))
        assert tokens.macro_body(sql, PINS) == token_by_token(sql), sql


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("-- busy.\nFROM busy() -- all;", 'FROM "busy@3"()'),
        ("FROM busy -- ( \n;", "FROM busy"),
        ("/* ; */ FROM s./* c */busy($n); ;", "FROM s./* c */busy($n)"),
    ],
)
def test_comments_around_a_statement_are_left_out(sql: str, expected: str) -> None:
    assert tokens.pinned(sql, PINS) == expected
