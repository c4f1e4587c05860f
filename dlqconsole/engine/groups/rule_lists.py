"""Rules in an order, of which the first that matches counts: kept, changed and moved alike for every table.

Every change is a compare-and-set on the rule's version, with an audit row in its transaction. The table
checks a rule, for plain SQL as for us; here its refusals become sentences.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, models
from django.db.models import Max
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from dlqconsole.core.errors import InvalidRule
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine import audit
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import transaction
from dlqconsole.hosting.wording import gettext_lazy


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleList[R: models.Model]:
    """The rules of one table. ``noun`` names one in the audit log; ``fields`` are those that a person sets.

    ``read`` makes columns of values, or raises InvalidRule; ``refusals``: sentences for constraints of the
    table.
    """

    model: type[R]
    noun: str
    fields: tuple[str, ...]
    read: Callable[[Mapping[str, Any]], dict[str, Any]]
    refusals: Mapping[str, str] = field(default_factory=dict)
    most: int = 200
    too_many: str = gettext_lazy("There are {most} rules already.")
    # shipped rules are asked after all others
    has_shipped: bool = False

    def all(self) -> list[R]:
        """Return all rules in the order in which they are asked."""
        order = ("shipped", "position", "pk") if self.has_shipped else ("position", "pk")
        return list(self._rows().order_by(*order))

    def add(self, values: Mapping[str, Any], *, actor: str, reason: str) -> R:
        """Keep a new rule, asked after all others but the shipped ones. Raises InvalidRule."""
        fields = self.read(values)
        with transaction.atomic():
            self._lock()
            if self._own().count() >= self.most:
                raise InvalidRule([self.too_many.format(most=self.most)])
            rule = self.create(fields, updated_by=actor)
            audit.record(actor, "create", f"{self.noun}:{rule.pk}", reason=reason, detail=fields)
        return rule

    def create(self, fields: Mapping[str, Any], **columns: Any) -> R:
        """Write a new row behind the others, without an audit row."""
        last = self._own().aggregate(last=Max("position"))["last"] or 0
        return self.store(lambda: self._rows().create(**fields, **columns, position=last + 1))

    def change(
        self, rule_id: int, version: int, values: Mapping[str, Any], *, actor: str, reason: str
    ) -> None:
        """Change a rule as it was seen, at ``version``. Raises InvalidRule, also if it has changed."""
        self._update(rule_id, version, self.read(values), "change", actor, reason)

    def switch(self, rule_id: int, version: int, on: bool, *, actor: str, reason: str) -> None:
        """Let a rule be asked, or not. Raises InvalidRule."""
        self._update(rule_id, version, {"enabled": on}, "enable" if on else "disable", actor, reason)

    def move(self, rule_id: int, version: int, up: bool, *, actor: str, reason: str) -> None:
        """Ask a rule one place earlier or later. Raises InvalidRule."""
        with transaction.atomic():
            self._lock()
            shipped = self.has_shipped and self._rows().filter(pk=rule_id, shipped=True).exists()
            order: list[Any] = [rule for rule in self.all() if getattr(rule, "shipped", False) == shipped]
            seen = (rule_id, version)
            at = next((place for place, rule in enumerate(order) if (rule.pk, rule.version) == seen), None)
            if at is None:
                raise _changed_meanwhile(rule_id)
            other = at - 1 if up else at + 1
            if not 0 <= other < len(order):
                raise InvalidRule([_end_words(up, shipped).format(number=rule_id)])
            order[at], order[other] = order[other], order[at]
            for position, rule in enumerate(order, start=1):
                self._rows().filter(pk=rule.pk).update(position=position)
            detail = {"position": other + 1}
            audit.record(actor, "move", f"{self.noun}:{rule_id}", reason=reason, detail=detail)

    def delete(self, rule_id: int, version: int, *, actor: str, reason: str) -> None:
        """Remove a rule. Raises InvalidRule."""
        with transaction.atomic():
            self._lock()
            rule = self._rows().filter(pk=rule_id, version=version).first()
            if rule is None:
                raise _changed_meanwhile(rule_id)
            detail = self.fields_of(rule)
            audit.record(actor, "delete", f"{self.noun}:{rule_id}", reason=reason, detail=detail)
            rule.delete()

    def fields_of(self, rule: R) -> dict[str, Any]:
        """Return the fields that a person sets."""
        return {name: getattr(rule, name) for name in self.fields}

    def refused_field(self, problem: str) -> str:
        """Return the field that a refusal of the table is about; "" where it is the rule as a whole."""
        prefix = f"{self.model._meta.db_table}_"
        names = [name.removeprefix(prefix) for name, sentence in self.refusals.items() if sentence == problem]
        return names[0] if names and names[0] in self.fields else ""

    def store[T](self, write: Callable[[], T]) -> T:
        """Write a rule; a refusal of the table becomes its sentence."""
        try:
            with transaction.atomic():
                return write()
        except IntegrityError as error:
            name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or ""
            if name not in self.refusals:
                raise
            raise InvalidRule([self.refusals[name]]) from error

    def _update(
        self, rule_id: int, version: int, fields: Mapping[str, Any], action: str, actor: str, reason: str
    ) -> None:
        with transaction.atomic():
            self._lock()
            rows = self._rows().filter(pk=rule_id, version=version)
            before = rows.first()
            if before is None:
                raise _changed_meanwhile(rule_id)
            changes = {
                name: [getattr(before, name), value]
                for name, value in fields.items()
                if getattr(before, name) != value
            }
            if not changes:
                return
            values = {**fields, "version": version + 1, "updated_by": actor, "updated_at": Now()}
            self.store(lambda: rows.update(**values))
            detail = {"changes": changes}
            audit.record(actor, action, f"{self.noun}:{rule_id}", reason=reason, detail=detail)

    def _rows(self) -> "models.QuerySet[R]":
        return self.model._default_manager.all()

    def _own(self) -> "models.QuerySet[R]":
        return self._rows().filter(shipped=False) if self.has_shipped else self._rows()

    def _lock(self) -> None:
        fetch_column(sql("classification.lock_rules"), {"table": self.model._meta.db_table})


def _changed_meanwhile(rule_id: int) -> InvalidRule:
    return InvalidRule(
        [
            _("Rule {rule_id} was changed or deleted meanwhile. Look at it again, then repeat.").format(
                rule_id=rule_id
            )
        ]
    )


def _end_words(up: bool, shipped: bool) -> str:
    """The sentence for a rule that can go no further that way."""
    if shipped:
        first = _("Rule {number} is the first of the shipped ones already.")
        return first if up else _("Rule {number} is the last of the shipped ones already.")
    return _("Rule {number} is the first already.") if up else _("Rule {number} is the last already.")
