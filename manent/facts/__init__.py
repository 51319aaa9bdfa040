"""Parsed facts of files by blob id: the derived store every fast path reads."""
