"""Sealed texts: what was sealed comes back; nothing else does, whatever it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manent.server.oauth.sealed import seal, unseal

KEYS = {"owner": b"o" * 32, "scout": b"s" * 32}
CLAIMS = st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=20), max_size=4)


@given(CLAIMS, st.sampled_from(sorted(KEYS)), st.text(max_size=20))
def test_what_was_sealed_comes_back(claims: dict[str, object], name: str, audience: str) -> None:
    claims = {**claims, "n": name}
    text = seal("k1", audience, claims, KEYS[name])
    assert unseal(text, "k1", audience, KEYS.get) == claims
    assert unseal(text, "k2", audience, KEYS.get) is None
    assert unseal(text, "k1", audience + "x", KEYS.get) is None
    assert unseal(text, "k1", audience, lambda _: b"x" * 32) is None
    assert unseal(text, "k1", audience, lambda _: None) is None


@given(st.text(max_size=200))
def test_no_text_is_one_by_chance(text: str) -> None:
    assert unseal(text, "k1", "a", KEYS.get) is None
    assert unseal(f"k1.{text}", "k1", "a", KEYS.get) is None


@given(st.integers(0, 10_000), st.characters())
def test_a_text_that_was_changed_anywhere_is_none(place: int, letter: str) -> None:
    text = seal("k1", "a", {"n": "owner", "e": 17}, KEYS["owner"])
    at = place % len(text)
    changed = text[:at] + letter + text[at + 1 :]
    assert (unseal(changed, "k1", "a", KEYS.get) is None) == (changed != text)


@given(st.recursive(st.none() | st.integers(), st.lists, max_leaves=5))
def test_a_name_that_is_none_is_nobody(name: object) -> None:
    text = seal("k1", "a", {"n": name}, KEYS["owner"])
    assert unseal(text, "k1", "a", lambda _: KEYS["owner"]) is None
