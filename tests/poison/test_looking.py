"""A poison row of each kind among healthy ones: every page, search and export shows all, and poison cut."""

import base64
import csv
import io
import json
import re
import sys

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from tests.exported import taken_from_the_list
from tests.plain_sql import column
from tests.poison.conftest import Crowd
from tests.poison.kinds import KINDS

PAGE_LIMIT = 500_000
OWN_PAGE_LIMIT = 3_000_000
SEARCHES = ["reason=said", "q=billing", "category=TRANSIENT", "since=1h"]
INTO_PAYLOADS = ["payload.order_id=1"]
RECIPE = '[{"op": "add", "path": "/note", "value": "seen"}]'
# beside the reason, what the form of a kind must hold
FORMS = {"edit": {"recipe": RECIPE}, "reclassify": {"category": "BUSINESS"}, "export": {"format": "csv"}}
csv.field_size_limit(sys.maxsize)

pytestmark = [pytest.mark.django_db, pytest.mark.sized]


@pytest.fixture(scope="module")
def downloads(committed_crowd, django_db_blocker) -> dict[str, bytes]:
    """What the console exports of the crowd: masking the largest takes seconds, so it is done once."""
    with django_db_blocker.unblock():
        return {format: downloaded(committed_crowd.operator, format) for format in ("csv", "jsonl")}


def listed(crowd: Crowd, query: str) -> set[int]:
    answer = crowd.operator.get(f"/dead-letters/?size=200&stay=1&{query}")
    assert answer.status_code == 200
    assert answer.context["problems"] == []
    return {row["id"] for row in answer.context["rows"]}


def test_the_list_shows_them_all_and_stays_small(crowd):
    answer = crowd.operator.get("/dead-letters/")
    shown = {row["id"] for row in answer.context["rows"]}
    assert [name for name, poison in crowd.poisons.items() if poison not in shown] == []
    assert len(answer.content) < PAGE_LIMIT
    assert listed(crowd, "") == crowd.everyone


@pytest.mark.parametrize("query", SEARCHES)
def test_a_search_finds_them_all(crowd, query):
    assert listed(crowd, query) == crowd.everyone


@pytest.mark.parametrize("query", INTO_PAYLOADS)
def test_a_search_in_payloads_finds_the_healthy_ones(crowd, query):
    assert listed(crowd, query) >= crowd.healthy


def test_its_own_page_shows_it_cut_with_its_neighbours(crowd):
    for name, poison in crowd.poisons.items():
        answer = crowd.operator.get(f"/dead-letters/{poison}/")
        assert answer.status_code == 200, name
        # a long one is fetched behind its page
        assert not KINDS[name].is_long or "text" not in answer.context["payload"], name
        assert answer.context["next_url"], name
        assert answer.context["prev_url"], name
        assert len(answer.content) < OWN_PAGE_LIMIT, name


def test_its_payload_can_be_saved_byte_by_byte(crowd):
    for name, poison in crowd.poisons.items():
        saved = crowd.operator.get(f"/dead-letters/{poison}/raw").content
        (raw,) = column("SELECT payload_raw FROM dlq_events WHERE id = %s", poison)
        (text,) = column("SELECT payload::text FROM dlq_events WHERE id = %s", poison)
        assert saved == (text.encode() if raw is None else bytes(raw)), name


def test_the_csv_holds_every_row(crowd, downloads):
    text = downloads["csv"].decode()
    rows = {int(row["id"]): row for row in csv.DictReader(io.StringIO(text, newline=""))}
    assert rows.keys() == crowd.everyone
    for name, poison in crowd.poisons.items():
        saved = base64.b64decode(rows[poison]["payload_raw_base64"])
        # what cannot be read cannot be masked either: the download says so in its place
        assert saved == raw_bytes(poison) or saved.decode().startswith("\u2039"), name


def test_the_json_lines_hold_every_row(crowd, downloads):
    lines = downloads["jsonl"].splitlines()
    ids = [int(re.match(rb'\{"id" ?: ?(\d+)', line)[1]) for line in lines]
    assert sorted(ids) == sorted(crowd.everyone)
    healthy = [
        json.loads(line) for line, letter_id in zip(lines, ids, strict=True) if letter_id in crowd.healthy
    ]
    assert all(row["payload"] == {"order_id": 1} for row in healthy)


