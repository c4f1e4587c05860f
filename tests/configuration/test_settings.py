"""Each setting: its type, its bounds, its default, and the line that refuses a wrong value."""

import re

import pytest

from dlqconsole.configuration.document import default_text
from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.settings import FIELDS, NAMES, SECRETS

from .conftest import ENOUGH

NUMBERS = {name: field for name, field in FIELDS.items() if field.annotation is int}
SWITCHES = [name for name, field in FIELDS.items() if field.annotation is bool]
HIDDEN = "hunter2"
WRONG_SECRETS = [
    HIDDEN,
    f"{HIDDEN}://u@h/d",
    f"postgres://u:{HIDDEN}@h:{HIDDEN}/d",
    f"postgres://u:{HIDDEN}[@h/d",
    f"mysql://u:{HIDDEN}@h",
    f"mysql://u:{HIDDEN}@h:x{HIDDEN}/d",
    f"mysql://u:p@h/d?{HIDDEN}={HIDDEN}",
]


def test_no_more_than_sixty_beside_the_addresses_of_other_systems():
    addresses = {name for name in NAMES if re.fullmatch("DLQ_[A-Z]+_(URL|SERVERS|BROKERS)", name)}
    assert len(NAMES - addresses) + len({"PORT", "DLQ_DEMO_PASSWORD"}) <= 60


def test_an_empty_value_is_the_default(environment):
    before = read_settings()
    environment |= dict.fromkeys(NAMES - ENOUGH.keys() - {"DLQ_DATA_DIR"}, "")
    assert read_settings() == before


def test_each_default_is_read_back_from_its_own_text(environment):
    before = read_settings()
    texts = {name: default_text(field.default) for name, field in FIELDS.items() if name not in environment}
    environment |= {name: text for name, text in texts.items() if text != "none" and "(" not in text}
    environment.pop("DLQ_ARCHIVE_DIR", None)
    assert read_settings() == before


@pytest.mark.parametrize("name", sorted(ENOUGH))
def test_a_required_setting_is_asked_for(environment, refusals, name):
    environment[name] = ""
    assert refusals() == [f"{name} is not set, and no demo is running in this checkout"]


@pytest.mark.parametrize(("name", "field"), NUMBERS.items(), ids=NUMBERS)
def test_the_bounds_of_a_number(environment, refusals, name, field):
    low, high = (getattr(field.metadata[place], limit) for place, limit in ((0, "ge"), (1, "le")))
    assert low <= field.default <= high
    for value in (low, high):
        environment |= {"DLQ_RETRY_BACKOFF_BASE": "1", name: str(value)}
        if name == "DLQ_RETRY_BACKOFF_BASE":
            environment["DLQ_RETRY_BACKOFF_CAP"] = str(high)
        assert getattr(read_settings(), name) == value
    for value in (low - 1, high + 1, "much"):
        environment[name] = str(value)
        (line,) = refusals()
        assert line.startswith(f"{name} is '{value}': Input should be ")


def test_the_longest_backoff_is_not_below_the_first(environment, refusals):
    environment["DLQ_RETRY_BACKOFF_BASE"] = "30000"
    assert refusals() == ["DLQ_RETRY_BACKOFF_CAP is 21600: It must not be below DLQ_RETRY_BACKOFF_BASE"]
    environment["DLQ_RETRY_BACKOFF_CAP"] = "30000"
    assert refusals() == []


def test_all_mistakes_are_named_at_once_in_the_order_of_the_table(environment, refusals):
    wrong = [name for name in FIELDS if name in NUMBERS or name in SWITCHES]
    environment |= dict.fromkeys(wrong, "wrong")
    assert [line.split()[0] for line in refusals()] == wrong


@pytest.mark.parametrize("name", sorted(SECRETS & NAMES))
@pytest.mark.parametrize("value", WRONG_SECRETS)
def test_no_line_shows_a_secret(environment, name, value):
    environment |= {name: value, "DLQ_LEASE_SECONDS": "0"}
    with pytest.raises(BadSettings) as refused:
        read_settings()
    assert HIDDEN not in str(refused.value)
    assert "DLQ_LEASE_SECONDS" in str(refused.value)


