"""The list shows what the filter matches, newest first, page by page, whatever stands in the rows."""

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dlqconsole.engine.counts import summaries
from dlqconsole.operations.kinds.base import Kind

START = datetime(2026, 1, 1, tzinfo=UTC)


def ids(answer) -> list[int]:
    return [row["id"] for row in answer.context["rows"]]


@pytest.fixture
def sample_handlers(settings):
    """The handlers of tests/sample_handlers.py."""
    settings.DLQ_HANDLERS = "tests.sample_handlers"


def body(answer) -> str:
    return answer.content.decode()


@pytest.fixture
def seven(letter) -> list[int]:
    """Seven dead letters, newest first; three of them share a moment."""
    moments = [START + timedelta(minutes=minute) for minute in (0, 1, 2, 2, 2, 3, 4)]
    return [letter(created_at=moment) for moment in moments][::-1]


def test_newest_come_first(viewer, seven):
    assert ids(viewer.get("/dead-letters/")) == seven


def test_paging_forth_and_back_shows_each_row_once(viewer, seven):
    first = viewer.get("/dead-letters/?size=3")
    second = viewer.get(first.context["next_url"] + "&size=3")
    third = viewer.get(second.context["next_url"] + "&size=3")
    assert ids(first) + ids(second) + ids(third) == seven
    assert (second.context["page_from"], second.context["page_to"]) == (4, 6)
    assert (first.context["prev_url"], third.context["next_url"]) == ("", "")
    assert ids(viewer.get(third.context["prev_url"] + "&size=3")) == ids(second)


def test_looking_back_past_the_beginning_is_the_first_page(viewer, seven):
    first = viewer.get("/dead-letters/?size=2")
    second = viewer.get(first.context["next_url"] + "&size=5")
    back = viewer.get(second.context["prev_url"] + "&size=5")
    assert ids(back) == seven[:5]
    assert back.context["page_from"] == 1


@pytest.mark.parametrize("cursor", ["x", "%00", "a:b:c", "1" * 5000, "WzEsMl0:1tQ:xx", "%ff%fe"])
def test_cursor_that_is_not_ours_gives_the_first_page_with_a_sentence(viewer, seven, cursor):
    answer = viewer.get(f"/dead-letters/?cursor={cursor}")
    assert answer.status_code == 200
    assert ids(answer) == seven
    assert "no longer valid" in answer.content.decode()


def test_status_tabs_count_within_the_rest_of_the_filter(viewer, letter):
    letter("a"), letter("a", status="EXHAUSTED"), letter("b")
    answer = viewer.get("/dead-letters/?q=type:a+status:PENDING")
    counts = {tab["status"]: tab["count"] for tab in answer.context["tabs"]}
    assert (counts["PENDING"], counts["EXHAUSTED"]) == (1, 1)
    assert answer.context["count"].value == 1
    [current] = [tab for tab in answer.context["tabs"] if tab["current"]]
    assert current["url"] == "/dead-letters/?q=type:a+status:PENDING"


def test_select_all_carries_the_filter_and_its_count(viewer, letter):
    letter("a"), letter("a"), letter("b")
    answer = viewer.get("/dead-letters/?type=a")
    assert answer.context["count"].value == 2
    assert answer.context["filter"].querystring == "q=type:a"
    assert answer.context["bulk_action_url"] == "/dead-letters/operations/"


def test_chips_take_one_part_of_the_filter_away(viewer, letter):
    answer = viewer.get("/dead-letters/?q=type:a+status:PENDING")
    urls = {chip["name"]: chip["remove_url"] for chip in answer.context["filter"].active}
    assert urls == {"type": "/dead-letters/?q=status:PENDING", "status": "/dead-letters/?q=type:a"}


