"""Form fields for typed values. Each says what is wrong in one sentence and keeps the typed text.

The rules are in ``processing.inputs``: command lines and services read by them, too. A field's ``what``
begins its sentence: “The note has 12,000 characters; the limit is 10,000.”
"""

from dlqconsole.console.parts.fields.carried import RequestKeyField, VersionField
from dlqconsole.console.parts.fields.choices import ChoiceField, SwitchField
from dlqconsole.console.parts.fields.days import ClockField, DayField, MomentField, UntilField
from dlqconsole.console.parts.fields.numbers import (
    CountField,
    DurationField,
    ItemIdField,
    NumberField,
    RateField,
    WaitField,
)
from dlqconsole.console.parts.fields.texts import JsonTextField, PlainTextField, ReasonField
from dlqconsole.console.parts.fields.typed import ShownAgain, TypedField

__all__ = [
    "ChoiceField",
    "ClockField",
    "CountField",
    "DayField",
    "DurationField",
    "ItemIdField",
    "JsonTextField",
    "MomentField",
    "NumberField",
    "PlainTextField",
    "RateField",
    "ReasonField",
    "RequestKeyField",
    "ShownAgain",
    "SwitchField",
    "TypedField",
    "UntilField",
    "VersionField",
    "WaitField",
]