@pytest.mark.parametrize(
    "name", ["DLQ_RABBITMQ_MANAGEMENT", "DLQ_PUBLIC_URL", "CSRF_TRUSTED_ORIGINS", "DLQ_TRACE_URL"]
)
@pytest.mark.parametrize("value", ["https://u:{}@[", "https://a.org,https://u:a@{}@b.org", "u:{}@b.org"])
def test_an_address_is_quoted_without_its_account(environment, refusals, name, value):
    environment[name] = value.format("hun")
    (line,) = refusals()
    assert "…@" in line
    assert "hun" not in line


def test_no_secret_shows_in_the_object(environment):
    environment |= {"DATABASE_URL": f"postgres://u:{HIDDEN}@h/d", "DLQ_TOKEN": HIDDEN}
    assert HIDDEN not in repr(read_settings())


def test_what_may_hold_a_password_is_a_secret():
    telling = ("_URL", "SECRET", "TOKEN", "PASSWORD", "AUDIT_KEY", "BROKERS")
    of_pages = {"DLQ_SOURCE_URL", "DLQ_TRACE_URL", "DLQ_PUBLIC_URL"}  # links for people
    assert {name for name in NAMES if any(word in name for word in telling)} - of_pages == SECRETS & NAMES


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("DATABASE_URL", "mysql://u@h/d", "postgresql://u:p%40@h:5433/d?sslmode=require"),
        ("DATABASE_URL", "host=h dbname=d", "pgsql://u@h/d"),
        ("REDIS_URL", "http://x", "rediss://u:p%40@h:6380/1?ssl_cert_reqs=required"),
        ("DLQ_SCHEMA", "pg_mine", "letters"),
        ("DLQ_SCHEMA", "Letters", "_2"),
        ("CSRF_TRUSTED_ORIGINS", "dlq.example.org", "https://dlq.example.org,http://*.example.org:8080"),
        ("CSRF_TRUSTED_ORIGINS", "https://dlq.example.org/", "https://[fd00::1]"),
        ("DLQ_METRICS_TOKEN", "x" * 15, "x" * 16),
        ("DLQ_INGEST_FOLDERS", "/data,events", "/data,/events"),
        ("DLQ_INGEST_FOLDERS", "=", ""),
        ("SPARK_DRIVER_MEMORY", "lots", "1536m"),
        ("LOG_LEVEL", "loud", "DEBUG"),
        ("DLQ_HANDLER_ISOLATION", "thread", "none"),
        ("DLQ_KAFKA_CONFIG", "/nowhere", ""),
        ("DLQ_REPORT_AT", "24:00", "off"),
        ("DLQ_MAIL_URL", "smtp://u:p@mail.example.org", "smtp://u:p@localhost:2525"),
        ("DLQ_TRUSTED_PROXIES", "all", "10.0.0.0/8,fd00::/8"),
        ("SPARK_MASTER", "lokal", "k8s://https://host:443"),
        ("SPARK_MASTER", "spark://host", "spark://a:7077,b:7077"),
        ("SPARK_MASTER", "local[2", "local[*, 3]"),
        ("DLQ_MASKING", "maybe", "on"),
    ],
)
def test_other_values(environment, refusals, name, wrong, right):
    environment[name] = wrong
    (line,) = refusals()
    assert line.startswith(name)
    assert line.isprintable()
    environment[name] = right
    assert refusals() == []


def test_words_are_split_at_commas(environment):
    environment["DLQ_MASKED_KEYS"] = " iban, ,mother,"
    assert read_settings().DLQ_MASKED_KEYS == ["iban", "mother"]


def test_a_program_may_replace_a_value(environment):
    assert read_settings(DLQ_HANDLERS="theirs", DLQ_REPORTS="").plain()["DLQ_HANDLERS"] == "theirs"
