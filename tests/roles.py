"""Fixtures: a database with the roles of ``manage.py grants``, for tests of security and of programs."""

from collections.abc import Iterator

import pytest

from tests.security.database_roles import Roles


@pytest.fixture(scope="session")
def roles(test_database, django_db_blocker) -> Iterator[Roles]:
    """A database of its own with all roles: what is committed in it disturbs no other test."""
    made = Roles(test_database.template, django_db_blocker)
    yield made
    made.drop()


@pytest.fixture
def emptied(roles) -> Roles:
    """The database of the roles, with nothing of another test."""
    roles.empty()
    return roles
