"""Secrets told by what stands around them: key blocks, signed tokens, addresses, headers."""

from __future__ import annotations

import base64
import binascii
import functools
import json
import re
from collections.abc import Callable, Iterator

from manent import late
from manent.scan.engine import Search
from manent.scan.secrets.checksum import mixed
from manent.scan.secrets.plausible import entropy, placeholder, random_enough, regular
from manent.scan.secrets.tokens import Hit, Places
from manent.scan.secrets.values import USUAL, classes, password_like, secret_like, wordy

REACH = 4000
"""How far behind a mark its secret may reach, in letters."""

Finder = Callable[[str, int], Iterator[Hit]]


def marks(text: str, raw: bytes) -> Iterator[Hit]:
    """Yield the secrets in ``text`` that stand behind a mark; ``raw`` is its UTF-8 form."""
    search = _engine()
    place = Places(text, raw)
    at = 0
    while True:
        seen = search.first(raw, at)
        if seen is None:
            return
        start = place.of(seen[0])
        hits = [hit for find in _able(text[start : start + 6]) for hit in find(text, start)]
        yield from hits
        at = seen[1] if not hits else max(seen[1], place.byte(hits[-1].end))


@functools.cache
def _engine() -> Search:
    return Search(marks_source())


def marks_source() -> str:
    """Return the pattern of all marks, case ignored."""
    return "|".join(mark for mark, _, _ in _MARKS)


@functools.lru_cache(4096)
def _able(head: str) -> tuple[Finder, ...]:
    """Return who looks closer at a mark that begins with ``head``."""
    return tuple(find for _, begins, find in _MARKS if re.match(begins, head, re.I))


_ARMOR = late.pattern(
    r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject|x-date):[^\n\\]{0,120}"
)
_BETWEEN = late.pattern(
    r"\\r|\\n|\\t|[\s\"'`>|,;*#]|(?<=[\"'])\s*\+|\+\s*(?=[\"'\n])|&#10;|<br ?/?>"
)
_BASE64 = late.pattern(r"[A-Za-z0-9+/=]+")


_KEY_HEAD = late.pattern(r"PRIVATE KEY(?: BLOCK)?-{2,}", re.I)


def _key_block(text: str, start: int) -> Iterator[Hit]:
    """A private key in its frame: the frame alone is no key, nor is one with dots inside."""
    head = _KEY_HEAD.match(text, start)
    if head is None:
        return
    after = text[head.end() : head.end() + REACH]
    cut = re.search(r"--", after)
    inside = after[: cut.start()] if cut else after
    body = _BETWEEN.sub("", _ARMOR.sub("", inside))
    found = _BASE64.match(body)
    if found is None or len(found.group()) < 40 or entropy(found.group()[:400]) < 3.8:
        return
    begin = text.rfind("-----BEGIN", max(0, start - 60), start)
    end = head.end() + (len(inside) if cut else min(len(inside), 2 * len(found.group())))
    yield Hit(start if begin < 0 else begin, end, "private-key", found.group())


def _putty(text: str, start: int) -> Iterator[Hit]:
    found = re.compile(r"Private-Lines: \d{1,4}\s+([A-Za-z0-9+/=\s]{40,})").search(
        text, start, start + REACH
    )
    if found:
        yield Hit(start, found.end(), "putty-key", re.sub(r"\s", "", found[1]))


_WIREGUARD = late.pattern(
    r"(?:private|preshared)[_-]?key[\"']?\s{0,9}[=:]\s{0,9}[\"']?([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)"
    r"(?![A-Za-z0-9+/=])",
    re.I,
)


def _wireguard(text: str, start: int) -> Iterator[Hit]:
    found = _WIREGUARD.match(text, start)
    if found and random_enough(found[1], 4.0) and not placeholder(found[1]):
        yield Hit(found.start(1), found.end(1), "wireguard-key", found[1])


_SIGNED = late.pattern(
    r"(eyJ[A-Za-z0-9_\-]{8,3000})\.([A-Za-z0-9_\-/+]{4,12000})\.([A-Za-z0-9_\-/+]{0,4000})((?:\.[A-Za-z0-9_\-]{1,12000}){0,2})"
)


def _signed(text: str, start: int) -> Iterator[Hit]:
    """A JSON web token whose head decodes; the one in every manual is let go."""
    if text[max(0, start - 1) : start].isalnum():
        return
    found = _SIGNED.match(text, start)
    if found is None:
        return
    head, claims = _json(found[1]), _json(found[2])
    sealed = bool(found[4])
    if not isinstance(head, dict) or "alg" not in head or not (sealed or isinstance(claims, dict)):
        return
    manual = isinstance(claims, dict) and claims.get("sub") == "1234567890" and "name" in claims
    if not manual and (len(found[3]) >= 10 or not found[3] or sealed):
        yield Hit(start, found.end(), "json-web-token", found.group())


