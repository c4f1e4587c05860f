"""A page as a person reads it."""

import html
import re
from typing import Any


def words(answer: Any) -> str:
    """The text of a page, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())
