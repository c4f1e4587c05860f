"""Personal tokens: made once and shown once, kept as a hash, refused when they are over."""

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from dlqconsole.engine import audit
from dlqconsole.people.errors import TokenRefused
from dlqconsole.people.models import PersonalToken

BEGINS = "dlq_"
_BYTES = 32
_SHOWN = len(BEGINS) + 8
LONGEST_DAYS = 366
LONGEST_LABEL = 100


def make(user_id: int, label: str, days: int, made_by: str) -> tuple[PersonalToken, str]:
    """A new token and its text, which nobody can find out later. Audited.

    ``made_by``: the actor. Only a token that the person made themselves approves, or asks for what needs
    approval.
    """
    text = BEGINS + secrets.token_urlsafe(_BYTES)
    with transaction.atomic():
        token = PersonalToken.objects.create(
            user_id=user_id,
            label=label,
            prefix=text[:_SHOWN],
            sha256=_hash(text),
            made_by=made_by,
            expires_at=Now() + timedelta(days=days),
        )
        token.refresh_from_db()
        _note(made_by, "make token", token, days=days)
    return token, text


def proved(text: str) -> PersonalToken:
    """The token of that text, from now on last used now. Raises TokenRefused."""
    found = PersonalToken.objects.filter(sha256=_hash(text)).first()
    if found is None:
        raise TokenRefused("This token is not known here.")
    if found.revoked_at is not None:
        raise TokenRefused(f"The token {found.prefix}… was revoked on {found.revoked_at:%Y-%m-%d}.")
    if not PersonalToken.objects.filter(pk=found.pk, expires_at__gt=Now()).exists():
        raise TokenRefused(f"The token {found.prefix}… expired on {found.expires_at:%Y-%m-%d}.")
    PersonalToken.objects.filter(pk=found.pk).update(last_used_at=Now())
    return found


def revoke(token: PersonalToken, by: str) -> bool:
    """End a token; False where it was revoked before. Audited."""
    with transaction.atomic():
        ended = PersonalToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(
            revoked_at=Now(), revoked_by=by
        )
        if ended:
            _note(by, "revoke token", token)
    return bool(ended)


def note_use(token: PersonalToken, actor: str, command: str, operating_system: str) -> None:
    """Say in the audit log what is done with it, and as which user of the machine, before it is done."""
    _note(actor, "use token", token, command=command, machine=operating_system)


def listed(user_id: int | None) -> QuerySet[PersonalToken]:
    """A person's tokens, what is revoked at the end; those of all for None."""
    rows = PersonalToken.objects.order_by(F("revoked_at").asc(nulls_first=True), "-id")
    return rows if user_id is None else rows.filter(user_id=user_id)


def is_over(token: PersonalToken) -> bool:
    """Whether it proves nothing any more, for a page that shows it."""
    return token.revoked_at is not None or token.expires_at <= timezone.now()


def _note(actor: str, action: str, token: PersonalToken, **more: object) -> None:
    about = {"user": f"user:{token.user_id}", "prefix": token.prefix, "label": token.label}
    audit.record(actor, action, f"token:{token.pk}", detail=about | more)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
