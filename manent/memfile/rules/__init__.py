"""The rules of ``manent memory doctor``, MM001 to MM010.

A rule is a module: ``ID``, ``SEVERITY``, ``SINCE``, ``check(survey)``, and a docstring
that is its page and its test.
"""

from types import ModuleType

from manent.memfile.rules import (
    mm001_prefix_over_budget,
    mm002_tree,
    mm003_volatile,
    mm004_unreachable,
    mm005_repeated,
    mm006_absent,
    mm007_credential,
    mm008_instruction,
    mm009_import,
    mm010_drift,
)

RULES: tuple[ModuleType, ...] = (
    mm001_prefix_over_budget,
    mm002_tree,
    mm003_volatile,
    mm004_unreachable,
    mm005_repeated,
    mm006_absent,
    mm007_credential,
    mm008_instruction,
    mm009_import,
    mm010_drift,
)
