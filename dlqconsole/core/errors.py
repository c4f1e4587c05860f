"""The errors of the engine. Imports nothing, so that every floor may raise these."""


class EngineError(Exception):
    """Root of the engine's errors. Do not raise directly.

    ``asked_wrongly``: nothing but what was asked is wrong, and it will be so tomorrow.
    """

    asked_wrongly = False


class LeaseLost(EngineError):
    """The lease ran out and somebody else holds the row now: this outcome was not recorded."""


class InvalidFilter(EngineError):
    """A filter that cannot be understood. ``problems`` holds one sentence for each parameter.

    ``at``: the place of the mistake in ``text``, where one was typed; else -1.
    """

    asked_wrongly = True

    def __init__(self, problems: list[str], text: str = "", at: int = -1) -> None:
        super().__init__(" ".join(map(str, problems)))
        self.problems, self.text, self.at = problems, text, at

    @property
    def picture(self) -> str:
        """The text around the mistake, and below it a caret; empty where no text was typed."""
        if self.at < 0:
            return ""
        start = max(0, self.at - 60)
        text = "".join(" " if each.isspace() else each for each in self.text)
        return f"{text[start : self.at + 60]}\n{' ' * (self.at - start)}^"


class InvalidMessage(EngineError):
    """A message that cannot be sent; the sentence says which and why."""


class UnknownQueue(EngineError):
    """There is no queue of that name; the sentence names it and says how to make one."""


class InvalidQueue(EngineError):
    """A queue cannot be made, changed or dropped as asked; the sentence says why and what to do."""


class MalformedQueue(InvalidQueue):
    """A name, or a value of a policy, that no queue can have; the sentence says why."""

    asked_wrongly = True


class InvalidBreaker(EngineError):
    """There is no breaker of that name, or it cannot be held so; the sentence says why."""


class LockHeld(EngineError):
    """Somebody else holds the lock. ``holder`` and ``until`` (UTC) say who and how long."""

    def __init__(self, name: str, holder: str, until: str) -> None:
        super().__init__(f"The lock {name} is held by {holder} until {until} UTC.")
        self.name, self.holder, self.until = name, holder, until


class InvalidRule(EngineError):
    """A failure rule cannot be kept as given. ``problems`` holds a sentence for each thing that is wrong."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(" ".join(map(str, problems)))
        self.problems = problems


class InvalidMerge(EngineError):
    """Groups cannot be merged, or a fingerprint split out, as asked; the sentence says why."""
