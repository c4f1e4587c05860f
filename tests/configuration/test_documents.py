"""The table of docs/settings.md is true, and no document, compose file or image names an unknown setting."""

import re

import pytest

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.configuration.document import shown_default, with_table
from dlqconsole.configuration.settings import FIELDS, NAMES
from tests.of_features import with_features

DOCUMENTS = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
OTHERS = [CHECKOUT / name for name in ("compose.yaml", "Dockerfile", "Makefile", "CHANGELOG.md")]
NAME = re.compile(r"\b(?:DLQ|SPARK)_[A-Z_]*[A-Z]\b(?!\*)")
NOT_SETTINGS = {
    "DLQ_DEMO_PASSWORD": "the demo's",
    "DLQ_ADMIN": "the first administrator's name, for dlqconsole up",
    "DLQ_ADMIN_PASSWORD": "the first administrator's, for dlqconsole up",
    "DLQ_PG_HOME": "a program of the demo and the tests",
    "DLQ_VALKEY_SERVER": "a program of the demo and the tests",
    "DLQ_URL": "where the examples of the API report to",
    "DLQ_CHROMIUM": "the browser that tests drive",
    "DLQ_MARIADB": "the server that tests attach",
    "DLQ_TEST_SOAK": "how much load tests take",
    "DLQ_USERS_SCHEMA": "of a Django project that has us as a guest",
    "SPARK_LOCAL_IP": "Spark's own",
    "SPARK_SUBMIT_OPTS": "Spark's own",
}
# | `NAME` | default | …
ROW = re.compile(r"^\| `([A-Z_]+)` \| ([^|]*?) *\|", re.MULTILINE)


@with_features
def test_the_document_holds_the_table():
    text = (CHECKOUT / "docs/settings.md").read_text(encoding="utf-8")
    assert text == with_table(text), "run: python -m dlqconsole.configuration"
    assert "| `DLQ_LEASE_SECONDS` | `20` | 1 to 3,600 | seconds after which" in text


@with_features
@pytest.mark.parametrize("file", [*DOCUMENTS, *OTHERS], ids=lambda file: file.name)
def test_every_setting_that_is_named_exists(file):
    named = set(NAME.findall(file.read_text(encoding="utf-8")))
    assert named - NAMES - NOT_SETTINGS.keys() == set()


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_every_default_that_a_document_tells_is_true(file):
    for name, told in ROW.findall(file.read_text(encoding="utf-8")):
        if name in NAMES:
            assert (told.strip("`") or "none") == shown_default(FIELDS[name]).strip("`"), name
