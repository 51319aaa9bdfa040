"""E-mail addresses, written out or spelled: ``name [at] domain (dot) it`` and the like.

An address is found from its at sign outwards, within bounds, so that a text of
at signs alone costs no more than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import re2

_L = r"a-zA-Z0-9\u00c0-\u024f\u0370-\u03ff\u0400-\u052f"
_LABEL = rf"[{_L}](?:[{_L}-]{{0,61}}[{_L}])?"
_TLD = r"(?:xn--[a-z0-9-]{2,59}|[a-zA-Z]{2,24}|[\u0400-\u052f]{2,24}|[\u0370-\u03ff]{2,24})"

_BESIDE = r"(?:(?= )(?<= .)|(?=[\w\\])(?<=[\w+\\].))"
_SIGNS = tuple(re.compile(sign + _BESIDE) for sign in "@＠﹫")
"""An at sign that is tight on both sides, or spaced on both."""
_LOCAL = re.compile(rf"[{_L}._%+'&-]{{1,64}}")
_DOMAIN = re.compile(rf"((?:{_LABEL}\.){{1,8}})({_TLD})(?![{_L}_-])")
_LITERAL = re.compile(r"\[(?:\d{1,3}\.){3}\d{1,3}\]")

_SPACED_LOCAL = re.compile(rf" ?[{_L}_+-]{{1,40}}(?:(?:\.| \. )[{_L}_+-]{{1,40}}){{0,4}}")
_SPACED_DOMAIN = re.compile(rf" ?((?:[{_L}-]{{1,62}}(?:\.| \. )){{1,5}})({_TLD})(?![{_L}_-])")
_SPELLED_LOCAL = re.compile(r"(?: [A-Za-z0-9._+-]){3,40}(?![A-Za-z0-9])")
_SPELLED_DOMAIN = re.compile(r"(?: [A-Za-z0-9.-]){5,60}(?![A-Za-z0-9])")

_AT_WORDS = (
    r"at|chiocciola|chiocciolina|arroba|arobase|arobas|klammeraffe|ät|apenstaartje|małpa|malpa|"
    r"snabel-a|snabela|snabel a|krøllalfa|alfakrøll|kukac|zavináč|zavinac|miukumauku|ät-merkki|"
    r"собака|собачка|圈a|アットマーク|アット|골뱅이|एट|et|aapstaart|at sign|at-sign|"
    r"coadă de maimuță"
)
_DOT_WORDS = (
    r"dot|punto|ponto|point|punkt|punt|kropka|nokta|piste|prick|tečka|tecka|bodka|punct|pont|"
    r"точка|点|點|ドット|점|닷|डॉट|full stop|period"
)
_OPEN, _CLOSE = r"[\[({<«_*-]", r"[\])}>»_*-]"
_AT = rf"(?:\s?{_OPEN}{{1,2}}\s?(?:{_AT_WORDS}|@)\s?{_CLOSE}{{1,2}}\s?|\s(?:{_AT_WORDS})\s)"
_DOT = (
    rf"(?:\s?{_OPEN}{{1,2}}\s?(?:{_DOT_WORDS}|\.)\s?{_CLOSE}{{1,2}}\s?"
    rf"|\s(?:{_DOT_WORDS})\s|\s?\.\s?)"
)

SPELLED = (
    rf"(?i)[\[({{<]{{1,2}} ?(?:{_AT_WORDS}|@) ?[\])}}>]{{1,2}}"
    rf"|[-_*](?:{_AT_WORDS})[-_*]"
    rf"| (?:{_AT_WORDS}) [^ \n]{{1,63}} (?:{_DOT_WORDS}) "
    rf"| (?:{_AT_WORDS}) [^ \n]{{1,63}} ?[\[({{<](?:{_DOT_WORDS}|\.)[\])}}>]"
    rf"|mail[^\n@]{{0,40}} (?:{_AT_WORDS}) [^ \n]{{1,63}}\.[a-z]"
)
"""What an address spelled out looks like, for the one pass that all of this family shares."""

_HINT = re2.compile(SPELLED.encode())

_AT_PLACE = re.compile(_AT, re.IGNORECASE)
_LOCAL_RUN = re.compile(rf"[{_L}._+-]{{1,64}}")
_DOT_BEFORE = re.compile(
    rf"(?:\s?{_OPEN}{{1,2}}\s?(?:{_DOT_WORDS}|\.)\s?{_CLOSE}{{1,2}}\s?"
    rf"|\s(?:{_DOT_WORDS})\s|\s\.\s)\Z",
    re.IGNORECASE,
)
_ENGLISH_DOT = re.compile(r"\b(?:dot|punto)\b", re.IGNORECASE)
_WORDED_LABEL = rf"[{_L}](?:[{_L}]|-(?=[{_L}])(?!(?:{_DOT_WORDS})-)){{0,61}}+"
"""A label that does not run into a dot spelled between hyphens; it never gives back."""

_WORDED_DOMAIN = re.compile(
    rf"((?:{_WORDED_LABEL}{_DOT}){{1,4}})({_TLD})(?![{_L}_]|-[{_L}])", re.IGNORECASE
)
_DOT_PLACE = re.compile(_DOT, re.IGNORECASE)
_MAIL_LABEL = re.compile(
    r"(?:e-?mail|mail|posta|correo|courriel|adresse|adres|почта|邮箱|メール|이메일|contact|"
    r"write to|scrivi a|scrivere a|kontakt)[^\w\n]{0,6}"
    r"(?:(?:is|me|us|to|a|è|es|est|ist)\s)?[^\w\n]{0,3}\Z",
    re.IGNORECASE,
)

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

_WORDED_TLDS = frozenset(
    """
    com org net edu gov mil int info biz name pro io co ai app dev me tv cc eu uk ie it fr
    de es pt nl be lu ch at pl cz sk hu ro bg hr si rs gr tr cy mt dk se no fi is ee lv lt
    ru ua by kz us ca mx br ar cl pe uy ec ve cn tw hk jp kr sg my th id vn ph in pk bd lk
    il ae sa eg za ng ke au nz xyz online site tech cloud email studio blog shop agency
    digital it
    """.split()
)
"""Endings taken seriously when the dot is a word: few of these are words themselves."""

_NOBODY = re.compile(
    r"(?:.*[._+-])?(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|donotreply|nobody|mailer-daemon|bounces?)"
    r"(?:[._+-].*)?\Z",
    re.IGNORECASE,
)
_PLACEHOLDER_DOMAIN = re.compile(
    r"(?:your|my|some|other|their|tuo|vostro|mio|ihre?|votre|tu|su)[-_]?"
    r"(?:domain|company|org|organi[sz]ation|site|website|server|mail|email|host|dominio|azienda|sito"
    r"|domaine|firma|empresa|provider|school|university|team|app|project)s?\Z"
    r"|(?:domain|dominio|domaine|placeholder|hostname|fqdn|xxx+|yyy+|x|foobar|foo|bar|baz)\Z",
    re.IGNORECASE,
)
_PLACEHOLDER_BOTH = re.compile(
    r"(?:user|username|name|you|me|your[-_.]?(?:name|email|mail|user|username)|email|mail|someone|"
    r"somebody|first(?:name)?[._]?last(?:name)?|foo|bar|baz|test|x+|a|b|jane\.?(?:doe)?|"
    r"john\.?(?:doe|smith)?|alice|bob|nome|cognome|nome\.cognome|utente|usuario|utilisateur|login|"
    r"sample|example|recipient|sender|person|contact|admin|info|support|hello)\d{0,2}\Z",
    re.IGNORECASE,
)
_PLACEHOLDER_LOCAL = re.compile(
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
_SHELL = re.compile(
    r"(?:^|[$>#`;&|(\"']\s{0,2}|\b(?:run|via|using|with|sudo)\s)\s{0,8}"
    r"(?:ssh|scp|sftp|rsync|mosh|sshfs|ssh-copy-id|autossh|sshpass|git clone|"
    r"git remote add \S{1,30})"
    r"(?:\s+-{1,2}\S{1,40}(?:\s+[^\s@-][^\s@]{0,60})?){0,5}(?:\s+[^\s@]{1,80}){0,3}\s+['\"]?\Z"
)
_USERINFO = re.compile(r"://[^\s/@]{0,100}\Z")
_MESSAGE_ID = re.compile(
    r"(?:message-?id|in-reply-to|references|content-id|msgid)\W{1,6}[^\s]{0,80}\Z|/msgid/[^\s]{0,80}\Z",
    re.IGNORECASE,
)
_WORDS_TOO = frozenset(
    """
    in it me be is no so at to am as do us by my
    """.split()
)
"""Top-level names that are English words: too weak behind "at ... point"."""

_SMALL_WORDS = frozenset(
    """
    some any one no least first last the a an this that each every its my your our their
    what which la le il lo un una uno el los les der die das den dem ein eine de du des het
    een
    """.split()
)
_SMALL_LOCALS = frozenset(
    """
    look looking be is are was were arrive available hosted meet found located stop start
    end here there it me us him her them you good bad live work working point aim good not
    and or read see site website page repo app video documentation docs image download
    online only even also
    """.split()
)


@dataclass(frozen=True, slots=True)
class Email:
    """An address: where it stands, and in canonical form."""

    start: int
    end: int
    canonical: str


def signed(text: str) -> Iterator[Email]:
    """Yield the addresses with an at sign in ``text``."""
    for sign in _SIGNS[:1] if text.isascii() else _SIGNS:
        for match in sign.finditer(text):
            email = _around(text, match.start())
            if email is not None:
                yield email


def spelled(text: str, raw: bytes) -> Iterator[Email]:
    """Yield the addresses in ``text`` whose at sign is a word or stands in brackets.

    raw: the same text in UTF-8, which matched ``SPELLED`` somewhere.
    """
    done = 0
    for start, end in _hints(raw):
        for match in _AT_PLACE.finditer(text, max(start - 2, done), end + 2):
            done = match.end()
            email = _worded(text, match.start(), match.end())
            if email is not None:
                yield email


def _hints(raw: bytes) -> Iterator[tuple[int, int]]:
    """Yield where in the text addresses seem to be spelled, in code points."""
    byte = place = 0
    for match in _HINT.finditer(raw):
        place += len(raw[byte : match.start()].decode("utf-8", "surrogatepass"))
        byte = match.start()
        yield place, place + len(match[0].decode("utf-8", "replace"))


def _back(pattern: re.Pattern[str], text: str, end: int, reach: int) -> str | None:
    """Return what ``pattern`` matches backwards from ``end``, in reading order.

    Reading the text in front turned round needs one try, not one a letter.
    """
    match = pattern.match(text[max(0, end - reach) : end][::-1])
    return match[0][::-1] if match else None


def _around(text: str, sign: int) -> Email | None:
    """Return the address around the at sign at ``sign``: tight, spaced or spelled."""
    left = sign - 1 if text[sign - 1] == "\\" else sign
    if text[sign + 1] == " ":
        return _spaced(text, left, sign + 1) or _letter_by_letter(text, left, sign + 1)
    right = sign + 2 if text[sign + 1] == "\\" else sign + 1
    domain = _DOMAIN.match(text, right)
    if domain is None:
        return None
    local = _back(_LOCAL, text, left, 65)
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


def _spaced(text: str, left: int, right: int) -> Email | None:
    """``name . surname @ domain . it``: spaces that a person would not write in prose."""
    domain = _SPACED_DOMAIN.match(text, right)
    local = _back(_SPACED_LOCAL, text, left, 100) if domain else None
    if domain is None or local is None:
        return None
    start = left - len(local)
    if not (" . " in local or " . " in domain[1] or re.search(r"[._\d]", local)):
        before = text[max(0, start - 40) : start]
        labelled = _MAIL_LABEL.search(before) or not before.strip(" \t-*|>\n")
        if not labelled and before[-2:-1] not in (":", "|", "<"):
            return None
        if local.strip().lower() in _SMALL_LOCALS:
            return None
    return _made(start, domain.end(), local, domain[1] + domain[2])


def _letter_by_letter(text: str, left: int, right: int) -> Email | None:
    domain = _SPELLED_DOMAIN.match(text, right)
    local = _back(_SPELLED_LOCAL, text, left, 82) if domain else None
    if domain is None or local is None:
        return None
    host = domain[0].replace(" ", "")
    if not re.fullmatch(rf"(?:{_LABEL}\.){{1,5}}[a-z]{{2,24}}", host):
        return None
    return _made(left - len(local), domain.end(), local, host)


def _worded(text: str, start: int, end: int) -> Email | None:
    """Return the address around a spelled at sign ``text[start:end]``."""
    domain = _WORDED_DOMAIN.match(text, end)
    if domain is None or domain[2].lower() not in _WORDED_TLDS:
        return None
    if re.split(r"\W", domain[1].lower(), maxsplit=1)[0] in _SMALL_WORDS:
        return None
    name = _worded_local(text, start)
    if not name:
        return None
    sign = text[start:end].strip()
    if sign[0].isalpha():
        english = sign.lower() == "at"
        if english and domain[2].lower() in _WORDS_TOO and not _ENGLISH_DOT.search(domain[1]):
            return None
        if not _bare_is_meant(text, start - len(name), name, domain):
            return None
    return _made(start - len(name), domain.end(), name, domain[1] + domain[2])


def _worded_local(text: str, end: int) -> str:
    """Return the local part before ``end``: words joined by full stops or spelled dots."""
    found = ""
    for _ in range(4):
        run = _back(_LOCAL_RUN, text, end - len(found), 65)
        if run is None:
            break
        found = run + found
        dot = _DOT_BEFORE.search(text[max(0, end - len(found) - 24) : end - len(found)])
        if dot is None:
            return found
        found = dot[0] + found
    return _DOT_PLACE.sub("", found, count=1) if _DOT_PLACE.match(found) else found


def _bare_is_meant(text: str, start: int, name: str, domain: re.Match[str]) -> bool:
    """Whether ``name at domain dot it`` without brackets is an address, not prose."""
    if name.lower() in _SMALL_LOCALS or name.lower() in _SMALL_WORDS:
        return False
    if re.search(r"\w\s+\.|\.\s+\w", domain[0]):
        return False
    if re.search(rf"\s(?:{_DOT_WORDS})\s|[\[({{<]", domain[1], re.IGNORECASE):
        return True
    return _MAIL_LABEL.search(text[max(0, start - 40) : start]) is not None


def _made(start: int, end: int, local: str, host: str) -> Email | None:
    local = re.sub(r"\s+", "", _DOT_PLACE.sub(".", local.strip())).strip(".'-")
    host = re.sub(r"\s+", "", _DOT_PLACE.sub(".", host.strip())).lower()
    if not local or not re.fullmatch(rf"(?:{_LABEL}\.){{1,8}}{_TLD}", host):
        return None
    return Email(start, end, f"{local.lower()}@{host}") if deliverable(local, host) else None
