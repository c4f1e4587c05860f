"""A SECRET_KEY for processes that do not get the console's."""

import os
import secrets


def have_a_secret() -> None:
    """Give this process a random SECRET_KEY of its own, unless the environment has one.

    Django's settings need one wherever a handler loads them. Nobody else believes its signatures.
    """
    if not os.environ.get("SECRET_KEY"):
        os.environ["SECRET_KEY"] = secrets.token_urlsafe(50)
