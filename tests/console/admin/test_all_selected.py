"""“All N selected” in the admin is an operation on the N that its page showed, and on no more in silence."""

import re

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME

from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.models import Operation

pytestmark = pytest.mark.usefixtures("no_worker")

LIST = "/admin/dlq_engine/deadletter/?type=a"


@pytest.fixture
def sixty(letter) -> None:
    for _ in range(60):
        letter("a")
    letter("b")


def number_on(client, page: str = LIST) -> str:
    """The number that the list posts as the one it showed."""
    (value,) = re.findall(
        r'<input type="hidden" name="shown" value="([^"]*)"', client.get(page).content.decode()
    )
    return value


def select_all(client, action: str, page: str = LIST, **fields):
    first = DeadLetter.objects.values_list("pk", flat=True).first()
    form = {"action": action, ACTION_CHECKBOX_NAME: [first], "reason": "tidying up", "select_across": "1"}
    return client.post(page, form | fields)


def confirm(client, answer, **typed):
    """Send the console's page as it was answered."""
    page = answer.context["preview"]
    fields = {"kind": page["kind"], "request_key": answer.context["request_key"], "reason": "tidying up"}
    return client.post(
        page["action_url"], fields | {name: str(value) for name, value in page["hidden"]} | typed
    )


def test_the_number_of_the_page_is_the_one_on_the_receipt(admin_user_client, sixty):
    assert "Select all 60 dead letters" in admin_user_client.get(LIST).content.decode()
    answer = select_all(admin_user_client, "revive", shown=number_on(admin_user_client))
    operation = Operation.objects.get()
    assert answer["Location"] == f"/operations/{operation.pk}/"
    assert (operation.expected, operation.expected_exact) == (60, True)


@pytest.mark.parametrize("query", ["?type=a", "?type=a&q=E"])
def test_more_than_were_shown_are_confirmed_first(admin_user_client, sixty, letter, query):
    page = LIST.partition("?")[0] + query
    shown = number_on(admin_user_client, page)
    for _ in range(40):
        letter("a")
    answer = select_all(admin_user_client, "revive", page, shown=shown)
    text = answer.content.decode()
    assert not Operation.objects.exists()
    assert "The list showed 60 dead letters; 100 match now. Nothing was asked for yet" in text
    assert answer.context["form"]["reason"].value() == "tidying up"
    receipt = confirm(admin_user_client, answer)
    operation = Operation.objects.get()
    assert receipt["Location"] == f"/operations/{operation.pk}/"
    assert (operation.scope, operation.filter["q"][:6], operation.expected) == ("filter", "type:a", 100)


def test_fewer_than_were_shown_are_confirmed_first(admin_user_client, sixty):
    answer = select_all(admin_user_client, "revive", shown="61")
    assert "The list showed 61 dead letters; 60 match now." in answer.content.decode()
    assert not Operation.objects.exists()


def test_where_the_console_has_the_count_typed_so_it_is_here(admin_user_client, sixty):
    answer = select_all(admin_user_client, "discard", shown="60")
    assert "All 60 that match are meant, so the count is typed." in answer.content.decode()
    assert confirm(admin_user_client, answer).status_code == 422
    assert not Operation.objects.exists()
    assert confirm(admin_user_client, answer, typed_count="60").status_code == 302
    assert Operation.objects.get().kind == "discard"


def test_who_is_alone_types_the_count_of_many(admin_user_client, sixty, settings):
    settings.DLQ_FOUR_EYES_ABOVE = 59
    answer = select_all(admin_user_client, "revive", shown="60")
    assert "so the count is typed" in answer.content.decode()
    confirm(admin_user_client, answer, typed_count="60")
    assert Operation.objects.get().alone_up_to == 60


def test_many_wait_for_a_second_person_where_there_is_one(admin_user_client, sixty, settings, operator):
    settings.DLQ_FOUR_EYES_ABOVE = 59
    assert select_all(admin_user_client, "revive", shown="60").status_code == 302
    assert Operation.objects.get().alone_up_to == 59


@pytest.mark.parametrize(
    "fields", [{}, {"shown": ""}, {"shown": "sixty"}, {"shown": "-1"}, {"shown": "9" * 30}]
)
def test_a_form_without_the_number_is_refused(admin_user_client, sixty, fields):
    answer = select_all(admin_user_client, "revive", **fields)
    assert answer.status_code == 400
    assert "lost the number of dead letters that it showed" in answer.content.decode()
    assert not Operation.objects.exists()


@pytest.mark.parametrize("across", ["true", "yes", "2", "\x00"])
def test_nobody_guesses_whether_all_are_meant(admin_user_client, sixty, across):
    answer = select_all(admin_user_client, "revive", shown="60", select_across=across)
    assert answer.status_code == 400
    assert "select_across cannot be" in answer.content.decode()
    assert not Operation.objects.exists()
