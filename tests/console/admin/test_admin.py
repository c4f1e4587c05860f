"""The admin looks at everything, writes nothing itself, and its bulk actions are the console's operations."""

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME

from dlqconsole.engine.models import AuditEntry, DeadLetter, Message, Queue
from dlqconsole.operations.models import Operation

pytestmark = pytest.mark.usefixtures("no_worker")

LIST = "/admin/dlq_engine/deadletter/"


def act(client, action: str, ids: list[int], query: str = "", **fields):
    data = {"action": action, ACTION_CHECKBOX_NAME: ids, "reason": "tidying up", "select_across": "0"}
    return client.post(LIST + query, data | fields)


@pytest.mark.parametrize("action", ["retry", "revive", "discard", "restore", "reclassify", "export"])
def test_action_on_ticked_rows_is_an_audited_operation(admin_user_client, letter, action):
    one = letter()
    answer = act(admin_user_client, action, [one])
    operation = Operation.objects.get()
    assert answer["Location"] == f"/operations/{operation.pk}/"
    assert (operation.kind, operation.ids, operation.reason) == (action, [one], "tidying up")
    assert AuditEntry.objects.get().action == f"request {action}"


def test_action_on_all_is_the_filter_that_the_list_shows(admin_user_client, letter):
    one, _other = letter("a"), letter("b")
    act(admin_user_client, "revive", [one], query="?type=a&status=PENDING", select_across="1", shown="1")
    operation = Operation.objects.get()
    assert (operation.scope, operation.filter) == ("filter", {"q": "type:a status:PENDING"})
    assert operation.expected == 1


def test_many_need_a_second_person_here_too(admin_user_client, letter, settings):
    settings.DLQ_FOUR_EYES_ABOVE = 1
    one, other = letter(), letter()
    act(admin_user_client, "discard", [one, other])
    operation = Operation.objects.get()
    assert operation.alone_up_to == 1
    assert DeadLetter.objects.filter(status="PENDING").count() == 2


def test_action_without_a_reason_does_nothing_and_says_so(admin_user_client, letter):
    answer = act(admin_user_client, "discard", [letter()], reason=" ")
    assert not Operation.objects.exists()
    assert "Say why" in admin_user_client.get(answer["Location"]).content.decode()


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [("x" * 2001, "The reason has 2,001 characters; the limit is 2,000."),
     ("a\x00b", "The reason holds a character that cannot be stored.")],
)  # fmt: skip
def test_it_is_said_what_is_wrong_with_a_reason(admin_user_client, letter, reason, sentence):
    answer = act(admin_user_client, "discard", [letter()], reason=reason)
    assert not Operation.objects.exists()
    page = admin_user_client.get(answer["Location"]).content.decode()
    assert sentence in page
    assert "No action selected" not in page


def test_a_reason_of_two_thousand_characters_is_kept(admin_user_client, letter):
    act(admin_user_client, "discard", [letter()], reason="x" * 2000)
    assert Operation.objects.get().reason == "x" * 2000
    assert 'name="reason" maxlength="2000"' in admin_user_client.get(LIST).content.decode()


@pytest.mark.parametrize(
    ("query", "found"),
    [("?status=EXHAUSTED", 1), ("?category=BUSINESS", 1), ("?type=b", 1), ("?queue=q", 1), ("?q=needle", 1),
     ("?since=1h", 3), ("", 3)],
)  # fmt: skip
def test_list_filters_mean_what_the_console_means(admin_user_client, letter, query, found):
    letter("a", status="EXHAUSTED", error_category="BUSINESS")
    letter("b", error_reason="needle: 7")
    letter("c", queue="q")
    assert admin_user_client.get(LIST + query).context["cl"].result_count == found


@pytest.mark.parametrize(
    "query", ["?status=NONE", "?q=%00", "?since=never", "?payload__a=1", "?p=9999999999"]
)
def test_junk_in_the_list_is_an_answer(admin_user_client, letter, query):
    letter()
    assert admin_user_client.get(LIST + query).status_code in (200, 400)


def test_nothing_can_be_added_changed_or_deleted(admin_user_client, letter):
    letter()
    Message.objects.create(queue="q", payload={})
    Queue.objects.create(name="q")
    # not known before the addresses are: a list made when tests are collected would be empty
    models = [model for model in admin.site._registry if model._meta.app_label != "auth"]
    assert DeadLetter in models
    for model in models:
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert admin_user_client.get(base).status_code == 200, base
        assert admin_user_client.get(base + "add/").status_code == 403, base
        row = model.objects.first()
        if row is not None:
            assert admin_user_client.get(f"{base}{row.pk}/change/").status_code == 200, base
            assert admin_user_client.post(f"{base}{row.pk}/change/", {}).status_code == 403, base
            assert admin_user_client.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403, base


def test_delete_is_no_action(admin_user_client, letter):
    one = letter()
    act(admin_user_client, "delete_selected", [one])
    assert DeadLetter.objects.filter(pk=one).exists()


@pytest.mark.parametrize("page", ["/admin/", LIST, "/admin/auth/user/", "/admin/auth/user/add/"])
def test_pages_need_no_inline_script_or_style(admin_user_client, letter, page):
    letter()
    answer = admin_user_client.get(page)
    text = answer.content.decode()
    assert "unsafe-inline" not in answer["Content-Security-Policy"]
    assert "<style" not in text
    assert " onclick=" not in text
    assert " style=" not in text
    for script in text.split("<script")[1:]:
        head = script.partition(">")[0]
        assert "src=" in head or "application/json" in head or "importmap" in head


def test_number_of_queries_does_not_grow_with_the_rows(
    admin_user_client, letter, django_assert_max_num_queries
):
    for _ in range(30):
        letter()
    with django_assert_max_num_queries(12):
        admin_user_client.get(LIST)