def _json(part: str) -> object:
    try:
        return json.loads(_decoded(part))
    except (ValueError, RecursionError):
        return None


def _decoded(part: str) -> str:
    """Return what base 64 (either alphabet, padded or not) spells. Raises ValueError."""
    bare = part.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError) as bad:
        raise ValueError("not text in base 64") from bad


_ADDRESS = late.pattern(
    r"://([^\s:/@?#<>\"'`|]{0,120}):([^\s@<>\"'`|]{1,200})@([\w.\-\[\]:${}%<>]{1,200})"
)
_RESERVED = late.pattern(
    r"(?:^|\.)(?:example(?:\.(?:com|org|net|edu))?|test|invalid|localhost|domain\.(?:com|tld))$"
    r"|^(?:host(?:name)?|server|127\.0\.0\.1|0\.0\.0\.0|db|database|your.*|my.*|.*(?:[<>{}$%]).*)$"
)


def _address(text: str, start: int) -> Iterator[Hit]:
    """A password in an address: ``scheme://user:password@host``."""
    found = _ADDRESS.match(text, start)
    if found is None:
        return
    user, password, host = found.groups()
    host = host.lower().split(":")[0].rstrip(".")
    if open_door(user, password, bool(_RESERVED.search(host))):
        yield Hit(found.start(2), found.end(2), "address-password", password)


def open_door(user: str, password: str, reserved: bool) -> bool:
    """Whether user and password open something; ``reserved`` hosts ask for a random one."""
    if (
        placeholder(password)
        or placeholder(user)
        or USUAL.fullmatch(password)
        or "/" in password[:6]
    ):
        return False
    if password.lower() == user.lower() or re.fullmatch(
        r"[\[<({$%*.].*|xx.*|\d{1,5}", password, re.I
    ):
        return False
    if reserved:
        return len(password) >= 12 and classes(password) >= 3 and wordy(password) < 0.5
    return len(password) >= 6 and (classes(password) >= 2 or len(password) >= 16)


_USER = late.pattern(
    r"[\s\"'](?:-u|-U|--user|--proxy-user)(?:=|[ \t]{0,5})"
    r"(?:\"([^\"\n]{0,120}?):([^\"\n]{0,200})\"|'([^'\n]{0,120}?):([^'\n]{0,200})'"
    r"|([^\s:\"']{1,120}):([^\s\"']{1,200}))"
)


def _curl(text: str, start: int) -> Iterator[Hit]:
    """``curl -u user:password``, on the command's line or those it is continued on."""
    found = _USER.match(text, start)
    before = text[max(0, start - 1200) : start + 1].replace("\\\n", " ")
    if found is None or not re.search(r"\b(?:curl|wget|https?)\b[^\n]*$", before):
        return
    user, password = (part or "" for part in _pair(found.groups()))
    secret = password or user
    if len(secret) >= 3 and open_door(user if password else "", secret, False):
        yield Hit(start + 1, found.end(), "basic-credentials", secret)


def _pair(groups: tuple[str | None, ...]) -> tuple[str | None, str | None]:
    for user, password in zip(groups[::2], groups[1::2], strict=True):
        if user is not None or password is not None:
            return user, password
    return None, None


_HEADER = late.pattern(
    r"(?:authorization|x-[a-z\-]{0,20}(?:key|token|secret)|private-token)[\"'`\])]{0,3}"
    r"\s{0,3}[:=,]\s{0,3}[bf]?[\"'`]{0,2}"
    r"(?:(basic|bearer|token|bot|api-?key|key|ssws|splunk|genie ?key)[ :=]{1,3})?"
    r"\"?([\w=~@.+/:\-]{8,2000})",
    re.I,
)


def _header(text: str, start: int) -> Iterator[Hit]:
    """A credential in a header: basic ones are decoded, others must look drawn by chance."""
    found = _HEADER.match(text, start)
    if found is None:
        return
    scheme, value = (found[1] or "").lower(), found[2].rstrip(".:")
    if scheme == "basic":
        yield from _basic(found.start(2), value)
    elif header_value(value):
        yield Hit(found.start(2), found.start(2) + len(value), "header-token", value)


def header_value(value: str) -> bool:
    """Whether ``value`` is a token that a header may carry; shorter ones are usual there."""
    return secret_like(value, 3.0, 12) and not regular(value)


def _basic(at: int, value: str) -> Iterator[Hit]:
    try:
        user, colon, password = _decoded(value).partition(":")
    except ValueError:
        return
    if colon and password and password.isprintable() and open_door(user, password, False):
        yield Hit(at, at + len(value), "basic-credentials", value)


_SCHEME = late.pattern(r"(basic|bearer)[ \t]{1,3}[\"'`]?([\w=~.+/\-]{12,2000})", re.I)


