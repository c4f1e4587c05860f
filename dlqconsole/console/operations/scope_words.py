"""The scope of an operation as sentences for people."""

from dlqconsole.console.parts.group_names import with_group_name
from dlqconsole.operations.requests.scope import Matching, Scope


def scope_words(scope: Scope) -> list[str]:
    """A sentence a part; a failure group is named by its title."""
    group = scope.filter.group if isinstance(scope, Matching) else None
    return [with_group_name(sentence, group) for sentence in scope.words()]
