"""Cuts a stream of Trace Event JSON into the texts of its events; gives them no meaning.

The file is either an object with a `traceEvents` array (metadata before or after it) or a bare
array, as the Trace Event Format describes them:
https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
Other documents that are one long array with something around it are cut by the same code, under
another key and with another decoder.

Memory is bounded by the block size: a block is cut at the last place that provably lies between
two events, and the rest is carried into the next block. "Provably" means that everything before
the cut parses as a JSON array; no separator layout is trusted, because writers differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

from tw_importers.trace_event.repair import Repairer
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader

BLOCK_BYTES = 2 << 20  # small enough for the processor's caches; 4 and 8 MiB were slower
MAX_EVENT_BYTES = 64 << 20  # one event, or the metadata before the events, may not be larger
# Candidates may lie inside strings or nested objects; each further try steps back twice as far.
_CUT_TRIES = 16
_STEP_BACK = 1 << 10
# A string, an opening quote without its end, or a bracket: enough to follow the nesting.
_STRUCTURE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\]]', re.DOTALL)
_OPENING = re.compile(rb'\s*(\{\s*"[^"\\]{0,40}")')
_ARRAY = re.compile(rb"\s*:\s*(\[|\Z)")
_JSON_LINES = re.compile(rb"\s*\{.*\}[ \r]*\n\s*\{")  # an object, and one in the next line
BLANK = b" \t\r\n"
_NO_VALUE = msgspec.Raw(b"")


class Event(msgspec.Struct, gc=False):
    """The three values of an event whose text must survive to the last digit."""

    args: msgspec.Raw = _NO_VALUE
    ts: msgspec.Raw = _NO_VALUE
    dur: msgspec.Raw = _NO_VALUE


_RAWS = msgspec.json.Decoder(list[msgspec.Raw])
_EVENTS = msgspec.json.Decoder(list[Event])


@dataclass
class Chunk:
    """The events of one block: whole texts, and the verbatim `args`, `ts` and `dur` of each."""

    texts: list[msgspec.Raw]
    events: list[Event]

    def __len__(self) -> int:
        return len(self.texts)


C = TypeVar("C", bound=Sized)


@dataclass
class Splitter(Generic[C]):
    """Iterates over the chunks of one document; afterwards `metadata` is the rest of it.

    `decode` makes a chunk of a JSON array; it raises msgspec.DecodeError for other texts.
    """

    reader: ByteReader
    repairer: Repairer
    decode: Callable[[memoryview | bytes], C]
    key: bytes = b"traceEvents"  # of the array; what encloses it is the metadata
    may_be_bare: bool = True  # the document may be the array itself
    metadata: bytes = b""
    offset: int = 0  # of the first byte not yet handed out, in the decompressed stream
    _head: bytes = field(default=b"", repr=False)
    _eof: bool = False

    def __iter__(self) -> Iterator[C]:
        buffer = self._find_events()
        while True:
            closed, chunk, rest = self._cut(buffer)
            if len(chunk):
                yield chunk
            if closed:
                self._finish(rest)
                return
            if self._eof and not len(chunk):
                self._truncated(rest)
                return
            buffer = bytearray(b"[") + rest + self._read()

    def _read(self) -> bytes:
        block = self.reader.read(BLOCK_BYTES)
        self._eof = not block
        return block

    def _find_events(self) -> bytearray:
        """Reads up to the events; returns them behind an opening bracket."""
        head, search = bytearray(), HeadSearch(self.key)
        while True:
            head += self._read()
            start = len(head) - len(head.lstrip(b"\xef\xbb\xbf" + BLANK))
            if self.may_be_bare and head[start : start + 1] == b"[":
                self.offset = start + 1
                return head[start:]
            end = search.go_on(head)
            is_over = self._eof or len(head) > MAX_EVENT_BYTES
            if end is None and is_over:
                end = search.guess(head)
            if end is not None:
                self._head = bytes(head[start:end])
                self.offset = end
                return bytearray(b"[") + head[end:]
            if is_over:
                raise CorruptTrace(
                    f"{self.key.decode()} array not found", offset=0, hint=_why_no_events(head)
                )

    def _cut(self, buffer: bytearray) -> tuple[bool, C, bytes]:
        """Splits off the events that are complete: (array closed, events, the bytes after them).

        `buffer` begins with the bracket we put there; the event texts start at its byte 1.
        """
        if not is_utf8(buffer):
            return self._salvage(buffer)
        end = len(buffer)
        for n_tries in range(_CUT_TRIES):
            comma = likely_cut(buffer, end) if n_tries < _CUT_TRIES // 2 else -1
            if comma < 0:
                comma = last_separator(buffer, end)
            if comma < 0:
                break
            buffer[comma] = 0x5D  # "]" closes what lies before the cut
            try:
                return (
                    False,
                    self.decode(memoryview(buffer)[: comma + 1]),
                    self._after(buffer, comma),
                )
            except msgspec.DecodeError as error:
                closing = trailing_position(error)
                if closing is not None and closing <= comma:
                    chunk = self._try_decode(buffer, closing)
                    buffer[comma] = 0x2C
                    if chunk is None:
                        return self._salvage(buffer)
                    return True, chunk, self._after(buffer, closing - 1)
                buffer[comma] = 0x2C
            except RecursionError:
                buffer[comma] = 0x2C
                break
            end = max(0, comma - (_STEP_BACK << n_tries >> 1)) if n_tries else comma
        return self._cut_last(buffer)

    def _cut_last(self, buffer: bytearray) -> tuple[bool, C, bytes]:
        """Tries the buffer whole: the last events of a file end with the array, not a comma."""
        try:
            return True, self.decode(memoryview(buffer)), self._after(buffer, len(buffer) - 1)
        except msgspec.DecodeError as error:
            closing = trailing_position(error)
            chunk = self._try_decode(buffer, closing)
            if closing is not None and chunk is not None:
                return True, chunk, self._after(buffer, closing - 1)
        except RecursionError:
            pass
        if not self._eof and last_separator(buffer, len(buffer)) < 0:
            if len(buffer) > MAX_EVENT_BYTES:
                raise CorruptTrace(
                    f"one event is larger than {MAX_EVENT_BYTES >> 20} MiB", offset=self.offset
                )
            rest = bytes(buffer[1:])
            kept = rest.lstrip(BLANK)
            self.offset += len(rest) - len(kept)
            return False, self.decode(b"[]"), kept
        return self._salvage(buffer)

    def _try_decode(self, buffer: bytearray | bytes, end: int | None) -> C | None:
        """The chunk of the array that ends before `end`; None if an entry is not an event."""
        if end is None:
            return None
        try:
            return self.decode(memoryview(buffer)[:end])
        except (msgspec.DecodeError, RecursionError):
            return None

    def _salvage(self, buffer: bytearray) -> tuple[bool, C, bytes]:
        """The slow path, for damaged blocks only: event by event, repairing and counting."""
        found = self.repairer.events(bytes(buffer[1:]), self.offset, last=self._eof)
        if not found.consumed and not found.closed and len(buffer) > MAX_EVENT_BYTES:
            raise CorruptTrace(
                f"no event ends within {MAX_EVENT_BYTES >> 20} MiB", offset=self.offset
            )
        array = b"[" + b",".join(found.texts) + b"]"
        chunk = self._try_decode(array, len(array))
        if chunk is None:
            chunk = self._decode_valid(found.texts)
        return found.closed, chunk, self._after(buffer, found.consumed)

    def _decode_valid(self, texts: list[bytes]) -> C:
        """The chunk of the texts that are events; objects that `decode` rejects are reported."""
        valid = []
        for text in texts:
            array = b"[" + text + b"]"
            if self._try_decode(array, len(array)) is None:
                self.repairer.report("unreadable_event", self.offset, text)
            else:
                valid.append(text)
        return self.decode(b"[" + b",".join(valid) + b"]")

    def _after(self, buffer: bytearray, last: int) -> bytes:
        """The bytes after position `last`; moves `offset` there."""
        self.offset += last
        return bytes(memoryview(buffer)[last + 1 :])

    def _finish(self, rest: bytes) -> None:
        """Reads what follows the array: more metadata, or nothing."""
        tail = bytearray(rest)
        while not self._eof:
            tail += self._read()
            if len(tail) > MAX_EVENT_BYTES:
                raise CorruptTrace("the metadata after the events is too large", offset=self.offset)
        text = bytes(tail).lstrip(BLANK)
        self.offset += len(tail) - len(text)
        self.metadata = self._head + b"]" + text if self._head else b""
        if self._head:
            self._report_more_arrays(text)
        elif text := text.rstrip(BLANK):
            self.repairer.report("trailing_text", self.offset, text)

    def _report_more_arrays(self, text: bytes) -> None:
        """Reports what is in arrays of the same key in the rest of the object."""
        search = HeadSearch(self.key, depth=1)
        while (start := search.go_on(text)) is not None:
            array = text[start - 1 :]
            n_entries = _n_entries(array)
            if n_entries:
                self.repairer.report("second_array", self.offset + start - 1, array, n_entries)

    def _truncated(self, rest: bytes) -> None:
        """The file ended inside the array; a bare array may legally do so after an event."""
        if rest.strip(BLANK + b",]"):
            self.repairer.report("truncated", self.offset, rest)
        elif self._head:
            self.repairer.report("unclosed", self.offset, rest)
        self.metadata = self._head + b"]}" if self._head else b""


@dataclass
class HeadSearch:
    """Finds the events of an object: the array of its own key `key`, not one deeper down."""

    key: bytes = b"traceEvents"
    at: int = 0  # all before this was looked at
    depth: int = 0

    def go_on(self, head: bytearray | bytes) -> int | None:
        """The offset of the first event, after the bracket; None if `head` ends before it."""
        quoted = b'"%b"' % self.key
        if quoted not in head:
            return None  # most files that are not traces are refused before this
        while token := _STRUCTURE.search(head, self.at):
            text = token.group()
            if text == b'"':
                return None
            if text == quoted and self.depth == 1:
                array = _ARRAY.match(head, token.end())
                if array or not head[token.end() :].strip(BLANK):
                    return self._enter(array)
            self.depth += text in b"{["
            self.depth -= text in b"}]"
            self.at = token.end()
        return None

    def _enter(self, array: re.Match[bytes] | None) -> int | None:
        """The offset after the bracket, from which the next search goes on."""
        if array is None or not array.group(1):
            return None
        self.at, self.depth = array.end(), self.depth + 1
        return self.at

    def guess(self, head: bytearray) -> int | None:
        """The likely offset of the first event, if the head is too damaged to parse."""
        found = re.search(rb'"%b"\s*:\s*\[' % self.key, head)
        return found.end() if found else None


def _why_no_events(head: bytearray) -> str:
    if _JSON_LINES.match(head):
        return "It may be JSON Lines: put the lines into one array, as by `jq -s . FILE`."
    return "The file may not be a trace."


def is_utf8(buffer: bytearray) -> bool:
    """Whether the text is UTF-8, apart from a character the block's end may have cut."""
    if buffer.isascii():
        return True
    try:
        buffer.decode()
    except UnicodeDecodeError as error:
        return error.end == len(buffer) and error.reason == "unexpected end of data"
    return True


