"""Links: what caused what, within a trace and across the traces of a run."""
