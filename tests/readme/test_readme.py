"""The README typed literally, on a fresh copy of the checkout: each block works as its words say."""

import os
import re
from collections.abc import Iterator

import psycopg
import pytest
from playwright.sync_api import Page, expect

from tests.pgmq_sql import pgmq_sql
from tests.readme.loaded import Loaded
from tests.readme.newcomer import CHECKOUT, README, Newcomer, blocks, inline
from tests.readme.year import Year, table
from tests.waiting import eventually

PGMQ = CHECKOUT / "docs/queue-pgmq.md"
pytestmark = [pytest.mark.spark, pytest.mark.browser]

TYPED = {
    ("dlqconsole", 0),
    ("The demo", 0),
    ("Change a hundred thousand and sleep well", 0),
    ("Plain SQL is a first-class client", 0),
    ("The queue", 0),
    ("The queue", 1),
    ("An event type of your own", 0),
    ("An event type of your own", 1),
}


def test_every_block_of_the_readme_is_typed_below():
    assert set(blocks()) == TYPED


def test_the_demo_leaves_servers_alone_that_somebody_has_already(newcomer: Newcomer):
    """Its shell has DATABASE_URL and REDIS_URL: it once migrated there, and promoted accounts."""
    for name in ("DATABASE_URL", "REDIS_URL"):
        assert newcomer.wait_for(
            f"{name} is set: the demo leaves that server alone and starts one of its own", 1
        )
    with psycopg.connect(os.environ["DATABASE_URL"]) as theirs:
        assert theirs.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall() == []
    assert newcomer.database_url != os.environ["DATABASE_URL"]


def test_the_whole_year(newcomer: Newcomer, year: Year, loaded: Loaded):
    assert table(year.whole) == the_readmes_table()
    fail = sum(outcome != "enriched" for outcome in year.whole.values())
    assert f"loads {len(year.whole):,} events" in README.read_text()
    assert f"{fail:,} fail for real reasons" in README.read_text()
    events, enriched = f"{len(year.loaded):,}", year.ended("enriched")
    failed = len(year.loaded) - enriched
    assert newcomer.wait_for(
        f"{events} of {events} events (100 %), {enriched:,} enriched, {failed:,} dead letters", 1
    )
    expected = dict(year.loaded)
    wrong = [event for event, outcome in loaded.outcomes.items() if expected.pop(event, None) != outcome]
    assert (wrong, expected) == ([], {})
    assert loaded.groups == {
        "PlaneUnknown": [year.ended("PlaneUnknown")],
        "FlightCancelled": [year.ended("FlightCancelled")],
        "AirportUnknown": [year.ended("AirportUnknown")],
        "SchemaViolation": [2_727, 70, 4, 1],
        "WeatherMissing": [1_277],
    }
    assert loaded.report == year.sums()
    # ingest and report had one Java, which is to be waited for once
    assert [log.name for log in (newcomer.folder / ".data/logs").glob("spark-*")] == ["spark-flights.log"]


def test_the_readme_typed_from_top_to_bottom(
    newcomer: Newcomer, year: Year, loaded: Loaded, page: Page, session
):
    unknown = year.ended("PlaneUnknown")
    the_demo(newcomer, page, session, unknown)
    assert_counts_and_queues(newcomer, unknown)
    change_a_hundred_thousand(newcomer, session)
    plain_sql(session)
    the_queue(newcomer, session)
    an_event_type_of_your_own(newcomer)


@pytest.fixture
def session(newcomer: Newcomer) -> Iterator[psycopg.Connection]:
    with psycopg.connect(newcomer.database_url, autocommit=True) as connection:
        yield connection


def the_demo(newcomer: Newcomer, page: Page, session: psycopg.Connection, unknown: int) -> None:
    """The first four steps under “Try five things”."""
    page.goto(newcomer.wait_for("Ready:", 1).partition("Ready: ")[2])
    page.get_by_label("User name").fill("operator")
    page.get_by_label("Password").fill(newcomer.password)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Dead letters", exact=True).click()
    page.get_by_role("textbox", name="Reason contains").fill("PlaneUnknown")
    page.get_by_role("button", name="Filter", exact=True).click()
    words = page.locator("#count-words")  # and the few of the trickle are among them
    eventually(lambda: unknown <= shown(words.inner_text()) < unknown + 450, 20)

    assert "N725MQ" in newcomer.types(inline(".venv/bin/python -m examples.flights add-plane"))

    page.get_by_role("textbox", name="Reason contains").fill("N725MQ")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page.locator("#count-words")).to_contain_text(re.compile(r"5[4-9]\d matching"), timeout=20_000)
    page.get_by_label(re.compile(r"all \d+ matching")).check()
    page.get_by_role("button", name=re.compile("^Revive")).click()
    page.get_by_label(re.compile("^Why")).fill("the registry is complete now")
    page.get_by_role("button", name=re.compile("^Revive")).last.click()
    page.wait_for_url(re.compile(r"/operations/1/"))
    expect(page.locator("#op-status")).to_contain_text("Completed", timeout=300_000)
    eventually(
        lambda: count(session, "status = 'SUCCEEDED' AND payload #>> '{data,tailnum}' = 'N725MQ'") > 500, 300
    )


