"""No outlet shows personal data: every column, by every address, role, format and command."""

import html
import logging
import sys
from io import StringIO
from urllib.parse import unquote_plus

import pytest
from django.conf import settings
from django.contrib.admin import site
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.template import Origin, Template, engines
from django.template.backends.django import DjangoTemplates
from django.template.base import Node, Parser, Token, VariableNode
from django.template.loader import get_template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from dlqconsole.console.templatetags.gated import GatedExpression
from dlqconsole.core import messages
from dlqconsole.engine import audit
from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.gate import GatedCommand, shown
from dlqconsole.engine.models import DeadLetter, FailureGroup, FailureRule, Message
from dlqconsole.engine.queues import changes as queues
from dlqconsole.hosting.templates import engine_settings
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work.run import run
from dlqconsole.processing.masking.lines import MaskedLines
from dlqconsole.reports.models import Report, ReportRow
from dlqconsole.retries.policies import PolicyScope, keeping
from dlqconsole.runs.models import PipelineRun
from tests.accounts import actor_of
from tests.asking import ask_for
from tests.exported import read_here
from tests.of_features import of_features
from tests.security.seeded_columns import SECRETS, TEXT, seed_every_column
from tests.template_files import TEMPLATES, named

PAYLOAD = '{"order_id": 7, "password": "x", "customer": {"email": "a@b.org"}}'


@pytest.fixture
def filled(letter, operator, viewer, admin_user_client, monkeypatch) -> dict[str, list[object]]:
    """A row of each kind, and personal data in all their columns: what each argument of an address may be."""
    ann = actor_of("operator")
    read_here(monkeypatch)
    first = letter(payload=PAYLOAD, queue="orders", error_stacktrace="Traceback")
    second = letter(payload_raw=b"a@b.org", status="EXHAUSTED")
    version = DeadLetter.objects.get(pk=first).version
    editing.edit(first, version=version, payload_text='{"order_id": 7, "password": "y"}', headers=None,
                 actor=ann, reason="mend")  # fmt: skip
    operation = ask_for("discard", actor=ann, reason="r", expected=1, ids=[second])
    run(operation.pk)
    exported = ask_for("export", actor=ann, reason="r", expected=2, ids=[first, second])
    open_one = ask_for("revive", actor=ann, reason="r", expected=1, ids=[first])
    Operation.objects.filter(pk=open_one.pk).update(status="awaiting", filter_words="type is x")
    queues.create("orders", actor=ann, reason="new", retention="archive")
    for number in range(3):
        messages.send("orders", PAYLOAD, group_key=f"g{number}")
    messages.complete(messages.claim("orders", 1, "me", 60))
    FailureRule.objects.create(
        name="r", position=1, event_type="x", pattern="y", category="BUSINESS", updated_by=ann
    )
    policy = keeping.add(PolicyScope("order.created"), {"rate": 2}, actor=ann, reason="r")
    keeping.pause(PolicyScope("order.created"), actor=ann, reason="r")
    of_a_feature = [rows(ann) for rows in of_features("rows")]
    audit.record(ann, "export", "dead_letters", detail={"rows": 1, "format": "csv"})
    ingest = PipelineRun.objects.create(kind="ingest", subject="/in", total=9, done=3, message="reading")
    report = Report.objects.create(
        name="daily", title="Orders", keys=["country"], metrics={"orders": "count"}
    )
    ReportRow.objects.create(
        report=report, day=timezone.now().date(), key={"country": "DE"}, figures={"orders": 1}
    )
    columns = seed_every_column()
    run(exported.pk)
    more = {argument: numbers for rows in of_a_feature for argument, numbers in rows.items()}
    return more | {
        "columns": list(columns),
        "letter_id": [first, second],
        "number": list(Message.objects.values_list("pk", flat=True)[:1]),
        "group_id": list(FailureGroup.objects.values_list("pk", flat=True)),
        "operation_id": [operation.pk, exported.pk, open_one.pk],
        "rule_id": list(FailureRule.objects.values_list("pk", flat=True)),
        "policy_id": [policy.pk],
        "run_id": [ingest.pk],
        "job": ["ingest"],
        "name": ["orders", "daily"],
        "format": ["csv", "jsonl"],
        "rest": ["elsewhere"],
        "token_id": [1],
    }


def leaks(text: str) -> list[str]:
    plain = unquote_plus(html.unescape(html.unescape(text))).replace("\\n", "\n")
    return [name for name, value in SECRETS.items() if value in plain]


def addresses(filled: dict[str, list[object]]) -> list[str]:
    """Every address of the resolver with every argument that leads to a row; the admin's pages, too."""
    found = []
    for pattern in _patterns(get_resolver().url_patterns):
        choices: list[dict[str, object]] = [{}]
        for name in pattern.pattern.converters:
            assert name in filled, f"filled has no {name}, which the address {pattern.name} names"
            choices = [chosen | {name: value} for chosen in choices for value in filled[name]]
        prefix = "" if pattern.name in ("login", "set_language") else "dlq:"
        if pattern.name != "logout":
            found += [reverse(f"{prefix}{pattern.name}", kwargs=chosen) for chosen in choices]
    for model in site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        rows = [
            reverse(f"{name}_change", args=[key]) for key in model.objects.values_list("pk", flat=True)[:2]
        ]
        found += [reverse(f"{name}_changelist"), *rows]
    return [*found, *(f"/dead-letters/?{query}" for query in ("q=order", "status=PENDING", "reason=x"))]


