"""A request that nobody can read is one line of the log, and nothing that wakes anybody."""

import logging

import pytest

from dlqconsole.processing.masking.lines import MaskedLines

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"


class Broken:
    """A body whose sender went away."""

    def read(self, *size: int) -> bytes:
        raise OSError("unexpected end of file while reading request")

    readline = read


@pytest.fixture
def lines(caplog):
    """lines() is what the log would say of these requests, a line a record."""
    caplog.set_level(logging.INFO)
    formatter = MaskedLines("%(levelname)s %(name)s %(message)s")
    ours = ("django", "dlqconsole")
    return lambda: [formatter.format(each) for each in caplog.records if each.name.startswith(ours)]


@pytest.fixture
def checked(operator, settings):
    """A person whose form is read by the check of its origin, before any view does."""
    operator.handler.enforce_csrf_checks = True
    operator.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
    return operator


OURS = "WARNING dlqconsole.console.errors refused a request from 127.0.0.1: "


def test_a_host_that_is_not_ours(operator, lines):
    host = "evil\u202e\r\nERROR forged" + "x" * 500
    assert operator.get("/", headers={"host": host}).status_code == 400
    (line,) = lines()
    assert line.startswith(OURS + "DisallowedHost: Invalid HTTP_HOST header: 'evil")
    assert "\n" not in line
    assert "\u202e" not in line
    assert len(line) < 400


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("payload=" + "x" * 4_200_000, "RequestDataTooBig: "),
        ("&".join(["a=1"] * 1200), "TooManyFieldsSent: "),
    ],
    ids=["long", "many fields"],
)
@pytest.mark.parametrize("who", ["operator", "checked"])
def test_a_form_that_is_more_than_we_read(request, lines, body, said, who):
    person = request.getfixturevalue(who)
    assert person.post("/operations/", body, content_type=FORM).status_code == 413
    (line,) = lines()
    assert line.startswith(OURS + said)


@pytest.mark.parametrize("kind", [FORM, "multipart/form-data; boundary=x"])
def test_a_body_whose_sender_went_away(operator, lines, kind):
    answer = operator.post("/operations/", "a=1", content_type=kind, **{"wsgi.input": Broken()})
    assert answer.status_code == 400
    (line,) = lines()
    assert line == OURS + "UnreadablePostError: unexpected end of file while reading request"


@pytest.mark.parametrize("kind", [FORM, "multipart/form-data; boundary=x"])
def test_the_same_where_the_check_of_its_origin_reads_it(checked, lines, kind):
    answer = checked.post("/operations/", "a=1", content_type=kind, **{"wsgi.input": Broken()})
    assert answer.status_code == 403
    (line,) = lines()
    assert line.startswith("WARNING django.security.csrf Forbidden (CSRF token missing.): /operations/")


def test_a_form_in_parts_that_are_none(operator, lines):
    kind = "multipart/form-data; boundary=" + "é"
    assert operator.post("/operations/", "a=1", content_type=kind).status_code == 400
    (line,) = lines()
    assert line.startswith(OURS + "MultiPartParserError: ")
