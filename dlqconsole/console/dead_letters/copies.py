"""A dead letter to take along: as a test of its handler that fails as it did, and as SQL that sends it.

Everything is made of what this person sees: a masked value is a mark in each of them, too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from dlqconsole.engine.gate import Shown
from dlqconsole.engine.models import DeadLetter
from dlqconsole.processing import exact_json
from dlqconsole.processing.exact_json import pretty

_NO_MODULES = "your.handlers"
_PYTEST = '''\
"""Dead letter {id} failed: {reason}"""

import json

from dlqconsole.processing import Failed, attempt_payload, load_handlers

# what was masked is a mark, such as ‹email›
PAYLOAD = r"""
{payload}
"""
HEADERS = json.loads(r"""
{headers}
""")


def test_dead_letter_{id}():
    handlers = load_handlers({modules})
    known = {{"queue": {queue}, "message_id": {key}}}
    _event, outcome = attempt_payload(handlers, PAYLOAD, HEADERS, **known)
    assert not isinstance(outcome, Failed), f"{{outcome.reason}}\\n{{outcome.stacktrace}}"
'''
_PSQL = """\
psql "$DATABASE_URL" <<'END_OF_SQL'
-- dead letter {id}; what was masked is a mark, such as ‹email›
SELECT queue_send({queue}, {payload}::jsonb, {headers}::jsonb);
END_OF_SQL
"""


@dataclass(frozen=True, slots=True)
class Copy:
    """A text to copy; ``about`` says what it does."""

    name: str
    about: str
    text: Shown


def copies(letter: DeadLetter, payload: str, headers: str) -> list[Copy]:
    """Make the copies of a letter, payload and headers that are masked already; the payload is JSON.

    There are none of what is nested too deep, or holds numbers too odd, to be written again.
    """
    if _odd(payload) or _odd(headers):
        return []
    as_test = _PYTEST.format(
        id=letter.pk,
        reason=_one_line(letter.error_reason),
        payload=payload,
        headers=_with_identity(letter, headers),
        modules=_literal(settings.DLQ_HANDLERS or _NO_MODULES),
        queue=_literal(letter.event_type),
        key=_literal(letter.source_key),
    )
    as_sql = _PSQL.format(
        id=letter.pk,
        queue=_quoted(letter.queue or letter.event_type),
        payload=_quoted(payload),
        headers=_quoted(headers or "{}"),
    )
    return [
        Copy("pytest", _("It fails as this dead letter did, until you mend it."), Shown(as_test)),
        Copy("psql", _("It sends the event to its queue once more."), Shown(as_sql)),
    ]


def _odd(text: str) -> bool:
    try:
        exact_json.dumps(exact_json.loads(text or "{}"))
    except (TypeError, ValueError, RecursionError):
        return True
    return False


def _with_identity(letter: DeadLetter, headers: str) -> str:
    """The headers, and what the event is where its payload does not say so."""
    identity = {"ce_type": letter.event_type, "ce_source": letter.source, "ce_id": letter.source_key}
    return pretty(exact_json.dumps(exact_json.loads(headers or "{}") | identity))


def _one_line(text: str) -> str:
    """The beginning of a text, harmless within three quotes."""
    return " ".join(text.split())[:80].replace("\\", "/").replace('"', "'")


def _literal(text: str) -> str:
    return json.dumps(str(text), ensure_ascii=False)


def _quoted(text: str) -> str:
    """A text in dollar quotes, in which nothing needs an escape."""
    tag = "$event$"
    while tag in text:
        tag = f"${tag[1:-1]}_$"
    return f"{tag}{text}{tag}"
