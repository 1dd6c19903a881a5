"""Ranks queries by how well their names and descriptions match words.

Words of the field that the library does not use are looked up in `queries/synonyms.toml`. Queries
for one kind of trace (`queries/groups.toml`) count less than those for any.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from warehouse.resources import sql_folder

if TYPE_CHECKING:
    from warehouse.library.header import Header
    from warehouse.library.library import Library, Query

#: Groups whose queries other commands and queries run; few are of use by themselves.
HELPERS = frozenset({"diagnose", "lib", "link", "quality", "whatif"})
FILE = "synonyms.toml"
_GROUPS = "groups.toml"

_WORD = re.compile(r"[a-z0-9]+")
_FILLERS = frozenset(
    {"a", "an", "and", "are", "by", "for", "how", "in", "is", "my", "of", "on", "the", "to", "what",
     "which", "why"}
)  # fmt: skip
_PREFIX = 4  # letters from which a word also matches longer ones: "launch" matches "launching"
_SYNONYM = 0.6  # of the weight of the word itself
_OF_ONE_KIND = 0.5  # of traces: of the weight of a query for any trace


def find(queries: Library, words: Iterable[str], *, helpers: bool = False) -> list[Query]:
    """Returns the newest queries that match all words, best first; if none does, those that match
    most of them. Deprecated names are left out, and helpers unless asked for.
    """
    given = [word for text in words for word in text.lower().split()]
    asked = [word for word in given if word not in _FILLERS]
    left_out = frozenset() if helpers else HELPERS
    found: list[tuple[int, float, str, Query]] = []
    for name, query in queries.newest.items():
        if query.header is None or query.header.alias_of or (query.layer in left_out):
            continue
        scores = [_score(word, _fields(query.header)) for word in asked]
        n_matching = sum(score > 0 for score in scores)
        if n_matching:
            share = _OF_ONE_KIND if query.layer in _of_one_kind() else 1
            found.append((n_matching, share * sum(scores), name, query))
    most = max((n for n, *_ in found), default=0)
    best = [each for each in found if each[0] == most]
    name = "_".join(given)
    return [q for *_, q in sorted(best, key=lambda each: (each[2] != name, -each[1], each[2]))]


def hint(queries: Library, name: str) -> str:
    """A hint for an unknown name: the queries that its words find."""
    found = find(queries, [" ".join(_words(name))])[:3]
    if not found:
        return "`tw queries list` lists the queries, `tw queries find WORDS` searches them."
    return f"Related queries: {', '.join(str(query.key).partition('@')[0] for query in found)}."


def _fields(header: Header) -> list[tuple[float, Sequence[str]]]:
    """The words of a query, each list with its weight."""
    names = " ".join(column.name for column in header.columns)
    help_of_columns = " ".join(column.help for column in header.columns)
    return [
        (8, _words(header.name)),
        (4, _words(header.title)),
        (2, _words(names)),
        (1, _words(header.help)),
        (0.5, _words(help_of_columns)),
    ]


@lru_cache(maxsize=4096)
def _words(text: str) -> Sequence[str]:
    return _WORD.findall(text.lower().replace("_", " "))


def _score(word: str, fields: Sequence[tuple[float, Sequence[str]]]) -> float:
    """The weight of the best field that has a word, or of one that has a synonym of it."""
    own = _weight(_words(word), fields)
    others = (_SYNONYM * _weight(_words(each), fields) for each in _synonyms().get(word, ()))
    return max([own, *others])


def _weight(phrase: Sequence[str], fields: Sequence[tuple[float, Sequence[str]]]) -> float:
    """The weight of the fields that have all words of a phrase."""
    return sum(
        weight * (1 + 1 / len(words))  # of two names with the word, the shorter one is closer
        for weight, words in fields
        if words and phrase and all(_has(words, word) for word in phrase)
    )


def _has(words: Sequence[str], word: str) -> bool:
    stem = word.removesuffix("s")
    return any(
        other in (word, stem) or (len(stem) >= _PREFIX and other.startswith(stem))
        for other in words
    )


@cache
def _of_one_kind() -> frozenset[str]:
    groups = tomllib.loads((sql_folder("queries") / _GROUPS).read_text(encoding="utf-8"))
    return frozenset(groups["of_one_kind"])


@cache
def _synonyms() -> dict[str, list[str]]:
    return tomllib.loads((sql_folder("queries") / FILE).read_text(encoding="utf-8"))
