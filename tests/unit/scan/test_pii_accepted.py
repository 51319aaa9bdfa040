"""What looks like personal data and is none (BYPASSES row 30) passes."""

from __future__ import annotations

import pytest

from manent.scan.pii import find
from manent.scan.reading import readings
from manent.scan.span import Context


def found(text: str) -> list[str]:
    return [s.kind for reading in readings(text) for s in find(reading, Context())]


@pytest.mark.parametrize(
    "text",
    [
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "id: 110bcd25-a55d-453a-8046-1297901ea002",
        "createdAt: 1537911264166",
        "epoch 1612326121, expires 1605133680",
        "ISBN 978-88-04-66823-7",
        "arXiv:2403.01234, doi:10.1145/3292500.3330701, ISSN 2049-3630",
        "ports 22, 80, 443, 8080-8090",
        "version 10.15.7.2021, Chrome/120.0.6099.129",
        "git@github.com:acme/widgets.git",
        "npm i @scope/pkg@4.2.1-beta.3",
        "logo@2x.png sprite@1.5x.jpg",
        "ssh deploy@build.tidewrack.it uptime",
        "scp -P 2222 a.tar backup@nas.tidewrack.it:/srv",
        "postgres://user:pass@db.tidewrack.it:5432/app",
        "Co-authored-by: Bot <123+bot@users.noreply.github.com>",
        "someone@example.net, me@host.invalid, root@localhost, x@docs.example.co.uk",
        "your-name@your-domain.com, user@domain.com, {{email}}",
        "follow @marta@social.tidewrack.it, thanks @kepano. See you",
        "The docs use (212) 555-0147 and 07700 900123.",
        "**** **** **** 4242, XXXX-XXXX-XXXX-4242, ending in 4242",
        "0000 0000 0000 0000, 000-12-3456, 1234567890",
        "IT00 X000 0000 0000 0000 0000 000",
        "order no. 98051081017, ticket 266245683, INV-2024-000123456",
        "2024-11-29 14:02:33, 20241129T140233Z, 29.11.2024",
        "https://twitter.com/x/status/1471579014183718913?s=20",
        "commit 2248912279635453507528932138352657986726",
        "0.4556737586899855, 3,141,592 rows, 30_000_000 gas",
        "sizes: 1024 2048 4096 8192, chmod 0755 0644 0600",
        "lat 45.4642 lon 9.1900, 10.0.0.1:8080, 192.168.100.200",
        "@@ -120,7 +120,9 @@ +10 -3 lines",
        "We meet at the dot of nine, at some point in June.",
        "Look at node dot js docs. The email is at the bottom.",
        "A che punto siamo? Il codice fiscale ha sedici caratteri.",
        "![[1679922749389.png]] and [[202501251030-idea]]",
        "the word PAN and the words CF, SSN, IBAN, BSN alone",
    ],
)
def test_it_is_no_personal_data(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text", ["", "\n", "@", "\ud800@\udfff", "+", "0" * 5000, "a@" * 300, "\0" * 50]
)
def test_any_text_gives_a_plain_answer(text: str) -> None:
    assert found(text) == []
