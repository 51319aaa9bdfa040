"""Slowing down whoever guesses tokens, and nobody else."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

BURST = 10
"""Wrong tokens that an address may send at once."""

SECONDS_EACH = 6.0
"""After so long it may send one more."""

ADDRESSES = 4_096
"""Addresses that are remembered; the longest unseen is forgotten first."""


class Throttle:
    """Counts failures by address. Safe to use from any thread.

    Whoever has failed too often is not even looked at, right or wrong, until some time
    went by; but what was right before from that address goes on being looked at, so that
    one guesser behind a shared address locks nobody out. group: which addresses are one.
    """

    def __init__(
        self,
        burst: int = BURST,
        seconds_each: float = SECONDS_EACH,
        addresses: int = ADDRESSES,
        clock: Callable[[], float] = time.monotonic,
        group: Callable[[str], str] | None = None,
    ) -> None:
        self._burst = burst
        self._each = seconds_each
        self._most = addresses
        self._clock = clock
        self._group = group or group_of
        self._lock = threading.Lock()
        # Address to the moment at which its failures will all be forgotten.
        self._until: OrderedDict[str, float] = OrderedDict()
        self._good: OrderedDict[tuple[str, bytes], None] = OrderedDict()

    def wait(self, address: str, digest: bytes = b"") -> int:
        """Return how many seconds an address must wait, 0 when it may try now.

        digest: of what it is about to try.
        """
        key = self._group(address)
        with self._lock:
            if (key, digest) in self._good:
                self._good.move_to_end((key, digest))
                return 0
            over = self._until.get(key, 0.0) - self._clock() - (self._burst - 1) * self._each
        return 0 if over <= 0 else int(over) + 1

    def failed(self, address: str) -> None:
        """Count a failure."""
        key = self._group(address)
        with self._lock:
            now = self._clock()
            self._until[key] = max(self._until.pop(key, now), now) + self._each
            while len(self._until) > self._most:
                self._until.popitem(last=False)

    def passed(self, address: str, digest: bytes) -> None:
        """Remember what was right from an address."""
        key = (self._group(address), digest)
        with self._lock:
            self._good[key] = None
            self._good.move_to_end(key)
            while len(self._good) > self._most:
                self._good.popitem(last=False)


def group_of(address: str) -> str:
    """Return what stands for an address: itself, or the network that one holder has of IPv6."""
    return _network(address, 64)


def network_of(address: str) -> str:
    """Return an address, or of IPv6 the largest network that is given to one customer."""
    return _network(address, 48)


def _network(address: str, bits: int) -> str:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found) >> 128 - bits << 128 - bits, bits)))
