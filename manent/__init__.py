"""Manent: a git repository that is a memory."""

__version__ = "0.1.0"
