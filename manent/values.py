"""Classes of fields, made at a quarter of what ``dataclasses`` takes to make them.

A hook makes fifty such classes before it can judge: a millisecond each with the
standard module, which writes and compiles six functions a class, and 15 more to import
it with ``inspect`` behind it (``python -X importtime -c 'import manent.gate.receive'``).
Here one function is compiled, the constructor; the others are shared. The names and
what they mean are those of ``dataclasses``, whose ``replace``, ``fields`` and
``is_dataclass`` know these classes too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, cast, dataclass_transform

T = TypeVar("T")
C = TypeVar("C", bound=type)


class FrozenInstanceError(AttributeError):
    """A field of a frozen instance was to be changed."""


class _Missing:
    """Stands for a default that there is none of."""


MISSING: Any = _Missing()


class _Field(NamedTuple):
    """What ``field`` says of one. annotation: as it is written."""

    default: Any = MISSING
    default_factory: Any = MISSING
    repr: bool = True
    compare: bool = True
    name: str = ""


def field(
    *,
    default: Any = MISSING,
    default_factory: Any = MISSING,
    repr: bool = True,
    compare: bool = True,
) -> Any:
    """Say more of a field than its default. As ``dataclasses.field``."""
    return _Field(default, default_factory, repr, compare)


def replace(instance: T, /, **changes: Any) -> T:
    """Return the instance with some fields changed. As ``dataclasses.replace``."""
    made: Any = type(instance)
    for one in made.__value_fields__:
        changes.setdefault(one.name, getattr(instance, one.name))
    return cast(T, made(**changes))


@dataclass_transform(field_specifiers=(field,))
def dataclass(*, frozen: bool = False, slots: bool = False, eq: bool = True) -> Callable[[C], C]:
    """Make a class of its annotated names. As ``dataclasses.dataclass``.

    slots: a new class is made, as there: no method of it may use ``super()`` without
    arguments.
    """

    def made(cls: C) -> C:
        return cast(C, _made(cls, frozen, slots, eq))

    return made


def _made(cls: Any, frozen: bool, slots: bool, eq: bool) -> Any:
    own = [_field_of(cls, name) for name in _names(cls)]
    inherited = _inherited(cls)
    known = {one.name: one for one in (*inherited, *own)}
    every = tuple(known.values())
    added: dict[str, Any] = {"__value_fields__": every, "__dataclass_fields__": _Standard()}
    added["__match_args__"] = tuple(known)
    added["__init__"] = _late(every, frozen, hasattr(cls, "__post_init__"), cls.__qualname__)
    if "__repr__" not in cls.__dict__:
        added["__repr__"] = _repr([one.name for one in every if one.repr])
    if eq and "__eq__" not in cls.__dict__:
        told = _told([one.name for one in every if one.compare])
        added["__eq__"] = _eq(told)
        hashed: Any = (lambda self: hash(told(self))) if frozen else None
        added["__hash__"] = cls.__dict__.get("__hash__") or hashed
    if frozen:
        added |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
    if frozen and slots:
        names = tuple(known)
        added |= {"__getstate__": _state(names), "__setstate__": _restored(names)}
    if slots:
        return _slotted(cls, added, own)
    for name, value in added.items():
        setattr(cls, name, value)
    for one in own:
        if one.default is not MISSING:
            setattr(cls, one.name, one.default)
        elif one.name in cls.__dict__:
            delattr(cls, one.name)
    return cls


def _names(cls: Any) -> list[str]:
    written = cls.__annotations__.items()  # its own alone, on Python 3.10 and newer
    return [name for name, said in written if not str(said).startswith("ClassVar")]


def _field_of(cls: Any, name: str) -> _Field:
    said = cls.__dict__.get(name, MISSING)
    return said._replace(name=name) if isinstance(said, _Field) else _Field(said, name=name)


def _inherited(cls: Any) -> list[_Field]:
    found: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        found |= {one.name: one for one in base.__dict__.get("__value_fields__", ())}
    return list(found.values())


def _slotted(cls: Any, added: dict[str, Any], own: list[_Field]) -> Any:
    space = dict(cls.__dict__)
    for name in ("__dict__", "__weakref__", *(one.name for one in own)):
        space.pop(name, None)
    held = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
    space["__slots__"] = tuple(one.name for one in own if one.name not in held)
    space |= added
    made: Any = type(cls)(cls.__name__, cls.__bases__, space)
    made.__qualname__ = cls.__qualname__
    return made


def _late(every: tuple[_Field, ...], frozen: bool, follows: bool, name: str) -> Any:
    """Return a constructor that is compiled, and takes its place, at the first instance.

    A hook makes instances of a third of the classes it imports.
    """

    def first(self: Any, *given: Any, **named: Any) -> None:
        found: tuple[Any, ...] = type(self).__mro__
        own = next(cls for cls in found if cls.__dict__.get("__init__") is first)
        own.__init__ = made = _init(every, own if frozen else None, follows, name)
        made(self, *given, **named)

    first.__qualname__ = f"{name}.__init__"
    return first


def _init(every: tuple[_Field, ...], frozen: Any, follows: bool, name: str) -> Any:
    """Compile the constructor: the one function whose speed counts for each instance.

    frozen: the class, whose own way of setting is refused; None where it is not.
    """
    known: dict[str, Any] = {"_missing": MISSING, "_set": object.__setattr__}
    taken, lines = [], []
    for one in every:
        value = one.name
        if one.default_factory is not MISSING:
            known[f"_made_{value}"] = one.default_factory
            taken.append(f"{value}=_missing")
            value = f"_made_{value}() if {value} is _missing else {value}"
        elif one.default is not MISSING:
            known[f"_default_{value}"] = one.default
            taken.append(f"{value}=_default_{value}")
        else:
            taken.append(value)
        slot = _slot(frozen, one.name)
        if frozen is None:
            lines.append(f"self.{one.name} = {value}")
        elif slot is None:
            lines.append(f"_set(self, {one.name!r}, {value})")
        else:
            known[f"_set_{one.name}"] = slot.__set__
            lines.append(f"_set_{one.name}(self, {value})")
    if follows:
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(('self', *taken))}):\n {body}", known)
    made = known["__init__"]
    made.__qualname__ = f"{name}.__init__"
    return made


class _Slotted:
    __slots__ = ("one",)


_SLOT = type(_Slotted.__dict__["one"])


def _slot(cls: Any, name: str) -> Any:
    """Return what keeps that field in its slot, None where there is none.

    Asked itself it takes 0.1 us a field; ``object.__setattr__`` first looks it up by its
    name, which takes 0.27, and a note makes a dozen instances of seven fields.
    """
    mro = cls.__mro__ if cls is not None else ()
    found = next((one.__dict__[name] for one in mro if name in one.__dict__), None)
    return found if type(found) is _SLOT else None


def _told(names: Sequence[str]) -> Callable[[Any], Any]:
    """Return what reads the fields of an instance, in C where there are any."""
    return attrgetter(*names) if names else lambda self: ()


def _state(names: Sequence[str]) -> Any:
    return lambda self: [getattr(self, name) for name in names]


def _eq(told: Callable[[Any], Any]) -> Any:
    def equal(self: Any, other: Any) -> Any:
        return told(self) == told(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _repr(names: Sequence[str]) -> Any:
    def shown(self: Any) -> str:
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({said})"

    return shown


def _restored(names: tuple[str, ...]) -> Any:
    def restore(self: Any, state: Any) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return restore


def _refuse_set(self: Any, name: str, value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


class _Standard:
    """The fields as ``dataclasses`` spells them, made when that module first asks."""

    def __get__(self, instance: Any, owner: Any) -> Any:
        import dataclasses

        rows = []
        for one in owner.__value_fields__:
            said: dict[str, Any] = {"repr": one.repr, "compare": one.compare}
            for key in ("default", "default_factory"):
                if getattr(one, key) is not MISSING:
                    said[key] = getattr(one, key)
            rows.append((one.name, object, dataclasses.field(**said)))
        made: Any = dataclasses.make_dataclass(owner.__name__, rows, eq=False)
        owner.__dataclass_fields__ = made.__dataclass_fields__
        return made.__dataclass_fields__
