"""A report's rows in PostgreSQL: every digit of a figure, and a sentence for what is no figure."""

import math
from datetime import date
from decimal import Decimal

import psycopg
import pytest

from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.reports.days import ReportPlan, announce
from dlqconsole.pipeline.reports.storing import store_rows
from dlqconsole.processing.reports import DailyReport

pytestmark = pytest.mark.django_db(transaction=True)

REPORT = DailyReport("r", "R", ("k",), {"n": "sum"}, lambda events: events, "occurred_at")
HUGE = "99999999999999999999999999999999999999"


@pytest.fixture
def store(database_url):
    """store(k, n) keeps one row, as Spark gives it."""
    with psycopg.connect(database_url, autocommit=True) as connection:

        def keep(key: object, figure: object) -> None:
            announce(connection, [REPORT])
            row = {"day": date(2026, 1, 1), "k": key, "n": figure}
            store_rows(connection, REPORT, [row], ReportPlan(None), lambda: None)

        yield keep


@pytest.mark.parametrize(
    ("figure", "kept"),
    [
        (Decimal(HUGE), HUGE),
        (Decimal("12345678901234567890.10"), "12345678901234567890.1"),
        (Decimal("-5.00"), "-5"),
        (Decimal("100"), "100"),
        (Decimal("0E-18"), "0"),
        (0.25, "0.25"),
        (math.nan, None),
    ],
)
def test_every_digit_of_a_figure_is_kept(store, rows, figure, kept):
    store("a", figure)
    assert rows("SELECT figures ->> 'n' AS n FROM report_rows") == [{"n": kept}]


def test_a_key_may_be_as_long(store, rows):
    store(Decimal(HUGE), 1)
    assert rows("SELECT key ->> 'k' AS k FROM report_rows") == [{"k": HUGE}]


def test_what_json_cannot_hold_is_a_sentence_with_report_and_column(store, rows):
    with pytest.raises(PipelineProblem, match="report 'r' cannot be stored: of n: Dict key must be str"):
        store("a", {1: 2})
    assert rows("SELECT * FROM report_rows") == []
