"""Junk in an address or in a row breaks no page, and gives nobody a wrong number."""

from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.http import HttpRequest, QueryDict

from dlqconsole.console.parts.shown_filter import ShownFilter
from tests.plain_sql import execute
from tests.sizes import SOAK

JUNK = [
    "%00", "a%00b", "%ff%fe", "%ED%A0%80", "x" * 3000, "' OR 1=1--", "%27%3Bdrop%20table", "[]", "{}", "-1",
    "0", "1e3",
    "9" * 40, "9223372036854775808", "%D9%A1%D9%A2", "31/31/2024", "2024-02-30",
    "9999-12-31T23:59-05:00",
    "0001-01-01T00:00%2B09:00", "99999-01-01", "1700000000000", "%25", "_", "%5C", "((((x{1,100}){1,100}",
    "%E2%80%AEevil", "<script>alert(1)</script>", "{{ settings.SECRET_KEY }}", "$.[", "99999w",
]  # fmt: skip
PARAMETERS = [
    "type", "reason", "category", "status", "queue", "group", "source", "since", "until", "q",
    "payload.a", "payload.",
    "cursor", "size", "no_such",
]  # fmt: skip
# what no filter reads but a list of its own
OF_THE_LIST = ("cursor", "size")


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_junk_in_a_filter_is_read_or_refused_in_sentences(letter, parameter, admin_user):
    letter()
    request = HttpRequest()
    request.user = admin_user
    for junk in JUNK:
        shown = ShownFilter.read(QueryDict(f"{parameter}={junk}"), request)
        assert all(sentence.isprintable() for sentence in shown.errors), junk
        if not shown.errors:
            assert shown.criteria.queryset().count() in (0, 1), junk
            assert ShownFilter.read(QueryDict(shown.querystring), request).criteria == shown.criteria, junk


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_junk_in_a_parameter_of_the_list_is_an_answer(viewer, letter, parameter):
    """A filter's own rules are asked above, without a page around them: here on one page or the other.

    In a soak on both.
    """
    one, few, turn = letter(), JUNK[::6], PARAMETERS.index(parameter) % 2
    of_the_list, of_a_letter = few[turn::2], few[1 - turn :: 2]
    if parameter in OF_THE_LIST or SOAK:
        of_the_list, of_a_letter = JUNK, few
    requests = [("/dead-letters/", junk) for junk in of_the_list]
    for page, junk in requests + [(f"/dead-letters/{one}/", junk) for junk in of_a_letter]:
        answer = viewer.get(f"{page}?{parameter}={junk}")
        assert answer.status_code in (200, 302, 400, 404), (page, junk)
    assert viewer.get("/dead-letters/").status_code == 200


@pytest.mark.parametrize(
    "page",
    ["/audit/?before={}", "/audit/?operation={}", "/operations/?before={}", "/reports/{}/",
     "/reports/x/?from={}&to={}", "/groups/{}/", "/operations/{}/", "/dead-letters/{}/",
     "/dead-letters/{}/raw"],
)  # fmt: skip
def test_junk_elsewhere_is_an_answer(viewer, page):
    for junk in JUNK:
        answer = viewer.get(page.replace("{}", junk))
        assert answer.status_code in (200, 302, 400, 404), (page, junk)


@pytest.mark.parametrize("page", ["/", "/groups/", "/schedules/", "/reports/", "/queues/"])
def test_junk_that_nobody_reads_is_an_answer(viewer, page):
    for junk in JUNK[::6]:
        assert viewer.get(f"{page}?x={junk}").status_code in (200, 302, 400), (page, junk)


def test_a_megabyte_and_five_thousand_parameters_are_refused(viewer):
    assert viewer.get("/dead-letters/?q=" + "x" * 1_000_000).status_code == 400
    assert viewer.get("/dead-letters/?" + "&".join(f"a{n}=1" for n in range(5000))).status_code in (200, 400)


def test_junk_in_exports_is_an_answer(operator):
    for junk in JUNK:
        for form in ({"filter": f"status={junk}"}, {"format": junk}, {"scope": junk}, {"request_key": junk}):
            sound = {"scope": "all", "filter": "", "format": "csv", "request_key": uuid4()}
            assert operator.post("/dead-letters/export", sound | form).status_code == 302, form


POISON = {
    "deep": {"payload": "[" * 1500 + "]" * 1500},
    "long number": {"payload": '{"n": %s}' % ("7" * 5000)},
    "large exponent": {"payload": "1e131071"},
    "raw": {"payload_raw": b"\x00\xff\xfe not json"},
    "deep headers": {"headers": '{"a": ' + "[" * 1500 + "]" * 1500 + "}"},
    "huge": {"payload": '"' + "x" * 3_000_000 + '"'},
    "long reason": {"error_reason": "E: " + "y" * 2_000_000, "error_stacktrace": "z" * 3_000_000},
    "hidden": {"error_reason": "abc\u202edef", "payload": '"a\u202eb"'},
}


