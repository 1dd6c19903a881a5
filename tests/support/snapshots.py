"""Random memory snapshots of a simulated caching allocator, with the truth about them.

`make(seed)` gives a Snapshot whose `document` has the structure torch.cuda.memory._snapshot
documents; `pickled(protocol)` is the file. The simulation keeps segments cut into blocks, rounds
sizes to 512 bytes, splits and joins blocks, and delays some releases, as the allocator of
c10/cuda/CUDACachingAllocator.cpp does. Stacks are shared objects, as in real dumps.
"""

from __future__ import annotations

import pickle  # to write; nothing here reads a pickle
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Entry = dict[str, Any]
BASE_US = 1_790_857_026_000_000
FRAMES = [{"filename": "/job/train.py", "line": 10 + n, "name": f"step_{n}"} for n in range(4)] + [
    {"filename": "??", "line": 0, "name": "at::native::empty_cuda(long)"}
]


@dataclass
class Snapshot:
    """A snapshot, and what was allocated (as asked for) and reserved after each entry."""

    document: dict[str, Any]
    allocated: dict[int, list[int]] = field(default_factory=dict)  # of each device
    reserved: dict[int, list[int]] = field(default_factory=dict)

    def pickled(self, protocol: int = 5) -> bytes:
        return pickle.dumps(self.document, protocol=protocol)

    def entries(self, device: int) -> list[Entry]:
        found: list[Entry] = self.document["device_traces"][device]
        return found


class Allocator:
    """One device's: it runs its commands and writes its history."""

    def __init__(self, device: int, choice: random.Random) -> None:
        self.device, self.choice = device, choice
        self.segments: list[dict[str, Any]] = []
        self.history: list[Entry] = []
        self.allocated: list[int] = []
        self.reserved: list[int] = []
        self.now = BASE_US + device
        self.next_address = 0x7F00_0000_0000 + (device << 40)
        self.stacks = [
            [*choice.sample(FRAMES[:4], choice.randrange(1, 4)), *choice.choice([[], FRAMES[4:]])]
            for _ in range(5)
        ] + [[]]

    def write(self, action: str, address: int, size: int, stack: list[Entry]) -> None:
        self.now += self.choice.choice([0, 1, 1, 7])
        key = "device_free" if action == "oom" else "addr"
        self.history.append(
            {"action": action, key: address, "size": size, "stream": 0, "time_us": self.now,
             "pool_id": (0, 0), "frames": stack, "compile_context": "N/A"}
        )  # fmt: skip
        blocks = [block for segment in self.segments for block in segment["blocks"]]
        self.allocated.append(
            sum(b["requested_size"] for b in blocks if b["state"] == "active_allocated")
        )
        self.reserved.append(sum(segment["total_size"] for segment in self.segments))

    def blocks(self, state: str) -> list[dict[str, Any]]:
        return [b for s in self.segments for b in s["blocks"] if b["state"] == state]

    def allocate(self) -> None:
        requested = self.choice.randrange(1, 300_000)
        size, stack = -(-requested // 512) * 512, self.choice.choice(self.stacks)
        free = [block for block in self.blocks("inactive") if block["size"] >= size]
        if not free:
            free = [self.new_segment(max(1 << 20, size), stack)]
        block = min(free, key=lambda each: int(each["size"]))
        self.split(block, size)
        block.update(state="active_allocated", requested_size=requested, frames=stack)
        self.write("alloc", block["address"], requested, stack)

    def new_segment(self, size: int, stack: list[Entry]) -> dict[str, Any]:
        address, self.next_address = self.next_address, self.next_address + (1 << 25)
        block = {"address": address, "size": size, "requested_size": 0, "state": "inactive",
                 "frames": []}  # fmt: skip
        self.segments.append(
            {"device": self.device, "address": address, "total_size": size, "stream": 0,
             "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False,
             "frames": stack, "blocks": [block]}
        )  # fmt: skip
        self.write("segment_alloc", address, size, stack)
        return block

    def split(self, block: dict[str, Any], size: int) -> None:
        if block["size"] - size < 512:
            return
        segment = next(s for s in self.segments if block in s["blocks"])
        rest = {"address": block["address"] + size, "size": block["size"] - size,
                "requested_size": 0, "state": "inactive", "frames": []}  # fmt: skip
        segment["blocks"].insert(segment["blocks"].index(block) + 1, rest)
        block["size"] = size

    def release(self) -> None:
        held = self.blocks("active_allocated")
        if not held:
            return
        block, stack = self.choice.choice(held), self.choice.choice(self.stacks)
        block["state"] = "active_awaiting_free"
        self.write("free_requested", block["address"], block["requested_size"], stack)
        if self.choice.random() < 0.8:
            self.complete(block)

    def complete(self, block: dict[str, Any]) -> None:
        stack, size = block["frames"], block["requested_size"]
        block.update(state="inactive", requested_size=0, frames=[])
        self.write("free_completed", block["address"], size, stack)

    def empty_cache(self) -> None:
        for segment in list(self.segments):
            if all(block["state"] == "inactive" for block in segment["blocks"]):
                self.segments.remove(segment)
                self.write("segment_free", segment["address"], segment["total_size"], [])

    def finish(self) -> None:
        for segment in self.segments:
            for key, states in (
                ("allocated_size", ["active_allocated"]),
                ("active_size", ["active_allocated", "active_awaiting_free"]),
            ):
                segment[key] = sum(b["size"] for b in segment["blocks"] if b["state"] in states)
            segment["requested_size"] = sum(
                b["requested_size"] for b in segment["blocks"] if b["state"] != "inactive"
            )


def make(seed: int, *, devices: int = 1, n: int = 60, forget: int = 0) -> Snapshot:
    """`forget` is how many of the oldest entries the ring buffer of the history has lost."""
    choice = random.Random(seed)
    allocators = [Allocator(device, choice) for device in range(devices)]
    for _ in range(n):
        for allocator in allocators:
            actions: list[Callable[[], None]] = [allocator.allocate] * 4
            actions += [allocator.release] * 3 + [allocator.empty_cache]
            choice.choice(actions)()
            if choice.random() < 0.03:
                allocator.write("oom", 12345, 1 << 40, allocator.stacks[0])
    for allocator in allocators:
        allocator.write("snapshot", 0, 0, [])
        allocator.finish()
    document = {
        "segments": [segment for each in allocators for segment in each.segments],
        "device_traces": [each.history[forget:] for each in allocators] + [[]],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1},
        "external_annotations": [
            {"device": 0, "stage": stage, "name": "ProfilerStep#1", "time_us": BASE_US + at}
            for stage, at in (("START", 2), ("END", 9))
        ],
    }
    return Snapshot(
        document,
        {each.device: each.allocated[forget:] for each in allocators},
        {each.device: each.reserved[forget:] for each in allocators},
    )
