"""Every address, role and method, enumerated from the resolver: a new page cannot be forgotten here."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from dlqconsole.engine.models import Queue
from dlqconsole.operations import kinds
from dlqconsole.operations.models import Operation
from tests.accounts import actor_of
from tests.console.access.answers import ACT, OPEN, POST_ONLY, READ, ROW, ROW_TO_CHANGE
from tests.of_features import merged

LINE = "addresses by roles and methods"
ACT_ON_ROWS = ACT  # the page on which a kind of operation is confirmed
# What a GET answers to nobody, a stranger, a viewer, an operator and an admin.
ADDRESSES: dict[str, tuple[int, ...]] = {
    **merged("ADDRESSES"),
    "overview": READ,
    "dead_letters": READ,
    "suggestions": READ,
    "palette": READ,
    "saved_views": (302, 403, 405, 405, 405),
    "find": (302, 403, 405, 405, 405),
    "operation_confirm": POST_ONLY,
    "export": POST_ONLY,
    "dead_letter": ROW,
    "dead_letter_raw": ROW,
    "dead_letter_edit": ROW_TO_CHANGE,
    "dead_letter_versions": ROW,
    "dead_letter_reveal": POST_ONLY,
    "queue_message_reveal": POST_ONLY,
    "recipes": POST_ONLY,
    "groups": READ,
    "group": ROW,
    "rules": READ,
    "rule_new": (302, 403, 403, 403, 200),
    "rule": ROW,
    "rule_switch": (302, 403, 403, 403, 404),
    "rule_delete": (302, 403, 403, 403, 404),
    "rule_move": (302, 403, 403, 403, 405),
    "handover": READ,
    "owner_rules": READ,
    "owner_rule": ROW,
    "owner_rule_move": (302, 403, 403, 403, 405),
    "operations": READ,
    "operation": ROW,
    "operation_cancel": POST_ONLY,
    "operation_export": ROW,
    "operation_items": ROW,
    "operation_full_speed": POST_ONLY,
    "operation_notice": ROW,
    "operation_pause": POST_ONLY,
    "operation_resume": ROW_TO_CHANGE,
    "operation_probe": POST_ONLY,
    "operation_approve": POST_ONLY,
    "operation_refuse": POST_ONLY,
    "operation_undo": POST_ONLY,
    "queues": READ,
    "queue_new": ACT,
    "queue": ROW,
    "queue_archive": ROW,
    "queue_messages": ROW,
    "queue_message": ROW,
    "queue_message_raw": ROW,
    "queue_message_due": ROW_TO_CHANGE,
    "queue_message_delete": ROW_TO_CHANGE,
    "queue_policy": ROW_TO_CHANGE,
    "queue_pause": ROW_TO_CHANGE,
    "queue_resume": ROW_TO_CHANGE,
    "queue_purge": ROW_TO_CHANGE,
    "queue_drop": (302, 403, 403, 403, 404),
    "schedules": READ,
    "breaker_hold": ACT,
    "breaker_resume": ACT,
    "schedule_run": ACT,
    "schedule_pause": ACT,
    "schedule_resume": ACT,
    "schedule_take_over": ACT,
    "policy_new": (302, 403, 403, 403, 200),
    "policy": ROW,
    "policy_delete": (302, 403, 403, 403, 404),
    "reports": READ,
    "report": ROW,
    "report-export": ROW,
    "runs": READ,
    "run": ROW,
    "run_new": ROW_TO_CHANGE,
    "run_cancel": POST_ONLY,
    "audit": READ,
    "audit_export": (302, 403, 405, 405, 405),
    "tokens": READ,
    "token_revoke": (302, 403, 405, 405, 405),
    "metrics": (401, 403, 200, 200, 200),
    "healthz": OPEN,
    "readyz": OPEN,
    "login": (200, 302, 302, 302, 302),
    "set_language": (405,) * 5,
    "logout": (302, 405, 405, 405, 405),
}
ARGUMENTS = {
    **merged("ARGUMENTS"),
    "dead_letter": [9],
    "dead_letter_raw": [9],
    "dead_letter_edit": [9],
    "dead_letter_versions": [9],
    "dead_letter_reveal": [9],
    "queue_message_reveal": ["none", 9],
    "group": [9],
    **{f"rule{what}": [9] for what in ("", "_switch", "_delete", "_move")},
    **{f"owner_rule{what}": [9] for what in ("", "_move")},
    "policy": [9],
    "policy_delete": [9],
    "operation": [9],
    "run": [9],
    "run_new": ["nothing"],
    "run_cancel": [9],
    "token_revoke": [9],
    "operation_cancel": [9],
    "operation_export": [9],
    "operation_items": [9],
    "operation_full_speed": [9],
    "operation_notice": [9],
    "operation_pause": [9],
    "operation_resume": [9],
    "operation_probe": [9],
    "operation_approve": [9],
    "operation_refuse": [9],
    "operation_undo": [9],
    "report": ["none"],
    "report-export": ["none", "csv"],
    "queue_message": ["none", 9],
    "queue_message_raw": ["none", 9],
    "queue_message_due": ["none", 9],
    "queue_message_delete": ["none", 9],
    **{
        f"queue{what}": ["none"]
        for what in ("", "_archive", "_messages", "_policy", "_pause", "_resume", "_purge", "_drop")
    },
}
# What a POST answers to the same five; everything else refuses the method.
POSTS = {
    **merged("POSTS"),
    "saved_views": (302, 403, 302, 302, 302),
    "find": (302, 403, 302, 302, 302),
    "dead_letter_edit": ROW_TO_CHANGE,
    "dead_letter_versions": ROW_TO_CHANGE,
    "dead_letter_reveal": (302, 403, 403, 404, 404),
    "queue_message_reveal": (302, 403, 403, 404, 404),
    "recipes": (302, 403, 403, 302, 302),
    "operation_confirm": (302, 403, 403, 302, 302),
    "export": (302, 403, 403, 302, 302),
    "audit_export": (302, 403, 302, 302, 302),
    "operations": (302, 403, 403, 302, 302),
    "operation_cancel": (302, 403, 403, 404, 404),
    "run_new": (302, 403, 403, 404, 404),
    "run_cancel": (302, 403, 403, 404, 404),
    "operation_full_speed": (302, 403, 403, 404, 404),
    "operation_pause": (302, 403, 403, 404, 404),
    "operation_resume": ROW_TO_CHANGE,
    "operation_probe": (302, 403, 403, 404, 404),
    "operation_approve": (302, 403, 403, 404, 404),
    "operation_refuse": (302, 403, 403, 404, 404),
    "operation_undo": (302, 403, 403, 404, 404),
    "group": ROW_TO_CHANGE,
    "rule_new": (302, 403, 403, 403, 422),
    "rule": (302, 403, 403, 403, 404),
    "rule_switch": (302, 403, 403, 403, 404),
    "rule_delete": (302, 403, 403, 403, 404),
    "rule_move": (302, 403, 403, 403, 404),
    "owner_rules": (302, 403, 403, 403, 422),
    "owner_rule": (302, 403, 403, 403, 404),
    "owner_rule_move": (302, 403, 403, 403, 302),
    "breaker_hold": (302, 403, 403, 422, 422),
    "breaker_resume": (302, 403, 403, 422, 422),
    "schedule_run": (302, 403, 403, 422, 422),
    "schedule_pause": (302, 403, 403, 422, 422),
    "schedule_resume": (302, 403, 403, 422, 422),
    "schedule_take_over": (302, 403, 403, 422, 422),
    "policy_new": (302, 403, 403, 403, 422),
    "policy": (302, 403, 403, 403, 404),
    "policy_delete": (302, 403, 403, 403, 404),
    "queue_new": (302, 403, 403, 422, 422),
    "queue_policy": ROW_TO_CHANGE,
    "queue_pause": ROW_TO_CHANGE,
    "queue_resume": ROW_TO_CHANGE,
    "queue_message_due": ROW_TO_CHANGE,
    "queue_message_delete": ROW_TO_CHANGE,
    "queue_drop": (302, 403, 403, 403, 404),
    "tokens": (302, 403, 422, 422, 422),
    "token_revoke": ROW,
    "login": (200, 302, 302, 302, 302),
    "set_language": (302,) * 5,
    "logout": (302, 302, 302, 302, 302),
}


def names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                yield from names(pattern.url_patterns)
        else:
            yield pattern.name or str(pattern)


def address(name: str) -> str:
    prefix = "" if name in ("login", "logout", "set_language") else "dlq:"
    return reverse(f"{prefix}{name}", args=ARGUMENTS.get(name, []))


@pytest.fixture
def cast(client, stranger, viewer, operator, admin_user_client) -> list[Client]:
    return [client, stranger, viewer, operator, admin_user_client]


def test_every_address_is_in_the_table():
    assert set(names(get_resolver().url_patterns)) == set(ADDRESSES)


def test_every_address_that_names_something_has_something_to_name():
    for name in ADDRESSES:
        try:
            address(name)
        except NoReverseMatch:
            pytest.fail(f"ARGUMENTS has none for the address {name}")


def answers(cast: list[Client], method: str) -> dict[str, tuple[int, ...]]:
    """The status of each address for each person; /logout/ is the last, because it ends their sessions."""
    assert list(ADDRESSES)[-1] == "logout"
    return {
        name: tuple(getattr(person, method)(address(name)).status_code for person in cast)
        for name in ADDRESSES
    }


def test_get_answers_each_role_as_the_table_says(cast, scorecard):
    found = answers(cast, "get")
    others = [(name, found[name]) for name in ADDRESSES if found[name] != ADDRESSES[name]]
    scorecard(LINE, tried=len(found) * len(cast), broke=others)


def test_post_answers_each_role_as_the_table_says(cast, scorecard):
    found = answers(cast, "post")
    others = [(name, found[name]) for name in POSTS if found[name] != POSTS[name]]
    refused = {name: found[name] for name in ADDRESSES if name not in POSTS}
    others += [pair for pair in refused.items() if not set(pair[1]) <= {302, 403, 405} or pair[1][-1] != 405]
    scorecard(LINE, tried=len(found) * len(cast), broke=others)


def test_no_other_method_does_anything(cast, scorecard):
    may_look = cast[2:]  # the others are stopped before a method is looked at
    methods = ("put", "delete", "trace")
    found = [(method, name, got) for method in methods for name, got in answers(may_look, method).items()]
    others = [case for case in found if not set(case[2]) <= {302, 401, 403, 404, 405}]
    scorecard(LINE, tried=len(found) * len(may_look), broke=others)


def answers_by_kind(cast: list[Client]) -> dict[str, tuple[int, ...]]:
    """The status of each kind's confirm page for each role."""
    form = {"scope": "all", "filter": ""}
    return {
        kind.name: tuple(
            person.post(address("operation_confirm"), form | {"kind": kind.name}).status_code
            for person in cast
        )
        for kind in kinds.asked_for()
    }