def likely_cut(buffer: bytearray, end: int) -> int:
    """The last separator before `end` whose event begins with the key the first one begins with.

    That leaves out most objects inside events. -1 where there is none near enough to the end.
    """
    opening = _OPENING.match(buffer, 1)
    comma = last_separator(buffer, end, opening.group(1)) if opening else -1
    return comma if comma > end // 2 else -1


def last_separator(buffer: bytearray, end: int, opening: bytes = b"{") -> int:
    """The comma of the last `} , {` before `end`, or -1. It may still lie inside a string."""
    at = end
    while (at := buffer.rfind(opening, 0, at)) > 0:
        comma = skip_blank_back(buffer, at - 1)
        if buffer[comma] == 0x2C and buffer[skip_blank_back(buffer, comma - 1)] == 0x7D:
            return comma
    return -1


def skip_blank_back(buffer: bytearray, at: int) -> int:
    while at > 0 and buffer[at] in BLANK:
        at -= 1
    return at


def decode(array: memoryview | bytes) -> Chunk:
    """Parses a JSON array of events without building a Python object for anything in them."""
    return Chunk(_RAWS.decode(array), _EVENTS.decode(array))


def _n_entries(array: bytes) -> int:
    """How many entries the array has with which the text begins; 1 if it does not parse."""
    try:
        return len(_RAWS.decode(array))
    except (msgspec.DecodeError, RecursionError) as error:
        end = trailing_position(error) if isinstance(error, msgspec.DecodeError) else None
        return 1 if end is None else len(_RAWS.decode(array[:end]))


def trailing_position(error: msgspec.DecodeError) -> int | None:
    """The end of the array, if the error is that text follows it."""
    found = re.search(r"trailing characters \(byte (\d+)\)", str(error))
    return int(found.group(1)) - 1 if found else None  # the parser counts from one
