"""A setting is read from the environment in one room only, but for those that are needed elsewhere."""

import ast
from collections.abc import Iterator
from pathlib import Path

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.configuration.settings import NAMES

HOUSE = CHECKOUT / "dlqconsole"
# What else a module may ask the environment for, by the name it asks with, and why.
NOT_SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "Django's own",
    "DLQ_CRASH_POINT": "where a fault test ends a process; no person sets it",
    "FLIGHTS_DATA_DIR": "the flight example's own, not the product's",
    "FLIGHTS_WEATHER_URL": "the flight example's own, too",
    "JAVA_HOME": "Java's own",
    "PATH": "the system's own",
    "PGOPTIONS": "of PostgreSQL's own library, added to for rehearsals",
    "PYENV_ROOT": "pyenv's own",
    "PYSPARK_PYTHON": "Spark's own",
    "PYTHONDONTWRITEBYTECODE": "Python's own, taken back for the tests",
    "SPARK_SUBMIT_OPTS": "Spark's own: options for its Java",
    "XDG_STATE_HOME": "the home folder's own",
}
# Settings that a module reads for itself, and why.
READ_WHERE_NEEDED = {
    "configuration/demo_environment.py": {"DLQ_DATA_DIR", "DATABASE_URL"},  # before anything else can be read
    # settings of the parts that it starts, before there are any
    "__main__.py": {"DLQ_DATA_DIR", "SECRET_KEY"},
    "running/up.py": {"DATABASE_URL"},
    "running/management/commands/first_administrator.py": {"DLQ_ADMIN", "DLQ_ADMIN_PASSWORD"},
    "pipeline/settings.py": {"SECRET_KEY"},  # made before Django's settings want it
    # in Spark's workers, which have nothing that reads the settings
    "pipeline/errors.py": {"DLQ_MASKED_KEYS"},
    "contrib/rehearsals/job/rehearser.py": {"DLQ_HANDLERS"},
    "processing/lookups.py": {"DLQ_LOOKUPS_DIR"},
    # the demo's own, and the programs that it starts
    "console/management/commands/ensure_demo_users.py": {"DLQ_DEMO_PASSWORD"},
}


def names_asked_for(tree: ast.AST) -> Iterator[str]:
    """The constants in os.environ["X"], os.environ.get("X") and os.getenv("X")."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))):
                if isinstance(node.ctx, ast.Load):
                    yield name
            case ast.Call(func=ast.Attribute(attr="getenv"), args=[ast.Constant(value=str(name)), *_]):
                yield name
            case ast.Call(
                func=ast.Attribute(attr="get" | "pop", value=ast.Attribute(attr="environ")),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name


def asked_for(file: Path) -> set[str]:
    return set(names_asked_for(ast.parse(file.read_text(encoding="utf-8"))))


def test_no_module_reads_a_setting_by_itself():
    found = {
        str(file.relative_to(HOUSE)): asked_for(file) - NOT_SETTINGS.keys() for file in HOUSE.rglob("*.py")
    }
    assert {file: names for file, names in found.items() if names} == READ_WHERE_NEEDED
    assert NOT_SETTINGS.keys() & NAMES == set()


def test_each_way_to_ask_is_seen():
    source = 'os.environ["A"]; os.environ.get("B"); os.getenv("C"); os.environ["E"] = 1'
    assert set(names_asked_for(ast.parse(source))) == {"A", "B", "C"}
