"""Which tests stay together when pytest-xdist spreads them over processes, and what begins first.

What costs seconds to start is started once: one process does all its tests. What also waits long, for servers
or for a browser, stays together by file: else one process would wait while the others have ended.
pytest-xdist has groups for this (``loadgroup``), but writes them into node ids, which pytest 9.2 no longer
lets it do: here a file carries them to the scheduler.
"""

import json
import os
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

# Fixtures, the longest work first. A test with two of them goes with the first.
OWNERS = ("newcomer", "private_server", "spark", "browser", "mariadb", "backlog", "roles")
BY_FILE = ("private_server", "browser")


def group_of(item: pytest.Item) -> str | None:
    """The name of what a test shares with others; None for a test that may run anywhere."""
    owner = owner_of(item)
    return f"{owner} {item.path.stem}" if owner in BY_FILE else owner


def owner_of(item: pytest.Item) -> str | None:
    """The first of OWNERS that a test has, or what else is made once for it and others."""
    for owner in OWNERS:
        if owner in item.fixturenames:
            return owner
    chosen = item.callspec.params if hasattr(item, "callspec") else {}
    # the transport that the shared suite runs on is chosen by name
    return "mariadb" if chosen.get("bench") == "mysql" else chosen.get("committed") or _module_of(item)


def _module_of(item: pytest.Item) -> str | None:
    """The file of a test that uses what is made once for all tests of the file."""
    made = item._fixtureinfo.name2fixturedefs.values()
    shares = any(definitions[-1].scope == "module" for definitions in made)
    return str(item.path) if shares else None


def order(items: list[pytest.Item]) -> None:
    """Put first what takes longest, and leave the rest as it is."""
    ranks = {owner: rank for rank, owner in enumerate((*OWNERS, "another", None))}
    items.sort(key=lambda item: ranks.get(owner_of(item), ranks["another"]))


def tell_scheduler(items: list[pytest.Item]) -> None:
    """Write down the groups; one process does, as all of them collect the same tests."""
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
        groups = {item.nodeid: group for item in items if (group := group_of(item))}
        _file().write_text(json.dumps(groups))


class GroupScheduling(LoadScopeScheduling):
    """Gives a whole group to one process, and every other test to whoever is free."""

    def _split_scope(self, nodeid: str) -> str:
        if not hasattr(self, "groups"):
            self.groups = json.loads(_file().read_text())
        return self.groups.get(nodeid, nodeid)


def _file() -> Path:
    return Path(os.environ["DLQ_TEST_GROUPS"])
