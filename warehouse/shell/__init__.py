"""The SQL shell without its terminal."""
