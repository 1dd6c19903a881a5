"""Cost models: how long work takes by its size, fitted to recorded work."""
