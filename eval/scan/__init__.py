"""How well the scanners find, on labelled lines and whole documents.

``python -m eval.scan --help`` says what can be measured; README.md has the tables.
"""
