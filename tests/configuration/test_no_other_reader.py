"""A setting is read from the environment in one room only, and each is read by those whom the table names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.configuration.setting import Reader
from dlqconsole.configuration.table import BY_NAME, TABLE

HOUSE = CHECKOUT / "dlqconsole"
# What else a module may ask the environment for, by the name it asks with, and why.
NOT_SETTINGS = {
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
}
# The settings that no process checks at its start: where they are asked for, and why not by read_settings.
READ_WHERE_NEEDED = {
    "DLQ_DATA_DIR": "configuration/demo_environment.py",  # before anything else can be read
    "DLQ_LOOKUPS_DIR": "processing/lookups.py",  # at each look, in Spark's workers too
    "DLQ_DEMO_PASSWORD": "runtime/demo.py",
    "DLQ_PG_HOME": "runtime/postgres.py",
    "DLQ_VALKEY_SERVER": "runtime/valkey.py",
    "PORT": "runtime/demo.py",
}


def names_asked_for(tree: ast.AST) -> Iterator[str]:
    """The constants in os.environ["X"], os.environ.get("X") and os.getenv("X"), and in env.…("X")."""
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
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="env")), args=[ast.Constant(value=str(name)), *_]
            ):
                yield name


def asked_for(file: Path) -> set[str]:
    return set(names_asked_for(ast.parse(file.read_text(encoding="utf-8"))))


def test_no_module_reads_a_setting_past_the_table():
    found = {str(file.relative_to(HOUSE)): asked_for(file) for file in HOUSE.rglob("*.py")}
    assert {file: names for file, names in found.items() if names - NOT_SETTINGS.keys()} == {}


def test_what_is_no_setting_is_in_no_table():
    assert NOT_SETTINGS.keys() & BY_NAME.keys() == set()


def test_each_way_to_ask_is_seen():
    source = 'os.environ["A"]; os.environ.get("B"); os.getenv("C"); env.int("D", 1); os.environ["E"] = 1'
    assert set(names_asked_for(ast.parse(source))) == {"A", "B", "C", "D"}


def names_in(file: str) -> set[str]:
    given = re.findall(r'given(?:\.\w+|_text)\(\s*"(\w+)"', (HOUSE / file).read_text(encoding="utf-8"))
    assert given
    return set(given)


def test_each_setting_is_used_by_the_processes_that_the_table_names():
    for reader, file in ((Reader.DJANGO, "settings.py"), (Reader.PIPELINE, "pipeline/settings.py")):
        named = {row.name for row in TABLE if reader in row.readers}
        assert names_in(file) == named - READ_WHERE_NEEDED.keys()


def test_the_others_are_used_where_they_are_needed():
    for name, file in READ_WHERE_NEEDED.items():
        assert name in names_in(file)
