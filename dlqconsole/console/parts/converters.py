"""Converters of the values in an address."""

import base64
import binascii
import re


class BigId:
    """A row's number, as a bigint; any other address does not exist."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number >= 2**63:
            raise ValueError("beyond bigint")
        return number

    def to_url(self, value: int) -> str:
        return str(value)


class QueueName:
    """A queue's name, even one from plain SQL: ``orders`` as it is, ``a/b`` as ``=YS9i``."""

    regex = "[^/]+"
    _plain = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.:-]*")

    def to_python(self, value: str) -> str:
        if not value.startswith("="):
            return value
        try:
            return base64.urlsafe_b64decode(value[1:] + "=" * (-len(value[1:]) % 4)).decode()
        except (binascii.Error, ValueError) as error:
            raise ValueError("not a name of ours") from error

    def to_url(self, value: str) -> str:
        if self._plain.fullmatch(value):
            return value
        return "=" + base64.urlsafe_b64encode(value.encode()).decode().rstrip("=")
