"""What the Dockerfile copies, Docker is given; and nothing of the checkout that should stay here is."""

import pytest

from tests.image.dockerfile import CHECKOUT, stages
from tests.image.dockerignore import given, is_kept_out

COPIES = [
    (stage.name, source)
    for stage in stages().values()
    for each in stage.own
    if each.verb == "COPY" and not each.taken_from
    for source in each.places()[0]
]


@pytest.mark.parametrize(("stage", "source"), COPIES)
def test_every_source_of_copy_is_given_to_the_build(stage, source):
    assert (CHECKOUT / source).exists()
    assert given(source), f"{stage}: .dockerignore keeps {source} out"


@pytest.mark.parametrize(
    "path", [".git/config", ".data/env", ".env", "tests/conftest.py", "dlqconsole/__pycache__/urls.pyc"]
)
def test_what_is_not_copied_stays_out(path):
    assert is_kept_out(path)


def test_the_rules_are_dockers():
    rules = "# words\n*\n!docs\n**/*.pyc\ndocs/?.md\n!docs/b.md\n"
    kept = ["docs", "docs/read.me", "docs/b.md", "docs/deep/a.md"]
    assert not [path for path in kept if is_kept_out(path, rules)]
    out = ["secret", "docs/a.md", "docs/deep/x.pyc", "deep/docs"]
    assert [path for path in out if is_kept_out(path, rules)] == out
