"""The commands that replay a cluster under a profiler, or without one.

disc-replay-main: -p PROGRAM -d ARCHIVE [-w WARMUP] [--enable-nvprof], of BladeDISC's
tools/disc_replay. With --enable-nvprof only the last iteration is between cudaProfilerStart and
cudaProfilerStop.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

PROGRAM: Final = "program.input"
DATA: Final = "data.tar"
BINARY: Final = "disc-replay-main"
TOOLS: Final = ("none", "nsys", "nvprof")
_NSYS: Final = ("nsys", "profile", "-t", "cuda,cublas,cudnn,osrt", "--force-overwrite", "true")
_RANGE: Final = {
    "nsys": ("-c", "cudaProfilerApi", "--capture-range-end", "stop"),
    "nvprof": ("--profile-from-start", "off"),
}


@dataclass(frozen=True)
class Plan:
    """How a cluster is replayed; paths are relative to the folder of its bundle."""

    stem: str  # of the profile's name
    tool: str = "none"  # one of TOOLS
    warmup: int = 5  # iterations before the measured one
    captures_range: bool = False  # record the measured iteration only
    device: str | None = None  # CUDA_VISIBLE_DEVICES
    binary: str = BINARY

    @property
    def profile(self) -> str | None:
        """The file that `tw import` reads afterwards."""
        return {"nsys": f"{self.stem}.sqlite", "nvprof": f"{self.stem}.nvvp"}.get(self.tool)

    def replay(self) -> list[str]:
        """The command of the replay itself."""
        command = [self.binary, "-p", PROGRAM, "-d", DATA, "-w", str(self.warmup)]
        return [*command, "--enable-nvprof"] if self.captures_range else command

    def commands(self) -> Iterator[list[str]]:
        """The commands, in order: the replay, and what makes its profile readable."""
        window = _RANGE.get(self.tool, ()) if self.captures_range else ()
        if self.tool == "nsys":
            yield [*_NSYS, *window, "-o", self.stem, *self.replay()]
            report, target = f"{self.stem}.nsys-rep", f"{self.stem}.sqlite"
            yield ["nsys", "export", "--type", "sqlite", "-o", target, report]
        elif self.tool == "nvprof":
            yield ["nvprof", *window, "-o", f"{self.stem}.nvvp", *self.replay()]
        else:
            yield self.replay()

    def script(self) -> str:
        """A shell script that runs the commands in its own folder."""
        lines = [
            "#!/bin/sh",
            f"# Replays {self.stem}. DISC_DEBUG would make the host wait for every kernel.",
            "set -e",
            'cd "$(dirname "$0")"',
            "unset DISC_DEBUG",
        ]
        if self.device is not None:
            lines.append(f"export CUDA_VISIBLE_DEVICES={shlex.quote(self.device)}")
        return "\n".join([*lines, *map(shlex.join, self.commands()), ""])
