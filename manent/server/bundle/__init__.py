"""Derived stores of a tree as one signed file, from one server to others."""
