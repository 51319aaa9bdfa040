"""Whether a frontmatter keeps the contract of ``spec/schema/``, and in words why not.

Two validators read the same JSON Schema files: a fast one says yes or no for
every note, a slow one is imported only when something failed and says what.
Both see the frontmatter through ``normalised``, so that a value no JSON could
carry is a fault, never an exception.
"""

from __future__ import annotations

import datetime
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from manent import data, late
from manent.note import fields

SPEC_VERSION = "0.2"

TYPES = (
    "feedback",
    "reference",
    "project",
    "wiki-entity",
    "wiki-concept",
    "raw-source",
    "persona",
    "handoff",
    "retro",
    "moc",
    "index",
)
STATUSES = ("active", "deprecated", "archived", "quarantine")
CONFIDENCES = ("high", "medium", "low")
REQUIRED = ("name", "description", "type")
DAYS = ("created", "updated")
EDGES = ("provenance", "supersedes", "contradicts")
FIELDS = (
    *REQUIRED,
    *DAYS,
    "tags",
    *EDGES,
    "confidence",
    "status",
    "audience",
    "author",
    "title",
    "aliases",
)
"""The known fields, in the order of the specification. All others are preserved unread."""

_SINGULAR = {"tags": "tag", "aliases": "alias"}
_LIST_SEPARATOR = {"tags": re.compile(r"[,\s]+"), "aliases": re.compile(r",")}
_MAY_BE_BLANK = ("title", "author")
_TEXTS = frozenset({"name", "description", "type", "confidence", "status"})
_NUMBER_MAX = 10**15
"""No title is a larger number, and thousands of digits could not even be spelled out."""
_SURROGATES = late.pattern("[\ud800-\udfff]")


class Fault(NamedTuple):
    """What is wrong with one field, and what to write instead.

    field: the path to the value (``type``, ``audience[1]``), "" for the whole.
    message: names the field; never repeats its value, which may be anything.
    """

    field: str
    message: str


class _Verdict(Protocol):
    def is_valid(self, instance: Any) -> bool: ...


def verdict(frontmatter: Mapping[Any, Any], type: str | None = None, required: bool = True) -> bool:
    """Return whether the frontmatter satisfies the schema of its type.

    type: the schema to hold it to; by default the one it declares, and the
    base contract where it declares none that exists.
    required: False leaves out that fields are required (frontmatter optional).
    """
    chosen = _schema_for(frontmatter, type)
    found = normalised(frontmatter)
    if next(_few, False) and _is_ordinary(found, chosen):
        return True
    return _judge(chosen, required).is_valid(found)


_few = itertools.repeat(True, 50)
"""Runs out after so many headers: from there on the validator is worth its import, being
six times as fast as Python that looks at every field."""


def _is_ordinary(found: Mapping[str, Any], chosen: str) -> bool:
    """Tell whether a header is so ordinary that every validator must accept it.

    A filter on the safe side: what it does not know goes to the validator, whose
    import and making cost a push of one note 30 ms
    (``python -X importtime -c 'import jsonschema_rs'``).
    """
    if found.get("type") != chosen or not {"name", "description"} <= found.keys():
        return False
    return all(_ORDINARY[field](value) for field, value in found.items())


def _is_slug(value: object) -> bool:
    return isinstance(value, str) and len(value) <= 200 and bool(_SLUG.fullmatch(value))


def _is_line(value: object) -> bool:
    # Neither a line's end nor an odd blank can be printed; one sign must be no blank.
    ordinary = isinstance(value, str) and 0 < len(value) <= 300
    return ordinary and str(value).isprintable() and not str(value).isspace()


def _is_tag(value: object) -> bool:
    return isinstance(value, str) and len(value) <= 100 and bool(_TAG.fullmatch(value))


def _is_label(value: object) -> bool:
    return _is_slug(value) and value != "private"


def _is_day(value: object) -> bool:
    return isinstance(value, str) and value[:1] in ("1", "2") and day_of(value) == value


