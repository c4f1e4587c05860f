"""Names that no part of the filter can have, and no option of an operation: something is called so already.

``tests/operations/kinds/test_reserved.py`` compares them with the command and the list that use them.
"""

# the arguments of `manage.py deadletters`, beside the filter and the options of operations
COMMAND = frozenset(
    [
        "verb",
        "id",
        "ids",
        "all",
        "because",
        "json",
        "limit",
        "wait",
        "output",
        "payload",
        "payload_file",
        "as_operation",
        "typed_count",
        "token_file",
        "operation",
        "outcome",
        "help",
        "version",
        "verbosity",
        "settings",
        "pythonpath",
        "traceback",
        "no_color",
        "force_color",
        "skip_checks",
    ]
)
# the parameters of a list's address beside the filter
LIST = frozenset({"cursor", "size", "stay"})
