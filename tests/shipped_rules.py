"""The failure rules that come with the product, which the database of the tests begins without."""

import re

import pytest

from dlqconsole.core.schema import FOLDER
from tests.plain_sql import execute


def statement() -> str:
    """Return the statement of the schema that makes them."""
    schema = (FOLDER / "failure_rules.sql").read_text(encoding="utf-8")
    [found] = re.findall(r"^INSERT INTO failure_rules .*?;$", schema, re.MULTILINE | re.DOTALL)
    return found


@pytest.fixture
def shipped_rules(db: None) -> None:
    """Have them, as a new database has."""

    execute(statement())
