"""Engines by name: how a graph of work is simulated, and from which form of the replay queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from warehouse import plugins
from warehouse.errors import UsageError
from warehouse.replay import engine

#: The entry-point group of engines of other packages.
GROUP = "trace_warehouse.engines"
DEFAULT = "default"


@dataclass(frozen=True)
class Engine:
    """A simulation, and the arguments of the replay queries that make its input."""

    simulate: Callable[[engine.Work], engine.Times]
    parameters: Mapping[str, bool] = field(default_factory=dict)
    #: Length of the critical path, by the names of the nodes, if the engine defines one.
    critical_path_ns: Callable[[engine.Work, engine.Times, Sequence[str]], float] | None = None

    def with_parameters(self, **parameters: bool) -> Engine:
        """The same engine with further arguments of the replay queries."""
        return replace(self, parameters={**self.parameters, **parameters})


def find(name: str) -> Engine:
    """Returns an engine; raises UsageError for an unknown name."""
    if name == DEFAULT:
        return Engine(engine.simulate)
    found = plugins.load(GROUP, name, Engine)
    if found is None:
        raise UsageError(f"engine {name!r} not found", hint=f"Engines: {', '.join(names())}.")
    return found


def names() -> list[str]:
    """Returns the names of all engines."""
    return [DEFAULT, *plugins.names(GROUP)]
