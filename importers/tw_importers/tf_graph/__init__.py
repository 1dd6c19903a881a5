"""GraphDef of TensorFlow: the operations of a graph and what they take, as text or protobuf.

Format: github.com/tensorflow/tensorflow, core/framework: graph.proto, node_def.proto,
attr_value.proto; what `tf.io.write_graph` writes.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers.tf_graph.certainty import sniff
from warehouse.ingest.importer import ByteReader, FileImporter, Scratch, TraceFacts

_FOLDER = files(__package__)


def _read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    # Loading protobuf takes longer than looking at a file.
    from tw_importers.tf_graph.read import read

    return read(reader, scratch)


TF_GRAPH = FileImporter(
    name="tf_graph",
    title="GraphDef of TensorFlow: operations of a graph (text .pbtxt, or protobuf .pb)",
    version=1,
    kind="graph",
    sniff=sniff,
    read=_read,
    prepare=(_FOLDER / "prepare.sql",),
    normalize=(_FOLDER / "normalize.sql",),
    record_tables=("graph_node",),
    generic_stems=("graph", "graph_def"),
)
