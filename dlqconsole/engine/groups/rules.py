"""Failure rules: the values of one, their list, and the trial of one."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError

from dlqconsole.core.errors import InvalidRule
from dlqconsole.core.lifecycle.states import Category
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.core.transient_errors import took_too_long
from dlqconsole.engine.groups.rule_lists import RuleList
from dlqconsole.engine.models import FailureRule
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.processing.inputs.fields import Choice, InvalidValues, Text, read_all

# A trial looks at so many of the newest dead letters, fewer where that takes too long for a page.
TRIAL_ROWS = (10_000, 1_000, 100)
TRIAL_MS = 2_500
_OPEN: dict[str, Any] = {"limit": 255, "is_required": False, "is_code": True}
CONDITIONS = (
    Text(
        name="event_type",
        what=_("The event type"),
        label=_("Event type"),
        hint="flight.*",
        **_OPEN,
    ),
    Text(
        name="error_class",
        what=_("The error class"),
        label=_("Error class"),
        hint=_("psycopg.errors.*, or UniqueViolation wherever it is from"),
        **_OPEN,
    ),
    Text(name="sqlstate", what=_("The SQLSTATE"), label="SQLSTATE", hint="40001, 08*", **_OPEN),
    Text(
        name="http_status",
        what=_("The HTTP status"),
        label=_("HTTP status"),
        hint="429, 5xx",
        **_OPEN,
    ),
    Text(
        name="pattern",
        what=_("The regular expression"),
        label=_("Reason matches"),
        hint=_("a regular expression of PostgreSQL, such as billing (said|says) no"),
        **_OPEN | {"limit": 500},
    ),
)
RULE = (
    Text(
        name="name",
        what=_("The name"),
        limit=200,
        no_value=_("Give the rule a name: people will read it beside what it did."),
    ),
    *CONDITIONS,
    Choice(
        name="category",
        what=_("The category"),
        choices=Category.choices(),
        empty=_("leaves it alone"),
        nothing="",
        is_required=False,
    ),
    Text(
        name="fingerprint",
        what=_("The fingerprint"),
        hint=_(
            "Any text puts what matches into one group. With {default} in it, it divides the"
            " groups further: {default} {status}. {type}, {class}, {sqlstate} and {status} are"
            " filled in."
        ),
        **_OPEN | {"limit": 300},
    ),
)
FIELDS = (*(field.name for field in RULE), "overrides")
_REFUSALS = {
    "failure_rules_pattern": _(
        "PostgreSQL does not take this regular expression, or takes too long with it, or it"
        " refers back to a part of itself (\\1). Write it without."
    ),
    "failure_rules_sqlstate": _(
        "A SQLSTATE is five capitals or digits (40001), or a class (08*); several with commas."
    ),
    "failure_rules_http_status": _("An HTTP status is 503, or 5xx for all of a kind; several with commas."),
    "failure_rules_fingerprint": _(
        "In a fingerprint only {default}, {type}, {class}, {sqlstate} and {status} stand in braces."
    ),
    "failure_rules_category": _(
        "The category is one of TRANSIENT, DEPENDENCY, PERMANENT, BUSINESS, UNKNOWN, or none."
    ),
    "failure_rules_sets_something": _(
        "A rule sets a category, a fingerprint, or both; this one sets nothing."
    ),
    "failure_rules_matches_something": _(
        "A rule without a condition would match every failure; give it one."
    ),
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
            rule_id = RULES.create(fields).pk
        else:
            RULES.store(lambda: FailureRule.objects.filter(pk=rule_id).update(**fields, enabled=True))
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(TRIAL_MS)])
        row = fetch_dicts(sql("classification.trial"), {"rule": rule_id, "limit": rows})[0]
        transaction.set_rollback(True)
    return Trial(**(row | {"sample": json.loads(row["sample"])}))


def _check_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields as the table takes them. Raises InvalidRule for errors that no CHECK can say."""
    texts = {name: str(values.get(name) or "") for name in FIELDS if name != "overrides"}
    texts |= {"sqlstate": texts["sqlstate"].upper(), "http_status": texts["http_status"].lower()}
    try:
        fields = read_all(RULE, texts)
    except InvalidValues as refusal:
        raise InvalidRule([*refusal.problems.values()]) from refusal
    return fields | {"overrides": values.get("overrides") in (True, "yes", "on", "true")}


RULES = RuleList(
    model=FailureRule,
    noun="rule",
    fields=FIELDS,
    read=_check_fields,
    refusals=_REFUSALS,
    too_many="There are {most} rules already, and every failure is asked by each.",
    has_shipped=True,
)
