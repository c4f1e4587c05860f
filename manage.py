#!/usr/bin/env python
"""Django's command line for dlqconsole."""

import os
import signal
import sys


def main() -> None:
    """Run a command; quietly end with a reader that has enough, as in ``manage.py queues | head -1``."""
    from django.core.management import execute_from_command_line

    try:
        try:
            execute_from_command_line(sys.argv)
        finally:
            # here, not when the interpreter ends: it could only complain
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # what a shell says of other tools that end so
        raise SystemExit(128 + signal.SIGPIPE) from None


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dlqconsole.settings")
    main()
