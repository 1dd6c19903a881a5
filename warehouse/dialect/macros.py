"""CREATE PERFETTO MACRO: expands `name!(…)`, token by token."""

from __future__ import annotations

from collections.abc import Callable
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
        self._provided: dict[str, Callable[[list[str]], str]] = {}

    def provide(self, name: str, expansion: Callable[[list[str]], str]) -> None:
        """Adds a macro of a module, by the text that it expands its arguments to.

        `expansion` raises ValueError if there are too few or too many.
        """
        self._provided[name] = expansion

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
                arguments, end = _arguments(text, tokens, i + 2)
                expanded = self._expansion(tokens[i].text, arguments, statement)
                return text[: tokens[i].start] + expanded + text[end:], True
        return text, False

    def _expansion(self, own: str, arguments: list[str], statement: Statement) -> str:
        macro = self._known.get(own.lower())
        provided = self._provided.get(own.lower())
        if macro is None and provided is not None:
            try:
                return provided(arguments)
            except ValueError as error:
                raise at_offset(statement.source, statement.start, f"{own}: {error}") from None
        if macro is None:
            raise at_offset(
                statement.source,
                statement.start,
                f"no such macro: {own}",
                "Include its module, or create it with CREATE PERFETTO MACRO.",
            )
        if len(arguments) != len(macro.parameters):
            raise at_offset(
                statement.source,
                statement.start,
                f"the macro {own} takes {len(macro.parameters)} arguments",
            )
        return _filled(macro.body, dict(zip(macro.parameters, arguments, strict=True)))


def items(text: str) -> list[str]:
    """Returns the items of a list in parentheses."""
    return _arguments(text, tokenize(text), 0)[0]


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
