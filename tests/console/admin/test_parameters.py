"""A list of the admin refuses unknown parameters: it shows and does no more than was requested."""

import html
import re

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User

from dlqconsole.operations.models import Operation

pytestmark = pytest.mark.usefixtures("no_worker")

LIST = "/admin/dlq_engine/deadletter/"
UNKNOWN = [
    "group=1", "reason=needle", "source=x", "until=2020-01-01", "payload.a=1", "payload__a=1", "no_such=1",
    "id=1", "pk=1", "id__exact=1", "status__exact=EXHAUSTED", "event_type=needle", "error_reason__regex=^n",
    "payload__icontains=needle", "headers__contains=x", "error_stacktrace__startswith=a", "_connector=OR",
    "attempt__worker=x", "e=1", "_popup=1", "_to_field=payload", "status=EXHAUSTED&status=PENDING",
    "type=needle&type=", "type=a%00", "q=%00", "since=never", "status=NONE",
]  # fmt: skip


@pytest.fixture
def many(letter) -> int:
    """One dead letter among others; its number."""
    for _ in range(5):
        letter()
    return letter("needle", {"a": 1}, status="EXHAUSTED", error_reason="needle: x")


@pytest.fixture
def lists(admin_user_client) -> dict[str, admin.ModelAdmin]:
    """Each list of the admin by its address; none is known before the addresses are."""
    admin_user_client.get("/admin/")
    found = {
        f"/admin/{model._meta.app_label}/{model._meta.model_name}/": shown
        for model, shown in admin.site._registry.items()
    }
    assert LIST in found
    return found


def select_all(client, query: str, number: int, action: str = "discard"):
    form = {"action": action, ACTION_CHECKBOX_NAME: [number], "reason": "tidying up", "select_across": "1"}
    return client.post(f"{LIST}?{query}", form | {"shown": "1"})


def test_select_all_never_widens_what_was_shown(admin_user_client, many, scorecard):
    widened = []
    for query in UNKNOWN:
        answers = admin_user_client.get(f"{LIST}?{query}"), select_all(admin_user_client, query, many)
        statuses = [
            answer.status_code == 400 and b"Nothing was changed." in answer.content for answer in answers
        ]
        widened += [] if all(statuses) and not Operation.objects.exists() else [query]
    scorecard("admin: addresses that would widen", tried=2 * len(UNKNOWN), broke=widened)


def test_an_export_of_all_is_refused_too(admin_user_client, many):
    assert select_all(admin_user_client, "group=1", many, "export").status_code == 400
    assert not Operation.objects.exists()


def test_the_sentence_names_what_is_wrong_and_what_there_is(admin_user_client, many):
    page = admin_user_client.get(LIST + "?payload__a=1&type=x").content.decode()
    assert "This list has no parameter “payload__a”. It has category, q, queue, since, status, type." in page
    assert "status is given twice" in admin_user_client.get(LIST + "?status=A&status=B").content.decode()


def test_what_a_list_offers_still_works(admin_user_client, many):
    for query in (
        "type=needle",
        "status=EXHAUSTED&q=needle",
        "since=1h&p=1",
        "all=",
        "o=1",
        "o=",
        "o=-2.1",
        "queue=&category=",
    ):
        assert admin_user_client.get(f"{LIST}?{query}").status_code == 200, query
    assert select_all(admin_user_client, "type=needle", many, "revive").status_code == 302
    assert Operation.objects.get().expected == 1


NO_PLACES = ["p=x", "p=", "p=0", "p=-1", "p=99999", "p=" + "9" * 30, "o=99", "o=-99", "o=x", "o=1.x", "o=--1"]


@pytest.mark.parametrize("query", NO_PLACES)
def test_no_list_passes_over_a_page_or_a_column_that_it_has_not(admin_user_client, lists, query):
    answers = {base: admin_user_client.get(f"{base}?{query}") for base in lists}
    assert [base for base, answer in answers.items() if answer.status_code != 400] == []
    assert "This list has no" in answers[LIST].content.decode()


@pytest.mark.parametrize(
    "address",
    ["dlq_engine/failuregroup/?error_category__isnull=x", "dlq_engine/failuregroup/?error_category=zzz",
     "dlq_engine/failuregroup/?error_category__exact=zzz", "dlq_engine/failuregroup/?error_category__exact=",
     "dlq_operations/operation/?kind__exact=zzz", "dlq_engine/message/?status__exact=zzz",
     "auth/user/?groups__id__exact=x", "auth/user/?groups__id__exact=" + "9" * 23,
     "auth/user/?groups__isnull=x", "auth/user/?is_staff__exact=2"],
)  # fmt: skip
def test_a_value_that_is_none_is_refused(admin_user_client, letter, address):
    letter()
    answer = admin_user_client.get("/admin/" + address)
    assert answer.status_code == 400
    assert "Nothing was changed." in answer.content.decode()


