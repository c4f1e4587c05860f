"""Numbers with their nouns, as a sentence for people has them."""


def counted(number: int, nouns: str) -> str:
    """``1 day``, ``1,204 days``; ``nouns``: the plural."""
    return f"{number:,} {nouns.removesuffix('s') if number == 1 else nouns}"
