"""An interpreter that has psycopg and no Django: what the core needs is linked into a folder of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[1]
NEEDS = (
    *("psycopg", "psycopg_binary", "orjson", "pydantic", "pydantic_core", "pydantic_settings", "dotenv"),
    *("annotated_types", "typing_extensions", "typing_inspection", "cronsim"),
)


@pytest.fixture(scope="session")
def plain_packages(tmp_path_factory) -> Path:
    """The folder with the packages."""
    folder = tmp_path_factory.mktemp("packages")
    for name in NEEDS:
        spec = find_spec(name)
        assert spec is not None, name
        origin = Path(spec.origin or "")
        place = origin.parent if origin.name == "__init__.py" else origin
        (folder / place.name).symlink_to(place)
        for libraries in place.parent.glob(f"{name}.libs"):
            (folder / libraries.name).symlink_to(libraries)
    return folder


def start(packages: Path, *words: str, variables: Mapping[str, str] | None = None, **more: Any) -> Any:
    """Start ``python words``, which finds nothing but the checkout and these packages."""
    kept = {name: os.environ[name] for name in ("PATH", "DATABASE_URL")}
    path = os.pathsep.join((str(CHECKOUT), str(packages)))
    return subprocess.Popen(
        [sys.executable, "-S", *words],
        cwd=CHECKOUT,
        env=kept | dict(variables or {}) | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
        **more,
    )