def test_what_a_refusal_says_there_is_can_be_asked_for(admin_user_client, lists, letter):
    """With all values that the bar beside the list offers; with any text, where it offers none."""
    letter()
    asked = []
    for base in lists:
        page = html.unescape(admin_user_client.get(base).content.decode())
        sentence = admin_user_client.get(base + "?no_such=1").content.decode()
        (named,) = re.findall(r"no parameter “no_such”. It has ([^.]*)\. Nothing", sentence)
        for name in named.split(", ") if named != "none" else []:
            matches = re.findall(rf'"\?{name}=([^&"]+)"', page)
            asked += [f"{base}?{name}={value}" for value in matches or ["x"]]
    assert len(asked) > 50
    assert [address for address in asked if admin_user_client.get(address).status_code != 200] == []


def test_no_column_of_any_list_is_a_lookup(admin_user_client, lists, letter, scorecard):
    """Each column of each table in the admin, by lookups that would tell what is in it, letter by letter."""
    letter()
    tried, told = 0, []
    for base, shown in lists.items():
        for column in shown.opts.fields:
            names = [f"{column.name}__{lookup}" for lookup in ("startswith", "regex", "gt")]
            tried += len(names)
            told += [base + name for name in names if shown.lookup_allowed(name, "a", None)]
        asked = f"{base}?{shown.opts.fields[-1].name}__regex=^a"
        told += [] if admin_user_client.get(asked).status_code == 400 else [asked]
    scorecard("admin: lookups on columns", tried=tried, broke=told)


def test_no_list_offers_a_link_that_it_refuses(admin_user_client, lists, letter):
    """Of the values of each filter it offers the last is tried."""
    letter()
    refused = []
    for base in lists:
        page = admin_user_client.get(base).content.decode()
        offered = [html.unescape(address) for address in re.findall(r'href="(\?[^"]*)"', page)]
        by_names = {frozenset(re.findall(r"[?&](\w+)=", each)): each for each in offered}
        tried = [base + each for each in by_names.values()]
        refused += [each for each in tried if admin_user_client.get(each).status_code != 200]
    assert refused == []


@pytest.mark.parametrize(
    "query", ["is_superuser__exact=1", "groups__id__exact=1", "q=a", "is_staff__exact=0"]
)
def test_the_filters_of_the_accounts_work(admin_user_client, query):
    assert admin_user_client.get(f"/admin/auth/user/?{query}").status_code == 200


@pytest.mark.parametrize(
    "query", ["password__startswith=md5", "groups__permissions=1", "is_staff__exact=x", "q=%00"]
)
def test_all_accounts_are_not_deleted_by_a_filter_that_is_none(admin_user_client, query):
    User.objects.create(username="bob")
    form = {"action": "delete_selected", "select_across": "1", "index": 0, "post": "yes"}
    people = list(User.objects.values_list("pk", flat=True))
    answer = admin_user_client.post(f"/admin/auth/user/?{query}", form | {ACTION_CHECKBOX_NAME: people})
    assert answer.status_code == 400
    assert User.objects.count() == 2


def test_a_row_has_no_filter(admin_user_client, many):
    assert admin_user_client.get(f"{LIST}{many}/change/?status=NONE").status_code == 200


@pytest.mark.parametrize("ticked", ["abc", "1.5", "9" * 23, "9" * 19, "-1", "", "\x00", "\u0663", "<b>"])
@pytest.mark.parametrize(
    ("page", "action"),
    [(LIST, "discard"), (LIST, "export"),
     ("/admin/auth/user/", "delete_selected"), ("/admin/auth/group/", "delete_selected")],
)  # fmt: skip
def test_what_is_no_row_cannot_be_ticked(admin_user_client, page, action, ticked):
    for reason in ({"reason": "tidying up"}, {}):
        form = {"action": action, ACTION_CHECKBOX_NAME: ["1", ticked]} | reason
        answer = admin_user_client.post(page, form)
        assert answer.status_code == 400
        assert "A ticked row has no valid number" in answer.content.decode()
        assert "Nothing was changed." in answer.content.decode()
    assert not Operation.objects.exists()
