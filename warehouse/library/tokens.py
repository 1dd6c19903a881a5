"""Splits SQL into tokens, and rewrites queries token by token; it understands no grammar.

The surrounding tokens tell parameters from pinned calls, so running a query requires no parser:
importing one takes longer than most queries. `tw queries check` parses both the source and the
rewritten text and compares the trees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

# The most frequent kinds come first; a word is not the beginning of a text such as e'\n'.
_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<word>(?![eE]'(?:[^'\\]|\\.|'')*')[^\W\d]\w*)
    | (?P<comment>--[^\n]*|/\*.*?\*/)
    | (?P<text>[eE]'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | \$(?P<tag>[^\W\d]\w*|)\$.*?\$(?P=tag)\$)
    | (?P<quoted>"(?:[^"]|"")*")
    | (?P<parameter>\$\w+)
    | (?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)
    | (?P<operator>[-+*/<>=~!@\#%^&|:]+?(?=--|/\*)|[-+*/<>=~!@\#%^&|:]+)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

#: Comments and texts, which hold no names. Quoted names are matched to be kept.
_ASIDE = re.compile(
    r"""
      (?P<quoted>"(?:[^"]|"")*")
    | --[^\n]* | /\*.*?\*/
    | \b[eE]'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | \$(?P<tag>[^\W\d]\w*|)\$.*?\$(?P=tag)\$
    """,
    re.VERBOSE | re.DOTALL,
)

#: What `_rewrite` looks at: a called name is followed by a parenthesis, but for white space and
#: comments. Comments, texts and quoted names are matched to be kept.
_REWRITTEN = re.compile(
    r"""
      (?P<comment>--[^\n]* | /\*.*?\*/)
    | (?P<kept>
        "(?:[^"]|"")*"
      | \b[eE]'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | \$(?P<tag>[^\W\d]\w*|)\$.*?\$(?P=tag)\$
      )
    | (?P<parameter>\$\w+)
    | (?P<called>\b[^\W\d]\w*)(?=(?:\s | --[^\n]*\n | /\*(?:(?!\*/).)*\*/)*\()
    """,
    re.VERBOSE | re.DOTALL,
)
_BEFORE = re.compile(r"\A(?:\s|--[^\n]*|/\*.*?\*/)*", re.DOTALL)


class Token(NamedTuple):
    """A piece of SQL: kind is one of the group names above."""

    kind: str
    text: str


def split(sql: str) -> list[Token]:
    """All tokens, white space and comments too: their texts joined are the SQL again."""
    return [Token(str(match.lastgroup), match[0]) for match in _TOKEN.finditer(sql)]


def words(sql: str) -> frozenset[str]:
    """All words, in lower case, with the names of what the SQL reads and calls."""
    return frozenset(
        match[0].strip('"').lower()
        for match in _TOKEN.finditer(sql)
        if match.lastgroup in ("word", "quoted")
    )


def without_texts(sql: str) -> str:
    """The SQL with a space in place of each comment and text; many times as fast as `split`."""
    return _ASIDE.sub(lambda found: found["quoted"] or " ", sql)


def parameters(sql: str) -> list[str]:
    """The names of the `$name` parameters, each once, in order of appearance."""
    names = (token.text[1:] for token in split(sql) if token.kind == "parameter")
    return list(dict.fromkeys(names))


def statement(sql: str) -> str:
    """The statement without comments before it and without what ends it."""
    return "".join(token.text for token in _core(sql))


def unordered(sql: str) -> str:
    """The SQL without the ORDER BY at its end; the same if it has none, or a LIMIT follows."""
    tokens = split(sql)
    depth, end = 0, len(tokens)
    for index, (kind, text) in enumerate(tokens):
        if kind == "other":
            depth += (text in "([{") - (text in ")]}")
        elif kind == "word" and depth == 0 and text.upper() == "ORDER":
            end = index
        elif kind == "word" and depth == 0 and text.upper() in ("FROM", "LIMIT", "OFFSET"):
            end = len(tokens)
    return "".join(token.text for token in tokens[:end])


def _core(sql: str) -> list[Token]:
    """The tokens of `statement`."""
    tokens = split(sql)
    first, end = 0, len(tokens)
    while first < end and tokens[first].kind in ("comment", "space"):
        first += 1
    while first < end and (
        tokens[end - 1].kind in ("comment", "space") or tokens[end - 1].text == ";"
    ):
        end -= 1
    return tokens[first:end]


def is_open(tokens: Iterable[Token]) -> bool:
    """Whether a quote or a comment is not closed: it splits into single characters."""
    return any(
        (kind == "other" and text in "'\"$") or (kind == "operator" and "/*" in text)
        for kind, text in tokens
    )


def normalise(sql: str) -> str:
    """One spelling for all layouts: no comments, single spaces, words in lower case."""
    parts = []
    for kind, text in _core(sql):
        if kind not in ("comment", "space"):
            parts.append(text.lower() if kind in ("word", "number", "parameter") else text)
    return " ".join(parts)


def pinned(sql: str, pins: Mapping[str, str]) -> str:
    """The statement with each call of a query in `pins` replaced by a call of its pinned name."""
    return _rewrite(sql, pins, lambda text: text)


def macro_body(sql: str, pins: Mapping[str, str]) -> str:
    """The text of `pinned`, with each parameter `$name` as the macro argument `p_name`."""
    return _rewrite(sql, pins, lambda text: f"p_{text[1:]}")


def _rewrite(sql: str, pins: Mapping[str, str], parameter: Callable[[str], str]) -> str:
    # Only what may be rewritten is matched: to split all queries of a report takes half a second.
    sql = _BEFORE.sub("", sql, count=1)
    pieces, comments, done = list[str](), list[tuple[int, int]](), 0
    for found in _REWRITTEN.finditer(sql):
        kind, text, start = found.lastgroup, found[0], found.start()
        if kind == "comment":
            comments.append(found.span())
        elif kind == "parameter":
            pieces += (sql[done:start], parameter(text))
            done = found.end()
        elif kind == "called" and text.lower() in pins and not _follows_dot(sql, start, comments):
            pieces += (sql[done:start], f'"{pins[text.lower()]}"')
            done = found.end()
    return "".join((*pieces, sql[done : _end(sql, comments)]))


def _follows_dot(sql: str, place: int, comments: Sequence[tuple[int, int]]) -> bool:
    """Whether a dot precedes a place, before white space and comments."""
    place = len(sql[:place].rstrip())
    for start, end in reversed(comments):
        if end < place:
            break
        place = len(sql[:start].rstrip())
    return sql[:place].endswith(".")


def _end(sql: str, comments: Sequence[tuple[int, int]]) -> int:
    """The end of the statement, before trailing comments and its semicolon."""
    open_comments = list(comments)
    place, before = len(sql), -1
    while place != before:
        before, place = place, len(sql[:place].rstrip())
        if open_comments and open_comments[-1][1] >= place:
            place, _ = open_comments.pop()
        elif sql[:place].endswith(";"):
            place -= 1
    return place
