"""The forms on a group's page: what a person typed, read and checked."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.utils.dateparse import parse_date, parse_datetime

from dlqconsole.console.operations.asked_operation import LONGEST_REASON
from dlqconsole.engine.groups import merging
from dlqconsole.engine.models import FailureGroup
from dlqconsole.triage import groups as group_life
from dlqconsole.triage.groups import InvalidGroup, Who

TEXTS = ("owner", "ticket", "note")
SNOOZES = ("until", "more", "below_rate")
EMPTY = dict.fromkeys((*TEXTS, *SNOOZES, "reason", "into"), "")
_AHEAD = re.compile(r"(\d{1,4})\s*(m|h|d|w)", re.ASCII)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SAID = {
    "describe": "Saved.",
    "resolve": "Resolved. Should it come back, it says so loudly.",
    "reopen": "Open again.",
    "snooze": "Snoozed. It wakes by itself.",
    "merge": "Merged: new failures go to the other group. Re-classify what is here to bring it along.",
    "split": "Taken apart: new failures get a group of their own. Re-classify what is here to part it, too.",
}


def act(group_id: int, verb: str, posted: Mapping[str, Any], actor: str) -> str:
    """Do what a form asks; what to tell the person. Raises the errors of ``group_life``."""
    who = Who(actor, _version(posted), _reason(posted))
    if verb == "describe":
        texts = {name: str(posted.get(name, "")).replace("\r\n", "\n") for name in TEXTS}
        group_life.describe(group_id, who, **texts)
    elif verb == "resolve":
        group_life.resolve(group_id, who)
    elif verb == "reopen":
        group_life.reopen(group_id, who)
    elif verb == "snooze":
        group_life.snooze(group_id, who, **_snooze(posted))
    elif verb == "merge":
        into = _number(posted, "into", "The other group")
        merging.merge([group_id], _needed(into), actor=actor, reason=_needed_reason(who))
    elif verb == "split":
        fingerprint = _number(posted, "fingerprint", "The fingerprint")
        merging.split(_needed(fingerprint), actor=actor, reason=_needed_reason(who))
    else:
        raise InvalidGroup("Choose what to do: describe, resolve, reopen, snooze, merge or split.")
    return _SAID[verb]


def typed(posted: Mapping[str, Any]) -> dict[str, str]:
    """What a form held, to show it again."""
    return {name: _shown(posted[name]) for name in EMPTY if name in posted}


def texts(group: FailureGroup) -> dict[str, str]:
    """What stands in the database, for the form."""
    return {name: getattr(group, name) for name in TEXTS}


def ticket_url(ticket: str) -> str:
    """The ticket as an address to link to; empty for anything but http and https."""
    try:
        parts = urlsplit(ticket)
    except ValueError:
        return ""
    plain = ticket.isprintable() and " " not in ticket
    return ticket if plain and parts.scheme in ("http", "https") and parts.hostname else ""


def _shown(value: Any) -> str:
    text = str(value).replace("\x00", "")[: group_life.LIMITS["note"] + 1]
    return text.encode("utf-8", "replace").decode()


def _version(posted: Mapping[str, Any]) -> int:
    text = str(posted.get("version", ""))
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidGroup("The form lost its version. Reload the page and try again.")
    return int(text)


def _reason(posted: Mapping[str, Any]) -> str:
    reason = str(posted.get("reason", "")).strip()
    if len(reason) > LONGEST_REASON:
        raise InvalidGroup(f"The reason has {len(reason):,} characters; the limit is {LONGEST_REASON:,}.")
    if "\x00" in reason or any("\ud800" <= character <= "\udfff" for character in reason):
        raise InvalidGroup("The reason holds a character that cannot be stored.")
    return reason


def _needed(number: int | None) -> int:
    if number is None:
        raise InvalidGroup("Say which group: its number stands in the address of its page.")
    return number


def _needed_reason(who: Who) -> str:
    if not who.reason:
        raise InvalidGroup("Say why: the audit log keeps the reason.")
    return who.reason


def _snooze(posted: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "until": _until(str(posted.get("until", "")).strip()),
        "more": _number(posted, "more", "The number of failures"),
        "below_rate": _number(posted, "below_rate", "The number an hour"),
    }


def _until(text: str) -> datetime | None:
    """A moment to come, in UTC, from 8h, 3d, a date or a time."""
    if not text:
        return None
    try:
        if ahead := _AHEAD.fullmatch(text):
            return group_life.clock() + timedelta(**{_UNITS[ahead[2]]: int(ahead[1])})
        moment = parse_datetime(text) if len(text) > 10 else None
        if moment is None and (day := parse_date(text)):
            moment = datetime(day.year, day.month, day.day)
        if moment is not None:
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InvalidGroup(
        f"“{text[:40]}” is no time: write how long (8h, 3d, 2w), a date (2026-12-01) or a time in UTC"
        " (2026-12-01T08:00)."
    )


def _number(posted: Mapping[str, Any], name: str, what: str) -> int | None:
    text = str(posted.get(name, "")).strip()
    digits = text.replace(",", "").replace(" ", "")
    if not digits:
        return None
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and int(digits) < 2**63):
        raise InvalidGroup(f"{what} must be a whole number; it is “{text[:40]}”.")
    return int(digits)
