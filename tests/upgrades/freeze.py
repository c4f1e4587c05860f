"""No test: `python -m tools freeze_schema` writes the database of this version, for the tests of upgrades.

Until a version is tagged, whoever changes its schema runs this again. After that, nobody ever does: a change
then is a numbered file (docs/architecture.md), and the next version's file is written before its release.
"""

import subprocess

import pytest

from dlqconsole import __version__
from tests.own_schema.conftest import database, new_database, run, url  # noqa: F401 - fixtures
from tests.upgrades import frozen
from tools.postgres import installed_programs


@pytest.mark.django_db(transaction=True)
def test_freeze(run, database):  # noqa: F811
    run("public", "manage.py", "migrate")
    run("public", "-m", "tests.upgrades.rows")
    dump = [installed_programs() / "bin" / "pg_dump", "--inserts", "--no-owner", url(database)]
    frozen.keep(__version__, subprocess.run(dump, capture_output=True, text=True, check=True).stdout)
