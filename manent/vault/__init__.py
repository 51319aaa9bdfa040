"""The notes of a Tree, found by path and by name."""
