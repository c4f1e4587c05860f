"""A Python that has what an image's requirements name, and nothing else: links to what is installed here."""

import re
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from tests.image.dockerfile import CHECKOUT, all_of

_FILES = re.compile(r"-r /tmp/(requirements\S*\.txt)")
_NAMES = re.compile(r"^([A-Za-z0-9._-]+)==\S+ *(;.*?)?\\?$", re.MULTILINE)
_REMOVED = re.compile(r"uv pip uninstall --python \S+ ([^&]+)")
_PROGRAM = "#!{python}\nimport sys\nfrom {module} import {name}\nsys.exit({name}())\n"


def named(stage: str) -> set[str]:
    """The packages of a stage that installs them; what is only for other machines may not be here."""
    runs = [each.words for each in all_of(stage) if each.verb == "RUN"]
    files = [name for words in runs for name in _FILES.findall(words)]
    removed = {name for words in runs for found in _REMOVED.findall(words) for name in found.split()}
    texts = [(CHECKOUT / name).read_text() for name in files if "-uv" not in name]
    return {name for text in texts for name, _marker in _NAMES.findall(text)} - removed


def install(stage: str, venv: Path) -> None:
    """Make the environment of such a stage."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (site,) = venv.glob("lib/python*/site-packages")
    for package in map(_installed, named(stage)):
        if package is not None:
            _link(package, site)
            _programs(package, venv / "bin")


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        assert name == "tzdata", f"{name} is not installed here"
        return None


def _link(package: Distribution, site: Path) -> None:
    tops = {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}
    for top in tops:
        link = site / top
        if not link.exists():
            link.symlink_to(Path(str(package.locate_file(top))))


def _programs(package: Distribution, folder: Path) -> None:
    for entry in package.entry_points.select(group="console_scripts"):
        program = folder / entry.name
        program.write_text(_PROGRAM.format(python=folder / "python", module=entry.module, name=entry.attr))
        program.chmod(0o755)
