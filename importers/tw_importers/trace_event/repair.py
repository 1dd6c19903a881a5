"""Saves what can be saved of damaged Trace Event JSON, event by event, and counts every repair.

Only blocks that fail to parse come here, so this may be slow and is: it is a tokenizer in Python.
Known defects of real writers are repaired in place (`REPAIRS`); an event that still does not parse
is given up, with its place, and the scan goes on at the next text that looks like an event.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

# A whole string, an opening quote with no end, or a bracket: enough to follow the nesting.
_STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*"|"|[{}\[\]]', re.DOTALL)
# Where an event plausibly starts after damage; only ever used to give up as little as possible.
_LIKELY_EVENT = re.compile(
    rb'\}\s*,\s*(?=\{\s*"(?:ph|name|cat|pid|tid|ts|dur|id|args)"\s*:)', re.DOTALL
)
# The texts a repair may touch: strings are matched first, so nothing inside them is mistaken.
_TOKEN = re.compile(
    rb'"(?:[^"\\]|\\.)*"'
    rb"|[+-]?(?:NaN|nan|Infinity|inf)\b"
    rb"|,(?=\s*[}\]])"
    rb"|[+-]?\d[\d.eE+-]*",
    re.DOTALL,
)
_CONTROL = re.compile(r"[\x00-\x1f]")
_SURROGATE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
_BAD_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_NUMBER = re.compile(rb"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\Z")
_LONG_EVENT = 1 << 20  # past this, an event that does not end is damage rather than large

#: kind of problem -> what the user is told
REPAIRS = {
    "invalid_utf8": "bytes that are not UTF-8 became U+FFFD",
    "lone_surrogate": "half a surrogate pair became U+FFFD",
    "control_character": "raw control characters in strings were escaped",
    "bad_escape": "backslashes that escape nothing were doubled",
    "non_finite_number": "NaN or Infinity became null",
    "bad_number": "numbers no JSON parser takes were rewritten",
    "trailing_comma": "commas before a closing bracket were dropped",
    "not_an_event": "entries of the array that are no objects were left out",
    "unreadable_event": "events that do not parse were left out",
    "metadata": "what surrounds the events does not parse and was not used",
    "truncated": "the file ends inside its events; every complete one was kept",
}


@dataclass
class Problem:
    """One kind of defect: how often, where first, and an example."""

    kind: str
    count: int = 0
    offset: int = 0  # of the first, in bytes of the decompressed file
    example: str = ""


@dataclass
class Salvaged:
    """What a damaged block held: event texts, bytes used, and whether the array ended in it."""

    texts: list[bytes] = field(default_factory=list)
    consumed: int = 0
    closed: bool = False


@dataclass
class Repairer:
    """Repairs events and remembers what it did, in `problems` by kind.

    `on_problem`, when given, is called at the first sign of damage instead (strict reading).
    """

    on_problem: Callable[[Problem], None] | None = None
    problems: dict[str, Problem] = field(default_factory=dict)

    def report(self, kind: str, offset: int, text: bytes, count: int = 1) -> None:
        """Counts `count` defects of a kind; the first gives the place and the example."""
        example = text[:200].decode("utf-8", "replace").strip()
        found = self.problems.setdefault(kind, Problem(kind, 0, offset, example))
        found.count += count
        if self.on_problem is not None:
            self.on_problem(found)

    def events(self, data: bytes, offset: int, *, last: bool) -> Salvaged:
        """Finds the events in `data`, which starts at byte `offset` of the array's content."""
        found = Salvaged()
        at = 0
        while True:
            start = _skip_separators(data, at)
            found.consumed = start if last else min(start, len(data))
            if start >= len(data):
                return found
            if data[start] == 0x5D:
                found.consumed, found.closed = start + 1, True
                return found
            end = _value_end(data, start)
            if end < 0 or (text := self._event(data[start:end], offset + start)) is None:
                at = self._resume(data, start, end, offset, last=last)
                if at < 0:
                    found.consumed = start
                    return found
                continue
            if text:
                found.texts.append(text)
            found.consumed = at = end

    def _event(self, text: bytes, offset: int) -> bytes | None:
        """The event's text in valid JSON; b'' for what is no event, None for what is beyond help."""
        if not text.startswith(b"{"):
            self.report("not_an_event", offset, text)
            return b""
        if _parses(text):
            return text
        repaired, kinds = repair(text)
        if not _parses(repaired):
            return None
        for kind, count in kinds.items():
            self.report(kind, offset, text, count)
        return repaired

    def _resume(self, data: bytes, start: int, end: int, offset: int, *, last: bool) -> int:
        """Where to go on behind an unreadable event, or -1 when more bytes are needed first."""
        if end < 0 and not last and len(data) - start < _LONG_EVENT:
            return -1
        likely = _LIKELY_EVENT.search(data, start + 1)
        if likely is None and end < 0:
            return -1
        at = likely.end() if likely and (end < 0 or likely.end() < end) else end
        self.report("unreadable_event", offset + start, data[start:at])
        return at


