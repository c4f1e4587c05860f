"""Hostile values in every field of the forms of operations, edits, groups and rules.

Each answer is a page or a sentence, never an error of ours; what is refused changes nothing and is still in
the form.
"""

import html
import re
from uuid import uuid4

import pytest
from django.db import transaction

from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.groups.rules import RULES
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.models import Operation
from tests.console.parts.direct_forms import DIRECT, submitted
from tests.console.parts.test_bad_forms import ANSWERS, JUNK
from tests.plain_sql import column

pytestmark = pytest.mark.django_db

# one of them is sent for each field as a person's browser would; a form's class is given all of HOSTILE
SMOKE = ["", "a\x00b", "x" * 3000]
HOSTILE = [*JUNK, "2024-02-30", "99999-01-01", "(", "[" * 3000, "a\r\nb", "\x1b[31m", "inf", "1" * 400]
RULE = {"name": "r", "error_class": "Refused", "category": "BUSINESS", "reason": "a test", "version": "1"}
CONDITIONS = ("event_type", "error_class", "sqlstate", "http_status", "pattern", "category", "fingerprint")
OPTIONS = {
    "retry": ("rate", "canary", "canary_probes", "canary_threshold", "canary_watch_seconds"),
    "revive": ("rate", "to_queue", "no_order", "undo_seconds"),
    "edit": ("recipe",),
    "reclassify": ("to_category",),
    "export": ("format", "unmasked"),
    "purge": ("typed_count", "rate"),
}
# form: its address, what is sound in it, and its fields
FORMS = {
    "edit": ("/dead-letters/{letter}/edit/", {"step": "save", "payload": '{"a": 1}', "reason": "r"},
             ("step", "version", "payload", "header_name", "header_value", "reason", "request_key")),
    "edit and revive": ("/dead-letters/{letter}/edit/",
                        {"step": "revive", "payload": '{"a": 1}', "reason": "r"}, ("reason", "request_key")),
    "versions": ("/dead-letters/{letter}/versions/", {"number": "0", "reason": "r"},
                 ("number", "version", "reason")),
    "recipe": ("/dead-letters/recipes/", {"scope": "all", "filter": "", "recipe": "[]"},
               ("recipe", "scope", "filter", "ids", "operation", "outcome")),
    "rule try": ("/rules/new", RULE | {"do": "try"}, ("name", *CONDITIONS, "overrides", "do")),
    "rule new": ("/rules/new", RULE | {"do": "save"}, ("name", *CONDITIONS, "reason")),
    "rule change": ("/rules/{rule}/", RULE | {"do": "save"}, ("name", *CONDITIONS, "version", "reason")),
    "rule switch": ("/rules/{rule}/switch/", {"version": "1", "reason": "r"}, ("version", "reason")),
    "rule delete": ("/rules/{rule}/deletion/", {"version": "1", "reason": "r"}, ("version", "reason")),
    "rule move": ("/rules/{rule}/place/", {"version": "1", "way": "up"}, ("version", "way")),
    "group describe": ("/groups/{group}/", {"verb": "describe", "version": "1"},
                       ("verb", "version", "owner", "note", "ticket", "reason")),
    "group snooze": ("/groups/{group}/", {"verb": "snooze", "version": "1"},
                     ("until", "more", "below_rate", "version", "reason")),
    "group resolve": ("/groups/{group}/", {"verb": "resolve", "version": "1"}, ("version", "reason")),
    "approve": ("/operations/{waiting}/approval/", {}, ("typed_count",)),
    "refuse": ("/operations/{over}/refusal/", {}, ("reason",)),
    "undo": ("/operations/{over}/undo/", {"reason": "r"}, ("reason", "request_key")),
    "run again": ("/operations/", {"kind": "discard", "scope": "items", "source": "1", "outcome": "failed",
                                   "reason": "r"}, ("source", "outcome", "kind", "reason", "request_key")),
    **{
        f"{kind} {'asked' if address == '/operations/' else 'confirmed'}": (
            address, {"kind": kind, "reason": "r", "expected": "1", "scope": "rows", "canary": "on"}, options
        )
        for kind, options in OPTIONS.items()
        for address in ("/operations/", "/dead-letters/operations/")
    },
}  # fmt: skip
TABLES = (
    "dlq_events", "payload_versions", "failure_rules", "failure_groups", "operations", "audit_log",
)  # fmt: skip


