"""dlqconsole up: the whole console on a database of yours, in the foreground, without a broker."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from dlqconsole.configuration import demo_environment
from dlqconsole.configuration.places import IS_INSTALLED, PACKAGE
from dlqconsole.running.data_folder import kept_secrets, take_lock
from dlqconsole.running.ports import LOOPBACK, refuse_taken
from dlqconsole.running.supervisor import Service, StopAsked, Supervisor, say
from dlqconsole.system.errors import RuntimeProblem
from dlqconsole.system.processes import die_with

# the exit status of a command that was asked wrongly: another start would fail in the same way
ASKED_WRONGLY = 2
PATIENCE = 90.0  # seconds that the web may take to come up on a busy machine
# to other commands of this person, which then need to be told nothing while it runs
SHARED = ("DATABASE_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DLQ_HTTPS", "DLQ_SCHEMA", "DLQ_HANDLERS")
LOCAL = (LOOPBACK, "localhost", "::1")
FIRST_SIGN_IN = "first-sign-in"


def main(arguments: Sequence[str]) -> int:
    """Run until it is stopped; 0 after a stop that somebody asked for. A person's mistake is one line."""
    options = _parser().parse_args(arguments)
    if options.data_dir:
        os.environ["DLQ_DATA_DIR"] = options.data_dir
    try:
        return _run(options, demo_environment.data_directory())
    except RuntimeProblem as problem:
        print(problem, file=sys.stderr)
        return problem.exit_status
    except KeyboardInterrupt:  # before anything runs
        print("Interrupted.", file=sys.stderr)
        return 130


def _run(options: argparse.Namespace, data: Path) -> int:
    refuse_taken(options.listen, options.port)
    with take_lock(data):
        env = _environment(data, options.listen)
        say("Preparing the database ...")
        _first("migrate", env, "--verbosity", "0", "--no-input")
        _first("first_administrator", env, "--password-file", str(data / FIRST_SIGN_IN))
        env.pop("DLQ_ADMIN_PASSWORD", None)
        supervisor = Supervisor(data / "log")
        supervisor.listen()
        demo_environment.write(data / "env", {name: env[name] for name in SHARED if env.get(name)})
        try:
            _start(options, supervisor, env)
            supervisor.run()
        except StopAsked:
            say("Stopping ...")
        finally:
            supervisor.stop()
            (data / "env").unlink(missing_ok=True)
    say("Stopped.")
    return 0


def _start(options: argparse.Namespace, supervisor: Supervisor, env: dict[str, str]) -> None:
    host = f"[{options.listen}]" if ":" in options.listen else options.listen
    web = _web(f"{host}:{options.port}", env)
    supervisor.add(web, _work(env))
    if options.consume:
        supervisor.add(_consumer(options.consume, env))
    supervisor.wait_until(_answers(options.listen, options.port, env), web, PATIENCE)
    say(f"Ready: http://{host}:{options.port}/   stop with Ctrl-C")
    if env.get("DLQ_HTTPS") != "false" and not (env.get("ALLOWED_HOSTS") and env.get("DLQ_TRUSTED_PROXIES")):
        say("It answers behind your HTTPS proxy: set ALLOWED_HOSTS and DLQ_TRUSTED_PROXIES.")


def _command(*words: str) -> list[str]:
    """A command of ours; what lies in the folder where it starts is no module of it."""
    return [sys.executable, "-P", "-m", "dlqconsole", *words]


def _web(address: str, env: Mapping[str, str]) -> Service:
    """The pages, at this address."""
    options = ("--config", "python:dlqconsole.running.web", "--bind", address)
    return _part("web", [sys.executable, "-P", "-m", "gunicorn", "dlqconsole.wsgi", *options], env)


def _work(env: Mapping[str, str]) -> Service:
    """Operations, the schedule, the clock, and what starts runs of the pipeline."""
    service = _part("work", _command("work"), env)
    service.patience = 14.0
    return service


def _consumer(queues: Sequence[str], env: Mapping[str, str]) -> Service:
    """The handlers of some queues."""
    service = _part("consumer", _command("consume", *queues), env)
    service.patience = 14.0
    return service


def _part(name: str, line: Sequence[str], env: Mapping[str, str]) -> Service:
    return Service(name, line, env, to_terminal=True, hopeless_status=ASKED_WRONGLY)


def _environment(data: Path, listen: str) -> dict[str, str]:
    """The settings of all parts. On this machine alone there is no HTTPS, unless you say so."""
    if not os.environ.get("DATABASE_URL"):
        raise RuntimeProblem("Give the database: dlqconsole up --database-url postgres://user@host/database")
    env = {name: value for name, value in os.environ.items() if value}
    if env.pop("REDIS_URL", None):
        say("REDIS_URL is set and not used: `dlqconsole up` wakes its worker through PostgreSQL.")
    if not IS_INSTALLED:  # parts do not look for modules in the folder where they start
        env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(PACKAGE.parent), env.get("PYTHONPATH"))))
    env["SECRET_KEY"] = kept_secrets(data, [("SECRET_KEY", 50)], **_given(env, "SECRET_KEY"))["SECRET_KEY"]
    if listen in LOCAL and not env.get("ALLOWED_HOSTS"):
        env.setdefault("DLQ_HTTPS", "false")
    return env


def _given(env: dict[str, str], name: str) -> dict[str, str]:
    return {name: env[name]} if name in env else {}


def _first(command: str, env: dict[str, str], *options: str) -> None:
    """Run a command before all else, in this terminal. What it says there is enough."""
    ours = os.getpid()
    status = subprocess.run(
        _command(command, *options), env=env, preexec_fn=lambda: die_with(ours, signal.SIGTERM)
    ).returncode
    if status:
        raise SystemExit(status)


def _answers(listen: str, port: int, env: Mapping[str, str]) -> Callable[[], bool]:
    """Tell whether a page comes, whatever it says: until the web is up, it does not."""
    host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(listen, listen)  # noqa: S104
    # by a name that it answers to, so that no log begins with refused requests
    name = env.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".*") or host

    def ask() -> bool:
        connection = HTTPConnection(host, port, timeout=5)
        try:
            connection.request("GET", "/healthz", headers={"Host": name})
            connection.getresponse().read()
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()
        return True

    return ask


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dlqconsole up",
        description="Migrate the database, then run the console: pages, worker and clock. It needs no Redis.",
        epilog="All settings are environment variables: docs/settings.md.",
        allow_abbrev=False,
    )
    parser.add_argument("--database-url", metavar="URL", help="the database; else DATABASE_URL")
    parser.add_argument("--listen", default=LOOPBACK, metavar="ADDRESS", help=f"default: {LOOPBACK}")
    parser.add_argument("--port", type=int, default=8000, help="default: 8000")
    parser.add_argument(
        "--consume", nargs="+", default=[], metavar="QUEUE", help="run your handlers (DLQ_HANDLERS) on these"
    )
    parser.add_argument(
        "--data-dir",
        metavar="FOLDER",
        help="keeps the secret key; else DLQ_DATA_DIR, or a folder of yours",
    )
    return parser
