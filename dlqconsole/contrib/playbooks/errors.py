"""The errors of playbooks. This file imports nothing from its package, so that every file may raise them."""

from dlqconsole.core.errors import EngineError


class PlaybookRefused(EngineError):
    """A playbook cannot be stored or changed so. ``problems``: all of them, as (field, sentence)."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__(" ".join(sentence for _field, sentence in problems))
        self.problems = problems

    @classmethod
    def saying(cls, sentence: str) -> "PlaybookRefused":
        """An error with one sentence that is about no field."""
        return cls([("", sentence)])


class UnknownPlaybook(EngineError):
    """There is no playbook of that number."""
