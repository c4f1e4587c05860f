"""Audit entries of accounts, roles and sign-ins, in words."""

from collections.abc import Callable, Mapping
from typing import Any

from dlqconsole.engine.access_scope import AccessScope
from dlqconsole.people.names import named

_FLAGS = {"is_staff": "staff", "is_superuser": "superuser"}
NOUN = "account"


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


def sign_in_words(target: str, action: str, detail: Mapping[str, Any]) -> str:
    """The sentence for ``account:7``; empty if there is none for it."""
    noun, _colon, key = target.partition(":")
    words = _ACTIONS.get(action) if noun == NOUN else None
    return words(key, detail) if words else ""


def _sign_in(key: str, detail: Mapping[str, Any]) -> str:
    device = "a device that was known" if detail.get("known_device") else "a device that was not known"
    return f"signed in from {_place(detail)}, on {device}"


def _failure(key: str, detail: Mapping[str, Any]) -> str:
    who = f"for {named(f'user:{key}')}, from" if key.isdigit() else "for no account that there is, from"
    ends = ", ".join(detail.get("held", []))
    return f"a wrong password {who} {_place(detail)}" + (f"; the next one must wait: {ends}" if ends else "")


def _sign_out(key: str, detail: Mapping[str, Any]) -> str:
    why = {"idle": ": nothing was done for too long", "too old": ": the session was too old"}
    return f"signed out{why.get(detail.get('why', ''), '')}"


def _release(key: str, detail: Mapping[str, Any]) -> str:
    return f"{named(f'user:{key}')} may try again at once"


def _place(detail: Mapping[str, Any]) -> str:
    return detail.get("address") or "an unknown address"


_ACTIONS: dict[str, Callable[[str, Mapping[str, Any]], str]] = {
    "sign in": _sign_in,
    "sign out": _sign_out,
    "sign-in failed": _failure,
    "release sign-in": _release,
}
