"""Archived dead letters are found by key, source, type, day and texts, as everybody may see them."""

import json
import random
from dataclasses import replace

import pytest

from dlqconsole.contrib.archive import finding
from dlqconsole.contrib.archive.folder import ArchiveRefused
from dlqconsole.contrib.archive.job import searching
from dlqconsole.contrib.archive.models import ArchiveFile
from dlqconsole.engine.access_scope import EVERYTHING, AccessScope, asking_as
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from tests.contrib.archive.world import put_away
from tests.plain_sql import rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def files(letter, settings, tmp_path) -> dict[str, list[int]]:
    """Three of each of two types, in two files."""
    settings.DLQ_ARCHIVE_DIR = tmp_path
    made = {}
    for event_type in ("order.created", "order.paid"):
        made[event_type] = [
            letter(
                event_type=event_type,
                payload={"customer": f"c-{number}", "mail": f"ann{number}@example.com"},
                source="shop",
                source_key=f"{event_type}-{number}",
                queue="q" if number else None,
                error_reason=f"Refused: no plane N10{number} for bob{number}@example.com",
            )
            for number in range(3)
        ]
        put_away(made[event_type], "DISCARDED")
    return made


def ids(scope: AccessScope = EVERYTHING, limit: int = 50, **given: str) -> list[int]:
    with asking_as(scope):
        found = finding.find(DeadLetterFilter.parse(given), limit=limit)
    assert found.is_whole
    return sorted(row["id"] for row in found.rows)


def test_what_is_archived_is_found_by_all_that_it_is_known_by(files):
    orders, paid = files["order.created"], files["order.paid"]
    number = ArchiveFile.objects.first()
    assert ids(q="order.created-1") == [orders[1]]
    assert ids(q=str(paid[2])) == [paid[2]]
    assert ids(source="shop") == sorted(orders + paid)
    assert ids(source="sho") == []
    assert ids(type="order.paid") == paid
    assert ids(type="order.paid", q="ORDER.PAID-") == paid
    assert ids(queue="q") == sorted(orders[1:] + paid[1:])
    assert ids(queue="order.paid") == [paid[0]]
    assert ids(reason="plane n102") == [orders[2], paid[2]]
    assert ids(status="SUCCEEDED") == []
    assert ids(category="TRANSIENT", q="c-1") == [orders[1], paid[1]]
    assert ids(since=str(number.day)) == sorted(orders + paid)
    assert ids(until=str(number.day)) == []


def test_what_is_masked_is_found_by_who_operates_alone(files):
    looks = replace(EVERYTHING, searches_values=False)
    orders, paid = files["order.created"], files["order.paid"]
    assert ids(q="bob1@example.com") == ids(reason="bob1@example.com") == [orders[1], paid[1]]
    for part in ("bob1@example.com", "example.com", "ann2@"):
        assert ids(looks, q=part) == ids(looks, reason=part) == []
    assert ids(looks, q="order.created-1") == ids(q="order.created-1")


def test_nobody_finds_beyond_their_scope(files):
    assert ids(AccessScope.of([("q", "order.paid")])) == files["order.paid"][1:]
    assert ids(AccessScope.of([("other", "*")]), q="order.created-1") == []


def test_a_key_opens_few_files_and_a_limit_ends_it(files, monkeypatch):
    opened = []
    monkeypatch.setattr(finding, "scan", lambda path, wanted: iter(opened.append(path) or ()))
    found = finding.find(DeadLetterFilter.parse({"source": "nowhere"}), limit=1)
    assert (found.files, opened) == (0, [])
    found = finding.find(DeadLetterFilter.parse({"q": "order.created-1"}), limit=1)
    assert "order.created" in str(opened[0])
    monkeypatch.undo()
    found = finding.find(DeadLetterFilter.parse({"source": "shop"}), limit=2)
    assert (len(found.rows), found.is_more, found.is_whole) == (2, True, False)
    found = finding.find(DeadLetterFilter.parse({"source": "shop"}), limit=9, seconds=-1)
    assert (found.rows, found.files_searched, found.files, found.is_whole) == ([], 0, 2, False)


def test_a_file_that_cannot_be_read_is_said_and_the_others_are_searched(files, tmp_path):
    next(tmp_path.rglob("type=order.paid/*.parquet")).unlink()
    found = finding.find(DeadLetterFilter.parse({"source": "shop"}), limit=9)
    assert len(found.rows) == 3
    assert "is not in" in found.unread[0]
    assert not found.is_whole


@pytest.mark.parametrize("given", [{"payload.a": "1"}, {"came_back": "2"}])
def test_what_the_archive_is_not_asked_by_is_a_sentence(files, given):
    with pytest.raises(ArchiveRefused, match="The archive is not searched by"):
        finding.find(DeadLetterFilter.parse(given), limit=9)


def test_a_filter_s_bits_are_those_that_postgresql_reads():
    """All that were put in are there, and of others one in a hundred, give or take."""
    drawn = random.Random(7)
    texts = {json.dumps([drawn.random(), "ü"]) for _ in range(2_000)}
    others = [str(drawn.random()) for _ in range(1_000)]
    kept = searching.filter_of(texts)
    asked = [[text, searching.probes(text)] for text in [*sorted(texts)[:200], *others]]
    found = {
        row[0]
        for row in rows(
            "SELECT a ->> 0 FROM jsonb_array_elements(%s::jsonb) a, (SELECT %s::bytea AS keys) f"
            " WHERE NOT EXISTS (SELECT FROM jsonb_array_elements_text(a -> 1) p (place)"
            " WHERE get_bit(f.keys, p.place::bigint %% (8 * octet_length(f.keys)::bigint)) = 0)",
            json.dumps(asked),
            kept,
        )
    }
    assert found >= set(sorted(texts)[:200])
    assert len(found) - 200 < 30
