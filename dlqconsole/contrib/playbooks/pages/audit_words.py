"""The audit page's words for changes of a playbook, and for its own actions."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.console.audit.subjects import Words, changes, number
from dlqconsole.people.names import named


def _described(detail: Mapping[str, Any]) -> str:
    name, when, does, to, budget = (detail.get(part, "") for part in ("name", "when", "does", "to", "budget"))
    return f"{name}: {when}, {does}: {to}; {budget}"


WORDS: dict[str, Words] = {
    "playbook": {
        "create": _described,
        "change": changes,
        "resume": lambda detail: "let it go on, having looked",
        "act": lambda detail: (
            f"asked for an operation on {number(detail.get('expected'))}: {detail.get('why', '')}"
        ),
        "stop": lambda detail: f"stopped until somebody has looked: {named(str(detail.get('why', '')))}",
        "delete": lambda detail: f"deleted: {_described(detail)}",
    },
}
