"""What may stand in an address."""


class BigId:
    """A row's number: what a bigint can hold. Anything else is no page."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number >= 2**63:
            raise ValueError("beyond bigint")
        return number

    def to_url(self, value: int) -> str:
        return str(value)