def _patterns(patterns):
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield pattern
        elif pattern.namespace != "admin":
            yield from _patterns(pattern.url_patterns)


def body(answer) -> str:
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return content.decode("utf-8", "replace") + " ".join(f"{name}: {value}" for name, value in answer.items())


def test_no_address_shows_what_stands_in_any_column(filled, viewer, operator, admin_user_client, scorecard):
    tried, shown, broken = 0, 0, []
    part, whole = {"HX-Request": "true"}, {}
    people = [("viewer", viewer, whole), ("viewer", viewer, part), ("operator", operator, whole),
              ("admin", admin_user_client, whole)]  # fmt: skip
    for role, client, headers in people:
        client.raise_request_exception = False
        for address in addresses(filled):
            answer = client.get(address, headers=headers)
            tried += len(SECRETS)
            shown += answer.status_code == 200
            if answer.status_code >= 500:
                broken.append(f"{role} {address}: {answer.status_code}")
            if found := leaks(body(answer)):
                broken.append(f"{role} {address}: {', '.join(found)}")
    assert shown > 100
    assert len(filled["columns"]) > 60
    scorecard("masked values, outlets", tried=tried, broke=broken)


def test_no_command_prints_it(filled, scorecard, capfd):
    letter = str(filled["letter_id"][0])
    commands = [
        ["deadletters", "list"], ["deadletters", "list", "--json"], ["deadletters", "show", letter],
        ["deadletters", "list", "--type", SECRETS["e-mail"]], ["queues", "list"],
        ["queues", "show", "orders"],
        ["deadletters", "export", "--format", "jsonl", "--all"],
        ["deadletters", "count", "--since", SECRETS["e-mail"]],
    ]  # fmt: skip
    out, broken = StringIO(), []
    for command in commands:
        try:
            call_command(*command, stdout=out, stderr=out)
        except CommandError as problem:
            out.write(shown(str(problem)))  # as manage.py prints it
        if found := leaks(out.getvalue() + capfd.readouterr().out):
            broken.append(f"{' '.join(command)}: {', '.join(found)}")
    scorecard("masked values, outlets", tried=len(commands) * len(SECRETS), broke=broken)


def test_a_log_line_and_its_traceback_are_masked(scorecard):
    formatter = MaskedLines("%(levelname)s %(message)s")
    try:
        raise ValueError(TEXT)
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "cannot handle %s", (TEXT,), sys.exc_info())
    scorecard("masked values, outlets", tried=len(SECRETS), broke=leaks(formatter.format(record)))
    assert settings.LOGGING["formatters"]["line"]["()"].endswith(".MaskedLines")


def test_no_template_has_a_way_round_the_gate():
    """Each variable of each template that is loaded, those of Django's admin and forms among them."""
    loaded = [engine.engine.template_loaders[0] for engine in engines.all()]
    for name in [named(path) for path in TEMPLATES] + ["admin/change_form.html"]:
        get_template(name)
    seen, found = set(), []
    for template in (
        t for loader in loaded for t in loader.get_template_cache.values() if isinstance(t, Template)
    ):
        if not template.name.startswith("django/forms/widgets/"):
            for node in nodes(template, seen):
                if type(node) is VariableNode or not all(map(is_gated, values_of_translated(node))):
                    found.append(f"{template.name}: {node}")
    assert len(seen) > 500
    assert found == []


def values_of_translated(node):
    """What a translated text takes in."""
    if isinstance(node, TranslateNode):
        return [node.filter_expression]
    return list(node.extra_context.values()) if isinstance(node, BlockTranslateNode) else []


def is_gated(value):
    return isinstance(value, GatedExpression)


@pytest.mark.parametrize(
    "text",
    [
        "{% blocktranslate with one=secret %}It is {{ one }}.{% endblocktranslate %}",
        "{% blocktranslate %}It is {{ secret }}.{% endblocktranslate %}",
        "{% blocktranslate count n=2 %}One{% plural %}{{ n }} of {{ secret }}{% endblocktranslate %}",
        "{% blocktranslate asvar made %}It is {{ secret }}.{% endblocktranslate %}{{ made }}",
        "{% translate secret %}",
        "{% translate secret as made %}{{ made }}",
    ],
)
def test_a_translated_text_takes_in_nothing_unmasked(text, tmp_path):
    (tmp_path / "page.html").write_text("{% load i18n %}" + text)
    made = DjangoTemplates(
        {"NAME": "one", "APP_DIRS": False} | without_backend(engine_settings()) | {"DIRS": [tmp_path]}
    )
    shown_page = made.get_template("page.html").render({"secret": "<i>a@b.org</i>"})
    assert "a@b.org" not in shown_page
    assert "‹email›" in shown_page
    assert "<i>" not in shown_page


def without_backend(settings):
    return {name: value for name, value in settings.items() if name != "BACKEND"}


def nodes(thing, seen):
    """Everything that a template holds, wherever a tag keeps it."""
    if id(thing) in seen or isinstance(thing, (str, int, type(None), type, Token, Origin, Parser)):
        return
    seen.add(id(thing))
    if isinstance(thing, Node):
        yield thing
    parts = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, (list, tuple)) else ()
    own = vars(thing).values() if isinstance(thing, (Node, Template)) else ()
    for part in [*parts, *own]:
        yield from nodes(part, seen)


def test_every_command_of_ours_prints_through_the_gate():
    for name, app in get_commands().items():
        # what migrate prints are names of our files
        if str(app).startswith("dlqconsole.") and name != "migrate":
            assert isinstance(load_command_class(app, name), GatedCommand), name
