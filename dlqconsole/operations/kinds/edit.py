"""Edit: change payloads by a recipe, a JSON Patch. One dead letter is edited as text on its own page."""

from dlqconsole.core.lifecycle.states import EDITABLE
from dlqconsole.operations.kinds.base import OPEN_TABS, Kind
from dlqconsole.operations.options import RATE, Option
from dlqconsole.operations.pages.editing import EditPages
from dlqconsole.operations.pages.work import CountsAsChanged, OperationWork
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Text
from dlqconsole.processing.patching import RECIPE_LIMIT, RecipeRefused, read_recipe


def _check_recipe(text: str) -> str:
    try:
        read_recipe(text)
    except RecipeRefused as problem:
        raise InvalidInput(str(problem)) from problem
    return text


RECIPE = Option(
    field=Text(
        name="recipe",
        what="The recipe",
        label="Recipe: a JSON Patch (RFC 6902)",
        help="edit many by a JSON Patch; - is the standard input",
        placeholder='[{"op": "replace", "path": "/data/currency", "value": "EUR"}]',
        metavar="FILE",
        no_value="An edit needs a recipe: a JSON Patch.",
        limit=RECIPE_LIMIT,
        rule=_check_recipe,
        is_code=True,
        lines=4,
    ),
    is_folded=False,
    is_file=True,
    words=lambda _text: "by a JSON Patch",
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
