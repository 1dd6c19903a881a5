"""Export manifests: the queries, parameters and traces of an exported file, for `tw verify`.

Workbooks store the manifest on a hidden sheet, pages in their data, Parquet and Arrow files in
their metadata. Other files have NAME.origin.json beside them, which also holds their SHA-256.
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
from warehouse.query import encoding, lineage
from warehouse.query.digest import Digest, DigestingRows
from warehouse.query.stored import StoredRows

if TYPE_CHECKING:
    from warehouse.query.encoding import Rows
    from warehouse.query.result import QueryResult

SUFFIX = ".origin.json"
SHEET = "Manifest"  # of a workbook
EMBEDDED = ("parquet", "arrow")  # row encodings with embedded manifest
_CHUNK = 1 << 20
_SHARED = ("warehouse", "schema_version", "tw_version", "written_at")


@dataclass(frozen=True)
class Part:
    """A query of the file, with the digest of its rows."""

    query: str  # NAME@VERSION; empty for a statement
    query_hash: str
    statement: str
    parameters: Mapping[str, Any]
    trace_ids: Sequence[int]  # the traces it read
    window_ns: Sequence[int | None]
    dialect: str = "duckdb"
    n_rows: int | None = None
    digest: str | None = None  # see digest.py; None if the file holds the rows


@dataclass(frozen=True)
class Manifest:
    """The manifest of a file."""

    format: str  # csv, xlsx, perfetto, ...
    runs: Sequence[str]
    traces: Sequence[Mapping[str, Any]]  # trace_id, name, rank, sha256 of each source file
    warehouse: str
    schema_version: str
    tw_version: str
    written_at: str  # UTC
    parts: Sequence[Part] = ()
    options: Mapping[str, Any] = field(default_factory=dict)  # of an export without queries
    sha256: str | None = None  # of the file, if the manifest is beside it
    queries: str = ""  # texts of the parts' queries and of all they call; see lineage.unpack

    def to_json(self, *, indent: int | None = None) -> str:
        return json.dumps({"origin": 1, **asdict(self)}, indent=indent)

    @classmethod
    def from_json(cls, text: str | bytes) -> Manifest:
        """Parses a manifest; ignores keys of newer versions, raises ValueError for other text."""
        values = json.loads(text)
        if not isinstance(values, dict) or "origin" not in values:
            raise ValueError("not a manifest")
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
    """Creates a manifest from the entries of one or more queries (`warehouse.query.lineage`)."""
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
        queries=_queries(abouts),
        **{key: abouts[0].get(key, "") for key in _SHARED},
    )


def _queries(abouts: Sequence[Mapping[str, str]]) -> str:
    if len(abouts) == 1:
        return abouts[0].get("queries", "")
    texts: dict[str, str] = {}
    for about in abouts:
        texts |= lineage.texts_of(about)
    return lineage.pack_texts(texts)


def part(about: Mapping[str, str], n_rows: int | None = None, digest: str | None = None) -> Part:
    """Creates a part from the manifest entries of a query."""
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


def of_result(result: QueryResult) -> Part:
    """Creates a part from a query result."""
    with Digest(result.columns) as digest:
        if isinstance(result, StoredRows) and result.is_stored:
            digest.add_stored(result)
        else:
            digest.add(result.arrow())
        return part(result.meta, result.n_rows, digest.hex)


def write_rows(
    rows: Rows,
    format: str,
    path: Path,
    about: Mapping[str, str],
    *,
    max_rows: int = -1,
    is_csv_safe: bool = False,
) -> int:
    """Writes rows and their manifest to a file, atomically; returns the number of rows.

    Raises ExportError and the exceptions of the query.
    """
    with Digest(rows.columns) as digest:
        read = rows if format in EMBEDDED else DigestingRows(rows, digest)
        with files.whole_file(path) as file:
            n_shown = encoding.write(
                read, format, file, max_rows=max_rows, metadata=about, is_csv_safe=is_csv_safe
            )
        if format not in EMBEDDED and about.get("traces") and not files.is_stream(path):
            made = part(about, digest.n_rows, digest.hex)
            put_beside(path, of([about], format, [made], sha256=sha256(path)))
    return n_shown


def write_text(text: str, path: Path, results: Sequence[QueryResult]) -> None:
    """Writes text made from one or more results, with a manifest; raises ExportError."""
    with files.whole_file(path) as file:
        file.write(text.encode())
    if files.is_stream(path):
        return
    parts = [of_result(each) for each in results]
    put_beside(path, of([each.meta for each in results], "text", parts, sha256=sha256(path)))


def beside(path: Path) -> Path:
    """Returns the path of the manifest beside a file."""
    return path.with_name(path.name + SUFFIX)


def put_beside(path: Path, manifest: Manifest) -> None:
    """Writes a manifest beside a file or into a folder, as readable as that; raises ExportError."""
    target = path / ("_" + SUFFIX.lstrip(".")) if path.is_dir() else beside(path)
    with files.no_more_readable(path), files.whole_file(target, keeps_mode=False) as file:
        file.write(manifest.to_json(indent=2).encode() + b"\n")


def read(path: Path) -> Manifest:
    """Reads the manifest of a file; raises UsageError if there is none."""
    try:
        text = _READERS.get(path.suffix.lower(), _read_beside)(path)
        return Manifest.from_json(text)
    except (OSError, ValueError, KeyError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise UsageError(
            f"{path} has no manifest" + (f": {reason}" if reason else ""),
            hint=f"Files written by `tw` contain one, or have {beside(path).name} beside them.",
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
    """Joins the cells of the hidden sheet: long text is split over several."""
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
        raise ValueError("not a workbook") from None
    return "".join(cell.text or "" for cell in sheet.iter(_TAG.format("t")))


def _plain(xml: bytes) -> bytes:
    """Parses XML as xlsxwriter writes it; rejects document types (entity expansion)."""
    if b"<!DOCTYPE" in xml or b"<!ENTITY" in xml:
        raise ValueError("not a workbook written by tw")
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
    """Returns the SHA-256 of a file, or of the digests and names of all files in a folder."""
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
