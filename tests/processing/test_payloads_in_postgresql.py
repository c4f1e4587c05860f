"""The reader's promises about jsonb, checked with a real PostgreSQL."""

import os

import psycopg
import pytest
from hypothesis import example, given, settings

from dlqconsole.processing import decode, sanitise_text
from tests.sizes import sized

from .test_payload_roads import TEXTS


@pytest.fixture(scope="module")
def connection():
    if not os.environ.get("DATABASE_URL"):
        pytest.skip("needs DATABASE_URL")
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        yield connection


@pytest.mark.sized
@given(text=TEXTS)
@settings(max_examples=sized(150, 400))
@example(text='{"a":1e308}')
@example(text="[1e-308, 0.10, -0.0, 1.5e-3]")
@example(text='"' + "\\u0001\\ud83d\\ude00" + '"')
def test_jsonb_takes_every_copy_and_gives_back_the_values_unless_raw_is_kept(connection, text):
    found = decode(text)
    if found.json_text is None:
        return
    stored = connection.execute("SELECT %s::jsonb::text", [found.json_text]).fetchone()[0]
    if found.raw is None:
        again = decode(stored)
        assert (again.state, again.raw) == ("ok", None)
        assert repr(_sorted(again.value)) == repr(_sorted(found.value))


def test_cleaned_text_fits_a_text_column(connection):
    hostile = "a\x00\ud800\x1b[31m\ufffe\u202e"
    assert connection.execute("SELECT %s::text", [sanitise_text(hostile)]).fetchone() == (
        "a\ufffd\ufffe\u202e",
    )


def _sorted(value):
    """jsonb orders keys in its own way; only the values matter here."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
