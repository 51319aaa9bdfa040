# ruff: noqa: E501  (tables of examples read better unbroken)
"""Make labelled lines for the secrets scanner: invented keys in the places notes put them.

The forms are written here a second time, from the issuers' descriptions and not
from the scanner's table, so that a wrong table shows. Nothing here looks like a
secret before it is put together: prefixes stand in parts, the rest is drawn.
"""

from __future__ import annotations

import base64
import json
import string
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from eval.scan import make_secrets_clean

LOWER = string.ascii_lowercase + string.digits
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URL = ALNUM + "-_"
B64 = ALNUM + "+/"

Maker = Callable[[Random], str]


def draw(chance: Random, letters: str, count: int) -> str:
    """Return ``count`` letters drawn from ``letters``."""
    return "".join(chance.choice(letters) for _ in range(count))


def crc(body: str) -> str:
    """Return the CRC-32 of ``body`` in base 62, six letters, as GitHub and npm end a token."""
    digits = string.digits + string.ascii_uppercase + string.ascii_lowercase
    number, out = zlib.crc32(body.encode()), ""
    while number:
        number, rest = divmod(number, 62)
        out = digits[rest] + out
    return out.rjust(6, "0")


def _simple(prefix: tuple[str, ...], letters: str, count: int, end: str = "") -> Maker:
    return lambda chance: "".join(prefix) + draw(chance, letters, count) + end


def _github(chance: Random) -> str:
    body = draw(chance, ALNUM, 30)
    return "gh" + chance.choice("pousr") + "_" + body + crc(body)


def _uuid(chance: Random) -> str:
    return "-".join(draw(chance, HEX, n) for n in (8, 4, 4, 4, 12))


