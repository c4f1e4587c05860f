"""Changes that people make to playbooks: add, change, switch, let go on, delete.

Each is a compare-and-set on the version that they saw, with its audit row in the same transaction. The person
who changes a playbook, or lets it go on, answers for it from then on: so this is always a person.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from dlqconsole.contrib.playbooks import triggers
from dlqconsole.contrib.playbooks.budget import clock
from dlqconsole.contrib.playbooks.definition import PlaybookRefused, UnknownPlaybook, check
from dlqconsole.contrib.playbooks.facts import kept_words
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.engine import audit
from dlqconsole.hosting.database import transaction
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.models import OPEN
from dlqconsole.people.actions import PersonAction
from dlqconsole.people.actors import account_of

LIST = PersonAction(name="list", help="all of them, those that need a look first", role="viewer")
SHOW = PersonAction(name="show", help="one, with what it did and did not", role="viewer")
RUN = PersonAction(
    name="run", help="what it would do now, and why it does not; it acts by itself", role="viewer"
)
ENABLE = PersonAction(name="enable", help="let it act by itself, for the person whose token this is")
DISABLE = PersonAction(name="disable", help="let it ask for nothing more")

ACTIONS = (LIST, SHOW, RUN, ENABLE, DISABLE)
MOST = 200
NOBODY = gettext_lazy(
    "You answer for a playbook that you make, change or start: sign in to the console,"
    " or give a personal token of your own by --token-file or DLQ_TOKEN."
)
_MEANING = ("filter", "trigger", "trigger_options", "kind")


@dataclass(frozen=True, slots=True)
class PlaybookAuthor:
    """The actor of a change, and their reason. ``is_proven``: signed in, or with a token that they made."""

    actor: str
    reason: str
    is_proven: bool = True


def add(values: Mapping[str, Any], author: PlaybookAuthor) -> Playbook:
    """Store a new playbook, switched on. Raises PlaybookRefused."""
    _require_person(author)
    columns = check(values)
    if Playbook.objects.count() >= MOST:
        raise PlaybookRefused.saying(
            _("There are {most} playbooks already: delete one that nobody needs.").format(most=MOST)
        )
    start = triggers.get(columns["trigger"]).start(columns["trigger_options"], clock())
    with transaction.atomic():
        row = Playbook.objects.create(**columns, **start, acts_for=author.actor, created_by=author.actor)
        audit.record(author.actor, "create", _target(row), reason=author.reason, detail=kept_words(row))
    return row


def change(playbook_id: int, version: int, values: Mapping[str, Any], author: PlaybookAuthor) -> Playbook:
    """Change a playbook in the version that was seen. Raises PlaybookRefused or UnknownPlaybook, as all here.

    If its meaning changes, an operation that was due is dropped.
    """
    _require_person(author)
    columns = check(values)
    with transaction.atomic():
        row = _locked_row(playbook_id, version)
        before = kept_words(row)
        if any(columns[name] != getattr(row, name) for name in _MEANING):
            columns |= {"due_at": None, "due_why": "", "held": "", **_start(row, columns)}
        return _keep(row, columns | {"acts_for": author.actor}, "change", author, before)


def switch(playbook_id: int, version: int, is_on: bool, author: PlaybookAuthor) -> Playbook:
    """Switch a playbook on or off. Events of its trigger while it was off are not made up for."""
    if is_on:
        _require_person(author)
    with transaction.atomic():
        row = _locked_row(playbook_id, version)
        if row.enabled == is_on:
            return row
        changes = {"enabled": is_on, "due_at": None, "due_why": "", "held": ""}
        if is_on:
            changes |= {"acts_for": author.actor, **_start(row)}
        return _keep(row, changes, "enable" if is_on else "disable", author)


def go_on(playbook_id: int, version: int, author: PlaybookAuthor) -> Playbook:
    """Let a playbook go on after a person has looked: it acts for them now. A due operation stays due."""
    _require_person(author)
    with transaction.atomic():
        row = _locked_row(playbook_id, version)
        if not row.look:
            raise PlaybookRefused.saying(_("Nobody has to look at it: it goes on by itself."))
        if row.operation is not None and row.operation.status in OPEN:
            raise PlaybookRefused.saying(
                _("Operation {operation_id} is still {status}: resume or cancel it first.").format(
                    operation_id=row.operation_id, status=row.operation.status
                )
            )
        changes = {"look": "", "held": "", "operation": None, "acts_for": author.actor, **_start(row)}
        return _keep(row, changes, "resume", author)


def delete(playbook_id: int, version: int, author: PlaybookAuthor) -> None:
    """Delete a playbook and its history. Its operations stay, with their receipts."""
    with transaction.atomic():
        row = _locked_row(playbook_id, version)
        if row.enabled:
            raise PlaybookRefused.saying(_("Switch it off first: then it asks for nothing more."))
        target, detail = _target(row), kept_words(row)
        row.delete()
        audit.record(author.actor, "delete", target, reason=author.reason, detail=detail)


def get(playbook_id: int) -> Playbook:
    """The playbook of that number. Raises UnknownPlaybook."""
    row = Playbook.objects.select_related("operation").filter(pk=playbook_id).first()
    if row is None:
        raise UnknownPlaybook(_("There is no playbook {playbook_id}.").format(playbook_id=playbook_id))
    return row


def _require_person(author: PlaybookAuthor) -> None:
    if account_of(author.actor) is None or not author.is_proven:
        raise PlaybookRefused.saying(NOBODY)


def _start(row: Playbook, columns: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The columns that its trigger remembers when it begins anew."""
    name = columns["trigger"] if columns else row.trigger
    options = columns["trigger_options"] if columns else row.trigger_options
    return triggers.get(name).start(options, clock())


def _locked_row(playbook_id: int, version: int) -> Playbook:
    """Lock and return the row in the version that was seen."""
    row = Playbook.objects.select_for_update().filter(pk=playbook_id).first()
    if row is None:
        raise UnknownPlaybook(_("There is no playbook {playbook_id}.").format(playbook_id=playbook_id))
    if row.version != version:
        raise PlaybookRefused.saying(
            _(
                "Somebody changed this playbook since you opened it. Nothing of yours was saved:"
                " open it again."
            )
        )
    return row


def _keep(
    row: Playbook,
    changes: Mapping[str, Any],
    action: str,
    author: PlaybookAuthor,
    before: Mapping[str, str] | None = None,
) -> Playbook:
    for name, value in changes.items():
        setattr(row, name, value)
    row.version += 1
    row.turn += 1
    row.updated_at = Now()
    row.save(update_fields=[*changes, "version", "turn", "updated_at"])
    row.refresh_from_db()
    after = kept_words(row)
    differences = {name: [old, after[name]] for name, old in (before or {}).items() if old != after[name]}
    detail = {"changes": differences} if before is not None else {}
    audit.record(author.actor, action, _target(row), reason=author.reason, detail=detail)
    return row


def _target(row: Playbook) -> str:
    return f"playbook:{row.pk}"
