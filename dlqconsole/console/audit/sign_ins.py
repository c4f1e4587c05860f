"""Audit entries of sign-ins and sign-outs, in words."""

from collections.abc import Callable, Mapping
from typing import Any

from dlqconsole.people.names import named

NOUN = "account"


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
