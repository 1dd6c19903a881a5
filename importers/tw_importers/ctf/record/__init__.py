"""`tw record lttng`: records programs with LTTng."""
