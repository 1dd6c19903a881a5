"""Parses the types and values of CTF 1.8 metadata (TSDL)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NoReturn

from tw_importers.ctf.tokens import Token, tokens
from tw_importers.ctf.tree import (
    MAX_ALIGNMENT,
    MAX_DEPTH,
    MAX_LENGTH,
    Array,
    Bytes,
    Float,
    Integer,
    Labels,
    Location,
    Option,
    String,
    Struct,
    Type,
    Variant,
)
from warehouse.errors import CorruptTrace

Value = str | int
_BASES = {
    "decimal": 10, "dec": 10, "d": 10, "i": 10, "u": 10, "hexadecimal": 16, "hex": 16, "x": 16,
    "X": 16, "p": 16, "octal": 8, "oct": 8, "o": 8, "binary": 2, "bin": 2, "b": 2,
}  # fmt: skip
_ORDERS = {"be": True, "network": True, "le": False}
_SCOPES = {
    ("trace", "packet", "header"): "packet-header",
    ("stream", "packet", "context"): "packet-context",
    ("stream", "event", "header"): "event-record-header",
    ("stream", "event", "context"): "event-record-common-context",
    ("event", "context"): "event-record-specific-context",
    ("event", "fields"): "event-record-payload",
}


def unprefixed(name: str) -> str:
    """A name without the underscore that tracers put before every name."""
    return name[1:] if name.startswith("_") and len(name) > 1 else name


@dataclass
class Declarations:
    """Names of types, in a block or structure and those around it."""

    outer: Declarations | None = None
    types: dict[str, Type] = field(default_factory=dict)

    def find(self, name: str) -> Type | None:
        place: Declarations | None = self
        while place is not None:
            if name in place.types:
                return place.types[name]
            place = place.outer
        return None


class Parser:
    """A position in the tokens of a metadata text."""

    def __init__(self, text: str) -> None:
        self._tokens, self._at, self._depth = tokens(text), 0, 0
        self._is_big = self._find_byte_order()
        self._clocks: dict[int, tuple[Integer, str]] = {}  # by id of the type, which is kept alive
        self.clock_of: dict[int, str] = {}

    @property
    def token(self) -> Token:
        return self._tokens[self._at]

    def next(self) -> Token:
        token = self._tokens[self._at]
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def fail(self, expected: str) -> NoReturn:
        found = repr(self.token.text[:40]) if self.token.kind != "end" else "its end"
        raise CorruptTrace(
            f"the metadata has {found} where {expected} is expected", offset=self.token.offset
        )

    def accept(self, mark: str) -> bool:
        if self.token.text == mark and self.token.kind != "text":
            self.next()
            return True
        return False

    def expect(self, mark: str) -> None:
        if not self.accept(mark):
            self.fail(repr(mark))

    def word(self) -> str:
        if self.token.kind != "word":
            self.fail("a name")
        return self.next().text

    def dotted(self) -> str:
        words = [self.word()]
        while self.accept("."):
            words.append(self.word())
        return ".".join(words)

    def value(self) -> Value:
        sign = -1 if self.accept("-") else 1
        self.accept("+")
        if self.token.kind == "number":
            return sign * self.next().number
        if self.token.kind == "text":
            text = self.next().text
            while self.token.kind == "text":
                text += self.next().text
            return text
        return self.dotted()

    def _find_byte_order(self) -> bool:
        """Reads ahead to the byte order of the trace: types have it that are declared before."""
        words, depth, block = [each.text for each in self._tokens], 0, ""
        for n, each in enumerate(words[:-2]):
            if self._tokens[n].kind == "text":
                continue
            if each == "byte_order" and depth == 1 and block == "trace":
                return _ORDERS.get(words[n + 2], False)
            if each == "{":
                block = words[n - 1] if not depth and n else block
                depth += 1
            depth -= each == "}"
        return False

    def declaration(self, declarations: Declarations) -> None:
        if self.accept("typealias"):
            kind = self.type(declarations)
            self.expect(":=")
            declarations.types[" ".join(self._words())] = kind
        elif self.accept("typedef"):
            kind, name = self._named(declarations)
            declarations.types[name] = kind
        else:
            self.type(declarations)
        self.expect(";")

    def _words(self) -> list[str]:
        words = [self.word()]
        while self.token.kind == "word":
            words.append(self.word())
        return words

    def type(self, declarations: Declarations) -> Type:
        """A type without a name behind it."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} nested types")
        try:
            kind = self._built(declarations)
            return kind if kind is not None else self._found(declarations, self._words())
        finally:
            self._depth -= 1

    def _found(self, declarations: Declarations, words: list[str]) -> Type:
        name = " ".join(word for word in words if word != "const")
        kind = declarations.find(name)
        if kind is None:
            self.fail(f"a declared type, which {name!r} is not,")
        return kind

    def _named(self, declarations: Declarations) -> tuple[Type, str]:
        """A type, a name, and the lengths of arrays behind the name."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} nested types")
        kind = self._built(declarations)
        if kind is None:
            words = self._words()
            name = words.pop()
            kind = self._found(declarations, words)
        else:
            name = self.word()
        lengths: list[int | Location] = []
        while self.accept("["):
            lengths.append(self._length())
            self.expect("]")
        for length in reversed(lengths):
            kind = _array(kind, length)
        self._depth -= 1
        return kind, name

    def _length(self) -> int | Location:
        if self.token.kind != "number":
            return self._location()
        length = self.next().number
        if length > MAX_LENGTH:
            self.fail(f"an array of at most {MAX_LENGTH} elements")
        return length

    def _location(self) -> Location:
        words = self.dotted().split(".")
        for scope, origin in _SCOPES.items():
            if tuple(words[: len(scope)]) == scope and len(words) > len(scope):
                return Location(tuple(map(unprefixed, words[len(scope) :])), origin)
        return Location(tuple(map(unprefixed, words)))

    def _built(self, declarations: Declarations) -> Type | None:
        """A type that begins with a keyword; None if there is none."""
        while self.token.text == "const" and self.token.kind == "word":
            self.next()
        if self.accept("struct"):
            return self._struct(declarations)
        if self.accept("variant"):
            return self._variant(declarations)
        if self.accept("enum"):
            return self._enum(declarations)
        if self.accept("integer"):
            return self._integer(self._attributes())
        if self.accept("floating_point"):
            return self._float(self._attributes())
        if self.accept("string"):
            if self.token.text == "{":
                self._attributes()
            return String()
        return None

    def _attributes(self) -> dict[str, Value]:
        self.expect("{")
        found: dict[str, Value] = {}
        while not self.accept("}"):
            key = self.word()
            self.expect("=")
            found[key] = self.value()
            self.expect(";")
        return found

    def _order(self, found: dict[str, Value]) -> bool:
        return _ORDERS.get(str(found.get("byte_order", "native")), self._is_big)

    def _alignment(self, found: dict[str, Value], size: int) -> int:
        return self._aligned(found.get("align", 8 if size % 8 == 0 else 1))

    def _aligned(self, align: Value) -> int:
        if not isinstance(align, int) or not 0 < align <= MAX_ALIGNMENT or align & (align - 1):
            self.fail("an alignment that is a power of two")
        return align

    def _integer(self, found: dict[str, Value]) -> Integer:
        size = found.get("size")
        if not isinstance(size, int) or not 0 < size <= 64:
            self.fail("an integer of 1 to 64 bits")
        base = found.get("base", 10)
        kind = Integer(
            size,
            self._alignment(found, size),
            str(found.get("signed", "false")).lower() in ("true", "1"),
            self._order(found),
            base if isinstance(base, int) and base in (2, 8, 10, 16) else _BASES.get(str(base), 10),
            is_character=str(found.get("encoding", "none")).lower() in ("utf8", "ascii"),
        )
        if "map" in found:
            words = str(found["map"]).split(".")
            self._clocks[id(kind)] = (kind, words[1] if len(words) > 1 else "")
        return kind

    def clock_in(self, kind: Type) -> str | None:
        """The clock that a field of a structure counts, if one does."""
        if isinstance(kind, Integer):
            return self._clocks[id(kind)][1] if id(kind) in self._clocks else None
        members: list[Type] = []
        if isinstance(kind, Struct):
            members = [each for _, each in kind.members]
        elif isinstance(kind, Variant):
            members = [each.kind for each in kind.options]
        return next((clock for each in members if (clock := self.clock_in(each))), None)

    def _float(self, found: dict[str, Value]) -> Float:
        digits = (found.get("exp_dig"), found.get("mant_dig"))
        sizes = {(5, 11): 16, (8, 24): 32, (11, 53): 64}
        if digits not in sizes:
            self.fail("a floating-point number of 16, 32 or 64 bits")
        size = sizes[digits]
        return Float(size, self._alignment(found, size), self._order(found))

    def _name_of(self) -> str | None:
        return self.word() if self.token.kind == "word" and self.token.text != "align" else None

    def _struct(self, declarations: Declarations) -> Struct:
        name = self._name_of()
        if not self.accept("{"):
            kind = declarations.find(f"struct {name}")
            if not isinstance(kind, Struct):
                self.fail(f"a declared structure, which {name!r} is not,")
            return kind
        inside = Declarations(declarations)
        members: list[tuple[str, Type]] = []
        while not self.accept("}"):
            if self.token.text in ("typealias", "typedef") and self.token.kind == "word":
                self.declaration(inside)
                continue
            kind, member = self._named(inside)
            members.append((unprefixed(member), kind))
            self.expect(";")
        struct = Struct(tuple(members), self._align_suffix())
        if name is not None:
            declarations.types[f"struct {name}"] = struct
        return struct

    def _align_suffix(self) -> int:
        if not self.accept("align"):
            return 1
        self.expect("(")
        align = self._aligned(self.value())
        self.expect(")")
        return align

    def _variant(self, declarations: Declarations) -> Variant:
        name = self._name_of()
        selector = None
        if self.accept("<"):
            selector = self._location()
            self.expect(">")
        if self.accept("{"):
            inside = Declarations(declarations)
            options: list[Option] = []
            while not self.accept("}"):
                kind, label = self._named(inside)
                options.append(Option(unprefixed(label), kind, label=label))
                self.expect(";")
            variant = Variant(selector or Location(()), tuple(options))
            if name is not None:
                declarations.types[f"variant {name}"] = variant
        else:
            found = declarations.find(f"variant {name}")
            if not isinstance(found, Variant):
                self.fail(f"a declared variant, which {name!r} is not,")
            variant = replace(found, selector=selector or found.selector)
        if selector is None and self.accept("<"):
            variant = replace(variant, selector=self._location())
            self.expect(">")
        return variant

    def _enum(self, declarations: Declarations) -> Integer:
        name = self._name_of()
        kind = declarations.find("int") or Integer(32, 8, is_signed=True, is_big=self._is_big)
        if self.accept(":"):
            found = self._built(declarations)
            kind = found if found is not None else self._found(declarations, self._words())
        if not isinstance(kind, Integer):
            self.fail("an integer as the type of an enumeration")
        if not self.accept("{"):
            declared = declarations.find(f"enum {name}")
            if not isinstance(declared, Integer):
                self.fail(f"a declared enumeration, which {name!r} is not,")
            return declared
        enum = replace(kind, labels=self._labels())
        if id(kind) in self._clocks:
            self._clocks[id(enum)] = (enum, self._clocks[id(kind)][1])
        if name is not None:
            declarations.types[f"enum {name}"] = enum
        return enum

    def _labels(self) -> Labels:
        """Labels with their ranges; one without a value continues from the last."""
        found: list[tuple[str, int, int]] = []
        following = 0
        while not self.accept("}"):
            if self.token.kind not in ("word", "text"):
                self.fail("a label")
            label, low = self.next().text, following
            high = low
            if self.accept("="):
                low = high = self._whole()
                if self.accept("..."):
                    high = self._whole()
            if low > high:
                self.fail("a range that begins before its end")
            found.append((label, low, high))
            following = high + 1
            if not self.accept(",") and self.token.text != "}":
                self.fail("',' or '}'")
        return tuple(found)

    def _whole(self) -> int:
        value = self.value()
        if isinstance(value, str):
            if len(value) != 1:
                self.fail("a whole number")
            return ord(value)
        return value


def _array(kind: Type, length: int | Location) -> Type:
    if isinstance(kind, Integer) and kind.is_character and kind.size == 8 and kind.align == 8:
        return Bytes(length)
    return Array(kind, length)
