"""The README's table is ours, and no document, compose file or image names a setting that there is not."""

import re

import pytest

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.configuration.document import with_table
from dlqconsole.configuration.table import BY_NAME, TABLE

DOCUMENTS = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
OTHERS = [CHECKOUT / name for name in ("compose.yaml", "Dockerfile", "Makefile", "CHANGELOG.md")]
NAME = re.compile(r"\b(?:DLQ|SPARK)_[A-Z_]*[A-Z]\b(?!\*)")
NOT_SETTINGS = {
    "DLQ_CHROMIUM": "the browser that tests drive",
    "DLQ_MARIADB": "the server that tests attach",
    "DLQ_TEST_SOAK": "how much load tests take",
    "SPARK_LOCAL_IP": "Spark's own",
    "SPARK_SUBMIT_OPTS": "Spark's own",
}
# | `NAME` | default | …
ROW = re.compile(r"^\| `([A-Z_]+)` \| ([^|]*?) *\|", re.MULTILINE)


def test_the_readme_holds_the_table():
    readme = CHECKOUT / "README.md"
    text = readme.read_text(encoding="utf-8")
    assert text == with_table(text), "run: python -m dlqconsole.configuration"


def test_the_readme_says_names_defaults_bounds_and_meanings():
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    for row in TABLE:
        (line,) = [line for line in readme.splitlines() if line.startswith(f"| `{row.name}` |")]
        assert row.meaning in line
        assert (row.shown_default or row.default_text or "|") in line
    assert "| `DLQ_LEASE_SECONDS` | `20` | 1 to 86,400 seconds |" in readme


def test_a_document_without_marks_is_refused():
    with pytest.raises(ValueError, match="there is no <!-- settings"):
        with_table("# Nothing here")


@pytest.mark.parametrize("file", [*DOCUMENTS, *OTHERS], ids=lambda file: file.name)
def test_every_setting_that_is_named_exists(file):
    named = set(NAME.findall(file.read_text(encoding="utf-8")))
    assert named - BY_NAME.keys() - NOT_SETTINGS.keys() == set()


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_every_default_that_a_document_tells_is_true(file):
    for name, told in ROW.findall(file.read_text(encoding="utf-8")):
        if row := BY_NAME.get(name):
            assert told.strip("`") in (row.default_text, row.shown_default.strip("`"), "**required**"), name
