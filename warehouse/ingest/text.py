"""Decodes text files in UTF-16, as PowerShell writes them, so that importers read UTF-8."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import PurePath

from warehouse.ingest.importer import ByteReader, Problem
from warehouse.ingest.streams import TraceStream

_HEAD_BYTES = 4
# A byte order mark and a character of ASCII, or two such characters, of which the first begins JSON
# or a word: no binary format that is read here begins so.
_UTF16 = {
    "utf-16": re.compile(rb"\xff\xfe[\t-~]\0|\xfe\xff\0[\t-~]"),
    "utf-16-le": re.compile(rb'[{["A-Za-z]\0[\t-~]\0'),
    "utf-16-be": re.compile(rb'\0[{["A-Za-z]\0[\t-~]'),
}
_TEXTS = frozenset({".csv", ".json", ".txt"})
_REPLACED = "\N{REPLACEMENT CHARACTER}"


def is_text(name: str) -> bool:
    """Whether a file of a capture is a text by its name; others may begin with any bytes."""
    return not _TEXTS.isdisjoint(suffix.lower() for suffix in PurePath(name).suffixes)


def utf8(stream: TraceStream) -> ByteReader:
    """The content in UTF-8 if it is UTF-16; else the stream itself."""
    head = stream.peek(_HEAD_BYTES)
    for name, pattern in _UTF16.items():
        if pattern.match(head):
            return _Decoded(stream, codecs.getincrementaldecoder(name)("replace"))
    return stream


@dataclass
class _Decoded:
    """Reads UTF-16 as UTF-8; invalid characters become U+FFFD and are reported at the end."""

    stream: TraceStream
    _decoder: codecs.IncrementalDecoder
    _waiting: bytes = b""
    _n_replaced: int = 0
    _ended: bool = False

    def read(self, size: int, /) -> bytes:
        while not self._waiting and not self._ended:
            self._decode(self.stream.read(size))
        given, self._waiting = self._waiting[:size], self._waiting[size:]
        return given

    def _decode(self, block: bytes) -> None:
        text = self._decoder.decode(block, final=not block)
        self._waiting = text.encode()
        if block:
            self._n_replaced += text.count(_REPLACED)
        else:
            self._ended = True
            self._report(is_cut=bool(text))

    def _report(self, *, is_cut: bool) -> None:
        problems = self.stream.problems
        problems.append(Problem("utf16", "the text is UTF-16; it was decoded", 1, severity="note"))
        if self._n_replaced:
            meaning = "characters that are not UTF-16 became U+FFFD"
            problems.append(Problem("invalid_utf16", meaning, self._n_replaced))
        if is_cut:
            at, meaning = self.stream.n_content_bytes, "the file ends inside a character"
            problems.append(Problem("truncated", meaning, 1, at, severity="error"))
