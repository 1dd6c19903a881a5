"""Splits TSDL, the language of CTF 1.8 metadata, into tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warehouse.errors import CorruptTrace

_TOKEN = re.compile(
    r"""(?P<blank>(?:\s+|/\*.*?\*/|//[^\n]*)+)
    |(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)
    |(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+[uUlL]*)
    |"(?P<text>(?:[^"\\]|\\.)*)"
    |'(?P<character>(?:[^'\\]|\\.)+)'
    |(?P<mark>\.\.\.|:=|->|[-+{}()\[\]<>;,=:.*])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # word, number, text, mark or end
    text: str
    offset: int

    @property
    def number(self) -> int:
        digits = self.text.rstrip("uUlL")
        if digits[:2] in ("0x", "0X"):
            return int(digits, 16)
        is_octal = digits[0] == "0" and digits.strip("01234567") == ""
        return int(digits, 8) if is_octal and len(digits) > 1 else int(digits)


def tokens(text: str) -> list[Token]:
    """Returns all tokens, and one of kind `end`."""
    found, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise CorruptTrace(
                f"the metadata has {text[position : position + 12]!r} where a word is expected",
                offset=position,
            )
        kind = match.lastgroup or ""
        if kind in ("text", "character"):
            kind, value = "text", _ESCAPE.sub(_escaped, match[kind])
            found.append(Token(kind, value, position))
        elif kind != "blank":
            found.append(Token(kind, match[kind], position))
        position = match.end()
    return [*found, Token("end", "", len(text))]


def _escaped(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    return chr(int(code, 8) & 255) if code[0] in "01234567" else _PLAIN.get(code, code)
