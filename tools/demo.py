"""`make demo`: the whole system on one machine, in the foreground, with servers of its own."""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from dlqconsole.configuration import demo_environment
from dlqconsole.configuration.demo_environment import DATABASE_MARK
from dlqconsole.running.data_folder import cannot_write, kept_secrets, take_lock
from dlqconsole.running.ports import LOOPBACK, free_port, wanted_port
from dlqconsole.running.supervisor import Service, StopAsked, Supervisor, say
from dlqconsole.system.errors import RuntimeProblem
from dlqconsole.system.java import java_home_for
from tools.demo_services import application_services, flight_services, manage, server_service
from tools.postgres import Postgres, installed_programs, refuse_foreign_data
from tools.valkey import Valkey, installed_program

USERS = ("viewer", "operator", "maintainer", "admin")
APP = "dlq_app"  # as manage.py grants calls the role
SECRETS = (
    ("POSTGRES_PASSWORD", 24),
    ("APP_PASSWORD", 24),
    ("VALKEY_PASSWORD", 24),
    ("SECRET_KEY", 50),
    ("DLQ_DEMO_PASSWORD", 12),
)
PATIENCE = 90.0  # seconds that a part may take to come up on a busy machine


@dataclass
class Demo:
    """One run of the demo: where it keeps its data, on which port it answers, and who keeps it running."""

    data: Path
    port: int
    supervisor: Supervisor
    secrets: dict[str, str]
    server: Postgres = field(init=False)

    def start(self) -> None:
        """Bring everything up to the moment when the console answers."""
        check_programs()
        say_ignored_settings()
        urls = self.start_postgres() | self.start_valkey()
        settings = demo_settings(self.data, urls, self.secrets)
        demo_environment.write(self.data / "env", settings)
        env = {**os.environ, **settings}
        if os.environ.get("DLQ_HANDLERS"):  # our own need no check
            self.supervisor.run_once(manage("handlers", env))
        say("Preparing the database ...")
        self.supervisor.run_once(self.preparation(env))
        web, *others = application_services(self.data, self.port, env)
        self.supervisor.add(web)
        self.supervisor.run_once(manage("ensure_demo_users", env))
        self.supervisor.wait_until(lambda: is_healthy(self.port), web, PATIENCE)
        self.greet()
        # Only now: on a small machine they would keep the console, which people wait for, from coming up.
        self.supervisor.add(*others, *flight_services(self.data, env))

    def start_postgres(self) -> dict[str, str]:
        """Our own PostgreSQL, whatever DATABASE_URL names."""
        say("Starting PostgreSQL ...")
        server = Postgres(self.data, free_port(54320), self.secrets["POSTGRES_PASSWORD"])
        server.prepare()
        service = server_service("postgresql", server)
        service.user, service.before_exec = server.account.user, server.account.before_exec
        service.before_start = server.forget_stale_pid
        self.supervisor.add(service)
        self.supervisor.wait_until(server.is_ready, service, PATIENCE)
        server.create_database(DATABASE_MARK)
        self.server = server
        # for who migrates, or makes roles and extensions, by hand
        demo_environment.write(self.data / "owner", {"DATABASE_URL": server.url()})
        return {"DATABASE_URL": server.url(APP, self.secrets["APP_PASSWORD"])}

    def preparation(self, env: Mapping[str, str]) -> Service:
        """Migrate as the superuser of our own server, and let everything else run as the role of the app."""
        as_superuser = {"DATABASE_URL": self.server.url(), "APP_PASSWORD": self.secrets["APP_PASSWORD"]}
        options = ("--migrate", "--apply", "--password-from", "APP_PASSWORD")
        return manage("grants", {**env, **as_superuser}, *options)

    def start_valkey(self) -> dict[str, str]:
        """Our own Valkey, whatever REDIS_URL names."""
        server = Valkey(self.data / "valkey", free_port(63790), self.secrets["VALKEY_PASSWORD"])
        server.prepare()
        service = server_service("valkey", server)
        self.supervisor.add(service)
        self.supervisor.wait_until(server.is_ready, service, PATIENCE)
        return {"REDIS_URL": server.url()}

    def greet(self) -> None:
        """The lines people wait for."""
        say("")
        say(f"Ready: http://{LOOPBACK}:{self.port}/")
        say(f"Users: {', '.join(USERS)}   password: {self.secrets['DLQ_DEMO_PASSWORD']}")
        say(f"Logs:  {self.supervisor.log_folder}   stop with Ctrl-C")
        say("")


