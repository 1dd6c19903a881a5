"""dPRO trials of simulated jobs whose true step time is known, for any groups of tensors.

The generator of the recordings outside of the repository is run with a stand-in for NetworkX, of
which it needs a graph and a writer of GML.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NETWORKX = """
class DiGraph:
    def __init__(self):
        self.edges, self.nodes = [], {}

    def add_edges_from(self, edges):
        for edge in edges:
            for name in edge:
                self.nodes.setdefault(name, len(self.nodes))
            self.edges.append(edge)


def write_gml(graph, path):
    lines = ["graph [", "  directed 1"]
    for name, n in graph.nodes.items():
        lines += ["  node [", f"    id {n}", f'    label "{name}"', "  ]"]
    for a, b in graph.edges:
        lines += ["  edge [", f"    source {graph.nodes[a]}", f"    target {graph.nodes[b]}", "  ]"]
    with open(path, "w") as file:
        file.write("\\n".join([*lines, "]", ""]))
"""


class Jobs:
    """Runs the generator into folders below `root`."""

    def __init__(self, data_dir: Path, root: Path) -> None:
        self._program = data_dir.parent / "tools" / "dpro" / "gen_nccl.py"
        self._root = root
        (root / "networkx.py").write_text(NETWORKX)
        self._n = 0

    def record(
        self, arguments: Mapping[str, Any], groups: str = ""
    ) -> tuple[Path, float, list[str]]:
        """A trial, the mean over its steps of the slowest rank's true time in ns, its groups."""
        self._n += 1
        folder = self._root / f"job{self._n}"
        options = {k: v for k, v in arguments.items() if k not in ("out", "groups")}
        command = [sys.executable, str(self._program), str(folder)]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        command += ["--groups", groups] if groups else []
        environment = {**os.environ, "PYTHONPATH": str(self._root)}
        subprocess.run(command, env=environment, check=True, capture_output=True)
        truth = json.loads((folder / "truth.json").read_text())
        steps = [max(ranks) for ranks in truth["truth_iter_us"]]
        return folder, sum(steps) / len(steps) * 1e3, truth["groups"]

    def capped(self, folder: Path, megabytes: float) -> str:
        """Groups that close before they exceed a size, in the order of a trial's groups."""
        truth = json.loads((folder / "truth.json").read_text())
        n_bytes = [size for _, _, size in truth["tensors"]]
        order = [int(each) for group in truth["groups"] for each in group.split("+")]
        groups: list[list[int]] = [[]]
        for tensor in order:
            if groups[-1] and sum(n_bytes[i] for i in [*groups[-1], tensor]) > megabytes * 1e6:
                groups.append([])
            groups[-1].append(tensor)
        return ",".join("+".join(map(str, group)) for group in groups)


def random_arguments(seed: int) -> dict[str, Any]:
    """Arguments of a job of 2 to 8 ranks, 8 to 60 tensors, a bandwidth within a factor of 30."""
    source = random.Random(seed)
    hosts, gpus = source.choice([(1, 2), (2, 1), (2, 2), (1, 4), (4, 1), (2, 3), (2, 4), (4, 2)])
    return {
        "hosts": hosts, "gpus": gpus, "convs": source.randint(2, 19), "steps": 4,
        "channels": source.randint(1, 2), "slices": 1, "loops": 1, "jitter": 0.02, "seed": seed,
        "group_mb": source.choice([0.002, 0.02, 0.1, 0.5, 2]),
        "bw": round(400 * 30 ** source.uniform(-0.5, 0.5), 1),
        "comp": round(source.uniform(0.1, 1), 2), "io": 0,
    }  # fmt: skip