def _skip_separators(data: bytes, at: int) -> int:
    while at < len(data) and data[at] in b" \t\r\n,":
        at += 1
    return at


def _value_end(data: bytes, start: int) -> int:
    """The end of the JSON value at `start`, or -1 if it does not end in `data`."""
    if data[start] not in b'{["':
        scalar = re.compile(rb"[^\s,\]}]+[\s,\]}]").match(data, start)
        return scalar.end() - 1 if scalar else (start + 1 if data[start] in b"}" else -1)
    depth = 0
    for token in _STRUCTURE.finditer(data, start):
        first = data[token.start()]
        if first == 0x22:
            if token.end() - token.start() == 1:
                return -1
        elif first in b"{[":
            depth += 1
        else:
            depth -= 1
        if depth <= 0:
            return token.end()
    return -1


def _parses(text: bytes) -> bool:
    try:
        text.decode()
        msgspec.json.decode(text, type=msgspec.Raw)
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
        return False
    return True


def repair(text: bytes) -> tuple[bytes, dict[str, int]]:
    """Mends the known defects of one event's text; returns it with the count of each kind."""
    kinds: dict[str, int] = {}

    def count(kind: str, n: int = 1) -> None:
        kinds[kind] = kinds.get(kind, 0) + n

    def mend(token: re.Match[bytes]) -> bytes:
        found = token.group()
        if found.startswith(b'"'):
            return _mend_string(found.decode(), count)
        if found == b",":
            count("trailing_comma")
            return b""
        if found[-1:].isalpha():
            count("non_finite_number")
            return b"null"
        return _mend_number(found, count)

    try:
        text.decode()
    except UnicodeDecodeError:
        clean = text.decode("utf-8", "replace")
        count("invalid_utf8", max(1, clean.count("\ufffd") - text.count(b"\xef\xbf\xbd")))
        text = clean.encode()
    return _TOKEN.sub(mend, text), kinds


def _mend_string(text: str, count: Callable[[str, int], None]) -> bytes:
    def escape(char: re.Match[str]) -> str:
        count("control_character", 1)
        return f"\\u{ord(char.group()):04x}"

    def pair(found: re.Match[str]) -> str:
        if len(found.group()) == 12:
            return found.group()
        count("lone_surrogate", 1)
        return "\\ufffd"

    def double(found: re.Match[str]) -> str:
        if len(found.group()) > 1:
            return found.group()
        count("bad_escape", 1)
        return "\\\\"

    body = _BAD_ESCAPE.sub(double, text[1:-1])
    return f'"{_SURROGATE.sub(pair, _CONTROL.sub(escape, body))}"'.encode()


def _mend_number(text: bytes, count: Callable[[str, int], None]) -> bytes:
    """Rewrites `+1`, `007`, `.5` and `1.` as JSON has them; leaves every valid number alone."""
    if _NUMBER.match(text):
        return text
    plain = re.match(rb"([+-]?)0*(\d*)(?:\.(\d*))?((?:[eE][+-]?\d+)?)\Z", text)
    if plain is None:
        return text
    count("bad_number", 1)
    sign, whole, fraction, exponent = plain.groups()
    decimals = b"." + fraction if fraction else b""
    return sign.replace(b"+", b"") + (whole or b"0") + decimals + exponent