def _scheme(text: str, start: int) -> Iterator[Hit]:
    found = _SCHEME.match(text, start)
    if found is None or text[max(0, start - 1) : start].isalnum():
        return
    if found[1].lower() == "basic":
        yield from _basic(found.start(2), found[2])
    elif secret_like(found[2].rstrip("."), 3.5, 20):
        yield Hit(found.start(2), found.end(2), "header-token", found[2].rstrip("."))


_NETRC = late.pattern(
    r"machine\s{1,9}([\w.\-]{1,200})\s{1,9}login\s{1,9}(\S{1,120})\s{1,9}(?:account\s{1,9}\S{1,99}\s{1,9})?password\s{1,9}(\S{1,200})",
    re.I,
)


def _netrc(text: str, start: int) -> Iterator[Hit]:
    found = _NETRC.match(text, start)
    if found and open_door(
        found[2], found[3].rstrip("`|)"), bool(_RESERVED.search(found[1].lower()))
    ):
        yield Hit(found.start(3), found.end(3), "netrc-password", found[3])


_DOCKER = late.pattern(r"\"auth\\?\"\s{0,9}:\s{0,9}\\?\"([A-Za-z0-9+/]{8,2000}={0,2})\\?\"")


def _docker(text: str, start: int) -> Iterator[Hit]:
    found = _DOCKER.match(text, start)
    if found:
        for hit in _basic(found.start(1), found[1]):
            yield hit._replace(kind="registry-credentials")


_OWN = late.pattern(r"/t/([A-Za-z0-9_\-]{20,128})(?=[/\s\"'`)>?#|,.;]|$)")


def _own_address(text: str, start: int) -> Iterator[Hit]:
    """A brain's address with its token: ``https://host/t/TOKEN/…``."""
    found = _OWN.match(text, start)
    before = text[max(0, start - 260) : start]
    if not found or not re.search(
        r"(?:://|\b(?:localhost|[\w\-]+\.[a-z]{2,}))(?:[\w.\-:\[\]/]*)$", before[-200:]
    ):
        return
    if secret_like(found[1], 3.5, 20) and mixed(found[1]):
        yield Hit(found.start(1), found.end(1), "manent-address", found[1])


_KEY_SET = late.pattern(r"\"d\"\s{0,9}:\s{0,9}\"([A-Za-z0-9_\-]{40,1200})\"")


def _key_set(text: str, start: int) -> Iterator[Hit]:
    found = _KEY_SET.match(text, start)
    if (
        found
        and '"kty"' in text[max(0, start - 1500) : start + 2500]
        and random_enough(found[1], 4.0)
    ):
        yield Hit(found.start(1), found.end(1), "json-web-key", found[1])


_ENTRY = late.pattern(
    r"^[ \t]{1,12}[\w.\-]{1,80}:[ \t]{1,9}[\"']?([A-Za-z0-9+/]{8,4000}={0,2})[\"']?[ \t]*$", re.M
)


