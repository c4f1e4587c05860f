"""Personal tokens: shown once, kept as a hash, refused after they expire or are revoked.

Each is for one scope, and refused for every other.
"""

import hashlib
import secrets
from datetime import timedelta
from typing import Any, cast

from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from dlqconsole.core.errors import EngineError
from dlqconsole.engine import audit
from dlqconsole.hosting.database import transaction
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.people.models import PersonalToken
from dlqconsole.people.sql import sql
from dlqconsole.processing.inputs.fields import Choice, Text, WholeNumber

BEGINS = "dlq_"
_BYTES = 32
_SHOWN = len(BEGINS) + 8
LABEL = Text(
    name="label",
    what=gettext_lazy("The label"),
    label=gettext_lazy("Purpose"),
    help="what it is for",
    limit=100,
    no_value=gettext_lazy("Say what the token is for, such as the name of the machine."),
    placeholder=gettext_lazy("my laptop"),
)
DAYS = WholeNumber(
    name="days",
    what=gettext_lazy("The number of days"),
    label=gettext_lazy("Days until it ends"),
    help="until it ends (30)",
    low=1,
    high=366,
)

PERSON, REPORT = "person", "report"
SCOPE = Choice(
    name="scope",
    what=gettext_lazy("The scope"),
    label=gettext_lazy("Rights"),
    help="what it may do: what the person may, on the command line; or report failures over HTTP (person)",
    choices=(
        (PERSON, gettext_lazy("Your rights, on the command line")),
        (REPORT, gettext_lazy("Report failures over HTTP, and nothing else")),
    ),
    proposal=PERSON,
)
# the least role of a person whose token has this scope: what was reported may go back to its queue
LEAST_ROLES = {PERSON: "viewer", REPORT: "operator"}
_ONLY = {
    PERSON: gettext_lazy("acts on the command line alone: make one with the scope report"),
    REPORT: gettext_lazy("only reports failures over HTTP: make one for the command line"),
}


class TokenRefused(EngineError):
    """A token is invalid or gives too few rights. The sentence says why and never contains the token."""


class WrongTokenScope(TokenRefused):
    """A valid token is for something else."""


def make(user_id: int, label: str, days: int, made_by: str, scope: str = PERSON) -> tuple[PersonalToken, str]:
    """Make a token; return it with its text, which is not stored. Audited.

    ``made_by``: the actor. Only with a token that they made themselves may a person approve an operation, or
    request one that needs approval.
    """
    text = BEGINS + secrets.token_urlsafe(_BYTES)
    with transaction.atomic():
        token = PersonalToken.objects.create(
            user_id=user_id,
            label=label,
            prefix=text[:_SHOWN],
            sha256=_hash(text),
            made_by=made_by,
            scope=scope,
            expires_at=Now() + timedelta(days=days),
        )
        token.refresh_from_db()
        _note(made_by, "make token", token, days=days, scope=scope)
    return token, text


def verify(text: str, scope: str = PERSON) -> PersonalToken:
    """Return the valid token with that text and scope, and note that it was used. Raises TokenRefused."""
    rows = PersonalToken.objects.raw(sql("accounts.token"), {"sha256": _hash(text)})
    token: Any = next(iter(rows), None)
    if token is None:
        raise TokenRefused(_("This token is not known here."))
    if token.revoked_at is not None:
        raise TokenRefused(
            _("The token {prefix}… was revoked on {revoked_at:%Y-%m-%d}.").format(
                prefix=token.prefix, revoked_at=token.revoked_at
            )
        )
    if token.is_over:
        raise TokenRefused(
            _("The token {prefix}… expired on {expires_at:%Y-%m-%d}.").format(
                prefix=token.prefix, expires_at=token.expires_at
            )
        )
    if token.scope != scope:
        raise WrongTokenScope(
            _("The token {prefix}… {why}.").format(prefix=token.prefix, why=_ONLY[token.scope])
        )
    if not token.was_used:
        PersonalToken.objects.filter(pk=token.pk).update(last_used_at=Now())
    return cast(PersonalToken, token)


def revoke(token: PersonalToken, by: str) -> bool:
    """Revoke a token; False if it was revoked before. Audited."""
    with transaction.atomic():
        is_revoked = PersonalToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(
            revoked_at=Now(), revoked_by=by
        )
        if is_revoked:
            _note(by, "revoke token", token)
    return bool(is_revoked)


def note_use(token: PersonalToken, actor: str, command: str, operating_system: str) -> None:
    """Note in the audit log, beforehand, the command that uses a token and the user of the machine."""
    _note(actor, "use token", token, command=command, machine=operating_system)


def list_tokens(user_id: int | None) -> QuerySet[PersonalToken]:
    """A person's tokens, the revoked ones last; for None those of everybody."""
    rows = PersonalToken.objects.order_by(F("revoked_at").asc(nulls_first=True), "-id")
    return rows if user_id is None else rows.filter(user_id=user_id)


def is_expired(token: PersonalToken) -> bool:
    """Tell whether a token was revoked or has expired, for a page that shows it."""
    return token.revoked_at is not None or token.expires_at <= timezone.now()


def _note(actor: str, action: str, token: PersonalToken, **more: object) -> None:
    about = {"user": f"user:{token.user_id}", "prefix": token.prefix, "label": token.label}
    audit.record(actor, action, f"token:{token.pk}", detail=about | more)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