def test_poison_row_harms_neither_the_list_nor_its_own_page(viewer, letter):
    rows = {letter(**columns): name for name, columns in POISON.items()}
    answer = viewer.get("/dead-letters/")
    assert {row["id"] for row in answer.context["rows"]} == rows.keys()
    assert len(answer.content) < 500_000
    for one, name in rows.items():
        shown = viewer.get(f"/dead-letters/{one}/")
        assert shown.status_code == 200, name
        assert len(shown.content) < 2_000_000, name
        assert viewer.get(f"/dead-letters/{one}/raw").status_code == 200, name
    for page in ("/", "/groups/", "/queues/"):
        assert viewer.get(page).status_code == 200


def test_poison_row_can_be_seen_in_the_admin(admin_user_client, letter):
    rows = {letter(**columns): name for name, columns in POISON.items()}
    assert admin_user_client.get("/admin/dlq_engine/deadletter/").status_code == 200
    for one, name in rows.items():
        assert admin_user_client.get(f"/admin/dlq_engine/deadletter/{one}/change/").status_code == 200, name


def test_numbers_are_shown_with_all_their_digits(viewer, letter):
    one = letter(payload='{"id": 9007199254740993123, "price": 1.10}')
    text = viewer.get(f"/dead-letters/{one}/").context["payload"]["text"]
    assert '"id": 9007199254740993123' in text
    assert '"price": 1.10' in text


def test_large_payload_stands_behind_its_page_and_the_download_is_whole(viewer, letter):
    one = letter(payload='"' + "x" * 1_000_000 + '"')
    payload = viewer.get(f"/dead-letters/{one}/").context["payload"]
    assert "text" not in payload
    assert payload["size"] == 1_000_002
    behind = viewer.get(f"/dead-letters/{one}/{payload['url']}").context["payload"]
    assert not behind["truncated"]
    assert len(behind["text"]) == 1_000_002
    whole = viewer.get(payload["download_url"])
    assert len(whole.content) == 1_000_002
    assert whole["Content-Disposition"] == f'attachment; filename="dead-letter-{one}.json"'
    assert whole["X-Content-Type-Options"] == "nosniff"


def test_bytes_are_shown_as_hex_and_saved_as_they_are(viewer, letter):
    one = letter(payload_raw=b"\x00\xffabc")
    payload = viewer.get(f"/dead-letters/{one}/").context["payload"]
    assert payload["state"] == "raw"
    assert payload["hex"].startswith("00000000  00 ff 61 62 63")
    assert viewer.get(payload["download_url"]).content == b"\x00\xffabc"


PROBES = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>",
    '"><a hx-get=/admin hx-trigger=load>',
    "' onmouseover='alert(1)", "</script><script>alert(1)</script>", "</style><style>", "<form id=htmx>",
]  # fmt: skip


def test_markup_in_the_data_is_text_on_every_page(admin_user_client, letter, scorecard):
    pages = ["/", "/groups/", "/queues/", "/audit/", "/admin/dlq_engine/deadletter/"]
    for probe in PROBES:
        one = everywhere(letter, probe)
        pages += [f"/dead-letters/?{urlencode({'q': probe, 'stay': 1})}", f"/dead-letters/{one}/"]
        pages.append(f"/admin/dlq_engine/deadletter/{one}/change/")
    ran = []
    for page in pages:
        answer = admin_user_client.get(page)
        assert answer.status_code == 200
        ran += [(page, probe) for probe in PROBES if probe in answer.content.decode()]
    scorecard("XSS vectors by places", tried=len(pages) * len(PROBES), broke=ran)


def everywhere(letter, probe: str) -> int:
    """Have the probe in each text of a dead letter, a message, a queue and the audit log; the letter's id."""
    one = letter(
        probe, payload={"a": probe, probe: 1}, headers='{"h": "x"}', error_reason=f"E: {probe}",
        error_stacktrace=probe, queue=probe, source=probe, source_key=probe,
    )  # fmt: skip
    execute("INSERT INTO message_queue (queue, payload) VALUES (%s, '1')", probe)
    execute("INSERT INTO queues (name) VALUES (%s)", probe)
    execute(
        "INSERT INTO audit_log (actor, action, target, reason) VALUES (%s, %s, %s, %s)",
        probe,
        probe,
        f"dead_letter:{one}",
        probe,
    )
    return one
