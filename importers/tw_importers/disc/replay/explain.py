"""Says why a replay failed, by its exit code and its output.

Messages: disc-replay-main (tools/disc_replay of BladeDISC), its compiler and its runtime.
"""

from __future__ import annotations

from typing import Final

_ABORTED: Final = (134, -6)  # SIGABRT, as a shell and as Python count it
_KILLED: Final = (137, -9)
#: Text of the output -> (what it means, what to do); the first that is found counts.
_MEANINGS: Final = (
    ("Can not find tar command", "tar is not on the PATH", "Install tar."),
    ("could not find registered compiler wrapper",
     "this build does not have the device of the program",
     "Use a build for GPUs for programs of MLIR_GPU."),
    ("only host tag for CPU only build", "a build for CPUs cannot replay parameters",
     "Use a build for GPUs."),
    ("Mlir datatype not implemented for constant input", "the type of a constant is not supported",
     "Constants may be float32, int64, int32 and bool."),
    ("Unimplemented DataTypeToMlirType conversion",
     "the type of an argument of fixed shape is not supported",
     "Such arguments may be float32, float64, float16, int64, int32 and bool."),
    ("cuda memory alloc failed", "the memory of the GPU does not suffice",
     "Every iteration allocates the arguments again: use fewer with --warmup."),
    ("cuda memcpy H2D failed", "a copy to the GPU failed",
     "Every iteration allocates the arguments again: use fewer with --warmup."),
    ("load replay record failed",
     "the archive is missing or damaged, or the program or a tensor is not what it should be",
     "`tw disc check` tells which; copy or record it again."),
    ("replay failed", "the program could not be compiled or run",
     "Use the version of BladeDISC that dumped it."),
)  # fmt: skip


def reason(code: int, output: str) -> tuple[str, str] | None:
    """The cause of a failed replay, and its remedy; None if it did not fail."""
    if code == 0:
        return None
    for text, meaning, remedy in _MEANINGS:
        if text in output:
            return meaning, remedy
    if code in _ABORTED:
        return (
            "it aborted, as it does if the program or a member of the archive is missing",
            "`tw disc check` tells which; copy or record it again.",
        )
    if code in _KILLED:
        return "it was killed, perhaps for want of memory", "Look at the log of the system."
    return "it said no more", "Look at its output."
