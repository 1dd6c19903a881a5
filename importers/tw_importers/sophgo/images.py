"""Register images of a capture, each decoded once and numbered over the whole capture."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from tw_importers.sophgo.decode import Chip, Images, decode_images, decode_streams, engine
from tw_importers.sophgo.defects import Defects
from tw_importers.sophgo.records import Ints

_TABLES = {"TIU": "tiu_image", "GDMA": "dma_image", "SDMA": "dma_image", "CDMA": "cdma_image"}


@dataclass
class Store:
    """All images that commands of the capture have, as tables for scratch."""

    chip: Chip
    defects: Defects
    tables: dict[str, list[pa.Table]] = field(default_factory=dict)
    types: list[Ints] = field(default_factory=list)  # type codes, by number of the image
    functions: list[Ints] = field(default_factory=list)  # function codes, likewise
    n_images: int = 0

    def has(self, engine_name: str) -> bool:
        """Whether images of this engine can be read for this chip at all."""
        return engine(self.chip, engine_name) is not None

    def singles(
        self, data: memoryview, engine_name: str, begins: Ints, ends: Ints, file: str
    ) -> Ints:
        """The numbers of the first image of each section of `data`, or -1."""
        numbers = np.full(len(begins), -1)
        if len(begins) and self.has(engine_name):
            found = decode_images(data, self.chip, engine_name, begins, ends)
            table = self._add(found, engine_name, file)
            numbers[table.column("stream").to_numpy()] = table.column("image_n").to_numpy()
        return numbers

    def stream(self, data: memoryview, engine_name: str, file: str) -> Ints:
        """The numbers of all images of a stream, in its order."""
        if not len(data) or not self.has(engine_name):
            return np.empty(0, np.int64)
        found = decode_streams(data, self.chip, engine_name, [(0, len(data))])
        return np.asarray(self._add(found, engine_name, file).column("image_n").to_numpy())

    def type_codes(self) -> Ints:
        """Type code of every image."""
        return np.concatenate([np.empty(0, np.int64), *self.types])

    def function_codes(self) -> Ints:
        """Function code of every image."""
        return np.concatenate([np.empty(0, np.int64), *self.functions])

    def _add(self, found: Images, engine_name: str, file: str) -> pa.Table:
        for defect in found.defects:
            what = f"{defect.n_bytes:,} bytes of register images of {engine_name} were skipped"
            self.defects.warn(defect.kind, file, defect.offset, what)
        table = found.table
        numbers = np.arange(self.n_images, self.n_images + table.num_rows)
        self.n_images += table.num_rows
        self.types.append(table.column("type_code").to_numpy())
        self.functions.append(table.column("function_code").to_numpy())
        table = table.append_column("image_n", pa.array(numbers, pa.int64()))
        self.tables.setdefault(_TABLES[engine_name], []).append(table)
        return table
