"""Changes that people make to policies: add, change, delete, pause, resume. Each is audited.

A change is a compare-and-set on the version that the person saw. A pause leaves the version alone: it
contradicts no edit.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, time, timedelta
from typing import Any

from django.db import IntegrityError
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from dlqconsole.core.errors import EngineError
from dlqconsole.engine import audit
from dlqconsole.hosting.database import transaction
from dlqconsole.hosting.wording import translated
from dlqconsole.retries.clock import database_now
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies.checks import COLUMNS, InvalidPolicy, check_scope, check_values
from dlqconsole.retries.policies.reading import forget
from dlqconsole.retries.policies.scopes import PolicyScope

MOST_POLICIES = 500
_LONGEST_PAUSE = timedelta(days=366)
_NO_PAUSE = {"paused_at": None, "paused_until": None, "paused_by": "", "paused_reason": ""}


class UnknownPolicy(EngineError):
    """There is no policy of that number."""


def scope_of(policy: RetryPolicy) -> PolicyScope:
    """The scope of a policy."""
    return PolicyScope(policy.event_type, policy.group_id)


def find(scope: PolicyScope) -> RetryPolicy | None:
    """The policy with exactly this scope; None: there is none."""
    return RetryPolicy.objects.filter(**_where(scope)).first()


def add(scope: PolicyScope, fields: Mapping[str, Any], *, actor: str, reason: str) -> RetryPolicy:
    """Store a new policy. Raises InvalidPolicy, also if its scope has one already."""
    check_scope(scope)
    values = check_values(fields)
    with _changing():
        _check_room()
        if (there := find(scope)) is not None and not is_empty(there):
            raise InvalidPolicy(
                [
                    (
                        "",
                        _("There is a policy for {words} already. Change that one.").format(
                            words=translated(scope.words())
                        ),
                    )
                ]
            )
        policy = there or _make(scope)
        _write(policy, values, actor)
        detail = {"for": scope.words(), **_json_values({n: v for n, v in values.items() if v is not None})}
        audit.record(actor, "create", target(policy.pk), reason=reason, detail=detail)
    return policy


def change(
    policy_id: int, version: int, fields: Mapping[str, Any], *, actor: str, reason: str
) -> dict[str, Any]:
    """Change a policy in the version that was seen; return the changes, each with old and new value.

    Raises InvalidPolicy, also for another version, and UnknownPolicy.
    """
    with _changing():
        policy = _as_seen(policy_id, version)
        values = check_values(fields)
        changes = {
            name: [getattr(policy, name), new] for name, new in values.items() if getattr(policy, name) != new
        }
        if changes:
            _write(policy, values, actor)
            detail = {
                "for": scope_of(policy).words(),
                "changes": {name: [_text(was), _text(new)] for name, (was, new) in changes.items()},
            }
            audit.record(actor, "change", target(policy_id), reason=reason, detail=detail)
    return changes


def delete(policy_id: int, version: int, *, actor: str, reason: str) -> None:
    """Delete a policy: its values come from the next less specific one then. Raises as ``change``."""
    with _changing():
        policy = _as_seen(policy_id, version)
        values = {name: getattr(policy, name) for name in COLUMNS if getattr(policy, name) is not None}
        detail = {"for": scope_of(policy).words(), **_json_values(values)}
        if policy.paused_at is not None:
            detail["paused since"] = policy.paused_at.isoformat()
        audit.record(actor, "delete", target(policy_id), reason=reason, detail=detail)
        policy.delete()


def pause(scope: PolicyScope, *, until: datetime | timedelta | None = None, actor: str, reason: str) -> bool:
    """Pause a scope: running handlers finish, no others begin. False: it is paused so already.

    ``until``: its end, or its length from now. Raises InvalidPolicy.
    """
    check_scope(scope)
    until = database_now() + until if isinstance(until, timedelta) else until
    _check_until(until)
    with _changing():
        policy = _lock_row(scope) or _make(scope)
        if policy.paused_at is not None and policy.paused_until == until:
            return False
        since = policy.paused_at or Now()
        columns = {"paused_at": since, "paused_until": until, "paused_by": actor, "paused_reason": reason}
        RetryPolicy.objects.filter(pk=policy.pk).update(**columns)
        detail = {"for": scope.words(), "until": until.isoformat() if until else "somebody resumes it"}
        audit.record(actor, "pause", target(policy.pk), reason=reason, detail=detail)
    return True


def resume(scope: PolicyScope, *, actor: str, reason: str) -> bool:
    """Resume a scope. False: it was not paused itself."""
    with _changing():
        policy = _lock_row(scope)
        if policy is None or policy.paused_at is None:
            return False
        audit.record(actor, "resume", target(policy.pk), reason=reason, detail={"for": scope.words()})
        RetryPolicy.objects.filter(pk=policy.pk).update(**_NO_PAUSE)
        # a policy that was made for a pause is empty now
        if is_empty(policy):
            policy.delete()
    return True


def is_empty(policy: RetryPolicy) -> bool:
    """Tell whether a policy has no values; a pause does not count."""
    return all(getattr(policy, name) is None for name in COLUMNS)


def target(policy_id: int) -> str:
    """The name of a policy in the audit log."""
    return f"retry_policy:{policy_id}"


@contextmanager
def _changing() -> Iterator[None]:
    """Open a transaction; if two begin a policy for one scope at once, one gets InvalidPolicy."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if "retry_policies_whose" not in str(error):
            raise
        raise InvalidPolicy(
            [("", _("Somebody began a policy for that meanwhile. Look at it again."))]
        ) from error
    finally:
        forget()


