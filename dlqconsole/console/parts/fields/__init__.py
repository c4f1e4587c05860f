"""Form fields for typed values. Each says what is wrong in one sentence and keeps the typed text.

A value is declared in ``processing.inputs.fields``: command lines and services read by the same declaration.
"""

from dlqconsole.console.parts.fields.carried import Moment, RequestKeyField, VersionField
from dlqconsole.console.parts.fields.texts import JsonTextField, ReasonField, SwitchField
from dlqconsole.console.parts.fields.typed import ShownAgain, TypedField, inputs

__all__ = [
    "JsonTextField",
    "Moment",
    "ReasonField",
    "RequestKeyField",
    "ShownAgain",
    "SwitchField",
    "TypedField",
    "VersionField",
    "inputs",
]
