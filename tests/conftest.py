"""Every test runs in a HOME of its own, away from the user's git configuration."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# What a change is judged by is the same each time; at a desk the search goes on.
settings.register_profile("ci", derandomize=True, print_blob=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

REAL_HOME = Path.home()

_DROPPED = ("GIT_", "MANENT_", "REMOTE_", "GL_", "SSH_", "GATEWAY_", "XDG_")
_KEPT = {"MANENT_DATA", "MANENT_REGEN", "MANENT_ENDURE"}


@pytest.fixture(autouse=True)
def clean_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Give the test an empty HOME with a git identity, and no inherited git state."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(_DROPPED) and name not in _KEPT:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada Tester\n\temail = ada@example.org\n"
        "[init]\n\tdefaultBranch = main\n[commit]\n\tgpgsign = false\n"
        '[protocol "file"]\n\tallow = always\n'
    )
    before = _signature(REAL_HOME / ".gitconfig")
    yield home
    assert _signature(REAL_HOME / ".gitconfig") == before, "a test touched the user's own HOME"


def _signature(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of shared inputs, from MANENT_DATA; skips plainly when unset."""
    root = os.environ.get("MANENT_DATA")
    if not root:
        pytest.skip("MANENT_DATA is unset: the shared inputs are not here")
    return Path(root)


@pytest.fixture(scope="module")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server's database, which the tests of a module share."""
    from postgres import running

    with running() as found:
        yield found


@pytest.fixture
def postgres_database(postgres_server: str) -> Iterator[str]:
    """The address of a database in PostgreSQL that is empty."""
    from postgres import empty

    yield postgres_server
    empty(postgres_server)


@pytest.fixture(params=["file", "postgresql"])
def any_database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, in a file and in PostgreSQL."""
    if request.param == "file":
        return f"sqlite:///{tmp_path / 'shared.db'}"
    found: str = request.getfixturevalue("postgres_database")
    return found
