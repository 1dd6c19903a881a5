"""What a file was made from, kept in the file or beside it: `tw verify` makes it anew from that.

Formats with a place for such things hold it themselves: workbooks on a hidden sheet, pages in their
data, Parquet and Arrow files in their metadata. Beside any other file NAME stands
NAME.origin.json, which also has the file's sha256.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse import files
from warehouse.errors import UsageError
from warehouse.export.digest import Digest, DigestingRows
from warehouse.query import encoding

if TYPE_CHECKING:
    from warehouse.query.encoding import Rows
    from warehouse.query.result import QueryResult

SUFFIX = ".origin.json"
SHEET = "Manifest"  # of a workbook
EMBEDDED = ("parquet", "arrow")  # formats of rows that say it themselves
_CHUNK = 1 << 20
_SHARED = ("warehouse", "schema_version", "tw_version", "written_at")


@dataclass(frozen=True)
class Part:
    """One query of the file, and what its rows were."""

    query: str  # NAME@VERSION, or nothing for a statement
    query_hash: str
    statement: str
    parameters: Mapping[str, Any]
    trace_ids: Sequence[int]  # what it saw, of the traces of the file
    window_ns: Sequence[int | None]
    dialect: str = "duckdb"
    n_rows: int | None = None
    digest: str | None = None  # see digest.py; None where the file's own rows tell


@dataclass(frozen=True)
class Manifest:
    """What a file was made from."""

    format: str  # csv, xlsx, perfetto, ...
    runs: Sequence[str]
    traces: Sequence[Mapping[str, Any]]  # trace_id, name, rank, sha256 of each source file
    warehouse: str
    schema_version: str
    tw_version: str
    written_at: str  # UTC
    parts: Sequence[Part] = ()
    options: Mapping[str, Any] = field(default_factory=dict)  # of an export without queries
    sha256: str | None = None  # of the file, where this stands beside it

    def to_json(self, *, indent: int | None = None) -> str:
        return json.dumps({"origin": 1, **asdict(self)}, indent=indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> Manifest:
        """Raises ValueError for another text; what only a newer program knows is left out."""
        values = json.loads(text)
        if not isinstance(values, dict) or "origin" not in values:
            raise ValueError("no origin")
        known = {each.name for each in fields(cls)}
        parts = tuple(_part(each) for each in values.pop("parts", ()))
        try:
            return cls(parts=parts, **{key: values[key] for key in values if key in known})
        except TypeError as error:
            raise ValueError(str(error)) from None


def _part(values: Mapping[str, Any]) -> Part:
    known = {each.name for each in fields(Part)}
    return Part(**{key: values[key] for key in values if key in known})


def of(
    abouts: Sequence[Mapping[str, str]],
    format: str,
    parts: Sequence[Part] = (),
    options: Mapping[str, Any] | None = None,
    sha256: str | None = None,
) -> Manifest:
    """The origin of a file from the provenance of its queries, at least one (see provenance.py)."""
    runs = [run for about in abouts for run in json.loads(about.get("runs", "[]"))]
    traces = {
        trace["trace_id"]: trace
        for about in abouts
        for trace in json.loads(about.get("traces", "[]"))
    }
    return Manifest(
        format=format,
        runs=list(dict.fromkeys(runs)),
        traces=[traces[trace_id] for trace_id in sorted(traces)],
        parts=tuple(parts),
        options=options or {},
        sha256=sha256,
        **{key: abouts[0].get(key, "") for key in _SHARED},
    )


def part(about: Mapping[str, str], n_rows: int | None = None, digest: str | None = None) -> Part:
    """One query of a file, from its provenance."""
    return Part(
        about.get("query", ""),
        about.get("query_hash", ""),
        about.get("statement", ""),
        json.loads(about.get("parameters", "{}")),
        [trace["trace_id"] for trace in json.loads(about.get("traces", "[]"))],
        json.loads(about.get("window_ns", "[null, null]")),
        about.get("dialect", "duckdb"),
        n_rows,
        digest,
    )


def of_answer(answer: QueryResult) -> Part:
    """One query of a file, from its rows."""
    with Digest(answer.columns) as digest:
        digest.add(answer.arrow())
        return part(answer.meta, answer.n_rows, digest.hex)


def write_rows(
    rows: Rows, format: str, path: Path, about: Mapping[str, str], *, max_rows: int = -1
) -> int:
    """Writes rows to a file, whole or not at all, and what they were made from; returns how many.

    Raises ExportError, and what the query raises.
    """
    with Digest(rows.columns) as digest:
        read = rows if format in EMBEDDED else DigestingRows(rows, digest)
        with files.whole_file(path) as file:
            n_shown = encoding.write(read, format, file, max_rows=max_rows, provenance=about)
        if format not in EMBEDDED and about.get("traces"):
            made = part(about, digest.n_rows, digest.hex)
            put_beside(path, of([about], format, [made], sha256=sha256(path)))
    return n_shown


def write_text(text: str, path: Path, answers: Sequence[QueryResult]) -> None:
    """Writes what was made of the answers, at least one, and where it comes from; raises
    ExportError."""
    with files.whole_file(path) as file:
        file.write(text.encode())
    parts = [of_answer(each) for each in answers]
    put_beside(path, of([each.meta for each in answers], "text", parts, sha256=sha256(path)))


def beside(path: Path) -> Path:
    """Where the origin of a file stands that cannot hold it."""
    return path.with_name(path.name + SUFFIX)


def put_beside(path: Path, origin: Manifest) -> None:
    """Writes it beside a file or into a folder; raises ExportError."""
    target = path / ("_" + SUFFIX.lstrip(".")) if path.is_dir() else beside(path)
    with files.whole_file(target) as file:
        file.write(origin.to_json(indent=2).encode() + b"\n")


def read(path: Path) -> Manifest:
    """The origin of a file; raises UsageError where nothing says it."""
    try:
        text = _READERS.get(path.suffix.lower(), _read_beside)(path)
        return Manifest.from_json(text)
    except (OSError, ValueError, KeyError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise UsageError(
            f"nothing says what {path} was made from" + (f": {reason}" if reason else ""),
            hint=f"Files that `tw` writes say it, or have {beside(path).name} beside them.",
        ) from None


def _read_beside(path: Path) -> str:
    target = path / ("_" + SUFFIX.lstrip(".")) if path.is_dir() else beside(path)
    return target.read_text(encoding="utf-8")


def _read_parquet(path: Path) -> str:
    from pyarrow import parquet

    return _of_metadata(parquet.read_schema(path).metadata, "parquet")


def _read_arrow(path: Path) -> str:
    from pyarrow import ipc

    with ipc.open_file(path) as file:
        return _of_metadata(file.schema.metadata, "arrow")


def _of_metadata(metadata: Mapping[bytes, bytes] | None, format: str) -> str:
    about = {
        key.decode().removeprefix("tw."): value.decode()
        for key, value in (metadata or {}).items()
        if key.startswith(b"tw.")
    }
    return of([about], format, [part(about)]).to_json()


def _read_xlsx(path: Path) -> str:
    """The cells of the hidden sheet, one after another; a long text is cut into several."""
    import zipfile
    import zlib
    from xml.etree import ElementTree

    try:
        with zipfile.ZipFile(path) as book:
            names = ElementTree.fromstring(_plain(book.read("xl/workbook.xml")))
            sheets = [each.get("name") for each in names.iter(_TAG.format("sheet"))]
            number = sheets.index(SHEET) + 1
            sheet = ElementTree.fromstring(_plain(book.read(f"xl/worksheets/sheet{number}.xml")))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, ElementTree.ParseError):
        raise ValueError("no workbook") from None
    return "".join(cell.text or "" for cell in sheet.iter(_TAG.format("t")))


def _plain(xml: bytes) -> bytes:
    """XML as xlsxwriter writes it; a document type could define entities without end."""
    if b"<!DOCTYPE" in xml or b"<!ENTITY" in xml:
        raise ValueError("no workbook of ours")
    return xml


_TAG = "{{http://schemas.openxmlformats.org/spreadsheetml/2006/main}}{}"


def _read_html(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    _, _, rest = text.partition('<script type="application/json" id="origin">')
    return rest.partition("</script>")[0]


_READERS = {
    ".parquet": _read_parquet, ".arrow": _read_arrow, ".feather": _read_arrow,
    ".xlsx": _read_xlsx, ".html": _read_html,
}  # fmt: skip


def sha256(path: Path) -> str:
    """Of a file, hexadecimal; of a folder, of the sums and names of all files in it."""
    digest = hashlib.sha256()
    if path.is_dir():
        for each in sorted(path.rglob("*")):
            if each.is_file() and not each.name.endswith(SUFFIX.lstrip(".")):
                digest.update(f"{sha256(each)}  {each.relative_to(path)}\n".encode())
        return digest.hexdigest()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
