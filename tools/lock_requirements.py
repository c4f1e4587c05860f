"""Pin every dependency, with hashes: one file per set, the later ones held to the earlier ones' versions.

    python -m tools.lock_requirements [--upgrade]

Each set is installed on top of the one before it, so `make demo` never fetches what only tests need.
No registry is named in the files: a machine's own pip settings decide where packages come from.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
SETS = ("", "demo", "kafka", "sqs", "archive", "spark", "dev", "bench")
OPTIONS = [
    *("--universal", "--python-version", "3.12", "--generate-hashes", "--no-emit-index-url"),
    *("--custom-compile-command", "make lock", "--quiet"),
]


def declared_requirements(name: str) -> list[str]:
    """The requirements that pyproject.toml declares for a set; "" is the product itself."""
    declared = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    project = declared["project"]
    sets = {"": project["dependencies"], **project["optional-dependencies"], **declared["dependency-groups"]}
    return [str(requirement) for requirement in sets[name]]


def file_of(name: str) -> str:
    """The file that pins a set."""
    return f"requirements-{name}.txt" if name else "requirements.txt"


def lock(requirements: list[str], target: str, earlier: list[str], extra: list[str]) -> None:
    """Resolve some requirements into a hashed file, agreeing with the files made before it."""
    pins = [part for file in earlier for part in ("--constraints", file)]
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "-",
        *OPTIONS,
        *pins,
        *extra,
        "-o",
        target,
    ]
    subprocess.run(command, input="\n".join(requirements), text=True, cwd=CHECKOUT, check=True)


def main(extra: list[str]) -> int:
    """Write all the files; uv's own complaint is shown when a set cannot be resolved."""
    lock(["uv"], "requirements-uv.txt", [], extra)
    files: list[str] = []
    for name in SETS:
        try:
            lock(declared_requirements(name), file_of(name), files, extra)
        except subprocess.CalledProcessError as error:
            return error.returncode
        files.append(file_of(name))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
