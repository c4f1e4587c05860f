"""The key of the audit log is as strong as the secret; older ones behind it may be what they were."""

import secrets

import pytest

from dlqconsole.configuration.reading import read_settings
from tests.configuration.conftest import environment, refusals  # noqa: F401 - fixtures


def test_the_audit_key_is_as_strong_and_old_ones_behind_it_may_be_what_they_were(environment, refusals):  # noqa: F811
    environment["DLQ_AUDIT_KEY"] = "x"
    (sentence,) = refusals()
    assert sentence.startswith("DLQ_AUDIT_KEY: It has 1 characters and needs 32")
    environment["DLQ_AUDIT_KEY"] = f"{secrets.token_urlsafe(50)},x"
    assert refusals() == []


@pytest.mark.parametrize("nothing", [",", " , ,", " "])
def test_an_audit_key_of_commas_is_refused(environment, refusals, nothing):  # noqa: F811
    environment["DLQ_AUDIT_KEY"] = nothing
    assert refusals() == ["DLQ_AUDIT_KEY: There is nothing between its commas"]


def test_empty_parts_of_the_audit_key_are_no_keys(environment):  # noqa: F811
    key = secrets.token_urlsafe(50)
    environment["DLQ_AUDIT_KEY"] = f",{key}, , old,"
    assert read_settings().plain()["DLQ_AUDIT_KEY"] == [key, "old"]
