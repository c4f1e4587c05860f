"""The approvers of an operation: persons who had the right without a break since before it was requested."""

from dlqconsole.operations.models import Operation
from dlqconsole.people.actors import account_of, answers_for
from dlqconsole.people.roles import changers, could_change, periods


def why_not(operation: Operation, actor: str) -> str:
    """The reason why an actor cannot approve it, as a sentence.

    Empty: they can; their own by typing the count.
    """
    account = account_of(actor)
    if account is None:
        return "Only a person can approve: sign in, or use a personal token."
    if answers_for(operation.actor) == actor:
        return "" if changers() < 2 else _own(operation)
    if not could_change(periods(account), operation.created_at):
        return (
            f"You have not been an operator or administrator, under one password, since before operation"
            f" {operation.pk} was asked for: somebody who has been has to approve it."
        )
    return ""


def _own(operation: Operation) -> str:
    return f"You asked for operation {operation.pk} yourself: somebody else has to approve it."
