"""Saves what can be saved of damaged Trace Event JSON, event by event, and counts every repair.

Only blocks that fail to parse come here, so this may be slow and is: it is a tokenizer in Python.
Known defects of real writers are repaired in place (`REPAIRS`); an event that still does not parse
is given up, with its place, and the scan goes on at the next text that looks like an event.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

import msgspec

from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import Problem, Severity

# A whole string, an opening quote with no end, a bracket, or a comma before an object: enough to
# follow the nesting.
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_STRUCTURE = re.compile(_STRING + rb'|["{}\[\]]|,\s*+(?=\{)', re.DOTALL)
# Where an event plausibly starts after damage; only ever used to give up as little as possible.
_LIKELY_EVENT = re.compile(
    rb'\}\s*,\s*(?=\{\s*"(?:ph|name|cat|pid|tid|ts|dur|id|args)"\s*:)', re.DOTALL
)
# The texts a repair may touch: strings are matched first, so nothing inside them is mistaken.
_TOKEN = re.compile(
    _STRING
    + rb"|:\s*+(?:[+-]?\d+,\d+(?:[eE][+-]?\d+)?|0[xX][0-9a-fA-F]+|\(nil\)|[A-Za-z_]\w*+)(?=\s*[,}])"
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
LONG_EVENT = 16 << 20  # past this, an event that does not end is damage rather than large
# After such damage, an event that goes on past so many likely events does not end either: without
# a limit every scan would run to the end of the data.
_LIKELY_INSIDE = 16
_SEPARATORS = re.compile(rb"[\s,]*")
# A string with quotes in it that no backslash precedes: it ends at the first quote with which the
# object or the array can go on. If a key is inside, it did not end where it should have.
_VALUE = re.compile(
    rb'"(?:[^"\\]++|\\.|"(?!\s*(?:[}:]|,\s*' + _STRING + rb'\s*:)))*+"(?!\s*:)', re.DOTALL
)
_ITEM = re.compile(
    rb'"(?:[^"\\]++|\\.|"(?!\s*(?:[\]:]|,\s*(?:["{\[\d-]|true|false|null))))*+"(?!\s*:)',
    re.DOTALL,
)
_KEY = re.compile(_STRING + rb"\s*+:\s*+", re.DOTALL)
_QUOTE = re.compile(rb'\\.|"', re.DOTALL)
_MARK = re.compile(rb'["{}\[\]]')
_AFTER_EVENT = re.compile(rb"\s*(?:[,\]]|\Z)")
# An event with such strings is looked for no farther than this, and not past so many others.
_QUOTED_EVENT = 64 << 10
_QUOTED_INSIDE = 4
_VAIN_TRIES = 64  # after so many in a row without such strings, the damage is another
_SCALAR = re.compile(rb"[^\s,\]}]+(?=[\s,\]}])")

#: kind of problem -> its meaning for the user
REPAIRS = {
    "invalid_utf8": "bytes that are not UTF-8 became U+FFFD",
    "lone_surrogate": "half a surrogate pair became U+FFFD",
    "control_character": "raw control characters in strings were escaped",
    "bad_escape": "backslashes that escape nothing were doubled",
    "non_finite_number": "NaN or Infinity became null",
    "bad_number": "invalid JSON numbers were rewritten",
    "decimal_comma": "decimal commas in numbers became points",
    "unquoted_text": "addresses and words without quotes became strings",
    "unescaped_quote": "quotes inside strings were escaped",
    "trailing_comma": "commas before a closing bracket were dropped",
    "null_entry": "null entries of the array of events were skipped",
    "not_an_event": "array entries that are not objects were skipped",
    "unreadable_event": "events that do not parse were skipped",
    "metadata": "the document around the events does not parse and was skipped",
    "trailing_text": "content after the array of events was skipped",
    "second_array": "events of a second array of events were skipped",
    "unclosed": "the array of events is not closed; every event was kept",
    "truncated": "the file ends inside its events; every complete one was kept",
}

#: Kinds by which content was lost; the others repair it.
LOSSES = {
    "not_an_event",
    "unreadable_event",
    "metadata",
    "second_array",
    "trailing_text",
    "truncated",
}


@dataclass
class Damage:
    """Defects of one kind: their number, the place of the first, and an example."""

    kind: str
    count: int = 0
    offset: int = 0  # of the first, in bytes of the decompressed file
    example: str = ""

    @property
    def severity(self) -> Severity:
        return "error" if self.kind in LOSSES else "warning"

    def meaning(self, records: str = "events") -> str:
        """What was repaired or lost; `records` is the format's word for its events."""
        return REPAIRS[self.kind].replace("events", records)

    def problem(self, records: str = "events") -> Problem:
        """The problem of the import."""
        return Problem(
            self.kind, self.meaning(records), self.count, self.offset, self.example, self.severity
        )

    def refuse(self, records: str = "events") -> NoReturn:
        """Raises CorruptTrace, for strict reading."""
        raise CorruptTrace(
            f"{self.meaning(records)} at byte {self.offset}",
            hint="Import it without --strict to repair what can be repaired.",
            offset=self.offset,
        )


