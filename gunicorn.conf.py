"""The settings that gunicorn reads by itself in the folder where it starts."""

from typing import Any


def on_starting(server: Any) -> None:
    """Say once what is wrong with the settings, before any worker is forked to say it again and again."""
    from dlqconsole.configuration.reading import read_or_exit

    read_or_exit()