def _coded(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _web_token(chance: Random) -> str:
    head = {"alg": chance.choice(("HS256", "RS256", "ES256")), "typ": "JWT"}
    claims = {"sub": draw(chance, LOWER, 8), "exp": chance.randint(1_700_000_000, 1_900_000_000)}
    return f"{_coded(head)}.{_coded(claims)}.{draw(chance, URL, 43)}"


def _frame(name: str, body: str) -> str:
    bar = "-" * 5
    return f"{bar}BEGIN {name}{bar}\n{body}\n{bar}END {name}{bar}"


def _pem(chance: Random) -> str:
    name = chance.choice(
        ("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY")
    )
    return _frame(name, "\n".join(draw(chance, B64, 64) for _ in range(chance.randint(3, 20))))


def _pem_quoted(chance: Random) -> str:
    return "> " + _pem(chance).replace("\n", "\n> ")


def _pem_escaped(chance: Random) -> str:
    return json.dumps({"type": "service_account", "private_key": _pem(chance)})


def _pgp(chance: Random) -> str:
    body = "\n".join(draw(chance, B64, 64) for _ in range(8)) + "\n=" + draw(chance, B64, 4)
    return _frame("PGP PRIVATE KEY BLOCK", "\n" + body)


WORDS = (
    "levante",
    "corsaro",
    "tramonto",
    "zebra",
    "quercia",
    "falcon",
    "harbor",
    "Granit",
    "sturm",
    "nieve",
    "lluvia",
    "verano",
    "soleil",
    "papillon",
    "riviere",
    "saudade",
    "vento",
    "kwiat",
    "deniz",
    "yaprak",
    "sakura",
    "kaze",
    "merlin",
    "orchid",
    "tundra",
)


def password(chance: Random) -> str:
    """Return a password as people make them: a word bent, a sign, a number."""
    word = chance.choice(WORDS)
    bent = word.replace("a", chance.choice("a4@"), 1).replace("o", chance.choice("o0"), 1)
    sign = chance.choice("!#$%&*?+@")
    shapes = (
        f"{bent.title()}{sign}{chance.randint(10, 9999)}",
        f"{chance.randint(10, 99)}{sign}{bent}{sign}{word[:3].upper()}",
        f"{draw(chance, ALNUM, 4)}{sign}{draw(chance, ALNUM, 4)}{chance.choice('!#$')}{chance.randint(1, 9)}",
        f"{bent.title()}-{chance.randint(1900, 2030)}-{draw(chance, ALNUM, 2)}{sign}",
        draw(chance, ALNUM, 11) + str(chance.randint(10, 99)),
    )
    return chance.choice(shapes)


def _address(scheme: str, tail: str) -> Maker:
    def make(chance: Random) -> str:
        user = chance.choice(("app", "svc", "brain", "deploy", "reader", ""))
        host = chance.choice(("db.brain.internal", "10.20.0.7", "cluster0.x8k2p.nodes.internal"))
        secret = draw(chance, ALNUM, chance.randint(12, 24))
        return f"{scheme}://{user or 'u1'}:{secret}@{host}{tail}"

    return make


TOKENS: dict[str, Maker] = {
    "github": _github,
    "github_fine": lambda c: "github" + f"_pat_{draw(c, ALNUM, 22)}_{draw(c, ALNUM, 59)}",
    "gitlab": _simple(("gl", "pat-"), URL, 20),
    "gitlab_routable": lambda c: (
        "gl" + f"pat-{draw(c, URL, 27)}.{draw(c, LOWER, 2)}{draw(c, LOWER, 7)}"
    ),
    "gitlab_runner": _simple(("gl", "rt-"), URL, 20),
    "gitlab_deploy": _simple(("gl", "dt-"), URL, 20),
    "gitlab_trigger": _simple(("gl", "ptt-"), HEX, 40),
    "bitbucket": lambda c: "ATB" + f"B{draw(c, ALNUM, 24)}{draw(c, '0123456789ABCDEF', 8)}",
    "atlassian": _simple(("ATA", "TT3xFfGF0"), URL, 180, "=" + "A1B2C3D4"),
    "npm": lambda c: "npm" + "_" + (b := draw(c, ALNUM, 30)) + crc(b),
    "pypi": _simple(("py", "pi-AgEIcHlwaS5", "vcmc"), URL, 120),
    "rubygems": _simple(("ruby", "gems_"), HEX, 48),
    "docker": _simple(("dckr", "_pat_"), URL, 27),
    "aws": _simple(("AK", "IA"), string.ascii_uppercase + "234567", 16),
    "aws_secret": lambda c: "aws_secret_access_key = " + draw(c, B64, 40),
    "google": _simple(("AI", "za"), URL, 35),
    "google_secret": _simple(("GOC", "SPX-"), URL, 28),
    "google_access": _simple(("ya", "29."), URL, 120),
    "azure_secret": lambda c: f"{draw(c, ALNUM, 3)}8" + "Q" + f"~{draw(c, ALNUM + '~.-_', 34)}",
    "azure_storage": lambda c: "Account" + f"Key={draw(c, B64, 86)}==",
    "azure_devops": lambda c: draw(c, ALNUM, 76) + "AZ" + "DO" + draw(c, ALNUM, 4),
    "digitalocean": _simple(("dop", "_v1_"), HEX, 64),
    "heroku": _simple(("HR", "KU-AA"), URL, 58),
    "netlify": _simple(("nf", "p_"), ALNUM, 36),
    "fly": _simple(("fo", "1_"), URL, 43),
    "databricks": _simple(("da", "pi"), HEX, 32),
    "planetscale": _simple(("pscale", "_tkn_"), URL, 43),
    "supabase": _simple(("sb", "p_"), HEX, 40),
    "vault": _simple(("hv", "s."), URL, 95),
    "doppler": _simple(("dp", ".pt."), ALNUM, 43),
    "terraform": lambda c: draw(c, ALNUM, 14) + ".atlas" + "v1." + draw(c, URL, 67),
    "tailscale": lambda c: "ts" + f"key-auth-{draw(c, ALNUM, 12)}-{draw(c, ALNUM, 32)}",
    "openai": lambda c: "sk" + f"-proj-{draw(c, URL, 74)}T3Blbk" + f"FJ{draw(c, URL, 74)}",
    "anthropic": lambda c: "sk" + f"-ant-api03-{draw(c, URL, 93)}AA",
    "openrouter": _simple(("sk", "-or-v1-"), HEX, 64),
    "deepseek": _simple(("sk", "-"), HEX, 32),
    "huggingface": _simple(("h", "f_"), string.ascii_letters, 34),
    "replicate": _simple(("r", "8_"), ALNUM, 37),
    "groq": _simple(("gs", "k_"), ALNUM, 52),
    "xai": _simple(("xa", "i-"), ALNUM, 80),
    "perplexity": _simple(("pp", "lx-"), ALNUM, 48),
    "slack_bot": lambda c: (
        "xo" + f"xb-{c.randint(10**11, 10**12)}-{c.randint(10**12, 10**13)}-{draw(c, ALNUM, 24)}"
    ),
    "slack_user": lambda c: (
        "xo"
        + "xp-"
        + "-".join(str(c.randint(10**11, 10**12)) for _ in range(3))
        + "-"
        + draw(c, HEX, 32)
    ),
    "slack_app": lambda c: (
        "xa" + f"pp-1-A{draw(c, UPPER, 10)}-{c.randint(10**12, 10**13)}-{draw(c, HEX, 64)}"
    ),
    "slack_webhook": lambda c: (
        "https://hooks.slack"
        + f".com/services/T{draw(c, UPPER, 10)}/B{draw(c, UPPER, 10)}/{draw(c, ALNUM, 24)}"
    ),
    "discord_bot": lambda c: "M" + f"T{draw(c, ALNUM, 22)}.{draw(c, URL, 6)}.{draw(c, URL, 38)}",
    "discord_webhook": lambda c: (
        "https://discord" + f".com/api/webhooks/{c.randint(10**17, 10**18)}/{draw(c, URL, 68)}"
    ),
    "telegram": lambda c: f"{c.randint(10**9, 7 * 10**9)}:A" + f"A{draw(c, URL, 33)}",
    "twilio": lambda c: "TWILIO_AUTH_TOKEN=" + draw(c, HEX, 32),
    "twilio_key": _simple(("S", "K"), HEX, 32),
    "sendgrid": lambda c: "S" + f"G.{draw(c, URL, 22)}.{draw(c, URL, 43)}",
    "mailgun": _simple(("ke", "y-"), HEX, 32),
    "mailchimp": lambda c: draw(c, HEX, 32) + "-u" + f"s{c.randint(1, 21)}",
    "brevo": lambda c: "xkey" + f"sib-{draw(c, HEX, 64)}-{draw(c, ALNUM, 16)}",
    "facebook": _simple(("EA", "AC"), ALNUM, 170),
    "stripe": lambda c: c.choice("sr") + "k_li" + f"ve_{draw(c, ALNUM, 24)}",
    "stripe_webhook": _simple(("wh", "sec_"), ALNUM, 32),
    "square": _simple(("sq", "0atp-"), URL, 22),
    "shopify": _simple(("shp", "at_"), HEX, 32),
    "grafana": lambda c: "gl" + f"sa_{draw(c, ALNUM, 32)}_{draw(c, HEX, 8)}",
    "newrelic": _simple(("NR", "AK-"), UPPER, 27),
    "sentry": _simple(("sn", "tryu_"), HEX, 64),
    "dynatrace": lambda c: "dt" + f"0c01.{draw(c, UPPER, 24)}.{draw(c, UPPER, 64)}",
    "notion": lambda c: "nt" + f"n_{draw(c, string.digits, 11)}{draw(c, ALNUM, 35)}",
    "linear": _simple(("lin", "_api_"), ALNUM, 40),
    "airtable": lambda c: "pa" + f"t{draw(c, ALNUM, 14)}.{draw(c, HEX, 64)}",
    "figma": _simple(("fi", "gd_"), URL, 40),
    "postman": lambda c: "PM" + f"AK-{draw(c, HEX, 24)}-{draw(c, HEX, 34)}",
    "hubspot": lambda c: "pa" + f"t-na1-{_uuid(c)}",
    "age": lambda c: "AGE-SEC" + "RET-KEY-1" + draw(c, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "manent": lambda c: "manent" + "_" + (b := draw(c, ALNUM, 32)) + crc(b),
    "manent_address": lambda c: f"https://brain.internal/t/{draw(c, ALNUM, 43)}/mcp",
    "web_token": _web_token,
    "heroku_uuid": lambda c: "HEROKU_API_KEY=" + _uuid(c),
    "datadog": lambda c: "DATADOG_API_KEY: " + draw(c, HEX, 32),
    "cloudflare": lambda c: "cloudflare_api_token = " + draw(c, URL, 40),
    "generic": lambda c: (
        c.choice(("api_key", "clientSecret", "ACCESS_TOKEN", "signing-key"))
        + c.choice((": ", "=", ' = "'))
        + draw(c, ALNUM, 32)
    ),
    "generic_hex": lambda c: (
        c.choice(("SECRET_KEY=", "session_secret: ", "webhookSecret = ")) + draw(c, HEX, 40)
    ),
    "postgres": _address("postgres", ":5432/vault"),
    "mysql": _address("mysql", "/notes"),
    "mongo": _address("mongodb+srv", "/app?retryWrites=true"),
    "redis": _address("redis", ":6379/0"),
    "amqp": _address("amqps", "/vhost"),
    "web_address": _address("https", "/vault.git"),
    "jdbc": lambda c: f"jdbc:postgresql://db.internal/app?user=app&password={draw(c, ALNUM, 18)}",
    "ado": lambda c: (
        f"Server=sql.internal;Database=app;User Id=sa;Password={password(c)};Encrypt=yes"
    ),
    "bearer": lambda c: (
        f"curl -H 'Authorization: Bearer {draw(c, ALNUM, 48)}' https://brain.internal/mcp"
    ),
    "basic": lambda c: (
        "Authorization: Basic " + base64.b64encode(f"deploy:{draw(c, ALNUM, 20)}".encode()).decode()
    ),
    "private_header": lambda c: f"X-Api-Key: {draw(c, ALNUM, 36)}",
    "curl_user": lambda c: f"curl -u deploy:{password(c)} https://git.internal/api",
    "netrc": lambda c: f"machine git.internal login deploy password {draw(c, ALNUM, 20)}",
    "dockercfg": lambda c: json.dumps(
        {
            "auths": {
                "ghcr.io": {"auth": base64.b64encode(f"bot:{draw(c, ALNUM, 30)}".encode()).decode()}
            }
        }
    ),
    "wireguard": lambda c: (
        f"[Interface]\nPrivateKey = {base64.b64encode(c.randbytes(32)).decode()}"
    ),
    "kubernetes": lambda c: (
        "apiVersion: v1\nkind: Secret\ndata:\n  password: "
        + base64.b64encode(password(c).encode()).decode()
    ),
    "htpass_option": lambda c: f"mysqldump --password={password(c)} notes",
}

BLOCKS: dict[str, Maker] = {
    "pem": _pem,
    "pem_quoted": _pem_quoted,
    "pem_escaped": _pem_escaped,
    "pgp": _pgp,
}

CARRIERS = {
    "en": "The staging key is {} (rotate it)",
    "it": "Nota: la chiave di staging è {} (ruotare)",
    "de": "Zugang zum Testsystem: {} – bitte nicht weitergeben",
    "fr": "La clé du serveur de test : {}",
    "es": "La clave del entorno de pruebas: {}",
    "pt": "Chave do servidor de testes: {}",
    "pl": "Klucz do serwera testowego: {}",
    "ru": "Ключ тестового сервера: {}",
    "zh": "测试服务器的密钥：{}",
    "ja": "テスト環境のキー：{}",
}
PLACES = (
    "{}",
    "`{}`",
    "- [ ] rotate {}",
    "| prod | {} |",
    "export TOKEN={}",
    "```\n{}\n```",
    "<!-- {} -->",
    "---\nname: deploy\ntype: reference\napi_key: {}\n---\nsee runbook",
    '{{"token": "{}"}}',
    "> quoted from chat: {}",
)

SAID = {
    "en": (
        "The NAS password is {}",
        "password: {}",
        "wifi pass: {}",
        "admin / {}",
        "pwd={}",
        "my new password for the mail server is {}",
        "Passphrase: {}",
    ),
    "it": ("La password del NAS è {}", "parola d'ordine: {}", "la password nuova è {}", "psw: {}"),
    "de": ("Passwort: {}", "Das Passwort lautet {}", "Kennwort für das WLAN: {}"),
    "fr": ("mot de passe : {}", "Le mot de passe du wifi est {}", "mdp: {}"),
    "es": ("contraseña: {}", "La contraseña del wifi es {}", "clave: {}"),
    "pt": ("senha: {}", "A senha do banco é {}", "palavra-passe: {}"),
    "nl": ("wachtwoord: {}", "het wachtwoord is {}"),
    "pl": ("hasło: {}", "Hasło do serwera to {}"),
    "tr": ("şifre: {}", "parola: {}"),
    "ru": ("пароль: {}", "Пароль от сервера: {}"),
    "zh": ("密码：{}", "口令: {}", "服务器密码是{}"),
    "ja": ("パスワード：{}", "パスワードは {}"),
    "ko": ("비밀번호: {}",),
    "ar": ("كلمة المرور: {}",),
    "hi": ("पासवर्ड: {}",),
    "sv": ("lösenord: {}",),
    "cs": ("heslo: {}",),
}


COMMANDS = (
    "sshpass -p '{}' ssh root@10.0.0.7",
    "mysql -u root -p{} notes",
    "redis-cli -h cache -a {} ping",
    "docker login -u bot -p {} registry.internal",
    "PGPASSWORD={} psql -h db.internal",
    "deploy --db-password {} --now",
    'psql "host=db.internal user=app password={}"',
    "vault kv put secret/app password={}",
)
BESIDE = {
    "en": "log in as mario / password {}",
    "it": "utente mario / password {}",
    "es": 'contraseña del banco "{}"',
    "fr": "mot de passe « {} »",
    "de": 'Passwort fürs Archiv: "{}"',
    "ja": "パスワードは{}です",
    "zh": "新密码为{}，请勿外传",
}
SERVICES = {
    "algolia": LOWER,
    "meraki": HEX,
    "mattermost": LOWER,
    "fastly": URL,
    "spotify": HEX,
    "travis": ALNUM,
    "twitch": LOWER,
    "zendesk": LOWER,
    "sendbird": HEX,
    "gitter": URL,
}
SIZES = {
    "algolia": 32,
    "meraki": 40,
    "mattermost": 26,
    "fastly": 32,
    "spotify": 32,
    "travis": 22,
    "twitch": 30,
    "zendesk": 40,
    "sendbird": 40,
    "gitter": 40,
}


def _weak(chance: Random) -> str:
    """Return a password of a word and a number, as most are."""
    return f"{chance.choice(WORDS).lower()}{chance.randint(10, 9999)}"


def _told(chance: Random) -> Iterator[tuple[str, str, str]]:
    """Yield text, kind and language of secrets that only their surroundings tell."""
    for command in COMMANDS:
        for _ in range(4):
            yield command.format(password(chance)), "command", ""
    for lang, sentence in BESIDE.items():
        for _ in range(4):
            strong = (
                f"{chance.choice(WORDS).title()}{chance.choice('!#$%&')}{chance.randint(10, 9999)}"
            )
            yield sentence.format(strong), "password_beside", lang
    for lang, sentences in SAID.items():
        direct = [sentence for sentence in sentences if ":" in sentence or "：" in sentence]
        for sentence in direct[:2]:
            yield sentence.format(_weak(chance)), "password_weak", lang
    for name, letters in SERVICES.items():
        for shape in ("{}_api_key = {}", "{}Token: '{}'", '"{}-secret": "{}"'):
            drawn = draw(chance, letters, SIZES[name] - 2) + "4" + chance.choice("abcdef")
            yield shape.format(name, drawn), "service_by_name", ""


def _hide(chance: Random, token: str) -> dict[str, str]:
    """Return one token as those write it who want it to pass: in parts, turned, encoded."""
    cut = chance.randint(len(token) // 3, 2 * len(token) // 3)
    first, second = token[:cut], token[cut:]
    return {
        "split_plus": f'token = "{first}" + "{second}"',
        "split_dot": f"$token = '{first}' . '{second}';",
        "split_line": f"{first}\n{second}",
        "split_backslash": f'TOKEN="{first}\\\n{second}"',
        "split_adjacent": f'token = ("{first}"\n         "{second}")',
        "coded_base64": base64.b64encode(token.encode()).decode(),
        "coded_hex": token.encode().hex(),
        "coded_percent": "".join(f"%{ord(letter):02X}" for letter in token),
        "coded_entities": "".join(f"&#{ord(letter)};" for letter in token),
        "turned": token[::-1] + " (reversed)",
        "zero_width": token[:8] + "\u200b" + token[8:20] + "\u200b" + token[20:],
        "spaced": " ".join(token),
    }


HIDEABLE = ("github", "npm", "anthropic", "slack_bot", "stripe", "digitalocean", "gitlab", "groq")


def lines(seed: int) -> Iterator[dict[str, Any]]:
    """Yield the labelled lines of ``seed``: ``secret`` ones, then ``clean`` ones."""
    chance = Random(seed)
    seen: Counter[str] = Counter()
    for number, (text, kind, lang, label) in enumerate(_all(chance)):
        seen[kind] += 1
        split = "rules" if seen[kind] % 2 else "report"
        yield {
            "id": f"sec-own-{number:04}",
            "text": text,
            "label": label,
            "kind": kind,
            "lang": lang,
            "split": split,
        }


def _all(chance: Random) -> Iterator[tuple[str, str, str, str]]:
    for kind, make in TOKENS.items():
        for _ in range(4):
            yield chance.choice(PLACES).format(make(chance)), kind, "", "secret"
        for lang in chance.sample(sorted(CARRIERS), 4):
            yield CARRIERS[lang].format(make(chance)), kind, lang, "secret"
    for kind, make in BLOCKS.items():
        for place in PLACES[:8]:
            yield place.format(make(chance)), kind, "", "secret"
    for lang, sentences in SAID.items():
        for sentence in sentences:
            for _ in range(5):
                yield sentence.format(password(chance)), "password_prose", lang, "secret"
    for text, kind, lang in _told(chance):
        yield text, kind, lang, "secret"
    for _ in range(3):
        for name in HIDEABLE:
            for kind, text in _hide(chance, TOKENS[name](chance)).items():
                yield text, kind, "", "secret"
    for text, kind, lang in make_secrets_clean.clean(chance):
        yield text, kind, lang, "clean"
