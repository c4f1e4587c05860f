"""docs/security.md says of the pipeline's role what its rights are, table by table."""

import re
from pathlib import Path

from dlqconsole.engine.grants.rights import ROLES
from tests.of_features import with_features

PIPELINE = next(role for role in ROLES if role.name == "pipeline")
PAGE = Path(__file__).parents[2] / "docs" / "security.md"
VERBS = {"SELECT": "read", "INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}


def _told() -> tuple[dict[str, str], str]:
    """The words about each table, and about functions."""
    section = PAGE.read_text(encoding="utf-8").split("### What `dlq_pipeline` may")[1].split("\n#")[0]
    rows = re.findall(r"^\| (`.+?) \| (.+) \|$", section, re.MULTILINE)
    tables = {name: words for names, words in rows for name in re.findall(r"`(\w+)`", names)}
    return tables, section.split("It may call")[1]


@with_features
def test_each_right_is_told_and_no_other_table():
    tables, functions = _told()
    assert {right.table for right in PIPELINE.rights} == set(tables)
    for right in PIPELINE.rights:
        for verb in right.verb.split(", "):
            assert VERBS[verb] in tables[right.table], (right.table, verb)
    assert set(PIPELINE.functions) == set(re.findall(r"`([a-z_]+)`", functions.split("With a demo")[0]))


@with_features
def test_no_verb_is_told_that_it_has_not():
    tables, _functions = _told()
    for table, words in tables.items():
        held = {verb for right in PIPELINE.rights if right.table == table for verb in right.verb.split(", ")}
        for verb, word in VERBS.items():
            said = re.search(rf"(?<!not )\b{word}\b", words.replace("of `report_days` also delete", ""))
            assert not said or verb in held, (table, verb)


def test_it_is_told_that_it_reads_payloads():
    tables, _functions = _told()
    read = [right.table for right in PIPELINE.rights if right.verb == "SELECT" and "payload" in right.columns]
    assert sorted(read) == ["dlq_events", "payload_versions"]
    assert all("read" in tables[table] and "`payload`" in tables[table] for table in read)
