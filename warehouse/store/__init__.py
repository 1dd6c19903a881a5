"""The warehouse file: open, lock, migrate, copy, remove."""
