"""Plays a made-up training program on made-up hardware and writes down what a profiler would.

`tests/support/randomtrace.py` is the way in. Times in the events made here are whole
nanoseconds. The program is drawn from the seed alone, its lengths from seed and rank, so that all
ranks of a job do the same at different speeds. Everything is causal: work begins after its call,
streams are in order, waits end after what they wait for; except what `odd` adds on purpose.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]

PID = 4242
MAIN, BACKWARD, LOADER, ODD = 4242, 4250, 4260, 4270  # threads of the process
COMPUTE, COMMUNICATION, COPY = 7, 20, 24  # streams of each device
KERNELS = ("gemm_128x64", "elementwise<float>", "softmax_warp", "layer_norm", "triton_poi_0")
OPERATORS = ("aten::linear", "aten::addmm", "aten::relu", "aten::to", "aten::softmax", "my::op")
MODULES = ("Linear", "LayerNorm", "Block")
COLLECTIVES = (
    ("allreduce", "AllReduce_Sum_f32_RING_LL", 1),
    ("_allgather_base", "AllGather_RING_LL", 2),
    ("_reduce_scatter_base", "ReduceScatter_Sum_f32_RING_LL", 0),
)
ELEMENT_BYTES = {"Float": 4, "BFloat16": 2}


@dataclass(frozen=True)
class Knobs:
    """What is in a trace; see `randomtrace.make`."""

    steps: int = 3
    are_steps_marked: bool = True
    operators: int = 3  # outermost operators in each phase of a step
    devices: int = 2
    device_work: bool = True
    host: bool = True
    backward: bool = True
    collectives: bool = True
    syncs: bool = True
    copies: bool = True
    graphs: bool = True
    annotations: bool = True
    python: bool = True
    memory: bool = True
    loader: bool = True
    odd: bool = True
    number_first_step: int = 7
    ranks: int = 1
    #: Latency of all launches, gap between all work of a stream that follows at once, and what a
    #: call that waits takes after what it waits for; None: at random. With one of them, what the
    #: program waits for is recorded, too.
    launch_ns: int | None = None
    gap_ns: int | None = None
    tail_ns: int | None = None
    #: Other lengths of the same program: from category, name and length to another length.
    change: Callable[[str, str, float], float] | None = None
    #: What a step does besides: called with the program, its main thread, the number of the step,
    #: and where it is, "begin" or "forward" (after it). Draws made there change no others.
    fault: Callable[[Any, Any, int, str], None] | None = None
    #: For each rank, lengths to run the program again with (`RandomTrace.lengths`).
    lengths: Sequence[Sequence[float]] | None = None


@dataclass
class Thread:
    tid: int
    now: int
    open: list[Event] = field(default_factory=list)  # slices it is in, outermost first
    forward_numbers: list[int] = field(default_factory=list)


class Program:
    """One rank's run. `collective_ends` are when the collectives end, as far as that is known."""

    def __init__(self, seed: int, rank: int, knobs: Knobs, collective_ends: list[int]) -> None:
        self.knobs, self.rank = knobs, rank
        self.choice = random.Random(f"program {seed}")
        self.length = random.Random(f"speed {seed} {rank}")
        self.events: list[Event] = []
        self.device_events: list[Event] = []
        self.arrows: list[Event] = []
        self.free: dict[tuple[int, int], int] = defaultdict(int)  # when a stream is done
        self.ends: list[int] = collective_ends
        self.collective_starts: list[int] = []
        self.n_correlations = self.n_external = self.n_python = self.n_arrows = 0
        self.n_sequence = 0
        self.allocated = 0
        self.drawn: list[float] = []  # all lengths, in order
        self.forward: list[tuple[int, Event]] = []  # (sequence number, operator) of a step

    # --- small parts

    def some(self, low: int, high: int) -> Any:
        """A length, drawn or given: whole nanoseconds unless given otherwise."""
        drawn: float = self.length.randint(low, high)
        if self.knobs.lengths is not None:
            drawn = self.knobs.lengths[self.rank][len(self.drawn)]
        self.drawn.append(drawn)
        return drawn

    def within_limits(self, fixed: int | None, low: int, high: int) -> Any:
        """A length that a setting may fix."""
        drawn = self.some(low, high)
        return drawn if fixed is None else fixed

    @property
    def is_recorded(self) -> bool:
        """Whether everything that the program waits for is in the trace."""
        knobs = self.knobs
        return not knobs.launch_ns is knobs.gap_ns is knobs.tail_ns is None

    def changed(self, cat: str, name: str, dur: Any) -> Any:
        return dur if self.knobs.change is None else self.knobs.change(cat, name, dur)

    def chance(self, probability: float) -> bool:
        return self.choice.random() < probability

    def event(self, cat: str, name: str, tid: int, ts: int, dur: int, args: Event) -> Event:
        return {"ph": "X", "cat": cat, "name": name, "pid": PID, "tid": tid, "ts": ts, "dur": dur,
                "args": args}  # fmt: skip

    @contextmanager
    def within(self, thread: Thread, cat: str, name: str, **args: Any) -> Iterator[Event]:
        """A host slice around what happens inside; a few share their start or end with it."""
        thread.now += 0 if self.chance(0.05) else self.some(200, 1500)
        made = self.event(cat, name, thread.tid, thread.now, 0, args)
        self.events.append(made)
        thread.open.append(made)
        thread.now += 0 if self.chance(0.1) else self.some(100, 2000)
        yield made
        thread.now += 0 if self.chance(0.1) else self.some(100, 2000)
        thread.open.pop()
        made["dur"] = thread.now - made["ts"]

    def next_external(self) -> int:
        self.n_external += 1
        return self.n_external

    @contextmanager
    def operator(self, thread: Thread, name: str, **args: Any) -> Iterator[Event]:
        ids = {"External id": self.next_external(), "Record function id": 0}
        with self.within(thread, "cpu_op", name, **ids, **args) as made:
            yield made

    @contextmanager
    def annotation(self, thread: Thread, name: str) -> Iterator[None]:
        is_step = name.startswith("ProfilerStep")
        if not (self.knobs.are_steps_marked if is_step else self.knobs.annotations):
            yield
            return
        first = len(self.device_events)
        external = self.next_external()
        with self.within(thread, "user_annotation", name, **{"External id": external}):
            yield
        self.project(name, external, self.device_events[first:])

    def project(self, name: str, external: int, work: list[Event]) -> None:
        """The profiler shows a range again on each stream it launched work to."""
        streams = defaultdict(list)
        for each in work:
            if each["cat"] in ("kernel", "gpu_memcpy", "gpu_memset"):
                streams[each["pid"], each["tid"]].append(each)
        for (device, stream), mine in streams.items():
            start = min(each["ts"] for each in mine)
            end = max(each["ts"] + each["dur"] for each in mine)
            made = self.event("gpu_user_annotation", name, stream, start, end - start,
                              {"External id": external})  # fmt: skip
            self.device_events.append(made | {"pid": device})

    @contextmanager
    def frame(self, thread: Thread, name: str) -> Iterator[None]:
        if not self.knobs.python:
            yield
            return
        self.n_python += 1
        above = [e for e in thread.open if e["cat"] == "python_function"]
        args = {"Python parent id": above[-1]["args"]["Python id"] if above else None,
                "Python id": self.n_python}  # fmt: skip
        if name.startswith("nn.Module"):
            args["Python module id"] = int(name.rpartition("_")[2])
        with self.within(thread, "python_function", name, **args):
            yield

    # --- calls and device work

    def external_of(self, thread: Thread) -> int | None:
        around = [e for e in thread.open if e["cat"] == "cpu_op"]
        return around[-1]["args"]["External id"] if around else None

    def call(
        self, thread: Thread, name: str, dur: int, is_launch: bool = False, **args: Any
    ) -> Event:
        self.n_correlations += 1
        thread.now += self.some(100, 900)
        dur = self.changed("launch" if is_launch else "call", name, dur)
        cat = "cuda_runtime" if name.startswith("cuda") else "cuda_driver"
        own = {"External id": self.external_of(thread) or self.n_correlations, "cbid": 211,
               "correlation": self.n_correlations}  # fmt: skip
        made = self.event(cat, name, thread.tid, thread.now, dur, own | args)
        self.events.append(made)
        thread.now += dur
        return made

    def work(
        self, call: Event, cat: str, name: str, device: int, stream: int, dur: int, **args: Any
    ) -> Event:
        """Device work of a call: after the call began and after all before it on the stream."""
        dur = self.changed(cat, name, dur)
        latency = self.within_limits(self.knobs.launch_ns, 800, 6000)
        ready = call["ts"] + self.changed("latency", name, latency)
        gap = self.within_limits(self.knobs.gap_ns, 0, 900)
        start = max(ready, self.free[device, stream] + gap) if self.free[device, stream] else ready
        own = {"External id": call["args"]["External id"], "device": device, "context": 1,
               "stream": stream, "correlation": call["args"]["correlation"]}  # fmt: skip
        made = self.event(cat, name, stream, start, dur, own | args) | {"pid": device}
        self.device_events.append(made)
        self.free[device, stream] = start + dur
        for phase, end in (("s", call), ("f", made)):
            self.arrow(phase, "ac2g", own["correlation"], end)
        return made

    def arrow(self, phase: str, cat: str, number: int, at: Event) -> None:
        made = {"ph": phase, "id": number, "cat": cat, "name": cat, "pid": at["pid"],
                "tid": at["tid"], "ts": at["ts"]}  # fmt: skip
        self.arrows.append(made | ({"bp": "e"} if phase == "f" else {}))

    def device(self) -> int:
        return 0 if self.chance(0.7) else self.choice.randrange(max(self.knobs.devices, 1))

    def launch(self, thread: Thread) -> None:
        name = self.choice.choice(["cudaLaunchKernel", "cudaLaunchKernel", "cuLaunchKernelEx"])
        kernel, device = self.choice.choice(KERNELS), self.device()
        stream = COPY if self.chance(0.1) else COMPUTE
        call = self.call(thread, name, self.some(900, 5000), is_launch=True)
        if self.knobs.device_work:
            grid = {"grid": [self.choice.randrange(1, 9), 4, 1], "block": [128, 1, 1]}
            self.work(call, "kernel", kernel, device, stream, self.some(300, 12000), **grid,
                      **{"registers per thread": 32, "shared memory": 0})  # fmt: skip

    def graph(self, thread: Thread) -> None:
        device = self.device()
        call = self.call(thread, "cudaGraphLaunch", self.some(3000, 9000), is_launch=True)
        for node in range(self.choice.randrange(2, 4)):
            kernel = self.choice.choice(KERNELS)
            if self.knobs.device_work:
                self.work(call, "kernel", kernel, device, COMPUTE, self.some(300, 5000),
                          **{"graph id": 3, "graph node id": node})  # fmt: skip

    def copy(self, thread: Thread) -> None:
        direction, memory = self.choice.choice(
            [("HtoD", "Pinned -> Device"), ("HtoD", "Pageable -> Device"),
             ("DtoH", "Device -> Pageable"), ("DtoD", "Device -> Device")]
        )  # fmt: skip
        size, device = self.choice.randrange(1, 1 << 20), self.device()
        is_blocking = self.chance(0.25)
        name = "cudaMemcpy" if is_blocking else "cudaMemcpyAsync"
        call = self.call(thread, name, self.some(900, 5000), is_launch=True)
        if not self.knobs.device_work:
            return
        dur = self.some(200, 9000)
        made = self.work(
            call, "gpu_memcpy", f"Memcpy {direction} ({memory})", device, COPY, dur, bytes=size,
            **{"memory bandwidth (GB/s)": size / dur},
        )  # fmt: skip
        if is_blocking:
            self.wait_until(thread, call, made["ts"] + made["dur"])

    def memset(self, thread: Thread) -> None:
        device, size = self.device(), self.choice.randrange(1, 1 << 16)
        call = self.call(thread, "cudaMemsetAsync", self.some(900, 3000), is_launch=True)
        if self.knobs.device_work:
            self.work(call, "gpu_memset", "Memset (Device)", device, COMPUTE, self.some(100, 2000),
                      bytes=size)  # fmt: skip

    # --- waits

    def wait_until(self, thread: Thread, call: Event, time: int) -> None:
        tail = self.within_limits(self.knobs.tail_ns, 300, 1500)
        if self.knobs.tail_ns is None:
            thread.now = max(thread.now, time + tail)
        else:
            thread.now = max(call["ts"], time) + tail
        call["dur"] = thread.now - call["ts"]

    def record(self, kind: str, call: Event, device: int, stream: int, **args: Any) -> None:
        """What the profiler writes on the device for a call that waits."""
        own = {"External id": call["args"]["External id"], "cuda_sync_kind": kind,
               "stream": stream, "correlation": call["args"]["correlation"], "device": device,
               "context": 1}  # fmt: skip
        dur = max(call["dur"] - 600, 0)
        made = self.event("cuda_sync", kind, stream, call["ts"] + 300, dur, own | args)
        self.device_events.append(made | {"pid": device})

    def sync(self, thread: Thread) -> None:
        kind, device = self.choice.choice(["stream", "device", "event", "stream event"]), 0
        stream, other = self.choice.sample([COMPUTE, COMMUNICATION, COPY], 2)
        if kind == "stream":
            call = self.call(thread, "cudaStreamSynchronize", self.some(500, 2000))
            self.wait_until(thread, call, self.free[device, stream])
            self.record("Stream Sync", call, device, stream)
        elif kind == "device":
            call = self.call(thread, "cudaDeviceSynchronize", self.some(500, 2000))
            done = [end for (where, _), end in self.free.items() if where == device]
            self.wait_until(thread, call, max(done, default=0))
            self.record("Context Sync", call, device, -1)
        else:
            upto, waited = self.record_event(thread, device, stream)
            if kind == "event":
                call = self.call(thread, "cudaEventSynchronize", self.some(500, 2000))
                self.wait_until(thread, call, upto)
                self.record("Event Sync", call, device, -1, **waited)
            else:
                self.stream_wait(thread, device, other, upto, waited)

    def record_event(self, thread: Thread, device: int, stream: int) -> tuple[Any, Event]:
        recorded = self.call(thread, "cudaEventRecord", self.some(200, 900))
        waited = {"wait_on_stream": stream, "wait_on_cuda_event_id": 9,
                  "wait_on_cuda_event_record_corr_id": recorded["args"]["correlation"]}  # fmt: skip
        return self.free[device, stream], waited

    def stream_wait(
        self, thread: Thread, device: int, stream: int, upto: Any, waited: Event
    ) -> None:
        call = self.call(thread, "cudaStreamWaitEvent", self.some(500, 2000))
        self.free[device, stream] = max(self.free[device, stream], upto)
        self.record("Stream Wait Event", call, device, stream, **waited)

    # --- operators

    def body(self, thread: Thread, depth: int) -> None:
        """What an operator does: calls, and operators inside."""
        for _ in range(self.choice.randrange(1, 4)):
            if depth < 3 and self.chance(0.3):
                with self.operator(thread, self.choice.choice(OPERATORS)):
                    self.body(thread, depth + 1)
            else:
                self.some_call(thread)

    def some_call(self, thread: Thread) -> None:
        draw = self.choice.random()
        if draw < 0.15 and self.knobs.copies:
            self.copy(thread)
        elif draw < 0.22 and self.knobs.copies:
            self.memset(thread)
        elif draw < 0.32 and self.knobs.syncs:
            self.sync(thread)
        elif draw < 0.36 and self.knobs.graphs:
            self.graph(thread)
        elif draw < 0.42:
            name = self.choice.choice(["cudaMalloc", "cudaGetDevice", "cudaLaunchKernel"])
            self.call(thread, name, self.some(300, 900))  # it launches nothing
        else:
            self.launch(thread)
        if self.knobs.memory and self.chance(0.15):
            self.memory(thread)

    def memory(self, thread: Thread) -> None:
        size = self.choice.randrange(512, 1 << 16)
        if self.allocated and self.chance(0.4):
            size = -self.choice.randrange(1, self.allocated + 1)
        self.allocated += size
        args = {"Total Reserved": 2097152, "Total Allocated": self.allocated, "Bytes": size,
                "Addr": 140737488355328 + self.choice.randrange(64) * 512, "Device Id": 0,
                "Device Type": 1}  # fmt: skip
        self.events.append(
            {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": PID,
             "tid": thread.tid, "ts": thread.now, "args": args}
        )  # fmt: skip

    def forward_operator(self, thread: Thread) -> None:
        """An operator that autograd will come back to, with a number both share."""
        self.n_sequence += 1
        numbers = {"Sequence number": self.n_sequence, "Fwd thread id": 0}
        with self.operator(thread, self.choice.choice(OPERATORS), **numbers) as made:
            self.forward.append((self.n_sequence, made))
            self.body(thread, 1)

    def backward_operators(self, thread: Thread) -> None:
        for number, forward in reversed(self.forward):
            if self.chance(0.15):
                continue  # it needed no gradient
            name = forward["name"].rpartition("::")[2].title() + "Backward0"
            numbers = {"Sequence number": number, "Fwd thread id": 1}
            around = f"autograd::engine::evaluate_function: {name}"
            with self.operator(thread, around, **numbers) as outer:
                if self.chance(0.6):
                    self.n_arrows += 1
                    self.arrow("s", "fwdbwd", self.n_arrows, forward)
                    self.arrow("f", "fwdbwd", self.n_arrows, outer)
                with self.operator(thread, name, **numbers):
                    self.body(thread, 1)
        self.forward.clear()

    def collective(self, thread: Thread) -> None:
        """A collective of all ranks; its kernel ends at the same moment everywhere."""
        name, kernel, growth = self.choice.choice(COLLECTIVES)
        elements, dtype = (
            self.choice.randrange(1, 1 << 16) * 4,
            self.choice.choice([*ELEMENT_BYTES]),
        )
        group = max(self.knobs.ranks, 2)
        out = {1: elements, 2: elements * group, 0: elements // group}[growth]
        n = len(self.collective_starts)
        args = {"Collective name": name, "In msg nelems": elements, "Out msg nelems": out,
                "Group size": group, "dtype": dtype, "In split size": "[]",
                "Out split size": "[]", "Global rank start": 0, "Global rank stride": 1,
                "Process Group Name": "0", "Process Group Description": "default_pg",
                "Process Group Ranks": str(list(range(group))), "Seq": n + 1}  # fmt: skip
        with (
            self.operator(thread, f"c10d::{name}_"),
            self.operator(thread, "record_param_comms", **args),
            self.annotation(thread, f"nccl:{name}"),
        ):
            call = self.call(thread, "cudaLaunchKernelExC", self.some(900, 5000), is_launch=True)
        if not self.knobs.device_work:
            self.collective_starts.append(thread.now)
            return
        own = self.some(2000, 15000)
        made = self.work(call, "kernel", f"ncclDevKernel_{kernel}(ncclDevKernelArgsStorage)",
                         0, COMMUNICATION, own, **args)  # fmt: skip
        self.collective_starts.append(made["ts"])
        if n < len(self.ends):
            made["dur"] = self.ends[n] - made["ts"]
            self.free[0, COMMUNICATION] = self.ends[n]
        if self.chance(0.5):  # what comes next on the compute stream needs the result
            if self.is_recorded:
                upto, waited = self.record_event(thread, 0, COMMUNICATION)
                self.stream_wait(thread, 0, COMPUTE, upto, waited)
            self.free[0, COMPUTE] = max(self.free[0, COMPUTE], self.free[0, COMMUNICATION])

    # --- the whole

    def run(self) -> Program:
        main = Thread(MAIN, 1_000_000 + self.some(0, 5000))
        backward = Thread(BACKWARD, 0)
        with self.frame(main, "train.py(12): main"):
            for n in range(self.knobs.steps):
                with self.annotation(main, f"ProfilerStep#{self.knobs.number_first_step + n}"):
                    self.step(main, backward, n)
                main.now += self.some(0, 3000)
        if self.knobs.loader:
            self.load(main)
        return self

    def add_fault(self, main: Thread, n: int, place: str) -> None:
        """What `fault` adds."""
        if self.knobs.fault is not None:
            before = self.choice, self.length, self.drawn
            self.choice, self.length, self.drawn = random.Random(n), random.Random(n), []
            self.knobs.fault(self, main, n, place)
            self.choice, self.length, self.drawn = before

    def step(self, main: Thread, backward: Thread, n: int) -> None:
        self.add_fault(main, n, "begin")
        with self.annotation(main, "forward"), self.frame(main, "nn.Module: Model_0"):
            for module in range(self.knobs.operators):
                with self.frame(main, f"nn.Module: {self.choice.choice(MODULES)}_{module % 2}"):
                    self.forward_operator(main)
        self.add_fault(main, n, "forward")
        if self.knobs.backward:
            with self.annotation(main, "backward"):
                backward.now = main.now + self.some(1000, 5000)
                self.backward_operators(backward)
                if self.knobs.collectives:
                    self.collective(backward)
                main.now = backward.now + self.some(1000, 5000)
        elif self.knobs.collectives:
            self.collective(main)
        with (
            self.annotation(main, "optimizer"),
            self.frame(main, "torch/optim/sgd.py(80): step"),
            self.operator(main, "Optimizer.step#SGD.step"),
        ):
            self.body(main, 2)
        self.some_call(main)  # outside of any operator
        main.now += self.some(1000, 20000)

    def load(self, main: Thread) -> None:
        """A thread without operators of its own: its calls name operators of the main thread."""
        thread = Thread(LOADER, 1_000_000)
        operators = [e for e in self.events if e["cat"] == "cpu_op" and e["tid"] == MAIN]
        for _ in range(self.knobs.steps * 2):
            thread.now += self.some(1000, max(main.now - thread.now, 1001) // 4 + 1000)
            before = [e for e in operators if e["ts"] <= thread.now]
            call = self.call(thread, "cudaMemcpyAsync", self.some(900, 4000))
            if before and self.chance(0.7):
                call["args"]["External id"] = before[-1]["args"]["External id"]
            if self.knobs.device_work and self.knobs.copies:
                self.work(call, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, COPY,
                          self.some(200, 5000), bytes=4096)  # fmt: skip
