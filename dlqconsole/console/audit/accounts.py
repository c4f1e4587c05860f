"""Audit entries of accounts and roles, in words."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.engine.access_scope import AccessScope

_FLAGS = {"is_staff": "staff", "is_superuser": "superuser"}


def describe_new(detail: Mapping[str, Any]) -> str:
    """``eve: made, staff``."""
    flags = [words for name, words in _FLAGS.items() if detail.get(name)]
    off = [] if detail.get("is_active", True) else ["switched off"]
    return f"{_name(detail)}{', '.join(['made', *flags, *off])}"


def describe_changes(words: str, detail: Mapping[str, Any]) -> str:
    """``bob: is staff no → yes; also email``: of private fields it tells only that they changed."""
    also = ", ".join(name.replace("_", " ") for name in detail.get("also", []))
    return _name(detail) + "; ".join(part for part in (words, also and f"also {also}") if part)


def describe_password(detail: Mapping[str, Any]) -> str:
    """``bob: another password``."""
    return f"{_name(detail)}another password"


def describe_deletion(detail: Mapping[str, Any]) -> str:
    """``bob: deleted``."""
    return f"{_name(detail)}deleted"


def describe_joining(detail: Mapping[str, Any]) -> str:
    """``bob is operator now``."""
    return f"{detail.get('name') or 'the account'} is {detail.get('role')} now"


def describe_leaving(detail: Mapping[str, Any]) -> str:
    """``bob is not operator any more``."""
    return f"{detail.get('name') or 'the account'} is not {detail.get('role')} any more"


def describe_grant(detail: Mapping[str, Any]) -> str:
    """``may now: auth.view_user``."""
    return f"may now: {_rights(detail)}"


def describe_revocation(detail: Mapping[str, Any]) -> str:
    """``may no longer: auth.view_user``."""
    return f"may no longer: {_rights(detail)}"


def _name(detail: Mapping[str, Any]) -> str:
    return f"{detail['name']}: " if detail.get("name") else ""


def _rights(detail: Mapping[str, Any]) -> str:
    rights = [str(right) for right in detail.get("permissions", [])]
    more = f" and {len(rights) - 5} more" if len(rights) > 5 else ""
    return ", ".join(rights[:5]) + more


def describe_scope(detail: Mapping[str, Any]) -> str:
    """``limited to what lies within orders.*``."""
    return f"limited to what lies within {_scope(detail)}"


def describe_scope_removal(detail: Mapping[str, Any]) -> str:
    """``no longer limited to what lies within orders.*``."""
    return f"no longer limited to what lies within {_scope(detail)}"


def _scope(detail: Mapping[str, Any]) -> str:
    return AccessScope.of([(str(detail.get("queue", "")), str(detail.get("event_type", "")))]).words()
