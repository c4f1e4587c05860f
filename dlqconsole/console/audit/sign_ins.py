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


def _came(key: str, detail: Mapping[str, Any]) -> str:
    device = "a device that was known" if detail.get("known_device") else "a device that was not known"
    return f"signed in from {_place(detail)}, on {device}"


def _failed(key: str, detail: Mapping[str, Any]) -> str:
    who = f"for {named(f'user:{key}')}, from" if key.isdigit() else "for no account that there is, from"
    limits = ", ".join(detail.get("held", []))
    return f"a wrong password {who} {_place(detail)}" + (
        f"; the next one must wait: {limits}" if limits else ""
    )


def _went(key: str, detail: Mapping[str, Any]) -> str:
    why = {"idle": ": nothing was done for too long", "too old": ": the session was too old"}
    return f"signed out{why.get(detail.get('why', ''), '')}"


def _released(key: str, detail: Mapping[str, Any]) -> str:
    return f"{named(f'user:{key}')} may try again at once"


def _place(detail: Mapping[str, Any]) -> str:
    return detail.get("address") or "an unknown address"


_ACTIONS: dict[str, Callable[[str, Mapping[str, Any]], str]] = {
    "sign in": _came,
    "sign out": _went,
    "sign-in failed": _failed,
    "release sign-in": _released,
}
