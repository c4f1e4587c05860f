"""Names that a kind of operation, or an option of one, cannot have: they are in use already.

``tests/operations/kinds/test_reserved.py`` compares them with the forms and the command that use them.
"""

from dlqconsole.engine.dead_letters.part_rules import COMMAND

# the verbs of `manage.py deadletters` itself; "export" and "undo" are kinds
VERBS = frozenset({"list", "count", "show", "pause", "resume", "cancel", "approve", "refuse"})

# fields of the forms on which an operation is confirmed, here and in Django's admin
FORMS = frozenset(
    [
        "csrfmiddlewaretoken",
        "request_key",
        "kind",
        "scope",
        "filter",
        "ids",
        "operation",
        "outcome",
        "of_queue",
        "up_to",
        "reason",
        "expected",
        "expected_exact",
        "acts_on",
        "typed_count",
        "action",
        "select_across",
        "index",
    ]
)

# fields of a standing rule's form, beside which the options of its operations stand
STANDING_RULE = frozenset(
    [
        "version",
        "name",
        "filter",
        "trigger",
        "per_hour",
        "per_day",
        "operations_per_day",
        "tells_owner",
        "reason",
        "do",
        "kind",
        # of the triggers
        "minutes",
        "at",
        "key",
        "above",
        "pause",
    ]
)
FIELDS = FORMS | STANDING_RULE
OPTIONS = FIELDS | COMMAND
