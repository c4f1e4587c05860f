"""`make near` finds the tests of what was changed, and no others."""

import subprocess

import pytest

from tools.near import changed_files, near_tests

FILES = {
    "dlqconsole/engine/queues/known.py": "",
    "dlqconsole/core/named_sql.py": "",
    "templates/console/queues/list.html": "",
    "tests/engine/queues/test_known.py": "",
    "tests/engine/test_reach.py": "",
    "tests/core/test_schema.py": "",
    "tests/console/queues/test_queues.py": "from dlqconsole.engine.queues import known\n",
    "tests/console/groups/test_groups.py": "from dlqconsole.core.named_sql import execute\n",
    "README.md": "",
}


@pytest.fixture
def checkout(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path, "all")
    return tmp_path


def git(checkout, *arguments):
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *arguments], cwd=checkout, check=True)


def commit(checkout, message):
    git(checkout, "add", ".")
    git(checkout, "commit", "--quiet", "--allow-empty", "-m", message)


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("dlqconsole/engine/queues/known.py", ["tests/console/queues/test_queues.py", "tests/engine/queues"]),
        ("dlqconsole/core/named_sql.py", ["tests/console/groups/test_groups.py", "tests/core"]),
        ("dlqconsole/engine/queues/new.sql", ["tests/engine/queues"]),
        ("templates/console/queues/list.html", ["tests/console/queues"]),
        ("clients/python/dlq/spool.py", ["tests/clients"]),
        ("tests/engine/test_reach.py", ["tests/engine/test_reach.py"]),
        ("tests/engine/queues/conftest.py", ["tests/engine/queues"]),
        ("README.md", []),
    ],
)
def test_what_is_near_a_file(checkout, file, tests):
    assert near_tests(checkout, [file]) == tests


def test_a_folder_has_its_files_in_it_already(checkout):
    assert near_tests(checkout, ["tests/engine/test_reach.py", "dlqconsole/engine/sql.py"]) == [
        "tests/engine"
    ]


def test_what_has_changed(checkout):
    commit(checkout, "nothing")
    assert changed_files(checkout) == []
    (checkout / "README.md").write_text("more")
    (checkout / "new.py").write_text("")
    assert changed_files(checkout) == ["README.md", "new.py"]
    commit(checkout, "both")
    assert changed_files(checkout) == ["README.md", "new.py"]
