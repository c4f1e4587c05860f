"""Reports read as people write figures: per cent, commas, words; thirty days unless somebody asks."""

from datetime import date, timedelta

import pytest

from dlqconsole.reports import daily
from dlqconsole.reports.charts import chart
from dlqconsole.reports.models import Report, ReportRow

LAST = date(2013, 12, 31)
METRICS = [
    ["flights", "count"],
    ["on_time_share", "share"],
    ["mean_arrival_delay", "mean"],
    ["income", "sum"],
]


@pytest.fixture
def flights(db) -> Report:
    """Sixty days of six carriers, the first of them the largest."""
    report = Report.objects.create(name="daily", title="Flights", keys=["carrier"], metrics=METRICS)
    ReportRow.objects.bulk_create(
        ReportRow(
            report=report, day=LAST - timedelta(days=back), key={"carrier": carrier}, figures=figures(size)
        )
        for back in range(60)
        for size, carrier in enumerate(("F9", "AA", "B6", "DL", "EV", "UA"), start=1)
    )
    return report


def figures(size: int) -> dict[str, float]:
    return {"flights": size * 1000, "on_time_share": 0.94444, "mean_arrival_delay": -13.0833, "income": 1.5}


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.94444, "share", "94.4\u00a0%"), (1.0, "share", "100.0\u00a0%"), (-13.0833, "mean", "-13.1"),
        (12, "mean", "12.0"), (-0.04, "mean", "0.0"), (1234567, "count", "1,234,567"),
        (1500.25, "sum", "1,500.2"), (1500.0, "sum", "1,500"), (10**24 - 1, "sum", "999,999" + 6 * ",999"),
        (None, "mean", "—"), ("n/a", "count", "n/a"), (True, "count", "True"),
    ],
)  # fmt: skip
def test_figures_as_people_write_them(value, kind, text):
    assert daily.figure(value, kind) == text


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("on_time_share", "share", "On-time share"), ("mean_arrival_delay", "mean", "Mean arrival delay"),
        ("dead_letters", "count", "Dead letters"), ("carrier", "", "Carrier"), ("share", "share", "Share"),
    ],
)  # fmt: skip
def test_columns_are_headed_in_words(name, kind, words):
    assert daily.words(name, kind) == words


def test_newest_thirty_days_are_shown_and_said(viewer, flights):
    answer = viewer.get("/reports/daily/")
    text = answer.content.decode()
    assert answer.context["columns"][:3] == ["Carrier", "Flights", "On-time share"]
    assert (answer.context["days"].since, answer.context["count"]) == (date(2013, 12, 2), 180)
    assert 'value="2013-12-02"' in text
    assert "94.4\u00a0%" in text
    assert [each["current"] for each in answer.context["ranges"]] == [False, True, False]


def test_every_range_leads_to_its_days_and_keeps_the_rest(viewer, flights):
    answer = viewer.get("/reports/daily/?key=UA&metric=income")
    everything = viewer.get(answer.context["ranges"][-1]["url"])
    assert everything.context["count"] == 60
    form = everything.context["form"]
    assert (form.days["until"], form.key, form.metric) == (LAST, "UA", "income")


def test_table_comes_in_pages_and_the_chart_keeps_all_days(viewer, flights):
    first = viewer.get("/reports/daily/")
    second = viewer.get(first.context["next_url"])
    assert (second.context["page_from"], second.context["page_to"], second.context["next_url"]) == (
        101,
        180,
        "",
    )
    assert len(first.context["chart"]["labels"]) == len(second.context["chart"]["labels"]) == 30


@pytest.mark.parametrize("page", ["0", "-1", "x", "99999999999999999999", "7"])
def test_page_that_is_not_there_is_an_answer(viewer, flights, page):
    assert viewer.get(f"/reports/daily/?page={page}").status_code == 200


def test_key_is_chosen_from_the_values_there_are(viewer, flights):
    answer = viewer.get("/reports/daily/?key=UA")
    choices = answer.context["form"].fields["key"].widget.choices
    assert [value for value, _label in choices] == ["", "AA", "B6", "DL", "EV", "F9", "UA"]
    assert '<option value="UA" selected>' in answer.content.decode()
    assert {cells[0] for _day, cells in answer.context["rows"]} == {"UA"}


def test_number_as_a_key_is_found_as_it_is_typed(viewer, flights):
    ReportRow.objects.create(report=flights, day=LAST, key={"carrier": 7}, figures=figures(1))
    assert viewer.get("/reports/daily/?key=7").context["count"] == 1


