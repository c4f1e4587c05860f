"""Rules that come with the product: for errors that say no category, in any language."""

import pytest

from dlqconsole.core.errors import InvalidRule
from dlqconsole.engine.groups.rules import RULES
from dlqconsole.engine.models import AuditEntry, DeadLetter, FailureRule
from tests.shipped_rules import shipped_rules  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shipped_rules")]
WHO = {"actor": "user:admin", "reason": "a test"}
KNOWN = {
    # the source design's
    "request timeout": "TRANSIENT",
    "connection refused: billing": "DEPENDENCY",
    "invalid amount": "PERMANENT",
    "something else": "UNKNOWN",
    # of Java
    "java.net.SocketTimeoutException: Read timed out": "TRANSIENT",
    "java.util.concurrent.TimeoutException": "TRANSIENT",
    "java.net.http.HttpTimeoutException: request timed out": "TRANSIENT",
    "java.net.ConnectException: Connection refused": "DEPENDENCY",
    "java.net.UnknownHostException: billing": "DEPENDENCY",
    "org.hibernate.exception.JDBCConnectionException: Unable to acquire": "DEPENDENCY",
    "org.postgresql.util.PSQLException: ERROR: deadlock detected": "TRANSIENT",
    "org.postgresql.util.PSQLException: This connection has been closed.": "DEPENDENCY",
    "org.springframework.orm.ObjectOptimisticLockingFailureException: Row was updated": "TRANSIENT",
    "com.fasterxml.jackson.core.JsonProcessingException: Unexpected end": "PERMANENT",
    "com.fasterxml.jackson.databind.exc.MismatchedInputException: No content": "PERMANENT",
    "java.lang.NumberFormatException: For input string": "PERMANENT",
    "java.lang.NullPointerException": "UNKNOWN",
    # of Node and Go
    "Error: connect ECONNREFUSED 10.0.0.7:443": "DEPENDENCY",
    "Error: getaddrinfo ENOTFOUND billing": "DEPENDENCY",
    "Error: read ECONNRESET": "DEPENDENCY",
    "Error: socket hang up": "DEPENDENCY",
    "Error: connect ETIMEDOUT 10.0.0.7:443": "TRANSIENT",
    'url.Error: Get "https://billing": context deadline exceeded': "TRANSIENT",
    # of Python
    "TimeoutError: timed out": "TRANSIENT",
    "ConnectionError: Error 111 connecting to redis:6379.": "DEPENDENCY",
    "ConnectionResetError: [Errno 104] Connection reset by peer": "DEPENDENCY",
    "BrokenPipeError: [Errno 32] Broken pipe": "DEPENDENCY",
    "psycopg.OperationalError: server closed the connection unexpectedly": "DEPENDENCY",
    "gaierror: [Errno -3] Temporary failure in name resolution": "DEPENDENCY",
    "KeyError: 'order'": "UNKNOWN",
    # codes, as our own errors have them
    "Refused: no [SQLSTATE 40001]": "TRANSIENT",
    "Refused: no [SQLSTATE 08006]": "DEPENDENCY",
    "Refused: no [HTTP 503]": "TRANSIENT",
    "Refused: no [HTTP 500]": "DEPENDENCY",
    "Refused: no [HTTP 404]": "PERMANENT",
}


@pytest.mark.parametrize("reason", KNOWN)
def test_an_error_that_says_no_category_gets_one(letter, reason):
    found = DeadLetter.objects.get(pk=letter(error_reason=reason, error_category="UNKNOWN"))
    assert found.error_category == KNOWN[reason]
    assert (found.category_rule_id is None) == (KNOWN[reason] == "UNKNOWN")


def test_what_the_error_says_itself_stays(letter):
    found = DeadLetter.objects.get(pk=letter(error_reason="invalid timeout", error_category="BUSINESS"))
    assert (found.error_category, found.said_category) == ("BUSINESS", None)


def test_a_rule_of_ours_comes_first_and_stands_before_them_in_the_list(letter):
    made = RULES.add({"name": "ours", "pattern": "timeout", "category": "BUSINESS"}, **WHO)
    found = DeadLetter.objects.get(pk=letter(error_reason="timeout", error_category="UNKNOWN"))
    assert (found.error_category, found.category_rule_id) == ("BUSINESS", made.pk)
    assert RULES.all()[0] == made
    for up in (True, False):
        with pytest.raises(InvalidRule, match="already"):
            RULES.move(made.pk, made.version, up, **WHO)


def test_one_is_edited_switched_off_and_deleted_like_any_other_and_audited(letter):
    rule = FailureRule.objects.get(name="Invalid")
    fields = RULES.fields_of(rule)
    RULES.change(rule.pk, 1, fields | {"category": "BUSINESS"}, **WHO)
    found = DeadLetter.objects.get(pk=letter(error_reason="invalid", error_category="UNKNOWN"))
    assert found.error_category == "BUSINESS"
    RULES.switch(rule.pk, 2, False, **WHO)
    found = DeadLetter.objects.get(pk=letter(error_reason="invalid", error_category="UNKNOWN"))
    assert found.error_category == "UNKNOWN"
    RULES.delete(rule.pk, 3, **WHO)
    assert not FailureRule.objects.filter(name="Invalid").exists()
    actions = (
        AuditEntry.objects.filter(target=f"rule:{rule.pk}").order_by("id").values_list("action", flat=True)
    )
    assert list(actions) == ["change", "disable", "delete"]


def test_no_shipped_rule_speaks_where_one_asks_to_override(letter):
    FailureRule.objects.filter(name="Timeout").update(overrides=True)
    found = DeadLetter.objects.get(pk=letter(error_reason="timeout", error_category="BUSINESS"))
    assert found.error_category == "BUSINESS"