def shown(words: str) -> int:
    """The number that a person reads."""
    return int(re.search(r"[\d,]+", words)[0].replace(",", ""))


def assert_counts_and_queues(newcomer: Newcomer, unknown: int) -> None:
    counted, *others = newcomer.types(blocks()["The demo", 0]).splitlines()
    assert unknown - 1_000 < shown(counted) < unknown + 450
    assert any("flight.departed" in line for line in others)


def change_a_hundred_thousand(newcomer: Newcomer, session: psycopg.Connection) -> None:
    said = newcomer.types(blocks()["Change a hundred thousand and sleep well", 0])
    assert said.startswith("Operation 2")
    eventually(lambda: one(session, "SELECT status FROM operations WHERE kind = 'undo'") == "completed", 300)
    assert count(session, "status = 'REVIVED' AND operation_id = 2") == 0


def plain_sql(session: psycopg.Connection) -> None:
    found = session.execute(blocks()["Plain SQL is a first-class client", 0])
    results = []
    while True:
        results.append(found.fetchall() if found.description else [])
        if not found.nextset():
            break
    _message, _dead_letter, ((reported,),), ((revived,),), events = results
    assert isinstance(reported, int)
    assert isinstance(revived, int)
    assert len(events) == 2
    with session.transaction(force_rollback=True):  # no consumer of the demo comes in between
        number = one(session, "SELECT min(id) FROM dlq_events WHERE status = 'PENDING'")
        assert isinstance(one(session, f"SELECT dead_letter_revive({number})"), int)
        assert one(session, f"SELECT dead_letter_revive({number})") is None


def the_queue(newcomer: Newcomer, session: psycopg.Connection) -> None:
    create, consume, pause = blocks()["The queue", 0].splitlines()
    newcomer.types(create)
    waiting = "SELECT count(*), count(unhandled_type) FROM message_queue WHERE queue = 'orders'"
    newcomer.types_and_interrupts(consume, lambda: len(set(session.execute(waiting).fetchone())) == 1)
    # nobody in the demo handles orders: they wait, and nothing is made of them
    assert session.execute(waiting).fetchone() == (1, 1)
    assert count(session, "queue = 'orders'") == 0
    newcomer.types(pause)
    assert one(session, "SELECT paused FROM queues WHERE name = 'orders'")
    with psycopg.connect(newcomer.owner_url, autocommit=True) as owner:
        owner.execute(pgmq_sql())
        owner.execute("SELECT pgmq.create('orders')")
        owner.execute(PGMQ.read_text().partition("```sql")[2].partition("```")[0])
    newcomer.types(blocks()["The queue", 1])
    assert one(session, "SELECT count(*) FROM attached_queues") == 1


def an_event_type_of_your_own(newcomer: Newcomer) -> None:
    module = blocks()["An event type of your own", 0]
    (newcomer.folder / re.findall(r"# (\w+\.py)", module)[0]).write_text(module)
    said = newcomer.types(blocks()["An event type of your own", 1])
    assert "CustomerUnknown: customer bob is not in the customers table" in said
    assert "customer ann" not in said


def the_readmes_table() -> dict[tuple[str, str], int]:
    """What passes and what fails, as the README has it."""
    of_the_demo = README.read_text().partition("\n## The demo\n")[2]
    header, _line, *lines = re.findall(r"^\|(.*)\|$", of_the_demo, re.MULTILINE)[:5]
    outcomes = [cell.strip() for cell in header.split("|")][1:]
    table = {}
    for line in lines:
        event_type, *cells = (cell.strip().replace(",", "") for cell in line.split("|"))
        table |= {
            (event_type, outcome): int(cell) for outcome, cell in zip(outcomes, cells, strict=True) if cell
        }
    return {key: number for key, number in table.items() if number}


def count(session: psycopg.Connection, condition: str) -> int:
    return one(session, f"SELECT count(*) FROM dlq_events WHERE {condition}")


def one(session: psycopg.Connection, query: str):
    """The first column of the first row."""
    row = session.execute(query).fetchone()
    return row and row[0]
