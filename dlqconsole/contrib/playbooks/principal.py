"""The person behind a playbook: it may do and see what this person may; who else sees it."""

import re
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.engine.access_scope import AccessScope, current_access
from dlqconsole.people.actors import account_of
from dlqconsole.people.current_user import NOTHING, access_of_person
from dlqconsole.people.roles import may, role_of
from dlqconsole.processing.inputs.sentences import stored

_ACTOR = re.compile(r"playbook:([1-9][0-9]{0,17}) for ")


@dataclass(frozen=True, slots=True)
class Principal:
    """The person behind a playbook. ``refusal``: why it may not act for them any more; empty: it may."""

    actor: str
    access: AccessScope
    refusal: str


def principal(acts_for: str) -> Principal:
    """Return the person with their present role and scopes: a change of these counts at once."""
    account = account_of(acts_for) or 0
    user = get_user_model().objects.filter(pk=account, is_active=True).first()
    role = role_of(account) if user else ""
    refusal = "" if may(role, "operator") else _refusal(acts_for, role)
    return Principal(acts_for, access_of_person(user) if user else NOTHING, refusal)


def _refusal(acts_for: str, role: str) -> str:
    now = _(stored("is {role} now")).format(role=role) if role else _(stored("has no role here any more"))
    words = _(
        stored(
            "It acts for {acts_for}, who {now_sentence}. Somebody who may change things takes it over by"
            " letting it go on, or by changing it."
        )
    )
    return words.format(acts_for=acts_for, now_sentence=now)


def exists(playbook_id: int) -> bool:
    """Tell whether a playbook exists within the scope."""
    row = Playbook.objects.filter(pk=playbook_id).first()
    return row is not None and _is_seen(row)


def visible(playbook_id: int) -> tuple[bool, bool]:
    """Tell whether some of it is visible, and whether all of it is: it is seen whole or not at all."""
    is_visible = exists(playbook_id)
    return is_visible, is_visible


def playbook_of(actor: str) -> int | None:
    """The number of the playbook that this actor is; None for other actors."""
    match = _ACTOR.match(actor)
    return int(match[1]) if match else None


def list_playbooks(**only: object) -> list[Playbook]:
    """The playbooks within the scope: those that need a look first, then by name."""
    rows = Playbook.objects.select_related("operation").filter(**only).order_by("name", "pk")
    return sorted((row for row in rows if _is_seen(row)), key=lambda row: not row.look)


def _is_seen(row: Playbook) -> bool:
    """Tell whether the scope covers that of the person behind a playbook; never if that is empty."""
    access = current_access()
    if not access.is_limited:
        return True
    person = principal(row.acts_for)
    return bool(person.access.scopes) and access.covers(person.access)
