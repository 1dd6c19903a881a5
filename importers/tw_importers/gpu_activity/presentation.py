"""How profiles of GPU profilers are shown on timelines."""

from __future__ import annotations

from warehouse.export.presentation import AddedSlices, Presentation

PRESENTATION = Presentation(
    names_streams_by_device=True,
    added_slices=AddedSlices("disc_iteration_slice", "disc_cluster_profile"),
)
