"""Sentences for people name the program that runs commands here: of a checkout, a guest or the wheel."""

import ast
import subprocess

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.configuration.program import PROGRAM


def test_a_checkout_has_manage_py():
    assert PROGRAM == "manage.py"


def test_no_sentence_says_manage_py_by_itself():
    """Take PROGRAM, in a template {% program %}; a sentence of the database says "the command grants"."""
    names = subprocess.check_output(
        ["git", "grep", "-l", "manage.py", "--", "dlqconsole", "templates", "static"], cwd=CHECKOUT, text=True
    )
    saying = [name for name in names.split() if not name.endswith(("/__main__.py", "/program.py"))]
    assert [name for name in saying if not name.endswith(".py") or _sentences(name)] == []


def _sentences(name):
    """Texts of a module that are not docstrings."""
    tree = ast.parse((CHECKOUT / name).read_text())
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and "manage.py" in str(node.value) and id(node) not in docstrings
    ]
