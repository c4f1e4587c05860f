"""Editing one dead letter: text in, text out, one compare-and-set statement, and nothing is ever lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.errors import EngineError
from dlqconsole.core.handling import registry
from dlqconsole.core.lifecycle.states import EDITABLE
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.settings import limits
from dlqconsole.engine.gate import brings_out
from dlqconsole.engine.moments import moment
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing import edits, exact_json
from dlqconsole.processing.edits import Before, EditRefused, check_edit, says_the_same
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import checked_reason
from dlqconsole.processing.payloads import decode_stored
from dlqconsole.processing.strict_json import Decoded

BRINGS_OUT = gettext_lazy(
    "A value under a key such as password would move to a key that is not masked. Keep"
    " it where it is, or give the new key a name that is masked."
)
NOTHING = gettext_lazy("Nothing was changed: the payload and the headers say what they said before.")


class NotEditable(EngineError):
    """A dead letter that may not be edited as it is, or that is not there; the sentence says which."""


@dataclass(frozen=True, slots=True)
class Change:
    """The last change of a dead letter: its actor, the audit log's name for it, and its time."""

    actor: str
    action: str
    at: datetime


class Conflict(EngineError):
    """Somebody was faster. ``theirs`` is the dead letter as it stands now; nothing of ours was stored.

    ``change`` is the last one, where a person made it.
    """

    def __init__(self, theirs: Editable, change: Change | None) -> None:
        self.theirs, self.change = theirs, change
        super().__init__(self.sentence())

    def sentence(self, did: str = "") -> str:
        """Say who was faster; ``did`` is what they did, as the caller calls it."""
        who = _("it was changed meanwhile by its consumer or the schedule")
        if self.change:
            who = _("{actor} {did} it at {at}").format(
                actor=self.change.actor, did=did or _("changed"), at=moment(self.change.at, "%H:%M:%S")
            )
        return _("Dead letter {id} is not what you opened: {who}. It is {status} now.").format(
            id=self.theirs.id, who=who, status=self.theirs.status
        )


@dataclass(frozen=True, slots=True)
class Editable:
    """A dead letter as somebody opens it for editing. ``version`` is what the edit must find again."""

    id: int
    version: int
    status: str
    payload_version: int
    event_type: str
    source: str
    source_key: str
    queue: str | None
    text: str | None
    raw: bytes | None
    headers: str
    updated_at: datetime

    @property
    def is_editable(self) -> bool:
        return self.status in EDITABLE

    @property
    def payload(self) -> Decoded:
        """The payload that its handler would get, read strictly."""
        return decode_stored(self.text, self.raw, limits())

    @property
    def shown(self) -> str | None:
        """The text to begin from: the exact bytes where they are kept; None when they are no text."""
        if self.raw is None:
            return self.text or ""
        try:
            return self.raw.decode()
        except UnicodeDecodeError:
            return None


@dataclass(frozen=True, slots=True)
class Draft:
    """An edit that may be stored: the payload, with its bytes where JSONB cannot hold it, and the headers."""

    payload: Decoded
    headers: str


@dataclass(frozen=True, slots=True)
class Revision:
    """The result of an edit: the number of the payload's new version, and the version of the row."""

    number: int
    version: int


def current(letter_id: int) -> Editable | None:
    """Return the dead letter as it stands; None when there is none."""
    limit = limits().stored_characters
    for row in fetch_dicts(sql("editing.current"), {"id": letter_id, "limit": limit}):
        return Editable(**row | {"raw": None if row["raw"] is None else bytes(row["raw"])})
    return None


def draft(letter: Editable, payload_text: str, headers: Mapping[str, str] | None) -> Draft:
    """Check an edit without storing it. ``headers``: all that a person may change, or None to leave them.

    Raises EditRefused with every reason against it.
    """
    try:
        handlers = registry()
    except SetupError as error:
        raise EditRefused(
            [_("The handlers cannot be loaded, so no schema can be checked: {error}").format(error=error)]
        ) from error
    own = exact_json.loads(letter.headers)
    before = Before(letter.payload, letter.event_type, letter.source, letter.source_key, own)
    text = payload_text.replace("\r\n", "\n")  # as browsers send it
    payload = check_edit(before, text, handlers, limits())
    new = letter.headers if headers is None else edits.replace_headers(letter.headers, headers)
    if letter.text and payload.json_text and brings_out(letter.text, payload.json_text):
        raise EditRefused([str(BRINGS_OUT)])
    same_headers = exact_json.canonical(new) == exact_json.canonical(letter.headers)
    if same_headers and says_the_same(before.payload, payload):
        raise EditRefused([str(NOTHING)])
    return Draft(payload, new)