def test_every_kind_of_operation_is_for_those_who_may_change_things(cast):
    found = answers_by_kind(cast)
    assert found == dict.fromkeys(found, ACT_ON_ROWS)
    assert "revive" in found


def test_the_purge_of_a_queue_is_for_those_who_may_change_things(cast):
    Queue.objects.create(name="orders")
    form = {"kind": "purge_queue", "scope": "queue", "of_queue": "orders", "up_to": 9, "request_key": uuid4()}
    asks = form | {"reason": "x", "expected": 0, "typed_count": 0}
    pages = [person.get("/queues/orders/purge/").status_code for person in cast]
    assert tuple(pages) == ACT_ON_ROWS
    for path, fields in (("operation_confirm", form), ("operations", asks)):
        statuses = [person.post(address(path), fields).status_code for person in cast]
        assert statuses[:3] == [302, 403, 403], path
    assert Operation.objects.values_list("actor", flat=True).get() == actor_of("operator")


@pytest.mark.parametrize("name", ["dead_letters", "overview"])
def test_htmx_without_a_session_is_told_to_sign_in_as_a_whole_page(client, name):
    answer = client.get(address(name), headers={"HX-Request": "true"})
    assert answer.status_code == 401
    assert answer["HX-Redirect"] == "/login/"


def test_refusal_says_why(stranger, viewer):
    may_look = "<h1>You may look, but not do this</h1>"
    page = stranger.get("/dead-letters/").content.decode()
    assert "no role here yet" in page
    assert ("<h1>You have no role here</h1>" in page, may_look in page) == (True, False)
    page = viewer.post("/operations/").content.decode()
    assert "signed in as viewer" in page
    assert may_look in page


