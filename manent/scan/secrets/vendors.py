"""Services whose keys have a shape but no prefix: only a name tells them."""

from __future__ import annotations

import itertools
import re

from manent.scan.secrets.plausible import entropy, placeholder, regular
from manent.values import dataclass

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


@dataclass(frozen=True, slots=True)
class Vendor:
    """A service: the words of a name that tell it, and what its keys look like."""

    kind: str
    owner: str
    word: str
    pattern: str
    source: str
    entropy: float = 2.9

    def fits(self, value: str) -> bool:
        """Whether ``value`` has the shape and looks drawn by chance."""
        if not re.fullmatch(self.pattern, value) or placeholder(value):
            return False
        if regular(value.replace("AAAAAAAAAA", "")):
            return False
        return any(c.isdigit() for c in value) and entropy(value) >= self.entropy


def _keys(kind: str, owner: str, word: str, pattern: str, bits: float = 2.9) -> Vendor:
    return Vendor(kind, owner, word, pattern, f"{owner}: documentation of its API keys", bits)


SERVICES = (
    _keys("adafruit-name-key", "Adafruit IO", "adafruit", r"[A-Za-z0-9_\-]{32}"),
    _keys("adobe-name-key", "Adobe", "adobe", r"[a-f0-9]{32}"),
    _keys("airtable-key", "Airtable", "airtable", r"key[A-Za-z0-9]{14}"),
    _keys("algolia-key", "Algolia", "algolia", r"[a-z0-9]{32}"),
    _keys("alibaba-secret-key", "Alibaba Cloud", "alibaba|aliyun", r"[A-Za-z0-9]{30}"),
    _keys("asana-secret", "Asana", "asana", r"[a-z0-9]{32}"),
    _keys("jira-key", "Atlassian", "atlassian|confluence|jira", r"[A-Za-z0-9]{20}[a-f0-9]{4}"),
    _keys("beamer-key", "Beamer", "beamer", r"b_[A-Za-z0-9_\-]{44}"),
    _keys("bitbucket-secret", "Bitbucket", "bitbucket", r"[A-Za-z0-9_\-]{32,64}"),
    _keys("bittrex-key", "Bittrex", "bittrex", r"[a-z0-9]{32}"),
    _keys("cloudflare-key", "Cloudflare", "cloudflare|cf", r"[A-Za-z0-9_\-]{40}|[a-f0-9]{37}"),
    _keys("codecov-token", "Codecov", "codecov", rf"[a-z0-9]{{32}}|{_UUID}"),
    _keys("cohere-key", "Cohere", "cohere|co", r"[A-Za-z0-9]{40}", 3.6),
    _keys("coinbase-secret", "Coinbase", "coinbase", r"[A-Za-z0-9_\-]{64}"),
    _keys("confluent-key", "Confluent", "confluent", r"[A-Z0-9]{16}|[A-Za-z0-9+/]{64}"),
    _keys("contentful-delivery-token", "Contentful", "contentful", r"[A-Za-z0-9_\-]{43}"),
    _keys("databricks-name-token", "Databricks", "databricks", r"dapi[a-f0-9]{32}(?:-\d)?"),
    _keys("datadog-name-key", "Datadog", "datadog|dd", r"[a-f0-9]{32}|[a-z0-9]{40}"),
    _keys("discord-secret", "Discord", "discord", r"[a-f0-9]{64}|[A-Za-z0-9_\-]{32}"),
    _keys("drone-token", "Drone", "drone|droneci", r"[A-Za-z0-9]{32}"),
    _keys("dropbox-key", "Dropbox", "dropbox", r"[a-z0-9]{15}|[A-Za-z0-9]{11}A{10}[\w\-]{43}"),
    _keys(
        "elastic-key",
        "Elastic",
        "elastic|elasticsearch|kibana",
        r"[A-Za-z0-9_\-+/]{50,70}={0,2}",
        3.6,
    ),
    _keys("etsy-key", "Etsy", "etsy", r"[a-z0-9]{24}"),
    _keys("facebook-secret", "Facebook", "facebook|fb", r"[a-f0-9]{32}"),
    _keys("fastly-key", "Fastly", "fastly", r"[A-Za-z0-9_\-]{32}"),
    _keys("finicity-key", "Finicity", "finicity", r"[a-f0-9]{32}|[A-Za-z0-9]{20}"),
    _keys("finnhub-key", "Finnhub", "finnhub", r"[a-z0-9]{20}"),
    _keys("flickr-key", "Flickr", "flickr", r"[a-f0-9]{16}|[a-z0-9]{32}", 2.7),
    _keys("freshbooks-key", "FreshBooks", "freshbooks", r"[a-z0-9]{64}"),
    _keys("gitter-token", "Gitter", "gitter", r"[A-Za-z0-9_\-]{40}"),
    _keys("heroku-uuid-key", "Heroku", "heroku", _UUID),
    _keys("hubspot-key", "HubSpot", "hubspot", rf"(?i:{_UUID})"),
    _keys("intercom-key", "Intercom", "intercom", r"[A-Za-z0-9_\-]{60}"),
    _keys(
        "jfrog-token", "JFrog", "jfrog|artifactory|bintray|xray", r"[A-Za-z0-9]{64}|[A-Za-z0-9]{73}"
    ),
    _keys("kraken-secret", "Kraken", "kraken", r"[A-Za-z0-9/_+\-]{80,90}"),
    _keys("kucoin-secret", "KuCoin", "kucoin", rf"[a-f0-9]{{24}}|{_UUID}", 2.7),
    _keys("launchdarkly-token", "LaunchDarkly", "launchdarkly", r"[A-Za-z0-9_\-]{40}"),
    _keys("linear-secret", "Linear", "linear", r"[a-f0-9]{32}"),
    _keys("linkedin-secret", "LinkedIn", "linkedin", r"[A-Za-z0-9]{14,16}", 2.7),
    _keys("mailgun-signing-key", "Mailgun", "mailgun", r"[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}"),
    _keys("mailgun-name-key", "Mailgun", "mailgun", r"[a-f0-9]{32}"),
    _keys("mattermost-token", "Mattermost", "mattermost", r"[a-z0-9]{26}"),
    _keys("meraki-key", "Cisco Meraki", "meraki", r"[0-9a-f]{40}"),
    _keys("messagebird-key", "MessageBird", "messagebird", rf"[A-Za-z0-9]{{25}}|{_UUID}"),
    _keys("mistral-key", "Mistral", "mistral", r"[A-Za-z0-9]{32}", 3.5),
    _keys("netlify-name-token", "Netlify", "netlify", r"[A-Za-z0-9_\-]{40,46}"),
    _keys("newrelic-key", "New Relic", "newrelic", r"[a-z0-9]{64}"),
    _keys("nytimes-key", "New York Times", "nytimes|newyorktimes", r"[A-Za-z0-9_\-]{32}"),
    _keys("okta-token", "Okta", "okta", r"00[A-Za-z0-9_\-]{40}", 4.0),
    _keys("opsgenie-key", "Opsgenie", "opsgenie", _UUID),
    _keys("pagerduty-token", "PagerDuty", "pagerduty", r"[A-Za-z0-9_+\-]{20}"),
    _keys("plaid-secret", "Plaid", "plaid", r"[a-z0-9]{24}|[a-z0-9]{30}", 3.2),
    _keys("postmark-token", "Postmark", "postmark", _UUID),
    _keys("privateai-token", "Private AI", "privateai", r"[a-z0-9]{32}"),
    _keys("rapidapi-key", "RapidAPI", "rapidapi", r"[A-Za-z0-9_\-]{50}"),
    _keys("sauce-key", "Sauce Labs", "sauce", _UUID),
    _keys("sendbird-token", "Sendbird", "sendbird", rf"[a-f0-9]{{40}}|{_UUID}"),
    _keys("sentry-token", "Sentry", "sentry", r"[a-f0-9]{64}"),
    _keys("snyk-uuid-token", "Snyk", "snyk", _UUID),
    _keys("sonar-name-token", "SonarQube", "sonar|sonarqube", r"[A-Za-z0-9_\-]{40}"),
    _keys("sourcegraph-name-token", "Sourcegraph", "sourcegraph", r"[a-fA-F0-9]{40}"),
    _keys("splunk-token", "Splunk", "splunk|hec", rf"(?i:{_UUID})"),
    _keys("spotify-secret", "Spotify", "spotify", r"[a-f0-9]{32}"),
    _keys("squarespace-token", "Squarespace", "squarespace", _UUID),
    _keys("sumologic-key", "Sumo Logic", "sumo|sumologic", r"su[A-Za-z0-9]{12}|[A-Za-z0-9]{64}"),
    _keys("telegram-name-token", "Telegram", "telegram", r"[0-9]{5,16}:A[A-Za-z0-9_\-]{34}"),
    _keys("tencent-secret-key", "Tencent Cloud", "tencent|tencentcloud|qcloud", r"[A-Za-z0-9]{32}"),
    _keys("travis-token", "Travis CI", "travis|travisci", r"[A-Za-z0-9]{22}"),
    _keys("twilio-secret", "Twilio", "twilio", r"[a-f0-9]{32}"),
    _keys("twitch-token", "Twitch", "twitch", r"[a-z0-9]{30}"),
    _keys(
        "twitter-secret",
        "X",
        "twitter",
        r"[A-Za-z0-9]{25}|[A-Za-z0-9]{35,50}|[0-9]{15,25}-\w{20,40}",
    ),
    _keys("wandb-name-key", "Weights & Biases", "wandb", r"[a-f0-9]{40}"),
    _keys("zendesk-secret", "Zendesk", "zendesk", r"[a-z0-9]{40}|[a-f0-9]{64}"),
)
"""Every such service. A value counts only when its name holds the word."""

OWN_FORM = frozenset(
    {"meraki-key", "databricks-name-token", "okta-token", "sourcegraph-name-token"}
)
"""Services with one form for all their keys: what is of another form is none of them."""

VENDORS = tuple(w for service in SERVICES for w in service.word.split("|") if len(w) > 3)
"""The words, for the search; shorter ones stand beside a word like ``key``."""


def _by_word() -> dict[str, tuple[Vendor, ...]]:
    found: dict[str, tuple[Vendor, ...]] = {}
    for service in SERVICES:
        for word in service.word.split("|"):
            found[word] = (*found.get(word, ()), service)
    return found


_BY_WORD = _by_word()


def vendors_in(words: tuple[str, ...]) -> tuple[Vendor, ...]:
    """Return the services that a name tells, by a word or by two words run together."""
    pairs = ("".join(pair) for pair in itertools.pairwise(words))
    return next((_BY_WORD[word] for word in (*words, *pairs) if word in _BY_WORD), ())
