#!/usr/bin/env python
"""Django's command line for dlqconsole. However a command ends, it says so in a sentence."""

import errno
import os
import signal
import sys

# the exit statuses that a shell has for tools that end so
READER_GONE = 128 + signal.SIGPIPE
INTERRUPTED = 128 + signal.SIGINT
FAILED = 1


def main() -> None:
    """Run a command; quietly end with a reader that has enough, as in ``manage.py queues | head -1``."""
    _require_streams()
    _on_interrupt(_end_at_once)
    from django.core.management import BaseCommand, ManagementUtility

    class Utility(ManagementUtility):
        def fetch_command(self, subcommand: str) -> BaseCommand:
            command = super().fetch_command(subcommand)
            # from here on there may be something to put away first
            _on_interrupt(signal.default_int_handler)
            return command

    try:
        try:
            Utility(sys.argv).execute()
        finally:
            # here, not when the interpreter ends: it could only complain
            sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
        raise SystemExit(READER_GONE) from None
    except KeyboardInterrupt as interrupt:
        _on_interrupt(signal.SIG_DFL)
        _say(str(interrupt) or "Interrupted.")
        raise SystemExit(INTERRUPTED) from None
    except Exception as error:
        _on_interrupt(signal.SIG_DFL)
        if "--traceback" in sys.argv or not (sentence := _in_one_line(error)):
            raise
        _say(f"CommandError: {sentence}")
        raise SystemExit(FAILED) from None
    _on_interrupt(signal.SIG_DFL)


def _require_streams() -> None:
    """Refuse closed streams: the next file or socket would get their number, and what is printed."""
    if sys.stdout is None:
        _say("The standard output is closed: give it somewhere to go, such as >/dev/null.")
        raise SystemExit(FAILED)
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115 - an empty one, for as long as the process


def _on_interrupt(handler: object) -> None:
    """Set what Ctrl-C does, unless it was to do nothing, or a command has made it its own."""
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _end_at_once):
        signal.signal(signal.SIGINT, handler)


def _end_at_once(_number: int, _frame: object) -> None:
    """End at once, while modules are imported: an exception would be lost in the import system."""
    os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)


def _forget_output() -> None:
    """Give up what cannot be written, so that the interpreter does not try again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _in_one_line(error: Exception) -> str:
    """An error of the disk, or of a database that is away or not migrated; empty for others."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        _forget_output()
        return f"What it says cannot be written: {error.strerror}."
    from dlqconsole.engine.database.error_line import database_line

    return database_line(error)


def _say(sentence: str) -> None:
    if sys.stderr is not None:  # else print would take the standard output
        print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dlqconsole.settings")
    main()
