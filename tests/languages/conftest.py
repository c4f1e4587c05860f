"""A database in which consumers in SQL have their rights and nothing else, and workers that run there."""

from collections.abc import Callable, Iterator

import pytest

from tests.languages.toolchains import LANGUAGES
from tests.languages.world import World
from tests.security.database_roles import Roles


@pytest.fixture(scope="session")
def roles(test_database, django_db_blocker) -> Iterator[Roles]:
    """A database of its own with all roles, and what the workers' handlers write."""
    made = Roles(test_database.template, django_db_blocker, "workers")
    World.prepare(made)
    yield made
    made.drop()


@pytest.fixture
def world(roles, tmp_path) -> Iterator[World]:
    """The database of the roles, with nothing of another test; what a test starts ends with it."""
    world = World(roles, tmp_path)
    yield world
    world.end()


@pytest.fixture(params=LANGUAGES)
def language(request) -> str:
    """Each language in turn."""
    return request.param


@pytest.fixture
def command_of(pytestconfig) -> Callable[[str], list[str]]:
    """``command_of("go")`` is the command that starts the worker in Go."""
    return lambda language: LANGUAGES[language](pytestconfig.cache.mkdir(f"worker-{language}"))


@pytest.fixture
def start(world, command_of, language) -> Callable[..., None]:
    """``start()`` starts a worker in the language of the test."""
    return lambda **more: world.start(command_of(language), language, **more)
