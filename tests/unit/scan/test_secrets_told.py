"""Secrets told by what stands around them, and look-alikes that are none."""

from __future__ import annotations

import base64
import json
from random import Random

import pytest

from manent.scan.reading import readings
from manent.scan.secrets import ENOUGH, find
from manent.scan.secrets.checksum import check_letters, checked, own_token
from manent.scan.secrets.kinds import made
from manent.scan.span import Context, Span

CHANCE = Random(7)
TOKEN = made("github-token", CHANCE)
WORD = made("password", CHANCE)
KEY = made("assigned-secret", CHANCE)


def found(text: str) -> list[Span]:
    """All that any reading shows."""
    return [span for reading in readings(text) for span in find(reading, Context())]


def kinds(text: str) -> set[str]:
    return {span.kind for span in found(text)}


@pytest.mark.parametrize(
    "sentence",
    [
        "The NAS password is {}",
        "password: {}",
        "DB_PASSWORD={}",
        "my new passphrase for the mail server: {}",
        "La password del NAS è {}.",
        "parola d'ordine: {}",
        "Das Passwort lautet {}",
        "Le mot de passe du wifi est {}",
        "La contraseña es {}",
        "senha: {}",
        "wachtwoord: {}",
        "hasło: {}",
        "şifre: {}",
        "пароль: {}",
        "密码是{}",
        "口令：{}",
        "パスワード：{}",
        "비밀번호: {}",
        "كلمة المرور: {}",
        "पासवर्ड: {}",
        "mysql --password={} notes",
        "deploy --db-password {} --now",
        "Server=sql.internal;User Id=sa;Password={};Encrypt=yes",
        "jdbc:mysql://db.internal/app?user=app&password={}",
        "<password>{}</password>",
    ],
)
def test_a_password_is_found_in_what_calls_it_one(sentence: str) -> None:
    assert "password" in kinds(sentence.format(WORD))


@pytest.mark.parametrize(
    "line",
    [
        "password: ********",
        "password: changeme",
        "password: <your password>",
        "password: ${DB_PASSWORD}",
        "password = os.environ['DB_PASSWORD1']",
        "password = form.cleaned_data['password1']",
        "password: hunter2",
        "The password must have 12 characters and 1 digit.",
        "Passkeys (P256/passkeys, Falcon-512) replace passwords.",
        "https://zoom.us/j/89245933363?pwd=UVFhb1ZZZDd3OW1VOHNKODZSTmlwUT09",
        "public_key = {}",
        "csrf_token: {}",
        "key_name = {}",
        "Cache not found for input keys: Linux-v2-99cb51177fdf291e959222d9bb8562af",
        "https://shop.example/list?view=2&token={}",
        "https://forum.example/t/how-to-keep-a-journal-2024/1845",
        "model=multilingual-e5-small-quantized-int8-v2",
        "SECRET_NAME = 'prod-db-password-v2'",
    ],
)
def test_what_only_looks_like_a_secret_is_none(line: str) -> None:
    assert not found(line.replace("{}", KEY))


def test_a_frame_without_a_key_is_no_key() -> None:
    frame = "-" * 5
    head, foot = f"{frame}BEGIN RSA PRIVATE KEY{frame}", f"{frame}END RSA PRIVATE KEY{frame}"
    assert not found(f"The header `{head}` marks a key.")
    assert not found(f"{head}\n...\n{foot}")
    assert not found(made("private-key", CHANCE).replace("PRIVATE", "PUBLIC"))


@pytest.mark.parametrize("shape", ["{}", "> {}", "| prod | {} |", "<!-- {} -->", '"{}"'])
def test_a_key_is_found_quoted_escaped_and_in_tables(shape: str) -> None:
    key = made("private-key", CHANCE)
    assert kinds(shape.format(key.replace("\n", "\n> "))) == {"private-key"}
    assert kinds(shape.format(key.replace("\n", "\\n"))) == {"private-key"}


@pytest.mark.parametrize(
    "text",
    [
        f'token = "{TOKEN[:12]}" + "{TOKEN[12:]}"',
        f"$t = '{TOKEN[:20]}' . '{TOKEN[20:]}';",
        f"{TOKEN[:17]}\n{TOKEN[17:]}",
        f"> {TOKEN[:17]}\n> {TOKEN[17:]}",
        f'TOKEN="{TOKEN[:9]}\\\n{TOKEN[9:]}"',
        " ".join(TOKEN),
        TOKEN[::-1],
        base64.b64encode(TOKEN.encode()).decode(),
        TOKEN.encode().hex(),
        "".join(f"&#{ord(letter)};" for letter in TOKEN),
        TOKEN[:9] + "\u200b" + TOKEN[9:],
    ],
    ids=lambda text: ascii(text[:24]),
)
def test_a_token_is_found_broken_and_encoded(text: str) -> None:
    spans = [span for span in found(text) if span.kind == "github-token"]
    assert spans
    assert spans[0].start <= 9 and spans[0].end >= len(text) - 9


def test_a_web_token_must_decode_and_the_one_of_the_manual_is_let_go() -> None:
    def coded(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    head, sign = coded({"alg": "HS256"}), "A9" * 20
    assert kinds(f"{head}.{coded({'sub': 'x'})}.{sign}") == {"json-web-token"}
    assert not found(f"{head}.{coded({'sub': '1234567890', 'name': 'John Doe'})}.{sign}")
    assert not found(f"eyJhbGciOiJub3QganNvbiA.{coded({'sub': 'x'})}.{sign}")


def test_our_own_tokens_end_with_check_letters() -> None:
    token = own_token("a" * 16 + "B1" * 8)
    assert checked(token, "manent_") and not checked(token[:-1] + "?", "manent_")
    assert token.endswith(check_letters("a" * 16 + "B1" * 8))
    with pytest.raises(ValueError):
        own_token("too short")


def test_a_text_full_of_secrets_is_not_searched_for_ever() -> None:
    text = "\n".join(made("gitlab-token", Random(seed)) for seed in range(3 * ENOUGH))
    plain = next(iter(readings(text)))
    assert ENOUGH <= len(list(find(plain, Context()))) <= 4 * ENOUGH


def test_a_value_of_a_service_with_one_form_is_judged_by_it_alone() -> None:
    assert kinds(f"meraki_api_key: {made('meraki-key', CHANCE)}") == {"meraki-key"}
    assert not found(f"meraki_api_key: {KEY}")
