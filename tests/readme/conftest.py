"""One demo for all that the README promises: started once, loaded once."""

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import browser_type_launch_args  # noqa: F401 - a fixture
from tests.readme.loaded import Loaded
from tests.readme.newcomer import Newcomer, blocks
from tests.readme.year import Year


@pytest.fixture(scope="session")
def year() -> Year:
    return Year.of_the_csv_files()


@pytest.fixture(scope="session")
def newcomer(tmp_path_factory: pytest.TempPathFactory, year: Year) -> Iterator[Newcomer]:
    """Somebody who typed the README's first line, and has the console before them."""
    person = Newcomer(tmp_path_factory.mktemp("newcomer"))
    year.lay_out(person.folder / ".data")
    (demo, _test) = blocks()["dlqconsole", 0].splitlines()
    person.start(demo.partition("#")[0])
    try:
        person.wait_for("Ready:", 180)
        yield person
    finally:
        person.stop()


@pytest.fixture(scope="session")
def loaded(newcomer: Newcomer) -> Loaded:
    """What the load has left, read before anybody changes it."""
    newcomer.wait_for("all flights are loaded and reported on", 900)
    return Loaded.read(newcomer.database_url)