def test_filter_that_is_wrong_matches_nothing_and_says_why(viewer, letter):
    letter()
    answer = viewer.get("/dead-letters/?since=2026-02-01&until=2026-01-01")
    assert answer.status_code == 400
    assert (ids(answer), answer.context["count"].value) == ([], 0)
    assert "since must be before until" in answer.content.decode()
    assert "0 matching" not in answer.content.decode()


def test_an_unknown_parameter_does_not_widen_the_list(operator, letter):
    """``?id=7`` showed everything there is."""
    letter(), letter()
    answer = operator.get("/dead-letters/?id=69489&id=1")
    assert answer.status_code == 400
    assert "The filter has a part that nobody knows: “id”. It has reason, type," in body(answer)
    part = operator.get("/dead-letters/?id=1", headers={"HX-Request": "true"})
    assert (part.status_code, ids(part)) == (200, [])
    assert operator.get("/dead-letters/?size=10&stay=1&cursor=&payload.x=").status_code == 200


@pytest.mark.parametrize("part", ["", "reason=billing"])
def test_retry_now_counts_what_somebody_handles(operator, letter, sample_handlers, part):
    """Counted by event type, kept counted or not; and the row says it to the ticks."""
    letter("order.lost"), letter("order.lost", status="EXHAUSTED"), letter("order.created")
    text = " ".join(body(operator.get(f"/dead-letters/?{part}")).split())
    assert text.count(" data-unhandled ") == 2
    assert 'data-matching-words="1" data-runs-handlers' in text
    lost = " ".join(body(operator.get(f"/dead-letters/?type=order.lost&{part}")).split())
    assert f'aria-disabled="true" title="{Kind.no_handler}"' in lost
    assert "data-runs-handlers" not in lost
    assert 'data-matching-words="2"' in lost
    event = {"specversion": "1.0", "id": "1", "source": "shop", "type": "order.created"}
    [one, named] = letter("order.lost"), letter("order.lost", event)
    assert "A retry would skip it: no schedule worker has a handler." in body(
        operator.get(f"/dead-letters/{one}/")
    )
    assert "a retry would" not in body(operator.get(f"/dead-letters/{named}/"))


def test_a_count_that_is_not_known_says_so_wherever_it_stands(operator, letter, monkeypatch):
    """Head, download, pager, tabs, scope and buttons; and it is never less than what is shown."""

    def too_slow(rows, event_types):
        raise summaries.TooSlow

    for _ in range(12):
        letter(error_reason="zboom")
    monkeypatch.setattr(summaries, "_grouped_by_status", too_slow)
    text = " ".join(body(operator.get("/dead-letters/?since=1h&size=10")).split())
    for words in ("11 or more matching", "Export 11 or more<", "of 11 or more", ">?</span>"):
        assert words in text
    assert "≈" not in text


def test_what_stands_on_one_page_is_counted_there(operator, letter, monkeypatch):
    def too_slow(rows, event_types):
        raise summaries.TooSlow

    letter(error_reason="zboom"), letter(error_reason="zboom", status="EXHAUSTED"), letter()
    monkeypatch.setattr(summaries, "_grouped_by_status", too_slow)
    for search, words in (
        ("nothing", " 0 matching"),
        ("zboom", " 2 matching"),
        ("zboom&status=PENDING", " 1 matching"),
    ):
        text = " ".join(body(operator.get(f"/dead-letters/?stay=1&reason={search}")).split())
        assert words in text
        assert "or more" not in text


def test_search_with_one_hit_opens_it_and_leads_back(viewer, letter):
    one, _other = letter(source_key="A-77"), letter()
    answer = viewer.get("/dead-letters/?q=A-77")
    assert answer["Location"] == f"/dead-letters/{one}/?q=A-77"
    back = viewer.get(answer["Location"]).context["list_url"]
    assert ids(viewer.get(back)) == [one]


def test_htmx_gets_the_table_alone(viewer, seven):
    whole = viewer.get("/dead-letters/").content
    part = viewer.get("/dead-letters/", headers={"HX-Request": "true"}).content
    assert len(part) < len(whole)
    assert part.lstrip().startswith(b'<div id="results"')


