"""The person behind a playbook: it may do and see what this person may do and see now."""

from dataclasses import dataclass

from django.contrib.auth import get_user_model

from dlqconsole.engine.access_scope import AccessScope
from dlqconsole.people.access_scopes import NOTHING, access_of_person
from dlqconsole.people.actors import account_of
from dlqconsole.people.roles import may, role_of


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
    now = f"is {role} now" if role else "has no role here any more"
    return (
        f"It acts for {acts_for}, who {now}. Somebody who may change things takes it over by letting"
        " it go on, or by changing it."
    )
