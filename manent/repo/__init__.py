"""Git as Manent sees it: trees, incoming pushes, history, landing.

The only room that runs ``git`` or imports ``pygit2``.
"""
