"""``python -m``: the process from which Spark forks its Python workers, with pyspark as it is installed.

Spark has its workers import pyspark from an archive that it brings along. That holds no bytecode: each start
would compile it anew, which is three quarters of what the start takes.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path


def without_archives(places: Sequence[str]) -> list[str]:
    """Return where to import from, less the archives of the pyspark that is installed elsewhere in it."""
    others = [place for place in places if not place.endswith(".zip")]
    packages = [PathFinder.find_spec(name, others) for name in ("pyspark", "py4j")]
    package_file, bridge = (package and package.origin for package in packages)
    if not package_file or not bridge:
        return list(places)
    archives = Path(package_file).resolve().parent / "python" / "lib"
    return [place for place in places if Path(place).resolve().parent != archives]


def main() -> None:
    """Serve Spark, until it ends."""
    sys.path[:] = without_archives(sys.path)
    from pyspark.daemon import manager

    manager()


if __name__ == "__main__":
    main()
