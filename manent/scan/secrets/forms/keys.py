"""Private keys that stand on one line, and the bodies of those that lost their frame."""

from manent.scan.secrets.form import Form

_RFC = "RFC 5208, RFC 5958, RFC 8017: the first bytes of a DER private key in base64"

KEYS = (
    Form(
        "age-key",
        "age",
        "identity (a secret key in Bech32)",
        r"AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,20})-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,120}",
        "age-encryption.org/v1: keys",
        keys=("AGE-SECRET-KEY-1", "AGE-PLUGIN-"),
        entropy=3.5,
    ),
    Form(
        "openssh-key-body",
        "OpenSSH",
        "private key without its frame",
        r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{40,8000}",
        "openssh.com: PROTOCOL.key (openssh-key-v1)",
        loose=True,
        entropy=3,
    ),
    Form(
        "pkcs8-key-body",
        "PKCS #8",
        "RSA private key without its frame",
        r"MII[A-Za-z0-9+/]{2}[A-Za-z0-9+/]IBADANBgkqhkiG9w0BAQEFAASC[A-Za-z0-9+/]{24,8000}",
        _RFC,
        seek=r"IBADANBgkqhkiG9w0BAQEFAASC",
        back=6,
    ),
    Form(
        "pkcs1-key-body",
        "PKCS #1",
        "RSA private key without its frame",
        r"MII[A-Za-z0-9+/]{2}[A-Za-z0-9+/]IBAAKC[A-Za-z0-9+/]{40,8000}",
        _RFC,
        seek=r"MII[A-Za-z0-9+/]{3}IBAAKC",
    ),
    Form(
        "ec-key-body",
        "SEC 1",
        "elliptic curve private key without its frame",
        r"MHcCAQEEI[A-Za-z0-9+/]{40,200}",
        _RFC,
        entropy=3.5,
    ),
    Form(
        "ed25519-key-body",
        "PKCS #8",
        "Ed25519 or X25519 private key without its frame",
        r"MC4CAQAwBQYDK2V[uw]BCIEI[A-Za-z0-9+/]{40,44}",
        _RFC,
        keys=("MC4CAQAwBQYDK2V",),
        entropy=3.5,
    ),
    Form(
        "nostr-key",
        "Nostr",
        "secret key (Bech32)",
        r"nsec1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}",
        "github.com/nostr-protocol: NIP-19",
        entropy=3.5,
    ),
    Form(
        "wallet-master-key",
        "BIP 32",
        "extended private key (Base58Check)",
        r"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{107}",
        "github.com/bitcoin/bips: BIP 32",
        keys=("xprv", "yprv", "zprv", "tprv"),
        entropy=4,
    ),
)
