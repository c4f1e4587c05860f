"""Each system of queues is a folder that nobody else names: it is found, and held to its layer."""

import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = "dlqconsole.transports"
SYSTEMS = {
    f"{PACKAGE}.{path.parent.name}"
    for path in (ROOT / "dlqconsole/transports").glob("*/__init__.py")
    if "SYSTEM = " in path.read_text()
}


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("dlqconsole", cache_dir=None)


def _imported(graph, package):
    """What the package imports outside itself, and who imports anything of it."""
    own = {package} | graph.find_descendants(package)
    down = {each for module in own for each in graph.find_modules_directly_imported_by(module)}
    up = {each for module in own for each in graph.find_modules_that_directly_import(module)}
    return down - own, up - own


def _package(module):
    return ".".join(module.split(".")[:3])


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_a_system_is_named_by_nobody_and_names_no_other(graph, system):
    down, up = _imported(graph, system)
    assert up == set()
    assert {_package(module) for module in down} & {
        *SYSTEMS,
        f"{PACKAGE}.management",
        f"{PACKAGE}.tasks",
    } == set()


def test_everything_else_has_a_layer(graph):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each.get("containers") == [PACKAGE])
    placed = {f"{PACKAGE}.{name}" for layer in layers for name in layer.split(" | ")}
    assert len(SYSTEMS) > 2
    # Django's own file for a package's names and migrations
    assert graph.find_children(PACKAGE) - SYSTEMS - placed - {f"{PACKAGE}.apps"} == set()
