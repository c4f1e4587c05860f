"""A kind of operation is one file: this one stands nowhere else, and is found everywhere."""

from uuid import uuid4

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.management import CommandError, call_command

from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import TABS, Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import RATE, Option
from dlqconsole.operations.requests import controls
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.fields import Switch, Text, WholeNumber
from tests.console.access.test_access import ACT_ON_ROWS, answers_by_kind
from tests.operations.conftest import counts, statuses, work

pytestmark = pytest.mark.django_db(transaction=True)


class Park(Kind):
    """Take them off the schedule: nobody but a person goes on with them."""

    name, label, icon = "park", "Park", "stop"
    brief, explains = "take off the schedule", "The schedule leaves them alone from now on."
    past, does, undone = "parked", "takes off the schedule", "fully"
    takes, leaves = (S.PENDING,), S.DISCARDED
    options = (
        RATE,
        Option(
            field=Text(
                name="for_ticket",
                label="For the ticket",
                help="the ticket that says why",
                metavar="T",
                is_required=False,
                limit=100,
            ),
            words=lambda ticket: f"for {ticket}" if ticket else "",
        ),
    )
    statement, undo_statement = sql("pages.move"), sql("undoing.move")
    more_on, on_group, on_letter, in_admin = TABS, True, (S.PENDING,), True

    def values(self, options):
        return {"target": str(S.DISCARDED)}


@pytest.fixture(autouse=True)
def park():
    yield kinds.register(Park())
    kinds.forget("park")


def confirmed(operator, **fields):
    form = {"kind": "park", "scope": "all", "filter": "", "reason": "a test", "request_key": uuid4()}
    operator.post("/operations/", form | fields)
    return Operation.objects.latest("id")


def test_it_stands_on_the_menu_of_the_list_with_its_number(operator, letter):
    letter(), letter(), letter(status="DISCARDED")
    text = operator.get("/dead-letters/").content.decode()
    assert '<button name="kind" value="park"' in text
    assert 'data-bulk="PENDING" data-matching-words="2"' in text


def test_it_stands_on_the_group_page_with_its_number(operator, letter):
    letter(), letter(), letter(status="EXHAUSTED")
    group = DeadLetter.objects.first().group_id
    assert "Park 2…" in operator.get(f"/groups/{group}/").content.decode()


def test_it_stands_on_a_dead_letters_page(operator, letter):
    page = operator.get(f"/dead-letters/{letter()}/")
    assert "park" in [action["kind"].name for action in page.context["actions"]]


def test_the_confirm_page_has_its_sentence_its_option_and_its_number(operator, letter):
    letter(), letter(status="DISCARDED")
    answer = operator.post("/dead-letters/operations/", {"kind": "park", "scope": "all", "filter": ""})
    text = " ".join(answer.content.decode().split())
    assert "The schedule leaves them alone from now on." in text
    assert '<label for="confirm-for_ticket">For the ticket</label>' in text
    assert "Park 1 </button>" in text
    assert "DISCARDED: restore it first" in text


def test_the_command_line_knows_it_and_its_option(letter, capsys):
    letter()
    with pytest.raises(SystemExit):
        call_command("deadletters", "--help")
    assert "--for-ticket T" in capsys.readouterr().out
    call_command("deadletters", "park", "--all", "--for-ticket", "OPS-7", "--because", "x")
    assert Operation.objects.get().parameters == {"for_ticket": "OPS-7"}


class Spread(Park):
    """The same, with options that belong together."""

    name, label = "spread", "Spread"
    hours = WholeNumber(name="hours", label="Hours", help="h", is_required=False, low=1, high=9, nothing=3)
    options = (Option(field=Switch(name="spread", label="Spread", help="spread them"), parts=(hours,)),)


@pytest.fixture
def spread():
    yield kinds.register(Spread())
    kinds.forget("spread")


def test_a_group_of_its_options_takes_no_number(spread, letter, capsys):
    letter()
    with pytest.raises(CommandError, match="unrecognized arguments: 5"):
        call_command("deadletters", "spread", "--all", "--spread", "5", "--because", "a test")
    call_command("deadletters", "spread", "--all", "--spread", "--because", "a test")
    assert Operation.objects.get().parameters["spread"] == {"hours": 3}
    assert capsys.readouterr().err == ""


def test_the_admin_offers_it_as_an_action(admin_user_client, letter):
    one = letter()
    address = "/admin/dlq_engine/deadletter/"
    assert "Park: take off the schedule" in admin_user_client.get(address).content.decode()
    data = {"action": "park", ACTION_CHECKBOX_NAME: [one], "reason": "a test", "select_across": "0"}
    admin_user_client.post(address, data)
    assert (Operation.objects.get().kind, Operation.objects.get().ids) == ("park", [one])


def test_it_is_done_and_the_receipt_says_so(operator, letter):
    letter(), letter(), letter(status="EXHAUSTED")
    operation = confirmed(operator, for_ticket="OPS-7")
    work()
    assert counts(operation) == ("completed", 3, 2, 1, 0)
    assert statuses() == {"EXHAUSTED": 1, "DISCARDED": 2}
    text = operator.get(f"/operations/{operation.pk}/").content.decode()
    for words in ("Park", "for OPS-7", "2 parked", "Undo 2"):
        assert words in text


def test_who_was_faster_is_named(operator, letter):
    letter()
    first = confirmed(operator)
    work()
    second = confirmed(operator)
    work()
    reasons = operator.get(f"/operations/{second.pk}/").context["outcomes"]
    assert [each.reason for each in reasons] == [f"is DISCARDED: restore it first (operation {first.pk})"]


def test_it_can_be_taken_back(operator, letter):
    letter()
    operation = confirmed(operator)
    work()
    undoing = controls.undo(operation.pk, "ann", "a mistake", uuid4())
    work()
    assert counts(undoing) == ("completed", 1, 1, 0, 0)
    assert statuses() == {"PENDING": 1}


def test_the_matrix_of_access_has_it(client, stranger, viewer, operator, admin_user_client, letter):
    letter()
    answers = answers_by_kind([client, stranger, viewer, operator, admin_user_client])
    assert answers["park"] == ACT_ON_ROWS


def test_the_model_takes_its_name_and_no_other(operator, letter):
    letter()
    operation = confirmed(operator)
    kind = operation._meta.get_field("kind")
    assert ("park", "Park") in kind.flatchoices
    assert "erase" not in dict(kind.flatchoices)
