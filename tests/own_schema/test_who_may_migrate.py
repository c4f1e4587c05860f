"""An account that may not make tables is told so by `manage.py migrate`, in a sentence."""

import pytest
from psycopg.sql import SQL, Identifier

from tests.own_schema.conftest import url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def account(database):
    name = f"{database.info.dbname}_app"
    database.execute(SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(Identifier(name)))
    yield url(database, user=f"{name}:x")
    database.execute(SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(Identifier(name)))


@pytest.mark.parametrize("schema", ["public", "letters"])
def test_it_is_one_sentence_that_says_who_may(run, account, schema):
    said = run(schema, "manage.py", "migrate", status=1, DATABASE_URL=account).stderr
    assert "_app may not migrate: permission denied for " in said
    assert said.endswith(
        f". Do it as the owner of the schema {schema} and its tables, or as one who may make that schema.\n"
    )
    assert said.count("\n") == 1
