"""What importers of graphs share: the tensors and process groups that nodes name."""

from importlib.resources import files

_FOLDER = files(__package__)

#: From the JSON of inputs and outputs to scratch tables, and from these to core tables.
PREPARE = _FOLDER / "prepare.sql"
NORMALIZE = _FOLDER / "normalize.sql"
#: File names of Chakra traces: <job>.<rank>.et
RANK_PATTERN = r"\.(\d+)\.et(?:\.gz)?"
