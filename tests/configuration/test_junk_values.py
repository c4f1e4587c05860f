"""Whatever stands in the environment: a value, or a sentence."""

import pytest

from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.setting import Number, Reader, Row, Switch, Text
from dlqconsole.configuration.shortened import LONGEST_SHOWN
from dlqconsole.configuration.table import TABLE

JUNK = [
    "much",
    "-",
    "1.5",
    "1e3",
    "0x10",
    "\n",
    "\x1b[31m7",
    "½",
    "🦆",
    "'; DROP",
    "9" * 5_000,
    "\udcff",
    " ",
    "٣",
    "2_000",
    "+5",
]
READ = [row for row in TABLE if row.readers & {Reader.DJANGO, Reader.PIPELINE}]


def problems(reader: Reader) -> list[str]:
    try:
        read_settings(reader)
    except BadSettings as refused:
        return refused.problems
    return []


def reader_of(row: Row) -> Reader:
    return Reader.DJANGO if Reader.DJANGO in row.readers else Reader.PIPELINE


@pytest.mark.parametrize("row", READ, ids=lambda row: row.name)
def test_junk_is_taken_as_text_or_refused_in_one_line(environment, row):
    for junk in JUNK:
        environment[row.name] = junk
        for sentence in problems(reader_of(row)):
            assert sentence.startswith(row.name)
            assert sentence.endswith(".")
            assert sentence.isprintable()
            assert len(sentence) < 200 + LONGEST_SHOWN


@pytest.mark.parametrize(
    "row", [row for row in READ if isinstance(row, Number | Switch)], ids=lambda row: row.name
)
def test_what_is_no_number_or_no_switch_is_refused(environment, row):
    for junk in JUNK:
        environment[row.name] = junk
        (sentence,) = problems(reader_of(row))
        assert sentence.startswith(f"{row.name} is ")
        assert sentence.endswith(f"; it must be {row.allowed}.")


def test_a_level_that_is_none(environment):
    environment["LOG_LEVEL"] = "loud"
    with pytest.raises(BadSettings, match="LOG_LEVEL is 'loud'; it must be one of DEBUG, INFO, WARNING"):
        read_settings(Reader.DJANGO)


@pytest.mark.parametrize(
    "url", ["mysql://u@h/d", "sqlite:///x", "host=h dbname=d", "postgres://h:port/d", "postgres://u:[@h/d"]
)
def test_a_database_that_is_no_postgresql(environment, reader, url):
    environment["DATABASE_URL"] = url
    with pytest.raises(BadSettings, match=r"DATABASE_URL cannot be used\. It .* like postgres://user@host"):
        read_settings(reader)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "pgsql"])
def test_every_name_of_postgresql(environment, reader, scheme):
    environment["DATABASE_URL"] = f"{scheme}://u:p%40@h:5433/d?sslmode=require"
    assert read_settings(reader).text("DATABASE_URL") == environment["DATABASE_URL"]


@pytest.mark.parametrize(
    ("spelling", "meant"), [("yes", True), ("1", True), ("On", True), ("no", False), ("0", False)]
)
def test_the_spellings_of_a_switch(environment, spelling, meant):
    environment["DLQ_MASKING"] = spelling
    assert read_settings(Reader.DJANGO).switch("DLQ_MASKING") is meant


def test_words_are_split_at_commas(environment):
    environment["DLQ_MASKED_KEYS"] = "iban,mother"
    assert read_settings(Reader.DJANGO).words("DLQ_MASKED_KEYS") == ["iban", "mother"]


@pytest.mark.parametrize("row", [row for row in TABLE if isinstance(row, Text) and row.choices])
def test_each_choice_can_be_taken(environment, row):
    for choice in row.choices:
        environment[row.name] = choice
        assert read_settings(Reader.DJANGO).text(row.name) == choice


@pytest.mark.parametrize("url", ["garbage", "http://x", "redis://", "redis://h:port/0", "redis:x", " "])
def test_a_broker_that_is_none(environment, url):
    environment["REDIS_URL"] = url
    with pytest.raises(BadSettings, match=r"^REDIS_URL cannot be used\. It .* like redis://:password@host"):
        read_settings(Reader.DJANGO)


@pytest.mark.parametrize(
    "url", ["redis://h", "rediss://u:p%40@h:6380/1?ssl_cert_reqs=required", "redis://[::1]:1/0"]
)
def test_every_address_of_a_broker(environment, url):
    environment["REDIS_URL"] = url
    assert read_settings(Reader.DJANGO).text("REDIS_URL") == url


def test_a_secret_of_spaces_is_none(environment):
    environment["SECRET_KEY"] = "  "
    with pytest.raises(BadSettings, match=r"^SECRET_KEY cannot be used\. It is only spaces"):
        read_settings(Reader.DJANGO)
