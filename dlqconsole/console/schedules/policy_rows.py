"""The policies in the page's list: their values, the source of each, and the reason for a wait."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.retries.policies import Policies, Policy, PolicyScope, words
from dlqconsole.retries.policies.scopes import seen
from dlqconsole.retries.policy_preview import cells

_COLUMNS = {
    "enabled": gettext_lazy("Retried"),
    "max_retries": gettext_lazy("Most retries"),
    "backoff": gettext_lazy("Waits"),
    "window": gettext_lazy("Window"),
}


def policy_rows(policies: Policies) -> list[dict[str, Any]]:
    """One line a visible policy, the widest first; of all, and where code says something, stored or not."""
    stored = [scope for scope, _row in reversed(policies.rows()) if not scope.is_all]
    of_code = [scope for name in policies.of_code if (scope := PolicyScope(name)) not in stored]
    scopes = [scope for scope in (*of_code, *stored) if seen(scope)[0]]
    waiting = _waiting(policies)
    return [_line(policies, scope, waiting) for scope in (PolicyScope(), *scopes)]


def address(scope: PolicyScope) -> str:
    """The query string of a policy's scope."""
    parameters = {"event_type": scope.event_type, "group": scope.group_id}
    return urlencode({name: value for name, value in parameters.items() if value is not None})


def _line(policies: Policies, scope: PolicyScope, waiting: Mapping[PolicyScope, int]) -> dict[str, Any]:
    row, policy, now = policies.row_of(scope), policies.of_scope(scope), policies.now
    block = policy.block_reason(now)
    own = row is not None and row.paused_at is not None and not (row.paused_until and row.paused_until <= now)
    return {
        "id": row.pk if row else None,
        "updated_at": row.updated_at if row and row.updated_by else None,
        "words": translated(scope.words()),
        "scope": scope,
        "address": address(scope),
        "values": _values(policy, own_id=row.pk if row else None),
        "limits": _limits(policy, own_id=row.pk if row else None),
        "held": block,
        "why": words.block_words(block) if block else "",
        "is_paused": own,
        "waiting": waiting.get(scope, 0),
        "url": _list_of(scope),
        "may_look": seen(scope)[0],
        "may_change": seen(scope)[1],
    }


def _values(policy: Policy, own_id: int | None) -> list[dict[str, Any]]:
    """The main values of each policy, in the order of the table."""
    value_words = words.values(policy)
    return [
        {
            "label": label,
            "text": value_words[name],
            "is_number": name == "max_retries",
            "is_own": own_id is not None and policy.sources[name].policy == own_id,
            "source": words.source_words(policy.sources[name]),
        }
        for name, label in _COLUMNS.items()
    ]


def _limits(policy: Policy, own_id: int | None) -> list[str]:
    """The action and the rate that the policy sets itself; inherited ones are on its page."""
    texts = {
        "action": _("{action}s what is due").format(action=policy.action),
        "rate": _("rate {rate}").format(rate=words.values(policy)["rate"]),
    }
    return [text for name, text in texts.items() if own_id and policy.sources[name].policy == own_id]


def _waiting(policies: Policies) -> dict[PolicyScope, int]:
    """The number of waiting dead letters in each policy's scope."""
    waiting_cells = cells(policies.groups)
    return {
        scope: sum(c.letters for c in waiting_cells if scope.takes(c.event_type, c.group_id))
        for scope in {
            PolicyScope(),
            *map(PolicyScope, policies.of_code),
            *(scope for scope, _row in policies.rows()),
        }
    }


def _list_of(scope: PolicyScope) -> str:
    parameters = {"type": scope.event_type, "group": scope.group_id}
    return list_url(urlencode({"status": "PENDING"} | {n: v for n, v in parameters.items() if v is not None}))
