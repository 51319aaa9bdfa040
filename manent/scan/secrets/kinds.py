"""The page of every kind of secret: what it is, why it counts, what is and is not one."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from typing import TYPE_CHECKING

from manent.scan.secrets.checksum import BASE62, BODY, own_token
from manent.scan.secrets.form import Form, Kind, example
from manent.scan.secrets.forms import FORMS
from manent.scan.secrets.vendors import SERVICES, Vendor

if TYPE_CHECKING:
    from random import Random

_WHY = "Whoever reads it acts as its owner until it is revoked, and git keeps it for good."


def _of_form(form: Form) -> Kind:
    return Kind(
        form.kind,
        f"{form.owner}: {form.what}",
        _WHY,
        f"token: {{{form.kind}}}",
        f"The {form.what} is kept in the password store.",
        form.source,
    )


def _of_service(service: Vendor) -> Kind:
    word = service.word.split("|")[0]
    return Kind(
        service.kind,
        f"{service.owner}: a key without a prefix, told by the name it is given to",
        _WHY,
        f"{word}_api_key = {{{service.kind}}}",
        f"{word}_api_key = ${{{word.upper()}_API_KEY}}",
        service.source,
    )


TOLD = (
    Kind(
        "private-key",
        "A private key in its frame (PEM, OpenSSH, PGP, PKCS)",
        "Whoever holds it is its owner for every machine and signature that trusts it.",
        "{private-key}",
        "The header `-----BEGIN PRIVATE KEY-----` marks a PKCS #8 file.",
        "RFC 7468; openssh.com PROTOCOL.key; RFC 9580",
    ),
    Kind(
        "putty-key",
        "A PuTTY private key file",
        "Whoever holds it can log in wherever its public half is trusted.",
        "{putty-key}",
        "PuTTY keeps its keys in .ppk files.",
        "the.earth.li/~sgtatham/putty: PPK file format",
    ),
    Kind(
        "wireguard-key",
        "A WireGuard private or preshared key",
        "Whoever holds it can stand in for the peer.",
        "PrivateKey = {wireguard-key}",
        "PrivateKey = <the output of wg genkey>",
        "man wg(8)",
    ),
    Kind(
        "json-web-token",
        "A signed or sealed JSON web token whose head decodes",
        "It opens what it was signed for until it expires, and tells who its bearer is.",
        "session {json-web-token}",
        "A token begins with eyJhbGciOi... and has three parts.",
        "RFC 7519; RFC 7515; RFC 7516",
    ),
    Kind(
        "json-web-key",
        "The private part of a JSON web key",
        "Whoever holds it can sign as its owner.",
        '{"kty":"OKP","crv":"Ed25519","d":"{json-web-key}"}',
        '{"kty":"OKP","crv":"Ed25519","x":"…"}',
        "RFC 7517; RFC 8037",
    ),
    Kind(
        "address-password",
        "A password in an address: scheme://user:password@host",
        "The address alone opens the service it names.",
        "postgres://brain:{address-password}@db.internal:5432/vault",
        "postgres://user:password@example.com/db",
        "RFC 3986, section 3.2.1",
    ),
    Kind(
        "basic-credentials",
        "User and password for basic authentication, plain (curl -u) or in base 64",
        "Base 64 hides nothing: user and password can be read from it.",
        "curl -u deploy:{basic-credentials} https://git.internal/",
        "curl -u <user:password> https://example.com/",
        "RFC 7617; man curl(1)",
    ),
    Kind(
        "registry-credentials",
        "User and password in a container registry's configuration",
        "Whoever reads it can push images that others will run.",
        '{"auths":{"registry.internal":{"auth":"{registry-credentials}"}}}',
        '{"auths":{"registry.example.com":{}}}',
        "docs.docker.com: docker login, credential stores",
    ),
    Kind(
        "header-token",
        "A token in a header (Authorization, X-Api-Key, PRIVATE-TOKEN)",
        _WHY,
        "Authorization: Bearer {header-token}",
        "Authorization: Bearer <token>",
        "RFC 6750",
    ),
    Kind(
        "netrc-password",
        "A password in the form of a .netrc file",
        "The line alone logs in.",
        "machine git.internal login deploy password {netrc-password}",
        "machine example.com login user password secret",
        "man netrc(5)",
    ),
    Kind(
        "kubernetes-secret",
        "An entry of a Kubernetes Secret",
        "Base 64 hides nothing: the value can be read from it.",
        "kind: Secret\ndata:\n  password: {kubernetes-secret}\n",
        "kind: Secret\ndata: {}\n",
        "kubernetes.io/docs: Secrets",
    ),
    Kind(
        "manent-address",
        "The address of a brain with its token in the path",
        "Whoever has the address reads and writes what its agent may.",
        "https://brain.internal/t/{manent-address}/mcp",
        "https://brain.internal/t/<token>/mcp",
        "spec/SPEC.md: tokens",
    ),
    Kind(
        "wallet-phrase",
        "The recovery phrase of a wallet (12 to 24 words)",
        "The words are the wallet.",
        "seed phrase: {wallet-phrase}",
        "Write the seed phrase on paper; it has twelve words.",
        "github.com/bitcoin/bips: BIP 39",
    ),
    Kind(
        "aws-secret-key",
        "Amazon Web Services: secret access key",
        _WHY,
        "aws_secret_access_key = {aws-secret-key}",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "docs.aws.amazon.com: access keys",
    ),
    Kind(
        "assigned-secret",
        "A value drawn by chance that its name calls a key, a token or a secret",
        _WHY,
        "api_key: {assigned-secret}",
        "api_key: ${API_KEY}",
        "entropy over the name's words: manent/scan/secrets/named.py",
    ),
    Kind(
        "password",
        "A password that a name or a sentence gives away",
        "Passwords are used again elsewhere, and a git history keeps them for good.",
        "La password del NAS è {password}",
        "La password del NAS è nel portachiavi.",
        "words for passwords in 30 languages: manent/scan/secrets/cues.py",
    ),
)

KINDS: tuple[Kind, ...] = (*map(_of_form, FORMS), *map(_of_service, SERVICES), *TOLD)
"""Every kind, one page each."""


_MADE = {
    "wireguard-key": r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=",
    "json-web-key": r"[A-Za-z0-9_\-]{43}",
    "address-password": r"[A-Z][a-z]{2}[0-9]{2}[A-Za-z0-9]{12}",
    "basic-credentials": r"[A-Z][a-z]{2}[0-9]{2}[A-Za-z0-9]{12}",
    "header-token": r"[A-Z][a-z][0-9]{3}[A-Za-z0-9]{35}",
    "netrc-password": r"[A-Z][a-z]{2}[0-9]{2}[A-Za-z0-9]{12}",
    "manent-address": r"[A-Z][a-z][0-9]{3}[A-Za-z0-9]{38}",
    "aws-secret-key": r"[A-Za-z0-9+/]{38}[0-9][a-z]",
    "assigned-secret": r"[A-Z][a-z][0-9]{3}[A-Za-z0-9]{27}",
    "password": r"[A-Z][a-z]{3}[0-9]{2}[#!&$][A-Z][a-z]{2}[0-9]{2}",
}


def made(kind: str, chance: Random) -> str:
    """Return an invented secret of ``kind``, for its page's example and for tests.

    Raises KeyError for a kind that no page tells of.
    """
    if kind == "manent-token":
        return own_token("".join(chance.choice(BASE62) for _ in range(BODY)))
    for drawn in (_draw(kind, chance) for _ in range(100)):
        if kind not in _NAMED or any(letter.isdigit() for letter in drawn[:30]):
            return drawn
    raise KeyError(kind)


def _draw(kind: str, chance: Random) -> str:
    pattern = _PATTERNS.get(kind) or _MADE.get(kind, "")
    if kind in _NAMED and not pattern.startswith("(?"):
        pattern = chance.choice(pattern.split("|"))
    return example(pattern, chance) if pattern else _BLOCKS[kind](chance)


_NAMED = frozenset(service.kind for service in SERVICES)
"""Kinds told by a name alone: without a digit any word would be one."""


_PATTERNS = {
    **{form.kind: form.pattern for form in reversed(FORMS)},
    **{s.kind: s.pattern.replace("(?i:", "(?:") for s in SERVICES},
}


def _lines(chance: Random, count: int) -> str:
    return "\n".join(example(r"[A-Za-z0-9+/]{64}", chance) for _ in range(count))


def _private_key(chance: Random) -> str:
    name = chance.choice(("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "))
    frame = "-" * 5
    head, foot = f"{frame}BEGIN {name}PRIVATE KEY{frame}", f"{frame}END {name}PRIVATE KEY{frame}"
    return f"{head}\n{_lines(chance, 4)}\n{foot}"


def _putty_key(chance: Random) -> str:
    return (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: deploy\n"
        f"Public-Lines: 2\n{_lines(chance, 2)}\nPrivate-Lines: 1\n{_lines(chance, 1)}\n"
        f"Private-MAC: {example('[a-f0-9]{64}', chance)}"
    )


def _web_token(chance: Random) -> str:
    claims = {
        "sub": example("[0-9]{8}", chance),
        "iat": chance.randint(1_600_000_000, 1_800_000_000),
    }
    parts = ({"alg": "HS256", "typ": "JWT"}, claims)
    coded = [urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in parts]
    return ".".join((*coded, example(r"[A-Za-z0-9_\-]{43}", chance)))


def _registry(chance: Random) -> str:
    password = made("basic-credentials", chance)
    return b64encode(f"deploy:{password}".encode()).decode()


def _cluster(chance: Random) -> str:
    return b64encode(made("basic-credentials", chance).encode()).decode()


_SYLLABLES = [c + v for c in "bcdfglmnr" for v in "aeo"]


def _phrase(chance: Random) -> str:
    return " ".join("".join(chance.sample(_SYLLABLES, 3)) for _ in range(12))


_BLOCKS = {
    "private-key": _private_key,
    "putty-key": _putty_key,
    "json-web-token": _web_token,
    "registry-credentials": _registry,
    "kubernetes-secret": _cluster,
    "wallet-phrase": _phrase,
}
