"""The settings that gunicorn reads by itself in the folder where it starts."""

import sys
from typing import Any


def on_starting(server: Any) -> None:
    """Say once what is wrong with the settings, before any worker is forked to say it again and again."""
    from dlqconsole.configuration.reading import BadSettings, read_settings
    from dlqconsole.configuration.setting import Reader

    try:
        read_settings(Reader.DJANGO)
    except BadSettings as problem:
        sys.exit(f"dlqconsole cannot start: {problem}")