@pytest.fixture
def numbers(letter, monkeypatch) -> dict[str, int]:
    """The rows that the forms are about."""
    monkeypatch.setattr("dlqconsole.operations.requests.service.wake", lambda operation_id: None)
    one = letter()
    rule = RULES.add(RULE, actor="user:ann", reason="new")
    waiting = operation(status="awaiting", approval="needed", selected=7)
    over = operation(status="completed", selected=1, done=1)
    group = DeadLetter.objects.get().group_id
    return {"letter": one, "rule": rule.pk, "group": group, "waiting": waiting, "over": over}


def operation(**columns) -> int:
    values = {"kind": "discard", "actor": "user:admin", "reason": "r", "scope": "rows", "cutoff_id": 0}
    return Operation.objects.create(request_key=uuid4(), expected=1, **(values | columns)).pk


def state() -> list[str]:
    return column(
        " UNION ALL ".join(
            f"SELECT md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) FROM {t} t" for t in TABLES
        )
    )


def sound(name: str, numbers: dict[str, int]) -> tuple[str, dict[str, object]]:
    address, fields, _ = FORMS[name]
    always = {"request_key": uuid4(), "ids": [numbers["letter"]]}
    if "dead-letters/{" in address:
        always["version"] = editing.current(numbers["letter"]).version
    return address.format(**numbers), always | fields


def told(answer) -> list[str]:
    """The sentences that a page was given to show."""
    context = answer.context or {}
    found = [context.get(name) for name in ("errors", "problems", "problem", "conflict") if name in context]
    found += [form.sentences for form in [context.get("form")] if isinstance(form, ConsoleForm)]
    return [str(each) for one in found for each in (one if isinstance(one, (list, tuple)) else [one]) if each]


@pytest.mark.parametrize("name", FORMS)
def test_a_hostile_value_is_answered_and_what_is_refused_changes_nothing(admin_user_client, numbers, name):
    before = state()
    for place, field in enumerate(FORMS[name][-1]):
        if name in DIRECT:
            check_the_form(name, field, numbers)
        for junk in [SMOKE[place % len(SMOKE)]] if name in DIRECT else HOSTILE:
            address, fields = sound(name, numbers)
            with transaction.atomic():
                answer = admin_user_client.post(address, fields | {field: junk})
                assert answer.status_code in ANSWERS, (field, junk)
                if answer.status_code != 302:
                    check_the_refusal(answer, name, field, junk)
                # what is refused is not taken back: had it changed anything, that would be there below
                transaction.set_rollback(answer.status_code == 302)
        assert state() == before, field


def check_the_form(name: str, field: str, numbers: dict[str, int]) -> None:
    """Every hostile value, without a page: a change; or sentences, and what was typed is still there."""
    for junk in HOSTILE:
        _address, fields = sound(name, numbers)
        with transaction.atomic():
            form = submitted(name, fields | {field: junk}, numbers)
            assert all(sentence and "\x00" not in sentence for sentence in form.sentences), (
                field,
                junk,
                form.sentences,
            )
            if form.sentences and field in KEPT and junk.isprintable() and len(junk) < 250:
                assert form[field].value() == junk, (field, junk)
            transaction.set_rollback(not form.sentences)


def check_the_refusal(answer, name: str, field: str, junk: str) -> None:
    page = html.unescape(re.sub(r"<[^>]*>", " ", answer.content.decode()))
    if answer.status_code in (409, 422):
        sentences = told(answer)
        assert sentences, (field, junk, page[:300])
        beginning = re.split(r"[^\w ,.]", sentences[0])[0][:20]
        assert beginning in page, (field, junk, sentences)
    if (
        answer.status_code == 422
        and field in KEPT
        and junk.isprintable()
        and junk.isascii()
        and len(junk) < 250
    ):
        assert junk in html.unescape(answer.content.decode()), (field, junk)


# what a person takes pains to type
KEPT = {"payload", "recipe", "note", "owner", "ticket", "until", *CONDITIONS} - {"category"}