@dataclass
class RepairedBlock:
    """The content of a damaged block: event texts, bytes used, and whether the array ends in it."""

    texts: list[bytes] = field(default_factory=list)
    consumed: int = 0
    closed: bool = False


@dataclass
class Repairer:
    """Repairs events, and counts repairs in `problems` by kind.

    `on_problem`, if given, is called at the first defect instead (strict reading). `likely` matches
    what separates two events, up to the second.
    """

    on_problem: Callable[[Damage], object] | None = None
    likely: re.Pattern[bytes] = _LIKELY_EVENT
    problems: dict[str, Damage] = field(default_factory=dict)
    is_adrift: bool = False  # an event was found that does not end
    _n_vain: int = 0  # events in a row that did not have quotes in strings

    def report(self, kind: str, offset: int, text: bytes, count: int = 1) -> None:
        """Counts `count` defects of a kind; the first gives the place and the example."""
        example = text[:200].decode("utf-8", "replace").strip()
        found = self.problems.setdefault(kind, Damage(kind, 0, offset, example))
        found.count += count
        if self.on_problem is not None:
            self.on_problem(found)

    def events(self, data: bytes, offset: int, *, last: bool) -> RepairedBlock:
        """Finds the events in `data`, which starts at byte `offset` of the array's content."""
        found = RepairedBlock()
        at = 0
        while True:
            start = _skip_separators(data, at)
            found.consumed = start
            if start >= len(data):
                return found
            if data[start] == 0x5D:
                found.consumed, found.closed = start + 1, True
                return found
            reach = self._reach(data, start)
            end, next_start = _value_end(data, start, reach)
            text = None if end < 0 else self._event(data[start:end], offset + start)
            if text is None:
                text, end = self._quoted_event(data, start, offset, end)
            if end < 0 and next_start < 0 and reach == len(data) and not last:
                return found  # it may end in the bytes to come
            if text is None:
                end = next_start if next_start > 0 else self._resume(data, start, end)
                if end < 0:
                    return found
                self.report("unreadable_event", offset + start, data[start:end])
            elif text:
                found.texts.append(text)
            at = end

    def _event(self, text: bytes, offset: int) -> bytes | None:
        """The event in valid JSON; b'' if it is not an event, None if it cannot be repaired."""
        if not text.startswith(b"{"):
            self.report("null_entry" if text == b"null" else "not_an_event", offset, text)
            return b""
        if _parses(text):
            return text
        repaired, kinds = repair(text)
        if not _parses(repaired):
            return None
        for kind, count in kinds.items():
            self.report(kind, offset, text, count)
        return repaired

    def _quoted_event(
        self, data: bytes, start: int, offset: int, end: int
    ) -> tuple[bytes | None, int]:
        """The event with the quotes inside its strings escaped, and its end; or None, and `end`."""
        if self._n_vain == _VAIN_TRIES or data[start] != 0x7B:
            return None, end
        self._n_vain += 1
        limit = min(len(data), start + _QUOTED_EVENT)
        likely = itertools.islice(self.likely.finditer(data, start, limit), _QUOTED_INSIDE, None)
        found = next(likely, None)
        text, n_quotes, quoted_end = _escape_quotes(data, start, found.end() if found else limit)
        is_whole = n_quotes and _AFTER_EVENT.match(data, quoted_end)
        if not is_whole or self.likely.search(data, start, quoted_end):
            return None, end  # a string that does not end, rather than one with quotes in it
        repaired, kinds = repair(text)
        if not _parses(repaired):
            return None, end
        self._n_vain = 0
        for kind, count in {"unescaped_quote": n_quotes, **kinds}.items():
            self.report(kind, offset + start, data[start:quoted_end], count)
        return repaired, quoted_end

    def _reach(self, data: bytes, start: int) -> int:
        """The plausible end of an event that starts here."""
        if not self.is_adrift:
            return min(len(data), start + LONG_EVENT)
        likely = itertools.islice(self.likely.finditer(data, start), _LIKELY_INSIDE - 1, None)
        found = next(likely, None)
        return found.end() if found else len(data)

    def _resume(self, data: bytes, start: int, end: int) -> int:
        """The offset of the next event after an unreadable one; -1 if none is recognised."""
        likely = self.likely.search(data, start + 1)
        self.is_adrift |= end < 0
        if likely is None:
            return end
        return likely.end() if end < 0 else min(end, likely.end())


