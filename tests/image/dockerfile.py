"""The Dockerfile as instructions, stage by stage. Few machines that run tests have a Docker to ask."""

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Instruction:
    """``verb`` in capitals, and all that stands behind it, in one line."""

    verb: str
    words: str

    @property
    def taken_from(self) -> str:
        """The stage that a COPY takes from; empty: the build's context."""
        return "".join(re.findall(r"--from=(\S+)", self.words))

    def places(self) -> tuple[list[str], str]:
        """The sources of a COPY, and where they go."""
        *sources, target = [word for word in self.words.split() if not word.startswith("--")]
        return sources, target

    def variables(self) -> dict[str, str]:
        """What an ENV sets."""
        pairs = [word.partition("=") for word in shlex.split(self.words)]
        return {name: value for name, _equals, value in pairs}

    def command(self) -> list[str]:
        """The words of a CMD."""
        words: list[str] = json.loads(self.words)
        return words


@dataclass
class Stage:
    name: str
    base: str
    own: list[Instruction] = field(default_factory=list)


def stages() -> dict[str, Stage]:
    """All stages by name, in order."""
    found: dict[str, Stage] = {}
    for instruction in instructions((CHECKOUT / "Dockerfile").read_text()):
        if instruction.verb == "FROM":
            base, _as, name = instruction.words.split()
            found[name] = last = Stage(name, base)
        else:
            last.own.append(instruction)
    return found


def all_of(target: str) -> list[Instruction]:
    """What a stage is made by, that of the stages below it first."""
    stage = stages().get(target)
    return [*all_of(stage.base), *stage.own] if stage else []


def instructions(text: str) -> list[Instruction]:
    """One a line that is not a comment; a backslash joins lines."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [Instruction(*line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]
