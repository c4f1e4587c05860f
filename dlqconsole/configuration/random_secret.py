"""A SECRET_KEY for processes that are not handed the console's."""

import os
import secrets

from .given import is_given


def have_a_secret() -> None:
    """Where the environment has no SECRET_KEY, give this process a random one of its own.

    Django's settings want one wherever a handler loads them. What is signed with this nobody else believes.
    """
    if not is_given("SECRET_KEY"):
        os.environ["SECRET_KEY"] = secrets.token_urlsafe(50)