def test_going_back_through_the_history_gets_the_whole_page(viewer, seven):
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    whole, back = viewer.get("/dead-letters/"), viewer.get("/dead-letters/", headers=headers)
    assert back.templates[0].name == whole.templates[0].name == "console/dead_letters/list.html"


def test_pages_are_kept_by_no_cache(viewer, seven):
    answer = viewer.get("/dead-letters/")
    assert answer["Cache-Control"] == "no-store"
    assert "HX-Request" in answer["Vary"]


def test_number_of_queries_does_not_grow_with_the_rows(viewer, letter):
    letter()
    with CaptureQueriesContext(
        connection,
    ) as few:
        viewer.get("/dead-letters/")
    for _ in range(40):
        letter()
    with CaptureQueriesContext(connection) as many:
        viewer.get("/dead-letters/")
    assert len(many) == len(few)


def too_slow(times: int):
    """The real time budget, spent by a sleep the first so many times."""
    time_budget, spent = summaries.time_budget, iter(range(times))

    @contextmanager
    def budget(milliseconds, *how):
        with time_budget(1 if next(spent, None) is not None else milliseconds, *how) as nothing:
            if connection.cursor().execute("SHOW statement_timeout").fetchone()[0] == "1ms":
                connection.cursor().execute("SELECT pg_sleep(0.2)")
            yield nothing

    return budget


def test_search_that_takes_too_long_looks_through_the_newest_and_says_so(operator, letter, monkeypatch):
    one = letter(payload={"x": "needle"})
    monkeypatch.setattr(summaries, "time_budget", too_slow(1))
    answer = operator.get("/dead-letters/?payload.x=needle&stay=1")
    assert ids(answer) == [one]
    text = " ".join(body(answer).split())
    assert "only the newest 50,000" in text
    assert "manage.py index payload.x" in text
    assert "among the newest 50,000: 1 </span>" in text
    monkeypatch.setattr(summaries, "time_budget", too_slow(1))
    text = " ".join(body(operator.get("/dead-letters/?payload.x=other&stay=1")).split())
    assert "among the newest 50,000: none" in text
    assert "this does not mean that nothing matches" in text


def test_what_of_the_newest_was_not_counted_is_no_number(operator, letter, monkeypatch):
    for _ in range(52):
        letter(payload={"x": "many"})
    monkeypatch.setattr(summaries, "time_budget", too_slow(1))
    monkeypatch.setattr(summaries, "counts_of", lambda *_given, **_more: summaries._counts([], is_least=True))
    text = " ".join(body(operator.get("/dead-letters/?payload.x=many")).split())
    assert "among the newest 50,000: 51 or more </span>" in text
    assert "Export 51 or more" in text


def test_a_common_word_is_looked_up_where_a_walk_takes_too_long(operator, letter, monkeypatch):
    one = letter(error_reason="Rare: needle 7")
    monkeypatch.setattr(summaries, "time_budget", too_slow(1))
    answer = operator.get("/dead-letters/?reason=needle+7")
    assert ids(answer) == [one]
    assert "1 matching" in " ".join(body(answer).split())


def test_a_number_is_found_however_busy_the_machine_is(viewer, letter, monkeypatch):
    one, _other = letter(), letter()
    monkeypatch.setattr(summaries, "time_budget", too_slow(3))
    answer = viewer.get(f"/dead-letters/?q={one}&stay=1")
    assert ids(answer) == [one]
    assert "Only ids and keys were looked up" in body(answer)


def test_search_that_takes_far_too_long_says_so(viewer, letter, monkeypatch):
    letter()
    monkeypatch.setattr(summaries, "time_budget", too_slow(4))
    answer = viewer.get("/dead-letters/?q=x")
    assert answer.status_code == 200
    assert not ids(answer)
    assert "takes too long" in answer.content.decode()
