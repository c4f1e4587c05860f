"""What this person may not search: a value that is masked must not be guessed by a filter."""

from django.utils.translation import gettext as _

from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters import all_parts
from dlqconsole.engine.dead_letters.conditions import guessable, paths
from dlqconsole.engine.dead_letters.language.reading import PAYLOAD_PREFIX
from dlqconsole.engine.dead_letters.language.tree import Tree, terms
from dlqconsole.hosting.wording import gettext_lazy

VALUES_REFUSED = gettext_lazy(
    "only operators may search values. Search by event type, key, id, or what a failure group says."
)
WHOLE_ONLY = gettext_lazy(
    "its values are masked, so that only a whole one can be searched: no *, no < and no >."
)


def refusal(tree: Tree) -> str:
    """Return the sentence for a search that would tell what this person may not see; else empty."""
    searches_values = current_access().searches_values
    payload_paths = paths(tree)
    if payload_paths and not searches_values:
        return _("{key} is not searched: {why}").format(
            key=PAYLOAD_PREFIX + payload_paths[0][0], why=VALUES_REFUSED
        )
    parts = all_parts.by_name()
    patterns = [each.key for each in terms(tree) if each.has_pattern]
    of_values = [key for key in patterns if key in parts and parts[key].like_reads_values]
    if of_values and not searches_values:
        return _("A * in {key} is not searched: {why}").format(key=of_values[0], why=VALUES_REFUSED)
    if masked := guessable(tree):
        return _("{key} is not searched so: {why}").format(key=f"{PAYLOAD_PREFIX}{masked}", why=WHOLE_ONLY)
    return ""
