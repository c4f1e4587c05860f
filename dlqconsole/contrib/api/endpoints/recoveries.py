"""POST /recoveries: what had failed succeeded after all."""

from django.http import HttpRequest
from django.urls import reverse
from ninja import Router

from dlqconsole.contrib.api.caller import ApiCaller
from dlqconsole.contrib.api.endpoints.failures import PROBLEM
from dlqconsole.contrib.api.problems import Problem
from dlqconsole.contrib.api.schemas import Recovered, Recovery
from dlqconsole.contrib.api.storing import close
from dlqconsole.engine.models import DeadLetter

router = Router()


@router.post(
    "/recoveries",
    url_name="api_recoveries",
    operation_id="report_recovery",
    summary="Report a recovery",
    response=Recovered,
    openapi_extra={"responses": {"4XX": PROBLEM, "503": PROBLEM}},
)
def recoveries(request: HttpRequest, recovery: Recovery) -> Recovered:
    """Close the dead letter of an event that was reported here. Sent again, it changes nothing."""
    caller: ApiCaller = request.auth  # type: ignore[attr-defined]
    caller.take()
    known = DeadLetter.objects.filter(source=recovery.source, source_key=recovery.key)
    letter = caller.access.limit(known).values_list("pk", flat=True).first()
    if letter is None:
        raise Problem(404, "There is no dead letter of this source and key. They are those of its report.")
    url = request.build_absolute_uri(reverse("dlq:dead_letter", args=[letter]))
    return Recovered(recovered=close(caller.actor, recovery.source, recovery.key), id=letter, url=url)
