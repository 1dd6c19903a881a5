"""Chakra execution traces: the protobuf streams `.et` that ASTRA-sim and Chakra's tools read.

One file is one graph. Its nodes keep everything: attributes with the type of their values, texts
of inputs and outputs, unknown fields; so the file can be exported again (chakra_et/export).
"""

from __future__ import annotations

import re
from importlib.resources import files

from tw_importers import graph
from warehouse.ingest.importer import ByteReader, FileImporter, Scratch, TraceFacts

_FOLDER = files(__package__)
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*[{\[]\s*["{\[\]}]')


def sniff(head: bytes, name: str) -> int:
    """Certain with global metadata and behind it a node, or as JSON with the list of nodes; less so
    with metadata alone."""
    if _JSON.match(head) and b"workload_graph" not in head:
        return 0
    from tw_importers.chakra_et.certainty import certainty

    return certainty(head)


def _read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    # Not before it is needed: loading protobuf takes longer than looking at a file.
    from tw_importers.chakra_et.read import read

    return read(reader, scratch)


CHAKRA_ET = FileImporter(
    name="chakra_et",
    title="Chakra execution traces as protobuf (.et), and the feeder's workloads as JSON",
    version=1,
    sniff=sniff,
    read=_read,
    prepare=(_FOLDER / "node_text.sql", graph.PREPARE, _FOLDER / "prepare.sql"),
    normalize=(_FOLDER / "normalize.sql", graph.NORMALIZE),
    kind="graph",
    rank_pattern=graph.RANK_PATTERN,
)