def _kubernetes(text: str, start: int) -> Iterator[Hit]:
    """The entries under ``data:`` of a Kubernetes Secret, where they decode to text."""
    begin = max(text.rfind("\n---", max(0, start - REACH // 2), start) + 4, start - REACH // 2, 0)
    stop = text.find("\n---", start, start + REACH)
    whole = text[begin : stop if stop >= 0 else start + REACH] + "\n"
    data = re.search(r"^data:[ \t]*\n((?:[ \t][^\n]*\n)+)", whole, re.M)
    for found in _ENTRY.finditer(data[1]) if data else ():
        try:
            inside = _decoded(found[1])
        except ValueError:
            continue
        if (
            len(inside) >= 6
            and not placeholder(inside)
            and not USUAL.fullmatch(inside.strip())
            and classes(inside) >= 2
        ):
            at = begin + data.start(1) if data else 0
            yield Hit(at + found.start(1), at + found.end(1), "kubernetes-secret", found[1])


_SEED = late.pattern(
    r"(?:seed|recovery|backup|secret|mnemonic)[ \w]{0,24}?[\"'`*_]{0,3}\s{0,3}"
    r"(?::|=|is|are|è)\s{1,4}[\"'`*_]{0,3}"
    r"((?:[a-z]{3,8}[ ,]{1,2}){11}(?:(?:[a-z]{3,8}[ ,]{1,2}){3}){0,4}[a-z]{3,8})"
    r"(?![ ,]{1,2}[a-z]{3,8}\b)",
    re.I,
)


def _seed(text: str, start: int) -> Iterator[Hit]:
    found = _SEED.match(text, start)
    if found is None:
        return
    words = re.findall(r"[a-z]+", found[1])
    usual = {"the", "and", "for", "with", "that", "this", "you", "your", "are", "not", "from"}
    if len(set(words)) >= 10 and not usual & set(words):
        yield Hit(found.start(1), found.end(1), "wallet-phrase", " ".join(words))


_OPTION = late.pattern(
    r"--[\w\-]{0,20}(pass(?:word|wd|phrase)?|token|key|secret)[\w\-]{0,20}[ \t]{1,4}"
    r"(?:\"([^\"\n]{6,200})\"|'([^'\n]{6,200})'|([^\s\"'`]{6,200}))",
    re.I,
)


def _option(text: str, start: int) -> Iterator[Hit]:
    """``--password VALUE``: an option and its value apart."""
    found = _OPTION.match(text, start)
    if found is None:
        return
    group = next(n for n in (2, 3, 4) if found[n])
    value = found[group]
    if found[1].lower().startswith("pass"):
        if password_like(value, True):
            yield Hit(found.start(group), found.end(group), "password", value)
    elif secret_like(value):
        yield Hit(found.start(group), found.end(group), "assigned-secret", value)


_LINE = late.pattern(
    r"(?:sshpass|mysql\w*|redis-cli|(?:docker|podman|helm registry) login|smbclient|mongosh?)\b"
    r"[^\n]{0,200}?\s(?:(?:-p|-a)[ \t]?|-U[ \t]?[\w.\\\-]{1,40}%)"
    r"(?:\"([^\"\n]{6,100})\"|'([^'\n]{6,100})'|([^\s\"'`]{6,100}))",
    re.I,
)


def _command(text: str, start: int) -> Iterator[Hit]:
    """A program's short option for a password: ``sshpass -p``, ``redis-cli -a``."""
    found = _LINE.match(text, start)
    if found is None:
        return
    group = next(n for n in (1, 2, 3) if found[n])
    if password_like(found[group], True):
        yield Hit(found.start(group), found.end(group), "password", found[group])


_LOGIN = late.pattern(
    r"(?:admin|root|user|utente|login|usuario|benutzer|administrator)\s{0,2}[/|]\s{1,2}(\S{10,64})",
    re.I,
)


def _login(text: str, start: int) -> Iterator[Hit]:
    """``admin / password``: only a strong one, since anything may follow a slash."""
    found = _LOGIN.match(text, start)
    if not found or text[max(0, start - 1) : start].isalnum() or classes(found[1]) < 3:
        return
    if password_like(found[1], False):
        yield Hit(found.start(1), found.end(1), "password", found[1])


_MARKS: tuple[tuple[str, str, Finder], ...] = (
    (
        r"\b(?:sshpass|mysql\w*|redis-cli|(?:docker|podman|helm registry) login|smbclient"
        r"|mongosh?)\s",
        "sshpas|mysql|redis-|docker|podman|helm r|smbcli|mongo",
        _command,
    ),
    (r"PRIVATE KEY(?: BLOCK)?--", "privat", _key_block),
    (r"PuTTY-User-Key-File-\d", "putty", _putty),
    (r"(?:private|preshared)[_-]?key[\"']?[ \t]*[=:]", "pr", _wireguard),
    (r"eyJ[A-Za-z0-9_\-]{8}", "eyj", _signed),
    (r"://[^\s:/@?#<>\"'`|]*:[^\s@<>\"'`|/]", "://", _address),
    (r"[\s\"'](?:-u|-U|--user|--proxy-user)(?:=|[ \t]*)[\"'$\w]", r"[\s\"'](?:-u|--|$)", _curl),
    (
        r"(?:authorization|x-[a-z\-]{0,20}(?:key|token|secret)|private-token)[\"'`\])]*\s?[:=,]",
        "",
        _header,
    ),
    (r"(?:basic|bearer)[ \t]+[\"'`]?[\w=~.+/\-]{12}", "b[ae]", _scheme),
    (r"machine\s+\S+\s+login\s", "machin", _netrc),
    (r"\"auth\\?\"\s*:", '"auth', _docker),
    (r"/t/[A-Za-z0-9_\-]{20}", "/t/", _own_address),
    (r"\"d\"\s*:", '"d"', _key_set),
    (r"\bkind:\s*[\"']?Secret\b", "kind", _kubernetes),
    (
        r"(?:seed|recovery|backup|secret)[ -](?:recovery )?(?:phrase|words)|mnemonic",
        "seed|reco|back|secr|mnem",
        _seed,
    ),
    (r"--[\w\-]*(?:pass|token|key|secret)[\w\-]*[ \t]+[^\s\-]", "--", _option),
    (
        r"(?:admin|root|user|utente|login|usuario|benutzer|administrator) ?[/|] ",
        "admi|root|user|uten|logi|usua|benu",
        _login,
    ),
)
"""What is searched for, what its first six letters are like, and who looks closer."""
