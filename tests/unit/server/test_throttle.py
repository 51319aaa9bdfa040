"""Slowing down who guesses, and nobody else."""

from __future__ import annotations

from manent.server.throttle import Throttle, group_of, network_of


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_then_one_at_a_time() -> None:
    clock = Clock()
    throttle = Throttle(burst=3, seconds_each=10, clock=clock)
    allowed = 0
    while not throttle.wait("192.0.2.1"):
        throttle.failed("192.0.2.1")
        allowed += 1
    assert allowed == 3
    assert 0 < throttle.wait("192.0.2.1") <= 11
    assert throttle.wait("192.0.2.2") == 0
    clock.now += 11
    assert throttle.wait("192.0.2.1") == 0
    throttle.failed("192.0.2.1")
    assert throttle.wait("192.0.2.1") > 0
    clock.now += 31
    for _ in range(3):
        assert throttle.wait("192.0.2.1") == 0
        throttle.failed("192.0.2.1")
    assert throttle.wait("192.0.2.1") > 0


def test_waiting_as_told_is_enough() -> None:
    clock = Clock()
    throttle = Throttle(burst=2, seconds_each=7, clock=clock)
    for _ in range(9):
        throttle.failed("192.0.2.1")
    clock.now += throttle.wait("192.0.2.1")
    assert throttle.wait("192.0.2.1") == 0


def test_what_was_right_before_goes_on() -> None:
    throttle = Throttle(burst=1, clock=Clock())
    throttle.passed("192.0.2.1", b"good")
    throttle.failed("192.0.2.1")
    assert throttle.wait("192.0.2.1", b"good") == 0
    assert throttle.wait("192.0.2.1", b"other") > 0
    assert throttle.wait("192.0.2.2", b"other") == 0
    throttle.failed("192.0.2.2")
    assert throttle.wait("192.0.2.2", b"good") > 0


def test_a_network_of_ipv6_is_one_guesser() -> None:
    assert group_of("2001:db8::1") == group_of("2001:db8::ffff:1")
    assert group_of("2001:db8::1") != group_of("2001:db8:0:1::1")
    assert group_of("::ffff:192.0.2.1") == "192.0.2.1"
    assert group_of("192.0.2.1") == "192.0.2.1" and group_of("") == ""


def test_what_one_customer_has_may_be_one_guesser() -> None:
    assert network_of("2001:db8:1::1") == network_of("2001:db8:1:ffff::2") == "2001:db8:1::/48"
    assert network_of("2001:db8:2::1") != network_of("2001:db8:1::1")
    assert network_of("192.0.2.1") == network_of("::ffff:192.0.2.1") != network_of("192.0.2.2")
    throttle = Throttle(burst=1, clock=Clock(), group=network_of)
    throttle.failed("2001:db8:1:1::1")
    throttle.passed("2001:db8:1:1::1", b"good")
    assert throttle.wait("2001:db8:1:2::1") > 0 == throttle.wait("2001:db8:2::1")
    assert throttle.wait("2001:db8:1:3::1", b"good") == 0


def test_memory_is_bounded() -> None:
    throttle = Throttle(burst=1, addresses=10, clock=Clock())
    for n in range(1_000):
        throttle.failed(f"198.51.100.{n}")
        throttle.passed(f"198.51.100.{n}", b"good")
    assert len(throttle._until) == 10 and len(throttle._good) == 10
