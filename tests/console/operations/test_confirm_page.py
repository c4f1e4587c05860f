"""The confirm page: what would happen, to how many, by which options, and who else has to agree."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter, FailureGroup, QueueActivity
from dlqconsole.operations.kinds import revive
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import preview as previews
from dlqconsole.processing.inputs.plain_text import REASON_LIMIT
from dlqconsole.runs import service
from dlqconsole.transports.models import AttachedQueue
from tests.of_features import all_of, merged
from tests.security.scoped_world import limited
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("no_worker")

CONFIRM, CREATE = "/dead-letters/operations/", "/operations/"


@pytest.fixture
def second_person(db):
    """Somebody else who may approve."""
    User.objects.create(username="other").groups.add(Group.objects.get(name="operator"))


def asked(**fields: object) -> dict:
    return {"kind": "revive", "scope": "all", "filter": ""} | fields


def confirmed(**fields: object) -> dict:
    return asked(reason="the deploy fixed it", request_key=uuid4(), expected=1) | fields


def text_of(answer) -> str:
    return " ".join(answer.content.decode().split())


def test_all_is_what_the_filter_matches_and_nothing_else(operator, letter):
    """Negative probe: a filtered view whose “all” touches unfiltered rows. No key of a row is ever posted."""
    letter("a"), letter("a"), letter("b")
    page = operator.post(CONFIRM, asked(filter="type=a&status=PENDING"))
    assert "All 2 matching" in text_of(page)
    assert page.context["preview"]["words"] == ["type is a", "status is PENDING"]
    assert ("filter", "q=type:a+status:PENDING") in page.context["preview"]["hidden"]
    assert 'name="ids"' not in page.content.decode()
    operator.post(CREATE, confirmed(filter="type=a&status=PENDING", expected=2))
    operation = Operation.objects.get()
    assert (operation.scope, operation.ids) == ("filter", [])
    assert operation.filter == {"q": "type:a status:PENDING"}


def test_the_page_fixes_an_age_so_that_its_number_is_what_is_done(operator, letter):
    letter("a")
    page = operator.post(CONFIRM, asked(filter="q=type:a+since:24h"))
    fixed = str(dict(page.context["preview"]["hidden"])["filter"])
    assert re.fullmatch(r"q=type:a\+since:20[-0-9]+T[0-9:.]+%2B00:00", fixed)
    assert fixed.replace("%2B", "+")[2:] not in text_of(operator.get("/dead-letters/?q=type:a+since:24h"))
    operator.post(CREATE, confirmed(filter=fixed))
    kept = DeadLetterFilter.from_canonical(Operation.objects.get().filter)
    assert kept.querystring == fixed


def test_the_way_back_is_the_list_as_the_person_wrote_it(operator, letter):
    """Also after a recount and a refusal, for ticked rows, and from the page of a recipe."""
    listed = "q=type:a+since:24h&sort=-tries&columns=type"
    one, two = letter("a"), letter("a")
    ticked = {"scope": "page", "ids": [one, two]}
    for fields in ({}, ticked, {"scope": "page", "ids": [one]}):
        page = operator.post(CONFIRM, asked(filter=listed, **fields))
        again = operator.post(CREATE, confirmed(**dict(page.context["preview"]["hidden"]) | {"reason": ""}))
        for answer in (page, again):
            assert answer.context["preview"]["back_url"] == f"/dead-letters/?{listed}"
    recipe = operator.post("/dead-letters/recipes/", {"filter": listed, **ticked})
    assert recipe.context["back_url"] == f"/dead-letters/?{listed}"
    page = operator.post(CONFIRM, {"kind": "revive", "scope": "page", "ids": [one]})
    assert page.context["preview"]["back_url"] == f"/dead-letters/{one}/"


def test_a_group_is_named_by_its_title_and_stored_by_its_number(operator, letter):
    """A shown title goes with a purge; a stored filter has no words of it."""
    title = "Lost: no account for "
    number = DeadLetter.objects.get(pk=letter("a", error_reason=f"{title}ann@example.com")).group_id
    FailureGroup.objects.filter(pk=number).update(message=f"{title}ann@example.com")
    over = {"filter": f"group={number}"}
    page = text_of(operator.post(CONFIRM, asked(**over)))
    for shown in (page, text_of(operator.get(f"/dead-letters/?group={number}"))):
        assert f"“{title}‹email›”" in shown
        assert "ann@example.com" not in shown
    assert f"group is {number}" not in page
    operator.post(CREATE, confirmed(**over))
    operation = Operation.objects.get()
    assert operation.filter_words == f"group is {number}"
    for address in (f"/operations/{operation.pk}/", "/operations/"):
        assert f"group is “{title}‹email›”" in text_of(operator.get(address))
    FailureGroup.objects.all().delete()
    assert f"group is {number}" in text_of(operator.get(f"/operations/{operation.pk}/"))


def test_a_group_out_of_reach_keeps_its_title_to_itself(operator, letter):
    number = DeadLetter.objects.get(pk=letter("a", queue="q", error_reason="Lost: no account")).group_id
    assert "no account" in text_of(operator.post(CONFIRM, asked(filter=f"group={number}")))
    unseen = limited("operator", [("other", "*")])
    page = text_of(unseen.post(CONFIRM, asked(filter=f"group={number}")))
    assert "no account" not in page
    assert f"group is {number}" in page


@pytest.mark.parametrize(
    ("fields", "needs"),
    [
        ({"kind": "replay"}, True),
        ({"kind": "retry"}, False),
        *all_of("ON_SPARK"),
    ],
)
def test_what_runs_on_spark_says_that_nobody_is_there_to_begin_it(operator, letter, fields, needs):
    letter()
    page = text_of(operator.post(CONFIRM, asked(**fields)))
    assert ("No worker that starts runs has been heard of in two minutes" in page) is needs
    assert (service.starter_command() in page) is needs
    # choosing it asks for the page anew
    on_spark = re.search(r'<input[^>]*name="on_spark"[^>]*>', page)
    assert on_spark is None or "hx-post" in on_spark[0]


def test_the_button_carries_its_count_and_the_rest_its_reasons(operator, letter):
    """Rules 3 and 6."""
    letter(), letter(), letter(status="DISCARDED")
    text = text_of(operator.post(CONFIRM, asked()))
    assert "Revive 2 </button>" in text
    assert "1 — DISCARDED: is DISCARDED: restore it first" in text


def test_the_number_to_type_is_the_number_on_the_button(operator, letter):
    """Not that of all selected, some of which are skipped; with its comma or without."""
    letter(), letter(status="DISCARDED"), letter(status="SUCCEEDED")
    page = operator.post(CONFIRM, asked(kind="discard"))
    assert "Type 1 to show that you mean all of them" in text_of(page)
    assert "Discard 1 </button>" in text_of(page)
    form = confirmed(kind="discard", **dict(page.context["preview"]["hidden"]))
    refused = operator.post(CREATE, form | {"typed_count": "3"})
    assert refused.context["errors"] == ["Type 1 to confirm that all of them are meant."]
    assert operator.post(CREATE, form | {"typed_count": "1"}).status_code == 302
    many = {"kind": "discard", "expected": 2200, "acts_on": 1320}
    refused = operator.post(CREATE, confirmed(**many, typed_count="2200"))
    assert refused.context["errors"] == ["Type 1,320 to confirm that all of them are meant."]
    for typed in ("1,320", "1320"):
        assert operator.post(CREATE, confirmed(**many, typed_count=typed)).status_code == 302


def test_it_says_what_the_rows_consist_of(operator, letter):
    for order in (7, 7, 8):
        letter("order.created", {"order_id": order}, group_key=f"k{order}")
    text = text_of(operator.post(CONFIRM, asked()))
    assert "2 share 1 key" in text
    assert "under 1 h" in text
    assert "completed nothing in the last day" in text


def test_how_long_it_takes_is_measured_or_not_known(operator, letter):
    letter(queue="orders")
    text = text_of(operator.post(CONFIRM, asked()))
    assert "unknown: none like it has been measured yet" in text
    assert "at least 1 s at this rate" in text_of(operator.post(CONFIRM, asked(rate="10")))
    minute = timezone.now().replace(second=0, microsecond=0) - timedelta(minutes=1)
    QueueActivity.objects.create(queue="orders", minute=minute, completed=2)
    text = text_of(operator.post(CONFIRM, asked()))
    assert "at most 30 s: their consumers did 120 an hour lately, or had no more to do" in text
    AttachedQueue.objects.create(name="pgmq:bills", transport="pgmq", remote_name="bills")
    letter(queue="pgmq:bills")
    text = text_of(operator.post(CONFIRM, asked()))
    assert "How soon they are handled is not known" in text


def test_a_slow_count_does_not_keep_anybody_from_acting(operator, letter, monkeypatch):
    """Rule 8, and the negative probe “a slow count blocking the action”."""
    letter()
    monkeypatch.setattr(previews, "COUNT_BUDGET_MS", 0)
    page = operator.post(CONFIRM, asked())
    text = text_of(page)
    assert "All 1 or more matching" in text
    assert "≈" not in text
    assert "Counting exactly takes too long: there may be more." in text
    assert "estimate" not in text, "it was counted as far as the time went"
    assert '<button class="btn primary">' in text
    answer = operator.post(
        CREATE, confirmed(expected=page.context["preview"]["count"], expected_exact="False")
    )
    assert answer.status_code == 302
    assert not Operation.objects.get().expected_exact


@pytest.mark.usefixtures("admin_user_client")
def test_where_all_cannot_be_counted_it_still_says_that_a_second_person_approves(
    operator, letter, monkeypatch, settings
):
    """By the kept count of the list: the first thousand alone needed nobody."""
    for _number in range(3):
        letter()
    settings.DLQ_FOUR_EYES_ABOVE = 2
    monkeypatch.setattr(previews, "COUNT_BUDGET_MS", 0)
    monkeypatch.setattr(previews, "LEAST", 1)
    text = text_of(operator.post(CONFIRM, asked()))
    assert "All 3 or more matching" in text
    assert "A second person has to approve: these are more than 2" in text


def test_options_reach_the_operation(operator, letter):
    letter()
    operator.post(
        CREATE,
        confirmed(
            rate="200", undo_seconds="90", to_queue="slow", no_order="on", canary="on", canary_probes="7",
            canary_threshold="25", canary_watch_seconds="15",
        ),
    )  # fmt: skip
    operation = Operation.objects.get()
    assert operation.rate == 200
    assert operation.parameters == {
        # a canary's messages are taken at once
        "to_queue": "slow", "no_order": True, "undo_seconds": 0, "come_backs_too": False, **merged("OPTIONS"),
        "full_speed": False,
        "canary": {"probes": 7, "threshold": 25, "watch_seconds": 15},
    }  # fmt: skip


def test_the_shortest_way_holds_messages_back_as_usual(operator, letter):
    """A reason and one click: everything else has its usual value."""
    one = letter()
    operator.post(CREATE, confirmed(scope="rows", ids=[one]))
    operation = Operation.objects.get()
    assert (operation.rate, operation.stage) == (None, None)
    assert operation.parameters["undo_seconds"] == revive.USUAL_UNDO


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"rate": "0"}, "The rate must be between 1 and 100,000"),
        ({"rate": "fast"}, "The rate must be a whole number"),
        ({"undo_seconds": "86401"}, "The undo window"),
        ({"canary": "on", "canary_probes": "101"}, "The number of probes"),
        ({"to_queue": "pgmq:x"}, "another system"),
        ({"kind": "edit", "recipe": ""}, "needs a recipe"),
        ({"kind": "reclassify", "to_category": "NONE"}, "The category is one of"),
        ({"kind": "export", "format": "pdf"}, "csv, csv_bom, jsonl, xlsx"),
    ],
)
def test_what_is_mistyped_is_said_and_nothing_typed_is_lost(operator, letter, wrong, sentence):
    letter()
    answer = operator.post(CREATE, confirmed(**wrong))
    assert answer.status_code == 422
    assert sentence in answer.context["errors"][0]
    text = answer.content.decode()
    assert "the deploy fixed it" in text
    shown = [
        value for name, value in wrong.items() if name not in ("kind", "canary", "to_category", "format")
    ]
    assert all(f'value="{value}"' in text for value in shown if value)
    assert not Operation.objects.exists()


def test_each_sentence_stands_beside_its_field(operator, letter):
    """Those of a canary, too; what it is not asked for is not read."""
    letter()
    wrong = {"canary_probes": "many", "canary_watch_seconds": "0", "rate": "\uff15", "reason": "x" * 2_001}
    text = operator.post(CREATE, confirmed(canary="on", **wrong)).content.decode()
    for field, sentence in (
        ("canary_probes", "The number of probes must be a whole number, not “many”."),
        ("canary_watch_seconds", "The time to watch, in seconds, must be between 1 and 3,600, not 0."),
        ("rate", "The rate must be a whole number, not “\uff15”."),
        ("reason", "The reason has 2,001 characters; the limit is 2,000."),
    ):
        beside = text.index(f'id="confirm-{field}_error"')
        assert sentence in text[beside : beside + 300]
    assert "x" * 2_001 in text
    assert operator.post(CREATE, confirmed(canary_probes="many")).status_code == 302


@pytest.mark.parametrize("no_yes", ["0", "no", "false", "5", "perhaps"])
@pytest.mark.parametrize("switch", ["no_order", "canary"])
def test_all_switches_have_one_rule(operator, letter, switch, no_yes):
    letter()
    answer = operator.post(CREATE, confirmed(**{switch: no_yes}))
    assert answer.context["errors"] == [f"Say yes or no; it is “{no_yes}”."]
    assert not Operation.objects.exists()
    assert operator.post(CONFIRM, asked(**{switch: no_yes})).status_code in (200, 422)
    operator.post(CREATE, confirmed(**{switch: ""}))
    assert not Operation.objects.get().parameters.get(switch)


@pytest.mark.parametrize("address", [CONFIRM, CREATE])
def test_a_form_that_lost_its_filter_does_not_mean_everything(operator, letter, address):
    letter()
    sent = confirmed()
    del sent["filter"]
    answer = operator.post(address, sent, follow=True)
    sentence = "The form lost its filter; go back and open it again."
    assert [str(each) for each in answer.context["messages"]] == [sentence]
    assert not Operation.objects.exists()
    assert operator.post(CREATE, confirmed(filter="")).status_code == 302


@pytest.mark.parametrize("lost", ["abc", "-1", "٣", "1.5", "9" * 30])
def test_a_count_that_was_shown_and_cannot_be_read_is_refused(operator, letter, lost):
    letter()
    answer = operator.post(CREATE, confirmed(expected=lost))
    assert answer.status_code == 422
    assert answer.context["errors"] == [
        "The form lost the count that it showed. Look at it again, then confirm."
    ]
    assert '<input type="hidden" name="expected" value="1">' in answer.content.decode()
    assert not Operation.objects.exists()


def test_a_count_that_is_none_is_asked_for_again(operator, letter):
    letter(status="DISCARDED")
    answer = operator.post(CREATE, confirmed(kind="purge", typed_count="one"))
    assert answer.context["errors"] == ["Type 1 to confirm that all of them are meant."]
    text = answer.content.decode()
    assert 'value="one"' in text
    assert "Type 1 to show that you mean all of them</label>" in text


def test_the_longest_reason_is_said_once_to_browsers(operator, letter):
    letter()
    assert f'maxlength="{REASON_LIMIT}"' in operator.post(CONFIRM, asked()).content.decode()


def test_previewing_again_keeps_what_was_typed(operator, letter):
    letter()
    typed = confirmed(rate="5", canary="on", canary_probes="9", reason="half a sent")
    text = operator.post(CONFIRM, typed).content.decode()
    assert "half a sent" in text
    assert 'value="5"' in text
    assert 'value="9"' in text
    assert "5 a second at most" in text
    assert not Operation.objects.exists()


@pytest.mark.parametrize("key", [{}, {"request_key": uuid4()}])
@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("rate", "0"), ("rate", "five"), ("rate", "100001"), ("rate", "-1"), ("rate", "1e3"),
        ("canary_probes", "0"), ("to_queue", "no:such"),
    ],
)  # fmt: skip
def test_a_preview_says_what_is_mistyped_as_confirming_does(operator, letter, key, field, typed):
    """Beside its field, in the same words; and what is typed well is not dropped with it."""
    letter()
    options = {field: typed, "no_order": "on"} | ({"canary": "on"} if field == "canary_probes" else {})
    answer = operator.post(CREATE, confirmed(**options))
    preview = operator.post(CONFIRM, asked(**options, **key))
    assert preview.status_code == answer.status_code == 422
    assert preview.context["errors"] == answer.context["errors"]
    text = text_of(preview)
    beside = text.index(f'id="confirm-{field}_error"')
    assert preview.context["errors"][0] in text[beside : beside + 300]
    assert f'value="{typed}"' in text
    chosen = re.search('id="confirm-chosen">([^<]*)<', text)[1]
    assert chosen.endswith("without the order of their groups, something has to be mended")
    assert not Operation.objects.exists()


def test_a_preview_with_a_mistake_goes_by_the_options_that_are_good(operator, letter):
    letter()
    text = text_of(operator.post(CONFIRM, asked(rate="10", undo_seconds="600", to_queue="no:such")))
    assert 'id="confirm-chosen">held back for 600 s, 10 a second at most, something has to be mended<' in text
    assert "at least 1 s at this rate" in text
    # a canary takes its messages at once, whatever is wrong with its probes
    text = text_of(operator.post(CONFIRM, asked(undo_seconds="600", canary="on", canary_probes="0")))
    assert 'id="confirm-chosen">something has to be mended<' in text


def test_what_nobody_has_typed_yet_is_not_complained_of(operator, letter):
    letter()
    answer = operator.post(CONFIRM, asked(kind="edit", rate="5"))
    assert (answer.status_code, answer.context["errors"]) == (200, [])
    wrong = operator.post(CONFIRM, asked(kind="edit", rate="0"))
    assert wrong.context["errors"] == ["The rate must be between 1 and 100,000, not 0."]


def test_many_need_a_second_person_and_the_page_says_so_before(operator, second_person, letter, settings):
    """Rule 4: a cap, if any, is printed before and after."""
    settings.DLQ_FOUR_EYES_ABOVE = 1
    letter(), letter()
    page = operator.post(CONFIRM, asked())
    assert "A second person has to approve: these are more than 1." in text_of(page)
    assert "typed_count" not in page.content.decode()


def test_one_person_alone_types_the_count(operator, letter, settings):
    settings.DLQ_FOUR_EYES_ABOVE = 1
    letter(), letter()
    assert 'name="typed_count"' in operator.post(CONFIRM, asked()).content.decode()
    wrong = operator.post(CREATE, confirmed(expected=2, typed_count="3"))
    assert wrong.status_code == 422
    operator.post(CREATE, confirmed(expected=2, typed_count="2"))
    assert Operation.objects.get().approval == "given"


def test_a_purge_is_typed_and_needs_a_second_person(operator, second_person, letter):
    letter(status="DISCARDED")
    text = text_of(operator.post(CONFIRM, asked(kind="purge")))
    assert "gone for ever" in text
    assert 'name="typed_count"' in text
    assert operator.post(CREATE, confirmed(kind="purge")).status_code == 422


def test_personal_data_in_the_clear_needs_a_second_person(operator, second_person, letter):
    letter()
    page = text_of(operator.post(CONFIRM, asked(kind="export", request_key=uuid4())))
    clear = text_of(operator.post(CONFIRM, asked(kind="export", request_key=uuid4(), unmasked="on")))
    assert "leaves unmasked" not in page
    assert "leaves unmasked" in clear


@pytest.mark.parametrize(("kind", "offered"), [("revive", True), ("retry", True), ("discard", False)])
def test_a_group_may_be_tried_with_a_few_first(operator, letter, kind, offered):
    from dlqconsole.engine.models import DeadLetter

    letter(), letter()
    group = DeadLetter.objects.first().group_id
    text = text_of(operator.post(CONFIRM, asked(kind=kind, filter=f"group={group}")))
    assert ("Canary 5 first" in text) == offered
    assert "Canary 5 first" not in text_of(operator.post(CONFIRM, asked(kind=kind)))


def test_what_an_operation_left_is_a_scope(operator, letter):
    one = letter()
    operator.post(CREATE, confirmed(kind="discard", scope="rows", ids=[one]))
    first = Operation.objects.get()
    again = asked(kind="retry", scope="items", operation=first.pk, outcome="remaining")
    assert operator.post(CONFIRM, again).status_code == 200
    operator.post(CREATE, confirmed() | again)
    made = Operation.objects.latest("id")
    assert (made.scope, made.source_operation_id, made.source_outcome) == ("items", first.pk, "remaining")


@pytest.mark.parametrize(
    "wrong", [{"operation": "x"}, {"operation": "1", "outcome": "all"}, {"kind": "undo"}]
)
def test_a_scope_that_is_not_understood_is_a_sentence(operator, wrong):
    answer = operator.post(
        CONFIRM, asked(scope="items", operation="1", outcome="failed") | wrong, follow=True
    )
    assert answer.status_code == 200
    assert list(answer.context["messages"])


def test_the_filter_survives_a_refusal(operator, letter):
    """Rule 9."""
    letter("a")
    answer = operator.post(CREATE, confirmed(filter="type=a", kind="nothing"))
    assert answer["Location"] == "/dead-letters/?q=type:a"
    assert DeadLetterFilter(type="a").querystring in answer["Location"]
