"""Text pasted into the search box: a whole stack trace opens its failure group."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.engine.counts import groups
from dlqconsole.engine.dead_letters.checking import MAX_LENGTH
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.groups.classification import groups_of, last_line, longest_words
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.processing.inputs.plain_text import is_storable

NO_GROUP = _("No failure group has this trace. This is what its last line finds.")


@viewer_required
@require_POST
def find(request: HttpRequest) -> HttpResponseBase:
    """Open the group of a trace; with several groups, search their message; with none, the last line."""
    text = request.POST.get("text", "").replace("\x00", "")
    text = text if is_storable(text) else text.encode("utf-8", "replace").decode()
    matches = [(group, message) for group, message in groups_of(text) if groups.visibility(group)[0]]
    if len(matches) == 1:
        return redirect("dlq:group", matches[0][0])
    if not matches:
        messages.info(request, NO_GROUP)
    words = longest_words(matches[0][1]) if matches else last_line(text)
    matching = DeadLetterFilter(q=words[:MAX_LENGTH].strip())
    return redirect(f"{reverse('dlq:dead_letters')}?{matching.querystring}&stay=1")
