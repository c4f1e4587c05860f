"""Which tests stay together when several processes run them (tests/forking.py), and what begins first.

What costs seconds to start is started once: one process does all its tests. What also waits long, for servers
or for a browser, stays together by file: else one process would wait while the others have ended.
"""

import pytest

# Fixtures, the longest work first. A test with two of them goes with the first.
OWNERS = ("newcomer", "private_server", "spark", "browser", "mariadb", "rabbit", "backlog", "roles")
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
    return "mariadb" if chosen.get("bench") == "mysql" else chosen.get("committed") or sharing_file(item)


def sharing_file(item: pytest.Item) -> str | None:
    """The file of a test that uses what is made once for all tests of the file."""
    made = item._fixtureinfo.name2fixturedefs.values()
    shares = any(definitions[-1].scope == "module" for definitions in made)
    return str(item.path) if shares else None


def order(items: list[pytest.Item]) -> None:
    """Put first what takes longest, and leave the rest as it is."""
    ranks = {owner: rank for rank, owner in enumerate((*OWNERS, "another", None))}
    items.sort(key=lambda item: ranks.get(owner_of(item), ranks["another"]))


def units(items: list[pytest.Item]) -> list[list[int]]:
    """The numbers of the tests that one process does: of a group all, of the others one each."""
    found: dict[object, list[int]] = {}
    for number, item in enumerate(items):
        found.setdefault(group_of(item) or number, []).append(number)
    return list(found.values())
