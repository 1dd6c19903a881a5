"""CREATE PERFETTO MACRO: expands `name!(…)`, token by token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from warehouse.dialect.errors import at_offset
from warehouse.dialect.parse import Statement, tokenize

_MOST_ROUNDS = 32


@dataclass(frozen=True)
class _Macro:
    parameters: tuple[str, ...]
    body: str


class Macros:
    """The macros of a script."""

    def __init__(self) -> None:
        self._known: dict[str, _Macro] = {}

    def define(self, statement: Statement) -> None:
        """CREATE PERFETTO MACRO name(parameter Type, …) RETURNS Type AS body"""
        words = statement.words(len(statement.tokens))
        at = words.index("MACRO") + 1
        if "AS" not in words[at:] or words[at + 1 : at + 2] != ["("]:
            raise at_offset(statement.source, statement.start, "a macro requires (…) RETURNS … AS")
        close = words.index(")", at)
        parameters = [words[i].lower() for i in range(at + 2, close) if words[i - 1] in ("(", ",")]
        begin = statement.tokens[words.index("AS", at) + 1].start
        body = statement.source[begin : statement.end]
        self._known[statement.tokens[at].text.lower()] = _Macro(tuple(parameters), body)

    def expand(self, statement: Statement) -> Statement:
        """Returns the statement with all macro calls expanded."""
        if "!" not in statement.text or statement.words(3)[-1:] == ["MACRO"]:
            return statement
        text, found = statement.text, True
        for _ in range(_MOST_ROUNDS):
            text, found = self._once(text, statement)
            if not found:
                break
        else:
            raise at_offset(statement.source, statement.start, "a macro calls itself")
        tokens = tokenize(text)
        return Statement(text, tokens[0].start, tokens[-1].end + 1, tuple(tokens))

    def _once(self, text: str, statement: Statement) -> tuple[str, bool]:
        tokens = tokenize(text)
        for i in range(len(tokens) - 2):
            if tokens[i + 1].text == "!" and tokens[i + 2].text == "(":
                macro = self._known.get(tokens[i].text.lower())
                if macro is None:
                    raise at_offset(
                        statement.source, statement.start, f"no such macro: {tokens[i].text}"
                    )
                arguments, end = _arguments(text, tokens, i + 2)
                if len(arguments) != len(macro.parameters):
                    raise at_offset(
                        statement.source,
                        statement.start,
                        f"the macro {tokens[i].text} takes {len(macro.parameters)} arguments",
                    )
                given = dict(zip(macro.parameters, arguments, strict=True))
                return text[: tokens[i].start] + _filled(macro.body, given) + text[end:], True
        return text, False


def _arguments(text: str, tokens: list[Any], opening: int) -> tuple[list[str], int]:
    """Returns the arguments of a call, and the position of its end."""
    depth, begin, arguments = 0, tokens[opening].end + 1, list[str]()
    for token in tokens[opening:]:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if (token.text == "," and depth == 1) or depth == 0:
            piece = text[begin : token.start].strip()
            if piece or arguments or token.text == ",":
                arguments.append(piece)
            begin = token.end + 1
        if depth == 0:
            return arguments, token.end + 1
    return arguments, len(text)


def _filled(body: str, given: dict[str, str]) -> str:
    """Returns the body with `$name` replaced by arguments."""
    out, at, tokens = [], 0, tokenize(body)
    for i, token in enumerate(tokens):
        own = token.text.lstrip("$").lower()
        if token.text.startswith("$") and len(token.text) > 1 and own in given:
            start, end = token.start, token.end + 1
        elif i and tokens[i - 1].text == "$" and own in given:
            start, end = tokens[i - 1].start, token.end + 1
        else:
            continue
        out.append(body[at:start] + given[own])
        at = end
    return "".join(out) + body[at:]
