"""One shop a module: its worker takes two seconds to start."""

from collections.abc import Iterator

import pytest

from tests.clients.celery.shop import Shop


@pytest.fixture(scope="module")
def running_shop(roles, tmp_path_factory) -> Iterator[Shop]:
    shop = Shop(roles, tmp_path_factory.mktemp("shop"))
    yield shop
    shop.end()


@pytest.fixture
def shop(running_shop, emptied, settings) -> Shop:
    """The shop with nothing of another test; its bank is away."""
    settings.DLQ_CELERY_BROKERS = f"shop={settings.REDIS_URL}"
    running_shop.broken.touch()
    (running_shop.folder / "done").unlink(missing_ok=True)
    return running_shop
