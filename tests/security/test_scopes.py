"""A person limited to some queues and event types finds no trace of anything else, at any address.

Every address comes from the resolver, with numbers inside and outside the scope: a new page is tried
here without being named.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from dlqconsole.engine.access_scope import EVERYTHING, AccessScope, asking_as
from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.requests import controls, service
from dlqconsole.operations.work import run
from dlqconsole.people.current_user import access_of_person
from dlqconsole.people.models import Scope
from tests.accounts import token_of
from tests.exported import taken_from_the_list
from tests.of_features import all_of
from tests.plain_sql import execute, rows
from tests.security.scoped_world import MARK, ROLES, SCOPES, WITHIN, World, built, limited

LINE = "addresses by scope"
METHODS = ("get", "post")
# what an address's arguments are called in the world; "name" is a queue or a report
_HARMLESS = {"format": ["csv", "jsonl"], "rest": ["elsewhere"]}


@pytest.fixture(scope="module")
def world(django_db_setup, test_database, django_db_blocker) -> Iterator[World]:
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        for module in (service, run, controls):
            patch.setattr(module, "wake", lambda *_: None)
        with asking_as(EVERYTHING):
            world = built()
        yield world
        test_database.restore()


@pytest.fixture
def people(world, db) -> dict[str, Client]:
    return {role: limited(role) for role in ROLES}


def truth(condition: str = "true") -> int:
    return rows(f"SELECT count(*) FROM dlq_events WHERE ({WITHIN}) AND ({condition})")[0][0]


def text_of(answer: Any) -> str:
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return content.decode("utf-8", "replace").lower()


def patterns(found: list[Any], namespace: str = "") -> Iterator[tuple[str, URLPattern, str]]:
    for each in found:
        if isinstance(each, URLResolver):
            yield from patterns(each.url_patterns, each.namespace or namespace)
        elif each.name:
            yield (f"{namespace}:{each.name}" if namespace else each.name), each, str(each.pattern)


def addresses(numbers: dict[str, list[Any]], *, named: bool) -> list[str]:
    """Those of the console that name something, with these numbers; or those that name nothing."""
    found = []
    for name, pattern, route in patterns(get_resolver().url_patterns):
        arguments = list(pattern.pattern.converters)
        if name.startswith("admin:") or name == "logout" or bool({*arguments} - {*_HARMLESS}) != named:
            continue
        sets = [values_for(argument, route, numbers) for argument in arguments]
        found += [
            reverse(name, kwargs=dict(zip(arguments, values, strict=True))) for values in product(*sets)
        ]
    return found


def values_for(argument: str, route: str, numbers: dict[str, list[Any]]) -> list[Any]:
    if argument in _HARMLESS:
        return _HARMLESS[argument]
    if f"<queue:{argument}>" in route:
        return numbers["queue"][:1]
    if argument == "name":
        return numbers["report"]
    assert argument in numbers, f"scoped_world.py has no {argument} that is seen, and none that is hidden"
    return [*dict.fromkeys([*numbers[argument][:1], *numbers[argument][-1:]])]


def test_nothing_out_of_scope_has_an_address(world, people, scorecard):
    """Each address, role and method: no page, no file, no redirect, and not a word of what is there."""
    broke, tried = [], 0
    for role, address, method in product(ROLES, addresses(world.hidden, named=True), METHODS):
        answer = getattr(people[role], method)(address)
        tried += 1
        # what was typed into the address may be said again
        page = text_of(answer).replace(f"{MARK}report", "").replace(f"{MARK}queue", "")
        if answer.status_code not in (403, 404, 405) or MARK in page:
            broke.append((role, method, address, answer.status_code))
    scorecard(LINE, tried=tried, broke=broke)


def test_no_page_of_what_is_seen_tells_of_the_rest(world, people, scorecard):
    """Lists, counts, charts, partials, files: what lies outside left its mark in each table."""
    broke, tried = [], 0
    named = addresses(world.seen | {"rule_id": [], "run_id": [], "job": []}, named=True)
    lists = addresses(world.seen, named=False)
    parts = [("viewer", address, {"HX-Request": "true"}) for address in lists]
    for role, address, headers in [*product(ROLES, [*lists, *named], [{}]), *parts]:
        tried += 1
        if MARK in text_of(people[role].get(address, headers=headers)):
            broke.append((role, address))
    scorecard(LINE, tried=tried, broke=broke)


def test_an_address_of_what_nobody_said_how_to_look_up_is_not_there(people):
    """A new page that names something is refused to limited people until it is said how that is looked up."""
    from dlqconsole.console.access import guard

    known = {"queue", "report name", *guard._lookups(), *guard._HARMLESS}
    for name, pattern, route in patterns(get_resolver().url_patterns):
        if name.startswith("admin:"):
            continue
        for argument in pattern.pattern.converters:
            noun = "queue" if f"<queue:{argument}>" in route else argument
            assert noun in known | {"rule_id", "run_id", "job", "name", "rest"}, name
    assert people["viewer"].get("/rules/1/").status_code == 404


def test_who_sees_everything_sees_it(world, admin_user_client, operator):
    for client in (admin_user_client, operator):
        for letter_id in (world.seen["letter_id"][0], world.hidden["letter_id"][0]):
            assert client.get(f"/dead-letters/{letter_id}/").status_code == 200
        assert MARK in text_of(client.get("/audit/"))


def numbers_of(page: str) -> list[int]:
    return [int(found.replace(",", "")) for found in re.findall(r'class="count">\s*([\d,]+)', page)]


def test_numbers_are_those_of_the_scope(world, people, scorecard):
    viewer, operator = people["viewer"], people["operator"]
    by_status = dict(rows(f"SELECT status, count(*) FROM dlq_events WHERE {WITHIN} GROUP BY 1"))
    shown = {
        "list": (f"{truth()} matching" in text_of(viewer.get("/dead-letters/")), True),
        "tabs": (sum(numbers_of(text_of(viewer.get("/dead-letters/")))), truth()),
        "search": (
            f"{truth("error_reason ~* 'refused'")} matching"
            in text_of(viewer.get("/dead-letters/?reason=Refused")),
            True,
        ),
        "csv": (len(taken_from_the_list(operator).splitlines()) - 1, truth()),
        "json lines": (len(taken_from_the_list(operator, "jsonl").splitlines()), truth()),
        "metrics": (metric(text_of(viewer.get("/metrics"))), {k: v for k, v in by_status.items() if v}),
        "groups": (
            numbers_of(text_of(viewer.get("/groups/")))[-1],
            len(rows(f"SELECT DISTINCT group_id FROM dlq_events WHERE {WITHIN}")),
        ),
    }
    broke = [(name, told, true) for name, (told, true) in shown.items() if told != true]
    scorecard(LINE, tried=len(shown), broke=broke)


def metric(page: str) -> dict[str, int]:
    matches = re.findall(r'dlq_dead_letters\{status="(\w+)"\} (\d+)', page)
    return {status.upper(): int(number) for status, number in matches if int(number)}


def test_hours_of_a_group_seen_in_part_are_counted_one_by_one(world, db):
    from dlqconsole.engine.counts import buckets, groups

    part = truth(f"group_id = {world.mixed_group}")
    assert 0 < part < DeadLetter.objects.filter(group_id=world.mixed_group).count()
    with asking_as(AccessScope.of(SCOPES)):
        week = groups.week(world.mixed_group)
        found = groups.group(world.mixed_group)
        hourly = buckets.counts()
    assert sum(hour["count"] for hour in week) == part
    assert not any(hour["about"] for hour in week)
    assert (found["total"], found["is_whole"], sum(found["hourly"])) == (part, False, part)
    assert sum(hour["count"] for hour in hourly) == truth()


def test_hours_that_take_too_long_say_that_there_are_more(world, db, monkeypatch):
    from contextlib import contextmanager

    from dlqconsole.engine.counts import groups, summaries

    @contextmanager
    def no_time(_milliseconds):
        raise summaries.TooSlow
        yield

    monkeypatch.setattr(summaries, "time_budget", no_time)
    with asking_as(AccessScope.of(SCOPES)):
        week = groups.week(world.mixed_group)
    assert all(hour["about"] for hour in week)


# --- acting


def post(client: Client, **form: Any) -> Any:
    given = {"kind": "discard", "request_key": uuid4(), "reason": "x", "expected": 0} | form
    return client.post("/operations/", given)


def frozen(operation: Operation) -> set[int]:
    run.run(operation.pk)
    return set(OperationItem.objects.filter(operation=operation).values_list("dead_letter_id", flat=True))


def test_whatever_is_asked_for_only_what_is_seen_is_frozen(world, people, monkeypatch, scorecard):
    for module in (service, run, controls):
        monkeypatch.setattr(module, "wake", lambda *_: None)
    seen, hidden = set(world.seen["letter_id"]), world.hidden["letter_id"]
    asked = {
        "ids by hand": {"scope": "rows", "ids": [*list(seen)[:2], *hidden]},
        "all": {"scope": "all", "filter": ""},
        "a filter": {"scope": "all", "filter": "type=order.created"},
        "a group": {"scope": "all", "filter": f"group={world.mixed_group}"},
        "another's items": {"scope": "items", "operation": world.mixed_operation, "outcome": "skipped"},
    }
    broke = []
    for name, form in asked.items():
        before = set(Operation.objects.values_list("pk", flat=True))
        answer = post(people["operator"], typed_count=0, acts_on=0, **form)
        (made,) = Operation.objects.exclude(pk__in=before) or [None]
        if made is None or not (found := frozen(made)) or not found <= seen:
            broke.append((name, answer.status_code, made and frozen(made) - seen))
    scorecard(LINE, tried=len(asked), broke=broke)


def test_what_names_only_hidden_things_is_refused(world, people, monkeypatch, scorecard):
    monkeypatch.setattr(service, "wake", lambda *_: None)
    hidden, operator = world.hidden, people["operator"]
    asked = [
        {"scope": "rows", "ids": hidden["letter_id"]},
        {"scope": "items", "operation": hidden["operation_id"][0], "outcome": "done"},
        {"kind": "purge_queue", "scope": "queue", "of_queue": f"{MARK}queue", "up_to": 999, "typed_count": 0},
        {"kind": "revive", "scope": "all", "filter": "", "to_queue": f"{MARK}queue"},
    ]
    broke, number = [], Operation.objects.count()
    for form in asked:
        post(operator, **form)
        confirm = text_of(operator.post("/dead-letters/operations/", {"kind": "discard"} | form))
        if Operation.objects.count() != number or f"{MARK}reason" in confirm or f"{MARK}payload" in confirm:
            broke.append(form)
    recipe = json.dumps([{"op": "add", "path": "/a", "value": 1}])
    page = operator.post(
        "/dead-letters/recipes/", {"scope": "rows", "ids": hidden["letter_id"], "recipe": recipe}
    )
    if MARK in text_of(page):
        broke.append("recipe")
    scorecard(LINE, tried=len(asked) + 1, broke=broke)


def test_only_what_is_seen_as_a_whole_is_changed(world, people):
    operator = people["operator"]
    for verb in ("pause", "resumption", "cancellation", "approval", "refusal", "undo"):
        answer = operator.post(f"/operations/{world.mixed_operation}/{verb}/", {"request_key": uuid4()})
        assert answer.status_code == 403, verb
    form = {"verb": "describe", "version": 1, "note": "mine"}
    assert operator.post(f"/groups/{world.mixed_group}/", form).status_code == 403
    whole = {"verb": "merge", "version": 1, "into": world.hidden["group_id"][0], "reason": "x"}
    refused = operator.post(f"/groups/{world.seen['group_id'][0]}/", whole)
    assert refused.status_code == 422
    assert MARK not in text_of(refused)
    assert operator.post("/queues/new", {"name": "others", "reason": "x"}).status_code == 422


def test_nobody_approves_what_they_do_not_see(world, db):
    for operation in (world.mixed_operation, world.hidden["operation_id"][0]):
        with asking_as(AccessScope.of(SCOPES)), pytest.raises(OperationRefused, match=r"scope|no operation"):
            controls.approve(operation, "user:1")


def test_receipt_of_an_operation_seen_in_part_tells_of_that_part(world, people):
    page = text_of(people["viewer"].get(f"/operations/{world.mixed_operation}/"))
    items = OperationItem.objects.filter(operation_id=world.mixed_operation)
    part = items.filter(dead_letter_id__in=world.seen["letter_id"]).count()
    csv = text_of(people["viewer"].get(f"/operations/{world.mixed_operation}/items.csv"))
    assert 0 < part < items.count()
    assert len(csv.splitlines()) - 1 == part
    assert re.search(rf"restore\s*{part}\s", re.sub(r"<[^>]+>", "", page))


# --- Django's admin


def said_in(answer: Any) -> str:
    """A page of the admin; what is not there is named by what was typed into the address."""
    return re.sub(r"with id “[^”]*”", "", text_of(answer))


def test_the_admin_shows_what_is_seen(world, people, scorecard):
    """Every model's list, every row's page: of what is hidden none has one."""
    client, broke, tried = people["admin"], [], 0
    elsewhere: set[str] = set()
    assert get_resolver().url_patterns  # its models are known then
    for model in admin.site._registry:
        place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        pages = [reverse(f"{place}_changelist")]
        for pk in list(model._default_manager.values_list("pk", flat=True)[:40]):
            pages += [reverse(f"{place}_{page}", args=[pk]) for page in ("change", "history", "delete")]
        for address in pages:
            answer = client.get(address)
            tried += 1
            if answer.status_code == 302:
                elsewhere.add(answer["Location"])
            if MARK in said_in(answer):
                broke.append(address)
        tried += 1
        if client.post(reverse(f"{place}_add"), {}).status_code == 200:
            broke.append(f"{place}_add")
    assert elsewhere
    # what was said of what is not there is on the next page that is shown: here at the latest
    broke += [address for address in elsewhere if MARK in said_in(client.get(address, follow=True))]
    scorecard(LINE, tried=tried, broke=broke)


def test_a_limited_administrator_cannot_widen_anybody(world, people):
    client = people["admin"]
    user = User.objects.get(username="limited admin")
    for address in (f"/admin/auth/user/{user.pk}/change/", "/admin/auth/user/", "/admin/auth/group/"):
        assert client.get(address).status_code in (302, 403, 404), address
        assert client.post(address, {"is_superuser": "on"}).status_code in (302, 403, 404), address
    user.refresh_from_db()
    assert not user.is_superuser


# --- the command line


def command(name: str, *arguments: str) -> str:
    """The output of a command, or its refusal."""
    out = StringIO()
    try:
        call_command(name, *arguments, stdout=out, stderr=out)
    except CommandError as refusal:
        out.write(str(refusal))
    return out.getvalue()


def test_the_token_of_a_limited_person_shows_what_they_see(world, people, settings, scorecard):
    who = User.objects.get(username="limited operator")
    settings.DLQ_TOKEN = token_of(f"user:{who.pk}")
    far, queue = str(world.hidden["letter_id"][0]), f"{MARK}queue"
    of_far = str(world.hidden["operation_id"][0])
    asked = [
        ("deadletters", "list", "--json"), ("deadletters", "list"), ("deadletters", "show", far),
        ("deadletters", "list", far, "--json"), ("deadletters", "count", far), ("queues",),
        ("queues", "--json"), ("queues", "show", queue), ("queues", "pause", queue, "--because", "x"),
        ("queues", "purge", queue, "--because", "x", "--yes"),
        ("queues", "make-due", queue, "1", "--because", "x"),
        ("queues", "delete", queue, "1", "--because", "x"),
        ("deadletters", "list", "--operation", of_far, "--outcome", "done"),
        ("deadletters", "cancel", of_far), ("deadletters", "undo", of_far, "--because", "x"),
        ("deadletters", "approve", of_far), ("deadletters", "discard", far, "--because", "x"),
        ("breakers",), ("schedule",), ("handlers",), *all_of("READS"),
        *((*words, far) for words in all_of("OF_ONE")),
    ]  # fmt: skip
    before = Operation.objects.count()
    said = {arguments: command(*arguments).replace(queue, "") for arguments in asked}
    broke = [arguments for arguments, text in said.items() if MARK in text]
    assert not [text for text in said.values() if "invalid choice" in text or "unrecognized" in text]
    assert said["deadletters", "count", far] == "0\n"
    assert command("deadletters", "count").strip() == str(truth())
    assert Operation.objects.count() == before
    scorecard(LINE, tried=len(asked), broke=broke)


# --- whose scopes, and who changed them


def test_the_union_of_ones_own_and_ones_groups_scopes(db):
    user = User.objects.create(username="ann")
    assert access_of_person(user) == replace(EVERYTHING, searches_values=False)
    group = Group.objects.create(name="team")
    user.groups.add(group)
    Scope.objects.create(group=group, event_type="orders.*")
    Scope.objects.create(user=user, queue="billing")
    access = access_of_person(user)
    assert access == replace(AccessScope.of([("*", "orders.*"), ("billing", "*")]), searches_values=False)
    assert (
        access.intersection(AccessScope.of([("*", "orders.eu.*")])).words()
        == "orders.eu.*, orders.eu.* on queue billing"
    )
    assert access_of_person(User(username="nobody", is_superuser=True)) == EVERYTHING
    assert not access_of_person(None).sees("a", "b")


def test_every_change_of_a_scope_is_audited_by_the_database(db):
    user = User.objects.create(username="ann")
    scope = Scope.objects.create(user=user, event_type="orders.*")
    Scope.objects.filter(pk=scope.pk).update(event_type="*")
    execute("DELETE FROM scopes")
    entries = AuditEntry.objects.filter(target=f"account:{user.pk}", action__endswith="scope").order_by("id")
    assert [(each.action, each.detail["event_type"]) for each in entries] == [
        ("add scope", "orders.*"), ("remove scope", "orders.*"), ("add scope", "*"), ("remove scope", "*")
    ]  # fmt: skip


@pytest.mark.parametrize("pattern", ["", "a*b", "**", "*a"])
def test_a_pattern_that_means_nothing_is_refused_by_the_table(db, pattern):
    user = User.objects.create(username="ann")
    with pytest.raises(IntegrityError), transaction.atomic():
        Scope.objects.create(user=user, event_type=pattern)


def written(client: Client, user: User, **pattern: str) -> Any:
    """The page of an account, posted with one scope."""
    form = {
        "username": "ann", "date_joined_0": "2026-11-22", "date_joined_1": "00:00:00",
        "dlq_scopes-TOTAL_FORMS": "1", "dlq_scopes-INITIAL_FORMS": "0", "dlq_scopes-MIN_NUM_FORMS": "0",
        "dlq_scopes-MAX_NUM_FORMS": "1000", "dlq_scopes-0-user": str(user.pk),
    }  # fmt: skip
    form |= {
        f"dlq_scopes-0-{name}": given for name, given in ({"queue": "*", "event_type": "*"} | pattern).items()
    }
    return client.post(f"/admin/auth/user/{user.pk}/change/", form, follow=True)


@pytest.mark.parametrize("given", ["sh*op", "**", "*shop"])
@pytest.mark.parametrize(("name", "what"), [("queue", "The queue"), ("event_type", "The event type")])
def test_a_pattern_that_means_nothing_is_said_beside_its_field(db, admin_user_client, name, what, given):
    user = User.objects.create(username="ann", password="!")
    answer = written(admin_user_client, user, **{name: given})
    (form,) = answer.context["inline_admin_formsets"][0].formset.forms
    rule = (
        "must be a name (orders), the beginning of one with a star behind it (orders.*), or * alone for all"
    )
    assert form.errors == {name: [f"{what} {rule}; it is “{given}”."]}
    assert "violated" not in answer.content.decode()
    assert not Scope.objects.filter(user=user).exists()


def test_an_administrator_writes_scopes_beside_the_account(db, admin_user_client):
    user = User.objects.create(username="ann", password="!")
    answer = written(admin_user_client, user, event_type="orders.*")
    assert "Is it spelt right?" in answer.content.decode()
    admin_id = User.objects.get(username="admin").pk
    assert AuditEntry.objects.get(action="add scope", target=f"account:{user.pk}").actor == f"user:{admin_id}"


def test_the_head_of_each_page_says_what_one_sees(world, people, operator):
    assert "you see: billing.*, queue orders" in text_of(people["viewer"].get("/"))
    assert "you see:" not in text_of(operator.get("/"))