def _skip_separators(data: bytes, at: int) -> int:
    found = _SEPARATORS.match(data, at)
    return found.end() if found else at


def _value_end(data: bytes, start: int, reach: int) -> tuple[int, int]:
    """The end of the JSON value at `start`, or -1 if it does not end before `reach`.

    Then the second number is where another event begins for sure, or -1: an object where only a
    key can stand means that the brackets before it were damaged.
    """
    if data[start] not in b'{["':
        scalar = _SCALAR.match(data, start)
        return (scalar.end() if scalar else start + 1 if data[start] == 0x7D else -1), -1
    stack = bytearray()
    for token in _STRUCTURE.finditer(data, start, reach):
        first = data[token.start()]
        if first == 0x2C:
            if stack[-1] == 0x7B:
                return -1, token.end()
        elif first == 0x22:
            if token.end() - token.start() == 1:
                return -1, -1
        elif first in b"{[":
            stack.append(first)
        else:
            stack.pop()
        if not stack:
            return token.end(), -1
    return -1, -1


def _escape_quotes(data: bytes, start: int, limit: int) -> tuple[bytes, int, int]:
    """The object at `start` with quotes inside of strings escaped, their number, and its end.

    Their number is 0 if the object does not end before `limit`.
    """
    parts, stack, at, n_quotes = [], bytearray(), start, 0
    while mark := _MARK.search(data, at, limit):
        parts.append(data[at : mark.start()])
        at = mark.start()
        if data[at] == 0x22:
            text, at, n_inside = _quoted_string(data, at, limit, in_array=stack[-1:] == b"[")
            if not text:
                return b"", 0, at
            parts.append(text)
            n_quotes += n_inside
            continue
        parts.append(mark.group())
        at += 1
        if mark.group() in b"{[":
            stack += mark.group()
            continue
        if not stack or stack.pop() != {0x7D: 0x7B, 0x5D: 0x5B}[data[at - 1]]:
            return b"", 0, at
        if not stack:
            return b"".join(parts), n_quotes, at
    return b"", 0, at


def _quoted_string(data: bytes, at: int, limit: int, *, in_array: bool) -> tuple[bytes, int, int]:
    """The string at `at`, its key before it, with the quotes inside escaped; its end; their number.

    It is empty if there is none that ends before `limit`.
    """
    key = None if in_array else _KEY.match(data, at, limit)
    begin = key.end() if key else at
    if key and data[begin : begin + 1] != b'"':
        return key.group(), begin, 0
    string = (_ITEM if in_array else _VALUE).match(data, begin, limit)
    if string is None:
        return b"", at, 0
    n_quotes = 0

    def escape(found: re.Match[bytes]) -> bytes:
        nonlocal n_quotes
        n_quotes += found.group() == b'"'
        return found.group() if len(found.group()) > 1 else b'\\"'

    inside = _QUOTE.sub(escape, string.group()[1:-1])
    return data[at:begin] + b'"' + inside + b'"', string.end(), n_quotes


def _parses(text: bytes) -> bool:
    try:
        text.decode()
        msgspec.json.decode(b"[" + text + b"]", type=list[dict[str, msgspec.Raw]])
    except (UnicodeDecodeError, msgspec.DecodeError, RecursionError):
        return False
    return True


def repair(text: bytes) -> tuple[bytes, dict[str, int]]:
    """Repairs the known defects in the text of an event; returns it with the count of each kind."""
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
        if found.startswith(b":"):
            return b":" + _mend_value(found[1:].strip(), count)
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


def _mend_value(text: bytes, count: Callable[[str, int], None]) -> bytes:
    """Rewrites the value of a key: 1,5 as 1.5, 0x1f and words as strings; leaves words of JSON."""
    if b"," in text:
        count("decimal_comma", 1)
        return text.replace(b",", b".")
    if text.lower() in (b"nan", b"inf", b"infinity"):
        count("non_finite_number", 1)
        return b"null"
    if any(word.startswith(text) for word in (b"true", b"false", b"null")):  # whole, or cut
        return text
    count("unquoted_text", 1)
    return b'"' + text + b'"'


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
