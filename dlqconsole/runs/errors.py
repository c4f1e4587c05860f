"""What can go wrong for who asks."""


class RunRefused(Exception):
    """A run cannot be asked for so; the sentence says why and what to do. ``run_id``: what is in its way."""

    def __init__(self, sentence: str, run_id: int | None = None) -> None:
        super().__init__(sentence)
        self.run_id = run_id
