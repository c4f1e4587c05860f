"""Additions by the tests of the installed features to tests that look at everything.

They stand in ``for_core.py`` of a feature's tests, under names that tests of the core ask for. Without the
features these tests pass, too: ``make quick ARGS="--ds tests.without_contrib"``.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from dlqconsole.features import features

# a test of a document, which tells of the features, too
with_features = pytest.mark.skipif(not features(), reason="documents tell of the features, too")


def of_features(name: str) -> Iterator[Any]:
    """Yield the value of this name of each feature that has one."""
    for feature in features():
        module = import_module(f"tests.contrib.{feature.name}.for_core")
        if hasattr(module, name):
            yield getattr(module, name)


def all_of(name: str) -> list[Any]:
    """Return the parts of all these values in one list."""
    return [part for value in of_features(name) for part in value]


def merged(name: str) -> dict[Any, Any]:
    """Return all these tables as one."""
    return {key: part for value in of_features(name) for key, part in value.items()}