def run_demo() -> int:
    """Run the demo until it is stopped; 0 after a stop somebody asked for."""
    data = demo_environment.data_directory()
    # Kept open, hence locked, until this process ends, however it ends.
    lock = lock_of(data)
    port = wanted_port(os.environ.get("PORT") or "8000")
    supervisor = Supervisor(data / "log")
    supervisor.listen()
    try:
        Demo(data, port, supervisor, load_secrets(data)).start()
        supervisor.run()
    except StopAsked:
        say("Stopping ...")
        return 0
    except RuntimeProblem:
        if supervisor.stop_asked:  # a step that was cut short is no fault of its own
            return 0
        raise
    finally:
        supervisor.stop()
        for name in ("env", "owner"):
            (data / name).unlink(missing_ok=True)
        lock.close()
        say("Stopped.")
    return 0


def check_programs() -> None:
    """Raise RuntimeProblem where a server of ours cannot be found, before any is started."""
    installed_programs()
    installed_program()


def say_ignored_settings() -> None:
    """The demo changes tables and accounts: never those of a server that somebody has already."""
    for name in ("DATABASE_URL", "REDIS_URL"):
        if os.environ.get(name):
            say(
                f"{name} is set: the demo leaves that server alone and starts one of its own. Unset it where"
                " manage.py shall speak to the demo."
            )


def lock_of(data: Path) -> IO[Any]:
    """Make sure that the data directory is ours to use, before it is touched, and that nobody else does."""
    try:
        refuse_foreign_data(data / "postgres")
    except OSError as error:
        raise cannot_write(data, error) from None
    return take_lock(data)


def load_secrets(data: Path) -> dict[str, str]:
    """The passwords, made the first time and kept, so that data and sessions survive a restart."""
    return kept_secrets(data, SECRETS, DLQ_DEMO_PASSWORD=os.environ.get("DLQ_DEMO_PASSWORD", ""))


def demo_settings(data: Path, urls: Mapping[str, str], passwords: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of all parts of the demo, and of manage.py beside it; your environment wins."""
    defaults = {
        "SECRET_KEY": passwords["SECRET_KEY"],
        "ALLOWED_HOSTS": "localhost,127.0.0.1,[::1]",
        "DLQ_HTTPS": "false",
        "DLQ_HANDLERS": "examples.flights.handlers",
        "DLQ_REPORTS": "examples.flights.reports",
        "DLQ_RETRY_FIXED_RATE": "60000",
        # one person can try everything on the flights; production asks a second one above 1,000
        "DLQ_FOUR_EYES_ABOVE": "100000",
        "FLIGHTS_DATA_DIR": str(data / "flights"),
        "DLQ_INGEST_FOLDERS": str(data / "flights" / "events"),
        "SPARK_MASTER": "local[2]",
        "SPARK_LOCAL_IP": LOOPBACK,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    settings = {key: os.environ.get(key) or value for key, value in defaults.items()}
    always = {"DLQ_DATA_DIR": str(data), "DLQ_DEMO_PASSWORD": passwords["DLQ_DEMO_PASSWORD"]}
    return {**urls, **settings, **always, "JAVA_HOME": str(java_home_for(data / "java"))}


def is_healthy(port: int) -> bool:
    """Tell whether the console says that it and what it leans on are well."""
    try:
        with urllib.request.urlopen(f"http://{LOOPBACK}:{port}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False
