"""What can go wrong with a playbook. Imports nothing from this room, so that every file may raise these."""

from dlqconsole.engine.errors import EngineError


class PlaybookRefused(EngineError):
    """A playbook cannot be kept, or changed, like this. ``problems``: (field, sentence) of each, together."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__(" ".join(sentence for _field, sentence in problems))
        self.problems = problems

    @classmethod
    def saying(cls, sentence: str) -> "PlaybookRefused":
        """What is about no field of it."""
        return cls([("", sentence)])


class UnknownPlaybook(EngineError):
    """There is no playbook of that number."""
