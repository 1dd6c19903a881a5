"""Shared by importers of protobuf files: declared messages and walks over fields; no format."""
