"""A dead letter is taken along as a pytest, as psql and as curl, with masked values."""

import html
import json
import re
import subprocess
import sys

import pytest

from tests.plain_sql import execute, rows, value

pytestmark = pytest.mark.django_db

PAYLOAD = {"do": "business", "tailnum": "N77", "number": 1234567890123456789, "mail": "ann.smith@example.org"}


@pytest.fixture(autouse=True)
def handlers(settings):
    settings.DLQ_HANDLERS = "tests.sample_handlers"


@pytest.fixture
def failed(letter) -> int:
    return letter(
        payload=PAYLOAD,
        headers='{"tenant": "a", "reply": "bob@example.org"}',
        source="shop",
        source_key="o-1",
        queue="order.created",
        error_reason="PlaneUnknown: tailnum N77 is not in the planes table",
        error_category="BUSINESS",
    )


def copy(client, number, name):
    page = client.get(f"/dead-letters/{number}/").content.decode()
    found = re.search(rf'<pre class="code scroll" id="copy-{name}"[^>]*>(.*?)</pre>', page, re.DOTALL)
    return html.unescape(found[1]) if found else ""


def test_the_pytest_fails_as_the_dead_letter_did(operator, failed, tmp_path):
    text = copy(operator, failed, "pytest")
    (tmp_path / "test_copied.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--ds", "dlqconsole.settings"]
    run = subprocess.run(
        [*command, "-o", "addopts=", "--rootdir", tmp_path, tmp_path / "test_copied.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "PlaneUnknown: tailnum N77 is not in the planes table" in run.stdout


def test_psql_sends_the_event_with_all_its_digits(operator, failed):
    text = copy(operator, failed, "psql")
    statement = text.partition("<<'END_OF_SQL'\n")[2].removesuffix("END_OF_SQL\n")
    execute(statement)
    assert rows("SELECT queue, payload ->> 'number', headers ->> 'tenant' FROM message_queue") == [
        ("order.created", "1234567890123456789", "a")
    ]


@pytest.mark.parametrize("name", ["pytest", "psql", "curl"])
def test_who_may_not_see_a_value_does_not_copy_it(viewer, failed, name):
    text = copy(viewer, failed, name)
    assert "1234567890123456789" in text
    assert "‹email›" in text
    assert "ann.smith" not in text
    assert "bob@" not in text


@pytest.mark.parametrize("payload", ['{"a": "$event$ \\"\\"\\" END_OF_SQL \\\\"}', '[null, "\'"]'])
def test_nothing_in_a_payload_ends_its_quotes(operator, letter, payload):
    one = letter(payload=payload)
    scope = {}
    exec(compile(copy(operator, one, "pytest"), "copied", "exec"), scope)  # noqa: S102
    assert json.loads(scope["PAYLOAD"]) == json.loads(payload)
    statement = copy(operator, one, "psql").partition("<<'END_OF_SQL'\n")[2].removesuffix("END_OF_SQL\n")
    execute(statement)
    assert json.loads(value("SELECT payload::text FROM message_queue")) == json.loads(payload)


def test_bytes_are_not_copied_as_text(operator, letter):
    assert copy(operator, letter(payload_raw=b"\xff"), "pytest") == ""
