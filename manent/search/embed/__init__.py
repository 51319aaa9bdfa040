"""Embeddings: texts to unit vectors, by models that are on this machine already."""
