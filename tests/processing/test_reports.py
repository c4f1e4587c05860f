"""A report is declared beside its function and found by the name of its module."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from dlqconsole.processing import ReportSetupError, load_reports, report


def rows(*columns):
    return SimpleNamespace(columns=columns, select=lambda *names: names)


@pytest.fixture(autouse=True)
def looked_for_anew() -> None:
    """Each test declares its own in this module, which is read once otherwise."""
    load_reports.cache_clear()


def test_a_declaration_says_what_the_columns_mean():
    @report("daily_orders", by=("country",), metrics={"orders": "count", "paid_share": "share"})
    def daily_orders(events):
        return rows("orders", "paid_share", "country", "day", "other")

    found = load_reports(__name__)["daily_orders"]
    assert (found.title, found.by) == ("Daily orders", ("country",))
    assert found.build(None) == ("day", "country", "orders", "paid_share")


def test_a_function_that_forgets_a_column_is_told():
    @report("forgetful", metrics={"orders": "count"})
    def forgetful(events):
        return rows("day")

    with pytest.raises(ReportSetupError, match="report 'forgetful' returned no column orders"):
        load_reports(__name__)["forgetful"].build(None)


@pytest.mark.parametrize(("returned", "words"), [(None, "nothing"), (7, "a int")])
def test_a_function_that_returns_no_dataframe_is_told(returned, words):
    @report("empty_handed", by=("country",), metrics={"orders": "count"})
    def empty_handed(events):
        return returned

    with pytest.raises(ReportSetupError) as raised:
        load_reports(__name__)["empty_handed"].build(None)
    assert str(raised.value) == (
        f"report 'empty_handed' returned {words}: its function must return a Spark DataFrame with the columns"
        " day, country, orders"
    )


@pytest.mark.parametrize(
    ("name", "by", "metrics", "sentence"),
    [
        ("two words", (), {"n": "count"}, "letters, digits and underscores, not 'two words'"),
        ("a", (), {"n": "mode"}, "n is a 'mode', not count, sum, mean, share, median, p90"),
        ("failures", (), {"n": "count"}, "'failures' is built in: choose another name"),
        ("a", (), {}, "needs metrics"),
        ("a", ("n",), {"n": "count"}, "each column once"),
    ],
)
def test_a_wrong_declaration_is_refused(name, by, metrics, sentence):
    with pytest.raises(ReportSetupError, match=sentence):
        report(name, by=by, metrics=metrics)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"day_of": "created_at"}, "day_of is 'occurred_at' or left out, not 'created_at'"),
        ({"timezone": "Mars/Olympus"}, "there is no timezone 'Mars/Olympus'"),
        ({"timezone": "../etc"}, "there is no timezone"),
        ({"timezone": "localtime"}, "there is no timezone 'localtime'"),
        ({"timezone": "posixrules"}, "there is no timezone 'posixrules'"),
        ({"margin": timedelta(days=-1)}, "a margin is 0 to 31 days, not -1 day"),
    ],
)
def test_days_that_cannot_be_are_refused(given, sentence):
    with pytest.raises(ReportSetupError, match=sentence):
        report("a", metrics={"n": "p90"}, **given)


def test_a_module_that_does_not_exist_is_named():
    with pytest.raises(ReportSetupError, match=r"DLQ_REPORTS names 'no.such', and there is no module"):
        load_reports("no.such")
