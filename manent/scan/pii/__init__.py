"""Personal data: addresses, telephone numbers, accounts, cards, national numbers."""

from manent.scan.pii.judge import find
from manent.scan.pii.kinds import KINDS, Kind
from manent.scan.pii.made import made

__all__ = ["KINDS", "Kind", "find", "made"]
