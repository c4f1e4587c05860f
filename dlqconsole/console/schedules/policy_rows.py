"""The policies as the page lists them: what counts, where from, and why nothing of it runs now."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.engine.reach import Reach
from dlqconsole.retries.policies import Policies, Policy, Scope, words
from dlqconsole.retries.policies.visibility import seen
from dlqconsole.retries.policy_preview import cells

# numbers that most policies leave as they are
_LIMITS = ("rate", "parallelism", "weight", "batch", "lease_seconds")

_COLUMNS = {"enabled": "Retried", "max_retries": "Most retries", "backoff": "Waits", "window": "Window"}


def policy_rows(found: Policies, reach: Reach) -> list[dict[str, Any]]:
    """One line a policy that is seen, the widest first; the first is for all, kept or not."""
    scopes = [scope for scope, _row in reversed(found.rows()) if not scope.is_all and seen(scope, reach)[0]]
    waiting = _waiting(found, reach)
    return [_line(found, scope, waiting, reach) for scope in (Scope(), *scopes)]


def address(scope: Scope) -> str:
    """The query that says whose a policy is."""
    given = {"event_type": scope.event_type, "category": scope.category, "group": scope.group_id}
    return urlencode({name: value for name, value in given.items() if value is not None})


def _line(found: Policies, scope: Scope, waiting: Mapping[Scope, int], reach: Reach) -> dict[str, Any]:
    row, policy, now = found.row_of(scope), found.of_scope(scope), found.now
    held = policy.block_reason(now)
    own = row is not None and row.paused_at is not None and not (row.paused_until and row.paused_until <= now)
    return {
        "id": row.pk if row else None,
        "updated_at": row.updated_at if row and row.updated_by else None,
        "words": scope.words(),
        "scope": scope,
        "address": address(scope),
        "values": _values(policy, own_id=row.pk if row else None),
        "limits": _limits(policy, own_id=row.pk if row else None),
        "held": held,
        "why": words.block_words(held) if held else "",
        "is_paused": own,
        "waiting": waiting.get(scope, 0),
        "url": _list_of(scope),
        "may_look": seen(scope, reach)[0],
        "may_change": seen(scope, reach)[1],
    }


def _values(policy: Policy, own_id: int | None) -> list[dict[str, Any]]:
    """Those that each policy is asked for first, in the order of the table."""
    said = words.values(policy)
    return [
        {
            "label": label,
            "text": said[name],
            "is_number": name == "max_retries",
            "is_own": own_id is not None and policy.sources[name].policy == own_id,
            "source": words.source_words(policy.sources[name]),
        }
        for name, label in _COLUMNS.items()
    ]


def _limits(policy: Policy, own_id: int | None) -> list[str]:
    """Those that a policy says itself; the rest is on its page."""
    said = words.values(policy)
    return [
        f"{words.NAMES[name].lower()} {said[name]}"
        for name in _LIMITS
        if own_id is not None and policy.sources[name].policy == own_id
    ]


def _waiting(found: Policies, reach: Reach) -> dict[Scope, int]:
    """How many wait in each policy's reach."""
    met = cells(reach, found.groups)
    return {
        scope: sum(c.letters for c in met if scope.takes(c.event_type, c.category, c.group_id))
        for scope in {Scope(), *(scope for scope, _row in found.rows())}
    }


def _list_of(scope: Scope) -> str:
    given = {"type": scope.event_type, "category": scope.category, "group": scope.group_id}
    return list_url(urlencode({"status": "PENDING"} | {n: v for n, v in given.items() if v is not None}))
