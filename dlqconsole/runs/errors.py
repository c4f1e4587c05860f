"""The error of a request for a run."""


class RunRefused(Exception):
    """A run cannot be requested so; the sentence says why and what to do. ``run_id``: the run in its way."""

    def __init__(self, sentence: str, run_id: int | None = None) -> None:
        super().__init__(sentence)
        self.run_id = run_id
