"""E-mail addresses with an at sign, and what is no address or nobody's.

An address is found from its at sign outwards, within bounds, so that a text of
at signs alone costs no more than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manent import late
from manent.values import dataclass

LETTERS = r"a-zA-Z0-9\u00c0-\u024f\u0370-\u03ff\u0400-\u052f"
LABEL = rf"[{LETTERS}](?:[{LETTERS}-]{{0,61}}[{LETTERS}])?"
TLD = r"(?:xn--[a-z0-9-]{2,59}|[a-zA-Z]{2,24}|[\u0400-\u052f]{2,24}|[\u0370-\u03ff]{2,24})"

_BESIDE = r"(?:(?= )(?<= .)|(?=[\w\\])(?<=[\w+\\].))"
_SIGNS = {sign: late.pattern(sign + _BESIDE) for sign in "@＠﹫"}
"""At signs, each tight on both sides, or spaced on both."""
_LOCAL = late.pattern(rf"[{LETTERS}._%+'&-]{{1,64}}")
_DOMAIN = late.pattern(rf"((?:{LABEL}\.){{1,8}})({TLD})(?![{LETTERS}_-])")

AT_WORDS = (
    r"at|chiocciola|chiocciolina|arroba|arobase|arobas|klammeraffe|ät|apenstaartje|małpa|malpa|"
    r"snabel-a|snabela|snabel a|krøllalfa|alfakrøll|kukac|zavináč|zavinac|miukumauku|ät-merkki|"
    r"собака|собачка|圈a|アットマーク|アット|골뱅이|एट|et|aapstaart|at sign|at-sign|"
    r"coadă de maimuță"
)
DOT_WORDS = (
    r"dot|punto|ponto|point|punkt|punt|kropka|nokta|piste|prick|tečka|tecka|bodka|punct|pont|"
    r"точка|点|點|ドット|점|닷|डॉट|full stop|period"
)

SPELLED = (
    rf"(?i)[\[({{<]{{1,2}} ?(?:{AT_WORDS}|@) ?[\])}}>]{{1,2}}"
    rf"|[-_*](?:{AT_WORDS})[-_*]"
    rf"| (?:{AT_WORDS}) [^ \n]{{1,63}} (?:{DOT_WORDS}) "
    rf"| (?:{AT_WORDS}) [^ \n]{{1,63}} ?[\[({{<](?:{DOT_WORDS}|\.)[\])}}>]"
    rf"|mail[^\n@]{{0,40}} (?:{AT_WORDS}) [^ \n]{{1,63}}\.[a-z]"
)
"""What an address spelled out looks like, for the one pass that all of this family shares."""


RESERVED = frozenset(
    """
    test example invalid localhost local internal lan home corp intranet onion arpa alt
    localdomain private
    """.split()
)
"""Top-level names that no mail reaches (RFC 2606, 6761, 6762, 8375, 9476, and ICANN's lists)."""

_EXTENSIONS = frozenset(
    """
    png jpg jpeg gif webp svg ico bmp tif tiff avif heic pdf html htm xhtml css scss sass
    less js mjs cjs jsx tsx vue json jsonl yaml yml toml xml csv tsv txt rst tex doc docx
    xls xlsx ppt pptx odt java kt swift go cpp hpp cs php rb lua exe dll dylib jar whl tar
    gz tgz bz xz zst rar mp3 mp4 wav ogg flac mov mkv webm avi woff woff2 ttf otf eot map
    lock conf cfg ini env log bak tmp sock service socket timer target mount path device
    slice scope ipynb wasm proto sql db sqlite bat ps1 zip bin img iso deb rpm apk dmg pkg
    """.split()
)
"""Endings of files, services and packages that look like a top-level name."""


_NOBODY = late.pattern(
    r"(?:.*[._+-])?(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|donotreply|nobody|mailer-daemon|bounces?)"
    r"(?:[._+-].*)?\Z",
    re.IGNORECASE,
)
_PLACEHOLDER_DOMAIN = late.pattern(
    r"(?:your|my|some|other|their|tuo|vostro|mio|ihre?|votre|tu|su)[-_]?"
    r"(?:domain|company|org|organi[sz]ation|site|website|server|mail|email|host|dominio|azienda|sito"
    r"|domaine|firma|empresa|provider|school|university|team|app|project)s?\Z"
    r"|(?:domain|dominio|domaine|placeholder|hostname|fqdn|xxx+|yyy+|x|foobar|foo|bar|baz)\Z",
    re.IGNORECASE,
)
_PLACEHOLDER_BOTH = late.pattern(
    r"(?:user|username|name|you|me|your[-_.]?(?:name|email|mail|user|username)|email|mail|someone|"
    r"somebody|first(?:name)?[._]?last(?:name)?|foo|bar|baz|test|x+|a|b|jane\.?(?:doe)?|"
    r"john\.?(?:doe|smith)?|alice|bob|nome|cognome|nome\.cognome|utente|usuario|utilisateur|login|"
    r"sample|example|recipient|sender|person|contact|admin|info|support|hello)\d{0,2}\Z",
    re.IGNORECASE,
)
_PLACEHOLDER_LOCAL = late.pattern(
    r"(?:(?:your|my|some)[-_.]?(?:e?mail|name|user|username|id|address|account)|example|"
    r"(?:first|last|sur|given|family)[-_.]?name|(?:first|name|f)[-_.]?(?:name)?[-_.](?:last|sur)[-_.]?(?:name)?|"
    r"name[-_.]surname|nome|cognome|nome[-_.]cognome|vorname[-_.]nachname|nom[-_.]prenom|"
    r"prenom[-_.]nom|nombre[-_.]apellidos?|xxx+)\Z",
    re.IGNORECASE,
)
_PLACEHOLDER_HOST = frozenset(
    """
    company email mail address host server site website test sample dummy acme organization
    org somewhere someplace provider service corp corporation b y c azienda sito dominio
    empresa
    """.split()
)
_SHELL = late.pattern(
    r"(?:^|[$>#`;&|(\"']\s{0,2}|\b(?:run|via|using|with|sudo)\s)\s{0,8}"
    r"(?:ssh|scp|sftp|rsync|mosh|sshfs|ssh-copy-id|autossh|sshpass|git clone|"
    r"git remote add \S{1,30})"
    r"(?:\s+-{1,2}\S{1,40}(?:\s+[^\s@-][^\s@]{0,60})?){0,5}(?:\s+[^\s@]{1,80}){0,3}\s+['\"]?\Z"
)
_USERINFO = late.pattern(r"://[^\s/@]{0,100}\Z")
_MESSAGE_ID = late.pattern(
    r"(?:message-?id|in-reply-to|references|content-id|msgid)\W{1,6}[^\s]{0,80}\Z|/msgid/[^\s]{0,80}\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Email:
    """An address: where it stands, and in canonical form."""

    start: int
    end: int
    canonical: str


def signed(text: str) -> Iterator[Email]:
    """Yield the addresses with an at sign in ``text``."""
    for sign, placed in _SIGNS.items():
        for match in placed.finditer(text) if sign in text else ():
            email = _around(text, match.start())
            if email is not None:
                yield email


def backwards(pattern: re.Pattern[str], text: str, end: int, reach: int) -> str | None:
    """Return what ``pattern`` matches backwards from ``end``, in reading order.

    Reading the text in front turned round needs one try, not one a letter.
    """
    match = pattern.match(text[max(0, end - reach) : end][::-1])
    return match[0][::-1] if match else None


def _around(text: str, sign: int) -> Email | None:
    """Return the address around the at sign at ``sign``: tight, spaced or spelled."""
    left = sign - 1 if text[sign - 1] == "\\" else sign
    if text[sign + 1] == " ":
        from manent.scan.pii.spelled import letter_by_letter, spaced

        return spaced(text, left, sign + 1) or letter_by_letter(text, left, sign + 1)
    right = sign + 2 if text[sign + 1] == "\\" else sign + 1
    domain = _DOMAIN.match(text, right)
    if domain is None:
        return None
    local = backwards(_LOCAL, text, left, 65)
    return _checked(text, left, local, domain) if local else None


def _checked(text: str, left: int, local: str, domain: re.Match[str]) -> Email | None:
    start = left - len(local)
    trimmed = local.lstrip("._%+'&-")
    start += len(local) - len(trimmed)
    local = trimmed.rstrip("'")
    if not local or local.endswith(".") or ".." in local:
        return None
    before = text[start - 1 : start]
    if before in ("@", "＠") or _elsewhere(text, start, domain.end()):
        return None
    host = (domain[1] + domain[2]).lower()
    if not deliverable(local, host):
        return None
    return Email(start, domain.end(), f"{local.lower()}@{host}")


def _elsewhere(text: str, start: int, end: int) -> bool:
    """Whether the place is a shell target, a URL's user, a repository or a message id."""
    before = text[max(0, start - 200) : start]
    before = before[before.rfind("\n") + 1 :]
    after = text[end : end + 2]
    if after[:1] == ":" and after[1:] and (after[1:].isalnum() or after[1:] in "/~."):
        return True
    return bool(_USERINFO.search(before) or _SHELL.search(before) or _MESSAGE_ID.search(before))


def deliverable(local: str, host: str) -> bool:
    """Whether mail to ``local@host`` might reach somebody: no reserved name, no placeholder."""
    labels = host.split(".")
    tld = labels[-1]
    if tld in RESERVED or tld in _EXTENSIONS or len(host) > 253:
        return False
    if tld.isdigit() or _NOBODY.match(local) or local.lower() == "git":
        return False
    if _PLACEHOLDER_LOCAL.match(local):
        return False
    if "noreply" in host or "no-reply" in host:
        return False
    name = labels[-2]
    if len(labels) > 2 and len(name) <= 3 and len(tld) == 2:
        name = labels[-3]
    if "example" in (name, labels[-2]) or re.fullmatch(r"examples?[-_\d]*", name):
        return False
    if name.isdigit() and len(name) < 3:
        return False
    if _PLACEHOLDER_DOMAIN.match(name):
        return False
    return not (name in _PLACEHOLDER_HOST and _PLACEHOLDER_BOTH.match(local))
