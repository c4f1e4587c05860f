"""A kind's rules stand in its own file: nobody else asks which kind it is, and the documents say the same."""

import ast
import re
from pathlib import Path

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.operations import kinds
from dlqconsole.operations.items import DEAD_LETTERS
from dlqconsole.operations.pages.work import CountsAsChanged
from tests.of_features import with_features

ROOT = Path(__file__).parents[3]
NAMES = set(kinds.names())
PYTHON = [
    path
    for path in (ROOT / "dlqconsole").rglob("*.py")
    if not {"migrations", "kinds", "queues", "pipeline"} & set(path.relative_to(ROOT).parts)
]
# of a queue or a rule there are verbs of the same name
TEMPLATES = [
    path for path in (ROOT / "templates").rglob("*.html") if path.parent.name not in ("queues", "rules")
]


def named_in(node: ast.AST) -> set[str]:
    return {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)} & NAMES


def compared(text: str) -> list[int]:
    """Lines on which something is compared with the name of a kind."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Compare, ast.match_case))
        and named_in(node if isinstance(node, ast.Compare) else node.pattern)
        and "kind" in ast.unparse(node)
    ]


def test_no_code_asks_which_kind_it_is():
    assert len(PYTHON) > 200
    assert {str(path): lines for path in PYTHON if (lines := compared(path.read_text()))} == {}


def test_no_template_asks_which_kind_it_is():
    asks = re.compile(rf"""kind\s*[!=]=\s*["'](?:{"|".join(NAMES)})["']""")
    assert len(TEMPLATES) > 20
    assert [str(path) for path in TEMPLATES if asks.search(path.read_text())] == []


def test_no_statement_names_a_kind():
    for path in (ROOT / "dlqconsole/operations/sql").glob("*.sql"):
        assert re.findall(rf"kind\b[^\n]*'(?:{'|'.join(NAMES)})'", path.read_text()) == [], path.name


def test_the_document_says_what_each_kind_says():
    text = (ROOT / "docs/operations.md").read_text()
    for kind in kinds.every():
        assert f"| `{kind.name}` | {kind.does} | {states(kind)} | {kind.undone} |" in text


@with_features
def test_the_document_says_by_what_a_dead_letter_counts_as_changed():
    text = (ROOT / "docs/operations.md").read_text()
    table = text.partition("| kind | counts as changed |")[2].partition("\n\n")[0]
    rows = [re.findall("`([a-z]+)`", row) for row in table.splitlines() if "`" in row]
    # an export's file is written where others are frozen: nothing changes it since
    over_letters = [kind for kind in kinds.every() if kind.items is DEAD_LETTERS and not kind.has_file]
    assert [sorted(row) for row in rows] == [
        sorted(kind.name for kind in over_letters if kind.counts_as_changed == sort)
        for sort in CountsAsChanged
    ]


def test_the_document_names_each_option_by_its_one_name():
    text = (ROOT / "docs/operations.md").read_text()
    for kind in kinds.asked_for():
        for option in kind.options:
            for field in option.inputs:
                assert f"`{field.name}`" in text, (kind.name, field.name)


def states(kind):
    """The states that it takes, in as few words as can be."""
    if kind.takes_back:
        return "its done items"
    others = [status for status in DeadLetterStatus if status not in kind.takes]
    if len(others) < 2:
        return f"all but {others[0]}" if others else "all"
    return ", ".join(kind.takes)


def test_what_can_be_undone_says_how_and_what_cannot_says_so():
    for kind in kinds.every():
        assert kind.can_be_undone != kind.undone.startswith("no")


def test_names_fit_the_table():
    assert all(re.fullmatch("[a-z_]{1,16}", kind.name) for kind in kinds.every())
