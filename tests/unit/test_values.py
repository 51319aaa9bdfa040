"""The quick classes are to their users what those of ``dataclasses`` are."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manent import values
from manent.finding import Finding, Severity


@values.dataclass(frozen=True, slots=True)
class Frozen:
    """A value with every kind of field."""

    a: int
    b: str = "b"
    c: tuple[int, ...] = values.field(default_factory=tuple)
    d: int = values.field(default=4, compare=False, repr=False)
    count: ClassVar[int] = 7


@values.dataclass(slots=True)
class Open:
    """A record that changes."""

    a: int
    b: list[int] = values.field(default_factory=list)


@values.dataclass(frozen=True, slots=True)
class One:
    """A value of one field."""

    only: Any


@values.dataclass()
class Parent:
    """A class without slots."""

    a: int = 1
    said: str = ""

    def __post_init__(self) -> None:
        self.said = f"a is {self.a}"


@values.dataclass()
class Child(Parent):
    """One that inherits fields."""

    b: int = 2


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """As ``Frozen``, by the standard module."""

    a: int
    b: str = "b"
    c: tuple[int, ...] = dataclasses.field(default_factory=tuple)
    d: int = dataclasses.field(default=4, compare=False, repr=False)


ARGUMENTS = st.fixed_dictionaries(
    {"a": st.integers(0, 2)},
    optional={
        "b": st.sampled_from("bx"),
        "c": st.lists(st.integers(0, 1), max_size=2).map(tuple),
        "d": st.integers(0, 2),
    },
)


@given(ARGUMENTS, ARGUMENTS)
def test_equality_hash_and_text_are_those_of_the_standard(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    ours, theirs = (Frozen(**one), Frozen(**other)), (Standard(**one), Standard(**other))
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert (hash(ours[0]) == hash(ours[1])) or ours[0] != ours[1]
    assert repr(ours[0]) == repr(theirs[0]).replace("Standard", "Frozen")
    assert ours[0] != theirs[0]


@given(ARGUMENTS, ARGUMENTS)
def test_both_ways_to_replace_are_one(one: dict[str, Any], changes: dict[str, Any]) -> None:
    made = Frozen(**one)
    assert values.replace(made, **changes) == Frozen(**{**one, **changes})
    assert dataclasses.replace(made, **changes) == Frozen(**{**one, **changes})


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_values_travel_between_processes(protocol: int) -> None:
    for value in (Frozen(1, "x", (2,), 3), One(None), One((1, 2)), Open(1, [2]), Child(3, "", 4)):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert again == value and repr(again) == repr(value)
        assert copy.copy(value) == copy.deepcopy(value) == value
    assert pickle.loads(pickle.dumps(Frozen(1, d=9), protocol)).d == 9


def test_a_frozen_value_stays_as_it_is() -> None:
    value: Any = Frozen(1)
    for act in (lambda: setattr(value, "a", 2), lambda: setattr(value, "z", 2)):
        with pytest.raises(AttributeError):
            act()
    with pytest.raises(AttributeError):
        del value.a
    assert value == Frozen(1) and not hasattr(value, "__dict__")


def test_a_record_changes_and_has_no_hash() -> None:
    one, other = Open(1), Open(1)
    one.b.append(2)
    assert other.b == [] and one != other
    one.a = 5
    assert one.a == 5
    with pytest.raises(TypeError):
        hash(one)
    with pytest.raises(AttributeError):
        one.c = 1  # type: ignore[attr-defined]


def test_fields_are_inherited_in_order() -> None:
    assert repr(Child(3, b=4)) == "Child(a=3, said='a is 3', b=4)"
    assert [f.name for f in dataclasses.fields(Child)] == ["a", "said", "b"]


def test_the_standard_module_knows_them() -> None:
    assert dataclasses.is_dataclass(Frozen) and dataclasses.is_dataclass(Frozen(1))
    assert dataclasses.asdict(Frozen(1)) == {"a": 1, "b": "b", "c": (), "d": 4}
    found = Finding("pii", Severity.ERROR, "a.md", 1, 2, "m")
    assert dataclasses.replace(found, path="b.md").path == "b.md"


def test_the_first_instance_is_as_the_others() -> None:
    """The constructor is compiled then, in whichever class it belongs to."""

    @values.dataclass(slots=True)
    class Base:
        a: int
        b: str = "b"

    class Plain(Base):
        pass

    class Own(Base):
        def __init__(self, a: int) -> None:
            super().__init__(a, b="own")

    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        Plain()  # type: ignore[call-arg]
    assert (Plain(1).a, Own(2).b, Base(3, b="x").b) == (1, "own", "x")
    assert (Own(4).a, Plain(5, "y").b) == (4, "y")
    assert Base.__init__.__qualname__.endswith("Base.__init__")
    assert "__init__" not in Plain.__dict__ and Base.__init__.__defaults__ == ("b",)


def test_wrong_arguments_are_refused() -> None:
    for wrong in (lambda: Frozen(), lambda: Frozen(1, z=2), lambda: One(1, 2)):  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            wrong()


def test_a_match_statement_reads_them() -> None:
    match Frozen(1, "x"):
        case Frozen(a, b):
            assert (a, b) == (1, "x")


def test_the_gate_imports_no_inspect() -> None:
    asked = "import sys, manent.gate.receive; print('inspect' in sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", asked], capture_output=True, text=True)
    assert done.stdout == "False\n"
