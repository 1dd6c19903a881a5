"""Walks a rocprofv3 document from front to back and hands out its records; gives them no meaning.

What is an array of objects, under a process or under its `buffer_records` or `callback_records`, is
cut into the texts of its elements some thousands at a time. All else is small and comes whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

import msgspec

from tw_importers.trace_event.repair import Repairer
from tw_importers.trace_event.split import Splitter
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader

_BLOCK = 1 << 20
_MAX_VALUE = 64 << 20  # of a value that is read whole
_NESTED = ("buffer_records", "callback_records")
_KEY = re.compile(rb'\s*,?\s*"((?:[^"\\]|\\.){0,200})"\s*:\s*')
_COMMA = re.compile(rb"[\s,]*")
# A string, a bracket: enough to find where a value ends.
_STRUCTURE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\]]', re.DOTALL)
_SCALAR = re.compile(rb"[^\s,\]}\"{\[]+(?=[\s,\]}])")
_RAWS = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass
class Records:
    """Elements of an array, or a single value that is not an array."""

    process: int  # place of the process in the document
    section: str  # buffer_records.kernel_dispatch, agents, strings, ...
    texts: list[msgspec.Raw]
    is_list: bool = True


class _Elements(Splitter[list[msgspec.Raw]]):
    """Cuts one array, which begins at byte `base`, and leaves what follows it."""

    base: int = 0
    rest: bytes = b""
    is_cut: bool = False

    def _find_events(self) -> bytearray:
        found = super()._find_events()
        self.offset += self.base
        return found

    def _finish(self, rest: bytes) -> None:
        self.rest = rest

    def _truncated(self, rest: bytes) -> None:
        self.is_cut = True


@dataclass
class Walker:
    """The document as an iterator over its records; `is_cut` where it ended too early."""

    reader: ByteReader
    repairer: Repairer
    is_cut: bool = False
    _text: bytes = b""
    offset: int = 0  # of what comes next, in the decompressed file
    _is_over: bool = field(default=False, repr=False)

    def __iter__(self) -> Iterator[Records]:
        """Raises CorruptTrace, with the offset, if the content is not such a document."""
        try:
            if self._skip(rb"(?:\xef\xbb\xbf)?\s*\{") and self._key() == "rocprofiler-sdk-tool":
                self._expect(rb"\[")
                yield from self._processes()
                return
        except _EndOfFile:
            self.is_cut = True
            return
        raise self._corrupt('"rocprofiler-sdk-tool" is not the first key')

    def _processes(self) -> Iterator[Records]:
        n = 0
        while self._skip(rb"[\s,]*\{"):
            while (key := self._key()) is not None:
                if key in _NESTED and self._skip(rb"\{"):
                    while (below := self._key()) is not None:
                        yield from self._value(n, f"{key}.{below}")
                    self._expect(rb"\s*\}")
                else:
                    yield from self._value(n, key)
            self._expect(rb"\s*\}")
            n += 1
        self._expect(rb"\s*\]", "an object of a process")

    def _value(self, process: int, section: str) -> Iterator[Records]:
        if not self._skip(rb"(?=\[\s*\{)"):
            yield Records(process, section, [msgspec.Raw(self._whole(section))], is_list=False)
            return
        elements = _Elements(self, self.repairer, _RAWS.decode)
        elements.base = self.offset
        for texts in elements:
            yield Records(process, section, texts)
        if elements.is_cut:
            raise _EndOfFile
        self.offset = elements.offset
        self._text = elements.rest + self._text

    def read(self, size: int, /) -> bytes:
        """Reads for the splitter of an array: first the bytes read ahead, then the file."""
        given, self._text = self._text[:size], self._text[size:]
        return given or self.reader.read(size)

    def _key(self) -> str | None:
        """The next key of the object we are in; None at its end."""
        self._skip(_COMMA.pattern)
        if self._match(rb"\}"):
            return None
        found = self._match(_KEY.pattern, 4096)
        if found is None:
            self._refuse("expected a key")
        self._drop(found.end())
        return found[1].decode(errors="replace")

    def _whole(self, section: str) -> bytes:
        """The text of the value here."""
        self._match(b"", 4096)
        depth, at = 0, 0
        while True:
            token = _STRUCTURE.search(self._text, at)
            scalar = _SCALAR.match(self._text) if not depth and not at else None
            if scalar:
                return self._take(scalar.end())
            if token is None or token[0] == b'"':
                at = token.start() if token else max(at, len(self._text))
                if not self._more():
                    raise _EndOfFile
                if len(self._text) > _MAX_VALUE:
                    self._refuse(f"{section} is larger than {_MAX_VALUE >> 20} MiB")
                continue
            depth += token[0] in b"{["
            depth -= token[0] in b"}]"
            at = token.end()
            if depth <= 0:
                return self._take(at)

    def _match(self, pattern: bytes, reach: int = 64) -> re.Match[bytes] | None:
        while len(self._text) < reach and self._more():
            pass
        return re.match(pattern, self._text)

    def _skip(self, pattern: bytes) -> bool:
        """Passes over the pattern, where it is next."""
        found = self._match(pattern)
        while found and found.end() == len(self._text) and self._more():
            found = re.match(pattern, self._text)
        if found:
            self._drop(found.end())
        return found is not None

    def _expect(self, pattern: bytes, alternative: str = "") -> None:
        """`alternative` names what else may be next, for the error."""
        if not self._skip(pattern):
            character = f"'{pattern.decode()[-1]}'"
            self._refuse("expected " + " or ".join(filter(None, (alternative, character))))

    def _more(self) -> bool:
        block = b"" if self._is_over else self.reader.read(_BLOCK)
        self._is_over = not block
        self._text += block
        return bool(block)

    def _take(self, n: int) -> bytes:
        taken = self._text[:n]
        self._drop(n)
        return taken

    def _drop(self, n: int) -> None:
        self._text, self.offset = self._text[n:], self.offset + n

    def _refuse(self, what: str) -> NoReturn:
        if not self._text.strip():
            raise _EndOfFile
        raise self._corrupt(what)

    def _corrupt(self, what: str) -> CorruptTrace:
        return CorruptTrace(
            f"{what} at byte {self.offset}",
            hint="This part is damaged or rocprofv3 did not write it. Record it again.",
            offset=self.offset,
        )


class _EndOfFile(Exception):
    """The file ended before the document did."""