def downloaded(client: Client, format: str) -> bytes:
    return taken_from_the_list(client, format)


def raw_bytes(letter_id: int) -> bytes:
    (raw,) = column("SELECT coalesce(payload_raw, '') FROM dlq_events WHERE id = %s", letter_id)
    return bytes(raw)


@pytest.mark.parametrize("address", ["/", "/groups/", "/queues/", "/metrics", "/audit/", "/operations/"])
def test_pages_about_all_of_them_answer(crowd, address):
    answer = crowd.operator.get(address)
    assert answer.status_code == 200
    assert len(answer.content) < PAGE_LIMIT


def test_its_group_and_its_queue_have_pages(crowd):
    poisons = list(crowd.poisons.values())
    groups = column("SELECT DISTINCT group_id FROM dlq_events WHERE id = ANY (%s)", poisons)
    queues = column(
        "SELECT DISTINCT coalesce(queue, event_type) FROM dlq_events WHERE id = ANY (%s)", poisons
    )
    pages = [reverse("dlq:group", args=[group]) for group in groups]
    for name in ("queue", "queue_messages", "queue_archive"):
        pages += [reverse(f"dlq:{name}", args=[queue]) for queue in queues]
    for address in pages:
        assert crowd.operator.get(address, follow=True).status_code == 200, address


def test_the_admin_lists_and_shows_it(crowd):
    answer = crowd.admin.get(reverse("admin:dlq_engine_deadletter_changelist"))
    assert len(answer.content) < PAGE_LIMIT
    assert crowd.admin.get(reverse("admin:dlq_engine_failuregroup_changelist")).status_code == 200
    for name, poison in crowd.poisons.items():
        change = reverse("admin:dlq_engine_deadletter_change", args=[poison])
        assert change in answer.content.decode(), name
        shown = crowd.admin.get(change)
        assert shown.status_code == 200, name
        assert len(shown.content) < OWN_PAGE_LIMIT, name


def test_the_command_line_lists_and_counts_them(crowd, capsys):
    for options in ([], ["--json"]):
        call_command("deadletters", "list", "--limit", "200", *options)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == len(crowd.everyone)
        assert all(line.isprintable() for line in lines)
    call_command("deadletters", "count", "--reason", "said")
    assert capsys.readouterr().out.strip() == str(len(crowd.everyone))


def test_the_command_line_shows_it_whole_in_one_printable_line(crowd, capsys):
    for name, poison in crowd.poisons.items():
        call_command("deadletters", "show", str(poison))
        check_it_is_whole(name, poison, capsys.readouterr().out.removesuffix("\n"))


def check_it_is_whole(name: str, poison: int, line: str) -> None:
    assert line.isprintable(), name
    (is_json,) = column("SELECT (%s::jsonb ->> 'id')::bigint = %s", line, poison)
    assert is_json, name
    (text,) = column("SELECT payload::text FROM dlq_events WHERE id = %s", poison)
    if text is not None:
        (same,) = column(
            "SELECT (%s::jsonb -> 'payload') = payload FROM dlq_events WHERE id = %s", line, poison
        )
        assert same, name
    (raw,) = column("SELECT coalesce(%s::jsonb ->> 'payload_raw_base64', '')", line)
    assert base64.b64decode(raw) == raw_bytes(poison), name


def test_the_command_line_exports_every_row(crowd, downloads, tmp_path, capsys):
    for format, download in downloads.items():
        target = tmp_path / format
        call_command("deadletters", "export", "--format", format, "--output", str(target))
        assert capsys.readouterr().err.startswith(f"{len(crowd.everyone)} dead letters")
        assert target.read_bytes() == download


def test_every_confirm_page_counts_them(crowd):
    for kind in ("retry", "revive", "discard", "edit", "reclassify", "export", "purge"):
        fields = {"kind": kind, "ids": sorted(crowd.everyone), **FORMS.get(kind, {})}
        answer = crowd.operator.post(reverse("dlq:operation_confirm"), fields)
        assert answer.status_code == 200, kind
        assert answer.context["preview"]["count"] == len(crowd.everyone), kind
