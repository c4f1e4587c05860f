"""Edit: change payloads by a recipe, a JSON Patch. One dead letter is edited as text on its own page."""

from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle.states import EDITABLE
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.operations.kinds.base import OPEN_TABS, Kind
from dlqconsole.operations.options import RATE, Option
from dlqconsole.operations.pages.editing import EditPages
from dlqconsole.operations.pages.work import CountsAsChanged, OperationWork
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Text
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.patching import RECIPE_LIMIT, RecipeRefused, read_recipe


def _check_recipe(text: str) -> str:
    try:
        read_recipe(text)
    except RecipeRefused as problem:
        raise InvalidInput(translated(problem)) from problem
    return text


RECIPE = Option(
    field=Text(
        name="recipe",
        what=gettext_lazy("The recipe"),
        label=gettext_lazy("Recipe: a JSON Patch (RFC 6902)"),
        help="edit many by a JSON Patch; - is the standard input",
        placeholder='[{"op": "replace", "path": "/data/currency", "value": "EUR"}]',
        metavar="FILE",
        no_value=gettext_lazy("An edit needs a recipe: a JSON Patch."),
        limit=RECIPE_LIMIT,
        rule=_check_recipe,
        is_code=True,
        lines=4,
    ),
    is_folded=False,
    is_file=True,
    words=lambda _text: _("by a JSON Patch"),
)


class Edit(Kind):
    name = "edit"
    label = gettext_lazy("Edit")
    icon = "edit"
    brief = gettext_lazy("change payloads by a recipe")
    explains = gettext_lazy(
        "Each payload is changed by the recipe. The original is kept, and the whole can be undone."
    )
    past = gettext_lazy(stored("edited"))
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
