"""dPRO trials of simulated jobs with BytePS whose true step time is known, for any parts.

The generator of the recordings outside of the repository is run with a stand-in for NetworkX; the
line that fixes the number of parts is replaced.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.nccl_jobs import NETWORKX

_PARTS = re.compile(r"^parts = \{.*?\}; ", re.MULTILINE)


class BytePSJobs:
    """Runs the generator into folders below `root`."""

    def __init__(self, data_dir: Path, root: Path) -> None:
        program = (data_dir.parent / "tools" / "dpro" / "gen_bps.py").read_text()
        changed, n = _PARTS.subn(
            'parts = dict(enumerate(json.loads(os.environ["PARTS"]))); ', program
        )
        assert n == 1
        self._program = root / "gen_bps.py"
        self._program.write_text(changed)
        self._root = root
        (root / "networkx.py").write_text(NETWORKX)
        self._n = 0

    def record(
        self, arguments: Mapping[str, Any], counts: Sequence[int]
    ) -> tuple[Path, float, list[int]]:
        """A trial, the mean true time of the slowest worker in ns, and the sizes of its tensors."""
        self._n += 1
        folder = self._root / f"job{self._n}"
        command = [sys.executable, str(self._program), str(folder), "--layers", str(len(counts))]
        for name, value in arguments.items():
            command += [f"--{name}", str(value)]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self._root),
            "PARTS": json.dumps(list(counts)),
        }
        subprocess.run(command, env=environment, check=True, capture_output=True)
        truth = json.loads((folder / "truth.json").read_text())
        steps = [max(ranks) for ranks in truth["truth_iter_us"]]
        return folder, sum(steps) / len(steps) * 1e3, truth["sizes"]
