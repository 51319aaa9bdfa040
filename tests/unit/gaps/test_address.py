"""Where state is kept, as it is named: every form, and what is no form is never quoted."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from manent.errors import EnvironmentFault, UsageError
from manent.gaps.address import address_of, cause_of, engine_of, is_address
from manent.gaps.home import Home

SECRET = "hunter2-" + "secret"
WRONG = [
    "mysql://u:{}@h/x",
    "postgresql://u:{}@h:abc/x",
    "postgresql://u:{}@:::bad",
    "postgresql://u:{}@[::1/x",
    "postgresql://u:{}@h:99999/x",
    "postgresql://u:{}@ho st/x",
    "postgresql://u:{}@h..h/x",
    "postgres:/u:{}@x",
    "postgresql:u:{}@x/y",
    "PostgreSQL://u:{}@h/x",
    "sqlite:{}",
    "sqlite://{}",
    "sqlite:///",
    "sqlite+pysqlite:///{}",
    "u:{}@h/x",
    "file:///{}",
]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_place_is_refused_in_one_line_without_a_word_of_it(
    text: str, tmp_path: Path
) -> None:
    for ask in (lambda t: address_of(t, "register"), Home):
        with pytest.raises(UsageError) as refused:
            ask(text.format(SECRET))
        said = str(refused.value)
        assert SECRET not in said and "\n" not in said and said


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("g.sqlite", "g.sqlite"),
        ("/var/g", "/var/g"),
        ("sqlite:///g", "g"),
        ("./a@b:c", "a@b:c"),
        ("sqlite:////var/g", "/var/g"),
        ("C:/g.sqlite", "C:/g.sqlite"),
    ],
)
def test_files(text: str, file: str) -> None:
    assert address_of(text, "register").file == Path(file)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
@pytest.mark.parametrize("rest", ["", "h/x", "u:{}@[::1]:5432/x", "u:{}@/db?host=/run/pg"])
def test_addresses_have_a_name_without_their_password(scheme: str, rest: str) -> None:
    text = f"{scheme}://{rest.format(SECRET)}"
    found = address_of(text, "register")
    assert is_address(text) and found.file is None and SECRET not in found.name


def test_a_password_among_the_options_is_no_part_of_the_name() -> None:
    found = address_of(f"postgresql://h/x?password={SECRET}&sslpassword={SECRET}", "register")
    assert SECRET not in found.name and found.url.query["password"] == SECRET


def test_an_option_that_there_is_not() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(UsageError) as refused:
        engine_of(address_of(f"postgresql://h/x?pasword={SECRET}", "register"), "register", 1)
    assert SECRET not in str(refused.value)


def test_a_register_is_named_as_a_file_or_as_its_address(tmp_path: Path) -> None:
    for where in (str(tmp_path / "g"), f"sqlite:///{tmp_path / 'g'}", tmp_path / "g"):
        home = Home(where)
        assert home.file == tmp_path / "g"
        home.close()


def test_causes_are_words_of_our_own(tmp_path: Path) -> None:
    file = tmp_path / "no.sqlite"
    file.write_bytes(b"no database" * 100)
    with pytest.raises(sqlite3.Error) as broken, sqlite3.connect(file) as connection:
        connection.execute("SELECT * FROM x")
    assert cause_of(broken.value) == "it is no database"
    engine = sa.create_engine(f"sqlite:///{tmp_path}/none/x")
    with pytest.raises(sa.exc.SQLAlchemyError) as closed, engine.connect():
        pass
    assert cause_of(closed.value) == "it cannot be opened"


def test_nobody_listens_there(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(EnvironmentFault) as away:
        Home(f"postgresql://u:{SECRET}@127.0.0.1:1/x")
    said = str(away.value)
    assert SECRET not in said and "it cannot be reached" in said and "\n" not in said
