"""RunMetadata of TensorFlow 1: the operations of a session's step, by device.

Format: protobuf (github.com/tensorflow/tensorflow, core/protobuf/config.proto and
core/framework/step_stats.proto); what `tf.compat.v1.RunMetadata().SerializeToString()` gives.
"""

from __future__ import annotations

from importlib.resources import files

from tw_importers import gpu_activity
from tw_importers.tf_run_metadata.read import read, sniff
from warehouse.ingest.importer import NESTING, FileImporter

_FOLDER = files(__package__)

TF_RUN_METADATA = FileImporter(
    name="tf_run_metadata",
    title="RunMetadata of TensorFlow 1: operations of a session's step (protobuf)",
    version=1,
    sniff=sniff,
    read=read,
    prepare=(
        gpu_activity.MACROS,
        gpu_activity.TABLES,
        _FOLDER / "gather.sql",
        gpu_activity.PREPARE,
        NESTING,
    ),
    normalize=(gpu_activity.MACROS, gpu_activity.NORMALIZE, _FOLDER / "normalize.sql"),
    record_tables=gpu_activity.RECORD_TABLES,
    generic_stems=("run_metadata",),
)
