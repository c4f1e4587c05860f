"""A target of the Dockerfile made in an empty folder.

That is what COPY gives, and the RUN lines that need neither root nor a registry.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.image.dockerfile import Instruction, all_of
from tests.image.dockerignore import given
from tests.image.packages import install

# these words of a RUN line are of the distribution's or a registry's
_NOT_HERE = {"apt-get", "useradd", "pip", "uv"}
# what the image's own places are called; all else is the machine's
_PLACES = re.compile(r"(?<![\w/.])/(?=opt/venv|app)")


@dataclass
class Image:
    """``root`` stands for ``/``; ``user``: as whom its command runs."""

    root: Path
    user: int | None
    folder: Path = Path()
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": os.defpath})
    command: list[str] = field(default_factory=list)

    def run(self, *command: str, **more: str) -> "subprocess.CompletedProcess[str]":
        """Run something in it, as its user, to its end."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment | more,
            user=self.user,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def here(self, text: str) -> str:
        """A text with the image's places where they are now."""
        return _PLACES.sub(f"{self.root}/", text)


def build(target: str, root: Path, user: int | None) -> Image:
    """Follow the instructions of a target."""
    image = Image(root, user)
    for each in all_of(target):
        if follow := _FOLLOW.get(each.verb):
            follow(image, each)
    return image


def _workdir(image: Image, each: Instruction) -> None:
    image.folder = Path(image.here(each.words))
    image.folder.mkdir(parents=True)


def _copy(image: Image, each: Instruction) -> None:
    sources, target = each.places()
    if each.taken_from:
        return install(each.taken_from, Path(image.here(target)))
    for source in sources:
        files = given(source)
        assert files, f"COPY {source}: .dockerignore keeps it out, or it is not there"
        into = image.folder / target if target.startswith(".") else image.folder
        for file in files:
            to = into / file
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)
    return None


def _env(image: Image, each: Instruction) -> None:
    for name, value in each.variables().items():
        image.environment[name] = image.here(value).replace("$PATH", image.environment["PATH"])


def _run(image: Image, each: Instruction) -> None:
    if _NOT_HERE.isdisjoint(each.words.split()):
        done = subprocess.run(
            ["/bin/sh", "-c", each.words],
            cwd=image.folder,
            env=image.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr


def _cmd(image: Image, each: Instruction) -> None:
    image.command = each.command()


_FOLLOW = {"WORKDIR": _workdir, "COPY": _copy, "ENV": _env, "RUN": _run, "CMD": _cmd}
