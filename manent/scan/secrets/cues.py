"""The words that call what follows a password or a secret, in the languages of notes."""

import re

from manent import late

PASSWORD_WORDS = (
    # English, and what programs say
    r"passwords?|passwd|pwd|pswd?|psw|pass[ _-]?phrase|pass[ _-]?code|\bpw\b",
    # German, Dutch, the Nordic languages
    r"passwort|kennwort|zugangswort|wachtwoord|lösenord|adgangskode|passord|salasana",
    # Italian, Spanish, Portuguese, French, Romanian
    r"parola d['’]ordine|contrase[ñn]a|clave|senha|palavra[ -]passe|mot de passe|mdp|parol[aă]",
    # Polish, Czech, Turkish, Hungarian, Vietnamese, Indonesian
    r"has[łl]o|heslo|[şs]ifre(?:si)?|jelszó|mật khẩu|kata sandi",
    # Russian, Ukrainian, Greek, Hebrew, Arabic, Hindi
    r"парол[ьюея]|κωδικός|סיסמ[הא]|كلمة (?:المرور|السر)|पासवर्ड|कूटशब्द",
    # Chinese, Japanese, Korean
    r"密码|密碼|口令|パスワード|暗証番号|비밀번호|암호",
    # last, because longer words begin with it
    r"pass",
)

SECRET_WORDS = (
    r"api[ _-]?keys?|secrets?|tokens?|keys?|credentials?|creds|apikey|auth|access|bearer",
    r"chiave|segreto|clé|clave|llave|chave|segredo|schlüssel|geheimnis|sleutel|klucz|anahtar",
    r"ключ|секрет|токен|مفتاح|रहस्य|密钥|密鑰|令牌|秘钥|キー|トークン|키|토큰",
)

PASSWORD = late.pattern("|".join(PASSWORD_WORDS), re.I)
"""A word for a password, anywhere in a text."""

_SURE = late.pattern(
    r"passw|passphrase|passcode|contrase|kennwort|wachtwoord|l[öo]senord|adgangskode|passord"
    r"|salasana|mdp|парол|κωδικός|सवर्ड|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|كلمة|סיסמ",
    re.I,
)
_WORDS = frozenset(
    {
        *("pass", "pwd", "psw", "pswd", "pw", "clave", "senha", "parola", "parolă", "mdp"),
        *("hasło", "haslo", "heslo", "şifre", "sifre", "jelszó"),
    }
)


def names_password(name: str, words: tuple[str, ...]) -> bool:
    """Whether a name is that of a password; short words count only as words of their own."""
    return bool(_SURE.search(name)) or not _WORDS.isdisjoint(words)


NOT_A_SECRET = frozenset(
    {
        *("public", "pub", "foreign", "primary", "sort", "partition", "cache", "natural", "idx"),
        *("schema", "sequence", "hot", "id", "ids", "name", "names", "alias", "url", "uri", "urls"),
        *("endpoint", "file", "files", "path", "dir", "folder", "length", "size", "count", "type"),
        *(
            "version",
            "expires",
            "expiry",
            "expiration",
            "ttl",
            "limit",
            "max",
            "min",
            "csrf",
            "xsrf",
        ),
        *(
            "authenticity",
            "accessor",
            "author",
            "authors",
            "fingerprint",
            "hash",
            "hashes",
            "hashed",
        ),
        *(
            "digest",
            "checksum",
            "integrity",
            "sha",
            "md5",
            "commit",
            "board",
            "word",
            "words",
            "press",
        ),
        *("pressed", "frame", "ring", "pair", "store", "tab", "index", "lock", "column", "field"),
        *(
            "selector",
            "variable",
            "var",
            "env",
            "policy",
            "reset",
            "input",
            "label",
            "title",
            "usage",
        ),
        *(
            "tokenizer",
            "address",
            "contract",
            "mint",
            "format",
            "regex",
            "pattern",
            "image",
            "icon",
        ),
        *("signature", "revision", "rev", "ref", "branch", "tag", "host", "port", "region", "arn"),
        *(
            "date",
            "time",
            "timestamp",
            "created",
            "updated",
            "expected",
            "results",
            "mesh",
            "meshing",
        ),
        *(
            "ticket",
            "feed",
            "publishable",
            "anon",
            "site",
            "sitekey",
            "pubkey",
            "keyboard",
            "keyword",
            "manager",
        ),
    }
)
"""Words in a name that make it the name of something that is no secret."""
