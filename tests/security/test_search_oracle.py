"""A viewer finds out nothing that a mask hides; a search for values is audited."""

import json
from string import ascii_lowercase
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry

MAIL, SSN = "zoe.q@example.org", "078-05-1120"
PAYLOAD = {"customer": {"email": MAIL, "ssn": SSN}, "password": "correct-horse-battery", "order": "A-77"}
# each of these tells whether something was found: the list, its counts, tabs, group, neighbours and the admin
OUTLETS = (
    "/dead-letters/?stay=1&q={}", "/dead-letters/?stay=1&reason={}", "/dead-letters/{letter}/?q={}",
    "/dead-letters/?payload.customer.email={}", "/dead-letters/?payload.customer.ssn={}",
    "/admin/dlq_engine/deadletter/?q={}",
)  # fmt: skip


@pytest.fixture
def one(letter) -> int:
    number = letter(payload=PAYLOAD, error_reason=f"no user {MAIL} with {SSN}", status="EXHAUSTED")
    letter(payload={"order": "B-1"}, status="EXHAUSTED")
    return number


def told(client, address: str) -> object:
    """All that an answer says about what was found."""
    answer = client.get(address)
    context = answer.context
    if "cl" in context:
        return answer.status_code, context["cl"].result_count
    names = ("page_from", "page_to", "next_url", "prev_url", "count", "problems")
    said = {name: bool(context.get(name)) if "url" in name else str(context.get(name)) for name in names}
    tabs = [tab["count"] for tab in context.get("tabs", [])]
    return answer.status_code, said, tabs, [row["id"] for row in context.get("rows", [])]


def test_no_letter_more_tells_whether_it_is_right(one, viewer, scorecard):
    """The way in which an e-mail was once recovered in 346 searches."""
    viewer_user = User.objects.get(username="viewer")
    viewer_user.is_staff = True
    viewer_user.save()
    tried, broke = 0, []
    for outlet in OUTLETS:
        for value in (MAIL, SSN):
            for length in (4, len(value) - 1):
                right, wrong = value[:length], value[: length - 1] + "~"
                answers = [told(viewer, outlet.format(guess, letter=one)) for guess in (right, wrong)]
                tried += 1
                if answers[0] != answers[1]:
                    broke.append(f"{outlet} {right}: {answers}")
    scorecard("masked values guessed by searching", tried=tried, broke=broke)


def test_every_beginning_and_every_letter_behind_it_finds_the_same(one, viewer, scorecard):
    right = {len(MAIL[:n]): MAIL[:n] for n in range(4, len(MAIL))}
    broke = []
    for beginning in right.values():
        hits = {
            letter: bool(viewer.get("/dead-letters/", {"q": beginning + letter, "stay": 1}).context["rows"])
            for letter in (*ascii_lowercase[::6], MAIL[len(beginning)])
            if beginning + letter != MAIL
        }
        if any(hits.values()):
            broke.append(beginning)
    scorecard("masked values guessed by searching", tried=5 * len(right), broke=broke)


def test_who_may_only_look_finds_no_value_whole_or_in_parts(one, viewer):
    for text in (MAIL, SSN, "no user zoe", "A-77"):
        assert viewer.get("/dead-letters/", {"q": text, "stay": 1}).context["rows"] == []
    answer = viewer.get("/dead-letters/", {"payload.order": "A-77"})
    assert answer.status_code == 400
    assert "only operators may search values" in answer.content.decode()
    assert answer.context["rows"] == []
    assert not AuditEntry.objects.filter(action="search").exists()


def test_an_operator_searches_values_and_the_audit_says_so_once(one, operator):
    for page in ("", "&size=10", "&status=EXHAUSTED"):
        answer = operator.get(f"/dead-letters/?reason={MAIL}{page}")
        assert [row["id"] for row in answer.context["rows"]] == [one]
    operator.get("/dead-letters/", {"payload.order": "A-77"})
    other, entry = AuditEntry.objects.filter(action="search").order_by("-pk")
    assert MAIL not in json.dumps([entry.detail, entry.reason])
    assert "searched values: reason ‹text " in operator.get("/audit/").content.decode()
    assert "A-77" not in json.dumps(other.detail)
    assert other.detail["filter"].keys() == {"payload.order"}


