"""Whether a text can be sent as the token of ``Authorization: Bearer …``."""

import re

# RFC 6750, section 2.1
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")


def check_bearer_token(text: str) -> None:
    """Raise ValueError with a sentence, which never holds the token, where no client could send it."""
    if not _TOKEN.fullmatch(text):
        raise ValueError("It must be of letters, digits and . _ ~ + / - alone: no client could send it else.")
