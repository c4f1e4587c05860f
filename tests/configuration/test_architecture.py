"""The tables of docs/architecture.md have the layers that import-linter holds, and none upside down."""

import re
import tomllib
from itertools import product
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
TABLE = re.compile(r"^\| layer \| (.+?) \| what it is for \|\n\|---\|---\|---\|\n((?:\|.+\n)+)", re.MULTILINE)


def told() -> dict[str, dict[str, int]]:
    """By package, the layer of each of its packages as the document has it."""
    text = (CHECKOUT / "docs/architecture.md").read_text(encoding="utf-8")
    tables = {}
    for head, body in TABLE.findall(text):
        rows = [line.split("|")[1:3] for line in body.splitlines()]
        package = "dlqconsole" if head == "package" else f"dlqconsole.{head.strip('`/')}"
        tables[package] = {name: int(layer) for layer, names in rows for name in re.findall("`(.+?)`", names)}
    return tables


def held() -> dict[str, list[set[str]]]:
    """By package, its layers from above, as import-linter has them."""
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return {
        each["containers"][0]: [set(re.split(r" [|:] ", layer)) for layer in each["layers"]]
        for each in contracts
        if each["type"] == "layers"
    }


def test_each_large_package_has_a_table():
    assert {
        "dlqconsole",
        *(f"dlqconsole.{room}" for room in ("engine", "pipeline", "console")),
    } <= told().keys()


@pytest.mark.parametrize("package", told())
def test_a_package_with_a_layer_stands_in_its_table(package):
    assert set(told()[package]) == set[str]().union(*held()[package])


@pytest.mark.parametrize("package", told())
def test_what_stands_above_another_may_import_it(package):
    numbers, layers = told()[package], held()[package]
    upside_down = [
        (one, other)
        for above, below in product(range(len(layers)), repeat=2)
        for one, other in product(layers[above] & numbers.keys(), layers[below] & numbers.keys())
        if above < below and numbers[one] < numbers[other]
    ]
    assert upside_down == []
