"""A handler that is called each minute."""

from dlqconsole.processing import handler, periodic


@periodic("* * * * *")
@handler("minute.passed")
def passed(event, lookups):
    return {"tick": event.time.isoformat()}
