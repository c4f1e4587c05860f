"""Names that a kind of operation, or an option of one, cannot have: something else is called so already.

``tests/operations/kinds/test_reserved.py`` compares them with the forms and the command that use them.
"""

from dlqconsole.engine.dead_letters.filters import parameters

# what `manage.py deadletters` does by itself; "export" and "undo" are kinds
VERBS = frozenset({"list", "count", "show", "pause", "resume", "cancel", "approve", "refuse"})

_FORMS = {
    *("csrfmiddlewaretoken", "request_key", "kind", "scope", "filter", "ids", "operation", "source"),
    *("outcome", "reason", "expected", "expected_exact", "typed_count", "action", "select_across", "index"),
}
_COMMAND = {
    *("verb", "id", "all", "because", "json", "limit", "wait", "output", "payload", "payload_file"),
    *("as_operation", "former_names", "help", "version", "verbosity", "settings", "pythonpath"),
    *("traceback", "no_color", "force_color", "skip_checks"),
}


def option_names() -> set[str]:
    """What no option can be called: fields of the forms, options of the command, parts of the filter."""
    return _FORMS | _COMMAND | set(parameters())
