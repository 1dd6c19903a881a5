"""The schema of a file: names, columns, first pages of tables. Statements are parsed, not run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""--[^\n]* | /\*.*?\*/ | "(?:[^"]|"")*" | `(?:[^`]|``)*` | '(?:[^']|'')*' | \[[^\]]*\]
    | [^\W\d][\w$]* | 0[xX][0-9a-fA-F]+ | (?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)? | [(),]
    | [^\s(),]+?""",
    re.VERBOSE | re.DOTALL,
)
_CONSTRAINTS = {"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"}
_AFTER_TYPE = {
    "CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES",
}  # fmt: skip
_MAX_STATEMENT = 1 << 20  # bytes; the widest real table has a few thousand


Constant = int | float | str


@dataclass(frozen=True)
class Table:
    """A table whose rows can be read."""

    name: str
    root: int
    columns: tuple[str, ...]  # as stored in each row
    rowid_column: str | None  # the one that is the row's key, and not among its fields
    #: Values of columns in rows older than the column, by its number; else NULL.
    defaults: Mapping[int, Constant] = field(default_factory=dict)


def table(name: str, root: int, statement: str) -> Table | None:
    """The table a CREATE TABLE statement makes; None where its rows are stored another way."""
    if len(statement) > _MAX_STATEMENT:
        return None
    tokens = [token for token in _TOKEN.findall(statement) if not token.startswith(("--", "/*"))]
    words = [token.upper() for token in tokens]
    if "(" not in tokens or words[:1] != ["CREATE"] or "VIRTUAL" in words[:3]:
        return None
    parts, rest = _parts(tokens[tokens.index("(") + 1 :])
    if "WITHOUT" in (word.upper() for word in rest):
        return None
    columns: list[str] = []
    rowid_column = None
    defaults: dict[int, Constant] = {}
    for part in parts:
        if not part or part[0].upper() in _CONSTRAINTS:
            continue
        upper = [token.upper() for token in _outer(part)]
        if "AS" in upper[1:] and "STORED" not in upper:
            continue  # computed when it is read
        if (default := _default(part)) is not None:
            defaults[len(columns)] = default
        columns.append(_bare(part[0]))
        if _is_rowid(upper):
            rowid_column = columns[-1]
    rowid_column = rowid_column or _declared_key(parts)
    return Table(name, root, tuple(columns), rowid_column, defaults)


def _outer(part: list[str]) -> list[str]:
    """The tokens of a definition that stand in no brackets."""
    outer, depth = [], 0
    for token in part:
        depth -= token == ")"
        if depth == 0 and token != ")":
            outer.append(token)
        depth += token == "("
    return outer


def _default(part: list[str]) -> Constant | None:
    """The constant after DEFAULT; None for NULL and for values computed at insertion."""
    words = [token.upper() for token in part]
    if "DEFAULT" not in words[1:]:
        return None
    values = [token for token in part[words.index("DEFAULT", 1) + 1 :] if token not in "()"]
    sign = -1 if values[:1] == ["-"] else 1
    is_signed = values[:1] in (["-"], ["+"]) and len(values) > 1
    literal = values[1] if is_signed else (values or [""])[0]
    if literal[:1] in ("'", '"'):
        return _bare(literal)
    if literal.upper() in ("TRUE", "FALSE"):
        return int(literal.upper() == "TRUE")
    try:
        return sign * int(literal, 0 if literal[:2].lower() == "0x" else 10)
    except ValueError:
        pass
    try:
        return sign * float(literal)
    except ValueError:
        return None


def _is_rowid(definition: list[str]) -> bool:
    """Whether a column is the row's key: exactly INTEGER, and PRIMARY KEY, but not descending."""
    if [_bare(word) for word in definition[1:2]] != ["INTEGER"] or "PRIMARY" not in definition:
        return False
    key = definition.index("PRIMARY")
    return definition[2] in _AFTER_TYPE and definition[key + 2 : key + 3] != ["DESC"]


def _parts(tokens: list[str]) -> tuple[list[list[str]], list[str]]:
    """The definitions between the brackets, and what follows them."""
    parts: list[list[str]] = [[]]
    depth = 0
    for n, token in enumerate(tokens):
        depth += (token == "(") - (token == ")")
        if depth < 0:
            return parts, tokens[n + 1 :]
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts, []


def _declared_key(parts: list[list[str]]) -> str | None:
    """The column of PRIMARY KEY (x) as a definition of its own, where x is an INTEGER."""
    integers = {
        _bare(part[0]).lower(): _bare(part[0])
        for part in parts
        if [_bare(token).upper() for token in part[1:2]] == ["INTEGER"]
        and (len(part) == 2 or part[2].upper() in _AFTER_TYPE)
    }
    for part in parts:
        upper = [token.upper() for token in part]
        if "PRIMARY" in upper and upper[0] in _CONSTRAINTS and part.count(",") == 0:
            # Here, unlike behind a column, a descending key is the row's key too.
            inside = part[part.index("(") + 1 :] if "(" in part else []
            if len(inside) >= 2 and inside[1].upper() in (")", "ASC", "DESC", "COLLATE"):
                return integers.get(_bare(inside[0]).lower())
    return None


def _bare(name: str) -> str:
    """A name without its quotes."""
    for first, last in ('""', "``", "''", "[]"):
        if name.startswith(first) and name.endswith(last) and len(name) > 1:
            inside = name[1:-1]
            return inside if first == "[" else inside.replace(last * 2, last)
    return name
