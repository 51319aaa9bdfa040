"""Personal data: addresses, telephone numbers, accounts, cards, national numbers."""

from manent.scan.pii.judge import find

__all__ = ["find"]
