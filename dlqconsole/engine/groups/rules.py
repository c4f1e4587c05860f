"""Failure rules: try, keep and order them. Every change is audited in its transaction.

The table checks a rule, for plain SQL as for us; here its refusals become sentences.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError, IntegrityError
from django.db.models import Max
from django.db.models.functions import Now

from dlqconsole.core.errors import InvalidRule
from dlqconsole.core.lifecycle.states import Category
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.transient_errors import took_too_long
from dlqconsole.engine import audit
from dlqconsole.engine.models import FailureRule
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.processing.inputs.fields import Choice, InvalidValues, Text, read_all

# A trial looks at so many of the newest dead letters, fewer where that takes too long for a page.
TRIAL_ROWS = (10_000, 1_000, 100)
TRIAL_MS = 2_500
MOST_RULES = 200
_OPEN: dict[str, Any] = {"limit": 255, "is_required": False, "is_code": True}
CONDITIONS = (
    Text(name="event_type", what="The event type", label="Event type", hint="flight.*", **_OPEN),
    Text(
        name="error_class",
        what="The error class",
        label="Error class",
        hint="psycopg.errors.*, or UniqueViolation wherever it is from",
        **_OPEN,
    ),
    Text(name="sqlstate", what="The SQLSTATE", label="SQLSTATE", hint="40001, 08*", **_OPEN),
    Text(name="http_status", what="The HTTP status", label="HTTP status", hint="429, 5xx", **_OPEN),
    Text(
        name="pattern",
        what="The regular expression",
        label="Reason matches",
        hint="a regular expression of PostgreSQL, such as billing (said|says) no",
        **_OPEN | {"limit": 500},
    ),
)
RULE = (
    Text(
        name="name",
        what="The name",
        limit=200,
        no_value="Give the rule a name: people will read it beside what it did.",
    ),
    *CONDITIONS,
    Choice(
        name="category",
        what="The category",
        choices=Category.choices(),
        empty="leaves it alone",
        nothing="",
        is_required=False,
    ),
    Text(
        name="fingerprint",
        what="The fingerprint",
        hint="Any text puts what matches into one group. With {default} in it, it divides the groups further:"
        " {default} {status}. {type}, {class}, {sqlstate} and {status} are filled in.",
        **_OPEN | {"limit": 300},
    ),
)
FIELDS = (*(field.name for field in RULE), "overrides")
_REFUSALS = {
    "failure_rules_pattern": "PostgreSQL does not take this regular expression, or takes too long with it, or"
    " it refers back to a part of itself (\\1). Write it without.",
    "failure_rules_sqlstate": "A SQLSTATE is five capitals or digits (40001), or a class (08*); several with"
    " commas.",
    "failure_rules_http_status": "An HTTP status is 503, or 5xx for all of a kind; several with commas.",
    "failure_rules_fingerprint": "In a fingerprint only {default}, {type}, {class}, {sqlstate} and {status}"
    " stand in braces.",
    "failure_rules_category": f"The category is one of {', '.join(Category)}, or none.",
    "failure_rules_sets_something": "A rule sets a category, a fingerprint, or both; this one sets nothing.",
    "failure_rules_matches_something": "A rule without a condition would match every failure; give it one.",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """The changes that a rule would make among the newest dead letters. ``looked`` of them were asked."""

    looked: int
    matched: int
    changed: int
    category_changed: int
    group_changed: int
    groups_before: int
    groups_after: int
    sample: list[dict[str, Any]]
    too_slow: bool = False


def rules() -> list[FailureRule]:
    """Return all rules in the order in which they are asked."""
    return list(FailureRule.objects.order_by("shipped", "position", "pk"))


def add(values: Mapping[str, Any], *, actor: str, reason: str) -> FailureRule:
    """Keep a new rule, asked after all others but the shipped ones. Raises InvalidRule."""
    fields = _check_fields(values)
    with transaction.atomic():
        _lock()
        own = FailureRule.objects.filter(shipped=False)
        if own.count() >= MOST_RULES:
            raise InvalidRule([f"There are {MOST_RULES} rules already, and every failure is asked by each."])
        last = own.aggregate(last=Max("position"))["last"] or 0
        rule = _store(lambda: FailureRule.objects.create(**fields, position=last + 1, updated_by=actor))
        audit.record(actor, "create", f"rule:{rule.pk}", reason=reason, detail=fields)
    return rule


def change(rule_id: int, version: int, values: Mapping[str, Any], *, actor: str, reason: str) -> None:
    """Change a rule as it was seen, at ``version``. Raises InvalidRule, also when it has changed since."""
    _update(rule_id, version, _check_fields(values), "change", actor, reason)


def switch(rule_id: int, version: int, on: bool, *, actor: str, reason: str) -> None:
    """Let a rule be asked, or not. Raises InvalidRule."""
    _update(rule_id, version, {"enabled": on}, "enable" if on else "disable", actor, reason)


def move(rule_id: int, version: int, up: bool, *, actor: str, reason: str) -> None:
    """Ask a rule one place earlier or later. Raises InvalidRule."""
    with transaction.atomic():
        _lock()
        shipped = FailureRule.objects.filter(pk=rule_id, shipped=True).exists()
        order = [rule for rule in rules() if rule.shipped == shipped]
        at = next(
            (place for place, rule in enumerate(order) if (rule.pk, rule.version) == (rule_id, version)), None
        )
        if at is None:
            raise _changed_meanwhile(rule_id)
        other = at - 1 if up else at + 1
        if not 0 <= other < len(order):
            whose = " of the shipped ones" if shipped else ""
            raise InvalidRule([f"Rule {rule_id} is the {'first' if up else 'last'}{whose} already."])
        order[at], order[other] = order[other], order[at]
        for position, rule in enumerate(order, start=1):
            FailureRule.objects.filter(pk=rule.pk).update(position=position)
        audit.record(actor, "move", f"rule:{rule_id}", reason=reason, detail={"position": other + 1})


def delete(rule_id: int, version: int, *, actor: str, reason: str) -> None:
    """Remove a rule; what it has classified stays so until it is re-classified. Raises InvalidRule."""
    with transaction.atomic():
        _lock()
        rule = FailureRule.objects.filter(pk=rule_id, version=version).first()
        if rule is None:
            raise _changed_meanwhile(rule_id)
        audit.record(actor, "delete", f"rule:{rule_id}", reason=reason, detail=fields_of(rule))
        rule.delete()


def fields_of(rule: FailureRule) -> dict[str, Any]:
    """Return the fields that a person sets."""
    return {name: getattr(rule, name) for name in FIELDS}


def refused_field(problem: str) -> str:
    """Return the field that a refusal of the table is about; "" where it is the rule as a whole."""
    names = [
        name.removeprefix("failure_rules_") for name, sentence in _REFUSALS.items() if sentence == problem
    ]
    return names[0] if names and names[0] in FIELDS else ""


def attempt(values: Mapping[str, Any], rule_id: int | None = None) -> Trial:
    """Classify the existing dead letters under a rule, new or changed. Nothing is kept.

    The rule is really written, and the database really classifies; then all of it is rolled back.
    Raises InvalidRule.
    """
    fields = _check_fields(values)
    for rows in TRIAL_ROWS:
        try:
            return _attempt(fields, rule_id, rows)
        except DatabaseError as error:
            if not took_too_long(error):
                raise
    return Trial(0, 0, 0, 0, 0, 0, 0, [], too_slow=True)


def _attempt(fields: dict[str, Any], rule_id: int | None, rows: int) -> Trial:
    with transaction.atomic():
        if rule_id is None:
            last = FailureRule.objects.filter(shipped=False).aggregate(last=Max("position"))["last"] or 0
            rule = _store(lambda: FailureRule.objects.create(**fields, position=last + 1))
            rule_id = rule.pk
        else:
            _store(lambda: FailureRule.objects.filter(pk=rule_id).update(**fields, enabled=True))
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(TRIAL_MS)])
        row = fetch_dicts(sql("classification.trial"), {"rule": rule_id, "limit": rows})[0]
        transaction.set_rollback(True)
    return Trial(**(row | {"sample": json.loads(row["sample"])}))


def _update(
    rule_id: int, version: int, fields: Mapping[str, Any], action: str, actor: str, reason: str
) -> None:
    with transaction.atomic():
        _lock()
        before = FailureRule.objects.filter(pk=rule_id, version=version).first()
        if before is None:
            raise _changed_meanwhile(rule_id)
        changes = {
            name: [getattr(before, name), value]
            for name, value in fields.items()
            if getattr(before, name) != value
        }
        if not changes:
            return
        rows = FailureRule.objects.filter(pk=rule_id, version=version)
        values = {**fields, "version": version + 1, "updated_by": actor, "updated_at": Now()}
        _store(lambda: rows.update(**values))
        audit.record(actor, action, f"rule:{rule_id}", reason=reason, detail={"changes": changes})


def _check_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields as the table takes them. Raises InvalidRule for errors that no CHECK can say."""
    texts = {name: str(values.get(name) or "") for name in FIELDS if name != "overrides"}
    texts |= {"sqlstate": texts["sqlstate"].upper(), "http_status": texts["http_status"].lower()}
    try:
        fields = read_all(RULE, texts)
    except InvalidValues as refusal:
        raise InvalidRule([*refusal.problems.values()]) from refusal
    return fields | {"overrides": values.get("overrides") in (True, "yes", "on", "true")}


def _store[T](write: Callable[[], T]) -> T:
    """Write a rule; a refusal of the table becomes its sentence."""
    try:
        with transaction.atomic():
            return write()
    except IntegrityError as error:
        name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or ""
        if name not in _REFUSALS:
            raise
        raise InvalidRule([_REFUSALS[name]]) from error


def _changed_meanwhile(rule_id: int) -> InvalidRule:
    return InvalidRule([f"Rule {rule_id} was changed or deleted meanwhile. Look at it again, then repeat."])


def _lock() -> None:
    fetch_column(sql("classification.lock_rules"), {})
