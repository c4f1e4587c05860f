"""One poison row among healthy ones: every page, search and export shows the others, and itself cut."""

import base64
import csv
import io
import json
import re
import sys

import pytest
from django.core.management import call_command
from django.urls import reverse

from tests.poison.conftest import World, column

PAGE_LIMIT = 500_000
SEARCHES = ["reason=said", "q=billing", "category=TRANSIENT", "since=1h"]
INTO_PAYLOADS = ["q=order_id", "payload.order_id=1"]
csv.field_size_limit(sys.maxsize)

pytestmark = pytest.mark.django_db


def listed(world: World, query: str) -> set[int]:
    answer = world.operator.get(f"/dead-letters/?size=200&stay=1&{query}")
    assert answer.status_code == 200
    assert answer.context["problems"] == []
    return {row["id"] for row in answer.context["rows"]}


def test_the_list_shows_them_all_and_stays_small(world):
    answer = world.operator.get("/dead-letters/")
    assert world.poison in {row["id"] for row in answer.context["rows"]}
    assert len(answer.content) < PAGE_LIMIT
    assert listed(world, "") == world.everyone


@pytest.mark.parametrize("query", SEARCHES)
def test_a_search_finds_them_all(world, query):
    assert listed(world, query) == world.everyone


@pytest.mark.parametrize("query", INTO_PAYLOADS)
def test_a_search_in_payloads_finds_the_healthy_ones(world, query):
    assert listed(world, query) >= world.healthy


def test_its_own_page_shows_it_cut_with_its_neighbours(world):
    answer = world.operator.get(f"/dead-letters/{world.poison}/")
    assert answer.status_code == 200
    assert answer.context["payload"]["truncated"] == world.kind.is_long
    assert answer.context["next_url"]
    assert answer.context["prev_url"]
    assert len(answer.content) < 3_000_000


def test_its_payload_can_be_saved_byte_by_byte(world):
    saved = world.operator.get(f"/dead-letters/{world.poison}/raw").content
    (raw,) = column("SELECT payload_raw FROM dlq_events WHERE id = %s", world.poison)
    (text,) = column("SELECT payload::text FROM dlq_events WHERE id = %s", world.poison)
    assert saved == (text.encode() if raw is None else bytes(raw))


def test_the_csv_holds_every_row(world):
    rows = list(csv.DictReader(io.StringIO(downloaded(world, "csv").decode(), newline="")))
    assert {int(row["id"]) for row in rows} == world.everyone
    (poison,) = [row for row in rows if int(row["id"]) == world.poison]
    saved = base64.b64decode(poison["payload_raw_base64"])
    # what cannot be read cannot be masked either: the download says so in its place
    assert saved == raw_bytes(world) or saved.decode().startswith("\u2039")


def test_the_json_lines_hold_every_row(world):
    lines = downloaded(world, "jsonl").splitlines()
    ids = [int(re.match(rb'\{"id" ?: ?(\d+)', line)[1]) for line in lines]
    assert sorted(ids) == sorted(world.everyone)
    healthy = [
        json.loads(line) for line, letter_id in zip(lines, ids, strict=True) if letter_id != world.poison
    ]
    assert all(row["payload"] == {"order_id": 1} for row in healthy)


def downloaded(world: World, format: str) -> bytes:
    answer = world.operator.get(f"/dead-letters/export.{format}")
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def raw_bytes(world: World) -> bytes:
    (raw,) = column("SELECT coalesce(payload_raw, '') FROM dlq_events WHERE id = %s", world.poison)
    return bytes(raw)


@pytest.mark.parametrize("address", ["/", "/groups/", "/queues/", "/metrics", "/audit/", "/operations/"])
def test_pages_about_all_of_them_answer(world, address):
    answer = world.operator.get(address)
    assert answer.status_code == 200
    assert len(answer.content) < PAGE_LIMIT


def test_its_group_and_its_queue_have_pages(world):
    [[group, queue]] = [
        column("SELECT group_id FROM dlq_events WHERE id = %s", world.poison)
        + column("SELECT coalesce(queue, event_type) FROM dlq_events WHERE id = %s", world.poison)
    ]
    pages = [
        reverse("group", args=[group]),
        reverse("queue", args=[queue]),
        reverse("queue_messages", args=[queue]),
        reverse("queue_archive", args=[queue]),
    ]
    for address in pages:
        assert world.operator.get(address, follow=True).status_code == 200, address


def test_the_admin_lists_and_shows_it(world):
    change = reverse("admin:engine_deadletter_change", args=[world.poison])
    answer = world.admin.get(reverse("admin:engine_deadletter_changelist"))
    assert change in answer.content.decode()
    assert len(answer.content) < PAGE_LIMIT
    shown = world.admin.get(change)
    assert shown.status_code == 200
    assert len(shown.content) < 3_000_000
    assert world.admin.get(reverse("admin:engine_failuregroup_changelist")).status_code == 200


def test_the_command_line_lists_and_counts_them(world, capsys):
    for options in ([], ["--json"]):
        call_command("deadletters", "list", "--limit", "200", *options)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == len(world.everyone)
        assert all(line.isprintable() for line in lines)
    call_command("deadletters", "count", "--reason", "said")
    assert capsys.readouterr().out.strip() == str(len(world.everyone))


def test_the_command_line_shows_it_whole_in_one_printable_line(world, capsys):
    call_command("deadletters", "show", str(world.poison))
    line = capsys.readouterr().out.removesuffix("\n")
    assert line.isprintable()
    (is_json,) = column("SELECT (%s::jsonb ->> 'id')::bigint = %s", line, world.poison)
    assert is_json
    (text,) = column("SELECT payload::text FROM dlq_events WHERE id = %s", world.poison)
    if text is not None:
        (same,) = column(
            "SELECT (%s::jsonb -> 'payload') = payload FROM dlq_events WHERE id = %s", line, world.poison
        )
        assert same
    (raw,) = column("SELECT coalesce(%s::jsonb ->> 'payload_raw_base64', '')", line)
    assert base64.b64decode(raw) == raw_bytes(world)


def test_the_command_line_exports_every_row(world, tmp_path, capsys):
    for format in ("csv", "jsonl"):
        target = tmp_path / format
        call_command("deadletters", "export", "--format", format, "--output", str(target))
        assert capsys.readouterr().err.startswith("100 dead letters")
        assert target.read_bytes() == downloaded(world, format)
