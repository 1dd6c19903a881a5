"""Reads protobuf's text format: messages as lists of values by the names of their fields.

Format: protobuf.dev/reference/protobuf/textformat-spec. Values stay as they are written, but for
texts, whose quotes and escapes are resolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from warehouse.errors import CorruptTrace

#: Values of a field: texts of numbers and words, bytes of quoted texts, and messages.
Message: TypeAlias = "dict[str, list[str | bytes | Message]]"

_DEEPEST = 64
_BLANK = re.compile(r"(?:\s+|#[^\n]*)*")
_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"|(?P<word>[-+]?[\w.][\w.+\-/]*)|(?P<sign>[{}<>\[\]:,;])",
    re.DOTALL,
)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|[xX][0-9a-fA-F]{1,2}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f",
            b"v": b"\v"}  # fmt: skip
_CLOSING = {"{": "}", "<": ">"}


def fields(content: bytes) -> Iterator[tuple[str, str | bytes | Message]]:
    """The fields of the outermost message, one after the other.

    Raises CorruptTrace, with the offset, for what is not the text of a message.
    """
    reader = _Reader(content)
    while name := reader.name(None):
        for value in reader.values(0):
            yield name, value


class _Reader:
    """A position in the text. Latin-1 makes places of characters those of bytes."""

    def __init__(self, content: bytes) -> None:
        self._text = content.decode("latin-1").removeprefix("\xef\xbb\xbf")
        self._skipped = len(content) - len(self._text)
        self._at = 0

    def name(self, closing: str | None) -> str:
        """The name of the next field; empty at the end of the message."""
        kind, token = self._next()
        while kind == "sign" and token in ",;":
            kind, token = self._next()
        if kind == "word":
            return token
        if token == (closing or "") and (closing or not kind):
            return ""
        raise self._error(f"expected the name of a field, found {token or 'the end'!r}", token)

    def values(self, depth: int) -> Iterator[str | bytes | Message]:
        """The values after the name of a field: one value, or a list."""
        kind, token = self._next()
        if token == ":" and kind == "sign":
            kind, token = self._next()
        if kind != "sign" or token != "[":
            yield self._value(kind, token, depth)
            return
        kind, token = self._next()
        while token != "]" or kind != "sign":
            if token != "," or kind != "sign":
                yield self._value(kind, token, depth)
            kind, token = self._next()

    def _value(self, kind: str, token: str, depth: int) -> str | bytes | Message:
        if kind == "word":
            return token
        if kind == "text":
            return self._joined(token)
        if token in _CLOSING:
            return self._message(_CLOSING[token], depth + 1)
        raise self._error(f"expected a value, found {token or 'the end'!r}", token)

    def _message(self, closing: str, depth: int) -> Message:
        if depth > _DEEPEST:
            raise self._error(f"messages are nested more than {_DEEPEST} deep", "{")
        found: Message = {}
        while name := self.name(closing):
            found.setdefault(name, []).extend(self.values(depth))
        return found

    def _joined(self, token: str) -> bytes:
        """Texts that follow each other are one."""
        parts = [_unquoted(token)]
        while True:
            before = self._at
            kind, token = self._next()
            if kind != "text":
                self._at = before
                return b"".join(parts)
            parts.append(_unquoted(token))

    def _next(self) -> tuple[str, str]:
        """Kind and text of the next token; both are empty at the end."""
        blank = _BLANK.match(self._text, self._at)
        assert blank is not None
        self._at = blank.end()
        if self._at == len(self._text):
            return "", ""
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise self._error(f"{self._text[self._at]!r} begins no value", "")
        self._at = found.end()
        return str(found.lastgroup), found.group()

    def _error(self, why: str, token: str) -> CorruptTrace:
        offset = self._at - len(token) + self._skipped
        line = self._text.count("\n", 0, self._at) + 1
        return CorruptTrace(
            f"invalid GraphDef in line {line}: {why}",
            hint="Write the graph again, with tf.io.write_graph.",
            offset=offset,
        )


def _unquoted(token: str) -> bytes:
    content = token[1:-1].encode("latin-1")
    return _ESCAPE.sub(_unescaped, content) if b"\\" in content else content


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found.group(1)
    if code[:1] in b"01234567":
        return bytes([int(code, 8) & 0xFF])
    if code[:1] in b"xX" and len(code) > 1:
        return bytes([int(code[1:], 16)])
    return _LETTERS.get(code, code)
