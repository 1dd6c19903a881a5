"""Translates GLOB and LIKE patterns and printf formats."""

from __future__ import annotations

import re
from collections.abc import Callable

from warehouse.dialect.values import Type, Value, integer, quote, real, text

_SPECIAL = re.compile(r"[*?\[]")
_RE2_SPECIAL = re.compile(r"([\\.+*?()|\[\]{}^$\-/#&~\"' ])")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def glob(subject: str, pattern: str) -> str:
    """Returns the condition `subject GLOB pattern`; prefixes and suffixes need no regex."""
    inner = pattern.strip("*")
    if not _SPECIAL.search(inner) and "*" not in inner:
        has_start, has_end = not pattern.startswith("*"), not pattern.endswith("*")
        if not inner and pattern:
            return f"({subject} IS NOT NULL OR NULL)"
        if has_start and has_end:
            return f"({subject} = {quote(pattern)})"
        function = "starts_with" if has_start else "ends_with" if has_end else "contains"
        return f"{function}({subject}, {quote(inner)})"
    regex = _glob_regex(pattern)
    if regex is None:  # an unterminated class matches nothing
        return f"({subject} IS NULL AND NULL)"
    return f"regexp_full_match({subject}, {quote(regex)}, 's')"


def _glob_regex(pattern: str) -> str | None:
    out, at = [], 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            out.append(".*")
        elif char == "?":
            out.append(".")
        elif char == "[":
            found = _glob_class(pattern, at)
            if found is None:
                return None
            piece, at = found
            out.append(piece)
        else:
            out.append(_escaped(char))
    return "".join(out)


def _glob_class(pattern: str, at: int) -> tuple[str, int] | None:
    """A character class of SQLite: `^` negates, a `]` in first position is a member."""
    negated = pattern[at : at + 1] == "^"
    at += negated
    end = pattern.find("]", at + 1)
    if end < 0:
        return None
    members, ranges, i = pattern[at:end], [], 0
    while i < len(members):
        if members[i + 1 : i + 2] == "-" and i + 2 < len(members):
            low, high = members[i], members[i + 2]
            if low <= high:
                ranges.append(f"{_in_class(low)}-{_in_class(high)}")
            i += 3
        else:
            ranges.append(_in_class(members[i]))
            i += 1
    if not ranges:
        return ("." if negated else r"[^\x{0}-\x{10FFFF}]"), end + 1
    return f"[{'^' if negated else ''}{''.join(ranges)}]", end + 1


def _escaped(char: str) -> str:
    return f"\\x{{{ord(char):x}}}" if _RE2_SPECIAL.match(char) else char


def _in_class(char: str) -> str:
    return f"\\x{{{ord(char):x}}}"


def like(subject: str, pattern: Value, escape: str | None) -> str:
    """Returns the condition `subject LIKE pattern`; it ignores the case of ASCII letters only."""
    tail = "" if escape is None else f" ESCAPE {quote(escape)}"
    if isinstance(pattern.constant, str):
        lowered = quote(pattern.constant.translate(_LOWER))
        if not re.search(r"[A-Za-z]", pattern.constant):
            return f"({subject} LIKE {lowered}{tail})"
        return f"(sqlite_lower({subject}) LIKE {lowered}{tail})"
    return f"(sqlite_lower({subject}) LIKE sqlite_lower({text(pattern).sql}){tail})"


_FORMAT = re.compile(r"%([-+ 0#!,]*)(\*|\d+)?(?:\.(\*|\d+))?(?:ll|l|h)?([a-zA-Z%])")


def printf(pattern: str, arguments: list[Value], refuse: Callable[[str], Exception]) -> Value:
    """`printf(pattern, …)` as a concatenation. Missing arguments are NULL."""
    pieces, at, rest = [], 0, list(arguments)
    for found in _FORMAT.finditer(pattern):
        pieces.append(quote(pattern[at : found.start()]))
        at = found.end()
        flags, width, precision, kind = found.groups()
        if kind == "%":
            pieces.append("'%'")
            continue
        if "*" in (width, precision) or set(flags) & set("#!,"):
            raise refuse(f"the format {found.group()}")
        argument = rest.pop(0) if rest else Value("NULL", Type.NULL)
        pieces.append(_piece(flags, width or "", precision, kind, argument, refuse))
    if "%" in _FORMAT.sub("", pattern):
        raise refuse("this format")
    pieces.append(quote(pattern[at:]))
    kept = [piece for piece in pieces if piece != "''"] or ["''"]
    return Value("(" + " || ".join(kept) + ")", Type.TEXT)


def _piece(
    flags: str,
    width: str,
    precision: str | None,
    kind: str,
    argument: Value,
    refuse: Callable[[str], Exception],
) -> str:
    spec = f"%{flags}{width}" + (f".{precision}" if precision is not None else "")
    if kind in "diuxXo":
        if precision is not None:
            raise refuse(f"the format {spec}{kind}")
        shown = "d" if kind in "diu" else kind
        return f"printf({quote(spec + shown)}, coalesce({integer(argument).sql}, 0))"
    if kind in "feEgG":
        return f"printf({quote(spec + kind)}, coalesce({real(argument).sql}, 0.0::DOUBLE))"
    if kind in "sz":
        plain = flags.replace("0", "").replace("+", "").replace(" ", "")
        shown = f"%{plain}{width}" + (f".{precision}" if precision is not None else "") + "s"
        value = f"coalesce({text(argument).sql}, '')"
        return value if shown == "%s" else f"printf({quote(shown)}, {value})"
    raise refuse(f"the format %{kind}")
