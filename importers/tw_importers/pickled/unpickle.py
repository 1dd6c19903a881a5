"""Reads a pickle as data: dicts, lists, tuples, texts and numbers, and nothing that runs.

A pickle is a program for a stack machine. This one knows only the operations that build plain
values; those that import, call or fill objects are refused with the offset they stand at. It works
on a stream: `Drain` may take the items of a list as they come, and what it took can be forgotten,
so that memory grows with what the pickle may still refer to, not with the file.

Operations: PEP 3154 and the table in the standard library's pickletools.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NoReturn

from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader

_BLOCK = 1 << 18
_STOP = ord(".")
# Operations that most of a dump consists of.
_GET, _PUT_FAR, _MARK, _EMPTY_LIST, _EMPTY_DICT = b"hr(]}"
_NUMBER, _INTEGER, _LONG = b"KJ\x8a"
_CONSTANTS = {ord("N"): None, 0x88: True, 0x89: False}
_MAX_TEXT = 1 << 24  # bytes of one text
_MAX_LINE = 1 << 16
_MAX_NUMBER = 16  # bytes of one integer
_MAX_STACK = 1 << 24  # values waiting to be put into something

#: Takes items that are about to join a list; true if they shall not.
Drain = Callable[[list[Any], list[Any]], bool]

_REFUSED = {
    b"c": "GLOBAL", b"\x93": "STACK_GLOBAL", b"R": "REDUCE", b"b": "BUILD", b"i": "INST",
    b"o": "OBJ", b"\x81": "NEWOBJ", b"\x92": "NEWOBJ_EX", b"\x82": "EXT1", b"\x83": "EXT2",
    b"\x84": "EXT4", b"P": "PERSID", b"Q": "BINPERSID", b"\x97": "NEXT_BUFFER",
}  # fmt: skip


class _Placeholder:
    """Placeholder of a value that was removed; nothing may refer to it any more."""


_PLACEHOLDER = _Placeholder()


class Unpickler:
    """Reads one pickle: `load()` returns its value, or raises CorruptTrace with the offset."""

    def __init__(self, reader: ByteReader, drain: Drain) -> None:
        self._reader, self._drain = reader, drain
        self._block, self._at, self._block_offset = b"", 0, 0
        self._stack: list[Any] = []
        self._outer: list[list[Any]] = []  # stacks below the marks
        self._memo: dict[int, Any] = {}
        self._place: dict[int, int] = {}  # of a dict or list, by id(): its number in the memo
        self._operations = {code[0]: operation for code, operation in _operations(self).items()}
        self._operation_offset = 0

    def load(self) -> Any:
        # One operation at a time: each works on what those before it left on the stack.
        operations = self._operations
        while True:
            self._run_frequent()
            self._operation_offset = self._block_offset + self._at
            code = self._byte()
            if code == _STOP:
                return self._pop()
            operation = operations.get(code)
            if operation is None:
                self._refuse(bytes([code]))
            operation()
            if len(self._stack) > _MAX_STACK:
                self._wrong(f"more than {_MAX_STACK:,} values wait to be used")

    def _run_frequent(self) -> None:
        """Runs the operations that dumps mostly consist of, up to any other or one that is wrong.

        They need a few bytes of the block, the stack and the memo, and are written out so that none
        costs a call.
        """
        block, at, stack, memo = self._block, self._at, self._stack, self._memo
        end = len(block) - 2 - _MAX_NUMBER
        while at < end:
            code = block[at]
            if code == _GET:
                value = memo.get(block[at + 1], _PLACEHOLDER)
                if value is _PLACEHOLDER:
                    break
                stack.append(value)
                at += 2
            elif code == _PUT_FAR and stack:
                value = stack[-1]
                place = int.from_bytes(block[at + 1 : at + 5], "little")
                memo[place] = value
                if type(value) is list or type(value) is dict:
                    self._place[id(value)] = place
                at += 5
            elif code == _EMPTY_LIST:
                stack.append([])
                at += 1
            elif code == _NUMBER:
                stack.append(block[at + 1])
                at += 2
            elif code in _CONSTANTS:
                stack.append(_CONSTANTS[code])
                at += 1
            elif code == _INTEGER:
                stack.append(int.from_bytes(block[at + 1 : at + 5], "little", signed=True))
                at += 5
            elif code == _EMPTY_DICT:
                stack.append({})
                at += 1
            elif code == _LONG and block[at + 1] <= _MAX_NUMBER:
                size = block[at + 1]
                stack.append(int.from_bytes(block[at + 2 : at + 2 + size], "little", signed=True))
                at += 2 + size
            elif code == _MARK:
                self._outer.append(stack)
                stack = self._stack = []
                at += 1
            else:
                break
        self._at = at

    def forget(self, value: Any, instead: Any = _PLACEHOLDER) -> None:
        """Drops a dict or a list from the memo, or keeps a smaller value in its place."""
        place = self._place.pop(id(value), None)
        if place is not None:
            self._memo[place] = instead

    # --- bytes

    def _take(self, n: int) -> bytes:
        end = self._at + n
        if end > len(self._block):
            self._fill(n)
            end = n
        taken = self._block[self._at : end]
        self._at = end
        return taken

    def _byte(self) -> int:
        at = self._at
        if at < len(self._block):
            self._at = at + 1
            return self._block[at]
        return self._take(1)[0]

    def _fill(self, n: int) -> None:
        parts = [self._block[self._at :]]
        n_held = len(parts[0])
        self._block_offset += self._at
        while n_held < n:
            part = self._reader.read(max(_BLOCK, n - n_held))
            if not part:
                offset = self._block_offset + n_held
                raise CorruptTrace(
                    f"truncated: the pickle ends at byte {offset}",
                    hint="Copy it again, or record another.",
                    offset=offset,
                )
            parts.append(part)
            n_held += len(part)
        self._block, self._at = b"".join(parts), 0

    def _line(self) -> bytes:
        parts = bytearray()
        while (byte := self._take(1)) != b"\n":
            parts += byte
            if len(parts) > _MAX_LINE:
                self._wrong("unterminated line")
        return bytes(parts)

    def _unsigned(self, n: int) -> int:
        return int.from_bytes(self._take(n), "little")

    # --- errors

    def _wrong(self, what: str) -> NoReturn:
        raise CorruptTrace(
            f"{what}, at byte {self._operation_offset}",
            hint="Copy it again, or record another.",
            offset=self._operation_offset,
        )

    def _refuse(self, code: bytes) -> NoReturn:
        if code in _REFUSED:
            raise CorruptTrace(
                f"the pickle would import or call code ({_REFUSED[code]} at byte "
                f"{self._operation_offset}); only plain data is read",
                hint="Do not load it elsewhere. Record it again.",
                offset=self._operation_offset,
            )
        self._wrong(f"unsupported pickle operation {code!r}")

    # --- the stack

    def _pop(self) -> Any:
        if not self._stack:
            self._wrong("a pickle operation lacks its operand")
        return self._stack.pop()

    def _top(self, kind: type) -> Any:
        if not self._stack or type(self._stack[-1]) is not kind:
            self._wrong(f"a pickle operation lacks a {kind.__name__}")
        return self._stack[-1]

    def _mark(self) -> None:
        self._outer.append(self._stack)
        self._stack = []

    def _marked(self) -> list[Any]:
        if not self._outer:
            self._wrong("a pickle operation lacks its mark")
        items, self._stack = self._stack, self._outer.pop()
        return items

    def _push(self, value: Any) -> None:
        self._stack.append(value)

    def _constant(self, value: Any) -> Callable[[], None]:
        return lambda: self._stack.append(value)

    # --- containers

    def _empty_dict(self) -> None:
        self._stack.append({})

    def _empty_list(self) -> None:
        self._stack.append([])

    def _tuple_of(self, n: int) -> Callable[[], None]:
        def make() -> None:
            if len(self._stack) < n:
                self._wrong("a pickle operation lacks its operand")
            items = tuple(self._stack[-n:])
            self._stack[-n:] = [items]

        return make

    def _tuple(self) -> None:
        self._push(tuple(self._marked()))

    def _list(self) -> None:
        self._extend([], self._marked(), is_new=True)

    def _dict(self) -> None:
        items = self._marked()
        new: dict[Any, Any] = {}
        self._push(new)
        self._update(new, items)

    def _append(self) -> None:
        item = self._pop()
        self._extend(self._top(list), [item])

    def _appends(self) -> None:
        items = self._marked()
        self._extend(self._top(list), items)

    def _extend(self, target: list[Any], items: list[Any], *, is_new: bool = False) -> None:
        if is_new:
            self._push(target)
        if not items or not self._drain(target, items):
            target.extend(items)

    def _set_item(self) -> None:
        value, key = self._pop(), self._pop()
        self._update(self._top(dict), [key, value])

    def _set_items(self) -> None:
        items = self._marked()
        self._update(self._top(dict), items)

    def _update(self, target: dict[Any, Any], items: list[Any]) -> None:
        # Other keys are refused unseen: hashing a tuple in a tuple in a tuple ... has no end.
        keys = items[::2]
        if len(items) % 2 or not all(type(key) is str or type(key) is int for key in keys):
            self._wrong("invalid dict: a value is missing, or a key is not a string")
        target.update(zip(keys, items[1::2], strict=True))

    # --- the memo

    def _put(self, place: int) -> None:
        if not self._stack:
            self._wrong("a pickle operation lacks its operand")
        value = self._stack[-1]
        self._memo[place] = value
        if type(value) is dict or type(value) is list:
            self._place[id(value)] = place

    def _memoize(self) -> None:
        self._put(len(self._memo))

    def _get(self, place: int) -> None:
        value = self._memo.get(place, _PLACEHOLDER)
        if value is _PLACEHOLDER:
            self._wrong(f"value {place} is used and not there")
        self._stack.append(value)

    # --- texts and numbers

    def _text(self, n: int) -> None:
        if n > _MAX_TEXT:
            self._wrong(f"a text of {n:,} bytes")
        self._push(self._take(n).decode("utf-8", "replace"))

    def _integer(self, n: int) -> None:
        if n > _MAX_NUMBER:
            self._wrong(f"a number of {n:,} bytes")
        self._push(int.from_bytes(self._take(n), "little", signed=True))

    def _decimal(self) -> None:
        line = self._line().rstrip(b"L")
        booleans = {b"00": False, b"01": True}
        if line in booleans:
            self._push(booleans[line])
        elif len(line) <= 2 * _MAX_NUMBER and line.removeprefix(b"-").isdigit():
            self._push(int(line))
        else:
            self._wrong("invalid number")

    def _decimal_point(self) -> None:
        try:
            self._push(float(self._line()))
        except ValueError:
            self._wrong("invalid number")

    def _line_text(self) -> None:
        text = self._line().decode("raw-unicode-escape", "replace")
        text = text.encode("utf-8", "replace").decode()  # without halves of surrogate pairs
        self._push(text[1:-1] if text[:1] in ("'", '"') else text)

    def _line_number(self) -> int:
        line = self._line()
        if len(line) > 18 or not line.isdigit():
            self._wrong("invalid memo index")
        return int(line)


def _operations(u: Unpickler) -> dict[bytes, Callable[[], object]]:
    """What each operation does; the few that pop values are pickle's own oddities."""
    return {
        b"\x80": lambda: u._take(1), b"\x95": lambda: u._take(8),
        b"(": u._mark, b"}": u._empty_dict, b"]": u._empty_list, b")": u._constant(()),
        b"t": u._tuple, b"l": u._list, b"d": u._dict,
        b"\x85": u._tuple_of(1), b"\x86": u._tuple_of(2), b"\x87": u._tuple_of(3),
        b"a": u._append, b"e": u._appends, b"s": u._set_item, b"u": u._set_items,
        b"0": u._pop, b"1": u._marked, b"2": lambda: u._push(u._stack[-1] if u._stack else None),
        b"N": u._constant(None), b"\x88": u._constant(True), b"\x89": u._constant(False),
        b"p": lambda: u._put(u._line_number()), b"q": lambda: u._put(u._byte()),
        b"r": lambda: u._put(u._unsigned(4)), b"\x94": u._memoize,
        b"g": lambda: u._get(u._line_number()), b"h": lambda: u._get(u._byte()),
        b"j": lambda: u._get(u._unsigned(4)),
        b"X": lambda: u._text(u._unsigned(4)), b"\x8c": lambda: u._text(u._unsigned(1)),
        b"\x8d": lambda: u._text(u._unsigned(8)), b"T": lambda: u._text(u._unsigned(4)),
        b"U": lambda: u._text(u._unsigned(1)), b"V": u._line_text, b"S": u._line_text,
        b"B": lambda: u._text(u._unsigned(4)), b"C": lambda: u._text(u._unsigned(1)),
        b"J": lambda: u._integer(4), b"K": lambda: u._push(u._byte()),
        b"M": lambda: u._push(u._unsigned(2)), b"\x8a": lambda: u._integer(u._unsigned(1)),
        b"\x8b": lambda: u._integer(u._unsigned(4)), b"I": u._decimal, b"L": u._decimal,
        b"G": lambda: u._push(struct.unpack(">d", u._take(8))[0]), b"F": u._decimal_point,
    }  # fmt: skip
