#!/usr/bin/env python
"""The command line: Django's, and what begins before its settings are read.

However a command ends, it says so in a sentence.
"""

import errno
import os
import secrets
import signal
import sys
from typing import Any

from dlqconsole import __version__
from dlqconsole.configuration import demo_environment, places

# the exit statuses that a shell has for tools that end so
READER_GONE = 128 + signal.SIGPIPE
INTERRUPTED = 128 + signal.SIGINT
NOBODY = "postgres://nobody@127.0.0.1:1/none"
DEMO = (
    "The demo needs a checkout, for its flights and servers: git clone the project, then make demo. To see"
    " the console on a database of yours: dlqconsole up --database-url postgres://user@host/database"
)
FAILED, ASKED_WRONGLY = 1, 2


def main() -> None:
    """Run the command that the person has typed."""
    _require_streams()
    _on_interrupt(_end_at_once)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dlqconsole.settings")
    _take_database_url(sys.argv)
    word = sys.argv[1] if len(sys.argv) > 1 else "help"
    if word == "--version":
        print(f"dlqconsole {__version__}")
        return
    if word == "up":
        from dlqconsole.running.up import main as up

        raise SystemExit(up(sys.argv[2:]))
    if word == "demo":
        _say(DEMO)
        raise SystemExit(ASKED_WRONGLY)
    if word in ("help", "--help", "-h"):
        _have_settings_for_help()
    _have_kept_secret()
    _run_command()


def _run_command() -> None:
    """Run a command; quietly end with a reader that has enough, as in ``manage.py queues | head -1``."""
    from django.core.management import BaseCommand, ManagementUtility

    class Utility(ManagementUtility):
        def fetch_command(self, subcommand: str) -> BaseCommand:
            command = super().fetch_command(subcommand)
            # from here on there may be something to put away first
            _on_interrupt(signal.default_int_handler)
            return command

    try:
        try:
            Utility(_words(sys.argv)).execute()
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


def _on_interrupt(handler: Any) -> None:
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


def _take_database_url(arguments: list[str]) -> None:
    """Put ``--database-url``, which each command has, into the environment, where the settings are."""
    for index, word in enumerate(arguments[1:], start=1):
        name, equals, value = word.partition("=")
        if name == "--database-url":
            if not equals and index + 1 == len(arguments):
                _say("--database-url needs a value, like postgres://user@host/database.")
                raise SystemExit(ASKED_WRONGLY)
            os.environ["DATABASE_URL"] = value if equals else arguments[index + 1]
            del arguments[index : index + (1 if equals else 2)]
            return


def _words(arguments: list[str]) -> list[str]:
    """Name the program as people start it; ``check`` alone asks for all that production needs."""
    program, *words = arguments
    if os.path.basename(program) == "__main__.py":
        program = "dlqconsole"
    return [program, *(["check_production"] if words == ["check"] else words)]


def _have_kept_secret() -> None:
    """Read the key that ``up`` has made on this machine, for commands after its end."""
    if os.environ.get("SECRET_KEY") or not (places.IS_INSTALLED or os.environ.get("DLQ_DATA_DIR")):
        return
    kept = demo_environment.read(demo_environment.data_directory() / "secrets")
    if secret := kept.get("SECRET_KEY"):
        os.environ["SECRET_KEY"] = secret


def _have_settings_for_help() -> None:
    """Let the commands be listed before anything is set: no server is asked for them."""
    for name, value in (("DATABASE_URL", NOBODY), ("SECRET_KEY", secrets.token_urlsafe(50))):
        os.environ[name] = os.environ.get(name) or value


if __name__ == "__main__":
    main()
