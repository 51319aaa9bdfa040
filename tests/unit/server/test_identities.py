"""Who calls: tokens, the agents file, what is refused at the start, and reloading."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from manent.access import OWNER
from manent.errors import EnvironmentFault, ManentError, UsageError
from manent.server.identities import VARIABLE, Identities, resolve_token

VAULT = "vault-" + "v" * 20
SCOUT = "scout-" + "s" * 20
CLERK = "clerk-" + "c" * 20


def agents_file(folder: Path, agents: Any, mode: int = 0o600) -> Path:
    path = folder / "agents.json"
    path.write_text(agents if isinstance(agents, str) else json.dumps(agents))
    path.chmod(mode)
    return path


def sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def known(folder: Path) -> Identities:
    path = agents_file(
        folder,
        {
            "scout": {"token": SCOUT, "read": ["team"], "write": "quarantine/scout"},
            "clerk": {"token_sha256": sha256(CLERK), "read": "*"},
            "pusher": {"read": ["team"]},
        },
    )
    return Identities(path, VAULT)


# -- whose token it is ----------------------------------------------------------------


def test_each_token_names_its_holder(tmp_path: Path) -> None:
    identities = known(tmp_path)
    assert identities.of_token(VAULT) is OWNER
    scout = identities.of_token(SCOUT.encode())
    assert scout is not None and (scout.name, scout.write) == ("scout", "quarantine/scout")
    clerk = identities.of_token(CLERK)
    assert clerk is not None and clerk.sees_all and not clerk.is_owner


@pytest.mark.parametrize(
    "token", ["", " ", VAULT + " ", VAULT[:-1], VAULT.upper(), "é" * 20, "\udc80" * 20, "x" * 10**6]
)
def test_any_other_token_names_nobody(tmp_path: Path, token: str) -> None:
    assert known(tmp_path).of_token(token) is None


def test_the_digest_of_a_token_is_no_token(tmp_path: Path) -> None:
    assert known(tmp_path).of_token(sha256(SCOUT)) is None


def test_without_a_vault_token_there_is_no_owner_by_token(tmp_path: Path) -> None:
    identities = Identities(None, None)
    assert identities.of_token("") is None
    assert identities.of_token(hashlib.sha256(b"").hexdigest()) is None
    assert identities.named("owner") is OWNER


def test_by_name(tmp_path: Path) -> None:
    identities = known(tmp_path)
    assert identities.named("pusher").name == "pusher"
    assert identities.names == ("scout", "clerk", "pusher")
    with pytest.raises(UsageError):
        identities.named("stranger")


# -- what is refused at the start -----------------------------------------------------

REFUSED = {
    "an unknown field": ({"scout": {"token": SCOUT, "reads": []}}, "unknown field reads"),
    "the same token twice": (
        {"scout": {"token": SCOUT}, "clerk": {"token": SCOUT}},
        "the same token",
    ),
    "the same token in two forms": (
        {"scout": {"token": SCOUT}, "clerk": {"token_sha256": sha256(SCOUT)}},
        "the same token",
    ),
    "the vault's token": ({"scout": {"token": VAULT}}, "the vault's own token"),
    "the vault's token as a digest": ({"scout": {"token_sha256": sha256(VAULT)}}, "vault's own"),
    "a short token": ({"scout": {"token": "short"}}, "16 characters"),
    "a label that is no slug": ({"scout": {"token": SCOUT, "read": ["No Slug"]}}, "no slug"),
    "a name that is no slug": ({"Sc\nout": {"token": SCOUT}}, "must be a slug"),
    "the label private": ({"scout": {"token": SCOUT, "read": ["private"]}}, "never granted"),
    "another's folder": ({"scout": {"token": SCOUT, "write": "quarantine/clerk"}}, "write must"),
    "the owner's name": ({"owner": {"token": SCOUT, "read": []}}, "called owner"),
    "the owner's name for less": (
        {"owner": {"token": SCOUT, "write": "*", "read": ["team"]}},
        "name of the vault's owner",
    ),
    "no object": ("[]", "must be an object"),
    "no JSON": ('{"scout": ', "is no JSON"),
    "a name twice": ('{"a": {}, "a": {}}', "twice"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_file_is_refused_in_one_plain_line(tmp_path: Path, case: str) -> None:
    agents, said = REFUSED[case]
    path = agents_file(tmp_path, agents)
    with pytest.raises(EnvironmentFault, match=said) as refusal:
        Identities(path, VAULT)
    assert "\n" not in str(refusal.value)
    for token in (VAULT, SCOUT, CLERK):
        assert token not in str(refusal.value)


@pytest.mark.parametrize("mode", [0o604, 0o606, 0o602, 0o664, 0o620, 0o777])
def test_a_file_that_others_may_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    path = agents_file(tmp_path, {"scout": {"token": SCOUT}}, mode)
    with pytest.raises(EnvironmentFault, match="chmod 600"):
        Identities(path, VAULT)


def test_a_file_that_its_group_may_read_is_accepted(tmp_path: Path) -> None:
    path = agents_file(tmp_path, {"scout": {"token": SCOUT}}, 0o640)
    assert Identities(path, VAULT).of_token(SCOUT) is not None


def test_what_is_no_readable_text_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="cannot be read"):
        Identities(tmp_path / "absent.json", VAULT)
    with pytest.raises(EnvironmentFault, match="no file"):
        Identities(tmp_path, VAULT)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(EnvironmentFault, match="no file"):
        Identities(pipe, VAULT)
    path = agents_file(tmp_path, "{}")
    path.write_bytes(b"\xff\xfe{}")
    with pytest.raises(EnvironmentFault, match="no UTF-8"):
        Identities(path, VAULT)
    path.write_bytes(b" " * 4_000_001)
    with pytest.raises(EnvironmentFault, match="larger than"):
        Identities(path, VAULT)


def test_deep_json_is_refused(tmp_path: Path) -> None:
    path = agents_file(tmp_path, '{"a":' * 50_000)
    with pytest.raises(EnvironmentFault, match="is no JSON"):
        Identities(path, VAULT)


# -- the vault's token ----------------------------------------------------------------


def test_where_the_token_comes_from(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(VAULT + "\n")
    file.chmod(0o600)
    environment = {VARIABLE: "from-environment-" + "e" * 10}
    assert resolve_token(SCOUT, None, environment) == SCOUT
    assert resolve_token(None, file, environment) == VAULT
    assert resolve_token(None, None, environment) == environment[VARIABLE]


def test_a_token_file_may_be_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(VAULT,))
    writer.start()
    assert resolve_token(None, pipe, {}) == VAULT
    writer.join()


@pytest.mark.parametrize("token", ["", "short", "x" * 15, "a b" * 10, "é" * 20, "x\n" * 20])
def test_a_token_that_is_none_is_refused(tmp_path: Path, token: str) -> None:
    with pytest.raises(ManentError) as refusal:
        resolve_token(token, None, {})
    assert token == "" or token not in str(refusal.value).replace(VARIABLE, "")


def test_no_token_at_all_is_refused(tmp_path: Path) -> None:
    for environment in ({}, {VARIABLE: ""}):
        with pytest.raises(UsageError, match="needs a token"):
            resolve_token(None, None, environment)
    with pytest.raises(UsageError, match="exclude"):
        resolve_token(VAULT, tmp_path / "token", {})


def test_a_token_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(VAULT)
    file.chmod(0o644)
    with pytest.raises(EnvironmentFault, match="open to everybody"):
        resolve_token(None, file, {})


# -- reloading ------------------------------------------------------------------------


def test_the_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    said: list[tuple[str, bool]] = []
    path = agents_file(tmp_path, {"scout": {"token": SCOUT, "read": ["team"]}})
    identities = Identities(path, VAULT, report=lambda *what: said.append(what))
    agents_file(tmp_path, {"clerk": {"token": CLERK, "read": ["team"]}})
    assert identities.of_token(SCOUT) is None
    clerk = identities.of_token(CLERK)
    assert clerk is not None and clerk.name == "clerk"
    assert said == [("the agents file was read again", True)]


def test_a_change_of_the_same_length_at_the_same_time_is_seen(tmp_path: Path) -> None:
    path = agents_file(tmp_path, {"scout": {"token": SCOUT}})
    identities = Identities(path, VAULT)
    status = path.stat()
    assert identities.of_token(SCOUT) is not None
    path.write_text(path.read_text().replace(SCOUT, SCOUT.upper()))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert identities.of_token(SCOUT) is None
    assert identities.of_token(SCOUT.upper()) is not None


def test_an_old_file_is_not_read_at_each_call(tmp_path: Path) -> None:
    path = agents_file(tmp_path, {"scout": {"token": SCOUT}})
    os.utime(path, (1, 1))
    identities = Identities(path, VAULT)
    started = time.perf_counter()
    for _ in range(1_000):
        identities.of_token(SCOUT)
    assert time.perf_counter() - started < 1
    assert identities.refresh() is False


@pytest.mark.parametrize(
    "bad", ["", "{", '{"scout": {"reads": []}}', '{"scout": {"token": "short"}}', None]
)
def test_a_bad_new_file_leaves_the_last_good_identities(tmp_path: Path, bad: str | None) -> None:
    said: list[tuple[str, bool]] = []
    path = agents_file(tmp_path, {"scout": {"token": SCOUT}})
    good = path.read_text()
    identities = Identities(path, VAULT, report=lambda *what: said.append(what))
    if bad is None:
        path.unlink()
    else:
        path.write_text(bad)
    for _ in range(3):
        assert identities.of_token(SCOUT) is not None
        assert identities.of_token(VAULT) is OWNER
    assert identities.fault and [good for _, good in said] == [False]
    agents_file(tmp_path, good)
    assert identities.of_token(SCOUT) is not None
    assert not identities.fault and [good for _, good in said] == [False, True]


def test_a_file_that_becomes_readable_to_all_changes_nobody(tmp_path: Path) -> None:
    path = agents_file(tmp_path, {"scout": {"token": SCOUT}})
    identities = Identities(path, VAULT)
    agents_file(tmp_path, {"clerk": {"token": CLERK}}, 0o644)
    assert identities.of_token(CLERK) is None
    assert "everybody" in identities.fault


def test_a_clock_that_jumps_back_hides_no_change(tmp_path: Path) -> None:
    path = agents_file(tmp_path, {"scout": {"token": SCOUT}})
    identities = Identities(path, VAULT, now_ns=lambda: 0)
    agents_file(tmp_path, {"clerk": {"token": CLERK}})
    assert identities.of_token(CLERK) is not None


# -- keys of issued tokens ------------------------------------------------------------


def test_the_key_of_issued_tokens_changes_with_what_it_hangs_on(tmp_path: Path) -> None:
    path = agents_file(tmp_path, {"scout": {"token": SCOUT}, "pusher": {}})
    identities = Identities(path, VAULT)
    owner, scout = identities.key_of("owner"), identities.key_of("scout")
    assert owner and scout and owner != scout
    assert identities.key_of("pusher") is None
    assert identities.key_of("stranger") is None
    assert Identities(path, VAULT).key_of("scout") == scout
    assert Identities(path, VAULT + "2").key_of("owner") != owner
    assert Identities(path, VAULT + "2").key_of("scout") != scout
    agents_file(tmp_path, {"scout": {"token": CLERK}, "pusher": {}})
    assert identities.key_of("owner") == owner
    assert identities.key_of("scout") not in (None, scout)
    agents_file(tmp_path, {})
    assert identities.key_of("scout") is None
    assert Identities(path, None).key_of("owner") is None


def test_an_owner_that_only_pushes_is_the_vaults_own(tmp_path: Path) -> None:
    """The agents file may mark the owner for a git transport, with no token for HTTP."""
    alone = Identities(None, VAULT)
    entry = {"read": "*", "write": "*", "git": True}
    path = agents_file(tmp_path, {"owner": entry})
    marked = Identities(path, VAULT)
    assert marked.named("owner") is OWNER and marked.of_token(VAULT) is OWNER
    assert marked.key_of("owner") == alone.key_of("owner") is not None
    path.write_text(json.dumps({"owner": {**entry, "token": CLERK}}))
    assert marked.named("owner").git and marked.key_of("owner") not in (None, alone.key_of("owner"))
    assert Identities(path, None).named("owner").git


def test_what_bound_somebody_is_told_once_it_binds_nobody(tmp_path: Path) -> None:
    heard: list[int] = []
    known(tmp_path)
    path = tmp_path / "agents.json"
    identities = Identities(path, VAULT)
    identities.listeners.append(lambda: heard.append(len(identities.ended())))
    before = {name: identities.bound_of(name) for name in ("scout", "clerk", "owner", "pusher")}
    assert before["pusher"] == "" and len(set(before.values())) == 4
    rows = json.loads(path.read_text())
    path.write_text(json.dumps({**rows, "scout": {**rows["scout"], "read": []}}))
    assert identities.refresh() and identities.ended() == () and heard == []
    path.write_text(json.dumps({"clerk": {"token": SCOUT}, "pusher": {"token": CLERK}}))
    assert identities.refresh()
    ended = {(name, before[name]) for name in ("scout", "clerk")}
    assert set(identities.ended()) == ended and heard == [2]
    path.write_text(json.dumps(rows))
    assert identities.refresh() and identities.bound_of("scout") == before["scout"]
    assert ended < set(identities.ended()), "also what ended and is back"
    for binding in identities.ended():
        identities.note(binding)
    assert identities.ended() == ()
    path.write_text("{")
    assert not identities.refresh() and identities.ended() == (), "the last good one stands"
    assert Identities(None, None).bound_of("owner") == ""