def test_what_an_index_knows_by_heart_is_no_search_of_values(one, operator):
    operator.get("/dead-letters/", {"type": "order.created", "status": "EXHAUSTED"})
    assert not AuditEntry.objects.filter(action="search").exists()


def test_an_operation_says_what_it_was_asked_over_masked(one, operator, viewer):
    form = {"scope": "filter", "filter": f"q={MAIL}", "kind": "discard"}
    page = operator.post(reverse("dlq:operation_confirm"), form)
    assert page.context["preview"]["count"] == 1
    sent = dict(page.context["preview"]["hidden"]) | {
        "kind": "discard", "reason": "a test", "request_key": uuid4(), "typed_count": 1,
    }  # fmt: skip
    receipt = operator.post("/operations/", sent)["Location"]
    assert MAIL not in viewer.get(receipt).content.decode()
    assert MAIL not in viewer.get("/operations/").content.decode()


# of a masked path only a whole value may be asked: by pieces, or by halves, it would be guessed
@pytest.mark.parametrize(
    "text",
    [
        "payload.customer.email:zoe*", "payload.customer.ssn:>0", "-payload.customer.ssn:<1",
        "type:x OR payload.password:c*", "(type:x payload.customer.email:[a, z*])",
    ],
)  # fmt: skip
def test_nobody_asks_for_a_masked_value_in_parts(one, operator, text):
    answer = operator.get("/dead-letters/", {"q": text})
    assert answer.status_code == 400
    assert "only a whole one can be searched" in answer.content.decode()
    assert answer.context["rows"] == []
    assert not DeadLetterFilter.parse({"q": text}).queryset().exists()


@pytest.mark.parametrize(
    "text",
    [
        f"payload.customer.email:{MAIL}", "-payload.order:A-77", "has:payload.order", "payload.order:A*",
        "type:x OR payload.order:A-77", "source:s*", "-error:[x, R*]",
    ],
)  # fmt: skip
def test_who_may_only_look_asks_for_no_value_in_any_way(one, viewer, text):
    answer = viewer.get("/dead-letters/", {"q": text})
    assert answer.status_code == 400
    assert "only operators may search values" in answer.content.decode()
    assert answer.context["rows"] == []


def test_a_masked_value_of_an_expression_is_in_no_chip_and_no_audit_entry(one, operator):
    answer = operator.get("/dead-letters/", {"q": f"-payload.customer.email:{MAIL}"})
    assert [chip["value"] for chip in answer.context["filter"].active] == ["-payload.customer.email:‹email›"]
    [entry] = AuditEntry.objects.filter(action="search")
    assert MAIL not in json.dumps(entry.detail)


# under a key that does not tell, the form alone says that it is masked
PARTS = (
    "payload.contact:zoe*", "payload.contact:*q@*", "payload.contact:>zoe", "payload.contact:<zof",
    "payload.contact:>=z", "payload.escaped:zoe*", "source:*zoe*", "payload.note:ask*",
)  # fmt: skip


@pytest.fixture
def untold(letter) -> int:
    return letter(
        payload={"contact": MAIL, "escaped": "zoe%40a.org", "note": f"ask {MAIL}", "n": 7, "free": "zoe"},
        source=f"mail {MAIL}",
    )


@pytest.mark.parametrize("text", PARTS)
def test_a_value_with_an_email_matches_only_as_a_whole(untold, letter, operator, text):
    letter(payload={"order": "B-1"})
    asked = [operator.get("/dead-letters/", {"q": q, "stay": 1}).context["rows"] for q in (text, f"-{text}")]
    assert [len(rows) for rows in asked] == [0, 2]


@pytest.mark.parametrize(
    "text",
    [
        f"payload.contact:{MAIL}", f'source:"mail {MAIL}"', "payload.n:>6", "payload.n:7*",
        "payload.free:zo*", "payload.free:>zod",
    ],
)  # fmt: skip
def test_whole_values_and_others_match_as_they_did(untold, operator, text):
    rows = operator.get("/dead-letters/", {"q": text, "stay": 1}).context["rows"]
    assert [row["id"] for row in rows] == [untold]


def test_where_nothing_is_masked_every_part_matches(untold, operator, settings):
    settings.DLQ_MASKING = False
    for text in PARTS:
        rows = operator.get("/dead-letters/", {"q": text, "stay": 1}).context["rows"]
        assert [row["id"] for row in rows] == [untold], text
