"""Edit: change payloads by a recipe, a JSON Patch. One dead letter is edited as text on its own page."""

from dlqconsole.core.lifecycle.states import EDITABLE
from dlqconsole.operations.common_options import RATE
from dlqconsole.operations.errors import OptionRefused
from dlqconsole.operations.kinds.base import OPEN_TABS, Kind
from dlqconsole.operations.options import TextOption
from dlqconsole.operations.pages.changes import CountsAsChanged
from dlqconsole.operations.pages.editing import EditPages
from dlqconsole.operations.pages.work import OperationWork
from dlqconsole.operations.sql import sql
from dlqconsole.processing.patching import RecipeRefused, read_recipe


def _check_recipe(text: str) -> str:
    if not text:
        raise OptionRefused("An edit needs a recipe: a JSON Patch.")
    try:
        read_recipe(text)
    except RecipeRefused as problem:
        raise OptionRefused(str(problem)) from problem
    return text


RECIPE = TextOption(
    name="recipe",
    label="Recipe: a JSON Patch (RFC 6902)",
    help="edit many by a JSON Patch; - is the standard input",
    placeholder='[{"op": "replace", "path": "/data/currency", "value": "EUR"}]',
    metavar="FILE",
    is_folded=False,
    lines=4,
    is_file=True,
    words=lambda _text: "by a JSON Patch",
    check=_check_recipe,
)


class Edit(Kind):
    name = "edit"
    label = "Edit"
    icon = "edit"
    brief = "change payloads by a recipe"
    explains = "Each payload is changed by the recipe. The original is kept, and the whole can be undone."
    past = "edited"
    does = "changes payloads by a JSON Patch"
    undone = "fully, as a further version"

    takes = EDITABLE
    counts_as_changed = CountsAsChanged.PAYLOAD
    options = (RATE, RECIPE)
    undo_statement = sql("editing.undo")

    more_on = OPEN_TABS
    asks_more = True

    def pages(self, work: OperationWork) -> EditPages:
        return EditPages(work)
