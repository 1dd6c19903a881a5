"""What tensorflow-profiler's drivers enable and set for each kind of device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_TENSORFLOW = (
    "tensorflowTracer:process*", "tensorflowTracer:inline_ready*", "tensorflowTracer:push_succ*",
    "tensorflowTracer:session*", "tensorflowTracer:*operation*", "tensorflowTracer:rdv*",
    "tensorflowTracer:bfc_allocator_stats", "tensorflowTracer:bfc_chunks_stats",
    "tensorflowTracer:memory_allocate", "tensorflowTracer:memory_deallocate", "streamTracer:*",
)  # fmt: skip


@dataclass(frozen=True)
class Preset:
    """Events to enable besides those of TensorFlow, and variables of the program."""

    events: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict)
    needs_preload: bool = False  # a library that emits the events
    keeps_log: bool = False  # device work is in the output of the program


PRESETS = {
    "cuda": Preset(("cudaTracer:*",)),
    "hip": Preset(("hipTracer:*", "hsaTracer:*"), {"HIP_PROFILE_API": "2"}),
    "hc1": Preset(("hipTracer:*", "hsaTracer:*", "interceptionTracer:*"), {}, needs_preload=True),
    "hc2": Preset(("hipTracer:*", "hsaTracer:*", "hcTracer:*"), {"HCC_PROFILE": "2"}),
    "hc3": Preset(("hipTracer:*", "hsaTracer:*"), {"HCC_PROFILE": "2"}, keeps_log=True),
    # The event callback has no fields, and no pattern of its neighbours matches it; without it,
    # tensorflow-profiler places nothing of the device.
    "sycl": Preset(
        ("openclTracer:kernel_*", "openclTracer:device_*", "openclTracer:*_entry",
         "openclTracer:*_exit", "openclTracer:callback"),
        {}, needs_preload=True,
    ),
    "grpc": Preset(("grpcTracer:*",)),
}  # fmt: skip


def events(names: Sequence[str]) -> list[str]:
    """The events of some presets, each once."""
    found = [*_TENSORFLOW] if names else []
    for name in names:
        found += PRESETS[name].events
    return list(dict.fromkeys(found))