def as_stored(text: str) -> str:
    """Return the text as PostgreSQL will write it, once ``draft`` has accepted it."""
    return str(fetch_dicts(sql("editing.as_stored"), {"text": text})[0]["text"])


def edit(
    letter_id: int,
    *,
    version: int,
    payload_text: str,
    headers: Mapping[str, str] | None,
    actor: str,
    reason: str,
) -> Revision:
    """Store an edit as the next version; ``version`` is that of the row the person saw.

    Raises EditRefused, NotEditable or Conflict; then nothing was stored.
    """
    letter = open_for_edit(letter_id, version)
    new = draft(letter, payload_text, headers)
    values = {"payload": new.payload.json_text, "raw": new.payload.raw, "headers": new.headers}
    return _store("editing.edit", letter, actor, reason, values)


def restore(letter_id: int, number: int, *, version: int, actor: str, reason: str) -> Revision:
    """Make an earlier version the newest again. Raises EditRefused, NotEditable or Conflict."""
    letter = open_for_edit(letter_id, version)
    if not versions(letter_id, number, number):
        raise EditRefused(
            [_("Dead letter {letter_id} has no version {number}.").format(letter_id=letter_id, number=number)]
        )
    if number == letter.payload_version:
        raise EditRefused(
            [_("Version {number} is what the dead letter holds already.").format(number=number)]
        )
    return _store("editing.restore", letter, actor, reason, {"number": number})


def versions(letter_id: int, first: int = 0, last: int = 2**31 - 1, most: int = 20) -> list[dict[str, Any]]:
    """Return the kept versions, newest first; empty without an edit. Texts are cut far beyond the limit."""
    limit = limits().stored_characters
    values = {"id": letter_id, "first": first, "last": last, "most": most, "limit": limit}
    rows = fetch_dicts(sql("editing.versions"), values)
    return [row | {"raw": None if row["raw"] is None else bytes(row["raw"])} for row in rows]


def open_for_edit(letter_id: int, version: int) -> Editable:
    """Return the dead letter as the person opened it. Raises NotEditable, or Conflict if it has changed."""
    letter = current(letter_id)
    if letter is None:
        raise NotEditable(_("There is no dead letter {letter_id} any more.").format(letter_id=letter_id))
    if letter.version != version:
        raise _conflict(letter)
    if not letter.is_editable:
        raise NotEditable(
            _("Dead letter {letter_id} is {status}: it cannot be edited now.").format(
                letter_id=letter_id, status=letter.status
            )
        )
    return letter


def _store(statement: str, letter: Editable, actor: str, reason: str, values: Mapping[str, Any]) -> Revision:
    more = {
        "id": letter.id,
        "version": letter.version,
        "editable": [str(status) for status in EDITABLE],
        "actor": actor,
        "reason": _reason(reason),
    }
    for row in fetch_dicts(sql(statement), {**values, **more}):
        return Revision(**row)
    theirs = current(letter.id)
    if theirs is None:
        raise NotEditable(_("There is no dead letter {id} any more.").format(id=letter.id))
    raise _conflict(theirs)


def _conflict(theirs: Editable) -> Conflict:
    """Return the error that says who was faster, and when."""
    changes = [Change(**row) for row in fetch_dicts(sql("editing.last_change"), {"id": theirs.id})]
    last = changes[0] if changes else None
    is_the_one = last and abs((theirs.updated_at - last.at).total_seconds()) < 5
    return Conflict(theirs, last if is_the_one else None)


def _reason(reason: str) -> str:
    try:
        return checked_reason(reason)
    except InvalidInput as problem:
        raise EditRefused([translated(problem)]) from problem
