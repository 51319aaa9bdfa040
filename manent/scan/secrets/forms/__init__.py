"""Tokens whose form their issuer publishes, by what they open."""

from manent.scan.secrets.form import Form
from manent.scan.secrets.forms.cloud import CLOUD
from manent.scan.secrets.forms.code import CODE
from manent.scan.secrets.forms.keys import KEYS
from manent.scan.secrets.forms.messages import MESSAGES
from manent.scan.secrets.forms.models import MODELS
from manent.scan.secrets.forms.money import MONEY
from manent.scan.secrets.forms.watching import WATCHING
from manent.scan.secrets.forms.work import WORK

FORMS: tuple[Form, ...] = (*KEYS, *CODE, *CLOUD, *MODELS, *MESSAGES, *MONEY, *WATCHING, *WORK)
"""Every form, in the order in which they are tried where several begin alike."""