def _write(policy: RetryPolicy, values: Mapping[str, Any], actor: str) -> None:
    row = RetryPolicy.objects.filter(pk=policy.pk)
    row.update(**values, version=policy.version + 1, updated_by=actor, updated_at=Now())


def _lock_row(scope: PolicyScope) -> RetryPolicy | None:
    return RetryPolicy.objects.select_for_update().filter(**_where(scope)).first()


def _make(scope: PolicyScope) -> RetryPolicy:
    policy = RetryPolicy.objects.create(**_fields(scope))
    policy.refresh_from_db()
    return policy


def _as_seen(policy_id: int, version: int) -> RetryPolicy:
    policy = RetryPolicy.objects.select_for_update().filter(pk=policy_id).first()
    if policy is None:
        raise UnknownPolicy(
            _("There is no policy {policy_id}, or it was deleted.").format(policy_id=policy_id)
        )
    if policy.version != version:
        raise InvalidPolicy(
            [
                (
                    "",
                    _("Policy {policy_id} was changed meanwhile. Look at it again, then repeat.").format(
                        policy_id=policy_id
                    ),
                )
            ]
        )
    return policy


def _check_room() -> None:
    if RetryPolicy.objects.count() >= MOST_POLICIES:
        raise InvalidPolicy(
            [
                (
                    "",
                    _("There are {most_policies} policies already, and every run reads them all.").format(
                        most_policies=MOST_POLICIES
                    ),
                )
            ]
        )


def _check_until(until: datetime | None) -> None:
    if until is None:
        return
    now = database_now()
    if until <= now:
        raise InvalidPolicy(
            [
                (
                    "until",
                    _("{until:%Y-%m-%d %H:%M} UTC has passed. Choose a time to come.").format(until=until),
                )
            ]
        )
    if until > now + _LONGEST_PAUSE:
        raise InvalidPolicy([("until", _("A pause lasts a year at most. Switch the policy off instead."))])


def _fields(scope: PolicyScope) -> dict[str, Any]:
    return {"event_type": scope.event_type, "group_id": scope.group_id}


def _where(scope: PolicyScope) -> dict[str, Any]:
    return {
        (f"{name}__isnull" if value is None else name): (True if value is None else value)
        for name, value in _fields(scope).items()
    }


def _json_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _text(value) for name, value in values.items()}


def _text(value: Any) -> Any:
    return value.isoformat("minutes") if isinstance(value, time) else value
