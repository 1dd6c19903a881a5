"""How profiles of GPU profilers are shown on timelines."""

from __future__ import annotations

from warehouse.export.presentation import Presentation

PRESENTATION = Presentation(names_streams_by_device=True)
