"""Wrong addresses stop the start, with a sentence."""

import pytest

from tests.configuration.conftest import environment, refusals  # noqa: F401 - fixtures


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("DLQ_PUBLIC_URL", "https://dlq.example.org/dlq/", "https://dlq.example.org:8443"),
        ("DLQ_REPORT_MAIL_TO", "Ann <ann@example.org>", "ann@example.org, team+dlq@mail.example.org"),
        ("DLQ_REPORT_MAIL_TO", "ann@example.org\r\nBcc:eve", ""),
    ],
)
def test_a_wrong_address_is_named_in_one_line(environment, refusals, name, wrong, right):  # noqa: F811
    environment[name] = wrong
    (line,) = refusals()
    assert line.startswith(f"{name} is ")
    assert line.isprintable()
    environment[name] = right
    assert refusals() == []
