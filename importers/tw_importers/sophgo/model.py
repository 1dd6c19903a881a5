"""The content of a capture, before its records are bound to commands and to a common time."""

from __future__ import annotations

from dataclasses import dataclass, field

from tw_importers.sophgo.commands import Scopes
from tw_importers.sophgo.core import Core, Port
from tw_importers.sophgo.layers import Layers
from tw_importers.sophgo.profile import Profile


@dataclass
class Capture:
    """Profile, cores and CDMA ports of a capture; `layers` only for compiled models."""

    profile: Profile
    cores: list[Core] = field(default_factory=list)
    ports: list[Port] = field(default_factory=list)
    scopes: Scopes = field(default_factory=Scopes)
    layers: Layers | None = None
