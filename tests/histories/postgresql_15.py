"""The oldest PostgreSQL that we support: a server of its own, whose database Django uses meanwhile."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import dj_database_url
import pytest
from django.conf import settings
from django.db import connection

from tests.database import TestDatabase
from tests.servers import Servers
from tools.system_packages import POSTGRESQL_15, ensure


@contextmanager
def database_on_15() -> Iterator[None]:
    """Inside, everything is asked of a migrated database on PostgreSQL 15. Raises RuntimeProblem."""
    servers, patch = Servers(), pytest.MonkeyPatch()
    try:
        patch.setenv("DLQ_PG_HOME", str(ensure(POSTGRESQL_15).parents[1]))
        patch.setenv("DATABASE_URL", servers.start_postgres())
        with _instead_of_ours(os.environ["DATABASE_URL"]):
            TestDatabase("on_15", "alone").create()
            yield
    finally:
        servers.stop()
        patch.undo()


@contextmanager
def _instead_of_ours(url: str) -> Iterator[None]:
    ours = dict(connection.settings_dict), dict(settings.DATABASES["default"])
    connection.close()
    theirs = dj_database_url.parse(url)
    for known in (connection.settings_dict, settings.DATABASES["default"]):
        known.update({name: theirs[name] for name in ("NAME", "HOST", "PORT", "USER", "PASSWORD")})
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(ours[0])
        settings.DATABASES["default"].update(ours[1])
