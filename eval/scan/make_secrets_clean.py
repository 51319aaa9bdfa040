"""Lines that a scanner for secrets has no business with: placeholders, hashes, names, prose."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from random import Random

HEX = "0123456789abcdef"
B64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

PLACEHOLDERS = (
    "token: <your-token-here>",
    "api_key: ${{API_KEY}}",
    "password: ********",
    "API_KEY=your_api_key_here",
    "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "OPENAI_API_KEY=sk-...",
    "secret: {{{{ vault.secret }}}}",
    "password: changeme",
    "password=${{DB_PASSWORD:-postgres}}",
    "https://user:password@example.com/",
    "postgres://user:pass@localhost:5432/db",
    "mongodb://<user>:<password>@host/db",
    "redis://:${{REDIS_PASSWORD}}@cache:6379",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "curl -u user:password https://example.org/",
    "curl -H 'X-Api-Key: YOUR_KEY' https://example.org",
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
    "key = sk-ant-api03-XXXXXXXXXXXXXXXXXXXXXXXX",
    "token = os.environ['TOKEN']",
    "password = getpass.getpass()",
    "secret = process.env.CLIENT_SECRET",
    "AIza...",
    "xoxb-your-bot-token",
    "xoxb-1234-abc",
    "hf_xxx",
    "glpat-<token>",
    "machine example.com login USER password PASSWORD",
    "//packages.example.org/:_authToken=${{NPM_TOKEN}}",
    "kubectl create secret generic db --from-literal=password=$PASSWORD",
    "password: !vault |",
    "pass: null",
    "DB_PASSWORD=",
    'TOKEN=""',
    "client_secret: [redacted]",
    "password: <redacted>",
    "api-key: REPLACE_ME_1234",
    "Passwort: <dein-passwort>",
    "mot de passe : ********",
    "contraseña: xxxxxxxx",
    "密码：********",
    "пароль: ******",
)
PROSE = {
    "en": (
        "The password must have at least 12 characters, one digit and one sign.",
        "Tokens expire after 30 days; rotate the key every 90 days.",
        "A secret of length 32 is drawn with secrets.token_urlsafe(32).",
        "password policy: length 12, history 5, lockout after 10 attempts",
        "The access token is stored in the keychain under 'brain-prod-2'.",
        "Use bcrypt with cost 12; SHA-256 is not enough for passwords.",
        "max_tokens=4096, temperature=0.7",
        "tokens: 12,345 in / 678 out",
        "key: value",
        "sort_key: updated_at2",
        "The key insight is: memory v2.1 beats RAG by 10%.",
        "Press the key F12 to open the console.",
        "See section 4.2 for the secret sharing scheme (3-of-5).",
        "auth: OAuth2 with PKCE (RFC7636)",
        "Password reset link expires in 24h.",
        "secret santa: 24/12, budget 20€",
        "pass: 14/20, fail: 6/20",
        "The header `-----BEGIN PRIVATE KEY-----` marks a PKCS#8 file.",
        "GitHub tokens begin with ghp_ and have 40 characters.",
        "const TOKEN_RE = /ghp_[A-Za-z0-9]{{36}}/",
        "key_id: 8f14e45f-ceea-467f-a8d7-2b1f0c3d9e11",
    ),
    "it": (
        "La password deve avere almeno 12 caratteri.",
        "La chiave di lettura è: capitolo 3, pagina 42.",
        "token di tipo JWT con scadenza 15m",
        "La parola d'ordine della serata è condivisione.",
        "La password del NAS è nel portachiavi, voce 7.",
    ),
    "de": (
        "Das Passwort steht im Tresor, Fach 12.",
        "Schlüssel: siehe Anhang B2",
        "Passwortlänge: 16 Zeichen",
    ),
    "fr": (
        "Le mot de passe doit contenir 12 caractères.",
        "clé de voûte : XIIe siècle",
        "mot de passe : voir le coffre n°3",
    ),
    "es": (
        "La contraseña caduca en 90 días.",
        "La clave está en el capítulo 7.",
        "clave: la constancia (ver nota 12)",
    ),
    "pt": ("A senha deve ter 12 caracteres.", "senha de atendimento: guichê 4"),
    "nl": ("Het wachtwoord verloopt na 60 dagen.",),
    "pl": ("Hasło musi mieć 12 znaków.",),
    "ru": ("Пароль должен содержать 12 символов.", "Ключ к теме: глава 5"),
    "zh": ("密码至少12位。", "关键字：2024年计划", "令牌有效期为30天"),
    "ja": ("パスワードは12文字以上。", "キー：2024年版"),
    "ko": ("비밀번호는 12자 이상이어야 합니다.",),
}
NAMES = (
    "foreign_key: note_id_2",
    "primary_key = 'id_1234567890abcdef'",
    'public_key = "{b43}"',
    "csrf_token = request.form['csrf_token']",
    'SECRET_NAME = "prod-db-password-v2"',
    "keyboard: HHKB-Pro-2",
    "monkey = 'capuchin-monkeys-2024'",
    "key_file = /etc/ssl/private/server-2024.key",
    "token_url: https://login.example.org/oauth2/v2.0/token",
    "password_hash: $2b$12${b22}{b31}",
    "cache_key: user:42:profile:v3",
    "idempotency-key-header: Idempotency-Key",
    "X-Request-Id: {uuid}",
    "author_id: {uuid}",
    "partition_key: 2024-11-30T10",
    "api_version: 2024-06-01-preview",
    "secret_id = google_secret_manager_secret.db.id",
    "keyVaultName: kv-prod-weu-001",
    "tokenizer: cl100k_base-v2",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} me@laptop",
    "fingerprint: SHA256:{b43}",
    "keystore.path=conf/keystore-v2.p12",
    "encryption: aes-256-gcm, key length: 256",
    "auth_method: saml2-bearer-v1",
    "credentialId: jenkins-deploy-01",
)
HASHES = (
    "commit {h40}",
    "sha256: {h64}",
    "md5 {h32}",
    "integrity: sha512-{b86}==",
    "image: app@sha256:{h64}",
    'ETag: "{h32}"',
    "go.sum h1:{b43}=",
    "uuid {uuid}",
    "run-id={uuid}",
    "ref {h40}",
    "checksum: {h64}",
    "blob {h40} 100644",
    "tree {h40}",
    "https://github.com/org/repo/blob/{h40}/src/key.py",
    "build 20241130.{h7}",
    "![](data:image/png;base64,{b200}=)",
    "0x{h40}",
    "tx 0x{h64}",
    "doi:10.1000/{h8}",
    "ISBN 978-3-16-148410-0",
    "v1.2.3-{h7}",
    "X-Trace: {h32}-{h16}-01",
    "cid: bafybei{low52}",
    "https://docs.google.com/document/d/1{b43u}/edit",
    "notion.so/Page-{h32}",
    "session {uuid}",
)
CODE = (
    "if token.type == TokenType.NUMBER_2: pass",
    "password = form.cleaned_data['password1']",
    "def key(x): return x[1]",
    "const secret = crypto.randomBytes(32).toString('hex')",
    "token = jwt.encode({{'sub': 1}}, key, algorithm='HS256')",
    "--mount=type=secret,id=npm_token_2",
    "password_field = driver.find_element(By.ID, 'pass1')",
    "auth = HTTPBasicAuth(user, pw1)",
    "kVK_ANSI_KeypadEnter = 0x4C",
    "keys = [k for k in d if k.startswith('x1')]",
    "SELECT key, value FROM kv WHERE key='a1'",
    "import {{ Token2022 }} from '@solana/spl-token'",
    '<input type="password" name="pass1" minlength="8">',
    "assert response.headers['x-api-key-id'] == '1'",
    "export const API_KEY_HEADER = 'X-API-KEY-2'",
    "pub fn key_len() -> usize {{ 32 }}",
    '<add key="Timeout" value="3600" />',
    "keyword: notes2024",
    "password: str = Field(min_length=8, max_length=128)",
)


def _fill(text: str, chance: Random) -> str:
    def draw(letters: str, count: int) -> str:
        return "".join(chance.choice(letters) for _ in range(count))

    return text.format(
        **{f"h{n}": draw(HEX, n) for n in (7, 8, 16, 32, 40, 64)},
        **{f"b{n}": draw(B64, n) for n in (22, 31, 43, 86, 200)},
        b43u=draw(B64[:-2] + "-_", 43),
        low52=draw("abcdefghijklmnopqrstuvwxyz234567", 52),
        uuid="-".join(draw(HEX, n) for n in (8, 4, 4, 4, 12)),
    )


PLACES = ("{}", "`{}`", "- {}", "> {}", "| note | {} |", "```\n{}\n```", "see: {}")


def _public(name: str, chance: Random) -> str:
    bar = "-" * 5
    body = "\n".join("".join(chance.choice(B64) for _ in range(64)) for _ in range(6))
    return f"{bar}BEGIN {name}{bar}\n{body}\n{bar}END {name}{bar}"


def clean(chance: Random) -> Iterator[tuple[str, str, str]]:
    """Yield text, kind and language of lines that hold no secret."""
    for kind, texts in (
        ("placeholder", PLACEHOLDERS),
        ("name", NAMES),
        ("hash", HASHES),
        ("code", CODE),
    ):
        for text in texts:
            for place in chance.sample(PLACES, 4):
                yield place.replace("{}", _fill(text, chance)), kind, ""
    for lang, sentences in PROSE.items():
        for sentence in sentences:
            yield _fill(sentence, chance), "prose", lang
            yield f"- {_fill(sentence, chance)}", "prose", lang
    for name in (
        "CERTIFICATE",
        "PUBLIC KEY",
        "PGP PUBLIC KEY BLOCK",
        "CERTIFICATE REQUEST",
        "RSA PUBLIC KEY",
    ):
        for _ in range(6):
            yield _public(name, chance), "public_key", ""
    for _ in range(20):
        words = base64.b64encode(
            _fill("a note about {h7}, nothing more than that", chance).encode()
        )
        yield f"attachment {words.decode()}", "encoded_prose", ""