def test_too_many_values_are_typed_instead(viewer, flights, monkeypatch):
    monkeypatch.setattr(daily, "MOST_VALUES", 5)
    answer = viewer.get("/reports/daily/?key=UA")
    assert 'type="text" name="key" value="UA"' in answer.content.decode()
    assert answer.context["count"] == 30


def test_counts_are_drawn_as_one_sum(flights):
    drawn = chart(flights, daily.rows(flights, daily.days(flights)), "flights")
    assert [(line["label"], line["values"][0]) for line in drawn["series"]] == [("All", 21_000)]
    assert drawn["note"] == "Carrier: all 6 added up"


def test_means_are_drawn_for_the_largest_keys_only(flights):
    drawn = chart(flights, daily.rows(flights, daily.days(flights)), "mean_arrival_delay")
    assert [line["label"] for line in drawn["series"]] == ["UA", "EV", "DL", "B6"]
    assert drawn["note"] == "Carrier: the 4 largest of 6 by flights"


def test_report_without_rows_says_so(viewer, db):
    Report.objects.create(name="empty", title="Empty", keys=[], metrics=[["orders", "count"]])
    assert "No row yet" in viewer.get("/reports/empty/?key=x").content.decode()


def test_days_in_the_wrong_order_are_refused_with_a_sentence(viewer, flights):
    text = viewer.get("/reports/daily/?from=2013-12-09&to=2013-12-01").content.decode()
    assert "The first day, 2013-12-09, is after the last, 2013-12-01." in text


@pytest.mark.parametrize(
    ("asked", "sentence", "shown"),
    [
        (
            "from=soon",
            "The first day is a date such as 2026-11-21; it is “soon”.",
            'name="from" value="soon"',
        ),
        (
            "to=31/12/2013",
            "The last day is a date such as 2026-11-21; it is “31/12/2013”.",
            'value="31/12/2013"',
        ),
        ("metric=profit", "The value of the chart is one of flights, on_time_share,", "Flights"),
        ("key=" + "x" * 201, "The carrier has 201 characters; the limit is 200.", "x" * 201),
        ("from=%00", "The first day is a date such as", 'name="from"'),
    ],
)
def test_what_cannot_be_read_is_said_beside_its_field_and_stays(viewer, flights, asked, sentence, shown):
    answer = viewer.get(f"/reports/daily/?{asked}")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert text.count(sentence) == 2
    assert shown in text
    assert answer.context["count"] == 0
    assert "Nothing is shown until that is mended." in text


def test_a_day_that_a_browser_knows_stands_in_its_calendar(viewer, flights):
    text = viewer.get("/reports/daily/?from=2013-12-9&to=").content.decode()
    assert 'type="date" name="from" value="2013-12-09"' in text
    assert 'type="date" name="to" value="2013-12-31"' in text


def test_a_key_without_a_row_on_these_days_stays_chosen(viewer, flights):
    assert '<option value="ZZ" selected>ZZ</option>' in viewer.get("/reports/daily/?key=ZZ").content.decode()


def test_keys_of_several_names_are_chosen_under_their_name(viewer, flights):
    Report.objects.filter(pk=flights.pk).update(keys=["carrier", "origin"])
    row = ReportRow(report=flights, day=LAST, key={"carrier": "UA", "origin": "J\u202eK"}, figures=figures(1))
    row.save()
    text = viewer.get("/reports/daily/").content.decode()
    assert '<optgroup label="Origin">' in text
    assert "J⟦U+202E⟧K" in text


@pytest.mark.parametrize("name", ["from", "to", "key", "metric", "page"])
def test_whatever_is_asked_of_a_report_is_answered(viewer, flights, name):
    for junk in (
        "%00",
        "%ff",
        "%ED%A0%80",
        "x" * 3000,
        "-1",
        "9" * 40,
        "0001-01-01",
        "9999-12-31",
        "%E2%80%AE",
    ):
        assert viewer.get(f"/reports/daily/?{name}={junk}").status_code == 200


def test_where_its_files_are_and_how_it_is_computed_now(viewer, operator, flights, tmp_path, monkeypatch):
    assert "$DLQ_DATA_DIR/reports/daily" in viewer.get("/reports/daily/").content.decode()
    monkeypatch.setenv("DLQ_DATA_DIR", str(tmp_path))
    (tmp_path / "reports" / "daily").mkdir(parents=True)
    assert str(tmp_path / "reports" / "daily") in viewer.get("/reports/daily/").content.decode()
    assert 'href="/runs/new/report/"' in operator.get("/reports/").content.decode()
    assert viewer.get("/reports/").context["compute"]["refusal"]
