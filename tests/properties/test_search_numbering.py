"""Laws of the token table: it numbers as a dictionary does, however keys collide."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from manent.search.numbering import TokenNumbers

tokens = st.lists(
    st.one_of(
        st.binary(min_size=1, max_size=20).filter(lambda b: b" " not in b and b"\0" not in b),
        st.sampled_from([b"a", b"aaaaaaaa", b"a" * 9, b"a" * 16, b"a" * 17, b"a" * 40, b"\xff"]),
        st.integers(0, 300).map(lambda n: b"token-%d" % n),
    ),
    max_size=400,
)
MIXERS = [(0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F), (1, 1), (0, 0)]
"""Good ones, poor ones, and such as send every key to one slot."""


@settings(deadline=None, max_examples=50)
@given(st.lists(tokens, min_size=1, max_size=3), st.sampled_from(MIXERS))
def test_equal_tokens_and_no_others_share_a_number(
    texts: list[list[bytes]], mixers: tuple[int, int]
) -> None:
    table, numbers = TokenNumbers(mixers), dict[bytes, int]()
    for text in texts:
        for token, number in zip(text, table.numbers(b" ".join(text)).tolist(), strict=True):
            assert numbers.setdefault(token, number) == number
            assert table.tokens[number] == token
    assert sorted(numbers.values()) == list(range(len(table.tokens)))


def test_a_text_longer_than_a_chunk_and_a_table_that_grows() -> None:
    text = [b"w%d" % (n * n % 90_001) for n in range(200_000)]
    table = TokenNumbers()
    found = table.numbers(b"  ".join(text))
    assert [table.tokens[n] for n in found.tolist()] == text
    assert len(table.tokens) == len(set(text))