def _is_one_of(*words: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and value in words


def _is_list_of(item: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(item, value))


_SLUG = late.pattern(r"[a-z0-9]+(?:[_-][a-z0-9]+)*")
_TAG = late.pattern(r"[A-Za-z0-9_/-]+")
_ORDINARY: dict[str, Callable[[object], bool]] = {
    "name": _is_slug,
    "description": _is_line,
    "type": _is_one_of(*TYPES),
    **dict.fromkeys(DAYS, _is_day),
    "tags": _is_list_of(_is_tag),
    **dict.fromkeys(EDGES, _is_list_of(_is_line)),
    "confidence": _is_one_of(*CONFIDENCES),
    "status": _is_one_of(*STATUSES),
    "audience": _is_list_of(_is_label),
    "author": _is_line,
    "title": _is_line,
    "aliases": _is_list_of(_is_line),
}


def faults(
    frontmatter: Mapping[Any, Any], type: str | None = None, required: bool = True
) -> list[Fault]:
    """Return what is wrong, one fault a field, in the order of the specification.

    Empty exactly when ``verdict`` says yes; only otherwise jsonschema is imported.
    """
    if verdict(frontmatter, type, required):
        return []
    found = explain(frontmatter, type, required)
    # The two validators are tested to agree. Should they ever not, the verdict stands.
    return found or [Fault("", "the frontmatter does not satisfy the schema of its type")]


def explain(
    frontmatter: Mapping[Any, Any], type: str | None = None, required: bool = True
) -> list[Fault]:
    """Return the faults as the slow validator finds them, whatever the verdict is."""
    chosen = _schema_for(frontmatter, type)
    found: dict[str, Fault] = {}
    for error in _explainer(chosen, required).iter_errors(normalised(frontmatter)):
        for fault in _in_words(error, chosen):
            found.setdefault(fault.field, fault)
    return sorted(found.values(), key=_place)


def missing(frontmatter: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the required fields that are absent or say nothing: all are words."""
    return tuple(name for name in REQUIRED if not _says_something(frontmatter.get(name)))


def _says_something(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def normalised(frontmatter: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the known fields as the schemas read them; all else is left out.

    Days become ``YYYY-MM-DD``; a field without a value counts as absent, and so
    does a blank title or author; tags and aliases written as text, or under the
    singular key, become lists; a tag loses its leading ``#``, and a number that
    stands as a title, tag or alias is its digits. Values that fit no field keep
    only their kind, so the answer is small whatever the note holds.
    """
    out: dict[str, Any] = {}
    for field in FIELDS:
        value = frontmatter.get(field)
        if value is None and field in _SINGULAR:
            value = frontmatter.get(_SINGULAR[field])
        if value is None:
            continue
        if field in _TEXTS and type(value) is str and value.isascii():
            out[field] = value  # nearly always: what follows asks each of six questions
        elif field in DAYS:
            out[field] = day_of(value) or _plain(value)
        elif field in _SINGULAR:
            out[field] = _listed(field, value)
        elif field not in _MAY_BE_BLANK:
            out[field] = _plain(value)
        elif not isinstance(value, str) or value.strip():
            out[field] = _plain(_digits(value) if field == "title" else value)
    return out


def day_of(value: object) -> str | None:
    """Return a date as ``YYYY-MM-DD``, or None where the value is no day of the calendar.

    Beside the spellings that ``note.fields.date`` reads, dates and times of
    Python count, for callers that read YAML by other means.
    """
    if isinstance(value, datetime.date):
        return value.isoformat()[:10]
    if isinstance(value, str | int) and len(text := _short(value)) < 80:
        return fields.date(text)
    return None


def _short(value: str | int) -> str:
    # An integer of thousands of digits may not even be spelled out.
    if isinstance(value, int):
        return str(value) if abs(value) < _NUMBER_MAX else "-" * 80
    return value


def document(name: str) -> dict[str, Any]:
    """Return one schema of ``spec/schema/``: ``base`` or a type. Raises KeyError for another."""
    if name != "base" and name not in TYPES:
        raise KeyError(name)
    text = data.path(f"spec/schema/{name}.json").read_text(encoding="utf-8")
    loaded = json.loads(text)
    assert isinstance(loaded, dict)
    return loaded


@lru_cache(maxsize=16)
def body_marks(type: str) -> tuple[str, ...]:
    """Return the paragraphs' heads that the body of a note of this type carries."""
    return tuple(document(type).get("x-manent-body", ())) if type in TYPES else ()


@lru_cache(maxsize=16)
def path_pattern(type: str) -> re.Pattern[str] | None:
    """Return what the path of a note of this type must match, None where anything will do."""
    pattern = document(type).get("x-manent-path") if type in TYPES else None
    return None if pattern is None else re.compile(_to_the_end(pattern))


def _schema_for(frontmatter: Mapping[Any, Any], type: str | None) -> str:
    declared = frontmatter.get("type") if type is None else type
    return declared if isinstance(declared, str) and declared in TYPES else "base"


def _plain(value: object, depth: int = 0) -> Any:
    """Return the value, or where no field could accept it an empty one of its kind."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATES.sub("\ufffd", value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return True  # as little text as any number, and no digits to spell
    if isinstance(value, list | tuple) and depth == 0:
        return [i if type(i) is str and i.isascii() else _plain(i, 1) for i in value]
    return {}


def _digits(value: object) -> object:
    """Return a number as the text it was most likely written as, all else as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return str(value) if abs(value) < _NUMBER_MAX else value


def _listed(field: str, value: object) -> Any:
    if isinstance(value, list | tuple):
        value = [_digits(item) for item in value]
    plain = _plain(_digits(value))
    if isinstance(plain, str):
        parts = (part.strip() for part in _LIST_SEPARATOR[field].split(plain))
        plain = [part for part in parts if part]
    if not isinstance(plain, list):
        return plain
    kept = [item for item in plain if item is not None and item != ""]
    if field == "tags":
        return [item.removeprefix("#") if isinstance(item, str) else item for item in kept]
    return kept


@lru_cache(maxsize=32)
def _judge(name: str, required: bool) -> _Verdict:
    import jsonschema_rs

    base = _base(required)
    registry = jsonschema_rs.Registry(resources=[(str(base["$id"]), base)])
    schema = base if name == "base" else document(name)
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True, registry=registry)


@lru_cache(maxsize=32)
def _explainer(name: str, required: bool) -> Any:
    import jsonschema
    import referencing
    from referencing.jsonschema import DRAFT202012

    base = _base(required)
    del base["$schema"]  # else a reference into it drops our reading of patterns
    resource = DRAFT202012.create_resource(base)
    registry: Any = referencing.Registry().with_resource(str(base["$id"]), resource)
    schema = base if name == "base" else document(name)
    extend: Any = jsonschema.validators.extend
    reader = extend(jsonschema.Draft202012Validator, {"pattern": _pattern})
    return reader(schema, registry=registry, format_checker=jsonschema.FormatChecker(["date"]))


def _base(required: bool) -> dict[str, Any]:
    base = document("base")
    if not required:
        del base["required"]
    return base


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    """Read a pattern as ECMA 262 does, where ``$`` is the end and never before a last newline."""
    import jsonschema

    if isinstance(instance, str) and not re.search(_to_the_end(pattern), instance):
        yield jsonschema.ValidationError("does not match")


def _to_the_end(pattern: str) -> str:
    return pattern[:-1] + r"\Z" if pattern.endswith("$") else pattern


def _place(fault: Fault) -> tuple[int, int]:
    field, _, index = fault.field.partition("[")
    position = FIELDS.index(field) if field in FIELDS else -1
    return position, int(index.rstrip("]") or 0) if index else -1


def _in_words(error: Any, type: str) -> Iterator[Fault]:
    if error.validator == "required":
        for name in error.validator_value:
            if name not in error.instance:
                yield Fault(name, f"{name} is missing: add the line `{name}: {_SHAPE[name]}`")
        return
    path = list(error.absolute_path)
    field = str(path[0]) if path else ""
    where = field + "".join(f"[{step}]" for step in path[1:])
    yield Fault(where, f"{where or 'the frontmatter'} {_complaint(error, field, type)}")


_SHAPE = {
    "name": "<the file's name without .md>",
    "description": "<one line that says what the note is for>",
    "type": "<" + " | ".join(TYPES) + ">",
}
_CLOSED = {"type": TYPES, "status": STATUSES, "confidence": CONFIDENCES}
_SLUG_RULE = "must be a slug: small letters and digits, parts joined by one - or _"


def _complaint(error: Any, field: str, type: str) -> str:
    nested = len(error.absolute_path) > 1
    if error.validator == "type":
        return _wrong_kind(error, field, nested)
    if field in _CLOSED:
        return f"must be one of {', '.join(_CLOSED[field])}{_nearest(error, _CLOSED[field])}"
    if field == "audience" and error.validator == "const":
        return "stands beside the label private: a note is private or has labels, never both"
    if error.validator == "maxLength":
        return f"is longer than {error.validator_value} characters: shorten it"
    said = "" if field in _OWN_FORM else _one_line(error.instance)
    return said or _form(field)


_OWN_FORM = frozenset({"name", "audience", "tags", *DAYS})


def _one_line(written: object) -> str:
    """Return what keeps a text from being one line, "" where it is something else."""
    if not isinstance(written, str):
        return ""
    if not written.strip():
        return "is empty: it must be one line of text"
    odd = next((sign for sign in written if sign in "\r\x85\u2028\u2029"), "")
    if odd:
        return f"must be one line of text, and holds the line separator U+{ord(odd):04X}"
    if "\n" not in written:
        return ""
    if "\n" in written.rstrip("\n"):
        return "must be one line of text, and holds several"
    return "must be one line of text, and ends with a line break: write >- in place of > or |"


def _wrong_kind(error: Any, field: str, nested: bool) -> str:
    if error.validator_value == "array":
        return f"must be a list: write `{field}: [one, two]` or `{field}: []`"
    if error.validator_value == "object":
        return "must be a mapping of fields to values"
    if field in DAYS:
        return _form(field)
    if isinstance(error.instance, bool | int | float) and field not in _CLOSED:
        return "must be text: put the value in quotes"
    return "must be one text, not a list or a mapping" if not nested else "must be a plain text"


def _nearest(error: Any, allowed: tuple[str, ...]) -> str:
    """Return a suggestion from the closed set: it can repeat nothing but its own words."""
    import difflib

    if not isinstance(error.instance, str):
        return ""
    near = difflib.get_close_matches(error.instance[:40].strip().lower(), allowed, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _form(field: str) -> str:
    if field == "name":
        return f"{_SLUG_RULE} (MEMORY and HOME only at the root)"
    if field == "audience":
        return f"{_SLUG_RULE}; leave the field out to keep the note private"
    if field in DAYS:
        return "must be a day of the calendar, written YYYY-MM-DD"
    if field == "tags":
        return "must be a tag without blanks, commas or #: write machine-learning"
    return "must be one line of text, not empty"