def test_forms_from_other_sites_are_refused(operator, admin_user_client, scorecard):
    """To every address that takes a form, by whoever is signed in, with what another site can send."""
    admins = ("/admin/auth/user/add/", "/admin/logout/", "/admin/dlq_engine/deadletter/")
    # what knows no cookies, or is not there, takes no form
    forms = [*(address(name) for name in POSTS if not set(POSTS[name]) <= {401, 404}), *admins]
    # another site can make a browser send its cookies, and a token of its own making
    tries: list[dict[str, Any]] = [
        {},
        {"data": {"csrfmiddlewaretoken": "x" * 64}},
        {"headers": {"X-CSRFToken": "y" * 32}},
        {"headers": {"Origin": "https://evil.example"}},
        {"headers": {"Origin": "null", "HX-Request": "true"}},
    ]
    taken = []
    for person in (operator, admin_user_client):
        strict = Client(enforce_csrf_checks=True)
        strict.cookies = person.cookies
        for form in forms:
            taken += [(form, given) for given in tries if strict.post(form, **given).status_code != 403]
    scorecard("posts from other sites", tried=2 * len(forms) * len(tries), broke=taken)


@pytest.mark.parametrize("role", ["stranger", "viewer", "operator"])
def test_admin_pages_are_for_administrators(role, request):
    answer = request.getfixturevalue(role).get("/admin/dlq_engine/deadletter/")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/admin/login/")
