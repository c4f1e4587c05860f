"""Audit entries of accounts, roles and sign-ins, in words."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.engine.access_scope import AccessScope
from dlqconsole.people.names import named

_FLAGS = {"is_staff": "staff", "is_superuser": "superuser"}
NOUN = "account"


def describe_new(detail: Mapping[str, Any]) -> str:
    """``eve: made, staff``."""
    flags = [words for name, words in _FLAGS.items() if detail.get(name)]
    off = [] if detail.get("is_active", True) else [_("switched off")]
    return _name(detail) + _(", ").join([_("made"), *flags, *off])


def describe_changes(words: str, detail: Mapping[str, Any]) -> str:
    """``bob: is staff no → yes; also email``: of private fields it tells only that they changed."""
    also = ", ".join(name.replace("_", " ") for name in detail.get("also", []))
    return _name(detail) + _("; ").join(
        part for part in (words, also and _("also {names}").format(names=also)) if part
    )


def describe_password(detail: Mapping[str, Any]) -> str:
    """``bob: another password``."""
    return _name(detail) + _("another password")


def describe_deletion(detail: Mapping[str, Any]) -> str:
    """``bob: deleted``."""
    return _name(detail) + _("deleted")


def describe_joining(detail: Mapping[str, Any]) -> str:
    """``bob is operator now``."""
    return _("{who} is {role} now").format(who=_who(detail), role=detail.get("role"))


def describe_leaving(detail: Mapping[str, Any]) -> str:
    """``bob is not operator any more``."""
    return _("{who} is not {role} any more").format(who=_who(detail), role=detail.get("role"))


def describe_grant(detail: Mapping[str, Any]) -> str:
    """``may now: auth.view_user``."""
    return _("may now: {detail}").format(detail=_rights(detail))


def describe_revocation(detail: Mapping[str, Any]) -> str:
    """``may no longer: auth.view_user``."""
    return _("may no longer: {detail}").format(detail=_rights(detail))


def _who(detail: Mapping[str, Any]) -> str:
    return detail.get("name") or _("the account")


def _name(detail: Mapping[str, Any]) -> str:
    return f"{detail['name']}: " if detail.get("name") else ""


def _rights(detail: Mapping[str, Any]) -> str:
    rights = [str(right) for right in detail.get("permissions", [])]
    more = _(" and {number} more").format(number=len(rights) - 5) if len(rights) > 5 else ""
    return _(", ").join(rights[:5]) + more


def describe_scope(detail: Mapping[str, Any]) -> str:
    """``limited to what lies within orders.*``."""
    return _("limited to what lies within {detail}").format(detail=_scope(detail))


def describe_scope_removal(detail: Mapping[str, Any]) -> str:
    """``no longer limited to what lies within orders.*``."""
    return _("no longer limited to what lies within {detail}").format(detail=_scope(detail))


def _scope(detail: Mapping[str, Any]) -> str:
    return AccessScope.of([(str(detail.get("queue", "")), str(detail.get("event_type", "")))]).words()


def sign_in_words(target: str, action: str, detail: Mapping[str, Any]) -> str:
    """The sentence for ``account:7``; empty if there is none for it."""
    noun, _colon, key = target.partition(":")
    words = _ACTIONS.get(action) if noun == NOUN else None
    return words(key, detail) if words else ""


def _sign_in(key: str, detail: Mapping[str, Any]) -> str:
    words = _("signed in from {place}, on a device that was not known")
    if detail.get("known_device"):
        words = _("signed in from {place}, on a device that was known")
    return words.format(place=_place(detail))


def _failure(key: str, detail: Mapping[str, Any]) -> str:
    words = _("a wrong password for no account that there is, from {place}")
    if key.isdigit():
        words = _("a wrong password for {who}, from {place}")
    names = ", ".join(detail.get("held", []))
    wait = _("; the next one must wait: {held}").format(held=names) if names else ""
    return words.format(who=named(f"user:{key}"), place=_place(detail)) + wait


def _sign_out(key: str, detail: Mapping[str, Any]) -> str:
    why = {
        "idle": _("signed out: nothing was done for too long"),
        "too old": _("signed out: the session was too old"),
    }
    return why.get(detail.get("why", ""), _("signed out"))


def _release(key: str, detail: Mapping[str, Any]) -> str:
    return _("{who} may try again at once").format(who=named(f"user:{key}"))


def _place(detail: Mapping[str, Any]) -> str:
    return detail.get("address") or _("an unknown address")


_ACTIONS: dict[str, Callable[[str, Mapping[str, Any]], str]] = {
    "sign in": _sign_in,
    "sign out": _sign_out,
    "sign-in failed": _failure,
    "release sign-in": _release,
}
